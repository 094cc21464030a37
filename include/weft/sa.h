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
 *     weft_sa_sm();                      where the SM is, at first and whenever that changes
 *     weft_sa_ask();                     any number of questions
 *     weft_sa_move();                    posts what is due
 *     weft_sa_event();                   every event of the engine
 *     while (weft_sa_poll())             results
 *     sleep until weft_sa_deadline() or the engine's
 */
#ifndef WEFT_SA_H
#define WEFT_SA_H

#include <weft/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The longest record. */
#define WEFT_SA_RECORD_BYTES 200

/** A Notice with the GID of who issued it, as Reports carry it. */
#define WEFT_SA_NOTICE_BYTES 80

/** How to ask. Fill it with weft_sa_config_init(), then change fields. */
struct weft_sa_config {
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
void weft_sa_config_init(struct weft_sa_config *ret);

/** A question. Start from zeroes. */
struct weft_sa_question {
    uint8_t method; /**< Get, Set, GetTable or Delete */
    uint16_t attr_id;
    uint32_t attr_mod;
    uint64_t mask; /**< components of record that count */
    uint8_t record[WEFT_SA_RECORD_BYTES];
    uint64_t about; /**< the owner's: comes back with the result */
};

/** How a question ended. */
enum weft_sa_outcome {
    WEFT_SA_ANSWERED,  /**< with status 0 */
    WEFT_SA_REFUSED,   /**< with another status */
    WEFT_SA_ABSENT,    /**< a port answers there, but no SA */
    WEFT_SA_SILENT,    /**< nothing came back */
    WEFT_SA_BUSY,      /**< the SA said BUSY until patience ended, or at once with BUSY_DELIVER */
    WEFT_SA_NO_SM,     /**< there was no SM to ask until patience ended */
    WEFT_SA_ABORTED,   /**< each transfer of the answer was ended: see rmpp_status */
    WEFT_SA_UNSENT,    /**< the port could not send, or the engine would not */
    WEFT_SA_MALFORMED, /**< what came back is no answer to this */
    WEFT_SA_NO_MEMORY  /**< there is no memory for the answer */
};

/** A result. */
struct weft_sa_result {
    struct weft_sa_question question;
    enum weft_sa_outcome outcome;
    uint16_t status;     /**< REFUSED and BUSY: of the last answer */
    uint8_t rmpp_status; /**< ABORTED */
    uint16_t lid;        /**< who was asked last; 0: nobody */
    bool cached;         /**< nobody was asked: the path was known */
    uint32_t asked; /**< packets that asked; where the SA's ClassPortInfo got no answer, those */
    uint32_t busy;  /**< answers that said BUSY */
    weft_time took; /**< from the first packet to the end */
    const uint8_t *records; /**< valid until the next weft_sa_poll() */
    uint32_t count;         /**< of them; those of a table stand `stride` apart */
    uint32_t stride;
};

/** A Report that the SA has sent. */
struct weft_sa_report {
    uint8_t notice[WEFT_SA_NOTICE_BYTES];
};

/** What was done so far. */
struct weft_sa_stats {
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
struct weft_sa;

/** What the agent must be: of class SubnAdm with RMPP on QP1.
 * @param reports  it is to receive Reports */
struct weft_mad_agent_req weft_sa_agent(bool reports);

/** Makes one.
 * @param c       how; NULL: the defaults
 * @param engine  whose sends these are
 * @param agent   registered with weft_sa_agent()
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int weft_sa_new(const struct weft_sa_config *c, struct weft_mad_port *engine,
                weft_mad_agent_id agent, struct weft_sa **ret);

/** Frees it with all questions; the engine must hold none of its sends any more. NULL is fine.
 * @return NULL */
struct weft_sa *weft_sa_free(struct weft_sa *s);

/** Says where the SM is. Where that is new, what is under way is asked anew, there; paths and
 * redirections are forgotten.
 * @param lid  0: there is none */
void weft_sa_sm(struct weft_sa *s, weft_time now, uint16_t lid, uint8_t sl);

/** Puts a question. A Get of a path may be answered from the cache.
 * @return 0; WEFT_ERR_INVALID: its method is none of the four; WEFT_ERR_NOMEM */
int weft_sa_ask(struct weft_sa *s, weft_time now, const struct weft_sa_question *q);

/** Posts what is due. */
void weft_sa_move(struct weft_sa *s, weft_time now);

/** When weft_sa_move() must be called next; WEFT_TIME_NEVER: not before an event. */
weft_time weft_sa_deadline(const struct weft_sa *s);

/** Feeds an event of the engine; release a received MAD afterwards. */
void weft_sa_event(struct weft_sa *s, weft_time now, const struct weft_mad_event *ev);

/** Takes the next result, in the order they came.
 * @return false: there is none */
bool weft_sa_poll(struct weft_sa *s, struct weft_sa_result *ret);

/** Takes the next Report.
 * @return false: there is none */
bool weft_sa_poll_report(struct weft_sa *s, struct weft_sa_report *ret);

/** Whether no question is left, and no result. */
bool weft_sa_idle(const struct weft_sa *s);

/** Reads the counters. */
void weft_sa_stats(const struct weft_sa *s, struct weft_sa_stats *ret);

/** All traps, all producers. */
#define WEFT_SA_ANY_TRAP     0xFFFF
#define WEFT_SA_ANY_PRODUCER 0xFFFFFF

/** Makes the Set(InformInfo) that subscribes to a trap of the whole subnet, or ends that.
 * @param trap       number, or WEFT_SA_ANY_TRAP
 * @param subscribe  false: ends it
 * @param ret        the question */
void weft_sa_make_trap(uint16_t trap, bool subscribe, struct weft_sa_question *ret);

/** Makes the Set or Delete(MCMemberRecord) that joins a multicast group that exists, or leaves it.
 * @param mgid      the group
 * @param port_gid  who joins
 * @param state     bits of JoinState: 1 full member, 2 non-member, 4 send-only
 * @param join      false: leaves
 * @param ret       the question */
void weft_sa_make_group(const uint8_t mgid[16], const uint8_t port_gid[16], uint8_t state,
                        bool join, struct weft_sa_question *ret);

/** Makes the Get(PathRecord) for one reversible path.
 * @param sgid  from there
 * @param dgid  to there
 * @param ret   the question */
void weft_sa_make_path(const uint8_t sgid[16], const uint8_t dgid[16],
                       struct weft_sa_question *ret);

#ifdef __cplusplus
}
#endif

#endif
