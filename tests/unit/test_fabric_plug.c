/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cables that are moved, removed and added: what both ends say, what goes with a cable, what is
 * refused, and scripts that do it at their times. */
#include "fabric/counters.h"
#include "fabric/fault.h"
#include "fabric/plug.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ff *start(weft_time training)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    c.training_ns = training;
    return ff_new(ff_chain, &c);
}

static uint64_t info(const struct ff *ff, const char *name, uint8_t number, enum wire_field_id id)
{
    return wire_get(id, ff_port(ff, name, number)->info);
}

static void is_state(const struct ff *ff, const char *name, uint8_t number, enum port_state state)
{
    assert_int_equal(port_get_state(ff_port(ff, name, number)), state);
}

static uint64_t downed(const struct ff *ff, const char *name, uint8_t number)
{
    return ff_port(ff, name, number)->counters.classic[COUNTER_LINK_DOWNED];
}

static bool joined(const struct ff *ff, const char *a, uint8_t a_port, const char *b,
                   uint8_t b_port)
{
    return ff_port(ff, a, a_port)->peer == port_index(ff->f, ff_port(ff, b, b_port)) &&
           ff_port(ff, b, b_port)->peer == port_index(ff->f, ff_port(ff, a, a_port));
}

static uint64_t state_change(const struct ff *ff, const char *name)
{
    return wire_get(WIRE_SWITCH_INFO_PORT_STATE_CHANGE,
                    node_switch(ff->f, ff_node(ff, name))->info);
}

static void clear_state_change(const struct ff *ff, const char *name)
{
    wire_set(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, node_switch(ff->f, ff_node(ff, name))->info, 0);
}

static int refused(struct ff *ff, const char *line, const char *why)
{
    struct fabric_error error = {.text = ""};
    int err = fabric_command(ff->f, ff->now, line, &error);

    if (err == 0 || !strstr(error.text, why))
        fail_msg("%s: \"%s\" does not say \"%s\"", line, error.text, why);
    return err;
}

static void lists(const struct ff *ff, const char *wanted)
{
    char text[1024];

    assert_true(fabric_faults_text(ff->f, text, sizeof(text)) < sizeof(text));
    assert_string_equal(text, wanted);
}

static void test_both_ends_go_down_and_the_new_link_trains(void **state)
{
    struct ff *ff = start(10 * WEFT_MS);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet answer;

    (void)state;
    clear_state_change(ff, "s1");
    clear_state_change(ff, "s2");
    ff_command(ff, "cable s2/2 move s2/4");
    assert_true(joined(ff, "s1", 2, "s2", 4));
    assert_int_equal(ff_port(ff, "s2", 2)->peer, FABRIC_NONE);
    is_state(ff, "s1", 2, PORT_STATE_DOWN);
    is_state(ff, "s2", 2, PORT_STATE_DOWN);
    assert_int_equal(info(ff, "s1", 2, WIRE_PORT_INFO_PHYSICAL_STATE), PORT_PHYSICAL_TRAINING);
    assert_int_equal(info(ff, "s2", 4, WIRE_PORT_INFO_PHYSICAL_STATE), PORT_PHYSICAL_TRAINING);
    assert_int_equal(info(ff, "s2", 2, WIRE_PORT_INFO_PHYSICAL_STATE), PORT_PHYSICAL_POLLING);
    assert_int_equal(downed(ff, "s1", 2), 1);
    assert_int_equal(downed(ff, "s2", 2), 1);
    assert_int_equal(downed(ff, "s2", 4), 0);
    assert_int_equal(state_change(ff, "s1"), 1);
    assert_int_equal(state_change(ff, "s2"), 1);
    clear_state_change(ff, "s1");
    ff_advance(ff, 10 * WEFT_MS - 1);
    is_state(ff, "s2", 4, PORT_STATE_DOWN);
    ff_advance(ff, 1);
    is_state(ff, "s1", 2, PORT_STATE_INIT);
    is_state(ff, "s2", 4, PORT_STATE_INIT);
    is_state(ff, "s2", 2, PORT_STATE_DOWN);
    assert_int_equal(state_change(ff, "s1"), 1);
    /* What comes out of the port by the old cable's number is the node behind the new one. */
    answer = ff_get(a, FF_ROUTE(1, 2), WEFT_ATTR_NODE_INFO, 0);
    assert_int_equal(wire_get(WIRE_NODE_INFO_LOCAL_PORT, ff_data(&answer)), 4);
    ff_free(ff);
}

static void test_a_host_that_moves_is_reached_by_its_new_port_only(void **state)
{
    struct ff *ff = start(0);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet old = ff_directed(a, FF_ROUTE(1, 2, 1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    struct packet answer;

    (void)state;
    ff_command(ff, "cable s2/1 move s1/4");
    answer = ff_get(a, FF_ROUTE(1, 4), WEFT_ATTR_NODE_INFO, 0);
    assert_int_equal(wire_get(WIRE_NODE_INFO_NODE_GUID, ff_data(&answer)), 0x30);
    assert_false(ff_ask(a, &old, &answer));
    /* The port's LID is its own, and stays. */
    assert_int_not_equal(port_lid(ff_port(ff, "b", 1)), 0);
    ff_command(ff, "cable s1/4 move s2/1");
    assert_true(ff_ask(a, &old, &answer));
    lists(ff, "");
    ff_free(ff);
}

/* The SM is at a: how many traps 128 it hears, and of which switches, by bit 1 for s1. */
static unsigned hears(struct ff_program *sm)
{
    unsigned from = 0;
    struct packet p;

    while (ff_receive(sm, &p)) {
        if (p.mad[WIRE_AT_MAD_METHOD] == WEFT_METHOD_TRAP &&
            wire_get(WIRE_NOTICE_TRAP, ff_data(&p)) == 128)
            from |= p.slid == port_lid(ff_port(sm->ff, "s1", 0)) ? 1 : 2;
    }
    return from;
}

static void test_switches_tell_the_sm(void **state)
{
    struct ff *ff = start(0);
    struct ff_program *sm = ff_attach(ff, "a");

    (void)state;
    ff_claim(sm, 0, WEFT_CLASS_SUBN_LID, 1, UINT64_C(1) << WEFT_METHOD_TRAP);
    for (uint32_t i = 0; i < ff->f->port_count; i++)
        wire_set(WIRE_PORT_INFO_MASTER_SM_LID, ff->f->ports[i].info, port_lid(sm->port));
    assert_int_equal(hears(sm), 0);
    ff_command(ff, "cable b/1 remove");
    ff_advance(ff, WEFT_S);
    assert_int_equal(hears(sm), 2);
    ff_command(ff, "cable b/1 add s1/4");
    ff_advance(ff, WEFT_S);
    assert_int_equal(hears(sm) & 1, 1);
    ff_free(ff);
}

static void test_a_cable_that_is_removed_leaves_both_ports_free(void **state)
{
    struct ff *ff = start(0);

    (void)state;
    ff_command(ff, "link s1/2 down");
    ff_command(ff, "link s1/2 width 1x");
    ff_command(ff, "loss 5% on link s1/2");
    lists(ff, "link \"s1\"/2 down\nlink \"s1\"/2 width 1x speed NDR\n"
              "loss 5% on link \"s1\"/2 out\nloss 5% on link \"s2\"/2 out\n");
    ff_command(ff, "cable s2/2 remove");
    lists(ff, "cable \"s1\"/2 remove\n");
    assert_int_equal(ff_stats(ff).faults, 1);
    assert_int_equal(downed(ff, "s1", 2), 1);
    is_state(ff, "s1", 2, PORT_STATE_DOWN);
    /* The next one is new. */
    ff_command(ff, "cable s1/2 add s2/4");
    is_state(ff, "s2", 4, PORT_STATE_INIT);
    assert_int_equal(info(ff, "s2", 4, WIRE_PORT_INFO_LINK_WIDTH_ACTIVE), 2);
    lists(ff, "cable \"s1\"/2 remove\ncable \"s1\"/2 add \"s2\"/4\n");
    assert_int_equal(ff_stats(ff).faults, 2);
    ff_free(ff);
}

static void test_what_is_said_of_a_cable_goes_with_it(void **state)
{
    struct ff *ff = start(0);

    (void)state;
    ff_command(ff, "link s1/2 width 1x speed SDR");
    ff_command(ff, "loss 5% on link s1/2");
    ff_command(ff, "delay 1ms on link s2/2 out replies");
    ff_command(ff, "link s1/2 down");
    ff_command(ff, "cable s2/2 move s2/4");
    lists(ff, "cable \"s1\"/2 remove\ncable \"s1\"/2 add \"s2\"/4\n"
              "link \"s1\"/2 width 1x speed SDR\n"
              "loss 5% on link \"s1\"/2 out\nloss 5% on link \"s2\"/4 out\n"
              "delay 1ms on link \"s2\"/4 out replies\n");
    assert_int_equal(ff_stats(ff).faults, 6);
    assert_int_equal(info(ff, "s2", 4, WIRE_PORT_INFO_LINK_WIDTH_ACTIVE), 1);
    assert_int_equal(ff_port(ff, "s2", 2)->cable_width, 0);
    ff_command(ff, "clear on link s1/2");
    ff_command(ff, "link s2/4 restore");
    ff_command(ff, "cable s2/4 move s2/2");
    lists(ff, "");
    assert_int_equal(ff_stats(ff).faults, 0);
    ff_free(ff);
}

static void test_a_disabled_port_keeps_the_new_link_down_and_is_named(void **state)
{
    struct ff *ff = start(0);
    struct fabric_error error = {.text = ""};

    (void)state;
    ff_port(ff, "s2", 4)->disabled = true;
    assert_int_equal(fabric_command(ff->f, ff->now, "cable s2/2 move s2/4", &error), 0);
    assert_non_null(strstr(error.text, "port 4 of \"s2\" was disabled"));
    is_state(ff, "s1", 2, PORT_STATE_DOWN);
    assert_int_equal(info(ff, "s2", 4, WIRE_PORT_INFO_PHYSICAL_STATE), PORT_PHYSICAL_DISABLED);
    ff_free(ff);
}

static void test_ports_that_cannot_be_are_refused_and_named(void **state)
{
    static const struct {
        const char *line, *why;
        int err;
    } cases[] = {
        {"cable s1/2 add s1/4", "port 2 of \"s1\" has a cable already", WEFT_ERR_CONFLICT},
        {"cable s1/4 add s1/2", "port 2 of \"s1\" has a cable already", WEFT_ERR_CONFLICT},
        {"cable s1/4 add s1/4", "port 4 of \"s1\" would be both ends", WEFT_ERR_CONFLICT},
        {"cable s1/2 move s2/3", "port 3 of \"s2\" has a cable already", WEFT_ERR_CONFLICT},
        {"cable s1/2 move s1/2", "port 2 of \"s1\" has a cable already", WEFT_ERR_CONFLICT},
        {"cable s1/2 move s2/2", "port 2 of \"s2\" has a cable already", WEFT_ERR_CONFLICT},
        {"cable s1/4 move s2/4", "port 4 of \"s1\" has no cable", WEFT_ERR_NOTFOUND},
        {"cable s1/4 remove", "port 4 of \"s1\" has no cable", WEFT_ERR_NOTFOUND},
        {"cable s1/0 add s2/4", "no cable at port 0: its ports are 1 to 4", WEFT_ERR_NOTFOUND},
        {"cable s1/2 move s2/0", "no cable at port 0: its ports are 1 to 4", WEFT_ERR_NOTFOUND},
        {"cable s1/2 move s2/5", "\"s2\" has no port 5", WEFT_ERR_NOTFOUND},
        {"cable s1/2 move s3/1", "no node \"s3\"", WEFT_ERR_NOTFOUND},
        {"cable s1/2", "the line ends where add, move or remove is expected", WEFT_ERR_FORMAT},
        {"cable s1/2 mvoe s2/4", "did you mean move?", WEFT_ERR_FORMAT},
        {"cable s1/2 move", "the line ends where NODE/PORT", WEFT_ERR_FORMAT},
        {"cable s1/2 remove s2/2", "stands where the line's end", WEFT_ERR_FORMAT},
    };
    struct ff *ff = start(0);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(refused(ff, cases[i].line, cases[i].why), cases[i].err);
    lists(ff, "");
    is_state(ff, "s1", 2, PORT_STATE_ACTIVE);
    ff_free(ff);
}

static void test_a_script_moves_a_cable_there_and_back(void **state)
{
    static const char script[] = "at 1s cable s2/2 move s2/4\n"
                                 "after 1s cable s2/4 move s1/4\n"
                                 "after 1s loss 5% on link s1/4 in\n"
                                 "after 1s cable s1/2 remove\n"
                                 "after 1s cable s1/4 add s2/2\n";
    struct ff *ff = start(0);
    struct fabric_error error = {.text = ""};
    uint32_t line = 0;

    (void)state;
    if (fabric_script(ff->f, ff->now, script, strlen(script), &line, &error) != 0)
        fail_msg("line %u: %s", line, error.text);
    ff_advance(ff, WEFT_S);
    assert_true(joined(ff, "s1", 2, "s2", 4));
    ff_advance(ff, WEFT_S);
    assert_true(joined(ff, "s1", 2, "s1", 4));
    ff_advance(ff, WEFT_S);
    lists(ff, "cable \"s1\"/2 remove\ncable \"s1\"/2 add \"s1\"/4\n"
              "loss 5% on link \"s1\"/2 out\n"
              "in 1.000s (cancel 4): after 1s cable s1/2 remove\n"
              "in 2.000s (cancel 5): after 1s cable s1/4 add s2/2\n");
    ff_advance(ff, 2 * WEFT_S);
    assert_true(joined(ff, "s1", 4, "s2", 2));
    lists(ff, "cable \"s1\"/2 remove\ncable \"s1\"/4 add \"s2\"/2\n");
    assert_int_equal(ff_stats(ff).refused, 0);
    ff_free(ff);
}

static void test_a_line_that_finds_no_cable_is_counted(void **state)
{
    static const char *const later[] = {"at 2s link s1/2 down",       "at 2s link s1/2 width 1x",
                                        "at 2s loss 1% on link s1/2", "at 2s clear on link s1/2",
                                        "at 2s cable s1/2 move s1/4", "at 2s cable s1/3 move s2/3"};
    struct ff *ff = start(0);

    (void)state;
    ff_command(ff, "at 1s cable s1/2 remove");
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
        ff_command(ff, later[i]);
    ff_advance(ff, WEFT_S);
    /* Lines wait that may bring one, but none has. */
    assert_int_equal(refused(ff, "link s1/2 down", "no cable"), WEFT_ERR_NOTFOUND);
    assert_int_equal(ff_stats(ff).refused, 1);
    ff_advance(ff, WEFT_S);
    assert_int_equal(ff_stats(ff).refused, 1 + sizeof(later) / sizeof(later[0]));
    lists(ff, "cable \"s1\"/2 remove\n");
    /* None waits any more: it is looked at when the line is read. */
    ff_command(ff, "at 1s cable s1/2 add s2/2");
    ff_command(ff, "at 2s link s1/2 down");
    ff_command(ff, "cancel all");
    assert_int_equal(refused(ff, "at 1s link s1/2 down", "has no cable at port 2"),
                     WEFT_ERR_NOTFOUND);
    ff_free(ff);
}

static void test_the_text_moves_the_cables_again(void **state)
{
    struct ff *ff = start(0), *again = start(0);
    struct fabric_error error = {.text = ""};
    char text[1024];
    uint32_t line = 0;

    (void)state;
    ff_command(ff, "cable s1/3 move s1/4");
    ff_command(ff, "cable b/1 remove");
    ff_command(ff, "cable s2/2 move s2/1");
    ff_command(ff, "cable s2/3 move s2/2");
    ff_command(ff, "cable b/1 add s2/4");
    ff_command(ff, "link b/1 down");
    assert_true(fabric_faults_text(ff->f, text, sizeof(text)) < sizeof(text));
    if (fabric_script(again->f, 0, text, strlen(text), &line, &error) != 0)
        fail_msg("line %u: %s", line, error.text);
    lists(again, text);
    for (uint32_t i = 0; i < ff->f->port_count; i++)
        assert_int_equal(ff->f->ports[i].peer, again->f->ports[i].peer);
    ff_free(ff);
    ff_free(again);
}

static void test_training_that_was_begun_elsewhere_ends_nothing(void **state)
{
    struct ff *ff = start(10 * WEFT_MS);

    (void)state;
    ff_command(ff, "cable s2/2 move s2/4");
    ff_advance(ff, 5 * WEFT_MS);
    ff_command(ff, "cable s1/2 move s1/4");
    ff_advance(ff, 5 * WEFT_MS);
    is_state(ff, "s1", 4, PORT_STATE_DOWN);
    is_state(ff, "s1", 2, PORT_STATE_DOWN);
    ff_advance(ff, 5 * WEFT_MS);
    is_state(ff, "s1", 4, PORT_STATE_INIT);
    is_state(ff, "s2", 4, PORT_STATE_INIT);
    is_state(ff, "s1", 2, PORT_STATE_DOWN);
    /* Only the link that was up has gone down. */
    assert_int_equal(downed(ff, "s1", 2), 1);
    assert_int_equal(downed(ff, "s2", 4), 0);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ends_go_down_and_the_new_link_trains),
        cmocka_unit_test(test_a_host_that_moves_is_reached_by_its_new_port_only),
        cmocka_unit_test(test_switches_tell_the_sm),
        cmocka_unit_test(test_a_cable_that_is_removed_leaves_both_ports_free),
        cmocka_unit_test(test_what_is_said_of_a_cable_goes_with_it),
        cmocka_unit_test(test_a_disabled_port_keeps_the_new_link_down_and_is_named),
        cmocka_unit_test(test_ports_that_cannot_be_are_refused_and_named),
        cmocka_unit_test(test_a_script_moves_a_cable_there_and_back),
        cmocka_unit_test(test_a_line_that_finds_no_cable_is_counted),
        cmocka_unit_test(test_the_text_moves_the_cables_again),
        cmocka_unit_test(test_training_that_was_begun_elsewhere_ends_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
