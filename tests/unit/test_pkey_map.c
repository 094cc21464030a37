/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The map of an SR-IOV device: assignment, views, events, and the strict mode. */
#include "pkey_fixture.h"

#define NO WEFT_PKEY_UNASSIGNED

/* Physical tables here have 8 entries, of which functions see 7. */
static const weft_pkey physical[7] = {0xFFFF, KEY_A, KEY_A_FULL, KEY_B, KEY_B_FULL, 0x0042, 0};

static uint16_t entry(const struct weft_pkey_map *m, uint16_t function, uint16_t virt)
{
    uint16_t at = 0xBEEF;

    assert_int_equal(weft_pkey_map_get(m, AT(function), virt, &at), 0);
    return at;
}

static void test_R144_the_administrator_picks_entries_slot_by_slot(void **state)
{
    struct weft_pkey_map *m = pkey_map(3, 8, false);
    struct weft_pkey_cache *c = pkey_cache(physical, 7);
    weft_pkey key;

    (void)state;
    assert_int_equal(weft_pkey_map_visible(m), 7);
    for (uint16_t v = 0; v < 7; v++) {
        assert_int_equal(entry(m, 0, v), v);
        assert_int_equal(entry(m, 1, v), v == 0 ? 0 : NO);
    }
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 5, 2), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 3, 3), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 0, NO), 0);
    assert_int_equal(entry(m, 1, 5), 2);
    assert_int_equal(entry(m, 1, 3), 3);
    assert_int_equal(entry(m, 1, 0), NO);
    assert_int_equal(entry(m, 2, 0), 0);
    assert_int_equal(entry(m, 2, 5), NO);
    assert_int_equal(weft_pkey_map_key(m, c, AT(1), 5, &key), 0);
    assert_int_equal(key, KEY_A_FULL);
    assert_int_equal(weft_pkey_map_key(m, c, AT(1), 0, &key), 0);
    assert_int_equal(key, 0);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_an_assignment_that_cannot_be_is_refused(void **state)
{
    struct weft_pkey_map *m = pkey_map(3, 8, false);
    struct weft_pkey_place other_port = {.port = 2, .function = 1}, port_0 = {.function = 1};
    uint16_t at = 0xBEEF;
    weft_pkey key = 0xBEEF, block[WEFT_PKEY_BLOCK] = {0xBEEF};
    struct weft_pkey_cache *c = pkey_cache(physical, 7);

    (void)state;
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(0), 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(0), 1, NO), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(3), 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 7, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 1, 7), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 1, 65534), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, &other_port, 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_set(m, NULL, &port_0, 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(entry(m, 1, 1), NO);
    assert_int_equal(weft_pkey_map_get(m, AT(1), 7, &at), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_get(m, &other_port, 0, &at), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_key(m, c, AT(3), 0, &key), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_key(m, c, AT(1), 7, &key), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_view(m, c, AT(1), 1, block), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_view(m, c, AT(3), 0, block), WEFT_ERR_INVALID);
    assert_int_equal(at, 0xBEEF);
    assert_int_equal(key, 0xBEEF);
    assert_int_equal(block[0], 0xBEEF);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_without_a_table_there_is_no_view(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 8, false);
    weft_pkey key = 0xBEEF, block[WEFT_PKEY_BLOCK] = {0xBEEF};
    struct weft_pkey_cache *c;

    (void)state;
    assert_int_equal(weft_pkey_cache_new(7, NULL, &c), 0);
    assert_int_equal(weft_pkey_map_view(m, c, AT(1), 0, block), WEFT_ERR_STATE);
    assert_int_equal(weft_pkey_map_key(m, c, AT(1), 0, &key), WEFT_ERR_STATE);
    assert_int_equal(key, 0xBEEF);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_R145_the_PF_sees_the_physical_table_with_both_forms(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 8, true);
    struct weft_pkey_cache *c = pkey_cache(physical, 7);
    weft_pkey block[WEFT_PKEY_BLOCK];
    struct weft_pkey_clash clash;

    (void)state;
    assert_int_equal(weft_pkey_map_view(m, c, AT(0), 0, block), 0);
    for (uint32_t i = 0; i < WEFT_PKEY_BLOCK; i++)
        assert_int_equal(block[i], i < 7 ? physical[i] : 0);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(0), &clash), WEFT_ERR_INVALID);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_nobody_sees_the_reserved_entry(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 8, false);
    weft_pkey keys[8] = {0xFFFF}, block[WEFT_PKEY_BLOCK];
    struct weft_pkey_cache *c;

    (void)state;
    /* somebody wrote a key there all the same */
    keys[7] = KEY_A_FULL;
    c = pkey_cache(keys, 8);
    for (uint16_t function = 0; function < 2; function++) {
        assert_int_equal(weft_pkey_map_view(m, c, AT(function), 0, block), 0);
        for (uint32_t i = 1; i < WEFT_PKEY_BLOCK; i++)
            assert_int_equal(block[i], 0);
    }
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_R147_on_guests_lookups_behave_as_before(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 129, true);
    weft_pkey keys[128] = {0xFFFF};
    struct weft_pkey_cache *c, *guest;

    (void)state;
    keys[1] = KEY_A;
    keys[2] = KEY_A_FULL;
    keys[127] = KEY_B;
    c = pkey_cache(keys, 128);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 100, 1), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 33, 127), 0);
    guest = pkey_guest_cache(m, c, 1);
    /* entries of the physical table that nobody gave it are not there, full or not */
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND, KEY_A), 100);
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND, KEY_A_FULL), 100);
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND_EXACT, KEY_A_FULL), WEFT_ERR_NOTFOUND);
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND, KEY_B), 33);
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND, 0x7FFF), 0);
    weft_pkey_cache_free(guest);
    weft_pkey_cache_free(c);
    weft_pkey_map_free(m);
}

static void test_R143_strict_refuses_both_forms_and_duplicates(void **state)
{
    struct weft_pkey_map *m = pkey_map(3, 8, true);
    struct weft_pkey_cache *c;
    weft_pkey keys[7];

    (void)state;
    memcpy(keys, physical, sizeof(keys));
    keys[6] = KEY_B; /* a second limited B */
    c = pkey_cache(keys, 7);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 1, 1), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 2, 2), WEFT_ERR_CONFLICT); /* both forms */
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 2, 1), WEFT_ERR_CONFLICT); /* one entry twice */
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 2, 3), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 3, 6), WEFT_ERR_CONFLICT); /* one key twice */
    assert_int_equal(entry(m, 1, 3), NO);
    /* an entry may be replaced by the other form of its own key, and be written again */
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 1, 2), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 1, 2), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 1, NO), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 6, 1), 0);
    /* the other guest is free to have what the first has not */
    assert_int_equal(weft_pkey_map_set(m, c, AT(2), 1, 2), 0);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_strict_without_a_table_compares_entries(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 8, true);
    weft_pkey keys[7] = {0};
    struct weft_pkey_cache *c = pkey_cache(keys, 7);
    struct weft_pkey_clash clash;

    (void)state;
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 1, 1), 0);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 2, 1), WEFT_ERR_CONFLICT);
    /* empty entries are no keys that could be the same */
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 2, 2), 0);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(1), &clash), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_pkey_map_clash(m, NULL, AT(1), &clash), WEFT_ERR_NOTFOUND);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_R143_what_a_subnet_manager_makes_clash_is_reported(void **state)
{
    struct weft_pkey_map *m = pkey_map(3, 8, true);
    struct weft_pkey_clash clash = {.first = 99};
    weft_pkey keys[7] = {0xFFFF, KEY_A, KEY_B_FULL};
    struct weft_pkey_cache *c = pkey_cache(keys, 7);
    struct weft_pkey_functions functions;
    uint64_t seen;

    (void)state;
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 4, 1), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 2, 2), 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(2), 3, 1), 0);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(1), &clash), WEFT_ERR_NOTFOUND);
    assert_int_equal(clash.first, 99);
    seen = weft_pkey_cache_generation(c);
    pkey_write(c, 2, KEY_A_FULL);
    assert_int_equal(weft_pkey_map_changed(m, c, 1, seen, &functions), 0);
    assert_true(pkey_told(&functions, 1) && !pkey_told(&functions, 2));
    assert_int_equal(weft_pkey_map_clash(m, c, AT(1), &clash), 0);
    assert_int_equal(clash.first, 2);
    assert_int_equal(clash.second, 4);
    assert_true(clash.both_forms);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(2), &clash), WEFT_ERR_NOTFOUND);
    /* the same form twice */
    pkey_write(c, 2, KEY_A);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(1), &clash), 0);
    assert_false(clash.both_forms);
    pkey_write(c, 2, KEY_B);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(1), &clash), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_pkey_map_clash(m, c, AT(3), &clash), WEFT_ERR_INVALID);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

/* The first clash as plainly as it can be looked for. */
static bool model_clash(const struct weft_pkey_map *m, const weft_pkey *keys, uint16_t function,
                        struct weft_pkey_clash *ret)
{
    for (uint16_t j = 0; j < 7; j++) {
        for (uint16_t i = 0; i < j; i++) {
            uint16_t a = entry(m, function, i), b = entry(m, function, j);

            if (a == NO || b == NO)
                continue;
            if (a == b || ((keys[a] ^ keys[b]) & 0x7FFF) == 0) {
                if (a != b && (keys[a] & 0x7FFF) == 0)
                    continue;
                *ret = (struct weft_pkey_clash){i, j, (keys[a] ^ keys[b]) == 0x8000};
                return true;
            }
        }
    }
    return false;
}

static void test_R143_clashes_and_strictness_as_the_model_in_any_order(void **state)
{
    struct weft_pkey_map *strict = pkey_map(2, 8, true), *loose = pkey_map(2, 8, false);
    struct weft_pkey_clash clash, wanted;
    struct prng g = {143};
    weft_pkey keys[7] = {0};
    struct weft_pkey_cache *c = pkey_cache(keys, 7);

    (void)state;
    for (int i = 0; i < 30000; i++) {
        uint16_t virt = (uint16_t)prng_up_to(&g, 6), to = (uint16_t)prng_up_to(&g, 8), was;
        bool any, clean = !model_clash(strict, keys, 1, &wanted);
        int err;

        to = to < 7 ? to : NO;
        if (prng_up_to(&g, 2) == 0) {
            uint32_t at = (uint32_t)prng_up_to(&g, 6);

            keys[at] = model_key(&g, 6);
            pkey_write(c, at, keys[at]);
        } else {
            was = entry(strict, 1, virt);
            err = weft_pkey_map_set(strict, c, AT(1), virt, to);
            if (err < 0) {
                /* it would have clashed, and nothing has changed */
                assert_int_equal(err, WEFT_ERR_CONFLICT);
                assert_int_equal(entry(strict, 1, virt), was);
            } else if (clean) {
                assert_false(model_clash(strict, keys, 1, &wanted));
            }
            assert_int_equal(weft_pkey_map_set(loose, c, AT(1), virt, to), 0);
        }
        for (int n = 0; n < 2; n++) {
            any = model_clash(n ? loose : strict, keys, 1, &wanted);
            assert_int_equal(weft_pkey_map_clash(n ? loose : strict, c, AT(1), &clash),
                             any ? 0 : WEFT_ERR_NOTFOUND);
            if (any) {
                assert_int_equal(clash.first, wanted.first);
                assert_int_equal(clash.second, wanted.second);
                assert_int_equal(clash.both_forms, wanted.both_forms);
            }
        }
    }
    weft_pkey_map_free(strict);
    weft_pkey_map_free(loose);
    weft_pkey_cache_free(c);
}

static void test_R154_exactly_those_are_told_whose_table_has_changed(void **state)
{
    struct prng g = {154};
    struct weft_pkey_map *m = pkey_map(200, 129, false);
    weft_pkey keys[128] = {0}, before[WEFT_PKEY_BLOCK], after[WEFT_PKEY_BLOCK];
    struct weft_pkey_cache *c = pkey_cache(keys, 128), *old = pkey_cache(keys, 128);
    struct weft_pkey_functions functions;

    (void)state;
    for (uint16_t f = 1; f < 200; f++) {
        for (int n = 0; n < 3; n++)
            assert_int_equal(weft_pkey_map_set(m, c, AT(f), (uint16_t)prng_up_to(&g, 127),
                                               (uint16_t)prng_up_to(&g, 127)),
                             0);
    }
    for (int round = 0; round < 40; round++) {
        uint64_t seen = weft_pkey_cache_generation(c);

        for (uint64_t n = prng_up_to(&g, 3); n > 0; n--) {
            uint32_t at = (uint32_t)prng_up_to(&g, 127);

            keys[at] = model_key(&g, 3);
            pkey_write(c, at, keys[at]);
        }
        assert_int_equal(weft_pkey_map_changed(m, c, 1, seen, &functions), 0);
        for (uint16_t f = 0; f < 200; f++) {
            bool changed = false;

            for (uint16_t b = 0; b < 4; b++) {
                assert_int_equal(weft_pkey_map_view(m, old, AT(f), b, before), 0);
                assert_int_equal(weft_pkey_map_view(m, c, AT(f), b, after), 0);
                changed = changed || memcmp(before, after, sizeof(before)) != 0;
            }
            assert_int_equal(pkey_told(&functions, f), changed);
        }
        assert_int_equal(model_commit(old, keys, 0, NULL), 0);
    }
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
    weft_pkey_cache_free(old);
}

/* The longest table has an entry of the number that means "unassigned". */
static void test_an_unassigned_entry_is_no_entry_of_the_longest_table(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 65535, false);
    weft_pkey *keys = test_calloc(65536, sizeof(*keys)), key;
    struct weft_pkey_functions functions;
    struct weft_pkey_cache *c;

    (void)state;
    keys[0] = 0xFFFF;
    c = pkey_cache(keys, 65536);
    pkey_write(c, 65535, KEY_A_FULL);
    assert_int_equal(weft_pkey_map_changed(m, c, 1, 1, &functions), 0);
    assert_int_equal(functions.bits[0], 0);
    assert_int_equal(weft_pkey_map_key(m, c, AT(1), 9, &key), 0);
    assert_int_equal(key, 0);
    assert_int_equal(weft_pkey_map_set(m, c, AT(1), 65533, 65533), 0);
    pkey_write(c, 65533, KEY_A);
    assert_int_equal(weft_pkey_map_changed(m, c, 1, 2, &functions), 0);
    assert_int_equal(functions.bits[0], 3);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
    test_free(keys);
}

static void test_who_is_to_be_told_of_what_never_was_is_no_question(void **state)
{
    struct weft_pkey_functions functions = {{9}};
    struct weft_pkey_map *m = pkey_map(2, 8, false);
    struct weft_pkey_cache *c = pkey_cache(physical, 7);

    (void)state;
    assert_int_equal(weft_pkey_map_changed(m, c, 2, 0, &functions), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_changed(m, c, 0, 0, &functions), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_changed(m, c, 1, 2, &functions), WEFT_ERR_INVALID);
    assert_int_equal(functions.bits[0], 9);
    assert_int_equal(weft_pkey_map_changed(m, c, 1, 0, &functions), 0);
    assert_int_equal(functions.bits[0], 3);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_ports_and_functions_have_maps_of_their_own(void **state)
{
    struct weft_pkey_map_config c;
    struct weft_pkey_map *m;
    uint16_t got;

    (void)state;
    assert_int_equal(weft_pkey_map_config_init(&c), 0);
    c.functions = 5;
    c.ports = 3;
    c.entries = 33;
    assert_int_equal(weft_pkey_map_new(&c, NULL, &m), 0);
    for (uint16_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 4 * 3 * 32; i++) {
            struct weft_pkey_place at = {.port = (uint8_t)(1 + i / 32 % 3),
                                         .function = (uint16_t)(1 + i / 96)};

            if (round == 0) {
                assert_int_equal(
                    weft_pkey_map_set(m, NULL, &at, (uint16_t)(i % 32), (uint16_t)(i * 7 / 5 % 32)),
                    0);
                continue;
            }
            assert_int_equal(weft_pkey_map_get(m, &at, (uint16_t)(i % 32), &got), 0);
            assert_int_equal(got, i * 7 / 5 % 32);
        }
    }
    weft_pkey_map_free(m);
}

static void test_settings_out_of_their_range_are_refused(void **state)
{
    struct weft_pkey_map_config good, c;
    struct weft_pkey_map *m = (struct weft_pkey_map *)state;
    struct pkey_memory memory = {.empty = true};
    struct weft_alloc a = pkey_memory_alloc(&memory);

    assert_int_equal(weft_pkey_map_config_init_sized(&good, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_config_init(&good), 0);
#define REFUSED(change)                                                                            \
    do {                                                                                           \
        c = good;                                                                                  \
        c.change;                                                                                  \
        assert_int_equal(weft_pkey_map_new(&c, NULL, &m), WEFT_ERR_INVALID);                       \
    } while (0)
    REFUSED(size--);
    REFUSED(functions = 0);
    REFUSED(functions = 257);
    REFUSED(ports = 0);
    REFUSED(ports = 255);
    REFUSED(entries = 1);
    REFUSED(entries = 65536);
    assert_int_equal(weft_pkey_map_new(&good, &a, &m), WEFT_ERR_NOMEM);
    assert_ptr_equal(m, state);
    memory.empty = false;
    assert_int_equal(weft_pkey_map_new(&good, &a, &m), 0);
    assert_int_equal(weft_pkey_map_visible(m), 127);
    weft_pkey_map_free(m);
    good.entries = 2;
    assert_int_equal(weft_pkey_map_new(&good, &a, &m), 0);
    assert_int_equal(weft_pkey_map_visible(m), 1);
    weft_pkey_map_free(m);
    good.entries = 65535;
    assert_int_equal(weft_pkey_map_new(&good, &a, &m), 0);
    weft_pkey_map_free(m);
    assert_int_equal(memory.given, 0);
    assert_null(weft_pkey_map_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R144_the_administrator_picks_entries_slot_by_slot),
        cmocka_unit_test(test_an_assignment_that_cannot_be_is_refused),
        cmocka_unit_test(test_without_a_table_there_is_no_view),
        cmocka_unit_test(test_R145_the_PF_sees_the_physical_table_with_both_forms),
        cmocka_unit_test(test_nobody_sees_the_reserved_entry),
        cmocka_unit_test(test_R147_on_guests_lookups_behave_as_before),
        cmocka_unit_test(test_R143_strict_refuses_both_forms_and_duplicates),
        cmocka_unit_test(test_strict_without_a_table_compares_entries),
        cmocka_unit_test(test_R143_what_a_subnet_manager_makes_clash_is_reported),
        cmocka_unit_test(test_R143_clashes_and_strictness_as_the_model_in_any_order),
        cmocka_unit_test(test_R154_exactly_those_are_told_whose_table_has_changed),
        cmocka_unit_test(test_an_unassigned_entry_is_no_entry_of_the_longest_table),
        cmocka_unit_test(test_who_is_to_be_told_of_what_never_was_is_no_question),
        cmocka_unit_test(test_ports_and_functions_have_maps_of_their_own),
        cmocka_unit_test(test_settings_out_of_their_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
