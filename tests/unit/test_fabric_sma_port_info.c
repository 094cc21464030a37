/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/sma_port_info.c: each field of PortInfo at each kind of port, read back after a Set.
 */
#include "fabric/sma.h"
#include "sma_lab.h"

#include <infiniband/mad.h>

/* Ports of the lab by who answers for them and the modifier. */
enum place {
    CA,
    EXTERNAL, /* port 3 of the switch, up */
    PORT0,    /* enhanced */
    BASE0,
    PLACES
};

static struct packet get(struct sma_lab *lab, enum place place)
{
    switch (place) {
    case EXTERNAL:
        return ff_get(lab->a, SMA_LAB_SWITCH, WEFT_ATTR_PORT_INFO, 3);
    case PORT0:
        return ff_get(lab->a, SMA_LAB_SWITCH, WEFT_ATTR_PORT_INFO, 0);
    case BASE0:
        return ff_get(lab->a, SMA_LAB_BASE, WEFT_ATTR_PORT_INFO, 0);
    case CA:
    case PLACES:
        break;
    }
    return ff_get(lab->a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 0);
}

static uint16_t set(struct sma_lab *lab, enum place place, const uint8_t *data, struct packet *ret)
{
    struct packet p;

    switch (place) {
    case EXTERNAL:
        p = ff_directed(lab->a, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 3);
        break;
    case PORT0:
        p = ff_directed(lab->a, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 0);
        break;
    case BASE0:
        p = ff_directed(lab->a, SMA_LAB_BASE, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 0);
        break;
    case CA:
    case PLACES:
        p = ff_directed(lab->a, SMA_LAB_CA, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 0);
        break;
    }
    memcpy(ff_data(&p), data, 64);
    return ff_status(lab->a, &p, ret);
}

/* A field, a value to write, and what it becomes at CA, external port, enhanced and base port 0. */
#define KEPT INT64_C(-1) /* what it was */
#define BAD  INT64_C(-2) /* the Set is refused */
static const struct field_case {
    enum wire_field_id field;
    uint64_t want;
    int64_t result[PLACES];
} field_cases[] = {
    {WIRE_PORT_INFO_GID_PREFIX,
     0x1234567890ABCDEF,
     {0x1234567890ABCDEF, KEPT, 0x1234567890ABCDEF, 0x1234567890ABCDEF}},
    {WIRE_PORT_INFO_LID, 0x1230, {0x1230, KEPT, 0x1230, 0x1230}},
    {WIRE_PORT_INFO_LID, 0xBFFF, {0xBFFF, KEPT, 0xBFFF, 0xBFFF}},
    {WIRE_PORT_INFO_LID, 0, {BAD, KEPT, BAD, BAD}},
    {WIRE_PORT_INFO_LID, 0xC000, {BAD, KEPT, BAD, BAD}},
    {WIRE_PORT_INFO_LID, 0xFFFF, {BAD, KEPT, BAD, BAD}},
    {WIRE_PORT_INFO_LID, 0x1240, {0x1240, KEPT, 0x1240, 0x1240}},
    {WIRE_PORT_INFO_LMC, 3, {3, KEPT, 3, BAD}},
    {WIRE_PORT_INFO_LMC, 7, {BAD, KEPT, BAD, BAD}}, /* the LID has bit 6 set */
    {WIRE_PORT_INFO_LMC, 0, {0, KEPT, 0, 0}},
    {WIRE_PORT_INFO_MASTER_SM_LID, 5, {5, KEPT, 5, 5}},
    {WIRE_PORT_INFO_MASTER_SM_LID, 0, {BAD, KEPT, BAD, BAD}},
    {WIRE_PORT_INFO_MASTER_SM_LID, 0xC000, {BAD, KEPT, BAD, BAD}},
    {WIRE_PORT_INFO_M_KEY_LEASE, 0xFFFF, {0xFFFF, KEPT, 0xFFFF, 0xFFFF}},
    {WIRE_PORT_INFO_M_KEY_PROTECT, 1, {1, KEPT, 1, 1}},
    {WIRE_PORT_INFO_M_KEY_PROTECT, 3, {3, KEPT, 3, 3}},
    {WIRE_PORT_INFO_MASTER_SM_SL, 15, {15, KEPT, 15, 15}},
    {WIRE_PORT_INFO_INIT_TYPE, 9, {9, KEPT, 9, 9}},
    {WIRE_PORT_INFO_LINK_DOWN_DEFAULT, 1, {1, 1, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_DOWN_DEFAULT, 0, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_DOWN_DEFAULT, 3, {BAD, BAD, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_DOWN_DEFAULT, 2, {2, 2, KEPT, KEPT}},
    {WIRE_PORT_INFO_NEIGHBOR_MTU, 1, {1, 1, 1, 1}},
    {WIRE_PORT_INFO_NEIGHBOR_MTU, 4, {4, 4, 4, 4}},
    {WIRE_PORT_INFO_NEIGHBOR_MTU, 0, {BAD, BAD, BAD, BAD}},
    {WIRE_PORT_INFO_NEIGHBOR_MTU, 6, {BAD, BAD, BAD, BAD}},
    {WIRE_PORT_INFO_VL_HIGH_LIMIT, 255, {255, 255, 255, 255}},
    {WIRE_PORT_INFO_VL_STALL_COUNT, 3, {KEPT, 3, KEPT, KEPT}},
    {WIRE_PORT_INFO_HOQ_LIFE, 20, {KEPT, 20, KEPT, KEPT}},
    {WIRE_PORT_INFO_OPERATIONAL_VLS, 3, {3, 3, 3, 3}},
    {WIRE_PORT_INFO_OPERATIONAL_VLS, 0, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_OPERATIONAL_VLS, 5, {BAD, BAD, BAD, BAD}},
    {WIRE_PORT_INFO_PARTITION_ENFORCE_IN, 1, {0, 1, 0, 0}},
    {WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, 1, {0, 1, 0, 0}},
    {WIRE_PORT_INFO_FILTER_RAW_IN, 1, {0, 0, 0, 0}}, /* SwitchInfo has no such capability */
    {WIRE_PORT_INFO_FILTER_RAW_OUT, 1, {0, 0, 0, 0}},
    {WIRE_PORT_INFO_SUBNET_TIMEOUT, 31, {31, KEPT, 31, 31}},
    {WIRE_PORT_INFO_SUBNET_TIMEOUT, 0, {0, KEPT, 0, 0}},
    {WIRE_PORT_INFO_LOCAL_PHYSICAL_ERRORS, 15, {15, 15, KEPT, KEPT}},
    {WIRE_PORT_INFO_OVERRUN_ERRORS, 1, {1, 1, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_WIDTH_ENABLED, 1, {1, 1, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_WIDTH_ENABLED, 0, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_WIDTH_ENABLED, 8, {BAD, BAD, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_WIDTH_ENABLED, 0xFF, {3, 3, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_ENABLED, 1, {1, 1, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_ENABLED, 0, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_ENABLED, 8, {BAD, BAD, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_ENABLED, 15, {7, 7, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, 1, {1, 1, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, 0, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, 4, {BAD, BAD, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, 30, {0, 0, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, 31, {3, 3, KEPT, KEPT}},
    /* What is not an SM's to write. */
    {WIRE_PORT_INFO_CAPABILITY_MASK, 0, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_DIAG_CODE, 7, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LOCAL_PORT, 9, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_WIDTH_SUPPORTED, 15, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_WIDTH_ACTIVE, 8, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_SUPPORTED, 15, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_ACTIVE, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_VL_CAP, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_VL_ARB_HIGH_CAP, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_VL_ARB_LOW_CAP, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_INIT_TYPE_REPLY, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_MTU_CAP, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_GUID_CAP, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_MC_PKEY_TRAP_SUPPRESSION, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_RESP_TIME, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_MAX_CREDIT_HINT, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_ROUND_TRIP, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_CAPABILITY_MASK2, 0xFFFF, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, 1, {KEPT, KEPT, KEPT, KEPT}},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, 1, {KEPT, KEPT, KEPT, KEPT}},
};

/* Fields that a retraining link sets anew. */
static void forget_link(uint8_t *info)
{
    static const enum wire_field_id fields[] = {
        WIRE_PORT_INFO_LINK_WIDTH_ACTIVE, WIRE_PORT_INFO_LINK_SPEED_ACTIVE,
        WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, WIRE_PORT_INFO_NEIGHBOR_MTU,
        WIRE_PORT_INFO_OPERATIONAL_VLS};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        wire_set(fields[i], info, 0);
}

static bool retrains(enum wire_field_id field)
{
    return field == WIRE_PORT_INFO_LINK_WIDTH_ENABLED ||
           field == WIRE_PORT_INFO_LINK_SPEED_ENABLED ||
           field == WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED;
}

static void check_field(struct sma_lab *lab, enum place place, const struct field_case *c)
{
    struct packet before = get(lab, place), answer, after;
    uint8_t want[64], expected[64];
    uint16_t status;

    memcpy(expected, ff_data(&before), sizeof(expected));
    if (c->result[place] >= 0)
        wire_set(c->field, expected, (uint64_t)c->result[place]);
    memcpy(want, ff_data(&before), sizeof(want));
    wire_set(c->field, want, c->want);
    sma_lab_keep_states(want);
    status = set(lab, place, want, &answer);
    if (status != (c->result[place] == BAD ? WEFT_STATUS_BAD_VALUE : 0))
        fail_msg("%s = %u at place %d: 0x%02x", wire_fields[c->field].name, (unsigned)c->want,
                 (int)place, status);
    after = get(lab, place);
    if (status == 0)
        assert_memory_equal(ff_data(&answer), ff_data(&after), 64);
    if (retrains(c->field)) {
        forget_link(ff_data(&after));
        forget_link(expected);
    }
    if (memcmp(ff_data(&after), expected, 64) != 0)
        fail_msg("%s = %u at place %d became %u", wire_fields[c->field].name, (unsigned)c->want,
                 (int)place, (unsigned)wire_get(c->field, ff_data(&after)));
}

static void test_every_field_at_every_kind_of_port(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);

    for (int place = 0; place < PLACES; place++)
        for (size_t i = 0; i < sizeof(field_cases) / sizeof(field_cases[0]); i++)
            check_field(&lab, (enum place)place, &field_cases[i]);
    sma_lab_free(&lab);
}

static void test_violation_counters_are_reset_by_zero_only(void **state)
{
    (void)state;
    static const enum wire_field_id counters[] = {WIRE_PORT_INFO_M_KEY_VIOLATIONS,
                                                  WIRE_PORT_INFO_P_KEY_VIOLATIONS,
                                                  WIRE_PORT_INFO_Q_KEY_VIOLATIONS};
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *port = ff_port(lab.ff, "a", 1);
    struct packet p, answer;

    for (size_t i = 0; i < 3; i++)
        wire_set(counters[i], port->info, 40 + i);
    p = get(&lab, CA);
    sma_lab_keep_states(ff_data(&p));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(wire_get(counters[i], ff_data(&p)), 40 + i);
        wire_set(counters[i], ff_data(&p), 50);
    }
    assert_int_equal(set(&lab, CA, ff_data(&p), &answer), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(wire_get(counters[i], ff_data(&answer)), 40 + i);
    for (size_t i = 0; i < 3; i++) {
        wire_set(counters[i], ff_data(&p), 0);
        assert_int_equal(set(&lab, CA, ff_data(&p), &answer), 0);
        assert_int_equal(wire_get(counters[i], ff_data(&answer)), 0);
    }
    sma_lab_free(&lab);
}

static void test_the_m_key_is_kept(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = get(&lab, CA), answer;

    sma_lab_keep_states(ff_data(&p));
    wire_set_be64(ff_data(&p), 0x1122334455667788);
    assert_int_equal(set(&lab, CA, ff_data(&p), &answer), 0);
    assert_int_equal(wire_be64(ff_data(&answer)), 0x1122334455667788);
    p = get(&lab, CA);
    assert_int_equal(wire_be64(ff_data(&p)), 0x1122334455667788);
    /* An external port of a switch has none. */
    p = get(&lab, EXTERNAL);
    sma_lab_keep_states(ff_data(&p));
    wire_set_be64(ff_data(&p), 5);
    assert_int_equal(set(&lab, EXTERNAL, ff_data(&p), &answer), 0);
    assert_int_equal(wire_be64(ff_data(&answer)), 0);
    sma_lab_free(&lab);
}

/* How often the host of "a" was asked to register again, as it sees it. */
static uint32_t reregisters(const struct sma_lab *lab)
{
    struct fabric_port_info info;

    assert_int_equal(fabric_port(lab->ff->f, lab->a->port->node, 1, &info), 0);
    return info.reregisters;
}

static void test_client_reregister_is_answered_and_reads_zero(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = get(&lab, CA), answer;

    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_CLIENT_REREGISTER, ff_data(&p), 1);
    assert_int_equal(set(&lab, CA, ff_data(&p), &answer), 0);
    assert_int_equal(mad_get_field(ff_data(&answer), 0, IB_PORT_CLIENT_REREG_F), 1);
    assert_int_equal(reregisters(&lab), 1);
    p = get(&lab, CA);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_CLIENT_REREG_F), 0);
    assert_int_equal(reregisters(&lab), 1);
    /* A Set that is refused, and one without the bit, tell the host nothing. */
    sma_lab_keep_states(ff_data(&p));
    assert_int_equal(set(&lab, CA, ff_data(&p), &answer), 0);
    assert_int_equal(reregisters(&lab), 1);
    wire_set(WIRE_PORT_INFO_CLIENT_REREGISTER, ff_data(&p), 1);
    wire_set(WIRE_PORT_INFO_NEIGHBOR_MTU, ff_data(&p), 0xF);
    assert_int_not_equal(set(&lab, CA, ff_data(&p), &answer), 0);
    assert_int_equal(reregisters(&lab), 1);
    sma_lab_free(&lab);
}

static void test_is_sm_shows_at_the_port_of_the_program(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct ff_program *at_switch = ff_attach(lab.ff, "sw");
    uint32_t host, port0;
    struct packet p = get(&lab, CA);

    host = mad_get_field(ff_data(&p), 0, IB_PORT_CAPMASK_F);
    assert_int_equal(host, SMA_CAPABILITY_HOST);
    assert_int_equal(fabric_set_issm(lab.ff->f, lab.ff->now, lab.a->id, true), 0);
    p = get(&lab, CA);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_CAPMASK_F), host | CAPABILITY_SM);
    p = ff_get(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 2);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_CAPMASK_F), host);
    p = get(&lab, PORT0);
    port0 = mad_get_field(ff_data(&p), 0, IB_PORT_CAPMASK_F);
    assert_int_equal(port0, SMA_CAPABILITY_SWITCH);
    assert_int_equal(fabric_set_issm(lab.ff->f, lab.ff->now, at_switch->id, true), 0);
    p = get(&lab, PORT0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_CAPMASK_F), port0 | CAPABILITY_SM);
    p = get(&lab, EXTERNAL);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_CAPMASK_F), 0);
    sma_lab_free(&lab);
}

static void test_local_port_is_where_the_question_came_in(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_PORT_INFO, 7);

    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LOCAL_PORT_F), 1);
    p = ff_get(lab.a, FF_ROUTE(1, 4, 1), WEFT_ATTR_PORT_INFO, 7);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LOCAL_PORT_F), 4);
    p = ff_get(lab.a, SMA_LAB_CA, WEFT_ATTR_PORT_INFO, 2);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LOCAL_PORT_F), 1);
    sma_lab_free(&lab);
}

/* Sets the states of an external port, everything else as it is. */
static uint16_t set_states(struct sma_lab *lab, enum place place, uint64_t port_state,
                           uint64_t physical, struct packet *ret)
{
    struct packet p = get(lab, place);

    wire_set(WIRE_PORT_INFO_PORT_STATE, ff_data(&p), port_state);
    wire_set(WIRE_PORT_INFO_PHYSICAL_STATE, ff_data(&p), physical);
    return set(lab, place, ff_data(&p), ret);
}

static void test_states_go_through_the_link(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = get(&lab, EXTERNAL);

    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_INIT);
    assert_int_equal(set_states(&lab, EXTERNAL, PORT_STATE_ACTIVE, 0, &p), WEFT_STATUS_BAD_VALUE);
    assert_int_equal(set_states(&lab, EXTERNAL, PORT_STATE_INIT, 0, &p), WEFT_STATUS_BAD_VALUE);
    assert_int_equal(set_states(&lab, EXTERNAL, 5, 0, &p), WEFT_STATUS_BAD_VALUE);
    assert_int_equal(set_states(&lab, EXTERNAL, 0, 5, &p), WEFT_STATUS_BAD_VALUE);
    assert_int_equal(set_states(&lab, EXTERNAL, 0, 15, &p), WEFT_STATUS_BAD_VALUE);
    assert_int_equal(set_states(&lab, EXTERNAL, PORT_STATE_ARMED, 0, &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_ARMED);
    assert_int_equal(set_states(&lab, EXTERNAL, PORT_STATE_ACTIVE, 0, &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_ACTIVE);
    assert_int_equal(set_states(&lab, EXTERNAL, 0, PORT_PHYSICAL_DISABLED, &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_DOWN);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_PHYS_STATE_F), PORT_PHYSICAL_DISABLED);
    assert_int_equal(set_states(&lab, EXTERNAL, 0, PORT_PHYSICAL_POLLING, &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_INIT);
    /* A switch's port 0 is always Active. */
    assert_int_equal(set_states(&lab, PORT0, PORT_STATE_ARMED, 0, &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_ACTIVE);
    assert_int_equal(set_states(&lab, PORT0, PORT_STATE_DOWN, 0, &p), WEFT_STATUS_BAD_VALUE);
    sma_lab_free(&lab);
}

static void test_other_widths_retrain_the_link(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    assert_int_equal(set_states(&lab, EXTERNAL, PORT_STATE_ARMED, 0, &p), 0);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_LINK_WIDTH_ENABLED, ff_data(&p), 1);
    assert_int_equal(set(&lab, EXTERNAL, ff_data(&p), &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LINK_WIDTH_ACTIVE_F), 1);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_STATE_F), PORT_STATE_INIT);
    p = ff_get(lab.a, SMA_LAB_ROUTER, WEFT_ATTR_PORT_INFO, 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LINK_WIDTH_ACTIVE_F), 1);
    /* With a state in the same Set, the state decides: Down trains as well. */
    p = get(&lab, EXTERNAL);
    wire_set(WIRE_PORT_INFO_LINK_WIDTH_ENABLED, ff_data(&p), 0xFF);
    wire_set(WIRE_PORT_INFO_PORT_STATE, ff_data(&p), PORT_STATE_DOWN);
    wire_set(WIRE_PORT_INFO_PHYSICAL_STATE, ff_data(&p), 0);
    assert_int_equal(set(&lab, EXTERNAL, ff_data(&p), &p), 0);
    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
    sma_lab_free(&lab);
}

/* What packets on their way look at follows the Set, which changes no state. */
static void test_a_port_checks_partitions_from_the_set_on(void **state)
{
    static const enum wire_field_id sides[] = {WIRE_PORT_INFO_PARTITION_ENFORCE_IN,
                                               WIRE_PORT_INFO_PARTITION_ENFORCE_OUT};
    struct sma_lab lab = sma_lab_new(NULL);
    const struct waypoint *w = port_waypoint(lab.ff->f, ff_port(lab.ff, "sw", 3));

    (void)state;
    for (size_t side = 0; side < sizeof(sides) / sizeof(sides[0]); side++) {
        for (unsigned on = 2; on-- > 0;) {
            struct packet p = get(&lab, EXTERNAL), answer;

            sma_lab_keep_states(ff_data(&p));
            wire_set(sides[side], ff_data(&p), on);
            assert_int_equal(set(&lab, EXTERNAL, ff_data(&p), &answer), WEFT_STATUS_OK);
            assert_int_equal((w->flags & WAYPOINT_CHECKS) != 0, on);
            ff_expect_waypoints(lab.ff);
        }
    }
    sma_lab_free(&lab);
}

static void test_a_refused_set_changes_nothing(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet before = get(&lab, CA), p = before, answer;

    sma_lab_keep_states(ff_data(&p));
    wire_set_be64(ff_data(&p), 77);
    wire_set(WIRE_PORT_INFO_LID, ff_data(&p), 3);
    wire_set(WIRE_PORT_INFO_PORT_STATE, ff_data(&p), PORT_STATE_ARMED);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, ff_data(&p), 8);
    assert_int_equal(set(&lab, CA, ff_data(&p), &answer), WEFT_STATUS_BAD_VALUE);
    p = get(&lab, CA);
    assert_memory_equal(ff_data(&p), ff_data(&before), 64);
    sma_lab_free(&lab);
}

static void test_a_port_that_has_no_lid_yet_may_keep_that(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = get(&lab, CA), answer;

    assert_int_equal(mad_get_field(ff_data(&p), 0, IB_PORT_LID_F), 0);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_SUBNET_TIMEOUT, ff_data(&p), 3);
    assert_int_equal(set(&lab, CA, ff_data(&p), &answer), 0);
    assert_int_equal(mad_get_field(ff_data(&answer), 0, IB_PORT_SUBN_TIMEOUT_F), 3);
    sma_lab_free(&lab);
}

/* Enabled widths that somebody else than the SM sets by LID are news for the SM (trap 144). */
static void test_the_sm_hears_of_widths_that_others_set(void **state)
{
    (void)state;
    struct fabric_config c;
    struct sma_lab lab;
    struct port *port;
    struct packet ask, p;
    uint16_t lid;

    fabric_config_init(&c);
    c.up = true;
    lab = sma_lab_new(&c);
    port = ff_port(lab.ff, "sw", 0);
    lid = port_lid(port);
    p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_PORT_INFO, 9);
    sma_lab_keep_states(ff_data(&p));
    wire_set(WIRE_PORT_INFO_LINK_WIDTH_ENABLED, ff_data(&p), 1);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_ENABLED, ff_data(&p), 1);
    /* What comes by a directed route is taken for the SM's. */
    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, port->info, port_lid(ff_port(lab.ff, "b", 1)));
    ask = ff_directed(lab.a, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 9);
    memcpy(ff_data(&ask), ff_data(&p), 64);
    assert_int_equal(ff_status(lab.a, &ask, &ask), 0);
    assert_int_equal(ff_port(lab.ff, "sw", 9)->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED], 1);
    assert_int_equal(ff_stats(lab.ff).traps, 0);
    for (int i = 0; i < 2; i++) {
        ask = ff_lid_smp(lab.a, lid, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 9);
        memcpy(ff_data(&ask), ff_data(&p), 64);
        wire_set(WIRE_PORT_INFO_LINK_WIDTH_ENABLED, ff_data(&ask), i == 0 ? 2 : 1);
        wire_set(WIRE_PORT_INFO_MASTER_SM_LID, port->info,
                 i == 0 ? port_lid(lab.a->port) : port_lid(ff_port(lab.ff, "b", 1)));
        assert_int_equal(ff_status(lab.a, &ask, &ask), 0);
        assert_int_equal(ff_stats(lab.ff).traps, i);
    }
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_at_every_kind_of_port),
        cmocka_unit_test(test_violation_counters_are_reset_by_zero_only),
        cmocka_unit_test(test_the_m_key_is_kept),
        cmocka_unit_test(test_client_reregister_is_answered_and_reads_zero),
        cmocka_unit_test(test_is_sm_shows_at_the_port_of_the_program),
        cmocka_unit_test(test_local_port_is_where_the_question_came_in),
        cmocka_unit_test(test_states_go_through_the_link),
        cmocka_unit_test(test_other_widths_retrain_the_link),
        cmocka_unit_test(test_a_port_checks_partitions_from_the_set_on),
        cmocka_unit_test(test_a_refused_set_changes_nothing),
        cmocka_unit_test(test_a_port_that_has_no_lid_yet_may_keep_that),
        cmocka_unit_test(test_the_sm_hears_of_widths_that_others_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
