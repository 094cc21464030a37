/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The reading of a partitions.conf, a line at a time, in a buffer that is cut up as OpenSM cuts up
 * its own.
 *
 * OpenSM ends words by writing 0 bytes over what follows them, and at two places reads on behind
 * the end of its line: into the rest of the text line, or into what longer lines before have left
 * in the buffer. What it makes of a file depends on that, so the buffer here has the same contents.
 */
#ifndef WEFT_PARTITIONS_READER_H
#define WEFT_PARTITIONS_READER_H

#include "partitions/partitions.h"
#include "partitions/table.h"

/** OpenSM reads this many bytes of a line at once. */
#define READER_PIECE_BYTES  4094
/** Its buffer, and bytes that a word at its end may be looked for in. */
#define READER_BUFFER_BYTES (READER_PIECE_BYTES + 34)

/** What the flags of a definition or of a multicast group set. */
struct reader_flags {
    uint32_t mtu;
    uint32_t rate;
    uint32_t scopes;     /**< a bit for each */
    uint32_t group_line; /**< of a flag that only multicast groups use; 0: none */
};

/** The definition that is being read. */
struct reader_definition {
    uint32_t partition; /**< PARTITIONS_NONE before its colon */
    uint32_t line;
    enum partitions_membership membership; /**< of ports without one */
    bool ipoib;
    bool indx0;
    bool grouped; /**< it has multicast groups of its own */
    struct reader_flags flags;
};

/** The reading. */
struct reader {
    struct partitions *t;
    struct partitions_table *table;
    char buffer[READER_BUFFER_BYTES];
    size_t length;      /**< of the piece in the buffer */
    size_t text_length; /**< of that without its comment */
    size_t column;      /**< bytes of the line before the piece */
    uint32_t line;
    uint32_t definitions;
    uint32_t keyless;      /**< definitions for which no P_Key was left */
    uint32_t keyless_line; /**< of the first of them that is not reported on its own */
    bool open;             /**< a definition has begun */
    bool skip;             /**< after a mistake: everything to the next semicolon is passed over */
    bool done;             /**< some part of a definition was read without mistake */
    struct reader_definition definition;
    int err; /**< why reading cannot go on, or 0 */
};

/** The column of a byte in the buffer, from 1; a byte behind the line counts as its end. */
size_t reader_column(const struct reader *r, const char *at);

/** Reports a problem of the current line. Errors are kept in the reader. */
void reader_problem(struct reader *r, enum partitions_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Reports what stops OpenSM: it is asked where and what is expected there. After the first, only
 * the rest of the file is checked. */
void reader_stop(struct reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** A word and what follows its equals sign. */
struct reader_token {
    char *name;
    char *value; /**< NULL without an equals sign */
    char *next;  /**< where OpenSM reads on */
};

/** Takes the text up to the next 0 byte apart. */
struct reader_token reader_token_read(char *at);

/** Ends a text at the first of its bytes `c`.
 * @return whether there is one */
bool reader_cut(char *at, char c);

/** Takes one flag of a definition. */
void reader_flag(struct reader *r, struct reader_flags *flags, const struct reader_token *token);

/** Takes the flags of a multicast group.
 * @param r       the reader
 * @param at      where they begin
 * @param behind  whether that is behind what people would call the group's text
 * @param flags   changed
 * @return where OpenSM reads on */
char *reader_group_flags(struct reader *r, char *at, bool behind, struct reader_flags *flags);

/** Takes a multicast group, `mgid=...` and its flags.
 * @param r      the reader; a definition is open
 * @param token  the mgid
 * @param more   whether a comma follows
 * @return where OpenSM reads on; NULL: it does not, that was reported */
char *reader_group(struct reader *r, const struct reader_token *token, bool more);

#endif
