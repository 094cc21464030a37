/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs at ports, their claims, and what waits for them. */
#include "fabric/attach.h"

#include "core/wire/mad_header.h"
#include "fabric/flight.h"
#include "fabric/forward.h"
#include "fabric/functions.h"
#include "fabric/trap.h"

#include <string.h>

/* Transaction ids of an attachment: 256, behind slot + 1. */
#define TIDS_SHIFT 8

#define SL_MAX         15
#define QPN_MAX        0xFFFFFF
#define FLOW_LABEL_MAX 0xFFFFF
#define PATH_BITS_MAX  127

struct delivery {
    struct fabric_attachment to;
    struct packet packet;
};

/* A ring. */
struct deliveries {
    struct delivery *ring;
    uint32_t first, count;
};

static uint32_t slot_of(const struct fabric *f, const struct attachment *a)
{
    return (uint32_t)(a - f->attachments);
}

static struct fabric_attachment handle_of(const struct fabric *f, const struct attachment *a)
{
    return (struct fabric_attachment){(uint64_t)a->generation << 32 |
                                      ((uint64_t)slot_of(f, a) + 1)};
}

/* The attachment that a handle names; NULL when it is gone. */
static struct attachment *find_attachment(const struct fabric *f, struct fabric_attachment id)
{
    uint32_t slot = (uint32_t)id.v - 1;
    struct attachment *a;

    if (slot >= f->config.attachments)
        return NULL;
    a = &f->attachments[slot];
    return a->generation % 2 == 1 && a->generation == (uint32_t)(id.v >> 32) ? a : NULL;
}

int attach_new(struct fabric *f)
{
    struct deliveries *d = fabric_take(f, 1, sizeof(*d));

    f->deliveries = d;
    if (!d)
        return WEFT_ERR_NOMEM;
    d->ring = fabric_take(f, f->config.deliveries, sizeof(*d->ring));
    f->attachments = fabric_take(f, f->config.attachments, sizeof(*f->attachments));
    if (!d->ring || !f->attachments)
        return WEFT_ERR_NOMEM;
    f->attachment_free = FABRIC_NONE;
    f->attachment_last = FABRIC_NONE;
    return 0;
}

void attach_free(struct fabric *f)
{
    if (f->deliveries)
        fabric_give(f, f->deliveries->ring, f->config.deliveries, sizeof(*f->deliveries->ring));
    fabric_give(f, f->deliveries, 1, sizeof(*f->deliveries));
    fabric_give(f, f->attachments, f->config.attachments, sizeof(*f->attachments));
    f->deliveries = NULL;
    f->attachments = NULL;
}

/* Slots that were never used come first, then those that have been free longest: an answer that is
 * late finds a new owner of its transaction id as late as can be. */
static struct attachment *take_slot(struct fabric *f)
{
    struct attachment *a;

    if (f->attachment_fresh < f->config.attachments)
        return &f->attachments[f->attachment_fresh++];
    if (f->attachment_free == FABRIC_NONE)
        return NULL;
    a = &f->attachments[f->attachment_free];
    f->attachment_free = a->next;
    if (f->attachment_free == FABRIC_NONE)
        f->attachment_last = FABRIC_NONE;
    return a;
}

static void give_slot(struct fabric *f, struct attachment *a)
{
    uint32_t slot = slot_of(f, a);

    a->next = FABRIC_NONE;
    if (f->attachment_last == FABRIC_NONE)
        f->attachment_free = slot;
    else
        f->attachments[f->attachment_last].next = slot;
    f->attachment_last = slot;
}

uint8_t attach_pick_port(const struct fabric *f, const struct node *n)
{
    if (node_is_switch(n))
        return 0;
    for (uint32_t number = 1; number <= n->ports; number++)
        if (node_port(f, n, (uint8_t)number)->peer != FABRIC_NONE)
            return (uint8_t)number;
    return 1;
}

uint32_t attach_count(const struct fabric *f, const struct port *p, uint16_t function)
{
    uint32_t count = 0;

    for (uint32_t slot = p->attached; slot != FABRIC_NONE; slot = f->attachments[slot].next)
        count += f->attachments[slot].function == function;
    return count;
}

int fabric_attach(struct fabric *f, uint32_t node, uint8_t port, struct fabric_attachment *ret,
                  uint8_t *ret_port, struct fabric_tids *ret_tids)
{
    return fabric_attach_function(f, node, port, WEFT_PKEY_PF, ret, ret_port, ret_tids);
}

int fabric_pick_port(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                     uint8_t *ret_port)
{
    const struct node *n;
    uint8_t picked;

    if (node >= f->node_count)
        return WEFT_ERR_INVALID;
    n = &f->nodes[node];
    if (port > n->ports || (port > 0 && node_is_switch(n)))
        return WEFT_ERR_INVALID;
    picked = port > 0 ? port : attach_pick_port(f, n);
    if (!functions_has(f, node_port(f, n, picked), function))
        return WEFT_ERR_NOTFOUND;
    *ret_port = picked;
    return 0;
}

int fabric_attach_function(struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                           struct fabric_attachment *ret, uint8_t *ret_port,
                           struct fabric_tids *ret_tids)
{
    struct attachment *a;
    struct port *p;
    uint8_t picked;
    int err = fabric_pick_port(f, node, port, function, &picked);

    if (err != 0)
        return err;
    p = node_port(f, &f->nodes[node], picked);
    a = take_slot(f);
    if (!a)
        return WEFT_ERR_FULL;
    a->generation++;
    a->port = port_index(f, p);
    a->next = p->attached;
    p->attached = slot_of(f, a);
    a->issm = false;
    a->function = (uint8_t)function;
    a->tids.first = (slot_of(f, a) + 1) << TIDS_SHIFT;
    a->tids.last = a->tids.first | ((UINT32_C(1) << TIDS_SHIFT) - 1);
    f->stats.attachments++;
    *ret = handle_of(f, a);
    *ret_port = p->number;
    *ret_tids = a->tids;
    return 0;
}

/* A change of IsSM is told to the SM that there is (trap 144). */
static void set_issm(struct fabric *f, struct attachment *a, bool on)
{
    struct port *p = &f->ports[a->port];
    uint16_t before = p->issm;

    if (a->issm == on)
        return;
    a->issm = on;
    p->issm = (uint16_t)(on ? before + 1 : before - 1);
    if ((before == 0) != (p->issm == 0) && port_lid(p) != 0 &&
        be16_at(p->info + WIRE_AT_PORT_INFO_MASTER_SM_LID) != 0)
        trap_raise(f, p, TRAP_CAPABILITY, NULL);
}

int fabric_detach(struct fabric *f, weft_time now, struct fabric_attachment id)
{
    struct attachment *a = find_attachment(f, id);
    uint32_t *link;
    int err;

    if (!a)
        return WEFT_ERR_STALE;
    err = fabric_advance(f, now);
    if (err != 0)
        return err;
    set_issm(f, a, false);
    link = &f->ports[a->port].attached;
    while (*link != slot_of(f, a))
        link = &f->attachments[*link].next;
    *link = a->next;
    memset(a->agents, 0, sizeof(a->agents));
    a->generation++;
    give_slot(f, a);
    f->stats.attachments--;
    fabric_settle(f);
    return 0;
}

static bool agent_valid(const struct fabric_agent *want)
{
    static const uint8_t none[3] = {0};

    if (want->qpn > WEFT_QP_GSI || want->mgmt_class == 0 ||
        mad_class_is_smi(want->mgmt_class) != (want->qpn == WEFT_QP_SMI))
        return false;
    return !mad_class_has_oui(want->mgmt_class) || memcmp(want->oui, none, sizeof(none)) != 0;
}

static bool same_kind(const struct fabric_agent *a, const struct fabric_agent *b)
{
    return a->qpn == b->qpn && a->mgmt_class == b->mgmt_class && a->version == b->version &&
           (!mad_class_has_oui(a->mgmt_class) || !memcmp(a->oui, b->oui, sizeof(a->oui)));
}

/* Whether an attachment has an agent that claims one of the methods. */
static bool claims(const struct attachment *a, const struct fabric_agent *want)
{
    for (int i = 0; i < FABRIC_AGENTS; i++) {
        const struct fabric_agent *have = &a->agents[i].want;

        if (a->agents[i].used && same_kind(have, want) &&
            ((have->methods[0] & want->methods[0]) || (have->methods[1] & want->methods[1])))
            return true;
    }
    return false;
}

/* Whether another agent of the function claims one of the methods. */
static bool is_claimed(const struct fabric *f, const struct port *p, uint8_t function,
                       const struct fabric_agent *want)
{
    for (uint32_t slot = p->attached; slot != FABRIC_NONE; slot = f->attachments[slot].next) {
        const struct attachment *a = &f->attachments[slot];

        if (a->function == function && claims(a, want))
            return true;
    }
    return false;
}

int fabric_agent_add(struct fabric *f, struct fabric_attachment id, const struct fabric_agent *want,
                     uint32_t *ret)
{
    struct attachment *a = find_attachment(f, id);

    if (!a)
        return WEFT_ERR_STALE;
    if (!agent_valid(want))
        return WEFT_ERR_INVALID;
    if (is_claimed(f, &f->ports[a->port], a->function, want))
        return WEFT_ERR_CONFLICT;
    for (uint32_t i = 0; i < FABRIC_AGENTS; i++) {
        if (a->agents[i].used)
            continue;
        a->agents[i] = (struct attachment_agent){.used = true, .want = *want};
        *ret = i;
        return 0;
    }
    return WEFT_ERR_FULL;
}

int fabric_agent_remove(struct fabric *f, struct fabric_attachment id, uint32_t agent)
{
    struct attachment *a = find_attachment(f, id);

    if (!a)
        return WEFT_ERR_STALE;
    if (agent >= FABRIC_AGENTS || !a->agents[agent].used)
        return WEFT_ERR_NOTFOUND;
    a->agents[agent].used = false;
    return 0;
}

int fabric_set_issm(struct fabric *f, weft_time now, struct fabric_attachment id, bool on)
{
    struct attachment *a = find_attachment(f, id);
    int err;

    if (!a)
        return WEFT_ERR_STALE;
    err = fabric_advance(f, now);
    if (err != 0)
        return err;
    set_issm(f, a, on);
    fabric_settle(f);
    return 0;
}

/* Whether the answer finds its way back. */
static bool tid_valid(const struct attachment *a, const struct packet *p)
{
    uint64_t asker = mad_tid(p->mad) >> 32;

    return mad_is_response(p->mad) || (asker >= a->tids.first && asker <= a->tids.last);
}

/* Whether a packet can have these values. Programs take them from whom they answer or from
 * configuration, so one that cannot be is lost and its sender stays. */
static bool packet_possible(const struct packet *p)
{
    bool grh = p->has_grh == 0 ||
               (p->has_grh == 1 && p->flow_label <= FLOW_LABEL_MAX && p->sgid_index < FABRIC_GUIDS);

    return grh && p->sl <= SL_MAX && p->path_bits <= PATH_BITS_MAX && p->reserved == 0 &&
           p->reserved2 == 0 && p->src_qpn <= WEFT_QP_GSI && p->dst_qpn <= QPN_MAX;
}

/* Why a packet does not leave its sender; DROPS: it does. */
static enum drop refusal(const struct fabric *f, const struct attachment *a, const struct packet *p)
{
    if (!packet_possible(p))
        return DROP_MALFORMED;
    if (p->dst_qpn == WEFT_QP_SMI && !functions_may_send_smp(f, &f->ports[a->port], a->function, p))
        return DROP_VF_SMP;
    return DROPS;
}

int fabric_send(struct fabric *f, weft_time now, struct fabric_attachment id,
                const struct packet *p)
{
    const struct attachment *a = find_attachment(f, id);
    struct packet own;
    struct port *from;
    enum drop why;
    int err;

    if (!a)
        return WEFT_ERR_STALE;
    err = fabric_advance(f, now);
    if (err != 0)
        return err;
    if (!tid_valid(a, p))
        return WEFT_ERR_INVALID;
    from = &f->ports[a->port];
    f->stats.sent++;
    why = refusal(f, a, p);
    if (why != DROPS) {
        fabric_tell(f, FABRIC_TAP_SENT, from, p);
        fabric_drop(f, from, p, why);
        return 0;
    }
    own = *p;
    if (own.dst_qpn == WEFT_QP_SMI)
        /* for the SMA of the own node; it does not cross a cable */
        own.reserved2 = a->function;
    else
        own.pkey_index = functions_send(f, from, a->function, WEFT_QP_GSI, own.pkey_index);
    forward_send(f, from, &own);
    fabric_settle(f);
    return 0;
}

/* Who asked what this answers. */
static const struct attachment *find_asker(const struct fabric *f, const struct port *at,
                                           const struct packet *p)
{
    uint64_t slot = (mad_tid(p->mad) >> (32 + TIDS_SHIFT)) - 1;
    const struct attachment *a;

    if (slot >= f->config.attachments)
        return NULL;
    a = &f->attachments[slot];
    return a->generation % 2 == 1 && a->port == port_index(f, at) ? a : NULL;
}

/* Who claims it, of the lowest function whose table it fits. */
static const struct attachment *find_taker(const struct fabric *f, const struct port *at,
                                           const struct packet *p)
{
    const struct attachment *best = NULL;
    struct fabric_agent want = {.qpn = (uint8_t)p->dst_qpn,
                                .mgmt_class = mad_class(p->mad),
                                .version = mad_class_version(p->mad)};
    uint8_t method = mad_method(p->mad);

    want.methods[method / 64] = UINT64_C(1) << method % 64;
    if (mad_class_has_oui(want.mgmt_class))
        memcpy(want.oui, p->mad + WIRE_AT_VENDOR_OUI, sizeof(want.oui));
    for (uint32_t slot = at->attached; slot != FABRIC_NONE; slot = f->attachments[slot].next) {
        const struct attachment *a = &f->attachments[slot];
        uint16_t index;

        if ((!best || a->function < best->function) && claims(a, &want) &&
            functions_receive(f, at, a->function, p, &index))
            best = a;
    }
    return best;
}

bool attach_deliver(struct fabric *f, struct port *at, const struct packet *p)
{
    struct deliveries *d = f->deliveries;
    const struct attachment *a;
    struct delivery *entry;
    uint16_t index;

    if (at->attached == FABRIC_NONE || p->dst_qpn > WEFT_QP_GSI)
        return false;
    a = mad_is_response(p->mad) ? find_asker(f, at, p) : find_taker(f, at, p);
    if (!a)
        return false;
    if (!functions_receive(f, at, a->function, p, &index)) {
        fabric_drop(f, at, p, DROP_PKEY);
        return true;
    }
    if (d->count == f->config.deliveries) {
        fabric_drop(f, at, p, DROP_DELIVERY);
        return true;
    }
    /* What is taken out at once stays in the same few cache lines. */
    if (d->count == 0)
        d->first = 0;
    entry = &d->ring[(d->first + d->count++) % f->config.deliveries];
    entry->to = handle_of(f, a);
    entry->packet = *p;
    entry->packet.pkey_index = index;
    entry->packet.reserved2 = 0;
    f->stats.delivered++;
    fabric_tell(f, FABRIC_TAP_DELIVERED, at, p);
    return true;
}

bool fabric_poll(struct fabric *f, struct fabric_delivery *ret)
{
    struct deliveries *d = f->deliveries;

    while (d->count > 0) {
        const struct delivery *entry = &d->ring[d->first];

        d->first = (d->first + 1) % f->config.deliveries;
        d->count--;
        if (!find_attachment(f, entry->to))
            continue;
        *ret = (struct fabric_delivery){.to = entry->to, .packet = &entry->packet};
        return true;
    }
    return false;
}
