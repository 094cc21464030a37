/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft discover`: what a fabric is made of, and what has changed. */
#include "cli/discover.h"
#include "cli/heap.h"
#include "cli/mad_drive.h"
#include "cli/mad_sweep.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/topology_load.h"
#include "cli/verb.h"
#include "cli/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Subnet management packets have no flow control: switches drop what they have no room for. Other
 * tools have two or four under way, weft so many unless it is told otherwise. */
#define HCA_WINDOW 16

enum {
    OPTION_JSON = 1,
    OPTION_LIST,
    OPTION_SWITCHES,
    OPTION_CAS,
    OPTION_ROUTERS,
    OPTION_PORTS,
    OPTION_ROUTES,
    OPTION_SHOW,
    OPTION_SAVE,
    OPTION_SINCE,
    OPTION_TIMEOUT,
    OPTION_WINDOW
};

static const struct poptOption option_table[] = {
    MAD_PLACE_OPTIONS,
    {"list", 'l', POPT_ARG_NONE, NULL, OPTION_LIST, "list the nodes", NULL},
    {"switches", 'S', POPT_ARG_NONE, NULL, OPTION_SWITCHES, "list the switches", NULL},
    {"cas", 'H', POPT_ARG_NONE, NULL, OPTION_CAS, "list the channel adapters", NULL},
    {"routers", 'R', POPT_ARG_NONE, NULL, OPTION_ROUTERS, "list the routers", NULL},
    {"ports", 'p', POPT_ARG_NONE, NULL, OPTION_PORTS, "list the ports, with or without a link",
     NULL},
    {"routes", '\0', POPT_ARG_NONE, NULL, OPTION_ROUTES, "list the nodes with the route to each",
     NULL},
    {"show", 's', POPT_ARG_NONE, NULL, OPTION_SHOW, "show first how each node was found", NULL},
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    {"save", '\0', POPT_ARG_STRING, NULL, OPTION_SAVE,
     "write the topology to a file instead of printing it", "FILE"},
    {"since", '\0', POPT_ARG_STRING, NULL, OPTION_SINCE,
     "print what has changed since that topology was saved", "FILE"},
    {"timeout", '\0', POPT_ARG_STRING, NULL, OPTION_TIMEOUT,
     "how long a node may leave requests unanswered (default 1s)", "TIME"},
    {"window", '\0', POPT_ARG_STRING, NULL, OPTION_WINDOW,
     "requests under way at most (default: see the manual page)", "N"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "discover",
    .arguments = "[OPTION...]",
    .text = "Finds all nodes, ports and cables of a fabric by directed routes, and prints\n"
            "its topology as ibnetdiscover does. Exit status 1 if somebody does not answer,\n"
            "who is then named with the ways that were tried, or if anything has changed\n"
            "(--since).\n",
    .table = option_table,
};

static void choose(struct options *o, struct discover_request *r, enum discover_view view,
                   uint8_t type)
{
    if (r->view != DISCOVER_TOPOLOGY)
        options_refuse(o, "--%s: one list at a time", options_name(o));
    r->view = view;
    r->type = type;
}

static void take(struct options *o, struct discover_request *r, int option)
{
    switch (option) {
    case OPTION_JSON:
        r->json = true;
        break;
    case OPTION_LIST:
        choose(o, r, DISCOVER_LIST, 0);
        break;
    case OPTION_SWITCHES:
        choose(o, r, DISCOVER_LIST, WEFT_SWEEP_SWITCH);
        break;
    case OPTION_CAS:
        choose(o, r, DISCOVER_LIST, WEFT_SWEEP_CA);
        break;
    case OPTION_ROUTERS:
        choose(o, r, DISCOVER_LIST, WEFT_SWEEP_ROUTER);
        break;
    case OPTION_PORTS:
        choose(o, r, DISCOVER_PORTS, 0);
        break;
    case OPTION_ROUTES:
        choose(o, r, DISCOVER_ROUTES, 0);
        break;
    case OPTION_SHOW:
        r->show = true;
        break;
    case OPTION_SAVE:
        options_keep(o, "a file's name", &r->save);
        break;
    case OPTION_SINCE:
        options_keep(o, "a file's name", &r->since);
        break;
    case OPTION_WINDOW:
        options_count(o, 1, 1024, &r->window);
        break;
    default:
        options_duration(o, 10 * WEFT_MS, 60 * WEFT_S, &r->timeout);
        break;
    }
}

static void check(struct options *o, struct discover_request *r)
{
    mad_place_check(&r->place, o);
    if (!options_stopped(o) && (r->view != DISCOVER_TOPOLOGY || r->show) && r->json)
        options_refuse(o, "--json has everything: no list beside it");
    else if (!options_stopped(o) && (r->view != DISCOVER_TOPOLOGY || r->show) && r->since)
        options_refuse(o, "--since prints changes: no list beside it");
    else if (!options_stopped(o))
        options_no_more_arguments(o);
    if (r->since)
        r->view = DISCOVER_CHANGES;
}

/* A sweep that tells how far it is. */
struct watched {
    struct weft_sweep *sweep;
    struct progress progress;
};

static bool poll_sweep(void *self, struct weft_mad_send_req *ret)
{
    return weft_sweep_poll(((struct watched *)self)->sweep, ret);
}

static void tell_sweep(void *self, const struct weft_mad_event *ev)
{
    struct watched *w = self;

    weft_sweep_event(w->sweep, ev);
    if (w->progress.visible)
        progress_update(&w->progress, mad_link_clock(), weft_sweep_node_count(w->sweep), 0);
}

static bool is_sweep_done(const void *self)
{
    return weft_sweep_done(((const struct watched *)self)->sweep);
}

static int sweep_to_end(struct mad_link *l, weft_mad_agent_id agent,
                        const struct discover_request *r, const struct weft_sweep_prior *known,
                        struct discover *d)
{
    struct weft_sweep_config c;
    struct watched w;
    int exit_code;

    (void)weft_sweep_config_init(&c);
    if (r->timeout != 0)
        c.timeout = r->timeout;
    if (l->on_hca)
        c.window = HCA_WINDOW;
    if (r->window != 0)
        c.window = (uint32_t)r->window;
    exit_code = mad_sweep_new(&c, agent, known, &d->sweep);
    if (exit_code != CLI_DONE)
        return exit_code;
    w.sweep = d->sweep;
    progress_start(&w.progress, "nodes found", mad_link_clock());
    exit_code = mad_drive(l, &(struct mad_machine){&w, poll_sweep, tell_sweep, is_sweep_done});
    progress_end(&w.progress);
    /* What was found until there was no more room is printed, and is not all. */
    return exit_code == CLI_DONE ? mad_sweep_verdict(l, d->sweep) : exit_code;
}

static int load_earlier(const struct discover_request *r, struct discover *d,
                        struct weft_sweep_prior **known)
{
    int exit_code = topology_load(r->since, &d->old);

    if (exit_code != CLI_DONE)
        return exit_code;
    *known = known_of_topo(d->old);
    return *known ? CLI_DONE : message_failed("no memory for the earlier topology");
}

static int find(const struct discover_request *r, struct discover *d)
{
    struct mad_link link = {.engine = NULL};
    struct weft_sweep_prior *known = NULL;
    weft_mad_agent_id agent;
    int exit_code = r->since ? load_earlier(r, d, &known) : CLI_DONE;

    if (exit_code == CLI_DONE)
        exit_code = mad_sweep_open(&r->place, &link, &agent);
    if (exit_code == CLI_DONE)
        exit_code = sweep_to_end(&link, agent, r, known, d);
    if (link.engine)
        mad_link_close(&link);
    (void)weft_sweep_prior_free(known);
    return exit_code;
}

static int save(const struct discover_request *r, const struct discover *d)
{
    struct whole_file f;
    int exit_code = whole_file_open(&f, "topology", r->save);

    if (exit_code != CLI_DONE)
        return exit_code;
    (void)discover_write(d, f.out);
    return whole_file_close(&f, "topology");
}

static int print(const struct discover_request *r, const struct discover *d)
{
    if (r->json)
        return discover_print_json(d);
    if (r->show)
        discover_print_ways(d);
    if (r->view == DISCOVER_LIST)
        discover_print_nodes(d, r->type);
    else if (r->view == DISCOVER_PORTS)
        discover_print_ports(d);
    else if (r->view == DISCOVER_ROUTES)
        discover_print_routes(d);
    else if (r->view == DISCOVER_CHANGES)
        discover_print_changes(d);
    else if (!r->save)
        (void)discover_write(d, stdout);
    return CLI_DONE;
}

/* What was found is printed and saved in any case; `so_far` says how finding it went. */
static int finish(const struct discover_request *r, struct discover *d, int so_far)
{
    int exit_code = CLI_DONE;

    if (sweep_topo(d->sweep, &d->topo) != 0 ||
        (d->old && topo_diff(d->old, d->topo, &d->changes) != 0))
        return message_failed("no memory for the topology");
    if (discover_complain(d) || d->changes.count > 0)
        so_far = CLI_PART;
    if (r->save)
        exit_code = save(r, d);
    if (exit_code == CLI_DONE)
        exit_code = print(r, d);
    return exit_code == CLI_DONE ? so_far : exit_code;
}

static int run(const struct discover_request *r)
{
    struct discover d = {.sweep = NULL};
    int exit_code = r->save ? whole_file_try("topology", r->save) : CLI_DONE;

    if (exit_code == CLI_DONE)
        exit_code = find(r, &d);
    if (exit_code == CLI_DONE || exit_code == CLI_PART)
        exit_code = finish(r, &d, exit_code);
    topo_findings_free(&d.changes);
    (void)topo_free(d.topo);
    (void)topo_free(d.old);
    (void)weft_sweep_free(d.sweep);
    return exit_code;
}

int verb_discover(int argc, const char **argv)
{
    struct discover_request request = {.view = DISCOVER_TOPOLOGY};
    struct options o;
    int option;
    int exit_code = CLI_DONE;
    int parse_exit_code;
    bool stopped;

    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0)
        if (!mad_place_take(&request.place, &o, option))
            take(&o, &request, option);
    if (!options_stopped(&o))
        check(&o, &request);
    stopped = options_stopped(&o);
    heap_for_fabric();
    if (!stopped)
        exit_code = run(&request);
    parse_exit_code = options_done(&o);
    mad_place_clear(&request.place);
    free(request.save);
    free(request.since);
    return stopped ? parse_exit_code : exit_code;
}
