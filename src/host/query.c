/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of the control role. Questions are answered as lines for people or as one JSON document
 * for programs, and in pages: what does not fit into one message is asked for again `from N`. */
#include "host/query.h"

#include "core/base/suggest.h"
#include "core/wire/link_rate.h"
#include "core/wire/text.h"
#include "host/pump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Kept free for the end of a page. */
#define QUERY_RESERVE          64
/* A list of faults whose next page nobody has asked for is made anew. */
#define QUERY_FAULTS_AGE_NS    (5 * WEFT_S)
/* Nobody has so long a list of faults. */
#define QUERY_FAULTS_BYTES_MAX ((size_t)64 << 20)

/* A page being written. */
struct page {
    struct server *server;
    struct wire_text text;
    bool json;
    uint64_t from, next; /* items; next 0: all are there */
    uint64_t items;      /* in this page */
    uint32_t node;       /* what is asked about: a port */
    uint8_t port;
};

__attribute__((format(printf, 2, 3))) static void page_print(struct page *p, const char *format,
                                                             ...)
{
    char part[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(part, sizeof(part), format, args);
    va_end(args);
    wire_text_string(&p->text, part);
}

/* A text of doubtful origin, quoted. */
static void page_quote(struct page *p, const char *text, size_t bytes)
{
    wire_text_char(&p->text, '"');
    wire_text_escaped(&p->text, (const uint8_t *)text, bytes, p->json);
    wire_text_char(&p->text, '"');
}

static bool page_full(const struct page *p)
{
    return p->text.len > p->text.cap - QUERY_RESERVE;
}

static const char *role_name(const struct client *c)
{
    if (!c->greeted)
        return "new";
    switch (c->role) {
    case CHANNEL_ROLE_RINGS:
        return "rings";
    case CHANNEL_ROLE_SOCKET:
        return "socket";
    case CHANNEL_ROLE_QUERY:
        return "query";
    case CHANNEL_ROLE_CONTROL:
        return "control";
    }
    return "new";
}

static void write_client(struct page *p, const struct client *c)
{
    struct fabric_node_info info = {.name = ""};
    bool node = c->greeted && c->role != CHANNEL_ROLE_CONTROL;

    if (node)
        fabric_node(p->server->fabric, c->node, &info);
    if (p->json)
        page_print(p,
                   "{\"client\":%u,\"role\":\"%s\",\"pid\":%d,\"uid\":%u,\"program\":", c->number,
                   role_name(c), (int)c->pid, (unsigned)c->uid);
    else
        page_print(p, "%u %s pid %d uid %u ", c->number, role_name(c), (int)c->pid,
                   (unsigned)c->uid);
    page_quote(p, c->program, strnlen(c->program, sizeof(c->program)));
    if (node) {
        wire_text_string(&p->text, p->json ? ",\"node\":" : " node ");
        page_quote(p, info.name, strlen(info.name));
        page_print(
            p, p->json ? ",\"guid\":\"0x%016" PRIx64 "\",\"port\":%u" : " 0x%016" PRIx64 " port %u",
            info.guid, c->port);
        if (c->function != 0)
            page_print(p, p->json ? ",\"function\":%u" : " function %u", c->function);
    }
    page_print(p,
               p->json ? ",\"packets_in\":%" PRIu64 ",\"packets_out\":%" PRIu64
                         ",\"receiver_full\":%" PRIu64 "}"
                       : " in %" PRIu64 " out %" PRIu64 " receiver-full %" PRIu64 "\n",
               c->packets_in, c->packets_out, c->receiver_full);
}

/* Begins item number `at` of a list; false when it is not of this page. */
static bool page_item(struct page *p, uint64_t at)
{
    if (at < p->from || p->next != 0)
        return false;
    if (p->json && p->items > 0)
        wire_text_char(&p->text, ',');
    return true;
}

/* Ends an item, or takes it back where it does not fit. */
static void page_item_end(struct page *p, uint64_t at, size_t before)
{
    if (page_full(p)) {
        p->text.len = before;
        p->next = at;
    } else {
        p->items++;
    }
}

static void write_clients(struct page *p)
{
    struct server *s = p->server;
    uint64_t at = 0;

    for (struct list_node *n = s->clients.next; n != &s->clients; n = n->next, at++) {
        size_t before = p->text.len;

        if (!page_item(p, at))
            continue;
        write_client(p, WEFT_CONTAINER_OF(n, struct client, all));
        page_item_end(p, at, before);
    }
}

static void write_nodes(struct page *p)
{
    static const char *const types[] = {
        [TOPO_SWITCH] = "switch", [TOPO_CA] = "ca", [TOPO_ROUTER] = "router"};
    uint32_t count = fabric_node_count(p->server->fabric);

    for (uint64_t at = p->from; at < count && p->next == 0; at++) {
        size_t before = p->text.len;
        struct fabric_node_info info;

        fabric_node(p->server->fabric, (uint32_t)at, &info);
        if (!page_item(p, at))
            continue;
        page_print(p,
                   p->json ? "{\"guid\":\"0x%016" PRIx64
                             "\",\"type\":\"%s\",\"ports\":%u,\"alive\":%s,\"name\":"
                           : "0x%016" PRIx64 " %s ports %u %s ",
                   info.guid, types[info.type], info.ports,
                   p->json ? (info.alive ? "true" : "false") : (info.alive ? "alive" : "dead"));
        page_quote(p, info.name, strlen(info.name));
        wire_text_string(&p->text, p->json ? "}" : "\n");
        page_item_end(p, at, before);
    }
}

/* An entry of a function's P_Key table: where it is, and its key. */
static void write_entry(struct page *p, uint16_t virt, uint16_t physical, uint16_t key, bool first)
{
    if (p->json)
        page_print(p, "%s{\"index\":%u,\"physical\":%u,\"pkey\":\"0x%04x\"}", first ? "" : ",",
                   virt, physical, key);
    else
        page_print(p, " %u=%u:0x%04x", virt, physical, key);
}

/* A VF's entries that are assigned, the PF's that hold a key. */
static void write_entries(struct page *p, uint32_t node, uint8_t port, uint16_t function,
                          uint16_t entries)
{
    const struct fabric *f = p->server->fabric;
    uint16_t keys[FABRIC_PKEY_CAP_MAX];
    bool first = true;

    if (entries > FABRIC_PKEY_CAP_MAX ||
        fabric_function_pkeys(f, node, port, function, 0, keys, entries) != 0)
        return;
    for (uint16_t i = 0; i < entries; i++) {
        uint16_t physical = 0;

        if ((function == 0 && (keys[i] & 0x7FFF) == 0) ||
            fabric_function_entry(f, node, port, function, i, &physical) != 0)
            continue;
        write_entry(p, i, physical, keys[i], first);
        first = false;
    }
}

static void write_function(struct page *p, const struct fabric_node_info *node, uint32_t number,
                           uint8_t port, uint16_t function, const struct fabric_function_info *info)
{
    const struct fabric *f = p->server->fabric;
    struct fabric_port_info entries = {.pkeys = 0};

    (void)fabric_port(f, number, port, &entries);
    if (p->json)
        wire_text_string(&p->text, "{\"node\":");
    page_quote(p, node->name, strlen(node->name));
    page_print(p,
               p->json ? ",\"guid\":\"0x%016" PRIx64 "\",\"port\":%u,\"function\":%u,"
                         "\"programs\":%" PRIu32 ",\"events\":%" PRIu32
                       : " 0x%016" PRIx64 " port %u function %u programs %" PRIu32
                         " events %" PRIu32,
               node->guid, port, function, info->programs, info->events);
    if (info->smp)
        wire_text_string(&p->text, p->json ? ",\"smp\":true" : " smp on");
    if (info->clashes)
        page_print(p, p->json ? ",\"clash\":[%u,%u]" : " clash %u,%u", info->clash[0],
                   info->clash[1]);
    wire_text_string(&p->text, p->json ? ",\"pkeys\":[" : " pkeys");
    write_entries(p, number, port, function, entries.pkeys);
    wire_text_string(&p->text, p->json ? "]}" : "\n");
}

/* Those of a port, which begin with item number `at` of the list. */
static void write_port_functions(struct page *p, uint32_t number,
                                 const struct fabric_node_info *node, uint8_t port, uint64_t at)
{
    uint16_t count = fabric_functions(p->server->fabric, number, port);
    struct fabric_function_info info;

    for (uint64_t k = p->from > at ? p->from - at : 0; k < count && p->next == 0; k++) {
        size_t before = p->text.len;

        if (fabric_function(p->server->fabric, number, port, (uint16_t)k, &info) != 0 ||
            !page_item(p, at + k))
            continue;
        write_function(p, node, number, port, (uint16_t)k, &info);
        page_item_end(p, at + k, before);
    }
}

/* Functions of CAs, in the order of the topology. A page goes on where the last one ended: of what
 * comes before it only the number is looked at. */
static void write_functions(struct page *p)
{
    const struct fabric *f = p->server->fabric;
    uint64_t at = 0;

    for (uint32_t i = 0; i < fabric_node_count(f) && p->next == 0; i++) {
        struct fabric_node_info node;

        fabric_node(f, i, &node);
        for (uint16_t port = 1; node.type == TOPO_CA && port <= node.ports && p->next == 0;
             port++) {
            write_port_functions(p, i, &node, (uint8_t)port, at);
            at += fabric_functions(f, i, (uint8_t)port);
        }
    }
}

/* Has the whole list in s->faults.text.
 * @return false: there is no memory for it */
static bool make_faults(struct server *s)
{
    struct faults_list *list = &s->faults;
    size_t bytes = fabric_faults_text(s->fabric, list->text, list->space);
    char *more;

    if (bytes < list->space)
        return true;
    more = bytes < QUERY_FAULTS_BYTES_MAX ? realloc(list->text, bytes + 1) : NULL;
    if (!more)
        return false;
    list->text = more;
    list->space = bytes + 1;
    (void)fabric_faults_text(s->fabric, list->text, list->space);
    return true;
}

static void write_faults(struct page *p)
{
    struct server *s = p->server;
    struct faults_list *list = &s->faults;
    bool goes_on = list->next != 0 && list->next == p->from &&
                   s->looked_at - list->since <= QUERY_FAULTS_AGE_NS;
    uint64_t at = goes_on ? list->next : 0;
    char *line;

    if (!goes_on && !make_faults(s))
        return;
    line = list->text + (goes_on ? list->at : 0);
    for (; *line != '\0' && p->next == 0; at++) {
        size_t length = strcspn(line, "\n"), before = p->text.len;
        bool ends = line[length] == '\n';

        if (page_item(p, at)) {
            line[length] = '\0';
            if (p->json)
                page_quote(p, line, length);
            else
                wire_text_string(&p->text, line);
            wire_text_string(&p->text, p->json ? "" : "\n");
            line[length] = ends ? '\n' : '\0';
            page_item_end(p, at, before);
        }
        if (p->next == 0)
            line += length + ends;
    }
    list->at = (size_t)(line - list->text);
    list->next = p->next;
    list->since = s->looked_at;
}

static void write_number(struct page *p, const char *name, uint64_t value)
{
    if (p->json)
        page_print(p, ",\"%s\":%" PRIu64, name, value);
    else
        page_print(p, "%s %" PRIu64 "\n", name, value);
}

/* A member with a word for its value, in text a line. */
static void write_word(struct page *p, const char *name, const char *word)
{
    page_print(p, p->json ? ",\"%s\":\"%s\"" : "%s %s\n", name, word);
}

static void write_status(struct page *p)
{
    struct server *s = p->server;
    struct fabric_stats f;

    fabric_stats(s->fabric, &f);
    write_number(p, "time_ns", s->now);
    write_number(p, "nodes", fabric_node_count(s->fabric));
    write_number(p, "clients", s->stats.clients);
    write_number(p, "clients_ever", s->stats.clients_ever);
    write_number(p, "clients_thrown", s->stats.clients_thrown);
    write_number(p, "packets_in", s->stats.packets_in);
    write_number(p, "packets_out", s->stats.packets_out);
    write_number(p, "receiver_full", s->stats.receiver_full);
    write_number(p, "sleeps", s->stats.sleeps);
    write_number(p, "bells", s->stats.bells);
    write_number(p, "issm_refused", s->stats.issm_refused);
    write_word(p, "pcap", !s->capture ? "off" : s->stats.pcap_error ? "failed" : "on");
    if (s->stats.pcap_error)
        write_word(p, "pcap_error", strerror(s->stats.pcap_error));
    write_number(p, "pcap_lost", s->stats.pcap_lost);
    write_number(p, "attachments", f.attachments);
    write_number(p, "flights", f.flights);
    write_number(p, "faults", f.faults);
    write_number(p, "scheduled", f.scheduled);
    write_number(p, "traps", f.traps);
    write_number(p, "sent", f.sent);
    write_number(p, "delivered", f.delivered);
    write_number(p, "answered", f.answered);
    write_number(p, "hops", f.hops);
    write_number(p, "traps_sent", f.traps_sent);
    write_number(p, "dropped_lost", f.dropped_lost);
    write_number(p, "dropped_link", f.dropped_link);
    write_number(p, "dropped_route", f.dropped_route);
    write_number(p, "dropped_queue", f.dropped_queue);
    write_number(p, "dropped_key", f.dropped_key);
    write_number(p, "dropped_unclaimed", f.dropped_unclaimed);
}

static void write_hex(struct page *p, const char *name, uint64_t value, int digits)
{
    char word[32];

    (void)snprintf(word, sizeof(word), "0x%0*" PRIx64, digits, value);
    write_word(p, name, word);
}

static const char *word_or_none(const char *word)
{
    return word ? word : "none";
}

/* Entries of a port's P_Key table that hold a key. */
static uint64_t count_pkeys(const struct page *p, uint16_t entries)
{
    uint64_t count = 0;

    for (uint16_t i = 0; i < entries; i++) {
        uint16_t key = 0;

        (void)fabric_port_pkeys(p->server->fabric, p->node, p->port, i, &key, 1);
        count += (key & 0x7FFF) != 0;
    }
    return count;
}

static void write_port(struct page *p)
{
    static const char *const states[] = {"none", "Down", "Init", "Armed", "Active"};
    static const char *const physical[] = {"none",     "Sleep",    "Polling",
                                           "Disabled", "Training", "LinkUp"};
    struct fabric *f = p->server->fabric;
    struct fabric_node_info node;
    struct fabric_port_info info;

    fabric_node(f, p->node, &node);
    if (fabric_port(f, p->node, p->port, &info) != 0)
        return;
    wire_text_string(&p->text, p->json ? ",\"node\":" : "node ");
    page_quote(p, node.name, strlen(node.name));
    wire_text_string(&p->text, p->json ? "" : "\n");
    write_hex(p, "guid", node.guid, 16);
    write_number(p, "port", p->port);
    write_hex(p, "port_guid", info.guid, 16);
    write_hex(p, "gid_prefix", info.gid_prefix, 16);
    write_number(p, "lid", info.lid);
    write_number(p, "lmc", info.lmc);
    write_number(p, "sm_lid", info.sm_lid);
    write_number(p, "sm_sl", info.sm_sl);
    write_word(p, "state", states[info.state % 5]);
    write_word(p, "physical_state", physical[info.physical_state % 6]);
    write_word(p, "width", word_or_none(wire_link_width_word(info.width)));
    write_word(p, "speed", word_or_none(wire_link_active_word(info.speed, info.speed_ext)));
    write_number(p, "rate_gbps", info.rate_gbps);
    write_hex(p, "capability", info.capability, 8);
    write_number(p, "pkeys", count_pkeys(p, info.pkeys));
    write_number(p, "pkey_entries", info.pkeys);
    write_number(p, "reregisters", info.reregisters);
}

/* A question: its word, and who writes the answer. */
static const struct question {
    const char *word;
    enum {
        ABOUT_ALL,
        ABOUT_LIST,
        ABOUT_PORT
    } about;
    void (*write)(struct page *p);
} questions[] = {
    {"status", ABOUT_ALL, write_status}, {"clients", ABOUT_LIST, write_clients},
    {"nodes", ABOUT_LIST, write_nodes},  {"faults", ABOUT_LIST, write_faults},
    {"port", ABOUT_PORT, write_port},    {"functions", ABOUT_LIST, write_functions},
};

static void answer_question(struct page *p, const struct question *q)
{
    if (p->json) {
        page_print(p, "{\"schema\":\"weft.fabric.%s/1\"", q->word);
        if (q->about == ABOUT_LIST)
            page_print(p, ",\"%s\":[", q->word);
    }
    q->write(p);
    if (p->json) {
        if (q->about == ABOUT_LIST)
            wire_text_char(&p->text, ']');
        if (p->next != 0)
            page_print(p, ",\"next\":%" PRIu64, p->next);
        wire_text_string(&p->text, "}\n");
    } else if (p->next != 0) {
        page_print(p, "... %" PRIu64 "\n", p->next);
    }
    (void)wire_text_end(&p->text);
}

/* Takes a word that stands where the rest of a line begins, and the blanks behind it. */
static bool take_word(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0 || ((*at)[length] != ' ' && (*at)[length] != '\0'))
        return false;
    *at += length;
    *at += strspn(*at, " ");
    return true;
}

/* Reads what may follow a question: `json`, then `from N` or a port. */
static int read_manner(const char *at, const struct question *q, struct page *p,
                       struct fabric_error *error)
{
    at += strspn(at, " ");
    p->json = take_word(&at, "json");
    if (q->about == ABOUT_PORT)
        return fabric_find_port(p->server->fabric, at, &p->node, &p->port, error);
    if (take_word(&at, "from")) {
        const char *digits = at;

        while (*at >= '0' && *at <= '9' && p->from <= UINT32_MAX)
            p->from = p->from * 10 + (uint64_t)(*at++ - '0');
        if (at == digits)
            at = "?";
    }
    return *at == '\0' ? 0
                       : server_refuse(error, WEFT_ERR_FORMAT,
                                       "%s is followed by nothing, or by json, or by from and a "
                                       "number, in this order",
                                       q->word);
}

/* Does a command; what is to be known of it is the answer. */
static int answer_command(struct server *s, const char *line, struct message_text *ret,
                          struct fabric_error *error)
{
    char remark[sizeof(error->text) + 1];
    int err = fabric_command(s->fabric, s->now, line, error);

    if (err)
        return err;
    pump_deliver(s);
    (void)snprintf(remark, sizeof(remark), "%s%s", error->text, error->text[0] ? "\n" : "");
    (void)message_make_text(ret, MESSAGE_TEXT, remark);
    return 0;
}

/* A line that is neither question nor command: a question may have been meant. */
static int refuse_word(const char *line, size_t word, int err, struct fabric_error *error)
{
    struct suggest near;
    char first[32], shown[4 * sizeof(first)] = "";
    struct wire_text text = {.out = shown, .cap = sizeof(shown)};

    if (err != WEFT_ERR_FORMAT || word >= sizeof(first) || fabric_is_command(line))
        return err;
    (void)snprintf(first, sizeof(first), "%.*s", (int)word, line);
    suggest_start(&near, first);
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
        suggest_offer(&near, questions[i].word);
    suggest_offer(&near, "stop");
    if (!suggest_best(&near))
        return err;
    wire_text_escaped(&text, (const uint8_t *)first, word, false);
    (void)wire_text_end(&text);
    return server_refuse(error, err, "there is no command \"%s\"; did you mean %s?", shown,
                         suggest_best(&near));
}

int query_answer(struct server *s, const char *line, struct message_text *ret,
                 struct fabric_error *error)
{
    struct page p = {.server = s, .text = {.out = ret->text, .cap = sizeof(ret->text)}};
    size_t word = strcspn(line, " ");
    int err;

    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        const struct question *q = &questions[i];

        if (strlen(q->word) != word || memcmp(q->word, line, word) != 0)
            continue;
        err = read_manner(line + word, q, &p, error);
        if (err)
            return err;
        message_begin(ret, MESSAGE_TEXT);
        answer_question(&p, q);
        return 0;
    }
    if (strcmp(line, "stop") != 0) {
        err = answer_command(s, line, ret, error);
        return err ? refuse_word(line, word, err, error) : 0;
    }
    server_stop(s);
    (void)message_make_text(ret, MESSAGE_TEXT, "");
    return 0;
}
