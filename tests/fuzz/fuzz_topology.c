/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any bytes read as a topology give a topology or an error that says why; what was
 * read can be checked, compared and written, and reading what was written gives the same again. */
#include "topology/convert.h"
#include "topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_topology: %s\n", what);
    abort();
}

static void check_ports(const struct topo *t)
{
    for (uint32_t i = 0; i < t->port_count; i++) {
        const struct topo_port *p = &t->ports[i];

        require(p->node < t->node_count && p->peer_node < t->node_count, "port of a missing node");
        require(p->num != 0 && p->peer_num != 0, "port 0 has a cable");
        require(topo_find_port(t, p->node, p->num) == i, "port is not found where it is");
        if (p->peer_port != TOPO_NONE)
            require(t->ports[p->peer_port].peer_port == i, "link leads back elsewhere");
        else
            require(!p->implied, "implied end without a link");
    }
}

static void check_nodes(const struct topo *t)
{
    for (uint32_t i = 0; i < t->node_count; i++) {
        require(t->nodes[i].guid != 0 || t->nodes[i].id, "node without identity");
        if (t->nodes[i].guid != 0)
            require(topo_find_guid(t, t->nodes[i].guid) == i, "node is not found by its GUID");
    }
}

static void check_findings(const struct topo *t)
{
    struct topo_findings findings;
    uint16_t *hops = malloc(t->node_count * sizeof(*hops));

    require(hops && topo_hops(t, 0, hops) == 0, "hops are not counted");
    free(hops);
    require(topo_lint(t, &findings) == 0, "lint fails");
    topo_findings_free(&findings);
    require(topo_diff(t, t, &findings) == 0 && findings.count == 0,
            "a topology differs from itself");
    topo_findings_free(&findings);
}

/* The words of others: what is written has lines, and a tree names each host once. */
static void check_forms(const struct topo *t)
{
    struct topo_slurm_options options = {.names = TOPO_HOST_FIRST};
    struct topo_slurm_report report;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int err;

    require(out, "no memory");
    err = topo_write_slurm(t, &options, out, &report);
    require(err == 0 || err == WEFT_ERR_NOTFOUND, "the tree is not written");
    require(fclose(out) == 0 && (err == 0) == (length > 0), "half a tree is written");
    if (err == 0)
        require(report.hosts > 0 && report.leaves > 0 && report.roots > 0 &&
                    report.roots <= report.leaves + report.groups,
                "a tree without leaves or roots");
    free(text);
    text = NULL;
    out = open_memstream(&text, &length);
    require(out && topo_write_dot(t, true, out) == 0, "the graph is not written");
    require(fclose(out) == 0 && length > 2 && strcmp(text + length - 2, "}\n") == 0,
            "the graph has no end");
    free(text);
}

static void check_rewrite(const struct topo *t)
{
    struct topo_error error;
    struct topo *again = NULL;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool declared = t->node_count > 0 && t->nodes[0].declared;

    require(out && topo_write(t, out), "topology is not written");
    fclose(out);
    /* Nodes that no stanza declares are known from others' port lines only. */
    require(declared, "no node is declared");
    require(topo_parse(text, length, &again, &error) == 0, "what was written is not read");
    require(topo_equal(t, again), "what was written reads differently");
    topo_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct topo_error error = {.text = ""};
    struct topo *t = NULL;

    if (topo_parse((const char *)data, size, &t, &error) != 0) {
        require(!t && error.text[0] != '\0', "error without a reason");
        return 0;
    }
    check_nodes(t);
    check_ports(t);
    check_findings(t);
    check_forms(t);
    check_rewrite(t);
    topo_free(t);
    return 0;
}
