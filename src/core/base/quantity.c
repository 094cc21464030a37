/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers with units, read: integer arithmetic only, so that what counts is what was written. */
#include "core/base/quantity.h"

#include <string.h>

static bool append_digit(uint64_t *value, char digit)
{
    return !__builtin_mul_overflow(*value, UINT64_C(10), value) &&
           !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads `digits[.digits]` as a multiple of 1/scale (scale: a power of ten or 60 times one).
 * Returns the rest of the text, or NULL when there is no number, it does not fit, or it is finer
 * than 1/scale. */
static const char *read_decimal(const char *text, uint64_t scale, uint64_t *ret_value)
{
    uint64_t value = 0;
    uint64_t rest = scale;

    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        if (!append_digit(&value, *text))
            return NULL;
    if (__builtin_mul_overflow(value, scale, &value))
        return NULL;
    if (*text != '.') {
        *ret_value = value;
        return text;
    }
    text++;
    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++) {
        if (rest % 10 != 0) {
            if (*text != '0')
                return NULL;
            continue;
        }
        rest /= 10;
        if (__builtin_add_overflow(value, (uint64_t)(*text - '0') * rest, &value))
            return NULL;
    }
    *ret_value = value;
    return text;
}

bool quantity_parse_count(const char *text, uint64_t *ret_count)
{
    uint64_t value;
    const char *end = read_decimal(text, 1, &value);

    if (!end || *end != '\0' || memchr(text, '.', strlen(text)))
        return false;
    *ret_count = value;
    return true;
}

bool quantity_parse_duration(const char *text, weft_time *ret_duration)
{
    static const struct {
        const char *name;
        uint64_t scale;
    } units[] = {{"ns", 1},     {"us", WEFT_US},      {"ms", WEFT_MS},
                 {"s", WEFT_S}, {"min", 60 * WEFT_S}, {"h", 3600 * WEFT_S}};
    const char *unit = text;
    uint64_t value;

    if (strcmp(text, "0") == 0) {
        *ret_duration = 0;
        return true;
    }
    while (is_digit(*unit) || *unit == '.')
        unit++;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].name) != 0)
            continue;
        /* The number must end where the unit begins: "1.2.3s" does not. */
        if (read_decimal(text, units[i].scale, &value) != unit || value == WEFT_TIME_NEVER)
            return false;
        *ret_duration = value;
        return true;
    }
    return false;
}

bool quantity_parse_share(const char *text, uint32_t *ret_millionths)
{
    bool percent = text[0] != '\0' && text[strlen(text) - 1] == '%';
    uint64_t value;
    const char *end = read_decimal(text, percent ? 10000 : 1000000, &value);

    if (!end || strcmp(end, percent ? "%" : "") != 0 || value > 1000000)
        return false;
    *ret_millionths = (uint32_t)value;
    return true;
}

bool quantity_parse_factor(const char *text, uint64_t *ret_thousandths)
{
    uint64_t value;
    const char *end = read_decimal(text, 1000, &value);

    if (!end || *end != '\0')
        return false;
    *ret_thousandths = value;
    return true;
}
