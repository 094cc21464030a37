/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The allocator of objects that were given none; zeroed memory and arrays from any allocator.
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

/** A zeroed array of anything, of 1 element at least.
 * @param count  of elements
 * @param size   bytes of each, more than 0
 * @return NULL: there is no memory */
void *alloc_array(const struct weft_alloc *a, uint32_t count, size_t size);

/** Makes an array of alloc_array() longer. What is new is not initialized.
 * @param old    NULL: there was none
 * @param count  its elements
 * @param more   so many it is to have, more than count
 * @return NULL: there is no memory, and `old` is as it was */
void *alloc_grow(const struct weft_alloc *a, void *old, uint32_t count, uint32_t more, size_t size);

/** Gives an array back; NULL is fine.
 * @param count  its elements */
void alloc_put(const struct weft_alloc *a, void *p, uint32_t count, size_t size);

#endif
