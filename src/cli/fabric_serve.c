/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of a fabric: built, scripted, served, summed up. */
#include "cli/fabric_serve.h"

#include "cli/fabric_detach.h"
#include "cli/fabric_socket.h"
#include "cli/message.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "cli/topology_load.h"
#include "cli/verb.h"
#include "pages/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* No script is that long; something else was named. */
#define SCRIPT_BYTES_MAX ((size_t)64 << 20)

/* The status line, and what it was made of the last time. */
struct status {
    bool pcap_told; /* that the capture has failed */
    struct progress progress;
    uint64_t packets;
    weft_time shown_at;
};

/* What serving needs and holds. */
struct serving {
    struct fabric_request *request;
    char *socket_path;
    uint32_t links;
    struct fabric *fabric;
    int pcap; /* or -1 */
    struct server *server;
    struct fabric_detach detach;
    struct status status;
};

static weft_time clock_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (weft_time)ts.tv_sec * WEFT_S + (weft_time)ts.tv_nsec;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* A fabric is built of what there is: that parts of it are doubtful is said, and where to look. */
static void tell_problems(const struct serving *s, const struct topo *t)
{
    const char *name = s->request->topology;
    struct topo_findings found;
    size_t count;

    if (topo_lint(t, &found) != 0)
        return;
    count = found.count + found.dropped;
    topo_findings_free(&found);
    if (count == 0)
        return;
    if (strcmp(name, "-") == 0)
        message("%s: %zu problem%s; weft topology lint tells which", topology_shown_name(name),
                count, plural(count));
    else
        message("%s: %zu problem%s; weft topology lint %s tells which", name, count, plural(count),
                name);
}

static int build_fabric(struct serving *s)
{
    const char *name = topology_shown_name(s->request->topology);
    struct fabric_error error = {""};
    struct topo *t = NULL;
    int exit_code = topology_load(s->request->topology, &t);
    int err;

    if (exit_code != CLI_DONE)
        return exit_code;
    s->links = t->link_count;
    tell_problems(s, t);
    err = fabric_new(&s->request->fabric, t, &pages_alloc, &s->fabric, &error);
    topo_free(t);
    if (err == WEFT_ERR_NOMEM)
        return message_failed("%s: no memory for this fabric", name);
    if (err != 0) {
        message("%s: %s", name, error.text);
        message_try("weft topology lint %s", s->request->topology);
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* Reads a whole file, or says why not. */
static int read_script(const char *name, char **ret_text, size_t *ret_bytes)
{
    const char *shown = topology_shown_name(name);
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
    char *text = NULL;
    size_t bytes = 0;
    size_t space = 0;
    int error = errno;

    if (!in) {
        message("cannot read the script %s: %s", shown, strerror(error));
        message_try("the name of a file whose lines weft-fabric(1) describes");
        return CLI_FAILED;
    }
    do {
        char *more;

        space = space == 0 ? 65536 : 2 * space;
        more = space <= SCRIPT_BYTES_MAX ? realloc(text, space) : NULL;
        if (!more)
            break;
        text = more;
        bytes += fread(text + bytes, 1, space - bytes, in);
    } while (bytes == space);
    error = ferror(in) ? errno : bytes == space || !text ? EFBIG : 0;
    if (in != stdin)
        fclose(in);
    if (error != 0) {
        free(text);
        return message_failed("cannot read the script %s: %s", shown, strerror(error));
    }
    *ret_text = text;
    *ret_bytes = bytes;
    return CLI_DONE;
}

static int play_script(struct serving *s)
{
    const char *name = s->request->script;
    struct fabric_error error = {""};
    char *text = NULL;
    size_t bytes = 0;
    uint32_t line = 0;
    int exit_code = read_script(name, &text, &bytes);

    if (exit_code != CLI_DONE)
        return exit_code;
    if (fabric_script(s->fabric, 0, text, bytes, &line, &error) != 0)
        exit_code =
            message_failed("%s:%" PRIu32 ": %s", topology_shown_name(name), line, error.text);
    free(text);
    return exit_code;
}

/* The capture of a daemon that is already there must not suffer from one that is refused: what is
 * in the file stays until the socket is ours. A pipe never makes the fabric wait. */
static int open_pcap(struct serving *s)
{
    const char *name = s->request->pcap;

    s->pcap = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (s->pcap < 0 && errno == ENXIO) {
        message("nobody reads the pipe %s, so no capture goes into it", name);
        message_try("start its reader first, for example tshark -i %s", name);
        return CLI_FAILED;
    }
    if (s->pcap < 0)
        return message_failed("cannot write the capture %s: %s", name, strerror(errno));
    s->request->server.pcap = s->pcap;
    return CLI_DONE;
}

/* Cuts off what an older capture has beyond what is written so far; a pipe has nothing to cut. */
static void cut_pcap(const struct serving *s)
{
    off_t written = s->pcap >= 0 ? lseek(s->pcap, 0, SEEK_CUR) : -1;

    if (written >= 0 && ftruncate(s->pcap, written) != 0 && errno != EINVAL)
        message("the capture %s may end in older packets: %s", s->request->pcap, strerror(errno));
}

/* Says that the capture can be written no more, once and when that happens: the fabric is served on
 * without it. */
static void tell_pcap(struct serving *s, const struct server_stats *stats)
{
    if (stats->pcap_error == 0 || s->status.pcap_told)
        return;
    s->status.pcap_told = true;
    progress_end(&s->status.progress);
    message("the capture %s ends here: cannot write it: %s%s; the fabric goes on", s->request->pcap,
            strerror(stats->pcap_error),
            stats->pcap_error == EPIPE ? " (its reader has gone)" : "");
}

static void show_status(void *ctx, const struct server *server)
{
    struct serving *s = ctx;
    struct server_stats stats;
    struct fabric_stats fabric;
    char time_text[QUANTITY_TEXT_BYTES];
    char text[256];
    weft_time now = clock_now();
    weft_time passed = now - s->status.shown_at;
    uint64_t packets;

    server_stats(server, &stats);
    tell_pcap(s, &stats);
    if (!s->status.progress.visible || passed == 0)
        return;
    fabric_stats(s->fabric, &fabric);
    packets = stats.packets_in + stats.packets_out;
    quantity_print_duration(server_now(server), time_text);
    snprintf(
        text, sizeof(text),
        "fabric: %" PRIu32 " client%s, %.0f MAD/s, %" PRIu64 " drops, %" PRIu32 " fault%s, time %s",
        stats.clients, plural(stats.clients),
        (double)(packets - s->status.packets) / ((double)passed / (double)WEFT_S),
        fabric.dropped_lost + fabric.dropped_link + fabric.dropped_route + fabric.dropped_queue +
            fabric.dropped_key + fabric.dropped_unclaimed + stats.receiver_full,
        fabric.faults, plural(fabric.faults), time_text);
    progress_text(&s->status.progress, text);
    s->status.packets = packets;
    s->status.shown_at = now;
}

static int start_server(struct serving *s)
{
    struct server_options *o = &s->request->server;
    struct fabric_error error = {""};
    struct server_stats stats;
    int exit_code = s->request->pcap ? open_pcap(s) : CLI_DONE;
    int err;

    if (exit_code != CLI_DONE)
        return exit_code;
    o->socket_path = s->socket_path;
    o->status = show_status;
    o->status_ctx = s;
    err = server_new(o, s->fabric, &s->server, &error);
    if (err == WEFT_ERR_NOMEM)
        return message_failed("no memory to serve the fabric");
    if (err != 0)
        return message_failed("%s", error.text);
    cut_pcap(s);
    /* The header is in the file, or nothing will ever be. */
    server_stats(s->server, &stats);
    if (stats.pcap_error != 0)
        return message_failed("cannot write the capture %s: %s", s->request->pcap,
                              strerror(stats.pcap_error));
    return CLI_DONE;
}

static int write_pid_file(const char *name)
{
    FILE *out = fopen(name, "we");
    bool written = out && fprintf(out, "%ld\n", (long)getpid()) > 0;

    if (out && fclose(out) != 0)
        written = false;
    if (!written)
        return message_failed("cannot write the process id to %s: %s", name, strerror(errno));
    return CLI_DONE;
}

/* The line that scripts wait for. */
static void tell_ready(struct serving *s)
{
    char shown[512];
    char line[1024];

    printable(s->socket_path, shown, sizeof(shown));
    snprintf(line, sizeof(line),
             "fabric: %" PRIu32 " nodes, %" PRIu32 " links; listens on %s; process %ld\n",
             fabric_node_count(s->fabric), s->links, shown, (long)getpid());
    if (s->request->daemon) {
        fabric_detach_ready(&s->detach, line);
    } else {
        fputs(line, stdout);
        fflush(stdout);
    }
}

static void print_summary(const struct server_stats *server, const struct fabric_stats *fabric,
                          weft_time now)
{
    char time_text[QUANTITY_TEXT_BYTES];

    quantity_print_duration(now, time_text);
    printf("fabric: served %" PRIu64 " client%s for %s; MADs: %" PRIu64 " from clients, %" PRIu64
           " to clients, %" PRIu64 " answered by nodes, %" PRIu64 " traps\n",
           server->clients_ever, plural(server->clients_ever), time_text, server->packets_in,
           server->packets_out, fabric->answered, fabric->traps_sent);
    printf("fabric: dropped: %" PRIu64 " lost, %" PRIu64 " at links that were down, %" PRIu64
           " without route, %" PRIu64 " at full queues, %" PRIu64 " for their keys, %" PRIu64
           " that nobody claimed, %" PRIu64 " at slow clients\n",
           fabric->dropped_lost, fabric->dropped_link, fabric->dropped_route, fabric->dropped_queue,
           fabric->dropped_key, fabric->dropped_unclaimed, server->receiver_full);
    if (server->clients_thrown > 0)
        printf("fabric: %" PRIu64 " client%s thrown out for breaking the protocol\n",
               server->clients_thrown, server->clients_thrown == 1 ? " was" : "s were");
}

static int close_pcap(struct serving *s, const struct server_stats *stats, int exit_code)
{
    int pcap = s->pcap;
    int error = 0;

    s->pcap = -1;
    if (pcap >= 0 && close(pcap) != 0 && exit_code == CLI_DONE) {
        error = errno;
        exit_code = CLI_PART;
    }
    if (!s->request->pcap || exit_code != CLI_PART)
        return exit_code;
    if (stats->pcap_lost > 0)
        message("the capture %s lacks %" PRIu64 " packet%s: its reader was too slow",
                s->request->pcap, stats->pcap_lost, plural(stats->pcap_lost));
    else
        message("the capture %s is not complete: %s", s->request->pcap,
                strerror(stats->pcap_error != 0 ? stats->pcap_error : error));
    return exit_code;
}

static int serve(struct serving *s)
{
    const char *pid_file = s->request->pid_file;
    struct server_stats server;
    struct fabric_stats fabric;
    weft_time now;
    int exit_code = pid_file ? write_pid_file(pid_file) : CLI_DONE;

    if (exit_code != CLI_DONE)
        return exit_code;
    progress_start(&s->status.progress, "fabric", clock_now());
    s->status.shown_at = clock_now();
    tell_ready(s);
    exit_code = server_run(s->server) == 0 ? CLI_DONE : CLI_PART;
    progress_end(&s->status.progress);
    server_stats(s->server, &server);
    fabric_stats(s->fabric, &fabric);
    now = server_now(s->server);
    s->server = server_free(s->server);
    if (pid_file)
        unlink(pid_file);
    exit_code = close_pcap(s, &server, exit_code);
    print_summary(&server, &fabric, now);
    return exit_code;
}

static int build_and_serve(struct serving *s)
{
    int exit_code = CLI_DONE;

    if (s->request->daemon)
        exit_code = fabric_detach_start(&s->detach);
    if (exit_code != CLI_DONE || s->detach.parent)
        return s->detach.parent ? s->detach.exit_code : exit_code;
    exit_code = build_fabric(s);
    if (exit_code == CLI_DONE && s->request->script)
        exit_code = play_script(s);
    if (exit_code == CLI_DONE)
        exit_code = start_server(s);
    if (exit_code == CLI_DONE)
        exit_code = serve(s);
    return exit_code;
}

int fabric_serve(struct fabric_request *r)
{
    struct serving s = {
        .request = r, .socket_path = fabric_socket(r->listen), .pcap = -1, .detach.ready = -1};
    int exit_code = s.socket_path ? build_and_serve(&s) : CLI_FAILED;

    if (s.server)
        server_free(s.server);
    if (s.pcap >= 0)
        close(s.pcap);
    fabric_free(s.fabric);
    free(s.socket_path);
    return exit_code;
}
