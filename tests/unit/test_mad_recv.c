/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive buffers: held, read, given back, and what happens when there is none. */
#include "mad_fixture.h"

#include <string.h>

/* A port with 64 buffers whose agent takes traps. */
static struct fx *trapped(void)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    struct fx *f;

    c.recv_depth = 64;
    f = fx_new(&c, 0);
    fx_own_method(&r, WEFT_METHOD_TRAP);
    f->agent = fx_agent(f, &r);
    f->mgmt_class = FX_PERF;
    return f;
}

static enum weft_mad_verdict trap(struct fx *f, uint64_t tid)
{
    uint8_t mad[WEFT_MAD_BYTES];

    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, tid);
    for (unsigned i = 24; i < WEFT_MAD_BYTES; i++)
        mad[i] = (uint8_t)i;
    return fx_rx(f, mad);
}

static void test_a_message_is_read_in_parts_and_not_beyond_its_end(void **state)
{
    struct fx *f = trapped();
    uint8_t part[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    trap(f, 1);
    id = fx_expect_unsolicited(f, 1);
    assert_int_equal(weft_mad_recv_read(f->port, id, 0, part, WEFT_MAD_BYTES), 0);
    assert_memory_equal(part, f->event.u.recv.mad, WEFT_MAD_BYTES);
    assert_int_equal(weft_mad_recv_read(f->port, id, 100, part, 3), 0);
    assert_memory_equal(part, ((const uint8_t[]){100, 101, 102}), 3);
    assert_int_equal(weft_mad_recv_read(f->port, id, 256, part, 0), 0);
    memset(part, 0xee, sizeof(part));
    assert_int_equal(weft_mad_recv_read(f->port, id, 256, part, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_recv_read(f->port, id, 257, part, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_recv_read(f->port, id, 200, part, UINT32_MAX), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_recv_read(f->port, id, UINT32_MAX, part, 2), WEFT_ERR_INVALID);
    assert_int_equal(part[0], 0xee);
    fx_free(f);
}

static void test_a_released_message_is_stale_in_every_call(void **state)
{
    struct fx *f = trapped();
    uint8_t part[WEFT_MAD_BYTES] = {0};
    weft_mad_recv_id stale[3] = {{0}, {0}, {POOL_HANDLE(5000, 1)}}, id, next;

    (void)state;
    trap(f, 1);
    id = fx_expect_unsolicited(f, 1);
    assert_int_equal(weft_mad_recv_release(f->port, id), 0);
    trap(f, 2);
    next = fx_expect_unsolicited(f, 2);
    assert_int_equal((uint32_t)next.v, (uint32_t)id.v); /* the same slot */
    stale[0] = id;
    for (int i = 0; i < 3; i++) {
        weft_mad_recv_id old = stale[i];

        assert_int_equal(weft_mad_recv_read(f->port, old, 0, part, 1), WEFT_ERR_STALE);
        assert_int_equal(weft_mad_recv_release(f->port, old), WEFT_ERR_STALE);
        assert_int_equal(weft_mad_recv_pass(f->port, f->now, old), WEFT_ERR_STALE);
        assert_int_equal(weft_mad_recv_answer(f->port, f->now, old, part), WEFT_ERR_STALE);
    }
    assert_int_equal(weft_mad_recv_release(f->port, next), 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_message_that_nobody_polled_yet_cannot_be_released(void **state)
{
    struct fx *f = trapped();
    weft_mad_recv_id guessed = {POOL_HANDLE(0, 1)};

    (void)state;
    trap(f, 1);
    assert_int_equal(weft_mad_recv_release(f->port, guessed), WEFT_ERR_STALE);
    fx_expect_unsolicited(f, 1);
    assert_int_equal(weft_mad_recv_release(f->port, guessed), 0);
    fx_free(f);
}

static void test_without_a_free_buffer_messages_are_dropped_and_counted(void **state)
{
    struct fx *f = trapped();
    weft_mad_send_id id;

    (void)state;
    for (unsigned n = 0; n < 64; n++)
        assert_int_equal(trap(f, n), WEFT_MAD_ACCEPTED);
    assert_int_equal(trap(f, 64), WEFT_MAD_DROP_NO_BUFFER);
    id = fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_NO_BUFFER);
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP); /* the answer is lost, not the send */
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_NO_BUFFER], 2);
    assert_int_equal(fx_stats(f).recv_held, 64);
    weft_mad_recv_release(f->port, fx_expect_unsolicited(f, 0));
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_drain(f, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_held_message_survives_its_agent(void **state)
{
    struct fx *f = trapped();
    uint8_t part[2];
    weft_mad_recv_id id;

    (void)state;
    trap(f, 1);
    id = fx_expect_unsolicited(f, 1);
    fx_remove_agent(f, f->agent);
    assert_int_equal(weft_mad_recv_read(f->port, id, 50, part, 2), 0);
    assert_int_equal(part[1], 51);
    assert_int_equal(weft_mad_recv_release(f->port, id), 0);
    fx_expect_idle(f);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_is_read_in_parts_and_not_beyond_its_end),
        cmocka_unit_test(test_a_released_message_is_stale_in_every_call),
        cmocka_unit_test(test_a_message_that_nobody_polled_yet_cannot_be_released),
        cmocka_unit_test(test_without_a_free_buffer_messages_are_dropped_and_counted),
        cmocka_unit_test(test_a_held_message_survives_its_agent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
