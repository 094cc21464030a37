/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft topology convert`: a topology in another program's words, and what these cannot say. */
#include "cli/message.h"
#include "cli/topology_action.h"
#include "cli/topology_load.h"
#include "cli/verb.h"
#include "cli/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void say_across(const struct topo *t, const struct topo_slurm_report *r)
{
    const struct topo_port *p = &t->ports[r->across_port];
    char node[TOPO_LABEL_BYTES];
    char peer[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[p->node], node);
    topo_node_label(&t->nodes[p->peer_node], peer);
    message("%" PRIu32 " cable%s between switches of one level (the first from port %u of %s to "
            "port %u of %s): a tree cannot say which switches are near each other by %s",
            r->across, plural(r->across), p->num, node, p->peer_num, peer,
            r->across == 1 ? "it" : "them");
    message_try("TopologyPlugin=topology/3d_torus for a torus, TopologyParam=Dragonfly for a "
                "dragonfly");
}

/* Says what the tree leaves out; gives whether there was anything. */
static bool say_left_out(const struct topo *t, const struct topo_slurm_report *r)
{
    if (r->hosts_left_out > 0)
        message("%" PRIu32 " host%s left out: no such port that has a cable to a switch",
                r->hosts_left_out, plural(r->hosts_left_out));
    if (r->ports_left_out > 0) {
        message("%" PRIu32 " further port%s of hosts left out: each host is at the switch of its "
                "first port",
                r->ports_left_out, plural(r->ports_left_out));
        message_try("--rail NAME or --rail N for one rail");
    }
    if (r->roots > 1)
        message("%" PRIu32 " parts of the fabric have no path between them: no job will span them",
                r->roots);
    if (r->across > 0)
        say_across(t, r);
    return r->hosts_left_out > 0 || r->ports_left_out > 0 || r->roots > 1 || r->across > 0;
}

/* --rail is a port's number or a word of NodeDescription. */
static void read_rail(const char *rail, struct topo_slurm_options *ret)
{
    if (rail && strlen(rail) <= 3 && rail[0] != '0' && rail[strspn(rail, "0123456789")] == '\0')
        ret->port = strtoul(rail, NULL, 10);
    else
        ret->rail = rail;
}

static int write_slurm(const struct topology_request *request, const struct topo *t, FILE *out)
{
    struct topo_slurm_options options = {.names = (enum topo_host_names)request->host_names};
    struct topo_slurm_report report;
    int err;

    read_rail(request->rail, &options);
    err = topo_write_slurm(t, &options, out, &report);
    if (err == WEFT_ERR_NOTFOUND && request->rail)
        return message_failed("%s: no host has a port of rail %s that leads to a switch",
                              topology_shown_name(request->spec), request->rail);
    if (err == WEFT_ERR_NOTFOUND)
        return message_failed("%s: no host has a port that leads to a switch",
                              topology_shown_name(request->spec));
    if (err)
        return message_failed("no memory for the tree");
    return say_left_out(t, &report) ? CLI_PART : CLI_DONE;
}

static int write_form(const struct topology_request *request, const struct topo *t, FILE *out)
{
    switch ((enum topology_form)request->form) {
    case TOPOLOGY_SLURM:
        return write_slurm(request, t, out);
    case TOPOLOGY_DOT:
        if (topo_write_dot(t, !request->no_hosts, out) != 0)
            return message_failed("no memory for the graph");
        return CLI_DONE;
    case TOPOLOGY_JSON:
        if (!topology_write_json(t, out) && !ferror(out))
            return message_failed("no memory for the JSON document");
        return CLI_DONE;
    case TOPOLOGY_IBNETDISCOVER:
    case TOPOLOGY_IBSIM:
        break;
    }
    /* A stream that failed is found below. */
    (void)topo_write(t, out);
    return CLI_DONE;
}

static int write_to_file(const struct topology_request *request, const struct topo *t)
{
    struct whole_file f;
    int exit_code = whole_file_open(&f, "topology", request->output);
    int closed;

    if (exit_code != CLI_DONE)
        return exit_code;
    exit_code = write_form(request, t, f.out);
    if (exit_code == CLI_FAILED) {
        whole_file_abandon(&f);
        return exit_code;
    }
    closed = whole_file_close(&f, "topology");
    return closed == CLI_DONE ? exit_code : closed;
}

/* What ibsim refuses is worth a word before it does. */
static int check_for_ibsim(const struct topo *t)
{
    struct topo_findings findings;
    size_t count = 0;

    if (topo_lint(t, &findings) != 0)
        return message_failed("no memory to check the topology");
    for (size_t i = 0; i < findings.count; i++) {
        enum topo_kind kind = findings.items[i].kind;

        count += kind == TOPO_ONE_SIDED_LINK || kind == TOPO_CONTRADICTING_LINK ||
                 kind == TOPO_PORT_RANGE || kind == TOPO_SELF_LINK;
    }
    topo_findings_free(&findings);
    if (count == 0)
        return CLI_DONE;
    message("ibsim refuses this file: %zu cable%s do not fit; weft topology lint says which", count,
            count == 1 ? "" : "s");
    return CLI_PART;
}

int topology_convert(const struct topology_request *request)
{
    struct topo *t = NULL;
    int checked = CLI_DONE;
    int exit_code = topology_load(request->spec, &t);

    if (exit_code == CLI_DONE && request->form == TOPOLOGY_IBSIM)
        checked = check_for_ibsim(t);
    if (exit_code == CLI_DONE && request->output)
        exit_code = write_to_file(request, t);
    else if (exit_code == CLI_DONE) {
        exit_code = write_form(request, t, stdout);
        if (exit_code != CLI_FAILED && (fflush(stdout) != 0 || ferror(stdout)))
            exit_code = message_failed("cannot write to standard output: %s", strerror(errno));
    }
    (void)topo_free(t);
    return exit_code == CLI_DONE ? checked : exit_code;
}
