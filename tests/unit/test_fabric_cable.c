/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One cable: link state, latency, faults, counters. */
#include "core/wire/mad_header.h"
#include "fabric/cable.h"
#include "fabric/counters.h"
#include "fabric/fault.h"
#include "fabric/flight.h"
#include "fabric/link.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct ff *begin(weft_time hop_ns)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    c.hop_ns = hop_ns;
    return ff_new(ff_two_hosts, &c);
}

static struct packet gmp(const struct ff *ff)
{
    struct packet p = {.dlid = port_lid(ff_port(ff, "b", 1)),
                       .src_qpn = WEFT_QP_GSI,
                       .dst_qpn = WEFT_QP_GSI,
                       .qkey = WEFT_QKEY_GSI,
                       .pkey = 0xFFFF};

    mad_set_base_version(p.mad, 1);
    mad_set_class(p.mad, WEFT_CLASS_CM);
    mad_set_method(p.mad, WEFT_METHOD_SEND);
    return p;
}

static void put_in_force(struct ff *ff, enum fault_kind kind, weft_time delay_ns)
{
    struct fault fault = {.kind = kind,
                          .place = FAULT_ON_PORT,
                          .where = port_index(ff->f, ff_port(ff, "a", 1)),
                          .share = FAULT_SHARE_ALL,
                          .delay_ns = delay_ns};

    assert_int_equal(fault_begin(ff->f, &fault), 0);
}

/* Sends a packet over the cable of a port.
 * @return the port where it is at once, or NULL */
static struct port *cross(struct ff *ff, struct port *out, struct packet *p)
{
    struct waypoint *at = cable_cross(ff->f, port_waypoint(ff->f, out), p);

    return at ? waypoint_port(ff->f, at) : NULL;
}

static uint64_t counted(struct ff *ff, struct port *p, enum counter c)
{
    counters_settle(ff->f, p);
    return p->counters.classic[c];
}

static void test_packet_crosses_at_once_and_is_counted_at_both_ends(void **state)
{
    struct ff *ff = begin(0);
    struct port *out = ff_port(ff, "a", 1), *in = ff_port(ff, "sw", 1);
    struct packet p = gmp(ff);

    (void)state;
    assert_ptr_equal(cross(ff, out, &p), in);
    assert_int_equal(counted(ff, out, COUNTER_XMIT_PACKETS), 1);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 1);
    assert_int_equal(counted(ff, out, COUNTER_XMIT_DATA), counted(ff, in, COUNTER_RCV_DATA));
    assert_int_equal(ff_stats(ff).hops, 1);
    ff_free(ff);
}

static void test_latency_of_a_link(void **state)
{
    struct ff *ff = begin(500);
    struct port *out = ff_port(ff, "a", 1), *in = ff_port(ff, "sw", 1);
    struct packet p = gmp(ff);

    (void)state;
    assert_null(cross(ff, out, &p));
    assert_int_equal(flights_deadline(ff->f), 500);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 0);
    ff_advance(ff, 500);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 1);
    ff_free(ff);
}

static void test_port_that_is_down_discards(void **state)
{
    struct ff *ff = begin(0);
    struct port *out = ff_port(ff, "sw", 3);
    struct packet p = gmp(ff);

    (void)state;
    assert_null(cross(ff, out, &p));
    assert_int_equal(counted(ff, out, COUNTER_XMIT_DISCARDS), 1);
    assert_int_equal(counted(ff, out, COUNTER_XMIT_PACKETS), 0);
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    ff_free(ff);
}

static void test_link_in_init_carries_smps_only(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *out = ff_port(ff, "a", 1);
    struct packet p = gmp(ff);

    (void)state;
    assert_null(cross(ff, out, &p));
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    p.src_qpn = p.dst_qpn = WEFT_QP_SMI;
    assert_non_null(cross(ff, out, &p));
    ff_free(ff);
}

static void test_packet_that_goes_round_ends(void **state)
{
    struct ff *ff = begin(0);
    struct port *out = ff_port(ff, "a", 1);
    struct packet p = gmp(ff);

    (void)state;
    for (int i = 0; i < CABLE_HOPS_MAX; i++)
        assert_non_null(cross(ff, out, &p));
    assert_null(cross(ff, out, &p));
    assert_int_equal(ff_stats(ff).dropped_route, 1);
    ff_free(ff);
}

static void test_loss(void **state)
{
    struct ff *ff = begin(0);
    struct port *out = ff_port(ff, "a", 1), *in = ff_port(ff, "sw", 1);
    struct packet p = gmp(ff);

    (void)state;
    put_in_force(ff, FAULT_LOSS, 0);
    assert_null(cross(ff, out, &p));
    assert_int_equal(ff_stats(ff).dropped_lost, 1);
    assert_int_equal(counted(ff, out, COUNTER_XMIT_PACKETS), 1);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 0);
    ff_free(ff);
}

static void test_corruption_is_found_by_the_receiver(void **state)
{
    struct ff *ff = begin(0);
    struct port *out = ff_port(ff, "a", 1), *in = ff_port(ff, "sw", 1);
    struct packet p = gmp(ff);

    (void)state;
    put_in_force(ff, FAULT_CORRUPT, 0);
    assert_null(cross(ff, out, &p));
    assert_int_equal(ff_stats(ff).dropped_lost, 1);
    assert_int_equal(counted(ff, in, COUNTER_RCV_ERRORS), 1);
    assert_int_equal(counted(ff, in, COUNTER_SYMBOL_ERRORS), 1);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 0);
    ff_free(ff);
}

static void test_duplicate_arrives_behind_the_packet(void **state)
{
    struct ff *ff = begin(0);
    struct port *out = ff_port(ff, "a", 1), *in = ff_port(ff, "sw", 1);
    struct packet p = gmp(ff);

    (void)state;
    put_in_force(ff, FAULT_DUPLICATE, 0);
    assert_ptr_equal(cross(ff, out, &p), in);
    assert_int_equal(ff_stats(ff).flights, 1);
    flights_run(ff->f);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 2);
    assert_int_equal(counted(ff, out, COUNTER_XMIT_PACKETS), 1);
    assert_int_equal(ff_stats(ff).flights, 0);
    ff_free(ff);
}

static void set_route(struct ff *ff, const char *name, uint16_t lid, uint8_t port)
{
    node_switch(ff->f, ff_node(ff, name))->lft[lid] = (uint8_t)~port;
}

static void test_a_copy_is_not_copied_again(void **state)
{
    struct fabric_config c;
    struct ff_program *a;
    struct packet p, answer;
    uint16_t lid;
    struct ff *ff;

    (void)state;
    fabric_config_init(&c);
    c.up = true;
    ff = ff_new(ff_chain, &c);
    a = ff_attach(ff, "a");
    lid = port_lid(ff_port(ff, "b", 1));
    p = ff_lid_smp(a, lid, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    ff_command(ff, "duplicate 100% on all");
    /* the packet and a copy from each of three cables, and of each of the four answers as many */
    ff_send(a, &p);
    assert_int_equal(ff_stats(ff).answered, 4);
    for (int i = 0; i < 16; i++)
        assert_true(ff_receive(a, &answer));
    assert_false(ff_receive(a, &answer));
    /* round and round over both cables between the switches, each copy at most as long */
    set_route(ff, "s1", lid, 2);
    set_route(ff, "s2", lid, 3);
    ff_send(a, &p);
    assert_true(ff_stats(ff).hops < (CABLE_HOPS_MAX + 1) * (CABLE_HOPS_MAX + 1));
    assert_int_equal(ff_stats(ff).dropped_route, CABLE_HOPS_MAX + 1);
    assert_int_equal(ff_stats(ff).flights, 0);
    ff_free(ff);
}

/* Until the first cable the byte that tells copies says which function sends an SMP. */
static void test_what_any_function_sends_is_copied(void **state)
{
    struct fabric_config c;
    struct ff *ff;

    (void)state;
    fabric_config_init(&c);
    c.up = true;
    c.vfs = 2;
    ff = ff_new(ff_two_hosts, &c);
    ff_command(ff, "duplicate 100% on link sw/2");
    ff_command(ff, "vf a 1 smp on");
    ff_command(ff, "vf a 2 smp on");
    for (uint16_t function = 0; function <= 2; function++) {
        struct ff_program *a = ff_attach_function(ff, "a", function);
        struct packet p =
            ff_lid_smp(a, port_lid(ff_port(ff, "b", 1)), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
        uint64_t before = ff_stats(ff).answered;

        ff_send(a, &p);
        assert_int_equal(ff_stats(ff).answered - before, 2);
        ff_detach(a);
    }
    ff_free(ff);
}

static void test_delay_adds_to_latency(void **state)
{
    struct ff *ff = begin(500);
    struct port *out = ff_port(ff, "a", 1);
    struct packet p = gmp(ff);

    (void)state;
    put_in_force(ff, FAULT_DELAY, 7000);
    assert_null(cross(ff, out, &p));
    assert_int_equal(flights_deadline(ff->f), 7500);
    ff_free(ff);
}

static void test_node_that_died_takes_nothing(void **state)
{
    struct ff *ff = begin(0);
    struct port *in = ff_port(ff, "b", 1);
    struct packet p = gmp(ff);

    (void)state;
    ff_node(ff, "b")->dead = true;
    assert_false(cable_arrive(ff->f, port_waypoint(ff->f, in), &p));
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 0);
    ff_free(ff);
}

static void test_link_that_went_down_meanwhile_loses_the_packet(void **state)
{
    struct ff *ff = begin(500);
    struct port *out = ff_port(ff, "a", 1), *in = ff_port(ff, "sw", 1);
    struct packet p = gmp(ff);

    (void)state;
    assert_null(cross(ff, out, &p));
    out->cut = in->cut = true;
    link_update(ff->f, out);
    ff_advance(ff, 500);
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    assert_int_equal(counted(ff, in, COUNTER_RCV_PACKETS), 0);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packet_crosses_at_once_and_is_counted_at_both_ends),
        cmocka_unit_test(test_latency_of_a_link),
        cmocka_unit_test(test_port_that_is_down_discards),
        cmocka_unit_test(test_link_in_init_carries_smps_only),
        cmocka_unit_test(test_packet_that_goes_round_ends),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_corruption_is_found_by_the_receiver),
        cmocka_unit_test(test_duplicate_arrives_behind_the_packet),
        cmocka_unit_test(test_a_copy_is_not_copied_again),
        cmocka_unit_test(test_what_any_function_sends_is_copied),
        cmocka_unit_test(test_delay_adds_to_latency),
        cmocka_unit_test(test_node_that_died_takes_nothing),
        cmocka_unit_test(test_link_that_went_down_meanwhile_loses_the_packet),
    };

    return cmocka_run_group_tests_name("fabric_cable", tests, NULL, NULL);
}
