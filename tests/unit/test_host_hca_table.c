/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables that ibsim has carried: whole where they fit one MAD, refused where they were cut. */
#include "hca_fixture.h"
#include "host/hca_table.h"

#include <string.h>

#define TABLE_BYTES 168

static const struct fake_port one[] = {{"ibsim0", "InfiniBand", 0x21, 1, 4, 7, 0}};

/* An answer as OpenSM gives it to the library for ibsim. */
static void bare(uint8_t mad[WEFT_MAD_BYTES])
{
    memset(mad, 0x5a, WEFT_MAD_BYTES);
    memset(mad, 0, WEFT_RMPP_DATA_OFFSET);
    mad_set_base_version(mad, 1);
    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(mad, 2);
    mad_set_method(mad, WEFT_METHOD_GET_TABLE_RESP);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE);
}

static void test_only_an_SAs_answer_with_RMPP_of_no_version_is_bare(void **state)
{
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    bare(mad);
    assert_true(hca_table_is_bare(mad));
    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    assert_false(hca_table_is_bare(mad));
    bare(mad);
    rmpp_set_flags(mad, 0);
    assert_false(hca_table_is_bare(mad));
    bare(mad);
    mad_set_method(mad, WEFT_METHOD_GET_TABLE);
    assert_false(hca_table_is_bare(mad));
    bare(mad);
    mad_set_class(mad, WEFT_CLASS_PERF);
    assert_false(hca_table_is_bare(mad));
}

static void test_what_is_shorter_than_a_MAD_is_the_only_segment(void **state)
{
    static const size_t lengths[] = {WEFT_RMPP_DATA_OFFSET, TABLE_BYTES, WEFT_MAD_BYTES - 1};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        uint8_t mad[WEFT_MAD_BYTES], before[WEFT_MAD_BYTES];

        bare(mad);
        memcpy(before, mad, sizeof(before));
        hca_table_finish(mad, lengths[i]);
        assert_int_equal(rmpp_version(mad), WEFT_RMPP_VERSION);
        assert_int_equal(rmpp_type(mad), WEFT_RMPP_DATA);
        assert_int_equal(rmpp_flags(mad), 7);
        assert_int_equal(rmpp_segment(mad), 1);
        assert_int_equal(rmpp_length(mad), lengths[i] - WEFT_RMPP_DATA_OFFSET);
        assert_int_equal(mad_status(mad), 0);
        assert_memory_equal(mad + WEFT_RMPP_DATA_OFFSET, before + WEFT_RMPP_DATA_OFFSET,
                            WEFT_MAD_BYTES - WEFT_RMPP_DATA_OFFSET);
    }
}

static void test_what_may_have_been_cut_is_a_refusal_without_records(void **state)
{
    static const size_t lengths[] = {WEFT_MAD_BYTES, WEFT_RMPP_DATA_OFFSET - 1};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        static const uint8_t zero[WEFT_MAD_BYTES];
        uint8_t mad[WEFT_MAD_BYTES];

        bare(mad);
        hca_table_finish(mad, lengths[i]);
        assert_int_equal(mad_status(mad), WEFT_SA_STATUS_TOO_MANY_RECORDS);
        assert_false(rmpp_is_active(mad));
        assert_memory_equal(mad + WEFT_MAD_HEADER_BYTES, zero,
                            WEFT_MAD_BYTES - WEFT_MAD_HEADER_BYTES);
    }
}

static void test_acknowledgements_are_replies_and_segments_are_none(void **state)
{
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    bare(mad);
    rmpp_set_type(mad, WEFT_RMPP_DATA);
    assert_false(hca_table_is_reply(mad));
    rmpp_set_type(mad, WEFT_RMPP_ACK);
    assert_true(hca_table_is_reply(mad));
    rmpp_set_flags(mad, 0);
    assert_false(hca_table_is_reply(mad));
}

/* Asks for a table at a port, which comes back bare.
 * Returns how many bytes of an answer there are. */
static uint32_t ask(struct hca_link *l, bool on_ibsim)
{
    const struct weft_mad_agent_req r = {.qpn = WEFT_QP_GSI,
                                         .mgmt_class = WEFT_CLASS_SUBN_ADM,
                                         .class_version = 2,
                                         .rmpp_version = WEFT_RMPP_VERSION};
    struct weft_mad_send_req request = {.to = {.lid = 3, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                        .len = WEFT_MAD_BYTES,
                                        .timeout = WEFT_S};
    uint8_t mad[WEFT_MAD_BYTES], answer[WEFT_MAD_BYTES];
    char text[CHANNEL_TEXT_BYTES];
    struct weft_mad_event ev;

    fake_begin(one, 1);
    fake.made_up_portids = on_ibsim;
    *l = fake_open(NULL);
    assert_int_equal(hca_link_agent_add(l, &r, &request.agent, text), 0);
    bare(mad);
    mad_set_method(mad, WEFT_METHOD_GET_TABLE);
    rmpp_set_flags(mad, 0);
    request.data = mad;
    assert_int_equal(weft_mad_post(l->engine, l->now, &request, NULL), 0);
    hca_link_move(l);
    bare(answer);
    mad_set_tid(answer, mad_tid(fake.sent[0].mad));
    memcpy(fake.sent[0].mad, answer, sizeof(answer));
    fake_deliver_long(&fake.sent[0], TABLE_BYTES);
    hca_link_move(l);
    if (!weft_mad_poll_event(l->engine, &ev) || ev.type != WEFT_MAD_EVENT_RECV)
        return 0;
    return ev.u.recv.len;
}

static void test_a_short_table_from_ibsim_is_an_answer_that_nobody_acknowledges(void **state)
{
    struct hca_link l;

    (void)state;
    assert_int_equal(ask(&l, true), TABLE_BYTES);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, 1);
    hca_link_close(&l);
}

static void test_an_adapters_peer_that_speaks_RMPP_of_no_version_is_told_so(void **state)
{
    struct hca_link l;

    (void)state;
    assert_int_equal(ask(&l, false), 0);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, 2);
    assert_int_equal(rmpp_type(fake.sent[1].mad), WEFT_RMPP_ABORT);
    hca_link_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_an_SAs_answer_with_RMPP_of_no_version_is_bare),
        cmocka_unit_test(test_what_is_shorter_than_a_MAD_is_the_only_segment),
        cmocka_unit_test(test_what_may_have_been_cut_is_a_refusal_without_records),
        cmocka_unit_test(test_acknowledgements_are_replies_and_segments_are_none),
        cmocka_unit_test(test_a_short_table_from_ibsim_is_an_answer_that_nobody_acknowledges),
        cmocka_unit_test(test_an_adapters_peer_that_speaks_RMPP_of_no_version_is_told_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
