/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A fabric daemon for the tests of the drop-in: one node, whose ports answer, stay silent or carry
 * packets from one open port to another, as the destination LID says. It runs in a thread.
 */
#ifndef WEFT_TESTS_UMAD_FIXTURE_H
#define WEFT_TESTS_UMAD_FIXTURE_H

#include "channel/connect.h"
#include "packets.h"

#include <infiniband/umad.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ThreadSanitizer loses count of the locks of a thread that is canceled in a system call. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FAKE_CANCELS false
#endif
#endif
#ifndef FAKE_CANCELS
#define FAKE_CANCELS true
#endif

/* LIDs of those who are there. */
enum fake_lid {
    FAKE_ANSWERS = 1, /* every Get and Set is answered */
    FAKE_SILENT = 2,  /* nothing is */
    FAKE_LOSES = 3,   /* all but every fourth packet are lost, those are answered */
    FAKE_TWICE = 4,   /* every answer comes twice */
    FAKE_PORTS = 100  /* and on: what is sent here arrives at the port opened as number 0, 1, ... */
};

/* How the node is. */
struct fake_node {
    uint8_t type, ports;
    uint8_t states[10]; /* of each port, 4: active */
    uint16_t pkeys;     /* entries of each table */
};

/* Starts the daemon and sets the environment. */
void fake_start(const struct fake_node *n);
/* Ends it and takes the environment back. */
void fake_stop(void);
/* The node of most tests: a channel adapter with two ports, the second active. */
extern const struct fake_node fake_adapter;

/* Packets that programs have sent. */
unsigned fake_sent(void);
/* Agents that the daemon knows. */
unsigned fake_claims(void);
/* Forgets that a port's program sleeps, as one does that ends while it looks at the ring. */
void fake_forget_sleep(unsigned port);
/* Gives a port a packet. */
void fake_inject(unsigned port, const struct packet *p);
/* Takes packets from programs no more, so that their rings run full; or again. */
void fake_hold(bool on);
/* Does nothing at all, as a daemon that is stopped; or goes on. */
void fake_pause(bool on);
/* Whether a port has asked something that the daemon has not looked at. */
bool fake_is_asked(void);
/* Refuses further claims. */
void fake_refuse_claims(bool on);
/* Breaks the positions of a port's ring. */
void fake_break(unsigned port);
/* Closes all connections as a daemon that ends does; `abruptly`: as one that was killed. */
void fake_end(bool abruptly);

/* A header with a MAD behind it, as programs allocate it. */
struct fake_buffer {
    struct ib_user_mad head;
    uint8_t mad[WEFT_MAD_BYTES];
};

/* Makes a request to a LID. */
void fake_request(struct fake_buffer *b, uint8_t mgmt_class, uint16_t lid, uint32_t tid);
/* Opens the port that is chosen when none is named. */
int fake_open(void);
/* Registers an agent for requests. */
int fake_agent(int fd, uint8_t mgmt_class);
/* Sends request `tid` to a LID. */
void fake_send(int fd, int agent, uint16_t lid, uint32_t tid, int timeout_ms, int retries);
/* Receives what must come; gives its length. */
int fake_receive(int fd, int agent, struct fake_buffer *b);

#endif
