/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The provider's configuration, memory, and words. */
#include "siw_connection_fixture.h"

#include <stdlib.h>

static struct weft_siw_config config(void)
{
    return (struct weft_siw_config)WEFT_SIW_CONFIG_INIT;
}

static int made(const struct weft_siw_config *c, const struct weft_alloc *a)
{
    struct weft_siw *s = NULL;
    int err = weft_siw_new(c, a, NULL, &s);

    if (err < 0) {
        assert_null(s);
    } else {
        assert_true(weft_siw_bytes(s) > 0);
        assert_null(weft_siw_free(s));
    }
    return err;
}

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        struct weft_siw_config c = config();                                                       \
        c.field = value;                                                                           \
        assert_int_equal(made(&c, NULL), WEFT_ERR_INVALID);                                        \
    } while (0)

#define TAKEN(field, value)                                                                        \
    do {                                                                                           \
        struct weft_siw_config c = config();                                                       \
        c.field = value;                                                                           \
        assert_int_equal(made(&c, NULL), 0);                                                       \
    } while (0)

static void test_numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    REFUSED(size, 0);
    REFUSED(size, sizeof(struct weft_siw_config) - 1);
    REFUSED(endpoints, 0);
    REFUSED(endpoints, UINT32_MAX);
    REFUSED(qps, 0);
    REFUSED(qps, WEFT_SIW_QPS_MAX + 1);
    REFUSED(cqs, 0);
    REFUSED(cqs, WEFT_SIW_QPS_MAX + 1);
    REFUSED(cq_entries, 0);
    REFUSED(requests, 0);
    REFUSED(regions, 0);
    REFUSED(regions, WEFT_SIW_REGIONS_MAX + 1);
    REFUSED(ird_max, WEFT_SIW_READS_MAX + 1);
    REFUSED(ord_max, WEFT_SIW_READS_MAX + 1);
    REFUSED(mpa_revision, 0);
    REFUSED(mpa_revision, 3);
    REFUSED(crc, (enum weft_siw_crc)(WEFT_SIW_CRC_REQUIRED + 1));
    REFUSED(rtr, 8);
    REFUSED(request_timeout_ns, 0);
    REFUSED(reply_timeout_ns, 0);
    REFUSED(dial_timeout_ns, 0);
    REFUSED(close_timeout_ns, 0);
    REFUSED(segment_bytes, 127);
    REFUSED(segment_bytes, 65537);
}

static void test_numbers_at_their_ends_are_taken(void **state)
{
    (void)state;
    TAKEN(endpoints, 1);
    TAKEN(ird_max, 0);
    TAKEN(ord_max, 0);
    TAKEN(mpa_revision, 1);
    TAKEN(rtr, 7);
    TAKEN(nudge_ns, 0);
    TAKEN(segment_bytes, 128);
    TAKEN(segment_bytes, 65536);
    TAKEN(close_timeout_ns, WEFT_TIME_NEVER);
}

/* An allocator that counts, fills with rubbish, and fails at a chosen call. */
struct books {
    size_t out;
    uint32_t gets, fails_at;
};

static void *get(void *ctx, size_t size, size_t align)
{
    struct books *b = ctx;
    void *p;

    if (b->gets++ == b->fails_at)
        return NULL;
    p = aligned_alloc(align, (size + align - 1) / align * align);
    assert_non_null(p);
    memset(p, 0xA5, size);
    b->out += size;
    return p;
}

static void put(void *ctx, void *p, size_t size)
{
    struct books *b = ctx;

    assert_true(b->out >= size);
    b->out -= size;
    free(p);
}

static void test_each_allocation_that_fails_leaves_nothing_behind(void **state)
{
    struct weft_siw_config c = config();
    uint32_t at = 0;
    int err;

    (void)state;
    c.endpoints = 4;
    do {
        struct books b = {.fails_at = at++};
        struct weft_alloc a = {.get = get, .put = put, .ctx = &b};

        err = made(&c, &a);
        assert_true(err == 0 || err == WEFT_ERR_NOMEM);
        assert_int_equal(b.out, 0);
    } while (err != 0);
    /* the provider itself, its eps, two arrays of timers, and what verbs take */
    assert_int_equal(at, 6);
}

static void test_its_bytes_are_those_it_took(void **state)
{
    struct weft_siw_config c = config();
    struct books b = {.fails_at = UINT32_MAX};
    struct weft_alloc a = {.get = get, .put = put, .ctx = &b};
    struct weft_siw_stats stats;
    struct weft_siw *s;

    (void)state;
    assert_int_equal(weft_siw_new(&c, &a, NULL, &s), 0);
    assert_int_equal(weft_siw_bytes(s), b.out);
    weft_siw_stats(s, &stats);
    assert_int_equal(stats.endpoints, 0);
    assert_int_equal(stats.half_open, 0);
    assert_null(weft_siw_free(s));
    assert_null(weft_siw_free(NULL));
}

static void test_a_provider_is_freed_with_all_that_goes_on(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_accepted(&l);
    lab_incoming(&l);
    assert_int_equal(weft_iwcm_create(l.cm, 0, &l.id), 0);
    p.qpn = 2;
    lab_dial(&l, &p);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    lab_close(&l);
}

static void test_every_state_status_and_error_has_words(void **state)
{
    (void)state;
    assert_string_equal(weft_siw_qp_state_name(WEFT_SIW_QP_RTS), "RTS");
    assert_string_equal(weft_siw_qp_state_name(WEFT_SIW_QP_STATES), "?");
    assert_string_equal(weft_siw_wc_status_text(WEFT_SIW_WC_OK), "done");
    assert_string_equal(weft_siw_wc_status_text(WEFT_SIW_WC_STATUSES), "unknown status");
    for (uint32_t i = 0; i < WEFT_SIW_QP_STATES; i++)
        assert_string_not_equal(weft_siw_qp_state_name((enum weft_siw_qp_state)i), "?");
    for (uint32_t i = 0; i < WEFT_SIW_WC_STATUSES; i++) {
        assert_string_not_equal(weft_siw_wc_status_text((enum weft_siw_wc_status)i), "");
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(weft_siw_wc_status_text((enum weft_siw_wc_status)i),
                                    weft_siw_wc_status_text((enum weft_siw_wc_status)j));
    }
    assert_string_equal(weft_siw_terminate_text(TERMINATE_CRC), terminate_text(TERMINATE_CRC));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_out_of_range_are_refused),
        cmocka_unit_test(test_numbers_at_their_ends_are_taken),
        cmocka_unit_test(test_each_allocation_that_fails_leaves_nothing_behind),
        cmocka_unit_test(test_its_bytes_are_those_it_took),
        cmocka_unit_test(test_a_provider_is_freed_with_all_that_goes_on),
        cmocka_unit_test(test_every_state_status_and_error_has_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
