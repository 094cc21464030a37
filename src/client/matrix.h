/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Who may talk to whom: the members of each partition, put together from all P_Key tables of a
 * fabric, and what switches that enforce partitions make of it.
 */
#ifndef WEFT_CLIENT_MATRIX_H
#define WEFT_CLIENT_MATRIX_H

#include "client/pkey_tables.h"

/** What a port is in a partition: bits, since a table may hold both forms of a key. */
enum membership {
    MEMBERSHIP_NONE = 0,
    MEMBERSHIP_LIMITED = 1,
    MEMBERSHIP_FULL = 2
};

/** Whether two members of a partition may talk: one of them must be a full one. */
static inline bool membership_reaches(uint8_t a, uint8_t b)
{
    return a && b && ((a | b) & MEMBERSHIP_FULL) != 0;
}

/** A member of a partition. */
struct matrix_member {
    uint32_t port;      /* as in the sweep: a CA's, a router's, a switch's port 0 */
    uint8_t membership; /* bits of enum membership */
};

/** A partition. */
struct matrix_partition {
    weft_pkey base; /* 15 bits, never 0 */
    uint32_t first; /* its members: from there on, by port */
    uint32_t count; /* how many */
    uint32_t full;  /* full members, those with both forms included */
    uint32_t both;  /* members with both forms */
};

/** All partitions. */
struct matrix {
    struct weft_alloc alloc;
    struct matrix_partition *partitions; /* by key */
    struct matrix_member *members;
    uint32_t partition_count, member_count;
    uint32_t space; /* of both arrays */
};

/** Puts it together.
 * @param a  where memory comes from, copied; NULL: malloc and free
 * @return 0; WEFT_ERR_NOMEM */
int matrix_new(const struct weft_sweep *s, const struct pkey_tables *t, const struct weft_alloc *a,
               struct matrix **ret);

/** Frees it; NULL is fine.
 * @return NULL */
struct matrix *matrix_free(struct matrix *m);

/** What a port is in a partition.
 * @return bits of enum membership */
uint8_t matrix_membership(const struct matrix *m, const struct matrix_partition *p, uint32_t port);

/** What a switch's port makes of packets with a key, where it enforces partitions. */
enum matrix_gate {
    GATE_OFF,    /* it does not enforce in this direction, or there is no such switch */
    GATE_PASSES, /* its table lets them pass */
    GATE_DROPS,  /* its table does not */
    GATE_UNKNOWN /* its table could not be read to its end, and what was read does not say */
};

/** What the switch at the other end of a port's cable makes of its packets.
 * @param port     the port
 * @param key      in the packets, with its membership bit
 * @param entering true: packets that the port sends; false: those that it is to receive */
enum matrix_gate matrix_gate(const struct weft_sweep *s, const struct pkey_tables *t, uint32_t port,
                             weft_pkey key, bool entering);

#endif
