/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words and numbers, compared and converted as OpenSM does. */
#include "partitions/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const who_names[PARTITIONS_WHO] = {
    [PARTITIONS_ALL] = "ALL",
    [PARTITIONS_ALL_CAS] = "ALL_CAS",
    [PARTITIONS_ALL_SWITCHES] = "ALL_SWITCHES",
    [PARTITIONS_ALL_ROUTERS] = "ALL_ROUTERS",
    [PARTITIONS_SELF] = "SELF",
    [PARTITIONS_GUID] = "",
};

static const char *const membership_names[] = {
    [PARTITIONS_LIMITED] = "limited",
    [PARTITIONS_FULL] = "full",
    [PARTITIONS_BOTH_FORMS] = "both",
};

const char *partitions_who_name(enum partitions_who who)
{
    return who_names[who];
}

const char *partitions_membership_name(enum partitions_membership membership)
{
    return membership_names[membership];
}

bool partitions_word_begins(const char *word, const char *known)
{
    return strncmp(word, known, strlen(word)) == 0;
}

enum partitions_port partitions_word_port(const char *word, enum partitions_who *ret_who,
                                          const char **ret_known)
{
    *ret_known = NULL;
    if (word[0] == '\0')
        return PARTITIONS_PORT_NOBODY;
    if (partitions_word_begins(word, "NONE")) {
        *ret_known = "NONE";
        return PARTITIONS_PORT_NOBODY;
    }
    for (int who = 0; who < PARTITIONS_GUID; who++) {
        if (!partitions_word_begins(word, who_names[who]))
            continue;
        *ret_who = (enum partitions_who)who;
        *ret_known = who_names[who];
        return PARTITIONS_PORT_WHO;
    }
    return PARTITIONS_PORT_NUMBER;
}

bool partitions_word_membership(const char *word, enum partitions_membership *ret)
{
    /* An empty word begins all of them: full is asked for first. */
    static const enum partitions_membership order[] = {PARTITIONS_FULL, PARTITIONS_BOTH_FORMS,
                                                       PARTITIONS_LIMITED};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (partitions_word_begins(word, membership_names[order[i]])) {
            *ret = order[i];
            return true;
        }
    }
    return false;
}

struct partitions_number partitions_number_read(const char *text)
{
    struct partitions_number n = {0};
    const char *digits = text;
    char *end;

    while (isspace((unsigned char)*digits))
        digits++;
    n.negative = *digits == '-';
    if (*digits == '-' || *digits == '+')
        digits++;
    errno = 0;
    n.value = strtoull(text, &end, 0);
    n.overflow = errno == ERANGE;
    n.none = end == text;
    n.rest = end;
    n.octal = digits[0] == '0' && digits + 1 < end && isdigit((unsigned char)digits[1]);
    return n;
}
