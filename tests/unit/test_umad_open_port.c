/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open ports: many of them, closing under threads that wait, and what fork() leaves. */
#include "umad/open_port.h"
#include "umad_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORTS      40
#define FOREVER_MS 20000

static unsigned descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count;
}

static void test_ports_are_opened_and_closed_without_leaving_anything(void **state)
{
    unsigned before = descriptors();
    int fds[PORTS];

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PORTS; i++) {
            int agent;

            fds[i] = fake_open();
            agent = fake_agent(fds[i], WEFT_CLASS_PERF);
            /* what is under way or was not received goes with the port */
            fake_send(fds[i], agent, i % 2 ? FAKE_SILENT : FAKE_ANSWERS, 1, 1000, 0);
            if (i % 4 == 0)
                assert_int_equal(umad_poll(fds[i], -1), 0);
        }
        for (int i = 0; i < PORTS; i++)
            assert_int_equal(umad_close_port(fds[i]), 0);
    }
    /* the daemon closes its ends when it gets to it */
    while (descriptors() > before)
        (void)sched_yield();
}

static void *receive(void *arg)
{
    struct fake_buffer b;
    int length = WEFT_MAD_BYTES;

    return umad_recv(*(int *)arg, &b, &length, -1) == -EINVAL ? arg : NULL;
}

static void test_closing_ends_the_waits_of_all_threads(void **state)
{
    pthread_t threads[3];

    (void)state;
    for (int round = 0; round < 20; round++) {
        int fd = fake_open();

        if (round % 2)
            assert_true(umad_get_fd(fd) >= 0);
        for (int i = 0; i < 3; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, receive, &fd), 0);
        for (int i = 0; i < round; i++)
            (void)sched_yield();
        assert_int_equal(umad_close_port(fd), 0);
        for (int i = 0; i < 3; i++) {
            void *result;

            assert_int_equal(pthread_join(threads[i], &result), 0);
            assert_ptr_equal(result, &fd);
        }
    }
}

/* Asks once; used where nothing may be asserted. */
static bool ask(int fd, int agent, uint32_t tid)
{
    struct fake_buffer b;
    int length = WEFT_MAD_BYTES;

    fake_request(&b, WEFT_CLASS_PERF, FAKE_ANSWERS, tid);
    return umad_send(fd, agent, &b, WEFT_MAD_BYTES, 10000, 0) == 0 &&
           umad_recv(fd, &b, &length, 10000) == agent && umad_status(&b) == 0;
}

static bool ends_well(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child && status == 0;
}

/* As a program does that becomes a daemon: the parent ends, the child goes on. Until the parent has
 * ended its thread may still take what comes. */
static void test_a_child_goes_on_with_the_port_when_its_parent_has_ended(void **state)
{
    int words[2];
    pid_t parent;
    char word;

    (void)state;
    assert_int_equal(pipe2(words, O_CLOEXEC), 0);
    parent = fork();
    if (parent == 0) {
        int ends[2], fd = umad_open_port(NULL, 0);
        int agent = umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL);
        bool ok = fd >= 0 && agent >= 0 && pipe2(ends, O_CLOEXEC) == 0;
        pid_t child;
        char byte;

        /* the library's thread is there before, and is not after */
        ok = ok && ask(fd, agent, 1) && umad_get_fd(fd) >= 0;
        child = ok ? fork() : -1;
        if (child == 0) {
            (void)close(ends[1]);
            /* until the parent has ended */
            ok = read(ends[0], &byte, 1) == 0;
            for (uint32_t tid = 2; tid < 50; tid++)
                ok = ok && ask(fd, agent, tid);
            ok = ok && umad_close_port(fd) == 0 && write(words[1], "1", 1) == 1;
            _exit(ok ? 0 : 1);
        }
        _exit(child > 0 ? 0 : 1);
    }
    (void)close(words[1]);
    assert_true(ends_well(parent));
    /* of a child that fails comes nothing but its end */
    assert_int_equal(read(words[0], &word, 1), 1);
    (void)close(words[0]);
}

/* The child of a program that polls the descriptor: after one call it does nothing but that.
 * It writes a byte before, and one when it could receive something. */
static void watch_in_child(int fd, int way, int out)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct fake_buffer b;
    int length = WEFT_MAD_BYTES;
    bool ok;

    if (way == 0)
        ok = umad_get_fd(fd) >= 0;
    else if (way == 1)
        ok = umad_poll(fd, 0) == -ETIMEDOUT;
    else
        ok = umad_recv(fd, &b, &length, 0) == -EWOULDBLOCK;
    ok = ok && write(out, "1", 1) == 1 && poll(&p, 1, FOREVER_MS) == 1 &&
         umad_recv(fd, &b, &length, 0) == 0 && write(out, "2", 1) == 1;
    _exit(ok ? 0 : 1);
}

static void test_a_child_that_only_polls_the_descriptor_gets_what_comes(void **state)
{
    struct packet p = {.slid = 9, .dlid = FAKE_PORTS, .src_qpn = 1, .dst_qpn = 1};
    long methods[16 / sizeof(long)] = {1l << WEFT_METHOD_TRAP};

    (void)state;
    packet_build(p.mad, WEFT_CLASS_PERF, WEFT_METHOD_TRAP, 0x1234567800000001);
    for (int way = 0; way < 3; way++) {
        int ends[2];
        pid_t parent;
        char byte;

        p.dlid = (uint16_t)(FAKE_PORTS + way);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        parent = fork();
        if (parent == 0) {
            int fd = umad_open_port(NULL, 0);
            bool ok = fd >= 0 && umad_get_fd(fd) >= 0 &&
                      umad_register(fd, WEFT_CLASS_PERF, 1, 0, methods) == 0;
            pid_t child = ok ? fork() : -1;

            if (child == 0)
                watch_in_child(fd, way, ends[1]);
            _exit(child > 0 ? 0 : 1);
        }
        (void)close(ends[1]);
        assert_true(ends_well(parent));
        assert_int_equal(read(ends[0], &byte, 1), 1);
        fake_forget_sleep((unsigned)way);
        fake_inject((unsigned)way, &p);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        (void)close(ends[0]);
    }
}

/* A child that only gives up what it has leaves its parent's packets alone. */
static void test_a_child_that_closes_the_port_has_no_thread_in_it(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    pid_t child;

    (void)state;
    assert_true(umad_get_fd(fd) >= 0);
    child = fork();
    if (child == 0) {
        struct visit v;
        bool ok = umad_unregister(fd, agent) == 0;

        if (ok && open_port_enter(fd, &v)) {
            ok = !v.port->keeper_runs && v.port->keeper_lost;
            open_port_leave(&v);
        }
        _exit(ok && umad_close_port(fd) == 0 ? 0 : 1);
    }
    assert_true(ends_well(child));
    assert_int_equal(umad_close_port(fd), 0);
}

/* Other threads may hold a port at the moment of the fork. */
static void test_a_fork_beside_busy_threads_leaves_the_child_usable(void **state)
{
    int fd = fake_open();
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, receive, &fd), 0);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(umad_close_port(fd) == 0 ? 0 : 1);
        assert_true(ends_well(child));
    }
    assert_int_equal(umad_close_port(fd), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
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
        cmocka_unit_test_setup_teardown(test_ports_are_opened_and_closed_without_leaving_anything,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_closing_ends_the_waits_of_all_threads, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            test_a_child_goes_on_with_the_port_when_its_parent_has_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_child_that_only_polls_the_descriptor_gets_what_comes,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_child_that_closes_the_port_has_no_thread_in_it,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_fork_beside_busy_threads_leaves_the_child_usable,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
