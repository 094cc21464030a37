/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a daemon that pauses does to those who ask it, and to those who do not. */
#include "umad_fixture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define FOREVER_MS 20000

static long gets[16 / sizeof(long)] = {1l << WEFT_METHOD_GET};

/* A thread that registers for a class. */
struct registration {
    pthread_t thread;
    int fd, result, number;
    uint8_t mgmt_class;
    atomic_bool done;
};

static void *registers(void *arg)
{
    struct registration *r = arg;

    r->result = umad_register(r->fd, r->mgmt_class, 1, 0, gets);
    r->number = errno;
    atomic_store(&r->done, true);
    return NULL;
}

static void begin(struct registration *r)
{
    assert_int_equal(pthread_create(&r->thread, NULL, registers, r), 0);
}

static void wait_for_asker(void)
{
    for (int i = 0; !fake_is_asked() && i < FOREVER_MS; i++)
        assert_int_equal(poll(NULL, 0, 1), 0);
    assert_true(fake_is_asked());
}

static void expect_unanswered(struct registration *r)
{
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    assert_int_equal(r->result, -EPERM);
    assert_int_equal(r->number, EIO);
}

/* What the daemon grants to those who were told that it failed is given back. */
static void expect_claims(unsigned claims)
{
    for (int i = 0; fake_claims() != claims && i < FOREVER_MS; i++)
        assert_int_equal(poll(NULL, 0, 1), 0);
    assert_int_equal(fake_claims(), claims);
}

static void test_a_pause_stops_only_who_asks_and_leaves_nothing_behind(void **state)
{
    struct registration r[3];
    struct fake_buffer b;
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), other = fake_open();

    (void)state;
    fake_pause(true);
    for (int i = 0; i < 3; i++) {
        r[i] = (struct registration){.fd = fd, .mgmt_class = (uint8_t)(WEFT_CLASS_PERF + i)};
        begin(&r[i]);
    }
    for (uint32_t tid = 1; tid < 10; tid++) {
        fake_send(fd, agent, FAKE_ANSWERS, tid, 5, 0);
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_HEADER_BYTES);
        assert_int_equal(b.head.status, ETIMEDOUT);
    }
    assert_false(atomic_load(&r[0].done));
    /* numbers that nobody has yet are nobody's */
    for (int i = 1; i < 4; i++)
        assert_int_equal(umad_unregister(fd, i), -EINVAL);
    for (int i = 0; i < 3; i++)
        expect_unanswered(&r[i]);
    fake_pause(false);
    expect_claims(0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(umad_register(fd, (uint8_t)(WEFT_CLASS_PERF + i), 1, 0, gets), 1 + i);
    assert_int_equal(fake_claims(), 3);
    assert_int_equal(umad_register(other, WEFT_CLASS_PERF, 1, 0, gets), 0);
    fake_send(fd, agent, FAKE_ANSWERS, 99, FOREVER_MS, 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_unregister(fd, 2), 0);
    assert_int_equal(fake_claims(), 3);
    assert_int_equal(umad_close_port(other), 0);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_claim_waits_until_a_late_one_is_given_back(void **state)
{
    struct registration r = {.fd = fake_open(), .mgmt_class = WEFT_CLASS_PERF}, again = r;

    (void)state;
    fake_pause(true);
    begin(&r);
    expect_unanswered(&r);
    begin(&again);
    fake_pause(false);
    assert_int_equal(pthread_join(again.thread, NULL), 0);
    assert_int_equal(again.result, 0);
    expect_claims(1);
    assert_int_equal(umad_close_port(r.fd), 0);
}

static void test_closing_ends_a_question(void **state)
{
    struct registration r = {.fd = fake_open(), .mgmt_class = WEFT_CLASS_PERF};

    (void)state;
    fake_pause(true);
    begin(&r);
    wait_for_asker();
    assert_int_equal(umad_close_port(r.fd), 0);
    expect_unanswered(&r);
    fake_pause(false);
}

static void test_the_end_of_the_fabric_ends_a_question(void **state)
{
    struct registration r = {.fd = fake_open(), .mgmt_class = WEFT_CLASS_PERF};

    (void)state;
    fake_pause(true);
    begin(&r);
    wait_for_asker();
    fake_end(true);
    expect_unanswered(&r);
    fake_pause(false);
    assert_int_equal(umad_close_port(r.fd), 0);
}

/* The port's LID is new to the library with the first packet, and the daemon does not tell it. */
static void test_a_packet_to_another_LID_does_not_wait_for_the_daemon(void **state)
{
    int fd = fake_open();
    int agent = umad_register(fd, WEFT_CLASS_PERF, 1, 0, gets);
    struct packet p = {.slid = 7, .dlid = FAKE_PORTS, .src_qpn = 1, .dst_qpn = 1};
    struct fake_buffer b;

    (void)state;
    assert_int_equal(agent, 0);
    packet_build(p.mad, WEFT_CLASS_PERF, WEFT_METHOD_GET, 5);
    fake_pause(true);
    for (int i = 0; i < 3; i++) {
        fake_inject(0, &p);
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
        assert_int_equal(b.head.addr.path_bits, 0);
    }
    fake_pause(false);
    assert_int_equal(umad_register(fd, WEFT_CLASS_DEVICE, 1, 0, gets), 1);
    assert_int_equal(fake_claims(), 2);
    assert_int_equal(umad_unregister(fd, 1), 0);
    assert_int_equal(fake_claims(), 1);
    assert_int_equal(umad_close_port(fd), 0);
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
        cmocka_unit_test_setup_teardown(test_a_pause_stops_only_who_asks_and_leaves_nothing_behind,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_claim_waits_until_a_late_one_is_given_back, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_closing_ends_a_question, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_end_of_the_fabric_ends_a_question, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_packet_to_another_LID_does_not_wait_for_the_daemon,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
