/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * MADs as a pcap file that Wireshark and tshark dissect.
 *
 * The file has link type 197 (ERF) and records of ERF type 21 (InfiniBand): each packet as a port
 * would put it on the link, from LRH to VCRC, with both checksums right. Weft writes no files: the
 * caller writes weft_pcap_file_header() once and then what weft_pcap_record() makes of each packet.
 */
#ifndef WEFT_PCAP_H
#define WEFT_PCAP_H

#include <weft/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of the file header. */
#define WEFT_PCAP_FILE_HEADER_BYTES 24

/** Bytes of the longest record: one packet with a GRH. */
#define WEFT_PCAP_RECORD_BYTES_MAX 362

/** One packet. A MAD to QP0 goes on virtual lane 15, any other on lane 0. */
struct weft_pcap_packet {
    weft_time time;                 /**< when; 0 is the first moment of 1970 to the readers */
    uint16_t slid;                  /**< source LID */
    uint16_t dlid;                  /**< destination LID */
    uint16_t pkey;                  /**< P_Key */
    uint8_t sl;                     /**< service level, 0..15 */
    uint32_t src_qp;                /**< source QP, 24 bits */
    uint32_t dst_qp;                /**< destination QP, 24 bits */
    uint32_t qkey;                  /**< Q_Key */
    uint32_t psn;                   /**< packet sequence number, 24 bits */
    const struct weft_mad_grh *grh; /**< route header, or NULL for none */
    const uint8_t *mad;             /**< the MAD, as on the wire; borrowed during the call */
    uint32_t len;                   /**< bytes at mad, 24..256; on the link the rest is zero */
};

/** Makes the header of a pcap file: little-endian, times in nanoseconds, link type 197.
 * @param out  where it goes
 * @param cap  bytes at out
 * @return WEFT_PCAP_FILE_HEADER_BYTES; WEFT_ERR_INVALID: cap is less or out is NULL */
int weft_pcap_file_header(uint8_t *out, size_t cap);

/** Makes the record of one packet. Records need not be in order of time. The fixed point of ERF
 * times (2^-32 s) holds each nanosecond; seconds are counted modulo 2^32.
 * @param out     where it goes
 * @param cap     bytes at out; WEFT_PCAP_RECORD_BYTES_MAX always suffice
 * @param packet  the packet
 * @return the bytes written, 1 or more; WEFT_ERR_INVALID: a field of the packet is outside its
 *         range; WEFT_ERR_FULL: the record is longer than cap, nothing was written */
int weft_pcap_record(uint8_t *out, size_t cap, const struct weft_pcap_packet *packet);

/** Where the port stands whose trace becomes a capture: what its trace events do not say. */
struct weft_pcap_port {
    uint16_t lid;  /**< its LID; packets received carry the LID they were sent to */
    uint16_t pkey; /**< the P_Key of its packets */
    uint32_t psn;  /**< number of the next packet; counted on by weft_pcap_trace_record() */
};

/** Makes the record of a trace event: a packet that the port transmitted or received.
 * @param out   where it goes
 * @param cap   bytes at out; WEFT_PCAP_RECORD_BYTES_MAX always suffice
 * @param port  the port; its psn is counted on when a record was made
 * @param ev    an event of the port's trace
 * @return the bytes written; 0: the event is no packet, or a packet of less than 24 or more than
 * 256 bytes, which no link carries as a MAD; errors as weft_pcap_record() */
int weft_pcap_trace_record(uint8_t *out, size_t cap, struct weft_pcap_port *port,
                           const struct weft_trace_event *ev);

#ifdef __cplusplus
}
#endif

#endif
