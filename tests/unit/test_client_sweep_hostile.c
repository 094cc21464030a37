/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SMAs that lie: each lie becomes a report, no lie makes a sweep go on without end. */
#include "client_fixture.h"
#include "core/base/prng.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* NodeInfo as a row. */
struct says {
    uint8_t type, ports, local;
    uint64_t guid;
};

/* A fabric of one honest switch of 4 ports, GUID 0x10, whose ports 1 to 3 are up; the sweep begins
 * there. What answers behind these ports is a row each; all else is honest. */
struct lie {
    struct says behind[3];
};

static void make_info(uint8_t *info, const struct says *n)
{
    wire_set(WIRE_NODE_INFO_NODE_TYPE, info, n->type);
    wire_set(WIRE_NODE_INFO_NUM_PORTS, info, n->ports);
    wire_set(WIRE_NODE_INFO_LOCAL_PORT, info, n->local);
    wire_set(WIRE_NODE_INFO_NODE_GUID, info, n->guid);
    wire_set(WIRE_NODE_INFO_PORT_GUID, info, n->guid);
}

/* Hop count and first hop of a directed SMP. */
static uint8_t hops_of(const uint8_t *mad)
{
    return mad[7];
}

static uint8_t hop(const uint8_t *mad, int number)
{
    return mad[128 + number];
}

static void lie_make(const struct lie *lie, const uint8_t *mad, uint8_t *attribute)
{
    static const struct says honest = {WEFT_SWEEP_SWITCH, 4, 0, 0x10};
    uint8_t hops = hops_of(mad);

    memset(attribute, 0, WEFT_ATTRIBUTE_BYTES);
    if (mad_attr_id(mad) == WEFT_ATTR_NODE_INFO)
        make_info(attribute, hops == 0 ? &honest : &lie->behind[(hop(mad, 1) - 1) % 3]);
    else if (mad_attr_id(mad) == WEFT_ATTR_PORT_INFO)
        wire_set(WIRE_PORT_INFO_PORT_STATE, attribute, hops > 0 || mad_attr_mod(mad) == 4 ? 1 : 4);
}

static void tell(struct weft_sweep *s, const struct weft_mad_send_req *r, const uint8_t *attribute)
{
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_event ev = cf_answer(r, attribute, mad);

    weft_sweep_event(s, &ev);
    ev = cf_end(r, WEFT_MAD_OK, 1);
    weft_sweep_event(s, &ev);
}

static struct weft_sweep *sweep_lie(const struct lie *lie)
{
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r;
    struct weft_sweep *s = NULL;
    int questions = 0;

    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
    while (weft_sweep_poll(s, &r)) {
        assert_in_range(++questions, 1, 2000);
        lie_make(lie, r.data, attribute);
        tell(s, &r, attribute);
    }
    assert_true(weft_sweep_done(s));
    assert_int_equal(weft_sweep_verdict(s), 0);
    return s;
}

#define HONEST_1                                                                                   \
    {                                                                                              \
        WEFT_SWEEP_CA, 1, 1, 0x21                                                                  \
    }
#define HONEST_2                                                                                   \
    {                                                                                              \
        WEFT_SWEEP_CA, 1, 1, 0x22                                                                  \
    }

static void test_each_lie_becomes_a_report(void **state)
{
    static const struct {
        struct lie lie;
        enum weft_sweep_trouble_kind kind;
        uint8_t port;
        uint64_t guid;
        uint32_t nodes;
    } rows[] = {
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_CA, 1, 2, 0x23}}}, WEFT_SWEEP_IMPOSSIBLE, 3, 0, 3},
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_CA, 0, 0, 0x23}}}, WEFT_SWEEP_IMPOSSIBLE, 3, 0, 3},
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_SWITCH, 0, 0, 0x23}}}, WEFT_SWEEP_IMPOSSIBLE, 3, 0, 3},
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_SWITCH, 255, 1, 0x23}}}, WEFT_SWEEP_IMPOSSIBLE, 3, 0, 3},
        {{{HONEST_1, HONEST_2, {9, 1, 1, 0x23}}}, WEFT_SWEEP_IMPOSSIBLE, 3, 0, 3},
        /* The GUID of another, elsewhere. */
        {{{HONEST_1, HONEST_2, HONEST_2}}, WEFT_SWEEP_TWICE, 3, 0x22, 3},
        /* It was a CA of 1 port before. */
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_SWITCH, 4, 1, 0x22}}}, WEFT_SWEEP_CHANGED, 3, 0x22, 3},
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_CA, 2, 2, 0x22}}}, WEFT_SWEEP_CHANGED, 3, 0x22, 3},
        /* The switch itself, at a port that has a cable already. */
        {{{HONEST_1, HONEST_2, {WEFT_SWEEP_SWITCH, 4, 1, 0x10}}}, WEFT_SWEEP_TWICE, 3, 0x10, 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weft_sweep *s = sweep_lie(&rows[i].lie);
        const struct weft_sweep_trouble *t = NULL;

        assert_true(weft_sweep_trouble(s, 0, &t));
        assert_int_equal(t->kind, rows[i].kind);
        assert_int_equal(weft_sweep_port(s, t->port)->number, rows[i].port);
        assert_int_equal(t->guid, rows[i].guid);
        assert_true(weft_sweep_trouble_stands(s, t));
        assert_int_equal(weft_sweep_node_count(s), rows[i].nodes);
        assert_int_equal(weft_sweep_port(s, t->port)->peer, WEFT_SWEEP_NONE);
        assert_false(weft_sweep_trouble(s, 1, &t));
        (void)weft_sweep_free(s);
    }
}

/* Ports 1 and 2 are looped to each other, port 3 to itself. */
static void test_loops_are_cables(void **state)
{
    static const struct lie lie = {{{WEFT_SWEEP_SWITCH, 4, 2, 0x10},
                                    {WEFT_SWEEP_SWITCH, 4, 1, 0x10},
                                    {WEFT_SWEEP_SWITCH, 4, 3, 0x10}}};
    struct weft_sweep *s = sweep_lie(&lie);
    const struct weft_sweep_trouble *t;

    (void)state;
    assert_int_equal(weft_sweep_node_count(s), 1);
    assert_int_equal(weft_sweep_port(s, 1)->peer, 2);
    assert_int_equal(weft_sweep_port(s, 2)->peer, 1);
    assert_int_equal(weft_sweep_port(s, 3)->peer, 3);
    assert_false(weft_sweep_trouble(s, 0, &t));
    (void)weft_sweep_free(s);
}

static void test_a_refusal_is_reported(void **state)
{
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES], mad[WEFT_MAD_BYTES];
    static const struct lie lie = {{HONEST_1, HONEST_2, {WEFT_SWEEP_CA, 1, 1, 0x23}}};
    const struct weft_sweep_trouble *t = NULL;
    struct weft_mad_send_req r;
    struct weft_mad_event ev;
    struct weft_sweep *s = NULL;

    (void)state;
    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
    while (weft_sweep_poll(s, &r)) {
        lie_make(&lie, r.data, attribute);
        ev = cf_answer(&r, attribute, mad);
        if (hops_of(r.data) == 1 && hop(r.data, 1) == 2)
            mad_set_status(mad, 0x801C);
        weft_sweep_event(s, &ev);
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        weft_sweep_event(s, &ev);
    }
    assert_int_equal(weft_sweep_node_count(s), 3);
    assert_true(weft_sweep_trouble(s, 0, &t));
    assert_int_equal(t->kind, WEFT_SWEEP_REFUSED);
    assert_int_equal(t->attr_id, WEFT_ATTR_NODE_INFO);
    assert_int_equal(t->port, 2);
    assert_int_equal(t->ways, 1);
    (void)weft_sweep_free(s);
}

/* All switches have ports without end, all of them up: only the length of routes and the number of
 * ports end that. */
static void test_ports_without_end_end_at_a_limit(void **state)
{
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r;
    struct weft_sweep *s = NULL;

    (void)state;
    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
    while (weft_sweep_verdict(s) != WEFT_ERR_FULL && weft_sweep_poll(s, &r)) {
        memset(attribute, 0, sizeof(attribute));
        if (mad_attr_id(r.data) == WEFT_ATTR_NODE_INFO)
            make_info(attribute, &(struct says){WEFT_SWEEP_SWITCH, 254, 1, cf_route_guid(r.data)});
        else
            wire_set(WIRE_PORT_INFO_PORT_STATE, attribute, 4);
        tell(s, &r, attribute);
    }
    assert_int_equal(weft_sweep_verdict(s), WEFT_ERR_FULL);
    assert_in_range(weft_sweep_port_count(s), 900000, 1000000);
    (void)weft_sweep_free(s);
}

/* One step of a fabric that says anything: of few GUIDs, so that they meet; mostly the same by the
 * same route. */
static void random_step(struct weft_sweep *s, struct prng *random, int run,
                        const struct weft_mad_send_req *r)
{
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_event ev;

    for (size_t i = 0; i < sizeof(attribute); i++)
        attribute[i] = (uint8_t)prng_next(random);
    if (mad_attr_id(r->data) == WEFT_ATTR_NODE_INFO) {
        struct prng by_route = {.state = cf_route_guid(r->data) + (uint64_t)run};
        struct prng *from = prng_up_to(random, 9) > 0 ? &by_route : random;
        struct says n = {(uint8_t)prng_up_to(from, 3), (uint8_t)prng_up_to(from, 8),
                         (uint8_t)prng_up_to(from, 9), prng_up_to(from, 40)};

        make_info(attribute,
                  hops_of(r->data) == 0 ? &(struct says){WEFT_SWEEP_SWITCH, 8, 1, 0} : &n);
    }
    if (weft_sweep_node_count(s) == 0 || prng_up_to(random, 9) > 0) {
        tell(s, r, attribute);
        return;
    }
    ev = cf_end(r, WEFT_MAD_TIMEOUT, 1);
    weft_sweep_event(s, &ev);
}

static uint32_t known_from(struct prng *random, struct weft_sweep_prior *k)
{
    uint32_t count = (uint32_t)prng_up_to(random, 200);

    for (uint32_t i = 0; i < count; i++) {
        struct weft_sweep_prior_port p = {.guid = prng_up_to(random, 40),
                                          .peer_guid = prng_up_to(random, 40),
                                          .number = (uint8_t)prng_up_to(random, 9),
                                          .peer_number = (uint8_t)prng_up_to(random, 9)};

        memcpy(p.width, "??", 3);
        memcpy(p.speed, "???", 4);
        assert_int_equal(weft_sweep_prior_add(k, &p), 0);
    }
    return count;
}

static void test_random_answers_end(void **state)
{
    struct prng random = {.state = 7};
    uint32_t found = 0, troubles = 0, expected = 0;

    (void)state;
    for (int run = 0; run < 300; run++) {
        struct weft_sweep_prior *known = cf_prior(200);
        const struct weft_sweep_trouble *t;
        struct weft_mad_send_req r;
        struct weft_sweep *s = NULL;
        uint32_t questions = 0;

        assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
        expected += known_from(&random, known);
        if (run % 2 == 0)
            weft_sweep_expect(s, known);
        while (weft_sweep_poll(s, &r)) {
            /* 41 nodes: each port once or twice, in three stages where it is silent. */
            assert_in_range(++questions, 1, 41 * 10 * 2 * 3 * 4);
            random_step(s, &random, run, &r);
        }
        assert_true(weft_sweep_done(s));
        found += weft_sweep_node_count(s);
        for (uint32_t i = 0; weft_sweep_trouble(s, i, &t); i++)
            troubles++;
        (void)weft_sweep_free(s);
        (void)weft_sweep_prior_free(known);
    }
    assert_true(found > 1000);
    assert_true(troubles > 1000);
    assert_true(expected > 0);
}

/* Who refuses one attribute is asked for the others: it lives. */
static void test_who_refuses_one_attribute_is_no_silent_one(void **state)
{
    static const struct lie lie = {{HONEST_1, HONEST_2, {WEFT_SWEEP_CA, 1, 1, 0x23}}};
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES], mad[WEFT_MAD_BYTES];
    const struct weft_sweep_trouble *t = NULL;
    struct weft_mad_send_req r;
    struct weft_mad_event ev;
    struct weft_sweep *s = NULL;

    (void)state;
    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
    while (weft_sweep_poll(s, &r)) {
        lie_make(&lie, r.data, attribute);
        ev = cf_answer(&r, attribute, mad);
        if (mad_attr_id(r.data) == WEFT_ATTR_NODE_DESC)
            mad_set_status(mad, 0x801C);
        weft_sweep_event(s, &ev);
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        weft_sweep_event(s, &ev);
    }
    assert_int_equal(weft_sweep_node_count(s), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(weft_sweep_trouble(s, i, &t));
        assert_int_equal(t->kind, WEFT_SWEEP_REFUSED);
        assert_int_equal(t->attr_id, WEFT_ATTR_NODE_DESC);
    }
    assert_false(weft_sweep_trouble(s, 4, &t));
    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        assert_false(weft_sweep_port(s, i)->silent);
        assert_int_equal(weft_sweep_port(s, i)->told, i <= 4 || weft_sweep_port(s, i)->number == 1);
    }
    (void)weft_sweep_free(s);
}

/* A switch that is known from before is asked for its ports all the same. */
static void test_a_switch_that_refuses_SwitchInfo_tells_of_its_ports(void **state)
{
    static const struct lie lie = {{HONEST_1, HONEST_2, {WEFT_SWEEP_CA, 1, 1, 0x23}}};
    const struct weft_sweep_prior_port p = {.guid = 0x10, .width = "4x", .speed = "EDR"};
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES], mad[WEFT_MAD_BYTES];
    struct weft_sweep_prior *known = cf_prior(1);
    struct weft_mad_send_req r;
    struct weft_mad_event ev;
    struct weft_sweep *s = NULL;

    (void)state;
    assert_int_equal(weft_sweep_prior_add(known, &p), 0);
    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
    weft_sweep_expect(s, known);
    while (weft_sweep_poll(s, &r)) {
        lie_make(&lie, r.data, attribute);
        ev = cf_answer(&r, attribute, mad);
        if (mad_attr_id(r.data) == WEFT_ATTR_SWITCH_INFO)
            mad_set_status(mad, 0x801C);
        weft_sweep_event(s, &ev);
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        weft_sweep_event(s, &ev);
    }
    assert_int_equal(weft_sweep_node_count(s), 4);
    for (uint32_t i = 0; i <= 4; i++)
        assert_true(weft_sweep_port(s, i)->told);
    (void)weft_sweep_free(s);
    (void)weft_sweep_prior_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_lie_becomes_a_report),
        cmocka_unit_test(test_loops_are_cables),
        cmocka_unit_test(test_a_refusal_is_reported),
        cmocka_unit_test(test_ports_without_end_end_at_a_limit),
        cmocka_unit_test(test_random_answers_end),
        cmocka_unit_test(test_who_refuses_one_attribute_is_no_silent_one),
        cmocka_unit_test(test_a_switch_that_refuses_SwitchInfo_tells_of_its_ports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
