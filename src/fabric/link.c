/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Link states, and what both ends of a link agree on. */
#include "fabric/link.h"

#include "fabric/counters.h"
#include "fabric/flight.h"
#include "fabric/keys.h"
#include "fabric/trap.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* LinkWidth bits; 2x came late and has the highest one. */
#define WIDTH_1X  1
#define WIDTH_4X  2
#define WIDTH_8X  4
#define WIDTH_12X 8
#define WIDTH_2X  16

#define SPEED_SDR 1
#define SPEED_QDR 4

/* NeighborMTU and MTUCap of 4096 bytes; VLCap and OperationalVLs of VL0 to 7. */
#define MTU_4096 5
#define VLS_0_7  4

/* What a link runs at. */
struct terms {
    uint8_t width, speed, extended;
};

/* What the words of a topology file stand for. Where ibnetdiscover has no word for a speed it
 * writes the Gb/s of one lane. */
struct speed_word {
    const char *word;
    long gbps;
    uint8_t speeds, extended;
};

static const struct speed_word speed_words[] = {
    {"EDR", 25, 7, 3},    {"SDR", 2, 1, 0},     {"DDR", 5, 3, 0},  {"QDR", 10, 7, 0},
    {"FDR10", 10, 7, 0},  {"FDR", 14, 7, 1},    {"HDR", 53, 7, 7}, {"HDR", 50, 7, 7},
    {"NDR", 106, 7, 0xF}, {"NDR", 100, 7, 0xF},
};

static const struct speed_word *find_speed(const char *word)
{
    long gbps = strtol(word, NULL, 10);

    for (size_t i = 0; i < sizeof(speed_words) / sizeof(speed_words[0]); i++)
        if (!strcasecmp(word, speed_words[i].word) || gbps == speed_words[i].gbps)
            return &speed_words[i];
    return &speed_words[0];
}

static uint8_t find_widths(const char *word)
{
    switch (strtol(word, NULL, 10)) {
    case 1:
        return WIDTH_1X;
    case 2:
        return WIDTH_1X | WIDTH_2X;
    case 8:
        return WIDTH_1X | WIDTH_4X | WIDTH_8X;
    case 12:
        return WIDTH_1X | WIDTH_4X | WIDTH_12X;
    default:
        return WIDTH_1X | WIDTH_4X;
    }
}

/* The widest of a set; 0 of none. */
static uint8_t widest(uint8_t widths)
{
    static const uint8_t order[] = {WIDTH_12X, WIDTH_8X, WIDTH_4X, WIDTH_2X, WIDTH_1X};

    for (size_t i = 0; i < sizeof(order); i++)
        if (widths & order[i])
            return order[i];
    return 0;
}

static uint8_t highest(uint8_t set)
{
    uint8_t bit = 0x80;

    while (bit && !(set & bit))
        bit >>= 1;
    return bit;
}

/* Widths and speeds that both ends have enabled and the cable can do; false: there is none, and the
 * link cannot train. */
static bool agree(const struct port *a, const struct port *b, struct terms *ret)
{
    uint8_t widths = a->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] &
                     b->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED];
    uint64_t speeds = wire_get(WIRE_PORT_INFO_LINK_SPEED_ENABLED, a->info) &
                      wire_get(WIRE_PORT_INFO_LINK_SPEED_ENABLED, b->info);
    uint64_t extended = wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, a->info) &
                        wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, b->info) & 0xF;

    if (a->cable_width != 0) {
        widths &= a->cable_width;
        speeds &= a->cable_speed;
        extended &= a->cable_speed_ext;
    }
    ret->width = widest(widths);
    ret->extended = highest((uint8_t)extended);
    /* A port at an extended speed calls its other one the fastest (IBA: LinkSpeedActive). */
    ret->speed = ret->extended ? SPEED_QDR : highest((uint8_t)speeds);
    return ret->width != 0 && ret->speed != 0;
}

static void set_terms(struct port *p, const struct terms *t)
{
    p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ACTIVE] = t->width;
    wire_set(WIRE_PORT_INFO_LINK_SPEED_ACTIVE, p->info, t->speed);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, p->info, t->extended);
}

static void set_states(struct port *p, enum port_state state, enum port_physical physical)
{
    wire_set(WIRE_PORT_INFO_PORT_STATE, p->info, state);
    wire_set(WIRE_PORT_INFO_PHYSICAL_STATE, p->info, physical);
}

static struct port *other_end(const struct fabric *f, const struct port *p)
{
    return p->peer == FABRIC_NONE ? NULL : &f->ports[p->peer];
}

static void note_end(struct fabric *f, const struct port *p)
{
    struct waypoint *w = port_waypoint(f, p);
    unsigned flags = keys_checks(f, p) ? WAYPOINT_CHECKS : 0;

    if (link_carries(f, p, true))
        flags |= WAYPOINT_SMPS;
    if (link_carries(f, p, false))
        flags |= WAYPOINT_DATA;
    w->peer = p->peer;
    w->flags = (uint8_t)flags;
}

void link_note(struct fabric *f, const struct port *p)
{
    note_end(f, p);
    if (p->peer != FABRIC_NONE)
        note_end(f, &f->ports[p->peer]);
}

static bool is_up(const struct port *p)
{
    return port_get_physical(p) == PORT_PHYSICAL_LINK_UP;
}

/* Whether nothing keeps the link from being up. */
static bool can_be_up(const struct fabric *f, const struct port *a, const struct port *b,
                      struct terms *ret)
{
    return !a->cut && !b->cut && !a->disabled && !b->disabled && !port_node(f, a)->dead &&
           !port_node(f, b)->dead && agree(a, b, ret);
}

/* A link without a partner: Disabled, or what LinkDownDefaultState says. */
static void rest(struct port *p)
{
    uint64_t physical = wire_get(WIRE_PORT_INFO_LINK_DOWN_DEFAULT, p->info);
    const struct terms idle = {widest(p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED]), SPEED_SDR, 0};

    if (p->disabled)
        physical = PORT_PHYSICAL_DISABLED;
    set_states(p, PORT_STATE_DOWN, (enum port_physical)physical);
    set_terms(p, &idle);
    p->training = false;
}

/* What a switch says of a link that went up or down by itself. A dead one says nothing. */
static void announce(struct fabric *f, struct port *p)
{
    struct node *n = port_node(f, p);

    if (!node_is_switch(n) || n->dead)
        return;
    wire_set(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, node_switch(f, n)->info, 1);
    trap_raise(f, p, TRAP_LINK_STATE, NULL);
}

static void come_up_end(struct port *p, const struct terms *t, uint64_t mtu, uint64_t vls)
{
    set_states(p, PORT_STATE_INIT, PORT_PHYSICAL_LINK_UP);
    set_terms(p, t);
    wire_set(WIRE_PORT_INFO_NEIGHBOR_MTU, p->info, mtu);
    wire_set(WIRE_PORT_INFO_OPERATIONAL_VLS, p->info, vls);
    p->training = false;
}

static uint64_t lesser(enum wire_field_id field, const struct port *a, const struct port *b)
{
    uint64_t at_a = wire_get(field, a->info);
    uint64_t at_b = wire_get(field, b->info);

    return at_a < at_b ? at_a : at_b;
}

/* A link begins with the most that both ends can do. OpenSM would set links down again whose MTU or
 * VLs are not those that it wants. */
static void come_up(struct port *a, struct port *b, const struct terms *t)
{
    uint64_t mtu = lesser(WIRE_PORT_INFO_MTU_CAP, a, b);
    uint64_t vls = lesser(WIRE_PORT_INFO_VL_CAP, a, b);

    come_up_end(a, t, mtu, vls);
    come_up_end(b, t, mtu, vls);
}

static void go_down(struct fabric *f, struct port *a, struct port *b)
{
    bool was_up = is_up(a);
    struct port *ends[] = {a, b};

    for (int i = 0; i < 2; i++) {
        rest(ends[i]);
        link_note(f, ends[i]);
        if (was_up && !port_node(f, ends[i])->dead)
            counters_add(ends[i], COUNTER_LINK_DOWNED, 1);
    }
    for (int i = 0; i < 2 && was_up; i++)
        announce(f, ends[i]);
}

/* Starts training, or ends it at once. The timer is that of the first of the two ports. */
static void train(struct fabric *f, struct port *a, struct port *b, const struct terms *t)
{
    struct port *timed = port_index(f, a) < port_index(f, b) ? a : b;

    if (f->config.training_ns == 0) {
        come_up(a, b, t);
        link_note(f, a);
        announce(f, a);
        announce(f, b);
        return;
    }
    if (timed->training)
        return;
    set_states(a, PORT_STATE_DOWN, PORT_PHYSICAL_TRAINING);
    set_states(b, PORT_STATE_DOWN, PORT_PHYSICAL_TRAINING);
    link_note(f, a);
    timed->training = flight_add(f, fabric_later(f, f->config.training_ns), FLIGHT_TRAINED,
                                 port_index(f, timed), NULL);
    WEFT_ASSERT(timed->training);
}

void link_update(struct fabric *f, struct port *p)
{
    struct port *peer = other_end(f, p);
    struct terms t;

    if (p->number == 0)
        return;
    if (!peer) {
        rest(p);
        link_note(f, p);
        return;
    }
    if (!can_be_up(f, p, peer, &t))
        go_down(f, p, peer);
    else if (!is_up(p))
        train(f, p, peer, &t);
}

void link_trained(struct fabric *f, struct port *p)
{
    struct port *peer = other_end(f, p);
    struct terms t;

    if (!p->training || !peer)
        return; /* something has brought the link down since */
    if (!can_be_up(f, p, peer, &t)) {
        go_down(f, p, peer);
        return;
    }
    come_up(p, peer, &t);
    link_note(f, p);
    announce(f, p);
    announce(f, peer);
}

void link_retrain(struct fabric *f, struct port *p)
{
    struct port *peer = other_end(f, p);

    if (p->number == 0)
        return;
    if (peer)
        go_down(f, p, peer);
    link_update(f, p);
}

bool link_carries(const struct fabric *f, const struct port *p, bool smp)
{
    const struct port *peer = other_end(f, p);

    if (!peer || p->number == 0)
        return false;
    if (smp)
        return port_get_state(p) >= PORT_STATE_INIT;
    return port_get_state(p) == PORT_STATE_ACTIVE && port_get_state(peer) == PORT_STATE_ACTIVE;
}

/* Port 0 of a switch has no link: it is always Active. */
static bool port0_state_allowed(enum port_state state, enum port_physical physical)
{
    return physical == PORT_PHYSICAL_NOP &&
           (state == PORT_STATE_NOP || state == PORT_STATE_ARMED || state == PORT_STATE_ACTIVE);
}

bool link_state_allowed(const struct fabric *f, const struct port *p, enum port_state state,
                        enum port_physical physical)
{
    enum port_state now = port_get_state(p);

    if (p->number == 0 && node_is_switch(port_node(f, p)))
        return port0_state_allowed(state, physical);
    if (physical > PORT_PHYSICAL_DISABLED)
        return false;
    switch (state) {
    case PORT_STATE_NOP:
    case PORT_STATE_DOWN:
        return true;
    case PORT_STATE_ARMED:
        return physical == PORT_PHYSICAL_NOP && (now == PORT_STATE_INIT || now == PORT_STATE_ARMED);
    case PORT_STATE_ACTIVE:
        return physical == PORT_PHYSICAL_NOP &&
               (now == PORT_STATE_ARMED || now == PORT_STATE_ACTIVE);
    case PORT_STATE_INIT:
        break;
    }
    return false;
}

static void activate(struct fabric *f, struct port *p)
{
    wire_set(WIRE_PORT_INFO_PORT_STATE, p->info, PORT_STATE_ACTIVE);
    link_note(f, p);
    trap_port_changed(f, p);
}

/* An Armed port becomes Active with the first packet of an Active neighbour (IBA 7.2.7), and a
 * neighbour has always something to send. */
static void raise_state(struct fabric *f, struct port *p, enum port_state state)
{
    struct port *peer = other_end(f, p);

    if (port_get_state(p) >= state)
        return;
    if (state == PORT_STATE_ARMED && port_get_state(peer) != PORT_STATE_ACTIVE) {
        wire_set(WIRE_PORT_INFO_PORT_STATE, p->info, PORT_STATE_ARMED);
        link_note(f, p);
        return;
    }
    activate(f, p);
    if (port_get_state(peer) == PORT_STATE_ARMED)
        activate(f, peer);
}

bool link_set_state(struct fabric *f, struct port *p, enum port_state state,
                    enum port_physical physical)
{
    if (!link_state_allowed(f, p, state, physical))
        return false;
    if (p->number == 0)
        return true;
    if (state == PORT_STATE_ARMED || state == PORT_STATE_ACTIVE) {
        raise_state(f, p, state);
        return true;
    }
    if (physical != PORT_PHYSICAL_NOP)
        p->disabled = physical == PORT_PHYSICAL_DISABLED;
    if (state == PORT_STATE_DOWN || physical != PORT_PHYSICAL_NOP)
        link_retrain(f, p);
    return true;
}

void link_init(struct port *p, const char *width, const char *speed)
{
    const struct speed_word *s = find_speed(speed);
    uint8_t widths = find_widths(width);

    p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_SUPPORTED] = widths;
    p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] = widths;
    wire_set(WIRE_PORT_INFO_LINK_SPEED_SUPPORTED, p->info, s->speeds);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_ENABLED, p->info, s->speeds);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, p->info, s->extended);
    wire_set(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, p->info, s->extended);
    wire_set(WIRE_PORT_INFO_LINK_DOWN_DEFAULT, p->info, PORT_PHYSICAL_POLLING);
    wire_set(WIRE_PORT_INFO_MTU_CAP, p->info, MTU_4096);
    wire_set(WIRE_PORT_INFO_NEIGHBOR_MTU, p->info, MTU_4096);
    wire_set(WIRE_PORT_INFO_VL_CAP, p->info, VLS_0_7);
    wire_set(WIRE_PORT_INFO_OPERATIONAL_VLS, p->info, VLS_0_7);
    rest(p);
}

void link_begin(struct port *a, struct port *b)
{
    struct terms t;

    if (agree(a, b, &t))
        come_up(a, b, &t);
}

void link_begin_active(struct fabric *f, struct port *p)
{
    wire_set(WIRE_PORT_INFO_PORT_STATE, p->info, PORT_STATE_ACTIVE);
    link_note(f, p);
}
