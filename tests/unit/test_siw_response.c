/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA Reads of the peer: answered in order, with the source pinned until TCP has it. */
#include "siw_fixture.h"

static uint8_t memory[4096];

static struct siw_fixture *connected(const struct terms *t, uint32_t *ret_stag)
{
    struct siw_fixture *f = siw_fixture_new();

    for (uint32_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)(i * 7);
    *ret_stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_REMOTE_READ);
    siw_connect(f, t);
    return f;
}

static bool push(struct siw_fixture *f, uint32_t stag, uint32_t offset, uint32_t bytes)
{
    struct rdmap_read r = {.sink_stag = 0x999, .sink_to = 0x8000 + offset, .bytes = bytes};

    return response_push(&f->s, f->qp, &r, bytes > 0 ? region_find(&f->s, stag) : NULL,
                         bytes > 0 ? memory + offset : NULL);
}

static void test_a_response_is_cut_into_segments(void **state)
{
    struct terms t = siw_terms();
    uint32_t stag, done = 0;
    struct siw_fixture *f = connected(&t, &stag);

    (void)state;
    assert_true(push(f, stag, 100, 3000));
    siw_flush(f);
    while (!siw_all_read(f)) {
        struct siw_fpdu fpdu = siw_next_fpdu(f);

        assert_true(fpdu.h.tagged);
        assert_int_equal(fpdu.h.opcode, RDMAP_READ_RESPONSE);
        assert_int_equal(fpdu.h.stag, 0x999);
        assert_int_equal(fpdu.h.to, 0x8000 + 100 + done);
        assert_memory_equal(fpdu.payload, memory + 100 + done, fpdu.bytes);
        done += fpdu.bytes;
        assert_int_equal(fpdu.h.last, done == 3000);
        assert_true(fpdu.h.last || fpdu.bytes == 1000 - DDP_TAGGED_BYTES);
    }
    assert_int_equal(done, 3000);
    siw_fixture_free(f);
}

static void test_the_source_is_pinned_until_tcp_has_it(void **state)
{
    struct terms t = siw_terms();
    uint32_t stag;
    struct siw_fixture *f = connected(&t, &stag);

    (void)state;
    assert_true(push(f, stag, 0, 2000));
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), WEFT_ERR_CONFLICT);
    while (f->out_bytes < 2000 + 3 * 20)
        assert_int_equal(siw_write(f, 1), 1);
    assert_int_equal(f->qp->responses.count, 1);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), WEFT_ERR_CONFLICT);
    siw_flush(f);
    assert_int_equal(f->qp->responses.count, 0);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
    siw_fixture_free(f);
}

static void test_as_many_as_agreed_on(void **state)
{
    struct terms t = siw_terms();
    uint32_t stag;
    struct siw_fixture *f = connected(&t, &stag);

    (void)state;
    for (uint32_t i = 0; i < t.ird; i++) {
        assert_true(response_room(f->qp));
        assert_true(push(f, stag, 16 * i, 16));
    }
    assert_false(response_room(f->qp));
    assert_false(push(f, stag, 0, 16));
    siw_flush(f);
    for (uint32_t i = 0; i < t.ird; i++)
        assert_int_equal(siw_next_fpdu(f).h.to, 0x8000 + 16 * i);
    assert_true(siw_all_read(f));
    assert_true(push(f, stag, 0, 16));
    siw_fixture_free(f);
}

/* The responder chooses a Read to begin with only where it serves Reads, so nobody has to serve one
 * out of turn: least of all the initiator, whose peer may have none out. */
static void test_none_is_served_where_none_was_agreed_on(void **state)
{
    static const uint8_t rtrs[] = {WEFT_SIW_RTR_NONE, WEFT_SIW_RTR_SEND, WEFT_SIW_RTR_WRITE,
                                   WEFT_SIW_RTR_READ};
    struct terms t = siw_terms();
    struct siw_fixture *f;
    uint32_t stag;

    (void)state;
    t.ird = 0;
    for (size_t i = 0; i < sizeof(rtrs); i++) {
        t.rtr = rtrs[i];
        f = connected(&t, &stag);
        assert_false(response_room(f->qp));
        assert_false(push(f, stag, 0, 0));
        assert_false(push(f, stag, 0, 16));
        siw_fixture_free(f);
    }
}

static void test_an_end_unpins_what_was_not_sent(void **state)
{
    struct terms t = siw_terms();
    uint32_t stag;
    struct siw_fixture *f = connected(&t, &stag);

    (void)state;
    assert_true(push(f, stag, 0, 2000));
    assert_true(push(f, stag, 0, 0));
    assert_true(push(f, stag, 0, 2000));
    assert_int_equal(siw_write(f, 500), 500);
    qp_abort(&f->s, f->qp);
    assert_int_equal(f->qp->responses.count, 0);
    assert_int_equal(f->s.verbs.responses.used, 0);
    assert_int_equal(f->s.verbs.stagings.used, 0);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
    siw_fixture_free(f);
}

static void test_an_invalidated_source_is_answered_still(void **state)
{
    struct terms t = siw_terms();
    uint32_t stag;
    struct siw_fixture *f = connected(&t, &stag);

    (void)state;
    assert_true(push(f, stag, 0, 8));
    assert_int_equal(region_invalidate(&f->s, f->qp, stag, false), REGION_OK);
    siw_flush(f);
    assert_memory_equal(siw_next_fpdu(f).payload, memory, 8);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_response_is_cut_into_segments),
        cmocka_unit_test(test_the_source_is_pinned_until_tcp_has_it),
        cmocka_unit_test(test_as_many_as_agreed_on),
        cmocka_unit_test(test_none_is_served_where_none_was_agreed_on),
        cmocka_unit_test(test_an_end_unpins_what_was_not_sent),
        cmocka_unit_test(test_an_invalidated_source_is_answered_still),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
