/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has happened between two looks: what is told of cables, and which ports have errors. */
#include "cli/counters_changes.h"
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two looks at a fabric, and what happened between them. */
struct lab {
    struct cf *cf;
    weft_mad_agent_id agent;
    struct counters_look old, new;
    struct counters_changes changes;
};

static struct counters_look look(struct lab *l)
{
    struct counters_look ret = {.sweep = cf_sweep(l->cf, NULL), .at = l->cf->now};

    assert_int_equal(
        weft_counters_new(ret.sweep, NULL, l->old.counters, l->agent, NULL, &ret.counters), 0);
    cf_drive_counters(l->cf, ret.counters);
    ret.wanted = malloc(weft_sweep_port_count(ret.sweep));
    assert_non_null(ret.wanted);
    memset(ret.wanted, true, weft_sweep_port_count(ret.sweep));
    return ret;
}

static struct lab lab_new(const char *topology, const char *before)
{
    const struct weft_mad_agent_req agent = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct lab l = {.cf = NULL};
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    l.cf = cf_new(topology, &c, "a");
    assert_int_equal(weft_mad_agent_add(l.cf->engine, &agent, &l.agent), 0);
    if (before)
        ff_command(l.cf->ff, before);
    l.old = look(&l);
    return l;
}

static void lab_look(struct lab *l, const char *happens)
{
    ff_command(l->cf->ff, happens);
    l->new = look(l);
    assert_true(counters_changes_init(&l->changes, &l->old, &l->new));
}

static void look_free(struct counters_look *l)
{
    free(l->wanted);
    (void)weft_counters_free(l->counters);
    (void)weft_sweep_free(l->sweep);
}

static void lab_free(struct lab *l)
{
    counters_changes_free(&l->changes);
    look_free(&l->new);
    look_free(&l->old);
    cf_free(l->cf);
}

static const struct counters_change *change_at(const struct lab *l, const char *name, uint8_t port)
{
    uint32_t wanted = cf_port(l->new.sweep, name, port);

    for (uint32_t i = 0; i < l->changes.count; i++)
        if (l->changes.ports[i].port == wanted)
            return &l->changes.ports[i];
    fail_msg("nothing is told of %s/%u", name, port);
    return NULL;
}

static bool is_noticed(const struct lab *l, const char *text)
{
    for (uint32_t i = 0; i < l->changes.notice_count; i++)
        if (strcmp(l->changes.notices[i], text) == 0)
            return true;
    return false;
}

/* Both ends of the cable are at the nodes where they were. */
static void test_a_cable_that_moves_to_another_port_of_its_node(void **state)
{
    struct lab l = lab_new(ff_chain, NULL);

    (void)state;
    lab_look(&l, "cable s2/2 move s2/4");
    assert_true(is_noticed(&l, "s1/2: cable moved from s2/2 to s2/4"));
    assert_true(is_noticed(&l, "s2/2: link down"));
    assert_true(is_noticed(&l, "s2/4: link up"));
    assert_int_equal(l.changes.notice_count, 3);
    lab_free(&l);
}

static void test_to_wait_is_no_error(void **state)
{
    struct lab l = lab_new(ff_two_hosts, NULL);

    (void)state;
    lab_look(&l, "counter sw/2 xmit_wait add 4000");
    assert_false(change_at(&l, "sw", 2)->has_errors);
    assert_int_equal(change_at(&l, "sw", 2)->errors, 0);
    assert_int_equal(change_at(&l, "sw", 2)->delta.value[WEFT_PMA_XMIT_WAIT], 4000);
    assert_int_equal(l.changes.notice_count, 0);
    assert_int_equal(l.changes.unread, 0);
    lab_free(&l);
}

static void test_errors_come_first(void **state)
{
    struct lab l = lab_new(ff_two_hosts, NULL);

    (void)state;
    lab_look(&l, "counter b/1 rcv_errors add 1");
    assert_int_equal(l.changes.ports[0].port, cf_port(l.new.sweep, "b", 1));
    assert_true(l.changes.ports[0].has_errors);
    assert_int_equal(l.changes.ports[0].errors, 1U << WEFT_PMA_RCV_ERRORS);
    assert_false(l.changes.ports[1].has_errors);
    lab_free(&l);
}

/* That somebody has reset counters is told, also where nothing was counted since. */
static void test_a_reset_is_told_like_an_error(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "counter sw/2 symbol_errors set 5");

    (void)state;
    lab_look(&l, "counter sw/2 symbol_errors set 0");
    assert_int_equal(l.changes.ports[0].port, cf_port(l.new.sweep, "sw", 2));
    assert_true(l.changes.ports[0].has_errors);
    assert_int_equal(l.changes.ports[0].errors, 0);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cable_that_moves_to_another_port_of_its_node),
        cmocka_unit_test(test_to_wait_is_no_error),
        cmocka_unit_test(test_errors_come_first),
        cmocka_unit_test(test_a_reset_is_told_like_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
