/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The endpoint machine's states and inputs, and what the table says about each pair.
 */
#ifndef WEFT_CORE_SIW_EP_FSM_H
#define WEFT_CORE_SIW_EP_FSM_H

#include <stdint.h>

/** What an endpoint is doing; in the order of the columns of ep_fsm.def. */
enum ep_state {
    EP_DIALING,
    EP_BINDING,
    EP_LISTENING,
    EP_AWAIT_REQUEST,
    EP_REQUESTED,   /* the client is asked */
    EP_AWAIT_REPLY, /* our request is due, or was sent */
    EP_READY_WAIT,  /* accepted; the initiator's first FPDU is awaited */
    EP_STREAMING,
    EP_CLOSING,     /* the client has ended it, the QP finishes */
    EP_PEER_SHUT,   /* the peer's FIN is here, the QP finishes */
    EP_SHUT,        /* our FIN is due or sent, the peer's is awaited */
    EP_TERMINATING, /* a last frame is due */
    EP_LAST_WORDS,  /* the same, the peer's FIN is here */
    EP_ENDING,      /* behind the last frame our FIN is due or sent, the peer's is awaited */
    EP_RELEASING,   /* the host has not yet been told to close it */
    EP_STATES
};

/** The inputs, in the order of ep_fsm.def. */
enum ep_input {
#define EP_INPUT(input, dialing, binding, listening, await_request, requested, await_reply,        \
                 ready_wait, streaming, closing, peer_shut, shut, terminating, last_words, ending, \
                 releasing, text)                                                                  \
    EP_##input,
#include "core/siw/ep_fsm.def"
    EP_INPUTS
};

enum ep_verdict {
    EP_TO,
    EP_STAY,
    EP_DROP,
    EP_NEVER
};

/** One cell of the table; `next` is the state itself unless the verdict is EP_TO. */
struct ep_cell {
    enum ep_verdict verdict;
    enum ep_state next;
};

struct ep_cell ep_fsm_cell(enum ep_state state, enum ep_input input);

#endif
