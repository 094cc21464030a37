/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/trap.c: what a trap says, when it goes out, how often, and what ends it. */
#include "fabric/sma.h"
#include "fabric/trap.h"
#include "sma_lab.h"

#define SECOND UINT64_C(1000000000)
#define LID_B  17 /* the SM's */

/* A fabric that is up; "b" is the SM of "sw" and of the host "a". */
struct trap_lab {
    struct ff *ff;
    struct ff_program *sm;
};

static void know_sm(struct trap_lab *lab, const char *name, uint8_t number)
{
    struct port *p = ff_port(lab->ff, name, number);

    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, p->info, port_lid(lab->sm->port));
    wire_set(WIRE_PORT_INFO_MASTER_SM_SL, p->info, 3);
}

static struct trap_lab lab_new(void)
{
    struct trap_lab lab;
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    lab.ff = ff_new(sma_lab_topology, &c);
    lab.sm = ff_attach(lab.ff, "b");
    ff_claim(lab.sm, 0, WEFT_CLASS_SUBN_LID, 1, UINT64_C(1) << WEFT_METHOD_TRAP);
    know_sm(&lab, "sw", 0);
    know_sm(&lab, "a", 1);
    return lab;
}

static void lab_free(struct trap_lab *lab)
{
    ff_free(lab->ff);
}

/* Runs what is due now, and takes what the SM got. */
static bool take(struct trap_lab *lab, struct packet *ret)
{
    ff_advance(lab->ff, 0);
    return ff_receive(lab->sm, ret);
}

static struct packet expect_trap(struct trap_lab *lab, uint16_t number)
{
    struct packet p;

    if (!take(lab, &p))
        fail_msg("no trap %u", number);
    assert_int_equal(mad_class(p.mad), WEFT_CLASS_SUBN_LID);
    assert_int_equal(mad_class_version(p.mad), 1);
    assert_int_equal(mad_method(p.mad), WEFT_METHOD_TRAP);
    assert_int_equal(mad_attr_id(p.mad), WEFT_ATTR_NOTICE);
    assert_int_equal(mad_attr_mod(p.mad), 0);
    assert_int_equal(mad_status(p.mad), 0);
    assert_int_equal(wire_get(WIRE_NOTICE_GENERIC, ff_data(&p)), 1);
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, ff_data(&p)), number);
    assert_int_equal(wire_get(WIRE_NOTICE_TOGGLE, ff_data(&p)), 0);
    assert_int_equal(wire_get(WIRE_NOTICE_COUNT, ff_data(&p)), 0);
    return p;
}

static void expect_none(struct trap_lab *lab)
{
    struct packet p;

    assert_false(take(lab, &p));
}

/* Answers as SMs do: the trap with another method, to where it came from. */
static void repress(struct trap_lab *lab, const struct packet *trap)
{
    struct packet p = *trap;

    p.dlid = trap->slid;
    p.slid = 0;
    mad_set_method(p.mad, WEFT_METHOD_TRAP_REPRESS);
    ff_send(lab->sm, &p);
}

static const uint8_t *details(struct packet *p)
{
    return ff_data(p) + WIRE_AT_NOTICE_DETAILS;
}

static void expect_notice(struct packet *p, unsigned int type, unsigned int producer, uint16_t lid)
{
    assert_int_equal(wire_get(WIRE_NOTICE_TYPE, ff_data(p)), type);
    assert_int_equal(wire_get(WIRE_NOTICE_PRODUCER, ff_data(p)), producer);
    assert_int_equal(wire_get(WIRE_NOTICE_ISSUER_LID, ff_data(p)), lid);
    assert_int_equal(p->slid, lid);
    assert_int_equal(p->sl, 3);
    assert_int_equal(p->src_qpn, 0);
    assert_int_equal(p->dst_qpn, 0);
}

static void test_link_state_is_told_by_port_0(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    uint16_t lid = port_lid(ff_port(lab.ff, "sw", 0));
    struct packet p;

    ff_command(lab.ff, "link sw/3 down");
    p = expect_trap(&lab, TRAP_LINK_STATE);
    expect_notice(&p, 1, 2, lid);
    assert_int_equal(wire_be16(details(&p)), lid);
    expect_none(&lab);
    lab_free(&lab);
}

static void test_the_m_key_goes_with_the_trap_and_comes_back_with_the_repress(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet p, wrong;

    wire_set(WIRE_PORT_INFO_M_KEY, port0->info, 0x5566);
    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    p = expect_trap(&lab, TRAP_SYSTEM_GUID);
    assert_int_equal(wire_be64(p.mad + WIRE_AT_SMP_M_KEY), 0x5566);
    wrong = p;
    wire_set_be64(wrong.mad + WIRE_AT_SMP_M_KEY, 1);
    repress(&lab, &wrong);
    assert_int_equal(wire_get(WIRE_PORT_INFO_M_KEY_VIOLATIONS, port0->info), 1);
    assert_int_equal(ff_stats(lab.ff).traps, 2); /* and now 256 as well */
    repress(&lab, &p);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    lab_free(&lab);
}

static void test_errors_of_a_port_are_told_with_its_number(void **state)
{
    (void)state;
    static const enum trap_number numbers[] = {TRAP_LINK_INTEGRITY, TRAP_BUFFER_OVERRUN,
                                               TRAP_WATCHDOG};
    struct trap_lab lab = lab_new();
    uint16_t lid = port_lid(ff_port(lab.ff, "sw", 0));

    for (size_t i = 0; i < 3; i++) {
        struct packet p;

        trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 9), numbers[i], NULL);
        p = expect_trap(&lab, (uint16_t)numbers[i]);
        expect_notice(&p, 1, 2, lid);
        assert_int_equal(wire_be16(details(&p) + 2), lid);
        assert_int_equal(details(&p)[4], 9);
    }
    /* Each port has its own. */
    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 10), TRAP_WATCHDOG, NULL);
    (void)expect_trap(&lab, TRAP_WATCHDOG);
    assert_int_equal(ff_stats(lab.ff).traps, 4);
    lab_free(&lab);
}

static void test_capability_and_local_changes(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct ff_program *a = ff_attach(lab.ff, "a");
    uint16_t lid = port_lid(a->port);
    struct packet p;

    assert_int_equal(fabric_set_issm(lab.ff->f, lab.ff->now, a->id, true), 0);
    p = expect_trap(&lab, TRAP_CAPABILITY);
    expect_notice(&p, 4, 1, lid);
    assert_int_equal(wire_be16(details(&p) + 2), lid);
    assert_int_equal(details(&p)[5], 0);
    assert_int_equal(wire_be32(details(&p) + 6), SMA_CAPABILITY_HOST | CAPABILITY_SM);
    assert_int_equal(wire_be16(details(&p) + 10), 0);
    repress(&lab, &p);
    trap_raise_changed(lab.ff->f, a->port, TRAP_CHANGED_NODE_DESC);
    p = expect_trap(&lab, TRAP_CAPABILITY);
    assert_int_equal(details(&p)[5], 1);
    assert_int_equal(wire_be16(details(&p) + 10), TRAP_CHANGED_NODE_DESC);
    /* Not yet repressed: what changes now comes on top. */
    trap_raise_changed(lab.ff->f, a->port, TRAP_CHANGED_WIDTH | TRAP_CHANGED_SPEED);
    p = expect_trap(&lab, TRAP_CAPABILITY);
    assert_int_equal(wire_be16(details(&p) + 10), 7);
    repress(&lab, &p);
    trap_raise_changed(lab.ff->f, a->port, TRAP_CHANGED_SPEED);
    p = expect_trap(&lab, TRAP_CAPABILITY);
    assert_int_equal(wire_be16(details(&p) + 10), TRAP_CHANGED_SPEED);
    lab_free(&lab);
}

static void test_system_image_guid(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct packet p;

    trap_raise(lab.ff->f, ff_port(lab.ff, "a", 1), TRAP_SYSTEM_GUID, NULL);
    p = expect_trap(&lab, TRAP_SYSTEM_GUID);
    expect_notice(&p, 4, 1, port_lid(ff_port(lab.ff, "a", 1)));
    assert_int_equal(wire_be64(details(&p) + 6), ff_node(lab.ff, "a")->system_guid);
    lab_free(&lab);
}

static void test_routers_call_themselves_so(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct packet p;

    know_sm(&lab, "r", 1);
    trap_raise(lab.ff->f, ff_port(lab.ff, "r", 1), TRAP_SYSTEM_GUID, NULL);
    p = expect_trap(&lab, TRAP_SYSTEM_GUID);
    expect_notice(&p, 4, 3, port_lid(ff_port(lab.ff, "r", 1)));
    lab_free(&lab);
}

static void test_a_bad_m_key_tells_who_asked_for_what(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct ff_program *a = ff_attach(lab.ff, "a");
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet ask, p;

    wire_set(WIRE_PORT_INFO_M_KEY, port0->info, 9);
    ask = ff_lid_smp(a, port_lid(port0), WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 7);
    wire_set_be64(ask.mad + WIRE_AT_SMP_M_KEY, 0x7788);
    ff_send(a, &ask);
    p = expect_trap(&lab, TRAP_BAD_MKEY);
    expect_notice(&p, 2, 2, port_lid(port0));
    assert_int_equal(wire_be16(details(&p) + 2), port_lid(a->port));
    assert_int_equal(details(&p)[6], WEFT_METHOD_SET);
    assert_int_equal(wire_be16(details(&p) + 8), WEFT_ATTR_PORT_INFO);
    assert_int_equal(wire_be32(details(&p) + 10), 7);
    assert_int_equal(wire_be64(details(&p) + 14), 0x7788);
    assert_int_equal(details(&p)[23], 0);
    repress(&lab, &p);
    /* By a directed route, the way back is told as well. */
    ff_advance(lab.ff, 10 * SECOND);
    ask = ff_directed(a, FF_ROUTE(1), WEFT_METHOD_SET, WEFT_ATTR_SWITCH_INFO, 0);
    ff_send(a, &ask);
    p = expect_trap(&lab, TRAP_BAD_MKEY);
    assert_int_equal(wire_be16(details(&p) + 4), WEFT_LID_PERMISSIVE);
    assert_int_equal(details(&p)[23], 0x80 | 1);
    assert_int_equal(details(&p)[24], 1);
    lab_free(&lab);
}

static void test_a_long_route_is_cut(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct packet cause = {.slid = WEFT_LID_PERMISSIVE}, p;

    mad_set_class(cause.mad, WEFT_CLASS_SUBN_DIRECTED);
    cause.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT] = 31;
    for (uint8_t i = 0; i < 64; i++)
        cause.mad[WIRE_AT_SMP_DIRECTED_RETURN_PATH + i] = i;
    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 0), TRAP_BAD_MKEY, &cause);
    p = expect_trap(&lab, TRAP_BAD_MKEY);
    assert_int_equal(details(&p)[23], 0x80 | 0x40 | 30);
    assert_int_equal(details(&p)[24], 1);
    assert_int_equal(details(&p)[53], 30);
    lab_free(&lab);
}

static struct packet bad_packet(void)
{
    struct packet p = {.slid = 11,
                       .dlid = 12,
                       .sl = 13,
                       .pkey = 0x8123,
                       .qkey = 0x80010009,
                       .src_qpn = 0x123456,
                       .dst_qpn = 0x654321};

    memset(p.sgid, 0xAA, sizeof(p.sgid));
    memset(p.dgid, 0xBB, sizeof(p.dgid));
    return p;
}

static void check_bad_key(struct trap_lab *lab, enum trap_number number, uint32_t key, bool grh)
{
    struct packet cause = bad_packet(), p;
    uint8_t gid[16] = {0};

    cause.has_grh = grh;
    trap_raise(lab->ff->f, ff_port(lab->ff, "a", 1), number, &cause);
    p = expect_trap(lab, (uint16_t)number);
    expect_notice(&p, 2, 1, port_lid(ff_port(lab->ff, "a", 1)));
    assert_int_equal(wire_be16(details(&p) + 2), 11);
    assert_int_equal(wire_be16(details(&p) + 4), 12);
    assert_int_equal(wire_be32(details(&p) + 6), key);
    assert_int_equal(details(&p)[10], 13 << 4);
    assert_int_equal(wire_be32(details(&p) + 11), 0x123456);
    assert_int_equal(wire_be32(details(&p) + 15), 0x654321);
    assert_memory_equal(details(&p) + 19, grh ? cause.sgid : gid, 16);
    assert_memory_equal(details(&p) + 35, grh ? cause.dgid : gid, 16);
    repress(lab, &p);
    ff_advance(lab->ff, 10 * SECOND);
}

static void test_bad_keys_tell_of_the_packet(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();

    check_bad_key(&lab, TRAP_BAD_PKEY, 0x8123, false);
    check_bad_key(&lab, TRAP_BAD_PKEY, 0x8123, true);
    check_bad_key(&lab, TRAP_BAD_QKEY, 0x80010009, false);
    check_bad_key(&lab, TRAP_BAD_QKEY, 0x80010009, true);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    lab_free(&lab);
}

static void test_a_switch_tells_which_port_enforced(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    uint16_t lid = port_lid(ff_port(lab.ff, "sw", 0));
    struct packet cause = bad_packet(), p;

    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 2), TRAP_BAD_PKEY_SWITCH, &cause);
    p = expect_trap(&lab, TRAP_BAD_PKEY_SWITCH);
    expect_notice(&p, 2, 2, lid);
    assert_int_equal(wire_be16(details(&p)), 0x3F);
    assert_int_equal(wire_be16(details(&p) + 2), 11);
    assert_int_equal(wire_be16(details(&p) + 4), 12);
    assert_int_equal(wire_be16(details(&p) + 6), 0x8123);
    assert_int_equal(wire_be32(details(&p) + 8), 0xD0123456);
    assert_int_equal(wire_be32(details(&p) + 12), 0x654321);
    assert_int_equal(wire_be16(details(&p) + 48), lid);
    assert_int_equal(details(&p)[50], 2);
    repress(&lab, &p);
    ff_advance(lab.ff, 10 * SECOND);
    cause.has_grh = 1;
    trap_raise(lab.ff->f, ff_port(lab.ff, "sw", 2), TRAP_BAD_PKEY_SWITCH, &cause);
    p = expect_trap(&lab, TRAP_BAD_PKEY_SWITCH);
    assert_int_equal(wire_be16(details(&p)), 0xFF);
    assert_memory_equal(details(&p) + 16, cause.sgid, 16);
    assert_memory_equal(details(&p) + 32, cause.dgid, 16);
    lab_free(&lab);
}

/* Interval: 4.096 us * 2^n, at least TRAP_INTERVAL_MIN_NS. */
static void check_interval(uint64_t timeout, weft_time interval_ns)
{
    struct trap_lab lab = lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet first, p;

    wire_set(WIRE_PORT_INFO_SUBNET_TIMEOUT, port0->info, timeout);
    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    first = expect_trap(&lab, TRAP_SYSTEM_GUID);
    for (int i = 0; i < 3; i++) {
        ff_advance(lab.ff, interval_ns - 1);
        expect_none(&lab);
        ff_advance(lab.ff, 1);
        p = expect_trap(&lab, TRAP_SYSTEM_GUID);
        assert_memory_equal(p.mad, first.mad, sizeof(p.mad)); /* the same one, TID and all */
    }
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 4);
    repress(&lab, &p);
    ff_advance(lab.ff, 10 * interval_ns);
    expect_none(&lab);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    lab_free(&lab);
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
    struct trap_lab lab = lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet old, p;

    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    old = expect_trap(&lab, TRAP_LINK_STATE);
    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    repress(&lab, &old);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    p = expect_trap(&lab, TRAP_LINK_STATE);
    assert_int_not_equal(mad_tid(p.mad), mad_tid(old.mad));
    repress(&lab, &p);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    repress(&lab, &p); /* twice does no harm */
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    lab_free(&lab);
}

static void test_several_traps_of_a_port_are_repressed_one_by_one(void **state)
{
    (void)state;
    static const enum trap_number numbers[] = {TRAP_LINK_STATE, TRAP_CAPABILITY, TRAP_SYSTEM_GUID};
    static const int order[] = {1, 0, 2};
    struct trap_lab lab = lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);
    struct packet got[3];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            trap_raise(lab.ff->f, port0, numbers[i], NULL);
        for (int i = 0; i < 3; i++)
            got[i] = expect_trap(&lab, (uint16_t)numbers[i]);
        for (uint32_t i = 0; i < 3; i++) {
            repress(&lab, &got[order[i]]);
            assert_int_equal(ff_stats(lab.ff).traps, 2 - i);
        }
    }
    lab_free(&lab);
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
    ff_advance(lab.ff, 100 * SECOND);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 0);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_LID, ff_data(&p), 4);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0, ff_data(&p));
    ff_advance(lab.ff, 100 * SECOND);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, ff_data(&p), LID_B);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0, ff_data(&p));
    ff_advance(lab.ff, 100 * SECOND);
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

/* The repetition rests while the port is down, and goes on with the SM's Set. */
static void test_repetition_rests_while_the_port_is_down(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct port *host = ff_port(lab.ff, "a", 1);

    trap_raise(lab.ff->f, host, TRAP_SYSTEM_GUID, NULL);
    (void)expect_trap(&lab, TRAP_SYSTEM_GUID);
    wire_set(WIRE_PORT_INFO_PORT_STATE, host->info, PORT_STATE_INIT);
    ff_advance(lab.ff, 100 * SECOND);
    expect_none(&lab);
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    wire_set(WIRE_PORT_INFO_PORT_STATE, host->info, PORT_STATE_ACTIVE);
    trap_port_changed(lab.ff->f, host);
    (void)expect_trap(&lab, TRAP_SYSTEM_GUID);
    trap_port_changed(lab.ff->f, host);
    expect_none(&lab);
    lab_free(&lab);
}

static void test_dead_nodes_are_silent(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct port *port0 = ff_port(lab.ff, "sw", 0);

    trap_raise(lab.ff->f, port0, TRAP_SYSTEM_GUID, NULL);
    ff_node(lab.ff, "sw")->dead = true;
    trap_raise(lab.ff->f, port0, TRAP_LINK_STATE, NULL);
    ff_advance(lab.ff, 100 * SECOND);
    assert_int_equal(ff_stats(lab.ff).traps_sent, 0);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    lab_free(&lab);
}

/* However many packets break a rule: one trap an interval. The newest packet is told of. */
static void test_security_traps_are_limited(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
    struct port *host = ff_port(lab.ff, "a", 1);
    struct packet cause = bad_packet(), p;
    weft_time interval_ns = UINT64_C(4096) << wire_get(WIRE_PORT_INFO_SUBNET_TIMEOUT, host->info);

    trap_raise(lab.ff->f, host, TRAP_BAD_PKEY, &cause);
    p = expect_trap(&lab, TRAP_BAD_PKEY);
    repress(&lab, &p);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    for (uint16_t i = 0; i < 100; i++) {
        cause.slid = i;
        trap_raise(lab.ff->f, host, TRAP_BAD_PKEY, &cause);
        expect_none(&lab);
    }
    assert_int_equal(ff_stats(lab.ff).traps, 1);
    ff_advance(lab.ff, interval_ns - 1);
    expect_none(&lab);
    ff_advance(lab.ff, 1);
    p = expect_trap(&lab, TRAP_BAD_PKEY);
    assert_int_equal(wire_be16(details(&p) + 2), 99);
    expect_none(&lab);
    repress(&lab, &p);
    /* After a quiet interval the next one goes at once. */
    ff_advance(lab.ff, interval_ns);
    trap_raise(lab.ff->f, host, TRAP_BAD_PKEY, &cause);
    p = expect_trap(&lab, TRAP_BAD_PKEY);
    repress(&lab, &p);
    lab_free(&lab);
}

static void test_the_notice_queue_is_read_and_emptied(void **state)
{
    (void)state;
    struct trap_lab lab = lab_new();
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
    lab_free(&lab);
}

/* Every kind at every port that can be told to raise it: there is always room. */
static void test_all_kinds_at_all_ports(void **state)
{
    (void)state;
    static const enum trap_number numbers[] = {
        TRAP_LINK_STATE, TRAP_LINK_INTEGRITY, TRAP_BUFFER_OVERRUN, TRAP_WATCHDOG,
        TRAP_CAPABILITY, TRAP_SYSTEM_GUID,    TRAP_BAD_MKEY,       TRAP_BAD_PKEY,
        TRAP_BAD_QKEY,   TRAP_BAD_PKEY_SWITCH};
    struct trap_lab lab = lab_new();
    const struct packet cause = bad_packet();
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
    lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link_state_is_told_by_port_0),
        cmocka_unit_test(test_the_m_key_goes_with_the_trap_and_comes_back_with_the_repress),
        cmocka_unit_test(test_errors_of_a_port_are_told_with_its_number),
        cmocka_unit_test(test_capability_and_local_changes),
        cmocka_unit_test(test_system_image_guid),
        cmocka_unit_test(test_routers_call_themselves_so),
        cmocka_unit_test(test_a_bad_m_key_tells_who_asked_for_what),
        cmocka_unit_test(test_a_long_route_is_cut),
        cmocka_unit_test(test_bad_keys_tell_of_the_packet),
        cmocka_unit_test(test_a_switch_tells_which_port_enforced),
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
