/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A QP that receives, for unit tests and fuzzing: the real queues, regions and stream, under a
 * connection that only counts what it is told. Included by one file of a program.
 */
#ifndef WEFT_TESTS_SIW_RECEIVE_H
#define WEFT_TESTS_SIW_RECEIVE_H

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/ep.h"
#include "core/siw/qp.h"
#include "core/siw/stream.h"

#include <stdlib.h>
#include <string.h>

enum {
    LAB_PD = 7,
    LAB_BYTES = 4096, /* of each region */
    LAB_GUARD = 64,   /* bytes round each of them */
    LAB_RECVS = 64,
    LAB_OUT = 1 << 17,
    LAB_FILL = 0xA5
};

/** The regions; their STags are LAB_STAG(). */
enum lab_region {
    LAB_ALL,     /* everything is allowed */
    LAB_READ,    /* the peer may read it only */
    LAB_WRITE,   /* the peer may write it only */
    LAB_FOREIGN, /* of another protection domain */
    LAB_LOCAL,   /* nothing for the peer: receives and our own reads */
    LAB_REGIONS
};
#define LAB_STAG(region) (((uint32_t)(region) + 1) << 8 | 0x11)
/** The tagged offset of each region's first byte. */
#define LAB_TO           0x1000u

/** What a test has. */
struct lab {
    struct weft_siw s;
    struct ep ep;
    struct qp *qp;
    uint32_t qpn, send_cqn, recv_cqn;
    uint8_t memory[LAB_REGIONS][LAB_GUARD + LAB_BYTES + LAB_GUARD];
    uint32_t stags[LAB_REGIONS];
    /* what the connection was told */
    uint32_t outputs, ready, drained, failed, terminated, peer_terminated;
    bool terminate_due;
    uint32_t recvs_when_ready; /* completions that were there when `ready` was told */
    uint8_t *out;              /* what the QP has written */
    size_t out_bytes;
};

static inline struct lab *lab_of(struct weft_siw *s)
{
    return WEFT_CONTAINER_OF(s, struct lab, s);
}

void connection_output(struct weft_siw *s, struct ep *ep)
{
    (void)ep;
    lab_of(s)->outputs++;
}

void connection_peer_ready(struct weft_siw *s, struct ep *ep)
{
    (void)ep;
    lab_of(s)->ready++;
    lab_of(s)->recvs_when_ready = lab_of(s)->qp->recv_cq->count;
}

void connection_drained(struct weft_siw *s, struct ep *ep)
{
    (void)ep;
    lab_of(s)->drained++;
}

void connection_failed(struct weft_siw *s, struct ep *ep, bool terminate_due)
{
    (void)ep;
    lab_of(s)->failed++;
    lab_of(s)->terminate_due = terminate_due;
}

void connection_terminated(struct weft_siw *s, struct ep *ep)
{
    (void)ep;
    lab_of(s)->terminated++;
}

void connection_peer_terminated(struct weft_siw *s, struct ep *ep)
{
    (void)ep;
    lab_of(s)->peer_terminated++;
}

void connection_arm(struct weft_siw *s, struct ep *ep, weft_time deadline)
{
    (void)s;
    (void)ep;
    (void)deadline;
}

void *siw_take(struct weft_siw *s, uint64_t bytes, size_t align)
{
    s->bytes += (size_t)bytes;
    return aligned_alloc(align, ((size_t)bytes + align - 1) / align * align);
}

void siw_give(struct weft_siw *s, void *p, uint64_t bytes)
{
    if (p)
        s->bytes -= (size_t)bytes;
    free(p);
}

int weft_iwcm_qp_add(struct weft_iwcm *cm, uint32_t qpn)
{
    (void)cm;
    (void)qpn;
    return 0;
}

int weft_iwcm_qp_remove(struct weft_iwcm *cm, uint32_t qpn)
{
    (void)cm;
    (void)qpn;
    return 0;
}

int weft_iwcm_qp_owner(const struct weft_iwcm *cm, uint32_t qpn, weft_iwcm_id *ret)
{
    (void)cm;
    (void)qpn;
    (void)ret;
    return WEFT_ERR_NOTFOUND;
}

/** Stops when a belief of the test itself is wrong. */
static inline void lab_require(bool cond)
{
    if (!cond)
        abort();
}

static inline uint8_t *lab_at(struct lab *lab, enum lab_region region)
{
    return lab->memory[region] + LAB_GUARD;
}

static inline void lab_register(struct lab *lab, enum lab_region region, uint8_t access,
                                uint32_t pd)
{
    struct weft_siw_region r = {.base = lab_at(lab, region),
                                .bytes = LAB_BYTES,
                                .to = LAB_TO,
                                .pd = pd,
                                .access = access,
                                .key = 0x11};

    lab_require(weft_siw_region_register(&lab->s, &r, &lab->stags[region]) == 0);
    lab_require(lab->stags[region] == LAB_STAG(region));
}

/** A connected QP.
 * @param t  its terms; ulpdu_max may be 0: 1024 */
static inline struct lab *lab_new(const struct terms *t)
{
    struct lab *lab = calloc(1, sizeof(*lab));
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct weft_siw_qp_config q = {.pd = LAB_PD, .sends = 64, .recvs = LAB_RECVS};
    struct terms terms = *t;

    lab_require(lab != NULL);
    c.qps = c.cqs = 2;
    c.cq_entries = c.requests = 256;
    c.regions = 16;
    c.nudge_ns = 0;
    lab->s.config = c;
    lab->out = malloc(LAB_OUT);
    lab_require(lab->out && verbs_new(&lab->s) == 0);
    lab_require(weft_siw_cq_create(&lab->s, 128, &lab->send_cqn) == 0);
    lab_require(weft_siw_cq_create(&lab->s, 128, &lab->recv_cqn) == 0);
    q.send_cqn = lab->send_cqn;
    q.recv_cqn = lab->recv_cqn;
    lab_require(weft_siw_qp_create(&lab->s, &q, &lab->qpn) == 0);
    lab->qp = qp_find(&lab->s, lab->qpn);
    memset(lab->memory, LAB_FILL, sizeof(lab->memory));
    lab_register(lab, LAB_ALL, 15, LAB_PD);
    lab_register(lab, LAB_READ, WEFT_SIW_REMOTE_READ, LAB_PD);
    lab_register(lab, LAB_WRITE, WEFT_SIW_REMOTE_WRITE, LAB_PD);
    lab_register(lab, LAB_FOREIGN, 15, LAB_PD + 1);
    lab_register(lab, LAB_LOCAL, WEFT_SIW_LOCAL_WRITE, LAB_PD);
    if (terms.ulpdu_max == 0)
        terms.ulpdu_max = 1024;
    qp_connect(&lab->s, lab->qp, &lab->ep, &terms);
    return lab;
}

/** Takes what the QP has to write. */
static inline void lab_drain(struct lab *lab)
{
    const struct weft_siw_part *parts;
    uint32_t count;
    size_t bytes;

    while (qp_fill(&lab->s, lab->qp, &parts, &count, &bytes)) {
        for (uint32_t i = 0; i < count; i++) {
            lab_require(lab->out_bytes + parts[i].bytes <= LAB_OUT);
            if (parts[i].bytes > 0)
                memcpy(lab->out + lab->out_bytes, parts[i].data, parts[i].bytes);
            lab->out_bytes += parts[i].bytes;
        }
        qp_written(&lab->s, lab->qp, bytes);
    }
}

/** Posts a receive of one piece; address and length are the test's. */
static inline void lab_recv(struct lab *lab, uint64_t wr_id, void *addr, uint32_t bytes)
{
    struct weft_siw_sge sge = {.addr = addr, .bytes = bytes};
    struct weft_siw_recv wr = {.wr_id = wr_id, .sge = &sge, .sge_count = 1};

    lab_require(weft_siw_post_recv(&lab->s, lab->qpn, &wr) == 0);
}

/** Posts an RDMA Read into a region and takes its request off the QP. */
static inline void lab_read(struct lab *lab, uint64_t wr_id, enum lab_region region,
                            uint32_t offset, uint32_t bytes)
{
    struct weft_siw_sge sge = {
        .addr = lab_at(lab, region) + offset, .bytes = bytes, .stag = LAB_STAG(region)};
    struct weft_siw_send wr = {.wr_id = wr_id,
                               .opcode = WEFT_SIW_READ,
                               .flags = WEFT_SIW_SIGNALED,
                               .sge = &sge,
                               .sge_count = 1,
                               .remote_stag = 0x99,
                               .remote_to = 0x5000};

    lab_require(weft_siw_post_send(&lab->s, 0, lab->qpn, &wr) == 0);
    lab_drain(lab);
    lab->out_bytes = 0;
}

/** Whether the bytes round all regions are what they were. */
static inline bool lab_guards_whole(const struct lab *lab)
{
    for (int r = 0; r < LAB_REGIONS; r++) {
        for (int i = 0; i < LAB_GUARD; i++) {
            if (lab->memory[r][i] != LAB_FILL ||
                lab->memory[r][LAB_GUARD + LAB_BYTES + i] != LAB_FILL)
                return false;
        }
    }
    return true;
}

static inline void lab_free(struct lab *lab)
{
    if (lab->qp->ep)
        qp_unbind(&lab->s, lab->qp, false);
    lab_require(lab->s.verbs.partials.used == 0);
    verbs_free(&lab->s);
    lab_require(lab->s.bytes == 0);
    free(lab->out);
    free(lab);
}

/** @name The peer's stream, made slowly and obviously
 * @{ */
#define PEER_MAX (1u << 17)

struct peer {
    uint8_t *bytes;
    size_t count;
    bool crc;
};

static inline void peer_init(struct peer *p, bool crc)
{
    *p = (struct peer){.bytes = malloc(PEER_MAX), .crc = crc};
    lab_require(p->bytes != NULL);
}

static inline void peer_byte(struct peer *p, uint8_t byte)
{
    lab_require(p->count < PEER_MAX);
    p->bytes[p->count++] = byte;
}

static inline void peer_number(struct peer *p, uint64_t value, int bytes)
{
    while (bytes-- > 0)
        peer_byte(p, (uint8_t)(value >> (8 * bytes)));
}

static inline uint32_t slow_crc32c(const uint8_t *data, size_t bytes)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

/** An FPDU: a ULPDU of headers and payload. */
static inline void peer_fpdu(struct peer *p, const void *head, size_t head_bytes,
                             const void *payload, size_t payload_bytes)
{
    const uint8_t *h = head, *d = payload;
    size_t begin = p->count;
    uint32_t crc;

    peer_number(p, head_bytes + payload_bytes, 2);
    for (size_t i = 0; i < head_bytes; i++)
        peer_byte(p, h[i]);
    for (size_t i = 0; i < payload_bytes; i++)
        peer_byte(p, d[i]);
    while ((p->count - begin) % 4 != 0)
        peer_byte(p, 0);
    crc = p->crc ? slow_crc32c(p->bytes + begin, p->count - begin) : 0;
    for (int i = 0; i < 4; i++)
        peer_byte(p, (uint8_t)(crc >> (8 * i)));
}

static inline void peer_tagged(struct peer *p, uint8_t opcode, bool last, uint32_t stag,
                               uint64_t to, const void *payload, size_t bytes)
{
    uint8_t head[16];
    struct peer h = {.bytes = head};

    peer_byte(&h, last ? 0xC1 : 0x81);
    peer_byte(&h, 0x40 | opcode);
    peer_number(&h, stag, 4);
    peer_number(&h, to, 8);
    peer_fpdu(p, head, h.count, payload, bytes);
}

static inline void peer_untagged(struct peer *p, uint8_t opcode, bool last, uint32_t stag,
                                 uint32_t queue, uint32_t msn, uint32_t mo, const void *payload,
                                 size_t bytes)
{
    uint8_t head[18];
    struct peer h = {.bytes = head};

    peer_byte(&h, last ? 0x41 : 0x01);
    peer_byte(&h, 0x40 | opcode);
    peer_number(&h, stag, 4);
    peer_number(&h, queue, 4);
    peer_number(&h, msn, 4);
    peer_number(&h, mo, 4);
    peer_fpdu(p, head, h.count, payload, bytes);
}

static inline void peer_send(struct peer *p, uint32_t msn, const void *payload, size_t bytes)
{
    peer_untagged(p, 3, true, 0, 0, msn, 0, payload, bytes);
}

static inline void peer_read_request(struct peer *p, uint32_t msn, uint32_t sink_stag,
                                     uint64_t sink_to, uint32_t bytes, uint32_t source_stag,
                                     uint64_t source_to)
{
    uint8_t read[28];
    struct peer h = {.bytes = read};

    peer_number(&h, sink_stag, 4);
    peer_number(&h, sink_to, 8);
    peer_number(&h, bytes, 4);
    peer_number(&h, source_stag, 4);
    peer_number(&h, source_to, 8);
    peer_untagged(p, 1, true, 0, 1, msn, 0, read, h.count);
}

/** ULPDU in hexadecimal digits and blanks, then so many payload bytes 0, 1, 2... */
static inline uint32_t peer_hex(struct peer *p, const char *hex, uint32_t payload_bytes)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t ulpdu[8192];
    uint32_t count = 0;

    for (const char *c = hex; *c != 0; c++) {
        const char *digit = strchr(digits, *c);

        if (*c == ' ')
            continue;
        lab_require(digit && count / 2 < sizeof(ulpdu));
        ulpdu[count / 2] = (uint8_t)(ulpdu[count / 2] << 4 | (digit - digits));
        count++;
    }
    count /= 2;
    for (uint32_t i = 0; i < payload_bytes; i++) {
        lab_require(count < sizeof(ulpdu));
        ulpdu[count++] = (uint8_t)i;
    }
    peer_fpdu(p, ulpdu, count, "", 0);
    return count;
}

/** Feeds what was made; whole. */
static inline void peer_feed(struct peer *p, struct lab *lab)
{
    qp_rx(&lab->s, lab->qp, p->bytes, p->count);
    p->count = 0;
}

static inline void peer_free(struct peer *p)
{
    free(p->bytes);
}
/** @} */

#endif
