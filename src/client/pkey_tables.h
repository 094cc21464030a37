/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Reads the P_Key tables of a fabric that was swept: those of CA and router ports and of switches'
 * port 0, which say who is a member of what, and those of external switch ports that enforce
 * partitions. A machine without I/O above the MAD engine, driven as sweep.h says.
 */
#ifndef WEFT_CLIENT_PKEY_TABLES_H
#define WEFT_CLIENT_PKEY_TABLES_H

#include <weft/pkey.h>
#include <weft/sweep.h>

/** The tables. */
struct pkey_tables;

/** Begins to read.
 * @param sweep  has ended; borrowed
 * @param c      how patiently to ask; NULL: the defaults
 * @param agent  for requests of class 0x81 on QP0
 * @param a      where memory comes from, copied; NULL: malloc and free
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_FULL: the nodes say that
 *         they have more than 2^26 entries; WEFT_ERR_NOMEM */
int pkey_tables_new(const struct weft_sweep *sweep, const struct weft_sweep_config *c,
                    weft_mad_agent_id agent, const struct weft_alloc *a, struct pkey_tables **ret);

/** Frees them; the engine must hold none of their sends any more. NULL is fine.
 * @return NULL */
struct pkey_tables *pkey_tables_free(struct pkey_tables *t);

/** The next request to post.
 * @return false: none for now */
bool pkey_tables_poll(struct pkey_tables *t, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of others are ignored. */
void pkey_tables_event(struct pkey_tables *t, const struct weft_mad_event *ev);

/** Whether all has been read that can be. */
bool pkey_tables_done(const struct pkey_tables *t);

/** The table of a port.
 * @param port         as in the sweep
 * @param ret_entries  its entries, 0 when it has none or it was not to be read
 * @return the entries; those of blocks that could not be read are 0 */
const weft_pkey *pkey_tables_get(const struct pkey_tables *t, uint32_t port, uint32_t *ret_entries);

/** Whether a port's table was read to its end. */
bool pkey_tables_complete(const struct pkey_tables *t, uint32_t port);

/** How many tables there are, and how many of them are complete. */
void pkey_tables_count(const struct pkey_tables *t, uint32_t *ret_tables, uint32_t *ret_complete);

#endif
