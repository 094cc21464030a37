/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Widths and speeds of links: one table of each. */
#include "core/wire/link_rate.h"

#include <stddef.h>
#include <string.h>

/* 2x came last. */
static const struct {
    char word[4];
    uint8_t bit, lanes;
} widths_by_lanes[] = {{"12x", 8, 12}, {"8x", 4, 8}, {"4x", 2, 4}, {"2x", 16, 2}, {"1x", 1, 1}};

#define WIDTHS (sizeof(widths_by_lanes) / sizeof(widths_by_lanes[0]))

/* A bit of LinkSpeed, or of LinkSpeedExt, or of none. */
static const struct {
    char word[6];
    uint8_t bit, extended;
    uint32_t kbps;
} speeds_by_number[] = {
    [WIRE_LINK_SDR] = {"SDR", 1, 0, 2500000},      [WIRE_LINK_DDR] = {"DDR", 2, 0, 5000000},
    [WIRE_LINK_QDR] = {"QDR", 4, 0, 10000000},     [WIRE_LINK_FDR] = {"FDR", 0, 1, 14062500},
    [WIRE_LINK_EDR] = {"EDR", 0, 2, 25781250},     [WIRE_LINK_HDR] = {"HDR", 0, 4, 53125000},
    [WIRE_LINK_NDR] = {"NDR", 0, 8, 106250000},    [WIRE_LINK_XDR] = {"XDR", 0, 0, 212500000},
    [WIRE_LINK_FDR10] = {"FDR10", 0, 0, 10312500},
};

#define SPEEDS (sizeof(speeds_by_number) / sizeof(speeds_by_number[0]))

uint8_t wire_link_lanes(unsigned widths)
{
    for (size_t i = 0; i < WIDTHS; i++)
        if ((widths & widths_by_lanes[i].bit) != 0)
            return widths_by_lanes[i].lanes;
    return 0;
}

const char *wire_link_width_word(unsigned width)
{
    for (size_t i = 0; i < WIDTHS; i++)
        if (width == widths_by_lanes[i].bit)
            return widths_by_lanes[i].word;
    return NULL;
}

uint8_t wire_link_lanes_of_word(const char *word)
{
    for (size_t i = 0; i < WIDTHS; i++)
        if (strcmp(word, widths_by_lanes[i].word) == 0)
            return widths_by_lanes[i].lanes;
    return 0;
}

enum wire_link_speed wire_link_speed(unsigned speeds, unsigned extended)
{
    for (unsigned i = WIRE_LINK_NDR; i > WIRE_LINK_SPEED_NONE; i--)
        if ((extended & speeds_by_number[i].extended) != 0 ||
            (speeds & speeds_by_number[i].bit) != 0)
            return (enum wire_link_speed)i;
    return WIRE_LINK_SPEED_NONE;
}

const char *wire_link_active_word(unsigned speed, unsigned extended)
{
    for (size_t i = WIRE_LINK_SDR; i <= WIRE_LINK_NDR; i++)
        if (extended != 0 ? extended == speeds_by_number[i].extended
                          : speed != 0 && speed == speeds_by_number[i].bit)
            return speeds_by_number[i].word;
    return NULL;
}

const char *wire_link_speed_word(enum wire_link_speed speed)
{
    return speed > WIRE_LINK_SPEED_NONE && speed < SPEEDS ? speeds_by_number[speed].word : NULL;
}

enum wire_link_speed wire_link_speed_of_word(const char *word)
{
    for (size_t i = WIRE_LINK_SDR; i < SPEEDS; i++)
        if (strcmp(word, speeds_by_number[i].word) == 0)
            return (enum wire_link_speed)i;
    return WIRE_LINK_SPEED_NONE;
}

uint32_t wire_link_lane_kbps(enum wire_link_speed speed)
{
    return speed < SPEEDS ? speeds_by_number[speed].kbps : 0;
}
