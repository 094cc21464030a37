/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP packets without payload. */
#include "core/mad/rmpp_reply.h"

#include "core/mad/tx.h"

#include <string.h>

/* The header of the answered packet, turned round; payload and class header are zero. */
static void rmpp_reply_header(uint8_t *mad, const uint8_t *to, enum weft_rmpp_type type,
                              enum weft_rmpp_status status)
{
    uint32_t head = mad_class_data_offset(mad_class(to));

    memcpy(mad, to, head);
    memset(mad + head, 0, WEFT_MAD_BYTES - head);
    mad_set_method(mad, mad_method(to) ^ WEFT_METHOD_RESPONSE);
    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_set_type(mad, (uint8_t)type);
    rmpp_set_resp_time(mad, WEFT_RMPP_RESP_TIME_UNKNOWN);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE);
    rmpp_set_status(mad, (uint8_t)status);
    rmpp_set_segment(mad, 0);
    rmpp_set_length(mad, 0);
}

void rmpp_reply_ack(struct weft_mad_port *p, const struct weft_mad_rx *rx, uint32_t segment,
                    uint32_t window_last)
{
    uint8_t mad[WEFT_MAD_BYTES];

    rmpp_reply_header(mad, rx->data, WEFT_RMPP_ACK, WEFT_RMPP_STATUS_OK);
    rmpp_set_segment(mad, segment);
    rmpp_set_new_window(mad, window_last);
    (void)tx_reply(p, rx, mad);
}

void rmpp_reply_abort(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                      enum weft_rmpp_status status)
{
    uint8_t mad[WEFT_MAD_BYTES];

    rmpp_reply_header(mad, rx->data, WEFT_RMPP_ABORT, status);
    if (tx_reply(p, rx, mad) == 0)
        p->stats.rmpp_aborts_sent++;
}

void rmpp_reply_stop(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    uint8_t mad[WEFT_MAD_BYTES];

    rmpp_reply_header(mad, rx->data, WEFT_RMPP_STOP, WEFT_RMPP_STATUS_RESX);
    if (tx_reply(p, rx, mad) == 0)
        p->stats.rmpp_stops_sent++;
}

void rmpp_make_abort(uint8_t *mad, enum weft_rmpp_status status)
{
    uint32_t head = mad_class_data_offset(mad_class(mad));

    memset(mad + head, 0, WEFT_MAD_BYTES - head);
    rmpp_set_type(mad, WEFT_RMPP_ABORT);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE);
    rmpp_set_status(mad, (uint8_t)status);
    rmpp_set_segment(mad, 0);
    rmpp_set_length(mad, 0);
}
