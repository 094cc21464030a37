/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: bytes decide what programs on a small fabric do, sound and hostile; what must hold
 * is looked at after every step. */
#include "sim/fabric_chaos.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes still to be used; behind the last one there are zeros. */
struct bytes {
    const uint8_t *next, *end;
};

static uint32_t draw(void *ctx, uint32_t max)
{
    struct bytes *b = ctx;
    uint32_t value = 0;

    for (uint32_t rest = max; rest > 0 && b->next < b->end; rest >>= 8)
        value = value << 8 | *b->next++;
    return max == UINT32_MAX ? value : value % (max + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {.next = data, .end = data + size};
    struct chaos_source source = {.draw = draw, .ctx = &bytes};
    /* A step takes a few bytes. */
    struct chaos_result r = chaos_run(&source, (uint32_t)(size < 4096 ? size / 4 : 1024), false);

    if (r.fault) {
        fprintf(stderr, "fuzz_fabric: %s\n", r.fault);
        abort();
    }
    return 0;
}
