/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Retry policy: whether a send is tried again, how long each wait is, and what BUSY means.
 */
#ifndef WEFT_CORE_MAD_RETRY_H
#define WEFT_CORE_MAD_RETRY_H

#include "core/mad/engine.h"

/** Checks the ranges documented at struct weft_mad_retry. */
bool retry_policy_valid(const struct weft_mad_retry *r);

/** Prepares a new send of one packet: first wait, number of retries, budget of time. */
void retry_begin(const struct weft_mad_port *p, struct send *s, uint8_t retries);

/** The wait is over: decides about another attempt and draws its wait into s->plain.wait.
 * @return false: the send has timed out */
bool retry_next(struct weft_mad_port *p, struct send *s);

/** Whether a response with this status is taken as no reply. */
bool retry_holds_busy(const struct weft_mad_port *p, const struct send *s, uint16_t status);

#endif
