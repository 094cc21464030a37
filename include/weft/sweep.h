/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Discovery of a fabric by directed routes: which nodes there are, their ports, and what the cables
 * connect. A machine without I/O above the MAD engine.
 *
 * It begins at the own node and goes on breadth first, many questions at a time. Each link is
 * crossed once and each node is asked once, however many ways lead to it. Who does not answer is
 * tried by a second way where there is one, while everybody else is asked, then remembered with
 * these ways and not asked again.
 *
 * With weft_sweep_expect() it goes by what an earlier sweep has found: it still crosses each link
 * and asks each node for its name, but takes over what cannot have changed. Where a switch's
 * SwitchInfo says that no state of a port has changed since its subnet manager was there, the two
 * ends of a link are at one, and one of them is asked.
 *
 * The host drives it so:
 *
 *     while (weft_sweep_poll())            weft_mad_post();
 *     if (weft_sweep_done())               that is all, perhaps because weft_sweep_poll() has found
 * that what still waits is not worth a question any more while (weft_mad_poll_event())
 * weft_sweep_event(), then weft_mad_recv_release() what was received
 */
#ifndef WEFT_SWEEP_H
#define WEFT_SWEEP_H

#include <weft/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A directed route: the ports to leave by, from the own node on. */
struct weft_route {
    uint8_t hops;
    uint8_t ports[WEFT_DIRECTED_HOP_COUNT_MAX];
};

/** How patiently to ask. */
struct weft_sweep_config {
    uint32_t window;   /**< default 256: questions under way at most; 1..1024. It begins smaller,
                            grows while answers come and shrinks where none comes. As many again may
                            be under way that have had no answer for some time, so that the dead do
                            not stand in the way of the living */
    weft_time timeout; /**< default 1 s: without an answer for so long a node is taken for dead;
                            4 ms..1 min */
    uint8_t tries;     /**< default 40: packets sent in that time; 1..250 */
    uint8_t rounds;    /**< default 4: how often all of this is done where so many packets get lost
                            that all tries may have been; at least 1 */
};

/** Fills in the defaults. */
void weft_sweep_config_init(struct weft_sweep_config *ret);

/** A port, or port 0 of a switch. */
struct weft_known_port {
    uint64_t guid;      /**< of its node */
    uint64_t peer_guid; /**< of the node at the other end; port 0: 0 */
    uint16_t lid;       /**< CA and router ports, port 0 */
    uint8_t number;
    uint8_t peer_number;
    uint8_t lmc;
    char width[8];  /**< as weft_sweep_width_word() has it, perhaps cut */
    char speed[16]; /**< as weft_sweep_speed_word() has it, perhaps cut */
    /** What the port can do, sets of bits as in PortInfo; 0: not known. */
    uint8_t width_supported, speed_supported, speed_ext_supported;
};

/** Ports. */
struct weft_known;

/** Makes an empty one.
 * @param ports  at most so many will be added
 * @return NULL without memory */
struct weft_known *weft_known_new(uint32_t ports);

/** Frees it; NULL is fine.
 * @return NULL */
struct weft_known *weft_known_free(struct weft_known *k);

/** Adds a port. Of two with the same GUID and number the first one counts.
 * @return 0; WEFT_ERR_FULL: more than said */
int weft_known_add(struct weft_known *k, const struct weft_known_port *p);

/** Finds one.
 * @return NULL: there is none */
const struct weft_known_port *weft_known_find(const struct weft_known *k, uint64_t guid,
                                              uint8_t number);

/** No node, no port. */
#define WEFT_SWEEP_NONE UINT32_MAX

/** NodeDescription and a final 0. */
#define WEFT_SWEEP_NAME_BYTES 65

/** As NodeInfo:NodeType. */
enum weft_sweep_node_type {
    WEFT_SWEEP_CA = 1,
    WEFT_SWEEP_SWITCH = 2,
    WEFT_SWEEP_ROUTER = 3
};

/** A node that was found. */
struct weft_sweep_node {
    uint64_t guid;
    uint64_t system_guid;
    uint32_t vendor_id;
    uint32_t first_port;    /* its port 0; port p is so many further */
    uint16_t partition_cap; /* entries of the P_Key table of each CA or router port, or of port 0 */
    uint16_t enforcement_cap; /* switches: of each other port; 0 until SwitchInfo was read */
    uint16_t device_id;
    uint8_t type;                     /* enum weft_sweep_node_type */
    uint8_t port_count;               /* without port 0 */
    char name[WEFT_SWEEP_NAME_BYTES]; /* NodeDescription as it came, perhaps empty: not safe to
                                         print */
    bool enhanced_port0;              /* switches: port 0 is more than a management port */
    bool quiet;                       /* switches: SwitchInfo:PortStateChange was read, and is 0 */
    struct weft_route route;          /* to a switch, or the own node */
};

/** LinkWidth or LinkSpeed of PortInfo (IBA 14.2.5.6): sets of bits, of `active` one. */
struct weft_sweep_rate {
    uint8_t active, supported, enabled;
};

/** A port of it. */
struct weft_sweep_port {
    uint64_t guid; /* where reached; a switch's is at port 0 */
    uint32_t node;
    uint32_t peer; /* the port at the other end of the cable, or WEFT_SWEEP_NONE */
    uint32_t via;  /* the port through which it was reached first; WEFT_SWEEP_NONE: the own one */
    uint32_t capability; /* PortInfo:CapabilityMask: CA and router ports, port 0 of switches */
    uint16_t lid;
    uint8_t lmc;
    uint8_t number;
    uint8_t state;      /* PortInfo:PortState, 1 Down..4 Active; 0: not known */
    uint8_t phys_state; /* PortInfo:PortPhysicalState; 0: not known */
    struct weft_sweep_rate width, speed, speed_ext;
    bool told;      /* PortInfo was read */
    bool assumed;   /* it was not: what stands here is taken over, see weft_sweep_expect() */
    bool waits;     /* private to the sweep */
    bool reached;   /* it has answered for itself: CA and router ports, port 0 of switches */
    bool silent;    /* it was reached, then it answered no more */
    bool mute_peer; /* its link is up, but nobody answers behind it */
    bool enforces_in, enforces_out; /* partition enforcement, external ports of switches */
};

/** What is wrong, as far as a sweep sees it. */
enum weft_sweep_trouble_kind {
    WEFT_SWEEP_MUTE,       /* the link at a port is up, but nobody answers behind it */
    WEFT_SWEEP_STOPPED,    /* a port's node has answered, then no more */
    WEFT_SWEEP_REFUSED,    /* a port's node has answered, but not with what was asked for */
    WEFT_SWEEP_IMPOSSIBLE, /* who is behind a port says what no node can say of itself */
    WEFT_SWEEP_CHANGED, /* who is behind a port has a GUID whose node was something else before */
    WEFT_SWEEP_TWICE /* the same, and that GUID and port are at the end of another cable already */
};

/** One such thing. */
struct weft_sweep_trouble {
    enum weft_sweep_trouble_kind kind;
    uint32_t port;
    uint32_t other;             /* WEFT_SWEEP_TWICE: of the other cable; else WEFT_SWEEP_NONE */
    uint64_t guid;              /* WEFT_SWEEP_CHANGED, WEFT_SWEEP_TWICE: of the node */
    uint16_t attr_id;           /* what was asked for */
    uint8_t ways;               /* how many ways were tried */
    struct weft_route tried[2]; /* to whom did not answer */
};

/** A sweep. */
struct weft_sweep;

/** Makes one.
 * @param c      how patiently to ask; NULL: the defaults
 * @param agent  for requests of class 0x81 on QP0
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int weft_sweep_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
                   struct weft_sweep **ret);

/** Tells it what an earlier sweep has found, before the first weft_sweep_poll(). What is taken over
 * is good enough for a topology: PortInfo of ports with `assumed` has no more than what an earlier
 * topology says. As soon as a switch has another LID than before, all ports are asked.
 * @param known  borrowed until the sweep has ended */
void weft_sweep_expect(struct weft_sweep *s, const struct weft_known *known);

/** What this sweep has found, for weft_sweep_expect() of another one. Of ports that then need not
 * say their PortInfo it also tells what they can do.
 * @return to be given to weft_known_free(); NULL without memory */
struct weft_known *weft_sweep_known(const struct weft_sweep *s);

/** Frees it; the engine must hold none of its sends any more. NULL is fine.
 * @return NULL */
struct weft_sweep *weft_sweep_free(struct weft_sweep *s);

/** The next request to post.
 * @return false: none for now */
bool weft_sweep_poll(struct weft_sweep *s, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of others are ignored. */
void weft_sweep_event(struct weft_sweep *s, const struct weft_mad_event *ev);

/** Whether the sweep has ended. */
bool weft_sweep_done(const struct weft_sweep *s);

/** How it went.
 * @return 0; WEFT_ERR_NOTFOUND: not even the own node answers; WEFT_ERR_FULL: there are more than
 *         65536 nodes or a million ports; WEFT_ERR_NOMEM; with the last two what was found until
 * then stays */
int weft_sweep_verdict(const struct weft_sweep *s);

/** Nodes found, the own one first, then by distance, more or less. */
uint32_t weft_sweep_node_count(const struct weft_sweep *s);
const struct weft_sweep_node *weft_sweep_node(const struct weft_sweep *s, uint32_t node);
/** Finds one by its GUID.
 * @return its number; WEFT_SWEEP_NONE: there is none */
uint32_t weft_sweep_find(const struct weft_sweep *s, uint64_t guid);
/** Ports of all nodes, those of a node by number. */
uint32_t weft_sweep_port_count(const struct weft_sweep *s);
const struct weft_sweep_port *weft_sweep_port(const struct weft_sweep *s, uint32_t port);

/** Which port answers for a port: of a switch port 0, of others the port itself. */
uint32_t weft_sweep_end_port(const struct weft_sweep *s, uint32_t port);

/** The way to a port that was reached. */
void weft_sweep_route(const struct weft_sweep *s, uint32_t port, struct weft_route *ret);

/** What is wrong.
 * @param number  from 0 on
 * @param ret     valid until the next weft_sweep_event()
 * @return false: that was all */
bool weft_sweep_trouble(const struct weft_sweep *s, uint32_t number,
                        const struct weft_sweep_trouble **ret);

/** Whether a trouble is still one: who was mute behind one link may have been found by another. */
bool weft_sweep_trouble_stands(const struct weft_sweep *s, const struct weft_sweep_trouble *t);

/** The words of ibnetdiscover for a link's width and speed: "4x", "EDR"; "??", "???": no such. */
const char *weft_sweep_width_word(const struct weft_sweep *s, uint32_t port);
const char *weft_sweep_speed_word(const struct weft_sweep *s, uint32_t port);

/** Sends made so far, repetitions of the engine not counted. */
uint64_t weft_sweep_sends(const struct weft_sweep *s);

/** Answers that came to other links than before: a node GUID that two nodes have. */
uint32_t weft_sweep_conflicts(const struct weft_sweep *s);

#ifdef __cplusplus
}
#endif

#endif
