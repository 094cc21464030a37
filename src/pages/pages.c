/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Zeroed memory from the kernel, page by page. */
#include "pages/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Below, the rest of a page would weigh more than what is never touched. */
static const size_t mapped_from = (size_t)64 << 10;

static void *get_small(size_t size, size_t align)
{
    void *p;

    if (align < sizeof(void *))
        align = sizeof(void *);
    if (posix_memalign(&p, align, size) != 0)
        return NULL;
    return memset(p, 0, size);
}

static void *pages_get(void *ctx, size_t size, size_t align)
{
    void *p;

    (void)ctx;
    if (size < mapped_from)
        return get_small(size, align);
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
             0);
    if (p == MAP_FAILED)
        return NULL;
    /* Kernels without huge pages refuse: then there is nothing to ask for. */
    (void)madvise(p, size, MADV_NOHUGEPAGE);
    return p;
}

static void pages_put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size < mapped_from)
        free(p);
    else
        (void)munmap(p, size);
}

const struct weft_alloc pages_alloc = {.get = pages_get, .put = pages_put};
