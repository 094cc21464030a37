/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/network.h: latency by distance, and loss by direction. */
#include "storm/network.h"
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct storm_network make_network(uint64_t loss_request, uint64_t loss_response)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_network n;

    s.host_ns = 1000;
    s.hop_ns = 7;
    s.loss_request = loss_request;
    s.loss_response = loss_response;
    storm_network_init(&n, &s, 5);
    return n;
}

static void test_each_link_takes_its_time(void **state)
{
    struct storm_network n = make_network(0, 0);

    (void)state;
    assert_int_equal(storm_network_latency(&n, 0), 1000);
    assert_int_equal(storm_network_latency(&n, 4), 1028);
}

static uint32_t losses(struct storm_network *n, enum storm_network_direction d, uint32_t packets)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < packets; i++)
        lost += storm_network_loses(n, d);
    return lost;
}

static void test_loss_is_the_share_asked_for(void **state)
{
    struct storm_network n = make_network(250000, 10000);
    uint32_t requests = losses(&n, STORM_NETWORK_REQUEST, 100000);
    uint32_t responses = losses(&n, STORM_NETWORK_RESPONSE, 100000);

    (void)state;
    assert_in_range(requests, 24000, 26000);
    assert_in_range(responses, 800, 1200);
    assert_int_equal(n.lost[STORM_NETWORK_REQUEST], requests);
    assert_int_equal(n.lost[STORM_NETWORK_RESPONSE], responses);
}

static void test_all_and_nothing(void **state)
{
    struct storm_network n = make_network(0, 1000000);

    (void)state;
    assert_int_equal(losses(&n, STORM_NETWORK_REQUEST, 1000), 0);
    assert_int_equal(losses(&n, STORM_NETWORK_RESPONSE, 1000), 1000);
}

/* What happens to answers must not change which requests are lost: else a policy that asks once
 * more would meet another network. */
static void test_directions_have_chances_of_their_own(void **state)
{
    struct storm_network one = make_network(500000, 500000);
    struct storm_network other = make_network(500000, 500000);
    uint32_t alike = 0;

    (void)state;
    losses(&other, STORM_NETWORK_RESPONSE, 333);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(storm_network_loses(&one, STORM_NETWORK_REQUEST),
                         storm_network_loses(&other, STORM_NETWORK_REQUEST));
    one = make_network(500000, 500000);
    for (int i = 0; i < 1000; i++)
        alike += storm_network_loses(&one, STORM_NETWORK_REQUEST) ==
                 storm_network_loses(&one, STORM_NETWORK_RESPONSE);
    assert_in_range(alike, 400, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_link_takes_its_time),
        cmocka_unit_test(test_loss_is_the_share_asked_for),
        cmocka_unit_test(test_all_and_nothing),
        cmocka_unit_test(test_directions_have_chances_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
