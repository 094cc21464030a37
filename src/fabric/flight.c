/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scheduler: one timer queue over packets under way and the fabric's own timers. */
#include "fabric/flight.h"

#include "core/base/pool.h"
#include "fabric/deliver.h"
#include "fabric/forward.h"
#include "fabric/link.h"
#include "fabric/mkey.h"
#include "fabric/multicast.h"
#include "fabric/script.h"
#include "fabric/trap.h"

/* A packet under way. The first two words are the pool's. */
struct flight {
    uint32_t link, generation;
    enum flight_kind kind;
    uint32_t port;
    struct packet packet;
};

/* Timer ids: the slots of packets, then FLIGHT_TRAINED and FLIGHT_LEASE of each port, then
 * FLIGHT_TRAP and FLIGHT_SCRIPT. */
struct flights {
    struct timers timers;
    struct timer *heap;
    uint32_t *place;
    struct pool pool;
    struct flight *slots;
    uint32_t ids;
};

int flights_new(struct fabric *f)
{
    struct flights *s = fabric_take(f, 1, sizeof(*s));

    if (!s)
        return WEFT_ERR_NOMEM;
    f->flights = s;
    s->ids = f->config.flights + 2 * f->port_count + 2;
    s->heap = fabric_take(f, s->ids, sizeof(*s->heap));
    s->place = fabric_take(f, s->ids, sizeof(*s->place));
    s->slots = fabric_take(f, f->config.flights, sizeof(*s->slots));
    if (!s->heap || !s->place || !s->slots) {
        flights_free(f);
        return WEFT_ERR_NOMEM;
    }
    timers_init(&s->timers, s->heap, s->place, s->ids);
    pool_init(&s->pool, s->slots, sizeof(*s->slots), f->config.flights);
    return 0;
}

void flights_free(struct fabric *f)
{
    struct flights *s = f->flights;

    if (!s)
        return;
    fabric_give(f, s->slots, f->config.flights, sizeof(*s->slots));
    fabric_give(f, s->place, s->ids, sizeof(*s->place));
    fabric_give(f, s->heap, s->ids, sizeof(*s->heap));
    fabric_give(f, s, 1, sizeof(*s));
    f->flights = NULL;
}

static uint32_t timer_id(const struct fabric *f, enum flight_kind kind, uint32_t port)
{
    switch (kind) {
    case FLIGHT_TRAINED:
        return f->config.flights + port;
    case FLIGHT_LEASE:
        return f->config.flights + f->port_count + port;
    case FLIGHT_TRAP:
        return f->flights->ids - 2;
    case FLIGHT_SCRIPT:
        return f->flights->ids - 1;
    case FLIGHT_ARRIVE:
    case FLIGHT_SERVED:
        break;
    }
    return POOL_NONE;
}

static bool add_packet(struct fabric *f, weft_time at, enum flight_kind kind, uint32_t port,
                       const struct packet *packet)
{
    struct flights *s = f->flights;
    struct flight *flight = pool_take(&s->pool);

    if (!flight) {
        fabric_drop(f, &f->ports[port], packet, DROP_FLIGHTS);
        return false;
    }
    flight->kind = kind;
    flight->port = port;
    flight->packet = *packet;
    if (kind == FLIGHT_ARRIVE)
        multicast_flies(f, packet);
    timers_arm(&s->timers, pool_slot(&s->pool, flight), at);
    f->stats.flights = s->pool.used;
    return true;
}

bool flight_add(struct fabric *f, weft_time at, enum flight_kind kind, uint32_t port,
                const struct packet *packet)
{
    struct timers *t = &f->flights->timers;
    uint32_t id;

    WEFT_ASSERT(at >= f->now && port < f->port_count);
    if (packet)
        return add_packet(f, at, kind, port, packet);
    id = timer_id(f, kind, port);
    WEFT_ASSERT(id != POOL_NONE);
    if ((kind == FLIGHT_TRAP || kind == FLIGHT_SCRIPT) && timers_armed(t, id) &&
        t->heap[t->place[id] - 1].deadline <= at)
        return true;
    timers_arm(t, id, at);
    return true;
}

/* Takes the packet out first, so that what becomes of it finds the entry free. */
static void run_packet(struct fabric *f, uint32_t slot)
{
    struct flights *s = f->flights;
    struct flight *flight = pool_at(&s->pool, slot);
    struct port *at = &f->ports[flight->port];
    enum flight_kind kind = flight->kind;
    struct packet p = flight->packet, flown = p;

    pool_give(&s->pool, flight);
    f->stats.flights = s->pool.used;
    if (kind == FLIGHT_SERVED) {
        deliver_served(f, at, &p);
        return;
    }
    forward_arrive(f, at, &p);
    multicast_landed(f, &flown);
}

void flights_run(struct fabric *f)
{
    struct flights *s = f->flights;
    uint32_t id;

    while (f->work_left > 0 && timers_pop(&s->timers, f->now, &id)) {
        fabric_work(f);
        if (id < f->config.flights)
            run_packet(f, id);
        else if (id == s->ids - 1)
            script_due(f);
        else if (id == s->ids - 2)
            trap_due(f);
        else if (id - f->config.flights < f->port_count)
            link_trained(f, &f->ports[id - f->config.flights]);
        else
            mkey_lease_ended(f, &f->ports[id - f->config.flights - f->port_count]);
    }
}

weft_time flights_deadline(const struct fabric *f)
{
    return timers_deadline(&f->flights->timers);
}
