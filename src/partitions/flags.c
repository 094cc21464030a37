/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flags of definitions and of multicast groups. */
#include "core/base/suggest.h"
#include "partitions/reader.h"
#include "partitions/words.h"

#include <inttypes.h>
#include <string.h>

/* What both kinds of flags have, in the order in which OpenSM compares them. */
enum flag {
    FLAG_MTU,
    FLAG_RATE,
    FLAG_SCOPE,
    FLAG_Q_KEY,
    FLAG_TCLASS,
    FLAG_SL,
    FLAG_FLOW_LABEL,
    FLAGS
};

/* Values that a flag can have; OpenSM itself looks at few of them. */
static const struct {
    const char *name;
    uint64_t min;
    uint64_t max;
    bool blank_ends; /* OpenSM takes a number that a blank follows */
} limits[FLAGS] = {
    [FLAG_MTU] = {"mtu", 1, 5, false},      /* 256 to 4096 bytes */
    [FLAG_RATE] = {"rate", 2, 22, false},   /* 2.5 to 600 Gb/s, IBA 15.2.5.16 */
    [FLAG_SCOPE] = {"scope", 1, 15, false}, /* of a multicast GID, IBA 4.1.1 */
    [FLAG_Q_KEY] = {"Q_Key", 1, UINT32_MAX, false},
    [FLAG_TCLASS] = {"TClass", 1, UINT8_MAX, false},
    [FLAG_SL] = {"sl", 0, 15, true},
    [FLAG_FLOW_LABEL] = {"FlowLabel", 0, 0xFFFFF, true},
};

static enum flag find_flag(const char *name)
{
    int i = 0;

    while (i < FLAGS && !partitions_word_begins(name, limits[i].name))
        i++;
    return (enum flag)i;
}

static void mention_abbreviation(struct reader *r, const char *word, const char *known)
{
    if (word[0] == '\0')
        reader_problem(r, PARTITIONS_IGNORED,
                       "nothing stands between two commas where a flag is expected; OpenSM takes "
                       "it for %s without a value",
                       known);
    else if (strcmp(word, known) != 0)
        reader_problem(r, PARTITIONS_ABBREVIATION,
                       "\"%s\" is the first flag that begins so to OpenSM: %s; write it out", word,
                       known);
}

static void set_flag(struct reader_flags *flags, enum flag flag, uint64_t value)
{
    if (flag == FLAG_MTU)
        flags->mtu = (uint32_t)value;
    else if (flag == FLAG_RATE)
        flags->rate = (uint32_t)value;
    else if (flag == FLAG_SCOPE && value >= 1 && value <= 15)
        flags->scopes |= 1u << value;
}

static void take_value(struct reader *r, struct reader_flags *flags, enum flag flag,
                       const char *value)
{
    struct partitions_number n;
    bool rest;

    if (!value || value[0] == '\0') {
        reader_problem(r, PARTITIONS_BAD_VALUE,
                       "%s has no value; OpenSM skips it, write %s=%" PRIu64, limits[flag].name,
                       limits[flag].name, limits[flag].min);
        return;
    }
    n = partitions_number_read(value);
    rest = n.rest[0] != '\0';
    if (n.none)
        n.value = 0;
    if (n.none || rest || n.negative || n.overflow || n.value < limits[flag].min ||
        n.value > limits[flag].max)
        reader_problem(r, PARTITIONS_BAD_VALUE,
                       "%s=%s: %s is a number from %" PRIu64 " to %" PRIu64 "%s", limits[flag].name,
                       value, limits[flag].name, limits[flag].min, limits[flag].max,
                       flag == FLAG_MTU || flag == FLAG_RATE
                           ? ", a code of the InfiniBand specification (mtu=4 is 2048 bytes, "
                             "rate=3 is 10 Gb/s)"
                           : "");
    set_flag(flags, flag, n.value);
}

/* True when it was a flag that both kinds have. */
static bool take_common(struct reader *r, struct reader_flags *flags,
                        const struct reader_token *token)
{
    enum flag flag = find_flag(token->name);

    if (flag == FLAGS)
        return false;
    mention_abbreviation(r, token->name, limits[flag].name);
    if (token->name[0] == '\0' && !token->value)
        return true;
    if (flag != FLAG_SL)
        flags->group_line = r->line;
    take_value(r, flags, flag, token->value);
    return true;
}

static void take_default(struct reader *r, const char *value)
{
    if (!value || !partitions_word_membership(value, &r->definition.membership)) {
        reader_problem(r, PARTITIONS_UNKNOWN_MEMBERSHIP,
                       "defmember=%s: OpenSM skips it, so that ports without a membership are %s; "
                       "write full, limited or both",
                       value ? value : "", partitions_membership_name(r->definition.membership));
        return;
    }
    if (value[0] == '\0')
        reader_problem(r, PARTITIONS_BAD_VALUE,
                       "defmember has no value; OpenSM takes that for full: write it");
}

static void mention_unknown(struct reader *r, const char *name, bool of_group)
{
    static const char *const more[] = {"ipoib", "defmember", "indx0"};
    struct suggest near;

    suggest_start(&near, name);
    for (int i = 0; i < FLAGS; i++)
        suggest_offer(&near, limits[i].name);
    for (size_t i = 0; !of_group && i < sizeof(more) / sizeof(more[0]); i++)
        suggest_offer(&near, more[i]);
    if (suggest_best(&near))
        reader_problem(r, PARTITIONS_UNKNOWN_FLAG,
                       "there is no flag \"%s\", OpenSM ignores it; did you mean \"%s\"?", name,
                       suggest_best(&near));
    else
        reader_problem(r, PARTITIONS_UNKNOWN_FLAG, "there is no flag \"%s\"%s, OpenSM ignores it",
                       name, of_group ? " of multicast groups" : "");
}

void reader_flag(struct reader *r, struct reader_flags *flags, const struct reader_token *token)
{
    struct reader_definition *d = &r->definition;

    if (take_common(r, flags, token))
        return;
    if (partitions_word_begins(token->name, "ipoib")) {
        mention_abbreviation(r, token->name, "ipoib");
        d->ipoib = true;
    } else if (partitions_word_begins(token->name, "defmember")) {
        mention_abbreviation(r, token->name, "defmember");
        take_default(r, token->value);
        return;
    } else if (strcmp(token->name, "indx0") == 0) {
        d->indx0 = true;
    } else {
        mention_unknown(r, token->name, false);
        return;
    }
    if (token->value)
        reader_problem(r, PARTITIONS_BAD_VALUE, "%s has no value, OpenSM ignores \"%s\"",
                       token->name, token->value);
}

/* Behind the text, OpenSM finds what is left of a comment, of the next definition or of earlier
 * lines. It matters where that is a flag with a value. */
static void take_behind(struct reader *r, struct reader_flags *flags,
                        const struct reader_token *token)
{
    enum flag flag = find_flag(token->name);

    if (token->name[0] == '\0' || flag == FLAGS || !token->value)
        return;
    reader_problem(
        r, PARTITIONS_IGNORED,
        "OpenSM reads on behind a group without flags, and takes \"%s=%s\" there for one; "
        "write a flag behind the mgid, such as sl=0",
        token->name, token->value);
    set_flag(flags, flag, partitions_number_read(token->value).value);
}

char *reader_group_flags(struct reader *r, char *at, bool behind, struct reader_flags *flags)
{
    struct reader_token token;
    bool more;

    do {
        more = reader_cut(at, ',');
        token = reader_token_read(at);
        if (behind)
            take_behind(r, flags, &token);
        else if (!take_common(r, flags, &token))
            mention_unknown(r, token.name, true);
        at = token.next;
    } while (more);
    return at;
}
