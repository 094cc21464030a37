/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Segments put in order: retransmissions, overlaps, holes, and a bound on what waits. */
#include "capture/stream.h"

#include <stdlib.h>
#include <string.h>

void stream_begin(struct stream *s, uint32_t seq, uint64_t offset)
{
    s->begun = true;
    s->base = seq - (uint32_t)offset;
    s->next = s->acked = offset;
}

/* The offset nearest to the next byte that has this sequence number; numbers wrap.
 * Returns false: it lies before the beginning. */
static bool offset_of(const struct stream *s, uint32_t seq, uint64_t *ret)
{
    int32_t distance = (int32_t)(seq - (s->base + (uint32_t)s->next));

    if (distance < 0 && (uint64_t)(-(int64_t)distance) > s->next)
        return false;
    *ret = s->next + (uint64_t)(int64_t)distance;
    return true;
}

static void insert(struct stream *s, struct stream_piece *piece)
{
    struct stream_piece **at = &s->first;

    if (s->last && s->last->offset <= piece->offset)
        at = &s->last->next;
    while (*at && (*at)->offset <= piece->offset)
        at = &(*at)->next;
    piece->next = *at;
    *at = piece;
    if (!piece->next)
        s->last = piece;
    s->held += sizeof(*piece) + piece->bytes;
    s->pieces++;
}

bool stream_add(struct stream *s, uint32_t seq, const void *data, uint32_t captured,
                uint32_t length, weft_time time)
{
    struct stream_piece *piece;
    uint64_t offset;

    if (length == 0 || !offset_of(s, seq, &offset) || offset + length <= s->next)
        return true;
    piece = malloc(sizeof(*piece) + captured);
    if (!piece)
        return false;
    *piece =
        (struct stream_piece){.offset = offset, .bytes = captured, .length = length, .time = time};
    if (captured > 0)
        memcpy(piece->data, data, captured);
    insert(s, piece);
    return true;
}

void stream_ack(struct stream *s, uint32_t ack)
{
    uint64_t offset;

    if (s->begun && offset_of(s, ack, &offset) && offset > s->acked)
        s->acked = offset;
}

void stream_fin(struct stream *s, uint32_t seq)
{
    if (!s->has_fin)
        s->has_fin = offset_of(s, seq, &s->fin);
}

struct stream_piece *stream_take(struct stream *s)
{
    struct stream_piece *piece;
    uint64_t old;

    while ((piece = s->first)) {
        if (piece->offset > s->next && piece->offset > s->acked && !s->hurries &&
            s->held <= STREAM_HELD_MAX && s->pieces <= STREAM_PIECES_MAX)
            return NULL;
        s->first = piece->next;
        if (!s->first)
            s->last = NULL;
        s->held -= sizeof(*piece) + piece->bytes;
        s->pieces--;
        piece->next = NULL;
        if (piece->offset + piece->length > s->next)
            break;
        free(piece);
    }
    if (!piece)
        return NULL;
    old = piece->offset < s->next ? s->next - piece->offset : 0;
    piece->offset += old;
    piece->length -= (uint32_t)old;
    piece->skipped = old < piece->bytes ? (uint32_t)old : piece->bytes;
    piece->bytes -= piece->skipped;
    s->next = piece->offset + piece->length;
    return piece;
}

bool stream_ended(const struct stream *s)
{
    return s->has_fin && s->next >= s->fin;
}

void stream_clear(struct stream *s)
{
    while (s->first) {
        struct stream_piece *piece = s->first;

        s->first = piece->next;
        free(piece);
    }
    s->last = NULL;
    s->held = 0;
    s->pieces = 0;
}
