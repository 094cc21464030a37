/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields of a record as people write them: name=value. */
#include "cli/sa_request.h"
#include "core/wire/field.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GID_BYTES    16
#define NAME_BYTES   64
#define STRING_BYTES 64

/* A field of the record itself, or of the attribute in it; *ret_at is where its header begins. */
static int find_field(const struct sa_kind *kind, const char *name, size_t *ret_at)
{
    int field = weft_wire_find(kind->header, name);

    *ret_at = 0;
    if (field < 0 && kind->inner != SA_NO_HEADER) {
        field = weft_wire_find(kind->inner, name);
        *ret_at = kind->inner_at;
    }
    return field;
}

static bool parse_number(const char *text, uint64_t *ret)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *ret = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0';
}

/* Arrays of bytes: two digits each. */
static bool parse_bytes(const char *text, uint8_t *ret, size_t space, size_t *ret_bytes)
{
    size_t length = strlen(text);

    if (length % 2 != 0 || length / 2 > space)
        return false;
    for (size_t i = 0; i < length / 2; i++) {
        const char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};
        char *end;

        ret[i] = (uint8_t)strtoul(pair, &end, 16);
        if (*end != '\0' || pair[0] == '+' || pair[0] == '-' || pair[0] == ' ')
            return false;
    }
    *ret_bytes = length / 2;
    return true;
}

static const char *set_array(int field, const char *value, uint8_t *at, size_t space)
{
    uint8_t bytes[STRING_BYTES] = {0};
    size_t count = strlen(value);

    switch (wire_fields[field].kind) {
    case WIRE_KIND_GID:
        count = GID_BYTES;
        if (inet_pton(AF_INET6, value, bytes) != 1)
            return "wants a GID such as fe80::2:c903:0:1";
        break;
    case WIRE_KIND_STRING:
        if (count > sizeof(bytes))
            return "is too long";
        memcpy(bytes, value, count);
        break;
    default:
        if (!parse_bytes(value, bytes, sizeof(bytes), &count))
            return "wants two hexadecimal digits for each byte";
        break;
    }
    return weft_wire_set_bytes(field, at, space, bytes, count) == 0 ? NULL : "is too long";
}

const char *sa_field_set(const struct sa_kind *kind, const char *text,
                         uint8_t record[WEFT_SA_RECORD_BYTES], uint64_t *mask)
{
    const char *equals = strchr(text, '=');
    char name[NAME_BYTES];
    uint64_t value;
    size_t at;
    int field;

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
        return "wants NAME=VALUE";
    if (!kind || kind->header == SA_NO_HEADER)
        return "the fields of this attribute are not known; --mask alone selects nothing in it";
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    field = find_field(kind, name, &at);
    if (field < 0)
        return "is no field of this attribute; wire.md in share/doc/weft lists them";
    *mask |= sa_component(field);
    if (wire_field_is_array(&wire_fields[field]))
        return set_array(field, equals + 1, record + at, WEFT_SA_RECORD_BYTES - at);
    if (!parse_number(equals + 1, &value))
        return "wants a number, decimal or 0x and hexadecimal";
    return weft_wire_set(field, record + at, WEFT_SA_RECORD_BYTES - at, value) == 0
               ? NULL
               : "is a number that does not fit into the field";
}
