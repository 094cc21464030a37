/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Learning how long to look. */
#include "host/spin.h"

#include <sched.h>
#include <stdatomic.h>

/* The average moves by such a part of the difference. */
#define SPIN_AVERAGE_PARTS 8

/* Some rounds between two programs that are busy, and little beside a sleep. */
#define SPIN_USUAL_NS (50 * WEFT_US)

weft_time spin_usual_ns(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1 ? SPIN_USUAL_NS : 0;
}

void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

void spin_init(struct spin *s, weft_time most_ns)
{
    *s = (struct spin){.most_ns = most_ns,
                       .now_ns = most_ns,
                       .slept_ns = SPIN_TRY_NS,
                       .sleeps_to_try = SPIN_SLEEPS,
                       .looks = true};
}

void spin_found(struct spin *s)
{
    s->misses = 0;
    if (s->looks) {
        if (s->wins < SPIN_WINS && ++s->wins == SPIN_WINS)
            s->sleeps_to_try = SPIN_SLEEPS;
        return;
    }
    s->looks = true;
    s->wins = 0;
    s->now_ns = s->most_ns;
}

/* Tries become rarer. */
static void spin_doubt(struct spin *s)
{
    s->sleeps = 0;
    s->sleeps_to_try =
        s->sleeps_to_try * 2 < SPIN_SLEEPS_MAX ? s->sleeps_to_try * 2 : SPIN_SLEEPS_MAX;
}

void spin_missed(struct spin *s)
{
    if (s->looks && ++s->misses == SPIN_MISSES) {
        s->looks = false;
        if (s->wins < SPIN_WINS)
            spin_doubt(s);
        s->sleeps = 0;
    } else if (!s->looks && s->now_ns > 0) {
        spin_doubt(s);
    }
    s->now_ns = s->looks ? s->most_ns : 0;
}

void spin_woken(struct spin *s, weft_time slept_ns)
{
    /* One long sleep says nothing about the usual ones. */
    weft_time counted = slept_ns < 4 * SPIN_TRY_NS ? slept_ns : 4 * SPIN_TRY_NS;

    s->slept_ns = s->slept_ns - s->slept_ns / SPIN_AVERAGE_PARTS + counted / SPIN_AVERAGE_PARTS;
    if (s->looks || s->most_ns == 0 || ++s->sleeps < s->sleeps_to_try)
        return;
    s->sleeps = 0;
    if (s->slept_ns < SPIN_TRY_NS)
        s->now_ns = s->slept_ns * 2 < SPIN_TRY_NS ? s->slept_ns * 2 : SPIN_TRY_NS;
}
