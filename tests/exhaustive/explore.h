/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Exploration: every order of a set of operations on a world, each state once.
 */
#ifndef WEFT_TESTS_EXHAUSTIVE_EXPLORE_H
#define WEFT_TESTS_EXHAUSTIVE_EXPLORE_H

#include "core/mad/send_fsm.h"
#include "world.h"

/** What is explored. */
struct exploration {
    const char *name; /**< the test's name */
    const struct world_op *ops;
    uint32_t op_count;
    uint32_t depth;        /**< longest sequence of operations; enough to reach the end where the
                                operations are finite */
    bool must_be_complete; /**< fail when a sequence reaches the depth with operations left */
};

/** What was found. */
struct exploration_result {
    uint64_t states;   /**< different states */
    uint64_t steps;    /**< operations done */
    uint32_t longest;  /**< the longest sequence */
    bool complete;     /**< no sequence was cut at the depth */
    const char *fault; /**< NULL, or the rule that was broken; the sequence was printed */
};

/** Cells of the send machine's table that were met, over all explorations. */
extern bool explored_cells[SEND_INPUTS][WEFT_MAD_STATES];

/** Explores. `plan` is made into a world afresh. */
struct exploration_result explore(const struct exploration *e, struct world_plan *plan);

#endif
