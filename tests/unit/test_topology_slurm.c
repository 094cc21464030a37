/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* topology.conf of Slurm. */
#include "topology/convert.h"
#include "topology_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two hosts with two adapters each, a switch a rail, and one aggregation node. */
static const char two_rails[] =
    "Switch 4 \"S-0000000000000001\" # \"rail1\" base port 0 lid 1 lmc 0\n"
    "[1] \"H-00000000000000a1\"[1] # \"n1 HCA-1\" lid 11 4xEDR\n"
    "[2] \"H-00000000000000b1\"[1] # \"n2 HCA-1\" lid 12 4xEDR\n"
    "[3] \"H-00000000000000c1\"[1] # \"Mellanox Technologies Aggregation Node\" lid 9 4xEDR\n"
    "Switch 4 \"S-0000000000000002\" # \"rail2\" base port 0 lid 2 lmc 0\n"
    "[1] \"H-00000000000000a2\"[1] # \"n1 HCA-2\" lid 13 4xEDR\n"
    "[2] \"H-00000000000000b2\"[1] # \"n2 HCA-2\" lid 14 1xEDR\n"
    "Ca 1 \"H-00000000000000a1\" # \"n1 HCA-1\"\n"
    "Ca 1 \"H-00000000000000b1\" # \"n2 HCA-1\"\n"
    "Ca 1 \"H-00000000000000a2\" # \"n1 HCA-2\"\n"
    "Ca 1 \"H-00000000000000b2\" # \"n2 HCA-2\"\n"
    "Ca 1 \"H-00000000000000c1\" # \"Mellanox Technologies Aggregation Node\"\n";

#define FIRST_LINE                                                                                 \
    "# Switches and hosts of an InfiniBand fabric, for TopologyPlugin=topology/tree\n"

static struct topo_slurm_report assert_conf(const char *input, struct topo_slurm_options o,
                                            const char *wanted)
{
    struct topo_slurm_report report;
    struct topo *t = sample_parse(input);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    assert_int_equal(topo_write_slurm(t, &o, out, &report), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strncmp(text, FIRST_LINE, strlen(FIRST_LINE)), 0);
    assert_string_equal(text + strlen(FIRST_LINE), wanted);
    free(text);
    topo_free(t);
    return report;
}

static void test_a_host_is_at_the_switch_of_its_first_port(void **state)
{
    struct topo_slurm_report r =
        assert_conf(two_rails, (struct topo_slurm_options){0}, "SwitchName=rail1 Nodes=n[1-2]\n");

    (void)state;
    assert_int_equal(r.hosts, 2);
    assert_int_equal(r.ports_left_out, 2);
    assert_int_equal(r.hosts_left_out, 0);
    assert_int_equal(r.across, 0);
    assert_int_equal(r.roots, 1);
}

static void test_a_rail_is_an_adapter_s_word_or_a_port_s_number(void **state)
{
    struct topo_slurm_report r = assert_conf(
        two_rails, (struct topo_slurm_options){.rail = "HCA-2"}, "SwitchName=rail2 Nodes=n[1-2]\n");

    (void)state;
    assert_int_equal(r.ports_left_out, 0);
    (void)assert_conf(two_rails, (struct topo_slurm_options){.port = 2},
                      "SwitchName=rail2 Nodes=n[1-2]\n");
    (void)assert_conf(two_rails, (struct topo_slurm_options){.names = TOPO_HOST_WHOLE},
                      "SwitchName=rail1 Nodes=n1_HCA-1,n2_HCA-1\n"
                      "SwitchName=rail2 Nodes=n1_HCA-2,n2_HCA-2\n");
}

static void test_without_hosts_nothing_is_written(void **state)
{
    struct topo_slurm_options o = {.rail = "HCA-3"};
    struct topo_slurm_report report;
    struct topo *t = sample_parse(two_rails);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    assert_int_equal(topo_write_slurm(t, &o, out, &report), WEFT_ERR_NOTFOUND);
    fclose(out);
    assert_int_equal(bytes, 0);
    free(text);
    topo_free(t);
}

static void test_cables_across_are_counted(void **state)
{
    struct topo_slurm_report r =
        assert_conf("Switch 4 \"a\"\n[1] \"x1\"[1]\n[2] \"b\"[2]\n"
                    "Switch 4 \"b\"\n[1] \"x2\"[1]\n[2] \"a\"[2]\n"
                    "Hca 1 \"x1\"\n[1] \"a\"[1]\nHca 1 \"x2\"\n[1] \"b\"[1]\n",
                    (struct topo_slurm_options){0},
                    "SwitchName=a Nodes=x1\nSwitchName=b Nodes=x2\n"
                    "# fabric is no switch: cables between the switches below join them\n"
                    "SwitchName=fabric Switches=a,b\n");

    (void)state;
    assert_int_equal(r.across, 1);
    assert_int_not_equal(r.across_port, TOPO_NONE);
}

/* Two pairs of leaves, each below spines of its own. */
static void test_switches_that_join_the_same_leaves_are_listed(void **state)
{
    struct topo_slurm_report r =
        assert_conf("Switch 4 \"a1\"\n[1] \"x1\"[1]\n[2] \"s1\"[1]\n[3] \"s2\"[1]\n"
                    "Switch 4 \"a2\"\n[1] \"x2\"[1]\n[2] \"s1\"[2]\n[3] \"s2\"[2]\n"
                    "Switch 4 \"b1\"\n[1] \"x3\"[1]\n[2] \"s3\"[1]\n"
                    "Switch 4 \"b2\"\n[1] \"x4\"[1]\n[2] \"s3\"[2]\n"
                    "Switch 4 \"s1\"\n[1] \"a1\"[2]\n[2] \"a2\"[2]\n"
                    "Switch 4 \"s3\"\n[1] \"b1\"[2]\n[2] \"b2\"[2]\n"
                    "Switch 4 \"s2\"\n[1] \"a1\"[3]\n[2] \"a2\"[3]\n"
                    "Hca 1 \"x1\"\n[1] \"a1\"[1]\nHca 1 \"x2\"\n[1] \"a2\"[1]\n"
                    "Hca 1 \"x3\"\n[1] \"b1\"[1]\nHca 1 \"x4\"\n[1] \"b2\"[1]\n",
                    (struct topo_slurm_options){0},
                    "SwitchName=a1 Nodes=x1\nSwitchName=a2 Nodes=x2\n"
                    "SwitchName=b1 Nodes=x3\nSwitchName=b2 Nodes=x4\n"
                    "# s1 stands for 2 switches: s[1-2]\n"
                    "SwitchName=s1 Switches=a[1-2]\nSwitchName=s3 Switches=b[1-2]\n");

    (void)state;
    assert_int_equal(r.groups, 2);
    assert_int_equal(r.roots, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_host_is_at_the_switch_of_its_first_port),
        cmocka_unit_test(test_a_rail_is_an_adapter_s_word_or_a_port_s_number),
        cmocka_unit_test(test_without_hosts_nothing_is_written),
        cmocka_unit_test(test_cables_across_are_counted),
        cmocka_unit_test(test_switches_that_join_the_same_leaves_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
