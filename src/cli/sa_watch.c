/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft sa watch`: subscribes to traps and prints each Report, wherever the SM goes meanwhile. */
#include "cli/message.h"
#include "cli/sa_nodes.h"
#include "cli/verb.h"
#include "client/sa_notice.h"
#include "core/wire/mad_header.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often the subscription is made again: an SM that was restarted knows nothing of it. */
#define RENEW_EVERY (10 * WEFT_S)
/* How long the SA may take to end it. */
#define END_WAIT    (2 * WEFT_S)

/* Space for "2026-01-01T00:00:00Z". */
#define TIME_TEXT 24
/* Space for whom a Report is about. */
#define WHOM_TEXT (2 * SA_NODE_NAME_BYTES)

/* Whose answer a result is. */
enum about {
    ABOUT_SUBSCRIPTION,
    ABOUT_NAMES,
    ABOUT_END
};

struct watch {
    struct sa_session session;
    const struct sa_request *request;
    struct sa_answer names; /* all NodeRecords, as of the last time */
    struct sa_nodes nodes;
    bool under_way[ABOUT_END + 1]; /* questions without a result yet */
    bool subscribed;
    uint16_t sm_lid; /* where */
    weft_time renew; /* when to subscribe again */
    uint64_t shown;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static int ask(struct watch *w, enum about about, struct weft_sa_question q)
{
    int err;

    if (w->under_way[about])
        return CLI_DONE;
    q.about = about;
    err = weft_sa_ask(w->session.sa, w->session.link.now, &q);
    w->under_way[about] = err == 0;
    return err ? message_failed("the SA cannot be asked: %s", weft_strerror(err)) : CLI_DONE;
}

static int subscribe(struct watch *w, bool begins)
{
    struct weft_sa_question q;

    weft_sa_make_trap(w->request->trap, begins, &q);
    w->renew = w->session.link.now + RENEW_EVERY;
    return ask(w, begins ? ABOUT_SUBSCRIPTION : ABOUT_END, q);
}

static int ask_names(struct watch *w)
{
    struct weft_sa_question q;

    weft_sa_make_node(0, &q);
    return ask(w, ABOUT_NAMES, q);
}

/* Says where Reports come from when that has changed. */
static void subscription_told(struct watch *w, const struct sa_answer *a)
{
    bool good = a->result.outcome == WEFT_SA_ANSWERED;
    uint16_t lid = w->session.link.is.sm_lid;

    if (good && (!w->subscribed || lid != w->sm_lid)) {
        if (w->request->trap == WEFT_SA_ANY_TRAP)
            message("Reports of all traps come from the SM at LID %u", lid);
        else
            message("Reports of trap %u come from the SM at LID %u", w->request->trap, lid);
    }
    if (!good && w->subscribed) {
        sa_session_explain(&w->session, a);
        message_try("to wait: Reports are missed until the SM answers");
    }
    if (good)
        memset(w->session.explained, 0, sizeof(w->session.explained));
    w->subscribed = good;
    w->sm_lid = lid;
}

static int names_told(struct watch *w, struct sa_answer *a)
{
    if (a->result.outcome != WEFT_SA_ANSWERED)
        return CLI_DONE;
    sa_nodes_clear(&w->nodes);
    sa_answers_clear(&w->names, 1);
    w->names = *a;
    a->records = NULL;
    return sa_nodes_init(&w->nodes, &w->names) ? CLI_DONE : CLI_FAILED;
}

static int take_results(struct watch *w)
{
    struct sa_answer a;
    int exit_code = CLI_DONE;

    while (exit_code == CLI_DONE && sa_session_poll(&w->session, &a, &exit_code)) {
        enum about about = (enum about)a.result.question.about;

        w->under_way[about] = false;
        if (about == ABOUT_SUBSCRIPTION)
            subscription_told(w, &a);
        else if (about == ABOUT_NAMES)
            exit_code = names_told(w, &a);
        else if (a.result.outcome == WEFT_SA_ANSWERED)
            w->subscribed = false;
        sa_answers_clear(&a, 1);
    }
    return exit_code;
}

static const char *time_text(char ret[TIME_TEXT])
{
    time_t now = time(NULL);
    struct tm tm;

    ret[0] = '\0';
    if (gmtime_r(&now, &tm))
        (void)strftime(ret, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return ret;
}

/* The node that a Report is about, by LID or by the port GUID in a GID. */
static const uint8_t *record_of(const struct watch *w, const struct sa_notice *n)
{
    return n->lid != 0  ? sa_nodes_of_lid(&w->nodes, n->lid)
           : n->has_gid ? sa_nodes_of_guid(&w->nodes, wire_be64(n->gid + 8))
                        : NULL;
}

static const char *gid_text(const uint8_t gid[16], char ret[INET6_ADDRSTRLEN])
{
    return inet_ntop(AF_INET6, gid, ret, INET6_ADDRSTRLEN);
}

static const char *whom(const struct watch *w, const struct sa_notice *n, char ret[WHOM_TEXT])
{
    const uint8_t *record = record_of(w, n);
    char name[SA_NODE_NAME_BYTES] = "", gid[INET6_ADDRSTRLEN], port[8] = "";

    if (record)
        (void)sa_node_name(record, name);
    if (n->port != SA_NOTICE_NO_PORT)
        (void)snprintf(port, sizeof(port), "/%u", n->port);
    if (n->lid != 0)
        (void)snprintf(ret, WHOM_TEXT, "%s%s%sLID %u", name, port, name[0] || port[0] ? ", " : "",
                       n->lid);
    else if (n->has_gid)
        (void)snprintf(ret, WHOM_TEXT, "%s%s%s", name, name[0] ? ", " : "", gid_text(n->gid, gid));
    else
        (void)snprintf(ret, WHOM_TEXT, "LID %u", n->issuer_lid);
    return ret;
}

static void print_line(const struct watch *w, const struct sa_notice *n)
{
    char text[TIME_TEXT], about[WHOM_TEXT], other[SA_NODE_NAME_BYTES];

    printf("%s trap %u: %s: %s", time_text(text), n->trap, sa_notice_text(n), whom(w, n, about));
    if (n->other != 0)
        printf(" to %s", sa_nodes_name(&w->nodes, n->other, other));
    if (n->key != 0)
        printf(", key 0x%04" PRIx32, n->key);
    putchar('\n');
}

static json_t *node_json(const uint8_t *record)
{
    char guid[24], name[SA_NODE_NAME_BYTES];

    if (!record)
        return json_null();
    (void)snprintf(guid, sizeof(guid), "0x%016" PRIx64, sa_node_read(record).node_guid);
    return json_pack("{s:s, s:s}", "guid", guid, "name", sa_node_name(record, name));
}

static bool print_json(const struct watch *w, const struct sa_notice *n)
{
    char text[TIME_TEXT], gid[INET6_ADDRSTRLEN], issuer[INET6_ADDRSTRLEN];
    json_t *root = json_pack("{s:s, s:s, s:i, s:b, s:s, s:s, s:i, s:s, s:o}", "schema",
                             "weft.sa-report/1", "time", time_text(text), "trap", n->trap,
                             "generic", n->generic, "type", sa_notice_type_word(n->type), "text",
                             sa_notice_text(n), "issuer_lid", n->issuer_lid, "issuer_gid",
                             gid_text(n->issuer_gid, issuer), "node", node_json(record_of(w, n)));
    bool good = root != NULL;

    if (good && n->lid != 0)
        good = json_object_set_new(root, "lid", json_integer(n->lid)) == 0;
    if (good && n->port != SA_NOTICE_NO_PORT)
        good = json_object_set_new(root, "port", json_integer(n->port)) == 0;
    if (good && n->has_gid)
        good = json_object_set_new(root, "gid", json_string(gid_text(n->gid, gid))) == 0;
    if (good && n->other != 0)
        good = json_object_set_new(root, "other_lid", json_integer(n->other)) == 0;
    if (good && n->key != 0)
        good = json_object_set_new(root, "key", json_integer(n->key)) == 0;
    good = good && json_dumpf(root, stdout, JSON_COMPACT) == 0;
    json_decref(root);
    putchar('\n');
    return good;
}

static bool is_enough(const struct watch *w)
{
    return w->request->count != 0 && w->shown == w->request->count;
}

/* Prints Reports. Those that say that nodes or names have changed make the names be asked anew. */
static int take_reports(struct watch *w)
{
    struct weft_sa_report report;
    int exit_code = CLI_DONE;

    while (exit_code == CLI_DONE && !is_enough(w) && weft_sa_poll_report(w->session.sa, &report)) {
        struct sa_notice n;

        sa_notice_read(report.notice, &n);
        if (!w->request->json)
            print_line(w, &n);
        else if (!print_json(w, &n))
            return message_failed("there is no memory for a Report");
        if (fflush(stdout) != 0)
            return message_failed("nobody reads the Reports any more");
        w->shown++;
        if (n.name || (n.has_gid && !record_of(w, &n)))
            exit_code = ask_names(w);
    }
    return exit_code;
}

/* Runs until it is time, enough, interrupted, or the subscription has ended where that is wanted.
 */
static int run(struct watch *w, weft_time until, bool ending)
{
    int exit_code = CLI_DONE;

    while (exit_code == CLI_DONE && w->session.link.now < until) {
        if (ending ? !w->under_way[ABOUT_END] : interrupted || is_enough(w))
            break;
        if (!ending && (w->session.link.now >= w->renew ||
                        (w->subscribed && w->session.link.is.sm_lid != w->sm_lid)))
            exit_code = subscribe(w, true);
        if (exit_code == CLI_DONE)
            exit_code = sa_session_turn(&w->session, until < w->renew ? until : w->renew);
        if (exit_code == CLI_DONE)
            exit_code = take_results(w);
        if (exit_code == CLI_DONE && !ending)
            exit_code = take_reports(w);
    }
    return exit_code;
}

/* The first answers: without a subscription there is nothing to watch. */
static int begin(struct watch *w)
{
    struct weft_sa_question questions[2];
    struct sa_answer answers[2];
    int exit_code;

    weft_sa_make_trap(w->request->trap, true, &questions[ABOUT_SUBSCRIPTION]);
    weft_sa_make_node(0, &questions[ABOUT_NAMES]);
    questions[ABOUT_NAMES].about = ABOUT_NAMES;
    exit_code = sa_session_ask(&w->session, questions, 2, answers);
    if (exit_code == CLI_DONE && answers[ABOUT_SUBSCRIPTION].result.outcome != WEFT_SA_ANSWERED) {
        sa_session_explain(&w->session, &answers[ABOUT_SUBSCRIPTION]);
        exit_code = CLI_FAILED;
    }
    if (exit_code == CLI_DONE)
        exit_code = names_told(w, &answers[ABOUT_NAMES]);
    if (exit_code == CLI_DONE)
        subscription_told(w, &answers[ABOUT_SUBSCRIPTION]);
    if (exit_code == CLI_DONE && !w->nodes.by_lid)
        exit_code = sa_nodes_init(&w->nodes, &w->names) ? CLI_DONE : CLI_FAILED;
    w->renew = w->session.link.now + RENEW_EVERY;
    sa_answers_clear(answers, 2);
    return exit_code;
}

/* Takes the subscription back. */
static int end(struct watch *w)
{
    int exit_code = w->subscribed ? subscribe(w, false) : CLI_DONE;

    if (exit_code == CLI_DONE && w->subscribed)
        exit_code = run(w, w->session.link.now + END_WAIT, true);
    if (exit_code == CLI_DONE && w->subscribed) {
        message("the SM at LID %u does not confirm that Reports end; it gives up on its own when "
                "nobody answers them",
                w->sm_lid);
        exit_code = CLI_PART;
    }
    return exit_code;
}

int sa_action_watch(const struct sa_request *request)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction old_int, old_term;
    struct watch w = {.request = request};
    int exit_code;
    bool gap;

    interrupted = 0;
    (void)sigaction(SIGINT, &action, &old_int);
    (void)sigaction(SIGTERM, &action, &old_term);
    exit_code = sa_session_open(&w.session, request);
    if (exit_code == CLI_DONE)
        exit_code = begin(&w);
    if (exit_code == CLI_DONE) {
        exit_code = run(
            &w, request->duration == 0 ? WEFT_TIME_NEVER : w.session.link.now + request->duration,
            false);
        gap = !w.subscribed || (request->count != 0 && !is_enough(&w) && !interrupted);
        if (exit_code == CLI_DONE)
            exit_code = end(&w);
        if (exit_code == CLI_DONE && gap)
            exit_code = CLI_PART;
    }
    sa_nodes_clear(&w.nodes);
    sa_answers_clear(&w.names, 1);
    sa_session_close(&w.session);
    (void)sigaction(SIGINT, &old_int, NULL);
    (void)sigaction(SIGTERM, &old_term, NULL);
    return exit_code;
}
