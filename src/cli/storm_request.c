/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of weft storm. */
#include "cli/storm_request.h"

#include "cli/options.h"
#include "cli/storm_params.h"
#include "cli/whole_file.h"
#include "core/base/suggest.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOPOLOGY "fat-tree:hosts=324,radix=36"

enum option {
    OPTION_TOPOLOGY = 1,
    OPTION_SA_HOST,
    OPTION_CLIENTS,
    OPTION_SCENARIO,
    OPTION_SET,
    OPTION_POLICY,
    OPTION_SA_RATE,
    OPTION_SA_QUEUE,
    OPTION_SA_OVERLOAD,
    OPTION_LOSS,
    OPTION_DURATION,
    OPTION_SEED,
    OPTION_REPORT,
    OPTION_TRACE,
    OPTION_PCAP,
    OPTION_JSON,
    OPTION_LIST
};

static const struct poptOption table[] = {
    {"topology", '\0', POPT_ARG_STRING, NULL, OPTION_TOPOLOGY,
     "the fabric (default " DEFAULT_TOPOLOGY ")", "FILE|GEN"},
    {"clients", '\0', POPT_ARG_STRING, NULL, OPTION_CLIENTS,
     "number of clients (default one a host)", "N"},
    {"scenario", '\0', POPT_ARG_STRING, NULL, OPTION_SCENARIO,
     "what happens (default ipoib-boot; --list shows all)", "NAME"},
    {"policy", '\0', POPT_ARG_STRING, NULL, OPTION_POLICY,
     "how clients ask (repeatable; default all that --list shows)", "NAME[,k=v...]"},
    {"sa-host", '\0', POPT_ARG_STRING, NULL, OPTION_SA_HOST,
     "where the SA is (default: the first host of the largest part)", "GUID|NAME"},
    {"sa-rate", '\0', POPT_ARG_STRING, NULL, OPTION_SA_RATE, "answers of the SA per second", "N"},
    {"sa-queue", '\0', POPT_ARG_STRING, NULL, OPTION_SA_QUEUE, "receive buffers of the SA", "N"},
    {"sa-overload", '\0', POPT_ARG_STRING, NULL, OPTION_SA_OVERLOAD,
     "what it does with too many requests", "drop|busy|stale"},
    {"loss", '\0', POPT_ARG_STRING, NULL, OPTION_LOSS, "share of MADs lost in either direction",
     "P"},
    {"duration", '\0', POPT_ARG_STRING, NULL, OPTION_DURATION, "end after this much virtual time",
     "TIME"},
    {"set", '\0', POPT_ARG_STRING, NULL, OPTION_SET, "change a number of the scenario (repeatable)",
     "KEY=VALUE"},
    {"seed", '\0', POPT_ARG_STRING, NULL, OPTION_SEED, "seed of all chance (default 1)", "N"},
    {"report", '\0', POPT_ARG_STRING, NULL, OPTION_REPORT, "write a page with curves over time",
     "FILE.html"},
    {"trace", '\0', POPT_ARG_STRING, NULL, OPTION_TRACE,
     "write what every engine did (one policy only)", "FILE"},
    {"pcap", '\0', POPT_ARG_STRING, NULL, OPTION_PCAP,
     "write all packets for Wireshark (one policy only)", "FILE"},
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print JSON instead of a table", NULL},
    {"list", '\0', POPT_ARG_NONE, NULL, OPTION_LIST, "show scenarios, policies and their numbers",
     NULL},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "storm",
    .arguments = "[OPTION...]",
    .text = "Lets many clients ask one subnet administrator at the same time, in virtual\n"
            "time, once for each policy, and compares: who has all answers when, and at\n"
            "what cost.\n"
            "The same seed gives the same result everywhere.\n",
    .table = table,
};

static void add_override(struct options *o, struct storm_request *r, const char *key)
{
    if (r->override_count == STORM_OVERRIDES_MAX) {
        options_refuse(o, "more than %d numbers are set: say each once", STORM_OVERRIDES_MAX);
        return;
    }
    r->overrides[r->override_count].key = key;
    options_keep(o, NULL, &r->overrides[r->override_count].text);
    if (!options_stopped(o))
        r->override_count++;
}

static void add_policy(struct options *o, struct storm_job *job, const char *text)
{
    struct storm_outcome *outcome;
    char why[STORM_WHY_BYTES];

    if (job->outcome_count == STORM_POLICIES_MAX) {
        options_refuse(o, "more than %d policies: compare them in several runs",
                       STORM_POLICIES_MAX);
        return;
    }
    outcome = &job->outcomes[job->outcome_count];
    if (!storm_params_policy(text, &outcome->policy, why)) {
        options_refuse(o, "--policy \"%.64s\": %s", text, why);
        return;
    }
    outcome->name = strdup(text);
    if (!outcome->name)
        options_refuse(o, "no memory for the command line");
    else
        job->outcome_count++;
}

static void take_option(struct options *o, struct storm_request *r, struct storm_job *job,
                        int option)
{
    static const char *const keys[] = {
        [OPTION_SA_RATE] = "sa-rate",         [OPTION_SA_QUEUE] = "sa-queue",
        [OPTION_SA_OVERLOAD] = "sa-overload", [OPTION_LOSS] = "loss-request",
        [OPTION_DURATION] = "duration",
    };
    uint64_t clients = 0;
    uint32_t share;

    switch (option) {
    case OPTION_TOPOLOGY:
        options_keep(o, "a name", &r->topology);
        break;
    case OPTION_SA_HOST:
        options_keep(o, "a name", &r->sa_host);
        break;
    case OPTION_CLIENTS:
        options_count(o, 1, STORM_CLIENTS_MAX, &clients);
        job->clients = (uint32_t)clients;
        break;
    case OPTION_SCENARIO:
        options_keep(o, NULL, &r->scenario);
        break;
    case OPTION_SET:
        add_override(o, r, NULL);
        break;
    case OPTION_POLICY:
        add_policy(o, job, options_text(o));
        break;
    case OPTION_SEED:
        options_count(o, 0, INT64_MAX, &job->seed);
        break;
    case OPTION_REPORT:
        options_keep(o, "a name", &r->report);
        break;
    case OPTION_TRACE:
        options_keep(o, "a name", &r->trace);
        break;
    case OPTION_PCAP:
        options_keep(o, "a name", &r->pcap);
        break;
    case OPTION_JSON:
        r->json = true;
        break;
    case OPTION_LIST:
        r->list = true;
        break;
    case OPTION_LOSS:
        /* One option, two numbers: checked here, so that a message names the option. */
        options_share(o, &share);
        if (!options_stopped(o))
            add_override(o, r, "loss-response");
        if (!options_stopped(o))
            add_override(o, r, keys[option]);
        break;
    default:
        add_override(o, r, keys[option]);
        break;
    }
}

static void find_scenario(struct options *o, const struct storm_request *r, struct storm_job *job)
{
    const char *wanted = r->scenario ? r->scenario : storm_presets[0].name;
    char names[STORM_WHY_BYTES] = "";
    struct suggest near;

    suggest_start(&near, wanted);
    for (const struct storm_preset *p = storm_presets; p->name; p++) {
        if (strcmp(p->name, wanted) == 0)
            job->scenario_name = p->name;
        suggest_offer(&near, p->name);
        snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", p->name);
    }
    if (!job->scenario_name && suggest_best(&near))
        options_refuse(o, "--scenario \"%.64s\": did you mean %s? The scenarios are:%s", wanted,
                       suggest_best(&near), names);
    else if (!job->scenario_name)
        options_refuse(o, "--scenario \"%.64s\": the scenarios are:%s", wanted, names);
    else
        storm_scenario_preset(job->scenario_name, &job->scenario);
}

static void set_numbers(struct options *o, const struct storm_request *r, struct storm_job *job)
{
    char why[STORM_WHY_BYTES];
    const char *rule;

    for (size_t i = 0; i < r->override_count && !options_stopped(o); i++) {
        const char *key = r->overrides[i].key;
        const char *text = r->overrides[i].text;
        bool ok = key ? storm_params_set(storm_scenario_fields, &job->scenario, key, text, why)
                      : storm_params_assign(storm_scenario_fields, &job->scenario, text, why);

        if (!ok)
            options_refuse(o, "--%s \"%.64s\": %s", key ? key : "set", text, why);
    }
    if (!options_stopped(o) && storm_scenario_check(&job->scenario, &rule) != 0)
        options_refuse(o, "the scenario cannot be played: %s", rule);
}

/* Policies against the scenario they are to run in. */
static void check_policies(struct options *o, const struct storm_request *r, struct storm_job *job)
{
    struct weft_mad_config unused;

    if ((r->trace || r->pcap) && job->outcome_count != 1) {
        options_refuse(o, "--trace and --pcap show one policy: name it with one --policy");
        return;
    }
    if (job->outcome_count == 0)
        for (const struct storm_policy_name *p = storm_policy_names; p->name; p++)
            add_policy(o, job, p->name);
    for (size_t i = 0; i < job->outcome_count && !options_stopped(o); i++)
        if (storm_policy_config(&job->outcomes[i].policy, &job->scenario, &unused) != 0)
            options_refuse(o, "--policy \"%.64s\": reserve must be below recv-depth",
                           job->outcomes[i].name);
}

/* Each output would be lost in the next one, and the fabric in any. */
static void check_files(struct options *o, const struct storm_request *r)
{
    const struct {
        const char *option, *name;
    } files[] = {
        /* "-" is standard input */
        {"--topology", r->topology && strcmp(r->topology, "-") != 0 ? r->topology : NULL},
        {"--report", r->report},
        {"--trace", r->trace},
        {"--pcap", r->pcap},
    };
    const size_t count = sizeof(files) / sizeof(files[0]);

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && !options_stopped(o); j++)
            if (files[i].name && files[j].name && whole_file_same(files[i].name, files[j].name))
                options_refuse(o, "%s and %s are one file, \"%s\"; give each its own",
                               files[i].option, files[j].option, files[j].name);
}

int storm_request_parse(int argc, const char **argv, struct storm_request *r, struct storm_job *job)
{
    struct options o;
    int option;

    *r = (struct storm_request){0};
    *job = (struct storm_job){.seed = 1};
    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0)
        take_option(&o, r, job, option);
    options_no_more_arguments(&o);
    if (!options_stopped(&o) && r->list && r->json)
        options_refuse(&o, "--list is for people and has no JSON form; give one of the two");
    if (!options_stopped(&o) && !r->list) {
        find_scenario(&o, r, job);
        set_numbers(&o, r, job);
        check_policies(&o, r, job);
        check_files(&o, r);
    }
    job->topology = r->topology ? r->topology : DEFAULT_TOPOLOGY;
    job->sa_wanted = r->sa_host;
    r->stopped = options_stopped(&o);
    return options_done(&o);
}

void storm_request_free(struct storm_request *r, struct storm_job *job)
{
    for (size_t i = 0; i < r->override_count; i++)
        free(r->overrides[i].text);
    for (size_t i = 0; i < job->outcome_count; i++)
        free(job->outcomes[i].name);
    free(job->places);
    free(r->topology);
    free(r->sa_host);
    free(r->scenario);
    free(r->report);
    free(r->trace);
    free(r->pcap);
}
