/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A MAD engine at a port of a fabric that a daemon serves: for programs of one thread.
 *
 *     fabric_link_open();
 *     weft_mad_agent_add(link.engine, ...);
 *     for (;;) {
 *         weft_mad_post(link.engine, link.now, ...);         what is to be sent
 *         fabric_link_move();                                packets and timers
 *         while (weft_mad_poll_event(link.engine, ...))      act on it
 *         if (nothing was posted meanwhile)
 *             fabric_link_wait();                            until there is something to do
 *     }
 *     fabric_link_close();
 */
#ifndef WEFT_HOST_FABRIC_LINK_H
#define WEFT_HOST_FABRIC_LINK_H

#include "channel/connect.h"
#include "host/spin.h"

#include <weft/mad.h>

/** Agents of a program to which the daemon gives MADs that nobody has asked for. */
#define FABRIC_LINK_CLAIMS_MAX 32

/** Such an agent. */
struct fabric_link_claim {
    weft_mad_agent_id id; /* v 0: none */
    uint32_t number;      /* the daemon's */
};

/** A program at a port. */
struct fabric_link {
    struct weft_mad_port *engine;
    weft_time now; /* as of the last fabric_link_move(): for calls of the engine */
    uint8_t port;  /* the port's number on its node */
    bool ended;    /* the daemon has ended or thrown this program out: nothing comes any more */
    struct message_port
        is; /* what the port is like, as of opening or the last fabric_link_look() */
    /* private to fabric_link.c */
    struct channel channel;
    struct spin spin;
    uint32_t own; /* position in the ring from the daemon */
    struct fabric_link_claim claims[FABRIC_LINK_CLAIMS_MAX];
};

/** Connects to a daemon and makes the engine.
 * @param socket  the daemon's
 * @param node    name or GUID
 * @param port    its number; 0: the first with a cable
 * @param c       of the engine; transaction ids, port number and hop rules are filled in. NULL: the
 *                defaults
 * @param text    why not: a sentence that says what to try
 * @return 0; as channel_connect(); WEFT_ERR_INVALID: a field of c is out of its range */
int fabric_link_open(struct fabric_link *ret, const char *socket, const char *node, uint8_t port,
                     const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES]);

/** Disconnects and frees the engine with all its sends. */
void fabric_link_close(struct fabric_link *l);

/** Asks anew what the port is like.
 * @return whether there was an answer; without one `is` stays as it was */
bool fabric_link_look(struct fabric_link *l);

/** Registers an agent with the engine, and with the daemon one that owns methods.
 * @param text  why not: a sentence that says what to try
 * @return 0; as weft_mad_agent_add(); as channel_ask() */
int fabric_link_agent_add(struct fabric_link *l, const struct weft_mad_agent_req *r,
                          weft_mad_agent_id *ret, char text[CHANNEL_TEXT_BYTES]);

/** As weft_mad_agent_remove(). */
int fabric_link_agent_remove(struct fabric_link *l, weft_mad_agent_id id);

/** Feeds the engine what has come, fires timers, and sends what is due. */
void fabric_link_move(struct fabric_link *l);

/** Sleeps until a packet has come, the engine has a deadline, or it is `until`. A signal ends the
 * sleep as well. */
void fabric_link_wait(struct fabric_link *l, weft_time until);

/** The clock of `now`. */
weft_time fabric_link_clock(void);

#endif
