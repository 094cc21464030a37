/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parsing of commands: what good lines mean, and what is said of others. */
#include "fabric/command.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct ff *ff;

static int start(void **state)
{
    (void)state;
    ff = ff_new(ff_two_hosts, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    ff_free(ff);
    return 0;
}

static struct command parse_timed(const char *line, struct command_time *when)
{
    struct fabric_error error = {.text = ""};
    struct command c;

    if (command_parse(ff->f, line, strlen(line), &c, when, &error) != 0)
        fail_msg("%s: %s", line, error.text);
    return c;
}

static struct command parse(const char *line)
{
    struct command_time when;
    struct command c = parse_timed(line, &when);

    assert_int_equal(when.start, COMMAND_NOW);
    return c;
}

static uint32_t port(const char *name, uint8_t number)
{
    return port_index(ff->f, ff_port(ff, name, number));
}

static void test_empty_lines_are_nothing(void **state)
{
    (void)state;
    assert_int_equal(parse("").verb, COMMAND_NOTHING);
    assert_int_equal(parse("  # at 5s").verb, COMMAND_NOTHING);
}

static void test_links_and_nodes(void **state)
{
    struct command c = parse("link sw/2 down");

    (void)state;
    assert_int_equal(c.verb, COMMAND_CUT);
    assert_true(c.on);
    assert_int_equal(c.port, port("sw", 2));
    c = parse("link b/1 up # again");
    assert_int_equal(c.verb, COMMAND_CUT);
    assert_false(c.on);
    assert_int_equal(c.port, port("b", 1));
    c = parse("node 0x20 dead");
    assert_int_equal(c.verb, COMMAND_DIE);
    assert_true(c.on);
    assert_int_equal(c.node, node_index(ff->f, ff_node(ff, "a")));
    assert_false(parse("node \"a\" alive").on);
    c = parse("sa b busy");
    assert_int_equal(c.verb, COMMAND_SA_BUSY);
    assert_true(c.on);
    assert_false(parse("sa b ok").on);
    c = parse("name a \"another \\\"name\\\"\"");
    assert_int_equal(c.verb, COMMAND_NAME);
    assert_string_equal(c.name, "another \"name\"");
    assert_string_equal(parse("name a \"\"").name, "");
}

static void test_worn_links(void **state)
{
    static const struct {
        const char *line;
        uint8_t width, speed, speed_ext;
    } cases[] = {
        {"link a/1 width 1x", 0x01, 0xF, 0xF},
        {"link a/1 width 2x", 0x11, 0xF, 0xF},
        {"link a/1 width 4x speed SDR", 0x13, 1, 0},
        {"link a/1 width 8x speed NDR", 0x17, 0xF, 0xF},
        {"link a/1 speed DDR", 0x1F, 3, 0},
        {"link a/1 speed QDR", 0x1F, 7, 0},
        {"link a/1 width 12x speed FDR", 0x1F, 0xF, 1},
        {"link a/1 speed EDR", 0x1F, 0xF, 3},
        {"link a/1 speed HDR", 0x1F, 0xF, 7},
        {"link a/1 restore", 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct command c = parse(cases[i].line);

        assert_int_equal(c.verb, COMMAND_WEAR);
        assert_int_equal(c.width, cases[i].width);
        assert_int_equal(c.speed, cases[i].speed);
        assert_int_equal(c.speed_ext, cases[i].speed_ext);
    }
}

static void test_extents_of_faults(void **state)
{
    static const struct {
        const char *line;
        enum command_verb verb;
        enum fault_kind kind;
        uint32_t share;
        weft_time delay_ns, jitter_ns;
    } cases[] = {
        {"loss 20% on all", COMMAND_BEGIN, FAULT_LOSS, 200000, 0, 0},
        {"loss 0.0001% on all", COMMAND_BEGIN, FAULT_LOSS, 1, 0, 0},
        {"loss 100% on all", COMMAND_BEGIN, FAULT_LOSS, 1000000, 0, 0},
        {"loss 0% on all", COMMAND_END, FAULT_LOSS, 0, 0, 0},
        {"loss off on all", COMMAND_END, FAULT_LOSS, 0, 0, 0},
        {"delay 5ms on all", COMMAND_BEGIN, FAULT_DELAY, 1000000, 5 * WEFT_MS, 0},
        {"delay 1h jitter 1.5us on all", COMMAND_BEGIN, FAULT_DELAY, 1000000, 3600 * WEFT_S, 1500},
        {"delay 0 jitter 1ns on all", COMMAND_BEGIN, FAULT_DELAY, 1000000, 0, 1},
        {"delay 0 on all", COMMAND_END, FAULT_DELAY, 1000000, 0, 0},
        {"delay off on all", COMMAND_END, FAULT_DELAY, 0, 0, 0},
        {"duplicate 1% on all", COMMAND_BEGIN, FAULT_DUPLICATE, 10000, 0, 0},
        {"duplicate off on all", COMMAND_END, FAULT_DUPLICATE, 0, 0, 0},
        {"corrupt 2.5% on all", COMMAND_BEGIN, FAULT_CORRUPT, 25000, 0, 0},
        {"reorder 50% by 3ms on all", COMMAND_BEGIN, FAULT_REORDER, 500000, 3 * WEFT_MS, 0},
        {"reorder 50% by 0 on all", COMMAND_END, FAULT_REORDER, 500000, 0, 0},
        {"reorder off on all", COMMAND_END, FAULT_REORDER, 0, 0, 0},
        {"clear on all", COMMAND_END, FAULT_KINDS, 0, 0, 0},
        {"clear", COMMAND_CLEAR, FAULT_LOSS, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct command c = parse(cases[i].line);

        assert_int_equal(c.verb, cases[i].verb);
        assert_int_equal(c.fault.kind, cases[i].kind);
        assert_int_equal(c.fault.share, cases[i].share);
        assert_true(c.fault.delay_ns == cases[i].delay_ns);
        assert_true(c.fault.jitter_ns == cases[i].jitter_ns);
    }
}

static void test_places_and_filters_of_faults(void **state)
{
    const struct {
        const char *line;
        enum fault_place place;
        uint32_t where;
        bool out, in;
        enum fault_filter filter;
    } cases[] = {
        {"loss 1% on all", FAULT_ON_ALL, 0, false, false, FAULT_PACKETS},
        {"loss 1% on transit requests", FAULT_ON_TRANSIT, 0, false, false, FAULT_REQUESTS},
        {"loss 1% on node b", FAULT_ON_NODE, 2, false, false, FAULT_PACKETS},
        {"loss 1% on node b replies", FAULT_ON_NODE, 2, false, false, FAULT_REPLIES},
        {"loss 1% on agent b", FAULT_ON_AGENT, 2, false, false, FAULT_PACKETS},
        {"loss 1% on link sw/1", FAULT_ON_PORT, port("sw", 1), true, true, FAULT_PACKETS},
        {"loss 1% on link sw/1 out", FAULT_ON_PORT, port("sw", 1), true, false, FAULT_PACKETS},
        {"loss 1% on link sw/1 in replies", FAULT_ON_PORT, port("sw", 1), false, true,
         FAULT_REPLIES},
        {"loss off on link sw/1 requests", FAULT_ON_PORT, port("sw", 1), true, true,
         FAULT_REQUESTS},
        {"clear on link a/1 in", FAULT_ON_PORT, port("a", 1), false, true, FAULT_PACKETS},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct command c = parse(cases[i].line);

        assert_int_equal(c.fault.place, cases[i].place);
        assert_int_equal(c.fault.where, cases[i].where);
        assert_int_equal(c.out, cases[i].out);
        assert_int_equal(c.in, cases[i].in);
        assert_int_equal(c.fault.filter, cases[i].filter);
    }
}

static void test_counters_traps_and_keys(void **state)
{
    struct command c = parse("counter sw/0 symbol_errors set 70000");

    (void)state;
    assert_int_equal(c.verb, COMMAND_COUNTER_SET);
    assert_int_equal(c.port, port("sw", 0));
    assert_int_equal(c.number, 0);
    assert_int_equal(c.value, 70000);
    c = parse("counter b/1 PortXmitData add 18446744073709551615");
    assert_int_equal(c.verb, COMMAND_COUNTER_ADD);
    assert_int_equal(c.number, COUNTER_XMIT_DATA);
    assert_true(c.value == UINT64_MAX);
    c = parse("trap sw/3 128");
    assert_int_equal(c.verb, COMMAND_TRAP);
    assert_int_equal(c.number, 128);
    assert_int_equal(parse("trap b/1 257").number, 257);
    assert_int_equal(parse("trap sw/1 259").number, 259);
    c = parse("pkey a/1 127 0x8001");
    assert_int_equal(c.verb, COMMAND_PKEY);
    assert_int_equal(c.number, 127);
    assert_int_equal(c.key, 0x8001);
    assert_int_equal(parse("pkey sw/1 31 0xAbC").key, 0xABC);
    assert_int_equal(parse("pkey sw/0 127 0x0").key, 0);
}

static void test_times(void **state)
{
    static const struct {
        const char *line;
        struct command_time when;
    } cases[] = {
        {"clear", {COMMAND_NOW, 0, 0, WEFT_TIME_NEVER}},
        {"at 1.5s clear", {COMMAND_AT, 1500 * WEFT_MS, 0, WEFT_TIME_NEVER}},
        {"at 0 clear", {COMMAND_AT, 0, 0, WEFT_TIME_NEVER}},
        {"after 24h clear", {COMMAND_AFTER, 86400 * WEFT_S, 0, WEFT_TIME_NEVER}},
        {"every 10s clear", {COMMAND_AT, 10 * WEFT_S, 10 * WEFT_S, WEFT_TIME_NEVER}},
        {"every 1ms clear until 2min", {COMMAND_AT, WEFT_MS, WEFT_MS, 120 * WEFT_S}},
        {"at 3s every 1s clear until 0", {COMMAND_AT, 3 * WEFT_S, WEFT_S, 0}},
        {"after 0 every 1s clear", {COMMAND_AFTER, 0, WEFT_S, WEFT_TIME_NEVER}},
        {"at 8760h clear", {COMMAND_AT, COMMAND_TIME_MAX, 0, WEFT_TIME_NEVER}},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct command_time when;

        assert_int_equal(parse_timed(cases[i].line, &when).verb, COMMAND_CLEAR);
        assert_int_equal(when.start, cases[i].when.start);
        assert_true(when.offset_ns == cases[i].when.offset_ns);
        assert_true(when.every_ns == cases[i].when.every_ns);
        assert_true(when.until_ns == cases[i].when.until_ns);
    }
}

/* A bad line and what is said about it. */
struct bad {
    const char *line, *why;
};

static void refused(const struct bad *bad, int err)
{
    struct fabric_error error = {.text = ""};
    struct command_time when;
    struct command c;

    assert_int_equal(command_parse(ff->f, bad->line, strlen(bad->line), &c, &when, &error), err);
    if (!strstr(error.text, bad->why))
        fail_msg("%s: \"%s\" does not say \"%s\"", bad->line, error.text, bad->why);
}

static void test_malformed_lines_name_the_word_and_what_is_expected(void **state)
{
    static const struct bad cases[] = {
        {"lnik a/1 down",
         "\"lnik\" stands where link, node, loss, delay, duplicate, corrupt, "
         "reorder, clear, cancel, sa, counter, trap, pkey, name, vf, cable, pma, lie, at, "
         "after or every "
         "is expected: did you mean link?"},
        {"atfer 5s clear", "did you mean after?"},
        {"at 5s atfer 5s clear", "vf, cable, pma or lie is expected"},
        {"xyzzy", "\"xyzzy\" stands where link"},
        {"link", "the line ends where NODE/PORT"},
        {"link a down", "\"a\" stands where NODE/PORT"},
        {"link a/x down", "\"a/x\" stands where NODE/PORT"},
        {"link \"a/1\" down", "\"a/1\" stands where NODE/PORT"},
        {"link a/1", "the line ends where down, up, width, speed or restore is expected"},
        {"link a/1 dwon", "did you mean down?"},
        {"link a/1 width 3x", "\"3x\" stands where 1x, 2x, 4x, 8x or 12x is expected"},
        {"link a/1 width 4x speed", "the line ends where SDR"},
        {"link a/1 speed fast", "\"fast\" stands where SDR"},
        {"link a/1 speed EDR width 4x", "\"width\" stands where the line's end is expected"},
        {"node", "the line ends where a node is expected"},
        {"node a", "the line ends where dead or alive is expected"},
        {"node a deat", "did you mean dead?"},
        {"sa a bussy", "did you mean busy?"},
        {"pma", "the line ends where a node is expected"},
        {"pma a", "where all-port-select, extended, mute, restore or time is expected"},
        {"pma a extended", "the line ends where full, no-errors, no-ietf or none is expected"},
        {"pma a extended non", "did you mean none?"},
        {"pma a all-port-select off", "all-port-select is for switches"},
        {"pma sw all-port-select", "the line ends where off or on is expected"},
        {"pma a time", "the line ends where a time of at most 1h"},
        {"pma a time 61min", "\"61min\" stands where a time of at most 1h"},
        {"pma a mute off", "\"off\" stands where the line's end"},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        refused(&cases[i], WEFT_ERR_FORMAT);
}

static void test_malformed_faults(void **state)
{
    static const struct bad cases[] = {
        {"loss", "a percentage from 0% to 100%"},
        {"loss 20 on all", "\"20\" stands where a percentage"},
        {"loss 0.2 on all", "\"0.2\" stands where a percentage"},
        {"loss 101% on all", "\"101%\" stands where a percentage"},
        {"loss -1% on all", "\"-1%\" stands where a percentage"},
        {"loss 5%", "the line ends where on is expected"},
        {"loss 5% all", "\"all\" stands where on is expected"},
        {"loss 5% on", "the line ends where link, node, agent, transit or all is expected"},
        {"delay 5ms on agent a", "an agent can only have loss"},
        {"loss 5% on agent a requests", "\"requests\" stands where the line's end"},
        {"loss 5% on nod a", "did you mean node?"},
        {"loss 5% on all answers", "\"answers\" stands where the line's end"},
        {"loss 5% on link a/1 both", "\"both\" stands where the line's end"},
        {"delay on all", "\"on\" stands where a time of at most 1h"},
        {"delay 5 on all", "\"5\" stands where a time"},
        {"delay 61min on all", "a time of at most 1h"},
        {"delay 1ms jitter on all", "\"on\" stands where a time"},
        {"reorder 5% on all", "\"on\" stands where by is expected"},
        {"reorder 5% by on all", "\"on\" stands where a time"},
        {"clear all", "\"all\" stands where the line's end"},
        {"clear on all requests", "\"requests\" stands where the line's end"},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        refused(&cases[i], WEFT_ERR_FORMAT);
}

static void test_malformed_details_and_times(void **state)
{
    static const struct bad cases[] = {
        {"counter a/1", "the line ends where the name of a counter"},
        {"counter a/1 symbol_eror set 1", "did you mean symbol_errors?"},
        {"counter a/1 xmit_data", "the line ends where set or add is expected"},
        {"counter a/1 xmit_data sub 1", "\"sub\" stands where set or add is expected"},
        {"counter a/1 xmit_data add", "the line ends where a whole number is expected"},
        {"counter a/1 xmit_data add -1", "\"-1\" stands where a whole number"},
        {"counter a/1 xmit_data add 18446744073709551616", "stands where a whole number"},
        {"cancel", "the line ends where all, or the number"},
        {"cancel 0", "\"0\" stands where all, or the number"},
        {"cancel -1", "\"-1\" stands where all"},
        {"cancel all of", "\"of\" stands where the line's end"},
        {"trap a/1 127", "\"127\" stands where 128, 129"},
        {"trap a/1 128", "trap 128 is a switch's only: try trap \"sw\"/1 128, of the other end"},
        {"trap a/1 259", "trap 259 is a switch's only"},
        {"pkey a/1 128 0x8001", "\"128\" stands where INDEX, 0 to 127 of the port's"},
        {"pkey sw/1 32 0x8001", "\"32\" stands where INDEX, 0 to 31 of the port"},
        {"pkey a/1 0 8001", "\"8001\" stands where a P_Key such as 0x8001 is expected"},
        {"pkey a/1 0 0x", "a P_Key"},
        {"pkey a/1 0 0x12345", "a P_Key"},
        {"pkey a/1 0 0x12g4", "a P_Key"},
        {"pkey a/1 0", "the line ends where a P_Key"},
        {"name a", "a NodeDescription of at most 64 bytes"},
        {"name a 12345678901234567890123456789012345678901234567890123456789012345",
         "a NodeDescription of at most 64 bytes"},
        {"at", "the line ends where a time"},
        {"at noon clear", "\"noon\" stands where a time"},
        {"at 8761h clear", "\"8761h\" stands where a time"},
        {"at 5s", "the line ends where link"},
        {"at 5s after 5s clear", "\"after\" stands where link"},
        {"every 0 clear", "\"0\" stands where a time of at least 1ms"},
        {"every 999us clear", "\"999us\" stands where a time of at least 1ms"},
        {"every 1s clear until", "the line ends where a time"},
        {"every 1s clear until x", "\"x\" stands where a time"},
        {"clear until 5s", "\"until\" stands where the line's end"},
        {"at 5s clear until 5s", "\"until\" stands where the line's end"},
        {"clear clear", "\"clear\" stands where the line's end"},
        {"node \"a dead", "a quote is not closed"},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        refused(&cases[i], WEFT_ERR_FORMAT);
}

static void test_entries_of_virtual_functions(void **state)
{
    static const struct bad malformed[] = {
        {"vf a x pkey 1 1", "\"x\" stands where the number of a virtual function"},
        {"vf a 0 pkey 1 1", "\"0\" stands where a virtual function"},
        {"vf a 3 pkey 1 1", "\"3\" stands where the number of a virtual function"},
        {"vf a 1 1 1", "\"1\" stands where pkey or smp is expected"},
        {"vf a 1 pkey 127 1", "\"127\" stands where INDEX, 0 to 126 of the function's P_Key table"},
        {"vf a 1 pkey 1 127", "\"127\" stands where ENTRY, 0 to 126 of the port's P_Key table, or"},
        {"vf a 1 pkey 1", "the line ends where ENTRY"},
        {"vf a 1 smp", "the line ends where on or off is expected"},
        {"vf a 1 smp 1", "\"1\" stands where on or off is expected"},
        {"vf a 0 smp on", "\"0\" stands where a virtual function"},
        {"vf a 1 pkey 1 none 2", "\"2\" stands where the line's end"},
    };
    static const struct bad missing[] = {
        {"vf c 1 pkey 1 1", "no node \"c\""},
        {"vf a/2 1 pkey 1 1", "\"a\" has no port 2"},
        {"vf sw 1 pkey 1 1", "the node has no virtual functions"},
    };
    struct ff *without = ff;
    struct fabric_config config;
    struct command c;

    (void)state;
    refused(&(struct bad){"vf a 1 pkey 1 1", "the node has no virtual functions"},
            WEFT_ERR_NOTFOUND);
    fabric_config_init(&config);
    config.vfs = 2;
    ff = ff_new(ff_two_hosts, &config);
    for (size_t i = 0; i < LENGTH(malformed); i++)
        refused(&malformed[i], WEFT_ERR_FORMAT);
    for (size_t i = 0; i < LENGTH(missing); i++)
        refused(&missing[i], WEFT_ERR_NOTFOUND);
    c = parse("vf a 2 pkey 126 5");
    assert_int_equal(c.verb, COMMAND_VF);
    assert_int_equal(c.port, port_index(ff->f, ff_port(ff, "a", 1)));
    assert_int_equal(c.function, 2);
    assert_int_equal(c.number, 126);
    assert_int_equal(c.key, 5);
    assert_int_equal(parse("vf b/1 1 pkey 0 none").key, UINT16_MAX);
    c = parse("vf a/1 2 smp on");
    assert_int_equal(c.verb, COMMAND_VF_SMP);
    assert_int_equal(c.function, 2);
    assert_true(c.on);
    assert_false(parse("vf a 1 smp off").on);
    ff_free(ff);
    ff = without;
}

static void test_missing_nodes_ports_and_cables_are_named(void **state)
{
    static const struct bad cases[] = {
        {"node c dead", "no node \"c\""},
        {"node \"\" dead", "no node \"\""},
        {"link swx/1 down", "no node \"swx\""},
        {"link sw/5 down", "\"sw\" has no port 5: its ports are 1 to 4"},
        {"link sw/3 down", "\"sw\" has no cable at port 3: its ports are 1 to 4"},
        {"link sw/0 down", "\"sw\" has no cable at port 0: its ports are 1 to 4"},
        {"cancel 7", "no line of number 7 waits; weft fabric ctl faults lists those that do"},
        {"link a/0 down", "\"a\" has no port 0: its ports are 1 to 1"},
        {"counter a/18446744073709551615 xmit_data add 1", "has no port 18446744073709551615"},
        {"loss 5% on link sw/4", "no cable at port 4"},
        {"loss 5% on node c", "no node \"c\""},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        refused(&cases[i], WEFT_ERR_NOTFOUND);
}

static void test_a_name_of_two_nodes_is_refused(void **state)
{
    static const struct bad twice = {"node a dead", "give a GUID"};

    (void)state;
    ff_command(ff, "name b a");
    refused(&twice, WEFT_ERR_CONFLICT);
    ff_command(ff, "name 0x30 b");
    assert_int_equal(parse("node b dead").node, 2);
}

/* The nodes of which the chapter's examples speak. */
static const char chapter_topology[] =
    "switchguid=0x2c90300000010(2c90300000010)\n"
    "Switch 20 \"S-0002c90300000010\" # \"leaf-1\" base port 0 lid 12 lmc 0\n"
    "[1] \"H-0000000000000021\"[1](121) # \"host-1\" lid 1 4xEDR\n"
    "[19] \"S-0000000000000011\"[19] # \"leaf 1/U1\" lid 13 4xEDR\n"
    "\n"
    "switchguid=0x11(11)\n"
    "Switch 20 \"S-0000000000000011\" # \"leaf 1/U1\" base port 0 lid 13 lmc 0\n"
    "[1] \"H-0000000000000027\"[1](127) # \"host-7\" lid 2 4xEDR\n"
    "[19] \"S-0002c90300000010\"[19] # \"leaf-1\" lid 12 4xEDR\n"
    "\n"
    "caguid=0x21\n"
    "Ca 1 \"H-0000000000000021\" # \"host-1\"\n"
    "[1](121) \"S-0002c90300000010\"[1] # lid 1 lmc 0 \"leaf-1\" lid 12 4xEDR\n"
    "\n"
    "caguid=0x27\n"
    "Ca 1 \"H-0000000000000027\" # \"host-7\"\n"
    "[1](127) \"S-0000000000000011\"[1] # lid 2 lmc 0 \"leaf 1/U1\" lid 13 4xEDR\n";

/* Gives the fabric the command between the back quotes of a row. */
static void try_row(struct ff *chapter, char *row)
{
    char *end = strchr(row + strlen("| `"), '`');

    assert_non_null(end);
    *end = '\0';
    ff_command(chapter, row + strlen("| `"));
}

static void test_the_examples_of_the_chapter_are_commands(void **state)
{
    char path[512], line[512];
    struct fabric_config c;
    struct ff *chapter;
    bool inside = false;
    unsigned rows = 0;
    FILE *in;

    (void)state;
    fabric_config_init(&c);
    c.keep_lids = true;
    c.vfs = 2;
    chapter = ff_new(chapter_topology, &c);
    snprintf(path, sizeof(path), "%s/docs/fabric.md", getenv("WEFT_SOURCE"));
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof(line), in)) {
        if (strncmp(line, "| Line | What it does |", 23) == 0)
            inside = true;
        else if (line[0] != '|')
            inside = false;
        else if (inside && line[2] == '`') {
            try_row(chapter, line);
            rows++;
        }
    }
    fclose(in);
    assert_true(rows > 20);
    ff_free(chapter);
}

static void test_messages_are_safe_to_print(void **state)
{
    static const struct bad cases[] = {
        {"\x1b[2J", "\"\\x1b[2J\" stands where"},
        {"link \xff\xfe/1 x\x07", "there is no node"},
    };

    (void)state;
    refused(&cases[0], WEFT_ERR_FORMAT);
    refused(&cases[1], WEFT_ERR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_lines_are_nothing),
        cmocka_unit_test(test_links_and_nodes),
        cmocka_unit_test(test_worn_links),
        cmocka_unit_test(test_extents_of_faults),
        cmocka_unit_test(test_places_and_filters_of_faults),
        cmocka_unit_test(test_counters_traps_and_keys),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_malformed_lines_name_the_word_and_what_is_expected),
        cmocka_unit_test(test_malformed_faults),
        cmocka_unit_test(test_malformed_details_and_times),
        cmocka_unit_test(test_entries_of_virtual_functions),
        cmocka_unit_test(test_missing_nodes_ports_and_cables_are_named),
        cmocka_unit_test(test_a_name_of_two_nodes_is_refused),
        cmocka_unit_test(test_messages_are_safe_to_print),
        cmocka_unit_test(test_the_examples_of_the_chapter_are_commands),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
