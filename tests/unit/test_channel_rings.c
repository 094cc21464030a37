/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The shared rings: order, limits, lies of the other side, and sleepers that are always woken. */
#include "channel/protocol.h"
#include "channel/rings.h"
#include "core/base/prng.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

/* Longer than any test may wait for a bell. */
#define PATIENCE_MS 20000

static struct rings *rings_new(void)
{
    struct rings *r = aligned_alloc(64, sizeof(*r));

    assert_non_null(r);
    rings_init(r);
    return r;
}

static struct packet numbered(uint32_t number)
{
    struct packet p = {.dlid = (uint16_t)number, .src_qpn = number};

    memset(p.mad, (int)(number & 0xFF), sizeof(p.mad));
    return p;
}

static void expect_number(struct ring *r, uint32_t *own, uint32_t number)
{
    struct packet p, wanted = numbered(number);

    assert_int_equal(ring_take(r, own, &p), 1);
    assert_memory_equal(&p, &wanted, sizeof(p));
}

static void test_packets_come_out_in_order_and_a_full_ring_takes_no_more(void **state)
{
    struct rings *r = rings_new();
    struct ring *ring = &r->to_daemon;
    struct packet p;
    uint32_t own = 0;

    (void)state;
    assert_int_equal(ring_take(ring, &own, &p), 0);
    assert_false(ring_waiting(ring, own));
    for (uint32_t i = 0; i < RINGS_SLOTS; i++) {
        p = numbered(i);
        assert_true(ring_has_room(ring));
        assert_true(ring_put(ring, &p));
    }
    assert_false(ring_has_room(ring));
    assert_false(ring_put(ring, &p));
    assert_true(ring_waiting(ring, own));
    for (uint32_t i = 0; i < RINGS_READ_TOLD; i++)
        expect_number(ring, &own, i);
    for (uint32_t i = 0; i < RINGS_READ_TOLD; i++) {
        p = numbered(RINGS_SLOTS + i);
        assert_true(ring_put(ring, &p));
    }
    assert_false(ring_put(ring, &p));
    for (uint32_t i = RINGS_READ_TOLD; i < RINGS_SLOTS + RINGS_READ_TOLD; i++)
        expect_number(ring, &own, i);
    assert_int_equal(ring_take(ring, &own, &p), 0);
    free(r);
}

static void test_a_reader_that_empties_the_ring_says_so(void **state)
{
    struct rings *r = rings_new();
    struct ring *ring = &r->to_client;
    struct packet p = numbered(0);
    uint32_t own = 0;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(ring_put(ring, &p));
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(ring_take(ring, &own, &p), 1);
        assert_int_equal(atomic_load(&ring->read), i < 3 ? 0 : 3);
    }
    free(r);
}

static void test_positions_pass_the_largest_number(void **state)
{
    struct rings *r = rings_new();
    struct ring *ring = &r->to_client;
    uint32_t own = UINT32_MAX - 3;

    (void)state;
    atomic_store(&ring->written, own);
    atomic_store(&ring->read, own);
    for (uint32_t i = 0; i < 10; i++) {
        struct packet p = numbered(i);

        assert_true(ring_put(ring, &p));
    }
    for (uint32_t i = 0; i < 10; i++)
        expect_number(ring, &own, i);
    assert_int_equal(own, 6);
    free(r);
}

static void test_a_writer_that_lies_is_found_out(void **state)
{
    static const uint32_t lies[] = {RINGS_SLOTS + 1, 1000000, UINT32_MAX, UINT32_MAX / 2};
    struct rings *r = rings_new();
    struct ring *ring = &r->to_daemon;
    struct packet p = numbered(7), before = p;

    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        uint32_t own = 5;

        atomic_store(&ring->written, own + lies[i]);
        assert_true(ring_waiting(ring, own));
        assert_int_equal(ring_take(ring, &own, &p), WEFT_ERR_FORMAT);
        assert_int_equal(own, 5);
        assert_memory_equal(&p, &before, sizeof(p));
    }
    free(r);
}

static void test_a_reader_that_lies_gets_nothing_more(void **state)
{
    struct rings *r = rings_new();
    struct ring *ring = &r->to_client;
    struct packet p = numbered(1);

    (void)state;
    while (ring_put(ring, &p))
        continue;
    atomic_store(&ring->read, RINGS_SLOTS + 1); /* more than was written */
    assert_false(ring_has_room(ring));
    assert_false(ring_put(ring, &p));
    /* And who writes into the other's positions only moves where the packets go. */
    atomic_store(&ring->written, UINT32_MAX);
    atomic_store(&ring->read, UINT32_MAX);
    assert_true(ring_put(ring, &p));
    free(r);
}

/* What each side remembers of the other stands where the other can write, too. */
static const uint32_t seen[] = {0,
                                1,
                                7,
                                8,
                                9,
                                RINGS_SLOTS - 1,
                                RINGS_SLOTS,
                                RINGS_SLOTS + 7,
                                RINGS_SLOTS + 8,
                                RINGS_SLOTS + 9,
                                UINT32_MAX / 2,
                                UINT32_MAX - RINGS_SLOTS,
                                UINT32_MAX};

#define SEEN (sizeof(seen) / sizeof(seen[0]))

/* At worst packets are overwritten that nobody has read: the writer goes on by one slot for each,
 * and does not put more into a ring that its reader empties no more than the reader has let it. */
static void test_a_reader_that_writes_over_what_the_writer_remembers(void **state)
{
    struct rings *r = rings_new();
    struct ring *const both[] = {&r->to_daemon, &r->to_client};

    (void)state;
    for (size_t i = 0; i < 2 * SEEN; i++) {
        struct ring *ring = both[i % 2];
        struct packet p = numbered(0), guard = numbered(99);
        uint32_t put = 0;

        rings_init(r);
        for (uint32_t k = 0; k < 8; k++)
            assert_true(ring_put(ring, &p));
        both[1 - i % 2]->slots[0] = guard;
        both[1 - i % 2]->slots[RINGS_SLOTS - 1] = guard;
        ring->read_seen = seen[i / 2];
        while (put <= 2 * RINGS_SLOTS && ring_put(ring, &p))
            put++;
        assert_true(put <= 2 * RINGS_SLOTS);
        assert_int_equal(atomic_load(&ring->written), 8 + put);
        assert_false(ring_put(ring, &p));
        assert_memory_equal(&both[1 - i % 2]->slots[0], &guard, sizeof(guard));
        assert_memory_equal(&both[1 - i % 2]->slots[RINGS_SLOTS - 1], &guard, sizeof(guard));
    }
    free(r);
}

/* At worst the reader takes what stands in the slots: a ring of it, and then finds the writer out.
 */
static void test_a_writer_that_writes_over_what_the_reader_remembers(void **state)
{
    struct rings *r = rings_new();
    struct ring *const both[] = {&r->to_daemon, &r->to_client};

    (void)state;
    for (size_t i = 0; i < 2 * SEEN; i++) {
        struct ring *ring = both[i % 2];
        uint32_t own = 0, taken = 0;
        int last = 1;

        rings_init(r);
        for (uint32_t k = 0; k < 8; k++) {
            struct packet p = numbered(k);

            assert_true(ring_put(ring, &p));
        }
        ring->written_seen = seen[i / 2];
        while (taken <= RINGS_SLOTS) {
            struct packet p = numbered(99);

            last = ring_take(ring, &own, &p);
            if (last != 1)
                break;
            assert_memory_equal(&p, &ring->slots[taken % RINGS_SLOTS], sizeof(p));
            taken++;
        }
        assert_int_equal(own, taken);
        assert_int_equal(last, taken == 8 ? 0 : WEFT_ERR_FORMAT);
        assert_int_equal(taken, seen[i / 2] == 0 || seen[i / 2] > RINGS_SLOTS ? 8
                                : seen[i / 2] < 8                             ? 8
                                                                              : seen[i / 2]);
    }
    free(r);
}

/* A word of the ring's that both sides can write. */
static void spoil(struct ring *r, struct prng *g)
{
    uint32_t near =
        atomic_load(&r->written) + (uint32_t)prng_up_to(g, 4 * RINGS_SLOTS) - 2 * RINGS_SLOTS;
    uint32_t value = prng_up_to(g, 2) > 0 ? near : (uint32_t)prng_next(g);

    switch (prng_up_to(g, 4)) {
    case 0:
        atomic_store(&r->written, value);
        break;
    case 1:
        atomic_store(&r->read, value);
        break;
    case 2:
        atomic_store(&r->wants_room, value);
        break;
    case 3:
        r->read_seen = value;
        break;
    default:
        r->written_seen = value;
        break;
    }
}

/* Whatever the other side writes anywhere and whenever: a call moves its own position by one or not
 * at all, and writes nothing but that and its slot. */
static void test_nothing_that_the_other_side_writes_leads_out_of_the_ring(void **state)
{
    struct rings *r = rings_new();
    struct prng g = {1};

    (void)state;
    for (int own_end = 0; own_end < 2; own_end++) {
        struct ring *ring = own_end == 0 ? &r->to_daemon : &r->to_client;
        uint32_t own = 0;

        for (int i = 0; i < 200000; i++) {
            uint32_t written, before = own;
            struct packet p = numbered((uint32_t)i);
            int done;

            if (prng_up_to(&g, 7) == 0)
                spoil(ring, &g);
            written = atomic_load(&ring->written);
            if (prng_up_to(&g, 1) == 0) {
                done = ring_put(ring, &p);
                assert_int_equal(atomic_load(&ring->written), written + (uint32_t)done);
                assert_true(done == 0 ||
                            memcmp(&ring->slots[written % RINGS_SLOTS], &p, sizeof(p)) == 0);
            } else {
                done = ring_take(ring, &own, &p);
                assert_true(done == 0 || done == 1 || done == WEFT_ERR_FORMAT);
                assert_int_equal(own, before + (done == 1));
                assert_true(done != 1 ||
                            memcmp(&ring->slots[before % RINGS_SLOTS], &p, sizeof(p)) == 0);
                assert_int_equal(atomic_load(&ring->written), written);
            }
            (void)ring_owes_bell(ring);
            (void)ring_ask_room(ring);
        }
    }
    free(r);
}

static void test_a_writer_is_rung_when_half_of_the_ring_is_empty(void **state)
{
    struct rings *r = rings_new();
    struct ring *ring = &r->to_daemon;
    struct packet p = numbered(0);
    uint32_t own = 0;

    (void)state;
    while (ring_put(ring, &p))
        continue;
    assert_false(ring_owes_bell(ring)); /* nobody asked */
    assert_true(ring_ask_room(ring));
    for (uint32_t i = 0; i < RINGS_SLOTS / 2; i++) {
        assert_false(ring_owes_bell(ring));
        assert_int_equal(ring_take(ring, &own, &p), 1);
    }
    assert_true(ring_owes_bell(ring));
    assert_false(ring_owes_bell(ring)); /* once */
    assert_false(ring_ask_room(ring));  /* there is room by now */
    assert_int_equal(atomic_load(&ring->wants_room), 0);
    free(r);
}

static void test_bells_ring_once_and_never_block(void **state)
{
    int ends[2], event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct pollfd p = {.events = POLLIN};

    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    for (int kind = 0; kind < 2; kind++) {
        p.fd = kind == 0 ? event : ends[0];
        assert_int_equal(poll(&p, 1, 0), 0);
        for (int i = 0; i < 20000; i++) /* more than a pipe holds */
            bell_ring(kind == 0 ? event : ends[1]);
        assert_int_equal(poll(&p, 1, 0), 1);
        bell_hush(p.fd);
        assert_int_equal(poll(&p, 1, 0), 0);
        bell_hush(p.fd);
    }
    (void)close(event);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void test_a_client_rings_only_a_daemon_that_sleeps(void **state)
{
    struct rings *r = rings_new();
    int bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct packet p = numbered(1);
    uint64_t rung;

    (void)state;
    assert_true(rings_send(r, bell, &p));
    assert_int_equal(read(bell, &rung, sizeof(rung)), -1);
    atomic_store(&r->daemon_asleep, 1);
    assert_true(rings_send(r, bell, &p));
    assert_true(rings_send(r, bell, &p));
    assert_int_equal(read(bell, &rung, sizeof(rung)), sizeof(rung));
    assert_int_equal(rung, 1);
    assert_int_equal(atomic_load(&r->daemon_asleep), 0);
    while (rings_send(r, bell, &p))
        continue;
    assert_int_equal(atomic_load(&r->to_daemon.wants_room), 1);
    (void)close(bell);
    free(r);
}

static void test_a_client_does_not_sleep_when_something_waits_or_all_is_over(void **state)
{
    struct rings *r = rings_new();
    struct packet p = numbered(1);
    uint32_t own = 0;

    (void)state;
    assert_true(rings_sleep(r, own));
    assert_int_equal(atomic_load(&r->client_asleep), 1);
    rings_wake(r);
    assert_int_equal(atomic_load(&r->client_asleep), 0);
    assert_true(ring_put(&r->to_client, &p));
    assert_false(rings_sleep(r, own));
    assert_int_equal(atomic_load(&r->client_asleep), 0);
    assert_int_equal(rings_receive(r, -1, &own, &p), 1);
    atomic_store(&r->closed, 1);
    assert_false(rings_sleep(r, own));
    free(r);
}

#define EXCHANGED 100000

/* An echo, asleep whenever it has nothing to do, and what both sides share. */
struct echo {
    struct rings *rings;
    int daemon_bell;
    int client_bell[2];
};

static void wait_for(int bell)
{
    struct pollfd p = {.fd = bell, .events = POLLIN};

    if (poll(&p, 1, PATIENCE_MS) != 1)
        abort(); /* a bell was lost */
    bell_hush(bell);
}

/* The daemon's side, as the daemon does it. */
static void *echo_run(void *ctx)
{
    struct echo *e = ctx;
    struct rings *r = e->rings;
    uint32_t own = 0;
    struct packet p;

    for (uint32_t done = 0; done < EXCHANGED;) {
        int taken = ring_has_room(&r->to_client) ? ring_take(&r->to_daemon, &own, &p) : 0;

        if (taken < 0)
            abort();
        if (taken == 1) {
            if (ring_owes_bell(&r->to_daemon))
                bell_ring(e->client_bell[1]);
            if (!ring_put(&r->to_client, &p))
                abort();
            done++;
            if (atomic_exchange(&r->client_asleep, 0) != 0)
                bell_ring(e->client_bell[1]);
            continue;
        }
        atomic_store(&r->daemon_asleep, 1);
        if (!ring_waiting(&r->to_daemon, own) || ring_ask_room(&r->to_client))
            wait_for(e->daemon_bell);
        atomic_store(&r->daemon_asleep, 0);
    }
    return NULL;
}

static void test_two_threads_that_sleep_whenever_they_can_lose_nothing(void **state)
{
    struct echo e = {.rings = rings_new(), .daemon_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    uint32_t sent = 0, got = 0, own = 0;
    pthread_t thread;

    (void)state;
    assert_int_equal(pipe2(e.client_bell, O_NONBLOCK | O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&thread, NULL, echo_run, &e), 0);
    while (got < EXCHANGED) {
        /* Windows from one packet to more than the ring holds. */
        uint32_t window = 1 + (got / 1000 * 7919) % (2 * RINGS_SLOTS);
        struct packet p;
        bool room = true;
        int taken;

        while (room && sent < EXCHANGED && sent - got < window) {
            p = numbered(sent);
            room = rings_send(e.rings, e.daemon_bell, &p);
            sent += room;
        }
        taken = rings_receive(e.rings, e.daemon_bell, &own, &p);
        assert_true(taken >= 0);
        if (taken == 1) {
            struct packet wanted = numbered(got++);

            assert_memory_equal(&p, &wanted, sizeof(p));
        } else if (rings_sleep(e.rings, own)) {
            wait_for(e.client_bell[0]);
            rings_wake(e.rings);
        }
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)close(e.daemon_bell);
    (void)close(e.client_bell[0]);
    (void)close(e.client_bell[1]);
    free(e.rings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets_come_out_in_order_and_a_full_ring_takes_no_more),
        cmocka_unit_test(test_a_reader_that_empties_the_ring_says_so),
        cmocka_unit_test(test_positions_pass_the_largest_number),
        cmocka_unit_test(test_a_writer_that_lies_is_found_out),
        cmocka_unit_test(test_a_reader_that_lies_gets_nothing_more),
        cmocka_unit_test(test_a_reader_that_writes_over_what_the_writer_remembers),
        cmocka_unit_test(test_a_writer_that_writes_over_what_the_reader_remembers),
        cmocka_unit_test(test_nothing_that_the_other_side_writes_leads_out_of_the_ring),
        cmocka_unit_test(test_a_writer_is_rung_when_half_of_the_ring_is_empty),
        cmocka_unit_test(test_bells_ring_once_and_never_block),
        cmocka_unit_test(test_a_client_rings_only_a_daemon_that_sleeps),
        cmocka_unit_test(test_a_client_does_not_sleep_when_something_waits_or_all_is_over),
        cmocka_unit_test(test_two_threads_that_sleep_whenever_they_can_lose_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
