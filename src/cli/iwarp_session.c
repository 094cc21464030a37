/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One end of iWARP: the loop's events, sorted to the listener and the links. */
#include "cli/iwarp_session.h"

#include "cli/iwarp_address.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

/* What a signal handler may touch. */
static volatile sig_atomic_t interrupted;
static struct iw_loop *volatile interrupted_loop;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
    if (interrupted_loop)
        iw_loop_wake(interrupted_loop);
}

bool iwarp_session_interrupted(void)
{
    return interrupted != 0;
}

weft_time iwarp_session_in(weft_time duration)
{
    return iw_loop_now() + duration;
}

/* Without SA_RESTART: a read or write that waits ends, too. */
static void catch_signals(void)
{
    struct sigaction end = {.sa_handler = on_signal};
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    sigemptyset(&end.sa_mask);
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* Each connection is a file. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static uint32_t at_least(uint32_t configured, uint32_t wanted)
{
    return wanted > configured ? wanted : configured;
}

int iwarp_session_open(struct iwarp_session *s, const struct iwarp_request *r, uint32_t connections)
{
    struct weft_iwcm_config cm = WEFT_IWCM_CONFIG_INIT;
    struct weft_siw_config siw = r->siw;
    int err;

    *s = (struct iwarp_session){.request = r};
    cm.ids = at_least(cm.ids, connections + IWARP_WAITING_MAX + 8);
    cm.qps = at_least(cm.qps, connections + 8);
    siw.endpoints = cm.ids;
    siw.qps = cm.qps;
    siw.cqs = cm.qps;
    siw.reply_timeout_ns = r->timeout;
    siw.dial_timeout_ns = r->timeout;
    raise_file_limit();
    if (getrandom(&siw.seed, sizeof(siw.seed), 0) != (ssize_t)sizeof(siw.seed))
        return message_failed("cannot get random numbers: %s", strerror(errno));
    err = iw_loop_new(&cm, &siw, &s->loop);
    if (err != 0)
        return message_failed("cannot set up iWARP: %s",
                              err == WEFT_ERR_NOMEM ? "no memory, or no file descriptor, is left"
                                                    : "a number is out of range");
    s->cm = iw_loop_cm(s->loop);
    s->siw = iw_loop_siw(s->loop);
    interrupted_loop = s->loop;
    catch_signals();
    return CLI_DONE;
}

void iwarp_session_close(struct iwarp_session *s)
{
    interrupted_loop = NULL;
    s->loop = iw_loop_free(s->loop);
}

static void keep_peer(const struct weft_iwcm_param *from, struct weft_iwcm_param *ret,
                      uint8_t private_data[WEFT_IWCM_PRIVATE_MAX])
{
    *ret = *from;
    if (ret->private_bytes > 0)
        memcpy(private_data, from->private_data, from->private_bytes);
    ret->private_data = private_data;
}

static void take_request(struct iwarp_session *s, const struct weft_iwcm_event *e)
{
    struct iwarp_waiting w = {.id = e->id, .local = e->local, .remote = e->remote};

    keep_peer(&e->peer, &w.peer, w.private_data);
    if (s->on_request && s->on_request(s, &w))
        return;
    if (s->waiting_count == IWARP_WAITING_MAX) {
        weft_iwcm_destroy(s->cm, e->id);
        return;
    }
    s->waiting[(s->waiting_first + s->waiting_count) % IWARP_WAITING_MAX] = w;
    s->waiting_count++;
}

static void link_up(struct iwarp_link *l, const struct weft_iwcm_event *e)
{
    l->was_up = true;
    if (l->state == IWARP_LINK_STARTING)
        l->state = IWARP_LINK_UP;
    l->local = e->local;
    l->remote = e->remote;
    /* ESTABLISHED brings no private data: what the request brought stays. */
    if (e->type == WEFT_IWCM_EVENT_REPLY || e->peer.private_bytes > 0)
        keep_peer(&e->peer, &l->peer, l->private_data);
    weft_siw_qp_query(l->session->siw, l->qpn, &l->terms);
}

static void link_ended(struct iwarp_link *l, const struct weft_iwcm_event *e)
{
    l->state = IWARP_LINK_ENDED;
    l->status = e->status;
    if (e->type == WEFT_IWCM_EVENT_REPLY)
        keep_peer(&e->peer, &l->peer, l->private_data);
    weft_siw_qp_query(l->session->siw, l->qpn, &l->ending);
}

static void link_event(struct iwarp_link *l, const struct weft_iwcm_event *e)
{
    switch (e->type) {
    case WEFT_IWCM_EVENT_DONE:
        if (e->status != WEFT_IWCM_OK &&
            (e->call == WEFT_IWCM_CALL_CONNECT || e->call == WEFT_IWCM_CALL_ACCEPT))
            link_ended(l, e);
        break;
    case WEFT_IWCM_EVENT_REPLY:
        if (e->status == WEFT_IWCM_OK)
            link_up(l, e);
        else
            link_ended(l, e);
        break;
    case WEFT_IWCM_EVENT_ESTABLISHED:
        link_up(l, e);
        break;
    case WEFT_IWCM_EVENT_CLOSED:
        link_ended(l, e);
        break;
    case WEFT_IWCM_EVENT_GONE:
        l->state = IWARP_LINK_ENDED;
        l->gone = true;
        break;
    case WEFT_IWCM_EVENT_REQUEST:
    case WEFT_IWCM_EVENTS:
    default:
        break;
    }
}

static void take_event(struct iwarp_session *s, const struct weft_iwcm_event *e)
{
    struct iwarp_link *l;

    memcpy(&l, &e->user_data, sizeof(void *));
    if (e->type == WEFT_IWCM_EVENT_REQUEST) {
        take_request(s, e);
    } else if (e->id.v == s->listener.v) {
        s->listener_done = true;
        s->listener_status = e->status;
        s->listens_at = e->local;
    } else if (l) {
        link_event(l, e);
        if (s->on_gone && l->owner && l->state == IWARP_LINK_ENDED)
            s->on_gone(l);
    }
}

/* Takes in what happened.
 * @return whether anything did */
static bool drain(struct iwarp_session *s)
{
    struct weft_iwcm_event event;
    struct weft_siw_event queue_event;
    bool any = false;

    while (weft_iwcm_poll_event(s->cm, &event)) {
        take_event(s, &event);
        any = true;
    }
    while (weft_siw_poll_event(s->siw, &queue_event))
        ;
    if (any)
        iw_loop_pump(s->loop);
    return any;
}

void iwarp_session_turn(struct iwarp_session *s, weft_time deadline)
{
    weft_time wait = deadline;

    /* What a call has brought about is no reason for the loop to wake up. */
    if (drain(s))
        wait = 0;
    if (wait != 0 && wait != WEFT_TIME_NEVER) {
        weft_time now = iw_loop_now();

        wait = deadline > now ? deadline - now : 0;
    }
    iw_loop_turn(s->loop, wait);
    drain(s);
}

int iwarp_session_listen(struct iwarp_session *s, FILE *out)
{
    char text[IWARP_ADDRESS_TEXT];
    struct weft_iw_addr at = s->request->bind;
    int err;

    if (at.family == 0)
        at.family = 4;
    err = weft_iwcm_create(s->cm, 0, &s->listener);
    if (err == 0)
        err = weft_iwcm_listen(s->cm, s->listener, &at, 0);
    if (err != 0)
        return message_failed("cannot listen: error %d", err);
    iw_loop_pump(s->loop);
    while (!s->listener_done && !interrupted)
        iwarp_session_turn(s, WEFT_TIME_NEVER);
    if (interrupted)
        return message_failed("interrupted");
    if (s->listener_status != WEFT_IWCM_OK) {
        message("cannot listen on %s: %s", iwarp_address_text(&at, text),
                weft_iwcm_status_text(s->listener_status));
        message_try("another --port (0 lets the system choose) or --bind one of this host's "
                    "addresses");
        return CLI_FAILED;
    }
    if (out)
        iwarp_session_announce(s, out);
    return CLI_DONE;
}

void iwarp_session_announce(const struct iwarp_session *s, FILE *out)
{
    char text[IWARP_ADDRESS_TEXT];

    fprintf(out, "listening on %s\n", iwarp_address_text(&s->listens_at, text));
    fflush(out);
}

bool iwarp_session_take(struct iwarp_session *s, struct iwarp_waiting *ret)
{
    if (s->waiting_count == 0)
        return false;
    *ret = s->waiting[s->waiting_first];
    ret->peer.private_data = ret->private_data;
    s->waiting_first = (s->waiting_first + 1) % IWARP_WAITING_MAX;
    s->waiting_count--;
    return true;
}

bool iwarp_session_next(struct iwarp_session *s, weft_time deadline, struct iwarp_waiting *ret)
{
    while (!iwarp_session_take(s, ret)) {
        if (interrupted || iw_loop_now() >= deadline)
            return false;
        iwarp_session_turn(s, deadline);
    }
    return true;
}

void iwarp_session_reject(struct iwarp_session *s, const struct iwarp_waiting *w,
                          const struct iwarp_private *p)
{
    weft_iwcm_reject(s->cm, w->id, p->data, p->bytes);
    weft_iwcm_destroy(s->cm, w->id);
    iw_loop_pump(s->loop);
}

void iwarp_session_settle(struct iwarp_session *s)
{
    weft_time deadline = iwarp_session_in(s->request->timeout);
    struct weft_siw_stats stats;

    weft_siw_stats(s->siw, &stats);
    while (stats.endpoints > 1 && iw_loop_now() < deadline) {
        iwarp_session_turn(s, deadline);
        weft_siw_stats(s->siw, &stats);
    }
}
