/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The thread that keeps a port going. */
#include "umad/keeper.h"

#include "umad/pump.h"
#include "umad/wait.h"

#include <poll.h>
#include <signal.h>

/* How often the thread looks whether the program looks after its port itself. */
#define KEEPER_LOOK_NS  (5 * WEFT_MS)
/* A port that nobody has pumped for this long is left alone. */
#define KEEPER_ALONE_NS (2 * WEFT_MS)
/* Without anything to do for this long the thread rests until it is woken. */
#define KEEPER_IDLE_NS  (100 * WEFT_MS)
#define KEEPER_STACK    (512 * 1024)

/* Whether something may happen by itself. */
static bool has_duties(const struct open_port *p)
{
    if (p->watched || p->pending > 0 || p->line.count > 0 ||
        weft_mad_deadline(p->engine) != WEFT_TIME_NEVER)
        return true;
    for (int i = 0; i < UMAD_CA_MAX_AGENTS; i++) {
        if (p->agents[i].claims)
            return true;
    }
    return false;
}

/* How long to stay away; 0: the port is alone, see to it now. */
static weft_time stay_away(const struct open_port *p, weft_time now)
{
    bool quiet = now > p->moved_at + KEEPER_IDLE_NS;

    if (p->receivers > 0 || p->dead || !has_duties(p))
        return quiet || p->dead ? WEFT_TIME_NEVER : KEEPER_LOOK_NS;
    if (p->watched || now > p->pumped_at + KEEPER_ALONE_NS)
        return 0;
    return KEEPER_LOOK_NS;
}

/* Sleeps without taking part in what happens at the port. */
static void keeper_rest(struct open_port *p, weft_time wait)
{
    struct pollfd fd = {.fd = p->keeper_wake, .events = POLLIN};
    int limit_ms = wait == WEFT_TIME_NEVER ? -1 : (int)(wait / WEFT_MS);

    open_port_pass_on(p);
    p->keeper_rests = limit_ms < 0;
    (void)pthread_mutex_unlock(&p->mutex);
    (void)poll(&fd, 1, limit_ms);
    (void)pthread_mutex_lock(&p->mutex);
    p->keeper_rests = false;
    if (fd.revents)
        bell_hush(p->keeper_wake);
}

static void *keeper_run(void *arg)
{
    struct visit v = {.port = arg, .cancel_state = PTHREAD_CANCEL_DISABLE};
    struct open_port *p = v.port;

    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    (void)pthread_mutex_lock(&p->mutex);
    while (!p->closing) {
        weft_time wait = stay_away(p, pump_clock());

        if (wait > 0) {
            keeper_rest(p, wait);
            continue;
        }
        pump(p);
        open_port_pass_on(p);
        if (!p->dead && !p->closing)
            (void)wait_asleep(&v, WEFT_TIME_NEVER, p->keeper_wake);
    }
    (void)pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static int keeper_start(struct open_port *p)
{
    pthread_attr_t attr;
    sigset_t all, before;
    int number;

    (void)sigfillset(&all);
    if (pthread_attr_init(&attr) != 0)
        return WEFT_ERR_NOMEM;
    (void)pthread_attr_setstacksize(&attr, KEEPER_STACK);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    number = pthread_create(&p->keeper, &attr, keeper_run, p);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attr);
    p->keeper_runs = number == 0;
    p->keeper_lost = p->keeper_lost && !p->keeper_runs;
    return number == 0 ? 0 : WEFT_ERR_NOMEM;
}

int keeper_need(struct open_port *p)
{
    if (!p->keeper_runs)
        return keeper_start(p);
    if (p->keeper_rests) {
        p->keeper_rests = false;
        bell_ring(p->keeper_wake);
    }
    return 0;
}

void keeper_left_alone(struct open_port *p)
{
    if (p->keeper_rests && !p->closing && p->receivers == 0 && !p->dead && has_duties(p))
        (void)keeper_need(p);
}

void keeper_end(struct open_port *p)
{
    pthread_t keeper = p->keeper;

    if (!p->keeper_runs)
        return;
    p->keeper_runs = p->keeper_rests = false;
    bell_ring(p->keeper_wake);
    (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_join(keeper, NULL);
    (void)pthread_mutex_lock(&p->mutex);
}

void keeper_resume(struct open_port *p)
{
    if (p->keeper_lost && !p->dead)
        (void)keeper_start(p);
}

void keeper_lost(struct open_port *p)
{
    p->keeper_lost = p->keeper_lost || p->keeper_runs;
    p->keeper_runs = false;
    p->keeper_rests = false;
}
