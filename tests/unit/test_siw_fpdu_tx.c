/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FPDUs as pieces of memory: byte for byte, cut anywhere, against a slow and obvious builder. */
#include "core/base/prng.h"
#include "siw_fixture.h"

/* What TCP would get. */
struct stream {
    uint8_t *bytes;
    size_t count, room;
};

static void stream_add(struct stream *out, const void *data, size_t bytes)
{
    if (out->count + bytes > out->room) {
        out->room = 2 * (out->count + bytes);
        out->bytes = realloc(out->bytes, out->room);
        assert_non_null(out->bytes);
    }
    memcpy(out->bytes + out->count, data, bytes);
    out->count += bytes;
}

/* One FPDU, written down byte by byte. */
static void stream_add_fpdu(struct stream *out, const struct ddp_header *h,
                            const struct rdmap_read *behind, const struct payload *p, bool crc)
{
    uint8_t fpdu[FPDU_MAX] = {0};
    uint32_t n = MPA_LENGTH_BYTES, skipped = 0, ulpdu, sum;

    n += ddp_header_write(h, fpdu + n);
    if (behind) {
        rdmap_read_write(behind, fpdu + n);
        n += RDMAP_READ_BYTES;
    }
    for (uint32_t i = 0, taken = 0; taken < p->bytes; i++) {
        for (uint32_t j = 0; j < p->sge[i].bytes && taken < p->bytes; j++) {
            if (skipped++ < p->offset)
                continue;
            fpdu[n++] = ((const uint8_t *)p->sge[i].addr)[j];
            taken++;
        }
    }
    ulpdu = n - MPA_LENGTH_BYTES;
    fpdu[0] = (uint8_t)(ulpdu >> 8);
    fpdu[1] = (uint8_t)ulpdu;
    while (n % 4 != 0)
        n++;
    sum = crc ? crc_end(crc_add(CRC_BEGIN, fpdu, n)) : 0;
    for (uint32_t i = 0; i < 4; i++)
        fpdu[n++] = (uint8_t)(sum >> (8 * i));
    stream_add(out, fpdu, n);
}

/* Writes so many bytes of a staging. */
static uint32_t write_some(struct staging *st, size_t bytes, struct stream *out)
{
    size_t left = bytes;

    for (uint32_t i = st->part; left > 0; i++) {
        size_t n = st->parts[i].bytes < left ? st->parts[i].bytes : left;

        assert_true(i < st->part_count && n > 0);
        stream_add(out, st->parts[i].data, n);
        left -= n;
    }
    return staging_written(st, bytes);
}

static uint8_t memory[80000];

static void memory_fill(void)
{
    struct prng g = {3};

    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)prng_next(&g);
}

static uint32_t any_size(struct prng *g)
{
    static const uint32_t near[] = {0,   1,   2,   3,    4,    5,    63,   64,
                                    255, 256, 257, 1000, 1440, 4096, 9000, 60000};
    uint32_t size = near[prng_up_to(g, COUNT(near) - 1)];

    return prng_up_to(g, 1) ? size : (uint32_t)prng_up_to(g, 700);
}

/* Pieces of memory that hold at least `bytes` bytes behind `offset`. */
static void any_pieces(struct prng *g, struct weft_siw_sge sge[WEFT_SIW_SGE_MAX], struct payload *p)
{
    uint32_t left = p->offset + p->bytes;

    for (uint32_t i = 0; i < WEFT_SIW_SGE_MAX; i++) {
        uint32_t n = i + 1 == WEFT_SIW_SGE_MAX ? left : (uint32_t)prng_up_to(g, left);

        sge[i].addr = n > 0 ? memory + prng_up_to(g, sizeof(memory) - n) : NULL;
        sge[i].bytes = n;
        left -= n;
    }
    p->sge = sge;
}

static void add_random(struct prng *g, struct staging *st, struct weft_siw_sge *sge, bool crc,
                       struct stream *wanted)
{
    struct payload p = {.offset = (uint32_t)prng_up_to(g, 100), .bytes = any_size(g)};
    struct ddp_header h = {
        .tagged = prng_up_to(g, 1),
        .last = prng_up_to(g, 1),
        .ddp_version = 1,
        .rdmap_version = 1,
        .opcode = (uint8_t)prng_up_to(g, 7),
        .stag = (uint32_t)prng_next(g),
    };
    struct rdmap_read read = {.bytes = (uint32_t)prng_next(g), .sink_to = prng_next(g)};
    bool behind = prng_up_to(g, 4) == 0;

    if (h.tagged)
        h.to = prng_next(g);
    else
        h.msn = (uint32_t)prng_next(g);
    if (behind)
        p.bytes = 0;
    any_pieces(g, sge, &p);
    staging_add(st, &h, behind ? &read : NULL, &p, crc);
    stream_add_fpdu(wanted, &h, behind ? &read : NULL, &p, crc);
}

/* Random FPDUs, written in random pieces: the bytes are the builder's, the FPDUs are counted when
 * their last byte is written. */
static void test_what_is_written_is_what_the_slow_builder_writes(void **state)
{
    static struct staging st;
    static struct weft_siw_sge sge[STAGING_FPDUS][WEFT_SIW_SGE_MAX];
    struct prng g = {11};
    uint64_t stream_at = 0;
    uint32_t full = 0;

    (void)state;
    memory_fill();
    for (uint32_t round = 0; round < 400; round++) {
        struct stream wanted = {0}, got = {0};
        bool crc = round % 2;
        uint32_t most = 1 + (uint32_t)prng_up_to(&g, STAGING_FPDUS), n = 0, whole = 0;

        staging_begin(&st, stream_at);
        while (n < most && staging_room(&st))
            add_random(&g, &st, sge[n++], crc, &wanted);
        full += n < most;
        assert_int_equal(st.bytes, wanted.count);
        while (st.bytes > 0) {
            size_t bytes = (size_t)prng_up_to(&g, prng_up_to(&g, 3) ? 100 : st.bytes);

            if (bytes > st.bytes)
                bytes = st.bytes;
            whole += write_some(&st, bytes, &got);
        }
        assert_int_equal(whole, n);
        stream_at += wanted.count;
        assert_int_equal(st.made, stream_at);
        assert_int_equal(got.count, wanted.count);
        assert_memory_equal(got.bytes, wanted.bytes, wanted.count);
        free(got.bytes);
        free(wanted.bytes);
    }
    assert_true(full > 0);
}

static void test_small_messages_are_one_part(void **state)
{
    static struct staging st;
    struct weft_siw_sge sge = {memory, 64, 0};
    struct payload p = {.sge = &sge, .bytes = 64};
    struct ddp_header h = {.last = true, .opcode = RDMAP_SEND};

    (void)state;
    staging_begin(&st, 0);
    for (uint32_t i = 0; i < 10; i++)
        staging_add(&st, &h, NULL, &p, true);
    assert_int_equal(st.part_count, 1);
    assert_int_equal(st.bytes, 10 * (2 + 18 + 64 + 4));
}

static void test_large_payload_stays_where_it_is(void **state)
{
    static struct staging st;
    struct weft_siw_sge sge = {memory, 65000, 0};
    struct payload p = {.sge = &sge, .bytes = 65000};
    struct ddp_header h = {.tagged = true, .last = true};

    (void)state;
    staging_begin(&st, 0);
    for (uint32_t i = 0; i < 3; i++)
        staging_add(&st, &h, NULL, &p, false);
    /* head, payload, then tail and the next head as one */
    assert_int_equal(st.part_count, 7);
    for (uint32_t i = 1; i < 7; i += 2) {
        assert_ptr_equal(st.parts[i].data, memory);
        assert_int_equal(st.parts[i].bytes, 65000);
    }
}

/* A Terminate is put behind the FPDU that TCP has a part of, whatever part that is; FPDUs that have
 * not begun are left out. */
static void test_a_terminate_comes_behind_what_has_begun(void **state)
{
    static struct staging st;
    static struct weft_siw_sge sge[3][WEFT_SIW_SGE_MAX];
    struct terminate t;
    uint8_t last[FPDU_TERMINATE_MAX];
    uint32_t last_bytes;

    (void)state;
    memory_fill();
    terminate_make(TERMINATE_CRC, NULL, 0, 0, &t);
    last_bytes = terminate_fpdu(&t, true, last);
    for (uint32_t seed = 0; seed < 12; seed++) {
        size_t total = 1;

        for (size_t cut = 0; cut <= total; cut += 1 + cut / 64) {
            struct stream wanted = {0}, got = {0};
            struct prng g = {seed};
            size_t ends[3], begun = 0;
            bool part;

            staging_begin(&st, 77);
            for (uint32_t i = 0; i < 3; i++) {
                add_random(&g, &st, sge[i], true, &wanted);
                ends[i] = wanted.count;
            }
            total = wanted.count;
            write_some(&st, cut, &got);
            part = staging_cut(&st);
            for (uint32_t i = 0; begun < cut; i++)
                begun = ends[i];
            assert_int_equal(part, begun != cut);
            if (!part)
                staging_begin(&st, 77 + cut);
            staging_add_terminate(&st, &t, true);
            write_some(&st, st.bytes, &got);
            assert_int_equal(got.count, begun + last_bytes);
            assert_memory_equal(got.bytes, wanted.bytes, begun);
            assert_memory_equal(got.bytes + begun, last, last_bytes);
            assert_int_equal(st.made, 77 + got.count);
            free(got.bytes);
            free(wanted.bytes);
        }
    }
}

/* Linux siw's answer to a bad CRC, but for the order of its control word's bits. */
static void test_a_terminate_is_an_untagged_message_to_queue_2(void **state)
{
    static const uint8_t wanted[] = {0, 0x16, 0x41, 0x47, 0, 0, 0,    0,    0, 0, 0, 2, 0, 0,
                                     0, 1,    0,    0,    0, 0, 0x20, 0x02, 0, 0, 0, 0, 0, 0};
    uint8_t out[FPDU_TERMINATE_MAX];
    struct terminate t;

    (void)state;
    terminate_make(TERMINATE_CRC, NULL, 0, 0, &t);
    assert_int_equal(terminate_fpdu(&t, false, out), sizeof(wanted));
    assert_memory_equal(out, wanted, sizeof(wanted));
    assert_int_equal(terminate_fpdu(&t, true, out), sizeof(wanted));
    assert_memory_equal(out, wanted, sizeof(wanted) - 4);
    assert_memory_not_equal(out, wanted, sizeof(wanted));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_what_the_slow_builder_writes),
        cmocka_unit_test(test_small_messages_are_one_part),
        cmocka_unit_test(test_large_payload_stays_where_it_is),
        cmocka_unit_test(test_a_terminate_comes_behind_what_has_begun),
        cmocka_unit_test(test_a_terminate_is_an_untagged_message_to_queue_2),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
