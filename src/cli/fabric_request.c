/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of weft fabric. */
#include "cli/fabric_request.h"

#include "cli/options.h"
#include "cli/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS_MAX       32768
/* A socket's name has at most 107 bytes. */
#define SOCKET_SIDE_BYTES 128

enum option {
    OPTION_TOPOLOGY = 1,
    OPTION_LISTEN,
    OPTION_MODE,
    OPTION_SCRIPT,
    OPTION_SEED,
    OPTION_UP,
    OPTION_KEEP_LIDS,
    OPTION_HOP_LATENCY,
    OPTION_AGENT_TIME,
    OPTION_TRAINING,
    OPTION_VFS,
    OPTION_VF_STRICT,
    OPTION_VL15_DEPTH,
    OPTION_TIME_SCALE,
    OPTION_CLIENTS,
    OPTION_PCAP,
    OPTION_DAEMON,
    OPTION_PID_FILE
};

static const struct poptOption table[] = {
    {"topology", '\0', POPT_ARG_STRING, NULL, OPTION_TOPOLOGY, "the fabric", "FILE|GEN"},
    {"listen", '\0', POPT_ARG_STRING, NULL, OPTION_LISTEN,
     "the socket that programs connect to (default: see the manual page)", "SOCKET"},
    {"mode", '\0', POPT_ARG_STRING, NULL, OPTION_MODE, "its permissions (default 0600)", "OCTAL"},
    {"script", '\0', POPT_ARG_STRING, NULL, OPTION_SCRIPT, "faults and when they happen", "FILE"},
    {"seed", '\0', POPT_ARG_STRING, NULL, OPTION_SEED, "seed of all chance (default 1)", "N"},
    {"up", '\0', POPT_ARG_NONE, NULL, OPTION_UP,
     "begin with LIDs, routes and active links, without an SM", NULL},
    {"keep-lids", '\0', POPT_ARG_NONE, NULL, OPTION_KEEP_LIDS, "keep the LIDs of the topology",
     NULL},
    {"hop-latency", '\0', POPT_ARG_STRING, NULL, OPTION_HOP_LATENCY,
     "time a packet takes over a link (default 0)", "TIME"},
    {"agent-time", '\0', POPT_ARG_STRING, NULL, OPTION_AGENT_TIME,
     "time a node takes for one MAD (default 0)", "TIME"},
    {"training", '\0', POPT_ARG_STRING, NULL, OPTION_TRAINING,
     "time a link takes to come up (default 0)", "TIME"},
    {"vfs", '\0', POPT_ARG_STRING, NULL, OPTION_VFS,
     "virtual functions of each channel adapter (default 0)", "N"},
    {"vf-strict", '\0', POPT_ARG_NONE, NULL, OPTION_VF_STRICT,
     "no virtual function may have one partition twice", NULL},
    {"vl15-depth", '\0', POPT_ARG_STRING, NULL, OPTION_VL15_DEPTH,
     "SMPs that wait at a node before some are dropped (default 128)", "N"},
    {"time-scale", '\0', POPT_ARG_STRING, NULL, OPTION_TIME_SCALE,
     "seconds that pass in the fabric in one second (default 1)", "X"},
    {"clients", '\0', POPT_ARG_STRING, NULL, OPTION_CLIENTS,
     "programs that may be connected at one time (default 1000)", "N"},
    {"pcap", '\0', POPT_ARG_STRING, NULL, OPTION_PCAP, "write all packets for Wireshark", "FILE"},
    {"daemon", 'd', POPT_ARG_NONE, NULL, OPTION_DAEMON, "go on in the background once it listens",
     NULL},
    {"pid-file", '\0', POPT_ARG_STRING, NULL, OPTION_PID_FILE,
     "write the process id there once it listens", "FILE"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "fabric",
    .arguments = "[OPTION...] --topology FILE|GEN",
    .text = "Simulates an InfiniBand fabric and serves it to programs on a socket until\n"
            "SIGTERM or SIGINT comes, or weft fabric ctl stop. OpenSM and infiniband-diags\n"
            "run on it unchanged:\n"
            "  weft fabric --topology my.topo\n"
            "  weft run --node NAME -- opensm\n"
            "weft fabric ctl COMMAND asks or changes a fabric that runs; see\n"
            "weft fabric ctl --help.\n",
    .table = table,
};

static void take_count(struct options *o, uint32_t min, uint32_t max, uint32_t *ret)
{
    uint64_t value = *ret;

    options_count(o, min, max, &value);
    *ret = (uint32_t)value;
}

static void take_vfs(struct options *o, uint8_t *ret)
{
    uint64_t value = 0;

    options_count(o, 0, 255, &value);
    *ret = (uint8_t)value;
}

static void take_mode(struct options *o, unsigned *ret)
{
    const char *text = options_text(o);
    size_t length = strspn(text, "01234567");
    unsigned mode = 0;

    for (size_t i = 0; i < length && mode <= 0777; i++)
        mode = 8 * mode + (unsigned)(text[i] - '0');
    if (length == 0 || text[length] != '\0' || mode > 0777)
        options_refuse(o, "--mode \"%s\": wants permissions in octal, such as 0600 or 0666", text);
    else if ((mode & 0600) != 0600)
        options_refuse(o,
                       "--mode %s: the owner must be able to read and write (0600): programs "
                       "could not connect, nor weft fabric ctl",
                       text);
    else
        *ret = mode;
}

static void take_time_scale(struct options *o, double *ret)
{
    uint64_t thousandths = 1000;

    options_factor(o, 1, UINT64_C(1000000000), &thousandths);
    *ret = (double)thousandths / 1000;
}

/* Options whose value is a name or that have none. */
static void take_word(struct options *o, struct fabric_request *r, enum option option)
{
    if (option == OPTION_TOPOLOGY)
        options_keep(o, "a name", &r->topology);
    else if (option == OPTION_LISTEN)
        options_keep(o, "a name", &r->listen);
    else if (option == OPTION_SCRIPT)
        options_keep(o, "a name", &r->script);
    else if (option == OPTION_PCAP)
        options_keep(o, "a name", &r->pcap);
    else if (option == OPTION_PID_FILE)
        options_keep(o, "a name", &r->pid_file);
    else if (option == OPTION_UP)
        r->fabric.up = true;
    else if (option == OPTION_KEEP_LIDS)
        r->fabric.keep_lids = true;
    else if (option == OPTION_VF_STRICT)
        r->fabric.vf_strict = true;
    else if (option == OPTION_DAEMON)
        r->daemon = true;
}

static void take_option(struct options *o, struct fabric_request *r, int option)
{
    switch (option) {
    case OPTION_MODE:
        take_mode(o, &r->server.socket_mode);
        break;
    case OPTION_SEED:
        options_count(o, 0, INT64_MAX, &r->fabric.seed);
        break;
    case OPTION_HOP_LATENCY:
        options_duration(o, 0, WEFT_S, &r->fabric.hop_ns);
        break;
    case OPTION_AGENT_TIME:
        options_duration(o, 0, WEFT_S, &r->fabric.agent_ns);
        break;
    case OPTION_TRAINING:
        options_duration(o, 0, 3600 * WEFT_S, &r->fabric.training_ns);
        break;
    case OPTION_VFS:
        take_vfs(o, &r->fabric.vfs);
        break;
    case OPTION_VL15_DEPTH:
        take_count(o, 1, 65536, &r->fabric.vl15_depth);
        break;
    case OPTION_TIME_SCALE:
        take_time_scale(o, &r->server.time_scale);
        break;
    case OPTION_CLIENTS:
        take_count(o, 1, CLIENTS_MAX, &r->server.clients);
        break;
    default:
        take_word(o, r, (enum option)option);
        break;
    }
}

/* What the daemon makes beside its socket. */
static const char *beside(const char *socket, const char *ending, char ret[SOCKET_SIDE_BYTES])
{
    return socket && snprintf(ret, SOCKET_SIDE_BYTES, "%s%s", socket, ending) < SOCKET_SIDE_BYTES
               ? ret
               : NULL;
}

/* Each output would be lost in the next one, and the fabric in any. */
static void check_files(struct options *o, const struct fabric_request *r)
{
    char lock[SOCKET_SIDE_BYTES], issm[SOCKET_SIDE_BYTES];
    const struct {
        const char *option, *name;
    } files[] = {
        {"--topology", r->topology && strcmp(r->topology, "-") != 0 ? r->topology : NULL},
        {"--script", r->script && strcmp(r->script, "-") != 0 ? r->script : NULL},
        {"--listen", r->listen},
        {"the lock beside --listen", beside(r->listen, ".lock", lock)},
        {"the folder beside --listen", beside(r->listen, ".issm", issm)},
        {"--pcap", r->pcap},
        {"--pid-file", r->pid_file},
    };
    const size_t count = sizeof(files) / sizeof(files[0]);

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && !options_stopped(o); j++)
            if (files[i].name && files[j].name && whole_file_same(files[i].name, files[j].name))
                options_refuse(o, "%s and %s are one file, \"%s\"; give each its own",
                               files[i].option, files[j].option, files[j].name);
}

static void check_request(struct options *o, const struct fabric_request *r)
{
    if (!r->topology)
        options_refuse(o, "which fabric? --topology FILE|GEN is missing, for example "
                          "--topology fat-tree:hosts=324,radix=36");
    else if (r->script && strcmp(r->script, "-") == 0 && strcmp(r->topology, "-") == 0)
        options_refuse(o, "--topology and --script cannot both be standard input");
    else if (r->fabric.vf_strict && r->fabric.vfs == 0)
        options_refuse(o,
                       "--vf-strict is about virtual functions, and there are none: add --vfs N, "
                       "such as --vfs 2");
    else
        check_files(o, r);
}

int fabric_request_parse(int argc, const char **argv, struct fabric_request *ret)
{
    struct options o;
    int option;

    *ret = (struct fabric_request){0};
    fabric_config_init(&ret->fabric);
    server_options_init(&ret->server);
    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0)
        take_option(&o, ret, option);
    options_no_more_arguments(&o);
    if (!options_stopped(&o))
        check_request(&o, ret);
    ret->fabric.attachments = SERVER_ATTACHMENTS(ret->server.clients);
    ret->stopped = options_stopped(&o);
    return options_done(&o);
}

void fabric_request_free(struct fabric_request *r)
{
    free(r->topology);
    free(r->listen);
    free(r->script);
    free(r->pcap);
    free(r->pid_file);
}
