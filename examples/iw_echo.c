/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An RDMA server that sends back what it receives, and its client, over TCP and without any
 * hardware. Build it with: cc iw_echo.c $(pkg-config --cflags --libs libweft-iw)
 *
 * usage: iw_echo TEXT */
#include <weft/iw.h>

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 10000

/* One end of a connection: a QP, its completion queue, and room for a message. */
struct end {
    uint32_t cqn, qpn;
    char in[256], out[256];
};

static int must(int result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "iw_echo: %s: %s\n", what, strerror(-result));
        exit(1);
    }
    return result;
}

static void end_open(struct weft_iw *iw, struct end *e)
{
    struct weft_siw_qp_config c = {.sends = 2, .recvs = 2, .all_signaled = true};

    must(weft_iw_cq_create(iw, 4, &e->cqn), "completion queue");
    c.send_cqn = e->cqn;
    c.recv_cqn = e->cqn;
    must(weft_iw_qp_create(iw, &c, &e->qpn), "queue pair");
}

static void end_close(struct weft_iw *iw, const struct end *e)
{
    must(weft_iw_qp_destroy(iw, e->qpn), "queue pair");
    must(weft_iw_cq_destroy(iw, e->cqn), "completion queue");
}

static void receive(struct weft_iw *iw, struct end *e)
{
    struct weft_siw_sge to = {.addr = e->in, .bytes = sizeof(e->in)};
    struct weft_siw_recv wr = {.sge = &to, .sge_count = 1};

    must(weft_iw_post_recv(iw, e->qpn, &wr), "receive");
}

static void send_text(struct weft_iw *iw, struct end *e, const char *text, uint32_t bytes)
{
    struct weft_siw_sge from = {.addr = e->out, .bytes = bytes};
    struct weft_siw_send wr = {.opcode = WEFT_SIW_SEND, .sge = &from, .sge_count = 1};

    memcpy(e->out, text, bytes);
    must(weft_iw_post_send(iw, e->qpn, &wr), "send");
}

/* The next message's length; negative: the connection has ended. */
static int32_t wait_message(struct weft_iw *iw, const struct end *e)
{
    struct weft_siw_wc wc;

    do
        must(weft_iw_wait_cq(iw, e->cqn, 1, PATIENCE_MS, &wc), "completion");
    while (wc.opcode != WEFT_SIW_WC_RECV && wc.status == WEFT_SIW_WC_OK);
    return wc.status == WEFT_SIW_WC_OK ? (int32_t)wc.bytes : -1;
}

/* Runs on the worker thread: what must be done before a request is accepted is done here. */
static int on_server(struct weft_iw *iw, const struct weft_iw_event *event, void *context)
{
    struct end *e = context;
    struct weft_iwcm_param p = {.qpn = e->qpn};

    if (event->type == WEFT_IW_REQUEST) {
        receive(iw, e);
        return weft_iw_accept(iw, event->id, &p);
    }
    /* what has closed is not needed any more */
    return event->type == WEFT_IW_CLOSED;
}

static void serve_one(struct weft_iw *iw, struct end *e)
{
    int32_t bytes = wait_message(iw, e);

    if (bytes >= 0)
        send_text(iw, e, e->in, (uint32_t)bytes);
}

static weft_iw_id server_listen(struct weft_iw *iw, struct end *e, struct sockaddr_storage *at)
{
    weft_iw_id id;

    must(weft_iw_create(iw, on_server, e, &id), "id");
    must(weft_iw_listen(iw, id, (struct sockaddr *)at, 0, at), "listen");
    return id;
}

static weft_iw_id client_ask(struct weft_iw *iw, struct end *e, const struct sockaddr_storage *to,
                             const char *text)
{
    struct weft_iwcm_param p = {.qpn = e->qpn};
    struct weft_iw_event event;
    weft_iw_id id;

    /* without a callback: events are waited for */
    must(weft_iw_create(iw, NULL, NULL, &id), "id");
    receive(iw, e);
    must(weft_iw_connect(iw, id, NULL, (const struct sockaddr *)to, &p), "connect");
    must(weft_iw_wait(iw, id, PATIENCE_MS, &event), "reply");
    must(event.status, "connect");
    send_text(iw, e, text, (uint32_t)strlen(text));
    return id;
}

int main(int argc, char **argv)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct end here, there;
    struct sockaddr_storage at;
    weft_iw_id listener, id;
    struct weft_iw *iw;
    int32_t bytes;

    if (argc != 2 || strlen(argv[1]) > sizeof(here.out)) {
        fprintf(stderr, "usage: iw_echo TEXT\n");
        return 2;
    }
    must(weft_iw_open(NULL, &iw), "open");
    end_open(iw, &here);
    end_open(iw, &there);
    memset(&at, 0, sizeof(at));
    memcpy(&at, &own, sizeof(own));
    listener = server_listen(iw, &there, &at);
    id = client_ask(iw, &here, &at, argv[1]);
    serve_one(iw, &there);
    bytes = wait_message(iw, &here);
    printf("%d bytes came back: %.*s\n", bytes, bytes > 0 ? bytes : 0, here.in);
    must(weft_iw_destroy(iw, id), "destroy");
    must(weft_iw_destroy(iw, listener), "destroy");
    end_close(iw, &here);
    must(weft_iw_close(iw), "close");
    return bytes == (int32_t)strlen(argv[1]) ? 0 : 1;
}
