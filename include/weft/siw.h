/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Software iWARP: RDMA over a TCP byte stream (MPA RFC 5044 and 6581, DDP RFC 5041, RDMAP RFC
 * 5040), as the provider of a connection manager (weft/iwcm.h).
 *
 * It is a machine without I/O, clock or callbacks. A host carries its bytes:
 *
 *     wait until weft_siw_deadline() or a socket is ready
 *     for each readable socket: weft_siw_tcp_rx(), or read into weft_siw_rx_window()
 *     weft_siw_advance()
 *     while weft_siw_poll_op(): connect, listen, write, close sockets
 *     while weft_iwcm_poll_event(), weft_siw_poll_event(), weft_siw_cq_poll(): serve the program
 *
 * A program uses it as verbs: completion queues, queue pairs, memory regions, posts and polls.
 * Memory of a send, a receive or a region is the program's, borrowed: of a request until its
 * completion was made, of a region until it is deregistered; bytes are moved from and to it
 * without a copy where that is possible.
 *
 * Memory is taken in weft_siw_new() alone. An object belongs to one thread at a time. Pointers must
 * not be NULL unless their text says so. Outputs are written only on success. Numbers are in host
 * byte order. A call without a list of errors cannot fail but for what its arguments' types say.
 */
#ifndef WEFT_SIW_H
#define WEFT_SIW_H

#include <weft/iwcm.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Pieces of memory in one request at most. */
#define WEFT_SIW_SGE_MAX     4
/** RDMA Reads at a time at most, in each direction. */
#define WEFT_SIW_READS_MAX   128
/** Queue pairs and completion queues at most. */
#define WEFT_SIW_QPS_MAX     65535
/** Memory regions at most: an STag has 24 bits of index. */
#define WEFT_SIW_REGIONS_MAX 0xFFFFFF

/** A provider. */
struct weft_siw;

/** A TCP connection or a listening socket, as the host and the provider call it. */
typedef struct {
    uint64_t v; /**< for comparing and printing only */
} weft_siw_ep;

/** Kinds of ready-to-receive frames (RFC 6581 9), as bits of a set. */
enum weft_siw_rtr {
    WEFT_SIW_RTR_NONE = 0,  /**< client-server: no peer-to-peer mode */
    WEFT_SIW_RTR_SEND = 1,  /**< a zero-length Send */
    WEFT_SIW_RTR_WRITE = 2, /**< a zero-length RDMA Write */
    WEFT_SIW_RTR_READ = 4   /**< a zero-length RDMA Read */
};

/** What a side wants about CRC; it is used when either side wants it (RFC 5044 7.1). */
enum weft_siw_crc {
    WEFT_SIW_CRC_OFF,     /**< used when the peer wants it */
    WEFT_SIW_CRC_ON,      /**< asked for */
    WEFT_SIW_CRC_REQUIRED /**< asked for, and a reply without it is refused */
};

/** What a provider is made for. Fill it with WEFT_SIW_CONFIG_INIT, then change it. */
struct weft_siw_config {
    size_t size;           /**< of this struct, as the caller knows it; set by the macro */
    uint64_t seed;         /**< of the keys of STags: make it hard to guess; default 1 */
    uint32_t endpoints;    /**< TCP connections and listeners at a time; default 1024 */
    uint32_t qps;          /**< queue pairs, at most WEFT_SIW_QPS_MAX; default 1024 */
    uint32_t cqs;          /**< completion queues, at most WEFT_SIW_QPS_MAX; default 1024 */
    uint32_t cq_entries;   /**< entries of all completion queues together; default 65536 */
    uint32_t requests;     /**< sends and receives of all QPs together; default 65536 */
    uint32_t regions;      /**< memory regions, at most WEFT_SIW_REGIONS_MAX; default 4096 */
    uint16_t ird_max;      /**< RDMA Reads to serve at a time, at most WEFT_SIW_READS_MAX; 128 */
    uint16_t ord_max;      /**< RDMA Reads to have out at a time, likewise; 128 */
    uint8_t mpa_revision;  /**< of own requests: 1 or 2; default 2 */
    enum weft_siw_crc crc; /**< default OFF, as Linux siw */
    uint8_t rtr;           /**< set of enum weft_siw_rtr to offer in own requests; default NONE */
    bool markers;          /**< ask for markers, as a test: none are ever made, and a peer that
                                agrees is refused; default false */
    bool strict_reads;     /**< refuse a peer that serves fewer reads than asked for, instead of
                                lowering our own; default false */
    weft_time request_timeout_ns; /**< passive side: until the whole request is there; 5 s */
    weft_time reply_timeout_ns;   /**< active side: until the whole reply is there; 10 s */
    weft_time dial_timeout_ns;    /**< until TCP is up; 30 s */
    weft_time close_timeout_ns;   /**< orderly close: until the peer has closed too; 5 s */
    /** Linux siw sends its reply before it can receive: a first FPDU that comes in between stays
     * in its socket until more bytes follow. When the peer has said nothing for so long after our
     * first FPDU, a zero-length RDMA Write nudges it, and again after twice, four times ... as
     * long, eight times in all. 0: never. Default 20 ms. */
    weft_time nudge_ns;
    uint32_t segment_bytes; /**< FPDUs are at most so long, header and CRC included; 0: what fits
                                 one TCP segment (the host's mss); default 0 */
};

/** A config with its defaults. */
#define WEFT_SIW_CONFIG_INIT                                                                       \
    {                                                                                              \
        sizeof(struct weft_siw_config), 1, 1024, 1024, 1024, 65536, 65536, 4096, 128, 128, 2,      \
            WEFT_SIW_CRC_OFF, WEFT_SIW_RTR_NONE, false, false, 5 * WEFT_S, 10 * WEFT_S,            \
            30 * WEFT_S, 5 * WEFT_S, 20 * WEFT_MS, 0                                               \
    }

/** Makes a provider for a connection manager, whose only provider it must be.
 * @param c   what for; not kept
 * @param a   where its memory comes from; NULL: malloc and free. The larger part is touched only
 *            as it is used.
 * @param cm  the connection manager; outlives the provider
 * @param ret  the provider
 * @retval WEFT_ERR_INVALID  the config's size or a number is out of range
 * @retval WEFT_ERR_NOMEM    the allocator gave nothing */
int weft_siw_new(const struct weft_siw_config *c, const struct weft_alloc *a, struct weft_iwcm *cm,
                 struct weft_siw **ret);

/** Frees a provider: no completions, no upcalls.
 * @param s  may be NULL
 * @return NULL */
struct weft_siw *weft_siw_free(struct weft_siw *s);

/** @name The host's side: TCP
 * @{ */

/** What the host is to do. */
enum weft_siw_op_type {
    WEFT_SIW_OP_DIAL,    /**< open a TCP connection from `local` (if any) to `remote`; then
                            weft_siw_tcp_up() or weft_siw_tcp_failed() */
    WEFT_SIW_OP_BIND,    /**< listen on `local`; then weft_siw_tcp_bound() or
                            weft_siw_tcp_failed() */
    WEFT_SIW_OP_WRITE,   /**< write `parts` in their order, then weft_siw_tcp_written() at once */
    WEFT_SIW_OP_SHUT,    /**< end our direction: FIN behind what was written */
    WEFT_SIW_OP_RELEASE, /**< close the socket (or listener); the ep is gone when this is polled,
                            and nothing may be fed for it any more. `reset`: with RST */
    WEFT_SIW_OPS         /**< how many there are */
};

/** A piece of memory to write; laid out as struct iovec is. */
struct weft_siw_part {
    const void *data; /**< its beginning */
    size_t bytes;     /**< its length */
};

/** One thing for the host to do. */
struct weft_siw_op {
    enum weft_siw_op_type type;        /**< what */
    weft_siw_ep ep;                    /**< for whom */
    const struct weft_siw_part *parts; /**< WRITE: valid until weft_siw_tcp_written() */
    uint32_t part_count;               /**< WRITE: how many, at least 1 */
    size_t bytes;                      /**< WRITE: of all parts together */
    struct weft_iw_addr local;         /**< BIND, DIAL */
    struct weft_iw_addr remote;        /**< DIAL */
    uint32_t backlog;                  /**< BIND: as weft_iwcm_listen() was given it, or default */
    bool reset;                        /**< RELEASE: end it with RST */
};

/** Takes the next thing to do, after the connection manager's commands were taken in.
 * @param s  the provider
 * @param now  the time
 * @param ret  what to do
 * @return whether there was one */
bool weft_siw_poll_op(struct weft_siw *s, weft_time now, struct weft_siw_op *ret);

/** Says what became of a WRITE.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param bytes  how many were written, from 0 to the op's
 * The rest, if any, is offered again after weft_siw_tcp_writable().
 * @retval WEFT_ERR_INVALID  no WRITE is open, or it was shorter
 * @retval WEFT_ERR_STALE    the ep is gone */
int weft_siw_tcp_written(struct weft_siw *s, weft_time now, weft_siw_ep ep, size_t bytes);

/** Says that a socket takes bytes again, after a WRITE that was not written whole.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @retval WEFT_ERR_STALE  the ep is gone */
int weft_siw_tcp_writable(struct weft_siw *s, weft_time now, weft_siw_ep ep);

/** Says that a DIAL has its TCP connection.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param local  the own address
 * @param mss    bytes of a TCP segment; 0: unknown
 * @retval WEFT_ERR_STATE  the ep does not dial
 * @retval WEFT_ERR_STALE  the ep is gone */
int weft_siw_tcp_up(struct weft_siw *s, weft_time now, weft_siw_ep ep,
                    const struct weft_iw_addr *local, uint32_t mss);

/** Says that a DIAL or a BIND failed. RELEASE follows.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param status  why
 * @retval WEFT_ERR_INVALID  status is WEFT_IWCM_OK
 * @retval WEFT_ERR_STATE    the ep neither dials nor binds
 * @retval WEFT_ERR_STALE    the ep is gone */
int weft_siw_tcp_failed(struct weft_siw *s, weft_time now, weft_siw_ep ep,
                        enum weft_iwcm_status status);

/** Says that a BIND listens.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param local  where: with the port that was chosen
 * @retval WEFT_ERR_STATE  the ep does not bind
 * @retval WEFT_ERR_STALE  the ep is gone */
int weft_siw_tcp_bound(struct weft_siw *s, weft_time now, weft_siw_ep ep,
                       const struct weft_iw_addr *local);

/** Brings a TCP connection that a listener accepted.
 * @param s  the provider
 * @param now  the time
 * @param listener  who accepted it
 * @param local  own address
 * @param remote  the peer's address
 * @param mss  bytes of a TCP segment; 0: unknown
 * @param ret  the new ep
 * @retval WEFT_ERR_FULL   no ep is free: close the connection
 * @retval WEFT_ERR_STATE  the ep does not listen
 * @retval WEFT_ERR_STALE  the listener is gone: close the connection */
int weft_siw_tcp_incoming(struct weft_siw *s, weft_time now, weft_siw_ep listener,
                          const struct weft_iw_addr *local, const struct weft_iw_addr *remote,
                          uint32_t mss, weft_siw_ep *ret);

/** Brings bytes from a peer; all of them are taken, whatever they are.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param data  what has arrived
 * @param bytes  how many
 * @retval WEFT_ERR_STATE  the ep has no TCP connection
 * @retval WEFT_ERR_STALE  the ep is gone */
int weft_siw_tcp_rx(struct weft_siw *s, weft_time now, weft_siw_ep ep, const void *data,
                    size_t bytes);

/** Where the very next bytes from a peer belong, if that is known and they need no check first
 * (payload without CRC): a host reads them there and says so by weft_siw_tcp_rx_placed(). Never
 * needed for correctness.
 * @param s  the provider
 * @param ep  the connection
 * @param ret_bytes  how many fit
 * @return the place, or NULL: use weft_siw_tcp_rx(); valid until the next call for this provider */
void *weft_siw_rx_window(struct weft_siw *s, weft_siw_ep ep, size_t *ret_bytes);

/** Says how many bytes were read into the window.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param bytes  how many
 * @retval WEFT_ERR_INVALID  more than it was long
 * @retval WEFT_ERR_STALE    the ep is gone */
int weft_siw_tcp_rx_placed(struct weft_siw *s, weft_time now, weft_siw_ep ep, size_t bytes);

/** Says that a peer's direction has ended.
 * @param s  the provider
 * @param now  the time
 * @param ep  the connection
 * @param lost  by an error or RST (both directions are gone); otherwise by FIN
 * @retval WEFT_ERR_STATE  the ep has no TCP connection
 * @retval WEFT_ERR_STALE  the ep is gone */
int weft_siw_tcp_end(struct weft_siw *s, weft_time now, weft_siw_ep ep, bool lost);

/** Fires timers that are due. Feed what has arrived before.
 * @param s  the provider
 * @param now  the time
 * @retval WEFT_ERR_CLOCK  `now` lies before an earlier one */
int weft_siw_advance(struct weft_siw *s, weft_time now);

/** The next time at which weft_siw_advance() has something to do, or WEFT_TIME_NEVER.
 * @param s  the provider
 * @return that time */
weft_time weft_siw_deadline(const struct weft_siw *s);
/** @} */

/** @name The program's side: verbs
 * @{ */

/** Makes a completion queue.
 * @param s  the provider
 * @param entries  completions it can hold, at least 1: each request posted reserves one, so it
 *                 never overflows
 * @param ret_cqn  its number, never 0
 * @retval WEFT_ERR_INVALID  0 entries
 * @retval WEFT_ERR_FULL     no queue, or not so many entries, are left */
int weft_siw_cq_create(struct weft_siw *s, uint32_t entries, uint32_t *ret_cqn);

/** Ends a completion queue; completions in it are lost.
 * @param s  the provider
 * @param cqn  the completion queue
 * @retval WEFT_ERR_CONFLICT  a QP uses it
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_cq_destroy(struct weft_siw *s, uint32_t cqn);

/** What a completion is of. */
enum weft_siw_wc_opcode {
    WEFT_SIW_WC_SEND,             /**< a Send of any kind is with TCP */
    WEFT_SIW_WC_WRITE,            /**< an RDMA Write is with TCP */
    WEFT_SIW_WC_READ,             /**< an RDMA Read: its data are placed */
    WEFT_SIW_WC_LOCAL_INVALIDATE, /**< an STag was invalidated */
    WEFT_SIW_WC_RECV,             /**< a Send has arrived */
    WEFT_SIW_WC_OPCODES           /**< how many there are */
};

/** How a request ended. */
enum weft_siw_wc_status {
    WEFT_SIW_WC_OK,         /**< well */
    WEFT_SIW_WC_FLUSHED,    /**< the connection ended first */
    WEFT_SIW_WC_LOCAL,      /**< a local piece of memory is not registered, or not for that */
    WEFT_SIW_WC_REMOTE,     /**< the peer's Terminate names this request's error */
    WEFT_SIW_WC_TOO_LONG,   /**< RECV: the message did not fit */
    WEFT_SIW_WC_INVALIDATE, /**< the STag cannot be invalidated */
    WEFT_SIW_WC_STATUSES    /**< how many there are */
};

/** A completion. Those of a queue (sends, or receives) of one QP come in the order of posting. */
struct weft_siw_wc {
    uint64_t wr_id;                 /**< of the request */
    uint32_t qpn;                   /**< of which QP */
    enum weft_siw_wc_opcode opcode; /**< of what */
    enum weft_siw_wc_status status; /**< how it ended */
    uint32_t bytes;                 /**< RECV, READ: how many arrived */
    uint32_t invalidated;           /**< RECV: the STag that the Send invalidated, or 0 */
    bool solicited;                 /**< RECV: the Send asked for an event */
};

/** Takes the oldest completion.
 * @param s  the provider
 * @param cqn  the completion queue
 * @param ret  the completion
 * @return whether there was one; false, too, if there is no such queue */
bool weft_siw_cq_poll(struct weft_siw *s, uint32_t cqn, struct weft_siw_wc *ret);

/** Asks for one EVENT_CQ at the next completion that is made, or at the next solicited or failed
 * one. Completions that are there already do not count: poll after arming.
 * @param s  the provider
 * @param cqn  the completion queue
 * @param solicited_only  only at a solicited or failed one
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_cq_arm(struct weft_siw *s, uint32_t cqn, bool solicited_only);

/** What a peer may do with a region; bits of a set. */
enum weft_siw_access {
    WEFT_SIW_LOCAL_WRITE = 1,  /**< receives and our own reads may be placed there */
    WEFT_SIW_REMOTE_READ = 2,  /**< the peer may read it */
    WEFT_SIW_REMOTE_WRITE = 4, /**< the peer may write it */
    WEFT_SIW_INVALIDATE = 8    /**< the peer may invalidate it by a Send with Invalidate */
};

/** A memory region. */
struct weft_siw_region {
    void *base;     /**< the memory; borrowed until it is deregistered. What a peer reads is sent
                         from there: if it changes meanwhile, by the program or by a Write of the
                         peer, the peer gets old or new bytes, and with CRC may refuse them */
    uint64_t bytes; /**< its length, at least 1 */
    uint64_t to;    /**< the tagged offset of its first byte, as peers name it */
    uint32_t pd;    /**< protection domain: any number; QPs of the same number may use it */
    uint32_t qpn;   /**< only this QP's peer may use it; 0: any QP of the pd */
    uint8_t access; /**< set of enum weft_siw_access */
    uint8_t key;    /**< the low byte of its STag; 0: chosen by the provider */
};

/** Registers memory.
 * @param s  the provider
 * @param r  the memory, and what for
 * @param ret_stag  its STag, never 0
 * @retval WEFT_ERR_INVALID  no bytes, or to + bytes or base + bytes wraps
 * @retval WEFT_ERR_FULL     as many as configured are registered */
int weft_siw_region_register(struct weft_siw *s, const struct weft_siw_region *r,
                             uint32_t *ret_stag);

/** Ends a registration: the memory is the program's again.
 * @param s  the provider
 * @param stag  the region
 * @retval WEFT_ERR_CONFLICT  bytes of it are on their way: an RDMA Read of a peer is being
 * answered, or one of our own is outstanding. Wait, or end the connection.
 * @retval WEFT_ERR_NOTFOUND  there is no such STag */
int weft_siw_region_deregister(struct weft_siw *s, uint32_t stag);

/** Whether an STag is registered and was not invalidated.
 * @param s  the provider
 * @param stag  the region
 * @return whether it is */
bool weft_siw_region_valid(const struct weft_siw *s, uint32_t stag);

/** States of a QP (RFC 5040's verbs; Linux calls IDLE and before INIT). */
enum weft_siw_qp_state {
    WEFT_SIW_QP_IDLE,      /**< no connection: receives may be posted */
    WEFT_SIW_QP_RTS,       /**< connected */
    WEFT_SIW_QP_CLOSING,   /**< finishes what was posted, then closes */
    WEFT_SIW_QP_TERMINATE, /**< a Terminate is on its way out; everything else is flushed */
    WEFT_SIW_QP_ERROR,     /**< ended, everything is flushed */
    WEFT_SIW_QP_STATES     /**< how many there are */
};

/** What a QP is made for. */
struct weft_siw_qp_config {
    uint32_t pd;       /**< protection domain, see struct weft_siw_region */
    uint32_t send_cqn; /**< where sends complete */
    uint32_t recv_cqn; /**< where receives complete; may be the same */
    uint32_t sends;    /**< requests in the send queue, at least 1 */
    uint32_t recvs;    /**< requests in the receive queue */
    bool all_signaled; /**< every send makes a completion, not only those that ask for it */
};

/** Makes a QP, IDLE, and makes it known to the connection manager.
 * @param s  the provider
 * @param c  what it is made for
 * @param ret_qpn  its number, never 0; of a QP that ended it comes again late
 * @retval WEFT_ERR_INVALID   no sends
 * @retval WEFT_ERR_NOTFOUND  there is no such completion queue
 * @retval WEFT_ERR_FULL      QPs or requests are exhausted */
int weft_siw_qp_create(struct weft_siw *s, const struct weft_siw_qp_config *c, uint32_t *ret_qpn);

/** Ends a QP; requests in it are lost without a completion, those made stay in their queues.
 * @param s  the provider
 * @param qpn  the queue pair
 * @retval WEFT_ERR_STATE     it has a connection: wait for CLOSED or GONE
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_qp_destroy(struct weft_siw *s, uint32_t qpn);

/** Makes a QP that ended in ERROR, or is IDLE, as new: IDLE, its queues empty. An orderly close
 * leaves it IDLE by itself.
 * @param s  the provider
 * @param qpn  the queue pair
 * @retval WEFT_ERR_STATE     it has a connection: wait for CLOSED or GONE
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_qp_reset(struct weft_siw *s, uint32_t qpn);

/** Why and how a QP's connection ended, and its terms while it is up. */
struct weft_siw_qp_info {
    enum weft_siw_qp_state state; /**< now */
    weft_iwcm_id owner;           /**< connection it is bound to; v 0: none */
    uint16_t ird;                 /**< reads served at a time */
    uint16_t ord;                 /**< reads out at a time */
    bool crc;                     /**< CRC is used */
    uint8_t mpa_revision;         /**< of the peer's frame */
    uint8_t rtr;                  /**< the ready-to-receive frame agreed on, or NONE */
    uint16_t ulpdu_bytes_max;     /**< MULPDU: a DDP segment's length at most */
    bool terminate_sent;          /**< we sent a Terminate: `terminate_error` */
    bool terminate_received;      /**< the peer sent one: `terminate_error` */
    uint16_t terminate_error;     /**< layer << 12 | error type << 8 | code; in words by
                                       weft_siw_terminate_text() */
    uint64_t fpdus_out;           /**< sent in this connection */
    uint64_t fpdus_in;            /**< received in this connection */
};

/** What is known about a QP.
 * @param s  the provider
 * @param qpn  the queue pair
 * @param ret  what is known
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_qp_query(const struct weft_siw *s, uint32_t qpn, struct weft_siw_qp_info *ret);

/** A piece of the program's memory. */
struct weft_siw_sge {
    void *addr;     /**< its beginning; not written by sends and writes */
    uint32_t bytes; /**< its length; may be 0 */
    uint32_t stag;  /**< a region it lies in, of the QP's pd; 0: the program answers for it itself
                         (not in a READ) */
};

/** What to send. */
enum weft_siw_send_opcode {
    WEFT_SIW_SEND,             /**< a Send message */
    WEFT_SIW_WRITE,            /**< an RDMA Write */
    WEFT_SIW_READ,             /**< an RDMA Read into one piece, whose stag is needed */
    WEFT_SIW_LOCAL_INVALIDATE, /**< invalidate the own STag `invalidate` */
    WEFT_SIW_SEND_OPCODES      /**< how many there are */
};

/** How to send it; bits of a set. */
enum weft_siw_send_flag {
    WEFT_SIW_SIGNALED = 1,     /**< make a completion (failures always do) */
    WEFT_SIW_SOLICITED = 2,    /**< SEND: with Solicited Event */
    WEFT_SIW_INVALIDATING = 4, /**< SEND: with Invalidate of the peer's STag `invalidate`; READ:
                                  when done, invalidate the own sink STag */
    WEFT_SIW_FENCE = 8         /**< begin only after all own RDMA Reads before it are done */
};

/** A request for the send queue. */
struct weft_siw_send {
    uint64_t wr_id;                   /**< comes back in the completion */
    enum weft_siw_send_opcode opcode; /**< what */
    uint8_t flags;                    /**< set of enum weft_siw_send_flag */
    const struct weft_siw_sge *sge;   /**< pieces; the array is copied, the memory is borrowed until
                                           the request has completed: also if it makes no
                                           completion, by a later one's */
    uint32_t sge_count;               /**< at most WEFT_SIW_SGE_MAX; READ: 1 */
    uint32_t remote_stag;             /**< WRITE, READ */
    uint64_t remote_to;               /**< WRITE, READ */
    uint32_t invalidate;              /**< see the flags and LOCAL_INVALIDATE */
};

/** Posts to the send queue.
 * @param s  the provider
 * @param now  the time
 * @param qpn  the queue pair
 * @param wr  the request
 * @retval WEFT_ERR_INVALID   opcode, flags, count, together more than 2^32-1 bytes, or a READ where
 *                            the peers agreed on none
 * @retval WEFT_ERR_FULL      the send queue or its completion queue is: poll completions
 * @retval WEFT_ERR_STATE     the QP is not RTS
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_post_send(struct weft_siw *s, weft_time now, uint32_t qpn,
                       const struct weft_siw_send *wr);

/** A request for the receive queue. */
struct weft_siw_recv {
    uint64_t wr_id;                 /**< comes back in the completion */
    const struct weft_siw_sge *sge; /**< pieces; the array is copied, the memory is borrowed until
                                         the request has completed */
    uint32_t sge_count;             /**< at most WEFT_SIW_SGE_MAX */
};

/** Posts to the receive queue.
 * @param s  the provider
 * @param qpn  the queue pair
 * @param wr  the request
 * @retval WEFT_ERR_INVALID   count, or together more than 2^32-1 bytes
 * @retval WEFT_ERR_FULL      the receive queue or its completion queue is: poll completions
 * @retval WEFT_ERR_STATE     the QP is neither IDLE nor RTS nor CLOSING
 * @retval WEFT_ERR_NOTFOUND  there is none of that number */
int weft_siw_post_recv(struct weft_siw *s, uint32_t qpn, const struct weft_siw_recv *wr);

/** What an event says. */
enum weft_siw_event_type {
    WEFT_SIW_EVENT_CQ, /**< a completion queue that was armed has something */
    WEFT_SIW_EVENT_QP, /**< a QP has left RTS: see weft_siw_qp_query() */
    WEFT_SIW_EVENTS    /**< how many there are */
};

/** One event for the program. Of each queue and QP one waits at most: none is lost. */
struct weft_siw_event {
    enum weft_siw_event_type type; /**< what happened */
    uint32_t number;               /**< cqn or qpn */
};

/** Takes the next event.
 * @param s  the provider
 * @param ret  the event
 * @return whether there was one */
bool weft_siw_poll_event(struct weft_siw *s, struct weft_siw_event *ret);
/** @} */

/** What happened so far. */
struct weft_siw_stats {
    uint64_t fpdus_out;       /**< FPDUs sent */
    uint64_t fpdus_in;        /**< FPDUs received that passed framing and CRC */
    uint64_t bytes_out;       /**< TCP bytes written */
    uint64_t bytes_in;        /**< TCP bytes read */
    uint64_t crc_errors;      /**< FPDUs whose CRC was wrong */
    uint64_t terminates_out;  /**< Terminates sent */
    uint64_t terminates_in;   /**< Terminates received */
    uint64_t mpa_errors;      /**< startup frames that were refused */
    uint64_t mpa_timeouts;    /**< startups that took too long */
    uint64_t incoming_full;   /**< connections refused since no ep was free */
    uint64_t nudges;          /**< zero-length Writes sent to wake a peer */
    uint64_t upcalls_refused; /**< connection manager refused an upcall for want of room */
    uint32_t endpoints;       /**< eps in use */
    uint32_t half_open;       /**< of these: incoming ones whose request is not whole yet */
    uint32_t qps;             /**< QPs in use */
    uint32_t regions;         /**< regions in use */
};

/** What happened so far.
 * @param s  the provider
 * @param ret  the counters */
void weft_siw_stats(const struct weft_siw *s, struct weft_siw_stats *ret);

/** Bytes taken from the allocator, touched or not.
 * @param s  the provider
 * @return how many */
size_t weft_siw_bytes(const struct weft_siw *s);

/** A QP state's name, for example "RTS".
 * @param state  a state
 * @return a constant string; "?" for none */
const char *weft_siw_qp_state_name(enum weft_siw_qp_state state);

/** A completion's status in words.
 * @param status  why
 * @return a constant string; "unknown status" for none */
const char *weft_siw_wc_status_text(enum weft_siw_wc_status status);

/** A Terminate's error in words, for example "DDP, tagged buffer: base or bounds".
 * @param error  layer << 12 | error type << 8 | code
 * @return a constant string */
const char *weft_siw_terminate_text(uint16_t error);

#ifdef __cplusplus
}
#endif

#endif
