/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hot path. Who is active is looked at in each round; who has been silent for a while is told
 * so (`daemon_asleep`) and rings its bell when it has something again. So a round costs what the
 * busy clients cost, however many others there are. */
#include "host/pump.h"

#include "host/client.h"

/* Packets that one client may send before the others have their turn. */
#define PUMP_BATCH     32
/* A client is looked at for so long after its last packet. */
#define PUMP_SILENT_NS (200 * WEFT_US)
/* A client's ring must have room for so many answers, or its requests wait. */
#define PUMP_ROOM      8

/* A bell waits for so long at most while there is more to answer. */
#define PUMP_RING_NS (100 * WEFT_US)

/* Whether there is room for answers. */
static bool pump_has_room(const struct client *c)
{
    const struct ring *r = &c->rings->to_client;

    return atomic_load_explicit(&r->written, memory_order_relaxed) -
               atomic_load_explicit(&r->read, memory_order_acquire) <=
           RINGS_SLOTS - PUMP_ROOM;
}

/* Whether something can be taken from a client. */
static bool pump_can_take(const struct client *c)
{
    return ring_waiting(&c->rings->to_daemon, c->taken) && pump_has_room(c);
}

static void pump_put(struct client *c, const struct packet *p)
{
    struct server *s = c->server;
    bool put;

    if (c->rings) {
        put = ring_put(&c->rings->to_client, p);
        if (put && list_empty(&c->ringing)) {
            c->owed_at = s->round_at;
            list_push_back(&s->ringing, &c->ringing);
        }
    } else {
        struct message_packet m;

        message_begin(&m, MESSAGE_PACKET);
        m.packet = *p;
        put = message_send(c->socket, &m, sizeof(m), NULL) == 0;
    }
    if (put) {
        c->packets_out++;
        s->stats.packets_out++;
    } else {
        c->receiver_full++;
        s->stats.receiver_full++;
    }
}

void pump_deliver(struct server *s)
{
    struct fabric_delivery d;

    while (fabric_poll(s->fabric, &d)) {
        struct client *c = client_at(s, d.to);

        if (c)
            pump_put(c, d.packet);
    }
}

/* Whether a client's bell may wait: more than a batch of its requests is here still, which the
 * rounds to come will answer. Ringing is a system call that wakes somebody, and who is woken for a
 * few answers has soon taken them and sleeps again. */
static bool pump_bell_waits(const struct server *s, const struct client *c)
{
    uint32_t left =
        atomic_load_explicit(&c->rings->to_daemon.written, memory_order_relaxed) - c->taken;

    return s->round_at - c->owed_at < PUMP_RING_NS && !list_empty(&c->active) &&
           left > PUMP_BATCH && left <= RINGS_SLOTS && pump_has_room(c);
}

void pump_ring(struct server *s)
{
    struct list_node *n, *next;

    for (n = s->ringing.next; n != &s->ringing; n = next) {
        struct client *c = WEFT_CONTAINER_OF(n, struct client, ringing);

        next = n->next;
        if (pump_bell_waits(s, c))
            continue;
        list_remove(n);
        if (atomic_load(&c->rings->client_asleep) != 0 &&
            atomic_exchange(&c->rings->client_asleep, 0) != 0) {
            s->stats.bells++;
            bell_ring(c->client_bell);
        }
    }
}

uint32_t pump_client(struct client *c, uint32_t count)
{
    struct server *s = c->server;
    uint32_t done = 0;
    int err = 0;

    while (done < count && pump_has_room(c)) {
        struct packet p;
        int taken = ring_take(&c->rings->to_daemon, &c->taken, &p);

        if (taken == 0)
            break;
        if (taken < 0) {
            client_throw(c, taken, "the positions in the shared memory are wrong");
            return done;
        }
        done++;
        c->packets_in++;
        s->stats.packets_in++;
        err = fabric_send(s->fabric, s->now, c->at, &p);
        if (err)
            break;
        pump_deliver(s);
    }
    if (err)
        client_throw(
            c, err,
            "packet %llu cannot be sent: the upper half of its transaction id is not of the "
            "range in WELCOME",
            (unsigned long long)c->packets_in);
    else if (done > 0 && ring_owes_bell(&c->rings->to_daemon))
        bell_ring(c->client_bell);
    return done;
}

void pump_activate(struct client *c, weft_time clock)
{
    if (!c->rings || c->leaving)
        return;
    c->heard_at = clock;
    atomic_store_explicit(&c->rings->daemon_asleep, 0, memory_order_relaxed);
    if (list_empty(&c->active))
        list_push_back(&c->server->active, &c->active);
}

/* Stops looking at a client's ring.
 * @return false: there is something in it */
static bool pump_retire(struct client *c)
{
    struct rings *r = c->rings;

    atomic_store(&r->daemon_asleep, 1);
    /* Who has no room for answers is waited for, whatever it has sent. */
    if (pump_can_take(c) ||
        (ring_waiting(&r->to_daemon, c->taken) && !ring_ask_room(&r->to_client))) {
        atomic_store_explicit(&r->daemon_asleep, 0, memory_order_relaxed);
        return false;
    }
    list_remove(&c->active);
    return true;
}

bool pump_round(struct server *s, weft_time clock)
{
    bool found = false;
    struct list_node *n, *next;

    s->round_at = clock;
    server_tick(s, clock);
    for (n = s->active.next; n != &s->active; n = next) {
        struct client *c = WEFT_CONTAINER_OF(n, struct client, active);

        next = n->next;
        if (ring_waiting(&c->rings->to_daemon, c->taken) && pump_client(c, PUMP_BATCH) > 0) {
            c->heard_at = clock;
            found = true;
            continue;
        }
        if (!c->leaving && clock - c->heard_at > PUMP_SILENT_NS)
            (void)pump_retire(c);
    }
    if (fabric_deadline(s->fabric) <= s->now) {
        (void)fabric_advance(s->fabric, s->now);
        pump_deliver(s);
        found = true;
    }
    pump_ring(s);
    return found;
}

bool pump_sleep(struct server *s)
{
    struct list_node *n;

    while ((n = list_first(&s->active)))
        if (!pump_retire(WEFT_CONTAINER_OF(n, struct client, active)))
            return false;
    return true;
}
