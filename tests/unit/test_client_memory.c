/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps, tables, counters and questions to the SA with an allocator that has nothing at its n-th
 * call, for every n: each says so, none crashes, all is given back. */
#include "client/matrix.h"
#include "client_fixture.h"
#include "failing_alloc.h"
#include "sa_lab.h"

#include <weft/counters.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* More calls than any of these makes. */
#define CALLS_MAX 1000

/* Enough for every list to grow. */
static const char fabric[] = "fat-tree:hosts=108,radix=36";
static const char first_host[] = "host-00001";

/* Runs with the first, second, ... call failing, until none does. */
static void at_every_call(void (*run)(const struct weft_alloc *a, const struct failing_alloc *f))
{
    struct failing_alloc f = {.fail_at = 0};
    bool failed = true;

    for (unsigned n = 0; failed; n++) {
        const struct weft_alloc a = failing_alloc_of(&f);

        assert_in_range(n, 0, CALLS_MAX);
        f = (struct failing_alloc){.fail_at = n};
        run(&a, &f);
        assert_int_equal(f.held, 0);
        failed = failing_alloc_failed(&f);
    }
    assert_in_range(f.calls, 2, CALLS_MAX);
}

static void sweep_run(const struct weft_alloc *a, const struct failing_alloc *f)
{
    struct cf *cf = cf_new(fabric, NULL, first_host);
    struct weft_sweep *s = NULL;
    int err = weft_sweep_new(NULL, cf->agent, a, &s);

    if (!err) {
        cf_drive_sweep(cf, s);
        err = weft_sweep_verdict(s);
        if (!err)
            assert_int_equal(weft_sweep_node_count(s), 108 + 6 + 3);
    } else {
        assert_null(s);
    }
    assert_int_equal(err, failing_alloc_failed(f) ? WEFT_ERR_NOMEM : 0);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_a_sweep_without_memory_says_so(void **state)
{
    (void)state;
    at_every_call(sweep_run);
}

/* Silence would have been the verdict. */
static void test_a_question_that_is_lost_for_want_of_memory_is_no_silence(void **state)
{
    /* The sweep, its asker, the queue of the first question, then that of what is asked again. */
    struct failing_alloc f = {.fail_at = 3};
    const struct weft_alloc a = failing_alloc_of(&f);
    struct weft_sweep *s = NULL;
    struct weft_mad_send_req r;
    struct weft_mad_event ev;

    (void)state;
    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, &a, &s), 0);
    assert_true(weft_sweep_poll(s, &r));
    ev = cf_end(&r, WEFT_MAD_TIMEOUT, 5);
    weft_sweep_event(s, &ev);
    assert_true(weft_sweep_done(s));
    assert_int_equal(weft_sweep_verdict(s), WEFT_ERR_NOMEM);
    (void)weft_sweep_free(s);
    assert_int_equal(f.held, 0);
}

static struct cf *swept_cf;
static struct weft_sweep *swept;

static int sweep_once(void **state)
{
    struct fabric_config c;

    (void)state;
    fabric_config_init(&c);
    c.up = true; /* agents have LIDs: they can be asked for counters */
    swept_cf = cf_new(fabric, &c, first_host);
    swept = cf_sweep(swept_cf, NULL);
    return 0;
}

static int sweep_forget(void **state)
{
    (void)state;
    (void)weft_sweep_free(swept);
    cf_free(swept_cf);
    return 0;
}

static void remember_run(const struct weft_alloc *a, const struct failing_alloc *f)
{
    struct weft_sweep_prior *k = NULL;
    int err = weft_sweep_remember(swept, a, &k);

    assert_int_equal(err, failing_alloc_failed(f) ? WEFT_ERR_NOMEM : 0);
    assert_int_equal(k != NULL, !err);
    (void)weft_sweep_prior_free(k);
}

static void test_what_is_known_needs_memory(void **state)
{
    (void)state;
    at_every_call(remember_run);
}

/* Without memory for a question a table stays incomplete. */
static void tables_run(const struct weft_alloc *a, const struct failing_alloc *f)
{
    struct pkey_tables *t = NULL;
    struct matrix *m = NULL;
    int err = pkey_tables_new(swept, NULL, swept_cf->agent, a, &t);

    assert_true(!err || (err == WEFT_ERR_NOMEM && failing_alloc_failed(f) && !t));
    if (err)
        return;
    cf_drive_tables(swept_cf, t);
    err = matrix_new(swept, t, a, &m);
    assert_int_equal(m != NULL, !err);
    assert_true(!err || (err == WEFT_ERR_NOMEM && failing_alloc_failed(f)));
    (void)matrix_free(m);
    (void)pkey_tables_free(t);
}

static void test_tables_and_what_is_made_of_them_need_memory(void **state)
{
    (void)state;
    at_every_call(tables_run);
}

/* Every agent has classic counters alone, and each question is answered. */
static void counters_answer(struct weft_counters *c)
{
    struct weft_mad_send_req r;

    while (weft_counters_poll(c, &r)) {
        const uint8_t *asked = (const uint8_t *)r.data + WEFT_ATTRIBUTE_OFFSET;
        uint8_t attribute[WEFT_MAD_BYTES - WEFT_ATTRIBUTE_OFFSET] = {0};
        uint8_t mad[WEFT_MAD_BYTES];
        struct weft_mad_event ev;

        attribute[1] = asked[1]; /* PortSelect */
        ev = cf_answer(&r, attribute, mad);
        weft_counters_event(c, &ev);
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        weft_counters_event(c, &ev);
    }
    assert_true(weft_counters_done(c));
}

static void counters_run(const struct weft_alloc *a, const struct failing_alloc *f)
{
    struct weft_counters *c = NULL;
    struct weft_counters_stats stats;
    int err = weft_counters_new(swept, NULL, NULL, swept_cf->agent, a, &c);

    if (!err) {
        counters_answer(c);
        err = weft_counters_verdict(c);
        weft_counters_stats(c, &stats);
        assert_true(stats.questions > 108);
        for (uint32_t i = 0; i < weft_sweep_port_count(swept) && !err; i++)
            assert_true(weft_counters_state(c, i) != WEFT_COUNTERS_SILENT);
        assert_int_equal(weft_counters_reset(c), weft_counters_verdict(c));
        counters_answer(c);
        err = weft_counters_verdict(c);
    } else {
        assert_null(c);
    }
    assert_int_equal(err, failing_alloc_failed(f) ? WEFT_ERR_NOMEM : 0);
    (void)weft_counters_free(c);
}

static void test_counters_without_memory_say_so(void **state)
{
    (void)state;
    at_every_call(counters_run);
}

static void sa_run(const struct weft_alloc *a, const struct failing_alloc *f)
{
    const struct weft_sa_question path = {.method = WEFT_METHOD_GET,
                                          .attr_id = WEFT_ATTR_SA_PATH_RECORD};
    const struct weft_sa_question table = {.method = WEFT_METHOD_GET_TABLE,
                                           .attr_id = WEFT_ATTR_SA_NODE_RECORD};
    const struct weft_sa_question *const questions[] = {&path, &table, &path};
    struct sl *l = sl_try(NULL, a);
    unsigned refused = 0, empty = 0;

    for (size_t i = 0; l && i < sizeof(questions) / sizeof(questions[0]); i++) {
        int err = weft_sa_ask(l->sa, l->now, questions[i]);

        assert_true(!err || err == WEFT_ERR_NOMEM);
        refused += err != 0;
        if (!err)
            empty += sl_result(l).outcome == WEFT_SA_NO_MEMORY;
    }
    /* A path that there is no memory to repeat from what is kept is asked for once more. */
    assert_in_range(refused + empty + !l, 0, failing_alloc_failed(f));
    if (l)
        sl_free(l);
}

static void test_an_SA_client_without_memory_says_so(void **state)
{
    (void)state;
    at_every_call(sa_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sweep_without_memory_says_so),
        cmocka_unit_test(test_a_question_that_is_lost_for_want_of_memory_is_no_silence),
        cmocka_unit_test(test_what_is_known_needs_memory),
        cmocka_unit_test(test_tables_and_what_is_made_of_them_need_memory),
        cmocka_unit_test(test_counters_without_memory_say_so),
        cmocka_unit_test(test_an_SA_client_without_memory_says_so),
    };

    return cmocka_run_group_tests(tests, sweep_once, sweep_forget);
}
