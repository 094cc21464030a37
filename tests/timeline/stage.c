/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stage and its commands. */
#include "stage.h"

#include "cli/quantity.h"
#include "core/mad/audit.h"
#include "packets.h"
#include "words.h"

#include <weft/trace.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    STAGE_NAMES = 16,
    STAGE_HELD = 64,
    NAME_BYTES = 16,
    OUR_LID = 1,
    PEER_LID = 7,
    LINE_BYTES = 256,
    MESSAGE_BYTES_MAX = 4096
};

struct actor {
    char name[NAME_BYTES];
    weft_mad_agent_id id;
    struct weft_mad_agent_req req;
};

/* A message that has a name: one of our sends, or one that the peer sends unasked. */
struct letter {
    char name[NAME_BYTES];
    weft_mad_send_id id;
    uint64_t tid;
    uint16_t lid;
    uint8_t mgmt_class, method;
    uint8_t data[MESSAGE_BYTES_MAX];
};

struct held {
    weft_mad_tx_id id;
    uint64_t tid;
};

struct kept {
    weft_mad_recv_id id;
    uint64_t tid;
    uint32_t len;
    uint8_t mad[WEFT_MAD_BYTES];
};

struct stage {
    stage_tell_fn tell;
    void *ctx;
    struct weft_mad_port *port;
    weft_time now;
    struct actor actors[STAGE_NAMES];
    struct letter letters[STAGE_NAMES];
    int actor_count, letter_count, held_count, kept_count;
    struct held held[STAGE_HELD];
    struct kept kept[STAGE_HELD];
    char problem[LINE_BYTES];
};

__attribute__((format(printf, 2, 3))) static void tell(struct stage *s, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    s->tell(s->ctx, line);
}

/* Only what a call refuses is worth a line. */
static void tell_result(struct stage *s, int err)
{
    if (err < 0)
        tell(s, "refused: %s", weft_strerror(err));
}

static const char *name_of(const struct stage *s, uint64_t tid)
{
    for (int i = 0; i < s->letter_count; i++) {
        if (s->letters[i].tid == tid)
            return s->letters[i].name;
    }
    return "?";
}

/* The port's trace, with names for transaction ids. */
static void observe(void *ctx, const struct weft_trace_event *ev)
{
    struct stage *s = ctx;
    char line[LINE_BYTES];
    char *tid;

    weft_trace_format(ev, line, sizeof(line));
    tid = strstr(line, " tid=0x");
    if (!tid) {
        tell(s, "%s", line);
        return;
    }
    *tid = '\0';
    tell(s, "%s %s: %s", line, name_of(s, ev->tid), tid + strlen(" tid=0x0123456789abcdef "));
}

static const char *complain(struct stage *s, const char *what, const char *word)
{
    snprintf(s->problem, sizeof(s->problem), "%s: %s", what, word);
    return s->problem;
}

static struct letter *find_letter(struct stage *s, const char *name)
{
    for (int i = 0; i < s->letter_count; i++) {
        if (strcmp(s->letters[i].name, name) == 0)
            return &s->letters[i];
    }
    return NULL;
}

static struct actor *find_actor(struct stage *s, const char *name)
{
    for (int i = 0; i < s->actor_count; i++) {
        if (strcmp(s->actors[i].name, name) == 0)
            return &s->actors[i];
    }
    return NULL;
}

static void read_retry(struct words *w, struct weft_mad_retry *r)
{
    if (words_flag(w, "backoff"))
        r->kind = WEFT_MAD_RETRY_BACKOFF;
    if (words_flag(w, "by-time"))
        r->bound = WEFT_MAD_BOUND_TIME;
    if (words_flag(w, "busy-delivered"))
        r->busy = WEFT_MAD_BUSY_DELIVER;
    r->base_ns = words_time(w, "base", r->base_ns);
    r->jitter_ns = words_time(w, "jitter", r->jitter_ns);
    r->cap_ns = words_time(w, "cap", r->cap_ns);
    r->total_ns = words_time(w, "total", r->total_ns);
}

static const char *do_port(struct stage *s, struct words *w)
{
    struct weft_mad_config c;
    uint64_t device;

    weft_mad_config_init(&c);
    c.sends = STAGE_NAMES;
    c.recv_depth = (uint32_t)words_number(w, "buffers", 64);
    c.seed = words_number(w, "seed", 1);
    c.queue_timeout = words_time(w, "queue", c.queue_timeout);
    c.flow.port_budget = words_flag(w, "budget");
    c.flow.reserve = (uint32_t)words_number(w, "reserve", c.flow.reserve);
    c.flow.adaptive = words_flag(w, "adaptive");
    c.flow.window_initial = (uint32_t)words_number(w, "window", c.flow.window_initial);
    c.rmpp.window = (uint32_t)words_number(w, "grant", c.rmpp.window);
    c.rmpp.bytes_max = words_number(w, "bytes", c.rmpp.bytes_max);
    c.rmpp.ack_ns = words_time(w, "ack", c.rmpp.ack_ns);
    device = words_number(w, "device", 0);
    if (device != 0 && device < 256)
        c.device.bits[device / 64] |= UINT64_C(1) << device % 64;
    read_retry(w, &c.retry);
    c.trace = observe;
    c.trace_ctx = s;
    s->port = weft_mad_port_free(s->port);
    if (weft_mad_port_new(&c, NULL, &s->port) < 0)
        return complain(s, "no port can be made of this", words_at(w, 0));
    return weft_mad_port_set_lid(s->port, OUR_LID, 0) < 0 ? complain(s, "no LID", "port") : NULL;
}

static const char *do_agent(struct stage *s, struct words *w)
{
    struct actor *a = &s->actors[s->actor_count];
    int err;

    if (s->actor_count == STAGE_NAMES)
        return complain(s, "too many agents", words_at(w, 1));
    snprintf(a->name, sizeof(a->name), "%s", words_at(w, 1));
    a->req = (struct weft_mad_agent_req){
        .mgmt_class = (uint8_t)words_number(w, "class", WEFT_CLASS_SUBN_ADM),
        .rmpp_version = words_flag(w, "rmpp"),
        .send_only = words_flag(w, "send-only"),
        .no_recv = words_flag(w, "no-recv"),
        .methods = {UINT64_C(1) << (words_number(w, "method", 0) & 63)}};
    a->req.qpn = !mad_class_is_smi(a->req.mgmt_class);
    a->req.class_version = packet_class_version(a->req.mgmt_class);
    err = weft_mad_agent_add(s->port, &a->req, &a->id);
    tell_result(s, err);
    s->actor_count += err == 0;
    return NULL;
}

/* Words that the content says again: each byte tells its place. */
static void fill(struct letter *l, uint32_t from, uint32_t len)
{
    for (uint32_t i = from; i < len; i++)
        l->data[i] = (uint8_t)(i * 7);
}

static struct letter *new_letter(struct stage *s, struct words *w, uint8_t mgmt_class)
{
    struct letter *l = &s->letters[s->letter_count];

    if (s->letter_count == STAGE_NAMES)
        return NULL;
    memset(l, 0, sizeof(*l));
    snprintf(l->name, sizeof(l->name), "%s", words_at(w, 1));
    l->mgmt_class = (uint8_t)words_number(w, "class", mgmt_class);
    l->method = (uint8_t)words_number(w, "method", WEFT_METHOD_GET);
    l->lid = (uint16_t)words_number(w, "lid", PEER_LID);
    return l;
}

static const char *do_post(struct stage *s, struct words *w)
{
    struct actor *a = find_actor(s, words_text(w, "agent", s->actors[0].name));
    struct letter *l = a ? new_letter(s, w, a->req.mgmt_class) : NULL;
    struct weft_mad_send_req r = {.to = {.qpn = 1, .qkey = WEFT_QKEY_GSI}};
    uint32_t tid = 0;
    int err;

    if (!l)
        return complain(s, "no such agent, or too many names", words_at(w, 1));
    r.agent = a->id;
    r.to.lid = l->lid;
    r.data = l->data;
    r.len = (uint32_t)words_number(w, "bytes", WEFT_MAD_BYTES);
    r.timeout = words_time(w, "timeout", 10 * WEFT_MS);
    r.retries = (uint8_t)words_number(w, "retries", 0);
    r.queue_timeout = words_time(w, "queue", 0);
    if (r.len > sizeof(l->data))
        return complain(s, "too long", l->name);
    packet_build(l->data, l->mgmt_class, l->method, (uint64_t)s->letter_count + 1);
    if (words_flag(w, "rmpp"))
        packet_rmpp(l->data, WEFT_RMPP_DATA, 0, 0, 0);
    if (l->mgmt_class == WEFT_CLASS_SUBN_DIRECTED)
        memset(l->data + 32, 0xff, 4); /* DrSLID and DrDLID: no LID routed part */
    else
        fill(l, mad_class_data_offset(l->mgmt_class), r.len);
    (void)weft_mad_agent_tid(s->port, a->id, &tid);
    l->tid = (uint64_t)tid << 32 | ((uint32_t)s->letter_count + 1);
    s->letter_count++;
    err = weft_mad_post(s->port, s->now, &r, &l->id);
    tell_result(s, err);
    return NULL;
}

static const char *do_tx(struct stage *s, struct words *w)
{
    struct weft_mad_tx tx;
    bool any = false;

    (void)w;
    while (s->held_count < STAGE_HELD && weft_mad_poll_tx(s->port, &tx)) {
        s->held[s->held_count++] = (struct held){.id = tx.id, .tid = mad_tid(tx.data)};
        any = true;
    }
    if (!any)
        tell(s, "nothing to send");
    return NULL;
}

static const char *hand_back(struct stage *s, struct words *w, bool ok)
{
    const char *name = words_at(w, 1);

    for (int i = 0; i < s->held_count; i++) {
        struct held h = s->held[i];

        if (strcmp(name, "all") != 0 && strcmp(name_of(s, h.tid), name) != 0)
            continue;
        s->held_count--;
        memmove(&s->held[i], &s->held[i + 1], (size_t)(s->held_count - i) * sizeof(h));
        tell_result(s, weft_mad_tx_done(s->port, s->now, h.id, ok));
        if (strcmp(name, "all") != 0)
            return NULL;
        i--;
    }
    return strcmp(name, "all") == 0 ? NULL : complain(s, "the host holds no packet of", name);
}

static const char *do_sent(struct stage *s, struct words *w)
{
    return hand_back(s, w, true);
}

static const char *do_failed(struct stage *s, struct words *w)
{
    return hand_back(s, w, false);
}

static void arrive(struct stage *s, const struct letter *l, const uint8_t *mad)
{
    struct weft_mad_rx rx = {.qpn = !mad_class_is_smi(mad_class(mad)),
                             .dlid = OUR_LID,
                             .from = {.lid = l->lid, .qpn = 1},
                             .data = mad,
                             .len = WEFT_MAD_BYTES};

    tell_result(s, weft_mad_rx(s->port, s->now, &rx, NULL));
}

/* A packet of the peer's concerning a letter: about one of ours it carries the R bit. NULL: there
 * is no such letter, and s->problem says so. */
static struct letter *peer_packet(struct stage *s, struct words *w, uint8_t *mad)
{
    struct letter *l = find_letter(s, words_at(w, 1));

    if (!l) {
        complain(s, "nobody wrote", words_at(w, 1));
        return NULL;
    }
    packet_build(mad, l->mgmt_class,
                 l->id.v != 0 ? l->method | (uint8_t)WEFT_METHOD_RESPONSE : l->method, l->tid);
    return l;
}

static const char *do_answer(struct stage *s, struct words *w)
{
    uint8_t mad[WEFT_MAD_BYTES];
    const struct letter *l = peer_packet(s, w, mad);

    if (!l)
        return s->problem;
    mad_set_status(mad, words_flag(w, "busy") ? WEFT_STATUS_BUSY
                                              : (uint16_t)words_number(w, "status", 0));
    arrive(s, l, mad);
    return NULL;
}

/* The peer's own message gets a name; its packets arrive by further commands. */
static const char *do_incoming(struct stage *s, struct words *w)
{
    struct letter *l = new_letter(s, w, WEFT_CLASS_SUBN_ADM);

    if (!l)
        return complain(s, "too many names", words_at(w, 1));
    l->tid = 0x7700000000 + (uint64_t)s->letter_count;
    s->letter_count++;
    return NULL;
}

static const char *do_ack(struct stage *s, struct words *w)
{
    uint8_t mad[WEFT_MAD_BYTES];
    const struct letter *l = peer_packet(s, w, mad);
    uint32_t segment = (uint32_t)words_number(w, "seg", 0);

    if (!l)
        return s->problem;
    packet_rmpp(mad, WEFT_RMPP_ACK, 0, segment, (uint32_t)words_number(w, "window", segment));
    arrive(s, l, mad);
    return NULL;
}

static const char *do_segment(struct stage *s, struct words *w)
{
    uint8_t mad[WEFT_MAD_BYTES];
    const struct letter *l = peer_packet(s, w, mad);
    uint32_t segment = (uint32_t)words_number(w, "seg", 1), head, length = 0;
    unsigned flags = segment == 1 ? (unsigned)WEFT_RMPP_FLAG_FIRST : 0;

    if (!l)
        return s->problem;
    head = mad_class_data_offset(l->mgmt_class);
    if (words_flag(w, "last")) {
        flags |= (unsigned)WEFT_RMPP_FLAG_LAST;
        length = head - WEFT_RMPP_DATA_OFFSET + (uint32_t)words_number(w, "bytes", 100);
    }
    packet_rmpp(mad, WEFT_RMPP_DATA, flags, segment, length);
    memset(mad + head, (int)segment, WEFT_MAD_BYTES - head);
    arrive(s, l, mad);
    return NULL;
}

static const char *peer_ends(struct stage *s, struct words *w, enum weft_rmpp_type type)
{
    uint8_t mad[WEFT_MAD_BYTES];
    const struct letter *l = peer_packet(s, w, mad);

    if (!l)
        return s->problem;
    packet_rmpp_end(mad, type, (uint8_t)words_number(w, "status", WEFT_RMPP_STATUS_RESX));
    arrive(s, l, mad);
    return NULL;
}

static const char *do_abort(struct stage *s, struct words *w)
{
    return peer_ends(s, w, WEFT_RMPP_ABORT);
}

static const char *do_stop(struct stage *s, struct words *w)
{
    return peer_ends(s, w, WEFT_RMPP_STOP);
}

static const char *do_at(struct stage *s, struct words *w)
{
    weft_time to;

    if (!quantity_parse_duration(words_at(w, 1), &to) || to < s->now)
        return complain(s, "no time from now on", words_at(w, 1));
    s->now = to;
    return NULL;
}

static const char *do_advance(struct stage *s, struct words *w)
{
    (void)w;
    tell_result(s, weft_mad_advance(s->port, s->now));
    return NULL;
}

static const char *do_cancel(struct stage *s, struct words *w)
{
    struct letter *l = find_letter(s, words_at(w, 1));

    if (!l)
        return complain(s, "nobody wrote", words_at(w, 1));
    tell_result(s, weft_mad_cancel(s->port, s->now, l->id));
    return NULL;
}

static const char *do_set_timeout(struct stage *s, struct words *w)
{
    struct letter *l = find_letter(s, words_at(w, 1));
    weft_time timeout;

    if (!l || !quantity_parse_duration(words_at(w, 2), &timeout))
        return complain(s, "set_timeout NAME DURATION, not", words_at(w, 1));
    tell_result(s, weft_mad_set_timeout(s->port, s->now, l->id, timeout));
    return NULL;
}

static const char *do_remove(struct stage *s, struct words *w)
{
    struct actor *a = find_actor(s, words_at(w, 1));

    if (!a)
        return complain(s, "no agent", words_at(w, 1));
    tell_result(s, weft_mad_agent_remove(s->port, s->now, a->id));
    return NULL;
}

static void tell_sent(struct stage *s, const struct weft_mad_event *ev)
{
    const struct letter *l = NULL;
    char rmpp[32] = "";

    for (int i = 0; i < s->letter_count; i++) {
        if (s->letters[i].id.v == ev->u.sent.id.v)
            l = &s->letters[i];
    }
    if (ev->u.sent.status == WEFT_MAD_RMPP_ABORTED)
        snprintf(rmpp, sizeof(rmpp), " rmpp_status=%u %s", ev->u.sent.rmpp_status,
                 ev->u.sent.rmpp_local ? "local" : "remote");
    tell(s, "SEND_DONE %s %s attempts=%u%s%s", l ? l->name : "?",
         weft_mad_status_name(ev->u.sent.status), ev->u.sent.attempts,
         ev->u.sent.busy ? " busy" : "", rmpp);
}

static const char *do_events(struct stage *s, struct words *w)
{
    struct weft_mad_event ev;
    bool any = false;

    (void)w;
    while (s->kept_count < STAGE_HELD && weft_mad_poll_event(s->port, &ev)) {
        struct kept *k = &s->kept[s->kept_count];

        any = true;
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            tell_sent(s, &ev);
            continue;
        }
        *k = (struct kept){.id = ev.u.recv.id, .tid = mad_tid(ev.u.recv.mad), .len = ev.u.recv.len};
        memcpy(k->mad, ev.u.recv.mad, sizeof(k->mad));
        s->kept_count++;
        tell(s, "%s %s len=%" PRIu32 "%s", ev.type == WEFT_MAD_EVENT_RECV ? "RECV" : "DEVICE",
             name_of(s, k->tid), k->len, ev.u.recv.solicited ? " solicited" : "");
    }
    if (!any)
        tell(s, "no events");
    return NULL;
}

static const char *take_kept(struct stage *s, const char *name, struct kept *ret)
{
    for (int i = 0; i < s->kept_count; i++) {
        if (strcmp(name_of(s, s->kept[i].tid), name) != 0)
            continue;
        *ret = s->kept[i];
        s->kept_count--;
        memmove(&s->kept[i], &s->kept[i + 1], (size_t)(s->kept_count - i) * sizeof(*ret));
        return NULL;
    }
    return complain(s, "the client holds no message of", name);
}

static const char *do_release(struct stage *s, struct words *w)
{
    struct kept k;
    const char *problem = take_kept(s, words_at(w, 1), &k);

    if (!problem)
        tell_result(s, weft_mad_recv_release(s->port, k.id));
    return problem;
}

static const char *do_device_answers(struct stage *s, struct words *w)
{
    uint8_t mad[WEFT_MAD_BYTES];
    struct kept k;
    const char *problem = take_kept(s, words_at(w, 1), &k);

    if (problem)
        return problem;
    packet_answer(mad, k.mad, mad_class(k.mad) == WEFT_CLASS_SUBN_DIRECTED ? 0x8000 : 0);
    tell_result(s, weft_mad_recv_answer(s->port, s->now, k.id, mad));
    return NULL;
}

static const char *do_device_passes(struct stage *s, struct words *w)
{
    struct kept k;
    const char *problem = take_kept(s, words_at(w, 1), &k);

    if (!problem)
        tell_result(s, weft_mad_recv_pass(s->port, s->now, k.id));
    return problem;
}

static const char *do_state(struct stage *s, struct words *w)
{
    struct letter *l = find_letter(s, words_at(w, 1));
    enum weft_mad_state state;

    if (!l)
        return complain(s, "nobody wrote", words_at(w, 1));
    if (weft_mad_send_state(s->port, l->id, &state) < 0)
        tell(s, "%s is gone", l->name);
    else
        tell(s, "%s is in %s", l->name, weft_mad_state_name(state));
    return NULL;
}

static const char *do_counts(struct stage *s, struct words *w)
{
    struct weft_mad_port_stats st;

    (void)w;
    weft_mad_port_stats(s->port, &st);
    tell(s, "sends=%u outstanding=%u queued=%u buffers=%u", st.sends, st.outstanding, st.queued,
         st.recv_held);
    return NULL;
}

static const char *do_window(struct stage *s, struct words *w)
{
    struct weft_mad_addr to = {.lid = (uint16_t)words_number(w, "lid", PEER_LID)};
    uint32_t window, outstanding;
    int err = weft_mad_peer_window(s->port, &to, &window, &outstanding);

    tell_result(s, err);
    if (err == 0)
        tell(s, "window=%u outstanding=%u", window, outstanding);
    return NULL;
}

static const char *do_deadline(struct stage *s, struct words *w)
{
    weft_time t = weft_mad_deadline(s->port);

    (void)w;
    if (t == WEFT_TIME_NEVER)
        tell(s, "nothing to wait for");
    else
        tell(s, "wait until %" PRIu64 ".%06" PRIu64 "ms", t / WEFT_MS, t % WEFT_MS);
    return NULL;
}

static const struct {
    const char *verb;
    const char *(*act)(struct stage *s, struct words *w);
} commands[] = {
    {"abort", do_abort},
    {"advance", do_advance},
    {"agent", do_agent},
    {"answer", do_answer},
    {"ack", do_ack},
    {"arrives", do_answer},
    {"at", do_at},
    {"cancel", do_cancel},
    {"counts", do_counts},
    {"deadline", do_deadline},
    {"device-answers", do_device_answers},
    {"device-passes", do_device_passes},
    {"events", do_events},
    {"failed", do_failed},
    {"incoming", do_incoming},
    {"port", do_port},
    {"post", do_post},
    {"release", do_release},
    {"remove", do_remove},
    {"segment", do_segment},
    {"sent", do_sent},
    {"set_timeout", do_set_timeout},
    {"state", do_state},
    {"stop", do_stop},
    {"tx", do_tx},
    {"window", do_window},
};

struct stage *stage_new(stage_tell_fn tell_fn, void *ctx)
{
    struct stage *s = calloc(1, sizeof(*s));

    if (!s)
        abort();
    s->tell = tell_fn;
    s->ctx = ctx;
    return s;
}

struct stage *stage_free(struct stage *s)
{
    if (s) {
        s->port = weft_mad_port_free(s->port);
        free(s);
    }
    return NULL;
}

const char *stage_do(struct stage *s, const char *command)
{
    const char *problem = NULL, *verb;
    struct words w;

    if (!words_split(&w, command))
        return complain(s, "a long command", command);
    verb = words_at(&w, 0);
    if (!s->port && strcmp(verb, "port") != 0)
        return complain(s, "the first command is `port`, not", verb);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(commands[i].verb, verb) != 0)
            continue;
        problem = commands[i].act(s, &w);
        if (!problem && words_unused(&w))
            problem = complain(s, "this word means nothing here", words_unused(&w));
        return problem ? problem : mad_audit(s->port);
    }
    return complain(s, "no such command", verb);
}
