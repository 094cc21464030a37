/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A connection manager and its software provider on TCP sockets: one libuv loop, one thread. The
 * facade (weft/iw.h) runs one behind its lock; the command's measurements use one directly.
 */
#ifndef WEFT_IW_LOOP_H
#define WEFT_IW_LOOP_H

#include <weft/siw.h>

#include <uv.h>

struct iw_loop;

/** Makes a loop.
 * @return 0, WEFT_ERR_INVALID (a config), or WEFT_ERR_NOMEM (also: no epoll descriptor left) */
int iw_loop_new(const struct weft_iwcm_config *cm, const struct weft_siw_config *siw,
                struct iw_loop **ret);
/** Closes all sockets (with RST) and frees everything; NULL is fine; returns NULL. */
struct iw_loop *iw_loop_free(struct iw_loop *l);

struct weft_iwcm *iw_loop_cm(struct iw_loop *l);
struct weft_siw *iw_loop_siw(struct iw_loop *l);
/** For handles of one's own (timers, plain sockets): they run in iw_loop_turn(). */
uv_loop_t *iw_loop_uv(struct iw_loop *l);
/** The monotonic clock: what `now` is for the two. */
weft_time iw_loop_now(void);

/** Does what the provider wants done now (sockets, writes). Call it after posting. */
void iw_loop_pump(struct iw_loop *l);
/** One turn: waits until something happens, `wait` ns at most (0: only look; NEVER: no limit),
 * feeds it, fires timers and pumps. Then drain events and completions. Times are kept to the
 * millisecond, rounded up. */
void iw_loop_turn(struct iw_loop *l, weft_time wait);
/** Ends the wait of a turn, from any thread or a signal handler. */
void iw_loop_wake(struct iw_loop *l);

#endif
