/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/notice.c: what the notice of each trap says. */
#include "trap_lab.h"

static void test_link_state_is_told_by_port_0(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    uint16_t lid = port_lid(ff_port(lab.ff, "sw", 0));
    struct packet p;

    ff_command(lab.ff, "link sw/3 down");
    p = trap_lab_expect(&lab, TRAP_LINK_STATE);
    trap_lab_expect_notice(&p, 1, 2, lid);
    assert_int_equal(wire_be16(trap_lab_details(&p)), lid);
    trap_lab_expect_none(&lab);
    trap_lab_free(&lab);
}

static void test_errors_of_a_port_are_told_with_its_number(void **state)
{
    (void)state;
    static const enum trap_number numbers[] = {TRAP_LINK_INTEGRITY, TRAP_BUFFER_OVERRUN,
                                               TRAP_WATCHDOG};
    struct trap_lab lab = trap_lab_new();
    uint16_t lid = port_lid(ff_port(lab.ff, "sw", 0));

    for (size_t i = 0; i < 3; i++) {
        struct packet p;

        trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 9), numbers[i], NULL);
        p = trap_lab_expect(&lab, (uint16_t)numbers[i]);
        trap_lab_expect_notice(&p, 1, 2, lid);
        assert_int_equal(wire_be16(trap_lab_details(&p) + 2), lid);
        assert_int_equal(trap_lab_details(&p)[4], 9);
    }
    /* Each port has its own. */
    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 10), TRAP_WATCHDOG, NULL);
    (void)trap_lab_expect(&lab, TRAP_WATCHDOG);
    assert_int_equal(ff_stats(lab.ff).traps, 4);
    trap_lab_free(&lab);
}

static void test_capability_and_local_changes(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct ff_program *a = ff_attach(lab.ff, "a");
    uint16_t lid = port_lid(a->port);
    struct packet p;

    wire_set(WIRE_PORT_INFO_CAPABILITY_MASK2, a->port->info, 0x1234);
    assert_int_equal(fabric_set_issm(lab.ff->f, lab.ff->now, a->id, true), 0);
    p = trap_lab_expect(&lab, TRAP_CAPABILITY);
    trap_lab_expect_notice(&p, 4, 1, lid);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 2), lid);
    assert_int_equal(trap_lab_details(&p)[5], 0);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 6), SMA_CAPABILITY_HOST | CAPABILITY_SM);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 10), 0);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 12), 0x1234);
    trap_lab_repress(&lab, &p);
    trap_raise_changed(lab.ff->f, a->port, TRAP_CHANGED_NODE_DESC);
    p = trap_lab_expect(&lab, TRAP_CAPABILITY);
    assert_int_equal(trap_lab_details(&p)[5], 1);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 10), TRAP_CHANGED_NODE_DESC);
    /* Not yet repressed: what changes now comes on top. */
    trap_raise_changed(lab.ff->f, a->port, TRAP_CHANGED_WIDTH | TRAP_CHANGED_SPEED);
    p = trap_lab_expect(&lab, TRAP_CAPABILITY);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 10), 7);
    trap_lab_repress(&lab, &p);
    trap_raise_changed(lab.ff->f, a->port, TRAP_CHANGED_SPEED);
    p = trap_lab_expect(&lab, TRAP_CAPABILITY);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 10), TRAP_CHANGED_SPEED);
    trap_lab_free(&lab);
}

static void test_system_image_guid(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct packet p;

    trap_raise(lab.ff->f, ff_port(lab.ff, "a", 1), TRAP_SYSTEM_GUID, NULL);
    p = trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
    trap_lab_expect_notice(&p, 4, 1, port_lid(ff_port(lab.ff, "a", 1)));
    assert_int_equal(wire_be64(trap_lab_details(&p) + 6), ff_node(lab.ff, "a")->system_guid);
    trap_lab_free(&lab);
}

static void test_routers_call_themselves_so(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct packet p;

    trap_lab_know_sm(&lab, "r", 1);
    trap_raise(lab.ff->f, ff_port(lab.ff, "r", 1), TRAP_SYSTEM_GUID, NULL);
    p = trap_lab_expect(&lab, TRAP_SYSTEM_GUID);
    trap_lab_expect_notice(&p, 4, 3, port_lid(ff_port(lab.ff, "r", 1)));
    trap_lab_free(&lab);
}

static void test_a_bad_m_key_tells_who_asked_for_what(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct ff_program *a = ff_attach(lab.ff, "a");
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet ask, p;

    wire_set(WIRE_PORT_INFO_M_KEY, port0->info, 9);
    ask = ff_lid_smp(a, port_lid(port0), WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 7);
    wire_set_be64(ask.mad + WIRE_AT_SMP_M_KEY, 0x7788);
    ff_send(a, &ask);
    p = trap_lab_expect(&lab, TRAP_BAD_MKEY);
    trap_lab_expect_notice(&p, 2, 2, port_lid(port0));
    assert_int_equal(wire_be16(trap_lab_details(&p) + 2), port_lid(a->port));
    assert_int_equal(trap_lab_details(&p)[6], WEFT_METHOD_SET);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 8), WEFT_ATTR_PORT_INFO);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 10), 7);
    assert_int_equal(wire_be64(trap_lab_details(&p) + 14), 0x7788);
    assert_int_equal(trap_lab_details(&p)[23], 0);
    trap_lab_repress(&lab, &p);
    /* By a directed route, the way back is told as well. */
    ff_advance(lab.ff, 10 * TRAP_LAB_SECOND);
    ask = ff_directed(a, FF_ROUTE(1), WEFT_METHOD_SET, WEFT_ATTR_SWITCH_INFO, 0);
    ff_send(a, &ask);
    p = trap_lab_expect(&lab, TRAP_BAD_MKEY);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 4), WEFT_LID_PERMISSIVE);
    assert_int_equal(trap_lab_details(&p)[23], 0x80 | 1);
    assert_int_equal(trap_lab_details(&p)[24], 1);
    trap_lab_free(&lab);
}

static void test_a_long_route_is_cut(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    struct packet cause = {.slid = WEFT_LID_PERMISSIVE}, p;

    mad_set_class(cause.mad, WEFT_CLASS_SUBN_DIRECTED);
    cause.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT] = 31;
    for (uint8_t i = 0; i < 64; i++)
        cause.mad[WIRE_AT_SMP_DIRECTED_RETURN_PATH + i] = i;
    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 0), TRAP_BAD_MKEY, &cause);
    p = trap_lab_expect(&lab, TRAP_BAD_MKEY);
    assert_int_equal(trap_lab_details(&p)[23], 0x80 | 0x40 | 30);
    assert_int_equal(trap_lab_details(&p)[24], 1);
    assert_int_equal(trap_lab_details(&p)[53], 30);
    trap_lab_free(&lab);
}

static void check_bad_key(struct trap_lab *lab, enum trap_number number, uint32_t key, bool grh)
{
    struct packet cause = trap_lab_bad_packet(), p;
    uint8_t gid[16] = {0};

    cause.has_grh = grh;
    trap_raise(lab->ff->f, ff_port(lab->ff, "a", 1), number, &cause);
    p = trap_lab_expect(lab, (uint16_t)number);
    trap_lab_expect_notice(&p, 2, 1, port_lid(ff_port(lab->ff, "a", 1)));
    assert_int_equal(wire_be16(trap_lab_details(&p) + 2), 11);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 4), 12);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 6), key);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 10), 0xD0123456);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 14), 0x654321);
    assert_memory_equal(trap_lab_details(&p) + 18, grh ? cause.sgid : gid, 16);
    assert_memory_equal(trap_lab_details(&p) + 34, grh ? cause.dgid : gid, 16);
    trap_lab_repress(lab, &p);
    ff_advance(lab->ff, 10 * TRAP_LAB_SECOND);
}

static void test_bad_keys_tell_of_the_packet(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();

    check_bad_key(&lab, TRAP_BAD_PKEY, 0x8123, false);
    check_bad_key(&lab, TRAP_BAD_PKEY, 0x8123, true);
    check_bad_key(&lab, TRAP_BAD_QKEY, 0x80010009, false);
    check_bad_key(&lab, TRAP_BAD_QKEY, 0x80010009, true);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    trap_lab_free(&lab);
}

static void test_a_switch_tells_which_port_enforced(void **state)
{
    (void)state;
    struct trap_lab lab = trap_lab_new();
    uint16_t lid = port_lid(ff_port(lab.ff, "sw", 0));
    struct packet cause = trap_lab_bad_packet(), p;

    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 2), TRAP_BAD_PKEY_SWITCH, &cause);
    p = trap_lab_expect(&lab, TRAP_BAD_PKEY_SWITCH);
    trap_lab_expect_notice(&p, 2, 2, lid);
    assert_int_equal(wire_be16(trap_lab_details(&p)), 0x3F);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 2), 11);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 4), 12);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 6), 0x8123);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 8), 0xD0123456);
    assert_int_equal(wire_be32(trap_lab_details(&p) + 12), 0x654321);
    assert_int_equal(wire_be16(trap_lab_details(&p) + 48), lid);
    assert_int_equal(trap_lab_details(&p)[50], 2);
    trap_lab_repress(&lab, &p);
    ff_advance(lab.ff, 10 * TRAP_LAB_SECOND);
    cause.has_grh = 1;
    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 2), TRAP_BAD_PKEY_SWITCH, &cause);
    p = trap_lab_expect(&lab, TRAP_BAD_PKEY_SWITCH);
    assert_int_equal(wire_be16(trap_lab_details(&p)), 0xFF);
    assert_memory_equal(trap_lab_details(&p) + 16, cause.sgid, 16);
    assert_memory_equal(trap_lab_details(&p) + 32, cause.dgid, 16);
    trap_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link_state_is_told_by_port_0),
        cmocka_unit_test(test_errors_of_a_port_are_told_with_its_number),
        cmocka_unit_test(test_capability_and_local_changes),
        cmocka_unit_test(test_system_image_guid),
        cmocka_unit_test(test_routers_call_themselves_so),
        cmocka_unit_test(test_a_bad_m_key_tells_who_asked_for_what),
        cmocka_unit_test(test_a_long_route_is_cut),
        cmocka_unit_test(test_bad_keys_tell_of_the_packet),
        cmocka_unit_test(test_a_switch_tells_which_port_enforced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
