/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to an SA: answers of any size, how they are repeated, how many there are in a time, an
 * SM that moves, redirections, and what hostile answers do. */
#include "core/wire/field.h"
#include "core/wire/mad_header.h"
#include "sa_lab.h"

#include <weft/sa.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NODES WEFT_ATTR_SA_NODE_RECORD
#define PATHS WEFT_ATTR_SA_PATH_RECORD
#define GET   WEFT_METHOD_GET
#define TABLE WEFT_METHOD_GET_TABLE

static void test_configurations_out_of_range(void **state)
{
    const weft_mad_agent_id agent = {1};
    struct weft_sa_config good;
    struct weft_sa *s = NULL;

    (void)state;
    (void)weft_sa_config_init(&good);
    for (int i = 0; i < 12; i++) {
        struct weft_sa_config c = good;

        c.timeout = i == 0 ? 0 : c.timeout;
        c.table_timeout = i == 1 ? 0 : c.table_timeout;
        c.tries = i == 2 ? 0 : c.tries;
        c.patience = i == 3 ? 0 : c.patience;
        c.window = i == 4 ? 0 : i == 5 ? 1025 : c.window;
        c.rate = i == 6 ? 0 : i == 7 ? 1000001 : c.rate;
        c.burst = i == 8 ? 0 : c.burst;
        c.retry.jitter_ns = i == 9 ? c.retry.base_ns + 1 : c.retry.jitter_ns;
        c.retry.cap_ns = i == 10 ? c.retry.base_ns - 1 : c.retry.cap_ns;
        c.size = i == 11 ? c.size - 1 : c.size;
        assert_int_equal(weft_sa_new(&c, NULL, agent, NULL, &s), WEFT_ERR_INVALID);
    }
    assert_null(weft_sa_free(NULL));
}

static void test_a_Get_has_one_record_and_ClassPortInfo_comes_first(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    memset(l->record, 0xA5, sizeof(l->record));
    sl_ask(l, GET, NODES, 7);
    assert_false(weft_sa_idle(l->sa));
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.question.about, 7);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.stride, WEFT_SA_RECORD_BYTES);
    assert_memory_equal(r.records, l->record, WEFT_SA_RECORD_BYTES);
    assert_int_equal(r.lid, SL_SM_LID);
    assert_int_equal(r.asked, 1);
    assert_int_equal(l->packets, 2);
    assert_true(weft_sa_idle(l->sa));
    sl_ask(l, GET, NODES, 8);
    assert_int_equal(sl_result(l).question.about, 8);
    assert_int_equal(l->packets, 3); /* the SA is known to live */
    sl_free(l);
}

static void test_the_request_is_as_IBA_wants_it(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_question q = {
        .method = WEFT_METHOD_DELETE, .attr_id = WEFT_ATTR_SA_SERVICE_RECORD, .attr_mod = 5};
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.sm_key = 0x1122334455667788;
    l = sl_new(&c);
    q.mask = 0x45;
    q.record[0] = 0x5A;
    assert_int_equal(weft_sa_ask(l->sa, 0, &q), 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    assert_int_equal(mad_class(l->last), WEFT_CLASS_SUBN_ADM);
    assert_int_equal(mad_class_version(l->last), 2);
    assert_int_equal(mad_method(l->last), WEFT_METHOD_DELETE);
    assert_int_equal(mad_attr_id(l->last), WEFT_ATTR_SA_SERVICE_RECORD);
    assert_int_equal(mad_attr_mod(l->last), 5);
    assert_int_equal(wire_get(WIRE_SA_SM_KEY, l->last), 0x1122334455667788);
    assert_int_equal(wire_get(WIRE_SA_COMPONENT_MASK, l->last), 0x45);
    assert_int_equal(l->last[WEFT_SA_DATA_OFFSET], 0x5A);
    q.method = WEFT_METHOD_TRAP;
    assert_int_equal(weft_sa_ask(l->sa, 0, &q), WEFT_ERR_INVALID);
    sl_free(l);
}

static void test_tables_of_any_size(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 1000, 9000};
    struct sl *l = sl_new(NULL);

    (void)state;
    l->stride = 112;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct weft_sa_result r;

        l->count = counts[i];
        sl_ask(l, TABLE, NODES, i);
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
        assert_int_equal(r.count, counts[i]);
        assert_int_equal(r.asked, 1);
        for (uint32_t n = 0; n < r.count; n++)
            assert_int_equal(wire_be32(r.records + n * r.stride + r.stride - 4), n);
    }
    sl_free(l);
}

static void test_an_SA_that_says_nothing_ends_all_questions_at_once(void **state)
{
    struct sl *l = sl_new(NULL);
    unsigned packets;

    (void)state;
    l->mood = SL_SILENT;
    l->probe_counts = true;
    for (uint64_t i = 0; i < 20; i++)
        sl_ask(l, TABLE, NODES, i);
    for (int i = 0; i < 20; i++) {
        struct weft_sa_result r = sl_result(l);

        assert_int_equal(r.outcome, WEFT_SA_SILENT);
        assert_int_equal(r.asked, 4);
        assert_int_equal(r.lid, SL_SM_LID);
        /* four waits of 1 s, and 0..511, 511..1022, 1533..2044 ms between */
        assert_in_range(r.took, 4 * WEFT_S + 2044 * WEFT_MS, 4 * WEFT_S + 3577 * WEFT_MS);
    }
    assert_int_equal(l->packets, 4);
    packets = l->packets;
    l->mood = SL_ANSWERS;
    sl_ask(l, GET, NODES, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    assert_int_equal(l->packets, packets + 2);
    sl_free(l);
}

static void test_a_port_without_an_SA_is_found_out(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    sl_ask(l, GET, NODES, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    l->mood = SL_ABSENT; /* the SM ends */
    l->probe_counts = true;
    sl_ask(l, GET, NODES, 1);
    sl_ask(l, TABLE, NODES, 2);
    for (int i = 0; i < 2; i++) {
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_ABSENT);
        assert_int_equal(r.asked, 1);
    }
    assert_true(l->now < 11 * WEFT_S); /* one wait for a table, no more */
    l->mood = SL_REFUSES;              /* an SA that does not know this attribute, and lives */
    l->status = WEFT_STATUS_BAD_METHOD_ATTRIBUTE;
    l->probe_counts = false;
    sl_ask(l, GET, NODES, 3);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_REFUSED);
    assert_int_equal(r.status, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(r.asked, 2);
    sl_free(l);
}

static void test_BUSY_is_waited_out_and_each_wait_is_longer(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    l->mood = SL_BUSY;
    l->change_after = 5;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.busy, 4);
    assert_int_equal(r.asked, 5);
    assert_int_equal(l->packets, 6);
    for (unsigned i = 3; i < l->packets; i++) {
        weft_time low = (weft_time)511 * ((1u << (i - 2)) - 1) * WEFT_MS;

        assert_in_range(l->times[i] - l->times[i - 1], low, low + 511 * WEFT_MS);
    }
    sl_free(l);
}

static void test_an_SA_that_stays_BUSY_ends_with_patience(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.patience = 10 * WEFT_S;
    l = sl_new(&c);
    l->mood = SL_BUSY;
    l->probe_counts = true;
    sl_ask(l, TABLE, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_BUSY);
    assert_int_equal(r.status, WEFT_STATUS_BUSY);
    assert_int_equal(r.asked, r.busy);
    assert_in_range(r.asked, 4, 6);
    assert_true(r.took <= 10 * WEFT_S);
    sl_free(l);
}

static void test_BUSY_is_a_result_where_the_policy_says_so(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.retry.busy = WEFT_MAD_BUSY_DELIVER;
    l = sl_new(&c);
    l->mood = SL_BUSY;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_BUSY);
    assert_int_equal(r.asked, 1);
    sl_free(l);
}

/* Whatever the SA does: in no second more than burst + rate packets leave. */
static void expect_rate(const struct sl *l, uint32_t burst, uint32_t rate)
{
    for (unsigned i = burst; i < l->packets; i++) {
        weft_time least = (i - (burst - 1)) * (WEFT_S / rate);

        assert_true(l->times[i] - l->times[0] >= least);
    }
    for (unsigned i = burst + rate; i < l->packets; i++)
        assert_true(l->times[i] - l->times[i - burst - rate] >= WEFT_S);
}

static void test_the_rate_of_requests_is_bounded_whatever_the_SA_does(void **state)
{
    static const enum sl_mood moods[] = {SL_ANSWERS, SL_BUSY, SL_SILENT};
    struct weft_sa_config c;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.rate = 20;
    c.burst = 4;
    c.retry.base_ns = c.retry.jitter_ns = c.retry.cap_ns = WEFT_MS;
    c.timeout = 2 * WEFT_MS;
    c.patience = 3 * WEFT_S;
    c.tries = 100;
    for (size_t i = 0; i < sizeof(moods) / sizeof(moods[0]); i++) {
        struct sl *l = sl_new(&c);

        l->mood = moods[i];
        for (uint64_t n = 0; n < 100; n++)
            sl_ask(l, GET, NODES, n);
        for (int n = 0; n < 100; n++)
            (void)sl_result(l);
        assert_true(l->packets > 50);
        expect_rate(l, c.burst, c.rate);
        sl_free(l);
    }
}

static void test_the_window_grows_with_answers_and_halves_on_BUSY(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_stats stats;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.rate = 100000;
    c.burst = 100;
    l = sl_new(&c);
    for (uint64_t n = 0; n < 100; n++)
        sl_ask(l, GET, NODES, n);
    for (int n = 0; n < 100; n++)
        assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.window, c.window);
    assert_int_equal(stats.under_way, 0);
    assert_int_equal(stats.answered, 101);
    l->mood = SL_BUSY;
    l->change_after = l->packets + 3;
    sl_ask(l, GET, NODES, 0);
    assert_int_equal(sl_result(l).busy, 3);
    weft_sa_stats(l->sa, &stats);
    assert_in_range(stats.window, 1, 2);
    sl_free(l);
}

static void test_an_SM_that_moves_is_followed_while_it_is_asked(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    sl_ask(l, GET, NODES, 0);
    (void)sl_result(l);
    l->at = 44;
    sl_ask(l, GET, NODES, 1);
    sl_run(l, l->now + 500 * WEFT_MS);
    assert_int_equal(l->lids[l->packets - 1], SL_SM_LID);
    weft_sa_sm(l->sa, l->now, 44, 2);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.lid, 44);
    assert_int_equal(l->lids[l->packets - 1], 44);
    assert_true(r.took < WEFT_S); /* it did not wait for the old one */
    sl_free(l);
}

static void test_without_an_SM_a_question_waits_for_one(void **state)
{
    struct sl *l = sl_new(NULL);

    (void)state;
    weft_sa_sm(l->sa, 0, 0, 0);
    sl_ask(l, GET, NODES, 0);
    sl_run(l, 30 * WEFT_S);
    assert_int_equal(l->packets, 0);
    weft_sa_sm(l->sa, l->now, SL_SM_LID, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    weft_sa_sm(l->sa, l->now, 0, 0);
    sl_ask(l, GET, NODES, 1);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_NO_SM);
    assert_int_equal(l->packets, 2);
    sl_free(l);
}

static void test_a_redirection_is_followed_until_it_expires(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_stats stats;
    struct weft_sa_result r;

    (void)state;
    l->mood = SL_REDIRECTS;
    l->elsewhere = 77;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.lid, 77);
    assert_int_equal(r.asked, 2);
    sl_ask(l, GET, NODES, 1);
    assert_int_equal(sl_result(l).asked, 1);
    assert_int_equal(l->lids[l->packets - 1], 77);
    sl_run(l, l->now + 61 * WEFT_S);
    l->mood = SL_ANSWERS;
    sl_ask(l, GET, NODES, 2);
    assert_int_equal(sl_result(l).lid, SL_SM_LID);
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.redirects, 1);
    sl_free(l);
}

static void test_a_redirection_leads_into_another_partition_and_subnet(void **state)
{
    static const uint8_t own[16] = {0xFE, 0xC0, 1, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 1};
    static const uint8_t far[16] = {0xFE, 0xC0, 2, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 7};
    const weft_pkey keys[WEFT_PKEY_BLOCK] = {0xFFFF, 0, 0x8005};
    struct weft_pkey_cache *cache = NULL;
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    assert_int_equal(weft_pkey_cache_new(WEFT_PKEY_BLOCK, NULL, &cache), 0);
    assert_int_equal(weft_pkey_cache_stage(cache, 0, keys), 0);
    assert_int_equal(weft_pkey_cache_commit(cache, NULL), 0);
    (void)weft_sa_config_init(&c);
    for (int knows = 0; knows < 2; knows++) {
        if (knows) {
            c.pkeys = cache;
            memcpy(c.gid, own, sizeof(c.gid));
        }
        l = sl_new(&c);
        l->mood = SL_REDIRECTS;
        l->elsewhere = 77;
        l->elsewhere_pkey = 0x8005;
        memcpy(l->elsewhere_gid, far, sizeof(far));
        sl_ask(l, GET, NODES, 0);
        r = sl_result(l);
        assert_int_equal(r.outcome, knows ? WEFT_SA_ANSWERED : WEFT_SA_REFUSED);
        assert_int_equal(r.status, knows ? 0 : WEFT_STATUS_REDIRECT);
        assert_int_equal(l->last_to.lid, knows ? 77 : SL_SM_LID);
        assert_int_equal(l->last_to.pkey_index, knows ? 2 : 0);
        assert_int_equal(l->last_to.has_grh, knows);
        if (knows)
            assert_memory_equal(l->last_to.grh.dgid, far, sizeof(far));
        sl_free(l);
    }
    (void)weft_pkey_cache_free(cache);
}

static void test_redirections_in_a_circle_or_to_nowhere_end(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    l->mood = SL_REDIRECTS;
    l->elsewhere = 0;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_REFUSED);
    assert_int_equal(r.status, WEFT_STATUS_REDIRECT);
    l->mood = SL_REFUSES; /* from now on the redirection itself is the answer everywhere */
    l->status = WEFT_STATUS_REDIRECT;
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_LID, l->record, SL_SM_LID);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QP, l->record, 1);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, l->record, 0xFFFF);
    sl_ask(l, GET, NODES, 1);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_REFUSED);
    assert_int_equal(r.asked, 5);
    sl_free(l);
}

static void test_refusals_and_answers_to_something_else(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    l->mood = SL_REFUSES;
    l->status = WEFT_SA_STATUS_NO_RECORDS;
    sl_ask(l, GET, PATHS, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_REFUSED);
    assert_int_equal(r.status, WEFT_SA_STATUS_NO_RECORDS);
    assert_int_equal(r.count, 0);
    l->mood = SL_WRONG;
    sl_ask(l, GET, PATHS, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_MALFORMED);
    l->mood = SL_ANSWERS;
    l->hides_stride = true;
    sl_ask(l, TABLE, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_MALFORMED);
    assert_int_equal(r.count, 0);
    l->probe_counts = true; /* whatever it says to ClassPortInfo: it lives */
    l->mood = SL_REFUSES;
    weft_sa_sm(l->sa, l->now, SL_SM_LID, 1);
    sl_ask(l, GET, PATHS, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_REFUSED);
    sl_free(l);
}

static void test_a_path_is_asked_for_once_until_it_expires(void **state)
{
    static const uint8_t from[16] = {1}, to[16] = {2};
    struct sl *l = sl_new(NULL);
    struct weft_sa_question q;

    (void)state;
    wire_set(WIRE_PATH_RECORD_DLID, l->record, 21);
    weft_sa_make_path(from, to, &q);
    for (int i = 0; i < 5; i++) {
        struct weft_sa_result r;

        assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
        assert_int_equal(r.cached, i > 0);
        assert_int_equal(wire_get(WIRE_PATH_RECORD_DLID, r.records), 21);
        assert_int_equal(r.count, 1);
    }
    assert_int_equal(l->packets, 2);
    sl_run(l, l->now + 61 * WEFT_S);
    assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
    assert_false(sl_result(l).cached);
    weft_sa_sm(l->sa, l->now, SL_SM_LID, 1); /* another SM, other paths */
    assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
    assert_false(sl_result(l).cached);
    sl_free(l);
}

/* A table with records that would be longer than all that has come is not an empty one. */
static void test_a_stride_beyond_the_table_is_no_answer(void **state)
{
    static const uint32_t counts[] = {1, 2, 20};
    struct sl *l = sl_new(NULL);

    (void)state;
    l->stride = 112;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct weft_sa_result r;

        l->count = counts[i];
        l->offset = (uint16_t)(l->count * l->stride / 8);
        sl_ask(l, TABLE, NODES, i);
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
        assert_int_equal(r.count, 1);
        l->offset++;
        sl_ask(l, TABLE, NODES, i);
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_MALFORMED);
        assert_int_equal(r.count, 0);
    }
    sl_free(l);
}

/* What is not there must neither be read nor kept. */
static void test_a_path_that_is_cut_off_is_not_kept(void **state)
{
    static const uint8_t from[16] = {1}, to[16] = {2};
    struct sl *l = sl_new(NULL);
    struct weft_sa_question q;

    (void)state;
    weft_sa_make_path(from, to, &q);
    for (uint32_t bytes = 0; bytes <= 64; bytes += 8) {
        struct weft_sa_result r;

        l->mood = SL_SHORT;
        l->stride = bytes;
        assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
        assert_int_equal(r.stride, bytes);
        assert_int_equal(r.count, bytes > 0);
        assert_false(r.cached);
    }
    assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
    assert_true(sl_result(l).cached);
    sl_free(l);
}

static void test_questions_left_are_freed(void **state)
{
    struct sl *l = sl_new(NULL);

    (void)state;
    l->mood = SL_SILENT;
    for (uint64_t i = 0; i < 50; i++)
        sl_ask(l, TABLE, NODES, i);
    sl_run(l, WEFT_S);
    assert_false(weft_sa_idle(l->sa));
    sl_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations_out_of_range),
        cmocka_unit_test(test_a_Get_has_one_record_and_ClassPortInfo_comes_first),
        cmocka_unit_test(test_the_request_is_as_IBA_wants_it),
        cmocka_unit_test(test_tables_of_any_size),
        cmocka_unit_test(test_an_SA_that_says_nothing_ends_all_questions_at_once),
        cmocka_unit_test(test_a_port_without_an_SA_is_found_out),
        cmocka_unit_test(test_BUSY_is_waited_out_and_each_wait_is_longer),
        cmocka_unit_test(test_an_SA_that_stays_BUSY_ends_with_patience),
        cmocka_unit_test(test_BUSY_is_a_result_where_the_policy_says_so),
        cmocka_unit_test(test_the_rate_of_requests_is_bounded_whatever_the_SA_does),
        cmocka_unit_test(test_the_window_grows_with_answers_and_halves_on_BUSY),
        cmocka_unit_test(test_an_SM_that_moves_is_followed_while_it_is_asked),
        cmocka_unit_test(test_without_an_SM_a_question_waits_for_one),
        cmocka_unit_test(test_a_redirection_is_followed_until_it_expires),
        cmocka_unit_test(test_a_redirection_leads_into_another_partition_and_subnet),
        cmocka_unit_test(test_redirections_in_a_circle_or_to_nowhere_end),
        cmocka_unit_test(test_refusals_and_answers_to_something_else),
        cmocka_unit_test(test_a_path_is_asked_for_once_until_it_expires),
        cmocka_unit_test(test_a_stride_beyond_the_table_is_no_answer),
        cmocka_unit_test(test_a_path_that_is_cut_off_is_not_kept),
        cmocka_unit_test(test_questions_left_are_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
