/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a machine of src/client does, by the name of the machine. */
#include "cli/mad_machines.h"

static bool poll_sweep(void *self, struct weft_mad_send_req *ret)
{
    return weft_sweep_poll(self, ret);
}

static void tell_sweep(void *self, const struct weft_mad_event *ev)
{
    weft_sweep_event(self, ev);
}

static bool is_sweep_done(const void *self)
{
    return weft_sweep_done(self);
}

static bool poll_counters(void *self, struct weft_mad_send_req *ret)
{
    return weft_counters_poll(self, ret);
}

static void tell_counters(void *self, const struct weft_mad_event *ev)
{
    weft_counters_event(self, ev);
}

static bool are_counters_done(const void *self)
{
    return weft_counters_done(self);
}

static bool poll_survey(void *self, struct weft_mad_send_req *ret)
{
    return survey_poll(self, ret);
}

static void tell_survey(void *self, const struct weft_mad_event *ev)
{
    survey_event(self, ev);
}

static bool is_survey_done(const void *self)
{
    return survey_done(self);
}

struct mad_machine mad_machine_sweep(struct weft_sweep *s)
{
    return (struct mad_machine){s, poll_sweep, tell_sweep, is_sweep_done};
}

struct mad_machine mad_machine_counters(struct weft_counters *c)
{
    return (struct mad_machine){c, poll_counters, tell_counters, are_counters_done};
}

struct mad_machine mad_machine_survey(struct survey *s)
{
    return (struct mad_machine){s, poll_survey, tell_survey, is_survey_done};
}
