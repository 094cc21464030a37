/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What has happened between two looks at a fabric.
 */
#ifndef WEFT_CLI_COUNTERS_CHANGES_H
#define WEFT_CLI_COUNTERS_CHANGES_H

#include "cli/counters_look.h"
#include "cli/counters_view.h"

/** At a port. */
struct counters_change {
    uint32_t port; /**< in the later sweep */
    bool has_errors;
    weft_pma_set errors; /**< counters of errors that have grown; XmitWait is no error here */
    uint64_t weight;     /**< the larger the worse, then the busier */
    struct weft_pma_delta delta;
};

/** At all. */
struct counters_changes {
    const struct weft_sweep *sweep; /**< the later one */
    struct counters_change *ports;  /**< the worst first */
    uint32_t count;
    uint32_t unread; /**< ports that one of the looks has not read */
    char **notices;  /**< sentences about links and nodes, printable */
    uint32_t notice_count;
    size_t notice_space;
    weft_time between;
};

/** Compares.
 * @return whether there was memory; give it to counters_changes_free() in any case */
bool counters_changes_init(struct counters_changes *ret, const struct counters_look *old,
                           const struct counters_look *new);
void counters_changes_free(struct counters_changes *c);

#endif
