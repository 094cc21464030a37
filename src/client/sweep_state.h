/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a sweep is made of, for the files that are parts of it.
 */
#ifndef WEFT_CLIENT_SWEEP_STATE_H
#define WEFT_CLIENT_SWEEP_STATE_H

#include "client/asker.h"
#include "core/base/index.h"

#include <weft/sweep.h>

/** PortInfo:PortState of a port that carries SMPs is above this. */
#define SWEEP_STATE_DOWN 1

/** What is asked. */
enum sweep_ask {
    SWEEP_ASK_NEIGHBOR, /**< NodeInfo through a port; WEFT_SWEEP_NONE: of the own node */
    SWEEP_ASK_NAME,     /**< NodeDescription of a port's node */
    SWEEP_ASK_SWITCH,   /**< SwitchInfo of a port's node */
    SWEEP_ASK_CONFIRM,  /**< NodeInfo of a port's node, once more */
    SWEEP_ASK_PORT      /**< PortInfo of a port */
};

struct weft_sweep {
    struct weft_alloc alloc;
    struct asker *asker;
    const struct weft_sweep_prior *known; /* NULL: nothing is expected, or not any more */
    struct weft_sweep_node *nodes;
    struct weft_sweep_port *ports;
    bool *waits; /* for each port: it waits for what the other end says */
    struct weft_sweep_trouble *troubles;
    struct index by_guid;
    uint32_t node_count, node_space;
    uint32_t port_count, port_space;
    uint32_t trouble_count, trouble_space;
    uint32_t waiting; /* of these ports */
    uint32_t assumed; /* ports with `assumed` */
    uint32_t conflicts;
    bool doubt; /* what is assumed may be wrong */
    int verdict;
};

/** Puts a question. Without memory for it the verdict is that. */
void sweep_put(struct weft_sweep *s, enum sweep_ask kind, uint32_t about, uint16_t attr_id,
               uint32_t attr_mod);

/** Notes what is wrong. Without memory the verdict says so.
 * @return NULL then */
struct weft_sweep_trouble *sweep_trouble_add(struct weft_sweep *s,
                                             enum weft_sweep_trouble_kind kind,
                                             const struct question *q);

/** Asks a switch once more who it is, unless it was there before. */
void sweep_confirm_ask(struct weft_sweep *s, uint32_t node);

/** What a switch has said to that. */
void sweep_confirm_told(struct weft_sweep *s, const struct question *q, const uint8_t *info);

/** A node has said twice who it is: asks who is behind its ports. */
void sweep_confirm(struct weft_sweep *s, uint32_t node);

/** Asks who is behind a port of which all is known: if its link is up, and, of a switch, once that
 * is confirmed. */
void sweep_cross(struct weft_sweep *s, uint32_t port);

/** A second way to a port's node, for sweep_route_around().
 * @return the port, of another switch, to go around by; WEFT_SWEEP_NONE: there is none */
uint32_t sweep_way_around(const struct weft_sweep *s, uint32_t port);

/** The route to a port's node through a certain port.
 * @return false: it would be too long */
bool sweep_route_around(const struct weft_sweep *s, uint32_t port, uint32_t around,
                        struct weft_route *ret);

/** Whether PortInfo of a port need not be asked: it has been taken over, or waits for what the
 * other end says. */
bool sweep_takes_over(struct weft_sweep *s, uint32_t port);

/** Something is known of a port that another one may wait for. */
void sweep_wake(struct weft_sweep *s, uint32_t port);

/** Compares a switch's LID with the one from before. */
void sweep_compare_lid(struct weft_sweep *s, uint32_t port);

/** How often the sweep has halved the wait for an answer. */
uint8_t sweep_halvings(const struct weft_sweep *s);

/** Whether many packets of the sweep got lost. */
bool sweep_loses(const struct weft_sweep *s);

/** Puts the questions that turned out to be needed when all others were answered. */
void sweep_ask_late(struct weft_sweep *s);

#endif
