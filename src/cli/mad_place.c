/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The port that a command line means, opened; and why not. */
#include "cli/mad_place.h"

#include "cli/fabric_socket.h"
#include "cli/look_from.h"
#include "cli/message.h"
#include "cli/verb.h"
#include "core/base/suggest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool mad_place_take(struct mad_place *p, struct options *o, int option)
{
    switch (option) {
    case MAD_PLACE_FABRIC:
        options_keep(o, "a name", &p->fabric);
        return true;
    case MAD_PLACE_NODE:
        options_keep(o, "a name", &p->node);
        return true;
    case MAD_PLACE_CA:
        options_keep(o, "a name", &p->ca);
        return true;
    case MAD_PLACE_PORT:
        options_count(o, 1, 254, &p->port);
        return true;
    default:
        return false;
    }
}

void mad_place_check(const struct mad_place *p, struct options *o)
{
    if (p->ca && (p->fabric || p->node))
        options_refuse(o,
                       "--ca is an adapter of this machine, --%s one of a simulated fabric: "
                       "which is meant?",
                       p->fabric ? "fabric" : "node");
}

bool mad_place_given(const struct mad_place *p)
{
    return p->fabric || p->node || p->ca || p->port != 0;
}

void mad_place_clear(struct mad_place *p)
{
    free(p->fabric);
    free(p->node);
    free(p->ca);
    *p = (struct mad_place){.port = 0};
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && value[0] != '\0';
}

/* Whether a simulated fabric is meant. A virtual function's view of it only the drop-in has. */
static bool means_fabric(const struct mad_place *p, const char *socket)
{
    if (p->ca)
        return false;
    if (p->fabric || p->node)
        return true;
    if (is_set("WEFT_FABRIC") || is_set("WEFT_NODE"))
        return !is_set("WEFT_VF");
    return access(socket, F_OK) == 0;
}

static int open_fabric(const struct mad_place *p, const char *socket,
                       const struct weft_mad_config *c, struct mad_link *ret)
{
    char *node = look_from(p->node, socket);
    char text[CHANNEL_TEXT_BYTES] = "";
    int exit_code = node ? CLI_DONE : CLI_FAILED;

    if (node && mad_link_open_fabric(ret, socket, node, (uint8_t)p->port, c, text) != 0)
        exit_code = message_failed("%s", text);
    /* a socket that was left behind is no reason to miss the adapters */
    if (exit_code != CLI_DONE && !p->fabric && !is_set("WEFT_FABRIC"))
        message_try("--ca NAME, to look from an adapter of this machine");
    free(node);
    return exit_code;
}

/* What there is, and what each port lacks. */
static void list_ports(const struct hca_ports *all, const char *ca, uint8_t number)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct hca_port *p = &all->ports[i];

        if (!hca_port_is_meant(p, ca, number))
            continue;
        if (p->fitness == HCA_NO_PORT)
            message("%s %s", p->ca, hca_fitness_words(p->fitness));
        else if (p->fitness == HCA_OTHER_LAYER)
            message("%s port %u %s, but %s", p->ca, p->number, hca_fitness_words(p->fitness),
                    p->layer);
        else
            message("%s port %u %s", p->ca, p->number, hca_fitness_words(p->fitness));
    }
}

static void say_what_is_missing(const struct hca_ports *all, const struct mad_place *p)
{
    struct suggest near;
    const char *best;

    suggest_start(&near, p->ca ? p->ca : "");
    for (size_t i = 0; i < all->count; i++)
        suggest_offer(&near, all->ports[i].ca);
    best = p->ca && !hca_port_is_meant(&all->ports[0], p->ca, 0) ? suggest_best(&near) : NULL;
    if (!p->ca)
        message("no adapter of this machine has a port %u; there are:", (unsigned)p->port);
    else if (best && strcmp(best, p->ca) != 0)
        message("this machine has no adapter \"%s\"; did you mean \"%s\"? There are:", p->ca, best);
    else if (p->port != 0)
        message("this machine has no port %u of \"%s\"; there are:", (unsigned)p->port, p->ca);
    else
        message("this machine has no adapter \"%s\"; there are:", p->ca);
    list_ports(all, NULL, 0);
}

/* No port can be used. */
static int explain(const struct hca_ports *all, const struct mad_place *p, int err)
{
    if (all->count == 0) {
        message("libibumad finds no InfiniBand adapter on this machine");
        message_try(
            "modprobe ib_umad, where there is one; or weft fabric, which simulates a fabric");
    } else if (err == WEFT_ERR_NOTFOUND) {
        say_what_is_missing(all, p);
    } else {
        message("no InfiniBand port of this machine can be used:");
        list_ports(all, p->ca, (uint8_t)p->port);
        message_try("ibstat, which shows the state of cables and links");
    }
    return CLI_FAILED;
}

/* Names those that stand before the one that was chosen, where the command line left the choice. */
static void say_passed_over(const struct hca_ports *all, const struct mad_place *p,
                            const struct mad_link *l)
{
    const struct hca_port *chosen = &l->hca.choice.gsi;
    size_t before = 0;

    while (before < all->count && all->ports[before].guid != chosen->guid)
        before++;
    for (size_t i = 0; i < before; i++) {
        const struct hca_port *q = &all->ports[i];

        if (hca_port_is_meant(q, p->ca, (uint8_t)p->port))
            message("%s port %u is passed over: it %s", q->ca, q->number,
                    hca_fitness_words(q->fitness));
    }
    if (chosen->fitness != HCA_ACTIVE)
        message("%s port %u %s", chosen->ca, chosen->number, hca_fitness_words(chosen->fitness));
}

static int open_hca(const struct mad_place *p, const struct weft_mad_config *c,
                    struct mad_link *ret)
{
    struct hca_ports *all = malloc(sizeof(*all));
    char text[CHANNEL_TEXT_BYTES] = "";
    struct hca_choice choice;
    int exit_code = CLI_DONE;
    int err;

    if (!all)
        return message_failed("there is no memory for the list of adapters");
    if (hca_ports_read(all, text) != 0) {
        free(all);
        return message_failed("%s", text);
    }
    err = hca_ports_choose(all, p->ca, (uint8_t)p->port, &choice);
    if (err)
        exit_code = explain(all, p, err);
    else if (mad_link_open_hca(ret, &choice, c, text) != 0)
        exit_code = message_failed("%s", text);
    else
        say_passed_over(all, p, ret);
    free(all);
    return exit_code;
}

int mad_place_open(const struct mad_place *p, const struct weft_mad_config *c, struct mad_link *ret)
{
    char *socket = fabric_socket(p->fabric);
    int exit_code;

    *ret = (struct mad_link){.engine = NULL};
    if (!socket)
        return CLI_FAILED;
    exit_code = means_fabric(p, socket) ? open_fabric(p, socket, c, ret) : open_hca(p, c, ret);
    free(socket);
    return exit_code;
}

int mad_place_agent(struct mad_link *l, const struct weft_mad_agent_req *r, weft_mad_agent_id *ret)
{
    char text[CHANNEL_TEXT_BYTES] = "";

    if (mad_link_agent_add(l, r, ret, text) == 0)
        return CLI_DONE;
    return message_failed("%s", text);
}

int mad_place_pkey(const struct mad_link *l, uint16_t *ret)
{
    if (mad_link_default_pkey(l, ret))
        return CLI_DONE;
    message("%s is no member of the default partition: its P_Key table has neither 0x7fff nor "
            "0xffff, and nobody else's agents answer to other keys",
            l->where);
    message_try("Default=0x7fff in OpenSM's partitions.conf, with port GUID 0x%016" PRIx64
                "; or, of a virtual function, what the hypervisor maps there",
                l->is.guid);
    return CLI_FAILED;
}
