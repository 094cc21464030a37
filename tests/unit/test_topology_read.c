/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of topologies: each kind of dirt that dumps have, by a sample of its own, and the
 * model that comes out. The samples all describe one switch with two hosts unless they say
 * otherwise. */
#include "topology/topology.h"
#include "topology_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LEAF     UINT64_C(0x002000000000a100)
#define NODE_1   UINT64_C(0x002000000000b100)
#define NODE_2   UINT64_C(0x002000000000b200)
#define ROUTER   UINT64_C(0x002000000000c100)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct topo_node *node_of(const struct topo *t, uint64_t guid)
{
    uint32_t node = topo_find_guid(t, guid);

    assert_int_not_equal(node, TOPO_NONE);
    return &t->nodes[node];
}

static const struct topo_port *port_of(const struct topo *t, uint64_t guid, uint8_t num)
{
    uint32_t port = topo_find_port(t, topo_find_guid(t, guid), num);

    assert_int_not_equal(port, TOPO_NONE);
    return &t->ports[port];
}

static void test_default_output_is_read_in_full(void **state)
{
    struct topo *t = sample_read("clean.topo");
    const struct topo_node *leaf = node_of(t, LEAF);
    const struct topo_node *host = node_of(t, NODE_1);
    const struct topo_port *port = port_of(t, NODE_1, 1);

    (void)state;
    assert_int_equal(leaf->type, TOPO_SWITCH);
    assert_int_equal(leaf->vendor_id, 0x2c9);
    assert_int_equal(leaf->device_id, 0xb924);
    assert_true(leaf->sysimg_guid == LEAF);
    assert_int_equal(leaf->num_ports, 36);
    assert_int_equal(leaf->lid, 1);
    assert_int_equal(leaf->port0, TOPO_PORT0_ENHANCED);
    assert_int_equal(leaf->line, 10);
    assert_string_equal(leaf->name, "leaf 1");
    assert_int_equal(host->type, TOPO_CA);
    assert_true(host->sysimg_guid == NODE_1 + 3);
    assert_string_equal(host->name, "node-1 HCA-1");
    assert_true(port->guid == NODE_1 + 1);
    assert_int_equal(port->lid, 11);
    assert_int_equal(port->peer_lid, 1);
    assert_int_equal(port->line, 19);
    assert_string_equal(port->width, "4x");
    assert_string_equal(port->speed, "QDR");
    assert_ptr_equal(&t->ports[port->peer_port], port_of(t, LEAF, 1));
    topo_free(t);
}

struct shape {
    const char *sample;
    uint32_t switches, cas, routers, links, hosts;
    size_t ignored;
};

/* One line a kind of dirt: what is still read, and how many lines are not. */
static const struct shape shapes[] = {
    {"clean.topo", 1, 2, 0, 2, 2, 0},          {"full.topo", 1, 2, 0, 2, 2, 0},
    {"progress.topo", 1, 2, 0, 2, 2, 2},       {"crlf.topo", 1, 2, 0, 2, 2, 0},
    {"no_blank_lines.topo", 1, 2, 0, 2, 2, 0}, {"glued.topo", 1, 2, 0, 2, 2, 0},
    {"terminal.topo", 1, 2, 0, 2, 2, 8},       {"grouping.topo", 1, 2, 0, 2, 2, 3},
    {"missing_guids.topo", 1, 2, 0, 2, 2, 0},  {"routers.topo", 1, 2, 1, 3, 2, 0},
    {"lid_none.topo", 1, 2, 0, 2, 2, 0},       {"words.topo", 1, 2, 0, 2, 2, 0},
    {"names.topo", 1, 2, 0, 2, 2, 0},          {"same_names.topo", 1, 2, 0, 2, 2, 0},
    {"ports_129.topo", 1, 2, 0, 2, 2, 0},      {"sharp.topo", 1, 2, 0, 2, 1, 0},
    {"self_cabled.topo", 1, 2, 0, 3, 2, 0},    {"speeds_differ.topo", 1, 2, 0, 2, 2, 0},
    {"one_sided.topo", 1, 1, 0, 2, 2, 0},      {"contradicting.topo", 1, 2, 0, 1, 2, 0},
    {"unreachable.topo", 2, 3, 0, 3, 3, 0},    {"duplicate_guid.topo", 1, 2, 0, 2, 2, 0},
    {"ibsim.net", 2, 3, 0, 4, 3, 0},           {"ports_report.txt", 1, 2, 0, 2, 2, 0},
};

static void test_every_kind_of_dirt_leaves_the_topology(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct shape *s = &shapes[i];
        struct topo *t = sample_read(s->sample);

        print_message("# %s\n", s->sample);
        assert_int_equal(t->switch_count, s->switches);
        assert_int_equal(t->ca_count, s->cas);
        assert_int_equal(t->router_count, s->routers);
        assert_int_equal(t->link_count, s->links);
        assert_int_equal(t->host_count, s->hosts);
        assert_int_equal(t->ignored_count, s->ignored);
        topo_free(t);
    }
}

/* Samples that differ from the clean one in nothing that a topology keeps. */
static void test_separators_line_ends_and_noise_change_nothing(void **state)
{
    static const char *const samples[] = {"crlf.topo",     "no_blank_lines.topo", "glued.topo",
                                          "terminal.topo", "progress.topo",       "full.topo",
                                          "grouping.topo"};
    struct topo *clean = sample_read("clean.topo");

    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct topo *t = sample_read(samples[i]);

        print_message("# %s\n", samples[i]);
        assert_true(topo_equal(t, clean));
        topo_free(t);
    }
    topo_free(clean);
}

static void test_ignored_lines_are_kept_with_number_and_text(void **state)
{
    struct topo *t = sample_read("terminal.topo");

    (void)state;
    assert_int_equal(t->ignored_kept, 8);
    assert_int_equal(t->ignored[1].line, 2);
    assert_string_equal(t->ignored[1].text, "*****  Authorised users only  *****");
    assert_int_equal(t->ignored[4].line, 11);
    assert_string_equal(t->ignored[4].text, "[1]+  Done                    sleep 5");
    topo_free(t);
}

static void test_names_are_verbatim(void **state)
{
    struct topo *t = sample_read("names.topo");

    (void)state;
    assert_string_equal(node_of(t, LEAF)->name, "MF0;leaf-1:MSB7800/U1");
    assert_string_equal(node_of(t, NODE_1)->name,
                        "rack 7;pos:12/slot \"B\" xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    assert_int_equal(strlen(node_of(t, NODE_1)->name), 64);
    assert_string_equal(node_of(t, NODE_2)->name, "a=b 'c' lid 7");
    topo_free(t);
}

static void test_nodes_of_one_name_stay_apart(void **state)
{
    struct topo *t = sample_read("same_names.topo");

    (void)state;
    assert_string_equal(node_of(t, NODE_1)->name, node_of(t, NODE_2)->name);
    assert_int_not_equal(topo_find_guid(t, NODE_1), topo_find_guid(t, NODE_2));
    topo_free(t);
}

static void test_lids_0_and_65535_are_none(void **state)
{
    struct topo *t = sample_read("lid_none.topo");

    (void)state;
    assert_int_equal(port_of(t, NODE_1, 1)->lid, 0);
    assert_int_equal(port_of(t, NODE_2, 1)->lid, 0);
    assert_int_equal(port_of(t, LEAF, 2)->peer_lid, 0);
    topo_free(t);
}

static void test_unknown_width_and_speed_words_are_kept(void **state)
{
    struct topo *t = sample_read("words.topo");

    (void)state;
    assert_string_equal(port_of(t, NODE_1, 1)->width, "16x");
    assert_string_equal(port_of(t, NODE_1, 1)->speed, "ZDR");
    assert_string_equal(port_of(t, NODE_2, 1)->width, "??");
    assert_string_equal(port_of(t, NODE_2, 1)->speed, "???");
    topo_free(t);
}

static void test_width_and_speed_of_each_end_are_kept(void **state)
{
    struct topo *t = sample_read("speeds_differ.topo");

    (void)state;
    assert_string_equal(port_of(t, LEAF, 1)->width, "1x");
    assert_string_equal(port_of(t, NODE_1, 1)->width, "4x");
    assert_string_equal(port_of(t, LEAF, 2)->speed, "SDR");
    assert_string_equal(port_of(t, NODE_2, 1)->speed, "QDR");
    topo_free(t);
}

static void test_port_129_has_its_cable(void **state)
{
    struct topo *t = sample_read("ports_129.topo");

    (void)state;
    assert_int_equal(node_of(t, LEAF)->num_ports, 129);
    assert_int_equal(port_of(t, LEAF, 129)->peer_node, topo_find_guid(t, NODE_2));
    topo_free(t);
}

static void test_aggregation_node_is_a_ca_but_no_host(void **state)
{
    struct topo *t = sample_read("sharp.topo");

    (void)state;
    assert_true(node_of(t, NODE_2)->aggregation);
    assert_false(node_of(t, NODE_1)->aggregation);
    assert_int_equal(t->hosts[0], topo_find_guid(t, NODE_1));
    topo_free(t);
}

static void test_missing_guid_lines_leave_the_quoted_id(void **state)
{
    struct topo *t = sample_read("missing_guids.topo");

    (void)state;
    assert_true(node_of(t, NODE_1)->sysimg_guid == 0);
    assert_true(node_of(t, NODE_1)->guid == NODE_1);
    topo_free(t);
}

static void test_routers_are_nodes(void **state)
{
    struct topo *t = sample_read("routers.topo");

    (void)state;
    assert_int_equal(node_of(t, ROUTER)->type, TOPO_ROUTER);
    assert_int_equal(port_of(t, ROUTER, 1)->lid, 13);
    topo_free(t);
}

static void test_self_cabled_switch_has_the_link(void **state)
{
    struct topo *t = sample_read("self_cabled.topo");
    const struct topo_port *port = port_of(t, LEAF, 7);

    (void)state;
    assert_int_equal(port->peer_node, port->node);
    assert_ptr_equal(&t->ports[port->peer_port], port_of(t, LEAF, 8));
    topo_free(t);
}

static void test_ibsim_names_stand_for_guids(void **state)
{
    struct topo *t = sample_read("ibsim.net");
    const struct topo_port *between = &t->ports[topo_find_port(t, 0, 3)];

    (void)state;
    assert_true(t->nodes[0].guid == 0);
    assert_string_equal(t->nodes[0].id, "Switch1");
    assert_string_equal(t->nodes[0].name, "Switch1");
    assert_string_equal(t->nodes[4].name, "far away host");
    assert_string_equal(between->width, "1x");
    assert_string_equal(between->speed, "SDR");
    /* Hca2 is named without a port: port 1, as ibsim takes it. */
    assert_int_equal(t->ports[topo_find_port(t, 0, 2)].peer_num, 1);
    topo_free(t);
}

static void test_ibsim_guid_line_and_name_are_one_node(void **state)
{
    struct topo *t = sample_parse("switchguid=0x77\nSwitch 4 \"spine\"\n[1] \"leaf\"[2]\n"
                                  "Switch 4 \"leaf\"\n[2] \"spine\"[1]\n");

    (void)state;
    assert_int_equal(topo_find_guid(t, 0x77), 0);
    assert_int_equal(t->link_count, 1);
    assert_int_equal(t->findings.count, 0);
    topo_free(t);
}

static void test_ports_report_gives_both_ends(void **state)
{
    struct topo *t = sample_read("ports_report.txt");
    const struct topo_port *port = port_of(t, NODE_2 + 1, 1);

    (void)state;
    assert_string_equal(node_of(t, NODE_2 + 1)->name, "node-2 'B' HCA-1");
    assert_int_equal(port->lid, 12);
    assert_int_equal(node_of(t, LEAF)->lid, 1);
    assert_string_equal(port->speed, "QDR");
    assert_false(port->implied);
    topo_free(t);
}

static void test_end_without_a_line_is_implied(void **state)
{
    struct topo *t = sample_read("one_sided.topo");
    const struct topo_port *port = port_of(t, NODE_2, 1);

    (void)state;
    assert_true(port->implied);
    assert_true(port->guid == NODE_2 + 1);
    assert_int_equal(port->lid, 12);
    assert_false(node_of(t, NODE_2)->declared);
    assert_string_equal(node_of(t, NODE_2)->name, "node-2 HCA-1");
    topo_free(t);
}

static void test_stanza_ends_at_the_next_attribute(void **state)
{
    /* The node line of the second stanza was lost: its ports belong to nobody, not to the first. */
    struct topo *t = sample_parse("Switch 4 \"S-0000000000000001\"\n[1] \"H-0000000000000002\"[1]\n"
                                  "vendid=0x2c9\n[2] \"H-0000000000000003\"[1]\n");

    (void)state;
    assert_int_equal(t->nodes[0].port_count, 1);
    assert_int_equal(t->ignored_count, 1);
    assert_int_equal(t->ignored[0].line, 4);
    topo_free(t);
}

static void test_stanza_ends_at_a_node_line_that_was_cut(void **state)
{
    static const char *const cut[] = {"Ca 1 \"H-b8cef60300aibwarn: [7] mad_rpc: failed",
                                      "Switch 36", "Rt\t2 ", "Hca 1 \"\" # \"x\""};

    (void)state;
    for (size_t i = 0; i < COUNT(cut); i++) {
        char text[256];
        struct topo *t;

        snprintf(text, sizeof(text),
                 "Switch 4 \"S-0000000000000001\"\n[1] \"H-0000000000000002\"[1]\n"
                 "%s\n[1] \"H-0000000000000003\"[1]\n",
                 cut[i]);
        print_message("# %s\n", cut[i]);
        t = sample_parse(text);
        assert_int_equal(t->nodes[0].port_count, 1);
        assert_int_equal(t->findings.count, 0);
        assert_int_equal(t->ignored_count, 2);
        assert_int_equal(t->ignored[0].line, 3);
        topo_free(t);
    }
}

static void test_attributes_of_a_lost_stanza_do_not_move_on(void **state)
{
    struct topo *t = sample_parse("vendid=0x1\ndevid=0x2\nsysimgguid=0x3\n"
                                  "vendid=0x4\nCa 1 \"H-0000000000000009\"\n");

    (void)state;
    assert_int_equal(t->nodes[0].vendor_id, 4);
    assert_int_equal(t->nodes[0].device_id, 0);
    assert_true(t->nodes[0].sysimg_guid == 0);
    topo_free(t);
}

static void test_text_before_a_stray_carriage_return_is_dropped(void **state)
{
    struct topo *t = sample_parse("Discovering 17%\rSwitch 4 \"S-0000000000000001\" # \"a\"\n");

    (void)state;
    assert_string_equal(t->nodes[0].name, "a");
    assert_int_equal(t->ignored_count, 0);
    topo_free(t);
}

static void test_first_of_two_lines_of_a_port_holds(void **state)
{
    struct topo *t = sample_parse("Switch 4 \"S-0000000000000001\"\n[1] \"H-0000000000000002\"[1]\n"
                                  "[1] \"H-0000000000000003\"[1]\n");

    (void)state;
    assert_int_equal(t->link_count, 1);
    assert_int_equal(t->findings.count, 1);
    assert_int_equal(t->findings.items[0].kind, TOPO_CONTRADICTING_LINK);
    assert_int_equal(t->findings.items[0].line, 3);
    assert_int_equal(topo_find_guid(t, 3), TOPO_NONE);
    topo_free(t);
}

struct refusal {
    const char *what;
    const char *text;
    size_t bytes;
    int err;
    uint32_t line;
};

static void test_what_is_no_topology_is_refused_with_its_line(void **state)
{
    static const struct refusal refusals[] = {
        {"nothing", "", 0, WEFT_ERR_FORMAT, 0},
        {"blank lines", "\n\n\n", 3, WEFT_ERR_FORMAT, 3},
        {"prose", "hello\nworld\n", 12, WEFT_ERR_FORMAT, 2},
        {"a 0 byte", "Switch 4 \"a\"\n[1]\0\n", 18, WEFT_ERR_FORMAT, 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *r = &refusals[i];
        struct topo_error error = {.line = UINT32_MAX};
        struct topo *t = NULL;

        print_message("# %s\n", r->what);
        assert_int_equal(topo_parse(r->text, r->bytes, &t, &error), r->err);
        assert_int_equal(error.line, r->line);
        assert_true(error.text[0] != '\0');
        assert_null(t);
    }
}

static void test_line_of_10_mb_is_refused_with_its_line(void **state)
{
    const size_t bytes = (size_t)10 << 20;
    char *text = malloc(bytes);
    struct topo_error error = {.line = 0};
    struct topo *t = NULL;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', bytes);
    memcpy(text, "Switch 4 \"a\"\n", 13);
    assert_int_equal(topo_parse(text, bytes, &t, &error), WEFT_ERR_FULL);
    assert_int_equal(error.line, 2);
    free(text);
}

static void test_longest_allowed_line_is_read(void **state)
{
    char *text = malloc(TOPO_LINE_BYTES_MAX + 64);
    struct topo_error error;
    struct topo *t = NULL;
    size_t length;

    (void)state;
    assert_non_null(text);
    memset(text, ' ', TOPO_LINE_BYTES_MAX);
    length = (size_t)snprintf(text + TOPO_LINE_BYTES_MAX - 12, 64, "Switch 4 \"a\"\n");
    length += TOPO_LINE_BYTES_MAX - 12;
    assert_int_equal(topo_parse(text, length, &t, &error), 0);
    assert_int_equal(t->switch_count, 1);
    topo_free(t);
    free(text);
}

static void test_more_nodes_than_the_limit_are_refused_with_their_line(void **state)
{
    const size_t step = sizeof("Ca 1 \"123456\"\n") - 1;
    const size_t nodes = TOPO_NODES_MAX + 1;
    char *text = malloc(nodes * step + 1);
    struct topo_error error = {.line = 0};
    struct topo *t = NULL;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < nodes; i++)
        snprintf(text + i * step, step + 1, "Ca 1 \"%06zu\"\n", i);
    assert_int_equal(topo_parse(text, nodes * step, &t, &error), WEFT_ERR_FULL);
    assert_int_equal(error.line, nodes);
    free(text);
}

static void test_missing_file_is_said(void **state)
{
    struct topo_error error = {.line = 1};
    struct topo *t = NULL;

    (void)state;
    assert_int_equal(topo_read_file("/nonexistent/dump", &t, &error), WEFT_ERR_NOTFOUND);
    assert_int_equal(error.line, 0);
    assert_non_null(strstr(error.text, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_output_is_read_in_full),
        cmocka_unit_test(test_every_kind_of_dirt_leaves_the_topology),
        cmocka_unit_test(test_separators_line_ends_and_noise_change_nothing),
        cmocka_unit_test(test_ignored_lines_are_kept_with_number_and_text),
        cmocka_unit_test(test_names_are_verbatim),
        cmocka_unit_test(test_nodes_of_one_name_stay_apart),
        cmocka_unit_test(test_lids_0_and_65535_are_none),
        cmocka_unit_test(test_unknown_width_and_speed_words_are_kept),
        cmocka_unit_test(test_width_and_speed_of_each_end_are_kept),
        cmocka_unit_test(test_port_129_has_its_cable),
        cmocka_unit_test(test_aggregation_node_is_a_ca_but_no_host),
        cmocka_unit_test(test_missing_guid_lines_leave_the_quoted_id),
        cmocka_unit_test(test_routers_are_nodes),
        cmocka_unit_test(test_self_cabled_switch_has_the_link),
        cmocka_unit_test(test_ibsim_names_stand_for_guids),
        cmocka_unit_test(test_ibsim_guid_line_and_name_are_one_node),
        cmocka_unit_test(test_ports_report_gives_both_ends),
        cmocka_unit_test(test_end_without_a_line_is_implied),
        cmocka_unit_test(test_stanza_ends_at_the_next_attribute),
        cmocka_unit_test(test_stanza_ends_at_a_node_line_that_was_cut),
        cmocka_unit_test(test_attributes_of_a_lost_stanza_do_not_move_on),
        cmocka_unit_test(test_text_before_a_stray_carriage_return_is_dropped),
        cmocka_unit_test(test_first_of_two_lines_of_a_port_holds),
        cmocka_unit_test(test_what_is_no_topology_is_refused_with_its_line),
        cmocka_unit_test(test_line_of_10_mb_is_refused_with_its_line),
        cmocka_unit_test(test_longest_allowed_line_is_read),
        cmocka_unit_test(test_more_nodes_than_the_limit_are_refused_with_their_line),
        cmocka_unit_test(test_missing_file_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
