/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A subnet administrator (SA) and who asks it for a table, in one program and in virtual time. The
 * table takes many packets (RMPP), and every seventh packet on the wire is lost. Build it with:
 * cc table.c $(pkg-config --cflags --libs libweft) */
#include <weft/mad.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORD_BYTES = 112, /* a NodeRecord, padded to a multiple of 8 */
    TABLE_BYTES = WEFT_SA_DATA_OFFSET + 40 * RECORD_BYTES
};

/* One end of the wire. `mad` is lent to the engine while `sending`. */
struct end {
    struct weft_mad_port *port;
    weft_mad_agent_id agent;
    uint16_t lid;
    bool sending;
    uint8_t mad[TABLE_BYTES];
};

static weft_time now;
static unsigned packets;

static void must(int err)
{
    if (err < 0) {
        fprintf(stderr, "table: %s\n", weft_strerror(err));
        exit(1);
    }
}

static void set_field(enum weft_wire_header header, const char *name, uint8_t *at, uint64_t value)
{
    must(weft_wire_set(weft_wire_find(header, name), at, weft_wire_header_bytes(header), value));
}

/* An agent of the SA's class with RMPP at each end; the SA's own owns the method GetTable. */
static void open_end(struct end *e, uint64_t methods)
{
    struct weft_mad_agent_req who = {.qpn = 1, .rmpp_version = 1, .methods = {methods}};
    struct weft_mad_config config;

    must(weft_mad_config_init(&config));
    config.rmpp.ack_ns = 50 * WEFT_MS; /* what a lost segment or ACK may cost */
    must(weft_mad_port_new(&config, NULL, &e->port));
    must(weft_mad_port_set_lid(e->port, e->lid, 0));
    who.mgmt_class = WEFT_CLASS_SUBN_ADM;
    who.class_version = 2;
    must(weft_mad_agent_add(e->port, &who, &e->agent));
}

/* Sends e->mad. `timeout` is for the whole answer, with what losses on its way cost. */
static void post(struct end *e, const struct weft_mad_addr *to, uint32_t len, weft_time timeout)
{
    struct weft_mad_send_req what = {.agent = e->agent, .to = *to, .data = e->mad, .len = len};

    what.timeout = timeout;
    what.retries = 7;
    must(weft_mad_post(e->port, now, &what, NULL));
    e->sending = true;
}

static void ask(struct end *e, uint16_t sa_lid)
{
    struct weft_mad_addr to = {.lid = sa_lid, .qpn = 1, .qkey = WEFT_QKEY_GSI};

    set_field(WEFT_WIRE_MAD, "base_version", e->mad, 1);
    set_field(WEFT_WIRE_MAD, "class", e->mad, WEFT_CLASS_SUBN_ADM);
    set_field(WEFT_WIRE_MAD, "class_version", e->mad, 2);
    set_field(WEFT_WIRE_MAD, "method", e->mad, WEFT_METHOD_GET_TABLE);
    set_field(WEFT_WIRE_MAD, "attr_id", e->mad, WEFT_ATTR_SA_NODE_RECORD);
    post(e, &to, WEFT_MAD_BYTES, WEFT_S);
}

/* The request's header, once, and all records behind it: the engine makes segments of them. */
static void answer(struct end *e, const struct weft_mad_event *ev)
{
    memcpy(e->mad, ev->u.recv.mad, WEFT_SA_DATA_OFFSET);
    set_field(WEFT_WIRE_MAD, "method", e->mad, WEFT_METHOD_GET_TABLE_RESP);
    set_field(WEFT_WIRE_RMPP, "flags", e->mad, WEFT_RMPP_FLAG_ACTIVE);
    set_field(WEFT_WIRE_SA, "attr_offset", e->mad, RECORD_BYTES / 8);
    for (uint32_t at = WEFT_SA_DATA_OFFSET, lid = 1; at < TABLE_BYTES; at += RECORD_BYTES, lid++)
        set_field(WEFT_WIRE_NODE_RECORD, "lid", e->mad + at, lid);
    post(e, &ev->u.recv.from, TABLE_BYTES, 0);
}

static void print_table(struct end *e, const struct weft_mad_event *ev)
{
    uint32_t len = ev->u.recv.len;
    uint8_t last[RECORD_BYTES];
    uint64_t lid;

    must(weft_mad_recv_read(e->port, ev->u.recv.id, len - RECORD_BYTES, last, RECORD_BYTES));
    must(weft_wire_get(weft_wire_find(WEFT_WIRE_NODE_RECORD, "lid"), last, RECORD_BYTES, &lid));
    printf("%" PRIu64 " ms: %" PRIu32 " bytes, the last record is of LID %" PRIu64 "\n",
           now / WEFT_MS, len, lid);
}

/* A request that comes again while its answer is on the way needs no second one. */
static void act(struct end *e, const char *what)
{
    struct weft_mad_event ev;

    while (weft_mad_poll_event(e->port, &ev)) {
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            printf("%" PRIu64 " ms: %s: %s\n", now / WEFT_MS, what,
                   weft_mad_status_name(ev.u.sent.status));
            e->sending = false;
        } else {
            if (ev.u.recv.solicited)
                print_table(e, &ev);
            else if (!e->sending)
                answer(e, &ev);
            must(weft_mad_recv_release(e->port, ev.u.recv.id));
        }
    }
}

/* Moves what `from` wants to send to `to`; false when there was nothing. */
static bool carry(struct end *from, struct end *to)
{
    struct weft_mad_tx tx;
    bool any = false;

    for (; weft_mad_poll_tx(from->port, &tx); any = true) {
        struct weft_mad_rx rx = {.qpn = 1, .dlid = tx.to->lid, .data = tx.data, .len = tx.len};

        rx.from = (struct weft_mad_addr){.lid = from->lid, .qpn = 1, .qkey = tx.to->qkey};
        if (packets++ % 7 != 0)
            must(weft_mad_rx(to->port, now, &rx, NULL));
        must(weft_mad_tx_done(from->port, now, tx.id, true));
    }
    return any;
}

int main(void)
{
    static struct end asker = {.lid = 1}, sa = {.lid = 2};

    open_end(&asker, 0);
    open_end(&sa, UINT64_C(1) << WEFT_METHOD_GET_TABLE);
    ask(&asker, sa.lid);
    /* The loop of <weft/mad.h> for both; instead of sleeping it moves the clock. */
    while (asker.sending || sa.sending) {
        must(weft_mad_advance(asker.port, now));
        must(weft_mad_advance(sa.port, now));
        do {
            act(&sa, "the answer");
            act(&asker, "the question");
        } while (carry(&asker, &sa) || carry(&sa, &asker));
        now = weft_mad_deadline(asker.port);
        if (now > weft_mad_deadline(sa.port))
            now = weft_mad_deadline(sa.port);
    }
    printf("%u packets, every seventh lost\n", packets);
    weft_mad_port_free(asker.port);
    weft_mad_port_free(sa.port);
    return 0;
}
