/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is wrong with the P_Keys that an administrator gave to functions. */
#include "cli/vf_tree.h"

#include <stdlib.h>
#include <string.h>

/* What a host holds of each partition. */
struct holders {
    bool full[WEFT_PKEY_BASE + 1];
    bool unknown; /* some of its keys could not be read: they may be of any partition */
};

static void check_entry(struct vf_tree *t, struct vf_problem where, const struct vf_port *port,
                        const struct vf_entry *e)
{
    if (e->physical == VF_NONE || e->unknown)
        return;
    if (e->physical + 1 >= port->key_count) {
        where.kind = VF_OUT_OF_RANGE;
        vf_problem_add(
            t, &where,
            "entry %u is physical entry %u, and functions can have 0 to %zu: the last of "
            "%zu stands for none",
            e->virt, e->physical, port->key_count < 2 ? 0 : port->key_count - 2, port->key_count);
    } else if (!weft_pkey_valid(e->key)) {
        where.kind = VF_EMPTY_ENTRY;
        vf_problem_add(t, &where,
                       "entry %u is physical entry %u, which has no key (0x%04x); has the subnet "
                       "manager moved it?",
                       e->virt, e->physical, e->key);
    }
}

/* The first entry before this one in the same partition, or of the same physical entry. */
static const struct vf_entry *find_twin(const struct vf_function *f, size_t i,
                                        const uint32_t first_of[WEFT_PKEY_BASE + 1])
{
    uint32_t first = first_of[f->entries[i].key & WEFT_PKEY_BASE];

    return first == VF_NONE ? NULL : &f->entries[first];
}

static void report_twin(struct vf_tree *t, struct vf_problem where, const struct vf_entry *twin,
                        const struct vf_entry *e)
{
    if (twin->key == e->key) {
        where.kind = VF_DUPLICATE;
        vf_problem_add(t, &where, "entries %u and %u both have the key 0x%04x", twin->virt, e->virt,
                       e->key);
        return;
    }
    where.kind = VF_BOTH_FORMS;
    vf_problem_add(t, &where,
                   "entry %u has the key 0x%04x and entry %u 0x%04x: a guest is to be a full or a "
                   "limited member of a partition, not both",
                   twin->virt, twin->key, e->virt, e->key);
}

static void check_guest(struct vf_tree *t, struct vf_problem where, const struct vf_port *port,
                        const struct vf_function *f, uint32_t first_of[WEFT_PKEY_BASE + 1])
{
    bool has_0 = f->unknown_0;

    memset(first_of, 0xFF, (WEFT_PKEY_BASE + 1) * sizeof(*first_of));
    for (size_t i = 0; i < f->count; i++) {
        const struct vf_entry *e = &f->entries[i];
        const struct vf_entry *twin;

        has_0 = has_0 || (e->virt == 0 && (e->physical != VF_NONE || e->unknown));
        check_entry(t, where, port, e);
        if (!weft_pkey_valid(e->key))
            continue;
        twin = find_twin(f, i, first_of);
        if (twin)
            report_twin(t, where, twin, e);
        else
            first_of[e->key & WEFT_PKEY_BASE] = (uint32_t)i;
    }
    if (!has_0) {
        where.kind = VF_UNASSIGNED_0;
        vf_problem_add(t, &where,
                       "entry 0 is not assigned: SMPs and what asks for no index use it");
    }
}

static void note_holders(const struct vf_port *port, struct holders *held)
{
    held->unknown = held->unknown || port->unknown;
    for (size_t i = 0; i < port->key_count; i++)
        if (weft_pkey_is_full(port->keys[i]))
            held->full[port->keys[i] & WEFT_PKEY_BASE] = true;
}

static void check_alone(struct vf_tree *t, struct vf_problem where, const struct vf_function *f,
                        const struct holders *held)
{
    where.kind = VF_NOBODY_FULL;
    if (held->unknown)
        return;
    for (size_t i = 0; i < f->count; i++) {
        weft_pkey key = f->entries[i].key;

        if (weft_pkey_valid(key) && !weft_pkey_is_full(key) && !held->full[key])
            vf_problem_add(t, &where,
                           "entry %u has the limited key 0x%04x, and nobody on this host has "
                           "0x%04x: guests here do not talk to each other with it",
                           f->entries[i].virt, key, key | WEFT_PKEY_FULL);
    }
}

int vf_tree_check(struct vf_tree *t)
{
    uint32_t *first_of = malloc((WEFT_PKEY_BASE + 1) * sizeof(*first_of));
    struct holders *held = calloc(1, sizeof(*held));

    t->failed = t->failed || !first_of || !held;
    for (size_t d = 0; d < t->device_count && !t->failed; d++)
        for (size_t p = 0; p < t->devices[d].port_count; p++)
            note_holders(&t->devices[d].ports[p], held);
    for (size_t d = 0; d < t->device_count && !t->failed; d++) {
        for (size_t p = 0; p < t->devices[d].port_count; p++) {
            const struct vf_port *port = &t->devices[d].ports[p];

            for (size_t i = 0; i < port->function_count && !t->failed; i++) {
                const struct vf_function *f = &port->functions[i];
                struct vf_problem where = {VF_UNREADABLE, t->devices[d].name, port->name, f->name,
                                           NULL};

                /* The PF's table is the physical one, which may have both forms. */
                if (f->physical)
                    continue;
                check_guest(t, where, port, f, first_of);
                check_alone(t, where, f, held);
            }
        }
    }
    free(first_of);
    free(held);
    return t->failed ? WEFT_ERR_NOMEM : 0;
}
