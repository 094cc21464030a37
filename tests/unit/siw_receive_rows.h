/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Rows of one line for the checks of a receiver: a segment, and what it is answered with.
 */
#ifndef WEFT_TESTS_SIW_RECEIVE_ROWS_H
#define WEFT_TESTS_SIW_RECEIVE_ROWS_H

#include "siw_receive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/** No Terminate: it is taken. */
#define TAKEN 0xFFFF

/** What of the bad segment the Terminate brings along. */
enum copies {
    NOTHING,
    HEADER,
    HEADER_AND_READ
};

/** A row. Segments are headers in hexadecimal; payload is 0, 1, 2... */
struct row {
    const char *what;
    const char *ulpdu;
    uint32_t payload;
    uint16_t error;
    enum copies copies;
    const char *before; /* a segment that comes first and is taken, or NULL */
    uint32_t before_payload;
    uint32_t recvs; /* receives posted, of 64 bytes each, on LAB_LOCAL */
    uint32_t read;  /* an RDMA Read of so many bytes into LAB_LOCAL is out; 0: none */
    uint8_t rtr;    /* the ready-to-receive frame agreed on */
    bool no_reads;  /* we serve none */
};

/** The Terminate that answers a segment. */
static inline void peer_terminate(struct peer *p, uint16_t error, enum copies copies,
                                  const uint8_t *ulpdu, size_t ulpdu_bytes)
{
    static const uint8_t bits[] = {[NOTHING] = 0, [HEADER] = 0xC0, [HEADER_AND_READ] = 0xE0};
    uint8_t message[64];
    struct peer m = {.bytes = message};
    int copied = 0;

    peer_number(&m, error, 2);
    peer_byte(&m, bits[copies]);
    peer_byte(&m, 0);
    if (copies != NOTHING) {
        peer_number(&m, ulpdu_bytes, 2);
        copied = ulpdu[0] & 0x80 ? 14 : 18;
    }
    if (copies == HEADER_AND_READ)
        copied += 28;
    for (int i = 0; i < copied; i++)
        peer_byte(&m, ulpdu[i]);
    peer_untagged(p, 7, true, 0, 2, 1, 0, message, m.count);
}

static inline void feed_in_parts(struct lab *lab, const uint8_t *data, size_t bytes, size_t part)
{
    for (size_t at = 0; at < bytes; at += part)
        qp_rx(&lab->s, lab->qp, data + at, bytes - at < part ? bytes - at : part);
}

static inline struct lab *row_lab(const struct row *row, bool crc)
{
    struct terms t = {.crc = crc, .rtr = row->rtr, .ird = row->no_reads ? 0 : 2, .ord = 2};
    struct lab *lab;

    t.initiator = row->read > 0;
    lab = lab_new(&t);
    for (uint32_t i = 0; i < row->recvs; i++)
        lab_recv(lab, i, lab_at(lab, LAB_LOCAL) + (size_t)64 * i, 64);
    if (row->read > 0)
        lab_read(lab, 50, LAB_LOCAL, 0, row->read);
    return lab;
}

static inline void check_row(const struct row *row, bool crc, size_t part)
{
    static uint8_t memory[sizeof(((struct lab *)NULL)->memory)];
    struct lab *lab = row_lab(row, crc);
    struct peer p, expected;

    peer_init(&p, crc);
    peer_init(&expected, crc);
    if (row->before) {
        peer_hex(&p, row->before, row->before_payload);
        peer_feed(&p, lab);
        assert_int_equal(lab->failed, 0);
    }
    memcpy(memory, lab->memory, sizeof(memory));
    peer_hex(&p, row->ulpdu, row->payload);
    if (row->error != TAKEN) {
        peer_terminate(&expected, row->error, row->copies, p.bytes + 2,
                       (size_t)p.bytes[0] << 8 | p.bytes[1]);
        /* What follows a failure is not looked at. */
        peer_tagged(&p, 0, true, LAB_STAG(LAB_ALL), LAB_TO, "never", 5);
        peer_tagged(&p, 0, true, LAB_STAG(LAB_LOCAL), LAB_TO, "never", 5);
    }
    feed_in_parts(lab, p.bytes, p.count, part);
    assert_int_equal(lab->failed, row->error != TAKEN);
    if (row->error != TAKEN) {
        assert_true(lab->terminate_due);
        assert_int_equal(lab->qp->terminate_error, row->error);
        assert_memory_equal(lab->memory, memory, sizeof(memory));
        lab_drain(lab);
        assert_int_equal(lab->out_bytes, expected.count);
        assert_memory_equal(lab->out, expected.bytes, expected.count);
        assert_int_equal(lab->terminated, 1);
    }
    assert_true(lab_guards_whole(lab));
    peer_free(&expected);
    peer_free(&p);
    lab_free(lab);
}

/** Each row with and without CRC, in one piece and byte by byte. */
static inline void check_rows(const struct row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int way = 0; way < 4; way++) {
            print_message("# %s\n", rows[i].what);
            check_row(&rows[i], (way & 1) != 0, way & 2 ? 1 : SIZE_MAX);
        }
    }
}

#endif
