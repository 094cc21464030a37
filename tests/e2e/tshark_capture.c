/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a capture of MADs of every kind to the file named by its argument, and to standard output
 * what our decoder says about each of them: a line of JSON with its name, link fields and headers.
 */
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <weft/pcap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One field to set; `at` is what its offset counts from. */
struct setting {
    enum wire_field_id field;
    size_t at;
    uint64_t value;
};

#define SETTINGS_MAX 8
#define SA_DATA      WEFT_SA_DATA_OFFSET
#define ATTRIBUTE    WEFT_ATTRIBUTE_OFFSET
#define ACTIVE       WEFT_RMPP_FLAG_ACTIVE
#define FIRST        WEFT_RMPP_FLAG_FIRST
#define LAST         WEFT_RMPP_FLAG_LAST

#define SETTINGS(...)                                                                              \
    .settings = {__VA_ARGS__},                                                                     \
    .setting_count = sizeof((const struct setting[]){__VA_ARGS__}) / sizeof(struct setting)
#define RMPP(type, flags, segment, length)                                                         \
    {WIRE_RMPP_VERSION, 0, 1}, {WIRE_RMPP_TYPE, 0, type}, {WIRE_RMPP_FLAGS, 0, flags},             \
        {WIRE_RMPP_SEGMENT, 0, segment},                                                           \
    {                                                                                              \
        WIRE_RMPP_LENGTH, 0, length                                                                \
    }
#define DIRECTED(direction, pointer, count)                                                        \
    {WIRE_SMP_DIRECTED_DIRECTION, 0, direction}, {WIRE_SMP_DIRECTED_HOP_POINTER, 0, pointer},      \
        {WIRE_SMP_DIRECTED_HOP_COUNT, 0, count}, {WIRE_SMP_DIRECTED_DR_SLID, 0, 0xFFFF},           \
    {                                                                                              \
        WIRE_SMP_DIRECTED_DR_DLID, 0, 0xFFFF                                                       \
    }

static const struct sample {
    const char *name;
    uint16_t slid;
    uint16_t dlid;
    uint8_t sl;
    bool has_grh;
    uint8_t qp; /* of both ends */
    uint8_t mgmt_class;
    uint8_t class_version;
    uint8_t method;
    uint16_t attr_id;
    uint32_t attr_mod;
    uint16_t status;
    uint16_t fill; /* the first byte of a pattern up to the end; 0: none */
    struct setting settings[SETTINGS_MAX];
    size_t setting_count;
} samples[] = {
    {"SMP Get NodeInfo by LID", 1, 4, 0, false, 0, 0x01, 1, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0,
     0, 0, SETTINGS({WIRE_SMP_M_KEY, 0, 0x1122334455667788})},
    {"SMP GetResp NodeInfo by LID", 4, 1, 0, false, 0, 0x01, 1, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_NODE_INFO, 0, 0, 64, .setting_count = 0},
    {"SMP Set PortInfo, directed", 0xFFFF, 0xFFFF, 0, false, 0, 0x81, 1, WEFT_METHOD_SET,
     WEFT_ATTR_PORT_INFO, 7, 0, 64, SETTINGS(DIRECTED(0, 2, 3))},
    {"SMP GetResp PortInfo, directed, returning", 0xFFFF, 0xFFFF, 0, false, 0, 0x81, 1,
     WEFT_METHOD_GET_RESP, WEFT_ATTR_PORT_INFO, 7, 0, 64, SETTINGS(DIRECTED(1, 3, 63))},
    {"SMP GetResp with bad value status, directed", 0xFFFF, 0xFFFF, 0, false, 0, 0x81, 1,
     WEFT_METHOD_GET_RESP, WEFT_ATTR_SWITCH_INFO, 0, 0, 0,
     SETTINGS(DIRECTED(1, 1, 1), {WIRE_SMP_DIRECTED_STATUS, 0, WEFT_STATUS_BAD_VALUE})},
    {"SMP GetResp SwitchInfo by LID", 4, 1, 0, false, 0, 0x01, 1, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_SWITCH_INFO, 0, 0, 64, .setting_count = 0},
    {"SMP Get NodeDescription, directed and LID routed", 17, 33, 0, false, 0, 0x81, 1,
     WEFT_METHOD_GET, WEFT_ATTR_NODE_DESC, 0, 0, 0,
     SETTINGS(DIRECTED(0, 0, 5), {WIRE_SMP_DIRECTED_DR_SLID, 0, 17},
              {WIRE_SMP_DIRECTED_DR_DLID, 0, 99})},
    {"SMP Trap by LID", 4, 1, 0, false, 0, 0x01, 1, WEFT_METHOD_TRAP, WEFT_ATTR_NOTICE, 0, 0, 0,
     SETTINGS({WIRE_NOTICE_GENERIC, 64, 1}, {WIRE_NOTICE_TYPE, 64, 1},
              {WIRE_NOTICE_PRODUCER, 64, 2}, {WIRE_NOTICE_TRAP, 64, 128},
              {WIRE_NOTICE_ISSUER_LID, 64, 4}, {WIRE_NOTICE_TOGGLE, 64, 1},
              {WIRE_NOTICE_COUNT, 64, 5})},
    {"SMP TrapRepress by LID", 1, 4, 0, false, 0, 0x01, 1, WEFT_METHOD_TRAP_REPRESS,
     WEFT_ATTR_NOTICE, 0, 0, 0,
     SETTINGS({WIRE_NOTICE_GENERIC, 64, 1}, {WIRE_NOTICE_TRAP, 64, 144})},
    {"SA Get PathRecord", 2, 1, 3, false, 1, 0x03, 2, WEFT_METHOD_GET, WEFT_ATTR_SA_PATH_RECORD, 0,
     0, 56, SETTINGS({WIRE_SA_COMPONENT_MASK, 0, 0x181C}, {WIRE_SA_SM_KEY, 0, 0xABCDEF})},
    {"SA GetResp PathRecord", 1, 2, 3, false, 1, 0x03, 2, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_SA_PATH_RECORD, 0, 0, 56, SETTINGS({WIRE_SA_ATTR_OFFSET, 0, 8})},
    {"SA GetResp with BUSY status", 1, 2, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_SA_PATH_RECORD, 0, WEFT_STATUS_BUSY, 0, .setting_count = 0},
    {"SA GetResp with no-records status", 1, 2, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_SA_PATH_RECORD, 0, WEFT_SA_STATUS_NO_RECORDS, 0, .setting_count = 0},
    {"SA GetTable NodeRecord", 2, 1, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_TABLE,
     WEFT_ATTR_SA_NODE_RECORD, 0, 0, 0, SETTINGS({WIRE_SA_COMPONENT_MASK, 0, 0x10})},
    {"SA GetTableResp NodeRecord, first segment", 1, 2, 0, false, 1, 0x03, 2,
     WEFT_METHOD_GET_TABLE_RESP, WEFT_ATTR_SA_NODE_RECORD, 0, 0, 56,
     SETTINGS(RMPP(WEFT_RMPP_DATA, ACTIVE | FIRST, 1, 620), {WIRE_SA_ATTR_OFFSET, 0, 14},
              {WIRE_RMPP_RESP_TIME, 0, 0x1F})},
    {"SA GetTableResp NodeRecord, middle segment", 1, 2, 0, false, 1, 0x03, 2,
     WEFT_METHOD_GET_TABLE_RESP, WEFT_ATTR_SA_NODE_RECORD, 0, 0, 56,
     SETTINGS(RMPP(WEFT_RMPP_DATA, ACTIVE, 2, 0), {WIRE_SA_ATTR_OFFSET, 0, 14},
              {WIRE_RMPP_RESP_TIME, 0, 18})},
    {"SA GetTableResp NodeRecord, last segment", 1, 2, 0, false, 1, 0x03, 2,
     WEFT_METHOD_GET_TABLE_RESP, WEFT_ATTR_SA_NODE_RECORD, 0, 0, 56,
     SETTINGS(RMPP(WEFT_RMPP_DATA, ACTIVE | LAST, 3, 180), {WIRE_SA_ATTR_OFFSET, 0, 14})},
    {"SA GetTableResp, empty table", 1, 2, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_TABLE_RESP,
     WEFT_ATTR_SA_PATH_RECORD, 0, 0, 0,
     SETTINGS(RMPP(WEFT_RMPP_DATA, ACTIVE | FIRST | LAST, 1, 20))},
    {"SA RMPP ACK", 2, 1, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_TABLE, WEFT_ATTR_SA_NODE_RECORD, 0,
     0, 0, SETTINGS(RMPP(WEFT_RMPP_ACK, ACTIVE, 1, 65))},
    {"SA RMPP STOP", 2, 1, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_TABLE, WEFT_ATTR_SA_NODE_RECORD, 0,
     0, 0,
     SETTINGS(RMPP(WEFT_RMPP_STOP, ACTIVE, 0, 0), {WIRE_RMPP_STATUS, 0, WEFT_RMPP_STATUS_RESX})},
    {"SA RMPP ABORT", 2, 1, 0, false, 1, 0x03, 2, WEFT_METHOD_GET_TABLE, WEFT_ATTR_SA_NODE_RECORD,
     0, 0, 0,
     SETTINGS(RMPP(WEFT_RMPP_ABORT, ACTIVE, 0, 0), {WIRE_RMPP_STATUS, 0, WEFT_RMPP_STATUS_T2L})},
    {"SA Report with GRH", 1, 2, 5, true, 1, 0x03, 2, WEFT_METHOD_REPORT, WEFT_ATTR_NOTICE, 0, 0, 0,
     SETTINGS({WIRE_NOTICE_GENERIC, SA_DATA, 1}, {WIRE_NOTICE_TYPE, SA_DATA, 3},
              {WIRE_NOTICE_PRODUCER, SA_DATA, 4}, {WIRE_NOTICE_TRAP, SA_DATA, 64},
              {WIRE_NOTICE_ISSUER_LID, SA_DATA, 1})},
    {"SA ReportResp with GRH", 2, 1, 5, true, 1, 0x03, 2, WEFT_METHOD_REPORT_RESP, WEFT_ATTR_NOTICE,
     0, 0, 0, .setting_count = 0},
    {"SA Set InformInfo", 2, 1, 0, false, 1, 0x03, 2, WEFT_METHOD_SET, WEFT_ATTR_INFORM_INFO, 0, 0,
     56, .setting_count = 0},
    {"PMA Get PortCounters", 2, 9, 0, false, 1, 0x04, 1, WEFT_METHOD_GET,
     WEFT_ATTR_PM_PORT_COUNTERS, 0, 0, 0,
     SETTINGS({WIRE_PORT_COUNTERS_PORT_SELECT, ATTRIBUTE, 255})},
    {"PMA GetResp PortCounters", 9, 2, 0, false, 1, 0x04, 1, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_PM_PORT_COUNTERS, 0, 0, 64, .setting_count = 0},
    {"PMA GetResp PortCountersExtended with GRH", 9, 2, 15, true, 1, 0x04, 1, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_PM_PORT_COUNTERS_EXT, 0, 0, 64, .setting_count = 0},
    {"PMA GetResp with redirect status", 9, 2, 0, false, 1, 0x04, 1, WEFT_METHOD_GET_RESP,
     WEFT_ATTR_CLASS_PORT_INFO, 0, WEFT_STATUS_REDIRECT, 64, .setting_count = 0},
    {"CM Send, connection request", 3, 8, 0, true, 1, 0x07, 2, WEFT_METHOD_SEND, 0x0010, 0, 0, 24,
     .setting_count = 0},
    {"vendor class without OUI", 3, 8, 0, false, 1, 0x0A, 1, WEFT_METHOD_SET, 0xFF12, 0xDEADBEEF, 0,
     24, .setting_count = 0},
    {"vendor class with OUI", 3, 8, 0, false, 1, 0x32, 1, WEFT_METHOD_GET, 0x0017, 1, 0, 40,
     SETTINGS(RMPP(WEFT_RMPP_DATA, ACTIVE | FIRST | LAST, 1, 220), {WIRE_VENDOR_OUI, 0, 0x001405})},
    {"board management Send with unsupported status", 3, 8, 0, false, 1, 0x05, 1, WEFT_METHOD_SEND,
     0x0010, 1, WEFT_STATUS_BAD_METHOD_ATTRIBUTE, 0, .setting_count = 0},
};

static const struct weft_mad_grh grh = {
    .sgid = {0xFE, 0x80, [8] = 0, 2, 0xC9, 3, 0, 0x11, 0x22, 0x33},
    .dgid = {0xFE, 0x80, [8] = 0, 2, 0xC9, 3, 0, 0x44, 0x55, 0x66},
    .flow_label = 0x12345,
    .traffic_class = 0x67,
    .hop_limit = 0x40,
};

static void make_mad(uint8_t mad[WEFT_MAD_BYTES], const struct sample *sample, size_t number)
{
    memset(mad, 0, WEFT_MAD_BYTES);
    for (size_t i = sample->fill; i > 0 && i < WEFT_MAD_BYTES; i++)
        mad[i] = (uint8_t)(i * 37 + number * 11);
    mad_set_base_version(mad, 1);
    mad_set_class(mad, sample->mgmt_class);
    mad_set_class_version(mad, sample->class_version);
    mad_set_method(mad, sample->method);
    mad_set_status(mad, sample->status);
    mad_set_tid(mad, UINT64_C(0x0123456789AB0000) + number);
    mad_set_attr_id(mad, sample->attr_id);
    mad_set_attr_mod(mad, sample->attr_mod);
    if (sample->mgmt_class == WEFT_CLASS_SUBN_DIRECTED) {
        for (size_t i = 0; i < WEFT_DIRECTED_PATH_BYTES; i++) {
            mad[wire_bytes_offset(WIRE_SMP_DIRECTED_INITIAL_PATH) + i] = (uint8_t)i;
            mad[wire_bytes_offset(WIRE_SMP_DIRECTED_RETURN_PATH) + i] = (uint8_t)(200 - i);
        }
    }
    for (size_t i = 0; i < sample->setting_count; i++) {
        const struct setting *setting = &sample->settings[i];

        wire_set(setting->field, mad + setting->at, setting->value);
    }
}

static struct weft_pcap_packet make_packet(const uint8_t *mad, const struct sample *sample,
                                           uint32_t number)
{
    return (struct weft_pcap_packet){
        .time = (weft_time)number * WEFT_S + 123456789,
        .slid = sample->slid,
        .dlid = sample->dlid,
        .pkey = (uint16_t)(0x8000 + number),
        .sl = sample->sl,
        .src_qp = sample->qp,
        .dst_qp = sample->qp,
        .qkey = sample->qp == WEFT_QP_SMI ? 0 : WEFT_QKEY_GSI,
        .psn = number,
        .grh = sample->has_grh ? &grh : NULL,
        .mad = mad,
        .len = WEFT_MAD_BYTES,
    };
}

static void print_gid(const char *name, const uint8_t gid[16])
{
    printf(",\"%s\":\"", name);
    for (size_t i = 0; i < 16; i += 2)
        printf("%s%02x%02x", i > 0 ? ":" : "", gid[i], gid[i + 1]);
    printf("\"");
}

static void print_packet(const struct sample *sample, const struct weft_pcap_packet *packet)
{
    char json[8192];

    if (weft_wire_mad_json(packet->mad, packet->len, json, sizeof(json)) >= sizeof(json))
        abort();
    printf(
        "{\"name\":\"%s\",\"link\":{\"time_ns\":%llu,\"vl\":%d,\"sl\":%u,\"slid\":%u,\"dlid\":%u,"
        "\"pkey\":%u,\"src_qp\":%u,\"dst_qp\":%u,\"qkey\":%u,\"psn\":%u},",
        sample->name, (unsigned long long)packet->time, packet->dst_qp == WEFT_QP_SMI ? 15 : 0,
        packet->sl, packet->slid, packet->dlid, packet->pkey, packet->src_qp, packet->dst_qp,
        packet->qkey, packet->psn);
    if (packet->grh) {
        printf("\"grh\":{\"flow_label\":%u,\"traffic_class\":%u,\"hop_limit\":%u", grh.flow_label,
               grh.traffic_class, grh.hop_limit);
        print_gid("sgid", grh.sgid);
        print_gid("dgid", grh.dgid);
        printf("},");
    }
    printf("\"headers\":%s}\n", json);
}

int main(int argc, char **argv)
{
    uint8_t record[WEFT_PCAP_RECORD_BYTES_MAX];
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

    if (!file) {
        fprintf(stderr, "usage: tshark_capture FILE-TO-WRITE\n");
        return 2;
    }
    int bytes = weft_pcap_file_header(record, sizeof(record));
    if (bytes < 0 || fwrite(record, (size_t)bytes, 1, file) != 1)
        return 3;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        uint8_t mad[WEFT_MAD_BYTES];

        make_mad(mad, &samples[i], i + 1);
        struct weft_pcap_packet packet = make_packet(mad, &samples[i], (uint32_t)i + 1);
        bytes = weft_pcap_record(record, sizeof(record), &packet);
        if (bytes < 0 || fwrite(record, (size_t)bytes, 1, file) != 1)
            return 3;
        print_packet(&samples[i], &packet);
    }
    return fclose(file) == 0 ? 0 : 3;
}
