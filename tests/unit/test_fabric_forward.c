/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The way of a packet: directed routes, LIDs, and routes that are both. */
#include "core/wire/mad_header.h"
#include "fabric/forward.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NODE_INFO WEFT_ATTR_NODE_INFO
#define GET       WEFT_METHOD_GET

static struct ff *begin(const char *topology, weft_time hop_ns)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    c.hop_ns = hop_ns;
    return ff_new(topology, &c);
}

static uint16_t lid_of(const struct ff *ff, const char *name, uint8_t number)
{
    return port_lid(ff_port(ff, name, number));
}

static void set_route(const struct ff *ff, const char *name, uint16_t lid, uint8_t port)
{
    node_switch(ff->f, ff_node(ff, name))->lft[lid] = (uint8_t)~port;
}

/* An answer has come, from the agent or, where nobody knows the attribute, in its name. */
static void assert_answer(struct ff_program *p, const struct packet *request)
{
    struct packet answer;

    assert_true(ff_ask(p, request, &answer));
    assert_int_equal(mad_tid(answer.mad), mad_tid(request->mad));
    assert_int_equal(mad_method(answer.mad), WEFT_METHOD_GET_RESP);
}

static void assert_silence(struct ff_program *p, const struct packet *request)
{
    struct packet answer;

    assert_false(ff_ask(p, request, &answer));
}

static void test_directed_routes_of_all_lengths(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct ff_route routes[] = {FF_ROUTE_SELF,  FF_ROUTE(1),       FF_ROUTE(1, 2),
                                FF_ROUTE(1, 3), FF_ROUTE(1, 2, 1), FF_ROUTE(1, 2, 3, 2, 3, 2, 1)};

    (void)state;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        struct packet p = ff_directed(a, routes[i], GET, NODE_INFO, 0), answer;
        uint64_t hops = ff_stats(ff).hops;

        assert_true(ff_ask(a, &p, &answer));
        assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_HOP_POINTER], 0);
        assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT], routes[i].hops);
        assert_int_equal(answer.slid, WEFT_LID_PERMISSIVE);
        assert_int_equal(ff_stats(ff).hops, hops + 2U * routes[i].hops);
    }
    assert_int_equal(ff_stats(ff).dropped_route, 0);
    ff_free(ff);
}

static void test_directed_route_works_before_there_are_lids(void **state)
{
    struct ff *ff = ff_new(ff_chain, NULL);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_directed(a, FF_ROUTE(1, 2, 1), GET, NODE_INFO, 0);

    (void)state;
    assert_int_equal(lid_of(ff, "a", 1), 0);
    assert_answer(a, &p);
    ff_free(ff);
}

static void test_switch_program_reaches_every_port(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *s1 = ff_attach(ff, "s1");
    struct packet self = ff_directed(s1, FF_ROUTE_SELF, GET, NODE_INFO, 0);
    struct packet host = ff_directed(s1, FF_ROUTE(1), GET, NODE_INFO, 0);
    struct packet far = ff_directed(s1, FF_ROUTE(3, 1), GET, NODE_INFO, 0);
    struct packet by_lid = ff_lid_smp(s1, lid_of(ff, "b", 1), GET, NODE_INFO, 0);

    (void)state;
    assert_answer(s1, &self);
    assert_answer(s1, &host);
    assert_answer(s1, &far);
    assert_answer(s1, &by_lid);
    ff_free(ff);
}

static void test_directed_routes_that_lead_nowhere(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct ff_route bad[] = {FF_ROUTE(2), FF_ROUTE(1, 0), FF_ROUTE(1, 5), FF_ROUTE(1, 2, 1, 1)};
    struct packet p;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        p = ff_directed(a, bad[i], GET, NODE_INFO, 0);
        assert_silence(a, &p);
        assert_int_equal(ff_stats(ff).dropped_route, i + 1);
    }
    p = ff_directed(a, FF_ROUTE(1), GET, NODE_INFO, 0);
    p.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT] = 64;
    assert_silence(a, &p);
    p.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT] = 1;
    p.mad[WIRE_AT_SMP_DIRECTED_HOP_POINTER] = 1;
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 6);
    p = ff_directed(a, FF_ROUTE(1, 4), GET, NODE_INFO, 0);
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    assert_int_equal(ff_port(ff, "s1", 4)->counters.classic[COUNTER_XMIT_DISCARDS], 1);
    ff_free(ff);
}

static void test_lid_routes_to_hosts_and_switches(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet host = ff_lid_smp(a, lid_of(ff, "b", 1), GET, NODE_INFO, 0), answer;
    struct packet near = ff_lid_smp(a, lid_of(ff, "s1", 0), GET, NODE_INFO, 0);
    struct packet far = ff_lid_smp(a, lid_of(ff, "s2", 0), GET, NODE_INFO, 0);

    (void)state;
    assert_true(ff_ask(a, &host, &answer));
    assert_int_equal(answer.slid, lid_of(ff, "b", 1));
    assert_int_equal(answer.dlid, lid_of(ff, "a", 1));
    assert_answer(a, &near);
    assert_answer(a, &far);
    ff_free(ff);
}

static void test_own_node_is_reached_without_a_wire(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet smp = ff_lid_smp(a, lid_of(ff, "a", 1), GET, NODE_INFO, 0);
    struct packet gmp = ff_gmp(a, lid_of(ff, "a", 1), WEFT_CLASS_DEVICE, GET, 1, 0);

    (void)state;
    ff_port(ff, "a", 1)->cut = true;
    assert_answer(a, &smp);
    assert_answer(a, &gmp);
    assert_int_equal(ff_stats(ff).hops, 0);
    ff_free(ff);
}

static void test_lids_of_lmc(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet p, answer;

    (void)state;
    wire_set(WIRE_PORT_INFO_LID, b->info, 0x40);
    wire_set(WIRE_PORT_INFO_LMC, b->info, 2);
    wire_set(WIRE_PORT_INFO_LID, a->port->info, 0x50);
    wire_set(WIRE_PORT_INFO_LMC, a->port->info, 1);
    for (uint16_t lid = 0x40; lid <= 0x44; lid++) {
        set_route(ff, "s1", lid, 2);
        set_route(ff, "s2", lid, 1);
    }
    for (uint16_t lid = 0x50; lid <= 0x51; lid++) {
        set_route(ff, "s2", lid, 3);
        set_route(ff, "s1", lid, 1);
    }
    for (int i = 0; i < 2; i++) {
        struct switch_state *sw = node_switch(ff->f, ff_node(ff, i == 0 ? "s1" : "s2"));

        wire_set(WIRE_SWITCH_INFO_LINEAR_FDB_TOP, sw->info, 0x60);
    }
    for (uint16_t lid = 0x40; lid <= 0x43; lid++) {
        p = ff_lid_smp(a, lid, GET, NODE_INFO, 0);
        p.path_bits = 1;
        assert_true(ff_ask(a, &p, &answer));
        assert_int_equal(answer.slid, lid);
        assert_int_equal(answer.dlid, 0x51);
    }
    p = ff_lid_smp(a, 0x44, GET, NODE_INFO, 0);
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 1);
    ff_free(ff);
}

static void test_switch_without_a_route_counts_relay_errors(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *in = ff_port(ff, "s1", 1);
    uint16_t beyond = ff->f->config.lft_cap;
    struct {
        uint16_t lid;
        uint8_t port;
    } rows[] = {{lid_of(ff, "b", 1), 255}, /* "drop" */
                {lid_of(ff, "b", 1), 5},   /* no such port */
                {lid_of(ff, "b", 1), 0},   /* port 0 does not have this LID */
                {lid_of(ff, "b", 1), 1}};  /* back where it came from */
    struct packet p;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_route(ff, "s1", rows[i].lid, rows[i].port);
        p = ff_lid_smp(a, rows[i].lid, GET, NODE_INFO, 0);
        assert_silence(a, &p);
        assert_int_equal(in->counters.classic[COUNTER_RCV_SWITCH_RELAY_ERRORS], i + 1);
        assert_int_equal(ff_stats(ff).dropped_route, i + 1);
    }
    p = ff_lid_smp(a, beyond, GET, NODE_INFO, 0);
    assert_silence(a, &p);
    assert_int_equal(in->counters.classic[COUNTER_RCV_SWITCH_RELAY_ERRORS], 5);
    p = ff_lid_smp(a, 0, GET, NODE_INFO, 0);
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 6);
    ff_free(ff);
}

static void test_linear_fdb_top_ends_the_table(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    uint16_t lid = lid_of(ff, "b", 1);
    struct packet p = ff_lid_smp(a, lid, GET, NODE_INFO, 0);
    struct switch_state *sw = node_switch(ff->f, ff_node(ff, "s1"));

    (void)state;
    wire_set(WIRE_SWITCH_INFO_LINEAR_FDB_TOP, sw->info, lid - 1U);
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 1);
    ff_free(ff);
}

static void test_loop_of_switches_ends(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_lid_smp(a, 3, GET, NODE_INFO, 0);

    (void)state;
    p.dlid = 0x77;
    for (int i = 0; i < 2; i++)
        wire_set(WIRE_SWITCH_INFO_LINEAR_FDB_TOP,
                 node_switch(ff->f, ff_node(ff, i == 0 ? "s1" : "s2"))->info, 0x77);
    set_route(ff, "s1", 0x77, 2);
    set_route(ff, "s2", 0x77, 3);
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 1);
    assert_in_range(ff_stats(ff).hops, 64, 254);
    ff_free(ff);
}

static void test_host_takes_no_packet_for_another(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    uint16_t lid = lid_of(ff, "s2", 0);
    struct packet p = ff_lid_smp(a, lid, GET, NODE_INFO, 0);

    (void)state;
    set_route(ff, "s2", lid, 1);
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 1);
    ff_free(ff);
}

static void test_permissive_lid_reaches_the_neighbour_only(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a"), *s1 = ff_attach(ff, "s1");
    struct packet smp = ff_lid_smp(a, WEFT_LID_PERMISSIVE, GET, NODE_INFO, 0), answer;
    struct packet gmp = ff_gmp(a, WEFT_LID_PERMISSIVE, WEFT_CLASS_DEVICE, GET, 1, 0);
    struct packet homeless = ff_lid_smp(s1, WEFT_LID_PERMISSIVE, GET, NODE_INFO, 0);

    (void)state;
    assert_true(ff_ask(a, &smp, &answer));
    assert_int_equal(answer.slid, lid_of(ff, "s1", 0));
    assert_int_equal(ff_stats(ff).hops, 2);
    assert_silence(a, &gmp);
    assert_silence(s1, &homeless);
    assert_int_equal(ff_stats(ff).dropped_route, 2);
    ff_free(ff);
}

/* As ibportstate asks: by LID to a switch, then one hop to the neighbour of a port. */
static void test_combined_route_there_and_back(void **state)
{
    for (weft_time hop_ns = 0; hop_ns <= 100; hop_ns += 100) {
        struct ff *ff = begin(ff_chain, hop_ns);
        struct ff_program *a = ff_attach(ff, "a");
        struct packet p = ff_directed(a, FF_ROUTE(1), GET, NODE_INFO, 0), answer;

        (void)state;
        p.dlid = lid_of(ff, "s2", 0);
        wire_set(WIRE_SMP_DIRECTED_DR_SLID, p.mad, lid_of(ff, "a", 1));
        ff_send(a, &p);
        ff_advance(ff, 6 * hop_ns);
        assert_true(ff_receive(a, &answer));
        assert_int_equal(mad_tid(answer.mad), mad_tid(p.mad));
        assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_HOP_POINTER], 0);
        assert_int_equal(answer.mad[WIRE_AT_SMP_DIRECTED_RETURN_PATH + 1], 1);
        assert_int_equal(answer.slid, lid_of(ff, "s2", 0));
        assert_int_equal(ff_stats(ff).hops, 6);
        ff_free(ff);
    }
}

/* Directed to the first switch, then by LID to a node beyond. */
static void test_combined_route_that_ends_by_lid(void **state)
{
    static const char *const ends[] = {"b", "s2", "s1"};
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct packet p = ff_directed(a, FF_ROUTE(1), GET, NODE_INFO, 0);

        wire_set(WIRE_SMP_DIRECTED_DR_DLID, p.mad, lid_of(ff, ends[i], i == 0 ? 1 : 0));
        assert_answer(a, &p);
    }
    assert_int_equal(ff_stats(ff).dropped_route, 0);
    ff_free(ff);
}

static void test_combined_route_through_a_host_is_refused(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_directed(a, FF_ROUTE(1, 2, 1), GET, NODE_INFO, 0);

    (void)state;
    wire_set(WIRE_SMP_DIRECTED_DR_DLID, p.mad, lid_of(ff, "s1", 0));
    assert_silence(a, &p);
    p = ff_directed(a, FF_ROUTE(1), GET, NODE_INFO, 0);
    p.dlid = lid_of(ff, "b", 1);
    wire_set(WIRE_SMP_DIRECTED_DR_SLID, p.mad, lid_of(ff, "a", 1));
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_route, 2);
    ff_free(ff);
}

static void test_dead_node_sends_nothing(void **state)
{
    struct ff *ff = begin(ff_chain, 0);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_directed(a, FF_ROUTE_SELF, GET, NODE_INFO, 0);

    (void)state;
    ff_node(ff, "a")->dead = true;
    assert_silence(a, &p);
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    assert_int_equal(ff_stats(ff).sent, 1);
    ff_free(ff);
}

static void test_latency_of_the_whole_way(void **state)
{
    struct ff *ff = begin(ff_chain, 250);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_directed(a, FF_ROUTE(1, 2, 1), GET, NODE_INFO, 0), answer;

    (void)state;
    assert_silence(a, &p);
    ff_advance(ff, 6 * 250 - 1);
    assert_false(ff_receive(a, &answer));
    assert_int_equal(ff_stats(ff).flights, 1);
    ff_advance(ff, 1);
    assert_true(ff_receive(a, &answer));
    assert_int_equal(ff_stats(ff).flights, 0);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directed_routes_of_all_lengths),
        cmocka_unit_test(test_directed_route_works_before_there_are_lids),
        cmocka_unit_test(test_switch_program_reaches_every_port),
        cmocka_unit_test(test_directed_routes_that_lead_nowhere),
        cmocka_unit_test(test_lid_routes_to_hosts_and_switches),
        cmocka_unit_test(test_own_node_is_reached_without_a_wire),
        cmocka_unit_test(test_lids_of_lmc),
        cmocka_unit_test(test_switch_without_a_route_counts_relay_errors),
        cmocka_unit_test(test_linear_fdb_top_ends_the_table),
        cmocka_unit_test(test_loop_of_switches_ends),
        cmocka_unit_test(test_host_takes_no_packet_for_another),
        cmocka_unit_test(test_permissive_lid_reaches_the_neighbour_only),
        cmocka_unit_test(test_combined_route_there_and_back),
        cmocka_unit_test(test_combined_route_that_ends_by_lid),
        cmocka_unit_test(test_combined_route_through_a_host_is_refused),
        cmocka_unit_test(test_dead_node_sends_nothing),
        cmocka_unit_test(test_latency_of_the_whole_way),
    };

    return cmocka_run_group_tests_name("fabric_forward", tests, NULL, NULL);
}
