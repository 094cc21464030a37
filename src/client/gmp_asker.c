/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests by LID: queue, window, and what is asked once more. */
#include "client/gmp_asker.h"

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

#define NO_SLOT UINT32_MAX

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
    bool waits;     /* it had no answer in time: it is not counted in the window any more */
    uint32_t batch; /* of requests that tell how long to wait */
    uint8_t rounds; /* how often it was posted with all patience */
    uint8_t mad[WEFT_MAD_BYTES];
};

struct gmp_asker {
    struct weft_alloc alloc;
    struct weft_counters_patience config;
    weft_mad_agent_id agent;
    uint8_t mgmt_class;
    struct weft_mad_retry patient[WAIT_HALVINGS_MAX + 1]; /* by how often the wait is halved */
    struct wait wait;
    struct gmp_question *queue; /* a ring */
    uint32_t queue_space, queue_first, queue_count;
    uint32_t free, again; /* lists of slots */
    uint32_t busy;        /* slots not free */
    uint32_t waiting;     /* of these, those that wait for who may be dead */
    uint32_t window;
    uint32_t recent, recent_late; /* answers since the window has last changed */
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
    a->window = config.window_first;
    a->again = NO_SLOT;
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
    alloc_put(&alloc, a, 1, asker_bytes(a->slot_count));
    return NULL;
}

void gmp_asker_hurry(struct gmp_asker *a, uint8_t halvings)
{
    wait_hurry(&a->wait, halvings);
}

static int queue_grow(struct gmp_asker *a)
{
    uint32_t space = a->queue_space ? 2 * a->queue_space : 256;
    struct gmp_question *queue =
        space > a->queue_space ? alloc_array(&a->alloc, space, sizeof(*queue)) : NULL;

    if (!queue)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < a->queue_count; i++)
        queue[i] = a->queue[(a->queue_first + i) % a->queue_space];
    alloc_put(&a->alloc, a->queue, a->queue_space, sizeof(a->queue[0]));
    a->queue = queue;
    a->queue_space = space;
    a->queue_first = 0;
    return 0;
}

int gmp_asker_put(struct gmp_asker *a, const struct gmp_question *q)
{
    int err = a->queue_count == a->queue_space ? queue_grow(a) : 0;

    if (err)
        return err;
    a->queue[(a->queue_first + a->queue_count) % a->queue_space] = *q;
    a->queue_count++;
    return 0;
}

bool gmp_asker_next(struct gmp_asker *a, struct gmp_question *ret)
{
    if (a->queue_count == 0 || a->free == NO_SLOT || a->busy - a->waiting >= a->window)
        return false;
    *ret = a->queue[a->queue_first];
    a->queue_first = (a->queue_first + 1) % a->queue_space;
    a->queue_count--;
    return true;
}

static void slot_post(struct gmp_asker *a, struct slot *s, struct weft_mad_send_req *ret)
{
    s->state = SLOT_OUT;
    s->rounds += s->waits;
    if (!s->waits)
        s->batch = wait_begin(&a->wait);
    a->stats.questions++;
    mad_set_tid(s->mad, ++a->tid);
    *ret = (struct weft_mad_send_req){
        .agent = a->agent,
        .to = s->to,
        .data = s->mad,
        .len = WEFT_MAD_BYTES,
        .timeout = a->config.first >> a->wait.halvings,
        .retry = s->waits ? &a->patient[a->wait.halvings] : NULL,
        .user_data = (uint64_t)(s - a->slots) + 1,
    };
}

uint8_t *gmp_asker_ask(struct gmp_asker *a, const struct gmp_question *q,
                       const struct weft_mad_addr *to, struct weft_mad_send_req *ret)
{
    struct slot *s = &a->slots[a->free];

    a->free = s->next;
    a->busy++;
    s->question = *q;
    s->to = *to;
    s->waits = false;
    s->rounds = 0;
    memset(s->mad, 0, sizeof(s->mad));
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
        lost = lost * a->stats.late / (a->stats.answers + 1);
    return a->stats.late >= LATE_MIN && lost > 0;
}

static void slot_free(struct gmp_asker *a, struct slot *s)
{
    a->waiting -= s->waits;
    s->state = SLOT_FREE;
    s->next = a->free;
    a->free = (uint32_t)(s - a->slots);
    a->busy--;
}

/* Whether a question without an answer is asked once more: first with all patience, outside the
 * window, then as often as packets that get lost are a reason to. */
static bool is_asked_again(struct gmp_asker *a, struct slot *s)
{
    if (!s->waits) {
        s->waits = true;
        a->waiting++;
        return true;
    }
    return s->rounds < a->config.rounds && packets_get_lost(a);
}

/* A window's worth of answers says whether the window may be larger. Who never answers says nothing
 * about it. */
static void window_learn(struct gmp_asker *a, bool late)
{
    a->stats.answers++;
    a->stats.late += late;
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

static bool slot_ended(struct gmp_asker *a, struct slot *s, const struct weft_mad_event *ev,
                       struct gmp_result *ret)
{
    if (!s->waits)
        wait_end(&a->wait, s->batch, s->state == SLOT_ANSWERED);
    if (s->state == SLOT_ANSWERED) {
        window_learn(a, s->waits || ev->u.sent.attempts > 1);
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
