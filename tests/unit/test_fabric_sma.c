/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/sma.c: which attribute has which methods at which node, and what the rest is told. */
#include "fabric/sma.h"
#include "fabric/sma_attribute.h"
#include "sma_lab.h"

#define OK          WEFT_STATUS_OK
#define UNSUPPORTED WEFT_STATUS_BAD_METHOD_ATTRIBUTE
#define BAD_VALUE   WEFT_STATUS_BAD_VALUE

/* An attribute, a modifier that is good everywhere, and what Get and Set say. */
static const struct attribute_case {
    uint16_t attr_id;
    uint32_t attr_mod;
    uint16_t end_get, end_set; /* CA and router */
    uint16_t switch_get, switch_set;
} attribute_cases[] = {
    {WEFT_ATTR_NOTICE, 0, OK, OK, OK, OK},
    {WEFT_ATTR_NODE_DESC, 0, OK, UNSUPPORTED, OK, UNSUPPORTED},
    {WEFT_ATTR_NODE_INFO, 0, OK, UNSUPPORTED, OK, UNSUPPORTED},
    {WEFT_ATTR_SWITCH_INFO, 0, UNSUPPORTED, UNSUPPORTED, OK, OK},
    {WEFT_ATTR_GUID_INFO, 0, OK, OK, OK, OK},
    {WEFT_ATTR_PORT_INFO, 0, OK, OK, OK, OK},
    {WEFT_ATTR_PORT_INFO, 1, OK, OK, OK, OK},
    {WEFT_ATTR_PORT_INFO, 0x80000001, OK, OK, OK, OK},
    {WEFT_ATTR_PKEY_TABLE, 0, OK, OK, OK, OK},
    {WEFT_ATTR_PKEY_TABLE, 0x10000, OK, OK, OK, OK},
    {WEFT_ATTR_SL_TO_VL, 0, OK, OK, OK, OK},
    {WEFT_ATTR_VL_ARBITRATION, 0x10000, OK, OK, OK, OK},
    {WEFT_ATTR_LINEAR_FORWARDING, 0, UNSUPPORTED, UNSUPPORTED, OK, OK},
    {WEFT_ATTR_RANDOM_FORWARDING, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {WEFT_ATTR_MULTICAST_FORWARDING, 0, UNSUPPORTED, UNSUPPORTED, OK, OK},
    {WEFT_ATTR_SM_INFO, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {WEFT_ATTR_VENDOR_DIAG, 0, OK, UNSUPPORTED, OK, UNSUPPORTED},
    {WEFT_ATTR_LED_INFO, 0, OK, OK, OK, OK},
    {0x0000, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {WEFT_ATTR_INFORM_INFO, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {0x000F, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {0x0013, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {0x001C, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {0x0032, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {SMA_ATTR_MLNX_EXT_PORT_INFO, 0, OK, OK, OK, OK},
    {SMA_ATTR_MLNX_EXT_PORT_INFO, 1, OK, OK, OK, OK},
    {SMA_ATTR_MLNX_EXT_PORT_INFO, 19, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {0xFF91, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    {0xFFFF, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED},
    /* No attribute has this modifier. */
    {WEFT_ATTR_NOTICE, 1, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_NODE_DESC, 1, BAD_VALUE, UNSUPPORTED, BAD_VALUE, UNSUPPORTED},
    {WEFT_ATTR_NODE_INFO, 1, BAD_VALUE, UNSUPPORTED, BAD_VALUE, UNSUPPORTED},
    {WEFT_ATTR_SWITCH_INFO, 1, UNSUPPORTED, UNSUPPORTED, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_GUID_INFO, 4, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_PORT_INFO, 19, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_PORT_INFO, 0x101, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_PORT_INFO, 0x40000001, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_PKEY_TABLE, 4, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_PKEY_TABLE, 0x130000, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_SL_TO_VL, 0x1300, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_SL_TO_VL, 0x13, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_SL_TO_VL, 0x30000, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_VL_ARBITRATION, 0, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_VL_ARBITRATION, 0x50000, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_VL_ARBITRATION, 0x10013, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_LINEAR_FORWARDING, 768, UNSUPPORTED, UNSUPPORTED, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_LINEAR_FORWARDING, 0x80000000, UNSUPPORTED, UNSUPPORTED, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_MULTICAST_FORWARDING, 128, UNSUPPORTED, UNSUPPORTED, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_MULTICAST_FORWARDING, 0x200, UNSUPPORTED, UNSUPPORTED, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_MULTICAST_FORWARDING, 0x20000000, UNSUPPORTED, UNSUPPORTED, BAD_VALUE, BAD_VALUE},
    {WEFT_ATTR_VENDOR_DIAG, 1, BAD_VALUE, UNSUPPORTED, BAD_VALUE, UNSUPPORTED},
    {WEFT_ATTR_LED_INFO, 1, BAD_VALUE, BAD_VALUE, BAD_VALUE, BAD_VALUE},
};

static void check_case(struct sma_lab *lab, struct ff_route route, const struct attribute_case *c,
                       bool is_switch)
{
    uint16_t get = is_switch ? c->switch_get : c->end_get;
    uint16_t set = is_switch ? c->switch_set : c->end_set;
    struct packet packet = ff_directed(lab->a, route, WEFT_METHOD_GET, c->attr_id, c->attr_mod);
    struct packet answer;
    uint16_t status = ff_status(lab->a, &packet, &answer);

    if (status != get)
        fail_msg("Get 0x%04x modifier 0x%x: 0x%02x", c->attr_id, c->attr_mod, status);
    if (c->attr_id == WEFT_ATTR_PORT_INFO)
        sma_lab_keep_states(ff_data(&answer));
    status = sma_lab_status(lab, route, WEFT_METHOD_SET, c->attr_id, c->attr_mod, ff_data(&answer));
    if (status != set)
        fail_msg("Set 0x%04x modifier 0x%x: 0x%02x", c->attr_id, c->attr_mod, status);
}

static void test_every_attribute_and_method_at_every_kind_of_node(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);

    for (size_t i = 0; i < sizeof(attribute_cases) / sizeof(attribute_cases[0]); i++) {
        const struct attribute_case *c = &attribute_cases[i];

        check_case(&lab, SMA_LAB_CA, c, false);
        check_case(&lab, SMA_LAB_ROUTER, c, false);
        check_case(&lab, SMA_LAB_SWITCH, c, true);
    }
    sma_lab_free(&lab);
}

/* What a Get told, a Set of the same changes nothing. */
static void test_a_set_of_what_was_read_changes_nothing(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);

    for (size_t i = 0; i < sizeof(attribute_cases) / sizeof(attribute_cases[0]); i++) {
        const struct attribute_case *c = &attribute_cases[i];
        struct packet before, after;
        uint8_t data[64];

        if (c->switch_set != OK || c->attr_id == WEFT_ATTR_SWITCH_INFO)
            continue;
        before = ff_get(lab.a, SMA_LAB_SWITCH, c->attr_id, c->attr_mod);
        memcpy(data, ff_data(&before), sizeof(data));
        if (c->attr_id == WEFT_ATTR_PORT_INFO)
            sma_lab_keep_states(data);
        after = ff_set(lab.a, SMA_LAB_SWITCH, c->attr_id, c->attr_mod, data);
        assert_memory_equal(ff_data(&after), ff_data(&before), 64);
        after = ff_get(lab.a, SMA_LAB_SWITCH, c->attr_id, c->attr_mod);
        assert_memory_equal(ff_data(&after), ff_data(&before), 64);
    }
    sma_lab_free(&lab);
}

static void test_other_class_versions_are_told_so(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    static const uint8_t versions[] = {0, 2, 0x80, 0xFF};

    for (size_t i = 0; i < sizeof(versions); i++) {
        struct packet packet =
            ff_directed(lab.a, SMA_LAB_SWITCH, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
        struct packet answer;

        mad_set_class_version(packet.mad, versions[i]);
        assert_int_equal(ff_status(lab.a, &packet, &answer), WEFT_STATUS_BAD_VERSION);
        assert_int_equal(mad_method(answer.mad), WEFT_METHOD_GET_RESP);
        assert_int_equal(mad_class_version(answer.mad), versions[i]);
    }
    sma_lab_free(&lab);
}

static void test_methods_that_no_sma_has_are_told_so(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);

    for (unsigned int method = 0; method < 0x80; method++) {
        struct packet packet =
            ff_directed(lab.a, SMA_LAB_SWITCH, (uint8_t)method, WEFT_ATTR_NODE_INFO, 0);
        struct packet answer;

        if (method == WEFT_METHOD_GET || method == WEFT_METHOD_SET || method == WEFT_METHOD_TRAP ||
            method == WEFT_METHOD_TRAP_REPRESS)
            continue;
        assert_int_equal(ff_status(lab.a, &packet, &answer), WEFT_STATUS_BAD_METHOD);
        assert_int_equal(mad_method(answer.mad), method | WEFT_METHOD_RESPONSE);
    }
    sma_lab_free(&lab);
}

static void test_traps_answers_and_foreign_represses_are_not_the_smas(void **state)
{
    (void)state;
    static const uint8_t methods[] = {WEFT_METHOD_TRAP, WEFT_METHOD_TRAP_REPRESS,
                                      WEFT_METHOD_GET_RESP};
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *at = ff_port(lab.ff, "a", 1);

    for (size_t i = 0; i < sizeof(methods); i++) {
        struct packet packet = ff_directed(lab.a, SMA_LAB_CA, methods[i], WEFT_ATTR_NOTICE, 0);
        struct packet before = packet;

        assert_int_equal(sma_receive(lab.ff->f, at, &packet), AGENT_PASS);
        assert_memory_equal(&packet, &before, sizeof(packet));
    }
    sma_lab_free(&lab);
}

static void test_an_answer_keeps_the_route_and_says_its_direction(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet packet =
                      ff_directed(lab.a, SMA_LAB_ROUTER, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0),
                  answer;

    packet.mad[WIRE_AT_SMP_M_KEY + 7] = 9;
    assert_true(ff_ask(lab.a, &packet, &answer));
    assert_int_equal(mad_status(answer.mad), WEFT_STATUS_DIRECTION);
    assert_int_equal(mad_method(answer.mad), WEFT_METHOD_GET_RESP);
    assert_int_equal(mad_class(answer.mad), WEFT_CLASS_SUBN_DIRECTED);
    assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT], 2);
    assert_memory_equal(answer.mad + WIRE_AT_SMP_DIRECTED_INITIAL_PATH,
                        packet.mad + WIRE_AT_SMP_DIRECTED_INITIAL_PATH, 64);
    assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_RETURN_PATH + 1], 1);
    assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_RETURN_PATH + 2], 1);
    sma_lab_free(&lab);
}

static void test_lid_routed_smps_are_answered_without_direction(void **state)
{
    (void)state;
    struct fabric_config c;
    struct sma_lab lab;
    struct packet packet, answer;

    fabric_config_init(&c);
    c.up = true;
    lab = sma_lab_new(&c);
    packet = ff_lid_smp(lab.a, port_lid(ff_port(lab.ff, "sw", 0)), WEFT_METHOD_GET,
                        WEFT_ATTR_NODE_INFO, 0);
    assert_true(ff_ask(lab.a, &packet, &answer));
    assert_int_equal(mad_status(answer.mad), 0);
    assert_int_equal(wire_be64(ff_data(&answer) + WIRE_AT_NODE_INFO_NODE_GUID), 0x10);
    packet = ff_lid_smp(lab.a, port_lid(ff_port(lab.ff, "sw", 0)), WEFT_METHOD_GET, 0xFFFF, 0);
    assert_int_equal(ff_status(lab.a, &packet, &answer), UNSUPPORTED);
    sma_lab_free(&lab);
}

static void test_sm_info_is_for_programs_where_a_port_is_an_sms(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct ff_program *b = ff_attach(lab.ff, "b");
    struct packet packet, got;

    ff_claim(b, 0, WEFT_CLASS_SUBN_DIRECTED, 1,
             UINT64_C(1) << WEFT_METHOD_GET | UINT64_C(1) << WEFT_METHOD_SET);
    assert_int_equal(sma_lab_status(&lab, SMA_LAB_B, WEFT_METHOD_GET, WEFT_ATTR_SM_INFO, 0, NULL),
                     UNSUPPORTED);
    assert_int_equal(fabric_set_issm(lab.ff->f, lab.ff->now, b->id, true), 0);
    packet = ff_directed(lab.a, SMA_LAB_B, WEFT_METHOD_GET, WEFT_ATTR_SM_INFO, 0);
    assert_false(ff_ask(lab.a, &packet, &got));
    assert_true(ff_receive(b, &got));
    assert_int_equal(mad_attr_id(got.mad), WEFT_ATTR_SM_INFO);
    /* The rest is still the SMA's. */
    assert_int_equal(sma_lab_status(&lab, SMA_LAB_B, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0, NULL),
                     OK);
    assert_int_equal(fabric_set_issm(lab.ff->f, lab.ff->now, b->id, false), 0);
    assert_int_equal(sma_lab_status(&lab, SMA_LAB_B, WEFT_METHOD_SET, WEFT_ATTR_SM_INFO, 0, NULL),
                     UNSUPPORTED);
    sma_lab_free(&lab);
}

static void test_a_vendors_attribute_is_known_to_its_devices_only(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);

    for (uint32_t i = 0; i < lab.ff->f->node_count; i++)
        lab.ff->f->nodes[i].vendor = 0x00066A;
    assert_int_equal(
        sma_lab_status(&lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, SMA_ATTR_MLNX_EXT_PORT_INFO, 1, NULL),
        UNSUPPORTED);
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_attribute_and_method_at_every_kind_of_node),
        cmocka_unit_test(test_a_set_of_what_was_read_changes_nothing),
        cmocka_unit_test(test_other_class_versions_are_told_so),
        cmocka_unit_test(test_methods_that_no_sma_has_are_told_so),
        cmocka_unit_test(test_traps_answers_and_foreign_represses_are_not_the_smas),
        cmocka_unit_test(test_an_answer_keeps_the_route_and_says_its_direction),
        cmocka_unit_test(test_lid_routed_smps_are_answered_without_direction),
        cmocka_unit_test(test_sm_info_is_for_programs_where_a_port_is_an_sms),
        cmocka_unit_test(test_a_vendors_attribute_is_known_to_its_devices_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
