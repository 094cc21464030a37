/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The send machine's inputs, and what the table says about each of them in each state.
 */
#ifndef WEFT_CORE_MAD_SEND_FSM_H
#define WEFT_CORE_MAD_SEND_FSM_H

#include <weft/mad.h>

/** The inputs, in the order of send_fsm.def. */
enum send_input {
#define SEND_INPUT(input, init, queued, start, wait, early, canceled, local, done, text)           \
    SEND_##input,
#include "core/mad/send_fsm.def"
    SEND_INPUTS
};

enum send_verdict {
    SEND_TO,
    SEND_STAY,
    SEND_DROP,
    SEND_NEVER
};

/** One cell of the table; `next` is the state itself unless the verdict is SEND_TO. */
struct send_cell {
    enum send_verdict verdict;
    enum weft_mad_state next;
};

struct send_cell send_fsm_cell(enum weft_mad_state state, enum send_input input);

/** The input's name as in the table. */
const char *send_input_name(enum send_input input);

/** What the input means, one clause. */
const char *send_input_text(enum send_input input);

#endif
