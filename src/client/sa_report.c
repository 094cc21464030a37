/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports: answered at once, kept for the owner, those that come again known. */
#include "client/sa_state.h"
#include "core/wire/mad_header.h"

#include <string.h>

/* The answer goes where the Report came from, with the GIDs of a route header exchanged. */
static struct weft_mad_addr back_to(const struct weft_mad_addr *from)
{
    struct weft_mad_addr to = *from;

    to.qkey = WEFT_QKEY_GSI;
    if (to.has_grh) {
        memcpy(to.grh.sgid, from->grh.dgid, sizeof(to.grh.sgid));
        memcpy(to.grh.dgid, from->grh.sgid, sizeof(to.grh.dgid));
    }
    return to;
}

static bool reply(struct weft_sa *s, weft_time now, const struct weft_mad_event *ev)
{
    struct weft_mad_send_req request;
    uint32_t i = 0;

    while (i < SA_REPORTS && s->reports.replying[i])
        i++;
    if (i == SA_REPORTS)
        return false;
    memcpy(s->reports.replies[i], ev->u.recv.mad, WEFT_MAD_BYTES);
    mad_set_method(s->reports.replies[i], WEFT_METHOD_REPORT_RESP);
    mad_set_status(s->reports.replies[i], WEFT_STATUS_OK);
    request = (struct weft_mad_send_req){.agent = s->agent,
                                         .to = back_to(&ev->u.recv.from),
                                         .data = s->reports.replies[i],
                                         .len = WEFT_MAD_BYTES,
                                         .user_data = SA_REPLY_BASE + i};
    s->reports.replying[i] = weft_mad_post(s->engine, now, &request, NULL) == 0;
    return s->reports.replying[i];
}

/* The SA repeats a Report whose answer was lost. It keeps the transaction id (IBA 13.4.6.4), and so
 * does the Notice all that it says, its count included. */
static bool is_repeated(const struct sa_reports *r, uint64_t tid, const uint8_t *notice)
{
    for (uint32_t i = 0; i < SA_REPORTS; i++)
        if (r->seen[i].used && r->seen[i].tid == tid &&
            memcmp(r->seen[i].report.notice, notice, WEFT_SA_NOTICE_BYTES) == 0)
            return true;
    return false;
}

static void keep(struct sa_reports *r, uint64_t tid, const uint8_t *notice)
{
    struct sa_report_seen *seen = &r->seen[r->seen_next];

    seen->used = true;
    seen->tid = tid;
    memcpy(seen->report.notice, notice, WEFT_SA_NOTICE_BYTES);
    r->seen_next = (r->seen_next + 1) % SA_REPORTS;
    r->kept[(r->first + r->count) % SA_REPORTS] = seen->report;
    r->count++;
}

void sa_report_received(struct weft_sa *s, weft_time now, const struct weft_mad_event *ev)
{
    struct sa_reports *r = &s->reports;
    const uint8_t *mad = ev->u.recv.mad;
    bool repeated;

    if (mad_method(mad) != WEFT_METHOD_REPORT || mad_attr_id(mad) != WEFT_ATTR_NOTICE)
        return;
    repeated = is_repeated(r, mad_tid(mad), mad + WEFT_SA_DATA_OFFSET);
    if ((!repeated && r->count == SA_REPORTS) || !reply(s, now, ev)) {
        s->stats.dropped++;
        return;
    }
    if (repeated) {
        s->stats.repeated++;
        return;
    }
    keep(r, mad_tid(mad), mad + WEFT_SA_DATA_OFFSET);
    s->stats.reports++;
}

void sa_report_replied(struct weft_sa *s, uint64_t number)
{
    if (number < SA_REPORTS)
        s->reports.replying[number] = false;
}

bool weft_sa_poll_report(struct weft_sa *s, struct weft_sa_report *ret)
{
    struct sa_reports *r = &s->reports;

    if (r->count == 0)
        return false;
    *ret = r->kept[r->first];
    r->first = (r->first + 1) % SA_REPORTS;
    r->count--;
    return true;
}
