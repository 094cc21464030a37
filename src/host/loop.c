/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The daemon's loop.
 *
 * What the daemon sleeps on is one epoll: the clients' bells, a timerfd for deadlines, and libuv's
 * own descriptor, behind which are sockets and signals. So waking up by a bell, which is what
 * happens for every request where both sides sleep, costs one system call. Bells and timer are
 * edge-triggered and never read.
 *
 * How long it looks at the rings before it sleeps is spin.h's matter. */
#include "host/loop.h"

#include "host/capture.h"
#include "host/pump.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* How often a busy daemon looks at everything. */
#define LOOP_LOOK_NS (100 * WEFT_US)
#define LOOP_EVENTS  64

int loop_open(struct server *s)
{
    struct epoll_event alarm = {.events = EPOLLIN | EPOLLET, .data.ptr = &s->alarm};
    struct epoll_event uv = {.events = EPOLLIN, .data.ptr = &s->loop};

    spin_init(&s->spin, s->options.spin_ns);
    s->alarm_at = WEFT_TIME_NEVER;
    s->bells = epoll_create1(EPOLL_CLOEXEC);
    s->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (s->bells < 0 || s->alarm < 0 || uv_loop_init(&s->loop) != 0)
        return WEFT_ERR_NOMEM;
    s->has_loop = true;
    if (epoll_ctl(s->bells, EPOLL_CTL_ADD, s->alarm, &alarm) < 0 ||
        epoll_ctl(s->bells, EPOLL_CTL_ADD, uv_backend_fd(&s->loop), &uv) < 0)
        return WEFT_ERR_NOMEM;
    return 0;
}

void loop_close(struct server *s)
{
    if (s->has_loop)
        (void)uv_loop_close(&s->loop);
    if (s->alarm >= 0)
        (void)close(s->alarm);
    if (s->bells >= 0)
        (void)close(s->bells);
}

/* Lets the alarm ring at a moment of the machine's time, or before: an alarm that rings too early
 * is harmless, and setting it costs a system call. */
static void loop_set_alarm(struct server *s, weft_time at)
{
    struct itimerspec t = {.it_value = {.tv_sec = 0}};

    if (at >= s->alarm_at)
        return;
    t.it_value.tv_sec = (time_t)(at / WEFT_S);
    t.it_value.tv_nsec = (long)(at % WEFT_S);
    if (timerfd_settime(s->alarm, TFD_TIMER_ABSTIME, &t, NULL) == 0)
        s->alarm_at = at;
}

/* When something is to be done though nobody asks. */
static weft_time loop_deadline(struct server *s, weft_time clock)
{
    weft_time at = server_clock_at(s, fabric_deadline(s->fabric));
    weft_time flush_at = s->capture ? capture_flush(s->capture, clock) : WEFT_TIME_NEVER;
    int uv_ms;

    uv_update_time(&s->loop);
    uv_ms = uv_backend_timeout(&s->loop);
    if (uv_ms >= 0 && clock + (weft_time)uv_ms * WEFT_MS < at)
        at = clock + (weft_time)uv_ms * WEFT_MS;
    return at < flush_at ? at : flush_at;
}

/* Looks at everything, and waits for something where that is wanted.
 * @return whether a client has rung */
static bool loop_look(struct server *s, bool wait)
{
    struct epoll_event events[LOOP_EVENTS];
    int count = epoll_wait(s->bells, events, LOOP_EVENTS, wait ? -1 : 0);
    bool rung = false, uv = false;

    s->looked_at = server_clock();
    server_tick(s, s->looked_at);
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == &s->loop) {
            uv = true;
        } else if (events[i].data.ptr == &s->alarm) {
            s->alarm_at = WEFT_TIME_NEVER;
        } else {
            pump_activate(events[i].data.ptr, s->looked_at);
            rung = true;
        }
    }
    uv_update_time(&s->loop);
    if (uv || uv_backend_timeout(&s->loop) == 0)
        (void)uv_run(&s->loop, UV_RUN_NOWAIT);
    return rung;
}

/* Sleeps until something happens or is due. */
static void loop_sleep(struct server *s, weft_time clock, weft_time deadline)
{
    if (deadline != WEFT_TIME_NEVER)
        loop_set_alarm(s, deadline);
    s->stats.sleeps++;
    spin_missed(&s->spin);
    if (loop_look(s, true))
        spin_woken(&s->spin, s->looked_at - clock);
    /* Sleep was no idleness: what woke us may be followed by more. */
    s->busy_at = s->looked_at;
    s->idle = false;
}

void loop_turn(struct server *s)
{
    weft_time clock = server_clock();

    if (pump_round(s, clock)) {
        if (s->idle)
            spin_found(&s->spin);
        s->busy_at = clock;
        s->idle = false;
    } else if (clock - s->busy_at >= s->spin.now_ns) {
        weft_time deadline = loop_deadline(s, clock);

        if (deadline > clock + s->spin.most_ns && pump_sleep(s)) {
            loop_sleep(s, clock, deadline);
            return;
        }
    } else {
        s->idle = true;
    }
    if (clock - s->looked_at >= LOOP_LOOK_NS)
        (void)loop_look(s, false);
    else if (s->idle)
        spin_pause();
}
