/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds nodes by their identity, in the C library's red-black tree. */
#include "topology/identity.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* What the tree holds. It compares entries as the references they begin with. */
struct identity {
    struct topo_ref ref;
    uint32_t node;
    char id[];
};

static int compare(const void *a, const void *b)
{
    const struct topo_ref *x = a;
    const struct topo_ref *y = b;

    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    if (x->guid != 0)
        return 0;
    if (x->id_length != y->id_length)
        return x->id_length < y->id_length ? -1 : 1;
    return memcmp(x->id, y->id, x->id_length);
}

uint32_t topo_identities_find(const struct topo_identities *ids, const struct topo_ref *ref)
{
    struct identity *const *place = tfind(ref, &ids->root, compare);

    return place ? (*place)->node : TOPO_NONE;
}

int topo_identities_add(struct topo_identities *ids, const struct topo_ref *ref, uint32_t node)
{
    size_t id_length = ref->guid == 0 ? ref->id_length : 0;
    struct identity *entry = malloc(sizeof(*entry) + id_length);

    if (!entry)
        return WEFT_ERR_NOMEM;
    entry->ref = *ref;
    entry->ref.id = entry->id;
    entry->ref.id_length = id_length;
    entry->node = node;
    if (id_length > 0)
        memcpy(entry->id, ref->id, id_length);
    if (!tsearch(entry, &ids->root, compare)) {
        free(entry);
        return WEFT_ERR_NOMEM;
    }
    return 0;
}

void topo_identities_free(struct topo_identities *ids)
{
    tdestroy(ids->root, free);
    ids->root = NULL;
}
