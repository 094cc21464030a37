/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions: STags, bounds at the edges of numbers, rights, invalidation, pins. */
#include "siw_fixture.h"

static uint8_t memory[4096];

static int register_region(struct siw_fixture *f, struct weft_siw_region r, uint32_t *ret_stag)
{
    return weft_siw_region_register(&f->s, &r, ret_stag);
}

static void test_what_can_be_registered(void **state)
{
    void *edge = (void *)(UINTPTR_MAX - 9);
    const struct {
        struct weft_siw_region r;
        int err;
    } rows[] = {
        {{.base = memory, .bytes = 1}, 0},
        {{.base = memory, .bytes = 4096, .to = UINT64_MAX - 4095}, 0},
        {{.base = memory, .bytes = 4096, .to = UINT64_MAX - 4094}, WEFT_ERR_INVALID},
        {{.base = edge, .bytes = 10}, 0},
        {{.base = edge, .bytes = 11}, WEFT_ERR_INVALID},
        {{.base = memory, .bytes = 0}, WEFT_ERR_INVALID},
        {{.base = memory, .bytes = UINT64_MAX}, WEFT_ERR_INVALID},
        {{.base = memory, .bytes = 1, .access = 16}, WEFT_ERR_INVALID},
        {{.base = memory, .bytes = 1, .access = 15, .key = 0xFF}, 0},
    };
    struct siw_fixture *f = siw_fixture_new();
    uint32_t stag;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        int err = register_region(f, rows[i].r, &stag);

        assert_int_equal(err, rows[i].err);
        if (err == 0) {
            assert_true(weft_siw_region_valid(&f->s, stag));
            assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
        }
    }
    siw_fixture_free(f);
}

static void test_as_many_as_configured(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_region r = {.base = memory, .bytes = 1};
    uint32_t stags[8], more;

    (void)state;
    for (uint32_t i = 0; i < COUNT(stags); i++)
        assert_int_equal(register_region(f, r, &stags[i]), 0);
    assert_int_equal(register_region(f, r, &more), WEFT_ERR_FULL);
    assert_int_equal(weft_siw_region_deregister(&f->s, stags[3]), 0);
    assert_int_equal(register_region(f, r, &more), 0);
    siw_fixture_free(f);
}

static void test_keys_are_the_programs_or_new_ones(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_region r = {.base = memory, .bytes = 1, .key = 0x77};
    uint32_t stag, last;

    (void)state;
    assert_int_equal(register_region(f, r, &stag), 0);
    assert_int_equal(stag, 0x177);
    for (uint32_t key = 0; key < 256; key++)
        assert_int_equal(weft_siw_region_valid(&f->s, 0x100 | key), key == 0x77);
    r.key = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        last = stag;
        assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
        assert_int_equal(register_region(f, r, &stag), 0);
        assert_int_equal(stag >> 8, 1);
        assert_int_not_equal(stag, last);
    }
    siw_fixture_free(f);
}

static void test_made_up_stags_name_nothing(void **state)
{
    static const uint32_t stags[] = {0, 1, 0x5A, 0xFF, 0x200, 0x25A, 0xFFFFFF5A, UINT32_MAX};
    struct siw_fixture *f = siw_fixture_new();

    (void)state;
    assert_int_equal(siw_register(f, memory, 1, 0), 0x15A);
    for (uint32_t i = 0; i < COUNT(stags); i++) {
        assert_false(weft_siw_region_valid(&f->s, stags[i]));
        assert_int_equal(weft_siw_region_deregister(&f->s, stags[i]), WEFT_ERR_NOTFOUND);
        assert_int_equal(region_invalidate(&f->s, f->qp, stags[i], false), REGION_INVALID);
    }
    siw_fixture_free(f);
}

static void test_what_a_peer_may_refer_to(void **state)
{
    static const struct {
        uint64_t to;
        uint32_t bytes;
        uint8_t access;
        enum region_verdict verdict;
        uint32_t offset;
    } rows[] = {
        {0x1000, 1, 0, REGION_OK, 0},
        {0x1000, 4096, 0, REGION_OK, 0},
        {0x1FFF, 1, 0, REGION_OK, 4095},
        {0x1001, 4095, WEFT_SIW_REMOTE_READ, REGION_OK, 1},
        {0x1000, 4097, 0, REGION_BOUNDS, 0},
        {0x1001, 4096, 0, REGION_BOUNDS, 0},
        {0x0FFF, 1, 0, REGION_BOUNDS, 0},
        {0x0FFF, 2, 0, REGION_BOUNDS, 0},
        {0x2000, 1, 0, REGION_BOUNDS, 0},
        {0, 1, 0, REGION_BOUNDS, 0},
        {0, UINT32_MAX, 0, REGION_BOUNDS, 0},
        {UINT64_MAX, 1, 0, REGION_BOUNDS, 0},
        {UINT64_MAX, 2, 0, REGION_WRAP, 0},
        {UINT64_MAX - 4094, 4096, 0, REGION_WRAP, 0},
        {UINT64_MAX - UINT32_MAX + 2, UINT32_MAX, 0, REGION_WRAP, 0},
        {0x1000, 1, WEFT_SIW_REMOTE_WRITE, REGION_ACCESS, 0},
        {0x1000, 1, WEFT_SIW_REMOTE_WRITE | WEFT_SIW_REMOTE_READ, REGION_ACCESS, 0},
        {0x2000, 1, WEFT_SIW_REMOTE_WRITE, REGION_BOUNDS, 0},
    };
    struct siw_fixture *f = siw_fixture_new();
    uint32_t stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_REMOTE_READ);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct region *r = NULL;
        uint8_t *at = NULL;

        assert_int_equal(
            region_check(&f->s, f->qp, stag, rows[i].to, rows[i].bytes, rows[i].access, &r, &at),
            rows[i].verdict);
        if (rows[i].verdict != REGION_OK) {
            assert_null(r);
            assert_null(at);
            continue;
        }
        assert_int_equal(region_stag(&f->s, r), stag);
        assert_ptr_equal(at, memory + rows[i].offset);
    }
    siw_fixture_free(f);
}

static void test_a_region_at_the_end_of_offsets(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_region r = {.base = memory, .bytes = 16, .to = UINT64_MAX - 15, .pd = 1};
    uint8_t *at;
    uint32_t stag;

    (void)state;
    assert_int_equal(register_region(f, r, &stag), 0);
    assert_int_equal(region_check(&f->s, f->qp, stag, UINT64_MAX, 1, 0, NULL, &at), REGION_OK);
    assert_ptr_equal(at, memory + 15);
    assert_int_equal(region_check(&f->s, f->qp, stag, UINT64_MAX - 15, 16, 0, NULL, NULL),
                     REGION_OK);
    assert_int_equal(region_check(&f->s, f->qp, stag, UINT64_MAX - 15, 17, 0, NULL, NULL),
                     REGION_WRAP);
    siw_fixture_free(f);
}

static void test_regions_are_for_their_pd_and_qp(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    const struct {
        uint32_t pd, qpn;
        enum region_verdict verdict;
    } rows[] = {
        {1, 0, REGION_OK},      {1, f->qpn, REGION_OK},      {1, f->qpn + 1, REGION_FOREIGN},
        {2, 0, REGION_FOREIGN}, {2, f->qpn, REGION_FOREIGN},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_siw_region r = {.base = memory, .bytes = 8, .access = WEFT_SIW_INVALIDATE};
        struct weft_siw_sge sge = {memory, 8, 0};
        uint32_t stag;

        r.pd = rows[i].pd;
        r.qpn = rows[i].qpn;
        assert_int_equal(register_region(f, r, &stag), 0);
        sge.stag = stag;
        assert_int_equal(region_check(&f->s, f->qp, stag, 0, 1, 0, NULL, NULL), rows[i].verdict);
        assert_int_equal(region_holds(&f->s, f->qp, &sge, 0, NULL), rows[i].verdict == REGION_OK);
        assert_int_equal(region_invalidate(&f->s, f->qp, stag, true), rows[i].verdict);
        assert_int_equal(weft_siw_region_valid(&f->s, stag), rows[i].verdict != REGION_OK);
    }
    siw_fixture_free(f);
}

static void test_an_invalidated_region_keeps_its_memory_until_it_ends(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    uint32_t stag = siw_register(f, memory, sizeof(memory), 0);
    struct region *r = region_find(&f->s, stag);

    (void)state;
    region_pin(r);
    assert_int_equal(region_invalidate(&f->s, f->qp, stag, true), REGION_ACCESS);
    assert_int_equal(region_invalidate(&f->s, f->qp, stag, false), REGION_OK);
    assert_int_equal(region_invalidate(&f->s, f->qp, stag, false), REGION_INVALID);
    assert_int_equal(region_check(&f->s, f->qp, stag, 0x1000, 1, 0, NULL, NULL), REGION_INVALID);
    assert_false(weft_siw_region_valid(&f->s, stag));
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), WEFT_ERR_CONFLICT);
    region_unpin_stag(&f->s, stag);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), WEFT_ERR_NOTFOUND);
    siw_fixture_free(f);
}

static void test_where_a_local_piece_may_lie(void **state)
{
    static const struct {
        uint32_t offset, bytes;
        uint8_t access;
        bool holds;
    } rows[] = {
        {64, 0, 0, true},
        {64, 128, 0, true},
        {191, 1, WEFT_SIW_LOCAL_WRITE, true},
        {192, 0, 0, true},
        {192, 1, 0, false},
        {193, 0, 0, false},
        {63, 1, 0, false},
        {64, 129, 0, false},
        {65, UINT32_MAX, 0, false},
        {64, 1, WEFT_SIW_REMOTE_WRITE, false},
    };
    struct siw_fixture *f = siw_fixture_new();
    uint32_t stag = siw_register(f, memory + 64, 128, WEFT_SIW_LOCAL_WRITE);
    struct region *r;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_siw_sge sge = {memory + rows[i].offset, rows[i].bytes, stag};

        r = NULL;
        assert_int_equal(region_holds(&f->s, f->qp, &sge, rows[i].access, &r), rows[i].holds);
        assert_int_equal(!!r, rows[i].holds);
        sge.stag = 0;
        assert_true(region_holds(&f->s, f->qp, &sge, rows[i].access, &r));
        assert_null(r);
        sge.stag = stag + 1;
        assert_false(region_holds(&f->s, f->qp, &sge, rows[i].access, NULL));
    }
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_can_be_registered),
        cmocka_unit_test(test_as_many_as_configured),
        cmocka_unit_test(test_keys_are_the_programs_or_new_ones),
        cmocka_unit_test(test_made_up_stags_name_nothing),
        cmocka_unit_test(test_what_a_peer_may_refer_to),
        cmocka_unit_test(test_a_region_at_the_end_of_offsets),
        cmocka_unit_test(test_regions_are_for_their_pd_and_qp),
        cmocka_unit_test(test_an_invalidated_region_keeps_its_memory_until_it_ends),
        cmocka_unit_test(test_where_a_local_piece_may_lie),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
