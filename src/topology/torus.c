/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `torus:x=N,y=N,z=N,hosts=N`: a grid of switches whose rows, columns and stacks are rings, each
 * switch with `hosts` hosts. A dimension of 1 is left out; one of 2 has one cable, not two. Ports:
 * hosts first, then for each dimension one up and one down. */
#include "topology/generate.h"

#include <inttypes.h>

enum {
    X,
    Y,
    Z,
    HOSTS,
    DIMENSIONS = HOSTS
};

static uint32_t count_rings(const uint32_t *values)
{
    uint32_t rings = 0;

    for (size_t d = 0; d < DIMENSIONS; d++)
        rings += values[d] > 1;
    return rings;
}

/* Cables every switch to the next one along one dimension. `stride` is how far apart their numbers
 * are, `port` the one that goes up. */
static void cable_ring(struct topo_plan *plan, uint32_t first, uint32_t switches, uint32_t size,
                       uint32_t stride, uint32_t port)
{
    for (uint32_t i = 0; i < switches; i++) {
        uint32_t at = i / stride % size;
        uint32_t next = at + 1 < size ? i + stride : i - at * stride;

        if (at + 1 < size || size > 2)
            topo_plan_cable(plan, first + i, port, first + next, port + 1);
    }
}

static int make(struct topo_plan *plan, const uint32_t *values, struct topo_error *error)
{
    uint64_t switches = (uint64_t)values[X] * values[Y] * values[Z];
    uint32_t num_ports = values[HOSTS] + 2 * count_rings(values);
    uint32_t first = TOPO_NONE;
    uint32_t stride = 1;
    uint32_t port = values[HOSTS] + 1;

    if (switches * values[HOSTS] > TOPO_GENERATE_HOSTS_MAX)
        return topo_refuse(error,
                           "torus: %" PRIu64 " switches with %" PRIu32
                           " hosts each are more than %d hosts; try smaller numbers",
                           switches, values[HOSTS], TOPO_GENERATE_HOSTS_MAX);
    if (num_ports > TOPO_PORT_NUM_MAX)
        return topo_refuse(error,
                           "torus: %" PRIu32 " hosts and the rings need %" PRIu32
                           " ports of a switch, which has at most %d; try fewer hosts",
                           values[HOSTS], num_ports, TOPO_PORT_NUM_MAX);
    for (uint32_t i = 0; i < switches; i++) {
        uint32_t node =
            topo_plan_switch(plan, num_ports, "torus-%" PRIu32 "-%" PRIu32 "-%" PRIu32,
                             i % values[X], i / values[X] % values[Y], i / values[X] / values[Y]);

        if (i == 0)
            first = node;
    }
    for (size_t d = 0; d < DIMENSIONS; d++) {
        if (values[d] > 1) {
            cable_ring(plan, first, (uint32_t)switches, values[d], stride, port);
            port += 2;
        }
        stride *= values[d];
    }
    for (uint32_t i = 0; i < switches; i++)
        for (uint32_t h = 0; h < values[HOSTS]; h++)
            topo_plan_host(plan, first + i, h + 1);
    return 0;
}

const struct topo_generator topo_torus = {
    .name = "torus",
    .example = "torus:x=6,y=6,z=6,hosts=4",
    .parameters = {[X] = {"x", 1, TOPO_GENERATE_HOSTS_MAX, 0, false},
                   [Y] = {"y", 1, TOPO_GENERATE_HOSTS_MAX, 1, false},
                   [Z] = {"z", 1, TOPO_GENERATE_HOSTS_MAX, 1, false},
                   [HOSTS] = {"hosts", 1, TOPO_PORT_NUM_MAX, 1, false}},
    .make = make,
};
