/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The named policies, the table of their numbers, and what the engine is told about them. */
#include "storm/policy.h"

#include <stdbool.h>

static const char *const kind_words[] = {"fixed", "backoff", NULL};
static const char *const bound_words[] = {"retries", "time", NULL};
static const char *const busy_words[] = {"no-reply", "deliver", NULL};
static const char *const no_yes_words[] = {"no", "yes", NULL};

_Static_assert(WEFT_MAD_RETRY_FIXED == 0 && WEFT_MAD_RETRY_BACKOFF == 1, "order of kind_words");
_Static_assert(WEFT_MAD_BOUND_RETRIES == 0 && WEFT_MAD_BOUND_TIME == 1, "order of bound_words");
_Static_assert(WEFT_MAD_BUSY_NO_REPLY == 0 && WEFT_MAD_BUSY_DELIVER == 1, "order of busy_words");

#define FIELD(key, unit, member, min, max, help)                                                   \
    {                                                                                              \
        key, unit, offsetof(struct storm_policy, member), min, max, NULL, help                     \
    }
#define WORD(key, member, words, help)                                                             \
    {                                                                                              \
        key, STORM_WORD, offsetof(struct storm_policy, member), 0, 1, words, help                  \
    }

const struct storm_field storm_policy_fields[] = {
    WORD("kind", kind, kind_words, "waits: fixed, or a randomized exponential backoff"),
    WORD("bound", bound, bound_words, "what ends a query: the number of retries, or a total time"),
    WORD("busy", busy, busy_words, "a BUSY answer: as if nothing had come, or delivered"),
    FIELD("base", STORM_DURATION, base_ns, 0, STORM_HOUR,
          "backoff: addition to the first retry's wait"),
    FIELD("jitter", STORM_DURATION, jitter_ns, 0, STORM_HOUR,
          "backoff: random part taken off again; at most base"),
    FIELD("cap", STORM_DURATION, cap_ns, 0, STORM_HOUR, "backoff: largest addition; at least base"),
    FIELD("total", STORM_DURATION, total_ns, 0, STORM_HOUR,
          "bound=time: time for retries; 0: timeout times retries"),
    FIELD("timeout", STORM_DURATION, timeout_ns, 1000, STORM_HOUR,
          "wait for an answer; default: the scenario's"),
    FIELD("retries", STORM_COUNT, retries, 0, 255, "further packets; default: the scenario's"),
    WORD("agent-limits", agent_limits, no_yes_words,
         "each agent has at most recv-depth/32 requests outstanding, as in the Linux MAD layer"),
    WORD("port-budget", port_budget, no_yes_words,
         "requests outstanding and buffers in use never exceed recv-depth"),
    FIELD("reserve", STORM_COUNT, reserve, 0, 8192,
          "port-budget: buffers kept for unsolicited MADs; default: recv-depth/8"),
    WORD("adaptive", adaptive, no_yes_words,
         "a window towards the SA that grows with answers and halves on loss and BUSY"),
    FIELD("window", STORM_COUNT, window_initial, 1, 65535, "adaptive: first window"),
    FIELD("window-max", STORM_COUNT, window_max, 1, 65535, "adaptive: largest window"),
    FIELD("queue-timeout", STORM_DURATION, queue_timeout_ns, 0, STORM_HOUR,
          "longest wait of a request held back by flow control; 0: for ever"),
    WORD("reask", reask, no_yes_words, "the client asks a failed query anew, without end"),
    FIELD("reask-delay", STORM_DURATION, reask_delay_ns, 0, STORM_HOUR,
          "reask: this long after the error"),
    {NULL, STORM_COUNT, 0, 0, 0, NULL, NULL},
};

/* What the named policies share: the engine's own defaults, without any limit. */
static void fill_common(struct storm_policy *p)
{
    struct weft_mad_config engine;

    weft_mad_config_init(&engine);
    *p = (struct storm_policy){
        .kind = WEFT_MAD_RETRY_FIXED,
        .bound = WEFT_MAD_BOUND_RETRIES,
        .busy = WEFT_MAD_BUSY_NO_REPLY,
        .base_ns = engine.retry.base_ns,
        .jitter_ns = engine.retry.jitter_ns,
        .cap_ns = engine.retry.cap_ns,
        .total_ns = 0,
        .timeout_ns = STORM_INHERIT,
        .retries = STORM_INHERIT,
        .reserve = STORM_INHERIT,
        .window_initial = engine.flow.window_initial,
        .window_max = engine.flow.window_max,
    };
}

static void fill_naive(struct storm_policy *p)
{
    p->busy = WEFT_MAD_BUSY_DELIVER;
    p->retries = 0;
    p->reask = true;
}

static void fill_backoff(struct storm_policy *p)
{
    p->kind = WEFT_MAD_RETRY_BACKOFF;
}

static void fill_kernel_flow(struct storm_policy *p)
{
    p->agent_limits = true;
}

static void fill_port_flow(struct storm_policy *p)
{
    p->port_budget = true;
}

static void fill_adaptive(struct storm_policy *p)
{
    p->kind = WEFT_MAD_RETRY_BACKOFF;
    p->port_budget = true;
    p->adaptive = true;
}

const struct storm_policy_name storm_policy_names[] = {
    {"naive", "BUSY and timeouts reach the client, which asks anew at once; no limits", fill_naive},
    {"fixed", "fixed waits, BUSY counts as no answer; no limits", NULL},
    {"backoff", "randomized exponential waits, BUSY counts as no answer; no limits", fill_backoff},
    {"kernel-flow", "fixed, and the per-agent limits of the Linux MAD layer", fill_kernel_flow},
    {"port-flow", "fixed, and one budget for all requests of a port", fill_port_flow},
    {"adaptive", "backoff, the port's budget, and a window that adapts to the SA", fill_adaptive},
    {NULL, NULL, NULL},
};

int storm_policy_named(const char *name, struct storm_policy *ret)
{
    for (const struct storm_policy_name *n = storm_policy_names; n->name; n++) {
        if (strcmp(n->name, name) != 0)
            continue;
        fill_common(ret);
        if (n->fill)
            n->fill(ret);
        return 0;
    }
    return WEFT_ERR_NOTFOUND;
}

static void set_retry(const struct storm_policy *p, struct weft_mad_retry *ret)
{
    weft_mad_retry_init(ret);
    ret->kind = (enum weft_mad_retry_kind)p->kind;
    ret->bound = (enum weft_mad_retry_bound)p->bound;
    ret->busy = (enum weft_mad_busy)p->busy;
    ret->base_ns = p->base_ns;
    ret->jitter_ns = p->jitter_ns;
    ret->cap_ns = p->cap_ns;
    ret->total_ns = p->total_ns;
}

int storm_policy_config(const struct storm_policy *p, const struct storm_scenario *s,
                        struct weft_mad_config *ret)
{
    uint64_t reserve = p->reserve == STORM_INHERIT ? s->recv_depth / 8 : p->reserve;
    struct weft_mad_config c;

    if (p->jitter_ns > p->base_ns || p->base_ns > p->cap_ns || reserve >= s->recv_depth ||
        p->window_initial > p->window_max)
        return WEFT_ERR_INVALID;
    weft_mad_config_init(&c);
    set_retry(p, &c.retry);
    c.agents = (uint32_t)s->agents;
    c.recv_depth = (uint32_t)s->recv_depth;
    c.flow.agent_limits = p->agent_limits != 0;
    c.flow.port_budget = p->port_budget != 0;
    c.flow.adaptive = p->adaptive != 0;
    c.flow.reserve = (uint32_t)reserve;
    c.flow.peers = 1; /* a client talks to the SA alone */
    c.flow.window_initial = (uint32_t)p->window_initial;
    c.flow.window_max = (uint32_t)p->window_max;
    if (p->queue_timeout_ns != 0)
        c.queue_timeout = p->queue_timeout_ns;
    /* No message of a storm has more than one segment. */
    c.rmpp.transfers = 1;
    c.rmpp.bytes_max = 0;
    *ret = c;
    return 0;
}
