/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where this program stands in the fabric: the environment, and short questions to the daemon. */
#include "umad/place.h"

#include "channel/message.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As NodeInfo and PortInfo have them. */
enum place_codes {
    PLACE_NODE_SWITCH = 2,
    PLACE_STATE_ACTIVE = 4,
    PLACE_PHYSICAL_LINK_UP = 5
};

static int refuse(char *text, int err, const char *why)
{
    message_put_text(text, CHANNEL_TEXT_BYTES, why);
    return err;
}

static bool parse_number(const char *text, unsigned max, uint8_t *ret)
{
    unsigned value = 0;

    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || c - text >= 3)
            return false;
        value = value * 10 + (unsigned)(*c - '0');
    }
    if (value > max)
        return false;
    *ret = (uint8_t)value;
    return true;
}

int place_read(struct place *ret, char text[CHANNEL_TEXT_BYTES])
{
    struct place p = {.socket = secure_getenv("WEFT_FABRIC"), .node = secure_getenv("WEFT_NODE")};
    const char *port = secure_getenv("WEFT_PORT");
    const char *vf = secure_getenv("WEFT_VF");

    if (!p.socket || !*p.socket)
        return refuse(text, WEFT_ERR_NOTFOUND,
                      "WEFT_FABRIC is not set: start this program by weft run, or set it to the "
                      "socket of weft fabric");
    if (!p.node || !*p.node)
        return refuse(text, WEFT_ERR_NOTFOUND,
                      "WEFT_NODE is not set: start this program by weft run, or set it to the name "
                      "or GUID of a node");
    if (port && !parse_number(port, UINT8_MAX - 1, &p.port))
        return refuse(text, WEFT_ERR_INVALID,
                      "WEFT_PORT is no port number: use 1..254 or unset it");
    if (vf && !parse_number(vf, UINT8_MAX, &p.vf))
        return refuse(text, WEFT_ERR_INVALID,
                      "WEFT_VF is no number of a virtual function: use 1..255 or unset it");
    *ret = p;
    return 0;
}

void place_complain(const char *text)
{
    static atomic_bool said;
    static const char who[] = "libibumad of weft: ";
    char line[sizeof(who) + CHANNEL_TEXT_BYTES];
    size_t length = sizeof(who) - 1, more = strnlen(text, CHANNEL_TEXT_BYTES - 1);

    if (atomic_exchange(&said, true))
        return;
    memcpy(line, who, length);
    /* names come from the environment and may hold what terminals obey */
    for (size_t i = 0; i < more; i++)
        line[length++] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0)
        return;
}

bool place_is_ca(const char *ca_name)
{
    return !ca_name || strcmp(ca_name, PLACE_CA_NAME) == 0;
}

/* Connects for questions. */
static int place_ask(uint8_t port, struct channel *ret, struct place *ret_place,
                     char text[CHANNEL_TEXT_BYTES])
{
    struct channel_wish wish = {.role = CHANNEL_ROLE_QUERY, .port = port};
    int err = place_read(ret_place, text);

    if (err)
        return err;
    wish.node = ret_place->node;
    wish.vf = ret_place->vf;
    return channel_connect_as(ret_place->socket, &wish, ret, text);
}

static int ask_ports(struct channel *c, struct place_node *n, char text[CHANNEL_TEXT_BYTES])
{
    size_t count = (size_t)(n->last - n->first) + 1;

    n->ports = calloc(count, sizeof(*n->ports));
    if (!n->ports)
        return refuse(text, WEFT_ERR_NOMEM, "there is no memory for the node's ports");
    for (unsigned i = 0; i < count; i++) {
        struct message_number query = {.head.type = MESSAGE_PORT_QUERY, .number = n->first + i};
        int err = channel_ask(c, &query, sizeof(query), MESSAGE_PORT, &n->ports[i],
                              sizeof(n->ports[i]), NULL, text);

        if (err)
            return err;
    }
    return 0;
}

/* The port that a program gets when it names none. */
static uint8_t preferred(const struct place_node *n, uint8_t named)
{
    uint8_t best = n->first;
    int best_rank = -1;

    if (named != 0)
        return named;
    for (uint8_t port = n->first;; port++) {
        const struct message_port *p = &n->ports[port - n->first];
        int rank = p->state == PLACE_STATE_ACTIVE                ? 2
                   : p->physical_state == PLACE_PHYSICAL_LINK_UP ? 1
                                                                 : 0;

        if (rank > best_rank) {
            best = port;
            best_rank = rank;
        }
        if (port == n->last)
            return best;
    }
}

static int look(struct channel *c, struct place_node *n, char text[CHANNEL_TEXT_BYTES])
{
    struct message_head query = {.type = MESSAGE_NODE_QUERY};
    int err =
        channel_ask(c, &query, sizeof(query), MESSAGE_NODE, &n->node, sizeof(n->node), NULL, text);

    if (err)
        return err;
    if (n->node.type != PLACE_NODE_SWITCH) {
        if (n->node.ports == 0)
            return refuse(text, WEFT_ERR_FORMAT, "the fabric daemon tells of a node without ports");
        n->first = 1;
        n->last = n->node.ports;
    }
    err = ask_ports(c, n, text);
    if (err)
        place_release(n);
    return err;
}

/* Whether the node has the port that the environment names. */
static int check_port(struct place_node *n, uint8_t named, char text[CHANNEL_TEXT_BYTES])
{
    if (named == 0 || (named >= n->first && named <= n->last))
        return 0;
    if (n->last == 0)
        (void)snprintf(text, CHANNEL_TEXT_BYTES,
                       "WEFT_PORT is %u, but programs on a switch have its port 0: unset it",
                       named);
    else
        (void)snprintf(
            text, CHANNEL_TEXT_BYTES,
            "WEFT_PORT is %u, but the node has ports %u..%u: use one of them or unset it", named,
            n->first, n->last);
    place_release(n);
    return WEFT_ERR_INVALID;
}

int place_look(struct place_node *ret)
{
    char text[CHANNEL_TEXT_BYTES];
    struct place_node n = {.first = 0};
    struct channel c;
    struct place p;
    int err = place_ask(0, &c, &p, text);

    if (!err) {
        err = look(&c, &n, text);
        channel_close(&c);
    }
    if (!err)
        err = check_port(&n, p.port, text);
    if (err) {
        place_complain(text);
        return err;
    }
    n.preferred = preferred(&n, p.port);
    *ret = n;
    return 0;
}

void place_release(struct place_node *n)
{
    free(n->ports);
    n->ports = NULL;
}

const struct message_port *place_port(const struct place_node *n, int number)
{
    if (number == 0)
        number = n->preferred;
    if (number < n->first || number > n->last)
        return NULL;
    return &n->ports[number - n->first];
}

int place_issm_path(int number, char *ret, size_t space)
{
    struct message_head query = {.type = MESSAGE_ISSM_PATH};
    char text[CHANNEL_TEXT_BYTES];
    struct message_text answer;
    size_t bytes = 0, length;
    struct channel c;
    struct place p;
    int err = place_ask((uint8_t)number, &c, &p, text);

    if (err) {
        place_complain(text);
        return err;
    }
    err =
        channel_ask(&c, &query, sizeof(query), MESSAGE_PATH, &answer, sizeof(answer), &bytes, text);
    channel_close(&c);
    if (err)
        return err;
    length = strnlen(answer.text, bytes - sizeof(answer.head));
    if (length >= space)
        return WEFT_ERR_FULL;
    memcpy(ret, answer.text, length);
    ret[length] = '\0';
    return 0;
}
