/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any bytes read as an MPA frame; one that is whole is written as it was read, and one
 * that is not is told from its beginning on. */
#include "core/iwarp/mpa_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_mpa_frame: %s\n", what);
    abort();
}

static void check_whole(const uint8_t *data, size_t bytes, const struct mpa_frame *f)
{
    uint8_t out[MPA_FRAME_MAX];
    struct mpa_frame again;
    size_t used;

    require(mpa_frame_build(f, out) == bytes, "the frame has another length");
    require(memcmp(out, data, bytes) == 0, "the frame is written differently");
    for (size_t part = 0; part < bytes; part++)
        require(mpa_frame_parse(data, part, &again, &used) == MPA_MORE,
                "a part of a frame is not told as one");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpa_frame f = {.revision = 77};
    size_t used = SIZE_MAX;
    enum mpa_verdict verdict = mpa_frame_parse(data, size, &f, &used);

    if (verdict == MPA_WHOLE) {
        require(used <= size && used >= MPA_FRAME_HEAD, "a frame is longer than the bytes");
        check_whole(data, used, &f);
    } else if (verdict == MPA_BAD_LENGTH) {
        require(f.enhanced && f.private_bytes == 0, "a bad length without S");
    } else {
        require(used == SIZE_MAX && f.revision == 77, "outputs are written without a frame");
    }
    if (verdict == MPA_MORE)
        require(size < MPA_FRAME_MAX, "more than the longest frame is wanted");
    return 0;
}
