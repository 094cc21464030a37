/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What two peers agree on in their MPA frames (RFC 5044 7.1, RFC 6581 6 to 9): functions of what
 * each side brings, and of nothing else.
 */
#ifndef WEFT_CORE_SIW_NEGOTIATE_H
#define WEFT_CORE_SIW_NEGOTIATE_H

#include "core/iwarp/mpa_frame.h"
#include "core/siw/terms.h"

#include <weft/siw.h>

/** What an initiator makes of a reply. */
struct reply_outcome {
    enum weft_iwcm_status status;
    uint16_t terminate; /* the error to tell the peer, an enum terminate_error; 0: none */
    struct terms terms; /* without ulpdu_max; ird and ord also hold when it was rejected */
};

/** What a responder does with a request. */
enum request_verdict {
    REQUEST_ASK,    /* the client decides */
    REQUEST_REJECT, /* it is rejected in its own words */
    REQUEST_DROP    /* it is none: no answer */
};

/** The request of our client. Its private data are borrowed.
 * @retval WEFT_IWCM_BAD_PARAM  more reads than there are, private data that do not fit, or a Read
 *                              as only ready-to-receive frame without reads */
enum weft_iwcm_status negotiate_request(const struct weft_siw_config *c,
                                        const struct weft_iwcm_param *p, struct mpa_frame *ret);

/** The reply to our request.
 * @param verdict  MPA_WHOLE or MPA_BAD_LENGTH */
void negotiate_reply(const struct weft_siw_config *c, const struct mpa_frame *request,
                     enum mpa_verdict verdict, const struct mpa_frame *reply,
                     struct reply_outcome *ret);

/** A peer's request.
 * @param verdict  MPA_WHOLE or MPA_BAD_LENGTH
 * @param ret_ird  reads that we may serve, as far as the peer and the config say
 * @param ret_ord  reads that we may have out */
enum request_verdict negotiate_incoming(const struct weft_siw_config *c, enum mpa_verdict verdict,
                                        const struct mpa_frame *request, uint16_t *ret_ird,
                                        uint16_t *ret_ord);

/** Our client accepts a request. The reply's private data are borrowed.
 * @retval WEFT_IWCM_BAD_PARAM  as above, or fewer reads than the peer wants when they are strict */
enum weft_iwcm_status negotiate_accept(const struct weft_siw_config *c,
                                       const struct mpa_frame *request,
                                       const struct weft_iwcm_param *p, struct mpa_frame *ret_reply,
                                       struct terms *ret_terms);

/** The reply that rejects a request. Its private data are borrowed.
 * @return whether they fit; otherwise the reply is without them */
bool negotiate_reject(const struct mpa_frame *request, const void *private_data, uint16_t bytes,
                      struct mpa_frame *ret);

/** MULPDU (RFC 5044 A.1): what of a DDP segment fits an FPDU.
 * @param mss  of TCP; 0: unknown */
uint16_t negotiate_ulpdu_max(const struct weft_siw_config *c, uint32_t mss);

#endif
