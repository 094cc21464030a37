/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The trace as text: one line for each step, times in milliseconds with all nanoseconds. */
#include "core/wire/mad_header.h"
#include "core/wire/text.h"

#include <weft/trace.h>

/* Milliseconds, and behind a point what is left of them without the zeroes at its end. */
static void put_time(struct wire_text *t, weft_time ns)
{
    char digits[] = ".000000";
    uint64_t part = ns % WEFT_MS;
    size_t used = 0;

    for (size_t i = sizeof(digits) - 2; i > 0; i--, part /= 10) {
        digits[i] = (char)('0' + part % 10);
        if (used == 0 && digits[i] != '0')
            used = i + 1;
    }
    digits[used] = '\0';
    wire_text_decimal(t, ns / WEFT_MS);
    wire_text_string(t, digits);
}

static void put_field(struct wire_text *t, const char *name, uint64_t value)
{
    wire_text_char(t, ' ');
    wire_text_string(t, name);
    wire_text_char(t, '=');
    wire_text_decimal(t, value);
}

static void put_hex_field(struct wire_text *t, const char *name, uint64_t value, size_t digits)
{
    wire_text_char(t, ' ');
    wire_text_string(t, name);
    wire_text_string(t, "=0x");
    wire_text_hex(t, value, digits);
}

static void put_time_field(struct wire_text *t, const char *name, weft_time ns)
{
    wire_text_char(t, ' ');
    wire_text_string(t, name);
    wire_text_char(t, '=');
    put_time(t, ns);
    wire_text_string(t, "ms");
}

static void put_rmpp(struct wire_text *t, const uint8_t *mad)
{
    static const char *const types[] = {"?", "DATA", "ACK", "STOP", "ABORT"};
    uint8_t type = rmpp_type(mad);

    wire_text_char(t, ' ');
    wire_text_string(t, type < sizeof(types) / sizeof(types[0]) ? types[type] : "?");
    if (type == WEFT_RMPP_DATA || type == WEFT_RMPP_ACK)
        put_field(t, "seg", rmpp_segment(mad));
    if (type == WEFT_RMPP_ACK)
        put_field(t, "window", rmpp_new_window(mad));
    if (rmpp_status(mad) != 0)
        put_field(t, "rmpp_status", rmpp_status(mad));
}

static void put_packet(struct wire_text *t, const struct weft_trace_event *ev, const char *what)
{
    const uint8_t *mad = ev->u.packet.mad;

    wire_text_string(t, what);
    put_field(t, "qp", ev->u.packet.qpn);
    put_field(t, "lid", ev->u.packet.peer->lid);
    if (ev->u.packet.len < WEFT_RMPP_DATA_OFFSET) {
        put_field(t, "len", ev->u.packet.len);
        return;
    }
    put_hex_field(t, "class", mad_class(mad), 2);
    put_hex_field(t, "method", mad_method(mad), 2);
    put_hex_field(t, "attr", mad_attr_id(mad), 4);
    if (mad_status(mad) != 0)
        put_hex_field(t, "status", mad_status(mad), 4);
    if (rmpp_is_active(mad))
        put_rmpp(t, mad);
}

static void put_event(struct wire_text *t, const struct weft_trace_event *ev)
{
    wire_text_string(t, "event ");
    if (ev->u.event.type == WEFT_MAD_EVENT_SEND_DONE) {
        wire_text_string(t, "SEND_DONE ");
        wire_text_string(t, weft_mad_status_name(ev->u.event.status));
        return;
    }
    wire_text_string(t, ev->u.event.type == WEFT_MAD_EVENT_RECV ? "RECV" : "DEVICE");
    put_field(t, "len", ev->u.event.len);
}

static void put_transfer(struct wire_text *t, const struct weft_trace_event *ev)
{
    static const char *const what[] = {
        [WEFT_TRACE_RMPP_BEGIN] = "transfer begins",
        [WEFT_TRACE_RMPP_COMPLETE] = "transfer complete",
        [WEFT_TRACE_RMPP_END] = "transfer forgotten",
    };

    wire_text_string(t, what[ev->u.rmpp.what]);
    put_field(t, "segments", ev->u.rmpp.segments);
    if (ev->u.rmpp.status != 0)
        put_field(t, "rmpp_status", ev->u.rmpp.status);
}

static void put_step(struct wire_text *t, const struct weft_trace_event *ev)
{
    switch (ev->type) {
    case WEFT_TRACE_STATE:
        wire_text_string(t, ev->u.state.event);
        wire_text_string(t, ": ");
        wire_text_string(t, weft_mad_state_name(ev->u.state.from));
        if (ev->u.state.from != ev->u.state.to) {
            wire_text_string(t, " -> ");
            wire_text_string(t, weft_mad_state_name(ev->u.state.to));
        }
        if (ev->u.state.refused)
            wire_text_string(t, " (refused)");
        break;
    case WEFT_TRACE_TX:
        put_packet(t, ev, "tx");
        break;
    case WEFT_TRACE_RX:
        put_packet(t, ev, "rx");
        break;
    case WEFT_TRACE_DROP:
        wire_text_string(t, "not taken: ");
        wire_text_string(t, weft_mad_verdict_name(ev->u.packet.verdict));
        break;
    case WEFT_TRACE_RETRY:
        wire_text_string(t, "retry");
        put_field(t, "number", ev->u.retry.attempt);
        put_field(t, "left", ev->u.retry.left);
        put_time_field(t, "wait", ev->u.retry.wait);
        if (ev->u.retry.budget != 0)
            put_time_field(t, "budget", ev->u.retry.budget);
        break;
    case WEFT_TRACE_EVENT:
        put_event(t, ev);
        break;
    case WEFT_TRACE_WINDOW:
        wire_text_string(t, "window");
        put_field(t, "lid", ev->u.window.lid);
        put_field(t, "requests", ev->u.window.window);
        break;
    case WEFT_TRACE_RMPP:
        put_transfer(t, ev);
        break;
    }
}

size_t weft_trace_format(const struct weft_trace_event *ev, char *out, size_t cap)
{
    struct wire_text t = {.out = out, .cap = cap};

    wire_text_char(&t, '[');
    put_time(&t, ev->time);
    wire_text_string(&t, "ms]");
    if (ev->tid != 0)
        put_hex_field(&t, "tid", ev->tid, 16);
    wire_text_char(&t, ' ');
    put_step(&t, ev);
    return wire_text_end(&t);
}
