/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a notice says (IBA 13.4.8.2, 14.2.5.1): the data of a trap and of Get(Notice).
 */
#ifndef WEFT_FABRIC_NOTICE_H
#define WEFT_FABRIC_NOTICE_H

#include "fabric/trap.h"

#define NOTICE_BYTES         64
#define NOTICE_DETAILS_BYTES 54

/** What is kept of a notice; the rest is read from the model when it is written. */
struct notice {
    uint32_t about;                      /* port */
    uint16_t trap;                       /* enum trap_number */
    uint8_t changes;                     /* TRAP_CAPABILITY: of enum trap_changed */
    uint8_t cause[NOTICE_DETAILS_BYTES]; /* details of the packet that broke a key's rule, or 0 */
};

/** Keeps what traps 256 to 259 tell of a packet.
 * @param p  the port whose rule it broke */
void notice_set_cause(struct notice *n, const struct port *p, const struct packet *cause);

/** Writes a notice as it is now, with the LID of the port that sends it.
 * @param data  NOTICE_BYTES */
void notice_write(const struct fabric *f, const struct notice *n, uint8_t *data);

/** Writes a notice that says that there is none. */
void notice_write_empty(uint8_t *data);

#endif
