/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/mkey.c: who may read and write, what a violation brings with it, the lease. */
#include "sma_lab.h"

#define KEY      UINT64_C(0x0123456789ABCDEF)
#define SECOND   UINT64_C(1000000000)
#define NO_REPLY 0xFFFF

/* What a request with a key is told; NO_REPLY: nothing. */
static uint16_t ask(struct sma_lab *lab, struct ff_route route, uint8_t method, uint16_t attr_id,
                    uint64_t key, struct packet *ret)
{
    struct packet p = ff_directed(lab->a, route, method, attr_id, 0);

    wire_set_be64(p.mad + WIRE_AT_SMP_M_KEY, key);
    memcpy(ff_data(&p), ff_data(ret), 64);
    if (!ff_ask(lab->a, &p, ret))
        return NO_REPLY;
    return mad_status(ret->mad) & 0x7FFF;
}

static void protect(struct port *p, uint64_t key, unsigned int level, uint16_t lease_s)
{
    wire_set_be64(p->info + WIRE_AT_PORT_INFO_M_KEY, key);
    wire_set(WIRE_PORT_INFO_M_KEY_PROTECT, p->info, level);
    wire_set(WIRE_PORT_INFO_M_KEY_LEASE, p->info, lease_s);
}

static uint64_t violations(const struct port *p)
{
    return wire_get(WIRE_PORT_INFO_M_KEY_VIOLATIONS, p->info);
}

/* Asks for the PortInfo and sets it as it is. */
static void check_cell(struct sma_lab *lab, struct ff_route route, struct port *holder,
                       unsigned int level, uint64_t key)
{
    bool right = key == KEY, reads = right || level < 2;
    uint64_t before = violations(holder), shown = right || level == 0 ? KEY : 0;
    struct packet p = {.slid = 0};

    protect(holder, KEY, level, 0);
    assert_int_equal(ask(lab, route, WEFT_METHOD_GET, WEFT_ATTR_PORT_INFO, key, &p),
                     reads ? 0 : NO_REPLY);
    if (reads)
        assert_int_equal(wire_be64(ff_data(&p)), shown);
    assert_int_equal(violations(holder), before + !reads);
    memcpy(ff_data(&p), holder->info, 64);
    sma_lab_keep_states(ff_data(&p));
    assert_int_equal(ask(lab, route, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, key, &p),
                     right ? 0 : NO_REPLY);
    if (right)
        assert_int_equal(wire_be64(ff_data(&p)), KEY);
    assert_int_equal(violations(holder), before + !reads + !right);
    /* Other attributes are under the same rule; NodeInfo has nothing to hide. */
    assert_int_equal(ask(lab, route, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, key, &p),
                     reads ? 0 : NO_REPLY);
}

static void test_every_level_with_the_right_and_wrong_keys(void **state)
{
    (void)state;
    static const uint64_t keys[] = {KEY, 0, KEY + 1, KEY ^ UINT64_C(0x8000000000000000)};
    struct sma_lab lab = sma_lab_new(NULL);

    for (unsigned int level = 0; level < 4; level++)
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
            check_cell(&lab, SMA_LAB_B, ff_port(lab.ff, "b", 1), level, keys[i]);
            check_cell(&lab, SMA_LAB_SWITCH, ff_port(lab.ff, "sw", 0), level, keys[i]);
            check_cell(&lab, SMA_LAB_ROUTER, ff_port(lab.ff, "r", 1), level, keys[i]);
        }
    sma_lab_free(&lab);
}

static void test_without_a_key_everything_is_allowed(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = {.slid = 0};

    for (unsigned int level = 0; level < 4; level++) {
        protect(ff_port(lab.ff, "sw", 0), 0, level, 0);
        assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_SWITCH_INFO, KEY, &p),
                         0);
        assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_SWITCH_INFO, KEY, &p),
                         0);
    }
    assert_int_equal(violations(ff_port(lab.ff, "sw", 0)), 0);
    sma_lab_free(&lab);
}

static void test_violations_stick_at_all_ones(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *holder = ff_port(lab.ff, "sw", 0);
    struct packet p = {.slid = 0};

    protect(holder, KEY, 2, 0);
    wire_set(WIRE_PORT_INFO_M_KEY_VIOLATIONS, holder->info, 0xFFFE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                         NO_REPLY);
    assert_int_equal(violations(holder), 0xFFFF);
    assert_int_equal(ff_stats(lab.ff).dropped_key, 3);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    sma_lab_free(&lab);
}

static void test_the_lease_ends_the_protection_not_the_key(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *holder = ff_port(lab.ff, "sw", 0);
    struct packet p = {.slid = 0};

    protect(holder, KEY, 3, 10);
    ff_advance(lab.ff, 100 * SECOND); /* nobody has broken the rule: no lease runs */
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info), 3);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, 5 * SECOND);
    /* A second violation does not begin it anew. */
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, 5 * SECOND - 1);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, 1);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_PORT_INFO, 1, &p), 0);
    assert_int_equal(wire_be64(ff_data(&p)), KEY);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info), 0);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_SWITCH_INFO, 1, &p),
                     NO_REPLY);
    sma_lab_free(&lab);
}

static void test_the_right_key_cancels_the_lease(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *holder = ff_port(lab.ff, "sw", 0);
    struct packet p = {.slid = 0};

    protect(holder, KEY, 2, 10);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_SWITCH_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, 9 * SECOND);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, KEY, &p), 0);
    ff_advance(lab.ff, 100 * SECOND);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info), 2);
    /* It begins anew with the next violation, whatever is left of the old timer. */
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, SECOND);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, KEY, &p), 0);
    ff_advance(lab.ff, SECOND);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, 9 * SECOND);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info), 2);
    ff_advance(lab.ff, SECOND);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info), 0);
    sma_lab_free(&lab);
}

static void test_a_lease_of_zero_never_ends(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *holder = ff_port(lab.ff, "sw", 0);
    struct packet p = {.slid = 0};

    protect(holder, KEY, 2, 0);
    assert_int_equal(ask(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 1, &p),
                     NO_REPLY);
    ff_advance(lab.ff, 1000000 * SECOND);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info), 2);
    sma_lab_free(&lab);
}

/* A question at one port of a CA about another one needs the keys of both. */
static void test_another_port_of_a_host_has_its_own_key(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *other = ff_port(lab.ff, "a", 2);
    struct packet p;

    protect(other, KEY, 1, 0);
    p = ff_get(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 2);
    assert_int_equal(wire_be64(ff_data(&p)), 0);
    protect(other, KEY, 2, 0);
    p = ff_directed(lab.a, SMA_LAB_CA, WEFT_METHOD_GET, WEFT_ATTR_PORT_INFO, 2);
    assert_false(ff_ask(lab.a, &p, &p));
    p = ff_directed(lab.a, SMA_LAB_CA, WEFT_METHOD_SET, WEFT_ATTR_PKEY_TABLE, 0x20000);
    assert_false(ff_ask(lab.a, &p, &p));
    p = ff_directed(lab.a, SMA_LAB_CA, WEFT_METHOD_GET, WEFT_ATTR_PORT_INFO, 2);
    wire_set_be64(p.mad + WIRE_AT_SMP_M_KEY, KEY);
    assert_int_equal(ff_status(lab.a, &p, &p), 0);
    assert_int_equal(wire_be64(ff_data(&p)), KEY);
    assert_int_equal(violations(other), 2);
    assert_int_equal(violations(ff_port(lab.ff, "a", 1)), 0);
    sma_lab_free(&lab);
}

/* SMInfo is the SM's, which has a key of its own: M_Keys do not protect it. */
static void test_sm_info_needs_no_m_key(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = {.slid = 0};

    protect(ff_port(lab.ff, "b", 1), KEY, 3, 0);
    assert_int_equal(ask(&lab, SMA_LAB_B, WEFT_METHOD_GET, WEFT_ATTR_SM_INFO, 1, &p),
                     WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(violations(ff_port(lab.ff, "b", 1)), 0);
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_level_with_the_right_and_wrong_keys),
        cmocka_unit_test(test_without_a_key_everything_is_allowed),
        cmocka_unit_test(test_violations_stick_at_all_ones),
        cmocka_unit_test(test_the_lease_ends_the_protection_not_the_key),
        cmocka_unit_test(test_the_right_key_cancels_the_lease),
        cmocka_unit_test(test_a_lease_of_zero_never_ends),
        cmocka_unit_test(test_another_port_of_a_host_has_its_own_key),
        cmocka_unit_test(test_sm_info_needs_no_m_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
