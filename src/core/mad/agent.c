/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Agents: registration rules, ownership of classes and methods, removal. */
#include "core/mad/agent.h"

#include "core/mad/event.h"
#include "core/mad/flow.h"
#include "core/mad/retry.h"
#include "core/mad/rmpp_rx.h"
#include "core/mad/send.h"

#include <string.h>

struct agent *agent_lookup(const struct weft_mad_port *p, weft_mad_agent_id id)
{
    struct agent *a = pool_find(&p->agents, id.v);

    return a && a->present ? a : NULL;
}

/* Walks the registered agents. */
static struct agent *agent_next(const struct weft_mad_port *p, uint32_t *slot)
{
    struct agent *a;

    while ((a = pool_next(&p->agents, slot)) && !a->present)
        ;
    return a;
}

static bool agent_owns(const struct agent *a, const uint8_t *mad)
{
    uint8_t method = mad_method(mad) & WEFT_METHOD_MASK;

    if (a->send_only || a->class_version != mad_class_version(mad) ||
        a->mgmt_class != mad_class(mad))
        return false;
    if (mad_class_has_oui(a->mgmt_class) && a->oui != mad_oui(mad))
        return false;
    return (a->methods[method / 64] >> (method % 64) & 1) != 0;
}

struct agent *agent_for_request(const struct weft_mad_port *p, const uint8_t *mad)
{
    uint32_t slot = 0;
    struct agent *a;

    while ((a = agent_next(p, &slot)) && !agent_owns(a, mad))
        ;
    return a;
}

struct agent *agent_for_tid(const struct weft_mad_port *p, uint32_t tid)
{
    uint32_t slot = 0;
    struct agent *a;

    while ((a = agent_next(p, &slot)) && a->tid != tid)
        ;
    return a;
}

static uint32_t request_oui(const struct weft_mad_agent_req *r)
{
    if (!mad_class_has_oui(r->mgmt_class))
        return 0;
    return (uint32_t)r->oui[0] << 16 | (uint32_t)r->oui[1] << 8 | r->oui[2];
}

/* The rules of ib_register_mad_agent that need no look at the other agents. */
static bool request_valid(const struct weft_mad_agent_req *r)
{
    if (r->qpn > WEFT_QP_GSI || r->rmpp_version > WEFT_RMPP_VERSION ||
        (r->retry && !retry_policy_valid(r->retry)))
        return false;
    if (r->send_only)
        return !r->user_rmpp;
    if (r->no_recv)
        return false;
    if (r->mgmt_class == 0 || r->class_version >= ENGINE_CLASS_VERSIONS)
        return false;
    if (r->mgmt_class >= ENGINE_CLASSES && r->mgmt_class != WEFT_CLASS_SUBN_DIRECTED)
        return false;
    if (mad_class_has_oui(r->mgmt_class) && request_oui(r) == 0)
        return false;
    if (r->rmpp_version != 0 && !mad_class_has_rmpp(r->mgmt_class))
        return false;
    return mad_class_is_smi(r->mgmt_class) == (r->qpn == WEFT_QP_SMI);
}

/* Whether the request shares class, version and vendor with a; *ret_vendor: another vendor of them.
 */
static bool agent_same_owner(const struct agent *a, const struct weft_mad_agent_req *r,
                             bool *ret_vendor)
{
    *ret_vendor = false;
    if (a->send_only || a->mgmt_class != r->mgmt_class || a->class_version != r->class_version)
        return false;
    *ret_vendor = mad_class_has_oui(a->mgmt_class) && a->oui != request_oui(r);
    return !*ret_vendor;
}

/* Whether slot is the first agent of its vendor among those of the request's class and version. */
static bool agent_first_of_vendor(const struct weft_mad_port *p, const struct agent *a)
{
    uint32_t slot = 0;
    struct agent *b;

    while ((b = agent_next(p, &slot)) && b != a) {
        if (!b->send_only && b->mgmt_class == a->mgmt_class &&
            b->class_version == a->class_version && b->oui == a->oui)
            return false;
    }
    return true;
}

/* Looks at the agents there are: overlapping methods, and how many other vendors share the class.
 */
static int request_fits(const struct weft_mad_port *p, const struct weft_mad_agent_req *r)
{
    uint32_t slot = 0, vendors = 0;
    struct agent *a;

    if (r->send_only)
        return 0;
    while ((a = agent_next(p, &slot))) {
        bool other_vendor;

        if (agent_same_owner(a, r, &other_vendor)) {
            if ((a->methods[0] & r->methods[0]) || (a->methods[1] & r->methods[1]))
                return WEFT_ERR_CONFLICT;
        } else if (other_vendor && agent_first_of_vendor(p, a)) {
            vendors++;
        }
    }
    return vendors >= ENGINE_OUIS_MAX ? WEFT_ERR_FULL : 0;
}

/* Transaction ids go round through the configured range and leave out those in use, also by agents
 * that were removed and whose sends are still ending. */
static uint32_t agent_draw_tid(struct weft_mad_port *p)
{
    for (;;) {
        uint32_t tid = p->tid_next, slot = 0;
        const struct agent *a;

        p->tid_next = tid == p->config.tid_last ? p->config.tid_first : tid + 1;
        while ((a = pool_next(&p->agents, &slot)) && a->tid != tid)
            ;
        if (!a)
            return tid;
    }
}

static struct agent *agent_take(struct weft_mad_port *p)
{
    struct agent *a = pool_take(&p->agents);

    if (!a)
        return NULL;
    pool_clear(a, sizeof(*a));
    flow_backlog_init(&a->backlog, a);
    list_init(&a->waiting);
    return a;
}

int weft_mad_agent_add(struct weft_mad_port *p, const struct weft_mad_agent_req *r,
                       weft_mad_agent_id *ret)
{
    struct agent *a;
    int err;

    if (!request_valid(r))
        return WEFT_ERR_INVALID;
    err = request_fits(p, r);
    if (err < 0)
        return err;
    a = agent_take(p);
    if (!a)
        return WEFT_ERR_FULL;
    a->tid = agent_draw_tid(p);
    a->present = true;
    a->qpn = r->qpn;
    a->mgmt_class = r->mgmt_class;
    a->class_version = r->class_version;
    a->rmpp_version = r->rmpp_version;
    a->user_rmpp = r->user_rmpp;
    a->send_only = r->send_only;
    a->no_recv = r->no_recv;
    a->oui = request_oui(r);
    memcpy(a->methods, r->methods, sizeof(a->methods));
    if (r->retry) {
        a->has_retry = true;
        a->retry = *r->retry;
    }
    a->stats.limit = flow_agent_limit(p, a);
    *ret = agent_id(p, a);
    return 0;
}

void agent_free_if_gone(struct weft_mad_port *p, struct agent *a)
{
    if (a->present || a->live_sends > 0)
        return;
    pool_give(&p->agents, a);
}

int weft_mad_agent_remove(struct weft_mad_port *p, weft_time now, weft_mad_agent_id id)
{
    struct agent *a = agent_lookup(p, id);
    uint32_t slot = 0;
    struct send *s;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!a)
        return WEFT_ERR_STALE;
    a->present = false;
    while (a->live_sends > 0 && (s = pool_next(&p->sends, &slot))) {
        if (s->agent == a)
            send_agent_removed(p, s);
    }
    rmpp_rx_agent_gone(p, a);
    event_drop_agent(p, a);
    agent_free_if_gone(p, a);
    return 0;
}

int weft_mad_agent_tid(const struct weft_mad_port *p, weft_mad_agent_id id, uint32_t *ret)
{
    const struct agent *a = agent_lookup(p, id);

    if (!a)
        return WEFT_ERR_STALE;
    *ret = a->tid;
    return 0;
}

int weft_mad_agent_stats(const struct weft_mad_port *p, weft_mad_agent_id id,
                         struct weft_mad_agent_stats *ret)
{
    const struct agent *a = agent_lookup(p, id);

    if (!a)
        return WEFT_ERR_STALE;
    *ret = a->stats;
    return 0;
}
