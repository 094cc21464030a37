/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The two checksums of an InfiniBand packet.
 */
#ifndef WEFT_CORE_TRACE_PACKET_CRC_H
#define WEFT_CORE_TRACE_PACKET_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The invariant CRC (IBA 7.8.1); it is sent least significant byte first.
 * @param packet   LRH to the last byte before the ICRC: at least LRH, GRH if there is one, and BTH
 * @param len      bytes at packet
 * @param has_grh  whether a GRH follows the LRH */
uint32_t packet_icrc(const uint8_t *packet, size_t len, bool has_grh);

/** The variant CRC (IBA 7.8.2) of LRH to ICRC; it is sent least significant byte first. */
uint16_t packet_vcrc(const uint8_t *packet, size_t len);

#endif
