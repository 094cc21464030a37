/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * iWARP for programs with threads: blocking, thread-safe calls and callbacks over TCP sockets. In
 * libweft-iw, which needs libuv; weft/iwcm.h and weft/siw.h are the same without I/O.
 *
 * A struct weft_iw has one lock and one worker thread, which carries bytes and makes all callbacks,
 * one at a time, without holding the lock. Any thread may call anything at any time; what a
 * callback may not call says so. Calls return 0 or a negative errno, as the kernel's do; -ESTALE:
 * the id is gone, -EINVAL: an argument is out of range, -ENOMEM: a configured number is exhausted
 * or there is no memory; others are listed with the call. Pointers must not be NULL unless their
 * text says so. Outputs are written only on success.
 *
 * After weft_iw_destroy() has returned, no callback of that id is running or will run.
 */
#ifndef WEFT_IW_H
#define WEFT_IW_H

#include <weft/siw.h>

#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A provider with its worker thread. */
struct weft_iw;

/** A listener or one end of a connection; 0 is none. */
typedef struct {
    uint64_t v; /**< for comparing and printing only */
} weft_iw_id;

/** What a callback, or weft_iw_wait(), tells. */
enum weft_iw_event_type {
    WEFT_IW_REQUEST,     /**< a peer wants to connect: accept, reject or destroy `id` */
    WEFT_IW_REPLY,       /**< how connecting ended: `status` 0 or a negative errno */
    WEFT_IW_ESTABLISHED, /**< what was accepted is up */
    WEFT_IW_CLOSED,      /**< what was up is no more */
    WEFT_IW_EVENTS       /**< how many there are */
};

/** One event. Pointers in it are valid until the callback returns, or until the next call of
 * weft_iw_wait() for the same id. */
struct weft_iw_event {
    enum weft_iw_event_type type;   /**< what happened */
    weft_iw_id id;                  /**< to whom; REQUEST: the new id */
    weft_iw_id listener;            /**< REQUEST: who was asked */
    int status;                     /**< REPLY: 0; -ECONNREFUSED rejected or nobody there,
                                         -ECONNRESET, -ETIMEDOUT, -EPROTO, -EHOSTUNREACH, ... */
    bool rejected;                  /**< REPLY: the peer said no; `peer` has its private data */
    struct weft_iwcm_param peer;    /**< REQUEST, REPLY, ESTABLISHED: terms and private data */
    struct sockaddr_storage local;  /**< own address */
    struct sockaddr_storage remote; /**< peer's address */
};

/** Called on the worker thread. For REQUEST it is the listener's, for the new id; the new id keeps
 * it and its context.
 * @return 0; otherwise the id is destroyed (a request: rejected) once the callback has returned,
 *         and must not be used any more */
typedef int (*weft_iw_callback)(struct weft_iw *iw, const struct weft_iw_event *event,
                                void *context);

/** What a provider is made for. Fill it with WEFT_IW_CONFIG_INIT, then change it. */
struct weft_iw_config {
    size_t size;                /**< of this struct, as the caller knows it; set by the macro */
    struct weft_iwcm_config cm; /**< of the connection manager */
    struct weft_siw_config siw; /**< of the protocol: CRC, revision, timers, numbers. A seed of 1
                                     is replaced by a random one. */
};

/** A config with its defaults. */
#define WEFT_IW_CONFIG_INIT                                                                        \
    {                                                                                              \
        sizeof(struct weft_iw_config), WEFT_IWCM_CONFIG_INIT, WEFT_SIW_CONFIG_INIT                 \
    }

/** Starts a provider and its worker thread, which blocks all signals.
 * @param c  may be NULL: the defaults
 * @param ret  the provider
 * @return 0 or a negative errno
 * @retval -EAGAIN  no thread could be started
 * @retval -EMFILE  no descriptor is left */
int weft_iw_open(const struct weft_iw_config *c, struct weft_iw **ret);

/** Destroys all ids, QPs, queues and regions and ends the worker. No other thread may use it any
 * more.
 * @param iw  may be NULL
 * @return 0 or a negative errno
 * @retval -EDEADLK  called from a callback */
int weft_iw_close(struct weft_iw *iw);

/** Makes an id.
 * @param iw  the provider
 * @param callback  gets its events; NULL: they wait for weft_iw_wait()
 * @param context  passed to the callback
 * @param ret  the id
 * @return 0 or a negative errno */
int weft_iw_create(struct weft_iw *iw, weft_iw_callback callback, void *context, weft_iw_id *ret);

/** Gives an id, such as a REQUEST's, another callback and context. Events that no callback has
 * begun with go to the new one.
 * @param iw  the provider
 * @param id  which id
 * @param callback  gets its events
 * @param context  passed to the callback
 * @return 0 or a negative errno */
int weft_iw_set_callback(struct weft_iw *iw, weft_iw_id id, weft_iw_callback callback,
                         void *context);

/** Connects; REPLY tells how it went, and may be told before this returns.
 * @param iw  the provider
 * @param id  which id
 * @param from  own address; NULL: any
 * @param to  the peer's address
 * @param p     terms, with the QP
 * @return 0 or a negative errno
 * @retval -EBUSY         the QP has a connection
 * @retval -EISCONN       the id is not idle
 * @retval -EADDRNOTAVAIL the own address is none
 * @retval -ENETUNREACH   there is no way there */
int weft_iw_connect(struct weft_iw *iw, weft_iw_id id, const struct sockaddr *from,
                    const struct sockaddr *to, const struct weft_iwcm_param *p);

/** Listens; returns when connections are possible.
 * @param iw  the provider
 * @param id  which id
 * @param at  own address and port
 * @param backlog    requests that may wait for a callback; 0: 256
 * @param ret_local  where it listens, with its port; may be NULL
 * @return 0 or a negative errno
 * @retval -EISCONN       the id is not idle
 * @retval -EADDRINUSE    somebody listens there
 * @retval -EADDRNOTAVAIL that address is not one of ours
 * @retval -EACCES        that port is not for everybody */
int weft_iw_listen(struct weft_iw *iw, weft_iw_id id, const struct sockaddr *at, uint32_t backlog,
                   struct sockaddr_storage *ret_local);

/** Accepts a request; ESTABLISHED follows, and may be told before this returns.
 * @param iw  the provider
 * @param id  which id
 * @param p  terms, with the QP
 * @return 0 or a negative errno
 * @retval -EBUSY       the QP has a connection: the request still waits
 * @retval -EINVAL      there is no such QP, for example: the request still waits
 * @retval -ENOTCONN    there is no request to accept
 * @retval -ECONNRESET  the peer has gone; nothing follows */
int weft_iw_accept(struct weft_iw *iw, weft_iw_id id, const struct weft_iwcm_param *p);

/** Rejects a request; the id is idle, nothing follows.
 * @param iw  the provider
 * @param id  which id
 * @param private_data  may be NULL when bytes is 0
 * @param bytes  its length
 * @return 0 or a negative errno
 * @retval -ENOTCONN  there is no request to reject */
int weft_iw_reject(struct weft_iw *iw, weft_iw_id id, const void *private_data, uint16_t bytes);

/** Begins to end a connection; CLOSED follows. Returns 0, too, if it has ended already.
 * @param iw  the provider
 * @param id  which id
 * @param abrupt  reset it; otherwise finish what was posted
 * @return 0 or a negative errno
 * @retval -ENOTCONN  it listens, is connecting, or was not accepted */
int weft_iw_disconnect(struct weft_iw *iw, weft_iw_id id, bool abrupt);

/** Gives an id up, whatever it is doing, and waits until that is done: no callback of it runs
 * afterwards, its QP is free. Events that wait are dropped.
 * @param iw  the provider
 * @param id  which id
 * @return 0 or a negative errno
 * @retval -EDEADLK  called from a callback, where waiting would never end: return nonzero there, or
 *                   use weft_iw_destroy_later() for another id. Nothing was done. */
int weft_iw_destroy(struct weft_iw *iw, weft_iw_id id);

/** Gives an id up without waiting: for callbacks. No callback of it begins any more.
 * @param iw  the provider
 * @param id  which id
 * @return 0 or a negative errno */
int weft_iw_destroy_later(struct weft_iw *iw, weft_iw_id id);

/** Waits for the next event of an id without a callback; a listener's are its REQUESTs.
 * @param iw  the provider
 * @param id  which id
 * @param timeout_ms  negative: for ever
 * @param ret  the event
 * @return 0 or a negative errno
 * @retval -ETIMEDOUT  none came
 * @retval -EDEADLK    called from a callback
 * @retval -EINVAL     the id has a callback */
int weft_iw_wait(struct weft_iw *iw, weft_iw_id id, int timeout_ms, struct weft_iw_event *ret);

/** An id's state.
 * @param iw  the provider
 * @param id  which id
 * @param ret  its state
 * @return 0 or a negative errno */
int weft_iw_state(struct weft_iw *iw, weft_iw_id id, enum weft_iwcm_state *ret);

/** @name Verbs: those of weft/siw.h, under the lock
 * Errors are the negative errno of what weft/siw.h says: -ENOMEM for FULL at creation, -EAGAIN for
 * FULL at posting, -ENOTCONN for STATE at posting, -EBUSY for STATE and CONFLICT otherwise, -ENOENT
 * for NOTFOUND.
 * @{ */

/** See weft_siw_cq_create().
 * @param iw  the provider
 * @param entries  completions it can hold
 * @param ret_cqn  its number
 * @return 0 or a negative errno */
int weft_iw_cq_create(struct weft_iw *iw, uint32_t entries, uint32_t *ret_cqn);
/** See weft_siw_cq_destroy(). Threads that wait for it get -ENOENT.
 * @param iw  the provider
 * @param cqn  the completion queue
 * @return 0 or a negative errno */
int weft_iw_cq_destroy(struct weft_iw *iw, uint32_t cqn);
/** See weft_siw_qp_create().
 * @param iw  the provider
 * @param c  what it is made for
 * @param ret_qpn  its number
 * @return 0 or a negative errno */
int weft_iw_qp_create(struct weft_iw *iw, const struct weft_siw_qp_config *c, uint32_t *ret_qpn);
/** See weft_siw_qp_destroy(); waits while the QP's connection is closing.
 * @param iw  the provider
 * @param qpn  the queue pair
 * @return 0 or a negative errno
 * @retval -EDEADLK  it would have to wait, in a callback
 * @retval -EBUSY    it is connected, and nobody closes it */
int weft_iw_qp_destroy(struct weft_iw *iw, uint32_t qpn);
/** See weft_siw_qp_reset().
 * @param iw  the provider
 * @param qpn  the queue pair
 * @return 0 or a negative errno */
int weft_iw_qp_reset(struct weft_iw *iw, uint32_t qpn);
/** See weft_siw_qp_query().
 * @param iw  the provider
 * @param qpn  the queue pair
 * @param ret  what is known
 * @return 0 or a negative errno */
int weft_iw_qp_query(struct weft_iw *iw, uint32_t qpn, struct weft_siw_qp_info *ret);
/** See weft_siw_region_register().
 * @param iw  the provider
 * @param r  the memory, and what for
 * @param ret_stag  its STag
 * @return 0 or a negative errno */
int weft_iw_register(struct weft_iw *iw, const struct weft_siw_region *r, uint32_t *ret_stag);
/** See weft_siw_region_deregister().
 * @param iw  the provider
 * @param stag  the region
 * @return 0 or a negative errno */
int weft_iw_deregister(struct weft_iw *iw, uint32_t stag);
/** See weft_siw_post_send(); what fits is with TCP when it returns.
 * @param iw  the provider
 * @param qpn  the queue pair
 * @param wr  the request
 * @return 0 or a negative errno */
int weft_iw_post_send(struct weft_iw *iw, uint32_t qpn, const struct weft_siw_send *wr);
/** See weft_siw_post_recv().
 * @param iw  the provider
 * @param qpn  the queue pair
 * @param wr  the request
 * @return 0 or a negative errno */
int weft_iw_post_recv(struct weft_iw *iw, uint32_t qpn, const struct weft_siw_recv *wr);
/** Takes up to `count` completions.
 * @param iw  the provider
 * @param cqn  the completion queue
 * @param count  completions at most
 * @param ret  room for `count` completions
 * @return how many, 0 for none, or a negative errno */
int weft_iw_poll(struct weft_iw *iw, uint32_t cqn, uint32_t count, struct weft_siw_wc *ret);
/** The same, but waits for the first one.
 * @param iw  the provider
 * @param cqn  the completion queue
 * @param count  completions at most
 * @param timeout_ms  negative: for ever
 * @param ret  room for `count` completions
 * @return 0 or a negative errno
 * @retval -ETIMEDOUT  none came
 * @retval -EDEADLK    called from a callback */
int weft_iw_wait_cq(struct weft_iw *iw, uint32_t cqn, uint32_t count, int timeout_ms,
                    struct weft_siw_wc *ret);
/** See weft_siw_stats().
 * @param iw  the provider
 * @param ret  the counters */
void weft_iw_stats(struct weft_iw *iw, struct weft_siw_stats *ret);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
