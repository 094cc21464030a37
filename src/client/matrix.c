/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All P_Key tables of a fabric, by partition. */
#include "client/matrix.h"

#include "core/base/alloc.h"

#include <stdlib.h>

/* An entry of a table. */
struct found {
    weft_pkey base;
    uint32_t port;
    uint8_t membership;
};

static int found_compare(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;

    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->port > y->port) - (x->port < y->port);
}

static bool is_end_port(const struct weft_sweep *s, uint32_t port)
{
    return weft_sweep_port(s, port)->reached;
}

/* Counts the valid keys of all end ports, and lists them where there is room. */
static uint32_t find_all(const struct weft_sweep *s, const struct pkey_tables *t, struct found *ret)
{
    uint32_t count = 0;

    for (uint32_t port = 0; port < weft_sweep_port_count(s); port++) {
        uint32_t entries;
        const weft_pkey *keys = pkey_tables_get(t, port, &entries);

        for (uint32_t i = 0; is_end_port(s, port) && i < entries; i++) {
            if (!weft_pkey_valid(keys[i]))
                continue;
            if (ret)
                ret[count] =
                    (struct found){.base = keys[i] & WEFT_PKEY_BASE,
                                   .port = port,
                                   .membership = weft_pkey_is_full(keys[i]) ? MEMBERSHIP_FULL
                                                                            : MEMBERSHIP_LIMITED};
            count++;
        }
    }
    return count;
}

static void partition_count(struct matrix_partition *p, uint8_t before, uint8_t now)
{
    p->count += before == MEMBERSHIP_NONE;
    p->full += (~before & now & MEMBERSHIP_FULL) != 0;
    p->both += before != now && now == (MEMBERSHIP_FULL | MEMBERSHIP_LIMITED);
}

/* Adds entries in order of partition and port. */
static void matrix_fill(struct matrix *m, const struct found *found, size_t count)
{
    struct matrix_partition *p = NULL;
    struct matrix_member *last = NULL;
    uint8_t before;

    for (size_t i = 0; i < count; i++) {
        const struct found *f = &found[i];

        if (!p || p->base != f->base) {
            p = &m->partitions[m->partition_count++];
            *p = (struct matrix_partition){.base = f->base, .first = m->member_count};
            last = NULL;
        }
        if (!last || last->port != f->port) {
            last = &m->members[m->member_count++];
            *last = (struct matrix_member){.port = f->port};
        }
        before = last->membership;
        last->membership |= f->membership;
        partition_count(p, before, last->membership);
    }
}

int matrix_new(const struct weft_sweep *s, const struct pkey_tables *t, const struct weft_alloc *a,
               struct matrix **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    uint32_t count = find_all(s, t, NULL);
    struct matrix *m = alloc_array(&alloc, 1, sizeof(*m));
    struct found *found = alloc_array(&alloc, count, sizeof(*found));

    if (m) {
        m->alloc = alloc;
        m->space = count;
        m->partitions = alloc_array(&alloc, count, sizeof(m->partitions[0]));
        m->members = alloc_array(&alloc, count, sizeof(m->members[0]));
    }
    if (!found || !m || !m->partitions || !m->members) {
        alloc_put(&alloc, found, count, sizeof(*found));
        (void)matrix_free(m);
        return WEFT_ERR_NOMEM;
    }
    (void)find_all(s, t, found);
    qsort(found, count, sizeof(*found), found_compare);
    matrix_fill(m, found, count);
    alloc_put(&alloc, found, count, sizeof(*found));
    *ret = m;
    return 0;
}

struct matrix *matrix_free(struct matrix *m)
{
    struct weft_alloc a;

    if (!m)
        return NULL;
    a = m->alloc;
    alloc_put(&a, m->partitions, m->space, sizeof(m->partitions[0]));
    alloc_put(&a, m->members, m->space, sizeof(m->members[0]));
    alloc_put(&a, m, 1, sizeof(*m));
    return NULL;
}

uint8_t matrix_membership(const struct matrix *m, const struct matrix_partition *p, uint32_t port)
{
    uint32_t low = p->first;
    uint32_t high = p->first + p->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (m->members[middle].port == port)
            return m->members[middle].membership;
        if (m->members[middle].port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return MEMBERSHIP_NONE;
}

/* What comes in must be in the table, as a limited member if it is there as one: SMs give the port
 * the keys of the host behind it. What goes out must match as at its receiver. */
static bool passes(weft_pkey entry, weft_pkey key, bool entering)
{
    if (!entering)
        return weft_pkey_match(entry, key);
    return weft_pkey_same_partition(entry, key) &&
           (weft_pkey_is_full(entry) || !weft_pkey_is_full(key));
}

enum matrix_gate matrix_gate(const struct weft_sweep *s, const struct pkey_tables *t, uint32_t port,
                             weft_pkey key, bool entering)
{
    uint32_t gate = weft_sweep_port(s, port)->peer;
    const struct weft_sweep_port *p = gate == WEFT_SWEEP_NONE ? NULL : weft_sweep_port(s, gate);
    const weft_pkey *keys;
    uint32_t entries;

    if (!p || !(entering ? p->enforces_in : p->enforces_out))
        return GATE_OFF;
    keys = pkey_tables_get(t, gate, &entries);
    for (uint32_t i = 0; i < entries; i++)
        if (passes(keys[i], key, entering))
            return GATE_PASSES;
    return pkey_tables_complete(t, gate) ? GATE_DROPS : GATE_UNKNOWN;
}
