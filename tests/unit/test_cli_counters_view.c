/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was seen of ports: who is missing, what makes an exit code of 1, and bytes in three digits.
 */
#include "cli/counters_view.h"
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A fabric that was looked at. */
struct lab {
    struct cf *cf;
    struct weft_sweep *sweep;
    struct weft_counters *counters;
    struct thresholds thresholds;
    bool *wanted;
    struct counters_view v;
};

static struct lab *lab_new(const char *topology, bool up, const char *before)
{
    const struct weft_mad_agent_req agent = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct lab *l = calloc(1, sizeof(*l));
    struct fabric_config c;
    weft_mad_agent_id id;

    assert_non_null(l);
    fabric_config_init(&c);
    c.up = up;
    l->cf = cf_new(topology, &c, "a");
    assert_int_equal(weft_mad_agent_add(l->cf->engine, &agent, &id), 0);
    if (before)
        ff_command(l->cf->ff, before);
    l->sweep = cf_sweep(l->cf, NULL);
    assert_int_equal(weft_counters_new(l->sweep, NULL, NULL, id, NULL, &l->counters), 0);
    cf_drive_counters(l->cf, l->counters);
    thresholds_init(&l->thresholds);
    l->wanted = malloc(weft_sweep_port_count(l->sweep));
    assert_non_null(l->wanted);
    memset(l->wanted, true, weft_sweep_port_count(l->sweep));
    assert_true(counters_view_init(&l->v, l->sweep, l->counters, &l->thresholds, l->wanted, false));
    return l;
}

static void lab_free(struct lab *l)
{
    counters_view_free(&l->v);
    free(l->wanted);
    (void)weft_counters_free(l->counters);
    (void)weft_sweep_free(l->sweep);
    cf_free(l->cf);
    free(l);
}

/* Of a switch whose port 0 is a base one, too, and once for all its ports. */
static void test_each_node_without_a_LID_is_named_once(void **state)
{
    static const char base[] =
        "switchguid=0x10(10)\n"
        "Switch 3 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
        "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 0 4xEDR\n"
        "\n"
        "caguid=0x20\n"
        "Ca 1 \"H-0000000000000020\" # \"a\"\n"
        "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";

    (void)state;
    for (int enhanced = 0; enhanced < 2; enhanced++) {
        struct lab *l = lab_new(enhanced ? ff_two_hosts : base, false, NULL);
        enum counters_gap_kind kind = COUNTERS_GAPS;
        uint32_t count = 0;
        bool is_switch = false;

        for (uint32_t port = 0; counters_view_gap(&l->v, &port, &kind); port++) {
            assert_int_equal(kind, COUNTERS_GAP_LID);
            is_switch = is_switch || port == cf_port(l->sweep, "sw", 0);
            count++;
        }
        assert_true(is_switch);
        assert_int_equal(count, weft_sweep_node_count(l->sweep));
        assert_int_equal(l->v.gaps[COUNTERS_GAP_LID], count);
        assert_true(counters_view_is_troubled(&l->v));
        lab_free(l);
    }
}

/* With all those where nothing is wrong, too, behind the others, as found. */
static void test_the_worst_ports_come_first(void **state)
{
    struct lab *l = lab_new(ff_chain, true, "link s1/2 width 1x");
    uint32_t wrong = l->v.troubled, rows = 0;
    struct counters_row row, last = {.weight = UINT64_MAX};

    (void)state;
    assert_true(wrong > 0);
    assert_int_equal(l->v.row_count, wrong);
    for (uint32_t at = 0; counters_view_row(&l->v, &at, &row); rows++)
        assert_true(row.weight > 0);
    assert_int_equal(rows, wrong);
    counters_view_free(&l->v);
    assert_true(counters_view_init(&l->v, l->sweep, l->counters, &l->thresholds, l->wanted, true));
    rows = 0;
    for (uint32_t at = 0; counters_view_row(&l->v, &at, &row); rows++) {
        assert_int_equal(row.weight > 0, rows < wrong);
        assert_true(row.weight < last.weight ||
                    (row.weight == last.weight && (rows == 0 || row.port > last.port)));
        last = row;
    }
    assert_true(rows > wrong);
    assert_int_equal(rows, l->v.row_count);
    assert_int_equal(rows + l->v.states[WEFT_COUNTERS_UNASKED], weft_sweep_port_count(l->sweep));
    lab_free(l);
}

/* Nothing is wrong with what was read, but two nodes say that they are one. */
static void test_a_dispute_alone_is_trouble(void **state)
{
    struct lab *l = lab_new(ff_two_hosts, true, NULL);

    (void)state;
    assert_false(counters_view_is_troubled(&l->v));
    assert_int_equal(counters_view_disputes(&l->v), 0);
    lab_free(l);
    l = lab_new(ff_two_hosts, true, "lie b guids a");
    assert_true(counters_view_disputes(&l->v) > 0);
    assert_true(counters_view_is_troubled(&l->v));
    lab_free(l);
}

static void test_bytes_have_three_digits(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0 B"},
        {999, "999 B"},
        {1000, "1.00 kB"},
        {1004, "1.00 kB"},
        {1005, "1.01 kB"},
        {99949, "99.9 kB"},
        {99950, "100 kB"},
        {999499, "999 kB"},
        {9994, "9.99 kB"},
        {9995, "10.0 kB"},
        {999500, "1.00 MB"},
        {UINT64_C(999499999999999999), "999 PB"},
        {UINT64_C(999500000000000000), "1.00 EB"},
        {UINT64_C(9994999999999999999), "9.99 EB"},
        {UINT64_C(9995000000000000000), "10.0 EB"},
        {UINT64_MAX, "18.4 EB"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[COUNTERS_BYTES_TEXT];

        assert_int_equal(counters_bytes(rows[i].bytes, text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
        assert_int_equal(counters_bytes_length(rows[i].bytes), strlen(rows[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_node_without_a_LID_is_named_once),
        cmocka_unit_test(test_the_worst_ports_come_first),
        cmocka_unit_test(test_a_dispute_alone_is_trouble),
        cmocka_unit_test(test_bytes_have_three_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
