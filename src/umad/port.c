/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening and closing ports, registering and unregistering agents. */
#include "core/wire/mad_class.h"
#include "umad/keeper.h"
#include "umad/newer.h"
#include "umad/open_port.h"
#include "umad/place.h"
#include "umad/pump.h"
#include "umad/question.h"

#include <errno.h>
#include <infiniband/umad_types.h>
#include <string.h>

static int refuse(int number)
{
    errno = number;
    return -number;
}

int umad_open_port(const char *ca_name, int portnum)
{
    const struct message_port *port;
    struct place_node n;
    struct visit v;
    uint16_t lid;
    uint8_t number, lmc;
    int fd;

    if (!place_is_ca(ca_name) || place_look(&n) < 0)
        return refuse(ENODEV);
    port = place_port(&n, portnum);
    number = port ? port->number : 0;
    lid = port ? port->lid : 0;
    lmc = port ? port->lmc : 0;
    place_release(&n);
    if (!port)
        return refuse(EINVAL);
    if (open_port_new(number, &fd) < 0)
        return refuse(EIO);
    if (!open_port_enter(fd, &v))
        return refuse(EIO);
    if (weft_mad_port_set_lid(v.port->engine, lid, lmc) == 0) {
        v.port->base_lid = lid;
        v.port->lmc = lmc;
    }
    open_port_leave(&v);
    return fd;
}

/* Every port does subnet management. */
int umad_open_smi_port(const char *ca_name, int portnum)
{
    return umad_open_port(ca_name, portnum);
}

int umad_close_port(int portid)
{
    return open_port_close(portid) < 0 ? refuse(EINVAL) : 0;
}

/* Tells the daemon which unsolicited MADs an agent wants. */
static int claim(struct open_port *p, const struct weft_mad_agent_req *r, struct agent *a)
{
    struct message_agent query = {.head.type = MESSAGE_AGENT_ADD,
                                  .qpn = r->qpn,
                                  .mgmt_class = r->mgmt_class,
                                  .version = r->class_version,
                                  .methods = {r->methods[0], r->methods[1]}};
    int err;

    memcpy(query.oui, r->oui, sizeof(query.oui));
    err = question_ask(p, &query, sizeof(query), &a->number);
    a->claims = !err;
    return err;
}

static void give_up_claim(struct open_port *p, struct agent *a)
{
    struct message_number query = {.head.type = MESSAGE_AGENT_REMOVE, .number = a->number};
    uint32_t nothing;

    if (a->claims)
        (void)question_ask(p, &query, sizeof(query), &nothing);
    a->claims = false;
}

static void remove_agent(struct open_port *p, struct agent *a)
{
    weft_time now = pump_clock();

    (void)weft_mad_agent_remove(p->engine, now, a->id);
    pump_out(p, now);
    a->registered = a->busy = false;
}

/* Registers under the lowest number that is free. */
static int add_agent(struct open_port *p, const struct weft_mad_agent_req *r, uint32_t *ret)
{
    struct agent *a;
    uint32_t number = 0;
    int err;

    while (number < UMAD_CA_MAX_AGENTS && p->agents[number].registered)
        number++;
    if (number == UMAD_CA_MAX_AGENTS)
        return WEFT_ERR_FULL;
    a = &p->agents[number];
    err = weft_mad_agent_add(p->engine, r, &a->id);
    if (err)
        return err;
    (void)weft_mad_agent_tid(p->engine, a->id, &a->tid);
    a->registered = true;
    a->rmpp = r->rmpp_version != 0 && !r->user_rmpp;
    if (r->methods[0] || r->methods[1]) {
        a->busy = true;
        err = claim(p, r, a);
        if (!err)
            err = p->closing ? WEFT_ERR_STATE : keeper_need(p);
    }
    if (err) {
        give_up_claim(p, a);
        remove_agent(p, a);
        return err;
    }
    a->busy = false;
    *ret = number;
    return 0;
}

/* What Linux says. */
static int number_of(int err)
{
    switch (err) {
    case WEFT_ERR_FULL:
    case WEFT_ERR_NOMEM:
        return ENOMEM;
    case WEFT_ERR_STATE:
        return EIO;
    default:
        return EINVAL;
    }
}

/* Registers; the result is 0 or a positive error number. */
static int register_agent(int portid, const struct weft_mad_agent_req *r, uint32_t *ret)
{
    struct visit v;
    int err;

    if (!open_port_enter(portid, &v))
        return EINVAL;
    err = v.port->dead ? WEFT_ERR_STATE : add_agent(v.port, r, ret);
    open_port_leave(&v);
    return err ? number_of(err) : 0;
}

static struct weft_mad_agent_req request_of(int mgmt_class, int mgmt_version, uint8_t rmpp_version)
{
    return (struct weft_mad_agent_req){.qpn = mad_class_is_smi((uint8_t)mgmt_class) ? WEFT_QP_SMI
                                                                                    : WEFT_QP_GSI,
                                       .mgmt_class = (uint8_t)mgmt_class,
                                       .class_version = (uint8_t)mgmt_version,
                                       .rmpp_version = rmpp_version};
}

static int register_with_mask(int portid, struct weft_mad_agent_req *r, const long *method_mask)
{
    uint32_t number;
    int why;

    if (method_mask)
        memcpy(r->methods, method_mask, sizeof(r->methods));
    why = register_agent(portid, r, &number);
    if (why == 0)
        return (int)number;
    errno = why;
    return -EPERM;
}

static bool is_open(int portid)
{
    struct visit v;

    if (!open_port_enter(portid, &v))
        return false;
    open_port_leave(&v);
    return true;
}

int umad_register(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                  long method_mask[16 / sizeof(long)])
{
    static const uint8_t openib[] = {UMAD_OPENIB_OUI >> 16 & 0xff, UMAD_OPENIB_OUI >> 8 & 0xff,
                                     UMAD_OPENIB_OUI & 0xff};
    struct weft_mad_agent_req r = request_of(mgmt_class, mgmt_version, rmpp_version);

    if (!is_open(portid) || mgmt_class < 0 || mgmt_class > UINT8_MAX || mgmt_version < 0 ||
        mgmt_version > UINT8_MAX)
        return refuse(EINVAL);
    /* a class that names a vendor is OpenIB's where the caller names none */
    memcpy(r.oui, openib, sizeof(r.oui));
    return register_with_mask(portid, &r, method_mask);
}

int umad_register_oui(int portid, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3],
                      long method_mask[16 / sizeof(long)])
{
    struct weft_mad_agent_req r = request_of(mgmt_class, 1, rmpp_version);

    if (!is_open(portid) || mgmt_class < WEFT_CLASS_VENDOR2_FIRST ||
        mgmt_class > WEFT_CLASS_VENDOR2_LAST)
        return refuse(EINVAL);
    memcpy(r.oui, oui, sizeof(r.oui));
    return register_with_mask(portid, &r, method_mask);
}

int umad_register2(int port_fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
    struct weft_mad_agent_req r;

    if (!attr || !agent_id)
        return EINVAL;
    if ((attr->flags & ~(uint32_t)UMAD_USER_RMPP) != 0) {
        attr->flags = UMAD_USER_RMPP;
        return EINVAL;
    }
    if (attr->oui > 0xffffff)
        return EINVAL;
    r = request_of(attr->mgmt_class, attr->mgmt_class_version, attr->rmpp_version);
    r.user_rmpp = (attr->flags & UMAD_USER_RMPP) != 0;
    r.oui[0] = (uint8_t)(attr->oui >> 16);
    r.oui[1] = (uint8_t)(attr->oui >> 8);
    r.oui[2] = (uint8_t)attr->oui;
    memcpy(r.methods, attr->method_mask, sizeof(r.methods));
    return register_agent(port_fd, &r, agent_id);
}

int umad_unregister(int portid, int agentid)
{
    struct agent *a;
    struct visit v;
    bool known;

    if (!open_port_enter(portid, &v))
        return refuse(EINVAL);
    known = agentid >= 0 && agentid < UMAD_CA_MAX_AGENTS && v.port->agents[agentid].registered &&
            !v.port->agents[agentid].busy;
    if (known) {
        a = &v.port->agents[agentid];
        a->busy = true;
        give_up_claim(v.port, a);
        remove_agent(v.port, a);
    }
    open_port_leave(&v);
    return known ? 0 : refuse(EINVAL);
}
