/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of what is wrong with a partitions.conf, bounded. */
#include "partitions/problems.h"

#include "core/wire/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_room(struct partitions_problems *list)
{
    size_t space = list->space == 0 ? 16 : list->space * 2;
    struct partitions_problem *items;

    if (list->count < list->space)
        return 0;
    items = realloc(list->items, space * sizeof(*items));
    if (!items)
        return WEFT_ERR_NOMEM;
    list->items = items;
    list->space = space;
    return 0;
}

/* A copy that may go to a terminal, whatever it quotes; NULL without memory. */
static char *escape(const char *text)
{
    size_t length = strlen(text);
    struct wire_text safe = {0};

    wire_text_escaped(&safe, (const uint8_t *)text, length, false);
    safe = (struct wire_text){.out = malloc(safe.len + 1), .cap = safe.len + 1};
    if (!safe.out)
        return NULL;
    wire_text_escaped(&safe, (const uint8_t *)text, length, false);
    wire_text_end(&safe);
    return safe.out;
}

int partitions_problem_add(struct partitions_problems *list, uint32_t line,
                           enum partitions_kind kind, const char *format, ...)
{
    va_list args;
    char *plain;
    char *text;
    int length;

    if (list->count >= PARTITIONS_PROBLEMS_MAX) {
        list->dropped++;
        return 0;
    }
    va_start(args, format);
    length = vasprintf(&plain, format, args);
    va_end(args);
    if (length < 0)
        return WEFT_ERR_NOMEM;
    text = escape(plain);
    free(plain);
    if (!text || make_room(list) != 0) {
        free(text);
        return WEFT_ERR_NOMEM;
    }
    list->items[list->count++] =
        (struct partitions_problem){.line = line, .kind = kind, .text = text};
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
