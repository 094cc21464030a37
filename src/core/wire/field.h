/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The field tables as an enum and an array, and access without checks for buffers of known size.
 */
#ifndef WEFT_CORE_WIRE_FIELD_H
#define WEFT_CORE_WIRE_FIELD_H

#include <weft/wire.h>

/** Every field of every table, for example WIRE_MAD_TID; what weft_wire_find() returns. */
enum wire_field_id {
#define WIRE_EACH_FIELD(header, id, byte, bit, bits, kind, name) WIRE_##header##_##id,
#include "core/wire/fields.def"
    WIRE_FIELD_COUNT
};

/** The first byte of every field, for example WIRE_AT_MAD_TID: constant where speed matters. */
enum wire_field_at {
#define WIRE_EACH_FIELD(header, id, byte, bit, bits, kind, name) WIRE_AT_##header##_##id = (byte),
#include "core/wire/fields.def"
};

/** What a field is and how dumps write it. The last three are arrays of bytes. */
enum wire_kind {
    WIRE_KIND_UINT,   /**< decimal */
    WIRE_KIND_HEX,    /**< 0x and all digits */
    WIRE_KIND_GUID,   /**< 0x and 16 digits */
    WIRE_KIND_GID,    /**< 16 bytes */
    WIRE_KIND_BYTES,  /**< two digits a byte */
    WIRE_KIND_STRING, /**< text up to a NUL or the end */
};

/** One row of a table. */
struct wire_field {
    const char *name;
    uint16_t
        bit_offset; /**< from the first bit of the header, most significant bit of a byte first */
    uint16_t bits;
    uint8_t header; /**< enum weft_wire_header */
    uint8_t kind;   /**< enum wire_kind */
};

extern const struct wire_field wire_fields[WIRE_FIELD_COUNT];

/** Whether the field is an array of bytes (read with wire_bytes()) rather than a number. */
static inline bool wire_field_is_array(const struct wire_field *field)
{
    return field->kind >= WIRE_KIND_GID;
}

/** The first byte behind the field. */
static inline size_t wire_field_end(const struct wire_field *field)
{
    return ((size_t)field->bit_offset + field->bits + 7) / 8;
}

/** Where a field lies; what wire_fields has too, but seen by the compiler, which makes a load and a
 * shift of an access whose field it knows. */
struct wire_place {
    uint16_t bit_offset, bits;
};

static const struct wire_place wire_places[] = {
#define WIRE_EACH_FIELD(header, id, byte, bit, bits, kind, name) {(byte)*8 + (bit), bits},
#include "core/wire/fields.def"
};

/** Reads a number; the buffer holds the whole field. These are the bits from bit `first` of the
 * field's first byte, most significant first: at most 8 bytes, since no number in the tables is
 * both 64 bits wide and unaligned. */
static inline uint64_t wire_get(enum wire_field_id id, const uint8_t *buf)
{
    const struct wire_place at = wire_places[id];
    unsigned int first = at.bit_offset / 8U;
    unsigned int end = (at.bit_offset + at.bits + 7U) / 8U;
    uint64_t value = 0;

    for (unsigned int i = first; i < end; i++)
        value = value << 8 | buf[i];
    value >>= end * 8 - at.bit_offset - at.bits;
    return value & (UINT64_MAX >> (64 - at.bits));
}

/** Writes a number; the buffer holds the whole field. Bits above the field's width are ignored. */
static inline void wire_set(enum wire_field_id id, uint8_t *buf, uint64_t value)
{
    const struct wire_place at = wire_places[id];
    unsigned int first = at.bit_offset / 8U;
    unsigned int end = (at.bit_offset + at.bits + 7U) / 8U;
    unsigned int shift = end * 8 - at.bit_offset - at.bits;
    uint64_t mask = UINT64_MAX >> (64 - at.bits) << shift;

    value <<= shift;
    for (unsigned int i = end; i-- > first; mask >>= 8, value >>= 8)
        buf[i] = (uint8_t)((buf[i] & ~mask) | (value & mask));
}

/** Where an array stands in the buffer. */
static inline size_t wire_bytes_offset(enum wire_field_id id)
{
    return wire_fields[id].bit_offset / 8U;
}

#endif
