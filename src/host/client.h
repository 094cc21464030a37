/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Clients: how they come, how they are let in, and how they go.
 */
#ifndef WEFT_HOST_CLIENT_H
#define WEFT_HOST_CLIENT_H

#include "host/serving.h"

/** Takes the connections that wait at the listening socket. */
void client_accept(struct server *s);

/** Deals with a client's HELLO: it is let in or thrown out. */
void client_greet(struct client *c, const struct message_hello *hello);

/** Sends an answer; one that the socket has no room for is kept, and the client is not read until
 * it has gone. */
void client_answer(struct client *c, const void *message, size_t bytes);

/** Tells a client in what it has broken the protocol, and disconnects it. */
void client_throw(struct client *c, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Disconnects a client: its attachment is gone when this returns, its memory a little later. */
void client_leave(struct client *c);

/** The client with an attachment, or NULL. */
struct client *client_at(struct server *s, struct fabric_attachment at);

/** Throws out who has not said HELLO in time. */
void client_expire(struct server *s);

#endif
