/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The MAD engine: one InfiniBand port's management datagrams, as a machine without I/O or clock.
 *
 * A port owns QP0 (subnet management) and QP1 (general services). Agents register classes and
 * methods, post MADs and get events back. The engine does what the Linux MAD layer does: it matches
 * responses with requests, retries, limits what is outstanding, and segments and reassembles RMPP.
 *
 * Calls return at once and never call back (but for the pure trace observer). One thread at a time
 * uses a port. The host feeds and drains it in this order, and sleeps until weft_mad_deadline():
 *
 *     now = clock();                            the only clock read
 *     while (packet arrived)  weft_mad_rx();    first what has arrived,
 *     while (packet sent)     weft_mad_tx_done();
 *     weft_mad_advance();                       then timers, so no answer loses to its own timeout
 *     while (weft_mad_poll_tx())     send it;   then drain both queues until they are empty
 *     while (weft_mad_poll_event())  act on it;
 *
 * A SEND_DONE is queued in the call that finds out how the send ended, which may be
 * weft_mad_poll_tx(): a packet that is due when its send is answered or given up is skipped there.
 *
 * Pointers must not be NULL unless their text says so.
 * Addresses, times and lengths are in host byte order; MADs are 256 bytes as on the wire.
 * All memory is taken in weft_mad_port_new(); later calls answer WEFT_ERR_FULL at a limit.
 * Deliberate differences from the Linux MAD layer are listed in docs/compat.md.
 */
#ifndef WEFT_MAD_H
#define WEFT_MAD_H

#include <weft/base.h>
#include <weft/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_trace_event;

/** One port with QP0 and QP1. */
struct weft_mad_port;

/** An agent of one port. `v` is 0 for "none"; other values are opaque. */
typedef struct {
    uint64_t v; /**< slot and generation */
} weft_mad_agent_id;

/** A posted send, valid until its SEND_DONE event was polled. `v` is 0 for "none". */
typedef struct {
    uint64_t v; /**< slot and generation */
} weft_mad_send_id;

/** A received MAD, valid until weft_mad_recv_release(). `v` is 0 for "none". */
typedef struct {
    uint64_t v; /**< slot and generation */
} weft_mad_recv_id;

/** One packet handed to the host by weft_mad_poll_tx(), valid until weft_mad_tx_done(). */
typedef struct {
    uint64_t v; /**< slot and generation */
} weft_mad_tx_id;

/** A global route header (IBA 8.3). */
struct weft_mad_grh {
    uint8_t sgid[16];      /**< source GID, as on the wire */
    uint8_t dgid[16];      /**< destination GID, as on the wire */
    uint32_t flow_label;   /**< 20 bits; carried, not checked */
    uint8_t traffic_class; /**< traffic class */
    uint8_t hop_limit;     /**< hop limit */
    uint8_t sgid_index;    /**< index of sgid in the port's GID table; carried, not interpreted */
};

/** The far end of a packet: where a send goes, or where a received MAD came from. */
struct weft_mad_addr {
    uint16_t lid;            /**< LID of the far end */
    uint8_t sl;              /**< service level, 0..15 */
    uint8_t path_bits;       /**< low LMC bits of our own LID; not checked at post */
    uint32_t qpn;            /**< QP number of the far end, 24 bits */
    uint32_t qkey;           /**< Q_Key; 0 on QP0 */
    uint16_t pkey_index;     /**< index in our P_Key table */
    bool has_grh;            /**< whether grh is meaningful */
    struct weft_mad_grh grh; /**< route header; in a received one sgid is the sender's */
};

/** How long to wait before a retry. */
enum weft_mad_retry_kind {
    WEFT_MAD_RETRY_FIXED,  /**< every wait is the send's timeout */
    WEFT_MAD_RETRY_BACKOFF /**< the wait grows, randomized; see struct weft_mad_retry */
};

/** What ends a send that gets no answer. */
enum weft_mad_retry_bound {
    WEFT_MAD_BOUND_RETRIES, /**< the number of retries: exactly `retries` further packets */
    WEFT_MAD_BOUND_TIME /**< the time spent waiting after retries; the number is not looked at */
};

/** What a response with status BUSY (0x0001) is. */
enum weft_mad_busy {
    WEFT_MAD_BUSY_NO_REPLY, /**< as if nothing had arrived: the timeout drives the retry */
    WEFT_MAD_BUSY_DELIVER   /**< an answer like any other: delivered, and it completes the send */
};

/** A set of management classes: bit c of the 256 bits is class c. */
struct weft_mad_classes {
    uint64_t bits[4]; /**< class c is bit (c % 64) of bits[c / 64] */
};

/** One retry policy. It may be given for a port, an agent or one send; the narrowest one given
 * counts, unless the port's is forced on everybody (weft_mad_port_set_retry()).
 *
 * Wait number 0 (after the first packet) is the send's timeout. With BACKOFF the wait after retry
 * k (k = 1, 2, ...) is timeout + min(base_ns << (k-1), cap_ns) - r, where r is drawn uniformly
 * from 0..jitter_ns, both ends included. With the defaults (511 ms, 511 ms) the addition lies in
 * 0..511, 511..1022, 1533..2044, 3577..4088 ms for k = 1, 2, 3, 4. The shift cannot overflow: the
 * value stays at cap_ns once it got there.
 *
 * With BOUND_TIME the waits after retries draw on a budget that is fixed at post: total_ns, or
 * timeout * retries when that is 0. A wait longer than what is left is cut to it; without budget
 * there is no retry.
 *
 * Waits of RMPP segments for their ACK are not randomized (they have their own timer).
 * Classes outside `classes` are treated as FIXED, BOUND_RETRIES and BUSY_DELIVER. */
struct weft_mad_retry {
    enum weft_mad_retry_kind kind;   /**< default FIXED */
    enum weft_mad_retry_bound bound; /**< default BOUND_RETRIES */
    enum weft_mad_busy busy;         /**< default BUSY_NO_REPLY */
    weft_time base_ns;               /**< default 511 ms; at most 1 hour */
    weft_time jitter_ns;             /**< default 511 ms; at most base_ns */
    weft_time cap_ns;                /**< default 65,408 ms (base << 7); base_ns..1 hour */
    weft_time total_ns;              /**< default 0: timeout * retries */
    struct weft_mad_classes classes; /**< default: all but subnet management (0x01, 0x81) */
};

/** Fills in the default policy.
 * @param ret  where it goes; must not be NULL */
void weft_mad_retry_init(struct weft_mad_retry *ret);

/** "An eighth of recv_depth", for fields that say so. */
#define WEFT_MAD_EIGHTH UINT32_MAX

/** What limits the requests outstanding. The three settings are independent; a send leaves its
 * backlog when all that apply to it allow it. A send is outstanding from the moment it is due for
 * transmission until its answer, its failure or its cancellation.
 *
 * A new send of one backlog never overtakes an older one, and a retry queues behind them. The
 * backlog is per agent, or, with `adaptive`, per agent and destination; those that wait for the
 * same thing take turns. */
struct weft_mad_flow {
    bool agent_limits; /**< default true: limits of the Linux MAD layer, per agent: CM and agents
                            without a registration recv_depth/4, SA recv_depth/32, subnet
                            management min(recv_depth, 512)/4, others none. They apply to sends of
                            these classes with a timeout that are not RMPP. */
    bool port_budget;  /**< default false: over all agents, requests outstanding plus buffers held
                            never exceed recv_depth, and reserve buffers are left for unsolicited
                            MADs: answers to own requests always find a buffer */
    bool adaptive;     /**< default false: a window per destination that grows with answers and
                            halves on timeout and BUSY; directed-route SMPs are exempt */
    uint32_t reserve;  /**< receive buffers kept for unsolicited MADs, below recv_depth; default
                            WEFT_MAD_EIGHTH: recv_depth/8 */
    uint32_t peers; /**< default 64: destinations whose window is remembered (up to 2^20); when all
                       are in use further ones go without a window, and are counted */
    uint32_t window_initial; /**< default 4; 1..window_max */
    uint32_t window_max;     /**< default 64; 1..65535. The smallest window is 1 */
};

/** RMPP limits and timers (IBA 13.6). */
struct weft_mad_rmpp {
    uint32_t window;      /**< segments granted at a time, 1..1024; default WEFT_MAD_EIGHTH:
                               recv_depth/8 */
    uint32_t transfers;   /**< default 32: incoming transfers known at one time, 1..2^20 */
    uint64_t bytes_max;   /**< default 1 MiB, up to 2^32 - 2^20: memory for incoming segments, all
                               transfers together, in blocks of about 7 kB; less than one block
                               refuses every message of more than one segment */
    weft_time ack_ns;     /**< default 2 s: longest wait for an ACK; not 0. Each window in which a
                               packet is lost may cost one such wait, which counts against
                               receive_ns: shorten it where packets get lost */
    weft_time receive_ns; /**< default 40 s: a transfer not complete by then is aborted; not 0 */
    weft_time keep_ns;    /**< default 10 s: a finished transfer is remembered, to repeat its ACK;
                               until then another one of the same peer, class, method and
                               transaction id is taken for a repetition: do not use an id of an
                               answer in segments again towards the same peer */
};

/** A pure observer: sees each step of the engine, must not call into it.
 * @param ctx  weft_mad_config.trace_ctx
 * @param ev   valid during the call */
typedef void (*weft_mad_trace_fn)(void *ctx, const struct weft_trace_event *ev);

/** Everything a port is made from. Fill it with weft_mad_config_init(), then change fields. */
struct weft_mad_config {
    size_t size;         /**< sizeof(struct weft_mad_config), set by weft_mad_config_init() */
    uint64_t seed;       /**< default 1: seed of the jitter generator */
    uint8_t port_number; /**< default 1: number of this port on its channel adapter, 1..254 */
    uint32_t agents;     /**< default 32: agents at one time; 1..65535 */
    uint32_t tid_first;  /**< default 1: the upper halves of the agents' transaction ids are drawn
                              from tid_first..tid_last; at least 1 */
    uint32_t tid_last;   /**< default 0xffffff, the most it may be; there must be as many as agents.
                              Where several ports share a LID, give each its own range */
    uint32_t sends;      /**< default 1024: sends at one time, QUEUED ones included; 1..2^24 */
    uint32_t recv_depth; /**< default 512: receive buffers; clamped to 64..8192 */
    uint32_t send_depth; /**< default 128: packets the host may hold per QP, further ones wait in
                              the overflow list; clamped to 64..8192 */
    bool hops_by_host;   /**< default false; true: what carries the packets follows the hop rules of
                              directed-route SMPs. They go out exactly as posted, those to the own
                              node too, and one that arrives has arrived */
    struct weft_mad_classes device; /**< default none: unsolicited MADs of these classes are offered
                                       to the host as DEVICE events before any agent */
    weft_time queue_timeout;        /**< default WEFT_TIME_NEVER: longest stay in a backlog */
    struct weft_mad_retry retry;    /**< the port's retry policy */
    struct weft_mad_flow flow;      /**< flow control */
    struct weft_mad_rmpp rmpp;      /**< RMPP limits and timers */
    weft_mad_trace_fn trace;        /**< default NULL: no observer */
    void *trace_ctx;                /**< handed to trace */
};

/** Fills in every default. Use the macro weft_mad_config_init(), which passes the size.
 * @param ret   where the defaults go
 * @param size  sizeof(struct weft_mad_config) of the program
 * @return 0; WEFT_ERR_INVALID when this library does not know a structure of that size: the program
 *         was built against another version */
int weft_mad_config_init_sized(struct weft_mad_config *ret, size_t size);
/** Fills in every default of a struct weft_mad_config. */
#define weft_mad_config_init(ret) weft_mad_config_init_sized((ret), sizeof(*(ret)))

/** How many bytes weft_mad_port_new() will take for this configuration.
 * @param c           a filled-in configuration
 * @param ret_total   all bytes of the port
 * @param ret_send    bytes that each entry of c->sends accounts for; may be NULL
 * @return 0; WEFT_ERR_INVALID as weft_mad_port_new() */
int weft_mad_port_bytes(const struct weft_mad_config *c, uint64_t *ret_total, uint32_t *ret_send);

/** Makes a port. It has LID 0, LMC 0 and no agents.
 * @param c    configuration; copied
 * @param a    where memory comes from, copied; NULL means malloc and free
 * @param ret  the port; give it back with weft_mad_port_free()
 * @return 0; WEFT_ERR_INVALID: a field is out of its range, or `size` is not this library's;
 *         WEFT_ERR_NOMEM: the allocator gave nothing */
int weft_mad_port_new(const struct weft_mad_config *c, const struct weft_alloc *a,
                      struct weft_mad_port **ret);

/** Frees a port with all it holds; nothing is reported for sends still outstanding, and their
 * buffers are no longer borrowed.
 * @param p  a port or NULL
 * @return NULL */
struct weft_mad_port *weft_mad_port_free(struct weft_mad_port *p);

/** Tells the port its address: used to check that a response was sent to the path it was asked on.
 * @param p         the port
 * @param base_lid  its base LID, 0 while it has none
 * @param lmc       its LID mask control, 0..7
 * @return 0; WEFT_ERR_INVALID: lmc above 7, or base_lid is not a unicast LID or 0 */
int weft_mad_port_set_lid(struct weft_mad_port *p, uint16_t base_lid, uint8_t lmc);

/** Changes the port's retry policy; it counts from the next wait of every send on.
 * @param p      the port
 * @param r      the policy; copied
 * @param force  true: it replaces the policies of agents and sends as well
 * @return 0; WEFT_ERR_INVALID: a field is out of its range */
int weft_mad_port_set_retry(struct weft_mad_port *p, const struct weft_mad_retry *r, bool force);

/** An agent to register. Start from zeroes. */
struct weft_mad_agent_req {
    uint8_t qpn;           /**< 0 (subnet management classes) or 1 (all others) */
    uint8_t mgmt_class;    /**< class, 0x81 and 0x01 are separate */
    uint8_t class_version; /**< class version, below 0x83 */
    uint8_t oui[3];        /**< vendor range 2 (0x30..0x4f): the vendor; else ignored */
    uint8_t rmpp_version;  /**< 0, or 1: the engine does RMPP for this agent */
    bool user_rmpp;        /**< with rmpp_version 1: segments are passed through as they are */
    bool send_only;        /**< no registration: class, version, OUI and methods are not looked at,
                                unsolicited MADs never come here */
    bool no_recv;        /**< with send_only: answers are not delivered either (and not limited): no
                              answer ends a send with a timeout before its TIMEOUT */
    uint64_t methods[2]; /**< unsolicited methods owned, bit m is method m (R bit stripped); may be
                              empty: an agent for requests only */
    const struct weft_mad_retry *retry; /**< NULL: as the port; copied */
};

/** Registers an agent.
 * @param p    the port
 * @param r    what it wants
 * @param ret  its id
 * @return 0; WEFT_ERR_INVALID: a rule on class, version, OUI, QP, RMPP or policy is violated;
 *         WEFT_ERR_CONFLICT: another agent owns one of the methods: ask for others, or remove it;
 *         WEFT_ERR_FULL: no agent slot is left, or the class and version have eight OUIs already
 *         (source: IBA 13.5, Linux ib_register_mad_agent) */
int weft_mad_agent_add(struct weft_mad_port *p, const struct weft_mad_agent_req *r,
                       weft_mad_agent_id *ret);

/** Removes an agent. The id is stale at once and nothing more is received for it; each of its sends
 * still gets its SEND_DONE with WEFT_MAD_FLUSHED: those waiting for an answer, in a backlog or with
 * the own device in this call, those whose packet is with the host when that comes back, those
 * whose packet is due when weft_mad_poll_tx() skips it.
 * @param p    the port
 * @param now  the time
 * @param id   the agent
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_CLOCK */
int weft_mad_agent_remove(struct weft_mad_port *p, weft_time now, weft_mad_agent_id id);

/** The upper half of the agent's transaction ids. The engine writes it into every request.
 * @param p    the port
 * @param id   the agent
 * @param ret  1..0xffffff
 * @return 0; WEFT_ERR_STALE */
int weft_mad_agent_tid(const struct weft_mad_port *p, weft_mad_agent_id id, uint32_t *ret);

/** A MAD to send. Start from zeroes. */
struct weft_mad_send_req {
    weft_mad_agent_id agent; /**< who sends */
    struct weft_mad_addr to; /**< where to; its qkey and pkey_index are carried as they are */
    const void *data;  /**< the MAD: borrowed, unchanged, until its SEND_DONE is polled. An RMPP
                            message has the class header once, then all its data; its owner sets
                            the flag Active, the engine everything else in the RMPP header */
    uint32_t len;      /**< bytes in data: 24 (36 for classes with RMPP) up to 256, more for RMPP;
                            missing bytes go out as zeroes */
    weft_time timeout; /**< wait for the answer, counted from tx_done; 0: no answer is expected. An
                            answer in many segments must be there whole by then */
    uint8_t retries; /**< further packets when no answer comes; of an RMPP message, for each window:
                          progress fills them up again */
    weft_time queue_timeout;            /**< longest stay in a backlog; 0: the port's */
    const struct weft_mad_retry *retry; /**< NULL: as the agent; borrowed until SEND_DONE */
    uint64_t user_data;                 /**< comes back in the events */
};

/** Takes a MAD for sending. In a request (IBA 13.4.5: R bit clear, not TrapRepress) the upper half
 * of the transaction id becomes the agent's; in a response it is left alone. A directed-route SMP
 * to the own node (hop count 0) never goes out: the device or an agent of this port gets it
 * (unless the configuration says hops_by_host).
 * @param p    the port
 * @param now  the time
 * @param r    the MAD
 * @param ret  its id; may be NULL
 * @return 0: accepted, exactly one SEND_DONE will follow;
 *         WEFT_ERR_INVALID: length, header or address break a rule (base version, class not of this
 *         agent's QP, RMPP Active without an RMPP class, directed-route hops, unusable policy);
 *         WEFT_ERR_STALE: no such agent;
 *         WEFT_ERR_FULL: all sends are in use: drain events, or configure more;
 *         WEFT_ERR_CONFLICT: a request with this transaction id and class is outstanding: use
 * another id; or a response with them is on its way to the same destination, so that the repeated
 *         request which it answers needs no second one;
 *         WEFT_ERR_CLOCK */
int weft_mad_post(struct weft_mad_port *p, weft_time now, const struct weft_mad_send_req *r,
                  weft_mad_send_id *ret);

/** Gives up a send. Its SEND_DONE says WEFT_MAD_FLUSHED, even when the answer was already
 * delivered. It comes at the next weft_mad_advance() when the send was waiting for an answer or in
 * a backlog, when its packet comes back from the host, or, when that is only due, as soon as
 * weft_mad_poll_tx() skips it; no deadline tells of the last two.
 * @param p    the port
 * @param now  the time
 * @param id   the send
 * @return 0; WEFT_ERR_STALE: reported already; WEFT_ERR_STATE: canceled or finished already (its
 *         SEND_DONE is on the way), or it is with the own device; WEFT_ERR_CLOCK */
int weft_mad_cancel(struct weft_mad_port *p, weft_time now, weft_mad_send_id id);

/** Changes the timeout of a send. When it waits for its answer the wait starts anew; otherwise the
 * value counts from the next wait on; after the answer has come it has no effect.
 * @param p        the port
 * @param now      the time
 * @param id       the send
 * @param timeout  the new timeout, more than 0 (to give up, call weft_mad_cancel())
 * @return 0; WEFT_ERR_INVALID: timeout is 0, or the send expects no answer; WEFT_ERR_STALE and
 *         WEFT_ERR_STATE as weft_mad_cancel(); WEFT_ERR_CLOCK */
int weft_mad_set_timeout(struct weft_mad_port *p, weft_time now, weft_mad_send_id id,
                         weft_time timeout);

/** The states of a send. */
enum weft_mad_state {
    WEFT_MAD_INIT,       /**< being built */
    WEFT_MAD_QUEUED,     /**< held back by flow control, in a backlog */
    WEFT_MAD_SEND_START, /**< due for transmission or with the host */
    WEFT_MAD_WAIT_RESP,  /**< sent; the answer (or an RMPP ACK) is awaited */
    WEFT_MAD_EARLY_RESP, /**< the answer came before the packet's tx_done */
    WEFT_MAD_CANCELED,   /**< given up, not reported yet */
    WEFT_MAD_LOCAL,      /**< a directed-route SMP to the own node, with the device */
    WEFT_MAD_DONE        /**< finished; its SEND_DONE is in the event queue */
};
/** Number of states. */
#define WEFT_MAD_STATES 8

/** The state's name, for example "WAIT_RESP".
 * @param s  a state
 * @return a constant string; "?" for another value */
const char *weft_mad_state_name(enum weft_mad_state s);

/** Asks for the state of a send.
 * @param p    the port
 * @param id   the send
 * @param ret  its state
 * @return 0; WEFT_ERR_STALE: its SEND_DONE was polled */
int weft_mad_send_state(const struct weft_mad_port *p, weft_mad_send_id id,
                        enum weft_mad_state *ret);

/** A packet that arrived at the port. Start from zeroes. */
struct weft_mad_rx {
    uint8_t qpn;               /**< the QP it arrived at, 0 or 1 */
    uint16_t dlid;             /**< the LID it was sent to */
    struct weft_mad_addr from; /**< where it came from */
    const void *data;          /**< the MAD; read during the call only */
    uint32_t len;              /**< its bytes */
};

/** What became of a received packet. */
enum weft_mad_verdict {
    WEFT_MAD_ACCEPTED,       /**< delivered, answered, or used by RMPP */
    WEFT_MAD_BUSY_HELD,      /**< a BUSY answer, taken as no reply */
    WEFT_MAD_DROP_MALFORMED, /**< not 256 bytes, base version not 1, or a method its class has not
                              */
    WEFT_MAD_DROP_QP,        /**< the class does not belong on this QP */
    WEFT_MAD_DROP_UNMATCHED, /**< a response that no send waits for */
    WEFT_MAD_DROP_NO_AGENT,  /**< an unsolicited MAD that no agent takes */
    WEFT_MAD_DROP_HOPS,      /**< a directed-route SMP that ends elsewhere */
    WEFT_MAD_DROP_RMPP, /**< a segment received before (it may be acknowledged again), or a segment,
                             ACK, STOP or ABORT that fits no transfer or is refused */
    WEFT_MAD_DROP_NO_BUFFER /**< no receive buffer was free */
};
/** Number of verdicts. */
#define WEFT_MAD_VERDICTS 9

/** The verdict's name, for example "DROP_UNMATCHED".
 * @param v  a verdict
 * @return a constant string; "?" for another value */
const char *weft_mad_verdict_name(enum weft_mad_verdict v);

/** Feeds a packet. Hostile bytes are dropped with a verdict, never an error.
 * @param p    the port
 * @param now  the time
 * @param rx   the packet
 * @param ret  what became of it; may be NULL
 * @return 0; WEFT_ERR_INVALID: rx is unusable (NULL data, QP above 1): the host's mistake;
 *         WEFT_ERR_CLOCK */
int weft_mad_rx(struct weft_mad_port *p, weft_time now, const struct weft_mad_rx *rx,
                enum weft_mad_verdict *ret);

/** A packet to transmit. */
struct weft_mad_tx {
    weft_mad_tx_id id;              /**< hand it back with weft_mad_tx_done() */
    uint8_t qpn;                    /**< our QP, 0 or 1 */
    uint32_t len;                   /**< bytes in data, 256 */
    const void *data;               /**< the MAD, valid until weft_mad_tx_done() */
    const struct weft_mad_addr *to; /**< where to, valid until weft_mad_tx_done() */
    weft_time wait; /**< how long an answer will be waited for, for a host that keeps track of that
                         itself; of an RMPP message, the send's timeout; 0: none is expected */
};

/** Takes the next packet to transmit. At a time, at most send_depth packets of sends are with the
 * host for each QP, and at most 32 of the engine's own (ACKs, ABORTs, automatic answers). Packets
 * that nobody wants any more are skipped, which may queue events: drain weft_mad_poll_event()
 * after.
 * @param p    the port
 * @param ret  the packet
 * @return whether there was one */
bool weft_mad_poll_tx(struct weft_mad_port *p, struct weft_mad_tx *ret);

/** Reports that a packet has left the port, or could not.
 * @param p    the port
 * @param now  the time; the wait for the answer starts here
 * @param id   the packet
 * @param ok   false: it was not sent; its send is finished with WEFT_MAD_TX_ERROR
 * @return 0; WEFT_ERR_STALE: reported already; WEFT_ERR_CLOCK */
int weft_mad_tx_done(struct weft_mad_port *p, weft_time now, weft_mad_tx_id id, bool ok);

/** Fires every timer that is due. Call it after the packets that have arrived were fed.
 * @param p    the port
 * @param now  the time
 * @return 0; WEFT_ERR_CLOCK */
int weft_mad_advance(struct weft_mad_port *p, weft_time now);

/** When weft_mad_advance() must be called next.
 * @param p  the port
 * @return the earliest deadline of all timers, WEFT_TIME_NEVER if none is armed */
weft_time weft_mad_deadline(const struct weft_mad_port *p);

/** How a send ended. */
enum weft_mad_status {
    WEFT_MAD_OK,           /**< answered; or sent, when no answer was expected */
    WEFT_MAD_TIMEOUT,      /**< no answer within all retries or the time allowed */
    WEFT_MAD_FLUSHED,      /**< canceled, or its agent was removed */
    WEFT_MAD_TX_ERROR,     /**< the host could not send it */
    WEFT_MAD_RMPP_ABORTED, /**< the RMPP transfer was ended by an ABORT or STOP */
    WEFT_MAD_QUEUE_TIMEOUT /**< it stayed in a backlog for longer than allowed */
};

/** The status's name, for example "TIMEOUT".
 * @param s  a status
 * @return a constant string; "?" for another value */
const char *weft_mad_status_name(enum weft_mad_status s);

/** What an event tells. */
enum weft_mad_event_type {
    WEFT_MAD_EVENT_DEVICE,   /**< an unsolicited MAD for the host's own SMA or PMA: answer it with
                                  weft_mad_recv_answer(), pass it on with weft_mad_recv_pass(), or
                                  consume it with weft_mad_recv_release() */
    WEFT_MAD_EVENT_RECV,     /**< a MAD for an agent; release it with weft_mad_recv_release() */
    WEFT_MAD_EVENT_SEND_DONE /**< a send is finished; its buffer is the owner's again */
};

/** An event. A RECV that answers a request always comes before that request's SEND_DONE. */
struct weft_mad_event {
    enum weft_mad_event_type type; /**< which member of the union counts */
    weft_mad_agent_id agent;       /**< whose event it is; none for DEVICE */
    uint64_t user_data;            /**< of the send, or of the request answered; else 0 */
    /** What happened. */
    union {
        /** SEND_DONE. */
        struct {
            weft_mad_send_id id;         /**< stale from now on */
            enum weft_mad_status status; /**< how it ended */
            uint8_t rmpp_status;         /**< RMPP_ABORTED: the RMPP status (IBA 13.6.2.1) */
            bool rmpp_local;             /**< RMPP_ABORTED: this side ended the transfer */
            bool busy;                   /**< the last answer seen said BUSY */
            uint16_t attempts;           /**< times it was sent: 1 + retries; 0: no packet of it was
                                              handed to the host */
        } sent;
        /** RECV and DEVICE. */
        struct {
            weft_mad_recv_id id; /**< the message */
            const void *mad;     /**< its first 256 bytes, valid until it is released */
            uint32_t len;        /**< its whole length; above 256 read it by weft_mad_recv_read() */
            bool solicited;      /**< it answers a request, named by user_data */
            uint8_t qpn;         /**< the QP it came in on */
            uint16_t dlid;       /**< the LID it was sent to */
            struct weft_mad_addr from; /**< where it came from: a reply goes there, with the GIDs of
                                            a route header exchanged */
        } recv;
    } u; /**< what happened */
};

/** Takes the next event, in the order they happened.
 * @param p    the port
 * @param ret  the event
 * @return whether there was one */
bool weft_mad_poll_event(struct weft_mad_port *p, struct weft_mad_event *ret);

/** Copies a part of a received message: the class header of its first segment, then all data.
 * @param p    the port
 * @param id   the message
 * @param off  first byte wanted
 * @param dst  where it goes
 * @param len  number of bytes wanted
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_INVALID: off + len is beyond the message's length */
int weft_mad_recv_read(struct weft_mad_port *p, weft_mad_recv_id id, uint32_t off, void *dst,
                       uint32_t len);

/** Gives a received message's buffer back; a DEVICE one is thereby consumed without an answer.
 * @param p   the port
 * @param id  the message
 * @return 0; WEFT_ERR_STALE */
int weft_mad_recv_release(struct weft_mad_port *p, weft_mad_recv_id id);

/** The device does not want a DEVICE message: it is routed to the agents, or answered
 * "unsupported".
 * @param p    the port
 * @param now  the time
 * @param id   the message; stale afterwards
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_STATE: not a DEVICE message; WEFT_ERR_CLOCK */
int weft_mad_recv_pass(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id);

/** The device answers a DEVICE message. The reply goes back to where the message came from.
 * @param p     the port
 * @param now   the time
 * @param id    the message; stale afterwards
 * @param mad   the 256 bytes of the reply; read during the call only
 * @return 0; WEFT_ERR_STALE; WEFT_ERR_STATE: not a DEVICE message; WEFT_ERR_FULL: the send queue
 *         holds too many replies: drain weft_mad_poll_tx(); WEFT_ERR_INVALID: a directed-route
 *         reply whose hops lead nowhere: correct it; WEFT_ERR_CLOCK */
int weft_mad_recv_answer(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id,
                         const void *mad);

/** What an agent has done. All but the first three only grow. */
struct weft_mad_agent_stats {
    uint32_t limit;           /**< most outstanding sends allowed; 0: no limit */
    uint32_t outstanding;     /**< subject sends in SEND_START and WAIT_RESP */
    uint32_t queued;          /**< sends in QUEUED */
    uint64_t sent;            /**< sends accepted */
    uint64_t received;        /**< messages delivered */
    uint64_t limited;         /**< times a send was put into a backlog */
    uint64_t retried;         /**< retries that were sent; of a transfer, not of a segment */
    uint64_t timed_out;       /**< sends that ended with TIMEOUT */
    uint64_t queue_timed_out; /**< sends that ended with QUEUE_TIMEOUT */
    uint64_t busy;            /**< BUSY answers held back */
    uint64_t canceled;        /**< sends that ended with FLUSHED */
    uint64_t tx_errors;       /**< sends that ended with TX_ERROR */
    uint64_t rmpp_aborted;    /**< sends that ended with RMPP_ABORTED */
    uint64_t refused;         /**< calls to weft_mad_post() that failed */
};

/** Reads an agent's counters.
 * @param p    the port
 * @param id   the agent
 * @param ret  the counters
 * @return 0; WEFT_ERR_STALE */
int weft_mad_agent_stats(const struct weft_mad_port *p, weft_mad_agent_id id,
                         struct weft_mad_agent_stats *ret);

/** What a port has done. The first group are levels, the rest only grows. */
struct weft_mad_port_stats {
    uint32_t agents;         /**< agents registered */
    uint32_t sends;          /**< send slots in use */
    uint32_t outstanding;    /**< sends that expect an answer, in SEND_START and WAIT_RESP */
    uint32_t queued;         /**< sends in QUEUED */
    uint32_t recv_held;      /**< receive buffers in use */
    uint32_t recv_depth;     /**< receive buffers in all */
    uint32_t tx_held[2];     /**< packets with the host, per QP */
    uint32_t peers;          /**< destinations remembered by the adaptive window */
    uint32_t rmpp_transfers; /**< incoming transfers known */
    uint64_t rmpp_bytes;     /**< memory held by incoming segments */

    uint64_t verdicts[WEFT_MAD_VERDICTS]; /**< packets received, by what weft_mad_rx() answered */
    uint64_t passed[WEFT_MAD_VERDICTS];   /**< messages that the device passed on, and SMPs to the
                                               own node that the device was not asked about, by
                                               what became of them */
    uint64_t tx_packets;                  /**< packets handed to the host */
    uint64_t tx_overflowed;    /**< packets that had to wait for room in the send queue */
    uint64_t unsupported;      /**< answers "unsupported method or attribute" sent by the engine */
    uint64_t control_dropped;  /**< ACKs, ABORTs and automatic answers lost for want of a slot */
    uint64_t limited;          /**< times a send was put into a backlog */
    uint64_t retried;          /**< retries that were sent, as for the agents */
    uint64_t refused;          /**< calls to weft_mad_post() that failed */
    uint64_t peers_full;       /**< sends without a window for want of a slot */
    uint64_t rmpp_duplicates;  /**< segments received again */
    uint64_t rmpp_resent;      /**< segments sent again */
    uint64_t rmpp_aborts_sent; /**< ABORTs sent */
    uint64_t rmpp_aborts_seen; /**< ABORTs and STOPs received */
    uint64_t rmpp_stops_sent;  /**< STOPs sent because memory or slots ran out */
    uint64_t illegal; /**< state machine inputs refused as illegal: a defect of the engine */
};

/** Reads a port's counters.
 * @param p    the port
 * @param ret  the counters */
void weft_mad_port_stats(const struct weft_mad_port *p, struct weft_mad_port_stats *ret);

/** The adaptive window towards a destination.
 * @param p                the port
 * @param to               the destination: its GRH's DGID if it has one, else its LID
 * @param ret_window       requests allowed at a time
 * @param ret_outstanding  requests outstanding; may be NULL
 * @return 0; WEFT_ERR_NOTFOUND: this destination has no window (yet) */
int weft_mad_peer_window(const struct weft_mad_port *p, const struct weft_mad_addr *to,
                         uint32_t *ret_window, uint32_t *ret_outstanding);

#ifdef __cplusplus
}
#endif

#endif
