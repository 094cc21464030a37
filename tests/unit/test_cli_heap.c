/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The heap of a verb that holds a fabric: arrays are part of it, it grows in large steps, and it
 * costs few page faults where the system gives large pages at all. Where there is less address
 * space than such a step it is a heap as any other. Under another malloc() it only does no harm. */
#include "cli/heap.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* clang has a way of its own to say that a sanitizer has replaced malloc(). */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OTHER_MALLOC 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OTHER_MALLOC 1
#endif
#ifndef OTHER_MALLOC
#define OTHER_MALLOC 0
#endif

#define PAGE       ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)
#define MIB        ((size_t)1 << 20)
#define BYTES      (32 * MIB)
#define ARRAY      MIB

static uintptr_t before, after;
static bool begins_with_little;

/* Leaves this process so much address space beside what it has. */
static bool leave(size_t bytes)
{
    FILE *f = fopen("/proc/self/statm", "re");
    char line[128] = "";
    bool known = f && fgets(line, sizeof(line), f);
    const struct rlimit limit = {.rlim_cur = strtoul(line, NULL, 10) * PAGE + bytes,
                                 .rlim_max = RLIM_INFINITY};

    if (f)
        (void)fclose(f);
    return known && setrlimit(RLIMIT_AS, &limit) == 0;
}

/* Whether so many arrays can be had. */
static bool take(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *volatile array = malloc(ARRAY);

        if (!array)
            return false;
    }
    return true;
}

static bool begin_with_little(void)
{
    if (!leave(64 * MIB))
        return false;
    heap_for_fabric();
    return take(32);
}

static bool go_on_with_little(void)
{
    return leave(64 * MIB) && take((size_t)(after - before) / ARRAY + 32);
}

/* Limits are those of a process. */
static bool succeeds_in_child(bool (*what)(void))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(what() ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static int set_up(void **state)
{
    (void)state;
    begins_with_little = OTHER_MALLOC || succeeds_in_child(begin_with_little);
    before = (uintptr_t)sbrk(0);
    heap_for_fabric();
    after = (uintptr_t)sbrk(0);
    return 0;
}

static long faults(void)
{
    struct rusage use;

    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_minflt;
}

static void touch(char *at, size_t bytes)
{
    volatile char *p = at;

    for (size_t i = 0; i < bytes; i += PAGE)
        p[i] = 1;
}

/* Whether whoever asks for large pages gets them now: memory may be in pieces. */
static bool large_pages_come(void)
{
    char *at =
        mmap(NULL, BYTES + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *from = at + (LARGE_PAGE - (uintptr_t)at % LARGE_PAGE) % LARGE_PAGE;
    long begin;

    assert_ptr_not_equal(at, MAP_FAILED);
    (void)madvise(from, BYTES, MADV_HUGEPAGE);
    begin = faults();
    touch(from, BYTES);
    begin = faults() - begin;
    (void)munmap(at, BYTES + LARGE_PAGE);
    return begin < (long)(BYTES / PAGE / 16);
}

static void test_it_grows_in_large_steps_and_arrays_are_part_of_it(void **state)
{
    char *array;

    (void)state;
    if (OTHER_MALLOC)
        return;
    assert_true(after - before >= 192 * MIB);
    array = malloc(24 * MIB);
    assert_in_range((uintptr_t)array, before - MIB, after - 24 * MIB); /* some may be left before */
    free(array);
    assert_true((uintptr_t)sbrk(0) >= after - 8 * MIB); /* what is freed stays */
}

/* Whether a line of smaps begins a mapping, "from-end ...", and which. */
static bool is_mapping(const char *line, uintptr_t *from, uintptr_t *end)
{
    char *rest;

    *from = strtoul(line, &rest, 16);
    if (rest == line || *rest != '-')
        return false;
    *end = strtoul(rest + 1, &rest, 16);
    return *rest == ' ';
}

/* The kernel's word on the heap's pages; "hg": large ones are asked for. */
static void test_large_pages_are_asked_for(void **state)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    bool inside = false, flags = false, asked = false;
    uintptr_t from, end;
    char line[512];

    (void)state;
    while (f && fgets(line, sizeof(line), f)) {
        if (is_mapping(line, &from, &end))
            inside = from <= after - LARGE_PAGE && end > after - LARGE_PAGE;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            flags = true;
            asked = asked || strstr(line, " hg");
        }
    }
    if (f)
        (void)fclose(f);
    if (OTHER_MALLOC || !flags || access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        return;
    assert_true(asked);
}

static void test_much_memory_costs_few_faults(void **state)
{
    char *arrays[BYTES / ARRAY];
    bool come = large_pages_come();
    long cost = faults();

    (void)state;
    for (size_t i = 0; i < BYTES / ARRAY; i++) {
        arrays[i] = malloc(ARRAY);
        assert_non_null(arrays[i]);
        touch(arrays[i], ARRAY);
    }
    cost = faults() - cost;
    for (size_t i = 0; i < BYTES / ARRAY; i++)
        free(arrays[i]);
    if (OTHER_MALLOC || !come || !large_pages_come())
        return;
    assert_true(cost < (long)(BYTES / PAGE / 4));
}

static void test_who_has_less_address_space_than_a_step_gets_what_there_is(void **state)
{
    (void)state;
    if (OTHER_MALLOC)
        return;
    assert_true(begins_with_little);
    assert_true(succeeds_in_child(go_on_with_little));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_grows_in_large_steps_and_arrays_are_part_of_it),
        cmocka_unit_test(test_large_pages_are_asked_for),
        cmocka_unit_test(test_much_memory_costs_few_faults),
        cmocka_unit_test(test_who_has_less_address_space_than_a_step_gets_what_there_is),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
