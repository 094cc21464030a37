/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Scripts: lines of the fault vocabulary that wait for their time, once or again and again.
 */
#ifndef WEFT_FABRIC_SCRIPT_H
#define WEFT_FABRIC_SCRIPT_H

#include "fabric/model.h"

/** Lines that wait at one time, and lines with a command in a script. */
#define SCRIPT_LINES_MAX 8192

/** @return 0 or WEFT_ERR_NOMEM */
int script_new(struct fabric *f);
void script_free(struct fabric *f);

/** Lines are due (FLIGHT_SCRIPT). */
void script_due(struct fabric *f);

/** A line that waits. */
struct script_waiting {
    uint64_t number;  /* from 1, in the order in which lines were given; none is used twice */
    weft_time next;   /* when it is done next */
    weft_time every;  /* 0: once */
    weft_time until;  /* when it is done last; WEFT_TIME_NEVER: no end */
    const char *text; /* the line as it was given */
};

/** Walks the lines that wait: start with *pos = 0.
 * @return whether there was one */
bool script_next(const struct fabric *f, uint32_t *pos, struct script_waiting *ret);

/** Whether a line of this number waits. */
bool script_waits(const struct fabric *f, uint64_t number);

/** Whether a line that waits, or one above in the script being read, changes which ports have a
 * cable: what ports have now says little of what they will have. */
bool script_moves_cables(const struct fabric *f);

/** Forgets a line that waits, or with 0 all of them. The line that says so goes on. */
void script_cancel(struct fabric *f, uint64_t number);

#endif
