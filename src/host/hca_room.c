/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests between a port and ibsim, counted. */
#include "host/hca_room.h"

#include "core/base/quantity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define QUEUE_FILE    "/proc/sys/net/unix/max_dgram_qlen"
/* Linux's own default, and the least that is sensible. */
#define QUEUE_DEFAULT 10

static uint64_t queue_read(void)
{
    uint64_t queue = QUEUE_DEFAULT;
    char line[32] = "";
    FILE *f = fopen(QUEUE_FILE, "re");

    if (!f)
        return queue;
    if (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        (void)quantity_parse_count(line, &queue);
    }
    (void)fclose(f);
    return queue;
}

uint32_t hca_room_limit(uint64_t queue)
{
    /* There is a queue for each direction, and each side holds one more. */
    if (queue == 0)
        return 1;
    return queue < HCA_ROOM_MAX / 2 ? (uint32_t)(2 * queue) : HCA_ROOM_MAX;
}

void hca_room_init(struct hca_room *ret, int portid)
{
    *ret = (struct hca_room){.limit = 0};
    /* The one for ibsim makes its numbers up. */
    if (fcntl(portid, F_GETFD) < 0)
        ret->limit = hca_room_limit(queue_read());
}

static void drop(struct hca_room *r, uint32_t count)
{
    r->first = (r->first + count) % HCA_ROOM_MAX;
    r->count -= count;
}

static bool is_gone(const struct hca_room *r, const struct hca_room_entry *e, weft_time now)
{
    return e->sent + HCA_ROOM_SILENCE <= now && r->heard + HCA_ROOM_SILENCE <= now;
}

bool hca_room_is_left(struct hca_room *r, weft_time now)
{
    if (r->limit == 0)
        return true;
    while (r->count > 0 && is_gone(r, &r->entries[r->first], now))
        drop(r, 1);
    return r->count < r->limit;
}

/* Returns how many are at least as old as a request; 0: it is not among them. */
static uint32_t age_of(const struct hca_room *r, uint32_t tid)
{
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->entries[(r->first + i) % HCA_ROOM_MAX].tid == tid)
            return i + 1;
    }
    return 0;
}

bool hca_room_has(const struct hca_room *r, uint32_t tid)
{
    return age_of(r, tid) > 0;
}

void hca_room_take(struct hca_room *r, uint32_t tid, weft_time now)
{
    if (r->limit == 0 || r->count == HCA_ROOM_MAX)
        return;
    r->entries[(r->first + r->count) % HCA_ROOM_MAX] =
        (struct hca_room_entry){.tid = tid, .sent = now};
    r->count++;
}

void hca_room_give(struct hca_room *r, uint32_t tid, weft_time now)
{
    r->heard = now;
    drop(r, age_of(r, tid));
}
