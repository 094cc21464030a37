/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What comes back from the SA: records, BUSY, redirections, refusals. */
#include "client/redirect.h"
#include "client/sa_state.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <string.h>

#define HOPS_MAX   4
#define TABLE_UNIT 8 /* bytes that AttributeOffset counts in */

static void window_grow(struct weft_sa *s)
{
    if (++s->grown < s->stats.window || s->stats.window == s->config.window)
        return;
    s->stats.window++;
    s->grown = 0;
}

static bool redirect_follow(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                            const uint8_t *info)
{
    static const uint8_t none[sizeof(s->config.gid)];
    bool has_gid = memcmp(s->config.gid, none, sizeof(none)) != 0;
    const struct redirect_from from = {.pkey_index = s->config.pkey_index,
                                       .pkeys = s->config.pkeys,
                                       .gid = has_gid ? s->config.gid : NULL};

    if (slot->hops == HOPS_MAX || !redirect_read(&from, info, &s->redirect))
        return false;
    slot->hops++;
    s->redirect_until = sa_later(now, s->config.redirect_ttl);
    s->stats.redirects++;
    return true;
}

static uint8_t answer_method(uint8_t method)
{
    return method == WEFT_METHOD_SET ? WEFT_METHOD_GET_RESP : method | WEFT_METHOD_RESPONSE;
}

/* Reads the records of an answer with status 0. */
static enum weft_sa_outcome records_read(struct weft_sa *s, struct sa_job *j,
                                         const struct weft_mad_event *ev)
{
    struct weft_sa_result *r = &j->result;
    const uint8_t *mad = ev->u.recv.mad;
    uint32_t bytes = ev->u.recv.len - WEFT_SA_DATA_OFFSET;
    bool table = mad_method(mad) == WEFT_METHOD_GET_TABLE_RESP;

    r->stride = table ? TABLE_UNIT * (uint32_t)wire_get(WIRE_SA_ATTR_OFFSET, mad) : bytes;
    if (table && r->stride == 0 && rmpp_is_active(mad) && bytes > 0 &&
        bytes != WEFT_MAD_BYTES - WEFT_SA_DATA_OFFSET)
        return WEFT_SA_MALFORMED;
    if (table && bytes > 0 && r->stride > bytes)
        return WEFT_SA_MALFORMED;
    r->count = r->stride > 0 ? bytes / r->stride : 0;
    if (sa_job_room(s, j, bytes) != 0)
        return WEFT_SA_NO_MEMORY;
    if (weft_mad_recv_read(s->engine, ev->u.recv.id, WEFT_SA_DATA_OFFSET, j->records, bytes) != 0)
        return WEFT_SA_MALFORMED;
    return WEFT_SA_ANSWERED;
}

static void job_answered(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                         const struct weft_mad_event *ev)
{
    struct sa_job *j = slot->job;
    const struct weft_sa_question *q = &j->result.question;
    const uint8_t *mad = ev->u.recv.mad;
    enum weft_sa_outcome outcome = WEFT_SA_MALFORMED;

    if (mad_method(mad) == answer_method(q->method) && mad_attr_id(mad) == q->attr_id)
        outcome = slot->status != 0 ? WEFT_SA_REFUSED : records_read(s, j, ev);
    /* an answer in segments may be shorter than a path */
    if (outcome == WEFT_SA_ANSWERED && sa_is_path_question(q) && j->record_bytes >= SA_PATH_BYTES)
        sa_cache_put(s->paths, now, q->mask, q->record, j->records);
    sa_slot_end(s, now, slot, outcome, 0);
}

/* How a port without an SA answers in its place. */
static bool is_unsupported(uint16_t status)
{
    return (status & WEFT_STATUS_FIELD_MASK) == WEFT_STATUS_BAD_METHOD_ATTRIBUTE;
}

/* Every SA has a ClassPortInfo; whatever else it says about it, it lives. */
static void probe_answered(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                           const uint8_t *mad)
{
    if (is_unsupported(slot->status)) {
        sa_slot_end(s, now, slot, WEFT_SA_ABSENT, 0);
        return;
    }
    if (slot->status == 0 && mad_attr_id(mad) == WEFT_ATTR_CLASS_PORT_INFO)
        (void)redirect_follow(s, now, slot, mad + WEFT_SA_DATA_OFFSET);
    s->probed = true;
    slot->state = SA_SLOT_ANSWERED;
}

/* Asks once more, after ClassPortInfo: the SA may have gone since it was asked for that. */
static void slot_doubt(struct weft_sa *s, struct sa_slot *slot)
{
    slot->again = slot->doubted = true;
    s->probed = false;
}

void sa_answer_received(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                        const struct weft_mad_event *ev)
{
    const uint8_t *mad = ev->u.recv.mad;

    if (slot->state != SA_SLOT_OUT || slot->moved || ev->u.recv.len < WEFT_SA_DATA_OFFSET)
        return;
    slot->status = mad_status(mad);
    slot->silent = 0;
    if ((slot->status & WEFT_STATUS_BUSY) != 0) {
        slot->busy++;
        slot->last_busy = slot->again = true;
        s->stats.busy++;
        sa_window_shrink(s);
        return;
    }
    s->stats.answered++;
    window_grow(s);
    slot->last_busy = false;
    if ((slot->status & WEFT_STATUS_REDIRECT) != 0 &&
        redirect_follow(s, now, slot, mad + WEFT_SA_DATA_OFFSET))
        slot->again = true;
    else if (slot->job && is_unsupported(slot->status) && !slot->doubted)
        slot_doubt(s, slot);
    else if (slot->job)
        job_answered(s, now, slot, ev);
    else
        probe_answered(s, now, slot, mad);
}
