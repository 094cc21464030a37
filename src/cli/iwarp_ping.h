/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What both sides of `weft iwarp ping` have: a connection with registered memory, and waiting for
 * one step of rping's protocol after the other.
 */
#ifndef WEFT_CLI_IWARP_PING_H
#define WEFT_CLI_IWARP_PING_H

#include "cli/iwarp_rping.h"
#include "cli/iwarp_session.h"

#define PING_RECVS 2

/** One side of one connection. */
struct ping {
    struct iwarp_link link;
    uint8_t out[RPING_MESSAGE_BYTES];
    uint8_t in[PING_RECVS][RPING_MESSAGE_BYTES];
    uint8_t *start, *sink; /* RPING_SIZE_MAX + 1 bytes each */
    uint32_t start_stag, sink_stag;
    bool seen[WEFT_SIW_WC_OPCODES];       /* completed, and not waited for yet */
    uint8_t message[RPING_MESSAGE_BYTES]; /* the last one that arrived */
    char error[2 * IWARP_NAME_BYTES];     /* why it does not go on; empty: no reason */
    uint64_t done, wrong;                 /* pings */
    uint64_t bytes;                       /* of the last one */
};

/** Makes the QP, memory and receives.
 * @return false, with a message */
bool ping_new(struct ping *p, struct iwarp_session *s);
/** Ends the connection, in good order if the peer plays along until then, and frees everything. */
void ping_free(struct ping *p, weft_time deadline);
/** Takes in what has completed.
 * @return false: it cannot go on; p->error says why */
bool ping_take(struct ping *p);
/** Whether something of that kind has completed since this was last asked. */
bool ping_seen(struct ping *p, enum weft_siw_wc_opcode opcode);
/** Says in p->error why it does not go on, unless it just ended or was interrupted; false. */
bool ping_explain(struct ping *p);
/** Waits until something of that kind has completed.
 * @return false: it cannot go on; p->error says why, or is empty when it just ended or was
 *         interrupted */
bool ping_wait(struct ping *p, enum weft_siw_wc_opcode opcode);
/** Sends a message of 16 bytes. */
bool ping_send(struct ping *p, const struct rping_advert *a);
/** Begins an RDMA Read or Write between own memory and what the peer has offered. */
bool ping_move(struct ping *p, enum weft_siw_send_opcode opcode, uint32_t bytes,
               const struct rping_advert *at);
/** Waits for a message and keeps it in p->message. */
bool ping_receive(struct ping *p);

#endif
