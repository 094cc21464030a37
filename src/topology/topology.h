/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A fabric's topology as ibnetdiscover prints it and ibsim reads it: the model, the tolerant
 * reader, the writer, lint, diff and the generators.
 *
 * The model is plain data, meant to be read directly; it never changes after it was made. Numbers
 * are in host byte order. A node is known by its GUID; only where a file gives names in place of
 * GUIDs (ibsim) the quoted id stands in for it. Node descriptions identify nothing.
 */
#ifndef WEFT_TOPOLOGY_H
#define WEFT_TOPOLOGY_H

#include <weft/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** No node or no port, where an index is expected. */
#define TOPO_NONE               UINT32_MAX
/** The bytes of a node's name and its final 0: NodeDescription has 64 (IBA 14.2.5.2). */
#define TOPO_NAME_BYTES         65
/** The largest port number of a node (NodeInfo:NumPorts, 255 is reserved). */
#define TOPO_PORT_NUM_MAX       254
/** Unicast LIDs are 1 to this (IBA 4.1.1); a subnet cannot have more. */
#define TOPO_LID_UNICAST_MAX    0xBFFF
/** Longer lines are refused. */
#define TOPO_LINE_BYTES_MAX     65536
/** Larger inputs are refused: four times what 50,000 hosts need. */
#define TOPO_INPUT_BYTES_MAX    ((uint64_t)128 << 20)
/** More nodes are refused. */
#define TOPO_NODES_MAX          200000
/** More port lines are refused. */
#define TOPO_PORTS_MAX          2000000
/** Ignored lines kept with their text; further ones are only counted. */
#define TOPO_IGNORED_KEPT_MAX   65536
/** The bytes kept of an ignored line. */
#define TOPO_IGNORED_TEXT_BYTES 96
/** Findings kept; further ones are only counted. */
#define TOPO_FINDINGS_MAX       100000
/** Space for any text that topo_node_label() makes. */
#define TOPO_LABEL_BYTES        192
/** The largest number of hosts a generator makes. */
#define TOPO_GENERATE_HOSTS_MAX 50000
/** In topo_hops(): no path. */
#define TOPO_UNREACHABLE        UINT16_MAX

/** What a node is. */
enum topo_node_type {
    TOPO_SWITCH, /**< forwards packets */
    TOPO_CA,     /**< a channel adapter: a host, a storage target, an aggregation node */
    TOPO_ROUTER  /**< joins subnets; ends a subnet's paths as a CA does */
};

/** What is said of a switch's port 0. */
enum topo_port0 {
    TOPO_PORT0_UNKNOWN,
    TOPO_PORT0_BASE,
    TOPO_PORT0_ENHANCED
};

/** One node. */
struct topo_node {
    uint64_t guid;        /**< 0 when the input gives none */
    uint64_t sysimg_guid; /**< 0 when the input gives none */
    const char *id;       /**< the quoted id where it is no GUID (ibsim), else NULL; owned */
    uint32_t vendor_id;   /**< 0 when the input gives none */
    uint32_t device_id;   /**< 0 when the input gives none */
    uint32_t line;        /**< where its stanza begins; 0 for a generated node */
    uint32_t first_port;  /**< its first record in topo.ports; they are sorted by number */
    uint16_t port_count;  /**< records there: the ports that have a cable */
    uint16_t lid;         /**< switch: LID of port 0; 0 is none. Other nodes: see their ports */
    uint8_t lmc;          /**< switch: LMC of port 0 */
    uint8_t num_ports;    /**< ports that it has; the largest seen where the input gives none */
    enum topo_node_type type;
    enum topo_port0 port0;
    bool aggregation;           /**< a SHARP aggregation node inside a switch, not a host */
    bool declared;              /**< false: only seen as the far end of somebody's link */
    char name[TOPO_NAME_BYTES]; /**< NodeDescription, verbatim; "" when the input gives none */
};

/** One port that has a cable. */
struct topo_port {
    uint64_t guid;      /**< port GUID; 0 when the input gives none */
    uint32_t node;      /**< whose port */
    uint32_t peer_node; /**< who is at the other end */
    /** The other end's record, or TOPO_NONE when the other end names another cable. A link exists
     * where this is set; the other record then points back here. */
    uint32_t peer_port;
    uint32_t line;     /**< 0 when generated */
    uint16_t lid;      /**< CA and router: base LID of this port; 0 is none */
    uint16_t peer_lid; /**< what this end says the other's LID is; 0 is none */
    uint8_t num;       /**< 1..254 */
    uint8_t peer_num;  /**< 1..254 */
    uint8_t lmc;       /**< CA and router: LMC of this port */
    bool implied;      /**< the input has no line for this end; it follows from the other end's */
    char width[8];     /**< "4x", "2x", "??": the word as written, cut to fit; "" is unsaid */
    char speed[16];    /**< "EDR", "???", "53": the word as written, cut to fit; "" is unsaid */
};

/** What lint finds wrong with a topology, and what diff finds changed. */
enum topo_kind {
    TOPO_ONE_SIDED_LINK,     /**< only one end has a line for the cable */
    TOPO_CONTRADICTING_LINK, /**< the two ends, or two lines of one port, name different cables */
    TOPO_WIDTH_MISMATCH,     /**< the ends give different widths */
    TOPO_SPEED_MISMATCH,     /**< the ends give different speeds */
    TOPO_SELF_LINK,          /**< a cable from a node to itself */
    TOPO_UNREACHABLE_PART,   /**< nodes without a path to the largest part */
    TOPO_DUPLICATE_GUID,     /**< a GUID, or a name that stands for one, is given twice */
    TOPO_DUPLICATE_LID,      /**< LID ranges overlap */
    TOPO_LID_MISMATCH,       /**< the ends give different LIDs for one port */
    TOPO_LID_RANGE,          /**< no unicast LID, or a range that the LMC does not allow */
    TOPO_PORT_RANGE,         /**< a port number beyond the node's ports */
    TOPO_GUID_MISMATCH,      /**< one node or port is given two GUIDs */
    TOPO_NODE_REMOVED,       /**< diff: a node is gone */
    TOPO_NODE_ADDED,         /**< diff: a node is new */
    TOPO_NODE_CHANGED,       /**< diff: a node has another name, type, LID or number of ports */
    TOPO_STANZA_REMOVED,     /**< diff: a node lost its stanza, others still name it */
    TOPO_STANZA_ADDED,       /**< diff: a node that others named has a stanza now */
    TOPO_LINK_REMOVED,       /**< diff: a cable is gone */
    TOPO_LINK_ADDED,         /**< diff: a cable is new */
    TOPO_LINK_CHANGED,       /**< diff: a link has another width or speed */
    TOPO_LINK_MOVED,         /**< diff: one end of a cable is where it was, the other is not */
    TOPO_KINDS
};

/** One thing that is wrong, or changed. */
struct topo_finding {
    uint32_t line; /**< where; 0 when no line says it */
    enum topo_kind kind;
    char *text; /**< a sentence without full stop, safe to print: control characters and what is no
                     UTF-8 are escaped; owned by the list */
};

/** A list of findings. */
struct topo_findings {
    struct topo_finding *items;
    size_t count;   /**< items in the list */
    size_t space;   /**< items that fit */
    size_t dropped; /**< further ones, not kept */
};

/** An input line that contributed nothing to the model. */
struct topo_ignored {
    uint32_t line;
    char text[TOPO_IGNORED_TEXT_BYTES]; /**< its beginning, verbatim: not safe to print */
};

/** A topology. Members are for reading. */
struct topo {
    struct topo_node *nodes; /**< declared ones in the order of the input, then the others */
    struct topo_port *ports; /**< by node, then by number */
    uint32_t node_count;
    uint32_t port_count;
    uint32_t *hosts; /**< the nodes that are CAs but no aggregation nodes */
    uint32_t host_count;
    uint32_t switch_count; /**< of the declared nodes */
    uint32_t ca_count;     /**< of the declared nodes, aggregation nodes included */
    uint32_t router_count; /**< of the declared nodes */
    uint32_t link_count;   /**< cables whose two ends do not contradict, one-sided ones included */
    uint32_t *by_guid;     /**< nodes that have a GUID, sorted by it; for topo_find_guid() */
    uint32_t by_guid_count;
    struct topo_findings findings; /**< what the reader found wrong; topo_lint() finds the rest */
    struct topo_ignored *ignored;
    size_t ignored_kept;  /**< records there */
    size_t ignored_count; /**< lines ignored; may be more */
};

/** Why there is no topology. */
struct topo_error {
    uint32_t line;  /**< of the input; 0 when it is not about a line */
    char text[256]; /**< a sentence without full stop that names the thing and what to try */
};

/** Reads a topology from a file.
 * @param path   a file's name, or "-" for standard input
 * @param ret    the topology, to be given to topo_free(); written only on success
 * @param error  why not; written only on failure
 * @return 0; WEFT_ERR_NOTFOUND: there is no such file, or it cannot be read to its end;
 *         WEFT_ERR_FORMAT: the input is no topology; WEFT_ERR_FULL: it is larger than the limits
 *         above; WEFT_ERR_NOMEM */
int topo_read_file(const char *path, struct topo **ret, struct topo_error *error);

/** Reads a topology from memory, as topo_read_file() does.
 * @param text   the bytes, not kept
 * @param bytes  how many */
int topo_parse(const char *text, size_t bytes, struct topo **ret, struct topo_error *error);

/** Makes a topology from a generator's text: `fat-tree:hosts=N,radix=K`,
 * `torus:x=N,y=N,z=N,hosts=N` or `dragonfly:a=N,p=N,h=N,g=N` (see generate.c for what each means).
 * @param spec   the text
 * @param ret    as topo_read_file()
 * @param error  as topo_read_file()
 * @return 0; WEFT_ERR_INVALID: the text or a number in it is wrong; WEFT_ERR_NOMEM */
int topo_generate(const char *spec, struct topo **ret, struct topo_error *error);

/** True when a text begins with a generator's name: topo_load_spec() will not look for a file. */
bool topo_spec_is_generator(const char *spec);

/** Reads a file or runs a generator: what `--topology FILE|GEN` means.
 * @param spec   a generator's text, "-" or a file's name
 * @param ret    as topo_read_file()
 * @param error  as topo_read_file()
 * @return as topo_read_file() and topo_generate() */
int topo_load_spec(const char *spec, struct topo **ret, struct topo_error *error);

/** Frees a topology; NULL is fine.
 * @return NULL */
struct topo *topo_free(struct topo *t);

/** Finds a node.
 * @return its index; TOPO_NONE when there is none */
uint32_t topo_find_guid(const struct topo *t, uint64_t guid);

/** Finds the record of a port that has a cable.
 * @return its index; TOPO_NONE when there is none */
uint32_t topo_find_port(const struct topo *t, uint32_t node, uint8_t num);

/** Counts the links on the shortest path from one node to every node. Only switches forward.
 * @param t         a topology
 * @param from      the node to start from
 * @param ret_hops  node_count numbers: 0 for `from` itself, TOPO_UNREACHABLE without a path
 * @return 0, WEFT_ERR_INVALID when there is no such node, WEFT_ERR_NOMEM */
int topo_hops(const struct topo *t, uint32_t from, uint16_t *ret_hops);

/** Describes a node for people: `Switch 0008f10400410015 "leaf 1"`.
 * @param node  a node
 * @param ret   the text, the name verbatim: not safe to print */
void topo_node_label(const struct topo_node *node, char ret[TOPO_LABEL_BYTES]);

/** Writes a topology in ibnetdiscover's format, so that reading it gives the same topology.
 * Every end is written as it was read; ibsim refuses a file with one-sided or contradicting links,
 * which topo_lint() shows.
 * @return false: the stream failed, errno tells why */
bool topo_write(const struct topo *t, FILE *out);

/** The same of a fabric that was swept, where vendor and device are known, be they 0; without the
 * comment at the top, for there is more to say there. */
bool topo_write_found(const struct topo *t, FILE *out);

/** True when two topologies say the same of the same nodes in the same order. Line numbers,
 * ignored lines and findings do not count, nor does an id where the GUID is known. */
bool topo_equal(const struct topo *a, const struct topo *b);

/** Finds what is wrong with a topology.
 * @param t    a topology
 * @param ret  the findings, the reader's included; give it to topo_findings_free(). Written only
 *             on success
 * @return 0 or WEFT_ERR_NOMEM */
int topo_lint(const struct topo *t, struct topo_findings *ret);

/** Finds what changed from one topology to another. Nodes are the same when their GUIDs are; LIDs
 * do not count.
 * @param old  a topology
 * @param new  the later one
 * @param ret  nodes, then cables that are gone, then cables that are new, moved or changed; a
 * finding's line is in `old` for what is gone and in `new` for all else. Give it to
 * topo_findings_free(). Written only on success
 * @return 0 or WEFT_ERR_NOMEM */
int topo_diff(const struct topo *old, const struct topo *new, struct topo_findings *ret);

/** As topo_diff(), and LIDs count: those of switches and of the ports of other nodes. */
int topo_diff_with_lids(const struct topo *old, const struct topo *new, struct topo_findings *ret);

/** Frees the items of a list and leaves it empty; NULL is fine. */
void topo_findings_free(struct topo_findings *list);

/** The word for a kind, as `weft topology lint` prints it, for example "one-sided-link". */
const char *topo_kind_name(enum topo_kind kind);

/** The word for a type as a stanza begins: "Switch", "Ca" or "Rt". */
const char *topo_type_name(enum topo_node_type type);

#endif
