/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft topology`: checks, converts, compares and generates topologies. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/printable.h"
#include "cli/topology_load.h"
#include "cli/verb.h"
#include "core/base/suggest.h"
#include "topology/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    OPTION_JSON = 1,
    OPTION_IGNORED
};

/* What the command line asks for. */
struct request {
    bool json;
    bool ignored;
    const char *spec;
    const char *second; /* diff only */
};

/* A subcommand, its options and how many topologies it takes. */
struct action {
    const char *name;
    int (*run)(const struct request *request);
    bool takes_json;
    bool takes_ignored;
    bool takes_two;
};

static const struct poptOption option_table[] = {
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document (lint, diff)", NULL},
    {"ignored", '\0', POPT_ARG_NONE, NULL, OPTION_IGNORED,
     "list the lines that were ignored, too (lint)", NULL},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "topology",
    .arguments = "[OPTION...] lint|convert|generate TOPOLOGY | diff OLD NEW",
    .text = "  lint      says what is wrong with a topology; exit status 1 if anything is\n"
            "  convert   writes a topology as ibnetdiscover prints it and ibsim reads it\n"
            "  generate  does the same for a generator\n"
            "  diff      says what changed; exit status 1 if anything did\n"
            "\n"
            "A topology is a file that ibnetdiscover has printed or ibsim reads, - for standard\n"
            "input, or a generator: fat-tree:hosts=N,radix=K, torus:x=N,y=N,z=N,hosts=N or\n"
            "dragonfly:a=N,p=N,h=N,g=N.\n",
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

static void print_lint(const struct request *request, const struct topo *t,
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

static int run_lint(const struct request *request)
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

static int run_convert(const struct request *request)
{
    struct topo *t = NULL;
    int exit_code = topology_load(request->spec, &t);

    if (exit_code == CLI_DONE && !topo_write(t, stdout))
        exit_code = message_failed("cannot write to standard output: %s", strerror(errno));
    topo_free(t);
    return exit_code;
}

static int run_generate(const struct request *request)
{
    struct topo_error error;
    struct topo *t;

    if (topo_spec_is_generator(request->spec))
        return run_convert(request);
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

static void print_diff(const struct request *request, const struct topo_findings *changes)
{
    char old[PRINTABLE_PATH_BYTES];
    char new[PRINTABLE_PATH_BYTES];

    printable(topology_shown_name(request->spec), old, sizeof(old));
    printable(topology_shown_name(request->second), new, sizeof(new));
    for (size_t i = 0; i < changes->count; i++) {
        const struct topo_finding *f = &changes->items[i];
        bool gone = f->kind == TOPO_NODE_REMOVED || f->kind == TOPO_STANZA_REMOVED ||
                    f->kind == TOPO_LINK_REMOVED;

        print_finding(gone ? old : new, f);
    }
}

static int run_diff(const struct request *request)
{
    struct topo_findings changes = {0};
    struct topo *old = NULL;
    struct topo *new = NULL;
    int exit_code = topology_load(request->spec, &old);

    if (exit_code == CLI_DONE)
        exit_code = topology_load(request->second, &new);
    if (exit_code == CLI_DONE && topo_diff(old, new, &changes) != 0)
        exit_code = message_failed("no memory to compare the topologies");
    if (exit_code == CLI_DONE && request->json)
        exit_code = print_diff_json(&changes);
    else if (exit_code == CLI_DONE)
        print_diff(request, &changes);
    mention_dropped(&changes);
    if (exit_code == CLI_DONE && changes.count > 0)
        exit_code = CLI_PART;
    topo_findings_free(&changes);
    topo_free(old);
    topo_free(new);
    return exit_code;
}

static const struct action actions[] = {
    {"lint", run_lint, .takes_json = true, .takes_ignored = true},
    {"convert", run_convert, .takes_json = false},
    {"generate", run_generate, .takes_json = false},
    {"diff", run_diff, .takes_json = true, .takes_two = true},
};

static const struct action *find_action(struct options *o)
{
    const char *word = options_argument(o);
    struct suggest near;

    if (!word) {
        options_refuse(o, "what should it do? lint, convert, generate or diff is missing");
        return NULL;
    }
    suggest_start(&near, word);
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (strcmp(actions[i].name, word) == 0)
            return &actions[i];
        suggest_offer(&near, actions[i].name);
    }
    if (suggest_best(&near))
        options_refuse(o, "topology cannot \"%s\"; did you mean \"%s\"?", word,
                       suggest_best(&near));
    else
        options_refuse(o, "topology cannot \"%s\"; it can lint, convert, generate and diff", word);
    return NULL;
}

static void check_request(struct options *o, const struct action *action, struct request *request)
{
    request->spec = options_argument(o);
    if (action->takes_two)
        request->second = options_argument(o);
    if (request->json && !action->takes_json)
        options_refuse(o, "topology %s has no --json: it prints a topology", action->name);
    else if (request->ignored && !action->takes_ignored)
        options_refuse(o, "topology %s has no --ignored; lint has", action->name);
    else if (request->ignored && request->json)
        options_refuse(o, "--ignored lists lines for people; --json has their number");
    else if (!request->spec)
        options_refuse(o, "%s what? The topology is missing", action->name);
    else if (action->takes_two && !request->second)
        options_refuse(o, "diff compares two topologies; the second is missing");
    else
        options_no_more_arguments(o);
}

int verb_topology(int argc, const char **argv)
{
    struct request request = {0};
    const struct action *action = NULL;
    struct options o;
    int option;
    int exit_code;

    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0) {
        request.json = request.json || option == OPTION_JSON;
        request.ignored = request.ignored || option == OPTION_IGNORED;
    }
    if (!options_stopped(&o))
        action = find_action(&o);
    if (action)
        check_request(&o, action, &request);
    if (!action || options_stopped(&o))
        return options_done(&o);
    exit_code = action->run(&request);
    (void)options_done(&o);
    return exit_code;
}
