/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters that are kept small come back as they were. */
#include "client/pma_store.h"
#include "core/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Enough for several chunks. */
#define PORTS 4000

static struct pma_store store_new(void)
{
    const struct weft_alloc libc = alloc_or_libc(NULL);
    struct pma_store s;

    pma_store_init(&s, &libc);
    return s;
}

/* Another set of counters that are not 0 for each number, none for some. */
static struct weft_pma_values values_of(uint32_t number)
{
    struct weft_pma_values v = {.present = (1U << WEFT_PMA_COUNTERS) - 1,
                                .stuck = number % 1000 & 0x3FFFFF,
                                .wide = ~number & 0x3FFFFF};

    for (uint32_t c = 0; c < WEFT_PMA_COUNTERS; c++)
        if (number >> c % 12 & 1)
            v.value[c] = ((uint64_t)number << 32) + c + 1;
    return v;
}

static void expect(const struct pma_store *s, uint32_t place, const struct weft_pma_values *wanted)
{
    struct weft_pma_values v;

    memset(&v, 0xAA, sizeof(v));
    pma_store_get(s, place, &v);
    assert_int_equal(v.present, wanted->present);
    assert_int_equal(v.stuck, wanted->stuck);
    assert_int_equal(v.wide, wanted->wide);
    assert_memory_equal(v.value, wanted->value, sizeof(v.value));
}

static void test_nothing_is_present_where_nothing_is_kept(void **state)
{
    const struct weft_pma_values nothing = {.present = 0};
    struct pma_store s = store_new();

    (void)state;
    expect(&s, PMA_STORE_NONE, &nothing);
    pma_store_free(&s);
}

static void test_values_of_many_ports_come_back(void **state)
{
    static uint32_t places[PORTS];
    struct pma_store s = store_new();

    (void)state;
    for (uint32_t i = 0; i < PORTS; i++) {
        const struct weft_pma_values v = values_of(i);

        places[i] = PMA_STORE_NONE;
        assert_int_equal(pma_store_put(&s, &places[i], &v), 0);
    }
    for (uint32_t i = 0; i < PORTS; i++) {
        const struct weft_pma_values v = values_of(i);

        expect(&s, places[i], &v);
    }
    pma_store_free(&s);
}

static void test_values_take_the_place_of_others_shorter_and_longer(void **state)
{
    struct weft_pma_values few = {.present = 3, .value = {7}}, many = values_of(0xFFF),
                           none = {.present = 1, .stuck = 1};
    const struct weft_pma_values neighbors = values_of(0x5A5);
    struct pma_store s = store_new();
    uint32_t place = PMA_STORE_NONE, neighbor = PMA_STORE_NONE, first;

    (void)state;
    assert_int_equal(pma_store_put(&s, &place, &few), 0);
    assert_int_equal(pma_store_put(&s, &neighbor, &neighbors), 0);
    first = place;
    assert_int_equal(pma_store_put(&s, &place, &none), 0);
    assert_int_equal(place, first);
    expect(&s, place, &none);
    assert_int_equal(pma_store_put(&s, &place, &many), 0);
    assert_int_not_equal(place, first);
    expect(&s, place, &many);
    expect(&s, neighbor, &neighbors);
    pma_store_free(&s);
}

static void test_counters_that_are_0_take_no_room(void **state)
{
    const struct weft_pma_values zeroes = {.present = 0x3FFFFF};
    struct pma_store s = store_new();
    uint32_t place = PMA_STORE_NONE, next = PMA_STORE_NONE;

    (void)state;
    assert_int_equal(pma_store_put(&s, &place, &zeroes), 0);
    assert_int_equal(pma_store_put(&s, &next, &zeroes), 0);
    assert_int_equal(next - place, 2);
    pma_store_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_present_where_nothing_is_kept),
        cmocka_unit_test(test_values_of_many_ports_come_back),
        cmocka_unit_test(test_values_take_the_place_of_others_shorter_and_longer),
        cmocka_unit_test(test_counters_that_are_0_take_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
