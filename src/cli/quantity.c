/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers with units, printed: integer arithmetic only, so that what is printed is what was meant.
 */
#include "cli/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void quantity_print_factor(uint64_t thousandths, char ret_text[QUANTITY_TEXT_BYTES])
{
    size_t length;

    snprintf(ret_text, QUANTITY_TEXT_BYTES, "%" PRIu64 ".%03" PRIu64, thousandths / 1000,
             thousandths % 1000);
    length = strlen(ret_text);
    while (ret_text[length - 1] == '0')
        length--;
    if (ret_text[length - 1] == '.')
        length--;
    ret_text[length] = '\0';
}

void quantity_print_duration(weft_time duration_ns, char ret_text[QUANTITY_TEXT_BYTES])
{
    static const struct {
        const char *name;
        uint64_t scale;
    } units[] = {{"s", WEFT_S}, {"ms", WEFT_MS}, {"us", WEFT_US}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        uint64_t scale = units[i].scale;
        uint64_t whole = duration_ns / scale;
        uint64_t thousandths = duration_ns % scale / (scale / 1000);

        if (whole == 0)
            continue;
        if (whole >= 100)
            snprintf(ret_text, QUANTITY_TEXT_BYTES, "%" PRIu64 ".%" PRIu64 " %s", whole,
                     thousandths / 100, units[i].name);
        else if (whole >= 10)
            snprintf(ret_text, QUANTITY_TEXT_BYTES, "%" PRIu64 ".%02" PRIu64 " %s", whole,
                     thousandths / 10, units[i].name);
        else
            snprintf(ret_text, QUANTITY_TEXT_BYTES, "%" PRIu64 ".%03" PRIu64 " %s", whole,
                     thousandths, units[i].name);
        return;
    }
    snprintf(ret_text, QUANTITY_TEXT_BYTES, "%" PRIu64 " ns", duration_ns);
}
