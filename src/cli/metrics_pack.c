/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* gzip by zlib: lines of metrics resemble each other so much that the fastest level does. */
#include "cli/metrics_pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SPACE_FIRST 65536
/* The largest window, and a header and trailer of gzip around what is compressed. */
#define GZIP        (MAX_WBITS + 16)
#define MEMORY      8

struct metrics_pack {
    atomic_uint holders;
    z_stream stream; /* while it is written */
    uint8_t *bytes;
    size_t length, space;
    uint64_t text_bytes;
    bool open;
};

struct metrics_reader {
    struct metrics_pack *pack;
    z_stream stream; /* of one who reads text */
    size_t at;       /* of one who reads gzip */
    bool packed;
};

struct metrics_pack *metrics_pack_new(void)
{
    struct metrics_pack *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    atomic_init(&p->holders, 1);
    if (deflateInit2(&p->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        free(p);
        return NULL;
    }
    p->open = true;
    return p;
}

static bool grow(struct metrics_pack *p)
{
    size_t space = p->space > 0 ? p->space + p->space / 2 : SPACE_FIRST;
    uint8_t *bytes = realloc(p->bytes, space);

    if (!bytes)
        return false;
    p->bytes = bytes;
    p->space = space;
    return true;
}

/* Compresses what the stream is given.
 * Returns false: there is no memory. */
static bool squeeze(struct metrics_pack *p, int flush)
{
    int result;

    do {
        size_t space;

        if (p->length == p->space && !grow(p))
            return false;
        space = p->space - p->length;
        p->stream.next_out = p->bytes + p->length;
        p->stream.avail_out = space > SPACE_FIRST ? SPACE_FIRST : (uInt)space;
        space = p->stream.avail_out;
        result = deflate(&p->stream, flush);
        p->length += space - p->stream.avail_out;
    } while (result == Z_OK && (p->stream.avail_out == 0 || flush == Z_FINISH));
    return result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END;
}

bool metrics_pack_add(void *pack, const char *text, size_t bytes)
{
    struct metrics_pack *p = pack;
    /* zlib does not write to what it reads. */
    union {
        const char *from;
        Bytef *to;
    } in = {.from = text};

    p->text_bytes += bytes;
    while (bytes > 0) {
        uInt part = bytes < SPACE_FIRST ? (uInt)bytes : SPACE_FIRST;

        p->stream.next_in = in.to;
        p->stream.avail_in = part;
        if (!squeeze(p, Z_NO_FLUSH))
            return false;
        in.from += part;
        bytes -= part;
    }
    return true;
}

bool metrics_pack_end(struct metrics_pack *p)
{
    uint8_t *bytes;

    if (!squeeze(p, Z_FINISH))
        return false;
    (void)deflateEnd(&p->stream);
    p->open = false;
    bytes = realloc(p->bytes, p->length);
    if (bytes) {
        p->bytes = bytes;
        p->space = p->length;
    }
    return true;
}

struct metrics_pack *metrics_pack_free(struct metrics_pack *p)
{
    if (!p || atomic_fetch_sub(&p->holders, 1) > 1)
        return NULL;
    if (p->open)
        (void)deflateEnd(&p->stream);
    free(p->bytes);
    free(p);
    return NULL;
}

uint64_t metrics_pack_bytes(const struct metrics_pack *p, bool packed)
{
    return packed ? p->length : p->text_bytes;
}

struct metrics_reader *metrics_reader_new(struct metrics_pack *p, bool packed)
{
    struct metrics_reader *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    if (!packed && inflateInit2(&r->stream, GZIP) != Z_OK) {
        free(r);
        return NULL;
    }
    r->pack = p;
    r->packed = packed;
    (void)atomic_fetch_add(&p->holders, 1);
    return r;
}

static size_t copy(struct metrics_reader *r, char *ret, size_t bytes)
{
    size_t left = r->pack->length - r->at;
    size_t part = bytes < left ? bytes : left;

    memcpy(ret, r->pack->bytes + r->at, part);
    r->at += part;
    return part;
}

ssize_t metrics_reader_read(struct metrics_reader *r, char *ret, size_t bytes)
{
    uInt space = bytes < SPACE_FIRST ? (uInt)bytes : SPACE_FIRST;
    size_t left = r->pack->length - r->at;
    int result;

    if (r->packed)
        return (ssize_t)copy(r, ret, space);
    r->stream.next_in = r->pack->bytes + r->at;
    r->stream.avail_in = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
    left = r->stream.avail_in;
    r->stream.next_out = (Bytef *)ret;
    r->stream.avail_out = space;
    result = inflate(&r->stream, Z_NO_FLUSH);
    r->at += left - r->stream.avail_in;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return -1;
    return (ssize_t)(space - r->stream.avail_out);
}

struct metrics_reader *metrics_reader_free(struct metrics_reader *r)
{
    if (!r)
        return NULL;
    if (!r->packed)
        (void)inflateEnd(&r->stream);
    (void)metrics_pack_free(r->pack);
    free(r);
    return NULL;
}
