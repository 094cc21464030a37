/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The endpoint machine's table as data. */
#include "core/siw/ep_fsm.h"

#include "core/base/check.h"

struct packed_cell {
    uint8_t verdict, next;
};

/* every row is written out in full by the .def file, so a missing cell does not compile */
#define TO(state)                                                                                  \
    {                                                                                              \
        EP_TO, EP_##state                                                                          \
    }
#define STAY                                                                                       \
    {                                                                                              \
        EP_STAY, 0                                                                                 \
    }
#define DROP                                                                                       \
    {                                                                                              \
        EP_DROP, 0                                                                                 \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        EP_NEVER, 0                                                                                \
    }
static const struct packed_cell table[EP_INPUTS][EP_STATES] = {
#define EP_INPUT(input, dialing, binding, listening, await_request, requested, await_reply,        \
                 ready_wait, streaming, closing, peer_shut, shut, terminating, last_words, ending, \
                 releasing, text)                                                                  \
    {dialing, binding,   listening, await_request, requested,  await_reply, ready_wait, streaming, \
     closing, peer_shut, shut,      terminating,   last_words, ending,      releasing},
#include "core/siw/ep_fsm.def"
};

struct ep_cell ep_fsm_cell(enum ep_state state, enum ep_input input)
{
    const struct packed_cell *c = &table[input][state];

    WEFT_ASSERT((unsigned)state < EP_STATES && (unsigned)input < EP_INPUTS);
    return (struct ep_cell){
        .verdict = (enum ep_verdict)c->verdict,
        .next = c->verdict == EP_TO ? (enum ep_state)c->next : state,
    };
}
