/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* M_Key protection: the check that comes before every Get and Set, and the lease. */
#include "fabric/mkey.h"

#include "core/wire/mad_header.h"
#include "fabric/flight.h"
#include "fabric/trap.h"

#define NS_PER_S UINT64_C(1000000000)

/* M_KeyProtectBits: from here on a Get needs the key, too. */
#define PROTECT_HIDE  1
#define PROTECT_READS 2

/* Counts the violation, asks for a trap, and begins the lease unless one runs already. */
static enum mkey_verdict deny(struct fabric *f, struct port *holder, const struct packet *p)
{
    uint16_t violations = be16_at(holder->info + WIRE_AT_PORT_INFO_M_KEY_VIOLATIONS);
    uint16_t lease_s = be16_at(holder->info + WIRE_AT_PORT_INFO_M_KEY_LEASE);

    if (violations < UINT16_MAX)
        wire_set_be16(holder->info + WIRE_AT_PORT_INFO_M_KEY_VIOLATIONS,
                      (uint16_t)(violations + 1));
    if (lease_s > 0 && holder->lease_end == 0) {
        holder->lease_end = fabric_later(f, lease_s * NS_PER_S);
        flight_add(f, holder->lease_end, FLIGHT_LEASE, port_index(f, holder), NULL);
    }
    trap_raise(f, holder, TRAP_BAD_MKEY, p);
    return MKEY_DENIED;
}

enum mkey_verdict mkey_check(struct fabric *f, struct port *at, const struct packet *p)
{
    struct port *holder = port_with_lid(f, at);
    uint64_t key = wire_be64(holder->info + WIRE_AT_PORT_INFO_M_KEY);
    uint64_t protect;

    if (key == 0 || key == wire_be64(p->mad + WIRE_AT_SMP_M_KEY)) {
        holder->lease_end = 0;
        return MKEY_ALLOWED;
    }
    protect = wire_get(WIRE_PORT_INFO_M_KEY_PROTECT, holder->info);
    if (mad_method(p->mad) != WEFT_METHOD_GET || protect >= PROTECT_READS)
        return deny(f, holder, p);
    return protect == PROTECT_HIDE ? MKEY_HIDDEN : MKEY_ALLOWED;
}

void mkey_lease_ended(struct fabric *f, struct port *p)
{
    if (p->lease_end == 0)
        return;
    WEFT_ASSERT(f->now >= p->lease_end); /* a new lease sets the port's timer anew */
    p->lease_end = 0;
    wire_set(WIRE_PORT_INFO_M_KEY_PROTECT, p->info, 0);
}
