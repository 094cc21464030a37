/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to the SA at a port, and what to say where an answer is missing. */
#include "cli/sa_session.h"

#include "cli/message.h"
#include "cli/quantity.h"
#include "cli/verb.h"
#include "core/wire/mad_header.h"

#include <stdlib.h>
#include <string.h>

/* How often the port is asked where the SM is. */
#define LOOK_EVERY (500 * WEFT_MS)

/* What incoming tables may take: of more than 10000 hosts all but their paths. Memory that is not
 * needed is not touched. */
#define TABLE_BYTES (UINT64_C(256) << 20)

#define PORT_ACTIVE 4

static int find_sm(struct mad_link *l, weft_time wait)
{
    weft_time until = l->now + wait;

    while (l->is.sm_lid == 0 && l->now < until && !l->ended) {
        weft_time look = l->now + LOOK_EVERY;

        mad_link_wait(l, look < until ? look : until);
        mad_link_move(l);
        (void)mad_link_look(l);
    }
    if (l->is.sm_lid != 0)
        return CLI_DONE;
    message("no SM on this subnet: %s knows of none", l->where);
    if (l->is.state < PORT_ACTIVE)
        message_try("opensm on one of its nodes; the port is not active without it");
    else
        message_try("opensm on one of its nodes");
    return CLI_FAILED;
}

static void configure(const struct sa_request *request, const struct mad_link *l,
                      struct weft_sa_config *ret)
{
    (void)weft_sa_config_init(ret);
    ret->sm_key = request->sm_key;
    ret->pkeys = l->pkeys;
    wire_set_be64(ret->gid, l->is.gid_prefix);
    wire_set_be64(ret->gid + 8, l->is.guid);
    if (request->timeout == 0)
        return;
    ret->patience = request->timeout;
    if (ret->timeout > request->timeout)
        ret->timeout = request->timeout;
    if (ret->table_timeout > request->timeout)
        ret->table_timeout = request->timeout;
}

int sa_session_open(struct sa_session *s, const struct sa_request *request)
{
    const struct weft_mad_agent_req agent = weft_sa_agent(request->reports);
    struct weft_mad_config config;
    struct weft_sa_config how;
    weft_mad_agent_id id;
    uint16_t pkey_index;
    int exit_code;
    int err;

    (void)weft_mad_config_init(&config);
    config.rmpp.bytes_max = TABLE_BYTES;
    exit_code = mad_place_open(request->place, &config, &s->link);
    if (exit_code == CLI_DONE)
        exit_code = find_sm(&s->link, request->wait);
    if (exit_code == CLI_DONE)
        exit_code = mad_place_pkey(&s->link, &pkey_index);
    if (exit_code == CLI_DONE)
        exit_code = mad_place_agent(&s->link, &agent, &id);
    if (exit_code != CLI_DONE)
        return exit_code;
    configure(request, &s->link, &how);
    how.pkey_index = pkey_index;
    s->trusted = request->sm_key != 0;
    how.seed = s->link.now;
    err = weft_sa_new(&how, s->link.engine, id, NULL, &s->sa);
    if (err)
        return message_failed("the SA cannot be asked: %s", weft_strerror(err));
    weft_sa_sm(s->sa, s->link.now, s->link.is.sm_lid, s->link.is.sm_sl);
    return CLI_DONE;
}

void sa_session_close(struct sa_session *s)
{
    mad_link_close(&s->link);
    s->sa = weft_sa_free(s->sa);
}

struct weft_sa_question sa_session_all(uint16_t attr_id, uint64_t about)
{
    return (struct weft_sa_question){
        .method = WEFT_METHOD_GET_TABLE, .attr_id = attr_id, .about = about};
}

bool sa_session_poll(struct sa_session *s, struct sa_answer *ret, int *ret_exit_code)
{
    struct weft_sa_result r;
    size_t bytes;

    if (!weft_sa_poll(s->sa, &r))
        return false;
    bytes = (size_t)r.count * r.stride;
    *ret = (struct sa_answer){.result = r, .records = bytes > 0 ? malloc(bytes) : NULL};
    ret->result.records = ret->records;
    if (bytes > 0 && !ret->records) {
        *ret_exit_code = message_failed("there is no memory for the answers");
        return false;
    }
    if (bytes > 0)
        memcpy(ret->records, r.records, bytes);
    return true;
}

static bool feed(struct sa_session *s)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(s->link.engine, &ev)) {
        any = true;
        weft_sa_event(s->sa, s->link.now, &ev);
        if (ev.type == WEFT_MAD_EVENT_RECV)
            (void)weft_mad_recv_release(s->link.engine, ev.u.recv.id);
    }
    return any;
}

int sa_session_turn(struct sa_session *s, weft_time until)
{
    weft_time next;

    weft_sa_move(s->sa, s->link.now);
    if (s->link.ended)
        return message_failed("%s", mad_link_why_ended(&s->link));
    mad_link_move(&s->link);
    if (feed(s))
        return CLI_DONE;
    next = weft_sa_deadline(s->sa);
    next = next < s->look ? next : s->look;
    mad_link_wait(&s->link, next < until ? next : until);
    if (s->link.now < s->look)
        return CLI_DONE;
    if (mad_link_look(&s->link))
        weft_sa_sm(s->sa, s->link.now, s->link.is.sm_lid, s->link.is.sm_sl);
    s->look = s->link.now + LOOK_EVERY;
    return CLI_DONE;
}

static int wait_for_all(struct sa_session *s, struct sa_answer *ret, size_t left)
{
    int exit_code = CLI_DONE;
    struct sa_answer a;

    for (;;) {
        weft_sa_move(s->sa, s->link.now);
        while (sa_session_poll(s, &a, &exit_code)) {
            ret[a.result.question.about] = a;
            left--;
        }
        if (exit_code == CLI_DONE && left > 0)
            exit_code = sa_session_turn(s, WEFT_TIME_NEVER);
        if (exit_code != CLI_DONE || left == 0)
            return exit_code;
    }
}

int sa_session_ask(struct sa_session *s, const struct weft_sa_question *questions, size_t count,
                   struct sa_answer *ret)
{
    memset(ret, 0, count * sizeof(ret[0]));
    mad_link_move(&s->link);
    s->look = s->link.now + LOOK_EVERY;
    for (size_t i = 0; i < count; i++) {
        int err = weft_sa_ask(s->sa, s->link.now, &questions[i]);

        if (err)
            return message_failed("the SA cannot be asked: %s", weft_strerror(err));
    }
    return wait_for_all(s, ret, count);
}

void sa_answers_clear(struct sa_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(answers[i].records);
        answers[i].records = NULL;
    }
}

const uint8_t *sa_answer_record(const struct sa_answer *a, uint32_t i)
{
    return a->records + (size_t)i * a->result.stride;
}

static const char *name_of(const struct sa_answer *a)
{
    const struct sa_kind *kind = sa_kind_of(a->result.question.attr_id);

    return kind ? kind->name : "this attribute";
}

static void explain_one(const struct sa_session *s, const struct sa_answer *a)
{
    const struct weft_sa_result *r = &a->result;
    uint16_t lid = r->lid != 0 ? r->lid : s->link.is.sm_lid;
    const char *times = r->asked == 1 ? "time" : "times";
    char took[QUANTITY_TEXT_BYTES];

    quantity_print_duration(r->took, took);
    switch (r->outcome) {
    case WEFT_SA_ANSWERED:
        break;
    case WEFT_SA_REFUSED:
        if (r->status == WEFT_SA_STATUS_TOO_MANY_RECORDS && mad_link_cuts_tables(&s->link)) {
            message("%s: the answer has more than one MAD, and ibsim carries one", name_of(a));
            message_try("weft sa raw with a --field, or weft fabric, which carries whole tables");
            break;
        }
        message("%s: %s (status 0x%04x)", name_of(a), sa_status_text(r->status), r->status);
        if ((r->status == WEFT_SA_STATUS_REQUEST_INVALID || r->status == WEFT_SA_STATUS_DENIED) &&
            !s->trusted)
            message_try("--sm-key KEY: some records are for trusted clients only");
        break;
    case WEFT_SA_ABSENT:
        message("no SA at LID %u: a port answers there, but no SM runs any more", lid);
        message_try("opensm on one of the nodes; the port learns from it where the SM is");
        break;
    case WEFT_SA_SILENT:
        message("the SM at LID %u does not answer: asked %u %s over %s", lid, r->asked, times,
                took);
        message_try("sminfo, which asks the SM itself; the port may still name one that has died");
        break;
    case WEFT_SA_BUSY:
        message("the SA at LID %u is BUSY: asked %u %s over %s", lid, r->asked, times, took);
        message_try("again later, or a longer --timeout");
        break;
    case WEFT_SA_NO_SM:
        message("no SM on this subnet any more");
        break;
    case WEFT_SA_ABORTED:
        message("%s: the transfer was broken off each of %u times (RMPP status %u)", name_of(a),
                r->asked, r->rmpp_status);
        break;
    case WEFT_SA_UNSENT:
        message("%s cannot send to the SM at LID %u", s->link.where, lid);
        break;
    case WEFT_SA_MALFORMED:
        message("%s: the SM at LID %u answers, but not to this", name_of(a), lid);
        break;
    case WEFT_SA_NO_MEMORY:
        message("%s: there is no memory for the answer", name_of(a));
        break;
    }
}

void sa_session_explain(struct sa_session *s, const struct sa_answer *a)
{
    enum weft_sa_outcome outcome = a->result.outcome;
    bool for_all = outcome == WEFT_SA_ABSENT || outcome == WEFT_SA_SILENT ||
                   outcome == WEFT_SA_BUSY || outcome == WEFT_SA_NO_SM || outcome == WEFT_SA_UNSENT;

    if (for_all && s->explained[outcome])
        return;
    s->explained[outcome] = for_all;
    explain_one(s, a);
}

json_t *sa_session_document(const struct sa_session *s, const char *query, bool complete)
{
    struct weft_sa_stats stats;

    weft_sa_stats(s->sa, &stats);
    return json_pack("{s:s, s:s, s:b, s:i, s:I, s:I, s:I}", "schema", "weft.sa/1", "query", query,
                     "complete", complete, "sm_lid", s->link.is.sm_lid, "requests",
                     (json_int_t)stats.sent, "busy", (json_int_t)stats.busy, "silent",
                     (json_int_t)stats.silent);
}
