/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Players of iWARP on the loopback: a facade each, whose callbacks note what they were told, do
 * what a test wants in it, and answer what it wants; and TCP peers that speak MPA by hand.
 */
#ifndef WEFT_TESTS_IW_FIXTURE_H
#define WEFT_TESTS_IW_FIXTURE_H

#include "iw/pause.h"

#include <weft/iw.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PLAYER_SEEN_MAX    4096
/* A watchdog, not a measure. */
#define PLAYER_PATIENCE_MS 60000

struct player;

/** What a test does in a callback. */
typedef void (*player_act)(struct player *p, const struct weft_iw_event *event);

struct player_seen {
    enum weft_iw_event_type type;
    weft_iw_id id;
    int status;
    bool rejected, over; /* the callback has returned */
    uint16_t private_bytes;
    uint8_t private_data[WEFT_IWCM_PRIVATE_MAX];
};

struct player {
    struct weft_iw *iw;
    uint32_t cqn;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t count;
    struct player_seen seen[PLAYER_SEEN_MAX];
    /* set before it may be called, or with player_do() */
    player_act act[WEFT_IW_EVENTS];
    int verdict[WEFT_IW_EVENTS];
    uint32_t accepted_qpn; /* of player_accept() */
    bool gate_open;        /* of player_gate() */
    int noted;             /* what an act wants to tell */
};

/** Opens it with room for many, and fast timers. */
void player_open(struct player *p);
void player_close(struct player *p);
/** What is done and answered from now on in callbacks of a type. */
void player_do(struct player *p, enum weft_iw_event_type type, player_act act, int verdict);
/** An act: accept with a new QP. */
void player_accept(struct player *p, const struct weft_iw_event *event);
/** An act: wait for player_open_gate(). */
void player_gate(struct player *p, const struct weft_iw_event *event);
void player_open_gate(struct player *p);
/** Lets `noted` be read by other threads. */
void player_note(struct player *p, int value);
int player_noted(struct player *p);

uint32_t player_qp(struct player *p);
/** An id with a callback that notes; or without one. */
weft_iw_id player_id(struct player *p);
weft_iw_id player_quiet_id(struct player *p);
weft_iw_id player_listen(struct player *p, uint32_t backlog, struct sockaddr_storage *at);
int player_connect(struct player *p, weft_iw_id id, const struct sockaddr_storage *at,
                   uint32_t qpn);
/** A new id that is connected, with the other's; both have their events behind them. */
struct player_pair {
    weft_iw_id client, server;
    uint32_t client_qpn, server_qpn;
};
struct player_pair player_pair(struct player *client, struct player *server,
                               const struct sockaddr_storage *at);

/** How often callbacks were told that; id.v 0: of any id. */
uint32_t player_count(struct player *p, enum weft_iw_event_type type, weft_iw_id id);
/** Waits until they were at least so often; the last one. */
struct player_seen player_wait(struct player *p, enum weft_iw_event_type type, weft_iw_id id,
                               uint32_t wanted);
/** Waits for a state. */
void player_wait_state(struct player *p, weft_iw_id id, enum weft_iwcm_state state);
/** Waits until so many TCP connections and listeners are left, none of them half open. */
void player_wait_endpoints(struct player *p, uint32_t wanted);
enum weft_iwcm_state player_state(struct player *p, weft_iw_id id);

/** TCP by hand. */
int raw_connect(const struct sockaddr_storage *at);
int raw_listen(struct sockaddr_storage *at);
int raw_accept(int listener);
void raw_send(int fd, const void *data, size_t bytes);
void raw_receive(int fd, void *data, size_t bytes);
/** Sends a request (revision 1) or a reply (revision 2), without CRC; takes one. */
void raw_request(int fd);
void raw_reply(int fd, bool reject);
void raw_take_frame(int fd);
void raw_reset(int fd);

/** Delays at every step: from now on in all facades; set it while none is open. */
void pauses_begin(void);
void pauses_end(void);
/** What the calling thread does at every step instead. */
extern _Thread_local void (*pause_here)(enum iw_point point);

#endif
