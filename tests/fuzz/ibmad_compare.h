/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One field read and written by libibmad and by our tables, for the unit test and the fuzz target.
 */
#ifndef WEFT_TESTS_IBMAD_COMPARE_H
#define WEFT_TESTS_IBMAD_COMPARE_H

#include "core/wire/field.h"

#include <infiniband/mad.h>
#include <stdio.h>
#include <string.h>

/** Our field and libibmad's name for it. */
struct ibmad_field {
    enum wire_field_id ours;
    enum MAD_FIELDS theirs;
};

static const struct ibmad_field ibmad_fields[] = {
#define IBMAD_FIELD(ours, theirs) {WIRE_##ours, theirs},
#include "ibmad_fields.def"
};

#define IBMAD_FIELD_COUNT (sizeof(ibmad_fields) / sizeof(ibmad_fields[0]))

static inline bool ibmad_compare_array(const struct ibmad_field *pair, uint8_t ours[256],
                                       uint8_t theirs[256], const uint8_t value[64])
{
    size_t bytes = wire_fields[pair->ours].bits / 8U;
    uint8_t our_value[64] = {0};
    uint8_t their_value[64] = {0};
    uint8_t copy[64];

    mad_get_array(theirs, 0, pair->theirs, their_value);
    if (weft_wire_get_bytes((int)pair->ours, ours, 256, our_value, sizeof(our_value)) != 0 ||
        memcmp(our_value, their_value, sizeof(our_value)) != 0)
        return false;
    memcpy(copy, value, sizeof(copy));
    mad_set_array(theirs, 0, pair->theirs, copy);
    return weft_wire_set_bytes((int)pair->ours, ours, 256, value, bytes) == 0;
}

static inline bool ibmad_compare_number(const struct ibmad_field *pair, uint8_t ours[256],
                                        uint8_t theirs[256], const uint8_t value[64])
{
    unsigned int bits = wire_fields[pair->ours].bits;
    uint64_t our_value;
    uint64_t their_value;
    uint64_t new_value;

    memcpy(&new_value, value, sizeof(new_value));
    new_value &= UINT64_MAX >> (64 - bits);
    their_value = bits > 32 ? mad_get_field64(theirs, 0, pair->theirs)
                            : mad_get_field(theirs, 0, pair->theirs);
    if (weft_wire_get((int)pair->ours, ours, 256, &our_value) != 0 || our_value != their_value)
        return false;
    if (bits > 32)
        mad_set_field64(theirs, 0, pair->theirs, new_value);
    else
        mad_set_field(theirs, 0, pair->theirs, (uint32_t)new_value);
    return weft_wire_set((int)pair->ours, ours, 256, new_value) == 0;
}

/** Reads the field in `data`, then writes `value` to it, both ways; `data` holds our result
 * afterwards.
 * @return whether both values and then all 256 bytes agree; if not, says on stderr where not */
static inline bool ibmad_compare(const struct ibmad_field *pair, uint8_t data[256],
                                 const uint8_t value[64])
{
    uint8_t theirs[256] __attribute__((aligned(8)));
    bool same;

    memcpy(theirs, data, sizeof(theirs));
    if (wire_field_is_array(&wire_fields[pair->ours]))
        same = ibmad_compare_array(pair, data, theirs, value);
    else
        same = ibmad_compare_number(pair, data, theirs, value);
    if (!same || memcmp(data, theirs, sizeof(theirs)) != 0) {
        fprintf(stderr, "field %s of header %s: libibmad differs when %s\n",
                wire_fields[pair->ours].name,
                weft_wire_header_name((enum weft_wire_header)wire_fields[pair->ours].header),
                same ? "writing" : "reading");
        return false;
    }
    return true;
}

#endif
