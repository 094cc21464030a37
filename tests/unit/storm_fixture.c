/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Storms for tests: every client two or four links away from the SA. */
#include "storm_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

/* Recounting every engine after every step takes most of the time of a large storm, and of one with
 * rogues that ask for much at a time. */
static const uint64_t checked_max = 400;

/* Pieces of an arena are mapped, as the command does it: filling them would take most of the time
 * of a small storm. */
static const size_t mapped_from = (size_t)1 << 20;

static void *heap_get(void *ctx, size_t size, size_t align)
{
    void *p = NULL;

    (void)ctx;
    if (size >= mapped_from) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return p == MAP_FAILED ? NULL : p;
    }
    return posix_memalign(&p, align < sizeof(p) ? sizeof(p) : align, size) == 0 ? p : NULL;
}

static void heap_put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size >= mapped_from)
        munmap(p, size);
    else
        free(p);
}

const struct weft_alloc fixture_heap = {heap_get, heap_put, NULL};

struct storm_scenario fixture_scenario(const char *preset)
{
    struct storm_scenario s;

    assert_int_equal(storm_scenario_preset(preset, &s), 0);
    return s;
}

struct storm_policy fixture_policy(const char *name)
{
    struct storm_policy p;

    assert_int_equal(storm_policy_named(name, &p), 0);
    return p;
}

struct storm_result fixture_run(const struct storm_scenario *s, const struct storm_policy *p,
                                uint32_t clients, uint64_t seed)
{
    struct storm_client_place *places = calloc(clients, sizeof(*places));
    struct storm_config config = {.scenario = s,
                                  .policy = p,
                                  .places = places,
                                  .clients = clients,
                                  .sa_lid = 1,
                                  .seed = seed,
                                  .check = clients + s->rogues * s->rogue_width <= checked_max};
    struct storm_result result;
    struct storm *storm = NULL;
    uint32_t violator = 0;
    bool done = false;
    int err = 0;

    assert_non_null(places);
    for (uint32_t i = 0; i < clients; i++)
        places[i] = (struct storm_client_place){(uint16_t)(2 + i % 2 * 2), (uint16_t)(i + 2)};
    assert_int_equal(storm_new(&config, &fixture_heap, &storm), 0);
    free(places);
    while (err == 0 && !done)
        err = storm_run(storm, 1000, &done);
    if (err != 0) {
        const char *promise = storm_violation(storm, &violator);

        fail_msg("seed %" PRIu64 ", client %" PRIu32 ": %s", seed, violator, promise);
    }
    storm_result(storm, &result);
    result.over_time = NULL;
    storm_free(storm);
    return result;
}

struct storm_result fixture_run_named(const struct storm_scenario *s, const char *policy,
                                      uint32_t clients)
{
    struct storm_policy p = fixture_policy(policy);

    return fixture_run(s, &p, clients, 1);
}

uint64_t fixture_retries(const struct storm_result *r)
{
    return r->clients.requests - r->clients.asked;
}
