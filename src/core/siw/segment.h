/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What is done with a DDP segment that the framing has found: check it, place it, deliver it. Every
 * error is one for a Terminate.
 */
#ifndef WEFT_CORE_SIW_SEGMENT_H
#define WEFT_CORE_SIW_SEGMENT_H

#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/receiver.h"

/** No error: 0 is one, RDMAP's local catastrophic. */
#define SEGMENT_GOOD (-1)

/** Bytes of a ULPDU that are no payload to place, from its two control octets. */
uint32_t segment_head_bytes(const uint8_t *ulpdu, uint32_t ulpdu_bytes);

/** A segment begins, its head is there: all checks. False: the QP has failed.
 * @param ulpdu        stays where it is until the segment's end
 * @param head_bytes   bytes of it that are there; of a whole header segment_head_bytes()
 * @param ulpdu_bytes  how long it says it is */
bool segment_begin(struct weft_siw *s, struct qp *qp, const uint8_t *ulpdu, uint32_t head_bytes,
                   uint32_t ulpdu_bytes);
/** Payload of it. False: the QP has failed. */
bool segment_payload(struct weft_siw *s, struct qp *qp, const uint8_t *data, uint32_t bytes);
/** Where the next payload belongs, as far as it is contiguous; NULL: nowhere, or it is wrong. */
uint8_t *segment_window(struct weft_siw *s, struct qp *qp, uint32_t *ret_bytes);
/** All of the segment is there. */
void segment_end(struct weft_siw *s, struct qp *qp);

/** The QP fails with an error met in the segment; false. */
bool segment_fail(struct weft_siw *s, struct qp *qp, int error);

/** Where payload goes from `segment.placed` on (place.c).
 * @param ret        the place; NULL: it is not placed anywhere
 * @param ret_bytes  how much fits there, at most what is left of the segment
 * @return an error or SEGMENT_GOOD */
int segment_place(struct weft_siw *s, struct qp *qp, uint8_t **ret, uint32_t *ret_bytes);

/** Checks 8 to 17 and deliveries, by opcode (segment.def). */
int receive_send_check(struct weft_siw *s, struct qp *qp);
void receive_send_deliver(struct weft_siw *s, struct qp *qp);
void receive_send_failed(struct weft_siw *s, struct qp *qp, int error);
/** Whether the peer may write there; ret_at may be NULL. */
int receive_write_permitted(const struct weft_siw *s, const struct qp *qp, uint32_t stag,
                            uint64_t to, uint32_t bytes, uint8_t **ret_at);
int receive_write_check(struct weft_siw *s, struct qp *qp);
void receive_write_deliver(struct weft_siw *s, struct qp *qp);
int receive_read_request_check(struct weft_siw *s, struct qp *qp);
void receive_read_request_deliver(struct weft_siw *s, struct qp *qp);
int receive_read_response_check(struct weft_siw *s, struct qp *qp);
void receive_read_response_deliver(struct weft_siw *s, struct qp *qp);
int receive_terminate_check(struct weft_siw *s, struct qp *qp);
void receive_terminate_deliver(struct weft_siw *s, struct qp *qp);

#endif
