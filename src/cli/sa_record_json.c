/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the SA as JSON. */
#include "cli/sa_session.h"

#include <stdio.h>
#include <stdlib.h>

static json_t *header_json(enum weft_wire_header header, const uint8_t *at, size_t bytes)
{
    size_t length = weft_wire_json(header, at, bytes, NULL, 0);
    char *text = malloc(length + 1);
    json_t *made = NULL;

    if (text) {
        (void)weft_wire_json(header, at, bytes, text, length + 1);
        made = json_loads(text, 0, NULL);
    }
    free(text);
    return made;
}

/* Records whose fields are in no table. */
static json_t *bytes_json(const uint8_t *record, uint32_t bytes)
{
    char *text = malloc(2 * (size_t)bytes + 1);
    json_t *made = NULL;

    if (text) {
        text[0] = '\0';
        for (uint32_t i = 0; i < bytes; i++)
            (void)snprintf(text + 2 * (size_t)i, 3, "%02x", record[i]);
        made = json_pack("{s:s}", "bytes", text);
    }
    free(text);
    return made;
}

json_t *sa_record_json(const struct sa_kind *kind, const uint8_t *record, uint32_t bytes)
{
    json_t *made, *inner;

    if (!kind || kind->header == SA_NO_HEADER)
        return bytes_json(record, bytes);
    made = header_json(kind->header, record, bytes);
    if (!made || kind->inner == SA_NO_HEADER || bytes <= kind->inner_at)
        return made;
    inner = header_json(kind->inner, record + kind->inner_at, bytes - kind->inner_at);
    if (!inner || json_object_set_new(made, weft_wire_header_name(kind->inner), inner) != 0) {
        json_decref(made);
        return NULL;
    }
    return made;
}

json_t *sa_records_json(const struct sa_answer *a)
{
    const struct sa_kind *kind = sa_kind_of(a->result.question.attr_id);
    json_t *list = json_array();

    for (uint32_t i = 0; list && i < a->result.count; i++) {
        json_t *one = sa_record_json(kind, sa_answer_record(a, i), a->result.stride);

        if (!one || json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
