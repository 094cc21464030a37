/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages of clients: what each role may ask, and the answers. */
#include "host/request.h"

#include "host/client.h"
#include "host/issm.h"
#include "host/pump.h"
#include "host/query.h"

#include <string.h>

static void answer_result(struct client *c, int err, uint32_t value, const char *text)
{
    struct message_result m = {.err = err, .value = value};

    message_begin(&m, MESSAGE_RESULT);
    message_put_text(m.text, sizeof(m.text), text);
    client_answer(c, &m, sizeof(m));
}

static void answer_text(struct client *c, enum message_type type, const char *text)
{
    struct message_text *m = (void *)c->server->buffer;

    client_answer(c, m, message_make_text(m, type, text));
}

static void agent_add(struct client *c, const struct message_agent *m)
{
    struct fabric_agent want = {.qpn = m->qpn, .mgmt_class = m->mgmt_class, .version = m->version};
    const char *text = "";
    uint32_t number = 0;
    int err;

    memcpy(want.oui, m->oui, sizeof(want.oui));
    memcpy(want.methods, m->methods, sizeof(want.methods));
    err = fabric_agent_add(c->server->fabric, c->at, &want, &number);
    if (err == WEFT_ERR_CONFLICT)
        text = "a program at this port has one of the methods already: end it first";
    else if (err == WEFT_ERR_FULL)
        text = "the program has as many agents as it may: remove some";
    else if (err)
        text = "no such agent is possible: the queue pair is 0 or 1, classes 0x30 to 0x4f have an "
               "OUI";
    answer_result(c, err, number, text);
}

static void agent_remove(struct client *c, const struct message_number *m)
{
    int err = fabric_agent_remove(c->server->fabric, c->at, m->number);

    answer_result(c, err, 0, err ? "the program has no agent of this number" : "");
}

static void node_query(struct client *c)
{
    struct message_node m = {.guid = 0};
    struct fabric_node_info info;

    fabric_node(c->server->fabric, c->node, &info);
    message_begin(&m, MESSAGE_NODE);
    m.guid = info.guid;
    m.system_guid = info.system_guid;
    m.vendor = info.vendor;
    m.revision = info.revision;
    m.device = info.device;
    m.ports = info.ports;
    switch (info.type) {
    case TOPO_CA:
        m.type = 1;
        break;
    case TOPO_SWITCH:
        m.type = 2;
        break;
    case TOPO_ROUTER:
        m.type = 3;
        break;
    }
    message_put_text(m.name, sizeof(m.name), info.name);
    client_answer(c, &m, sizeof(m));
}

static void port_query(struct client *c, const struct message_number *m)
{
    struct message_port *answer = (void *)c->server->buffer;
    uint32_t number = m->number;
    struct fabric_port_info info;
    int err = WEFT_ERR_INVALID;

    if (number <= UINT8_MAX)
        err = fabric_port(c->server->fabric, c->node, (uint8_t)number, &info);
    if (err) {
        answer_result(c, err, 0, "the node has no such port for programs");
        return;
    }
    memset(answer, 0, sizeof(*answer));
    message_begin(answer, MESSAGE_PORT);
    answer->guid = info.guid;
    answer->gid_prefix = info.gid_prefix;
    answer->capability = info.capability;
    answer->lid = info.lid;
    answer->sm_lid = info.sm_lid;
    answer->rate_gbps = info.rate_gbps;
    answer->lmc = info.lmc;
    answer->sm_sl = info.sm_sl;
    answer->state = info.state;
    answer->physical_state = info.physical_state;
    answer->width = info.width;
    answer->speed = info.speed;
    answer->speed_ext = info.speed_ext;
    answer->number = (uint8_t)number;
    answer->reregisters = info.reregisters;
    answer->pkey_count = info.pkeys < CHANNEL_PKEYS_MAX ? info.pkeys : CHANNEL_PKEYS_MAX;
    if (fabric_function_pkeys(c->server->fabric, c->node, (uint8_t)number, c->function, 0,
                              answer->pkeys, answer->pkey_count) != 0)
        (void)fabric_port_pkeys(c->server->fabric, c->node, (uint8_t)number, 0, answer->pkeys,
                                answer->pkey_count);
    client_answer(c, answer, sizeof(*answer));
}

static void issm_query(struct client *c)
{
    char path[CHANNEL_PATH_BYTES];
    struct fabric_error error = {""};
    int err = issm_path(c->server->issm, c->node, c->port, path, &error);

    if (err)
        answer_result(c, err, 0, error.text);
    else
        answer_text(c, MESSAGE_PATH, path);
}

static void command(struct client *c, const struct message_text *m, size_t bytes)
{
    struct message_text *answer = (void *)c->server->buffer;
    size_t space = bytes - sizeof(m->head);
    /* The answer is made where the command stands. */
    char line[4096];
    struct fabric_error error = {""};
    int err;

    if (space == 0 || !message_text_ended(m->text, space)) {
        client_throw(c, WEFT_ERR_FORMAT, "the text in COMMAND is not ended by a zero");
        return;
    }
    if (strlen(m->text) >= sizeof(line)) {
        answer_result(c, WEFT_ERR_FORMAT, 0, "the command is too long");
        return;
    }
    (void)snprintf(line, sizeof(line), "%s", m->text);
    err = query_answer(c->server, line, answer, &error);
    if (err)
        answer_result(c, err, 0, error.text);
    else
        client_answer(c, answer, sizeof(answer->head) + strlen(answer->text) + 1);
}

static void packet(struct client *c, const struct message_packet *m)
{
    struct server *s = c->server;
    struct packet p = m->packet;
    int err = fabric_send(s->fabric, s->now, c->at, &p);

    c->packets_in++;
    s->stats.packets_in++;
    if (err)
        client_throw(
            c, err,
            "packet %llu cannot be sent: the upper half of its transaction id is not of the "
            "range in WELCOME",
            (unsigned long long)c->packets_in);
    pump_deliver(s);
}

/* Which roles may send a message. */
static bool request_allowed(const struct client *c, uint16_t type)
{
    bool port = c->role == CHANNEL_ROLE_RINGS || c->role == CHANNEL_ROLE_SOCKET;

    switch (type) {
    case MESSAGE_HELLO:
        return !c->greeted;
    case MESSAGE_AGENT_ADD:
    case MESSAGE_AGENT_REMOVE:
    case MESSAGE_ISSM:
        return c->greeted && port;
    case MESSAGE_NODE_QUERY:
    case MESSAGE_PORT_QUERY:
    case MESSAGE_ISSM_PATH:
        return c->greeted && (port || c->role == CHANNEL_ROLE_QUERY);
    case MESSAGE_COMMAND:
        return c->greeted && c->role == CHANNEL_ROLE_CONTROL;
    case MESSAGE_PACKET:
        return c->greeted && c->role == CHANNEL_ROLE_SOCKET;
    default:
        return false;
    }
}

/* Whether a message is one that this client may send now; if not it is thrown out. */
static bool request_checked(struct client *c, const void *message, size_t bytes)
{
    const struct message_head *head = message;

    if (bytes < sizeof(*head) || head->magic != CHANNEL_MAGIC)
        client_throw(c, WEFT_ERR_FORMAT, "this is no message of weft's fabric protocol");
    else if (head->version != CHANNEL_VERSION)
        client_throw(c, WEFT_ERR_FORMAT,
                     "the fabric daemon speaks version %u of the protocol, the program version %u: "
                     "take both from one installation of weft",
                     CHANNEL_VERSION, head->version);
    else if (!request_allowed(c, head->type))
        client_throw(c, WEFT_ERR_STATE,
                     c->greeted ? "a message of type %u is not for this role"
                                : "a message of type %u came before HELLO",
                     head->type);
    else if (head->type != MESSAGE_COMMAND && bytes != message_bytes(head->type))
        client_throw(c, WEFT_ERR_FORMAT, "a message of type %u has %zu bytes, not %zu", head->type,
                     message_bytes(head->type), bytes);
    else
        return true;
    return false;
}

void request_handle(struct client *c, const void *message, size_t bytes)
{
    const struct message_number *number = message;
    int err;

    if (!request_checked(c, message, bytes))
        return;
    switch (((const struct message_head *)message)->type) {
    case MESSAGE_HELLO:
        client_greet(c, message);
        break;
    case MESSAGE_AGENT_ADD:
        agent_add(c, message);
        break;
    case MESSAGE_AGENT_REMOVE:
        agent_remove(c, message);
        break;
    case MESSAGE_NODE_QUERY:
        node_query(c);
        break;
    case MESSAGE_PORT_QUERY:
        port_query(c, message);
        break;
    case MESSAGE_ISSM_PATH:
        issm_query(c);
        break;
    case MESSAGE_ISSM:
        err = fabric_set_issm(c->server->fabric, c->server->now, c->at, number->number != 0);
        answer_result(c, err, 0, err ? weft_strerror(err) : "");
        break;
    case MESSAGE_COMMAND:
        command(c, message, bytes);
        break;
    case MESSAGE_PACKET:
        packet(c, message);
        break;
    default:
        WEFT_ASSERT(false);
    }
    /* What the call has brought about, such as a trap, goes out at once. */
    pump_deliver(c->server);
}
