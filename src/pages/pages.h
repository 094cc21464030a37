/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Memory for objects that are laid out large and used little: zeroed pages that come when touched.
 */
#ifndef WEFT_PAGES_PAGES_H
#define WEFT_PAGES_PAGES_H

#include <weft/base.h>

/** An allocator whose memory reads as zeroes and takes room only where it was touched: no swap is
 * reserved for it, and it is never made of huge pages, which would be touched whole. Less than
 * 64 KiB comes from the heap. It has no state; threads may share it. */
extern const struct weft_alloc pages_alloc;

#endif
