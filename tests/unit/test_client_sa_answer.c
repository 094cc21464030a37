/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answers of an SA: records of any size, redirections, refusals, and answers that are none. */
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

static void test_a_Set_is_answered_by_GetResp(void **state)
{
    struct sl *l = sl_new(NULL);

    (void)state;
    sl_ask(l, WEFT_METHOD_SET, WEFT_ATTR_SA_SERVICE_RECORD, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    l->mood = SL_WRONG;
    l->method = WEFT_METHOD_SET | WEFT_METHOD_RESPONSE;
    sl_ask(l, WEFT_METHOD_SET, WEFT_ATTR_SA_SERVICE_RECORD, 0);
    assert_int_not_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
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
    assert_int_equal(r.took, 0); /* the second time at once */
    l->status |= 0x100;          /* of the class: says nothing about methods */
    l->probe_counts = true;
    sl_ask(l, GET, NODES, 4);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ABSENT);
    assert_int_equal(r.asked, 1);
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
    assert_int_equal(r.took, 0); /* at once, and not as after silence */
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.silent, 0);
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

/* A ClassPortInfo that names another place is a redirection, too; one that is refused, or another
 * attribute in its place, is not. */
static void test_ClassPortInfo_redirects(void **state)
{
    static const struct {
        enum sl_mood mood;
        uint16_t status, lid;
    } cases[] = {{SL_ANSWERS, 0, 77}, {SL_REFUSES, 0x100, SL_SM_LID}, {SL_WRONG, 0, SL_SM_LID}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl *l = sl_new(NULL);

        l->mood = cases[i].mood;
        l->status = cases[i].status;
        l->probe_counts = true;
        l->probe_redirects = true;
        l->elsewhere = 77;
        sl_ask(l, GET, NODES, 0);
        (void)sl_result(l);
        assert_int_equal(l->packets, 2);
        assert_int_equal(l->lids[1], cases[i].lid);
        sl_free(l);
    }
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
    for (int told = 0; told < 3; told++) {
        const bool knows = told == 2; /* its partitions, and its own GID */

        if (told > 0)
            c.pkeys = cache;
        if (knows)
            memcpy(c.gid, own, sizeof(c.gid));
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
    l->method = WEFT_METHOD_GET_TABLE_RESP;
    sl_ask(l, GET, PATHS, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_MALFORMED);
    l->mood = SL_ANSWERS;
    l->hides_stride = true;
    sl_ask(l, TABLE, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_MALFORMED);
    assert_int_equal(r.count, 0);
    l->stride = WEFT_SA_RECORD_BYTES; /* a whole MAD without a stride: an empty table */
    sl_ask(l, TABLE, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.count, 0);
    l->probe_counts = true; /* whatever it says to ClassPortInfo: it lives */
    l->mood = SL_REFUSES;
    weft_sa_sm(l->sa, l->now, SL_SM_LID, 1);
    sl_ask(l, GET, PATHS, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_REFUSED);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_of_any_size),
        cmocka_unit_test(test_a_Set_is_answered_by_GetResp),
        cmocka_unit_test(test_a_port_without_an_SA_is_found_out),
        cmocka_unit_test(test_a_redirection_is_followed_until_it_expires),
        cmocka_unit_test(test_ClassPortInfo_redirects),
        cmocka_unit_test(test_a_redirection_leads_into_another_partition_and_subnet),
        cmocka_unit_test(test_redirections_in_a_circle_or_to_nowhere_end),
        cmocka_unit_test(test_refusals_and_answers_to_something_else),
        cmocka_unit_test(test_a_stride_beyond_the_table_is_no_answer),
        cmocka_unit_test(test_a_path_that_is_cut_off_is_not_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
