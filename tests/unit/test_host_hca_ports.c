/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which port of this machine is chosen, and which are passed over. */
#include "hca_fixture.h"

#include <string.h>

#define SMI_DISABLED 0x400

/* Two adapters: one with RoCE and a port without cable, one with InfiniBand. */
static const struct fake_port mixed[] = {
    {"mlx5_0", "Ethernet", 0x10, 1, 4, 0, 0},
    {"mlx5_0", "InfiniBand", 0x11, 2, 1, 0, 0},
    {"mlx5_1", "InfiniBand", 0x20, 1, 2, 0, 0},
    {"mlx5_1", "InfiniBand", 0x21, 2, 4, 7, 0},
    {"odd", NULL, 0, 1, 0, 0, 0},
};

/* A port that two devices are at. */
static const struct fake_port split[] = {
    {"mlx5_0", "InfiniBand", 0x10, 1, 4, 7, SMI_DISABLED},
    {"smi1", "InfiniBand", 0x10, 1, 4, 7, 0},
    {"mlx5_2", "InfiniBand", 0x30, 1, 4, 8, SMI_DISABLED},
};

static void read_ports(const struct fake_port *ports, size_t count, struct hca_ports *ret)
{
    fake_begin(ports, count);
    assert_int_equal(hca_ports_read(ret, (char[LIBRARY_TEXT_BYTES]){""}), 0);
}

static void test_each_port_has_a_word(void **state)
{
    static const enum hca_fitness want[] = {HCA_OTHER_LAYER, HCA_DOWN, HCA_LINK_UP, HCA_ACTIVE,
                                            HCA_NO_PORT};
    struct hca_ports all;

    (void)state;
    read_ports(mixed, 5, &all);
    assert_int_equal(all.count, 5);
    for (size_t i = 0; i < all.count; i++) {
        assert_string_equal(all.ports[i].ca, mixed[i].ca);
        assert_int_equal(all.ports[i].fitness, want[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hca_fitness_words(want[i]), hca_fitness_words(want[k]));
    }
    assert_string_equal(all.ports[0].layer, "Ethernet");
    assert_int_equal(all.ports[3].lid, 7);
    assert_int_equal(all.ports[3].guid, 0x21);
    assert_int_equal(all.ports[3].gid_prefix, 0xfe80000000000000);
    assert_int_equal(all.ports[3].sm_lid, 3);
    assert_int_equal(all.ports[3].sm_sl, 2);
}

static void test_a_choice(void **state)
{
    static const struct {
        const char *ca;
        uint8_t number;
        int err;
        uint64_t guid;
    } rows[] = {
        {NULL, 0, 0, 0x21},     /* the first active one, behind one that is not */
        {"mlx5_1", 0, 0, 0x21}, /* of that adapter */
        {"mlx5_1", 1, 0, 0x20}, /* said: without an SM it will do */
        {NULL, 1, 0, 0x20},     /* of all with that number */
        {NULL, 2, 0, 0x21},
        {"mlx5_0", 0, WEFT_ERR_STATE, 0}, /* Ethernet, and down */
        {"mlx5_0", 1, WEFT_ERR_STATE, 0},
        {"mlx5_0", 2, WEFT_ERR_STATE, 0},
        {"odd", 0, WEFT_ERR_STATE, 0},
        {"mlx5_0", 3, WEFT_ERR_NOTFOUND, 0},
        {"mlx5_9", 0, WEFT_ERR_NOTFOUND, 0},
        {NULL, 9, WEFT_ERR_NOTFOUND, 0},
    };
    struct hca_ports all;
    struct hca_choice choice;

    (void)state;
    read_ports(mixed, 5, &all);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        memset(&choice, 0, sizeof(choice));
        assert_int_equal(hca_ports_choose(&all, rows[i].ca, rows[i].number, &choice), rows[i].err);
        assert_int_equal(choice.gsi.guid, rows[i].guid);
        assert_int_equal(choice.smi.guid, rows[i].guid);
    }
}

static void test_an_active_port_goes_before_one_that_stands_first(void **state)
{
    static const struct fake_port ports[] = {{"a", "IB", 1, 1, 2, 0, 0}, {"b", "", 2, 1, 4, 0, 0}};
    struct hca_ports all;
    struct hca_choice choice;

    (void)state;
    read_ports(ports, 2, &all);
    assert_int_equal(hca_ports_choose(&all, NULL, 0, &choice), 0);
    assert_string_equal(choice.gsi.ca, "b");
    read_ports(ports, 1, &all);
    assert_int_equal(hca_ports_choose(&all, NULL, 0, &choice), 0);
    assert_string_equal(choice.gsi.ca, "a");
}

static void test_two_devices_of_a_port_are_a_pair_whichever_is_named(void **state)
{
    static const char *const named[] = {NULL, "mlx5_0", "smi1"};
    struct hca_ports all;
    struct hca_choice choice;

    (void)state;
    read_ports(split, 3, &all);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(hca_ports_choose(&all, named[i], 0, &choice), 0);
        assert_string_equal(choice.gsi.ca, "mlx5_0");
        assert_string_equal(choice.smi.ca, "smi1");
    }
    assert_int_equal(hca_ports_choose(&all, "mlx5_2", 0, &choice), 0);
    assert_string_equal(choice.gsi.ca, "mlx5_2");
    assert_string_equal(choice.smi.ca, "");
}

static void test_a_machine_without_adapters(void **state)
{
    struct hca_ports all;
    struct hca_choice choice;

    (void)state;
    read_ports(NULL, 0, &all);
    assert_int_equal(all.count, 0);
    assert_int_equal(hca_ports_choose(&all, NULL, 0, &choice), WEFT_ERR_NOTFOUND);
}

static void test_a_machine_without_libibumad(void **state)
{
    char text[LIBRARY_TEXT_BYTES] = "";
    struct hca_ports all;

    (void)state;
    fake_begin(mixed, 5);
    fake.no_library = true;
    assert_int_equal(hca_ports_read(&all, text), WEFT_ERR_STATE);
    assert_string_equal(text, "there is none");
    assert_int_equal(all.count, 0);
}

static void test_one_port_is_read_anew(void **state)
{
    struct hca_port p;

    (void)state;
    fake_begin(mixed, 5);
    assert_true(hca_port_read("mlx5_1", 2, &p));
    assert_int_equal(p.lid, 7);
    assert_int_equal(p.fitness, HCA_ACTIVE);
    assert_false(hca_port_read("mlx5_1", 3, &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_port_has_a_word),
        cmocka_unit_test(test_a_choice),
        cmocka_unit_test(test_an_active_port_goes_before_one_that_stands_first),
        cmocka_unit_test(test_two_devices_of_a_port_are_a_pair_whichever_is_named),
        cmocka_unit_test(test_a_machine_without_adapters),
        cmocka_unit_test(test_a_machine_without_libibumad),
        cmocka_unit_test(test_one_port_is_read_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
