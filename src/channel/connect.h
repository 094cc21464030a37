/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The client's side of a connection to the fabric daemon. Blocking, with a limit of time; no
 * output, no signals, no state outside the object.
 */
#ifndef WEFT_CHANNEL_CONNECT_H
#define WEFT_CHANNEL_CONNECT_H

#include "channel/protocol.h"
#include "channel/rings.h"

/** How long connecting may take, and how long an answer may. */
#define CHANNEL_WAIT_NS (5 * WEFT_S)

/** A connection. */
struct channel {
    int socket;          /* or -1 */
    int daemon_bell;     /* role RINGS, else -1: for bell_ring() */
    int client_bell;     /* role RINGS, else -1: becomes readable; for bell_hush() */
    struct rings *rings; /* role RINGS, else NULL */
    bool broken;         /* an answer may still come: nothing more can be asked */
    struct message_welcome welcome;
};

/** Who a client wants to be, and where. */
struct channel_wish {
    enum channel_role role;
    const char *node; /* its name or GUID; "" for CHANNEL_ROLE_CONTROL */
    uint8_t port;     /* 0: the first with a cable */
    uint8_t vf;       /* 0: the port itself; else a virtual function of it */
};

/** Connects and says HELLO, where the port itself is meant and no virtual function of it.
 * @return as channel_connect_as() */
int channel_connect(const char *path, enum channel_role role, const char *node, uint8_t port,
                    struct channel *ret, char text[CHANNEL_TEXT_BYTES]);

/** Connects and says HELLO.
 * @param path   the daemon's socket
 * @param wish   who to be, and where
 * @param ret    the connection, for channel_close()
 * @param text   receives why not: a sentence that names socket or node and what to try
 * @return 0; WEFT_ERR_NOTFOUND: no socket, nobody listens, no such node or function;
 * WEFT_ERR_STATE: no permission; WEFT_ERR_FORMAT: whoever listens speaks another protocol or
 * version; WEFT_ERR_FULL, WEFT_ERR_CONFLICT, WEFT_ERR_INVALID: as the daemon says; WEFT_ERR_NOMEM
 */
int channel_connect_as(const char *path, const struct channel_wish *wish, struct channel *ret,
                       char text[CHANNEL_TEXT_BYTES]);

/** Closes a connection and unmaps its memory. In a process that inherited it by fork() that leaves
 * the parent's alone. */
void channel_close(struct channel *c);

/** Sends a request and waits for its answer.
 * @param request  begins with a head, whose magic and version are filled in here
 * @param type     the type of the answer; RESULT with an error is understood everywhere
 * @param answer   receives the answer, at most `space` bytes
 * @param ret_bytes  its bytes; may be NULL
 * @param text     why not, as the daemon says
 * @return 0; what the daemon's RESULT says; WEFT_ERR_STATE: the connection is broken;
 *         WEFT_ERR_FORMAT: an answer of another type or size */
int channel_ask(struct channel *c, void *request, size_t bytes, enum message_type type,
                void *answer, size_t space, size_t *ret_bytes, char text[CHANNEL_TEXT_BYTES]);

#endif
