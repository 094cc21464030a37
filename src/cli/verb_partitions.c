/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft partitions`: who is to be in which partition, and what is wrong with that. */
#include "cli/options.h"
#include "cli/partitions_action.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTION_JSON = 1,
    OPTION_ALLOW_BOTH,
    OPTION_SYSFS,
    OPTION_FROM,
    OPTION_TO,
    OPTION_TIMEOUT,
    OPTIONS
};

/* A subcommand. */
struct action {
    const char *name;
    int (*run)(const struct partitions_request *request);
    bool takes_file;
};

enum {
    ACTION_LINT,
    ACTION_MATRIX,
    ACTION_VF,
    ACTIONS
};

static const struct action actions[] = {
    [ACTION_LINT] = {"lint", partitions_action_lint, .takes_file = true},
    [ACTION_MATRIX] = {"matrix", partitions_action_matrix, .takes_file = false},
    [ACTION_VF] = {"vf", partitions_action_vf, .takes_file = false},
    [ACTIONS] = {.name = NULL},
};

/* The one that has an option which not all have, with its name. */
static const struct {
    const char *name;
    int action;
} owners[OPTIONS] = {
    [OPTION_ALLOW_BOTH] = {"allow-both-pkeys", ACTION_LINT},
    [OPTION_SYSFS] = {"sysfs", ACTION_VF},
    [OPTION_FROM] = {"from", ACTION_MATRIX},
    [OPTION_TO] = {"to", ACTION_MATRIX},
    [OPTION_TIMEOUT] = {"timeout", ACTION_MATRIX},
};

static const struct poptOption option_table[] = {
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    {"allow-both-pkeys", '\0', POPT_ARG_NONE, NULL, OPTION_ALLOW_BOTH,
     "OpenSM runs with allow_both_pkeys (lint)", NULL},
    {"sysfs", '\0', POPT_ARG_STRING, NULL, OPTION_SYSFS, "look there instead of in /sys (vf)",
     "FOLDER"},
    MAD_PLACE_OPTIONS,
    {"from", '\0', POPT_ARG_STRING, NULL, OPTION_FROM,
     "explain this port and that of --to only (matrix)", "NAME|GUID"},
    {"to", '\0', POPT_ARG_STRING, NULL, OPTION_TO, "see --from (matrix)", "NAME|GUID"},
    {"timeout", '\0', POPT_ARG_STRING, NULL, OPTION_TIMEOUT,
     "how long a node may leave requests unanswered (matrix; default 1s)", "TIME"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "partitions",
    .arguments = "[OPTION...] lint [FILE] | matrix | vf",
    .text = "  lint      says what OpenSM makes of a partitions.conf and what is wrong with\n"
            "            it; exit status 1 if anything is\n"
            "  matrix    reads all P_Key tables of the subnet at a port of this machine, or\n"
            "            of a fabric that weft fabric serves, and says who can talk to whom\n"
            "            on which key; exit status 1 if somebody does not answer, or if a\n"
            "            partition has limited members only\n"
            "  vf        shows which P_Keys each function of this host's SR-IOV devices has;\n"
            "            exit status 1 if something is wrong\n"
            "\n"
            "FILE is /etc/opensm/partitions.conf when not given, - for standard input.\n",
    .table = option_table,
};

static void parse(struct options *o, struct partitions_request *request, struct mad_place *place,
                  char **texts, bool given[OPTIONS])
{
    int option;

    while ((option = options_next(o)) != 0) {
        if (mad_place_take(place, o, option))
            continue;
        given[option] = true;
        if (option == OPTION_TIMEOUT)
            options_duration(o, 10 * WEFT_MS, 60 * WEFT_S, &request->timeout);
        else if (option != OPTION_JSON && option != OPTION_ALLOW_BOTH)
            options_keep(o, "a name", &texts[option]);
    }
    request->json = given[OPTION_JSON];
    request->allow_both = given[OPTION_ALLOW_BOTH];
    request->sysfs = texts[OPTION_SYSFS];
    request->from = texts[OPTION_FROM];
    request->to = texts[OPTION_TO];
}

static void check_request(struct options *o, const struct action *action, const bool *given,
                          struct partitions_request *request)
{
    for (int i = 1; i < OPTIONS && !options_stopped(o); i++)
        if (given[i] && owners[i].name && &actions[owners[i].action] != action)
            options_refuse(o, "partitions %s has no --%s; %s has", action->name, owners[i].name,
                           actions[owners[i].action].name);
    if (!options_stopped(o) && action != &actions[ACTION_MATRIX] && mad_place_given(request->place))
        options_refuse(o, "partitions %s has no --ca, --port, --fabric and --node; matrix has",
                       action->name);
    if (!options_stopped(o))
        mad_place_check(request->place, o);
    if (!options_stopped(o) && given[OPTION_FROM] != given[OPTION_TO])
        options_refuse(o, "--from and --to go together: which two ports are meant?");
    if (!options_stopped(o) && request->from && request->to &&
        strcmp(request->from, request->to) == 0)
        options_refuse(o, "--from and --to are both \"%s\": name two ports", request->from);
    if (options_stopped(o))
        return;
    if (action->takes_file)
        request->file = options_argument(o);
    options_no_more_arguments(o);
}

int verb_partitions(int argc, const char **argv)
{
    struct mad_place place = {0};
    struct partitions_request request = {.place = &place};
    const struct action *action = NULL;
    char *texts[OPTIONS] = {NULL};
    bool given[OPTIONS] = {false};
    struct options o;
    int exit_code = CLI_DONE;
    int parse_exit_code;
    bool stopped;

    options_start(&o, &about, argc, argv);
    parse(&o, &request, &place, texts, given);
    if (!options_stopped(&o))
        action = options_action(&o, actions, sizeof(actions[0]));
    if (action)
        check_request(&o, action, given, &request);
    stopped = !action || options_stopped(&o);
    if (!stopped)
        exit_code = action->run(&request);
    parse_exit_code = options_done(&o);
    for (int i = 0; i < OPTIONS; i++)
        free(texts[i]);
    mad_place_clear(&place);
    return stopped ? parse_exit_code : exit_code;
}
