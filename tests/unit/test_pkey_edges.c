/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The 18 edge cases of P_Keys on SR-IOV hosts, each a test by its number; docs/pkey.md lists them.
 */
#include "pkey_fixture.h"

#define NONE WEFT_ERR_NOTFOUND

/* A host with both forms of A: guest 1 has the full one, guest 2 the limited one, guest 3 neither.
 */
enum {
    P_DEFAULT,
    P_A,
    P_B,
    P_A_FULL,
    P_EMPTY,
    P_VISIBLE
};
enum {
    PF,
    FULL_GUEST,
    LIMITED_GUEST,
    OTHER_GUEST,
    FUNCTIONS
};

struct host {
    struct weft_pkey_cache *cache;
    struct weft_pkey_map *map;
};

static struct host host_open(bool unassigned_goes)
{
    static const weft_pkey keys[P_VISIBLE + 1] = {
        [P_DEFAULT] = 0x7FFF, [P_A] = KEY_A, [P_B] = KEY_B_FULL, [P_A_FULL] = KEY_A_FULL};
    struct weft_pkey_map_config c;
    struct host h = {.cache = pkey_cache(keys, P_VISIBLE + 1)};

    assert_int_equal(weft_pkey_map_config_init(&c), 0);
    c.functions = FUNCTIONS;
    c.entries = P_VISIBLE + 1;
    c.unassigned_goes = unassigned_goes;
    assert_int_equal(weft_pkey_map_new(&c, NULL, &h.map), 0);
    assert_int_equal(weft_pkey_map_set(h.map, h.cache, AT(FULL_GUEST), 1, P_A_FULL), 0);
    assert_int_equal(weft_pkey_map_set(h.map, h.cache, AT(LIMITED_GUEST), 2, P_A), 0);
    assert_int_equal(weft_pkey_map_set(h.map, h.cache, AT(OTHER_GUEST), 1, P_B), 0);
    return h;
}

static void host_close(struct host *h)
{
    weft_pkey_map_free(h->map);
    weft_pkey_cache_free(h->cache);
}

static weft_pkey guest_key(const struct host *h, uint16_t function, uint16_t virt)
{
    weft_pkey key;

    assert_int_equal(weft_pkey_map_key(h->map, h->cache, AT(function), virt, &key), 0);
    return key;
}

static int to_physical(const struct host *h, uint16_t function, uint16_t virt)
{
    uint16_t physical;
    int err = weft_pkey_map_send(h->map, AT(function), 1, virt, &physical);

    return err < 0 ? err : physical;
}

static int heard(const struct host *h, uint16_t function, weft_pkey packet)
{
    uint16_t virt;
    int err = weft_pkey_map_recv_packet(h->map, h->cache, AT(function), 1, packet, &virt);

    return err < 0 ? err : virt;
}

static struct weft_pkey_functions told_since(const struct host *h, uint64_t generation)
{
    struct weft_pkey_functions functions;

    assert_int_equal(weft_pkey_map_changed(h->map, h->cache, 1, generation, &functions), 0);
    return functions;
}

/* Both forms of the lookup must say the same. */
static int find(enum weft_pkey_find how, weft_pkey key, const weft_pkey *keys, uint32_t count)
{
    struct weft_pkey_cache *c = pkey_cache(keys, count);
    int cached = model_ask(c, how, key);

    weft_pkey_cache_free(c);
    assert_int_equal(model_read(how, key, keys, count, 0), cached);
    return cached;
}

static void test_edge_1_R138_limited_then_full(void **state)
{
    static const weft_pkey keys[] = {KEY_A, KEY_A_FULL};

    (void)state;
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A_FULL, keys, 2), 1);
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A, keys, 2), 1);
}

static void test_edge_2_R138_full_then_limited(void **state)
{
    static const weft_pkey keys[] = {KEY_A_FULL, KEY_A};

    (void)state;
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A_FULL, keys, 2), 0);
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A, keys, 2), 0);
}

static void test_edge_3_R139_R141_only_limited(void **state)
{
    static const weft_pkey keys[] = {KEY_A};

    (void)state;
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A_FULL, keys, 1), 0);
    assert_int_equal(find(WEFT_PKEY_FIND_EXACT, KEY_A_FULL, keys, 1), NONE);
}

static void test_edge_4_R141_exact_with_both_forms(void **state)
{
    static const weft_pkey keys[] = {KEY_A, KEY_A_FULL};

    (void)state;
    assert_int_equal(find(WEFT_PKEY_FIND_EXACT, KEY_A, keys, 2), 0);
    assert_int_equal(find(WEFT_PKEY_FIND_EXACT, KEY_A_FULL, keys, 2), 1);
}

/* model_ask() and model_read() see to it that the output is untouched. */
static void test_edge_5_absent(void **state)
{
    static const weft_pkey keys[] = {KEY_A, KEY_A_FULL, 0};

    (void)state;
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_B, keys, 3), NONE);
    assert_int_equal(find(WEFT_PKEY_FIND_EXACT, KEY_B_FULL, keys, 3), NONE);
    assert_int_equal(find(WEFT_PKEY_FIND, 0x8000, keys, 3), WEFT_ERR_INVALID);
}

static void test_edge_6_R138_full_in_block_3_limited_in_block_0(void **state)
{
    weft_pkey keys[128] = {[1] = KEY_A, [96] = KEY_A_FULL};

    (void)state;
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A, keys, 128), 96);
}

static void test_edge_7_R142_R147_two_guests_of_one_host_one_form_each(void **state)
{
    struct host h = host_open(false);
    struct weft_pkey_cache *full = pkey_guest_cache(h.map, h.cache, FULL_GUEST);
    struct weft_pkey_cache *limited = pkey_guest_cache(h.map, h.cache, LIMITED_GUEST);

    (void)state;
    for (int form = 0; form < 2; form++) {
        weft_pkey key = form ? KEY_A_FULL : KEY_A;

        assert_int_equal(model_ask(full, WEFT_PKEY_FIND, key), 1);
        assert_int_equal(model_ask(limited, WEFT_PKEY_FIND, key), 2);
        assert_int_equal(model_ask(full, WEFT_PKEY_FIND_EXACT, key), form ? 1 : NONE);
        assert_int_equal(model_ask(limited, WEFT_PKEY_FIND_EXACT, key), form ? NONE : 2);
    }
    weft_pkey_cache_free(full);
    weft_pkey_cache_free(limited);
    host_close(&h);
}

static void test_edge_8_R142_limited_guests_do_not_hear_each_other(void **state)
{
    struct host h = host_open(false);
    weft_pkey from_limited = guest_key(&h, LIMITED_GUEST, 2);
    weft_pkey from_full = guest_key(&h, FULL_GUEST, 1);

    (void)state;
    assert_false(weft_pkey_match(from_limited, from_limited));
    assert_true(weft_pkey_match(from_limited, from_full));
    /* the full guest's entry lets the packet into the host, but not to the limited guest */
    assert_int_equal(heard(&h, FULL_GUEST, from_limited), 1);
    assert_int_equal(heard(&h, LIMITED_GUEST, from_limited), NONE);
    assert_int_equal(heard(&h, LIMITED_GUEST, from_full), 2);
    host_close(&h);
}

static void test_edge_9_R155_an_unassigned_entry_in_a_QP(void **state)
{
    struct host h = host_open(false), lenient = host_open(true);
    uint16_t held = 77;
    weft_pkey key;

    (void)state;
    assert_int_equal(guest_key(&h, FULL_GUEST, 4), 0);
    assert_int_equal(weft_pkey_map_qp(h.map, AT(FULL_GUEST), WEFT_PKEY_QP_RESET_INIT, 4, &held),
                     NONE);
    assert_int_equal(held, 77);
    assert_int_equal(
        weft_pkey_map_qp(lenient.map, AT(FULL_GUEST), WEFT_PKEY_QP_RESET_INIT, 4, &held), 0);
    assert_int_equal(held, P_VISIBLE);
    assert_int_equal(weft_pkey_cache_get(lenient.cache, held, &key), 0);
    assert_false(weft_pkey_valid(key));
    for (uint32_t packet = 0; packet < 65536; packet++)
        assert_false(weft_pkey_match(key, (weft_pkey)packet));
    host_close(&h);
    host_close(&lenient);
}

static void test_edge_10_R154_the_manager_rewrites_an_entry(void **state)
{
    struct host h = host_open(false);
    struct weft_pkey_functions told;

    (void)state;
    pkey_write(h.cache, P_A, 0x0077);
    told = told_since(&h, 1);
    assert_int_equal(told.bits[0], 1 << PF | 1 << LIMITED_GUEST);
    assert_int_equal(guest_key(&h, LIMITED_GUEST, 2), 0x0077);
    assert_int_equal(guest_key(&h, FULL_GUEST, 1), KEY_A_FULL);
    host_close(&h);
}

static void test_edge_11_R154_the_manager_moves_a_key(void **state)
{
    struct host h = host_open(false);
    struct weft_pkey_functions told;

    (void)state;
    pkey_write(h.cache, P_A_FULL, 0x8055);
    pkey_write(h.cache, P_EMPTY, KEY_A_FULL);
    told = told_since(&h, 1);
    assert_int_equal(told.bits[0], 1 << PF | 1 << FULL_GUEST);
    /* the guest keeps its place, and sees what stands there now */
    assert_int_equal(guest_key(&h, FULL_GUEST, 1), 0x8055);
    assert_int_equal(to_physical(&h, FULL_GUEST, 1), P_A_FULL);
    assert_int_equal(heard(&h, FULL_GUEST, KEY_A), NONE);
    host_close(&h);
}

static void test_edge_12_R154_a_new_map_leaves_QPs_alone_until_they_move(void **state)
{
    struct host h = host_open(false);
    uint16_t held = 77;

    (void)state;
    assert_int_equal(weft_pkey_map_qp(h.map, AT(FULL_GUEST), WEFT_PKEY_QP_RESET_INIT, 1, &held), 0);
    assert_int_equal(weft_pkey_map_qp(h.map, AT(FULL_GUEST), WEFT_PKEY_QP_RTR_RTS, 1, &held), 0);
    assert_int_equal(weft_pkey_map_set(h.map, h.cache, AT(FULL_GUEST), 1, P_B), 0);
    assert_int_equal(held, P_A_FULL);
    /* a move without an index changes nothing, the next one with an index does */
    assert_int_equal(weft_pkey_map_qp(h.map, AT(FULL_GUEST), WEFT_PKEY_QP_RTS_SQD, 1, &held), 0);
    assert_int_equal(held, P_A_FULL);
    assert_int_equal(weft_pkey_map_qp(h.map, AT(FULL_GUEST), WEFT_PKEY_QP_SQD_RTS, 1, &held), 0);
    assert_int_equal(held, P_B);
    host_close(&h);
}

static void test_edge_13_two_virtual_entries_on_one_physical(void **state)
{
    struct host h = host_open(false);
    struct weft_pkey_cache *guest;

    (void)state;
    assert_int_equal(weft_pkey_map_set(h.map, h.cache, AT(FULL_GUEST), 3, P_A_FULL), 0);
    assert_int_equal(guest_key(&h, FULL_GUEST, 1), KEY_A_FULL);
    assert_int_equal(guest_key(&h, FULL_GUEST, 3), KEY_A_FULL);
    guest = pkey_guest_cache(h.map, h.cache, FULL_GUEST);
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND, KEY_A), 1);
    assert_int_equal(model_ask(guest, WEFT_PKEY_FIND_EXACT, KEY_A_FULL), 1);
    assert_int_equal(heard(&h, FULL_GUEST, KEY_A), 1);
    weft_pkey_cache_free(guest);
    host_close(&h);
}

static void test_edge_14_R155_a_MAD_that_a_guest_has_no_key_for(void **state)
{
    struct host h = host_open(false);
    uint16_t virt = 0xBEEF;

    (void)state;
    for (int physical = P_A; physical <= P_A_FULL; physical++) {
        int err = weft_pkey_map_recv(h.map, h.cache, AT(OTHER_GUEST), 1, (uint16_t)physical, &virt);

        assert_int_equal(err, physical == P_B ? 0 : NONE);
        assert_int_equal(virt, physical < P_B ? 0xBEEF : 1);
    }
    assert_int_equal(heard(&h, OTHER_GUEST, KEY_A_FULL), NONE);
    host_close(&h);
}

static void test_edge_15_R155_a_reply_goes_out_on_the_index_that_came_in(void **state)
{
    struct host h = host_open(false);
    uint16_t virt;

    (void)state;
    /* the physical index is 3, the guest's is 1: with the former the reply would be lost */
    assert_int_equal(weft_pkey_map_recv(h.map, h.cache, AT(FULL_GUEST), 1, P_A_FULL, &virt), 0);
    assert_int_equal(virt, 1);
    assert_int_equal(to_physical(&h, FULL_GUEST, virt), P_A_FULL);
    assert_int_equal(to_physical(&h, FULL_GUEST, P_A_FULL), NONE);
    host_close(&h);
}

static void test_edge_16_a_Set_of_what_was_there(void **state)
{
    struct host h = host_open(false);
    weft_pkey block[WEFT_PKEY_BLOCK] = {0};
    struct weft_pkey_change change = {.entries = 99};
    struct weft_pkey_functions told;

    (void)state;
    for (uint32_t i = 0; i <= P_VISIBLE; i++)
        assert_int_equal(weft_pkey_cache_get(h.cache, i, &block[i]), 0);
    assert_int_equal(weft_pkey_cache_set(h.cache, 0, block, &change), 0);
    /* natively a change is told, although nothing differs; behind a map it concerns nobody */
    assert_int_equal(change.generation, 2);
    assert_int_equal(change.entries, 0);
    told = told_since(&h, 1);
    assert_int_equal(told.bits[0], 0);
    host_close(&h);
}

static void test_edge_17_R148_R149_the_PFs_own_MAD_goes_as_a_full_member(void **state)
{
    struct host h = host_open(false);
    uint16_t index;

    (void)state;
    assert_int_equal(weft_pkey_cache_find(h.cache, KEY_A, &index), 0);
    assert_int_equal(index, P_A_FULL);
    assert_int_equal(to_physical(&h, PF, index), P_A_FULL);
    /* a guest's goes by its own index, whatever the PF prefers */
    assert_int_equal(to_physical(&h, LIMITED_GUEST, 2), P_A);
    host_close(&h);
}

static void test_edge_18_a_table_that_ends_within_a_block(void **state)
{
    weft_pkey keys[33] = {[32] = KEY_A};

    (void)state;
    for (uint32_t count = 1; count < 33; count++) {
        struct weft_pkey_cache *c;

        assert_int_equal(weft_pkey_cache_new(count, NULL, &c), 0);
        assert_int_equal(model_commit(c, keys, KEY_A_FULL, NULL), 0);
        assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_A), NONE);
        assert_int_equal(model_read(WEFT_PKEY_FIND, KEY_A, keys, count, KEY_A_FULL), NONE);
        weft_pkey_cache_free(c);
    }
    assert_int_equal(find(WEFT_PKEY_FIND, KEY_A, keys, 33), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_1_R138_limited_then_full),
        cmocka_unit_test(test_edge_2_R138_full_then_limited),
        cmocka_unit_test(test_edge_3_R139_R141_only_limited),
        cmocka_unit_test(test_edge_4_R141_exact_with_both_forms),
        cmocka_unit_test(test_edge_5_absent),
        cmocka_unit_test(test_edge_6_R138_full_in_block_3_limited_in_block_0),
        cmocka_unit_test(test_edge_7_R142_R147_two_guests_of_one_host_one_form_each),
        cmocka_unit_test(test_edge_8_R142_limited_guests_do_not_hear_each_other),
        cmocka_unit_test(test_edge_9_R155_an_unassigned_entry_in_a_QP),
        cmocka_unit_test(test_edge_10_R154_the_manager_rewrites_an_entry),
        cmocka_unit_test(test_edge_11_R154_the_manager_moves_a_key),
        cmocka_unit_test(test_edge_12_R154_a_new_map_leaves_QPs_alone_until_they_move),
        cmocka_unit_test(test_edge_13_two_virtual_entries_on_one_physical),
        cmocka_unit_test(test_edge_14_R155_a_MAD_that_a_guest_has_no_key_for),
        cmocka_unit_test(test_edge_15_R155_a_reply_goes_out_on_the_index_that_came_in),
        cmocka_unit_test(test_edge_16_a_Set_of_what_was_there),
        cmocka_unit_test(test_edge_17_R148_R149_the_PFs_own_MAD_goes_as_a_full_member),
        cmocka_unit_test(test_edge_18_a_table_that_ends_within_a_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
