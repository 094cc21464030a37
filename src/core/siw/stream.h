/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a QP offers to the TCP connection that carries it: the streams of FPDUs in both directions.
 * Called by the connection's side (connection.h); s->now is the time.
 */
#ifndef WEFT_CORE_SIW_STREAM_H
#define WEFT_CORE_SIW_STREAM_H

#include "core/iwarp/terminate.h"
#include "core/siw/terms.h"

#include <weft/siw.h>

struct ep;
struct qp;

/** The QP of a number, or NULL. */
struct qp *qp_find(const struct weft_siw *s, uint32_t qpn);
/** Whether a QP may be given to a connection: it is IDLE. */
bool qp_connectable(const struct qp *qp);
/** The startup is over: the QP is RTS. As initiator it begins with the RTR frame, if one was
 * agreed; as responder it writes nothing before the peer's first FPDU. */
void qp_connect(struct weft_siw *s, struct qp *qp, struct ep *ep, const struct terms *t);
/** Bytes of the peer's FPDU stream. */
void qp_rx(struct weft_siw *s, struct qp *qp, const uint8_t *data, size_t bytes);
/** See weft_siw_rx_window() and weft_siw_tcp_rx_placed(). */
void *qp_rx_window(struct weft_siw *s, struct qp *qp, size_t *ret_bytes);
void qp_rx_placed(struct weft_siw *s, struct qp *qp, size_t bytes);
/** What is to be written next, as long as it was not written: the same again until qp_written().
 * @return whether there is anything */
bool qp_fill(struct weft_siw *s, struct qp *qp, const struct weft_siw_part **ret_parts,
             uint32_t *ret_count, size_t *ret_bytes);
/** So many bytes of that went to TCP. */
void qp_written(struct weft_siw *s, struct qp *qp, size_t bytes);
/** Orderly close by this side: CLOSING; connection_drained() follows, maybe within this call. */
void qp_close(struct weft_siw *s, struct qp *qp);
/** Ends at once: ERROR, everything is flushed. */
void qp_abort(struct weft_siw *s, struct qp *qp);
/** The peer's FIN. Between FPDUs and without reads outstanding it is orderly: CLOSING, and
 * connection_drained() follows. Otherwise ERROR.
 * @return whether it is orderly */
bool qp_peer_fin(struct weft_siw *s, struct qp *qp);
/** The connection is over: receives are flushed; IDLE if it was closed in good order by both sides,
 * otherwise ERROR. The two are bound no more. */
void qp_unbind(struct weft_siw *s, struct qp *qp, bool orderly);
/** The timer of connection_arm() fired. */
void qp_timer(struct weft_siw *s, struct qp *qp);

/** An FPDU with a Terminate message, for a startup that failed: DDP untagged, queue 2, MSN 1.
 * @param out  room for FPDU_TERMINATE_MAX bytes
 * @return its bytes */
#define FPDU_TERMINATE_MAX                                                                         \
    (MPA_LENGTH_BYTES + DDP_UNTAGGED_BYTES + TERMINATE_MAX + 3 + MPA_CRC_BYTES)
uint32_t terminate_fpdu(const struct terminate *t, bool crc, void *out);

#endif
