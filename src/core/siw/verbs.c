/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of everything that verbs make, the numbers of QPs and completion queues, and events. */
#include "core/siw/verbs.h"

#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/transmit.h"

#define CACHE_LINE 64

/* The pools, how many objects each has and how large they are. */
struct plan {
    struct pool *pool;
    uint64_t count;
    uint32_t stride;
};

#define PLANS 7

static uint32_t whole_lines(size_t bytes)
{
    return (uint32_t)((bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

static void plan_make(struct weft_siw *s, struct plan plan[PLANS])
{
    const struct weft_siw_config *c = &s->config;
    struct verbs *v = &s->verbs;

    plan[0] = (struct plan){&v->qps, c->qps, whole_lines(sizeof(struct qp))};
    plan[1] = (struct plan){&v->cqs, c->cqs, whole_lines(sizeof(struct cq))};
    plan[2] = (struct plan){&v->regions, c->regions, sizeof(struct region)};
    /* each QP may have one of its own, its RTR frame */
    plan[3] = (struct plan){&v->requests, (uint64_t)c->requests + c->qps, REQUEST_STRIDE};
    plan[4] = (struct plan){&v->responses, (uint64_t)c->qps * c->ird_max, sizeof(struct response)};
    plan[5] = (struct plan){&v->completions, c->cq_entries, sizeof(struct completion)};
    plan[6] = (struct plan){&v->stagings, c->qps, whole_lines(sizeof(struct staging))};
}

int verbs_new(struct weft_siw *s)
{
    struct verbs *v = &s->verbs;
    struct plan plan[PLANS];

    *v = (struct verbs){.keys = {s->config.seed}};
    list_init(&v->cq_events);
    list_init(&v->qp_events);
    plan_make(s, plan);
    for (uint32_t i = 0; i < PLANS; i++) {
        uint64_t count = plan[i].count;
        void *base = NULL;

        if (count >= POOL_NONE)
            return WEFT_ERR_NOMEM;
        if (count > 0) {
            base = siw_take(s, count * plan[i].stride, CACHE_LINE);
            if (!base)
                return WEFT_ERR_NOMEM;
        }
        pool_init(plan[i].pool, base, plan[i].stride, (uint32_t)count);
    }
    return receivers_new(s);
}

void verbs_free(struct weft_siw *s)
{
    struct plan plan[PLANS];

    plan_make(s, plan);
    for (uint32_t i = 0; i < PLANS; i++)
        siw_give(s, plan[i].pool->base, plan[i].count * plan[i].stride);
    receivers_free(s);
    s->verbs = (struct verbs){0};
}

uint32_t verbs_number(const struct pool *p, const void *object)
{
    return (pool_generation(object) >> 1) << 16 | (pool_slot(p, object) + 1);
}

void *verbs_find(const struct pool *p, uint32_t number)
{
    uint32_t slot = (number & 0xFFFF) - 1;
    void *object;

    if (slot >= p->fresh)
        return NULL;
    object = pool_at(p, slot);
    /* odd: in use */
    if (pool_generation(object) % 2 == 0)
        return NULL;
    return verbs_number(p, object) == number ? object : NULL;
}

bool weft_siw_poll_event(struct weft_siw *s, struct weft_siw_event *ret)
{
    struct list_node *n = list_pop_front(&s->verbs.cq_events);

    if (n) {
        *ret = (struct weft_siw_event){
            .type = WEFT_SIW_EVENT_CQ,
            .number = WEFT_CONTAINER_OF(n, struct cq, event)->cqn,
        };
        return true;
    }
    n = list_pop_front(&s->verbs.qp_events);
    if (!n)
        return false;
    *ret = (struct weft_siw_event){
        .type = WEFT_SIW_EVENT_QP,
        .number = WEFT_CONTAINER_OF(n, struct qp, event)->qpn,
    };
    return true;
}
