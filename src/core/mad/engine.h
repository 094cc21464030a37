/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The engine's objects: port, agent, send, packet, received message, destination.
 *
 * They live in arrays of one allocation. Each array has a pool, whose two words all objects begin
 * with; ids that the host gets are handles of these pools.
 */
#ifndef WEFT_CORE_MAD_ENGINE_H
#define WEFT_CORE_MAD_ENGINE_H

#include "core/base/index.h"
#include "core/base/list.h"
#include "core/base/pool.h"
#include "core/base/prng.h"
#include "core/base/timers.h"
#include "core/mad/send_fsm.h"
#include "core/wire/mad_header.h"

#include <weft/mad.h>
#include <weft/trace.h>
#include <weft/wire.h>

/** Limits that are not configuration. */
enum engine_limits {
    ENGINE_QUEUE_MIN = 64,      /* queue depths are clamped (Linux IB_MAD_QP_MIN_SIZE) */
    ENGINE_QUEUE_MAX = 8192,    /* (Linux IB_MAD_QP_MAX_SIZE) */
    ENGINE_SMP_QUEUE_MAX = 512, /* no more of the queue counts for subnet management's limit */
    ENGINE_SENDS_MAX = 1 << 24, /* slots fit into handles and links */
    ENGINE_AGENTS_MAX = 65535,  /* ids fit into 24 bits with room to spare */
    ENGINE_PEERS_MAX = 1 << 20,
    ENGINE_TRANSFERS_MAX = 1 << 20,
    ENGINE_WINDOW_MAX = 1024,  /* bits of a transfer's map of segments */
    ENGINE_CONTROL_DEPTH = 32, /* packets of the engine's own that may wait or be with the host */
    ENGINE_OUIS_MAX = 8,       /* vendors per class and version (Linux MAX_MGMT_OUI) */
    ENGINE_TID_MAX = 0xffffff, /* agents own 24 bits; some HCAs use the top byte themselves */
    ENGINE_CLASS_VERSIONS = 0x83, /* class versions lie below */
    ENGINE_CLASSES = 0x50         /* classes with agents lie below, but for 0x81 */
};

struct peer;
struct transfer;

/** A FIFO of sends that flow control holds back: those of one agent, or, to a destination with a
 * window, those of one agent to it, made when the first one comes and given back with the last. */
struct backlog {
    uint32_t pool_link;
    uint32_t generation;
    struct list_node sends;
    struct list_node turn;    /* its place in the line of what stops its first send */
    struct list_node by_peer; /* among those of its destination; the agent's own is on no list */
    struct agent *agent;
};

struct agent {
    uint32_t pool_link;
    uint32_t generation;
    bool present; /* registered; an agent that was removed lives on until its last send ends */
    uint8_t qpn, mgmt_class, class_version, rmpp_version;
    bool user_rmpp, send_only, no_recv, has_retry;
    uint32_t oui;
    uint32_t tid; /* upper half of its transaction ids */
    uint32_t live_sends;
    uint64_t methods[2];
    struct backlog backlog;   /* of sends to destinations without a window */
    struct list_node waiting; /* backlogs whose first send waits for this agent's limit */
    struct weft_mad_retry retry;
    struct weft_mad_agent_stats stats; /* its levels decide what the agent may send */
};

/** What a send is. Its state is `state` alone. */
enum send_flags {
    SEND_LIMITED = 1,     /* counts against its agent's limit */
    SEND_ANSWERS = 2,     /* is a response itself */
    SEND_RMPP = 4,        /* is transferred by RMPP */
    SEND_DIRECTED = 8,    /* is a directed-route SMP */
    SEND_GRH = 16,        /* goes with a GRH */
    SEND_NOTED_BUSY = 32, /* changes: the last answer seen said BUSY */
    SEND_NEW_ATTEMPT = 64 /* changes: no packet of the attempt that has begun has left */
};

/** How long a send that is one packet waits. */
struct plain_send {
    weft_time wait;   /* the next wait for an answer */
    weft_time budget; /* time left for waits after retries */
};

/** Sender's side of an RMPP transfer (rules: rmpp_tx.c), and how any transfer failed. */
struct rmpp_send {
    uint32_t segments;    /* in all */
    uint32_t sent;        /* sent last; goes back to acked on a retry */
    uint32_t high;        /* highest ever sent */
    uint32_t acked;       /* highest acknowledged */
    uint32_t window_last; /* highest allowed */
    uint8_t retries;      /* in all, for each window */
    uint8_t retries_left; /* for this window */
    uint8_t status;       /* why the transfer failed */
    bool local;           /* this side ended it */
};

/** The first cache line is all that an answer and the end of a send touch; the second is for
 * sending and retrying, the third for the address. With very many sends outstanding every line is a
 * cache miss. */
struct send {
    uint32_t len;
    uint32_t generation; /* the pool's, as in all objects */
    uint64_t tid;
    struct agent *agent;
    uint64_t user_data;
    struct peer *peer;         /* its destination's window, or NULL */
    struct transfer *transfer; /* its answer, while that arrives in segments */
    weft_time timeout;         /* 0: no answer expected */
    uint16_t attempts;         /* those of which a packet has left */
    uint8_t state;             /* enum weft_mad_state; written by send_step() only */
    uint8_t mgmt_class;
    uint8_t flags;
    uint8_t status; /* enum weft_mad_status, once known */
    uint8_t retries_left;
    uint8_t path_bits; /* of `to` */

    struct list_node queue; /* packets due, or a backlog */
    const uint8_t *data;
    const struct weft_mad_retry *retry;
    weft_time queue_timeout;
    weft_time sent_at; /* when the last packet left */
    union {
        struct plain_send plain; /* without SEND_RMPP */
        struct rmpp_send rmpp;   /* with it, and once the status is RMPP_ABORTED */
    };
    struct weft_mad_addr to;
};

_Static_assert(offsetof(struct send, queue) == 64 && sizeof(struct send) == 192,
               "a send is three cache lines, and an answer touches the first");

/** A destination with its adaptive window. */
struct peer {
    uint32_t pool_link;
    uint32_t generation;
    uint32_t hash;
    struct list_node idle; /* on port->peers_idle while no send uses it */
    uint8_t gid[16];
    uint16_t lid;
    bool by_gid;
    uint32_t users; /* sends that point here */
    uint32_t outstanding;
    uint32_t window;     /* in 1/256 requests */
    uint32_t threshold;  /* below it the window grows by one per answer, above by one per round */
    weft_time shrunk_at; /* losses of requests sent before count as the same loss */
    struct list_node backlogs; /* of sends to it, one for each agent that has some */
    struct list_node waiting;  /* those whose first send waits for the window */
};

/** A packet with the host, or one of the engine's own waiting for it. */
struct tx {
    uint32_t pool_link;
    uint32_t generation;
    struct list_node queue;
    struct send *send; /* NULL: the engine's own (ACK, ABORT, automatic answer) */
    uint8_t qpn;
    bool held;               /* with the host */
    struct weft_mad_addr to; /* the engine's own only */
    _Alignas(16) uint8_t mad[WEFT_MAD_BYTES];
};

/** Where a received message is. */
enum recv_place {
    RECV_GATHERING, /* segments are still coming in */
    RECV_EVENT,     /* in the event queue */
    RECV_HELD       /* with its owner */
};

struct recv {
    uint32_t pool_link;
    uint32_t generation;
    uint8_t place; /* enum recv_place */
    bool solicited, device;
    bool looped; /* DEVICE: it was sent by this port to itself */
    uint8_t qpn;
    uint16_t dlid;
    uint32_t len;
    uint64_t user_data;
    struct agent *agent; /* NULL for DEVICE */
    struct send *local;  /* looped: the send that it is; NULL once its agent was removed */
    uint32_t head_bytes; /* bytes of the message in mad */
    uint32_t stride;     /* bytes of the message per further segment */
    uint32_t blocks, cursor_block, cursor_number; /* segments from the second on */
    struct weft_mad_addr from;
    uint8_t mad[WEFT_MAD_BYTES];
};

/** An incoming RMPP transfer (rules: rmpp_rx.c). */
struct transfer {
    uint32_t pool_link;
    uint32_t generation;
    uint32_t hash;
    bool complete;
    uint8_t mgmt_class, class_version, method;
    uint16_t slid;
    uint32_t src_qpn;
    uint64_t tid;
    struct agent *agent;
    struct send *request;             /* the send it answers; NULL: unsolicited, or complete */
    struct recv *recv;                /* NULL once delivered */
    struct list_node age;             /* among the complete, or the unsolicited still coming in */
    uint32_t window_last;             /* highest segment granted */
    uint32_t arrived;                 /* highest segment of the contiguous run */
    uint32_t last;                    /* number of the segment flagged Last; 0: not seen */
    uint32_t highest;                 /* highest segment stored */
    uint32_t last_len;                /* PayloadLength of the last segment */
    uint32_t edge_block, edge_number; /* block that holds the first segment not arrived */
    uint32_t reply_window;            /* double-sided: what the requester granted for the reply */
    uint64_t map[ENGINE_WINDOW_MAX / 64]; /* bit segment % 1024: stored out of order */
};

/** Segments are stored in blocks of this many, so a hole costs at most a few blocks. The bytes are
 * aligned, as those of packets: copies run at almost twice the speed. */
#define RMPP_BLOCK_SEGMENTS    32
/** Most data bytes of a segment: those of vendor range 2. */
#define RMPP_SEGMENT_BYTES_MAX (WEFT_MAD_BYTES - 40)
struct rmpp_block {
    uint32_t pool_link;
    uint32_t generation;
    uint32_t next;
    _Alignas(16) uint8_t bytes[RMPP_BLOCK_SEGMENTS * RMPP_SEGMENT_BYTES_MAX];
};

/** Packets that are due on one QP. */
struct send_queue {
    struct list_node control; /* the engine's own, they go first */
    struct list_node due;     /* sends with a packet to transmit */
    uint32_t due_count;
    uint32_t held; /* packets of sends with the host */
};

struct weft_mad_port {
    weft_time now;
    struct pool agents, sends, txs, recvs, peers, backlogs, transfers, blocks;
    struct index send_index, peer_index, transfer_index;
    struct timers timers; /* ids: send slots, then transfer slots */
    struct send_queue queues[2];
    uint32_t *events; /* ring of event codes, see event.c */
    uint32_t events_size, events_first, events_count;

    uint32_t outstanding; /* sends that expect an answer, in SEND_START and WAIT_RESP */
    uint32_t queued;
    uint32_t gathering;             /* of the outstanding ones: have a receive buffer already */
    uint32_t gathering_unsolicited; /* transfers still coming in that answer no request */
    uint32_t held_unsolicited;      /* receive buffers of unsolicited MADs */
    bool buffer_claimed; /* the buffer given back last is its former message's to take again */
    uint32_t control_used;
    struct list_node waiting;    /* backlogs whose first send waits for the port's budget */
    struct list_node peers_idle; /* oldest first */
    struct list_node transfers_unsolicited; /* those still coming in, oldest first */
    struct list_node transfers_complete;    /* oldest first */

    uint16_t base_lid;
    uint8_t lmc;
    bool retry_forced;
    uint32_t tid_next;
    struct prng prng;
    struct weft_mad_config config;
    struct weft_mad_port_stats stats; /* counters only; levels are derived */
    struct weft_alloc alloc;
    uint64_t bytes;
};

static inline bool engine_class_in(const struct weft_mad_classes *set, uint8_t mgmt_class)
{
    return (set->bits[mgmt_class / 64] >> (mgmt_class % 64) & 1) != 0;
}

static inline bool send_is_outstanding(const struct send *s)
{
    return s->state == WEFT_MAD_SEND_START || s->state == WEFT_MAD_WAIT_RESP;
}

/** Moves the port's time on.
 * @return 0, or WEFT_ERR_CLOCK when `now` lies before the last one */
static inline int engine_clock(struct weft_mad_port *p, weft_time now)
{
    if (now < p->now)
        return WEFT_ERR_CLOCK;
    p->now = now;
    return 0;
}

/** now + wait, without wrapping. */
static inline weft_time engine_later(weft_time now, weft_time wait)
{
    return wait > WEFT_TIME_NEVER - now ? WEFT_TIME_NEVER : now + wait;
}

static inline void engine_trace(const struct weft_mad_port *p, struct weft_trace_event *ev)
{
    ev->time = p->now;
    p->config.trace(p->config.trace_ctx, ev);
}

#endif
