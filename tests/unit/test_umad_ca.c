/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Channel adapter and ports as programs see them. */
#include "umad/newer.h"
#include "umad_fixture.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_one_adapter_is_there(void **state)
{
    char names[2][UMAD_CA_NAME_LEN];

    (void)state;
    assert_int_equal(umad_init(), 0);
    assert_int_equal(umad_get_cas_names(names, 2), 1);
    assert_string_equal(names[0], "weft0");
    assert_int_equal(umad_get_cas_names(names, 0), 0);
    assert_int_equal(umad_done(), 0);
}

static void test_an_adapter_with_its_ports(void **state)
{
    umad_ca_t ca;

    (void)state;
    assert_int_equal(umad_get_ca("mthca0", &ca), -ENODEV);
    assert_int_equal(umad_get_ca(NULL, &ca), 0);
    assert_string_equal(ca.ca_name, "weft0");
    assert_int_equal(ca.node_type, 1);
    assert_int_equal(ca.numports, 2);
    assert_string_equal(ca.ca_type, "weft");
    assert_string_equal(ca.hw_ver, "a1");
    assert_true(ca.fw_ver[0] >= '0');
    assert_int_equal(be64toh(ca.node_guid), 0x1122334455667788);
    assert_int_equal(be64toh(ca.system_guid), 0x99aabbccddeeff00);
    assert_null(ca.ports[0]);
    assert_int_equal(ca.ports[1]->portnum, 1);
    assert_int_equal(ca.ports[2]->portnum, 2);
    assert_null(ca.ports[3]);
    assert_int_equal(umad_release_ca(&ca), 0);
    assert_null(ca.ports[1]);
    assert_int_equal(umad_release_ca(NULL), -EINVAL);
}

static void test_a_port_in_the_orders_of_bytes_that_the_header_says(void **state)
{
    umad_port_t p;

    (void)state;
    assert_int_equal(umad_get_port("weft0", 2, &p), 0);
    assert_string_equal(p.ca_name, "weft0");
    assert_int_equal(p.portnum, 2);
    assert_int_equal(p.base_lid, 0x702);
    assert_int_equal(p.lmc, 1);
    assert_int_equal(p.sm_lid, 9);
    assert_int_equal(p.sm_sl, 3);
    assert_int_equal(p.state, 4);
    assert_int_equal(p.phys_state, 5);
    assert_int_equal(p.rate, 100);
    assert_int_equal(ntohl(p.capmask), 0x02514868);
    assert_int_equal(be64toh(p.gid_prefix), 0xfe80000000000000);
    assert_int_equal(be64toh(p.port_guid), 0x112233445566778a);
    assert_int_equal(p.pkeys_size, 3);
    assert_int_equal(p.pkeys[0], 0xFFFF);
    assert_int_equal(p.pkeys[2], 0xFFFD);
    assert_string_equal(p.link_layer, "InfiniBand");
    assert_int_equal(umad_release_port(&p), 0);
    assert_null(p.pkeys);
    assert_int_equal(umad_release_port(NULL), -EINVAL);
    assert_int_equal(umad_get_port("mthca0", 1, &p), -ENODEV);
    assert_int_equal(umad_get_port(NULL, 3, &p), -EINVAL);
}

static void test_the_port_that_nobody_names_is_the_first_active(void **state)
{
    umad_port_t p;

    (void)state;
    assert_int_equal(umad_get_port(NULL, 0, &p), 0);
    assert_int_equal(p.portnum, 2);
    assert_int_equal(umad_release_port(&p), 0);
    assert_int_equal(setenv("WEFT_PORT", "1", 1), 0);
    assert_int_equal(umad_get_port(NULL, 0, &p), 0);
    assert_int_equal(p.portnum, 1);
    assert_int_equal(umad_release_port(&p), 0);
    assert_int_equal(umad_get_port(NULL, 2, &p), 0);
    assert_int_equal(p.portnum, 2);
    assert_int_equal(umad_release_port(&p), 0);
}

static void test_port_guids_begin_with_port_0(void **state)
{
    __be64 guids[3] = {7, 7, 7};

    (void)state;
    assert_int_equal(umad_get_ca_portguids(NULL, guids, 3), 3);
    assert_int_equal(guids[0], 0);
    assert_int_equal(be64toh(guids[1]), 0x1122334455667789);
    assert_int_equal(be64toh(guids[2]), 0x112233445566778a);
    assert_int_equal(umad_get_ca_portguids("weft0", NULL, 0), 3);
    assert_int_equal(umad_get_ca_portguids("weft0", guids, 2), -ENOMEM);
    assert_int_equal(umad_get_ca_portguids("mthca0", guids, 3), -ENODEV);
}

static void test_the_path_of_the_SM(void **state)
{
    char path[256];

    (void)state;
    assert_int_equal(umad_get_issm_path(NULL, 1, path, sizeof(path)), 0);
    assert_string_equal(path, "/nowhere/issm");
    assert_int_equal(umad_get_issm_path(NULL, 1, path, 13), -ENAMETOOLONG);
    assert_int_equal(umad_get_issm_path(NULL, 1, path, 14), 0);
    assert_int_equal(umad_get_issm_path(NULL, 1, path, 0), -EINVAL);
    assert_int_equal(umad_get_issm_path(NULL, 3, path, sizeof(path)), -EINVAL);
    assert_int_equal(umad_get_issm_path("mthca0", 1, path, sizeof(path)), -ENODEV);
}

static void test_the_list_of_adapters(void **state)
{
    struct umad_device_node *list = umad_get_ca_device_list();

    (void)state;
    assert_non_null(list);
    assert_string_equal(list->ca_name, "weft0");
    assert_null(list->next);
    assert_int_equal(umad_sort_ca_device_list(&list, 0), 0);
    assert_int_equal(umad_sort_ca_device_list(&list, 1), 0);
    assert_int_equal(umad_sort_ca_device_list(&list, 2), -EINVAL);
    assert_int_equal(umad_sort_ca_device_list(NULL, 0), -EINVAL);
    umad_free_ca_device_list(list);
    umad_free_ca_device_list(NULL);
}

static void test_lists_are_sorted_by_name(void **state)
{
    struct umad_device_node nodes[] = {
        {.ca_name = "m"}, {.ca_name = "a"}, {.ca_name = "z"}, {.ca_name = "b"}};
    struct umad_device_node *list = nodes;

    (void)state;
    for (int i = 0; i < 3; i++)
        nodes[i].next = &nodes[i + 1];
    assert_int_equal(umad_sort_ca_device_list(&list, 4), 0);
    for (const char *c = "abmz"; *c; c++) {
        assert_int_equal(list->ca_name[0], *c);
        list = list->next;
    }
    assert_null(list);
    assert_int_equal(umad_sort_ca_device_list(&list, 0), 0);
}

static void test_one_device_does_both_kinds_of_services(void **state)
{
    struct umad_ca_pair pairs[2];

    (void)state;
    assert_int_equal(umad_get_smi_gsi_pairs(pairs, 0), 0);
    assert_int_equal(umad_get_smi_gsi_pairs(pairs, 2), 1);
    assert_string_equal(pairs[0].smi_name, "weft0");
    assert_string_equal(pairs[0].gsi_name, "weft0");
    assert_int_equal(pairs[0].smi_preferred_port, 2);
    assert_int_equal(umad_get_smi_gsi_pair_by_ca_name("weft0", 1, &pairs[1]), 0);
    assert_int_equal(pairs[1].gsi_preferred_port, 1);
    assert_int_equal(umad_get_smi_gsi_pair_by_ca_name(NULL, 0, &pairs[1]), 0);
    assert_int_equal(pairs[1].gsi_preferred_port, 2);
    assert_int_equal(umad_get_smi_gsi_pair_by_ca_name("weft0", 9, &pairs[1]), 1);
    assert_int_equal(umad_get_smi_gsi_pair_by_ca_name("mthca0", 1, &pairs[1]), 1);
}

static void test_a_switch_has_port_0(void **state)
{
    const struct fake_node node = {.type = 2, .ports = 36, .states = {4}, .pkeys = 1};
    __be64 guids[1];
    umad_ca_t ca;
    int fd;

    (void)state;
    fake_stop();
    fake_start(&node);
    assert_int_equal(umad_get_ca(NULL, &ca), 0);
    assert_int_equal(ca.node_type, 2);
    assert_int_equal(ca.numports, 0);
    assert_int_equal(ca.ports[0]->portnum, 0);
    assert_null(ca.ports[1]);
    assert_int_equal(umad_release_ca(&ca), 0);
    assert_int_equal(umad_get_ca_portguids(NULL, guids, 1), 1);
    assert_int_equal(be64toh(guids[0]), 0x1122334455667788);
    fd = fake_open();
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_ports_beyond_what_the_structure_has_are_not_shown(void **state)
{
    const struct fake_node node = {.type = 3, .ports = 24, .states = {[5] = 4}, .pkeys = 1};
    umad_ca_t ca;
    int fd;

    (void)state;
    fake_stop();
    fake_start(&node);
    assert_int_equal(umad_get_ca(NULL, &ca), 0);
    assert_int_equal(ca.numports, UMAD_CA_MAX_PORTS - 1);
    assert_int_equal(umad_release_ca(&ca), 0);
    fd = umad_open_port(NULL, 24);
    assert_true(fd >= 0);
    assert_int_equal(umad_close_port(fd), 0);
}

static int setup(void **state)
{
    (void)state;
    fake_start(&fake_adapter);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fake_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_adapter_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_adapter_with_its_ports, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_port_in_the_orders_of_bytes_that_the_header_says,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_port_that_nobody_names_is_the_first_active, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_port_guids_begin_with_port_0, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_path_of_the_SM, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_list_of_adapters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lists_are_sorted_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_device_does_both_kinds_of_services, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_switch_has_port_0, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ports_beyond_what_the_structure_has_are_not_shown,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
