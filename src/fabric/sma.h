/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The subnet management agent of a node (IBA 14.2.5): Get and Set of every SM attribute.
 */
#ifndef WEFT_FABRIC_SMA_H
#define WEFT_FABRIC_SMA_H

#include "fabric/model.h"

/** What became of a MAD given to an agent. */
enum agent_verdict {
    AGENT_ANSWERED, /* the packet's MAD is now the answer: send it back */
    AGENT_CONSUMED, /* there is no answer (TrapRepress, M_Key mismatch) */
    AGENT_PASS      /* not the agent's: for programs (SMInfo, traps, answers, SM classes' others) */
};

/** Gives an SMP to the node's SMA. Get and Set of SMInfo pass when a program has IsSM set at this
 * port, else they are answered "unsupported" here.
 * @param at  the port it came in by; a switch's 0 when it was sent by the node itself or by LID
 * @param p   a request of class 0x01 or 0x81 that ended here; changed in place into its answer,
 *            paths, hop pointer and hop count untouched */
enum agent_verdict sma_receive(struct fabric *f, struct port *at, struct packet *p);

#endif
