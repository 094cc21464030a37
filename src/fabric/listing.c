/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in force and what is to come, as the commands that would do it again. */
#include "core/wire/link_rate.h"
#include "fabric/fault.h"
#include "fabric/lie.h"
#include "fabric/names.h"
#include "fabric/plug.h"
#include "fabric/pma.h"
#include "fabric/script.h"
#include "fabric/words.h"

#include <string.h>

/* The node's name where that means it and no other, else its GUID. */
static void write_node(struct wire_text *to, const struct fabric *f, uint32_t node)
{
    const struct node *n = &f->nodes[node];
    uint32_t found;

    if (names_find(f, n->name, 2, &found) == 1) {
        words_quote(to, n->name);
        return;
    }
    wire_text_string(to, "0x");
    wire_text_hex(to, n->guid, 16);
}

static void write_port(struct wire_text *to, const struct fabric *f, const struct port *p)
{
    write_node(to, f, p->node);
    wire_text_char(to, '/');
    wire_text_decimal(to, p->number);
}

/* The largest unit of which the time is a whole multiple, so that nothing is rounded. */
static void write_time(struct wire_text *to, weft_time t)
{
    static const struct {
        const char *name;
        weft_time ns;
    } units[] = {{"h", 3600 * WEFT_S}, {"min", 60 * WEFT_S}, {"s", WEFT_S},
                 {"ms", WEFT_MS},      {"us", WEFT_US},      {"ns", 1}};
    size_t i = 0;

    while (t % units[i].ns != 0)
        i++;
    wire_text_decimal(to, t / units[i].ns);
    wire_text_string(to, units[i].name);
}

/* Millionths as a percentage. */
static void write_share(struct wire_text *to, uint32_t share)
{
    uint32_t rest = share % 10000;

    wire_text_decimal(to, share / 10000);
    if (rest > 0)
        wire_text_char(to, '.');
    for (; rest > 0; rest = rest * 10 % 10000)
        wire_text_decimal(to, rest / 1000);
    wire_text_char(to, '%');
}

static void write_extent(struct wire_text *to, const struct fault *fault)
{
    static const char *const kinds[FAULT_KINDS] = {"loss ", "delay ", "duplicate ", "corrupt ",
                                                   "reorder "};

    wire_text_string(to, kinds[fault->kind]);
    if (fault->kind == FAULT_DELAY) {
        write_time(to, fault->delay_ns);
        if (fault->jitter_ns > 0) {
            wire_text_string(to, " jitter ");
            write_time(to, fault->jitter_ns);
        }
        return;
    }
    write_share(to, fault->share);
    if (fault->kind == FAULT_REORDER) {
        wire_text_string(to, " by ");
        write_time(to, fault->delay_ns);
    }
}

static void write_fault(struct wire_text *to, const struct fabric *f, const struct fault *fault)
{
    static const char *const filters[] = {"", " requests", " replies"};

    write_extent(to, fault);
    wire_text_string(to, " on ");
    switch (fault->place) {
    case FAULT_ON_PORT:
        wire_text_string(to, "link ");
        write_port(to, f, &f->ports[fault->where]);
        wire_text_string(to, " out");
        break;
    case FAULT_ON_NODE:
        wire_text_string(to, "node ");
        write_node(to, f, fault->where);
        break;
    case FAULT_ON_AGENT:
        wire_text_string(to, "agent ");
        write_node(to, f, fault->where);
        break;
    case FAULT_ON_TRANSIT:
        wire_text_string(to, "transit");
        break;
    case FAULT_ON_ALL:
        wire_text_string(to, "all");
        break;
    }
    wire_text_string(to, filters[fault->filter]);
    wire_text_char(to, '\n');
}

static void begin_line(struct wire_text *to, const struct fabric *f, const char *verb,
                       uint32_t node)
{
    wire_text_string(to, verb);
    write_node(to, f, node);
}

/* What its PMA is without, or slow. */
static void write_pma(struct wire_text *to, const struct fabric *f, uint32_t node)
{
    const struct node *n = &f->nodes[node];

    if ((n->pma_lacks & PMA_LACKS_ERRORS) != 0) {
        begin_line(to, f, "pma ", node);
        wire_text_string(to, (n->pma_lacks & PMA_LACKS_EXTENDED) != 0 ? " extended none\n"
                             : (n->pma_lacks & PMA_LACKS_IETF) != 0   ? " extended no-ietf\n"
                                                                      : " extended no-errors\n");
    }
    if ((n->pma_lacks & PMA_LACKS_ALL_PORTS) != 0) {
        begin_line(to, f, "pma ", node);
        wire_text_string(to, " all-port-select off\n");
    }
    if ((n->pma_lacks & PMA_MUTE) != 0) {
        begin_line(to, f, "pma ", node);
        wire_text_string(to, " mute\n");
    }
    if (n->pma_ns > 0) {
        begin_line(to, f, "pma ", node);
        wire_text_string(to, " time ");
        write_time(to, n->pma_ns);
        wire_text_char(to, '\n');
    }
}

static void write_lies(struct wire_text *to, const struct fabric *f, uint32_t node)
{
    const struct node *n = &f->nodes[node];

    for (unsigned l = 0; l < LIES && n->lies >> l != 0; l++) {
        if ((n->lies >> l & 1) == 0)
            continue;
        begin_line(to, f, "lie ", node);
        wire_text_char(to, ' ');
        wire_text_string(to, lie_word((enum lie)l));
        if (lie_has_model((enum lie)l))
            begin_line(to, f, " ", lie_model(n, (enum lie)l));
        wire_text_char(to, '\n');
    }
}

static void write_nodes(struct wire_text *to, const struct fabric *f)
{
    for (uint32_t i = 0; i < f->node_count; i++) {
        if (f->nodes[i].dead) {
            wire_text_string(to, "node ");
            write_node(to, f, i);
            wire_text_string(to, " dead\n");
        }
        if (f->nodes[i].sa_busy) {
            wire_text_string(to, "sa ");
            write_node(to, f, i);
            wire_text_string(to, " busy\n");
        }
        write_pma(to, f, i);
        write_lies(to, f, i);
    }
}

/* Cables that are elsewhere than when the fabric was built: first those that are away, so that the
 * ports are free for the others. */
static void write_cables(struct wire_text *to, const struct fabric *f)
{
    for (uint32_t i = 0; i < f->port_count; i++) {
        if ((plug_changes(f, &f->ports[i]) & PLUG_REMOVED) == 0)
            continue;
        wire_text_string(to, "cable ");
        write_port(to, f, &f->ports[i]);
        wire_text_string(to, " remove\n");
    }
    for (uint32_t i = 0; i < f->port_count; i++) {
        if ((plug_changes(f, &f->ports[i]) & PLUG_ADDED) == 0)
            continue;
        wire_text_string(to, "cable ");
        write_port(to, f, &f->ports[i]);
        wire_text_string(to, " add ");
        write_port(to, f, &f->ports[f->ports[i].peer]);
        wire_text_char(to, '\n');
    }
}

/* What a cable can do is a set of widths and speeds; the most of them is what was said. */
static void write_wear(struct wire_text *to, const struct port *p)
{
    wire_text_string(to, " width ");
    wire_text_decimal(to, wire_link_lanes(p->cable_width));
    wire_text_string(to, "x speed ");
    wire_text_string(to, wire_link_speed_word(wire_link_speed(p->cable_speed, p->cable_speed_ext)));
    wire_text_char(to, '\n');
}

/* A link is written once, from its end with the smaller index. */
static void write_links(struct wire_text *to, const struct fabric *f)
{
    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct port *p = &f->ports[i];

        if (p->peer == FABRIC_NONE || p->peer < i)
            continue;
        if (p->cut) {
            wire_text_string(to, "link ");
            write_port(to, f, p);
            wire_text_string(to, " down\n");
        }
        if (p->cable_width != 0) {
            wire_text_string(to, "link ");
            write_port(to, f, p);
            write_wear(to, p);
        }
    }
}

/* A line as it was given, but for bytes that a terminal should not see. */
static void write_line(struct wire_text *to, const char *text)
{
    size_t length;

    for (; *text != '\0'; text += length) {
        length = strcspn(text, "\\");
        wire_text_escaped(to, (const uint8_t *)text, length, false);
        if (text[length] == '\\') {
            wire_text_char(to, '\\');
            length++;
        }
    }
}

static void write_waiting(struct wire_text *to, const struct fabric *f,
                          const struct script_waiting *line)
{
    weft_time left_ms = (line->next - f->now) / WEFT_MS;

    wire_text_string(to, "in ");
    wire_text_decimal(to, left_ms / 1000);
    wire_text_char(to, '.');
    for (unsigned digit = 100; digit > 0; digit /= 10)
        wire_text_decimal(to, left_ms / digit % 10);
    wire_text_string(to, "s (cancel ");
    wire_text_decimal(to, line->number);
    wire_text_string(to, "): ");
    write_line(to, line->text);
    wire_text_char(to, '\n');
}

size_t fabric_faults_text(const struct fabric *f, char *text, size_t bytes)
{
    struct wire_text to = {.out = text, .cap = bytes};
    const struct fault *fault;
    struct script_waiting line;
    uint32_t pos = 0;

    write_nodes(&to, f);
    write_cables(&to, f);
    write_links(&to, f);
    for (fault = faults_next(f, &pos); fault; fault = faults_next(f, &pos))
        write_fault(&to, f, fault);
    for (pos = 0; script_next(f, &pos, &line);)
        write_waiting(&to, f, &line);
    return wire_text_end(&to);
}
