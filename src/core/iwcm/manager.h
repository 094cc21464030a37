/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The connection manager as its parts share it: ids with their state and references, the queues of
 * events and commands, the registry of QPs.
 */
#ifndef WEFT_CORE_IWCM_MANAGER_H
#define WEFT_CORE_IWCM_MANAGER_H

#include "core/base/alloc.h"
#include "core/base/check.h"
#include "core/base/index.h"
#include "core/base/list.h"
#include "core/base/pool.h"
#include "core/iwcm/iwcm_fsm.h"

#include <weft/iwcm.h>

/** While that many events of an id wait to be polled its client's calls are refused, except for
 * destroy. What calls before that may still bring are at most four more. */
#define EVENTS_BEFORE_CALL 8
#define EVENTS_PER_ID      12

/** The command that is queued for the provider or with it: the reference it holds. */
enum busy {
    BUSY_NONE = WEFT_IWCM_CMDS /* below: enum weft_iwcm_cmd_type */
};

/** What the provider has of an id: the reference it holds. In all states but DESTROYING it follows
 * from the state and the command (audit.c). */
enum hold {
    HOLD_NONE,
    HOLD_LISTENER,   /* it listens; REQUESTs come until UNLISTEN is done */
    HOLD_REQUEST,    /* a peer's request waits for ACCEPT or REJECT */
    HOLD_CONNECTING, /* it has taken CONNECT; REPLY is to come */
    HOLD_ACCEPTING,  /* it has taken ACCEPT; ESTABLISHED is to come */
    HOLD_CONNECTION, /* up, or ending; CLOSE is to come */
    HOLDS
};

/** How hard what the provider holds is to be ended. */
enum ending {
    ENDING_NOT,
    ENDING_ORDERLY, /* CLOSE */
    ENDING_ABRUPT   /* ABORT, REJECT, UNLISTEN */
};

/** Private data on its way to or from the provider. */
struct private_data {
    uint32_t link, generation; /* the pool's */
    uint8_t bytes[WEFT_IWCM_PRIVATE_MAX];
};

/** An event that waits to be polled. What it says of peer and addresses is kept by its id. */
struct event {
    uint32_t link, generation; /* the pool's */
    struct list_node queue;    /* in the manager's queue */
    struct list_node mine;     /* in the events of its id */
    struct iwcm_id *id;
    uint8_t type, call, status;
};

/** Terms, with the private data in a buffer or NULL. */
struct terms {
    struct private_data *data;
    uint16_t bytes, ird, ord;
};

/** A listener or one end of a connection. */
struct iwcm_id {
    uint32_t link, generation; /* the pool's */
    uint8_t state;             /* enum weft_iwcm_state; changed by iwcm_step() alone */
    uint8_t busy;              /* enum busy or enum weft_iwcm_cmd_type */
    uint8_t hold;              /* enum hold */
    uint8_t told;              /* enum ending: what the provider was given for what it holds */
    uint8_t end;               /* enum ending: what the client asked for; counts in CLOSING */
    uint8_t events_waiting;
    uint32_t refs;             /* of the client, of `busy`, of `hold` */
    struct list_node cmd;      /* in the manager's commands until the provider takes it */
    struct list_node events;   /* struct event, by `mine` */
    struct list_node children; /* of a listener: ids that nobody has polled yet, by `sibling` */
    struct list_node sibling;
    struct iwcm_id *listener; /* of such a child */
    bool known;               /* to the client: made by it, or by a REQUEST that it has polled */
    uint64_t user_data;
    uint64_t provider;          /* what the provider calls it */
    uint32_t backlog, requests; /* of a listener: requests that may wait, and that do */
    uint32_t qpn;               /* the QP that is bound to it, or 0 */
    struct terms own, peer;
    struct weft_iw_addr local, remote;
};

struct qp {
    uint32_t link, generation; /* the pool's */
    uint32_t qpn;
    struct iwcm_id *owner; /* who has bound it, or NULL */
};

struct weft_iwcm {
    struct weft_iwcm_config config;
    struct weft_alloc alloc;
    size_t bytes;
    struct pool ids, events, buffers, qps;
    struct index qpns;      /* number -> slot in qps */
    struct list_node queue; /* events to be polled, by `queue` */
    struct list_node cmds;  /* ids with a command to be taken, by `cmd` */
    struct weft_iwcm_stats stats;
};

/* manager.c: ids, states, references */

/** The id, or NULL: it is gone. */
struct iwcm_id *iwcm_find(const struct weft_iwcm *cm, weft_iwcm_id id);
weft_iwcm_id iwcm_handle(const struct weft_iwcm *cm, const struct iwcm_id *c);
/** A new id with the reference of its client; NULL: there is no room, counted. */
struct iwcm_id *iwcm_take(struct weft_iwcm *cm, enum weft_iwcm_state state, uint64_t user_data);
void iwcm_give(struct weft_iwcm *cm, struct iwcm_id *c);
/** The one function that changes a state. */
enum iwcm_verdict iwcm_step(struct iwcm_id *c, enum iwcm_input input);
void iwcm_ref(struct iwcm_id *c);
/** Drops a reference; with the last one the id ends: the caller must not touch it any more. */
void iwcm_unref(struct weft_iwcm *cm, struct iwcm_id *c);
/** Copies terms; the private data go to a buffer. */
void iwcm_terms_set(struct weft_iwcm *cm, struct terms *t, const struct weft_iwcm_param *p);
void iwcm_terms_clear(struct weft_iwcm *cm, struct terms *t);

/* hold.c: what the provider has, and how it is ended */

void iwcm_hold_begin(struct iwcm_id *c, enum hold hold);
/** The provider lets go: the QP is free, a command that it has not taken is withdrawn. */
void iwcm_hold_end(struct weft_iwcm *cm, struct iwcm_id *c);
/** Whether the provider holds what it speaks of. */
bool iwcm_may_say(const struct iwcm_id *c, enum weft_iwcm_upcall_type type);
/** Gives the command that ends what the provider holds, if one is due and nothing is in its way. */
void iwcm_decide(struct weft_iwcm *cm, struct iwcm_id *c);
/** Destroy: what the provider has not taken yet, it never will. */
void iwcm_give_up(struct weft_iwcm *cm, struct iwcm_id *c);

/* cmd.c: commands for the provider */

void iwcm_cmd_give(struct weft_iwcm *cm, struct iwcm_id *c, enum weft_iwcm_cmd_type type);
/** Whether the provider has taken the command and not answered it. */
bool iwcm_cmd_taken(const struct iwcm_id *c);
/** Takes back a command that the provider has not taken. */
void iwcm_cmd_withdraw(struct weft_iwcm *cm, struct iwcm_id *c);

/* event.c: events for the client */

void iwcm_event_put(struct weft_iwcm *cm, struct iwcm_id *c, enum weft_iwcm_event_type type,
                    enum weft_iwcm_call call, enum weft_iwcm_status status);
/** Drops the events of an id that is being destroyed. */
void iwcm_events_drop(struct weft_iwcm *cm, struct iwcm_id *c);
/** Whether an event waits that tells of peer and addresses, which the id keeps. */
bool iwcm_event_tells_terms(const struct iwcm_id *c);

/* call.c: the client's calls */

/** The id if the client knows it, or NULL. */
struct iwcm_id *iwcm_known(const struct weft_iwcm *cm, weft_iwcm_id id);

/* qp.c: queue pairs */

/** @return 0, WEFT_ERR_INVALID: there is none, WEFT_ERR_CONFLICT: it is bound */
int iwcm_qp_free(const struct weft_iwcm *cm, uint32_t qpn);
void iwcm_qp_bind(struct weft_iwcm *cm, struct iwcm_id *c, uint32_t qpn);
/** Unbinds the id's QP, if it has one. */
void iwcm_qp_unbind(struct weft_iwcm *cm, struct iwcm_id *c);

#endif
