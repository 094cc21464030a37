/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `weft exporter` knows of a fabric: a topology that is kept and looked after, and counters
 * that are read for each look at it, each look within its deadline.
 */
#ifndef WEFT_CLI_EXPORTER_LOOK_H
#define WEFT_CLI_EXPORTER_LOOK_H

#include "cli/counters_look.h"
#include "cli/mad_drive.h"
#include "client/survey.h"

/** Metrics that are told of ports, or not. */
enum exporter_group {
    EXPORTER_STATE,  /**< of the link, and whether it is degraded */
    EXPORTER_SPEED,  /**< width and speed */
    EXPORTER_ERRORS, /**< counters of what goes wrong */
    EXPORTER_DATA,   /**< bytes, packets, and what had to wait */
    EXPORTER_CASTS,  /**< packets, unicast and multicast apart */
    EXPORTER_GROUPS
};

/** How it looks, and what it tells. */
struct exporter_request {
    const struct mad_place *place;
    weft_time interval; /**< looks are so far apart at least */
    weft_time topology; /**< what the fabric is made of is looked at so often */
    weft_time deadline; /**< of a look */
    weft_time timeout;  /**< 0: the default */
    uint64_t rate;      /**< packets a second */
    unsigned groups;    /**< of metrics that are told, a bit each: enum exporter_group */
    bool full;          /**< each sample has all labels of its port */
    bool all_ports;     /**< also of those ports that never had a cable */
    bool once;          /**< one look alone, right after the first sweep */
};

/** Somebody who was there and is not any more. */
struct exporter_gone {
    uint64_t guid; /**< of the node */
    uint8_t number;
    weft_time since;
    char *labels; /**< all, as they were last; owned */
};

/** What it has done. */
struct exporter_stats {
    uint64_t looks, topologies;
    uint64_t late;     /**< looks that met their deadline */
    uint64_t timeouts; /**< of agents that are no more */
    weft_time topology_time, counters_time;
    weft_time page_time; /**< that the last page took; whoever makes them says so */
    weft_time topology_begun;
};

/** What it knows. Start from zeroes. */
struct exporter_look {
    const struct exporter_request *request;
    struct counters_eye eye;
    struct mad_pace pace;
    struct weft_sweep *sweep; /**< the topology; NULL: there is none yet */
    struct weft_sweep
        *counted; /**< of an older topology, that `counters` are of; NULL: of `sweep` */
    struct weft_counters *counters; /**< NULL: none were read yet */
    struct weft_sweep *next;        /**< a sweep that is under way; NULL: none */
    struct survey ahead; /**< of that: its counters are begun while it waits for the dead */
    weft_time ahead_begun, ahead_last; /**< when these were first and last busy; 0: never */
    struct weft_sweep_prior *known;    /**< what that goes by */
    bool *cabled;                      /**< of each port of `sweep`, whether it has had a cable */
    struct exporter_gone *gone;
    uint32_t gone_count, gone_space;
    weft_time at;  /**< when it has looked last */
    weft_time due; /**< when the topology is to be looked at again */
    struct exporter_stats stats;
};

/** Opens the port.
 * @param end  a signal was caught
 * @return CLI_DONE; CLI_FAILED, with a message; give it to exporter_look_close() in any case */
int exporter_look_open(struct exporter_look *l, const struct exporter_request *r,
                       const volatile sig_atomic_t *end);

/** Sweeps the fabric for the first time, or goes on with that, for the time of a look: to the end
 * once there is a sweep, or once the end came.
 * @return CLI_DONE; CLI_FAILED, with a message */
int exporter_look_first(struct exporter_look *l);

/** Looks again. What the page took last is left of the deadline for the next one.
 * @return CLI_DONE; CLI_FAILED, with a message: the port has gone */
int exporter_look_again(struct exporter_look *l);

/** How many links of a topology lead to somebody who is not who he should be. */
uint32_t exporter_look_conflicts(const struct weft_sweep *s);

/** Whether a port is one that is asked for counters in its own name: of a switch port 0. */
bool exporter_look_is_target(const struct exporter_look *l, uint32_t port);

/** What the last look has read of a target.
 * @return WEFT_COUNTERS_READ: all; of a switch, that of its ports where most is missing */
enum weft_counters_state exporter_look_target(const struct exporter_look *l, uint32_t port);

/** Requests without an answer, ever. */
uint64_t exporter_look_timeouts(const struct exporter_look *l);

void exporter_look_close(struct exporter_look *l);

#endif
