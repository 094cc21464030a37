/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One front for the two kinds of port. */
#include "host/mad_link.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Keeps what the P_Key table is now. Others borrow the cache: it stays as long as it was made. */
static void take_pkeys(struct mad_link *l, const weft_pkey *keys, uint32_t count)
{
    uint32_t entries;

    if (count == 0 || (!l->pkeys && weft_pkey_cache_new(count, NULL, &l->pkeys) != 0))
        return;
    entries = weft_pkey_cache_entries(l->pkeys);
    for (uint32_t first = 0; first < entries; first += WEFT_PKEY_BLOCK) {
        weft_pkey block[WEFT_PKEY_BLOCK] = {0};

        for (uint32_t i = 0; i < WEFT_PKEY_BLOCK && first + i < count; i++)
            block[i] = keys[first + i];
        (void)weft_pkey_cache_stage(l->pkeys, (uint16_t)(first / WEFT_PKEY_BLOCK), block);
    }
    (void)weft_pkey_cache_commit(l->pkeys, NULL);
}

static void take_fabric_port(struct mad_link *l)
{
    const struct message_port *p = &l->fabric.is;

    take_pkeys(l, p->pkeys, p->pkey_count < CHANNEL_PKEYS_MAX ? p->pkey_count : CHANNEL_PKEYS_MAX);
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
    weft_pkey *keys = NULL;
    uint32_t count = hca_port_pkeys(p->ca, p->number, &keys);

    take_pkeys(l, keys, count);
    free(keys);
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
    l->pkeys = weft_pkey_cache_free(l->pkeys);
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

bool mad_link_default_pkey(const struct mad_link *l, uint16_t *ret)
{
    if (l->pkeys)
        return weft_pkey_cache_find(l->pkeys, WEFT_PKEY_DEFAULT, ret) == 0;
    *ret = 0;
    return true;
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
