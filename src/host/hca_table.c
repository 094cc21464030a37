/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables from a sender that leaves RMPP to somebody who is not there. */
#include "host/hca_table.h"

#include "core/wire/mad_header.h"

#include <string.h>

bool hca_table_is_bare(const uint8_t *mad)
{
    return mad_class(mad) == WEFT_CLASS_SUBN_ADM && mad_is_response(mad) && rmpp_is_active(mad) &&
           rmpp_version(mad) == 0;
}

void hca_table_finish(uint8_t *mad, size_t length)
{
    if (length < WEFT_RMPP_DATA_OFFSET || length >= WEFT_MAD_BYTES) {
        memset(mad + WEFT_MAD_HEADER_BYTES, 0, WEFT_MAD_BYTES - WEFT_MAD_HEADER_BYTES);
        mad_set_status(mad, WEFT_SA_STATUS_TOO_MANY_RECORDS);
        return;
    }
    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_set_type(mad, WEFT_RMPP_DATA);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE | WEFT_RMPP_FLAG_FIRST | WEFT_RMPP_FLAG_LAST);
    rmpp_set_segment(mad, 1);
    rmpp_set_length(mad, (uint32_t)(length - WEFT_RMPP_DATA_OFFSET));
}

bool hca_table_is_reply(const uint8_t *mad)
{
    return rmpp_is_active(mad) && rmpp_type(mad) != WEFT_RMPP_DATA;
}
