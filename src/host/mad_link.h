/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A MAD engine at a port, wherever that is: on a fabric that a daemon serves, or on an adapter that
 * libibumad opens. For programs of one thread.
 *
 *     mad_link_open_fabric();  or  mad_link_open_hca();
 *     mad_link_agent_add();                              an adapter must know of each agent
 *     for (;;) {
 *         weft_mad_post(link.engine, link.now, ...);     what is to be sent
 *         mad_link_move();                               packets and timers
 *         while (weft_mad_poll_event(link.engine, ...))  act on it
 *         if (nothing was posted meanwhile)
 *             mad_link_wait();                           until there is something to do
 *     }
 *     mad_link_close();
 */
#ifndef WEFT_HOST_MAD_LINK_H
#define WEFT_HOST_MAD_LINK_H

#include "host/fabric_link.h"
#include "host/hca_link.h"

#include <weft/pkey.h>

/** What a port is like. */
struct mad_link_port {
    uint64_t guid;       /**< the port's */
    uint64_t gid_prefix; /**< the subnet's */
    uint16_t lid;        /**< its first one; 0: it has none */
    uint16_t sm_lid;     /**< the master SM's; 0: none is known */
    uint8_t lmc;
    uint8_t sm_sl;
    uint8_t state; /**< as in PortInfo: 1 down to 4 active */
};

/** A program at a port. */
struct mad_link {
    struct weft_mad_port *engine;  /**< NULL: closed */
    weft_time now;                 /**< as of the last mad_link_move(): for calls of the engine */
    uint8_t port;                  /**< the port's number on its node */
    bool on_hca;                   /**< an adapter's port, no simulated one */
    bool ended;                    /**< nothing comes any more: mad_link_why_ended() */
    struct mad_link_port is;       /**< as of opening, or the last mad_link_look() */
    struct weft_pkey_cache *pkeys; /**< the port's P_Key table, as of then, too; of what it had
                                        room for at opening. NULL: it is not known */
    char where[96]; /**< for people: "mlx5_0 port 1", "host-1 port 1 of /run/weft.sock" */
    /* private to mad_link.c */
    struct fabric_link fabric;
    struct hca_link hca;
};

/** Connects to a daemon.
 * As fabric_link_open(). */
int mad_link_open_fabric(struct mad_link *ret, const char *socket, const char *node, uint8_t port,
                         const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES]);

/** Opens a port of an adapter.
 * As hca_link_open(). */
int mad_link_open_hca(struct mad_link *ret, const struct hca_choice *choice,
                      const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES]);

/** Closes and frees the engine with all its sends. */
void mad_link_close(struct mad_link *l);

/** Registers an agent with the engine, and on an adapter with the kernel first.
 * @param text  why not: a sentence that says what to do
 * @return 0; as weft_mad_agent_add(); WEFT_ERR_STATE: the kernel refuses it */
int mad_link_agent_add(struct mad_link *l, const struct weft_mad_agent_req *r,
                       weft_mad_agent_id *ret, char text[CHANNEL_TEXT_BYTES]);

/** Removes it. As weft_mad_agent_remove(). */
int mad_link_agent_remove(struct mad_link *l, weft_mad_agent_id id);

/** Asks anew what the port is like, e.g. for an SM that has moved, and for its P_Key table.
 * @return whether there was an answer; without one `is` stays as it was */
bool mad_link_look(struct mad_link *l);

/** Which index of the port's P_Key table requests to general services go by: that of the default
 * partition; 0 where the table is not known.
 * @return false: the port is no member of it */
bool mad_link_default_pkey(const struct mad_link *l, uint16_t *ret);

/** Feeds the engine what has come, fires timers, and sends what is due. */
void mad_link_move(struct mad_link *l);

/** Sleeps until a packet has come, the engine has a deadline, or it is `until`. A signal ends the
 * sleep as well. */
void mad_link_wait(struct mad_link *l, weft_time until);

/** Whether only the first MAD of a longer table arrives there, as on ibsim: an SA's answer is
 * WEFT_SA_STATUS_TOO_MANY_RECORDS then. */
bool mad_link_cuts_tables(const struct mad_link *l);

/** For people: what has happened when `ended` is true. */
const char *mad_link_why_ended(const struct mad_link *l);

/** The clock of `now`. */
weft_time mad_link_clock(void);

#endif
