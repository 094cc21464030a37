/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/trap.c: when a trap goes out, how often, and what ends it. */
#include "trap_lab.h"

static void test_the_m_key_goes_with_the_trap_and_comes_back_with_the_repress(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet p, wrong;

    wire_set(WIRE_PORT_INFO_M_KEY, port0->info, 0x5566);
    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    p = trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
    assert_int_equal(wire_be64(p.mad + WIRE_AT_SMP_M_KEY), 0x5566);
    wrong = p;
    wire_set_be64(wrong.mad + WIRE_AT_SMP_M_KEY, 1);
    trap_lab_repress(&lab, &wrong);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_VIOLATIONS, port0->info), 1);
    assert_int_equal(ff_stats(lab.ff).traps, 2); /* and now 256 as well */
    trap_lab_repress(&lab, &p);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    trap_lab_free(&lab);
}

static void check_interval(uint64_t timeout, weft_time interval_ns)
{
    struct trap_lab lab = trap_lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet first, p;

    wire_set(WIRE_PORT_INFO_SUBNET_TIMEOUT, port0->info, timeout);
    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    first = trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
    for (int i = 0; i < 3; i++) {
        ff_advance(lab.ff, interval_ns - 1);
        trap_lab_expect_none(&lab);
        ff_advance(lab.ff, 1);
        p = trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
        assert_memory_equal(p.mad, first.mad, sizeof(p.mad)); /* the same one, TID and all */
    }
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 4);
    trap_lab_repress(&lab, &p);
    ff_advance(lab.ff, 10 * interval_ns);
    trap_lab_expect_none(&lab);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    trap_lab_free(&lab);
}

static void test_traps_are_repeated_until_repressed(void **state)
{
    (void)state;
    check_interval(0, TRAP_INTERVAL_MIN_NS);
    check_interval(14, TRAP_INTERVAL_MIN_NS);
    check_interval(15, UINT64_C(4096) << 15);
    check_interval(18, UINT64_C(4096) << 18);
    check_interval(31, UINT64_C(4096) << 31);
}

static void test_an_old_repress_does_not_end_newer_details(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet old, p;

    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    old = trap_lab_expect(&lab, TRAP_LINK_STATE);
    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    trap_lab_repress(&lab, &old);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    p = trap_lab_expect(&lab, TRAP_LINK_STATE);
    assert_int_not_equal(mad_tid(p.mad), mad_tid(old.mad));
    trap_lab_repress(&lab, &p);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    trap_lab_repress(&lab, &p); /* twice does no harm */
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    trap_lab_free(&lab);
}

static void test_several_traps_of_a_port_are_repressed_one_by_one(void **state)
{
    (void)state;
    static const enum trap_number numbers[] = {TRAP_LINK_STATE, TRAP_CAPABILITY, TRAP_SYSTEM_GUID};
    static const int order[] = {1, 0, 2};
    struct trap_lab lab = trap_lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet got[3];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            trap_raise(lab.ff->f, port0, numbers[i], NULL);
        for (int i = 0; i < 3; i++)
            got[i] = trap_lab_expect(&lab, (uint16_t)numbers[i]);
        for (uint32_t i = 0; i < 3; i++) {
            trap_lab_repress(&lab, &got[order[i]]);
            assert_int_equal(ff_stats(lab.ff).traps, 2 - i);
        }
    }
    trap_lab_free(&lab);
}

static void test_nothing_is_sent_before_there_is_a_way_to_an_sm(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct ff_program *b = ff_attach(lab.ff, "b");
    struct port *host = ff_port(lab.ff, "a", 1);
    struct packet p = ff_get(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0);

    ff_claim(b, 0, WEFT_CLASS_SUBN_LID, 1, UINT64_C(1) << WEFT_METHOD_TRAP);
    trap_raise(lab.ff->f, host, TRAP_SYSTEM_GUID, NULL);
    ff_advance(lab.ff, 100 * TRAP_LAB_SECOND);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 0);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_LID, ff_data(&p), 4);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0, ff_data(&p));
    ff_advance(lab.ff, 100 * TRAP_LAB_SECOND);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, ff_data(&p), 17);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0, ff_data(&p));
    ff_advance(lab.ff, 100 * TRAP_LAB_SECOND);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 0);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_PORT_STATE, ff_data(&p), PORT_STATE_ARMED);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0, ff_data(&p));
    ff_advance(lab.ff, 0);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 0);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_PORT_STATE, ff_data(&p), PORT_STATE_ACTIVE);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0, ff_data(&p));
    ff_advance(lab.ff, 0);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 1);
    sma_lab_free(&lab);
}

static void test_repetition_rests_while_the_port_is_down(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct port *host = ff_port(lab.ff, "a", 1);

    trap_raise(lab.ff->f, host, TRAP_SYSTEM_GUID, NULL);
    (void)trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
    wire_set(WIRE_PORT_INFO_PORT_STATE, host->info, PORT_STATE_INIT);
    ff_advance(lab.ff, 100 * TRAP_LAB_SECOND);
    trap_lab_expect_none(&lab);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    wire_set(WIRE_PORT_INFO_PORT_STATE, host->info, PORT_STATE_ACTIVE);
    trap_port_changed(lab.ff->f, host);
    (void)trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
    trap_port_changed(lab.ff->f, host);
    trap_lab_expect_none(&lab);
    trap_lab_free(&lab);
}

static void test_dead_nodes_are_silent(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);

    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    ff_node(lab.ff, "sw")->dead = true;
    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    ff_advance(lab.ff, 100 * TRAP_LAB_SECOND);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 0);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    trap_lab_free(&lab);
}

static void test_security_traps_are_limited(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct port *host = ff_port(lab.ff, "a", 1);
    struct packet cause = trap_lab_bad_packet(), p;
    weft_time interval_ns = UINT64_C(4096) << wire_get(WIRE_PORT_INFO_SUBNET_TIMEOUT, host->info);

    trap_raise(lab.ff->f, host, TRAP_BAD_PKEY, &cause);
    p = trap_lab_expect(&lab, TRAP_BAD_PKEY);
    trap_lab_repress(&lab, &p);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    for (uint16_t i = 0; i < 100; i++) {
        cause.slid = i;
        trap_raise(lab.ff->f, host, TRAP_BAD_PKEY, &cause);
        trap_lab_expect_none(&lab);
    }
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    ff_advance(lab.ff, interval_ns - 1);
    trap_lab_expect_none(&lab);
    ff_advance(lab.ff, 1);
    p = trap_lab_expect(&lab, TRAP_BAD_PKEY);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 2), 99);
    trap_lab_expect_none(&lab);
    trap_lab_repress(&lab, &p);
    /* After a quiet interval the next one goes at once. */
    ff_advance(lab.ff, interval_ns);
    trap_raise(lab.ff->f, host, TRAP_BAD_PKEY, &cause);
    p = trap_lab_expect(&lab, TRAP_BAD_PKEY);
    trap_lab_repress(&lab, &p);
    trap_lab_free(&lab);
}

static void test_the_notice_queue_is_read_and_emptied(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct ff_program *a = ff_attach(lab.ff, "a");
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet p = ff_get(a, FF_ROUTE(1), WEFT_ATTR_NOTICE, 0);

    assert_int_equal(wire_get(WIRE_NOTICE_TYPE, ff_data(&p)), 0x7F);
    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    p = ff_get(a, FF_ROUTE(1), WEFT_ATTR_NOTICE, 0);
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, ff_data(&p)), TRAP_LINK_STATE);
    assert_int_equal(wire_get(WIRE_NOTICE_COUNT, ff_data(&p)), 2);
    /* A notice that is not at the head ends nothing. */
    wire_set(WIRE_NOTICE_TRAP, ff_data(&p), TRAP_SYSTEM_GUID);
    p = ff_set(a, FF_ROUTE(1), WEFT_ATTR_NOTICE, 0, ff_data(&p));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, ff_data(&p)), TRAP_LINK_STATE);
    p = ff_set(a, FF_ROUTE(1), WEFT_ATTR_NOTICE, 0, ff_data(&p));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, ff_data(&p)), TRAP_SYSTEM_GUID);
    assert_int_equal(wire_get(WIRE_NOTICE_COUNT, ff_data(&p)), 1);
    p = ff_set(a, FF_ROUTE(1), WEFT_ATTR_NOTICE, 0, ff_data(&p));
    assert_int_equal(wire_get(WIRE_NOTICE_TYPE, ff_data(&p)), 0x7F);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    trap_lab_free(&lab);
}

static void test_all_kinds_at_all_ports(void **state)
{
    (void)state;
    static const enum trap_number numbers[] = {
        TRAP_LINK_STATE, TRAP_LINK_INTEGRITY, TRAP_BUFFER_OVERRUN, TRAP_WATCHDOG,
        TRAP_CAPABILITY, TRAP_SYSTEM_GUID,    TRAP_BAD_MKEY,       TRAP_BAD_PKEY,
        TRAP_BAD_QKEY,   TRAP_BAD_PKEY_SWITCH};
    struct trap_lab lab = trap_lab_new();
    const struct packet cause = trap_lab_bad_packet();
    struct fabric *f = lab.ff->f;

    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < f->port_count; i++) {
            struct port *p = &f->ports[i];

            if (p->number == 0 && !node_is_switch(port_node(f, p)))
                continue;
            for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
                trap_raise(f, p, numbers[k], numbers[k] >= TRAP_BAD_MKEY ? &cause : NULL);
        }
        /* Four ports of CAs and routers, two switches of 18 and 4 ports. */
        assert_int_equal(ff_stats(lab.ff).traps, 10 * (4 + 2) + 4 * (18 + 4));
        while (ff_receive(lab.sm, &(struct packet){.slid = 0}))
            ff_advance(lab.ff, 0);
    }
    trap_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_m_key_goes_with_the_trap_and_comes_back_with_the_repress),
        cmocka_unit_test(test_traps_are_repeated_until_repressed),
        cmocka_unit_test(test_an_old_repress_does_not_end_newer_details),
        cmocka_unit_test(test_several_traps_of_a_port_are_repressed_one_by_one),
        cmocka_unit_test(test_nothing_is_sent_before_there_is_a_way_to_an_sm),
        cmocka_unit_test(test_repetition_rests_while_the_port_is_down),
        cmocka_unit_test(test_dead_nodes_are_silent),
        cmocka_unit_test(test_security_traps_are_limited),
        cmocka_unit_test(test_the_notice_queue_is_read_and_emptied),
        cmocka_unit_test(test_all_kinds_at_all_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
