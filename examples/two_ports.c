/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two ports in one program and in virtual time: one asks for the other's port counters, and the
 * first packet is lost. Build it with: cc two_ports.c $(pkg-config --cflags --libs libweft) */
#include <weft/mad.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASKER_LID = 1,
    DEVICE_LID = 2,
    PORT_COUNTERS = 0x12
};

/* A wire with one end here and one there, which loses what it is told to lose. */
struct wire {
    weft_time now;
    unsigned lose;
};

static void must(int err)
{
    if (err < 0) {
        fprintf(stderr, "two_ports: %s\n", weft_strerror(err));
        exit(1);
    }
}

static void set_field(enum weft_wire_header header, const char *name, uint8_t *at, uint64_t value)
{
    must(weft_wire_set(weft_wire_find(header, name), at, weft_wire_header_bytes(header), value));
}

static struct weft_mad_port *new_port(uint16_t lid, bool is_device)
{
    struct weft_mad_port *port;
    struct weft_mad_config config;

    must(weft_mad_config_init(&config));
    if (is_device)
        config.device.bits[WEFT_CLASS_PERF / 64] |= UINT64_C(1) << WEFT_CLASS_PERF % 64;
    must(weft_mad_port_new(&config, NULL, &port));
    must(weft_mad_port_set_lid(port, lid, 0));
    return port;
}

/* Moves what `from` wants to send to `to`. A lost packet has left its port all the same. */
static void carry(struct wire *w, struct weft_mad_port *from, uint16_t from_lid,
                  struct weft_mad_port *to)
{
    struct weft_mad_tx tx;

    while (weft_mad_poll_tx(from, &tx)) {
        struct weft_mad_rx rx = {.qpn = 1, .dlid = tx.to->lid, .data = tx.data, .len = tx.len};

        rx.from.lid = from_lid;
        rx.from.qpn = 1;
        rx.from.qkey = tx.to->qkey;
        if (w->lose > 0) {
            w->lose--;
            printf("%4" PRIu64 " ms  a packet is lost\n", w->now / WEFT_MS);
        } else {
            must(weft_mad_rx(to, w->now, &rx, NULL));
        }
        must(weft_mad_tx_done(from, w->now, tx.id, true));
    }
}

/* The device answers each request with counters that say 42 packets were received. */
static void serve(struct wire *w, struct weft_mad_port *device)
{
    struct weft_mad_event ev;
    uint8_t mad[WEFT_MAD_BYTES];

    while (weft_mad_poll_event(device, &ev)) {
        if (ev.type != WEFT_MAD_EVENT_DEVICE)
            continue;
        memcpy(mad, ev.u.recv.mad, sizeof(mad));
        set_field(WEFT_WIRE_MAD, "method", mad, WEFT_METHOD_GET | 0x80);
        set_field(WEFT_WIRE_PORT_COUNTERS, "rcv_packets", mad + WEFT_ATTRIBUTE_OFFSET, 42);
        must(weft_mad_recv_answer(device, w->now, ev.u.recv.id, mad));
    }
}

/* The asker prints what comes; true when its question is closed. */
static bool listen(struct wire *w, struct weft_mad_port *asker)
{
    struct weft_mad_event ev;
    bool closed = false;

    while (weft_mad_poll_event(asker, &ev)) {
        if (ev.type == WEFT_MAD_EVENT_RECV) {
            const uint8_t *data = (const uint8_t *)ev.u.recv.mad + WEFT_ATTRIBUTE_OFFSET;
            uint64_t packets;

            must(weft_wire_get(weft_wire_find(WEFT_WIRE_PORT_COUNTERS, "rcv_packets"), data,
                               weft_wire_header_bytes(WEFT_WIRE_PORT_COUNTERS), &packets));
            printf("%4" PRIu64 " ms  LID %d has received %" PRIu64 " packets\n", w->now / WEFT_MS,
                   DEVICE_LID, packets);
            must(weft_mad_recv_release(asker, ev.u.recv.id));
        } else if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            printf("%4" PRIu64 " ms  %s after %d packets\n", w->now / WEFT_MS,
                   weft_mad_status_name(ev.u.sent.status), ev.u.sent.attempts);
            closed = true;
        }
    }
    return closed;
}

/* Posts the question. `mad` is the engine's until its SEND_DONE. */
static void ask(struct weft_mad_port *asker, weft_time now, uint8_t mad[WEFT_MAD_BYTES])
{
    struct weft_mad_agent_req who = {.qpn = 1, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct weft_mad_send_req what = {.data = mad, .len = WEFT_MAD_BYTES, .retries = 3};

    set_field(WEFT_WIRE_MAD, "base_version", mad, 1);
    set_field(WEFT_WIRE_MAD, "class", mad, WEFT_CLASS_PERF);
    set_field(WEFT_WIRE_MAD, "class_version", mad, 1);
    set_field(WEFT_WIRE_MAD, "method", mad, WEFT_METHOD_GET);
    set_field(WEFT_WIRE_MAD, "attr_id", mad, PORT_COUNTERS);
    must(weft_mad_agent_add(asker, &who, &what.agent));
    what.to.lid = DEVICE_LID;
    what.to.qpn = 1;
    what.to.qkey = WEFT_QKEY_GSI;
    what.timeout = 100 * WEFT_MS;
    must(weft_mad_post(asker, now, &what, NULL));
}

int main(void)
{
    struct wire w = {.now = 0, .lose = 1};
    struct weft_mad_port *asker = new_port(ASKER_LID, false);
    struct weft_mad_port *device = new_port(DEVICE_LID, true);
    uint8_t mad[WEFT_MAD_BYTES] = {0};

    ask(asker, w.now, mad);
    /* The loop of <weft/mad.h>; instead of sleeping it moves the clock to the next deadline. */
    for (;;) {
        must(weft_mad_advance(asker, w.now));
        carry(&w, asker, ASKER_LID, device);
        serve(&w, device);
        carry(&w, device, DEVICE_LID, asker);
        if (listen(&w, asker))
            break;
        w.now = weft_mad_deadline(asker);
    }
    weft_mad_port_free(asker);
    weft_mad_port_free(device);
    return 0;
}
