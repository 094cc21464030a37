/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be posted, when, and how much of it. */
#include "siw_fixture.h"

static uint8_t memory[64];

static void test_requests_that_make_no_sense_are_refused(void **state)
{
    struct weft_siw_sge sge[WEFT_SIW_SGE_MAX + 1] = {
        {memory, 8, 0x15A}, {memory, 8, 0}, {memory, 8, 0}, {memory, 8, 0}, {memory, 8, 0}};
    struct weft_siw_sge huge[2] = {{memory, UINT32_MAX, 0}, {memory, 1, 0}};
    const struct {
        struct weft_siw_send wr;
        int err;
    } rows[] = {
        {{.opcode = WEFT_SIW_SEND}, 0},
        {{.opcode = WEFT_SIW_SEND, .sge = sge, .sge_count = 4}, 0},
        {{.opcode = WEFT_SIW_SEND, .sge = sge, .sge_count = 5}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_SEND, .sge = huge, .sge_count = 1}, 0},
        {{.opcode = WEFT_SIW_SEND, .sge = huge, .sge_count = 2}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_SEND, .flags = 15}, 0},
        {{.opcode = WEFT_SIW_SEND, .flags = 16}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_WRITE, .flags = WEFT_SIW_FENCE | WEFT_SIW_SIGNALED}, 0},
        {{.opcode = WEFT_SIW_WRITE, .flags = WEFT_SIW_SOLICITED}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_WRITE, .flags = WEFT_SIW_INVALIDATING}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_READ, .sge = sge, .sge_count = 1}, 0},
        {{.opcode = WEFT_SIW_READ, .sge = sge, .sge_count = 1, .flags = WEFT_SIW_INVALIDATING}, 0},
        {{.opcode = WEFT_SIW_READ, .sge = sge, .sge_count = 1, .flags = WEFT_SIW_SOLICITED},
         WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_READ, .sge = sge, .sge_count = 0}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_READ, .sge = sge, .sge_count = 2}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_READ, .sge = sge + 1, .sge_count = 1}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_LOCAL_INVALIDATE, .sge = sge, .sge_count = 1}, WEFT_ERR_INVALID},
        {{.opcode = WEFT_SIW_SEND_OPCODES}, WEFT_ERR_INVALID},
    };
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();

    (void)state;
    siw_connect(f, &t);
    for (uint32_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(weft_siw_post_send(&f->s, 0, f->qpn, &rows[i].wr), rows[i].err);
    siw_fixture_free(f);
}

static void test_without_reads_agreed_on_none_can_be_posted(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    uint32_t stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_LOCAL_WRITE);
    struct terms t = siw_terms();

    (void)state;
    t.ord = 0;
    siw_connect(f, &t);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, 0, memory, 8, stag), WEFT_ERR_INVALID);
    siw_fixture_free(f);
}

static void test_when_something_can_be_posted(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, NULL, 0, 0), WEFT_ERR_STATE);
    assert_int_equal(siw_post_recv(f, 1), 0);
    siw_connect(f, &t);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, 0, NULL, 0, 0), 0);
    assert_int_equal(siw_post_recv(f, 3), 0);
    qp_close(&f->s, f->qp);
    assert_int_equal(siw_post(f, 4, WEFT_SIW_SEND, 0, NULL, 0, 0), WEFT_ERR_STATE);
    assert_int_equal(siw_post_recv(f, 5), 0);
    qp_fail(&f->s, f->qp, TERMINATE_CRC, NULL, 0, 0);
    assert_int_equal(siw_post_recv(f, 6), WEFT_ERR_STATE);
    siw_flush(f);
    assert_int_equal(siw_post_recv(f, 6), WEFT_ERR_STATE);
    assert_int_equal(siw_post(f, 7, WEFT_SIW_SEND, 0, NULL, 0, 0), WEFT_ERR_STATE);
    f->qpn++;
    assert_int_equal(siw_post(f, 7, WEFT_SIW_SEND, 0, NULL, 0, 0), WEFT_ERR_NOTFOUND);
    assert_int_equal(siw_post_recv(f, 6), WEFT_ERR_NOTFOUND);
    siw_fixture_free(f);
}

static void test_queues_are_full_at_their_size(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();

    (void)state;
    /* the RTR frame takes no place of the program's */
    t.peer_to_peer = true;
    t.rtr = WEFT_SIW_RTR_WRITE;
    siw_connect(f, &t);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(siw_post(f, i, WEFT_SIW_SEND, WEFT_SIW_SIGNALED, memory, 1, 0), 0);
        assert_int_equal(siw_post_recv(f, i), 0);
    }
    assert_int_equal(siw_post(f, 16, WEFT_SIW_SEND, 0, memory, 1, 0), WEFT_ERR_FULL);
    assert_int_equal(siw_post_recv(f, 16), WEFT_ERR_FULL);
    siw_flush(f);
    assert_int_equal(siw_post(f, 16, WEFT_SIW_SEND, 0, memory, 1, 0), 0);
    siw_fixture_free(f);
}

static void test_a_full_completion_queue_refuses_posts(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_qp_config c = {.pd = 1, .sends = 8, .recvs = 8};
    struct terms t = siw_terms();
    struct weft_siw_wc wc;

    (void)state;
    assert_int_equal(weft_siw_cq_create(&f->s, 3, &f->cqn), 0);
    c.send_cqn = c.recv_cqn = f->cqn;
    assert_int_equal(weft_siw_qp_create(&f->s, &c, &f->qpn), 0);
    f->qp = qp_find(&f->s, f->qpn);
    siw_connect(f, &t);
    assert_int_equal(siw_post_recv(f, 0), 0);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, WEFT_SIW_SIGNALED, NULL, 0, 0), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, 0, NULL, 0, 0), 0);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_SEND, 0, NULL, 0, 0), WEFT_ERR_FULL);
    assert_int_equal(siw_post_recv(f, 3), WEFT_ERR_FULL);
    siw_flush(f);
    /* the unsignaled one gives its place back, the other one's completion keeps it */
    assert_int_equal(siw_post_recv(f, 3), 0);
    assert_int_equal(siw_post_recv(f, 4), WEFT_ERR_FULL);
    assert_true(weft_siw_cq_poll(&f->s, f->cqn, &wc));
    assert_int_equal(wc.wr_id, 1);
    assert_int_equal(siw_post_recv(f, 4), 0);
    siw_fixture_free(f);
}

static void test_the_array_of_pieces_is_copied(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_sge sge[2] = {{memory, 3, 0}, {memory + 10, 4, 0}};
    struct weft_siw_send wr = {.opcode = WEFT_SIW_SEND, .sge = sge, .sge_count = 2};
    struct terms t = siw_terms();
    struct siw_fpdu fpdu;

    (void)state;
    for (uint32_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)i;
    siw_connect(f, &t);
    assert_int_equal(weft_siw_post_send(&f->s, 5, f->qpn, &wr), 0);
    assert_int_equal(f->s.now, 5);
    memset(sge, 0xFF, sizeof(sge));
    siw_flush(f);
    fpdu = siw_next_fpdu(f);
    assert_int_equal(fpdu.bytes, 7);
    assert_memory_equal(fpdu.payload, memory, 3);
    assert_memory_equal(fpdu.payload + 3, memory + 10, 4);
    assert_true(siw_all_read(f));
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_that_make_no_sense_are_refused),
        cmocka_unit_test(test_without_reads_agreed_on_none_can_be_posted),
        cmocka_unit_test(test_when_something_can_be_posted),
        cmocka_unit_test(test_queues_are_full_at_their_size),
        cmocka_unit_test(test_a_full_completion_queue_refuses_posts),
        cmocka_unit_test(test_the_array_of_pieces_is_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
