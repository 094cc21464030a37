/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture records from the trace: the packets a port transmitted and received. */
#include <weft/pcap.h>
#include <weft/wire.h>

int weft_pcap_trace_record(uint8_t *out, size_t cap, struct weft_pcap_port *port,
                           const struct weft_trace_event *ev)
{
    const struct weft_mad_addr *peer = ev->u.packet.peer;
    bool sent = ev->type == WEFT_TRACE_TX;
    struct weft_pcap_packet packet;
    int bytes;

    if (!sent && ev->type != WEFT_TRACE_RX)
        return 0;
    if (ev->u.packet.len < WEFT_MAD_HEADER_BYTES || ev->u.packet.len > WEFT_MAD_BYTES)
        return 0;
    packet = (struct weft_pcap_packet){
        .time = ev->time,
        .slid = sent ? port->lid : peer->lid,
        .dlid = sent ? peer->lid : ev->u.packet.dlid,
        .pkey = port->pkey,
        .sl = peer->sl,
        .src_qp = sent ? ev->u.packet.qpn : peer->qpn,
        .dst_qp = sent ? peer->qpn : ev->u.packet.qpn,
        .qkey = ev->u.packet.qpn == WEFT_QP_GSI ? WEFT_QKEY_GSI : 0,
        .psn = port->psn,
        .grh = peer->has_grh ? &peer->grh : NULL,
        .mad = ev->u.packet.mad,
        .len = ev->u.packet.len,
    };
    bytes = weft_pcap_record(out, cap, &packet);
    if (bytes > 0)
        port->psn = (port->psn + 1) & 0xffffff;
    return bytes;
}
