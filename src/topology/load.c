/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `FILE|GEN` means: a generator's text, or else a file. */
#include "topology/topology.h"

int topo_load_spec(const char *spec, struct topo **ret, struct topo_error *error)
{
    if (topo_spec_is_generator(spec))
        return topo_generate(spec, ret, error);
    return topo_read_file(spec, ret, error);
}
