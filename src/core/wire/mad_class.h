/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a management class implies, computed in line from the one table mad_class.def.
 */
#ifndef WEFT_CORE_WIRE_MAD_CLASS_H
#define WEFT_CORE_WIRE_MAD_CLASS_H

#include <weft/wire.h>

/** Bytes of a MAD that are header in this class: where the data that a client sends begins. SMPs
 * and PM MADs count their key and reserved bytes as data (24, although attributes start at 64). */
static inline uint32_t mad_class_data_offset(uint8_t mgmt_class)
{
#define MAD_CLASS(first, last, header_bytes, rmpp, qpn, name)                                      \
    if (mgmt_class >= (first) && mgmt_class <= (last))                                             \
        return header_bytes;
#include "core/wire/mad_class.def"
    return WEFT_MAD_HEADER_BYTES;
}

/** Whether MADs of this class have an RMPP header in bytes 24 to 35. */
static inline bool mad_class_has_rmpp(uint8_t mgmt_class)
{
#define MAD_CLASS(first, last, header_bytes, rmpp, qpn, name)                                      \
    if (mgmt_class >= (first) && mgmt_class <= (last))                                             \
        return (rmpp) != 0;
#include "core/wire/mad_class.def"
    return false;
}

/** Whether this class travels between the QP0s on VL15; every other class belongs to QP1. */
static inline bool mad_class_is_smi(uint8_t mgmt_class)
{
#define MAD_CLASS(first, last, header_bytes, rmpp, qpn, name)                                      \
    if (mgmt_class >= (first) && mgmt_class <= (last))                                             \
        return (qpn) == WEFT_QP_SMI;
#include "core/wire/mad_class.def"
    return false;
}

/** Whether MADs of this class carry an OUI in bytes 37 to 39 (vendor range 2). */
static inline bool mad_class_has_oui(uint8_t mgmt_class)
{
    return mgmt_class >= WEFT_CLASS_VENDOR2_FIRST && mgmt_class <= WEFT_CLASS_VENDOR2_LAST;
}

#endif
