/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of ports as attributes have them, and as people think of them. */
#include "client/pma.h"

#include "core/wire/field.h"
#include "core/wire/mad_header.h"

/* ClassPortInfo:CapabilityMask (IBA 16.1.3.1) and CapabilityMask2. */
#define CAP_ALL_PORT_SELECT      0x0100
#define CAP_EXTENDED             0x0200
#define CAP_EXTENDED_NO_UNICAST  0x0400
#define CAP_XMIT_WAIT            0x1000
#define CAP_QP1_DROPPED          0x8000
#define CAP2_ADDITIONAL_EXTENDED 0x2

#define WORD_BYTES 4

/* Sets of counters: all, those from one on, one. */
#define FROM(c) (~(weft_pma_set)0 << (c))
#define ALL     ((weft_pma_set)~FROM(WEFT_PMA_COUNTERS))
#define ONE(c)  ((weft_pma_set)1 << (c))

/* One counter in a PortCounters. */
struct classic_field {
    enum weft_pma_counter counter;
    enum wire_field_id id;
};

#define CLASSIC(id) WEFT_PMA_##id, WIRE_PORT_COUNTERS_##id
static const struct classic_field classic_fields[] = {
    {CLASSIC(LINK_DOWNED)},
    {CLASSIC(SYMBOL_ERRORS)},
    {CLASSIC(LINK_ERROR_RECOVERY)},
    {CLASSIC(RCV_ERRORS)},
    {CLASSIC(LOCAL_LINK_INTEGRITY_ERRORS)},
    {CLASSIC(BUFFER_OVERRUN_ERRORS)},
    {CLASSIC(RCV_REMOTE_PHYSICAL_ERRORS)},
    {CLASSIC(XMIT_DISCARDS)},
    {CLASSIC(RCV_SWITCH_RELAY_ERRORS)},
    {CLASSIC(XMIT_CONSTRAINT_ERRORS)},
    {CLASSIC(RCV_CONSTRAINT_ERRORS)},
    {CLASSIC(VL15_DROPPED)},
    {CLASSIC(QP1_DROPPED)},
    {CLASSIC(XMIT_WAIT)},
    {CLASSIC(XMIT_DATA)},
    {CLASSIC(RCV_DATA)},
    {CLASSIC(XMIT_PACKETS)},
    {CLASSIC(RCV_PACKETS)},
};
#undef CLASSIC

/* Where the counters stand in a PortCountersExtended, 8 bytes each. */
static const uint8_t extended_at[] = {
#define PMA_COUNTER(id, name, json) [WEFT_PMA_##id] = WIRE_AT_PORT_COUNTERS_EXT_##id,
#include "client/pma.def"
#undef PMA_COUNTER
};

const char *weft_pma_name(enum weft_pma_counter c)
{
    static const char *const names[] = {
#define PMA_COUNTER(id, name, json) name,
#include "client/pma.def"
#undef PMA_COUNTER
    };

    return names[c];
}

const char *weft_pma_json_name(enum weft_pma_counter c)
{
    static const char *const names[] = {
#define PMA_COUNTER(id, name, json) json,
#include "client/pma.def"
#undef PMA_COUNTER
    };

    return names[c];
}

void pma_read_abilities(const uint8_t *attribute, struct weft_pma_abilities *ret)
{
    uint64_t mask = wire_get(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK, attribute);
    uint64_t mask2 = wire_get(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2, attribute);

    *ret = (struct weft_pma_abilities){
        .all_ports = (mask & CAP_ALL_PORT_SELECT) != 0,
        .extended = (mask & (CAP_EXTENDED | CAP_EXTENDED_NO_UNICAST)) != 0,
        .unicast = (mask & CAP_EXTENDED) != 0,
        .wait = (mask & CAP_XMIT_WAIT) != 0,
        .qp1 = (mask & CAP_QP1_DROPPED) != 0,
    };
    ret->errors = ret->extended && (mask2 & CAP2_ADDITIONAL_EXTENDED) != 0;
}

static bool is_data(enum weft_pma_counter c)
{
    return c == WEFT_PMA_XMIT_DATA || c == WEFT_PMA_RCV_DATA;
}

/* The counters of a PortCounters, or of a PortCountersExtended. */
static weft_pma_set set_of(bool extended, const struct weft_pma_abilities *a)
{
    weft_pma_set set = ALL;

    if (!extended || !a->unicast)
        set &= ~FROM(WEFT_PMA_UNICAST_XMIT_PACKETS);
    if (extended && !a->errors)
        set &= FROM(WEFT_PMA_ERRORS);
    if (!a->wait)
        set &= ~ONE(WEFT_PMA_XMIT_WAIT);
    if (!a->qp1)
        set &= ~ONE(WEFT_PMA_QP1_DROPPED);
    return set;
}

/* Takes a counter with its largest value. Counts that do not fit into bytes are as good as stuck.
 */
static void counter_take(enum weft_pma_counter c, uint64_t value, uint64_t most,
                         struct weft_pma_values *v)
{
    uint64_t unit = is_data(c) ? WORD_BYTES : 1;

    if (value == most)
        v->stuck |= ONE(c);
    if (value > UINT64_MAX / unit) {
        v->stuck |= ONE(c);
        value = UINT64_MAX / unit;
    }
    v->value[c] = value * unit;
}

void pma_read_classic(const uint8_t *attribute, const struct weft_pma_abilities *a,
                      struct weft_pma_values *v)
{
    weft_pma_set set = set_of(false, a) & ~v->wide;

    v->present |= set;
    v->stuck &= ~set;
    for (size_t i = 0; i < sizeof(classic_fields) / sizeof(classic_fields[0]); i++) {
        const struct classic_field *f = &classic_fields[i];

        if (weft_pma_has(set, f->counter))
            counter_take(f->counter, wire_get(f->id, attribute),
                         UINT64_MAX >> (64 - wire_places[f->id].bits), v);
    }
}

void pma_read_extended(const uint8_t *attribute, const struct weft_pma_abilities *a,
                       struct weft_pma_values *v)
{
    weft_pma_set set = set_of(true, a);

    v->present |= set;
    v->wide |= set;
    v->stuck &= ~set;
    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        if (weft_pma_has(set, c))
            counter_take(c, wire_be64(attribute + extended_at[c]), UINT64_MAX, v);
}

/* All that the port has is selected (IBA 16.1.3.5, 16.1.4.11), the values are 0. */
void pma_fill_reset(uint8_t *attribute, bool extended, const struct weft_pma_abilities *a)
{
    if (extended) {
        wire_set(WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT, attribute, a->unicast ? 0xFF : 0x0F);
        wire_set(WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT2, attribute, a->errors ? 0x3FFF : 0);
        return;
    }
    wire_set(WIRE_PORT_COUNTERS_COUNTER_SELECT, attribute, 0xFFFF);
    wire_set(WIRE_PORT_COUNTERS_COUNTER_SELECT2, attribute, (a->wait ? 1U : 0) | (a->qp1 ? 2U : 0));
}

void weft_pma_delta(const struct weft_pma_values *earlier, const struct weft_pma_values *later,
                    struct weft_pma_delta *ret)
{
    *ret = (struct weft_pma_delta){.present = earlier->present & later->present};
    ret->at_least = later->stuck & ret->present;
    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++) {
        weft_pma_set bit = (weft_pma_set)1 << c;

        if ((ret->present & bit) == 0)
            continue;
        if (later->value[c] >= earlier->value[c]) {
            ret->value[c] = later->value[c] - earlier->value[c];
        } else {
            ret->value[c] = later->value[c];
            ret->reset |= bit;
            ret->at_least |= bit;
        }
    }
}
