/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/link.c: states of links, what both ends agree on, and who is told of a change. */
#include "fabric/link.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TRAINING (5 * WEFT_MS)

static void expect_state(const struct port *p, enum port_state state, enum port_physical physical)
{
    assert_int_equal(port_get_state(p), state);
    assert_int_equal(port_get_physical(p), physical);
}

/* Both ends of the cable at a port. */
static void expect_link(const struct ff *ff, const struct port *p, enum port_state state,
                        enum port_physical physical)
{
    expect_state(p, state, physical);
    expect_state(&ff->f->ports[p->peer], state, physical);
    ff_expect_waypoints(ff);
}

static bool state_change(const struct ff *ff, const char *name)
{
    const struct switch_state *s = node_switch(ff->f, ff_node(ff, name));

    return wire_get(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, s->info) != 0;
}

static void forget_state_change(struct ff *ff, const char *name)
{
    wire_set(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, node_switch(ff->f, ff_node(ff, name))->info, 0);
}

static void activate(struct ff *ff, struct port *p)
{
    struct port *peer = &ff->f->ports[p->peer];

    assert_true(link_set_state(ff->f, p, PORT_STATE_ARMED, PORT_PHYSICAL_NOP));
    assert_true(link_set_state(ff->f, peer, PORT_STATE_ARMED, PORT_PHYSICAL_NOP));
    assert_true(link_set_state(ff->f, p, PORT_STATE_ACTIVE, PORT_PHYSICAL_NOP));
    expect_link(ff, p, PORT_STATE_ACTIVE, PORT_PHYSICAL_LINK_UP);
}

static void cut(struct ff *ff, struct port *p, bool is_cut)
{
    p->cut = is_cut;
    ff->f->ports[p->peer].cut = is_cut;
    link_update(ff->f, p);
}

static void test_a_fresh_fabric_has_its_links_in_init(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    expect_link(ff, ff_port(ff, "a", 1), PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    expect_state(ff_port(ff, "sw", 3), PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    expect_state(ff_port(ff, "sw", 0), PORT_STATE_ACTIVE, PORT_PHYSICAL_LINK_UP);
    assert_false(state_change(ff, "sw"));
    assert_int_equal(ff_port(ff, "a", 1)->counters.wide[COUNTER_LINK_DOWNED], 0);
    assert_int_equal(ff_stats(ff).traps, 0);
    ff_free(ff);
}

static void test_smps_pass_from_init_on_and_others_when_both_ends_are_active(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1), *peer = &ff->f->ports[p->peer];

    (void)state;
    assert_true(link_carries(ff->f, p, true));
    assert_false(link_carries(ff->f, p, false));
    assert_false(link_carries(ff->f, ff_port(ff, "sw", 3), true));
    assert_false(link_carries(ff->f, ff_port(ff, "sw", 0), true));
    assert_true(link_set_state(ff->f, p, PORT_STATE_ARMED, PORT_PHYSICAL_NOP));
    assert_true(link_set_state(ff->f, p, PORT_STATE_ACTIVE, PORT_PHYSICAL_NOP));
    expect_state(p, PORT_STATE_ACTIVE, PORT_PHYSICAL_LINK_UP);
    expect_state(peer, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    assert_false(link_carries(ff->f, p, false));
    assert_false(link_carries(ff->f, peer, false));
    ff_expect_waypoints(ff);
    /* its first packet finds the neighbour Armed */
    assert_true(link_set_state(ff->f, peer, PORT_STATE_ARMED, PORT_PHYSICAL_NOP));
    expect_state(peer, PORT_STATE_ACTIVE, PORT_PHYSICAL_LINK_UP);
    assert_true(link_carries(ff->f, p, false));
    assert_true(link_carries(ff->f, peer, false));
    ff_expect_waypoints(ff);
    ff_free(ff);
}

/* Which states may be set in which: the rows of IBA 14.2.5.6. */
static void test_a_packet_meets_each_state_of_a_link_as_it_is(void **state)
{
    struct ff *ff = ff_new(ff_chain, NULL);
    struct port *p = ff_port(ff, "s1", 2), *end = ff_port(ff, "a", 1);
    struct waypoint *w = port_waypoint(ff->f, p);

    (void)state;
    ff_expect_waypoints(ff);
    assert_int_equal(w->flags, WAYPOINT_SMPS);
    activate(ff, p);
    assert_int_equal(w->flags, WAYPOINT_SMPS | WAYPOINT_DATA);
    cut(ff, p, true);
    ff_expect_waypoints(ff);
    assert_int_equal(w->flags, 0);
    cut(ff, p, false);
    ff_expect_waypoints(ff);
    assert_int_equal(w->flags, WAYPOINT_SMPS);
    wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, p->info, 1);
    link_note(ff->f, p);
    assert_int_equal(w->flags, WAYPOINT_SMPS | WAYPOINT_CHECKS);
    /* a host's port has none to enforce */
    wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_IN, end->info, 1);
    link_note(ff->f, end);
    assert_int_equal(port_waypoint(ff->f, end)->flags, WAYPOINT_SMPS);
    ff_expect_waypoints(ff);
    ff_free(ff);
}

static void test_only_legal_changes_are_allowed(void **state)
{
    static const struct {
        enum port_state now;
        bool down, init, armed, active;
    } rows[] = {
        {PORT_STATE_DOWN, true, false, false, false},
        {PORT_STATE_INIT, true, false, true, false},
        {PORT_STATE_ARMED, true, false, true, true},
        {PORT_STATE_ACTIVE, true, false, false, true},
    };
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        wire_set(WIRE_PORT_INFO_PORT_STATE, p->info, rows[i].now);
        assert_true(link_state_allowed(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_NOP));
        assert_int_equal(link_state_allowed(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_NOP),
                         rows[i].down);
        assert_int_equal(link_state_allowed(ff->f, p, PORT_STATE_INIT, PORT_PHYSICAL_NOP),
                         rows[i].init);
        assert_int_equal(link_state_allowed(ff->f, p, PORT_STATE_ARMED, PORT_PHYSICAL_NOP),
                         rows[i].armed);
        assert_int_equal(link_state_allowed(ff->f, p, PORT_STATE_ACTIVE, PORT_PHYSICAL_NOP),
                         rows[i].active);
    }
    for (int s = 5; s < 16; s++)
        assert_false(link_set_state(ff->f, p, (enum port_state)s, PORT_PHYSICAL_NOP));
    ff_free(ff);
}

static void test_physical_states_beyond_disabled_and_with_an_upward_change_are_refused(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);

    (void)state;
    for (int physical = 4; physical < 16; physical++)
        assert_false(link_state_allowed(ff->f, p, PORT_STATE_NOP, (enum port_physical)physical));
    assert_false(link_state_allowed(ff->f, p, PORT_STATE_ARMED, PORT_PHYSICAL_POLLING));
    assert_true(link_state_allowed(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_DISABLED));
    assert_true(link_state_allowed(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_SLEEP));
    ff_free(ff);
}

static void test_port_0_of_a_switch_is_always_active(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "sw", 0);

    (void)state;
    assert_true(link_set_state(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_NOP));
    assert_true(link_set_state(ff->f, p, PORT_STATE_ARMED, PORT_PHYSICAL_NOP));
    assert_true(link_set_state(ff->f, p, PORT_STATE_ACTIVE, PORT_PHYSICAL_NOP));
    assert_false(link_set_state(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_NOP));
    assert_false(link_set_state(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_DISABLED));
    link_update(ff->f, p);
    link_retrain(ff->f, p);
    expect_state(p, PORT_STATE_ACTIVE, PORT_PHYSICAL_LINK_UP);
    ff_free(ff);
}

static void test_a_port_set_down_trains_again_and_both_ends_come_back_in_init(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);

    (void)state;
    activate(ff, p);
    assert_true(link_set_state(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_NOP));
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    assert_int_equal(p->counters.wide[COUNTER_LINK_DOWNED], 1);
    assert_int_equal(ff->f->ports[p->peer].counters.wide[COUNTER_LINK_DOWNED], 1);
    assert_true(state_change(ff, "sw"));
    ff_free(ff);
}

static void test_a_disabled_port_stays_down_until_it_is_set_to_poll(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "sw", 1);
    struct port *host = &ff->f->ports[p->peer];

    (void)state;
    activate(ff, p);
    assert_true(link_set_state(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_DISABLED));
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_DISABLED);
    expect_state(host, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    assert_true(link_set_state(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_NOP));
    assert_true(link_set_state(ff->f, host, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING));
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_DISABLED);
    assert_true(link_set_state(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING));
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    assert_int_equal(p->counters.wide[COUNTER_LINK_DOWNED], 1);
    ff_free(ff);
}

static void test_a_port_without_a_cable_can_be_disabled_too(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "sw", 4);

    (void)state;
    assert_true(link_set_state(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_DISABLED));
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_DISABLED);
    assert_true(link_set_state(ff->f, p, PORT_STATE_NOP, PORT_PHYSICAL_POLLING));
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    assert_false(state_change(ff, "sw"));
    ff_free(ff);
}

static void test_a_port_that_is_down_rests_as_link_down_default_state_says(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);

    (void)state;
    wire_set(WIRE_PORT_INFO_LINK_DOWN_DEFAULT, p->info, PORT_PHYSICAL_SLEEP);
    cut(ff, p, true);
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_SLEEP);
    expect_state(&ff->f->ports[p->peer], PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    cut(ff, p, false);
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    ff_free(ff);
}

static void test_a_cut_cable_is_counted_and_told_once_by_each_switch(void **state)
{
    struct ff *ff = ff_new(ff_chain, NULL);
    struct port *p = ff_port(ff, "s1", 2);

    (void)state;
    activate(ff, p);
    cut(ff, p, true);
    link_update(ff->f, p);
    link_update(ff->f, &ff->f->ports[p->peer]);
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    assert_int_equal(p->counters.wide[COUNTER_LINK_DOWNED], 1);
    assert_int_equal(ff->f->ports[p->peer].counters.wide[COUNTER_LINK_DOWNED], 1);
    assert_true(state_change(ff, "s1"));
    assert_true(state_change(ff, "s2"));
    forget_state_change(ff, "s1");
    cut(ff, p, false);
    assert_true(state_change(ff, "s1"));
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    expect_link(ff, ff_port(ff, "s1", 3), PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    ff_free(ff);
}

static void test_links_of_a_dead_node_are_down_and_it_says_nothing(void **state)
{
    struct ff *ff = ff_new(ff_chain, NULL);
    struct node *n = ff_node(ff, "s2");
    struct port *p = ff_port(ff, "s1", 2);

    (void)state;
    n->dead = true;
    for (uint8_t i = 1; i <= n->ports; i++)
        link_update(ff->f, ff_port(ff, "s2", i));
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    expect_state(ff_port(ff, "b", 1), PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    assert_int_equal(p->counters.wide[COUNTER_LINK_DOWNED], 1);
    assert_int_equal(ff->f->ports[p->peer].counters.wide[COUNTER_LINK_DOWNED], 0);
    assert_true(state_change(ff, "s1"));
    assert_false(state_change(ff, "s2"));
    /* nobody brings it up against its death */
    assert_true(link_set_state(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING));
    expect_state(p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    n->dead = false;
    for (uint8_t i = 1; i <= n->ports; i++)
        link_update(ff->f, ff_port(ff, "s2", i));
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    ff_free(ff);
}

static struct ff *new_with_training(void)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.training_ns = TRAINING;
    return ff_new(ff_chain, &c);
}

static void test_training_takes_its_time(void **state)
{
    struct ff *ff = new_with_training();
    struct port *p = ff_port(ff, "s1", 2);

    (void)state;
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    assert_true(link_set_state(ff->f, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING));
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_TRAINING);
    assert_false(link_carries(ff->f, p, true));
    link_update(ff->f, p); /* does not begin it anew */
    assert_int_equal(fabric_deadline(ff->f), TRAINING);
    ff_advance(ff, TRAINING - 1);
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_TRAINING);
    ff_advance(ff, 1);
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    ff_free(ff);
}

static void test_a_training_that_is_broken_off_takes_its_whole_time_again(void **state)
{
    struct ff *ff = new_with_training();
    struct port *p = ff_port(ff, "s2", 3); /* the other end has the timer */

    (void)state;
    link_retrain(ff->f, p);
    ff_advance(ff, TRAINING - 1);
    cut(ff, p, true);
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    ff_advance(ff, 1);
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    cut(ff, p, false);
    ff_advance(ff, TRAINING - 1);
    cut(ff, p, true);
    cut(ff, p, false);
    ff_advance(ff, TRAINING - 1);
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_TRAINING);
    ff_advance(ff, 1);
    expect_link(ff, p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    assert_int_equal(p->counters.wide[COUNTER_LINK_DOWNED], 1);
    ff_free(ff);
}

static void test_a_training_fails_when_the_ends_have_come_to_disagree(void **state)
{
    struct ff *ff = new_with_training();
    struct port *p = ff_port(ff, "s1", 2);

    (void)state;
    link_retrain(ff->f, p);
    p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] = 8;
    ff_advance(ff, TRAINING);
    expect_link(ff, p, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    ff_free(ff);
}

/* What one word of a topology file means for a link, as its host sees it. */
struct word_case {
    const char *width, *speed;
    uint8_t active_width, active_speed, active_ext;
};

static void test_the_words_of_a_topology_give_widths_and_speeds(void **state)
{
    static const struct word_case cases[] = {
        {"1x", "SDR", 1, 1, 0},          {"4x", "DDR", 2, 2, 0},      {"8x", "QDR", 4, 4, 0},
        {"12x", "FDR10", 8, 4, 0},       {"2x", "FDR", 16, 4, 1},     {"4x", "EDR", 2, 4, 2},
        {"4x", "HDR", 2, 4, 4},          {"4x", "NDR", 2, 4, 8},      {"", "", 2, 4, 2},
        {"??", "???", 2, 4, 2},          {"4X", "hdr", 2, 4, 4},      {"4x", "53", 2, 4, 4},
        {"4x", "106.25", 2, 4, 8},       {"4x", "2.5", 2, 1, 0},      {"4x", "5.0", 2, 2, 0},
        {"4x", "14.0625", 2, 4, 1},      {"4x", "25.78125", 2, 4, 2}, {"4x", "10.0", 2, 4, 0},
        {"99999999999x", "-1", 2, 4, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct port a = {.number = 1}, b = {.number = 1};

        link_init(&a, cases[i].width, cases[i].speed);
        link_init(&b, "4x", "NDR");
        b.info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] = 0x1F;
        expect_state(&a, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
        link_begin(&a, &b);
        expect_state(&a, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
        assert_int_equal(a.info[WIRE_AT_PORT_INFO_LINK_WIDTH_ACTIVE], cases[i].active_width);
        assert_int_equal(wire_get(WIRE_PORT_INFO_LINK_SPEED_ACTIVE, a.info), cases[i].active_speed);
        assert_int_equal(wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, b.info),
                         cases[i].active_ext);
    }
}

static void test_the_best_of_what_both_ends_enable_is_taken(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);

    (void)state;
    p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] = 1;
    wire_set(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, p->info, 0);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_ENABLED, p->info, 3);
    link_retrain(ff->f, p);
    assert_int_equal(p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ACTIVE], 1);
    assert_int_equal(wire_get(WIRE_PORT_INFO_LINK_SPEED_ACTIVE, ff->f->ports[p->peer].info), 2);
    assert_int_equal(wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, p->info), 0);
    ff_free(ff);
}

static void test_ends_without_a_common_width_do_not_come_up(void **state)
{
    struct port a = {.number = 1}, b = {.number = 1};

    (void)state;
    link_init(&a, "4x", "EDR");
    link_init(&b, "4x", "EDR");
    a.info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] = 1;
    b.info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] = 2;
    link_begin(&a, &b);
    expect_state(&a, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
    expect_state(&b, PORT_STATE_DOWN, PORT_PHYSICAL_POLLING);
}

static void test_a_link_begins_with_the_mtu_and_vls_of_the_lesser_end(void **state)
{
    struct port a = {.number = 1}, b = {.number = 1};

    (void)state;
    link_init(&a, "", "");
    link_init(&b, "", "");
    wire_set(WIRE_PORT_INFO_MTU_CAP, b.info, 3);
    wire_set(WIRE_PORT_INFO_VL_CAP, a.info, 2);
    link_begin(&a, &b);
    assert_int_equal(wire_get(WIRE_PORT_INFO_NEIGHBOR_MTU, a.info), 3);
    assert_int_equal(wire_get(WIRE_PORT_INFO_NEIGHBOR_MTU, b.info), 3);
    assert_int_equal(wire_get(WIRE_PORT_INFO_OPERATIONAL_VLS, a.info), 2);
    assert_int_equal(wire_get(WIRE_PORT_INFO_OPERATIONAL_VLS, b.info), 2);
}

/* Trap 128 reaches the SM's program, and says which switch. */
static void test_a_switch_traps_a_change_to_the_sm(void **state)
{
    struct fabric_config c;
    struct ff *ff;
    struct ff_program *sm;
    struct packet trap;

    (void)state;
    fabric_config_init(&c);
    c.up = true;
    ff = ff_new(ff_chain, &c);
    sm = ff_attach(ff, "a");
    ff_claim(sm, WEFT_QP_SMI, WEFT_CLASS_SUBN_LID, 1, 1U << WEFT_METHOD_TRAP);
    for (int i = 1; i <= 2; i++) {
        struct port *p = ff_port(ff, i == 1 ? "s1" : "s2", 0);

        wire_set(WIRE_PORT_INFO_MASTER_SM_LID, p->info, port_lid(sm->port));
    }
    cut(ff, ff_port(ff, "s2", 1), true);
    ff_advance(ff, WEFT_S);
    assert_true(ff_receive(sm, &trap));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, ff_data(&trap)), 128);
    assert_int_equal(wire_get(WIRE_NOTICE_ISSUER_LID, ff_data(&trap)),
                     port_lid(ff_port(ff, "s2", 0)));
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fresh_fabric_has_its_links_in_init),
        cmocka_unit_test(test_smps_pass_from_init_on_and_others_when_both_ends_are_active),
        cmocka_unit_test(test_a_packet_meets_each_state_of_a_link_as_it_is),
        cmocka_unit_test(test_only_legal_changes_are_allowed),
        cmocka_unit_test(
            test_physical_states_beyond_disabled_and_with_an_upward_change_are_refused),
        cmocka_unit_test(test_port_0_of_a_switch_is_always_active),
        cmocka_unit_test(test_a_port_set_down_trains_again_and_both_ends_come_back_in_init),
        cmocka_unit_test(test_a_disabled_port_stays_down_until_it_is_set_to_poll),
        cmocka_unit_test(test_a_port_without_a_cable_can_be_disabled_too),
        cmocka_unit_test(test_a_port_that_is_down_rests_as_link_down_default_state_says),
        cmocka_unit_test(test_a_cut_cable_is_counted_and_told_once_by_each_switch),
        cmocka_unit_test(test_links_of_a_dead_node_are_down_and_it_says_nothing),
        cmocka_unit_test(test_training_takes_its_time),
        cmocka_unit_test(test_a_training_that_is_broken_off_takes_its_whole_time_again),
        cmocka_unit_test(test_a_training_fails_when_the_ends_have_come_to_disagree),
        cmocka_unit_test(test_the_words_of_a_topology_give_widths_and_speeds),
        cmocka_unit_test(test_the_best_of_what_both_ends_enable_is_taken),
        cmocka_unit_test(test_ends_without_a_common_width_do_not_come_up),
        cmocka_unit_test(test_a_link_begins_with_the_mtu_and_vls_of_the_lesser_end),
        cmocka_unit_test(test_a_switch_traps_a_change_to_the_sm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
