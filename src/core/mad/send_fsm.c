/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The send machine's table as data. */
#include "core/mad/send_fsm.h"

#include "core/base/check.h"

struct packed_cell {
    uint8_t verdict, next;
};

/* every row is written out in full by the .def file, so a missing cell does not compile */
#define TO(state)                                                                                  \
    {                                                                                              \
        SEND_TO, WEFT_MAD_##state                                                                  \
    }
#define STAY                                                                                       \
    {                                                                                              \
        SEND_STAY, 0                                                                               \
    }
#define DROP                                                                                       \
    {                                                                                              \
        SEND_DROP, 0                                                                               \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        SEND_NEVER, 0                                                                              \
    }
static const struct packed_cell table[SEND_INPUTS][WEFT_MAD_STATES] = {
#define SEND_INPUT(input, init, queued, start, wait, early, canceled, local, done, text)           \
    {init, queued, start, wait, early, canceled, local, done},
#include "core/mad/send_fsm.def"
};

static const char *const names[SEND_INPUTS] = {
#define SEND_INPUT(input, init, queued, start, wait, early, canceled, local, done, text) #input,
#include "core/mad/send_fsm.def"
};

static const char *const texts[SEND_INPUTS] = {
#define SEND_INPUT(input, init, queued, start, wait, early, canceled, local, done, text) text,
#include "core/mad/send_fsm.def"
};

struct send_cell send_fsm_cell(enum weft_mad_state state, enum send_input input)
{
    const struct packed_cell *c = &table[input][state];

    WEFT_ASSERT((unsigned)state < WEFT_MAD_STATES && (unsigned)input < SEND_INPUTS);
    return (struct send_cell){
        .verdict = (enum send_verdict)c->verdict,
        .next = c->verdict == SEND_TO ? (enum weft_mad_state)c->next : state,
    };
}

const char *send_input_name(enum send_input input)
{
    return (unsigned)input < SEND_INPUTS ? names[input] : "?";
}

const char *send_input_text(enum send_input input)
{
    return (unsigned)input < SEND_INPUTS ? texts[input] : "?";
}
