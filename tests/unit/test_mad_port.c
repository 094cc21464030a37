/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The port: configuration ranges, memory, the clock, and its counters. */
#include "mad_fixture.h"

#include <stdlib.h>
#include <string.h>

static int try_new(const struct weft_mad_config *c)
{
    struct weft_mad_port *p = (struct weft_mad_port *)1;
    uint64_t bytes = 1;
    int err = weft_mad_port_new(c, NULL, &p);

    assert_int_equal(weft_mad_port_bytes(c, &bytes, NULL), err);
    if (err == 0) {
        assert_null(weft_mad_port_free(p));
    } else {
        assert_ptr_equal(p, (struct weft_mad_port *)1);
        assert_int_equal(bytes, 1);
    }
    return err;
}

/* Tries a configuration in which one field has this value. */
#define TRY(field, value, err)                                                                     \
    do {                                                                                           \
        struct weft_mad_config c = fx_config();                                                    \
                                                                                                   \
        c.field = (value);                                                                         \
        assert_int_equal(try_new(&c), err);                                                        \
    } while (0)

static void test_every_field_has_a_range(void **state)
{
    (void)state;
    TRY(size, sizeof(struct weft_mad_config) - 1, WEFT_ERR_INVALID);
    TRY(size, 0, WEFT_ERR_INVALID);
    TRY(port_number, 0, WEFT_ERR_INVALID);
    TRY(port_number, 1, 0);
    TRY(port_number, 254, 0);
    TRY(port_number, 255, WEFT_ERR_INVALID);
    TRY(agents, 0, WEFT_ERR_INVALID);
    TRY(agents, 1, 0);
    TRY(agents, 65535, 0);
    TRY(agents, 65536, WEFT_ERR_INVALID);
    TRY(tid_first, 0, WEFT_ERR_INVALID);
    TRY(tid_first, 0xffffff - 31, 0); /* one for each of 32 agents */
    TRY(tid_first, 0xffffff - 30, WEFT_ERR_INVALID);
    TRY(tid_first, 0x1000000, WEFT_ERR_INVALID);
    TRY(tid_last, 32, 0);
    TRY(tid_last, 31, WEFT_ERR_INVALID);
    TRY(tid_last, 0, WEFT_ERR_INVALID);
    TRY(tid_last, 0x1000000, WEFT_ERR_INVALID);
    TRY(sends, 0, WEFT_ERR_INVALID);
    TRY(sends, 1, 0);
    TRY(sends, (1 << 24) + 1, WEFT_ERR_INVALID);
    TRY(recv_depth, 0, 0); /* clamped */
    TRY(recv_depth, UINT32_MAX, 0);
    TRY(send_depth, 0, 0);
    TRY(send_depth, UINT32_MAX, 0);
}

static void test_every_field_of_the_policy_has_a_range(void **state)
{
    (void)state;
    TRY(retry.kind, (enum weft_mad_retry_kind)2, WEFT_ERR_INVALID);
    TRY(retry.bound, (enum weft_mad_retry_bound)2, WEFT_ERR_INVALID);
    TRY(retry.busy, (enum weft_mad_busy)2, WEFT_ERR_INVALID);
    TRY(retry.base_ns, 510 * WEFT_MS, WEFT_ERR_INVALID); /* below the jitter */
    TRY(retry.base_ns, 3601 * WEFT_S, WEFT_ERR_INVALID);
    TRY(retry.jitter_ns, 0, 0);
    TRY(retry.jitter_ns, 511 * WEFT_MS + 1, WEFT_ERR_INVALID);
    TRY(retry.cap_ns, 511 * WEFT_MS, 0);
    TRY(retry.cap_ns, 511 * WEFT_MS - 1, WEFT_ERR_INVALID);
    TRY(retry.cap_ns, 3600 * WEFT_S, 0);
    TRY(retry.cap_ns, 3600 * WEFT_S + 1, WEFT_ERR_INVALID);
    TRY(retry.total_ns, WEFT_TIME_NEVER, 0);
}

static void test_every_field_of_flow_control_has_a_range(void **state)
{
    (void)state;
    TRY(flow.reserve, 511, 0);
    TRY(flow.reserve, 512, WEFT_ERR_INVALID);
    TRY(flow.reserve, 0, 0);
    TRY(flow.reserve, WEFT_MAD_EIGHTH, 0);
    TRY(flow.peers, 0, 0);
    TRY(flow.peers, 1 << 20, 0);
    TRY(flow.peers, (1 << 20) + 1, WEFT_ERR_INVALID);
    TRY(flow.window_initial, 0, WEFT_ERR_INVALID);
    TRY(flow.window_initial, 64, 0);
    TRY(flow.window_initial, 65, WEFT_ERR_INVALID);
    TRY(flow.window_max, 3, WEFT_ERR_INVALID); /* below the initial one */
    TRY(flow.window_max, 65535, 0);
    TRY(flow.window_max, 65536, WEFT_ERR_INVALID);
}

static void test_every_field_of_RMPP_has_a_range(void **state)
{
    (void)state;
    TRY(rmpp.window, 0, WEFT_ERR_INVALID);
    TRY(rmpp.window, 1, 0);
    TRY(rmpp.window, 1024, 0);
    TRY(rmpp.window, 1025, WEFT_ERR_INVALID);
    TRY(rmpp.transfers, 0, WEFT_ERR_INVALID);
    TRY(rmpp.transfers, 1, 0);
    TRY(rmpp.transfers, (1 << 20) + 1, WEFT_ERR_INVALID);
    TRY(rmpp.bytes_max, 0, 0);
    TRY(rmpp.bytes_max, (UINT64_C(1) << 32) - (1 << 20) + 1, WEFT_ERR_INVALID);
    TRY(rmpp.ack_ns, 0, WEFT_ERR_INVALID);
    TRY(rmpp.receive_ns, 0, WEFT_ERR_INVALID);
    TRY(rmpp.keep_ns, 0, 0);
}

static void test_R89_the_defaults_are_as_documented(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_retry r;

    (void)state;
    weft_mad_retry_init(&r);
    assert_memory_equal(&c.retry, &r, sizeof(r));
    assert_int_equal(r.kind, WEFT_MAD_RETRY_FIXED);
    assert_int_equal(r.bound, WEFT_MAD_BOUND_RETRIES);
    assert_int_equal(r.busy, WEFT_MAD_BUSY_NO_REPLY);
    assert_int_equal(r.base_ns, 511 * WEFT_MS);
    assert_int_equal(r.jitter_ns, 511 * WEFT_MS);
    assert_int_equal(r.cap_ns, 65408 * WEFT_MS);
    assert_int_equal(r.total_ns, 0);
    assert_int_equal(c.seed, 1);
    assert_int_equal(c.port_number, 1);
    assert_int_equal(c.agents, 32);
    assert_int_equal(c.sends, 1024);
    assert_int_equal(c.recv_depth, 512);
    assert_int_equal(c.send_depth, 128);
    assert_int_equal(c.queue_timeout, WEFT_TIME_NEVER);
    assert_true(c.flow.agent_limits);
    assert_false(c.flow.port_budget);
    assert_false(c.flow.adaptive);
    assert_int_equal(c.flow.peers, 64);
    assert_int_equal(c.flow.window_initial, 4);
    assert_int_equal(c.flow.window_max, 64);
    assert_int_equal(c.rmpp.transfers, 32);
    assert_int_equal(c.rmpp.bytes_max, 1 << 20);
    assert_int_equal(c.rmpp.ack_ns, 2 * WEFT_S);
    assert_int_equal(c.rmpp.receive_ns, 40 * WEFT_S);
    assert_int_equal(c.rmpp.keep_ns, 10 * WEFT_S);
    assert_int_equal(weft_mad_config_init_sized(&c, sizeof(c) + 8), WEFT_ERR_INVALID);
}

static void test_queue_depths_are_clamped(void **state)
{
    static const uint32_t depths[][2] = {{0, 64},      {63, 64},     {64, 64},          {512, 512},
                                         {8192, 8192}, {8193, 8192}, {UINT32_MAX, 8192}};

    (void)state;
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        struct weft_mad_config c = fx_config();
        struct fx *f;

        c.recv_depth = depths[i][0];
        c.send_depth = depths[i][0];
        f = fx_new(&c, 0);
        assert_int_equal(fx_stats(f).recv_depth, depths[i][1]);
        assert_int_equal(f->port->config.send_depth, depths[i][1]);
        assert_int_equal(f->port->config.flow.reserve, depths[i][1] / 8);
        assert_int_equal(f->port->config.rmpp.window, depths[i][1] / 8);
        fx_free(f);
    }
}

/* Counts what is taken and given back, or gives nothing. */
struct purse {
    bool empty;
    int taken, given;
    size_t bytes, align;
};

static void *purse_get(void *ctx, size_t size, size_t align)
{
    struct purse *purse = ctx;

    if (purse->empty)
        return NULL;
    purse->taken++;
    purse->bytes = size;
    purse->align = align;
    return aligned_alloc(align, size);
}

static void purse_put(void *ctx, void *p, size_t size)
{
    struct purse *purse = ctx;

    purse->given++;
    assert_int_equal(size, purse->bytes);
    free(p);
}

static void test_memory_is_taken_once_and_given_back(void **state)
{
    struct purse purse = {0};
    const struct weft_alloc a = {.get = purse_get, .put = purse_put, .ctx = &purse};
    struct weft_mad_config c = fx_config();
    struct weft_mad_port *p;
    uint64_t bytes;
    uint32_t per_send;

    (void)state;
    assert_int_equal(weft_mad_port_bytes(&c, &bytes, &per_send), 0);
    assert_int_equal(weft_mad_port_new(&c, &a, &p), 0);
    assert_int_equal(purse.taken, 1);
    assert_int_equal(purse.bytes, bytes);
    assert_int_equal((uintptr_t)p % purse.align, 0);
    assert_true(per_send <= 256);
    assert_null(weft_mad_port_free(p));
    assert_int_equal(purse.given, 1);
    assert_null(weft_mad_port_free(NULL));
}

static void test_an_allocator_that_gives_nothing_is_reported(void **state)
{
    struct purse purse = {.empty = true};
    const struct weft_alloc a = {.get = purse_get, .put = purse_put, .ctx = &purse};
    struct weft_mad_config c = fx_config();
    struct weft_mad_port *p = (struct weft_mad_port *)1;

    (void)state;
    assert_int_equal(weft_mad_port_new(&c, &a, &p), WEFT_ERR_NOMEM);
    assert_ptr_equal(p, (struct weft_mad_port *)1);
    assert_int_equal(purse.given, 0);
}

static void test_memory_grows_with_each_limit(void **state)
{
    struct weft_mad_config c = fx_config();
    uint64_t plain, more;

    (void)state;
    weft_mad_port_bytes(&c, &plain, NULL);
    c.sends = 2048;
    weft_mad_port_bytes(&c, &more, NULL);
    assert_true(more > plain + 1024 * UINT64_C(192));
    c = fx_config();
    c.rmpp.bytes_max = 64 << 20;
    weft_mad_port_bytes(&c, &more, NULL);
    assert_in_range(more, plain + (62 << 20), plain + (64 << 20));
    c = fx_config();
    c.flow.adaptive = true;
    weft_mad_port_bytes(&c, &more, NULL);
    assert_true(more > plain);
}

static void test_addresses_are_checked(void **state)
{
    struct fx *f = fx_new(NULL, 0);

    (void)state;
    assert_int_equal(weft_mad_port_set_lid(f->port, 0, 0), 0);
    assert_int_equal(weft_mad_port_set_lid(f->port, 0xbfff, 7), 0);
    assert_int_equal(weft_mad_port_set_lid(f->port, 1, 8), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_port_set_lid(f->port, 0xc000, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_port_set_lid(f->port, WEFT_LID_PERMISSIVE, 0), WEFT_ERR_INVALID);
    assert_int_equal(f->port->base_lid, 0xbfff);
    assert_int_equal(f->port->lmc, 7);
    fx_free(f);
}

static void test_a_clock_that_goes_back_is_refused_and_changes_nothing(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_port_stats before, after;
    struct weft_mad_send_req r;
    struct weft_mad_rx rx;
    weft_mad_send_id id, other = {5};
    weft_mad_recv_id device;
    weft_mad_tx_id tx;
    enum weft_mad_verdict verdict = WEFT_MAD_DROP_HOPS;
    uint8_t mad[WEFT_MAD_BYTES];
    weft_time past;
    struct fx *f;

    (void)state;
    c.device.bits[0] |= UINT64_C(1) << FX_PERF;
    f = fx_new(&c, FX_SA);
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 3);
    fx_rx(f, mad);
    assert_true(fx_event(f));
    device = f->event.u.recv.id;
    id = fx_ask(f, 1);
    tx = fx_take(f);
    r = fx_request(f, 2);
    rx = (struct weft_mad_rx){.qpn = 1, .dlid = f->lid, .data = mad, .len = WEFT_MAD_BYTES};
    past = f->now - 1;
    before = fx_stats(f);
    assert_int_equal(weft_mad_post(f->port, past, &r, &other), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_rx(f->port, past, &rx, &verdict), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_tx_done(f->port, past, tx, true), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_cancel(f->port, past, id), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_set_timeout(f->port, past, id, 1), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_advance(f->port, past), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_agent_remove(f->port, past, f->agent), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_recv_pass(f->port, past, device), WEFT_ERR_CLOCK);
    assert_int_equal(weft_mad_recv_answer(f->port, past, device, mad), WEFT_ERR_CLOCK);
    assert_int_equal(other.v, 5);
    assert_int_equal(verdict, WEFT_MAD_DROP_HOPS);
    after = fx_stats(f);
    assert_int_equal(after.refused, before.refused + 1);
    after.refused = before.refused;
    assert_memory_equal(&before, &after, sizeof(before));
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    assert_int_equal(fx_agent_stats(f).sent, 1);
    fx_done(f, tx, true); /* the present is fine */
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    fx_free(f);
}

static void test_a_port_is_freed_with_all_it_holds(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);

    (void)state;
    fx_ask_all(f, 1, 40);
    fx_take(f);
    fx_rx_segment(f, &(struct fx_segment){.mgmt_class = FX_SA,
                                          .method = WEFT_METHOD_SET,
                                          .type = WEFT_RMPP_DATA,
                                          .flags = WEFT_RMPP_FLAG_FIRST,
                                          .segment = 1});
    fx_free(f);
}

static void test_the_same_seed_gives_the_same_waits(void **state)
{
    weft_time waits[3][5];

    (void)state;
    for (int run = 0; run < 3; run++) {
        struct weft_mad_config c = fx_config();
        struct weft_mad_send_req r;
        struct fx *f;

        c.seed = run == 2 ? 8 : 7;
        c.retry.kind = WEFT_MAD_RETRY_BACKOFF;
        f = fx_new(&c, FX_SA);
        r = fx_request(f, 1);
        r.retries = 5;
        fx_post(f, &r);
        for (int i = 0; i < 5; i++) {
            fx_send(f);
            waits[run][i] = weft_mad_deadline(f->port) - f->now;
            fx_advance(f, waits[run][i]);
        }
        fx_free(f);
    }
    assert_memory_equal(waits[0], waits[1], sizeof(waits[0]));
    assert_memory_not_equal(waits[0], waits[2], sizeof(waits[0]));
}

static void test_counters_say_what_happened(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    r.retries = 1;
    fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    fx_answer(f, 1);
    fx_answer(f, 1);
    assert_int_equal(fx_stats(f).agents, 1);
    assert_int_equal(fx_stats(f).sends, 1);
    assert_int_equal(fx_stats(f).recv_held, 1);
    assert_int_equal(fx_stats(f).tx_packets, 2);
    assert_int_equal(fx_stats(f).retried, 1);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_ACCEPTED], 1);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_UNMATCHED], 1);
    assert_int_equal(fx_agent_stats(f).sent, 1);
    assert_int_equal(fx_agent_stats(f).received, 1);
    fx_drain(f, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_has_a_range),
        cmocka_unit_test(test_every_field_of_the_policy_has_a_range),
        cmocka_unit_test(test_every_field_of_flow_control_has_a_range),
        cmocka_unit_test(test_every_field_of_RMPP_has_a_range),
        cmocka_unit_test(test_R89_the_defaults_are_as_documented),
        cmocka_unit_test(test_queue_depths_are_clamped),
        cmocka_unit_test(test_memory_is_taken_once_and_given_back),
        cmocka_unit_test(test_an_allocator_that_gives_nothing_is_reported),
        cmocka_unit_test(test_memory_grows_with_each_limit),
        cmocka_unit_test(test_addresses_are_checked),
        cmocka_unit_test(test_a_clock_that_goes_back_is_refused_and_changes_nothing),
        cmocka_unit_test(test_a_port_is_freed_with_all_it_holds),
        cmocka_unit_test(test_the_same_seed_gives_the_same_waits),
        cmocka_unit_test(test_counters_say_what_happened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
