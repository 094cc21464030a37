/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Channel adapter and ports as programs see them: there is one adapter, the node's, and what is
 * told of it is what the fabric says at that moment. */
#include "channel/message.h"
#include "umad/newer.h"
#include "umad/place.h"

#include <weft/base.h>

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What an error of place_look() is for the callers of libibumad. */
static int refuse(int number)
{
    errno = number;
    return -number;
}

int umad_init(void)
{
    return 0;
}

int umad_done(void)
{
    return 0;
}

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
    struct place_node n;

    if (max < 1 || place_look(&n) < 0)
        return 0;
    place_release(&n);
    message_put_text(cas[0], UMAD_CA_NAME_LEN, PLACE_CA_NAME);
    return 1;
}

static int fill_pkeys(umad_port_t *port, const struct message_port *from)
{
    size_t count = from->pkey_count < CHANNEL_PKEYS_MAX ? from->pkey_count : CHANNEL_PKEYS_MAX;

    port->pkeys = calloc(count + 1, sizeof(*port->pkeys));
    if (!port->pkeys)
        return WEFT_ERR_NOMEM;
    memcpy(port->pkeys, from->pkeys, count * sizeof(*port->pkeys));
    port->pkeys_size = (unsigned)count;
    return 0;
}

static int fill_port(umad_port_t *port, const struct message_port *from)
{
    *port = (umad_port_t){.portnum = from->number,
                          .base_lid = from->lid,
                          .lmc = from->lmc,
                          .sm_lid = from->sm_lid,
                          .sm_sl = from->sm_sl,
                          .state = from->state,
                          .phys_state = from->physical_state,
                          .rate = from->rate_gbps,
                          .capmask = htonl(from->capability),
                          .gid_prefix = htobe64(from->gid_prefix),
                          .port_guid = htobe64(from->guid)};
    message_put_text(port->ca_name, sizeof(port->ca_name), PLACE_CA_NAME);
    message_put_text(port->link_layer, sizeof(port->link_layer), "InfiniBand");
    return fill_pkeys(port, from);
}

static int last_port(const struct place_node *n)
{
    return n->last < UMAD_CA_MAX_PORTS ? n->last : UMAD_CA_MAX_PORTS - 1;
}

static int fill_ports(umad_ca_t *ca, const struct place_node *n)
{
    for (int number = n->first; number <= last_port(n); number++) {
        umad_port_t *port = calloc(1, sizeof(*port));

        if (!port)
            return WEFT_ERR_NOMEM;
        ca->ports[number] = port;
        if (fill_port(port, &n->ports[number - n->first]) < 0)
            return WEFT_ERR_NOMEM;
    }
    return 0;
}

int umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
    struct place_node n;
    int err;

    if (!place_is_ca(ca_name) || place_look(&n) < 0)
        return refuse(ENODEV);
    *ca = (umad_ca_t){.node_type = n.node.type,
                      .numports = last_port(&n),
                      .node_guid = htobe64(n.node.guid),
                      .system_guid = htobe64(n.node.system_guid)};
    message_put_text(ca->ca_name, sizeof(ca->ca_name), PLACE_CA_NAME);
    message_put_text(ca->fw_ver, sizeof(ca->fw_ver), weft_version());
    message_put_text(ca->ca_type, sizeof(ca->ca_type), "weft");
    (void)snprintf(ca->hw_ver, sizeof(ca->hw_ver), "%x", n.node.revision);
    err = fill_ports(ca, &n);
    place_release(&n);
    if (err < 0) {
        (void)umad_release_ca(ca);
        return refuse(ENOMEM);
    }
    return 0;
}

int umad_release_ca(umad_ca_t *ca)
{
    if (!ca)
        return refuse(EINVAL);
    for (int number = 0; number < UMAD_CA_MAX_PORTS; number++) {
        if (!ca->ports[number])
            continue;
        (void)umad_release_port(ca->ports[number]);
        free(ca->ports[number]);
        ca->ports[number] = NULL;
    }
    return 0;
}

int umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
    const struct message_port *found;
    struct place_node n;
    int err;

    if (!place_is_ca(ca_name) || place_look(&n) < 0)
        return refuse(ENODEV);
    found = place_port(&n, portnum);
    err = found ? fill_port(port, found) : WEFT_ERR_NOTFOUND;
    place_release(&n);
    if (err < 0)
        return refuse(err == WEFT_ERR_NOMEM ? ENOMEM : EINVAL);
    return 0;
}

int umad_release_port(umad_port_t *port)
{
    if (!port)
        return refuse(EINVAL);
    free(port->pkeys);
    port->pkeys = NULL;
    port->pkeys_size = 0;
    return 0;
}

int umad_get_ca_portguids(const char *ca_name, __be64 *portguids, int max)
{
    struct place_node n;
    int count;

    if (!place_is_ca(ca_name) || place_look(&n) < 0)
        return refuse(ENODEV);
    count = last_port(&n) + 1;
    for (int number = 0; portguids && number < count && count <= max; number++)
        portguids[number] = number < n.first ? 0 : htobe64(n.ports[number - n.first].guid);
    place_release(&n);
    if (portguids && count > max)
        return refuse(ENOMEM);
    return count;
}

int umad_get_issm_path(const char *ca_name, int portnum, char path[], int max)
{
    const struct message_port *found;
    struct place_node n;
    uint8_t number = 0;
    int err;

    if (!place_is_ca(ca_name) || place_look(&n) < 0)
        return refuse(ENODEV);
    found = place_port(&n, portnum);
    if (found)
        number = found->number;
    place_release(&n);
    if (!found || max < 1)
        return refuse(EINVAL);
    err = place_issm_path(number, path, (size_t)max);
    if (err < 0)
        return refuse(err == WEFT_ERR_FULL ? ENAMETOOLONG : EIO);
    return 0;
}

struct umad_device_node *umad_get_ca_device_list(void)
{
    struct umad_device_node *node;
    struct place_node n;
    char *name;

    if (place_look(&n) < 0)
        return NULL;
    place_release(&n);
    node = calloc(1, sizeof(*node) + UMAD_CA_NAME_LEN);
    if (!node)
        return NULL;
    name = (char *)(node + 1);
    message_put_text(name, UMAD_CA_NAME_LEN, PLACE_CA_NAME);
    node->ca_name = name;
    return node;
}

void umad_free_ca_device_list(struct umad_device_node *head)
{
    while (head) {
        struct umad_device_node *next = head->next;

        free(head);
        head = next;
    }
}

/* Takes a node out of one list and puts it into another, behind those of no higher name. */
static void insert_by_name(struct umad_device_node **sorted, struct umad_device_node *node)
{
    while (*sorted && strcmp((*sorted)->ca_name, node->ca_name) <= 0)
        sorted = &(*sorted)->next;
    node->next = *sorted;
    *sorted = node;
}

int umad_sort_ca_device_list(struct umad_device_node **head, size_t size)
{
    struct umad_device_node *sorted = NULL, *left;
    size_t count = 0;

    if (!head)
        return refuse(EINVAL);
    for (left = *head; left; left = left->next)
        count++;
    /* 0 means "all there are" */
    if (size != 0 && size != count)
        return refuse(EINVAL);
    left = *head;
    while (left) {
        struct umad_device_node *next = left->next;

        insert_by_name(&sorted, left);
        left = next;
    }
    *head = sorted;
    return 0;
}

/* The adapter does subnet management and general services by one device. */
static void fill_pair(struct umad_ca_pair *pair, const struct place_node *n)
{
    *pair = (struct umad_ca_pair){.smi_preferred_port = n->preferred,
                                  .gsi_preferred_port = n->preferred};
    message_put_text(pair->smi_name, sizeof(pair->smi_name), PLACE_CA_NAME);
    message_put_text(pair->gsi_name, sizeof(pair->gsi_name), PLACE_CA_NAME);
}

int umad_get_smi_gsi_pairs(struct umad_ca_pair cas[], size_t max)
{
    struct place_node n;

    if (max == 0 || place_look(&n) < 0)
        return 0;
    fill_pair(&cas[0], &n);
    place_release(&n);
    return 1;
}

int umad_get_smi_gsi_pair_by_ca_name(const char *devname, uint8_t portnum, struct umad_ca_pair *ca)
{
    const struct message_port *found;
    struct place_node n;

    if (!place_is_ca(devname) || place_look(&n) < 0)
        return 1;
    found = place_port(&n, portnum);
    if (found) {
        fill_pair(ca, &n);
        ca->smi_preferred_port = ca->gsi_preferred_port = found->number;
    }
    place_release(&n);
    return found ? 0 : 1;
}
