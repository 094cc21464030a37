/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast: who gets a copy, and tables that make loops. */
#include "core/wire/mad_header.h"
#include "fabric/multicast.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define GROUP      0xC001
#define SOME_CLASS WEFT_CLASS_VENDOR1_FIRST
#define SEND       (UINT64_C(1) << WEFT_METHOD_SEND)

struct stage {
    struct ff *ff;
    struct ff_program *a, *b, *s1, *s2;
};

/* The chain of two switches with a program on each node that takes the class. */
static struct stage begin(weft_time hop_ns)
{
    struct fabric_config c;
    struct stage s;

    fabric_config_init(&c);
    c.up = true;
    c.hop_ns = hop_ns;
    c.flights = 64;
    s.ff = ff_new(ff_chain, &c);
    s.a = ff_attach(s.ff, "a");
    s.b = ff_attach(s.ff, "b");
    s.s1 = ff_attach(s.ff, "s1");
    s.s2 = ff_attach(s.ff, "s2");
    (void)ff_claim(s.a, WEFT_QP_GSI, SOME_CLASS, 1, SEND);
    (void)ff_claim(s.b, WEFT_QP_GSI, SOME_CLASS, 1, SEND);
    (void)ff_claim(s.s1, WEFT_QP_GSI, SOME_CLASS, 1, SEND);
    (void)ff_claim(s.s2, WEFT_QP_GSI, SOME_CLASS, 1, SEND);
    return s;
}

static void set_members(const struct stage *s, const char *name, uint16_t lid, uint16_t mask)
{
    struct switch_state *sw = node_switch(s->ff->f, ff_node(s->ff, name));

    sw->mft[(lid - WEFT_LID_MULTICAST_FIRST) * sw->mft_positions] = mask;
}

static struct packet to_group(struct ff_program *from, uint16_t lid)
{
    struct packet p = ff_gmp(from, lid, SOME_CLASS, WEFT_METHOD_SEND, 1, 0);

    p.has_grh = 1;
    p.dst_qpn = 0xFFFFFF;
    p.dgid[0] = 0xFF;
    return p;
}

static uint32_t copies_at(struct ff_program *p)
{
    struct packet got;
    uint32_t count = 0;

    while (ff_receive(p, &got)) {
        assert_int_equal(got.dst_qpn, WEFT_QP_GSI);
        assert_int_equal(got.reserved, 0);
        count++;
    }
    return count;
}

static void test_members_get_one_copy_and_the_sender_none(void **state)
{
    for (weft_time hop_ns = 0; hop_ns <= 100; hop_ns += 100) {
        struct stage s = begin(hop_ns);
        struct packet p = to_group(s.a, GROUP);

        (void)state;
        set_members(&s, "s1", GROUP, 1U << 0 | 1U << 1 | 1U << 2);
        set_members(&s, "s2", GROUP, 1U << 0 | 1U << 1 | 1U << 2);
        ff_send(s.a, &p);
        ff_advance(s.ff, 1000);
        assert_int_equal(copies_at(s.a), 0);
        assert_int_equal(copies_at(s.b), 1);
        assert_int_equal(copies_at(s.s1), 1);
        assert_int_equal(copies_at(s.s2), 1);
        assert_int_equal(ff_stats(s.ff).hops, 3);
        assert_int_equal(ff_stats(s.ff).flights, 0);
        ff_free(s.ff);
    }
}

static void test_switch_sends_to_a_group(void **state)
{
    struct stage s = begin(0);
    struct packet p = to_group(s.s1, GROUP);

    (void)state;
    set_members(&s, "s1", GROUP, 1U << 0 | 1U << 1);
    ff_send(s.s1, &p);
    assert_int_equal(copies_at(s.a), 1);
    assert_int_equal(copies_at(s.s1), 0);
    assert_int_equal(copies_at(s.b), 0);
    ff_free(s.ff);
}

static void test_group_without_members_is_a_relay_error(void **state)
{
    struct stage s = begin(0);
    uint16_t beyond = (uint16_t)(WEFT_LID_MULTICAST_FIRST + s.ff->f->config.mft_cap);
    struct packet p = to_group(s.a, GROUP);

    (void)state;
    ff_send(s.a, &p);
    set_members(&s, "s1", GROUP, 1U << 1);
    p = to_group(s.a, GROUP);
    ff_send(s.a, &p);
    p = to_group(s.a, beyond);
    ff_send(s.a, &p);
    assert_int_equal(ff_stats(s.ff).dropped_route, 3);
    assert_int_equal(ff_port(s.ff, "s1", 1)->counters.classic[COUNTER_RCV_SWITCH_RELAY_ERRORS], 3);
    ff_free(s.ff);
}

static void test_port_that_the_switch_lacks_gets_nothing(void **state)
{
    struct stage s = begin(0);
    struct packet p = to_group(s.a, GROUP);

    (void)state;
    set_members(&s, "s1", GROUP, 0xFFE0 | 1U << 2);
    set_members(&s, "s2", GROUP, 1U << 1);
    ff_send(s.a, &p);
    assert_int_equal(copies_at(s.b), 1);
    assert_int_equal(ff_stats(s.ff).dropped_link, 0);
    ff_free(s.ff);
}

static void test_loops_end(void **state)
{
    for (weft_time hop_ns = 0; hop_ns <= 100; hop_ns += 100) {
        struct stage s = begin(hop_ns);
        struct packet p = to_group(s.a, GROUP);

        (void)state;
        set_members(&s, "s1", GROUP, 1U << 2 | 1U << 3);
        set_members(&s, "s2", GROUP, 1U << 2 | 1U << 3);
        ff_send(s.a, &p);
        ff_advance(s.ff, 300 * 100);
        assert_int_equal(ff_stats(s.ff).flights, 0);
        assert_true(ff_stats(s.ff).dropped_route > 0);
        /* the way from "a", and what all copies of the packet may cost */
        assert_true(ff_stats(s.ff).hops <= 1 + s.ff->f->port_count);
        /* nothing is kept of it: there is room for as many again */
        for (int i = 0; i < 200; i++) {
            ff_send(s.a, &p);
            ff_advance(s.ff, 300 * 100);
        }
        assert_int_equal(ff_stats(s.ff).dropped_queue, 0);
        ff_free(s.ff);
    }
}

static void test_member_that_does_not_listen_gives_no_answer(void **state)
{
    struct stage s = begin(0);
    struct packet p = to_group(s.a, GROUP);

    (void)state;
    set_members(&s, "s1", GROUP, 1U << 2);
    set_members(&s, "s2", GROUP, 1U << 1);
    mad_set_method(p.mad, WEFT_METHOD_GET);
    ff_send(s.a, &p);
    assert_int_equal(ff_stats(s.ff).dropped_unclaimed, 1);
    assert_int_equal(ff_stats(s.ff).answered, 0);
    ff_free(s.ff);
}

static void test_what_no_group_takes(void **state)
{
    struct stage s = begin(0);
    struct packet p = to_group(s.a, GROUP);

    (void)state;
    set_members(&s, "s1", GROUP, 1U << 2);
    set_members(&s, "s2", GROUP, 1U << 1);
    p.has_grh = 0;
    ff_send(s.a, &p);
    p = ff_lid_smp(s.a, GROUP, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    ff_send(s.a, &p);
    assert_int_equal(copies_at(s.b), 0);
    assert_int_equal(ff_stats(s.ff).dropped_unclaimed, 2);
    ff_free(s.ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_get_one_copy_and_the_sender_none),
        cmocka_unit_test(test_switch_sends_to_a_group),
        cmocka_unit_test(test_group_without_members_is_a_relay_error),
        cmocka_unit_test(test_port_that_the_switch_lacks_gets_nothing),
        cmocka_unit_test(test_loops_end),
        cmocka_unit_test(test_member_that_does_not_listen_gives_no_answer),
        cmocka_unit_test(test_what_no_group_takes),
    };

    return cmocka_run_group_tests_name("fabric_multicast", tests, NULL, NULL);
}
