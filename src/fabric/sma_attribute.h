/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The attributes of the SMA: each has one function for Get and Set.
 */
#ifndef WEFT_FABRIC_SMA_ATTRIBUTE_H
#define WEFT_FABRIC_SMA_ATTRIBUTE_H

#include "core/wire/mad_header.h"
#include "fabric/mkey.h"
#include "fabric/sma.h"

/** Attribute data of an SMP (IBA 14.2.1). */
#define SMA_DATA_BYTES 64

/** A Get or Set being answered. */
struct sma_request {
    struct fabric *f;
    struct node *node;
    struct port *at; /* the port it came in by */
    const struct packet *packet;
    uint8_t *data; /* SMA_DATA_BYTES: what a Set wants; the answer's values afterwards */
    uint32_t modifier;
    bool set;
    uint16_t function; /* of this node, if that asks; VFs cannot Set */
    bool hide_mkey;    /* PortInfo:M_Key reads as 0 */
    bool silent;       /* the M_Key of the port addressed denies it: no answer */
};

/** Answers a request.
 * @return a status: WEFT_STATUS_OK, _BAD_METHOD_ATTRIBUTE or _BAD_VALUE; data counts with OK only,
 *         and after another status nothing has changed */
typedef uint16_t sma_attribute(struct sma_request *r);

sma_attribute sma_node_desc, sma_node_info, sma_switch_info, sma_vendor_diag, sma_led_info;
sma_attribute sma_port_info;
sma_attribute sma_guid_info, sma_pkey_table, sma_sl_to_vl, sma_vl_arbitration;
sma_attribute sma_linear_forwarding, sma_multicast_forwarding;
sma_attribute sma_notice;
sma_attribute sma_mlnx_ext_port_info;

/** Mellanox ExtendedPortInfo: an attribute of one vendor's devices, for the speed FDR10. */
#define SMA_ATTR_MLNX_EXT_PORT_INFO 0xFF90
/** The vendor whose devices have it. */
#define SMA_VENDOR_MELLANOX         0x0002C9

/** The port that a modifier's port number names. A switch has every port, 0 included; 0 at others
 * is the port it came in by, and another one than that must allow it by its own M_Key.
 * @return NULL: there is none (0x1C), or its M_Key denies it (r->silent) */
struct port *sma_addressed_port(struct sma_request *r, uint32_t number);

/** The answer is `bytes` long; the rest of the data is 0. */
void sma_answer(struct sma_request *r, const void *value, size_t bytes);

#endif
