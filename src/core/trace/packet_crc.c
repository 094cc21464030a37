/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two checksums of an InfiniBand packet, four bits at a step. */
#include "core/trace/packet_crc.h"

/* Remainders of the 16 half bytes for the reflected polynomial 0x04C11DB7 (IBA 7.8.1). */
static const uint32_t icrc_steps[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

/* The same for the reflected polynomial 0x100B (IBA 7.8.2). */
static const uint16_t vcrc_steps[16] = {
    0x0000, 0x1A01, 0x3402, 0x2E03, 0x6804, 0x7205, 0x5C06, 0x4607,
    0xD008, 0xCA09, 0xE40A, 0xFE0B, 0xB80C, 0xA20D, 0x8C0E, 0x960F,
};

static uint32_t icrc_byte(uint32_t crc, uint8_t byte)
{
    crc = crc >> 4 ^ icrc_steps[(crc ^ byte) & 0xF];
    return crc >> 4 ^ icrc_steps[(crc ^ byte >> 4) & 0xF];
}

/* The bits of byte `i` that switches or routers may change: the checksum takes them as ones. A
 * router makes a new LRH, so that behind a GRH no bit of it counts. */
static uint8_t variant_bits(size_t i, bool has_grh)
{
    size_t bth = has_grh ? 48 : 8;

    if (i == bth + 4)
        return 0xFF; /* BTH: Resv8a */
    if (!has_grh)
        return i == 0 ? 0xF0 : 0; /* LRH: VL */
    if (i < 8)
        return 0xFF; /* LRH */
    if (i == 8)
        return 0x0F; /* GRH: upper half of TClass */
    if (i <= 11 || i == 15)
        return 0xFF; /* GRH: lower half of TClass, FlowLabel; HopLmt */
    return 0;
}

uint32_t packet_icrc(const uint8_t *packet, size_t len, bool has_grh)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++)
        crc = icrc_byte(crc, packet[i] | variant_bits(i, has_grh));
    return ~crc;
}

uint16_t packet_vcrc(const uint8_t *packet, size_t len)
{
    uint16_t crc = UINT16_MAX;

    for (size_t i = 0; i < len; i++) {
        crc = (uint16_t)(crc >> 4 ^ vcrc_steps[(crc ^ packet[i]) & 0xF]);
        crc = (uint16_t)(crc >> 4 ^ vcrc_steps[(crc ^ packet[i] >> 4) & 0xF]);
    }
    return (uint16_t)~crc;
}
