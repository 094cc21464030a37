/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection manager's table as data. */
#include "core/iwcm/iwcm_fsm.h"

#include "core/base/check.h"

struct packed_cell {
    uint8_t verdict, next;
};

/* every row is written out in full by the .def file, so a missing cell does not compile */
#define TO(state)                                                                                  \
    {                                                                                              \
        IWCM_TO, WEFT_IWCM_##state                                                                 \
    }
#define STAY                                                                                       \
    {                                                                                              \
        IWCM_STAY, 0                                                                               \
    }
#define IGNORE                                                                                     \
    {                                                                                              \
        IWCM_IGNORE, 0                                                                             \
    }
#define REFUSE                                                                                     \
    {                                                                                              \
        IWCM_REFUSE, 0                                                                             \
    }
#define VIOLATION                                                                                  \
    {                                                                                              \
        IWCM_VIOLATION, 0                                                                          \
    }
static const struct packed_cell table[IWCM_INPUTS][WEFT_IWCM_STATES] = {
#define IWCM_INPUT(input, idle, listen, recv, sent, established, closing, destroying, text)        \
    {idle, listen, recv, sent, established, closing, destroying},
#include "core/iwcm/iwcm_fsm.def"
};

static const char *const names[IWCM_INPUTS] = {
#define IWCM_INPUT(input, idle, listen, recv, sent, established, closing, destroying, text) #input,
#include "core/iwcm/iwcm_fsm.def"
};

struct iwcm_cell iwcm_fsm_cell(enum weft_iwcm_state state, enum iwcm_input input)
{
    const struct packed_cell *c = &table[input][state];

    WEFT_ASSERT((unsigned)state < WEFT_IWCM_STATES && (unsigned)input < IWCM_INPUTS);
    return (struct iwcm_cell){
        .verdict = (enum iwcm_verdict)c->verdict,
        .next = c->verdict == IWCM_TO ? (enum weft_iwcm_state)c->next : state,
    };
}

const char *iwcm_input_name(enum iwcm_input input)
{
    return (unsigned)input < IWCM_INPUTS ? names[input] : "?";
}
