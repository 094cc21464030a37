/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of what is wrong with a partitions.conf, bounded. */
#include "partitions/problems.h"

#include "findings/list.h"

#include <stdarg.h>
#include <stdlib.h>

int partitions_problem_add(struct partitions_problems *list, uint32_t line,
                           enum partitions_kind kind, const char *format, ...)
{
    struct partitions_problem *items;
    va_list args;
    char *text;

    if (list->count >= PARTITIONS_PROBLEMS_MAX) {
        list->dropped++;
        return 0;
    }
    va_start(args, format);
    text = findings_text(format, args);
    va_end(args);
    items = text ? findings_grow(list->items, list->count, &list->space, sizeof(*items)) : NULL;
    if (!items) {
        free(text);
        return WEFT_ERR_NOMEM;
    }
    list->items = items;
    items[list->count++] = (struct partitions_problem){.line = line, .kind = kind, .text = text};
    return 0;
}

/* Lists are short, nearly sorted, and their order within a line is to stay. */
void partitions_problems_sort(struct partitions_problems *list)
{
    for (size_t i = 1; i < list->count; i++) {
        struct partitions_problem moved = list->items[i];
        size_t at = i;

        for (; at > 0 && list->items[at - 1].line > moved.line; at--)
            list->items[at] = list->items[at - 1];
        list->items[at] = moved;
    }
}

void partitions_problems_free(struct partitions_problems *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].text);
    free(list->items);
    *list = (struct partitions_problems){0};
}

const char *partitions_kind_name(enum partitions_kind kind)
{
    static const char *const names[PARTITIONS_KINDS] = {
        [PARTITIONS_SYNTAX] = "syntax",
        [PARTITIONS_NOTHING] = "no-definition",
        [PARTITIONS_BYTE_ORDER_MARK] = "byte-order-mark",
        [PARTITIONS_IGNORED] = "ignored",
        [PARTITIONS_LONG_LINE] = "long-line",
        [PARTITIONS_ABBREVIATION] = "abbreviation",
        [PARTITIONS_UNKNOWN_FLAG] = "unknown-flag",
        [PARTITIONS_UNKNOWN_MEMBERSHIP] = "unknown-membership",
        [PARTITIONS_BAD_VALUE] = "bad-value",
        [PARTITIONS_KEY_RANGE] = "key-range",
        [PARTITIONS_INVALID_KEY] = "invalid-key",
        [PARTITIONS_KEY_BIT_15] = "key-bit-15",
        [PARTITIONS_KEY_REPEATED] = "key-repeated",
        [PARTITIONS_NAME] = "name",
        [PARTITIONS_BOTH] = "both-forms",
        [PARTITIONS_MEMBERSHIP] = "membership",
        [PARTITIONS_DEFAULT_WITHOUT_SM] = "default-without-sm",
        [PARTITIONS_LIMITED_ONLY] = "limited-only",
        [PARTITIONS_EMPTY] = "empty",
        [PARTITIONS_GROUP] = "multicast-group",
    };

    return names[kind];
}
