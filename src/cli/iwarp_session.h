/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One end of iWARP for a command: a loop, a listener or a connection with its QP, waits that end at
 * a deadline or at Ctrl-C, and words for what went wrong.
 */
#ifndef WEFT_CLI_IWARP_SESSION_H
#define WEFT_CLI_IWARP_SESSION_H

#include "cli/iwarp_request.h"
#include "iw/loop.h"

#include <jansson.h>

/** Peers that wait while another one is served; more are rejected. */
#define IWARP_WAITING_MAX 64
#define IWARP_NAME_BYTES  256

enum iwarp_link_state {
    IWARP_LINK_STARTING, /* connect or accept was called */
    IWARP_LINK_UP,
    IWARP_LINK_CLOSING, /* we have begun to end it */
    IWARP_LINK_ENDED
};

/** One connection. */
struct iwarp_link {
    struct iwarp_session *session;
    enum iwarp_link_state state;
    enum weft_iwcm_status status; /* how it ended */
    bool was_up, gone;
    weft_iwcm_id id;
    uint32_t qpn, send_cqn, recv_cqn;
    struct weft_iwcm_param peer; /* its terms; private_data points to the copy below */
    uint8_t private_data[WEFT_IWCM_PRIVATE_MAX];
    struct weft_siw_qp_info terms;  /* as they were when it came up */
    struct weft_siw_qp_info ending; /* as it was when it ended */
    struct weft_iw_addr local, remote;
    void *owner; /* of whoever made it */
};

/** A request that nobody has looked at. */
struct iwarp_waiting {
    weft_iwcm_id id;
    struct weft_iwcm_param peer;
    uint8_t private_data[WEFT_IWCM_PRIVATE_MAX];
    struct weft_iw_addr local, remote;
};

struct iwarp_session {
    const struct iwarp_request *request;
    struct iw_loop *loop;
    struct weft_iwcm *cm;
    struct weft_siw *siw;
    weft_iwcm_id listener;
    bool listener_done;
    enum weft_iwcm_status listener_status;
    struct weft_iw_addr listens_at;
    struct iwarp_waiting waiting[IWARP_WAITING_MAX];
    uint32_t waiting_first, waiting_count;
    /** Asked first for each request; true: it was dealt with. */
    bool (*on_request)(struct iwarp_session *s, const struct iwarp_waiting *w);
    /** Told that a link of an owner has ended for good. */
    void (*on_gone)(struct iwarp_link *l);
    void *owner;
};

/** What a link's QP is made for. */
struct iwarp_link_config {
    uint32_t sends, recvs;
    bool one_cq; /* sends and receives complete in one queue */
};

/** Makes the loop; Ctrl-C and SIGTERM end waits from now on. `connections`: how many there may be
 * at a time.
 * @return CLI_DONE, or CLI_FAILED with a message */
int iwarp_session_open(struct iwarp_session *s, const struct iwarp_request *r,
                       uint32_t connections);
void iwarp_session_close(struct iwarp_session *s);
/** Whether Ctrl-C or SIGTERM came. */
bool iwarp_session_interrupted(void);
/** The clock's time in so many ns. */
weft_time iwarp_session_in(weft_time duration);
/** Turns the loop once and takes in what happened. */
void iwarp_session_turn(struct iwarp_session *s, weft_time deadline);

/** Listens, and says so.
 * @param out  see iwarp_session_announce(); NULL: say nothing
 * @return CLI_DONE, or CLI_FAILED with a message */
int iwarp_session_listen(struct iwarp_session *s, FILE *out);
/** Prints `listening on ADDR:PORT`, for who waits for that. */
void iwarp_session_announce(const struct iwarp_session *s, FILE *out);
/** Waits for the next peer's request.
 * @return false: interrupted, or the deadline has passed */
bool iwarp_session_next(struct iwarp_session *s, weft_time deadline, struct iwarp_waiting *ret);
/** Takes the next one of those that are there.
 * @return whether there was one */
bool iwarp_session_take(struct iwarp_session *s, struct iwarp_waiting *ret);
void iwarp_session_reject(struct iwarp_session *s, const struct iwarp_waiting *w,
                          const struct iwarp_private *p);
/** Waits until the TCP connections of those who were rejected are gone. */
void iwarp_session_settle(struct iwarp_session *s);

/** Makes a link's queues and QP.
 * @return false: there is no room, with a message */
bool iwarp_link_new(struct iwarp_session *s, const struct iwarp_link_config *c,
                    struct iwarp_link *l);
/** Accepts a request on it.
 * @return false: it has ended at once */
bool iwarp_link_accept(struct iwarp_link *l, const struct iwarp_waiting *w,
                       const struct weft_iwcm_param *p);
bool iwarp_link_connect(struct iwarp_link *l, const struct weft_iwcm_param *p);
/** Waits until it is up.
 * @return false: it has ended instead, or was interrupted, or the deadline has passed */
bool iwarp_link_wait_up(struct iwarp_link *l, weft_time deadline);
/** Waits for a completion of either queue.
 * @return false: ended, interrupted, or the deadline has passed, and nothing is there */
bool iwarp_link_wait_wc(struct iwarp_link *l, weft_time deadline, struct weft_siw_wc *ret);
bool iwarp_link_poll(struct iwarp_link *l, struct weft_siw_wc *ret);
/** Begins to end it, in good order or at once. */
void iwarp_link_disconnect(struct iwarp_link *l, bool abrupt);
/** Ends it, in good order if that is possible until the deadline, and frees all of it. */
void iwarp_link_free(struct iwarp_link *l, weft_time deadline);

/** Why a link is not up (any more), in words: what the peer's Terminate says, if there is one. */
const char *iwarp_link_reason(const struct iwarp_link *l, char *ret, size_t bytes);
/** Tells on stderr why connecting failed, and what to try. */
void iwarp_link_tell_failure(const struct iwarp_link *l, const char *peer_command);
/** Prints address and terms: one line. */
void iwarp_link_print(const struct iwarp_link *l, FILE *out);
/** The same as a JSON object, NULL without memory. */
json_t *iwarp_link_json(const struct iwarp_link *l);
/** Private data as hexadecimal digits and, where it is text, as that; `ret` holds it all. */
#define IWARP_PRIVATE_TEXT (4 * WEFT_IWCM_PRIVATE_MAX + 32)
const char *iwarp_private_text(const void *data, uint16_t bytes, char ret[IWARP_PRIVATE_TEXT]);
const char *iwarp_rtr_name(uint8_t rtr);

#endif
