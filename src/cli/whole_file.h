/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A file that a long run writes: it takes its name when it is complete, so a run that fails or is
 * interrupted leaves an older file of that name alone, and nothing else behind.
 */
#ifndef WEFT_CLI_WHOLE_FILE_H
#define WEFT_CLI_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/** One file. */
struct whole_file {
    FILE *out;        /**< NULL when none is open */
    const char *name; /**< as given, borrowed */
    char *target;     /* the file that name leads to, NULL without unfinished; owned */
    char *unfinished; /* its name until then, NULL when it has its own from the start; owned */
    char *buffer;     /* of the stream, or NULL: the C library's */
};

/** Opens a file for writing. A file of that name keeps its permissions, a link leads where it did.
 * Pipes and devices are written under their own name.
 * @param f     filled
 * @param what  what it is, for messages: "report"
 * @param name  its name; borrowed until it is closed
 * @return CLI_DONE, or CLI_FAILED with a message */
int whole_file_open(struct whole_file *f, const char *what, const char *name);

/** True when two names lead to one file, there or not yet; never for pipes and devices. */
bool whole_file_same(const char *one, const char *other);

/** Finds out whether whole_file_open() would succeed; nothing is left behind.
 * @return as whole_file_open() */
int whole_file_try(const char *what, const char *name);

/** Closes a file and gives it its name.
 * @param what  as whole_file_open()
 * @return CLI_DONE, or CLI_FAILED with a message: something was not written */
int whole_file_close(struct whole_file *f, const char *what);

/** Throws an open file away; one that is not open is fine. */
void whole_file_abandon(struct whole_file *f);

#endif
