/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Commands of the control role: questions about the daemon, and faults for the fabric.
 */
#ifndef WEFT_HOST_QUERY_H
#define WEFT_HOST_QUERY_H

#include "host/serving.h"

/** Answers a command.
 * @param line   the command
 * @param ret    receives the answer's text, CHANNEL_MESSAGE_BYTES_MAX less a head
 * @param error  why not
 * @return 0; errors as fabric_command() */
int query_answer(struct server *s, const char *line, struct message_text *ret,
                 struct fabric_error *error);

#endif
