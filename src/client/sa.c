/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to the SA: when each is asked, where, and what ends it. */
#include "client/sa_state.h"
#include "core/base/alloc.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <weft/sa.h>

#include <string.h>

#define WINDOW_MAX       1024
#define WINDOW_LOW       2
#define RATE_MAX         1000000
#define PATHS_MAX        (UINT32_C(1) << 20)
#define DOUBLINGS        63
/* After the engine had no room. */
#define ENGINE_FULL_WAIT (10 * WEFT_MS)

int weft_sa_config_init_sized(struct weft_sa_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_sa_config){.size = size,
                                   .timeout = WEFT_S,
                                   .table_timeout = 10 * WEFT_S,
                                   .tries = 4,
                                   .patience = 60 * WEFT_S,
                                   .window = 8,
                                   .rate = 50,
                                   .burst = 8,
                                   .paths = 1024,
                                   .path_ttl = 60 * WEFT_S,
                                   .redirect_ttl = 60 * WEFT_S,
                                   .seed = 1};
    weft_mad_retry_init(&ret->retry);
    ret->retry.kind = WEFT_MAD_RETRY_BACKOFF;
    return 0;
}

struct weft_mad_agent_req weft_sa_agent(bool reports)
{
    struct weft_mad_agent_req r = {.qpn = WEFT_QP_GSI,
                                   .mgmt_class = WEFT_CLASS_SUBN_ADM,
                                   .class_version = 2,
                                   .rmpp_version = WEFT_RMPP_VERSION};

    if (reports)
        r.methods[0] = UINT64_C(1) << WEFT_METHOD_REPORT;
    return r;
}

static bool config_valid(const struct weft_sa_config *c)
{
    return c->size == sizeof(*c) && c->timeout > 0 && c->table_timeout > 0 && c->tries > 0 &&
           c->patience > 0 && c->window >= 1 && c->window <= WINDOW_MAX && c->rate >= 1 &&
           c->rate <= RATE_MAX && c->burst >= 1 && c->paths <= PATHS_MAX &&
           c->retry.jitter_ns <= c->retry.base_ns && c->retry.cap_ns >= c->retry.base_ns;
}

static size_t sa_bytes(uint32_t slots)
{
    return sizeof(struct weft_sa) + slots * sizeof(struct sa_slot);
}

int weft_sa_new(const struct weft_sa_config *c, struct weft_mad_port *engine,
                weft_mad_agent_id agent, const struct weft_alloc *a, struct weft_sa **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_sa_config config;
    struct weft_sa *s;

    (void)weft_sa_config_init(&config);
    if (c)
        config = *c;
    if (!config_valid(&config))
        return WEFT_ERR_INVALID;
    s = alloc_array(&alloc, 1, sa_bytes(config.window + 1));
    if (!s)
        return WEFT_ERR_NOMEM;
    s->alloc = alloc;
    s->config = config;
    s->engine = engine;
    s->agent = agent;
    s->slot_count = config.window + 1;
    s->prng.state = config.seed;
    s->stats.window = config.window < WINDOW_LOW ? config.window : WINDOW_LOW;
    weft_mad_retry_init(&s->plain);
    s->plain.busy = WEFT_MAD_BUSY_DELIVER;
    s->paths = sa_cache_new(config.paths, config.path_ttl, &alloc);
    if (!s->paths) {
        (void)weft_sa_free(s);
        return WEFT_ERR_NOMEM;
    }
    *ret = s;
    return 0;
}

static void job_free(const struct weft_sa *s, struct sa_job *j)
{
    if (!j)
        return;
    alloc_put(&s->alloc, j->records, j->record_bytes, 1);
    alloc_put(&s->alloc, j, 1, sizeof(*j));
}

static void line_put(struct sa_line *l, struct sa_job *j)
{
    j->next = NULL;
    if (l->last)
        l->last->next = j;
    else
        l->first = j;
    l->last = j;
    l->count++;
}

static struct sa_job *line_take(struct sa_line *l)
{
    struct sa_job *j = l->first;

    if (!j)
        return NULL;
    l->first = j->next;
    if (!l->first)
        l->last = NULL;
    l->count--;
    return j;
}

struct weft_sa *weft_sa_free(struct weft_sa *s)
{
    struct weft_alloc a;

    if (!s)
        return NULL;
    for (uint32_t i = 0; i < s->slot_count; i++)
        job_free(s, s->slots[i].job);
    while (s->fresh.first)
        job_free(s, line_take(&s->fresh));
    while (s->ended.first)
        job_free(s, line_take(&s->ended));
    job_free(s, s->given);
    (void)sa_cache_free(s->paths);
    a = s->alloc;
    alloc_put(&a, s, 1, sa_bytes(s->slot_count));
    return NULL;
}

weft_time sa_later(weft_time now, weft_time by)
{
    return by > WEFT_TIME_NEVER - now ? WEFT_TIME_NEVER : now + by;
}

static struct sa_slot *probe_of(struct weft_sa *s)
{
    return &s->slots[s->slot_count - 1];
}

static bool is_probe(const struct weft_sa *s, const struct sa_slot *slot)
{
    return slot == &s->slots[s->slot_count - 1];
}

bool sa_is_path_question(const struct weft_sa_question *q)
{
    return q->method == WEFT_METHOD_GET && q->attr_id == WEFT_ATTR_SA_PATH_RECORD;
}

int sa_job_room(const struct weft_sa *s, struct sa_job *j, uint32_t bytes)
{
    j->records = alloc_array(&s->alloc, bytes, 1);
    j->record_bytes = bytes;
    j->result.records = j->records;
    return j->records ? 0 : WEFT_ERR_NOMEM;
}

static bool answer_from_cache(struct weft_sa *s, weft_time now, struct sa_job *j)
{
    const struct weft_sa_question *q = &j->result.question;
    const uint8_t *path =
        sa_is_path_question(q) ? sa_cache_find(s->paths, now, q->mask, q->record) : NULL;

    if (!path || sa_job_room(s, j, SA_PATH_BYTES) != 0)
        return false;
    memcpy(j->records, path, SA_PATH_BYTES);
    j->result.outcome = WEFT_SA_ANSWERED;
    j->result.cached = true;
    j->result.count = 1;
    j->result.stride = SA_PATH_BYTES;
    s->stats.cached++;
    line_put(&s->ended, j);
    return true;
}

int weft_sa_ask(struct weft_sa *s, weft_time now, const struct weft_sa_question *q)
{
    struct sa_job *j;

    if (q->method != WEFT_METHOD_GET && q->method != WEFT_METHOD_SET &&
        q->method != WEFT_METHOD_GET_TABLE && q->method != WEFT_METHOD_DELETE)
        return WEFT_ERR_INVALID;
    j = alloc_array(&s->alloc, 1, sizeof(*j));
    if (!j)
        return WEFT_ERR_NOMEM;
    j->result.question = *q;
    if (!answer_from_cache(s, now, j))
        line_put(&s->fresh, j);
    return 0;
}

static void slot_begin(struct weft_sa *s, weft_time now, struct sa_slot *slot, struct sa_job *j)
{
    *slot = (struct sa_slot){.state = SA_SLOT_WAITING,
                             .job = j,
                             .due = now,
                             .until = sa_later(now, s->config.patience),
                             .began = WEFT_TIME_NEVER};
}

/* Ends a job that is in a slot, or that has not come so far. */
static void job_end(struct weft_sa *s, weft_time now, const struct sa_slot *slot, struct sa_job *j,
                    enum weft_sa_outcome outcome)
{
    j->result.outcome = outcome;
    j->result.status = slot->status;
    j->result.asked = slot->asked;
    j->result.busy = slot->busy;
    j->result.took = slot->began == WEFT_TIME_NEVER ? 0 : now - slot->began;
    j->result.lid = slot->asked == 0 ? 0 : s->redirect_until > now ? s->redirect.lid : s->sm.lid;
    line_put(&s->ended, j);
}

/* Where the SA cannot be reached at all, nobody else is to wait for that to be found out again. */
static void all_end(struct weft_sa *s, weft_time now, const struct sa_slot *like,
                    enum weft_sa_outcome outcome, uint8_t rmpp_status)
{
    for (uint32_t i = 0; i + 1 < s->slot_count; i++) {
        struct sa_slot *slot = &s->slots[i];

        if (slot->state != SA_SLOT_WAITING || slot == like)
            continue;
        slot->job->result.rmpp_status = rmpp_status;
        job_end(s, now, like, slot->job, outcome);
        slot->state = SA_SLOT_FREE;
        slot->job = NULL;
    }
    while (s->fresh.first) {
        struct sa_job *j = line_take(&s->fresh);

        j->result.rmpp_status = rmpp_status;
        job_end(s, now, like, j, outcome);
    }
}

void sa_slot_end(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                 enum weft_sa_outcome outcome, uint8_t rmpp_status)
{
    bool out = slot->state == SA_SLOT_OUT;
    struct sa_job *j = slot->job;

    if (!j || outcome == WEFT_SA_NO_SM)
        all_end(s, now, slot, outcome, rmpp_status);
    if (j) {
        j->result.rmpp_status = rmpp_status;
        job_end(s, now, slot, j, outcome);
    }
    slot->job = NULL;
    slot->state = out ? SA_SLOT_ANSWERED : SA_SLOT_FREE;
}

/* How much later than the last time a question is repeated: as struct weft_mad_retry says. */
static weft_time backoff(struct weft_sa *s, uint32_t repetition)
{
    const struct weft_mad_retry *r = &s->config.retry;
    uint32_t doublings = repetition - 1 < DOUBLINGS ? repetition - 1 : DOUBLINGS;
    weft_time step = r->cap_ns;

    if (r->kind == WEFT_MAD_RETRY_FIXED)
        return 0;
    if (r->base_ns <= r->cap_ns >> doublings)
        step = r->base_ns << doublings;
    return step - prng_up_to(&s->prng, r->jitter_ns);
}

void sa_window_shrink(struct weft_sa *s)
{
    s->stats.window = s->stats.window > 1 ? s->stats.window / 2 : 1;
    s->grown = 0;
}

/* What ends a question that is to be repeated while nothing comes but silence and BUSY. */
static void slot_again(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                       enum weft_sa_outcome outcome, uint8_t rmpp_status)
{
    bool last = slot->last_busy ? s->config.retry.busy == WEFT_MAD_BUSY_DELIVER
                                : slot->silent >= s->config.tries;

    slot->due = sa_later(now, backoff(s, slot->asked));
    slot->state = SA_SLOT_WAITING;
    if (last || slot->due >= slot->until)
        sa_slot_end(s, now, slot, outcome, rmpp_status);
}

void weft_sa_sm(struct weft_sa *s, weft_time now, uint16_t lid, uint8_t sl)
{
    if (s->sm.lid == lid && s->sm.sl == sl)
        return;
    s->sm = (struct weft_mad_addr){.lid = lid,
                                   .sl = sl,
                                   .qpn = WEFT_QP_GSI,
                                   .qkey = WEFT_QKEY_GSI,
                                   .pkey_index = s->config.pkey_index};
    s->redirect_until = 0;
    s->probed = false;
    sa_cache_clear(s->paths);
    for (uint32_t i = 0; i < s->slot_count; i++) {
        struct sa_slot *slot = &s->slots[i];

        slot->silent = 0;
        if (slot->state == SA_SLOT_WAITING)
            slot->due = now;
        else if (slot->state == SA_SLOT_OUT)
            slot->moved = weft_mad_cancel(s->engine, now, slot->send) == 0;
    }
}

static void request_make(struct weft_sa *s, struct sa_slot *slot)
{
    static const struct weft_sa_question probe = {.method = WEFT_METHOD_GET,
                                                  .attr_id = WEFT_ATTR_CLASS_PORT_INFO};
    const struct weft_sa_question *q = slot->job ? &slot->job->result.question : &probe;
    uint8_t *mad = slot->mad;

    memset(mad, 0, WEFT_MAD_BYTES);
    mad_set_base_version(mad, WEFT_MAD_BASE_VERSION);
    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(mad, 2);
    mad_set_method(mad, q->method);
    mad_set_tid(mad, ++s->tid & UINT32_MAX);
    mad_set_attr_id(mad, q->attr_id);
    mad_set_attr_mod(mad, q->attr_mod);
    wire_set(WIRE_SA_SM_KEY, mad, s->config.sm_key);
    wire_set(WIRE_SA_COMPONENT_MASK, mad, q->mask);
    memcpy(mad + WEFT_SA_DATA_OFFSET, q->record, WEFT_SA_RECORD_BYTES);
}

static weft_time wait_of(const struct weft_sa *s, weft_time now, const struct sa_slot *slot)
{
    bool table = slot->job && slot->job->result.question.method == WEFT_METHOD_GET_TABLE;
    weft_time wait = table ? s->config.table_timeout : s->config.timeout;

    return slot->until - now < wait ? slot->until - now : wait;
}

static void slot_post(struct weft_sa *s, weft_time now, struct sa_slot *slot)
{
    struct weft_mad_send_req request = {.agent = s->agent,
                                        .to = s->redirect_until > now ? s->redirect : s->sm,
                                        .data = slot->mad,
                                        .len = WEFT_MAD_BYTES,
                                        .timeout = wait_of(s, now, slot),
                                        .retry = &s->plain,
                                        .user_data = (uint64_t)(slot - s->slots) + 1};
    weft_time interval = WEFT_S / s->config.rate;
    int err;

    request_make(s, slot);
    err = weft_mad_post(s->engine, now, &request, &slot->send);
    if (err == WEFT_ERR_FULL) {
        slot->due = sa_later(now, ENGINE_FULL_WAIT);
        return;
    }
    if (err) {
        sa_slot_end(s, now, slot, WEFT_SA_UNSENT, 0);
        return;
    }
    s->turn = (s->turn > now ? s->turn : now) + interval;
    if (slot->began == WEFT_TIME_NEVER)
        slot->began = now;
    slot->state = SA_SLOT_OUT;
    slot->moved = slot->again = slot->last_busy = false;
    slot->asked++;
    s->stats.sent++;
    s->stats.under_way++;
}

/* When the rate allows a packet: `burst` of them at once, then one each interval. */
static weft_time rate_allows(const struct weft_sa *s)
{
    weft_time credit = (s->config.burst - 1) * (WEFT_S / s->config.rate);

    return s->turn > credit ? s->turn - credit : 0;
}

/* Whether this slot may be posted once it is due and the rate allows it. */
static bool may_post(const struct weft_sa *s, const struct sa_slot *slot)
{
    return slot->state == SA_SLOT_WAITING && s->sm.lid != 0 && (s->probed || is_probe(s, slot)) &&
           s->stats.under_way < s->stats.window;
}

static void slots_fill(struct weft_sa *s, weft_time now)
{
    for (uint32_t i = 0; i + 1 < s->slot_count && s->fresh.first; i++)
        if (s->slots[i].state == SA_SLOT_FREE)
            slot_begin(s, now, &s->slots[i], line_take(&s->fresh));
}

static bool anybody_waits(const struct weft_sa *s)
{
    bool found = s->fresh.first != NULL;

    for (uint32_t i = 0; i + 1 < s->slot_count; i++)
        found = found || s->slots[i].state == SA_SLOT_WAITING;
    return found;
}

void weft_sa_move(struct weft_sa *s, weft_time now)
{
    struct sa_slot *probe = probe_of(s);

    slots_fill(s, now);
    if (!s->probed && s->sm.lid != 0 && probe->state == SA_SLOT_FREE && anybody_waits(s))
        slot_begin(s, now, probe, NULL);
    for (uint32_t i = s->slot_count; i-- > 0;) {
        struct sa_slot *slot = &s->slots[i];

        if (may_post(s, slot) && slot->due <= now && rate_allows(s) <= now && slot->until > now)
            slot_post(s, now, slot);
        else if (slot->state == SA_SLOT_WAITING && slot->until <= now)
            sa_slot_end(s, now, slot,
                        s->sm.lid == 0   ? WEFT_SA_NO_SM
                        : slot->busy > 0 ? WEFT_SA_BUSY
                                         : WEFT_SA_SILENT,
                        0);
    }
}

weft_time weft_sa_deadline(const struct weft_sa *s)
{
    weft_time first = WEFT_TIME_NEVER, rate = rate_allows(s);
    bool room = false;

    for (uint32_t i = 0; i < s->slot_count; i++) {
        const struct sa_slot *slot = &s->slots[i];
        weft_time at = WEFT_TIME_NEVER;

        room = room || (slot->state == SA_SLOT_FREE && !is_probe(s, slot));
        if (may_post(s, slot))
            at = slot->due > rate ? slot->due : rate;
        if (slot->state == SA_SLOT_WAITING && slot->until < at)
            at = slot->until;
        first = at < first ? at : first;
    }
    return s->fresh.first && room ? 0 : first;
}

static void slot_failed(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                        const struct weft_mad_event *ev)
{
    if (ev->u.sent.status == WEFT_MAD_TX_ERROR || ev->u.sent.status == WEFT_MAD_FLUSHED) {
        slot->state = SA_SLOT_WAITING;
        sa_slot_end(s, now, slot, WEFT_SA_UNSENT, 0);
        return;
    }
    slot->silent++;
    s->stats.silent++;
    s->probed = false; /* one packet at a time finds out whether there still is an SA */
    sa_window_shrink(s);
    if (ev->u.sent.status == WEFT_MAD_RMPP_ABORTED)
        slot_again(s, now, slot, WEFT_SA_ABORTED, ev->u.sent.rmpp_status);
    else
        slot_again(s, now, slot, slot->busy > 0 ? WEFT_SA_BUSY : WEFT_SA_SILENT, 0);
}

static void slot_sent(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                      const struct weft_mad_event *ev)
{
    s->stats.under_way--;
    if (slot->state == SA_SLOT_ANSWERED) {
        slot->state = SA_SLOT_FREE;
        return;
    }
    if (slot->moved || (slot->again && !slot->last_busy)) {
        slot->state = SA_SLOT_WAITING;
        slot->due = now;
    } else if (slot->again) {
        slot_again(s, now, slot, WEFT_SA_BUSY, 0);
    } else {
        slot_failed(s, now, slot, ev);
    }
}

void weft_sa_event(struct weft_sa *s, weft_time now, const struct weft_mad_event *ev)
{
    uint64_t number = ev->user_data;

    if (ev->agent.v != s->agent.v)
        return;
    if (ev->type == WEFT_MAD_EVENT_RECV && !ev->u.recv.solicited)
        sa_report_received(s, now, ev);
    else if (number >= SA_REPLY_BASE)
        sa_report_replied(s, number - SA_REPLY_BASE);
    else if (number < 1 || number > s->slot_count)
        return;
    else if (ev->type == WEFT_MAD_EVENT_RECV)
        sa_answer_received(s, now, &s->slots[number - 1], ev);
    else if (ev->type == WEFT_MAD_EVENT_SEND_DONE && s->slots[number - 1].state >= SA_SLOT_OUT)
        slot_sent(s, now, &s->slots[number - 1], ev);
}

bool weft_sa_poll(struct weft_sa *s, struct weft_sa_result *ret)
{
    job_free(s, s->given);
    s->given = line_take(&s->ended);
    if (!s->given)
        return false;
    *ret = s->given->result;
    return true;
}

bool weft_sa_idle(const struct weft_sa *s)
{
    bool busy = s->fresh.first || s->ended.first;

    for (uint32_t i = 0; i + 1 < s->slot_count; i++)
        busy = busy || s->slots[i].job;
    return !busy;
}

void weft_sa_stats(const struct weft_sa *s, struct weft_sa_stats *ret)
{
    *ret = s->stats;
}
