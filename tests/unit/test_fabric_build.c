/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/build.c: what a topology says, and what is filled in where it says nothing. */
#include "fabric/build.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char rich[] = "vendid=0x8f1\n"
                           "devid=0x5a5a\n"
                           "sysimgguid=0x1000\n"
                           "switchguid=0x10(10)\n"
                           "Switch 20 \"S-0000000000000010\" # \"sw\" base port 0 lid 7 lmc 0\n"
                           "[1] \"H-0000000000000020\"[1](77) # \"two ports\" lid 8 4xHDR\n"
                           "[2] \"H-0000000000000020\"[2] # \"two ports\" lid 12 2xHDR\n"
                           "[3] \"R-0000000000000040\"[1] # \"rt\" lid 0 4xEDR\n"
                           "[18] \"H-0000000000000050\"[3] # \"only seen\" lid 0 4xNDR\n"
                           "\n"
                           "vendid=0x2c9\n"
                           "devid=0xcf09\n"
                           "caguid=0x20\n"
                           "Ca 3 \"H-0000000000000020\" # \"two ports\"\n"
                           "[1](77) \"S-0000000000000010\"[1] # lid 8 lmc 2 \"sw\" lid 7 4xHDR\n"
                           "[2] \"S-0000000000000010\"[2] # lid 13 lmc 1 \"sw\" lid 7 2xHDR\n"
                           "\n"
                           "rtguid=0x40\n"
                           "Rt 2 \"R-0000000000000040\" # \"rt\"\n"
                           "[1] \"S-0000000000000010\"[3] # lid 0 lmc 0 \"sw\" lid 7 4xEDR\n";

static const char ibsim[] = "Switch 4 \"leaf\"\n"
                            "[1] \"host\"[1]\n"
                            "[2] \"other\"[1]\n"
                            "\n"
                            "Hca 1 \"host\"\n"
                            "[1] \"leaf\"[1]\n"
                            "\n"
                            "Hca 1 \"other\"\n"
                            "[1] \"leaf\"[2]\n";

static struct ff *new_with(const char *topology, uint64_t seed, bool keep_lids)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.seed = seed;
    c.keep_lids = keep_lids;
    return ff_new(topology, &c);
}

static uint64_t info(const struct port *p, enum wire_field_id field)
{
    return wire_get(field, p->info);
}

static void test_nodes_are_as_the_file_says(void **state)
{
    struct ff *ff = ff_new(rich, NULL);
    const struct node *sw = ff_node(ff, "sw"), *ca = ff_node(ff, "two ports");

    (void)state;
    assert_int_equal(ff->f->node_count, 4);
    assert_int_equal(ff->f->switch_count, 1);
    assert_int_equal(sw->type, TOPO_SWITCH);
    assert_int_equal(sw->guid, 0x10);
    assert_int_equal(sw->system_guid, 0x1000);
    assert_int_equal(sw->vendor, 0x8f1);
    assert_int_equal(sw->device, 0x5a5a);
    assert_int_equal(sw->ports, 20);
    assert_int_equal(ca->type, TOPO_CA);
    assert_int_equal(ca->system_guid, 0x20); /* its own */
    assert_int_equal(ca->ports, 3);
    assert_int_equal(ca->switch_index, FABRIC_NONE);
    assert_int_equal(ff_node(ff, "rt")->type, TOPO_ROUTER);
    ff_free(ff);
}

static void test_a_node_only_seen_at_a_cable_is_there_with_the_ports_it_must_have(void **state)
{
    struct ff *ff = ff_new(rich, NULL);
    const struct node *n = ff_node(ff, "only seen");

    (void)state;
    assert_int_equal(n->type, TOPO_CA);
    assert_int_equal(n->ports, 3);
    assert_int_equal(ff_port(ff, "only seen", 3)->peer, port_index(ff->f, ff_port(ff, "sw", 18)));
    assert_int_equal(ff_port(ff, "only seen", 1)->peer, FABRIC_NONE);
    ff_free(ff);
}

static void test_port_guids_are_the_files_or_follow_from_the_nodes(void **state)
{
    struct ff *ff = ff_new(rich, NULL);

    (void)state;
    assert_int_equal(ff_port(ff, "two ports", 1)->guid, 0x77);
    assert_int_equal(ff_port(ff, "two ports", 2)->guid, 0x22);
    assert_int_equal(ff_port(ff, "two ports", 3)->guid, 0x23);
    assert_int_equal(ff_port(ff, "sw", 0)->guid, 0x10);
    assert_int_equal(ff_port(ff, "sw", 1)->guid, 0);
    ff_free(ff);
}

static void test_a_port_guid_that_another_node_has_is_not_made(void **state)
{
    struct ff *ff = ff_new("Ca 1 \"H-0000000000000020\" # \"a\"\n"
                           "[1] \"H-0000000000000021\"[1] # lid 0 lmc 0 \"b\" lid 0 4xEDR\n"
                           "Ca 1 \"H-0000000000000021\" # \"b\"\n"
                           "[1] \"H-0000000000000020\"[1] # lid 0 lmc 0 \"a\" lid 0 4xEDR\n",
                           NULL);
    uint64_t guid = ff_port(ff, "a", 1)->guid;

    (void)state;
    assert_int_not_equal(guid, 0x21);
    assert_int_equal(guid >> 56, 0x02);
    assert_int_equal(build_find_guid(ff->f, 0x21), port_index(ff->f, ff_port(ff, "b", 1)));
    assert_int_equal(build_find_guid(ff->f, guid), port_index(ff->f, ff_port(ff, "a", 1)));
    ff_free(ff);
}

static void test_every_guid_is_found_and_no_other(void **state)
{
    struct ff *ff = ff_new(rich, NULL);
    const struct fabric *f = ff->f;

    (void)state;
    for (uint32_t i = 0; i < f->port_count; i++)
        if (f->ports[i].guid != 0)
            assert_int_equal(build_find_guid(f, f->ports[i].guid), i);
    for (uint32_t i = 0; i < f->node_count; i++)
        assert_int_equal(f->ports[build_find_guid(f, f->nodes[i].guid)].node, i);
    assert_int_equal(build_find_guid(f, 0x20), port_index(f, ff_port(ff, "two ports", 1)));
    assert_int_equal(build_find_guid(f, 0), FABRIC_NONE);
    assert_int_equal(build_find_guid(f, 0x78), FABRIC_NONE);
    assert_int_equal(build_find_guid(f, UINT64_MAX), FABRIC_NONE);
    ff_free(ff);
}

static void test_guids_are_made_from_seed_and_id(void **state)
{
    static const char fewer[] = "Switch 4 \"leaf\"\n"
                                "[2] \"other\"[1]\n"
                                "\n"
                                "Hca 1 \"other\"\n"
                                "[1] \"leaf\"[2]\n";
    struct ff *one = new_with(ibsim, 1, false), *again = new_with(fewer, 1, false);
    struct ff *seeded = new_with(ibsim, 2, false);

    (void)state;
    assert_int_equal(ff_node(one, "other")->guid, ff_node(again, "other")->guid);
    assert_int_not_equal(ff_node(one, "other")->guid, ff_node(seeded, "other")->guid);
    assert_int_not_equal(ff_node(one, "other")->guid, ff_node(one, "host")->guid);
    assert_int_equal(ff_node(one, "other")->guid >> 56, 0x02); /* locally administered */
    assert_int_equal(ff_port(one, "other", 1)->guid, ff_node(one, "other")->guid + 1);
    ff_free(one);
    ff_free(again);
    ff_free(seeded);
}

static void test_ids_stand_in_for_names(void **state)
{
    struct ff *ff = ff_new(ibsim, NULL);

    (void)state;
    assert_string_equal(ff->f->nodes[0].name, "leaf");
    assert_string_equal(ff->f->nodes[0].id, "leaf");
    assert_string_equal(ff->f->nodes[2].id, "other");
    ff_free(ff);
}

static void test_cables_join_both_ends(void **state)
{
    struct ff *ff = ff_new(rich, NULL);
    const struct fabric *f = ff->f;
    uint32_t cabled = 0;

    (void)state;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct port *p = &f->ports[i];

        assert_int_equal(node_port(f, port_node(f, p), p->number) - f->ports, i);
        assert_int_equal(p->attached, FABRIC_NONE);
        assert_int_equal(p->fault, FABRIC_NONE);
        if (p->peer == FABRIC_NONE)
            continue;
        assert_int_equal(f->ports[p->peer].peer, i);
        cabled++;
    }
    assert_int_equal(cabled, 8);
    ff_free(ff);
}

static void test_end_ports_say_what_hosts_say(void **state)
{
    struct ff *ff = ff_new(rich, NULL);
    const struct port *p = ff_port(ff, "rt", 1);

    (void)state;
    assert_int_equal(info(p, WIRE_PORT_INFO_GID_PREFIX), 0xfe80000000000000);
    assert_int_equal(info(p, WIRE_PORT_INFO_M_KEY), 0);
    assert_int_equal(info(p, WIRE_PORT_INFO_LID), 0);
    assert_int_equal(info(p, WIRE_PORT_INFO_MASTER_SM_LID), 0);
    assert_int_equal(info(p, WIRE_PORT_INFO_MTU_CAP), 5);
    assert_int_equal(info(p, WIRE_PORT_INFO_VL_CAP), 4);
    assert_int_equal(info(p, WIRE_PORT_INFO_GUID_CAP), FABRIC_GUIDS);
    assert_int_equal(info(p, WIRE_PORT_INFO_LINK_DOWN_DEFAULT), 2);
    assert_int_equal(info(p, WIRE_PORT_INFO_RESP_TIME), 16);
    /* traps, SL to VL, extended speeds, CM, client reregistration */
    assert_int_equal(info(p, WIRE_PORT_INFO_CAPABILITY_MASK) & 0x02014048, 0x02014048);
    assert_int_equal(info(p, WIRE_PORT_INFO_CAPABILITY_MASK) & 2, 0); /* no SM */
    ff_free(ff);
}

static void test_speeds_that_came_later_are_said_in_capability_mask_2(void **state)
{
    struct ff *ff = ff_new(rich, NULL);

    (void)state;
    assert_int_equal(info(ff_port(ff, "rt", 1), WIRE_PORT_INFO_CAPABILITY_MASK2), 0);
    assert_int_equal(info(ff_port(ff, "rt", 1), WIRE_PORT_INFO_CAPABILITY_MASK) & 0x8000, 0);
    assert_int_equal(info(ff_port(ff, "two ports", 1), WIRE_PORT_INFO_CAPABILITY_MASK2), 0x0020);
    assert_int_equal(info(ff_port(ff, "two ports", 2), WIRE_PORT_INFO_CAPABILITY_MASK2), 0x0030);
    assert_int_equal(info(ff_port(ff, "two ports", 2), WIRE_PORT_INFO_CAPABILITY_MASK) & 0x8000,
                     0x8000);
    assert_int_equal(info(ff_port(ff, "sw", 0), WIRE_PORT_INFO_CAPABILITY_MASK2), 0x0430);
    ff_free(ff);
}

static void test_a_switch_speaks_through_port_0(void **state)
{
    struct ff *ff = ff_new(rich, NULL);
    const struct port *p = ff_port(ff, "sw", 0), *external = ff_port(ff, "sw", 5);
    const struct switch_state *s = node_switch(ff->f, ff_node(ff, "sw"));

    (void)state;
    assert_int_equal(info(p, WIRE_PORT_INFO_GID_PREFIX), 0xfe80000000000000);
    assert_int_equal(info(external, WIRE_PORT_INFO_GID_PREFIX), 0);
    assert_int_equal(info(external, WIRE_PORT_INFO_CAPABILITY_MASK), 0);
    assert_int_equal(info(external, WIRE_PORT_INFO_GUID_CAP), 0);
    assert_int_equal(info(external, WIRE_PORT_INFO_VL_CAP), 4);
    assert_int_equal(wire_get(WIRE_SWITCH_INFO_LINEAR_FDB_CAP, s->info), 49151);
    assert_int_equal(wire_get(WIRE_SWITCH_INFO_MULTICAST_FDB_CAP, s->info), 4096);
    assert_int_equal(wire_get(WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, s->info), 32);
    assert_int_equal(wire_get(WIRE_SWITCH_INFO_ENHANCED_PORT_0, s->info), 0);
    assert_int_equal(s->mft_positions, 2); /* ports 0 to 20 */
    for (uint32_t lid = 0; lid < ff->f->config.lft_cap; lid++)
        assert_int_equal(s->lft[lid], 0);
    ff_free(ff);
}

static void test_tables_of_two_switches_do_not_overlap(void **state)
{
    struct fabric_config c;
    struct ff *ff;
    struct fabric *f;

    (void)state;
    fabric_config_init(&c);
    c.lft_cap = 100;
    c.mft_cap = 32;
    c.pkey_cap = 3;
    ff = ff_new("fat-tree:hosts=36,radix=8", &c);
    f = ff->f;
    for (uint32_t s = 0; s < f->switch_count; s++) {
        struct switch_state *sw = &f->switches[s];
        size_t ports = f->nodes[sw->node].ports + 1U;

        memset(sw->lft, (int)s + 1, c.lft_cap);
        for (size_t i = 0; i < (size_t)c.mft_cap * sw->mft_positions; i++)
            sw->mft[i] = (uint16_t)(s + 1);
        memset(sw->sl2vl, (int)s + 1, ports * ports * 8);
    }
    for (uint32_t i = 0; i < f->port_count; i++)
        for (uint16_t k = 0; k < port_pkey_count(f, &f->ports[i]); k++)
            port_set_pkey(f, &f->ports[i], k, (uint16_t)(i + k));
    for (uint32_t s = 0; s < f->switch_count; s++) {
        const struct switch_state *sw = &f->switches[s];
        size_t ports = f->nodes[sw->node].ports + 1U;

        assert_int_equal(sw->lft[0], s + 1);
        assert_int_equal(sw->lft[c.lft_cap - 1], s + 1);
        assert_int_equal(sw->mft[0], s + 1);
        assert_int_equal(sw->mft[(size_t)c.mft_cap * sw->mft_positions - 1], s + 1);
        assert_int_equal(sw->sl2vl[0], s + 1);
        assert_int_equal(sw->sl2vl[ports * ports * 8 - 1], s + 1);
    }
    for (uint32_t i = 0; i < f->port_count; i++)
        for (uint16_t k = 0; k < port_pkey_count(f, &f->ports[i]); k++)
            assert_int_equal(port_pkey(f, &f->ports[i], k), (uint16_t)(i + k));
    ff_free(ff);
}

static void test_lids_of_the_file_are_kept_or_forgotten(void **state)
{
    struct ff *kept = new_with(rich, 1, true), *forgotten = new_with(rich, 1, false);

    (void)state;
    assert_int_equal(port_lid(ff_port(kept, "sw", 0)), 7);
    assert_int_equal(port_lid(ff_port(kept, "two ports", 1)), 8);
    assert_int_equal(port_lmc(ff_port(kept, "two ports", 1)), 2);
    assert_int_equal(port_lid(ff_port(kept, "two ports", 2)), 13);
    assert_int_equal(port_lmc(ff_port(kept, "two ports", 2)), 0); /* no range of two begins at 13 */
    assert_int_equal(port_lid(ff_port(kept, "rt", 1)), 0);
    assert_int_equal(port_lid(ff_port(forgotten, "sw", 0)), 0);
    assert_int_equal(port_lid(ff_port(forgotten, "two ports", 1)), 0);
    assert_int_equal(port_lmc(ff_port(forgotten, "two ports", 1)), 0);
    ff_free(kept);
    ff_free(forgotten);
}

static void test_a_lid_that_is_none_is_not_kept(void **state)
{
    struct ff *ff = new_with("Ca 1 \"H-0000000000000020\" # \"a\"\n"
                             "[1] \"H-0000000000000021\"[1] # lid 65535 lmc 0 \"b\" lid 0 4xEDR\n",
                             1, true);

    (void)state;
    assert_int_equal(port_lid(ff_port(ff, "a", 1)), 0);
    ff_free(ff);
}

/* Where the two ends of a cable contradict each other, what was said first holds. */
static void test_a_cable_that_the_file_contradicts_is_left_out(void **state)
{
    struct ff *ff = ff_new("Ca 1 \"H-0000000000000020\" # \"a\"\n"
                           "[1] \"H-0000000000000030\"[1] # lid 0 lmc 0 \"b\" lid 0 4xEDR\n"
                           "Ca 1 \"H-0000000000000030\" # \"b\"\n"
                           "[1] \"H-0000000000000040\"[1] # lid 0 lmc 0 \"c\" lid 0 4xEDR\n"
                           "Ca 1 \"H-0000000000000040\" # \"c\"\n"
                           "[1] \"H-0000000000000030\"[1] # lid 0 lmc 0 \"b\" lid 0 4xEDR\n",
                           NULL);
    unsigned cabled = 0;

    (void)state;
    for (uint32_t i = 0; i < ff->f->port_count; i++)
        if (ff->f->ports[i].peer != FABRIC_NONE)
            cabled++;
    assert_int_equal(cabled, 2);
    ff_free(ff);
}

static void test_an_end_that_says_no_speed_has_the_others(void **state)
{
    struct ff *ff = ff_new(rich, NULL); /* "only seen" has no line of its own */
    struct ff *vague = ff_new("Ca 1 \"H-0000000000000020\" # \"a\"\n"
                              "[1] \"H-0000000000000030\"[1] # lid 0 lmc 0 \"b\" lid 0 2xHDR\n"
                              "Ca 1 \"H-0000000000000030\" # \"b\"\n"
                              "[1] \"H-0000000000000020\"[1] # lid 0 lmc 0 \"a\" lid 0 ?????\n",
                              NULL);

    (void)state;
    assert_int_equal(info(ff_port(ff, "only seen", 3), WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE), 8);
    assert_int_equal(info(ff_port(vague, "b", 1), WIRE_PORT_INFO_LINK_WIDTH_ACTIVE), 16);
    assert_int_equal(info(ff_port(vague, "b", 1), WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE), 4);
    ff_free(ff);
    ff_free(vague);
}

static void test_ports_without_a_cable_are_as_fast_as_the_node(void **state)
{
    struct ff *ff = ff_new("Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
                           "[2] \"H-0000000000000020\"[1] # \"a\" lid 0 4xQDR\n"
                           "[3] \"H-0000000000000030\"[1] # \"b\" lid 0 1xDDR\n",
                           NULL);
    struct fabric_port_info port0;

    (void)state;
    assert_int_equal(info(ff_port(ff, "sw", 4), WIRE_PORT_INFO_LINK_SPEED_SUPPORTED), 7);
    assert_int_equal(info(ff_port(ff, "sw", 4), WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED), 0);
    assert_int_equal(fabric_port(ff->f, 0, 0, &port0), 0);
    assert_int_equal(port0.state, 4);
    assert_int_equal(port0.rate_gbps, 40);
    ff_free(ff);
}

static void test_nodes_without_any_cable_are_built(void **state)
{
    struct ff *ff = ff_new("Ca 2 \"H-0000000000000020\" # \"a\"\n"
                           "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n",
                           NULL);

    (void)state;
    assert_int_equal(ff->f->port_count, 8);
    assert_int_equal(port_get_state(ff_port(ff, "a", 2)), PORT_STATE_DOWN);
    ff_free(ff);
}

static int build(const struct topo *t, struct fabric_error *error)
{
    struct fabric_config c;
    struct fabric *f = NULL;
    int err;

    fabric_config_init(&c);
    err = fabric_new(&c, t, &pages_alloc, &f, error);
    fabric_free(f);
    return err;
}

static struct topo *parse(const char *text)
{
    struct topo_error error;
    struct topo *t = NULL;

    assert_int_equal(topo_parse(text, strlen(text), &t, &error), 0);
    return t;
}

static void test_a_port_with_two_cables_is_refused(void **state)
{
    struct fabric_error error = {.text = ""};
    struct topo *t = parse(ff_chain);
    uint32_t a = topo_find_port(t, 0, 1), b = topo_find_port(t, 0, 2);

    (void)state;
    t->ports[b].num = 1; /* two records of one port */
    assert_int_equal(build(t, &error), WEFT_ERR_INVALID);
    assert_non_null(strstr(error.text, "two cables"));
    assert_non_null(strstr(error.text, "0x0000000000000011"));
    t->ports[b].num = 2;
    assert_int_equal(build(t, &error), 0);
    t->ports[a].peer_port = a;
    assert_int_equal(build(t, &error), WEFT_ERR_INVALID);
    assert_non_null(strstr(error.text, "port 1 of node 0x0000000000000011 has a cable to itself"));
    topo_free(t);
}

static void test_a_topology_of_no_nodes_or_too_many_is_refused(void **state)
{
    struct fabric_error error = {.text = ""};
    const struct topo none = {.node_count = 0};
    struct topo many = {.node_count = FABRIC_NODES_MAX + 1};

    (void)state;
    assert_int_equal(build(&none, &error), WEFT_ERR_INVALID);
    assert_non_null(strstr(error.text, "no nodes"));
    assert_int_equal(build(&many, &error), WEFT_ERR_FULL);
    assert_non_null(strstr(error.text, "65537"));
}

static void test_the_samples_of_the_reader_are_built(void **state)
{
    static const char *const specs[] = {"fat-tree:hosts=324,radix=36", "torus:x=3,y=3,z=3,hosts=4",
                                        "dragonfly:a=4,p=2,h=2,g=9"};

    (void)state;
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        struct ff *ff = ff_new(specs[i], NULL);

        for (uint32_t k = 0; k < ff->f->port_count; k++) {
            const struct port *p = &ff->f->ports[k];

            if (p->peer != FABRIC_NONE)
                assert_int_equal(port_get_state(p), PORT_STATE_INIT);
        }
        ff_free(ff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_are_as_the_file_says),
        cmocka_unit_test(test_a_node_only_seen_at_a_cable_is_there_with_the_ports_it_must_have),
        cmocka_unit_test(test_port_guids_are_the_files_or_follow_from_the_nodes),
        cmocka_unit_test(test_a_port_guid_that_another_node_has_is_not_made),
        cmocka_unit_test(test_every_guid_is_found_and_no_other),
        cmocka_unit_test(test_guids_are_made_from_seed_and_id),
        cmocka_unit_test(test_ids_stand_in_for_names),
        cmocka_unit_test(test_cables_join_both_ends),
        cmocka_unit_test(test_end_ports_say_what_hosts_say),
        cmocka_unit_test(test_speeds_that_came_later_are_said_in_capability_mask_2),
        cmocka_unit_test(test_a_switch_speaks_through_port_0),
        cmocka_unit_test(test_tables_of_two_switches_do_not_overlap),
        cmocka_unit_test(test_lids_of_the_file_are_kept_or_forgotten),
        cmocka_unit_test(test_a_lid_that_is_none_is_not_kept),
        cmocka_unit_test(test_a_cable_that_the_file_contradicts_is_left_out),
        cmocka_unit_test(test_an_end_that_says_no_speed_has_the_others),
        cmocka_unit_test(test_ports_without_a_cable_are_as_fast_as_the_node),
        cmocka_unit_test(test_nodes_without_any_cable_are_built),
        cmocka_unit_test(test_a_port_with_two_cables_is_refused),
        cmocka_unit_test(test_a_topology_of_no_nodes_or_too_many_is_refused),
        cmocka_unit_test(test_the_samples_of_the_reader_are_built),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
