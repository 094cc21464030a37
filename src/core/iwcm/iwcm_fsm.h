/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The inputs of the connection manager's machine, and what the table says about each of them in
 * each state.
 */
#ifndef WEFT_CORE_IWCM_IWCM_FSM_H
#define WEFT_CORE_IWCM_IWCM_FSM_H

#include <weft/iwcm.h>

/** The inputs, in the order of iwcm_fsm.def. */
enum iwcm_input {
#define IWCM_INPUT(input, idle, listen, recv, sent, established, closing, destroying, text)        \
    IWCM_IN_##input,
#include "core/iwcm/iwcm_fsm.def"
    IWCM_INPUTS
};

enum iwcm_verdict {
    IWCM_TO,
    IWCM_STAY,
    IWCM_IGNORE,
    IWCM_REFUSE,
    IWCM_VIOLATION
};

/** One cell of the table; `next` is the state itself unless the verdict is IWCM_TO. */
struct iwcm_cell {
    enum iwcm_verdict verdict;
    enum weft_iwcm_state next;
};

struct iwcm_cell iwcm_fsm_cell(enum weft_iwcm_state state, enum iwcm_input input);

/** An input's name as in the table; "?" for none. */
const char *iwcm_input_name(enum iwcm_input input);

#endif
