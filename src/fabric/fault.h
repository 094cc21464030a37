/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Faults in force: what is lost, delayed, repeated, corrupted or overtaken, and where.
 */
#ifndef WEFT_FABRIC_FAULT_H
#define WEFT_FABRIC_FAULT_H

#include "fabric/model.h"

/** Faults at one time. A link's fault in both directions counts twice. */
#define FAULTS_MAX      16384
/** The longest delay, jitter or time that a packet is held back. */
#define FAULT_TIME_MAX  (3600 * WEFT_S)
/** A share of 100%. */
#define FAULT_SHARE_ALL 1000000

/** What happens to packets. */
enum fault_kind {
    FAULT_LOSS,      /* a share disappears */
    FAULT_DELAY,     /* all take longer: a fixed time and up to a random one */
    FAULT_DUPLICATE, /* a share arrives twice */
    FAULT_CORRUPT,   /* a share arrives with errors, which the receiver's CRC finds */
    FAULT_REORDER,   /* a share is held back for a time, so that others overtake it */
    FAULT_KINDS      /* in fault_end(): all of them */
};

/** Which packets. */
enum fault_filter {
    FAULT_PACKETS,  /* all; in fault_end(): whatever the filter */
    FAULT_REQUESTS, /* those without R bit, but for TrapRepress */
    FAULT_REPLIES   /* those with R bit, and TrapRepress */
};

/** Where. */
enum fault_place {
    FAULT_ON_PORT,    /* what leaves the port `where` for its cable */
    FAULT_ON_NODE,    /* every link of the node `where`, in both directions */
    FAULT_ON_AGENT,   /* MADs that have come to SMA or PMA of the node `where`; FAULT_LOSS only */
    FAULT_ON_TRANSIT, /* every link between two switches */
    FAULT_ON_ALL      /* every link */
};

/** A fault. */
struct fault {
    enum fault_kind kind;
    enum fault_filter filter;
    enum fault_place place;
    uint32_t where;      /* index of a port or node; 0 for other places */
    uint32_t share;      /* millionths of the packets; FAULT_DELAY: FAULT_SHARE_ALL */
    weft_time delay_ns;  /* FAULT_DELAY, FAULT_REORDER */
    weft_time jitter_ns; /* FAULT_DELAY */
};

/** Makes the table and its chains at ports and nodes, which must be there already.
 * @return 0 or WEFT_ERR_NOMEM */
int faults_new(struct fabric *f);
void faults_free(struct fabric *f);

/** Puts a fault in force, in place of one of the same kind, filter and place.
 * @return 0; WEFT_ERR_FULL: FAULTS_MAX */
int fault_begin(struct fabric *f, const struct fault *what);

/** Ends the faults of a kind at a place, or none.
 * @param where  kind, filter, place and where of them; the rest does not matter */
void fault_end(struct fabric *f, const struct fault *what);

/** Has the faults of a port's link act at another port, which has none. */
void fault_move(struct fabric *f, uint32_t from, uint32_t to);

/** Ends all faults. */
void faults_clear(struct fabric *f);

/** How many more faults there is room for. */
uint32_t faults_room(const struct fabric *f);

/** Whether fault_begin() would replace one. */
bool fault_in_force(const struct fabric *f, const struct fault *what);

/** Walks the faults in force: start with *pos = 0, stop at NULL. */
const struct fault *faults_next(const struct fabric *f, uint32_t *pos);

/** What faults do to one packet on one link. */
struct fault_fate {
    bool lost, corrupt;
    uint8_t copies;  /* besides the packet itself: 0 or 1 */
    weft_time delay; /* besides the link's latency */
};

/** Whether a MAD that has come to a node's SMA or PMA is lost there. */
bool fault_at_agent(struct fabric *f, const struct node *n);

/** Whether any fault is in force: the hot path asks this first. */
static inline bool faults_any(const struct fabric *f)
{
    return f->stats.faults != 0;
}

/** Decides over a packet that leaves a port for its cable: faults of the link, of the nodes at both
 * of its ends, and of the whole fabric.
 * @param from  the port it leaves by */
struct fault_fate fault_on_link(struct fabric *f, const struct port *from, const struct packet *p);

#endif
