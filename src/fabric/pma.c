/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PMA: which attributes it knows, and what Get and Set make of them. */
#include "fabric/pma.h"

#include "fabric/counters.h"

enum agent_verdict pma_receive(struct fabric *f, struct port *at, struct packet *p)
{
    (void)f;
    (void)at;
    wire_set(WIRE_MAD_STATUS, p->mad, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    p->mad[WIRE_AT_MAD_METHOD] |= WEFT_METHOD_RESPONSE;
    return AGENT_ANSWERED;
}
