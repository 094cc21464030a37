/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to the daemon, in line. */
#include "umad/question.h"

#include "channel/message.h"
#include "umad/keeper.h"
#include "umad/place.h"
#include "umad/pump.h"

#include <poll.h>
#include <time.h>

/* Who waits looks this often whether its port is being closed. */
#define QUESTION_LOOK_NS (100 * WEFT_MS)
/* What the daemon needs where it is only busy. */
#define QUESTION_LID_NS  (250 * WEFT_MS)

/* What somebody waits for. */
struct answer {
    bool came;
    int err;
    uint32_t value;
};

union heard {
    struct message_head head;
    struct message_result result;
    struct message_port port;
};

/* Puts a question last. `to` NULL: nobody will wait for its answer. */
static int put(struct open_port *p, void *request, size_t bytes, struct answer *to)
{
    struct question_line *l = &p->line;
    enum message_type type = ((const struct message_head *)request)->type;
    int err;

    if (p->dead || l->count == QUESTIONS_MAX)
        return WEFT_ERR_STATE;
    message_begin(request, type);
    err = message_send(p->channel.socket, request, bytes, NULL);
    if (err)
        return err;
    l->questions[(l->first + l->count) % QUESTIONS_MAX] = (struct question){.type = type, .to = to};
    l->count++;
    return 0;
}

/* The program was told that it has no such claim. */
static void give_back(struct open_port *p, uint32_t number)
{
    struct message_number query = {.head.type = MESSAGE_AGENT_REMOVE, .number = number};

    (void)put(p, &query, sizeof(query), NULL);
}

static void learn_lid(struct open_port *p, const struct message_port *m)
{
    if (weft_mad_port_set_lid(p->engine, m->lid, m->lmc) < 0)
        return;
    p->base_lid = m->lid;
    p->lmc = m->lmc;
}

/* What a message says in answer to a question. */
static struct answer understand(struct open_port *p, const struct question *q, const union heard *m,
                                size_t bytes)
{
    struct answer a = {.came = true, .err = WEFT_ERR_FORMAT};

    if (!message_has_head(m, bytes))
        return a;
    if (m->head.type == MESSAGE_RESULT && bytes == sizeof(m->result)) {
        a.err = m->result.err;
        a.value = m->result.value;
    } else if (m->head.type == MESSAGE_PORT && bytes == sizeof(m->port) &&
               q->type == MESSAGE_PORT_QUERY) {
        learn_lid(p, &m->port);
        a.err = 0;
    }
    return a;
}

static void take(struct open_port *p, const union heard *m, size_t bytes)
{
    struct question_line *l = &p->line;
    struct question q = l->questions[l->first];
    struct answer a = understand(p, &q, m, bytes);

    l->first = (l->first + 1) % QUESTIONS_MAX;
    l->count--;
    if (q.type == MESSAGE_PORT_QUERY)
        l->asked_lid = false;
    if (q.to) {
        *q.to = a;
    } else if (q.type == MESSAGE_AGENT_ADD) {
        l->late_claims--;
        if (a.err == 0)
            give_back(p, a.value);
    }
}

/* Takes all answers that are there. */
static void hear(struct open_port *p)
{
    union heard m;
    size_t bytes;
    int err = 0;

    while (p->line.count > 0 && !p->dead) {
        err = message_receive(p->channel.socket, &m, sizeof(m), &bytes, NULL);
        if (err)
            break;
        if (message_has_head(&m, bytes) && m.head.type == MESSAGE_REFUSED) {
            if (bytes == sizeof(m.result) &&
                message_text_ended(m.result.text, sizeof(m.result.text)))
                place_complain(m.result.text);
            pump_died(p);
            break;
        }
        take(p, &m, bytes);
    }
    if (err && err != WEFT_ERR_NOTFOUND)
        pump_died(p);
    (void)pthread_cond_broadcast(&p->line.came);
}

/* Waits a while for what comes, unlocked; one thread listens for all. */
static void listen_unlocked(struct open_port *p, weft_time until)
{
    weft_time look = pump_clock() + QUESTION_LOOK_NS;
    struct pollfd fd = {.fd = p->channel.socket, .events = POLLIN};

    if (look > until)
        look = until;
    if (p->line.listening) {
        const struct timespec limit = {.tv_sec = (time_t)(look / WEFT_S),
                                       .tv_nsec = (long)(look % WEFT_S)};

        (void)pthread_cond_timedwait(&p->line.came, &p->mutex, &limit);
        return;
    }
    p->line.listening = true;
    (void)pthread_mutex_unlock(&p->mutex);
    (void)poll(&fd, 1, (int)(QUESTION_LOOK_NS / WEFT_MS));
    (void)pthread_mutex_lock(&p->mutex);
    p->line.listening = false;
    hear(p);
}

static bool may_wait(const struct open_port *p, weft_time until)
{
    return !p->dead && !p->closing && pump_clock() < until;
}

/* Leaves the question in line; its answer finds nobody. */
static void abandon(struct open_port *p, const struct answer *to)
{
    struct question_line *l = &p->line;

    for (uint32_t i = 0; i < l->count; i++) {
        struct question *q = &l->questions[(l->first + i) % QUESTIONS_MAX];

        if (q->to != to)
            continue;
        q->to = NULL;
        if (q->type == MESSAGE_AGENT_ADD)
            l->late_claims++;
    }
    if (!p->closing && !p->dead)
        (void)keeper_need(p);
}

/* A claim made while an earlier one is not yet given back would be in conflict with it. */
static int put_in_time(struct open_port *p, void *request, size_t bytes, weft_time until,
                       struct answer *to)
{
    bool claim = ((const struct message_head *)request)->type == MESSAGE_AGENT_ADD;

    while (claim && p->line.late_claims > 0) {
        if (!may_wait(p, until))
            return WEFT_ERR_STATE;
        listen_unlocked(p, until);
    }
    return p->closing ? WEFT_ERR_STATE : put(p, request, bytes, to);
}

int question_ask(struct open_port *p, void *request, size_t bytes, uint32_t *ret)
{
    weft_time until = pump_clock() + CHANNEL_WAIT_NS;
    struct answer a = {.came = false};
    int err;

    p->users++;
    err = put_in_time(p, request, bytes, until, &a);
    if (!err) {
        while (!a.came && may_wait(p, until))
            listen_unlocked(p, until);
        err = a.came ? a.err : WEFT_ERR_STATE;
        if (!a.came)
            abandon(p, &a);
    }
    /* those who sleep are to listen from now on */
    if (p->line.count > 0)
        open_port_kick(p);
    p->users--;
    *ret = a.value;
    return err;
}

void question_lid(struct open_port *p)
{
    struct message_number query = {.head.type = MESSAGE_PORT_QUERY,
                                   .number = p->channel.welcome.port};
    struct pollfd fd = {.fd = p->channel.socket, .events = POLLIN};
    weft_time until = pump_clock() + QUESTION_LID_NS, now;

    if (p->line.asked_lid || put(p, &query, sizeof(query), NULL) < 0)
        return;
    p->line.asked_lid = true;
    while (p->line.asked_lid && !p->dead && (now = pump_clock()) < until) {
        (void)poll(&fd, 1, (int)((until - now) / WEFT_MS) + 1);
        hear(p);
    }
}

bool question_is_open(const struct open_port *p)
{
    return p->line.count > 0 && !p->line.listening && !p->dead;
}

void question_hear(struct open_port *p)
{
    if (question_is_open(p))
        hear(p);
}

void question_lost(struct open_port *p)
{
    struct question_line *l = &p->line;

    for (uint32_t i = 0; i < l->count; i++) {
        struct question *q = &l->questions[(l->first + i) % QUESTIONS_MAX];

        if (q->to && q->type == MESSAGE_AGENT_ADD)
            l->late_claims++;
        q->to = NULL;
    }
    l->listening = false;
}
