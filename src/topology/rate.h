/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How fast a link is, by the words that ibnetdiscover has for it.
 */
#ifndef WEFT_TOPOLOGY_RATE_H
#define WEFT_TOPOLOGY_RATE_H

#include <stdint.h>

/** What a link signals in Mb/s.
 * @param width  "1x" to "12x"
 * @param speed  "SDR" to "XDR", "FDR10"
 * @return 0: one of the words is none of these */
uint32_t topo_rate(const char *width, const char *speed);

#endif
