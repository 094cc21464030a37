/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft sa path`: the path between two nodes, and the links it takes by the switches' tables. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/quantity.h"
#include "cli/sa_lookup.h"
#include "cli/verb.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <weft/sa.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX 64
#define LFT_BLOCK 64
#define LFT_DROP  255
#define SWITCH    2

/* PacketLifeTime: 4.096 us * 2^code. */
#define LIFE_TIME_NS 4096

/* Components of LFTRecord: LID, block; of LinkRecord: FromLID, FromPort. */
#define BOTH_COMPONENTS 3

struct way_link {
    uint16_t from, to;
    uint8_t from_port, to_port;
};

/* What is found out on the way. */
struct way {
    struct sa_session *s;
    struct sa_lookup nodes;
    uint8_t a[WEFT_SA_RECORD_BYTES], b[WEFT_SA_RECORD_BYTES]; /* NodeRecords */
    const uint8_t *path;                                      /* PathRecord */
    struct way_link links[LINKS_MAX];
    uint32_t count;
    bool complete;
};

/* Asks one thing of which there must be one record.
 * Returns CLI_DONE; CLI_PART: there is no such record, and the message is out; CLI_FAILED. */
static int ask_one(struct way *w, const struct weft_sa_question *q, enum weft_wire_header header,
                   struct sa_answer *ret)
{
    int exit_code = sa_session_ask(w->s, q, 1, ret);

    if (exit_code != CLI_DONE)
        return exit_code;
    if (ret->result.outcome == WEFT_SA_ANSWERED &&
        (ret->result.count == 0 || ret->result.stride < weft_wire_header_bytes(header)))
        ret->result.outcome = WEFT_SA_MALFORMED;
    sa_session_explain(w->s, ret);
    return ret->result.outcome == WEFT_SA_ANSWERED ? CLI_DONE : CLI_PART;
}

/* By which port a switch sends to a LID. */
static int ask_port(struct way *w, uint16_t lid, uint16_t dlid, uint8_t *ret_port)
{
    struct weft_sa_question q = {
        .method = WEFT_METHOD_GET, .attr_id = WEFT_ATTR_SA_LFT_RECORD, .mask = BOTH_COMPONENTS};
    struct sa_answer a;
    int exit_code;

    wire_set(WIRE_LFT_RECORD_LID, q.record, lid);
    wire_set(WIRE_LFT_RECORD_BLOCK, q.record, dlid / LFT_BLOCK);
    exit_code = ask_one(w, &q, WEFT_WIRE_LFT_RECORD, &a);
    if (exit_code == CLI_DONE)
        *ret_port = a.records[wire_bytes_offset(WIRE_LFT_RECORD_PORTS) + dlid % LFT_BLOCK];
    sa_answers_clear(&a, 1);
    return exit_code;
}

static int ask_link(struct way *w, uint16_t lid, uint8_t port, struct way_link *ret)
{
    struct weft_sa_question q = {
        .method = WEFT_METHOD_GET, .attr_id = WEFT_ATTR_SA_LINK_RECORD, .mask = BOTH_COMPONENTS};
    struct sa_answer a;
    int exit_code;

    wire_set(WIRE_LINK_RECORD_FROM_LID, q.record, lid);
    wire_set(WIRE_LINK_RECORD_FROM_PORT, q.record, port);
    exit_code = ask_one(w, &q, WEFT_WIRE_LINK_RECORD, &a);
    if (exit_code == CLI_DONE)
        *ret = (struct way_link){.from = lid,
                                 .from_port = port,
                                 .to = (uint16_t)wire_get(WIRE_LINK_RECORD_TO_LID, a.records),
                                 .to_port = (uint8_t)wire_get(WIRE_LINK_RECORD_TO_PORT, a.records)};
    sa_answers_clear(&a, 1);
    return exit_code;
}

/* The port by which the way goes on from a node. */
static int next_port(struct way *w, uint16_t at, uint16_t dlid, uint8_t *ret_port)
{
    const uint8_t *record = NULL;
    char name[SA_NODE_NAME_BYTES];
    int exit_code = sa_lookup_lid(&w->nodes, at, &record);

    if (exit_code != CLI_DONE)
        return CLI_PART;
    if (record && sa_node_read(record).type != SWITCH) {
        *ret_port = sa_node_read(record).port;
        if (at == sa_node_read(w->a).lid)
            return CLI_DONE;
        message("the way ends at %s, which is no switch", sa_node_name(record, name));
        return CLI_PART;
    }
    exit_code = ask_port(w, at, dlid, ret_port);
    if (exit_code != CLI_DONE || (*ret_port != LFT_DROP && *ret_port != 0))
        return exit_code;
    message("%s drops what goes to LID %u", sa_nodes_name(&w->nodes.nodes, at, name), dlid);
    return CLI_PART;
}

static int follow(struct way *w)
{
    uint16_t dlid = (uint16_t)wire_get(WIRE_PATH_RECORD_DLID, w->path);
    uint16_t at = sa_node_read(w->a).lid, goal = sa_node_read(w->b).lid;
    uint8_t port = 0;
    int exit_code = CLI_DONE;

    while (at != goal && exit_code == CLI_DONE) {
        if (w->count == LINKS_MAX) {
            message("the way goes round in a circle, or has more than %u links", LINKS_MAX);
            return CLI_PART;
        }
        exit_code = next_port(w, at, dlid, &port);
        if (exit_code == CLI_DONE)
            exit_code = ask_link(w, at, port, &w->links[w->count]);
        if (exit_code == CLI_DONE)
            at = w->links[w->count++].to;
    }
    w->complete = exit_code == CLI_DONE;
    return exit_code;
}

static const char *rate_text(uint64_t code, char ret[32])
{
    uint32_t tenths = sa_rate_tenths(code);

    if (tenths == 0)
        (void)snprintf(ret, 32, "of code %u", (unsigned)code);
    else if (tenths % 10 != 0)
        (void)snprintf(ret, 32, "%u.%u Gb/s", tenths / 10, tenths % 10);
    else
        (void)snprintf(ret, 32, "%u Gb/s", tenths / 10);
    return ret;
}

static void print_path(const uint8_t *path)
{
    unsigned pkey = (unsigned)wire_get(WIRE_PATH_RECORD_PKEY, path);
    uint64_t life = wire_get(WIRE_PATH_RECORD_LIFE_TIME, path);
    char rate[32], took[QUANTITY_TEXT_BYTES];

    quantity_print_duration((weft_time)LIFE_TIME_NS << (life < 32 ? life : 32), took);
    printf("  LIDs       %u to %u\n", (unsigned)wire_get(WIRE_PATH_RECORD_SLID, path),
           (unsigned)wire_get(WIRE_PATH_RECORD_DLID, path));
    printf("  rate       %s\n", rate_text(wire_get(WIRE_PATH_RECORD_RATE, path), rate));
    printf("  MTU        %u bytes\n", sa_mtu_bytes(wire_get(WIRE_PATH_RECORD_MTU, path)));
    printf("  SL         %u\n", (unsigned)wire_get(WIRE_PATH_RECORD_SL, path));
    printf("  P_Key      0x%04x, %s member\n", pkey, pkey & 0x8000 ? "full" : "limited");
    printf("  life time  %s\n", took);
    printf("  reversible %s\n", wire_get(WIRE_PATH_RECORD_REVERSIBLE, path) ? "yes" : "no");
}

static int print_text(const struct way *w)
{
    char from[SA_NODE_NAME_BYTES], to[SA_NODE_NAME_BYTES];

    printf("%s to %s\n", sa_node_name(w->a, from), sa_node_name(w->b, to));
    print_path(w->path);
    printf("  hops       %u%s\n", w->count, w->complete ? "" : ", as far as they are known");
    for (uint32_t i = 0; i < w->count; i++)
        printf("    %s port %u to %s port %u\n",
               sa_nodes_name(&w->nodes.nodes, w->links[i].from, from), w->links[i].from_port,
               sa_nodes_name(&w->nodes.nodes, w->links[i].to, to), w->links[i].to_port);
    return CLI_DONE;
}

static json_t *links_json(const struct way *w)
{
    json_t *list = json_array();
    char from[SA_NODE_NAME_BYTES], to[SA_NODE_NAME_BYTES];

    for (uint32_t i = 0; list && i < w->count; i++) {
        const struct way_link *l = &w->links[i];
        json_t *one = json_pack(
            "{s:s, s:i, s:i, s:s, s:i, s:i}", "from", sa_nodes_name(&w->nodes.nodes, l->from, from),
            "from_lid", l->from, "from_port", l->from_port, "to",
            sa_nodes_name(&w->nodes.nodes, l->to, to), "to_lid", l->to, "to_port", l->to_port);

        if (!one || json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static int print_json(const struct way *w)
{
    json_t *root = sa_session_document(w->s, "path", w->complete);
    uint32_t tenths = sa_rate_tenths(wire_get(WIRE_PATH_RECORD_RATE, w->path));
    char from[SA_NODE_NAME_BYTES], to[SA_NODE_NAME_BYTES];
    json_t *more = json_pack(
        "{s:s, s:s, s:f, s:i, s:i, s:o, s:o}", "from", sa_node_name(w->a, from), "to",
        sa_node_name(w->b, to), "gbps", tenths / 10.0, "mtu_bytes",
        (int)sa_mtu_bytes(wire_get(WIRE_PATH_RECORD_MTU, w->path)), "hops", (int)w->count, "path",
        sa_record_json(sa_kind_of(WEFT_ATTR_SA_PATH_RECORD), w->path, WEFT_SA_RECORD_BYTES),
        "links", links_json(w));

    if (!root || !more || json_object_update(root, more) != 0) {
        json_decref(root);
        root = NULL;
    }
    json_decref(more);
    return json_print(root);
}

static void gid_of(uint64_t prefix, const uint8_t *record, uint8_t ret[16])
{
    wire_set_be64(ret, prefix);
    wire_set_be64(ret + 8, sa_node_read(record).port_guid);
}

/* Asks for the path, follows it, and prints what was found. */
static int explain(struct way *w, const struct sa_request *request)
{
    uint8_t sgid[16], dgid[16];
    struct weft_sa_question q;
    struct sa_answer a;
    int exit_code, part = CLI_DONE;

    gid_of(w->s->link.is.gid_prefix, w->a, sgid);
    gid_of(w->s->link.is.gid_prefix, w->b, dgid);
    weft_sa_make_path(sgid, dgid, &q);
    exit_code = ask_one(w, &q, WEFT_WIRE_PATH_RECORD, &a);
    if (exit_code == CLI_PART && a.result.outcome == WEFT_SA_REFUSED) {
        message("there is no path from \"%s\" to \"%s\"", request->from, request->to);
        message_try("weft partitions matrix, which tells whether they share a P_Key");
    }
    if (exit_code == CLI_DONE) {
        w->path = a.records;
        part = follow(w);
        exit_code = part == CLI_FAILED ? CLI_FAILED : CLI_DONE;
        if (exit_code == CLI_DONE)
            exit_code = request->json ? print_json(w) : print_text(w);
        if (exit_code == CLI_DONE)
            exit_code = part;
    }
    sa_answers_clear(&a, 1);
    return exit_code;
}

/* Finds an end of the path. */
static int find_end(struct way *w, const char *text, uint8_t ret[WEFT_SA_RECORD_BYTES])
{
    const uint8_t *record = NULL;
    int exit_code = sa_lookup_find(&w->nodes, text, &record);

    if (exit_code == CLI_DONE)
        memcpy(ret, record, weft_wire_header_bytes(WEFT_WIRE_NODE_RECORD));
    return exit_code;
}

int sa_action_path(const struct sa_request *request)
{
    struct sa_session s = {.sa = NULL};
    struct way w = {.s = &s};
    int exit_code = sa_session_open(&s, request);

    if (exit_code == CLI_DONE && !sa_lookup_init(&w.nodes, &s))
        exit_code = CLI_FAILED;
    if (exit_code == CLI_DONE)
        exit_code = find_end(&w, request->from, w.a);
    if (exit_code == CLI_DONE)
        exit_code = find_end(&w, request->to, w.b);
    if (exit_code == CLI_DONE)
        exit_code = explain(&w, request);
    sa_lookup_clear(&w.nodes);
    sa_session_close(&s);
    return exit_code;
}
