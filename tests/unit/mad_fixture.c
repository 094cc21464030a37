/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bench of the MAD engine's tests. */
#include "mad_fixture.h"

#include "core/mad/audit.h"

#include <stdlib.h>
#include <string.h>

struct weft_mad_config fx_config(void)
{
    struct weft_mad_config c;

    assert_int_equal(weft_mad_config_init(&c), 0);
    return c;
}

static struct fx *fx_open(const struct weft_mad_config *c)
{
    struct weft_mad_config defaults = fx_config();
    struct fx *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->mads = calloc(FX_REQUESTS, sizeof(*f->mads));
    assert_non_null(f->mads);
    f->sends = calloc(FX_REQUESTS, sizeof(*f->sends));
    assert_non_null(f->sends);
    f->now = WEFT_S;
    f->lid = FX_LID;
    assert_int_equal(weft_mad_port_new(c ? c : &defaults, NULL, &f->port), 0);
    assert_int_equal(weft_mad_port_set_lid(f->port, f->lid, 0), 0);
    return f;
}

struct fx *fx_new(const struct weft_mad_config *c, uint8_t mgmt_class)
{
    struct fx *f = fx_open(c);
    struct weft_mad_agent_req r = fx_agent_req(mgmt_class);

    f->mgmt_class = mgmt_class;
    if (mgmt_class != 0)
        f->agent = fx_agent(f, &r);
    return f;
}

struct fx *fx_new_rmpp(const struct weft_mad_config *c, uint8_t mgmt_class)
{
    struct fx *f = fx_open(c);
    struct weft_mad_agent_req r = fx_agent_req(mgmt_class);

    f->mgmt_class = mgmt_class;
    r.rmpp_version = 1;
    r.methods[0] = r.methods[1] = UINT64_MAX;
    f->agent = fx_agent(f, &r);
    return f;
}

void fx_abandon(struct fx *f)
{
    weft_mad_port_free(f->port);
    free(f->sends);
    free(f->mads);
    free(f);
}

void fx_free(struct fx *f)
{
    fx_audit(f);
    fx_abandon(f);
}

void fx_audit(const struct fx *f)
{
    const char *broken = mad_audit(f->port);

    if (broken)
        fail_msg("broken: %s", broken);
}

struct weft_mad_agent_req fx_agent_req(uint8_t mgmt_class)
{
    return (struct weft_mad_agent_req){
        .qpn = mad_class_is_smi(mgmt_class) ? 0 : 1,
        .mgmt_class = mgmt_class,
        .class_version = packet_class_version(mgmt_class),
        .oui = {0, 0x14, 0x05},
    };
}

weft_mad_agent_id fx_agent(struct fx *f, const struct weft_mad_agent_req *r)
{
    weft_mad_agent_id id;

    assert_int_equal(weft_mad_agent_add(f->port, r, &id), 0);
    fx_audit(f);
    return id;
}

void fx_own_method(struct weft_mad_agent_req *r, unsigned method)
{
    r->methods[method / 64] |= UINT64_C(1) << method % 64;
}

void fx_mad(uint8_t *mad, uint8_t mgmt_class, uint8_t method, uint64_t tid)
{
    packet_build(mad, mgmt_class, method, tid);
    if (mgmt_class == WEFT_CLASS_SUBN_DIRECTED)
        packet_directed(mad, 1);
}

struct weft_mad_send_req fx_request(struct fx *f, unsigned n)
{
    assert_true(n < FX_REQUESTS);
    fx_mad(f->mads[n], f->mgmt_class,
           f->mgmt_class == WEFT_CLASS_CM ? WEFT_METHOD_SEND : WEFT_METHOD_GET, n);
    return (struct weft_mad_send_req){
        .agent = f->agent,
        .to = {.lid = FX_PEER_LID, .qpn = mad_class_is_smi(f->mgmt_class) ? 0 : 1},
        .data = f->mads[n],
        .len = WEFT_MAD_BYTES,
        .timeout = FX_TIMEOUT,
        .user_data = n,
    };
}

weft_mad_send_id fx_post(struct fx *f, const struct weft_mad_send_req *r)
{
    weft_mad_send_id id;

    assert_int_equal(weft_mad_post(f->port, f->now, r, &id), 0);
    if (r->user_data < FX_REQUESTS)
        f->sends[r->user_data] = id;
    fx_audit(f);
    return id;
}

weft_mad_send_id fx_ask(struct fx *f, unsigned n)
{
    struct weft_mad_send_req r = fx_request(f, n);

    return fx_post(f, &r);
}

void fx_ask_all(struct fx *f, unsigned first, unsigned last)
{
    for (unsigned n = first; n <= last; n++)
        fx_ask(f, n);
}

weft_mad_tx_id fx_take(struct fx *f)
{
    struct weft_mad_tx tx;

    assert_true(weft_mad_poll_tx(f->port, &tx));
    assert_int_equal(tx.len, WEFT_MAD_BYTES);
    memcpy(f->packet, tx.data, sizeof(f->packet));
    f->packet_to = *tx.to;
    fx_audit(f);
    return tx.id;
}

bool fx_tx_empty(struct fx *f)
{
    struct weft_mad_tx tx;
    bool empty = !weft_mad_poll_tx(f->port, &tx);

    fx_audit(f);
    return empty;
}

void fx_done(struct fx *f, weft_mad_tx_id id, bool ok)
{
    assert_int_equal(weft_mad_tx_done(f->port, f->now, id, ok), 0);
    fx_audit(f);
}

void fx_send(struct fx *f)
{
    fx_done(f, fx_take(f), true);
}

void fx_send_fails(struct fx *f)
{
    fx_done(f, fx_take(f), false);
}

bool fx_send_any(struct fx *f)
{
    struct weft_mad_tx tx;

    if (!weft_mad_poll_tx(f->port, &tx))
        return false;
    memcpy(f->packet, tx.data, sizeof(f->packet));
    f->packet_to = *tx.to;
    fx_done(f, tx.id, true);
    return true;
}

unsigned fx_send_all(struct fx *f)
{
    unsigned count = 0;

    while (fx_send_any(f))
        count++;
    return count;
}

unsigned fx_packet_number(const struct fx *f)
{
    return (unsigned)(mad_tid(f->packet) & UINT32_MAX);
}

uint64_t fx_tid(const struct fx *f, unsigned n)
{
    uint32_t upper;

    assert_int_equal(weft_mad_agent_tid(f->port, f->agent, &upper), 0);
    return (uint64_t)upper << 32 | n;
}

enum weft_mad_verdict fx_rx_from(struct fx *f, const struct weft_mad_rx *rx)
{
    enum weft_mad_verdict verdict;

    assert_int_equal(weft_mad_rx(f->port, f->now, rx, &verdict), 0);
    fx_audit(f);
    return verdict;
}

enum weft_mad_verdict fx_rx(struct fx *f, const uint8_t *mad)
{
    uint8_t qpn = mad_class_is_smi(mad_class(mad)) ? 0 : 1;
    struct weft_mad_rx rx = {.qpn = qpn,
                             .dlid = f->lid,
                             .from = {.lid = FX_PEER_LID, .qpn = qpn},
                             .data = mad,
                             .len = WEFT_MAD_BYTES};

    return fx_rx_from(f, &rx);
}

void fx_answer_mad(const struct fx *f, unsigned n, uint16_t status, uint8_t *mad)
{
    packet_answer(mad, f->mads[n], status);
    mad_set_tid(mad, fx_tid(f, n));
}

static enum weft_mad_verdict fx_answer_status(struct fx *f, unsigned n, uint16_t status)
{
    uint8_t mad[WEFT_MAD_BYTES];

    fx_answer_mad(f, n, status, mad);
    return fx_rx(f, mad);
}

enum weft_mad_verdict fx_answer(struct fx *f, unsigned n)
{
    return fx_answer_status(f, n, WEFT_STATUS_OK);
}

enum weft_mad_verdict fx_answer_busy(struct fx *f, unsigned n)
{
    return fx_answer_status(f, n, WEFT_STATUS_BUSY);
}

void fx_advance(struct fx *f, weft_time by)
{
    f->now += by;
    assert_int_equal(weft_mad_advance(f->port, f->now), 0);
    fx_audit(f);
}

enum weft_mad_state fx_state(const struct fx *f, weft_mad_send_id id)
{
    enum weft_mad_state state;

    assert_int_equal(weft_mad_send_state(f->port, id, &state), 0);
    return state;
}

void fx_cancel(struct fx *f, weft_mad_send_id id)
{
    assert_int_equal(weft_mad_cancel(f->port, f->now, id), 0);
    fx_audit(f);
}

void fx_remove_agent(struct fx *f, weft_mad_agent_id id)
{
    assert_int_equal(weft_mad_agent_remove(f->port, f->now, id), 0);
    fx_audit(f);
}

struct weft_mad_port_stats fx_stats(const struct fx *f)
{
    struct weft_mad_port_stats st;

    weft_mad_port_stats(f->port, &st);
    return st;
}

struct weft_mad_agent_stats fx_agent_stats(const struct fx *f)
{
    struct weft_mad_agent_stats st;

    assert_int_equal(weft_mad_agent_stats(f->port, f->agent, &st), 0);
    return st;
}

bool fx_event(struct fx *f)
{
    bool any = weft_mad_poll_event(f->port, &f->event);

    fx_audit(f);
    return any;
}

/* The next event must be of this type. */
static void fx_expect_type(struct fx *f, enum weft_mad_event_type type, const char *file, int line)
{
    _assert_int_equal(fx_event(f), true, file, line);
    _assert_int_equal(f->event.type, type, file, line);
}

void fx_expect_done_at(struct fx *f, unsigned n, enum weft_mad_status status, const char *file,
                       int line)
{
    fx_expect_type(f, WEFT_MAD_EVENT_SEND_DONE, file, line);
    _assert_int_equal(f->event.user_data, n, file, line);
    _assert_string_equal(weft_mad_status_name(f->event.u.sent.status), weft_mad_status_name(status),
                         file, line);
}

void fx_expect_recv_at(struct fx *f, unsigned n, const char *file, int line)
{
    fx_expect_type(f, WEFT_MAD_EVENT_RECV, file, line);
    _assert_int_equal(f->event.user_data, n, file, line);
    _assert_int_equal(f->event.u.recv.solicited, true, file, line);
    _assert_true(weft_mad_recv_release(f->port, f->event.u.recv.id) == 0, "released", file, line);
    fx_audit(f);
}

weft_mad_recv_id fx_expect_unsolicited_at(struct fx *f, uint64_t tid, const char *file, int line)
{
    fx_expect_type(f, WEFT_MAD_EVENT_RECV, file, line);
    _assert_int_equal(f->event.user_data, 0, file, line);
    _assert_int_equal(f->event.u.recv.solicited, false, file, line);
    _assert_int_equal(mad_tid(f->event.u.recv.mad), tid, file, line);
    return f->event.u.recv.id;
}

void fx_expect_nothing_at(struct fx *f, const char *file, int line)
{
    _assert_int_equal(fx_tx_empty(f), true, file, line);
    _assert_int_equal(fx_event(f), false, file, line);
}

unsigned fx_drain(struct fx *f, enum weft_mad_status status)
{
    unsigned count = 0;

    while (fx_event(f)) {
        if (f->event.type == WEFT_MAD_EVENT_SEND_DONE)
            count += f->event.u.sent.status == status ? 1 : 0;
        else
            assert_int_equal(weft_mad_recv_release(f->port, f->event.u.recv.id), 0);
    }
    return count;
}

void fx_expect_idle(struct fx *f)
{
    struct weft_mad_port_stats st = fx_stats(f);

    fx_expect_nothing(f);
    assert_int_equal(st.sends, 0);
    assert_int_equal(st.outstanding, 0);
    assert_int_equal(st.queued, 0);
    assert_int_equal(st.recv_held, 0);
    assert_int_equal(st.tx_held[0] + st.tx_held[1], 0);
    assert_int_equal(st.rmpp_transfers, 0);
    assert_int_equal(st.rmpp_bytes, 0);
    assert_int_equal(st.illegal, 0);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
}

void fx_segment_mad(const struct fx_segment *s, uint8_t *mad)
{
    fx_mad(mad, s->mgmt_class, s->method, s->tid);
    packet_rmpp(mad, (enum weft_rmpp_type)s->type, s->flags, s->segment, s->length);
    rmpp_set_status(mad, s->status);
    memset(mad + mad_class_data_offset(s->mgmt_class), (int)(s->segment % 251),
           WEFT_MAD_BYTES - mad_class_data_offset(s->mgmt_class));
}

enum weft_mad_verdict fx_rx_segment(struct fx *f, const struct fx_segment *s)
{
    uint8_t mad[WEFT_MAD_BYTES];

    fx_segment_mad(s, mad);
    return fx_rx(f, mad);
}

enum fx_fate fx_fate_special(struct fx_wire *w, const uint8_t *mad, bool from_a)
{
    (void)mad;
    (void)from_a;
    return w->packets == w->special ? w->action : FX_DELIVER;
}

static void fx_wire_arrive(struct fx *to, struct fx_wire *w, const struct weft_mad_rx *rx)
{
    assert_int_equal(weft_mad_rx(to->port, w->a->now, rx, NULL), 0);
}

/* Carries one packet of one direction.
 * @return whether there was one */
static bool fx_wire_carry(struct fx_wire *w, bool from_a)
{
    struct fx *from = from_a ? w->a : w->b, *to = from_a ? w->b : w->a;
    enum fx_fate fate = FX_DELIVER;
    struct weft_mad_tx tx;
    struct weft_mad_rx rx;
    bool kept = w->kept[from_a];

    if (!weft_mad_poll_tx(from->port, &tx))
        return false;
    rx = (struct weft_mad_rx){
        .qpn = tx.qpn, .dlid = tx.to->lid, .from = {.lid = from->lid, .qpn = tx.qpn}};
    rx.data = tx.data;
    rx.len = tx.len;
    if (w->fate)
        fate = w->fate(w, tx.data, from_a);
    w->packets++;
    if (fate == FX_SWAP) {
        memcpy(w->kept_mad[from_a], tx.data, WEFT_MAD_BYTES);
        w->kept_rx[from_a] = rx;
        w->kept_rx[from_a].data = w->kept_mad[from_a];
        w->kept[from_a] = true;
    } else if (fate != FX_LOSE) {
        fx_wire_arrive(to, w, &rx);
    }
    if (fate == FX_TWICE)
        fx_wire_arrive(to, w, &rx);
    if (kept) {
        w->kept[from_a] = false;
        fx_wire_arrive(to, w, &w->kept_rx[from_a]);
    }
    assert_int_equal(weft_mad_tx_done(from->port, w->a->now, tx.id, true), 0);
    return true;
}

static bool fx_wire_serve(struct fx_wire *w, struct fx *at)
{
    if (!weft_mad_poll_event(at->port, &at->event))
        return false;
    if (w->serve)
        w->serve(w, at);
    else if (at->event.type != WEFT_MAD_EVENT_SEND_DONE)
        assert_int_equal(weft_mad_recv_release(at->port, at->event.u.recv.id), 0);
    return true;
}

void fx_wire_settle(struct fx_wire *w)
{
    bool moved;

    do {
        moved = fx_wire_carry(w, true);
        moved = fx_wire_carry(w, false) || moved;
        moved = fx_wire_serve(w, w->a) || moved;
        moved = fx_wire_serve(w, w->b) || moved;
        fx_audit(w->a);
        fx_audit(w->b);
    } while (moved);
}

void fx_wire_run(struct fx_wire *w, weft_time until)
{
    for (;;) {
        weft_time a, b, next;

        fx_wire_settle(w);
        a = weft_mad_deadline(w->a->port);
        b = weft_mad_deadline(w->b->port);
        next = a < b ? a : b;
        if (next > until)
            return;
        w->a->now = w->b->now = next > w->a->now ? next : w->a->now;
        assert_int_equal(weft_mad_advance(w->a->port, w->a->now), 0);
        assert_int_equal(weft_mad_advance(w->b->port, w->b->now), 0);
    }
}
