/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/attach.c: programs at ports, what they claim, and what finds its way to them. */
#include "core/wire/mad_header.h"
#include "fabric/attach.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GET  (UINT64_C(1) << WEFT_METHOD_GET)
#define SET  (UINT64_C(1) << WEFT_METHOD_SET)
#define TRAP (UINT64_C(1) << WEFT_METHOD_TRAP)

/* A CA whose first port has no cable, and one without any. */
static const char odd_cas[] = "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
                              "[1] \"H-0000000000000020\"[2] # \"two\" lid 0 4xEDR\n"
                              "\n"
                              "Ca 2 \"H-0000000000000020\" # \"two\"\n"
                              "[2] \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
                              "\n"
                              "Ca 2 \"H-0000000000000030\" # \"alone\"\n";

static struct ff *new_up(const char *topology)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    return ff_new(topology, &c);
}

static int attach(struct ff *ff, uint32_t node, uint8_t port)
{
    struct fabric_attachment id;
    struct fabric_tids tids;
    uint8_t number;

    return fabric_attach(ff->f, node, port, &id, &number, &tids);
}

static void test_the_first_port_with_a_cable_is_picked(void **state)
{
    struct ff *ff = ff_new(odd_cas, NULL);

    (void)state;
    assert_int_equal(ff_attach(ff, "two")->port->number, 2);
    assert_int_equal(ff_attach(ff, "alone")->port->number, 1);
    assert_int_equal(ff_attach(ff, "sw")->port->number, 0);
    assert_int_equal(ff_stats(ff).attachments, 3);
    ff_free(ff);
}

static void test_ports_that_take_no_program_are_refused(void **state)
{
    struct ff *ff = ff_new(odd_cas, NULL);

    (void)state;
    assert_int_equal(attach(ff, 0, 1), WEFT_ERR_INVALID); /* a switch's external port */
    assert_int_equal(attach(ff, 1, 3), WEFT_ERR_INVALID);
    assert_int_equal(attach(ff, 3, 0), WEFT_ERR_INVALID);
    assert_int_equal(attach(ff, UINT32_MAX, 0), WEFT_ERR_INVALID);
    assert_int_equal(ff_stats(ff).attachments, 0);
    assert_int_equal(attach(ff, 1, 1), 0);
    ff_free(ff);
}

static void test_no_two_programs_share_a_transaction_id(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    const struct ff_program *p[] = {ff_attach(ff, "a"), ff_attach(ff, "a"), ff_attach(ff, "b")};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(p[i]->tids.first, (i + 1) << 8);
        assert_int_equal(p[i]->tids.last, p[i]->tids.first + 255);
    }
    ff_free(ff);
}

static void test_a_port_is_picked_without_taking_a_slot(void **state)
{
    struct fabric_config c;
    struct ff *ff;
    uint8_t number = 77;

    (void)state;
    fabric_config_init(&c);
    c.attachments = 1;
    c.vfs = 2;
    ff = ff_new(ff_two_hosts, &c);
    (void)ff_attach(ff, "a");
    assert_int_equal(fabric_pick_port(ff->f, node_index(ff->f, ff_node(ff, "a")), 0, 2, &number),
                     0);
    assert_int_equal(number, 1);
    assert_int_equal(fabric_pick_port(ff->f, node_index(ff->f, ff_node(ff, "sw")), 0, 0, &number),
                     0);
    assert_int_equal(number, 0);
    number = 77;
    assert_int_equal(fabric_pick_port(ff->f, node_index(ff->f, ff_node(ff, "a")), 0, 3, &number),
                     WEFT_ERR_NOTFOUND);
    assert_int_equal(fabric_pick_port(ff->f, node_index(ff->f, ff_node(ff, "a")), 2, 0, &number),
                     WEFT_ERR_INVALID);
    assert_int_equal(fabric_pick_port(ff->f, node_index(ff->f, ff_node(ff, "sw")), 1, 0, &number),
                     WEFT_ERR_INVALID);
    assert_int_equal(fabric_pick_port(ff->f, 3, 0, 0, &number), WEFT_ERR_INVALID);
    assert_int_equal(number, 77);
    assert_int_equal(ff_stats(ff).attachments, 1);
    ff_free(ff);
}

static void test_a_slot_that_is_free_waits_until_all_others_were_used(void **state)
{
    struct fabric_attachment id[3], again;
    struct fabric_config c;
    struct fabric_tids tids;
    uint8_t number;
    struct ff *ff;

    (void)state;
    fabric_config_init(&c);
    c.attachments = 3;
    ff = ff_new(ff_two_hosts, &c);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fabric_attach(ff->f, 1, 0, &id[i], &number, &tids), 0);
    assert_int_equal(fabric_detach(ff->f, 0, id[1]), 0);
    assert_int_equal(fabric_detach(ff->f, 0, id[0]), 0);
    assert_int_equal(fabric_attach(ff->f, 1, 0, &id[2], &number, &tids), 0);
    assert_int_equal(tids.first, 3 << 8);
    assert_int_equal(fabric_attach(ff->f, 1, 0, &again, &number, &tids), 0);
    assert_int_equal(tids.first, 2 << 8);
    assert_int_not_equal(again.v, id[1].v);
    assert_int_equal(fabric_attach(ff->f, 1, 0, &again, &number, &tids), 0);
    assert_int_equal(tids.first, 1 << 8);
    assert_int_equal(fabric_attach(ff->f, 1, 0, &again, &number, &tids), WEFT_ERR_FULL);
    assert_int_equal(fabric_detach(ff->f, 0, id[2]), 0);
    assert_int_equal(fabric_attach(ff->f, 1, 0, &again, &number, &tids), 0);
    assert_int_equal(tids.first, 3 << 8);
    ff_free(ff);
}

static void test_a_handle_that_is_gone_or_made_up_is_stale(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct ff_program *p = ff_attach(ff, "a");
    const struct fabric_agent want = {
        .qpn = 1, .mgmt_class = WEFT_CLASS_SUBN_ADM, .version = 2, .methods = {GET}};
    struct packet packet = ff_directed(p, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    struct fabric_attachment ids[] = {p->id, {0}, {UINT64_MAX}, {1}, {p->id.v + 1}};
    uint32_t agent;

    (void)state;
    ff_detach(p);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        assert_int_equal(fabric_detach(ff->f, 0, ids[i]), WEFT_ERR_STALE);
        assert_int_equal(fabric_agent_add(ff->f, ids[i], &want, &agent), WEFT_ERR_STALE);
        assert_int_equal(fabric_agent_remove(ff->f, ids[i], 0), WEFT_ERR_STALE);
        assert_int_equal(fabric_set_issm(ff->f, 0, ids[i], true), WEFT_ERR_STALE);
        assert_int_equal(fabric_send(ff->f, 0, ids[i], &packet), WEFT_ERR_STALE);
    }
    assert_int_equal(ff_stats(ff).sent, 0);
    ff_free(ff);
}

static void test_time_does_not_go_back(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct ff_program *p = ff_attach(ff, "a");
    struct packet packet = ff_directed(p, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

    (void)state;
    ff_advance(ff, 10);
    assert_int_equal(fabric_send(ff->f, 9, p->id, &packet), WEFT_ERR_CLOCK);
    assert_int_equal(fabric_set_issm(ff->f, 9, p->id, true), WEFT_ERR_CLOCK);
    assert_int_equal(fabric_detach(ff->f, 9, p->id), WEFT_ERR_CLOCK);
    assert_int_equal(p->port->issm, 0);
    ff_send(p, &packet);
    ff_free(ff);
}

static int add(const struct ff_program *p, struct fabric_agent want)
{
    uint32_t agent;

    return fabric_agent_add(p->ff->f, p->id, &want, &agent);
}

static void test_claims_that_no_agent_can_have_are_refused(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    const struct ff_program *p = ff_attach(ff, "a");

    (void)state;
    assert_int_equal(add(p, (struct fabric_agent){.qpn = 2, .mgmt_class = 3, .version = 2}),
                     WEFT_ERR_INVALID);
    assert_int_equal(add(p, (struct fabric_agent){.qpn = 1, .version = 2}), WEFT_ERR_INVALID);
    assert_int_equal(add(p, (struct fabric_agent){.qpn = 0, .mgmt_class = 3, .version = 2}),
                     WEFT_ERR_INVALID);
    assert_int_equal(add(p, (struct fabric_agent){.qpn = 1, .mgmt_class = 0x81, .version = 1}),
                     WEFT_ERR_INVALID);
    assert_int_equal(add(p, (struct fabric_agent){.qpn = 1, .mgmt_class = 0x32, .version = 1}),
                     WEFT_ERR_INVALID); /* no OUI */
    ff_free(ff);
}

static void test_one_method_of_a_port_has_one_owner(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    const struct ff_program *p = ff_attach(ff, "a"), *other = ff_attach(ff, "a");
    const struct ff_program *elsewhere = ff_attach(ff, "b");
    struct fabric_agent want = {
        .qpn = 1, .mgmt_class = WEFT_CLASS_SUBN_ADM, .version = 2, .methods = {GET | SET}};
    uint32_t agent;

    (void)state;
    assert_int_equal(fabric_agent_add(ff->f, p->id, &want, &agent), 0);
    want.methods[0] = SET | TRAP;
    assert_int_equal(add(other, want), WEFT_ERR_CONFLICT);
    assert_int_equal(add(p, want), WEFT_ERR_CONFLICT);
    assert_int_equal(add(elsewhere, want), 0);
    want.methods[0] = TRAP;
    want.methods[1] = 1;
    assert_int_equal(add(other, want), 0);
    want.methods[0] = 0;
    assert_int_equal(add(p, want), WEFT_ERR_CONFLICT);
    want.version = 1;
    assert_int_equal(add(p, want), 0);
    want.version = 2;
    want.methods[0] = GET;
    want.methods[1] = 0;
    assert_int_equal(fabric_agent_remove(ff->f, p->id, agent), 0);
    assert_int_equal(fabric_agent_remove(ff->f, p->id, agent), WEFT_ERR_NOTFOUND);
    assert_int_equal(fabric_agent_remove(ff->f, p->id, UINT32_MAX), WEFT_ERR_NOTFOUND);
    assert_int_equal(add(other, want), 0);
    ff_free(ff);
}

static void test_classes_of_smps_and_ouis_are_claimed_apart(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    const struct ff_program *p = ff_attach(ff, "a");
    struct fabric_agent want = {.mgmt_class = WEFT_CLASS_SUBN_LID, .version = 1, .methods = {GET}};

    (void)state;
    assert_int_equal(add(p, want), 0);
    want.mgmt_class = WEFT_CLASS_SUBN_DIRECTED;
    assert_int_equal(add(p, want), 0);
    want = (struct fabric_agent){
        .qpn = 1, .mgmt_class = 0x32, .version = 1, .oui = {0, 1, 2}, .methods = {GET}};
    assert_int_equal(add(p, want), 0);
    assert_int_equal(add(p, want), WEFT_ERR_CONFLICT);
    want.oui[2] = 3;
    assert_int_equal(add(p, want), 0);
    want.mgmt_class = 0x0A; /* a vendor class without OUIs */
    assert_int_equal(add(p, want), 0);
    want.oui[2] = 2;
    assert_int_equal(add(p, want), WEFT_ERR_CONFLICT);
    ff_free(ff);
}

static void test_an_attachment_has_64_agents(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    const struct ff_program *p = ff_attach(ff, "a");
    struct fabric_agent want = {.qpn = 1, .mgmt_class = 0x32, .version = 1, .methods = {GET}};

    (void)state;
    for (uint8_t i = 1; i <= FABRIC_AGENTS; i++) {
        want.oui[0] = i;
        assert_int_equal(add(p, want), 0);
    }
    want.oui[0]++;
    assert_int_equal(add(p, want), WEFT_ERR_FULL);
    ff_free(ff);
}

static void test_detaching_gives_up_claims_issm_and_what_waits(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct ff_program *p = ff_attach(ff, "a"), *other = ff_attach(ff, "a");
    struct packet packet = ff_directed(p, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    struct fabric_delivery d;

    (void)state;
    ff_claim(p, WEFT_QP_GSI, WEFT_CLASS_SUBN_ADM, 2, GET);
    assert_int_equal(fabric_set_issm(ff->f, 0, p->id, true), 0);
    assert_int_equal(fabric_send(ff->f, 0, p->id, &packet), 0);
    assert_int_equal(ff_stats(ff).delivered, 1);
    ff_detach(p);
    assert_false(fabric_poll(ff->f, &d));
    assert_int_equal(other->port->issm, 0);
    ff_claim(other, WEFT_QP_GSI, WEFT_CLASS_SUBN_ADM, 2, GET);
    ff_free(ff);
}

static void test_issm_is_set_while_any_program_has_it_set(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct ff_program *p = ff_attach(ff, "a"), *other = ff_attach(ff, "a");
    struct fabric_port_info info;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fabric_set_issm(ff->f, 0, p->id, true), 0);
        assert_int_equal(fabric_set_issm(ff->f, 0, other->id, true), 0);
    }
    assert_int_equal(fabric_set_issm(ff->f, 0, p->id, false), 0);
    assert_int_equal(fabric_port(ff->f, p->port->node, 1, &info), 0);
    assert_int_equal(info.capability & 2, 2);
    assert_int_equal(fabric_set_issm(ff->f, 0, p->id, false), 0);
    assert_int_equal(fabric_set_issm(ff->f, 0, other->id, false), 0);
    assert_int_equal(fabric_port(ff->f, p->port->node, 1, &info), 0);
    assert_int_equal(info.capability & 2, 0);
    ff_free(ff);
}

static void test_a_change_of_issm_is_trapped_when_there_is_an_sm(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *sm = ff_attach(ff, "a"), *p = ff_attach(ff, "b");
    struct packet trap;

    (void)state;
    ff_claim(sm, WEFT_QP_SMI, WEFT_CLASS_SUBN_LID, 1, TRAP);
    assert_int_equal(fabric_set_issm(ff->f, 0, p->id, true), 0);
    ff_advance(ff, WEFT_S);
    assert_false(ff_receive(sm, &trap));
    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, p->port->info, port_lid(sm->port));
    assert_int_equal(fabric_set_issm(ff->f, ff->now, p->id, false), 0);
    assert_true(ff_receive(sm, &trap));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, ff_data(&trap)), 144);
    ff_free(ff);
}

/* A program may send it, and nobody gets it. */
static void expect_malformed(struct ff_program *p, struct packet packet)
{
    struct fabric_stats before = ff_stats(p->ff), after;

    assert_int_equal(fabric_send(p->ff->f, p->ff->now, p->id, &packet), 0);
    after = ff_stats(p->ff);
    assert_int_equal(after.sent, before.sent + 1);
    assert_int_equal(after.dropped_unclaimed, before.dropped_unclaimed + 1);
    assert_int_equal(after.hops, before.hops);
}

static void test_values_that_no_packet_can_have_are_dropped(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *p = ff_attach(ff, "a");
    const struct packet good = ff_gmp(p, port_lid(ff_port(ff, "b", 1)), WEFT_CLASS_PERF,
                                      WEFT_METHOD_GET, WEFT_ATTR_CLASS_PORT_INFO, 0);
    struct packet bad = good, answer;

    (void)state;
    bad.sl = 16;
    expect_malformed(p, bad);
    bad = good;
    bad.path_bits = 128;
    expect_malformed(p, bad);
    bad = good;
    bad.has_grh = 2;
    expect_malformed(p, bad);
    bad = good;
    bad.reserved = 1;
    expect_malformed(p, bad);
    bad = good;
    bad.reserved2 = 1;
    expect_malformed(p, bad);
    bad = good;
    bad.src_qpn = 2;
    expect_malformed(p, bad);
    bad = good;
    bad.dst_qpn = 0x1000000;
    expect_malformed(p, bad);
    bad = good;
    bad.has_grh = 1;
    bad.flow_label = 0x100000;
    expect_malformed(p, bad);
    bad = good;
    bad.has_grh = 1;
    bad.sgid_index = FABRIC_GUIDS;
    expect_malformed(p, bad);
    bad.has_grh = 0; /* and without a GRH its members do not count */
    bad.flow_label = UINT32_MAX;
    assert_int_equal(ff_status(p, &bad, &answer), 0);
    bad = good;
    bad.pkey_index = 128;
    assert_int_equal(fabric_send(ff->f, ff->now, p->id, &bad), 0);
    assert_int_equal(ff_stats(ff).dropped_key, 1);
    assert_int_equal(ff_status(p, &good, &answer), 0);
    ff_free(ff);
}

static void test_a_request_bears_an_id_of_its_program(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *p = ff_attach(ff, "a");
    struct packet packet = ff_directed(p, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    struct packet answer;

    (void)state;
    mad_set_tid(packet.mad, (uint64_t)p->tids.last << 32);
    assert_int_equal(ff_status(p, &packet, &answer), 0);
    mad_set_tid(packet.mad, ((uint64_t)p->tids.last + 1) << 32);
    assert_int_equal(fabric_send(ff->f, ff->now, p->id, &packet), WEFT_ERR_INVALID);
    mad_set_tid(packet.mad, ((uint64_t)p->tids.first - 1) << 32);
    assert_int_equal(fabric_send(ff->f, ff->now, p->id, &packet), WEFT_ERR_INVALID);
    mad_set_tid(packet.mad, 1);
    assert_int_equal(fabric_send(ff->f, ff->now, p->id, &packet), WEFT_ERR_INVALID);
    ff_free(ff);
}

static void test_answers_find_who_asked_among_several(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *p[] = {ff_attach(ff, "a"), ff_attach(ff, "a"), ff_attach(ff, "a")};
    struct packet answer;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct packet packet =
            ff_directed(p[i], FF_ROUTE(1, 2), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        assert_int_equal(ff_status(p[i], &packet, &answer), 0);
        for (int k = 0; k < 3; k++)
            assert_int_equal(p[k]->count, 0);
    }
    ff_free(ff);
}

/* A program asks another one, which answers. */
static void test_what_one_claims_the_others_get_answered(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *client = ff_attach(ff, "a"), *server = ff_attach(ff, "b");
    struct packet asked =
        ff_gmp(client, port_lid(server->port), WEFT_CLASS_SUBN_ADM, WEFT_METHOD_GET_TABLE, 0x35, 0);
    struct packet packet;

    (void)state;
    ff_claim(server, WEFT_QP_GSI, WEFT_CLASS_SUBN_ADM, 2, UINT64_C(1) << WEFT_METHOD_GET_TABLE);
    ff_send(client, &asked);
    assert_true(ff_receive(server, &packet));
    assert_int_equal(mad_tid(packet.mad), mad_tid(asked.mad));
    assert_int_equal(packet.slid, port_lid(client->port));
    assert_false(ff_receive(client, &packet));
    packet.dlid = port_lid(client->port);
    mad_set_method(packet.mad, WEFT_METHOD_GET_TABLE | WEFT_METHOD_RESPONSE);
    ff_send(server, &packet);
    assert_true(ff_receive(client, &packet));
    assert_int_equal(mad_tid(packet.mad), mad_tid(asked.mad));
    ff_free(ff);
}

static void test_a_claim_is_for_its_class_version_method_and_oui(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *client = ff_attach(ff, "a"), *server = ff_attach(ff, "b");
    struct packet packet = ff_gmp(client, port_lid(server->port), 0x32, WEFT_METHOD_SEND, 1, 0);
    struct packet got;

    (void)state;
    ff_claim(server, WEFT_QP_GSI, 0x32, 1, UINT64_C(1) << WEFT_METHOD_SEND);
    ff_send(client, &packet);
    assert_false(ff_receive(server, &got)); /* no OUI */
    mad_set_oui(packet.mad, 0x001405);
    ff_send(client, &packet);
    assert_true(ff_receive(server, &got));
    mad_set_oui(packet.mad, 0x001406);
    ff_send(client, &packet);
    mad_set_oui(packet.mad, 0x001405);
    mad_set_class_version(packet.mad, 2);
    ff_send(client, &packet);
    mad_set_class_version(packet.mad, 1);
    mad_set_method(packet.mad, WEFT_METHOD_TRAP);
    ff_send(client, &packet);
    mad_set_method(packet.mad, WEFT_METHOD_SEND);
    mad_set_class(packet.mad, 0x33);
    ff_send(client, &packet);
    assert_false(ff_receive(server, &got));
    assert_int_equal(ff_stats(ff).dropped_unclaimed, 5);
    ff_free(ff);
}

static void test_a_trap_repress_is_an_answer(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *p = ff_attach(ff, "a"), *sm = ff_attach(ff, "b");
    struct packet packet = ff_lid_smp(p, port_lid(sm->port), WEFT_METHOD_TRAP, WEFT_ATTR_NOTICE, 0);
    struct packet got;

    (void)state;
    ff_claim(sm, WEFT_QP_SMI, WEFT_CLASS_SUBN_LID, 1, TRAP);
    ff_send(p, &packet);
    assert_true(ff_receive(sm, &got));
    got.dlid = port_lid(p->port);
    mad_set_method(got.mad, WEFT_METHOD_TRAP_REPRESS);
    ff_send(sm, &got);
    assert_true(ff_receive(p, &got));
    assert_int_equal(mad_method(got.mad), WEFT_METHOD_TRAP_REPRESS);
    ff_free(ff);
}

/* Answers that nobody waits for: no such slot, a free one, one at another port. */
static void test_answers_in_nobodys_name_are_dropped(void **state)
{
    struct ff *ff = new_up(ff_two_hosts);
    struct ff_program *p = ff_attach(ff, "a"), *b = ff_attach(ff, "b"), *gone = ff_attach(ff, "b");
    struct packet packet = ff_gmp(p, port_lid(b->port), WEFT_CLASS_SUBN_ADM,
                                  WEFT_METHOD_GET | WEFT_METHOD_RESPONSE, 0x35, 0);
    const uint64_t askers[] = {0, 1, 0xFF, gone->tids.first, p->tids.first, 0x7FFFFF, UINT32_MAX};
    struct packet got;

    (void)state;
    ff_detach(gone);
    for (size_t i = 0; i < sizeof(askers) / sizeof(askers[0]); i++) {
        mad_set_tid(packet.mad, askers[i] << 32 | 1);
        ff_send(p, &packet);
    }
    assert_int_equal(ff_stats(ff).dropped_unclaimed, sizeof(askers) / sizeof(askers[0]));
    assert_false(ff_receive(b, &got));
    assert_false(ff_receive(p, &got));
    mad_set_tid(packet.mad, (uint64_t)b->tids.last << 32 | 1);
    ff_send(p, &packet);
    assert_true(ff_receive(b, &got));
    ff_free(ff);
}

static void test_a_program_that_does_not_listen_loses_its_own_answers(void **state)
{
    struct fabric_config c;
    struct ff *ff;
    struct ff_program *p;
    struct fabric_delivery d;
    uint32_t count = 0;

    (void)state;
    fabric_config_init(&c);
    c.deliveries = 64;
    ff = ff_new(ff_two_hosts, &c);
    p = ff_attach(ff, "a");
    for (int i = 0; i < 100; i++) {
        struct packet packet =
            ff_directed(p, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        assert_int_equal(fabric_send(ff->f, 0, p->id, &packet), 0);
    }
    assert_int_equal(ff_stats(ff).dropped_queue, 36);
    assert_int_equal(ff_stats(ff).delivered, 64);
    while (fabric_poll(ff->f, &d)) {
        assert_int_equal(d.to.v, p->id.v);
        assert_int_equal((uint32_t)mad_tid(d.packet->mad), ++count);
    }
    assert_int_equal(count, 64);
    ff_free(ff);
}

static void test_freeing_attachments_twice_is_harmless(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    attach_free(ff->f);
    attach_free(ff->f); /* harmless */
    assert_int_equal(attach_new(ff->f), 0);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_port_with_a_cable_is_picked),
        cmocka_unit_test(test_ports_that_take_no_program_are_refused),
        cmocka_unit_test(test_no_two_programs_share_a_transaction_id),
        cmocka_unit_test(test_a_port_is_picked_without_taking_a_slot),
        cmocka_unit_test(test_a_slot_that_is_free_waits_until_all_others_were_used),
        cmocka_unit_test(test_a_handle_that_is_gone_or_made_up_is_stale),
        cmocka_unit_test(test_time_does_not_go_back),
        cmocka_unit_test(test_claims_that_no_agent_can_have_are_refused),
        cmocka_unit_test(test_one_method_of_a_port_has_one_owner),
        cmocka_unit_test(test_classes_of_smps_and_ouis_are_claimed_apart),
        cmocka_unit_test(test_an_attachment_has_64_agents),
        cmocka_unit_test(test_detaching_gives_up_claims_issm_and_what_waits),
        cmocka_unit_test(test_issm_is_set_while_any_program_has_it_set),
        cmocka_unit_test(test_a_change_of_issm_is_trapped_when_there_is_an_sm),
        cmocka_unit_test(test_values_that_no_packet_can_have_are_dropped),
        cmocka_unit_test(test_a_request_bears_an_id_of_its_program),
        cmocka_unit_test(test_answers_find_who_asked_among_several),
        cmocka_unit_test(test_what_one_claims_the_others_get_answered),
        cmocka_unit_test(test_a_claim_is_for_its_class_version_method_and_oui),
        cmocka_unit_test(test_a_trap_repress_is_an_answer),
        cmocka_unit_test(test_answers_in_nobodys_name_are_dropped),
        cmocka_unit_test(test_a_program_that_does_not_listen_loses_its_own_answers),
        cmocka_unit_test(test_freeing_attachments_twice_is_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
