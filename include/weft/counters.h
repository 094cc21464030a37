/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Reads the counters of a fabric that was swept, or that a sweep has nearly gone through
 * (performance management, IBA 16.1). A machine without I/O or clock above the MAD engine, driven
 * as sweep.h says.
 *
 * Agents are asked: that of a switch for its external ports, and port 0 where that is an enhanced
 * one; that of each CA or router port that was reached for this port. First each says once what it
 * has (ClassPortInfo); then it is asked for all its ports at once: for the extended counters where
 * it has them, for the classic ones where it has nothing wider. Each is asked at its own pace: for
 * one port after the other where it takes long, and not given up while it answers. Who falls silent
 * is asked no more, and waited for by nobody. Only weft_counters_reset() ever writes.
 *
 * Ports have the numbers of the sweep. One thread at a time uses a reading and its sweep. Pointers
 * must not be NULL unless their text says so. Numbers are in host byte order; data counters are in
 * bytes, where the wire has units of 4.
 */
#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include <weft/pkey.h>
#include <weft/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/** Whether a counter is in a set.
 * @param set  the set
 * @param c    the counter
 * @return whether it is */
static inline bool weft_pma_has(weft_pma_set set, enum weft_pma_counter c)
{
    return (set >> c & 1) != 0;
}

/** The name as perfquery and thresholds files have it, such as "SymbolErrorCounter".
 * @param c  the counter
 * @return a constant string */
const char *weft_pma_name(enum weft_pma_counter c);

/** The name in JSON, such as "symbol_errors".
 * @param c  the counter
 * @return a constant string */
const char *weft_pma_json_name(enum weft_pma_counter c);

/** What was read of a port. */
struct weft_pma_values {
    weft_pma_set present;              /**< those that the port has */
    weft_pma_set stuck;                /**< those at all ones: there were at least so many */
    weft_pma_set wide;                 /**< those that have 64 bits */
    uint64_t value[WEFT_PMA_COUNTERS]; /**< by enum weft_pma_counter; 0 where absent */
};

/** What has happened between two readings. */
struct weft_pma_delta {
    weft_pma_set present;              /**< those that both readings have */
    weft_pma_set at_least;             /**< those of which there may have been more */
    weft_pma_set reset;                /**< those that somebody has reset between */
    uint64_t value[WEFT_PMA_COUNTERS]; /**< since the reset where there was one */
};

/** What has happened between two readings: later minus earlier, or, where later is less, later,
 * since then it was reset. Counters do not wrap around (IBA 16.1.3.5).
 * @param earlier  one reading of a port
 * @param later    another one of it
 * @param ret      the difference */
void weft_pma_delta(const struct weft_pma_values *earlier, const struct weft_pma_values *later,
                    struct weft_pma_delta *ret);

/** What ClassPortInfo says about a node's counters (IBA 16.1.3.1). */
struct weft_pma_abilities {
    bool all_ports; /**< PortSelect 255 stands for the sum of all ports */
    bool extended;  /**< there is PortCountersExtended */
    bool unicast;   /**< which tells unicast from multicast */
    bool errors;    /**< and has the counters of errors, too */
    bool wait;      /**< there is XmitWait */
    bool qp1;       /**< there is QP1Dropped */
};

/** How patiently to ask. */
struct weft_counters_patience {
    uint32_t window_first; /**< default 64: questions under way in the beginning; 1..window_max */
    uint32_t window_max; /**< default 512: at most; 1..512. As many again may be under way that have
                              had no answer in time, so that the dead do not stand in the way of
                              the living */
    weft_time timeout;   /**< default 1 s: without an answer for so long a node is taken for dead,
                              or, where it has been slow and may be busy with repeated questions,
                              for up to eight times as long; 4 ms..1 min */
    weft_time first;     /**< default 25 ms: the longest wait for an answer to the first packet. It
                              gets shorter while answers come in time, down to a 16th, but not
                              below 1 ms; a sweep begins to learn that. Later waits grow,
                              randomized, until the timeout: where a sweep has met lost packets
                              throughout up to twice this, else they double; 1 ms..half the
                              timeout */
    uint8_t rounds;      /**< default 4: how often all of this is done where so many packets get
                              lost that all of them may have been; at least 1 */
};

/** What to read, and how. Fill it with weft_counters_config_init(), then change fields. */
struct weft_counters_config {
    size_t size; /**< sizeof(struct weft_counters_config), set by the init macro */
    struct weft_counters_patience patience; /**< how patiently to ask */
    const bool *wanted;     /**< one for each port of the sweep; default NULL: all. Read in
                                 weft_counters_new() only */
    const uint64_t *limits; /**< default NULL: all ports are read. Else WEFT_PMA_ERRORS values,
                                 borrowed until weft_counters_free(): of switches that can sum
                                 their ports the sums are asked for first, and the ports only where
                                 a sum is above its limit */
    uint16_t pkey_index;    /**< default 0: of the default partition in the port's table */
    const struct weft_pkey_cache *pkeys; /**< the port's P_Key table, to follow redirections into
                                              other partitions; borrowed until
                                              weft_counters_free(), and looked into at each
                                              redirection. Default NULL: only those within the
                                              default partition are followed */
};

/** Fills in every default. Use the macro weft_counters_config_init(), which passes the size.
 * @param ret   where the defaults go
 * @param size  sizeof(struct weft_counters_config) of the program
 * @return 0; WEFT_ERR_INVALID when this library does not know a structure of that size: the program
 *         was built against another version */
int weft_counters_config_init_sized(struct weft_counters_config *ret, size_t size);
/** Fills in every default of a struct weft_counters_config. */
#define weft_counters_config_init(ret) weft_counters_config_init_sized((ret), sizeof(*(ret)))

/** What is known of a port. */
enum weft_counters_state {
    WEFT_COUNTERS_UNASKED,   /**< not wanted, or not there */
    WEFT_COUNTERS_READ,      /**< all was read */
    WEFT_COUNTERS_QUIET,     /**< not read: the sum of the switch's ports is not above any limit */
    WEFT_COUNTERS_PART,      /**< some was read, then the agent was silent or refused */
    WEFT_COUNTERS_REFUSED,   /**< the agent answers, but not with counters */
    WEFT_COUNTERS_SILENT,    /**< the agent does not answer, or has not yet */
    WEFT_COUNTERS_NO_ADDRESS /**< it has no LID: no subnet manager has given it one */
};

/** What was sent and heard. */
struct weft_counters_stats {
    uint64_t questions; /**< posted, and posted again */
    uint64_t answers;   /**< to them */
    uint64_t late;      /**< of these, those that needed a second packet */
    uint64_t unheard;   /**< questions without an answer to the end */
    uint32_t window;    /**< questions that may be under way now */
};

/** A reading of the counters of a fabric: it is the machine, and keeps what it has read. */
struct weft_counters;

/** Begins to read.
 * @param sweep  borrowed until weft_counters_free(). It has ended; or it waits, as
 *               weft_sweep_waits() says: then what it finds from then on is for
 *               weft_counters_grow()
 * @param c      what and how, copied; NULL: the defaults
 * @param known  an earlier reading, of another sweep, too: whom that has asked what it has is not
 *               asked again. Read in this call only; NULL: there is none
 * @param agent  whose sends these are: registered for requests of class 0x04 on QP1, without
 *               methods, and used by nobody else until the reading has ended
 * @param a      where memory comes from, copied; NULL means malloc and free. It takes 12 bytes a
 *               port and 60 an agent here, and more as it grows: for its queue, and for each port
 *               16 bytes and 8 for each counter that is not 0
 * @param ret    the reading; give it back with weft_counters_free()
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range, or `size` is not this library's;
 *         WEFT_ERR_NOMEM */
int weft_counters_new(const struct weft_sweep *sweep, const struct weft_counters_config *c,
                      const struct weft_counters *known, weft_mad_agent_id agent,
                      const struct weft_alloc *a, struct weft_counters **ret);

/** Goes on with what the sweep has found since: nodes that are new, and agents that have a LID only
 * now, or another one than they were asked at. Call it when the sweep has ended, and as often
 * before as weft_sweep_waits(). Agents that have stopped answering the sweep count as silent from
 * then on, whatever they have said.
 * @param c       the reading
 * @param wanted  as in the configuration, for each port that the sweep has now; NULL: all
 * @param known   as in weft_counters_new()
 * @return 0; WEFT_ERR_NOMEM: not all will be asked, which weft_counters_verdict() says, too */
int weft_counters_grow(struct weft_counters *c, const bool *wanted,
                       const struct weft_counters *known);

/** Frees it. The engine must hold none of its sends any more, as weft_sweep_free() says.
 * @param c  may be NULL
 * @return NULL */
struct weft_counters *weft_counters_free(struct weft_counters *c);

/** The next request to post.
 * @param c    the reading
 * @param ret  the request; its data belong to the reading and stay until its SEND_DONE
 * @return false: none for now */
bool weft_counters_poll(struct weft_counters *c, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of other agents are ignored. Release a received MAD
 * afterwards.
 * @param c   the reading
 * @param ev  the event */
void weft_counters_event(struct weft_counters *c, const struct weft_mad_event *ev);

/** Whether all was read, or reset, that can be.
 * @param c  the reading
 * @return true: there is nothing more to ask, and nothing under way */
bool weft_counters_done(const struct weft_counters *c);

/** How it went.
 * @param c  the reading
 * @return 0; WEFT_ERR_NOMEM: some questions were not asked for want of memory; what was read
 *         stays, the states of ports tell where something is missing */
int weft_counters_verdict(const struct weft_counters *c);

/** What is known of a port.
 * @param c     the reading
 * @param port  the port's number in the sweep
 * @return its state */
enum weft_counters_state weft_counters_state(const struct weft_counters *c, uint32_t port);

/** What was read of a port.
 * @param c     the reading
 * @param port  the port's number in the sweep
 * @param ret   its values; nothing is present while nothing was read */
void weft_counters_get(const struct weft_counters *c, uint32_t port, struct weft_pma_values *ret);

/** What a port's agent has.
 * @param c     the reading
 * @param port  the port's number in the sweep
 * @return what it has said, valid until weft_counters_grow() or weft_counters_free(); NULL: it has
 *         not */
const struct weft_pma_abilities *weft_counters_abilities(const struct weft_counters *c,
                                                         uint32_t port);

/** Begins to set to 0 what was read of the ports in state WEFT_COUNTERS_READ; drive it on as
 * before. Values stay as read.
 * @param c  the reading
 * @return 0; WEFT_ERR_STATE: it is still reading, wait for weft_counters_done(); WEFT_ERR_NOMEM:
 *         now, or earlier: weft_counters_was_reset() tells which ports are, in the end */
int weft_counters_reset(struct weft_counters *c);

/** Whether a port's counters were reset by weft_counters_reset().
 * @param c     the reading
 * @param port  the port's number in the sweep
 * @return whether its agent has confirmed all of it */
bool weft_counters_was_reset(const struct weft_counters *c, uint32_t port);

/** What was sent and heard so far.
 * @param c    the reading
 * @param ret  the numbers */
void weft_counters_stats(const struct weft_counters *c, struct weft_counters_stats *ret);

/** Where another sweep's port is in a reading: by node GUID and port number.
 * @param in     the reading
 * @param sweep  the other sweep
 * @param port   the port's number there
 * @return its number in the reading's own sweep; WEFT_SWEEP_NONE: it is not there */
uint32_t weft_counters_port_in(const struct weft_counters *in, const struct weft_sweep *sweep,
                               uint32_t port);

/** What has happened at a port between two readings, perhaps of two sweeps.
 * @param earlier  the earlier one
 * @param later    the later one
 * @param port     the port's number in the later one's sweep
 * @param ret      the difference
 * @return false: one of the two did not read all of it */
bool weft_counters_delta(const struct weft_counters *earlier, const struct weft_counters *later,
                         uint32_t port, struct weft_pma_delta *ret);

#ifdef __cplusplus
}
#endif

#endif
