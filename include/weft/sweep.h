/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Discovery of a fabric by directed routes: which nodes there are, their ports, and what the cables
 * connect. A machine without I/O or clock above the MAD engine.
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
 * The engine's loop is that of mad.h; the machine stands in it so:
 *
 *     while (!weft_sweep_done()) {
 *         while (weft_sweep_poll())      weft_mad_post();
 *         move packets and timers as mad.h says
 *         while (weft_mad_poll_event())  weft_sweep_event(), then weft_mad_recv_release() a RECV
 *     }
 *
 * Ask weft_sweep_done() after weft_sweep_poll(): that may find out that nothing which still waits
 * is worth a question any more. A send that weft_mad_post() refuses is lost to the sweep: give the
 * engine as many sends as two windows, or end the sweep there. The window is bounded here: switch
 * off the engine's own limits (weft_mad_flow.agent_limits), which know nothing of the dead.
 *
 * Nodes and ports are numbered from 0 in the order they were found, and keep their numbers. One
 * thread at a time uses a sweep. Pointers must not be NULL unless their text says so. GUIDs, LIDs
 * and all other numbers are in host byte order.
 */
#ifndef WEFT_SWEEP_H
#define WEFT_SWEEP_H

#include <weft/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No node, no port. */
#define WEFT_SWEEP_NONE UINT32_MAX

/** A directed route (IBA 14.2.2). */
struct weft_route {
    uint8_t hops;                               /**< links; 0: the own node */
    uint8_t ports[WEFT_DIRECTED_HOP_COUNT_MAX]; /**< to leave by, from the own node on */
};

/** How patiently to ask. Fill it with weft_sweep_config_init(), then change fields. */
struct weft_sweep_config {
    size_t size;       /**< sizeof(struct weft_sweep_config), set by the init macro */
    uint32_t window;   /**< default 256: questions under way at most; 1..1024. It begins smaller,
                            grows while answers come and shrinks where none comes. As many again may
                            be under way that have had no answer for some time, so that the dead do
                            not stand in the way of the living */
    weft_time timeout; /**< default 1 s: the most that the dead add to a sweep. Without an answer
                          for nine tenths of it a node is taken for dead; 4 ms..1 min */
    uint8_t tries;  /**< default 40: packets sent in that time, at least where nobody has answered
                         yet; the wait for an answer gets shorter in the beginning, and some more
                         are sent, while answers come in time; 1..250 */
    uint8_t rounds; /**< default 4: how often all of this is done where so many packets get lost
                         that all tries may have been; at least 1 */
};

/** Fills in every default. Use the macro weft_sweep_config_init(), which passes the size.
 * @param ret   where the defaults go
 * @param size  sizeof(struct weft_sweep_config) of the program
 * @return 0; WEFT_ERR_INVALID when this library does not know a structure of that size: the program
 *         was built against another version */
int weft_sweep_config_init_sized(struct weft_sweep_config *ret, size_t size);
/** Fills in every default of a struct weft_sweep_config. */
#define weft_sweep_config_init(ret) weft_sweep_config_init_sized((ret), sizeof(*(ret)))

/** Bytes of a NodeDescription and a final 0. */
#define WEFT_SWEEP_NAME_BYTES 65

/** What a node is, as NodeInfo:NodeType says (IBA 14.2.5.3). */
enum weft_sweep_node_type {
    WEFT_SWEEP_CA = 1,     /**< a channel adapter */
    WEFT_SWEEP_SWITCH = 2, /**< a switch */
    WEFT_SWEEP_ROUTER = 3  /**< a router */
};

/** A node that was found (IBA 14.2.5.2 to 14.2.5.4). */
struct weft_sweep_node {
    uint64_t guid;            /**< NodeGUID */
    uint64_t system_guid;     /**< SystemImageGUID */
    uint32_t vendor_id;       /**< VendorID, 24 bits */
    uint32_t first_port;      /**< the number in the sweep of its port 0; port p is p further */
    uint16_t partition_cap;   /**< entries of the P_Key table of each CA or router port, or of a
                                   switch's port 0 */
    uint16_t enforcement_cap; /**< switches: the same for each external port; 0 until SwitchInfo
                                   was read */
    uint16_t device_id;       /**< DeviceID */
    uint8_t type;             /**< enum weft_sweep_node_type */
    uint8_t port_count;       /**< NumPorts, without port 0; 1..254 */
    char name[WEFT_SWEEP_NAME_BYTES]; /**< NodeDescription as it came, perhaps empty: any bytes, not
                                           safe to print */
    bool enhanced_port0;              /**< switches: port 0 is more than a management port */
    bool confirmed;          /**< switches: NodeInfo was the same twice, or the one from before */
    bool quiet;              /**< switches: SwitchInfo:PortStateChange was read, and is 0 */
    struct weft_route route; /**< to a switch, or the own node; of others ask
                                  weft_sweep_route() */
};

/** Widths or speeds of a port, sets of bits as LinkWidth... and LinkSpeed... of PortInfo are (IBA
 * 14.2.5.6). */
struct weft_sweep_rate {
    uint8_t active;    /**< the one bit in use; meaningless while the link is down */
    uint8_t supported; /**< what the port can do */
    uint8_t enabled;   /**< what it may do */
};

/** A port of a node that was found. A node's ports are there whether it has told of them or not. */
struct weft_sweep_port {
    uint64_t guid; /**< PortGUID where it was reached; a switch's stands at port 0; else 0 */
    uint32_t node; /**< its node's number */
    uint32_t peer; /**< the port at the other end of the cable, or WEFT_SWEEP_NONE */
    uint32_t via;  /**< the port through which it was reached first; WEFT_SWEEP_NONE: the own one */
    uint32_t capability; /**< PortInfo:CapabilityMask: CA and router ports, port 0 of switches */
    uint16_t lid;        /**< its first LID; 0: none */
    uint8_t lmc;         /**< LID mask control, 0..7 */
    uint8_t number;      /**< on its node, 0 for a switch's management port */
    uint8_t state;       /**< PortInfo:PortState, 1 Down to 4 Active; 0: not known */
    uint8_t phys_state;  /**< PortInfo:PortPhysicalState; 0: not known */
    struct weft_sweep_rate width;     /**< LinkWidth */
    struct weft_sweep_rate speed;     /**< LinkSpeed, to QDR */
    struct weft_sweep_rate speed_ext; /**< LinkSpeedExt, from FDR on */
    bool told;                        /**< PortInfo was read */
    bool assumed;      /**< it was not: what stands here is taken over, see weft_sweep_expect() */
    bool reached;      /**< it has answered for itself: CA and router ports, port 0 of switches */
    bool silent;       /**< it was reached, then it answered no more */
    bool mute_peer;    /**< its link is up, but nobody answers behind it */
    bool enforces_in;  /**< external ports of switches: partitions are enforced inbound */
    bool enforces_out; /**< the same outbound */
};

/** What is wrong, as far as a sweep sees it. */
enum weft_sweep_trouble_kind {
    WEFT_SWEEP_MUTE,       /**< the link at a port is up, but nobody answers behind it */
    WEFT_SWEEP_STOPPED,    /**< a port's node has answered, then no more */
    WEFT_SWEEP_REFUSED,    /**< a port's node has answered, but not with what was asked for */
    WEFT_SWEEP_IMPOSSIBLE, /**< who is behind a port says what no node can say of itself */
    WEFT_SWEEP_CHANGED,    /**< who is behind a port has a GUID whose node was something else
                                before */
    WEFT_SWEEP_TWICE,      /**< the same GUID and port number is at the end of another cable
                                already */
    WEFT_SWEEP_UNSTABLE    /**< the switch behind a port, or that port's own one, has another GUID
                                when it is asked once more: who is behind it is not asked */
};

/** One such thing. */
struct weft_sweep_trouble {
    enum weft_sweep_trouble_kind kind; /**< what it is */
    uint32_t port;                     /**< where: the number of the port in the sweep */
    uint32_t other;   /**< WEFT_SWEEP_TWICE: the port of the other cable; else WEFT_SWEEP_NONE */
    uint64_t guid;    /**< WEFT_SWEEP_CHANGED, WEFT_SWEEP_TWICE: of the node; WEFT_SWEEP_UNSTABLE:
                           the second one; else 0 */
    uint16_t attr_id; /**< the attribute that was asked for */
    uint8_t ways;     /**< how many ways were tried, 0..2 */
    struct weft_route tried[2]; /**< these, to whom did not answer */
};

/** A sweep: it is the machine, and keeps what it has found. */
struct weft_sweep;

/** Makes one that begins at the node of the agent's port.
 * @param c      how patiently to ask, copied; NULL: the defaults
 * @param agent  whose sends these are: registered for requests of class 0x81 on QP0, without
 *               methods, and used by nobody else until the sweep has ended
 * @param a      where memory comes from, copied; NULL means malloc and free. It grows with what is
 *               found: about 50 bytes a port and 200 a node, up to twice that by doubling
 * @param ret    the sweep; give it back with weft_sweep_free()
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range, or `size` is not this library's;
 *         WEFT_ERR_NOMEM */
int weft_sweep_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
                   const struct weft_alloc *a, struct weft_sweep **ret);

/** Frees it. The engine must hold none of its sends any more: it has ended, its agent was removed
 * and the events were drained, or the engine was freed.
 * @param s  may be NULL
 * @return NULL */
struct weft_sweep *weft_sweep_free(struct weft_sweep *s);

/** The next request to post.
 * @param s    the sweep
 * @param ret  the request; its data belong to the sweep and stay until its SEND_DONE
 * @return false: none for now */
bool weft_sweep_poll(struct weft_sweep *s, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of other agents are ignored. Release a received MAD
 * afterwards.
 * @param s   the sweep
 * @param ev  the event */
void weft_sweep_event(struct weft_sweep *s, const struct weft_mad_event *ev);

/** Whether the sweep has ended.
 * @param s  the sweep
 * @return true: there is nothing more to ask, and nothing under way */
bool weft_sweep_done(const struct weft_sweep *s);

/** Whether all that is still open has had no answer in the time that answers take: the sweep waits
 * for the dead, and for those to whom packets got lost. What it has found until then need not wait
 * with it: addresses are those of now, none is taken over that may be an older one.
 * @param s  the sweep
 * @return true: it waits; false: something was not asked yet or only just now, or it has ended */
bool weft_sweep_waits(const struct weft_sweep *s);

/** How it went; of interest when it has ended.
 * @param s  the sweep
 * @return 0: it went through, whatever weft_sweep_trouble() has to tell; WEFT_ERR_NOTFOUND: not
 * even the own node answers; WEFT_ERR_FULL: there are more than 65536 nodes or a million ports;
 *         WEFT_ERR_NOMEM. With the last two what was found until then stays, and more was not
 *         asked */
int weft_sweep_verdict(const struct weft_sweep *s);

/** How many nodes were found: the own one first, then by distance, more or less.
 * @param s  the sweep
 * @return their number */
uint32_t weft_sweep_node_count(const struct weft_sweep *s);

/** A node.
 * @param s     the sweep
 * @param node  its number, below weft_sweep_node_count()
 * @return the node, valid until the next weft_sweep_event() */
const struct weft_sweep_node *weft_sweep_node(const struct weft_sweep *s, uint32_t node);

/** Finds a node.
 * @param s     the sweep
 * @param guid  its NodeGUID
 * @return its number; WEFT_SWEEP_NONE: there is none */
uint32_t weft_sweep_find(const struct weft_sweep *s, uint64_t guid);

/** How many ports all nodes have; those of a node stand together, by number, port 0 first (that of
 * a CA or router means nothing).
 * @param s  the sweep
 * @return their number */
uint32_t weft_sweep_port_count(const struct weft_sweep *s);

/** A port.
 * @param s     the sweep
 * @param port  its number, below weft_sweep_port_count()
 * @return the port, valid until the next weft_sweep_event() */
const struct weft_sweep_port *weft_sweep_port(const struct weft_sweep *s, uint32_t port);

/** Which port answers for a port: of a switch port 0, of others the port itself.
 * @param s     the sweep
 * @param port  the port's number
 * @return the number of the one that answers */
uint32_t weft_sweep_end_port(const struct weft_sweep *s, uint32_t port);

/** The way to a port that was reached.
 * @param s     the sweep
 * @param port  the port's number
 * @param ret   the way by which it was found */
void weft_sweep_route(const struct weft_sweep *s, uint32_t port, struct weft_route *ret);

/** What is wrong.
 * @param s       the sweep
 * @param number  from 0 on, in the order it was seen
 * @param ret     the trouble, valid until the next weft_sweep_event()
 * @return false: that was all */
bool weft_sweep_trouble(const struct weft_sweep *s, uint32_t number,
                        const struct weft_sweep_trouble **ret);

/** Whether a trouble is still one: who was mute behind one link may have been found by another.
 * @param s  the sweep
 * @param t  of weft_sweep_trouble()
 * @return false: it is settled */
bool weft_sweep_trouble_stands(const struct weft_sweep *s, const struct weft_sweep_trouble *t);

/** ibnetdiscover's word for a link's width, for example "4x".
 * @param s     the sweep
 * @param port  the port's number
 * @return a constant string; "??": there is no such width */
const char *weft_sweep_width_word(const struct weft_sweep *s, uint32_t port);

/** ibnetdiscover's word for a link's speed, for example "EDR".
 * @param s     the sweep
 * @param port  the port's number
 * @return a constant string; "???": there is no such speed */
const char *weft_sweep_speed_word(const struct weft_sweep *s, uint32_t port);

/** How much was asked.
 * @param s  the sweep
 * @return sends made so far, repetitions of the engine not counted */
uint64_t weft_sweep_sends(const struct weft_sweep *s);

/** How often a node answered at the end of another link than before: two nodes have one GUID.
 * @param s  the sweep
 * @return so many answers */
uint32_t weft_sweep_conflicts(const struct weft_sweep *s);

/** What is known from before about a port, or about port 0 of a switch. Start from zeroes. */
struct weft_sweep_prior_port {
    uint64_t guid;           /**< of its node */
    uint64_t peer_guid;      /**< of the node at the other end of its cable; 0 for port 0 */
    uint16_t lid;            /**< its first LID: CA and router ports, port 0 of switches */
    uint8_t number;          /**< on its node */
    uint8_t peer_number;     /**< of the port at the other end */
    uint8_t lmc;             /**< LID mask control, 0..7 */
    char width[8];           /**< as weft_sweep_width_word() has it, cut if need be; ends in 0 */
    char speed[16];          /**< as weft_sweep_speed_word() has it, cut if need be; ends in 0 */
    uint8_t width_supported; /**< LinkWidthSupported as in PortInfo; 0: not known */
    uint8_t speed_supported; /**< LinkSpeedSupported as in PortInfo; 0: not known */
    uint8_t speed_ext_supported; /**< LinkSpeedExtSupported as in PortInfo; 0: not known */
};

/** What is known from before about a fabric, for weft_sweep_expect(): ports by GUID and number. */
struct weft_sweep_prior;

/** Makes an empty one, to be filled with weft_sweep_prior_add().
 * @param ports  at most so many will be added; below 2^28
 * @param a      where memory comes from, copied; NULL means malloc and free
 * @param ret    give it back with weft_sweep_prior_free()
 * @return 0; WEFT_ERR_INVALID: there are too many ports; WEFT_ERR_NOMEM */
int weft_sweep_prior_new(uint32_t ports, const struct weft_alloc *a, struct weft_sweep_prior **ret);

/** Frees it; no sweep may go by it any more.
 * @param k  may be NULL
 * @return NULL */
struct weft_sweep_prior *weft_sweep_prior_free(struct weft_sweep_prior *k);

/** Adds a port. Of two with the same GUID and number the first one counts.
 * @param k  what is known
 * @param p  the port; copied
 * @return 0; WEFT_ERR_FULL: more than weft_sweep_prior_new() was told */
int weft_sweep_prior_add(struct weft_sweep_prior *k, const struct weft_sweep_prior_port *p);

/** Finds a port.
 * @param k       what is known
 * @param guid    of its node
 * @param number  on that node
 * @return the port, valid until weft_sweep_prior_free(); NULL: it is not known */
const struct weft_sweep_prior_port *weft_sweep_prior_find(const struct weft_sweep_prior *k,
                                                          uint64_t guid, uint8_t number);

/** Tells it what an earlier sweep has found, before the first weft_sweep_poll(). What is taken over
 * is good enough for a topology: PortInfo of ports with `assumed` has no more than what an earlier
 * topology says. As soon as a switch has another LID than before, all ports are asked.
 * @param s      the sweep
 * @param known  borrowed until the sweep has ended; NULL: nothing is known */
void weft_sweep_expect(struct weft_sweep *s, const struct weft_sweep_prior *known);

/** What this sweep has found, for weft_sweep_expect() of another one. Of ports that then need not
 * say their PortInfo it also tells what they can do.
 * @param s    the sweep
 * @param a    where memory comes from, copied; NULL means malloc and free
 * @param ret  give it back with weft_sweep_prior_free(); it does not depend on the sweep
 * @return 0; WEFT_ERR_NOMEM */
int weft_sweep_remember(const struct weft_sweep *s, const struct weft_alloc *a,
                        struct weft_sweep_prior **ret);

#ifdef __cplusplus
}
#endif

#endif
