/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sweep, and the counters of those ports that are wanted, side by side. */
#include "cli/counters_look.h"

#include "cli/mad_machines.h"
#include "cli/mad_sweep.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <stdlib.h>

/* As many as a sweep and counters may have under way side by side, with those that are late: 512
 * and 1024 by their defaults. */
#define SENDS 2048

int counters_eye_open(const struct counters_request *r, struct counters_eye *ret)
{
    const struct weft_mad_agent_req gmp = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct weft_mad_config config;
    int exit_code;

    /* The windows are those of the machines alone. */
    (void)weft_mad_config_init(&config);
    config.flow.agent_limits = false;
    config.sends = SENDS;
    exit_code = mad_place_open(r->place, &config, &ret->link);
    if (exit_code == CLI_DONE)
        exit_code = mad_place_pkey(&ret->link, &ret->pkey_index);
    if (exit_code == CLI_DONE)
        exit_code = mad_place_agent(&ret->link, &mad_sweep_agent, &ret->smp);
    if (exit_code == CLI_DONE)
        exit_code = mad_place_agent(&ret->link, &gmp, &ret->gmp);
    return exit_code;
}

void counters_eye_close(struct counters_eye *e)
{
    mad_link_close(&e->link);
}

void counters_eye_configure(struct counters_eye *e, struct weft_counters_config *ret)
{
    (void)mad_link_look(&e->link);
    (void)mad_link_default_pkey(&e->link, &e->pkey_index);
    ret->pkey_index = e->pkey_index;
    ret->pkeys = e->link.pkeys;
}

/* A sweep; of a fabric that was seen before only what may have changed is asked. */
static int sweep_begin(const struct counters_request *r, const struct counters_eye *e,
                       const struct counters_look *before, struct weft_sweep_prior **prior,
                       struct weft_sweep **ret)
{
    struct weft_sweep_config config;
    int err = before ? weft_sweep_remember(before->sweep, NULL, prior) : 0;

    (void)weft_sweep_config_init(&config);
    if (r->timeout != 0)
        config.timeout = r->timeout;
    if (r->window != 0 && r->window < config.window)
        config.window = (uint32_t)r->window;
    if (err)
        return message_failed("what was seen before cannot be kept: %s", weft_strerror(err));
    return mad_sweep_new(&config, e->smp, *prior, ret);
}

static void counters_configure(const struct counters_request *r, struct weft_counters_config *ret)
{
    struct weft_counters_patience *p = &ret->patience;

    (void)weft_counters_config_init(ret);
    if (r->timeout != 0)
        p->timeout = r->timeout;
    if (p->first > p->timeout / 2)
        p->first = p->timeout / 2;
    if (r->window != 0) {
        p->window_max = (uint32_t)r->window;
        if (p->window_first > p->window_max)
            p->window_first = p->window_max;
    }
    if (!r->all && !r->reset && r->watch == 0)
        ret->limits = r->thresholds.above;
}

/* What is chosen while the sweep goes on. */
struct choice {
    const struct counters_request *request;
    bool **wanted;
    bool any;
};

static const bool *choose(void *self, const struct weft_sweep *s)
{
    struct choice *c = self;

    return counters_select(c->request, s, c->wanted, &c->any) ? *c->wanted : NULL;
}

/* How a survey went that was driven to its end. */
static int survey_end(const struct counters_eye *e, const struct survey *s, const struct choice *c)
{
    int err;

    if (mad_sweep_verdict(&e->link, s->sweep) != CLI_DONE)
        return CLI_FAILED;
    if (!s->counters)
        return message_failed("the counters cannot be read: %s", weft_strerror(s->verdict));
    if (!c->any)
        return counters_select_nobody(c->request, s->sweep);
    err = s->verdict ? s->verdict : weft_counters_verdict(s->counters);
    if (err)
        return message_failed("the counters cannot be read to their end: %s", weft_strerror(err));
    return CLI_DONE;
}

int counters_look(const struct counters_request *r, struct counters_eye *e,
                  const struct counters_look *known, struct counters_look *ret)
{
    struct choice choice = {.request = r, .wanted = &ret->wanted};
    struct survey survey = {.known = known ? known->counters : NULL,
                            .agent = e->gmp,
                            .choose = choose,
                            .chooser = &choice};
    const struct mad_machine machine = mad_machine_survey(&survey);
    struct weft_sweep_prior *prior = NULL;
    int exit_code = sweep_begin(r, e, known, &prior, &ret->sweep);

    survey.sweep = ret->sweep;
    counters_configure(r, &survey.config);
    counters_eye_configure(e, &survey.config);
    if (exit_code == CLI_DONE)
        exit_code = mad_drive(&e->link, &machine);
    (void)weft_sweep_prior_free(prior);
    ret->counters = survey.counters;
    if (exit_code == CLI_DONE)
        exit_code = survey_end(e, &survey, &choice);
    ret->at = e->link.now;
    return exit_code;
}

int counters_look_reset(struct counters_eye *e, struct counters_look *l)
{
    const struct mad_machine machine = mad_machine_counters(l->counters);
    int err = weft_counters_reset(l->counters);
    int exit_code;

    if (err)
        return message_failed("the counters cannot be reset: %s", weft_strerror(err));
    exit_code = mad_drive(&e->link, &machine);
    if (exit_code == CLI_DONE && weft_counters_verdict(l->counters) != 0)
        exit_code = message_failed("the counters cannot be reset to their end: %s",
                                   weft_strerror(weft_counters_verdict(l->counters)));
    return exit_code;
}

void counters_look_free(struct counters_look *l)
{
    l->counters = weft_counters_free(l->counters);
    l->sweep = weft_sweep_free(l->sweep);
    free(l->wanted);
    l->wanted = NULL;
}
