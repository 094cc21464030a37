/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decoded iWARP as one JSON document. */
#include "cli/json_print.h"
#include "cli/trace_action.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers of 64 bits are text: a JSON number would lose some of them. */
#define WIDE_BYTES 24

static const char *wide(uint64_t value, char ret[WIDE_BYTES])
{
    (void)snprintf(ret, WIDE_BYTES, "0x%016llx", (unsigned long long)value);
    return ret;
}

/* Takes the item over. A list that could not grow is none any more. */
static void append(json_t **list, json_t *item)
{
    if (*list && (!item || json_array_append(*list, item) != 0)) {
        json_decref(*list);
        *list = NULL;
    }
    json_decref(item);
}

static json_t *rtr_json(uint8_t rtr)
{
    static const char *const names[] = {"send", "write", "read"};
    json_t *list = json_array();

    for (int i = 0; i < 3; i++) {
        if (rtr & 1 << i)
            append(&list, json_string(names[i]));
    }
    return list;
}

static json_t *hex_json(const void *data, uint32_t bytes)
{
    char *text = malloc(2 * (size_t)bytes + 1);
    const uint8_t *p = data;
    json_t *json;

    if (!text)
        return NULL;
    for (uint32_t i = 0; i < bytes; i++) {
        text[2 * i] = "0123456789abcdef"[p[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[p[i] & 15];
    }
    json = json_stringn(text, 2 * (size_t)bytes);
    free(text);
    return json;
}

static json_t *frame_json(const struct weft_iwarp_frame *f)
{
    json_t *json =
        json_pack("{s:s, s:i, s:b, s:b, s:b, s:b, s:i}", "kind", f->reply ? "reply" : "request",
                  "revision", f->revision, "crc", f->crc, "markers", f->markers, "rejected",
                  f->rejected, "enhanced", f->enhanced, "private_bytes", f->private_bytes);

    if (json && f->enhanced &&
        json_object_update_new(json, json_pack("{s:b, s:i, s:i, s:o}", "peer_to_peer",
                                               f->peer_to_peer, "ird", f->ird, "ord", f->ord, "rtr",
                                               rtr_json(f->rtr))) != 0) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *terms_json(const struct weft_iwarp_terms *t)
{
    if (!t->enhanced)
        return json_pack("{s:b, s:b}", "crc", t->crc, "enhanced", 0);
    return json_pack("{s:b, s:b, s:i, s:i, s:o}", "crc", t->crc, "enhanced", 1, "initiator_reads",
                     t->reads[WEFT_IWARP_INITIATOR], "responder_reads",
                     t->reads[WEFT_IWARP_RESPONDER], "rtr", rtr_json(t->rtr));
}

static json_t *place_json(const struct weft_iwarp_fpdu *f)
{
    char to[WIDE_BYTES];

    if (f->tagged)
        return json_pack("{s:I, s:s}", "stag", (json_int_t)f->stag, "to", wide(f->to, to));
    return json_pack("{s:I, s:I, s:I, s:I}", "queue", (json_int_t)f->queue, "msn",
                     (json_int_t)f->msn, "mo", (json_int_t)f->mo, "invalidate_stag",
                     (json_int_t)f->stag);
}

static json_t *read_json(const struct weft_iwarp_fpdu *f)
{
    char sink[WIDE_BYTES], source[WIDE_BYTES];

    return json_pack("{s:I, s:I, s:s, s:I, s:s}", "bytes", (json_int_t)f->read_bytes, "sink_stag",
                     (json_int_t)f->read_sink_stag, "sink_to", wide(f->read_sink_to, sink),
                     "source_stag", (json_int_t)f->read_source_stag, "source_to",
                     wide(f->read_source_to, source));
}

static json_t *headers_json(const struct weft_iwarp_fpdu *f)
{
    return json_pack("{s:i, s:s, s:b, s:b, s:i, s:i, s:I, s:b}", "opcode", f->opcode, "name",
                     weft_iwarp_opcode_name(f->opcode), "tagged", f->tagged, "last", f->last,
                     "ddp_version", f->ddp_version, "rdmap_version", f->rdmap_version,
                     "payload_bytes", (json_int_t)f->payload_bytes, "rtr", f->rtr);
}

static json_t *fpdu_json(const struct weft_iwarp_fpdu *f)
{
    static const char *const words[WEFT_IWARP_CRCS] = {"ok", "bad", "off", "unknown"};
    json_t *json =
        json_pack("{s:i, s:s, s:I, s:I}", "ulpdu_bytes", f->ulpdu_bytes, "crc", words[f->crc],
                  "crc_value", (json_int_t)f->crc_value, "missing", (json_int_t)f->missing);
    int failed = 0;

    if (!json)
        return NULL;
    if (f->crc == WEFT_IWARP_CRC_BAD)
        failed |= json_object_set_new(json, "crc_expected", json_integer(f->crc_expected));
    if (f->headers) {
        failed |= json_object_update_new(json, headers_json(f));
        failed |= json_object_update_new(json, place_json(f));
    }
    if (f->read)
        failed |= json_object_set_new(json, "read", read_json(f));
    if (f->terminate)
        failed |= json_object_set_new(
            json, "terminate",
            json_pack("{s:i, s:i, s:i, s:b}", "layer", f->terminate_error >> 12, "type",
                      f->terminate_error >> 8 & 15, "code", f->terminate_error & 255, "swapped",
                      f->terminate_swapped));
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *problems_json(const struct weft_iwarp_record *r)
{
    char text[WEFT_IWARP_TEXT_BYTES];
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->problem_count; i++) {
        const struct weft_iwarp_problem *p = &r->problems[i];

        (void)weft_iwarp_problem_text(p, text, sizeof(text));
        append(&list, json_pack("{s:s, s:s, s:s}", "kind", weft_iwarp_problem_name(p->kind), "of",
                                trace_is_doubt(p->kind) ? "capture" : "traffic", "text", text));
    }
    return list;
}

void trace_json_connection(struct trace_shown *shown, const struct capture_connection *c)
{
    char initiator[TRACE_END_BYTES], responder[TRACE_END_BYTES];

    append(&shown->connections,
           json_pack("{s:I, s:s, s:s, s:b}", "connection", (json_int_t)c->number, "initiator",
                     trace_end(&c->end[WEFT_IWARP_INITIATOR], initiator), "responder",
                     trace_end(&c->end[WEFT_IWARP_RESPONDER], responder), "guessed", c->guessed));
}

void trace_json_record(struct trace_shown *shown, const struct capture_connection *c,
                       const struct weft_iwarp_record *r)
{
    static const char *const types[WEFT_IWARP_TYPES] = {"frame", "terms", "fpdu", "note"};
    json_t *json = json_pack("{s:s, s:I, s:s, s:I, s:I, s:I}", "type", types[r->type], "connection",
                             (json_int_t)c->number, "from",
                             r->from == WEFT_IWARP_INITIATOR ? "initiator" : "responder", "time_ns",
                             (json_int_t)r->time, "offset", (json_int_t)r->offset, "bytes",
                             (json_int_t)r->bytes);
    int failed = !json;

    if (json && r->type == WEFT_IWARP_FRAME)
        failed |= json_object_set_new(json, "frame", frame_json(&r->frame));
    if (json && r->type == WEFT_IWARP_TERMS)
        failed |= json_object_set_new(json, "terms", terms_json(&r->terms));
    if (json && r->type == WEFT_IWARP_FPDU)
        failed |= json_object_set_new(json, "fpdu", fpdu_json(&r->fpdu));
    if (json && shown->request->payload && r->type == WEFT_IWARP_FRAME)
        failed |= json_object_set_new(json, "payload",
                                      hex_json(r->frame.private_data, r->frame.private_bytes));
    if (json && shown->request->payload && r->type == WEFT_IWARP_FPDU)
        failed |=
            json_object_set_new(json, "payload", hex_json(r->fpdu.payload, r->fpdu.payload_bytes));
    if (json)
        failed |= json_object_set_new(json, "problems", problems_json(r));
    if (failed) {
        json_decref(json);
        json = NULL;
    }
    append(&shown->list, json);
}

int trace_json_print(struct trace_shown *shown)
{
    const struct capture_stats *s = capture_stats(shown->capture);

    if (!shown->connections || !shown->list) {
        json_decref(shown->connections);
        json_decref(shown->list);
        return json_print(NULL);
    }
    return json_print(json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "schema", "weft.trace.decode/1", "packets",
        (json_int_t)s->packets, "other_connections", (json_int_t)s->others, "shortened",
        (json_int_t)s->shortened, "errors", (json_int_t)shown->errors, "missing",
        (json_int_t)shown->doubts, "connections", shown->connections, "records", shown->list));
}
