/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The counters of a port as people think of them: bytes instead of words, absent instead of 0, and
 * a counter that sticks at all ones as the lower bound that it is.
 */
#ifndef WEFT_CLIENT_PMA_H
#define WEFT_CLIENT_PMA_H

#include <weft/wire.h>

#include <stdbool.h>

/** Counters of a port. Those before PMA_XMIT_DATA are of what goes wrong. */
enum pma_counter {
#define PMA_COUNTER(id, name, json) PMA_##id,
#include "client/pma.def"
#undef PMA_COUNTER
    PMA_COUNTERS
};

/** Counters of what goes wrong come first: so many. */
#define PMA_ERRORS PMA_XMIT_DATA

/** A set of counters: bit c is counter c. */
typedef uint32_t pma_set;

/** What was read of a port. Data are in bytes. */
struct pma_values {
    pma_set present;              /**< those that the port has */
    pma_set stuck;                /**< those at all ones: there were at least so many */
    pma_set wide;                 /**< those that have 64 bits */
    uint64_t value[PMA_COUNTERS]; /**< 0 where absent */
};

/** What has happened between two readings. */
struct pma_delta {
    pma_set present;              /**< those that both readings have */
    pma_set at_least;             /**< those of which there may have been more */
    pma_set reset;                /**< those that somebody has reset between */
    uint64_t value[PMA_COUNTERS]; /**< since the reset where there was one */
};

/** The name as perfquery and thresholds files have it, such as "SymbolErrorCounter". */
const char *pma_name(enum pma_counter c);

/** The name in JSON, such as "symbol_errors". */
const char *pma_json_name(enum pma_counter c);

/** Whether a counter is in a set. */
static inline bool pma_has(pma_set set, enum pma_counter c)
{
    return (set >> c & 1) != 0;
}

/** What ClassPortInfo says about a node's counters. */
struct pma_abilities {
    bool all_ports; /**< PortSelect 255 stands for the sum of all ports */
    bool extended;  /**< there is PortCountersExtended */
    bool unicast;   /**< which tells unicast from multicast */
    bool errors;    /**< and has the counters of errors, too */
    bool wait;      /**< there is XmitWait */
    bool qp1;       /**< there is QP1Dropped */
};

/** Reads a ClassPortInfo of the class. */
void pma_read_abilities(const uint8_t *attribute, struct pma_abilities *ret);

/** Adds what a PortCounters says; nothing takes the place of what is wider. */
void pma_read_classic(const uint8_t *attribute, const struct pma_abilities *a,
                      struct pma_values *v);

/** Adds what a PortCountersExtended says, in place of what is narrower. */
void pma_read_extended(const uint8_t *attribute, const struct pma_abilities *a,
                       struct pma_values *v);

/** Makes an attribute that sets counters to 0: of PortCounters, or of PortCountersExtended. */
void pma_fill_reset(uint8_t *attribute, bool extended, const struct pma_abilities *a);

/** What has happened between: new minus old, or, where new is less, new, since then it was reset.
 * Counters do not wrap around (IBA 16.1.3.5). */
void pma_delta(const struct pma_values *old, const struct pma_values *new, struct pma_delta *ret);

#endif
