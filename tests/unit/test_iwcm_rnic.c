/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A device in the manner of the RDMAC verbs as provider, and two programs on it that talk to each
 * other: the device gets the connection's id at connect or accept, moves the QP through its states,
 * answers late, and closes in good order or not. Nothing of it is software iWARP's. */
#include "iwcm_fixture.h"

enum qp_state {
    QP_IDLE,
    QP_RTS,
    QP_CLOSING,
    QP_ERROR
};

enum {
    QPS = CX_QPS + 1,
    NOBODY = 0
};

/* A connection is its two QPs; a request waits at its active side's QP. */
struct rnic {
    struct cx *x;
    weft_iwcm_id listener, owner[QPS];
    enum qp_state qp[QPS];
    uint32_t peer[QPS];
    uint32_t asking; /* the QP whose request waits at the listener, or NOBODY */
    weft_iwcm_id asked;
};

static void say(struct rnic *r, weft_iwcm_id id, enum weft_iwcm_upcall_type type,
                enum weft_iwcm_status status)
{
    cx_up(r->x, id, type, status);
}

/* The request reaches the listener on the same device. */
static void ask(struct rnic *r, uint32_t qpn)
{
    if (r->listener.v == 0 || r->asking != NOBODY) {
        say(r, r->owner[qpn], WEFT_IWCM_UP_REPLY, WEFT_IWCM_REFUSED);
        return;
    }
    r->asking = qpn;
    r->asked = cx_request(r->x, r->listener);
}

static void answer_request(struct rnic *r, uint32_t qpn)
{
    uint32_t active = r->asking;

    r->asking = NOBODY;
    if (qpn == NOBODY) {
        say(r, r->owner[active], WEFT_IWCM_UP_REPLY, WEFT_IWCM_REJECTED);
        return;
    }
    r->peer[active] = qpn;
    r->peer[qpn] = active;
    r->qp[active] = r->qp[qpn] = QP_RTS;
    say(r, r->owner[qpn], WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    say(r, r->owner[active], WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
}

static void end(struct rnic *r, uint32_t qpn, enum weft_iwcm_status status)
{
    r->qp[qpn] = status == WEFT_IWCM_OK ? QP_IDLE : QP_ERROR;
    r->peer[qpn] = NOBODY;
    say(r, r->owner[qpn], WEFT_IWCM_UP_CLOSE, status);
}

/* One side ends: in good order both sides finish, abruptly both are reset. */
static void end_both(struct rnic *r, uint32_t qpn, bool orderly)
{
    uint32_t peer = r->peer[qpn];
    enum weft_iwcm_status status = orderly ? WEFT_IWCM_OK : WEFT_IWCM_RESET;

    if (orderly) {
        r->qp[qpn] = r->qp[peer] = QP_CLOSING;
        say(r, r->owner[peer], WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    }
    end(r, peer, status);
    end(r, qpn, status);
}

/* Takes a command and answers it; what follows from it is said afterwards.
 * @return whether there was one */
static bool serve(struct rnic *r)
{
    struct weft_iwcm_cmd cmd;
    uint32_t qpn = NOBODY;

    if (!weft_iwcm_poll_cmd(r->x->cm, &cmd))
        return false;
    assert_null(books_cmd(&r->x->books, &cmd));
    if (cmd.type == WEFT_IWCM_CMD_CONNECT || cmd.type == WEFT_IWCM_CMD_ACCEPT) {
        qpn = cmd.param.qpn;
        r->owner[qpn] = cmd.id;
    }
    for (uint32_t i = 1; i < QPS; i++) {
        if (r->owner[i].v == cmd.id.v)
            qpn = i;
    }
    cx_answer(r->x, cmd.id, WEFT_IWCM_OK);
    if (cmd.type == WEFT_IWCM_CMD_LISTEN)
        r->listener = cmd.id;
    if (cmd.type == WEFT_IWCM_CMD_UNLISTEN)
        r->listener = (weft_iwcm_id){0};
    if (cmd.type == WEFT_IWCM_CMD_CONNECT)
        ask(r, qpn);
    if (cmd.type == WEFT_IWCM_CMD_ACCEPT || cmd.type == WEFT_IWCM_CMD_REJECT)
        answer_request(r, cmd.type == WEFT_IWCM_CMD_ACCEPT ? qpn : NOBODY);
    if (cmd.type == WEFT_IWCM_CMD_CLOSE || cmd.type == WEFT_IWCM_CMD_ABORT)
        end_both(r, qpn, cmd.type == WEFT_IWCM_CMD_CLOSE);
    return true;
}

static void run(struct rnic *r)
{
    while (serve(r))
        ;
}

static struct rnic rnic_new(void)
{
    struct rnic r = {.x = cx_new()};
    weft_iwcm_id id = cx_id(r.x);

    cx_listen(r.x, id);
    run(&r);
    cx_done_event(r.x, id, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_OK);
    return r;
}

/* Ends it all; the last events are those of the ids that are left. */
static void rnic_free(struct rnic *r, const weft_iwcm_id *ids, uint32_t count)
{
    weft_iwcm_id listener = r->listener;

    for (uint32_t i = 0; i < count; i++)
        cx_destroy(r->x, ids[i]);
    cx_destroy(r->x, listener);
    for (uint32_t i = 0; i < count; i++)
        cx_gone(r->x, ids[i]);
    run(r);
    cx_gone(r->x, listener);
    cx_no_event(r->x);
    assert_int_equal(cx_stats(r->x).ids, 0);
    assert_int_equal(cx_stats(r->x).violations, 0);
    for (uint32_t qpn = 1; qpn < QPS; qpn++)
        assert_int_equal(weft_iwcm_qp_remove(r->x->cm, qpn), 0);
    cx_free(r->x);
}

/* Active on QP 1, passive on QP 2; both up and told so. */
static void connect_both(struct rnic *r, weft_iwcm_id *ret_active, weft_iwcm_id *ret_passive)
{
    *ret_active = cx_id(r->x);
    cx_connect(r->x, *ret_active, 1);
    run(r);
    *ret_passive = r->asked;
    cx_done_event(r->x, *ret_active, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    (void)cx_event(r->x, *ret_passive, WEFT_IWCM_EVENT_REQUEST);
    cx_accept(r->x, *ret_passive, 2);
    run(r);
    cx_done_event(r->x, *ret_passive, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    (void)cx_event(r->x, *ret_passive, WEFT_IWCM_EVENT_ESTABLISHED);
    (void)cx_event(r->x, *ret_active, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(r->qp[1], QP_RTS);
    assert_int_equal(r->qp[2], QP_RTS);
}

static void test_R112_R129_R132_two_ends_on_a_device_connect_and_disconnect(void **state)
{
    (void)state;
    for (int abrupt = 0; abrupt < 2; abrupt++) {
        struct rnic r = rnic_new();
        weft_iwcm_id ids[2];

        connect_both(&r, &ids[0], &ids[1]);
        cx_disconnect(r.x, ids[0], abrupt);
        run(&r);
        cx_done_event(r.x, ids[0], WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
        (void)cx_event(r.x, ids[1], WEFT_IWCM_EVENT_CLOSED);
        (void)cx_event(r.x, ids[0], WEFT_IWCM_EVENT_CLOSED);
        assert_int_equal(r.qp[1], abrupt ? QP_ERROR : QP_IDLE);
        rnic_free(&r, ids, 2);
    }
}

static void test_R112_a_rejection_reaches_the_other_end(void **state)
{
    struct rnic r = rnic_new();
    weft_iwcm_id ids[2];

    (void)state;
    ids[0] = cx_id(r.x);
    cx_connect(r.x, ids[0], 1);
    run(&r);
    ids[1] = r.asked;
    cx_done_event(r.x, ids[0], WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    (void)cx_event(r.x, ids[1], WEFT_IWCM_EVENT_REQUEST);
    cx_reject(r.x, ids[1]);
    run(&r);
    cx_done_event(r.x, ids[1], WEFT_IWCM_CALL_REJECT, WEFT_IWCM_OK);
    assert_int_equal(cx_event(r.x, ids[0], WEFT_IWCM_EVENT_REPLY).status, WEFT_IWCM_REJECTED);
    rnic_free(&r, ids, 2);
}

static void test_R112_one_end_is_destroyed_the_other_hears_CLOSED(void **state)
{
    struct rnic r = rnic_new();
    weft_iwcm_id active, passive;

    (void)state;
    connect_both(&r, &active, &passive);
    cx_destroy(r.x, passive);
    run(&r);
    assert_int_equal(cx_event(r.x, active, WEFT_IWCM_EVENT_CLOSED).status, WEFT_IWCM_RESET);
    cx_gone(r.x, passive);
    rnic_free(&r, &active, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R112_R129_R132_two_ends_on_a_device_connect_and_disconnect),
        cmocka_unit_test(test_R112_a_rejection_reaches_the_other_end),
        cmocka_unit_test(test_R112_one_end_is_destroyed_the_other_hears_CLOSED),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
