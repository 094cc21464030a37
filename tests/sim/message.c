/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Content of messages. */
#include "message.h"

#include "core/wire/mad_header.h"

static uint8_t content(uint64_t number, uint32_t at)
{
    return (uint8_t)((number * 0x9e3779b97f4a7c15u + at * UINT64_C(0x85ebca6b)) >> 24);
}

void message_fill(uint8_t *mad, const struct message_label *what)
{
    uint32_t head = mad_class_data_offset(mad_class(mad));

    wire_set_be64(mad + head, what->number);
    wire_set_be32(mad + head + 8, what->len);
    wire_set_be32(mad + head + 12, what->reply_len);
    for (uint32_t i = head + MESSAGE_LABEL_BYTES; i < what->len; i++)
        mad[i] = content(what->number, i);
}

struct message_label message_read(const uint8_t *mad)
{
    const uint8_t *label = mad + mad_class_data_offset(mad_class(mad));

    return (struct message_label){.number = wire_be64(label),
                                  .len = wire_be32(label + 8),
                                  .reply_len = wire_be32(label + 12)};
}

bool message_is_whole(const uint8_t *mad, uint32_t len)
{
    uint32_t head = mad_class_data_offset(mad_class(mad));
    struct message_label label = message_read(mad);

    if (label.len > len)
        return false;
    for (uint32_t i = head + MESSAGE_LABEL_BYTES; i < label.len; i++) {
        if (mad[i] != content(label.number, i))
            return false;
    }
    /* a MAD that is not RMPP is padded to its 256 bytes */
    for (uint32_t i = label.len; i < len; i++) {
        if (mad[i] != 0)
            return false;
    }
    return true;
}
