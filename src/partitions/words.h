/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Words and numbers of partitions.conf, as OpenSM takes them.
 */
#ifndef WEFT_PARTITIONS_WORDS_H
#define WEFT_PARTITIONS_WORDS_H

#include "partitions/partitions.h"

/** Whether OpenSM takes a word for a longer one. It compares as many bytes as the word has, so that
 * any beginning will do, the empty one too.
 * @param word   as written
 * @param known  a word that OpenSM knows
 * @return whether `known` begins with `word` */
bool partitions_word_begins(const char *word, const char *known);

/** What the name of a port stands for. */
enum partitions_port {
    PARTITIONS_PORT_WHO,    /**< a group of ports */
    PARTITIONS_PORT_NOBODY, /**< nothing, or NONE */
    PARTITIONS_PORT_NUMBER, /**< something else: a GUID, if anything */
};

/** Looks up the name of a port.
 * @param word       as written
 * @param ret_who    for PARTITIONS_PORT_WHO: the group
 * @param ret_known  the whole word that was taken; NULL for a number or nothing
 * @return what it is */
enum partitions_port partitions_word_port(const char *word, enum partitions_who *ret_who,
                                          const char **ret_known);

/** Looks up a membership.
 * @param word  as written
 * @param ret   the membership
 * @return false: OpenSM knows none that begins so */
bool partitions_word_membership(const char *word, enum partitions_membership *ret);

/** A number as OpenSM reads it: decimal, hexadecimal with 0x, octal with 0. */
struct partitions_number {
    uint64_t value;   /**< UINT64_MAX when it does not fit; a negative one wraps around */
    bool none;        /**< no digit */
    bool negative;    /**< with a minus */
    bool overflow;    /**< it does not fit into 64 bits */
    bool octal;       /**< begins with a 0 that makes it another number than it seems */
    const char *rest; /**< what follows */
};

/** Reads a number.
 * @param text  where it begins
 * @return what was found */
struct partitions_number partitions_number_read(const char *text);

#endif
