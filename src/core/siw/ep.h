/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Endpoints: TCP connections and listeners, from DIAL, BIND or an incoming connection to RELEASE.
 */
#ifndef WEFT_CORE_SIW_EP_H
#define WEFT_CORE_SIW_EP_H

#include "core/base/list.h"
#include "core/base/pool.h"
#include "core/base/timers.h"
#include "core/iwarp/mpa_frame.h"
#include "core/siw/ep_fsm.h"
#include "core/siw/terms.h"

#include <weft/siw.h>

struct qp;

/** A TCP connection or a listener. */
struct ep {
    uint32_t link, generation; /* the pool's */
    struct list_node due;
    enum ep_state state;
    bool known;                /* to the host */
    bool op_given;             /* the one operation of this state (DIAL, BIND, SHUT) was polled */
    bool blocked;              /* TCP did not take all of the last WRITE */
    bool reset;                /* RELEASING: with RST */
    bool in_fin, drained;      /* the QP is hearing of the peer's FIN; it said DRAINED meanwhile */
    enum weft_iwcm_status why; /* TERMINATING and on: what CLOSE will say */
    weft_iwcm_id id;           /* of the connection manager; 0: it does not know us (any more) */
    uint64_t listener;         /* incoming: handle of whom it asked */
    struct qp *qp;             /* bound from the end of the startup to the end */
    uint32_t qpn;              /* the QP that it was asked to bind */
    uint32_t mss, backlog;
    struct weft_iw_addr local, remote;
    weft_time deadline, qp_deadline; /* own; connection_arm()'s */
    size_t offered;                  /* bytes of the WRITE that the host has; 0: none */
    struct terms terms;
    struct mpa_frame request;  /* ours or the peer's; its private data lies in `in` */
    struct weft_siw_part part; /* what of `out` is offered */
    uint16_t in_bytes, out_bytes, out_done;
    uint8_t in[MPA_FRAME_MAX];  /* the peer's frame, as far as it is here */
    uint8_t out[MPA_FRAME_MAX]; /* ours, or the Terminate of a startup that failed */
};

/** All endpoints of a provider. */
struct connections {
    struct pool eps;
    struct timers timers; /* one for each ep, by its slot */
    struct list_node due; /* eps that have something for the host to do */
    uint32_t half_open;   /* eps in AWAIT_REQUEST */
    void *timer_heap, *timer_place;
};

int connections_new(struct weft_siw *s);
void connections_free(struct weft_siw *s);

/** A new ep, or NULL: all are in use. */
struct ep *ep_new(struct weft_siw *s, enum ep_state state);
/** The ep of a handle, if it is in use and not being released; otherwise NULL. */
struct ep *ep_find(const struct weft_siw *s, uint64_t handle);
uint64_t ep_handle(const struct weft_siw *s, const struct ep *ep);
/** Gives an input to the machine: the one function that changes a state. The old state's timer and
 * operation are forgotten. */
enum ep_verdict ep_step(struct weft_siw *s, struct ep *ep, enum ep_input input);
/** There may be something for the host to do. */
void ep_due(struct weft_siw *s, struct ep *ep);
/** Arms the own timer of the state; NEVER disarms it. */
void ep_arm(struct weft_siw *s, struct ep *ep, weft_time deadline);
/** The slot is free. */
void ep_give(struct weft_siw *s, struct ep *ep);

/* startup.c */
/** Bytes in AWAIT_REQUEST and in AWAIT_REPLY. */
void startup_request_rx(struct weft_siw *s, struct ep *ep, const uint8_t *data, size_t bytes);
void startup_reply_rx(struct weft_siw *s, struct ep *ep, const uint8_t *data, size_t bytes);
/** Rejects a request; false: the private data do not fit and were left out. */
bool startup_reject(struct weft_siw *s, struct ep *ep, const void *private_data, uint16_t bytes);
/** Accepts a request; otherwise rejects it and says why. */
enum weft_iwcm_status startup_accept(struct weft_siw *s, struct ep *ep,
                                     const struct weft_iwcm_param *p);
/** The QP takes over. */
void startup_bind(struct weft_siw *s, struct ep *ep, struct qp *qp);

/* provider.c */
/** Takes in all commands of the connection manager. */
void provider_commands(struct weft_siw *s);
/** Upcalls. */
int provider_request(struct weft_siw *s, struct ep *ep, uint16_t ird, uint16_t ord);
void provider_reply(struct weft_siw *s, struct ep *ep, enum weft_iwcm_status status,
                    const struct mpa_frame *reply);
void provider_established(struct weft_siw *s, struct ep *ep);
void provider_disconnect(struct weft_siw *s, struct ep *ep);
void provider_close(struct weft_siw *s, struct ep *ep, enum weft_iwcm_status status);
/** A listener is there, or not. */
void provider_listening(struct weft_siw *s, struct ep *ep, enum weft_iwcm_status status);

/* close.c */
/** Ends an ep by an input that leads to RELEASING; whoever knows it is told. */
void close_ep(struct weft_siw *s, struct ep *ep, enum ep_input input, enum weft_iwcm_status status);
/** The client's CLOSE. */
void close_orderly(struct weft_siw *s, struct ep *ep);
/** The peer's FIN. */
void close_peer_fin(struct weft_siw *s, struct ep *ep);
/** The last frame is due: our FIN comes behind it. */
void close_with_last_words(struct weft_siw *s, struct ep *ep, enum ep_input input,
                           enum weft_iwcm_status status);
/** The last frame is with TCP. */
void close_said(struct weft_siw *s, struct ep *ep);
/** In a state that waits for the end: there was progress, the patience begins anew. */
void close_progress(struct weft_siw *s, struct ep *ep);

#endif
