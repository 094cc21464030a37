/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Traps: the notices that wait to be repressed, and when each is sent again. */
#include "fabric/trap.h"

int traps_new(struct fabric *f)
{
    (void)f;
    return 0;
}

void traps_free(struct fabric *f)
{
    (void)f;
}

void trap_raise(struct fabric *f, struct port *p, enum trap_number number,
                const struct packet *cause)
{
    (void)f;
    (void)p;
    (void)number;
    (void)cause;
}

void trap_port_changed(struct fabric *f, struct port *p)
{
    (void)f;
    (void)p;
}

bool trap_repress(struct fabric *f, struct port *at, const struct packet *p)
{
    (void)f;
    (void)at;
    (void)p;
    return false;
}

void trap_due(struct fabric *f)
{
    (void)f;
}
