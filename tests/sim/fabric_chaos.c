/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Steps of chance on a small fabric, and what must hold between them. */
#include "fabric_chaos.h"

#include "core/wire/mad_header.h"
#include "pages/pages.h"
#include "topology/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROGRAMS = 6,
    DIRECTED_AT = 32, /* DrSLID of an SMP */
    INITIAL_PATH_AT = 128,
    PORT_BYTES = 24, /* a port's name, as a GUID and a number */
    REST_TURNS_MAX = 200000
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const topologies[] = {"fat-tree:hosts=4,radix=4", "fat-tree:hosts=16,radix=4",
                                         "torus:x=3,y=3,z=2,hosts=1", "dragonfly:a=2,p=1,h=1,g=3"};

/* A command: words, a node or one of its ports, more words. */
struct command {
    const char *before;
    enum {
        NO_PLACE,
        NODE,
        PORT,
        TWO_PORTS /* with a word between them that moves a cable, or adds one */
    } place;
    const char *after;
};

static const struct command commands[] = {
    {"node ", NODE, " dead"},
    {"node ", NODE, " alive"},
    {"link ", PORT, " down"},
    {"link ", PORT, " up"},
    {"loss 20% on node ", NODE, ""},
    {"loss 10% on all replies", NO_PLACE, ""},
    {"delay 3us jitter 2us on node ", NODE, ""},
    {"duplicate 30% on node ", NODE, ""},
    {"corrupt 10% on transit", NO_PLACE, ""},
    {"reorder 20% by 5us on all", NO_PLACE, ""},
    {"sa ", NODE, " busy"},
    {"sa ", NODE, " ok"},
    {"trap ", PORT, " 256"},
    {"pkey ", PORT, " 0 0x8001"},
    {"vf ", PORT, " 1 pkey 0 none"},
    {"vf ", PORT, " 1 pkey 0 0"},
    {"vf ", PORT, " 2 pkey 1 0"},
    {"vf ", PORT, " 1 smp on"},
    {"vf ", PORT, " 1 smp off"},
    {"counter ", PORT, " xmit_discards add 3"},
    {"after 40us node ", NODE, " dead"},
    {"after 90us node ", NODE, " alive"},
    {"cable ", PORT, " remove"},
    {"cable ", TWO_PORTS, ""},
    {"cable ", TWO_PORTS, ""},
    {"after 40us cable ", TWO_PORTS, ""},
    {"pma ", NODE, " extended none"},
    {"pma ", NODE, " mute"},
    {"pma ", NODE, " time 5us"},
    {"pma ", NODE, " restore"},
    {"lie ", NODE, " new-guids"},
    {"lie ", NODE, " node-description"},
    {"lie ", NODE, " off"},
    {"clear", NO_PLACE, ""},
};

struct program {
    bool here;
    struct fabric_attachment id;
    struct fabric_tids tids;
    uint32_t node;
    uint8_t port;
};

struct chaos {
    const struct chaos_source *source;
    struct topo *topo;
    struct fabric *fabric;
    struct fabric_config config;
    struct program programs[PROGRAMS];
    struct packet last; /* the last one delivered, */
    uint64_t last_to;   /* and to whom */
    weft_time now;
    uint64_t hash, sent, taken, started, ended, dropped;
    bool gentle; /* nothing that makes several packets of one */
    bool copies; /* a packet may have become several */
    bool left;   /* a program has left, perhaps with packets waiting for it */
    bool verbose;
    const char *fault;
};

static uint32_t draw(struct chaos *c, uint32_t max)
{
    return c->source->draw(c->source->ctx, max);
}

static void require(struct chaos *c, bool condition, const char *what)
{
    if (!condition && !c->fault)
        c->fault = what;
}

static void add(struct chaos *c, uint64_t value)
{
    c->hash = (c->hash ^ value) * 0x9e3779b97f4a7c15u;
    c->hash ^= c->hash >> 29;
}

static void add_packet(struct chaos *c, const struct packet *p)
{
    add(c, (uint64_t)p->slid << 48 | (uint64_t)p->dlid << 32 | p->pkey);
    add(c, (uint64_t)p->src_qpn << 32 | p->dst_qpn);
    for (size_t i = 0; i < WEFT_MAD_BYTES; i += 8)
        add(c, wire_be64(p->mad + i));
}

static void on_tap(void *ctx, const struct fabric_tap *t)
{
    struct chaos *c = ctx;

    if (t->point == FABRIC_TAP_SENT)
        c->started++;
    else
        c->ended++;
    c->dropped += t->point == FABRIC_TAP_DROPPED;
    add(c, t->now);
    add(c, (uint64_t)t->node << 16 | (uint64_t)t->port << 8 | (uint64_t)t->point);
    for (const char *r = t->reason ? t->reason : ""; *r; r++)
        add(c, (uint64_t)(unsigned char)*r);
    add_packet(c, t->packet);
    if (c->verbose)
        printf("# %" PRIu64 " %s at %u/%u%s%s: class %02x method %02x attribute %04x to %u\n",
               t->now,
               t->point == FABRIC_TAP_SENT        ? "sent"
               : t->point == FABRIC_TAP_DELIVERED ? "delivered"
                                                  : "dropped",
               t->node, t->port, t->reason ? " " : "", t->reason ? t->reason : "",
               mad_class(t->packet->mad), mad_method(t->packet->mad), mad_attr_id(t->packet->mad),
               t->packet->dlid);
}

static void random_bytes(struct chaos *c, uint8_t *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (uint8_t)draw(c, UINT8_MAX);
}

/* A LID that somebody has or may have. */
static uint16_t random_lid(struct chaos *c)
{
    static const uint16_t odd[] = {0, 0xBFFF, 0xC000, 0xC001, 0xFFFE, 0xFFFF};
    uint32_t node = draw(c, c->topo->node_count - 1);
    struct fabric_port_info port;

    if (draw(c, 15) == 0)
        return odd[draw(c, COUNT(odd) - 1)];
    if (draw(c, 7) == 0 || (fabric_port(c->fabric, node, 0, &port) != 0 &&
                            fabric_port(c->fabric, node, 1, &port) != 0))
        return (uint16_t)draw(c, c->topo->node_count + 2);
    return port.lid;
}

static void common_header(struct chaos *c, struct packet *p, uint8_t mgmt_class, uint8_t method)
{
    mad_set_base_version(p->mad, 1);
    mad_set_class(p->mad, mgmt_class);
    mad_set_class_version(p->mad, mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1);
    mad_set_method(p->mad, method);
    p->dlid = random_lid(c);
    if (!mad_class_is_smi(mgmt_class)) {
        p->src_qpn = p->dst_qpn = WEFT_QP_GSI;
        p->qkey = draw(c, 15) == 0 ? draw(c, UINT16_MAX) : WEFT_QKEY_GSI;
        p->pkey_index = draw(c, 15) == 0 ? (uint16_t)draw(c, 200) : 0;
    }
}

static void subnet_attribute(struct chaos *c, struct packet *p)
{
    static const uint16_t attributes[] = {0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16,
                                          0x17, 0x18, 0x19, 0x1B, 0x20, 0x30, 0xFF};
    static const uint8_t methods[] = {1, 1, 1, 2, 2, 5, 7, 0x81, 3};

    mad_set_method(p->mad, methods[draw(c, COUNT(methods) - 1)]);
    mad_set_attr_id(p->mad, attributes[draw(c, COUNT(attributes) - 1)]);
    mad_set_attr_mod(p->mad, draw(c, 7) == 0 ? draw(c, 0x00FFFFFF) : draw(c, 4));
    if (mad_method(p->mad) == WEFT_METHOD_SET)
        random_bytes(c, p->mad + WEFT_ATTRIBUTE_OFFSET, 64);
}

/* A way through the fabric along cables that are there, or just numbers. */
static void random_path(struct chaos *c, const struct program *from, struct packet *p)
{
    const struct topo *t = c->topo;
    uint32_t hops = draw(c, 6), at = from->node;
    bool sound = draw(c, 7) != 0;

    p->dlid = WEFT_LID_PERMISSIVE;
    memset(p->mad + DIRECTED_AT, 0xFF, 4);
    for (uint32_t hop = 1; hop <= hops; hop++) {
        const struct topo_node *n = &t->nodes[at];
        const struct topo_port *cable;

        p->mad[INITIAL_PATH_AT + hop] = (uint8_t)draw(c, 5);
        if (!sound || n->port_count == 0 || (hop > 1 && n->type != TOPO_SWITCH))
            continue;
        cable = &t->ports[n->first_port + draw(c, n->port_count - 1U)];
        if (at == from->node && n->type != TOPO_SWITCH)
            cable = &t->ports[n->first_port];
        p->mad[INITIAL_PATH_AT + hop] = cable->num;
        at = cable->peer_node;
    }
    p->mad[7] = (uint8_t)hops;
    if (sound)
        return;
    p->mad[6] = (uint8_t)draw(c, 3);
    p->mad[7] = (uint8_t)draw(c, 70);
    mad_set_status(p->mad, draw(c, 1) ? WEFT_STATUS_DIRECTION : 0);
}

static void make_directed(struct chaos *c, const struct program *from, struct packet *p)
{
    struct fabric_port_info port;

    common_header(c, p, WEFT_CLASS_SUBN_DIRECTED, WEFT_METHOD_GET);
    random_path(c, from, p);
    subnet_attribute(c, p);
    if (draw(c, 7) == 0 && fabric_port(c->fabric, from->node, from->port, &port) == 0) {
        p->dlid = random_lid(c);
        wire_set_be16(p->mad + DIRECTED_AT, port.lid);
    } else if (draw(c, 15) == 0) {
        wire_set_be16(p->mad + DIRECTED_AT + 2, random_lid(c));
    }
}

static void make_other(struct chaos *c, struct packet *p)
{
    static const uint8_t classes[] = {0x03, 0x04, 0x04, 0x05, 0x06, 0x07, 0x09, 0x21, 0x32, 0x01};
    static const uint8_t methods[] = {1, 1, 2, 3, 5, 6, 7, 0x12, 0x81, 0x92, 0x14};
    uint8_t mgmt_class = classes[draw(c, COUNT(classes) - 1)];

    common_header(c, p, mgmt_class, methods[draw(c, COUNT(methods) - 1)]);
    mad_set_attr_id(p->mad, draw(c, 1) ? WEFT_ATTR_PM_PORT_COUNTERS : (uint16_t)draw(c, 0x40));
    p->mad[65] = (uint8_t)draw(c, 5);
    if (draw(c, 3) == 0)
        random_bytes(c, p->mad + 24, 64);
    if (p->dlid >= WEFT_LID_MULTICAST_FIRST && !c->gentle && draw(c, 3) != 0) {
        p->has_grh = 1;
        p->dst_qpn = draw(c, 1) ? 0xFFFFFF : WEFT_QP_GSI;
        c->copies = true;
    }
}

/* PortInfo that was read is written back with the reader as the SM, as managers do. */
static bool make_manager(struct chaos *c, const struct program *from, struct packet *p)
{
    struct fabric_port_info port;

    if (mad_class(c->last.mad) != WEFT_CLASS_SUBN_DIRECTED || c->last_to != from->id.v ||
        mad_method(c->last.mad) != WEFT_METHOD_GET_RESP ||
        mad_attr_id(c->last.mad) != WEFT_ATTR_PORT_INFO ||
        fabric_port(c->fabric, from->node, from->port, &port) != 0)
        return false;
    *p = (struct packet){.dlid = WEFT_LID_PERMISSIVE};
    memcpy(p->mad, c->last.mad, sizeof(p->mad));
    mad_set_method(p->mad, WEFT_METHOD_SET);
    mad_set_status(p->mad, 0);
    wire_set_be16(p->mad + WEFT_ATTRIBUTE_OFFSET + 18, port.lid);
    p->mad[WEFT_ATTRIBUTE_OFFSET + 32] &= 0xF0; /* no change of states */
    p->mad[WEFT_ATTRIBUTE_OFFSET + 33] &= 0x0F;
    return true;
}

/* The answer to what came last, or the same again. */
static void make_echo(struct chaos *c, struct packet *p)
{
    *p = c->last;
    p->dlid = c->last.slid;
    p->src_qpn = c->last.dst_qpn;
    p->dst_qpn = c->last.src_qpn;
    p->reserved = 0;
    p->path_bits = 0;
    p->pkey_index = 0;
    p->qkey = WEFT_QKEY_GSI;
    memcpy(p->dgid, c->last.sgid, sizeof(p->dgid));
    if (!mad_is_response(p->mad) && draw(c, 7) != 0)
        mad_set_method(p->mad, mad_method(p->mad) | WEFT_METHOD_RESPONSE);
}

static void make_hostile(struct chaos *c, struct packet *p)
{
    random_bytes(c, (uint8_t *)p, sizeof(*p));
    if (draw(c, 3) == 0)
        return;
    p->sl &= 15;
    p->path_bits &= 127;
    p->has_grh &= 1;
    p->reserved = p->reserved2 = 0;
    p->flow_label &= 0xFFFFF;
    p->src_qpn &= 1;
    p->dst_qpn &= 1;
    p->sgid_index &= 3;
    p->pkey_index &= 1;
    p->mad[0] = 1;
    c->copies = true;
}

/* One of those that are there, or NULL. */
static struct program *pick(struct chaos *c)
{
    uint32_t first = draw(c, PROGRAMS - 1);

    for (uint32_t i = 0; i < PROGRAMS; i++) {
        if (c->programs[(first + i) % PROGRAMS].here)
            return &c->programs[(first + i) % PROGRAMS];
    }
    return NULL;
}

static void step_send(struct chaos *c)
{
    struct program *from = pick(c);
    struct packet p = {0};
    uint32_t kind = draw(c, 15);
    int err;

    if (!from)
        return;
    if (kind < 6) {
        if (draw(c, 1) || !make_manager(c, from, &p))
            make_directed(c, from, &p);
    } else if (kind < 8) {
        common_header(c, &p, WEFT_CLASS_SUBN_LID, WEFT_METHOD_GET);
        subnet_attribute(c, &p);
    } else if (kind < 13)
        make_other(c, &p);
    else if (kind < 15 || c->gentle)
        make_echo(c, &p);
    else
        make_hostile(c, &p);
    if (!mad_is_response(p.mad) && draw(c, 31) != 0)
        mad_set_tid(p.mad, (uint64_t)from->tids.first << 32 | draw(c, 0xFFFF));
    err = fabric_send(c->fabric, c->now, from->id, &p);
    require(c, err == 0 || err == WEFT_ERR_INVALID, "sending fails for another reason");
    c->sent += err == 0;
    add(c, (uint64_t)err);
}

static void attach(struct chaos *c, struct program *p)
{
    uint16_t function = (uint16_t)draw(c, c->config.vfs);
    int err;

    p->node = draw(c, c->topo->node_count - 1);
    err = fabric_attach_function(c->fabric, p->node, 0, function, &p->id, &p->port, &p->tids);
    if (err == WEFT_ERR_NOTFOUND) /* no CA */
        err = fabric_attach(c->fabric, p->node, 0, &p->id, &p->port, &p->tids);
    p->here = err == 0;
    require(c, p->here, "a program cannot attach");
}

static void step_attach(struct chaos *c)
{
    struct program *p = &c->programs[draw(c, PROGRAMS - 1)];

    if (p->here) {
        require(c, fabric_detach(c->fabric, c->now, p->id) == 0, "a program cannot leave");
        require(c, fabric_detach(c->fabric, c->now, p->id) == WEFT_ERR_STALE, "it leaves twice");
        p->here = false;
        c->left = true;
        return;
    }
    attach(c, p);
}

static void step_agent(struct chaos *c)
{
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x05, 0x07, 0x09, 0x32};
    struct fabric_agent want = {0};
    struct program *p = pick(c);
    uint32_t agent;
    int err;

    if (!p)
        return;
    want.mgmt_class = classes[draw(c, COUNT(classes) - 1)];
    want.qpn = mad_class_is_smi(want.mgmt_class) ? WEFT_QP_SMI : WEFT_QP_GSI;
    want.version = want.mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1;
    want.methods[0] = draw(c, 1) ? UINT64_C(0x160026) : UINT64_C(1) << draw(c, 31);
    err = fabric_agent_add(c->fabric, p->id, &want, &agent);
    add(c, (uint64_t)err);
    if (err == 0 && draw(c, 3) == 0)
        require(c, fabric_agent_remove(c->fabric, p->id, agent) == 0, "a claim stays");
    err = fabric_set_issm(c->fabric, c->now, p->id, draw(c, 1) != 0);
    require(c, err == 0, "IsSM cannot be set");
}

/* Writes a port at random as commands call it, in PORT_BYTES at most. */
static void random_port(struct chaos *c, char *ret)
{
    struct fabric_node_info node;

    fabric_node(c->fabric, draw(c, c->topo->node_count - 1), &node);
    snprintf(ret, PORT_BYTES, "0x%016" PRIx64 "/%u", node.guid, 1 + draw(c, node.ports - 1U));
}

static void step_command(struct chaos *c)
{
    const struct command *what = &commands[draw(c, COUNT(commands) - 1)];
    uint32_t at = draw(c, c->topo->node_count - 1);
    struct fabric_node_info node;
    struct fabric_error error = {.text = ""};
    char line[256], place[2 * PORT_BYTES + 8] = "", second[PORT_BYTES];
    int err;

    if (what->place == NODE) {
        fabric_node(c->fabric, at, &node);
        snprintf(place, sizeof(place), "0x%016" PRIx64, node.guid);
    } else if (what->place != NO_PLACE) {
        random_port(c, place);
    }
    if (what->place == TWO_PORTS) {
        random_port(c, second);
        snprintf(place + strlen(place), sizeof(place) - strlen(place), " %s %s",
                 draw(c, 2) == 0 ? "add" : "move", second);
    }
    snprintf(line, sizeof(line), "%s%s%s", what->before, place, what->after);
    if (strstr(line, "duplicate")) {
        if (c->gentle)
            return;
        c->copies = true;
    }
    if (strncmp(line, "vf ", 3) == 0 && (c->config.vfs < 2 || c->config.pkey_cap < 3))
        return;
    err = fabric_command(c->fabric, c->now, line, &error);
    if (c->verbose)
        printf("# %" PRIu64 " %s: %s\n", c->now, line, err < 0 ? error.text : "done");
    require(c,
            err == 0 || err == WEFT_ERR_FULL ||
                /* a port without a cable, a switch without functions */
                (err == WEFT_ERR_NOTFOUND && what->place >= PORT) ||
                /* a port that has one */
                (err == WEFT_ERR_CONFLICT && (c->config.vf_strict || what->place == TWO_PORTS)),
            "a command is refused");
}

static void step_poll(struct chaos *c, uint32_t most)
{
    struct fabric_delivery d;

    for (uint32_t i = 0; i < most && fabric_poll(c->fabric, &d); i++) {
        const struct program *to = NULL;

        for (uint32_t p = 0; p < PROGRAMS; p++) {
            if (c->programs[p].here && c->programs[p].id.v == d.to.v)
                to = &c->programs[p];
        }
        require(c, to != NULL, "a delivery for nobody");
        require(c, d.packet->reserved == 0 && d.packet->reserved2 == 0, "reserved bytes are set");
        require(c, mad_base_version(d.packet->mad) == 1, "a strange version is delivered");
        if (to && mad_is_response(d.packet->mad))
            require(c,
                    mad_tid(d.packet->mad) >> 32 >= to->tids.first &&
                        mad_tid(d.packet->mad) >> 32 <= to->tids.last,
                    "an answer for another program");
        c->taken++;
        c->last = *d.packet;
        c->last_to = d.to.v;
        add_packet(c, d.packet);
    }
}

static void check(struct chaos *c)
{
    struct fabric_stats s;

    fabric_stats(c->fabric, &s);
    require(c, s.sent == c->sent, "packets sent are not counted once each");
    require(c, c->started <= c->ended + s.flights, "a packet is gone without a trace");
    require(c, c->copies || c->started == c->ended + s.flights, "a packet ends twice");
    require(c,
            s.dropped_lost + s.dropped_link + s.dropped_route + s.dropped_queue + s.dropped_key +
                    s.dropped_unclaimed ==
                c->dropped,
            "drops are not counted once each");
    require(c, s.delivered >= c->taken, "more is delivered than counted");
    require(c, fabric_deadline(c->fabric) > c->now, "something due was left");
    add(c, s.hops);
}

/* Time passes: to what is due next, or a little. */
static void step_advance(struct chaos *c)
{
    weft_time due = fabric_deadline(c->fabric);
    weft_time next = c->now + draw(c, 20000);

    c->now = draw(c, 1) && due != WEFT_TIME_NEVER ? due : next;
    require(c, fabric_advance(c->fabric, c->now) == 0, "time cannot pass");
    require(c, fabric_advance(c->fabric, c->now - 1) == WEFT_ERR_CLOCK, "time can go back");
}

static void step(struct chaos *c)
{
    uint32_t kind = draw(c, 31);

    if (kind < 18)
        step_send(c);
    else if (kind < 23)
        step_advance(c);
    else if (kind < 26)
        step_poll(c, draw(c, 5));
    else if (kind < 28)
        step_attach(c);
    else if (kind < 30)
        step_agent(c);
    else
        step_command(c);
    check(c);
}

static void begin(struct chaos *c)
{
    struct topo_error topo_error;
    struct fabric_error error;

    fabric_config_init(&c->config);
    c->config.seed = draw(c, 1000);
    c->config.up = draw(c, 3) != 0;
    c->config.hop_ns = draw(c, 1) ? draw(c, 2000) : 0;
    c->config.agent_ns = draw(c, 1) ? draw(c, 3000) : 0;
    c->config.training_ns = draw(c, 1) ? draw(c, 50000) : 0;
    c->config.vl15_depth = 1 + draw(c, 3);
    c->config.gsi_depth = 1 + draw(c, 3);
    c->config.flights = 64 + draw(c, 64);
    c->config.deliveries = 64;
    c->config.attachments = PROGRAMS;
    c->config.lft_cap = 1024;
    c->config.mft_cap = 32;
    c->config.pkey_cap = (uint16_t)(1 + draw(c, 63));
    if (c->config.pkey_cap > 1 && draw(c, 1)) {
        c->config.vfs = (uint8_t)draw(c, 3);
        c->config.vf_strict = draw(c, 1) != 0;
    }
    c->gentle = draw(c, 1) != 0;
    c->now = 1;
    if (topo_generate(topologies[draw(c, COUNT(topologies) - 1)], &c->topo, &topo_error) < 0 ||
        fabric_new(&c->config, c->topo, &pages_alloc, &c->fabric, &error) < 0)
        abort();
    fabric_set_tap(c->fabric, on_tap, c);
    for (uint32_t i = 0; i < PROGRAMS / 2; i++)
        attach(c, &c->programs[i]);
}

/* Whether a fault of packets is in force; dead nodes and pulled cables are none.
 * @param ret_lines  what is in force of whatever kind */
static bool has_faults(const struct chaos *c, uint32_t *ret_lines)
{
    static const char *const kinds[] = {"loss ", "delay ", "duplicate ", "corrupt ", "reorder "};
    size_t bytes = fabric_faults_text(c->fabric, NULL, 0);
    char *text = malloc(bytes + 1);
    bool found = !text;

    if (text)
        (void)fabric_faults_text(c->fabric, text, bytes + 1);
    *ret_lines = 0;
    for (const char *line = text; line && *line != '\0'; line += strcspn(line, "\n") + 1) {
        *ret_lines += strncmp(line, "in ", 3) != 0;
        for (size_t i = 0; i < COUNT(kinds); i++)
            found = found || strncmp(line, kinds[i], strlen(kinds[i])) == 0;
    }
    free(text);
    return found;
}

/* Nothing goes wrong any more: packets come to rest. */
static void come_to_rest(struct chaos *c)
{
    struct fabric_error error;
    struct fabric_stats s;
    uint32_t lines = 0;

    require(c, fabric_command(c->fabric, c->now, "clear", &error) == 0, "faults stay");
    require(c, !has_faults(c, &lines), "faults are left");
    fabric_stats(c->fabric, &s);
    require(c, s.faults == lines, "what is in force is not counted once each");
    for (uint32_t i = 0; i < REST_TURNS_MAX && s.flights > 0 && !c->fault; i++) {
        c->now = fabric_deadline(c->fabric);
        require(c, fabric_advance(c->fabric, c->now) == 0, "time cannot pass");
        check(c);
        fabric_stats(c->fabric, &s);
    }
    require(c, s.flights == 0, "packets never come to rest");
    step_poll(c, c->config.deliveries);
    fabric_stats(c->fabric, &s);
    require(c, c->left || s.delivered == c->taken, "what was delivered is not there");
}

struct chaos_result chaos_run(const struct chaos_source *source, uint32_t steps, bool verbose)
{
    struct chaos *c = calloc(1, sizeof(*c));
    struct chaos_result r;

    if (!c)
        abort();
    c->source = source;
    c->verbose = verbose;
    c->hash = 0xcbf29ce484222325u;
    begin(c);
    for (uint32_t i = 0; i < steps && !c->fault; i++)
        step(c);
    if (!c->fault)
        come_to_rest(c);
    r = (struct chaos_result){.fault = c->fault, .hash = c->hash};
    fabric_stats(c->fabric, &r.stats);
    fabric_free(c->fabric);
    topo_free(c->topo);
    free(c);
    return r;
}
