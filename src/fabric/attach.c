/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs at ports, their claims, and what waits for them. */
#include "fabric/attach.h"

int attach_new(struct fabric *f)
{
    (void)f;
    return 0;
}

void attach_free(struct fabric *f)
{
    (void)f;
}

bool attach_deliver(struct fabric *f, struct port *at, const struct packet *p)
{
    (void)f;
    (void)at;
    (void)p;
    return false;
}

int fabric_attach(struct fabric *f, uint32_t node, uint8_t port, struct fabric_attachment *ret,
                  uint8_t *ret_port, struct fabric_tids *ret_tids)
{
    (void)f;
    (void)node;
    (void)port;
    (void)ret;
    (void)ret_port;
    (void)ret_tids;
    return WEFT_ERR_STATE;
}

int fabric_detach(struct fabric *f, weft_time now, struct fabric_attachment id)
{
    (void)f;
    (void)now;
    (void)id;
    return WEFT_ERR_STATE;
}

int fabric_agent_add(struct fabric *f, struct fabric_attachment id, const struct fabric_agent *want,
                     uint32_t *ret)
{
    (void)f;
    (void)id;
    (void)want;
    (void)ret;
    return WEFT_ERR_STATE;
}

int fabric_agent_remove(struct fabric *f, struct fabric_attachment id, uint32_t agent)
{
    (void)f;
    (void)id;
    (void)agent;
    return WEFT_ERR_STATE;
}

int fabric_set_issm(struct fabric *f, weft_time now, struct fabric_attachment id, bool on)
{
    (void)f;
    (void)now;
    (void)id;
    (void)on;
    return WEFT_ERR_STATE;
}

int fabric_send(struct fabric *f, weft_time now, struct fabric_attachment id,
                const struct packet *p)
{
    (void)f;
    (void)now;
    (void)id;
    (void)p;
    return WEFT_ERR_STATE;
}

bool fabric_poll(struct fabric *f, struct fabric_delivery *ret)
{
    (void)f;
    (void)ret;
    return false;
}
