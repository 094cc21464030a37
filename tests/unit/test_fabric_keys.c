/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* P_Keys, Q_Keys and GIDs: what matches, what is filled in, what is counted. */
#include "core/wire/mad_header.h"
#include "fabric/keys.h"
#include "fabric/link.h"
#include "fabric_fixture.h"

#include <weft/pkey.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct ff *begin(void)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    return ff_new(ff_two_hosts, &c);
}

/* Has a switch's port check P_Keys on one side, or not. */
static void enforce(struct ff *ff, struct port *p, enum wire_field_id side, uint64_t on)
{
    wire_set(side, p->info, on);
    link_note(ff->f, p);
}

static void set_table(const struct ff *ff, const struct port *p, const uint16_t *keys,
                      uint16_t count)
{
    for (uint16_t i = 0; i < port_pkey_count(ff->f, p); i++)
        port_set_pkey(ff->f, p, i, i < count ? keys[i] : 0);
}

static uint64_t violations(const struct port *p, enum wire_field_id field)
{
    return wire_get(field, p->info);
}

static void test_match_rule(void **state)
{
    static const struct {
        uint16_t table[4];
        uint16_t pkey;
        int index; /* -1: none */
    } rows[] = {
        {{0x0001, 0x8001}, 0x8001, 1},    /* a full entry wins, */
        {{0x8001, 0x0001}, 0x8001, 0},    /* wherever it is */
        {{0x0001, 0x8001}, 0x0001, 1},    /* two limited members do not match */
        {{0x0001}, 0x8001, 0},            /* limited and full do */
        {{0x0001, 0x0001}, 0x8001, 0},    /* the first one of equal ones */
        {{0x0001}, 0x0001, -1},           /* limited and limited do not */
        {{0x8001, 0x8001}, 0x0001, 0},    /* full and limited do */
        {{0x8002, 0x0003}, 0x8001, -1},   /* another key */
        {{0x0000, 0x8000}, 0x8000, -1},   /* 0 is no key, */
        {{0x0000, 0x8000}, 0x0000, -1},   /* with or without membership */
        {{0, 0, 0, 0xFFFF}, 0x7FFF, 3},   /* the default key, where it stands */
        {{0xFFFF, 0, 0, 0x8001}, 0x1, 3}, /* behind empty entries */
    };
    struct ff *ff = begin();
    struct port *p = ff_port(ff, "b", 1);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint16_t index = 0xFFFF;

        set_table(ff, p, rows[i].table, 4);
        assert_int_equal(keys_find_pkey(ff->f, p, rows[i].pkey, &index), rows[i].index >= 0);
        if (rows[i].index >= 0)
            assert_int_equal(index, rows[i].index);
        else
            assert_int_equal(index, 0xFFFF);
    }
    ff_free(ff);
}

static void test_tables_of_ports_are_their_own(void **state)
{
    struct ff *ff = begin();
    struct port *ports[] = {ff_port(ff, "a", 1), ff_port(ff, "b", 1), ff_port(ff, "sw", 0),
                            ff_port(ff, "sw", 1), ff_port(ff, "sw", 4)};
    uint16_t index;

    (void)state;
    for (uint16_t i = 0; i < 5; i++) {
        uint16_t last = (uint16_t)(port_pkey_count(ff->f, ports[i]) - 1U);

        assert_true(keys_find_pkey(ff->f, ports[i], 0x7FFF, &index));
        assert_int_equal(index, 0);
        port_set_pkey(ff->f, ports[i], last, (uint16_t)(0x8001 + i));
    }
    for (uint16_t i = 0; i < 5; i++) {
        for (uint16_t key = 0; key < 5; key++)
            assert_int_equal(keys_find_pkey(ff->f, ports[i], (uint16_t)(0x8001 + key), &index),
                             i == key);
    }
    ff_free(ff);
}

static void test_sender_names_its_key_by_index(void **state)
{
    static const uint16_t keys[] = {0xFFFF, 0x8001, 0x0002, 0x0000, 0x8000};
    struct ff *ff = begin();
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *program = ff_attach(ff, "a");
    struct packet p = ff_gmp(program, 1, WEFT_CLASS_CM, WEFT_METHOD_SEND, 1, 0);

    (void)state;
    set_table(ff, a, keys, 5);
    for (uint16_t i = 0; i < 3; i++) {
        p.pkey_index = i;
        p.pkey = 0x1234;
        assert_int_equal(keys_stamp(ff->f, a, &p), DROPS);
        assert_int_equal(p.pkey, keys[i]);
    }
    p.pkey_index = 3;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_PKEY);
    p.pkey_index = 4;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_PKEY);
    p.pkey_index = port_pkey_count(ff->f, a);
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_PKEY);
    ff_free(ff);
}

static void test_privileged_qkey_is_that_of_the_own_qp(void **state)
{
    struct ff *ff = begin();
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *program = ff_attach(ff, "a");
    struct packet p = ff_gmp(program, 1, WEFT_CLASS_CM, WEFT_METHOD_SEND, 1, 0);

    (void)state;
    p.qkey = UINT32_C(0x80000000);
    assert_int_equal(keys_stamp(ff->f, a, &p), DROPS);
    assert_int_equal(p.qkey, WEFT_QKEY_GSI);
    p.qkey = 0x1234;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROPS);
    assert_int_equal(p.qkey, 0x1234);
    ff_free(ff);
}

static void test_packets_that_contradict_themselves(void **state)
{
    struct ff *ff = begin();
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *program = ff_attach(ff, "a");
    struct packet smp = ff_lid_smp(program, 1, WEFT_METHOD_GET, 0x11, 0), p;
    struct packet gmp = ff_gmp(program, 1, WEFT_CLASS_CM, WEFT_METHOD_SEND, 1, 0);

    (void)state;
    p = smp;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROPS);
    assert_int_equal(p.pkey, 0xFFFF);
    p.has_grh = 1;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    p = smp;
    p.src_qpn = WEFT_QP_GSI;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    p = smp;
    p.dlid = WEFT_LID_MULTICAST_FIRST;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    p = smp;
    p.src_qpn = p.dst_qpn = WEFT_QP_GSI;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    p = gmp;
    p.dst_qpn = WEFT_QP_SMI;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    p = gmp;
    p.src_qpn = WEFT_QP_SMI;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    p = gmp;
    p.dlid = WEFT_LID_MULTICAST_FIRST;
    assert_int_equal(keys_stamp(ff->f, a, &p), DROP_MALFORMED);
    ff_free(ff);
}

static void test_gids(void **state)
{
    static const uint8_t alias[8] = {0x02, 0, 0, 0, 0, 0, 0, 0x99};
    static const uint8_t prefix[8] = {0x20, 1, 2, 3, 4, 5, 6, 7};
    struct ff *ff = begin();
    struct port *a = ff_port(ff, "a", 1);
    uint8_t gid[16], index = 77;

    (void)state;
    memcpy(a->info + WIRE_AT_PORT_INFO_GID_PREFIX, prefix, 8);
    memcpy(ff->f->guids[port_index(ff->f, a) * FABRIC_GUIDS + 5], alias, 8);
    assert_true(keys_gid(ff->f, a, 0, gid));
    assert_memory_equal(gid, prefix, 8);
    assert_true(wire_be64(gid + 8) == a->guid);
    assert_true(keys_find_gid(ff->f, a, gid, &index));
    assert_int_equal(index, 0);
    assert_true(keys_gid(ff->f, a, 5, gid));
    assert_memory_equal(gid + 8, alias, 8);
    assert_true(keys_find_gid(ff->f, a, gid, &index));
    assert_int_equal(index, 5);
    gid[0] = 0xFE;
    gid[1] = 0x80;
    memset(gid + 2, 0, 6);
    assert_true(keys_find_gid(ff->f, a, gid, &index));
    gid[2] = 1;
    assert_false(keys_find_gid(ff->f, a, gid, &index));
    assert_false(keys_gid(ff->f, a, 1, gid));
    assert_false(keys_gid(ff->f, a, FABRIC_GUIDS, gid));
    ff_free(ff);
}

static void test_sender_and_receiver_use_their_gids(void **state)
{
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet p = ff_gmp(a, port_lid(b), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0), answer;

    (void)state;
    p.has_grh = 1;
    assert_true(keys_gid(ff->f, b, 0, p.dgid));
    assert_true(ff_ask(a, &p, &answer));
    assert_int_equal(answer.has_grh, 1);
    assert_memory_equal(answer.sgid, p.dgid, 16);
    assert_true(wire_be64(answer.dgid + 8) == a->port->guid);
    p.dgid[15] ^= 1;
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(ff_stats(ff).dropped_route, 1);
    p.sgid_index = 3;
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(ff_stats(ff).dropped_unclaimed, 1);
    ff_free(ff);
}

static void test_receiver_tells_the_index_that_matched(void **state)
{
    static const uint16_t at_a[] = {0xFFFF, 0x0005}, at_b[] = {0x7FFF, 0, 0x0005, 0x8005};
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a"), *b = ff_attach(ff, "b");
    struct packet p = ff_gmp(a, port_lid(b->port), WEFT_CLASS_CM, WEFT_METHOD_SEND, 1, 0), got;

    (void)state;
    (void)ff_claim(b, WEFT_QP_GSI, WEFT_CLASS_CM, 1, UINT64_C(1) << WEFT_METHOD_SEND);
    set_table(ff, a->port, at_a, 2);
    set_table(ff, b->port, at_b, 4);
    p.pkey_index = 1;
    ff_send(a, &p);
    assert_true(ff_receive(b, &got));
    assert_int_equal(got.pkey, 0x0005);
    assert_int_equal(got.pkey_index, 3);
    p.pkey_index = 0;
    ff_send(a, &p);
    assert_true(ff_receive(b, &got));
    assert_int_equal(got.pkey_index, 0);
    ff_free(ff);
}

static void test_violations_are_counted_and_stick(void **state)
{
    static const uint16_t other[] = {0x8009};
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet p = ff_gmp(a, port_lid(b), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0), answer;

    (void)state;
    p.qkey = 0x1234;
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(violations(b, WIRE_PORT_INFO_Q_KEY_VIOLATIONS), 1);
    p.qkey = WEFT_QKEY_GSI;
    set_table(ff, b, other, 1);
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(violations(b, WIRE_PORT_INFO_P_KEY_VIOLATIONS), 1);
    assert_int_equal(ff_stats(ff).dropped_key, 2);
    wire_set(WIRE_PORT_INFO_P_KEY_VIOLATIONS, b->info, 0xFFFE);
    for (int i = 0; i < 3; i++)
        assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(violations(b, WIRE_PORT_INFO_P_KEY_VIOLATIONS), 0xFFFF);
    ff_free(ff);
}

/* A packet to a group, of another partition than the receiver's. */
static struct packet group_packet(struct ff_program *from)
{
    struct packet p =
        ff_gmp(from, WEFT_LID_MULTICAST_FIRST, WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0);

    p.has_grh = 1;
    p.pkey = 0x8005;
    return p;
}

static void test_a_group_s_violation_counts_and_its_trap_can_be_suppressed(void **state)
{
    struct ff *ff = begin();
    struct port *b = ff_port(ff, "b", 1);
    struct packet p = group_packet(ff_attach(ff, "a"));

    (void)state;
    wire_set(WIRE_PORT_INFO_MC_PKEY_TRAP_SUPPRESSION, b->info, 1);
    assert_false(keys_check(ff->f, b, &p));
    assert_int_equal(violations(b, WIRE_PORT_INFO_P_KEY_VIOLATIONS), 1);
    assert_int_equal(ff_stats(ff).traps, 0);
    /* not that of a packet to the port alone */
    p.dlid = port_lid(b);
    p.has_grh = 0;
    assert_false(keys_check(ff->f, b, &p));
    assert_int_equal(violations(b, WIRE_PORT_INFO_P_KEY_VIOLATIONS), 2);
    assert_int_equal(ff_stats(ff).traps, 1);
    wire_set(WIRE_PORT_INFO_MC_PKEY_TRAP_SUPPRESSION, b->info, 0);
    p = group_packet(ff->programs[0]);
    assert_false(keys_check(ff->f, b, &p));
    assert_int_equal(violations(b, WIRE_PORT_INFO_P_KEY_VIOLATIONS), 3);
    ff_free(ff);
}

/* The rule, for each pair of a packet's key and a table of two entries, against the obvious. */
static void test_all_small_tables(void **state)
{
    static const uint16_t keys[] = {0, 0x8000, 0x0001, 0x8001, 0x0002, 0x8002};
    const size_t count = sizeof(keys) / sizeof(keys[0]);
    struct ff *ff = begin();
    struct port *b = ff_port(ff, "b", 1);

    (void)state;
    for (size_t row = 0; row < count * count * count; row++) {
        const uint16_t table[] = {keys[row % count], keys[row / count % count]};
        uint16_t key = keys[row / count / count], index = 77;
        int wanted = -1;

        for (int i = 1; i >= 0; i--)
            if (weft_pkey_match(table[i], key) &&
                (wanted < 0 || weft_pkey_is_full(table[i]) || !weft_pkey_is_full(table[wanted])))
                wanted = i;
        set_table(ff, b, table, 2);
        assert_int_equal(keys_find_pkey(ff->f, b, key, &index), wanted >= 0);
        assert_int_equal(index, wanted >= 0 ? wanted : 77);
    }
    ff_free(ff);
}

static void test_smps_have_no_partition(void **state)
{
    static const uint16_t other[] = {0x8009};
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet p = ff_lid_smp(a, port_lid(b), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0), answer;

    (void)state;
    set_table(ff, b, other, 1);
    enforce(ff, ff_port(ff, "sw", 1), WIRE_PORT_INFO_PARTITION_ENFORCE_IN, 1);
    set_table(ff, ff_port(ff, "sw", 1), other, 1);
    assert_true(ff_ask(a, &p, &answer));
    ff_free(ff);
}

static void test_other_qps_take_nothing(void **state)
{
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet p = ff_gmp(a, port_lid(b), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0), answer;

    (void)state;
    p.dst_qpn = 2;
    assert_false(ff_ask(a, &p, &answer));
    p.dst_qpn = 0xFFFFFF;
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(ff_stats(ff).dropped_unclaimed, 2);
    ff_free(ff);
}

static void test_switch_ports_enforce_partitions_where_they_are_told_to(void **state)
{
    static const uint16_t other[] = {0x8009};
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1), *in = ff_port(ff, "sw", 1), *out = ff_port(ff, "sw", 2);
    struct packet p = ff_gmp(a, port_lid(b), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0), answer;

    (void)state;
    set_table(ff, in, other, 1);
    set_table(ff, out, other, 1);
    assert_true(ff_ask(a, &p, &answer));
    enforce(ff, in, WIRE_PORT_INFO_PARTITION_ENFORCE_IN, 1);
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(in->counters.classic[COUNTER_RCV_CONSTRAINT_ERRORS], 1);
    enforce(ff, in, WIRE_PORT_INFO_PARTITION_ENFORCE_IN, 0);
    enforce(ff, out, WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, 1);
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(out->counters.classic[COUNTER_XMIT_CONSTRAINT_ERRORS], 1);
    assert_int_equal(ff_stats(ff).dropped_key, 2);
    port_set_pkey(ff->f, out, 7, 0xFFFF);
    assert_true(ff_ask(a, &p, &answer));
    ff_free(ff);
}

static void test_a_limited_member_enters_by_its_limited_key_only(void **state)
{
    static const uint16_t limited[] = {0x7FFF}, full[] = {0xFFFF};
    struct ff *ff = begin();
    struct ff_program *a = ff_attach(ff, "a");
    struct port *in = ff_port(ff, "sw", 1), *host = ff_port(ff, "a", 1);
    struct packet p =
        ff_gmp(a, port_lid(ff_port(ff, "b", 1)), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0);
    struct packet answer;

    (void)state;
    enforce(ff, in, WIRE_PORT_INFO_PARTITION_ENFORCE_IN, 1);
    set_table(ff, host, limited, 1);
    set_table(ff, in, limited, 1);
    assert_true(ff_ask(a, &p, &answer));
    set_table(ff, host, full, 1);
    assert_false(ff_ask(a, &p, &answer));
    assert_int_equal(in->counters.classic[COUNTER_RCV_CONSTRAINT_ERRORS], 1);
    set_table(ff, host, limited, 1);
    set_table(ff, in, full, 1);
    assert_true(ff_ask(a, &p, &answer));
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match_rule),
        cmocka_unit_test(test_tables_of_ports_are_their_own),
        cmocka_unit_test(test_sender_names_its_key_by_index),
        cmocka_unit_test(test_privileged_qkey_is_that_of_the_own_qp),
        cmocka_unit_test(test_packets_that_contradict_themselves),
        cmocka_unit_test(test_gids),
        cmocka_unit_test(test_sender_and_receiver_use_their_gids),
        cmocka_unit_test(test_receiver_tells_the_index_that_matched),
        cmocka_unit_test(test_violations_are_counted_and_stick),
        cmocka_unit_test(test_a_group_s_violation_counts_and_its_trap_can_be_suppressed),
        cmocka_unit_test(test_all_small_tables),
        cmocka_unit_test(test_smps_have_no_partition),
        cmocka_unit_test(test_other_qps_take_nothing),
        cmocka_unit_test(test_switch_ports_enforce_partitions_where_they_are_told_to),
        cmocka_unit_test(test_a_limited_member_enters_by_its_limited_key_only),
    };

    return cmocka_run_group_tests_name("fabric_keys", tests, NULL, NULL);
}
