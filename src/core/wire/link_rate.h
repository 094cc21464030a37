/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Widths and speeds of links: the bits that PortInfo has for them (IBA 14.2.5.6), the words that
 * people and ibnetdiscover have, and what a lane signals.
 */
#ifndef WEFT_CORE_WIRE_LINK_RATE_H
#define WEFT_CORE_WIRE_LINK_RATE_H

#include <stdint.h>

/** What a lane runs at. The larger the faster, up to the last one. */
enum wire_link_speed {
    WIRE_LINK_SPEED_NONE,
    WIRE_LINK_SDR,
    WIRE_LINK_DDR,
    WIRE_LINK_QDR,
    WIRE_LINK_FDR,
    WIRE_LINK_EDR,
    WIRE_LINK_HDR,
    WIRE_LINK_NDR,
    WIRE_LINK_XDR,  /**< PortInfo has no bit for it */
    WIRE_LINK_FDR10 /**< one vendor's, between QDR and FDR; in PortInfo it is QDR */
};

/** Lanes of the widest link in a set of LinkWidth bits.
 * @return 1, 2, 4, 8 or 12; 0: there is none */
uint8_t wire_link_lanes(unsigned widths);

/** The word for one LinkWidth bit: "4x".
 * @return NULL: it is none, or several */
const char *wire_link_width_word(unsigned width);

/** Lanes by that word.
 * @return 0: it is none of these words */
uint8_t wire_link_lanes_of_word(const char *word);

/** The fastest of two sets of bits; where there is an extended speed, that counts.
 * @param speeds    LinkSpeed
 * @param extended  LinkSpeedExt */
enum wire_link_speed wire_link_speed(unsigned speeds, unsigned extended);

/** The word for what a link runs at: "QDR".
 * @param speed     LinkSpeedActive; counts where the other is 0
 * @param extended  LinkSpeedExtActive
 * @return NULL: that is none, or several */
const char *wire_link_active_word(unsigned speed, unsigned extended);

/** The word for a speed.
 * @return NULL for WIRE_LINK_SPEED_NONE and what is none */
const char *wire_link_speed_word(enum wire_link_speed speed);

/** A speed by its word. */
enum wire_link_speed wire_link_speed_of_word(const char *word);

/** What a lane signals, in kb/s.
 * @return 0 for WIRE_LINK_SPEED_NONE and what is none */
uint32_t wire_link_lane_kbps(enum wire_link_speed speed);

#endif
