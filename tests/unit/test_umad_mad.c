/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending, receiving and waiting, with what Linux promises. */
#include "umad_fixture.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define FOREVER_MS 20000

static void expect_timed_out(const struct fake_buffer *b, int length, uint32_t tid)
{
    assert_int_equal(length, WEFT_MAD_HEADER_BYTES);
    assert_int_equal(b->head.status, ETIMEDOUT);
    assert_int_equal(b->head.length, umad_size() + WEFT_MAD_HEADER_BYTES);
    assert_int_equal((uint32_t)mad_tid(b->mad), tid);
}

static void test_an_answer_comes_to_who_asked(void **state)
{
    struct fake_buffer b;
    int fd = fake_open(), first = fake_agent(fd, WEFT_CLASS_PERF);
    int second = fake_agent(fd, WEFT_CLASS_PERF);

    (void)state;
    assert_int_equal(first, 0);
    assert_int_equal(second, 1);
    fake_send(fd, second, FAKE_ANSWERS, 7, 1000, 3);
    assert_int_equal(fake_receive(fd, second, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_status(&b), 0);
    assert_int_equal(b.head.length, umad_size() + WEFT_MAD_BYTES);
    assert_int_equal(mad_method(b.mad), WEFT_METHOD_GET_RESP);
    assert_int_equal((uint32_t)mad_tid(b.mad), 7);
    assert_int_not_equal(mad_tid(b.mad) >> 32, 0);
    assert_int_equal(ntohs(b.head.addr.lid), FAKE_ANSWERS);
    assert_int_equal(ntohl(b.head.addr.qpn), 1);
    assert_int_equal(b.head.addr.grh_present, 0);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_an_SMP_goes_out_as_it_is_and_its_answer_has_256_bytes(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_SUBN_DIRECTED), length = 320;
    struct fake_buffer b[2];

    (void)state;
    fake_request(&b[0], WEFT_CLASS_SUBN_DIRECTED, WEFT_LID_PERMISSIVE, 1);
    packet_directed(b[0].mad, 0);
    assert_int_equal(umad_send(fd, agent, &b[0], WEFT_MAD_BYTES, 1000, 0), 0);
    memset(&b[1], 0x55, sizeof(b[1]));
    assert_int_equal(umad_recv(fd, &b[0], &length, FOREVER_MS), agent);
    assert_int_equal(length, WEFT_MAD_BYTES);
    assert_int_equal(mad_status(b[0].mad), WEFT_STATUS_DIRECTION);
    assert_int_equal(((uint8_t *)&b[1])[0], 0x55);
    /* one agent sends both classes of SMPs */
    fake_request(&b[0], WEFT_CLASS_SUBN_LID, FAKE_ANSWERS, 2);
    assert_int_equal(umad_send(fd, agent, &b[0], WEFT_MAD_BYTES, 1000, 0), 0);
    assert_int_equal(fake_receive(fd, agent, &b[0]), WEFT_MAD_BYTES);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_without_an_answer_the_header_comes_back_after_all_retries(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    unsigned before = fake_sent();
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_SILENT, 9, 20, 3);
    expect_timed_out(&b, fake_receive(fd, agent, &b), 9);
    assert_int_equal(fake_sent() - before, 4);
    assert_int_equal(b.head.timeout_ms, 20);
    assert_int_equal(b.head.retries, 3);
    assert_int_equal(ntohs(b.head.addr.lid), FAKE_SILENT);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_retries_get_through_where_packets_are_lost(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    for (uint32_t tid = 1; tid <= 5; tid++) {
        fake_send(fd, agent, FAKE_LOSES, tid, 10, 3);
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
        assert_int_equal((uint32_t)mad_tid(b.mad), tid);
    }
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_second_answer_and_one_too_late_never_arrive(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), length = WEFT_MAD_BYTES;
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_TWICE, 1, 1000, 0);
    fake_receive(fd, agent, &b);
    assert_int_equal(umad_recv(fd, &b, &length, 20), -ETIMEDOUT);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(umad_recv(fd, &b, &length, 0), -EWOULDBLOCK);
    assert_int_equal(errno, EWOULDBLOCK);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_transaction_id_in_use_is_refused(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_SILENT, 3, 30, 0);
    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 3);
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, 1000, 0), -EIO);
    assert_int_equal(errno, EINVAL);
    expect_timed_out(&b, fake_receive(fd, agent, &b), 3);
    fake_send(fd, agent, FAKE_ANSWERS, 3, 1000, 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_what_cannot_be_sent_is_refused(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    uint8_t *big = calloc(1, umad_size() + 1000);
    struct fake_buffer b;

    (void)state;
    assert_non_null(big);
    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 1);
    assert_int_equal(umad_send(-1, agent, &b, WEFT_MAD_BYTES, 1000, 0), -EINVAL);
    assert_int_equal(umad_send(fd + 1000, agent, &b, WEFT_MAD_BYTES, 1000, 0), -EINVAL);
    for (int bad = -1; bad < 40; bad += 7) {
        assert_int_equal(umad_send(fd, bad, &b, WEFT_MAD_BYTES, 1000, 0), -EIO);
        assert_int_equal(errno, EINVAL);
    }
    for (int length = -1; length < 36; length++) {
        assert_int_equal(umad_send(fd, agent, &b, length, 1000, 0), -EIO);
        assert_int_equal(errno, EINVAL);
    }
    /* longer than a packet, but no RMPP */
    memcpy(big, &b, sizeof(b));
    assert_int_equal(umad_send(fd, agent, big, WEFT_MAD_BYTES + 1, 1000, 0), -EIO);
    assert_int_equal(errno, EINVAL);
    /* a class of the other QP */
    mad_set_class(b.mad, WEFT_CLASS_SUBN_LID);
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, 1000, 0), -EIO);
    assert_int_equal(errno, EINVAL);
    free(big);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_length_beyond_the_buffer_is_refused_unread(void **state)
{
    uint8_t oui[3] = {0, 0x14, 0x05};
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    int segments = umad_register_oui(fd, 0x30, 1, oui, NULL);
    struct fake_buffer b;

    (void)state;
    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 1);
    b.mad[26] = WEFT_RMPP_FLAG_ACTIVE;
    assert_int_equal(umad_send(fd, agent, &b, INT32_MAX, 1000, 0), -EIO);
    assert_int_equal(errno, EINVAL);
    /* an agent that does RMPP, and a MAD that is none of it */
    fake_request(&b, 0x30, FAKE_ANSWERS, 1);
    assert_int_equal(umad_send(fd, segments, &b, INT32_MAX, 1000, 0), -EIO);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(umad_close_port(fd), 0);
}

/* No packet can have these; the daemon never hears of them. */
static void test_an_address_that_cannot_be_is_refused(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    unsigned before = fake_sent();
    struct fake_buffer b;

    (void)state;
    for (int i = 0; i < 5; i++) {
        fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 1);
        b.head.addr.grh_present = i >= 3;
        switch (i) {
        case 0:
            b.head.addr.sl = 16;
            break;
        case 1:
            b.head.addr.path_bits = 128;
            break;
        case 2:
            b.head.addr.qpn = htonl(0x1000000);
            break;
        default:
            b.head.addr.flow_label = i == 3 ? htonl(0x100000) : UINT32_MAX;
        }
        assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, 1000, 0), -EIO);
        assert_int_equal(errno, EINVAL);
    }
    assert_int_equal(fake_sent(), before);
    /* without a GRH nobody looks at what would be in it */
    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 1);
    b.head.addr.flow_label = UINT32_MAX;
    b.head.addr.path_bits = 127;
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, 1000, 0), 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_without_a_timeout_nothing_comes_back(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), length = WEFT_MAD_BYTES;
    struct fake_buffer b;

    (void)state;
    for (uint32_t tid = 1; tid < 100; tid++)
        fake_send(fd, agent, FAKE_SILENT, tid, 0, 3);
    assert_int_equal(umad_recv(fd, &b, &length, 20), -ETIMEDOUT);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_what_is_outstanding_is_bounded(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    for (uint32_t tid = 1; tid <= 16384; tid++)
        fake_send(fd, agent, FAKE_SILENT, tid, -1, 0);
    fake_request(&b, WEFT_CLASS_PERF, FAKE_SILENT, 20000);
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, -1, 0), -EIO);
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_negative_timeout_waits_for_ever(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), length = WEFT_MAD_BYTES;
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_SILENT, 1, -1, 0);
    assert_int_equal(umad_recv(fd, &b, &length, 20), -ETIMEDOUT);
    fake_send(fd, agent, FAKE_ANSWERS, 2, -1, 0);
    length = WEFT_MAD_BYTES;
    assert_int_equal(umad_recv(fd, &b, &length, -1), agent);
    assert_int_equal((uint32_t)mad_tid(b.mad), 2);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_buffer_too_small_keeps_the_message(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), length;
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
    for (length = -1; length < WEFT_MAD_BYTES; length += 85) {
        int before = length;

        assert_int_equal(umad_recv(fd, &b, &length, 0), -EINVAL);
        assert_int_equal(errno, EINVAL);
        assert_int_equal(length, before);
    }
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    /* the header of one that timed out fits into less */
    fake_send(fd, agent, FAKE_SILENT, 2, 5, 0);
    assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
    length = 23;
    assert_int_equal(umad_recv(fd, &b, &length, 0), -EINVAL);
    length = 24;
    assert_int_equal(umad_recv(fd, &b, &length, 0), agent);
    expect_timed_out(&b, length, 2);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_poll_tells_whether_something_waits(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    assert_int_equal(umad_poll(fd, 0), -ETIMEDOUT);
    assert_int_equal(umad_poll(fd, 10), -ETIMEDOUT);
    assert_int_equal(errno, ETIMEDOUT);
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    assert_int_equal(umad_poll(fd, -1), 0);
    assert_int_equal(umad_poll(fd, 0), 0);
    fake_receive(fd, agent, &b);
    assert_int_equal(umad_poll(fd, 0), -ETIMEDOUT);
    assert_int_equal(umad_poll(fd + 1000, 0), -EINVAL);
    assert_int_equal(umad_close_port(fd), 0);
}

static bool readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, timeout_ms) == 1;
}

static void test_the_descriptor_is_readable_while_a_message_waits(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), watched = umad_get_fd(fd);
    struct fake_buffer b;

    (void)state;
    assert_true(watched >= 0);
    assert_int_equal(umad_get_fd(fd), watched);
    assert_int_equal(umad_get_fd(fd + 1000), -EINVAL);
    assert_false(readable(watched, 10));
    for (uint32_t tid = 1; tid <= 3; tid++)
        fake_send(fd, agent, FAKE_ANSWERS, tid, 1000, 0);
    for (uint32_t tid = 1; tid <= 3; tid++) {
        assert_true(readable(watched, FOREVER_MS));
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    }
    assert_false(readable(watched, 0));
    /* timeouts as well, although nobody is in umad_recv() */
    fake_send(fd, agent, FAKE_SILENT, 4, 5, 2);
    assert_true(readable(watched, FOREVER_MS));
    expect_timed_out(&b, fake_receive(fd, agent, &b), 4);
    assert_false(readable(watched, 0));
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_what_waits_before_the_descriptor_is_asked_for_shows_too(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
    assert_true(readable(umad_get_fd(fd), 0));
    fake_receive(fd, agent, &b);
    assert_false(readable(umad_get_fd(fd), 0));
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_GRH_is_sent_and_received(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    ib_mad_addr_t grh = {.gid = {0xfe, 0x80, [15] = 9}, .flow_label = 0x12345, .hop_limit = 7};
    struct fake_buffer b;

    (void)state;
    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 1);
    assert_int_equal(umad_set_grh(&b, &grh), 0);
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, 1000, 0), 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(b.head.addr.grh_present, 1);
    assert_int_equal(ntohl(b.head.addr.flow_label), 0x12345);
    assert_int_equal(b.head.addr.hop_limit, 7);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_full_ring_delays_and_loses_nothing(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    fake_hold(true);
    for (uint32_t tid = 1; tid <= 3 * RINGS_SLOTS; tid++)
        fake_send(fd, agent, FAKE_ANSWERS, tid, FOREVER_MS, 0);
    fake_hold(false);
    for (uint32_t tid = 1; tid <= 3 * RINGS_SLOTS; tid++) {
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
        assert_int_equal((uint32_t)mad_tid(b.mad), tid);
    }
    assert_int_equal(umad_close_port(fd), 0);
}

static void expect_dead(int fd, int agent)
{
    int length = WEFT_MAD_BYTES;
    struct fake_buffer b;

    assert_int_equal(umad_recv(fd, &b, &length, FOREVER_MS), -EIO);
    assert_int_equal(errno, EIO);
    /* again, but not at once: programs that only go on asking do not burn a processor */
    assert_int_equal(umad_recv(fd, &b, &length, 20), -EIO);
    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, 99);
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, 1000, 0), -EIO);
    assert_int_equal(errno, EIO);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL), -EPERM);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_the_end_of_the_fabric_is_an_error(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);

    (void)state;
    fake_end(false);
    expect_dead(fd, agent);
}

static void test_the_descriptor_shows_the_end_of_the_fabric(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), watched = umad_get_fd(fd);

    (void)state;
    assert_false(readable(watched, 10));
    fake_end(true);
    assert_true(readable(watched, FOREVER_MS));
    expect_dead(fd, agent);
}

static void test_a_daemon_that_is_killed_is_noticed(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);

    (void)state;
    fake_end(true);
    expect_dead(fd, agent);
}

static void test_what_came_before_the_end_is_still_received(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
    fake_end(false);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    expect_dead(fd, agent);
}

static void test_a_ring_that_breaks_its_rule_is_the_end(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);

    (void)state;
    fake_break(0);
    expect_dead(fd, agent);
}

static int setup(void **state)
{
    (void)state;
    fake_start(&fake_adapter);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fake_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_answer_comes_to_who_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_SMP_goes_out_as_it_is_and_its_answer_has_256_bytes,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_without_an_answer_the_header_comes_back_after_all_retries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_retries_get_through_where_packets_are_lost, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_second_answer_and_one_too_late_never_arrive, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_transaction_id_in_use_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_length_beyond_the_buffer_is_refused_unread, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_address_that_cannot_be_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_sent_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_a_timeout_nothing_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_outstanding_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_negative_timeout_waits_for_ever, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_buffer_too_small_keeps_the_message, setup, teardown),
        cmocka_unit_test_setup_teardown(test_poll_tells_whether_something_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_descriptor_is_readable_while_a_message_waits,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_what_waits_before_the_descriptor_is_asked_for_shows_too, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_GRH_is_sent_and_received, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_full_ring_delays_and_loses_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_end_of_the_fabric_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_descriptor_shows_the_end_of_the_fabric, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_daemon_that_is_killed_is_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_came_before_the_end_is_still_received, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_ring_that_breaks_its_rule_is_the_end, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
