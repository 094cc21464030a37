/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters: their names and widths, where they stick, and what a packet counts for. */
#include "fabric/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_both_kinds_of_names_are_known(void **state)
{
    (void)state;
    for (int c = 0; c < COUNTERS; c++) {
        const char *name = counter_name((enum counter)c);

        assert_int_equal(counter_find(name, strlen(name)), c);
    }
    assert_int_equal(counter_find("symbol_errors", 13), COUNTER_SYMBOL_ERRORS);
    assert_int_equal(counter_find("SymbolErrorCounter", 18), COUNTER_SYMBOL_ERRORS);
    assert_int_equal(counter_find("PortXmitWait", 12), COUNTER_XMIT_WAIT);
    assert_int_equal(counter_find("symbol_error", 12), COUNTERS);
    assert_int_equal(counter_find("", 0), COUNTERS);
    assert_int_equal(counter_find("xmit_data and more", 9), COUNTER_XMIT_DATA);
}

static void test_widths_are_those_of_the_fields(void **state)
{
    static const struct {
        enum counter counter;
        enum wire_field_id field;
    } pairs[] = {
        {COUNTER_SYMBOL_ERRORS, WIRE_PORT_COUNTERS_SYMBOL_ERRORS},
        {COUNTER_LINK_RECOVERIES, WIRE_PORT_COUNTERS_LINK_ERROR_RECOVERY},
        {COUNTER_LINK_DOWNED, WIRE_PORT_COUNTERS_LINK_DOWNED},
        {COUNTER_RCV_ERRORS, WIRE_PORT_COUNTERS_RCV_ERRORS},
        {COUNTER_RCV_PHYSICAL_ERRORS, WIRE_PORT_COUNTERS_RCV_REMOTE_PHYSICAL_ERRORS},
        {COUNTER_RCV_SWITCH_RELAY_ERRORS, WIRE_PORT_COUNTERS_RCV_SWITCH_RELAY_ERRORS},
        {COUNTER_XMIT_DISCARDS, WIRE_PORT_COUNTERS_XMIT_DISCARDS},
        {COUNTER_XMIT_CONSTRAINT_ERRORS, WIRE_PORT_COUNTERS_XMIT_CONSTRAINT_ERRORS},
        {COUNTER_RCV_CONSTRAINT_ERRORS, WIRE_PORT_COUNTERS_RCV_CONSTRAINT_ERRORS},
        {COUNTER_LOCAL_INTEGRITY_ERRORS, WIRE_PORT_COUNTERS_LOCAL_LINK_INTEGRITY_ERRORS},
        {COUNTER_BUFFER_OVERRUNS, WIRE_PORT_COUNTERS_BUFFER_OVERRUN_ERRORS},
        {COUNTER_VL15_DROPPED, WIRE_PORT_COUNTERS_VL15_DROPPED},
        {COUNTER_XMIT_DATA, WIRE_PORT_COUNTERS_XMIT_DATA},
        {COUNTER_RCV_DATA, WIRE_PORT_COUNTERS_RCV_DATA},
        {COUNTER_XMIT_PACKETS, WIRE_PORT_COUNTERS_XMIT_PACKETS},
        {COUNTER_RCV_PACKETS, WIRE_PORT_COUNTERS_RCV_PACKETS},
        {COUNTER_XMIT_WAIT, WIRE_PORT_COUNTERS_XMIT_WAIT},
        {COUNTER_QP1_DROPPED, WIRE_PORT_COUNTERS_QP1_DROPPED},
    };

    (void)state;
    assert_int_equal(sizeof(pairs) / sizeof(pairs[0]), COUNTERS);
    for (size_t i = 0; i < COUNTERS; i++)
        assert_int_equal(counter_bits(pairs[i].counter), wire_fields[pairs[i].field].bits);
}

static void test_counters_stick_at_all_ones(void **state)
{
    (void)state;
    for (int c = 0; c < COUNTERS; c++) {
        struct port p = {.number = 1};
        uint64_t top = (UINT64_C(1) << counter_bits((enum counter)c)) - 1;

        counters_add(&p, (enum counter)c, top - 1);
        assert_true(p.counters.classic[c] == top - 1 && p.counters.wide[c] == top - 1);
        counters_add(&p, (enum counter)c, 1);
        counters_add(&p, (enum counter)c, 1);
        assert_true(p.counters.classic[c] == top && p.counters.wide[c] == top + 1);
        counters_add(&p, (enum counter)c, UINT64_MAX);
        assert_true(p.counters.classic[c] == top && p.counters.wide[c] == UINT64_MAX);
        counters_add(&p, (enum counter)c, 1);
        assert_true(p.counters.wide[c] == UINT64_MAX);
    }
}

static void test_setting_cuts_at_the_width(void **state)
{
    struct port p = {.number = 1};

    (void)state;
    counters_set(&p, COUNTER_BUFFER_OVERRUNS, 16);
    assert_true(p.counters.classic[COUNTER_BUFFER_OVERRUNS] == 15);
    assert_true(p.counters.wide[COUNTER_BUFFER_OVERRUNS] == 16);
    counters_set(&p, COUNTER_BUFFER_OVERRUNS, 3);
    assert_true(p.counters.classic[COUNTER_BUFFER_OVERRUNS] == 3);
    assert_true(p.counters.wide[COUNTER_BUFFER_OVERRUNS] == 3);
}

static void test_packets_count_for_their_bytes_and_kind(void **state)
{
    /* LRH 8, BTH 12, DETH 8, MAD 256, ICRC 4; a GRH has 40 more. */
    const uint64_t words = (8 + 12 + 8 + 256 + 4) / 4, with_grh = words + 10;
    const uint16_t unicast[] = {1, 0xBFFF, 0xFFFF}, multicast[] = {0xC000, 0xFFFE};
    struct port p = {.number = 1};
    struct packet packet = {.dlid = 1};

    (void)state;
    for (int i = 0; i < 3; i++) {
        packet.dlid = unicast[i];
        counters_sent(&p, &packet);
    }
    packet.has_grh = 1;
    for (int i = 0; i < 2; i++) {
        packet.dlid = multicast[i];
        counters_received(&p, &packet);
    }
    packet.dlid = 7;
    counters_received(&p, &packet);
    assert_true(p.counters.classic[COUNTER_XMIT_DATA] == 3 * words);
    assert_true(p.counters.wide[COUNTER_XMIT_PACKETS] == 3);
    assert_true(p.counters.wide[COUNTER_RCV_DATA] == 3 * with_grh);
    assert_true(p.counters.classic[COUNTER_RCV_PACKETS] == 3);
    assert_true(p.counters.ext[COUNTER_EXT_UNICAST_XMIT] == 3);
    assert_true(p.counters.ext[COUNTER_EXT_MULTICAST_XMIT] == 0);
    assert_true(p.counters.ext[COUNTER_EXT_UNICAST_RCV] == 1);
    assert_true(p.counters.ext[COUNTER_EXT_MULTICAST_RCV] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_kinds_of_names_are_known),
        cmocka_unit_test(test_widths_are_those_of_the_fields),
        cmocka_unit_test(test_counters_stick_at_all_ones),
        cmocka_unit_test(test_setting_cuts_at_the_width),
        cmocka_unit_test(test_packets_count_for_their_bytes_and_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
