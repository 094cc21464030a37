/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a fabric in virtual time: what is read of whom, with how many requests, and what
 * becomes of those who are silent, refuse, or say something else. */
#include "client/gmp_asker.h"
#include "client_fixture.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <weft/counters.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FAT_TREE "fat-tree:hosts=324,radix=36"

/* A fabric that was swept, and an agent for counters. */
struct lab {
    struct cf *cf;
    struct weft_sweep *sweep;
    weft_mad_agent_id agent;
    unsigned gets, sets, abilities; /* requests so far */
    unsigned out, most_out;
};

static struct lab lab_new(const char *topology, const char *node, bool up)
{
    const struct weft_mad_agent_req agent = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct fabric_config c;
    struct lab l = {.out = 0};

    fabric_config_init(&c);
    c.up = up;
    l.cf = cf_new(topology, &c, node);
    assert_int_equal(weft_mad_agent_add(l.cf->engine, &agent, &l.agent), 0);
    l.sweep = cf_sweep(l.cf, NULL);
    return l;
}

static void lab_free(struct lab *l)
{
    (void)weft_sweep_free(l->sweep);
    cf_free(l->cf);
}

static void receive(struct lab *l)
{
    struct fabric_delivery d;

    while (fabric_poll(l->cf->ff->f, &d)) {
        struct weft_mad_rx rx = {
            .qpn = (uint8_t)d.packet->dst_qpn,
            .dlid = d.packet->dlid,
            .from = {.lid = d.packet->slid, .qpn = d.packet->src_qpn, .qkey = d.packet->qkey},
            .data = d.packet->mad,
            .len = WEFT_MAD_BYTES};

        assert_int_equal(weft_mad_rx(l->cf->engine, l->cf->now, &rx, NULL), 0);
    }
}

static void transmit(struct lab *l)
{
    struct weft_mad_tx tx;

    while (weft_mad_poll_tx(l->cf->engine, &tx)) {
        struct packet p = {
            .dlid = tx.to->lid, .src_qpn = WEFT_QP_GSI, .dst_qpn = tx.to->qpn, .qkey = tx.to->qkey};

        memcpy(p.mad, tx.data, sizeof(p.mad));
        assert_int_equal(fabric_send(l->cf->ff->f, l->cf->now, l->cf->id, &p), 0);
        assert_int_equal(weft_mad_tx_done(l->cf->engine, l->cf->now, tx.id, true), 0);
        receive(l);
    }
}

static bool act(struct lab *l, struct weft_counters *c)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(l->cf->engine, &ev)) {
        any = true;
        l->out -= ev.type == WEFT_MAD_EVENT_SEND_DONE;
        weft_counters_event(c, &ev);
        if (ev.type == WEFT_MAD_EVENT_RECV)
            assert_int_equal(weft_mad_recv_release(l->cf->engine, ev.u.recv.id), 0);
    }
    return any;
}

static void post(struct lab *l, struct weft_counters *c)
{
    struct weft_mad_send_req r;

    while (weft_counters_poll(c, &r)) {
        l->gets += mad_method(r.data) == WEFT_METHOD_GET;
        l->sets += mad_method(r.data) == WEFT_METHOD_SET;
        l->abilities += mad_attr_id(r.data) == WEFT_ATTR_CLASS_PORT_INFO;
        assert_int_equal(weft_mad_post(l->cf->engine, l->cf->now, &r, NULL), 0);
        if (++l->out > l->most_out)
            l->most_out = l->out;
    }
}

static void drive(struct lab *l, struct weft_counters *c)
{
    for (;;) {
        weft_time engine, fabric;

        post(l, c);
        if (weft_counters_done(c))
            return;
        transmit(l);
        if (act(l, c))
            continue;
        engine = weft_mad_deadline(l->cf->engine);
        fabric = fabric_deadline(l->cf->ff->f);
        l->cf->now = engine < fabric ? engine : fabric;
        assert_in_range(l->cf->now, 0, 3600 * WEFT_S);
        assert_int_equal(fabric_advance(l->cf->ff->f, l->cf->now), 0);
        receive(l);
        assert_int_equal(weft_mad_advance(l->cf->engine, l->cf->now), 0);
        (void)act(l, c);
    }
}

static struct weft_counters *lab_read(struct lab *l, const struct weft_counters_config *config,
                                      const struct weft_counters *known)
{
    struct weft_counters *c = NULL;

    assert_int_equal(weft_counters_new(l->sweep, config, known, l->agent, NULL, &c), 0);
    drive(l, c);
    assert_int_equal(weft_counters_verdict(c), 0);
    return c;
}

static struct weft_pma_values values_at(const struct lab *l, const struct weft_counters *c,
                                        const char *name, uint8_t port)
{
    struct weft_pma_values v;

    weft_counters_get(c, cf_port(l->sweep, name, port), &v);
    return v;
}

static enum weft_counters_state state_at(const struct lab *l, const struct weft_counters *c,
                                         const char *name, uint8_t port)
{
    return weft_counters_state(c, cf_port(l->sweep, name, port));
}

static void test_every_port_is_read_as_it_is(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *c;

    (void)state;
    ff_command(l.cf->ff, "counter sw/2 symbol_errors set 70000");
    ff_command(l.cf->ff, "counter sw/4 xmit_data set 5000000000");
    ff_command(l.cf->ff, "counter b/1 qp1_dropped set 6");
    c = lab_read(&l, NULL, NULL);
    for (uint8_t i = 1; i <= 4; i++)
        assert_int_equal(state_at(&l, c, "sw", i), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(&l, c, "sw", 0), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(&l, c, "a", 0), WEFT_COUNTERS_UNASKED);
    assert_int_equal(values_at(&l, c, "sw", 2).value[WEFT_PMA_SYMBOL_ERRORS], 70000);
    assert_int_equal(values_at(&l, c, "sw", 4).value[WEFT_PMA_XMIT_DATA], 20000000000);
    assert_int_equal(values_at(&l, c, "b", 1).value[WEFT_PMA_QP1_DROPPED], 6);
    assert_true(values_at(&l, c, "a", 1).value[WEFT_PMA_XMIT_PACKETS] > 0);
    /* Three agents say what they have; each of seven ports has all in one attribute. */
    assert_int_equal(l.abilities, 3);
    assert_int_equal(l.gets, 3 + 7);
    assert_int_equal(l.sets, 0);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_what_an_agent_has_is_asked_once(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *first = lab_read(&l, NULL, NULL);
    struct weft_sweep *old = l.sweep;
    struct weft_counters *second;
    struct weft_pma_delta d;

    (void)state;
    l.sweep = cf_sweep(l.cf, NULL);
    ff_command(l.cf->ff, "counter b/1 rcv_errors add 5");
    l.gets = l.abilities = 0;
    second = lab_read(&l, NULL, first);
    assert_int_equal(l.abilities, 0);
    assert_int_equal(l.gets, 7);
    assert_true(weft_counters_delta(first, second, cf_port(l.sweep, "b", 1), &d));
    assert_int_equal(d.value[WEFT_PMA_RCV_ERRORS], 5);
    assert_int_equal(d.at_least, 0);
    assert_false(weft_counters_delta(first, second, cf_port(l.sweep, "a", 0), &d));
    (void)weft_counters_free(first);
    (void)weft_counters_free(second);
    (void)weft_sweep_free(old);
    lab_free(&l);
}

static void test_many_ports_of_a_switch_are_in_flight_together(void **state)
{
    struct lab l = lab_new(FAT_TREE, "host-00001", true);
    struct weft_counters_config config;
    bool *wanted = test_calloc(weft_sweep_port_count(l.sweep), sizeof(*wanted));
    struct weft_counters *c;

    (void)state;
    for (uint8_t i = 0; i <= 36; i++)
        wanted[cf_port(l.sweep, "leaf-0002", i)] = true;
    (void)weft_counters_config_init(&config);
    config.wanted = wanted;
    c = lab_read(&l, &config, NULL);
    /* Two more for each that is answered: in the end as many as one serves, one by one. */
    assert_in_range(l.most_out, 37 / 3, 37);
    assert_int_equal(l.gets, 38);
    assert_int_equal(state_at(&l, c, "leaf-0002", 36), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(&l, c, "leaf-0001", 1), WEFT_COUNTERS_UNASKED);
    test_free(wanted);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_who_is_silent_is_named_and_costs_nobody_else_time(void **state)
{
    struct lab l = lab_new(FAT_TREE, "host-00001", true);
    weft_time before;
    struct weft_counters *c;

    (void)state;
    ff_command(l.cf->ff, "loss 100% on agent leaf-0003");
    ff_command(l.cf->ff, "loss 100% on agent host-00100");
    before = l.cf->now;
    c = lab_read(&l, NULL, NULL);
    assert_in_range(l.cf->now - before, 900 * WEFT_MS, WEFT_S);
    for (uint32_t i = 0; i < weft_sweep_port_count(l.sweep); i++) {
        const struct weft_sweep_node *n =
            weft_sweep_node(l.sweep, weft_sweep_port(l.sweep, i)->node);
        bool dead = strcmp(n->name, "leaf-0003") == 0 || strcmp(n->name, "host-00100") == 0;

        if (weft_counters_state(c, i) != WEFT_COUNTERS_UNASKED)
            assert_int_equal(weft_counters_state(c, i),
                             dead ? WEFT_COUNTERS_SILENT : WEFT_COUNTERS_READ);
    }
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_more_dead_than_the_window_holds_do_not_stop_it(void **state)
{
    struct lab l = lab_new(FAT_TREE, "host-00001", true);
    struct weft_counters_config config;
    char command[64];
    weft_time before;
    struct weft_counters *c;

    (void)state;
    for (unsigned i = 0; i < 24; i++) {
        (void)snprintf(command, sizeof(command), "loss 100%% on agent host-%05u", 101 + i);
        ff_command(l.cf->ff, command);
    }
    (void)weft_counters_config_init(&config);
    config.patience.window_first = 16;
    config.patience.window_max = 16;
    before = l.cf->now;
    c = lab_read(&l, &config, NULL);
    assert_in_range(l.cf->now - before, 900 * WEFT_MS, 2200 * WEFT_MS);
    assert_int_equal(state_at(&l, c, "host-00300", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(&l, c, "host-00110", 1), WEFT_COUNTERS_SILENT);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_a_fabric_that_loses_20_percent_everywhere_is_read_whole(void **state)
{
    struct lab l = lab_new(FAT_TREE, "host-00001", true);
    struct weft_counters *c;

    (void)state;
    ff_command(l.cf->ff, "loss 20% on all");
    c = lab_read(&l, NULL, NULL);
    for (uint32_t i = 0; i < weft_sweep_port_count(l.sweep); i++)
        if (weft_counters_state(c, i) != WEFT_COUNTERS_UNASKED)
            assert_int_equal(weft_counters_state(c, i), WEFT_COUNTERS_READ);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_a_switch_whose_sum_is_not_above_is_not_read_port_by_port(void **state)
{
    struct lab l = lab_new(FAT_TREE, "host-00001", true);
    struct weft_counters_config config;
    uint64_t limits[WEFT_PMA_ERRORS] = {0};
    struct weft_counters *c;

    (void)state;
    limits[WEFT_PMA_SYMBOL_ERRORS] = 9;
    ff_command(l.cf->ff, "counter leaf-0001/4 symbol_errors set 5");
    ff_command(l.cf->ff, "counter leaf-0001/5 symbol_errors set 4");
    ff_command(l.cf->ff, "counter leaf-0002/4 symbol_errors set 10");
    (void)weft_counters_config_init(&config);
    config.limits = limits;
    c = lab_read(&l, &config, NULL);
    assert_int_equal(state_at(&l, c, "leaf-0001", 4), WEFT_COUNTERS_QUIET);
    assert_int_equal(state_at(&l, c, "leaf-0002", 4), WEFT_COUNTERS_READ);
    assert_int_equal(values_at(&l, c, "leaf-0002", 4).value[WEFT_PMA_SYMBOL_ERRORS], 10);
    assert_int_equal(state_at(&l, c, "host-00001", 1), WEFT_COUNTERS_READ);
    /* 351 abilities, 27 sums, 324 hosts, one switch. */
    assert_int_equal(l.gets, 351 + 27 + 324 + 37);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_port_0_is_asked_where_it_is_an_enhanced_one(void **state)
{
    static const char base[] =
        "switchguid=0x10(10)\n"
        "Switch 2 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
        "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 0 4xEDR\n"
        "\n"
        "caguid=0x20\n"
        "Ca 1 \"H-0000000000000020\" # \"a\"\n"
        "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";
    struct lab l = lab_new(base, "a", true);
    struct weft_counters *c = lab_read(&l, NULL, NULL);
    struct weft_counters *again;

    (void)state;
    assert_int_equal(state_at(&l, c, "sw", 0), WEFT_COUNTERS_UNASKED);
    assert_int_equal(state_at(&l, c, "sw", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(&l, c, "sw", 2), WEFT_COUNTERS_READ);
    l.abilities = 0;
    again = lab_read(&l, NULL, c);
    assert_int_equal(l.abilities, 0);
    (void)weft_counters_free(again);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_without_LIDs_nobody_is_asked(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", false);
    struct weft_counters *c = lab_read(&l, NULL, NULL);

    (void)state;
    assert_int_equal(l.gets, 0);
    assert_int_equal(state_at(&l, c, "b", 1), WEFT_COUNTERS_NO_ADDRESS);
    assert_int_equal(state_at(&l, c, "sw", 3), WEFT_COUNTERS_NO_ADDRESS);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_a_reset_sets_both_attributes_to_0_and_only_when_asked(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *c;
    const struct port *p;

    (void)state;
    ff_command(l.cf->ff, "counter sw/2 symbol_errors set 70000");
    ff_command(l.cf->ff, "loss 100% on agent b");
    c = lab_read(&l, NULL, NULL);
    assert_int_equal(l.sets, 0);
    assert_false(weft_counters_was_reset(c, cf_port(l.sweep, "sw", 2)));
    assert_int_equal(weft_counters_reset(c), 0);
    drive(&l, c);
    p = ff_port(l.cf->ff, "sw", 2);
    assert_int_equal(p->counters.classic[COUNTER_SYMBOL_ERRORS], 0);
    assert_int_equal(p->counters.wide[COUNTER_SYMBOL_ERRORS], 0);
    assert_int_equal(values_at(&l, c, "sw", 2).value[WEFT_PMA_SYMBOL_ERRORS], 70000);
    assert_true(weft_counters_was_reset(c, cf_port(l.sweep, "sw", 2)));
    assert_false(weft_counters_was_reset(c, cf_port(l.sweep, "b", 1)));
    assert_int_equal(l.sets, 2 * 6);
    /* What an earlier reset was told says nothing of the next one. */
    l.cf->ff->now = l.cf->now;
    ff_command(l.cf->ff, "loss 100% on agent sw");
    assert_int_equal(weft_counters_reset(c), 0);
    drive(&l, c);
    assert_false(weft_counters_was_reset(c, cf_port(l.sweep, "sw", 2)));
    assert_true(weft_counters_was_reset(c, cf_port(l.sweep, "a", 1)));
    (void)weft_counters_free(c);
    lab_free(&l);
}

/* Answers a request that was posted nowhere. */
static void answer(struct weft_counters *c, const struct weft_mad_send_req *r, uint16_t status,
                   const uint8_t *attribute)
{
    struct weft_mad_event ev = {
        .type = WEFT_MAD_EVENT_RECV, .agent = r->agent, .user_data = r->user_data};
    uint8_t mad[WEFT_MAD_BYTES];

    memcpy(mad, r->data, sizeof(mad));
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    mad_set_status(mad, status);
    memcpy(mad + WEFT_ATTRIBUTE_OFFSET, attribute, GMP_ATTRIBUTE_BYTES);
    ev.u.recv.mad = mad;
    ev.u.recv.len = sizeof(mad);
    weft_counters_event(c, &ev);
    ev = cf_end(r, WEFT_MAD_OK, 1);
    weft_counters_event(c, &ev);
}

static struct weft_counters *pretend(const struct lab *l)
{
    struct weft_counters *c = NULL;

    assert_int_equal(weft_counters_new(l->sweep, NULL, NULL, l->agent, NULL, &c), 0);
    return c;
}

static void test_classic_counters_are_all_that_some_have(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *c = pretend(&l);
    struct weft_mad_send_req r;

    (void)state;
    while (weft_counters_poll(c, &r)) {
        uint8_t attribute[GMP_ATTRIBUTE_BYTES] = {0};

        assert_int_not_equal(mad_attr_id(r.data), WEFT_ATTR_PM_PORT_COUNTERS_EXT);
        if (mad_attr_id(r.data) == WEFT_ATTR_PM_PORT_COUNTERS) {
            memcpy(attribute, (const uint8_t *)r.data + WEFT_ATTRIBUTE_OFFSET, 2);
            wire_set(WIRE_PORT_COUNTERS_SYMBOL_ERRORS, attribute, 0xFFFF);
        }
        answer(c, &r, 0, attribute);
    }
    assert_true(weft_counters_done(c));
    assert_int_equal(state_at(&l, c, "sw", 3), WEFT_COUNTERS_READ);
    assert_int_equal(values_at(&l, c, "sw", 3).stuck, 1U << WEFT_PMA_SYMBOL_ERRORS);
    assert_false(weft_pma_has(values_at(&l, c, "sw", 3).present, WEFT_PMA_XMIT_WAIT));
    (void)weft_counters_free(c);
    lab_free(&l);
}

/* A sum that has reached the end of its field may be any above it. */
static void test_a_sum_that_is_stuck_is_above_every_limit(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters_config config;
    uint64_t limits[WEFT_PMA_ERRORS];
    struct weft_counters *c;

    (void)state;
    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++)
        limits[i] = 100000;
    ff_command(l.cf->ff, "pma sw extended none");
    ff_command(l.cf->ff, "counter sw/2 symbol_errors set 70000");
    (void)weft_counters_config_init(&config);
    config.limits = limits;
    c = lab_read(&l, &config, NULL);
    assert_int_equal(state_at(&l, c, "sw", 2), WEFT_COUNTERS_READ);
    assert_true(weft_pma_has(values_at(&l, c, "sw", 2).stuck, WEFT_PMA_SYMBOL_ERRORS));
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_both_attributes_where_the_extended_one_has_no_errors(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *c = pretend(&l);
    struct weft_mad_send_req r;
    unsigned classic = 0, extended = 0;

    (void)state;
    while (weft_counters_poll(c, &r)) {
        uint8_t attribute[GMP_ATTRIBUTE_BYTES] = {0};

        if (mad_attr_id(r.data) == WEFT_ATTR_CLASS_PORT_INFO)
            wire_set(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK, attribute, 0x0400);
        else
            memcpy(attribute, (const uint8_t *)r.data + WEFT_ATTRIBUTE_OFFSET, 2);
        classic += mad_attr_id(r.data) == WEFT_ATTR_PM_PORT_COUNTERS;
        extended += mad_attr_id(r.data) == WEFT_ATTR_PM_PORT_COUNTERS_EXT;
        answer(c, &r, 0, attribute);
    }
    assert_int_equal(classic, 7);
    assert_int_equal(extended, 7);
    assert_int_equal(state_at(&l, c, "b", 1), WEFT_COUNTERS_READ);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_who_refuses_or_speaks_of_another_port_is_not_believed(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *c = pretend(&l);
    struct weft_mad_send_req r;

    (void)state;
    while (weft_counters_poll(c, &r)) {
        uint8_t attribute[GMP_ATTRIBUTE_BYTES] = {0};
        uint8_t select = ((const uint8_t *)r.data)[WEFT_ATTRIBUTE_OFFSET + 1];

        memset(attribute + 2, 0xFF, 40);
        attribute[1] = select == 2 ? 3 : select;
        answer(c, &r, select == 3 || mad_attr_id(r.data) == WEFT_ATTR_CLASS_PORT_INFO ? 0x1C : 0,
               attribute);
    }
    assert_int_equal(state_at(&l, c, "sw", 1), WEFT_COUNTERS_READ);
    assert_int_equal(state_at(&l, c, "sw", 2), WEFT_COUNTERS_REFUSED);
    assert_int_equal(state_at(&l, c, "sw", 3), WEFT_COUNTERS_REFUSED);
    assert_int_equal(values_at(&l, c, "sw", 2).present, 0);
    assert_null(weft_counters_abilities(c, cf_port(l.sweep, "sw", 1)));
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_a_redirection_is_followed_once(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters *c = pretend(&l);
    struct weft_mad_send_req r;
    unsigned asked = 0;

    (void)state;
    while (weft_counters_poll(c, &r)) {
        uint8_t attribute[GMP_ATTRIBUTE_BYTES] = {0};

        assert_in_range(++asked, 1, 20);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_LID, attribute, 77);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QP, attribute, 5);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QKEY, attribute, 9);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, attribute, WEFT_PKEY_DEFAULT);
        if (asked > 3) {
            assert_int_equal(r.to.lid, 77);
            assert_int_equal(r.to.qpn, 5);
            assert_int_equal(r.to.qkey, 9);
        }
        answer(c, &r, WEFT_STATUS_REDIRECT, attribute);
    }
    /* Three agents twice, then their seven ports. */
    assert_int_equal(asked, 13);
    assert_int_equal(state_at(&l, c, "a", 1), WEFT_COUNTERS_REFUSED);
    (void)weft_counters_free(c);
    lab_free(&l);
}

static void test_configurations_out_of_range(void **state)
{
    struct lab l = lab_new(ff_two_hosts, "a", true);
    struct weft_counters_config config;
    struct weft_counters *c = NULL;

    (void)state;
    (void)weft_counters_config_init(&config);
    for (int i = 0; i < 2; i++) {
        config.patience.first = i == 0 ? 0 : WEFT_MS;
        config.size = i == 0 ? sizeof(config) : sizeof(config) - 8;
        assert_int_equal(weft_counters_new(l.sweep, &config, NULL, l.agent, NULL, &c),
                         WEFT_ERR_INVALID);
    }
    assert_null(c);
    assert_null(weft_counters_free(NULL));
    c = pretend(&l);
    assert_int_equal(weft_counters_reset(c), WEFT_ERR_STATE);
    (void)weft_counters_free(c);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_port_is_read_as_it_is),
        cmocka_unit_test(test_what_an_agent_has_is_asked_once),
        cmocka_unit_test(test_many_ports_of_a_switch_are_in_flight_together),
        cmocka_unit_test(test_who_is_silent_is_named_and_costs_nobody_else_time),
        cmocka_unit_test(test_more_dead_than_the_window_holds_do_not_stop_it),
        cmocka_unit_test(test_a_fabric_that_loses_20_percent_everywhere_is_read_whole),
        cmocka_unit_test(test_a_switch_whose_sum_is_not_above_is_not_read_port_by_port),
        cmocka_unit_test(test_port_0_is_asked_where_it_is_an_enhanced_one),
        cmocka_unit_test(test_without_LIDs_nobody_is_asked),
        cmocka_unit_test(test_a_reset_sets_both_attributes_to_0_and_only_when_asked),
        cmocka_unit_test(test_classic_counters_are_all_that_some_have),
        cmocka_unit_test(test_a_sum_that_is_stuck_is_above_every_limit),
        cmocka_unit_test(test_both_attributes_where_the_extended_one_has_no_errors),
        cmocka_unit_test(test_who_refuses_or_speaks_of_another_port_is_not_believed),
        cmocka_unit_test(test_a_redirection_is_followed_once),
        cmocka_unit_test(test_configurations_out_of_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
