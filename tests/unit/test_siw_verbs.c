/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory and numbers of what verbs make, and the program's events. */
#include "siw_fixture.h"

/* An allocator that has nothing after some calls. */
struct scarce {
    uint32_t left;
    size_t out;
};

static void *scarce_get(void *ctx, size_t size, size_t align)
{
    struct scarce *m = ctx;

    if (m->left == 0)
        return NULL;
    m->left--;
    m->out += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void scarce_put(void *ctx, void *p, size_t size)
{
    struct scarce *m = ctx;

    m->out -= size;
    free(p);
}

static void test_without_memory_nothing_is_kept(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct scarce memory = {0};
    uint32_t gets = 0;
    int err;

    (void)state;
    verbs_free(&f->s);
    f->s.alloc = (struct weft_alloc){scarce_get, scarce_put, &memory};
    do {
        memory.left = gets++;
        err = verbs_new(&f->s);
        if (err != 0)
            assert_int_equal(err, WEFT_ERR_NOMEM);
        verbs_free(&f->s);
        assert_int_equal(memory.out, 0);
        assert_int_equal(f->s.bytes, 0);
    } while (err != 0);
    assert_true(gets > 7);
    siw_fixture_free(f);
}

static void no_reads(struct weft_siw_config *c)
{
    c->ird_max = 0;
}

static void test_a_provider_that_serves_no_reads_needs_no_memory_for_them(void **state)
{
    struct siw_fixture *f = siw_fixture_new_with(no_reads);

    (void)state;
    assert_null(f->s.verbs.responses.base);
    siw_fixture_free(f);
}

static void test_a_number_comes_again_late(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_qp_config c = {.send_cqn = f->cqn, .recv_cqn = f->cqn, .sends = 1};
    uint32_t first, qpn;

    (void)state;
    assert_int_equal(weft_siw_qp_create(&f->s, &c, &first), 0);
    assert_int_equal(weft_siw_qp_destroy(&f->s, first), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_null(qp_find(&f->s, first));
        assert_int_equal(weft_siw_qp_create(&f->s, &c, &qpn), 0);
        assert_int_not_equal(qpn, 0);
        assert_int_not_equal(qpn, first);
        assert_non_null(qp_find(&f->s, qpn));
        assert_int_equal(weft_siw_qp_destroy(&f->s, qpn), 0);
    }
    siw_fixture_free(f);
}

static void test_made_up_numbers_name_nothing(void **state)
{
    static const uint32_t numbers[] = {0, 2, 0xFFFF, 0x10000, 0x10001, 0xFFFF0001, UINT32_MAX};
    struct siw_fixture *f = siw_fixture_new();

    (void)state;
    for (uint32_t i = 0; i < COUNT(numbers); i++) {
        struct weft_siw_qp_info info;
        struct weft_siw_wc wc;

        assert_int_not_equal(numbers[i], f->qpn);
        assert_null(verbs_find(&f->s.verbs.qps, numbers[i]));
        assert_int_equal(weft_siw_qp_query(&f->s, numbers[i], &info), WEFT_ERR_NOTFOUND);
        assert_int_equal(weft_siw_qp_destroy(&f->s, numbers[i]), WEFT_ERR_NOTFOUND);
        assert_int_equal(weft_siw_qp_reset(&f->s, numbers[i]), WEFT_ERR_NOTFOUND);
        assert_int_equal(weft_siw_cq_arm(&f->s, numbers[i], false), WEFT_ERR_NOTFOUND);
        assert_int_equal(weft_siw_cq_destroy(&f->s, numbers[i]), WEFT_ERR_NOTFOUND);
        assert_false(weft_siw_cq_poll(&f->s, numbers[i], &wc));
    }
    siw_fixture_free(f);
}

static void test_events_are_told_once_each(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();
    struct weft_siw_event e;

    (void)state;
    assert_false(weft_siw_poll_event(&f->s, &e));
    siw_connect(f, &t);
    assert_int_equal(siw_post_recv(f, 1), 0);
    assert_int_equal(weft_siw_cq_arm(&f->s, f->cqn, false), 0);
    assert_false(weft_siw_poll_event(&f->s, &e));
    qp_abort(&f->s, f->qp);
    assert_true(weft_siw_poll_event(&f->s, &e));
    assert_int_equal(e.type, WEFT_SIW_EVENT_CQ);
    assert_int_equal(e.number, f->cqn);
    assert_true(weft_siw_poll_event(&f->s, &e));
    assert_int_equal(e.type, WEFT_SIW_EVENT_QP);
    assert_int_equal(e.number, f->qpn);
    qp_unbind(&f->s, f->qp, false);
    assert_false(weft_siw_poll_event(&f->s, &e));
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_memory_nothing_is_kept),
        cmocka_unit_test(test_a_provider_that_serves_no_reads_needs_no_memory_for_them),
        cmocka_unit_test(test_a_number_comes_again_late),
        cmocka_unit_test(test_made_up_numbers_name_nothing),
        cmocka_unit_test(test_events_are_told_once_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
