/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a TCP connection offers to the QP that it carries. Called by the QP's side (stream.h) only
 * while the two are bound.
 */
#ifndef WEFT_CORE_SIW_CONNECTION_H
#define WEFT_CORE_SIW_CONNECTION_H

#include <weft/siw.h>

struct ep;

/** There is something to write: qp_fill() will be asked. */
void connection_output(struct weft_siw *s, struct ep *ep);
/** The first FPDU of the peer has passed all checks: a responder that waited for it is established
 * (before anything of that FPDU is delivered). */
void connection_peer_ready(struct weft_siw *s, struct ep *ep);
/** CLOSING: everything posted has been written and answered: our direction may end. */
void connection_drained(struct weft_siw *s, struct ep *ep);
/** The QP has failed. Nothing from the peer is wanted any more. If it has a Terminate to write,
 * then qp_fill() gives it, and connection_terminated() follows; otherwise the connection ends at
 * once. May come within qp_fill(), which then gives the Terminate. */
void connection_failed(struct weft_siw *s, struct ep *ep, bool terminate_due);
/** The Terminate is with TCP: end the connection (FIN, then RELEASE when the peer has ended too or
 * the close timeout fires). */
void connection_terminated(struct weft_siw *s, struct ep *ep);
/** The peer's Terminate has arrived: end the connection at once. */
void connection_peer_terminated(struct weft_siw *s, struct ep *ep);
/** The one timer that a bound QP has: qp_timer() is called at that time; NEVER disarms it. */
void connection_arm(struct weft_siw *s, struct ep *ep, weft_time deadline);

#endif
