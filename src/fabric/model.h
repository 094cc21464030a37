/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The fabric's objects: nodes, ports, switches, attachments, and the fabric that holds them.
 *
 * Attributes are kept as they stand on the wire, so that a Get is a copy; the inline functions
 * below read the fields that forwarding needs. Everything is an index into an array of the fabric:
 * ports of node n are ports[n.first_port + number], where number 0 is a switch's management port
 * and unused (all zero) for others.
 */
#ifndef WEFT_FABRIC_MODEL_H
#define WEFT_FABRIC_MODEL_H

#include "core/base/check.h"
#include "core/base/prng.h"
#include "core/base/timers.h"
#include "core/wire/field.h"
#include "fabric/fabric.h"

#define FABRIC_NONE UINT32_MAX

/** P_Keys and GUIDs in one block of their tables (IBA 14.2.5.7, 14.2.5.5). */
#define FABRIC_PKEY_BLOCK  32
#define FABRIC_GUID_BLOCK  8
/** GUIDCap: GUIDs of a port. */
#define FABRIC_GUIDS       32
/** PartitionEnforcementCap: P_Keys of a switch's external port. */
#define FABRIC_ENFORCE_CAP 32
/** Agents of one attachment. */
#define FABRIC_AGENTS      64

/** PortState and PortPhysicalState (IBA 14.2.5.6). */
enum port_state {
    PORT_STATE_NOP = 0,
    PORT_STATE_DOWN = 1,
    PORT_STATE_INIT = 2,
    PORT_STATE_ARMED = 3,
    PORT_STATE_ACTIVE = 4
};
enum port_physical {
    PORT_PHYSICAL_NOP = 0,
    PORT_PHYSICAL_SLEEP = 1,
    PORT_PHYSICAL_POLLING = 2,
    PORT_PHYSICAL_DISABLED = 3,
    PORT_PHYSICAL_TRAINING = 4,
    PORT_PHYSICAL_LINK_UP = 5
};

/** The counters of PortCounters, in the order of CounterSelect (IBA 16.1.3.5); XMIT_WAIT and
 * QP1_DROPPED are bits 0 and 1 of CounterSelect2. */
enum counter {
    COUNTER_SYMBOL_ERRORS,
    COUNTER_LINK_RECOVERIES,
    COUNTER_LINK_DOWNED,
    COUNTER_RCV_ERRORS,
    COUNTER_RCV_PHYSICAL_ERRORS,
    COUNTER_RCV_SWITCH_RELAY_ERRORS,
    COUNTER_XMIT_DISCARDS,
    COUNTER_XMIT_CONSTRAINT_ERRORS,
    COUNTER_RCV_CONSTRAINT_ERRORS,
    COUNTER_LOCAL_INTEGRITY_ERRORS,
    COUNTER_BUFFER_OVERRUNS,
    COUNTER_VL15_DROPPED,
    COUNTER_XMIT_DATA,
    COUNTER_RCV_DATA,
    COUNTER_XMIT_PACKETS,
    COUNTER_RCV_PACKETS,
    COUNTER_XMIT_WAIT,
    COUNTER_QP1_DROPPED, /* MADs that found the queue of the PMA full */
    COUNTERS
};

/** The counters that only PortCountersExtended has. */
enum counter_ext {
    COUNTER_EXT_UNICAST_XMIT,
    COUNTER_EXT_UNICAST_RCV,
    COUNTER_EXT_MULTICAST_XMIT,
    COUNTER_EXT_MULTICAST_RCV,
    COUNTERS_EXT
};

/** Why packets were discarded or errors came in: PortXmitDiscardDetails, then PortRcvErrorDetails,
 * each in the order of its fields. */
enum counter_detail {
    COUNTER_DETAIL_INACTIVE, /* of XMIT_DISCARDS: the link does not carry it */
    COUNTER_DETAIL_NEIGHBOR_MTU,
    COUNTER_DETAIL_LIFETIME,
    COUNTER_DETAIL_HOQ_LIFETIME,
    COUNTER_DETAIL_LOCAL_PHYSICAL, /* of RCV_ERRORS: a CRC does not fit */
    COUNTER_DETAIL_MALFORMED,
    COUNTER_DETAIL_BUFFER_OVERRUN,
    COUNTER_DETAIL_DLID_MAPPING, /* of RCV_SWITCH_RELAY_ERRORS: no way */
    COUNTER_DETAIL_VL_MAPPING,
    COUNTER_DETAIL_LOOPING, /* of RCV_SWITCH_RELAY_ERRORS: the way leads back */
    COUNTERS_DETAIL
};

/** What a port counts. The sets are cleared separately. */
struct port_counters {
    uint64_t classic[COUNTERS]; /* saturate at the width of their field */
    uint64_t wide[COUNTERS];    /* the same events, 64 bits */
    uint64_t ext[COUNTERS_EXT];
    uint16_t details[COUNTERS_DETAIL];
};

/** One port. */
struct port {
    uint64_t guid;
    uint32_t node;
    uint32_t peer;        /* the port at the other end of the cable, or FABRIC_NONE */
    uint32_t built_peer;  /* the same, as the fabric was built */
    uint32_t attached;    /* first attachment at this port, or FABRIC_NONE */
    uint32_t fault;       /* first entry of the faults that act on what leaves here, FABRIC_NONE */
    weft_time lease_end;  /* when the M_Key's lease ends; 0: none runs */
    uint32_t reregisters; /* Sets of ClientReregister so far */
    uint16_t issm;        /* attachments that have IsSM set */
    uint8_t number;
    bool cut; /* a script has cut the cable; set at both ends */
    /* What a worn cable still carries: masks as LinkWidthEnabled, LinkSpeedEnabled and
     * LinkSpeedExtEnabled, set at both ends by a script; a width of 0: no limit. */
    uint8_t cable_width, cable_speed, cable_speed_ext;
    bool disabled;    /* PortPhysicalState was set to Disabled */
    bool training;    /* the link trains; of its two ports, said of the first one */
    uint8_t info[64]; /* PortInfo as on the wire (without CapabilityMask's IsSM) */
    struct port_counters counters;
};

/** What struct waypoint's `flags` say of a port. */
enum waypoint_flag {
    WAYPOINT_SMPS = 1,  /* SMPs cross its cable */
    WAYPOINT_DATA = 2,  /* and others do */
    WAYPOINT_CHECKS = 4 /* P_Keys are checked here: keys_pass() */
};

/** Packets on one side of a cable. */
struct traffic {
    uint16_t packets, with_grh, multicasts;
};

/** What a packet on its way needs of a port, and what it leaves there: in 24 bytes, since what a
 * hop costs in a large fabric is memory. All but the traffic follows from the rest of the
 * model, and link_note() keeps it so. */
struct waypoint {
    uint32_t peer;         /* as the port's */
    uint32_t switch_index; /* as the node's */
    uint8_t number;        /* as the port's */
    uint8_t node_ports;    /* external ports of the node */
    uint8_t flags;         /* enum waypoint_flag */
    /* What counters_settle() has still to count at the port. */
    struct traffic sent, received;
};

/** One node. */
struct node {
    uint64_t guid, system_guid;
    uint32_t first_port;   /* index of port 0 in fabric.ports */
    uint32_t first_pkey;   /* its tables in fabric.pkeys, a CA's from port 1: port_pkeys() */
    uint32_t switch_index; /* in fabric.switches; FABRIC_NONE for a CA or router */
    uint32_t fault;        /* first entry of the faults of all its links, FABRIC_NONE */
    uint32_t vendor, revision;
    uint16_t device;
    uint8_t ports; /* external ports */
    enum topo_node_type type;
    bool dead;
    bool sa_busy;                 /* a script lets its SA answer BUSY */
    bool led;                     /* LedInfo: its beacon is on */
    uint8_t pma_lacks;            /* what a script takes from its PMA: enum pma_lack */
    uint16_t lies;                /* what a script has its SMA answer: bits of enum lie */
    uint32_t lies_as;             /* the node that LIE_NODE_INFO speaks for */
    uint32_t lies_guids_of;       /* the node that LIE_GUIDS speaks for */
    uint32_t lies_told;           /* so far: what changes from one to the next goes by it */
    weft_time pma_ns;             /* what its PMA takes for a MAD besides agent_ns */
    uint32_t smps_waiting;        /* at the SMA, the one in service included */
    uint32_t mads_waiting;        /* at the PMA */
    weft_time sma_free, pma_free; /* when the agent has served what waits */
    const char *id;               /* the topology file's id where it is no GUID, or NULL */
    char name[TOPO_NAME_BYTES];   /* NodeDescription */
};

/** What only switches have. Tables hold the complement of what is on the wire where 0 is not the
 * initial value, so that untouched memory is a fresh table. */
struct switch_state {
    /* First, in one cache line, what each packet asks for: LinearFDBTop is the third word of info.
     */
    uint8_t *lft; /* lft_cap bytes: ~port; 0 means 255, drop */
    uint32_t node;
    uint8_t mft_positions; /* 16 ports each */
    uint8_t info[64];      /* SwitchInfo as on the wire */
    uint16_t *mft;         /* mft_cap rows of mft_positions masks, host order */
    uint8_t *sl2vl;        /* (ports + 1)^2 tables of 8 bytes, [in][out]: xor the initial table */
};

/** A program's claim. */
struct attachment_agent {
    bool used;
    struct fabric_agent want;
};

/** A program at a port. */
struct attachment {
    uint32_t generation; /* odd while in use */
    uint32_t port;       /* index */
    uint32_t next;       /* at the same port, or FABRIC_NONE; of a free slot: the next free one */
    bool issm;
    uint8_t function; /* of the port */
    struct fabric_tids tids;
    struct attachment_agent agents[FABRIC_AGENTS];
};

struct flights;    /* flight.c */
struct faults;     /* fault.c */
struct script;     /* script.c */
struct traps;      /* trap.c */
struct deliveries; /* attach.c */
struct spreads;    /* multicast.c */
struct names;      /* names.c */
struct functions;  /* functions.c */

/** Elements of the arrays that several nodes share. */
struct model_sizes {
    size_t guids, pkeys, lfts, mfts, sl2vl, by_guid, id_bytes;
};

/** The fabric. */
struct fabric {
    struct fabric_config config;
    struct weft_alloc alloc;
    size_t bytes;
    weft_time now;
    struct prng prng;

    struct node *nodes;
    struct port *ports;
    struct waypoint *waypoints; /* one for each port */
    struct switch_state *switches;
    uint16_t *pkeys;        /* xor the initial table: 0xFFFF at index 0, else 0 */
    uint8_t (*guids)[8];    /* FABRIC_GUIDS for each port; GUID 0 is the port's own */
    uint8_t (*vl_arb)[256]; /* for each port: low 1, 2, high 3, 4; xor the initial table */
    uint8_t (*sl2vl)[8];    /* for each port: a CA's table; xor the initial table */
    uint32_t node_count, port_count, switch_count;
    uint32_t *by_guid; /* node and port GUIDs to ports, see build.c */
    uint32_t by_guid_count;
    char *ids;     /* the nodes' ids, one behind the other */
    uint8_t *lfts; /* the switches' tables, one behind the other */
    uint16_t *mfts;
    uint8_t (*switch_sl2vl)[8];
    struct model_sizes size; /* of what is not counted above */

    struct attachment *attachments;
    uint32_t attachment_fresh; /* slots from here on were never used */
    uint32_t attachment_free;  /* the others that are free, the one free longest first, or NONE */
    uint32_t attachment_last;  /* the one given back last, or NONE */

    struct flights *flights;
    struct faults *faults;
    struct script *script;
    struct traps *traps;
    struct deliveries *deliveries;
    struct functions *functions;
    struct spreads *spreads;
    struct names *names;
    uint32_t work_left; /* events and links that this call may still deal with: FABRIC_WORK_MAX */

    void (*tap)(void *ctx, const struct fabric_tap *t);
    void *tap_ctx;
    struct fabric_stats stats; /* `faults`: those of fault.c, what packets meet */
    uint32_t broken;           /* dead nodes, busy SAs, cables cut, cables worn; cables elsewhere;
                                  what PMAs lack; lies */
};

/** Events, lines and links after which a call leaves to the next what is still due, so that it
 * returns though that grows faster than it is done. */
#define FABRIC_WORK_MAX 65536

/** A moment that much later; WEFT_TIME_NEVER where time would end before. */
static inline weft_time fabric_later(const struct fabric *f, weft_time by)
{
    return by < WEFT_TIME_NEVER - f->now ? f->now + by : WEFT_TIME_NEVER;
}

/** Counts a part of the work. */
static inline void fabric_work(struct fabric *f)
{
    if (f->work_left > 0)
        f->work_left--;
}

static inline struct node *port_node(const struct fabric *f, const struct port *p)
{
    return &f->nodes[p->node];
}

static inline uint32_t port_index(const struct fabric *f, const struct port *p)
{
    return (uint32_t)(p - f->ports);
}

static inline struct waypoint *port_waypoint(const struct fabric *f, const struct port *p)
{
    return &f->waypoints[port_index(f, p)];
}

static inline struct port *waypoint_port(const struct fabric *f, const struct waypoint *w)
{
    return &f->ports[w - f->waypoints];
}

static inline bool waypoint_at_switch(const struct waypoint *w)
{
    return w->switch_index != FABRIC_NONE;
}

/** Another port of the node, by its number; it must exist. */
static inline struct waypoint *waypoint_beside(struct waypoint *w, uint8_t number)
{
    WEFT_ASSERT(number <= w->node_ports);
    return w - w->number + number;
}

/** The port of a node by its number; it must exist. */
static inline struct port *node_port(const struct fabric *f, const struct node *n, uint8_t number)
{
    WEFT_ASSERT(number <= n->ports);
    return &f->ports[n->first_port + number];
}

static inline uint32_t node_index(const struct fabric *f, const struct node *n)
{
    return (uint32_t)(n - f->nodes);
}

static inline bool node_is_switch(const struct node *n)
{
    return n->type == TOPO_SWITCH;
}

static inline struct switch_state *node_switch(const struct fabric *f, const struct node *n)
{
    return &f->switches[n->switch_index];
}

/** The port that holds the LID: a switch's external ports speak for its port 0. */
static inline struct port *port_with_lid(const struct fabric *f, const struct port *p)
{
    struct node *n = port_node(f, p);

    return node_is_switch(n) ? node_port(f, n, 0) : &f->ports[port_index(f, p)];
}

/** Entries of a port's P_Key table: PartitionCap, or PartitionEnforcementCap of a switch's external
 * port. A CA with VFs keeps its last entry back, so that it stays an invalid key. */
static inline uint16_t port_pkey_count(const struct fabric *f, const struct port *p)
{
    const struct node *n = port_node(f, p);
    uint16_t kept_back = n->type == TOPO_CA && f->config.vfs > 0 ? 1 : 0;

    if (node_is_switch(n))
        return p->number == 0 ? f->config.pkey_cap : FABRIC_ENFORCE_CAP;
    return p->number == 0 ? 0 : (uint16_t)(f->config.pkey_cap - kept_back);
}

/** A port's P_Key table; read and write its entries through the two functions below. */
static inline uint16_t *port_pkeys(const struct fabric *f, const struct port *p)
{
    const struct node *n = port_node(f, p);
    uint32_t before = p->number;

    if (p->number == 0)
        return &f->pkeys[n->first_pkey];
    if (node_is_switch(n))
        return &f->pkeys[n->first_pkey + f->config.pkey_cap + (before - 1) * FABRIC_ENFORCE_CAP];
    return &f->pkeys[n->first_pkey + (before - 1) * f->config.pkey_cap];
}

static inline uint16_t port_pkey(const struct fabric *f, const struct port *p, uint16_t index)
{
    WEFT_ASSERT(index < port_pkey_count(f, p));
    return port_pkeys(f, p)[index] ^ (index == 0 ? 0xFFFF : 0);
}

static inline void port_set_pkey(const struct fabric *f, const struct port *p, uint16_t index,
                                 uint16_t key)
{
    WEFT_ASSERT(index < port_pkey_count(f, p));
    port_pkeys(f, p)[index] = key ^ (index == 0 ? 0xFFFF : 0);
}

static inline uint16_t be16_at(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint16_t port_lid(const struct port *p)
{
    return be16_at(p->info + WIRE_AT_PORT_INFO_LID);
}

static inline uint8_t port_lmc(const struct port *p)
{
    return p->info[WIRE_AT_PORT_INFO_LMC] & 0x7;
}

static inline enum port_state port_get_state(const struct port *p)
{
    return (enum port_state)(p->info[WIRE_AT_PORT_INFO_PORT_STATE] & 0xF);
}

static inline enum port_physical port_get_physical(const struct port *p)
{
    return (enum port_physical)(p->info[WIRE_AT_PORT_INFO_PHYSICAL_STATE] >> 4);
}

/** True when a LID is one of this port's. */
static inline bool port_owns_lid(const struct port *p, uint16_t lid)
{
    uint16_t base = port_lid(p);

    return base != 0 && (uint16_t)(lid >> port_lmc(p)) == (uint16_t)(base >> port_lmc(p));
}

/** Why a packet was dropped: a counter of fabric_stats and a word for the tap. */
enum drop {
    DROP_LOST,      /* "lost": a scripted loss */
    DROP_CORRUPT,   /* "corrupt": a scripted corruption, found by the receiver's CRC */
    DROP_LINK,      /* "link-down" */
    DROP_DEAD,      /* "node-dead" */
    DROP_NO_ROUTE,  /* "no-route" */
    DROP_LOOP,      /* "loop" */
    DROP_HOPS,      /* "bad-hops": a directed route that leads nowhere */
    DROP_VL15,      /* "vl15-full" */
    DROP_GSI,       /* "gsi-full" */
    DROP_FLIGHTS,   /* "fabric-full" */
    DROP_DELIVERY,  /* "receiver-full" */
    DROP_MKEY,      /* "m-key" */
    DROP_PKEY,      /* "p-key" */
    DROP_QKEY,      /* "q-key" */
    DROP_VF_SMP,    /* "vf-smp": a VF may not send it */
    DROP_UNCLAIMED, /* "unclaimed" */
    DROP_MALFORMED, /* "malformed" */
    DROPS
};

/** Counts a dropped packet and tells the tap. */
void fabric_drop(struct fabric *f, const struct port *at, const struct packet *p, enum drop why);

/** Tells the tap of a packet that was sent or delivered. */
void fabric_tell(struct fabric *f, enum fabric_tap_point point, const struct port *at,
                 const struct packet *p);

/** Runs what is due now, as much as one call may: at the end of every call that drives the fabric.
 */
void fabric_settle(struct fabric *f);

/** Takes zeroed memory from the fabric's allocator, counted in f->bytes; NULL when there is none.
 * Only while the fabric is built. */
void *fabric_take(struct fabric *f, size_t count, size_t bytes);
/** Gives it back; NULL is fine. */
void fabric_give(struct fabric *f, void *p, size_t count, size_t bytes);

#endif
