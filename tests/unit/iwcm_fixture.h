/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What tests of the connection manager share: one with four QPs, a provider that does what the test
 * says, and books that check every event and command. After each step everything is recounted.
 */
#ifndef WEFT_TESTS_IWCM_FIXTURE_H
#define WEFT_TESTS_IWCM_FIXTURE_H

#include "core/iwcm/audit.h"
#include "iwcm_books.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum {
    CX_QPS = 4,         /* known from the start: 1 to 4 */
    CX_USER = 0xC0FFEE, /* user data of every id */
    CX_PROVIDER = 50    /* what the provider calls things */
};

struct cx {
    struct weft_iwcm *cm;
    struct books books;
};

static const struct weft_iw_addr cx_here = {.family = 4, .port = 7174, .ip = {192, 0, 2, 1}};
static const struct weft_iw_addr cx_there = {.family = 4, .port = 900, .ip = {192, 0, 2, 2}};

static inline void cx_sound(struct cx *x)
{
    const char *broken = iwcm_audit(x->cm);

    if (!broken)
        broken = books_check(&x->books, x->cm);
    if (broken)
        fail_msg("broken: %s", broken);
    books_sweep(&x->books, x->cm);
}

static inline struct cx *cx_new_sized(uint32_t ids, uint32_t backlog)
{
    struct weft_iwcm_config c = WEFT_IWCM_CONFIG_INIT;
    struct cx *x = calloc(1, sizeof(*x));

    assert_non_null(x);
    c.ids = ids;
    c.qps = CX_QPS;
    c.backlog = backlog;
    assert_int_equal(weft_iwcm_new(&c, NULL, &x->cm), 0);
    for (uint32_t qpn = 1; qpn <= CX_QPS; qpn++)
        assert_int_equal(weft_iwcm_qp_add(x->cm, qpn), 0);
    return x;
}

static inline struct cx *cx_new(void)
{
    return cx_new_sized(4, 2);
}

static inline void cx_free(struct cx *x)
{
    cx_sound(x);
    assert_null(weft_iwcm_free(x->cm));
    free(x);
}

static inline struct weft_iwcm_stats cx_stats(const struct cx *x)
{
    struct weft_iwcm_stats s;

    weft_iwcm_stats(x->cm, &s);
    return s;
}

static inline enum weft_iwcm_state cx_state(const struct cx *x, weft_iwcm_id id)
{
    enum weft_iwcm_state s;

    assert_int_equal(weft_iwcm_state(x->cm, id, &s), 0);
    return s;
}

/* The page of an id, which has one. */
static inline struct book *cx_page(struct cx *x, weft_iwcm_id id)
{
    struct book *k = books_find(&x->books, id);

    if (!k) {
        fail_msg("the books do not have the id");
        abort();
    }
    return k;
}

static inline struct book *cx_new_page(struct cx *x, weft_iwcm_id id)
{
    (void)books_open(&x->books, id);
    return cx_page(x, id);
}

/* The client */

static inline weft_iwcm_id cx_id(struct cx *x)
{
    weft_iwcm_id id;

    assert_int_equal(weft_iwcm_create(x->cm, CX_USER, &id), 0);
    cx_new_page(x, id)->known = true;
    return id;
}

static inline struct weft_iwcm_param cx_param(uint32_t qpn)
{
    return (struct weft_iwcm_param){.ird = 3, .ord = 5, .qpn = qpn};
}

static inline void cx_called(struct cx *x, weft_iwcm_id id, enum weft_iwcm_call call)
{
    books_called(cx_page(x, id), call);
    cx_sound(x);
}

static inline void cx_connect(struct cx *x, weft_iwcm_id id, uint32_t qpn)
{
    struct weft_iwcm_param p = cx_param(qpn);

    assert_int_equal(weft_iwcm_connect(x->cm, id, NULL, &cx_there, &p), 0);
    cx_called(x, id, WEFT_IWCM_CALL_CONNECT);
}

static inline void cx_listen(struct cx *x, weft_iwcm_id id)
{
    assert_int_equal(weft_iwcm_listen(x->cm, id, &cx_here, 0), 0);
    cx_called(x, id, WEFT_IWCM_CALL_LISTEN);
}

static inline void cx_accept(struct cx *x, weft_iwcm_id id, uint32_t qpn)
{
    struct weft_iwcm_param p = cx_param(qpn);

    assert_int_equal(weft_iwcm_accept(x->cm, id, &p), 0);
    cx_called(x, id, WEFT_IWCM_CALL_ACCEPT);
}

static inline void cx_reject(struct cx *x, weft_iwcm_id id)
{
    assert_int_equal(weft_iwcm_reject(x->cm, id, "no", 2), 0);
    cx_called(x, id, WEFT_IWCM_CALL_REJECT);
}

static inline void cx_disconnect(struct cx *x, weft_iwcm_id id, bool abrupt)
{
    assert_int_equal(weft_iwcm_disconnect(x->cm, id, abrupt), 0);
    cx_called(x, id, WEFT_IWCM_CALL_DISCONNECT);
}

static inline void cx_destroy(struct cx *x, weft_iwcm_id id)
{
    assert_int_equal(weft_iwcm_destroy(x->cm, id), 0);
    cx_page(x, id)->destroyed = true;
    cx_sound(x);
}

static inline void cx_no_event(struct cx *x)
{
    struct weft_iwcm_event ev;

    assert_false(weft_iwcm_poll_event(x->cm, &ev));
}

/* The next event, which is of this type and for this id. */
static inline struct weft_iwcm_event cx_event(struct cx *x, weft_iwcm_id id,
                                              enum weft_iwcm_event_type type)
{
    struct weft_iwcm_event ev;
    const char *broken;

    assert_true(weft_iwcm_poll_event(x->cm, &ev));
    assert_string_equal(weft_iwcm_event_name(ev.type), weft_iwcm_event_name(type));
    assert_int_equal(ev.id.v, id.v);
    broken = books_event(&x->books, &ev);
    if (broken)
        fail_msg("broken: %s", broken);
    cx_sound(x);
    return ev;
}

static inline void cx_done_event(struct cx *x, weft_iwcm_id id, enum weft_iwcm_call call,
                                 enum weft_iwcm_status status)
{
    struct weft_iwcm_event ev = cx_event(x, id, WEFT_IWCM_EVENT_DONE);

    assert_int_equal(ev.call, call);
    assert_int_equal(ev.status, status);
}

/* The provider */

static inline void cx_no_cmd(struct cx *x)
{
    struct weft_iwcm_cmd cmd;

    assert_false(weft_iwcm_poll_cmd(x->cm, &cmd));
}

/* Takes the next command, which is of this type and for this id. */
static inline struct weft_iwcm_cmd cx_take(struct cx *x, weft_iwcm_id id,
                                           enum weft_iwcm_cmd_type type)
{
    struct weft_iwcm_cmd cmd;
    const char *broken;

    assert_true(weft_iwcm_poll_cmd(x->cm, &cmd));
    assert_string_equal(weft_iwcm_cmd_name(cmd.type), weft_iwcm_cmd_name(type));
    assert_int_equal(cmd.id.v, id.v);
    broken = books_cmd(&x->books, &cmd);
    if (broken)
        fail_msg("broken: %s", broken);
    cx_sound(x);
    return cmd;
}

/* Answers the command that it has taken. */
static inline void cx_answer(struct cx *x, weft_iwcm_id id, enum weft_iwcm_status status)
{
    struct book *k = cx_page(x, id);
    enum weft_iwcm_cmd_type type = (enum weft_iwcm_cmd_type)k->cmd;

    assert_true(books_may_answer(k, type, status));
    assert_int_equal(weft_iwcm_cmd_done(x->cm, id, type, status, CX_PROVIDER, &cx_here), 0);
    books_answered(k, status);
    cx_sound(x);
}

static inline void cx_serve(struct cx *x, weft_iwcm_id id, enum weft_iwcm_cmd_type type)
{
    (void)cx_take(x, id, type);
    cx_answer(x, id, WEFT_IWCM_OK);
}

static inline struct weft_iwcm_upcall cx_upcall(enum weft_iwcm_upcall_type type,
                                                enum weft_iwcm_status status)
{
    return (struct weft_iwcm_upcall){.type = type,
                                     .status = status,
                                     .provider = CX_PROVIDER,
                                     .peer = {.ird = 7, .ord = 9},
                                     .local = cx_here,
                                     .remote = cx_there};
}

static inline void cx_up(struct cx *x, weft_iwcm_id id, enum weft_iwcm_upcall_type type,
                         enum weft_iwcm_status status)
{
    struct weft_iwcm_upcall u = cx_upcall(type, status);
    struct book *k = cx_page(x, id);

    assert_true(books_may_say(k, type));
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, NULL), 0);
    books_said(k, type, status);
    cx_sound(x);
}

/* A peer asks; the REQUEST waits to be polled. */
static inline weft_iwcm_id cx_request(struct cx *x, weft_iwcm_id listener)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    weft_iwcm_id id;

    assert_int_equal(weft_iwcm_upcall(x->cm, listener, &u, &id), 0);
    cx_new_page(x, id)->has = HAS_REQUEST;
    cx_sound(x);
    return id;
}

/* Says what the provider may not say: refused, counted, and the client hears nothing. */
static inline void cx_misbehave(struct cx *x, weft_iwcm_id id, enum weft_iwcm_upcall_type type,
                                enum weft_iwcm_status status, int err)
{
    struct weft_iwcm_upcall u = cx_upcall(type, status);
    struct weft_iwcm_stats before = cx_stats(x);
    weft_iwcm_id child = {0};

    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, &child), err);
    assert_int_equal(child.v, 0);
    assert_int_equal(cx_stats(x).violations, before.violations + 1);
    assert_memory_equal(cx_stats(x).events, before.events, sizeof(before.events));
    cx_sound(x);
}

/* Longer ways */

/* A listener that listens. */
static inline weft_iwcm_id cx_listener(struct cx *x)
{
    weft_iwcm_id id = cx_id(x);

    cx_listen(x, id);
    cx_serve(x, id, WEFT_IWCM_CMD_LISTEN);
    cx_done_event(x, id, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_OK);
    return id;
}

/* A request that the client has polled. */
static inline weft_iwcm_id cx_child(struct cx *x, weft_iwcm_id listener)
{
    weft_iwcm_id id = cx_request(x, listener);

    (void)cx_event(x, id, WEFT_IWCM_EVENT_REQUEST);
    return id;
}

/* A connection by connect. */
static inline weft_iwcm_id cx_connected(struct cx *x, uint32_t qpn)
{
    weft_iwcm_id id = cx_id(x);

    cx_connect(x, id, qpn);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_ESTABLISHED);
    return id;
}

/* A connection by accept. */
static inline weft_iwcm_id cx_accepted(struct cx *x, uint32_t qpn)
{
    weft_iwcm_id id = cx_child(x, cx_listener(x));

    cx_accept(x, id, qpn);
    cx_serve(x, id, WEFT_IWCM_CMD_ACCEPT);
    cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_ESTABLISHED);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_ESTABLISHED);
    return id;
}

/* The last event of an id that was destroyed. */
static inline void cx_gone(struct cx *x, weft_iwcm_id id)
{
    struct weft_iwcm_event ev = cx_event(x, id, WEFT_IWCM_EVENT_GONE);
    enum weft_iwcm_state state;

    assert_int_equal(ev.user_data, CX_USER);
    assert_int_equal(weft_iwcm_state(x->cm, id, &state), WEFT_ERR_STALE);
}

static inline bool cx_bound(const struct cx *x, uint32_t qpn, weft_iwcm_id id)
{
    weft_iwcm_id owner;

    return weft_iwcm_qp_owner(x->cm, qpn, &owner) == 0 && owner.v == id.v;
}

#endif
