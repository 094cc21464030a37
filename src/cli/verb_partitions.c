/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft partitions`: who is to be in which partition, and what is wrong with that. */
#include "cli/options.h"
#include "cli/partitions_action.h"
#include "cli/verb.h"
#include "core/base/suggest.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTION_JSON = 1,
    OPTION_ALLOW_BOTH,
    OPTION_SYSFS
};

/* A subcommand, and which of the options it has. */
struct action {
    const char *name;
    int (*run)(const struct partitions_request *request);
    bool takes_file;
    bool takes_sysfs;
};

static const struct action actions[] = {
    {"lint", partitions_action_lint, .takes_file = true},
    {"vf", partitions_action_vf, .takes_sysfs = true},
};

static const struct poptOption option_table[] = {
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    {"allow-both-pkeys", '\0', POPT_ARG_NONE, NULL, OPTION_ALLOW_BOTH,
     "OpenSM runs with allow_both_pkeys (lint)", NULL},
    {"sysfs", '\0', POPT_ARG_STRING, NULL, OPTION_SYSFS, "look there instead of in /sys (vf)",
     "FOLDER"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "partitions",
    .arguments = "[OPTION...] lint [FILE] | vf",
    .text =
        "  lint      says what OpenSM makes of a partitions.conf and what is wrong with it; exit\n"
        "            status 1 if anything is\n"
        "  vf        shows which P_Keys each function of this host's SR-IOV devices has; exit\n"
        "            status 1 if something is wrong\n"
        "\n"
        "FILE is /etc/opensm/partitions.conf when not given, - for standard input.\n",
    .table = option_table,
};

static const struct action *find_action(struct options *o)
{
    const char *word = options_argument(o);
    struct suggest near;

    if (!word) {
        options_refuse(o, "what should it do? lint or vf is missing");
        return NULL;
    }
    suggest_start(&near, word);
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (strcmp(actions[i].name, word) == 0)
            return &actions[i];
        suggest_offer(&near, actions[i].name);
    }
    if (suggest_best(&near))
        options_refuse(o, "partitions cannot \"%s\"; did you mean \"%s\"?", word,
                       suggest_best(&near));
    else
        options_refuse(o, "partitions cannot \"%s\"; it can lint and vf", word);
    return NULL;
}

static void check_request(struct options *o, const struct action *action,
                          struct partitions_request *request)
{
    if (request->allow_both && !action->takes_file)
        options_refuse(o, "partitions %s has no --allow-both-pkeys; lint has", action->name);
    else if (request->sysfs && !action->takes_sysfs)
        options_refuse(o, "partitions %s has no --sysfs; vf has", action->name);
    if (options_stopped(o))
        return;
    if (action->takes_file)
        request->file = options_argument(o);
    options_no_more_arguments(o);
}

int verb_partitions(int argc, const char **argv)
{
    struct partitions_request request = {0};
    const struct action *action = NULL;
    char *sysfs = NULL;
    struct options o;
    int option;
    int exit_code;

    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0) {
        request.json = request.json || option == OPTION_JSON;
        request.allow_both = request.allow_both || option == OPTION_ALLOW_BOTH;
        if (option == OPTION_SYSFS) {
            free(sysfs);
            sysfs = strdup(options_text(&o));
        }
    }
    request.sysfs = sysfs;
    if (!options_stopped(&o))
        action = find_action(&o);
    if (action)
        check_request(&o, action, &request);
    if (!action || options_stopped(&o)) {
        free(sysfs);
        return options_done(&o);
    }
    exit_code = action->run(&request);
    free(sysfs);
    (void)options_done(&o);
    return exit_code;
}
