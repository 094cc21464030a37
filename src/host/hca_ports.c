/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What libibumad tells of adapters and ports, and which of them is meant. */
#include "host/hca_ports.h"

#include "host/hca_umad.h"

#include <weft/base.h>

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* As in sysfs, and in PortInfo:PortState. */
enum port_state {
    PORT_DOWN = 1,
    PORT_ACTIVE = 4
};

/* PortInfo:CapabilityMask of a device that leaves subnet management to another one. */
#define CAPABILITY_SMI_DISABLED (UINT32_C(1) << 10)

static_assert(HCA_NAME_BYTES == UMAD_CA_NAME_LEN, "names are libibumad's");
static_assert(HCA_PORTS_MAX >= UMAD_MAX_DEVICES * (UMAD_CA_MAX_PORTS - 1), "all there can be");

/* Kernels without the file have libibumad say "IB". */
static bool is_infiniband(const char *layer)
{
    return layer[0] == '\0' || strcmp(layer, "IB") == 0 || strcmp(layer, "InfiniBand") == 0;
}

static enum hca_fitness fitness_of(const struct hca_port *p)
{
    if (!is_infiniband(p->layer))
        return HCA_OTHER_LAYER;
    if (p->state == PORT_ACTIVE)
        return HCA_ACTIVE;
    return p->state > PORT_DOWN ? HCA_LINK_UP : HCA_DOWN;
}

static void take_name(char ret[HCA_NAME_BYTES], const char *from)
{
    size_t length = strnlen(from, HCA_NAME_BYTES - 1);

    memcpy(ret, from, length);
    memset(ret + length, 0, HCA_NAME_BYTES - length);
}

static void take_port(const char *ca, const umad_port_t *from, struct hca_port *ret)
{
    *ret = (struct hca_port){.guid = be64toh(from->port_guid),
                             .gid_prefix = be64toh(from->gid_prefix),
                             .capability = be32toh(from->capmask),
                             .lid = (uint16_t)from->base_lid,
                             .sm_lid = (uint16_t)from->sm_lid,
                             .number = (uint8_t)from->portnum,
                             .lmc = from->lmc < 8 ? (uint8_t)from->lmc : 0,
                             .sm_sl = from->sm_sl < 16 ? (uint8_t)from->sm_sl : 0,
                             .state = (uint8_t)from->state};
    take_name(ret->ca, ca);
    take_name(ret->layer, from->link_layer);
    ret->fitness = fitness_of(ret);
}

bool hca_port_read(const char *ca, uint8_t number, struct hca_port *ret)
{
    umad_port_t port;

    memset(&port, 0, sizeof(port));
    if (libumad.umad_get_port(ca, number, &port) < 0)
        return false;
    take_port(ca, &port, ret);
    (void)libumad.umad_release_port(&port);
    return true;
}

uint32_t hca_port_pkeys(const char *ca, uint8_t number, weft_pkey **ret)
{
    weft_pkey *keys = NULL;
    uint32_t count = 0;
    umad_port_t port;

    memset(&port, 0, sizeof(port));
    if (libumad.umad_get_port(ca, number, &port) < 0)
        return 0;
    if (port.pkeys && port.pkeys_size > 0 && port.pkeys_size <= WEFT_PKEY_ENTRIES_MAX)
        keys = malloc(port.pkeys_size * sizeof(keys[0]));
    if (keys) {
        count = port.pkeys_size;
        memcpy(keys, port.pkeys, count * sizeof(keys[0]));
        *ret = keys;
    }
    (void)libumad.umad_release_port(&port);
    return count;
}

static struct hca_port *next_place(struct hca_ports *all)
{
    return all->count < HCA_PORTS_MAX ? &all->ports[all->count++] : NULL;
}

static void read_adapter(const char *name, struct hca_ports *ret)
{
    struct hca_port *place;
    umad_ca_t ca;

    memset(&ca, 0, sizeof(ca));
    if (libumad.umad_get_ca(name, &ca) < 0) {
        place = next_place(ret);
        if (place) {
            *place = (struct hca_port){.fitness = HCA_NO_PORT};
            take_name(place->ca, name);
        }
        return;
    }
    /* port 0 is a switch's */
    for (int i = 0; i < UMAD_CA_MAX_PORTS; i++) {
        place = ca.ports[i] ? next_place(ret) : NULL;
        if (place)
            take_port(name, ca.ports[i], place);
    }
    (void)libumad.umad_release_ca(&ca);
}

int hca_ports_read(struct hca_ports *ret, char text[LIBRARY_TEXT_BYTES])
{
    char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
    int count;

    ret->count = 0;
    if (!hca_umad_load(text))
        return WEFT_ERR_STATE;
    memset(names, 0, sizeof(names));
    count = libumad.umad_init() < 0 ? 0 : libumad.umad_get_cas_names(names, UMAD_MAX_DEVICES);
    for (int i = 0; i < count; i++)
        read_adapter(names[i], ret);
    /* where there is no adapter, libibumad names one all the same */
    if (count == 1 && ret->count == 1 && ret->ports[0].fitness == HCA_NO_PORT)
        ret->count = 0;
    return 0;
}

bool hca_port_is_meant(const struct hca_port *p, const char *ca, uint8_t number)
{
    return (!ca || strcmp(ca, p->ca) == 0) && (number == 0 || number == p->number);
}

static bool does_no_smi(const struct hca_port *p)
{
    return (p->capability & CAPABILITY_SMI_DISABLED) != 0;
}

/* The other device at the same port that does what this one does not. */
static const struct hca_port *partner_of(const struct hca_ports *all, const struct hca_port *p)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct hca_port *other = &all->ports[i];

        if (p->guid != 0 && other->guid == p->guid && strcmp(other->ca, p->ca) != 0 &&
            other->fitness <= HCA_LINK_UP && does_no_smi(other) != does_no_smi(p))
            return other;
    }
    return NULL;
}

static void take_pair(const struct hca_ports *all, const struct hca_port *p, struct hca_choice *ret)
{
    const struct hca_port *partner = partner_of(all, p);
    const struct hca_port *smi = does_no_smi(p) ? partner : p;

    *ret = (struct hca_choice){.gsi = partner && !does_no_smi(p) ? *partner : *p};
    if (smi)
        ret->smi = *smi;
}

int hca_ports_choose(const struct hca_ports *all, const char *ca, uint8_t number,
                     struct hca_choice *ret)
{
    const struct hca_port *best = NULL;
    bool any = false;

    for (size_t i = 0; i < all->count; i++) {
        const struct hca_port *p = &all->ports[i];

        if (!hca_port_is_meant(p, ca, number))
            continue;
        any = true;
        if (p->fitness <= HCA_LINK_UP && (!best || p->fitness < best->fitness))
            best = p;
    }
    if (!best)
        return any ? WEFT_ERR_STATE : WEFT_ERR_NOTFOUND;
    take_pair(all, best, ret);
    return 0;
}

const char *hca_fitness_words(enum hca_fitness f)
{
    switch (f) {
    case HCA_ACTIVE:
        return "is active";
    case HCA_LINK_UP:
        return "is not active: no subnet manager has been there";
    case HCA_DOWN:
        return "is down";
    case HCA_OTHER_LAYER:
        return "is no InfiniBand port";
    case HCA_NO_PORT:
    default:
        return "is not known to libibumad";
    }
}
