/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for answers: shorter while that does no harm. */
#include "client/wait.h"

#define SHORTEST WEFT_MS

/* Requests in a batch: of so many, where one in three gets lost, half are not late by chance. */
#define BATCH 128

void wait_init(struct wait *ret, weft_time whole)
{
    *ret = (struct wait){.batch = WAIT_NO_BATCH + 1};
    while (ret->most < WAIT_HALVINGS_MAX && whole >> (ret->most + 1) >= SHORTEST)
        ret->most++;
}

void wait_hurry(struct wait *w, uint8_t halvings)
{
    w->halvings = halvings < w->most ? halvings : w->most;
}

uint32_t wait_begin(struct wait *w)
{
    if (w->begun == BATCH)
        return WAIT_NO_BATCH;
    w->begun++;
    return w->batch;
}

void wait_forget(struct wait *w, uint32_t batch)
{
    w->begun -= batch == w->batch;
}

static void next_batch(struct wait *w)
{
    w->batch++;
    w->begun = w->in_time = w->late = 0;
}

/* It is decided as soon as the others cannot change it. */
void wait_end(struct wait *w, uint32_t batch, bool in_time)
{
    if (batch != w->batch)
        return;
    *(in_time ? &w->in_time : &w->late) += 1;
    if (w->in_time >= BATCH / 2) {
        if (w->halvings < w->most)
            w->halvings++;
        next_batch(w);
    } else if (w->late > BATCH / 2) {
        if (w->halvings > 0)
            w->halvings--;
        w->most = w->halvings;
        next_batch(w);
    }
}
