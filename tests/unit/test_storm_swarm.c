/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Storms nobody would think of: random scenarios under random policies, every promise checked after
 * every step. A failure names the seed that repeats it. */
#include "core/base/prng.h"
#include "storm_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    SEEDS = 400
};

static uint64_t pick(struct prng *g, uint64_t min, uint64_t max)
{
    return min + prng_up_to(g, max - min);
}

/* Small numbers and great ones, each as often. */
static weft_time pick_time(struct prng *g, weft_time min, weft_time max)
{
    weft_time top = min;

    while (top < max && prng_up_to(g, 15) > 0)
        top = top * 4 + 1;
    return pick(g, min, top < max ? top : max);
}

static struct storm_scenario random_scenario(struct prng *g)
{
    return (struct storm_scenario){
        .joins = pick(g, 0, 3),
        .paths = pick(g, 1, 200),
        .width = pick(g, 0, 200),
        .agents = pick(g, 1, 12),
        .spread_ns = pick_time(g, 0, WEFT_S),
        .timeout_ns = pick_time(g, 2 * WEFT_MS, 2 * WEFT_S),
        .retries = pick(g, 0, 20),
        .recv_depth = pick(g, 64, 100),
        .read_ns = pick_time(g, 0, 100 * WEFT_MS),
        .send_ns = pick_time(g, 0, WEFT_MS),
        .rogues = prng_up_to(g, 3) == 0 ? 1 : 0,
        .rogue_queries = pick(g, 1, 500),
        .rogue_width = pick(g, 1, 200),
        .rogue_timeout_ns = pick_time(g, 2 * WEFT_MS, WEFT_S),
        .hop_ns = pick_time(g, 0, WEFT_MS),
        .host_ns = pick_time(g, 0, WEFT_MS),
        .loss_request = prng_up_to(g, 1) ? pick(g, 0, 400000) : 0,
        .loss_response = prng_up_to(g, 1) ? pick(g, 0, 400000) : 0,
        .sa_rate = pick(g, 50, 100000),
        .sa_queue = pick(g, 1, 600),
        .sa_overload = pick(g, STORM_DROP, STORM_STALE),
        .sa_backlog = pick(g, 1, 1000),
        .sa_busy_above = pick(g, 1, 100),
        .sa_busy_ns = pick_time(g, 0, WEFT_MS),
        .sa_take_ns = pick_time(g, 0, WEFT_MS),
        .sa_stale_ns = pick_time(g, 0, WEFT_S),
        .duration_ns = 2 * WEFT_S,
    };
}

static struct storm_policy random_policy(struct prng *g, const struct storm_scenario *s)
{
    weft_time base = pick_time(g, 0, WEFT_S);
    uint64_t window = pick(g, 1, 20);

    return (struct storm_policy){
        .kind = prng_up_to(g, 1),
        .bound = prng_up_to(g, 1),
        .busy = prng_up_to(g, 1),
        .base_ns = base,
        .jitter_ns = prng_up_to(g, base),
        .cap_ns = base * pick(g, 1, 10),
        .total_ns = prng_up_to(g, 1) ? pick_time(g, 0, WEFT_S) : 0,
        .timeout_ns = STORM_INHERIT,
        .retries = STORM_INHERIT,
        .agent_limits = prng_up_to(g, 1),
        .port_budget = prng_up_to(g, 1),
        .reserve = prng_up_to(g, s->recv_depth - 1),
        .adaptive = prng_up_to(g, 1),
        .window_initial = window,
        .window_max = pick(g, window, 60),
        .queue_timeout_ns = prng_up_to(g, 2) ? 0 : pick_time(g, WEFT_MS, WEFT_S),
        .reask = prng_up_to(g, 1),
        .reask_delay_ns = pick_time(g, WEFT_MS, WEFT_S),
    };
}

static bool adds_up(const struct storm_result *r, const struct storm_scenario *s,
                    const struct storm_policy *p, uint32_t clients)
{
    const struct storm_client_totals *c = &r->clients;

    return c->clients_resolved + c->clients_failed == clients &&
           c->queries_resolved + c->queries_failed == clients * storm_scenario_queries(s) &&
           c->accepted >= c->completed && c->requests >= r->answers + r->busy &&
           (p->port_budget == 0 || c->recv_dropped == 0);
}

static void test_R49_R75_no_promise_is_broken_in_any_storm(void **state)
{
    uint64_t cut = 0, resolved = 0, recv_dropped = 0, expired = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct prng g = {seed};
        struct storm_scenario s = random_scenario(&g);
        struct storm_policy p = random_policy(&g, &s);
        uint32_t clients = (uint32_t)pick(&g, 1, 12);
        struct storm_result r = fixture_run(&s, &p, clients, seed);

        if (!adds_up(&r, &s, &p, clients))
            fail_msg("seed %" PRIu64 ": the numbers do not add up", seed);
        cut += r.cut;
        resolved += r.clients.clients_resolved;
        recv_dropped += r.clients.recv_dropped;
        expired += r.sa_expired;
    }
    /* The swarm has been everywhere. */
    assert_true(cut > 0 && resolved > 0 && recv_dropped > 0 && expired > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R49_R75_no_promise_is_broken_in_any_storm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
