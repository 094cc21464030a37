/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Indices of guests into those of the port and back: QP commands, sends, receptions, round trips.
 */
#include "pkey_fixture.h"

#define NO   WEFT_PKEY_UNASSIGNED
#define NONE WEFT_ERR_NOTFOUND

static struct weft_pkey_map *map_going(uint16_t functions, uint32_t entries)
{
    struct weft_pkey_map_config c;
    struct weft_pkey_map *m;

    assert_int_equal(weft_pkey_map_config_init(&c), 0);
    c.functions = functions;
    c.entries = entries;
    c.unassigned_goes = true;
    assert_int_equal(weft_pkey_map_new(&c, NULL, &m), 0);
    return m;
}

static int move(const struct weft_pkey_map *m, uint16_t function, enum weft_pkey_qp_move how,
                uint16_t virt, uint16_t held)
{
    int err = weft_pkey_map_qp(m, AT(function), how, virt, &held);

    return err < 0 ? err : held;
}

static void test_R150_every_move_that_can_carry_an_index_is_translated(void **state)
{
    static const struct {
        enum weft_pkey_qp_move move;
        bool carries;
    } moves[WEFT_PKEY_QP_MOVES] = {
        {WEFT_PKEY_QP_RESET_INIT, true}, {WEFT_PKEY_QP_INIT_INIT, true},
        {WEFT_PKEY_QP_INIT_RTR, true},   {WEFT_PKEY_QP_RTR_RTS, true},
        {WEFT_PKEY_QP_RTS_RTS, true},    {WEFT_PKEY_QP_SQD_SQD, true},
        {WEFT_PKEY_QP_SQD_RTS, true},    {WEFT_PKEY_QP_SQERR_RTS, false},
        {WEFT_PKEY_QP_RTS_SQD, false},   {WEFT_PKEY_QP_TO_RESET, false},
        {WEFT_PKEY_QP_TO_ERROR, false},
    };
    struct weft_pkey_map *m = pkey_map(2, 8, false);

    (void)state;
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 3, 5), 0);
    for (uint32_t i = 0; i < COUNT(moves); i++) {
        bool carries = moves[i].carries;

        assert_int_equal(move(m, 1, moves[i].move, 3, 77), carries ? 5 : 77);
        assert_int_equal(move(m, 0, moves[i].move, 3, 77), carries ? 3 : 77);
        /* beyond the table, and unassigned: refused, where the index is looked at */
        assert_int_equal(move(m, 1, moves[i].move, 7, 77), carries ? WEFT_ERR_INVALID : 77);
        assert_int_equal(move(m, 1, moves[i].move, 0xFFFF, 77), carries ? WEFT_ERR_INVALID : 77);
        assert_int_equal(move(m, 0, moves[i].move, 7, 77), carries ? WEFT_ERR_INVALID : 77);
        assert_int_equal(move(m, 1, moves[i].move, 4, 77), carries ? NONE : 77);
        assert_int_equal(move(m, 2, moves[i].move, 3, 77), WEFT_ERR_INVALID);
    }
    assert_int_equal(move(m, 1, WEFT_PKEY_QP_MOVES, 3, 77), WEFT_ERR_INVALID);
    weft_pkey_map_free(m);
}

static void test_R155_an_unassigned_entry_may_go_to_the_reserved_one(void **state)
{
    struct weft_pkey_map *m = map_going(2, 8);
    uint16_t index = 77;

    (void)state;
    assert_int_equal(move(m, 1, WEFT_PKEY_QP_RESET_INIT, 4, 77), 7);
    assert_int_equal(weft_pkey_map_send(m, AT(1), 1, 4, &index), 0);
    assert_int_equal(index, 7);
    /* bounds hold all the same */
    assert_int_equal(move(m, 1, WEFT_PKEY_QP_RESET_INIT, 7, 77), WEFT_ERR_INVALID);
    weft_pkey_map_free(m);
}

static int sent(const struct weft_pkey_map *m, uint16_t function, uint8_t qpn, uint16_t virt)
{
    uint16_t index = 0xBEEF;
    int err = weft_pkey_map_send(m, AT(function), qpn, virt, &index);

    if (err < 0)
        assert_int_equal(index, 0xBEEF);
    return err < 0 ? err : index;
}

static void test_sends_of_QP1_go_by_their_index_those_of_QP0_by_entry_0(void **state)
{
    struct weft_pkey_map *m = pkey_map(3, 8, false);

    (void)state;
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 0, 4), 0);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 6, 2), 0);
    assert_int_equal(sent(m, 1, 1, 6), 2);
    assert_int_equal(sent(m, 1, 1, 0), 4);
    assert_int_equal(sent(m, 1, 1, 1), NONE);
    assert_int_equal(sent(m, 1, 1, 7), WEFT_ERR_INVALID);
    assert_int_equal(sent(m, 0, 1, 6), 6);
    assert_int_equal(sent(m, 0, 1, 7), WEFT_ERR_INVALID);
    assert_int_equal(sent(m, 3, 1, 0), WEFT_ERR_INVALID);
    assert_int_equal(sent(m, 1, 2, 0), WEFT_ERR_INVALID);
    assert_int_equal(sent(m, 1, 0, 6), 4);
    assert_int_equal(sent(m, 1, 0, 0xFFFF), 4);
    assert_int_equal(weft_pkey_map_set(m, NULL, AT(1), 0, NO), 0);
    assert_int_equal(sent(m, 1, 0, 6), NONE);
    weft_pkey_map_free(m);
}

/* The physical table of the rows below: what a completion's index means. */
enum {
    P_DEFAULT,
    P_A,
    P_A_FULL,
    P_B,
    P_B_FULL,
    P_EMPTY,
    P_A_AGAIN,
    P_COUNT
};
static const weft_pkey port_keys[P_COUNT] = {
    [P_DEFAULT] = 0xFFFF,    [P_A] = KEY_A,      [P_A_FULL] = KEY_A_FULL, [P_B] = KEY_B,
    [P_B_FULL] = KEY_B_FULL, [P_EMPTY] = 0x8000, [P_A_AGAIN] = KEY_A,
};

static int received(const struct weft_pkey_map *m, const struct weft_pkey_cache *c,
                    uint16_t function, uint16_t physical)
{
    uint16_t index = 0xBEEF;
    int err = weft_pkey_map_recv(m, c, AT(function), 1, physical, &index);

    if (err < 0)
        assert_int_equal(index, 0xBEEF);
    return err < 0 ? err : index;
}

static int received_packet(const struct weft_pkey_map *m, const struct weft_pkey_cache *c,
                           uint16_t function, weft_pkey key)
{
    uint16_t index = 0xBEEF;
    int err = weft_pkey_map_recv_packet(m, c, AT(function), 1, key, &index);

    if (err < 0)
        assert_int_equal(index, 0xBEEF);
    return err < 0 ? err : index;
}

static void test_R155_what_arrived_at_which_entry_is_at_which_index_of_a_guest(void **state)
{
    static const struct {
        uint16_t map[4]; /* the guest's virtual entries */
        uint16_t physical;
        int index;
    } rows[] = {
        /* that very key first, then full, then limited */
        {{P_A, P_A_FULL, NO, NO}, P_A, 0},
        {{P_A, P_A_FULL, NO, NO}, P_A_FULL, 1},
        {{P_A_FULL, P_A, NO, NO}, P_A, 1},
        {{NO, NO, P_A, NO}, P_A_FULL, 2},
        {{NO, NO, P_A_FULL, NO}, P_A, 2},
        {{P_B, P_B_FULL, NO, P_A}, P_A_FULL, 3},
        /* of equal ones the first */
        {{NO, P_A_AGAIN, P_A, NO}, P_A, 1},
        {{NO, P_A, P_A, NO}, P_A, 1},
        {{NO, P_A, P_A, NO}, P_A_FULL, 1},
        /* none */
        {{P_DEFAULT, P_B, NO, NO}, P_A, NONE},
        {{NO, NO, NO, NO}, P_DEFAULT, NONE},
        {{P_EMPTY, P_A, NO, NO}, P_EMPTY, NONE},
        {{P_A, NO, NO, NO}, P_COUNT, WEFT_ERR_INVALID},
    };
    struct weft_pkey_cache *c = pkey_cache(port_keys, P_COUNT);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_pkey_map *m = pkey_map(2, P_COUNT + 1, false);

        for (uint16_t v = 0; v < 4; v++)
            assert_int_equal(weft_pkey_map_set(m, c, AT(1), v, rows[i].map[v]), 0);
        if (received(m, c, 1, rows[i].physical) != rows[i].index)
            fail_msg("row %u: %d", i, received(m, c, 1, rows[i].physical));
        weft_pkey_map_free(m);
    }
    weft_pkey_cache_free(c);
}

static void test_R155_which_packet_is_at_which_index_of_a_guest(void **state)
{
    static const struct {
        uint16_t map[4];
        weft_pkey key;
        int index;
    } rows[] = {
        /* a full member's packet */
        {{P_A, P_A_FULL, NO, NO}, KEY_A_FULL, 1},
        {{P_A_FULL, P_A, NO, NO}, KEY_A_FULL, 0},
        {{NO, NO, P_A, P_A_AGAIN}, KEY_A_FULL, 2},
        /* a limited one's is for full members only */
        {{P_A, P_A_FULL, NO, NO}, KEY_A, 1},
        {{P_A, P_A_AGAIN, NO, NO}, KEY_A, NONE},
        {{P_DEFAULT, P_B_FULL, NO, NO}, KEY_A, NONE},
        {{P_EMPTY, NO, NO, NO}, 0x8000, NONE},
        {{P_EMPTY, NO, NO, NO}, 0x0000, NONE},
    };
    struct weft_pkey_cache *c = pkey_cache(port_keys, P_COUNT);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_pkey_map *m = pkey_map(2, P_COUNT + 1, false);

        for (uint16_t v = 0; v < 4; v++)
            assert_int_equal(weft_pkey_map_set(m, c, AT(1), v, rows[i].map[v]), 0);
        if (received_packet(m, c, 1, rows[i].key) != rows[i].index)
            fail_msg("row %u: %d", i, received_packet(m, c, 1, rows[i].key));
        weft_pkey_map_free(m);
    }
    weft_pkey_cache_free(c);
}

static void test_what_comes_to_QP0_has_index_0(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 8, false);
    struct weft_pkey_cache *c = pkey_cache(port_keys, P_COUNT);
    uint16_t index = 5;

    (void)state;
    assert_int_equal(weft_pkey_map_recv(m, c, AT(1), 0, P_B, &index), 0);
    assert_int_equal(index, 0);
    index = 5;
    assert_int_equal(weft_pkey_map_recv_packet(m, c, AT(1), 0, 0, &index), 0);
    assert_int_equal(index, 0);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
}

static void test_what_cannot_be_received_is_refused(void **state)
{
    struct weft_pkey_map *m = pkey_map(2, 8, false);
    struct weft_pkey_cache *c, *full = pkey_cache(port_keys, P_COUNT);
    uint16_t index = 0xBEEF;

    (void)state;
    assert_int_equal(weft_pkey_cache_new(P_COUNT, NULL, &c), 0);
    assert_int_equal(weft_pkey_map_recv(m, full, AT(1), 2, 0, &index), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_recv(m, full, AT(2), 1, 0, &index), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_recv(m, c, AT(1), 1, 0, &index), WEFT_ERR_STATE);
    assert_int_equal(weft_pkey_map_recv_packet(m, full, AT(1), 2, 1, &index), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_recv_packet(m, full, AT(2), 0, 1, &index), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_map_recv_packet(m, c, AT(1), 1, 1, &index), WEFT_ERR_STATE);
    assert_int_equal(index, 0xBEEF);
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
    weft_pkey_cache_free(full);
}

/* Guests under random maps: whatever a guest receives, its reply on the index it was given leaves
 * with a key of the partition in which the request came, and one that the requester may hear. */
static void test_R155_a_reply_on_the_received_index_stays_in_its_partition(void **state)
{
    struct prng g = {1550};
    weft_pkey keys[20], view[WEFT_PKEY_BLOCK];
    uint32_t delivered = 0;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct weft_pkey_map *m = pkey_map(4, 21, false);
        struct weft_pkey_cache *c;

        for (uint32_t i = 0; i < 20; i++)
            keys[i] = model_key(&g, 5);
        c = pkey_cache(keys, 20);
        for (uint16_t f = 1; f < 4; f++) {
            for (uint16_t v = 0; v < 20; v++) {
                if (prng_up_to(&g, 2) == 0)
                    assert_int_equal(
                        weft_pkey_map_set(m, c, AT(f), v, (uint16_t)prng_up_to(&g, 19)), 0);
            }
        }
        for (uint16_t f = 0; f < 4; f++) {
            assert_int_equal(weft_pkey_map_view(m, c, AT(f), 0, view), 0);
            for (uint16_t p = 0; p < 20; p++) {
                int index = received(m, c, f, p), back;
                bool may =
                    weft_pkey_valid(keys[p]) && model_find(view, 20, WEFT_PKEY_FIND, keys[p]) >= 0;

                assert_int_equal(index >= 0, may);
                if (!may)
                    continue;
                back = sent(m, f, 1, (uint16_t)index);
                assert_in_range(back, 0, 19);
                assert_true(weft_pkey_same_partition(keys[back], keys[p]));
                /* where the guest has that very key, the reply bears it */
                if (model_find(view, 20, WEFT_PKEY_FIND_EXACT, keys[p]) >= 0)
                    assert_int_equal(keys[back], keys[p]);
                delivered++;
            }
            for (weft_pkey key = 1; key < 12; key++) {
                weft_pkey packet = key < 6 ? key : (weft_pkey)((key - 6) | WEFT_PKEY_FULL);
                int index = received_packet(m, c, f, packet);
                bool may = false;

                for (uint32_t v = 0; v < 20; v++)
                    may = may || weft_pkey_match(view[v], packet);
                assert_int_equal(index >= 0, may);
                /* the requester hears the reply: one of the two keys is full */
                if (may)
                    assert_true(weft_pkey_match(keys[sent(m, f, 1, (uint16_t)index)], packet));
            }
        }
        weft_pkey_map_free(m);
        weft_pkey_cache_free(c);
    }
    assert_in_range(delivered, 1000, UINT32_MAX);
}

/* With a strict map a guest's index survives the way out and back, whichever it is. */
static void test_R155_an_index_comes_back_as_the_same_index(void **state)
{
    struct prng g = {1551};
    weft_pkey keys[40];

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct weft_pkey_map *m = pkey_map(3, 41, true);
        struct weft_pkey_cache *c;

        for (uint32_t i = 0; i < 40; i++)
            keys[i] = model_key(&g, 30);
        c = pkey_cache(keys, 40);
        for (uint16_t f = 1; f < 3; f++) {
            assert_int_equal(weft_pkey_map_set(m, c, AT(f), 0, NO), 0);
            for (uint16_t v = 0; v < 40; v++)
                (void)weft_pkey_map_set(m, c, AT(f), v, (uint16_t)prng_up_to(&g, 39));
            for (uint16_t v = 0; v < 40; v++) {
                int physical = sent(m, f, 1, v);

                if (physical < 0 || !weft_pkey_valid(keys[physical]))
                    continue;
                assert_int_equal(received(m, c, f, (uint16_t)physical), v);
            }
        }
        weft_pkey_map_free(m);
        weft_pkey_cache_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R150_every_move_that_can_carry_an_index_is_translated),
        cmocka_unit_test(test_R155_an_unassigned_entry_may_go_to_the_reserved_one),
        cmocka_unit_test(test_sends_of_QP1_go_by_their_index_those_of_QP0_by_entry_0),
        cmocka_unit_test(test_R155_what_arrived_at_which_entry_is_at_which_index_of_a_guest),
        cmocka_unit_test(test_R155_which_packet_is_at_which_index_of_a_guest),
        cmocka_unit_test(test_what_comes_to_QP0_has_index_0),
        cmocka_unit_test(test_what_cannot_be_received_is_refused),
        cmocka_unit_test(test_R155_a_reply_on_the_received_index_stays_in_its_partition),
        cmocka_unit_test(test_R155_an_index_comes_back_as_the_same_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
