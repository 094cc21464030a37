/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PortInfo (IBA 14.2.5.6): which of its fields a Set may change, at which ports, to which values.
 */
#include "fabric/link.h"
#include "fabric/sma_attribute.h"
#include "fabric/trap.h"

#include <string.h>

/* AttributeModifier: the SM knows extended speeds; the answer is the same without it. */
#define MODIFIER_EXTENDED UINT32_C(0x80000000)

/* The kinds of port that a field belongs to. */
#define AT_END      1 /* a CA's or router's port */
#define AT_PORT0    2 /* a switch's port 0 */
#define AT_EXTERNAL 4 /* a switch's other ports */
#define AT_HOLDER   (AT_END | AT_PORT0)
#define AT_LINK     (AT_END | AT_EXTERNAL)
#define AT_ALL      (AT_HOLDER | AT_EXTERNAL)

/* How a Set of a field is read. */
enum field_rule {
    RULE_ANY,      /* kept as it is */
    RULE_LID,      /* a unicast LID */
    RULE_WIDTHS,   /* 0 keeps, 255 is all that is supported, else some of that */
    RULE_SPEEDS,   /* the same with 15 */
    RULE_EXTENDED, /* the same with 31; 30 is none */
    RULE_DEFAULT,  /* LinkDownDefaultState: 0 keeps, Sleep, Polling */
    RULE_MTU,      /* at most the field `limit`, at least 1 */
    RULE_VLS,      /* the same; 0 keeps */
    RULE_COUNTER,  /* 0 resets, all else keeps */
    RULE_CAPABLE   /* kept if SwitchInfo has the bit `limit`, else stays 0 */
};

/* A field that SMs write. */
struct writable {
    enum wire_field_id field;
    enum wire_field_id limit;
    uint8_t rule;
    uint8_t where;
};

#define FIELD(id, rule, where)                                                                     \
    {                                                                                              \
        WIRE_PORT_INFO_##id, WIRE_FIELD_COUNT, rule, where                                         \
    }
#define LIMITED(id, header, max, rule, where)                                                      \
    {                                                                                              \
        WIRE_PORT_INFO_##id, WIRE_##header##_##max, rule, where                                    \
    }

static const struct writable writables[] = {
    FIELD(M_KEY, RULE_ANY, AT_HOLDER),
    FIELD(GID_PREFIX, RULE_ANY, AT_HOLDER),
    FIELD(LID, RULE_LID, AT_HOLDER),
    FIELD(MASTER_SM_LID, RULE_LID, AT_HOLDER),
    FIELD(M_KEY_LEASE, RULE_ANY, AT_HOLDER),
    LIMITED(LINK_WIDTH_ENABLED, PORT_INFO, LINK_WIDTH_SUPPORTED, RULE_WIDTHS, AT_LINK),
    FIELD(LINK_DOWN_DEFAULT, RULE_DEFAULT, AT_LINK),
    FIELD(M_KEY_PROTECT, RULE_ANY, AT_HOLDER),
    FIELD(LMC, RULE_ANY, AT_HOLDER),
    LIMITED(LINK_SPEED_ENABLED, PORT_INFO, LINK_SPEED_SUPPORTED, RULE_SPEEDS, AT_LINK),
    LIMITED(NEIGHBOR_MTU, PORT_INFO, MTU_CAP, RULE_MTU, AT_ALL),
    FIELD(MASTER_SM_SL, RULE_ANY, AT_HOLDER),
    FIELD(INIT_TYPE, RULE_ANY, AT_HOLDER),
    FIELD(VL_HIGH_LIMIT, RULE_ANY, AT_ALL),
    FIELD(VL_STALL_COUNT, RULE_ANY, AT_EXTERNAL),
    FIELD(HOQ_LIFE, RULE_ANY, AT_EXTERNAL),
    LIMITED(OPERATIONAL_VLS, PORT_INFO, VL_CAP, RULE_VLS, AT_ALL),
    LIMITED(PARTITION_ENFORCE_IN, SWITCH_INFO, INBOUND_ENFORCEMENT_CAP, RULE_CAPABLE, AT_EXTERNAL),
    LIMITED(PARTITION_ENFORCE_OUT, SWITCH_INFO, OUTBOUND_ENFORCEMENT_CAP, RULE_CAPABLE,
            AT_EXTERNAL),
    LIMITED(FILTER_RAW_IN, SWITCH_INFO, FILTER_RAW_INBOUND_CAP, RULE_CAPABLE, AT_EXTERNAL),
    LIMITED(FILTER_RAW_OUT, SWITCH_INFO, FILTER_RAW_OUTBOUND_CAP, RULE_CAPABLE, AT_EXTERNAL),
    FIELD(M_KEY_VIOLATIONS, RULE_COUNTER, AT_HOLDER),
    FIELD(P_KEY_VIOLATIONS, RULE_COUNTER, AT_ALL),
    FIELD(Q_KEY_VIOLATIONS, RULE_COUNTER, AT_HOLDER),
    FIELD(SUBNET_TIMEOUT, RULE_ANY, AT_HOLDER),
    FIELD(LOCAL_PHYSICAL_ERRORS, RULE_ANY, AT_LINK),
    FIELD(OVERRUN_ERRORS, RULE_ANY, AT_LINK),
    LIMITED(LINK_SPEED_EXT_ENABLED, PORT_INFO, LINK_SPEED_EXT_SUPPORTED, RULE_EXTENDED, AT_LINK),
};

static uint8_t kind_of(const struct node *n, const struct port *p)
{
    if (!node_is_switch(n))
        return AT_END;
    return p->number == 0 ? AT_PORT0 : AT_EXTERNAL;
}

/* A set of bits: `all` stands for those supported, `none` (if not 0) for the empty set. */
static bool set_of(uint64_t want, uint64_t supported, uint64_t all, uint64_t none, uint64_t *ret)
{
    if (want == 0)
        return true;
    if (want == all)
        *ret = supported;
    else if (none != 0 && want == none)
        *ret = 0;
    else if ((want & ~supported) != 0)
        return false;
    else
        *ret = want;
    return true;
}

static bool within(uint64_t want, uint64_t limit, uint64_t *ret)
{
    if (want == 0 || want > limit)
        return false;
    *ret = want;
    return true;
}

/* What a field becomes. `*value` is what it is; false: no such value (0x1C). */
static bool resulting(const struct sma_request *r, const struct port *p, const struct writable *w,
                      uint64_t *value)
{
    uint64_t want = wire_get(w->field, r->data), limit = 0;

    if (w->rule == RULE_CAPABLE)
        limit = wire_get(w->limit, node_switch(r->f, r->node)->info);
    else if (w->limit != WIRE_FIELD_COUNT)
        limit = wire_get(w->limit, p->info);
    /* What a port has is never refused, even if nobody could set it so. */
    if (want == *value && w->rule != RULE_COUNTER)
        return true;
    switch ((enum field_rule)w->rule) {
    case RULE_ANY:
        break;
    case RULE_LID:
        return within(want, WEFT_LID_MULTICAST_FIRST - 1, value);
    case RULE_WIDTHS:
        return set_of(want, limit, 0xFF, 0, value);
    case RULE_SPEEDS:
        return set_of(want, limit, 0xF, 0, value);
    case RULE_EXTENDED:
        return set_of(want, limit, 0x1F, 0x1E, value);
    case RULE_DEFAULT:
        return want == 0 || within(want, PORT_PHYSICAL_POLLING, value);
    case RULE_MTU:
        return within(want, limit, value);
    case RULE_VLS:
        return want == 0 || within(want, limit, value);
    case RULE_COUNTER:
        want = want == 0 ? 0 : *value;
        break;
    case RULE_CAPABLE:
        want &= limit;
        break;
    }
    *value = want;
    return true;
}

/* The LIDs of a port are those that differ in the low LMC bits, so the first has none of them; the
 * base port 0 of a switch has one LID only. */
static bool lids_allowed(const struct sma_request *r, const struct port *p, const uint8_t *info)
{
    uint64_t lmc = wire_get(WIRE_PORT_INFO_LMC, info);
    uint64_t lid = wire_get(WIRE_PORT_INFO_LID, info);

    if (p->number == 0 && lmc != 0 &&
        !wire_get(WIRE_SWITCH_INFO_ENHANCED_PORT_0, node_switch(r->f, r->node)->info))
        return false;
    return (lid & ((UINT64_C(1) << lmc) - 1)) == 0;
}

/* What the port's PortInfo becomes, but for its states. */
static bool new_values(const struct sma_request *r, const struct port *p, uint8_t *info)
{
    uint8_t kind = kind_of(r->node, p);

    memcpy(info, p->info, SMA_DATA_BYTES);
    for (size_t i = 0; i < sizeof(writables) / sizeof(writables[0]); i++) {
        const struct writable *w = &writables[i];
        uint64_t value;

        if (!(w->where & kind))
            continue;
        value = wire_get(w->field, info);
        if (!resulting(r, p, w, &value))
            return false;
        wire_set(w->field, info, value);
    }
    return kind == AT_EXTERNAL || lids_allowed(r, p, info);
}

static bool link_terms_differ(const uint8_t *a, const uint8_t *b, uint8_t *ret_changes)
{
    *ret_changes = 0;
    if (a[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED] != b[WIRE_AT_PORT_INFO_LINK_WIDTH_ENABLED])
        *ret_changes |= TRAP_CHANGED_WIDTH;
    if (wire_get(WIRE_PORT_INFO_LINK_SPEED_ENABLED, a) !=
            wire_get(WIRE_PORT_INFO_LINK_SPEED_ENABLED, b) ||
        wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, a) !=
            wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, b))
        *ret_changes |= TRAP_CHANGED_SPEED;
    return *ret_changes != 0;
}

/* Whether a Set comes from somebody else than the master SM, who then wants to hear of it. What
 * comes by a directed route is taken for the SM's. */
static bool is_foreign(const struct sma_request *r)
{
    uint16_t sm = be16_at(port_with_lid(r->f, r->at)->info + WIRE_AT_PORT_INFO_MASTER_SM_LID);

    return sm != 0 && r->packet->slid != WEFT_LID_PERMISSIVE && r->packet->slid != sm;
}

static bool set_port_info(struct sma_request *r, struct port *p)
{
    enum port_state state = (enum port_state)wire_get(WIRE_PORT_INFO_PORT_STATE, r->data);
    enum port_physical physical =
        (enum port_physical)wire_get(WIRE_PORT_INFO_PHYSICAL_STATE, r->data);
    uint8_t info[SMA_DATA_BYTES], changes;
    bool differ;

    if (!link_state_allowed(r->f, p, state, physical) || !new_values(r, p, info))
        return false;
    differ = link_terms_differ(p->info, info, &changes);
    memcpy(p->info, info, SMA_DATA_BYTES);
    link_note(r->f, p);
    (void)link_set_state(r->f, p, state, physical);
    if (differ && state == PORT_STATE_NOP && physical == PORT_PHYSICAL_NOP)
        link_retrain(r->f, p);
    if (differ && is_foreign(r))
        trap_raise_changed(r->f, p, changes);
    trap_port_changed(r->f, p);
    return true;
}

uint16_t sma_port_info(struct sma_request *r)
{
    bool reregister = r->set && wire_get(WIRE_PORT_INFO_CLIENT_REREGISTER, r->data) != 0;
    struct port *p = sma_addressed_port(r, r->modifier & ~MODIFIER_EXTENDED);

    if (!p || (r->set && !set_port_info(r, p)))
        return WEFT_STATUS_BAD_VALUE;
    memcpy(r->data, p->info, SMA_DATA_BYTES);
    r->data[WIRE_AT_PORT_INFO_LOCAL_PORT] = r->at->number;
    if (kind_of(r->node, p) == AT_EXTERNAL)
        return WEFT_STATUS_OK;
    if (p->issm > 0)
        r->data[WIRE_AT_PORT_INFO_CAPABILITY_MASK + 3] |= CAPABILITY_SM;
    if (r->hide_mkey)
        memset(r->data + WIRE_AT_PORT_INFO_M_KEY, 0, 8);
    /* OpenSM takes the bit in the answer as the port's word that its host was told. */
    if (reregister) {
        p->reregisters++;
        wire_set(WIRE_PORT_INFO_CLIENT_REREGISTER, r->data, 1);
    }
    return WEFT_STATUS_OK;
}

/* FDR10 is neither supported, enabled nor active, and nothing else in it concerns us: but OpenSM
 * asks every port of these devices, and takes a refusal for a fault. */
uint16_t sma_mlnx_ext_port_info(struct sma_request *r)
{
    if (!sma_addressed_port(r, r->modifier))
        return WEFT_STATUS_BAD_VALUE;
    memset(r->data, 0, SMA_DATA_BYTES);
    return WEFT_STATUS_OK;
}
