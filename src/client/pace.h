/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How fast one agent is asked: how many questions may be under way to it, and how long an answer
 * may take before the packet is sent again. An agent serves one packet after the other, copies of
 * questions too: whoever takes long for one must not be given a queue of them.
 *
 * It is learned without a clock. Copies go out after waits that double, so the number of packets
 * that a question needed tells how long the answer took, within a factor of two. Where packets get
 * lost everywhere that number tells little: there only late answers that are in the majority count.
 */
#ifndef WEFT_CLIENT_PACE_H
#define WEFT_CLIENT_PACE_H

#include <weft/base.h>

#include <stdbool.h>
#include <stdint.h>

/** What is the same for all agents. */
struct pace_bounds {
    weft_time first; /**< the wait of the first slow level; each further one waits twice as long */
    weft_time timeout; /**< the longest wait */
    bool lossy;        /**< packets get lost, many of them and everywhere */
};

/** The pace of one agent. */
struct pace {
    uint8_t limit; /**< questions that may be under way */
    uint8_t level; /**< 0: it is quick, nothing is known of waits; else a slow level */
    uint32_t late; /**< packets sent again in vain, less answers that came in time */
};

/** Begins, with few questions. */
void pace_init(struct pace *ret);

/** How long an answer of a slow agent may take.
 * @param out  questions under way to it, this one counted */
weft_time pace_wait(const struct pace *p, const struct pace_bounds *b, uint32_t out);

/** How long a slow agent may say nothing that is heard: it may be busy with copies of a question
 * that was answered. The timeout at least. */
weft_time pace_patience(const struct pace *p, const struct pace_bounds *b);

/** An answer has come to a question.
 * @param level    the level by which the question was asked; nothing is learned from another one's
 * @param packets  that the question has needed */
void pace_told(struct pace *p, const struct pace_bounds *b, uint8_t level, uint32_t packets);

#endif
