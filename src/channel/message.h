/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Messages on their way through a socket, for both ends; protocol.h says what they are.
 */
#ifndef WEFT_CHANNEL_MESSAGE_H
#define WEFT_CHANNEL_MESSAGE_H

#include "channel/protocol.h"

#include <stdbool.h>
#include <stddef.h>

/** The descriptors that come with WELCOME, in this order. */
enum message_descriptor {
    MESSAGE_FD_MEMORY,
    MESSAGE_FD_DAEMON_BELL,
    MESSAGE_FD_CLIENT_BELL,
    MESSAGE_FDS
};

/** Fills in the head of a message. */
void message_begin(void *message, enum message_type type);

/** Whether a message of `bytes` bytes begins with a head of this protocol. */
bool message_has_head(const void *message, size_t bytes);

/** The bytes a message of a type has; 0: its type is unknown or its size varies. */
size_t message_bytes(uint16_t type);

/** Copies a text into a member of a message, cut where it does not fit, padded with zeroes. */
void message_put_text(char *to, size_t space, const char *text);

/** Whether a text member is ended by a zero. */
bool message_text_ended(const char *text, size_t space);

/** Makes a message that is nothing but a text (PATH, TEXT, COMMAND).
 * @param text  cut where a message cannot hold it
 * @return the bytes to send, the final zero included */
size_t message_make_text(struct message_text *ret, enum message_type type, const char *text);

/** Sends a message without blocking and without SIGPIPE.
 * @param fds  MESSAGE_FDS descriptors to send with it, or NULL
 * @return 0; WEFT_ERR_FULL: the other end does not read; WEFT_ERR_STATE: there is none any more */
int message_send(int socket, const void *message, size_t bytes, const int *fds);

/** Receives a message without blocking.
 * @param space      bytes at `message`; a longer message is a broken one
 * @param ret_bytes  its bytes
 * @param ret_fds    MESSAGE_FDS descriptors, -1 where none came, close-on-exec; on an error those
 *                   that came are closed, and all are -1. NULL: descriptors that come are closed by
 *                   the kernel and never seen
 * @return 0; WEFT_ERR_NOTFOUND: none waits; WEFT_ERR_STATE: the other end is gone;
 *         WEFT_ERR_FORMAT: it is longer than `space` or has other descriptors than those */
int message_receive(int socket, void *message, size_t space, size_t *ret_bytes, int *ret_fds);

/** Closes a socket so that the other end still gets what was sent last: closed with messages unread
 * it would first report a reset. */
void message_close(int socket);

#endif
