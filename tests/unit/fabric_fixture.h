/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A small fabric for tests, and programs attached to it that ask questions and get answers.
 *
 * Every program keeps what arrives for it until ff_receive() takes it. Functions fail the test
 * where something goes wrong that the test did not ask about.
 */
#ifndef WEFT_TESTS_FABRIC_FIXTURE_H
#define WEFT_TESTS_FABRIC_FIXTURE_H

#include "fabric/model.h"
#include "pages/pages.h"

#include <weft/wire.h>

/** Two hosts at one switch of four ports: "a" at port 1, "b" at port 2. */
extern const char ff_two_hosts[];
/** "a" - "s1" = "s2" - "b": the hosts at ports 1, two cables between ports 2 and 3 of the switches.
 */
extern const char ff_chain[];

#define FF_PROGRAMS 8
#define FF_INBOX    256

/** A program at a port. */
struct ff_program {
    struct ff *ff;
    struct fabric_attachment id;
    struct fabric_tids tids;
    struct port *port;
    uint32_t next_tid; /* lower half of the next request's transaction id */
    struct packet inbox[FF_INBOX];
    uint32_t first, count;
};

/** A fabric. */
struct ff {
    struct fabric *f;
    weft_time now;
    struct ff_program *programs[FF_PROGRAMS];
};

/** Builds a fabric.
 * @param topology  ff_two_hosts, another text as ibnetdiscover prints it, or a generator's
 *                  ("fat-tree:hosts=36,radix=36")
 * @param c         NULL: the defaults */
struct ff *ff_new(const char *topology, const struct fabric_config *c);
/** Frees it with its programs. */
void ff_free(struct ff *ff);

/** A node by its name. */
struct node *ff_node(const struct ff *ff, const char *name);
/** A port of a node by its number. */
struct port *ff_port(const struct ff *ff, const char *name, uint8_t number);

/** Attaches a program to a node's first port (a switch's port 0). */
struct ff_program *ff_attach(struct ff *ff, const char *name);
/** Attaches a program to a function of that port. */
struct ff_program *ff_attach_function(struct ff *ff, const char *name, uint16_t function);
void ff_detach(struct ff_program *p);
/** Claims methods of a class; a bit each. Vendor classes get the OUI 0x001405. */
uint32_t ff_claim(struct ff_program *p, uint8_t qpn, uint8_t mgmt_class, uint8_t version,
                  uint64_t methods);

/** A directed route: the ports by which to leave, from the program's own node on. */
struct ff_route {
    uint8_t hops;
    uint8_t ports[63];
};
/** For example FF_ROUTE(1, 2): out of the own port 1, then out of the next node's port 2. */
#define FF_ROUTE(...) ((struct ff_route){sizeof((const uint8_t[]){__VA_ARGS__}), {__VA_ARGS__}})
#define FF_ROUTE_SELF ((struct ff_route){0, {0}})

/** Begins a packet: header, transaction id of the program, and for SMPs everything but the data.
 * GMPs get class version 1 (SA: 2) and the GSI's Q_Key. */
struct packet ff_directed(struct ff_program *p, struct ff_route route, uint8_t method,
                          uint16_t attr_id, uint32_t attr_mod);
struct packet ff_lid_smp(struct ff_program *p, uint16_t dlid, uint8_t method, uint16_t attr_id,
                         uint32_t attr_mod);
struct packet ff_gmp(struct ff_program *p, uint16_t dlid, uint8_t mgmt_class, uint8_t method,
                     uint16_t attr_id, uint32_t attr_mod);

/** Where the attribute of an SMP or of a PM MAD begins. */
static inline uint8_t *ff_data(struct packet *p)
{
    return p->mad + WEFT_ATTRIBUTE_OFFSET;
}

/** Sends; what arrives goes to the inboxes. */
void ff_send(struct ff_program *p, const struct packet *packet);
/** Takes the oldest MAD out of the inbox.
 * @return whether there was one */
bool ff_receive(struct ff_program *p, struct packet *ret);
/** Sends and takes the answer, without letting time pass.
 * @return whether there was an answer */
bool ff_ask(struct ff_program *p, const struct packet *packet, struct packet *ret);
/** The status of the answer; fails the test when there is none. In a directed-route SMP without D.
 */
uint16_t ff_status(struct ff_program *p, const struct packet *packet, struct packet *ret);

/** Get of an SM attribute by a directed route; the answer must have status 0. */
struct packet ff_get(struct ff_program *p, struct ff_route route, uint16_t attr_id,
                     uint32_t attr_mod);
/** Set with these 64 bytes; the answer must have status 0. */
struct packet ff_set(struct ff_program *p, struct ff_route route, uint16_t attr_id,
                     uint32_t attr_mod, const uint8_t *data);

/** Lets time pass, from deadline to deadline. */
void ff_advance(struct ff *ff, weft_time by);
/** Fails the test unless every waypoint says what follows from its port. */
void ff_expect_waypoints(const struct ff *ff);
/** Says what a line of the fault vocabulary says; it must be a good one. Waypoints follow. */
void ff_command(struct ff *ff, const char *line);
struct fabric_stats ff_stats(const struct ff *ff);

#endif
