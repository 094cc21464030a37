/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* TCP as a program sees it: no byte is lost, doubled or overtaken while the connection lasts. */
#include "iwarp_stream.h"

#include <stdlib.h>
#include <string.h>

void stream_begin(struct stream *s, uint32_t window)
{
    s->window = window;
    s->bytes = s->arrived = s->marks = 0;
    s->last = 0;
    s->fin = s->rst = WEFT_TIME_NEVER;
}

uint32_t stream_room(const struct stream *s)
{
    return s->window - s->bytes;
}

void stream_write(struct stream *s, weft_time at, const void *data, uint32_t bytes)
{
    struct stream_mark *m;

    if (bytes == 0)
        return;
    if (bytes > stream_room(s) || s->fin != WEFT_TIME_NEVER)
        abort();
    if (at < s->last)
        at = s->last;
    s->last = at;
    if (s->marks == STREAM_MARKS || (s->marks > 0 && s->mark[s->marks - 1].at == at))
        s->marks--;
    else
        s->mark[s->marks].bytes = 0;
    m = &s->mark[s->marks++];
    m->at = at;
    m->bytes += bytes;
    memcpy(s->data + s->bytes, data, bytes);
    s->bytes += bytes;
}

void stream_fin(struct stream *s, weft_time at)
{
    if (s->fin == WEFT_TIME_NEVER)
        s->fin = at < s->last ? s->last : at;
}

void stream_reset(struct stream *s, weft_time at)
{
    if (at < s->rst)
        s->rst = at;
}

void stream_arrive(struct stream *s, weft_time now)
{
    uint32_t due = 0;

    while (due < s->marks && s->mark[due].at <= now)
        s->arrived += s->mark[due++].bytes;
    s->marks -= due;
    memmove(s->mark, s->mark + due, s->marks * sizeof(s->mark[0]));
}

void stream_read(struct stream *s, void *ret, uint32_t bytes)
{
    if (bytes > s->arrived)
        abort();
    memcpy(ret, s->data, bytes);
    s->bytes -= bytes;
    s->arrived -= bytes;
    memmove(s->data, s->data + bytes, s->bytes);
}

weft_time stream_next(const struct stream *s)
{
    weft_time next = s->marks > 0 ? s->mark[0].at : s->fin;

    return s->rst < next ? s->rst : next;
}
