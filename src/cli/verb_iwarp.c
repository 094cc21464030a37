/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp`: RDMA over TCP, to be tried, tested and measured. */
#include "cli/iwarp_action.h"
#include "cli/verb.h"

static int run_action(const struct iwarp_request *r)
{
    switch (r->action) {
    case IWARP_LISTEN:
    case IWARP_CONNECT:
        return iwarp_stream(r);
    case IWARP_PING:
        if (r->loopback)
            return iwarp_loopback(r, iwarp_ping_server, iwarp_ping_client);
        return r->server ? iwarp_ping_server(r) : iwarp_ping_client(r);
    case IWARP_PERF:
        return iwarp_perf(r);
    case IWARP_ACTIONS:
    default:
        return CLI_USAGE;
    }
}

int verb_iwarp(int argc, const char **argv)
{
    struct iwarp_request request;
    struct options o;
    bool stopped;
    int exit_code;

    options_start(&o, &iwarp_about, argc, argv);
    iwarp_request_parse(&o, &request);
    stopped = options_stopped(&o);
    exit_code = options_done(&o);
    return stopped ? exit_code : run_action(&request);
}
