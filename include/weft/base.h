/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What every part of weft shares: errors, time, the injected allocator and the version.
 */
#ifndef WEFT_BASE_H
#define WEFT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A point in time or a duration, in nanoseconds on the caller's own monotonic clock.
 * weft reads no clock: every call that may arm or fire a timer takes the time as an argument. */
typedef uint64_t weft_time;

/** No point in time: a deadline that never comes. */
#define WEFT_TIME_NEVER UINT64_MAX

/** Nanoseconds in one microsecond, millisecond and second, as weft_time. */
#define WEFT_US ((weft_time)1000)
#define WEFT_MS ((weft_time)1000000)    /**< nanoseconds in one millisecond */
#define WEFT_S  ((weft_time)1000000000) /**< nanoseconds in one second */

/** What a call can go wrong with. Functions return 0 or one of these (all are negative);
 * when they do, nothing was changed and no output argument was written, but for two things: the
 * object's time has moved on to the `now` of the call (unless that is the error, WEFT_ERR_CLOCK),
 * and counters of what was refused or dropped have counted it. */
enum weft_err {
    WEFT_ERR_INVALID = -1,  /**< an argument is outside its documented range: correct the call */
    WEFT_ERR_FULL = -2,     /**< a configured limit is reached: drain, wait, or configure more */
    WEFT_ERR_STALE = -3,    /**< the handle names something that is gone: forget it */
    WEFT_ERR_STATE = -4,    /**< the object is not in a state that allows the call */
    WEFT_ERR_NOMEM = -5,    /**< the allocator gave nothing: free something and try again; which
                                 calls return it see struct weft_alloc */
    WEFT_ERR_CONFLICT = -6, /**< what was asked for is in use already: see the call's own text */
    WEFT_ERR_CLOCK = -7,    /**< `now` lies before an earlier `now`: feed a monotonic clock */
    WEFT_ERR_NOTFOUND = -8, /**< no such thing */
    WEFT_ERR_FORMAT = -9    /**< input bytes do not have the expected form */
};

/** The sentence for an error, without a final full stop.
 * @param err  a value of enum weft_err, or 0
 * @return a constant string, never NULL; unknown values give "unknown error" */
const char *weft_strerror(int err);

/** Where an object takes its memory; it gives everything back in the matching `_free`.
 *
 * All objects but those below allocate in their `_new` calls only, so out-of-memory exists in one
 * place. Objects that grow with what they find out also take memory later: a sweep (sweep.h) and
 * counters (counters.h) in their `_poll`, `_event` and weft_counters_reset() calls, and their
 * `_verdict` says WEFT_ERR_NOMEM if there was none; a client of the SA (sa.h) in weft_sa_ask(),
 * which returns WEFT_ERR_NOMEM, and for each answer, whose outcome says so. What such an object had
 * before stays usable. */
struct weft_alloc {
    /** Returns `size` bytes (more than 0) aligned to `align` (a power of two), or NULL. */
    void *(*get)(void *ctx, size_t size, size_t align);
    /** Takes back what get() returned; `size` is the one it was asked for. */
    void (*put)(void *ctx, void *p, size_t size);
    /** Passed to both as their first argument. */
    void *ctx;
};

/** The library's version, for example "0.1.0".
 * @return a constant string */
const char *weft_version(void);

#ifdef __cplusplus
}
#endif

#endif
