/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates of links. */
#include "topology/rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_a_rate_is_lanes_times_their_speed(void **state)
{
    static const struct {
        const char *width, *speed;
        uint32_t wanted;
    } rows[] = {
        {"4x", "SDR", 10000},  {"1x", "QDR", 10000},   {"4x", "EDR", 103125},
        {"2x", "NDR", 212500}, {"12x", "FDR", 168750}, {"4x", "FDR10", 41250},
        {"??", "EDR", 0},      {"4x", "???", 0},       {"", "", 0},
        {"4x", "53", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(topo_rate(rows[i].width, rows[i].speed), rows[i].wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rate_is_lanes_times_their_speed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
