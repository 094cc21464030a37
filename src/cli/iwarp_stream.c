/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp listen` and `connect`: standard input as Sends, Sends to standard output. */
#include "cli/iwarp_action.h"
#include "cli/iwarp_address.h"
#include "cli/iwarp_session.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Receives that are posted, at least twice what a peer may have on its way. */
#define RECVS_MIN              64
/* A zero-length Send says that half of the window has been printed. One with Solicited Event says
 * that the sender's input has ended. */
#define BUFFERS_WITHOUT_WINDOW 32

/* A block that is sent or received. */
struct block {
    bool busy;
    uint32_t bytes;
    uint8_t data[IWARP_BLOCK_MAX];
};

/* Both directions of one connection. */
struct stream {
    const struct iwarp_request *request;
    struct iwarp_session session;
    struct iwarp_link link;
    struct block *out, *in;
    uint32_t out_count, in_count;
    uint64_t window; /* 0: neither acknowledges nor waits for that */
    uint64_t sent, acknowledged, received, unacknowledged;
    uint64_t out_bytes;            /* that TCP has taken */
    uint8_t line[IWARP_BLOCK_MAX]; /* input that was not sent */
    size_t line_bytes;
    bool input_ended, end_sent, peer_ended, output_failed;
    bool block_lost; /* was posted, and not sent */
    bool input_is_terminal, input_is_file, input_ready;
    uv_poll_t input;
    int input_flags; /* of the file, which others may have open, too */
    bool input_polled;
};

#define WR_MARK UINT64_MAX /* wr_id of what has no block */

static bool post(struct stream *t, uint64_t wr_id, void *data, uint32_t bytes, uint8_t flags)
{
    struct weft_siw_sge sge = {.addr = data, .bytes = bytes};
    struct weft_siw_send wr = {.wr_id = wr_id,
                               .opcode = WEFT_SIW_SEND,
                               .flags = (uint8_t)(flags | WEFT_SIW_SIGNALED),
                               .sge = &sge,
                               .sge_count = bytes > 0 ? 1 : 0};

    return weft_siw_post_send(t->session.siw, iw_loop_now(), t->link.qpn, &wr) == 0;
}

static bool post_recv(struct stream *t, uint64_t slot)
{
    struct weft_siw_sge sge = {.addr = t->in[slot].data, .bytes = IWARP_BLOCK_MAX};
    struct weft_siw_recv wr = {.wr_id = slot, .sge = &sge, .sge_count = 1};

    return weft_siw_post_recv(t->session.siw, t->link.qpn, &wr) == 0;
}

static struct block *free_block(struct stream *t)
{
    if (t->window > 0 && t->sent - t->acknowledged >= t->window)
        return NULL;
    for (uint32_t i = 0; i < t->out_count; i++)
        if (!t->out[i].busy)
            return &t->out[i];
    return NULL;
}

/* Whether input could be sent now. */
static bool can_send(struct stream *t)
{
    return t->link.state == IWARP_LINK_UP && free_block(t);
}

static void send_block(struct stream *t, size_t bytes)
{
    struct block *b = free_block(t);

    memcpy(b->data, t->line, bytes);
    if (!post(t, (uint64_t)(b - t->out), b->data, (uint32_t)bytes, 0))
        return;
    b->busy = true;
    b->bytes = (uint32_t)bytes;
    t->sent++;
    t->line_bytes -= bytes;
    memmove(t->line, t->line + bytes, t->line_bytes);
}

/* How much of the input is a block by now; 0: none is whole. */
static size_t whole_block(const struct stream *t)
{
    const uint8_t *newline;
    size_t size = t->request->size;

    if (t->line_bytes == 0)
        return 0;
    if (size > 0)
        return t->line_bytes >= size ? size : (t->input_ended ? t->line_bytes : 0);
    newline = memrchr(t->line, '\n', t->line_bytes);
    if (newline && !t->input_is_terminal && t->line_bytes > IWARP_BLOCK_MAX / 2)
        return (size_t)(newline - t->line) + 1;
    newline = memchr(t->line, '\n', t->line_bytes);
    if (newline)
        return (size_t)(newline - t->line) + 1;
    return t->input_ended || t->line_bytes == IWARP_BLOCK_MAX ? t->line_bytes : 0;
}

static void on_input(uv_poll_t *handle, int status, int events)
{
    struct stream *t = handle->data;

    (void)status;
    (void)events;
    t->input_ready = true;
    uv_poll_stop(handle);
}

static void watch_input(struct stream *t)
{
    if (t->input_polled && !t->input_ready && !t->input_ended)
        uv_poll_start(&t->input, UV_READABLE | UV_DISCONNECT, on_input);
}

static void read_input(struct stream *t)
{
    ssize_t bytes;

    if (!t->input_ready || t->input_ended || t->line_bytes == IWARP_BLOCK_MAX)
        return;
    bytes = read(STDIN_FILENO, t->line + t->line_bytes, IWARP_BLOCK_MAX - t->line_bytes);
    t->input_ready = t->input_is_file;
    if (bytes > 0) {
        t->line_bytes += (size_t)bytes;
    } else if (bytes == 0) {
        t->input_ended = true;
    } else if (errno != EINTR && errno != EAGAIN) {
        message("cannot read standard input: %s", strerror(errno));
        t->input_ended = true;
    }
}

/* Sends what there is, and says so when that was all. */
static void send_input(struct stream *t)
{
    while (can_send(t)) {
        size_t bytes = whole_block(t);

        if (bytes == 0) {
            if (!t->input_ready || t->input_ended)
                break;
            read_input(t);
            continue;
        }
        send_block(t, bytes);
    }
    if (t->input_ended && t->line_bytes == 0 && !t->end_sent && t->link.state == IWARP_LINK_UP)
        t->end_sent = t->window == 0 || post(t, WR_MARK, NULL, 0, WEFT_SIW_SOLICITED);
}

static void write_output(struct stream *t, const uint8_t *data, size_t bytes)
{
    size_t done = 0;

    while (done < bytes && !t->output_failed && !iwarp_session_interrupted()) {
        ssize_t written = write(STDOUT_FILENO, data + done, bytes - done);

        if (written > 0)
            done += (size_t)written;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            t->output_failed = true;
    }
}

static void take_message(struct stream *t, const struct weft_siw_wc *wc)
{
    if (wc->bytes > 0) {
        write_output(t, t->in[wc->wr_id].data, wc->bytes);
        t->received += wc->bytes;
        t->unacknowledged++;
    } else if (t->window > 0 && wc->solicited) {
        t->peer_ended = true;
    } else if (t->window > 0) {
        t->acknowledged += (t->window + 1) / 2;
        /* a peer may say that of blocks that it was never sent */
        if (t->acknowledged > t->sent)
            t->acknowledged = t->sent;
    }
    post_recv(t, wc->wr_id);
    if (t->window > 0 && t->unacknowledged >= (t->window + 1) / 2 && post(t, WR_MARK, NULL, 0, 0))
        t->unacknowledged -= (t->window + 1) / 2;
}

static void block_done(struct stream *t, struct block *b, bool sent)
{
    b->busy = false;
    if (sent)
        t->out_bytes += b->bytes;
    else
        t->block_lost = true;
}

/* @return whether there was anything */
static bool take_completions(struct stream *t)
{
    struct weft_siw_wc wc;
    bool any = false;

    while (iwarp_link_poll(&t->link, &wc)) {
        any = true;
        if (wc.opcode == WEFT_SIW_WC_RECV) {
            if (wc.status == WEFT_SIW_WC_OK)
                take_message(t, &wc);
        } else if (wc.wr_id != WR_MARK) {
            block_done(t, &t->out[wc.wr_id], wc.status == WEFT_SIW_WC_OK);
        }
    }
    return any;
}

/* Whether everything was said in both directions. */
static bool finished(const struct stream *t)
{
    if (t->output_failed || iwarp_session_interrupted())
        return true;
    if (t->window == 0)
        return t->end_sent;
    return (t->end_sent || t->input_is_terminal) && t->peer_ended;
}

static void exchange(struct stream *t)
{
    while (t->link.state == IWARP_LINK_UP && !finished(t)) {
        bool more;

        take_completions(t);
        send_input(t);
        iw_loop_pump(t->session.loop);
        more = take_completions(t) || (can_send(t) && t->input_ready && !t->input_ended);
        if (can_send(t))
            watch_input(t);
        if (!finished(t))
            iwarp_session_turn(&t->session, more ? 0 : WEFT_TIME_NEVER);
    }
}

/* Ends in good order: what was posted is sent first; what the peer still sends is printed. */
static void end_in_order(struct stream *t)
{
    weft_time deadline = iwarp_session_in(t->request->timeout);

    iwarp_link_disconnect(&t->link, false);
    while (t->link.state == IWARP_LINK_CLOSING && iw_loop_now() < deadline) {
        iwarp_session_turn(&t->session, deadline);
        take_completions(t);
    }
    take_completions(t);
}

static bool new_stream(struct stream *t)
{
    struct iwarp_link_config config = {0};
    bool ready;

    t->window = t->request->window;
    t->out_count = t->window ? (uint32_t)t->window : BUFFERS_WITHOUT_WINDOW;
    t->in_count = 2 * t->out_count < RECVS_MIN ? RECVS_MIN : 2 * t->out_count;
    t->in_count += 8;
    config.recvs = t->in_count;
    config.sends = t->out_count + t->in_count;
    if (!iwarp_link_new(&t->session, &config, &t->link))
        return false;
    t->out = calloc(t->out_count, sizeof(*t->out));
    t->in = calloc(t->in_count, sizeof(*t->in));
    ready = t->out && t->in;
    for (uint64_t i = 0; ready && i < t->in_count; i++)
        ready = post_recv(t, i);
    if (!ready)
        message("no memory for blocks");
    return ready;
}

/* A regular file cannot be waited for, and never makes anybody wait. */
static void open_input(struct stream *t)
{
    t->input_is_terminal = isatty(STDIN_FILENO) == 1;
    t->input_flags = fcntl(STDIN_FILENO, F_GETFL);
    t->input_polled = uv_poll_init(iw_loop_uv(t->session.loop), &t->input, STDIN_FILENO) == 0;
    t->input.data = t;
    t->input_is_file = t->input_ready = !t->input_polled;
}

static void close_input(struct stream *t)
{
    if (t->input_flags >= 0)
        fcntl(STDIN_FILENO, F_SETFL, t->input_flags);
    if (!t->input_polled)
        return;
    uv_close((uv_handle_t *)&t->input, NULL);
    iwarp_session_turn(&t->session, 0);
}

static bool await_peer(struct stream *t)
{
    const struct iwarp_request *r = t->request;
    struct weft_iwcm_param param = {.private_data = r->private_data.data,
                                    .private_bytes = r->private_data.bytes};
    char address[IWARP_ADDRESS_TEXT];
    struct iwarp_waiting w;

    if (iwarp_session_listen(&t->session, stderr) != CLI_DONE ||
        !iwarp_session_next(&t->session, WEFT_TIME_NEVER, &w))
        return false;
    if (!r->reject.given) {
        param.ird = w.peer.ird;
        iwarp_link_accept(&t->link, &w, &param);
        return iwarp_link_wait_up(&t->link, WEFT_TIME_NEVER);
    }
    iwarp_session_reject(&t->session, &w, &r->reject);
    iwarp_session_settle(&t->session);
    fprintf(stderr, "rejected %s\n", iwarp_address_text(&w.remote, address));
    return false;
}

/* The listening side may only begin after it has heard something: a Write of nothing says it,
 * where no ready-to-receive frame was agreed on. */
static void speak_first(struct stream *t)
{
    struct weft_siw_send wr = {
        .wr_id = WR_MARK, .opcode = WEFT_SIW_WRITE, .flags = WEFT_SIW_SIGNALED};

    if (t->link.terms.rtr == WEFT_SIW_RTR_NONE)
        weft_siw_post_send(t->session.siw, iw_loop_now(), t->link.qpn, &wr);
}

static bool call_peer(struct stream *t)
{
    const struct iwarp_request *r = t->request;
    /* A Read as ready-to-receive frame needs one to be allowed. */
    struct weft_iwcm_param param = {.private_data = r->private_data.data,
                                    .private_bytes = r->private_data.bytes,
                                    .ird = 1,
                                    .ord = 1};

    iwarp_link_connect(&t->link, &param);
    if (iwarp_link_wait_up(&t->link, iwarp_session_in(2 * r->timeout))) {
        speak_first(t);
        return true;
    }
    if (!iwarp_session_interrupted())
        iwarp_link_tell_failure(&t->link, "weft iwarp listen");
    return false;
}

static void print_terms(const struct stream *t)
{
    json_t *root;

    if (!t->request->json) {
        iwarp_link_print(&t->link, stderr);
        return;
    }
    root = json_pack("{s:s, s:o}", "schema", "weft.iwarp.connection/1", "connection",
                     iwarp_link_json(&t->link));
    if (root) {
        json_dumpf(root, stderr, JSON_COMPACT);
        fputc('\n', stderr);
        json_decref(root);
    }
}

/* Whether there was more to send. Without a window a peer that has enough just closes: that is
 * an end in good order where nothing waits to be sent. */
static bool cut_short(const struct stream *t)
{
    if (t->block_lost)
        return true;
    if (t->end_sent || t->input_is_terminal)
        return false;
    return t->window > 0 || t->line_bytes > 0 || (t->input_is_file && !t->input_ended);
}

/* What became of it, as an exit code. */
static int judge(const struct stream *t)
{
    const struct iwarp_link *l = &t->link;
    char address[IWARP_ADDRESS_TEXT];
    char why[IWARP_NAME_BYTES];

    iwarp_address_text(&l->remote, address);
    if (t->output_failed)
        return message_failed("cannot write to standard output");
    if (l->state == IWARP_LINK_ENDED && l->status != WEFT_IWCM_OK)
        return message_failed("%s: %s", address, iwarp_link_reason(l, why, sizeof(why)));
    if (l->ending.terminate_sent || l->ending.terminate_received)
        return message_failed("%s: %s", address, iwarp_link_reason(l, why, sizeof(why)));
    if (iwarp_session_interrupted())
        return CLI_PART;
    if (l->state != IWARP_LINK_ENDED)
        return message_failed("%s: the peer does not close the connection within --timeout",
                              address);
    if (cut_short(t)) {
        message("%s: the peer closed the connection before everything was sent; %" PRIu64
                " bytes were sent",
                address, t->out_bytes);
        return CLI_PART;
    }
    return CLI_DONE;
}

static int run_stream(struct stream *t)
{
    bool up = t->request->server ? await_peer(t) : call_peer(t);

    if (!up) {
        if (t->request->reject.given && !iwarp_session_interrupted())
            return CLI_DONE;
        return CLI_FAILED;
    }
    print_terms(t);
    open_input(t);
    exchange(t);
    end_in_order(t);
    close_input(t);
    return judge(t);
}

int iwarp_stream(const struct iwarp_request *r)
{
    struct stream *t = calloc(1, sizeof(*t));
    int exit_code = CLI_FAILED;

    if (!t)
        return message_failed("no memory for a connection");
    t->request = r;
    if (iwarp_session_open(&t->session, r, 1) == CLI_DONE) {
        if (new_stream(t))
            exit_code = run_stream(t);
        iwarp_link_free(&t->link, iwarp_session_in(WEFT_S));
        iwarp_session_close(&t->session);
        free(t->out);
        free(t->in);
    }
    free(t);
    return exit_code;
}
