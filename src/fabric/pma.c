/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PMA: which attributes it knows, and what Get and Set make of them. PortCounters and
 * PortCountersExtended are tables of which counter stands in which field. */
#include "fabric/pma.h"

#include "core/wire/mad_header.h"
#include "fabric/counters.h"

#include <string.h>

#define VERSION    1
#define DATA_BYTES (WEFT_MAD_BYTES - WEFT_ATTRIBUTE_OFFSET)

/* Optional attributes (IBA 16.1.4.1, 16.1.4.2): behind CounterSelect, counters of 16 bits whose
 * numbers are their bits in it. */
#define ATTR_PORT_RCV_ERROR_DETAILS    0x0015
#define ATTR_PORT_XMIT_DISCARD_DETAILS 0x0016
#define DETAILS_AT                     4

/* PortSelect of all ports (IBA 16.1.3.5). */
#define ALL_PORTS 255

/* ClassPortInfo:CapabilityMask of performance management (IBA 16.1.3.1) and, from bit 0 of
 * CapabilityMask2 on, the further ones. */
#define CAP_ALL_PORT_SELECT      0x0100
#define CAP_EXTENDED             0x0200
#define CAP_EXTENDED_NO_IETF     0x0400
#define CAP_XMIT_WAIT            0x1000
#define CAP_QP1_DROPPED          0x8000
#define CAP2_ADDITIONAL_EXTENDED 0x2

/* ClassPortInfo:RespTimeValue: 4.096 us * 2^18 is the first above the largest agent_ns. */
#define RESPONSE_TIME 18

/* In PortCountersExtended, the first bits of the unicast and multicast counters, which come from
 * the MIBs of the IETF, and of the error counters. */
#define BIT_IETF   4
#define BIT_ERRORS 16

/* One counter in an attribute. */
struct counter_field {
    enum wire_field_id field;
    uint8_t bit;     /* in CounterSelect, or with those of CounterSelect2 behind it */
    uint8_t counter; /* enum counter; in the wide set, from COUNTERS on, enum counter_ext */
};

struct counters_attribute {
    bool wide;
    uint8_t count;
    const struct counter_field *fields;
    enum wire_field_id select2; /* CounterSelect2; CounterSelect is in the same place in both */
};

#define CLASSIC(counter) COUNTER_##counter, COUNTER_##counter
static const struct counter_field classic_fields[] = {
    {WIRE_PORT_COUNTERS_SYMBOL_ERRORS, CLASSIC(SYMBOL_ERRORS)},
    {WIRE_PORT_COUNTERS_LINK_ERROR_RECOVERY, CLASSIC(LINK_RECOVERIES)},
    {WIRE_PORT_COUNTERS_LINK_DOWNED, CLASSIC(LINK_DOWNED)},
    {WIRE_PORT_COUNTERS_RCV_ERRORS, CLASSIC(RCV_ERRORS)},
    {WIRE_PORT_COUNTERS_RCV_REMOTE_PHYSICAL_ERRORS, CLASSIC(RCV_PHYSICAL_ERRORS)},
    {WIRE_PORT_COUNTERS_RCV_SWITCH_RELAY_ERRORS, CLASSIC(RCV_SWITCH_RELAY_ERRORS)},
    {WIRE_PORT_COUNTERS_XMIT_DISCARDS, CLASSIC(XMIT_DISCARDS)},
    {WIRE_PORT_COUNTERS_XMIT_CONSTRAINT_ERRORS, CLASSIC(XMIT_CONSTRAINT_ERRORS)},
    {WIRE_PORT_COUNTERS_RCV_CONSTRAINT_ERRORS, CLASSIC(RCV_CONSTRAINT_ERRORS)},
    {WIRE_PORT_COUNTERS_LOCAL_LINK_INTEGRITY_ERRORS, CLASSIC(LOCAL_INTEGRITY_ERRORS)},
    {WIRE_PORT_COUNTERS_BUFFER_OVERRUN_ERRORS, CLASSIC(BUFFER_OVERRUNS)},
    {WIRE_PORT_COUNTERS_VL15_DROPPED, CLASSIC(VL15_DROPPED)},
    {WIRE_PORT_COUNTERS_XMIT_DATA, CLASSIC(XMIT_DATA)},
    {WIRE_PORT_COUNTERS_RCV_DATA, CLASSIC(RCV_DATA)},
    {WIRE_PORT_COUNTERS_XMIT_PACKETS, CLASSIC(XMIT_PACKETS)},
    {WIRE_PORT_COUNTERS_RCV_PACKETS, CLASSIC(RCV_PACKETS)},
    {WIRE_PORT_COUNTERS_XMIT_WAIT, CLASSIC(XMIT_WAIT)},
    {WIRE_PORT_COUNTERS_QP1_DROPPED, CLASSIC(QP1_DROPPED)},
};
#undef CLASSIC

static const struct counter_field wide_fields[] = {
    {WIRE_PORT_COUNTERS_EXT_XMIT_DATA, 0, COUNTER_XMIT_DATA},
    {WIRE_PORT_COUNTERS_EXT_RCV_DATA, 1, COUNTER_RCV_DATA},
    {WIRE_PORT_COUNTERS_EXT_XMIT_PACKETS, 2, COUNTER_XMIT_PACKETS},
    {WIRE_PORT_COUNTERS_EXT_RCV_PACKETS, 3, COUNTER_RCV_PACKETS},
    {WIRE_PORT_COUNTERS_EXT_UNICAST_XMIT_PACKETS, 4, COUNTERS + COUNTER_EXT_UNICAST_XMIT},
    {WIRE_PORT_COUNTERS_EXT_UNICAST_RCV_PACKETS, 5, COUNTERS + COUNTER_EXT_UNICAST_RCV},
    {WIRE_PORT_COUNTERS_EXT_MULTICAST_XMIT_PACKETS, 6, COUNTERS + COUNTER_EXT_MULTICAST_XMIT},
    {WIRE_PORT_COUNTERS_EXT_MULTICAST_RCV_PACKETS, 7, COUNTERS + COUNTER_EXT_MULTICAST_RCV},
    {WIRE_PORT_COUNTERS_EXT_SYMBOL_ERRORS, 16, COUNTER_SYMBOL_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_LINK_ERROR_RECOVERY, 17, COUNTER_LINK_RECOVERIES},
    {WIRE_PORT_COUNTERS_EXT_LINK_DOWNED, 18, COUNTER_LINK_DOWNED},
    {WIRE_PORT_COUNTERS_EXT_RCV_ERRORS, 19, COUNTER_RCV_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_RCV_REMOTE_PHYSICAL_ERRORS, 20, COUNTER_RCV_PHYSICAL_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_RCV_SWITCH_RELAY_ERRORS, 21, COUNTER_RCV_SWITCH_RELAY_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_XMIT_DISCARDS, 22, COUNTER_XMIT_DISCARDS},
    {WIRE_PORT_COUNTERS_EXT_XMIT_CONSTRAINT_ERRORS, 23, COUNTER_XMIT_CONSTRAINT_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_RCV_CONSTRAINT_ERRORS, 24, COUNTER_RCV_CONSTRAINT_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_LOCAL_LINK_INTEGRITY_ERRORS, 25, COUNTER_LOCAL_INTEGRITY_ERRORS},
    {WIRE_PORT_COUNTERS_EXT_BUFFER_OVERRUN_ERRORS, 26, COUNTER_BUFFER_OVERRUNS},
    {WIRE_PORT_COUNTERS_EXT_VL15_DROPPED, 27, COUNTER_VL15_DROPPED},
    {WIRE_PORT_COUNTERS_EXT_XMIT_WAIT, 28, COUNTER_XMIT_WAIT},
    {WIRE_PORT_COUNTERS_EXT_QP1_DROPPED, 29, COUNTER_QP1_DROPPED},
};

static const struct counters_attribute classic_attribute = {
    .count = sizeof(classic_fields) / sizeof(classic_fields[0]),
    .fields = classic_fields,
    .select2 = WIRE_PORT_COUNTERS_COUNTER_SELECT2,
};

static const struct counters_attribute wide_attribute = {
    .wide = true,
    .count = sizeof(wide_fields) / sizeof(wide_fields[0]),
    .fields = wide_fields,
    .select2 = WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT2,
};

static uint64_t *counter_at(struct port *p, const struct counters_attribute *attribute,
                            const struct counter_field *field)
{
    if (!attribute->wide)
        return &p->counters.classic[field->counter];
    if (field->counter < COUNTERS)
        return &p->counters.wide[field->counter];
    return &p->counters.ext[field->counter - COUNTERS];
}

/* The ports that PortSelect names: of a switch one or all, of others the one that was asked. */
static bool select_ports(const struct fabric *f, const struct port *at, uint8_t select,
                         uint8_t *ret_first, uint8_t *ret_last)
{
    const struct node *n = port_node(f, at);

    if (node_is_switch(n) && select == ALL_PORTS && (n->pma_lacks & PMA_LACKS_ALL_PORTS) == 0) {
        *ret_first = 0;
        *ret_last = n->ports;
        return true;
    }
    *ret_first = select;
    *ret_last = select;
    return node_is_switch(n) ? select <= n->ports : select == at->number;
}

/* Whether the node has this field; it is 0 in its answers otherwise. */
static bool has_field(const struct node *n, const struct counters_attribute *attribute,
                      const struct counter_field *field)
{
    uint8_t lack = field->bit >= BIT_ERRORS ? PMA_LACKS_ERRORS
                   : field->bit >= BIT_IETF ? PMA_LACKS_IETF
                                            : 0;

    return !attribute->wide || (n->pma_lacks & lack) == 0;
}

static uint64_t sum(uint64_t a, uint64_t b, uint64_t max)
{
    return a > max || b > max - a ? max : a + b;
}

static uint64_t field_max(enum wire_field_id field)
{
    return UINT64_MAX >> (64 - wire_places[field].bits);
}

/* Writes a counter; most of them are whole words. */
static void write_field(enum wire_field_id field, uint8_t *data, uint64_t value)
{
    const struct wire_place at = wire_places[field];

    if (at.bits == 64)
        wire_set_be64(data + at.bit_offset / 8, value);
    else if (at.bits == 32)
        wire_set_be32(data + at.bit_offset / 8, (uint32_t)value);
    else if (at.bits == 16)
        wire_set_be16(data + at.bit_offset / 8, (uint16_t)value);
    else
        wire_set(field, data, value);
}

static enum weft_status counters(struct fabric *f, const struct port *at,
                                 const struct counters_attribute *attribute, bool set,
                                 uint8_t *data)
{
    uint64_t selected = wire_get(WIRE_PORT_COUNTERS_COUNTER_SELECT, data) |
                        wire_get(attribute->select2, data) << 16;
    uint8_t answer[DATA_BYTES] = {0};
    uint8_t first, last;

    if (!select_ports(f, at, data[WIRE_AT_PORT_COUNTERS_PORT_SELECT], &first, &last))
        return WEFT_STATUS_BAD_VALUE;
    for (unsigned number = first; number <= last; number++)
        counters_settle(f, node_port(f, port_node(f, at), (uint8_t)number));
    wire_set(WIRE_PORT_COUNTERS_PORT_SELECT, answer,
             wire_get(WIRE_PORT_COUNTERS_PORT_SELECT, data));
    wire_set(WIRE_PORT_COUNTERS_COUNTER_SELECT, answer, selected);
    wire_set(attribute->select2, answer, selected >> 16);
    for (uint8_t i = 0; i < attribute->count; i++) {
        const struct counter_field *field = &attribute->fields[i];
        uint64_t total = 0;

        if (!has_field(port_node(f, at), attribute, field))
            continue;
        for (unsigned number = first; number <= last; number++) {
            uint64_t *counter =
                counter_at(node_port(f, port_node(f, at), (uint8_t)number), attribute, field);

            if (set && (selected >> field->bit & 1) != 0)
                *counter = wire_get(field->field, data);
            total = sum(total, *counter, field_max(field->field));
        }
        write_field(field->field, answer, total);
    }
    memcpy(data, answer, sizeof(answer));
    return WEFT_STATUS_OK;
}

/* One of the attributes with details: those from `first_detail` on to before `end`. */
static enum weft_status details(struct fabric *f, const struct port *at,
                                enum counter_detail first_detail, enum counter_detail end, bool set,
                                uint8_t *data)
{
    uint64_t selected = wire_get(WIRE_PORT_COUNTERS_COUNTER_SELECT, data);
    unsigned count = (unsigned)(end - first_detail);
    uint8_t first, last;

    if (!select_ports(f, at, data[WIRE_AT_PORT_COUNTERS_PORT_SELECT], &first, &last))
        return WEFT_STATUS_BAD_VALUE;
    for (unsigned i = 0; i < count; i++) {
        uint8_t *field = data + DETAILS_AT + 2 * i;
        uint16_t value = wire_be16(field);
        uint64_t total = 0;

        for (unsigned number = first; number <= last; number++) {
            struct port *p = node_port(f, port_node(f, at), (uint8_t)number);
            uint16_t *counter = &p->counters.details[first_detail + i];

            if (set && (selected >> i & 1) != 0)
                *counter = value;
            total = sum(total, *counter, UINT16_MAX);
        }
        wire_set_be16(field, (uint16_t)total);
    }
    memset(data + DETAILS_AT + 2 * count, 0, DATA_BYTES - DETAILS_AT - 2 * count);
    return WEFT_STATUS_OK;
}

static enum weft_status class_port_info(const struct node *n, bool set, uint8_t *data)
{
    uint64_t capability = CAP_XMIT_WAIT | CAP_QP1_DROPPED;
    bool has_errors = (n->pma_lacks & PMA_LACKS_ERRORS) == 0;

    if (set)
        return WEFT_STATUS_BAD_METHOD_ATTRIBUTE;
    if ((n->pma_lacks & PMA_LACKS_EXTENDED) == 0)
        capability |= (n->pma_lacks & PMA_LACKS_IETF) != 0 ? CAP_EXTENDED_NO_IETF : CAP_EXTENDED;
    if (node_is_switch(n) && (n->pma_lacks & PMA_LACKS_ALL_PORTS) == 0)
        capability |= CAP_ALL_PORT_SELECT;
    memset(data, 0, DATA_BYTES);
    wire_set(WIRE_CLASS_PORT_INFO_BASE_VERSION, data, VERSION);
    wire_set(WIRE_CLASS_PORT_INFO_CLASS_VERSION, data, VERSION);
    wire_set(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK, data, capability);
    wire_set(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2, data,
             has_errors ? CAP2_ADDITIONAL_EXTENDED : 0);
    wire_set(WIRE_CLASS_PORT_INFO_RESP_TIME, data, RESPONSE_TIME);
    return WEFT_STATUS_OK;
}

static enum weft_status get_or_set(struct fabric *f, const struct port *at, bool set, uint8_t *mad)
{
    uint8_t *data = mad + WEFT_ATTRIBUTE_OFFSET;

    switch (mad_attr_id(mad)) {
    case WEFT_ATTR_CLASS_PORT_INFO:
        return class_port_info(port_node(f, at), set, data);
    case WEFT_ATTR_PM_PORT_COUNTERS:
        return counters(f, at, &classic_attribute, set, data);
    case WEFT_ATTR_PM_PORT_COUNTERS_EXT:
        return (port_node(f, at)->pma_lacks & PMA_LACKS_EXTENDED) != 0
                   ? WEFT_STATUS_BAD_METHOD_ATTRIBUTE
                   : counters(f, at, &wide_attribute, set, data);
    case ATTR_PORT_RCV_ERROR_DETAILS:
        return details(f, at, COUNTER_DETAIL_LOCAL_PHYSICAL, COUNTERS_DETAIL, set, data);
    case ATTR_PORT_XMIT_DISCARD_DETAILS:
        return details(f, at, COUNTER_DETAIL_INACTIVE, COUNTER_DETAIL_LOCAL_PHYSICAL, set, data);
    default:
        return WEFT_STATUS_BAD_METHOD_ATTRIBUTE;
    }
}

/* Datagrams that nobody answers, and answers. */
static bool is_for_programs(uint8_t method)
{
    return (method & WEFT_METHOD_RESPONSE) != 0 || method == WEFT_METHOD_SEND ||
           method == WEFT_METHOD_TRAP || method == WEFT_METHOD_REPORT ||
           method == WEFT_METHOD_TRAP_REPRESS;
}

enum agent_verdict pma_receive(struct fabric *f, struct port *at, struct packet *p)
{
    uint8_t method = mad_method(p->mad);
    enum weft_status status;

    if (is_for_programs(method))
        return AGENT_PASS;
    if (mad_base_version(p->mad) != VERSION || mad_class_version(p->mad) != VERSION)
        status = WEFT_STATUS_BAD_VERSION;
    else if (method != WEFT_METHOD_GET && method != WEFT_METHOD_SET)
        status = WEFT_STATUS_BAD_METHOD;
    else
        status = get_or_set(f, at, method == WEFT_METHOD_SET, p->mad);
    mad_set_status(p->mad, (uint16_t)status);
    mad_set_method(p->mad, method == WEFT_METHOD_SET ? WEFT_METHOD_GET_RESP
                                                     : method | WEFT_METHOD_RESPONSE);
    return AGENT_ANSWERED;
}
