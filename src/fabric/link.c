/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Link states, and what both ends of a link agree on. */
#include "fabric/link.h"

bool link_carries(const struct fabric *f, const struct port *p, bool smp)
{
    (void)f;
    (void)p;
    (void)smp;
    return false;
}

void link_update(struct fabric *f, struct port *p)
{
    (void)f;
    (void)p;
}

void link_retrain(struct fabric *f, struct port *p)
{
    (void)f;
    (void)p;
}

bool link_set_state(struct fabric *f, struct port *p, enum port_state state,
                    enum port_physical physical)
{
    (void)f;
    (void)p;
    (void)state;
    (void)physical;
    return false;
}

bool link_state_allowed(const struct fabric *f, const struct port *p, enum port_state state,
                        enum port_physical physical)
{
    (void)f;
    (void)p;
    (void)state;
    (void)physical;
    return false;
}

void link_trained(struct fabric *f, struct port *p)
{
    (void)f;
    (void)p;
}

void link_init(struct port *p, const char *width, const char *speed)
{
    (void)p;
    (void)width;
    (void)speed;
}
