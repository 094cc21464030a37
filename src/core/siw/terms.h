/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What two peers have agreed on in their MPA frames.
 */
#ifndef WEFT_CORE_SIW_TERMS_H
#define WEFT_CORE_SIW_TERMS_H

#include <stdbool.h>
#include <stdint.h>

/** The terms of a connection, from our side. */
struct terms {
    bool initiator;
    bool crc;
    bool enhanced; /* revision 2 with S */
    bool peer_to_peer;
    uint8_t revision;   /* of the peer's frame */
    uint8_t rtr;        /* one enum weft_siw_rtr: the frame the initiator begins with; or NONE */
    uint16_t ird, ord;  /* reads to serve, reads to have out */
    uint16_t ulpdu_max; /* MULPDU */
};

#endif
