/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scheduler: order, room, and timers that never run out. */
#include "core/wire/mad_header.h"
#include "fabric/flight.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* What the tap saw dropped, in order: packets that arrive here are for nobody. */
struct log {
    uint64_t tids[256];
    weft_time times[256];
    uint32_t count;
    const char *reason;
};

static void on_tap(void *ctx, const struct fabric_tap *t)
{
    struct log *log = ctx;

    if (t->point != FABRIC_TAP_DROPPED || log->count == 256)
        return;
    log->tids[log->count] = mad_tid(t->packet->mad);
    log->times[log->count++] = t->now;
    log->reason = t->reason;
}

static struct ff *begin(struct log *log, uint32_t flights)
{
    struct fabric_config c;
    struct ff *ff;

    fabric_config_init(&c);
    c.up = true;
    c.flights = flights;
    ff = ff_new(ff_two_hosts, &c);
    memset(log, 0, sizeof(*log));
    fabric_set_tap(ff->f, on_tap, log);
    return ff;
}

/* A GMP that nobody takes, for host "b". */
static struct packet nobodys(const struct ff *ff, uint64_t tid)
{
    struct packet p = {.dlid = port_lid(ff_port(ff, "b", 1)),
                       .src_qpn = WEFT_QP_GSI,
                       .dst_qpn = WEFT_QP_GSI,
                       .qkey = WEFT_QKEY_GSI,
                       .pkey = 0xFFFF};

    mad_set_base_version(p.mad, 1);
    mad_set_class(p.mad, WEFT_CLASS_CM);
    mad_set_method(p.mad, WEFT_METHOD_SEND);
    mad_set_tid(p.mad, tid);
    return p;
}

static bool schedule(struct ff *ff, weft_time at, uint64_t tid)
{
    struct packet p = nobodys(ff, tid);

    return flight_add(ff->f, at, FLIGHT_ARRIVE, port_index(ff->f, ff_port(ff, "b", 1)), &p);
}

static void test_order_is_time_then_scheduling(void **state)
{
    static const uint64_t wanted[] = {4, 2, 3, 1, 5};
    struct log log;
    struct ff *ff = begin(&log, 64);

    (void)state;
    assert_true(flights_deadline(ff->f) == WEFT_TIME_NEVER);
    assert_true(schedule(ff, 300, 1));
    assert_true(schedule(ff, 200, 2));
    assert_true(schedule(ff, 200, 3));
    assert_true(schedule(ff, 100, 4));
    assert_true(schedule(ff, 300, 5));
    assert_int_equal(flights_deadline(ff->f), 100);
    assert_int_equal(ff_stats(ff).flights, 5);
    ff_advance(ff, 1000);
    assert_int_equal(log.count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(log.tids[i], wanted[i]);
    assert_int_equal(log.times[0], 100);
    assert_int_equal(log.times[4], 300);
    assert_int_equal(ff_stats(ff).flights, 0);
    assert_true(flights_deadline(ff->f) == WEFT_TIME_NEVER);
    ff_free(ff);
}

static void test_nothing_happens_before_its_time(void **state)
{
    struct log log;
    struct ff *ff = begin(&log, 64);

    (void)state;
    assert_true(schedule(ff, 100, 1));
    ff_advance(ff, 99);
    assert_int_equal(log.count, 0);
    ff_advance(ff, 1);
    assert_int_equal(log.count, 1);
    ff_free(ff);
}

static void test_full_scheduler_drops_packets_and_counts_them(void **state)
{
    struct log log;
    struct ff *ff = begin(&log, 64);

    (void)state;
    for (uint64_t i = 0; i < 64; i++)
        assert_true(schedule(ff, 100, i));
    assert_false(schedule(ff, 100, 1000));
    assert_int_equal(log.count, 1);
    assert_int_equal(log.tids[0], 1000);
    assert_string_equal(log.reason, "fabric-full");
    assert_int_equal(ff_stats(ff).dropped_queue, 1);
    ff_advance(ff, 100);
    assert_int_equal(log.count, 65);
    assert_true(schedule(ff, 200, 1));
    ff_free(ff);
}

static void test_timers_never_run_out(void **state)
{
    struct log log;
    struct ff *ff = begin(&log, 64);

    (void)state;
    for (uint64_t i = 0; i < 64; i++)
        assert_true(schedule(ff, 1000, i));
    for (uint32_t port = 0; port < ff->f->port_count; port++) {
        assert_true(flight_add(ff->f, 900, FLIGHT_TRAINED, port, NULL));
        assert_true(flight_add(ff->f, 800, FLIGHT_LEASE, port, NULL));
    }
    assert_true(flight_add(ff->f, 700, FLIGHT_TRAP, 0, NULL));
    assert_true(flight_add(ff->f, 600, FLIGHT_SCRIPT, 0, NULL));
    assert_int_equal(flights_deadline(ff->f), 600);
    assert_int_equal(ff_stats(ff).dropped_queue, 0);
    ff_advance(ff, 999);
    assert_int_equal(flights_deadline(ff->f), 1000);
    ff_free(ff);
}

static void test_timer_of_a_port_takes_the_new_time(void **state)
{
    struct log log;
    struct ff *ff = begin(&log, 64);
    enum flight_kind kinds[] = {FLIGHT_TRAINED, FLIGHT_LEASE};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(flight_add(ff->f, 100, kinds[i], 1, NULL));
        assert_true(flight_add(ff->f, 500, kinds[i], 1, NULL));
        assert_int_equal(flights_deadline(ff->f), 500);
        assert_true(flight_add(ff->f, 50, kinds[i], 1, NULL));
        assert_int_equal(flights_deadline(ff->f), 50);
        assert_true(flight_add(ff->f, 1000 + i, kinds[i], 1, NULL));
    }
    ff_free(ff);
}

static void test_timer_of_the_fabric_is_never_set_later(void **state)
{
    enum flight_kind kinds[] = {FLIGHT_TRAP, FLIGHT_SCRIPT};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct log log;
        struct ff *ff = begin(&log, 64);

        assert_true(flight_add(ff->f, 100, kinds[i], 0, NULL));
        assert_true(flight_add(ff->f, 500, kinds[i], 0, NULL));
        assert_int_equal(flights_deadline(ff->f), 100);
        assert_true(flight_add(ff->f, 50, kinds[i], 0, NULL));
        assert_int_equal(flights_deadline(ff->f), 50);
        ff_free(ff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_time_then_scheduling),
        cmocka_unit_test(test_nothing_happens_before_its_time),
        cmocka_unit_test(test_full_scheduler_drops_packets_and_counts_them),
        cmocka_unit_test(test_timers_never_run_out),
        cmocka_unit_test(test_timer_of_a_port_takes_the_new_time),
        cmocka_unit_test(test_timer_of_the_fabric_is_never_set_later),
    };

    return cmocka_run_group_tests_name("fabric_flight", tests, NULL, NULL);
}
