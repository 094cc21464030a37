/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps: everything is found once, with its links; who is silent; loss; answers that lie. */
#include "client_fixture.h"
#include "core/wire/field.h"
#include "sma_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_link(const struct weft_sweep *s, const char *a, uint8_t a_port, const char *b,
                        uint8_t b_port)
{
    uint32_t from = cf_port(s, a, a_port), to = cf_port(s, b, b_port);

    assert_int_equal(weft_sweep_port(s, from)->peer, to);
    assert_int_equal(weft_sweep_port(s, to)->peer, from);
}

static void test_nodes_ports_and_links(void **state)
{
    struct cf *cf = cf_new(ff_chain, NULL, "a");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    const struct weft_sweep_node *s1 = cf_node(s, "s1");
    struct weft_route route;

    (void)state;
    assert_int_equal(weft_sweep_verdict(s), 0);
    assert_int_equal(weft_sweep_node_count(s), 4);
    assert_string_equal(weft_sweep_node(s, 0)->name, "a");
    assert_int_equal(s1->guid, 0x11);
    assert_int_equal(s1->type, WEFT_SWEEP_SWITCH);
    assert_int_equal(s1->port_count, 4);
    assert_int_equal(s1->enforcement_cap, FABRIC_ENFORCE_CAP);
    assert_int_equal(cf_node(s, "b")->partition_cap, 128);
    expect_link(s, "a", 1, "s1", 1);
    expect_link(s, "s1", 2, "s2", 2);
    expect_link(s, "s1", 3, "s2", 3);
    expect_link(s, "s2", 1, "b", 1);
    assert_int_equal(weft_sweep_port(s, cf_port(s, "s1", 4))->peer, WEFT_SWEEP_NONE);
    assert_int_equal(weft_sweep_port(s, cf_port(s, "s1", 4))->state, 1);
    assert_int_equal(weft_sweep_port(s, cf_port(s, "b", 1))->guid, 0x31);
    assert_true(weft_sweep_port(s, cf_port(s, "s2", 0))->reached);
    assert_false(weft_sweep_port(s, cf_port(s, "s2", 1))->reached);
    weft_sweep_route(s, cf_port(s, "b", 1), &route);
    assert_int_equal(route.hops, 3);
    assert_int_equal(route.ports[0], 1);
    assert_in_range(route.ports[1], 2, 3);
    assert_int_equal(route.ports[2], 1);
    assert_int_equal(weft_sweep_conflicts(s), 0);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_all_kinds_of_nodes_and_a_host_with_two_ports(void **state)
{
    struct cf *cf = cf_new(sma_lab_topology, NULL, "a");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct weft_route route;

    (void)state;
    assert_int_equal(weft_sweep_node_count(s), 5);
    assert_int_equal(cf_node(s, "r")->type, WEFT_SWEEP_ROUTER);
    assert_true(weft_sweep_port(s, cf_port(s, "a", 1))->reached);
    assert_true(weft_sweep_port(s, cf_port(s, "a", 2))->reached);
    assert_int_equal(weft_sweep_port(s, cf_port(s, "a", 2))->guid, 0x22);
    weft_sweep_route(s, cf_port(s, "a", 1), &route);
    assert_int_equal(route.hops, 0);
    weft_sweep_route(s, cf_port(s, "a", 2), &route);
    assert_int_equal(route.hops, 2);
    assert_int_equal(route.ports[1], 2);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_it_may_begin_at_a_switch(void **state)
{
    struct cf *cf = cf_new(ff_chain, NULL, "s2");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct weft_route route;

    (void)state;
    assert_int_equal(weft_sweep_node_count(s), 4);
    assert_string_equal(weft_sweep_node(s, 0)->name, "s2");
    weft_sweep_route(s, cf_port(s, "b", 1), &route);
    assert_int_equal(route.hops, 1);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_each_link_is_crossed_once_and_the_window_is_kept(void **state)
{
    struct cf *cf = cf_new("fat-tree:hosts=324,radix=36", NULL, "host-00001");
    struct weft_sweep_config c;
    struct weft_sweep *s;

    (void)state;
    (void)weft_sweep_config_init(&c);
    c.window = 16;
    s = cf_sweep(cf, &c);
    assert_int_equal(weft_sweep_node_count(s), 351);
    assert_in_range(cf->most_out, 2, 16);
    /* NodeInfo over 648 links, twice where both ends were asked at a time, and of the own node;
     * 351 NodeDescriptions, 27 SwitchInfos; PortInfo of 27 x 37 switch ports and 324 hosts. */
    assert_int_equal(weft_sweep_sends(s), cf->posts);
    assert_in_range(cf->posts, 649 + 351 + 27 + 999 + 324, 649 + 351 + 27 + 999 + 324 + 162);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_who_is_silent_is_remembered(void **state)
{
    struct cf *cf = cf_new(ff_chain, NULL, "a");
    struct weft_sweep *s;

    (void)state;
    ff_command(cf->ff, "loss 100% on agent s2");
    s = cf_sweep(cf, NULL);
    assert_int_equal(weft_sweep_verdict(s), 0);
    assert_int_equal(weft_sweep_node_count(s), 2);
    assert_true(weft_sweep_port(s, cf_port(s, "s1", 2))->mute_peer);
    assert_true(weft_sweep_port(s, cf_port(s, "s1", 3))->mute_peer);
    assert_false(weft_sweep_port(s, cf_port(s, "s1", 4))->mute_peer);
    assert_in_range(cf->now, 900 * WEFT_MS, 901 * WEFT_MS);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_the_own_node_may_be_silent(void **state)
{
    struct cf *cf = cf_new(ff_chain, NULL, "a");
    struct weft_sweep *s;

    (void)state;
    ff_command(cf->ff, "loss 100% on agent a");
    s = cf_sweep(cf, NULL);
    assert_int_equal(weft_sweep_verdict(s), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_sweep_node_count(s), 0);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_a_fabric_that_loses_20_percent_everywhere_is_found_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct fabric_config c;
        struct cf *cf;
        struct weft_sweep *s;

        fabric_config_init(&c);
        c.seed = seed;
        cf = cf_new("fat-tree:hosts=324,radix=36", &c, "host-00001");
        ff_command(cf->ff, "loss 20% on all");
        s = cf_sweep(cf, NULL);
        assert_int_equal(weft_sweep_node_count(s), 351);
        for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
            assert_false(weft_sweep_port(s, i)->silent);
            assert_false(weft_sweep_port(s, i)->mute_peer);
        }
        (void)weft_sweep_free(s);
        cf_free(cf);
    }
}

/* A sweep whose answers a test makes. */
struct liar {
    struct weft_sweep *s;
    uint8_t mad[WEFT_MAD_BYTES];
};

static struct liar liar_new(void)
{
    struct liar l = {.s = NULL};

    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &l.s), 0);
    return l;
}

static void make_node(uint8_t *info, uint8_t type, uint8_t ports, uint8_t local, uint64_t guid)
{
    memset(info, 0, WEFT_ATTRIBUTE_BYTES);
    wire_set(WIRE_NODE_INFO_NODE_TYPE, info, type);
    wire_set(WIRE_NODE_INFO_NUM_PORTS, info, ports);
    wire_set(WIRE_NODE_INFO_LOCAL_PORT, info, local);
    wire_set(WIRE_NODE_INFO_NODE_GUID, info, guid);
}

static void tell(struct liar *l, const struct weft_mad_send_req *r, const uint8_t *attribute)
{
    struct weft_mad_event ev = cf_answer(r, attribute, l->mad);

    weft_sweep_event(l->s, &ev);
    ev = cf_end(r, WEFT_MAD_OK, 1);
    weft_sweep_event(l->s, &ev);
}

static void test_NodeInfo_that_cannot_be_is_no_answer(void **state)
{
    static const uint8_t wrong[][3] = {{0, 1, 1}, {4, 1, 1}, {1, 0, 0},
                                       {1, 1, 2}, {1, 2, 0}, {2, 255, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct liar l = liar_new();
        uint8_t info[WEFT_ATTRIBUTE_BYTES];
        struct weft_mad_send_req r;

        assert_true(weft_sweep_poll(l.s, &r));
        make_node(info, wrong[i][0], wrong[i][1], wrong[i][2], 0x99);
        tell(&l, &r, info);
        assert_true(weft_sweep_done(l.s));
        assert_int_equal(weft_sweep_verdict(l.s), WEFT_ERR_NOTFOUND);
        (void)weft_sweep_free(l.s);
    }
}

/* Answers each question of a sweep: every NodeInfo is a switch of 3 ports that are all up, always
 * the same one or another one by each route, without end. */
static void answer_without_end(struct liar *l, bool same)
{
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r;

    while (weft_sweep_poll(l->s, &r)) {
        const uint8_t *mad = r.data;

        memset(attribute, 0, sizeof(attribute));
        if (mad_attr_id(mad) == WEFT_ATTR_NODE_INFO) {
            make_node(attribute, WEFT_SWEEP_SWITCH, 3, 1, same ? 1 : cf_route_guid(mad));
        } else if (mad_attr_id(mad) == WEFT_ATTR_PORT_INFO) {
            wire_set(WIRE_PORT_INFO_PORT_STATE, attribute, 4);
        } else {
            memset(attribute, 'n', sizeof(attribute));
        }
        tell(l, &r, attribute);
    }
}

static void test_a_name_of_64_bytes_and_a_GUID_at_every_link(void **state)
{
    struct liar l = liar_new();

    (void)state;
    answer_without_end(&l, true);
    assert_int_equal(weft_sweep_verdict(l.s), 0);
    assert_int_equal(weft_sweep_node_count(l.s), 1);
    assert_int_equal(strlen(weft_sweep_node(l.s, 0)->name), 64);
    assert_true(weft_sweep_conflicts(l.s) > 0);
    (void)weft_sweep_free(l.s);
}

static void test_nodes_without_end_end_at_a_limit(void **state)
{
    struct liar l = liar_new();

    (void)state;
    answer_without_end(&l, false);
    assert_true(weft_sweep_done(l.s));
    assert_int_equal(weft_sweep_verdict(l.s), WEFT_ERR_FULL);
    assert_int_equal(weft_sweep_node_count(l.s), 65536);
    (void)weft_sweep_free(l.s);
}

static void test_a_node_that_changes_what_it_is_stays_what_it_was(void **state)
{
    struct liar l = liar_new();
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r;
    int asked = 0;

    (void)state;
    while (weft_sweep_poll(l.s, &r)) {
        memset(attribute, 0, sizeof(attribute));
        wire_set(WIRE_PORT_INFO_PORT_STATE, attribute, 4);
        if (mad_attr_id(r.data) == WEFT_ATTR_NODE_INFO)
            make_node(attribute, WEFT_SWEEP_SWITCH, asked++ == 0 ? 3 : 200, 150, 0x77);
        if (asked == 1 && mad_attr_id(r.data) == WEFT_ATTR_NODE_INFO)
            make_node(attribute, WEFT_SWEEP_SWITCH, 3, 1, 0x77);
        tell(&l, &r, attribute);
    }
    assert_int_equal(weft_sweep_node_count(l.s), 1);
    assert_int_equal(weft_sweep_node(l.s, 0)->port_count, 3);
    assert_true(weft_sweep_port(l.s, 1)->mute_peer);
    (void)weft_sweep_free(l.s);
}

static void test_who_stops_answering_is_not_asked_again(void **state)
{
    struct liar l = liar_new();
    uint8_t info[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r[8], more;
    struct weft_mad_event ev;
    int count = 0;

    (void)state;
    assert_true(weft_sweep_poll(l.s, &r[0]));
    make_node(info, WEFT_SWEEP_CA, 1, 1, 0x55);
    tell(&l, &r[0], info);
    while (weft_sweep_poll(l.s, &r[count]))
        count++;
    assert_int_equal(count, 2); /* NodeDescription and PortInfo */
    for (int stage = 0; stage < 3; stage++) {
        assert_false(weft_sweep_port(l.s, 1)->silent);
        ev = cf_end(&r[0], WEFT_MAD_TIMEOUT, 40);
        weft_sweep_event(l.s, &ev);
        assert_true(stage == 2 || weft_sweep_poll(l.s, &r[0]));
    }
    assert_true(weft_sweep_port(l.s, 1)->silent);
    memset(info, 0, sizeof(info));
    wire_set(WIRE_PORT_INFO_PORT_STATE, info, 4);
    tell(&l, &r[1], info);
    assert_false(weft_sweep_poll(l.s, &more));
    assert_true(weft_sweep_done(l.s));
    (void)weft_sweep_free(l.s);
}

static void test_configurations_out_of_range(void **state)
{
    struct weft_sweep_config c;
    struct weft_sweep *s = NULL;

    (void)state;
    (void)weft_sweep_config_init(&c);
    c.window = 0;
    assert_int_equal(weft_sweep_new(&c, (weft_mad_agent_id){1}, NULL, &s), WEFT_ERR_INVALID);
    assert_null(s);
    assert_null(weft_sweep_free(NULL));
}

/* A switch of 3 ports behind another one's ports 1 and 2; the first cable's questions stay without
 * an answer, and then it is found from the other end. */
static void test_who_was_silent_behind_a_port_may_be_found_from_the_other_side(void **state)
{
    struct liar l = liar_new();
    uint8_t attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r, back;
    bool held = false;

    (void)state;
    while (weft_sweep_poll(l.s, &r)) {
        const uint8_t *mad = r.data;
        uint8_t hops = mad[7], first = mad[129];

        memset(attribute, 0, sizeof(attribute));
        if (mad_attr_id(mad) == WEFT_ATTR_NODE_INFO && hops == 1 && first == 1) {
            struct weft_mad_event ev = cf_end(&r, WEFT_MAD_TIMEOUT, 5);

            weft_sweep_event(l.s, &ev);
            continue;
        }
        /* the question back over the silent cable waits until that has been given up */
        if (mad_attr_id(mad) == WEFT_ATTR_NODE_INFO && hops == 2) {
            assert_false(held);
            held = true;
            back = r;
            continue;
        }
        if (mad_attr_id(mad) == WEFT_ATTR_NODE_INFO)
            make_node(attribute, WEFT_SWEEP_SWITCH, 3, hops == 0 ? 3 : 2, 0x70 + hops);
        else
            wire_set(WIRE_PORT_INFO_PORT_STATE, attribute,
                     mad_attr_mod(mad) == 1 || mad_attr_mod(mad) == 2 ? 4 : 1);
        tell(&l, &r, attribute);
    }
    assert_true(held);
    assert_true(weft_sweep_port(l.s, 1)->mute_peer);
    memset(attribute, 0, sizeof(attribute));
    make_node(attribute, WEFT_SWEEP_SWITCH, 3, 1, 0x70);
    tell(&l, &back, attribute);
    assert_false(weft_sweep_poll(l.s, &r));
    assert_true(weft_sweep_done(l.s));
    assert_int_equal(weft_sweep_port(l.s, 1)->peer, 5);
    for (uint32_t i = 0; i < weft_sweep_port_count(l.s); i++)
        assert_false(weft_sweep_port(l.s, i)->mute_peer);
    (void)weft_sweep_free(l.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_ports_and_links),
        cmocka_unit_test(test_all_kinds_of_nodes_and_a_host_with_two_ports),
        cmocka_unit_test(test_it_may_begin_at_a_switch),
        cmocka_unit_test(test_each_link_is_crossed_once_and_the_window_is_kept),
        cmocka_unit_test(test_who_is_silent_is_remembered),
        cmocka_unit_test(test_the_own_node_may_be_silent),
        cmocka_unit_test(test_a_fabric_that_loses_20_percent_everywhere_is_found_whole),
        cmocka_unit_test(test_NodeInfo_that_cannot_be_is_no_answer),
        cmocka_unit_test(test_a_name_of_64_bytes_and_a_GUID_at_every_link),
        cmocka_unit_test(test_nodes_without_end_end_at_a_limit),
        cmocka_unit_test(test_a_node_that_changes_what_it_is_stays_what_it_was),
        cmocka_unit_test(test_who_stops_answering_is_not_asked_again),
        cmocka_unit_test(test_configurations_out_of_range),
        cmocka_unit_test(test_who_was_silent_behind_a_port_may_be_found_from_the_other_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
