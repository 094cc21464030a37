/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `weft iwarp`: which options there are, and for which subcommand. */
#include "cli/iwarp_request.h"

#include "cli/iwarp_address.h"
#include "cli/quantity.h"

#include <stdlib.h>
#include <string.h>

#define PING_SIZE_MIN 26
#define PING_SIZE_MAX 65535
#define COUNT_MAX     1000000000

enum {
    OPTION_SERVER = 1,
    OPTION_PORT,
    OPTION_BIND,
    OPTION_COUNT,
    OPTION_SIZE,
    OPTION_PERSISTENT,
    OPTION_VERBOSE,
    OPTION_CRC,
    OPTION_MPA,
    OPTION_P2P,
    OPTION_MARKERS,
    OPTION_PRIVATE,
    OPTION_REJECT,
    OPTION_TIMEOUT,
    OPTION_WINDOW,
    OPTION_LOOPBACK,
    OPTION_SIZES,
    OPTION_SECONDS,
    OPTION_TCP,
    OPTION_CONNECTIONS,
    OPTION_IDLE,
    OPTION_JSON,
    OPTIONS
};

#define IN(action) (1u << (action))

static const char *const action_names[IWARP_ACTIONS + 1] = {
    [IWARP_LISTEN] = "listen",
    [IWARP_CONNECT] = "connect",
    [IWARP_PING] = "ping",
    [IWARP_PERF] = "perf",
};

/* The subcommands that have an option; 0: all of them. */
static const unsigned owners[OPTIONS] = {
    [OPTION_SERVER] = IN(IWARP_PING) | IN(IWARP_PERF),
    [OPTION_COUNT] = IN(IWARP_PING),
    [OPTION_SIZE] = IN(IWARP_PING) | IN(IWARP_LISTEN) | IN(IWARP_CONNECT),
    [OPTION_PERSISTENT] = IN(IWARP_PING),
    [OPTION_VERBOSE] = IN(IWARP_PING),
    [OPTION_MPA] = IN(IWARP_PING) | IN(IWARP_LISTEN) | IN(IWARP_CONNECT),
    [OPTION_P2P] = IN(IWARP_PING) | IN(IWARP_LISTEN) | IN(IWARP_CONNECT),
    [OPTION_MARKERS] = IN(IWARP_PING) | IN(IWARP_LISTEN) | IN(IWARP_CONNECT),
    [OPTION_PRIVATE] = IN(IWARP_PING) | IN(IWARP_LISTEN) | IN(IWARP_CONNECT),
    [OPTION_REJECT] = IN(IWARP_PING) | IN(IWARP_LISTEN),
    [OPTION_WINDOW] = IN(IWARP_LISTEN) | IN(IWARP_CONNECT),
    [OPTION_LOOPBACK] = IN(IWARP_PING) | IN(IWARP_PERF),
    [OPTION_SIZES] = IN(IWARP_PERF),
    [OPTION_SECONDS] = IN(IWARP_PERF),
    [OPTION_TCP] = IN(IWARP_PERF),
    [OPTION_CONNECTIONS] = IN(IWARP_PERF),
    [OPTION_IDLE] = IN(IWARP_PERF),
};

static const struct poptOption option_table[] = {
    {"server", '\0', POPT_ARG_NONE, NULL, OPTION_SERVER, "wait for a peer (ping, perf)", NULL},
    {"port", '\0', POPT_ARG_STRING, NULL, OPTION_PORT,
     "TCP port; 0 lets the system choose (default 7174)", "PORT"},
    {"bind", '\0', POPT_ARG_STRING, NULL, OPTION_BIND, "own address (default: any)", "ADDR"},
    {"count", '\0', POPT_ARG_STRING, NULL, OPTION_COUNT,
     "pings, 0 for endless (ping; default 10, of a server endless)", "N"},
    {"size", '\0', POPT_ARG_STRING, NULL, OPTION_SIZE,
     "bytes of a ping (26..65535, default 64), or of a block (default: lines)", "BYTES"},
    {"persistent", '\0', POPT_ARG_NONE, NULL, OPTION_PERSISTENT,
     "go on with the next client after --count pings (ping --server)", NULL},
    {"verbose", '\0', POPT_ARG_NONE, NULL, OPTION_VERBOSE, "a line for each ping (ping)", NULL},
    {"crc", '\0', POPT_ARG_STRING, NULL, OPTION_CRC, "ask for CRC (default off)", "on|off"},
    {"mpa", '\0', POPT_ARG_STRING, NULL, OPTION_MPA, "MPA revision to ask with (default 2)", "1|2"},
    {"p2p", '\0', POPT_ARG_STRING, NULL, OPTION_P2P,
     "offer peer-to-peer mode with one of these first frames (default: connect write, ping none)",
     "none|write|read|send,..."},
    {"markers", '\0', POPT_ARG_NONE, NULL, OPTION_MARKERS,
     "ask for markers, to see that they are refused", NULL},
    {"private", '\0', POPT_ARG_STRING, NULL, OPTION_PRIVATE, "private data for the peer", "HEX"},
    {"reject", '\0', POPT_ARG_STRING, NULL, OPTION_REJECT,
     "reject every peer, with this private data (listening side)", "HEX"},
    {"timeout", '\0', POPT_ARG_STRING, NULL, OPTION_TIMEOUT,
     "how long to wait for the peer at each step (default 10s)", "TIME"},
    {"window", '\0', POPT_ARG_STRING, NULL, OPTION_WINDOW,
     "blocks on their way; 0: peer is not weft (listen, connect; default 32)", "BLOCKS"},
    {"loopback", '\0', POPT_ARG_NONE, NULL, OPTION_LOOPBACK,
     "both sides on this machine (ping, perf)", NULL},
    {"sizes", '\0', POPT_ARG_STRING, NULL, OPTION_SIZES,
     "message sizes to measure (perf; default 8,64,512,4096,32768,262144,1048576)", "BYTES,..."},
    {"seconds", '\0', POPT_ARG_STRING, NULL, OPTION_SECONDS,
     "how long one measurement takes (perf; default 0.5)", "SECONDS"},
    {"tcp", '\0', POPT_ARG_NONE, NULL, OPTION_TCP, "measure plain TCP beside it (perf)", NULL},
    {"connections", '\0', POPT_ARG_STRING, NULL, OPTION_CONNECTIONS,
     "set up and end so many connections one by one (perf)", "N"},
    {"idle", '\0', POPT_ARG_STRING, NULL, OPTION_IDLE,
     "hold so many connections, to see their memory (perf)", "N"},
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print one JSON document", NULL},
    POPT_TABLEEND,
};

const struct options_about iwarp_about = {
    .verb = "iwarp",
    .arguments = "[OPTION...] listen | connect ADDR | ping ADDR | perf ADDR |\n"
                 "           ping --server | ping --loopback | perf --server | perf --loopback",
    .text = "  listen    waits for a peer, then sends lines of standard input to it as RDMA\n"
            "            Sends and prints what it sends\n"
            "  connect   the same from the other side\n"
            "  ping      speaks the protocol of rping(1), as client or server: Sends, RDMA\n"
            "            Reads and Writes; exit status 0 only when every byte came back right\n"
            "  perf      measures latency and throughput by size, connections and their\n"
            "            memory\n"
            "\n"
            "iWARP is RDMA over TCP; both ends run as ordinary programs, the peer may also be\n"
            "a kernel or a network card.\n",
    .table = option_table,
};

static void parse_hex(struct options *o, struct iwarp_private *p)
{
    const char *text = options_text(o);
    size_t digits = strlen(text);

    p->given = true;
    if (digits % 2 != 0 || digits / 2 > WEFT_IWCM_PRIVATE_MAX - 4 ||
        strspn(text, "0123456789abcdefABCDEF") != digits) {
        options_refuse(o, "--%s \"%.40s\": wants pairs of hexadecimal digits, %d bytes at most",
                       options_name(o), text, WEFT_IWCM_PRIVATE_MAX - 4);
        return;
    }
    for (size_t i = 0; i < digits / 2; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};

        p->data[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    p->bytes = (uint16_t)(digits / 2);
}

static void parse_sizes(struct options *o, struct iwarp_request *r)
{
    const char *text = options_text(o);
    const char *p = text;

    r->size_count = 0;
    while (*p) {
        size_t length = strcspn(p, ",");
        char word[16] = "";
        uint64_t size = 0;

        if (length < sizeof(word))
            memcpy(word, p, length);
        if (r->size_count == IWARP_SIZES_MAX || !quantity_parse_count(word, &size) || size < 1 ||
            size > IWARP_PERF_SIZE_MAX) {
            options_refuse(o,
                           "--sizes \"%s\": wants up to %d numbers of bytes from 1 to %d, with "
                           "commas between them",
                           text, IWARP_SIZES_MAX, IWARP_PERF_SIZE_MAX);
            return;
        }
        r->sizes[r->size_count++] = size;
        p += length;
        if (*p == ',')
            p++;
    }
    if (r->size_count == 0)
        options_refuse(o, "--sizes \"\": wants at least one number of bytes");
}

static void parse_seconds(struct options *o, struct iwarp_request *r)
{
    uint64_t thousandths = 0;

    options_factor(o, 10, 60 * 1000, &thousandths);
    if (!options_stopped(o))
        r->seconds = thousandths * WEFT_MS;
}

/* Several frames are an offer the peer picks from. */
static void parse_frames(struct options *o, struct iwarp_request *r)
{
    static const struct {
        const char *name;
        uint8_t rtr;
    } frames[] = {
        {"write", WEFT_SIW_RTR_WRITE},
        {"read", WEFT_SIW_RTR_READ},
        {"send", WEFT_SIW_RTR_SEND},
    };
    const char *text = options_text(o);
    const char *p = text;
    bool known = true;

    r->siw.rtr = WEFT_SIW_RTR_NONE;
    if (strcmp(text, "none") == 0)
        return;
    do {
        size_t length = strcspn(p, ",");

        known = false;
        for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
            if (strlen(frames[i].name) == length && memcmp(frames[i].name, p, length) == 0) {
                r->siw.rtr |= frames[i].rtr;
                known = true;
            }
        }
        p += length;
    } while (known && *p++ == ',');
    if (!known)
        options_refuse(o,
                       "--p2p \"%s\": wants none, or one or more of write, read and send with "
                       "commas between them",
                       text);
}

static void parse_wire(struct options *o, int option, struct iwarp_request *r)
{
    static const char *const on_off[] = {"on", "off", NULL};
    static const char *const revisions[] = {"1", "2", NULL};
    size_t word = 0;

    if (option == OPTION_CRC) {
        options_word(o, on_off, &word);
        r->siw.crc = word == 0 ? WEFT_SIW_CRC_ON : WEFT_SIW_CRC_OFF;
    } else if (option == OPTION_MPA) {
        options_word(o, revisions, &word);
        r->siw.mpa_revision = (uint8_t)(word + 1);
    } else {
        parse_frames(o, r);
    }
}

static void parse_number(struct options *o, int option, struct iwarp_request *r)
{
    switch (option) {
    case OPTION_COUNT:
        options_count(o, 0, COUNT_MAX, &r->count);
        break;
    case OPTION_SIZE:
        options_count(o, 1, IWARP_BLOCK_MAX, &r->size);
        break;
    case OPTION_WINDOW:
        options_count(o, 0, 1024, &r->window);
        break;
    case OPTION_CONNECTIONS:
        options_count(o, 1, 1000000, &r->connections);
        break;
    case OPTION_IDLE:
        options_count(o, 1, 60000, &r->idle);
        break;
    default:
        break;
    }
}

static void parse_option(struct options *o, int option, struct iwarp_request *r, uint16_t *port)
{
    uint64_t number = 0;

    switch (option) {
    case OPTION_PORT:
        options_count(o, 0, UINT16_MAX, &number);
        *port = (uint16_t)number;
        break;
    case OPTION_BIND:
        if (!iwarp_address_resolve(options_text(o), 0, &r->bind))
            options_refuse(o, "--bind \"%s\": no such address", options_text(o));
        break;
    case OPTION_CRC:
    case OPTION_MPA:
    case OPTION_P2P:
        parse_wire(o, option, r);
        break;
    case OPTION_PRIVATE:
        parse_hex(o, &r->private_data);
        break;
    case OPTION_REJECT:
        parse_hex(o, &r->reject);
        break;
    case OPTION_TIMEOUT:
        options_duration(o, 10 * WEFT_MS, 3600 * WEFT_S, &r->timeout);
        break;
    case OPTION_SIZES:
        parse_sizes(o, r);
        break;
    case OPTION_SECONDS:
        parse_seconds(o, r);
        break;
    default:
        parse_number(o, option, r);
        break;
    }
}

static void find_action(struct options *o, struct iwarp_request *r)
{
    const char *const *name = options_action(o, action_names, sizeof(action_names[0]));

    if (name)
        r->action = (enum iwarp_action)(name - action_names);
}

/* Says what a peer's address lacks. */
static void refuse_peer(struct options *o, const struct iwarp_request *r, const char *word)
{
    const char *colon = strrchr(word, ':');
    struct weft_iw_addr any;

    if (iwarp_address_resolve(word, 0, &any))
        options_refuse(o, "%s has no IPv%d address, as --bind has", word, r->bind.family);
    else if (colon && colon[1] != '\0' && strspn(colon + 1, "0123456789") == strlen(colon + 1))
        options_refuse(o, "\"%s\" is no address; a port is given as --port %s", word, colon + 1);
    else
        options_refuse(o, "\"%s\" is no address, and no host of that name is known", word);
}

static void find_peer(struct options *o, struct iwarp_request *r, uint16_t port)
{
    const char *word;

    r->server = r->server || r->action == IWARP_LISTEN;
    if (r->server || r->loopback) {
        r->bind.port = port;
        options_no_more_arguments(o);
        return;
    }
    word = options_argument(o);
    if (!word)
        options_refuse(o, "%s wants the address of a peer%s", action_names[r->action],
                       r->action == IWARP_CONNECT ? "" : ", --server or --loopback");
    else if (!iwarp_address_resolve(word, r->bind.family, &r->remote))
        refuse_peer(o, r, word);
    else if (port == 0)
        options_refuse(o, "--port 0 is for the side that listens");
    else
        options_no_more_arguments(o);
    r->remote.port = port;
}

static void check_owners(struct options *o, const struct iwarp_request *r, const bool *given)
{
    for (int i = 1; i < OPTIONS && !options_stopped(o); i++)
        if (given[i] && owners[i] && !(owners[i] & IN(r->action)))
            options_refuse(o, "iwarp %s has no --%s", action_names[r->action],
                           option_table[i - 1].longName);
}

static void check_together(struct options *o, struct iwarp_request *r, const bool *given)
{
    bool ping = r->action == IWARP_PING;

    if (ping && given[OPTION_SIZE] && (r->size < PING_SIZE_MIN || r->size > PING_SIZE_MAX))
        options_refuse(o, "--size %u: a ping has %d to %d bytes", (unsigned)r->size, PING_SIZE_MIN,
                       PING_SIZE_MAX);
    else if (r->reject.given && !r->server)
        options_refuse(o, "--reject is for the side that listens");
    else if (r->persistent && !r->server)
        options_refuse(o, "--persistent is for ping --server");
    else if (r->loopback && r->server)
        options_refuse(o, "--loopback has both sides: leave --server out");
    else if (given[OPTION_P2P] && r->siw.rtr != WEFT_SIW_RTR_NONE && r->siw.mpa_revision < 2)
        options_refuse(o, "--p2p needs MPA revision 2: leave --mpa 1 out");
    else if (given[OPTION_TCP] && r->server)
        options_refuse(o, "--tcp is for the client: a server is ready for it");
}

static void set_defaults(struct iwarp_request *r, const bool *given)
{
    static const uint64_t sizes[] = {8, 64, 512, 4096, 32768, 262144, 1048576};

    r->server_size = given[OPTION_SIZE] ? r->size : PING_SIZE_MAX;
    if (r->action == IWARP_PING && !given[OPTION_SIZE])
        r->size = 64;
    if (r->action == IWARP_PING && !given[OPTION_COUNT])
        r->count = r->server ? 0 : 10;
    if (r->action == IWARP_CONNECT && !given[OPTION_P2P] && r->siw.mpa_revision > 1)
        r->siw.rtr = WEFT_SIW_RTR_WRITE;
    if (r->size_count == 0) {
        memcpy(r->sizes, sizes, sizeof(sizes));
        r->size_count = sizeof(sizes) / sizeof(sizes[0]);
    }
}

void iwarp_request_parse(struct options *o, struct iwarp_request *r)
{
    bool given[OPTIONS] = {false};
    uint16_t port = IWARP_PORT;
    int option;

    *r = (struct iwarp_request){
        .siw = WEFT_SIW_CONFIG_INIT, .timeout = 10 * WEFT_S, .seconds = WEFT_S / 2, .window = 32};
    while ((option = options_next(o)) != 0) {
        given[option] = true;
        parse_option(o, option, r, &port);
    }
    r->server = given[OPTION_SERVER];
    r->loopback = given[OPTION_LOOPBACK];
    r->json = given[OPTION_JSON];
    r->verbose = given[OPTION_VERBOSE];
    r->persistent = given[OPTION_PERSISTENT];
    r->tcp = given[OPTION_TCP];
    r->siw.markers = given[OPTION_MARKERS];
    if (!options_stopped(o))
        find_action(o, r);
    if (!options_stopped(o))
        check_owners(o, r, given);
    if (!options_stopped(o))
        find_peer(o, r, port);
    if (!options_stopped(o))
        check_together(o, r, given);
    set_defaults(r, given);
}
