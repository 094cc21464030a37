/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dragonfly:a=N,p=N,h=N,g=N`: g groups of a switches; each switch has p hosts, a cable to every
 * other switch of its group, and h cables to other groups (names as in Kim et al., "Technology-
 * driven, highly-scalable dragonfly topology", ISCA 2008). Every two groups have equally many
 * cables, at least one, so g is at most a*h+1, which is also what it is when not given; cables that
 * cannot be shared out evenly are left out. Ports: hosts, the group, other groups. */
#include "topology/generate.h"

#include <inttypes.h>

enum {
    A,
    P,
    H,
    G
};

/* Inside a group: switch i reaches switch j by its port number j, not counting itself. */
static void cable_group(struct topo_plan *plan, const uint32_t *values, uint32_t first)
{
    uint32_t base = values[P] + 1;

    for (uint32_t i = 0; i < values[A]; i++)
        for (uint32_t j = i + 1; j < values[A]; j++)
            topo_plan_cable(plan, first + i, base + j - 1, first + j, base + i);
}

/* Between groups i < j: a group's cables to others are numbered by how far ahead the other is,
 * round and round again for each further cable to the same group; each switch takes h of them in
 * turn. */
static void cable_groups(struct topo_plan *plan, const uint32_t *values, uint32_t groups,
                         uint32_t first, uint32_t i, uint32_t j)
{
    uint32_t base = values[P] + values[A];
    uint32_t each = values[A] * values[H] / (groups - 1);
    uint32_t ahead = j - i - 1;
    uint32_t back = groups - 2 - ahead;

    for (uint32_t c = 0; c < each; c++) {
        uint32_t at_i = ahead + c * (groups - 1);
        uint32_t at_j = back + c * (groups - 1);

        topo_plan_cable(plan, first + i * values[A] + at_i / values[H], base + at_i % values[H],
                        first + j * values[A] + at_j / values[H], base + at_j % values[H]);
    }
}

static int check(const uint32_t *values, uint64_t groups, struct topo_error *error)
{
    uint64_t hosts = groups * values[A] * values[P];
    uint32_t num_ports = values[P] + values[A] - 1 + values[H];

    if (groups > (uint64_t)values[A] * values[H] + 1)
        return topo_refuse(error,
                           "dragonfly: groups of %" PRIu32 " switches with %" PRIu32
                           " cables to other groups reach at most %" PRIu64
                           " groups; try g=%" PRIu64 " or less",
                           values[A], values[H], (uint64_t)values[A] * values[H] + 1,
                           (uint64_t)values[A] * values[H] + 1);
    if (hosts > TOPO_GENERATE_HOSTS_MAX)
        return topo_refuse(error,
                           "dragonfly: %" PRIu64 " groups of %" PRIu32 " switches with %" PRIu32
                           " hosts each are %" PRIu64 " hosts, more than %d; try smaller numbers",
                           groups, values[A], values[P], hosts, TOPO_GENERATE_HOSTS_MAX);
    if (num_ports > TOPO_PORT_NUM_MAX)
        return topo_refuse(error,
                           "dragonfly: a switch would need p+a-1+h = %" PRIu32
                           " ports and has at most %d; try smaller numbers",
                           num_ports, TOPO_PORT_NUM_MAX);
    return 0;
}

static int make(struct topo_plan *plan, const uint32_t *values, struct topo_error *error)
{
    uint64_t wanted = values[G] != UINT32_MAX ? values[G] : (uint64_t)values[A] * values[H] + 1;
    uint32_t groups = (uint32_t)wanted;
    uint32_t first = TOPO_NONE;
    int err = check(values, wanted, error);

    if (err != 0)
        return err;
    for (uint32_t i = 0; i < groups * values[A]; i++) {
        uint32_t node =
            topo_plan_switch(plan, values[P] + values[A] - 1 + values[H],
                             "group-%" PRIu32 "-%" PRIu32, i / values[A] + 1, i % values[A] + 1);

        if (i == 0)
            first = node;
    }
    for (uint32_t i = 0; i < groups; i++) {
        cable_group(plan, values, first + i * values[A]);
        for (uint32_t j = i + 1; j < groups; j++)
            cable_groups(plan, values, groups, first, i, j);
    }
    for (uint32_t i = 0; i < groups * values[A]; i++)
        for (uint32_t p = 0; p < values[P]; p++)
            topo_plan_host(plan, first + i, p + 1);
    return 0;
}

const struct topo_generator topo_dragonfly = {
    .name = "dragonfly",
    .example = "dragonfly:a=8,p=4,h=4",
    .parameters = {[A] = {"a", 1, TOPO_PORT_NUM_MAX, 0, false},
                   [P] = {"p", 1, TOPO_PORT_NUM_MAX, 0, false},
                   [H] = {"h", 1, TOPO_PORT_NUM_MAX, 0, false},
                   [G] = {"g", 1, TOPO_GENERATE_HOSTS_MAX, UINT32_MAX, false}},
    .make = make,
};
