/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks the SA for all node records, from a port of an adapter or of a fabric: an answer in many
 * segments. Prints how many there are, a line each, by GUID. */
#include "core/wire/mad_header.h"
#include "host/mad_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* By the offsets of the specification. */
enum {
    AT_RECORD_SIZE = 44, /* in units of 8 bytes */
    AT_NODE_GUID = 16    /* in a node record: behind LID, and 12 bytes of NodeInfo */
};

#define DEADLINE (60 * WEFT_S)

static int complain(const char *text)
{
    (void)fprintf(stderr, "mad_table: %s\n", text);
    return 1;
}

static int open_link(int argc, char **argv, struct mad_link *ret)
{
    struct hca_ports *all = calloc(1, sizeof(*all));
    char text[CHANNEL_TEXT_BYTES] = "no port can be used";
    struct hca_choice choice;
    int err;

    if (!all)
        return complain("no memory");
    if (argc == 3)
        err = mad_link_open_fabric(ret, argv[1], argv[2], 0, NULL, text);
    else
        err = hca_ports_read(all, text);
    if (!err && argc != 3)
        err = hca_ports_choose(all, NULL, 0, &choice);
    if (!err && argc != 3)
        err = mad_link_open_hca(ret, &choice, NULL, text);
    free(all);
    return err ? complain(text) : 0;
}

static int post(struct mad_link *l, uint8_t mad[WEFT_MAD_BYTES])
{
    const struct weft_mad_agent_req agent = {.qpn = WEFT_QP_GSI,
                                             .mgmt_class = WEFT_CLASS_SUBN_ADM,
                                             .class_version = 2,
                                             .rmpp_version = 1};
    struct weft_mad_send_req r = {.to = {.lid = l->is.sm_lid, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                  .data = mad,
                                  .len = WEFT_MAD_BYTES,
                                  .timeout = WEFT_S,
                                  .retries = 9};
    char text[CHANNEL_TEXT_BYTES] = "";

    mad_set_base_version(mad, 1);
    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(mad, 2);
    mad_set_method(mad, WEFT_METHOD_GET_TABLE);
    mad_set_attr_id(mad, WEFT_ATTR_SA_NODE_RECORD);
    mad_set_tid(mad, 7);
    if (mad_link_agent_add(l, &agent, &r.agent, text) != 0)
        return complain(text);
    return weft_mad_post(l->engine, l->now, &r, NULL) == 0 ? 0 : complain("the engine refuses it");
}

static int print(struct mad_link *l, const struct weft_mad_event *ev)
{
    uint32_t length = ev->u.recv.len, step;
    uint8_t *table = malloc(length);
    int count = 0;

    if (!table || weft_mad_recv_read(l->engine, ev->u.recv.id, 0, table, length) != 0)
        return complain("no memory");
    step = (uint32_t)(table[AT_RECORD_SIZE] << 8 | table[AT_RECORD_SIZE + 1]) * 8;
    for (uint32_t at = WEFT_SA_DATA_OFFSET; step > 0 && at + step <= length; at += step, count++)
        (void)printf("%016" PRIx64 "\n", wire_be64(table + at + AT_NODE_GUID));
    (void)printf("%d records, status 0x%04x\n", count, mad_status(table));
    free(table);
    return weft_mad_recv_release(l->engine, ev->u.recv.id) == 0 ? 0 : complain("released already");
}

int main(int argc, char **argv)
{
    uint8_t mad[WEFT_MAD_BYTES] = {0};
    struct mad_link l;
    weft_time end = mad_link_clock() + DEADLINE;
    struct weft_mad_event ev;
    int failed;

    if (open_link(argc, argv, &l) != 0)
        return 1;
    failed = post(&l, mad);
    while (!failed) {
        mad_link_move(&l);
        if (l.ended || l.now > end)
            failed = complain("no end of it");
        else if (!weft_mad_poll_event(l.engine, &ev))
            mad_link_wait(&l, end);
        else if (ev.type == WEFT_MAD_EVENT_RECV)
            failed = print(&l, &ev);
        else
            break;
    }
    if (!failed && ev.u.sent.status != WEFT_MAD_OK)
        failed = complain(weft_mad_status_name(ev.u.sent.status));
    mad_link_close(&l);
    return failed;
}
