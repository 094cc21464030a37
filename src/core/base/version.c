/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library's version, which the build knows. */
#include <weft/base.h>

const char *weft_version(void)
{
    return WEFT_VERSION;
}
