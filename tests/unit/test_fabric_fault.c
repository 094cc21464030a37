/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Faults in force: where they act, on what, how often, how they combine, and how they end. */
#include "fabric/fault.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ff *ff;
static struct packet request, reply;

static int start(void **state)
{
    (void)state;
    ff = ff_new(ff_chain, NULL);
    request.mad[WIRE_AT_MAD_METHOD] = WEFT_METHOD_GET;
    reply.mad[WIRE_AT_MAD_METHOD] = WEFT_METHOD_GET_RESP;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    ff_free(ff);
    return 0;
}

static void begin(const struct fault *fault)
{
    assert_int_equal(fault_begin(ff->f, fault), 0);
}

static struct fault loss(enum fault_place place, uint32_t where)
{
    return (struct fault){
        .kind = FAULT_LOSS, .place = place, .where = where, .share = FAULT_SHARE_ALL};
}

static uint32_t port(const char *name, uint8_t number)
{
    return port_index(ff->f, ff_port(ff, name, number));
}

/* Whether a packet that leaves the port for its cable is lost. */
static bool lost(const char *name, uint8_t number, const struct packet *p)
{
    return fault_on_link(ff->f, ff_port(ff, name, number), p).lost;
}

static void test_nothing_happens_without_a_fault(void **state)
{
    struct fault_fate fate;

    (void)state;
    assert_false(faults_any(ff->f));
    fate = fault_on_link(ff->f, ff_port(ff, "a", 1), &request);
    assert_true(!fate.lost && !fate.corrupt && fate.copies == 0 && fate.delay == 0);
}

static void test_a_link_has_two_directions(void **state)
{
    struct fault fault = loss(FAULT_ON_PORT, port("s1", 2));

    (void)state;
    begin(&fault);
    assert_true(faults_any(ff->f));
    assert_true(lost("s1", 2, &request));
    assert_false(lost("s2", 2, &request));
    assert_false(lost("s1", 3, &request));
    fault_end(ff->f, &fault);
    assert_false(faults_any(ff->f));
    assert_false(lost("s1", 2, &request));
}

static void test_a_node_s_fault_acts_on_all_its_links_both_ways(void **state)
{
    struct fault fault = loss(FAULT_ON_NODE, node_index(ff->f, ff_node(ff, "s1")));

    (void)state;
    begin(&fault);
    assert_true(lost("s1", 1, &request) && lost("a", 1, &request));
    assert_true(lost("s1", 3, &request) && lost("s2", 3, &request));
    assert_false(lost("s2", 1, &request) || lost("b", 1, &request));
    fault_end(ff->f, &fault);
}

/* A port without a cable, or with one to its own node, is not at two nodes. */
static void test_a_node_s_fault_acts_once_where_both_ends_are_the_node_s(void **state)
{
    struct fault fault = {.kind = FAULT_DELAY,
                          .place = FAULT_ON_NODE,
                          .where = node_index(ff->f, ff_node(ff, "s1")),
                          .share = FAULT_SHARE_ALL,
                          .delay_ns = 7};
    struct port *out = ff_port(ff, "s1", 2);
    const uint32_t peers[] = {out->peer, FABRIC_NONE, port("s1", 3), out->peer};

    (void)state;
    begin(&fault);
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        out->peer = peers[i];
        assert_int_equal(fault_on_link(ff->f, out, &request).delay, 7);
    }
    fault_end(ff->f, &fault);
}

static void test_an_agent_s_loss_is_of_what_has_come_to_it(void **state)
{
    struct fault at_node, at_agent;
    const struct node *a = ff_node(ff, "a");

    (void)state;
    at_agent = loss(FAULT_ON_AGENT, node_index(ff->f, a));
    begin(&at_agent);
    assert_true(fault_at_agent(ff->f, a));
    assert_false(lost("a", 1, &request));
    at_node = loss(FAULT_ON_NODE, at_agent.where);
    begin(&at_node);
    fault_end(ff->f, &at_agent);
    assert_false(fault_at_agent(ff->f, a));
    assert_true(lost("a", 1, &request));
    faults_clear(ff->f);
}

static void test_transit_is_between_switches(void **state)
{
    struct fault fault = loss(FAULT_ON_TRANSIT, 0);

    (void)state;
    begin(&fault);
    assert_true(lost("s1", 2, &request) && lost("s2", 3, &request));
    assert_false(lost("a", 1, &request) || lost("s1", 1, &request));
    fault_end(ff->f, &fault);
}

static void test_everywhere_is_everywhere(void **state)
{
    struct fault fault = loss(FAULT_ON_ALL, 0);

    (void)state;
    begin(&fault);
    assert_true(lost("s1", 2, &request) && lost("a", 1, &reply) && lost("s2", 1, &reply));
    fault_end(ff->f, &fault);
}

static void test_filters_tell_requests_from_replies(void **state)
{
    struct fault fault = loss(FAULT_ON_ALL, 0);
    struct packet repress = {.dlid = 1};

    (void)state;
    repress.mad[WIRE_AT_MAD_METHOD] = WEFT_METHOD_TRAP_REPRESS;
    fault.filter = FAULT_REQUESTS;
    begin(&fault);
    assert_true(lost("a", 1, &request));
    assert_false(lost("a", 1, &reply) || lost("a", 1, &repress));
    fault_end(ff->f, &fault);
    fault.filter = FAULT_REPLIES;
    begin(&fault);
    assert_false(lost("a", 1, &request));
    assert_true(lost("a", 1, &reply) && lost("a", 1, &repress));
    fault_end(ff->f, &fault);
}

static void test_shares_are_kept_within_what_chance_allows(void **state)
{
    struct fault fault = loss(FAULT_ON_ALL, 0);
    unsigned count = 0;

    (void)state;
    fault.share = 200000;
    begin(&fault);
    for (int i = 0; i < 10000; i++)
        count += lost("a", 1, &request) ? 1 : 0;
    /* 2000 expected, standard deviation 40 */
    assert_in_range(count, 1800, 2200);
    fault.share = 0;
    begin(&fault);
    assert_int_equal(ff->f->stats.faults, 1);
    for (int i = 0; i < 1000; i++)
        assert_false(lost("a", 1, &request));
    fault_end(ff->f, &fault);
}

static void test_the_kinds_combine(void **state)
{
    const struct fault faults[] = {
        {.kind = FAULT_DELAY, .place = FAULT_ON_ALL, .share = FAULT_SHARE_ALL, .delay_ns = 100},
        {.kind = FAULT_DELAY,
         .place = FAULT_ON_NODE,
         .where = node_index(ff->f, ff_node(ff, "s1")),
         .share = FAULT_SHARE_ALL,
         .delay_ns = 20},
        {.kind = FAULT_REORDER, .place = FAULT_ON_ALL, .share = FAULT_SHARE_ALL, .delay_ns = 3},
        {.kind = FAULT_DUPLICATE, .place = FAULT_ON_ALL, .share = FAULT_SHARE_ALL},
        {.kind = FAULT_CORRUPT, .place = FAULT_ON_ALL, .share = FAULT_SHARE_ALL},
    };
    struct fault_fate fate;

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        begin(&faults[i]);
    fate = fault_on_link(ff->f, ff_port(ff, "a", 1), &request);
    assert_true(fate.delay == 123 && fate.copies == 1 && fate.corrupt && !fate.lost);
    faults_clear(ff->f);
    assert_int_equal(ff->f->stats.faults, 0);
    fate = fault_on_link(ff->f, ff_port(ff, "a", 1), &request);
    assert_true(fate.delay == 0 && fate.copies == 0 && !fate.corrupt);
}

static void test_jitter_is_spread_over_its_range(void **state)
{
    struct fault fault = {.kind = FAULT_DELAY,
                          .place = FAULT_ON_ALL,
                          .share = FAULT_SHARE_ALL,
                          .delay_ns = 1000,
                          .jitter_ns = 9};
    unsigned seen[10] = {0};

    (void)state;
    begin(&fault);
    for (int i = 0; i < 1000; i++) {
        weft_time delay = fault_on_link(ff->f, ff_port(ff, "a", 1), &request).delay;

        assert_in_range(delay, 1000, 1009);
        seen[delay - 1000]++;
    }
    for (int i = 0; i < 10; i++)
        assert_true(seen[i] > 50);
    faults_clear(ff->f);
}

static void test_equal_seeds_draw_equally(void **state)
{
    struct fault fault = loss(FAULT_ON_ALL, 0);
    struct prng before = ff->f->prng;
    bool first[200];

    (void)state;
    fault.share = 500000;
    begin(&fault);
    for (int i = 0; i < 200; i++)
        first[i] = lost("a", 1, &request);
    ff->f->prng = before;
    for (int i = 0; i < 200; i++)
        assert_int_equal(lost("a", 1, &request), first[i]);
    faults_clear(ff->f);
}

static void test_a_fault_replaces_its_like_and_no_other(void **state)
{
    struct fault fault = loss(FAULT_ON_ALL, 0), other;

    (void)state;
    begin(&fault);
    assert_true(fault_in_force(ff->f, &fault));
    fault.share = 0;
    begin(&fault);
    assert_int_equal(ff->f->stats.faults, 1);
    assert_false(lost("a", 1, &request));
    other = fault;
    other.filter = FAULT_REPLIES;
    assert_false(fault_in_force(ff->f, &other));
    begin(&other);
    other.kind = FAULT_CORRUPT;
    begin(&other);
    assert_int_equal(ff->f->stats.faults, 3);
    /* One filter, then all of a kind, then all. */
    other.kind = FAULT_LOSS;
    fault_end(ff->f, &other);
    assert_int_equal(ff->f->stats.faults, 2);
    begin(&other);
    fault_end(ff->f, &fault);
    assert_int_equal(ff->f->stats.faults, 1);
    fault.kind = FAULT_KINDS;
    fault_end(ff->f, &fault);
    assert_int_equal(ff->f->stats.faults, 0);
    fault_end(ff->f, &fault);
}

static void test_the_table_is_bounded_and_used_again(void **state)
{
    struct fabric_config c;
    struct fault fault = {.share = 1};
    struct ff *large;
    uint32_t pos = 0, count = 0;

    (void)state;
    fabric_config_init(&c);
    large = ff_new("fat-tree:hosts=648,radix=36", &c);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < FAULTS_MAX; i++) {
            fault.kind = (enum fault_kind)(i % FAULT_KINDS);
            fault.filter = (enum fault_filter)(i / FAULT_KINDS % 3);
            fault.where = i / FAULT_KINDS / 3;
            assert_int_equal(faults_room(large->f), FAULTS_MAX - i);
            assert_int_equal(fault_begin(large->f, &fault), 0);
        }
        fault.where++;
        assert_int_equal(faults_room(large->f), 0);
        assert_int_equal(fault_begin(large->f, &fault), WEFT_ERR_FULL);
        faults_clear(large->f);
        assert_false(faults_any(large->f));
    }
    assert_null(faults_next(large->f, &pos));
    fault_begin(large->f, &fault);
    for (pos = 0; faults_next(large->f, &pos);)
        count++;
    assert_int_equal(count, 1);
    ff_free(large);
}

/* A fault's effect on real packets, end to end. */
static void test_packets_suffer(void **state)
{
    struct ff_program *a = ff_attach(ff, "a");
    struct packet q = ff_directed(a, FF_ROUTE(1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0), answer;

    (void)state;
    assert_true(ff_ask(a, &q, &answer));
    ff_command(ff, "loss 100% on link s1/1 out");
    assert_false(ff_ask(a, &q, &answer));
    assert_int_equal(ff_stats(ff).dropped_lost, 1);
    ff_command(ff, "clear on link s1/1");
    ff_command(ff, "delay 5ms on link s1/1");
    assert_false(ff_ask(a, &q, &answer));
    ff_advance(ff, 10 * WEFT_MS - 1);
    assert_false(ff_receive(a, &answer));
    ff_advance(ff, 1);
    assert_true(ff_receive(a, &answer));
    ff_command(ff, "clear");
    ff_command(ff, "duplicate 100% on link s1/1 in");
    assert_true(ff_ask(a, &q, &answer));
    assert_true(ff_receive(a, &answer));
    assert_false(ff_receive(a, &answer));
    ff_command(ff, "clear");
    ff_command(ff, "corrupt 100% on link a/1 out");
    assert_false(ff_ask(a, &q, &answer));
    assert_int_equal(ff_port(ff, "s1", 1)->counters.classic[COUNTER_RCV_ERRORS], 1);
    ff_command(ff, "clear");
    ff_detach(a);
}

static void test_packets_overtake(void **state)
{
    struct ff_program *a = ff_attach(ff, "a");
    unsigned overtaken = 0;
    uint64_t last = 0;
    struct packet answer;

    (void)state;
    ff_command(ff, "reorder 30% by 1ms on link a/1 out");
    for (int i = 0; i < 100; i++) {
        struct packet q = ff_directed(a, FF_ROUTE(1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        ff_send(a, &q);
        ff_advance(ff, 100 * WEFT_US);
    }
    ff_advance(ff, 2 * WEFT_MS);
    for (int i = 0; i < 100; i++) {
        uint64_t tid;

        assert_true(ff_receive(a, &answer));
        tid = wire_get(WIRE_MAD_TID, answer.mad);
        overtaken += tid < last ? 1 : 0;
        last = tid;
    }
    assert_in_range(overtaken, 10, 50);
    ff_command(ff, "clear");
    ff_detach(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_happens_without_a_fault),
        cmocka_unit_test(test_a_link_has_two_directions),
        cmocka_unit_test(test_a_node_s_fault_acts_on_all_its_links_both_ways),
        cmocka_unit_test(test_a_node_s_fault_acts_once_where_both_ends_are_the_node_s),
        cmocka_unit_test(test_an_agent_s_loss_is_of_what_has_come_to_it),
        cmocka_unit_test(test_transit_is_between_switches),
        cmocka_unit_test(test_everywhere_is_everywhere),
        cmocka_unit_test(test_filters_tell_requests_from_replies),
        cmocka_unit_test(test_shares_are_kept_within_what_chance_allows),
        cmocka_unit_test(test_the_kinds_combine),
        cmocka_unit_test(test_jitter_is_spread_over_its_range),
        cmocka_unit_test(test_equal_seeds_draw_equally),
        cmocka_unit_test(test_a_fault_replaces_its_like_and_no_other),
        cmocka_unit_test(test_the_table_is_bounded_and_used_again),
        cmocka_unit_test(test_packets_suffer),
        cmocka_unit_test(test_packets_overtake),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
