/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The store of segments: any order of arrival, any order of reading, every block given back. */
#include "core/base/prng.h"
#include "mad_fixture.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENTS 300
#define TID      0x99900000001

/* Byte `at` of the message behind the header, for classes of `per` bytes a segment. */
static uint8_t wanted(uint32_t at, uint32_t per)
{
    return (uint8_t)(at / per * 31 + at % per * 7 + 1);
}

static void arrive(struct fx *f, uint32_t n, uint32_t last_bytes)
{
    uint32_t head = mad_class_data_offset(f->mgmt_class), per = WEFT_MAD_BYTES - head;
    struct fx_segment s = {.mgmt_class = f->mgmt_class,
                           .method = WEFT_METHOD_SET,
                           .tid = TID,
                           .type = WEFT_RMPP_DATA,
                           .segment = n};
    uint8_t mad[WEFT_MAD_BYTES];

    if (n == 1)
        s.flags |= WEFT_RMPP_FLAG_FIRST;
    if (n == SEGMENTS) {
        s.flags |= WEFT_RMPP_FLAG_LAST;
        s.length = head - 36 + last_bytes;
    }
    fx_segment_mad(&s, mad);
    for (uint32_t i = 0; i < per; i++)
        mad[head + i] = wanted((n - 1) * per + i, per);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_send_all(f);
}

/* Reads parts of a message at random offsets and compares them. */
static void read_at_random(struct fx *f, weft_mad_recv_id id, struct prng *g)
{
    uint32_t head = mad_class_data_offset(f->mgmt_class), per = WEFT_MAD_BYTES - head;
    uint32_t len = f->event.u.recv.len;
    uint8_t *part = malloc(len);

    assert_non_null(part);
    for (int i = 0; i < 400; i++) {
        uint32_t off = (uint32_t)prng_up_to(g, len);
        uint32_t most = i % 3 ? len - off : (len - off) % 300;
        uint32_t bytes = (uint32_t)prng_up_to(g, most);

        assert_int_equal(weft_mad_recv_read(f->port, id, off, part, bytes), 0);
        for (uint32_t b = 0; b < bytes; b++) {
            if (off + b >= head)
                assert_int_equal(part[b], wanted(off + b - head, per));
        }
        assert_int_equal(weft_mad_recv_read(f->port, id, off, part, len - off + 1),
                         WEFT_ERR_INVALID);
    }
    free(part);
}

static void whole(uint8_t mgmt_class, uint32_t last_bytes, uint64_t seed)
{
    struct weft_mad_config c = fx_config();
    uint32_t order[SEGMENTS], head = mad_class_data_offset(mgmt_class);
    struct prng g = {seed};
    weft_mad_recv_id id;
    struct fx *f;

    c.rmpp.window = 1024;
    f = fx_new_rmpp(&c, mgmt_class);
    for (uint32_t i = 0; i < SEGMENTS; i++)
        order[i] = i + 1;
    for (uint32_t i = SEGMENTS - 1; i > 1 && seed != 0; i--) { /* the first one stays first */
        uint32_t other = 1 + (uint32_t)prng_up_to(&g, i - 1), kept = order[i];

        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < SEGMENTS; i++)
        arrive(f, order[i], last_bytes);
    id = fx_expect_unsolicited(f, TID);
    assert_int_equal(f->event.u.recv.len,
                     head + (SEGMENTS - 1) * (WEFT_MAD_BYTES - head) + last_bytes);
    read_at_random(f, id, &g);
    assert_true(fx_stats(f).rmpp_bytes > 0);
    assert_int_equal(weft_mad_recv_release(f->port, id), 0);
    assert_int_equal(fx_stats(f).rmpp_bytes, 0);
    fx_free(f);
}

static void test_messages_arrive_in_any_order_and_are_read_at_any_offset(void **state)
{
    static const uint8_t classes[] = {FX_SA, WEFT_CLASS_DEVICE, 0x30};

    (void)state;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        uint32_t per = WEFT_MAD_BYTES - mad_class_data_offset(classes[i]);

        for (uint64_t seed = 0; seed < 4; seed++) {
            whole(classes[i], per, seed);
            whole(classes[i], 1, seed + 10);
            whole(classes[i], 0, seed + 20);
        }
    }
}

static void test_two_transfers_at_once_keep_their_segments_apart(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    weft_mad_recv_id ids[2];
    uint8_t byte;

    (void)state;
    for (uint32_t n = 1; n <= 64; n++) {
        for (uint32_t t = 0; t < 2; t++) {
            struct fx_segment s = {.mgmt_class = FX_SA,
                                   .method = WEFT_METHOD_SET,
                                   .tid = TID + t,
                                   .type = WEFT_RMPP_DATA,
                                   .segment = n,
                                   .length = 220};
            uint8_t mad[WEFT_MAD_BYTES];

            s.flags = n == 1 ? WEFT_RMPP_FLAG_FIRST : n == 64 ? WEFT_RMPP_FLAG_LAST : 0;
            fx_segment_mad(&s, mad);
            memset(mad + 56, (int)(n + 100 * t), 200);
            fx_rx(f, mad);
            fx_send_all(f);
        }
    }
    for (uint32_t t = 0; t < 2; t++)
        ids[t] = fx_expect_unsolicited(f, TID + t);
    for (uint32_t n = 64; n >= 1; n--) {
        for (uint32_t t = 0; t < 2; t++) {
            assert_int_equal(
                weft_mad_recv_read(f->port, ids[t], 56 + (n - 1) * 200 + 199, &byte, 1), 0);
            assert_int_equal(byte, n + 100 * t);
        }
    }
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_arrive_in_any_order_and_are_read_at_any_offset),
        cmocka_unit_test(test_two_transfers_at_once_keep_their_segments_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
