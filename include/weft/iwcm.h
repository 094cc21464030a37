/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The iWARP connection manager: what stands between a program that connects and listens, and a
 * provider that does it (weft/siw.h, or a device's driver).
 *
 * It is a machine without I/O, clock or callbacks. Both sides call in and poll:
 *
 *     client --> create, connect, listen, accept, reject, disconnect, destroy
 *     client <-- weft_iwcm_poll_event()
 *     provider <-- weft_iwcm_poll_cmd()
 *     provider --> weft_iwcm_cmd_done(), weft_iwcm_upcall()
 *
 * An id is a listener or one end of a connection. It has one state and one count of references:
 * of the client that made it, of a command the provider has not answered, of a connection or
 * listener that the provider has not given up. With the last of them the id goes, and GONE is
 * its last event. What a provider may say when is docs/iwcm.md; everything else is refused with
 * WEFT_ERR_STATE, counted, and never reaches the client.
 *
 * Nothing blocks. Memory is taken in weft_iwcm_new() alone, so events that nobody polls are
 * bounded: while eight of an id wait its calls are refused with WEFT_ERR_FULL (poll first), connect
 * and listen while one waits that tells a peer's terms; destroy always works. An object belongs to
 * one thread at a time. Pointers must not be NULL unless their text says so. Outputs are written
 * only on success.
 */
#ifndef WEFT_IWCM_H
#define WEFT_IWCM_H

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of private data that a frame can carry at most (RFC 5044 7.1); with enhanced connection
 * setup four of them are the provider's (RFC 6581 6). */
#define WEFT_IWCM_PRIVATE_MAX 512

/** An IP address and a TCP port. */
struct weft_iw_addr {
    uint8_t family; /**< 4, 6, or 0 for none */
    uint16_t port;  /**< TCP port, host order; 0 lets the provider choose one */
    uint32_t scope; /**< IPv6: the interface of a link-local address, otherwise 0 */
    uint8_t ip[16]; /**< as on the wire; IPv4 in the first four bytes */
};

/** A connection manager. */
struct weft_iwcm;

/** A listener or one end of a connection: slot and generation, 0 is none. */
typedef struct {
    uint64_t v; /**< for comparing and printing only */
} weft_iwcm_id;

/** What an id is doing. */
enum weft_iwcm_state {
    WEFT_IWCM_IDLE,        /**< nothing, not yet or not any more */
    WEFT_IWCM_LISTEN,      /**< waiting for requests */
    WEFT_IWCM_CONN_RECV,   /**< a peer's request waits for accept or reject, or accept is at work */
    WEFT_IWCM_CONN_SENT,   /**< our request waits for the peer's reply */
    WEFT_IWCM_ESTABLISHED, /**< connected */
    WEFT_IWCM_CLOSING,     /**< connected no more; the provider has not finished yet */
    WEFT_IWCM_DESTROYING,  /**< the client has given the id up */
    WEFT_IWCM_STATES       /**< how many there are */
};

/** How a call or a connection attempt ended. */
enum weft_iwcm_status {
    WEFT_IWCM_OK,           /**< well */
    WEFT_IWCM_REJECTED,     /**< the peer said no; its private data may say why */
    WEFT_IWCM_RESET,        /**< the peer ended the TCP connection */
    WEFT_IWCM_REFUSED,      /**< nobody listens there, or the peer's terms cannot be met */
    WEFT_IWCM_TIMEOUT,      /**< the peer did not answer in time */
    WEFT_IWCM_PROTOCOL,     /**< the peer broke the protocol */
    WEFT_IWCM_UNREACHABLE,  /**< there is no way to that address */
    WEFT_IWCM_ADDRESS,      /**< the own address is in use or not one of ours */
    WEFT_IWCM_NO_RESOURCES, /**< the provider has no room */
    WEFT_IWCM_BAD_PARAM,    /**< the provider cannot do that: more reads than it has, for example */
    WEFT_IWCM_CANCELED,     /**< the own side gave up */
    WEFT_IWCM_FAILED,       /**< anything else */
    WEFT_IWCM_STATUSES      /**< how many there are */
};

/** What the two sides tell each other about a connection. */
struct weft_iwcm_param {
    /** Private data. Given: copied during the call, may be NULL when there is none. In an event:
     * valid until the next call that has this id. */
    const void *private_data;
    uint16_t private_bytes; /**< how much, at most WEFT_IWCM_PRIVATE_MAX */
    uint16_t ird;           /**< RDMA Reads that this side serves at a time */
    uint16_t ord;           /**< RDMA Reads that this side has outstanding at a time */
    uint32_t qpn;           /**< the own QP, one of weft_iwcm_qp_add(); 0 in what a peer says */
};

/** The client's calls whose end is told by an event. */
enum weft_iwcm_call {
    WEFT_IWCM_CALL_CONNECT,    /**< weft_iwcm_connect() */
    WEFT_IWCM_CALL_LISTEN,     /**< weft_iwcm_listen() */
    WEFT_IWCM_CALL_ACCEPT,     /**< weft_iwcm_accept() */
    WEFT_IWCM_CALL_REJECT,     /**< weft_iwcm_reject() */
    WEFT_IWCM_CALL_DISCONNECT, /**< weft_iwcm_disconnect() */
    WEFT_IWCM_CALLS            /**< how many there are */
};

/** What an event says. */
enum weft_iwcm_event_type {
    /** The provider has taken (or refused) what the client asked for: `call` and `status`. Comes
     * exactly once for each call that returned 0, unless the id is destroyed first. After a
     * refusal the id is IDLE (CONNECT, LISTEN, ACCEPT) and nothing else follows. */
    WEFT_IWCM_EVENT_DONE,
    /** Somebody wants to connect: `id` is new and in CONN_RECV, `listener` is whom he asked,
     * `peer` what he brings. The new id has the listener's user_data. Accept, reject or destroy. */
    WEFT_IWCM_EVENT_REQUEST,
    /** The end of a connect that was DONE well, or is about to be: `status` 0 connected, with the
     * peer's terms; otherwise not, and the id is IDLE again. Exactly once for each. */
    WEFT_IWCM_EVENT_REPLY,
    /** An accepted connection is up, with the terms that hold. */
    WEFT_IWCM_EVENT_ESTABLISHED,
    /** A connection that was up is no more: the provider has let go of everything, the QP is free.
     * Exactly once for each that was up, unless the id is destroyed first. */
    WEFT_IWCM_EVENT_CLOSED,
    /** The id is gone; the last event, exactly once after weft_iwcm_destroy(). */
    WEFT_IWCM_EVENT_GONE,
    WEFT_IWCM_EVENTS /**< how many there are */
};

/** One event for the client. */
struct weft_iwcm_event {
    enum weft_iwcm_event_type type; /**< what happened */
    weft_iwcm_id id;                /**< to whom */
    weft_iwcm_id listener;          /**< REQUEST: who was asked */
    uint64_t user_data;             /**< of the id, as given at weft_iwcm_create() */
    enum weft_iwcm_call call;       /**< DONE: which call */
    enum weft_iwcm_status status;   /**< DONE, REPLY, CLOSED (OK: orderly) */
    struct weft_iwcm_param peer;    /**< REQUEST, REPLY, ESTABLISHED: the peer's terms, from our
                                       side: ird is what we serve, ord what we may have out */
    struct weft_iw_addr local;      /**< REQUEST, REPLY, ESTABLISHED; DONE of LISTEN: where */
    struct weft_iw_addr remote;     /**< REQUEST, REPLY, ESTABLISHED */
};

/** What the provider is to do. */
enum weft_iwcm_cmd_type {
    WEFT_IWCM_CMD_CONNECT,  /**< begin to connect; a REPLY upcall follows if that is DONE well */
    WEFT_IWCM_CMD_ACCEPT,   /**< accept; an ESTABLISHED upcall follows if that is DONE well */
    WEFT_IWCM_CMD_REJECT,   /**< say no, with private data; the provider's end goes with it */
    WEFT_IWCM_CMD_LISTEN,   /**< begin to listen; REQUEST upcalls may follow */
    WEFT_IWCM_CMD_UNLISTEN, /**< stop; when this is done no REQUEST comes any more */
    WEFT_IWCM_CMD_CLOSE,    /**< end in good order; a CLOSE upcall follows */
    WEFT_IWCM_CMD_ABORT,    /**< end at once; CLOSE follows, or REPLY with a status if a connect
                               was not up yet. If that has come up meanwhile (REPLY or ESTABLISHED
                               after ABORT was taken) another ABORT may follow */
    WEFT_IWCM_CMDS          /**< how many there are */
};

/** One command for the provider. It ends with one weft_iwcm_cmd_done(); until then the same id
 * gives no other. */
struct weft_iwcm_cmd {
    enum weft_iwcm_cmd_type type; /**< what to do */
    weft_iwcm_id id;              /**< for whom */
    uint64_t provider;            /**< what the provider called it, see weft_iwcm_cmd_done() */
    struct weft_iw_addr local;    /**< LISTEN: where; CONNECT: from where, family 0 for anywhere */
    struct weft_iw_addr remote;   /**< CONNECT: to whom */
    uint32_t backlog;             /**< LISTEN: requests that may wait to be polled */
    struct weft_iwcm_param param; /**< CONNECT, ACCEPT, REJECT; its bytes last until cmd_done */
};

/** What the provider tells. */
enum weft_iwcm_upcall_type {
    WEFT_IWCM_UP_REQUEST,     /**< to a listener: a peer asks; makes a new id */
    WEFT_IWCM_UP_REPLY,       /**< CONN_SENT: how connecting ended; may come before cmd_done */
    WEFT_IWCM_UP_ESTABLISHED, /**< CONN_RECV after accept: it is up; may come before cmd_done */
    WEFT_IWCM_UP_DISCONNECT,  /**< the peer has begun to end it in good order; optional */
    WEFT_IWCM_UP_CLOSE,       /**< it has ended; the provider says nothing about the id any more */
    WEFT_IWCM_UPS             /**< how many there are */
};

/** One message of the provider. */
struct weft_iwcm_upcall {
    enum weft_iwcm_upcall_type type; /**< what it is */
    enum weft_iwcm_status status;    /**< REPLY, CLOSE */
    uint64_t provider;               /**< REQUEST: what the provider calls the new id */
    struct weft_iwcm_param peer;     /**< REQUEST, REPLY, ESTABLISHED: copied */
    struct weft_iw_addr local;       /**< REQUEST, REPLY, ESTABLISHED */
    struct weft_iw_addr remote;      /**< REQUEST, REPLY, ESTABLISHED */
};

/** What a connection manager is made for. Fill it with WEFT_IWCM_CONFIG_INIT, then change it. */
struct weft_iwcm_config {
    size_t size;      /**< of this struct, as the caller knows it; set by the macro */
    uint32_t ids;     /**< listeners and connections at a time, at least 1; default 1024 */
    uint32_t qps;     /**< queue pairs at a time; default 1024 */
    uint32_t backlog; /**< what weft_iwcm_listen() takes for backlog 0; default 256 */
};

/** A config with its defaults. */
#define WEFT_IWCM_CONFIG_INIT                                                                      \
    {                                                                                              \
        sizeof(struct weft_iwcm_config), 1024, 1024, 256                                           \
    }

/** What happened so far. */
struct weft_iwcm_stats {
    uint64_t events[WEFT_IWCM_EVENTS]; /**< events made, by type */
    uint64_t cmds[WEFT_IWCM_CMDS];     /**< commands made, by type */
    uint64_t violations;               /**< upcalls and cmd_dones that were refused */
    uint64_t backlog_full;             /**< requests refused since a backlog was full */
    uint64_t ids_full;                 /**< requests and creates refused since no id was free */
    uint64_t dropped;                  /**< events that a destroyed id no longer wanted */
    uint32_t ids;                      /**< ids in use */
    uint32_t qps;                      /**< QPs known */
};

/** Makes a connection manager.
 * @param c    what for; not kept
 * @param a    where its memory comes from; NULL: malloc and free
 * @param ret  the connection manager
 * @retval WEFT_ERR_INVALID  the config's size or a number is out of range
 * @retval WEFT_ERR_NOMEM    the allocator gave nothing */
int weft_iwcm_new(const struct weft_iwcm_config *c, const struct weft_alloc *a,
                  struct weft_iwcm **ret);

/** Frees a connection manager with all its ids; no events come.
 * @param cm  may be NULL
 * @return NULL */
struct weft_iwcm *weft_iwcm_free(struct weft_iwcm *cm);

/** Makes an id, IDLE.
 * @param cm         a connection manager
 * @param user_data  comes back in every event
 * @param ret        the id
 * @retval WEFT_ERR_FULL  no id is free: destroy one and wait for GONE, or configure more */
int weft_iwcm_create(struct weft_iwcm *cm, uint64_t user_data, weft_iwcm_id *ret);

/** Gives an id other user data; what REQUEST brings has its listener's.
 * @param cm         a connection manager
 * @param id         one of its ids
 * @param user_data  comes back in every event
 * @retval WEFT_ERR_STALE  the id is gone */
int weft_iwcm_set_user_data(struct weft_iwcm *cm, weft_iwcm_id id, uint64_t user_data);

/** Connects: DONE follows, then or before that REPLY.
 * @param cm    a connection manager
 * @param id    one of its ids
 * @param from  the own address; NULL: any
 * @param to    the peer
 * @param p     terms; `qpn` is bound to the connection until CLOSED
 * @retval WEFT_ERR_INVALID   an address or a length is out of range, or there is no such QP
 * @retval WEFT_ERR_CONFLICT  the QP has a connection already
 * @retval WEFT_ERR_STATE     the id is not IDLE, or a command of it is not done
 * @retval WEFT_ERR_STALE     the id is gone */
int weft_iwcm_connect(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iw_addr *from,
                      const struct weft_iw_addr *to, const struct weft_iwcm_param *p);

/** Listens: DONE follows, with the address (and its port) in `local`; then REQUESTs.
 * @param cm       a connection manager
 * @param id       one of its ids
 * @param at       the own address; port 0: any
 * @param backlog  REQUEST events that may wait to be polled; 0: the config's. A request beyond
 *                 that is refused and the peer rejected. Costs nothing by itself.
 * @retval WEFT_ERR_INVALID  the address has no family
 * @retval WEFT_ERR_STATE    the id is not IDLE, or a command of it is not done
 * @retval WEFT_ERR_STALE    the id is gone */
int weft_iwcm_listen(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iw_addr *at,
                     uint32_t backlog);

/** Accepts a request: DONE follows, then or before that ESTABLISHED. If the peer has gone DONE says
 * WEFT_IWCM_RESET and the id is IDLE.
 * @param cm  a connection manager
 * @param id  one of its ids
 * @param p   terms; `qpn` is bound to the connection until CLOSED
 * @retval WEFT_ERR_INVALID   a length is out of range or there is no such QP: still CONN_RECV
 * @retval WEFT_ERR_CONFLICT  the QP has a connection already: still CONN_RECV
 * @retval WEFT_ERR_STATE     the id is not in CONN_RECV, or was accepted already
 * @retval WEFT_ERR_STALE     the id is gone */
int weft_iwcm_accept(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iwcm_param *p);

/** Rejects a request: the id is IDLE at once; DONE follows, nothing else does.
 * @param cm            a connection manager
 * @param id            one of its ids
 * @param private_data  may be NULL when bytes is 0; copied
 * @param bytes         its length
 * @retval WEFT_ERR_INVALID  too many bytes
 * @retval WEFT_ERR_STATE    the id is not in CONN_RECV, or was accepted already
 * @retval WEFT_ERR_STALE    the id is gone */
int weft_iwcm_reject(struct weft_iwcm *cm, weft_iwcm_id id, const void *private_data,
                     uint16_t bytes);

/** Ends a connection: DONE follows, then CLOSED. Where the peer or a second call was first
 * (CLOSING, IDLE) it returns 0 and does nothing but DONE; but an abrupt one ends abruptly what
 * was being ended in good order.
 * @param cm      a connection manager
 * @param id      one of its ids
 * @param abrupt  reset it; otherwise finish what was posted, in good order
 * @retval WEFT_ERR_STATE  the id listens, waits for a reply, or was not accepted yet
 * @retval WEFT_ERR_STALE  the id is gone */
int weft_iwcm_disconnect(struct weft_iwcm *cm, weft_iwcm_id id, bool abrupt);

/** Gives an id up in whatever state: a connection is aborted, an attempt canceled, a request
 * rejected, a listener stopped (its requests that nobody has polled are rejected). Events that wait
 * are dropped; GONE is the only one that follows, once the provider has let go.
 * @param cm  a connection manager
 * @param id  one of its ids
 * @retval WEFT_ERR_STATE  it is being destroyed already
 * @retval WEFT_ERR_STALE  the id is gone */
int weft_iwcm_destroy(struct weft_iwcm *cm, weft_iwcm_id id);

/** Takes the next event.
 * @param cm   a connection manager
 * @param ret  the event
 * @return whether there was one */
bool weft_iwcm_poll_event(struct weft_iwcm *cm, struct weft_iwcm_event *ret);

/** An id's state.
 * @param cm   a connection manager
 * @param id   one of its ids
 * @param ret  the state
 * @retval WEFT_ERR_STALE  the id is gone */
int weft_iwcm_state(const struct weft_iwcm *cm, weft_iwcm_id id, enum weft_iwcm_state *ret);

/** Takes the next command; for the provider.
 * @param cm   a connection manager
 * @param ret  the command
 * @return whether there was one */
bool weft_iwcm_poll_cmd(struct weft_iwcm *cm, struct weft_iwcm_cmd *ret);

/** Says how a command ended; for the provider. CONNECT and LISTEN with any other status than OK
 * promise that nothing follows; ACCEPT likewise.
 * @param cm        a connection manager
 * @param id        one of its ids
 * @param type      the command
 * @param status    how it ended
 * @param provider  CONNECT, LISTEN: what the provider calls the id from now on, comes back in its
 *                  commands; otherwise ignored
 * @param local     LISTEN: where it listens; otherwise NULL
 * @retval WEFT_ERR_STATE  the id has no such command with the provider
 * @retval WEFT_ERR_STALE  the id is gone */
int weft_iwcm_cmd_done(struct weft_iwcm *cm, weft_iwcm_id id, enum weft_iwcm_cmd_type type,
                       enum weft_iwcm_status status, uint64_t provider,
                       const struct weft_iw_addr *local);

/** Tells what happened; for the provider.
 * @param cm         a connection manager
 * @param id         the connection's id; for REQUEST the listener's
 * @param u          what; copied
 * @param ret_child  REQUEST: the new id; otherwise may be NULL
 * @retval WEFT_ERR_STATE    the provider may not say that now: a defect of the provider, counted
 * @retval WEFT_ERR_FULL     REQUEST: backlog or ids are exhausted, or the listener is being
 *                           destroyed: reject the peer
 * @retval WEFT_ERR_INVALID  a length or type is out of range: a defect, counted
 * @retval WEFT_ERR_STALE    the id is gone: a defect, counted */
int weft_iwcm_upcall(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iwcm_upcall *u,
                     weft_iwcm_id *ret_child);

/** Makes a QP known; for the provider, at its creation.
 * @param cm   a connection manager
 * @param qpn  its number, not 0
 * @retval WEFT_ERR_INVALID   0
 * @retval WEFT_ERR_CONFLICT  it is known
 * @retval WEFT_ERR_FULL      as many as configured are known */
int weft_iwcm_qp_add(struct weft_iwcm *cm, uint32_t qpn);

/** Forgets a QP; for the provider, before it destroys it.
 * @param cm   a connection manager
 * @param qpn  its number
 * @retval WEFT_ERR_STATE     it has a connection: wait for CLOSED or GONE
 * @retval WEFT_ERR_NOTFOUND  it is not known */
int weft_iwcm_qp_remove(struct weft_iwcm *cm, uint32_t qpn);

/** The id that a QP is bound to.
 * @param cm   a connection manager
 * @param qpn  its number
 * @param ret  the id
 * @retval WEFT_ERR_NOTFOUND  it is not known, or not bound */
int weft_iwcm_qp_owner(const struct weft_iwcm *cm, uint32_t qpn, weft_iwcm_id *ret);

/** What happened so far.
 * @param cm   a connection manager
 * @param ret  the counters */
void weft_iwcm_stats(const struct weft_iwcm *cm, struct weft_iwcm_stats *ret);

/** A state's name, for example "CONN_SENT".
 * @param state  a state
 * @return a constant string; "?" for no state */
const char *weft_iwcm_state_name(enum weft_iwcm_state state);

/** A status in words, for example "the peer did not answer in time".
 * @param status  a status
 * @return a constant string; "unknown status" for none */
const char *weft_iwcm_status_text(enum weft_iwcm_status status);

/** An event's name, for example "REQUEST".
 * @param type  a type of events
 * @return a constant string; "?" for none */
const char *weft_iwcm_event_name(enum weft_iwcm_event_type type);

/** A command's name, for example "UNLISTEN".
 * @param type  a type of commands
 * @return a constant string; "?" for none */
const char *weft_iwcm_cmd_name(enum weft_iwcm_cmd_type type);

#ifdef __cplusplus
}
#endif

#endif
