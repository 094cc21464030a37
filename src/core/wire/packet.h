/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One MAD between two ports: what the headers around it say (LRH, GRH, BTH, DETH), and its bytes.
 *
 * The layout is fixed and without holes, because fabric and clients pass these through shared
 * memory and sockets: numbers in host order, GIDs and the MAD as on the wire.
 */
#ifndef WEFT_CORE_WIRE_PACKET_H
#define WEFT_CORE_WIRE_PACKET_H

#include <weft/wire.h>

#include <assert.h>

/** A packet. A sender leaves slid, pkey and sgid to its port. */
struct packet {
    uint16_t slid;         /* LRH: source LID; 0xFFFF in a directed part */
    uint16_t dlid;         /* LRH: destination LID; 0xFFFF in a directed part */
    uint8_t sl;            /* LRH: service level, 0..15 */
    uint8_t path_bits;     /* sending: low LMC bits of the source LID */
    uint8_t has_grh;       /* 0 or 1: the GRH members count */
    uint8_t reserved;      /* 0 */
    uint32_t src_qpn;      /* DETH: source QP, 24 bits */
    uint32_t dst_qpn;      /* BTH: destination QP, 24 bits */
    uint32_t qkey;         /* DETH: Q_Key; 0 to QP0 */
    uint16_t pkey_index;   /* sending: in the sender's table; received: in the receiver's */
    uint16_t pkey;         /* BTH: P_Key with its membership bit */
    uint8_t hop_limit;     /* GRH */
    uint8_t traffic_class; /* GRH */
    uint8_t sgid_index;    /* sending: in the sender's GID table */
    uint8_t reserved2;     /* 0 */
    uint32_t flow_label;   /* GRH, 20 bits */
    uint8_t sgid[16];      /* GRH, as on the wire */
    uint8_t dgid[16];      /* GRH, as on the wire */
    uint8_t mad[WEFT_MAD_BYTES];
};

static_assert(sizeof(struct packet) == 320, "shared with other programs: the layout is fixed");

#endif
