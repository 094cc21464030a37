/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What is known of a fabric from before: of each port that has a cable its other end and the link's
 * rate, hashed by GUID.
 */
#ifndef WEFT_CLIENT_KNOWN_H
#define WEFT_CLIENT_KNOWN_H

#include <weft/base.h>

#include <stdint.h>

/** A port, or port 0 of a switch. */
struct known_port {
    uint64_t guid;      /**< of its node */
    uint64_t peer_guid; /**< of the node at the other end; port 0: 0 */
    uint16_t lid;       /**< CA and router ports, port 0 */
    uint8_t number;
    uint8_t peer_number;
    uint8_t lmc;
    char width[8];  /**< as sweep_width_word() has it, perhaps cut */
    char speed[16]; /**< as sweep_speed_word() has it, perhaps cut */
    /** What the port can do, sets of bits as in PortInfo; 0: not known. */
    uint8_t width_supported, speed_supported, speed_ext_supported;
};

/** Ports. */
struct known;

/** Makes an empty one.
 * @param ports  at most so many will be added
 * @return NULL without memory */
struct known *known_new(uint32_t ports);

/** Frees it; NULL is fine.
 * @return NULL */
struct known *known_free(struct known *k);

/** Adds a port. Of two with the same GUID and number the first one counts.
 * @return 0; WEFT_ERR_FULL: more than said */
int known_add(struct known *k, const struct known_port *p);

/** Finds one.
 * @return NULL: there is none */
const struct known_port *known_find(const struct known *k, uint64_t guid, uint8_t number);

#endif
