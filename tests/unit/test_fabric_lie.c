/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lies of SMAs: what each answers, that only that is bent, and that the truth comes back. */
#include "fabric/lie.h"
#include "sma_lab.h"

static uint64_t field(struct packet *p, enum wire_field_id id)
{
    return wire_get(id, ff_data(p));
}

static struct packet node_info(struct sma_lab *lab, struct ff_route route)
{
    return ff_get(lab->a, route, WEFT_ATTR_NODE_INFO, 0);
}

static void test_local_port_num_is_above_num_ports(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    (void)state;
    ff_command(lab.ff, "lie sw local-port-num");
    p = node_info(&lab, SMA_LAB_SWITCH);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NUM_PORTS), 18);
    assert_int_equal(field(&p, WIRE_NODE_INFO_LOCAL_PORT), 19);
    p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_PORT_INFO, 3);
    assert_int_equal(field(&p, WIRE_PORT_INFO_LOCAL_PORT), 19);
    /* Nobody else lies. */
    p = node_info(&lab, SMA_LAB_BASE);
    assert_int_equal(field(&p, WIRE_NODE_INFO_LOCAL_PORT), 1);
    sma_lab_free(&lab);
}

static void test_num_ports_is_0(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    (void)state;
    ff_command(lab.ff, "lie b num-ports");
    p = node_info(&lab, SMA_LAB_B);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NUM_PORTS), 0);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NODE_GUID), 0x30);
    sma_lab_free(&lab);
}

static void test_another_node_s_node_info_under_the_own_port(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet lie, model;

    (void)state;
    ff_node(lab.ff, "a")->vendor = 0x112233;
    ff_command(lab.ff, "lie base node-info a");
    lie = node_info(&lab, SMA_LAB_BASE);
    model = node_info(&lab, SMA_LAB_CA);
    assert_int_equal(field(&lie, WIRE_NODE_INFO_LOCAL_PORT), 1);
    wire_set(WIRE_NODE_INFO_LOCAL_PORT, ff_data(&model), 1);
    wire_set(WIRE_NODE_INFO_PARTITION_CAP, ff_data(&model),
             field(&lie, WIRE_NODE_INFO_PARTITION_CAP));
    assert_memory_equal(ff_data(&lie), ff_data(&model), 64);
    assert_int_equal(field(&lie, WIRE_NODE_INFO_NODE_TYPE), 1);
    /* Of a switch the port's GUID is that of its port 0; of a router the type is 3. */
    ff_command(lab.ff, "lie b node-info sw");
    lie = node_info(&lab, SMA_LAB_B);
    assert_int_equal(field(&lie, WIRE_NODE_INFO_NODE_TYPE), 2);
    assert_int_equal(field(&lie, WIRE_NODE_INFO_PORT_GUID), 0x10);
    ff_command(lab.ff, "lie b node-info r");
    lie = node_info(&lab, SMA_LAB_B);
    assert_int_equal(field(&lie, WIRE_NODE_INFO_NODE_TYPE), 3);
    assert_int_equal(field(&lie, WIRE_NODE_INFO_NODE_GUID), 0x40);
    sma_lab_free(&lab);
}

static void test_guids_of_another_node_and_nothing_else(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    (void)state;
    ff_command(lab.ff, "lie sw guids base");
    p = node_info(&lab, SMA_LAB_SWITCH);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NODE_GUID), 0x50);
    assert_int_equal(field(&p, WIRE_NODE_INFO_PORT_GUID), 0x50);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NUM_PORTS), 18);
    assert_int_equal(field(&p, WIRE_NODE_INFO_LOCAL_PORT), 1);
    sma_lab_free(&lab);
}

static void test_answers_that_change_do_so_alike_in_each_run(void **state)
{
    uint64_t guids[2][4], types[2][4];

    (void)state;
    for (int run = 0; run < 2; run++) {
        struct sma_lab lab = sma_lab_new(NULL);

        ff_command(lab.ff, "lie sw new-guids");
        ff_command(lab.ff, "lie sw node-type");
        for (int i = 0; i < 4; i++) {
            struct packet p = node_info(&lab, SMA_LAB_SWITCH);

            guids[run][i] = field(&p, WIRE_NODE_INFO_NODE_GUID);
            types[run][i] = field(&p, WIRE_NODE_INFO_NODE_TYPE);
            for (int k = 0; k < i; k++)
                assert_true(guids[run][i] != guids[run][k]);
            if (i > 0)
                assert_int_equal(types[run][i] + types[run][i - 1], 3);
        }
        sma_lab_free(&lab);
    }
    assert_memory_equal(guids[0], guids[1], sizeof(guids[0]));
    assert_memory_equal(types[0], types[1], sizeof(types[0]));
}

static void test_ports_that_a_switch_does_not_have(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    (void)state;
    assert_int_equal(
        sma_lab_status(&lab, SMA_LAB_BASE, WEFT_METHOD_GET, WEFT_ATTR_PORT_INFO, 5, NULL), 0x1C);
    ff_command(lab.ff, "lie base port-info");
    p = node_info(&lab, SMA_LAB_BASE);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NUM_PORTS), 254);
    for (uint32_t number = 5; number <= 254; number++) {
        p = ff_get(lab.a, SMA_LAB_BASE, WEFT_ATTR_PORT_INFO, number);
        assert_int_equal(field(&p, WIRE_PORT_INFO_PORT_STATE), PORT_STATE_ACTIVE);
        assert_int_equal(field(&p, WIRE_PORT_INFO_PHYSICAL_STATE), PORT_PHYSICAL_LINK_UP);
        assert_int_equal(field(&p, WIRE_PORT_INFO_LOCAL_PORT), 1);
    }
    /* A port that it has is as it is. */
    p = ff_get(lab.a, SMA_LAB_BASE, WEFT_ATTR_PORT_INFO, 3);
    assert_int_equal(field(&p, WIRE_PORT_INFO_PORT_STATE), PORT_STATE_DOWN);
    /* A Set of one that is not there is refused as ever. */
    assert_int_equal(
        sma_lab_status(&lab, SMA_LAB_BASE, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 5, ff_data(&p)),
        0x1C);
    sma_lab_free(&lab);
}

/* The modifier's low byte is the port; what else is wrong with it stays refused, as do other
 * attributes. */
static void test_only_ports_beyond_the_last_are_invented(void **state)
{
    static const struct {
        uint16_t attr_id;
        uint32_t modifier;
        uint16_t status;
    } cases[] = {
        {WEFT_ATTR_PORT_INFO, 0x104, 0x1C}, {WEFT_ATTR_PORT_INFO, 0x100, 0x1C},
        {WEFT_ATTR_PORT_INFO, 0x105, 0},    {WEFT_ATTR_PORT_INFO, 0x1FF, 0},
        {WEFT_ATTR_PORT_INFO, 4, 0},        {WEFT_ATTR_PORT_INFO, 255, 0},
        {WEFT_ATTR_SWITCH_INFO, 5, 0x1C},   {WEFT_ATTR_NODE_INFO, 5, 0x1C},
    };
    struct sma_lab lab = sma_lab_new(NULL);

    (void)state;
    ff_command(lab.ff, "lie base port-info");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(sma_lab_status(&lab, SMA_LAB_BASE, WEFT_METHOD_GET, cases[i].attr_id,
                                        cases[i].modifier, NULL),
                         cases[i].status);
    sma_lab_free(&lab);
}

static void test_a_node_description_without_an_end(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet p;

    (void)state;
    ff_command(lab.ff, "lie b node-description");
    p = ff_get(lab.a, SMA_LAB_B, WEFT_ATTR_NODE_DESC, 0);
    assert_null(memchr(ff_data(&p), '\0', 64));
    assert_non_null(memchr(ff_data(&p), '\x1B', 64));
    assert_non_null(memchr(ff_data(&p), '\n', 64));
    /* Commands still find it. */
    ff_command(lab.ff, "lie b off");
    p = ff_get(lab.a, SMA_LAB_B, WEFT_ATTR_NODE_DESC, 0);
    assert_string_equal((const char *)ff_data(&p), "b");
    sma_lab_free(&lab);
}

static void test_the_truth_comes_back(void **state)
{
    static const char *const lies[] = {
        "lie sw local-port-num", "lie sw num-ports",        "lie sw node-info a",
        "lie sw guids b",        "lie sw new-guids",        "lie sw node-type",
        "lie sw port-info",      "lie sw node-description",
    };
    struct sma_lab lab = sma_lab_new(NULL);
    struct packet before = node_info(&lab, SMA_LAB_SWITCH), after;

    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        ff_command(lab.ff, lies[i]);
        ff_command(lab.ff, lies[i]);
        assert_int_equal(ff_stats(lab.ff).faults, i + 1);
    }
    assert_int_equal(sizeof(lies) / sizeof(lies[0]), LIES);
    after = node_info(&lab, SMA_LAB_SWITCH);
    assert_memory_not_equal(ff_data(&after), ff_data(&before), 64);
    ff_command(lab.ff, "lie sw off");
    ff_command(lab.ff, "lie sw off");
    assert_int_equal(ff_stats(lab.ff).faults, 0);
    after = node_info(&lab, SMA_LAB_SWITCH);
    assert_memory_equal(ff_data(&after), ff_data(&before), 64);
    sma_lab_free(&lab);
}

static void test_at_its_time_and_listed(void **state)
{
    struct sma_lab lab = sma_lab_new(NULL);
    char text[512];
    struct packet p;

    (void)state;
    ff_command(lab.ff, "at 2s lie sw guids b");
    ff_command(lab.ff, "at 1s lie sw num-ports");
    ff_command(lab.ff, "lie b node-info a");
    ff_advance(lab.ff, 2 * WEFT_S - 1);
    p = node_info(&lab, SMA_LAB_SWITCH);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NUM_PORTS), 0);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NODE_GUID), 0x10);
    ff_advance(lab.ff, 1);
    p = node_info(&lab, SMA_LAB_SWITCH);
    assert_int_equal(field(&p, WIRE_NODE_INFO_NODE_GUID), 0x30);
    assert_true(fabric_faults_text(lab.ff->f, text, sizeof(text)) < sizeof(text));
    assert_non_null(strstr(text, "lie \"sw\" num-ports\nlie \"sw\" guids \"b\"\n"));
    assert_non_null(strstr(text, "lie \"b\" node-info \"a\"\n"));
    assert_int_equal(ff_stats(lab.ff).faults, 3);
    sma_lab_free(&lab);
}

static void test_lies_that_cannot_be(void **state)
{
    static const struct {
        const char *line, *why;
        int err;
    } cases[] = {
        {"lie sw",
         "local-port-num, num-ports, node-info, guids, new-guids, node-type, port-info, "
         "node-description or off is expected",
         WEFT_ERR_FORMAT},
        {"lie sw numports", "did you mean num-ports?", WEFT_ERR_FORMAT},
        {"lie b port-info", "port-info is for switches", WEFT_ERR_FORMAT},
        {"lie sw guids", "the line ends where a node is expected", WEFT_ERR_FORMAT},
        {"lie sw guids c", "no node \"c\"", WEFT_ERR_NOTFOUND},
        {"lie c off", "no node \"c\"", WEFT_ERR_NOTFOUND},
        {"lie sw num-ports a", "\"a\" stands where the line's end", WEFT_ERR_FORMAT},
    };
    struct sma_lab lab = sma_lab_new(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fabric_error error = {.text = ""};

        assert_int_equal(fabric_command(lab.ff->f, 0, cases[i].line, &error), cases[i].err);
        if (!strstr(error.text, cases[i].why))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].line, error.text, cases[i].why);
    }
    assert_int_equal(ff_stats(lab.ff).faults, 0);
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_port_num_is_above_num_ports),
        cmocka_unit_test(test_num_ports_is_0),
        cmocka_unit_test(test_another_node_s_node_info_under_the_own_port),
        cmocka_unit_test(test_guids_of_another_node_and_nothing_else),
        cmocka_unit_test(test_answers_that_change_do_so_alike_in_each_run),
        cmocka_unit_test(test_ports_that_a_switch_does_not_have),
        cmocka_unit_test(test_only_ports_beyond_the_last_are_invented),
        cmocka_unit_test(test_a_node_description_without_an_end),
        cmocka_unit_test(test_the_truth_comes_back),
        cmocka_unit_test(test_at_its_time_and_listed),
        cmocka_unit_test(test_lies_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
