/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Contradictions: members named twice, partitions in which nobody can talk, groups made twice. */
#include "partitions/lint.h"

#include "partitions/problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Space for "0x" and the 16 digits of a GUID, or a word. */
#define WHO_BYTES 24

/* The members of one partition, in the order of the file, and again with those of one GUID beside
 * each other. */
struct roll {
    struct partitions *t;
    struct partitions_partition *p;
    struct partitions_member **in_order;
    struct partitions_member **by_guid;
    size_t count;
};

static const char *who(const struct partitions_member *m, char ret[WHO_BYTES])
{
    if (m->who == PARTITIONS_GUID)
        snprintf(ret, WHO_BYTES, "0x%016" PRIx64, m->guid);
    else
        snprintf(ret, WHO_BYTES, "%s", partitions_who_name(m->who));
    return ret;
}

/* Members lie in one array in the order of the file. */
static int by_guid(const void *a, const void *b)
{
    const struct partitions_member *x = *(struct partitions_member *const *)a;
    const struct partitions_member *y = *(struct partitions_member *const *)b;

    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void call_roll(struct roll *roll, struct partitions *t, struct partitions_partition *p)
{
    roll->t = t;
    roll->p = p;
    roll->count = 0;
    for (uint32_t i = p->first; i != PARTITIONS_NONE; i = t->members[i].next) {
        roll->in_order[roll->count] = &t->members[i];
        roll->by_guid[roll->count++] = &t->members[i];
    }
    if (roll->count > 1)
        qsort(roll->by_guid, roll->count, sizeof(struct partitions_member *), by_guid);
}

static int report_twice(struct roll *roll, const struct partitions_member *before,
                        const struct partitions_member *m)
{
    char text[WHO_BYTES];

    if (before->line == 0 || before->membership == m->membership)
        return 0;
    return partitions_problem_add(
        &roll->t->problems, m->line, PARTITIONS_MEMBERSHIP,
        "%s is %s in partition \"%s\" here and %s in line %" PRIu32 "; what comes later counts",
        who(m, text), partitions_membership_name(m->membership), roll->p->name,
        partitions_membership_name(before->membership), before->line);
}

/* The same name again overrules. */
static int settle_same(struct roll *roll)
{
    int err = 0;

    for (size_t i = 1; i < roll->count && err == 0; i++) {
        struct partitions_member *before = roll->by_guid[i - 1];
        const struct partitions_member *m = roll->by_guid[i];

        if (before->who != m->who || before->guid != m->guid)
            continue;
        before->overruled = true;
        err = report_twice(roll, before, m);
    }
    return err;
}

static int report_lost(struct roll *roll, const struct partitions_member *lost,
                       const struct partitions_member *m)
{
    char text[WHO_BYTES];

    if (!lost || lost->membership == m->membership)
        return 0;
    return partitions_problem_add(
        &roll->t->problems, m->line, PARTITIONS_MEMBERSHIP,
        "%s=%s overrules %s=%s in line %" PRIu32
        " of partition \"%s\"%s; write %s before the members "
        "that differ",
        partitions_who_name(m->who), partitions_membership_name(m->membership), who(lost, text),
        partitions_membership_name(lost->membership), lost->line, roll->p->name,
        m->who == PARTITIONS_ALL ? "" : ", if the subnet manager's port is a CA's",
        partitions_who_name(m->who));
}

/* The first member of the file, up to `end`, that stands behind the last ALL and differs. */
static const struct partitions_member *find_lost(const struct roll *roll, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++)
        if (roll->in_order[i]->line != 0 &&
            roll->in_order[i]->membership != roll->in_order[end]->membership)
            return roll->in_order[i];
    return NULL;
}

/* ALL overrules all that was named before it, which is rarely meant. */
static int settle_all(struct roll *roll)
{
    const struct partitions_member *self = NULL;
    size_t start = 0;
    int err = 0;

    for (size_t i = 0; i < roll->count && err == 0; i++) {
        const struct partitions_member *m = roll->in_order[i];

        if (m->who == PARTITIONS_ALL) {
            for (size_t j = start; j < i; j++)
                roll->in_order[j]->overruled = true;
            err = report_lost(roll, find_lost(roll, start, i), m);
            start = i + 1;
            self = NULL;
        } else if (m->who == PARTITIONS_ALL_CAS) {
            err = report_lost(roll, self, m);
        } else if (m->who == PARTITIONS_SELF && m->line != 0) {
            self = m;
        }
    }
    return err;
}

/* The last member that the SM's port is for certain, or as a CA's port. */
static const struct partitions_member *find_sm(const struct roll *roll)
{
    const struct partitions_member *found = NULL;

    for (size_t i = 0; i < roll->count; i++) {
        const struct partitions_member *m = roll->in_order[i];

        if (m->who == PARTITIONS_ALL || m->who == PARTITIONS_ALL_CAS || m->who == PARTITIONS_SELF)
            found = m;
    }
    return found;
}

static bool has_full(const struct roll *roll, bool guids_alone)
{
    for (size_t i = 0; i < roll->count; i++) {
        const struct partitions_member *m = roll->in_order[i];

        if (!m->overruled && m->membership != PARTITIONS_LIMITED &&
            (!guids_alone || m->who == PARTITIONS_GUID))
            return true;
    }
    return false;
}

/* A GUID that is a full member may be the SM's port. */
static int check_full(struct roll *roll)
{
    struct partitions_problems *list = &roll->t->problems;
    const struct partitions_member *sm = find_sm(roll);
    char text[WHO_BYTES];

    /* What was passed over after a mistake may have members, too. */
    if (roll->t->refused)
        return 0;
    if (roll->count == 0)
        return partitions_problem_add(list, roll->p->line, PARTITIONS_EMPTY,
                                      "partition \"%s\" has no member, OpenSM does not make it",
                                      roll->p->name);
    if (roll->p->key == PARTITIONS_DEFAULT_KEY && sm && sm->membership == PARTITIONS_LIMITED &&
        !has_full(roll, true))
        return partitions_problem_add(
            list, sm->line, PARTITIONS_DEFAULT_WITHOUT_SM,
            "%s=limited makes the subnet manager's port a limited member of the default partition: "
            "limited members do not reach it; write SELF=full behind it",
            who(sm, text));
    if (!has_full(roll, false))
        return partitions_problem_add(list, roll->p->line, PARTITIONS_LIMITED_ONLY,
                                      "partition \"%s\" (0x%04x) has limited members only, and "
                                      "limited members do not talk to "
                                      "each other; who is to be a full member?",
                                      roll->p->name, roll->p->key);
    return 0;
}

static int check_members(struct partitions *t)
{
    size_t space = t->member_count == 0 ? 1 : t->member_count;
    struct roll roll = {.in_order = malloc(space * sizeof(struct partitions_member *)),
                        .by_guid = malloc(space * sizeof(struct partitions_member *))};
    int err = roll.in_order && roll.by_guid ? 0 : WEFT_ERR_NOMEM;

    for (uint32_t i = 0; i < t->count && err == 0; i++) {
        call_roll(&roll, t, &t->items[i]);
        err = settle_same(&roll);
        if (err == 0)
            err = settle_all(&roll);
        if (err == 0)
            err = check_full(&roll);
    }
    free(roll.in_order);
    free(roll.by_guid);
    return err;
}

static int by_mgid(const void *a, const void *b)
{
    const struct partitions_group *x = a;
    const struct partitions_group *y = b;
    int order = memcmp(x->mgid, y->mgid, sizeof(x->mgid));

    if (order != 0)
        return order;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int check_groups(struct partitions *t)
{
    int err = 0;

    if (t->group_count > 1)
        qsort(t->groups, t->group_count, sizeof(*t->groups), by_mgid);
    for (uint32_t i = 1; i < t->group_count && err == 0; i++)
        if (memcmp(t->groups[i].mgid, t->groups[i - 1].mgid, sizeof(t->groups[i].mgid)) == 0)
            err = partitions_problem_add(&t->problems, t->groups[i].line, PARTITIONS_GROUP,
                                         "the multicast group is the one of line %" PRIu32
                                         ": OpenSM keeps that and ignores this",
                                         t->groups[i - 1].line);
    return err;
}

int partitions_lint(struct partitions *t)
{
    int err = check_members(t);

    if (err == 0)
        err = check_groups(t);
    partitions_problems_sort(&t->problems);
    return err;
}
