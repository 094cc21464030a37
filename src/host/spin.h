/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How long a program looks at its rings before it sleeps, learned from what came of it: the daemon,
 * and a client that waits for answers.
 *
 * Two programs that answer each other are in one of two states: both look and find the other's
 * packet after a microsecond, or both sleep and wake each other, which takes fifty times as long
 * where a processor that idles must be woken. A short look never leads from the second state to the
 * first, since the other is still waking up when it ends; and where packets come seldom, or
 * somebody else needs the processor, looking is wasted. So: a program that finds packets looks for
 * `most_ns` each time. When that has failed a few times in a row it only sleeps, and now and then
 * looks for as long as a sleep usually takes; when that finds something, it is back in the first
 * state. Where it does not stay there, the tries become rarer.
 */
#ifndef WEFT_HOST_SPIN_H
#define WEFT_HOST_SPIN_H

#include <weft/base.h>

/** No try is longer, and none is made where sleeps are. */
#define SPIN_TRY_NS     (200 * WEFT_US)
/** Looks in a row that find nothing: looking is given up. */
#define SPIN_MISSES     4
/** Looks that find something: tries may be frequent again. */
#define SPIN_WINS       64
/** Sleeps from one try to the next. */
#define SPIN_SLEEPS     8
#define SPIN_SLEEPS_MAX 1024

/** What was learned. */
struct spin {
    weft_time most_ns;
    weft_time now_ns;   /* how long to look this time */
    weft_time slept_ns; /* what a sleep usually takes, from ring to ring */
    uint32_t misses, wins, sleeps, sleeps_to_try;
    bool looks; /* the first state */
};

/** What is usual for `most_ns`: 0 where this program has one processor only. */
weft_time spin_usual_ns(void);

/** Begins in the first state.
 * @param most_ns  how long a look takes; 0: never look */
void spin_init(struct spin *s, weft_time most_ns);

/** Tells the processor that this is a loop that waits. */
void spin_pause(void);

/** A look has found something. */
void spin_found(struct spin *s);

/** A look has found nothing, and the program is about to sleep. */
void spin_missed(struct spin *s);

/** The other side has rung after a sleep. */
void spin_woken(struct spin *s, weft_time slept_ns);

#endif
