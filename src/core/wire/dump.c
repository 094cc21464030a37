/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Headers and whole MADs as text and as JSON, from the field tables. */
#include "core/wire/field.h"
#include "core/wire/text.h"

/* What an IEEE double, the number of most JSON readers, represents exactly. */
#define JSON_NUMBER_BITS 53

static void write_gid(struct wire_text *text, const uint8_t *gid)
{
    for (size_t i = 0; i < 16; i++) {
        if (i > 0 && i % 2 == 0)
            wire_text_char(text, ':');
        wire_text_hex(text, gid[i], 2);
    }
}

static size_t string_bytes(const uint8_t *string, size_t max)
{
    size_t count = 0;

    while (count < max && string[count] != '\0')
        count++;
    return count;
}

static void write_value(struct wire_text *text, enum wire_field_id id, const uint8_t *buf,
                        bool json)
{
    const struct wire_field *field = &wire_fields[id];
    const uint8_t *bytes = buf + wire_bytes_offset(id);

    switch ((enum wire_kind)field->kind) {
    case WIRE_KIND_UINT:
        wire_text_decimal(text, wire_get(id, buf));
        break;
    case WIRE_KIND_HEX:
    case WIRE_KIND_GUID:
        wire_text_string(text, "0x");
        wire_text_hex(text, wire_get(id, buf), (field->bits + 3U) / 4);
        break;
    case WIRE_KIND_GID:
        write_gid(text, bytes);
        break;
    case WIRE_KIND_BYTES:
        for (size_t i = 0; i < field->bits / 8U; i++)
            wire_text_hex(text, bytes[i], 2);
        break;
    case WIRE_KIND_STRING:
        wire_text_escaped(text, bytes, string_bytes(bytes, field->bits / 8U), json);
        break;
    }
}

static void write_text_line(struct wire_text *text, const char *prefix, const char *name)
{
    if (prefix) {
        wire_text_string(text, prefix);
        wire_text_char(text, '.');
    }
    wire_text_string(text, name);
    wire_text_string(text, ": ");
}

static void write_header_text(struct wire_text *text, enum weft_wire_header header,
                              const char *prefix, const uint8_t *buf, size_t len)
{
    bool truncated = false;

    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        if (wire_fields[id].header != (unsigned int)header)
            continue;
        if (wire_field_end(&wire_fields[id]) > len) {
            truncated = true;
            continue;
        }
        write_text_line(text, prefix, wire_fields[id].name);
        write_value(text, (enum wire_field_id)id, buf, false);
        wire_text_char(text, '\n');
    }
    if (truncated) {
        write_text_line(text, prefix, "truncated");
        wire_text_string(text, "true\n");
    }
}

static void write_json_name(struct wire_text *text, const char *name, bool first)
{
    wire_text_string(text, first ? "\"" : ",\"");
    wire_text_string(text, name);
    wire_text_string(text, "\":");
}

static void write_header_json(struct wire_text *text, enum weft_wire_header header,
                              const uint8_t *buf, size_t len)
{
    bool truncated = false;
    bool first = true;

    wire_text_char(text, '{');
    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        const struct wire_field *field = &wire_fields[id];
        bool quoted = field->kind != WIRE_KIND_UINT || field->bits > JSON_NUMBER_BITS;

        if (field->header != (unsigned int)header)
            continue;
        if (wire_field_end(field) > len) {
            truncated = true;
            continue;
        }
        write_json_name(text, field->name, first);
        if (quoted)
            wire_text_char(text, '"');
        write_value(text, (enum wire_field_id)id, buf, true);
        if (quoted)
            wire_text_char(text, '"');
        first = false;
    }
    if (truncated) {
        write_json_name(text, "truncated", first);
        wire_text_string(text, "true");
    }
    wire_text_char(text, '}');
}

size_t weft_wire_text(enum weft_wire_header header, const void *buf, size_t len, char *out,
                      size_t cap)
{
    struct wire_text text = {.out = out, .cap = cap};

    write_header_text(&text, header, NULL, buf, buf ? len : 0);
    return wire_text_end(&text);
}

size_t weft_wire_json(enum weft_wire_header header, const void *buf, size_t len, char *out,
                      size_t cap)
{
    struct wire_text text = {.out = out, .cap = cap};

    write_header_json(&text, header, buf, buf ? len : 0);
    return wire_text_end(&text);
}

size_t weft_wire_mad_text(const void *mad, size_t len, char *out, size_t cap)
{
    struct weft_wire_layer layers[WEFT_WIRE_LAYERS_MAX];
    size_t count = weft_wire_layers(mad, len, layers);
    struct wire_text text = {.out = out, .cap = cap};

    for (size_t i = 0; i < count; i++) {
        size_t offset = layers[i].offset < len ? layers[i].offset : len;

        write_header_text(&text, layers[i].header, weft_wire_header_name(layers[i].header),
                          (const uint8_t *)mad + offset, len - offset);
    }
    return wire_text_end(&text);
}

size_t weft_wire_mad_json(const void *mad, size_t len, char *out, size_t cap)
{
    struct weft_wire_layer layers[WEFT_WIRE_LAYERS_MAX];
    size_t count = weft_wire_layers(mad, len, layers);
    struct wire_text text = {.out = out, .cap = cap};

    for (size_t i = 0; i < count; i++) {
        size_t offset = layers[i].offset < len ? layers[i].offset : len;

        wire_text_string(&text, i == 0 ? "{" : "");
        write_json_name(&text, weft_wire_header_name(layers[i].header), i == 0);
        write_header_json(&text, layers[i].header, (const uint8_t *)mad + offset, len - offset);
        wire_text_string(&text, i + 1 == count ? "}" : "");
    }
    return wire_text_end(&text);
}
