/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A storm as a table: what was assumed above it, what came out in it. */
#include "cli/message.h"
#include "cli/printable.h"
#include "cli/quantity.h"
#include "cli/storm_params.h"
#include "cli/storm_show.h"
#include "cli/storm_verdict.h"
#include "cli/table.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_LENGTH 96

static const struct table_column columns[] = {
    {"policy", false},    {"resolved", true},   {"failed", true},   {"all resolved", true},
    {"p50", true},        {"p99", true},        {"max", true},      {"MADs sent", true},
    {"duplicates", true}, {"BUSY", true},       {"SA drops", true}, {"client drops", true},
    {"stale work", true}, {"peak queue", true}, {NULL, false},
};

static void duration_cell(struct table *t, weft_time duration_ns)
{
    char text[QUANTITY_TEXT_BYTES];

    if (duration_ns == WEFT_TIME_NEVER) {
        table_cell(t, "-");
        return;
    }
    quantity_print_duration(duration_ns, text);
    table_cell(t, "%s", text);
}

static void add_row(struct table *t, const struct storm_outcome *o)
{
    const struct storm_result *r = &o->result;

    table_row(t);
    table_cell(t, "%s", o->name);
    table_cell(t, "%" PRIu32, r->clients.clients_resolved);
    table_cell(t, "%" PRIu32, r->clients.clients_failed);
    duration_cell(t, r->clients.clients_failed > 0 ? WEFT_TIME_NEVER : r->end);
    duration_cell(t, r->p50);
    duration_cell(t, r->p99);
    duration_cell(t, r->max);
    table_cell(t, "%" PRIu64, r->clients.requests);
    table_cell(t, "%" PRIu64, r->duplicates);
    table_cell(t, "%" PRIu64, r->busy);
    table_cell(t, "%" PRIu64, r->sa_dropped);
    table_cell(t, "%" PRIu64, r->clients.recv_dropped);
    table_cell(t, "%" PRIu64, r->stale);
    table_cell(t, "%" PRIu32, r->queue_peak);
}

/* All numbers of the scenario as they could be given to --set, in lines of bearable length. */
static void print_parameters(const struct storm_job *job)
{
    size_t used = 0;

    for (const struct storm_field *f = storm_scenario_fields; f->key; f++) {
        char value[STORM_VALUE_BYTES];
        size_t length;

        storm_params_show(f, &job->scenario, value);
        length = strlen(f->key) + strlen(value) + 2;
        if (used + length > LINE_LENGTH) {
            printf("\n");
            used = 0;
        }
        used += (size_t)printf("%s%s=%s", used > 0 ? " " : "  ", f->key, value);
    }
    printf("\n");
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void print_header(const struct storm_job *job)
{
    uint64_t queries = storm_scenario_queries(&job->scenario);
    char least[QUANTITY_TEXT_BYTES];
    char topology[PRINTABLE_PATH_BYTES];
    char host[4 * sizeof(job->sa_host)];

    quantity_print_duration(storm_job_least_time(job), least);
    printf("scenario %s, seed %" PRIu64 "\n", job->scenario_name, job->seed);
    printf("topology %s: %" PRIu32 " host%s, %" PRIu32 " switches; %" PRIu32
           " client%s, %u to %u links from the SA on %s\n",
           printable(job->topology, topology, sizeof(topology)), job->hosts, plural(job->hosts),
           job->switches, job->clients, plural(job->clients), job->hops_min, job->hops_max,
           printable(job->sa_host, host, sizeof(host)));
    print_parameters(job);
    printf("%" PRIu64 " queries at %" PRIu64 " per second keep the SA busy for %s at least\n\n",
           queries * job->clients, job->scenario.sa_rate, least);
}

/* Clients cut off are no news of their policy: the column of the failed does not say which is
 * which.
 */
static void print_cut(const struct storm_job *job)
{
    char duration[QUANTITY_TEXT_BYTES];
    const char *separator = "";

    if (!storm_verdict_cut(job))
        return;
    quantity_print_duration(job->scenario.duration_ns, duration);
    printf("\nended after %s with clients that still waited, counted as failed: ", duration);
    for (size_t i = 0; i < job->outcome_count; i++) {
        if (!job->outcomes[i].result.cut)
            continue;
        printf("%s%" PRIu32 " of %s", separator, job->outcomes[i].result.waiting,
               job->outcomes[i].name);
        separator = ", ";
    }
    printf("\n");
}

int storm_table_print(const struct storm_job *job)
{
    struct table *t = table_new(columns);
    int exit_code;

    if (!t)
        return message_failed("no memory for the table");
    for (size_t i = 0; i < job->outcome_count; i++)
        add_row(t, &job->outcomes[i]);
    print_header(job);
    exit_code = table_print(t);
    if (exit_code == CLI_DONE)
        print_cut(job);
    table_free(t);
    return exit_code;
}

static void print_fields(const struct storm_field *table, const void *of)
{
    for (const struct storm_field *f = table; f->key; f++) {
        char value[STORM_VALUE_BYTES];

        storm_params_show(f, of, value);
        printf("  %-15s %-9s %s\n", f->key, value, f->help);
    }
}

void storm_list_print(void)
{
    struct storm_scenario scenario;
    struct storm_policy policy;

    printf("Scenarios (--scenario NAME):\n");
    for (const struct storm_preset *p = storm_presets; p->name; p++)
        printf("  %-15s %s\n", p->name, p->help);
    storm_scenario_preset(storm_presets[0].name, &scenario);
    printf("\nNumbers of a scenario (--set key=value), with their values in %s:\n",
           storm_presets[0].name);
    print_fields(storm_scenario_fields, &scenario);
    printf("\nPolicies (--policy NAME[,key=value...]):\n");
    for (const struct storm_policy_name *p = storm_policy_names; p->name; p++)
        printf("  %-15s %s\n", p->name, p->help);
    storm_policy_named("fixed", &policy);
    printf("\nNumbers of a policy, with their values in fixed:\n");
    print_fields(storm_policy_fields, &policy);
}
