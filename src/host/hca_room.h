/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How many requests may be on the way to whatever stands behind libibumad.
 *
 * The kernel takes any number. The library that is preloaded for ibsim does not: it holds a lock
 * while it writes into a socket that may be full, its thread that empties the socket of the other
 * direction wants that lock, and ibsim reads nothing while it cannot write. When both sockets are
 * full nothing moves again. So no more may be between the two than the sockets hold.
 */
#ifndef WEFT_HOST_HCA_ROOM_H
#define WEFT_HOST_HCA_ROOM_H

#include <weft/base.h>

#include <stdbool.h>
#include <stdint.h>

/** Most that are counted. */
#define HCA_ROOM_MAX 64

/** A request on the way. */
struct hca_room_entry {
    uint32_t tid;    /* lower half of its transaction id */
    weft_time until; /* nobody waits any longer for its answer */
};

/** What is on the way, oldest first. */
struct hca_room {
    uint32_t limit; /* 0: none, and nothing is counted */
    uint32_t first, count;
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

/** A request has been sent; hca_room_is_left() has said yes. */
void hca_room_take(struct hca_room *r, uint32_t tid, weft_time until);

/** An answer has come. Since all keep their order, what was sent before is no longer on the way
 * either, answered or not. */
void hca_room_give(struct hca_room *r, uint32_t tid);

#endif
