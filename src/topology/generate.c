/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns a generator's text into a topology that looks like a dump of a running fabric. */
#include "topology/generate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* GUIDs are locally administered. A host's port GUID is its node GUID plus the port number, as
 * ibsim gives it. */
#define SWITCH_GUID_BASE UINT64_C(0x0200000000010000)
#define HOST_GUID_BASE   UINT64_C(0x0200000000100000)
#define HOST_GUID_STEP   2

#define WIDTH "4x"
#define SPEED "EDR"

struct topo_cable {
    uint32_t node[2];
    uint8_t num[2];
};

static const struct topo_generator *const generators[] = {&topo_fat_tree, &topo_torus,
                                                          &topo_dragonfly};

int topo_refuse(struct topo_error *error, const char *format, ...)
{
    va_list args;

    error->line = 0;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return WEFT_ERR_INVALID;
}

static uint32_t add_node(struct topo_plan *plan, uint64_t guid, enum topo_node_type type,
                         uint32_t num_ports)
{
    uint32_t node = topo_builder_append(plan->builder, guid, type);
    struct topo_node *n;

    if (node == TOPO_NONE)
        return TOPO_NONE;
    n = topo_builder_at(plan->builder, node);
    n->sysimg_guid = guid;
    n->num_ports = (uint8_t)num_ports;
    if (type == TOPO_SWITCH)
        n->port0 = TOPO_PORT0_ENHANCED;
    return node;
}

uint32_t topo_plan_switch(struct topo_plan *plan, uint32_t num_ports, const char *format, ...)
{
    uint32_t node = add_node(plan, SWITCH_GUID_BASE + plan->switches++, TOPO_SWITCH, num_ports);
    va_list args;

    if (node == TOPO_NONE)
        return TOPO_NONE;
    va_start(args, format);
    vsnprintf(topo_builder_at(plan->builder, node)->name, TOPO_NAME_BYTES, format, args);
    va_end(args);
    return node;
}

void topo_plan_host(struct topo_plan *plan, uint32_t to, uint32_t port)
{
    uint32_t number = plan->hosts++;
    uint32_t node = add_node(plan, HOST_GUID_BASE + (uint64_t)number * HOST_GUID_STEP, TOPO_CA, 1);

    if (node == TOPO_NONE)
        return;
    snprintf(topo_builder_at(plan->builder, node)->name, TOPO_NAME_BYTES, "host-%05" PRIu32,
             number + 1);
    topo_plan_cable(plan, node, 1, to, port);
}

void topo_plan_cable(struct topo_plan *plan, uint32_t a, uint32_t a_port, uint32_t b,
                     uint32_t b_port)
{
    if (topo_builder_error(plan->builder) != 0)
        return;
    if (plan->count >= TOPO_PORTS_MAX / 2) {
        topo_builder_fail(plan->builder, WEFT_ERR_FULL);
        return;
    }
    if (plan->count == plan->space) {
        uint32_t space = plan->space == 0 ? 1024 : plan->space * 2;
        struct topo_cable *cables = realloc(plan->cables, space * sizeof(*cables));

        if (!cables) {
            topo_builder_fail(plan->builder, WEFT_ERR_NOMEM);
            return;
        }
        plan->cables = cables;
        plan->space = space;
    }
    plan->cables[plan->count++] = (struct topo_cable){{a, b}, {(uint8_t)a_port, (uint8_t)b_port}};
}

/* The LID that a fresh subnet manager could give: nodes in order, from 1. A subnet that has more
 * nodes than unicast LIDs gets none. */
static uint16_t lid_of(const struct topo_plan *plan, uint32_t node)
{
    return topo_builder_count(plan->builder) > TOPO_LID_UNICAST_MAX ? 0 : (uint16_t)(node + 1);
}

static void claim_end(struct topo_plan *plan, const struct topo_cable *cable, size_t end)
{
    uint32_t node = cable->node[end];
    uint32_t peer = cable->node[1 - end];
    struct topo_claim claim = {.port = {.node = node,
                                        .peer_node = peer,
                                        .peer_lid = lid_of(plan, peer),
                                        .num = cable->num[end],
                                        .peer_num = cable->num[1 - end],
                                        .width = WIDTH,
                                        .speed = SPEED}};
    const struct topo_node *n = topo_builder_at(plan->builder, node);

    if (n->type != TOPO_SWITCH) {
        claim.port.guid = n->guid + claim.port.num;
        claim.port.lid = lid_of(plan, node);
    }
    topo_builder_claim(plan->builder, &claim);
}

static int finish(struct topo_plan *plan, struct topo **ret, struct topo_error *error)
{
    int err = topo_builder_error(plan->builder);

    for (uint32_t i = 0; err == 0 && i < topo_builder_count(plan->builder); i++) {
        struct topo_node *n = topo_builder_at(plan->builder, i);

        if (n->type == TOPO_SWITCH)
            n->lid = lid_of(plan, i);
    }
    topo_builder_reserve(plan->builder, 0, 2 * plan->count);
    for (uint32_t i = 0; err == 0 && i < plan->count; i++) {
        claim_end(plan, &plan->cables[i], 0);
        claim_end(plan, &plan->cables[i], 1);
    }
    err = topo_builder_finish(plan->builder, ret);
    if (err == WEFT_ERR_FULL)
        return topo_refuse(error,
                           "this makes more than %d nodes or %d cables, a topology's limits; "
                           "try smaller numbers",
                           TOPO_NODES_MAX, TOPO_PORTS_MAX / 2);
    if (err != 0)
        *error = (struct topo_error){.text = "memory ran out while the topology was generated"};
    return err;
}

/* The generator whose name a text begins with; the name ends at a colon or with the text. */
static const struct topo_generator *find_generator(const char *spec)
{
    for (size_t i = 0; i < sizeof(generators) / sizeof(generators[0]); i++) {
        size_t length = strlen(generators[i]->name);

        if (strncmp(spec, generators[i]->name, length) == 0 &&
            (spec[length] == ':' || spec[length] == '\0'))
            return generators[i];
    }
    return NULL;
}

bool topo_spec_is_generator(const char *spec)
{
    return find_generator(spec) != NULL;
}

static size_t find_parameter(const struct topo_generator *g, const char *key, size_t length)
{
    size_t i = 0;

    while (g->parameters[i].key && (strlen(g->parameters[i].key) != length ||
                                    strncmp(g->parameters[i].key, key, length) != 0))
        i++;
    return i;
}

/* One `key=number`; `length` bytes of `text`. */
static int read_parameter(const struct topo_generator *g, const char *text, size_t length,
                          uint32_t *values, struct topo_error *error)
{
    const char *equals = memchr(text, '=', length);
    size_t key_length = equals ? (size_t)(equals - text) : length;
    size_t which = find_parameter(g, text, key_length);
    const struct topo_parameter *p = &g->parameters[which];
    uint64_t value = 0;
    const char *digit;

    if (!p->key)
        return topo_refuse(error, "%s has no parameter \"%.*s\"; try %s", g->name,
                           key_length > 40 ? 40 : (int)key_length, text, g->example);
    if (values[which] != 0)
        return topo_refuse(error, "%s: %s is given twice; try it once", g->name, p->key);
    for (digit = equals ? equals + 1 : text + length;
         digit < text + length && *digit >= '0' && *digit <= '9' && value <= UINT32_MAX; digit++)
        value = value * 10 + (uint64_t)(*digit - '0');
    if (!equals || digit == equals + 1 || digit < text + length || value < p->min ||
        value > p->max || (p->even && value % 2 != 0))
        return topo_refuse(error,
                           "%s: %s must be %s number from %" PRIu32 " to %" PRIu32 "; try %s",
                           g->name, p->key, p->even ? "an even" : "a", p->min, p->max, g->example);
    values[which] = (uint32_t)value;
    return 0;
}

static int read_parameters(const struct topo_generator *g, const char *text, uint32_t *values,
                           struct topo_error *error)
{
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        int err = read_parameter(g, text, length, values, error);

        if (err != 0)
            return err;
        text += length;
        if (*text == ',' && *++text == '\0')
            return topo_refuse(error, "%s: nothing follows the last comma; try %s", g->name,
                               g->example);
    }
    for (size_t i = 0; g->parameters[i].key; i++) {
        if (values[i] == 0)
            values[i] = g->parameters[i].otherwise;
        if (values[i] == 0)
            return topo_refuse(error, "%s: %s is missing; try %s", g->name, g->parameters[i].key,
                               g->example);
    }
    return 0;
}

int topo_generate(const char *spec, struct topo **ret, struct topo_error *error)
{
    const struct topo_generator *g = find_generator(spec);
    uint32_t values[TOPO_PARAMETERS_MAX] = {0};
    struct topo_plan plan = {0};
    const char *text;
    int err;

    if (!g)
        return topo_refuse(error, "there is no generator \"%.*s\"; try %s, %s or %s",
                           (int)strcspn(spec, ":") > 40 ? 40 : (int)strcspn(spec, ":"), spec,
                           topo_fat_tree.example, topo_torus.example, topo_dragonfly.example);
    text = spec + strlen(g->name);
    err = read_parameters(g, *text == ':' ? text + 1 : text, values, error);
    if (err != 0)
        return err;
    plan.builder = topo_builder_new();
    if (!plan.builder) {
        *error = (struct topo_error){.text = "there is no memory to generate a topology"};
        return WEFT_ERR_NOMEM;
    }
    err = g->make(&plan, values, error);
    if (err == 0)
        err = finish(&plan, ret, error);
    topo_builder_free(plan.builder);
    free(plan.cables);
    return err;
}
