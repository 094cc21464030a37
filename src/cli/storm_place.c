/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a topology to each client's distance from the SA. */
#include "cli/storm_place.h"

#include "cli/message.h"
#include "cli/verb.h"
#include "topology/topology.h"

#include <inttypes.h>
#include <stdlib.h>

/* A host's LID; dumps and generators may give none, then the hosts are numbered. */
static uint16_t host_lid(const struct topo *t, uint32_t host, uint32_t number)
{
    const struct topo_node *node = &t->nodes[host];

    if (node->port_count > 0 && t->ports[node->first_port].lid != 0 &&
        t->ports[node->first_port].lid <= TOPO_LID_UNICAST_MAX)
        return t->ports[node->first_port].lid;
    return (uint16_t)(number % TOPO_LID_UNICAST_MAX + 1);
}

/* The hosts with a path to the first one.
 * Returns how many, or 0 when there is no memory. */
static uint32_t find_hosts(const struct topo *t, struct storm_client_place *ret)
{
    uint16_t *hops = calloc(t->node_count, sizeof(*hops));
    uint32_t count = 0;

    if (hops && topo_hops(t, t->hosts[0], hops) == 0) {
        for (uint32_t i = 0; i < t->host_count; i++) {
            uint16_t links = hops[t->hosts[i]];

            if (links != TOPO_UNREACHABLE)
                ret[count++] =
                    (struct storm_client_place){.hops = links, .lid = host_lid(t, t->hosts[i], i)};
        }
    }
    free(hops);
    return count;
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
    job->sa_lid = hosts[0].lid;
}

static int place_in(struct storm_job *job, const struct topo *t)
{
    struct storm_client_place *hosts;
    uint32_t count;

    job->hosts = t->host_count;
    job->switches = t->switch_count;
    if (t->host_count == 0) {
        message("topology %s has no hosts: a storm needs at least one", job->topology);
        message_try("weft topology lint %s", job->topology);
        return CLI_FAILED;
    }
    hosts = calloc(t->host_count, sizeof(*hosts));
    count = hosts ? find_hosts(t, hosts) : 0;
    if (count == 0) {
        free(hosts);
        return message_failed("no memory for %" PRIu32 " hosts", t->host_count);
    }
    job->stranded = t->host_count - count;
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

int storm_place(struct storm_job *job)
{
    struct topo_error error;
    struct topo *t = NULL;
    int err = topo_load_spec(job->topology, &t, &error);
    int exit_code;

    if (err == 0) {
        exit_code = place_in(job, t);
        topo_free(t);
        return exit_code;
    }
    if (err == WEFT_ERR_NOMEM)
        return message_failed("no memory for topology %s", job->topology);
    if (error.line > 0)
        message("%s:%" PRIu32 ": %s", job->topology, error.line, error.text);
    else
        message("--topology %s: %s", job->topology, error.text);
    /* All but the file's reader say themselves what to try. */
    if (err == WEFT_ERR_NOTFOUND)
        message_try("a file that ibnetdiscover printed, or fat-tree:hosts=324,radix=36");
    return err == WEFT_ERR_INVALID ? CLI_USAGE : CLI_FAILED;
}
