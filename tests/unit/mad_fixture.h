/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The bench on which the tests of the MAD engine stand: a port with an agent, requests that are
 * told apart by a small number, the far end's packets, and a wire between two ports.
 *
 * Every call that could break a rule of the port is followed by its audit. */
#ifndef WEFT_TESTS_MAD_FIXTURE_H
#define WEFT_TESTS_MAD_FIXTURE_H

#include "core/mad/engine.h"
#include "packets.h"

#include <weft/mad.h>
#include <weft/trace.h>
#include <weft/wire.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FX_LID      0x11 /* of the port under test */
#define FX_PEER_LID 0x22 /* whom it asks */
#define FX_TIMEOUT  (100 * WEFT_MS)
#define FX_REQUESTS 1200 /* numbers of requests lie below */

#define FX_SA   WEFT_CLASS_SUBN_ADM
#define FX_PERF WEFT_CLASS_PERF

/* A port under test. Request number n has TID n, user_data n and a MAD of its own. */
struct fx {
    struct weft_mad_port *port;
    weft_time now;
    uint16_t lid;
    weft_mad_agent_id agent;
    uint8_t mgmt_class;
    uint8_t (*mads)[WEFT_MAD_BYTES];
    weft_mad_send_id *sends;        /* the handle of each request posted last */
    uint8_t packet[WEFT_MAD_BYTES]; /* the packet taken last */
    struct weft_mad_addr packet_to;
    struct weft_mad_event event; /* the event taken last */
};

/* The default configuration. */
struct weft_mad_config fx_config(void);

/* A port with LID FX_LID; an agent for requests of this class without RMPP (class 0: no agent).
 * `c` may be NULL for the defaults. */
struct fx *fx_new(const struct weft_mad_config *c, uint8_t mgmt_class);
/* The same with an agent that does RMPP and owns all methods of the class. */
struct fx *fx_new_rmpp(const struct weft_mad_config *c, uint8_t mgmt_class);
void fx_free(struct fx *f);
/* Frees a port that the test has left in a state no user could bring it to. */
void fx_abandon(struct fx *f);

void fx_audit(const struct fx *f);

/* What an agent for requests of a class asks for. */
struct weft_mad_agent_req fx_agent_req(uint8_t mgmt_class);
weft_mad_agent_id fx_agent(struct fx *f, const struct weft_mad_agent_req *r);
void fx_own_method(struct weft_mad_agent_req *r, unsigned method);

/* Makes 256 bytes with a header. */
void fx_mad(uint8_t *mad, uint8_t mgmt_class, uint8_t method, uint64_t tid);

/* Request n: a Get to FX_PEER_LID, timeout FX_TIMEOUT, no retry. Change it, then post it. */
struct weft_mad_send_req fx_request(struct fx *f, unsigned n);
weft_mad_send_id fx_post(struct fx *f, const struct weft_mad_send_req *r);
/* Posts request n as it is. */
weft_mad_send_id fx_ask(struct fx *f, unsigned n);
/* Posts requests first..last. */
void fx_ask_all(struct fx *f, unsigned first, unsigned last);

/* Takes the next packet, which must exist; it is in f->packet then. */
weft_mad_tx_id fx_take(struct fx *f);
/* Whether there is no packet to send. */
bool fx_tx_empty(struct fx *f);
void fx_done(struct fx *f, weft_mad_tx_id id, bool ok);
/* Takes the next packet and reports it sent. */
void fx_send(struct fx *f);
/* The same if there is one.
 * @return whether there was one */
bool fx_send_any(struct fx *f);
/* Takes the packet that must be there, and reports that it could not be sent. */
void fx_send_fails(struct fx *f);
/* Sends all there are.
 * @return their number */
unsigned fx_send_all(struct fx *f);
/* The number of the request that the packet taken last belongs to. */
unsigned fx_packet_number(const struct fx *f);

/* The whole transaction id of request n. */
uint64_t fx_tid(const struct fx *f, unsigned n);
/* Lets a packet arrive from the peer. */
enum weft_mad_verdict fx_rx(struct fx *f, const uint8_t *mad);
enum weft_mad_verdict fx_rx_from(struct fx *f, const struct weft_mad_rx *rx);
/* Makes the answer to request n. */
void fx_answer_mad(const struct fx *f, unsigned n, uint16_t status, uint8_t *mad);
/* Lets the answer to request n arrive. */
enum weft_mad_verdict fx_answer(struct fx *f, unsigned n);
enum weft_mad_verdict fx_answer_busy(struct fx *f, unsigned n);

/* Moves time on and fires timers. */
void fx_advance(struct fx *f, weft_time by);
enum weft_mad_state fx_state(const struct fx *f, weft_mad_send_id id);
void fx_cancel(struct fx *f, weft_mad_send_id id);
void fx_remove_agent(struct fx *f, weft_mad_agent_id id);
struct weft_mad_port_stats fx_stats(const struct fx *f);
struct weft_mad_agent_stats fx_agent_stats(const struct fx *f);

/* Takes the next event into f->event; false when there is none. */
bool fx_event(struct fx *f);
#define fx_expect_done(f, n, status)  fx_expect_done_at(f, n, status, __FILE__, __LINE__)
#define fx_expect_recv(f, n)          fx_expect_recv_at(f, n, __FILE__, __LINE__)
#define fx_expect_unsolicited(f, tid) fx_expect_unsolicited_at(f, tid, __FILE__, __LINE__)
#define fx_expect_nothing(f)          fx_expect_nothing_at(f, __FILE__, __LINE__)
/* The next event is the SEND_DONE of request n, with this status. */
void fx_expect_done_at(struct fx *f, unsigned n, enum weft_mad_status status, const char *file,
                       int line);
/* The next event is the answer to request n; it is released. */
void fx_expect_recv_at(struct fx *f, unsigned n, const char *file, int line);
/* The next event is an unsolicited MAD with this TID; it is held. */
weft_mad_recv_id fx_expect_unsolicited_at(struct fx *f, uint64_t tid, const char *file, int line);
/* No event and no packet is left. */
void fx_expect_nothing_at(struct fx *f, const char *file, int line);
/* Takes all events and releases all messages; counts SEND_DONEs with the given status. */
unsigned fx_drain(struct fx *f, enum weft_mad_status status);

/* The port is as if it had never been used: no send, no buffer, no timer. */
void fx_expect_idle(struct fx *f);

/* An RMPP packet of the peer. */
struct fx_segment {
    uint8_t mgmt_class, method;
    uint64_t tid;
    uint8_t type, flags, status;
    uint32_t segment, length; /* or NewWindowLast */
};
void fx_segment_mad(const struct fx_segment *s, uint8_t *mad);
enum weft_mad_verdict fx_rx_segment(struct fx *f, const struct fx_segment *s);

/* What the wire does with a packet. */
enum fx_fate {
    FX_DELIVER,
    FX_LOSE,
    FX_TWICE,
    FX_SWAP /* it arrives after the next packet of its direction */
};

/* Two ports on a wire. Packets are numbered from 0 in the order they are sent. */
struct fx_wire {
    struct fx *a, *b;
    /* What happens to a packet; NULL: FX_DELIVER. */
    enum fx_fate (*fate)(struct fx_wire *w, const uint8_t *mad, bool from_a);
    /* Acts on at->event; NULL: messages are released. */
    void (*serve)(struct fx_wire *w, struct fx *at);
    unsigned packets;    /* how many were sent */
    unsigned special;    /* for fate: the number of a packet, */
    enum fx_fate action; /* and what happens to it */
    void *ctx;           /* for both functions */
    bool kept[2];        /* a swapped packet waits, by direction */
    uint8_t kept_mad[2][WEFT_MAD_BYTES];
    struct weft_mad_rx kept_rx[2];
};

/* A fate that treats packet number w->special as w->action says. */
enum fx_fate fx_fate_special(struct fx_wire *w, const uint8_t *mad, bool from_a);
/* Carries packets and serves events until nothing moves any more at this point in time. */
void fx_wire_settle(struct fx_wire *w);
/* Settles, and moves time from deadline to deadline as long as they lie before `until`. */
void fx_wire_run(struct fx_wire *w, weft_time until);

#endif
