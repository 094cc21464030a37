/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random reads and writes of header fields, by libibmad and by our tables on equal buffers. The
 * input is the first 256 bytes of the buffer, then steps: a byte that picks a field, 64 bytes of
 * value. */
#include "ibmad_compare.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t buffer[256] __attribute__((aligned(8))) = {0};
    size_t first = size < sizeof(buffer) ? size : sizeof(buffer);

    if (first > 0)
        memcpy(buffer, data, first);
    for (size_t at = first; at < size;) {
        const struct ibmad_field *field = &ibmad_fields[data[at++] % IBMAD_FIELD_COUNT];
        size_t bytes = size - at < 64 ? size - at : 64;
        uint8_t value[64] = {0};

        memcpy(value, data + at, bytes);
        at += bytes;
        if (!ibmad_compare(field, buffer, value))
            abort();
    }
    return 0;
}
