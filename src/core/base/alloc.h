/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The allocator of objects that were given none, and zeroed memory from any allocator.
 */
#ifndef WEFT_CORE_BASE_ALLOC_H
#define WEFT_CORE_BASE_ALLOC_H

#include <weft/base.h>

/** The allocator to use: the one given, or malloc and free for NULL. */
struct weft_alloc alloc_or_libc(const struct weft_alloc *a);

/** Zeroed bytes from an allocator.
 * @param size   how many, more than 0
 * @param align  a power of two
 * @return NULL: it has none, or no object can be that large */
void *alloc_zeroed(const struct weft_alloc *a, uint64_t size, size_t align);

#endif
