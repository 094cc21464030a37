/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of the management classes. */
#include "core/wire/mad_class.h"

const char *weft_class_name(uint8_t mgmt_class)
{
#define MAD_CLASS(first, last, header_bytes, rmpp, qpn, name)                                      \
    if (mgmt_class >= (first) && mgmt_class <= (last))                                             \
        return name;
#include "core/wire/mad_class.def"
    return "reserved";
}
