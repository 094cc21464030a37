/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The refresh machine's table as data. */
#include "core/pkey/refresh_fsm.h"

#include "core/base/check.h"

struct packed_cell {
    uint8_t verdict, next;
};

/* every row is written out in full by the .def file, so a missing cell does not compile */
#define TO(state)                                                                                  \
    {                                                                                              \
        REFRESH_TO, WEFT_PKEY_REFRESH_##state                                                      \
    }
#define STAY                                                                                       \
    {                                                                                              \
        REFRESH_STAY, 0                                                                            \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        REFRESH_NEVER, 0                                                                           \
    }
static const struct packed_cell table[REFRESH_INPUTS][WEFT_PKEY_REFRESH_STATES] = {
#define REFRESH_INPUT(input, idle, reading, waiting, text) {idle, reading, waiting},
#include "core/pkey/refresh_fsm.def"
};

struct refresh_cell refresh_fsm_cell(enum weft_pkey_refresh_state state, enum refresh_input input)
{
    const struct packed_cell *c = &table[input][state];

    WEFT_ASSERT((unsigned)state < WEFT_PKEY_REFRESH_STATES && (unsigned)input < REFRESH_INPUTS);
    return (struct refresh_cell){
        .verdict = (enum refresh_verdict)c->verdict,
        .next = c->verdict == REFRESH_TO ? (enum weft_pkey_refresh_state)c->next : state,
    };
}
