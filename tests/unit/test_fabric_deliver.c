/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrival: agents and their queues, programs, and answers in nobody's name. */
#include "core/wire/mad_header.h"
#include "fabric/deliver.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GET  WEFT_METHOD_GET
#define SET  WEFT_METHOD_SET
#define SEND WEFT_METHOD_SEND

static struct ff *begin(weft_time agent_ns, uint32_t vl15_depth, uint32_t gsi_depth)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    c.agent_ns = agent_ns;
    c.vl15_depth = vl15_depth;
    c.gsi_depth = gsi_depth;
    return ff_new(ff_two_hosts, &c);
}

static struct packet ask_pma(struct ff_program *p, const struct port *to)
{
    struct packet packet =
        ff_gmp(p, port_lid(to), WEFT_CLASS_PERF, GET, WEFT_ATTR_PM_PORT_COUNTERS, 0);

    packet.mad[WEFT_ATTRIBUTE_OFFSET + 1] = 1;
    return packet;
}

static void test_agents_answer_from_where_they_were_asked(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet smp = ff_lid_smp(a, port_lid(b), GET, WEFT_ATTR_NODE_INFO, 0), answer;
    struct packet gmp = ask_pma(a, b);

    (void)state;
    smp.sl = 3;
    assert_int_equal(ff_status(a, &smp, &answer), 0);
    assert_int_equal(answer.slid, port_lid(b));
    assert_int_equal(answer.dlid, port_lid(a->port));
    assert_int_equal(answer.sl, 3);
    assert_int_equal(answer.src_qpn, WEFT_QP_SMI);
    assert_int_equal(answer.dst_qpn, WEFT_QP_SMI);
    assert_int_equal(ff_status(a, &gmp, &answer), 0);
    assert_int_equal(answer.src_qpn, WEFT_QP_GSI);
    assert_int_equal(answer.dst_qpn, WEFT_QP_GSI);
    assert_int_equal(answer.qkey, WEFT_QKEY_GSI);
    assert_int_equal(ff_stats(ff).answered, 2);
    assert_int_equal(ff_stats(ff).delivered, 2);
    ff_free(ff);
}

static void test_unclaimed_get_and_set_are_answered_unsupported(void **state)
{
    static const uint8_t classes[] = {
        WEFT_CLASS_SUBN_ADM,   WEFT_CLASS_BOARD,         WEFT_CLASS_DEVICE,      WEFT_CLASS_CM,
        WEFT_CLASS_CONGESTION, WEFT_CLASS_VENDOR1_FIRST, WEFT_CLASS_VENDOR2_LAST};
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1), *sw = ff_port(ff, "sw", 0);
    struct packet p, answer;

    (void)state;
    for (size_t i = 0; i < sizeof(classes); i++) {
        for (int set = 0; set < 2; set++) {
            p = ff_gmp(a, port_lid(i % 2 == 0 ? b : sw), classes[i], set ? SET : GET, 0x77, 0);
            assert_int_equal(ff_status(a, &p, &answer), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
            assert_int_equal(mad_method(answer.mad), WEFT_METHOD_GET_RESP);
            assert_int_equal(mad_class(answer.mad), classes[i]);
        }
    }
    assert_int_equal(ff_stats(ff).dropped_unclaimed, 0);
    ff_free(ff);
}

static void test_unsupported_directed_smp_has_its_direction(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_directed(a, FF_ROUTE(1, 2), GET, WEFT_ATTR_SM_INFO, 0), answer;

    (void)state;
    assert_true(ff_ask(a, &p, &answer));
    assert_int_equal(mad_status(answer.mad),
                     WEFT_STATUS_BAD_METHOD_ATTRIBUTE | WEFT_STATUS_DIRECTION);
    ff_free(ff);
}

static void test_other_unclaimed_mads_end_in_silence(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    uint16_t to = port_lid(ff_port(ff, "b", 1));
    struct packet packets[] = {ff_gmp(a, to, WEFT_CLASS_CM, SEND, 1, 0),
                               ff_gmp(a, to, WEFT_CLASS_SUBN_ADM, WEFT_METHOD_GET_TABLE, 1, 0),
                               ff_gmp(a, to, WEFT_CLASS_DEVICE, WEFT_METHOD_GET_RESP, 1, 0),
                               ff_gmp(a, to, WEFT_CLASS_PERF, WEFT_METHOD_GET_RESP, 1, 0),
                               ff_gmp(a, to, WEFT_CLASS_BOARD, SEND, 1, 1),
                               ff_lid_smp(a, to, WEFT_METHOD_GET_RESP, WEFT_ATTR_NODE_INFO, 0),
                               ff_lid_smp(a, to, WEFT_METHOD_TRAP, WEFT_ATTR_NOTICE, 0)};
    uint32_t count = sizeof(packets) / sizeof(packets[0]);
    struct packet answer;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        assert_false(ff_ask(a, &packets[i], &answer));
        assert_int_equal(ff_stats(ff).dropped_unclaimed, i + 1);
    }
    assert_int_equal(ff_stats(ff).answered, 0);
    ff_free(ff);
}

static void test_strange_base_version_is_answered_and_reaches_no_program(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a"), *b = ff_attach(ff, "b");
    uint16_t to = port_lid(b->port);
    struct packet packets[] = {ff_gmp(a, to, WEFT_CLASS_DEVICE, GET, 1, 0), ask_pma(a, b->port),
                               ff_lid_smp(a, to, GET, WEFT_ATTR_NODE_INFO, 0)};
    struct packet got;

    (void)state;
    (void)ff_claim(b, WEFT_QP_GSI, WEFT_CLASS_DEVICE, 1, UINT64_C(1) << GET);
    for (size_t i = 0; i < 3; i++) {
        mad_set_base_version(packets[i].mad, 2);
        assert_int_equal(ff_status(a, &packets[i], &got), WEFT_STATUS_BAD_VERSION);
        assert_int_equal(mad_base_version(got.mad), 1);
    }
    mad_set_method(packets[0].mad, SEND);
    assert_false(ff_ask(a, &packets[0], &got));
    assert_int_equal(ff_stats(ff).dropped_unclaimed, 1);
    assert_false(ff_receive(b, &got));
    ff_free(ff);
}

static void test_program_takes_what_it_claims(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a"), *b = ff_attach(ff, "b");
    struct packet p = ff_gmp(a, port_lid(b->port), WEFT_CLASS_SUBN_ADM, GET, 0x11, 0), got;

    (void)state;
    (void)ff_claim(b, WEFT_QP_GSI, WEFT_CLASS_SUBN_ADM, 2, UINT64_C(1) << GET);
    ff_send(a, &p);
    assert_true(ff_receive(b, &got));
    assert_int_equal(got.slid, port_lid(a->port));
    assert_int_equal(got.src_qpn, WEFT_QP_GSI);
    assert_false(ff_receive(a, &got));
    ff_free(ff);
}

static void test_program_hears_itself_on_its_own_node(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a"), *other = ff_attach(ff, "a");
    struct packet p = ff_gmp(a, port_lid(a->port), WEFT_CLASS_CM, SEND, 1, 0), got;

    (void)state;
    (void)ff_claim(other, WEFT_QP_GSI, WEFT_CLASS_CM, 1, UINT64_C(1) << SEND);
    ff_send(a, &p);
    assert_true(ff_receive(other, &got));
    assert_int_equal(got.slid, port_lid(a->port));
    assert_int_equal(ff_stats(ff).hops, 0);
    ff_free(ff);
}

static void test_busy_sa_answers_busy(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a"), *b = ff_attach(ff, "b");
    struct packet get = ff_gmp(a, port_lid(b->port), WEFT_CLASS_SUBN_ADM, GET, 0x35, 0), got;
    struct packet table =
        ff_gmp(a, port_lid(b->port), WEFT_CLASS_SUBN_ADM, WEFT_METHOD_GET_TABLE, 0x11, 0);

    (void)state;
    (void)ff_claim(b, WEFT_QP_GSI, WEFT_CLASS_SUBN_ADM, 2,
                   UINT64_C(1) << GET | UINT64_C(1) << WEFT_METHOD_GET_TABLE);
    ff_node(ff, "b")->sa_busy = true;
    assert_int_equal(ff_status(a, &get, &got), WEFT_STATUS_BUSY);
    assert_int_equal(mad_method(got.mad), WEFT_METHOD_GET_RESP);
    assert_int_equal(ff_status(a, &table, &got), WEFT_STATUS_BUSY);
    assert_int_equal(mad_method(got.mad), WEFT_METHOD_GET_TABLE_RESP);
    assert_false(ff_receive(b, &got));
    /* The ACK of a transfer that is under way passes. */
    table.mad[24] = 1;
    rmpp_set_type(table.mad, WEFT_RMPP_ACK);
    rmpp_set_flags(table.mad, WEFT_RMPP_FLAG_ACTIVE);
    ff_send(a, &table);
    assert_true(ff_receive(b, &got));
    ff_node(ff, "b")->sa_busy = false;
    ff_send(a, &get);
    assert_true(ff_receive(b, &got));
    ff_free(ff);
}

static void test_agent_serves_one_after_the_other(void **state)
{
    struct ff *ff = begin(1000, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet got;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct packet smp = ff_lid_smp(a, port_lid(b), GET, WEFT_ATTR_NODE_INFO, 0);
        struct packet gmp = ask_pma(a, b);

        ff_send(a, &smp);
        ff_send(a, &gmp);
    }
    assert_int_equal(ff_node(ff, "b")->smps_waiting, 3);
    assert_int_equal(ff_node(ff, "b")->mads_waiting, 3);
    assert_false(ff_receive(a, &got));
    for (int i = 0; i < 3; i++) {
        ff_advance(ff, 1000);
        assert_true(ff_receive(a, &got)); /* the SMA and the PMA work side by side */
        assert_true(ff_receive(a, &got));
        assert_false(ff_receive(a, &got));
    }
    assert_int_equal(ff_node(ff, "b")->smps_waiting, 0);
    assert_int_equal(ff_node(ff, "b")->mads_waiting, 0);
    assert_int_equal(ff_stats(ff).flights, 0);
    ff_free(ff);
}

static void test_full_vl15_buffer_drops_at_the_arrival_port(void **state)
{
    struct ff *ff = begin(1000, 2, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *in = ff_port(ff, "sw", 1);

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct packet p = ff_directed(a, FF_ROUTE(1), GET, WEFT_ATTR_NODE_INFO, 0);

        ff_send(a, &p);
    }
    assert_int_equal(in->counters.classic[COUNTER_VL15_DROPPED], 3);
    assert_int_equal(ff_stats(ff).dropped_queue, 3);
    ff_advance(ff, 10000);
    assert_int_equal(ff_stats(ff).answered, 2);
    ff_free(ff);
}

static void test_full_gsi_queue_drops(void **state)
{
    struct ff *ff = begin(1000, 128, 2);
    struct ff_program *a = ff_attach(ff, "a");

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct packet p = ask_pma(a, ff_port(ff, "b", 1));

        ff_send(a, &p);
    }
    assert_int_equal(ff_stats(ff).dropped_queue, 3);
    ff_advance(ff, 10000);
    assert_int_equal(ff_stats(ff).answered, 2);
    ff_free(ff);
}

/* Both agents are busy and their queues are full of one, while each asks the other. */
static void test_answers_do_not_wait_for_the_agent(void **state)
{
    struct ff *ff = begin(1000, 1, 1);
    struct ff_program *a = ff_attach(ff, "a"), *b = ff_attach(ff, "b");
    struct packet to_b = ff_lid_smp(a, port_lid(b->port), GET, WEFT_ATTR_NODE_INFO, 0), got;
    struct packet to_a = ff_lid_smp(b, port_lid(a->port), GET, WEFT_ATTR_NODE_INFO, 0);

    (void)state;
    ff_send(a, &to_b);
    ff_advance(ff, 500);
    ff_send(b, &to_a);
    ff_advance(ff, 500);
    assert_true(ff_receive(a, &got));
    ff_advance(ff, 500);
    assert_true(ff_receive(b, &got));
    assert_int_equal(ff_stats(ff).dropped_queue, 0);
    ff_free(ff);
}

static void test_node_that_dies_takes_what_waits_with_it(void **state)
{
    struct ff *ff = begin(1000, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_lid_smp(a, port_lid(ff_port(ff, "b", 1)), GET, WEFT_ATTR_NODE_INFO, 0),
                  got;

    (void)state;
    ff_send(a, &p);
    ff_node(ff, "b")->dead = true;
    ff_advance(ff, 1000);
    assert_false(ff_receive(a, &got));
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    assert_int_equal(ff_node(ff, "b")->smps_waiting, 0);
    assert_int_equal(ff_stats(ff).answered, 0);
    ff_free(ff);
}

/* What it would have done is not done either, though nobody waits for the answer. */
static void test_node_that_dies_sets_nothing(void **state)
{
    struct ff *ff = begin(1000, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *b = ff_port(ff, "b", 1);
    struct packet p = ff_directed(a, FF_ROUTE(1, 2), SET, WEFT_ATTR_PORT_INFO, 1);
    uint64_t before = wire_get(WIRE_PORT_INFO_SUBNET_TIMEOUT, b->info);

    (void)state;
    for (int i = 0; i < 64; i++)
        ff_data(&p)[i] = b->info[i];
    wire_set(WIRE_PORT_INFO_PORT_STATE, ff_data(&p), PORT_STATE_NOP);
    wire_set(WIRE_PORT_INFO_PHYSICAL_STATE, ff_data(&p), PORT_PHYSICAL_NOP);
    wire_set(WIRE_PORT_INFO_SUBNET_TIMEOUT, ff_data(&p), before + 1);
    ff_send(a, &p);
    ff_node(ff, "b")->dead = true;
    ff_advance(ff, 1000);
    assert_int_equal(wire_get(WIRE_PORT_INFO_SUBNET_TIMEOUT, b->info), before);
    ff_node(ff, "b")->dead = false;
    ff_send(a, &p);
    ff_advance(ff, 1000);
    assert_int_equal(wire_get(WIRE_PORT_INFO_SUBNET_TIMEOUT, b->info), before + 1);
    ff_free(ff);
}

static void test_dead_node_takes_nothing(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet p = ff_lid_smp(a, port_lid(ff_port(ff, "b", 1)), GET, WEFT_ATTR_NODE_INFO, 0),
                  got;

    (void)state;
    ff_node(ff, "b")->dead = true;
    deliver(ff->f, ff_port(ff, "b", 1), &p);
    assert_false(ff_receive(a, &got));
    assert_int_equal(ff_stats(ff).dropped_link, 1);
    ff_free(ff);
}

/* Each packet that leaves is seen to arrive or to be dropped, once. */
struct sights {
    uint32_t sent, delivered, dropped;
};

static void on_tap(void *ctx, const struct fabric_tap *t)
{
    struct sights *s = ctx;

    s->sent += t->point == FABRIC_TAP_SENT;
    s->delivered += t->point == FABRIC_TAP_DELIVERED;
    s->dropped += t->point == FABRIC_TAP_DROPPED;
}

static void test_tap_sees_each_packet_leave_and_end(void **state)
{
    struct ff *ff = begin(0, 128, 512);
    struct ff_program *a = ff_attach(ff, "a"), *b = ff_attach(ff, "b");
    struct sights s = {0};
    struct packet packets[] = {
        ff_directed(a, FF_ROUTE(1, 2), GET, WEFT_ATTR_NODE_INFO, 0),
        ff_directed(a, FF_ROUTE(1, 2), GET, WEFT_ATTR_SM_INFO, 0),
        ask_pma(a, b->port),
        ff_gmp(a, port_lid(b->port), WEFT_CLASS_SUBN_ADM, GET, 1, 0),
        ff_gmp(a, port_lid(b->port), WEFT_CLASS_CM, GET, 1, 0),
    };

    (void)state;
    fabric_set_tap(ff->f, on_tap, &s);
    ff_node(ff, "b")->sa_busy = true;
    for (uint32_t i = 0; i < 5; i++) {
        ff_send(a, &packets[i]);
        assert_int_equal(s.sent, 2 * (i + 1));
        assert_int_equal(s.delivered, 2 * (i + 1));
    }
    mad_set_method(packets[4].mad, SEND);
    ff_send(a, &packets[4]);
    assert_int_equal(s.sent, 11);
    assert_int_equal(s.delivered, 10);
    assert_int_equal(s.dropped, 1);
    /* what the SMA drops for its M_Key has not been delivered */
    wire_set(WIRE_PORT_INFO_M_KEY, b->port->info, 9);
    packets[0] = ff_directed(a, FF_ROUTE(1, 2), SET, WEFT_ATTR_PORT_INFO, 1);
    ff_send(a, &packets[0]);
    assert_int_equal(s.sent, 12);
    assert_int_equal(s.delivered, 10);
    assert_int_equal(s.dropped, 2);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agents_answer_from_where_they_were_asked),
        cmocka_unit_test(test_unclaimed_get_and_set_are_answered_unsupported),
        cmocka_unit_test(test_unsupported_directed_smp_has_its_direction),
        cmocka_unit_test(test_other_unclaimed_mads_end_in_silence),
        cmocka_unit_test(test_strange_base_version_is_answered_and_reaches_no_program),
        cmocka_unit_test(test_program_takes_what_it_claims),
        cmocka_unit_test(test_program_hears_itself_on_its_own_node),
        cmocka_unit_test(test_busy_sa_answers_busy),
        cmocka_unit_test(test_agent_serves_one_after_the_other),
        cmocka_unit_test(test_full_vl15_buffer_drops_at_the_arrival_port),
        cmocka_unit_test(test_full_gsi_queue_drops),
        cmocka_unit_test(test_answers_do_not_wait_for_the_agent),
        cmocka_unit_test(test_node_that_dies_takes_what_waits_with_it),
        cmocka_unit_test(test_node_that_dies_sets_nothing),
        cmocka_unit_test(test_dead_node_takes_nothing),
        cmocka_unit_test(test_tap_sees_each_packet_leave_and_end),
    };

    return cmocka_run_group_tests_name("fabric_deliver", tests, NULL, NULL);
}
