/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counting at ports: one table says what each counter is called and how wide it is. */
#include "fabric/counters.h"

#include <string.h>

/* LRH 8, BTH 12, DETH 8, the MAD and the ICRC 4; the VCRC does not count (IBA 16.1.3.5). */
#define PACKET_WORDS ((8 + 12 + 8 + WEFT_MAD_BYTES + 4) / 4)
#define GRH_WORDS    (40 / 4)

static const struct {
    const char *name, *perfquery;
    uint8_t bits;
} rows[COUNTERS] = {
    [COUNTER_SYMBOL_ERRORS] = {"symbol_errors", "SymbolErrorCounter", 16},
    [COUNTER_LINK_RECOVERIES] = {"link_error_recovery", "LinkErrorRecoveryCounter", 8},
    [COUNTER_LINK_DOWNED] = {"link_downed", "LinkDownedCounter", 8},
    [COUNTER_RCV_ERRORS] = {"rcv_errors", "PortRcvErrors", 16},
    [COUNTER_RCV_PHYSICAL_ERRORS] = {"rcv_remote_physical_errors", "PortRcvRemotePhysicalErrors",
                                     16},
    [COUNTER_RCV_SWITCH_RELAY_ERRORS] = {"rcv_switch_relay_errors", "PortRcvSwitchRelayErrors", 16},
    [COUNTER_XMIT_DISCARDS] = {"xmit_discards", "PortXmitDiscards", 16},
    [COUNTER_XMIT_CONSTRAINT_ERRORS] = {"xmit_constraint_errors", "PortXmitConstraintErrors", 8},
    [COUNTER_RCV_CONSTRAINT_ERRORS] = {"rcv_constraint_errors", "PortRcvConstraintErrors", 8},
    [COUNTER_LOCAL_INTEGRITY_ERRORS] = {"local_link_integrity_errors", "LocalLinkIntegrityErrors",
                                        4},
    [COUNTER_BUFFER_OVERRUNS] = {"buffer_overrun_errors", "ExcessiveBufferOverrunErrors", 4},
    [COUNTER_VL15_DROPPED] = {"vl15_dropped", "VL15Dropped", 16},
    [COUNTER_XMIT_DATA] = {"xmit_data", "PortXmitData", 32},
    [COUNTER_RCV_DATA] = {"rcv_data", "PortRcvData", 32},
    [COUNTER_XMIT_PACKETS] = {"xmit_packets", "PortXmitPkts", 32},
    [COUNTER_RCV_PACKETS] = {"rcv_packets", "PortRcvPkts", 32},
    [COUNTER_XMIT_WAIT] = {"xmit_wait", "PortXmitWait", 32},
    [COUNTER_QP1_DROPPED] = {"qp1_dropped", "QP1Dropped", 16},
};

uint8_t counter_bits(enum counter c)
{
    WEFT_ASSERT(c < COUNTERS);
    return rows[c].bits;
}

const char *counter_name(enum counter c)
{
    WEFT_ASSERT(c < COUNTERS);
    return rows[c].name;
}

static bool named(const char *want, const char *name, size_t len)
{
    return strlen(want) == len && memcmp(want, name, len) == 0;
}

enum counter counter_find(const char *name, size_t len)
{
    int c = 0;

    while (c < COUNTERS && !named(rows[c].name, name, len) && !named(rows[c].perfquery, name, len))
        c++;
    return (enum counter)c;
}

static uint64_t all_ones(enum counter c)
{
    return (UINT64_C(1) << rows[c].bits) - 1;
}

static uint64_t sum(uint64_t a, uint64_t b, uint64_t max)
{
    return b > max - a ? max : a + b;
}

static void add(struct port *p, enum counter c, uint64_t n)
{
    p->counters.classic[c] = sum(p->counters.classic[c], n, all_ones(c));
    p->counters.wide[c] = sum(p->counters.wide[c], n, UINT64_MAX);
}

static void add_detail(struct port *p, enum counter_detail d, uint64_t n)
{
    p->counters.details[d] = (uint16_t)sum(p->counters.details[d], n, UINT16_MAX);
}

void counters_add(struct port *p, enum counter c, uint64_t n)
{
    add(p, c, n);
    if (c == COUNTER_XMIT_DISCARDS)
        add_detail(p, COUNTER_DETAIL_INACTIVE, n);
    else if (c == COUNTER_RCV_ERRORS)
        add_detail(p, COUNTER_DETAIL_LOCAL_PHYSICAL, n);
    else if (c == COUNTER_RCV_SWITCH_RELAY_ERRORS)
        add_detail(p, COUNTER_DETAIL_DLID_MAPPING, n);
}

void counters_add_loop(struct port *p)
{
    add(p, COUNTER_RCV_SWITCH_RELAY_ERRORS, 1);
    add_detail(p, COUNTER_DETAIL_LOOPING, 1);
}

void counters_set(struct fabric *f, struct port *p, enum counter c, uint64_t value)
{
    counters_settle(f, p);
    p->counters.classic[c] = value < all_ones(c) ? value : all_ones(c);
    p->counters.wide[c] = value;
}

/* The counters that one side's packets move. */
struct side {
    enum counter data, packets;
    enum counter_ext unicast, multicast;
};

static void settle_side(struct port *p, struct traffic *t, const struct side *side)
{
    uint64_t *unicast = &p->counters.ext[side->unicast];
    uint64_t *multicast = &p->counters.ext[side->multicast];

    add(p, side->data, (uint64_t)t->packets * PACKET_WORDS + (uint64_t)t->with_grh * GRH_WORDS);
    add(p, side->packets, t->packets);
    *unicast = sum(*unicast, (uint64_t)t->packets - t->multicasts, UINT64_MAX);
    *multicast = sum(*multicast, t->multicasts, UINT64_MAX);
    *t = (struct traffic){.packets = 0};
}

void counters_settle(struct fabric *f, struct port *p)
{
    static const struct side sent = {COUNTER_XMIT_DATA, COUNTER_XMIT_PACKETS,
                                     COUNTER_EXT_UNICAST_XMIT, COUNTER_EXT_MULTICAST_XMIT};
    static const struct side received = {COUNTER_RCV_DATA, COUNTER_RCV_PACKETS,
                                         COUNTER_EXT_UNICAST_RCV, COUNTER_EXT_MULTICAST_RCV};
    struct waypoint *w = port_waypoint(f, p);

    settle_side(p, &w->sent, &sent);
    settle_side(p, &w->received, &received);
}

static bool is_multicast(const struct packet *packet)
{
    return packet->dlid >= WEFT_LID_MULTICAST_FIRST && packet->dlid <= WEFT_LID_MULTICAST_LAST;
}

/* The three counts are as wide, and none grows faster than that of packets. */
static void count(struct fabric *f, struct waypoint *w, struct traffic *t,
                  const struct packet *packet)
{
    t->packets++;
    t->with_grh = (uint16_t)(t->with_grh + (packet->has_grh != 0));
    t->multicasts = (uint16_t)(t->multicasts + is_multicast(packet));
    if (t->packets == UINT16_MAX)
        counters_settle(f, waypoint_port(f, w));
}

void counters_sent(struct fabric *f, struct waypoint *w, const struct packet *packet)
{
    count(f, w, &w->sent, packet);
}

void counters_received(struct fabric *f, struct waypoint *w, const struct packet *packet)
{
    count(f, w, &w->received, packet);
}
