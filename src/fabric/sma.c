/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The SMA's dispatch: which attributes there are, with which methods, and the status of the rest.
 */
#include "fabric/sma.h"

#include "core/mad/smi.h"
#include "fabric/functions.h"
#include "fabric/lie.h"
#include "fabric/sma_attribute.h"
#include "fabric/trap.h"

#include <string.h>

#define CLASS_VERSION 1

/* What the SMA knows of an attribute. */
struct attribute {
    sma_attribute *answer;
    bool can_set;
    bool switch_only;
};

/* By attribute id. */
static const struct attribute attributes[] = {
    [WEFT_ATTR_NOTICE] = {sma_notice, true, false},
    [WEFT_ATTR_NODE_DESC] = {sma_node_desc, false, false},
    [WEFT_ATTR_NODE_INFO] = {sma_node_info, false, false},
    [WEFT_ATTR_SWITCH_INFO] = {sma_switch_info, true, true},
    [WEFT_ATTR_GUID_INFO] = {sma_guid_info, true, false},
    [WEFT_ATTR_PORT_INFO] = {sma_port_info, true, false},
    [WEFT_ATTR_PKEY_TABLE] = {sma_pkey_table, true, false},
    [WEFT_ATTR_SL_TO_VL] = {sma_sl_to_vl, true, false},
    [WEFT_ATTR_VL_ARBITRATION] = {sma_vl_arbitration, true, false},
    [WEFT_ATTR_LINEAR_FORWARDING] = {sma_linear_forwarding, true, true},
    [WEFT_ATTR_MULTICAST_FORWARDING] = {sma_multicast_forwarding, true, true},
    [WEFT_ATTR_VENDOR_DIAG] = {sma_vendor_diag, false, false},
    [WEFT_ATTR_LED_INFO] = {sma_led_info, true, false},
};

static const struct attribute mlnx_ext_port_info = {sma_mlnx_ext_port_info, true, false};

/* NULL: there is no such attribute. */
static const struct attribute *find_attribute(const struct node *n, uint16_t attr_id)
{
    if (attr_id == SMA_ATTR_MLNX_EXT_PORT_INFO && n->vendor == SMA_VENDOR_MELLANOX)
        return &mlnx_ext_port_info;
    if (attr_id >= sizeof(attributes) / sizeof(attributes[0]))
        return NULL;
    return attributes[attr_id].answer ? &attributes[attr_id] : NULL;
}

struct port *sma_addressed_port(struct sma_request *r, uint32_t number)
{
    struct port *p;

    if (number > r->node->ports)
        return NULL;
    if (number == 0 && !node_is_switch(r->node))
        return r->at;
    p = node_port(r->f, r->node, (uint8_t)number);
    if (p == r->at || node_is_switch(r->node))
        return p;
    switch (mkey_check(r->f, p, r->packet)) {
    case MKEY_ALLOWED:
        r->hide_mkey = false;
        return p;
    case MKEY_HIDDEN:
        r->hide_mkey = true;
        return p;
    case MKEY_DENIED:
        break;
    }
    r->silent = true;
    return NULL;
}

void sma_answer(struct sma_request *r, const void *value, size_t bytes)
{
    memcpy(r->data, value, bytes);
    memset(r->data + bytes, 0, SMA_DATA_BYTES - bytes);
}

static uint16_t answer_attribute(struct sma_request *r, uint16_t attr_id)
{
    const struct attribute *a = find_attribute(r->node, attr_id);
    uint16_t status;

    if (!a || (a->switch_only && !node_is_switch(r->node)) ||
        (r->set && (!a->can_set || r->function != WEFT_PKEY_PF)))
        return WEFT_STATUS_BAD_METHOD_ATTRIBUTE;
    status = a->answer(r);
    if (r->node->lies != 0 && !r->set && !r->silent)
        status = lie_about(r->f, r->at, attr_id, r->modifier, r->data, status);
    return status;
}

static enum agent_verdict respond(struct packet *p, uint16_t status)
{
    smi_build_response(p->mad, status);
    return AGENT_ANSWERED;
}

/* A method that no SMA has (IBA 14.2.3) is answered under its own number. */
static enum agent_verdict refuse_method(struct packet *p)
{
    uint8_t method = mad_method(p->mad);

    smi_build_response(p->mad, WEFT_STATUS_BAD_METHOD);
    mad_set_method(p->mad, method | WEFT_METHOD_RESPONSE);
    return AGENT_ANSWERED;
}

static enum agent_verdict get_or_set(struct fabric *f, struct port *at, struct packet *p)
{
    uint16_t attr_id = mad_attr_id(p->mad), status;
    struct sma_request r = {.f = f,
                            .node = port_node(f, at),
                            .at = at,
                            .packet = p,
                            .data = p->mad + WEFT_ATTRIBUTE_OFFSET,
                            .modifier = mad_attr_mod(p->mad),
                            .function = p->reserved2,
                            .set = mad_method(p->mad) == WEFT_METHOD_SET};

    if (attr_id == WEFT_ATTR_SM_INFO) {
        if (port_with_lid(f, at)->issm > 0 && !(r.set && r.function != WEFT_PKEY_PF))
            return AGENT_PASS;
        return respond(p, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    }
    switch (mkey_check(f, at, p)) {
    case MKEY_ALLOWED:
        break;
    case MKEY_HIDDEN:
        r.hide_mkey = true;
        break;
    case MKEY_DENIED:
        fabric_drop(f, at, p, DROP_MKEY);
        return AGENT_DENIED;
    }
    status = answer_attribute(&r, attr_id);
    if (!r.silent)
        return respond(p, status);
    fabric_drop(f, at, p, DROP_MKEY);
    return AGENT_DENIED;
}

static enum agent_verdict repress(struct fabric *f, struct port *at, struct packet *p)
{
    if (mkey_check(f, at, p) == MKEY_DENIED) {
        fabric_drop(f, at, p, DROP_MKEY);
        return AGENT_DENIED;
    }
    return trap_repress(f, at, p) ? AGENT_CONSUMED : AGENT_PASS;
}

enum agent_verdict sma_receive(struct fabric *f, struct port *at, struct packet *p)
{
    uint8_t method = mad_method(p->mad);

    if (method == WEFT_METHOD_TRAP || (method & WEFT_METHOD_RESPONSE))
        return AGENT_PASS;
    if (method == WEFT_METHOD_TRAP_REPRESS)
        return repress(f, at, p);
    if (mad_class_version(p->mad) != CLASS_VERSION)
        return respond(p, WEFT_STATUS_BAD_VERSION);
    if (method == WEFT_METHOD_GET || method == WEFT_METHOD_SET)
        return get_or_set(f, at, p);
    return refuse_method(p);
}
