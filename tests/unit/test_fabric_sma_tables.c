/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/sma_tables.c: GUIDs, P_Keys, SL to VL, VL arbitration, block by block. */
#include "sma_lab.h"

/* Modifiers. */
#define PKEYS(port, block)  ((uint32_t)(port) << 16 | (block))
#define SL2VL(in, out)      ((uint32_t)(in) << 8 | (out))
#define VL_ARB(block, port) ((uint32_t)(block) << 16 | (port))

static void fill(uint8_t *data, uint8_t first)
{
    for (int i = 0; i < 64; i++)
        data[i] = (uint8_t)(first + i * 3);
}

static void expect(struct sma_lab *lab, struct ff_route route, uint16_t attr_id, uint32_t attr_mod,
                   const uint8_t *data)
{
    struct packet p = ff_get(lab->a, route, attr_id, attr_mod);

    assert_memory_equal(ff_data(&p), data, 64);
}

/* Sets a block, sees it answered and kept. */
static void keeps(struct sma_lab *lab, struct ff_route route, uint16_t attr_id, uint32_t attr_mod,
                  const uint8_t *data)
{
    struct packet p = ff_set(lab->a, route, attr_id, attr_mod, data);

    assert_memory_equal(ff_data(&p), data, 64);
    expect(lab, route, attr_id, attr_mod, data);
}

static void refuses(struct sma_lab *lab, struct ff_route route, uint16_t attr_id, uint32_t attr_mod)
{
    static const uint8_t data[64];

    assert_int_equal(sma_lab_status(lab, route, WEFT_METHOD_GET, attr_id, attr_mod, data),
                     WEFT_STATUS_BAD_VALUE);
    assert_int_equal(sma_lab_status(lab, route, WEFT_METHOD_SET, attr_id, attr_mod, data),
                     WEFT_STATUS_BAD_VALUE);
}

static void test_guids_are_kept_but_for_the_ports_own(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t data[64], zero[64] = {0}, begin[64] = {0};
    struct packet p;

    wire_set_be64(begin, 0x21);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 0, begin);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 3, zero);
    fill(data, 1);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 0, data);
    wire_set_be64(data, 0x21);
    assert_memory_equal(ff_data(&p), data, 64);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 0, data);
    fill(data, 77);
    keeps(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 3, data);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 2, zero);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 4);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_GUID_INFO, 0x80000000);
    /* Each port of a CA has its own; all ports of a switch are one. */
    wire_set_be64(begin, 0x22);
    expect(&lab, FF_ROUTE(1, 2), WEFT_ATTR_GUID_INFO, 0, begin);
    keeps(&lab, SMA_LAB_SWITCH, WEFT_ATTR_GUID_INFO, 1, data);
    expect(&lab, FF_ROUTE(1, 4, 1), WEFT_ATTR_GUID_INFO, 1, data);
    sma_lab_free(&lab);
}

static void test_pkeys_of_ends_and_switch_ports(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t data[64], begin[64] = {0xFF, 0xFF}, zero[64] = {0};
    uint16_t keys[2];

    fill(data, 5);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 0, begin);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 3, zero);
    keeps(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 0, data);
    keeps(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 3, data);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 1, zero);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 4);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 0xFFFF);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, PKEYS(3, 0));
    /* Programs see them. */
    assert_int_equal(
        fabric_port_pkeys(lab.ff->f, node_index(lab.ff->f, ff_node(lab.ff, "a")), 1, 0, keys, 2),
        0);
    assert_int_equal(keys[0], wire_be16(data));
    assert_int_equal(keys[1], wire_be16(data + 2));
    /* The other port by its number, too. */
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, PKEYS(2, 0), begin);
    keeps(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, PKEYS(2, 1), data);
    expect(&lab, FF_ROUTE(1, 2), WEFT_ATTR_PKEY_TABLE, 1, data);
    /* A switch's port 0 is as large as a CA's, the others have one block. */
    keeps(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(0, 3), data);
    for (unsigned int port = 1; port <= 18; port++) {
        expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(port, 0), begin);
        fill(data, (uint8_t)port);
        keeps(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(port, 0), data);
    }
    for (unsigned int port = 1; port <= 18; port++) {
        fill(data, (uint8_t)port);
        expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(port, 0), data);
    }
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(1, 1));
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(19, 0));
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_PKEY_TABLE, PKEYS(0, 4));
    sma_lab_free(&lab);
}

static void test_a_pkey_table_may_end_within_a_block(void **state)
{
    (void)state;
    struct fabric_config c;
    struct sma_lab lab;
    uint8_t data[64];
    struct packet p;

    fabric_config_init(&c);
    c.pkey_cap = 33;
    lab = sma_lab_new(&c);
    fill(data, 1);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 1, data);
    memset(data + 2, 0, sizeof(data) - 2);
    assert_memory_equal(ff_data(&p), data, 64);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 1, data);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_PKEY_TABLE, 2);
    sma_lab_free(&lab);
}

static void test_sl_to_vl_of_each_way_through_a_switch(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t data[64] = {0};
    uint8_t begin[64] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xE7};

    for (unsigned int in = 0; in <= 18; in++)
        for (unsigned int out = 0; out <= 18; out++) {
            expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_SL_TO_VL, SL2VL(in, out), begin);
            wire_set_be64(data, 0x0123000000000000U | in << 8 | out);
            keeps(&lab, SMA_LAB_SWITCH, WEFT_ATTR_SL_TO_VL, SL2VL(in, out), data);
        }
    for (unsigned int in = 0; in <= 18; in++)
        for (unsigned int out = 0; out <= 18; out++) {
            wire_set_be64(data, 0x0123000000000000U | in << 8 | out);
            expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_SL_TO_VL, SL2VL(in, out), data);
        }
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_SL_TO_VL, SL2VL(19, 0));
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_SL_TO_VL, SL2VL(0, 19));
    sma_lab_free(&lab);
}

static void test_sl_to_vl_of_a_host(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t begin[64] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xE7};
    uint8_t data[64] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x00}, want[64];
    struct packet p;

    expect(&lab, SMA_LAB_CA, WEFT_ATTR_SL_TO_VL, 0, begin);
    memset(want, 0xEE, sizeof(want));
    memcpy(want, data, 8);
    p = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_SL_TO_VL, 0, want);
    assert_memory_equal(ff_data(&p), data, 64);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_SL_TO_VL, SL2VL(0, 1), data);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_SL_TO_VL, SL2VL(0, 2), begin);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_SL_TO_VL, SL2VL(1, 0));
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_SL_TO_VL, SL2VL(0, 3));
    sma_lab_free(&lab);
}

static void test_vl_arbitration_of_every_port_and_block(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t low[64] = {0, 0, 1, 4, 2, 4, 3, 4, 4, 4, 5, 4, 6, 4, 7, 4}, data[64];
    uint8_t high[64] = {0, 4, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0}, zero[64] = {0};

    for (unsigned int port = 0; port <= 18; port++) {
        expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, port), low);
        expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(2, port), zero);
        expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(3, port), high);
        expect(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(4, port), zero);
        for (unsigned int block = 1; block <= 4; block++) {
            memset(data, (int)(port * 4 + block), sizeof(data));
            for (size_t i = 0; i < sizeof(data); i += 2)
                data[i] &= 0x0F;
            keeps(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(block, port), data);
        }
    }
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(0, 1));
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(5, 1));
    refuses(&lab, SMA_LAB_SWITCH, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, 19));
    keeps(&lab, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, 0), data);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, 1), data);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, 2), low);
    sma_lab_free(&lab);
}

static void test_vl_arbitration_ends_at_the_ports_cap(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    struct port *p = ff_port(lab.ff, "a", 1);
    uint8_t data[64], cut[64] = {0};
    struct packet answer;

    p->info[WIRE_AT_PORT_INFO_VL_ARB_LOW_CAP] = 8;
    p->info[WIRE_AT_PORT_INFO_VL_ARB_HIGH_CAP] = 40;
    memset(data, 0x05, sizeof(data));
    memset(cut, 0x05, 16);
    answer = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, 0), data);
    assert_memory_equal(ff_data(&answer), cut, 64);
    expect(&lab, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(1, 0), cut);
    refuses(&lab, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(2, 0));
    answer = ff_set(lab.a, SMA_LAB_CA, WEFT_ATTR_VL_ARBITRATION, VL_ARB(4, 0), data);
    assert_memory_equal(ff_data(&answer), cut, 64);
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guids_are_kept_but_for_the_ports_own),
        cmocka_unit_test(test_pkeys_of_ends_and_switch_ports),
        cmocka_unit_test(test_a_pkey_table_may_end_within_a_block),
        cmocka_unit_test(test_sl_to_vl_of_each_way_through_a_switch),
        cmocka_unit_test(test_sl_to_vl_of_a_host),
        cmocka_unit_test(test_vl_arbitration_of_every_port_and_block),
        cmocka_unit_test(test_vl_arbitration_ends_at_the_ports_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
