/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What notices say: type, producer and details of each trap. */
#include "fabric/notice.h"

#include "core/wire/mad_header.h"
#include "fabric/sma.h"

#include <string.h>

/* Notice types (IBA 13.4.8.2). */
#define TYPE_URGENT   1
#define TYPE_SECURITY 2
#define TYPE_INFO     4
#define TYPE_EMPTY    0x7F

/* Trap 144: OtherLocalChanges. Trap 256: DrNotice, DrPathTruncated. Trap 259: which of the details
 * are valid, all but the GIDs. */
#define OTHER_LOCAL_CHANGES 1
#define DR_NOTICE           0x80
#define DR_TRUNCATED        0x40
#define DR_PATH_BYTES       30
#define VALID_WITHOUT_GIDS  0x3F
#define VALID_GIDS          0xC0

/* Where details stand, by trap (IBA 14.2.5.1). */
enum detail {
    DETAIL_128_LID = 0,
    DETAIL_129_LID = 2,
    DETAIL_129_PORT = 4,
    DETAIL_144_LID = 2,
    DETAIL_144_LOCAL = 5,
    DETAIL_144_CAPABILITY = 6,
    DETAIL_144_CHANGES = 11,
    DETAIL_144_CAPABILITY2 = 12,
    DETAIL_145_LID = 2,
    DETAIL_145_GUID = 6,
    DETAIL_256_LID = 2,
    DETAIL_256_DR_SLID = 4,
    DETAIL_256_METHOD = 6,
    DETAIL_256_ATTR_ID = 8,
    DETAIL_256_ATTR_MOD = 10,
    DETAIL_256_M_KEY = 14,
    DETAIL_256_HOPS = 23,
    DETAIL_256_PATH = 24,
    DETAIL_257_LID1 = 2,
    DETAIL_257_LID2 = 4,
    DETAIL_257_KEY = 6,
    DETAIL_257_SL_QP1 = 10,
    DETAIL_257_QP2 = 14,
    DETAIL_257_GID1 = 18,
    DETAIL_257_GID2 = 34,
    DETAIL_259_VALID = 0,
    DETAIL_259_LID1 = 2,
    DETAIL_259_LID2 = 4,
    DETAIL_259_PKEY = 6,
    DETAIL_259_SL_QP1 = 8,
    DETAIL_259_QP2 = 12,
    DETAIL_259_GID1 = 16,
    DETAIL_259_GID2 = 32,
    DETAIL_259_LID = 48,
    DETAIL_259_PORT = 50
};

/* Return path of a directed SMP, without its unused entry 0; the last steps may not find room. */
static void detail_route(uint8_t *d, const uint8_t *mad)
{
    uint8_t hops = mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT];

    if (mad_class(mad) != WEFT_CLASS_SUBN_DIRECTED)
        return;
    memcpy(d + DETAIL_256_DR_SLID, mad + WIRE_AT_SMP_DIRECTED_DR_SLID, 2);
    d[DETAIL_256_HOPS] = DR_NOTICE;
    if (hops > DR_PATH_BYTES) {
        hops = DR_PATH_BYTES;
        d[DETAIL_256_HOPS] |= DR_TRUNCATED;
    }
    d[DETAIL_256_HOPS] |= hops;
    memcpy(d + DETAIL_256_PATH, mad + WIRE_AT_SMP_DIRECTED_RETURN_PATH + 1, hops);
}

static void details_mkey(uint8_t *d, const struct packet *cause)
{
    wire_set_be16(d + DETAIL_256_LID, cause->slid);
    d[DETAIL_256_METHOD] = mad_method(cause->mad);
    wire_set_be16(d + DETAIL_256_ATTR_ID, mad_attr_id(cause->mad));
    wire_set_be32(d + DETAIL_256_ATTR_MOD, mad_attr_mod(cause->mad));
    memcpy(d + DETAIL_256_M_KEY, cause->mad + WIRE_AT_SMP_M_KEY, 8);
    detail_route(d, cause->mad);
}

static void details_key(uint8_t *d, const struct packet *cause, uint32_t key)
{
    wire_set_be16(d + DETAIL_257_LID1, cause->slid);
    wire_set_be16(d + DETAIL_257_LID2, cause->dlid);
    wire_set_be32(d + DETAIL_257_KEY, key);
    wire_set_be32(d + DETAIL_257_SL_QP1, (uint32_t)cause->sl << 28 | cause->src_qpn);
    wire_set_be32(d + DETAIL_257_QP2, cause->dst_qpn);
    if (cause->has_grh) {
        memcpy(d + DETAIL_257_GID1, cause->sgid, sizeof(cause->sgid));
        memcpy(d + DETAIL_257_GID2, cause->dgid, sizeof(cause->dgid));
    }
}

static void details_switch_pkey(uint8_t *d, const struct packet *cause, uint8_t port)
{
    wire_set_be16(d + DETAIL_259_VALID, VALID_WITHOUT_GIDS);
    wire_set_be16(d + DETAIL_259_LID1, cause->slid);
    wire_set_be16(d + DETAIL_259_LID2, cause->dlid);
    wire_set_be16(d + DETAIL_259_PKEY, cause->pkey);
    wire_set_be32(d + DETAIL_259_SL_QP1, (uint32_t)cause->sl << 28 | cause->src_qpn);
    wire_set_be32(d + DETAIL_259_QP2, cause->dst_qpn);
    d[DETAIL_259_PORT] = port;
    if (cause->has_grh) {
        wire_set_be16(d + DETAIL_259_VALID, VALID_WITHOUT_GIDS | VALID_GIDS);
        memcpy(d + DETAIL_259_GID1, cause->sgid, sizeof(cause->sgid));
        memcpy(d + DETAIL_259_GID2, cause->dgid, sizeof(cause->dgid));
    }
}

void notice_set_cause(struct notice *n, const struct port *p, const struct packet *cause)
{
    uint8_t *d = n->cause;

    memset(d, 0, sizeof(n->cause));
    if (n->trap == TRAP_BAD_MKEY)
        details_mkey(d, cause);
    else if (n->trap == TRAP_BAD_PKEY_SWITCH)
        details_switch_pkey(d, cause, p->number);
    else
        details_key(d, cause, n->trap == TRAP_BAD_PKEY ? cause->pkey : cause->qkey);
}

static void details_capability(uint8_t *d, const struct port *sender, uint8_t changes)
{
    memcpy(d + DETAIL_144_CAPABILITY, sender->info + WIRE_AT_PORT_INFO_CAPABILITY_MASK, 4);
    if (sender->issm > 0)
        d[DETAIL_144_CAPABILITY + 3] |= CAPABILITY_SM;
    d[DETAIL_144_LOCAL] = changes != 0 ? OTHER_LOCAL_CHANGES : 0;
    d[DETAIL_144_CHANGES] = changes;
    memcpy(d + DETAIL_144_CAPABILITY2, sender->info + WIRE_AT_PORT_INFO_CAPABILITY_MASK2, 2);
}

/* The cause, and what is read when the notice is written. */
static void write_details(const struct fabric *f, const struct notice *n, const struct port *sender,
                          uint8_t *d)
{
    const uint8_t *lid = sender->info + WIRE_AT_PORT_INFO_LID;

    memcpy(d, n->cause, sizeof(n->cause));
    switch ((enum trap_number)n->trap) {
    case TRAP_LINK_STATE:
        memcpy(d + DETAIL_128_LID, lid, 2);
        break;
    case TRAP_LINK_INTEGRITY:
    case TRAP_BUFFER_OVERRUN:
    case TRAP_WATCHDOG:
        memcpy(d + DETAIL_129_LID, lid, 2);
        d[DETAIL_129_PORT] = f->ports[n->about].number;
        break;
    case TRAP_CAPABILITY:
        memcpy(d + DETAIL_144_LID, lid, 2);
        details_capability(d, sender, n->changes);
        break;
    case TRAP_SYSTEM_GUID:
        memcpy(d + DETAIL_145_LID, lid, 2);
        wire_set_be64(d + DETAIL_145_GUID, port_node(f, sender)->system_guid);
        break;
    case TRAP_BAD_PKEY_SWITCH:
        memcpy(d + DETAIL_259_LID, lid, 2);
        break;
    case TRAP_BAD_MKEY:
    case TRAP_BAD_PKEY:
    case TRAP_BAD_QKEY:
        break;
    }
}

static uint8_t notice_type(uint16_t trap)
{
    if (trap >= TRAP_BAD_MKEY)
        return TYPE_SECURITY;
    return trap < TRAP_CAPABILITY ? TYPE_URGENT : TYPE_INFO;
}

/* NodeType (IBA 14.2.5.3), which is what a generic notice calls its producer. */
static uint8_t producer(const struct node *n)
{
    if (n->type == TOPO_CA)
        return 1;
    return node_is_switch(n) ? 2 : 3;
}

void notice_write(const struct fabric *f, const struct notice *n, uint8_t *data)
{
    const struct port *sender = port_with_lid(f, &f->ports[n->about]);

    memset(data, 0, NOTICE_BYTES);
    wire_set(WIRE_NOTICE_GENERIC, data, 1);
    wire_set(WIRE_NOTICE_TYPE, data, notice_type(n->trap));
    wire_set(WIRE_NOTICE_PRODUCER, data, producer(port_node(f, sender)));
    wire_set_be16(data + WIRE_AT_NOTICE_TRAP, n->trap);
    wire_set_be16(data + WIRE_AT_NOTICE_ISSUER_LID, port_lid(sender));
    write_details(f, n, sender, data + WIRE_AT_NOTICE_DETAILS);
}

void notice_write_empty(uint8_t *data)
{
    memset(data, 0, NOTICE_BYTES);
    wire_set(WIRE_NOTICE_GENERIC, data, 1);
    wire_set(WIRE_NOTICE_TYPE, data, TYPE_EMPTY);
}
