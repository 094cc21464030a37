/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole RMPP transfers between two ports: every packet lost, doubled and overtaken in turn;
 * requests and answers of many segments; 64 MiB. */
#include "mad_fixture.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 56 /* of an SA message */

/* What both ends of a wire do: `a` asks with a message, `b` answers with another. */
struct talk {
    uint32_t ask_bytes, answer_bytes; /* of user data */
    bool ask_is_plain;                /* one packet without RMPP */
    bool no_answer;
    uint8_t retries;
    uint8_t *ask, *answer;
    unsigned asked, answers, done_a, done_b; /* messages delivered, sends reported */
    enum weft_mad_status status_a, status_b;
};

static uint8_t content(uint32_t i, uint8_t salt)
{
    return (uint8_t)(i * 13 + i / 251 + salt);
}

static uint8_t *message(uint8_t method, uint64_t tid, uint32_t bytes, uint8_t salt)
{
    uint32_t len = HEAD + bytes < WEFT_MAD_BYTES ? WEFT_MAD_BYTES : HEAD + bytes;
    uint8_t *m = malloc(len);

    assert_non_null(m);
    fx_mad(m, FX_SA, method, tid);
    rmpp_set_flags(m, WEFT_RMPP_FLAG_ACTIVE);
    for (uint32_t i = 0; i < bytes; i++)
        m[HEAD + i] = content(i, salt);
    return m;
}

/* Reads a message in parts and compares its bytes. */
static void check_message(struct fx *at, uint32_t bytes, uint8_t salt)
{
    weft_mad_recv_id id = at->event.u.recv.id;
    static uint8_t part[65521];

    assert_int_equal(at->event.u.recv.len, HEAD + bytes);
    for (uint32_t off = 0; off < bytes; off += sizeof(part)) {
        uint32_t n = bytes - off < sizeof(part) ? bytes - off : (uint32_t)sizeof(part);

        assert_int_equal(weft_mad_recv_read(at->port, id, HEAD + off, part, n), 0);
        for (uint32_t i = 0; i < n; i++) {
            if (part[i] != content(off + i, salt))
                fail_msg("byte %u is wrong", off + i);
        }
    }
}

static void post_answer(struct fx *b, struct talk *t)
{
    struct weft_mad_send_req r = {.agent = b->agent, .retries = t->retries};

    t->answer =
        message(WEFT_METHOD_GET_MULTI_RESP, mad_tid(b->event.u.recv.mad), t->answer_bytes, 2);
    r.data = t->answer;
    r.len = HEAD + t->answer_bytes;
    r.to = b->event.u.recv.from;
    assert_int_equal(weft_mad_post(b->port, b->now, &r, NULL), 0);
}

static void serve(struct fx_wire *w, struct fx *at)
{
    struct talk *t = w->ctx;
    const struct weft_mad_event *ev = &at->event;

    if (ev->type == WEFT_MAD_EVENT_SEND_DONE) {
        *(at == w->a ? &t->status_a : &t->status_b) = ev->u.sent.status;
        (*(at == w->a ? &t->done_a : &t->done_b))++;
        return;
    }
    if (at == w->b) {
        t->asked++;
        if (!t->ask_is_plain)
            check_message(at, t->ask_bytes, 1);
        if (!t->no_answer && !t->answer)
            post_answer(at, t);
    } else {
        t->answers++;
        assert_int_equal(t->done_a, 0); /* RECV before SEND_DONE */
        check_message(at, t->answer_bytes, 2);
    }
    assert_int_equal(weft_mad_recv_release(at->port, ev->u.recv.id), 0);
}

static struct fx_wire wire_new(const struct weft_mad_config *c)
{
    struct fx_wire w = {.a = fx_new_rmpp(c, FX_SA), .b = fx_new_rmpp(c, FX_SA)};

    w.b->lid = FX_PEER_LID;
    assert_int_equal(weft_mad_port_set_lid(w.b->port, FX_PEER_LID, 0), 0);
    w.serve = serve;
    return w;
}

/* Runs a talk to its end; both ports are idle afterwards. */
static void run(struct fx_wire *w, struct talk *t)
{
    struct weft_mad_send_req r = fx_request(w->a, 1);

    w->ctx = t;
    t->ask = message(WEFT_METHOD_GET_MULTI, 1, t->ask_bytes, 1);
    if (t->ask_is_plain)
        rmpp_set_flags(t->ask, 0);
    r.data = t->ask;
    r.len = t->ask_is_plain ? WEFT_MAD_BYTES : HEAD + t->ask_bytes;
    r.timeout = t->no_answer ? 0 : 30 * WEFT_S;
    r.retries = t->retries;
    fx_post(w->a, &r);
    fx_wire_run(w, WEFT_TIME_NEVER - 1);
    fx_expect_idle(w->a);
    fx_expect_idle(w->b);
    free(t->ask);
    free(t->answer);
}

static void wire_free(struct fx_wire *w)
{
    fx_free(w->a);
    fx_free(w->b);
}

/* Both sides were served once and say so. */
static void expect_success(const struct talk *t)
{
    assert_true(t->asked == 1 || (t->ask_is_plain && t->asked > 1));
    assert_int_equal(t->done_a, 1);
    assert_int_equal(t->status_a, WEFT_MAD_OK);
    if (t->no_answer)
        return;
    assert_int_equal(t->answers, 1);
    assert_int_equal(t->done_b, 1);
    assert_int_equal(t->status_b, WEFT_MAD_OK);
}

/* The talk once on a good wire, then with each of its packets treated in this way. */
static void with_each_packet(const struct talk *pattern, const struct weft_mad_config *c,
                             enum fx_fate action)
{
    unsigned packets = 1;

    for (unsigned n = 0; n <= packets; n++) {
        struct fx_wire w = wire_new(c);
        struct talk t = *pattern;

        if (n > 0) {
            w.fate = fx_fate_special;
            w.special = n - 1;
            w.action = action;
        }
        run(&w, &t);
        expect_success(&t);
        if (n == 0)
            packets = w.packets;
        wire_free(&w);
    }
    assert_true(packets >= 2);
}

static void test_one_sided_transfers_with_each_packet_lost_doubled_or_overtaken(void **state)
{
    static const uint32_t sizes[] = {0, 1, 200, 201, 5 * 200, 9 * 200 + 1};
    struct weft_mad_config c = fx_config();

    (void)state;
    c.rmpp.window = 3;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct talk t = {.ask_bytes = sizes[i], .no_answer = true, .retries = 3};

        with_each_packet(&t, &c, FX_LOSE);
        with_each_packet(&t, &c, FX_TWICE);
        with_each_packet(&t, &c, FX_SWAP);
    }
}

static void test_double_sided_transfers_with_each_packet_doubled_or_overtaken(void **state)
{
    struct weft_mad_config c = fx_config();
    const struct talk t = {.ask_bytes = 900, .answer_bytes = 1100, .retries = 3};

    (void)state;
    c.rmpp.window = 3;
    with_each_packet(&t, &c, FX_TWICE);
    with_each_packet(&t, &c, FX_SWAP);
}

static void test_double_sided_transfers_with_each_packet_lost_even_the_grant(void **state)
{
    struct weft_mad_config c = fx_config();
    const struct talk t = {.ask_bytes = 900, .answer_bytes = 1100, .retries = 3};

    (void)state;
    c.rmpp.window = 3;
    with_each_packet(&t, &c, FX_LOSE);
}

static void test_an_answer_of_many_segments_to_a_plain_request(void **state)
{
    struct weft_mad_config c = fx_config();
    const struct talk t = {.ask_is_plain = true, .answer_bytes = 2500, .retries = 3};

    (void)state;
    c.rmpp.window = 4;
    with_each_packet(&t, &c, FX_TWICE);
    with_each_packet(&t, &c, FX_SWAP);
    with_each_packet(&t, &c, FX_LOSE);
}

/* Everything from one number on is lost: the wire is cut. */
static enum fx_fate cut(struct fx_wire *w, const uint8_t *mad, bool from_a)
{
    (void)mad;
    (void)from_a;
    return w->packets >= w->special ? FX_LOSE : FX_DELIVER;
}

static void test_a_wire_cut_at_any_packet_leaves_both_sides_idle(void **state)
{
    struct weft_mad_config c = fx_config();
    const struct talk pattern = {.ask_bytes = 900, .answer_bytes = 1100, .retries = 1};

    (void)state;
    c.rmpp.window = 3;
    for (unsigned n = 0; n < 24; n++) {
        struct fx_wire w = wire_new(&c);
        struct talk t = pattern;

        w.fate = cut;
        w.special = n;
        run(&w, &t); /* ends: each send is reported once */
        assert_int_equal(t.done_a, 1);
        assert_int_equal(t.done_b, t.answer ? 1 : 0);
        assert_true(t.status_a == WEFT_MAD_OK || t.status_a == WEFT_MAD_TIMEOUT);
        assert_int_equal(t.status_a == WEFT_MAD_OK, t.answers == 1);
        wire_free(&w);
    }
}

/* Loses, doubles and swaps a fifth of all packets. */
static enum fx_fate rough(struct fx_wire *w, const uint8_t *mad, bool from_a)
{
    uint32_t draw = index_hash(w->packets * UINT64_C(1000003) + w->special) % 20;

    (void)mad;
    (void)from_a;
    return draw == 0 ? FX_LOSE : draw == 1 ? FX_TWICE : draw < 4 ? FX_SWAP : FX_DELIVER;
}

static void test_a_rough_wire_only_costs_time(void **state)
{
    struct weft_mad_config c = fx_config();

    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct fx_wire w = wire_new(&c);
        struct talk t = {.ask_bytes = 20000, .no_answer = true, .retries = 20};

        w.fate = rough;
        w.special = seed;
        run(&w, &t);
        expect_success(&t);
        wire_free(&w);
    }
}

static void test_64_MiB(void **state)
{
    struct weft_mad_config c = fx_config();
    struct talk t = {.ask_bytes = 64 << 20, .no_answer = true};
    struct fx_wire w;

    (void)state;
    c.rmpp.bytes_max = 80 << 20;
    c.rmpp.window = 1024;
    w = wire_new(&c);
    run(&w, &t);
    expect_success(&t);
    assert_true(w.packets >= (64 << 20) / 200);
    wire_free(&w);
}

static void test_the_second_step_of_a_double_sided_transfer(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f = fx_new_rmpp(&c, FX_SA);
    struct fx_segment s = {.mgmt_class = FX_SA,
                           .method = WEFT_METHOD_GET_MULTI,
                           .tid = 0x55500000001,
                           .type = WEFT_RMPP_DATA,
                           .flags = WEFT_RMPP_FLAG_FIRST | WEFT_RMPP_FLAG_LAST,
                           .segment = 1,
                           .length = 220};
    struct weft_mad_send_req r;
    uint8_t *answer = message(WEFT_METHOD_GET_MULTI_RESP, s.tid, 2000, 3);

    (void)state;
    fx_rx_segment(f, &s);
    fx_send(f); /* ACK 1 */
    s.type = WEFT_RMPP_ACK;
    s.flags = 0;
    s.segment = 0;
    s.length = 4; /* a peer that grants more than 1 */
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
    s.length = 0; /* no window at all is no grant */
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_RMPP);
    r = fx_request(f, 1);
    r.data = answer;
    r.len = HEAD + 2000;
    r.timeout = 0;
    fx_post(f, &r);
    for (uint32_t n = 1; n <= 4; n++) {
        fx_send(f);
        assert_int_equal(rmpp_segment(f->packet), n);
    }
    assert_true(fx_tx_empty(f));
    /* the same ACK once more, late: it counts as one of segment 0 and does nothing */
    s.length = 4;
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
    assert_true(fx_tx_empty(f));
    fx_free(f);
    free(answer);
}

static void test_without_a_grant_an_answer_begins_with_one_segment(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    uint8_t *answer = message(WEFT_METHOD_GET_MULTI_RESP, 0x55500000001, 2000, 3);

    (void)state;
    r.data = answer;
    r.len = HEAD + 2000;
    r.timeout = 0;
    fx_post(f, &r);
    fx_send(f);
    assert_true(fx_tx_empty(f));
    fx_free(f);
    free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sided_transfers_with_each_packet_lost_doubled_or_overtaken),
        cmocka_unit_test(test_double_sided_transfers_with_each_packet_doubled_or_overtaken),
        cmocka_unit_test(test_double_sided_transfers_with_each_packet_lost_even_the_grant),
        cmocka_unit_test(test_an_answer_of_many_segments_to_a_plain_request),
        cmocka_unit_test(test_a_wire_cut_at_any_packet_leaves_both_sides_idle),
        cmocka_unit_test(test_a_rough_wire_only_costs_time),
        cmocka_unit_test(test_64_MiB),
        cmocka_unit_test(test_the_second_step_of_a_double_sided_transfer),
        cmocka_unit_test(test_without_a_grant_an_answer_begins_with_one_segment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
