/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `FILE|GEN` means: a generator's text, or else a file. */
#include "topology/generate.h"

#include <string.h>

/* `WORD:KEY=...` and no path: a generator with its name mistyped, unless there is such a file. */
static bool looks_like_generator(const char *spec)
{
    size_t length = strcspn(spec, ":/");

    return length > 0 && spec[length] == ':' && strchr(spec + length, '=');
}

int topo_load_spec(const char *spec, struct topo **ret, struct topo_error *error)
{
    int err;

    if (topo_spec_is_generator(spec))
        return topo_generate(spec, ret, error);
    if (spec[0] == '\0')
        return topo_refuse(error, "the topology's name is empty; try %s", topo_fat_tree.example);
    err = topo_read_file(spec, ret, error);
    if (err == WEFT_ERR_NOTFOUND && looks_like_generator(spec))
        return topo_generate(spec, ret, error);
    return err;
}
