/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * RMPP, sender's side: segments, windows, ACKs (IBA 13.6.3).
 */
#ifndef WEFT_CORE_MAD_RMPP_TX_H
#define WEFT_CORE_MAD_RMPP_TX_H

#include "core/mad/engine.h"

/** Whether the payload of a message, class headers of all segments included, can be told in the 32
 * bits that the first segment has for it.
 * @param len  its bytes, at least those of its header */
bool rmpp_tx_length_valid(uint8_t mgmt_class, uint32_t len);

/** Prepares the transfer of a new send. */
void rmpp_tx_begin(struct weft_mad_port *p, struct send *s, uint8_t retries);

/** Builds the segment that is due. */
void rmpp_tx_build(struct weft_mad_port *p, struct send *s, uint8_t *mad);

/** A segment has left in SEND_START: what comes next.
 * @param ret_wait  how long to wait, for SEND_SENT_AWAIT
 * @return SEND_SENT_MORE, SEND_SENT_AWAIT or SEND_SENT_LAST */
enum send_input rmpp_tx_completed(const struct weft_mad_port *p, struct send *s,
                                  weft_time *ret_wait);

/** How long to wait in WAIT_RESP: for an ACK, or for the answer once all is acknowledged. */
weft_time rmpp_tx_wait(const struct weft_mad_port *p, const struct send *s);

/** The wait is over: goes back to the first segment not acknowledged.
 * @return false: nothing to send again, or no retry left; the peer was told */
bool rmpp_tx_rewind(struct weft_mad_port *p, struct send *s);

/** An ACK, STOP or ABORT, or a packet with a wrong version or type, for a transfer of ours. */
enum weft_mad_verdict rmpp_tx_control(struct weft_mad_port *p, const struct weft_mad_rx *rx);

#endif
