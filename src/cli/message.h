/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the command tells people when something is wrong: lines on stderr that begin with `weft: `.
 */
#ifndef WEFT_CLI_MESSAGE_H
#define WEFT_CLI_MESSAGE_H

/* A message says what went wrong, where (file:line, LID decimal, QP and TID hex, GUID 16 hex
 * digits) and why; a line of message_try() after it says what to do about it. */

/** Prints `weft: TEXT`. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints `weft: try TEXT`: the next step after a message. */
void message_try(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints `weft: TEXT` and points to the verb's help.
 * @param verb  the verb, or NULL for the command itself
 * @return CLI_USAGE, so that `return message_usage(...)` ends a verb */
int message_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Prints `weft: TEXT`.
 * @return CLI_FAILED, so that `return message_failed(...)` ends a verb */
int message_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
