/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp ping --server`: rping's server, for one client after the other. */
#include "cli/iwarp_action.h"
#include "cli/iwarp_address.h"
#include "cli/iwarp_ping.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What became of all clients. */
struct service {
    struct iwarp_session session;
    const struct iwarp_request *request;
    json_t *clients;
    uint64_t served, failed, rejected;
};

static bool take_advert(struct ping *p, struct rping_advert *ret)
{
    uint64_t limit = p->link.session->request->server_size;

    if (!ping_receive(p))
        return false;
    rping_advert_read(p->message, ret);
    if (ret->bytes >= 1 && ret->bytes <= limit)
        return true;
    snprintf(p->error, sizeof(p->error),
             "the client offers %" PRIu32 " bytes; 1 to %" PRIu64 " fit", ret->bytes, limit);
    return false;
}

/* What arrived is what rping sends, as far as anybody can say. */
static void check_data(struct ping *p)
{
    size_t right = rping_compare(p->done, p->start, p->bytes);

    if (right == p->bytes)
        return;
    if (p->wrong++ == 0)
        message("ping %" PRIu64 ": byte %zu of %" PRIu64 " is 0x%02x, which is not what rping "
                "sends",
                p->done + 1, right, p->bytes, p->start[right]);
}

/* One ping; false: the client has ended, or it cannot go on. */
static bool serve_ping(struct ping *p)
{
    static const struct rping_advert go_ahead = {0};
    const struct iwarp_request *r = p->link.session->request;
    struct rping_advert at;
    uint32_t text_bytes;

    if (!take_advert(p, &at))
        return false;
    p->bytes = at.bytes;
    memset(p->start, 0, p->bytes + 1);
    if (!ping_move(p, WEFT_SIW_READ, at.bytes, &at))
        return false;
    check_data(p);
    if (!ping_send(p, &go_ahead) || !take_advert(p, &at))
        return false;
    text_bytes = (uint32_t)strnlen((const char *)p->start, RPING_SIZE_MAX) + 1;
    if (!ping_move(p, WEFT_SIW_WRITE, text_bytes, &at) || !ping_send(p, &go_ahead))
        return false;
    p->done++;
    if (r->verbose && !r->json) {
        printf("ping %" PRIu64 ": %" PRIu64 " bytes\n", p->done, p->bytes);
        fflush(stdout);
    }
    return true;
}

/* The client has done all its pings: it is to end the connection, and rping does. */
static void await_end(struct ping *p)
{
    weft_time deadline = iwarp_session_in(p->link.session->request->timeout);
    struct weft_siw_wc wc;

    while (iwarp_link_wait_wc(&p->link, deadline, &wc))
        if (wc.opcode == WEFT_SIW_WC_RECV && wc.status == WEFT_SIW_WC_OK)
            break;
}

static void report(struct service *v, struct ping *p, bool good)
{
    char address[IWARP_ADDRESS_TEXT];
    json_t *client;

    iwarp_address_text(&p->link.remote, address);
    if (p->error[0] != '\0')
        message("%s: ping %" PRIu64 ": %s", address, p->done + 1, p->error);
    if (!v->request->json) {
        printf("%s: %" PRIu64 " ping%s of %" PRIu64 " bytes, %" PRIu64 " right\n", address, p->done,
               p->done == 1 ? "" : "s", p->bytes, p->done - p->wrong);
        fflush(stdout);
        return;
    }
    client = json_pack("{s:b, s:I, s:I, s:I, s:o}", "ok", good, "size", (json_int_t)p->bytes,
                       "pings", (json_int_t)p->done, "right", (json_int_t)(p->done - p->wrong),
                       "connection", iwarp_link_json(&p->link));
    if (client && p->error[0] != '\0')
        json_object_set_new(client, "error", json_string(p->error));
    json_array_append_new(v->clients, client);
}

static bool serve_connection(struct service *v, struct ping *p)
{
    const struct iwarp_request *r = v->request;

    if (!r->json)
        iwarp_link_print(&p->link, stdout);
    while (r->count == 0 || p->done < r->count)
        if (!serve_ping(p))
            break;
    if (r->count > 0 && p->done == r->count)
        await_end(p);
    return p->error[0] == '\0' && p->wrong == 0 && p->done > 0 &&
           (r->count == 0 || p->done == r->count);
}

/* Serves the peer that asks.
 * @return whether it did what --count asks for */
static bool serve_client(struct service *v, const struct iwarp_waiting *w)
{
    const struct iwarp_request *r = v->request;
    struct weft_iwcm_param param = {.private_data = r->private_data.data,
                                    .private_bytes = r->private_data.bytes,
                                    .ird = w->peer.ird,
                                    .ord = w->peer.ord > 1 ? 1 : w->peer.ord};
    char why[IWARP_NAME_BYTES];
    struct ping p;
    bool good = false;

    if (!ping_new(&p, &v->session)) {
        weft_iwcm_destroy(v->session.cm, w->id);
        return false;
    }
    if (iwarp_link_accept(&p.link, w, &param) &&
        iwarp_link_wait_up(&p.link, iwarp_session_in(r->timeout)))
        good = serve_connection(v, &p);
    else
        snprintf(p.error, sizeof(p.error), "no connection: %s",
                 iwarp_link_reason(&p.link, why, sizeof(why)));
    v->served++;
    if (!good)
        v->failed++;
    report(v, &p, good);
    ping_free(&p);
    return good;
}

static void reject_client(struct service *v, const struct iwarp_waiting *w)
{
    char address[IWARP_ADDRESS_TEXT];
    char private_data[IWARP_PRIVATE_TEXT];

    iwarp_session_reject(&v->session, w, &v->request->reject);
    v->rejected++;
    if (v->request->json)
        return;
    printf("%s: rejected; its private data: %s\n", iwarp_address_text(&w->remote, address),
           iwarp_private_text(w->private_data, w->peer.private_bytes, private_data));
    fflush(stdout);
}

/* Serves until it is enough. */
static int serve(struct service *v)
{
    const struct iwarp_request *r = v->request;
    struct iwarp_waiting w;
    bool enough = false;

    while (!enough && iwarp_session_next(&v->session, WEFT_TIME_NEVER, &w)) {
        if (r->reject.given) {
            reject_client(v, &w);
            enough = r->count > 0 && v->rejected == r->count && !r->persistent;
        } else {
            enough = serve_client(v, &w) && r->count > 0 && !r->persistent;
        }
    }
    if (r->reject.given)
        iwarp_session_settle(&v->session);
    if (!r->json)
        printf("%" PRIu64 " client%s, %" PRIu64 " of them right\n", v->served,
               v->served == 1 ? "" : "s", v->served - v->failed);
    return v->failed > 0 ? CLI_PART : CLI_DONE;
}

int iwarp_ping_server(const struct iwarp_request *r)
{
    struct service v = {.request = r};
    char address[IWARP_ADDRESS_TEXT];
    int exit_code = iwarp_session_open(&v.session, r, 1);

    if (exit_code != CLI_DONE)
        return exit_code;
    v.clients = json_array();
    exit_code = iwarp_session_listen(&v.session, r->json ? stderr : stdout);
    if (exit_code == CLI_DONE) {
        exit_code = serve(&v);
        if (r->json &&
            json_print(json_pack("{s:s, s:s, s:b, s:s, s:I, s:O}", "schema", "weft.iwarp.ping/1",
                                 "role", "server", "ok", exit_code == CLI_DONE, "listen",
                                 iwarp_address_text(&v.session.listens_at, address), "rejected",
                                 (json_int_t)v.rejected, "clients", v.clients)) != CLI_DONE)
            exit_code = CLI_FAILED;
    }
    json_decref(v.clients);
    iwarp_session_close(&v.session);
    return exit_code;
}
