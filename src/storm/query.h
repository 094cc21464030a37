/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The MADs of a storm: what a client asks the SA, and what the SA answers (IBA 15.2).
 */
#ifndef WEFT_STORM_QUERY_H
#define WEFT_STORM_QUERY_H

#include <weft/wire.h>

/** Bytes of a request that are not all zero: headers, and a record up to its last field used. */
#define STORM_QUERY_BYTES 112

/** The class version of SA MADs (IBA 15.2.1). */
#define STORM_QUERY_CLASS_VERSION 2u

/** The SA's QP and our own. */
#define STORM_QUERY_QPN 1u

/** Writes the request for a query: Set(MCMemberRecord) for a join, Get(PathRecord) for a path.
 * @param ret     STORM_QUERY_BYTES bytes, zeroes when first used
 * @param client  who asks: the low half of its port GUID
 * @param query   the query's number, which stands in for the group or the destination
 * @param is_join join a group, or resolve a path
 * @param tid     low half of the transaction id */
void storm_query_write(uint8_t *ret, uint32_t client, uint32_t query, bool is_join, uint32_t tid);

/** Reads a request as the SA does.
 * @param mad        256 bytes
 * @param ret_query  the query's number; written only on success
 * @return 0; WEFT_ERR_FORMAT: it is no request that storm_query_write() made */
int storm_query_read(const uint8_t *mad, uint32_t *ret_query);

/** The SA's answers, ready but for what differs from one to the next. */
struct storm_query_answers {
    uint8_t join[WEFT_MAD_BYTES];
    uint8_t path[WEFT_MAD_BYTES];
};

/** Prepares the answers. */
void storm_query_answers_init(struct storm_query_answers *a);

/** Writes an answer.
 * @param a        prepared; changed, so the result is valid until the next call
 * @param client   who asked
 * @param query    what
 * @param is_join  as storm_query_write()
 * @param tid      of the request
 * @param status   0 or WEFT_STATUS_BUSY
 * @return 256 bytes */
const uint8_t *storm_query_answer(struct storm_query_answers *a, uint32_t client, uint32_t query,
                                  bool is_join, uint64_t tid, uint16_t status);

#endif
