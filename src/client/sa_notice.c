/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notices: where each trap's details stand, and what they mean. */
#include "client/sa_notice.h"

#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <string.h>

#define ISSUER_GID_AT 64
#define GID_BYTES     16

/* Traps (IBA 13.4.8.2, 14.2.5.1). */
#define TRAP_GID_FIRST   64
#define TRAP_GID_LAST    67
#define TRAP_CAPABILITY  144
#define TRAP_BAD_PKEY    257
#define TRAP_BAD_QKEY    258
#define TRAP_SWITCH_PKEY 259

/* Trap 144: details that say what has changed. */
#define CHANGES_AT   11
#define CHANGED_NAME 1

/* Not there. */
#define NOWHERE 0xFF

/* Where a trap's details stand. */
struct row {
    uint16_t trap;
    uint8_t lid_at, other_at, port_at;
    const char *text;
};

static const struct row rows[] = {
    {64, NOWHERE, NOWHERE, NOWHERE, "a port is in service"},
    {65, NOWHERE, NOWHERE, NOWHERE, "a port is out of service"},
    {66, NOWHERE, NOWHERE, NOWHERE, "a multicast group was created"},
    {67, NOWHERE, NOWHERE, NOWHERE, "a multicast group was deleted"},
    {128, 0, NOWHERE, NOWHERE, "a link has changed state"},
    {129, 2, NOWHERE, 4, "local link integrity: errors are above their threshold"},
    {130, 2, NOWHERE, 4, "excessive buffer overruns are above their threshold"},
    {131, 2, NOWHERE, 4, "the watchdog of flow control has expired"},
    {144, 2, NOWHERE, NOWHERE, "capabilities or settings have changed"},
    {145, 2, NOWHERE, NOWHERE, "the system image GUID has changed"},
    {256, 2, NOWHERE, NOWHERE, "somebody has used a wrong M_Key"},
    {257, 2, 4, NOWHERE, "somebody has used a wrong P_Key"},
    {258, 2, 4, NOWHERE, "somebody has used a wrong Q_Key"},
    {259, 48, NOWHERE, 50, "a switch has dropped a packet with a wrong P_Key"},
};

static const struct row *row_of(const struct sa_notice *n)
{
    for (size_t i = 0; n->generic && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].trap == n->trap)
            return &rows[i];
    return NULL;
}

static uint16_t lid_at(const uint8_t *details, uint8_t at)
{
    return at == NOWHERE ? 0 : wire_be16(details + at);
}

static void details_read(const uint8_t *details, const struct row *row, struct sa_notice *ret)
{
    ret->lid = lid_at(details, row->lid_at);
    ret->other = lid_at(details, row->other_at);
    if (row->port_at != NOWHERE)
        ret->port = details[row->port_at];
    if (ret->trap >= TRAP_GID_FIRST && ret->trap <= TRAP_GID_LAST) {
        ret->has_gid = true;
        memcpy(ret->gid, details + 6, GID_BYTES);
    }
    if (ret->trap == TRAP_BAD_PKEY || ret->trap == TRAP_BAD_QKEY)
        ret->key = wire_be32(details + 6);
    if (ret->trap == TRAP_SWITCH_PKEY)
        ret->key = wire_be16(details + 6);
    ret->name = ret->trap == TRAP_CAPABILITY && (details[CHANGES_AT] & CHANGED_NAME) != 0;
}

void sa_notice_read(const uint8_t notice[WEFT_SA_NOTICE_BYTES], struct sa_notice *ret)
{
    const struct row *row;

    *ret = (struct sa_notice){
        .generic = wire_get(WIRE_NOTICE_GENERIC, notice) != 0,
        .type = (uint8_t)wire_get(WIRE_NOTICE_TYPE, notice),
        .producer = (uint32_t)wire_get(WIRE_NOTICE_PRODUCER, notice),
        .trap = (uint16_t)wire_get(WIRE_NOTICE_TRAP, notice),
        .issuer_lid = (uint16_t)wire_get(WIRE_NOTICE_ISSUER_LID, notice),
        .port = SA_NOTICE_NO_PORT,
    };
    memcpy(ret->issuer_gid, notice + ISSUER_GID_AT, GID_BYTES);
    row = row_of(ret);
    if (row)
        details_read(notice + wire_bytes_offset(WIRE_NOTICE_DETAILS), row, ret);
}

const char *sa_notice_text(const struct sa_notice *n)
{
    const struct row *row = row_of(n);

    if (n->name)
        return "a node has another name";
    if (row)
        return row->text;
    return n->generic ? "a trap that is not known here" : "a vendor's trap";
}

const char *sa_notice_type_word(uint8_t type)
{
    static const char *const words[] = {"fatal", "urgent", "security", "subnet management",
                                        "informational"};

    return type < sizeof(words) / sizeof(words[0]) ? words[type] : "of unknown type";
}
