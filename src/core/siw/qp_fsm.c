/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of a QP's machine as data. */
#include "core/siw/qp_fsm.h"

#include "core/base/check.h"

struct packed_cell {
    uint8_t verdict, next;
};

/* every row is written out in full by the .def file, so a missing cell does not compile */
#define TO(state)                                                                                  \
    {                                                                                              \
        QP_TO, WEFT_SIW_QP_##state                                                                 \
    }
#define STAY                                                                                       \
    {                                                                                              \
        QP_STAY, 0                                                                                 \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        QP_NEVER, 0                                                                                \
    }
static const struct packed_cell table[QP_INPUTS][WEFT_SIW_QP_STATES] = {
#define QP_INPUT(input, idle, rts, closing, terminate, error, text)                                \
    {idle, rts, closing, terminate, error},
#include "core/siw/qp_fsm.def"
};

struct qp_cell qp_fsm_cell(enum weft_siw_qp_state state, enum qp_input input)
{
    const struct packed_cell *c = &table[input][state];

    WEFT_ASSERT((unsigned)state < WEFT_SIW_QP_STATES && (unsigned)input < QP_INPUTS);
    return (struct qp_cell){
        .verdict = (enum qp_verdict)c->verdict,
        .next = c->verdict == QP_TO ? (enum weft_siw_qp_state)c->next : state,
    };
}
