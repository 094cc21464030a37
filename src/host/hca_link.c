/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An engine on one side, libibumad on the other. */
#include "host/hca_link.h"

#include "core/wire/mad_header.h"
#include "host/fabric_link.h"
#include "host/hca_device.h"
#include "host/hca_table.h"
#include "host/hca_umad.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* Packets taken before timers and sends get their turn. */
#define MOVE_PACKETS 512

/* The longest sleep, for the sake of what counts in int. */
#define SLEEP_MAX (60 * WEFT_S)

/* The kernel's timers are late by up to two of its ticks (100 Hz at the slowest); its attempt is to
 * have ended when the engine makes the next one. */
#define KERNEL_LATE (20 * WEFT_MS)

/* Away from where kernels begin to count, so that a peer's transaction id is not taken for ours. */
#define TID_FIRST 0xff0000

/* libibumad's own answers and errno do not always agree; errno does when it was 0 before. */
static int error_of(int result)
{
    return errno != 0 ? errno : -result;
}

static bool has_gone(int error)
{
    return error == ENODEV || error == EIO || error == ENXIO || error == EBADF;
}

static int open_device(const struct hca_port *p, int *ret, char text[CHANNEL_TEXT_BYTES])
{
    char path[HCA_PATH_BYTES];
    int error;

    errno = 0;
    *ret = libumad.umad_open_port(p->ca, p->number);
    if (*ret >= 0)
        return 0;
    error = error_of(*ret);
    hca_device_path(p->ca, p->number, path);
    if (error == EACCES || error == EPERM)
        (void)snprintf(text, CHANNEL_TEXT_BYTES,
                       "%s port %u: no permission to open %s; be root, or have an udev rule give "
                       "it to a group that you are in",
                       p->ca, p->number, path);
    else if (error == ENOENT)
        (void)snprintf(text, CHANNEL_TEXT_BYTES,
                       "%s port %u: there is no %s; load the module ib_umad, and in a container "
                       "pass the device on",
                       p->ca, p->number, path);
    else
        (void)snprintf(text, CHANNEL_TEXT_BYTES, "%s port %u: %s cannot be opened: %s", p->ca,
                       p->number, path, strerror(error));
    return WEFT_ERR_STATE;
}

static int open_devices(struct hca_link *l, char text[CHANNEL_TEXT_BYTES])
{
    const struct hca_port *gsi = &l->choice.gsi, *smi = &l->choice.smi;
    int err = open_device(gsi, &l->portids[WEFT_QP_GSI], text);

    if (err || smi->ca[0] == '\0')
        return err;
    if (strcmp(smi->ca, gsi->ca) == 0 && smi->number == gsi->number) {
        l->portids[WEFT_QP_SMI] = l->portids[WEFT_QP_GSI];
        return 0;
    }
    return open_device(smi, &l->portids[WEFT_QP_SMI], text);
}

static void take_lid(struct hca_link *l)
{
    const struct hca_port *p = &l->choice.gsi;

    if (weft_mad_port_set_lid(l->engine, p->lid, p->lmc) == 0) {
        l->base_lid = p->lid;
        l->lmc = p->lmc;
    }
}

static int engine_new(struct hca_link *l, const struct weft_mad_config *c,
                      char text[CHANNEL_TEXT_BYTES])
{
    struct weft_mad_config config;
    int err;

    (void)weft_mad_config_init(&config);
    if (c)
        config = *c;
    config.tid_first = TID_FIRST;
    config.tid_last = UINT32_C(0xffffff);
    if (l->choice.gsi.number > 0)
        config.port_number = l->choice.gsi.number;
    /* the kernel follows them */
    config.hops_by_host = true;
    /* umad_size() may still be less: it grows when a port is opened */
    l->packet = calloc(1, sizeof(struct ib_user_mad) + WEFT_MAD_BYTES);
    err = l->packet ? weft_mad_port_new(&config, NULL, &l->engine) : WEFT_ERR_NOMEM;
    if (err)
        (void)snprintf(text, CHANNEL_TEXT_BYTES, "%s",
                       err == WEFT_ERR_NOMEM ? "there is no memory for the MAD engine"
                                             : "the MAD engine cannot be configured so");
    return err;
}

int hca_link_open(struct hca_link *ret, const struct hca_choice *choice,
                  const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES])
{
    int err;

    *ret = (struct hca_link){.now = fabric_link_clock(), .choice = *choice, .portids = {-1, -1}};
    err = engine_new(ret, c, text);
    if (!err)
        err = open_devices(ret, text);
    if (err) {
        hca_link_close(ret);
        return err;
    }
    hca_room_init(&ret->room, ret->portids[WEFT_QP_GSI]);
    take_lid(ret);
    return 0;
}

void hca_link_close(struct hca_link *l)
{
    int smi = l->portids[WEFT_QP_SMI], gsi = l->portids[WEFT_QP_GSI];

    if (smi >= 0 && smi != gsi)
        (void)libumad.umad_close_port(smi);
    if (gsi >= 0)
        (void)libumad.umad_close_port(gsi);
    l->portids[WEFT_QP_SMI] = l->portids[WEFT_QP_GSI] = -1;
    l->engine = weft_mad_port_free(l->engine);
    free(l->packet);
    l->packet = NULL;
    l->ended = true;
}

bool hca_link_is_ibsim(const struct hca_link *l)
{
    return l->room.limit != 0;
}

bool hca_link_look(struct hca_link *l)
{
    struct hca_port p;

    if (!hca_port_read(l->choice.gsi.ca, l->choice.gsi.number, &p))
        return false;
    l->choice.gsi = p;
    take_lid(l);
    return true;
}

/* As older kernels, and ibsim, know it: without RMPP, segments are left alone, too. */
static int register_plainly(int portid, const struct weft_mad_agent_req *r)
{
    uint8_t oui[3] = {r->oui[0], r->oui[1], r->oui[2]};
    long mask[16 / sizeof(long)];

    static_assert(sizeof(mask) == sizeof(r->methods), "a bit for each method");
    memcpy(mask, r->methods, sizeof(mask));
    errno = 0;
    if (mad_class_has_oui(r->mgmt_class))
        return libumad.umad_register_oui(portid, r->mgmt_class, 0, oui, mask);
    return libumad.umad_register(portid, r->mgmt_class, r->class_version, 0, mask);
}

/* Returns the kernel's number of the agent; below 0: it refuses. */
static int register_agent(int portid, const struct weft_mad_agent_req *r)
{
    struct umad_reg_attr attr = {.mgmt_class = r->mgmt_class,
                                 .mgmt_class_version = r->class_version,
                                 .flags = r->rmpp_version != 0 ? UMAD_USER_RMPP : 0,
                                 .method_mask = {r->methods[0], r->methods[1]},
                                 .oui = (uint32_t)r->oui[0] << 16 | (uint32_t)r->oui[1] << 8 |
                                        r->oui[2],
                                 .rmpp_version = r->rmpp_version};
    uint32_t number = 0;

    if (!mad_class_has_oui(r->mgmt_class))
        attr.oui = 0;
    if (libumad.umad_register2(portid, &attr, &number) == 0)
        return (int)number;
    return register_plainly(portid, r);
}

static struct hca_agent *free_agent(struct hca_link *l, uint8_t qpn)
{
    for (size_t i = 0; i < HCA_AGENTS_MAX; i++) {
        if (l->agents[qpn][i].id.v == 0)
            return &l->agents[qpn][i];
    }
    return NULL;
}

static int refuse_agent(const struct hca_link *l, const struct weft_mad_agent_req *r,
                        char text[CHANNEL_TEXT_BYTES])
{
    const struct hca_port *p = &l->choice.gsi;

    if (l->portids[r->qpn] < 0)
        (void)snprintf(text, CHANNEL_TEXT_BYTES,
                       "%s port %u does no subnet management, and no other device here has its "
                       "port GUID; choose one that does with --ca",
                       p->ca, p->number);
    else if ((r->methods[0] | r->methods[1]) != 0)
        (void)snprintf(text, CHANNEL_TEXT_BYTES,
                       "%s port %u: the kernel refuses an agent for class 0x%02x; another program "
                       "there may have its methods",
                       p->ca, p->number, r->mgmt_class);
    else
        (void)snprintf(text, CHANNEL_TEXT_BYTES,
                       "%s port %u: the kernel refuses an agent for class 0x%02x: %s", p->ca,
                       p->number, r->mgmt_class, errno != 0 ? strerror(errno) : "it says no more");
    return WEFT_ERR_STATE;
}

int hca_link_agent_add(struct hca_link *l, const struct weft_mad_agent_req *r,
                       weft_mad_agent_id *ret, char text[CHANNEL_TEXT_BYTES])
{
    struct hca_agent *a = r->qpn <= WEFT_QP_GSI ? free_agent(l, r->qpn) : NULL;
    int number, err;

    (void)snprintf(text, CHANNEL_TEXT_BYTES, "the MAD engine refuses an agent for class 0x%02x",
                   r->mgmt_class);
    if (!a)
        return r->qpn <= WEFT_QP_GSI ? WEFT_ERR_FULL : WEFT_ERR_INVALID;
    if (l->portids[r->qpn] < 0)
        return refuse_agent(l, r, text);
    err = weft_mad_agent_add(l->engine, r, ret);
    if (err)
        return err;
    number = register_agent(l->portids[r->qpn], r);
    if (number < 0) {
        (void)weft_mad_agent_remove(l->engine, l->now, *ret);
        return refuse_agent(l, r, text);
    }
    *a = (struct hca_agent){
        .id = *ret, .number = number, .qpn = r->qpn, .mgmt_class = r->mgmt_class};
    (void)weft_mad_agent_tid(l->engine, *ret, &a->tid);
    return 0;
}

int hca_link_agent_remove(struct hca_link *l, weft_mad_agent_id id)
{
    int err = weft_mad_agent_remove(l->engine, l->now, id);

    for (int qpn = 0; !err && qpn <= WEFT_QP_GSI; qpn++) {
        for (size_t i = 0; i < HCA_AGENTS_MAX; i++) {
            struct hca_agent *a = &l->agents[qpn][i];

            if (a->id.v != id.v || id.v == 0)
                continue;
            (void)libumad.umad_unregister(l->portids[qpn], a->number);
            *a = (struct hca_agent){.id.v = 0};
        }
    }
    return err;
}

/* Who sends a packet: the one whose transaction ids it has, else one of its class: an answer has
 * the asker's. */
static const struct hca_agent *sender_of(const struct hca_link *l, const struct weft_mad_tx *tx)
{
    uint32_t tid = (uint32_t)(mad_tid(tx->data) >> 32);
    const struct hca_agent *like = NULL;

    for (size_t i = 0; i < HCA_AGENTS_MAX; i++) {
        const struct hca_agent *a = &l->agents[tx->qpn][i];

        if (a->id.v == 0)
            continue;
        if (a->tid == tid)
            return a;
        if (a->mgmt_class == mad_class(tx->data))
            like = a;
    }
    return like;
}

static void addr_write(const struct weft_mad_tx *tx, ib_mad_addr_t *ret)
{
    const struct weft_mad_addr *to = tx->to;

    ret->qpn = htonl(to->qpn);
    ret->qkey = htonl(tx->qpn == WEFT_QP_SMI ? 0 : to->qkey);
    ret->lid = htons(to->lid);
    ret->sl = to->sl;
    ret->path_bits = to->path_bits;
    if (!to->has_grh)
        return;
    ret->grh_present = 1;
    ret->gid_index = to->grh.sgid_index;
    ret->hop_limit = to->grh.hop_limit;
    ret->traffic_class = to->grh.traffic_class;
    ret->flow_label = htonl(to->grh.flow_label);
    memcpy(ret->gid, to->grh.dgid, sizeof(ret->gid));
}

/* How long the kernel is to wait for an answer before it takes the transaction id for free. */
static int kernel_timeout(weft_time wait)
{
    weft_time early = wait / 4 < KERNEL_LATE ? wait / 4 : KERNEL_LATE;
    weft_time ms = (wait - early) / WEFT_MS;

    if (wait == 0)
        return 0;
    if (ms > INT32_MAX)
        return INT32_MAX;
    return ms > 0 ? (int)ms : 1;
}

/* Returns whether the packet has left, or is lost as any packet may be. */
static bool send_packet(struct hca_link *l, const struct weft_mad_tx *tx)
{
    const struct hca_agent *a = sender_of(l, tx);
    int result, error;

    if (!a) {
        l->stats.strangers++;
        return false;
    }
    if (hca_link_is_ibsim(l) && hca_table_is_reply(tx->data))
        return true;
    if (tx->wait != 0 && hca_room_has(&l->room, (uint32_t)mad_tid(tx->data)))
        return true;
    memset(l->packet, 0, libumad.umad_size());
    addr_write(tx, libumad.umad_get_mad_addr(l->packet));
    (void)libumad.umad_set_pkey(l->packet, tx->to->pkey_index);
    memcpy(libumad.umad_get_mad(l->packet), tx->data, WEFT_MAD_BYTES);
    errno = 0;
    result = libumad.umad_send(l->portids[tx->qpn], a->number, l->packet, WEFT_MAD_BYTES,
                               kernel_timeout(tx->wait), 0);
    if (result == 0) {
        l->stats.sent++;
        if (tx->wait != 0)
            hca_room_take(&l->room, (uint32_t)mad_tid(tx->data), l->now);
        return true;
    }
    error = error_of(result);
    if (error == EINVAL)
        l->stats.refused++;
    else if (error == ENOMEM || error == ENOBUFS || error == EAGAIN || error == EINTR)
        l->stats.short_of++;
    else
        l->ended = l->ended || has_gone(error);
    return error == EINVAL || error == ENOMEM || error == ENOBUFS || error == EAGAIN ||
           error == EINTR;
}

static void send_due(struct hca_link *l)
{
    struct weft_mad_tx tx;

    while (!l->ended && hca_room_is_left(&l->room, l->now) && weft_mad_poll_tx(l->engine, &tx)) {
        bool ok = send_packet(l, &tx);

        (void)weft_mad_tx_done(l->engine, l->now, tx.id, ok);
    }
}

static const struct hca_agent *agent_of(const struct hca_link *l, int portid, int number)
{
    for (int qpn = 0; qpn <= WEFT_QP_GSI; qpn++) {
        for (size_t i = 0; l->portids[qpn] == portid && i < HCA_AGENTS_MAX; i++) {
            const struct hca_agent *a = &l->agents[qpn][i];

            if (a->id.v != 0 && a->number == number)
                return a;
        }
    }
    return NULL;
}

/* The kernel says the sender's GID; the other one is ours, of which it gives the index. */
static void grh_read(const struct hca_link *l, const ib_mad_addr_t *from, struct weft_mad_grh *ret)
{
    ret->flow_label = ntohl(from->flow_label) & 0xfffff;
    ret->traffic_class = from->traffic_class;
    ret->hop_limit = from->hop_limit;
    ret->sgid_index = from->gid_index;
    memcpy(ret->sgid, from->gid, sizeof(ret->sgid));
    wire_set_be64(ret->dgid, l->choice.gsi.gid_prefix);
    wire_set_be64(ret->dgid + 8, l->choice.gsi.guid);
}

/* On the wire a MAD has all its bytes; a port that is no adapter's may leave zeros at its end out.
 */
static void feed(struct hca_link *l, const struct hca_agent *a, size_t length)
{
    const ib_mad_addr_t *from = libumad.umad_get_mad_addr(l->packet);
    uint8_t *mad = libumad.umad_get_mad(l->packet);
    struct weft_mad_rx rx = {.qpn = a->qpn,
                             .dlid = (uint16_t)(l->base_lid + from->path_bits),
                             .from = {.lid = ntohs(from->lid),
                                      .sl = from->sl & 0xf,
                                      .path_bits = from->path_bits & 0x7f,
                                      .qpn = ntohl(from->qpn) & 0xffffff,
                                      .qkey = a->qpn == WEFT_QP_GSI ? WEFT_QKEY_GSI : 0,
                                      .pkey_index = (uint16_t)libumad.umad_get_pkey(l->packet),
                                      .has_grh = from->grh_present != 0},
                             .data = mad,
                             .len = WEFT_MAD_BYTES};

    memset(mad + length, 0, WEFT_MAD_BYTES - length);
    if (hca_link_is_ibsim(l) && hca_table_is_bare(mad))
        hca_table_finish(mad, length);
    if (rx.from.has_grh)
        grh_read(l, from, &rx.from.grh);
    /* the kernel has written its own half into what asks, acknowledgements of segments too */
    if (mad_is_response(mad))
        mad_set_tid(mad, (uint64_t)a->tid << 32 | (uint32_t)mad_tid(mad));
    l->stats.received++;
    (void)weft_mad_rx(l->engine, l->now, &rx, NULL);
}

/* Takes a message away that has no room in a packet; kernels that do RMPP all the same have such.
 */
static void discard(struct hca_link *l, int portid, int length)
{
    void *room = length > 0 ? malloc(libumad.umad_size() + (size_t)length) : NULL;

    l->stats.strangers++;
    if (!room || libumad.umad_recv(portid, room, &length, 0) < 0)
        l->ended = true;
    free(room);
}

/* Takes one packet; false: there is none. No port lets anybody wait here, and to ask first whether
 * there is one would cost as much as taking it. */
static bool take_packet(struct hca_link *l, int portid)
{
    const struct hca_agent *a;
    int length = WEFT_MAD_BYTES;
    int number;

    errno = 0;
    number = libumad.umad_recv(portid, l->packet, &length, 0);
    if (number < 0 && errno == ENOSPC) {
        discard(l, portid, length);
        return !l->ended;
    }
    if (number < 0) {
        l->ended = l->ended || has_gone(errno);
        return false;
    }
    a = agent_of(l, portid, number);
    if (libumad.umad_status(l->packet) != 0 || mad_is_response(libumad.umad_get_mad(l->packet)))
        hca_room_give(&l->room, (uint32_t)mad_tid(libumad.umad_get_mad(l->packet)), l->now);
    if (libumad.umad_status(l->packet) != 0)
        l->stats.returned++;
    else if (!a || length < WEFT_MAD_HEADER_BYTES || length > WEFT_MAD_BYTES)
        l->stats.strangers++;
    else
        feed(l, a, (size_t)length);
    return true;
}

void hca_link_move(struct hca_link *l)
{
    int smi = l->portids[WEFT_QP_SMI], gsi = l->portids[WEFT_QP_GSI];

    l->now = fabric_link_clock();
    for (int i = 0; i < MOVE_PACKETS && !l->ended && take_packet(l, gsi); i++)
        continue;
    for (int i = 0; smi >= 0 && smi != gsi && i < MOVE_PACKETS && !l->ended && take_packet(l, smi);
         i++)
        continue;
    (void)weft_mad_advance(l->engine, l->now);
    send_due(l);
}

void hca_link_wait(struct hca_link *l, weft_time until)
{
    weft_time now = fabric_link_clock(), deadline = weft_mad_deadline(l->engine);
    int smi = l->portids[WEFT_QP_SMI], gsi = l->portids[WEFT_QP_GSI];
    int ms, error = 0;

    if (deadline < until)
        until = deadline;
    if (l->ended || until <= now)
        return;
    until = until - now < SLEEP_MAX ? until - now : SLEEP_MAX;
    ms = (int)((until + WEFT_MS - 1) / WEFT_MS);
    errno = 0;
    if (smi < 0 || smi == gsi) {
        /* where libibumad moves the packets itself, it does so in here */
        if (libumad.umad_poll(gsi, ms) < 0)
            error = errno;
    } else {
        struct pollfd fds[] = {{.fd = libumad.umad_get_fd(gsi), .events = POLLIN},
                               {.fd = libumad.umad_get_fd(smi), .events = POLLIN}};

        if (poll(fds, 2, ms) < 0)
            error = errno;
    }
    l->ended = has_gone(error);
}
