/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Steps and pages of the heap. */
#include "cli/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Address space that is asked for at first; memory is what is touched of it. */
#define HEAP_STEP  (256 << 20)
/* And from then on, each time: whoever has less address space left than the first step, by a limit
 * say, still gets what there is. */
#define HEAP_LATER (4 << 20)
/* More than the first step: what is free of it stays. */
#define HEAP_KEPT  (2 * HEAP_STEP)
/* Arrays below this are part of the heap: the most that glibc allows. */
#define HEAP_ARRAY (32 << 20)
/* More than is free in a heap that has just begun, so it must grow. */
#define HEAP_FIRST (1 << 20)

#define LARGE_PAGE ((uintptr_t)2 << 20)

/* What it has grown by, as far as large pages cover it. */
static void heap_advise(uintptr_t from, uintptr_t end)
{
    from = (from + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    if (from < end)
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
}

void heap_for_fabric(void)
{
    uintptr_t from = (uintptr_t)sbrk(0);
    void *volatile first; /* or the compiler sees that nobody needs it */

    if (mallopt(M_TOP_PAD, HEAP_STEP) == 0 || mallopt(M_TRIM_THRESHOLD, HEAP_KEPT) == 0 ||
        mallopt(M_MMAP_THRESHOLD, HEAP_ARRAY) == 0)
        return;
    first = malloc(HEAP_FIRST);
    free(first);
    (void)mallopt(M_TOP_PAD, HEAP_LATER);
    heap_advise(from, (uintptr_t)sbrk(0));
}
