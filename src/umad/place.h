/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Where this program stands in the fabric: what its environment says, and what the daemon knows of
 * that node and its ports.
 */
#ifndef WEFT_UMAD_PLACE_H
#define WEFT_UMAD_PLACE_H

#include "channel/connect.h"

/** The one channel adapter of a program. */
#define PLACE_CA_NAME "weft0"

/** What the environment says. */
struct place {
    const char *socket; /**< WEFT_FABRIC: the daemon's socket */
    const char *node;   /**< WEFT_NODE: a node's name or GUID */
    uint8_t port;       /**< WEFT_PORT; 0: none was named */
    uint8_t vf;         /**< WEFT_VF; 0: the port itself */
};

/** Reads the environment.
 * @param text  why not: a sentence that says what to do
 * @return 0; WEFT_ERR_NOTFOUND: a variable is missing; WEFT_ERR_INVALID: WEFT_PORT is no
 *         port, or WEFT_VF no function */
int place_read(struct place *ret, char text[CHANNEL_TEXT_BYTES]);

/** The node with all its ports, as they are now. */
struct place_node {
    struct message_node node;
    uint8_t first, last;        /**< numbers of the ports that programs see: 0..0 at a switch */
    uint8_t preferred;          /**< WEFT_PORT, else the first that is active, up, or has a cable */
    struct message_port *ports; /**< port `n` is ports[n - first] */
};

/** Whether a program means this channel adapter; NULL means any. */
bool place_is_ca(const char *ca_name);

/** Asks the daemon for the node and its ports. Says on stderr why it could not, once in a program's
 * life: the programs themselves only say that there is no port.
 * @param ret  for place_release()
 * @return 0 or an error of the connection */
int place_look(struct place_node *ret);

/** Frees what place_look() has taken. */
void place_release(struct place_node *n);

/** A port by its number, 0 meaning the preferred one.
 * @return NULL: the node has no such port */
const struct message_port *place_port(const struct place_node *n, int number);

/** Asks for the path that makes the port an SM's while it is open.
 * @param space  bytes at ret
 * @return 0; WEFT_ERR_FULL: it does not fit; or an error of the connection */
int place_issm_path(int number, char *ret, size_t space);

/** Writes one line to stderr, unless one was written before. */
void place_complain(const char *text);

#endif
