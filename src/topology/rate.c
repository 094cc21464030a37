/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates of links: a lane's signalling times the number of lanes (IBA 14.2.5.6). */
#include "topology/rate.h"

#include <stddef.h>
#include <string.h>

uint32_t topo_rate(const char *width, const char *speed)
{
    static const struct {
        const char *word;
        uint32_t value;
    } widths[] = {{"1x", 1}, {"2x", 2}, {"4x", 4}, {"8x", 8}, {"12x", 12}},
      lanes[] = {{"SDR", 2500},  {"DDR", 5000},  {"QDR", 10000},  {"FDR10", 10313}, {"FDR", 14063},
                 {"EDR", 25781}, {"HDR", 53125}, {"NDR", 106250}, {"XDR", 212500}};
    uint32_t count = 0;
    uint32_t lane = 0;

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        if (strcmp(width, widths[i].word) == 0)
            count = widths[i].value;
    for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++)
        if (strcmp(speed, lanes[i].word) == 0)
            lane = lanes[i].value;
    return count * lane;
}
