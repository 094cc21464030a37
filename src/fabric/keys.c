/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* P_Keys, Q_Keys and GIDs of packets. */
#include "fabric/keys.h"

#include "core/wire/mad_header.h"
#include "fabric/counters.h"
#include "fabric/trap.h"

#include <weft/pkey.h>

#include <string.h>

/* A sender's Q_Key with this bit means that of its own QP (IBA 10.2.4). */
#define QKEY_PRIVILEGED UINT32_C(0x80000000)
#define QPN_MULTICAST   0xFFFFFF
#define PREFIX_BYTES    8

static const uint8_t link_local[PREFIX_BYTES] = {0xFE, 0x80};

static bool is_external(const struct fabric *f, const struct port *p)
{
    return p->number != 0 && node_is_switch(port_node(f, p));
}

static bool is_multicast(const struct packet *p)
{
    return p->dlid >= WEFT_LID_MULTICAST_FIRST && p->dlid <= WEFT_LID_MULTICAST_LAST;
}

bool keys_find_pkey(const struct fabric *f, const struct port *p, uint16_t pkey,
                    uint16_t *ret_index)
{
    const uint16_t *table = port_pkeys(f, p);
    uint16_t count = port_pkey_count(f, p), key = port_pkey(f, p, 0);
    bool found = false;

    for (uint16_t i = 0; i < count; key = ++i < count ? table[i] : 0) {
        if (!weft_pkey_match(key, pkey) || (found && !weft_pkey_is_full(key)))
            continue;
        *ret_index = i;
        if (weft_pkey_is_full(key))
            return true;
        found = true;
    }
    return found;
}

bool keys_gid(const struct fabric *f, const struct port *p, uint8_t index, uint8_t ret[16])
{
    uint64_t guid;

    if (index >= FABRIC_GUIDS)
        return false;
    guid =
        index == 0 ? p->guid : wire_be64(f->guids[(size_t)port_index(f, p) * FABRIC_GUIDS + index]);
    if (guid == 0)
        return false;
    memcpy(ret, p->info + WIRE_AT_PORT_INFO_GID_PREFIX, PREFIX_BYTES);
    wire_set_be64(ret + PREFIX_BYTES, guid);
    return true;
}

bool keys_find_gid(const struct fabric *f, const struct port *p, const uint8_t gid[16],
                   uint8_t *ret_index)
{
    uint8_t own[16];

    for (uint8_t i = 0; i < FABRIC_GUIDS; i++) {
        if (!keys_gid(f, p, i, own) || memcmp(own + PREFIX_BYTES, gid + PREFIX_BYTES, 8) != 0)
            continue;
        if (memcmp(own, gid, PREFIX_BYTES) == 0 || memcmp(link_local, gid, PREFIX_BYTES) == 0) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

static bool refuse(struct fabric *f, const struct port *at, const struct packet *p, enum drop why)
{
    fabric_drop(f, at, p, why);
    return false;
}

/* SMPs go from QP0 to QP0, never with a GRH nor to a group; no other class goes there. */
static bool smp_is_sound(const struct packet *p)
{
    return mad_class_is_smi(mad_class(p->mad)) && p->src_qpn == WEFT_QP_SMI && !p->has_grh &&
           !is_multicast(p);
}

/* The others: none of the SMP classes, not from QP0, and to a group only with a GRH. */
static bool gmp_is_sound(const struct packet *p)
{
    return !mad_class_is_smi(mad_class(p->mad)) && p->src_qpn != WEFT_QP_SMI &&
           (!is_multicast(p) || p->has_grh);
}

enum drop keys_stamp(const struct fabric *f, const struct port *from, struct packet *p)
{
    if (p->dst_qpn == WEFT_QP_SMI) {
        p->pkey = WEFT_PKEY_DEFAULT;
        return smp_is_sound(p) ? DROPS : DROP_MALFORMED;
    }
    p->pkey = p->pkey_index < port_pkey_count(f, from) ? port_pkey(f, from, p->pkey_index) : 0;
    if (p->qkey & QKEY_PRIVILEGED)
        p->qkey = WEFT_QKEY_GSI;
    if (!gmp_is_sound(p) || (p->has_grh && !keys_gid(f, from, p->sgid_index, p->sgid)))
        return DROP_MALFORMED;
    return weft_pkey_valid(p->pkey) ? DROPS : DROP_PKEY;
}

/* A violation counter of PortInfo: 16 bits that stick at all ones. */
static void count_violation(struct port *p, size_t at)
{
    uint16_t n = be16_at(p->info + at);

    if (n < UINT16_MAX)
        wire_set_be16(p->info + at, (uint16_t)(n + 1));
}

static bool pkey_fits(struct fabric *f, struct port *holder, struct packet *p)
{
    bool quiet;

    if (keys_find_pkey(f, holder, p->pkey, &p->pkey_index))
        return true;
    count_violation(holder, WIRE_AT_PORT_INFO_P_KEY_VIOLATIONS);
    quiet = is_multicast(p) && wire_get(WIRE_PORT_INFO_MC_PKEY_TRAP_SUPPRESSION, holder->info) != 0;
    if (!quiet)
        trap_raise(f, holder, TRAP_BAD_PKEY, p);
    return refuse(f, holder, p, DROP_PKEY);
}

bool keys_check(struct fabric *f, struct port *holder, struct packet *p)
{
    uint8_t gid_index;

    if (p->dst_qpn == WEFT_QP_SMI) {
        p->pkey_index = 0;
        return true;
    }
    if (is_multicast(p) && p->dst_qpn == QPN_MULTICAST)
        p->dst_qpn = WEFT_QP_GSI;
    if (p->dst_qpn != WEFT_QP_GSI)
        return refuse(f, holder, p, DROP_UNCLAIMED);
    if (p->has_grh && !is_multicast(p) && !keys_find_gid(f, holder, p->dgid, &gid_index))
        return refuse(f, holder, p, DROP_NO_ROUTE);
    if (p->qkey != WEFT_QKEY_GSI) {
        count_violation(holder, WIRE_AT_PORT_INFO_Q_KEY_VIOLATIONS);
        trap_raise(f, holder, TRAP_BAD_QKEY, p);
        return refuse(f, holder, p, DROP_QKEY);
    }
    return pkey_fits(f, holder, p);
}

/* Byte 43 of PortInfo: PartitionEnforcementInbound, PartitionEnforcementOutbound. */
static bool enforces(const struct port *p, enum keys_side side)
{
    uint8_t bit = side == KEYS_INBOUND ? 0x08 : 0x04;

    return (p->info[WIRE_AT_PORT_INFO_PARTITION_ENFORCE_IN] & bit) != 0;
}

bool keys_checks(const struct fabric *f, const struct port *p)
{
    return (enforces(p, KEYS_INBOUND) || enforces(p, KEYS_OUTBOUND)) && is_external(f, p);
}

/* SMs give a switch's port the keys of the host behind it: what comes from there must bear one of
 * them, and not as a full member where it is a limited one. */
static bool may_enter(const struct fabric *f, const struct port *p, uint16_t pkey)
{
    uint16_t count = port_pkey_count(f, p);
    bool found = false;

    for (uint16_t i = 0; i < count && !found; i++) {
        uint16_t key = port_pkey(f, p, i);

        found = weft_pkey_same_partition(key, pkey) &&
                (weft_pkey_is_full(key) || !weft_pkey_is_full(pkey));
    }
    return found;
}

static bool may_pass(const struct fabric *f, const struct port *p, uint16_t pkey,
                     enum keys_side side)
{
    uint16_t index;

    return side == KEYS_INBOUND ? may_enter(f, p, pkey) : keys_find_pkey(f, p, pkey, &index);
}

bool keys_pass(struct fabric *f, struct port *p, const struct packet *packet, enum keys_side side)
{
    if (packet->dst_qpn == WEFT_QP_SMI || !enforces(p, side) || !is_external(f, p) ||
        may_pass(f, p, packet->pkey, side))
        return true;
    counters_add(
        p, side == KEYS_INBOUND ? COUNTER_RCV_CONSTRAINT_ERRORS : COUNTER_XMIT_CONSTRAINT_ERRORS,
        1);
    trap_raise(f, p, TRAP_BAD_PKEY_SWITCH, packet);
    return refuse(f, p, packet, DROP_PKEY);
}
