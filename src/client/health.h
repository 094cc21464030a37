/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What is wrong with a port, by what a sweep and its counters say.
 */
#ifndef WEFT_CLIENT_HEALTH_H
#define WEFT_CLIENT_HEALTH_H

#include "client/thresholds.h"

#include <weft/counters.h>

/** What is wrong with a port. */
struct health {
    bool down;          /**< the link is down, and its LinkDownedCounter is above: it was up */
    bool not_active;    /**< it is up, but carries no data: no subnet manager has made it active */
    bool narrow;        /**< it is narrower than what both ends can do */
    bool slow;          /**< it is slower than what both ends can do */
    uint8_t width;      /**< lanes that both ends can do; 0: not known */
    uint8_t speed;      /**< a number that grows with the speed both ends can do; 0: not known */
    weft_pma_set above; /**< counters above their thresholds, and those stuck */
};

/** Looks at a port.
 * @param c  its sweep's counters; may be NULL: the link alone is looked at
 * @return whether anything is wrong */
bool health_look(const struct weft_sweep *s, const struct weft_counters *c,
                 const struct thresholds *t, uint32_t port, struct health *ret);

/** How bad it is: the larger the worse. Links come before counters, counters in the order of
 * pma.def, and of the same counter the larger. */
uint64_t health_weight(const struct health *h, const struct weft_pma_values *v);

/** Lanes of a link that is up: 1, 2, 4, 8 or 12; 0: not known. */
uint8_t health_lanes(const struct weft_sweep_port *p);

/** The speed of a link that is up, enum wire_link_speed; 0: not known. */
uint8_t health_speed(const struct weft_sweep_port *p);

/** Its word; "?" for 0. */
const char *health_speed_word(uint8_t speed);

#endif
