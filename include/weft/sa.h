/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Questions to the subnet administration (SA, IBA 15), as a machine above the engine without I/O or
 * clock: any attribute with Get, Set, GetTable and Delete, tables of any size, and subscriptions
 * with their Reports.
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
 *
 * Redirections (IBA 13.5.2) are followed for a while: to a LID of this subnet with the queue pair,
 * Q_Key and service level that the SA tells; into another partition where the configuration can
 * tell its index; through a router to a GID of another subnet where it knows the own GID. Where one
 * cannot be followed the question ends with WEFT_SA_REFUSED and the status of the redirection.
 *
 * One thread at a time uses a client. Pointers must not be NULL unless their text says so. LIDs,
 * P_Keys and numbers are in host byte order; records are as on the wire, and wire.h reads and
 * writes their fields; GIDs are 16 bytes as on the wire.
 */
#ifndef WEFT_SA_H
#define WEFT_SA_H

#include <weft/mad.h>
#include <weft/pkey.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of the longest record that fits a question: all after the header of one packet. */
#define WEFT_SA_RECORD_BYTES 200

/** Bytes of a Notice with the GID of who issued it, as Reports carry it (IBA 13.4.8.2). */
#define WEFT_SA_NOTICE_BYTES 80

/** How to ask. Fill it with weft_sa_config_init(), then change fields. */
struct weft_sa_config {
    size_t size;             /**< sizeof(struct weft_sa_config), set by the init macro */
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
    const struct weft_pkey_cache *pkeys; /**< the port's P_Key table, to follow redirections into
                                              other partitions; borrowed, and looked into at each
                                              redirection. Default NULL: only those within the
                                              default partition are followed */
    uint8_t gid[16]; /**< default 0: the port's GID at index 0, to follow redirections
                          into other subnets; 0: they are not */
    uint64_t seed;   /**< default 1: of the jitter */
};

/** Fills in every default. Use the macro weft_sa_config_init(), which passes the size.
 * @param ret   where the defaults go
 * @param size  sizeof(struct weft_sa_config) of the program
 * @return 0; WEFT_ERR_INVALID when this library does not know a structure of that size: the program
 *         was built against another version */
int weft_sa_config_init_sized(struct weft_sa_config *ret, size_t size);
/** Fills in every default of a struct weft_sa_config. */
#define weft_sa_config_init(ret) weft_sa_config_init_sized((ret), sizeof(*(ret)))

/** A question. Start from zeroes, or from one of the weft_sa_make_...() calls. */
struct weft_sa_question {
    uint8_t method;    /**< WEFT_METHOD_GET, _SET, _GET_TABLE or _DELETE */
    uint16_t attr_id;  /**< WEFT_ATTR_SA_..., or another attribute of the class */
    uint32_t attr_mod; /**< attribute modifier */
    uint64_t mask;     /**< components of the record that count (IBA 15.2.5) */
    uint8_t record[WEFT_SA_RECORD_BYTES]; /**< the record as on the wire; what is longer than the
                                               attribute's stays 0 */
    uint64_t about;                       /**< the owner's: comes back with the result */
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
    struct weft_sa_question question; /**< as it was put */
    enum weft_sa_outcome outcome;     /**< how it ended */
    uint16_t status;                  /**< REFUSED and BUSY: of the last answer */
    uint8_t rmpp_status;              /**< ABORTED: of the last transfer (IBA 13.6.2.1) */
    uint16_t lid;                     /**< who was asked last; 0: nobody */
    bool cached;                      /**< nobody was asked: the path was known */
    uint32_t asked; /**< packets that asked; where the SA's ClassPortInfo got no answer, those */
    uint32_t busy;  /**< answers that said BUSY */
    weft_time took; /**< from the first packet to the end */
    const uint8_t *records; /**< ANSWERED: as on the wire; valid until the next weft_sa_poll() or
                                 weft_sa_free() */
    uint32_t count;         /**< of them: 1, or as many as the table has, which may be 0 */
    uint32_t stride;        /**< bytes from one record to the next */
};

/** A Report that the SA has sent. */
struct weft_sa_report {
    uint8_t notice[WEFT_SA_NOTICE_BYTES]; /**< the Notice as on the wire, 64 bytes of
                                               WEFT_WIRE_NOTICE and IssuerGID */
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
    uint64_t repeated;  /**< Reports received again, and answered again: they are given out once */
    uint64_t dropped;   /**< Reports for which there was no room: the SA repeats them */
};

/** A client of the SA at one port. */
struct weft_sa;

/** What the agent must be: of class SubnAdm with RMPP on QP1.
 * @param reports  it is to receive Reports
 * @return what to give to weft_mad_agent_add() */
struct weft_mad_agent_req weft_sa_agent(bool reports);

/** Makes one. It knows of no SM yet: weft_sa_sm().
 * @param c       how to ask, copied; NULL: the defaults
 * @param engine  whose sends these are; borrowed until weft_sa_free()
 * @param agent   registered there with weft_sa_agent(), and used by nobody else
 * @param a       where memory comes from, copied; NULL means malloc and free. Each question takes
 *                some while it lasts, each answer as much as its records have
 * @param ret     the client; give it back with weft_sa_free()
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range, or `size` is not this library's;
 *         WEFT_ERR_NOMEM */
int weft_sa_new(const struct weft_sa_config *c, struct weft_mad_port *engine,
                weft_mad_agent_id agent, const struct weft_alloc *a, struct weft_sa **ret);

/** Frees it with all questions. The engine must hold none of its sends any more: the agent was
 * removed and the events were drained, or the engine was freed.
 * @param s  may be NULL
 * @return NULL */
struct weft_sa *weft_sa_free(struct weft_sa *s);

/** Says where the SM is. Where that is new, what is under way is asked anew, there; paths and
 * redirections are forgotten. Subscriptions, memberships and services are not made again: an SA
 * that has moved may not know of them.
 * @param s    the client
 * @param now  the time
 * @param lid  the SM's, as PortInfo:MasterSMLID says; 0: there is none
 * @param sl   service level to it, as PortInfo:MasterSMSL says */
void weft_sa_sm(struct weft_sa *s, weft_time now, uint16_t lid, uint8_t sl);

/** Puts a question; exactly one result will follow. A Get of a path may be answered from what is
 * kept.
 * @param s    the client
 * @param now  the time
 * @param q    the question; copied
 * @return 0; WEFT_ERR_INVALID: its method is none of the four; WEFT_ERR_NOMEM: ask again later */
int weft_sa_ask(struct weft_sa *s, weft_time now, const struct weft_sa_question *q);

/** Posts what is due.
 * @param s    the client
 * @param now  the time */
void weft_sa_move(struct weft_sa *s, weft_time now);

/** When weft_sa_move() must be called next.
 * @param s  the client
 * @return the time, which may be past; WEFT_TIME_NEVER: not before an event */
weft_time weft_sa_deadline(const struct weft_sa *s);

/** Feeds an event of the engine; those of other agents are ignored. Release a received MAD
 * afterwards.
 * @param s    the client
 * @param now  the time
 * @param ev   the event */
void weft_sa_event(struct weft_sa *s, weft_time now, const struct weft_mad_event *ev);

/** Takes the next result, in the order they came.
 * @param s    the client
 * @param ret  the result
 * @return false: there is none */
bool weft_sa_poll(struct weft_sa *s, struct weft_sa_result *ret);

/** Takes the next Report. Eight are kept; further ones are left to the SA, which repeats them.
 * @param s    the client
 * @param ret  the Report; it was answered
 * @return false: there is none */
bool weft_sa_poll_report(struct weft_sa *s, struct weft_sa_report *ret);

/** Whether no question is left, and no result.
 * @param s  the client
 * @return whether that is so; Reports do not count */
bool weft_sa_idle(const struct weft_sa *s);

/** Reads the counters.
 * @param s    the client
 * @param ret  the counters */
void weft_sa_stats(const struct weft_sa *s, struct weft_sa_stats *ret);

/** All traps (IBA 13.4.8.3, InformInfo). */
#define WEFT_SA_ANY_TRAP     0xFFFF
/** All producers: whatever kind of node a trap is about. */
#define WEFT_SA_ANY_PRODUCER 0xFFFFFF

/** Makes the Set(InformInfo) that subscribes to a trap of the whole subnet, or ends that. Reports
 * come to QP1 of the port that asks.
 * @param trap       number, or WEFT_SA_ANY_TRAP
 * @param subscribe  false: ends it
 * @param ret        the question */
void weft_sa_make_trap(uint16_t trap, bool subscribe, struct weft_sa_question *ret);

/** Makes the Set or Delete(MCMemberRecord) that joins a multicast group that exists, or leaves it
 * (IBA 15.2.5.17).
 * @param mgid      the group
 * @param port_gid  who joins
 * @param state     bits of JoinState: 1 full member, 2 non-member, 4 send-only
 * @param join      false: leaves
 * @param ret       the question */
void weft_sa_make_group(const uint8_t mgid[16], const uint8_t port_gid[16], uint8_t state,
                        bool join, struct weft_sa_question *ret);

/** What a service is registered as (IBA 15.2.5.14). Start from zeroes. */
struct weft_sa_service {
    uint64_t id;      /**< ServiceID */
    uint8_t gid[16];  /**< of the port that offers it */
    weft_pkey pkey;   /**< of the partition in which */
    uint32_t lease_s; /**< for how many seconds; UINT32_MAX: for ever */
    const char *name; /**< ServiceName, of at most 63 bytes; what is longer is cut. Read during the
                           call only; NULL: none */
};

/** Makes the Set or Delete(ServiceRecord) that registers a service, or takes it back.
 * @param service    the service; lease_s does not matter to taking back
 * @param registers  false: takes it back
 * @param ret        the question */
void weft_sa_make_service(const struct weft_sa_service *service, bool registers,
                          struct weft_sa_question *ret);

/** Makes the Get(PathRecord) for one reversible path (IBA 15.2.5.16).
 * @param sgid  from there
 * @param dgid  to there
 * @param ret   the question */
void weft_sa_make_path(const uint8_t sgid[16], const uint8_t dgid[16],
                       struct weft_sa_question *ret);

/** Makes the GetTable(NodeRecord) for a node: one record for each of its end ports (IBA 15.2.5.2).
 * @param node_guid  its NodeGUID; 0: all nodes
 * @param ret        the question */
void weft_sa_make_node(uint64_t node_guid, struct weft_sa_question *ret);

/** Makes the GetTable(PortInfoRecord) for the ports of who has a LID (IBA 15.2.5.3).
 * @param lid   of the end port; 0: all ports of the subnet
 * @param port  one port of it, by number; WEFT_SA_ALL_PORTS: all
 * @param ret   the question */
void weft_sa_make_port_info(uint16_t lid, uint8_t port, struct weft_sa_question *ret);

/** In place of a port's number: all of them. */
#define WEFT_SA_ALL_PORTS 255

/** Makes the GetTable(LinkRecord) for the links from who has a LID (IBA 15.2.5.13).
 * @param lid  of the end port; 0: all links, each in both directions
 * @param ret  the question */
void weft_sa_make_links(uint16_t lid, struct weft_sa_question *ret);

#ifdef __cplusplus
}
#endif

#endif
