/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cache that is kept current: events, readings that fail or grow old, and who is told when. */
#include "pkey_fixture.h"

#define ENTRIES 96
#define BLOCKS  3

/* A port's real table, its cache, and reads that are out. */
struct desk {
    weft_pkey table[ENTRIES];
    struct weft_pkey_cache *cache;
    struct weft_pkey_refresh *refresh;
    weft_time now;
    struct weft_pkey_read reads[16];
    uint32_t read_count;
    struct weft_pkey_change change;
};

static struct desk desk_open(uint32_t window)
{
    struct weft_pkey_refresh_config c;
    struct desk d = {.table = {0xFFFF}, .now = 1000};

    assert_int_equal(weft_pkey_refresh_config_init(&c), 0);
    c.window = window;
    c.retry = 5 * WEFT_S;
    assert_int_equal(weft_pkey_cache_new(ENTRIES, NULL, &d.cache), 0);
    assert_int_equal(weft_pkey_refresh_new(&c, d.cache, NULL, &d.refresh), 0);
    return d;
}

static void desk_close(struct desk *d)
{
    assert_null(weft_pkey_refresh_free(d->refresh));
    assert_null(weft_pkey_cache_free(d->cache));
}

/* Takes all reads that are wanted. */
static void take_reads(struct desk *d)
{
    while (weft_pkey_refresh_poll_read(d->refresh, &d->reads[d->read_count])) {
        assert_in_range(d->reads[d->read_count].block, 0, BLOCKS - 1);
        d->read_count++;
        assert_in_range(d->read_count, 1, COUNT(d->reads) - 1);
    }
}

/* Answers one read as the table is now. */
static int answer(struct desk *d, const struct weft_pkey_read *read)
{
    weft_pkey block[WEFT_PKEY_BLOCK];

    model_block(d->table, ENTRIES, read->block, 0, block);
    return weft_pkey_refresh_block(d->refresh, d->now, read, block);
}

/* Answers all reads until none is wanted. */
static void answer_all(struct desk *d)
{
    for (;;) {
        take_reads(d);
        if (d->read_count == 0)
            return;
        d->read_count--;
        assert_int_equal(answer(d, &d->reads[d->read_count]), 0);
    }
}

static void event(struct desk *d)
{
    assert_int_equal(weft_pkey_refresh_event(d->refresh, d->now), 0);
}

static bool told(struct desk *d)
{
    return weft_pkey_refresh_poll_change(d->refresh, &d->change);
}

static enum weft_pkey_refresh_state state_of(const struct desk *d)
{
    return weft_pkey_refresh_state(d->refresh);
}

static weft_pkey cached(const struct desk *d, uint32_t index)
{
    weft_pkey key = 0xDEAD;

    assert_int_equal(weft_pkey_cache_get(d->cache, index, &key), 0);
    return key;
}

static void test_a_new_refresh_reads_the_table_once(void **state)
{
    struct desk d = desk_open(8);

    (void)state;
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_READING);
    assert_int_equal(weft_pkey_refresh_deadline(d.refresh), WEFT_TIME_NEVER);
    answer_all(&d);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_IDLE);
    assert_true(told(&d));
    assert_int_equal(d.change.entries, 1);
    assert_int_equal(d.change.blocks[0], 1);
    assert_false(told(&d));
    assert_int_equal(cached(&d, 0), 0xFFFF);
    take_reads(&d);
    assert_int_equal(d.read_count, 0);
    desk_close(&d);
}

static void test_R154_clients_are_told_after_the_table_was_replaced(void **state)
{
    struct desk d = desk_open(1);

    (void)state;
    answer_all(&d);
    (void)told(&d);
    d.table[70] = KEY_A;
    event(&d);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        /* lookups go on with the old one, and nobody is told */
        assert_int_equal(cached(&d, 70), 0);
        assert_false(told(&d));
        take_reads(&d);
        assert_int_equal(d.read_count, 1);
        assert_int_equal(d.reads[0].block, i);
        d.read_count = 0;
        assert_int_equal(answer(&d, &d.reads[0]), 0);
    }
    assert_int_equal(cached(&d, 70), KEY_A);
    assert_true(told(&d));
    assert_int_equal(d.change.entries, 1);
    assert_int_equal(d.change.blocks[0], 4);
    desk_close(&d);
}

static void test_a_failed_reading_keeps_the_table_and_the_event(void **state)
{
    struct weft_pkey_refresh_stats stats;
    struct desk d = desk_open(8);

    (void)state;
    answer_all(&d);
    (void)told(&d);
    d.table[1] = KEY_A;
    event(&d);
    for (int attempt = 1; attempt <= 3; attempt++) {
        take_reads(&d);
        assert_int_equal(d.read_count, BLOCKS);
        assert_int_equal(answer(&d, &d.reads[0]), 0);
        assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[1]), 0);
        assert_int_equal(answer(&d, &d.reads[2]), WEFT_ERR_STALE);
        d.read_count = 0;
        assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_WAITING);
        assert_int_equal(cached(&d, 1), 0);
        assert_false(told(&d));
        take_reads(&d);
        assert_int_equal(d.read_count, 0);
        assert_int_equal(weft_pkey_refresh_deadline(d.refresh), d.now + 5 * WEFT_S);
        d.now += 5 * WEFT_S - 1;
        assert_int_equal(weft_pkey_refresh_advance(d.refresh, d.now), 0);
        assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_WAITING);
        d.now++;
        assert_int_equal(weft_pkey_refresh_advance(d.refresh, d.now), 0);
        assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_READING);
        assert_int_equal(weft_pkey_refresh_deadline(d.refresh), WEFT_TIME_NEVER);
    }
    answer_all(&d);
    assert_int_equal(cached(&d, 1), KEY_A);
    assert_true(told(&d));
    weft_pkey_refresh_stats(d.refresh, &stats);
    assert_int_equal(stats.failures, 3);
    assert_int_equal(stats.stale, 3);
    assert_int_equal(stats.commits, 2);
    assert_int_equal(stats.events, 1);
    desk_close(&d);
}

static void test_an_event_while_waiting_is_the_same_event(void **state)
{
    struct desk d = desk_open(8);

    (void)state;
    take_reads(&d);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[0]), 0);
    d.now += WEFT_S;
    event(&d);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_WAITING);
    assert_int_equal(weft_pkey_refresh_deadline(d.refresh), d.now + 4 * WEFT_S);
    desk_close(&d);
}

static void test_R154_an_event_while_reading_makes_it_read_all_again(void **state)
{
    struct weft_pkey_refresh_stats stats;
    struct desk d = desk_open(8);

    (void)state;
    d.table[0] = KEY_A;
    d.table[64] = KEY_B;
    take_reads(&d);
    assert_int_equal(answer(&d, &d.reads[0]), 0);
    assert_int_equal(answer(&d, &d.reads[1]), 0);
    /* the manager moves a key: half of the old table and half of the new are not to meet */
    d.table[0] = KEY_B;
    d.table[64] = KEY_A;
    event(&d);
    assert_int_equal(answer(&d, &d.reads[2]), WEFT_ERR_STALE);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_READING);
    assert_int_equal(weft_pkey_cache_generation(d.cache), 0);
    d.read_count = 0;
    take_reads(&d);
    assert_int_equal(d.read_count, BLOCKS);
    answer_all(&d);
    assert_int_equal(cached(&d, 0), KEY_B);
    assert_int_equal(cached(&d, 64), KEY_A);
    assert_true(told(&d));
    assert_false(told(&d));
    weft_pkey_refresh_stats(d.refresh, &stats);
    assert_int_equal(stats.restarts, 1);
    assert_int_equal(stats.commits, 1);
    desk_close(&d);
}

static void test_reads_that_are_out_keep_within_the_window(void **state)
{
    struct desk d = desk_open(2);

    (void)state;
    take_reads(&d);
    assert_int_equal(d.read_count, 2);
    for (int i = 0; i < 5; i++) {
        event(&d);
        take_reads(&d);
        assert_int_equal(d.read_count, 2);
    }
    assert_int_equal(answer(&d, &d.reads[0]), WEFT_ERR_STALE);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[1]), WEFT_ERR_STALE);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_READING);
    d.read_count = 0;
    answer_all(&d);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_IDLE);
    desk_close(&d);
}

static void test_an_answer_that_nobody_waits_for_is_refused(void **state)
{
    weft_pkey block[WEFT_PKEY_BLOCK] = {0};
    struct weft_pkey_read wrong = {.round = 1, .block = 0};
    struct desk d = desk_open(1);

    (void)state;
    /* not asked for yet */
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    take_reads(&d);
    wrong.block = 1;
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    wrong.block = UINT16_MAX;
    assert_int_equal(weft_pkey_refresh_block(d.refresh, d.now, &wrong, block), WEFT_ERR_INVALID);
    wrong = (struct weft_pkey_read){.round = 2};
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    wrong.round = 0;
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    assert_int_equal(answer(&d, &d.reads[0]), 0);
    assert_int_equal(answer(&d, &d.reads[0]), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[0]), WEFT_ERR_INVALID);
    d.read_count = 0;
    answer_all(&d);
    wrong = (struct weft_pkey_read){.round = 1, .block = 2};
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_cache_generation(d.cache), 1);
    desk_close(&d);
}

static void test_a_made_up_answer_frees_no_window(void **state)
{
    struct weft_pkey_refresh_stats stats;
    struct weft_pkey_read wrong = {.round = 0, .block = 0};
    struct desk d = desk_open(2);

    (void)state;
    take_reads(&d);
    event(&d);
    /* a round that never was; a block that this round did not ask for */
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    wrong = (struct weft_pkey_read){.round = d.reads[0].round, .block = 2};
    assert_int_equal(answer(&d, &wrong), WEFT_ERR_INVALID);
    take_reads(&d);
    assert_int_equal(d.read_count, 2);
    /* a late answer frees its own place, once */
    assert_int_equal(answer(&d, &d.reads[0]), WEFT_ERR_STALE);
    assert_int_equal(answer(&d, &d.reads[0]), WEFT_ERR_INVALID);
    take_reads(&d);
    assert_int_equal(d.read_count, 3);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[0]), WEFT_ERR_INVALID);
    weft_pkey_refresh_stats(d.refresh, &stats);
    assert_int_equal(stats.stale, 1);
    assert_int_equal(stats.failures, 0);
    /* while waiting, too */
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[2]), 0);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[2]), WEFT_ERR_INVALID);
    assert_int_equal(answer(&d, &d.reads[1]), WEFT_ERR_STALE);
    desk_close(&d);
}

static void test_a_window_beyond_the_longest_table_is_taken(void **state)
{
    struct desk d = desk_open(UINT32_MAX);

    (void)state;
    take_reads(&d);
    assert_int_equal(d.read_count, BLOCKS);
    event(&d);
    take_reads(&d);
    assert_int_equal(d.read_count, 2 * BLOCKS);
    desk_close(&d);
}

static void test_changes_that_nobody_polled_become_one(void **state)
{
    struct desk d = desk_open(8);

    (void)state;
    answer_all(&d);
    (void)told(&d);
    d.table[2] = KEY_A;
    event(&d);
    answer_all(&d);
    d.table[40] = KEY_B;
    event(&d);
    answer_all(&d);
    /* and a Set that was seen on its way */
    d.table[95] = KEY_B_FULL;
    pkey_write(d.cache, 95, KEY_B_FULL);
    assert_true(told(&d));
    assert_int_equal(d.change.entries, 3);
    assert_int_equal(d.change.blocks[0], 7);
    assert_int_equal(d.change.generation, 4);
    assert_false(told(&d));
    desk_close(&d);
}

static void test_an_event_without_a_change_is_told_too(void **state)
{
    struct desk d = desk_open(8);

    (void)state;
    answer_all(&d);
    (void)told(&d);
    event(&d);
    answer_all(&d);
    assert_true(told(&d));
    assert_int_equal(d.change.entries, 0);
    desk_close(&d);
}

static void test_time_that_goes_backwards_is_refused(void **state)
{
    struct desk d = desk_open(8);
    weft_time past = d.now - 1;

    (void)state;
    assert_int_equal(weft_pkey_refresh_advance(d.refresh, d.now), 0);
    take_reads(&d);
    d.now = past;
    assert_int_equal(weft_pkey_refresh_advance(d.refresh, past), WEFT_ERR_CLOCK);
    assert_int_equal(weft_pkey_refresh_event(d.refresh, past), WEFT_ERR_CLOCK);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, past, &d.reads[0]), WEFT_ERR_CLOCK);
    assert_int_equal(answer(&d, &d.reads[0]), WEFT_ERR_CLOCK);
    d.now = past + 1;
    answer_all(&d);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_IDLE);
    desk_close(&d);
}

static void test_a_wait_beyond_the_end_of_time_is_for_ever(void **state)
{
    struct desk d = desk_open(8);

    (void)state;
    d.now = WEFT_TIME_NEVER - 1;
    take_reads(&d);
    assert_int_equal(weft_pkey_refresh_fail(d.refresh, d.now, &d.reads[0]), 0);
    assert_int_equal(weft_pkey_refresh_deadline(d.refresh), WEFT_TIME_NEVER);
    assert_int_equal(weft_pkey_refresh_advance(d.refresh, d.now), 0);
    assert_int_equal(state_of(&d), WEFT_PKEY_REFRESH_WAITING);
    desk_close(&d);
}

/* The table changes and says so, reads fail, come late and in any order. Whenever clients are told,
 * the cache is one of the tables that the port has had; when it has calmed down it is the last. */
static void test_R154_random_histories_end_with_the_ports_table(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct prng g = {seed};
        struct desk d = desk_open((uint32_t)(1 + prng_up_to(&g, 3)));

        /* all three blocks of a table bear its number */
        for (weft_pkey number = 1; number < 200;) {
            uint32_t pick, op = (uint32_t)prng_up_to(&g, 9);

            take_reads(&d);
            pick = d.read_count ? (uint32_t)prng_up_to(&g, d.read_count - 1) : 0;
            if (op == 0) {
                number++;
                for (uint32_t i = 0; i < ENTRIES; i++)
                    d.table[i] = number;
                event(&d);
            } else if (d.read_count && op < 9) {
                struct weft_pkey_read read = d.reads[pick];

                d.reads[pick] = d.reads[--d.read_count];
                if (op == 8)
                    (void)weft_pkey_refresh_fail(d.refresh, d.now, &read);
                else
                    (void)answer(&d, &read);
            } else {
                d.now += 3 * WEFT_S;
                assert_int_equal(weft_pkey_refresh_advance(d.refresh, d.now), 0);
            }
            if (told(&d) && number > 1) {
                assert_int_equal(cached(&d, 0), cached(&d, 95));
                assert_int_equal(cached(&d, 40), cached(&d, 95));
            }
        }
        while (state_of(&d) != WEFT_PKEY_REFRESH_IDLE) {
            take_reads(&d);
            while (d.read_count > 0)
                (void)answer(&d, &d.reads[--d.read_count]);
            d.now += 5 * WEFT_S;
            (void)weft_pkey_refresh_advance(d.refresh, d.now);
        }
        (void)told(&d);
        assert_int_equal(d.change.generation, weft_pkey_cache_generation(d.cache));
        for (uint32_t i = 0; i < ENTRIES; i++)
            assert_int_equal(cached(&d, i), d.table[i]);
        desk_close(&d);
    }
}

static void test_what_a_freed_refresh_had_read_is_forgotten(void **state)
{
    weft_pkey block[WEFT_PKEY_BLOCK] = {0};
    struct desk d = desk_open(8);

    (void)state;
    take_reads(&d);
    assert_int_equal(answer(&d, &d.reads[0]), 0);
    assert_int_equal(answer(&d, &d.reads[1]), 0);
    d.refresh = weft_pkey_refresh_free(d.refresh);
    assert_int_equal(weft_pkey_cache_stage(d.cache, 2, block), 0);
    assert_int_equal(weft_pkey_cache_commit(d.cache, NULL), WEFT_ERR_STATE);
    desk_close(&d);
}

static void test_settings_out_of_their_range_are_refused(void **state)
{
    struct weft_pkey_refresh *r = (struct weft_pkey_refresh *)state;
    struct weft_pkey_refresh_config good, c;
    struct pkey_memory memory = {.empty = true};
    struct weft_alloc a = pkey_memory_alloc(&memory);
    struct weft_pkey_cache *cache;

    assert_int_equal(weft_pkey_cache_new(5, NULL, &cache), 0);
    assert_int_equal(weft_pkey_refresh_config_init(&good), 0);
    assert_int_equal(weft_pkey_refresh_config_init_sized(&good, sizeof(good) + 8),
                     WEFT_ERR_INVALID);
    c = good;
    c.window = 0;
    assert_int_equal(weft_pkey_refresh_new(&c, cache, NULL, &r), WEFT_ERR_INVALID);
    c = good;
    c.retry = 0;
    assert_int_equal(weft_pkey_refresh_new(&c, cache, NULL, &r), WEFT_ERR_INVALID);
    c = good;
    c.size--;
    assert_int_equal(weft_pkey_refresh_new(&c, cache, NULL, &r), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_refresh_new(&good, cache, &a, &r), WEFT_ERR_NOMEM);
    assert_ptr_equal(r, state);
    memory.empty = false;
    assert_int_equal(weft_pkey_refresh_new(&good, cache, &a, &r), 0);
    weft_pkey_refresh_free(r);
    assert_int_equal(memory.given, 0);
    assert_null(weft_pkey_refresh_free(NULL));
    weft_pkey_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_refresh_reads_the_table_once),
        cmocka_unit_test(test_R154_clients_are_told_after_the_table_was_replaced),
        cmocka_unit_test(test_a_failed_reading_keeps_the_table_and_the_event),
        cmocka_unit_test(test_an_event_while_waiting_is_the_same_event),
        cmocka_unit_test(test_R154_an_event_while_reading_makes_it_read_all_again),
        cmocka_unit_test(test_reads_that_are_out_keep_within_the_window),
        cmocka_unit_test(test_an_answer_that_nobody_waits_for_is_refused),
        cmocka_unit_test(test_a_made_up_answer_frees_no_window),
        cmocka_unit_test(test_a_window_beyond_the_longest_table_is_taken),
        cmocka_unit_test(test_changes_that_nobody_polled_become_one),
        cmocka_unit_test(test_an_event_without_a_change_is_told_too),
        cmocka_unit_test(test_time_that_goes_backwards_is_refused),
        cmocka_unit_test(test_a_wait_beyond_the_end_of_time_is_for_ever),
        cmocka_unit_test(test_R154_random_histories_end_with_the_ports_table),
        cmocka_unit_test(test_what_a_freed_refresh_had_read_is_forgotten),
        cmocka_unit_test(test_settings_out_of_their_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
