/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sweep and its counters side by side: when counters begin, and when they look what is new. */
#include "client/survey.h"

/* Whether the counters have something to look at: the sweep's end; or, while it waits, what they
 * have not seen, once they have nothing else to do. */
static bool is_due(const struct survey *s)
{
    if (s->verdict != 0 || s->whole || weft_sweep_verdict(s->sweep) != 0)
        return false;
    if (weft_sweep_done(s->sweep))
        return true;
    return weft_sweep_waits(s->sweep) &&
           (!s->counters || (s->news && weft_counters_done(s->counters)));
}

static void counters_look(struct survey *s)
{
    struct weft_counters_config config = s->config;

    s->news = false;
    s->whole = weft_sweep_done(s->sweep);
    config.wanted = s->choose ? s->choose(s->chooser, s->sweep) : NULL;
    if (s->choose && !config.wanted)
        s->verdict = WEFT_ERR_NOMEM;
    else if (s->counters)
        s->verdict = weft_counters_grow(s->counters, config.wanted, s->known);
    else
        s->verdict = weft_counters_new(s->sweep, &config, s->known, s->agent, NULL, &s->counters);
}

bool survey_poll(struct survey *s, struct weft_mad_send_req *ret)
{
    if (weft_sweep_poll(s->sweep, ret))
        return true;
    if (is_due(s))
        counters_look(s);
    return s->counters && weft_counters_poll(s->counters, ret);
}

void survey_event(struct survey *s, const struct weft_mad_event *ev)
{
    weft_sweep_event(s->sweep, ev);
    if (s->counters)
        weft_counters_event(s->counters, ev);
    s->news |= ev->type == WEFT_MAD_EVENT_RECV && ev->agent.v != s->agent.v;
}

bool survey_done(const struct survey *s)
{
    return weft_sweep_done(s->sweep) && !is_due(s) &&
           (!s->counters || weft_counters_done(s->counters));
}
