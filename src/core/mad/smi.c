/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hop rules of directed-route SMPs (IBA 14.2.2.1 to 14.2.2.4). */
#include "core/mad/smi.h"

#include "core/wire/field.h"
#include "core/wire/mad_header.h"

const struct smi_node smi_own_node = {.is_switch = false, .port_count = UINT8_MAX - 1};

/* What the rules look at. */
struct hop {
    uint8_t *smp;
    const struct smi_node *node;
    uint8_t pointer;
    uint8_t count;
    bool returning;          /* D */
    bool slid_is_permissive; /* the directed part begins at the requester */
    bool dlid_is_permissive; /* the directed part ends at the responder */
};

static struct hop read_hop(uint8_t *smp, const struct smi_node *node)
{
    return (struct hop){
        .smp = smp,
        .node = node,
        .pointer = (uint8_t)wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, smp),
        .count = (uint8_t)wire_get(WIRE_SMP_DIRECTED_HOP_COUNT, smp),
        .returning = wire_get(WIRE_SMP_DIRECTED_DIRECTION, smp) != 0,
        .slid_is_permissive = wire_get(WIRE_SMP_DIRECTED_DR_SLID, smp) == WEFT_LID_PERMISSIVE,
        .dlid_is_permissive = wire_get(WIRE_SMP_DIRECTED_DR_DLID, smp) == WEFT_LID_PERMISSIVE,
    };
}

static uint8_t *initial_path(const struct hop *hop)
{
    return hop->smp + wire_bytes_offset(WIRE_SMP_DIRECTED_INITIAL_PATH);
}

static uint8_t *return_path(const struct hop *hop)
{
    return hop->smp + wire_bytes_offset(WIRE_SMP_DIRECTED_RETURN_PATH);
}

static struct smi_decision discard(void)
{
    return (struct smi_decision){.verdict = SMI_DISCARD};
}

static struct smi_decision deliver(const struct hop *hop, uint8_t pointer, enum smi_verdict verdict)
{
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, hop->smp, pointer);
    return (struct smi_decision){.verdict = verdict};
}

/* Port 0 is no way out of a node, and a port it does not have neither. */
static struct smi_decision leave_by(const struct hop *hop, uint8_t pointer, uint8_t port)
{
    if (port == 0 || port > hop->node->port_count)
        return discard();
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, hop->smp, pointer);
    return (struct smi_decision){.verdict = SMI_FORWARD_PORT, .port = port};
}

static struct smi_decision continue_by_lid(const struct hop *hop, uint8_t pointer,
                                           enum wire_field_id dlid)
{
    if (!hop->node->is_switch)
        return discard();
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, hop->smp, pointer);
    return (struct smi_decision){.verdict = SMI_FORWARD_LID,
                                 .dlid = (uint16_t)wire_get(dlid, hop->smp)};
}

/* P = C in a request: the directed part has been walked. */
static struct smi_decision end_of_request(const struct hop *hop)
{
    if (hop->dlid_is_permissive)
        return deliver(hop, hop->count + 1, SMI_TO_SMA);
    return continue_by_lid(hop, hop->count + 1, WIRE_SMP_DIRECTED_DR_DLID);
}

/* P = 1 in a response: back where the directed part began. */
static struct smi_decision end_of_response(const struct hop *hop)
{
    if (hop->slid_is_permissive)
        return deliver(hop, 0, SMI_TO_SM);
    return continue_by_lid(hop, 0, WIRE_SMP_DIRECTED_DR_SLID);
}

static struct smi_decision send_request(const struct hop *hop, uint8_t port)
{
    if (hop->pointer != 0)
        return discard();
    if (!hop->slid_is_permissive)
        return deliver(hop, 0, SMI_SEND_AS_ADDRESSED);
    if (hop->count == 0)
        return end_of_request(hop);
    uint8_t out = initial_path(hop)[1];
    if (!hop->node->is_switch && out != port)
        return discard();
    return leave_by(hop, 1, out);
}

static struct smi_decision send_response(const struct hop *hop, uint8_t port)
{
    if (hop->pointer != hop->count + 1)
        return discard();
    if (!hop->dlid_is_permissive)
        return deliver(hop, hop->pointer, SMI_SEND_AS_ADDRESSED);
    if (hop->count == 0)
        return end_of_response(hop);
    uint8_t out = return_path(hop)[hop->count];
    if (!hop->node->is_switch && out != port)
        return discard();
    return leave_by(hop, hop->count, out);
}

static struct smi_decision receive_request(const struct hop *hop, uint8_t port)
{
    if (hop->pointer == hop->count + 1)
        return deliver(hop, hop->pointer, SMI_TO_SMA);
    if (hop->pointer > hop->count)
        return discard();
    if (hop->pointer == hop->count) {
        struct smi_decision decision = end_of_request(hop);

        if (hop->count > 0 && decision.verdict != SMI_DISCARD)
            return_path(hop)[hop->count] = port;
        return decision;
    }
    if (!hop->node->is_switch)
        return discard();
    if (hop->pointer == 0) {
        /* Only a request that came LID routed may begin its directed part here; otherwise the
         * sender forgot to take the first hop (IBA 14.2.2.2). */
        return hop->slid_is_permissive ? discard() : leave_by(hop, 1, initial_path(hop)[1]);
    }
    struct smi_decision decision =
        leave_by(hop, hop->pointer + 1, initial_path(hop)[hop->pointer + 1]);
    if (decision.verdict != SMI_DISCARD)
        return_path(hop)[hop->pointer] = port;
    return decision;
}

static struct smi_decision receive_response(const struct hop *hop)
{
    if (hop->pointer == 0)
        return deliver(hop, 0, SMI_TO_SM);
    if (hop->pointer == 1)
        return end_of_response(hop);
    if (!hop->node->is_switch || hop->pointer > hop->count + 1)
        return discard();
    /* P = C + 1 is right only where the directed part of the way back begins after a LID routed
     * start; otherwise the responder forgot to take the first hop (IBA 14.2.2.4). */
    if (hop->pointer == hop->count + 1 && hop->dlid_is_permissive)
        return discard();
    return leave_by(hop, hop->pointer - 1, return_path(hop)[hop->pointer - 1]);
}

struct smi_decision smi_send(uint8_t *smp, const struct smi_node *node, uint8_t port)
{
    struct hop hop = read_hop(smp, node);

    if (hop.count > WEFT_DIRECTED_HOP_COUNT_MAX)
        return discard();
    return hop.returning ? send_response(&hop, port) : send_request(&hop, port);
}

struct smi_decision smi_receive(uint8_t *smp, const struct smi_node *node, uint8_t port)
{
    struct hop hop = read_hop(smp, node);

    if (hop.count > WEFT_DIRECTED_HOP_COUNT_MAX)
        return discard();
    return hop.returning ? receive_response(&hop) : receive_request(&hop, port);
}

void smi_build_response(uint8_t *smp, uint16_t status)
{
    bool directed = mad_class(smp) == WEFT_CLASS_SUBN_DIRECTED;

    /* Get and Set are the requests of these classes, and both are answered by GetResp. */
    mad_set_method(smp, WEFT_METHOD_GET_RESP);
    mad_set_status(smp, (uint16_t)((status & ~WEFT_STATUS_DIRECTION) |
                                   (directed ? WEFT_STATUS_DIRECTION : 0)));
}
