/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: a peer's FPDUs, right or wrong, in any parts, to a QP in any state, while the
 * program posts, closes and ends registrations. Nothing is written outside what the peer may write,
 * every request ends once, and there is one Terminate at most, with nothing behind it. */
#include "siw_receive.h"

#include <stdio.h>

enum {
    OPERATIONS_MAX = 300,
    PIECE_BYTES = 48,
    LONG_BYTES = 5000
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input, read from its front; behind its end there are zeroes. */
struct bytes {
    const uint8_t *at;
    size_t left;
};

struct target {
    struct lab *lab;
    struct peer stream;
    struct bytes input;
    uint32_t recvs, sends; /* posted */
    uint32_t recv_ends, send_ends;
    uint32_t terminates;
    uint8_t own[LAB_RECVS]
               [PIECE_BYTES + 1]; /* receives without an STag; the last byte is a guard */
};

static void require(bool condition, const char *rule)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", rule);
    abort();
}

static uint8_t next(struct target *t)
{
    if (t->input.left == 0)
        return 0;
    t->input.left--;
    return *t->input.at++;
}

static uint32_t next16(struct target *t)
{
    uint32_t high = next(t);

    return high << 8 | next(t);
}

static void post_recv(struct target *t)
{
    uint8_t choice = next(t);
    struct weft_siw_sge sge[2] = {{0}};
    struct weft_siw_recv wr = {.wr_id = t->recvs, .sge = sge, .sge_count = 1 + (choice >> 7)};
    uint8_t *own = t->own[t->recvs % LAB_RECVS];

    if (t->recvs == LAB_RECVS)
        return;
    sge[0] = (struct weft_siw_sge){.addr = own, .bytes = choice % (PIECE_BYTES + 1)};
    if (choice & 0x40)
        sge[0].stag = LAB_STAG(LAB_LOCAL); /* where it does not lie: an error of the program */
    sge[1] = (struct weft_siw_sge){.addr = lab_at(t->lab, LAB_LOCAL) + LAB_BYTES - 32,
                                   .bytes = 32,
                                   .stag = LAB_STAG(LAB_LOCAL)};
    if (weft_siw_post_recv(&t->lab->s, t->lab->qpn, &wr) == 0)
        t->recvs++;
}

static void post_send(struct target *t)
{
    uint8_t choice = next(t);
    uint32_t at = (uint32_t)(choice & 0x1f) * 64, bytes = choice >> 5;
    struct weft_siw_sge sge = {
        .addr = lab_at(t->lab, LAB_ALL) + at, .bytes = bytes * 100, .stag = LAB_STAG(LAB_ALL)};
    struct weft_siw_send wr = {.wr_id = t->sends,
                               .opcode = choice % 3 ? WEFT_SIW_READ : WEFT_SIW_SEND,
                               .flags = WEFT_SIW_SIGNALED,
                               .sge = &sge,
                               .sge_count = 1,
                               .remote_stag = 1};

    if (weft_siw_post_send(&t->lab->s, 0, t->lab->qpn, &wr) == 0)
        t->sends++;
}

/* Ends a registration and makes it anew: of the same STag, or of another key. */
static void register_again(struct target *t)
{
    uint8_t choice = next(t), region = choice % LAB_REGIONS;
    struct weft_siw_region r = {.base = lab_at(t->lab, region),
                                .bytes = LAB_BYTES,
                                .to = LAB_TO,
                                .pd = region == LAB_FOREIGN ? LAB_PD + 1 : LAB_PD,
                                .access = region == LAB_READ ? WEFT_SIW_REMOTE_READ : 15,
                                .key = choice & 0x80 ? 0x11 : 0x12};

    if (weft_siw_region_deregister(&t->lab->s, t->lab->stags[region]) == 0)
        require(weft_siw_region_register(&t->lab->s, &r, &t->lab->stags[region]) == 0,
                "a region that was given back is there");
}

/* Feeds what the peer has made, in parts of one length. */
static void feed(struct target *t, size_t part)
{
    for (size_t at = 0; at < t->stream.count; at += part) {
        size_t n = t->stream.count - at < part ? t->stream.count - at : part;

        qp_rx(&t->lab->s, t->lab->qp, t->stream.bytes + at, n);
    }
    t->stream.count = 0;
}

/* A ULPDU of the input's bytes, maybe made long; framed as it should be. */
static void peer_says(struct target *t, uint8_t choice)
{
    static uint8_t ulpdu[LONG_BYTES];
    uint32_t bytes = next(t), total = choice & 0x10 ? next16(t) % LONG_BYTES : bytes;

    memset(ulpdu, 0x77, sizeof(ulpdu));
    for (uint32_t i = 0; i < bytes; i++)
        ulpdu[i] = next(t);
    peer_fpdu(&t->stream, ulpdu, total, "", 0);
    feed(t, choice & 0x20 ? (size_t)1 + choice / 64 : SIZE_MAX);
}

static void peer_says_anything(struct target *t)
{
    uint32_t bytes = next(t);

    while (bytes-- > 0)
        peer_byte(&t->stream, next(t));
    feed(t, 1 + next(t));
}

static void use_window(struct target *t)
{
    size_t room = 0, n = next(t);
    uint8_t *window = qp_rx_window(&t->lab->s, t->lab->qp, &room);

    if (!window)
        return;
    require(room > 0, "a window has room");
    n = n < room ? n : room;
    memset(window, 0x66, n);
    qp_rx_placed(&t->lab->s, t->lab->qp, n);
}

/* What the QP writes is FPDUs, and a Terminate is the last of them. */
static void drain(struct target *t)
{
    size_t at = 0;

    lab_drain(t->lab);
    while (at < t->lab->out_bytes) {
        const uint8_t *p = t->lab->out + at;
        uint32_t bytes = (uint32_t)(p[0] << 8 | p[1]);

        require(t->terminates == 0, "nothing is written behind a Terminate");
        at += 2 + bytes + fpdu_pad(bytes) + 4;
        require(bytes >= 14 && at <= t->lab->out_bytes, "what is written is whole FPDUs");
        t->terminates += (p[3] & 0x0F) == RDMAP_TERMINATE;
    }
    t->lab->out_bytes = 0;
}

static void poll_completions(struct target *t)
{
    struct weft_siw_wc wc;

    while (weft_siw_cq_poll(&t->lab->s, t->lab->recv_cqn, &wc))
        require(wc.wr_id == t->recv_ends++, "receives end in their order");
    while (weft_siw_cq_poll(&t->lab->s, t->lab->send_cqn, &wc))
        require(wc.wr_id == t->send_ends++, "sends end in their order");
}

static void check(struct target *t)
{
    static uint8_t untouched[LAB_BYTES];
    struct lab *lab = t->lab;

    memset(untouched, LAB_FILL, LAB_BYTES);
    require(lab_guards_whole(lab), "the bytes round the regions are whole");
    require(memcmp(lab_at(lab, LAB_READ), untouched, LAB_BYTES) == 0 &&
                memcmp(lab_at(lab, LAB_FOREIGN), untouched, LAB_BYTES) == 0,
            "what the peer may not write is as it was");
    for (uint32_t i = 0; i < LAB_RECVS; i++)
        require(t->own[i][PIECE_BYTES] == LAB_FILL, "the bytes behind receives are as they were");
    require(lab->failed <= 1 && lab->ready <= 1 && lab->peer_terminated <= 1,
            "the connection is told once");
    require(lab->s.verbs.partials.used <= 1, "one FPDU of a QP is not whole");
}

static void operate(struct target *t)
{
    struct lab *lab = t->lab;
    uint8_t choice = next(t);

    switch (choice & 0x0f) {
    case 0:
        peer_says_anything(t);
        break;
    case 1:
        use_window(t);
        break;
    case 2:
        drain(t);
        break;
    case 3:
        post_recv(t);
        break;
    case 4:
        post_send(t);
        break;
    case 5:
        register_again(t);
        break;
    case 6:
        poll_completions(t);
        break;
    case 7:
        qp_close(&lab->s, lab->qp);
        break;
    case 8:
        if (choice & 0x80)
            qp_abort(&lab->s, lab->qp);
        break;
    default:
        peer_says(t, choice);
        break;
    }
}

static void begin(struct target *t)
{
    static const uint8_t kinds[] = {WEFT_SIW_RTR_NONE, WEFT_SIW_RTR_SEND, WEFT_SIW_RTR_WRITE,
                                    WEFT_SIW_RTR_READ};
    uint8_t choice = next(t);
    struct terms terms = {.crc = (choice & 1) != 0,
                          .initiator = (choice & 2) != 0,
                          .rtr = kinds[choice >> 2 & 3],
                          .peer_to_peer = (choice & 12) != 0,
                          .ird = choice >> 4 & 3,
                          .ord = choice >> 6};

    memset(t->own, LAB_FILL, sizeof(t->own));
    t->lab = lab_new(&terms);
    peer_init(&t->stream, terms.crc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct target t;

    t = (struct target){.input = {data, size}};
    begin(&t);
    for (int i = 0; i < OPERATIONS_MAX && t.input.left > 0; i++) {
        operate(&t);
        check(&t);
    }
    drain(&t);
    qp_unbind(&t.lab->s, t.lab->qp, false);
    poll_completions(&t);
    require(t.recv_ends == t.recvs, "each receive ends");
    require(t.send_ends == t.sends, "each send ends");
    require(t.terminates <= 1, "there is one Terminate at most");
    check(&t);
    peer_free(&t.stream);
    lab_free(t.lab);
    return 0;
}
