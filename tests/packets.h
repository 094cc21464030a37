/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * MADs as tests need them: requests, their answers, and RMPP packets, built in 256 bytes.
 */
#ifndef WEFT_TESTS_PACKETS_H
#define WEFT_TESTS_PACKETS_H

#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <weft/mad.h>

#include <string.h>

/** The vendor of classes that name one. */
#define PACKET_OUI 0x1405u

/** The class version that every agent of the tests registers. */
static inline uint8_t packet_class_version(uint8_t mgmt_class)
{
    return mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1;
}

/** A MAD without content. */
static inline void packet_build(uint8_t *mad, uint8_t mgmt_class, uint8_t method, uint64_t tid)
{
    memset(mad, 0, WEFT_MAD_BYTES);
    mad_set_base_version(mad, 1);
    mad_set_class(mad, mgmt_class);
    mad_set_class_version(mad, packet_class_version(mgmt_class));
    mad_set_method(mad, method);
    mad_set_tid(mad, tid);
    mad_set_attr_id(mad, 0x35);
    if (mad_class_has_oui(mgmt_class))
        mad_set_oui(mad, PACKET_OUI);
}

/** Makes a directed-route SMP take this many hops, each out of port 1, without a LID routed part;
 * none: it stays at its own node. */
static inline void packet_directed(uint8_t *mad, uint8_t hops)
{
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, hops);
    wire_set(WIRE_SMP_DIRECTED_DR_SLID, mad, WEFT_LID_PERMISSIVE);
    wire_set(WIRE_SMP_DIRECTED_DR_DLID, mad, WEFT_LID_PERMISSIVE);
    for (uint8_t hop = 1; hop <= hops; hop++)
        mad[wire_bytes_offset(WIRE_SMP_DIRECTED_INITIAL_PATH) + hop] = 1;
}

/** The answer to a request, with its content. */
static inline void packet_answer(uint8_t *mad, const uint8_t *request, uint16_t status)
{
    memmove(mad, request, WEFT_MAD_BYTES);
    mad_set_method(mad, mad_method(request) | WEFT_METHOD_RESPONSE);
    mad_set_status(mad, status);
}

/** Makes a MAD an RMPP packet. `length` is PayloadLength, or NewWindowLast of an ACK. */
static inline void packet_rmpp(uint8_t *mad, enum weft_rmpp_type type, unsigned flags,
                               uint32_t segment, uint32_t length)
{
    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_set_type(mad, (uint8_t)type);
    rmpp_set_resp_time(mad, WEFT_RMPP_RESP_TIME_UNKNOWN);
    rmpp_set_flags(mad, (uint8_t)(flags | WEFT_RMPP_FLAG_ACTIVE));
    rmpp_set_status(mad, 0);
    rmpp_set_segment(mad, segment);
    rmpp_set_length(mad, length);
}

/** Makes a MAD an ABORT or STOP. */
static inline void packet_rmpp_end(uint8_t *mad, enum weft_rmpp_type type, uint8_t status)
{
    packet_rmpp(mad, type, 0, 0, 0);
    rmpp_set_status(mad, status);
}

#endif
