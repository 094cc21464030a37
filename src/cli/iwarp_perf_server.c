/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp perf --server`: does what clients measure. */
#include "cli/iwarp_address.h"
#include "cli/iwarp_perf.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct server {
    struct iwarp_session session;
    struct perf_tcp *tcp;
    uint16_t tcp_port;
};

/* A connection without a hello is there to be counted, and goes by itself. */
static bool accept_plain(struct iwarp_session *s, const struct iwarp_waiting *w)
{
    struct iwarp_link_config config = {.sends = 1, .recvs = 1, .one_cq = true};
    struct weft_iwcm_param param = {.ird = w->peer.ird, .ord = w->peer.ord};
    struct iwarp_link *l;

    if (w->peer.private_bytes == PERF_HELLO)
        return false;
    l = calloc(1, sizeof(*l));
    if (!l || !iwarp_link_new(s, &config, l)) {
        free(l);
        weft_iwcm_destroy(s->cm, w->id);
        return true;
    }
    l->owner = s;
    if (!iwarp_link_accept(l, w, &param))
        weft_iwcm_destroy(s->cm, w->id);
    return true;
}

static void plain_gone(struct iwarp_link *l)
{
    if (!l->gone) {
        weft_iwcm_destroy(l->session->cm, l->id);
        return;
    }
    iwarp_link_free(l, 0);
    free(l);
}

static bool answer_sends(struct perf_end *e, uint32_t bytes, uint32_t count)
{
    if (!perf_post(e, PERF_SEND, PERF_COMMAND))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!perf_wait_received(e, ++e->taken) || !perf_post(e, PERF_SEND, bytes))
            return false;
    return true;
}

static bool answer_writes(struct perf_end *e, uint32_t bytes, uint32_t count)
{
    e->region[bytes - 1] = 0;
    if (!perf_post(e, PERF_SEND, PERF_COMMAND) || !perf_wait_completed(e, e->posted))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!perf_wait_written(e, bytes, perf_mark(i)) || !perf_wait_completed(e, e->posted))
            return false;
        e->source[bytes - 1] = perf_mark(i);
        if (!perf_post(e, PERF_WRITE, bytes))
            return false;
    }
    return true;
}

static bool take_sends(struct perf_end *e, uint32_t count)
{
    uint64_t base = e->taken;

    e->taken += count;
    if (!perf_post(e, PERF_SEND, PERF_COMMAND))
        return false;
    for (uint32_t credited = 0; credited + PERF_CREDIT <= count; credited += PERF_CREDIT)
        if (!perf_wait_received(e, base + credited + PERF_CREDIT) ||
            !perf_post(e, PERF_SEND, PERF_COMMAND))
            return false;
    return perf_wait_received(e, e->taken);
}

static bool answer_sync(struct perf_end *e)
{
    struct perf_usage usage;
    uint64_t words[3];

    perf_usage_get(e->session, &usage);
    words[0] = htobe64(usage.rss_bytes);
    words[1] = htobe64(usage.siw_bytes);
    words[2] = htobe64(usage.connections);
    if (!perf_wait_completed(e, e->posted))
        return false;
    memcpy(e->source, words, sizeof(words));
    return perf_post(e, PERF_SEND, sizeof(words));
}

/* Does what the client asks for; false: that was all. */
static bool serve_command(struct perf_end *e)
{
    uint32_t words[3];

    if (!perf_wait_received(e, ++e->taken))
        return false;
    memcpy(words, e->inbox, sizeof(words));
    for (int i = 0; i < 3; i++)
        words[i] = be32toh(words[i]);
    if (words[1] > e->bytes || (words[1] == 0 && words[0] != PERF_COMMAND_SYNC))
        return false;
    switch (words[0]) {
    case PERF_COMMAND_SYNC:
        return answer_sync(e);
    case PERF_COMMAND_SEND_BACK:
        return answer_sends(e, words[1], words[2]);
    case PERF_COMMAND_WRITE_BACK:
        return words[1] <= e->peer_bytes && answer_writes(e, words[1], words[2]);
    case PERF_COMMAND_TAKE:
        return take_sends(e, words[2]);
    default:
        return false;
    }
}

static void serve_client(struct server *v, const struct iwarp_waiting *w, uint32_t bytes)
{
    struct weft_iwcm_param param = {.private_bytes = PERF_HELLO};
    uint8_t hello[PERF_HELLO];
    char address[IWARP_ADDRESS_TEXT];
    struct perf_end e;

    if (!perf_end_new(&e, &v->session, bytes)) {
        weft_iwcm_destroy(v->session.cm, w->id);
        return;
    }
    if (perf_hello_read(&e, &w->peer)) {
        perf_hello_write(&e, v->tcp_port, hello);
        param.private_data = hello;
        param.ird = w->peer.ird < PERF_DEPTH ? w->peer.ird : PERF_DEPTH;
        iwarp_link_accept(&e.link, w, &param);
        if (iwarp_link_wait_up(&e.link, iwarp_session_in(v->session.request->timeout)))
            while (serve_command(&e))
                ;
    } else {
        message("%s: speaks another protocol than weft iwarp perf",
                iwarp_address_text(&w->remote, address));
        weft_iwcm_destroy(v->session.cm, w->id);
    }
    perf_end_free(&e);
}

int perf_serve(const struct iwarp_request *r, FILE *out, bool once)
{
    struct server v = {0};
    struct iwarp_waiting w;
    int exit_code = iwarp_session_open(&v.session, r, (uint32_t)r->idle + 1);

    if (exit_code != CLI_DONE)
        return exit_code;
    v.session.on_request = accept_plain;
    v.session.on_gone = plain_gone;
    /* The line that clients wait for comes last. */
    exit_code = iwarp_session_listen(&v.session, NULL);
    if (exit_code == CLI_DONE) {
        v.tcp = perf_tcp_serve(&v.session, &v.tcp_port);
        exit_code = v.tcp ? CLI_DONE : CLI_FAILED;
    }
    if (exit_code == CLI_DONE) {
        iwarp_session_announce(&v.session, out);
        do {
            if (!iwarp_session_next(&v.session, WEFT_TIME_NEVER, &w))
                break;
            serve_client(&v, &w, IWARP_PERF_SIZE_MAX);
        } while (!once);
    }
    iwarp_session_close(&v.session);
    perf_tcp_free(v.tcp);
    return exit_code;
}
