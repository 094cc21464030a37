/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What goes on at a port while no thread of the program looks after it. */
#include "umad_fixture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define FOREVER_MS 20000
/* Long enough for the library's thread to rest. */
#define QUIET_MS   300

static void test_retries_go_on_by_themselves(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), length = WEFT_MAD_BYTES;
    struct fake_buffer b;

    (void)state;
    for (uint32_t round = 1; round <= 3; round++) {
        fake_send(fd, agent, FAKE_SILENT, round, 10, 3);
        while (fake_sent() < 4 * round)
            (void)sched_yield();
        assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
        length = WEFT_MAD_BYTES;
        assert_int_equal(umad_recv(fd, &b, &length, 0), agent);
        assert_int_equal(umad_status(&b), ETIMEDOUT);
    }
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_what_nobody_takes_is_answered_by_itself(void **state)
{
    int fd = fake_open(), asker = fake_open(), agent = fake_agent(asker, WEFT_CLASS_PERF);
    long methods[16 / sizeof(long)] = {1l << WEFT_METHOD_TRAP};
    struct fake_buffer b;

    (void)state;
    /* there is an agent for other methods, and the program does something else */
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, methods), 0);
    fake_request(&b, WEFT_CLASS_PERF, FAKE_PORTS, 1);
    assert_int_equal(umad_send(asker, agent, &b, WEFT_MAD_BYTES, FOREVER_MS, 0), 0);
    assert_int_equal(fake_receive(asker, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(mad_status(b.mad), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(umad_close_port(fd), 0);
    assert_int_equal(umad_close_port(asker), 0);
}

static _Atomic int seen;

static void note(int number)
{
    (void)number;
    seen++;
}

static void mask(int how)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR2);
    assert_int_equal(pthread_sigmask(how, &set, NULL), 0);
}

/* A signal to the process goes to any thread that does not block it. The daemon's began with it
 * blocked, the library's began when this one did not. */
static void test_the_thread_takes_no_signals(void **state)
{
    const struct sigaction action = {.sa_handler = note};
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);

    (void)state;
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
    mask(SIG_UNBLOCK);
    fake_send(fd, agent, FAKE_SILENT, 1, 10, 1);
    mask(SIG_BLOCK);
    assert_int_equal(kill(getpid(), SIGUSR2), 0);
    assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
    assert_int_equal(seen, 0);
    mask(SIG_UNBLOCK);
    assert_int_equal(seen, 1);
    assert_int_equal(umad_close_port(fd), 0);
}

/* A port whose descriptor is polled, and an agent for traps. */
static int watch(int *ret_agent)
{
    long methods[16 / sizeof(long)] = {1l << WEFT_METHOD_TRAP};
    int fd = fake_open();

    *ret_agent = umad_register(fd, WEFT_CLASS_PERF, 1, 0, methods);
    assert_int_equal(*ret_agent, 0);
    assert_true(umad_get_fd(fd) >= 0);
    return fd;
}

static void inject(void)
{
    struct packet p = {.slid = 9, .dlid = FAKE_PORTS, .src_qpn = 1, .dst_qpn = 1};

    packet_build(p.mad, WEFT_CLASS_PERF, WEFT_METHOD_TRAP, 0x1234567800000001);
    fake_inject(0, &p);
}

static void expect_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    assert_int_equal(poll(&p, 1, FOREVER_MS), 1);
}

static void test_after_a_long_wait_the_thread_sees_to_the_descriptor_again(void **state)
{
    int agent, fd = watch(&agent);
    struct fake_buffer b;

    (void)state;
    /* it finds that the program waits itself, and rests */
    inject();
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_poll(fd, QUIET_MS), -ETIMEDOUT);
    inject();
    expect_readable(fd);
    assert_int_equal(umad_close_port(fd), 0);
}

static void *receive(void *arg)
{
    struct fake_buffer b;

    for (;;) {
        int length = WEFT_MAD_BYTES;

        (void)umad_recv(*(const int *)arg, &b, &length, -1);
    }
    return arg;
}

static void test_after_a_wait_that_was_canceled_it_does_so_too(void **state)
{
    int agent, fd = watch(&agent);
    pthread_t thread;

    (void)state;
    /* without cancellation the wait ends by itself, and what follows holds all the same */
    if (FAKE_CANCELS) {
        assert_int_equal(pthread_create(&thread, NULL, receive, &fd), 0);
        inject();
        (void)poll(NULL, 0, QUIET_MS);
        assert_int_equal(pthread_cancel(thread), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    inject();
    expect_readable(fd);
    assert_int_equal(umad_close_port(fd), 0);
}

static int setup(void **state)
{
    (void)state;
    mask(SIG_BLOCK);
    fake_start(&fake_adapter);
    mask(SIG_UNBLOCK);
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
        cmocka_unit_test_setup_teardown(test_retries_go_on_by_themselves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_nobody_takes_is_answered_by_itself, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_thread_takes_no_signals, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_after_a_long_wait_the_thread_sees_to_the_descriptor_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_after_a_wait_that_was_canceled_it_does_so_too, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
