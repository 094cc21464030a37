/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Known ports: found by GUID and number, the first one counts, no more than said. */
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct weft_sweep_prior_port port(uint64_t guid, uint8_t number, uint16_t lid)
{
    return (struct weft_sweep_prior_port){.guid = guid, .number = number, .lid = lid};
}

static void test_ports_are_found_by_GUID_and_number(void **state)
{
    struct weft_sweep_prior *k = cf_prior(1000);

    (void)state;
    assert_non_null(k);
    for (uint16_t i = 0; i < 1000; i++) {
        struct weft_sweep_prior_port p =
            port(UINT64_C(0x0002c90300000000) + i / 10, (uint8_t)(i % 10), i);

        assert_int_equal(weft_sweep_prior_add(k, &p), 0);
    }
    for (uint16_t i = 0; i < 1000; i++) {
        const struct weft_sweep_prior_port *p =
            weft_sweep_prior_find(k, UINT64_C(0x0002c90300000000) + i / 10, (uint8_t)(i % 10));

        assert_non_null(p);
        assert_int_equal(p->lid, i);
    }
    assert_null(weft_sweep_prior_find(k, UINT64_C(0x0002c90300000000), 10));
    assert_null(weft_sweep_prior_find(k, UINT64_C(0x0002c90300000064), 0));
    assert_null(weft_sweep_prior_free(k));
    assert_null(weft_sweep_prior_free(NULL));
}

static void test_of_two_the_first_counts_and_there_is_an_end(void **state)
{
    struct weft_sweep_prior *k = cf_prior(2);
    struct weft_sweep_prior_port a = port(1, 1, 10), again = port(1, 1, 20), b = port(1, 2, 30);
    struct weft_sweep_prior_port more = port(2, 1, 40);

    (void)state;
    assert_int_equal(weft_sweep_prior_add(k, &a), 0);
    assert_int_equal(weft_sweep_prior_add(k, &again), 0);
    assert_int_equal(weft_sweep_prior_add(k, &b), 0);
    assert_int_equal(weft_sweep_prior_find(k, 1, 1)->lid, 10);
    assert_int_equal(weft_sweep_prior_add(k, &more), WEFT_ERR_FULL);
    assert_int_equal(weft_sweep_prior_add(k, &b), 0);
    (void)weft_sweep_prior_free(k);
}

static void test_nothing_is_known_of_nothing(void **state)
{
    struct weft_sweep_prior *k = cf_prior(0);

    (void)state;
    assert_non_null(k);
    assert_null(weft_sweep_prior_find(k, 0, 0));
    (void)weft_sweep_prior_free(k);
    assert_int_equal(weft_sweep_prior_new(UINT32_MAX, NULL, &k), WEFT_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports_are_found_by_GUID_and_number),
        cmocka_unit_test(test_of_two_the_first_counts_and_there_is_an_end),
        cmocka_unit_test(test_nothing_is_known_of_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
