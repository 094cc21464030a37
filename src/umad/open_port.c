/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open ports: the table of them, opening, closing, entering, and what fork() does to them. */
#include "umad/open_port.h"

#include "pages/pages.h"
#include "umad/keeper.h"
#include "umad/place.h"
#include "umad/pump.h"
#include "umad/question.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Numbers of open ports are descriptors below this. */
#define FDS_MAX 65536

/* What an engine is made with. Memory for segments is address space until they come. */
#define ENGINE_SENDS          16384
#define ENGINE_RECV_DEPTH     8192
/* Each window is a round trip in which three processes wake each other; some transfers at a time
 * must fit the ring all the same. */
#define ENGINE_RMPP_WINDOW    128
#define ENGINE_RMPP_TRANSFERS 1024
#define ENGINE_RMPP_BYTES     (UINT64_C(1) << 30)
#define ENGINE_RMPP_BYTES_MIN (UINT64_C(1) << 20)
/* Linux has 40 s, in which a loaded machine does not get hundreds of megabytes across. */
#define ENGINE_RMPP_RECEIVE   (300 * WEFT_S)
/* Some more than programs can register: those removed live until their last send has ended. */
#define ENGINE_AGENTS         (2 * UMAD_CA_MAX_AGENTS)

static _Atomic(struct open_port *) ports[FDS_MAX];

/* Guards the two lists. No port's mutex is held when it is taken. */
static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;
static struct open_port *all_ports; /* by next; ports that are closed stay in here */
static pthread_once_t once = PTHREAD_ONCE_INIT;

void open_port_kick(const struct open_port *p)
{
    bell_ring(p->kick);
}

bool open_port_enter(int fd, struct visit *ret)
{
    struct open_port *p;

    if (fd < 0 || fd >= FDS_MAX)
        return false;
    p = atomic_load(&ports[fd]);
    if (!p)
        return false;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ret->cancel_state);
    (void)pthread_mutex_lock(&p->mutex);
    ret->port = p;
    if (p->fd == fd && !p->closing)
        return true;
    (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_setcancelstate(ret->cancel_state, NULL);
    return false;
}

void open_port_pass_on(struct open_port *p)
{
    if (p->sleepers == 0)
        return;
    if (!p->armed && !p->dead)
        p->armed = rings_sleep(p->channel.rings, p->own);
    if ((!p->armed && !p->dead) || p->inbox.count > 0)
        open_port_kick(p);
}

void open_port_leave(struct visit *v)
{
    struct open_port *p = v->port;
    int cancel_state = v->cancel_state;

    if (p->closing) {
        if (p->users == 0)
            (void)pthread_cond_signal(&p->left);
    } else {
        open_port_pass_on(p);
        keeper_left_alone(p);
    }
    (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_setcancelstate(cancel_state, NULL);
}

static int engine_new(struct open_port *p)
{
    const struct message_welcome *w = &p->channel.welcome;
    struct weft_mad_config c;
    int err;

    (void)weft_mad_config_init(&c);
    c.tid_first = w->tid_first;
    c.tid_last = w->tid_last;
    c.agents = ENGINE_AGENTS;
    if (c.tid_last - c.tid_first < c.agents)
        c.agents = c.tid_last - c.tid_first + 1;
    if (w->port > 0)
        c.port_number = w->port;
    c.hops_by_host = true;
    c.sends = ENGINE_SENDS;
    c.recv_depth = ENGINE_RECV_DEPTH;
    c.retry.busy = WEFT_MAD_BUSY_DELIVER;
    c.rmpp.window = ENGINE_RMPP_WINDOW;
    c.rmpp.transfers = ENGINE_RMPP_TRANSFERS;
    c.rmpp.bytes_max = ENGINE_RMPP_BYTES;
    c.rmpp.receive_ns = ENGINE_RMPP_RECEIVE;
    while ((err = weft_mad_port_new(&c, &pages_alloc, &p->engine)) == WEFT_ERR_NOMEM &&
           c.rmpp.bytes_max > ENGINE_RMPP_BYTES_MIN)
        c.rmpp.bytes_max /= 4;
    return err;
}

static void conditions_init(struct open_port *p)
{
    pthread_condattr_t attr;

    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&p->left, &attr);
    (void)pthread_cond_init(&p->eased, &attr);
    (void)pthread_cond_init(&p->line.came, &attr);
    (void)pthread_condattr_destroy(&attr);
}

/* In the child nobody is inside, and no thread keeps the port. */
static void fork_child(void)
{
    for (struct open_port *p = all_ports; p; p = p->next) {
        p->users = p->receivers = p->sleepers = 0;
        p->paced = 0;
        p->spinning = p->has_receiver = false;
        p->inherited = p->fd >= 0;
        keeper_lost(p);
        question_lost(p);
        conditions_init(p);
        (void)pthread_mutex_unlock(&p->mutex);
    }
    (void)pthread_mutex_unlock(&lists);
}

static void fork_parent(void)
{
    for (struct open_port *p = all_ports; p; p = p->next)
        (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_mutex_unlock(&lists);
}

static void fork_prepare(void)
{
    (void)pthread_mutex_lock(&lists);
    for (struct open_port *p = all_ports; p; p = p->next)
        (void)pthread_mutex_lock(&p->mutex);
}

static void watch_forks(void)
{
    (void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* Takes a port that is closed, or makes one. It is locked. */
static struct open_port *port_take(void)
{
    struct open_port *p;

    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&lists);
    for (p = all_ports; p; p = p->next) {
        if (pthread_mutex_trylock(&p->mutex) != 0)
            continue;
        if (p->fd < 0 && !p->closing)
            break;
        (void)pthread_mutex_unlock(&p->mutex);
    }
    if (!p) {
        p = calloc(1, sizeof(*p));
        if (p) {
            (void)pthread_mutex_init(&p->mutex, NULL);
            conditions_init(p);
            (void)pthread_mutex_lock(&p->mutex);
            p->next = all_ports;
            all_ports = p;
        }
    }
    if (p) {
        p->closing = true; /* nobody else's until it is open */
        p->fd = p->kick = p->keeper_wake = -1;
        p->channel = (struct channel){.socket = -1, .daemon_bell = -1, .client_bell = -1};
    }
    (void)pthread_mutex_unlock(&lists);
    return p;
}

/* Makes everything as in a port never used; it may be taken again. */
static void port_reset(struct open_port *p)
{
    const int fds[] = {p->fd, p->kick, p->keeper_wake};

    weft_mad_port_free(p->engine);
    message_pool_free(&p->pool);
    channel_close(&p->channel);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]);
    }
    p->engine = NULL;
    p->fd = p->kick = p->keeper_wake = -1;
    memset(p->agents, 0, sizeof(p->agents));
    p->inbox = (struct message_queue){.count = 0};
    p->pending = 0;
    p->own = 0;
    p->base_lid = 0;
    p->lmc = 0;
    p->line.first = p->line.count = p->line.late_claims = 0;
    p->line.asked_lid = false;
    p->inherited = false;
    p->dead = p->mourned = p->watched = p->signaled = p->armed = false;
    p->keeper_rests = p->keeper_lost = p->has_receiver = p->pace_broken = false;
    p->sleep_until = p->pumped_at = p->moved_at = 0;
    atomic_store(&p->filled, false);
    p->closing = false;
}

static int port_connect(struct open_port *p, uint8_t number)
{
    char text[CHANNEL_TEXT_BYTES];
    struct channel_wish wish = {.role = CHANNEL_ROLE_RINGS, .port = number};
    struct place place;
    int err = place_read(&place, text);

    if (!err) {
        wish.node = place.node;
        wish.vf = place.vf;
        err = channel_connect_as(place.socket, &wish, &p->channel, text);
    }
    if (err)
        place_complain(text);
    return err;
}

static int port_fill(struct open_port *p, uint8_t number)
{
    int err = port_connect(p, number);

    if (!err)
        err = engine_new(p);
    if (err)
        return err;
    p->kick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    p->keeper_wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    p->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (p->kick < 0 || p->keeper_wake < 0 || p->fd < 0 || p->fd >= FDS_MAX)
        return WEFT_ERR_FULL;
    return 0;
}

int open_port_new(uint8_t number, int *ret)
{
    struct open_port *p;
    int cancel_state, err;

    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    p = port_take();
    err = p ? port_fill(p, number) : WEFT_ERR_NOMEM;
    if (!err) {
        p->closing = false;
        *ret = p->fd;
        atomic_store(&ports[p->fd], p);
    } else if (p) {
        port_reset(p);
    }
    if (p)
        (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_setcancelstate(cancel_state, NULL);
    return err;
}

/* Takes back all that the engine has and all that nobody received. */
static void port_drain(struct open_port *p)
{
    struct weft_mad_tx tx;
    struct message *m;

    for (int i = 0; i < UMAD_CA_MAX_AGENTS; i++) {
        if (p->agents[i].registered)
            (void)weft_mad_agent_remove(p->engine, pump_clock(), p->agents[i].id);
    }
    while (weft_mad_poll_tx(p->engine, &tx))
        (void)weft_mad_tx_done(p->engine, pump_clock(), tx.id, false);
    pump_events(p);
    while ((m = message_queue_take(&p->inbox)))
        message_give(&p->pool, m);
}

int open_port_close(int fd)
{
    struct open_port *p;
    struct visit v;

    if (!open_port_enter(fd, &v))
        return WEFT_ERR_INVALID;
    p = v.port;
    p->closing = true;
    atomic_store(&ports[fd], NULL);
    open_port_kick(p);
    (void)pthread_cond_broadcast(&p->eased);
    keeper_end(p);
    while (p->users > 0)
        (void)pthread_cond_wait(&p->left, &p->mutex);
    port_drain(p);
    port_reset(p);
    (void)pthread_mutex_unlock(&p->mutex);
    (void)pthread_setcancelstate(v.cancel_state, NULL);
    return 0;
}
