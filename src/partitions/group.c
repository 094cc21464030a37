/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups that a definition wants to be there from the start. */
#include "partitions/reader.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

/* Groups of IP have 0x401b or 0x601b and then the partition's key (RFC 4391, 4). */
static bool is_ip(const uint8_t mgid[16])
{
    return (mgid[2] == 0x40 || mgid[2] == 0x60) && mgid[3] == 0x1b;
}

/* The broadcast group as OpenSM has it: any key stands for the partition's. */
static bool is_broadcast(const uint8_t mgid[16])
{
    static const uint8_t broadcast[16] = {0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0,    0,
                                          0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff};

    return memcmp(mgid, broadcast, sizeof(broadcast)) == 0;
}

/* What OpenSM asks of a group of IP; the key is filled in where it is 0. */
static bool fits_partition(struct reader *r, uint8_t mgid[16], const char *text,
                           const struct reader_flags *flags)
{
    const struct reader_definition *d = &r->definition;
    uint32_t key = r->t->items[d->partition].key | 0x8000u;
    uint32_t own = (uint32_t)(mgid[4] << 8 | mgid[5]);

    if (own != 0 && own != key && !is_broadcast(mgid)) {
        reader_problem(r, PARTITIONS_GROUP,
                       "mgid=%s: OpenSM does not make this group, it has P_Key 0x%04" PRIx32
                       " and its partition 0x%04" PRIx32 "; write 0 there",
                       text, own, key);
        return false;
    }
    if (flags->rate != d->flags.rate || flags->mtu != d->flags.mtu) {
        reader_problem(r, PARTITIONS_GROUP,
                       "mgid=%s: OpenSM does not make this group of IP, it has rate %" PRIu32
                       " and mtu %" PRIu32 ", its partition has %" PRIu32 " and %" PRIu32,
                       text, flags->rate, flags->mtu, d->flags.rate, d->flags.mtu);
        return false;
    }
    mgid[4] = (uint8_t)(key >> 8);
    mgid[5] = (uint8_t)key;
    return true;
}

/* Without flags OpenSM looks for some behind the text, and goes on behind those. That matters where
 * a semicolon ends the text. */
static void mention_behind(struct reader *r, const char *at, const char *mgid)
{
    size_t blanks;

    if (at > r->buffer + r->text_length)
        return;
    blanks = strspn(at, " \t\n");
    if (at[blanks] != '\0')
        reader_problem(r, PARTITIONS_IGNORED,
                       "column %zu: OpenSM takes what follows on the line for flags of the group "
                       "mgid=%s, which has none; write on the next line",
                       reader_column(r, at + blanks), mgid);
    else
        reader_problem(r, PARTITIONS_IGNORED,
                       "column %zu: OpenSM reads on behind the semicolon of the group mgid=%s, "
                       "which has no flags, and may stop at rests of earlier lines; write a flag, "
                       "such as sl=0",
                       reader_column(r, at - 1), mgid);
}

static char *refuse_mgid(struct reader *r, const struct reader_token *token, bool more)
{
    reader_problem(
        r, PARTITIONS_GROUP,
        "column %zu: expected a multicast GID, which begins with ff, in place of \"%s\"; "
        "OpenSM %s",
        reader_column(r, token->value), token->value,
        more ? "takes its flags for the next definition, or passes over them"
             : "does not make the group");
    return token->next;
}

char *reader_group(struct reader *r, const struct reader_token *token, bool more)
{
    struct reader_flags flags = r->definition.flags;
    struct partitions_group group = {.line = r->line};
    char *end = token->next;

    if (!token->value) {
        reader_stop(r, token->name,
                    "expected mgid=GID; OpenSM ends with a segmentation fault here");
        return NULL;
    }
    if (inet_pton(AF_INET6, token->value, group.mgid) != 1 || group.mgid[0] != 0xFF)
        return refuse_mgid(r, token, more);
    r->definition.grouped = true;
    /* What OpenSM reads behind the end does not matter once it has given up. */
    if (!more)
        mention_behind(r, end, token->value);
    if (more || !r->t->refused)
        end = reader_group_flags(r, end, !more, &flags);
    if (is_ip(group.mgid) && !fits_partition(r, group.mgid, token->value, &flags))
        return end;
    if (flags.scopes != 0 && (flags.scopes & (flags.scopes - 1)) == 0)
        group.mgid[1] = (uint8_t)((group.mgid[1] & 0xF0) | __builtin_ctz(flags.scopes));
    r->err = r->err == 0 ? partitions_group_add(r->t, &group) : r->err;
    return end;
}
