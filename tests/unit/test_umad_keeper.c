/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What goes on at a port while no thread of the program looks after it. */
#include "umad_fixture.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#define FOREVER_MS 20000

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
    long mask[16 / sizeof(long)] = {1l << WEFT_METHOD_TRAP};
    struct fake_buffer b;

    (void)state;
    /* there is an agent for other methods, and the program does something else */
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, mask), 0);
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

static void test_the_thread_takes_no_signals(void **state)
{
    const struct sigaction action = {.sa_handler = note};
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    sigset_t set;

    (void)state;
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
    fake_send(fd, agent, FAKE_SILENT, 1, 10, 1);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR2);
    /* this thread blocks it; so do the daemon's thread, which is this one's child, and the keeper
     */
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    assert_int_equal(raise(SIGUSR2), 0);
    assert_int_equal(umad_poll(fd, FOREVER_MS), 0);
    assert_int_equal(seen, 0);
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    assert_int_equal(seen, 1);
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
        cmocka_unit_test_setup_teardown(test_retries_go_on_by_themselves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_nobody_takes_is_answered_by_itself, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_thread_takes_no_signals, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
