/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which headers a MAD consists of. */
#include "core/wire/mad_header.h"

/* Attributes whose fields are known, by class; directed-route SMPs are looked up as LID routed. */
static const struct attribute {
    uint8_t mgmt_class;
    uint8_t offset;
    uint16_t attr_id;
    enum weft_wire_header header;
} attributes[] = {
    {WEFT_CLASS_SUBN_LID, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_NOTICE, WEFT_WIRE_NOTICE},
    {WEFT_CLASS_SUBN_LID, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_NODE_INFO, WEFT_WIRE_NODE_INFO},
    {WEFT_CLASS_SUBN_LID, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_SWITCH_INFO, WEFT_WIRE_SWITCH_INFO},
    {WEFT_CLASS_SUBN_LID, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_PORT_INFO, WEFT_WIRE_PORT_INFO},
    {WEFT_CLASS_PERF, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_CLASS_PORT_INFO, WEFT_WIRE_CLASS_PORT_INFO},
    {WEFT_CLASS_PERF, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_PM_PORT_COUNTERS, WEFT_WIRE_PORT_COUNTERS},
    {WEFT_CLASS_PERF, WEFT_ATTRIBUTE_OFFSET, WEFT_ATTR_PM_PORT_COUNTERS_EXT,
     WEFT_WIRE_PORT_COUNTERS_EXT},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_CLASS_PORT_INFO,
     WEFT_WIRE_CLASS_PORT_INFO},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_NOTICE, WEFT_WIRE_NOTICE},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_NODE_RECORD, WEFT_WIRE_NODE_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_PATH_RECORD, WEFT_WIRE_PATH_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_MC_MEMBER_RECORD,
     WEFT_WIRE_MC_MEMBER_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_INFORM_INFO, WEFT_WIRE_INFORM_INFO},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_PORT_INFO_RECORD,
     WEFT_WIRE_PORT_INFO_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET + 4, WEFT_ATTR_SA_PORT_INFO_RECORD,
     WEFT_WIRE_PORT_INFO},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_SWITCH_INFO_RECORD,
     WEFT_WIRE_SWITCH_INFO_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET + 4, WEFT_ATTR_SA_SWITCH_INFO_RECORD,
     WEFT_WIRE_SWITCH_INFO},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_LFT_RECORD, WEFT_WIRE_LFT_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_SM_INFO_RECORD,
     WEFT_WIRE_SM_INFO_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_LINK_RECORD, WEFT_WIRE_LINK_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_SERVICE_RECORD,
     WEFT_WIRE_SERVICE_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_PKEY_RECORD, WEFT_WIRE_PKEY_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET, WEFT_ATTR_SA_INFORM_INFO_RECORD,
     WEFT_WIRE_INFORM_INFO_RECORD},
    {WEFT_CLASS_SUBN_ADM, WEFT_SA_DATA_OFFSET + 24, WEFT_ATTR_SA_INFORM_INFO_RECORD,
     WEFT_WIRE_INFORM_INFO},
};

static size_t push(struct weft_wire_layer *layers, size_t count, enum weft_wire_header header,
                   size_t offset)
{
    layers[count] = (struct weft_wire_layer){header, offset};
    return count + 1;
}

size_t weft_wire_layers(const void *mad, size_t len,
                        struct weft_wire_layer ret_layers[WEFT_WIRE_LAYERS_MAX])
{
    const uint8_t *p = mad;
    size_t count = 0;
    uint8_t mgmt_class;
    bool active;

    if (!p || len < WEFT_MAD_HEADER_BYTES)
        return 0;
    mgmt_class = mad_class(p);
    active = len >= WEFT_RMPP_DATA_OFFSET && rmpp_is_active(p);
    count = push(ret_layers, count, WEFT_WIRE_MAD, 0);
    if (mad_class_is_smi(mgmt_class))
        count = push(ret_layers, count, WEFT_WIRE_SMP, 0);
    if (mgmt_class == WEFT_CLASS_SUBN_DIRECTED) {
        count = push(ret_layers, count, WEFT_WIRE_SMP_DIRECTED, 0);
        mgmt_class = WEFT_CLASS_SUBN_LID;
    }
    if (mad_class_has_rmpp(mgmt_class))
        count = push(ret_layers, count, WEFT_WIRE_RMPP, 0);
    if (active && rmpp_type(p) != WEFT_RMPP_DATA)
        return count;
    if (mgmt_class == WEFT_CLASS_SUBN_ADM)
        count = push(ret_layers, count, WEFT_WIRE_SA, 0);
    if (mad_class_has_oui(mgmt_class))
        count = push(ret_layers, count, WEFT_WIRE_VENDOR, 0);
    if (active && (rmpp_flags(p) & WEFT_RMPP_FLAG_FIRST) == 0)
        return count;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        if (attributes[i].mgmt_class == mgmt_class && attributes[i].attr_id == mad_attr_id(p))
            count = push(ret_layers, count, attributes[i].header, attributes[i].offset);
    }
    return count;
}
