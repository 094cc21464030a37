/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft counters`: what the ports of a fabric have counted, and what is wrong. */
#include "cli/counters_look.h"
#include "cli/counters_view.h"
#include "cli/counters_watch.h"
#include "cli/heap.h"
#include "cli/message.h"
#include "cli/printable.h"
#include "cli/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where infiniband-diags has it. */
#define THRESHOLDS_FILE     "/etc/infiniband-diags/error_thresholds"
#define THRESHOLDS_FILE_MAX (1 << 20)

enum {
    OPTION_ALL = 1,
    OPTION_JSON,
    OPTION_RESET,
    OPTION_YES,
    OPTION_WATCH,
    OPTION_TIMEOUT,
    OPTION_WINDOW,
    OPTION_OF,
    OPTION_SWITCH,
    OPTION_RAIL,
    OPTION_THRESHOLDS,
    OPTIONS
};

static const struct poptOption option_table[] = {
    {"all", '\0', POPT_ARG_NONE, NULL, OPTION_ALL, "list all ports, not only those with problems",
     NULL},
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    {"watch", '\0', POPT_ARG_STRING, NULL, OPTION_WATCH,
     "look again each TIME, and tell what has happened between", "TIME"},
    {"of", '\0', POPT_ARG_STRING, NULL, OPTION_OF, "ports of these nodes only",
     "NAME|PATTERN|GUID|LID"},
    {"switch", '\0', POPT_ARG_STRING, NULL, OPTION_SWITCH,
     "ports of these switches only, and those at the other ends of their cables",
     "NAME|PATTERN|GUID|LID"},
    {"rail", '\0', POPT_ARG_STRING, NULL, OPTION_RAIL,
     "adapters whose name ends in this word only, and the other ends of their cables", "WORD"},
    {"thresholds", '\0', POPT_ARG_STRING, NULL, OPTION_THRESHOLDS,
     "read thresholds as ibqueryerrors does (default: " THRESHOLDS_FILE ")", "FILE"},
    {"reset", '\0', POPT_ARG_NONE, NULL, OPTION_RESET,
     "set the counters that were read to 0 in the end: asks first", NULL},
    {"yes", '\0', POPT_ARG_NONE, NULL, OPTION_YES, "do not ask (with --reset)", NULL},
    {"timeout", '\0', POPT_ARG_STRING, NULL, OPTION_TIMEOUT,
     "how long a node may leave requests unanswered (default 1s)", "TIME"},
    {"window", '\0', POPT_ARG_STRING, NULL, OPTION_WINDOW,
     "requests under way at a time, at most (default 512)", "N"},
    MAD_PLACE_OPTIONS,
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "counters",
    .arguments = "[OPTION...]",
    .text = "Reads the counters of all ports of the subnet at a port of this machine, or of a\n"
            "fabric that weft fabric serves, and says what is wrong, the worst first. Resets\n"
            "nothing, unless told to. Exit status 1 if something is wrong, or if somebody has\n"
            "not answered.\n",
    .table = option_table,
};

static char *file_read(const char *path, size_t *ret_len)
{
    FILE *f = fopen(path, "re");
    char *text = f ? malloc(THRESHOLDS_FILE_MAX + 1) : NULL;

    if (text) {
        *ret_len = fread(text, 1, THRESHOLDS_FILE_MAX + 1, f);
        if (ferror(f) || *ret_len > THRESHOLDS_FILE_MAX) {
            errno = ferror(f) ? EIO : EFBIG;
            free(text);
            text = NULL;
        }
    }
    if (f) {
        int error = errno;

        (void)fclose(f);
        errno = error;
    }
    return text;
}

static int thresholds_load(const char *given, struct thresholds *ret)
{
    const char *path = given ? given : THRESHOLDS_FILE;
    char shown[PRINTABLE_PATH_BYTES];
    struct thresholds_notes notes;
    size_t len = 0;
    char *text = file_read(path, &len);
    int err;

    thresholds_init(ret);
    (void)printable(path, shown, sizeof(shown));
    if (!text) {
        if (!given && errno == ENOENT)
            return CLI_DONE;
        return message_failed("%s cannot be read: %s", shown, strerror(errno));
    }
    err = thresholds_parse(text, len, ret, &notes);
    free(text);
    for (uint32_t i = 0; i < notes.count && i < THRESHOLDS_NOTES; i++)
        message("%s:%" PRIu32 ": %s", shown, notes.notes[i].line, notes.notes[i].text);
    if (notes.count > THRESHOLDS_NOTES)
        message("%s: %" PRIu32 " more such lines", shown, notes.count - THRESHOLDS_NOTES);
    return err ? CLI_FAILED : CLI_DONE;
}

static bool is_confirmed(uint32_t ports)
{
    char answer[16] = "";

    (void)fflush(stdout);
    fprintf(stderr, "Set the counters of %" PRIu32 " port%s to 0? [y/N] ", ports,
            ports == 1 ? "" : "s");
    return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int reset(const struct counters_request *r, struct counters_eye *e, struct counters_look *l,
                 uint32_t ports)
{
    uint32_t done = 0;
    int exit_code;

    if (!r->yes && !is_confirmed(ports)) {
        message("nothing was reset");
        return CLI_DONE;
    }
    exit_code = counters_look_reset(e, l);
    for (uint32_t i = 0; i < weft_sweep_port_count(l->sweep); i++)
        done += weft_counters_was_reset(l->counters, i);
    message("the counters of %" PRIu32 " of %" PRIu32 " ports were set to 0", done, ports);
    return exit_code == CLI_DONE && done < ports ? CLI_PART : exit_code;
}

static int tell(const struct counters_request *r, struct counters_eye *e, struct counters_look *l)
{
    struct counters_view v;
    int exit_code;
    int reset_code = CLI_DONE;

    if (!counters_view_init(&v, l->sweep, l->counters, &r->thresholds, l->wanted, r->all))
        exit_code = message_failed("there is no memory for the ports");
    else
        exit_code = r->json ? counters_print_json(&v) : counters_print_text(&v, r->all);
    if (exit_code == CLI_DONE && r->reset)
        reset_code = reset(r, e, l, v.states[WEFT_COUNTERS_READ]);
    if (exit_code == CLI_DONE && counters_view_is_troubled(&v))
        exit_code = CLI_PART;
    counters_view_free(&v);
    return reset_code > exit_code ? reset_code : exit_code;
}

static int run(const struct counters_request *r)
{
    struct counters_eye eye = {.smp = {0}};
    struct counters_look look = {.sweep = NULL};
    int exit_code = counters_eye_open(r, &eye);

    if (exit_code == CLI_DONE)
        exit_code = counters_look(r, &eye, NULL, &look);
    if (exit_code == CLI_DONE)
        exit_code = r->watch != 0 ? counters_watch(r, &eye, &look) : tell(r, &eye, &look);
    counters_eye_close(&eye);
    counters_look_free(&look);
    return exit_code;
}

/* What options say in words. */
struct words {
    char *of, *with_switch, *rail, *thresholds;
};

static char **words_place(struct words *w, int option)
{
    switch (option) {
    case OPTION_OF:
        return &w->of;
    case OPTION_SWITCH:
        return &w->with_switch;
    case OPTION_RAIL:
        return &w->rail;
    case OPTION_THRESHOLDS:
        return &w->thresholds;
    default:
        return NULL;
    }
}

static void parse(struct options *o, struct counters_request *r, struct mad_place *place,
                  struct words *words, bool *given)
{
    int option;

    while ((option = options_next(o)) != 0) {
        if (mad_place_take(place, o, option))
            continue;
        given[option] = true;
        if (option == OPTION_WATCH)
            options_duration(o, 100 * WEFT_MS, 24 * 3600 * WEFT_S, &r->watch);
        else if (option == OPTION_TIMEOUT)
            options_duration(o, 10 * WEFT_MS, 60 * WEFT_S, &r->timeout);
        else if (option == OPTION_WINDOW)
            options_count(o, 1, 512, &r->window);
        else if (words_place(words, option))
            options_keep(o, "a name", words_place(words, option));
    }
    r->all = given[OPTION_ALL];
    r->json = given[OPTION_JSON];
    r->reset = given[OPTION_RESET];
    r->yes = given[OPTION_YES];
    r->of = words->of;
    r->with_switch = words->with_switch;
    r->rail = words->rail;
}

static void check(struct options *o, const struct counters_request *r, const bool *given)
{
    if (!options_stopped(o))
        mad_place_check(r->place, o);
    if (options_stopped(o))
        return;
    if (given[OPTION_OF] + given[OPTION_SWITCH] + given[OPTION_RAIL] > 1)
        options_refuse(o, "--of, --switch and --rail each choose ports: give one of them");
    else if (r->watch != 0 && (r->reset || r->json || r->all))
        options_refuse(o, "--watch tells what happens: it goes with no --all, --json and --reset");
    else if (r->yes && !r->reset)
        options_refuse(o, "--yes answers what only --reset asks");
    else if (r->reset && !r->yes && isatty(STDIN_FILENO) == 0)
        options_refuse(o, "--reset asks first, but standard input is no terminal: add --yes");
    else
        options_no_more_arguments(o);
}

int verb_counters(int argc, const char **argv)
{
    struct mad_place place = {0};
    struct counters_request request = {.place = &place};
    struct words words = {.of = NULL};
    bool given[OPTIONS] = {false};
    struct options o;
    int exit_code = CLI_DONE;
    int parse_exit_code;
    bool stopped;

    options_start(&o, &about, argc, argv);
    parse(&o, &request, &place, &words, given);
    check(&o, &request, given);
    stopped = options_stopped(&o);
    heap_for_fabric();
    if (!stopped)
        exit_code = thresholds_load(words.thresholds, &request.thresholds);
    if (!stopped && exit_code == CLI_DONE)
        exit_code = run(&request);
    parse_exit_code = options_done(&o);
    free(words.of);
    free(words.with_switch);
    free(words.rail);
    free(words.thresholds);
    mad_place_clear(&place);
    return stopped ? parse_exit_code : exit_code;
}
