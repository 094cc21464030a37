/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft topology diff` against the fabric as it is now. */
#include "cli/mad_machines.h"
#include "cli/mad_sweep.h"
#include "cli/message.h"
#include "cli/sweep_topo.h"
#include "cli/topology_action.h"
#include "cli/verb.h"

static bool has_trouble(const struct weft_sweep *s)
{
    const struct weft_sweep_trouble *t;

    for (uint32_t i = 0; weft_sweep_trouble(s, i, &t); i++)
        if (weft_sweep_trouble_stands(s, t))
            return true;
    return false;
}

/* What did not answer is missing from the topology: a difference that may be none. */
static int judge(const struct mad_link *l, const struct weft_sweep *s)
{
    int exit_code = mad_sweep_verdict(l, s);

    if (exit_code == CLI_DONE && has_trouble(s)) {
        message("not everybody answered: what seems gone may be silent; weft discover says who");
        exit_code = CLI_PART;
    }
    return exit_code;
}

int topology_sweep(const struct mad_place *place, struct topo **ret)
{
    struct mad_link link = {.engine = NULL};
    struct weft_sweep *sweep = NULL;
    struct mad_machine machine;
    weft_mad_agent_id agent;
    int exit_code = mad_sweep_open(place, &link, &agent);

    if (exit_code == CLI_DONE)
        exit_code = mad_sweep_new(NULL, agent, NULL, &sweep);
    if (exit_code == CLI_DONE) {
        machine = mad_machine_sweep(sweep);
        exit_code = mad_drive(&link, &machine);
    }
    if (exit_code == CLI_DONE)
        exit_code = judge(&link, sweep);
    if (exit_code != CLI_FAILED && sweep_topo(sweep, ret) != 0)
        exit_code = message_failed("no memory for the topology");
    if (link.engine)
        mad_link_close(&link);
    (void)weft_sweep_free(sweep);
    return exit_code;
}
