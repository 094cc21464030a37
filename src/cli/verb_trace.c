/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft trace`: what captured traffic says. */
#include "cli/options.h"
#include "cli/trace_action.h"
#include "cli/verb.h"

enum {
    OPTION_JSON = 1,
    OPTION_PAYLOAD,
    OPTION_PORT
};

/* A subcommand. */
struct action {
    const char *name;
    int (*run)(const struct trace_request *request);
};

static const struct action actions[] = {
    {"decode", trace_action_decode},
    {.name = NULL},
};

static const struct poptOption option_table[] = {
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    {"payload", '\0', POPT_ARG_NONE, NULL, OPTION_PAYLOAD, "show payload and private data, too",
     NULL},
    {"port", '\0', POPT_ARG_STRING, NULL, OPTION_PORT,
     "connections of this TCP port only, and all of them", "N"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "trace",
    .arguments = "[OPTION...] decode FILE",
    .text = "  decode    shows the iWARP connections of a capture file, frame by frame, and\n"
            "            explains what is wrong with them; exit status 1 if anything is\n"
            "\n"
            "FILE is what tcpdump, tshark or qemu has written (pcap or pcapng), - for\n"
            "standard input.\n",
    .table = option_table,
};

int verb_trace(int argc, const char **argv)
{
    struct trace_request request = {0};
    const struct action *action = NULL;
    uint64_t port = 0;
    struct options o;
    int option, exit_code;

    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0) {
        request.json = request.json || option == OPTION_JSON;
        request.payload = request.payload || option == OPTION_PAYLOAD;
        if (option == OPTION_PORT)
            options_count(&o, 1, UINT16_MAX, &port);
    }
    request.port = (uint16_t)port;
    if (!options_stopped(&o))
        action = options_action(&o, actions, sizeof(actions[0]));
    if (action) {
        request.file = options_argument(&o);
        if (!request.file)
            options_refuse(&o, "%s what? The capture file is missing", action->name);
        else
            options_no_more_arguments(&o);
    }
    if (!action || options_stopped(&o))
        return options_done(&o);
    exit_code = action->run(&request);
    (void)options_done(&o);
    return exit_code;
}
