/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider that is all QP: its connections and its connection manager are counters. */
#include "siw_fixture.h"

#include "core/siw/connection.h"

static struct siw_fixture *fixture_of(const struct weft_siw *s)
{
    return (struct siw_fixture *)(uintptr_t)s;
}

static struct siw_fixture *fixture_of_ep(struct weft_siw *s, const struct ep *ep)
{
    struct siw_fixture *f = fixture_of(s);

    assert_ptr_equal(ep, &f->ep);
    return f;
}

void *siw_take(struct weft_siw *s, uint64_t bytes, size_t align)
{
    void *p = s->alloc.get(s->alloc.ctx, (size_t)bytes, align);

    if (!p)
        return NULL;
    s->bytes += (size_t)bytes;
    memset(p, 0xA5, (size_t)bytes);
    return p;
}

void siw_give(struct weft_siw *s, void *p, uint64_t bytes)
{
    if (!p)
        return;
    s->bytes -= (size_t)bytes;
    s->alloc.put(s->alloc.ctx, p, (size_t)bytes);
}

void connection_output(struct weft_siw *s, struct ep *ep)
{
    fixture_of_ep(s, ep)->told.outputs++;
}

void connection_peer_ready(struct weft_siw *s, struct ep *ep)
{
    fixture_of_ep(s, ep)->told.ready++;
}

void connection_drained(struct weft_siw *s, struct ep *ep)
{
    fixture_of_ep(s, ep)->told.drained++;
}

void connection_failed(struct weft_siw *s, struct ep *ep, bool terminate_due)
{
    struct siw_fixture *f = fixture_of_ep(s, ep);

    f->told.failed++;
    f->told.terminates_due += terminate_due;
}

void connection_terminated(struct weft_siw *s, struct ep *ep)
{
    fixture_of_ep(s, ep)->told.terminated++;
}

void connection_peer_terminated(struct weft_siw *s, struct ep *ep)
{
    fixture_of_ep(s, ep)->told.peer_terminated++;
}

void connection_arm(struct weft_siw *s, struct ep *ep, weft_time deadline)
{
    fixture_of_ep(s, ep)->told.deadline = deadline;
}

/* The connection manager is the fixture itself. */
static struct siw_fixture *fixture_of_cm(const struct weft_iwcm *cm)
{
    return (struct siw_fixture *)(uintptr_t)cm;
}

int weft_iwcm_qp_add(struct weft_iwcm *cm, uint32_t qpn)
{
    assert_int_not_equal(qpn, 0);
    fixture_of_cm(cm)->iwcm_qps++;
    return 0;
}

int weft_iwcm_qp_remove(struct weft_iwcm *cm, uint32_t qpn)
{
    struct siw_fixture *f = fixture_of_cm(cm);

    (void)qpn;
    if (f->owned)
        return WEFT_ERR_STATE;
    f->iwcm_qps--;
    return 0;
}

int weft_iwcm_qp_owner(const struct weft_iwcm *cm, uint32_t qpn, weft_iwcm_id *ret)
{
    (void)qpn;
    if (!fixture_of_cm(cm)->owned)
        return WEFT_ERR_NOTFOUND;
    ret->v = 1;
    return 0;
}

struct terms siw_terms(void)
{
    return (struct terms){
        .initiator = true,
        .revision = 2,
        .ird = 4,
        .ord = 4,
        .ulpdu_max = 1000,
    };
}

struct siw_fixture *siw_fixture_new_with(void (*change)(struct weft_siw_config *))
{
    struct siw_fixture *f = calloc(1, sizeof(*f));
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct weft_siw_qp_config q = {.pd = 1, .sends = 16, .recvs = 16};

    assert_non_null(f);
    c.qps = 4;
    c.cqs = 4;
    c.cq_entries = 256;
    c.requests = 128;
    c.regions = 8;
    if (change)
        change(&c);
    f->s.config = c;
    f->s.alloc = alloc_or_libc(NULL);
    f->s.cm = (struct weft_iwcm *)(void *)f;
    f->told.deadline = WEFT_TIME_NEVER;
    assert_int_equal(verbs_new(&f->s), 0);
    assert_int_equal(weft_siw_cq_create(&f->s, 64, &f->cqn), 0);
    q.send_cqn = q.recv_cqn = f->cqn;
    assert_int_equal(weft_siw_qp_create(&f->s, &q, &f->qpn), 0);
    f->qp = qp_find(&f->s, f->qpn);
    assert_non_null(f->qp);
    return f;
}

struct siw_fixture *siw_fixture_new(void)
{
    return siw_fixture_new_with(NULL);
}

void siw_fixture_free(struct siw_fixture *f)
{
    verbs_free(&f->s);
    assert_int_equal(f->s.bytes, 0);
    free(f->out);
    free(f);
}

void siw_connect(struct siw_fixture *f, const struct terms *t)
{
    f->owned = true;
    qp_connect(&f->s, f->qp, &f->ep, t);
}

static void collect(struct siw_fixture *f, const struct weft_siw_part *parts, uint32_t count,
                    size_t bytes)
{
    if (f->out_bytes + bytes > f->out_room) {
        f->out_room = 2 * (f->out_bytes + bytes);
        f->out = realloc(f->out, f->out_room);
        assert_non_null(f->out);
    }
    for (uint32_t i = 0; i < count && bytes > 0; i++) {
        size_t n = parts[i].bytes < bytes ? parts[i].bytes : bytes;

        assert_true(n > 0);
        memcpy(f->out + f->out_bytes, parts[i].data, n);
        f->out_bytes += n;
        bytes -= n;
    }
    assert_int_equal(bytes, 0);
}

size_t siw_write(struct siw_fixture *f, size_t bytes)
{
    const struct weft_siw_part *parts;
    size_t offered, sum = 0;
    uint32_t count;

    if (!qp_fill(&f->s, f->qp, &parts, &count, &offered))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        sum += parts[i].bytes;
    assert_int_equal(sum, offered);
    if (bytes > offered)
        bytes = offered;
    collect(f, parts, count, bytes);
    qp_written(&f->s, f->qp, bytes);
    return bytes;
}

void siw_flush(struct siw_fixture *f)
{
    while (siw_write(f, SIZE_MAX) > 0)
        ;
}

struct siw_fpdu siw_next_fpdu(struct siw_fixture *f)
{
    const uint8_t *at = f->out + f->read;
    uint32_t ulpdu, pad, head, crc = 0;
    struct siw_fpdu ret;

    assert_true(f->out_bytes - f->read >= MPA_LENGTH_BYTES + DDP_TAGGED_BYTES);
    ulpdu = (uint32_t)at[0] << 8 | at[1];
    pad = fpdu_pad(ulpdu);
    head = ddp_header_bytes(at[MPA_LENGTH_BYTES]);
    assert_true(f->out_bytes - f->read >= MPA_LENGTH_BYTES + ulpdu + pad + MPA_CRC_BYTES);
    ddp_header_read(at + MPA_LENGTH_BYTES, &ret.h);
    ret.payload = at + MPA_LENGTH_BYTES + head;
    ret.bytes = ulpdu - head;
    if (f->qp->terms.crc)
        crc = crc_end(crc_add(CRC_BEGIN, at, MPA_LENGTH_BYTES + ulpdu + pad));
    at += MPA_LENGTH_BYTES + ulpdu;
    for (uint32_t i = 0; i < pad; i++)
        assert_int_equal(*at++, 0);
    for (uint32_t i = 0; i < MPA_CRC_BYTES; i++)
        assert_int_equal(*at++, (uint8_t)(crc >> (8 * i)));
    f->read = (size_t)(at - f->out);
    return ret;
}

bool siw_all_read(const struct siw_fixture *f)
{
    return f->read == f->out_bytes;
}

int siw_post(struct siw_fixture *f, uint64_t wr_id, enum weft_siw_send_opcode opcode, uint8_t flags,
             void *data, uint32_t bytes, uint32_t stag)
{
    struct weft_siw_sge sge = {data, bytes, stag};
    struct weft_siw_send wr = {
        .wr_id = wr_id,
        .opcode = opcode,
        .flags = flags,
        .sge = &sge,
        .sge_count = data || stag ? 1 : 0,
        .remote_stag = 0x11223344,
        .remote_to = 0x5566778899,
        .invalidate = stag,
    };

    if (opcode == WEFT_SIW_LOCAL_INVALIDATE)
        wr.sge_count = 0;
    return weft_siw_post_send(&f->s, f->s.now, f->qpn, &wr);
}

int siw_post_recv(struct siw_fixture *f, uint64_t wr_id)
{
    struct weft_siw_recv wr = {.wr_id = wr_id};

    return weft_siw_post_recv(&f->s, f->qpn, &wr);
}

void siw_expect_wc(struct siw_fixture *f, uint64_t wr_id, enum weft_siw_wc_opcode opcode,
                   enum weft_siw_wc_status status)
{
    struct weft_siw_wc wc;

    assert_true(weft_siw_cq_poll(&f->s, f->cqn, &wc));
    assert_int_equal(wc.wr_id, wr_id);
    assert_int_equal(wc.qpn, f->qpn);
    assert_int_equal(wc.opcode, opcode);
    assert_int_equal(wc.status, status);
}

void siw_expect_no_wc(struct siw_fixture *f)
{
    struct weft_siw_wc wc;

    assert_false(weft_siw_cq_poll(&f->s, f->cqn, &wc));
}

uint32_t siw_register(struct siw_fixture *f, void *data, uint64_t bytes, uint8_t access)
{
    struct weft_siw_region r = {
        .base = data,
        .bytes = bytes,
        .to = 0x1000,
        .pd = 1,
        .access = access,
        .key = 0x5A,
    };
    uint32_t stag;

    assert_int_equal(weft_siw_region_register(&f->s, &r, &stag), 0);
    return stag;
}
