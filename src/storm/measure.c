/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts over time in a fixed number of steps, and percentiles; integers only. */
#include "storm/measure.h"

#include "core/base/check.h"

#include <stdlib.h>

/* Steps begin with 2^14 ns; they double until the run fits. */
static const uint32_t first_step_log2 = 14;

void storm_measure_init(struct storm_measure *m)
{
    *m = (struct storm_measure){.step_log2 = first_step_log2};
}

static void step_merge(struct storm_measure_step *into, const struct storm_measure_step *from)
{
    for (size_t i = 0; i < STORM_MEASURE_WHATS; i++)
        into->counts[i] += from->counts[i];
    if (from->queue_peak > into->queue_peak)
        into->queue_peak = from->queue_peak;
}

static void halve(struct storm_measure *m)
{
    for (uint32_t i = 0; i < STORM_MEASURE_STEPS / 2; i++) {
        struct storm_measure_step merged = m->step[2 * i];

        step_merge(&merged, &m->step[2 * i + 1]);
        m->step[i] = merged;
    }
    for (uint32_t i = STORM_MEASURE_STEPS / 2; i < STORM_MEASURE_STEPS; i++)
        m->step[i] = (struct storm_measure_step){0};
    m->steps = (m->steps + 1) / 2;
    m->step_log2++;
}

/* The step of a time; the steps between keep the queue's last length. */
static struct storm_measure_step *step_at(struct storm_measure *m, weft_time now)
{
    while ((now >> m->step_log2) >= STORM_MEASURE_STEPS)
        halve(m);
    while (m->steps <= (now >> m->step_log2))
        m->step[m->steps++].queue_peak = m->queue_now;
    return &m->step[now >> m->step_log2];
}

void storm_measure_count(struct storm_measure *m, weft_time now, enum storm_measure_what what)
{
    step_at(m, now)->counts[what]++;
}

void storm_measure_queue(struct storm_measure *m, weft_time now, uint32_t waiting)
{
    struct storm_measure_step *step = step_at(m, now);

    if (waiting > step->queue_peak)
        step->queue_peak = waiting;
    m->queue_now = waiting;
}

weft_time storm_measure_percentile(const weft_time *sorted, size_t count, uint32_t percent)
{
    WEFT_ASSERT(count > 0 && percent >= 1 && percent <= 100);
    return sorted[(count * percent + 99) / 100 - 1];
}

static int compare_times(const void *a, const void *b)
{
    weft_time x = *(const weft_time *)a;
    weft_time y = *(const weft_time *)b;

    return (x > y) - (x < y);
}

void storm_measure_sort(weft_time *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof(*values), compare_times);
}
