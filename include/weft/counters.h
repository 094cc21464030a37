/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Reads the counters of a fabric that was swept. A machine without I/O above the MAD engine, driven
 * as sweep.h says.
 *
 * Agents are asked: that of a switch for its external ports, and port 0 where that is an enhanced
 * one; that of each CA or router port that was reached for this port. First each says once what it
 * has (ClassPortInfo); then it is asked for all its ports at once: for the extended counters where
 * it has them, for the classic ones where it has nothing wider. Who falls silent is asked no more,
 * and waited for by nobody. Only weft_counters_reset() ever writes.
 */
#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include <weft/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How patiently to ask. */
struct weft_gmp_patience {
    uint32_t window_first; /**< default 64: questions under way in the beginning; 1..window_max */
    uint32_t window_max; /**< default 512: at most; 1..512. As many again may be under way that have
                              had no answer in time, so that the dead do not stand in the way of
                              the living */
    weft_time timeout;   /**< default 1 s: without an answer for so long a node is taken for dead;
                              4 ms..1 min */
    weft_time first;     /**< default 25 ms: the wait for an answer to the first packet, and to the
                              second; then the waits grow, randomized, up to three times that,
                              until the timeout; 1 ms..half the timeout */
    uint8_t rounds;      /**< default 4: how often all of this is done where packets get lost: where
                              more than one answer of 16 needed a second packet; at least 1 */
};

/** Fills in the defaults. */
void weft_gmp_patience_init(struct weft_gmp_patience *ret);

/** What it has done. */
struct weft_counters_stats {
    uint64_t questions; /* posted, and posted again */
    uint64_t answers;
    uint64_t late;    /* of these, those that needed a second packet */
    uint64_t unheard; /* questions without an answer to the end */
    uint32_t window;  /* as it is now */
};

/** Counters of a port. Those before WEFT_PMA_XMIT_DATA are of what goes wrong, by severity. */
enum weft_pma_counter {
    WEFT_PMA_LINK_DOWNED,                 /**< LinkDownedCounter */
    WEFT_PMA_SYMBOL_ERRORS,               /**< SymbolErrorCounter */
    WEFT_PMA_LINK_ERROR_RECOVERY,         /**< LinkErrorRecoveryCounter */
    WEFT_PMA_RCV_ERRORS,                  /**< PortRcvErrors */
    WEFT_PMA_LOCAL_LINK_INTEGRITY_ERRORS, /**< LocalLinkIntegrityErrors */
    WEFT_PMA_BUFFER_OVERRUN_ERRORS,       /**< ExcessiveBufferOverrunErrors */
    WEFT_PMA_RCV_REMOTE_PHYSICAL_ERRORS,  /**< PortRcvRemotePhysicalErrors */
    WEFT_PMA_XMIT_DISCARDS,               /**< PortXmitDiscards */
    WEFT_PMA_RCV_SWITCH_RELAY_ERRORS,     /**< PortRcvSwitchRelayErrors */
    WEFT_PMA_XMIT_CONSTRAINT_ERRORS,      /**< PortXmitConstraintErrors */
    WEFT_PMA_RCV_CONSTRAINT_ERRORS,       /**< PortRcvConstraintErrors */
    WEFT_PMA_VL15_DROPPED,                /**< VL15Dropped */
    WEFT_PMA_QP1_DROPPED,                 /**< QP1Dropped */
    WEFT_PMA_XMIT_WAIT,                   /**< PortXmitWait */
    WEFT_PMA_XMIT_DATA,                   /**< PortXmitData in bytes */
    WEFT_PMA_RCV_DATA,                    /**< PortRcvData in bytes */
    WEFT_PMA_XMIT_PACKETS,                /**< PortXmitPkts */
    WEFT_PMA_RCV_PACKETS,                 /**< PortRcvPkts */
    WEFT_PMA_UNICAST_XMIT_PACKETS,        /**< PortUnicastXmitPkts */
    WEFT_PMA_UNICAST_RCV_PACKETS,         /**< PortUnicastRcvPkts */
    WEFT_PMA_MULTICAST_XMIT_PACKETS,      /**< PortMulticastXmitPkts */
    WEFT_PMA_MULTICAST_RCV_PACKETS,       /**< PortMulticastRcvPkts */
    WEFT_PMA_COUNTERS                     /**< how many there are */
};

/** Counters of what goes wrong come first: so many. */
#define WEFT_PMA_ERRORS WEFT_PMA_XMIT_DATA

/** A set of counters: bit c is counter c. */
typedef uint32_t weft_pma_set;

/** What was read of a port. Data are in bytes. */
struct weft_pma_values {
    weft_pma_set present;              /**< those that the port has */
    weft_pma_set stuck;                /**< those at all ones: there were at least so many */
    weft_pma_set wide;                 /**< those that have 64 bits */
    uint64_t value[WEFT_PMA_COUNTERS]; /**< 0 where absent */
};

/** What has happened between two readings. */
struct weft_pma_delta {
    weft_pma_set present;              /**< those that both readings have */
    weft_pma_set at_least;             /**< those of which there may have been more */
    weft_pma_set reset;                /**< those that somebody has reset between */
    uint64_t value[WEFT_PMA_COUNTERS]; /**< since the reset where there was one */
};

/** The name as perfquery and thresholds files have it, such as "SymbolErrorCounter". */
const char *weft_pma_name(enum weft_pma_counter c);

/** The name in JSON, such as "symbol_errors". */
const char *weft_pma_json_name(enum weft_pma_counter c);

/** Whether a counter is in a set. */
static inline bool weft_pma_has(weft_pma_set set, enum weft_pma_counter c)
{
    return (set >> c & 1) != 0;
}

/** What ClassPortInfo says about a node's counters. */
struct weft_pma_abilities {
    bool all_ports; /**< PortSelect 255 stands for the sum of all ports */
    bool extended;  /**< there is PortCountersExtended */
    bool unicast;   /**< which tells unicast from multicast */
    bool errors;    /**< and has the counters of errors, too */
    bool wait;      /**< there is XmitWait */
    bool qp1;       /**< there is QP1Dropped */
};

/** What has happened between: later minus earlier, or, where later is less, later, since then it
 * was reset. Counters do not wrap around (IBA 16.1.3.5). */
void weft_pma_delta(const struct weft_pma_values *earlier, const struct weft_pma_values *later,
                    struct weft_pma_delta *ret);

/** What is known of a port. */
enum weft_counters_state {
    WEFT_COUNTERS_UNASKED,   /**< not wanted, or not there */
    WEFT_COUNTERS_READ,      /**< all was read */
    WEFT_COUNTERS_QUIET,     /**< not read: the sum of the switch's ports is not above any limit */
    WEFT_COUNTERS_PART,      /**< some was read, then the agent was silent or refused */
    WEFT_COUNTERS_REFUSED,   /**< the agent answers, but not with counters */
    WEFT_COUNTERS_SILENT,    /**< the agent does not answer */
    WEFT_COUNTERS_NO_ADDRESS /**< it has no LID: no subnet manager has given it one */
};

/** What to read. */
struct weft_counters_config {
    struct weft_gmp_patience asker; /**< how patiently */
    const bool *wanted;             /**< for each port of the sweep; NULL: all. Borrowed */
    /** If not NULL: of switches that can sum their ports the sums are asked for first, and the
     * ports only where one of these WEFT_PMA_ERRORS sums is above. Borrowed. */
    const uint64_t *limits;
};

/** Fills in the defaults. */
void weft_counters_config_init(struct weft_counters_config *ret);

/** The counters of a fabric. */
struct weft_counters;

/** Begins to read.
 * @param sweep  has ended; borrowed
 * @param c      NULL: the defaults
 * @param known  an earlier reading, of another sweep, too: whom that has asked what it has is not
 *               asked again; NULL: none
 * @param agent  for requests of class 0x04 on QP1
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int weft_counters_new(const struct weft_sweep *sweep, const struct weft_counters_config *c,
                      const struct weft_counters *known, weft_mad_agent_id agent,
                      struct weft_counters **ret);

/** Frees them; the engine must hold none of their sends any more. NULL is fine.
 * @return NULL */
struct weft_counters *weft_counters_free(struct weft_counters *c);

/** The next request to post.
 * @return false: none for now */
bool weft_counters_poll(struct weft_counters *c, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of others are ignored. */
void weft_counters_event(struct weft_counters *c, const struct weft_mad_event *ev);

/** Whether all was read that can be. */
bool weft_counters_done(const struct weft_counters *c);

/** How it went.
 * @return 0; WEFT_ERR_NOMEM: what was read until then stays */
int weft_counters_verdict(const struct weft_counters *c);

/** What is known of a port of the sweep. */
enum weft_counters_state weft_counters_state(const struct weft_counters *c, uint32_t port);

/** What was read of it. */
const struct weft_pma_values *weft_counters_get(const struct weft_counters *c, uint32_t port);

/** What its agent has; NULL: it has not said. */
const struct weft_pma_abilities *weft_counters_abilities(const struct weft_counters *c,
                                                         uint32_t port);

/** Begins to set to 0 what was read of the ports in state WEFT_COUNTERS_READ; drive it on as
 * before. Values stay as read.
 * @return 0; WEFT_ERR_STATE: it is still reading; WEFT_ERR_NOMEM */
int weft_counters_reset(struct weft_counters *c);

/** Whether a port's counters were reset. */
bool weft_counters_was_reset(const struct weft_counters *c, uint32_t port);

/** What has been sent and heard. */
void weft_counters_stats(const struct weft_counters *c, struct weft_counters_stats *ret);

/** The port of a reading's sweep that has the node GUID and number of another sweep's.
 * @return WEFT_SWEEP_NONE: there is none */
uint32_t weft_counters_port_in(const struct weft_counters *in, const struct weft_sweep *sweep,
                               uint32_t port);

/** What has happened at a port between two readings, perhaps of two sweeps.
 * @param earlier  the earlier one
 * @param later  the later one
 * @param port in the later one's sweep
 * @return false: one of the two did not read it */
bool weft_counters_delta(const struct weft_counters *earlier, const struct weft_counters *later,
                         uint32_t port, struct weft_pma_delta *ret);

#ifdef __cplusplus
}
#endif

#endif
