/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MADs as records of a pcap file: pcap header, ERF header, LRH, GRH, BTH, DETH, MAD, ICRC, VCRC. */
#include "core/trace/packet_crc.h"
#include "core/wire/mad_header.h"

#include <weft/pcap.h>

#include <string.h>

#define PCAP_MAGIC_NS      UINT32_C(0xA1B23C4D)
#define PCAP_LINK_TYPE_ERF UINT32_C(197)
#define PCAP_RECORD_BYTES  16
#define ERF_HEADER_BYTES   16
#define ERF_TYPE_IB        21
#define ERF_FLAG_VARIABLE  0x04 /* the length is that of this record, not a fixed one */

#define LRH_BYTES  8
#define GRH_BYTES  40
#define BTH_BYTES  12
#define DETH_BYTES 8
#define ICRC_BYTES 4
#define VCRC_BYTES 2

#define LRH_NEXT_BTH            2 /* IBA 7.7.4 */
#define LRH_NEXT_GRH            3
#define LRH_VL_MANAGEMENT       15
#define GRH_NEXT_BTH            0x1B /* IBA 8.3.5 */
#define BTH_OPCODE_UD_SEND_ONLY 0x64 /* IBA 9.2.1 */

#define QP_MAX         0xFFFFFFU
#define FLOW_LABEL_MAX 0xFFFFFU

static void put_le16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static void put_le32(uint8_t *p, uint32_t value)
{
    put_le16(p, (uint16_t)value);
    put_le16(p + 2, (uint16_t)(value >> 16));
}

int weft_pcap_file_header(uint8_t *out, size_t cap)
{
    if (!out || cap < WEFT_PCAP_FILE_HEADER_BYTES)
        return WEFT_ERR_INVALID;
    put_le32(out, PCAP_MAGIC_NS);
    put_le16(out + 4, 2); /* version 2.4 */
    put_le16(out + 6, 4);
    put_le32(out + 8, 0);  /* time zone: UTC */
    put_le32(out + 12, 0); /* accuracy: unused */
    put_le32(out + 16, WEFT_PCAP_RECORD_BYTES_MAX);
    put_le32(out + 20, PCAP_LINK_TYPE_ERF);
    return WEFT_PCAP_FILE_HEADER_BYTES;
}

/* The packet's lengths count in 4-byte words from the LRH to the ICRC (IBA 7.7.8). */
static void put_lrh(uint8_t *p, const struct weft_pcap_packet *packet, size_t packet_bytes)
{
    uint8_t vl = packet->dst_qp == WEFT_QP_SMI ? LRH_VL_MANAGEMENT : 0;

    p[0] = (uint8_t)(vl << 4);
    p[1] = (uint8_t)(packet->sl << 4 | (packet->grh ? LRH_NEXT_GRH : LRH_NEXT_BTH));
    wire_set_be16(p + 2, packet->dlid);
    wire_set_be16(p + 4, (uint16_t)((packet_bytes - VCRC_BYTES) / 4));
    wire_set_be16(p + 6, packet->slid);
}

static void put_grh(uint8_t *p, const struct weft_mad_grh *grh)
{
    const uint16_t payload = BTH_BYTES + DETH_BYTES + WEFT_MAD_BYTES + ICRC_BYTES;

    wire_set_be32(p, UINT32_C(6) << 28 | (uint32_t)grh->traffic_class << 20 | grh->flow_label);
    wire_set_be16(p + 4, payload);
    p[6] = GRH_NEXT_BTH;
    p[7] = grh->hop_limit;
    memcpy(p + 8, grh->sgid, sizeof(grh->sgid));
    memcpy(p + 24, grh->dgid, sizeof(grh->dgid));
}

static void put_transport(uint8_t *p, const struct weft_pcap_packet *packet)
{
    p[0] = BTH_OPCODE_UD_SEND_ONLY;
    p[1] = 0; /* no solicited event, no padding, transport version 0 */
    wire_set_be16(p + 2, packet->pkey);
    wire_set_be32(p + 4, packet->dst_qp);
    wire_set_be32(p + 8, packet->psn);
    wire_set_be32(p + 12, packet->qkey);
    wire_set_be32(p + 16, packet->src_qp);
}

static void put_packet(uint8_t *out, const struct weft_pcap_packet *packet, size_t packet_bytes)
{
    uint8_t *p = out;

    put_lrh(p, packet, packet_bytes);
    p += LRH_BYTES;
    if (packet->grh) {
        put_grh(p, packet->grh);
        p += GRH_BYTES;
    }
    put_transport(p, packet);
    p += BTH_BYTES + DETH_BYTES;
    memcpy(p, packet->mad, packet->len);
    memset(p + packet->len, 0, WEFT_MAD_BYTES - packet->len);
    p += WEFT_MAD_BYTES;
    put_le32(p, packet_icrc(out, (size_t)(p - out), packet->grh != NULL));
    p += ICRC_BYTES;
    put_le16(p, packet_vcrc(out, (size_t)(p - out)));
}

/* Both headers carry the time: pcap in seconds and nanoseconds, ERF in units of 2^-32 s. */
static void put_record_headers(uint8_t *out, weft_time time, size_t packet_bytes)
{
    uint32_t seconds = (uint32_t)(time / WEFT_S);
    uint64_t part_ns = time % WEFT_S;
    uint8_t *erf = out + PCAP_RECORD_BYTES;

    put_le32(out, seconds);
    put_le32(out + 4, (uint32_t)part_ns);
    put_le32(out + 8, (uint32_t)(ERF_HEADER_BYTES + packet_bytes));
    put_le32(out + 12, (uint32_t)(ERF_HEADER_BYTES + packet_bytes));

    /* Rounded up: truncating readers then find the nanosecond they were given. */
    put_le32(erf, (uint32_t)(((part_ns << 32) + WEFT_S - 1) / WEFT_S));
    put_le32(erf + 4, seconds);
    erf[8] = ERF_TYPE_IB;
    erf[9] = ERF_FLAG_VARIABLE;
    wire_set_be16(erf + 10, (uint16_t)(ERF_HEADER_BYTES + packet_bytes));
    wire_set_be16(erf + 12, 0); /* packets lost before this one */
    wire_set_be16(erf + 14, (uint16_t)packet_bytes);
}

static bool packet_is_valid(const struct weft_pcap_packet *packet)
{
    return packet->mad && packet->len >= WEFT_MAD_HEADER_BYTES && packet->len <= WEFT_MAD_BYTES &&
           packet->sl <= 15 && packet->src_qp <= QP_MAX && packet->dst_qp <= QP_MAX &&
           packet->psn <= QP_MAX && (!packet->grh || packet->grh->flow_label <= FLOW_LABEL_MAX);
}

int weft_pcap_record(uint8_t *out, size_t cap, const struct weft_pcap_packet *packet)
{
    size_t packet_bytes, record_bytes;

    if (!out || !packet || !packet_is_valid(packet))
        return WEFT_ERR_INVALID;
    packet_bytes = LRH_BYTES + (packet->grh ? GRH_BYTES : 0) + BTH_BYTES + DETH_BYTES +
                   WEFT_MAD_BYTES + ICRC_BYTES + VCRC_BYTES;
    record_bytes = PCAP_RECORD_BYTES + ERF_HEADER_BYTES + packet_bytes;
    if (record_bytes > cap)
        return WEFT_ERR_FULL;
    put_record_headers(out, packet->time, packet_bytes);
    put_packet(out + PCAP_RECORD_BYTES + ERF_HEADER_BYTES, packet, packet_bytes);
    return (int)record_bytes;
}
