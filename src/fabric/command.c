/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parsing of commands: one function for each first word. */
#include "core/base/quantity.h"
#include "fabric/counters.h"
#include "fabric/functions.h"
#include "fabric/lie.h"
#include "fabric/parser.h"
#include "fabric/plug.h"
#include "fabric/pma.h"
#include "fabric/script.h"
#include "fabric/trap.h"

#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* LinkWidthEnabled of all widths, LinkSpeedEnabled and LinkSpeedExtEnabled of all speeds. */
#define WIDTHS_ALL     0x1F
#define SPEEDS_ALL     0x0F
#define SPEEDS_EXT_ALL 0x0F

/* Masks of what a cable with so many lanes, or of such a speed, can still do. */
static int take_width(struct parser *p)
{
    static const char *const words[] = {"1x", "2x", "4x", "8x", "12x", NULL};
    static const uint8_t masks[] = {0x01, 0x11, 0x13, 0x17, 0x1F};
    unsigned which;
    int err = parser_choose(p, words, &which);

    if (err == 0)
        p->c->width = masks[which];
    return err;
}

static int take_speed(struct parser *p)
{
    static const char *const words[] = {"SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR", NULL};
    static const uint8_t masks[][2] = {{1, 0}, {3, 0}, {7, 0}, {15, 1}, {15, 3}, {15, 7}, {15, 15}};
    unsigned which;
    int err = parser_choose(p, words, &which);

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
    int err = parser_take_port(p, PORT_CABLED);

    if (err == 0)
        err = parser_choose(p, words, &which);
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
    if (err == 0 && (which == 3 || parser_take(p, "speed")))
        err = take_speed(p);
    return err;
}

static int parse_cable(struct parser *p)
{
    static const char *const words[] = {"add", "move", "remove", NULL};
    static const enum command_verb verbs[] = {COMMAND_CABLE_ADD, COMMAND_CABLE_MOVE,
                                              COMMAND_CABLE_REMOVE};
    struct command *c = p->c;
    unsigned which = 0;
    uint32_t from;
    int err = parser_take_port(p, PORT_PLUG);

    if (err == 0)
        err = parser_choose(p, words, &which);
    if (err != 0)
        return err;
    c->verb = verbs[which];
    from = c->port;
    if (c->verb != COMMAND_CABLE_REMOVE) {
        err = parser_take_port(p, PORT_PLUG);
        c->other = c->port;
        c->port = from;
    }
    if (err != 0 || p->moves)
        return err;
    return plug_check(p->f, c, p->error);
}

static int parse_node(struct parser *p)
{
    int err = parser_take_node(p);

    p->c->verb = COMMAND_DIE;
    return err != 0 ? err : parser_choose_flag(p, "dead", "alive", &p->c->on);
}

static int parse_sa(struct parser *p)
{
    int err = parser_take_node(p);

    p->c->verb = COMMAND_SA_BUSY;
    return err != 0 ? err : parser_choose_flag(p, "busy", "ok", &p->c->on);
}

/* Where: behind "on". */
static int take_place(struct parser *p)
{
    static const char *const words[] = {"link", "node", "agent", "transit", "all", NULL};
    static const enum fault_place places[] = {FAULT_ON_PORT, FAULT_ON_NODE, FAULT_ON_AGENT,
                                              FAULT_ON_TRANSIT, FAULT_ON_ALL};
    struct command *c = p->c;
    unsigned which;
    int err = parser_choose(p, words, &which);

    if (err != 0)
        return err;
    c->fault.place = places[which];
    if (c->fault.place == FAULT_ON_NODE || c->fault.place == FAULT_ON_AGENT) {
        err = parser_take_node(p);
        c->fault.where = c->node;
    } else if (c->fault.place == FAULT_ON_PORT) {
        err = parser_take_port(p, PORT_CABLED);
        c->fault.where = c->port;
        c->out = err == 0 && parser_take(p, "out");
        c->in = err == 0 && !c->out && parser_take(p, "in");
        if (!c->out && !c->in)
            c->out = c->in = true;
    }
    return err;
}

static int take_place_and_filter(struct parser *p)
{
    int err = parser_want(p, "on");

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
    if (parser_take(p, "requests"))
        p->c->fault.filter = FAULT_REQUESTS;
    else if (parser_take(p, "replies"))
        p->c->fault.filter = FAULT_REPLIES;
    return 0;
}

static int take_delay(struct parser *p, weft_time *ret)
{
    return parser_take_time(p, FAULT_TIME_MAX, "a time of at most 1h, such as 5ms,", ret);
}

/* What a fault of its kind needs to be said. */
static int take_extent(struct parser *p)
{
    struct fault *fault = &p->c->fault;
    int err;

    if (fault->kind == FAULT_DELAY) {
        fault->share = FAULT_SHARE_ALL;
        err = take_delay(p, &fault->delay_ns);
        return err == 0 && parser_take(p, "jitter") ? take_delay(p, &fault->jitter_ns) : err;
    }
    err = parser_take_share(p, &fault->share);
    if (err == 0 && fault->kind == FAULT_REORDER) {
        err = parser_want(p, "by");
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
    if (!parser_take(p, "off")) {
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
    if (!parser_take(p, "on"))
        return 0;
    p->c->verb = COMMAND_END;
    p->c->fault.kind = FAULT_KINDS;
    return take_place(p);
}

static int parse_cancel(struct parser *p)
{
    struct command *c = p->c;

    c->verb = COMMAND_CANCEL;
    if (parser_take(p, "all"))
        return 0;
    if (!parser_peek(p) || !quantity_parse_count(parser_peek(p), &c->value) || c->value == 0)
        return parser_refuse(p, "all, or the number of a line that waits,");
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
    int err = parser_refuse(p, "the name of a counter, such as symbol_errors,");

    for (int c = 0; c < COUNTERS; c++)
        words[c] = counter_name((enum counter)c);
    parser_suggest_one(p, words);
    return err;
}

static int parse_counter(struct parser *p)
{
    struct command *c = p->c;
    enum counter counter = COUNTERS;
    bool set = false;
    int err = parser_take_port(p, PORT_ANY);

    if (err != 0)
        return err;
    if (parser_peek(p))
        counter = counter_find(parser_peek(p), strlen(parser_peek(p)));
    if (counter == COUNTERS)
        return refuse_counter(p);
    p->next++;
    c->number = (uint16_t)counter;
    err = parser_choose_flag(p, "set", "add", &set);
    c->verb = set ? COMMAND_COUNTER_SET : COMMAND_COUNTER_ADD;
    return err != 0 ? err : parser_take_count(p, UINT64_MAX, "a whole number", &c->value);
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
    int err = parser_take_port(p, PORT_ANY);

    if (err != 0)
        return err;
    is_switch = node_is_switch(&p->f->nodes[p->c->node]);
    err = parser_choose(p, words, &which);
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
    err = parser_take_count(p, last, expected, &index);
    *ret = (uint16_t)index;
    return err;
}

static int parse_pkey(struct parser *p)
{
    struct command *c = p->c;
    int err = parser_take_port(p, PORT_ANY);

    if (err == 0)
        err = take_index(p, "INDEX", "port", "", &c->number);
    if (err != 0)
        return err;
    if (!parser_peek(p) || !read_key(parser_peek(p), &c->key))
        return parser_refuse(p, "a P_Key such as 0x8001");
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
    int err = parser_take_port_of_node(p);

    if (err != 0)
        return err;
    if (!functions_has(p->f, &p->f->ports[c->port], 1)) {
        snprintf(p->error->text, sizeof(p->error->text),
                 "the node has no virtual functions: CAs have them, in a fabric that was started "
                 "with some (--vfs)");
        return WEFT_ERR_NOTFOUND;
    }
    c->verb = COMMAND_VF;
    err = parser_take_count(p, p->f->config.vfs, "the number of a virtual function", &function);
    if (err == 0 && function == WEFT_PKEY_PF) {
        p->next--;
        return parser_refuse(p,
                             "a virtual function (0, the physical one, sees the port's own table)");
    }
    c->function = (uint8_t)function;
    if (err == 0)
        err = parser_choose(p, words, &which);
    if (err == 0 && which == 1) {
        c->verb = COMMAND_VF_SMP;
        return parser_choose_flag(p, "on", "off", &c->on);
    }
    if (err == 0)
        err = take_index(p, "INDEX", "function", "", &c->number);
    c->key = WEFT_PKEY_UNASSIGNED;
    if (err != 0 || parser_take(p, "none"))
        return err;
    return take_index(p, "ENTRY", "port", " or none", &c->key);
}

static int parse_name(struct parser *p)
{
    int err = parser_take_node(p);

    if (err != 0)
        return err;
    if (!parser_peek(p) || strlen(parser_peek(p)) >= sizeof(p->c->name))
        return parser_refuse(p, "a NodeDescription of at most 64 bytes");
    memcpy(p->c->name, parser_peek(p), strlen(parser_peek(p)) + 1);
    p->next++;
    p->c->verb = COMMAND_NAME;
    return 0;
}

/* Says that a node has nothing of what only switches have. */
static int refuse_no_switch(struct parser *p, const char *what)
{
    snprintf(p->error->text, sizeof(p->error->text),
             "%s is for switches: a channel adapter or router speaks for the port it is asked by",
             what);
    return WEFT_ERR_FORMAT;
}

static int parse_pma(struct parser *p)
{
    static const char *const words[] = {"all-port-select", "extended", "mute",
                                        "restore",         "time",     NULL};
    static const char *const extended[] = {"full", "no-errors", "no-ietf", "none", NULL};
    static const uint8_t lacks[] = {0, PMA_LACKS_ERRORS, PMA_LACKS_ERRORS | PMA_LACKS_IETF,
                                    PMA_LACKS_ERRORS | PMA_LACKS_IETF | PMA_LACKS_EXTENDED};
    struct command *c = p->c;
    unsigned which = 0;
    int err = parser_take_node(p);

    if (err == 0)
        err = parser_choose(p, words, &which);
    if (err != 0)
        return err;
    c->verb = which == 4 ? COMMAND_PMA_TIME : COMMAND_PMA;
    c->number = which == 0 ? PMA_LACKS_ALL_PORTS : which == 1 ? lacks[3] : PMA_MUTE;
    c->key = c->number;
    switch (which) {
    case 0:
        if (!node_is_switch(&p->f->nodes[c->node]))
            return refuse_no_switch(p, "all-port-select");
        err = parser_choose_flag(p, "off", "on", &c->on);
        c->key = c->on ? c->number : 0;
        break;
    case 1:
        err = parser_choose(p, extended, &which);
        c->key = err == 0 ? lacks[which] : 0;
        break;
    case 3:
        c->verb = COMMAND_PMA_RESTORE;
        break;
    case 4:
        err = take_delay(p, &c->value);
        break;
    default:
        break;
    }
    return err;
}

static int parse_lie(struct parser *p)
{
    const char *words[LIES + 2] = {NULL};
    struct command *c = p->c;
    uint32_t node;
    unsigned which = 0;
    int err = parser_take_node(p);

    for (unsigned i = 0; i < LIES; i++)
        words[i] = lie_word((enum lie)i);
    words[LIES] = "off";
    if (err == 0)
        err = parser_choose(p, words, &which);
    if (err != 0)
        return err;
    c->verb = which == LIES ? COMMAND_TRUTH : COMMAND_LIE;
    c->number = (uint16_t)which;
    node = c->node;
    if (c->verb == COMMAND_LIE && lie_is_of_switches((enum lie)which) &&
        !node_is_switch(&p->f->nodes[node]))
        return refuse_no_switch(p, words[which]);
    if (c->verb == COMMAND_LIE && lie_has_model((enum lie)which))
        err = parser_take_node(p);
    c->other = c->node;
    c->node = node;
    return err;
}

static const struct {
    const char *word;
    int (*parse)(struct parser *p);
} verbs[] = {
    {"link", parse_link},
    {"node", parse_node},
    {"loss", parse_loss},
    {"delay", parse_delay},
    {"duplicate", parse_duplicate},
    {"corrupt", parse_corrupt},
    {"reorder", parse_reorder},
    {"clear", parse_clear},
    {"cancel", parse_cancel},
    {"sa", parse_sa},
    {"counter", parse_counter},
    {"trap", parse_trap},
    {"pkey", parse_pkey},
    {"name", parse_name},
    {"vf", parse_vf},
    {"cable", parse_cable},
    {"pma", parse_pma},
    {"lie", parse_lie},
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
    err = parser_choose(p, words, &which);
    return err != 0 ? err : verbs[which].parse(p);
}

static int parse_start(struct parser *p, struct command_time *when)
{
    static const char expected[] = "a time such as 1.5s or 2h";
    int err = 0;

    if (parser_take(p, "at"))
        when->start = COMMAND_AT;
    else if (parser_take(p, "after"))
        when->start = COMMAND_AFTER;
    if (when->start != COMMAND_NOW)
        err = parser_take_time(p, COMMAND_TIME_MAX, expected, &when->offset_ns);
    if (err != 0 || !parser_take(p, "every"))
        return err;
    if (!parser_peek(p) || !quantity_parse_duration(parser_peek(p), &when->every_ns) ||
        when->every_ns < COMMAND_EVERY_MIN || when->every_ns > COMMAND_TIME_MAX)
        return parser_refuse(p, "a time of at least 1ms");
    p->next++;
    if (when->start == COMMAND_NOW) {
        when->start = COMMAND_AT;
        when->offset_ns = when->every_ns;
    }
    return 0;
}

static int parse_end(struct parser *p, struct command_time *when)
{
    if (when->every_ns != 0 && parser_take(p, "until"))
        return parser_take_time(p, COMMAND_TIME_MAX, "a time such as 1.5s or 2h", &when->until_ns);
    return 0;
}

int command_parse(const struct fabric *f, const char *line, size_t length, struct command *ret,
                  struct command_time *ret_when, struct fabric_error *error)
{
    struct parser p = {.f = f, .c = ret, .error = error, .moves = script_moves_cables(f)};
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
    if (err == 0 && parser_peek(&p))
        err = parser_refuse(&p, "the line's end");
    return err;
}

int fabric_find_port(const struct fabric *f, const char *text, uint32_t *ret_node,
                     uint8_t *ret_port, struct fabric_error *error)
{
    struct command c = {.verb = COMMAND_NOTHING};
    struct parser p = {.f = f, .c = &c, .error = error};
    int err = words_split(text, strlen(text), &p.words, error);

    if (err == 0)
        err = parser_take_port_of_node(&p);
    if (err == 0 && parser_peek(&p))
        err = parser_refuse(&p, "the line's end");
    if (err != 0)
        return err;
    *ret_node = c.node;
    *ret_port = f->ports[c.port].number;
    return 0;
}
