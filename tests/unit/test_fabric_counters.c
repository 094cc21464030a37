/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters: their names and widths, where they stick, and what a packet counts for. */
#include "fabric/counters.h"
#include "fabric_fixture.h"

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
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);

    (void)state;
    counters_set(ff->f, p, COUNTER_BUFFER_OVERRUNS, 16);
    assert_true(p->counters.classic[COUNTER_BUFFER_OVERRUNS] == 15);
    assert_true(p->counters.wide[COUNTER_BUFFER_OVERRUNS] == 16);
    counters_set(ff->f, p, COUNTER_BUFFER_OVERRUNS, 3);
    assert_true(p->counters.classic[COUNTER_BUFFER_OVERRUNS] == 3);
    assert_true(p->counters.wide[COUNTER_BUFFER_OVERRUNS] == 3);
    ff_free(ff);
}

/* LRH 8, BTH 12, DETH 8, MAD 256, ICRC 4; a GRH has 40 more. */
#define WORDS     ((8 + 12 + 8 + 256 + 4) / 4)
#define GRH_WORDS 10

static void test_packets_count_for_their_bytes_and_kind(void **state)
{
    const uint16_t unicast[] = {1, 0xBFFF, 0xFFFF}, multicast[] = {0xC000, 0xFFFE};
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);
    struct waypoint *w = port_waypoint(ff->f, p);
    struct packet packet = {.dlid = 1};

    (void)state;
    for (int i = 0; i < 3; i++) {
        packet.dlid = unicast[i];
        counters_sent(ff->f, w, &packet);
    }
    packet.has_grh = 1;
    for (int i = 0; i < 2; i++) {
        packet.dlid = multicast[i];
        counters_received(ff->f, w, &packet);
    }
    packet.dlid = 7;
    counters_received(ff->f, w, &packet);
    counters_settle(ff->f, p);
    assert_true(p->counters.classic[COUNTER_XMIT_DATA] == 3 * WORDS);
    assert_true(p->counters.wide[COUNTER_XMIT_PACKETS] == 3);
    assert_true(p->counters.wide[COUNTER_RCV_DATA] == 3 * (WORDS + GRH_WORDS));
    assert_true(p->counters.classic[COUNTER_RCV_PACKETS] == 3);
    assert_true(p->counters.ext[COUNTER_EXT_UNICAST_XMIT] == 3);
    assert_true(p->counters.ext[COUNTER_EXT_MULTICAST_XMIT] == 0);
    assert_true(p->counters.ext[COUNTER_EXT_UNICAST_RCV] == 1);
    assert_true(p->counters.ext[COUNTER_EXT_MULTICAST_RCV] == 2);
    counters_settle(ff->f, p);
    assert_true(p->counters.wide[COUNTER_RCV_PACKETS] == 3);
    ff_free(ff);
}

static void test_no_packet_is_missed_however_seldom_counters_are_looked_at(void **state)
{
    const uint64_t many = 3 * UINT16_MAX + 7;
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);
    struct waypoint *w = port_waypoint(ff->f, p);
    struct packet packet = {.dlid = 0xC000, .has_grh = 1};

    (void)state;
    for (uint64_t i = 0; i < many; i++)
        counters_received(ff->f, w, &packet);
    counters_sent(ff->f, w, &packet);
    counters_settle(ff->f, p);
    assert_true(p->counters.wide[COUNTER_RCV_PACKETS] == many);
    assert_true(p->counters.wide[COUNTER_RCV_DATA] == many * (WORDS + GRH_WORDS));
    assert_true(p->counters.ext[COUNTER_EXT_MULTICAST_RCV] == many);
    assert_true(p->counters.ext[COUNTER_EXT_UNICAST_RCV] == 0);
    assert_true(p->counters.wide[COUNTER_XMIT_PACKETS] == 1);
    ff_free(ff);
}

static void test_what_came_before_a_counter_was_set_does_not_count(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);
    struct packet packet = {.dlid = 1};

    (void)state;
    counters_sent(ff->f, port_waypoint(ff->f, p), &packet);
    counters_set(ff->f, p, COUNTER_XMIT_PACKETS, 5);
    counters_sent(ff->f, port_waypoint(ff->f, p), &packet);
    counters_settle(ff->f, p);
    assert_true(p->counters.classic[COUNTER_XMIT_PACKETS] == 6);
    assert_true(p->counters.wide[COUNTER_XMIT_DATA] == UINT64_C(2) * WORDS);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_kinds_of_names_are_known),
        cmocka_unit_test(test_widths_are_those_of_the_fields),
        cmocka_unit_test(test_counters_stick_at_all_ones),
        cmocka_unit_test(test_setting_cuts_at_the_width),
        cmocka_unit_test(test_packets_count_for_their_bytes_and_kind),
        cmocka_unit_test(test_no_packet_is_missed_however_seldom_counters_are_looked_at),
        cmocka_unit_test(test_what_came_before_a_counter_was_set_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
