/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft trace decode`: the iWARP connections of a capture file. */
#include "cli/message.h"
#include "cli/printable.h"
#include "cli/trace_action.h"
#include "cli/verb.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool trace_is_doubt(enum weft_iwarp_problem_kind kind)
{
    return kind == WEFT_IWARP_LATE || kind == WEFT_IWARP_TERMS_UNKNOWN || kind == WEFT_IWARP_GAP ||
           kind == WEFT_IWARP_LOST || kind == WEFT_IWARP_MARKERS;
}

const char *trace_end(const struct packet_end *end, char ret[TRACE_END_BYTES])
{
    char ip[INET6_ADDRSTRLEN] = "?";
    bool six = end->family == 6;

    (void)inet_ntop(six ? AF_INET6 : AF_INET, end->ip, ip, sizeof(ip));
    (void)snprintf(ret, TRACE_END_BYTES, six ? "[%s]:%u" : "%s:%u", ip, end->port);
    return ret;
}

static void take_connection(void *ctx, const struct capture_connection *c)
{
    struct trace_shown *shown = ctx;

    if (shown->request->json)
        trace_json_connection(shown, c);
    else
        trace_text_connection(c);
}

static void take_record(void *ctx, const struct capture_connection *c,
                        const struct weft_iwarp_record *r)
{
    struct trace_shown *shown = ctx;

    shown->records++;
    for (uint32_t i = 0; i < r->problem_count; i++) {
        if (trace_is_doubt(r->problems[i].kind))
            shown->doubts++;
        else
            shown->errors++;
    }
    if (shown->request->json)
        trace_json_record(shown, c, r);
    else
        trace_text_record(shown, c, r);
}

/* What a reader should know who misses something. */
static void say_what_is_missing(const struct trace_shown *shown)
{
    const struct capture_stats *s = capture_stats(shown->capture);

    if (s->shortened > 0) {
        message("%" PRIu64 " TCP segments were captured in part only: their CRCs cannot be checked",
                s->shortened);
        message_try("tcpdump -s 0 when capturing");
    }
    if (s->fragments > 0)
        message("%" PRIu64 " IP fragments were passed over", s->fragments);
    if (s->cut > 0)
        message("%" PRIu64 " packets were captured too short to have a TCP header", s->cut);
    if (s->overlooked > 0)
        message("%" PRIu64 " packets were passed over: more than %d connections, or %d iWARP "
                "connections at a time",
                s->overlooked, CAPTURE_CONNECTIONS_MAX, CAPTURE_IWARP_MAX);
    if (s->iwarp == 0 && shown->request->port == 0)
        message("no iWARP connection was found: an MPA Request, or a TCP segment that is an FPDU, "
                "tells one");
    else if (s->iwarp == 0)
        message("no TCP data of port %u was found", shown->request->port);
}

static int show(struct trace_shown *shown, struct capture *capture, FILE *in, const char *name)
{
    char error[CAPTURE_ERROR_BYTES], path[PRINTABLE_PATH_BYTES];
    enum capture_file_end end = capture_file(capture, in, error);
    int exit_code = CLI_DONE;

    printable(name, path, sizeof(path));
    if (end == CAPTURE_FILE_UNREADABLE || end == CAPTURE_FILE_NO_READER) {
        json_decref(shown->connections);
        json_decref(shown->list);
    }
    if (end == CAPTURE_FILE_NO_READER)
        return message_failed("%s", error);
    if (end == CAPTURE_FILE_UNREADABLE) {
        message("%s: %s", path, error);
        message_try("a pcap or pcapng file, such as tcpdump -w writes");
        return CLI_FAILED;
    }
    if (shown->request->json)
        exit_code = trace_json_print(shown);
    else
        trace_text_summary(shown);
    say_what_is_missing(shown);
    if (end == CAPTURE_FILE_CUT)
        message("%s: %s", path, error);
    if (exit_code == CLI_DONE && (shown->errors > 0 || end == CAPTURE_FILE_CUT))
        exit_code = CLI_PART;
    return exit_code;
}

int trace_action_decode(const struct trace_request *request)
{
    bool standard = strcmp(request->file, "-") == 0;
    struct trace_shown shown = {.request = request};
    struct capture_sink sink = {&shown, take_connection, take_record};
    struct capture *capture;
    char path[PRINTABLE_PATH_BYTES];
    FILE *in = standard ? stdin : fopen(request->file, "rb");
    int exit_code;

    if (!in)
        return message_failed("%s: the file cannot be opened: %s",
                              printable(request->file, path, sizeof(path)), strerror(errno));
    capture = capture_new(request->port, &sink);
    if (!capture) {
        fclose(in);
        return message_failed("there is no memory for the capture's connections");
    }
    shown.capture = capture;
    if (request->json) {
        shown.connections = json_array();
        shown.list = json_array();
    }
    exit_code = show(&shown, capture, in, standard ? "standard input" : request->file);
    capture_free(capture);
    return exit_code;
}
