/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The daemon's objects: the server and its clients, as the files of this room share them.
 */
#ifndef WEFT_HOST_SERVING_H
#define WEFT_HOST_SERVING_H

#include "channel/message.h"
#include "channel/rings.h"
#include "core/base/index.h"
#include "core/base/list.h"
#include "host/server.h"
#include "host/spin.h"

#include <signal.h>
#include <sys/types.h>
#include <uv.h>

/** How long a client may take to say HELLO. */
#define SERVER_HELLO_NS (5 * WEFT_S)
/** Messages of one client that are dealt with in one go. */
#define SERVER_MESSAGES 64

struct capture; /* capture.h */
struct issm;    /* issm.h */

/** The socket that clients connect to. */
struct listener {
    int fd;   /* the socket, or -1 */
    int lock; /* the locked file beside it, or -1 */
    char path[108];
    char lock_path[116];
};

/** Who is at the other end of a connection. */
struct client {
    struct server *server;
    struct list_node all;     /* in server.clients */
    struct list_node active;  /* in server.active: its ring is looked at */
    struct list_node ringing; /* in server.ringing: it got packets in this round */
    uv_poll_t poll;
    int socket;
    uint32_t slot;   /* in server.slots */
    uint32_t number; /* told to the client, never used again */
    weft_time since; /* connected; the machine's time */
    pid_t pid;
    uid_t uid;
    char program[CHANNEL_PROGRAM_BYTES];

    bool greeted;           /* it has said HELLO and was let in */
    bool leaving;           /* its handle is being closed */
    enum channel_role role; /* once greeted, as is all below */
    uint32_t node;          /* not of CHANNEL_ROLE_CONTROL */
    uint8_t port;
    uint8_t function;            /* of the port */
    struct fabric_attachment at; /* v 0: none */

    struct rings *rings; /* CHANNEL_ROLE_RINGS, else NULL */
    int daemon_bell;     /* an eventfd, or -1 */
    int client_bell;     /* the writing end of a pipe, or -1 */
    uint32_t taken;      /* packets taken from the ring so far */
    weft_time heard_at;  /* when its ring had something last */
    weft_time owed_at;   /* while in server.ringing: since when it is to be rung */
    void *pending;       /* an answer that the socket had no room for, or NULL */
    size_t pending_bytes;

    uint64_t packets_in, packets_out, receiver_full;
};

/** The list of faults that a page was given of: the next page goes on in it, so that many pages of
 * a long list cost no more than the list. */
struct faults_list {
    char *text; /* or NULL */
    size_t space;
    size_t at;       /* where the next page begins */
    uint64_t next;   /* with this line; 0: nowhere */
    weft_time since; /* the machine's time; an old list is worth nothing */
};

/** The daemon. */
struct server {
    struct server_options options;
    struct fabric *fabric;
    uv_loop_t loop;
    uv_signal_t signals[2];
    uv_timer_t second;
    uv_poll_t listening;
    struct listener listener;
    int spare_fd;       /* given up for a moment to refuse somebody when there are no descriptors */
    int bells;          /* an epoll: see loop.c */
    int alarm;          /* a timerfd: deadlines to the nanosecond */
    weft_time alarm_at; /* when it rings, of the machine's time; WEFT_TIME_NEVER */
    struct spin spin;
    bool idle;         /* looked, and found nothing so far */
    weft_time started; /* the machine's time that is the fabric's 0 */
    weft_time now;     /* the fabric's time, for all that is done until server_tick(); it never goes
                          back, so no call to the fabric comes too late */
    weft_time round_at;  /* when the round began; the machine's time */
    weft_time looked_at; /* when everything was looked at last */
    weft_time busy_at;   /* when something was done last */
    bool stopping;
    bool has_loop;                /* libuv's loop exists */
    bool handles;                 /* and its handles */
    struct sigaction pipe_before; /* what SIGPIPE did before server_new() */

    struct list_node clients, active, ringing;
    struct client **slots; /* options.clients pointers, NULL where free */
    uint32_t slot_next;    /* where to look for a free one */
    uint32_t number_next;
    struct index by_attachment;  /* to slots */
    struct client *delivered_to; /* who got the last packet, or NULL: who asks is who is answered */

    struct capture *capture; /* NULL: none */
    struct issm *issm;
    struct faults_list faults;
    struct server_stats stats;
    unsigned char buffer[CHANNEL_MESSAGE_BYTES_MAX]; /* a message being received or made */
};

/** The machine's monotonic time. */
weft_time server_clock(void);
/** The fabric's time at a moment of the machine's; where it would be past the end of time, the last
 * moment before that. */
weft_time server_fabric_time(const struct server *s, weft_time clock);
/** Sets the fabric's time by the machine's; it never goes back. Nothing else reads a clock for the
 * fabric: what one client does at a later moment would make others' packets come too late. */
void server_tick(struct server *s, weft_time clock);
/** The moment of the machine's time at which the fabric's is `t`, or later by rounding. */
weft_time server_clock_at(const struct server *s, weft_time t);

/** Writes why something was refused, and gives the error back. */
int server_refuse(struct fabric_error *error, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
