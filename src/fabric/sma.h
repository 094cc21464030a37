/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The subnet management agent of a node (IBA 14.2.5): Get and Set of every SM attribute.
 */
#ifndef WEFT_FABRIC_SMA_H
#define WEFT_FABRIC_SMA_H

#include "fabric/model.h"

/** Bits of PortInfo:CapabilityMask (IBA 14.2.5.6). */
enum port_capability {
    CAPABILITY_SM = 0x00000002, /* set by programs: not kept in port.info */
    CAPABILITY_NOTICE = 0x00000004,
    CAPABILITY_TRAP = 0x00000008,
    CAPABILITY_AUTO_MIGRATION = 0x00000020,
    CAPABILITY_SL_TO_VL = 0x00000040,
    CAPABILITY_LED_INFO = 0x00000200,
    CAPABILITY_SYSTEM_IMAGE_GUID = 0x00000800,
    CAPABILITY_PKEY_SWITCH_TRAP = 0x00001000,
    CAPABILITY_EXTENDED_SPEEDS = 0x00004000,
    CAPABILITY_MASK2 = 0x00008000,
    CAPABILITY_COMMUNICATION_MANAGEMENT = 0x00010000,
    CAPABILITY_CLIENT_REREGISTER = 0x02000000,
    CAPABILITY_OTHER_LOCAL_CHANGES = 0x04000000,
    CAPABILITY_MULTICAST_FDB_TOP = 0x40000000
};

/** CapabilityMask of a port that has LIDs: what this SMA answers to, and what hosts do. A switch's
 * external ports have 0 (IBA: valid for CAs, routers and switch port 0 only). */
#define SMA_CAPABILITY_ANY                                                                         \
    ((uint32_t)CAPABILITY_NOTICE | CAPABILITY_TRAP | CAPABILITY_SL_TO_VL | CAPABILITY_LED_INFO |   \
     CAPABILITY_SYSTEM_IMAGE_GUID | CAPABILITY_EXTENDED_SPEEDS | CAPABILITY_CLIENT_REREGISTER |    \
     CAPABILITY_OTHER_LOCAL_CHANGES)
#define SMA_CAPABILITY_HOST                                                                        \
    (SMA_CAPABILITY_ANY | CAPABILITY_AUTO_MIGRATION | CAPABILITY_COMMUNICATION_MANAGEMENT)
#define SMA_CAPABILITY_SWITCH                                                                      \
    (SMA_CAPABILITY_ANY | CAPABILITY_PKEY_SWITCH_TRAP | CAPABILITY_MULTICAST_FDB_TOP)

/** What became of a MAD given to an agent. */
enum agent_verdict {
    AGENT_ANSWERED, /* the packet's MAD is now the answer: send it back */
    AGENT_CONSUMED, /* there is no answer (TrapRepress) */
    AGENT_DENIED,   /* dropped and counted for its M_Key: there is no answer */
    AGENT_PASS      /* not the agent's: for programs (SMInfo, traps, answers, SM classes' others) */
};

/** Gives an SMP to the node's SMA. Get and Set of SMInfo pass when a program has IsSM set at this
 * port, else they are answered "unsupported" here.
 * @param at  the port it came in by; a switch's 0 when it was sent by the node itself or by LID
 * @param p   a request of class 0x01 or 0x81 that ended here; changed in place into its answer,
 *            paths, hop pointer and hop count untouched */
enum agent_verdict sma_receive(struct fabric *f, struct port *at, struct packet *p);

#endif
