/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A verb's options, on libpopt: help, strict values, and messages that name the option and its
 * range.
 */
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include <weft/base.h>

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a verb says about itself; constant for the program's life. */
struct options_about {
    const char *verb;      /**< its name on the command line */
    const char *arguments; /**< what follows in the usage line, e.g. "[OPTION...] FILE" */
    const char *text;      /**< what it does, a few lines ending in a newline, shown by --help */
    /** Its options, closed by POPT_TABLEEND. Each has a long name, `arg` NULL and its own `val`
     * above 0; the argument type is POPT_ARG_NONE or POPT_ARG_STRING. --help is added. */
    const struct poptOption *table;
    const char *page; /**< its manual page if that is not weft-VERB, else NULL */
    bool asks;        /**< its actions are things to ask for, not to do: options_action() */
    bool runs;        /**< its first argument ends the options: the rest is another command's */
};

/** The parsing of one command line. Members are private to options.c. */
struct options {
    const struct options_about *about;
    struct poptOption table[3]; /* the verb's options and ours */
    char *name;                 /* "weft VERB", owned */
    const char **argv;          /* the verb's, with `name` in front */
    poptContext context;
    char *value;   /* argument of the current option, owned */
    int current;   /* val of the current option */
    int exit_code; /* what options_done() gives when parsing stopped early */
    bool stopped;
};

/** Starts parsing.
 * @param o      filled; give it to options_done() in any case
 * @param about  the verb's words and table
 * @param argc   as given to the verb
 * @param argv   as given to the verb; argv[0] is changed until options_done() */
void options_start(struct options *o, const struct options_about *about, int argc,
                   const char **argv);

/** Goes to the next option.
 * @return its `val`; 0 when there is none left or parsing stopped (see options_stopped()) */
int options_next(struct options *o);

/** True when the verb is to end now: help was printed, or something on the command line was wrong
 * and the message is out. */
bool options_stopped(const struct options *o);

/** Frees what parsing holds; strings from options_text() and options_argument() are gone after it.
 * @return the verb's exit code when options_stopped(), otherwise CLI_DONE */
int options_done(struct options *o);

/** The current option's argument as written. Valid until the next options_next(). */
const char *options_text(const struct options *o);

/** The current option's long name, without its dashes. */
const char *options_name(const struct options *o);

/** The current option's argument as a count between two bounds, both included. A wrong value prints
 * a message that names option and bounds and stops parsing; *ret is then unchanged. */
void options_count(struct options *o, uint64_t min, uint64_t max, uint64_t *ret);

/** The current option's argument as a duration in ns between two bounds, as options_count(). */
void options_duration(struct options *o, weft_time min, weft_time max, weft_time *ret);

/** The current option's argument as a share in millionths, as options_count(). */
void options_share(struct options *o, uint32_t *ret_millionths);

/** The current option's argument as a factor in thousandths, as options_count(). */
void options_factor(struct options *o, uint64_t min, uint64_t max, uint64_t *ret_thousandths);

/** The current option's argument as one of `words` (closed by NULL); gives its index. */
void options_word(struct options *o, const char *const words[], size_t *ret_index);

/** Keeps a copy of the current option's argument, in place of an earlier one.
 * @param o      the parsing
 * @param wants  what an empty argument lacks, e.g. "a name": a shell variable that is not set is
 *               refused; NULL: it may be empty
 * @param ret    NULL or an earlier copy, which is freed; the copy, to be freed */
void options_keep(struct options *o, const char *wants, char **ret);

/** Finds the action that the next argument names, and refuses others. As options_argument().
 * @param o        the parsing
 * @param actions  an array of structs, each beginning with its name (const char *); the last one's
 *                 name is NULL
 * @param size     bytes of one
 * @return the struct that is meant; NULL: the message is out and parsing has stopped */
const void *options_action(struct options *o, const void *actions, size_t size);

/** The next argument that is no option, or NULL. Only after options_next() returned 0. Valid until
 * options_done(). */
const char *options_argument(struct options *o);

/** All arguments that options_argument() has not taken, closed by NULL; NULL when there is none.
 * As options_argument(). */
const char *const *options_arguments(struct options *o);

/** Refuses arguments that options_argument() has not taken. */
void options_no_more_arguments(struct options *o);

/** Complains about the command line in the verb's name and stops parsing. */
void options_refuse(struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
