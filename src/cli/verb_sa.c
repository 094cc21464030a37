/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft sa`: questions to the subnet administration, and its answers in words. */
#include "cli/options.h"
#include "cli/sa_request.h"
#include "cli/verb.h"
#include "core/base/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MIN (100 * WEFT_MS)
#define TIMEOUT_MAX (3600 * WEFT_S)
#define SECONDS_MAX 31536000 /* a year */

enum {
    OPTION_JSON = 1,
    OPTION_TIMEOUT,
    OPTION_SM_KEY,
    OPTION_WAIT,
    OPTION_WATCH, /* from here on: watch only */
    OPTION_TRAP = OPTION_WATCH,
    OPTION_COUNT,
    OPTION_SECONDS,
    OPTION_RAW, /* from here on: raw only */
    OPTION_ATTR = OPTION_RAW,
    OPTION_MASK,
    OPTION_FIELD,
    OPTION_METHOD,
    OPTION_MODIFIER
};

/* A subcommand. */
struct action {
    const char *name;
    int (*run)(const struct sa_request *request);
};

static const struct action actions[] = {
    {"path", sa_action_path},         {"nodes", sa_action_nodes},
    {"links", sa_action_links},       {"groups", sa_action_groups},
    {"services", sa_action_services}, {"raw", sa_action_raw},
    {"watch", sa_action_watch},       {NULL, NULL},
};

/* A --field as it was written. */
struct field_text {
    struct field_text *next; /* the one given before */
    char text[];
};

/* What is read before it is known which attribute is meant. */
struct words {
    char *attr;
    struct field_text *fields;
    const char *raw_option;   /* one that only raw has */
    const char *watch_option; /* one that only watch has */
    uint64_t mask, modifier;
    bool masked;
    size_t method;
};

static const char *const method_words[] = {"get", "table", "set", "delete", NULL};
static const uint8_t methods[] = {WEFT_METHOD_GET, WEFT_METHOD_GET_TABLE, WEFT_METHOD_SET,
                                  WEFT_METHOD_DELETE};
#define METHOD_TABLE 1

static const struct poptOption option_table[] = {
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    {"timeout", '\0', POPT_ARG_STRING, NULL, OPTION_TIMEOUT,
     "how long one question may take while the SA is BUSY (default 60s)", "TIME"},
    {"sm-key", '\0', POPT_ARG_STRING, NULL, OPTION_SM_KEY,
     "show what the SA tells trusted clients only (default 0)", "KEY"},
    {"wait", '\0', POPT_ARG_STRING, NULL, OPTION_WAIT,
     "wait for an SM where there is none yet (default: do not)", "TIME"},
    MAD_PLACE_OPTIONS,
    {"attr", '\0', POPT_ARG_STRING, NULL, OPTION_ATTR, "attribute, such as NodeRecord or NR (raw)",
     "NAME|0xNN"},
    {"mask", '\0', POPT_ARG_STRING, NULL, OPTION_MASK,
     "component mask (raw; default: that of the fields)", "HEX"},
    {"field", '\0', POPT_ARG_STRING, NULL, OPTION_FIELD,
     "a field of the record to match or to set; may be repeated (raw)", "NAME=VALUE"},
    {"method", '\0', POPT_ARG_STRING, NULL, OPTION_METHOD,
     "get, table, set or delete (raw; default table)", "WORD"},
    {"modifier", '\0', POPT_ARG_STRING, NULL, OPTION_MODIFIER,
     "attribute modifier (raw; default 0)", "N"},
    {"trap", '\0', POPT_ARG_STRING, NULL, OPTION_TRAP, "Reports of this trap (watch; default all)",
     "N|all"},
    {"count", '\0', POPT_ARG_STRING, NULL, OPTION_COUNT, "end after so many Reports (watch)", "N"},
    {"seconds", '\0', POPT_ARG_STRING, NULL, OPTION_SECONDS, "end after so many seconds (watch)",
     "N"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "sa",
    .asks = true,
    .arguments = "[OPTION...] path A B | nodes | links | groups | services |\n"
                 "           raw --attr NAME | watch",
    .text = "  path      explains the path from A to B: rate, MTU, SL, P_Key, each link\n"
            "  nodes     lists the end ports of all nodes\n"
            "  links     lists all cables\n"
            "  groups    lists multicast groups; with --sm-key, their members\n"
            "  services  lists services that are registered\n"
            "  raw       asks for any attribute\n"
            "  watch     prints Reports of traps as they come\n"
            "\n"
            "A and B are names, name/port, GUIDs or LIDs. Exit status 1 if something did not\n"
            "answer: what did is printed.\n",
    .table = option_table,
};

/* A number of the current option, in hexadecimal or decimal. */
static void keep_number(struct options *o, int base, uint64_t max, uint64_t *ret)
{
    const char *text = options_text(o);
    char *end;

    errno = 0;
    *ret = strtoull(text, &end, base);
    if (errno != 0 || *end != '\0' || end == text || text[0] == '-' || text[0] == '+' ||
        text[0] == ' ' || *ret > max)
        options_refuse(o, "--%s %s: wants a number up to 0x%llx", options_name(o), text,
                       (unsigned long long)max);
}

static void keep_field(struct options *o, struct words *w)
{
    const char *text = options_text(o);
    size_t bytes = strlen(text) + 1;
    struct field_text *f = malloc(sizeof(*f) + bytes);

    if (!f) {
        options_refuse(o, "no memory for the command line");
        return;
    }
    memcpy(f->text, text, bytes);
    f->next = w->fields;
    w->fields = f;
}

static void words_clear(struct words *w)
{
    while (w->fields) {
        struct field_text *f = w->fields;

        w->fields = f->next;
        free(f);
    }
    free(w->attr);
}

static void take_raw(struct options *o, int option, struct words *w)
{
    w->raw_option = options_name(o);
    if (option == OPTION_ATTR) {
        options_keep(o, NULL, &w->attr);
    } else if (option == OPTION_MASK) {
        keep_number(o, 16, UINT64_MAX, &w->mask);
        w->masked = true;
    } else if (option == OPTION_METHOD) {
        options_word(o, method_words, &w->method);
    } else if (option == OPTION_MODIFIER) {
        keep_number(o, 0, UINT32_MAX, &w->modifier);
    } else {
        keep_field(o, w);
    }
}

static void take_watch(struct options *o, int option, struct sa_request *request, struct words *w)
{
    uint64_t number;

    w->watch_option = options_name(o);
    if (option == OPTION_COUNT) {
        options_count(o, 1, UINT32_MAX, &request->count);
    } else if (option == OPTION_SECONDS) {
        number = 0;
        options_count(o, 1, SECONDS_MAX, &number);
        request->duration = number * WEFT_S;
    } else if (strcmp(options_text(o), "all") == 0) {
        request->trap = WEFT_SA_ANY_TRAP;
    } else {
        keep_number(o, 10, WEFT_SA_ANY_TRAP - 1, &number);
        request->trap = (uint16_t)number;
    }
}

static void parse(struct options *o, struct sa_request *request, struct mad_place *place,
                  struct words *w)
{
    int option;

    while ((option = options_next(o)) != 0) {
        if (mad_place_take(place, o, option))
            continue;
        if (option == OPTION_JSON)
            request->json = true;
        else if (option == OPTION_TIMEOUT)
            options_duration(o, TIMEOUT_MIN, TIMEOUT_MAX, &request->timeout);
        else if (option == OPTION_WAIT)
            options_duration(o, TIMEOUT_MIN, TIMEOUT_MAX, &request->wait);
        else if (option == OPTION_SM_KEY)
            keep_number(o, 0, UINT64_MAX, &request->sm_key);
        else if (option >= OPTION_WATCH && option < OPTION_RAW)
            take_watch(o, option, request, w);
        else
            take_raw(o, option, w);
    }
}

static void find_attribute(struct options *o, const char *text, struct sa_request *request)
{
    struct suggest near;
    char *end;
    unsigned long number;

    request->kind = sa_kind_named(text);
    if (request->kind) {
        request->question.attr_id = request->kind->attr_id;
        return;
    }
    errno = 0;
    number = strtoul(text, &end, 16);
    if (strncmp(text, "0x", 2) == 0 && *end == '\0' && errno == 0 && number <= UINT16_MAX) {
        request->question.attr_id = (uint16_t)number;
        request->kind = sa_kind_of((uint16_t)number);
        return;
    }
    suggest_start(&near, text);
    for (size_t i = 0; sa_kind_at(i); i++)
        suggest_offer(&near, sa_kind_at(i)->name);
    if (suggest_best(&near))
        options_refuse(o, "--attr %s is not known; did you mean %s?", text, suggest_best(&near));
    else
        options_refuse(o, "--attr %s is not known; weft-sa(1) lists the names", text);
}

static void make_raw(struct options *o, const struct words *w, struct sa_request *request)
{
    struct weft_sa_question *q = &request->question;

    if (!w->attr) {
        options_refuse(o, "sa raw wants --attr NAME");
        return;
    }
    find_attribute(o, w->attr, request);
    q->method = methods[w->method];
    q->attr_mod = (uint32_t)w->modifier;
    for (const struct field_text *f = w->fields; f && !options_stopped(o); f = f->next) {
        const char *wrong = sa_field_set(request->kind, f->text, q->record, &q->mask);

        if (wrong)
            options_refuse(o, "--field %s: %s", f->text, wrong);
    }
    if (w->masked)
        q->mask = w->mask;
}

static void check_request(struct options *o, const struct action *action, const struct words *w,
                          struct sa_request *request)
{
    mad_place_check(request->place, o);
    if (!options_stopped(o) && action->run == sa_action_raw)
        make_raw(o, w, request);
    else if (!options_stopped(o) && w->raw_option)
        options_refuse(o, "sa %s has no --%s; raw has", action->name, w->raw_option);
    if (!options_stopped(o) && action->run != sa_action_watch && w->watch_option)
        options_refuse(o, "sa %s has no --%s; watch has", action->name, w->watch_option);
    request->reports = action->run == sa_action_watch;
    if (!options_stopped(o) && action->run == sa_action_path) {
        request->from = options_argument(o);
        request->to = request->from ? options_argument(o) : NULL;
        if (!request->to)
            options_refuse(o, "sa path wants two nodes: names, GUIDs or LIDs");
    }
    if (!options_stopped(o))
        options_no_more_arguments(o);
}

int verb_sa(int argc, const char **argv)
{
    struct mad_place place = {0};
    struct sa_request request = {.place = &place, .trap = WEFT_SA_ANY_TRAP};
    struct words w = {.attr = NULL, .method = METHOD_TABLE};
    const struct action *action = NULL;
    struct options o;
    int exit_code = CLI_DONE;
    int parse_exit_code;
    bool stopped;

    options_start(&o, &about, argc, argv);
    parse(&o, &request, &place, &w);
    if (!options_stopped(&o))
        action = options_action(&o, actions, sizeof(actions[0]));
    if (action)
        check_request(&o, action, &w, &request);
    stopped = !action || options_stopped(&o);
    if (!stopped)
        exit_code = action->run(&request);
    parse_exit_code = options_done(&o);
    words_clear(&w);
    mad_place_clear(&place);
    return stopped ? parse_exit_code : exit_code;
}
