/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What commands do: to links, nodes, counters, keys and names, and what the SM is told. */
#include "fabric/command.h"
#include "fabric/link.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ff *start(const char *topology)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    return ff_new(topology, &c);
}

static uint64_t info(const struct ff *ff, const char *name, uint8_t number, enum wire_field_id id)
{
    return wire_get(id, ff_port(ff, name, number)->info);
}

static void test_a_cut_link_is_down_at_both_ends_until_it_is_mended(void **state)
{
    struct ff *ff = start(ff_chain);

    (void)state;
    ff_command(ff, "link s1/2 down");
    assert_int_equal(port_get_state(ff_port(ff, "s1", 2)), PORT_STATE_DOWN);
    assert_int_equal(port_get_state(ff_port(ff, "s2", 2)), PORT_STATE_DOWN);
    assert_int_equal(port_get_state(ff_port(ff, "s1", 3)), PORT_STATE_ACTIVE);
    assert_int_equal(ff_port(ff, "s1", 2)->counters.classic[COUNTER_LINK_DOWNED], 1);
    ff_command(ff, "link s1/2 down");
    assert_int_equal(ff_port(ff, "s1", 2)->counters.classic[COUNTER_LINK_DOWNED], 1);
    /* The other end names the same cable. */
    ff_command(ff, "link s2/2 up");
    assert_int_equal(port_get_state(ff_port(ff, "s1", 2)), PORT_STATE_INIT);
    assert_int_equal(port_get_state(ff_port(ff, "s2", 2)), PORT_STATE_INIT);
    assert_int_equal(info(ff, "s1", 2, WIRE_PORT_INFO_PHYSICAL_STATE), PORT_PHYSICAL_LINK_UP);
    ff_free(ff);
}

static void test_a_worn_cable_limits_width_and_speed(void **state)
{
    struct ff *ff = start(ff_chain);

    (void)state;
    ff_command(ff, "link s1/2 width 1x speed DDR");
    for (int end = 0; end < 2; end++) {
        const char *name = end == 0 ? "s1" : "s2";

        assert_int_equal(info(ff, name, 2, WIRE_PORT_INFO_LINK_WIDTH_ACTIVE), 1);
        assert_int_equal(info(ff, name, 2, WIRE_PORT_INFO_LINK_SPEED_ACTIVE), 2);
        assert_int_equal(info(ff, name, 2, WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE), 0);
        /* What the ports could do with a better cable stays. */
        assert_int_equal(info(ff, name, 2, WIRE_PORT_INFO_LINK_WIDTH_ENABLED), 3);
        assert_int_equal(info(ff, name, 2, WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED), 3);
        assert_int_equal(port_get_state(ff_port(ff, name, 2)), PORT_STATE_INIT);
        assert_int_equal(ff_port(ff, name, 2)->counters.classic[COUNTER_LINK_DOWNED], 1);
    }
    ff_command(ff, "link s1/2 speed FDR");
    assert_int_equal(info(ff, "s1", 2, WIRE_PORT_INFO_LINK_WIDTH_ACTIVE), 2);
    assert_int_equal(info(ff, "s1", 2, WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE), 1);
    ff_command(ff, "link s1/2 restore");
    assert_int_equal(info(ff, "s2", 2, WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE), 2);
    ff_free(ff);
}

static void test_a_dead_node_takes_its_links_down_and_keeps_silent(void **state)
{
    struct ff *ff = start(ff_chain);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet q = ff_directed(a, FF_ROUTE(1, 2), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    struct packet answer;
    struct fabric_node_info node;

    (void)state;
    assert_true(ff_ask(a, &q, &answer));
    ff_command(ff, "node s2 dead");
    fabric_node(ff->f, node_index(ff->f, ff_node(ff, "s2")), &node);
    assert_false(node.alive);
    assert_int_equal(port_get_state(ff_port(ff, "s1", 2)), PORT_STATE_DOWN);
    assert_int_equal(port_get_state(ff_port(ff, "s1", 3)), PORT_STATE_DOWN);
    assert_int_equal(port_get_state(ff_port(ff, "b", 1)), PORT_STATE_DOWN);
    assert_false(ff_ask(a, &q, &answer));
    ff_command(ff, "node s2 alive");
    assert_true(ff_ask(a, &q, &answer));
    ff_free(ff);
}

static void test_flags_and_tables_are_set(void **state)
{
    struct ff *ff = start(ff_two_hosts);

    (void)state;
    ff_command(ff, "sa b busy");
    assert_true(ff_node(ff, "b")->sa_busy);
    ff_command(ff, "sa b ok");
    assert_false(ff_node(ff, "b")->sa_busy);
    ff_command(ff, "pkey b/1 0 0x7fff");
    ff_command(ff, "pkey b/1 5 0x8001");
    assert_int_equal(port_pkey(ff->f, ff_port(ff, "b", 1), 0), 0x7FFF);
    assert_int_equal(port_pkey(ff->f, ff_port(ff, "b", 1), 5), 0x8001);
    ff_command(ff, "pkey sw/2 31 0x8002");
    assert_int_equal(port_pkey(ff->f, ff_port(ff, "sw", 2), 31), 0x8002);
    ff_command(ff, "counter b/1 symbol_errors set 65530");
    ff_command(ff, "counter b/1 symbol_errors add 10");
    assert_int_equal(ff_port(ff, "b", 1)->counters.classic[COUNTER_SYMBOL_ERRORS], 65535);
    assert_int_equal(ff_port(ff, "b", 1)->counters.wide[COUNTER_SYMBOL_ERRORS], 65540);
    ff_free(ff);
}

/* The SM is at b: whether it hears a trap of this number now. */
static bool heard(struct ff_program *sm, uint64_t number)
{
    struct packet p;

    while (ff_receive(sm, &p)) {
        if (p.mad[WIRE_AT_MAD_METHOD] == WEFT_METHOD_TRAP &&
            wire_get(WIRE_NOTICE_TRAP, ff_data(&p)) == number)
            return true;
    }
    return false;
}

/* An SM at b, as every port knows. */
static struct ff_program *attach_sm(struct ff *ff)
{
    struct ff_program *sm = ff_attach(ff, "b");

    ff_claim(sm, 0, WEFT_CLASS_SUBN_LID, 1, UINT64_C(1) << WEFT_METHOD_TRAP);
    for (uint32_t i = 0; i < ff->f->port_count; i++)
        wire_set(WIRE_PORT_INFO_MASTER_SM_LID, ff->f->ports[i].info, port_lid(sm->port));
    return sm;
}

static void test_traps_are_raised_by_hand(void **state)
{
    static const struct {
        const char *line;
        uint16_t number;
    } cases[] = {
        {"trap sw/1 128", 128}, {"trap a/1 129", 129},  {"trap sw/1 130", 130},
        {"trap a/1 131", 131},  {"trap a/1 144", 144},  {"trap sw/0 145", 145},
        {"trap a/1 256", 256},  {"trap sw/1 256", 256}, {"trap a/1 257", 257},
        {"trap a/1 258", 258},  {"trap sw/2 259", 259},
    };
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *sm = attach_sm(ff);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(heard(sm, cases[i].number));
        ff_command(ff, cases[i].line);
        ff_advance(ff, WEFT_S);
        if (!heard(sm, cases[i].number))
            fail_msg("nobody heard of: %s", cases[i].line);
        ff_free(ff);
        ff = start(ff_two_hosts);
        sm = attach_sm(ff);
    }
    ff_free(ff);
}

static void test_a_new_name_is_told_and_found(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *sm = attach_sm(ff);
    struct packet answer;

    (void)state;
    ff_command(ff, "name a \"host 7\"");
    ff_advance(ff, WEFT_S);
    assert_true(heard(sm, 144));
    answer = ff_get(sm, FF_ROUTE(1, 1), WEFT_ATTR_NODE_DESC, 0);
    assert_string_equal((const char *)ff_data(&answer), "host 7");
    ff_command(ff, "node \"host 7\" dead");
    assert_true(ff_node(ff, "host 7")->dead);
    ff_command(ff, "name sw \"\"");
    ff_command(ff, "name 0x10 spine");
    assert_true(heard(sm, 144));
    ff_free(ff);
}

static void test_a_cable_at_a_disabled_port_comes_with_a_remark(void **state)
{
    struct ff *ff = start(ff_chain);
    struct fabric_error error = {.text = "before"};

    (void)state;
    assert_int_equal(fabric_command(ff->f, ff->now, "link s1/2 up", &error), 0);
    assert_string_equal(error.text, "");
    assert_true(
        link_set_state(ff->f, ff_port(ff, "s2", 2), PORT_STATE_NOP, PORT_PHYSICAL_DISABLED));
    assert_int_equal(fabric_command(ff->f, ff->now, "link s1/2 down", &error), 0);
    assert_string_equal(error.text, "");
    /* Whichever end is named. */
    for (int end = 1; end <= 2; end++) {
        assert_int_equal(
            fabric_command(ff->f, ff->now, end == 1 ? "link s1/2 up" : "link s2/2 up", &error), 0);
        assert_non_null(strstr(error.text, "port 2 of \"s2\" was disabled"));
        assert_non_null(strstr(error.text, "ibportstate -D 0 2 enable"));
    }
    assert_int_equal(port_get_state(ff_port(ff, "s1", 2)), PORT_STATE_DOWN);
    ff_free(ff);
}

static void test_states_count_as_faults_once_however_often_they_are_said(void **state)
{
    static const struct {
        const char *line;
        uint32_t faults;
    } steps[] = {
        {"node a dead", 1},    {"node a dead", 1},         {"sa b busy", 2},
        {"link s1/2 down", 3}, {"link s2/2 down", 3},      {"link s1/2 width 1x", 4},
        {"clear", 4},          {"link s2/2 speed SDR", 4}, {"loss 1% on all", 5},
        {"link s1/2 up", 4},   {"link s1/2 restore", 3},   {"link s1/2 restore", 3},
        {"sa b ok", 2},        {"node a alive", 1},        {"loss off on all", 0},
    };
    struct ff *ff = start(ff_chain);

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct fabric_stats stats;

        ff_command(ff, steps[i].line);
        fabric_stats(ff->f, &stats);
        assert_int_equal(stats.faults, steps[i].faults);
    }
    ff_free(ff);
}

static void test_a_link_s_fault_counts_once_for_each_direction(void **state)
{
    struct ff *ff = start(ff_two_hosts);

    (void)state;
    ff_command(ff, "loss 5% on link sw/1");
    assert_int_equal(ff_stats(ff).faults, 2);
    ff_command(ff, "loss off on link a/1 out");
    assert_int_equal(ff_stats(ff).faults, 1);
    ff_command(ff, "loss 6% on link a/1");
    assert_int_equal(ff_stats(ff).faults, 2);
    ff_command(ff, "clear on link sw/1");
    assert_int_equal(ff_stats(ff).faults, 0);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cut_link_is_down_at_both_ends_until_it_is_mended),
        cmocka_unit_test(test_a_worn_cable_limits_width_and_speed),
        cmocka_unit_test(test_a_dead_node_takes_its_links_down_and_keeps_silent),
        cmocka_unit_test(test_flags_and_tables_are_set),
        cmocka_unit_test(test_traps_are_raised_by_hand),
        cmocka_unit_test(test_a_new_name_is_told_and_found),
        cmocka_unit_test(test_a_cable_at_a_disabled_port_comes_with_a_remark),
        cmocka_unit_test(test_states_count_as_faults_once_however_often_they_are_said),
        cmocka_unit_test(test_a_link_s_fault_counts_once_for_each_direction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
