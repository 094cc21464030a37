/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A last word of test programs: an assertion of the engine or a sanitizer ends them by a signal.
 */
#ifndef WEFT_TESTS_FATAL_H
#define WEFT_TESTS_FATAL_H

#include <signal.h>
#include <stddef.h>

/** Lets a function say what led to the end; it must not return. */
static inline void fatal_catch(void (*say)(int number))
{
    static const int numbers[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV};
    struct sigaction action = {.sa_handler = say};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaction(numbers[i], &action, NULL);
}

#endif
