/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Going on in the background: the command returns when the daemon listens, or says why not.
 */
#ifndef WEFT_CLI_FABRIC_DETACH_H
#define WEFT_CLI_FABRIC_DETACH_H

#include <stdbool.h>

/** The two ends of it. */
struct fabric_detach {
    bool parent; /**< this is the command: what is to be done is done, return `exit_code` */
    int exit_code;
    int ready; /* the daemon's end of the channel between them, or -1 */
};

/** Forks. The daemon returns at once; the command waits until the daemon is ready or has ended.
 * @param ret  filled
 * @return CLI_DONE, or CLI_FAILED with a message: nothing was forked */
int fabric_detach_start(struct fabric_detach *ret);

/** Tells the command that the daemon is ready, and lets go of the terminal.
 * @param line  what the command prints on standard output, ends in a newline */
void fabric_detach_ready(struct fabric_detach *d, const char *line);

#endif
