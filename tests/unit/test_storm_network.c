/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/network.h: latency by distance, and loss by direction. */
#include "storm/network.h"
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct network make_network(uint64_t loss_request, uint64_t loss_response)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct network n;

    s.host_ns = 1000;
    s.hop_ns = 7;
    s.loss_request = loss_request;
    s.loss_response = loss_response;
    network_init(&n, &s, 5);
    return n;
}

static void test_each_link_takes_its_time(void **state)
{
    struct network n = make_network(0, 0);

    (void)state;
    assert_int_equal(network_latency(&n, 0), 1000);
    assert_int_equal(network_latency(&n, 4), 1028);
}

static uint32_t losses(struct network *n, enum network_direction d, uint32_t packets)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < packets; i++)
        lost += network_loses(n, d);
    return lost;
}

static void test_loss_is_the_share_asked_for(void **state)
{
    struct network n = make_network(250000, 10000);
    uint32_t requests = losses(&n, NETWORK_REQUEST, 100000);
    uint32_t responses = losses(&n, NETWORK_RESPONSE, 100000);

    (void)state;
    assert_in_range(requests, 24000, 26000);
    assert_in_range(responses, 800, 1200);
    assert_int_equal(n.lost[NETWORK_REQUEST], requests);
    assert_int_equal(n.lost[NETWORK_RESPONSE], responses);
}

static void test_all_and_nothing(void **state)
{
    struct network n = make_network(0, 1000000);

    (void)state;
    assert_int_equal(losses(&n, NETWORK_REQUEST, 1000), 0);
    assert_int_equal(losses(&n, NETWORK_RESPONSE, 1000), 1000);
}

/* What happens to answers must not change which requests are lost: else a policy that asks once
 * more would meet another network. */
static void test_directions_have_chances_of_their_own(void **state)
{
    struct network one = make_network(500000, 500000);
    struct network other = make_network(500000, 500000);
    uint32_t alike = 0;

    (void)state;
    losses(&other, NETWORK_RESPONSE, 333);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(network_loses(&one, NETWORK_REQUEST),
                         network_loses(&other, NETWORK_REQUEST));
    one = make_network(500000, 500000);
    for (int i = 0; i < 1000; i++)
        alike += network_loses(&one, NETWORK_REQUEST) == network_loses(&one, NETWORK_RESPONSE);
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
