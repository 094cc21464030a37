/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages through a socket: whole or not at all, with their descriptors or without any. */
#include "channel/message.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2];

static int open_pair(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int close_pair(void **state)
{
    (void)state;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return 0;
}

/* Descriptors that this process has open. */
static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(d);
    while (readdir(d))
        count++;
    (void)closedir(d);
    return count;
}

static void test_a_message_arrives_as_it_was_sent(void **state)
{
    struct message_number sent = {.number = 4711}, got;
    size_t bytes = 0;

    (void)state;
    message_begin(&sent, MESSAGE_ISSM);
    assert_int_equal(message_receive(ends[1], &got, sizeof(got), &bytes, NULL), WEFT_ERR_NOTFOUND);
    assert_int_equal(message_send(ends[0], &sent, sizeof(sent), NULL), 0);
    assert_int_equal(message_receive(ends[1], &got, sizeof(got), &bytes, NULL), 0);
    assert_int_equal(bytes, sizeof(got));
    assert_memory_equal(&got, &sent, sizeof(got));
    assert_true(message_has_head(&got, bytes));
    assert_false(message_has_head(&got, sizeof(got.head) - 1));
    got.head.magic++;
    assert_false(message_has_head(&got, bytes));
    got.head = sent.head;
    got.head.version++;
    assert_false(message_has_head(&got, bytes));
}

static void test_descriptors_come_with_a_message_and_close_on_exec(void **state)
{
    struct message_head m;
    int sent[MESSAGE_FDS], got[MESSAGE_FDS];
    size_t bytes = 0;

    (void)state;
    message_begin(&m, MESSAGE_WELCOME);
    for (int i = 0; i < MESSAGE_FDS; i++)
        sent[i] = dup(ends[0]);
    assert_int_equal(message_send(ends[0], &m, sizeof(m), sent), 0);
    assert_int_equal(message_receive(ends[1], &m, sizeof(m), &bytes, got), 0);
    for (int i = 0; i < MESSAGE_FDS; i++) {
        assert_true(got[i] >= 0);
        assert_int_equal(fcntl(got[i], F_GETFD), FD_CLOEXEC);
        (void)close(got[i]);
        (void)close(sent[i]);
    }
    assert_int_equal(message_send(ends[0], &m, sizeof(m), NULL), 0);
    assert_int_equal(message_receive(ends[1], &m, sizeof(m), &bytes, got), 0);
    for (int i = 0; i < MESSAGE_FDS; i++)
        assert_int_equal(got[i], -1);
}

/* Sends a head with so many descriptors. */
static void send_with(int count)
{
    union {
        struct cmsghdr header;
        unsigned char bytes[CMSG_SPACE(sizeof(int) * 8)];
    } control = {.bytes = {0}};
    struct message_head head;
    struct iovec part = {.iov_base = &head, .iov_len = sizeof(head)};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count)};

    message_begin(&head, MESSAGE_WELCOME);
    control.header = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                      .cmsg_type = SCM_RIGHTS,
                                      .cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count)};
    for (int i = 0; i < count; i++)
        memcpy(CMSG_DATA(&control.header) + sizeof(int) * (size_t)i, &ends[0], sizeof(int));
    assert_int_equal(sendmsg(ends[0], &m, 0), sizeof(head));
}

static void test_unexpected_descriptors_are_closed(void **state)
{
    static const int counts[] = {1, MESSAGE_FDS - 1, MESSAGE_FDS + 1, 8};
    int before = open_files();

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct message_head m;
        int fds[MESSAGE_FDS];
        size_t bytes = 0;

        send_with(counts[i]);
        assert_int_equal(message_receive(ends[1], &m, sizeof(m), &bytes, fds), WEFT_ERR_FORMAT);
        for (int k = 0; k < MESSAGE_FDS; k++)
            assert_int_equal(fds[k], -1);
        send_with(counts[i]);
        assert_int_equal(message_receive(ends[1], &m, sizeof(m), &bytes, NULL), 0);
    }
    assert_int_equal(open_files(), before);
}

static void test_descriptors_of_a_message_that_is_none_are_closed(void **state)
{
    static const struct {
        size_t bytes;
        int err;
    } cases[] = {{0, WEFT_ERR_STATE}, {64, WEFT_ERR_FORMAT}};
    int before = open_files();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int sent[MESSAGE_FDS] = {ends[0], ends[0], ends[0]};
        char message[64] = {1}, got[63];
        int fds[MESSAGE_FDS];
        size_t bytes = 0;

        assert_int_equal(message_send(ends[0], message, cases[i].bytes, sent), 0);
        assert_int_equal(message_receive(ends[1], got, sizeof(got), &bytes, fds), cases[i].err);
        for (int k = 0; k < MESSAGE_FDS; k++)
            assert_int_equal(fds[k], -1);
        assert_int_equal(open_files(), before);
    }
}

static void test_a_message_that_is_too_long_is_none(void **state)
{
    char sent[64] = {1}, got[63];
    size_t bytes = 99;

    (void)state;
    assert_int_equal(message_send(ends[0], sent, sizeof(sent), NULL), 0);
    assert_int_equal(message_receive(ends[1], got, sizeof(got), &bytes, NULL), WEFT_ERR_FORMAT);
    assert_int_equal(bytes, 99);
}

static void test_an_end_that_is_gone_is_told_without_a_signal(void **state)
{
    struct message_head m;
    size_t bytes;

    (void)state;
    message_begin(&m, MESSAGE_NODE_QUERY);
    assert_int_equal(message_send(ends[0], "", 0, NULL), 0);
    assert_int_equal(message_receive(ends[1], &m, sizeof(m), &bytes, NULL), WEFT_ERR_STATE);
    (void)close(ends[0]);
    assert_int_equal(message_receive(ends[1], &m, sizeof(m), &bytes, NULL), WEFT_ERR_STATE);
    assert_int_equal(message_send(ends[1], &m, sizeof(m), NULL), WEFT_ERR_STATE);
    ends[0] = -1;
    assert_int_equal(message_receive(-1, &m, sizeof(m), &bytes, NULL), WEFT_ERR_STATE);
}

static void test_the_last_message_is_read_though_nobody_read_what_came_before(void **state)
{
    struct message_head m, got;
    size_t bytes = 0;

    (void)state;
    message_begin(&m, MESSAGE_NODE_QUERY);
    for (int i = 0; i < 10; i++)
        assert_int_equal(message_send(ends[0], &m, sizeof(m), NULL), 0);
    assert_int_equal(message_send(ends[1], &m, sizeof(m), NULL), 0);
    message_close(ends[1]);
    ends[1] = -1;
    assert_int_equal(message_receive(ends[0], &got, sizeof(got), &bytes, NULL), 0);
    assert_memory_equal(&got, &m, sizeof(m));
    assert_int_equal(message_receive(ends[0], &got, sizeof(got), &bytes, NULL), WEFT_ERR_STATE);
}

static void test_an_end_that_does_not_read_is_told_without_waiting(void **state)
{
    struct message_packet m = {.packet = {.slid = 1}};
    int err = 0;

    (void)state;
    message_begin(&m, MESSAGE_PACKET);
    for (int i = 0; i < 100000 && !err; i++)
        err = message_send(ends[0], &m, sizeof(m), NULL);
    assert_int_equal(err, WEFT_ERR_FULL);
}

static void test_every_fixed_message_has_its_size(void **state)
{
    (void)state;
    assert_int_equal(message_bytes(MESSAGE_HELLO), 176);
    assert_int_equal(message_bytes(MESSAGE_AGENT_ADD), 32);
    assert_int_equal(message_bytes(MESSAGE_AGENT_REMOVE), 16);
    assert_int_equal(message_bytes(MESSAGE_NODE_QUERY), 8);
    assert_int_equal(message_bytes(MESSAGE_PORT_QUERY), 16);
    assert_int_equal(message_bytes(MESSAGE_ISSM_PATH), 8);
    assert_int_equal(message_bytes(MESSAGE_ISSM), 16);
    assert_int_equal(message_bytes(MESSAGE_COMMAND), 0);
    assert_int_equal(message_bytes(MESSAGE_PACKET), 328);
    assert_int_equal(message_bytes(MESSAGE_WELCOME), 32);
    assert_int_equal(message_bytes(MESSAGE_REFUSED), 272);
    assert_int_equal(message_bytes(MESSAGE_RESULT), 272);
    assert_int_equal(message_bytes(MESSAGE_NODE), 168);
    assert_int_equal(message_bytes(MESSAGE_PORT), 2096);
    assert_int_equal(message_bytes(MESSAGE_PATH), 0);
    assert_int_equal(message_bytes(MESSAGE_TEXT), 0);
    assert_int_equal(message_bytes(0), 0);
    assert_int_equal(message_bytes(UINT16_MAX), 0);
}

static void test_texts_are_cut_padded_and_ended(void **state)
{
    static struct message_text m;
    static char longer[CHANNEL_MESSAGE_BYTES_MAX];
    char small[4] = {9, 9, 9, 9};

    (void)state;
    message_put_text(small, sizeof(small), "a");
    assert_memory_equal(small, "a\0\0", 4);
    message_put_text(small, sizeof(small), "abcdef");
    assert_memory_equal(small, "abc", 4);
    assert_true(message_text_ended(small, sizeof(small)));
    assert_false(message_text_ended("abcd", 4));
    assert_int_equal(message_make_text(&m, MESSAGE_TEXT, "abc"), 12);
    assert_int_equal(m.head.type, MESSAGE_TEXT);
    assert_string_equal(m.text, "abc");
    memset(longer, 'x', sizeof(longer) - 1);
    assert_int_equal(message_make_text(&m, MESSAGE_TEXT, longer), CHANNEL_MESSAGE_BYTES_MAX);
    assert_true(message_text_ended(m.text, sizeof(m.text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_message_arrives_as_it_was_sent, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(test_descriptors_come_with_a_message_and_close_on_exec,
                                        open_pair, close_pair),
        cmocka_unit_test_setup_teardown(test_unexpected_descriptors_are_closed, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(test_descriptors_of_a_message_that_is_none_are_closed,
                                        open_pair, close_pair),
        cmocka_unit_test_setup_teardown(test_a_message_that_is_too_long_is_none, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(test_an_end_that_is_gone_is_told_without_a_signal,
                                        open_pair, close_pair),
        cmocka_unit_test_setup_teardown(
            test_the_last_message_is_read_though_nobody_read_what_came_before, open_pair,
            close_pair),
        cmocka_unit_test_setup_teardown(test_an_end_that_does_not_read_is_told_without_waiting,
                                        open_pair, close_pair),
        cmocka_unit_test(test_every_fixed_message_has_its_size),
        cmocka_unit_test(test_texts_are_cut_padded_and_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
