/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues: what they hold, when they are full, and whom they tell. */
#include "core/base/prng.h"
#include "siw_fixture.h"

static struct cq *small_cq(struct siw_fixture *f, uint32_t entries, uint32_t *ret_cqn)
{
    assert_int_equal(weft_siw_cq_create(&f->s, entries, ret_cqn), 0);
    return cq_find(&f->s, *ret_cqn);
}

static void test_entries_are_shared_out_once(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    uint32_t cqn, other;

    (void)state;
    assert_int_equal(weft_siw_cq_create(&f->s, 0, &cqn), WEFT_ERR_INVALID);
    assert_int_equal(weft_siw_cq_create(&f->s, 193, &cqn), WEFT_ERR_FULL);
    assert_int_equal(weft_siw_cq_create(&f->s, UINT32_MAX, &cqn), WEFT_ERR_FULL);
    small_cq(f, 192, &cqn);
    assert_int_equal(weft_siw_cq_create(&f->s, 1, &other), WEFT_ERR_FULL);
    assert_int_equal(weft_siw_cq_destroy(&f->s, cqn), 0);
    assert_int_equal(weft_siw_cq_destroy(&f->s, cqn), WEFT_ERR_NOTFOUND);
    for (uint32_t i = 0; i < 3; i++)
        small_cq(f, 1, &other);
    assert_int_equal(weft_siw_cq_create(&f->s, 1, &other), WEFT_ERR_FULL);
    siw_fixture_free(f);
}

static void test_a_queue_that_is_used_stays(void **state)
{
    struct siw_fixture *f = siw_fixture_new();

    (void)state;
    assert_int_equal(weft_siw_cq_destroy(&f->s, f->cqn), WEFT_ERR_CONFLICT);
    assert_int_equal(weft_siw_qp_destroy(&f->s, f->qpn), 0);
    assert_int_equal(weft_siw_cq_destroy(&f->s, f->cqn), 0);
    siw_fixture_free(f);
}

static void test_completions_keep_order_and_content(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_wc got;
    struct cq *cq;
    uint32_t cqn;

    (void)state;
    cq = small_cq(f, 3, &cqn);
    for (uint32_t i = 0; i < 10; i++) {
        struct weft_siw_wc wc = {
            .wr_id = UINT64_MAX - i,
            .qpn = UINT32_MAX - i,
            .opcode = WEFT_SIW_WC_RECV,
            .status = WEFT_SIW_WC_TOO_LONG,
            .bytes = UINT32_MAX - i,
            .invalidated = 0xFFFFFF00u + i,
            .solicited = i % 2,
        };

        assert_true(cq_reserve(cq));
        cq_complete(&f->s, cq, &wc);
        assert_true(weft_siw_cq_poll(&f->s, cqn, &got));
        assert_memory_equal(&got.wr_id, &wc.wr_id, sizeof(wc.wr_id));
        assert_int_equal(got.qpn, wc.qpn);
        assert_int_equal(got.opcode, wc.opcode);
        assert_int_equal(got.status, wc.status);
        assert_int_equal(got.bytes, wc.bytes);
        assert_int_equal(got.invalidated, wc.invalidated);
        assert_int_equal(got.solicited, wc.solicited);
    }
    assert_false(weft_siw_cq_poll(&f->s, cqn, &got));
    siw_fixture_free(f);
}

/* Reservations, completions and polls at random: a queue holds at most what it was made for, and
 * whatever was reserved completes. */
static void test_what_was_reserved_always_fits(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct prng g = {7};
    uint64_t made = 0, polled = 0;
    uint32_t reserved = 0, held = 0, refused = 0, cqn;
    struct cq *cq;

    (void)state;
    cq = small_cq(f, 5, &cqn);
    for (uint32_t i = 0; i < 20000; i++) {
        struct weft_siw_wc wc = {.wr_id = made};

        switch (prng_up_to(&g, 3)) {
        case 0:
            assert_int_equal(cq_reserve(cq), reserved + held < 5);
            if (reserved + held < 5)
                reserved++;
            else
                refused++;
            break;
        case 1:
            if (reserved > 0) {
                cq_complete(&f->s, cq, &wc);
                made++;
                reserved--;
                held++;
            }
            break;
        case 2:
            assert_int_equal(weft_siw_cq_poll(&f->s, cqn, &wc), held > 0);
            if (held > 0) {
                assert_int_equal(wc.wr_id, polled);
                polled++;
                held--;
            }
            break;
        default:
            if (reserved > 0 && prng_up_to(&g, 3) == 0) {
                cq_release(cq);
                reserved--;
            }
            break;
        }
        assert_int_equal(f->s.verbs.completions.used, held);
    }
    assert_true(refused > 0 && polled > 1000);
    siw_fixture_free(f);
}

static void complete(struct siw_fixture *f, struct cq *cq, enum weft_siw_wc_status status,
                     bool solicited)
{
    struct weft_siw_wc wc = {.status = status, .solicited = solicited};

    assert_true(cq_reserve(cq));
    cq_complete(&f->s, cq, &wc);
}

static uint32_t events(struct siw_fixture *f)
{
    struct weft_siw_event e;
    uint32_t n = 0;

    while (weft_siw_poll_event(&f->s, &e))
        n++;
    return n;
}

static void test_an_armed_queue_tells_once(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct cq *cq = cq_find(&f->s, f->cqn);

    (void)state;
    complete(f, cq, WEFT_SIW_WC_OK, true);
    assert_int_equal(weft_siw_cq_arm(&f->s, f->cqn, false), 0);
    assert_int_equal(events(f), 0);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    assert_int_equal(events(f), 1);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    assert_int_equal(events(f), 0);
    siw_fixture_free(f);
}

static void test_armed_for_solicited_it_tells_of_those_and_of_failures(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct cq *cq = cq_find(&f->s, f->cqn);

    (void)state;
    assert_int_equal(weft_siw_cq_arm(&f->s, f->cqn, true), 0);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    assert_int_equal(events(f), 0);
    complete(f, cq, WEFT_SIW_WC_OK, true);
    assert_int_equal(events(f), 1);
    assert_int_equal(weft_siw_cq_arm(&f->s, f->cqn, true), 0);
    complete(f, cq, WEFT_SIW_WC_FLUSHED, false);
    assert_int_equal(events(f), 1);
    /* armed for any, it is not armed for less by a second call */
    assert_int_equal(weft_siw_cq_arm(&f->s, f->cqn, false), 0);
    assert_int_equal(weft_siw_cq_arm(&f->s, f->cqn, true), 0);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    assert_int_equal(events(f), 1);
    siw_fixture_free(f);
}

static void test_a_queue_that_ends_takes_its_completions_and_its_event_along(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct cq *cq;
    uint32_t cqn;

    (void)state;
    cq = small_cq(f, 2, &cqn);
    assert_int_equal(weft_siw_cq_arm(&f->s, cqn, false), 0);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    complete(f, cq, WEFT_SIW_WC_OK, false);
    assert_int_equal(weft_siw_cq_destroy(&f->s, cqn), 0);
    assert_int_equal(events(f), 0);
    assert_int_equal(f->s.verbs.completions.used, 0);
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_are_shared_out_once),
        cmocka_unit_test(test_a_queue_that_is_used_stays),
        cmocka_unit_test(test_completions_keep_order_and_content),
        cmocka_unit_test(test_what_was_reserved_always_fits),
        cmocka_unit_test(test_an_armed_queue_tells_once),
        cmocka_unit_test(test_armed_for_solicited_it_tells_of_those_and_of_failures),
        cmocka_unit_test(test_a_queue_that_ends_takes_its_completions_and_its_event_along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
