/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Machines of src/client on a small fabric in virtual time: an engine at a node, and what drives
 * them. Functions fail the test where something goes wrong that the test did not ask about.
 */
#ifndef WEFT_TESTS_CLIENT_FIXTURE_H
#define WEFT_TESTS_CLIENT_FIXTURE_H

#include "client/pkey_tables.h"
#include "client/survey.h"
#include "fabric_fixture.h"

#include <weft/counters.h>

/** An engine at a node of a fabric. */
struct cf {
    struct ff *ff;
    struct weft_mad_port *engine;
    weft_mad_agent_id agent;
    struct fabric_attachment id;
    weft_time now;
    unsigned posts;    /* sends posted so far */
    unsigned packets;  /* sent so far, each try is one */
    unsigned gmps;     /* of these, those to QP1 */
    unsigned most_out; /* sends under way at a time, the most so far */
    unsigned out;
};

/** Makes a fabric with an engine at a node; topology and c as ff_new(). */
struct cf *cf_new(const char *topology, const struct fabric_config *c, const char *node);
void cf_free(struct cf *cf);

/** Sweeps to the end, in virtual time. */
struct weft_sweep *cf_sweep(struct cf *cf, const struct weft_sweep_config *c);
/** The same by what is known from before. */
struct weft_sweep *cf_sweep_expecting(struct cf *cf, const struct weft_sweep_config *c,
                                      const struct weft_sweep_prior *known);
/** Drives a sweep to the end, in virtual time. */
void cf_drive_sweep(struct cf *cf, struct weft_sweep *s);
/** Drives the reading of counters to the end. */
void cf_drive_counters(struct cf *cf, struct weft_counters *c);
/** Drives a sweep and its counters, side by side, to the end. */
void cf_drive_survey(struct cf *cf, struct survey *s);
/** Drives the reading of tables to the end. */
void cf_drive_tables(struct cf *cf, struct pkey_tables *t);
/** Room for what is known of so many ports.
 * @return to be given to weft_sweep_prior_free() */
struct weft_sweep_prior *cf_prior(uint32_t ports);
/** What a sweep knows.
 * @return to be given to weft_sweep_prior_free() */
struct weft_sweep_prior *cf_known(const struct weft_sweep *s);
/** Reads the tables to the end. */
struct pkey_tables *cf_tables(struct cf *cf, const struct weft_sweep *s,
                              const struct weft_sweep_config *c);

/** The node of a sweep that has this name; NULL: none. */
const struct weft_sweep_node *cf_node(const struct weft_sweep *s, const char *name);
/** The number in the sweep of a node's port; the node must be there. */
uint32_t cf_port(const struct weft_sweep *s, const char *name, uint8_t number);

/** An answer to a send that was not posted anywhere: a RECV with this attribute.
 * @param mad  receives the answer's MAD, which the event points to */
struct weft_mad_event cf_answer(const struct weft_mad_send_req *r, const uint8_t *attribute,
                                uint8_t mad[WEFT_MAD_BYTES]);
/** A GUID for whoever is asked by a directed route: another one for each route, the same each time.
 * @param mad  the request */
uint64_t cf_route_guid(const uint8_t *mad);
/** The end of such a send. */
struct weft_mad_event cf_end(const struct weft_mad_send_req *r, enum weft_mad_status status,
                             uint16_t attempts);

#endif
