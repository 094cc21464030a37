/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * In-line access to the MAD common header and the RMPP header, for the path every packet takes.
 *
 * Every `p` is the first byte of a MAD of at least WEFT_MAD_HEADER_BYTES (WEFT_RMPP_DATA_OFFSET for
 * rmpp_*), at any alignment. Values are in host order. The offsets are those of mad.def and
 * rmpp.def; tests/unit/test_wire_mad_header.c compares them.
 */
#ifndef WEFT_CORE_WIRE_MAD_HEADER_H
#define WEFT_CORE_WIRE_MAD_HEADER_H

#include "core/wire/mad_class.h"

static inline uint16_t wire_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t wire_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t wire_be64(const uint8_t *p)
{
    return (uint64_t)wire_be32(p) << 32 | wire_be32(p + 4);
}

static inline void wire_set_be16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static inline void wire_set_be32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 24);
    p[1] = (uint8_t)(value >> 16);
    p[2] = (uint8_t)(value >> 8);
    p[3] = (uint8_t)value;
}

static inline void wire_set_be64(uint8_t *p, uint64_t value)
{
    wire_set_be32(p, (uint32_t)(value >> 32));
    wire_set_be32(p + 4, (uint32_t)value);
}

static inline uint8_t mad_base_version(const uint8_t *p)
{
    return p[0];
}

static inline void mad_set_base_version(uint8_t *p, uint8_t version)
{
    p[0] = version;
}

static inline uint8_t mad_class(const uint8_t *p)
{
    return p[1];
}

static inline void mad_set_class(uint8_t *p, uint8_t mgmt_class)
{
    p[1] = mgmt_class;
}

static inline uint8_t mad_class_version(const uint8_t *p)
{
    return p[2];
}

static inline void mad_set_class_version(uint8_t *p, uint8_t version)
{
    p[2] = version;
}

/** The method with its R bit. */
static inline uint8_t mad_method(const uint8_t *p)
{
    return p[3];
}

static inline void mad_set_method(uint8_t *p, uint8_t method)
{
    p[3] = method;
}

/** All 16 bits; in a directed-route SMP bit 15 is the direction. */
static inline uint16_t mad_status(const uint8_t *p)
{
    return wire_be16(p + 4);
}

static inline void mad_set_status(uint8_t *p, uint16_t status)
{
    wire_set_be16(p + 4, status);
}

static inline uint64_t mad_tid(const uint8_t *p)
{
    return wire_be64(p + 8);
}

static inline void mad_set_tid(uint8_t *p, uint64_t tid)
{
    wire_set_be64(p + 8, tid);
}

static inline uint16_t mad_attr_id(const uint8_t *p)
{
    return wire_be16(p + 16);
}

static inline void mad_set_attr_id(uint8_t *p, uint16_t attr_id)
{
    wire_set_be16(p + 16, attr_id);
}

static inline uint32_t mad_attr_mod(const uint8_t *p)
{
    return wire_be32(p + 20);
}

static inline void mad_set_attr_mod(uint8_t *p, uint32_t attr_mod)
{
    wire_set_be32(p + 20, attr_mod);
}

/** Whether the MAD answers another one, so that its TID names the asker's agent: R is set, or it is
 * a TrapRepress (IBA 13.4.5: no R bit), or a BM packet whose modifier says so (IBA 16.2). */
static inline bool mad_is_response(const uint8_t *p)
{
    return (mad_method(p) & WEFT_METHOD_RESPONSE) != 0 ||
           mad_method(p) == WEFT_METHOD_TRAP_REPRESS ||
           (mad_class(p) == WEFT_CLASS_BOARD && (mad_attr_mod(p) & 1) != 0);
}

/** The OUI of a vendor range 2 MAD (mad_class_has_oui), 24 bits; p has at least 40 bytes. */
static inline uint32_t mad_oui(const uint8_t *p)
{
    return wire_be32(p + 36) & 0xFFFFFF;
}

static inline void mad_set_oui(uint8_t *p, uint32_t oui)
{
    wire_set_be32(p + 36, (uint32_t)p[36] << 24 | (oui & 0xFFFFFF));
}

static inline uint8_t rmpp_version(const uint8_t *p)
{
    return p[24];
}

static inline void rmpp_set_version(uint8_t *p, uint8_t version)
{
    p[24] = version;
}

static inline uint8_t rmpp_type(const uint8_t *p)
{
    return p[25];
}

static inline void rmpp_set_type(uint8_t *p, uint8_t type)
{
    p[25] = type;
}

/** RRespTime, 5 bits: 4.096 us * 2^n, or WEFT_RMPP_RESP_TIME_UNKNOWN. */
static inline uint8_t rmpp_resp_time(const uint8_t *p)
{
    return p[26] >> 3;
}

static inline void rmpp_set_resp_time(uint8_t *p, uint8_t resp_time)
{
    p[26] = (uint8_t)(resp_time << 3 | (p[26] & WEFT_RMPP_FLAG_MASK));
}

/** The three bits of enum weft_rmpp_flags. */
static inline uint8_t rmpp_flags(const uint8_t *p)
{
    return p[26] & WEFT_RMPP_FLAG_MASK;
}

static inline void rmpp_set_flags(uint8_t *p, uint8_t flags)
{
    p[26] = (uint8_t)((p[26] & ~WEFT_RMPP_FLAG_MASK) | (flags & WEFT_RMPP_FLAG_MASK));
}

/** Whether this MAD is part of an RMPP transfer. Without the flag it passes as an ordinary MAD. */
static inline bool rmpp_is_active(const uint8_t *p)
{
    return mad_class_has_rmpp(mad_class(p)) && (p[26] & WEFT_RMPP_FLAG_ACTIVE) != 0;
}

static inline uint8_t rmpp_status(const uint8_t *p)
{
    return p[27];
}

static inline void rmpp_set_status(uint8_t *p, uint8_t status)
{
    p[27] = status;
}

static inline uint32_t rmpp_segment(const uint8_t *p)
{
    return wire_be32(p + 28);
}

static inline void rmpp_set_segment(uint8_t *p, uint32_t segment)
{
    wire_set_be32(p + 28, segment);
}

/** PayloadLength of DATA, NewWindowLast of ACK: the same four bytes. */
static inline uint32_t rmpp_length(const uint8_t *p)
{
    return wire_be32(p + 32);
}

static inline void rmpp_set_length(uint8_t *p, uint32_t length)
{
    wire_set_be32(p + 32, length);
}

static inline uint32_t rmpp_new_window(const uint8_t *p)
{
    return rmpp_length(p);
}

static inline void rmpp_set_new_window(uint8_t *p, uint32_t segment)
{
    rmpp_set_length(p, segment);
}

#endif
