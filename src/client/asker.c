/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gets by directed route: queue, window, and what is asked once more. */
#include "client/asker.h"

#include "core/wire/mad_header.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_MAX  1024
#define TRIES_MAX   250
#define TIMEOUT_MIN (4 * WEFT_MS)
#define TIMEOUT_MAX (60 * WEFT_S)

/* Where more than one answer of so many came late, packets are being lost. */
#define LATE_SHARE 16
/* Answers from which on that is no accident. */
#define LATE_MIN   4

#define NO_SLOT UINT32_MAX

/* Where hop count, hop pointer and the permissive LIDs stand in a directed-route SMP. */
#define HOP_COUNT_AT 7
#define DR_SLID_AT   32
#define DR_DLID_AT   34
#define PATH_AT      128

enum slot_state {
    SLOT_FREE,
    SLOT_OUT,      /* with the engine */
    SLOT_ANSWERED, /* its result was given; the engine still holds the MAD */
    SLOT_AGAIN     /* to be sent once more */
};

struct slot {
    struct question question;
    uint32_t next; /* in the list of free ones, or of those to be sent again */
    enum slot_state state;
    uint8_t rounds; /* how often it was posted */
    uint8_t mad[WEFT_MAD_BYTES];
};

struct asker {
    struct asker_config config;
    weft_mad_agent_id agent;
    struct weft_mad_retry retry;
    struct question *queue; /* a ring */
    uint32_t queue_space, queue_first, queue_count;
    uint32_t free, again; /* lists of slots */
    uint32_t busy;        /* slots not free */
    uint32_t tid;
    uint64_t answers, late;
    struct slot slots[];
};

bool route_extend(struct route *r, uint8_t port)
{
    if (r->hops == ROUTE_HOPS_MAX)
        return false;
    r->ports[r->hops++] = port;
    return true;
}

void asker_config_init(struct asker_config *ret)
{
    *ret = (struct asker_config){.window = 256, .timeout = WEFT_S, .tries = 40, .rounds = 4};
}

int asker_new(const struct asker_config *c, weft_mad_agent_id agent, struct asker **ret)
{
    struct asker_config config;
    struct asker *a;

    asker_config_init(&config);
    if (c)
        config = *c;
    if (config.window < 1 || config.window > WINDOW_MAX || config.timeout < TIMEOUT_MIN ||
        config.timeout > TIMEOUT_MAX || config.tries < 1 || config.tries > TRIES_MAX ||
        config.rounds < 1)
        return WEFT_ERR_INVALID;
    a = calloc(1, sizeof(*a) + config.window * sizeof(a->slots[0]));
    if (!a)
        return WEFT_ERR_NOMEM;
    a->config = config;
    a->agent = agent;
    /* An SMA that says BUSY is asked again like one that says nothing. */
    weft_mad_retry_init(&a->retry);
    a->retry.classes.bits[WEFT_CLASS_SUBN_DIRECTED / 64] |= UINT64_C(1)
                                                            << WEFT_CLASS_SUBN_DIRECTED % 64;
    a->again = NO_SLOT;
    for (uint32_t i = 0; i < config.window; i++)
        a->slots[i].next = i + 1 < config.window ? i + 1 : NO_SLOT;
    *ret = a;
    return 0;
}

struct asker *asker_free(struct asker *a)
{
    if (a)
        free(a->queue);
    free(a);
    return NULL;
}

static int queue_grow(struct asker *a)
{
    uint32_t space = a->queue_space ? 2 * a->queue_space : 256;
    struct question *queue = space > a->queue_space ? calloc(space, sizeof(*queue)) : NULL;

    if (!queue)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < a->queue_count; i++)
        queue[i] = a->queue[(a->queue_first + i) % a->queue_space];
    free(a->queue);
    a->queue = queue;
    a->queue_space = space;
    a->queue_first = 0;
    return 0;
}

int asker_put(struct asker *a, const struct question *q)
{
    int err = a->queue_count == a->queue_space ? queue_grow(a) : 0;

    if (err)
        return err;
    a->queue[(a->queue_first + a->queue_count) % a->queue_space] = *q;
    a->queue_count++;
    return 0;
}

bool asker_next(struct asker *a, struct question *ret)
{
    if (a->queue_count == 0 || a->free == NO_SLOT)
        return false;
    *ret = a->queue[a->queue_first];
    a->queue_first = (a->queue_first + 1) % a->queue_space;
    a->queue_count--;
    return true;
}

static void smp_make(struct asker *a, const struct question *q, const struct route *route,
                     uint8_t *mad)
{
    memset(mad, 0, WEFT_MAD_BYTES);
    mad_set_base_version(mad, WEFT_MAD_BASE_VERSION);
    mad_set_class(mad, WEFT_CLASS_SUBN_DIRECTED);
    mad_set_class_version(mad, 1);
    mad_set_method(mad, WEFT_METHOD_GET);
    mad[HOP_COUNT_AT] = route->hops;
    mad_set_tid(mad, ++a->tid);
    mad_set_attr_id(mad, q->attr_id);
    mad_set_attr_mod(mad, q->attr_mod);
    wire_set_be16(mad + DR_SLID_AT, WEFT_LID_PERMISSIVE);
    wire_set_be16(mad + DR_DLID_AT, WEFT_LID_PERMISSIVE);
    memcpy(mad + PATH_AT + 1, route->ports, route->hops);
}

static void slot_post(struct asker *a, struct slot *s, struct weft_mad_send_req *ret)
{
    weft_time wait = a->config.timeout / a->config.tries;

    s->state = SLOT_OUT;
    s->rounds++;
    *ret = (struct weft_mad_send_req){
        .agent = a->agent,
        .to = {.lid = WEFT_LID_PERMISSIVE},
        .data = s->mad,
        .len = WEFT_MAD_BYTES,
        .timeout = wait,
        .retries = (uint8_t)(a->config.tries - 1),
        .retry = &a->retry,
        .user_data = (uint64_t)(s - a->slots) + 1,
    };
}

void asker_ask(struct asker *a, const struct question *q, const struct route *route,
               struct weft_mad_send_req *ret)
{
    struct slot *s = &a->slots[a->free];

    a->free = s->next;
    a->busy++;
    s->question = *q;
    s->rounds = 0;
    smp_make(a, q, route, s->mad);
    slot_post(a, s, ret);
}

bool asker_again(struct asker *a, struct weft_mad_send_req *ret)
{
    struct slot *s;

    if (a->again == NO_SLOT)
        return false;
    s = &a->slots[a->again];
    a->again = s->next;
    mad_set_tid(s->mad, ++a->tid);
    slot_post(a, s, ret);
    return true;
}

static bool packets_get_lost(const struct asker *a)
{
    return a->late >= LATE_MIN && a->late > a->answers / LATE_SHARE;
}

static void slot_free(struct asker *a, struct slot *s)
{
    s->state = SLOT_FREE;
    s->next = a->free;
    a->free = (uint32_t)(s - a->slots);
    a->busy--;
}

/* Bit 15 of the status says that a directed-route SMP is on its way back. */
static bool answers(const struct question *q, const uint8_t *mad)
{
    return mad_class(mad) == WEFT_CLASS_SUBN_DIRECTED && mad_method(mad) == WEFT_METHOD_GET_RESP &&
           (mad_status(mad) & 0x7FFF) == 0 && mad_attr_id(mad) == q->attr_id &&
           mad_attr_mod(mad) == q->attr_mod;
}

static bool slot_received(struct slot *s, const struct weft_mad_event *ev, struct asker_result *ret)
{
    const uint8_t *mad = ev->u.recv.mad;
    bool good = answers(&s->question, mad);

    if (s->state != SLOT_OUT)
        return false;
    s->state = SLOT_ANSWERED;
    *ret = (struct asker_result){.question = s->question,
                                 .data = good ? mad + WEFT_ATTRIBUTE_OFFSET : NULL,
                                 .refused = !good};
    return true;
}

static bool slot_ended(struct asker *a, struct slot *s, const struct weft_mad_event *ev,
                       struct asker_result *ret)
{
    if (s->state == SLOT_ANSWERED) {
        a->answers++;
        a->late += ev->u.sent.attempts > 1;
        slot_free(a, s);
        return false;
    }
    if (ev->u.sent.status == WEFT_MAD_TIMEOUT && s->rounds < a->config.rounds &&
        packets_get_lost(a)) {
        s->state = SLOT_AGAIN;
        s->next = a->again;
        a->again = (uint32_t)(s - a->slots);
        return false;
    }
    *ret = (struct asker_result){.question = s->question};
    slot_free(a, s);
    return true;
}

bool asker_event(struct asker *a, const struct weft_mad_event *ev, struct asker_result *ret)
{
    struct slot *s;

    if (ev->agent.v != a->agent.v || ev->user_data < 1 || ev->user_data > a->config.window)
        return false;
    s = &a->slots[ev->user_data - 1];
    if (ev->type == WEFT_MAD_EVENT_RECV)
        return slot_received(s, ev, ret);
    return ev->type == WEFT_MAD_EVENT_SEND_DONE && s->state != SLOT_FREE &&
           slot_ended(a, s, ev, ret);
}

bool asker_idle(const struct asker *a)
{
    return a->busy == 0 && a->queue_count == 0;
}
