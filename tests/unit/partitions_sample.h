/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Configurations for tests of partitions: read from a text, and told in one line.
 */
#ifndef WEFT_TESTS_PARTITIONS_SAMPLE_H
#define WEFT_TESTS_PARTITIONS_SAMPLE_H

#include "partitions/partitions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLE_SHOWN_BYTES 4096

/** A text and what it is to come to. */
struct sample_row {
    const char *text;
    const char *wanted;
};

/** Reads a text that can be read. */
static inline struct partitions *sample_parse(const char *text, bool allow_both)
{
    struct partitions_error error = {.text = ""};
    struct partitions *t = NULL;

    if (partitions_parse(text, strlen(text), allow_both, &t, &error) != 0)
        fail_msg("line %u: %s", error.line, error.text);
    return t;
}

/** Problems as "line kind" words. */
static inline void sample_problems(const struct partitions *t, char ret[SAMPLE_SHOWN_BYTES])
{
    size_t used = 0;

    ret[0] = '\0';
    for (size_t i = 0; i < t->problems.count && used < SAMPLE_SHOWN_BYTES; i++)
        used += (size_t)snprintf(ret + used, SAMPLE_SHOWN_BYTES - used, "%s%u %s",
                                 i == 0 ? "" : ", ", t->problems.items[i].line,
                                 partitions_kind_name(t->problems.items[i].kind));
}

/** Partitions as "A 0x1: ALL=full 0x12=limited", those that are overruled left out. */
static inline void sample_partitions(const struct partitions *t, char ret[SAMPLE_SHOWN_BYTES])
{
    size_t used = 0;

    ret[0] = '\0';
    for (uint32_t i = 0; i < t->count && used < SAMPLE_SHOWN_BYTES; i++) {
        used +=
            (size_t)snprintf(ret + used, SAMPLE_SHOWN_BYTES - used,
                             "%s%s 0x%x:", i == 0 ? "" : "; ", t->items[i].name, t->items[i].key);
        for (uint32_t m = t->items[i].first; m != PARTITIONS_NONE && used < SAMPLE_SHOWN_BYTES;
             m = t->members[m].next) {
            const struct partitions_member *member = &t->members[m];
            char guid[24] = "";

            if (member->overruled)
                continue;
            if (member->who == PARTITIONS_GUID)
                snprintf(guid, sizeof(guid), "0x%llx", (unsigned long long)member->guid);
            used += (size_t)snprintf(ret + used, SAMPLE_SHOWN_BYTES - used, " %s%s=%s", guid,
                                     partitions_who_name(member->who),
                                     partitions_membership_name(member->membership));
        }
    }
}

/** Each text must come to its partitions, but for the default partition where that is OpenSM's
 * own. */
static inline void sample_expect_partitions(const struct sample_row *rows, size_t count)
{
    static const char own[] = "Default 0x7fff: ALL=limited SELF=full; ";
    char got[SAMPLE_SHOWN_BYTES];

    for (size_t i = 0; i < count; i++) {
        struct partitions *t = sample_parse(rows[i].text, false);

        sample_partitions(t, got);
        print_message("# %s\n", rows[i].text);
        assert_string_equal(strncmp(got, own, sizeof(own) - 1) == 0 ? got + sizeof(own) - 1 : got,
                            rows[i].wanted);
        partitions_free(t);
    }
}

/** Each text must have its problems and no other. */
static inline void sample_expect_problems(const struct sample_row *rows, size_t count)
{
    char got[SAMPLE_SHOWN_BYTES];

    for (size_t i = 0; i < count; i++) {
        struct partitions *t = sample_parse(rows[i].text, false);

        sample_problems(t, got);
        print_message("# %s\n", rows[i].text);
        assert_string_equal(got, rows[i].wanted);
        partitions_free(t);
    }
}

/** A text's problem number `i` must say something. */
static inline void sample_expect_text(const char *text, size_t i, const char *part)
{
    struct partitions *t = sample_parse(text, false);

    assert_true(t->problems.count > i);
    if (!strstr(t->problems.items[i].text, part))
        fail_msg("lacks \"%s\": %s", part, t->problems.items[i].text);
    partitions_free(t);
}

#endif
