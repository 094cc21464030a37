/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * An open port: the connection to the daemon, the engine that plays the kernel, and what waits for
 * umad_recv().
 *
 * Everything in it is guarded by its mutex, which nobody holds while it sleeps or can be canceled.
 * Ports that were closed are kept for the next opening, so a program that still uses an old number
 * gets an error and nothing worse.
 */
#ifndef WEFT_UMAD_OPEN_PORT_H
#define WEFT_UMAD_OPEN_PORT_H

#include "channel/connect.h"
#include "umad/message_pool.h"

#include <weft/mad.h>

#include <infiniband/umad.h>
#include <pthread.h>

/** An agent that a program has registered. */
struct agent {
    bool registered;
    bool busy;   /* a thread registers or unregisters it: nobody else's */
    bool rmpp;   /* it sends and receives messages in segments */
    bool claims; /* the daemon knows it, under `number` */
    uint32_t number;
    uint32_t tid; /* upper half of its transaction ids */
    weft_mad_agent_id id;
};

/** Questions that may wait for their answers at a port. */
#define QUESTIONS_MAX 64

/** Questions to the daemon in the order in which they were asked; see question.h. */
struct question_line {
    struct question {
        enum message_type type;
        struct answer *to; /* NULL: nobody waits */
    } questions[QUESTIONS_MAX];
    uint32_t first, count;
    uint32_t late_claims; /* claims among them that nobody waits for */
    bool asked_lid;       /* a question for the LID is among them */
    bool listening;       /* a thread waits at the socket, unlocked */
    pthread_cond_t came;  /* answers have come */
};

struct open_port {
    pthread_mutex_t mutex;
    pthread_cond_t left; /* the last thread has left a port that is being closed */
    struct open_port *next;
    int fd;   /* its number for the program: an eventfd, readable while a message waits */
    int kick; /* an eventfd that wakes the threads that sleep here */
    bool closing;
    bool dead;    /* the fabric has ended */
    bool mourned; /* ... and the program was told */
    struct channel channel;
    uint32_t own; /* our reading position in the ring */
    struct weft_mad_port *engine;
    struct agent agents[UMAD_CA_MAX_AGENTS];
    struct message_pool pool;
    struct message_queue inbox; /* what waits for umad_recv() */
    uint32_t pending;           /* sends that the engine has */
    uint16_t base_lid;          /* of the port, as far as it was needed */
    uint8_t lmc;
    struct question_line line;

    bool watched;       /* umad_get_fd() was called: fd is kept exact */
    bool signaled;      /* fd is readable */
    unsigned users;     /* threads that wait in here, asleep or spinning */
    unsigned receivers; /* those of them in umad_recv() or umad_poll() */
    unsigned sleepers;
    bool armed;            /* the daemon rings for those who sleep */
    bool spinning;         /* one of them looks at the ring by itself */
    unsigned spin_misses;  /* times in a row that nothing came while one looked */
    weft_time sleep_until; /* when the first of those who sleep will look at the timers */
    weft_time pumped_at;   /* when the ring and the timers were looked at last */
    weft_time moved_at;    /* when a packet came or went last */
    bool inherited;        /* it was opened before fork(), by a parent */
    _Atomic bool filled;   /* inbox is not empty: for the one who spins */

    pthread_t receiver; /* the thread that was in umad_recv() last */
    bool has_receiver;
    bool pace_broken;     /* it has not received for long: nobody waits for it */
    unsigned paced;       /* threads in umad_send() that wait for it */
    pthread_cond_t eased; /* it has received something */

    pthread_t keeper;
    bool keeper_runs;
    bool keeper_rests; /* it is to be woken when there is something to do again */
    bool keeper_lost;  /* it ran in a parent before fork() */
    int keeper_wake;   /* an eventfd */
};

/** A stay inside of a port. */
struct visit {
    struct open_port *port;
    int cancel_state; /* the thread's own */
};

/** Opens a port of the node.
 * @param number  the node's port
 * @param ret     its number for the program
 * @return 0; as channel_connect() */
int open_port_new(uint8_t number, int *ret);

/** Closes a port once all threads have left it.
 * @return 0; WEFT_ERR_INVALID: it is not open */
int open_port_close(int fd);

/** Finds an open port and locks it. Until open_port_leave() the thread cannot be canceled.
 * @return false: it is not open */
bool open_port_enter(int fd, struct visit *ret);

/** For a thread that was rung for and does not sleep again: sees to it that others who sleep here
 * are rung for what comes next, and wakes one where something is there already. */
void open_port_pass_on(struct open_port *p);

/** Unlocks, after waking those who sleep beside messages that nobody takes, and the library's
 * thread if nobody else looks after the port now. */
void open_port_leave(struct visit *v);

/** Wakes all who sleep here. */
void open_port_kick(const struct open_port *p);

#endif
