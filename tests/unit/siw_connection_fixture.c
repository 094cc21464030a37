/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider between a real connection manager, QPs that only note, and a host of no sockets. */
#include "siw_connection_fixture.h"

static struct qp qps[LAB_QPS];

struct qp *lab_qp(uint32_t qpn)
{
    assert_in_range(qpn, 1, LAB_QPS);
    return &qps[qpn - 1];
}

/* The QP's side of stream.h */
int verbs_new(struct weft_siw *s)
{
    void *p = siw_take(s, 1, 1);

    s->verbs.qps.base = p;
    return p ? 0 : WEFT_ERR_NOMEM;
}

void verbs_free(struct weft_siw *s)
{
    siw_give(s, s->verbs.qps.base, 1);
}

struct qp *qp_find(const struct weft_siw *s, uint32_t qpn)
{
    (void)s;
    return qpn >= 1 && qpn <= LAB_QPS && qps[qpn - 1].exists ? &qps[qpn - 1] : NULL;
}

bool qp_connectable(const struct qp *qp)
{
    return qp->connectable;
}

void qp_connect(struct weft_siw *s, struct qp *qp, struct ep *ep, const struct terms *t)
{
    (void)s;
    assert_true(qp->connectable);
    assert_false(qp->connected);
    qp->connected = true;
    qp->ep = ep;
    qp->terms = *t;
}

void qp_rx(struct weft_siw *s, struct qp *qp, const uint8_t *data, size_t bytes)
{
    (void)s;
    assert_true(qp->connected);
    assert_true(qp->rx_bytes + bytes <= sizeof(qp->rx));
    memcpy(qp->rx + qp->rx_bytes, data, bytes);
    qp->rx_bytes += bytes;
}

void *qp_rx_window(struct weft_siw *s, struct qp *qp, size_t *ret_bytes)
{
    (void)s;
    if (qp->window == 0)
        return NULL;
    *ret_bytes = qp->window;
    return qp->rx + qp->rx_bytes;
}

void qp_rx_placed(struct weft_siw *s, struct qp *qp, size_t bytes)
{
    (void)s;
    qp->rx_bytes += bytes;
}

bool qp_fill(struct weft_siw *s, struct qp *qp, const struct weft_siw_part **ret_parts,
             uint32_t *ret_count, size_t *ret_bytes)
{
    (void)s;
    if (!qp->tx)
        return false;
    qp->part.data = qp->tx + qp->tx_done;
    qp->part.bytes = strlen(qp->tx) - qp->tx_done;
    *ret_parts = &qp->part;
    *ret_count = 1;
    *ret_bytes = qp->part.bytes;
    return true;
}

void qp_written(struct weft_siw *s, struct qp *qp, size_t bytes)
{
    (void)s;
    assert_non_null(qp->tx);
    qp->tx_done += bytes;
    if (qp->tx_done == strlen(qp->tx)) {
        qp->tx = NULL;
        qp->tx_done = 0;
    }
}

void qp_close(struct weft_siw *s, struct qp *qp)
{
    qp->closes++;
    if (qp->drains)
        connection_drained(s, qp->ep);
}

void qp_abort(struct weft_siw *s, struct qp *qp)
{
    (void)s;
    assert_true(qp->connected);
    qp->aborts++;
}

bool qp_peer_fin(struct weft_siw *s, struct qp *qp)
{
    qp->fins++;
    if (qp->fin_abortive)
        return false;
    if (qp->drains)
        connection_drained(s, qp->ep);
    return true;
}

void qp_unbind(struct weft_siw *s, struct qp *qp, bool orderly)
{
    (void)s;
    assert_true(qp->connected);
    qp->connected = false;
    qp->orderly = orderly;
    qp->unbinds++;
}

void qp_timer(struct weft_siw *s, struct qp *qp)
{
    (void)s;
    assert_true(qp->connected);
    qp->timers++;
}

uint32_t terminate_fpdu(const struct terminate *t, bool crc, void *out)
{
    uint8_t *p = out;

    /* what it is made of, not how: the error, and whether with CRC */
    p[0] = 0xEE;
    p[1] = (uint8_t)(t->error >> 8);
    p[2] = (uint8_t)t->error;
    p[3] = crc;
    return 4;
}

size_t lab_hex(const char *hex, uint8_t *out, size_t room)
{
    static const char digits[] = "0123456789abcdef";
    size_t nibbles = 0;

    for (; *hex; hex++) {
        const char *d = strchr(digits, *hex);

        if (*hex == ' ')
            continue;
        assert_non_null(d);
        assert_true(nibbles / 2 < room);
        if (nibbles % 2 == 0)
            out[nibbles / 2] = (uint8_t)((d - digits) << 4);
        else
            out[nibbles / 2] |= (uint8_t)(d - digits);
        nibbles++;
    }
    assert_int_equal(nibbles % 2, 0);
    return nibbles / 2;
}

void lab_open(struct lab *l, const struct weft_siw_config *c)
{
    struct weft_siw_config defaults = WEFT_SIW_CONFIG_INIT;
    struct weft_iwcm_config cm = WEFT_IWCM_CONFIG_INIT;

    memset(l, 0, sizeof(*l));
    memset(qps, 0, sizeof(qps));
    assert_int_equal(weft_iwcm_new(&cm, NULL, &l->cm), 0);
    assert_int_equal(weft_siw_new(c ? c : &defaults, NULL, l->cm, &l->siw), 0);
    for (uint32_t qpn = 1; qpn <= LAB_QPS; qpn++) {
        lab_qp(qpn)->exists = true;
        lab_qp(qpn)->connectable = true;
        assert_int_equal(weft_iwcm_qp_add(l->cm, qpn), 0);
    }
    assert_int_equal(weft_iwcm_create(l->cm, 0, &l->id), 0);
}

void lab_close(struct lab *l)
{
    struct weft_iwcm_stats stats;

    weft_iwcm_stats(l->cm, &stats);
    assert_int_equal(stats.violations, 0);
    assert_null(weft_siw_free(l->siw));
    assert_null(weft_iwcm_free(l->cm));
}

void lab_op(struct lab *l, enum weft_siw_op_type type)
{
    assert_true(weft_siw_poll_op(l->siw, l->now, &l->op));
    assert_int_equal(l->op.type, type);
}

void lab_no_op(struct lab *l)
{
    assert_false(weft_siw_poll_op(l->siw, l->now, &l->op));
}

size_t lab_write_any(struct lab *l)
{
    size_t bytes = 0;

    lab_op(l, WEFT_SIW_OP_WRITE);
    for (uint32_t i = 0; i < l->op.part_count; i++) {
        assert_true(bytes + l->op.parts[i].bytes <= sizeof(l->written));
        memcpy(l->written + bytes, l->op.parts[i].data, l->op.parts[i].bytes);
        bytes += l->op.parts[i].bytes;
    }
    assert_int_equal(bytes, l->op.bytes);
    assert_int_equal(weft_siw_tcp_written(l->siw, l->now, l->op.ep, bytes), 0);
    return bytes;
}

void lab_writes(struct lab *l, const char *hex)
{
    uint8_t wanted[1024];
    size_t bytes = lab_hex(hex, wanted, sizeof(wanted));

    assert_int_equal(lab_write_any(l), bytes);
    assert_memory_equal(l->written, wanted, bytes);
}

void lab_rx(struct lab *l, const char *hex)
{
    uint8_t data[1024];
    size_t bytes = lab_hex(hex, data, sizeof(data));

    assert_int_equal(weft_siw_tcp_rx(l->siw, l->now, l->ep, data, bytes), 0);
}

void lab_fin(struct lab *l)
{
    assert_int_equal(weft_siw_tcp_end(l->siw, l->now, l->ep, false), 0);
}

void lab_rst(struct lab *l)
{
    assert_int_equal(weft_siw_tcp_end(l->siw, l->now, l->ep, true), 0);
}

void lab_wait(struct lab *l, weft_time ns)
{
    l->now += ns;
    assert_int_equal(weft_siw_advance(l->siw, l->now), 0);
}

void lab_event(struct lab *l, enum weft_iwcm_event_type type)
{
    assert_true(weft_iwcm_poll_event(l->cm, &l->event));
    assert_int_equal(l->event.type, type);
}

void lab_done(struct lab *l, enum weft_iwcm_call call, enum weft_iwcm_status status)
{
    lab_event(l, WEFT_IWCM_EVENT_DONE);
    assert_int_equal(l->event.call, call);
    assert_int_equal(l->event.status, status);
}

void lab_no_event(struct lab *l)
{
    assert_false(weft_iwcm_poll_event(l->cm, &l->event));
}

enum weft_iwcm_state lab_state(struct lab *l)
{
    enum weft_iwcm_state state = WEFT_IWCM_STATES;

    assert_int_equal(weft_iwcm_state(l->cm, l->id, &state), 0);
    return state;
}

static const struct weft_iw_addr here = {.family = 4, .port = 1000, .ip = {127, 0, 0, 1}};
static const struct weft_iw_addr there = {.family = 4, .port = 7174, .ip = {127, 0, 0, 2}};

void lab_dial(struct lab *l, const struct weft_iwcm_param *p)
{
    assert_int_equal(weft_iwcm_connect(l->cm, l->id, NULL, &there, p), 0);
    lab_op(l, WEFT_SIW_OP_DIAL);
    assert_int_equal(l->op.remote.port, there.port);
    l->ep = l->op.ep;
    lab_done(l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    lab_no_op(l);
    assert_int_equal(weft_siw_tcp_up(l->siw, l->now, l->ep, &here, LAB_MSS), 0);
}

void lab_listen(struct lab *l)
{
    assert_int_equal(weft_iwcm_listen(l->cm, l->id, &there, 7), 0);
    lab_op(l, WEFT_SIW_OP_BIND);
    assert_int_equal(l->op.backlog, 7);
    l->listener = l->op.ep;
    lab_no_op(l);
    lab_no_event(l);
    assert_int_equal(weft_siw_tcp_bound(l->siw, l->now, l->listener, &there), 0);
    lab_done(l, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_OK);
    assert_int_equal(l->event.local.port, there.port);
}

void lab_incoming(struct lab *l)
{
    assert_int_equal(
        weft_siw_tcp_incoming(l->siw, l->now, l->listener, &there, &here, LAB_MSS, &l->ep), 0);
}

void lab_requested(struct lab *l)
{
    lab_listen(l);
    lab_incoming(l);
    lab_rx(l, HEX_REQ_V2);
    lab_event(l, WEFT_IWCM_EVENT_REQUEST);
    l->id = l->event.id;
}

void lab_accepted(struct lab *l)
{
    struct weft_iwcm_param p = lab_param(1, 1);

    lab_requested(l);
    assert_int_equal(weft_iwcm_accept(l->cm, l->id, &p), 0);
    lab_writes(l, HEX_REP_V2);
    lab_done(l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    lab_event(l, WEFT_IWCM_EVENT_ESTABLISHED);
}

void lab_connected(struct lab *l)
{
    struct weft_iwcm_param p = lab_param(1, 1);

    lab_dial(l, &p);
    lab_writes(l, HEX_REQ_V2);
    lab_rx(l, HEX_REP_V2);
    lab_event(l, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(l->event.status, WEFT_IWCM_OK);
    assert_true(lab_qp(1)->connected);
}
