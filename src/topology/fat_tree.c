/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `fat-tree:hosts=N,radix=K`: a folded Clos network of K-port switches without oversubscription.
 *
 * K hosts fit on one switch. Beyond, leaves have K/2 hosts each and K/2 cables upwards; two levels
 * carry K*K/2 hosts, and every level more K/2 times as many, up to four. A pod is a part with full
 * bandwidth upwards: a leaf is one, and K/2 pods (fewer where hosts are few) make a larger one with
 * as many switches on top as a pod has cables upwards. The top level joins the largest pods; where
 * they are few, several cables of a pod go to the same top switch and fewer of those are needed.
 * Pods are of equal size up to one leaf. */
#include "topology/generate.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEVELS_MAX 4

enum {
    HOSTS,
    RADIX
};

/* A part of the tree with its own top switches. */
struct pod {
    uint32_t leaves;
    uint32_t first_child; /* index in the level below */
    uint32_t children;
    uint32_t first_switch; /* node; switches of one pod and level are consecutive */
};

struct tree {
    struct topo_plan *plan;
    uint32_t radix;
    uint32_t half;
    uint32_t levels;
    struct pod *pods[LEVELS_MAX]; /* of level 1 (leaves), 2, 3; [0] is the whole tree */
    uint32_t count[LEVELS_MAX];
};

static uint32_t power(uint32_t base, uint32_t exponent)
{
    uint32_t value = 1;

    while (exponent-- > 0)
        value *= base;
    return value;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* With how many levels this radix carries this many hosts; more than LEVELS_MAX: not at all. */
static uint32_t levels_needed(uint32_t hosts, uint32_t radix)
{
    uint64_t capacity = radix;
    uint32_t levels = 1;

    while (capacity < hosts && levels <= LEVELS_MAX) {
        capacity *= radix / 2;
        levels++;
    }
    return levels;
}

/* Splits every pod of level `level` into equal ones of the level below. */
static bool split(struct tree *t, uint32_t level)
{
    uint32_t parents = level == t->levels ? 1 : t->count[level];
    struct pod *above = level == t->levels ? t->pods[0] : t->pods[level];
    uint32_t full = power(t->half, level - 2); /* leaves of a full pod below */
    struct pod *below = calloc(t->pods[0]->leaves, sizeof(*below));
    uint32_t count = 0;

    if (!below)
        return false;
    for (uint32_t i = 0; i < parents; i++) {
        above[i].first_child = count;
        above[i].children = divide_up(above[i].leaves, full);
        for (uint32_t c = 0; c < above[i].children; c++)
            below[count++].leaves =
                above[i].leaves / above[i].children + (c < above[i].leaves % above[i].children);
    }
    t->pods[level - 1] = below;
    t->count[level - 1] = count;
    return true;
}

static void add_switches(struct tree *t, uint32_t level)
{
    static const char *const names[LEVELS_MAX + 1][LEVELS_MAX] = {
        [2] = {[1] = "leaf"},
        [3] = {[1] = "leaf", [2] = "spine"},
        [4] = {[1] = "leaf", [2] = "spine", [3] = "super"},
    };
    uint32_t each = power(t->half, level - 1);
    uint32_t number = 0;

    for (uint32_t i = 0; i < t->count[level]; i++) {
        t->pods[level][i].first_switch = topo_plan_switch(t->plan, t->radix, "%s-%04" PRIu32,
                                                          names[t->levels][level], number + 1);
        number++;
        for (uint32_t s = 1; s < each; s++, number++)
            (void)topo_plan_switch(t->plan, t->radix, "%s-%04" PRIu32, names[t->levels][level],
                                   number + 1);
    }
}

/* Cables uplink number `up` of a pod of level `level` to a port of a switch above. */
static void cable_up(struct tree *t, const struct pod *pod, uint32_t up, uint32_t above,
                     uint32_t port)
{
    topo_plan_cable(t->plan, pod->first_switch + up / t->half, t->half + 1 + up % t->half, above,
                    port);
}

/* Inside pods: switch number u of a pod takes uplink u of every pod below, each at its own port. */
static void cable_pods(struct tree *t, uint32_t level)
{
    uint32_t each = power(t->half, level - 1);

    for (uint32_t i = 0; i < t->count[level]; i++) {
        const struct pod *p = &t->pods[level][i];

        for (uint32_t c = 0; c < p->children; c++)
            for (uint32_t up = 0; up < each; up++)
                cable_up(t, &t->pods[level - 1][p->first_child + c], up, p->first_switch + up,
                         c + 1);
    }
}

/* The top: as many cables of one pod to one top switch as its ports allow. They are a divisor of
 * K/2 so that they come from one switch and every top switch reaches every pod. */
static void add_top(struct tree *t)
{
    uint32_t below = t->levels - 1;
    uint32_t uplinks = power(t->half, below);
    uint32_t bundle = t->half;
    uint32_t first = TOPO_NONE;

    while (t->half % bundle != 0 || t->count[below] * bundle > t->radix)
        bundle--;
    for (uint32_t s = 0; s < uplinks / bundle; s++) {
        uint32_t node = topo_plan_switch(t->plan, t->radix, "%s-%04" PRIu32,
                                         t->levels == 2 ? "spine" : "core", s + 1);

        if (s == 0)
            first = node;
    }
    for (uint32_t i = 0; i < t->count[below]; i++)
        for (uint32_t up = 0; up < uplinks; up++)
            cable_up(t, &t->pods[below][i], up, first + up / bundle, i * bundle + up % bundle + 1);
}

static void make_levels(struct tree *t, uint32_t hosts)
{
    bool split_all = true;

    for (uint32_t level = t->levels; level > 1; level--)
        split_all = split_all && split(t, level);
    if (!split_all || !t->pods[1]) {
        topo_builder_fail(t->plan->builder, WEFT_ERR_NOMEM);
        return;
    }
    for (uint32_t level = 1; level < t->levels; level++)
        add_switches(t, level);
    add_top(t);
    for (uint32_t level = 2; level < t->levels; level++)
        cable_pods(t, level);
    for (uint32_t i = 0; i < hosts; i++)
        topo_plan_host(t->plan, t->pods[1][i / t->half].first_switch, i % t->half + 1);
}

static int refuse_size(uint32_t hosts, uint32_t radix, struct topo_error *error)
{
    uint32_t enough = radix;

    while (levels_needed(hosts, enough) > LEVELS_MAX)
        enough += 2;
    return topo_refuse(error,
                       "fat-tree: %d levels of %" PRIu32 "-port switches carry at most %" PRIu32
                       " hosts, not %" PRIu32 "; try radix=%" PRIu32 " or more",
                       LEVELS_MAX, radix, radix * power(radix / 2, LEVELS_MAX - 1), hosts, enough);
}

static int make(struct topo_plan *plan, const uint32_t *values, struct topo_error *error)
{
    struct pod whole = {.leaves = divide_up(values[HOSTS], values[RADIX] / 2)};
    struct tree t = {
        .plan = plan, .radix = values[RADIX], .half = values[RADIX] / 2, .pods = {&whole}};

    t.levels = levels_needed(values[HOSTS], t.radix);
    if (t.levels > LEVELS_MAX)
        return refuse_size(values[HOSTS], t.radix, error);
    if (t.levels == 1) {
        uint32_t only = topo_plan_switch(plan, t.radix, "leaf-0001");

        for (uint32_t i = 0; i < values[HOSTS]; i++)
            topo_plan_host(plan, only, i + 1);
        return 0;
    }
    make_levels(&t, values[HOSTS]);
    for (uint32_t level = 1; level < t.levels; level++)
        free(t.pods[level]);
    return 0;
}

const struct topo_generator topo_fat_tree = {
    .name = "fat-tree",
    .example = "fat-tree:hosts=324,radix=36",
    .parameters = {[HOSTS] = {"hosts", 1, TOPO_GENERATE_HOSTS_MAX, 0, false},
                   [RADIX] = {"radix", 4, TOPO_PORT_NUM_MAX, 36, true}},
    .make = make,
};
