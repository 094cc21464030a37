/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The matrix against tables of a small fabric: groups, memberships, and switches that enforce. */
#include "client/matrix.h"
#include "client_fixture.h"
#include "core/wire/field.h"
#include "fabric/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct found {
    struct cf *cf;
    struct weft_sweep *s;
    struct pkey_tables *t;
    struct matrix *m;
};

static struct found find(struct cf *cf)
{
    struct found f = {.cf = cf};

    f.s = cf_sweep(cf, NULL);
    f.t = cf_tables(cf, f.s, NULL);
    assert_int_equal(matrix_new(f.s, f.t, NULL, &f.m), 0);
    return f;
}

static void found_free(struct found *f)
{
    (void)matrix_free(f->m);
    (void)pkey_tables_free(f->t);
    (void)weft_sweep_free(f->s);
    cf_free(f->cf);
}

static const struct matrix_partition *partition(const struct found *f, weft_pkey base)
{
    for (uint32_t i = 0; i < f->m->partition_count; i++)
        if (f->m->partitions[i].base == base)
            return &f->m->partitions[i];
    fail_msg("no partition 0x%04x", base);
    abort(); /* fail_msg() does not come back, which compilers are not told */
}

static void test_limited_members_reach_full_ones_only(void **state)
{
    enum {
        N = MEMBERSHIP_NONE,
        L = MEMBERSHIP_LIMITED,
        F = MEMBERSHIP_FULL,
        B = L | F
    };
    static const struct {
        uint8_t a, b;
        bool reaches;
    } rows[] = {
        {N, N, false}, {N, L, false}, {N, F, false}, {N, B, false}, {L, L, false},
        {L, F, true},  {L, B, true},  {F, F, true},  {F, B, true},  {B, B, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(membership_reaches(rows[i].a, rows[i].b), rows[i].reaches);
        assert_int_equal(membership_reaches(rows[i].b, rows[i].a), rows[i].reaches);
    }
}

static void test_groups_by_partition(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct found f;
    const struct matrix_partition *p;

    (void)state;
    ff_command(cf->ff, "pkey a/1 1 0x8005"); /* both forms, the full one twice */
    ff_command(cf->ff, "pkey a/1 2 0x0005");
    ff_command(cf->ff, "pkey a/1 40 0x8005");
    ff_command(cf->ff, "pkey b/1 9 0x0005");
    ff_command(cf->ff, "pkey b/1 10 0x0003");
    ff_command(cf->ff, "pkey sw/0 127 0x0003");
    ff_command(cf->ff, "pkey b/1 11 0x8000"); /* names no partition */
    ff_command(cf->ff, "pkey sw/1 1 0x8009"); /* is nobody's membership */
    f = find(cf);
    assert_int_equal(f.m->partition_count, 3);
    p = partition(&f, 0x0003);
    assert_ptr_equal(p, &f.m->partitions[0]);
    assert_int_equal(p->count, 2);
    assert_int_equal(p->full, 0);
    assert_int_equal(matrix_membership(f.m, p, cf_port(f.s, "a", 1)), MEMBERSHIP_NONE);
    assert_int_equal(matrix_membership(f.m, p, cf_port(f.s, "b", 1)), MEMBERSHIP_LIMITED);
    p = partition(&f, 0x0005);
    assert_int_equal(p->count, 2);
    assert_int_equal(p->full, 1);
    assert_int_equal(p->both, 1);
    assert_int_equal(matrix_membership(f.m, p, cf_port(f.s, "a", 1)),
                     MEMBERSHIP_FULL | MEMBERSHIP_LIMITED);
    assert_int_equal(matrix_membership(f.m, p, cf_port(f.s, "b", 1)), MEMBERSHIP_LIMITED);
    p = partition(&f, 0x7FFF);
    assert_int_equal(p->count, 3);
    assert_int_equal(p->full, 3);
    assert_int_equal(p->both, 0);
    assert_int_equal(matrix_membership(f.m, p, cf_port(f.s, "sw", 0)), MEMBERSHIP_FULL);
    assert_int_equal(matrix_membership(f.m, p, cf_port(f.s, "sw", 1)), MEMBERSHIP_NONE);
    found_free(&f);
}

static enum matrix_gate gate(const struct found *f, const char *host, weft_pkey key, bool entering)
{
    return matrix_gate(f->s, f->t, cf_port(f->s, host, 1), key, entering);
}

static void test_switches_that_enforce(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    uint8_t *info = ff_port(cf->ff, "sw", 1)->info;
    struct found f;

    (void)state;
    wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_IN, info, 1);
    wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, info, 1);
    link_note(cf->ff->f, ff_port(cf->ff, "sw", 1));
    ff_command(cf->ff, "pkey sw/1 0 0x0005");
    ff_command(cf->ff, "pkey sw/1 1 0x8006");
    f = find(cf);
    /* Enters: what is in the table, with no more than the membership there. */
    assert_int_equal(gate(&f, "a", 0x0005, true), GATE_PASSES);
    assert_int_equal(gate(&f, "a", 0x8005, true), GATE_DROPS);
    assert_int_equal(gate(&f, "a", 0x0006, true), GATE_PASSES);
    assert_int_equal(gate(&f, "a", 0x8006, true), GATE_PASSES);
    assert_int_equal(gate(&f, "a", 0xFFFF, true), GATE_DROPS);
    /* Leaves: what matches. */
    assert_int_equal(gate(&f, "a", 0x0005, false), GATE_DROPS);
    assert_int_equal(gate(&f, "a", 0x8005, false), GATE_PASSES);
    assert_int_equal(gate(&f, "a", 0x0006, false), GATE_PASSES);
    assert_int_equal(gate(&f, "a", 0x8007, false), GATE_DROPS);
    /* The other port does not enforce; at port 0 of a switch there is nobody who could. */
    assert_int_equal(gate(&f, "b", 0x1234, true), GATE_OFF);
    assert_int_equal(gate(&f, "b", 0x1234, false), GATE_OFF);
    assert_int_equal(matrix_gate(f.s, f.t, cf_port(f.s, "sw", 0), 0x1234, true), GATE_OFF);
    found_free(&f);
}

static void test_a_switch_whose_table_is_not_known_may_do_anything(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct found f = {.cf = cf};

    (void)state;
    wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_IN, ff_port(cf->ff, "sw", 1)->info, 1);
    link_note(cf->ff->f, ff_port(cf->ff, "sw", 1));
    f.s = cf_sweep(cf, NULL);
    ff_command(cf->ff, "loss 100% on agent sw");
    f.t = cf_tables(cf, f.s, NULL);
    assert_int_equal(matrix_new(f.s, f.t, NULL, &f.m), 0);
    assert_int_equal(gate(&f, "a", 0xFFFF, true), GATE_UNKNOWN);
    assert_int_equal(gate(&f, "a", 0xFFFF, false), GATE_OFF);
    found_free(&f);
}

static void test_nothing_is_freed_without_harm(void **state)
{
    (void)state;
    assert_null(matrix_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limited_members_reach_full_ones_only),
        cmocka_unit_test(test_groups_by_partition),
        cmocka_unit_test(test_switches_that_enforce),
        cmocka_unit_test(test_a_switch_whose_table_is_not_known_may_do_anything),
        cmocka_unit_test(test_nothing_is_freed_without_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
