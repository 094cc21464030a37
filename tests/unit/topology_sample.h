/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Topologies for tests: read from a text or a sample, or the test fails with what is wrong.
 */
#ifndef WEFT_TESTS_TOPOLOGY_SAMPLE_H
#define WEFT_TESTS_TOPOLOGY_SAMPLE_H

#include "topology/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Reads tests/data/topology/NAME. */
static inline struct topo *sample_read(const char *name)
{
    struct topo_error error = {.text = ""};
    struct topo *t = NULL;
    char path[4096];

    snprintf(path, sizeof(path), "%s/tests/data/topology/%s", getenv("WEFT_SOURCE"), name);
    if (topo_read_file(path, &t, &error) != 0)
        fail_msg("%s:%u: %s", path, error.line, error.text);
    return t;
}

/** Reads a text. */
static inline struct topo *sample_parse(const char *text)
{
    struct topo_error error = {.text = ""};
    struct topo *t = NULL;

    if (topo_parse(text, strlen(text), &t, &error) != 0)
        fail_msg("line %u: %s", error.line, error.text);
    return t;
}

#endif
