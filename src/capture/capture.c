/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of a capture: which are iWARP, who began, and their pieces on the way to a decoder.
 */
#include "capture/capture.h"

#include "capture/stream.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 8192u

/* Bytes by which an MPA frame is known even if the rest of its key is wrong. */
#define KEY_BEGINS "MPA "

enum connection_state {
    CONNECTION_NEW,   /* it is not known what it is; pieces wait */
    CONNECTION_IWARP, /* a decoder has it */
    CONNECTION_OTHER, /* it is something else: its packets are passed over */
    CONNECTION_CLOSED /* it was iWARP */
};

/* Ends and streams: 0 is who began, as far as that is known. */
struct connection {
    struct connection *chain; /* in its bucket */
    struct connection *next;  /* in the order in which they came */
    enum connection_state state;
    bool has_syn;
    struct capture_connection shown;
    struct packet_end end[2];
    struct stream stream[2];
    bool ended[2];
    /* Taken while the state is NEW, in order. */
    struct waiting {
        struct stream_piece *piece;
        int from;
    } waiting[CAPTURE_PIECES_LOOKED_AT];
    uint32_t waiting_count;
    struct weft_iwarp *decoder;
};

struct capture {
    uint16_t port;
    struct capture_sink sink;
    struct capture_stats stats;
    uint32_t connections, open;
    size_t held;         /* memory of all pieces that wait */
    weft_time last_time; /* of the last packet */
    struct connection *bucket[BUCKETS];
    struct connection *first, *last;
};

struct capture *capture_new(uint16_t port, const struct capture_sink *sink)
{
    struct capture *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->port = port;
    c->sink = *sink;
    return c;
}

static void close_decoder(struct capture *c, struct connection *k)
{
    if (k->decoder)
        c->open--;
    k->decoder = weft_iwarp_free(k->decoder);
}

/* Frees everything but the connection itself. */
static void clear(struct capture *c, struct connection *k)
{
    for (uint32_t i = 0; i < k->waiting_count; i++)
        free(k->waiting[i].piece);
    k->waiting_count = 0;
    for (int side = 0; side < 2; side++)
        stream_clear(&k->stream[side]);
    close_decoder(c, k);
}

void capture_free(struct capture *c)
{
    if (!c)
        return;
    while (c->first) {
        struct connection *k = c->first;

        c->first = k->next;
        clear(c, k);
        free(k);
    }
    free(c);
}

const struct capture_stats *capture_stats(const struct capture *c)
{
    return &c->stats;
}

/* The same for both directions of a connection. */
static uint32_t bucket_of(const struct packet *p)
{
    const uint8_t *ends[2] = {(const uint8_t *)&p->from, (const uint8_t *)&p->to};
    uint32_t sum = 0;

    for (int i = 0; i < 2; i++) {
        uint32_t hash = 2166136261u;

        for (size_t byte = 0; byte < sizeof(p->from); byte++)
            hash = (hash ^ ends[i][byte]) * 16777619u;
        sum += hash;
    }
    return sum % BUCKETS;
}

static bool same_end(const struct packet_end *a, const struct packet_end *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static struct connection *find(struct capture *c, const struct packet *p, uint32_t bucket,
                               int *ret_from)
{
    for (struct connection *k = c->bucket[bucket]; k; k = k->chain) {
        for (int side = 0; side < 2; side++) {
            if (same_end(&k->end[side], &p->from) && same_end(&k->end[1 - side], &p->to)) {
                *ret_from = side;
                return k;
            }
        }
    }
    return NULL;
}

static struct connection *add(struct capture *c, const struct packet *p, uint32_t bucket)
{
    struct connection *k = c->connections < CAPTURE_CONNECTIONS_MAX ? calloc(1, sizeof(*k)) : NULL;

    if (!k)
        return NULL;
    k->end[0] = p->from;
    k->end[1] = p->to;
    k->chain = c->bucket[bucket];
    c->bucket[bucket] = k;
    if (c->last)
        c->last->next = k;
    else
        c->first = k;
    c->last = k;
    c->connections++;
    return k;
}

static size_t held_by(const struct connection *k)
{
    size_t bytes = k->stream[0].held + k->stream[1].held;

    for (uint32_t i = 0; i < k->waiting_count; i++)
        bytes +=
            sizeof(struct stream_piece) + k->waiting[i].piece->skipped + k->waiting[i].piece->bytes;
    return bytes;
}

static void tell_records(struct capture *c, struct connection *k)
{
    struct weft_iwarp_record r;

    while (weft_iwarp_poll(k->decoder, &r))
        c->sink.record(c->sink.ctx, &k->shown, &r);
}

static void feed(struct capture *c, struct connection *k, int from,
                 const struct stream_piece *piece)
{
    if (k->ended[from])
        return;
    (void)weft_iwarp_feed(k->decoder, (enum weft_iwarp_side)from, piece->offset,
                          piece->data + piece->skipped, piece->bytes, piece->time);
    tell_records(c, k);
}

static void swap_ends(struct connection *k)
{
    struct packet_end end = k->end[0];
    struct stream stream = k->stream[0];

    k->end[0] = k->end[1];
    k->end[1] = end;
    k->stream[0] = k->stream[1];
    k->stream[1] = stream;
    for (uint32_t i = 0; i < k->waiting_count; i++)
        k->waiting[i].from = 1 - k->waiting[i].from;
}

/* It is iWARP: its ends are in order, its pieces go to a decoder from now on. */
static void begin_iwarp(struct capture *c, struct connection *k)
{
    if (c->open == CAPTURE_IWARP_MAX || weft_iwarp_new(NULL, &k->decoder) != 0) {
        k->state = CONNECTION_OTHER;
        c->stats.overlooked++;
        clear(c, k);
        return;
    }
    c->open++;
    c->stats.iwarp++;
    k->state = CONNECTION_IWARP;
    k->shown.number = (uint32_t)c->stats.iwarp;
    memcpy(k->shown.end, k->end, sizeof(k->end));
    c->sink.connection(c->sink.ctx, &k->shown);
    for (uint32_t i = 0; i < k->waiting_count; i++) {
        feed(c, k, k->waiting[i].from, k->waiting[i].piece);
        free(k->waiting[i].piece);
    }
    k->waiting_count = 0;
}

static void begin_other(struct capture *c, struct connection *k)
{
    c->stats.others++;
    k->state = CONNECTION_OTHER;
    clear(c, k);
}

/* Without SYN and MPA frames the lower port is taken for the one that was listened on. */
static void guess_initiator(struct connection *k)
{
    k->shown.guessed = true;
    if (k->end[0].port < k->end[1].port)
        swap_ends(k);
}

/* The bytes with which a side begins, as far as they are there. */
static uint32_t beginning(const struct connection *k, int side, uint8_t ret[32])
{
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < k->waiting_count; i++) {
        const struct stream_piece *piece = k->waiting[i].piece;
        uint32_t more = piece->bytes < 32 - bytes ? piece->bytes : 32 - bytes;

        if (k->waiting[i].from != side)
            continue;
        memcpy(ret + bytes, piece->data + piece->skipped, more);
        bytes += more;
    }
    return bytes;
}

/* What the last piece that waits makes of the connection. */
static enum connection_state look(struct capture *c, struct connection *k)
{
    const struct waiting *w = &k->waiting[k->waiting_count - 1];
    uint8_t begin[32];
    uint32_t bytes = beginning(k, w->from, begin);
    enum weft_iwarp_look frame = weft_iwarp_look(begin, bytes);
    enum weft_iwarp_look piece =
        weft_iwarp_look(w->piece->data + w->piece->skipped, w->piece->bytes);

    if (frame == WEFT_IWARP_LOOK_REQUEST || frame == WEFT_IWARP_LOOK_REPLY) {
        if (!k->has_syn && w->from == (frame == WEFT_IWARP_LOOK_REQUEST ? 1 : 0))
            swap_ends(k);
        return CONNECTION_IWARP;
    }
    if (c->port != 0) {
        if (!k->has_syn && k->end[0].port == c->port && k->end[1].port != c->port)
            swap_ends(k);
        return CONNECTION_IWARP;
    }
    if (bytes >= strlen(KEY_BEGINS) && memcmp(begin, KEY_BEGINS, strlen(KEY_BEGINS)) == 0)
        return frame == WEFT_IWARP_LOOK_SHORT ? CONNECTION_NEW : CONNECTION_IWARP;
    if (piece == WEFT_IWARP_LOOK_FPDU) {
        if (!k->has_syn)
            guess_initiator(k);
        return CONNECTION_IWARP;
    }
    /* Both beginnings were captured, and the first one is something else. */
    if (k->has_syn && w->piece->offset == 0 && frame == WEFT_IWARP_LOOK_OTHER)
        return CONNECTION_OTHER;
    return k->waiting_count == CAPTURE_PIECES_LOOKED_AT ? CONNECTION_OTHER : CONNECTION_NEW;
}

static void take_waiting(struct capture *c, struct connection *k, int from,
                         struct stream_piece *piece)
{
    k->waiting[k->waiting_count++] = (struct waiting){piece, from};
    switch (look(c, k)) {
    case CONNECTION_IWARP:
        begin_iwarp(c, k);
        break;
    case CONNECTION_OTHER:
        begin_other(c, k);
        break;
    case CONNECTION_NEW:
    case CONNECTION_CLOSED:
        break;
    }
}

static void end_side(struct capture *c, struct connection *k, int side, weft_time time)
{
    if (k->state != CONNECTION_IWARP || k->ended[side])
        return;
    k->ended[side] = true;
    (void)weft_iwarp_end(k->decoder, (enum weft_iwarp_side)side, time);
    tell_records(c, k);
}

static void close_if_ended(struct capture *c, struct connection *k)
{
    if (k->state != CONNECTION_IWARP || !k->ended[0] || !k->ended[1])
        return;
    k->state = CONNECTION_CLOSED;
    clear(c, k);
}

/* Takes what has come into order on either side. Sides change when the initiator is found. */
static void advance(struct capture *c, struct connection *k, weft_time time)
{
    for (int side = 0; side < 2; side++) {
        struct stream_piece *piece;

        while ((k->state == CONNECTION_NEW || k->state == CONNECTION_IWARP) &&
               (piece = stream_take(&k->stream[side]))) {
            if (k->state == CONNECTION_NEW) {
                take_waiting(c, k, side, piece);
                side = 0;
                continue;
            }
            feed(c, k, side, piece);
            free(piece);
        }
    }
    for (int side = 0; side < 2; side++) {
        if (stream_ended(&k->stream[side]))
            end_side(c, k, side, time);
    }
    close_if_ended(c, k);
}

/* What still waits for missing segments is taken without them. */
static void hurry(struct capture *c, struct connection *k, weft_time time)
{
    k->stream[0].hurries = k->stream[1].hurries = true;
    advance(c, k, time);
    if (k->state == CONNECTION_NEW && k->waiting_count > 0)
        begin_other(c, k);
    k->stream[0].hurries = k->stream[1].hurries = false;
}

static void restart(struct capture *c, struct connection *k, const struct packet *p, weft_time time)
{
    struct connection *chain = k->chain, *next = k->next;

    hurry(c, k, time);
    clear(c, k);
    memset(k, 0, sizeof(*k));
    k->chain = chain;
    k->next = next;
    k->end[0] = p->from;
    k->end[1] = p->to;
}

static void begin_streams(struct connection *k, const struct packet *p, int from)
{
    if (p->flags & PACKET_SYN) {
        bool answers = (p->flags & PACKET_ACK) != 0;

        if (!k->has_syn && k->state == CONNECTION_NEW && answers == (from == 0)) {
            swap_ends(k);
            from = 1 - from;
        }
        k->has_syn = true;
        if (!k->stream[from].begun)
            stream_begin(&k->stream[from], p->seq + 1, 0);
        return;
    }
    if (!k->stream[from].begun && p->length > 0) {
        enum weft_iwarp_look looks = weft_iwarp_look(p->data, p->captured);
        bool frame = looks == WEFT_IWARP_LOOK_REQUEST || looks == WEFT_IWARP_LOOK_REPLY;

        stream_begin(&k->stream[from], p->seq, frame ? 0 : STREAM_LATE);
    }
}

static void take_segment(struct capture *c, struct connection *k, const struct packet *p, int from,
                         weft_time time)
{
    struct stream *s;
    uint32_t seq = p->seq + (p->flags & PACKET_SYN ? 1 : 0);

    if (k->state == CONNECTION_OTHER || k->state == CONNECTION_CLOSED)
        return;
    begin_streams(k, p, from);
    from = same_end(&k->end[0], &p->from) ? 0 : 1;
    s = &k->stream[from];
    if (p->captured < p->length)
        c->stats.shortened++;
    if (s->begun && !stream_add(s, seq, p->data, p->captured, p->length, time))
        c->stats.overlooked++;
    if (s->begun && p->flags & PACKET_FIN)
        stream_fin(s, seq + p->length);
    if (p->flags & PACKET_ACK)
        stream_ack(&k->stream[1 - from], p->ack);
    if (p->flags & PACKET_RST) {
        hurry(c, k, time);
        end_side(c, k, 0, time);
        end_side(c, k, 1, time);
        close_if_ended(c, k);
        return;
    }
    advance(c, k, time);
}

/* A SYN with another number than the first one is a new connection of the same ends. */
static bool is_new_syn(const struct connection *k, const struct packet *p, int from)
{
    if ((p->flags & (PACKET_SYN | PACKET_ACK)) != PACKET_SYN)
        return false;
    return !k->has_syn || (k->stream[from].begun && k->stream[from].base != p->seq + 1);
}

static void take_tcp(struct capture *c, const struct packet *p, weft_time time)
{
    uint32_t bucket = bucket_of(p);
    int from = 0;
    struct connection *k = find(c, p, bucket, &from);

    if (!k)
        k = add(c, p, bucket);
    if (!k) {
        c->stats.overlooked++;
        return;
    }
    c->held -= held_by(k);
    if (is_new_syn(k, p, from)) {
        restart(c, k, p, time);
        from = 0;
    }
    take_segment(c, k, p, from, time);
    if (c->held + held_by(k) > CAPTURE_HELD_MAX)
        hurry(c, k, time);
    c->held += held_by(k);
}

void capture_packet(struct capture *c, int link, const void *data, uint32_t captured,
                    uint32_t length, weft_time time)
{
    struct packet p;
    enum packet_kind kind = packet_read(link, data, captured, length, &p);

    if (c->stats.packets++ == 0)
        c->stats.first_time = time;
    c->last_time = time;
    c->stats.fragments += kind == PACKET_FRAGMENT;
    c->stats.cut += kind == PACKET_CUT;
    c->stats.tcp += kind == PACKET_TCP;
    if (kind != PACKET_TCP || (c->port != 0 && p.from.port != c->port && p.to.port != c->port))
        return;
    take_tcp(c, &p, time);
}

void capture_finish(struct capture *c)
{
    for (struct connection *k = c->first; k; k = k->next)
        hurry(c, k, c->last_time);
}
