/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fabric as a whole: configuration, questions, and the calls that drive it. */
#include "fabric/model.h"

void fabric_config_init(struct fabric_config *ret)
{
    (void)ret;
}

int fabric_new(const struct fabric_config *c, const struct topo *t, const struct weft_alloc *a,
               struct fabric **ret, struct fabric_error *error)
{
    (void)c;
    (void)t;
    (void)a;
    (void)ret;
    (void)error;
    return WEFT_ERR_STATE;
}

struct fabric *fabric_free(struct fabric *f)
{
    (void)f;
    return NULL;
}

size_t fabric_bytes(const struct fabric *f)
{
    (void)f;
    return 0;
}

uint32_t fabric_node_count(const struct fabric *f)
{
    (void)f;
    return 0;
}

void fabric_node(const struct fabric *f, uint32_t node, struct fabric_node_info *ret)
{
    (void)f;
    (void)node;
    (void)ret;
}

int fabric_find(const struct fabric *f, const char *text, uint32_t *ret_node,
                struct fabric_error *error)
{
    (void)f;
    (void)text;
    (void)ret_node;
    (void)error;
    return WEFT_ERR_NOTFOUND;
}

int fabric_port(const struct fabric *f, uint32_t node, uint8_t port, struct fabric_port_info *ret)
{
    (void)f;
    (void)node;
    (void)port;
    (void)ret;
    return WEFT_ERR_INVALID;
}

int fabric_port_pkeys(const struct fabric *f, uint32_t node, uint8_t port, uint16_t first,
                      uint16_t *keys, uint16_t count)
{
    (void)f;
    (void)node;
    (void)port;
    (void)first;
    (void)keys;
    (void)count;
    return WEFT_ERR_INVALID;
}

int fabric_advance(struct fabric *f, weft_time now)
{
    (void)f;
    (void)now;
    return WEFT_ERR_STATE;
}

weft_time fabric_deadline(const struct fabric *f)
{
    (void)f;
    return WEFT_TIME_NEVER;
}

void fabric_stats(const struct fabric *f, struct fabric_stats *ret)
{
    (void)f;
    (void)ret;
}

void fabric_drop(struct fabric *f, const struct port *at, const struct packet *p, enum drop why)
{
    (void)f;
    (void)at;
    (void)p;
    (void)why;
}

void fabric_tell(struct fabric *f, enum fabric_tap_point point, const struct port *at,
                 const struct packet *p)
{
    (void)f;
    (void)point;
    (void)at;
    (void)p;
}

void *fabric_take(struct fabric *f, size_t count, size_t bytes)
{
    (void)f;
    (void)count;
    (void)bytes;
    return NULL;
}

void fabric_give(struct fabric *f, void *p, size_t count, size_t bytes)
{
    (void)f;
    (void)p;
    (void)count;
    (void)bytes;
}

void fabric_set_tap(struct fabric *f, void (*tap)(void *ctx, const struct fabric_tap *t), void *ctx)
{
    f->tap = tap;
    f->tap_ctx = ctx;
}
