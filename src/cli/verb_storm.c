/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* weft storm: client policies against an overloaded SA, side by side in virtual time. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "cli/storm_place.h"
#include "cli/storm_request.h"
#include "cli/storm_show.h"
#include "cli/storm_trace.h"
#include "cli/verb.h"
#include "cli/whole_file.h"
#include "pages/pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Steps between two looks at the progress bar: some milliseconds of work. */
static const uint64_t steps_at_a_time = 20000;

/* The files written while the run goes on; those not asked for are not open. */
struct outputs {
    struct whole_file trace, pcap;
};

static int open_outputs(const struct storm_request *r, struct outputs *ret)
{
    int exit_code = CLI_DONE;

    *ret = (struct outputs){0};
    if (r->trace)
        exit_code = whole_file_open(&ret->trace, "trace", r->trace);
    if (exit_code == CLI_DONE && r->pcap)
        exit_code = whole_file_open(&ret->pcap, "capture", r->pcap);
    return exit_code;
}

static int close_outputs(struct outputs *out)
{
    int exit_code = CLI_DONE;

    if (out->trace.out)
        exit_code = whole_file_close(&out->trace, "trace");
    if (exit_code == CLI_DONE && out->pcap.out)
        exit_code = whole_file_close(&out->pcap, "capture");
    return exit_code;
}

static int write_report(const struct storm_job *job, const struct storm_request *r)
{
    struct whole_file report;
    int exit_code = whole_file_open(&report, "report", r->report);

    if (exit_code != CLI_DONE)
        return exit_code;
    storm_report_write(job, report.out);
    return whole_file_close(&report, "report");
}

static void abandon_outputs(struct outputs *out)
{
    whole_file_abandon(&out->trace);
    whole_file_abandon(&out->pcap);
}

/* Without this the machine would kill the run, or something else, when memory is gone. */
static int check_memory(const struct storm_job *job, const struct storm_outcome *o)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t needed = storm_bytes(&job->scenario, &o->policy, job->clients);
    uint64_t rogues = job->scenario.rogues;

    if (needed <= machine)
        return CLI_DONE;
    message("%" PRIu32 " clients and %" PRIu64 " rogues need at least %" PRIu64
            " MiB of memory, this machine has %" PRIu64,
            job->clients, rogues, needed >> 20, machine >> 20);
    message_try("fewer --clients%s, or --set width=N%s to ask for less at a time",
                rogues > 0 ? " or --set rogues=N" : "", rogues > 0 ? " and rogue-width=N" : "");
    return CLI_FAILED;
}

static uint64_t clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

static int run_to_end(struct storm *storm, struct progress *progress, uint64_t before,
                      uint64_t total)
{
    bool done = false;
    int err = 0;

    while (err == 0 && !done) {
        err = storm_run(storm, steps_at_a_time, &done);
        progress_update(progress, clock_ns(), before + storm_finished(storm), total);
    }
    return err;
}

static int explain_failure(const struct storm_outcome *o, const struct storm *storm, int err)
{
    uint32_t client = 0;
    const char *promise = storm ? storm_violation(storm, &client) : NULL;

    if (promise)
        return message_failed("policy %s: a promise of the engine was broken at client %" PRIu32
                              ": %s",
                              o->name, client, promise);
    message("policy %s: %s", o->name, weft_strerror(err));
    message_try("fewer --clients");
    return CLI_FAILED;
}

/* Runs the storm of one policy. */
static int run_policy(const struct storm_job *job, struct storm_outcome *o,
                      struct storm_trace *trace, struct progress *progress)
{
    const struct storm_config config = {
        .scenario = &job->scenario,
        .policy = &o->policy,
        .places = job->places,
        .clients = job->clients,
        .sa_lid = job->sa_lid,
        .seed = job->seed,
        .trace = trace->text || trace->pcap ? storm_trace_observe : NULL,
        .trace_ctx = trace,
    };
    uint64_t before = (uint64_t)(o - job->outcomes) * job->clients;
    struct storm *storm = NULL;
    int err;

    if (check_memory(job, o) != CLI_DONE)
        return CLI_FAILED;
    err = storm_new(&config, &pages_alloc, &storm);
    if (err == 0) {
        trace->storm = storm;
        err = run_to_end(storm, progress, before, (uint64_t)job->outcome_count * job->clients);
    }
    if (err != 0) {
        explain_failure(o, storm, err);
        storm_free(storm);
        return CLI_FAILED;
    }
    storm_result(storm, &o->result);
    o->over_time = *o->result.over_time;
    o->result.over_time = &o->over_time;
    storm_free(storm);
    return CLI_DONE;
}

static int run_policies(struct storm_job *job, struct outputs *out)
{
    struct storm_trace trace = {.job = job, .text = out->trace.out, .pcap = out->pcap.out};
    struct progress progress;
    int exit_code = CLI_DONE;

    storm_trace_start(&trace);
    progress_start(&progress, "storm", clock_ns());
    for (size_t i = 0; i < job->outcome_count && exit_code == CLI_DONE; i++)
        exit_code = run_policy(job, &job->outcomes[i], &trace, &progress);
    progress_end(&progress);
    return exit_code;
}

static int show(const struct storm_job *job, const struct storm_request *r, struct outputs *out)
{
    int exit_code;

    exit_code = close_outputs(out);
    if (exit_code == CLI_DONE && r->report)
        exit_code = write_report(job, r);
    if (exit_code != CLI_DONE)
        return exit_code;
    exit_code = r->json ? json_print(storm_json(job)) : storm_table_print(job);
    if (exit_code == CLI_DONE && job->unreachable > 0) {
        message("%" PRIu32 " of %" PRIu32 " hosts have no path to the SA and took no part",
                job->unreachable, job->hosts);
        message_try("weft topology lint %s", job->topology);
        return CLI_PART;
    }
    return exit_code;
}

static int run_job(struct storm_job *job, const struct storm_request *r)
{
    struct outputs out = {0};
    int exit_code = storm_place(job);

    if (exit_code != CLI_DONE)
        return exit_code;
    /* Nobody should wait for a long run to learn that its report cannot be written. */
    if (r->report)
        exit_code = whole_file_try("report", r->report);
    if (exit_code == CLI_DONE)
        exit_code = open_outputs(r, &out);
    if (exit_code == CLI_DONE)
        exit_code = run_policies(job, &out);
    if (exit_code == CLI_DONE)
        exit_code = show(job, r, &out);
    abandon_outputs(&out);
    return exit_code;
}

int verb_storm(int argc, const char **argv)
{
    struct storm_request request;
    struct storm_job *job = malloc(sizeof(*job));
    int exit_code;

    if (!job)
        return message_failed("no memory for the storm");
    exit_code = storm_request_parse(argc, argv, &request, job);
    if (!request.stopped) {
        if (request.list)
            storm_list_print();
        else
            exit_code = run_job(job, &request);
    }
    storm_request_free(&request, job);
    free(job);
    return exit_code;
}
