/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A simulated InfiniBand fabric: nodes with their SMA and PMA, links, forwarding, traps and faults,
 * as a machine without I/O or clock. Programs take part through attachments.
 *
 * Calls return at once and never call back (but for the pure tap). The host drives it so:
 *
 *     fabric_send() what clients have sent, then fabric_advance(now),
 *     then drain fabric_poll(), and sleep until fabric_deadline().
 *
 * Without latency a packet makes its whole way, and its answer the way back, in fabric_send().
 * Equal topology, seed and calls give equal behaviour. Pointers must not be NULL unless their text
 * says so. All memory is taken in fabric_new(), from zeroed pages that are touched as needed.
 */
#ifndef WEFT_FABRIC_FABRIC_H
#define WEFT_FABRIC_FABRIC_H

#include "core/wire/packet.h"
#include "topology/topology.h"

#include <weft/base.h>

/** A fabric. */
struct fabric;

/** The largest fabric. */
#define FABRIC_NODES_MAX    65536
/** The longest P_Key table. */
#define FABRIC_PKEY_CAP_MAX 1024

/** What a fabric is made with. */
struct fabric_config {
    uint64_t seed;         /**< default 1: of loss, jitter, corruption, GUIDs that the file lacks */
    weft_time hop_ns;      /**< default 0: time a packet takes over one link, at most 1 s */
    weft_time agent_ns;    /**< default 0: time an SMA or PMA takes for one MAD, at most 1 s */
    weft_time training_ns; /**< default 0: from "enabled at both ends" to Init, at most 1 h */
    uint32_t vl15_depth;   /**< default 128: SMPs waiting for a node's SMA; more are dropped and
                                counted in VL15Dropped of the port they came in by; 1..65536 */
    uint32_t gsi_depth;    /**< default 512: MADs waiting for a node's PMA, as vl15_depth but
                                counted in QP1Dropped; 1..65536 */
    uint32_t flights;      /**< default 65536: packets under way at one time; 64..2^24 */
    uint32_t deliveries;   /**< default 4096: packets that wait for fabric_poll(); 64..2^20 */
    uint32_t attachments;  /**< default 1024: programs at one time; 1..65536 */
    uint16_t lft_cap;      /**< default 49151: LinearFDBCap of switches, 1..49152 */
    uint16_t mft_cap;      /**< default 4096: MulticastFDBCap of switches, 32..16384 */
    uint16_t pkey_cap;     /**< default 128: PartitionCap of CAs, routers and switch port 0; their
                                external ports have 32; 1..1024. With VFs one less at CAs: the last
                                entry is kept back */
    uint8_t vfs;           /**< default 0: virtual functions of each CA; needs a pkey_cap of 2 */
    bool vf_strict; /**< default false; true: no VF may be assigned both forms of a P_Key, one
                         form twice or one entry twice */
    bool keep_lids; /**< default false: LIDs of the topology are forgotten */
    bool up;        /**< default false; true: begin with LIDs, routes and active links, as if
                         an SM had been there (see routes.h) */
};

/** Fills in the defaults. */
void fabric_config_init(struct fabric_config *ret);

/** Why something was refused. */
struct fabric_error {
    char text[256]; /**< a sentence without full stop that names the thing and what to try */
};

/** Builds a fabric. Ports without a cable are Down (Polling), others Init.
 * @param c      configuration; copied
 * @param t      the topology; not kept
 * @param a      where memory comes from, copied: it must give zeroed bytes. NULL means calloc
 * @param ret    the fabric, for fabric_free()
 * @param error  why not; written only on failure
 * @return 0; WEFT_ERR_INVALID: a field of c is out of range, or the topology cannot be built (a
 *         port used twice, no node); WEFT_ERR_FULL: more nodes than FABRIC_NODES_MAX, or to be
 *         up more ports than LIDs; WEFT_ERR_NOMEM */
int fabric_new(const struct fabric_config *c, const struct topo *t, const struct weft_alloc *a,
               struct fabric **ret, struct fabric_error *error);

/** Frees a fabric; NULL is fine.
 * @return NULL */
struct fabric *fabric_free(struct fabric *f);

/** Bytes of address space that the fabric has taken. */
size_t fabric_bytes(const struct fabric *f);

/** What is known of a node. */
struct fabric_node_info {
    uint64_t guid;
    uint64_t system_guid;
    enum topo_node_type type;
    uint8_t ports;     /**< external ports, 1..254 */
    bool alive;        /**< false: it neither answers nor forwards */
    const char *name;  /**< NodeDescription, a C string of at most 64 bytes; not safe to print */
    uint32_t vendor;   /**< VendorID, 24 bits */
    uint16_t device;   /**< DeviceID */
    uint32_t revision; /**< Revision */
};

/** How many nodes there are; they are numbered from 0 in the order of the topology. */
uint32_t fabric_node_count(const struct fabric *f);

/** Tells about a node.
 * @param node  0..fabric_node_count()-1 */
void fabric_node(const struct fabric *f, uint32_t node, struct fabric_node_info *ret);

/** Finds a node by what people call it: its whole NodeDescription, the id that the topology file
 * gives it, its node or port GUID (16 hex digits; 0x or a dump's H-, S-, R- or not), or `lid:N`.
 * @param text       the name
 * @param ret_node   the node
 * @param error      why not; names up to three similar nodes where nothing fits
 * @return 0; WEFT_ERR_NOTFOUND; WEFT_ERR_CONFLICT: several nodes have this name: give a GUID */
int fabric_find(const struct fabric *f, const char *text, uint32_t *ret_node,
                struct fabric_error *error);

/** Finds a port by what commands call it, NODE/PORT, as one word of the fault vocabulary: quotes
 * around a name with blanks.
 * @param text      the port; a node alone means the port that fabric_attach() picks for 0
 * @param ret_node  the node
 * @param ret_port  the port's number
 * @param error     why not
 * @return 0; WEFT_ERR_FORMAT: not one word; WEFT_ERR_NOTFOUND; WEFT_ERR_CONFLICT: as
 *         fabric_find() */
int fabric_find_port(const struct fabric *f, const char *text, uint32_t *ret_node,
                     uint8_t *ret_port, struct fabric_error *error);

/** The state of a port as its own host sees it, in host order. */
struct fabric_port_info {
    uint64_t guid;       /**< port GUID */
    uint64_t gid_prefix; /**< subnet prefix */
    uint32_t capability; /**< CapabilityMask, IsSM included */
    uint16_t lid;        /**< base LID, 0: none */
    uint16_t sm_lid;     /**< MasterSMLID */
    uint8_t lmc;
    uint8_t sm_sl;
    uint8_t state;          /**< 1 Down, 2 Init, 3 Armed, 4 Active */
    uint8_t physical_state; /**< 2 Polling, 3 Disabled, 5 LinkUp */
    uint8_t width;          /**< LinkWidthActive: 1 1x, 2 4x, 4 8x, 8 12x, 16 2x */
    uint8_t speed;          /**< LinkSpeedActive: 1 SDR, 2 DDR, 4 QDR; 0 with an extended one */
    uint8_t speed_ext;      /**< LinkSpeedExtActive: 1 FDR, 2 EDR, 4 HDR, 8 NDR; 0: none */
    uint16_t rate_gbps;     /**< data rate of the link, rounded as sysfs does (EDR 4x: 100) */
    uint16_t pkeys;         /**< entries of its P_Key table, PartitionCap */
    uint32_t reregisters;   /**< how often an SM has set ClientReregister: when it grows, clients
                                 register with the SA again */
};

/** Tells about a port.
 * @param port  1..ports; a switch's 0
 * @return 0; WEFT_ERR_INVALID: no such port */
int fabric_port(const struct fabric *f, uint32_t node, uint8_t port, struct fabric_port_info *ret);

/** Copies a port's P_Key table.
 * @param first  first index
 * @param keys   receives the keys, 16 bits each, host order
 * @param count  how many
 * @return 0; WEFT_ERR_INVALID: no such port, or beyond the table */
int fabric_port_pkeys(const struct fabric *f, uint32_t node, uint8_t port, uint16_t first,
                      uint16_t *keys, uint16_t count);

/** What is known of a function of a port: 0 is the physical one (PF), the others are virtual. */
struct fabric_function_info {
    bool smp;          /**< it is a VF that may send SMPs to other nodes */
    uint32_t programs; /**< attached to it */
    uint32_t events;   /**< how often it was told that its P_Key table may have changed */
    bool clashes;      /**< the VF holds what vf_strict forbids, whether that is set or not, */
    uint16_t clash[2]; /**< in these two entries */
};

/** How many functions a port has, the physical one included; 0: no such port. */
uint16_t fabric_functions(const struct fabric *f, uint32_t node, uint8_t port);

/** Tells about a function.
 * @return 0; WEFT_ERR_INVALID: no such port, or it has no such function */
int fabric_function(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                    struct fabric_function_info *ret);

/** Copies the P_Key table that a function sees: of the PF the port's own; unassigned entries are 0.
 * @return 0; WEFT_ERR_INVALID: no such port or function, or beyond the table */
int fabric_function_pkeys(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                          uint16_t first, uint16_t *keys, uint16_t count);

/** Which entry of the port's own P_Key table an entry of a function's is.
 * @return 0; WEFT_ERR_INVALID: no such port, function or entry; WEFT_ERR_NOTFOUND: it is not
 *         assigned */
int fabric_function_entry(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                          uint16_t virt, uint16_t *ret);

/** A program at a port. `v` is 0 for "none". */
struct fabric_attachment {
    uint64_t v; /* slot and generation */
};

/** Transaction ids of an attachment: the upper 32 bits of every request it sends must lie in this
 * range, since answers find their way by them. */
struct fabric_tids {
    uint32_t first, last;
};

/** Attaches a program to a port of a CA or router or to a switch's port 0. A dead node or a link
 * that is down are no obstacle: the program then hears nothing.
 * @param port      the port; 0 picks the first one of a CA that has a cable
 * @param ret       the attachment; also the port picked
 * @param ret_tids  its transaction ids
 * @return 0; WEFT_ERR_INVALID: no such port, or a switch's external one; WEFT_ERR_FULL */
int fabric_attach(struct fabric *f, uint32_t node, uint8_t port, struct fabric_attachment *ret,
                  uint8_t *ret_port, struct fabric_tids *ret_tids);

/** Attaches a program to a function of a port. A VF's program shares the port's LIDs and GIDs, sees
 * the function's P_Key table, and names entries of that when it sends; it cannot Set anything at
 * its own CA, and SMPs to other nodes are dropped unless the command "vf ... smp on" lets it.
 * @param function  0: as fabric_attach()
 * @return as fabric_attach(); WEFT_ERR_NOTFOUND: the port has no such function */
int fabric_attach_function(struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                           struct fabric_attachment *ret, uint8_t *ret_port,
                           struct fabric_tids *ret_tids);

/** Which port a program would be attached to, without attaching one.
 * @param port      as fabric_attach()
 * @param function  as fabric_attach_function()
 * @return 0; WEFT_ERR_INVALID: no such port, or a switch's external one; WEFT_ERR_NOTFOUND: the
 *         port has no such function */
int fabric_pick_port(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                     uint8_t *ret_port);

/** Detaches a program; its agents, its IsSM and what waits for it are gone. What is due by `now`
 * happens first, as in every call that takes a time.
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_CLOCK: time would go back, the program stays */
int fabric_detach(struct fabric *f, weft_time now, struct fabric_attachment id);

/** Which unsolicited MADs an agent takes. */
struct fabric_agent {
    uint8_t qpn;         /**< 0 or 1 */
    uint8_t mgmt_class;  /**< class; 0x01 and 0x81 are claimed apart */
    uint8_t version;     /**< class version */
    uint8_t oui[3];      /**< classes 0x30..0x4f */
    uint64_t methods[2]; /**< bit m is method m, without R */
};

/** Claims unsolicited MADs of the port. What the node's own SMA and PMA answer never comes.
 * @param ret  a number for fabric_agent_remove(), unique within the attachment
 * @return 0; WEFT_ERR_CONFLICT: an agent of this function, of whichever program, has one of the
 *         methods; WEFT_ERR_FULL: 64 agents in one attachment; WEFT_ERR_STALE; WEFT_ERR_INVALID */
int fabric_agent_add(struct fabric *f, struct fabric_attachment id, const struct fabric_agent *want,
                     uint32_t *ret);

/** Gives a claim up.
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_NOTFOUND */
int fabric_agent_remove(struct fabric *f, struct fabric_attachment id, uint32_t agent);

/** Sets or clears IsSM of the attachment's port. The bit is set while any attachment has it set.
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_CLOCK: time would go back, IsSM is as it was */
int fabric_set_issm(struct fabric *f, weft_time now, struct fabric_attachment id, bool on);

/** Sends a MAD from an attachment's port. Directed-route SMPs come as their sender made them (hop
 * pointer 0, or of an answer still one beyond the count): the port takes the first step.
 * What no wire would carry is dropped and counted: as malformed a member with a value that it
 * cannot have (an SL of 16, path bits of 128, an index beyond the GID table), for its P_Key an
 * index beyond the P_Key table.
 * @param p  the packet; copied
 * @return 0: it was dealt with; WEFT_ERR_STALE; WEFT_ERR_CLOCK; WEFT_ERR_INVALID: a request's
 *         transaction id is outside the range, so that its answer would go astray */
int fabric_send(struct fabric *f, weft_time now, struct fabric_attachment id,
                const struct packet *p);

/** A MAD for an attachment. */
struct fabric_delivery {
    struct fabric_attachment to;
    const struct packet *packet; /**< valid until the next call */
};

/** Takes the next MAD for an attachment.
 * @return whether there was one */
bool fabric_poll(struct fabric *f, struct fabric_delivery *ret);

/** Lets time pass: packets arrive, traps are repeated, scripted faults happen. One call does a
 * bounded amount of work: where more is due, fabric_deadline() is not after `now` yet, and the host
 * calls again when it has looked at all else, such as signals. Other calls may come between; what
 * is due is late then.
 * @return 0; WEFT_ERR_CLOCK */
int fabric_advance(struct fabric *f, weft_time now);

/** When fabric_advance() must be called next; WEFT_TIME_NEVER: no need. */
weft_time fabric_deadline(const struct fabric *f);

/** Does what a line of the fault vocabulary says (docs/fabric.md). A line with a time is kept until
 * then.
 * @param line   the line; copied
 * @param error  why not; of a line that was done a remark, or empty
 * @return 0; WEFT_ERR_FORMAT: no such command or a malformed argument; WEFT_ERR_NOTFOUND: it names
 *         a node, port or cable that does not exist; WEFT_ERR_CONFLICT: several nodes have the
 *         name, a port has a cable already, or a VF is not to have this P_Key (vf_strict);
 *         WEFT_ERR_FULL: too many faults or lines waiting; WEFT_ERR_CLOCK */
int fabric_command(struct fabric *f, weft_time now, const char *line, struct fabric_error *error);

/** Whether a line begins with a word of the fault vocabulary. */
bool fabric_is_command(const char *line);

/** Reads a script, one command a line; `#` begins a comment. Nothing is done when a line is wrong.
 * @param ret_line  the line the error is about
 * @return as fabric_command() */
int fabric_script(struct fabric *f, weft_time now, const char *text, size_t bytes,
                  uint32_t *ret_line, struct fabric_error *error);

/** Writes as text what commands have brought about and what is to come: a command a line that would
 * do it again, first what is in force ("node leaf-1 dead", "loss 5% on link leaf-1/3 out"), then
 * the lines that wait, each with the time that is left and the command that takes it back
 * ("in 3.500s (cancel 7): link leaf-1/3 up"). Names are quoted and escaped as commands want them,
 * so the text is safe to print.
 * @param text   receives at most bytes-1 bytes and a final 0; NULL when bytes is 0
 * @return the bytes of the whole text without the final 0: call again with more room */
size_t fabric_faults_text(const struct fabric *f, char *text, size_t bytes);

/** Where a tap sees a packet. */
enum fabric_tap_point {
    FABRIC_TAP_SENT,      /**< it left the port of an attachment, an SMA, a PMA */
    FABRIC_TAP_DELIVERED, /**< it arrived where it was to go */
    FABRIC_TAP_DROPPED    /**< it was lost; `reason` says why */
};

/** What a tap is told. */
struct fabric_tap {
    weft_time now;
    enum fabric_tap_point point;
    uint32_t node; /**< where */
    uint8_t port;
    const char *reason; /**< FABRIC_TAP_DROPPED: a word, for example "vl15-full"; else NULL */
    const struct packet *packet;
};

/** Sets a pure observer; NULL ends it. */
void fabric_set_tap(struct fabric *f, void (*tap)(void *ctx, const struct fabric_tap *t),
                    void *ctx);

/** What the fabric has done; all but the first group only grow. */
struct fabric_stats {
    uint32_t attachments; /**< programs attached */
    uint32_t flights;     /**< packets under way */
    uint32_t faults;      /**< faults in force, as fabric_faults_text() lists them */
    uint32_t scheduled;   /**< scripted lines still to come */
    uint32_t traps;       /**< traps being repeated */

    uint64_t sent;              /**< packets sent by attachments */
    uint64_t delivered;         /**< packets given to attachments */
    uint64_t answered;          /**< requests answered by SMAs and PMAs */
    uint64_t hops;              /**< links crossed */
    uint64_t traps_sent;        /**< traps sent, repetitions included */
    uint64_t dropped_lost;      /**< by a scripted loss or corruption */
    uint64_t dropped_link;      /**< at a link or node that is down */
    uint64_t dropped_route;     /**< no route, a loop, a bad hop of a directed route */
    uint64_t dropped_queue;     /**< a full queue: VL15, GSI, flights, deliveries */
    uint64_t dropped_key;       /**< M_Key, P_Key or Q_Key did not fit, or a VF's SMP */
    uint64_t dropped_unclaimed; /**< nobody took it, or it was malformed */
    uint64_t refused;           /**< lines that found no room, or not the cables, or that vf_strict
                                     forbids */
};

/** Reads the counters. */
void fabric_stats(const struct fabric *f, struct fabric_stats *ret);

#endif
