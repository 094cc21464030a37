/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages and their queue. */
#include "umad/message_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_messages_begin_empty_and_come_again(void **state)
{
    struct message_pool pool = {0};
    struct message *all[200];

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 200; i++) {
            all[i] = message_take(&pool, i % 2 == 0 ? 256 : 10000);
            assert_non_null(all[i]);
            assert_int_equal(all[i]->length, 0);
            assert_int_equal(all[i]->received.v, 0);
            all[i]->length = all[i]->agent = 9;
            all[i]->received.v = 9;
            memset(all[i]->data, i, i % 2 == 0 ? 256 : 10000);
        }
        for (int i = 0; i < 200; i++) {
            assert_int_equal(all[i]->data[255], i);
            message_give(&pool, all[i]);
        }
    }
    message_pool_free(&pool);
    assert_null(pool.spare);
}

static void test_a_queue_keeps_the_order(void **state)
{
    struct message_pool pool = {0};
    struct message_queue q = {0};
    struct message *m;

    (void)state;
    assert_null(message_queue_take(&q));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 1; i <= 5; i++) {
            m = message_take(&pool, 0);
            assert_non_null(m);
            m->agent = i;
            message_queue_put(&q, m);
            assert_int_equal(q.count, i);
        }
        for (uint32_t i = 1; i <= 5; i++) {
            m = message_queue_take(&q);
            assert_non_null(m);
            assert_int_equal(m->agent, i);
            message_give(&pool, m);
        }
        assert_null(message_queue_take(&q));
        assert_int_equal(q.count, 0);
    }
    message_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_begin_empty_and_come_again),
        cmocka_unit_test(test_a_queue_keeps_the_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
