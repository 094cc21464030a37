/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/find.c: names, ids, GUIDs and LIDs, and what is said where nothing fits. */
#include "fabric_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char twins[] = "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 7 lmc 0\n"
                            "[1] \"H-0000000000000020\"[1] # \"twin\" lid 0 4xEDR\n"
                            "[2] \"H-0000000000000030\"[1] # \"twin\" lid 0 4xEDR\n"
                            "\n"
                            "Ca 1 \"H-0000000000000020\" # \"twin\"\n"
                            "[1] \"S-0000000000000010\"[1] # lid 9 lmc 1 \"sw\" lid 7 4xEDR\n"
                            "\n"
                            "Ca 1 \"H-0000000000000030\" # \"twin\"\n"
                            "[1] \"S-0000000000000010\"[2] # lid 12 lmc 1 \"sw\" lid 7 4xEDR\n";

static const char ibsim[] = "Switch 4 \"leaf\"\n"
                            "[1] \"host one\"[1]\n"
                            "\n"
                            "Hca 1 \"host one\"\n"
                            "[1] \"leaf\"[1]\n";

static uint32_t find(const struct ff *ff, const char *text)
{
    struct fabric_error error = {.text = ""};
    uint32_t node = FABRIC_NONE;

    if (fabric_find(ff->f, text, &node, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    return node;
}

static struct fabric_error fails(const struct ff *ff, const char *text, int err)
{
    struct fabric_error error = {.text = ""};
    uint32_t node = FABRIC_NONE;

    assert_int_equal(fabric_find(ff->f, text, &node, &error), err);
    assert_int_equal(node, FABRIC_NONE);
    assert_true(strlen(error.text) > 0);
    return error;
}

static void test_a_node_is_found_by_all_its_names(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    assert_int_equal(find(ff, "sw"), 0);
    assert_int_equal(find(ff, "b"), 2);
    assert_int_equal(find(ff, "0x0000000000000020"), 1);
    assert_int_equal(find(ff, "0000000000000020"), 1);
    assert_int_equal(find(ff, "0X20"), 1);
    assert_int_equal(find(ff, "0x31"), 2);               /* a port GUID */
    assert_int_equal(find(ff, "H-0000000000000020"), 1); /* as dumps call it */
    fails(ff, "H-20", WEFT_ERR_NOTFOUND);
    ff_free(ff);
}

static void test_an_id_of_the_file_is_a_name(void **state)
{
    struct ff *ff = ff_new(ibsim, NULL);

    (void)state;
    assert_int_equal(find(ff, "host one"), 1);
    assert_string_equal(ff_node(ff, "leaf")->name, "leaf");
    ff_free(ff);
}

static void test_a_lid_finds_who_has_it(void **state)
{
    struct fabric_config c;
    struct ff *ff;

    (void)state;
    fabric_config_init(&c);
    c.keep_lids = true;
    ff = ff_new(twins, &c);
    assert_int_equal(find(ff, "lid:7"), 0);
    assert_int_equal(find(ff, "LID:0x7"), 0);
    assert_int_equal(find(ff, "lid:12"), 2);
    assert_int_equal(find(ff, "lid:13"), 2); /* LMC 1 */
    fails(ff, "lid:14", WEFT_ERR_NOTFOUND);
    fails(ff, "lid:0", WEFT_ERR_NOTFOUND);
    fails(ff, "lid:65535", WEFT_ERR_NOTFOUND);
    fails(ff, "lid:7x", WEFT_ERR_NOTFOUND);
    fails(ff, "lid:-7", WEFT_ERR_NOTFOUND);
    fails(ff, "lid:", WEFT_ERR_NOTFOUND);
    ff_free(ff);
}

static void test_a_name_of_two_nodes_is_refused_with_a_guid_to_try(void **state)
{
    struct ff *ff = ff_new(twins, NULL);
    struct fabric_error error = fails(ff, "twin", WEFT_ERR_CONFLICT);

    (void)state;
    assert_non_null(strstr(error.text, "2 nodes"));
    assert_non_null(strstr(error.text, "0x00000000000000"));
    ff_free(ff);
}

static void test_similar_names_are_suggested(void **state)
{
    struct ff *ff = ff_new("fat-tree:hosts=36,radix=36", NULL);
    const char *name = ff->f->nodes[20].name;
    char wrong[TOPO_NAME_BYTES];
    struct fabric_error error;

    (void)state;
    snprintf(wrong, sizeof(wrong), "%s", name);
    wrong[0] = '#';
    error = fails(ff, wrong, WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(error.text, "did you mean"));
    assert_non_null(strstr(error.text, name));
    /* a part of a name */
    error = fails(ff, name + 1, WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(error.text, name));
    error = fails(ff, "nothing like any of them at all", WEFT_ERR_NOTFOUND);
    assert_null(strstr(error.text, "did you mean"));
    ff_free(ff);
}

static void test_zeroes_before_numbers_are_no_riddle(void **state)
{
    struct ff *ff = ff_new("fat-tree:hosts=36,radix=36", NULL);
    struct fabric_error error;

    (void)state;
    error = fails(ff, "host-1", WEFT_ERR_NOTFOUND);
    assert_string_equal(error.text, "there is no node \"host-1\"; did you mean \"host-00001\"?");
    error = fails(ff, "Host-0000000010", WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(error.text, "did you mean \"host-00010\"?"));
    error = fails(ff, "st-0000", WEFT_ERR_NOTFOUND);
    assert_non_null(
        strstr(error.text, "did you mean \"host-00001\", \"host-00002\" or \"host-00003\"?"));
    error = fails(ff, "nobody at all", WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(error.text, "weft fabric ctl nodes lists them"));
    ff_free(ff);
}

static void test_guids_are_taken_as_tools_print_them(void **state)
{
    struct ff *ff = ff_new("fat-tree:hosts=36,radix=36", NULL);
    uint64_t guid = ff->f->nodes[3].guid;
    struct fabric_error error;
    char text[32];
    uint32_t node = 0;

    (void)state;
    assert_true(guid >> 52 != 0 && guid >> 60 == 0);
    snprintf(text, sizeof(text), "%" PRIx64, guid);
    assert_int_equal(strlen(text), 15);
    assert_int_equal(fabric_find(ff->f, text, &node, &error), 0);
    assert_int_equal(node, 3);
    /* Twelve digits are no GUID. */
    fails(ff, text + 3, WEFT_ERR_NOTFOUND);
    ff_free(ff);
}

static void test_hostile_names_are_only_not_found(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_error error;
    char longest[5000];

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    fails(ff, longest, WEFT_ERR_NOTFOUND);
    fails(ff, "", WEFT_ERR_NOTFOUND);
    fails(ff, "0x", WEFT_ERR_NOTFOUND);
    fails(ff, "0x20g", WEFT_ERR_NOTFOUND);
    fails(ff, "0x00000000000000020", WEFT_ERR_NOTFOUND);
    fails(ff, "20", WEFT_ERR_NOTFOUND);
    error = fails(ff, "\033[2Jsw", WEFT_ERR_NOTFOUND);
    assert_null(strchr(error.text, '\033'));
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_node_is_found_by_all_its_names),
        cmocka_unit_test(test_an_id_of_the_file_is_a_name),
        cmocka_unit_test(test_a_lid_finds_who_has_it),
        cmocka_unit_test(test_a_name_of_two_nodes_is_refused_with_a_guid_to_try),
        cmocka_unit_test(test_similar_names_are_suggested),
        cmocka_unit_test(test_zeroes_before_numbers_are_no_riddle),
        cmocka_unit_test(test_guids_are_taken_as_tools_print_them),
        cmocka_unit_test(test_hostile_names_are_only_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
