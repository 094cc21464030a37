/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft topology diff` against the fabric as it is now. */
#include "cli/mad_machines.h"
#include "cli/message.h"
#include "cli/sweep_topo.h"
#include "cli/topology_action.h"
#include "cli/verb.h"

static int drive(struct mad_link *l, struct weft_sweep **ret)
{
    const struct weft_mad_agent_req agent = {
        .qpn = WEFT_QP_SMI, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED, .class_version = 1};
    struct weft_sweep_config c;
    struct mad_machine machine;
    weft_mad_agent_id id;
    int exit_code = mad_place_agent(l, &agent, &id);
    int err;

    if (exit_code != CLI_DONE)
        return exit_code;
    (void)weft_sweep_config_init(&c);
    err = weft_sweep_new(&c, id, NULL, ret);
    if (err)
        return message_failed("the fabric cannot be swept: %s", weft_strerror(err));
    machine = mad_machine_sweep(*ret);
    return mad_drive(l, &machine);
}

static bool has_trouble(const struct weft_sweep *s)
{
    const struct weft_sweep_trouble *t;

    for (uint32_t i = 0; weft_sweep_trouble(s, i, &t); i++)
        if (weft_sweep_trouble_stands(s, t))
            return true;
    return false;
}

/* What did not answer is missing from the topology: a difference that may be none. */
static int judge(const struct weft_sweep *s)
{
    int err = weft_sweep_verdict(s);
    bool trouble = has_trouble(s);

    if (err == WEFT_ERR_NOTFOUND) {
        message("the node that this looks from does not answer itself");
        message_try("--node NAME or --ca NAME with one that lives");
        return CLI_FAILED;
    }
    if (err)
        message("the fabric cannot be swept to its end: %s", weft_strerror(err));
    else if (trouble)
        message("not everybody answered: what seems gone may be silent; weft discover says who");
    return err || trouble ? CLI_PART : CLI_DONE;
}

int topology_sweep(const struct mad_place *place, struct topo **ret)
{
    struct mad_link link = {.engine = NULL};
    struct weft_mad_config config;
    struct weft_sweep *sweep = NULL;
    int exit_code;

    /* The window is the asker's alone. */
    (void)weft_mad_config_init(&config);
    config.flow.agent_limits = false;
    exit_code = mad_place_open(place, &config, &link);
    if (exit_code == CLI_DONE)
        exit_code = drive(&link, &sweep);
    if (exit_code == CLI_DONE)
        exit_code = judge(sweep);
    if (exit_code != CLI_FAILED && sweep_topo(sweep, ret) != 0)
        exit_code = message_failed("no memory for the topology");
    if (link.engine)
        mad_link_close(&link);
    (void)weft_sweep_free(sweep);
    return exit_code;
}
