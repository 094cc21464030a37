/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The bench on which the tests of software iWARP's connections stand: a provider with its
 * connection manager, three QPs that only note what is done to them, and a host of no sockets,
 * which is the test itself.
 */
#ifndef WEFT_TESTS_SIW_CONNECTION_FIXTURE_H
#define WEFT_TESTS_SIW_CONNECTION_FIXTURE_H

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#define LAB_QPS 3
#define LAB_MSS 1460

/** A QP that notes what is done to it. */
struct qp {
    bool exists, connectable, connected;
    struct ep *ep;
    struct terms terms;
    uint8_t rx[256];
    size_t rx_bytes;
    const char *tx; /* what it has to write */
    size_t tx_done;
    struct weft_siw_part part;
    bool drains;       /* DRAINED comes within qp_close() and qp_peer_fin() */
    bool fin_abortive; /* a FIN now is not orderly */
    size_t window;     /* of qp_rx_window() */
    uint32_t closes, aborts, fins, unbinds, timers;
    bool orderly; /* the last unbind */
};

struct lab {
    struct weft_iwcm *cm;
    struct weft_siw *siw;
    weft_time now;
    weft_iwcm_id id;              /* the connection, or the listener */
    weft_siw_ep ep, listener;     /* the connection's and the listener's */
    struct weft_iwcm_event event; /* the last one */
    struct weft_siw_op op;        /* the last one */
    uint8_t written[1024];        /* what the host wrote last */
};

/** The QPs of the numbers 1 to LAB_QPS. */
struct qp *lab_qp(uint32_t qpn);

/** A lab; NULL: the defaults. */
void lab_open(struct lab *l, const struct weft_siw_config *c);
/** Ends it; the manager must have nothing against the provider. */
void lab_close(struct lab *l);

/** The next operation must be of that type. */
void lab_op(struct lab *l, enum weft_siw_op_type type);
void lab_no_op(struct lab *l);
/** The next operation must be a WRITE of exactly these bytes (in hex, spaces ignored), which the
 * host writes. */
void lab_writes(struct lab *l, const char *hex);
/** The next operation must be a WRITE, which the host writes whole. Returns its bytes. */
size_t lab_write_any(struct lab *l);
/** Bytes from the peer, in hex. */
void lab_rx(struct lab *l, const char *hex);
/** The peer's FIN, and its RST. */
void lab_fin(struct lab *l);
void lab_rst(struct lab *l);
void lab_wait(struct lab *l, weft_time ns);

/** The next event must be of that type. */
void lab_event(struct lab *l, enum weft_iwcm_event_type type);
/** DONE of a call, with its status. */
void lab_done(struct lab *l, enum weft_iwcm_call call, enum weft_iwcm_status status);
void lab_no_event(struct lab *l);
enum weft_iwcm_state lab_state(struct lab *l);

/** Connects with QP 1 up to an open TCP connection; the request is not written yet. */
void lab_dial(struct lab *l, const struct weft_iwcm_param *p);
/** Listens; a peer has a TCP connection. */
void lab_listen(struct lab *l);
void lab_incoming(struct lab *l);
/** A listener with a request (stock siw's) that the client knows. */
void lab_requested(struct lab *l);
/** The same, accepted with QP 1 and established. */
void lab_accepted(struct lab *l);
/** A connection that was dialed, established, with QP 1. */
void lab_connected(struct lab *l);

/** Frames of kernel siw. */
#define HEX_REQ_KEY "4d504120494420526571204672616d65"
#define HEX_REP_KEY "4d504120494420526570204672616d65"
#define HEX_REQ_V2  HEX_REQ_KEY "10 02 0004 0001 0001"
#define HEX_REP_V2  HEX_REP_KEY "10 02 0004 0001 0001"
#define HEX_REQ_V1  HEX_REQ_KEY "00 01 0000"
#define HEX_REP_V1  HEX_REP_KEY "00 01 0000"

/** Hex digits as bytes; returns how many. */
size_t lab_hex(const char *hex, uint8_t *out, size_t room);

static inline struct weft_iwcm_param lab_param(uint16_t ird, uint16_t ord)
{
    return (struct weft_iwcm_param){.ird = ird, .ord = ord, .qpn = 1};
}

#endif
