/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft exporter`: counters and links of a fabric for Prometheus. */
#include "cli/exporter_http.h"
#include "cli/exporter_page.h"
#include "cli/message.h"
#include "cli/verb.h"
#include "cli/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTEN_DEFAULT   "127.0.0.1:9683"
#define INTERVAL_DEFAULT (5 * WEFT_S)
#define TOPOLOGY_DEFAULT (60 * WEFT_S)
#define DEADLINE_DEFAULT (8 * WEFT_S)
#define RATE_DEFAULT     20000

enum {
    OPTION_LISTEN = 1,
    OPTION_INTERVAL,
    OPTION_TOPOLOGY,
    OPTION_DEADLINE,
    OPTION_RATE,
    OPTION_TIMEOUT,
    OPTION_TEXTFILE,
    OPTION_ONCE,
    OPTION_LABELS,
    OPTION_METRICS,
    OPTION_ALL_PORTS
};

#define GROUPS_DEFAULT                                                                             \
    (1U << EXPORTER_STATE | 1U << EXPORTER_SPEED | 1U << EXPORTER_ERRORS | 1U << EXPORTER_DATA)
#define GROUPS_ALL ((1U << EXPORTER_GROUPS) - 1)

static const char *const group_words[EXPORTER_GROUPS + 1] = {
    [EXPORTER_STATE] = "state", [EXPORTER_SPEED] = "speed", [EXPORTER_ERRORS] = "errors",
    [EXPORTER_DATA] = "data",   [EXPORTER_CASTS] = "casts", [EXPORTER_GROUPS] = "all",
};

static const char *const label_words[] = {"short", "full", NULL};

static const struct poptOption option_table[] = {
    {"listen", '\0', POPT_ARG_STRING, NULL, OPTION_LISTEN,
     "serve HTTP there (default " LISTEN_DEFAULT ")", "ADDRESS:PORT"},
    {"textfile", '\0', POPT_ARG_STRING, NULL, OPTION_TEXTFILE,
     "write the metrics to this file each --interval, and serve only with --listen", "FILE"},
    {"once", '\0', POPT_ARG_NONE, NULL, OPTION_ONCE,
     "look once, print the metrics or write the --textfile, and end", NULL},
    {"interval", '\0', POPT_ARG_STRING, NULL, OPTION_INTERVAL,
     "who asks again before that is given the same (default 5s)", "TIME"},
    {"topology-interval", '\0', POPT_ARG_STRING, NULL, OPTION_TOPOLOGY,
     "look for new nodes and cables so often (default 1min)", "TIME"},
    {"deadline", '\0', POPT_ARG_STRING, NULL, OPTION_DEADLINE,
     "give up on who has not answered by then (default 8s)", "TIME"},
    {"rate", '\0', POPT_ARG_STRING, NULL, OPTION_RATE,
     "send so many MADs a second at most (default 20000)", "N"},
    {"timeout", '\0', POPT_ARG_STRING, NULL, OPTION_TIMEOUT,
     "how long a node may leave requests unanswered (default 1s)", "TIME"},
    {"metrics", '\0', POPT_ARG_STRING, NULL, OPTION_METRICS,
     "of ports: state, speed, errors, data, casts or all (default state,speed,errors,data)",
     "LIST"},
    {"labels", '\0', POPT_ARG_STRING, NULL, OPTION_LABELS,
     "of each sample of a port: short, guid and port, or full, names and far end, too (default "
     "short)",
     "short|full"},
    {"all-ports", '\0', POPT_ARG_NONE, NULL, OPTION_ALL_PORTS,
     "tell also of ports that never had a cable", NULL},
    MAD_PLACE_OPTIONS,
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "exporter",
    .arguments = "[OPTION...]",
    .text = "Serves counters, links and states of all ports of a fabric as metrics for\n"
            "Prometheus. Looks at the fabric when it is asked, resets nothing, keeps the\n"
            "topology between looks, and names who does not answer with weft_target_up 0.\n",
    .table = option_table,
};

/* What the command line asks for. */
struct request {
    struct exporter_request look;
    struct mad_place place;
    char *listen;   /* NULL: not said */
    char *textfile; /* NULL: not said */
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
    (void)number;
    ended = 1;
}

static void signals_ending(sigset_t *ret)
{
    (void)sigemptyset(ret);
    (void)sigaddset(ret, SIGINT);
    (void)sigaddset(ret, SIGTERM);
}

/* Signals come while the program waits for MADs or for requests, and to no other thread.
 * Gives the mask with which to wait. */
static void signals_catch(sigset_t *ret)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t ending;

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    signals_ending(&ending);
    (void)sigprocmask(SIG_BLOCK, &ending, ret);
}

/* Looks at the fabric, where signals may come. */
static int look(struct exporter_look *l, int (*how)(struct exporter_look *l), const sigset_t *open)
{
    sigset_t before;
    int exit_code;

    (void)sigprocmask(SIG_SETMASK, open, &before);
    exit_code = how(l);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return exit_code;
}

static bool print_piece(void *to, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, to) == bytes;
}

/* Writes to a file, or prints. */
static int write_page(const struct exporter_look *l, const char *name, uint64_t scrapes)
{
    struct metrics_text t = {.format = METRICS_PROMETHEUS, .sink = print_piece};
    struct whole_file f = {.out = stdout};
    int exit_code = CLI_DONE;

    if (name)
        exit_code = whole_file_open(&f, "metrics", name);
    if (exit_code != CLI_DONE)
        return exit_code;
    t.to = f.out;
    exporter_page(l, scrapes, &t);
    if (t.failed && !ferror(f.out))
        exit_code = message_failed("there is no memory for the metrics");
    if (!name && (ferror(f.out) || fflush(f.out) != 0))
        exit_code = message_failed("the metrics cannot be printed: %s", strerror(errno));
    if (name && exit_code == CLI_DONE)
        exit_code = whole_file_close(&f, "metrics");
    else if (name)
        whole_file_abandon(&f);
    return exit_code;
}

/* Whether somebody has not answered, or not as he should. */
static bool is_part(const struct exporter_look *l)
{
    const struct weft_sweep_trouble *t;

    for (uint32_t i = 0; weft_sweep_trouble(l->sweep, i, &t); i++)
        if (weft_sweep_trouble_stands(l->sweep, t))
            return true;
    for (uint32_t i = 0; i < weft_sweep_port_count(l->sweep); i++)
        if (weft_sweep_port(l->sweep, i)->mute_peer ||
            (exporter_look_is_target(l, i) && exporter_look_target(l, i) != WEFT_COUNTERS_READ))
            return true;
    return false;
}

static int once(const struct request *r, struct exporter_look *l, const sigset_t *open)
{
    int exit_code = look(l, exporter_look_again, open);

    if (exit_code == CLI_DONE && ended)
        return message_failed("interrupted");
    if (exit_code == CLI_DONE)
        exit_code = write_page(l, r->textfile, 0);
    return exit_code == CLI_DONE && is_part(l) ? CLI_PART : exit_code;
}

/* Sleeps until somebody wants metrics, the file is due, or a signal has come. */
static void wait_for_work(struct exporter_http *h, weft_time until, const sigset_t *open)
{
    struct pollfd fd = {.fd = h ? exporter_http_fd(h) : -1, .events = POLLIN};
    weft_time now = mad_link_clock();
    weft_time left = until > now ? until - now : 0;
    const struct timespec limit = {.tv_sec = (time_t)(left / WEFT_S),
                                   .tv_nsec = (long)(left % WEFT_S)};

    (void)ppoll(&fd, 1, until == WEFT_TIME_NEVER ? NULL : &limit, open);
}

/* A page for all who want this format. */
static struct metrics_pack *make_pack(const struct exporter_look *l, enum metrics_format format,
                                      uint64_t scrapes)
{
    struct metrics_text t = {.format = format, .sink = metrics_pack_add};
    struct metrics_pack *pack = metrics_pack_new();

    if (!pack)
        return NULL;
    t.to = pack;
    exporter_page(l, scrapes, &t);
    if (t.failed || !metrics_pack_end(pack))
        pack = metrics_pack_free(pack);
    return pack;
}

static void publish(struct exporter_http *h, struct exporter_look *l, unsigned wanted)
{
    weft_time begun = mad_link_clock();

    for (unsigned f = 0; f < METRICS_FORMATS; f++) {
        enum metrics_format format = (enum metrics_format)f;

        if ((wanted >> f & 1) != 0)
            exporter_http_publish(h, format, make_pack(l, format, exporter_http_scrapes(h)),
                                  l->at + l->request->interval);
    }
    if (wanted != 0)
        l->stats.page_time = mad_link_clock() - begun;
}

/* A file that cannot be written once may be written the next time. */
static void serve_file(const struct request *r, const struct exporter_look *l,
                       struct exporter_http *h)
{
    if (r->textfile)
        (void)write_page(l, r->textfile, h ? exporter_http_scrapes(h) : 0);
}

static int serve(const struct request *r, struct exporter_look *l, struct exporter_http *h,
                 const sigset_t *open)
{
    weft_time file_due = r->textfile ? 0 : WEFT_TIME_NEVER;
    int exit_code = CLI_DONE;

    while (exit_code == CLI_DONE && !ended) {
        unsigned wanted = h ? exporter_http_wanted(h) : 0;
        weft_time now = mad_link_clock();

        if (wanted == 0 && now < file_due) {
            wait_for_work(h, file_due, open);
            continue;
        }
        if (l->at == 0 || now >= l->at + r->look.interval || now >= file_due) {
            exit_code = look(l, exporter_look_again, open);
            /* Who has asked meanwhile is told the same. */
            wanted |= h ? exporter_http_wanted(h) : 0;
        }
        if (exit_code != CLI_DONE || ended)
            break;
        if (h)
            publish(h, l, wanted);
        if (now >= file_due) {
            serve_file(r, l, h);
            file_due = l->at + r->look.interval;
        }
    }
    return exit_code;
}

/* The first sweep has all the time it needs; who asks meanwhile has not. */
static int begin(const struct request *r, struct exporter_look *l, struct exporter_http *h,
                 const sigset_t *open)
{
    int exit_code = exporter_look_open(l, &r->look, &ended);

    while (exit_code == CLI_DONE && !l->sweep && !ended) {
        exit_code = look(l, exporter_look_first, open);
        if (h && !l->sweep)
            exporter_http_refuse(h);
    }
    return exit_code;
}

static int run(const struct request *r)
{
    struct exporter_look l = {.sweep = NULL};
    struct exporter_http *http = NULL;
    sigset_t open;
    int exit_code = r->textfile ? whole_file_try("metrics", r->textfile) : CLI_DONE;

    signals_catch(&open);
    if (exit_code == CLI_DONE && !r->look.once && (r->listen || !r->textfile))
        exit_code = exporter_http_open(r->listen ? r->listen : LISTEN_DEFAULT, &http);
    if (exit_code == CLI_DONE)
        exit_code = begin(r, &l, http, &open);
    if (exit_code == CLI_DONE && l.sweep && http) {
        printf("serving http://%s/metrics\n", exporter_http_address(http));
        (void)fflush(stdout);
    }
    if (exit_code == CLI_DONE && l.sweep && !ended)
        exit_code = r->look.once ? once(r, &l, &open) : serve(r, &l, http, &open);
    http = exporter_http_close(http);
    exporter_look_close(&l);
    return exit_code;
}

/* Takes a list of words, separated by commas. */
static void take_groups(struct options *o, unsigned *ret)
{
    const char *word = options_text(o);

    *ret = 0;
    for (size_t length; !options_stopped(o); word += length + 1) {
        size_t g = 0;

        length = strcspn(word, ",");
        while (g <= EXPORTER_GROUPS &&
               (strlen(group_words[g]) != length || strncmp(group_words[g], word, length) != 0))
            g++;
        if (g > EXPORTER_GROUPS)
            options_refuse(o,
                           "--metrics %s: wants state, speed, errors, data, casts or all, with "
                           "commas between",
                           options_text(o));
        else
            *ret |= g == EXPORTER_GROUPS ? GROUPS_ALL : 1U << g;
        if (word[length] == '\0')
            return;
    }
}

static void take(struct options *o, struct request *r, int option)
{
    size_t word = 0;

    switch (option) {
    case OPTION_LISTEN:
        options_keep(o, NULL, &r->listen);
        if (!options_stopped(o) && !exporter_http_is_address(r->listen))
            options_refuse(o, "--listen %s: wants ADDRESS:PORT in numbers, such as %s or [::]:9683",
                           r->listen, LISTEN_DEFAULT);
        break;
    case OPTION_TEXTFILE:
        options_keep(o, "a file's name", &r->textfile);
        break;
    case OPTION_ONCE:
        r->look.once = true;
        break;
    case OPTION_METRICS:
        take_groups(o, &r->look.groups);
        break;
    case OPTION_LABELS:
        options_word(o, label_words, &word);
        r->look.full = word == 1;
        break;
    case OPTION_ALL_PORTS:
        r->look.all_ports = true;
        break;
    case OPTION_INTERVAL:
        options_duration(o, 0, 24 * 3600 * WEFT_S, &r->look.interval);
        break;
    case OPTION_TOPOLOGY:
        options_duration(o, 0, 24 * 3600 * WEFT_S, &r->look.topology);
        break;
    case OPTION_DEADLINE:
        options_duration(o, 100 * WEFT_MS, 3600 * WEFT_S, &r->look.deadline);
        break;
    case OPTION_RATE:
        options_count(o, 1, 10000000, &r->look.rate);
        break;
    default:
        options_duration(o, 10 * WEFT_MS, 60 * WEFT_S, &r->look.timeout);
        break;
    }
}

static void check(struct options *o, const struct request *r)
{
    mad_place_check(&r->place, o);
    if (!options_stopped(o) && r->look.once && r->listen)
        options_refuse(o, "--once ends at once: it goes with no --listen");
    else if (!options_stopped(o) && r->textfile && r->look.interval < 100 * WEFT_MS)
        options_refuse(o, "--textfile is written each --interval: that must be 100 ms at least");
    else if (!options_stopped(o))
        options_no_more_arguments(o);
}

int verb_exporter(int argc, const char **argv)
{
    struct request request = {.look = {.interval = INTERVAL_DEFAULT,
                                       .topology = TOPOLOGY_DEFAULT,
                                       .deadline = DEADLINE_DEFAULT,
                                       .rate = RATE_DEFAULT,
                                       .groups = GROUPS_DEFAULT}};
    struct options o;
    int option;
    int exit_code = CLI_DONE;
    int parse_exit_code;
    bool stopped;

    request.look.place = &request.place;
    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0)
        if (!mad_place_take(&request.place, &o, option))
            take(&o, &request, option);
    if (!options_stopped(&o))
        check(&o, &request);
    stopped = options_stopped(&o);
    if (!stopped)
        exit_code = run(&request);
    parse_exit_code = options_done(&o);
    mad_place_clear(&request.place);
    free(request.listen);
    free(request.textfile);
    return stopped ? parse_exit_code : exit_code;
}
