/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the programs on a node do: ask, answer, cancel, come and go.
 */
#ifndef WEFT_TESTS_SIM_CLIENT_H
#define WEFT_TESTS_SIM_CLIENT_H

#include "node.h"

/** Draws a retry policy. */
void client_draw_retry(struct world *w, struct weft_mad_retry *ret);

/** Registers the i-th agent of a node if it is not there. */
void client_add_agent(struct node *n, uint32_t i);

/** One operation by chance. */
void client_act(struct node *n);

/** Takes all events; false if there was none. */
bool client_take_events(struct node *n);

/** Gives back what was kept for long enough; false if there was nothing. */
bool client_release(struct node *n);

/** The transaction id of a MAD. */
uint64_t client_tid(const uint8_t *mad);

#endif
