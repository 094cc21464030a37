/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * RMPP packets without payload: ACK, STOP and ABORT, made from the packet they answer.
 */
#ifndef WEFT_CORE_MAD_RMPP_REPLY_H
#define WEFT_CORE_MAD_RMPP_REPLY_H

#include "core/mad/engine.h"

/** Acknowledges up to `segment` and grants up to `window_last`. */
void rmpp_reply_ack(struct weft_mad_port *p, const struct weft_mad_rx *rx, uint32_t segment,
                    uint32_t window_last);

/** Ends a transfer for an error. */
void rmpp_reply_abort(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                      enum weft_rmpp_status status);

/** Ends a transfer for want of resources. */
void rmpp_reply_stop(struct weft_mad_port *p, const struct weft_mad_rx *rx);

/** Whether a STOP or ABORT may carry this status. */
static inline bool rmpp_end_valid(uint8_t type, uint8_t status)
{
    if (type == WEFT_RMPP_STOP)
        return status == WEFT_RMPP_STATUS_RESX;
    return status >= WEFT_RMPP_STATUS_T2L && status <= WEFT_RMPP_STATUS_UNSPEC;
}

/** Writes an ABORT that travels in the same direction as the MAD it is made from.
 * @param mad  the 256 bytes of a segment, changed in place */
void rmpp_make_abort(uint8_t *mad, enum weft_rmpp_status status);

#endif
