/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is wrong with an iWARP connection, in words. */
#include "core/iwarp/terminate.h"
#include "core/wire/text.h"

#include <weft/iwarp.h>

static const struct {
    const char *name, *text;
} rows[WEFT_IWARP_PROBLEMS] = {
#define IWARP_PROBLEM(id, name, text) [WEFT_IWARP_##id] = {name, text},
#include "core/iwarp/problem.def"
};

const char *weft_iwarp_opcode_name(uint8_t opcode)
{
    return rdmap_opcode_name(opcode);
}

const char *weft_iwarp_problem_name(enum weft_iwarp_problem_kind kind)
{
    return (uint32_t)kind < WEFT_IWARP_PROBLEMS ? rows[kind].name : "unknown";
}

static void add_hex(struct wire_text *text, uint64_t value)
{
    wire_text_string(text, "0x");
    wire_text_hex(text, value, value > UINT32_MAX ? 16 : 8);
}

static void add_value(struct wire_text *text, char what, const struct weft_iwarp_problem *p)
{
    switch (what) {
    case 'f':
        wire_text_decimal(text, p->found);
        break;
    case 'e':
        wire_text_decimal(text, p->expected);
        break;
    case 'F':
        add_hex(text, p->found);
        break;
    case 'E':
        add_hex(text, p->expected);
        break;
    case 'o':
        wire_text_string(text, rdmap_opcode_name((uint8_t)(p->found & 0xF)));
        break;
    case 'O':
        wire_text_string(text, rdmap_opcode_name((uint8_t)(p->expected & 0xF)));
        break;
    case 't':
        wire_text_string(text, terminate_text((uint16_t)p->found));
        break;
    default: /* 's' */
        wire_text_string(text, p->found == WEFT_IWARP_INITIATOR ? "initiator" : "responder");
        break;
    }
}

size_t weft_iwarp_problem_text(const struct weft_iwarp_problem *p, char *out, size_t cap)
{
    struct wire_text text = {.out = out, .cap = cap};
    const char *at = (uint32_t)p->kind < WEFT_IWARP_PROBLEMS ? rows[p->kind].text : "unknown";

    for (; *at; at++) {
        if (*at == '$')
            add_value(&text, *++at, p);
        else
            wire_text_char(&text, *at);
    }
    return wire_text_end(&text);
}
