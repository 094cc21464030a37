/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection manager's memory, its ids, their states and references. */
#include "core/iwcm/manager.h"

#include <string.h>

#define IDS_MAX (1u << 20)
#define QPS_MAX (1u << 24)

/* Where each part of the one piece of memory begins. */
struct layout {
    uint64_t ids, events, buffers, qps, entries, bytes;
};

static uint64_t place(uint64_t *at, uint64_t size, uint64_t count)
{
    uint64_t begin = *at;

    *at = (begin + size * count + 63) / 64 * 64;
    return begin;
}

static struct layout lay_out(const struct weft_iwcm_config *c)
{
    struct layout l;
    uint64_t at = 0;

    place(&at, sizeof(struct weft_iwcm), 1);
    l.ids = place(&at, sizeof(struct iwcm_id), c->ids);
    l.events = place(&at, sizeof(struct event), (uint64_t)c->ids * EVENTS_PER_ID);
    l.buffers = place(&at, sizeof(struct private_data), (uint64_t)c->ids * 2);
    l.qps = place(&at, sizeof(struct qp), c->qps);
    l.entries = place(&at, sizeof(struct index_entry), index_entries(c->qps));
    l.bytes = at;
    return l;
}

static bool config_valid(const struct weft_iwcm_config *c)
{
    return c->size == sizeof(*c) && c->ids >= 1 && c->ids <= IDS_MAX && c->qps >= 1 &&
           c->qps <= QPS_MAX && c->backlog >= 1;
}

int weft_iwcm_new(const struct weft_iwcm_config *c, const struct weft_alloc *a,
                  struct weft_iwcm **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_iwcm *cm;
    unsigned char *base;
    struct layout l;

    if (!config_valid(c))
        return WEFT_ERR_INVALID;
    l = lay_out(c);
    if (l.bytes > SIZE_MAX - 64)
        return WEFT_ERR_NOMEM;
    /* not zeroed: what is never used is never touched, so few connections cost little memory */
    base = alloc.get(alloc.ctx, (size_t)l.bytes, 64);
    if (!base)
        return WEFT_ERR_NOMEM;
    cm = (struct weft_iwcm *)(void *)base;
    *cm = (struct weft_iwcm){.config = *c, .alloc = alloc, .bytes = (size_t)l.bytes};
    pool_init(&cm->ids, base + l.ids, sizeof(struct iwcm_id), c->ids);
    pool_init(&cm->events, base + l.events, sizeof(struct event), c->ids * EVENTS_PER_ID);
    pool_init(&cm->buffers, base + l.buffers, sizeof(struct private_data), c->ids * 2);
    pool_init(&cm->qps, base + l.qps, sizeof(struct qp), c->qps);
    index_init(&cm->qpns, (struct index_entry *)(void *)(base + l.entries), index_entries(c->qps));
    list_init(&cm->queue);
    list_init(&cm->cmds);
    *ret = cm;
    return 0;
}

struct weft_iwcm *weft_iwcm_free(struct weft_iwcm *cm)
{
    struct weft_alloc alloc;

    if (cm) {
        alloc = cm->alloc;
        alloc.put(alloc.ctx, cm, cm->bytes);
    }
    return NULL;
}

struct iwcm_id *iwcm_find(const struct weft_iwcm *cm, weft_iwcm_id id)
{
    return pool_find(&cm->ids, id.v);
}

weft_iwcm_id iwcm_handle(const struct weft_iwcm *cm, const struct iwcm_id *c)
{
    return (weft_iwcm_id){pool_handle(&cm->ids, c)};
}

struct iwcm_id *iwcm_take(struct weft_iwcm *cm, enum weft_iwcm_state state, uint64_t user_data)
{
    struct iwcm_id *c = pool_take(&cm->ids);

    if (!c) {
        cm->stats.ids_full++;
        return NULL;
    }
    pool_clear(c, sizeof(*c));
    c->state = (uint8_t)state;
    c->busy = BUSY_NONE;
    c->refs = 1;
    c->user_data = user_data;
    list_init(&c->cmd);
    list_init(&c->events);
    list_init(&c->children);
    list_init(&c->sibling);
    cm->stats.ids = cm->ids.used;
    return c;
}

void iwcm_give(struct weft_iwcm *cm, struct iwcm_id *c)
{
    WEFT_ASSERT(c->refs == 0 && list_empty(&c->cmd) && list_empty(&c->events));
    WEFT_ASSERT(list_empty(&c->children) && list_empty(&c->sibling) && c->qpn == 0);
    iwcm_terms_clear(cm, &c->own);
    iwcm_terms_clear(cm, &c->peer);
    pool_give(&cm->ids, c);
    cm->stats.ids = cm->ids.used;
}

enum iwcm_verdict iwcm_step(struct iwcm_id *c, enum iwcm_input input)
{
    struct iwcm_cell cell = iwcm_fsm_cell((enum weft_iwcm_state)c->state, input);

    c->state = (uint8_t)cell.next;
    return cell.verdict;
}

void iwcm_ref(struct iwcm_id *c)
{
    c->refs++;
}

void iwcm_unref(struct weft_iwcm *cm, struct iwcm_id *c)
{
    WEFT_ASSERT(c->refs > 0);
    if (--c->refs > 0)
        return;
    WEFT_ASSERT(c->state == WEFT_IWCM_DESTROYING && list_empty(&c->events));
    if (c->known)
        iwcm_event_put(cm, c, WEFT_IWCM_EVENT_GONE, WEFT_IWCM_CALLS, WEFT_IWCM_OK);
    else
        iwcm_give(cm, c);
}

void iwcm_terms_clear(struct weft_iwcm *cm, struct terms *t)
{
    if (t->data)
        pool_give(&cm->buffers, t->data);
    *t = (struct terms){0};
}

void iwcm_terms_set(struct weft_iwcm *cm, struct terms *t, const struct weft_iwcm_param *p)
{
    iwcm_terms_clear(cm, t);
    *t = (struct terms){.bytes = p->private_bytes, .ird = p->ird, .ord = p->ord};
    if (p->private_bytes == 0)
        return;
    t->data = pool_take(&cm->buffers);
    WEFT_ASSERT(t->data);
    memcpy(t->data->bytes, p->private_data, p->private_bytes);
}

int weft_iwcm_set_user_data(struct weft_iwcm *cm, weft_iwcm_id id, uint64_t user_data)
{
    struct iwcm_id *c = iwcm_known(cm, id);

    if (!c)
        return WEFT_ERR_STALE;
    c->user_data = user_data;
    return 0;
}

int weft_iwcm_state(const struct weft_iwcm *cm, weft_iwcm_id id, enum weft_iwcm_state *ret)
{
    const struct iwcm_id *c = iwcm_find(cm, id);

    if (!c)
        return WEFT_ERR_STALE;
    *ret = (enum weft_iwcm_state)c->state;
    return 0;
}

void weft_iwcm_stats(const struct weft_iwcm *cm, struct weft_iwcm_stats *ret)
{
    *ret = cm->stats;
}
