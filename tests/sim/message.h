/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Messages whose bytes follow from a number, so that whoever receives one can check all of it.
 */
#ifndef WEFT_TESTS_SIM_MESSAGE_H
#define WEFT_TESTS_SIM_MESSAGE_H

#include <weft/mad.h>
#include <weft/wire.h>

/** Bytes behind the class header that say what the message is. */
enum {
    MESSAGE_LABEL_BYTES = 16
};

/** What a message says about itself. */
struct message_label {
    uint64_t number;    /**< the request's number; its answer carries the same */
    uint32_t len;       /**< bytes of this message, class header included */
    uint32_t reply_len; /**< bytes wanted in the answer; 0: it wants none, or is one */
};

/** Writes the label and the bytes behind it.
 * @param mad   the message; its class says how long the header is
 * @param what  len is at least header and label */
void message_fill(uint8_t *mad, const struct message_label *what);

/** Reads the label. */
struct message_label message_read(const uint8_t *mad);

/** Whether all bytes behind the label are those that message_fill() writes.
 * @param len  bytes received */
bool message_is_whole(const uint8_t *mad, uint32_t len);

#endif
