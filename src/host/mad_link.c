/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One front for the two kinds of port. */
#include "host/mad_link.h"

#include <stdio.h>

weft_time mad_link_clock(void)
{
    return fabric_link_clock();
}

/* What both kinds keep for themselves. */
static void mirror(struct mad_link *l)
{
    if (l->on_hca) {
        l->engine = l->hca.engine;
        l->now = l->hca.now;
        l->ended = l->hca.ended;
    } else {
        l->engine = l->fabric.engine;
        l->now = l->fabric.now;
        l->ended = l->fabric.ended;
    }
}

static void take_fabric_port(struct mad_link *l)
{
    const struct message_port *p = &l->fabric.is;

    l->is = (struct mad_link_port){.guid = p->guid,
                                   .gid_prefix = p->gid_prefix,
                                   .lid = p->lid,
                                   .sm_lid = p->sm_lid,
                                   .lmc = p->lmc,
                                   .sm_sl = p->sm_sl,
                                   .state = p->state};
}

static void take_hca_port(struct mad_link *l)
{
    const struct hca_port *p = &l->hca.choice.gsi;

    l->is = (struct mad_link_port){.guid = p->guid,
                                   .gid_prefix = p->gid_prefix,
                                   .lid = p->lid,
                                   .sm_lid = p->sm_lid,
                                   .lmc = p->lmc,
                                   .sm_sl = p->sm_sl,
                                   .state = p->state};
}

int mad_link_open_fabric(struct mad_link *ret, const char *socket, const char *node, uint8_t port,
                         const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES])
{
    int err;

    *ret = (struct mad_link){.on_hca = false};
    err = fabric_link_open(&ret->fabric, socket, node, port, c, text);
    if (err)
        return err;
    ret->port = ret->fabric.port;
    take_fabric_port(ret);
    mirror(ret);
    (void)snprintf(ret->where, sizeof(ret->where), "%s port %u of %s", node, ret->port, socket);
    return 0;
}

int mad_link_open_hca(struct mad_link *ret, const struct hca_choice *choice,
                      const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES])
{
    int err;

    *ret = (struct mad_link){.on_hca = true};
    err = hca_link_open(&ret->hca, choice, c, text);
    if (err)
        return err;
    ret->port = choice->gsi.number;
    take_hca_port(ret);
    mirror(ret);
    (void)snprintf(ret->where, sizeof(ret->where), "%s port %u", choice->gsi.ca, ret->port);
    return 0;
}

void mad_link_close(struct mad_link *l)
{
    if (!l->engine)
        return;
    if (l->on_hca)
        hca_link_close(&l->hca);
    else
        fabric_link_close(&l->fabric);
    mirror(l);
}

int mad_link_agent_add(struct mad_link *l, const struct weft_mad_agent_req *r,
                       weft_mad_agent_id *ret, char text[CHANNEL_TEXT_BYTES])
{
    return l->on_hca ? hca_link_agent_add(&l->hca, r, ret, text)
                     : fabric_link_agent_add(&l->fabric, r, ret, text);
}

int mad_link_agent_remove(struct mad_link *l, weft_mad_agent_id id)
{
    return l->on_hca ? hca_link_agent_remove(&l->hca, id)
                     : fabric_link_agent_remove(&l->fabric, id);
}

bool mad_link_look(struct mad_link *l)
{
    bool found = l->on_hca ? hca_link_look(&l->hca) : fabric_link_look(&l->fabric);

    if (found && l->on_hca)
        take_hca_port(l);
    else if (found)
        take_fabric_port(l);
    return found;
}

void mad_link_move(struct mad_link *l)
{
    if (l->on_hca)
        hca_link_move(&l->hca);
    else
        fabric_link_move(&l->fabric);
    mirror(l);
}

void mad_link_wait(struct mad_link *l, weft_time until)
{
    if (l->on_hca)
        hca_link_wait(&l->hca, until);
    else
        fabric_link_wait(&l->fabric, until);
    mirror(l);
}

bool mad_link_cuts_tables(const struct mad_link *l)
{
    return l->on_hca && hca_link_is_ibsim(&l->hca);
}

const char *mad_link_why_ended(const struct mad_link *l)
{
    if (l->on_hca)
        return "the adapter has gone, or its driver was restarted";
    return "the fabric daemon has ended, or closed the connection";
}
