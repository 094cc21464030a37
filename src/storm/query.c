/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SA requests and answers of a storm, byte by byte: records as IBA 15.2.5.16 and 15.2.5.17. */
#include "storm/query.h"

#include "core/wire/mad_header.h"

#include <string.h>

enum {
    SA_VERSION = 2,
    COMPONENT_MASK = 48,
    RECORD = WEFT_SA_DATA_OFFSET,
    /* PathRecord */
    PATH_DGID = RECORD + 8,
    PATH_SGID = RECORD + 24,
    PATH_DLID = RECORD + 40,
    PATH_SLID = RECORD + 42,
    PATH_NUMB = RECORD + 49,
    PATH_PKEY = RECORD + 50,
    PATH_MTU = RECORD + 54,
    PATH_RATE = RECORD + 55,
    PATH_LIFE = RECORD + 56,
    /* MCMemberRecord */
    MC_MGID = RECORD + 0,
    MC_PORT_GID = RECORD + 16,
    MC_QKEY = RECORD + 32,
    MC_MLID = RECORD + 36,
    MC_MTU = RECORD + 38,
    MC_PKEY = RECORD + 40,
    MC_RATE = RECORD + 42,
    MC_JOIN_STATE = RECORD + 48,

    GID_LOW = 12, /* the last four bytes of a GID */
    FULL_MEMBER = 1,
    MTU_2048 = 4,
    RATE_100G = 16,
    EXACTLY = 0x80 /* selector in the top bits of MTU, rate and life time */
};

/* SGID, DGID, reversible, number of paths (component bits of IBA 15.2.5.16). */
static const uint64_t path_mask = 1u << 2 | 1u << 3 | 1u << 11 | 1u << 12;
/* MGID, port GID, join state (IBA 15.2.5.17). */
static const uint64_t join_mask = 1u << 0 | 1u << 1 | 1u << 16;

static const uint8_t subnet_prefix[8] = {0xfe, 0x80};
/* IPoIB's IPv4 groups in the default partition (RFC 4391 section 4). */
static const uint8_t group_prefix[8] = {0xff, 0x12, 0x40, 0x1b, 0xff, 0xff};

static void write_gid(uint8_t *gid, const uint8_t prefix[8], uint32_t low)
{
    memcpy(gid, prefix, 8);
    wire_set_be32(gid + GID_LOW, low);
}

static void write_header(uint8_t *mad, uint8_t method, bool is_join)
{
    mad_set_base_version(mad, 1);
    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(mad, SA_VERSION);
    mad_set_method(mad, method);
    mad_set_attr_id(mad, is_join ? WEFT_ATTR_SA_MC_MEMBER_RECORD : WEFT_ATTR_SA_PATH_RECORD);
    wire_set_be64(mad + COMPONENT_MASK, is_join ? join_mask : path_mask);
}

static void write_record(uint8_t *mad, uint32_t client, uint32_t query, bool is_join)
{
    if (is_join) {
        write_gid(mad + MC_MGID, group_prefix, query);
        write_gid(mad + MC_PORT_GID, subnet_prefix, client);
        mad[MC_JOIN_STATE] = FULL_MEMBER;
    } else {
        write_gid(mad + PATH_DGID, subnet_prefix, query);
        write_gid(mad + PATH_SGID, subnet_prefix, client);
        mad[PATH_NUMB] = 0x80 | 1; /* reversible, one path */
    }
}

void storm_query_write(uint8_t *ret, uint32_t client, uint32_t query, bool is_join, uint32_t tid)
{
    write_header(ret, is_join ? WEFT_METHOD_SET : WEFT_METHOD_GET, is_join);
    mad_set_tid(ret, tid);
    memset(ret + RECORD, 0, STORM_QUERY_BYTES - RECORD);
    write_record(ret, client, query, is_join);
}

int storm_query_read(const uint8_t *mad, uint32_t *ret_query)
{
    bool is_join = mad_attr_id(mad) == WEFT_ATTR_SA_MC_MEMBER_RECORD;

    if (mad_base_version(mad) != 1 || mad_class(mad) != WEFT_CLASS_SUBN_ADM ||
        mad_class_version(mad) != SA_VERSION ||
        mad_method(mad) != (is_join ? WEFT_METHOD_SET : WEFT_METHOD_GET) ||
        (!is_join && mad_attr_id(mad) != WEFT_ATTR_SA_PATH_RECORD))
        return WEFT_ERR_FORMAT;
    *ret_query = wire_be32(mad + (is_join ? MC_MGID : PATH_DGID) + GID_LOW);
    return 0;
}

void storm_query_answers_init(struct storm_query_answers *a)
{
    memset(a, 0, sizeof(*a));
    write_header(a->join, WEFT_METHOD_GET_RESP, true);
    write_record(a->join, 0, 0, true);
    wire_set_be32(a->join + MC_QKEY, 0x0b1b);
    wire_set_be16(a->join + MC_MLID, 0xc000);
    a->join[MC_MTU] = EXACTLY | MTU_2048;
    wire_set_be16(a->join + MC_PKEY, WEFT_PKEY_DEFAULT_FULL);
    a->join[MC_RATE] = EXACTLY | RATE_100G;

    write_header(a->path, WEFT_METHOD_GET_RESP, false);
    write_record(a->path, 0, 0, false);
    wire_set_be16(a->path + PATH_DLID, 1);
    wire_set_be16(a->path + PATH_SLID, 1);
    wire_set_be16(a->path + PATH_PKEY, WEFT_PKEY_DEFAULT_FULL);
    a->path[PATH_MTU] = EXACTLY | MTU_2048;
    a->path[PATH_RATE] = EXACTLY | RATE_100G;
    a->path[PATH_LIFE] = EXACTLY | 18;
}

const uint8_t *storm_query_answer(struct storm_query_answers *a, uint32_t client, uint32_t query,
                                  bool is_join, uint64_t tid, uint16_t status)
{
    uint8_t *mad = is_join ? a->join : a->path;

    mad_set_tid(mad, tid);
    mad_set_status(mad, status);
    wire_set_be32(mad + (is_join ? MC_MGID : PATH_DGID) + GID_LOW, query);
    wire_set_be32(mad + (is_join ? MC_PORT_GID : PATH_SGID) + GID_LOW, client);
    return mad;
}
