/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What an open port asks the daemon. Answers come in the order of the questions. Nobody holds the
 * port's mutex while it waits for one that may take long. Who waits no longer leaves its question
 * in line, so that the answer still finds its place; what a late one has granted is given back.
 */
#ifndef WEFT_UMAD_QUESTION_H
#define WEFT_UMAD_QUESTION_H

#include "umad/open_port.h"

/** Asks something whose answer is a RESULT. The port is locked, and unlocked while it waits.
 * @param request  AGENT_ADD or AGENT_REMOVE; its head is filled in
 * @param ret      the answer's value
 * @return 0; what the daemon says; WEFT_ERR_STATE: it does not answer, or the port ends */
int question_ask(struct open_port *p, void *request, size_t bytes, uint32_t *ret);

/** Asks for the port's LID, and waits a moment for the answer; later it is learned when it comes.
 * The port stays locked. */
void question_lid(struct open_port *p);

/** Whether an answer is to be listened for that nobody waits for. */
bool question_is_open(const struct open_port *p);

/** Takes answers that have come and that nobody waits for. */
void question_hear(struct open_port *p);

/** In the child of fork(): nobody waits for an answer. */
void question_lost(struct open_port *p);

#endif
