/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Generators, the writer and the questions asked of a topology. */
#include "topology/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct topo *generate(const char *spec)
{
    struct topo_error error = {.text = ""};
    struct topo *t = NULL;

    if (topo_load_spec(spec, &t, &error) != 0)
        fail_msg("%s: %s", spec, error.text);
    return t;
}

static struct topo *rewrite(const struct topo *t)
{
    struct topo_error error = {.text = ""};
    struct topo *again = NULL;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    assert_true(topo_write(t, out));
    fclose(out);
    if (topo_parse(text, length, &again, &error) != 0)
        fail_msg("line %u: %s", error.line, error.text);
    free(text);
    return again;
}

/* The longest shortest path from the first host; every node must have one. */
static uint16_t hops_max(const struct topo *t)
{
    uint16_t *hops = malloc(t->node_count * sizeof(*hops));
    uint16_t most = 0;

    assert_non_null(hops);
    assert_int_equal(topo_hops(t, t->hosts[0], hops), 0);
    for (uint32_t i = 0; i < t->node_count; i++) {
        assert_int_not_equal(hops[i], TOPO_UNREACHABLE);
        if (hops[i] > most)
            most = hops[i];
    }
    free(hops);
    return most;
}

static const struct {
    const char *spec;
    uint32_t switches, hosts, links;
    uint16_t hops;
} shapes[] = {
    {"fat-tree:hosts=1,radix=4", 1, 1, 1, 1},
    {"fat-tree:hosts=36", 1, 36, 36, 2},
    /* 3 leaves need 2 spines, 9 cables from each leaf to each. */
    {"fat-tree:hosts=37", 5, 37, 37 + 54, 4},
    {"fat-tree:hosts=324,radix=36", 27, 324, 648, 4},
    {"fat-tree:radix=36,hosts=648", 54, 648, 1296, 4},
    {"fat-tree:hosts=1944,radix=36", 270, 1944, 5832, 6},
    {"fat-tree:hosts=16,radix=4", 20, 16, 48, 6},
    {"fat-tree:hosts=32,radix=4", 56, 32, 128, 8},
    {"torus:x=1", 1, 1, 1, 1},
    {"torus:x=2", 2, 2, 3, 3},
    {"torus:x=5,hosts=2", 5, 10, 15, 4},
    {"torus:x=4,y=3,z=2,hosts=2", 24, 48, 48 + 24 + 24 + 12, 6},
    {"dragonfly:a=1,p=3,h=1,g=1", 1, 3, 3, 2},
    {"dragonfly:a=4,p=2,h=2", 36, 72, 72 + 9 * 6 + 36, 5},
    {"dragonfly:a=4,p=2,h=2,g=5", 20, 40, 40 + 5 * 6 + 10 * 2, 5},
};

static void test_generators_make_the_fabric_they_promise(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct topo *t = generate(shapes[i].spec);

        print_message("# %s\n", shapes[i].spec);
        assert_int_equal(t->switch_count, shapes[i].switches);
        assert_int_equal(t->host_count, shapes[i].hosts);
        assert_int_equal(t->link_count, shapes[i].links);
        assert_int_equal(hops_max(t), shapes[i].hops);
        topo_free(t);
    }
}

static void assert_clean(const struct topo *t)
{
    struct topo_findings list;

    assert_int_equal(topo_lint(t, &list), 0);
    if (list.count > 0)
        fail_msg("%s", list.items[0].text);
    topo_findings_free(&list);
}

/* Every number of hosts gives a whole fabric: each port used once, no dead end, nothing over. */
static void test_fat_trees_of_any_size_are_whole(void **state)
{
    static const uint32_t radixes[] = {4, 6, 8};

    (void)state;
    for (size_t r = 0; r < COUNT(radixes); r++) {
        uint32_t half = radixes[r] / 2;

        for (uint32_t hosts = 1; hosts <= radixes[r] * half * half * half;
             hosts += 1 + hosts / 16) {
            char spec[64];
            struct topo *t;

            snprintf(spec, sizeof(spec), "fat-tree:hosts=%u,radix=%u", hosts, radixes[r]);
            t = generate(spec);
            assert_int_equal(t->host_count, hosts);
            assert_clean(t);
            topo_free(t);
        }
    }
}

static void test_what_generators_make_is_clean_and_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct topo *t = generate(shapes[i].spec);
        struct topo *again = rewrite(t);

        assert_clean(t);
        assert_true(topo_equal(t, again));
        topo_free(again);
        topo_free(t);
    }
}

static void test_lids_are_given_where_a_subnet_has_enough(void **state)
{
    struct topo *large = generate("fat-tree:hosts=50000,radix=64");
    struct topo *fitting = generate("fat-tree:hosts=40000,radix=128");

    (void)state;
    assert_int_equal(large->host_count, 50000);
    assert_int_equal(large->nodes[0].lid, 0);
    assert_clean(large);
    assert_int_equal(fitting->nodes[0].lid, 1);
    assert_int_equal(fitting->ports[fitting->nodes[fitting->hosts[39999]].first_port].lid,
                     fitting->node_count);
    topo_free(large);
    topo_free(fitting);
}

static void test_wrong_generators_are_refused_with_a_reason(void **state)
{
    static const struct {
        const char *spec;
        const char *reason;
    } rows[] = {
        {"ring:x=3", "there is no generator \"ring\""},
        {"fat-tree", "hosts is missing"},
        {"fat-tree:", "hosts is missing"},
        {"fat-tree:hosts=0", "from 1 to 50000"},
        {"fat-tree:hosts=50001", "from 1 to 50000"},
        {"fat-tree:hosts=99999999999999999999", "from 1 to 50000"},
        {"fat-tree:hosts=", "from 1 to 50000"},
        {"fat-tree:hosts", "from 1 to 50000"},
        {"fat-tree:hosts=12x", "from 1 to 50000"},
        {"fat-tree:hosts=-1", "from 1 to 50000"},
        {"fat-tree:hosts=8,", "last comma"},
        {"fat-tree:hosts=8,hosts=9", "given twice"},
        {"fat-tree:host=8", "no parameter \"host\""},
        {"fat-tree:hosts=8,radix=5", "radix must be an even number from 4 to 254"},
        {"fat-tree:hosts=8,radix=2", "radix must be an even number from 4 to 254"},
        {"fat-tree:hosts=33,radix=4", "at most 32 hosts, not 33; try radix=6"},
        {"torus:y=3", "x is missing"},
        {"torus:x=1000,y=1000", "more than 50000 hosts"},
        {"torus:x=50000,y=50000,z=50000,hosts=254", "more than 50000 hosts"},
        {"torus:x=3,y=3,hosts=251", "at most 254"},
        {"dragonfly:a=4,p=2", "h is missing"},
        {"dragonfly:a=4,p=2,h=2,g=10", "at most 9 groups"},
        {"dragonfly:a=127,p=1,h=127,g=390", "more than 200000 nodes or 1000000 cables"},
        {"dragonfly:a=100,p=100,h=100", "more than 50000"},
        {"dragonfly:a=100,p=100,h=100,g=2", "at most 254"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct topo_error error = {.text = ""};
        struct topo *t = NULL;

        print_message("# %s\n", rows[i].spec);
        assert_int_equal(topo_generate(rows[i].spec, &t, &error), WEFT_ERR_INVALID);
        assert_non_null(strstr(error.text, rows[i].reason));
        assert_null(t);
    }
}

static void test_a_generator_s_name_is_told_from_a_file_s(void **state)
{
    (void)state;
    assert_true(topo_spec_is_generator("fat-tree:hosts=3"));
    assert_true(topo_spec_is_generator("torus"));
    assert_false(topo_spec_is_generator("fat-tree.topo"));
    assert_false(topo_spec_is_generator("./torus"));
    assert_false(topo_spec_is_generator("-"));
}

static void test_every_sample_reads_the_same_when_written(void **state)
{
    static const char *const samples[] = {
        "clean.topo",      "terminal.topo",      "routers.topo",       "words.topo",
        "names.topo",      "ports_129.topo",     "sharp.topo",         "self_cabled.topo",
        "ibsim.net",       "one_sided.topo",     "speeds_differ.topo", "contradicting.topo",
        "grouping.topo",   "missing_guids.topo", "lmc_overlap.topo",   "duplicate_guid.topo",
        "ports_report.txt"};

    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        char path[4096];
        struct topo *t;
        struct topo *again;

        snprintf(path, sizeof(path), "%s/tests/data/topology/%s", getenv("WEFT_SOURCE"),
                 samples[i]);
        print_message("# %s\n", samples[i]);
        t = generate(path);
        again = rewrite(t);
        assert_true(topo_equal(t, again));
        topo_free(again);
        topo_free(t);
    }
}

static void test_topologies_that_differ_are_not_equal(void **state)
{
    struct topo *a = generate("torus:x=3,hosts=2");
    struct topo *b = rewrite(a);

    (void)state;
    assert_true(topo_equal(a, b));
    b->ports[3].peer_lid++;
    assert_false(topo_equal(a, b));
    b->ports[3].peer_lid--;
    b->nodes[2].name[0] = 'x';
    assert_false(topo_equal(a, b));
    topo_free(a);
    topo_free(b);
}

static void test_hosts_do_not_forward(void **state)
{
    static const char text[] =
        "Switch 2 \"left\"\n[1] \"host\"[1]\nSwitch 2 \"right\"\n"
        "[1] \"host\"[2]\nCa 2 \"host\"\n[1] \"left\"[1]\n[2] \"right\"[1]\n";
    struct topo_error error;
    struct topo *t = NULL;
    uint16_t hops[3];

    (void)state;
    assert_int_equal(topo_parse(text, sizeof(text) - 1, &t, &error), 0);
    assert_int_equal(topo_hops(t, 0, hops), 0);
    assert_int_equal(hops[2], 1);
    assert_int_equal(hops[1], TOPO_UNREACHABLE);
    assert_int_equal(topo_hops(t, 2, hops), 0);
    assert_int_equal(hops[0], 1);
    assert_int_equal(hops[1], 1);
    assert_int_equal(topo_hops(t, 3, hops), WEFT_ERR_INVALID);
    topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generators_make_the_fabric_they_promise),
        cmocka_unit_test(test_fat_trees_of_any_size_are_whole),
        cmocka_unit_test(test_what_generators_make_is_clean_and_reads_back),
        cmocka_unit_test(test_lids_are_given_where_a_subnet_has_enough),
        cmocka_unit_test(test_wrong_generators_are_refused_with_a_reason),
        cmocka_unit_test(test_a_generator_s_name_is_told_from_a_file_s),
        cmocka_unit_test(test_every_sample_reads_the_same_when_written),
        cmocka_unit_test(test_topologies_that_differ_are_not_equal),
        cmocka_unit_test(test_hosts_do_not_forward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
