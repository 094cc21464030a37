/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fabric of the tests. */
#include "fabric_fixture.h"

#include "core/wire/mad_header.h"
#include "fabric/keys.h"
#include "fabric/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PERMISSIVE_LID 0xFFFF

const char ff_two_hosts[] = "switchguid=0x10(10)\n"
                            "Switch 4 \"S-0000000000000010\" # \"sw\" enhanced port 0 lid 0 lmc 0\n"
                            "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 0 4xEDR\n"
                            "[2] \"H-0000000000000030\"[1](31) # \"b\" lid 0 4xEDR\n"
                            "\n"
                            "caguid=0x20\n"
                            "Ca 1 \"H-0000000000000020\" # \"a\"\n"
                            "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
                            "\n"
                            "caguid=0x30\n"
                            "Ca 1 \"H-0000000000000030\" # \"b\"\n"
                            "[1](31) \"S-0000000000000010\"[2] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";

const char ff_chain[] = "switchguid=0x11(11)\n"
                        "Switch 4 \"S-0000000000000011\" # \"s1\" enhanced port 0 lid 0 lmc 0\n"
                        "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 0 4xEDR\n"
                        "[2] \"S-0000000000000012\"[2] # \"s2\" lid 0 4xEDR\n"
                        "[3] \"S-0000000000000012\"[3] # \"s2\" lid 0 4xEDR\n"
                        "\n"
                        "switchguid=0x12(12)\n"
                        "Switch 4 \"S-0000000000000012\" # \"s2\" enhanced port 0 lid 0 lmc 0\n"
                        "[1] \"H-0000000000000030\"[1](31) # \"b\" lid 0 4xEDR\n"
                        "[2] \"S-0000000000000011\"[2] # \"s1\" lid 0 4xEDR\n"
                        "[3] \"S-0000000000000011\"[3] # \"s1\" lid 0 4xEDR\n"
                        "\n"
                        "caguid=0x20\n"
                        "Ca 1 \"H-0000000000000020\" # \"a\"\n"
                        "[1](21) \"S-0000000000000011\"[1] # lid 0 lmc 0 \"s1\" lid 0 4xEDR\n"
                        "\n"
                        "caguid=0x30\n"
                        "Ca 1 \"H-0000000000000030\" # \"b\"\n"
                        "[1](31) \"S-0000000000000012\"[1] # lid 0 lmc 0 \"s2\" lid 0 4xEDR\n";

static struct topo *read_topology(const char *text)
{
    struct topo_error error = {.text = ""};
    struct topo *t = NULL;
    int err = topo_spec_is_generator(text) ? topo_generate(text, &t, &error)
                                           : topo_parse(text, strlen(text), &t, &error);

    if (err != 0)
        fail_msg("line %u: %s", error.line, error.text);
    return t;
}

struct ff *ff_new(const char *topology, const struct fabric_config *c)
{
    struct topo *t = read_topology(topology);
    struct ff *ff = calloc(1, sizeof(*ff));
    struct fabric_error error = {.text = ""};
    struct fabric_config defaults;

    assert_non_null(ff);
    fabric_config_init(&defaults);
    if (fabric_new(c ? c : &defaults, t, &pages_alloc, &ff->f, &error) != 0)
        fail_msg("%s", error.text);
    topo_free(t);
    return ff;
}

void ff_free(struct ff *ff)
{
    for (int i = 0; i < FF_PROGRAMS; i++)
        if (ff->programs[i])
            ff_detach(ff->programs[i]);
    fabric_free(ff->f);
    free(ff);
}

struct node *ff_node(const struct ff *ff, const char *name)
{
    struct fabric_error error;
    uint32_t node = 0;

    if (fabric_find(ff->f, name, &node, &error) != 0)
        fail_msg("%s", error.text);
    return &ff->f->nodes[node];
}

struct port *ff_port(const struct ff *ff, const char *name, uint8_t number)
{
    const struct node *n = ff_node(ff, name);

    assert_in_range(number, 0, n->ports);
    return node_port(ff->f, n, number);
}

/* The place of the program that an attachment belongs to; of none: a free one. */
static struct ff_program **find_program(struct ff *ff, uint64_t id)
{
    for (int i = 0; i < FF_PROGRAMS; i++)
        if (ff->programs[i] ? ff->programs[i]->id.v == id : id == 0)
            return &ff->programs[i];
    fail_msg("no such program");
    abort(); /* fail_msg() does not come back, which compilers are not told */
}

struct ff_program *ff_attach(struct ff *ff, const char *name)
{
    return ff_attach_function(ff, name, 0);
}

struct ff_program *ff_attach_function(struct ff *ff, const char *name, uint16_t function)
{
    const struct node *n = ff_node(ff, name);
    struct ff_program **place = find_program(ff, 0);
    struct ff_program *p = calloc(1, sizeof(*p));
    uint8_t number = 0;

    assert_non_null(p);
    assert_int_equal(
        fabric_attach_function(ff->f, node_index(ff->f, n), 0, function, &p->id, &number, &p->tids),
        0);
    p->ff = ff;
    p->port = node_port(ff->f, n, number);
    p->next_tid = 1;
    *place = p;
    return p;
}

void ff_detach(struct ff_program *p)
{
    *find_program(p->ff, p->id.v) = NULL;
    assert_int_equal(fabric_detach(p->ff->f, p->ff->now, p->id), 0);
    free(p);
}

uint32_t ff_claim(struct ff_program *p, uint8_t qpn, uint8_t mgmt_class, uint8_t version,
                  uint64_t methods)
{
    const struct fabric_agent want = {.qpn = qpn,
                                      .mgmt_class = mgmt_class,
                                      .version = version,
                                      .oui = {0x00, 0x14, 0x05},
                                      .methods = {methods, 0}};
    uint32_t agent = 0;

    assert_int_equal(fabric_agent_add(p->ff->f, p->id, &want, &agent), 0);
    return agent;
}

static struct packet begin(struct ff_program *p, uint8_t mgmt_class, uint8_t method,
                           uint16_t attr_id, uint32_t attr_mod)
{
    struct packet packet = {.dlid = PERMISSIVE_LID};

    mad_set_base_version(packet.mad, 1);
    mad_set_class(packet.mad, mgmt_class);
    mad_set_class_version(packet.mad, mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1);
    mad_set_method(packet.mad, method);
    mad_set_tid(packet.mad, (uint64_t)p->tids.first << 32 | p->next_tid++);
    mad_set_attr_id(packet.mad, attr_id);
    mad_set_attr_mod(packet.mad, attr_mod);
    return packet;
}

struct packet ff_directed(struct ff_program *p, struct ff_route route, uint8_t method,
                          uint16_t attr_id, uint32_t attr_mod)
{
    struct packet packet = begin(p, WEFT_CLASS_SUBN_DIRECTED, method, attr_id, attr_mod);

    packet.mad[WIRE_AT_SMP_DIRECTED_HOP_COUNT] = route.hops;
    wire_set(WIRE_SMP_DIRECTED_DR_SLID, packet.mad, PERMISSIVE_LID);
    wire_set(WIRE_SMP_DIRECTED_DR_DLID, packet.mad, PERMISSIVE_LID);
    memcpy(packet.mad + WIRE_AT_SMP_DIRECTED_INITIAL_PATH + 1, route.ports, route.hops);
    return packet;
}

struct packet ff_lid_smp(struct ff_program *p, uint16_t dlid, uint8_t method, uint16_t attr_id,
                         uint32_t attr_mod)
{
    struct packet packet = begin(p, WEFT_CLASS_SUBN_LID, method, attr_id, attr_mod);

    packet.dlid = dlid;
    return packet;
}

struct packet ff_gmp(struct ff_program *p, uint16_t dlid, uint8_t mgmt_class, uint8_t method,
                     uint16_t attr_id, uint32_t attr_mod)
{
    struct packet packet = begin(p, mgmt_class, method, attr_id, attr_mod);

    packet.dlid = dlid;
    packet.src_qpn = WEFT_QP_GSI;
    packet.dst_qpn = WEFT_QP_GSI;
    packet.qkey = WEFT_QKEY_GSI;
    return packet;
}

/* Brings what has arrived to the inboxes. */
static void collect(struct ff *ff)
{
    struct fabric_delivery d;

    while (fabric_poll(ff->f, &d)) {
        struct ff_program *p = *find_program(ff, d.to.v);

        assert_in_range(p->count, 0, FF_INBOX - 1);
        p->inbox[(p->first + p->count++) % FF_INBOX] = *d.packet;
    }
}

void ff_send(struct ff_program *p, const struct packet *packet)
{
    assert_int_equal(fabric_send(p->ff->f, p->ff->now, p->id, packet), 0);
    collect(p->ff);
}

bool ff_receive(struct ff_program *p, struct packet *ret)
{
    collect(p->ff);
    if (p->count == 0)
        return false;
    *ret = p->inbox[p->first];
    p->first = (p->first + 1) % FF_INBOX;
    p->count--;
    return true;
}

bool ff_ask(struct ff_program *p, const struct packet *packet, struct packet *ret)
{
    ff_send(p, packet);
    return ff_receive(p, ret);
}

uint16_t ff_status(struct ff_program *p, const struct packet *packet, struct packet *ret)
{
    if (!ff_ask(p, packet, ret))
        fail_msg("no answer to attribute 0x%04x", mad_attr_id(packet->mad));
    assert_int_equal(mad_tid(ret->mad), mad_tid(packet->mad));
    if (mad_class(ret->mad) == WEFT_CLASS_SUBN_DIRECTED)
        return mad_status(ret->mad) & 0x7FFF;
    return mad_status(ret->mad);
}

static struct packet ask_well(struct ff_program *p, const struct packet *packet)
{
    struct packet answer;
    uint16_t status = ff_status(p, packet, &answer);

    if (status != 0)
        fail_msg("status 0x%04x of attribute 0x%04x", status, mad_attr_id(packet->mad));
    return answer;
}

struct packet ff_get(struct ff_program *p, struct ff_route route, uint16_t attr_id,
                     uint32_t attr_mod)
{
    struct packet packet = ff_directed(p, route, WEFT_METHOD_GET, attr_id, attr_mod);

    return ask_well(p, &packet);
}

struct packet ff_set(struct ff_program *p, struct ff_route route, uint16_t attr_id,
                     uint32_t attr_mod, const uint8_t *data)
{
    struct packet packet = ff_directed(p, route, WEFT_METHOD_SET, attr_id, attr_mod);

    memcpy(ff_data(&packet), data, 64);
    return ask_well(p, &packet);
}

void ff_advance(struct ff *ff, weft_time by)
{
    ff->now += by;
    assert_int_equal(fabric_advance(ff->f, ff->now), 0);
    collect(ff);
}

void ff_expect_waypoints(const struct ff *ff)
{
    const struct fabric *f = ff->f;

    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct port *p = &f->ports[i];
        const struct waypoint *w = &f->waypoints[i];
        bool smps = (w->flags & WAYPOINT_SMPS) != 0, data = (w->flags & WAYPOINT_DATA) != 0;

        assert_int_equal(w->peer, p->peer);
        assert_int_equal(w->number, p->number);
        assert_int_equal(w->node_ports, port_node(f, p)->ports);
        assert_int_equal(w->switch_index, port_node(f, p)->switch_index);
        assert_int_equal(smps, link_carries(f, p, true));
        assert_int_equal(data, link_carries(f, p, false));
        assert_int_equal((w->flags & WAYPOINT_CHECKS) != 0, keys_checks(f, p));
    }
}

void ff_command(struct ff *ff, const char *line)
{
    struct fabric_error error = {.text = ""};

    if (fabric_command(ff->f, ff->now, line, &error) != 0)
        fail_msg("%s: %s", line, error.text);
    collect(ff);
    ff_expect_waypoints(ff);
}

struct fabric_stats ff_stats(const struct ff *ff)
{
    struct fabric_stats stats;

    fabric_stats(ff->f, &stats);
    return stats;
}
