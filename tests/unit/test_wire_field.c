/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The field tables row by row, and access through them with every kind of wrong argument. */
#include "core/wire/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Where a field stands: its first byte, how many bytes it touches, and what they become when all
 * its bits are set in a cleared buffer (nothing for arrays: whole bytes). */
struct field_case {
    enum wire_field_id id;
    uint16_t byte;
    uint8_t bytes;
    const char *all_ones;
};

static const struct field_case cases[] = {
    {WIRE_MAD_BASE_VERSION, 0, 1, "ff"},
    {WIRE_MAD_CLASS, 1, 1, "ff"},
    {WIRE_MAD_CLASS_VERSION, 2, 1, "ff"},
    {WIRE_MAD_METHOD, 3, 1, "ff"},
    {WIRE_MAD_STATUS, 4, 2, "ffff"},
    {WIRE_MAD_CLASS_SPECIFIC, 6, 2, "ffff"},
    {WIRE_MAD_TID, 8, 8, "ffffffffffffffff"},
    {WIRE_MAD_ATTR_ID, 16, 2, "ffff"},
    {WIRE_MAD_ATTR_MOD, 20, 4, "ffffffff"},

    {WIRE_VENDOR_OUI, 37, 3, "ffffff"},

    {WIRE_SMP_M_KEY, 24, 8, "ffffffffffffffff"},

    {WIRE_SMP_DIRECTED_DIRECTION, 4, 1, "80"},
    {WIRE_SMP_DIRECTED_STATUS, 4, 2, "7fff"},
    {WIRE_SMP_DIRECTED_HOP_POINTER, 6, 1, "ff"},
    {WIRE_SMP_DIRECTED_HOP_COUNT, 7, 1, "ff"},
    {WIRE_SMP_DIRECTED_DR_SLID, 32, 2, "ffff"},
    {WIRE_SMP_DIRECTED_DR_DLID, 34, 2, "ffff"},
    {WIRE_SMP_DIRECTED_INITIAL_PATH, 128, 64, ""},
    {WIRE_SMP_DIRECTED_RETURN_PATH, 192, 64, ""},

    {WIRE_RMPP_VERSION, 24, 1, "ff"},
    {WIRE_RMPP_TYPE, 25, 1, "ff"},
    {WIRE_RMPP_RESP_TIME, 26, 1, "f8"},
    {WIRE_RMPP_FLAGS, 26, 1, "07"},
    {WIRE_RMPP_STATUS, 27, 1, "ff"},
    {WIRE_RMPP_SEGMENT, 28, 4, "ffffffff"},
    {WIRE_RMPP_LENGTH, 32, 4, "ffffffff"},

    {WIRE_SA_SM_KEY, 36, 8, "ffffffffffffffff"},
    {WIRE_SA_ATTR_OFFSET, 44, 2, "ffff"},
    {WIRE_SA_COMPONENT_MASK, 48, 8, "ffffffffffffffff"},

    {WIRE_NODE_INFO_BASE_VERSION, 0, 1, "ff"},
    {WIRE_NODE_INFO_CLASS_VERSION, 1, 1, "ff"},
    {WIRE_NODE_INFO_NODE_TYPE, 2, 1, "ff"},
    {WIRE_NODE_INFO_NUM_PORTS, 3, 1, "ff"},
    {WIRE_NODE_INFO_SYSTEM_IMAGE_GUID, 4, 8, "ffffffffffffffff"},
    {WIRE_NODE_INFO_NODE_GUID, 12, 8, "ffffffffffffffff"},
    {WIRE_NODE_INFO_PORT_GUID, 20, 8, "ffffffffffffffff"},
    {WIRE_NODE_INFO_PARTITION_CAP, 28, 2, "ffff"},
    {WIRE_NODE_INFO_DEVICE_ID, 30, 2, "ffff"},
    {WIRE_NODE_INFO_REVISION, 32, 4, "ffffffff"},
    {WIRE_NODE_INFO_LOCAL_PORT, 36, 1, "ff"},
    {WIRE_NODE_INFO_VENDOR_ID, 37, 3, "ffffff"},

    {WIRE_SWITCH_INFO_LINEAR_FDB_CAP, 0, 2, "ffff"},
    {WIRE_SWITCH_INFO_RANDOM_FDB_CAP, 2, 2, "ffff"},
    {WIRE_SWITCH_INFO_MULTICAST_FDB_CAP, 4, 2, "ffff"},
    {WIRE_SWITCH_INFO_LINEAR_FDB_TOP, 6, 2, "ffff"},
    {WIRE_SWITCH_INFO_DEFAULT_PORT, 8, 1, "ff"},
    {WIRE_SWITCH_INFO_DEFAULT_MC_PRIMARY_PORT, 9, 1, "ff"},
    {WIRE_SWITCH_INFO_DEFAULT_MC_NOT_PRIMARY_PORT, 10, 1, "ff"},
    {WIRE_SWITCH_INFO_LIFE_TIME, 11, 1, "f8"},
    {WIRE_SWITCH_INFO_PORT_STATE_CHANGE, 11, 1, "04"},
    {WIRE_SWITCH_INFO_OPTIMIZED_SL_TO_VL, 11, 1, "03"},
    {WIRE_SWITCH_INFO_LIDS_PER_PORT, 12, 2, "ffff"},
    {WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, 14, 2, "ffff"},
    {WIRE_SWITCH_INFO_INBOUND_ENFORCEMENT_CAP, 16, 1, "80"},
    {WIRE_SWITCH_INFO_OUTBOUND_ENFORCEMENT_CAP, 16, 1, "40"},
    {WIRE_SWITCH_INFO_FILTER_RAW_INBOUND_CAP, 16, 1, "20"},
    {WIRE_SWITCH_INFO_FILTER_RAW_OUTBOUND_CAP, 16, 1, "10"},
    {WIRE_SWITCH_INFO_ENHANCED_PORT_0, 16, 1, "08"},
    {WIRE_SWITCH_INFO_MULTICAST_FDB_TOP, 18, 2, "ffff"},

    {WIRE_PORT_INFO_M_KEY, 0, 8, "ffffffffffffffff"},
    {WIRE_PORT_INFO_GID_PREFIX, 8, 8, "ffffffffffffffff"},
    {WIRE_PORT_INFO_LID, 16, 2, "ffff"},
    {WIRE_PORT_INFO_MASTER_SM_LID, 18, 2, "ffff"},
    {WIRE_PORT_INFO_CAPABILITY_MASK, 20, 4, "ffffffff"},
    {WIRE_PORT_INFO_DIAG_CODE, 24, 2, "ffff"},
    {WIRE_PORT_INFO_M_KEY_LEASE, 26, 2, "ffff"},
    {WIRE_PORT_INFO_LOCAL_PORT, 28, 1, "ff"},
    {WIRE_PORT_INFO_LINK_WIDTH_ENABLED, 29, 1, "ff"},
    {WIRE_PORT_INFO_LINK_WIDTH_SUPPORTED, 30, 1, "ff"},
    {WIRE_PORT_INFO_LINK_WIDTH_ACTIVE, 31, 1, "ff"},
    {WIRE_PORT_INFO_LINK_SPEED_SUPPORTED, 32, 1, "f0"},
    {WIRE_PORT_INFO_PORT_STATE, 32, 1, "0f"},
    {WIRE_PORT_INFO_PHYSICAL_STATE, 33, 1, "f0"},
    {WIRE_PORT_INFO_LINK_DOWN_DEFAULT, 33, 1, "0f"},
    {WIRE_PORT_INFO_M_KEY_PROTECT, 34, 1, "c0"},
    {WIRE_PORT_INFO_LMC, 34, 1, "07"},
    {WIRE_PORT_INFO_LINK_SPEED_ACTIVE, 35, 1, "f0"},
    {WIRE_PORT_INFO_LINK_SPEED_ENABLED, 35, 1, "0f"},
    {WIRE_PORT_INFO_NEIGHBOR_MTU, 36, 1, "f0"},
    {WIRE_PORT_INFO_MASTER_SM_SL, 36, 1, "0f"},
    {WIRE_PORT_INFO_VL_CAP, 37, 1, "f0"},
    {WIRE_PORT_INFO_INIT_TYPE, 37, 1, "0f"},
    {WIRE_PORT_INFO_VL_HIGH_LIMIT, 38, 1, "ff"},
    {WIRE_PORT_INFO_VL_ARB_HIGH_CAP, 39, 1, "ff"},
    {WIRE_PORT_INFO_VL_ARB_LOW_CAP, 40, 1, "ff"},
    {WIRE_PORT_INFO_INIT_TYPE_REPLY, 41, 1, "f0"},
    {WIRE_PORT_INFO_MTU_CAP, 41, 1, "0f"},
    {WIRE_PORT_INFO_VL_STALL_COUNT, 42, 1, "e0"},
    {WIRE_PORT_INFO_HOQ_LIFE, 42, 1, "1f"},
    {WIRE_PORT_INFO_OPERATIONAL_VLS, 43, 1, "f0"},
    {WIRE_PORT_INFO_PARTITION_ENFORCE_IN, 43, 1, "08"},
    {WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, 43, 1, "04"},
    {WIRE_PORT_INFO_FILTER_RAW_IN, 43, 1, "02"},
    {WIRE_PORT_INFO_FILTER_RAW_OUT, 43, 1, "01"},
    {WIRE_PORT_INFO_M_KEY_VIOLATIONS, 44, 2, "ffff"},
    {WIRE_PORT_INFO_P_KEY_VIOLATIONS, 46, 2, "ffff"},
    {WIRE_PORT_INFO_Q_KEY_VIOLATIONS, 48, 2, "ffff"},
    {WIRE_PORT_INFO_GUID_CAP, 50, 1, "ff"},
    {WIRE_PORT_INFO_CLIENT_REREGISTER, 51, 1, "80"},
    {WIRE_PORT_INFO_MC_PKEY_TRAP_SUPPRESSION, 51, 1, "60"},
    {WIRE_PORT_INFO_SUBNET_TIMEOUT, 51, 1, "1f"},
    {WIRE_PORT_INFO_RESP_TIME, 52, 1, "1f"},
    {WIRE_PORT_INFO_LOCAL_PHYSICAL_ERRORS, 53, 1, "f0"},
    {WIRE_PORT_INFO_OVERRUN_ERRORS, 53, 1, "0f"},
    {WIRE_PORT_INFO_MAX_CREDIT_HINT, 54, 2, "ffff"},
    {WIRE_PORT_INFO_LINK_ROUND_TRIP, 57, 3, "ffffff"},
    {WIRE_PORT_INFO_CAPABILITY_MASK2, 60, 2, "ffff"},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, 62, 1, "f0"},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, 62, 1, "0f"},
    {WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED, 63, 1, "1f"},

    {WIRE_NOTICE_GENERIC, 0, 1, "80"},
    {WIRE_NOTICE_TYPE, 0, 1, "7f"},
    {WIRE_NOTICE_PRODUCER, 1, 3, "ffffff"},
    {WIRE_NOTICE_TRAP, 4, 2, "ffff"},
    {WIRE_NOTICE_ISSUER_LID, 6, 2, "ffff"},
    {WIRE_NOTICE_TOGGLE, 8, 1, "80"},
    {WIRE_NOTICE_COUNT, 8, 2, "7fff"},
    {WIRE_NOTICE_DETAILS, 10, 54, ""},

    {WIRE_CLASS_PORT_INFO_BASE_VERSION, 0, 1, "ff"},
    {WIRE_CLASS_PORT_INFO_CLASS_VERSION, 1, 1, "ff"},
    {WIRE_CLASS_PORT_INFO_CAPABILITY_MASK, 2, 2, "ffff"},
    {WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2, 4, 4, "ffffffe0"},
    {WIRE_CLASS_PORT_INFO_RESP_TIME, 7, 1, "1f"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_GID, 8, 16, ""},
    {WIRE_CLASS_PORT_INFO_REDIRECT_TRAFFIC_CLASS, 24, 1, "ff"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_SL, 25, 1, "f0"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_FLOW_LABEL, 25, 3, "0fffff"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_LID, 28, 2, "ffff"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, 30, 2, "ffff"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_QP, 33, 3, "ffffff"},
    {WIRE_CLASS_PORT_INFO_REDIRECT_QKEY, 36, 4, "ffffffff"},
    {WIRE_CLASS_PORT_INFO_TRAP_GID, 40, 16, ""},
    {WIRE_CLASS_PORT_INFO_TRAP_TRAFFIC_CLASS, 56, 1, "ff"},
    {WIRE_CLASS_PORT_INFO_TRAP_SL, 57, 1, "f0"},
    {WIRE_CLASS_PORT_INFO_TRAP_FLOW_LABEL, 57, 3, "0fffff"},
    {WIRE_CLASS_PORT_INFO_TRAP_LID, 60, 2, "ffff"},
    {WIRE_CLASS_PORT_INFO_TRAP_PKEY, 62, 2, "ffff"},
    {WIRE_CLASS_PORT_INFO_TRAP_HOP_LIMIT, 64, 1, "ff"},
    {WIRE_CLASS_PORT_INFO_TRAP_QP, 65, 3, "ffffff"},
    {WIRE_CLASS_PORT_INFO_TRAP_QKEY, 68, 4, "ffffffff"},

    {WIRE_PORT_COUNTERS_PORT_SELECT, 1, 1, "ff"},
    {WIRE_PORT_COUNTERS_COUNTER_SELECT, 2, 2, "ffff"},
    {WIRE_PORT_COUNTERS_SYMBOL_ERRORS, 4, 2, "ffff"},
    {WIRE_PORT_COUNTERS_LINK_ERROR_RECOVERY, 6, 1, "ff"},
    {WIRE_PORT_COUNTERS_LINK_DOWNED, 7, 1, "ff"},
    {WIRE_PORT_COUNTERS_RCV_ERRORS, 8, 2, "ffff"},
    {WIRE_PORT_COUNTERS_RCV_REMOTE_PHYSICAL_ERRORS, 10, 2, "ffff"},
    {WIRE_PORT_COUNTERS_RCV_SWITCH_RELAY_ERRORS, 12, 2, "ffff"},
    {WIRE_PORT_COUNTERS_XMIT_DISCARDS, 14, 2, "ffff"},
    {WIRE_PORT_COUNTERS_XMIT_CONSTRAINT_ERRORS, 16, 1, "ff"},
    {WIRE_PORT_COUNTERS_RCV_CONSTRAINT_ERRORS, 17, 1, "ff"},
    {WIRE_PORT_COUNTERS_COUNTER_SELECT2, 18, 1, "ff"},
    {WIRE_PORT_COUNTERS_LOCAL_LINK_INTEGRITY_ERRORS, 19, 1, "f0"},
    {WIRE_PORT_COUNTERS_BUFFER_OVERRUN_ERRORS, 19, 1, "0f"},
    {WIRE_PORT_COUNTERS_QP1_DROPPED, 20, 2, "ffff"},
    {WIRE_PORT_COUNTERS_VL15_DROPPED, 22, 2, "ffff"},
    {WIRE_PORT_COUNTERS_XMIT_DATA, 24, 4, "ffffffff"},
    {WIRE_PORT_COUNTERS_RCV_DATA, 28, 4, "ffffffff"},
    {WIRE_PORT_COUNTERS_XMIT_PACKETS, 32, 4, "ffffffff"},
    {WIRE_PORT_COUNTERS_RCV_PACKETS, 36, 4, "ffffffff"},
    {WIRE_PORT_COUNTERS_XMIT_WAIT, 40, 4, "ffffffff"},

    {WIRE_PORT_COUNTERS_EXT_PORT_SELECT, 1, 1, "ff"},
    {WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT, 2, 2, "ffff"},
    {WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT2, 4, 4, "ffffffff"},
    {WIRE_PORT_COUNTERS_EXT_XMIT_DATA, 8, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_RCV_DATA, 16, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_XMIT_PACKETS, 24, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_RCV_PACKETS, 32, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_UNICAST_XMIT_PACKETS, 40, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_UNICAST_RCV_PACKETS, 48, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_MULTICAST_XMIT_PACKETS, 56, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_MULTICAST_RCV_PACKETS, 64, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_SYMBOL_ERRORS, 72, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_LINK_ERROR_RECOVERY, 80, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_LINK_DOWNED, 88, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_RCV_ERRORS, 96, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_RCV_REMOTE_PHYSICAL_ERRORS, 104, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_RCV_SWITCH_RELAY_ERRORS, 112, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_XMIT_DISCARDS, 120, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_XMIT_CONSTRAINT_ERRORS, 128, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_RCV_CONSTRAINT_ERRORS, 136, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_LOCAL_LINK_INTEGRITY_ERRORS, 144, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_BUFFER_OVERRUN_ERRORS, 152, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_VL15_DROPPED, 160, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_XMIT_WAIT, 168, 8, "ffffffffffffffff"},
    {WIRE_PORT_COUNTERS_EXT_QP1_DROPPED, 176, 8, "ffffffffffffffff"},

    {WIRE_NODE_RECORD_LID, 0, 2, "ffff"},
    {WIRE_NODE_RECORD_BASE_VERSION, 4, 1, "ff"},
    {WIRE_NODE_RECORD_CLASS_VERSION, 5, 1, "ff"},
    {WIRE_NODE_RECORD_NODE_TYPE, 6, 1, "ff"},
    {WIRE_NODE_RECORD_NUM_PORTS, 7, 1, "ff"},
    {WIRE_NODE_RECORD_SYSTEM_IMAGE_GUID, 8, 8, "ffffffffffffffff"},
    {WIRE_NODE_RECORD_NODE_GUID, 16, 8, "ffffffffffffffff"},
    {WIRE_NODE_RECORD_PORT_GUID, 24, 8, "ffffffffffffffff"},
    {WIRE_NODE_RECORD_PARTITION_CAP, 32, 2, "ffff"},
    {WIRE_NODE_RECORD_DEVICE_ID, 34, 2, "ffff"},
    {WIRE_NODE_RECORD_REVISION, 36, 4, "ffffffff"},
    {WIRE_NODE_RECORD_LOCAL_PORT, 40, 1, "ff"},
    {WIRE_NODE_RECORD_VENDOR_ID, 41, 3, "ffffff"},
    {WIRE_NODE_RECORD_DESCRIPTION, 44, 64, ""},

    {WIRE_PATH_RECORD_SERVICE_ID, 0, 8, "ffffffffffffffff"},
    {WIRE_PATH_RECORD_DGID, 8, 16, ""},
    {WIRE_PATH_RECORD_SGID, 24, 16, ""},
    {WIRE_PATH_RECORD_DLID, 40, 2, "ffff"},
    {WIRE_PATH_RECORD_SLID, 42, 2, "ffff"},
    {WIRE_PATH_RECORD_RAW_TRAFFIC, 44, 1, "80"},
    {WIRE_PATH_RECORD_FLOW_LABEL, 44, 3, "0fffff"},
    {WIRE_PATH_RECORD_HOP_LIMIT, 47, 1, "ff"},
    {WIRE_PATH_RECORD_TRAFFIC_CLASS, 48, 1, "ff"},
    {WIRE_PATH_RECORD_REVERSIBLE, 49, 1, "80"},
    {WIRE_PATH_RECORD_NUM_PATHS, 49, 1, "7f"},
    {WIRE_PATH_RECORD_PKEY, 50, 2, "ffff"},
    {WIRE_PATH_RECORD_QOS_CLASS, 52, 2, "fff0"},
    {WIRE_PATH_RECORD_SL, 53, 1, "0f"},
    {WIRE_PATH_RECORD_MTU_SELECTOR, 54, 1, "c0"},
    {WIRE_PATH_RECORD_MTU, 54, 1, "3f"},
    {WIRE_PATH_RECORD_RATE_SELECTOR, 55, 1, "c0"},
    {WIRE_PATH_RECORD_RATE, 55, 1, "3f"},
    {WIRE_PATH_RECORD_LIFE_TIME_SELECTOR, 56, 1, "c0"},
    {WIRE_PATH_RECORD_LIFE_TIME, 56, 1, "3f"},
    {WIRE_PATH_RECORD_PREFERENCE, 57, 1, "ff"},

    {WIRE_MC_MEMBER_RECORD_MGID, 0, 16, ""},
    {WIRE_MC_MEMBER_RECORD_PORT_GID, 16, 16, ""},
    {WIRE_MC_MEMBER_RECORD_QKEY, 32, 4, "ffffffff"},
    {WIRE_MC_MEMBER_RECORD_MLID, 36, 2, "ffff"},
    {WIRE_MC_MEMBER_RECORD_MTU_SELECTOR, 38, 1, "c0"},
    {WIRE_MC_MEMBER_RECORD_MTU, 38, 1, "3f"},
    {WIRE_MC_MEMBER_RECORD_TRAFFIC_CLASS, 39, 1, "ff"},
    {WIRE_MC_MEMBER_RECORD_PKEY, 40, 2, "ffff"},
    {WIRE_MC_MEMBER_RECORD_RATE_SELECTOR, 42, 1, "c0"},
    {WIRE_MC_MEMBER_RECORD_RATE, 42, 1, "3f"},
    {WIRE_MC_MEMBER_RECORD_LIFE_TIME_SELECTOR, 43, 1, "c0"},
    {WIRE_MC_MEMBER_RECORD_LIFE_TIME, 43, 1, "3f"},
    {WIRE_MC_MEMBER_RECORD_SL, 44, 1, "f0"},
    {WIRE_MC_MEMBER_RECORD_FLOW_LABEL, 44, 3, "0fffff"},
    {WIRE_MC_MEMBER_RECORD_HOP_LIMIT, 47, 1, "ff"},
    {WIRE_MC_MEMBER_RECORD_SCOPE, 48, 1, "f0"},
    {WIRE_MC_MEMBER_RECORD_JOIN_STATE, 48, 1, "0f"},
    {WIRE_MC_MEMBER_RECORD_PROXY_JOIN, 49, 1, "80"},

    {WIRE_LINK_RECORD_FROM_LID, 0, 2, "ffff"},
    {WIRE_LINK_RECORD_FROM_PORT, 2, 1, "ff"},
    {WIRE_LINK_RECORD_TO_PORT, 3, 1, "ff"},
    {WIRE_LINK_RECORD_TO_LID, 4, 2, "ffff"},

    {WIRE_SERVICE_RECORD_SERVICE_ID, 0, 8, "ffffffffffffffff"},
    {WIRE_SERVICE_RECORD_SERVICE_GID, 8, 16, ""},
    {WIRE_SERVICE_RECORD_PKEY, 24, 2, "ffff"},
    {WIRE_SERVICE_RECORD_LEASE_S, 28, 4, "ffffffff"},
    {WIRE_SERVICE_RECORD_SERVICE_KEY, 32, 16, ""},
    {WIRE_SERVICE_RECORD_NAME, 48, 64, ""},
    {WIRE_SERVICE_RECORD_DATA8, 112, 16, ""},
    {WIRE_SERVICE_RECORD_DATA16, 128, 16, ""},
    {WIRE_SERVICE_RECORD_DATA32, 144, 16, ""},
    {WIRE_SERVICE_RECORD_DATA64, 160, 16, ""},

    {WIRE_INFORM_INFO_GID, 0, 16, ""},
    {WIRE_INFORM_INFO_LID_BEGIN, 16, 2, "ffff"},
    {WIRE_INFORM_INFO_LID_END, 18, 2, "ffff"},
    {WIRE_INFORM_INFO_IS_GENERIC, 22, 1, "ff"},
    {WIRE_INFORM_INFO_SUBSCRIBE, 23, 1, "ff"},
    {WIRE_INFORM_INFO_TYPE, 24, 2, "ffff"},
    {WIRE_INFORM_INFO_TRAP, 26, 2, "ffff"},
    {WIRE_INFORM_INFO_QPN, 28, 3, "ffffff"},
    {WIRE_INFORM_INFO_RESP_TIME, 31, 1, "1f"},
    {WIRE_INFORM_INFO_PRODUCER, 33, 3, "ffffff"},

    {WIRE_INFORM_INFO_RECORD_SUBSCRIBER_GID, 0, 16, ""},
    {WIRE_INFORM_INFO_RECORD_ENUM, 16, 2, "ffff"},

    {WIRE_PORT_INFO_RECORD_LID, 0, 2, "ffff"},
    {WIRE_PORT_INFO_RECORD_PORT, 2, 1, "ff"},
    {WIRE_PORT_INFO_RECORD_OPTIONS, 3, 1, "ff"},

    {WIRE_SWITCH_INFO_RECORD_LID, 0, 2, "ffff"},

    {WIRE_LFT_RECORD_LID, 0, 2, "ffff"},
    {WIRE_LFT_RECORD_BLOCK, 2, 2, "ffff"},
    {WIRE_LFT_RECORD_PORTS, 8, 64, ""},

    {WIRE_PKEY_RECORD_LID, 0, 2, "ffff"},
    {WIRE_PKEY_RECORD_BLOCK, 2, 2, "ffff"},
    {WIRE_PKEY_RECORD_PORT, 4, 1, "ff"},
    {WIRE_PKEY_RECORD_PKEYS, 8, 64, ""},

    {WIRE_SM_INFO_RECORD_LID, 0, 2, "ffff"},
    {WIRE_SM_INFO_RECORD_GUID, 4, 8, "ffffffffffffffff"},
    {WIRE_SM_INFO_RECORD_SM_KEY, 12, 8, "ffffffffffffffff"},
    {WIRE_SM_INFO_RECORD_ACT_COUNT, 20, 4, "ffffffff"},
    {WIRE_SM_INFO_RECORD_PRIORITY, 24, 1, "f0"},
    {WIRE_SM_INFO_RECORD_STATE, 24, 1, "0f"},
};

#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static uint8_t expected_byte(const struct field_case *c, size_t i)
{
    char digits[3] = {0};

    if (i < c->byte || i >= (size_t)c->byte + c->bytes)
        return 0;
    if (c->all_ones[0] == '\0')
        return 0xFF;
    memcpy(digits, c->all_ones + 2 * (i - c->byte), 2);
    return (uint8_t)strtoul(digits, NULL, 16);
}

static void set_all_ones(const struct field_case *c, uint8_t *buf, size_t len)
{
    uint8_t ones[64];
    const struct wire_field *field = &wire_fields[c->id];

    memset(ones, 0xFF, sizeof(ones));

    if (wire_field_is_array(field))
        assert_int_equal(weft_wire_set_bytes((int)c->id, buf, len, ones, field->bits / 8U), 0);
    else
        assert_int_equal(weft_wire_set((int)c->id, buf, len, UINT64_MAX >> (64 - field->bits)), 0);
}

static void test_each_field_stands_where_the_specification_says(void **state)
{
    (void)state;

    for (size_t i = 0; i < CASE_COUNT; i++) {
        uint8_t buf[256] = {0};

        set_all_ones(&cases[i], buf, sizeof(buf));
        for (size_t b = 0; b < sizeof(buf); b++) {
            if (buf[b] != expected_byte(&cases[i], b))
                fail_msg("row %zu, byte %zu: %02x", i, b, buf[b]);
        }
    }
}

static void test_each_field_has_a_case(void **state)
{
    (void)state;
    assert_int_equal(CASE_COUNT, WIRE_FIELD_COUNT);
    for (size_t i = 0; i < CASE_COUNT; i++)
        assert_int_equal(cases[i].id, i);
}

static void test_numbers_read_back_and_leave_their_neighbours(void **state)
{
    (void)state;

    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        const struct wire_field *field = &wire_fields[id];
        uint8_t buf[256];
        uint64_t value;

        if (wire_field_is_array(field))
            continue;
        memset(buf, 0xFF, sizeof(buf));
        assert_int_equal(weft_wire_set(id, buf, sizeof(buf), 0), 0);
        assert_int_equal(weft_wire_get(id, buf, sizeof(buf), &value), 0);
        assert_int_equal(value, 0);
        for (unsigned int bit = 0; bit < field->bits; bit++) {
            assert_int_equal(weft_wire_set(id, buf, sizeof(buf), UINT64_C(1) << bit), 0);
            assert_int_equal(weft_wire_get(id, buf, sizeof(buf), &value), 0);
            assert_true(value == UINT64_C(1) << bit);
        }
        set_all_ones(&cases[id], buf, sizeof(buf));
        for (size_t i = 0; i < sizeof(buf); i++)
            assert_int_equal(buf[i], 0xFF);
    }
}

static void test_arrays_read_back_and_are_padded_with_zeros(void **state)
{
    (void)state;

    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        size_t bytes = wire_fields[id].bits / 8U;
        uint8_t buf[256];
        uint8_t out[65];

        if (!wire_field_is_array(&wire_fields[id]))
            continue;
        memset(buf, 0xFF, sizeof(buf));
        memset(out, 0xAA, sizeof(out));
        assert_int_equal(weft_wire_set_bytes(id, buf, sizeof(buf), "abc", 3), 0);
        assert_int_equal(weft_wire_get_bytes(id, buf, sizeof(buf), out, sizeof(out)), 0);
        assert_string_equal(out, "abc");
        for (size_t i = 3; i < sizeof(out); i++)
            assert_int_equal(out[i], 0);
        set_all_ones(&cases[id], buf, sizeof(buf));
        for (size_t i = 0; i < sizeof(buf); i++)
            assert_int_equal(buf[i], 0xFF);
        assert_int_equal(weft_wire_set_bytes(id, buf, sizeof(buf), NULL, 0), 0);
        assert_int_equal(weft_wire_get_bytes(id, buf, sizeof(buf), out, bytes), 0);
        assert_int_equal(out[0], 0);
        assert_int_equal(out[bytes - 1], 0);
    }
}

static void test_rows_are_well_formed(void **state)
{
    (void)state;

    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        const struct wire_field *field = &wire_fields[id];
        unsigned int bit = field->bit_offset % 8U;

        assert_true(field->bits > 0);
        if (wire_field_is_array(field))
            assert_true(bit == 0 && field->bits % 8 == 0 && field->bits <= 512);
        else
            assert_true(bit + field->bits <= 64);
        if (field->kind == WIRE_KIND_GID)
            assert_int_equal(field->bits, 128);
        if (field->kind == WIRE_KIND_GUID)
            assert_int_equal(field->bits, 64);
        assert_true(wire_field_end(field) <=
                    weft_wire_header_bytes((enum weft_wire_header)field->header));
        for (int other = 0; other < id; other++) {
            const struct wire_field *before = &wire_fields[other];

            if (before->header != field->header)
                continue;
            assert_string_not_equal(before->name, field->name);
            assert_true(before->bit_offset + before->bits <= field->bit_offset);
        }
    }
}

static void test_each_header_has_a_name_fields_and_room_for_them(void **state)
{
    (void)state;

    for (unsigned int header = 0; header < WEFT_WIRE_HEADER_COUNT; header++) {
        size_t end = 0;

        for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
            if (wire_fields[id].header == header && wire_field_end(&wire_fields[id]) > end)
                end = wire_field_end(&wire_fields[id]);
        }
        assert_true(end > 0);
        /* No header ends with more than one reserved word. */
        assert_in_range(weft_wire_header_bytes((enum weft_wire_header)header), end, end + 7);
        for (unsigned int other = 0; other < header; other++)
            assert_string_not_equal(weft_wire_header_name((enum weft_wire_header)header),
                                    weft_wire_header_name((enum weft_wire_header)other));
    }
    assert_string_equal(weft_wire_header_name(WEFT_WIRE_HEADER_COUNT), "unknown");
    assert_string_equal(weft_wire_header_name((enum weft_wire_header) - 1), "unknown");
    assert_int_equal(weft_wire_header_bytes(WEFT_WIRE_HEADER_COUNT), 0);
    assert_int_equal(weft_wire_header_bytes((enum weft_wire_header) - 1), 0);
}

static void test_node_record_repeats_node_info(void **state)
{
    (void)state;

    for (int id = WIRE_NODE_INFO_BASE_VERSION; id <= WIRE_NODE_INFO_VENDOR_ID; id++) {
        int in_record = weft_wire_find(WEFT_WIRE_NODE_RECORD, wire_fields[id].name);

        assert_true(in_record >= 0);
        assert_int_equal(wire_fields[in_record].bit_offset, wire_fields[id].bit_offset + 32);
        assert_int_equal(wire_fields[in_record].bits, wire_fields[id].bits);
        assert_int_equal(wire_fields[in_record].kind, wire_fields[id].kind);
    }
}

static void test_find_finds_each_field_by_name_in_its_header_only(void **state)
{
    (void)state;

    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        enum weft_wire_header header = (enum weft_wire_header)wire_fields[id].header;

        assert_int_equal(weft_wire_find(header, wire_fields[id].name), id);
    }
    assert_int_equal(weft_wire_find(WEFT_WIRE_MAD, "dlid"), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_wire_find(WEFT_WIRE_MAD, ""), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_wire_find(WEFT_WIRE_MAD, NULL), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_wire_find(WEFT_WIRE_HEADER_COUNT, "tid"), WEFT_ERR_NOTFOUND);
}

/* The buffer is on the heap and exactly as long as said, so that a sanitizer sees any byte more. */
static void test_short_buffers_are_refused_and_not_overrun(void **state)
{
    (void)state;
    const uint8_t value[64] = {0};

    for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
        size_t end = wire_field_end(&wire_fields[id]);
        uint8_t *exact = calloc(1, end);
        uint8_t *less = calloc(1, end);
        uint8_t out[64];
        uint64_t number = 77;

        assert_non_null(exact);
        assert_non_null(less);
        if (wire_field_is_array(&wire_fields[id])) {
            size_t bytes = wire_fields[id].bits / 8U;

            assert_int_equal(weft_wire_get_bytes(id, exact, end, out, bytes), 0);
            assert_int_equal(weft_wire_set_bytes(id, exact, end, value, bytes), 0);
            assert_int_equal(weft_wire_get_bytes(id, less, end - 1, out, bytes), WEFT_ERR_FORMAT);
            assert_int_equal(weft_wire_set_bytes(id, less, end - 1, "x", 1), WEFT_ERR_FORMAT);
        } else {
            assert_int_equal(weft_wire_get(id, exact, end, &number), 0);
            assert_int_equal(weft_wire_set(id, exact, end, 1), 0);
            number = 77;
            assert_int_equal(weft_wire_get(id, less, end - 1, &number), WEFT_ERR_FORMAT);
            assert_int_equal(number, 77);
            assert_int_equal(weft_wire_set(id, less, end - 1, 1), WEFT_ERR_FORMAT);
        }
        for (size_t i = 0; i < end; i++)
            assert_int_equal(less[i], 0);
        free(exact);
        free(less);
    }
}

static void test_wrong_arguments_change_nothing(void **state)
{
    (void)state;
    const int lid = WIRE_PATH_RECORD_DLID;
    const int gid = WIRE_PATH_RECORD_DGID;
    uint8_t buf[64] = {0};
    uint8_t out[64] = {0};
    uint64_t number = 77;

    assert_int_equal(weft_wire_get(-1, buf, 64, &number), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get(WIRE_FIELD_COUNT, buf, 64, &number), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get(lid, NULL, 64, &number), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get(lid, buf, 64, NULL), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get(gid, buf, 64, &number), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set(WIRE_FIELD_COUNT, buf, 64, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set(lid, NULL, 64, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set(lid, buf, 64, 0x10000), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set(gid, buf, 64, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get_bytes(lid, buf, 64, out, 64), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get_bytes(gid, buf, 64, out, 15), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_get_bytes(gid, buf, 64, NULL, 16), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set_bytes(lid, buf, 64, "x", 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set_bytes(gid, buf, 64, out, 17), WEFT_ERR_INVALID);
    assert_int_equal(weft_wire_set_bytes(gid, buf, 64, NULL, 1), WEFT_ERR_INVALID);
    assert_int_equal(number, 77);
    for (size_t i = 0; i < sizeof(buf); i++)
        assert_int_equal(buf[i], 0);
}

static void test_unchecked_set_ignores_bits_above_the_field(void **state)
{
    (void)state;
    uint8_t buf[64] = {0};

    wire_set(WIRE_PORT_INFO_LMC, buf, UINT64_MAX);
    assert_int_equal(buf[34], 0x07);
    assert_int_equal(wire_get(WIRE_PORT_INFO_LMC, buf), 7);
}

static void test_R103_status_values(void **state)
{
    (void)state;
    assert_int_equal(WEFT_STATUS_BUSY, 0x1);
    assert_int_equal(WEFT_STATUS_REDIRECT, 0x2);
    assert_int_equal(WEFT_STATUS_BAD_VERSION, 0x4);
    assert_int_equal(WEFT_STATUS_BAD_METHOD, 0x8);
    assert_int_equal(WEFT_STATUS_BAD_METHOD_ATTRIBUTE, 0xC);
    assert_int_equal(WEFT_STATUS_BAD_VALUE, 0x1C);
    assert_int_equal(WEFT_STATUS_FIELD_MASK, WEFT_STATUS_BAD_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_field_has_a_case),
        cmocka_unit_test(test_each_field_stands_where_the_specification_says),
        cmocka_unit_test(test_numbers_read_back_and_leave_their_neighbours),
        cmocka_unit_test(test_arrays_read_back_and_are_padded_with_zeros),
        cmocka_unit_test(test_rows_are_well_formed),
        cmocka_unit_test(test_each_header_has_a_name_fields_and_room_for_them),
        cmocka_unit_test(test_node_record_repeats_node_info),
        cmocka_unit_test(test_find_finds_each_field_by_name_in_its_header_only),
        cmocka_unit_test(test_short_buffers_are_refused_and_not_overrun),
        cmocka_unit_test(test_wrong_arguments_change_nothing),
        cmocka_unit_test(test_unchecked_set_ignores_bits_above_the_field),
        cmocka_unit_test(test_R103_status_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
