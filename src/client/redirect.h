/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Where a ClassPortInfo says that a class is served instead (IBA 13.5.2).
 */
#ifndef WEFT_CLIENT_REDIRECT_H
#define WEFT_CLIENT_REDIRECT_H

#include <weft/mad.h>
#include <weft/pkey.h>

/** What is known of the own port. Start from zeroes. */
struct redirect_from {
    uint16_t pkey_index;                 /**< of the default partition */
    const struct weft_pkey_cache *pkeys; /**< NULL: the default partition is the only one */
    const uint8_t *gid;                  /**< at index 0; NULL: not known */
};

/** Makes the address that is redirected to. One to a GID alone leads nowhere: it would take an SA
 * to find its LID, and the SA itself may be what redirects.
 * @param info  ClassPortInfo as on the wire, or the redirecting answer
 * @return false: it cannot be reached from here */
bool redirect_read(const struct redirect_from *from, const uint8_t *info,
                   struct weft_mad_addr *ret);

#endif
