/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cables at other ports than before. */
#include "fabric/plug.h"

#include "fabric/link.h"

#include <stdio.h>

/* The cable that a port was built with, or has. */
static bool is_first_end(const struct fabric *f, const struct port *p, uint32_t peer)
{
    return peer != FABRIC_NONE && port_index(f, p) < peer;
}

uint8_t plug_changes(const struct fabric *f, const struct port *p)
{
    uint8_t changes = 0;

    if (p->peer == p->built_peer)
        return 0;
    if (is_first_end(f, p, p->built_peer))
        changes |= PLUG_REMOVED;
    if (is_first_end(f, p, p->peer))
        changes |= PLUG_ADDED;
    return changes;
}

/* Commands that two ports take. */
static uint32_t changes_of(const struct fabric *f, const struct port *a, const struct port *b)
{
    static const uint8_t count[] = {0, 1, 1, 2};

    return count[plug_changes(f, a)] + (uint32_t)count[plug_changes(f, b)];
}

static int refuse(const struct fabric *f, uint32_t port, const char *why, int err,
                  struct fabric_error *error)
{
    const struct port *p = &f->ports[port];
    char name[4 * TOPO_NAME_BYTES] = "";
    struct wire_text text = {.out = name, .cap = sizeof(name)};

    words_quote(&text, port_node(f, p)->name);
    wire_text_end(&text);
    snprintf(error->text, sizeof(error->text), "port %d of %.80s %s", p->number, name, why);
    return err;
}

int plug_check(const struct fabric *f, const struct command *c, struct fabric_error *error)
{
    bool has = f->ports[c->port].peer != FABRIC_NONE;

    if (c->verb == COMMAND_CABLE_ADD && c->port == c->other)
        return refuse(f, c->port, "would be both ends of the cable: it needs two ports",
                      WEFT_ERR_CONFLICT, error);
    if (c->verb != COMMAND_CABLE_ADD && !has)
        return refuse(f, c->port, "has no cable: cable PORT add PORT plugs one in",
                      WEFT_ERR_NOTFOUND, error);
    if (c->verb == COMMAND_CABLE_ADD && has)
        return refuse(f, c->port, "has a cable already: move or remove that one first",
                      WEFT_ERR_CONFLICT, error);
    if (c->verb != COMMAND_CABLE_REMOVE && f->ports[c->other].peer != FABRIC_NONE)
        return refuse(f, c->other, "has a cable already: take a free port, or remove that one",
                      WEFT_ERR_CONFLICT, error);
    return 0;
}

static void join(struct fabric *f, struct port *a, struct port *b)
{
    uint32_t before = changes_of(f, a, b);

    a->peer = port_index(f, b);
    b->peer = port_index(f, a);
    link_note(f, a);
    f->broken += changes_of(f, a, b);
    f->broken -= before;
    link_update(f, a);
}

/* The link goes down as if somebody had pulled the cable; then there is none. */
static void part(struct fabric *f, struct port *a, struct port *b)
{
    uint32_t before = changes_of(f, a, b);

    f->broken -= a->cut;
    a->cut = b->cut = true;
    link_update(f, a);
    a->cut = b->cut = false;
    a->peer = b->peer = FABRIC_NONE;
    link_note(f, a);
    link_note(f, b);
    f->broken += changes_of(f, a, b);
    f->broken -= before;
}

static void end_wear(struct port *p)
{
    p->cable_width = p->cable_speed = p->cable_speed_ext = 0;
}

static void end_faults(struct fabric *f, const struct port *p)
{
    const struct fault what = {
        .kind = FAULT_KINDS, .place = FAULT_ON_PORT, .where = port_index(f, p)};

    fault_end(f, &what);
}

static void take_away(struct fabric *f, struct port *a, struct port *b)
{
    part(f, a, b);
    f->broken -= a->cable_width != 0;
    end_wear(a);
    end_wear(b);
    end_faults(f, a);
    end_faults(f, b);
}

static void move(struct fabric *f, struct port *far, struct port *from, struct port *to)
{
    part(f, far, from);
    to->cable_width = from->cable_width;
    to->cable_speed = from->cable_speed;
    to->cable_speed_ext = from->cable_speed_ext;
    end_wear(from);
    fault_move(f, port_index(f, from), port_index(f, to));
    join(f, far, to);
}

void plug_do(struct fabric *f, const struct command *c)
{
    struct port *p = &f->ports[c->port];

    if (c->verb == COMMAND_CABLE_ADD)
        join(f, p, &f->ports[c->other]);
    else if (c->verb == COMMAND_CABLE_REMOVE)
        take_away(f, p, &f->ports[p->peer]);
    else
        move(f, &f->ports[p->peer], p, &f->ports[c->other]);
}
