/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids by number, and memory for their events. */
#include "iw/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_a_number_is_never_used_twice(void **state)
{
    struct identities t = {.last = 0};
    uint64_t before = 0;

    (void)state;
    assert_int_equal(identities_new(&t, 4), 0);
    for (int i = 0; i < 100; i++) {
        struct identity *who = identity_new(&t);

        assert_non_null(who);
        assert_true(who->id.v > before);
        before = who->id.v;
        assert_ptr_equal(identity_find(&t, before), who);
        who->gone = true;
        assert_true(identity_free_if_left(&t, who));
        assert_null(identity_find(&t, before));
    }
    identities_free(&t);
}

static void test_more_than_there_are_buckets(void **state)
{
    struct identities t = {.last = 0};

    (void)state;
    assert_int_equal(identities_new(&t, 1), 0);
    for (uint64_t i = 1; i <= 200; i++)
        assert_int_equal(identity_new(&t)->id.v, i);
    for (uint64_t i = 1; i <= 200; i++)
        assert_int_equal(identity_find(&t, i)->id.v, i);
    assert_null(identity_find(&t, 0));
    assert_null(identity_find(&t, 201));
    identities_free(&t);
}

static void test_it_stays_until_all_have_left(void **state)
{
    struct identities t = {.last = 0};
    struct identity *who;

    (void)state;
    assert_int_equal(identities_new(&t, 4), 0);
    who = identity_new(&t);
    assert_false(identity_free_if_left(&t, who));
    who->gone = true;
    who->running = 1;
    assert_false(identity_free_if_left(&t, who));
    who->running = 0;
    who->visitors = 1;
    assert_false(identity_free_if_left(&t, who));
    who->visitors = 0;
    assert_true(identity_free_if_left(&t, who));
    identities_free(&t);
}

static void test_reserving_tops_up(void **state)
{
    struct identities t = {.last = 0};
    struct identity *who;
    struct event_node *e[2];

    (void)state;
    assert_int_equal(identities_new(&t, 4), 0);
    who = identity_new(&t);
    assert_null(identity_event(who));
    for (int i = 0; i < 3; i++)
        assert_true(identity_reserve(who, 2));
    for (int i = 0; i < 2; i++) {
        e[i] = identity_event(who);
        assert_non_null(e[i]);
        list_push_back(&who->events, &e[i]->link);
    }
    assert_null(identity_event(who));
    assert_ptr_equal(identity_oldest(who), e[0]);
    who->shown = e[0];
    identity_unshow(who);
    assert_null(who->shown);
    /* what is left goes with the table */
    identities_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_number_is_never_used_twice),
        cmocka_unit_test(test_more_than_there_are_buckets),
        cmocka_unit_test(test_it_stays_until_all_have_left),
        cmocka_unit_test(test_reserving_tops_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
