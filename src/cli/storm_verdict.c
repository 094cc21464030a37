/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares the policies of a storm and says what came out. */
#include "cli/storm_verdict.h"

#include "cli/html.h"
#include "cli/quantity.h"

#include <string.h>

/* What one outcome is told by: policies that show the same are told together. */
struct figure {
    const struct storm_outcome *outcome;
    uint32_t resolved;
    weft_time time_ns; /* WEFT_TIME_NEVER when some client failed */
    char text[QUANTITY_TEXT_BYTES];
};

/* All outcomes, the best first. */
struct ranking {
    struct figure figures[STORM_POLICIES_MAX];
    size_t count;
    size_t best; /* how many share the first place */
};

/* The start of every client is a matter of the seed alone: it is the same for all policies. */
static weft_time last_start(const struct storm_job *job)
{
    return job->outcomes[0].result.last_start;
}

static bool starts_decide(const struct storm_job *job)
{
    return last_start(job) > storm_job_least_time(job);
}

weft_time storm_verdict_least_time(const struct storm_job *job)
{
    return starts_decide(job) ? last_start(job) : storm_job_least_time(job);
}

bool storm_verdict_cut(const struct storm_job *job)
{
    for (size_t i = 0; i < job->outcome_count; i++)
        if (job->outcomes[i].result.cut)
            return true;
    return false;
}

static struct figure figure_of(const struct storm_job *job, const struct storm_outcome *o)
{
    struct figure f = {
        .outcome = o, .resolved = o->result.clients.clients_resolved, .time_ns = WEFT_TIME_NEVER};

    if (!storm_verdict_complete(o))
        return f;
    f.time_ns = starts_decide(job) ? o->result.max : o->result.end;
    quantity_print_duration(f.time_ns, f.text);
    return f;
}

/* Differences that the text does not show are none. */
static bool is_same(const struct figure *a, const struct figure *b)
{
    return a->resolved == b->resolved && strcmp(a->text, b->text) == 0;
}

static bool is_better(const struct figure *a, const struct figure *b)
{
    if (is_same(a, b))
        return false;
    return a->resolved != b->resolved ? a->resolved > b->resolved : a->time_ns < b->time_ns;
}

static void rank(const struct storm_job *job, struct ranking *ret)
{
    *ret = (struct ranking){.count = job->outcome_count};
    for (size_t i = 0; i < ret->count; i++) {
        struct figure f = figure_of(job, &job->outcomes[i]);
        size_t at = i;

        for (; at > 0 && is_better(&f, &ret->figures[at - 1]); at--)
            ret->figures[at] = ret->figures[at - 1];
        ret->figures[at] = f;
    }
    ret->best = 1;
    while (ret->best < ret->count && is_same(&ret->figures[0], &ret->figures[ret->best]))
        ret->best++;
}

/* The SA was never short of anything: every question was sent once and answered. */
static bool is_calm(const struct storm_job *job)
{
    for (size_t i = 0; i < job->outcome_count; i++) {
        const struct storm_result *r = &job->outcomes[i].result;

        if (r->clients.clients_failed > 0 || r->clients.requests > r->clients.asked ||
            r->busy > 0 || r->sa_dropped > 0)
            return false;
    }
    return true;
}

bool storm_verdict_best(const struct storm_job *job, const struct storm_outcome *o)
{
    struct ranking ranking;

    if (is_calm(job))
        return false;
    rank(job, &ranking);
    if (ranking.best == ranking.count || ranking.figures[0].resolved == 0)
        return false;
    for (size_t i = 0; i < ranking.best; i++)
        if (ranking.figures[i].outcome == o)
            return true;
    return false;
}

/* The names of some figures that follow each other: "a, b and c". */
static void write_names(const struct figure *figures, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            fputs(i + 1 < count ? ", " : " and ", out);
        html_code(out, figures[i].outcome->name);
    }
}

/* "With a and b", or what stands for it where nothing is to be told apart. */
static void write_with_best(const struct ranking *r, FILE *out)
{
    if (r->best < r->count || r->count == 1) {
        fputs("With ", out);
        write_names(r->figures, r->best, out);
    } else if (r->count == 2) {
        fputs("Both policies came out the same:", out);
    } else {
        fprintf(out, "All %zu policies came out the same:", r->count);
    }
}

static void write_best(const struct storm_job *job, const struct ranking *r, FILE *out)
{
    const struct figure *best = &r->figures[0];
    char number[HTML_NUMBER_BYTES];

    if (best->resolved == 0) {
        fprintf(out, "No client got all its answers%s",
                r->count > 1 ? ", whatever the policy" : "");
    } else if (best->time_ns == WEFT_TIME_NEVER) {
        write_with_best(r, out);
        fprintf(out, " %s of ", html_number(best->resolved, number));
        html_counted(out, job->clients, "client");
        fputs(" got all their answers", out);
    } else if (starts_decide(job)) {
        write_with_best(r, out);
        fprintf(out, " no client waited longer than <b>%s</b> for all its answers", best->text);
    } else {
        write_with_best(r, out);
        fprintf(out, " every client had all its answers after <b>%s</b>", best->text);
    }
    if (r->best < r->count && best->resolved > 0)
        fprintf(out, ", the best of %zu", r->count);
    fputs(". ", out);
}

/* The others, those that show the same together. */
static void write_others(const struct ranking *r, FILE *out)
{
    char number[HTML_NUMBER_BYTES];

    for (size_t i = r->best; i < r->count;) {
        const struct figure *f = &r->figures[i];
        size_t same = 1;

        while (i + same < r->count && is_same(f, &f[same]))
            same++;
        fputs("With ", out);
        write_names(f, same, out);
        if (f->time_ns != WEFT_TIME_NEVER)
            fprintf(out, " it was %s. ", f->text);
        else
            fprintf(out, " %s did. ", f->resolved == 0 ? "none" : html_number(f->resolved, number));
        i += same;
    }
}

static void write_calm(const struct storm_job *job, FILE *out)
{
    char end_text[QUANTITY_TEXT_BYTES], wait_text[QUANTITY_TEXT_BYTES];
    weft_time end = 0;
    weft_time wait = 0;

    for (size_t i = 0; i < job->outcome_count; i++) {
        const struct storm_result *r = &job->outcomes[i].result;

        end = r->end > end ? r->end : end;
        wait = r->max > wait ? r->max : wait;
    }
    quantity_print_duration(end, end_text);
    quantity_print_duration(wait, wait_text);
    fprintf(out,
            "This SA was not overloaded: it lost and refused nothing, and nobody had to ask twice. "
            "%s all answers were there after <b>%s</b>, and no client waited for its own longer "
            "than <b>%s</b>.%s",
            job->outcome_count > 1 ? "Whatever the policy," : "So", end_text, wait_text,
            job->outcome_count > 1 ? " More clients or a slower SA would tell them apart." : "");
}

static void write_cut(const struct storm_job *job, FILE *out)
{
    char duration[QUANTITY_TEXT_BYTES];
    uint32_t waiting = 0;

    for (size_t i = 0; i < job->outcome_count; i++)
        if (job->outcomes[i].result.waiting > waiting)
            waiting = job->outcomes[i].result.waiting;
    quantity_print_duration(job->scenario.duration_ns, duration);
    fprintf(out, "The run was ended after <b>%s</b>, while %s", duration,
            job->outcome_count > 1 ? "up to " : "");
    html_counted(out, waiting, "client");
    fputs(" still waited: they count as failed here, and might have got their answers later.", out);
}

void storm_verdict_write(const struct storm_job *job, FILE *out)
{
    struct ranking ranking;
    char start[QUANTITY_TEXT_BYTES];

    if (is_calm(job)) {
        write_calm(job, out);
        return;
    }
    rank(job, &ranking);
    if (starts_decide(job) && ranking.figures[0].time_ns != WEFT_TIME_NEVER) {
        quantity_print_duration(last_start(job), start);
        fprintf(out,
                "The last client starts only after %s, so what tells the policies apart is how "
                "long the slowest client waits from its own start. ",
                start);
    }
    write_best(job, &ranking, out);
    write_others(&ranking, out);
    if (storm_verdict_cut(job))
        write_cut(job, out);
}
