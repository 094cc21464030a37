/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many MADs a storm moves per second of processor time, with few clients and with many. */
#include "storm/storm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

/* Taken from the kernel at once: a page that nobody touches costs nothing. */
static void *get_memory(void *ctx, size_t size, size_t align)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    (void)ctx;
    (void)align;
    return p == MAP_FAILED ? NULL : p;
}

static void put_memory(void *ctx, void *p, size_t size)
{
    (void)ctx;
    munmap(p, size);
}

static uint64_t processor_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* One load: an SA that keeps up, so that every MAD does its normal work. */
struct load {
    const char *name;
    uint32_t clients;
    uint64_t paths, width, spread_ns, sa_rate;
    const char *policy;
};

static void set_scenario(const struct load *l, struct storm_scenario *ret)
{
    storm_scenario_preset("ipoib-boot", ret);
    ret->paths = l->paths;
    ret->width = l->width;
    ret->spread_ns = l->spread_ns;
    ret->sa_rate = l->sa_rate;
}

static int run(const struct load *l)
{
    const struct weft_alloc alloc = {get_memory, put_memory, NULL};
    struct storm_client_place *places = calloc(l->clients, sizeof(*places));
    struct storm_scenario scenario;
    struct storm_policy policy;
    struct storm_config config = {.scenario = &scenario,
                                  .policy = &policy,
                                  .places = places,
                                  .clients = l->clients,
                                  .sa_lid = 1,
                                  .seed = 1};
    struct storm_result result;
    struct storm *storm = NULL;
    uint64_t begin, made, end;
    struct rusage usage;
    bool done = false;

    if (!places)
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < l->clients; i++)
        places[i] =
            (struct storm_client_place){(uint16_t)(2 + i % 2 * 2), (uint16_t)(i % 40000 + 2)};
    set_scenario(l, &scenario);
    begin = processor_ns();
    if (storm_policy_named(l->policy, &policy) != 0 || storm_new(&config, &alloc, &storm) != 0)
        return EXIT_FAILURE;
    made = processor_ns();
    while (!done)
        if (storm_run(storm, UINT32_MAX, &done) != 0)
            return EXIT_FAILURE;
    end = processor_ns();
    storm_result(storm, &result);
    getrusage(RUSAGE_SELF, &usage);
    printf("%-32s %10" PRIu64 " MADs  %9" PRIu64 " MADs/s  %5" PRIu64 " ns/MAD  %4.2f events/MAD  "
           "made in %5" PRIu64 " ms  peak memory %5ld MiB  hash %016" PRIx64 "\n",
           l->name, result.mads, result.mads * 1000000000u / (end - made),
           (end - made) / result.mads, (double)result.events / (double)result.mads,
           (made - begin) / 1000000, usage.ru_maxrss / 1024, result.trace_hash);
    storm_free(storm);
    free(places);
    return EXIT_SUCCESS;
}

/* Without arguments all loads; with the beginning of a load's name those, for a profiler. */
int main(int argc, char **argv)
{
    static const struct load loads[] = {
        {"1,000 clients, kernel-flow", 1000, 1000, 4, WEFT_MS, 100000, "kernel-flow"},
        {"1,000 clients, port-flow", 1000, 1000, 4, WEFT_MS, 100000, "port-flow"},
        {"1,000 clients, adaptive", 1000, 1000, 4, WEFT_MS, 100000, "adaptive"},
        {"100,000 clients, kernel-flow", 100000, 16, 4, 10 * WEFT_S, 200000, "kernel-flow"},
        {"100,000 clients, adaptive", 100000, 16, 4, 10 * WEFT_S, 200000, "adaptive"},
    };
    const char *only = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
        if (strncmp(loads[i].name, only, strlen(only)) == 0 && run(&loads[i]) != EXIT_SUCCESS) {
            fprintf(stderr, "bench_storm: %s failed\n", loads[i].name);
            return EXIT_FAILURE;
        }
    return EXIT_SUCCESS;
}
