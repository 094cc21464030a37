/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Known ports: found by GUID and number, the first one counts, no more than said. */
#include <weft/sweep.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct weft_known_port port(uint64_t guid, uint8_t number, uint16_t lid)
{
    return (struct weft_known_port){.guid = guid, .number = number, .lid = lid};
}

static void test_ports_are_found_by_GUID_and_number(void **state)
{
    struct weft_known *k = weft_known_new(1000);

    (void)state;
    assert_non_null(k);
    for (uint16_t i = 0; i < 1000; i++) {
        struct weft_known_port p =
            port(UINT64_C(0x0002c90300000000) + i / 10, (uint8_t)(i % 10), i);

        assert_int_equal(weft_known_add(k, &p), 0);
    }
    for (uint16_t i = 0; i < 1000; i++) {
        const struct weft_known_port *p =
            weft_known_find(k, UINT64_C(0x0002c90300000000) + i / 10, (uint8_t)(i % 10));

        assert_non_null(p);
        assert_int_equal(p->lid, i);
    }
    assert_null(weft_known_find(k, UINT64_C(0x0002c90300000000), 10));
    assert_null(weft_known_find(k, UINT64_C(0x0002c90300000064), 0));
    assert_null(weft_known_free(k));
    assert_null(weft_known_free(NULL));
}

static void test_of_two_the_first_counts_and_there_is_an_end(void **state)
{
    struct weft_known *k = weft_known_new(2);
    struct weft_known_port a = port(1, 1, 10), again = port(1, 1, 20), b = port(1, 2, 30);
    struct weft_known_port more = port(2, 1, 40);

    (void)state;
    assert_int_equal(weft_known_add(k, &a), 0);
    assert_int_equal(weft_known_add(k, &again), 0);
    assert_int_equal(weft_known_add(k, &b), 0);
    assert_int_equal(weft_known_find(k, 1, 1)->lid, 10);
    assert_int_equal(weft_known_add(k, &more), WEFT_ERR_FULL);
    assert_int_equal(weft_known_add(k, &b), 0);
    (void)weft_known_free(k);
}

static void test_nothing_is_known_of_nothing(void **state)
{
    struct weft_known *k = weft_known_new(0);

    (void)state;
    assert_non_null(k);
    assert_null(weft_known_find(k, 0, 0));
    (void)weft_known_free(k);
    assert_null(weft_known_new(UINT32_MAX));
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
