/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The writer, where files and fabrics differ; that what is written is read as the same is tested
 * with the generators and the fuzzer. */
#include "topology/topology.h"
#include "topology_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A switch whose vendor and device are 0, or not said, with a cable to itself. */
static const char nameless[] = "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
                               "[1] \"S-0000000000000001\"[2] # \"s\" lid 1 4xEDR\n"
                               "[2] \"S-0000000000000001\"[1] # \"s\" lid 1 4xEDR\n";

#define STANZA                                                                                     \
    "switchguid=0x1(1)\n"                                                                          \
    "Switch\t4 \"S-0000000000000001\"\t\t# \"s\" base port 0 lid 1 lmc 0\n"                        \
    "[1]\t\"S-0000000000000001\"[2]\t\t# \"s\" lid 1 4xEDR\n"                                      \
    "[2]\t\"S-0000000000000001\"[1]\t\t# \"s\" lid 1 4xEDR\n"

static void assert_written(bool (*write)(const struct topo *, FILE *), const char *wanted)
{
    struct topo *t = sample_parse(nameless);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    assert_true(write(t, out));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, wanted);
    free(text);
    topo_free(t);
}

static void test_what_a_file_does_not_say_stays_unsaid(void **state)
{
    (void)state;
    assert_written(topo_write, "#\n# Topology file\n#\n\n" STANZA);
}

static void test_of_a_fabric_vendor_and_device_are_written_though_0(void **state)
{
    (void)state;
    assert_written(topo_write_found, "\nvendid=0x0\ndevid=0x0\n" STANZA);
}

static void test_a_stream_that_fails_is_said(void **state)
{
    struct topo *t = sample_parse(nameless);
    FILE *out = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(out);
    assert_false(topo_write(t, out));
    fclose(out);
    topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_file_does_not_say_stays_unsaid),
        cmocka_unit_test(test_of_a_fabric_vendor_and_device_are_written_though_0),
        cmocka_unit_test(test_a_stream_that_fails_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
