/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Traps: the notices that wait to be repressed, and when each is sent again. */
#include "fabric/trap.h"

#include "core/wire/mad_header.h"
#include "fabric/flight.h"
#include "fabric/forward.h"
#include "fabric/notice.h"

#include <string.h>

#define VERSION 1

/* The unit of SubnetTimeOut. */
#define TIMEOUT_UNIT_NS 4096

enum trap_state {
    TRAP_FREE,
    TRAP_WAITING, /* for a LID, an SM, an Active port */
    TRAP_DUE,     /* its timer runs: to be sent for the first time, or again */
    TRAP_QUIET    /* repressed; its timer runs until the next one of its kind may go */
};

/* A trap. */
struct trap {
    uint32_t next; /* of the same sender, or of the free ones: 1 + its slot, or 0 */
    uint32_t tid;
    uint8_t state; /* enum trap_state */
    bool sent;     /* at least once with these details */
    bool toggle;   /* in Get(Notice) */
    struct notice notice;
};

/* Room for every kind of trap at every port that may be told to raise it: the ten kinds; of a
 * switch's external port only 129 to 131 and 259, since the others are about port 0. */
#define TRAPS_PER_SENDER   10
#define TRAPS_PER_EXTERNAL 4

struct traps {
    struct timers timers;
    struct timer *heap;
    uint32_t *place;
    struct trap *slots;
    uint32_t *first; /* by sender: 1 + the slot of its first trap, or 0 */
    uint32_t capacity;
    uint32_t fresh; /* slots from here on were never used */
    uint32_t free;  /* 1 + the first free slot below, or 0 */
    uint32_t tid;   /* of the trap raised last */
};

static uint32_t count_traps(const struct fabric *f)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < f->node_count; i++) {
        const struct node *n = &f->nodes[i];

        count += node_is_switch(n) ? TRAPS_PER_SENDER + TRAPS_PER_EXTERNAL * (uint32_t)n->ports
                                   : TRAPS_PER_SENDER * (uint32_t)n->ports;
    }
    return count;
}

int traps_new(struct fabric *f)
{
    struct traps *t = fabric_take(f, 1, sizeof(*t));

    f->traps = t;
    if (!t)
        return WEFT_ERR_NOMEM;
    t->capacity = count_traps(f);
    t->heap = fabric_take(f, t->capacity, sizeof(*t->heap));
    t->place = fabric_take(f, t->capacity, sizeof(*t->place));
    t->slots = fabric_take(f, t->capacity, sizeof(*t->slots));
    t->first = fabric_take(f, f->port_count, sizeof(*t->first));
    if (!t->heap || !t->place || !t->slots || !t->first)
        return WEFT_ERR_NOMEM;
    timers_init(&t->timers, t->heap, t->place, t->capacity);
    return 0;
}

void traps_free(struct fabric *f)
{
    struct traps *t = f->traps;

    if (!t)
        return;
    fabric_give(f, t->heap, t->capacity, sizeof(*t->heap));
    fabric_give(f, t->place, t->capacity, sizeof(*t->place));
    fabric_give(f, t->slots, t->capacity, sizeof(*t->slots));
    fabric_give(f, t->first, f->port_count, sizeof(*t->first));
    fabric_give(f, t, 1, sizeof(*t));
    f->traps = NULL;
}

static uint32_t slot_of(const struct traps *t, const struct trap *trap)
{
    return (uint32_t)(trap - t->slots);
}

/* The trap that a link leads to. */
static struct trap *trap_at(const struct traps *t, uint32_t link)
{
    return link == 0 ? NULL : &t->slots[link - 1];
}

/* A sender's traps, in the order they were raised. */
static struct trap *first_trap(const struct fabric *f, const struct port *sender)
{
    return trap_at(f->traps, f->traps->first[port_index(f, sender)]);
}

/* The port that sends what is about a port. */
static struct port *sender_of(const struct fabric *f, const struct trap *trap)
{
    return port_with_lid(f, &f->ports[trap->notice.about]);
}

static bool is_security(const struct trap *trap)
{
    return trap->notice.trap >= TRAP_BAD_MKEY;
}

static bool is_repeated(const struct trap *trap)
{
    return trap->state == TRAP_WAITING || trap->state == TRAP_DUE;
}

/* Keeps the count of those that are repeated. */
static void set_state(struct fabric *f, struct trap *trap, enum trap_state state)
{
    bool before = is_repeated(trap);

    trap->state = (uint8_t)state;
    if (before != is_repeated(trap))
        f->stats.traps += before ? UINT32_MAX : 1;
}

static void arm(struct fabric *f, struct trap *trap, weft_time deadline)
{
    timers_arm(&f->traps->timers, slot_of(f->traps, trap), deadline);
    flight_add(f, deadline, FLIGHT_TRAP, 0, NULL);
}

static weft_time interval(const struct port *sender)
{
    uint64_t exponent = wire_get(WIRE_PORT_INFO_SUBNET_TIMEOUT, sender->info);
    weft_time ns = (weft_time)TIMEOUT_UNIT_NS << exponent;

    return ns < TRAP_INTERVAL_MIN_NS ? TRAP_INTERVAL_MIN_NS : ns;
}

/* Whether the sender can reach an SM. */
static bool is_ready(const struct port *sender)
{
    return port_lid(sender) != 0 && be16_at(sender->info + WIRE_AT_PORT_INFO_MASTER_SM_LID) != 0 &&
           port_get_state(sender) == PORT_STATE_ACTIVE;
}

static struct trap *find_trap(const struct fabric *f, const struct port *sender, uint16_t number,
                              uint32_t about)
{
    struct trap *trap = first_trap(f, sender);

    while (trap && (trap->notice.trap != number || trap->notice.about != about))
        trap = trap_at(f->traps, trap->next);
    return trap;
}

static void append(struct fabric *f, const struct port *sender, struct trap *trap)
{
    struct traps *t = f->traps;
    uint32_t *link = &t->first[port_index(f, sender)];

    while (*link != 0)
        link = &t->slots[*link - 1].next;
    trap->next = 0;
    *link = slot_of(t, trap) + 1;
}

static struct trap *take_slot(struct traps *t)
{
    struct trap *trap = trap_at(t, t->free);

    if (trap) {
        t->free = trap->next;
        return trap;
    }
    WEFT_ASSERT(t->fresh < t->capacity);
    return &t->slots[t->fresh++];
}

static void drop_trap(struct fabric *f, struct trap *trap)
{
    struct traps *t = f->traps;
    uint32_t *link = &t->first[port_index(f, sender_of(f, trap))];

    set_state(f, trap, TRAP_FREE);
    timers_disarm(&t->timers, slot_of(t, trap));
    while (*link != slot_of(t, trap) + 1)
        link = &t->slots[*link - 1].next;
    *link = trap->next;
    trap->next = t->free;
    t->free = slot_of(t, trap) + 1;
}

static void send_trap(struct fabric *f, const struct trap *trap, struct port *sender)
{
    struct packet p = {.dlid = be16_at(sender->info + WIRE_AT_PORT_INFO_MASTER_SM_LID),
                       .sl = (uint8_t)wire_get(WIRE_PORT_INFO_MASTER_SM_SL, sender->info)};

    mad_set_base_version(p.mad, VERSION);
    mad_set_class(p.mad, WEFT_CLASS_SUBN_LID);
    mad_set_class_version(p.mad, VERSION);
    mad_set_method(p.mad, WEFT_METHOD_TRAP);
    mad_set_tid(p.mad, trap->tid);
    mad_set_attr_id(p.mad, WEFT_ATTR_NOTICE);
    memcpy(p.mad + WIRE_AT_SMP_M_KEY, sender->info + WIRE_AT_PORT_INFO_M_KEY, 8);
    notice_write(f, &trap->notice, p.mad + WEFT_ATTRIBUTE_OFFSET);
    f->stats.traps_sent++;
    forward_send(f, sender, &p);
}

/* A transaction id for new details, so that what represses the old ones does not repress these. No
 * attachment has an upper half of 0. */
static uint32_t next_tid(struct traps *t)
{
    if (++t->tid == 0)
        t->tid = 1;
    return t->tid;
}

static void schedule(struct fabric *f, struct trap *trap, const struct port *sender)
{
    bool limited = is_security(trap) && (trap->state == TRAP_DUE || trap->state == TRAP_QUIET);

    if (limited) {
        set_state(f, trap, TRAP_DUE); /* the timer runs on */
    } else if (is_ready(sender)) {
        set_state(f, trap, TRAP_DUE);
        arm(f, trap, f->now);
    } else {
        set_state(f, trap, TRAP_WAITING);
    }
}

/* Whether a switch has one for each of its ports. */
static bool is_about_link(uint16_t number)
{
    return (number >= TRAP_LINK_INTEGRITY && number <= TRAP_WATCHDOG) ||
           number == TRAP_BAD_PKEY_SWITCH;
}

static void raise_trap(struct fabric *f, struct port *p, uint16_t number, uint8_t changes,
                       const struct packet *cause)
{
    struct port *sender = port_with_lid(f, p);
    uint32_t about = port_index(f, is_about_link(number) ? p : sender);
    struct trap *trap;

    WEFT_ASSERT(!cause == (number < TRAP_BAD_MKEY));
    if (port_node(f, p)->dead)
        return;
    trap = find_trap(f, sender, number, about);
    if (!trap) {
        trap = take_slot(f->traps);
        memset(trap, 0, sizeof(*trap));
        trap->notice.about = about;
        trap->notice.trap = number;
        append(f, sender, trap);
    }
    if (!is_repeated(trap)) {
        trap->notice.changes = 0;
        trap->toggle = !trap->toggle;
    }
    trap->notice.changes |= changes;
    trap->tid = next_tid(f->traps);
    if (cause)
        notice_set_cause(&trap->notice, p, cause);
    schedule(f, trap, sender);
}

void trap_raise(struct fabric *f, struct port *p, enum trap_number number,
                const struct packet *cause)
{
    raise_trap(f, p, (uint16_t)number, 0, cause);
}

void trap_raise_changed(struct fabric *f, struct port *p, uint8_t changes)
{
    raise_trap(f, p, TRAP_CAPABILITY, changes, NULL);
}

void trap_port_changed(struct fabric *f, struct port *p)
{
    struct port *sender = port_with_lid(f, p);
    struct trap *trap = first_trap(f, sender);

    if (!trap || !is_ready(sender))
        return;
    for (; trap; trap = trap_at(f->traps, trap->next)) {
        if (trap->state != TRAP_WAITING)
            continue;
        set_state(f, trap, TRAP_DUE);
        arm(f, trap, f->now);
    }
}

/* Ends the repetition. One of a kind that is limited is remembered until the next may go. */
static void end_trap(struct fabric *f, struct trap *trap)
{
    if (is_security(trap) && trap->state == TRAP_DUE && trap->sent)
        set_state(f, trap, TRAP_QUIET);
    else
        drop_trap(f, trap);
}

bool trap_repress(struct fabric *f, struct port *at, const struct packet *p)
{
    uint64_t tid = mad_tid(p->mad);
    struct trap *trap = first_trap(f, port_with_lid(f, at));

    while (trap && !(is_repeated(trap) && trap->tid == tid))
        trap = trap_at(f->traps, trap->next);
    if (!trap)
        return false;
    end_trap(f, trap);
    return true;
}

/* The first trap of a queue that is still being repeated. */
static struct trap *queue_head(const struct fabric *f, const struct port *at)
{
    struct trap *trap = first_trap(f, port_with_lid(f, at));

    while (trap && !is_repeated(trap))
        trap = trap_at(f->traps, trap->next);
    return trap;
}

void trap_get_notice(const struct fabric *f, const struct port *at, uint8_t *data)
{
    const struct trap *head = queue_head(f, at);
    uint32_t count = 0;

    if (!head) {
        notice_write_empty(data);
        return;
    }
    notice_write(f, &head->notice, data);
    for (const struct trap *trap = head; trap; trap = trap_at(f->traps, trap->next))
        count += is_repeated(trap);
    wire_set(WIRE_NOTICE_TOGGLE, data, head->toggle);
    wire_set(WIRE_NOTICE_COUNT, data, count);
}

void trap_set_notice(struct fabric *f, struct port *at, const uint8_t *data)
{
    struct trap *head = queue_head(f, at);

    if (head && wire_be16(data + WIRE_AT_NOTICE_TRAP) == head->notice.trap &&
        wire_get(WIRE_NOTICE_TOGGLE, data) == head->toggle)
        end_trap(f, head);
}

static void trap_is_due(struct fabric *f, struct trap *trap)
{
    struct port *sender = sender_of(f, trap);

    if (trap->state == TRAP_QUIET || port_node(f, sender)->dead) {
        drop_trap(f, trap);
        return;
    }
    if (!is_ready(sender)) {
        set_state(f, trap, TRAP_WAITING);
        return;
    }
    trap->sent = true;
    arm(f, trap, fabric_later(f, interval(sender)));
    send_trap(f, trap, sender);
}

void trap_due(struct fabric *f)
{
    struct timers *timers = &f->traps->timers;
    weft_time deadline;
    uint32_t i;

    while (timers_pop(timers, f->now, &i))
        trap_is_due(f, &f->traps->slots[i]);
    deadline = timers_deadline(timers);
    if (deadline != WEFT_TIME_NEVER)
        flight_add(f, deadline, FLIGHT_TRAP, 0, NULL);
}
