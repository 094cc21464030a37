/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Players of iWARP on the loopback. */
#include "iw_fixture.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUEUE     16
#define MPA_BYTES 20

static void sleep_us(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};

    (void)nanosleep(&t, NULL);
}

static struct timespec patience_end(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += PLAYER_PATIENCE_MS / 1000;
    return t;
}

/* The lock is held. */
static void wait_changed(struct player *p, const struct timespec *end)
{
    assert_int_equal(pthread_cond_timedwait(&p->changed, &p->mutex, end), 0);
}

static int on_event(struct weft_iw *iw, const struct weft_iw_event *e, void *context)
{
    struct player *p = context;
    struct player_seen *seen;
    player_act act;
    int verdict;

    assert_ptr_equal(iw, p->iw);
    (void)pthread_mutex_lock(&p->mutex);
    assert_true(p->count < PLAYER_SEEN_MAX);
    seen = &p->seen[p->count++];
    *seen = (struct player_seen){.type = e->type,
                                 .id = e->id,
                                 .status = e->status,
                                 .rejected = e->rejected,
                                 .private_bytes = e->peer.private_bytes};
    if (e->peer.private_bytes > 0)
        memcpy(seen->private_data, e->peer.private_data, e->peer.private_bytes);
    act = p->act[e->type];
    verdict = p->verdict[e->type];
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->mutex);
    if (act)
        act(p, e);
    (void)pthread_mutex_lock(&p->mutex);
    seen->over = true;
    (void)pthread_mutex_unlock(&p->mutex);
    return verdict;
}

void player_open(struct player *p)
{
    struct weft_iw_config c = WEFT_IW_CONFIG_INIT;

    memset(p, 0, sizeof(*p));
    (void)pthread_mutex_init(&p->mutex, NULL);
    (void)pthread_cond_init(&p->changed, NULL);
    /* loaded machines are slow, and no test waits for these */
    c.siw.request_timeout_ns = 60 * WEFT_S;
    c.siw.reply_timeout_ns = 60 * WEFT_S;
    c.siw.close_timeout_ns = 60 * WEFT_S;
    assert_int_equal(weft_iw_open(&c, &p->iw), 0);
    assert_int_equal(weft_iw_cq_create(p->iw, 4096, &p->cqn), 0);
}

void player_close(struct player *p)
{
    assert_int_equal(weft_iw_close(p->iw), 0);
    (void)pthread_cond_destroy(&p->changed);
    (void)pthread_mutex_destroy(&p->mutex);
}

void player_do(struct player *p, enum weft_iw_event_type type, player_act act, int verdict)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->act[type] = act;
    p->verdict[type] = verdict;
    (void)pthread_mutex_unlock(&p->mutex);
}

void player_accept(struct player *p, const struct weft_iw_event *event)
{
    struct weft_iwcm_param param = {.private_data = "yes", .private_bytes = 3, .qpn = player_qp(p)};

    (void)pthread_mutex_lock(&p->mutex);
    p->accepted_qpn = param.qpn;
    (void)pthread_mutex_unlock(&p->mutex);
    assert_int_equal(weft_iw_accept(p->iw, event->id, &param), 0);
}

void player_gate(struct player *p, const struct weft_iw_event *event)
{
    struct timespec end = patience_end();

    (void)event;
    (void)pthread_mutex_lock(&p->mutex);
    while (!p->gate_open)
        wait_changed(p, &end);
    (void)pthread_mutex_unlock(&p->mutex);
}

void player_open_gate(struct player *p)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->gate_open = true;
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->mutex);
}

void player_note(struct player *p, int value)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->noted = value;
    (void)pthread_mutex_unlock(&p->mutex);
}

int player_noted(struct player *p)
{
    int value;

    (void)pthread_mutex_lock(&p->mutex);
    value = p->noted;
    (void)pthread_mutex_unlock(&p->mutex);
    return value;
}

uint32_t player_qp(struct player *p)
{
    struct weft_siw_qp_config c = {.send_cqn = p->cqn,
                                   .recv_cqn = p->cqn,
                                   .sends = QUEUE,
                                   .recvs = QUEUE,
                                   .all_signaled = true};
    uint32_t qpn = 0;

    assert_int_equal(weft_iw_qp_create(p->iw, &c, &qpn), 0);
    return qpn;
}

weft_iw_id player_id(struct player *p)
{
    weft_iw_id id;

    assert_int_equal(weft_iw_create(p->iw, on_event, p, &id), 0);
    return id;
}

weft_iw_id player_quiet_id(struct player *p)
{
    weft_iw_id id;

    assert_int_equal(weft_iw_create(p->iw, NULL, NULL, &id), 0);
    return id;
}

static void loopback(struct sockaddr_storage *ret)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    memset(ret, 0, sizeof(*ret));
    memcpy(ret, &at, sizeof(at));
}

weft_iw_id player_listen(struct player *p, uint32_t backlog, struct sockaddr_storage *at)
{
    weft_iw_id id = player_id(p);

    loopback(at);
    assert_int_equal(weft_iw_listen(p->iw, id, (struct sockaddr *)at, backlog, at), 0);
    return id;
}

int player_connect(struct player *p, weft_iw_id id, const struct sockaddr_storage *at, uint32_t qpn)
{
    struct weft_iwcm_param param = {.private_data = "hello", .private_bytes = 5, .qpn = qpn};

    return weft_iw_connect(p->iw, id, NULL, (const struct sockaddr *)at, &param);
}

struct player_pair player_pair(struct player *client, struct player *server,
                               const struct sockaddr_storage *at)
{
    struct player_pair pair = {.client = player_id(client), .client_qpn = player_qp(client)};
    const weft_iw_id any = {0};
    uint32_t before = player_count(server, WEFT_IW_ESTABLISHED, any);

    player_do(server, WEFT_IW_REQUEST, player_accept, 0);
    assert_int_equal(player_connect(client, pair.client, at, pair.client_qpn), 0);
    assert_int_equal(player_wait(client, WEFT_IW_REPLY, pair.client, 1).status, 0);
    pair.server = player_wait(server, WEFT_IW_ESTABLISHED, any, before + 1).id;
    (void)pthread_mutex_lock(&server->mutex);
    pair.server_qpn = server->accepted_qpn;
    (void)pthread_mutex_unlock(&server->mutex);
    return pair;
}

/* The lock is held. */
static uint32_t count(const struct player *p, enum weft_iw_event_type type, weft_iw_id id,
                      const struct player_seen **ret_last)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        if (p->seen[i].type == type && (id.v == 0 || p->seen[i].id.v == id.v)) {
            *ret_last = &p->seen[i];
            n++;
        }
    }
    return n;
}

uint32_t player_count(struct player *p, enum weft_iw_event_type type, weft_iw_id id)
{
    const struct player_seen *last;
    uint32_t n;

    (void)pthread_mutex_lock(&p->mutex);
    n = count(p, type, id, &last);
    (void)pthread_mutex_unlock(&p->mutex);
    return n;
}

struct player_seen player_wait(struct player *p, enum weft_iw_event_type type, weft_iw_id id,
                               uint32_t wanted)
{
    const struct player_seen *last = NULL;
    struct timespec end = patience_end();
    struct player_seen seen;

    (void)pthread_mutex_lock(&p->mutex);
    while (count(p, type, id, &last) < wanted)
        wait_changed(p, &end);
    assert_non_null(last);
    seen = *last;
    (void)pthread_mutex_unlock(&p->mutex);
    return seen;
}

enum weft_iwcm_state player_state(struct player *p, weft_iw_id id)
{
    enum weft_iwcm_state state = WEFT_IWCM_STATES;

    assert_int_equal(weft_iw_state(p->iw, id, &state), 0);
    return state;
}

void player_wait_state(struct player *p, weft_iw_id id, enum weft_iwcm_state state)
{
    for (int ms = 0; player_state(p, id) != state; ms++) {
        assert_true(ms < PLAYER_PATIENCE_MS);
        sleep_us(1000);
    }
}

void player_wait_endpoints(struct player *p, uint32_t wanted)
{
    struct weft_siw_stats s;

    for (int ms = 0;; ms++) {
        weft_iw_stats(p->iw, &s);
        if (s.endpoints == wanted && s.half_open == 0)
            return;
        assert_true(ms < PLAYER_PATIENCE_MS);
        sleep_us(1000);
    }
}

int raw_connect(const struct sockaddr_storage *at)
{
    int fd = socket(at->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)at, sizeof(struct sockaddr_in)), 0);
    return fd;
}

int raw_listen(struct sockaddr_storage *at)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof(*at);

    assert_true(fd >= 0);
    loopback(at);
    assert_int_equal(bind(fd, (struct sockaddr *)at, sizeof(struct sockaddr_in)), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)at, &length), 0);
    return fd;
}

int raw_accept(int listener)
{
    int fd = accept(listener, NULL, NULL);

    assert_true(fd >= 0);
    return fd;
}

void raw_send(int fd, const void *data, size_t bytes)
{
    assert_int_equal(send(fd, data, bytes, MSG_NOSIGNAL), bytes);
}

void raw_receive(int fd, void *data, size_t bytes)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    size_t got = 0;

    while (got < bytes) {
        ssize_t n;

        assert_int_equal(poll(&p, 1, PLAYER_PATIENCE_MS), 1);
        n = recv(fd, (char *)data + got, bytes - got, 0);
        assert_true(n > 0);
        got += (size_t)n;
    }
}

/* RFC 5044 7.1: key, flags, revision, length of the private data. */
static void raw_frame(int fd, const char *key, uint8_t flags, uint8_t revision, uint8_t more)
{
    uint8_t frame[MPA_BYTES + 4] = {0};

    memcpy(frame, key, 16);
    frame[16] = flags;
    frame[17] = revision;
    frame[19] = more;
    raw_send(fd, frame, (size_t)MPA_BYTES + more);
}

void raw_request(int fd)
{
    raw_frame(fd, "MPA ID Req Frame", 0, 1, 0);
}

/* RFC 6581 9: the S flag, and how many reads: none. */
void raw_reply(int fd, bool reject)
{
    raw_frame(fd, "MPA ID Rep Frame", reject ? 0x30 : 0x10, 2, 4);
}

void raw_take_frame(int fd)
{
    uint8_t frame[MPA_BYTES], data[WEFT_IWCM_PRIVATE_MAX];
    size_t more;

    raw_receive(fd, frame, sizeof(frame));
    more = (size_t)(frame[18] << 8 | frame[19]);
    assert_true(more <= sizeof(data));
    raw_receive(fd, data, more);
}

void raw_reset(int fd)
{
    struct linger linger = {.l_onoff = 1};

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
    assert_int_equal(close(fd), 0);
}

static _Atomic uint32_t steps;
_Thread_local void (*pause_here)(enum iw_point point);

/* Spread, and another one each time; the schedule itself is the system's. */
static void pause_a_while(enum iw_point point)
{
    uint32_t n = atomic_fetch_add(&steps, 1) * 2654435761u + (uint32_t)point * 40503u;

    if (pause_here) {
        pause_here(point);
        return;
    }
    n ^= n >> 15;
    switch (n % 8) {
    case 0:
        sleep_us(n / 8 % 200);
        break;
    case 1:
    case 2:
    case 3:
        (void)sched_yield();
        break;
    default:
        break;
    }
}

static void no_pause(enum iw_point point)
{
    (void)point;
}

void pauses_begin(void)
{
    iw_pause = pause_a_while;
}

void pauses_end(void)
{
    iw_pause = no_pause;
}
