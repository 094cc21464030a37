/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting: spin, then sleep. */
#include "umad/wait.h"

#include "channel/message.h"
#include "umad/place.h"
#include "umad/pump.h"
#include "umad/question.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* How long to look at the ring before sleeping: about what it costs to be woken. */
#define SPIN_NS      (20 * WEFT_US)
#define SPIN_LOOKS   16
/* Where looking has been in vain so often, it is tried only now and then. */
#define SPIN_MISSES  4
#define SPIN_TRIES   8
/* For some time after the last packet a sleeper looks at the timers by itself this often. So a
 * thread that sends every few microseconds need not wake the one that receives, to have it see
 * that there is a deadline now. */
#define LINGER_NS    (50 * WEFT_MS)
#define ACTIVE_NS    (1 * WEFT_S)
/* A parent that ends while it looks at the ring by itself leaves word that nobody sleeps: a child
 * that goes on with its port cannot rely on the bell. */
#define INHERITED_NS (250 * WEFT_MS)
/* A program that asks a dead port again and again gets its error this often. */
#define MOURN_NS     (1 * WEFT_S)

static weft_time earlier(weft_time a, weft_time b)
{
    return a < b ? a : b;
}

static weft_time later(weft_time now, weft_time wait)
{
    return wait > WEFT_TIME_NEVER - now ? WEFT_TIME_NEVER : now + wait;
}

/* On one processor nobody can fill the ring while this thread looks at it. */
static bool may_spin(void)
{
    static atomic_int processors;
    int n = atomic_load_explicit(&processors, memory_order_relaxed);

    if (n == 0) {
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
        if (n < 1)
            n = 1;
        atomic_store_explicit(&processors, n, memory_order_relaxed);
    }
    return n > 1;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Looks at the ring for a while, unlocked.
 * Returns whether there is something to look at closer. */
static bool spin(struct open_port *p, weft_time until)
{
    const struct ring *ring = &p->channel.rings->to_client;
    uint32_t own = p->own;
    bool found = false;

    if (p->spinning || !may_spin())
        return false;
    if (p->spin_misses >= SPIN_MISSES && p->spin_misses++ % SPIN_TRIES != 0)
        return false;
    p->spinning = true;
    until = earlier(until, later(p->pumped_at, SPIN_NS));
    (void)pthread_mutex_unlock(&p->mutex);
    do {
        for (int i = 0; i < SPIN_LOOKS && !found; i++) {
            found = ring_waiting(ring, own) || atomic_load(&p->filled);
            relax();
        }
    } while (!found && pump_clock() < until);
    (void)pthread_mutex_lock(&p->mutex);
    p->spinning = false;
    p->spin_misses = found ? 0 : p->spin_misses + 1;
    return found;
}

/* The thread was canceled in its sleep. */
static void abandoned(void *arg)
{
    struct visit *v = arg;
    struct open_port *p = v->port;

    (void)pthread_mutex_lock(&p->mutex);
    p->sleepers--;
    p->receivers--;
    p->users--;
    /* what woke it has not been hushed: others who sleep are woken by it as well */
    v->cancel_state = PTHREAD_CANCEL_DISABLE;
    open_port_leave(v);
}

#define NAP_FDS 4

/* Sleeps without the lock, as a thread that can be canceled if it could before.
 * Returns what ppoll() says, or a negative error number. */
static int nap(struct visit *v, struct pollfd fds[NAP_FDS], const struct timespec *limit)
{
    int ready;

    (void)pthread_mutex_unlock(&v->port->mutex);
    pthread_cleanup_push(abandoned, v);
    (void)pthread_setcancelstate(v->cancel_state, NULL);
    ready = ppoll(fds, NAP_FDS, limit, NULL);
    if (ready < 0)
        ready = -errno;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cleanup_pop(0);
    (void)pthread_mutex_lock(&v->port->mutex);
    return ready;
}

/* How long a thread may sleep: until the engine's next deadline, and while there is traffic not
 * for long. */
static weft_time nap_end(const struct open_port *p, weft_time now, weft_time until)
{
    until = earlier(until, weft_mad_deadline(p->engine));
    if (now < later(p->moved_at, ACTIVE_NS))
        until = earlier(until, later(now, LINGER_NS));
    if (p->inherited)
        until = earlier(until, later(now, INHERITED_NS));
    return until;
}

/* The daemon's last words, where it has thrown this program out. */
static void last_words(const struct open_port *p)
{
    struct message_result m;
    size_t bytes;

    while (message_receive(p->channel.socket, &m, sizeof(m), &bytes, NULL) == 0) {
        if (bytes == sizeof(m) && message_has_head(&m, bytes) && m.head.type == MESSAGE_REFUSED &&
            message_text_ended(m.text, sizeof(m.text)))
            place_complain(m.text);
    }
}

static void woken(struct open_port *p, const struct pollfd fds[NAP_FDS])
{
    if (fds[0].revents && !p->closing)
        bell_hush(p->kick);
    if (fds[1].revents)
        bell_hush(fds[1].fd);
    if (fds[2].revents & POLLIN)
        question_hear(p);
    if (fds[2].revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) {
        pump_died(p);
        last_words(p);
    }
    if (fds[3].revents) {
        bell_hush(p->channel.client_bell);
        p->armed = false;
    }
}

enum wait_end wait_asleep(struct visit *v, weft_time until, int wake)
{
    struct open_port *p = v->port;
    short socket_events = question_is_open(p) ? POLLRDHUP | POLLIN : POLLRDHUP;
    weft_time now = pump_clock(), end = nap_end(p, now, until);
    weft_time wait = end > now ? end - now : 0;
    const struct timespec limit = {.tv_sec = (time_t)(wait / WEFT_S),
                                   .tv_nsec = (long)(wait % WEFT_S)};
    struct pollfd fds[NAP_FDS] = {{.fd = p->kick, .events = POLLIN},
                                  {.fd = wake, .events = POLLIN},
                                  {.fd = p->dead ? -1 : p->channel.socket, .events = socket_events},
                                  {.fd = p->dead ? -1 : p->channel.client_bell, .events = POLLIN}};
    int ready;

    p->armed = !p->dead && rings_sleep(p->channel.rings, p->own);
    if (!p->armed && !p->dead)
        return WAIT_AGAIN;
    p->sleep_until = p->sleepers > 0 ? earlier(end, p->sleep_until) : end;
    p->sleepers++;
    ready = nap(v, fds, end == WEFT_TIME_NEVER ? NULL : &limit);
    p->sleepers--;
    if (ready > 0)
        woken(p, fds);
    if (p->sleepers == 0 && !p->dead)
        rings_wake(p->channel.rings);
    return ready == -EINTR ? WAIT_SIGNAL : WAIT_AGAIN;
}

/* Looks once, without waiting. */
static enum wait_end look(struct open_port *p, weft_time until)
{
    if (p->closing)
        return WAIT_CLOSED;
    if (!p->dead)
        pump(p);
    if (p->inbox.count > 0)
        return WAIT_MESSAGE;
    if (p->dead && !p->mourned)
        return WAIT_DEAD;
    return until <= p->pumped_at ? WAIT_TIMEOUT : WAIT_AGAIN;
}

static enum wait_end wait_dead(struct visit *v, weft_time until)
{
    enum wait_end end = wait_asleep(v, earlier(until, later(pump_clock(), MOURN_NS)), -1);

    return end == WAIT_AGAIN ? WAIT_DEAD : end;
}

enum wait_end wait_for_message(struct visit *v, weft_time until)
{
    struct open_port *p = v->port;
    enum wait_end end;

    p->users++;
    p->receivers++;
    while ((end = look(p, until)) == WAIT_AGAIN) {
        if (p->dead)
            end = wait_dead(v, until);
        else if (!spin(p, until))
            end = wait_asleep(v, until, -1);
        if (end != WAIT_AGAIN)
            break;
    }
    p->receivers--;
    p->users--;
    if (end == WAIT_DEAD)
        p->mourned = true;
    return end;
}

bool wait_too_long(const struct open_port *p)
{
    return p->sleepers > 0 && weft_mad_deadline(p->engine) < p->sleep_until;
}
