/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gets by directed route: queue, window, and what is asked once more. */
#include "client/asker.h"

#include "client/wait.h"
#include "core/base/alloc.h"
#include "core/wire/mad_header.h"

#include <string.h>

#define WINDOW_MAX  1024
#define TRIES_MAX   250
#define TIMEOUT_MIN (4 * WEFT_MS)
#define TIMEOUT_MAX (60 * WEFT_S)

/* Late answers from which on they are no accident. */
#define LATE_MIN 4

/* Half of all tries lost at less than one question of so many is no reason to ask once more. */
#define LOST_ONE_OF (UINT64_C(1) << 20)

/* Packets that get lost make answers late throughout; one who is slow, or busy himself, some that
 * were asked at the same time. So questions are counted in runs, as many as there is room for: most
 * of them must have late answers, and there must be some. */
#define RUN      32
#define RUNS_MAX 256
#define RUNS_MIN 8
#define RUN_LATE 2

/* The window in the beginning. */
#define WINDOW_FIRST 32

/* Where packets get lost it does not shrink below the largest divided by this. */
#define WINDOW_LEAST_SHARE 8

/* A question's timeout is made up of stages, so that another way may be tried in the middle. */
#define STAGES 3

/* The dead are met a little after the beginning. They are given less than the timeout by this share
 * of it, so that they add no more than a timeout to all else. */
#define MEETING_SHARE 10

#define NO_SLOT UINT32_MAX

/* Where hop count, hop pointer and the permissive LIDs stand in a directed-route SMP. */
#define HOP_COUNT_AT 7
#define DR_SLID_AT   32
#define DR_DLID_AT   34
#define PATH_AT      128

enum slot_state {
    SLOT_FREE,
    SLOT_OUT,     /* with the engine */
    SLOT_ANSWERED /* its result was given; the engine still holds the MAD */
};

struct slot {
    struct question question;
    uint32_t next; /* in the list of free ones */
    enum slot_state state;
    uint32_t batch; /* of requests that tell how long to wait */
    uint32_t run;   /* of those that tell whether packets get lost */
    uint8_t mad[WEFT_MAD_BYTES];
};

/* A ring of questions. */
struct queue {
    struct question *questions;
    uint32_t space, first, count;
};

struct asker {
    struct weft_alloc alloc;
    struct weft_sweep_config config;
    weft_mad_agent_id agent;
    struct weft_mad_retry retry; /* waits that stay the same; the others grow up to that */
    struct weft_mad_retry quick[WAIT_HALVINGS_MAX][STAGES];
    struct wait wait;
    struct queue urgent, fresh, again;
    uint32_t free;           /* list of slots */
    uint32_t out, out_again; /* slots not free, with questions of each queue */
    uint32_t window;         /* for those of the first */
    uint32_t tid;
    uint64_t sends, answers, late;
    uint32_t begun; /* questions that were asked, as far as they are in runs */
    uint8_t run_answers[RUNS_MAX], run_late[RUNS_MAX];
    int verdict;
    uint8_t stages[STAGES]; /* tries in each; the last may be 0 */
    uint8_t stage_count;
    struct slot slots[];
};

bool route_extend(struct weft_route *r, uint8_t port)
{
    if (r->hops == WEFT_DIRECTED_HOP_COUNT_MAX)
        return false;
    r->ports[r->hops++] = port;
    return true;
}

int weft_sweep_config_init_sized(struct weft_sweep_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_sweep_config){
        .size = size, .window = 256, .timeout = WEFT_S, .tries = 40, .rounds = 4};
    return 0;
}

static uint32_t slots_of(const struct asker *a)
{
    return 2 * a->config.window;
}

/* An SMA that says BUSY is asked again like one that says nothing. */
static void retry_init(struct weft_mad_retry *ret)
{
    weft_mad_retry_init(ret);
    ret->classes.bits[WEFT_CLASS_SUBN_DIRECTED / 64] |= UINT64_C(1)
                                                        << WEFT_CLASS_SUBN_DIRECTED % 64;
}

/* The wait of a question that has been halved so often. */
static weft_time wait_of(const struct asker *a, uint8_t halvings)
{
    weft_time patience = a->config.timeout - a->config.timeout / MEETING_SHARE;

    return patience / a->config.tries >> halvings;
}

/* Each stage takes the same time, however short the first waits are. In the first one they stay
 * shorter: who lives is not to be tried by another way because packets get lost. */
static void retries_init(struct asker *a)
{
    retry_init(&a->retry);
    for (uint8_t i = 0; i < WAIT_HALVINGS_MAX; i++) {
        for (uint8_t stage = 0; stage < a->stage_count; stage++) {
            struct weft_mad_retry *r = &a->quick[i][stage];
            weft_time wait = wait_of(a, (uint8_t)(i + 1));

            retry_init(r);
            r->kind = WEFT_MAD_RETRY_BACKOFF;
            r->bound = WEFT_MAD_BOUND_TIME;
            r->base_ns = wait;
            r->jitter_ns = wait / 2;
            r->cap_ns = wait_of(a, stage == 0 && i > 0) - wait;
            r->total_ns = a->stages[stage] * wait_of(a, 0) - wait;
        }
    }
}

/* The first stage is short: who lives answers, and who has not is counted apart from then on. */
static void stages_init(struct asker *a)
{
    uint8_t first = (uint8_t)((a->config.tries + 7) / 8);
    uint8_t rest = (uint8_t)(a->config.tries - first);

    a->stages[0] = first;
    a->stages[1] = (uint8_t)((rest + 1) / 2);
    a->stages[2] = rest / 2;
    a->stage_count = (uint8_t)(1 + (a->stages[1] > 0) + (a->stages[2] > 0));
}

static bool is_usable(const struct weft_sweep_config *c)
{
    return c->size == sizeof(*c) && c->window >= 1 && c->window <= WINDOW_MAX &&
           c->timeout >= TIMEOUT_MIN && c->timeout <= TIMEOUT_MAX && c->tries >= 1 &&
           c->tries <= TRIES_MAX && c->rounds >= 1;
}

static size_t asker_bytes(uint32_t window)
{
    return sizeof(struct asker) + 2 * window * sizeof(struct slot);
}

int asker_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
              const struct weft_alloc *alloc, struct asker **ret)
{
    struct weft_alloc from = alloc_or_libc(alloc);
    struct weft_sweep_config config;
    struct asker *a;

    (void)weft_sweep_config_init(&config);
    if (c)
        config = *c;
    if (!is_usable(&config))
        return WEFT_ERR_INVALID;
    a = alloc_array(&from, 1, asker_bytes(config.window));
    if (!a)
        return WEFT_ERR_NOMEM;
    a->alloc = from;
    a->config = config;
    a->agent = agent;
    a->window = config.window < WINDOW_FIRST ? config.window : WINDOW_FIRST;
    stages_init(a);
    retries_init(a);
    wait_init(&a->wait, wait_of(a, 0));
    for (uint32_t i = 0; i < slots_of(a); i++)
        a->slots[i].next = i + 1 < slots_of(a) ? i + 1 : NO_SLOT;
    *ret = a;
    return 0;
}

static void queue_free(const struct weft_alloc *alloc, const struct queue *q)
{
    alloc_put(alloc, q->questions, q->space, sizeof(q->questions[0]));
}

struct asker *asker_free(struct asker *a)
{
    struct weft_alloc alloc;

    if (!a)
        return NULL;
    alloc = a->alloc;
    queue_free(&alloc, &a->urgent);
    queue_free(&alloc, &a->fresh);
    queue_free(&alloc, &a->again);
    alloc_put(&alloc, a, 1, asker_bytes(a->config.window));
    return NULL;
}

static int queue_grow(const struct weft_alloc *alloc, struct queue *q)
{
    uint32_t space = q->space ? 2 * q->space : 256;
    struct question *questions =
        space > q->space ? alloc_array(alloc, space, sizeof(*questions)) : NULL;

    if (!questions)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < q->count; i++)
        questions[i] = q->questions[(q->first + i) % q->space];
    queue_free(alloc, q);
    *q = (struct queue){.questions = questions, .space = space, .count = q->count};
    return 0;
}

static int queue_put(struct asker *a, struct queue *to, const struct question *q)
{
    int err = to->count == to->space ? queue_grow(&a->alloc, to) : 0;

    if (err) {
        a->verdict = err;
        return err;
    }
    to->questions[(to->first + to->count) % to->space] = *q;
    to->count++;
    return 0;
}

static bool queue_take(struct queue *from, struct question *ret)
{
    if (from->count == 0)
        return false;
    *ret = from->questions[from->first];
    from->first = (from->first + 1) % from->space;
    from->count--;
    return true;
}

int asker_put(struct asker *a, const struct question *q)
{
    struct question fresh = *q;

    fresh.asked = 0;
    return queue_put(a, q->urgent ? &a->urgent : &a->fresh, &fresh);
}

bool asker_next(struct asker *a, struct question *ret)
{
    if (a->out_again < a->config.window && queue_take(&a->again, ret))
        return true;
    return a->out < a->window && (queue_take(&a->urgent, ret) || queue_take(&a->fresh, ret));
}

static void smp_make(struct asker *a, const struct question *q, const struct weft_route *route,
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

void asker_ask(struct asker *a, const struct question *q, const struct weft_route *route,
               struct weft_mad_send_req *ret)
{
    struct slot *s = &a->slots[a->free];
    uint8_t stage = (uint8_t)(q->asked % a->stage_count);
    uint8_t halvings = a->wait.halvings;

    a->free = s->next;
    *(q->asked > 0 ? &a->out_again : &a->out) += 1;
    s->question = *q;
    s->state = SLOT_OUT;
    s->batch = q->asked == 0 ? wait_begin(&a->wait) : WAIT_NO_BATCH;
    if (q->asked == 0) {
        s->run = a->begun / RUN;
        a->begun += s->run < RUNS_MAX;
    }
    a->sends++;
    smp_make(a, q, route, s->mad);
    *ret = (struct weft_mad_send_req){
        .agent = a->agent,
        .to = {.lid = WEFT_LID_PERMISSIVE},
        .data = s->mad,
        .len = WEFT_MAD_BYTES,
        .timeout = wait_of(a, halvings),
        .retries = (uint8_t)(a->stages[stage] - 1),
        .retry = halvings > 0 ? &a->quick[halvings - 1][stage] : &a->retry,
        .user_data = (uint64_t)(s - a->slots) + 1,
    };
}

/* From the share of packets that get lost: whether a living node may stay without an answer. Those
 * far away lose more than the average, so half of the tries must do. */
static bool packets_get_lost(const struct asker *a)
{
    uint64_t lost = LOST_ONE_OF;

    for (int i = 0; i < a->config.tries / 2 + 1 && lost > 0; i++)
        lost = lost * a->late / (a->answers + 1);
    return a->late >= LATE_MIN && lost > 0;
}

static void slot_free(struct asker *a, struct slot *s)
{
    *(s->question.asked > 0 ? &a->out_again : &a->out) -= 1;
    s->state = SLOT_FREE;
    s->next = a->free;
    a->free = (uint32_t)(s - a->slots);
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

static void window_move(struct asker *a, bool answered)
{
    uint32_t least = 1 + a->config.window / WINDOW_LEAST_SHARE;

    if (answered)
        a->window += a->window < a->config.window;
    else if (a->window > least)
        a->window -= (a->window - least + 3) / 4;
}

/* Puts a question back that has had no answer.
 * Returns false: it has come to its end. */
static bool goes_on(struct asker *a, const struct slot *s)
{
    struct question q = s->question;

    q.asked++;
    if (q.asked % a->stage_count == 0 &&
        (q.asked >= a->stage_count * a->config.rounds || !packets_get_lost(a)))
        return false;
    return queue_put(a, &a->again, &q) == 0;
}

static void answer_count(struct asker *a, const struct slot *s, bool late)
{
    a->answers++;
    a->late += late;
    if (s->question.asked == 0 && s->run < RUNS_MAX) {
        a->run_answers[s->run]++;
        a->run_late[s->run] += late;
    }
}

static bool slot_ended(struct asker *a, struct slot *s, const struct weft_mad_event *ev,
                       struct asker_result *ret)
{
    bool answered = s->state == SLOT_ANSWERED;
    bool again = !answered && ev->u.sent.status == WEFT_MAD_TIMEOUT && goes_on(a, s);

    if (answered) {
        wait_end(&a->wait, s->batch, ev->u.sent.attempts == 1);
        answer_count(a, s, ev->u.sent.attempts > 1 || s->question.asked > 0);
    } else {
        wait_forget(&a->wait, s->batch);
    }
    if (s->question.asked == 0)
        window_move(a, answered);
    *ret = (struct asker_result){.question = s->question};
    slot_free(a, s);
    return !answered && !again;
}

bool asker_event(struct asker *a, const struct weft_mad_event *ev, struct asker_result *ret)
{
    struct slot *s;

    if (ev->agent.v != a->agent.v || ev->user_data < 1 || ev->user_data > slots_of(a))
        return false;
    s = &a->slots[ev->user_data - 1];
    if (ev->type == WEFT_MAD_EVENT_RECV)
        return slot_received(s, ev, ret);
    return ev->type == WEFT_MAD_EVENT_SEND_DONE && s->state != SLOT_FREE &&
           slot_ended(a, s, ev, ret);
}

uint32_t asker_window(const struct asker *a)
{
    return a->window;
}

void asker_hurry(struct asker *a, uint8_t halvings)
{
    wait_hurry(&a->wait, halvings);
}

uint8_t asker_halvings(const struct asker *a)
{
    return a->wait.halvings;
}

bool asker_loses(const struct asker *a)
{
    uint32_t runs = 0, late = 0;

    for (uint32_t i = 0; i < RUNS_MAX; i++) {
        runs += a->run_answers[i] >= RUN / 2;
        late += a->run_answers[i] >= RUN / 2 && a->run_late[i] >= RUN_LATE;
    }
    return runs >= RUNS_MIN && late > runs / 2 && a->late <= a->answers / 2;
}

uint64_t asker_sends(const struct asker *a)
{
    return a->sends;
}

int asker_verdict(const struct asker *a)
{
    return a->verdict;
}

bool asker_waits(const struct asker *a)
{
    return a->out + a->urgent.count + a->fresh.count == 0 && a->out_again + a->again.count > 0;
}

bool asker_idle(const struct asker *a)
{
    return a->out + a->out_again + a->urgent.count + a->fresh.count + a->again.count == 0;
}
