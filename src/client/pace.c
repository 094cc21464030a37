/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paces of agents: wider and shorter with answers in time, narrow and long with late ones. */
#include "client/pace.h"

#define LIMIT_FIRST 2
#define LIMIT_MAX   64

/* From here on waits are longer than any timeout may be. */
#define LEVEL_MAX 20

/* So much lateness is no accident: where many packets get lost, and where hardly any do. Where one
 * in three does, it is reached once in 2 to the power of this many answers. */
#define LATE_LOSSY 12
#define LATE_SLOW  3

/* Of the packets of a question, those that are lost where many are. */
#define LOST_LOSSY 1

/* Levels up at a time where the number of packets does not tell how many. */
#define LEVELS_UP 1

/* All questions under way to a slow agent are answered in this share of the timeout. */
#define QUEUE_SHARE 2

/* Copies that an agent serves first may keep it busy for so many timeouts. */
#define PATIENCE_MAX 8

void pace_init(struct pace *ret)
{
    *ret = (struct pace){.limit = LIMIT_FIRST};
}

/* The wait of a level, but not more than that. */
static weft_time level_wait(const struct pace *p, const struct pace_bounds *b, weft_time most)
{
    weft_time wait = b->first;

    for (uint8_t i = 1; i < p->level && wait < most; i++)
        wait *= 2;
    return wait < most ? wait : most;
}

weft_time pace_wait(const struct pace *p, const struct pace_bounds *b, uint32_t out)
{
    weft_time wait = level_wait(p, b, b->timeout) * out;

    return wait < b->timeout ? wait : b->timeout;
}

weft_time pace_patience(const struct pace *p, const struct pace_bounds *b)
{
    weft_time wait = level_wait(p, b, PATIENCE_MAX * b->timeout);

    return wait > b->timeout ? wait : b->timeout;
}

static void in_time(struct pace *p, const struct pace_bounds *b)
{
    if (p->late > 0)
        p->late--;
    if (p->limit < LIMIT_MAX &&
        (p->level == 0 || pace_wait(p, b, p->limit + 1U) <= b->timeout / QUEUE_SHARE))
        p->limit++;
}

/* Each packet more stands for an answer that takes twice as long, and for a copy that the agent
 * serves before the next question. */
static uint8_t level_of(uint32_t packets)
{
    return packets > LEVEL_MAX / 2 ? LEVEL_MAX : (uint8_t)(2 * packets - 1);
}

void pace_told(struct pace *p, const struct pace_bounds *b, uint8_t level, uint32_t packets)
{
    if (level != p->level)
        return;
    if (packets <= 1) {
        in_time(p, b);
        return;
    }
    p->late += packets - 1 - (b->lossy ? LOST_LOSSY : 0);
    if (b->lossy ? p->late < LATE_LOSSY : p->level > 0 && p->late < LATE_SLOW)
        return;
    if (p->level == 0 && !b->lossy)
        p->level = level_of(packets);
    else if (p->level + LEVELS_UP <= LEVEL_MAX)
        p->level += LEVELS_UP;
    p->limit = 1;
    p->late = 0;
}
