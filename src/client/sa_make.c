/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records and component masks of questions that are asked often. */
#include "core/wire/field.h"

#include <weft/sa.h>

#include <string.h>

/* Components of MCMemberRecord and PathRecord (IBA 15.2.5.16, 15.2.5.17). */
#define MC_JOIN_COMPONENTS UINT64_C(0x10003)
#define PATH_COMPONENTS    UINT64_C(0x180C)

/* In InformInfo. */
#define LID_ALL   0xFFFF
#define TYPE_ALL  0xFFFF
#define RESP_TIME 19 /* about 2 s */

void weft_sa_make_trap(uint16_t trap, bool subscribe, struct weft_sa_question *ret)
{
    uint8_t *r = ret->record;

    *ret = (struct weft_sa_question){.method = WEFT_METHOD_SET, .attr_id = WEFT_ATTR_INFORM_INFO};
    wire_set(WIRE_INFORM_INFO_LID_BEGIN, r, LID_ALL);
    wire_set(WIRE_INFORM_INFO_IS_GENERIC, r, 1);
    wire_set(WIRE_INFORM_INFO_SUBSCRIBE, r, subscribe);
    wire_set(WIRE_INFORM_INFO_TYPE, r, TYPE_ALL);
    wire_set(WIRE_INFORM_INFO_TRAP, r, trap);
    wire_set(WIRE_INFORM_INFO_QPN, r, WEFT_QP_GSI);
    wire_set(WIRE_INFORM_INFO_RESP_TIME, r, RESP_TIME);
    wire_set(WIRE_INFORM_INFO_PRODUCER, r, WEFT_SA_ANY_PRODUCER);
}

void weft_sa_make_group(const uint8_t mgid[16], const uint8_t port_gid[16], uint8_t state,
                        bool join, struct weft_sa_question *ret)
{
    uint8_t *r = ret->record;

    *ret = (struct weft_sa_question){.method = join ? WEFT_METHOD_SET : WEFT_METHOD_DELETE,
                                     .attr_id = WEFT_ATTR_SA_MC_MEMBER_RECORD,
                                     .mask = MC_JOIN_COMPONENTS};
    memcpy(r + wire_bytes_offset(WIRE_MC_MEMBER_RECORD_MGID), mgid, 16);
    memcpy(r + wire_bytes_offset(WIRE_MC_MEMBER_RECORD_PORT_GID), port_gid, 16);
    wire_set(WIRE_MC_MEMBER_RECORD_JOIN_STATE, r, state);
}

void weft_sa_make_path(const uint8_t sgid[16], const uint8_t dgid[16], struct weft_sa_question *ret)
{
    uint8_t *r = ret->record;

    *ret = (struct weft_sa_question){
        .method = WEFT_METHOD_GET, .attr_id = WEFT_ATTR_SA_PATH_RECORD, .mask = PATH_COMPONENTS};
    memcpy(r + wire_bytes_offset(WIRE_PATH_RECORD_SGID), sgid, 16);
    memcpy(r + wire_bytes_offset(WIRE_PATH_RECORD_DGID), dgid, 16);
    wire_set(WIRE_PATH_RECORD_REVERSIBLE, r, 1);
    wire_set(WIRE_PATH_RECORD_NUM_PATHS, r, 1);
}
