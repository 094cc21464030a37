/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that wait: cancellation, signals, several at one port, and those who only send. */
#include "umad/open_port.h"
#include "umad_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define FOREVER_MS 20000
#define THREADS    4
#define REQUESTS   2000

struct waiter {
    int fd;
    int timeout_ms;
    int result, number; /* what umad_recv() returned, and errno */
    _Atomic bool begun;
    struct fake_buffer b;
};

static void *wait_once(void *arg)
{
    struct waiter *w = arg;
    int length = WEFT_MAD_BYTES;

    w->begun = true;
    w->result = umad_recv(w->fd, &w->b, &length, w->timeout_ms);
    w->number = errno;
    return arg;
}

static pthread_t begin(struct waiter *w)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, wait_once, w), 0);
    while (!w->begun)
        (void)sched_yield();
    return thread;
}

static void test_a_thread_that_waits_can_be_canceled_and_the_port_goes_on(void **state)
{
    struct waiter w = {.fd = fake_open(), .timeout_ms = -1};
    int agent = fake_agent(w.fd, WEFT_CLASS_PERF);

    (void)state;
    for (uint32_t tid = 1; FAKE_CANCELS && tid <= 20; tid++) {
        struct fake_buffer b;
        void *result;
        pthread_t thread;

        w.begun = false;
        thread = begin(&w);
        assert_int_equal(pthread_cancel(thread), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_ptr_equal(result, PTHREAD_CANCELED);
        fake_send(w.fd, agent, FAKE_ANSWERS, tid, 1000, 0);
        assert_int_equal(fake_receive(w.fd, agent, &b), WEFT_MAD_BYTES);
    }
    assert_int_equal(umad_close_port(w.fd), 0);
}

static void *wait_uncancelable(void *arg)
{
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return wait_once(arg);
}

static void test_who_forbids_cancellation_is_not_canceled(void **state)
{
    struct waiter w = {.fd = fake_open(), .timeout_ms = -1};
    int agent = fake_agent(w.fd, WEFT_CLASS_PERF);
    pthread_t thread;
    void *result;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wait_uncancelable, &w), 0);
    while (!w.begun)
        (void)sched_yield();
    assert_int_equal(pthread_cancel(thread), 0);
    fake_send(w.fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &w);
    assert_int_equal(w.result, agent);
    assert_int_equal(umad_close_port(w.fd), 0);
}

static void ignore(int number)
{
    (void)number;
}

static void test_a_signal_ends_the_wait(void **state)
{
    struct waiter w = {.fd = fake_open(), .timeout_ms = FOREVER_MS};
    const struct sigaction action = {.sa_handler = ignore};
    pthread_t thread;

    (void)state;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    thread = begin(&w);
    /* it may not sleep yet */
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        (void)pthread_kill(thread, SIGUSR1);
        (void)sched_yield();
    }
    assert_int_equal(w.result, -EIO);
    assert_int_equal(w.number, EINTR);
    assert_int_equal(umad_close_port(w.fd), 0);
}

static void test_a_sleeper_sees_to_the_timers_of_what_others_send(void **state)
{
    struct waiter w = {.fd = fake_open(), .timeout_ms = -1};
    int agent = fake_agent(w.fd, WEFT_CLASS_PERF);
    pthread_t thread = begin(&w);

    (void)state;
    fake_send(w.fd, agent, FAKE_SILENT, 1, 5, 2);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.result, agent);
    assert_int_equal(w.b.head.status, ETIMEDOUT);
    assert_int_equal(umad_close_port(w.fd), 0);
}

static void test_each_of_several_waiters_gets_its_message(void **state)
{
    struct waiter w[THREADS];
    pthread_t threads[THREADS];
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);

    (void)state;
    memset(w, 0, sizeof(w));
    for (int i = 0; i < THREADS; i++) {
        w[i].fd = fd;
        w[i].timeout_ms = -1;
        threads[i] = begin(&w[i]);
    }
    for (uint32_t tid = 1; tid <= THREADS; tid++)
        fake_send(fd, agent, FAKE_ANSWERS, tid, 1000, 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(w[i].result, agent);
        assert_int_equal(umad_status(&w[i].b), 0);
    }
    assert_int_equal(umad_close_port(fd), 0);
}

struct sender {
    int fd, agent;
    uint32_t first;
};

static void *send_many(void *arg)
{
    const struct sender *s = arg;

    for (uint32_t i = 0; i < REQUESTS; i++)
        fake_send(s->fd, s->agent, FAKE_ANSWERS, s->first + i, FOREVER_MS, 0);
    return arg;
}

/* Senders run ahead of the one who receives, but not further than it can follow. */
static void test_some_threads_send_and_one_receives(void **state)
{
    struct sender s[THREADS];
    pthread_t threads[THREADS];
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    fake_receive(fd, agent, &b);
    for (uint32_t i = 0; i < THREADS; i++) {
        s[i] = (struct sender){.fd = fd, .agent = agent, .first = (i + 1) << 16};
        assert_int_equal(pthread_create(&threads[i], NULL, send_many, &s[i]), 0);
    }
    for (int i = 0; i < THREADS * REQUESTS; i++) {
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
        assert_int_equal(umad_status(&b), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_sender_does_not_wait_for_one_who_never_receives(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct waiter w = {.fd = fd, .timeout_ms = FOREVER_MS};
    pthread_t thread = begin(&w);

    (void)state;
    for (uint32_t tid = 1; tid <= REQUESTS; tid++)
        fake_send(fd, agent, FAKE_ANSWERS, tid, FOREVER_MS, 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.result, agent);
    for (uint32_t tid = 2; tid <= REQUESTS; tid++)
        assert_int_equal(fake_receive(fd, agent, &w.b), WEFT_MAD_BYTES);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_thread_that_sends_and_receives_does_not_wait_for_itself(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;
    struct visit v;
    bool waited;

    (void)state;
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    (void)fake_receive(fd, agent, &b);
    for (uint32_t tid = 1; tid <= REQUESTS; tid++)
        fake_send(fd, agent, FAKE_ANSWERS, tid, FOREVER_MS, 0);
    assert_true(open_port_enter(fd, &v));
    waited = v.port->pace_broken;
    open_port_leave(&v);
    assert_false(waited);
    for (uint32_t tid = 1; tid <= REQUESTS; tid++)
        assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_beside_one_that_is_canceled_others_get_what_comes(void **state)
{
    struct waiter w = {.fd = fake_open(), .timeout_ms = -1};
    struct waiter canceled = {.fd = w.fd, .timeout_ms = -1, .result = -1};
    int agent = fake_agent(w.fd, WEFT_CLASS_PERF);

    (void)state;
    for (uint32_t tid = 1; FAKE_CANCELS && tid <= 50; tid++) {
        pthread_t thread, other;

        w.begun = canceled.begun = false;
        thread = begin(&w);
        other = begin(&canceled);
        assert_int_equal(pthread_cancel(other), 0);
        fake_send(w.fd, agent, FAKE_ANSWERS, tid, FOREVER_MS, 0);
        assert_int_equal(pthread_join(other, NULL), 0);
        /* the first may have been quicker */
        if (canceled.result == agent)
            fake_send(w.fd, agent, FAKE_ANSWERS, tid, FOREVER_MS, 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(w.result, agent);
        canceled.result = -1;
    }
    assert_int_equal(umad_close_port(w.fd), 0);
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
        cmocka_unit_test_setup_teardown(
            test_a_thread_that_waits_can_be_canceled_and_the_port_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_forbids_cancellation_is_not_canceled, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_signal_ends_the_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_sleeper_sees_to_the_timers_of_what_others_send,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_each_of_several_waiters_gets_its_message, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_some_threads_send_and_one_receives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_sender_does_not_wait_for_one_who_never_receives,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_a_thread_that_sends_and_receives_does_not_wait_for_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(test_beside_one_that_is_canceled_others_get_what_comes,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
