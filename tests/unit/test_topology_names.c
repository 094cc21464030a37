/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of hosts and switches. */
#include "topology/names.h"
#include "topology_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_host(const char *description, enum topo_host_names how, const char *wanted)
{
    struct topo_node node = {.guid = 0x2c903, .type = TOPO_CA};

    snprintf(node.name, sizeof(node.name), "%s", description);
    assert_string_equal(topo_host_name(&node, how).text, wanted);
}

static void test_hosts_are_called_as_clusters_call_them(void **state)
{
    static const char generic[] = "MT25408 ConnectX Mellanox Technologies";

    (void)state;
    assert_host("host01 HCA-1", TOPO_HOST_FIRST, "host01");
    assert_host("  host01  mlx5_0", TOPO_HOST_FIRST, "host01");
    assert_host("mlx5_0 host01 ", TOPO_HOST_LAST, "host01");
    assert_host("host01 HCA-1", TOPO_HOST_WHOLE, "host01_HCA-1");
    assert_host("host01 HCA-1", TOPO_HOST_GUID, "host-000000000002c903");
    assert_host("host01.example.org HCA-1", TOPO_HOST_FIRST, "host01.example.org");
    assert_host(generic, TOPO_HOST_FIRST, "host-000000000002c903");
    assert_host("", TOPO_HOST_FIRST, "host-000000000002c903");
    assert_host("\xff,[", TOPO_HOST_FIRST, "host-000000000002c903");
    assert_host("a[1,2]=b# x", TOPO_HOST_FIRST, "a_1_2_b");
    assert_host("DEFAULT x", TOPO_HOST_FIRST, "host-000000000002c903");
}

static void test_a_word_of_a_description_is_a_whole_word(void **state)
{
    (void)state;
    assert_true(topo_name_has_word("host01 HCA-1", "HCA-1"));
    assert_true(topo_name_has_word(" HCA-1  x", "HCA-1"));
    assert_false(topo_name_has_word("host01 HCA-11", "HCA-1"));
    assert_false(topo_name_has_word("host01", "HCA-1"));
    assert_false(topo_name_has_word("", "HCA-1"));
}

static void assert_switches(const char *const *descriptions, const char *const *wanted)
{
    char text[1024] = "";
    size_t used = 0;
    struct topo_legal_name *names;
    struct topo *t;

    for (size_t i = 0; descriptions[i]; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "Switch 4 \"S-000000000000000%zu\" # \"%s\" base port 0 lid 1\n",
                                 i + 1, descriptions[i]);
    t = sample_parse(text);
    names = topo_switch_names(t);
    assert_non_null(names);
    for (size_t i = 0; wanted[i]; i++)
        assert_string_equal(names[i].text, wanted[i]);
    free(names);
    topo_free(t);
}

static void test_switch_names_are_short_and_different(void **state)
{
    static const char *const managed[] = {"MF0;sw1:MQM8700/U1", "MF0;sw2:MQM8700/U1", NULL};
    static const char *const short_names[] = {"sw1", "sw2", NULL};
    static const char *const director[] = {"MF0;cs1:CS7500/L01/U1", "MF0;cs1:CS7500/S01/U1",
                                           "MF0;sw2:MQM8700/U1", NULL};
    static const char *const chips[] = {"cs1-L01-U1", "cs1-S01-U1", "sw2", NULL};
    static const char *const twins[] = {"leaf 1", "leaf 1", "Quantum Mellanox Technologies", NULL};
    static const char *const by_guid[] = {"leaf_1-0000000000000001", "leaf_1-0000000000000002",
                                          "switch-0000000000000003", NULL};
    static const char *const clash[] = {"a", "a", "a-0000000000000001", NULL};
    static const char *const numbered[] = {"switch-0", "switch-1", "switch-2", NULL};

    (void)state;
    assert_switches(managed, short_names);
    assert_switches(director, chips);
    assert_switches(twins, by_guid);
    /* Who chooses names to clash gets numbers. */
    assert_switches(clash, numbered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts_are_called_as_clusters_call_them),
        cmocka_unit_test(test_a_word_of_a_description_is_a_whole_word),
        cmocka_unit_test(test_switch_names_are_short_and_different),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
