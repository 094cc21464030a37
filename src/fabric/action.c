/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What commands do to the fabric. */
#include "fabric/command.h"
#include "fabric/counters.h"
#include "fabric/functions.h"
#include "fabric/lie.h"
#include "fabric/link.h"
#include "fabric/names.h"
#include "fabric/plug.h"
#include "fabric/pma.h"
#include "fabric/script.h"
#include "fabric/trap.h"
#include "fabric/words.h"

#include <stdio.h>
#include <string.h>

static struct port *other_end(const struct fabric *f, const struct port *p)
{
    WEFT_ASSERT(p->peer != FABRIC_NONE);
    return &f->ports[p->peer];
}

/* Counts what begins or ends besides the faults in their pool; it is what it was otherwise. */
static void count_broken(struct fabric *f, bool was, bool is)
{
    f->broken += is;
    f->broken -= was;
}

static void cut(struct fabric *f, struct port *p, bool on)
{
    count_broken(f, p->cut, on);
    p->cut = on;
    other_end(f, p)->cut = on;
    link_update(f, p);
}

static void wear(struct fabric *f, struct port *p, const struct command *c)
{
    struct port *const ends[] = {p, other_end(f, p)};

    count_broken(f, p->cable_width != 0, c->width != 0);
    for (int i = 0; i < 2; i++) {
        ends[i]->cable_width = c->width;
        ends[i]->cable_speed = c->speed;
        ends[i]->cable_speed_ext = c->speed_ext;
    }
    link_retrain(f, p);
}

static void die(struct fabric *f, struct node *n, bool on)
{
    count_broken(f, n->dead, on);
    n->dead = on;
    for (unsigned i = 1; i <= n->ports; i++)
        link_update(f, node_port(f, n, (uint8_t)i));
}

/* Faults of a command: one, or one for each direction of a link, which must have its cable. */
static unsigned faults_of(const struct fabric *f, const struct command *c, struct fault ret[2])
{
    unsigned count = 0;

    if (c->fault.place != FAULT_ON_PORT) {
        ret[0] = c->fault;
        return 1;
    }
    if (f->ports[c->fault.where].peer == FABRIC_NONE)
        return 0;
    if (c->out)
        ret[count++] = c->fault;
    if (c->in) {
        ret[count] = c->fault;
        ret[count++].where = f->ports[c->fault.where].peer;
    }
    return count;
}

uint32_t command_faults(const struct fabric *f, const struct command *c)
{
    struct fault faults[2];
    unsigned count;
    uint32_t fresh = 0;

    if (c->verb != COMMAND_BEGIN)
        return 0;
    count = faults_of(f, c, faults);
    for (unsigned i = 0; i < count; i++)
        fresh += fault_in_force(f, &faults[i]) ? 0 : 1;
    return fresh;
}

static void begin_or_end(struct fabric *f, const struct command *c)
{
    struct fault faults[2];
    unsigned count = faults_of(f, c, faults);

    for (unsigned i = 0; i < count; i++) {
        if (c->verb == COMMAND_END) {
            fault_end(f, &faults[i]);
        } else {
            int err = fault_begin(f, &faults[i]);

            WEFT_ASSERT(err == 0);
            (void)err;
        }
    }
}

/* A trap of a broken key tells of a packet: one from the port to itself stands in for it. */
static void raise_by_hand(struct fabric *f, struct port *p, enum trap_number number)
{
    const struct port *holder = port_with_lid(f, p);
    struct packet cause = {.slid = port_lid(holder), .dlid = port_lid(holder)};

    cause.mad[WIRE_AT_MAD_BASE_VERSION] = 1;
    cause.mad[WIRE_AT_MAD_CLASS] = WEFT_CLASS_SUBN_LID;
    cause.mad[WIRE_AT_MAD_CLASS_VERSION] = 1;
    cause.mad[WIRE_AT_MAD_METHOD] = WEFT_METHOD_GET;
    trap_raise(f, p, number, number >= TRAP_BAD_MKEY ? &cause : NULL);
}

/* The new NodeDescription, of which the SM is told (trap 144) by each port that it may manage. */
static void rename_node(struct fabric *f, struct node *n, const char *name)
{
    names_change(f, n, name);
    for (unsigned i = 0; i <= n->ports; i++) {
        struct port *p = node_port(f, n, (uint8_t)i);

        if (node_is_switch(n) ? i == 0 : p->peer != FABRIC_NONE)
            trap_raise_changed(f, p, TRAP_CHANGED_NODE_DESC);
    }
}

/* What the PMA of a node answers, and when. */
static void change_pma(struct fabric *f, struct node *n, uint8_t lacks, weft_time takes)
{
    f->broken -= pma_changes(n);
    n->pma_lacks = lacks;
    n->pma_ns = takes;
    f->broken += pma_changes(n);
}

/* Whether the link that a command is about has no cable by now. */
static bool lacks_cable(const struct fabric *f, const struct command *c)
{
    bool on_link =
        c->verb == COMMAND_CUT || c->verb == COMMAND_WEAR ||
        ((c->verb == COMMAND_BEGIN || c->verb == COMMAND_END) && c->fault.place == FAULT_ON_PORT);

    return on_link && f->ports[c->port].peer == FABRIC_NONE;
}

static int do_virtual(struct fabric *f, const struct command *c, struct fabric_error *error)
{
    int err = functions_assign(f, &f->ports[c->port], c->function, c->number, c->key);

    if (err != 0)
        snprintf(error->text, sizeof(error->text),
                 "the function has this P_Key or this entry already, and may have no two "
                 "(--vf-strict): unassign it first");
    return err;
}

static int do_cable(struct fabric *f, const struct command *c, struct fabric_error *error)
{
    int err = plug_check(f, c, error);

    if (err == 0)
        plug_do(f, c);
    return err;
}

/* What a node's agents are from now on. */
static void do_agents(struct fabric *f, const struct command *c, struct node *n)
{
    if (c->verb == COMMAND_PMA)
        change_pma(f, n, (uint8_t)((n->pma_lacks & ~c->number) | c->key), n->pma_ns);
    else if (c->verb == COMMAND_PMA_TIME)
        change_pma(f, n, n->pma_lacks, c->value);
    else if (c->verb == COMMAND_PMA_RESTORE)
        change_pma(f, n, 0, 0);
    else if (c->verb == COMMAND_LIE)
        lie_begin(f, n, (enum lie)c->number, c->other);
    else
        lie_end_all(f, n);
}

int command_do(struct fabric *f, const struct command *c, struct fabric_error *error)
{
    struct node *n = &f->nodes[c->node];
    struct port *p = &f->ports[c->port];

    if (lacks_cable(f, c)) {
        snprintf(error->text, sizeof(error->text), "the port has no cable any more");
        return WEFT_ERR_NOTFOUND;
    }
    switch (c->verb) {
    case COMMAND_NOTHING:
        break;
    case COMMAND_CUT:
        cut(f, p, c->on);
        break;
    case COMMAND_WEAR:
        wear(f, p, c);
        break;
    case COMMAND_DIE:
        die(f, n, c->on);
        break;
    case COMMAND_BEGIN:
    case COMMAND_END:
        begin_or_end(f, c);
        break;
    case COMMAND_CLEAR:
        faults_clear(f);
        break;
    case COMMAND_CANCEL:
        script_cancel(f, c->value);
        break;
    case COMMAND_SA_BUSY:
        count_broken(f, n->sa_busy, c->on);
        n->sa_busy = c->on;
        break;
    case COMMAND_COUNTER_SET:
        counters_set(f, p, (enum counter)c->number, c->value);
        break;
    case COMMAND_COUNTER_ADD:
        counters_add(p, (enum counter)c->number, c->value);
        break;
    case COMMAND_TRAP:
        raise_by_hand(f, p, (enum trap_number)c->number);
        break;
    case COMMAND_PKEY:
        functions_write_pkeys(f, p, c->number, &c->key, 1);
        break;
    case COMMAND_NAME:
        rename_node(f, n, c->name);
        break;
    case COMMAND_VF:
        return do_virtual(f, c, error);
    case COMMAND_VF_SMP:
        functions_let_send_smps(f, p, c->function, c->on);
        break;
    case COMMAND_CABLE_ADD:
    case COMMAND_CABLE_MOVE:
    case COMMAND_CABLE_REMOVE:
        return do_cable(f, c, error);
    case COMMAND_PMA:
    case COMMAND_PMA_TIME:
    case COMMAND_PMA_RESTORE:
    case COMMAND_LIE:
    case COMMAND_TRUTH:
        do_agents(f, c, n);
        break;
    }
    return 0;
}

/* A cable that is plugged in does nothing while a port is disabled: only a Set of its PortInfo
 * changes that, as on real devices. */
void command_remark(const struct fabric *f, const struct command *c, struct fabric_error *ret)
{
    const struct port *p = &f->ports[c->port];
    char name[4 * TOPO_NAME_BYTES] = "";
    struct wire_text text = {.out = name, .cap = sizeof(name)};

    if ((c->verb != COMMAND_CUT || c->on) && c->verb != COMMAND_CABLE_ADD &&
        c->verb != COMMAND_CABLE_MOVE)
        return;
    if (c->verb == COMMAND_CABLE_MOVE)
        p = &f->ports[c->other];
    if (p->peer == FABRIC_NONE)
        return; /* it was refused */
    if (!p->disabled)
        p = other_end(f, p);
    if (!p->disabled)
        return;
    words_quote(&text, port_node(f, p)->name);
    wire_text_end(&text);
    snprintf(ret->text, sizeof(ret->text),
             "the cable is in, but port %d of %.80s was disabled by an SM or ibportstate: the link "
             "stays down until weft run --node NODE -- ibportstate -D 0 %d enable, on that node",
             p->number, name, p->number);
}
