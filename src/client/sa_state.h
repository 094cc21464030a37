/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the files of the SA client share.
 */
#ifndef WEFT_CLIENT_SA_STATE_H
#define WEFT_CLIENT_SA_STATE_H

#include "client/sa_cache.h"
#include "core/base/prng.h"

#include <weft/sa.h>

/** Reports kept for the owner, and answers to them under way. */
#define SA_REPORTS 8

/** `user_data` of answers to Reports begins here. */
#define SA_REPLY_BASE UINT64_C(0x10000)

/** A Report that was answered, by which its repetition is known. */
struct sa_report_seen {
    bool used;
    uint64_t tid;
    struct weft_sa_report report;
};

/** Reports. */
struct sa_reports {
    struct weft_sa_report kept[SA_REPORTS]; /* a ring */
    uint32_t first, count;
    struct sa_report_seen seen[SA_REPORTS]; /* the last ones */
    uint32_t seen_next;
    bool replying[SA_REPORTS];
    uint8_t replies[SA_REPORTS][WEFT_MAD_BYTES];
};

/** A question from weft_sa_ask() to weft_sa_poll(). */
struct sa_job {
    struct sa_job *next;
    struct weft_sa_result result;
    uint8_t *records;
    uint32_t record_bytes;
};

/** Jobs in order. */
struct sa_line {
    struct sa_job *first, *last;
    uint64_t count;
};

enum sa_slot_state {
    SA_SLOT_FREE,
    SA_SLOT_WAITING, /* to be posted when it is due */
    SA_SLOT_OUT,     /* with the engine */
    SA_SLOT_ANSWERED /* its job has ended; the engine still holds the MAD */
};

/** A question in work. */
struct sa_slot {
    enum sa_slot_state state;
    struct sa_job *job; /* NULL: ClassPortInfo is asked for, or ANSWERED */
    weft_mad_send_id send;
    weft_time due;   /* WAITING: not before */
    weft_time until; /* the end of patience */
    weft_time began; /* with the first packet; WEFT_TIME_NEVER: none was sent */
    uint32_t asked, busy;
    uint32_t silent; /* packets in a row that nothing came back for */
    uint8_t hops;    /* redirections in a row */
    bool last_busy;  /* the last answer */
    bool moved;      /* it is canceled because the SM is elsewhere */
    bool doubted;    /* ClassPortInfo was asked for because of its answer */
    bool again;      /* answered so that it is to be asked once more */
    uint16_t status;
    uint8_t mad[WEFT_MAD_BYTES];
};

struct weft_sa {
    struct weft_alloc alloc;
    struct weft_sa_config config;
    struct weft_mad_port *engine;
    weft_mad_agent_id agent;
    struct weft_mad_retry plain; /* for the engine: it repeats nothing */
    struct sa_cache *paths;
    struct prng prng;
    struct sa_line fresh, ended;
    struct sa_job *given; /* what the last result's records belong to */
    struct weft_sa_stats stats;
    struct weft_mad_addr sm, redirect;
    weft_time redirect_until; /* 0: no redirection */
    bool probed;              /* the SA has answered ClassPortInfo */
    weft_time turn;           /* when the bucket of the rate has a place for one more packet */
    uint32_t grown;           /* answers since the window has grown */
    uint64_t tid;
    struct sa_reports reports;
    uint32_t slot_count; /* the window's, and the last one for ClassPortInfo */
    struct sa_slot slots[];
};

/** A time later than another one; it ends at WEFT_TIME_NEVER. */
weft_time sa_later(weft_time now, weft_time by);

/** Whether the answer to a question is a path that may be kept. */
bool sa_is_path_question(const struct weft_sa_question *q);

/** Makes room for the records of a job's result.
 * @return 0, or WEFT_ERR_NOMEM */
int sa_job_room(const struct weft_sa *s, struct sa_job *j, uint32_t bytes);

/** Halves the window: fewer questions at a time. */
void sa_window_shrink(struct weft_sa *s);

/** Ends what is in a slot; where there is no SA, or it is its ClassPortInfo, all that wait, too.
 * @param rmpp_status  with which a table was aborted, else 0 */
void sa_slot_end(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                 enum weft_sa_outcome outcome, uint8_t rmpp_status);

/** An answer to what is in a slot has come. It ends the job, or the slot is marked to be asked once
 * more. */
void sa_answer_received(struct weft_sa *s, weft_time now, struct sa_slot *slot,
                        const struct weft_mad_event *ev);

/** Answers a Report and keeps it. */
void sa_report_received(struct weft_sa *s, weft_time now, const struct weft_mad_event *ev);

/** The answer to a Report has left. */
void sa_report_replied(struct weft_sa *s, uint64_t number);

#endif
