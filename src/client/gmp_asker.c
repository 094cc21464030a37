/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests by LID: queues, window, and what is asked once more. */
#include "client/gmp_asker.h"

#include "client/pace.h"
#include "client/wait.h"
#include "core/base/alloc.h"
#include "core/wire/mad_header.h"

#include <string.h>

#define WINDOW_LIMIT 512
#define WINDOW_MIN   4
#define FIRST_MIN    WEFT_MS
#define TIMEOUT_MIN  (4 * WEFT_MS)
#define TIMEOUT_MAX  (60 * WEFT_S)

/* Late answers from which on they are no accident. */
#define LATE_MIN 4

/* All tries of a round lost at less than one question of so many is no reason for another one. */
#define LOST_ONE_OF (UINT64_C(1) << 20)
/* A round has at least half as many again: those far away lose more than the average. */
#define ROUND_TRIES 14

/* Where more than one answer of so many came late, the window is too large. */
#define SHRINK_SHARE 2

/* What is added to the wait grows up to so many times the first one. */
#define PATIENCE 1

/* Waits for a slow agent double so often; where packets get lost they do not, and so many packets
 * are sent at least: one in a million questions loses them all, where one packet in three is lost.
 */
#define DOUBLINGS_MAX 4
#define POSTS_LOSSY   13

#define NO_SLOT UINT32_MAX
#define NOBODY  UINT32_MAX

enum slot_state {
    SLOT_FREE,
    SLOT_OUT,      /* with the engine */
    SLOT_ANSWERED, /* its result was given; the engine still holds the MAD */
    SLOT_AGAIN     /* to be sent once more */
};

struct slot {
    struct gmp_question question;
    struct weft_mad_addr to;
    uint32_t next; /* in the list of free ones, or of those to be sent again */
    enum slot_state state;
    bool waits;       /* it had no answer in time */
    bool apart;       /* it waits, or for a slow agent: it is not counted in the window */
    uint8_t level;    /* of its agent's pace when it was posted */
    uint8_t rounds;   /* how often it was posted with all patience */
    uint8_t posts;    /* since its agent has last said something, to a slow one */
    uint32_t batch;   /* of requests that tell how long to wait */
    uint32_t packets; /* that the earlier posts have sent */
    uint32_t heard;   /* answers of its agent when it was posted */
    weft_time waited; /* since its agent has last said something, for a slow one */
    uint8_t mad[WEFT_MAD_BYTES];
};

/* A question in a queue. */
struct queued {
    struct gmp_question question;
    uint32_t next; /* to the same agent, or free */
};

/* Who is asked. */
struct peer {
    struct pace pace;
    uint32_t out;         /* questions under way */
    uint32_t heard;       /* answers */
    uint32_t first, last; /* of its queue; NOBODY: it is empty */
    uint32_t next;        /* whose turn it is after this one */
    bool in_turn;
};

struct gmp_asker {
    struct weft_alloc alloc;
    struct weft_counters_patience config;
    weft_mad_agent_id agent;
    uint8_t mgmt_class;
    struct weft_mad_retry patient[WAIT_HALVINGS_MAX + 1]; /* by how often the wait is halved */
    struct weft_mad_retry sparse; /* where packets hardly get lost, and copies only make queues */
    struct pace_bounds bounds;
    struct wait wait;
    struct queued *queue;
    struct peer *peers;
    uint32_t queue_space, queue_count, queue_free;
    uint32_t peer_space;
    uint32_t turn, turn_last; /* list of peers that have questions */
    uint32_t free, again;     /* lists of slots */
    uint32_t busy;            /* slots not free */
    uint32_t apart;           /* of these, those that are not counted in the window */
    uint32_t window;
    uint32_t recent, recent_late; /* answers since the window has last changed */
    uint64_t quick, quick_late;   /* answers by agents that are not slow */
    uint32_t tid;
    uint32_t slot_count;
    struct weft_counters_stats stats;
    struct slot slots[];
};

void gmp_patience_init(struct weft_counters_patience *ret)
{
    *ret = (struct weft_counters_patience){.window_first = 64,
                                           .window_max = 512,
                                           .timeout = WEFT_S,
                                           .first = 25 * WEFT_MS,
                                           .rounds = 4};
}

static bool is_usable(const struct weft_counters_patience *c)
{
    return c->window_first >= 1 && c->window_first <= c->window_max &&
           c->window_max <= WINDOW_LIMIT && c->timeout >= TIMEOUT_MIN &&
           c->timeout <= TIMEOUT_MAX && c->first >= FIRST_MIN && c->first <= c->timeout / 2 &&
           c->rounds >= 1;
}

static size_t asker_bytes(uint32_t slots)
{
    return sizeof(struct gmp_asker) + slots * sizeof(struct slot);
}

static void patient_init(const struct weft_counters_patience *c, uint8_t halvings,
                         struct weft_mad_retry *ret)
{
    weft_time first = c->first >> halvings;

    weft_mad_retry_init(ret);
    ret->kind = WEFT_MAD_RETRY_BACKOFF;
    ret->bound = WEFT_MAD_BOUND_TIME;
    ret->base_ns = ret->jitter_ns = first;
    ret->cap_ns = PATIENCE * c->first;
    ret->total_ns = c->timeout - 2 * first;
}

/* Copies that double their wait from one to the next: the number of those sent tells how long an
 * answer takes. */
static void sparse_init(const struct weft_counters_patience *c, struct weft_mad_retry *ret)
{
    weft_mad_retry_init(ret);
    ret->kind = WEFT_MAD_RETRY_BACKOFF;
    ret->bound = WEFT_MAD_BOUND_TIME;
    ret->base_ns = 2 * c->first;
    ret->jitter_ns = c->first;
    ret->cap_ns = c->timeout;
    ret->total_ns = c->timeout - 2 * c->first;
}

int gmp_asker_new(const struct weft_counters_patience *c, weft_mad_agent_id agent,
                  uint8_t mgmt_class, const struct weft_alloc *alloc, struct gmp_asker **ret)
{
    struct weft_alloc from = alloc_or_libc(alloc);
    struct weft_counters_patience config;
    struct gmp_asker *a;
    uint32_t slots;

    gmp_patience_init(&config);
    if (c)
        config = *c;
    if (!is_usable(&config))
        return WEFT_ERR_INVALID;
    slots = 2 * config.window_max;
    a = alloc_array(&from, 1, asker_bytes(slots));
    if (!a)
        return WEFT_ERR_NOMEM;
    a->alloc = from;
    a->config = config;
    a->agent = agent;
    a->mgmt_class = mgmt_class;
    wait_init(&a->wait, config.first);
    for (uint8_t i = 0; i <= WAIT_HALVINGS_MAX; i++)
        patient_init(&config, i, &a->patient[i]);
    sparse_init(&config, &a->sparse);
    a->bounds = (struct pace_bounds){.first = config.first, .timeout = config.timeout};
    a->window = config.window_first;
    a->again = NO_SLOT;
    a->queue_free = a->turn = a->turn_last = NOBODY;
    a->slot_count = slots;
    for (uint32_t i = 0; i < slots; i++)
        a->slots[i].next = i + 1 < slots ? i + 1 : NO_SLOT;
    *ret = a;
    return 0;
}

struct gmp_asker *gmp_asker_free(struct gmp_asker *a)
{
    struct weft_alloc alloc;

    if (!a)
        return NULL;
    alloc = a->alloc;
    alloc_put(&alloc, a->queue, a->queue_space, sizeof(a->queue[0]));
    alloc_put(&alloc, a->peers, a->peer_space, sizeof(a->peers[0]));
    alloc_put(&alloc, a, 1, asker_bytes(a->slot_count));
    return NULL;
}

void gmp_asker_hurry(struct gmp_asker *a, uint8_t halvings, bool lossy)
{
    wait_hurry(&a->wait, halvings);
    a->bounds.lossy = lossy;
}

static int queue_grow(struct gmp_asker *a)
{
    uint32_t space = a->queue_space ? 2 * a->queue_space : 256;
    struct queued *queue = space > a->queue_space ? alloc_grow(&a->alloc, a->queue, a->queue_space,
                                                               space, sizeof(*queue))
                                                  : NULL;

    if (!queue)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = a->queue_space; i < space; i++)
        queue[i].next = i + 1 < space ? i + 1 : NOBODY;
    a->queue_free = a->queue_space;
    a->queue = queue;
    a->queue_space = space;
    return 0;
}

static int peers_grow(struct gmp_asker *a, uint32_t whom)
{
    uint32_t space = a->peer_space ? a->peer_space : 64;
    struct peer *peers;

    while (space <= whom && space <= UINT32_MAX / 2)
        space *= 2;
    peers =
        space > whom ? alloc_grow(&a->alloc, a->peers, a->peer_space, space, sizeof(*peers)) : NULL;
    if (!peers)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = a->peer_space; i < space; i++) {
        peers[i] = (struct peer){.first = NOBODY, .last = NOBODY, .next = NOBODY};
        pace_init(&peers[i].pace);
    }
    a->peers = peers;
    a->peer_space = space;
    return 0;
}

/* Whoever has questions gets a turn, after all others. */
static void turn_give(struct gmp_asker *a, uint32_t whom)
{
    struct peer *p = &a->peers[whom];

    if (p->in_turn || p->first == NOBODY)
        return;
    p->in_turn = true;
    p->next = NOBODY;
    *(a->turn == NOBODY ? &a->turn : &a->peers[a->turn_last].next) = whom;
    a->turn_last = whom;
}

/* Ends the turn of the first. */
static uint32_t turn_take(struct gmp_asker *a)
{
    uint32_t whom = a->turn;

    a->turn = a->peers[whom].next;
    a->peers[whom].in_turn = false;
    return whom;
}

int gmp_asker_put(struct gmp_asker *a, const struct gmp_question *q)
{
    int err = q->whom >= a->peer_space ? peers_grow(a, q->whom) : 0;
    uint32_t at;
    struct peer *p;

    if (!err && a->queue_free == NOBODY)
        err = queue_grow(a);
    if (err)
        return err;
    p = &a->peers[q->whom];
    at = a->queue_free;
    a->queue_free = a->queue[at].next;
    a->queue[at] = (struct queued){.question = *q, .next = NOBODY};
    *(p->first == NOBODY ? &p->first : &a->queue[p->last].next) = at;
    p->last = at;
    a->queue_count++;
    turn_give(a, q->whom);
    return 0;
}

static struct gmp_question queue_take(struct gmp_asker *a, struct peer *p)
{
    uint32_t at = p->first;
    struct queued *q = &a->queue[at];

    p->first = q->next;
    q->next = a->queue_free;
    a->queue_free = at;
    a->queue_count--;
    return q->question;
}

bool gmp_asker_next(struct gmp_asker *a, struct gmp_question *ret)
{
    if (a->free == NO_SLOT || a->busy - a->apart >= a->window)
        return false;
    while (a->turn != NOBODY) {
        uint32_t whom = turn_take(a);
        struct peer *p = &a->peers[whom];

        /* Whoever has no room for more gets a turn again with the next answer. */
        if (p->out >= p->pace.limit)
            continue;
        *ret = queue_take(a, p);
        turn_give(a, whom);
        return true;
    }
    return false;
}

static struct peer *peer_of(const struct gmp_asker *a, const struct slot *s)
{
    return &a->peers[s->question.whom];
}

static void slot_part(struct gmp_asker *a, struct slot *s)
{
    a->apart += !s->apart;
    s->apart = true;
}

static bool is_dense(const struct gmp_asker *a, const struct slot *s)
{
    return a->bounds.lossy || s->rounds > 1;
}

/* How long to wait after the packet that is posted next. */
static weft_time slot_wait(const struct gmp_asker *a, const struct slot *s)
{
    const struct peer *p = peer_of(a, s);
    weft_time wait = a->config.first >> a->wait.halvings;

    if (s->level > 0) {
        wait = pace_wait(&p->pace, &a->bounds, p->out);
        for (uint8_t i = 0; i < s->posts && i < DOUBLINGS_MAX && !a->bounds.lossy; i++)
            wait *= 2;
        return wait < a->config.timeout ? wait : a->config.timeout;
    }
    return s->waits && !is_dense(a, s) ? a->config.first : wait;
}

/* How a question is asked that had no answer to its first packet. A slow agent is sent one packet
 * at a time: that its pace has changed counts from the next one on. */
static const struct weft_mad_retry *slot_retry(const struct gmp_asker *a, const struct slot *s)
{
    if (!s->waits || s->level > 0)
        return NULL;
    return is_dense(a, s) ? &a->patient[a->wait.halvings] : &a->sparse;
}

/* All posts of a question have one transaction id: a late answer to an earlier one is an answer. */
static void slot_post(struct gmp_asker *a, struct slot *s, struct weft_mad_send_req *ret)
{
    const struct peer *p = peer_of(a, s);

    s->state = SLOT_OUT;
    /* Whoever is silent for so long that only loss explains it is sent many packets. */
    s->level = s->rounds > 1 ? 0 : p->pace.level;
    s->heard = p->heard;
    s->batch = s->waits || s->level > 0 ? WAIT_NO_BATCH : wait_begin(&a->wait);
    if (s->level > 0)
        slot_part(a, s);
    a->stats.questions++;
    *ret = (struct weft_mad_send_req){
        .agent = a->agent,
        .to = s->to,
        .data = s->mad,
        .len = WEFT_MAD_BYTES,
        .timeout = slot_wait(a, s),
        .retry = slot_retry(a, s),
        .user_data = (uint64_t)(s - a->slots) + 1,
    };
    if (s->level > 0) {
        s->waited += ret->timeout;
        if (s->posts < UINT8_MAX)
            s->posts++;
    }
}

uint8_t *gmp_asker_ask(struct gmp_asker *a, const struct gmp_question *q,
                       const struct weft_mad_addr *to, struct weft_mad_send_req *ret)
{
    struct slot *s = &a->slots[a->free];

    a->free = s->next;
    a->busy++;
    *s = (struct slot){.question = *q, .to = *to};
    peer_of(a, s)->out++;
    mad_set_tid(s->mad, ++a->tid);
    mad_set_base_version(s->mad, WEFT_MAD_BASE_VERSION);
    mad_set_class(s->mad, a->mgmt_class);
    mad_set_class_version(s->mad, 1);
    mad_set_method(s->mad, q->method);
    mad_set_attr_id(s->mad, q->attr_id);
    slot_post(a, s, ret);
    return s->mad + WEFT_ATTRIBUTE_OFFSET;
}

bool gmp_asker_again(struct gmp_asker *a, struct weft_mad_send_req *ret)
{
    struct slot *s;

    if (a->again == NO_SLOT)
        return false;
    s = &a->slots[a->again];
    a->again = s->next;
    slot_post(a, s, ret);
    return true;
}

/* From the share of packets that get lost: whether a living node may stay without an answer to all
 * tries of a round. */
static bool packets_get_lost(const struct gmp_asker *a)
{
    uint64_t lost = LOST_ONE_OF;

    for (int i = 0; i < ROUND_TRIES && lost > 0; i++)
        lost = lost * a->quick_late / (a->quick + 1);
    return a->quick_late >= LATE_MIN && lost > 0;
}

static void slot_free(struct gmp_asker *a, struct slot *s)
{
    a->apart -= s->apart;
    s->state = SLOT_FREE;
    s->next = a->free;
    a->free = (uint32_t)(s - a->slots);
    a->busy--;
    peer_of(a, s)->out--;
    turn_give(a, s->question.whom);
}

/* Whether a slow agent may still come to a question. */
static bool is_slow_served(const struct gmp_asker *a, const struct slot *s)
{
    return s->waited < pace_patience(&peer_of(a, s)->pace, &a->bounds) ||
           (a->bounds.lossy && s->posts < POSTS_LOSSY);
}

/* Whether a question without an answer is asked once more: first with all patience, outside the
 * window; then while its agent answers others; then as often as packets that get lost are a reason
 * to. */
static bool is_asked_again(struct gmp_asker *a, struct slot *s)
{
    bool answers = peer_of(a, s)->heard != s->heard;

    slot_part(a, s);
    if (answers)
        s->waited = s->posts = 0;
    if (s->waits && (answers || (s->level > 0 && is_slow_served(a, s))))
        return true;
    if (s->waits && (s->rounds >= a->config.rounds || !packets_get_lost(a)))
        return false;
    s->waits = true;
    s->rounds++;
    return true;
}

/* A window's worth of answers says whether the window may be larger. Who never answers says nothing
 * about it. */
static void window_learn(struct gmp_asker *a, bool late)
{
    a->quick++;
    a->quick_late += late;
    a->recent_late += late;
    if (++a->recent < a->window)
        return;
    if (a->recent_late > a->recent / SHRINK_SHARE) {
        if (a->window / 2 >= WINDOW_MIN)
            a->window /= 2;
    } else {
        a->window = a->window > a->config.window_max / 2 ? a->config.window_max : 2 * a->window;
    }
    a->recent = a->recent_late = 0;
}

static bool slot_received(const struct gmp_asker *a, struct slot *s,
                          const struct weft_mad_event *ev, struct gmp_result *ret)
{
    const uint8_t *mad = ev->u.recv.mad;
    bool ours = mad_class(mad) == a->mgmt_class && mad_method(mad) == WEFT_METHOD_GET_RESP &&
                mad_attr_id(mad) == s->question.attr_id;

    if (s->state != SLOT_OUT)
        return false;
    s->state = SLOT_ANSWERED;
    *ret = (struct gmp_result){.question = s->question,
                               .data = ours ? mad + WEFT_ATTRIBUTE_OFFSET : NULL,
                               .status = mad_status(mad),
                               .answered = true};
    return true;
}

/* What an answer says about its agent, and, where that one is not slow, about all of them. */
static void slot_learn(struct gmp_asker *a, const struct slot *s)
{
    struct peer *p = peer_of(a, s);
    bool late = s->packets > 1;

    a->stats.answers++;
    a->stats.late += late;
    p->heard++;
    pace_told(&p->pace, &a->bounds, s->level, s->packets);
    if (s->level == 0)
        window_learn(a, late);
}

static bool slot_ended(struct gmp_asker *a, struct slot *s, const struct weft_mad_event *ev,
                       struct gmp_result *ret)
{
    s->packets += ev->u.sent.attempts;
    wait_end(&a->wait, s->batch, s->state == SLOT_ANSWERED);
    if (s->state == SLOT_ANSWERED) {
        slot_learn(a, s);
        slot_free(a, s);
        return false;
    }
    if (ev->u.sent.status == WEFT_MAD_TIMEOUT && is_asked_again(a, s)) {
        s->state = SLOT_AGAIN;
        s->next = a->again;
        a->again = (uint32_t)(s - a->slots);
        return false;
    }
    a->stats.unheard++;
    *ret = (struct gmp_result){.question = s->question};
    slot_free(a, s);
    return true;
}

bool gmp_asker_event(struct gmp_asker *a, const struct weft_mad_event *ev, struct gmp_result *ret)
{
    struct slot *s;

    if (ev->agent.v != a->agent.v || ev->user_data < 1 || ev->user_data > a->slot_count)
        return false;
    s = &a->slots[ev->user_data - 1];
    if (ev->type == WEFT_MAD_EVENT_RECV)
        return slot_received(a, s, ev, ret);
    return ev->type == WEFT_MAD_EVENT_SEND_DONE && s->state != SLOT_FREE &&
           slot_ended(a, s, ev, ret);
}

bool gmp_asker_idle(const struct gmp_asker *a)
{
    return a->busy == 0 && a->queue_count == 0;
}

void gmp_asker_stats(const struct gmp_asker *a, struct weft_counters_stats *ret)
{
    *ret = a->stats;
    ret->window = a->window;
}
