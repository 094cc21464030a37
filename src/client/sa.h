/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Questions to the subnet administration (SA), as a machine above the engine without I/O or clock.
 *
 * Before the first question, and where one stays without an answer, the SA is asked for its
 * ClassPortInfo: whether it lives, and whether it redirects. Each packet that asks, repetitions
 * included, goes to where the SA is at that time, and counts against the rate. How many are under
 * way grows with answers, and halves when the SA says BUSY or nothing; a question is repeated later
 * each time.
 *
 *     sa_sm();                      where the SM is, at first and whenever that changes
 *     sa_ask();                     any number of questions
 *     sa_move();                    posts what is due
 *     sa_event();                   every event of the engine
 *     while (sa_poll())             results
 *     sleep until sa_deadline() or the engine's
 */
#ifndef WEFT_CLIENT_SA_H
#define WEFT_CLIENT_SA_H

#include <weft/mad.h>

/** The longest record. */
#define SA_RECORD_BYTES 200

/** A Notice with the GID of who issued it, as Reports carry it. */
#define SA_NOTICE_BYTES 80

/** How to ask. Fill it with sa_config_init(), then change fields. */
struct sa_config {
    weft_time timeout;       /**< default 1 s: wait for an answer of one packet; not 0 */
    weft_time table_timeout; /**< default 10 s: wait for a whole table; not 0 */
    uint8_t tries;      /**< default 4: packets in a row without an answer after which the SA is
                             taken for silent; at least 1 */
    weft_time patience; /**< default 60 s: longest time for a question while the SA says BUSY, or
                             there is no SM; not 0 */
    struct weft_mad_retry retry; /**< default BACKOFF: base_ns, jitter_ns and cap_ns say how long to
                                      wait before each repetition; FIXED: not at all. BUSY_DELIVER
                                      makes BUSY a result; BUSY_NO_REPLY repeats the question */
    uint32_t window;             /**< default 8: most questions under way, 1..1024 */
    uint32_t rate;               /**< default 50: packets that ask, per second; 1..1000000 */
    uint32_t burst;              /**< default 8: so many at once after a rest; at least 1 */
    uint32_t paths;              /**< default 1024: paths that are kept, up to 2^20; 0: none */
    weft_time path_ttl;          /**< default 60 s: how long one is used without asking again */
    weft_time redirect_ttl;      /**< default 60 s: how long a redirection is followed */
    uint64_t sm_key;             /**< default 0: what the SA shows to trusted clients needs it */
    uint16_t pkey_index;         /**< default 0: of the default partition in the port's table */
    uint64_t seed;               /**< default 1: of the jitter */
};

/** Fills in the defaults. */
void sa_config_init(struct sa_config *ret);

/** A question. Start from zeroes. */
struct sa_question {
    uint8_t method; /**< Get, Set, GetTable or Delete */
    uint16_t attr_id;
    uint32_t attr_mod;
    uint64_t mask; /**< components of record that count */
    uint8_t record[SA_RECORD_BYTES];
    uint64_t about; /**< the owner's: comes back with the result */
};

/** How a question ended. */
enum sa_outcome {
    SA_ANSWERED,  /**< with status 0 */
    SA_REFUSED,   /**< with another status */
    SA_ABSENT,    /**< a port answers there, but no SA */
    SA_SILENT,    /**< nothing came back */
    SA_BUSY,      /**< the SA said BUSY until patience ended, or at once with BUSY_DELIVER */
    SA_NO_SM,     /**< there was no SM to ask until patience ended */
    SA_ABORTED,   /**< each transfer of the answer was ended: see rmpp_status */
    SA_UNSENT,    /**< the port could not send, or the engine would not */
    SA_MALFORMED, /**< what came back is no answer to this */
    SA_NO_MEMORY  /**< there is no memory for the answer */
};

/** A result. */
struct sa_result {
    struct sa_question question;
    enum sa_outcome outcome;
    uint16_t status;     /**< REFUSED and BUSY: of the last answer */
    uint8_t rmpp_status; /**< ABORTED */
    uint16_t lid;        /**< who was asked last; 0: nobody */
    bool cached;         /**< nobody was asked: the path was known */
    uint32_t asked; /**< packets that asked; where the SA's ClassPortInfo got no answer, those */
    uint32_t busy;  /**< answers that said BUSY */
    weft_time took; /**< from the first packet to the end */
    const uint8_t *records; /**< valid until the next sa_poll() */
    uint32_t count;         /**< of them; those of a table stand `stride` apart */
    uint32_t stride;
};

/** A Report that the SA has sent. */
struct sa_report {
    uint8_t notice[SA_NOTICE_BYTES];
};

/** What was done so far. */
struct sa_stats {
    uint32_t window;    /**< questions that may be under way now */
    uint32_t under_way; /**< questions that are */
    uint64_t sent;      /**< packets that asked */
    uint64_t answered;  /**< answers, but for BUSY */
    uint64_t busy;      /**< answers that said BUSY */
    uint64_t silent;    /**< packets without an answer in time */
    uint64_t cached;    /**< questions answered from the cache */
    uint64_t redirects; /**< redirections followed */
    uint64_t reports;   /**< Reports received, and answered */
    uint64_t dropped;   /**< Reports for which there was no room: the SA repeats them */
};

/** Questions to an SA. */
struct sa;

/** What the agent must be: of class SubnAdm with RMPP on QP1.
 * @param reports  it is to receive Reports */
struct weft_mad_agent_req sa_agent(bool reports);

/** Makes one.
 * @param c       how; NULL: the defaults
 * @param engine  whose sends these are
 * @param agent   registered with sa_agent()
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int sa_new(const struct sa_config *c, struct weft_mad_port *engine, weft_mad_agent_id agent,
           struct sa **ret);

/** Frees it with all questions; the engine must hold none of its sends any more. NULL is fine.
 * @return NULL */
struct sa *sa_free(struct sa *s);

/** Says where the SM is. Where that is new, what is under way is asked anew, there; paths and
 * redirections are forgotten.
 * @param lid  0: there is none */
void sa_sm(struct sa *s, weft_time now, uint16_t lid, uint8_t sl);

/** Puts a question. A Get of a path may be answered from the cache.
 * @return 0; WEFT_ERR_INVALID: its method is none of the four; WEFT_ERR_NOMEM */
int sa_ask(struct sa *s, weft_time now, const struct sa_question *q);

/** Posts what is due. */
void sa_move(struct sa *s, weft_time now);

/** When sa_move() must be called next; WEFT_TIME_NEVER: not before an event. */
weft_time sa_deadline(const struct sa *s);

/** Feeds an event of the engine; release a received MAD afterwards. */
void sa_event(struct sa *s, weft_time now, const struct weft_mad_event *ev);

/** Takes the next result, in the order they came.
 * @return false: there is none */
bool sa_poll(struct sa *s, struct sa_result *ret);

/** Takes the next Report.
 * @return false: there is none */
bool sa_poll_report(struct sa *s, struct sa_report *ret);

/** Whether no question is left, and no result. */
bool sa_idle(const struct sa *s);

/** Reads the counters. */
void sa_stats(const struct sa *s, struct sa_stats *ret);

#endif
