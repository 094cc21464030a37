/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The fabric of sma_lab.h with an SM that gets traps, for the tests of traps and notices.
 */
#ifndef WEFT_TESTS_TRAP_LAB_H
#define WEFT_TESTS_TRAP_LAB_H

#include "fabric/notice.h"
#include "fabric/sma.h"
#include "sma_lab.h"

#define TRAP_LAB_SECOND UINT64_C(1000000000)

/* A fabric that is up; "b" is the SM of "sw" and of the host "a". */
struct trap_lab {
    struct ff *ff;
    struct ff_program *sm;
};

static inline void trap_lab_know_sm(struct trap_lab *lab, const char *name, uint8_t number)
{
    struct port *p = ff_port(lab->ff, name, number);

    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, p->info, port_lid(lab->sm->port));
    wire_set(WIRE_PORT_INFO_MASTER_SM_SL, p->info, 3);
}

static inline struct trap_lab trap_lab_new(void)
{
    struct trap_lab lab;
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    lab.ff = ff_new(sma_lab_topology, &c);
    lab.sm = ff_attach(lab.ff, "b");
    ff_claim(lab.sm, 0, WEFT_CLASS_SUBN_LID, 1, UINT64_C(1) << WEFT_METHOD_TRAP);
    trap_lab_know_sm(&lab, "sw", 0);
    trap_lab_know_sm(&lab, "a", 1);
    return lab;
}

static inline void trap_lab_free(struct trap_lab *lab)
{
    ff_free(lab->ff);
}

/* Runs what is due now, and takes what the SM got. */
static inline bool trap_lab_take(struct trap_lab *lab, struct packet *ret)
{
    ff_advance(lab->ff, 0);
    return ff_receive(lab->sm, ret);
}

static inline struct packet trap_lab_expect(struct trap_lab *lab, uint16_t number)
{
    struct packet p;

    if (!trap_lab_take(lab, &p))
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

static inline void trap_lab_expect_none(struct trap_lab *lab)
{
    struct packet p;

    assert_false(trap_lab_take(lab, &p));
}

/* Answers as SMs do: the trap with another method, to where it came from. */
static inline void trap_lab_repress(struct trap_lab *lab, const struct packet *trap)
{
    struct packet p = *trap;

    p.dlid = trap->slid;
    p.slid = 0;
    mad_set_method(p.mad, WEFT_METHOD_TRAP_REPRESS);
    ff_send(lab->sm, &p);
}

static inline const uint8_t *trap_lab_details(struct packet *p)
{
    return ff_data(p) + WIRE_AT_NOTICE_DETAILS;
}

static inline void trap_lab_expect_notice(struct packet *p, unsigned int type,
                                          unsigned int producer, uint16_t lid)
{
    assert_int_equal(wire_get(WIRE_NOTICE_TYPE, ff_data(p)), type);
    assert_int_equal(wire_get(WIRE_NOTICE_PRODUCER, ff_data(p)), producer);
    assert_int_equal(wire_get(WIRE_NOTICE_ISSUER_LID, ff_data(p)), lid);
    assert_int_equal(p->slid, lid);
    assert_int_equal(p->sl, 3);
    assert_int_equal(p->src_qpn, 0);
    assert_int_equal(p->dst_qpn, 0);
}

/* A packet that breaks a rule. */
static inline struct packet trap_lab_bad_packet(void)
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

#endif
