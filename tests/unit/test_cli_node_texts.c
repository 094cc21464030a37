/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of nodes: each is made once, when it is asked for, and stays as it is. */
#include "cli/node_texts.h"
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t made;

/* As long as a text may be. */
static size_t make(const struct weft_sweep *s, uint32_t node, char *ret)
{
    assert_non_null(weft_sweep_node(s, node));
    made++;
    memset(ret, 'a' + (int)(node % 26), NODE_TEXT_BYTES - 1);
    ret[NODE_TEXT_BYTES - 1] = '\0';
    return NODE_TEXT_BYTES - 1;
}

static size_t make_none(const struct weft_sweep *s, uint32_t node, char *ret)
{
    (void)s;
    (void)node;
    (void)ret;
    return 0;
}

/* More than fit at first, from the last to the first. */
static void test_a_text_is_made_once(void **state)
{
    struct cf *cf = cf_new("fat-tree:hosts=36,radix=8", NULL, "host-00001");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    uint32_t nodes = weft_sweep_node_count(s);
    struct node_texts t;
    size_t length = 0;

    (void)state;
    assert_true(nodes > 36);
    made = 0;
    assert_true(node_texts_init(&t, s, make));
    for (unsigned again = 0; again < 2; again++)
        for (uint32_t i = nodes; i-- > 0;) {
            const char *text = node_texts_get(&t, i, &length);

            assert_non_null(text);
            assert_int_equal(length, NODE_TEXT_BYTES - 1);
            assert_int_equal(made, again ? nodes : nodes - i);
        }
    for (uint32_t i = 0; i < nodes; i++) {
        const char all[] = {(char)('a' + (int)(i % 26)), '\0'};
        const char *text = node_texts_made(&t, i, &length);

        assert_int_equal(length, NODE_TEXT_BYTES - 1);
        assert_int_equal(strspn(text, all), length);
        assert_int_equal(text[length], '\0');
    }
    node_texts_free(&t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_what_cannot_be_made_is_not_there(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct node_texts t;
    size_t length = 0;

    (void)state;
    assert_true(node_texts_init(&t, s, make_none));
    assert_null(node_texts_get(&t, 0, &length));
    assert_null(node_texts_get(&t, 0, &length));
    node_texts_free(&t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_text_is_made_once),
        cmocka_unit_test(test_what_cannot_be_made_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
