/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A sweep, and the counters of what it finds, as one machine. The counters begin when the sweep has
 * ended, or as soon as it only waits for the dead; what it finds from then on joins them, at its
 * end at the latest. So the dead, who must have their time, are waited for beside everything else.
 *
 * Driven as sweep.h says: poll, event, done.
 */
#ifndef WEFT_CLIENT_SURVEY_H
#define WEFT_CLIENT_SURVEY_H

#include <weft/counters.h>

/** Chooses ports of a sweep as far as it has come.
 * @param self  the owner's
 * @return for each port of the sweep whether it is wanted, valid until the next call; NULL: there
 * is no memory for that */
typedef const bool *survey_choose(void *self, const struct weft_sweep *s);

/** A survey: what is not private is filled in by its owner, the rest begins with zeroes. */
struct survey {
    struct weft_sweep *sweep;           /**< borrowed */
    struct weft_counters_config config; /**< of the counters; `wanted` is not looked at */
    const struct weft_counters *known;  /**< an earlier reading, borrowed; NULL: there is none */
    weft_mad_agent_id agent;            /**< of the counters */
    survey_choose *choose;              /**< NULL: all ports are wanted */
    void *chooser;                      /**< `self` for that */
    struct weft_counters *counters;     /**< receives the reading once it has begun; the owner's */
    int verdict; /**< receives why the counters cannot be read, or not to their end */
    /* private to survey.c */
    bool news;  /* the sweep has been told something since the counters have looked at it */
    bool whole; /* they have looked at its end */
};

/** The next request to post.
 * @return false: none for now */
bool survey_poll(struct survey *s, struct weft_mad_send_req *ret);

/** Feeds an event of the engine to both. */
void survey_event(struct survey *s, const struct weft_mad_event *ev);

/** Whether both have ended; ask after survey_poll(). A sweep whose verdict is not 0 is the end. */
bool survey_done(const struct survey *s);

#endif
