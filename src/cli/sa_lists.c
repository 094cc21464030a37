/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft sa nodes`, links, groups and services: whole tables for people, or as JSON. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/printable.h"
#include "cli/sa_nodes.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "core/wire/field.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A query: its table, and names of nodes where it shows some. */
struct list {
    const char *query;
    uint16_t attr_id;
    enum weft_wire_header header;
    bool named;
    const struct table_column *columns;
    void (*row)(struct table *t, const struct sa_nodes *nodes, const uint8_t *record);
};

static const char *gid_text(enum wire_field_id field, const uint8_t *record,
                            char ret[INET6_ADDRSTRLEN])
{
    return inet_ntop(AF_INET6, record + wire_bytes_offset(field), ret, INET6_ADDRSTRLEN);
}

static void node_row(struct table *t, const struct sa_nodes *nodes, const uint8_t *record)
{
    struct sa_node node = sa_node_read(record);
    char name[SA_NODE_NAME_BYTES];

    (void)nodes;
    table_row(t);
    table_cell(t, "%u", node.lid);
    table_cell(t, "0x%016" PRIx64, node.port_guid);
    table_cell(t, "%s", sa_node_type_word(node.type));
    table_cell(t, "%u", node.ports);
    table_cell(t, "%u", node.port);
    table_cell(t, "%s", sa_node_name(record, name));
}

/* Both directions of a link are records; the one from the smaller LID and port is shown. */
static void link_row(struct table *t, const struct sa_nodes *nodes, const uint8_t *record)
{
    uint16_t from = (uint16_t)wire_get(WIRE_LINK_RECORD_FROM_LID, record);
    uint16_t to = (uint16_t)wire_get(WIRE_LINK_RECORD_TO_LID, record);
    unsigned from_port = (unsigned)wire_get(WIRE_LINK_RECORD_FROM_PORT, record);
    unsigned to_port = (unsigned)wire_get(WIRE_LINK_RECORD_TO_PORT, record);
    char name[SA_NODE_NAME_BYTES];

    if (from > to || (from == to && from_port > to_port))
        return;
    table_row(t);
    table_cell(t, "%s", sa_nodes_name(nodes, from, name));
    table_cell(t, "%u", from_port);
    table_cell(t, "%s", sa_nodes_name(nodes, to, name));
    table_cell(t, "%u", to_port);
}

static void rate_cell(struct table *t, uint64_t code)
{
    uint32_t tenths = sa_rate_tenths(code);

    if (tenths == 0)
        table_cell(t, "code %u", (unsigned)code);
    else
        table_cell(t, tenths % 10 != 0 ? "%u.%u" : "%u", tenths / 10, tenths % 10);
}

static void group_row(struct table *t, const struct sa_nodes *nodes, const uint8_t *record)
{
    char gid[INET6_ADDRSTRLEN];

    (void)nodes;
    table_row(t);
    table_cell(t, "%s", gid_text(WIRE_MC_MEMBER_RECORD_MGID, record, gid));
    table_cell(t, "0x%04x", (unsigned)wire_get(WIRE_MC_MEMBER_RECORD_MLID, record));
    table_cell(t, "0x%04x", (unsigned)wire_get(WIRE_MC_MEMBER_RECORD_PKEY, record));
    table_cell(t, "%u", sa_mtu_bytes(wire_get(WIRE_MC_MEMBER_RECORD_MTU, record)));
    rate_cell(t, wire_get(WIRE_MC_MEMBER_RECORD_RATE, record));
    table_cell(t, "%u", (unsigned)wire_get(WIRE_MC_MEMBER_RECORD_SL, record));
    table_cell(t, "%s", gid_text(WIRE_MC_MEMBER_RECORD_PORT_GID, record, gid));
}

static void service_row(struct table *t, const struct sa_nodes *nodes, const uint8_t *record)
{
    uint32_t lease = (uint32_t)wire_get(WIRE_SERVICE_RECORD_LEASE_S, record);
    char gid[INET6_ADDRSTRLEN];
    char name[65], shown[SA_NODE_NAME_BYTES];

    (void)nodes;
    memcpy(name, record + wire_bytes_offset(WIRE_SERVICE_RECORD_NAME), 64);
    name[64] = '\0';
    table_row(t);
    table_cell(t, "0x%016" PRIx64, wire_get(WIRE_SERVICE_RECORD_SERVICE_ID, record));
    table_cell(t, "%s", gid_text(WIRE_SERVICE_RECORD_SERVICE_GID, record, gid));
    table_cell(t, "0x%04x", (unsigned)wire_get(WIRE_SERVICE_RECORD_PKEY, record));
    if (lease == UINT32_MAX)
        table_cell(t, "for ever");
    else
        table_cell(t, "%u s", lease);
    table_cell(t, "%s", printable(name, shown, sizeof(shown)));
}

static const struct table_column node_columns[] = {
    {"LID", true},  {"Port GUID", false}, {"Type", false}, {"Ports", true},
    {"Port", true}, {"Name", false},      {NULL, false}};
static const struct table_column link_columns[] = {
    {"From", false}, {"Port", true}, {"To", false}, {"Port", true}, {NULL, false}};
static const struct table_column group_columns[] = {
    {"MGID", false}, {"MLID", false}, {"P_Key", false},    {"MTU", true},
    {"Gb/s", true},  {"SL", true},    {"Port GID", false}, {NULL, false}};
static const struct table_column service_columns[] = {{"Service ID", false}, {"GID", false},
                                                      {"P_Key", false},      {"Lease", true},
                                                      {"Name", false},       {NULL, false}};

static const struct list nodes_list = {.query = "nodes",
                                       .attr_id = WEFT_ATTR_SA_NODE_RECORD,
                                       .header = WEFT_WIRE_NODE_RECORD,
                                       .columns = node_columns,
                                       .row = node_row};
static const struct list links_list = {.query = "links",
                                       .attr_id = WEFT_ATTR_SA_LINK_RECORD,
                                       .header = WEFT_WIRE_LINK_RECORD,
                                       .named = true,
                                       .columns = link_columns,
                                       .row = link_row};
static const struct list groups_list = {.query = "groups",
                                        .attr_id = WEFT_ATTR_SA_MC_MEMBER_RECORD,
                                        .header = WEFT_WIRE_MC_MEMBER_RECORD,
                                        .columns = group_columns,
                                        .row = group_row};
static const struct list services_list = {.query = "services",
                                          .attr_id = WEFT_ATTR_SA_SERVICE_RECORD,
                                          .header = WEFT_WIRE_SERVICE_RECORD,
                                          .columns = service_columns,
                                          .row = service_row};

static int print_text(const struct list *l, const struct sa_answer *answer,
                      const struct sa_nodes *nodes)
{
    struct table *t = table_new(l->columns);
    int exit_code;

    if (!t)
        return message_failed("there is no memory for the table");
    for (uint32_t i = 0; i < answer->result.count; i++)
        l->row(t, nodes, sa_answer_record(answer, i));
    exit_code = table_print(t);
    (void)table_free(t);
    return exit_code;
}

static int print_json(const struct sa_session *s, const struct list *l,
                      const struct sa_answer *answers, bool complete)
{
    json_t *root = sa_session_document(s, l->query, complete);
    bool good = root && json_object_set_new(root, "records", sa_records_json(&answers[0])) == 0;

    if (good && l->named)
        good = json_object_set_new(root, "nodes", sa_records_json(&answers[1])) == 0;
    if (!good) {
        json_decref(root);
        root = NULL;
    }
    return json_print(root);
}

/* Prints what has come. */
static int print(const struct sa_session *s, const struct sa_request *request, const struct list *l,
                 const struct sa_answer *answers, bool complete)
{
    struct sa_nodes nodes;
    int exit_code = CLI_FAILED;

    if (request->json)
        return print_json(s, l, answers, complete);
    /* An empty table has no heading either: silence would leave open whether it was asked. */
    if (answers[0].result.count == 0)
        message("the SA shows no %s%s",
                l == &groups_list && request->sm_key != 0 ? "members of " : "", l->query);
    if (sa_nodes_init(&nodes, &answers[l->named]))
        exit_code = print_text(l, &answers[0], &nodes);
    sa_nodes_clear(&nodes);
    return exit_code;
}

/* A table of another record than was asked for has no fields to be shown. */
static bool is_usable(const struct list *l, const struct sa_answer *a)
{
    return a->result.outcome == WEFT_SA_ANSWERED &&
           (a->result.count == 0 || a->result.stride >= weft_wire_header_bytes(l->header));
}

static int show(struct sa_session *s, const struct sa_request *request, const struct list *l)
{
    const struct weft_sa_question questions[] = {sa_session_all(l->attr_id, 0),
                                                 sa_session_all(WEFT_ATTR_SA_NODE_RECORD, 1)};
    struct sa_answer answers[2];
    size_t count = l->named ? 2 : 1;
    int exit_code = sa_session_ask(s, questions, count, answers);
    bool complete = exit_code == CLI_DONE;

    for (size_t i = 0; exit_code == CLI_DONE && i < count; i++) {
        sa_session_explain(s, &answers[i]);
        complete = complete && answers[i].result.outcome == WEFT_SA_ANSWERED;
    }
    if (exit_code == CLI_DONE && answers[0].result.outcome == WEFT_SA_ANSWERED &&
        !is_usable(l, &answers[0]))
        exit_code = message_failed("the SA sends records of %u bytes, which are too short",
                                   answers[0].result.stride);
    else if (exit_code == CLI_DONE && answers[0].result.outcome != WEFT_SA_ANSWERED)
        exit_code = CLI_FAILED;
    if (exit_code == CLI_DONE)
        exit_code = print(s, request, l, answers, complete);
    sa_answers_clear(answers, count);
    return exit_code == CLI_DONE && !complete ? CLI_PART : exit_code;
}

static int run(const struct sa_request *request, const struct list *l)
{
    struct sa_session s = {.sa = NULL};
    int exit_code = sa_session_open(&s, request);

    if (exit_code == CLI_DONE)
        exit_code = show(&s, request, l);
    sa_session_close(&s);
    return exit_code;
}

int sa_action_nodes(const struct sa_request *request)
{
    return run(request, &nodes_list);
}

int sa_action_links(const struct sa_request *request)
{
    return run(request, &links_list);
}

int sa_action_groups(const struct sa_request *request)
{
    return run(request, &groups_list);
}

int sa_action_services(const struct sa_request *request)
{
    return run(request, &services_list);
}
