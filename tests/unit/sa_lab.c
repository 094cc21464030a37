/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A scripted SA beyond a wire. */
#include "sa_lab.h"

#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOREVER (24 * 3600 * WEFT_S)

static weft_mad_agent_id far_agent(struct weft_mad_port *port)
{
    struct weft_mad_agent_req r = weft_sa_agent(false);
    weft_mad_agent_id id;

    r.methods[0] = UINT64_C(1) << WEFT_METHOD_GET | UINT64_C(1) << WEFT_METHOD_SET |
                   UINT64_C(1) << WEFT_METHOD_GET_TABLE | UINT64_C(1) << WEFT_METHOD_DELETE;
    assert_int_equal(weft_mad_agent_add(port, &r, &id), 0);
    return id;
}

static void ports_free(struct sl *l)
{
    (void)weft_mad_port_free(l->near);
    (void)weft_mad_port_free(l->far);
}

struct sl *sl_try(const struct weft_sa_config *c, const struct weft_alloc *a)
{
    const struct weft_mad_agent_req agent = weft_sa_agent(true);
    struct sl *l = calloc(1, sizeof(*l));
    struct weft_mad_config config;

    assert_non_null(l);
    (void)weft_mad_config_init(&config);
    config.rmpp.bytes_max = UINT64_C(8) << 20;
    assert_int_equal(weft_mad_port_new(&config, NULL, &l->near), 0);
    assert_int_equal(weft_mad_port_new(&config, NULL, &l->far), 0);
    assert_int_equal(weft_mad_port_set_lid(l->near, SL_NEAR_LID, 0), 0);
    assert_int_equal(weft_mad_agent_add(l->near, &agent, &l->agent), 0);
    l->far_agent = far_agent(l->far);
    l->at = SL_SM_LID;
    l->elsewhere_pkey = WEFT_PKEY_DEFAULT_FULL;
    l->stride = 64;
    l->count = 1;
    if (weft_sa_new(c, l->near, l->agent, a, &l->sa) != 0) {
        ports_free(l);
        free(l);
        return NULL;
    }
    weft_sa_sm(l->sa, 0, SL_SM_LID, 0);
    return l;
}

struct sl *sl_new(const struct weft_sa_config *c)
{
    struct sl *l = sl_try(c, NULL);

    assert_non_null(l);
    return l;
}

void sl_free(struct sl *l)
{
    struct weft_sa_stats stats;

    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.sent, l->packets);
    ports_free(l);
    (void)weft_sa_free(l->sa);
    for (unsigned i = 0; i < l->answer_count; i++)
        free(l->answers[i]);
    free(l);
}

/* A message with the head of a request, for the SA to send. */
static uint8_t *answer_new(struct sl *l, const uint8_t *request, uint32_t bytes)
{
    uint8_t *mad = calloc(1, bytes);

    assert_non_null(mad);
    assert_true(l->answer_count < SL_PACKETS);
    l->answers[l->answer_count++] = mad;
    memcpy(mad, request, WEFT_SA_DATA_OFFSET);
    mad_set_method(mad, mad_method(request) == WEFT_METHOD_SET
                            ? WEFT_METHOD_GET_RESP
                            : mad_method(request) | WEFT_METHOD_RESPONSE);
    return mad;
}

static void post(struct sl *l, const uint8_t *mad, uint32_t bytes, const struct weft_mad_addr *to)
{
    const struct weft_mad_send_req r = {
        .agent = l->far_agent, .to = *to, .data = mad, .len = bytes};

    assert_int_equal(weft_mad_post(l->far, l->now, &r, NULL), 0);
}

static void answer_table(struct sl *l, const uint8_t *request, const struct weft_mad_addr *to)
{
    uint32_t bytes = WEFT_SA_DATA_OFFSET + l->count * l->stride;
    uint8_t *mad = answer_new(l, request, bytes);

    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_set_type(mad, WEFT_RMPP_DATA);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE);
    wire_set(WIRE_SA_ATTR_OFFSET, mad, l->count > 0 && !l->hides_stride ? l->stride / 8 : 0);
    if (l->offset > 0)
        wire_set(WIRE_SA_ATTR_OFFSET, mad, l->offset);
    for (uint32_t i = 0; i < l->count; i++) {
        uint8_t *record = mad + WEFT_SA_DATA_OFFSET + i * l->stride;

        memcpy(record, l->record,
               l->stride < WEFT_SA_RECORD_BYTES ? l->stride : WEFT_SA_RECORD_BYTES);
        wire_set_be32(record + l->stride - 4, i);
    }
    post(l, mad, bytes, to);
}

/* A Get is answered by one MAD; this is a message of any length for it all the same. */
static void answer_short(struct sl *l, const uint8_t *request, const struct weft_mad_addr *to)
{
    uint8_t *mad = answer_new(l, request, WEFT_SA_DATA_OFFSET + l->stride);

    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_set_type(mad, WEFT_RMPP_DATA);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE);
    memcpy(mad + WEFT_SA_DATA_OFFSET, l->record, l->stride);
    post(l, mad, WEFT_SA_DATA_OFFSET + l->stride, to);
}

static void answer_one(struct sl *l, const uint8_t *request, enum sl_mood mood,
                       const struct weft_mad_addr *to)
{
    uint8_t *mad = answer_new(l, request, WEFT_MAD_BYTES);
    uint8_t *data = mad + WEFT_SA_DATA_OFFSET;

    if (mood == SL_BUSY)
        mad_set_status(mad, WEFT_STATUS_BUSY);
    else if (mood == SL_ABSENT)
        mad_set_status(mad, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    else if (mood == SL_REFUSES)
        mad_set_status(mad, l->status);
    else if (mood == SL_REDIRECTS)
        mad_set_status(mad, WEFT_STATUS_REDIRECT);
    else if (mood == SL_WRONG && l->method != 0)
        mad_set_method(mad, l->method);
    else if (mood == SL_WRONG)
        mad_set_attr_id(mad, mad_attr_id(mad) ^ 1);
    if (mood == SL_REDIRECTS ||
        (l->probe_redirects && mad_attr_id(request) == WEFT_ATTR_CLASS_PORT_INFO)) {
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_LID, data, l->elsewhere);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QP, data, WEFT_QP_GSI);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QKEY, data, WEFT_QKEY_GSI);
        wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, data, l->elsewhere_pkey);
        memcpy(data + wire_bytes_offset(WIRE_CLASS_PORT_INFO_REDIRECT_GID), l->elsewhere_gid, 16);
    } else if (mad_attr_id(request) != WEFT_ATTR_CLASS_PORT_INFO) {
        memcpy(data, l->record, WEFT_SA_RECORD_BYTES);
    }
    post(l, mad, WEFT_MAD_BYTES, to);
}

static void serve(struct sl *l, const struct weft_mad_event *ev)
{
    const uint8_t *mad = ev->u.recv.mad;
    bool probe = mad_attr_id(mad) == WEFT_ATTR_CLASS_PORT_INFO;
    enum sl_mood mood = probe && !l->probe_counts ? SL_ANSWERS : l->mood;

    if (l->change_after > 0 && l->packets > l->change_after)
        mood = SL_ANSWERS;
    if (mood == SL_REDIRECTS && ev->u.recv.dlid == l->elsewhere)
        mood = SL_ANSWERS;
    if (mood == SL_SILENT || (mood == SL_ABSENT && mad_method(mad) != WEFT_METHOD_GET))
        return;
    if (mood == SL_ANSWERS && mad_method(mad) == WEFT_METHOD_GET_TABLE)
        answer_table(l, mad, &ev->u.recv.from);
    else if (mood == SL_SHORT)
        answer_short(l, mad, &ev->u.recv.from);
    else
        answer_one(l, mad, mood, &ev->u.recv.from);
}

static void far_act(struct sl *l)
{
    struct weft_mad_event ev;

    while (weft_mad_poll_event(l->far, &ev)) {
        if (ev.type != WEFT_MAD_EVENT_RECV)
            continue;
        if (mad_method(ev.u.recv.mad) == WEFT_METHOD_REPORT_RESP)
            l->replies++;
        else
            serve(l, &ev);
        assert_int_equal(weft_mad_recv_release(l->far, ev.u.recv.id), 0);
    }
}

static void near_act(struct sl *l)
{
    struct weft_mad_event ev;

    while (weft_mad_poll_event(l->near, &ev)) {
        weft_sa_event(l->sa, l->now, &ev);
        if (ev.type == WEFT_MAD_EVENT_RECV)
            assert_int_equal(weft_mad_recv_release(l->near, ev.u.recv.id), 0);
    }
}

/* A request, and no ACK or answer. */
static bool is_request(const uint8_t *mad)
{
    return !mad_is_response(mad) && (rmpp_flags(mad) & WEFT_RMPP_FLAG_ACTIVE) == 0;
}

static bool carry_near(struct sl *l)
{
    struct weft_mad_tx tx;
    struct weft_mad_rx rx;

    if (!weft_mad_poll_tx(l->near, &tx))
        return false;
    rx = (struct weft_mad_rx){.qpn = 1,
                              .dlid = tx.to->lid,
                              .from = {.lid = SL_NEAR_LID, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                              .data = tx.data,
                              .len = tx.len};
    if (is_request(tx.data)) {
        assert_true(l->packets < SL_PACKETS);
        l->times[l->packets] = l->now;
        l->lids[l->packets++] = tx.to->lid;
        memcpy(l->last, tx.data, WEFT_MAD_BYTES);
        l->last_to = *tx.to;
    }
    if (tx.to->lid == l->at ||
        ((l->mood == SL_REDIRECTS || l->probe_redirects) && tx.to->lid == l->elsewhere))
        assert_int_equal(weft_mad_rx(l->far, l->now, &rx, NULL), 0);
    assert_int_equal(weft_mad_tx_done(l->near, l->now, tx.id, true), 0);
    return true;
}

static bool carry_far(struct sl *l)
{
    struct weft_mad_tx tx;
    struct weft_mad_rx rx;
    uint16_t from;

    if (!weft_mad_poll_tx(l->far, &tx))
        return false;
    from = l->packets > 0 ? l->lids[l->packets - 1] : l->at;
    rx = (struct weft_mad_rx){.qpn = 1,
                              .dlid = SL_NEAR_LID,
                              .from = {.lid = from, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                              .data = tx.data,
                              .len = tx.len};
    rx.from.has_grh = l->last_to.has_grh;
    memcpy(rx.from.grh.sgid, l->last_to.grh.dgid, 16);
    memcpy(rx.from.grh.dgid, l->last_to.grh.sgid, 16);
    assert_int_equal(weft_mad_rx(l->near, l->now, &rx, NULL), 0);
    assert_int_equal(weft_mad_tx_done(l->far, l->now, tx.id, true), 0);
    return true;
}

static void settle(struct sl *l)
{
    bool moved = true;

    while (moved) {
        weft_sa_move(l->sa, l->now);
        moved = carry_near(l);
        far_act(l);
        moved = carry_far(l) || moved;
        near_act(l);
        moved = moved || weft_sa_deadline(l->sa) <= l->now;
    }
}

/* Goes to the next deadline that is not beyond `until`.
 * Returns false: there is none. */
static bool step(struct sl *l, weft_time until)
{
    weft_time next = weft_sa_deadline(l->sa), near = weft_mad_deadline(l->near),
              far = weft_mad_deadline(l->far);

    next = near < next ? near : next;
    next = far < next ? far : next;
    if (next > until)
        return false;
    l->now = next > l->now ? next : l->now;
    assert_int_equal(weft_mad_advance(l->near, l->now), 0);
    assert_int_equal(weft_mad_advance(l->far, l->now), 0);
    near_act(l);
    far_act(l);
    settle(l);
    return true;
}

void sl_ask(struct sl *l, uint8_t method, uint16_t attr_id, uint64_t about)
{
    const struct weft_sa_question q = {.method = method, .attr_id = attr_id, .about = about};

    assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
}

struct weft_sa_result sl_result(struct sl *l)
{
    struct weft_sa_result r;

    settle(l);
    while (!weft_sa_poll(l->sa, &r))
        assert_true(step(l, FOREVER));
    return r;
}

void sl_run(struct sl *l, weft_time until)
{
    settle(l);
    while (step(l, until))
        continue;
    l->now = until;
}

static void report_send(struct sl *l, const uint8_t *mad)
{
    const struct weft_mad_send_req r = {
        .agent = l->far_agent,
        .to = {.lid = SL_NEAR_LID, .qpn = WEFT_QP_GSI, .qkey = WEFT_QKEY_GSI},
        .data = mad,
        .len = WEFT_MAD_BYTES,
        .timeout = WEFT_S};

    assert_int_equal(weft_mad_post(l->far, l->now, &r, NULL), 0);
    settle(l);
}

void sl_report(struct sl *l, uint16_t trap)
{
    uint8_t head[WEFT_SA_DATA_OFFSET] = {0};
    uint8_t *mad;

    mad_set_base_version(head, WEFT_MAD_BASE_VERSION);
    mad_set_class(head, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(head, 2);
    mad_set_tid(head, 100u + l->answer_count);
    mad_set_attr_id(head, WEFT_ATTR_NOTICE);
    mad = answer_new(l, head, WEFT_MAD_BYTES);
    mad_set_method(mad, WEFT_METHOD_REPORT);
    wire_set(WIRE_NOTICE_TRAP, mad + WEFT_SA_DATA_OFFSET, trap);
    report_send(l, mad);
}

void sl_report_again(struct sl *l)
{
    report_send(l, l->answers[l->answer_count - 1]);
}
