/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft topology`: checks, converts, compares and generates topologies. */
#include "cli/heap.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/printable.h"
#include "cli/topology_action.h"
#include "cli/topology_load.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_JSON = 1,
    OPTION_IGNORED,
    OPTION_LIDS,
    OPTION_TO,
    OPTION_OUTPUT,
    OPTION_RAIL,
    OPTION_HOST_NAMES,
    OPTION_HOSTS
};

/* Indexed by enum topology_form. */
static const char *const forms[] = {"ibnetdiscover", "ibsim", "json", "slurm", "dot", NULL};
/* Indexed by enum topo_host_names. */
static const char *const host_names[] = {"first", "last", "whole", "guid", NULL};
static const char *const yes_no[] = {"yes", "no", NULL};

/* A subcommand, its options and how many topologies it takes. */
struct action {
    const char *name;
    int (*run)(const struct topology_request *request);
    bool takes_json;
    bool takes_ignored;
    bool takes_two;
    bool converts;
};

static const struct poptOption option_table[] = {
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document (lint, diff)", NULL},
    {"ignored", '\0', POPT_ARG_NONE, NULL, OPTION_IGNORED,
     "list the lines that were ignored, too (lint)", NULL},
    {"lids", '\0', POPT_ARG_NONE, NULL, OPTION_LIDS, "LIDs that changed count, too (diff)", NULL},
    {"to", 't', POPT_ARG_STRING, NULL, OPTION_TO,
     "what to write (convert): ibnetdiscover, ibsim, json, slurm or dot", "FORM"},
    {"output", 'o', POPT_ARG_STRING, NULL, OPTION_OUTPUT,
     "write to this file, not to standard output (convert)", "FILE"},
    {"rail", '\0', POPT_ARG_STRING, NULL, OPTION_RAIL,
     "take only adapters with this word in their description, or every host's Nth port (slurm)",
     "NAME|N"},
    {"host-names", '\0', POPT_ARG_STRING, NULL, OPTION_HOST_NAMES,
     "which word of a description is the host: first (default), last, whole or guid (slurm)",
     "WORD"},
    {"hosts", '\0', POPT_ARG_STRING, NULL, OPTION_HOSTS,
     "no: draw switches only, with the number of their hosts (dot)", "yes|no"},
    MAD_PLACE_OPTIONS,
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "topology",
    .arguments = "[OPTION...] lint|convert|generate TOPOLOGY | diff OLD [NEW]",
    .text = "  lint      says what is wrong with a topology; exit status 1 if anything is\n"
            "  convert   writes a topology for ibsim, Slurm, Graphviz or programs that read\n"
            "            JSON, or as ibnetdiscover prints it; exit status 1 if that cannot\n"
            "            say all of it\n"
            "  generate  writes what a generator makes, as ibnetdiscover would print it\n"
            "  diff      says what changed, from OLD to NEW or to the fabric as it is now;\n"
            "            exit status 1 if anything did\n"
            "\n"
            "A topology is a file that ibnetdiscover has printed or ibsim reads, - for\n"
            "standard input, or a generator: fat-tree:hosts=N,radix=K,\n"
            "torus:x=N,y=N,z=N,hosts=N or dragonfly:a=N,p=N,h=N,g=N.\n",
    .table = option_table,
};

static json_t *findings_to_json(const struct topo_findings *findings)
{
    json_t *list = json_array();

    for (size_t i = 0; i < findings->count && list; i++) {
        const struct topo_finding *f = &findings->items[i];
        json_t *item = json_pack("{s:I, s:s, s:s}", "line", (json_int_t)f->line, "kind",
                                 topo_kind_name(f->kind), "text", f->text);

        if (!item || json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static void mention_dropped(const struct topo_findings *findings)
{
    if (findings->dropped > 0)
        message("%zu more findings are not listed", findings->dropped);
}

static int print_lint_json(const struct topo *t, const struct topo_findings *findings)
{
    return json_print(json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:o, s:I}", "schema", "weft.topology.lint/1", "switches",
        (json_int_t)t->switch_count, "cas", (json_int_t)t->ca_count, "routers",
        (json_int_t)t->router_count, "links", (json_int_t)t->link_count, "problems",
        findings_to_json(findings), "ignored_lines", (json_int_t)t->ignored_count));
}

static void print_ignored(const char *name, const struct topo *t)
{
    char text[4 * TOPO_IGNORED_TEXT_BYTES];

    for (size_t i = 0; i < t->ignored_kept; i++)
        printf("%s:%" PRIu32 ": ignored: %s\n", name, t->ignored[i].line,
               printable(t->ignored[i].text, text, sizeof(text)));
    if (t->ignored_count > t->ignored_kept)
        printf("%s: %zu more ignored lines are not listed\n", name,
               t->ignored_count - t->ignored_kept);
}

static void print_finding(const char *name, const struct topo_finding *f)
{
    if (f->line == 0)
        printf("%s: %s: %s\n", name, topo_kind_name(f->kind), f->text);
    else
        printf("%s:%" PRIu32 ": %s: %s\n", name, f->line, topo_kind_name(f->kind), f->text);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* A dump that ends early has as many problems as cables into the missing part: one line says so. */
static void print_missing_stanzas(const char *name, const struct topo *t)
{
    uint32_t nodes = 0;
    uint32_t links = 0;

    for (uint32_t i = 0; i < t->node_count; i++) {
        if (t->nodes[i].declared)
            continue;
        nodes++;
        links += t->nodes[i].port_count;
    }
    if (nodes > 0)
        printf("%s: %" PRIu32 " node%s without a stanza: this alone makes %" PRIu32
               " problem%s; is the dump complete?\n",
               name, nodes, plural(nodes), links, plural(links));
}

static void print_lint(const struct topology_request *request, const struct topo *t,
                       const struct topo_findings *findings)
{
    char shown[PRINTABLE_PATH_BYTES];
    const char *name = printable(topology_shown_name(request->spec), shown, sizeof(shown));
    size_t problems = findings->count + findings->dropped;

    if (request->ignored)
        print_ignored(name, t);
    for (size_t i = 0; i < findings->count; i++)
        print_finding(name, &findings->items[i]);
    print_missing_stanzas(name, t);
    printf("%s: %" PRIu32 " switch%s, %" PRIu32 " CA%s, %" PRIu32 " router%s, %" PRIu32
           " link%s; %zu line%s ignored; %zu problem%s\n",
           name, t->switch_count, t->switch_count == 1 ? "" : "es", t->ca_count,
           plural(t->ca_count), t->router_count, plural(t->router_count), t->link_count,
           plural(t->link_count), t->ignored_count, plural(t->ignored_count), problems,
           plural(problems));
}

static int run_lint(const struct topology_request *request)
{
    struct topo_findings findings = {0};
    struct topo *t = NULL;
    int exit_code = topology_load(request->spec, &t);

    if (exit_code != CLI_DONE)
        return exit_code;
    if (topo_lint(t, &findings) != 0)
        exit_code = message_failed("no memory to check %s", topology_shown_name(request->spec));
    else if (request->json)
        exit_code = print_lint_json(t, &findings);
    else
        print_lint(request, t, &findings);
    mention_dropped(&findings);
    if (exit_code == CLI_DONE && findings.count > 0)
        exit_code = CLI_PART;
    topo_findings_free(&findings);
    topo_free(t);
    return exit_code;
}

static int run_generate(const struct topology_request *request)
{
    struct topo_error error;
    struct topo *t;

    if (topo_spec_is_generator(request->spec))
        return topology_convert(request);
    /* Not a generator's name: asking for it gives the message that lists them. */
    if (topo_generate(request->spec, &t, &error) == 0)
        topo_free(t);
    message("%s", error.text);
    return CLI_USAGE;
}

static int print_diff_json(const struct topo_findings *changes)
{
    return json_print(json_pack("{s:s, s:o}", "schema", "weft.topology.diff/1", "changes",
                                findings_to_json(changes)));
}

/* What messages and lines call the later topology. */
static const char *later_name(const struct topology_request *request)
{
    return request->second ? topology_shown_name(request->second) : "the fabric";
}

static void print_diff(const struct topology_request *request, const struct topo_findings *changes)
{
    char old[PRINTABLE_PATH_BYTES];
    char new[PRINTABLE_PATH_BYTES];

    printable(topology_shown_name(request->spec), old, sizeof(old));
    printable(later_name(request), new, sizeof(new));
    for (size_t i = 0; i < changes->count; i++) {
        const struct topo_finding *f = &changes->items[i];
        bool gone = f->kind == TOPO_NODE_REMOVED || f->kind == TOPO_STANZA_REMOVED ||
                    f->kind == TOPO_LINK_REMOVED;

        print_finding(gone ? old : new, f);
    }
}

static int load_later(const struct topology_request *request, struct topo **ret)
{
    if (request->second)
        return topology_load(request->second, ret);
    return topology_sweep(&request->place, ret);
}

static int run_diff(const struct topology_request *request)
{
    struct topo_findings changes = {0};
    struct topo *old = NULL;
    struct topo *new = NULL;
    int exit_code = topology_load(request->spec, &old);
    int swept = CLI_DONE;
    int err = 0;

    if (exit_code == CLI_DONE)
        exit_code = load_later(request, &new);
    if (exit_code == CLI_PART) {
        swept = CLI_PART;
        exit_code = CLI_DONE;
    }
    if (exit_code == CLI_DONE)
        err =
            request->lids ? topo_diff_with_lids(old, new, &changes) : topo_diff(old, new, &changes);
    if (err)
        exit_code = message_failed("no memory to compare the topologies");
    if (exit_code == CLI_DONE && request->json)
        exit_code = print_diff_json(&changes);
    else if (exit_code == CLI_DONE)
        print_diff(request, &changes);
    mention_dropped(&changes);
    if (exit_code == CLI_DONE)
        exit_code = changes.count > 0 ? CLI_PART : swept;
    topo_findings_free(&changes);
    (void)topo_free(old);
    (void)topo_free(new);
    return exit_code;
}

static const struct action actions[] = {
    {"lint", run_lint, .takes_json = true, .takes_ignored = true},
    {"convert", topology_convert, .converts = true},
    {"generate", run_generate, .takes_json = false},
    {"diff", run_diff, .takes_json = true, .takes_two = true},
    {.name = NULL},
};

/* Options that one form of convert has. */
static void check_form(struct options *o, const struct action *action,
                       const struct topology_request *request)
{
    if (request->options_of_convert && !action->converts)
        options_refuse(o, "topology %s writes one form only; convert has others", action->name);
    else if (request->rail && request->form != TOPOLOGY_SLURM)
        options_refuse(o, "--rail is for --to slurm");
    else if (request->host_names != TOPO_HOST_FIRST && request->form != TOPOLOGY_SLURM)
        options_refuse(o, "--host-names is for --to slurm");
    else if (request->no_hosts && request->form != TOPOLOGY_DOT)
        options_refuse(o, "--hosts is for --to dot");
}

static void check_second(struct options *o, const struct action *action,
                         const struct topology_request *request)
{
    bool live = mad_place_given(&request->place);

    if (live && !action->takes_two)
        options_refuse(o, "topology %s looks at no fabric; diff does", action->name);
    else if (live && request->second)
        options_refuse(o, "diff compares with a file or with a fabric, not with both");
    else if (action->takes_two && !live && !request->second)
        options_refuse(o, "diff compares two topologies; the second is missing, or --fabric or "
                          "--ca for the fabric as it is now");
    else
        options_no_more_arguments(o);
}

static void check_request(struct options *o, const struct action *action,
                          struct topology_request *request)
{
    request->spec = options_argument(o);
    if (action->takes_two)
        request->second = options_argument(o);
    if (request->json && action->converts)
        options_refuse(o, "topology convert has no --json; --to json writes a document");
    else if (request->json && !action->takes_json)
        options_refuse(o, "topology %s has no --json: it prints a topology", action->name);
    else if (request->ignored && !action->takes_ignored)
        options_refuse(o, "topology %s has no --ignored; lint has", action->name);
    else if (request->ignored && request->json)
        options_refuse(o, "--ignored lists lines for people; --json has their number");
    else if (request->lids && !action->takes_two)
        options_refuse(o, "topology %s has no --lids; diff has", action->name);
    else if (!request->spec)
        options_refuse(o, "%s what? The topology is missing", action->name);
    else
        check_form(o, action, request);
    if (!options_stopped(o))
        mad_place_check(&request->place, o);
    if (!options_stopped(o))
        check_second(o, action, request);
}

static void take(struct options *o, struct topology_request *r, int option)
{
    size_t word = 0;

    r->json = r->json || option == OPTION_JSON;
    r->ignored = r->ignored || option == OPTION_IGNORED;
    r->lids = r->lids || option == OPTION_LIDS;
    if (option < OPTION_TO)
        return;
    r->options_of_convert = true;
    if (option == OPTION_TO)
        options_word(o, forms, &r->form);
    else if (option == OPTION_OUTPUT)
        options_keep(o, "a name", &r->output);
    else if (option == OPTION_RAIL)
        options_keep(o, "a name", &r->rail);
    else if (option == OPTION_HOST_NAMES)
        options_word(o, host_names, &r->host_names);
    else {
        options_word(o, yes_no, &word);
        r->no_hosts = word == 1;
    }
}

int verb_topology(int argc, const char **argv)
{
    struct topology_request request = {.form = TOPOLOGY_IBNETDISCOVER};
    const struct action *action = NULL;
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
        action = options_action(&o, actions, sizeof(actions[0]));
    if (action)
        check_request(&o, action, &request);
    stopped = !action || options_stopped(&o);
    heap_for_fabric();
    if (!stopped)
        exit_code = action->run(&request);
    parse_exit_code = options_done(&o);
    mad_place_clear(&request.place);
    free(request.rail);
    free(request.output);
    return stopped ? parse_exit_code : exit_code;
}
