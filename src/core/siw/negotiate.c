/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What two peers agree on in their MPA frames. */
#include "core/siw/negotiate.h"

#include "core/base/check.h"
#include "core/iwarp/ddp_header.h"
#include "core/iwarp/terminate.h"

/* Of a TCP whose segments nobody told: Ethernet's. */
#define MSS_UNKNOWN   1460
/* RFC 5044 wants at least this of a TCP. */
#define MSS_MIN       128
/* The longest FPDU whose ULPDU_Length fits, a multiple of four. */
#define FPDU_EVEN_MAX 65532

static uint16_t smaller(uint16_t a, uint16_t b)
{
    return a < b ? a : b;
}

static bool private_fits(bool enhanced, uint16_t bytes)
{
    return bytes <= MPA_PRIVATE_MAX - (enhanced ? MPA_ENHANCED_BYTES : 0);
}

/* One ready-to-receive frame of a set. A Write costs nobody anything; a Read needs a free slot for
 * reads on both sides; a Send needs care on a receive queue. */
static uint8_t rtr_choose(uint8_t set)
{
    if (set & MPA_RTR_WRITE)
        return MPA_RTR_WRITE;
    return set & MPA_RTR_READ ? MPA_RTR_READ : set & MPA_RTR_SEND;
}

enum weft_iwcm_status negotiate_request(const struct weft_siw_config *c,
                                        const struct weft_iwcm_param *p, struct mpa_frame *ret)
{
    bool enhanced = c->mpa_revision == 2;
    uint8_t rtr = enhanced ? c->rtr : MPA_RTR_NONE;

    if (p->ird > c->ird_max || p->ord > c->ord_max || !private_fits(enhanced, p->private_bytes))
        return WEFT_IWCM_BAD_PARAM;
    if (rtr && p->ord == 0) {
        rtr &= (uint8_t)~MPA_RTR_READ;
        if (!rtr)
            return WEFT_IWCM_BAD_PARAM;
    }
    *ret = (struct mpa_frame){
        .markers = c->markers,
        .crc = c->crc != WEFT_SIW_CRC_OFF,
        .enhanced = enhanced,
        .revision = c->mpa_revision,
        .peer_to_peer = rtr != MPA_RTR_NONE,
        .rtr = rtr,
        .ird = p->ird,
        .ord = p->ord,
        .private_data = p->private_data,
        .private_bytes = p->private_bytes,
    };
    return WEFT_IWCM_OK;
}

/* The peer's words about reads, from our side: what it has out we serve, what it serves we have
 * out (RFC 6581 6). */
static bool reply_reads(const struct weft_siw_config *c, const struct mpa_frame *reply,
                        struct terms *t)
{
    if (!reply->enhanced)
        return true;
    if (reply->ord != MPA_READS_NONE) {
        if (reply->ord > t->ird && (c->strict_reads || reply->ord > c->ird_max))
            return false;
        t->ird = reply->ord;
    }
    if (reply->ird != MPA_READS_NONE) {
        if (reply->ird < t->ord && c->strict_reads)
            return false;
        t->ord = smaller(t->ord, reply->ird);
    }
    return true;
}

/* The reply chooses the frame we begin with. A peer that does not echo A has taken us for a
 * client of client-server, which we are, too, when it must be. */
static bool reply_rtr(const struct mpa_frame *request, const struct mpa_frame *reply,
                      struct terms *t)
{
    if (!request->peer_to_peer || !reply->enhanced || !reply->peer_to_peer)
        return true;
    t->peer_to_peer = true;
    t->rtr = rtr_choose(request->rtr & reply->rtr);
    return t->rtr != MPA_RTR_NONE && (t->rtr != MPA_RTR_READ || t->ord > 0);
}

/* The flags of a reply that does not reject. */
static enum weft_iwcm_status reply_flags(const struct weft_siw_config *c,
                                         const struct mpa_frame *request, enum mpa_verdict verdict,
                                         const struct mpa_frame *reply)
{
    if (request->revision == 2 && (reply->revision != 2 || !reply->enhanced))
        return WEFT_IWCM_RESET;
    if (reply->revision != request->revision || verdict != MPA_WHOLE)
        return WEFT_IWCM_PROTOCOL;
    if (reply->markers || (c->crc == WEFT_SIW_CRC_REQUIRED && !reply->crc))
        return WEFT_IWCM_REFUSED;
    return WEFT_IWCM_OK;
}

void negotiate_reply(const struct weft_siw_config *c, const struct mpa_frame *request,
                     enum mpa_verdict verdict, const struct mpa_frame *reply,
                     struct reply_outcome *ret)
{
    struct terms *t = &ret->terms;

    WEFT_ASSERT(verdict == MPA_WHOLE || verdict == MPA_BAD_LENGTH);
    *ret = (struct reply_outcome){.status = WEFT_IWCM_OK};
    *t = (struct terms){.initiator = true,
                        .crc = request->crc || reply->crc,
                        .enhanced = reply->enhanced,
                        .revision = reply->revision,
                        .ird = request->ird,
                        .ord = request->ord};
    if (!reply->reply || reply->revision < 1 || reply->revision > 2) {
        ret->status = WEFT_IWCM_PROTOCOL;
        return;
    }
    if (reply->rejected && verdict == MPA_WHOLE) {
        ret->status = WEFT_IWCM_REJECTED;
        return;
    }
    ret->status = reply_flags(c, request, verdict, reply);
    if (ret->status != WEFT_IWCM_OK)
        return;
    if (!reply_reads(c, reply, t))
        ret->terminate = TERMINATE_IRD;
    else if (!reply_rtr(request, reply, t))
        ret->terminate = TERMINATE_RTR;
    if (ret->terminate)
        ret->status = WEFT_IWCM_PROTOCOL;
}

/* What a peer says about reads, as far as it says anything. */
static uint16_t peer_reads(const struct mpa_frame *request, uint16_t reads, uint16_t max)
{
    return request->enhanced && reads != MPA_READS_NONE ? smaller(reads, max) : max;
}

enum request_verdict negotiate_incoming(const struct weft_siw_config *c, enum mpa_verdict verdict,
                                        const struct mpa_frame *request, uint16_t *ret_ird,
                                        uint16_t *ret_ord)
{
    WEFT_ASSERT(verdict == MPA_WHOLE || verdict == MPA_BAD_LENGTH);
    if (request->reply || request->revision < 1 || request->revision > 2)
        return REQUEST_DROP;
    if (verdict == MPA_BAD_LENGTH || request->markers)
        return REQUEST_REJECT;
    *ret_ird = peer_reads(request, request->ord, c->ird_max);
    *ret_ord = peer_reads(request, request->ird, c->ord_max);
    return REQUEST_ASK;
}

/* The reads of an accepted connection, from our side. */
static enum weft_iwcm_status accept_reads(const struct weft_siw_config *c,
                                          const struct mpa_frame *request,
                                          const struct weft_iwcm_param *p, struct terms *t)
{
    uint16_t wanted, served;

    if (p->ird > c->ird_max || p->ord > c->ord_max)
        return WEFT_IWCM_BAD_PARAM;
    t->ird = p->ird;
    t->ord = p->ord;
    if (!request->enhanced)
        return WEFT_IWCM_OK;
    wanted = request->ord == MPA_READS_NONE ? 0 : smaller(request->ord, c->ird_max);
    served = peer_reads(request, request->ird, c->ord_max);
    if (c->strict_reads && (p->ird < wanted || p->ord > served))
        return WEFT_IWCM_BAD_PARAM;
    if (t->ird < wanted)
        t->ird = wanted;
    t->ord = smaller(t->ord, served);
    return WEFT_IWCM_OK;
}

enum weft_iwcm_status negotiate_accept(const struct weft_siw_config *c,
                                       const struct mpa_frame *request,
                                       const struct weft_iwcm_param *p, struct mpa_frame *ret_reply,
                                       struct terms *ret_terms)
{
    struct terms t = {.crc = request->crc || c->crc != WEFT_SIW_CRC_OFF,
                      .enhanced = request->enhanced,
                      .peer_to_peer = request->enhanced && request->peer_to_peer,
                      .revision = request->revision};

    if (!private_fits(request->enhanced, p->private_bytes) ||
        accept_reads(c, request, p, &t) != WEFT_IWCM_OK)
        return WEFT_IWCM_BAD_PARAM;
    if (t.peer_to_peer) {
        uint8_t offered = request->rtr;

        /* we could not serve the Read, or the peer has none to have out */
        if (t.ird == 0 || request->ord == 0)
            offered &= (uint8_t)~MPA_RTR_READ;
        t.rtr = offered ? rtr_choose(offered) : MPA_RTR_WRITE;
    }
    *ret_reply = (struct mpa_frame){
        .reply = true,
        .crc = t.crc,
        .enhanced = request->enhanced,
        .revision = request->revision,
        .peer_to_peer = t.peer_to_peer,
        .rtr = t.rtr,
        /* who does not negotiate is not answered with a number either */
        .ird = request->ord == MPA_READS_NONE ? MPA_READS_NONE : t.ird,
        .ord = request->ird == MPA_READS_NONE ? MPA_READS_NONE : t.ord,
        .private_data = p->private_data,
        .private_bytes = p->private_bytes,
    };
    *ret_terms = t;
    return WEFT_IWCM_OK;
}

bool negotiate_reject(const struct mpa_frame *request, const void *private_data, uint16_t bytes,
                      struct mpa_frame *ret)
{
    bool fits = private_fits(request->enhanced, bytes);

    *ret = (struct mpa_frame){
        .reply = true,
        .rejected = true,
        .enhanced = request->enhanced,
        .revision = request->revision,
        .private_data = fits ? private_data : NULL,
        .private_bytes = fits ? bytes : 0,
    };
    return fits;
}

uint16_t negotiate_ulpdu_max(const struct weft_siw_config *c, uint32_t mss)
{
    uint32_t fpdu = c->segment_bytes ? c->segment_bytes : mss ? mss : MSS_UNKNOWN;

    if (fpdu < MSS_MIN)
        fpdu = MSS_MIN;
    if (fpdu > FPDU_EVEN_MAX)
        fpdu = FPDU_EVEN_MAX;
    return (uint16_t)(fpdu - fpdu % 4 - MPA_LENGTH_BYTES - MPA_CRC_BYTES);
}
