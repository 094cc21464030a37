/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The shared memory of one client: a ring of packets each way, and the bells that wake a sleeper.
 *
 * With WELCOME come three descriptors: the client's memory (struct rings, sealed against resizing),
 * the daemon's bell (an eventfd, which the client rings) and the client's bell (the reading end of
 * a pipe: an eventfd is one open file for both sides, and a client that made it blocking could make
 * the daemon wait). Each ring has one writer and one reader. Each side trusts only its own
 * positions: what it reads from the other side is checked for being at most a ring ahead, and
 * packets are copied out before they are looked at. Positions count up without bound and are taken
 * modulo the ring's size.
 *
 * A side that finds nothing spins for a short while, then says so in its `asleep` word, looks once
 * more, and sleeps on its bell. The other side rings the bell only when that word is set, and
 * clears it: a busy pair makes no system calls. The daemon sets `daemon_asleep` of each client for
 * itself: it does not look at the rings of those who have been silent for a while.
 *
 * A writer that finds no room sets `wants_room`, looks once more, and is rung when half of the
 * ring is empty. The daemon takes nothing from a client whose own ring has no room for answers.
 */
#ifndef WEFT_CHANNEL_RINGS_H
#define WEFT_CHANNEL_RINGS_H

#include "core/wire/packet.h"

#include <stdalign.h>
#include <stdatomic.h>

/** Packets in each ring. */
#define RINGS_SLOTS 512

/** A reader says how far it has read at least so often, and when the ring is empty: the line in
 * which it says so goes from one processor to the other each time. */
#define RINGS_READ_TOLD 16

/** One direction. Writer and reader keep to cache lines of their own. */
struct ring {
    alignas(64) _Atomic uint32_t written; /* by the writer: packets put in so far */
    uint32_t read_seen;                   /* by the writer: `read` when it last looked */
    alignas(64) _Atomic uint32_t read;    /* by the reader: packets taken out so far */
    _Atomic uint32_t wants_room;          /* by the writer: ring my bell when there is room again */
    uint32_t written_seen;                /* by the reader: `written` when it last looked */
    alignas(64) struct packet slots[RINGS_SLOTS];
};

/** The whole of the shared memory. */
struct rings {
    alignas(64) _Atomic uint32_t daemon_asleep; /* set by the daemon, cleared by the client */
    alignas(64) _Atomic uint32_t client_asleep; /* set by the client, cleared by the daemon */
    alignas(64) _Atomic uint32_t closed;        /* set by the daemon: the fabric has ended */
    struct ring to_daemon, to_client;
};

/** Room for one more packet, as the writer sees it: for what the reader has said it has read. */
bool ring_has_room(struct ring *r);

/** Puts a packet in. Only the writer may call it.
 * @return false: the ring is full */
bool ring_put(struct ring *r, const struct packet *p);

/** Takes a packet out. Only the reader may call it.
 * @param own  the reader's own position, which it keeps outside the shared memory
 * @return 1: there was one; 0: the ring is empty; WEFT_ERR_FORMAT: the other side has broken the
 *         ring's rule */
int ring_take(struct ring *r, uint32_t *own, struct packet *ret);

/** Whether a packet waits, or the other side has broken the rule; `own` as ring_take(). */
bool ring_waiting(const struct ring *r, uint32_t own);

/** For the writer, before it waits for room: asks for the bell.
 * @return false: half of the ring is empty, nothing was asked */
bool ring_ask_room(struct ring *r);

/** For the reader, after it has taken packets.
 * @return whether the writer is now to be rung, because it waits for room and there is some */
bool ring_owes_bell(struct ring *r);

/** Makes the memory's content new. */
void rings_init(struct rings *r);

/** Rings a bell, of either kind. Never blocks, changes errno. */
void bell_ring(int bell);
/** Takes what the bell has rung so far, so that it can be waited for again. Never blocks where the
 * descriptor does not. */
void bell_hush(int bell);

/** A client's side: puts a packet in and rings the daemon where it sleeps.
 * @param bell  the daemon's bell
 * @return false: no room; the client's bell will ring when there is some */
bool rings_send(struct rings *r, int bell, const struct packet *p);

/** A client's side: takes a packet, and rings the daemon where it waits for room.
 * @param bell  the daemon's bell
 * @return as ring_take() */
int rings_receive(struct rings *r, int bell, uint32_t *own, struct packet *ret);

/** A client's side: says that it goes to sleep on its bell.
 * @return false: do not sleep, a packet waits or the fabric has ended; nothing was said */
bool rings_sleep(struct rings *r, uint32_t own);

/** A client's side: says that it looks at its ring by itself again. */
void rings_wake(struct rings *r);

#endif
