/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The inputs of a QP's machine, and what the table says about each of them in each state.
 */
#ifndef WEFT_CORE_SIW_QP_FSM_H
#define WEFT_CORE_SIW_QP_FSM_H

#include <weft/siw.h>

/** The inputs, in the order of qp_fsm.def. */
enum qp_input {
#define QP_INPUT(input, idle, rts, closing, terminate, error, text) QP_##input,
#include "core/siw/qp_fsm.def"
    QP_INPUTS
};

enum qp_verdict {
    QP_TO,
    QP_STAY,
    QP_NEVER
};

/** One cell of the table; `next` is the state itself unless the verdict is QP_TO. */
struct qp_cell {
    enum qp_verdict verdict;
    enum weft_siw_qp_state next;
};

struct qp_cell qp_fsm_cell(enum weft_siw_qp_state state, enum qp_input input);

#endif
