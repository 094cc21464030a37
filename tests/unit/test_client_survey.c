/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sweep and its counters side by side, in virtual time: who is dead is waited for once, who
 * answers late is read all the same, and what is wanted is chosen as it is found. */
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct lab {
    struct cf *cf;
    struct survey survey;
};

static struct lab *lab_at(const char *topology, const char *node)
{
    const struct weft_mad_agent_req gmp = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct lab *l = calloc(1, sizeof(*l));
    struct fabric_config c;

    assert_non_null(l);
    fabric_config_init(&c);
    c.up = true;
    c.agent_ns = 20 * WEFT_US;
    l->cf = cf_new(topology, &c, node);
    assert_int_equal(weft_mad_agent_add(l->cf->engine, &gmp, &l->survey.agent), 0);
    assert_int_equal(weft_sweep_new(NULL, l->cf->agent, NULL, &l->survey.sweep), 0);
    (void)weft_counters_config_init(&l->survey.config);
    return l;
}

static struct lab *lab_new(void)
{
    return lab_at(ff_two_hosts, "a");
}

static void lab_free(struct lab *l)
{
    (void)weft_counters_free(l->survey.counters);
    (void)weft_sweep_free(l->survey.sweep);
    cf_free(l->cf);
    free(l);
}

static enum weft_counters_state state_at(const struct lab *l, const char *name, uint8_t port)
{
    return weft_counters_state(l->survey.counters, cf_port(l->survey.sweep, name, port));
}

static void test_all_are_read_where_all_live(void **state)
{
    struct lab *l = lab_new();

    (void)state;
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(l->survey.verdict, 0);
    assert_int_equal(weft_counters_verdict(l->survey.counters), 0);
    assert_int_equal(state_at(l, "a", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(l, "b", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(l, "sw", 4), WEFT_COUNTERS_READ);
    assert_in_range(l->cf->now, 1, 5 * WEFT_MS);
    lab_free(l);
}

/* One after the other they would take 1.2 s. */
static void test_counters_are_read_while_the_dead_are_waited_for(void **state)
{
    struct lab *l = lab_new();

    (void)state;
    ff_command(l->cf->ff, "loss 100% on agent b");
    ff_command(l->cf->ff, "pma sw time 50ms");
    cf_drive_survey(l->cf, &l->survey);
    assert_true(weft_sweep_port(l->survey.sweep, cf_port(l->survey.sweep, "sw", 2))->mute_peer);
    assert_int_equal(state_at(l, "a", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(l, "sw", 2), WEFT_COUNTERS_READ);
    assert_in_range(l->cf->now, 900 * WEFT_MS, 910 * WEFT_MS);
    lab_free(l);
}

/* The counters of a and the switch are read by then, and nobody else is waited for. */
static void test_who_is_found_late_is_read_at_once(void **state)
{
    struct lab *l = lab_new();

    (void)state;
    ff_command(l->cf->ff, "loss 100% on agent b");
    ff_command(l->cf->ff, "after 300ms loss off on agent b");
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(state_at(l, "b", 1), WEFT_COUNTERS_READ);
    assert_in_range(l->cf->now, 300 * WEFT_MS, 400 * WEFT_MS);
    lab_free(l);
}

/* At the sweep's end, which a dead one keeps waiting, it would take longer than that. */
static void test_who_is_found_late_is_read_while_others_are_waited_for(void **state)
{
    struct lab *l = lab_at("fat-tree:hosts=324,radix=36", "host-00001");

    (void)state;
    ff_command(l->cf->ff, "pma host-00101 time 40ms");
    ff_command(l->cf->ff, "loss 100% on agent host-00100");
    ff_command(l->cf->ff, "loss 100% on agent host-00101");
    ff_command(l->cf->ff, "after 300ms loss off on agent host-00101");
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(state_at(l, "host-00101", 1), WEFT_COUNTERS_READ);
    assert_null(cf_node(l->survey.sweep, "host-00100"));
    assert_in_range(l->cf->now, 900 * WEFT_MS, 930 * WEFT_MS);
    lab_free(l);
}

/* A sweep's ports with other LIDs: all, or only one. */
static struct weft_sweep_prior *moved(const struct weft_sweep *s, uint32_t only)
{
    struct weft_sweep_prior *right = cf_known(s), *ret = cf_prior(weft_sweep_port_count(s));

    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(s, i);
        const struct weft_sweep_prior_port *k =
            weft_sweep_prior_find(right, weft_sweep_node(s, p->node)->guid, p->number);
        struct weft_sweep_prior_port wrong;

        if (!k || (only != WEFT_SWEEP_NONE && i != only))
            continue;
        wrong = *k;
        wrong.lid = (uint16_t)(wrong.lid + 1000);
        assert_int_equal(weft_sweep_prior_add(ret, &wrong), 0);
    }
    (void)weft_sweep_prior_free(right);
    return ret;
}

/* Reads a fat tree that is known from before, with a host that is dead.
 * Returns how long that takes. */
static weft_time read_known(struct lab *l, const struct weft_sweep_prior *known)
{
    weft_time begun = l->cf->now;

    weft_sweep_expect(l->survey.sweep, known);
    l->cf->ff->now = l->cf->now;
    ff_command(l->cf->ff, "loss 100% on agent host-00100");
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(state_at(l, "host-00300", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(l, "leaf-0006", 36), WEFT_COUNTERS_READ);
    return l->cf->now - begun;
}

/* What was taken over from before is as good as asked, while nothing speaks against it. */
static void test_what_is_known_is_read_while_the_dead_are_waited_for(void **state)
{
    (void)state;
    for (int doubt = 0; doubt < 2; doubt++) {
        struct lab *l = lab_at("fat-tree:hosts=324,radix=36", "host-00001");
        struct weft_sweep *before = cf_sweep(l->cf, NULL);
        /* With doubt nothing is taken over, so nothing is left to be asked. */
        struct weft_sweep_prior *known =
            doubt ? moved(before, cf_port(before, "leaf-0001", 0)) : cf_known(before);

        l->cf->ff->now = l->cf->now;
        ff_command(l->cf->ff, "pma host-00300 time 50ms");
        assert_in_range(read_known(l, known), 900 * WEFT_MS, 930 * WEFT_MS);
        (void)weft_sweep_free(before);
        lab_free(l);
        (void)weft_sweep_prior_free(known);
    }
}

/* Whoever is asked at an old LID would be waited for after the dead. */
static void test_nobody_is_asked_at_an_address_in_doubt(void **state)
{
    struct lab *l = lab_at("fat-tree:hosts=324,radix=36", "host-00001");
    struct weft_sweep *before = cf_sweep(l->cf, NULL);
    struct weft_sweep_prior *known = moved(before, WEFT_SWEEP_NONE);

    (void)state;
    assert_in_range(read_known(l, known), 900 * WEFT_MS, WEFT_S);
    (void)weft_sweep_free(before);
    lab_free(l);
    (void)weft_sweep_prior_free(known);
}

struct choice {
    const char *name;
    bool *wanted;
    unsigned calls;
};

static const bool *choose_by_name(void *self, const struct weft_sweep *s)
{
    struct choice *c = self;

    c->calls++;
    free(c->wanted);
    c->wanted = calloc(weft_sweep_port_count(s), sizeof(*c->wanted));
    assert_non_null(c->wanted);
    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++)
        c->wanted[i] = strcmp(weft_sweep_node(s, weft_sweep_port(s, i)->node)->name, c->name) == 0;
    return c->wanted;
}

static void test_what_is_wanted_is_chosen_again_when_more_is_known(void **state)
{
    struct choice choice = {.name = "b"};
    struct lab *l = lab_new();

    (void)state;
    l->survey.choose = choose_by_name;
    l->survey.chooser = &choice;
    ff_command(l->cf->ff, "loss 100% on agent b");
    ff_command(l->cf->ff, "after 300ms loss off on agent b");
    cf_drive_survey(l->cf, &l->survey);
    assert_in_range(choice.calls, 2, 10);
    assert_int_equal(state_at(l, "b", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(l, "a", 1), WEFT_COUNTERS_UNASKED);
    assert_int_equal(state_at(l, "sw", 1), WEFT_COUNTERS_UNASKED);
    free(choice.wanted);
    lab_free(l);
}

/* What counters hear themselves is no news, nor is silence. */
static void test_nothing_is_chosen_again_when_no_more_is_known(void **state)
{
    struct choice choice = {.name = "a"};
    struct lab *l = lab_new();

    (void)state;
    l->survey.choose = choose_by_name;
    l->survey.chooser = &choice;
    ff_command(l->cf->ff, "loss 100% on agent b");
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(state_at(l, "a", 1), WEFT_COUNTERS_READ);
    assert_int_equal(choice.calls, 2); /* when the dead are waited for, and at the end */
    free(choice.wanted);
    lab_free(l);
}

/* Each look at what is new costs as much as the fabric is large: while counters have something to
 * do they do that. */
static void test_two_who_are_found_while_counters_are_read_are_looked_at_together(void **state)
{
    struct choice choice = {.name = "host-00002"};
    struct lab *l = lab_at("fat-tree:hosts=324,radix=36", "host-00001");

    (void)state;
    l->survey.choose = choose_by_name;
    l->survey.chooser = &choice;
    ff_command(l->cf->ff, "pma host-00002 time 300ms");
    ff_command(l->cf->ff, "loss 100% on agent host-00100");
    ff_command(l->cf->ff, "loss 100% on agent host-00101");
    ff_command(l->cf->ff, "loss 100% on agent host-00102");
    ff_command(l->cf->ff, "after 150ms loss off on agent host-00101");
    ff_command(l->cf->ff, "after 350ms loss off on agent host-00102");
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(state_at(l, "host-00002", 1), WEFT_COUNTERS_READ);
    assert_non_null(cf_node(l->survey.sweep, "host-00101"));
    assert_non_null(cf_node(l->survey.sweep, "host-00102"));
    assert_int_equal(choice.calls, 2); /* at first, and at the end */
    free(choice.wanted);
    lab_free(l);
}

static const bool *choose_without_memory(void *self, const struct weft_sweep *s)
{
    unsigned *calls = self;

    (void)s;
    ++*calls;
    return NULL;
}

static void test_without_memory_to_choose_it_ends_with_the_sweep(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct lab *l = lab_new();
        unsigned calls = 0;

        l->survey.choose = choose_without_memory;
        l->survey.chooser = &calls;
        if (waits)
            ff_command(l->cf->ff, "loss 100% on agent b");
        cf_drive_survey(l->cf, &l->survey);
        assert_int_equal(l->survey.verdict, WEFT_ERR_NOMEM);
        assert_int_equal(weft_sweep_verdict(l->survey.sweep), 0);
        assert_null(l->survey.counters);
        assert_int_equal(calls, 1); /* and is not tried again */
        lab_free(l);
    }
}

static void test_an_own_node_that_is_silent_is_the_end(void **state)
{
    struct lab *l = lab_new();

    (void)state;
    ff_command(l->cf->ff, "loss 100% on agent a");
    cf_drive_survey(l->cf, &l->survey);
    assert_int_equal(weft_sweep_verdict(l->survey.sweep), WEFT_ERR_NOTFOUND);
    assert_null(l->survey.counters);
    lab_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_read_where_all_live),
        cmocka_unit_test(test_counters_are_read_while_the_dead_are_waited_for),
        cmocka_unit_test(test_who_is_found_late_is_read_at_once),
        cmocka_unit_test(test_who_is_found_late_is_read_while_others_are_waited_for),
        cmocka_unit_test(test_what_is_known_is_read_while_the_dead_are_waited_for),
        cmocka_unit_test(test_nobody_is_asked_at_an_address_in_doubt),
        cmocka_unit_test(test_what_is_wanted_is_chosen_again_when_more_is_known),
        cmocka_unit_test(test_nothing_is_chosen_again_when_no_more_is_known),
        cmocka_unit_test(test_two_who_are_found_while_counters_are_read_are_looked_at_together),
        cmocka_unit_test(test_without_memory_to_choose_it_ends_with_the_sweep),
        cmocka_unit_test(test_an_own_node_that_is_silent_is_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
