/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records and component masks of questions that are asked often. */
#include "core/wire/field.h"

#include <weft/sa.h>

#include <string.h>

/* Components of records (IBA 15.2.5.2 to 15.2.5.17): bits of the mask. */
#define NODE_GUID_COMPONENT UINT64_C(0x80)
#define PORT_INFO_LID       UINT64_C(0x1)
#define PORT_INFO_PORT      UINT64_C(0x2)
#define LINK_FROM_LID       UINT64_C(0x1)
#define SERVICE_COMPONENTS  UINT64_C(0x7) /* ServiceID, ServiceGID, ServiceP_Key */
#define SERVICE_LEASE       UINT64_C(0x10)
#define SERVICE_NAME        UINT64_C(0x40)
#define MC_JOIN_COMPONENTS  UINT64_C(0x10003)
#define PATH_COMPONENTS     UINT64_C(0x180C)

#define SERVICE_NAME_BYTES 64

/* In InformInfo. */
#define LID_ALL   0xFFFF
#define TYPE_ALL  0xFFFF
#define RESP_TIME 19 /* about 2 s */

void weft_sa_make_trap(uint16_t trap, bool subscribe, struct weft_sa_question *ret)
{
    uint8_t *r;

    *ret = (struct weft_sa_question){.method = WEFT_METHOD_SET, .attr_id = WEFT_ATTR_INFORM_INFO};
    r = ret->record;
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
    uint8_t *r;

    *ret = (struct weft_sa_question){.method = join ? WEFT_METHOD_SET : WEFT_METHOD_DELETE,
                                     .attr_id = WEFT_ATTR_SA_MC_MEMBER_RECORD,
                                     .mask = MC_JOIN_COMPONENTS};
    r = ret->record;
    memcpy(r + wire_bytes_offset(WIRE_MC_MEMBER_RECORD_MGID), mgid, 16);
    memcpy(r + wire_bytes_offset(WIRE_MC_MEMBER_RECORD_PORT_GID), port_gid, 16);
    wire_set(WIRE_MC_MEMBER_RECORD_JOIN_STATE, r, state);
}

void weft_sa_make_path(const uint8_t sgid[16], const uint8_t dgid[16], struct weft_sa_question *ret)
{
    uint8_t *r;

    *ret = (struct weft_sa_question){
        .method = WEFT_METHOD_GET, .attr_id = WEFT_ATTR_SA_PATH_RECORD, .mask = PATH_COMPONENTS};
    r = ret->record;
    memcpy(r + wire_bytes_offset(WIRE_PATH_RECORD_SGID), sgid, 16);
    memcpy(r + wire_bytes_offset(WIRE_PATH_RECORD_DGID), dgid, 16);
    wire_set(WIRE_PATH_RECORD_REVERSIBLE, r, 1);
    wire_set(WIRE_PATH_RECORD_NUM_PATHS, r, 1);
}

void weft_sa_make_service(const struct weft_sa_service *service, bool registers,
                          struct weft_sa_question *ret)
{
    uint8_t *r;
    size_t len = service->name ? strlen(service->name) : 0;

    *ret = (struct weft_sa_question){.method = registers ? WEFT_METHOD_SET : WEFT_METHOD_DELETE,
                                     .attr_id = WEFT_ATTR_SA_SERVICE_RECORD,
                                     .mask = SERVICE_COMPONENTS};
    r = ret->record;
    wire_set(WIRE_SERVICE_RECORD_SERVICE_ID, r, service->id);
    memcpy(r + wire_bytes_offset(WIRE_SERVICE_RECORD_SERVICE_GID), service->gid, 16);
    wire_set(WIRE_SERVICE_RECORD_PKEY, r, service->pkey);
    if (registers) {
        ret->mask |= SERVICE_LEASE;
        wire_set(WIRE_SERVICE_RECORD_LEASE_S, r, service->lease_s);
    }
    if (len > 0) {
        ret->mask |= SERVICE_NAME;
        memcpy(r + wire_bytes_offset(WIRE_SERVICE_RECORD_NAME), service->name,
               len < SERVICE_NAME_BYTES ? len : SERVICE_NAME_BYTES - 1);
    }
}

void weft_sa_make_node(uint64_t node_guid, struct weft_sa_question *ret)
{
    *ret = (struct weft_sa_question){.method = WEFT_METHOD_GET_TABLE,
                                     .attr_id = WEFT_ATTR_SA_NODE_RECORD,
                                     .mask = node_guid != 0 ? NODE_GUID_COMPONENT : 0};
    wire_set(WIRE_NODE_RECORD_NODE_GUID, ret->record, node_guid);
}

void weft_sa_make_port_info(uint16_t lid, uint8_t port, struct weft_sa_question *ret)
{
    bool one = port != WEFT_SA_ALL_PORTS;

    *ret = (struct weft_sa_question){.method = WEFT_METHOD_GET_TABLE,
                                     .attr_id = WEFT_ATTR_SA_PORT_INFO_RECORD,
                                     .mask = (lid != 0 ? PORT_INFO_LID : 0) |
                                             (one ? PORT_INFO_PORT : 0)};
    wire_set(WIRE_PORT_INFO_RECORD_LID, ret->record, lid);
    wire_set(WIRE_PORT_INFO_RECORD_PORT, ret->record, one ? port : 0);
}

void weft_sa_make_links(uint16_t lid, struct weft_sa_question *ret)
{
    *ret = (struct weft_sa_question){.method = WEFT_METHOD_GET_TABLE,
                                     .attr_id = WEFT_ATTR_SA_LINK_RECORD,
                                     .mask = lid != 0 ? LINK_FROM_LID : 0};
    wire_set(WIRE_LINK_RECORD_FROM_LID, ret->record, lid);
}
