/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The transmitting half of a QP: FPDUs in front of TCP, and what decides which comes next.
 */
#ifndef WEFT_CORE_SIW_TRANSMIT_H
#define WEFT_CORE_SIW_TRANSMIT_H

#include "core/iwarp/ddp_header.h"
#include "core/iwarp/terminate.h"

#include <weft/siw.h>

#include <assert.h>

struct qp;

/** FPDUs in one fill at most, and their bytes, but that an FPDU is never cut. */
#define STAGING_FPDUS     64
#define STAGING_BYTES_MAX (1u << 20)
/** Payload up to so many bytes is copied behind its header: a part less, and one cache line or two
 * to copy. */
#define STAGING_COPY_MAX  256
#define STAGING_AREA      6144
#define STAGING_PARTS     192

/** FPDUs that are being written: heads, tails and small payload in `area`, large payload where the
 * program has it. Taken from a pool when there is something to write, given back when TCP has it.
 */
struct staging {
    uint32_t own, generation; /* the pool's */
    uint32_t part, part_count;
    uint32_t fpdu, fpdu_count;    /* the first that is not with TCP whole; how many */
    uint32_t used;                /* bytes of `area` */
    bool in_area;                 /* the last part is the end of what is used of `area` */
    size_t bytes;                 /* still to be written */
    uint64_t begin, made;         /* where in our stream the first FPDU begins, the last one ends */
    uint64_t ends[STAGING_FPDUS]; /* where each ends */
    struct weft_siw_part parts[STAGING_PARTS];
    uint8_t area[STAGING_AREA];
};

/** What an FPDU carries: `bytes` bytes from a place in some pieces of memory. */
struct payload {
    const struct weft_siw_sge *sge;
    uint32_t offset; /* in all pieces together */
    uint32_t bytes;
};

/** @name The FPDUs themselves (fpdu_tx.c)
 * @{ */

/** Begins at a place of our stream. */
void staging_begin(struct staging *st, uint64_t made);
/** Whether one more FPDU fits, and a Terminate behind it. */
bool staging_room(const struct staging *st);
/** Adds an FPDU.
 * @param behind  what RDMAP puts behind the header, RDMAP_READ_BYTES; or NULL */
void staging_add(struct staging *st, const struct ddp_header *h, const struct rdmap_read *behind,
                 const struct payload *p, bool crc);
/** Adds a Terminate. */
void staging_add_terminate(struct staging *st, const struct terminate *t, bool crc);
/** So many bytes are with TCP. Returns how many FPDUs are now whole there that were not before. */
uint32_t staging_written(struct staging *st, size_t bytes);
/** Forgets all FPDUs of which no byte is with TCP.
 * @return whether one remains, of which some are */
bool staging_cut(struct staging *st);
/** @} */

/** @name Which comes next (transmit.c)
 * @{ */

/** A connection begins. */
void transmit_begin(struct weft_siw *s, struct qp *qp);
/** There may be something to write. */
void transmit_kick(struct weft_siw *s, struct qp *qp);
/** A request that was in the way may be so no more: goes on in the send queue as far as that needs
 * no TCP, completes what is done. */
void transmit_advance(struct weft_siw *s, struct qp *qp);
/** Puts a Terminate behind the FPDU that TCP has a part of, if there is one.
 * @return whether there is one: its memory must stay until that is written */
bool transmit_terminate(struct weft_siw *s, struct qp *qp, const struct terminate *t);
/** Forgets what was not written. */
void transmit_drop(struct weft_siw *s, struct qp *qp);
/** Whether nothing waits to be written. */
bool transmit_idle(const struct qp *qp);
/** @} */

#endif
