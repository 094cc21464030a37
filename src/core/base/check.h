/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Assertions on weft's own reasoning; never on input.
 */
#ifndef WEFT_CORE_BASE_CHECK_H
#define WEFT_CORE_BASE_CHECK_H

#include <stddef.h>

/** Stops the program when a belief of the code is wrong. Only in checked builds: a core without I/O
 * has no other way to be heard, and an unchecked build must not pay for it. */
#ifdef WEFT_CHECKED
#define WEFT_ASSERT(cond) ((cond) ? (void)0 : __builtin_trap())
#else
#define WEFT_ASSERT(cond) ((void)sizeof((cond) ? 1 : 0))
#endif

/** The object of type `type` whose member `member` is at `ptr`. */
#define WEFT_CONTAINER_OF(ptr, type, member)                                                       \
    ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#endif
