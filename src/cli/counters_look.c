/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two machines, one after the other: the sweep, and the counters of what it has found. */
#include "cli/counters_look.h"

#include "cli/mad_machines.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <stdlib.h>

/* As many as a sweep and counters may have under way side by side, with those that are late: 512
 * and 1024 by their defaults. */
#define SENDS 2048

int counters_eye_open(const struct counters_request *r, struct counters_eye *ret)
{
    const struct weft_mad_agent_req smp = {
        .qpn = WEFT_QP_SMI, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED, .class_version = 1};
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
        exit_code = mad_place_agent(&ret->link, &smp, &ret->smp);
    if (exit_code == CLI_DONE)
        exit_code = mad_place_agent(&ret->link, &gmp, &ret->gmp);
    return exit_code;
}

void counters_eye_close(struct counters_eye *e)
{
    mad_link_close(&e->link);
}

/* Sweeps; of a fabric that was seen before only what may have changed is asked. */
static int look_around(const struct counters_request *r, struct counters_eye *e,
                       const struct counters_look *before, struct counters_look *l)
{
    struct weft_sweep_prior *prior = NULL;
    struct weft_sweep_config config;
    struct mad_machine machine;
    int exit_code;
    int err = before ? weft_sweep_remember(before->sweep, NULL, &prior) : 0;

    (void)weft_sweep_config_init(&config);
    if (r->timeout != 0)
        config.timeout = r->timeout;
    if (r->window != 0 && r->window < config.window)
        config.window = (uint32_t)r->window;
    if (!err)
        err = weft_sweep_new(&config, e->smp, NULL, &l->sweep);
    if (err) {
        (void)weft_sweep_prior_free(prior);
        return message_failed("the fabric cannot be swept: %s", weft_strerror(err));
    }
    if (prior)
        weft_sweep_expect(l->sweep, prior);
    machine = mad_machine_sweep(l->sweep);
    exit_code = mad_drive(&e->link, &machine);
    (void)weft_sweep_prior_free(prior);
    if (exit_code != CLI_DONE)
        return exit_code;
    err = weft_sweep_verdict(l->sweep);
    if (err == WEFT_ERR_NOTFOUND)
        return message_failed("the node that this looks from, %s, does not answer itself",
                              e->link.where);
    if (err)
        return message_failed("the fabric cannot be swept to its end: %s", weft_strerror(err));
    return CLI_DONE;
}

static int drive_counters(struct counters_eye *e, struct counters_look *l)
{
    const struct mad_machine machine = mad_machine_counters(l->counters);
    int exit_code = mad_drive(&e->link, &machine);

    if (exit_code == CLI_DONE && weft_counters_verdict(l->counters) != 0)
        exit_code = message_failed("the counters cannot be read to their end: %s",
                                   weft_strerror(weft_counters_verdict(l->counters)));
    return exit_code;
}

int counters_look(const struct counters_request *r, struct counters_eye *e,
                  const struct counters_look *known, struct counters_look *ret)
{
    struct weft_counters_config config;
    int exit_code = look_around(r, e, known, ret);
    int err;

    if (exit_code == CLI_DONE)
        exit_code = counters_select(r, ret->sweep, &ret->wanted);
    if (exit_code != CLI_DONE)
        return exit_code;
    (void)weft_counters_config_init(&config);
    config.wanted = ret->wanted;
    if (r->timeout != 0)
        config.patience.timeout = r->timeout;
    if (config.patience.first > config.patience.timeout / 2)
        config.patience.first = config.patience.timeout / 2;
    if (r->window != 0) {
        config.patience.window_max = (uint32_t)r->window;
        if (config.patience.window_first > config.patience.window_max)
            config.patience.window_first = config.patience.window_max;
    }
    if (!r->all && !r->reset && r->watch == 0)
        config.limits = r->thresholds.above;
    err = weft_counters_new(ret->sweep, &config, known ? known->counters : NULL, e->gmp, NULL,
                            &ret->counters);
    if (err)
        return message_failed("the counters cannot be read: %s", weft_strerror(err));
    exit_code = drive_counters(e, ret);
    ret->at = e->link.now;
    return exit_code;
}

int counters_look_reset(struct counters_eye *e, struct counters_look *l)
{
    int err = weft_counters_reset(l->counters);

    if (err)
        return message_failed("the counters cannot be reset: %s", weft_strerror(err));
    return drive_counters(e, l);
}

void counters_look_free(struct counters_look *l)
{
    l->counters = weft_counters_free(l->counters);
    l->sweep = weft_sweep_free(l->sweep);
    free(l->wanted);
    l->wanted = NULL;
}
