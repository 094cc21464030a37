/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The counters of a port as people think of them: bytes instead of words, absent instead of 0, and
 * a counter that sticks at all ones as the lower bound that it is.
 */
#ifndef WEFT_CLIENT_PMA_H
#define WEFT_CLIENT_PMA_H

#include <weft/counters.h>

/** Reads a ClassPortInfo of the class. */
void pma_read_abilities(const uint8_t *attribute, struct weft_pma_abilities *ret);

/** Adds what a PortCounters says; nothing takes the place of what is wider. */
void pma_read_classic(const uint8_t *attribute, const struct weft_pma_abilities *a,
                      struct weft_pma_values *v);

/** Adds what a PortCountersExtended says, in place of what is narrower. */
void pma_read_extended(const uint8_t *attribute, const struct weft_pma_abilities *a,
                       struct weft_pma_values *v);

/** Makes an attribute that sets counters to 0: of PortCounters, or of PortCountersExtended. */
void pma_fill_reset(uint8_t *attribute, bool extended, const struct weft_pma_abilities *a);

#endif
