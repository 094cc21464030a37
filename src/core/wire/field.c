/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The field tables as data, and reading and writing any field through them. */
#include "core/wire/field.h"

#include <string.h>

const struct wire_field wire_fields[WIRE_FIELD_COUNT] = {
#define WIRE_EACH_FIELD(header, id, byte, bit, bits, kind, name)                                   \
    [WIRE_##header##_##id] = {name, (byte)*8 + (bit), bits, WEFT_WIRE_##header, WIRE_KIND_##kind},
#include "core/wire/fields.def"
};

struct wire_header {
    const char *name;
    uint16_t bytes;
};

static const struct wire_header headers[WEFT_WIRE_HEADER_COUNT] = {
#define WIRE_HEADER(id, bytes, name) [WEFT_WIRE_##id] = {name, bytes},
#include "core/wire/headers.def"
};

const char *weft_wire_header_name(enum weft_wire_header header)
{
    return (unsigned int)header < WEFT_WIRE_HEADER_COUNT ? headers[header].name : "unknown";
}

size_t weft_wire_header_bytes(enum weft_wire_header header)
{
    return (unsigned int)header < WEFT_WIRE_HEADER_COUNT ? headers[header].bytes : 0;
}

int weft_wire_find(enum weft_wire_header header, const char *name)
{
    if (!name)
        return WEFT_ERR_NOTFOUND;
    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        if (wire_fields[id].header == (unsigned int)header && !strcmp(wire_fields[id].name, name))
            return id;
    }
    return WEFT_ERR_NOTFOUND;
}

/* Checks what every public accessor needs; returns the row in *ret_row. */
static int check_field(int field, bool array, const void *buf, size_t len,
                       const struct wire_field **ret_row)
{
    if (field < 0 || field >= WIRE_FIELD_COUNT || !buf)
        return WEFT_ERR_INVALID;
    if (wire_field_is_array(&wire_fields[field]) != array)
        return WEFT_ERR_INVALID;
    if (wire_field_end(&wire_fields[field]) > len)
        return WEFT_ERR_FORMAT;
    *ret_row = &wire_fields[field];
    return 0;
}

int weft_wire_get(int field, const void *buf, size_t len, uint64_t *ret_value)
{
    const struct wire_field *row;
    int err = check_field(field, false, buf, len, &row);

    if (err == 0 && !ret_value)
        err = WEFT_ERR_INVALID;
    if (err < 0)
        return err;
    *ret_value = wire_get((enum wire_field_id)field, buf);
    return 0;
}

int weft_wire_set(int field, void *buf, size_t len, uint64_t value)
{
    const struct wire_field *row;
    int err = check_field(field, false, buf, len, &row);

    if (err < 0)
        return err;
    if (value > UINT64_MAX >> (64 - row->bits))
        return WEFT_ERR_INVALID;
    wire_set((enum wire_field_id)field, buf, value);
    return 0;
}

int weft_wire_get_bytes(int field, const void *buf, size_t len, void *out, size_t out_bytes)
{
    const struct wire_field *row;
    int err = check_field(field, true, buf, len, &row);

    if (err < 0)
        return err;
    if (!out || out_bytes < row->bits / 8U)
        return WEFT_ERR_INVALID;
    memset(out, 0, out_bytes);
    memcpy(out, (const uint8_t *)buf + row->bit_offset / 8U, row->bits / 8U);
    return 0;
}

int weft_wire_set_bytes(int field, void *buf, size_t len, const void *value, size_t value_bytes)
{
    const struct wire_field *row;
    int err = check_field(field, true, buf, len, &row);
    uint8_t *at;

    if (err < 0)
        return err;
    if (value_bytes > row->bits / 8U || (!value && value_bytes > 0))
        return WEFT_ERR_INVALID;
    at = (uint8_t *)buf + row->bit_offset / 8U;
    memset(at, 0, row->bits / 8U);
    if (value_bytes > 0)
        memcpy(at, value, value_bytes);
    return 0;
}
