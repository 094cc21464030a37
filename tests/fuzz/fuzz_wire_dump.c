/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Any bytes as a MAD and as each header: the dumps stay inside their buffers, agree on their
 * length, are valid JSON, and the hop rules give a verdict that a node can carry out. */
#include "core/mad/smi.h"
#include "core/wire/mad_header.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define OUT_BYTES 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_json(const char *text, size_t length)
{
    require(length < OUT_BYTES && strlen(text) == length);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    require(json_is_object(root));
    json_decref(root);
}

static void check_dumps(const uint8_t *data, size_t size)
{
    static char out[OUT_BYTES];
    size_t length = weft_wire_mad_json(data, size, out, sizeof(out));

    require((length == 0) == (size < WEFT_MAD_HEADER_BYTES));
    if (length > 0)
        check_json(out, length);
    require(weft_wire_mad_text(data, size, out, sizeof(out)) < sizeof(out));
    for (unsigned int header = 0; header < WEFT_WIRE_HEADER_COUNT; header++) {
        enum weft_wire_header h = (enum weft_wire_header)header;

        check_json(out, weft_wire_json(h, data, size, out, sizeof(out)));
        length = weft_wire_text(h, data, size, out, sizeof(out));
        require(weft_wire_text(h, data, size, out, length / 2) == length);
        require(length < 2 || strlen(out) == length / 2 - 1);
    }
}

static void check_hops(const uint8_t *data, bool is_switch, bool sends, uint8_t port)
{
    const struct smi_node node = {.is_switch = is_switch, .port_count = 36};
    uint8_t smp[WEFT_MAD_BYTES];

    memcpy(smp, data, sizeof(smp));
    struct smi_decision d = sends ? smi_send(smp, &node, port) : smi_receive(smp, &node, port);
    require((d.verdict == SMI_FORWARD_PORT) == (d.port >= 1 && d.port <= 36));
    require(is_switch || d.verdict != SMI_FORWARD_LID);
    require(d.verdict != SMI_DISCARD || memcmp(smp, data, sizeof(smp)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_dumps(data, size);
    if (size >= WEFT_MAD_BYTES) {
        for (unsigned int bits = 0; bits < 4; bits++)
            check_hops(data, (bits & 1) != 0, (bits & 2) != 0, data[0]);
    }
    return 0;
}
