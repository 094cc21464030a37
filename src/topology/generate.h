/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the generators share: parameters, and nodes and cables with GUIDs and LIDs.
 */
#ifndef WEFT_TOPOLOGY_GENERATE_H
#define WEFT_TOPOLOGY_GENERATE_H

#include "topology/builder.h"

/** The most parameters that a generator has. */
#define TOPO_PARAMETERS_MAX 4

/** One parameter. */
struct topo_parameter {
    const char *key; /**< NULL behind the last one */
    uint32_t min;
    uint32_t max;
    uint32_t otherwise; /**< taken where it is not given; 0: it must be given */
    bool even;          /**< odd numbers are refused */
};

/** A topology being made. Members are private to generate.c. */
struct topo_plan {
    struct topo_builder *builder;
    struct topo_cable *cables;
    uint32_t count;
    uint32_t space;
    uint32_t switches;
    uint32_t hosts;
};

/** A generator. */
struct topo_generator {
    const char *name;
    const char *example; /**< for messages */
    struct topo_parameter parameters[TOPO_PARAMETERS_MAX + 1];
    /** Makes nodes and cables. Values stand in the order of the parameters, each in its range.
     * Returns 0 or WEFT_ERR_INVALID, with *error filled; other failures stick to the plan. */
    int (*make)(struct topo_plan *plan, const uint32_t *values, struct topo_error *error);
};

extern const struct topo_generator topo_fat_tree;
extern const struct topo_generator topo_torus;
extern const struct topo_generator topo_dragonfly;

/** Adds a switch. All switches come before the first host.
 * @return its node, or TOPO_NONE after an error, which the other calls take */
uint32_t topo_plan_switch(struct topo_plan *plan, uint32_t num_ports, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Adds a host and cables its port 1 to a port of a switch. */
void topo_plan_host(struct topo_plan *plan, uint32_t to, uint32_t port);

/** Cables two ports. */
void topo_plan_cable(struct topo_plan *plan, uint32_t a, uint32_t a_port, uint32_t b,
                     uint32_t b_port);

/** Fills in why a generator refuses its values.
 * @return WEFT_ERR_INVALID */
int topo_refuse(struct topo_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
