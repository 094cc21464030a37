/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The socket's name: one daemon a name, and what a daemon that was killed has left behind.
 */
#ifndef WEFT_HOST_LISTEN_H
#define WEFT_HOST_LISTEN_H

#include "host/serving.h"

/** Takes the name and listens there.
 * @return as server_new() */
int listener_open(const char *path, unsigned mode, struct listener *ret,
                  struct fabric_error *error);

/** Stops listening and removes the socket, and the lock last. */
void listener_close(struct listener *l);

#endif
