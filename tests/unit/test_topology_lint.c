/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What lint finds and what it lets pass; what diff finds. */
#include "topology/topology.h"
#include "topology_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Findings as "line kind" words, for comparison at one glance. */
static void show(const struct topo_findings *list, char *text, size_t space)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < list->count && used < space; i++)
        used += (size_t)snprintf(text + used, space - used, "%s%u %s", i == 0 ? "" : ", ",
                                 list->items[i].line, topo_kind_name(list->items[i].kind));
}

static void assert_lint(struct topo *t, const char *wanted)
{
    struct topo_findings list;
    char got[1024];

    assert_int_equal(topo_lint(t, &list), 0);
    show(&list, got, sizeof(got));
    assert_string_equal(got, wanted);
    topo_findings_free(&list);
    topo_free(t);
}

static void test_samples_have_the_problems_they_are_made_for(void **state)
{
    static const struct {
        const char *sample;
        const char *wanted;
    } rows[] = {
        {"clean.topo", ""},
        {"terminal.topo", ""},
        {"missing_guids.topo", ""},
        {"same_names.topo", ""},
        {"lid_none.topo", ""},
        {"words.topo", ""},
        {"names.topo", ""},
        {"routers.topo", ""},
        {"sharp.topo", ""},
        {"ibsim.net", ""},
        {"ports_report.txt", ""},
        {"one_sided.topo", "12 one-sided-link"},
        {"contradicting.topo", "12 contradicting-link, 25 unreachable, 26 contradicting-link"},
        {"unreachable.topo", "32 unreachable"},
        {"duplicate_guid.topo", "32 duplicate-guid"},
        {"duplicate_lid.topo", "26 duplicate-lid"},
        {"lmc_overlap.topo", "26 duplicate-lid"},
        {"port_beyond.topo", "12 port-range"},
        {"self_cabled.topo", "13 self-link"},
        {"speeds_differ.topo", "11 width-mismatch, 12 speed-mismatch"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("# %s\n", rows[i].sample);
        assert_lint(sample_read(rows[i].sample), rows[i].wanted);
    }
}

#define SWITCH(guid) "Switch 8 \"S-000000000000000" guid "\" # \"s\" base port 0 lid 0 lmc 0\n"
#define CA(guid)     "Ca 2 \"H-000000000000000" guid "\" # \"h\"\n"

static void test_single_problems(void **state)
{
    static const struct {
        const char *text;
        const char *wanted;
    } rows[] = {
        /* The peer's line comes first and is the one that names the cable. */
        {CA("2") "[1] \"S-0000000000000001\"[3] # lid 4 lmc 0 \"s\" lid 0\n" SWITCH("1"),
         "2 one-sided-link"},
        /* A third port claims a port that agrees with another one. */
        {SWITCH("1") "[1] \"H-0000000000000002\"[1] # \"h\" lid 4\n"
                     "[2] \"H-0000000000000002\"[1] # \"h\" lid 4\n" CA(
                         "2") "[1] \"S-0000000000000001\"[1] # lid 4 lmc 0 \"s\" lid 0\n",
         "3 contradicting-link"},
        /* A plug that leads a port to itself. */
        {SWITCH("1") "[1] \"S-0000000000000001\"[1]\n", "2 self-link"},
        /* Two nodes without any cable: one is the fabric, the other is lost. */
        {SWITCH("1") CA("2"), "2 unreachable"},
        /* A host with a cable into each of two subnets does not join their switches. */
        {SWITCH("1") "[1] \"H-0000000000000003\"[1]\n" SWITCH(
             "2") "[1] \"H-0000000000000003\"[2]\n" CA("3") "[1] \"S-0000000000000001\"[1]\n"
                                                            "[2] \"S-0000000000000002\"[1]\n",
         "3 unreachable"},
        /* The two ends give different LIDs for one port. */
        {SWITCH("1") "[1] \"H-0000000000000002\"[1] # \"h\" lid 5 4xEDR\n" CA(
             "2") "[1] \"S-0000000000000001\"[1] # lid 4 lmc 0 \"s\" lid 0 4xEDR\n",
         "2 lid-mismatch"},
        /* A multicast LID, an LMC of 8, and a LID that its LMC does not allow. */
        {"Switch 2 \"S-0000000000000001\" # \"s\" base port 0 lid 49152 lmc 0\n", "1 lid-range"},
        {"Switch 2 \"S-0000000000000001\" # \"s\" base port 0 lid 256 lmc 8\n", "1 lid-range"},
        {"Switch 2 \"S-0000000000000001\" # \"s\" base port 0 lid 5 lmc 1\n", "1 lid-range"},
        /* Port numbers that no port can have: the lines are refused. */
        {"Switch 300 \"S-0000000000000001\"\n", "1 port-range"},
        {SWITCH("1") "[255] \"S-0000000000000002\"[1]\n", "2 port-range"},
        {SWITCH("1") "[1] \"S-0000000000000002\"[0]\n", "2 port-range"},
        /* GUIDs: the line above the node line, and a port GUID at its two ends. */
        {"caguid=0x3\n" CA("2"), "2 guid-mismatch"},
        {SWITCH("1") "[1] \"H-0000000000000002\"[1](77) # \"h\" lid 4\n" CA(
             "2") "[1](78) \"S-0000000000000001\"[1] # lid 4 lmc 0 \"s\" lid 0\n",
         "2 guid-mismatch"},
        /* One port GUID for two ports. */
        {SWITCH("1") "[1] \"H-0000000000000002\"[1](77) # \"h\" lid 0\n"
                     "[2] \"H-0000000000000002\"[2](77) # \"h\" lid 0\n" CA(
                         "2") "[1](77) \"S-0000000000000001\"[1] # lid 0 lmc 0 \"s\" lid 0\n"
                              "[2](77) \"S-0000000000000001\"[2] # lid 0 lmc 0 \"s\" lid 0\n",
         "6 duplicate-guid"},
        /* Two names with one GUID. */
        {"switchguid=0x9\nSwitch 2 \"a\"\n[1] \"b\"[1]\nswitchguid=0x9\nSwitch 2 \"b\"\n"
         "[1] \"a\"[1]\n",
         "5 duplicate-guid"},
        /* A width that one end does not tell is no mismatch. */
        {"Switch 2 \"a\"\n[1] \"b\"[1] w=1\nSwitch 2 \"b\"\n[1] \"a\"[1]\n", ""},
        /* An overlap in the middle of a range of LIDs. */
        {"Switch 2 \"a\" # \"a\" base port 0 lid 8 lmc 3\n[1] \"b\"[1]\n"
         "Switch 2 \"b\" # \"b\" base port 0 lid 12 lmc 0\n[1] \"a\"[1]\n",
         "3 duplicate-lid"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("# %s\n", rows[i].wanted);
        assert_lint(sample_parse(rows[i].text), rows[i].wanted);
    }
}

static void test_findings_beyond_the_limit_are_counted(void **state)
{
    const size_t lines = TOPO_FINDINGS_MAX + 7;
    const char line[] = "[0] \"b\"[1]\n";
    const size_t step = sizeof(line) - 1;
    char *text = malloc(lines * step + 32);
    size_t length;
    struct topo_error error;
    struct topo *t = NULL;

    (void)state;
    assert_non_null(text);
    length = (size_t)snprintf(text, 32, "Switch 2 \"a\"\n");
    for (size_t i = 0; i < lines; i++, length += step)
        memcpy(text + length, line, step);
    assert_int_equal(topo_parse(text, length, &t, &error), 0);
    assert_int_equal(t->findings.count, TOPO_FINDINGS_MAX);
    assert_int_equal(t->findings.dropped, 7);
    topo_free(t);
    free(text);
}

static void assert_diff(const char *old_text, const char *new_text, const char *wanted)
{
    struct topo *old = sample_parse(old_text);
    struct topo *new = sample_parse(new_text);
    struct topo_findings list;
    char got[1024];

    assert_int_equal(topo_diff(old, new, &list), 0);
    show(&list, got, sizeof(got));
    assert_string_equal(got, wanted);
    topo_findings_free(&list);
    topo_free(old);
    topo_free(new);
}

static void test_diff_finds_what_changed_and_nothing_else(void **state)
{
    static const char old[] = "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                              "[1] \"H-0000000000000002\"[1] # \"h\" lid 2 4xEDR\n"
                              "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                              "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 4xEDR\n";

    (void)state;
    assert_diff(old, old, "");
    /* Order and file format are no change. */
    assert_diff(old,
                "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 4xEDR\n\n"
                "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                "[1] \"H-0000000000000002\"[1] # \"h\" lid 2 4xEDR\n",
                "");
    /* Renamed, more ports; the other LID counts only where it is asked for. */
    assert_diff(old,
                "Switch 8 \"S-0000000000000001\" # \"t\" base port 0 lid 9 lmc 0\n"
                "[1] \"H-0000000000000002\"[1] # \"h\" lid 2 4xEDR\n"
                "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"t\" lid 9 4xEDR\n",
                "1 node-changed, 1 node-changed");
    /* The cable moved to another port of the switch. */
    assert_diff(old,
                "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                "[3] \"H-0000000000000002\"[1] # \"h\" lid 2 4xEDR\n"
                "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[3] # lid 2 lmc 0 \"s\" lid 1 4xEDR\n",
                "4 link-moved");
    /* A stanza went missing: of its ports and of the end it described nothing is guessed. */
    assert_diff(old,
                "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                "[1] \"H-0000000000000002\"[1] # \"renamed\" lid 2 4xEDR\n",
                "3 stanza-removed");
    assert_diff(old,
                "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 4xEDR\n",
                "1 stanza-removed");
    assert_diff("Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 4xEDR\n",
                old, "1 stanza-added");
    /* Of an end without a line the other end's line tells the rate. */
    assert_diff(old,
                "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 1xEDR\n",
                "1 stanza-removed, 2 link-changed");
    /* The link came up slower. */
    assert_diff(old,
                "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                "[1] \"H-0000000000000002\"[1] # \"h\" lid 2 1xEDR\n"
                "Ca 1 \"H-0000000000000002\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 1xEDR\n",
                "2 link-changed");
    /* One host went, another came. */
    assert_diff(old,
                "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                "[1] \"H-0000000000000003\"[1] # \"h\" lid 2 4xEDR\n"
                "Ca 1 \"H-0000000000000003\" # \"h\"\n"
                "[1] \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 4xEDR\n",
                "3 node-removed, 3 node-added, 2 link-removed, 2 link-added");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_have_the_problems_they_are_made_for),
        cmocka_unit_test(test_single_problems),
        cmocka_unit_test(test_findings_beyond_the_limit_are_counted),
        cmocka_unit_test(test_diff_finds_what_changed_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
