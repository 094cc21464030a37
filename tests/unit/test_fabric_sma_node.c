/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/sma_node.c: what nodes say of themselves, as libibmad reads it. */
#include "sma_lab.h"

#include <infiniband/mad.h>

#define LED_ON UINT32_C(0x80000000)

static uint32_t field(struct packet *p, enum MAD_FIELDS id)
{
    return mad_get_field(ff_data(p), 0, id);
}

static uint64_t field64(struct packet *p, enum MAD_FIELDS id)
{
    return mad_get_field64(ff_data(p), 0, id);
}

static void expect_zero_from(struct packet *p, size_t first)
{
    for (size_t i = first; i < 64; i++)
        assert_int_equal(ff_data(p)[i], 0);
}

static void test_node_info_of_a_host_names_the_port_asked(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    const struct node *n = ff_node(lab.ff, "a");
    struct packet p = ff_get(lab.a, SMA_LAB_CA, WEFT_ATTR_NODE_INFO, 0);

    assert_int_equal(field(&p, IB_NODE_BASE_VERS_F), 1);
    assert_int_equal(field(&p, IB_NODE_CLASS_VERS_F), 1);
    assert_int_equal(field(&p, IB_NODE_TYPE_F), IB_NODE_CA);
    assert_int_equal(field(&p, IB_NODE_NPORTS_F), 2);
    assert_int_equal(field64(&p, IB_NODE_GUID_F), 0x20);
    assert_int_equal(field64(&p, IB_NODE_SYSTEM_GUID_F), n->system_guid);
    assert_int_equal(field64(&p, IB_NODE_PORT_GUID_F), 0x21);
    assert_int_equal(field(&p, IB_NODE_PARTITION_CAP_F), 128);
    assert_int_equal(field(&p, IB_NODE_DEVID_F), n->device);
    assert_int_equal(field(&p, IB_NODE_REVISION_F), n->revision);
    assert_int_equal(field(&p, IB_NODE_LOCAL_PORT_F), 1);
    assert_int_equal(field(&p, IB_NODE_VENDORID_F), n->vendor);
    expect_zero_from(&p, 40);
    /* Its other port, from outside. */
    p = ff_get(lab.a, FF_ROUTE(1, 2), WEFT_ATTR_NODE_INFO, 0);
    assert_int_equal(field64(&p, IB_NODE_GUID_F), 0x20);
    assert_int_equal(field64(&p, IB_NODE_PORT_GUID_F), 0x22);
    assert_int_equal(field(&p, IB_NODE_LOCAL_PORT_F), 2);
    sma_lab_free(&lab);
}

static void test_node_info_of_a_switch_and_a_router(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_NODE_INFO, 0);

    assert_int_equal(field(&p, IB_NODE_TYPE_F), IB_NODE_SWITCH);
    assert_int_equal(field(&p, IB_NODE_NPORTS_F), 18);
    assert_int_equal(field64(&p, IB_NODE_PORT_GUID_F), 0x10);
    assert_int_equal(field(&p, IB_NODE_LOCAL_PORT_F), 1);
    p = ff_get(lab.a, FF_ROUTE(1, 4, 1), WEFT_ATTR_NODE_INFO, 0);
    assert_int_equal(field64(&p, IB_NODE_GUID_F), 0x10);
    assert_int_equal(field(&p, IB_NODE_LOCAL_PORT_F), 4);
    p = ff_get(lab.a, SMA_LAB_ROUTER, WEFT_ATTR_NODE_INFO, 0);
    assert_int_equal(field(&p, IB_NODE_TYPE_F), IB_NODE_ROUTER);
    assert_int_equal(field64(&p, IB_NODE_PORT_GUID_F), 0x41);
    sma_lab_free(&lab);
}

static void test_node_description_is_padded_with_zeros(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet ask = ff_directed(lab.a, SMA_LAB_BASE, WEFT_METHOD_GET, WEFT_ATTR_NODE_DESC, 0);
    struct packet p;

    memset(ff_data(&ask), 0xEE, 64);
    assert_int_equal(ff_status(lab.a, &ask, &p), 0);
    assert_memory_equal(ff_data(&p), "base", 5);
    expect_zero_from(&p, 5);
    /* All 64 bytes may be used. */
    memset(ff_node(lab.ff, "base")->name, 'x', 64);
    p = ff_get(lab.a, SMA_LAB_BASE, WEFT_ATTR_NODE_DESC, 0);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(ff_data(&p)[i], 'x');
    sma_lab_free(&lab);
}

static void test_switch_info_is_what_libibmad_reads(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0);

    assert_int_equal(field(&p, IB_SW_LINEAR_FDB_CAP_F), 49151);
    assert_int_equal(field(&p, IB_SW_RANDOM_FDB_CAP_F), 0);
    assert_int_equal(field(&p, IB_SW_MCAST_FDB_CAP_F), 4096);
    assert_int_equal(field(&p, IB_SW_PARTITION_ENFORCE_CAP_F), FABRIC_ENFORCE_CAP);
    assert_int_equal(field(&p, IB_SW_PARTITION_ENF_INB_F), 1);
    assert_int_equal(field(&p, IB_SW_PARTITION_ENF_OUTB_F), 1);
    assert_int_equal(field(&p, IB_SW_ENHANCED_PORT0_F), 1);
    expect_zero_from(&p, 20);
    p = ff_get(lab.a, SMA_LAB_BASE, WEFT_ATTR_SWITCH_INFO, 0);
    assert_int_equal(field(&p, IB_SW_ENHANCED_PORT0_F), 0);
    sma_lab_free(&lab);
}

/* A field of SwitchInfo, the value that a Set asks for, and what it becomes. */
static const struct switch_case {
    enum wire_field_id field;
    uint64_t want, result;
} switch_cases[] = {
    {WIRE_SWITCH_INFO_LINEAR_FDB_TOP, 0x1234, 0x1234},
    {WIRE_SWITCH_INFO_LINEAR_FDB_TOP, 49150, 49150},
    {WIRE_SWITCH_INFO_DEFAULT_PORT, 18, 18},
    {WIRE_SWITCH_INFO_DEFAULT_PORT, 255, 255},
    {WIRE_SWITCH_INFO_DEFAULT_MC_PRIMARY_PORT, 7, 7},
    {WIRE_SWITCH_INFO_DEFAULT_MC_NOT_PRIMARY_PORT, 8, 8},
    {WIRE_SWITCH_INFO_LIFE_TIME, 31, 31},
    {WIRE_SWITCH_INFO_LIFE_TIME, 0, 0},
    {WIRE_SWITCH_INFO_MULTICAST_FDB_TOP, 0xBFFF, 0xBFFF},
    {WIRE_SWITCH_INFO_MULTICAST_FDB_TOP, 0xCFFF, 0xCFFF},
    /* What is not an SM's to write. */
    {WIRE_SWITCH_INFO_LINEAR_FDB_CAP, 1, 49151},
    {WIRE_SWITCH_INFO_RANDOM_FDB_CAP, 1, 0},
    {WIRE_SWITCH_INFO_MULTICAST_FDB_CAP, 1, 4096},
    {WIRE_SWITCH_INFO_OPTIMIZED_SL_TO_VL, 3, 0},
    {WIRE_SWITCH_INFO_LIDS_PER_PORT, 1, 0},
    {WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, 1, FABRIC_ENFORCE_CAP},
    {WIRE_SWITCH_INFO_INBOUND_ENFORCEMENT_CAP, 0, 1},
    {WIRE_SWITCH_INFO_OUTBOUND_ENFORCEMENT_CAP, 0, 1},
    {WIRE_SWITCH_INFO_FILTER_RAW_INBOUND_CAP, 1, 0},
    {WIRE_SWITCH_INFO_FILTER_RAW_OUTBOUND_CAP, 1, 0},
    {WIRE_SWITCH_INFO_ENHANCED_PORT_0, 0, 1},
};

static void test_every_field_of_switch_info_is_kept_or_stays(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);

    for (size_t i = 0; i < sizeof(switch_cases) / sizeof(switch_cases[0]); i++) {
        const struct switch_case *c = &switch_cases[i];
        struct packet before = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0), after;
        uint8_t expected[64], want[64];

        memcpy(want, ff_data(&before), sizeof(want));
        wire_set(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, want, 0);
        memcpy(expected, ff_data(&before), sizeof(expected));
        wire_set(c->field, want, c->want);
        wire_set(c->field, expected, c->result);
        after = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0, want);
        assert_memory_equal(ff_data(&after), expected, sizeof(expected));
        after = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0);
        assert_memory_equal(ff_data(&after), expected, sizeof(expected));
    }
    sma_lab_free(&lab);
}

static void test_switch_info_refuses_values_as_a_whole(void **state)
{
    (void)state;
    static const struct switch_case refused[] = {
        {WIRE_SWITCH_INFO_LINEAR_FDB_TOP, 49151, 0},
        {WIRE_SWITCH_INFO_LINEAR_FDB_TOP, 0xFFFF, 0},
        {WIRE_SWITCH_INFO_MULTICAST_FDB_TOP, 1, 0},
        {WIRE_SWITCH_INFO_MULTICAST_FDB_TOP, 0xD000, 0},
        {WIRE_SWITCH_INFO_DEFAULT_PORT, 19, 0},
        {WIRE_SWITCH_INFO_DEFAULT_MC_PRIMARY_PORT, 254, 0},
        {WIRE_SWITCH_INFO_DEFAULT_MC_NOT_PRIMARY_PORT, 19, 0},
    };
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet before = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0), after;

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        uint8_t want[64];

        memcpy(want, ff_data(&before), sizeof(want));
        wire_set(WIRE_SWITCH_INFO_LIFE_TIME, want, 3);
        wire_set(refused[i].field, want, refused[i].want);
        assert_int_equal(
            sma_lab_status(&lab, SMA_LAB_SWITCH, WEFT_METHOD_SET, WEFT_ATTR_SWITCH_INFO, 0, want),
            WEFT_STATUS_BAD_VALUE);
        after = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0);
        assert_memory_equal(ff_data(&after), ff_data(&before), 64);
    }
    sma_lab_free(&lab);
}

static void test_port_state_change_is_cleared_by_writing_one(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    ff_command(lab.ff, "link sw/3 down");
    p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0);
    assert_int_equal(field(&p, IB_SW_STATE_CHANGE_F), 1);
    wire_set(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, ff_data(&p), 0);
    p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0, ff_data(&p));
    assert_int_equal(field(&p, IB_SW_STATE_CHANGE_F), 1);
    p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0, ff_data(&p));
    assert_int_equal(field(&p, IB_SW_STATE_CHANGE_F), 0);
    p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_SWITCH_INFO, 0);
    assert_int_equal(field(&p, IB_SW_STATE_CHANGE_F), 0);
    sma_lab_free(&lab);
}

static void test_the_beacon_is_kept_for_each_node(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t data[64];
    struct packet p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LED_INFO, 0);

    assert_int_equal(wire_be32(ff_data(&p)), 0);
    memset(data, 0xFF, sizeof(data));
    p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LED_INFO, 0, data);
    assert_int_equal(wire_be32(ff_data(&p)), LED_ON);
    expect_zero_from(&p, 4);
    p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LED_INFO, 0);
    assert_int_equal(wire_be32(ff_data(&p)), LED_ON);
    p = ff_get(lab.a, SMA_LAB_CA, WEFT_ATTR_LED_INFO, 0);
    assert_int_equal(wire_be32(ff_data(&p)), 0);
    memset(data, 0, sizeof(data));
    p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LED_INFO, 0, data);
    assert_int_equal(wire_be32(ff_data(&p)), 0);
    sma_lab_free(&lab);
}

static void test_the_diagnosis_is_empty(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet ask = ff_directed(lab.a, SMA_LAB_CA, WEFT_METHOD_GET, WEFT_ATTR_VENDOR_DIAG, 0);
    struct packet p;

    memset(ff_data(&ask), 0xEE, 64);
    assert_int_equal(ff_status(lab.a, &ask, &p), 0);
    expect_zero_from(&p, 0);
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_node_info_of_a_host_names_the_port_asked),
        cmocka_unit_test(test_node_info_of_a_switch_and_a_router),
        cmocka_unit_test(test_node_description_is_padded_with_zeros),
        cmocka_unit_test(test_switch_info_is_what_libibmad_reads),
        cmocka_unit_test(test_every_field_of_switch_info_is_kept_or_stays),
        cmocka_unit_test(test_switch_info_refuses_values_as_a_whole),
        cmocka_unit_test(test_port_state_change_is_cleared_by_writing_one),
        cmocka_unit_test(test_the_beacon_is_kept_for_each_node),
        cmocka_unit_test(test_the_diagnosis_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
