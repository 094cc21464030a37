/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A verb of the weft command: its entry in the table, and the exit codes every verb keeps to.
 */
#ifndef WEFT_CLI_VERB_H
#define WEFT_CLI_VERB_H

/** What the command says to the shell. */
enum cli_exit {
    CLI_DONE = 0,  /**< everything asked for was done, nothing wrong was found */
    CLI_PART = 1,  /**< done in part, or done and problems were found: both are printed */
    CLI_USAGE = 2, /**< the command line is wrong: nothing was done */
    CLI_FAILED = 3 /**< it could not be done: the message says why */
};

/** One verb of `weft VERB`. Adding one is a line in verbs.def and a function verb_NAME(). */
struct weft_verb {
    const char *name;    /**< the word on the command line */
    const char *summary; /**< one line for `weft --help` */
    /** Runs the verb. argv[0] is the name, argv[argc] is NULL. Returns one of enum cli_exit. */
    int (*run)(int argc, const char **argv);
};

#define WEFT_VERB(name, summary) int verb_##name(int argc, const char **argv);
#include "cli/verbs.def"
#undef WEFT_VERB

#endif
