/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The provider as a whole: its configuration, memory and numbers. */
#include "core/base/alloc.h"
#include "core/iwarp/terminate.h"
#include "core/siw/engine.h"

#include <string.h>

#define MPA_REVISION_MAX 2
#define RTR_ALL          (WEFT_SIW_RTR_SEND | WEFT_SIW_RTR_WRITE | WEFT_SIW_RTR_READ)
/* An FPDU must hold a header and some payload: RFC 5044's least TCP segment. */
#define SEGMENT_MIN      128
#define SEGMENT_MAX      65536

static bool in_range(uint64_t v, uint64_t min, uint64_t max)
{
    return v >= min && v <= max;
}

static bool counts_valid(const struct weft_siw_config *c)
{
    /* timers_init() takes fewer than 2^31 ids */
    return in_range(c->endpoints, 1, INT32_MAX) && in_range(c->qps, 1, WEFT_SIW_QPS_MAX) &&
           in_range(c->cqs, 1, WEFT_SIW_QPS_MAX) && in_range(c->cq_entries, 1, INT32_MAX) &&
           in_range(c->requests, 1, INT32_MAX) && in_range(c->regions, 1, WEFT_SIW_REGIONS_MAX);
}

static bool times_valid(const struct weft_siw_config *c)
{
    return c->request_timeout_ns > 0 && c->reply_timeout_ns > 0 && c->dial_timeout_ns > 0 &&
           c->close_timeout_ns > 0;
}

static bool config_valid(const struct weft_siw_config *c)
{
    return c->size == sizeof(*c) && counts_valid(c) && times_valid(c) &&
           c->ird_max <= WEFT_SIW_READS_MAX && c->ord_max <= WEFT_SIW_READS_MAX &&
           in_range(c->mpa_revision, 1, MPA_REVISION_MAX) &&
           (unsigned)c->crc <= WEFT_SIW_CRC_REQUIRED && (c->rtr & ~RTR_ALL) == 0 &&
           (c->segment_bytes == 0 || in_range(c->segment_bytes, SEGMENT_MIN, SEGMENT_MAX));
}

void *siw_take(struct weft_siw *s, uint64_t bytes, size_t align)
{
    void *p;

    WEFT_ASSERT(bytes > 0);
    if (bytes > SIZE_MAX - s->bytes)
        return NULL;
    p = s->alloc.get(s->alloc.ctx, (size_t)bytes, align);
    if (p)
        s->bytes += (size_t)bytes;
    return p;
}

void siw_give(struct weft_siw *s, void *p, uint64_t bytes)
{
    if (!p)
        return;
    WEFT_ASSERT(bytes <= s->bytes);
    s->bytes -= (size_t)bytes;
    s->alloc.put(s->alloc.ctx, p, (size_t)bytes);
}

int weft_siw_new(const struct weft_siw_config *c, const struct weft_alloc *a, struct weft_iwcm *cm,
                 struct weft_siw **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_siw *s;

    if (!config_valid(c))
        return WEFT_ERR_INVALID;
    s = alloc_zeroed(&alloc, sizeof(*s), _Alignof(struct weft_siw));
    if (!s)
        return WEFT_ERR_NOMEM;
    s->config = *c;
    s->alloc = alloc;
    s->cm = cm;
    s->bytes = sizeof(*s);
    if (connections_new(s) < 0)
        goto no_connections;
    if (verbs_new(s) < 0)
        goto no_verbs;
    *ret = s;
    return 0;

no_verbs:
    connections_free(s);
no_connections:
    alloc.put(alloc.ctx, s, sizeof(*s));
    return WEFT_ERR_NOMEM;
}

struct weft_siw *weft_siw_free(struct weft_siw *s)
{
    struct weft_alloc alloc;

    if (!s)
        return NULL;
    alloc = s->alloc;
    verbs_free(s);
    connections_free(s);
    WEFT_ASSERT(s->bytes == sizeof(*s));
    alloc.put(alloc.ctx, s, sizeof(*s));
    return NULL;
}

void weft_siw_stats(const struct weft_siw *s, struct weft_siw_stats *ret)
{
    *ret = s->stats;
    ret->endpoints = s->conn.eps.used;
    ret->half_open = s->conn.half_open;
    ret->qps = s->verbs.qps.used;
    ret->regions = s->verbs.regions.used;
}

size_t weft_siw_bytes(const struct weft_siw *s)
{
    return s->bytes;
}

const char *weft_siw_qp_state_name(enum weft_siw_qp_state state)
{
    static const char *const names[WEFT_SIW_QP_STATES] = {"IDLE", "RTS", "CLOSING", "TERMINATE",
                                                          "ERROR"};

    return (unsigned)state < WEFT_SIW_QP_STATES ? names[state] : "?";
}

const char *weft_siw_wc_status_text(enum weft_siw_wc_status status)
{
    static const char *const texts[WEFT_SIW_WC_STATUSES] = {
        [WEFT_SIW_WC_OK] = "done",
        [WEFT_SIW_WC_FLUSHED] = "the connection ended first",
        [WEFT_SIW_WC_LOCAL] = "a local piece of memory is not registered, or not for that",
        [WEFT_SIW_WC_REMOTE] = "the peer refused it by a Terminate",
        [WEFT_SIW_WC_TOO_LONG] = "the message did not fit the receive",
        [WEFT_SIW_WC_INVALIDATE] = "the STag cannot be invalidated",
    };

    return (unsigned)status < WEFT_SIW_WC_STATUSES ? texts[status] : "unknown status";
}

const char *weft_siw_terminate_text(uint16_t error)
{
    return terminate_text(error);
}
