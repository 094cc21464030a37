/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Drives machines of src/client on a fabric in virtual time. */
#include "client_fixture.h"

#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Virtual time after which a machine is taken for one that never ends. */
#define FOREVER (3600 * WEFT_S)

struct cf *cf_new(const char *topology, const struct fabric_config *c, const char *node)
{
    const struct weft_mad_agent_req agent = {
        .qpn = WEFT_QP_SMI, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED, .class_version = 1};
    struct cf *cf = calloc(1, sizeof(*cf));
    struct weft_mad_config config;
    struct fabric_error error;
    struct fabric_tids tids;
    uint32_t number;
    uint8_t port;

    assert_non_null(cf);
    cf->ff = ff_new(topology, c);
    assert_int_equal(fabric_find(cf->ff->f, node, &number, &error), 0);
    assert_int_equal(fabric_attach(cf->ff->f, number, 0, &cf->id, &port, &tids), 0);
    (void)weft_mad_config_init(&config);
    config.tid_first = tids.first;
    config.tid_last = tids.last;
    config.hops_by_host = true;
    config.flow.agent_limits = false;
    assert_int_equal(weft_mad_port_new(&config, NULL, &cf->engine), 0);
    assert_int_equal(weft_mad_agent_add(cf->engine, &agent, &cf->agent), 0);
    return cf;
}

void cf_free(struct cf *cf)
{
    (void)weft_mad_port_free(cf->engine);
    ff_free(cf->ff);
    free(cf);
}

/* One of the machines. */
struct machine {
    struct weft_sweep *sweep;
    struct pkey_tables *tables;
    struct weft_counters *counters;
    struct survey *survey;
};

static bool machine_poll(const struct machine *m, struct weft_mad_send_req *ret)
{
    if (m->survey)
        return survey_poll(m->survey, ret);
    if (m->counters)
        return weft_counters_poll(m->counters, ret);
    return m->sweep ? weft_sweep_poll(m->sweep, ret) : pkey_tables_poll(m->tables, ret);
}

static void machine_event(const struct machine *m, const struct weft_mad_event *ev)
{
    if (m->survey)
        survey_event(m->survey, ev);
    else if (m->counters)
        weft_counters_event(m->counters, ev);
    else if (m->sweep)
        weft_sweep_event(m->sweep, ev);
    else
        pkey_tables_event(m->tables, ev);
}

static bool machine_done(const struct machine *m)
{
    if (m->survey)
        return survey_done(m->survey);
    if (m->counters)
        return weft_counters_done(m->counters);
    return m->sweep ? weft_sweep_done(m->sweep) : pkey_tables_done(m->tables);
}

static void receive(struct cf *cf)
{
    struct fabric_delivery d;

    while (fabric_poll(cf->ff->f, &d)) {
        struct weft_mad_rx rx = {
            .qpn = (uint8_t)d.packet->dst_qpn,
            .dlid = d.packet->dlid,
            .from = {.lid = d.packet->slid, .qpn = d.packet->src_qpn, .qkey = d.packet->qkey},
            .data = d.packet->mad,
            .len = WEFT_MAD_BYTES};

        assert_int_equal(weft_mad_rx(cf->engine, cf->now, &rx, NULL), 0);
    }
}

static void transmit(struct cf *cf)
{
    struct weft_mad_tx tx;

    while (weft_mad_poll_tx(cf->engine, &tx)) {
        struct packet p = {.dlid = tx.to->lid,
                           .slid = tx.qpn == WEFT_QP_SMI ? WEFT_LID_PERMISSIVE : 0,
                           .src_qpn = tx.qpn,
                           .dst_qpn = tx.to->qpn,
                           .qkey = tx.to->qkey};

        cf->packets++;
        cf->gmps += tx.to->qpn == WEFT_QP_GSI;
        memcpy(p.mad, tx.data, sizeof(p.mad));
        assert_int_equal(fabric_send(cf->ff->f, cf->now, cf->id, &p), 0);
        assert_int_equal(weft_mad_tx_done(cf->engine, cf->now, tx.id, true), 0);
        receive(cf);
    }
}

static bool act(struct cf *cf, const struct machine *m)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(cf->engine, &ev)) {
        any = true;
        cf->out -= ev.type == WEFT_MAD_EVENT_SEND_DONE;
        machine_event(m, &ev);
        if (ev.type == WEFT_MAD_EVENT_RECV)
            assert_int_equal(weft_mad_recv_release(cf->engine, ev.u.recv.id), 0);
    }
    return any;
}

static void drive(struct cf *cf, const struct machine *m)
{
    struct weft_mad_send_req request;
    weft_time engine, fabric;

    for (;;) {
        while (machine_poll(m, &request)) {
            assert_int_equal(weft_mad_post(cf->engine, cf->now, &request, NULL), 0);
            cf->posts++;
            if (++cf->out > cf->most_out)
                cf->most_out = cf->out;
        }
        if (machine_done(m))
            return;
        transmit(cf);
        if (act(cf, m))
            continue;
        engine = weft_mad_deadline(cf->engine);
        fabric = fabric_deadline(cf->ff->f);
        cf->now = engine < fabric ? engine : fabric;
        assert_in_range(cf->now, 0, FOREVER);
        assert_int_equal(fabric_advance(cf->ff->f, cf->now), 0);
        receive(cf);
        assert_int_equal(weft_mad_advance(cf->engine, cf->now), 0);
        (void)act(cf, m);
    }
}

void cf_drive_sweep(struct cf *cf, struct weft_sweep *s)
{
    drive(cf, &(struct machine){.sweep = s});
}

void cf_drive_counters(struct cf *cf, struct weft_counters *c)
{
    drive(cf, &(struct machine){.counters = c});
}

void cf_drive_survey(struct cf *cf, struct survey *s)
{
    drive(cf, &(struct machine){.survey = s});
}

void cf_drive_tables(struct cf *cf, struct pkey_tables *t)
{
    drive(cf, &(struct machine){.tables = t});
}

struct weft_sweep *cf_sweep_expecting(struct cf *cf, const struct weft_sweep_config *c,
                                      const struct weft_sweep_prior *known)
{
    struct weft_sweep *s = NULL;

    assert_int_equal(weft_sweep_new(c, cf->agent, NULL, &s), 0);
    if (known)
        weft_sweep_expect(s, known);
    cf_drive_sweep(cf, s);
    return s;
}

struct weft_sweep *cf_sweep(struct cf *cf, const struct weft_sweep_config *c)
{
    return cf_sweep_expecting(cf, c, NULL);
}

static void know(struct weft_sweep_prior *k, const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    struct weft_sweep_prior_port known = {.guid = weft_sweep_node(s, p->node)->guid,
                                          .lid = p->lid,
                                          .lmc = p->lmc,
                                          .number = p->number};

    if (p->peer != WEFT_SWEEP_NONE) {
        known.peer_guid = weft_sweep_node(s, weft_sweep_port(s, p->peer)->node)->guid;
        known.peer_number = weft_sweep_port(s, p->peer)->number;
        (void)snprintf(known.width, sizeof(known.width), "%s", weft_sweep_width_word(s, port));
        (void)snprintf(known.speed, sizeof(known.speed), "%s", weft_sweep_speed_word(s, port));
    }
    assert_int_equal(weft_sweep_prior_add(k, &known), 0);
}

struct weft_sweep_prior *cf_prior(uint32_t ports)
{
    struct weft_sweep_prior *k = NULL;

    assert_int_equal(weft_sweep_prior_new(ports, NULL, &k), 0);
    return k;
}

struct weft_sweep_prior *cf_known(const struct weft_sweep *s)
{
    struct weft_sweep_prior *k = cf_prior(weft_sweep_port_count(s));

    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(s, i);
        bool is_port0 = p->number == 0 && weft_sweep_node(s, p->node)->type == WEFT_SWEEP_SWITCH;

        if (is_port0 || p->peer != WEFT_SWEEP_NONE)
            know(k, s, i);
    }
    return k;
}

struct pkey_tables *cf_tables(struct cf *cf, const struct weft_sweep *s,
                              const struct weft_sweep_config *c)
{
    struct pkey_tables *t = NULL;

    assert_int_equal(pkey_tables_new(s, c, cf->agent, NULL, &t), 0);
    cf_drive_tables(cf, t);
    return t;
}

const struct weft_sweep_node *cf_node(const struct weft_sweep *s, const char *name)
{
    for (uint32_t i = 0; i < weft_sweep_node_count(s); i++)
        if (strcmp(weft_sweep_node(s, i)->name, name) == 0)
            return weft_sweep_node(s, i);
    return NULL;
}

uint32_t cf_port(const struct weft_sweep *s, const char *name, uint8_t number)
{
    const struct weft_sweep_node *n = cf_node(s, name);

    if (!n) {
        fail_msg("%s was not found", name);
        abort(); /* fail_msg() does not come back, which compilers are not told */
    }
    assert_in_range(number, 0, n->port_count);
    return n->first_port + number;
}

struct weft_mad_event cf_answer(const struct weft_mad_send_req *r, const uint8_t *attribute,
                                uint8_t mad[WEFT_MAD_BYTES])
{
    struct weft_mad_event ev = {
        .type = WEFT_MAD_EVENT_RECV, .agent = r->agent, .user_data = r->user_data};

    memcpy(mad, r->data, WEFT_MAD_BYTES);
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    mad_set_status(mad, 0x8000);
    memcpy(mad + WEFT_ATTRIBUTE_OFFSET, attribute, WEFT_ATTRIBUTE_BYTES);
    ev.u.recv.mad = mad;
    ev.u.recv.len = WEFT_MAD_BYTES;
    ev.u.recv.solicited = true;
    return ev;
}

uint64_t cf_route_guid(const uint8_t *mad)
{
    /* FNV-1a of the initial path of an SMP (IBA 14.2.1.2). */
    uint64_t hash = 14695981039346656037U;

    for (uint8_t i = 1; i <= mad[7]; i++)
        hash = (hash ^ mad[128 + i]) * 1099511628211U;
    return hash;
}

struct weft_mad_event cf_end(const struct weft_mad_send_req *r, enum weft_mad_status status,
                             uint16_t attempts)
{
    struct weft_mad_event ev = {
        .type = WEFT_MAD_EVENT_SEND_DONE, .agent = r->agent, .user_data = r->user_data};

    ev.u.sent.status = status;
    ev.u.sent.attempts = attempts;
    return ev;
}
