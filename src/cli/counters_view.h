/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How `weft counters` tells what it has seen.
 */
#ifndef WEFT_CLI_COUNTERS_VIEW_H
#define WEFT_CLI_COUNTERS_VIEW_H

#include "client/health.h"

#include <weft/counters.h>

struct cells;

/** A node's name or GUID, with every byte escaped, `/` and a port's number. */
#define COUNTERS_LABEL_BYTES (4 * WEFT_SWEEP_NAME_BYTES + 8)

/** A port that is told of. */
struct counters_row {
    uint32_t port;
    uint64_t weight; /**< 0: nothing is wrong with it */
    struct health health;
};

/** Who is missing, and why. */
enum counters_gap_kind {
    COUNTERS_GAP_BEHIND,  /**< the link of a port is up, but nobody answers behind it */
    COUNTERS_GAP_STOPPED, /**< a node has answered the sweep, then no more */
    COUNTERS_GAP_MUTE,    /**< its agent for counters does not answer */
    COUNTERS_GAP_REFUSED, /**< its agent answers, but not with counters */
    COUNTERS_GAP_PART,    /**< some of the port's counters could not be read */
    COUNTERS_GAP_LID,     /**< it has no LID */
    COUNTERS_GAPS
};

/** What is told of each port. */
struct counters_told {
    uint8_t gap; /**< enum counters_gap_kind; COUNTERS_GAPS: there is none at it */
    bool fine;   /**< it has a row although nothing is wrong with it */
};

/** What was seen. */
struct counters_view {
    const struct weft_sweep *sweep;
    const struct weft_counters *counters;
    const struct thresholds *thresholds;
    const bool *wanted;
    struct counters_told *told;                    /**< by port */
    struct counters_row *rows;                     /**< with something wrong, the worst first */
    uint32_t troubled;                             /**< so many */
    uint32_t row_count;                            /**< with those where nothing is wrong */
    uint32_t states[WEFT_COUNTERS_NO_ADDRESS + 1]; /**< ports in each state */
    uint32_t gaps[COUNTERS_GAPS];                  /**< gaps of each kind */
};

/** Makes the rows.
 * @param all  those with nothing wrong, too
 * @return whether there was memory; give it to counters_view_free() in any case */
bool counters_view_init(struct counters_view *ret, const struct weft_sweep *s,
                        const struct weft_counters *c, const struct thresholds *t,
                        const bool *wanted, bool all);
void counters_view_free(struct counters_view *v);

/** The next row: the worst first, then those with nothing wrong, as found.
 * @param at  where to begin, from 0; set to where the next one is
 * @return false: there is none */
bool counters_view_row(const struct counters_view *v, uint32_t *at, struct counters_row *ret);

/** The next gap: of a switch that does not answer there is one, at its port 0.
 * @param port  where to begin, and where something was found
 * @return false: there is none from there on */
bool counters_view_gap(const struct counters_view *v, uint32_t *port, enum counters_gap_kind *ret);

/** The next link that is in dispute: who answers behind it has a GUID and port that another cable
 * leads to (WEFT_SWEEP_TWICE), was something else when asked by another way
 * (WEFT_SWEEP_CHANGED), or has another GUID each time (WEFT_SWEEP_UNSTABLE). Where nobody is taken
 * to be behind it at all, it is a gap instead.
 * @param number  where to begin, and where something was found
 * @return its port, or WEFT_SWEEP_NONE: there is none from there on */
uint32_t counters_view_dispute(const struct counters_view *v, uint32_t *number,
                               enum weft_sweep_trouble_kind *ret);
/** How many there are. */
uint32_t counters_view_disputes(const struct counters_view *v);

/** Whether something is wrong or missing. */
bool counters_view_is_troubled(const struct counters_view *v);

/** Words for a kind of gap, and its name in JSON. */
const char *counters_gap_words(enum counters_gap_kind k);
const char *counters_gap_name(enum counters_gap_kind k);

/** NAME/NUMBER of a port. */
const char *counters_label(const struct weft_sweep *s, uint32_t port,
                           char ret[COUNTERS_LABEL_BYTES]);
/** NAME of a node. */
const char *counters_node_label(const struct weft_sweep *s, uint32_t node,
                                char ret[COUNTERS_LABEL_BYTES]);

/** Adds what is wrong with a row's port, for people. */
void counters_put_problems(const struct counters_view *v, const struct counters_row *row,
                           struct cells *to);

/** Space for any text of counters_bytes(). */
#define COUNTERS_BYTES_TEXT 16

/** Writes bytes as 1.23 GB.
 * @return how long the text is */
size_t counters_bytes(uint64_t bytes, char ret[COUNTERS_BYTES_TEXT]);
/** How long it would be. */
size_t counters_bytes_length(uint64_t bytes);

/** Prints the table of ports.
 * @return whether there was memory */
bool counters_print_table(const struct counters_view *v, bool all);
/** Prints tables and a summary. @return one of enum cli_exit */
int counters_print_text(const struct counters_view *v, bool all);
/** Prints one document. @return one of enum cli_exit */
int counters_print_json(const struct counters_view *v);

#endif
