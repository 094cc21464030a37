/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sweep that several verbs begin with. */
#include "cli/mad_sweep.h"

#include "cli/message.h"
#include "cli/verb.h"

const struct weft_mad_agent_req mad_sweep_agent = {
    .qpn = WEFT_QP_SMI, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED, .class_version = 1};

int mad_sweep_open(const struct mad_place *p, struct mad_link *ret, weft_mad_agent_id *agent)
{
    struct weft_mad_config config;
    int exit_code;

    /* The window is the asker's alone. */
    (void)weft_mad_config_init(&config);
    config.flow.agent_limits = false;
    exit_code = mad_place_open(p, &config, ret);
    return exit_code == CLI_DONE ? mad_place_agent(ret, &mad_sweep_agent, agent) : exit_code;
}

int mad_sweep_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
                  const struct weft_sweep_prior *known, struct weft_sweep **ret)
{
    int err = weft_sweep_new(c, agent, NULL, ret);

    if (err)
        return message_failed("the fabric cannot be swept: %s", weft_strerror(err));
    if (known)
        weft_sweep_expect(*ret, known);
    return CLI_DONE;
}

int mad_sweep_verdict(const struct mad_link *l, const struct weft_sweep *s)
{
    int err = weft_sweep_verdict(s);

    if (err == WEFT_ERR_NOTFOUND) {
        message("the node that this looks from, %s, does not answer itself", l->where);
        message_try(l->on_hca ? "--ca NAME with one that lives"
                              : "--node NAME with one that lives; weft fabric ctl nodes lists "
                                "them");
        return CLI_FAILED;
    }
    if (err)
        message("the fabric cannot be swept to its end: %s", weft_strerror(err));
    return err ? CLI_PART : CLI_DONE;
}
