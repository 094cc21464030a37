/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The shared rings and their bells.
 *
 * Who sleeps sets a word and then looks at the ring; who puts a packet in then looks at the word.
 * All four accesses are sequentially consistent, so at least one side sees the other's. */
#include "channel/rings.h"

#include "channel/protocol.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static_assert((RINGS_SLOTS & (RINGS_SLOTS - 1)) == 0, "positions are taken modulo this");
static_assert(RINGS_SLOTS / 2 % RINGS_READ_TOLD == 0, "half a ring is said");
static_assert(sizeof(struct ring) == 128 + sizeof(struct packet) * RINGS_SLOTS, "documented");
static_assert(sizeof(struct rings) == 192 + 2 * sizeof(struct ring), "documented layout");

/* Slots from the one in use to the one that is fetched. */
#define AHEAD      3
#define CACHE_LINE 64

/* Packets in the ring as its writer sees it; beyond the ring's size when the reader lies. */
static uint32_t ring_used(const struct ring *r)
{
    return atomic_load_explicit(&r->written, memory_order_relaxed) - atomic_load(&r->read);
}

bool ring_has_room(struct ring *r)
{
    uint32_t written = atomic_load_explicit(&r->written, memory_order_relaxed);

    if (written - r->read_seen < RINGS_SLOTS)
        return true;
    r->read_seen = atomic_load(&r->read);
    return written - r->read_seen < RINGS_SLOTS;
}

/* Fetches the lines of a slot, which the other side's processor has, while others are used. */
static void slot_fetch(const struct packet *p, bool write)
{
    for (size_t i = 0; i < sizeof(*p); i += CACHE_LINE) {
        if (write)
            __builtin_prefetch((const char *)p + i, 1);
        else
            __builtin_prefetch((const char *)p + i, 0);
    }
}

/* By lines: a compiler that makes one string instruction of it waits for each line in turn. */
static void slot_copy(struct packet *to, const struct packet *from)
{
    for (size_t i = 0; i < sizeof(*to); i += CACHE_LINE)
        memcpy((char *)to + i, (const char *)from + i, CACHE_LINE);
}

bool ring_put(struct ring *r, const struct packet *p)
{
    uint32_t written = atomic_load_explicit(&r->written, memory_order_relaxed);

    if (!ring_has_room(r))
        return false;
    slot_fetch(&r->slots[(written + AHEAD) % RINGS_SLOTS], true);
    slot_copy(&r->slots[written % RINGS_SLOTS], p);
    atomic_store(&r->written, written + 1);
    return true;
}

int ring_take(struct ring *r, uint32_t *own, struct packet *ret)
{
    uint32_t waiting = r->written_seen - *own;

    if (waiting == 0 || waiting > RINGS_SLOTS) {
        r->written_seen = atomic_load(&r->written);
        waiting = r->written_seen - *own;
    }
    if (waiting == 0)
        return 0;
    if (waiting > RINGS_SLOTS)
        return WEFT_ERR_FORMAT;
    if (waiting > AHEAD)
        slot_fetch(&r->slots[(*own + AHEAD) % RINGS_SLOTS], false);
    slot_copy(ret, &r->slots[*own % RINGS_SLOTS]);
    *own += 1;
    if (waiting == 1 || *own % RINGS_READ_TOLD == 0)
        atomic_store(&r->read, *own);
    return 1;
}

bool ring_waiting(const struct ring *r, uint32_t own)
{
    return atomic_load(&r->written) != own;
}

bool ring_ask_room(struct ring *r)
{
    atomic_store(&r->wants_room, 1);
    if (ring_used(r) > RINGS_SLOTS / 2)
        return true;
    atomic_store(&r->wants_room, 0);
    return false;
}

bool ring_owes_bell(struct ring *r)
{
    return atomic_load(&r->wants_room) != 0 && ring_used(r) <= RINGS_SLOTS / 2 &&
           atomic_exchange(&r->wants_room, 0) != 0;
}

void rings_init(struct rings *r)
{
    memset(r, 0, sizeof(*r));
}

void bell_ring(int bell)
{
    uint64_t one = 1;

    /* A bell that is full has rung. */
    while (write(bell, &one, sizeof(one)) < 0 && errno == EINTR)
        continue;
}

void bell_hush(int bell)
{
    uint64_t rung[64];
    ssize_t got;

    /* A pipe holds more than one read takes only when somebody has played with it. */
    do
        got = read(bell, rung, sizeof(rung));
    while (got == (ssize_t)sizeof(rung) || (got < 0 && errno == EINTR));
}

bool rings_send(struct rings *r, int bell, const struct packet *p)
{
    if (!ring_put(&r->to_daemon, p) &&
        (ring_ask_room(&r->to_daemon) || !ring_put(&r->to_daemon, p)))
        return false;
    if (atomic_load(&r->daemon_asleep) != 0 && atomic_exchange(&r->daemon_asleep, 0) != 0)
        bell_ring(bell);
    return true;
}

int rings_receive(struct rings *r, int bell, uint32_t *own, struct packet *ret)
{
    int taken = ring_take(&r->to_client, own, ret);

    if (taken == 1 && ring_owes_bell(&r->to_client))
        bell_ring(bell);
    return taken;
}

bool rings_sleep(struct rings *r, uint32_t own)
{
    atomic_store(&r->client_asleep, 1);
    if (!ring_waiting(&r->to_client, own) && atomic_load(&r->closed) == 0)
        return true;
    atomic_store(&r->client_asleep, 0);
    return false;
}

void rings_wake(struct rings *r)
{
    atomic_store_explicit(&r->client_asleep, 0, memory_order_relaxed);
}
