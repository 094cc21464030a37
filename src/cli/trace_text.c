/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decoded iWARP for people: one line a frame or FPDU, what is wrong on the lines below it. */
#include "cli/trace_action.h"

#include <inttypes.h>
#include <stdio.h>

#define PAYLOAD_LINE 32

static char arrow(const struct weft_iwarp_record *r)
{
    if (r->type == WEFT_IWARP_TERMS)
        return '=';
    return r->from == WEFT_IWARP_INITIATOR ? '>' : '<';
}

static void print_start(const struct trace_shown *shown, const struct capture_connection *c,
                        const struct weft_iwarp_record *r)
{
    weft_time first = capture_stats(shown->capture)->first_time;
    weft_time since = r->time > first ? r->time - first : 0;

    printf("%" PRIu64 ".%09" PRIu64 " %" PRIu32 " %c ", since / WEFT_S, since % WEFT_S, c->number,
           arrow(r));
}

static void print_rtr(uint8_t rtr)
{
    static const char *const names[] = {"send", "write", "read"};
    const char *between = "";

    printf(" rtr=");
    for (int i = 0; i < 3; i++) {
        if (rtr & 1 << i) {
            printf("%s%s", between, names[i]);
            between = ",";
        }
    }
    if (rtr == 0)
        printf("none");
}

static void print_frame(const struct weft_iwarp_frame *f)
{
    printf("MPA %s revision=%u%s%s%s", f->reply ? "Reply" : "Request", f->revision,
           f->rejected ? " rejected" : "", f->markers ? " markers" : "", f->crc ? " crc" : "");
    if (f->enhanced)
        printf(" ird=%u ord=%u", f->ird, f->ord);
    if (f->peer_to_peer || f->rtr != 0) {
        printf("%s", f->peer_to_peer ? " peer-to-peer" : "");
        print_rtr(f->rtr);
    }
    if (f->private_bytes > 0)
        printf(" private=%u", f->private_bytes);
}

static void print_terms(const struct weft_iwarp_terms *t)
{
    printf("agreed crc=%s", t->crc ? "on" : "off");
    if (!t->enhanced)
        return;
    printf(" reads=%u/%u", t->reads[WEFT_IWARP_INITIATOR], t->reads[WEFT_IWARP_RESPONDER]);
    print_rtr(t->rtr);
}

static void print_place(const struct weft_iwarp_fpdu *f)
{
    bool invalidates = f->opcode == 4 || f->opcode == 6;

    if (f->tagged) {
        printf(" stag=0x%08" PRIx32 " to=0x%016" PRIx64, f->stag, f->to);
        return;
    }
    if (f->opcode > 7)
        printf(" queue=%" PRIu32, f->queue);
    printf(" msn=%" PRIu32 " mo=%" PRIu32, f->msn, f->mo);
    if (invalidates)
        printf(" invalidate=0x%08" PRIx32, f->stag);
}

static void print_crc(const struct weft_iwarp_fpdu *f)
{
    static const char *const words[WEFT_IWARP_CRCS] = {"ok", "bad", "off", "unknown"};

    printf(" crc=%s", words[f->crc]);
}

static void print_fpdu(const struct weft_iwarp_fpdu *f)
{
    if (!f->headers) {
        printf("FPDU ulpdu=%u", f->ulpdu_bytes);
        print_crc(f);
        return;
    }
    printf("%s", weft_iwarp_opcode_name(f->opcode));
    if (f->opcode > 7)
        printf(" opcode=%u", f->opcode);
    print_place(f);
    if (f->read)
        printf(" read=%" PRIu32 " sink=0x%08" PRIx32 ":0x%016" PRIx64 " source=0x%08" PRIx32
               ":0x%016" PRIx64,
               f->read_bytes, f->read_sink_stag, f->read_sink_to, f->read_source_stag,
               f->read_source_to);
    else
        printf(" len=%" PRIu32, f->payload_bytes);
    printf("%s%s", f->last ? " last" : "", f->rtr ? " rtr" : "");
    print_crc(f);
}

static void print_bytes(const void *data, uint32_t bytes)
{
    const uint8_t *p = data;

    for (uint32_t i = 0; i < bytes; i++) {
        if (i % PAYLOAD_LINE == 0)
            printf("%s    %04" PRIx32 " ", i ? "\n" : "", i);
        printf("%s%02x", i % 4 ? "" : " ", p[i]);
    }
    if (bytes > 0)
        putchar('\n');
}

static void print_problems(const struct weft_iwarp_record *r)
{
    char text[WEFT_IWARP_TEXT_BYTES];

    for (uint32_t i = 0; i < r->problem_count; i++) {
        (void)weft_iwarp_problem_text(&r->problems[i], text, sizeof(text));
        printf("  %c %s\n", trace_is_doubt(r->problems[i].kind) ? '?' : '!', text);
    }
}

void trace_text_connection(const struct capture_connection *c)
{
    char initiator[TRACE_END_BYTES], responder[TRACE_END_BYTES];

    printf("connection %" PRIu32 ": %s > %s%s\n", c->number,
           trace_end(&c->end[WEFT_IWARP_INITIATOR], initiator),
           trace_end(&c->end[WEFT_IWARP_RESPONDER], responder),
           c->guessed ? " (who began was not captured: a guess)" : "");
}

void trace_text_record(const struct trace_shown *shown, const struct capture_connection *c,
                       const struct weft_iwarp_record *r)
{
    print_start(shown, c, r);
    switch (r->type) {
    case WEFT_IWARP_FRAME:
        print_frame(&r->frame);
        break;
    case WEFT_IWARP_TERMS:
        print_terms(&r->terms);
        break;
    case WEFT_IWARP_FPDU:
        print_fpdu(&r->fpdu);
        break;
    case WEFT_IWARP_NOTE:
    case WEFT_IWARP_TYPES:
        printf("note");
        break;
    }
    putchar('\n');
    print_problems(r);
    if (!shown->request->payload)
        return;
    if (r->type == WEFT_IWARP_FRAME)
        print_bytes(r->frame.private_data, r->frame.private_bytes);
    if (r->type == WEFT_IWARP_FPDU)
        print_bytes(r->fpdu.payload, r->fpdu.payload_bytes);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void trace_text_summary(const struct trace_shown *shown)
{
    const struct capture_stats *s = capture_stats(shown->capture);

    printf("%" PRIu64 " packet%s, %" PRIu64 " iWARP connection%s, %" PRIu64 " error%s", s->packets,
           plural(s->packets), s->iwarp, plural(s->iwarp), shown->errors, plural(shown->errors));
    if (shown->doubts > 0)
        printf(", %" PRIu64 " thing%s missing in the capture", shown->doubts,
               plural(shown->doubts));
    if (s->others > 0)
        printf("; %" PRIu64 " other TCP connection%s", s->others, plural(s->others));
    putchar('\n');
}
