/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates of links: a lane's signalling times the number of lanes (IBA 14.2.5.6). */
#include "topology/rate.h"

#include "core/wire/link_rate.h"

uint32_t topo_rate(const char *width, const char *speed)
{
    uint64_t lane = wire_link_lane_kbps(wire_link_speed_of_word(speed));

    return (uint32_t)(wire_link_lanes_of_word(width) * lane / 1000);
}
