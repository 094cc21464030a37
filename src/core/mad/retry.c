/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Retry policy: fixed and randomized exponential waits, bounded by number or by time. */
#include "core/mad/retry.h"

#include "core/mad/agent.h"
#include "core/mad/send.h"

#define RETRY_HOUR (3600 * WEFT_S)

/* What classes outside a policy's set get: the Linux MAD layer's way. */
static const struct weft_mad_retry retry_plain = {
    .kind = WEFT_MAD_RETRY_FIXED,
    .bound = WEFT_MAD_BOUND_RETRIES,
    .busy = WEFT_MAD_BUSY_DELIVER,
};

void weft_mad_retry_init(struct weft_mad_retry *ret)
{
    *ret = (struct weft_mad_retry){
        .kind = WEFT_MAD_RETRY_FIXED,
        .bound = WEFT_MAD_BOUND_RETRIES,
        .busy = WEFT_MAD_BUSY_NO_REPLY,
        .base_ns = 511 * WEFT_MS,
        .jitter_ns = 511 * WEFT_MS,
        .cap_ns = 511 * WEFT_MS << 7,
        .classes = {.bits = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
    };
    ret->classes.bits[WEFT_CLASS_SUBN_LID / 64] &= ~(UINT64_C(1) << WEFT_CLASS_SUBN_LID % 64);
    ret->classes.bits[WEFT_CLASS_SUBN_DIRECTED / 64] &=
        ~(UINT64_C(1) << WEFT_CLASS_SUBN_DIRECTED % 64);
}

bool retry_policy_valid(const struct weft_mad_retry *r)
{
    if ((unsigned)r->kind > WEFT_MAD_RETRY_BACKOFF || (unsigned)r->bound > WEFT_MAD_BOUND_TIME ||
        (unsigned)r->busy > WEFT_MAD_BUSY_DELIVER)
        return false;
    return r->base_ns <= RETRY_HOUR && r->jitter_ns <= r->base_ns && r->cap_ns >= r->base_ns &&
           r->cap_ns <= RETRY_HOUR;
}

int weft_mad_port_set_retry(struct weft_mad_port *p, const struct weft_mad_retry *r, bool force)
{
    if (!retry_policy_valid(r))
        return WEFT_ERR_INVALID;
    p->config.retry = *r;
    p->retry_forced = force;
    return 0;
}

/* The policy that counts for a send: the port's when forced, else the narrowest given; for classes
 * outside the policy's set, the plain one. */
static const struct weft_mad_retry *retry_policy(const struct weft_mad_port *p,
                                                 const struct send *s)
{
    const struct weft_mad_retry *r = &p->config.retry;

    if (!p->retry_forced) {
        if (s->retry)
            r = s->retry;
        else if (s->agent->has_retry)
            r = &s->agent->retry;
    }
    return engine_class_in(&r->classes, s->mgmt_class) ? r : &retry_plain;
}

void retry_begin(const struct weft_mad_port *p, struct send *s, uint8_t retries)
{
    weft_time budget = retry_policy(p, s)->total_ns;

    if (budget == 0 && retries > 0)
        budget = s->timeout > WEFT_TIME_NEVER / retries ? WEFT_TIME_NEVER : s->timeout * retries;
    s->retries_left = retries;
    s->plain = (struct plain_send){.wait = s->timeout, .budget = budget};
}

/* What backoff adds to the timeout after retry k: see struct weft_mad_retry. */
static weft_time retry_addition(struct weft_mad_port *p, const struct weft_mad_retry *r, uint32_t k)
{
    uint32_t doublings = k - 1 < 63 ? k - 1 : 63;
    weft_time step = r->cap_ns;
    weft_time jitter = prng_up_to(&p->prng, r->jitter_ns);

    /* compared this way round nothing is shifted out at the top */
    if (r->base_ns <= r->cap_ns >> doublings)
        step = r->base_ns << doublings;
    return step - jitter;
}

static void retry_trace(const struct weft_mad_port *p, const struct send *s, bool by_time)
{
    struct weft_trace_event ev = send_trace_event(p, s, WEFT_TRACE_RETRY);

    ev.u.retry.attempt = s->attempts;
    ev.u.retry.left = s->retries_left;
    ev.u.retry.wait = s->plain.wait;
    ev.u.retry.budget = by_time ? s->plain.budget : 0;
    engine_trace(p, &ev);
}

bool retry_next(struct weft_mad_port *p, struct send *s)
{
    const struct weft_mad_retry *r = retry_policy(p, s);
    bool by_time = r->bound == WEFT_MAD_BOUND_TIME;

    if (by_time ? s->plain.budget == 0 : s->retries_left == 0)
        return false;
    if (s->retries_left > 0)
        s->retries_left--;
    s->plain.wait = s->timeout;
    if (r->kind == WEFT_MAD_RETRY_BACKOFF)
        s->plain.wait = engine_later(s->timeout, retry_addition(p, r, s->attempts));
    if (by_time) {
        if (s->plain.wait > s->plain.budget)
            s->plain.wait = s->plain.budget;
        s->plain.budget -= s->plain.wait;
    }
    if (p->config.trace)
        retry_trace(p, s, by_time);
    return true;
}

bool retry_holds_busy(const struct weft_mad_port *p, const struct send *s, uint16_t status)
{
    return (status & WEFT_STATUS_BUSY) != 0 && retry_policy(p, s)->busy == WEFT_MAD_BUSY_NO_REPLY;
}
