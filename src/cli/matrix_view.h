/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `weft partitions matrix` has found out, with names for ports, and how it is told.
 */
#ifndef WEFT_CLI_MATRIX_VIEW_H
#define WEFT_CLI_MATRIX_VIEW_H

#include "client/matrix.h"

/** What was found out. */
struct matrix_view {
    const struct weft_sweep *sweep;
    const struct pkey_tables *tables;
    const struct matrix *matrix;
    char **labels; /* of each port of the sweep, printable; no two ports have the same */
};

/** Gives every port a name: its node's, or the node's GUID where it has none or several nodes have
 * the same; a switch's external port, and one of several reached ports of a host, with /NUMBER.
 * @return whether there was memory; give it to matrix_view_free() in any case */
bool matrix_view_init(struct matrix_view *ret, const struct weft_sweep *s,
                      const struct pkey_tables *t, const struct matrix *m);
void matrix_view_free(struct matrix_view *v);

/** Finds the port of a host, or port 0 of a switch, by label, name, name/PORT or GUID. Of a host
 * with several ports a name means the first.
 * @return the port; WEFT_SWEEP_NONE, and then the message is out */
uint32_t matrix_view_find(const struct matrix_view *v, const char *text);

/** Why something is missing. */
enum matrix_gap_kind {
    MATRIX_GAP_BEHIND,  /**< the link of a port is up, but nobody answers behind it */
    MATRIX_GAP_STOPPED, /**< a node answered first, then no more */
    MATRIX_GAP_TABLE    /**< a port's table could not be read to its end */
};

/** Goes through what is missing.
 * @param port  where to begin, and where something was found
 * @return false: there is nothing from there on */
bool matrix_view_gap(const struct matrix_view *v, uint32_t *port, enum matrix_gap_kind *ret);

/** How many external ports of switches are down. A dead host looks like a port without a cable. */
uint32_t matrix_view_ports_down(const struct matrix_view *v);

/** Whether a partition has limited members only, so that nobody in it talks to anybody. */
bool matrix_view_is_mute(const struct matrix_partition *p);

/** Prints the groups. @return one of enum cli_exit */
int matrix_print_text(const struct matrix_view *v);
/** Prints the groups as one document. @return one of enum cli_exit */
int matrix_print_json(const struct matrix_view *v);
/** Prints what is missing. @return whether there was memory */
bool matrix_print_gaps(const struct matrix_view *v);

/** Explains in words whether two ports can talk, and why. @return one of enum cli_exit */
int matrix_print_pair(const struct matrix_view *v, uint32_t from, uint32_t to);
/** The same as one document. @return one of enum cli_exit */
int matrix_print_pair_json(const struct matrix_view *v, uint32_t from, uint32_t to);

/** "full", "limited", "both" or "none". */
const char *matrix_membership_name(uint8_t membership);

#endif
