/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The report of a storm: one page for somebody who was not there. */
#include "cli/html.h"
#include "cli/quantity.h"
#include "cli/storm_chart.h"
#include "cli/storm_params.h"
#include "cli/storm_show.h"
#include "cli/storm_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--text:#1c2330;--soft:#5b6575;--line:#dde2ea;"
    "--box:#f6f8fb;--c0:#c2410c;--c1:#0369a1;--c2:#15803d;--c3:#a21caf;--c4:#a16207;--c5:#1d4ed8;"
    "--c6:#be123c;--c7:#0f766e}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12161d;--text:#e6eaf1;--soft:#9aa5b5;"
    "--line:#2c3440;--box:#1a2029;--c0:#fb923c;--c1:#38bdf8;--c2:#4ade80;--c3:#e879f9;"
    "--c4:#facc15;--c5:#93a8ff;--c6:#fb7185;--c7:#2dd4bf}}\n"
    "@media print{:root{--page:#fff;--text:#000;--soft:#444;--line:#ccc;--box:#fff}"
    "body{font-size:10pt;max-width:none!important}figure,tr{break-inside:avoid}"
    "details{display:block}}\n"
    "body{margin:0 auto;padding:1.5rem;max-width:74rem;background:var(--page);color:var(--text);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;margin:.2rem 0}h2{font-size:1.25rem;margin:2rem 0 .5rem}"
    "h3{font-size:1rem;margin:.2rem 0}p{max-width:48rem}\n"
    ".soft{color:var(--soft)}.scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.3rem .45rem;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap}"
    "th{color:var(--soft);font-weight:600;vertical-align:bottom;white-space:normal}"
    "td.l,th.l{text-align:left}td.w{white-space:normal}tr.best td{background:var(--box);"
    "font-weight:600}td.bad{color:var(--c6)}\n"
    "figure{margin:1rem 0;padding:.8rem;background:var(--box);border:1px solid var(--line);"
    "border-radius:8px}figcaption{font-size:.9rem;color:var(--soft);max-width:60rem}"
    "svg{width:100%;height:auto;display:block}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.9rem;margin:.3rem 0}"
    ".legend svg{width:34px;height:12px;display:inline-block;vertical-align:middle;"
    "margin-right:.4rem}\n"
    ".grid{stroke:var(--line);fill:none}.tick{fill:var(--soft);font-size:11px}"
    ".axis{fill:var(--text);font-size:12px}"
    ".mid{text-anchor:middle}.end{text-anchor:end}\n"
    ".curve{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".p0{stroke:var(--c0)}.p1{stroke:var(--c1)}.p2{stroke:var(--c2)}.p3{stroke:var(--c3)}"
    ".p4{stroke:var(--c4)}.p5{stroke:var(--c5)}.p6{stroke:var(--c6)}.p7{stroke:var(--c7)}\n"
    ".d1{stroke-dasharray:9 4}.d2{stroke-dasharray:3 3}.d3{stroke-dasharray:12 3 3 3}"
    ".d4{stroke-dasharray:6 6}.d5{stroke-dasharray:none;stroke-width:3.2}.d6{stroke-dasharray:1 4}"
    ".d7{stroke-dasharray:14 6}.thin{stroke-width:1.5}\n"
    ".row{display:grid;grid-template-columns:repeat(3,1fr);gap:.4rem}"
    "@media(max-width:50rem){.row{grid-template-columns:1fr}}\n"
    "dt{font-weight:600;margin-top:.5rem}dd{margin:0;max-width:48rem}code{font-size:.9em}\n";

static void write_title(const struct storm_job *job, FILE *out)
{
    fprintf(out, "SA storm: %s, ", job->scenario_name);
    html_counted(out, job->clients, "client");
}

static void write_head(const struct storm_job *job, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>",
          out);
    write_title(job, out);
    fprintf(out,
            "</title>\n<style>\n%s</style>\n</head>\n<body>\n<p class=\"soft\">weft storm</p>\n"
            "<h1>",
            style);
    write_title(job, out);
    fputs("</h1>\n", out);
}

static const char *preset_help(const char *name)
{
    const struct storm_preset *p = storm_presets;

    while (strcmp(p->name, name) != 0)
        p++;
    return p->help;
}

static void write_situation(const struct storm_job *job, FILE *out)
{
    static const char *const overload[] = {
        [STORM_DROP] =
            "What finds its receive queue full is lost, and the client learns of it only "
            "by waiting in vain.",
        [STORM_BUSY] = "When too many requests wait it answers &ldquo;BUSY&rdquo; instead of doing "
                       "the work.",
        [STORM_STALE] = "It never refuses: requests wait in its memory, and are answered even when "
                        "the client has long given up waiting.",
    };
    const struct storm_scenario *s = &job->scenario;
    char rate[HTML_NUMBER_BYTES];

    fprintf(out, "<p><b>What was played.</b> %s: %s. ", job->scenario_name,
            preset_help(job->scenario_name));
    html_counted(out, job->clients, "client");
    fprintf(out, " ask%s ", job->clients == 1 ? "s" : "");
    html_counted(out, storm_scenario_queries(s), "question");
    fprintf(
        out,
        "%s of one <i>subnet administrator</i> (SA), the service of an InfiniBand fabric that "
        "tells every node how to reach the others. It answers %s questions per second. %s</p>\n",
        job->clients == 1 ? "" : " each", html_number(s->sa_rate, rate), overload[s->sa_overload]);
}

/* Rogues take the SA's time as everybody does, but nobody waits for them. */
static void write_rogue_work(const struct storm_scenario *s, FILE *out)
{
    uint64_t queries = s->rogues * s->rogue_queries;
    char work[QUANTITY_TEXT_BYTES];

    quantity_print_duration(WEFT_S / s->sa_rate * queries, work);
    fputs("On top come ", out);
    html_counted(out, queries, "question");
    fputs(" of ", out);
    html_counted(out, s->rogues, "rogue");
    fprintf(out, ", %s of the SA's time; whether those are answered is not counted below. ", work);
}

static void write_unreachable(const struct storm_job *job, FILE *out)
{
    char number[HTML_NUMBER_BYTES];

    if (job->unreachable == 0)
        return;
    fprintf(out, "<p><b>Not all took part.</b> %s of ", html_number(job->unreachable, number));
    html_counted(out, job->hosts, "host");
    fprintf(out, " of the topology ha%s no path to the SA on <code>",
            job->unreachable == 1 ? "s" : "ve");
    html_text(out, job->sa_host);
    fputs("</code>, and no client is there.</p>\n", out);
}

static void write_yardstick(const struct storm_job *job, FILE *out)
{
    char work[QUANTITY_TEXT_BYTES], least[QUANTITY_TEXT_BYTES];

    quantity_print_duration(storm_job_least_time(job), work);
    quantity_print_duration(storm_verdict_least_time(job), least);
    fprintf(out, "<p>Answering every question once takes the SA <b>%s</b>", work);
    if (storm_verdict_least_time(job) > storm_job_least_time(job))
        fprintf(out, ", and the %sclient starts only after <b>%s</b>",
                job->clients == 1 ? "" : "last ", least);
    fputs("; the last answer cannot come before that. ", out);
    if (job->scenario.rogues > 0)
        write_rogue_work(&job->scenario, out);
    fputs("How close the clients come to that, and whether all of them get there, depends on their "
          "<i>policy</i>: how long they wait, how often they ask again, and how much they ask at "
          "a time. ",
          out);
    if (job->outcome_count > 1)
        fputs("Each policy below was played from the same start ", out);
    else
        fputs("One was played here ", out);
    fprintf(out, "(seed %" PRIu64 ").</p>\n", job->seed);
}

static void write_verdict(const struct storm_job *job, FILE *out)
{
    fputs("<p><b>What came out.</b> ", out);
    storm_verdict_write(job, out);
    fputs("</p>\n", out);
}

static void write_duration_cell(FILE *out, weft_time duration_ns)
{
    char text[QUANTITY_TEXT_BYTES];

    if (duration_ns == WEFT_TIME_NEVER) {
        fputs("<td>&ndash;</td>", out);
        return;
    }
    quantity_print_duration(duration_ns, text);
    fprintf(out, "<td>%s</td>", text);
}

static void write_result_row(const struct storm_job *job, const struct storm_outcome *o, FILE *out)
{
    const struct storm_result *r = &o->result;
    const uint64_t counts[] = {r->duplicates,           r->busy,      r->sa_dropped, r->stale,
                               r->clients.recv_dropped, r->queue_peak};
    char text[HTML_NUMBER_BYTES];

    fprintf(out, "<tr%s><td class=\"l\">", storm_verdict_best(job, o) ? " class=\"best\"" : "");
    html_text(out, o->name);
    fprintf(out, "</td><td>%s</td>", html_number(r->clients.clients_resolved, text));
    fprintf(out, "<td%s>%s</td>", storm_verdict_complete(o) ? "" : " class=\"bad\"",
            html_number(r->clients.clients_failed, text));
    if (storm_verdict_cut(job))
        fprintf(out, "<td>%s</td>", html_number(r->waiting, text));
    write_duration_cell(out, storm_verdict_complete(o) ? r->end : WEFT_TIME_NEVER);
    write_duration_cell(out, r->p50);
    write_duration_cell(out, r->p99);
    write_duration_cell(out, r->max);
    fprintf(out, "<td>%s</td>", html_number(r->clients.requests, text));
    if (job->scenario.rogues > 0)
        fprintf(out, "<td>%s</td>", html_number(r->clients.rogue_requests, text));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        fprintf(out, "<td>%s</td>", html_number(counts[i], text));
    fputs("</tr>\n", out);
}

static void write_results(const struct storm_job *job, FILE *out)
{
    bool marked = false;

    fprintf(
        out,
        "<h2>%s</h2>\n<div class=\"scroll\"><table>\n<tr><th class=\"l\">policy</th><th>clients "
        "resolved</th><th>clients failed</th>%s<th>all resolved after</th><th>half of them "
        "within</th><th>99&nbsp;%% within</th><th>slowest</th><th>MADs sent</th>%s<th>"
        "dupli&shy;cates</th><th>BUSY</th><th>lost at the&nbsp;SA</th><th>stale work</th><th>lost "
        "at "
        "clients</th><th>longest queue</th></tr>\n",
        job->outcome_count > 1 ? "The policies side by side" : "The result in numbers",
        storm_verdict_cut(job) ? "<th>of these waiting</th>" : "",
        job->scenario.rogues > 0 ? "<th>by rogues</th>" : "");
    for (size_t i = 0; i < job->outcome_count; i++) {
        write_result_row(job, &job->outcomes[i], out);
        marked = marked || storm_verdict_best(job, &job->outcomes[i]);
    }
    fprintf(out,
            "</table></div>\n<p class=\"soft\">Times &ldquo;within&rdquo; run from a client's own "
            "start to its last answer, over the clients that got all. A MAD is one packet of 256 "
            "bytes. %s</p>\n",
            marked ? "What is marked did best." : "");
}

static void write_legend(const struct storm_job *job, FILE *out)
{
    fputs("<div class=\"legend\">", out);
    for (size_t i = 0; i < job->outcome_count; i++) {
        fprintf(out,
                "<span><svg viewBox=\"0 0 34 12\"><path class=\"curve p%zu d%zu\" d=\"M0 "
                "6H34\"/></svg>",
                i % 8, i % 8);
        html_text(out, job->outcomes[i].name);
        fputs("</span>", out);
    }
    fputs("</div>\n", out);
}

static struct chart_axis time_axis(const struct storm_job *job)
{
    weft_time first = WEFT_TIME_NEVER;
    weft_time last = 0;

    for (size_t i = 0; i < job->outcome_count; i++) {
        const struct storm_result *r = &job->outcomes[i].result;
        weft_time end = r->end > r->quiet ? r->end : r->quiet;

        if (r->end < first)
            first = r->end;
        if (end > last)
            last = end;
    }
    return chart_axis_time(first > 0 ? first : 1, last > 0 ? last : 1);
}

static void draw_resolved(struct chart *c, const struct storm_job *job,
                          const struct storm_outcome *o)
{
    const struct storm_measure *m = &o->over_time;
    double resolved = 0;

    chart_point(c, 0, 0);
    for (uint32_t i = 0; i < m->steps; i++) {
        double begin = (double)((weft_time)i << m->step_log2);
        double end = (double)((weft_time)(i + 1) << m->step_log2);

        if (m->step[i].counts[STORM_MEASURE_RESOLVED] == 0)
            continue;
        chart_point(c, begin, resolved / job->clients);
        resolved += m->step[i].counts[STORM_MEASURE_RESOLVED];
        if (end > (double)o->result.end)
            end = (double)o->result.end;
        chart_point(c, end, resolved / job->clients);
    }
    chart_point(c, c->x.max, resolved / job->clients);
}

static void write_resolved(const struct storm_job *job, FILE *out)
{
    const struct chart_axis x = time_axis(job);
    const struct chart_axis y =
        chart_axis_linear(CHART_FRACTION, "clients that have all their answers", 1);
    struct chart c;
    char classes[32];

    fputs("<h2>Who has all answers, and when</h2>\n<figure>\n", out);
    write_legend(job, out);
    chart_open(&c, out, "Share of clients with all answers, over time, one curve for each policy",
               1000, 340, &x, &y, true);
    for (size_t i = 0; i < job->outcome_count; i++) {
        snprintf(classes, sizeof(classes), "curve p%zu d%zu", i % 8, i % 8);
        chart_curve(&c, classes);
        draw_resolved(&c, job, &job->outcomes[i]);
        chart_curve_end(&c);
    }
    chart_close(&c);
    fprintf(out,
            "<figcaption>A curve that rises early and reaches 100&nbsp;%% is good. A staircase "
            "means that clients wait for their timeouts and then ask all at once. A curve that "
            "ends below 100&nbsp;%% means that clients gave up%s. %s</figcaption>\n</figure>\n",
            storm_verdict_cut(job) ? ", or still waited when the run was ended" : "",
            job->outcome_count > 1 ? "Policies that did the same share a curve." : "");
}

/* One of the small charts: what it shows of a step. */
struct panel {
    const char *heading;
    const char *label;
    const char *peak;                /* before the largest value */
    enum storm_measure_what what[3]; /* added up; closed by STORM_MEASURE_WHATS when fewer */
    bool queue;
};

static const struct panel panels[] = {
    {"Requests waiting at the SA",
     "Requests waiting at the SA over time",
     "longest queue",
     {STORM_MEASURE_WHATS},
     true},
    {"MADs per second, both directions",
     "MADs per second over time",
     "at most",
     {STORM_MEASURE_REQUESTS, STORM_MEASURE_ANSWERS, STORM_MEASURE_WHATS},
     false},
    {"Wasted per second: lost, BUSY and stale",
     "Wasted MADs per second over time",
     "at most",
     {STORM_MEASURE_DROPPED, STORM_MEASURE_BUSY, STORM_MEASURE_STALE},
     false},
};

static double panel_value(const struct panel *p, const struct storm_measure *m, uint32_t step)
{
    const struct storm_measure_step *s = &m->step[step];
    double sum = 0;

    if (p->queue)
        return s->queue_peak;
    for (size_t i = 0; i < 3 && p->what[i] != STORM_MEASURE_WHATS; i++)
        sum += s->counts[p->what[i]];
    return sum * 1e9 / (double)((weft_time)1 << m->step_log2);
}

static double panel_peak(const struct panel *p, const struct storm_measure *m)
{
    double peak = 0;

    for (uint32_t i = 0; i < m->steps; i++)
        if (panel_value(p, m, i) > peak)
            peak = panel_value(p, m, i);
    return peak;
}

static void draw_panel(struct chart *c, const struct panel *p, const struct storm_outcome *o)
{
    const struct storm_measure *m = &o->over_time;
    double end = (double)o->result.quiet;

    for (uint32_t i = 0; i < m->steps; i++) {
        double begin = (double)((weft_time)i << m->step_log2);
        double stop = (double)((weft_time)(i + 1) << m->step_log2);

        chart_point(c, begin, panel_value(p, m, i));
        chart_point(c, stop < end ? stop : end, panel_value(p, m, i));
    }
    chart_point(c, end, 0);
}

static void write_panels_of(const struct storm_job *job, size_t policy, const struct chart_axis *x,
                            const struct chart_axis y[], FILE *out)
{
    const struct storm_outcome *o = &job->outcomes[policy];
    char classes[32], peak[HTML_NUMBER_BYTES];
    struct chart c;

    snprintf(classes, sizeof(classes), "curve thin p%zu", policy % 8);
    fputs("<figure><h3>", out);
    html_text(out, o->name);
    fputs("</h3>\n<div class=\"row\">\n", out);
    for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++) {
        html_number((uint64_t)panel_peak(&panels[i], &o->over_time), peak);
        fprintf(out, "<div><span class=\"soft\">%s; %s %s</span>", panels[i].heading,
                panels[i].peak, peak);
        chart_open(&c, out, panels[i].label, 290, 110, x, &y[i], false);
        chart_curve(&c, classes);
        draw_panel(&c, &panels[i], o);
        chart_curve_end(&c);
        chart_close(&c);
        fputs("</div>\n", out);
    }
    fputs("</div></figure>\n", out);
}

static void write_panels(const struct storm_job *job, FILE *out)
{
    const struct chart_axis x = time_axis(job);
    struct chart_axis y[sizeof(panels) / sizeof(panels[0])];

    fprintf(out,
            "<h2>What it cost</h2>\n<p>One row for each policy; all charts of a column have the "
            "same scale. The horizontal axis is the %s. Wasted are requests that the SA lost and "
            "answers "
            "that helped nobody.</p>\n",
            x.title);
    for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++) {
        double peak = 0;

        for (size_t k = 0; k < job->outcome_count; k++)
            if (panel_peak(&panels[i], &job->outcomes[k].over_time) > peak)
                peak = panel_peak(&panels[i], &job->outcomes[k].over_time);
        y[i] = chart_axis_linear(CHART_COUNT, panels[i].heading, peak);
    }
    for (size_t i = 0; i < job->outcome_count; i++)
        write_panels_of(job, i, &x, y, out);
}

static void write_words(FILE *out)
{
    static const char *const words[][2] = {
        {"Retry", "The same question sent again because no answer came in time. It keeps its "
                  "transaction number, so even a late answer to the first packet counts."},
        {"BUSY", "The SA's way of saying &ldquo;not now&rdquo;. A client can take it as an answer "
                 "(and ask again at once, which makes the crowd larger) or as if nothing had come "
                 "(and wait)."},
        {"Duplicate", "An answer to a question that the SA had answered before."},
        {"Stale work",
         "An answer that nobody waited for when it arrived: the client had its answer "
         "already, or had given the question up. The SA's time went for nothing."},
        {"Lost at the SA", "Requests that found the SA's queue full."},
        {"Lost at clients",
         "Answers that found no receive buffer at the client. With a port budget "
         "this cannot happen."},
        {"Flow control", "A limit on how many questions a client has open at a time: per program "
                         "(agent limits), per port (port budget), or learned from what the SA can "
                         "bear (adaptive)."},
        {"Backoff",
         "Waits that grow with each retry and contain chance, so that clients do not come "
         "back all at the same moment."},
    };

    fputs("<h2>The words</h2>\n<dl>\n", out);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", words[i][0], words[i][1]);
    fputs("</dl>\n", out);
}

static void write_policies(const struct storm_job *job, FILE *out)
{
    char value[STORM_VALUE_BYTES];

    fputs("<h2>Numbers of the policies</h2>\n<div class=\"scroll\"><table>\n<tr><th "
          "class=\"l\">number</th>",
          out);
    for (size_t i = 0; i < job->outcome_count; i++) {
        fputs("<th>", out);
        html_text(out, job->outcomes[i].name);
        fputs("</th>", out);
    }
    fputs("<th class=\"l\">what it is</th></tr>\n", out);
    for (const struct storm_field *f = storm_policy_fields; f->key; f++) {
        fprintf(out, "<tr><td class=\"l\"><code>%s</code></td>", f->key);
        for (size_t i = 0; i < job->outcome_count; i++) {
            storm_params_show(f, &job->outcomes[i].policy, value);
            fprintf(out, "<td>%s</td>", value);
        }
        fprintf(out, "<td class=\"l w\">%s</td></tr>\n", f->help);
    }
    fputs("</table></div>\n", out);
}

static void write_scenario(const struct storm_job *job, FILE *out)
{
    char value[STORM_VALUE_BYTES];

    fputs("<h2>Numbers of the scenario</h2>\n<p>Topology <code>", out);
    html_text(out, job->topology);
    fputs("</code>: ", out);
    html_counted(out, job->hosts, "host");
    fprintf(out, ", %" PRIu32 " switches; the SA is on <code>", job->switches);
    html_text(out, job->sa_host);
    fprintf(out,
            "</code>, clients are %u to %u links away from it.</p>\n<div class=\"scroll\"><table>\n"
            "<tr><th class=\"l\">number</th><th>value</th><th class=\"l\">what it is</th></tr>\n",
            job->hops_min, job->hops_max);
    for (const struct storm_field *f = storm_scenario_fields; f->key; f++) {
        storm_params_show(f, &job->scenario, value);
        fprintf(
            out,
            "<tr><td class=\"l\"><code>%s</code></td><td>%s</td><td class=\"l w\">%s</td></tr>\n",
            f->key, value, f->help);
    }
    fputs("</table></div>\n", out);
}

/* Everything differs between two runs of one seed when one number of a history does. */
static void write_hashes(const struct storm_job *job, FILE *out)
{
    fputs(
        "<h2>To play it again</h2>\n<p>The same seed and numbers give the same history on every "
        "machine. These hashes stand for everything that every client and the SA did:</p>\n<ul>\n",
        out);
    for (size_t i = 0; i < job->outcome_count; i++) {
        fputs("<li><code>", out);
        html_text(out, job->outcomes[i].name);
        fprintf(out, "</code> <code>%016" PRIx64 "</code></li>\n",
                job->outcomes[i].result.trace_hash);
    }
    fputs("</ul>\n", out);
}

void storm_report_write(const struct storm_job *job, FILE *out)
{
    write_head(job, out);
    write_situation(job, out);
    write_unreachable(job, out);
    write_yardstick(job, out);
    write_verdict(job, out);
    write_results(job, out);
    write_resolved(job, out);
    write_panels(job, out);
    write_words(out);
    write_policies(job, out);
    write_scenario(job, out);
    write_hashes(job, out);
    fputs("</body>\n</html>\n", out);
}
