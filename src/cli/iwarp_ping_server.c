/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp ping --server`: rping's server, for many clients at a time. */
#include "cli/iwarp_action.h"
#include "cli/iwarp_address.h"
#include "cli/iwarp_ping.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Clients at a time; more are rejected. */
#define CLIENTS_MAX 1000

/* What a client is waited for. */
enum step {
    STEP_UP,     /* the connection */
    STEP_START,  /* its first message: what to read */
    STEP_READ,   /* our Read */
    STEP_SINK,   /* its second message: where to write */
    STEP_WRITE,  /* our Write */
    STEP_LEAVES, /* it was served, and is to end the connection */
    STEP_ENDS    /* we have begun to end it */
};

struct client {
    struct client *next;
    struct ping ping;
    enum step step;
    weft_time deadline;
    struct rping_advert at;
};

/* What became of all clients. */
struct service {
    struct iwarp_session session;
    const struct iwarp_request *request;
    struct client *served_now;
    uint32_t serving;
    json_t *clients;
    uint64_t served, failed, rejected;
    bool enough;
};

static bool take_advert(struct ping *p, struct rping_advert *ret)
{
    uint64_t limit = p->link.session->request->server_size;

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

static bool start_read(struct client *c)
{
    struct ping *p = &c->ping;

    if (!take_advert(p, &c->at))
        return false;
    p->bytes = c->at.bytes;
    memset(p->start, 0, p->bytes + 1);
    return ping_move(p, WEFT_SIW_READ, c->at.bytes, &c->at);
}

static bool start_write(struct client *c)
{
    struct ping *p = &c->ping;

    return take_advert(p, &c->at) &&
           ping_move(p, WEFT_SIW_WRITE,
                     (uint32_t)strnlen((const char *)p->start, RPING_SIZE_MAX) + 1, &c->at);
}

static bool go_ahead(struct ping *p)
{
    static const struct rping_advert empty = {0};

    return ping_send(p, &empty);
}

static void count_ping(struct ping *p)
{
    p->done++;
    if (p->link.session->request->verbose && !p->link.session->request->json) {
        printf("ping %" PRIu64 ": %" PRIu64 " bytes\n", p->done, p->bytes);
        fflush(stdout);
    }
}

/* Goes on where what was waited for has come.
 * @param ret_moved  whether it has
 * @return false: this client cannot go on */
static bool serve_step(struct client *c, bool *ret_moved)
{
    static const enum weft_siw_wc_opcode awaited[] = {[STEP_START] = WEFT_SIW_WC_RECV,
                                                      [STEP_READ] = WEFT_SIW_WC_READ,
                                                      [STEP_SINK] = WEFT_SIW_WC_RECV,
                                                      [STEP_WRITE] = WEFT_SIW_WC_WRITE};
    const struct iwarp_request *r = c->ping.link.session->request;
    struct ping *p = &c->ping;

    *ret_moved = ping_seen(p, awaited[c->step]);
    if (!*ret_moved)
        return true;
    c->deadline = iwarp_session_in(r->timeout);
    switch (c->step) {
    case STEP_START:
        c->step = STEP_READ;
        return start_read(c);
    case STEP_READ:
        check_data(p);
        c->step = STEP_SINK;
        return go_ahead(p);
    case STEP_SINK:
        c->step = STEP_WRITE;
        return start_write(c);
    case STEP_WRITE:
        if (!go_ahead(p))
            return false;
        count_ping(p);
        c->step = r->count > 0 && p->done == r->count ? STEP_LEAVES : STEP_START;
        return true;
    case STEP_UP:
    case STEP_LEAVES:
    case STEP_ENDS:
    default:
        return true;
    }
}

static void report_text(const struct ping *p, const char *address)
{
    if (p->done == 0)
        printf("%s: no ping\n", address);
    else
        printf("%s: %" PRIu64 " ping%s of %" PRIu64 " bytes, %" PRIu64 " right\n", address, p->done,
               p->done == 1 ? "" : "s", p->bytes, p->done - p->wrong);
    fflush(stdout);
}

static void report(struct service *v, struct ping *p, bool good)
{
    char address[IWARP_ADDRESS_TEXT];
    json_t *client;

    iwarp_address_text(&p->link.remote, address);
    if (p->error[0] != '\0')
        message("%s: ping %" PRIu64 ": %s", address, p->done + 1, p->error);
    if (!v->request->json) {
        report_text(p, address);
        return;
    }
    client = json_pack("{s:b, s:I, s:I, s:I, s:o}", "ok", good, "size", (json_int_t)p->bytes,
                       "pings", (json_int_t)p->done, "right", (json_int_t)(p->done - p->wrong),
                       "connection", iwarp_link_json(&p->link));
    if (client && p->error[0] != '\0')
        json_object_set_new(client, "error", json_string(p->error));
    json_array_append_new(v->clients, client);
}

/* A client's last ping was served, or it cannot go on. */
static void leave(struct service *v, struct client *c)
{
    const struct iwarp_request *r = v->request;
    struct ping *p = &c->ping;
    char why[IWARP_NAME_BYTES];
    bool good;

    if (c->step == STEP_UP)
        snprintf(p->error, sizeof(p->error), "no connection: %s",
                 iwarp_link_reason(&p->link, why, sizeof(why)));
    good = p->error[0] == '\0' && p->wrong == 0 && p->done > 0 &&
           (r->count == 0 || p->done == r->count);
    v->served++;
    if (!good)
        v->failed++;
    else if (r->count > 0 && !r->persistent)
        v->enough = true;
    report(v, p, good);
    iwarp_link_disconnect(&p->link, false);
    c->step = STEP_ENDS;
    c->deadline = iwarp_session_in(r->timeout);
}

/* The connection has come up, or has not. */
static bool serve_startup(struct service *v, struct client *c)
{
    struct ping *p = &c->ping;

    if (p->link.state == IWARP_LINK_UP) {
        if (!v->request->json)
            iwarp_link_print(&p->link, stdout);
        c->step = STEP_START;
        return true;
    }
    if (p->link.state == IWARP_LINK_STARTING && iw_loop_now() < c->deadline)
        return false;
    if (p->link.state == IWARP_LINK_STARTING)
        p->link.status = WEFT_IWCM_TIMEOUT;
    leave(v, c);
    return true;
}

/* @return whether something happened */
static bool serve_client(struct service *v, struct client *c)
{
    struct ping *p = &c->ping;
    bool moved = false;

    if (c->step == STEP_UP)
        return serve_startup(v, c);
    if (c->step == STEP_ENDS)
        return false;
    if (!ping_take(p) || (c->step != STEP_LEAVES && !serve_step(c, &moved))) {
        leave(v, c);
        return true;
    }
    if (moved || (p->link.state != IWARP_LINK_ENDED && iw_loop_now() < c->deadline))
        return moved;
    if (c->step != STEP_LEAVES)
        ping_explain(p);
    leave(v, c);
    return true;
}

static void drop_client(struct service *v, struct client **at)
{
    struct client *c = *at;

    *at = c->next;
    v->serving--;
    /* all the others wait meanwhile */
    ping_free(&c->ping, c->deadline);
    free(c);
}

/* Lets go of a client that has left, or that does not end in time.
 * @return whether there was one */
static bool drop_one(struct service *v)
{
    for (struct client **at = &v->served_now; *at; at = &(*at)->next) {
        struct client *c = *at;

        if (c->step == STEP_ENDS &&
            (c->ping.link.state == IWARP_LINK_ENDED || iw_loop_now() >= c->deadline)) {
            drop_client(v, at);
            return true;
        }
    }
    return false;
}

/* Goes round until nobody moves any more. Letting go of a client takes in what the others send, so
 * they are looked at again before the loop waits for news. */
static void serve_clients(struct service *v)
{
    bool again;

    do {
        again = false;
        for (struct client *c = v->served_now; c; c = c->next)
            again |= serve_client(v, c);
    } while (again || drop_one(v));
}

static weft_time next_deadline(const struct service *v)
{
    weft_time deadline = WEFT_TIME_NEVER;

    for (const struct client *c = v->served_now; c; c = c->next)
        if (c->deadline < deadline)
            deadline = c->deadline;
    return deadline;
}

static void end_clients(struct service *v)
{
    for (struct client *c = v->served_now; c; c = c->next)
        if (c->step != STEP_ENDS)
            leave(v, c);
    while (v->served_now)
        drop_client(v, &v->served_now);
}

/* A peer that asks becomes a client, if there is room. */
static bool accept_client(struct iwarp_session *s, const struct iwarp_waiting *w)
{
    const struct iwarp_request *r = s->request;
    struct weft_iwcm_param param = {.private_data = r->private_data.data,
                                    .private_bytes = r->private_data.bytes,
                                    .ird = w->peer.ird,
                                    .ord = w->peer.ord > 1 ? 1 : w->peer.ord};
    struct service *v = s->owner;
    struct client *c;

    if (r->reject.given)
        return false;
    c = v->serving < CLIENTS_MAX ? calloc(1, sizeof(*c)) : NULL;
    if (!c || !ping_new(&c->ping, s)) {
        free(c);
        weft_iwcm_destroy(s->cm, w->id);
        return true;
    }
    iwarp_link_accept(&c->ping.link, w, &param);
    c->deadline = iwarp_session_in(r->timeout);
    c->next = v->served_now;
    v->served_now = c;
    v->serving++;
    return true;
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

    while (!v->enough && !iwarp_session_interrupted()) {
        iwarp_session_turn(&v->session, next_deadline(v));
        serve_clients(v);
        while (!v->enough && iwarp_session_take(&v->session, &w)) {
            reject_client(v, &w);
            v->enough = r->count > 0 && v->rejected == r->count && !r->persistent;
        }
    }
    end_clients(v);
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
    int exit_code = iwarp_session_open(&v.session, r, CLIENTS_MAX);

    if (exit_code != CLI_DONE)
        return exit_code;
    v.session.on_request = accept_client;
    v.session.owner = &v;
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
