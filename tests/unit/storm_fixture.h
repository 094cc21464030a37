/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A storm in a few lines of a test: a preset with changes, a policy by name, run to its end with
 * every promise of the engine checked after every step, unless it is large.
 */
#ifndef TESTS_STORM_FIXTURE_H
#define TESTS_STORM_FIXTURE_H

#include "storm/storm.h"

/** Memory for tests. */
extern const struct weft_alloc fixture_heap;

/** A preset; fails the test when there is none of that name. */
struct storm_scenario fixture_scenario(const char *preset);

/** A named policy; fails the test when there is none of that name. */
struct storm_policy fixture_policy(const char *name);

/** Runs a storm to its end and fails the test when a promise was broken.
 * over_time of the result is NULL. */
struct storm_result fixture_run(const struct storm_scenario *s, const struct storm_policy *p,
                                uint32_t clients, uint64_t seed);

/** fixture_run() with a policy by name and seed 1. */
struct storm_result fixture_run_named(const struct storm_scenario *s, const char *policy,
                                      uint32_t clients);

/** Packets that the clients sent beyond the first one of each query. */
uint64_t fixture_retries(const struct storm_result *r);

#endif
