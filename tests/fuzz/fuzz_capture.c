/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any bytes read as a capture file end well or with a reason; connections are told
 * before their records. */
#include "capture/capture.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_capture: %s\n", what);
    abort();
}

static void take_connection(void *ctx, const struct capture_connection *c)
{
    uint32_t *connections = ctx;

    (*connections)++;
    require(c->number == *connections, "connections are not counted one by one");
}

static void take_record(void *ctx, const struct capture_connection *c,
                        const struct weft_iwarp_record *r)
{
    uint32_t *connections = ctx;

    require(c->number >= 1 && c->number <= *connections, "a record of no connection");
    require(r->type < WEFT_IWARP_TYPES, "a record of no type");
}

static void read_file(uint16_t port, uint8_t *data, size_t size)
{
    uint32_t connections = 0;
    struct capture_sink sink = {&connections, take_connection, take_record};
    struct capture *c = capture_new(port, &sink);
    FILE *in = fmemopen(data, size, "rb");
    char error[CAPTURE_ERROR_BYTES] = "";

    require(c && in, "no memory");
    if (capture_file(c, in, error) == CAPTURE_FILE_READ)
        require(error[0] == '\0', "a reason without an error");
    else
        require(error[0] != '\0', "an error without a reason");
    require(capture_stats(c)->iwarp == connections, "connections that nobody was told of");
    capture_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy;

    if (size == 0)
        return 0;
    copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    read_file(0, copy, size);
    read_file(7174, copy, size);
    free(copy);
    return 0;
}
