/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SA requests and answers of a storm. */
#include "storm/query.h"

#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <string.h>

enum {
    RECORD = WEFT_SA_DATA_OFFSET,
    /* What a packet of the storm carries, at its place in the MAD. */
    PATH_DGID = RECORD + WIRE_AT_PATH_RECORD_DGID,
    PATH_SGID = RECORD + WIRE_AT_PATH_RECORD_SGID,
    PATH_NUM_PATHS = RECORD + WIRE_AT_PATH_RECORD_NUM_PATHS,
    MC_MGID = RECORD + WIRE_AT_MC_MEMBER_RECORD_MGID,
    MC_PORT_GID = RECORD + WIRE_AT_MC_MEMBER_RECORD_PORT_GID,
    MC_JOIN_STATE = RECORD + WIRE_AT_MC_MEMBER_RECORD_JOIN_STATE,

    GID_LOW = 12, /* the last four bytes of a GID */
    REVERSIBLE = 0x80,
    FULL_MEMBER = 1,
    /* What every answer says. */
    EXACTLY = 2,
    MTU_2048 = 4,
    RATE_100G = 16,
    LIFE_TIME_1S = 18
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
    mad_set_class_version(mad, STORM_QUERY_CLASS_VERSION);
    mad_set_method(mad, method);
    mad_set_attr_id(mad, is_join ? WEFT_ATTR_SA_MC_MEMBER_RECORD : WEFT_ATTR_SA_PATH_RECORD);
    wire_set_be64(mad + WIRE_AT_SA_COMPONENT_MASK, is_join ? join_mask : path_mask);
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
        mad[PATH_NUM_PATHS] = REVERSIBLE | 1;
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
        mad_class_version(mad) != STORM_QUERY_CLASS_VERSION ||
        mad_method(mad) != (is_join ? WEFT_METHOD_SET : WEFT_METHOD_GET) ||
        (!is_join && mad_attr_id(mad) != WEFT_ATTR_SA_PATH_RECORD))
        return WEFT_ERR_FORMAT;
    *ret_query = wire_be32(mad + (is_join ? MC_MGID : PATH_DGID) + GID_LOW);
    return 0;
}

void storm_query_answers_init(struct storm_query_answers *a)
{
    uint8_t *join = a->join + RECORD;
    uint8_t *path = a->path + RECORD;

    memset(a, 0, sizeof(*a));
    write_header(a->join, WEFT_METHOD_GET_RESP, true);
    write_record(a->join, 0, 0, true);
    wire_set(WIRE_MC_MEMBER_RECORD_QKEY, join, 0x0b1b);
    wire_set(WIRE_MC_MEMBER_RECORD_MLID, join, 0xc000);
    wire_set(WIRE_MC_MEMBER_RECORD_MTU_SELECTOR, join, EXACTLY);
    wire_set(WIRE_MC_MEMBER_RECORD_MTU, join, MTU_2048);
    wire_set(WIRE_MC_MEMBER_RECORD_PKEY, join, WEFT_PKEY_DEFAULT_FULL);
    wire_set(WIRE_MC_MEMBER_RECORD_RATE_SELECTOR, join, EXACTLY);
    wire_set(WIRE_MC_MEMBER_RECORD_RATE, join, RATE_100G);

    write_header(a->path, WEFT_METHOD_GET_RESP, false);
    write_record(a->path, 0, 0, false);
    wire_set(WIRE_PATH_RECORD_DLID, path, 1);
    wire_set(WIRE_PATH_RECORD_SLID, path, 1);
    wire_set(WIRE_PATH_RECORD_PKEY, path, WEFT_PKEY_DEFAULT_FULL);
    wire_set(WIRE_PATH_RECORD_MTU_SELECTOR, path, EXACTLY);
    wire_set(WIRE_PATH_RECORD_MTU, path, MTU_2048);
    wire_set(WIRE_PATH_RECORD_RATE_SELECTOR, path, EXACTLY);
    wire_set(WIRE_PATH_RECORD_RATE, path, RATE_100G);
    wire_set(WIRE_PATH_RECORD_LIFE_TIME_SELECTOR, path, EXACTLY);
    wire_set(WIRE_PATH_RECORD_LIFE_TIME, path, LIFE_TIME_1S);
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
