/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ACK, STOP and ABORT byte by byte, and where they go. */
#include "mad_fixture.h"

#include <string.h>

static const struct fx_segment first = {.mgmt_class = FX_SA,
                                        .method = WEFT_METHOD_GET_MULTI,
                                        .tid = 0x77700000001,
                                        .type = WEFT_RMPP_DATA,
                                        .flags = WEFT_RMPP_FLAG_FIRST,
                                        .segment = 1};

/* Lets a segment arrive with a GRH from an unusual place and takes the packet that answers it. */
static struct fx *answered(const struct fx_segment *s, uint8_t *data)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_rx rx = {.qpn = 1, .dlid = 0x43, .data = data, .len = WEFT_MAD_BYTES};
    struct fx *f;

    c.rmpp.bytes_max = 0;
    f = fx_new_rmpp(&c, FX_SA);
    assert_int_equal(weft_mad_port_set_lid(f->port, 0x40, 2), 0);
    fx_segment_mad(s, data);
    memset(data + 36, 0xc1, 20); /* class header */
    mad_set_attr_mod(data, 0xabcdef);
    rx.from = (struct weft_mad_addr){
        .lid = 0x99, .sl = 5, .qpn = 0x345, .pkey_index = 3, .has_grh = true};
    memset(rx.from.grh.sgid, 0x51, 16);
    memset(rx.from.grh.dgid, 0xd1, 16);
    fx_rx_from(f, &rx);
    fx_send(f);
    return f;
}

/* Header of the answered packet turned round, no payload, these RMPP fields. */
static void expect_reply(const struct fx *f, const uint8_t *data, uint8_t type, uint8_t status,
                         const uint32_t words[2])
{
    const uint8_t *p = f->packet;

    assert_int_equal(mad_method(p), mad_method(data) ^ WEFT_METHOD_RESPONSE);
    assert_memory_equal(p, data, 3);
    assert_memory_equal(p + 4, data + 4, 20);
    assert_int_equal(rmpp_version(p), 1);
    assert_int_equal(rmpp_type(p), type);
    assert_int_equal(rmpp_flags(p), WEFT_RMPP_FLAG_ACTIVE);
    assert_int_equal(rmpp_resp_time(p), WEFT_RMPP_RESP_TIME_UNKNOWN);
    assert_int_equal(rmpp_status(p), status);
    assert_int_equal(rmpp_segment(p), words[0]);
    assert_int_equal(rmpp_length(p), words[1]);
    for (size_t i = 56; i < WEFT_MAD_BYTES; i++)
        assert_int_equal(p[i], 0);
}

static void test_an_ACK_goes_back_where_the_segment_came_from(void **state)
{
    uint8_t data[WEFT_MAD_BYTES];
    struct fx *f = answered(&first, data);

    (void)state;
    expect_reply(f, data, WEFT_RMPP_ACK, 0, (const uint32_t[]){1, 65});
    assert_int_equal(f->packet_to.lid, 0x99);
    assert_int_equal(f->packet_to.sl, 5);
    assert_int_equal(f->packet_to.qpn, 0x345);
    assert_int_equal(f->packet_to.qkey, WEFT_QKEY_GSI);
    assert_int_equal(f->packet_to.pkey_index, 3);
    assert_int_equal(f->packet_to.path_bits, 3);
    assert_true(f->packet_to.has_grh);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(f->packet_to.grh.dgid[i], 0x51);
        assert_int_equal(f->packet_to.grh.sgid[i], 0xd1);
    }
    fx_free(f);
}

static void test_an_ABORT_has_a_status_and_nothing_else(void **state)
{
    struct fx_segment bad = first;
    uint8_t data[WEFT_MAD_BYTES];
    struct fx *f;

    (void)state;
    bad.segment = 2;
    bad.length = 99;
    f = answered(&bad, data);
    expect_reply(f, data, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_SEG, (const uint32_t[]){0, 0});
    assert_int_equal(fx_stats(f).rmpp_aborts_sent, 1);
    fx_free(f);
}

static void test_a_STOP_says_that_resources_are_exhausted(void **state)
{
    struct fx_segment second = first;
    uint8_t data[WEFT_MAD_BYTES];
    struct fx *f = answered(&first, data);
    struct weft_mad_rx rx = {.qpn = 1, .dlid = 0x43, .data = data, .len = WEFT_MAD_BYTES};

    (void)state;
    second.flags = 0;
    second.segment = 2;
    fx_segment_mad(&second, data);
    rx.from = (struct weft_mad_addr){.lid = 0x99, .qpn = 0x345};
    fx_rx_from(f, &rx);
    fx_send(f);
    expect_reply(f, data, WEFT_RMPP_STOP, WEFT_RMPP_STATUS_RESX, (const uint32_t[]){0, 0});
    assert_false(f->packet_to.has_grh);
    assert_int_equal(fx_stats(f).rmpp_stops_sent, 1);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_replies_that_find_no_slot_are_counted(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);

    (void)state;
    for (int i = 0; i < 40; i++)
        fx_rx_segment(f, &first);
    assert_int_equal(fx_stats(f).control_dropped, 8);
    assert_int_equal(fx_send_all(f), 32);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_ACK_goes_back_where_the_segment_came_from),
        cmocka_unit_test(test_an_ABORT_has_a_status_and_nothing_else),
        cmocka_unit_test(test_a_STOP_says_that_resources_are_exhausted),
        cmocka_unit_test(test_replies_that_find_no_slot_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
