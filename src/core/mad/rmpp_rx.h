/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * RMPP, receiver's side: gathering segments, granting windows (IBA 13.6.3).
 */
#ifndef WEFT_CORE_MAD_RMPP_RX_H
#define WEFT_CORE_MAD_RMPP_RX_H

#include "core/mad/engine.h"

/** An Active RMPP packet for an agent whose RMPP the engine does. */
enum weft_mad_verdict rmpp_rx(struct weft_mad_port *p, struct agent *a,
                              const struct weft_mad_rx *rx);

/** Makes room for the answer to a request of this port: the oldest unsolicited transfer that is
 * still coming in is stopped.
 * @return whether there was one */
bool rmpp_rx_make_room(struct weft_mad_port *p);

/** A transfer's timer fired: it took too long, or was remembered long enough. */
void rmpp_rx_timer(struct weft_mad_port *p, struct transfer *t);

/** The request that a transfer answers waits no longer: what has arrived is discarded. */
void rmpp_rx_request_gone(struct weft_mad_port *p, struct send *s);

/** The agent was removed: its transfers are discarded. */
void rmpp_rx_agent_gone(struct weft_mad_port *p, const struct agent *a);

/** Double-sided transfers: an ACK of segment 0 grants the window of the answer to a request that
 * was received whole.
 * @return whether there is such a request */
bool rmpp_rx_grant(struct weft_mad_port *p, const struct weft_mad_rx *rx, uint32_t window);

/** The window that was granted for a response about to be sent: 1 when nothing is known. */
uint32_t rmpp_rx_reply_window(const struct weft_mad_port *p, const struct send *s);

#endif
