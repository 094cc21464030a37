/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Redirections: LID, queue pair, partition, and a route header where a router lies between. */
#include "client/redirect.h"

#include "core/wire/field.h"

#include <string.h>

#define GID_BYTES    16
#define PREFIX_BYTES 8

/* The first byte of GIDs that are groups, of which none answers (IBA 4.1.1). */
#define GID_MULTICAST 0xFF

/* ClassPortInfo does not say how far it is. */
#define HOP_LIMIT 255

/* The index of the redirection's P_Key in the own table. */
static bool pkey_index_of(const struct redirect_from *from, weft_pkey key, uint16_t *ret)
{
    if (from->pkeys && weft_pkey_cache_find(from->pkeys, key, ret) == 0)
        return true;
    *ret = from->pkey_index;
    return weft_pkey_same_partition(key, WEFT_PKEY_DEFAULT);
}

/* Whether a GID is of the own subnet: there is none, it never leaves a subnet (IBA 4.1.1), or it
 * has the prefix of the own one. */
static bool is_near(const struct redirect_from *from, const uint8_t *gid)
{
    static const uint8_t none[GID_BYTES];

    return memcmp(gid, none, GID_BYTES) == 0 || (gid[0] == 0xFE && (gid[1] & 0xC0) == 0x80) ||
           (from->gid && memcmp(gid, from->gid, PREFIX_BYTES) == 0);
}

static struct weft_mad_grh grh_of(const struct redirect_from *from, const uint8_t *info)
{
    struct weft_mad_grh grh = {
        .flow_label = (uint32_t)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_FLOW_LABEL, info),
        .traffic_class = (uint8_t)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_TRAFFIC_CLASS, info),
        .hop_limit = HOP_LIMIT,
    };

    memcpy(grh.sgid, from->gid, GID_BYTES);
    memcpy(grh.dgid, info + wire_bytes_offset(WIRE_CLASS_PORT_INFO_REDIRECT_GID), GID_BYTES);
    return grh;
}

bool redirect_read(const struct redirect_from *from, const uint8_t *info, struct weft_mad_addr *ret)
{
    const uint8_t *gid = info + wire_bytes_offset(WIRE_CLASS_PORT_INFO_REDIRECT_GID);
    struct weft_mad_addr to = {
        .lid = (uint16_t)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_LID, info),
        .sl = (uint8_t)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_SL, info),
        .qpn = (uint32_t)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_QP, info),
        .qkey = (uint32_t)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_QKEY, info),
        .has_grh = !is_near(from, gid),
    };
    weft_pkey key = (weft_pkey)wire_get(WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, info);

    if (to.lid == 0 || to.lid >= WEFT_LID_MULTICAST_FIRST || to.qpn == 0 ||
        gid[0] == GID_MULTICAST || (to.has_grh && !from->gid) ||
        !pkey_index_of(from, key, &to.pkey_index))
        return false;
    if (to.has_grh)
        to.grh = grh_of(from, info);
    *ret = to;
    return true;
}
