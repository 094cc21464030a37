/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cursor over a command's words: it moves past what it takes and stays before what it does
 * not, and ports are looked at as strictly as the line allows. */
#include "fabric/parser.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct fabric_error error;
static struct command command;

static struct parser over(const struct ff *ff, const char *line)
{
    struct parser p = {.f = ff->f, .c = &command, .error = &error};

    error.text[0] = '\0';
    assert_int_equal(words_split(line, strlen(line), &p.words, &error), 0);
    return p;
}

static void test_a_word_is_taken_or_stays(void **state)
{
    static const char *const words[] = {"first", "second", NULL};
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct parser p = over(ff, "second frist");
    unsigned which = 9;

    (void)state;
    assert_false(parser_take(&p, "first"));
    assert_int_equal(parser_choose(&p, words, &which), 0);
    assert_int_equal(which, 1);
    assert_int_equal(parser_choose(&p, words, &which), WEFT_ERR_FORMAT);
    assert_string_equal(error.text, "\"frist\" stands where first or second is expected: did you "
                                    "mean first?");
    assert_string_equal(parser_peek(&p), "frist");
    assert_int_equal(parser_want(&p, "frist"), 0);
    assert_null(parser_peek(&p));
    assert_int_equal(parser_want(&p, "more"), WEFT_ERR_FORMAT);
    assert_string_equal(error.text, "the line ends where more is expected");
    ff_free(ff);
}

static void test_ports_are_what_they_must_be(void **state)
{
    static const struct {
        const char *word;
        enum port_kind kind;
        bool moves;
        int err;
    } cases[] = {
        {"sw/0", PORT_ANY, false, 0},
        {"sw/0", PORT_PLUG, false, WEFT_ERR_NOTFOUND},
        {"sw/0", PORT_CABLED, true, WEFT_ERR_NOTFOUND},
        {"sw/3", PORT_ANY, false, 0},
        {"sw/3", PORT_PLUG, false, 0},
        {"sw/3", PORT_CABLED, false, WEFT_ERR_NOTFOUND},
        {"sw/3", PORT_CABLED, true, 0},
        {"sw/5", PORT_CABLED, true, WEFT_ERR_NOTFOUND},
        {"a/1", PORT_CABLED, false, 0},
        {"a/0", PORT_ANY, false, WEFT_ERR_NOTFOUND},
        {"a", PORT_ANY, false, WEFT_ERR_FORMAT},
    };
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct parser p = over(ff, cases[i].word);

        p.moves = cases[i].moves;
        assert_int_equal(parser_take_port(&p, cases[i].kind), cases[i].err);
        assert_int_equal(p.next, cases[i].err == 0);
    }
    ff_free(ff);
}

static void test_a_node_alone_means_its_first_port_with_a_cable(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct parser p = over(ff, "b sw sw/2");

    (void)state;
    assert_int_equal(parser_take_port_of_node(&p), 0);
    assert_int_equal(command.port, port_index(ff->f, ff_port(ff, "b", 1)));
    assert_int_equal(parser_take_port_of_node(&p), 0);
    assert_int_equal(command.port, port_index(ff->f, ff_port(ff, "sw", 0)));
    assert_int_equal(parser_take_port_of_node(&p), 0);
    assert_int_equal(command.port, port_index(ff->f, ff_port(ff, "sw", 2)));
    ff_free(ff);
}

static void test_numbers_times_and_shares(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct parser p = over(ff, "7 8 2s 3s 2.5% 3 no yes");
    uint64_t count = 0;
    weft_time time = 0;
    uint32_t share = 0;
    bool flag = true;

    (void)state;
    assert_int_equal(parser_take_count(&p, 7, "a number", &count), 0);
    assert_int_equal(count, 7);
    assert_int_equal(parser_take_count(&p, 7, "a number", &count), WEFT_ERR_FORMAT);
    assert_true(parser_take(&p, "8"));
    assert_int_equal(parser_take_time(&p, 2 * WEFT_S, "a time", &time), 0);
    assert_true(time == 2 * WEFT_S);
    assert_int_equal(parser_take_time(&p, 2 * WEFT_S, "a time", &time), WEFT_ERR_FORMAT);
    assert_true(parser_take(&p, "3s"));
    assert_int_equal(parser_take_share(&p, &share), 0);
    assert_int_equal(share, 25000);
    assert_int_equal(parser_take_share(&p, &share), WEFT_ERR_FORMAT);
    assert_true(parser_take(&p, "3"));
    assert_int_equal(parser_choose_flag(&p, "yes", "no", &flag), 0);
    assert_false(flag);
    assert_int_equal(parser_choose_flag(&p, "yes", "no", &flag), 0);
    assert_true(flag);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_word_is_taken_or_stays),
        cmocka_unit_test(test_ports_are_what_they_must_be),
        cmocka_unit_test(test_a_node_alone_means_its_first_port_with_a_cable),
        cmocka_unit_test(test_numbers_times_and_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
