/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a topology: lines make stanzas, stanzas make nodes and port lines. Only a stanza's own
 * lines end it, so anything else may stand anywhere. */
#include "topology/builder.h"
#include "topology/findings.h"
#include "topology/line.h"
#include "topology/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Device ID of the aggregation node inside a SHARP switch. */
#define AGGREGATION_DEVICE_ID 0xcf09

struct reader {
    struct topo_scan scan;
    struct topo_builder *builder;
    uint32_t current; /* node whose port lines are being read; TOPO_NONE between stanzas */
    /* Attribute lines read, for the node line to come. */
    uint64_t attributes[TOPO_ATTRIBUTES];
    bool has[TOPO_ATTRIBUTES];
};

static void begin_stanza(struct reader *r)
{
    memset(r->attributes, 0, sizeof(r->attributes));
    memset(r->has, 0, sizeof(r->has));
    r->current = TOPO_NONE;
}

static void read_attribute(struct reader *r, const struct topo_line *line)
{
    if (r->current != TOPO_NONE || r->has[line->attribute] || line->attribute == TOPO_VENDOR_ID)
        begin_stanza(r);
    r->attributes[line->attribute] = line->value;
    r->has[line->attribute] = true;
}

static void set_name(struct topo_node *n, const struct topo_text *name)
{
    size_t length = name->length < TOPO_NAME_BYTES ? name->length : TOPO_NAME_BYTES - 1;

    if (!name->text || n->name[0] != '\0')
        return;
    memcpy(n->name, name->text, length);
    n->name[length] = '\0';
}

static void recognise_aggregation(struct topo_node *n)
{
    if (n->type == TOPO_CA &&
        (n->device_id == AGGREGATION_DEVICE_ID || strcasestr(n->name, "aggregation node")))
        n->aggregation = true;
}

/* A second stanza for a known node: it is merged, and said, whether it repeats the first or not. */
static void report_repeated(struct reader *r, const struct topo_node *n,
                            const struct topo_line *line)
{
    char label[TOPO_LABEL_BYTES];

    topo_node_label(n, label);
    topo_builder_fail(
        r->builder,
        topo_findings_add(topo_builder_findings(r->builder), r->scan.number, TOPO_DUPLICATE_GUID,
                          "%s %.*s begins a second stanza of %s; the first is in line %" PRIu32,
                          topo_type_name(line->ref.type), (int)line->ref.id_length, line->ref.id,
                          label, n->line));
}

static void take_guid_attribute(struct reader *r, uint32_t node)
{
    struct topo_node *n = topo_builder_at(r->builder, node);
    uint64_t guid = r->attributes[TOPO_NODE_GUID];
    char label[TOPO_LABEL_BYTES];
    int err = 0;

    if (guid == 0 || guid == n->guid)
        return;
    topo_node_label(n, label);
    if (n->guid != 0) {
        err =
            topo_findings_add(topo_builder_findings(r->builder), r->scan.number, TOPO_GUID_MISMATCH,
                              "%s has the GUID %016" PRIx64 " in the lines above it", label, guid);
    } else {
        uint32_t other = topo_builder_set_guid(r->builder, node, guid);

        if (other != TOPO_NONE)
            err = topo_findings_add(topo_builder_findings(r->builder), r->scan.number,
                                    TOPO_DUPLICATE_GUID,
                                    "%s has the GUID %016" PRIx64 " of the node in line %" PRIu32,
                                    label, guid, topo_builder_at(r->builder, other)->line);
    }
    topo_builder_fail(r->builder, err);
}

static void check_port_count(struct reader *r, const struct topo_node *n, uint32_t count)
{
    char label[TOPO_LABEL_BYTES];

    if (count <= TOPO_PORT_NUM_MAX)
        return;
    topo_node_label(n, label);
    topo_builder_fail(r->builder,
                      topo_findings_add(topo_builder_findings(r->builder), r->scan.number,
                                        TOPO_PORT_RANGE,
                                        "%s has %" PRIu32 " ports here; a node has at most %d",
                                        label, count, TOPO_PORT_NUM_MAX));
}

static void read_node(struct reader *r, const struct topo_line *line)
{
    uint32_t node = topo_builder_node(r->builder, &line->ref);
    struct topo_node *n;

    if (node == TOPO_NONE)
        return;
    n = topo_builder_at(r->builder, node);
    if (n->declared) {
        report_repeated(r, n, line);
    } else {
        /* What other stanzas said of it from afar gives way to its own. */
        n->line = r->scan.number;
        n->type = line->ref.type;
        n->lid = n->type == TOPO_SWITCH ? line->lid : 0;
        n->lmc = n->type == TOPO_SWITCH ? line->lmc : 0;
        n->port0 = n->type == TOPO_SWITCH ? line->port0 : TOPO_PORT0_UNKNOWN;
        n->name[0] = '\0';
        n->aggregation = false;
        topo_builder_declare(r->builder, node);
    }
    set_name(n, &line->name);
    if (n->name[0] == '\0' && n->id)
        set_name(n, &(struct topo_text){n->id, strlen(n->id)});
    if (n->num_ports == 0)
        n->num_ports = line->num < TOPO_PORT_NUM_MAX ? (uint8_t)line->num : TOPO_PORT_NUM_MAX;
    if (n->vendor_id == 0)
        n->vendor_id = (uint32_t)r->attributes[TOPO_VENDOR_ID];
    if (n->device_id == 0)
        n->device_id = (uint32_t)r->attributes[TOPO_DEVICE_ID];
    if (n->sysimg_guid == 0)
        n->sysimg_guid = r->attributes[TOPO_SYSIMG_GUID];
    recognise_aggregation(n);
    check_port_count(r, n, line->num);
    take_guid_attribute(r, node);
    begin_stanza(r);
    r->current = node;
}

static void copy_word(char *to, size_t space, const struct topo_text *from)
{
    size_t length = from->length < space ? from->length : space - 1;

    if (from->text)
        memcpy(to, from->text, length);
    to[from->text ? length : 0] = '\0';
}

/* The far end of somebody's link, as that one sees it. */
static void mention(struct reader *r, uint32_t node, const struct topo_text *name)
{
    struct topo_node *n = topo_builder_at(r->builder, node);

    if (n->declared)
        return;
    set_name(n, name);
    recognise_aggregation(n);
}

static bool port_in_range(struct reader *r, uint32_t node, uint32_t num)
{
    char label[TOPO_LABEL_BYTES];

    if (num >= 1 && num <= TOPO_PORT_NUM_MAX)
        return true;
    topo_node_label(topo_builder_at(r->builder, node), label);
    topo_builder_fail(r->builder, topo_findings_add(topo_builder_findings(r->builder),
                                                    r->scan.number, TOPO_PORT_RANGE,
                                                    "the line names port %" PRIu32
                                                    " of %s; ports with a cable are 1 to %d",
                                                    num, label, TOPO_PORT_NUM_MAX));
    return false;
}

static void read_port(struct reader *r, const struct topo_line *line)
{
    uint32_t peer = topo_builder_node(r->builder, &line->ref);
    struct topo_claim claim = {.peer_guid = line->peer_guid};
    struct topo_port *p = &claim.port;
    const struct topo_node *n;

    if (peer == TOPO_NONE)
        return;
    mention(r, peer, &line->name);
    if (!port_in_range(r, r->current, line->num) || !port_in_range(r, peer, line->peer_num))
        return;
    n = topo_builder_at(r->builder, r->current);
    p->guid = line->guid;
    p->node = r->current;
    p->peer_node = peer;
    p->line = r->scan.number;
    p->lid = n->type == TOPO_SWITCH ? 0 : line->lid;
    p->lmc = n->type == TOPO_SWITCH ? 0 : line->lmc;
    p->peer_lid = line->peer_lid;
    p->num = (uint8_t)line->num;
    p->peer_num = (uint8_t)line->peer_num;
    copy_word(p->width, sizeof(p->width), &line->width);
    copy_word(p->speed, sizeof(p->speed), &line->speed);
    topo_builder_claim(r->builder, &claim);
}

static uint32_t declare_pair_end(struct reader *r, const struct topo_pair_end *end)
{
    uint32_t node = topo_builder_node(r->builder, &end->ref);
    struct topo_node *n;

    if (node == TOPO_NONE)
        return node;
    n = topo_builder_at(r->builder, node);
    set_name(n, &end->name);
    if (!n->declared) {
        n->type = end->ref.type;
        n->line = r->scan.number;
        n->lid = n->type == TOPO_SWITCH ? end->lid : 0;
        topo_builder_declare(r->builder, node);
        recognise_aggregation(n);
    }
    return node;
}

/* `ibnetdiscover -p`: both ends are described alike, the first one is where the line was printed.
 */
static void read_pair(struct reader *r, const struct topo_line *line)
{
    const struct topo_pair_end *own = &line->ends[0];
    const struct topo_pair_end *peer = &line->ends[1];
    struct topo_claim claim = {.port.line = r->scan.number};
    struct topo_port *p = &claim.port;

    p->node = declare_pair_end(r, own);
    if (p->node == TOPO_NONE || peer->ref.guid == 0)
        return;
    p->peer_node = declare_pair_end(r, peer);
    if (p->peer_node == TOPO_NONE || !port_in_range(r, p->node, own->num) ||
        !port_in_range(r, p->peer_node, peer->num))
        return;
    if (topo_builder_at(r->builder, p->node)->type != TOPO_SWITCH) {
        p->guid = own->ref.guid;
        p->lid = own->lid;
    }
    if (topo_builder_at(r->builder, p->peer_node)->type != TOPO_SWITCH)
        claim.peer_guid = peer->ref.guid;
    p->peer_lid = peer->lid;
    p->num = (uint8_t)own->num;
    p->peer_num = (uint8_t)peer->num;
    copy_word(p->width, sizeof(p->width), &line->width);
    copy_word(p->speed, sizeof(p->speed), &line->speed);
    topo_builder_claim(r->builder, &claim);
}

/* Gives what the text was, TOPO_LINE_OTHER when nothing was made of it. */
static enum topo_line_kind read_text(struct reader *r, const char *text, size_t length)
{
    struct topo_line line;

    topo_line_parse(text, length, &line);
    switch (line.kind) {
    case TOPO_LINE_ATTRIBUTE:
        read_attribute(r, &line);
        break;
    case TOPO_LINE_NODE:
        read_node(r, &line);
        break;
    case TOPO_LINE_PORT:
        if (r->current == TOPO_NONE)
            return TOPO_LINE_OTHER;
        read_port(r, &line);
        break;
    case TOPO_LINE_CUT_NODE:
        /* The ports that follow are of a node nobody knows, not of the one before. */
        begin_stanza(r);
        return TOPO_LINE_OTHER;
    case TOPO_LINE_PAIR:
        read_pair(r, &line);
        break;
    case TOPO_LINE_BLANK:
    case TOPO_LINE_OTHER:
        break;
    }
    return line.kind;
}

/* A carriage return is a blank; but where a line means nothing as a whole, something that was
 * overwritten on a terminal may stand before it, and the parts are looked at one by one. */
static void read_line(struct reader *r)
{
    char *text = r->scan.text;
    size_t length = topo_scan_clean(text, r->scan.length);
    bool used = read_text(r, text, length) != TOPO_LINE_OTHER;
    size_t from = 0;

    if (used)
        return;
    while (from < length) {
        const char *cr = memchr(text + from, '\r', length - from);
        size_t to = cr ? (size_t)(cr - text) : length;
        enum topo_line_kind kind = TOPO_LINE_OTHER;

        if (to - from < length)
            kind = read_text(r, text + from, to - from);
        used = used || (kind != TOPO_LINE_OTHER && kind != TOPO_LINE_BLANK);
        from = to + 1;
    }
    if (!used)
        topo_builder_ignore(r->builder, r->scan.number, text, length);
}

static struct reader *reader_free(struct reader *r)
{
    if (r)
        topo_builder_free(r->builder);
    free(r);
    return NULL;
}

static struct reader *reader_new(void)
{
    struct reader *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->current = TOPO_NONE;
    r->builder = topo_builder_new();
    return r->builder ? r : reader_free(r);
}

static int explain(const struct reader *r, int err, struct topo_error *error)
{
    error->line = r->scan.number;
    if (err == WEFT_ERR_FULL)
        snprintf(error->text, sizeof(error->text),
                 "the input has more than %d nodes or %d port lines; try a part of it",
                 TOPO_NODES_MAX, TOPO_PORTS_MAX);
    else
        snprintf(error->text, sizeof(error->text), "memory ran out while the topology was read");
    return err;
}

static int reader_feed(struct reader *r, const char *bytes, size_t count, struct topo_error *error)
{
    int got;

    while ((got = topo_scan_line(&r->scan, &bytes, &count, error)) > 0) {
        read_line(r);
        if (topo_builder_error(r->builder) != 0)
            return explain(r, topo_builder_error(r->builder), error);
    }
    return got;
}

static int reader_finish(struct reader *r, struct topo **ret, struct topo_error *error)
{
    int err;

    if (topo_scan_end(&r->scan))
        read_line(r);
    if (topo_builder_error(r->builder) == 0 && topo_builder_count(r->builder) == 0) {
        error->line = r->scan.number;
        snprintf(error->text, sizeof(error->text),
                 "the input ends here and no line of it begins a node (Switch, Ca, Hca or Rt); try "
                 "what ibnetdiscover prints, or an ibsim net file");
        return WEFT_ERR_FORMAT;
    }
    err = topo_builder_finish(r->builder, ret);
    return err == 0 ? 0 : explain(r, err, error);
}

static int read_stream(FILE *in, struct reader *r, struct topo_error *error)
{
    char bytes[65536];
    size_t count;
    int err = 0;

    while (err == 0 && (count = fread(bytes, 1, sizeof(bytes), in)) > 0)
        err = reader_feed(r, bytes, count, error);
    if (err == 0 && ferror(in)) {
        error->line = 0;
        snprintf(error->text, sizeof(error->text), "the input cannot be read: %s", strerror(errno));
        err = WEFT_ERR_NOTFOUND;
    }
    return err;
}

static int no_memory(struct topo_error *error)
{
    *error = (struct topo_error){.text = "there is no memory to read a topology"};
    return WEFT_ERR_NOMEM;
}

int topo_read_file(const char *path, struct topo **ret, struct topo_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "r");
    struct reader *r;
    int err;

    if (!in) {
        error->line = 0;
        snprintf(error->text, sizeof(error->text), "the file cannot be opened: %s",
                 strerror(errno));
        return WEFT_ERR_NOTFOUND;
    }
    r = reader_new();
    err = r ? read_stream(in, r, error) : no_memory(error);
    if (err == 0)
        err = reader_finish(r, ret, error);
    reader_free(r);
    if (!standard)
        fclose(in);
    return err;
}

int topo_parse(const char *text, size_t bytes, struct topo **ret, struct topo_error *error)
{
    struct reader *r = reader_new();
    int err = r ? reader_feed(r, text, bytes, error) : no_memory(error);

    if (err == 0)
        err = reader_finish(r, ret, error);
    reader_free(r);
    return err;
}
