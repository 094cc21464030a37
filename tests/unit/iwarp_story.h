/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Stories of a connection for the decoder: who says what, in hexadecimal, and what it makes of it.
 */
#ifndef WEFT_TESTS_IWARP_STORY_H
#define WEFT_TESTS_IWARP_STORY_H

#include "core/iwarp/crc.h"
#include "core/iwarp/ddp_header.h"
#include "iwarp_frames.h"

#include <weft/iwarp.h>

#define STORY_RECORDS 64

#define I WEFT_IWARP_INITIATOR
#define R WEFT_IWARP_RESPONDER

/** A connection being told. */
struct story {
    struct weft_iwarp *decoder;
    uint64_t offset[WEFT_IWARP_SIDES];
    weft_time now;
    bool crc; /* fpdu() ends with a CRC, otherwise with zeros */
    struct weft_iwarp_record records[STORY_RECORDS];
    uint32_t count;
};

static inline void story_poll(struct story *s)
{
    struct weft_iwarp_record r;

    while (weft_iwarp_poll(s->decoder, &r)) {
        assert_true(s->count < STORY_RECORDS);
        s->records[s->count++] = r;
    }
}

/** Feeds bytes from where a side's stream is. */
static inline void say_bytes(struct story *s, enum weft_iwarp_side from, const void *bytes,
                             size_t count)
{
    uint8_t *copy = exact_copy(bytes, count);

    s->now += WEFT_US;
    assert_int_equal(weft_iwarp_feed(s->decoder, from, s->offset[from], copy, count, s->now), 0);
    story_poll(s);
    free(copy);
    s->offset[from] += count;
}

static inline void say(struct story *s, enum weft_iwarp_side from, const char *hex)
{
    uint8_t bytes[HEX_MAX];
    uint32_t count = from_hex(hex, bytes);

    say_bytes(s, from, bytes, count);
}

/** Makes an FPDU of a ULPDU in hexadecimal; returns its bytes. */
static inline uint32_t make_fpdu(const char *ulpdu, bool crc, uint8_t out[HEX_MAX + 16])
{
    uint32_t bytes = from_hex(ulpdu, out + 2), value = 0;

    out[0] = (uint8_t)(bytes >> 8);
    out[1] = (uint8_t)bytes;
    bytes += 2;
    while (bytes % 4)
        out[bytes++] = 0;
    if (crc)
        value = crc_end(crc_add(CRC_BEGIN, out, bytes));
    for (uint32_t i = 0; i < 4; i++)
        out[bytes++] = (uint8_t)(value >> 8 * i);
    return bytes;
}

/** A side sends an FPDU. */
static inline void fpdu(struct story *s, enum weft_iwarp_side from, const char *ulpdu)
{
    uint8_t bytes[HEX_MAX + 16];
    uint32_t count = make_fpdu(ulpdu, s->crc, bytes);

    say_bytes(s, from, bytes, count);
}

static inline struct story *story_new(void)
{
    struct story *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    assert_int_equal(weft_iwarp_new(NULL, &s->decoder), 0);
    return s;
}

/** A connection that is up: revision 2, one read each way. */
static inline struct story *story_up(bool crc)
{
    struct story *s = story_new();

    say(s, I, SIW_REQUEST);
    say(s, R, crc ? CRC_REPLY : KEY_REPLY "10 02 0004 0001 0001");
    assert_int_equal(s->count, 3);
    assert_int_equal(s->records[2].type, WEFT_IWARP_TERMS);
    assert_int_equal(s->records[2].terms.crc, crc);
    s->crc = crc;
    s->count = 0;
    return s;
}

static inline void story_free(struct story *s)
{
    assert_null(weft_iwarp_free(s->decoder));
    free(s);
}

/** The last record. */
static inline const struct weft_iwarp_record *last(const struct story *s)
{
    assert_true(s->count > 0);
    return &s->records[s->count - 1];
}

/** That a record has exactly this problem. */
static inline void assert_problem(const struct weft_iwarp_record *r,
                                  enum weft_iwarp_problem_kind kind, uint64_t found,
                                  uint64_t expected)
{
    if (r->problem_count != 1 || r->problems[0].kind != kind)
        fail_msg("%u problems, first %s, wanted %s", r->problem_count,
                 r->problem_count ? weft_iwarp_problem_name(r->problems[0].kind) : "none",
                 weft_iwarp_problem_name(kind));
    assert_int_equal(r->problems[0].found, found);
    assert_int_equal(r->problems[0].expected, expected);
}

static inline void assert_fine(const struct story *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->records[i].problem_count)
            fail_msg("record %u: %s", i, weft_iwarp_problem_name(s->records[i].problems[0].kind));
    }
}

#endif
