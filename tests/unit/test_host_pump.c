/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When the daemon rings a client that sleeps, in rounds whose time is told: few requests, many,
 * many programs, and that nobody sleeps for ever. */
#include "core/base/prng.h"
#include "fabric_fixture.h"
#include "host/pump.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

/* What a client sends in one round, and how long its bell may wait: what pump.c says. */
#define BATCH 32
#define WAITS (100 * WEFT_US)

#define PROGRAMS 3

/* A program at node "a", as it sees itself. */
struct program {
    struct client c; /* the daemon's side of it */
    struct ff_program *at;
    int bell;     /* the reading end of the client's */
    uint32_t own; /* answers taken */
    uint32_t sent;
    bool asleep, no_room;
    bool owed; /* it sleeps, and has answers */
    weft_time owed_since;
};

/* A daemon without sockets. */
struct daemon {
    struct ff *ff;
    struct server *s;
    struct program programs[PROGRAMS];
    weft_time clock;
    bool asleep;
};

static void program_begin(struct daemon *d, uint32_t slot)
{
    struct program *p = &d->programs[slot];
    int ends[2];

    p->at = ff_attach(d->ff, "a");
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    p->bell = ends[0];
    p->c = (struct client){.server = d->s,
                           .slot = slot,
                           .at = p->at->id,
                           .rings = aligned_alloc(64, sizeof(struct rings)),
                           .daemon_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
                           .client_bell = ends[1]};
    assert_non_null(p->c.rings);
    rings_init(p->c.rings);
    list_init(&p->c.active);
    list_init(&p->c.ringing);
    d->s->slots[slot] = &p->c;
    index_put(&d->s->by_attachment, index_hash(p->at->id.v), slot);
    pump_activate(&p->c, d->clock);
}

static struct daemon *daemon_new(const struct fabric_config *c)
{
    static struct index_entry entries[8];
    static struct client *slots[PROGRAMS];
    struct daemon *d = calloc(1, sizeof(*d));

    assert_non_null(d);
    d->s = calloc(1, sizeof(*d->s));
    assert_non_null(d->s);
    d->ff = ff_new(ff_two_hosts, c);
    d->s->fabric = d->ff->f;
    d->s->options.time_scale = 1;
    d->s->slots = slots;
    list_init(&d->s->active);
    list_init(&d->s->ringing);
    index_init(&d->s->by_attachment, entries, index_entries(PROGRAMS));
    d->clock = WEFT_MS;
    for (uint32_t i = 0; i < PROGRAMS; i++)
        program_begin(d, i);
    return d;
}

static void daemon_free(struct daemon *d)
{
    for (int i = 0; i < PROGRAMS; i++) {
        struct program *p = &d->programs[i];

        (void)close(p->bell);
        (void)close(p->c.client_bell);
        (void)close(p->c.daemon_bell);
        free(p->c.rings);
    }
    d->ff->now = d->s->now;
    ff_free(d->ff);
    free(d->s);
    free(d);
}

/* Sends so many questions to the program's own node, or as many as there is room for. */
static void ask(struct program *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct packet question =
            ff_directed(p->at, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        p->no_room = !rings_send(p->c.rings, p->c.daemon_bell, &question);
        if (p->no_room)
            return;
        p->sent++;
    }
}

/* Takes so many answers, or all that have come. */
static uint32_t take(struct program *p, uint32_t count)
{
    uint32_t taken = 0;
    struct packet answer;

    while (taken < count && rings_receive(p->c.rings, p->c.daemon_bell, &p->own, &answer) == 1)
        taken++;
    return taken;
}

static void sleep_now(struct program *p)
{
    assert_true(rings_sleep(p->c.rings, p->own));
}

/* A round of the daemon, so much later than the last. */
static bool round_after(struct daemon *d, weft_time by)
{
    d->clock += by;
    return pump_round(d->s, d->clock);
}

/* Whether a bell has rung since it was asked. */
static bool has_rung(int bell)
{
    char rung[8];

    if (read(bell, rung, sizeof(rung)) <= 0)
        return false;
    bell_hush(bell);
    return true;
}

static void test_who_has_sent_few_is_rung_at_once(void **state)
{
    static const uint32_t counts[] = {1, BATCH, BATCH + 1, 2 * BATCH};
    struct daemon *d = daemon_new(NULL);
    struct program *p = &d->programs[0];

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        ask(p, counts[i]);
        sleep_now(p);
        assert_true(round_after(d, 0));
        assert_true(has_rung(p->bell));
        assert_int_equal(d->s->stats.bells, i + 1);
        assert_int_equal(atomic_load(&p->c.rings->client_asleep), 0);
        while (round_after(d, 0))
            continue;
        assert_int_equal(take(p, UINT32_MAX), counts[i]);
    }
    /* Who looks by itself is not rung. */
    ask(p, 1);
    assert_true(round_after(d, 0));
    assert_false(has_rung(p->bell));
    assert_int_equal(d->s->stats.bells, sizeof(counts) / sizeof(counts[0]));
    daemon_free(d);
}

/* The bell waits for as long as more than a batch is left at the daemon. */
static void test_who_has_sent_much_is_rung_when_little_is_left(void **state)
{
    struct daemon *d = daemon_new(NULL);
    struct program *p = &d->programs[0];

    (void)state;
    ask(p, RINGS_SLOTS);
    sleep_now(p);
    for (uint32_t left = RINGS_SLOTS - BATCH; left > BATCH; left -= BATCH) {
        assert_true(round_after(d, 0));
        assert_false(has_rung(p->bell));
    }
    assert_true(round_after(d, 0));
    assert_true(has_rung(p->bell));
    assert_int_equal(take(p, UINT32_MAX), RINGS_SLOTS - BATCH);
    /* One more than a batch is much, a batch is not. */
    assert_true(round_after(d, 0));
    assert_int_equal(take(p, UINT32_MAX), BATCH);
    ask(p, 2 * BATCH + 1);
    sleep_now(p);
    assert_true(round_after(d, 0));
    assert_false(has_rung(p->bell));
    assert_true(round_after(d, 0));
    assert_true(has_rung(p->bell));
    daemon_free(d);
}

/* 16 rounds, of which each would ring who takes what has come and sleeps again. */
static void test_many_bells_are_saved(void **state)
{
    struct daemon *d = daemon_new(NULL);
    struct program *p = &d->programs[0];
    uint32_t taken = 0;

    (void)state;
    ask(p, RINGS_SLOTS);
    sleep_now(p);
    while (round_after(d, WEFT_US)) {
        if (!has_rung(p->bell))
            continue;
        taken += take(p, UINT32_MAX);
        sleep_now(p);
    }
    assert_int_equal(taken, RINGS_SLOTS);
    assert_int_equal(d->s->stats.bells, 2);
    daemon_free(d);
}

/* Since its first answer, not its last. */
static void test_a_bell_waits_for_100_us_at_most(void **state)
{
    static const weft_time steps[] = {WAITS / 4, WAITS / 4, WAITS / 4, WAITS / 4 - 1, 1};
    struct daemon *d = daemon_new(NULL);
    struct program *p = &d->programs[0];

    (void)state;
    for (int again = 0; again < 2; again++) {
        ask(p, RINGS_SLOTS);
        sleep_now(p);
        assert_true(round_after(d, WEFT_MS));
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
            assert_false(has_rung(p->bell));
            assert_true(round_after(d, steps[i]));
        }
        assert_true(has_rung(p->bell));
        while (round_after(d, 0))
            (void)take(p, UINT32_MAX);
        assert_int_equal(p->own, p->sent);
    }
    assert_int_equal(d->s->stats.bells, 2);
    daemon_free(d);
}

static void test_whose_bell_waits_holds_up_nobody_else_s(void **state)
{
    struct daemon *d = daemon_new(NULL);

    (void)state;
    ask(&d->programs[0], RINGS_SLOTS);
    ask(&d->programs[1], 1);
    ask(&d->programs[2], RINGS_SLOTS);
    for (int i = 0; i < PROGRAMS; i++)
        sleep_now(&d->programs[i]);
    assert_true(round_after(d, 0));
    assert_false(has_rung(d->programs[0].bell));
    assert_true(has_rung(d->programs[1].bell));
    assert_false(has_rung(d->programs[2].bell));
    daemon_free(d);
}

/* Nothing more is taken from it until it has read: to wait would be to wait for ever. */
static void test_who_has_no_room_for_answers_is_rung_at_once(void **state)
{
    const struct packet other = {.dlid = 1};
    struct daemon *d = daemon_new(NULL);
    struct program *p = &d->programs[0];

    (void)state;
    ask(p, RINGS_SLOTS);
    sleep_now(p);
    for (uint32_t i = 0; i < RINGS_SLOTS - BATCH / 2; i++) /* from others */
        assert_true(ring_put(&p->c.rings->to_client, &other));
    assert_true(round_after(d, 0));
    assert_true(ring_waiting(&p->c.rings->to_daemon, p->c.taken + BATCH));
    assert_true(has_rung(p->bell));
    assert_int_equal(d->s->stats.receiver_full, 0);
    daemon_free(d);
}

/* What it has sent meanwhile is looked at when its own bell has been heard. */
static void test_who_is_not_looked_at_is_rung_at_once(void **state)
{
    struct fabric_config config;
    struct program *p;
    struct daemon *d;

    (void)state;
    fabric_config_init(&config);
    config.agent_ns = 2 * WEFT_MS;
    d = daemon_new(&config);
    p = &d->programs[0];
    ask(p, 1);
    sleep_now(p);
    assert_true(round_after(d, 0));
    assert_false(round_after(d, WEFT_MS));
    assert_true(list_empty(&p->c.active));
    ask(p, 2 * BATCH);
    assert_true(has_rung(p->c.daemon_bell));
    assert_true(round_after(d, WEFT_MS));
    assert_true(has_rung(p->bell));
    assert_int_equal(take(p, UINT32_MAX), 1);
    daemon_free(d);
}

/* Who says that it has sent more than there can be gets no bell later for that. */
static void test_who_lies_about_what_is_left_is_rung_at_once(void **state)
{
    struct daemon *d = daemon_new(NULL);
    struct program *p = &d->programs[0];
    struct ring *r = &p->c.rings->to_daemon;

    (void)state;
    ask(p, BATCH);
    sleep_now(p);
    r->written_seen = BATCH;
    atomic_store(&r->written, BATCH + RINGS_SLOTS);
    assert_true(round_after(d, 0));
    assert_false(has_rung(p->bell)); /* a ring full is no lie */
    atomic_store(&r->written, BATCH + RINGS_SLOTS + 1);
    pump_ring(d->s);
    assert_true(has_rung(p->bell));
    daemon_free(d);
}

/* What a program does when it has the processor: as the client library does it. */
static void program_acts(struct program *p, struct prng *g, uint32_t total)
{
    if (p->asleep)
        rings_wake(p->c.rings);
    p->asleep = p->no_room = false;
    if (prng_up_to(g, 3) == 0)
        (void)take(p, (uint32_t)prng_up_to(g, 40));
    if (prng_up_to(g, 2) > 0) {
        uint32_t burst = (uint32_t)prng_up_to(g, prng_up_to(g, 1) == 0 ? 600 : 40);

        ask(p, burst < total - p->sent ? burst : total - p->sent);
    }
    if (p->no_room || p->sent == total || p->sent != p->own)
        p->asleep = rings_sleep(p->c.rings, p->own);
    if (!p->asleep)
        (void)take(p, UINT32_MAX);
}

/* What the daemon does when it has it. Who sleeps and is owed a bell may be so for WAITS, and only
 * while more than a batch of its questions is left. */
static void daemon_acts(struct daemon *d, struct prng *g)
{
    bool found;

    for (int i = 0; i < PROGRAMS; i++)
        if (has_rung(d->programs[i].c.daemon_bell))
            pump_activate(&d->programs[i].c, d->clock);
    found = round_after(d, prng_up_to(g, 60 * WEFT_US));
    d->asleep = !found && prng_up_to(g, 1) == 0 && pump_sleep(d->s);
    for (int i = 0; i < PROGRAMS; i++) {
        struct program *p = &d->programs[i];
        bool owed = atomic_load(&p->c.rings->client_asleep) != 0 &&
                    ring_waiting(&p->c.rings->to_client, p->own);

        if (owed && !p->owed)
            p->owed_since = d->clock;
        p->owed = owed;
        if (!owed)
            continue;
        assert_false(d->asleep);
        assert_true(d->clock - p->owed_since < WAITS);
        assert_true(p->sent - p->c.taken > BATCH);
    }
}

static bool program_can_act(struct program *p)
{
    return !p->asleep || has_rung(p->bell);
}

static bool daemon_can_act(struct daemon *d)
{
    struct pollfd bells[PROGRAMS];

    if (!d->asleep)
        return true;
    for (int i = 0; i < PROGRAMS; i++)
        bells[i] = (struct pollfd){.fd = d->programs[i].c.daemon_bell, .events = POLLIN};
    return poll(bells, PROGRAMS, 0) > 0;
}

/* Programs and daemon act in any order, and sleep whenever they may. When nobody can act any more,
 * everything has been sent and answered. */
static void test_in_any_order_nobody_sleeps_for_ever(void **state)
{
    static const uint32_t total = 4000;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct daemon *d = daemon_new(NULL);
        struct prng g = {seed};
        uint32_t idle = 0;

        while (idle < 8 * (PROGRAMS + 1)) {
            uint32_t who = (uint32_t)prng_up_to(&g, PROGRAMS);

            idle++;
            if (who == PROGRAMS && daemon_can_act(d)) {
                daemon_acts(d, &g);
                idle = 0;
            } else if (who < PROGRAMS && program_can_act(&d->programs[who])) {
                program_acts(&d->programs[who], &g, total);
                idle = 0;
            }
        }
        for (int i = 0; i < PROGRAMS; i++) {
            assert_int_equal(d->programs[i].sent, total);
            assert_int_equal(d->programs[i].own, total);
        }
        assert_true(list_empty(&d->s->ringing));
        daemon_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_has_sent_few_is_rung_at_once),
        cmocka_unit_test(test_who_has_sent_much_is_rung_when_little_is_left),
        cmocka_unit_test(test_many_bells_are_saved),
        cmocka_unit_test(test_a_bell_waits_for_100_us_at_most),
        cmocka_unit_test(test_whose_bell_waits_holds_up_nobody_else_s),
        cmocka_unit_test(test_who_has_no_room_for_answers_is_rung_at_once),
        cmocka_unit_test(test_who_is_not_looked_at_is_rung_at_once),
        cmocka_unit_test(test_who_lies_about_what_is_left_is_rung_at_once),
        cmocka_unit_test(test_in_any_order_nobody_sleeps_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
