/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The refresh machine's inputs, and what the table says about each of them in each state.
 */
#ifndef WEFT_CORE_PKEY_REFRESH_FSM_H
#define WEFT_CORE_PKEY_REFRESH_FSM_H

#include <weft/pkey.h>

/** The inputs, in the order of refresh_fsm.def. */
enum refresh_input {
#define REFRESH_INPUT(input, idle, reading, waiting, text) REFRESH_##input,
#include "core/pkey/refresh_fsm.def"
    REFRESH_INPUTS
};

enum refresh_verdict {
    REFRESH_TO,
    REFRESH_STAY,
    REFRESH_NEVER
};

/** One cell of the table; `next` is the state itself unless the verdict is REFRESH_TO. */
struct refresh_cell {
    enum refresh_verdict verdict;
    enum weft_pkey_refresh_state next;
};

struct refresh_cell refresh_fsm_cell(enum weft_pkey_refresh_state state, enum refresh_input input);

#endif
