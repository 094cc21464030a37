/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending, receiving and waiting. */
#include "core/wire/mad_header.h"
#include "umad/keeper.h"
#include "umad/open_port.h"
#include "umad/pump.h"
#include "umad/wait.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* What Linux insists on, whatever the class: a MAD with the RMPP header's place. */
#define SEND_BYTES_MIN WEFT_RMPP_DATA_OFFSET

/* What no packet can say. */
enum addr_limits {
    ADDR_SL_MAX = 15,
    ADDR_PATH_BITS_MAX = 127,
    ADDR_QPN_MAX = 0xffffff,
    ADDR_FLOW_LABEL_MAX = 0xfffff
};

/* Messages under way and not yet received, at which a thread that only sends waits; and for how
 * long it waits for the one that receives. */
#define PACE_MAX     512
#define PACE_WAIT_NS (20 * WEFT_MS)

static atomic_int debug_level;

static int refuse(int number)
{
    errno = number;
    return -number;
}

int umad_debug(int level)
{
    if (level >= 0)
        atomic_store(&debug_level, level);
    return atomic_load(&debug_level);
}

/* Enters to go on with the port, be it in a child of fork(). */
static bool enter(int portid, struct visit *ret)
{
    if (!open_port_enter(portid, ret))
        return false;
    keeper_resume(ret->port);
    return true;
}

static bool addr_is_possible(const ib_mad_addr_t *a)
{
    return a->sl <= ADDR_SL_MAX && a->path_bits <= ADDR_PATH_BITS_MAX &&
           ntohl(a->qpn) <= ADDR_QPN_MAX &&
           (!a->grh_present || ntohl(a->flow_label) <= ADDR_FLOW_LABEL_MAX);
}

/* Whether a MAD may have that length; programs may give one far beyond their buffer. */
static bool length_is_possible(const struct agent *a, const uint8_t *mad, int length)
{
    if (length <= WEFT_MAD_BYTES)
        return length >= SEND_BYTES_MIN;
    return a->rmpp && rmpp_is_active(mad);
}

static void addr_read(const ib_mad_addr_t *from, struct weft_mad_addr *ret)
{
    ret->lid = ntohs(from->lid);
    ret->sl = from->sl;
    ret->path_bits = from->path_bits;
    ret->qpn = ntohl(from->qpn);
    ret->qkey = ntohl(from->qkey);
    ret->pkey_index = from->pkey_index;
    ret->has_grh = from->grh_present != 0;
    if (!ret->has_grh)
        return;
    ret->grh = (struct weft_mad_grh){.flow_label = ntohl(from->flow_label),
                                     .traffic_class = from->traffic_class,
                                     .hop_limit = from->hop_limit,
                                     .sgid_index = from->gid_index};
    memcpy(ret->grh.dgid, from->gid, sizeof(ret->grh.dgid));
}

/* A copy of what is to be sent, as it comes back when no answer does. */
static struct message *copy_make(struct open_port *p, uint32_t agent, const struct ib_user_mad *u,
                                 size_t length)
{
    struct message *m = message_take(&p->pool, length);

    if (!m)
        return NULL;
    m->agent = agent;
    m->timeout_ms = u->timeout_ms;
    m->retries = u->retries;
    m->addr = u->addr;
    memcpy(m->data, u->data, length);
    if (!mad_is_response(m->data))
        mad_set_tid(m->data, (uint64_t)p->agents[agent].tid << 32 | (uint32_t)mad_tid(m->data));
    return m;
}

static weft_time timeout_of(int timeout_ms)
{
    return timeout_ms < 0 ? WEFT_TIME_NEVER : (weft_time)timeout_ms * WEFT_MS;
}

static int post(struct open_port *p, struct message *m, uint32_t length, int timeout_ms,
                int retries)
{
    struct weft_mad_send_req r = {.agent = p->agents[m->agent].id,
                                  .data = m->data,
                                  .len = length,
                                  .timeout = timeout_of(timeout_ms),
                                  .user_data = (uintptr_t)m};
    weft_time now = pump_clock();
    int err;

    if (retries > 0)
        r.retries = retries < UINT8_MAX ? (uint8_t)retries : UINT8_MAX;
    addr_read(&m->addr, &r.to);
    err = weft_mad_post(p->engine, now, &r, NULL);
    if (err)
        return err;
    p->pending++;
    pump_out(p, now);
    /* answers make room for what flow control holds back */
    if (pump_has_work(p))
        pump(p);
    if (wait_too_long(p))
        open_port_kick(p);
    return 0;
}

/* Where one thread sends and another receives, the first may run far ahead: OpenSM with `-n 0`
 * sends all it has, and forgets the oldest beyond a thousand. So it waits while much is under way,
 * but not when the other one does nothing. */
static void pace(struct open_port *p)
{
    p->users++;
    p->paced++;
    while (p->has_receiver && !p->pace_broken && !p->closing && !p->dead &&
           !pthread_equal(p->receiver, pthread_self()) && p->pending + p->inbox.count >= PACE_MAX) {
        weft_time until = pump_clock() + PACE_WAIT_NS;
        const struct timespec limit = {.tv_sec = (time_t)(until / WEFT_S),
                                       .tv_nsec = (long)(until % WEFT_S)};

        if (pthread_cond_timedwait(&p->eased, &p->mutex, &limit) == ETIMEDOUT)
            p->pace_broken = true;
    }
    p->paced--;
    p->users--;
}

/* The result is 0 or a positive error number. */
static int send_mad(struct open_port *p, uint32_t agent, const struct ib_user_mad *u, int length,
                    int timeout_ms, int retries)
{
    struct message *m;
    int err;

    if (p->pending + p->inbox.count >= PACE_MAX)
        pace(p);
    if (p->dead)
        return EIO;
    if (p->closing || agent >= UMAD_CA_MAX_AGENTS || !p->agents[agent].registered ||
        p->agents[agent].busy || !addr_is_possible(&u->addr) ||
        !length_is_possible(&p->agents[agent], u->data, length))
        return EINVAL;
    m = copy_make(p, agent, u, (size_t)length);
    if (!m)
        return ENOMEM;
    err = post(p, m, (uint32_t)length, timeout_ms, retries);
    if (err) {
        message_give(&p->pool, m);
        return err == WEFT_ERR_FULL ? ENOMEM : EINVAL;
    }
    /* an answer is waited for, or a transfer has only begun */
    if (p->pending > 0)
        (void)keeper_need(p);
    return 0;
}

int umad_send(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
    struct ib_user_mad *u = umad;
    struct visit v;
    int why;

    if (!enter(portid, &v))
        return refuse(EINVAL);
    u->timeout_ms = (uint32_t)timeout_ms;
    u->retries = (uint32_t)retries;
    u->agent_id = (uint32_t)agentid;
    why = send_mad(v.port, (uint32_t)agentid, u, length, timeout_ms, retries);
    open_port_leave(&v);
    if (why == 0)
        return 0;
    errno = why;
    return -EIO;
}

static void header_fill(struct ib_user_mad *u, const struct message *m)
{
    u->agent_id = m->agent;
    u->status = m->status;
    u->timeout_ms = m->timeout_ms;
    u->retries = m->retries;
    u->length = (uint32_t)umad_size() + m->length;
    u->addr = m->addr;
}

/* Gives the first message to the program. The result is 0 or a positive error number, and then the
 * message stays where it is. */
static int deliver(struct open_port *p, struct ib_user_mad *u, int *length)
{
    struct message *m = p->inbox.first;
    uint32_t head = m->length < WEFT_MAD_BYTES ? m->length : WEFT_MAD_BYTES;

    if (*length < 0 || (uint32_t)*length < head)
        return EINVAL;
    header_fill(u, m);
    memcpy(u->data, m->first, head);
    if ((uint32_t)*length < m->length) {
        *length = (int)m->length;
        return ENOSPC;
    }
    *length = (int)m->length;
    if (m->length > head)
        (void)weft_mad_recv_read(p->engine, m->received, head, u->data + head, m->length - head);
    if (m->received.v)
        (void)weft_mad_recv_release(p->engine, m->received);
    message_give(&p->pool, message_queue_take(&p->inbox));
    pump_show(p);
    if (p->paced > 0)
        (void)pthread_cond_signal(&p->eased);
    return 0;
}

static weft_time until_of(int timeout_ms)
{
    return timeout_ms < 0 ? WEFT_TIME_NEVER : pump_clock() + timeout_of(timeout_ms);
}

/* Waits for a message. The result is 0 or a positive error number. */
static int await(struct visit *v, int timeout_ms)
{
    struct open_port *p = v->port;

    p->receiver = pthread_self();
    p->has_receiver = true;
    p->pace_broken = false;
    if (p->inbox.count > 0) {
        if (!p->dead && pump_has_work(p))
            pump(p);
        return 0;
    }
    switch (wait_for_message(v, until_of(timeout_ms))) {
    case WAIT_MESSAGE:
        return 0;
    case WAIT_SIGNAL:
        return EINTR;
    case WAIT_DEAD:
        return EIO;
    case WAIT_CLOSED:
        return EINVAL;
    case WAIT_AGAIN:
    case WAIT_TIMEOUT:
    default:
        return ETIMEDOUT;
    }
}

/* Linux's library says -EIO when poll() does, and leaves its reason in errno. */
static int refuse_wait(int why)
{
    errno = why;
    return why == EINTR ? -EIO : -why;
}

int umad_recv(int portid, void *umad, int *length, int timeout_ms)
{
    struct ib_user_mad *u = umad;
    struct visit v;
    int why;

    pthread_testcancel();
    if (!enter(portid, &v))
        return refuse(EINVAL);
    why = await(&v, timeout_ms);
    if (why == ETIMEDOUT && timeout_ms == 0)
        why = EWOULDBLOCK;
    if (why == 0)
        why = deliver(v.port, u, length);
    open_port_leave(&v);
    return why ? refuse_wait(why) : (int)u->agent_id;
}

int umad_poll(int portid, int timeout_ms)
{
    struct visit v;
    int why;

    pthread_testcancel();
    if (!enter(portid, &v))
        return refuse(EINVAL);
    why = await(&v, timeout_ms);
    open_port_leave(&v);
    return why ? refuse_wait(why) : 0;
}

int umad_get_fd(int portid)
{
    struct visit v;
    int err = 0;

    if (!enter(portid, &v))
        return refuse(EINVAL);
    v.port->watched = true;
    err = keeper_need(v.port);
    pump_show(v.port);
    open_port_leave(&v);
    return err ? refuse(ENOMEM) : portid;
}
