/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is wrong with a port: links below what both ends can do, and which of two is worse. */
#include "client/health.h"
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct thresholds nothing;

static struct cf *lab(void)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    return cf_new(ff_two_hosts, &c, "a");
}

static void test_a_good_link_has_nothing_wrong(void **state)
{
    struct cf *cf = lab();
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct health h;

    (void)state;
    assert_false(health_look(s, NULL, &nothing, cf_port(s, "sw", 2), &h));
    assert_int_equal(h.width, 4);
    assert_string_equal(health_speed_word(h.speed), "EDR");
    assert_false(health_look(s, NULL, &nothing, cf_port(s, "sw", 0), &h));
    assert_false(health_look(s, NULL, &nothing, cf_port(s, "sw", 4), &h));
    assert_int_equal(health_lanes(weft_sweep_port(s, cf_port(s, "sw", 4))), 0);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_a_bad_cable_is_narrow_and_slow_at_both_ends(void **state)
{
    struct cf *cf = lab();
    struct weft_sweep *s;
    struct health h;

    (void)state;
    ff_command(cf->ff, "link sw/2 width 1x speed QDR");
    s = cf_sweep(cf, NULL);
    assert_true(health_look(s, NULL, &nothing, cf_port(s, "sw", 2), &h));
    assert_true(h.narrow && h.slow && h.not_active && !h.down);
    assert_int_equal(h.width, 4);
    assert_int_equal(health_lanes(weft_sweep_port(s, cf_port(s, "sw", 2))), 1);
    assert_string_equal(health_speed_word(health_speed(weft_sweep_port(s, cf_port(s, "b", 1)))),
                        "QDR");
    assert_true(health_look(s, NULL, &nothing, cf_port(s, "b", 1), &h));
    assert_true(h.narrow && h.slow);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_speeds_and_widths_have_an_order(void **state)
{
    static const struct {
        uint8_t width, lanes, speed, extended;
        const char *word;
    } rows[] = {
        {1, 1, 1, 0, "SDR"},  {2, 4, 2, 0, "DDR"}, {4, 8, 4, 0, "QDR"}, {8, 12, 4, 1, "FDR"},
        {16, 2, 4, 2, "EDR"}, {2, 4, 4, 4, "HDR"}, {2, 4, 4, 8, "NDR"}, {0, 0, 0, 0, "?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct weft_sweep_port p = {.state = 4,
                                          .width = {.active = rows[i].width},
                                          .speed = {.active = rows[i].speed},
                                          .speed_ext = {.active = rows[i].extended}};

        assert_int_equal(health_lanes(&p), rows[i].lanes);
        assert_string_equal(health_speed_word(health_speed(&p)), rows[i].word);
    }
    assert_string_equal(health_speed_word(200), "?");
}

static void test_links_weigh_more_than_counters_and_counters_have_an_order(void **state)
{
    const struct health rows[] = {
        {.down = true},
        {.narrow = true},
        {.slow = true},
        {.not_active = true},
        {.above = 1U << WEFT_PMA_LINK_DOWNED | 1U << WEFT_PMA_XMIT_WAIT},
        {.above = 1U << WEFT_PMA_SYMBOL_ERRORS},
        {.above = 1U << WEFT_PMA_XMIT_WAIT},
        {.above = 0},
    };
    struct weft_pma_values v = {.present = UINT32_MAX};
    uint64_t last = UINT64_MAX;

    (void)state;
    v.value[WEFT_PMA_XMIT_WAIT] = UINT64_MAX;
    v.value[WEFT_PMA_SYMBOL_ERRORS] = 5;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(health_weight(&rows[i], &v) < last);
        last = health_weight(&rows[i], &v);
    }
    assert_int_equal(last, 0);
    last = health_weight(&rows[5], &v);
    v.value[WEFT_PMA_SYMBOL_ERRORS] = 6;
    assert_true(health_weight(&rows[5], &v) > last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_link_has_nothing_wrong),
        cmocka_unit_test(test_a_bad_cable_is_narrow_and_slow_at_both_ends),
        cmocka_unit_test(test_speeds_and_widths_have_an_order),
        cmocka_unit_test(test_links_weigh_more_than_counters_and_counters_have_an_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
