/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cost of P_Key lookups in tables of 32, 128 and 65,536 entries, in the cache and entry by entry,
 * of replacing a table, and of a guest's translations. */
#include "core/base/prng.h"

#include <weft/pkey.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FINDS     UINT32_C(20000000)
#define QUERIES   4096
/* Entries that a scan looks at. */
#define SCANNED   UINT32_C(200000000)
#define REPLACED  UINT32_C(20000000)
#define RECEIVED  UINT32_C(2000000)
#define FUNCTIONS 64

static weft_pkey table[WEFT_PKEY_ENTRIES_MAX];
static weft_pkey queries[QUERIES];
/* What was found goes here, so that it is looked for at all. */
static volatile uint32_t sink;

static void fail(const char *what, int err)
{
    fprintf(stderr, "bench_pkey: %s: %s\n", what, weft_strerror(err));
    exit(3);
}

static uint64_t clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * WEFT_S + (uint64_t)ts.tv_nsec;
}

static void fill(struct weft_pkey_cache *c, uint32_t entries)
{
    for (uint32_t b = 0; b < (entries + WEFT_PKEY_BLOCK - 1) / WEFT_PKEY_BLOCK; b++) {
        int err = weft_pkey_cache_stage(c, (uint16_t)b, table + (size_t)b * WEFT_PKEY_BLOCK);

        if (err < 0)
            fail("cannot stage", err);
    }
}

/* A table of random keys in both forms; half of the queries are in it. */
static struct weft_pkey_cache *make(uint32_t entries)
{
    struct prng g = {entries};
    struct weft_pkey_cache *c;
    int err = weft_pkey_cache_new(entries, NULL, &c);

    if (err < 0)
        fail("cannot make a cache", err);
    for (uint32_t i = 0; i < entries; i++)
        table[i] = (weft_pkey)prng_up_to(&g, UINT16_MAX);
    for (uint32_t i = 0; i < QUERIES; i++)
        queries[i] = i % 2 ? table[prng_up_to(&g, entries - 1)]
                           : (weft_pkey)(prng_up_to(&g, UINT16_MAX) | 1);
    fill(c, entries);
    err = weft_pkey_cache_commit(c, NULL);
    if (err < 0)
        fail("cannot commit", err);
    return c;
}

static double bench_find(const struct weft_pkey_cache *c, bool exact)
{
    uint64_t begin = clock_ns();
    uint32_t sum = 0;

    for (uint32_t i = 0; i < FINDS; i++) {
        weft_pkey key = queries[i % QUERIES];
        uint16_t index = 0;

        if (exact)
            (void)weft_pkey_cache_find_exact(c, key, &index);
        else
            (void)weft_pkey_cache_find(c, key, &index);
        sum += index;
    }
    sink = sum;
    return (double)(clock_ns() - begin) / FINDS;
}

/* The same by looking at one entry after the other, as the Linux cache does. */
static double bench_scan(uint32_t entries)
{
    uint32_t finds = SCANNED / entries, sum = 0;
    uint64_t begin = clock_ns();

    for (uint32_t i = 0; i < finds; i++) {
        weft_pkey key = queries[i % QUERIES];
        uint32_t limited = 0;

        for (uint32_t k = 0; k < entries; k++) {
            if (!weft_pkey_same_partition(table[k], key))
                continue;
            limited = k;
            if (weft_pkey_is_full(table[k]))
                break;
        }
        sum += limited;
    }
    sink = sum;
    return (double)(clock_ns() - begin) / finds;
}

static double bench_replace(struct weft_pkey_cache *c, uint32_t entries)
{
    uint32_t times = REPLACED / entries;
    uint64_t begin = clock_ns();

    for (uint32_t i = 0; i < times; i++) {
        int err;

        table[i % entries] ^= WEFT_PKEY_FULL;
        fill(c, entries);
        err = weft_pkey_cache_commit(c, NULL);
        if (err < 0)
            fail("cannot commit", err);
    }
    return (double)(clock_ns() - begin) / times;
}

/* A MAD's way to a guest with a full map: its index, and back. */
static double bench_guest(const struct weft_pkey_cache *c, uint32_t entries)
{
    struct weft_pkey_place at = {.port = 1, .function = FUNCTIONS - 1};
    struct weft_pkey_map_config config;
    struct weft_pkey_map *m;
    uint32_t sum = 0;
    uint64_t begin;

    (void)weft_pkey_map_config_init(&config);
    config.functions = FUNCTIONS;
    config.entries = entries + 1;
    if (weft_pkey_map_new(&config, NULL, &m) < 0)
        fail("cannot make a map", WEFT_ERR_NOMEM);
    for (uint32_t v = 0; v < entries; v++)
        (void)weft_pkey_map_set(m, c, &at, (uint16_t)v, (uint16_t)(entries - 1 - v));
    begin = clock_ns();
    for (uint32_t i = 0; i < RECEIVED; i++) {
        uint16_t virt = 0, physical = 0;

        (void)weft_pkey_map_recv(m, c, &at, 1, (uint16_t)(i % entries), &virt);
        (void)weft_pkey_map_send(m, &at, 1, virt, &physical);
        sum += physical;
    }
    sink = sum;
    weft_pkey_map_free(m);
    return (double)(clock_ns() - begin) / RECEIVED;
}

int main(void)
{
    static const uint32_t lengths[] = {32, 128, 65536};

    printf("%8s %10s %10s %12s %14s %12s\n", "entries", "find ns", "exact ns", "scan ns",
           "replace ns", "guest ns");
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        uint32_t entries = lengths[i];
        struct weft_pkey_cache *c = make(entries);

        printf("%8u %10.1f %10.1f %12.1f %14.0f ", entries, bench_find(c, false),
               bench_find(c, true), bench_scan(entries), bench_replace(c, entries));
        /* devices with virtual functions have short tables */
        if (entries <= 128)
            printf("%12.1f\n", bench_guest(c, entries));
        else
            printf("%12s\n", "-");
        weft_pkey_cache_free(c);
    }
    return 0;
}
