/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What clients ask of the daemon in messages.
 */
#ifndef WEFT_HOST_REQUEST_H
#define WEFT_HOST_REQUEST_H

#include "host/serving.h"

/** Deals with one message, which may be anything: who breaks the protocol is thrown out.
 * @param message  in the server's buffer, which an answer may overwrite */
void request_handle(struct client *c, const void *message, size_t bytes);

#endif
