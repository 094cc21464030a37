/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A topology in the words of other programs: Slurm's topology.conf and Graphviz.
 */
#ifndef WEFT_TOPOLOGY_CONVERT_H
#define WEFT_TOPOLOGY_CONVERT_H

#include "topology/topology.h"

/** Which part of an adapter's NodeDescription is the name of its host. */
enum topo_host_names {
    TOPO_HOST_FIRST, /**< the first word: "host01 HCA-1" */
    TOPO_HOST_LAST,  /**< the last word */
    TOPO_HOST_WHOLE, /**< all of it */
    TOPO_HOST_GUID   /**< none: the name is made of the GUID */
};

/** What is asked of topo_write_slurm(). */
struct topo_slurm_options {
    enum topo_host_names names;
    const char *rail; /**< only adapters with this word in their NodeDescription; NULL: all */
    uint64_t port;    /**< a host's N-th port of these; 0: its first */
};

/** What topo_write_slurm() has to say about its tree. */
struct topo_slurm_report {
    uint32_t hosts;          /**< written */
    uint32_t hosts_left_out; /**< have no such adapter or port, or it has no cable to a switch */
    uint32_t ports_left_out; /**< further ports of hosts that are written */
    uint32_t leaves;         /**< switches with hosts */
    uint32_t groups;         /**< switches above them, each for all that join the same ones */
    uint32_t roots;          /**< parts of the tree without a common switch above them */
    uint32_t across;         /**< cables between switches of one level: the tree cannot say them */
    uint32_t across_port;    /**< the first of these, or TOPO_NONE */
};

/** Writes the switches and hosts of a topology as Slurm's topology/tree plugin reads them from
 * topology.conf. Switches that join the same ones below them are one switch there. Aggregation
 * nodes and routers are left out.
 * @param t       a topology
 * @param o       what is asked
 * @param report  written on success
 * @return 0; WEFT_ERR_NOTFOUND: no host is left to write, and nothing is written;
 *         WEFT_ERR_NOMEM. Whether the stream failed is for the caller to ask */
int topo_write_slurm(const struct topo *t, const struct topo_slurm_options *o, FILE *out,
                     struct topo_slurm_report *report);

/** Writes a topology as a graph for Graphviz's dot: a cluster for each level, ports at the ends of
 * cables, links slower than most of their kind in red.
 * @param t      a topology
 * @param hosts  false: switches only, with the number of their hosts
 * @return 0 or WEFT_ERR_NOMEM. Whether the stream failed is for the caller to ask */
int topo_write_dot(const struct topo *t, bool hosts, FILE *out);

#endif
