/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Graphs for Graphviz. */
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

static char *drawn(const char *input, bool hosts)
{
    struct topo *t = sample_parse(input);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    assert_int_equal(topo_write_dot(t, hosts, out), 0);
    assert_int_equal(fclose(out), 0);
    topo_free(t);
    return text;
}

static uint32_t count(const char *text, const char *part)
{
    uint32_t found = 0;

    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        found++;
    return found;
}

static void test_levels_ports_and_slow_links_are_drawn(void **state)
{
    char *text = drawn(two_rails, true);

    (void)state;
    assert_int_equal(count(text, "label=\"level 0\""), 1);
    assert_int_equal(count(text, " -- "), 5);
    assert_non_null(strstr(text, "\"Switch-0000000000000002\" -- \"Ca-00000000000000b2\" "
                                 "[taillabel=\"2\", headlabel=\"1\", color=red, penwidth=3, "
                                 "fontcolor=red, label=\"1xEDR\"];"));
    assert_int_equal(count(text, "color=red, penwidth"), 1);
    free(text);
}

static void test_without_hosts_their_number_is_drawn(void **state)
{
    char *text = drawn(two_rails, false);

    (void)state;
    assert_int_equal(count(text, "Ca-"), 0);
    assert_int_equal(count(text, "\\n2 hosts\""), 2);
    free(text);
}

static void test_no_name_ends_its_quotes(void **state)
{
    char *text = drawn("Switch 4 \"S-0000000000000001\" # \"a\"b\\\" base port 0 lid 1\n", true);

    (void)state;
    assert_non_null(strstr(text, "[label=\"a\\\"b\\\\\"];"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_ports_and_slow_links_are_drawn),
        cmocka_unit_test(test_without_hosts_their_number_is_drawn),
        cmocka_unit_test(test_no_name_ends_its_quotes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
