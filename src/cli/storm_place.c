/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a topology to each client's distance from the SA. */
#include "cli/storm_place.h"

#include "cli/message.h"
#include "cli/topology_load.h"
#include "cli/verb.h"
#include "core/base/suggest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A host's LID; dumps and generators may give none, then the hosts are numbered. */
static uint16_t host_lid(const struct topo *t, uint32_t host, uint32_t number)
{
    const struct topo_node *node = &t->nodes[host];

    if (node->port_count > 0 && t->ports[node->first_port].lid != 0 &&
        t->ports[node->first_port].lid <= TOPO_LID_UNICAST_MAX)
        return t->ports[node->first_port].lid;
    return (uint16_t)(number % TOPO_LID_UNICAST_MAX + 1);
}

/* The hosts with a path to the SA's. `hops` has a number for each node.
 * Returns how many. */
static uint32_t find_hosts(const struct topo *t, const uint16_t *hops,
                           struct storm_client_place *ret)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->host_count; i++) {
        uint16_t links = hops[t->hosts[i]];

        if (links != TOPO_UNREACHABLE)
            ret[count++] =
                (struct storm_client_place){.hops = links, .lid = host_lid(t, t->hosts[i], i)};
    }
    return count;
}

/* Counts the hosts that one of them reaches, itself included, and marks them as seen. */
static uint32_t count_reached(const struct topo *t, const uint16_t *hops, bool *seen)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->host_count; i++) {
        if (hops[t->hosts[i]] == TOPO_UNREACHABLE)
            continue;
        seen[i] = true;
        count++;
    }
    return count;
}

/* The first host of the part with the most hosts: dumps begin with whatever was found first, and
 * that may be a machine on its own. In a connected fabric it is the first host. */
static int choose_host(const struct topo *t, uint16_t *hops, uint32_t *ret_host)
{
    bool *seen = calloc(t->host_count, sizeof(*seen));
    uint32_t left = t->host_count;
    uint32_t most = 0;
    int err = seen ? 0 : WEFT_ERR_NOMEM;

    for (uint32_t i = 0; err == 0 && i < t->host_count && left > most; i++) {
        uint32_t count;

        if (seen[i])
            continue;
        err = topo_hops(t, t->hosts[i], hops);
        if (err != 0)
            break;
        count = count_reached(t, hops, seen);
        left -= count < left ? count : left;
        if (count > most) {
            most = count;
            *ret_host = t->hosts[i];
        }
    }
    free(seen);
    return err;
}

static bool is_called(const struct topo_node *node, const char *text)
{
    char guid[24];

    snprintf(guid, sizeof(guid), "%016" PRIx64, node->guid);
    if (node->guid != 0 && strcasecmp(guid, strncmp(text, "0x", 2) == 0 ? text + 2 : text) == 0)
        return true;
    return strcmp(node->name, text) == 0 || (node->id && strcmp(node->id, text) == 0);
}

/* The host that the user asked for. */
static int find_wanted(const struct storm_job *job, const struct topo *t, uint32_t *ret_host)
{
    struct suggest near;
    uint32_t found = 0;

    suggest_start(&near, job->sa_wanted);
    for (uint32_t i = 0; i < t->host_count; i++) {
        const struct topo_node *node = &t->nodes[t->hosts[i]];

        suggest_offer(&near, node->name[0] != '\0' || !node->id ? node->name : node->id);
        if (!is_called(node, job->sa_wanted))
            continue;
        *ret_host = t->hosts[i];
        found++;
    }
    if (found == 1)
        return CLI_DONE;
    if (found > 1) {
        message("--sa-host \"%s\": %" PRIu32 " hosts of topology %s have this name", job->sa_wanted,
                found, job->topology);
        message_try("the GUID of one of them");
    } else if (suggest_best(&near)) {
        message("--sa-host \"%s\": topology %s has no such host; did you mean \"%s\"?",
                job->sa_wanted, job->topology, suggest_best(&near));
    } else {
        message("--sa-host \"%s\": topology %s has no such host", job->sa_wanted, job->topology);
        message_try("the 16 digits of a host's GUID, or its name as the topology has it");
    }
    return CLI_USAGE;
}

static void spread_clients(struct storm_job *job, const struct storm_client_place *hosts,
                           uint32_t count)
{
    job->hops_min = UINT16_MAX;
    for (uint32_t i = 0; i < job->clients; i++) {
        uint32_t host =
            job->clients < count ? (uint32_t)((uint64_t)i * count / job->clients) : i % count;

        job->places[i] = hosts[host];
        if (hosts[host].hops < job->hops_min)
            job->hops_min = hosts[host].hops;
        if (hosts[host].hops > job->hops_max)
            job->hops_max = hosts[host].hops;
    }
}

static int place_clients(struct storm_job *job, const struct topo *t, const uint16_t *hops)
{
    struct storm_client_place *hosts = calloc(t->host_count, sizeof(*hosts));
    uint32_t count = hosts ? find_hosts(t, hops, hosts) : 0;

    /* The SA's own host is always among them. */
    if (count == 0) {
        free(hosts);
        return message_failed("no memory for %" PRIu32 " hosts", t->host_count);
    }
    for (uint32_t i = 0; i < count; i++)
        if (hosts[i].hops == 0)
            job->sa_lid = hosts[i].lid;
    job->unreachable = t->host_count - count;
    if (job->clients == 0)
        job->clients = count;
    job->places = calloc(job->clients, sizeof(*job->places));
    if (job->places)
        spread_clients(job, hosts, count);
    free(hosts);
    if (!job->places)
        return message_failed("no memory for %" PRIu32 " clients", job->clients);
    return CLI_DONE;
}

static int place_in(struct storm_job *job, const struct topo *t)
{
    uint16_t *hops;
    uint32_t host = TOPO_NONE;
    int exit_code = CLI_DONE;
    int err;

    job->hosts = t->host_count;
    job->switches = t->switch_count;
    if (t->host_count == 0) {
        message("topology %s has no hosts: a storm needs at least one",
                topology_shown_name(job->topology));
        message_try("weft topology lint %s", job->topology);
        return CLI_FAILED;
    }
    if (job->sa_wanted)
        exit_code = find_wanted(job, t, &host);
    if (exit_code != CLI_DONE)
        return exit_code;
    hops = calloc(t->node_count, sizeof(*hops));
    err = hops ? 0 : WEFT_ERR_NOMEM;
    if (err == 0 && !job->sa_wanted)
        err = choose_host(t, hops, &host);
    if (err == 0)
        err = topo_hops(t, host, hops);
    if (err == 0) {
        job->sa_guid = t->nodes[host].guid;
        topo_node_label(&t->nodes[host], job->sa_host);
        exit_code = place_clients(job, t, hops);
    } else {
        exit_code = message_failed("no memory for %" PRIu32 " hosts", t->host_count);
    }
    free(hops);
    return exit_code;
}

int storm_place(struct storm_job *job)
{
    struct topo *t = NULL;
    int exit_code = topology_load(job->topology, &t);

    if (exit_code == CLI_DONE)
        exit_code = place_in(job, t);
    topo_free(t);
    return exit_code;
}
