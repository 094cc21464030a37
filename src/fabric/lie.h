/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What an SMA answers that is not so, because of faulty firmware or in bad faith: each lie is
 * named for the field that it is about.
 */
#ifndef WEFT_FABRIC_LIE_H
#define WEFT_FABRIC_LIE_H

#include "fabric/model.h"

/** A lie; a node's are bits of struct node.lies. */
enum lie {
    LIE_LOCAL_PORT_NUM,   /* NodeInfo, PortInfo: LocalPortNum above NumPorts */
    LIE_NUM_PORTS,        /* NodeInfo: NumPorts 0 */
    LIE_NODE_INFO,        /* NodeInfo: that of another node, the asker perhaps: a loop */
    LIE_GUIDS,            /* NodeInfo: the GUIDs of another node */
    LIE_NEW_GUIDS,        /* NodeInfo: another NodeGUID in every answer */
    LIE_NODE_TYPE,        /* NodeInfo: a switch and a channel adapter by turns */
    LIE_PORT_INFO,        /* NodeInfo: NumPorts 254; PortInfo: of all of them, LinkUp and Active */
    LIE_NODE_DESCRIPTION, /* NodeDescription: 64 bytes of control characters, without NUL */
    LIES
};

/** What it is called in commands. */
const char *lie_word(enum lie l);
/** Whether it speaks for another node, which the command names. */
bool lie_has_model(enum lie l);
/** Whether only switches can tell it. */
bool lie_is_of_switches(enum lie l);

/** Has a node tell a lie, or the truth again.
 * @param model  a node; counts where lie_has_model() */
void lie_begin(struct fabric *f, struct node *n, enum lie l, uint32_t model);
void lie_end_all(struct fabric *f, struct node *n);

/** The node whose answers a lie gives for the node's own. */
uint32_t lie_model(const struct node *n, enum lie l);

/** Makes a lie of an answer to a Get.
 * @param at        the port that was asked
 * @param attr_id   attribute
 * @param modifier  of the request
 * @param data      the answer, 64 bytes; changed in place
 * @param status    of the true answer
 * @return of the lie */
uint16_t lie_about(struct fabric *f, const struct port *at, uint16_t attr_id, uint32_t modifier,
                   uint8_t *data, uint16_t status);

#endif
