/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parsing of commands: one function for each first word, over a cursor that knows what to say when
 * a word is not the expected one. */
#include "fabric/command.h"

#include "core/base/quantity.h"
#include "core/base/suggest.h"
#include "fabric/attach.h"
#include "fabric/counters.h"
#include "fabric/functions.h"
#include "fabric/script.h"
#include "fabric/trap.h"

#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes of a wrong word that a message shows. */
#define SHOWN_BYTES 48

/* LinkWidthEnabled of all widths, LinkSpeedEnabled and LinkSpeedExtEnabled of all speeds. */
#define WIDTHS_ALL     0x1F
#define SPEEDS_ALL     0x0F
#define SPEEDS_EXT_ALL 0x0F

struct parser {
    const struct fabric *f;
    struct words words;
    uint8_t next;
    struct command *c;
    struct fabric_error *error;
};

/* The next word, or NULL at the line's end. */
static const char *peek(const struct parser *p)
{
    return p->next < p->words.count ? words_text(&p->words, p->next) : NULL;
}

/* Says that the next word is not what is expected here. */
static int refuse(struct parser *p, const char *expected)
{
    const char *word = peek(p);
    char shown[4 * SHOWN_BYTES + 1] = "";
    struct wire_text text = {.out = shown, .cap = sizeof(shown)};
    size_t length;

    if (!word) {
        snprintf(p->error->text, sizeof(p->error->text), "the line ends where %s is expected",
                 expected);
        return WEFT_ERR_FORMAT;
    }
    length = strlen(word);
    wire_text_escaped(&text, (const uint8_t *)word, length < SHOWN_BYTES ? length : SHOWN_BYTES,
                      false);
    wire_text_end(&text);
    snprintf(p->error->text, sizeof(p->error->text), "\"%s\" stands where %s is expected", shown,
             expected);
    return WEFT_ERR_FORMAT;
}

/* A list of words of which one is expected; the end of the array is a NULL. */
typedef const char *const *choices;

/* Adds to what refuse() said which of the words may have been meant. */
static void suggest_one(struct parser *p, choices words)
{
    size_t used = strlen(p->error->text);
    struct suggest near;

    suggest_start(&near, peek(p) ? peek(p) : "");
    for (size_t i = 0; words[i]; i++)
        suggest_offer(&near, words[i]);
    if (suggest_best(&near))
        snprintf(p->error->text + used, sizeof(p->error->text) - used, ": did you mean %s?",
                 suggest_best(&near));
}

static int refuse_choice(struct parser *p, choices words)
{
    char expected[192] = "";
    struct wire_text list = {.out = expected, .cap = sizeof(expected)};
    int err;

    for (size_t i = 0; words[i]; i++) {
        if (i > 0)
            wire_text_string(&list, words[i + 1] ? ", " : " or ");
        wire_text_string(&list, words[i]);
    }
    wire_text_end(&list);
    err = refuse(p, expected);
    suggest_one(p, words);
    return err;
}

/* Takes the next word if it is this one. */
static bool take(struct parser *p, const char *word)
{
    if (!peek(p) || strcmp(peek(p), word) != 0)
        return false;
    p->next++;
    return true;
}

/* Takes one of several words. */
static int choose(struct parser *p, choices words, unsigned *ret)
{
    for (unsigned i = 0; words[i]; i++) {
        if (take(p, words[i])) {
            *ret = i;
            return 0;
        }
    }
    return refuse_choice(p, words);
}

/* Takes one of two words: whether it is the first. */
static int choose_flag(struct parser *p, const char *yes, const char *no, bool *ret)
{
    const char *const words[] = {yes, no, NULL};
    unsigned which = 0;
    int err = choose(p, words, &which);

    *ret = which == 0;
    return err;
}

static int want(struct parser *p, const char *word)
{
    return take(p, word) ? 0 : refuse(p, word);
}

static int take_count(struct parser *p, uint64_t max, const char *expected, uint64_t *ret)
{
    if (!peek(p) || !quantity_parse_count(peek(p), ret) || *ret > max)
        return refuse(p, expected);
    p->next++;
    return 0;
}

static int take_time(struct parser *p, weft_time max, const char *expected, weft_time *ret)
{
    if (!peek(p) || !quantity_parse_duration(peek(p), ret) || *ret > max)
        return refuse(p, expected);
    p->next++;
    return 0;
}

static int take_share(struct parser *p, uint32_t *ret)
{
    const char *word = peek(p);

    if (!word || !memchr(word, '%', strlen(word)) || !quantity_parse_share(word, ret))
        return refuse(p, "a percentage from 0% to 100%, such as 2.5%,");
    p->next++;
    return 0;
}

static int take_node(struct parser *p)
{
    int err;

    if (!peek(p))
        return refuse(p, "a node");
    err = fabric_find(p->f, peek(p), &p->c->node, p->error);
    if (err == 0)
        p->next++;
    return err;
}

/* What a port must be. */
enum port_kind {
    PORT_ANY,    /* a switch's port 0 too */
    PORT_CABLED, /* one with a cable */
};

static int refuse_port(struct parser *p, enum port_kind kind, const char *what, uint64_t number)
{
    const struct node *n = &p->f->nodes[p->c->node];
    char name[4 * TOPO_NAME_BYTES] = "";
    struct wire_text text = {.out = name, .cap = sizeof(name)};

    words_quote(&text, n->name);
    wire_text_end(&text);
    snprintf(p->error->text, sizeof(p->error->text), "%.80s %s %llu: its ports are %d to %d", name,
             what, (unsigned long long)number, kind == PORT_ANY && node_is_switch(n) ? 0 : 1,
             n->ports);
    return WEFT_ERR_NOTFOUND;
}

static int take_port(struct parser *p, enum port_kind kind)
{
    const struct word *word = &p->words.word[p->next];
    char name[WORDS_LINE_BYTES + 1];
    uint64_t number;
    const struct node *n;
    int err;

    if (!peek(p) || word->slash == WORDS_NO_SLASH ||
        !quantity_parse_count(peek(p) + word->slash + 1, &number))
        return refuse(p, "NODE/PORT, a node and the number of its port,");
    memcpy(name, peek(p), word->slash);
    name[word->slash] = '\0';
    err = fabric_find(p->f, name, &p->c->node, p->error);
    if (err != 0)
        return err;
    n = &p->f->nodes[p->c->node];
    if (number > n->ports || (number == 0 && !node_is_switch(n)))
        return refuse_port(p, kind, "has no port", number);
    p->c->port = n->first_port + (uint32_t)number;
    if (kind == PORT_CABLED && p->f->ports[p->c->port].peer == FABRIC_NONE)
        return refuse_port(p, kind, "has no cable at port", number);
    p->next++;
    return 0;
}

/* A node alone, or NODE/PORT. */
static int take_port_of_node(struct parser *p)
{
    uint16_t slash = p->next < p->words.count ? p->words.word[p->next].slash : WORDS_NO_SLASH;
    const struct node *n;
    uint64_t number;
    int err;

    if (slash != WORDS_NO_SLASH && quantity_parse_count(peek(p) + slash + 1, &number))
        return take_port(p, PORT_ANY);
    err = take_node(p);
    if (err != 0)
        return err;
    n = &p->f->nodes[p->c->node];
    p->c->port = n->first_port + attach_pick_port(p->f, n);
    return 0;
}

/* Masks of what a cable with so many lanes, or of such a speed, can still do. */
static int take_width(struct parser *p)
{
    static const char *const words[] = {"1x", "2x", "4x", "8x", "12x", NULL};
    static const uint8_t masks[] = {0x01, 0x11, 0x13, 0x17, 0x1F};
    unsigned which;
    int err = choose(p, words, &which);

    if (err == 0)
        p->c->width = masks[which];
    return err;
}

static int take_speed(struct parser *p)
{
    static const char *const words[] = {"SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR", NULL};
    static const uint8_t masks[][2] = {{1, 0}, {3, 0}, {7, 0}, {15, 1}, {15, 3}, {15, 7}, {15, 15}};
    unsigned which;
    int err = choose(p, words, &which);

    if (err == 0) {
        p->c->speed = masks[which][0];
        p->c->speed_ext = masks[which][1];
    }
    return err;
}

static int parse_link(struct parser *p)
{
    static const char *const words[] = {"down", "up", "width", "speed", "restore", NULL};
    unsigned which = 0;
    int err = take_port(p, PORT_CABLED);

    if (err == 0)
        err = choose(p, words, &which);
    if (err != 0)
        return err;
    if (which < 2) {
        p->c->verb = COMMAND_CUT;
        p->c->on = which == 0;
        return 0;
    }
    p->c->verb = COMMAND_WEAR;
    if (which == 4)
        return 0; /* masks of 0: no limit */
    p->c->width = WIDTHS_ALL;
    p->c->speed = SPEEDS_ALL;
    p->c->speed_ext = SPEEDS_EXT_ALL;
    if (which == 2)
        err = take_width(p);
    if (err == 0 && (which == 3 || take(p, "speed")))
        err = take_speed(p);
    return err;
}

static int parse_node(struct parser *p)
{
    int err = take_node(p);

    p->c->verb = COMMAND_DIE;
    return err != 0 ? err : choose_flag(p, "dead", "alive", &p->c->on);
}

static int parse_sa(struct parser *p)
{
    int err = take_node(p);

    p->c->verb = COMMAND_SA_BUSY;
    return err != 0 ? err : choose_flag(p, "busy", "ok", &p->c->on);
}

/* Where: behind "on". */
static int take_place(struct parser *p)
{
    static const char *const words[] = {"link", "node", "agent", "transit", "all", NULL};
    static const enum fault_place places[] = {FAULT_ON_PORT, FAULT_ON_NODE, FAULT_ON_AGENT,
                                              FAULT_ON_TRANSIT, FAULT_ON_ALL};
    struct command *c = p->c;
    unsigned which;
    int err = choose(p, words, &which);

    if (err != 0)
        return err;
    c->fault.place = places[which];
    if (c->fault.place == FAULT_ON_NODE || c->fault.place == FAULT_ON_AGENT) {
        err = take_node(p);
        c->fault.where = c->node;
    } else if (c->fault.place == FAULT_ON_PORT) {
        err = take_port(p, PORT_CABLED);
        c->fault.where = c->port;
        c->both = true;
        if (err == 0 && take(p, "out")) {
            c->both = false;
        } else if (err == 0 && take(p, "in")) {
            c->both = false;
            c->fault.where = p->f->ports[c->port].peer;
        }
    }
    return err;
}

static int take_place_and_filter(struct parser *p)
{
    int err = want(p, "on");

    if (err == 0)
        err = take_place(p);
    if (err == 0 && p->c->fault.place == FAULT_ON_AGENT) {
        if (p->c->fault.kind == FAULT_LOSS)
            return 0; /* what comes to an agent are requests */
        snprintf(p->error->text, sizeof(p->error->text),
                 "an agent can only have loss; other faults are on link, node, transit or all");
        return WEFT_ERR_FORMAT;
    }
    if (err != 0)
        return err;
    if (take(p, "requests"))
        p->c->fault.filter = FAULT_REQUESTS;
    else if (take(p, "replies"))
        p->c->fault.filter = FAULT_REPLIES;
    return 0;
}

static int take_delay(struct parser *p, weft_time *ret)
{
    return take_time(p, FAULT_TIME_MAX, "a time of at most 1h, such as 5ms,", ret);
}

/* What a fault of its kind needs to be said. */
static int take_extent(struct parser *p)
{
    struct fault *fault = &p->c->fault;
    int err;

    if (fault->kind == FAULT_DELAY) {
        fault->share = FAULT_SHARE_ALL;
        err = take_delay(p, &fault->delay_ns);
        return err == 0 && take(p, "jitter") ? take_delay(p, &fault->jitter_ns) : err;
    }
    err = take_share(p, &fault->share);
    if (err == 0 && fault->kind == FAULT_REORDER) {
        err = want(p, "by");
        if (err == 0)
            err = take_delay(p, &fault->delay_ns);
    }
    return err;
}

/* A fault of nothing is none. */
static bool has_effect(const struct fault *fault)
{
    if (fault->kind == FAULT_DELAY || fault->kind == FAULT_REORDER)
        return fault->share > 0 && (fault->delay_ns > 0 || fault->jitter_ns > 0);
    return fault->share > 0;
}

static int parse_fault(struct parser *p, enum fault_kind kind)
{
    struct command *c = p->c;
    int err = 0;

    c->fault.kind = kind;
    c->verb = COMMAND_END;
    if (!take(p, "off")) {
        err = take_extent(p);
        c->verb = has_effect(&c->fault) ? COMMAND_BEGIN : COMMAND_END;
    }
    return err != 0 ? err : take_place_and_filter(p);
}

static int parse_loss(struct parser *p)
{
    return parse_fault(p, FAULT_LOSS);
}

static int parse_delay(struct parser *p)
{
    return parse_fault(p, FAULT_DELAY);
}

static int parse_duplicate(struct parser *p)
{
    return parse_fault(p, FAULT_DUPLICATE);
}

static int parse_corrupt(struct parser *p)
{
    return parse_fault(p, FAULT_CORRUPT);
}

static int parse_reorder(struct parser *p)
{
    return parse_fault(p, FAULT_REORDER);
}

static int parse_clear(struct parser *p)
{
    p->c->verb = COMMAND_CLEAR;
    if (!take(p, "on"))
        return 0;
    p->c->verb = COMMAND_END;
    p->c->fault.kind = FAULT_KINDS;
    return take_place(p);
}

static int parse_cancel(struct parser *p)
{
    struct command *c = p->c;

    c->verb = COMMAND_CANCEL;
    if (take(p, "all"))
        return 0;
    if (!peek(p) || !quantity_parse_count(peek(p), &c->value) || c->value == 0)
        return refuse(p, "all, or the number of a line that waits,");
    if (!script_waits(p->f, c->value)) {
        snprintf(p->error->text, sizeof(p->error->text),
                 "no line of number %llu waits; weft fabric ctl faults lists those that do",
                 (unsigned long long)c->value);
        return WEFT_ERR_NOTFOUND;
    }
    p->next++;
    return 0;
}

static int refuse_counter(struct parser *p)
{
    const char *words[COUNTERS + 1] = {NULL};
    int err = refuse(p, "the name of a counter, such as symbol_errors,");

    for (int c = 0; c < COUNTERS; c++)
        words[c] = counter_name((enum counter)c);
    suggest_one(p, words);
    return err;
}

static int parse_counter(struct parser *p)
{
    struct command *c = p->c;
    enum counter counter = COUNTERS;
    bool set = false;
    int err = take_port(p, PORT_ANY);

    if (err != 0)
        return err;
    if (peek(p))
        counter = counter_find(peek(p), strlen(peek(p)));
    if (counter == COUNTERS)
        return refuse_counter(p);
    p->next++;
    c->number = (uint16_t)counter;
    err = choose_flag(p, "set", "add", &set);
    c->verb = set ? COMMAND_COUNTER_SET : COMMAND_COUNTER_ADD;
    return err != 0 ? err : take_count(p, UINT64_MAX, "a whole number", &c->value);
}

/* Such a trap tells of a link, or of packets that cross the port: the switch at the other end of
 * the cable can raise it. */
static int refuse_trap(struct parser *p)
{
    const struct port *peer = &p->f->ports[p->c->port];
    char name[4 * TOPO_NAME_BYTES] = "";
    struct wire_text text = {.out = name, .cap = sizeof(name)};

    if (peer->peer != FABRIC_NONE)
        peer = &p->f->ports[peer->peer];
    words_quote(&text, port_node(p->f, peer)->name);
    wire_text_end(&text);
    if (node_is_switch(port_node(p->f, peer)))
        snprintf(p->error->text, sizeof(p->error->text),
                 "trap %d is a switch's only: try trap %.80s/%d %d, of the other end of the cable",
                 p->c->number, name, peer->number, p->c->number);
    else
        snprintf(p->error->text, sizeof(p->error->text), "trap %d is a switch's only",
                 p->c->number);
    return WEFT_ERR_FORMAT;
}

static int parse_trap(struct parser *p)
{
    static const char *const words[] = {"128", "129", "130", "131", "144", "145",
                                        "256", "257", "258", "259", NULL};
    static const uint16_t numbers[] = {
        TRAP_LINK_STATE, TRAP_LINK_INTEGRITY, TRAP_BUFFER_OVERRUN, TRAP_WATCHDOG,
        TRAP_CAPABILITY, TRAP_SYSTEM_GUID,    TRAP_BAD_MKEY,       TRAP_BAD_PKEY,
        TRAP_BAD_QKEY,   TRAP_BAD_PKEY_SWITCH};
    bool is_switch;
    unsigned which;
    int err = take_port(p, PORT_ANY);

    if (err != 0)
        return err;
    is_switch = node_is_switch(&p->f->nodes[p->c->node]);
    err = choose(p, words, &which);
    if (err != 0)
        return err;
    p->c->verb = COMMAND_TRAP;
    p->c->number = numbers[which];
    if (!is_switch && (p->c->number == TRAP_LINK_STATE || p->c->number == TRAP_BAD_PKEY_SWITCH))
        return refuse_trap(p);
    return 0;
}

/* 0x and one to four hexadecimal digits. */
static bool read_key(const char *word, uint16_t *ret)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t length = strlen(word);
    unsigned value = 0;

    if (length < 3 || length > 6 || word[0] != '0' || word[1] != 'x')
        return false;
    for (const char *at = word + 2; *at != '\0'; at++) {
        const char *digit = memchr(digits, *at, sizeof(digits) - 1);
        size_t place;

        if (!digit)
            return false;
        place = (size_t)(digit - digits);
        value = value << 4 | (unsigned)(place < 16 ? place : place - 6);
    }
    *ret = (uint16_t)value;
    return true;
}

/* An index of a P_Key table that is as long as the port's.
 * @param name   what it is called
 * @param whose  table
 * @param other  what could stand there instead */
static int take_index(struct parser *p, const char *name, const char *whose, const char *other,
                      uint16_t *ret)
{
    unsigned last = port_pkey_count(p->f, &p->f->ports[p->c->port]) - 1U;
    char expected[96];
    uint64_t index = 0;
    int err;

    snprintf(expected, sizeof(expected), "%s, 0 to %u of the %s's P_Key table,%s", name, last,
             whose, other);
    err = take_count(p, last, expected, &index);
    *ret = (uint16_t)index;
    return err;
}

static int parse_pkey(struct parser *p)
{
    struct command *c = p->c;
    int err = take_port(p, PORT_ANY);

    if (err == 0)
        err = take_index(p, "INDEX", "port", "", &c->number);
    if (err != 0)
        return err;
    if (!peek(p) || !read_key(peek(p), &c->key))
        return refuse(p, "a P_Key such as 0x8001");
    p->next++;
    c->verb = COMMAND_PKEY;
    return 0;
}

static int parse_vf(struct parser *p)
{
    static const char *const words[] = {"pkey", "smp", NULL};
    struct command *c = p->c;
    uint64_t function = 0;
    unsigned which = 0;
    int err = take_port_of_node(p);

    if (err != 0)
        return err;
    if (!functions_has(p->f, &p->f->ports[c->port], 1)) {
        snprintf(p->error->text, sizeof(p->error->text),
                 "the node has no virtual functions: CAs have them, in a fabric that was started "
                 "with some (--vfs)");
        return WEFT_ERR_NOTFOUND;
    }
    c->verb = COMMAND_VF;
    err = take_count(p, p->f->config.vfs, "the number of a virtual function", &function);
    if (err == 0 && function == WEFT_PKEY_PF) {
        p->next--;
        return refuse(p, "a virtual function (0, the physical one, sees the port's own table)");
    }
    c->function = (uint8_t)function;
    if (err == 0)
        err = choose(p, words, &which);
    if (err == 0 && which == 1) {
        c->verb = COMMAND_VF_SMP;
        return choose_flag(p, "on", "off", &c->on);
    }
    if (err == 0)
        err = take_index(p, "INDEX", "function", "", &c->number);
    c->key = WEFT_PKEY_UNASSIGNED;
    if (err != 0 || take(p, "none"))
        return err;
    return take_index(p, "ENTRY", "port", " or none", &c->key);
}

static int parse_name(struct parser *p)
{
    int err = take_node(p);

    if (err != 0)
        return err;
    if (!peek(p) || strlen(peek(p)) >= sizeof(p->c->name))
        return refuse(p, "a NodeDescription of at most 64 bytes");
    memcpy(p->c->name, peek(p), strlen(peek(p)) + 1);
    p->next++;
    p->c->verb = COMMAND_NAME;
    return 0;
}

static const struct {
    const char *word;
    int (*parse)(struct parser *p);
} verbs[] = {
    {"link", parse_link},       {"node", parse_node},           {"loss", parse_loss},
    {"delay", parse_delay},     {"duplicate", parse_duplicate}, {"corrupt", parse_corrupt},
    {"reorder", parse_reorder}, {"clear", parse_clear},         {"cancel", parse_cancel},
    {"sa", parse_sa},           {"counter", parse_counter},     {"trap", parse_trap},
    {"pkey", parse_pkey},       {"name", parse_name},           {"vf", parse_vf},
};

/* What a line with a time begins with. */
static const char *const starts[] = {"at", "after", "every"};

bool fabric_is_command(const char *line)
{
    size_t length;

    line += strspn(line, " \t\r");
    length = strcspn(line, " \t\r");
    for (size_t i = 0; i < LENGTH(verbs); i++)
        if (strlen(verbs[i].word) == length && memcmp(verbs[i].word, line, length) == 0)
            return true;
    for (size_t i = 0; i < LENGTH(starts); i++)
        if (strlen(starts[i]) == length && memcmp(starts[i], line, length) == 0)
            return true;
    return false;
}

static int parse_verb(struct parser *p)
{
    const char *words[LENGTH(verbs) + LENGTH(starts) + 1] = {NULL};
    size_t count = 0;
    unsigned which;
    int err;

    for (size_t i = 0; i < LENGTH(verbs); i++)
        words[count++] = verbs[i].word;
    /* A line without a time can have one: parse_start() has found none. */
    for (size_t i = 0; i < LENGTH(starts) && p->next == 0; i++)
        words[count++] = starts[i];
    err = choose(p, words, &which);
    return err != 0 ? err : verbs[which].parse(p);
}

static int parse_start(struct parser *p, struct command_time *when)
{
    static const char expected[] = "a time such as 1.5s or 2h";
    int err = 0;

    if (take(p, "at"))
        when->start = COMMAND_AT;
    else if (take(p, "after"))
        when->start = COMMAND_AFTER;
    if (when->start != COMMAND_NOW)
        err = take_time(p, COMMAND_TIME_MAX, expected, &when->offset_ns);
    if (err != 0 || !take(p, "every"))
        return err;
    if (!peek(p) || !quantity_parse_duration(peek(p), &when->every_ns) ||
        when->every_ns < COMMAND_EVERY_MIN || when->every_ns > COMMAND_TIME_MAX)
        return refuse(p, "a time of at least 1ms");
    p->next++;
    if (when->start == COMMAND_NOW) {
        when->start = COMMAND_AT;
        when->offset_ns = when->every_ns;
    }
    return 0;
}

static int parse_end(struct parser *p, struct command_time *when)
{
    if (when->every_ns != 0 && take(p, "until"))
        return take_time(p, COMMAND_TIME_MAX, "a time such as 1.5s or 2h", &when->until_ns);
    return 0;
}

int command_parse(const struct fabric *f, const char *line, size_t length, struct command *ret,
                  struct command_time *ret_when, struct fabric_error *error)
{
    struct parser p = {.f = f, .c = ret, .error = error};
    int err = words_split(line, length, &p.words, error);

    *ret = (struct command){.verb = COMMAND_NOTHING};
    *ret_when = (struct command_time){.start = COMMAND_NOW, .until_ns = WEFT_TIME_NEVER};
    if (err != 0 || p.words.count == 0)
        return err;
    err = parse_start(&p, ret_when);
    if (err == 0)
        err = parse_verb(&p);
    if (err == 0)
        err = parse_end(&p, ret_when);
    if (err == 0 && peek(&p))
        err = refuse(&p, "the line's end");
    return err;
}

int fabric_find_port(const struct fabric *f, const char *text, uint32_t *ret_node,
                     uint8_t *ret_port, struct fabric_error *error)
{
    struct command c = {.verb = COMMAND_NOTHING};
    struct parser p = {.f = f, .c = &c, .error = error};
    int err = words_split(text, strlen(text), &p.words, error);

    if (err == 0)
        err = take_port_of_node(&p);
    if (err == 0 && peek(&p))
        err = refuse(&p, "the line's end");
    if (err != 0)
        return err;
    *ret_node = c.node;
    *ret_port = f->ports[c.port].number;
    return 0;
}
