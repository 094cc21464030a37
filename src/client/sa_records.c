/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of records, components of fields, codes and statuses. */
#include "client/sa_records.h"

#include "core/wire/field.h"

#include <stddef.h>
#include <strings.h>

static const struct sa_kind kinds[] = {
#define SA_RECORD(attribute, name, short_name, header, inner, inner_at, what)                      \
    {name, short_name, what, WEFT_ATTR_##attribute, header, inner, inner_at},
#include "client/sa_records.def"
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct sa_kind *sa_kind_at(size_t i)
{
    return i < KINDS ? &kinds[i] : NULL;
}

const struct sa_kind *sa_kind_named(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcasecmp(kinds[i].name, name) == 0 || strcasecmp(kinds[i].short_name, name) == 0)
            return &kinds[i];
    return NULL;
}

const struct sa_kind *sa_kind_of(uint16_t attr_id)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].attr_id == attr_id)
            return &kinds[i];
    return NULL;
}

uint64_t sa_component(int field)
{
    switch (field) {
#define SA_COMPONENT(header, id, mask)                                                             \
    case WIRE_##header##_##id:                                                                     \
        return mask;
#include "client/sa_records.def"
    default:
        return 0;
    }
}

static const char *class_status_text(uint16_t status)
{
    switch (status & WEFT_STATUS_CLASS_MASK) {
    case WEFT_SA_STATUS_NO_RESOURCES:
        return "the SA has no resources left";
    case WEFT_SA_STATUS_REQUEST_INVALID:
        return "the SA finds the request invalid";
    case WEFT_SA_STATUS_NO_RECORDS:
        return "no record matches";
    case WEFT_SA_STATUS_TOO_MANY_RECORDS:
        return "more than one record matches: ask for a table";
    case WEFT_SA_STATUS_INVALID_GID:
        return "the SA does not know this GID";
    case WEFT_SA_STATUS_INSUFFICIENT_COMPONENTS:
        return "the component mask lacks something that the SA needs";
    case WEFT_SA_STATUS_DENIED:
        return "the SA denies it";
    case WEFT_SA_STATUS_PRIORITY_SUGGESTED:
        return "the SA suggests another service level";
    default:
        return "the SA gives a status that is not known";
    }
}

const char *sa_status_text(uint16_t status)
{
    if (status == WEFT_STATUS_OK)
        return "done";
    if ((status & WEFT_STATUS_BUSY) != 0)
        return "the SA is busy";
    if ((status & WEFT_STATUS_REDIRECT) != 0)
        return "the SA redirects to where it cannot be followed";
    switch (status & WEFT_STATUS_FIELD_MASK) {
    case WEFT_STATUS_BAD_VERSION:
        return "the SA does not support this class version";
    case WEFT_STATUS_BAD_METHOD:
        return "the SA does not support this method";
    case WEFT_STATUS_BAD_METHOD_ATTRIBUTE:
        return "the SA does not support this attribute with this method";
    case WEFT_STATUS_BAD_VALUE:
        return "a value in attribute or modifier is invalid";
    default:
        return class_status_text(status);
    }
}

uint32_t sa_rate_tenths(uint64_t code)
{
    static const uint32_t tenths[] = {0,    0,    25,  100,  300,  50,   200,  400,  600,
                                      800,  1200, 140, 560,  1120, 1680, 250,  1000, 2000,
                                      3000, 280,  500, 4000, 6000, 8000, 12000};

    return code < sizeof(tenths) / sizeof(tenths[0]) ? tenths[code] : 0;
}

uint32_t sa_mtu_bytes(uint64_t code)
{
    return code >= 1 && code <= 5 ? UINT32_C(128) << code : 0;
}
