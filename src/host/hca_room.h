/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How many requests may be on the way to whatever stands behind libibumad.
 *
 * The kernel takes any number. The library that is preloaded for ibsim does not: it holds a lock
 * while it writes into a socket that may be full, its thread that empties the socket of the other
 * direction wants that lock, and ibsim reads nothing while it cannot write. When both sockets are
 * full nothing moves again. So no more may be between the two than the sockets hold.
 *
 * Nothing gets lost in a socket, but a machine with more to do than it can may leave ibsim waiting
 * for longer than an answer takes. So what is sent again while it may still be in a socket is not
 * sent twice, and what nobody waits for any longer keeps its place until something shows that it is
 * gone.
 */
#ifndef WEFT_HOST_HCA_ROOM_H
#define WEFT_HOST_HCA_ROOM_H

#include <weft/base.h>

#include <stdbool.h>
#include <stdint.h>

/** Most that are counted. */
#define HCA_ROOM_MAX 64

/** When ibsim has said nothing for so long, what was sent before is no longer on the way: it was
 * for nobody. */
#define HCA_ROOM_SILENCE WEFT_S

/** A request on the way. */
struct hca_room_entry {
    uint32_t tid;   /* lower half of its transaction id */
    weft_time sent; /* when */
};

/** What is on the way, oldest first. */
struct hca_room {
    uint32_t limit; /* 0: none, and nothing is counted */
    uint32_t first, count;
    weft_time heard; /* when an answer has come last */
    struct hca_room_entry entries[HCA_ROOM_MAX];
};

/** Begins with what there is behind a port.
 * @param portid  from umad_open_port(): a file where the kernel, or anything like it, is behind it
 */
void hca_room_init(struct hca_room *ret, int portid);

/** The limit where datagram sockets take so many messages before they are full. */
uint32_t hca_room_limit(uint64_t queue);

/** Whether another request may be sent. */
bool hca_room_is_left(struct hca_room *r, weft_time now);

/** Whether a request is on the way already: to send it again would gain nothing. */
bool hca_room_has(const struct hca_room *r, uint32_t tid);

/** A request has been sent; hca_room_is_left() has said yes. */
void hca_room_take(struct hca_room *r, uint32_t tid, weft_time now);

/** An answer has come. Since all keep their order, what was sent before is no longer on the way
 * either, answered or not. */
void hca_room_give(struct hca_room *r, uint32_t tid, weft_time now);

#endif
