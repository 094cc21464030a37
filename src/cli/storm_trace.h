/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the engines of a storm did, written as it happens: as text, and as packets for tshark.
 */
#ifndef WEFT_CLI_STORM_TRACE_H
#define WEFT_CLI_STORM_TRACE_H

#include "cli/storm_job.h"

#include <weft/pcap.h>

#include <stdio.h>

/** The observer of one storm. */
struct storm_trace {
    const struct storm_job *job; /**< where the clients are */
    const struct storm *storm;   /**< set before the storm runs */
    FILE *text;                  /**< one line an event, or NULL */
    FILE *pcap;                 /**< packets as the clients' ports send and receive them, or NULL */
    struct weft_pcap_port port; /**< the client's port */
};

/** Writes what a pcap file begins with. Errors are left to the caller's ferror(). */
void storm_trace_start(struct storm_trace *t);

/** A weft_mad_trace_fn whose context is a struct storm_trace. */
void storm_trace_observe(void *ctx, const struct weft_trace_event *ev);

#endif
