/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The steps of rping's protocol, on one connection. */
#include "cli/iwarp_ping.h"

#include "cli/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PING_SENDS   16
#define BUFFER_BYTES (RPING_SIZE_MAX + 1)

static bool post_recv(struct ping *p, uint64_t slot)
{
    struct weft_siw_sge sge = {.addr = p->in[slot], .bytes = RPING_MESSAGE_BYTES};
    struct weft_siw_recv wr = {.wr_id = slot, .sge = &sge, .sge_count = 1};

    return weft_siw_post_recv(p->link.session->siw, p->link.qpn, &wr) == 0;
}

static bool register_memory(struct ping *p, struct iwarp_session *s)
{
    const uint8_t access = WEFT_SIW_LOCAL_WRITE | WEFT_SIW_REMOTE_READ | WEFT_SIW_REMOTE_WRITE;
    struct weft_siw_region region = {
        .base = p->start, .bytes = BUFFER_BYTES, .qpn = p->link.qpn, .access = access};

    region.to = (uintptr_t)p->start;
    if (weft_siw_region_register(s->siw, &region, &p->start_stag) != 0)
        return false;
    region.base = p->sink;
    region.to = (uintptr_t)p->sink;
    return weft_siw_region_register(s->siw, &region, &p->sink_stag) == 0;
}

bool ping_new(struct ping *p, struct iwarp_session *s)
{
    struct iwarp_link_config config = {.sends = PING_SENDS, .recvs = PING_RECVS};
    bool ready;

    *p = (struct ping){0};
    if (!iwarp_link_new(s, &config, &p->link))
        return false;
    p->start = calloc(1, BUFFER_BYTES);
    p->sink = calloc(1, BUFFER_BYTES);
    ready = p->start && p->sink && register_memory(p, s);
    for (uint64_t i = 0; ready && i < PING_RECVS; i++)
        ready = post_recv(p, i);
    if (!ready) {
        message("no memory for a connection");
        ping_free(p, 0);
    }
    return ready;
}

void ping_free(struct ping *p, weft_time deadline)
{
    struct weft_siw *siw = p->link.session->siw;

    iwarp_link_free(&p->link, deadline);
    if (p->start_stag)
        weft_siw_region_deregister(siw, p->start_stag);
    if (p->sink_stag)
        weft_siw_region_deregister(siw, p->sink_stag);
    free(p->start);
    free(p->sink);
}

static bool fail(struct ping *p, const char *text)
{
    snprintf(p->error, sizeof(p->error), "%s", text);
    return false;
}

static bool take_completion(struct ping *p, const struct weft_siw_wc *wc)
{
    if (wc->status == WEFT_SIW_WC_FLUSHED)
        return true;
    if (wc->status != WEFT_SIW_WC_OK) {
        snprintf(p->error, sizeof(p->error), "a request failed: %s",
                 weft_siw_wc_status_text(wc->status));
        return false;
    }
    p->seen[wc->opcode] = true;
    if (wc->opcode != WEFT_SIW_WC_RECV)
        return true;
    if (wc->bytes != RPING_MESSAGE_BYTES) {
        snprintf(p->error, sizeof(p->error),
                 "the peer sent %" PRIu32 " bytes where rping's messages have %d: it speaks "
                 "another protocol",
                 wc->bytes, RPING_MESSAGE_BYTES);
        return false;
    }
    memcpy(p->message, p->in[wc->wr_id], RPING_MESSAGE_BYTES);
    post_recv(p, wc->wr_id);
    return true;
}

bool ping_take(struct ping *p)
{
    struct weft_siw_wc wc;

    while (iwarp_link_poll(&p->link, &wc))
        if (!take_completion(p, &wc))
            return false;
    return true;
}

bool ping_seen(struct ping *p, enum weft_siw_wc_opcode opcode)
{
    bool seen = p->seen[opcode];

    p->seen[opcode] = false;
    return seen;
}

bool ping_explain(struct ping *p)
{
    const struct iwarp_link *l = &p->link;
    char why[IWARP_NAME_BYTES];

    if (l->state != IWARP_LINK_ENDED)
        return !iwarp_session_interrupted() &&
               fail(p, "the peer does not go on: no answer within --timeout");
    if (l->status != WEFT_IWCM_OK || l->ending.terminate_sent || l->ending.terminate_received)
        return fail(p, iwarp_link_reason(l, why, sizeof(why)));
    return false;
}

bool ping_wait(struct ping *p, enum weft_siw_wc_opcode opcode)
{
    weft_time deadline = iwarp_session_in(p->link.session->request->timeout);
    struct weft_siw_wc wc;

    while (!p->seen[opcode]) {
        if (!iwarp_link_wait_wc(&p->link, deadline, &wc))
            return ping_explain(p);
        if (!take_completion(p, &wc))
            return false;
    }
    p->seen[opcode] = false;
    return true;
}

static bool post(struct ping *p, const struct weft_siw_send *wr)
{
    struct iwarp_session *s = p->link.session;

    if (weft_siw_post_send(s->siw, iw_loop_now(), p->link.qpn, wr) != 0) {
        if (p->link.state == IWARP_LINK_UP)
            iwarp_session_turn(s, 0);
        return p->link.state == IWARP_LINK_ENDED ? ping_explain(p)
                                                 : fail(p, "the connection takes no requests");
    }
    iw_loop_pump(s->loop);
    return true;
}

bool ping_send(struct ping *p, const struct rping_advert *a)
{
    struct weft_siw_sge sge = {.addr = p->out, .bytes = RPING_MESSAGE_BYTES};
    struct weft_siw_send wr = {
        .opcode = WEFT_SIW_SEND, .flags = WEFT_SIW_SIGNALED, .sge = &sge, .sge_count = 1};

    rping_advert_write(a, p->out);
    return post(p, &wr);
}

bool ping_move(struct ping *p, enum weft_siw_send_opcode opcode, uint32_t bytes,
               const struct rping_advert *at)
{
    struct weft_siw_sge sge = {.addr = p->start, .bytes = bytes, .stag = p->start_stag};
    struct weft_siw_send wr = {.opcode = opcode,
                               .flags = WEFT_SIW_SIGNALED,
                               .sge = &sge,
                               .sge_count = 1,
                               .remote_stag = at->stag,
                               .remote_to = at->to};

    return post(p, &wr);
}

bool ping_receive(struct ping *p)
{
    return ping_wait(p, WEFT_SIW_WC_RECV);
}
