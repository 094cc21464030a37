/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An engine on one side, the rings of a connection on the other. */
#include "host/fabric_link.h"

#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Looks at the ring between two looks at the clock. */
#define LOOKS 16

weft_time fabric_link_clock(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
}

bool fabric_link_look(struct fabric_link *l)
{
    struct message_number query = {.head.type = MESSAGE_PORT_QUERY, .number = l->port};
    char text[CHANNEL_TEXT_BYTES];
    struct message_port answer;

    if (channel_ask(&l->channel, &query, sizeof(query), MESSAGE_PORT, &answer, sizeof(answer), NULL,
                    text) < 0 ||
        weft_mad_port_set_lid(l->engine, answer.lid, answer.lmc) < 0)
        return false;
    l->is = answer;
    return true;
}

static int engine_new(struct fabric_link *l, const struct weft_mad_config *c)
{
    struct weft_mad_config config;

    (void)weft_mad_config_init(&config);
    if (c)
        config = *c;
    config.tid_first = l->channel.welcome.tid_first;
    config.tid_last = l->channel.welcome.tid_last;
    /* Port 0 of a switch has no number that the engine knows. */
    if (l->port > 0)
        config.port_number = l->port;
    config.hops_by_host = true;
    return weft_mad_port_new(&config, NULL, &l->engine);
}

int fabric_link_open(struct fabric_link *ret, const char *socket, const char *node, uint8_t port,
                     const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES])
{
    struct fabric_link l = {.now = fabric_link_clock()};
    int err = channel_connect(socket, CHANNEL_ROLE_RINGS, node, port, &l.channel, text);

    if (err)
        return err;
    l.port = l.channel.welcome.port;
    err = engine_new(&l, c);
    if (err) {
        (void)snprintf(text, CHANNEL_TEXT_BYTES, "%s",
                       err == WEFT_ERR_NOMEM ? "there is no memory for the MAD engine"
                                             : "the MAD engine cannot be configured so");
        channel_close(&l.channel);
        return err;
    }
    (void)fabric_link_look(&l);
    spin_init(&l.spin, spin_usual_ns());
    *ret = l;
    return 0;
}

void fabric_link_close(struct fabric_link *l)
{
    l->engine = weft_mad_port_free(l->engine);
    channel_close(&l->channel);
    l->ended = true;
}

static struct fabric_link_claim *claim_of(struct fabric_link *l, weft_mad_agent_id id)
{
    for (size_t i = 0; i < FABRIC_LINK_CLAIMS_MAX; i++) {
        if (l->claims[i].id.v == id.v)
            return &l->claims[i];
    }
    return NULL;
}

/* Tells the daemon which unsolicited MADs an agent wants. */
static int claim(struct fabric_link *l, const struct weft_mad_agent_req *r, uint32_t *ret_number,
                 char text[CHANNEL_TEXT_BYTES])
{
    struct message_agent query = {.head.type = MESSAGE_AGENT_ADD,
                                  .qpn = r->qpn,
                                  .mgmt_class = r->mgmt_class,
                                  .version = r->class_version,
                                  .methods = {r->methods[0], r->methods[1]}};
    struct message_result answer;
    int err;

    memcpy(query.oui, r->oui, sizeof(query.oui));
    err = channel_ask(&l->channel, &query, sizeof(query), MESSAGE_RESULT, &answer, sizeof(answer),
                      NULL, text);
    if (!err)
        *ret_number = answer.value;
    return err;
}

int fabric_link_agent_add(struct fabric_link *l, const struct weft_mad_agent_req *r,
                          weft_mad_agent_id *ret, char text[CHANNEL_TEXT_BYTES])
{
    struct fabric_link_claim *place = claim_of(l, (weft_mad_agent_id){0});
    uint32_t number;
    int err;

    (void)snprintf(text, CHANNEL_TEXT_BYTES, "the MAD engine refuses an agent for class 0x%02x",
                   r->mgmt_class);
    err = weft_mad_agent_add(l->engine, r, ret);
    if (err || r->send_only || (r->methods[0] | r->methods[1]) == 0)
        return err;
    err = place ? claim(l, r, &number, text) : WEFT_ERR_FULL;
    if (err)
        (void)weft_mad_agent_remove(l->engine, l->now, *ret);
    else
        *place = (struct fabric_link_claim){.id = *ret, .number = number};
    return err;
}

int fabric_link_agent_remove(struct fabric_link *l, weft_mad_agent_id id)
{
    struct fabric_link_claim *mine = id.v != 0 ? claim_of(l, id) : NULL;
    struct message_number query = {.head.type = MESSAGE_AGENT_REMOVE};
    struct message_result answer;
    char text[CHANNEL_TEXT_BYTES];

    if (mine) {
        query.number = mine->number;
        (void)channel_ask(&l->channel, &query, sizeof(query), MESSAGE_RESULT, &answer,
                          sizeof(answer), NULL, text);
        *mine = (struct fabric_link_claim){.number = 0};
    }
    return weft_mad_agent_remove(l->engine, l->now, id);
}

static bool lid_is_ours(const struct fabric_link *l, uint16_t lid)
{
    return lid >= l->is.lid && lid < l->is.lid + (1u << l->is.lmc);
}

/* Which of the port's LIDs a packet came to; an SM may have given it another one. */
static uint8_t path_bits_of(struct fabric_link *l, uint16_t dlid)
{
    if (dlid == 0 || dlid >= WEFT_LID_MULTICAST_FIRST)
        return 0;
    if (!lid_is_ours(l, dlid))
        (void)fabric_link_look(l);
    return lid_is_ours(l, dlid) ? (uint8_t)(dlid - l->is.lid) : 0;
}

static void packet_came(struct fabric_link *l, const struct packet *p)
{
    struct weft_mad_rx rx = {.qpn = (uint8_t)p->dst_qpn,
                             .dlid = p->dlid,
                             .from = {.lid = p->slid,
                                      .sl = p->sl,
                                      .qpn = p->src_qpn,
                                      .qkey = p->qkey,
                                      .pkey_index = p->pkey_index,
                                      .has_grh = p->has_grh != 0},
                             .data = p->mad,
                             .len = sizeof(p->mad)};

    if (p->dst_qpn > WEFT_QP_GSI || p->sl > 15)
        return;
    rx.from.path_bits = path_bits_of(l, p->dlid);
    if (rx.from.has_grh) {
        rx.from.grh.flow_label = p->flow_label;
        rx.from.grh.traffic_class = p->traffic_class;
        rx.from.grh.hop_limit = p->hop_limit;
        rx.from.grh.sgid_index = p->sgid_index;
        memcpy(rx.from.grh.sgid, p->sgid, sizeof(p->sgid));
        memcpy(rx.from.grh.dgid, p->dgid, sizeof(p->dgid));
    }
    (void)weft_mad_rx(l->engine, l->now, &rx, NULL);
}

static void packet_make(const struct weft_mad_tx *tx, struct packet *ret)
{
    const struct weft_mad_addr *to = tx->to;

    memset(ret, 0, offsetof(struct packet, mad));
    ret->dlid = to->lid;
    ret->sl = to->sl;
    ret->path_bits = to->path_bits;
    ret->src_qpn = tx->qpn;
    ret->dst_qpn = to->qpn;
    ret->qkey = tx->qpn == WEFT_QP_SMI ? 0 : to->qkey;
    ret->pkey_index = to->pkey_index;
    if (to->has_grh) {
        ret->has_grh = 1;
        ret->flow_label = to->grh.flow_label;
        ret->traffic_class = to->grh.traffic_class;
        ret->hop_limit = to->grh.hop_limit;
        ret->sgid_index = to->grh.sgid_index;
        memcpy(ret->dgid, to->grh.dgid, sizeof(ret->dgid));
    }
    memcpy(ret->mad, tx->data, sizeof(ret->mad));
}

/* As far as the ring has room; the bell tells when it has some again. */
static void send_due(struct fabric_link *l)
{
    struct ring *ring = &l->channel.rings->to_daemon;
    struct weft_mad_tx tx;
    struct packet packet;

    while ((ring_has_room(ring) || !ring_ask_room(ring)) && weft_mad_poll_tx(l->engine, &tx)) {
        packet_make(&tx, &packet);
        (void)rings_send(l->channel.rings, l->channel.daemon_bell, &packet);
        (void)weft_mad_tx_done(l->engine, l->now, tx.id, true);
    }
}

void fabric_link_move(struct fabric_link *l)
{
    struct packet packet;
    int taken = 0;

    l->now = fabric_link_clock();
    for (int i = 0; i < RINGS_SLOTS && !l->ended; i++) {
        taken = rings_receive(l->channel.rings, l->channel.daemon_bell, &l->own, &packet);
        if (taken != 1)
            break;
        packet_came(l, &packet);
    }
    if (taken < 0 || (taken == 0 && atomic_load(&l->channel.rings->closed) != 0))
        l->ended = true;
    (void)weft_mad_advance(l->engine, l->now);
    if (!l->ended)
        send_due(l);
}

/* Looks at the ring for as long as that has been of use.
 * Returns whether it need not sleep. */
static bool look_for_packets(struct fabric_link *l, weft_time now, weft_time until)
{
    const struct ring *ring = &l->channel.rings->to_client;
    weft_time end = now + l->spin.now_ns < until ? now + l->spin.now_ns : until;

    while (now < end) {
        for (int i = 0; i < LOOKS; i++) {
            if (ring_waiting(ring, l->own)) {
                spin_found(&l->spin);
                return true;
            }
            spin_pause();
        }
        now = fabric_link_clock();
    }
    spin_missed(&l->spin);
    return now >= until;
}

void fabric_link_wait(struct fabric_link *l, weft_time until)
{
    weft_time now = fabric_link_clock(), deadline = weft_mad_deadline(l->engine);
    struct pollfd fds[] = {{.fd = l->channel.client_bell, .events = POLLIN},
                           {.fd = l->channel.socket, .events = POLLRDHUP}};
    struct timespec limit;
    int ready;

    if (deadline < until)
        until = deadline;
    if (l->ended || until <= now || look_for_packets(l, now, until) ||
        !rings_sleep(l->channel.rings, l->own))
        return;
    now = fabric_link_clock();
    until = until > now ? until : now;
    limit = (struct timespec){.tv_sec = (time_t)((until - now) / WEFT_S),
                              .tv_nsec = (long)((until - now) % WEFT_S)};
    ready = ppoll(fds, 2, until == WEFT_TIME_NEVER ? NULL : &limit, NULL);
    rings_wake(l->channel.rings);
    if (ready > 0 && fds[0].revents) {
        bell_hush(l->channel.client_bell);
        spin_woken(&l->spin, fabric_link_clock() - now);
    }
    if (ready > 0 && fds[1].revents)
        l->ended = true;
}
