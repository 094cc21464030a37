/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A fabric with every kind of node, for the tests of SMAs: program "a" asks.
 */
#ifndef WEFT_TESTS_SMA_LAB_H
#define WEFT_TESTS_SMA_LAB_H

#include "core/wire/mad_header.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* "a": CA of two ports, at ports 1 and 2 of "sw", a switch of 18 ports with an enhanced port 0; at
 * its port 3 "r", a router, and at port 4 "base", a switch with a base port 0, with "b" at its
 * port 2. */
static const char sma_lab_topology[] =
    "switchguid=0x10(10)\n"
    "Switch 18 \"S-0000000000000010\" # \"sw\" enhanced port 0 lid 0 lmc 0\n"
    "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 0 4xEDR\n"
    "[2] \"H-0000000000000020\"[2](22) # \"a\" lid 0 4xEDR\n"
    "[3] \"R-0000000000000040\"[1](41) # \"r\" lid 0 4xEDR\n"
    "[4] \"S-0000000000000050\"[1] # \"base\" lid 0 4xEDR\n"
    "\n"
    "switchguid=0x50(50)\n"
    "Switch 4 \"S-0000000000000050\" # \"base\" base port 0 lid 0 lmc 0\n"
    "[1] \"S-0000000000000010\"[4] # \"sw\" lid 0 4xEDR\n"
    "[2] \"H-0000000000000030\"[1](31) # \"b\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x20\n"
    "Ca 2 \"H-0000000000000020\" # \"a\"\n"
    "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
    "[2](22) \"S-0000000000000010\"[2] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x30\n"
    "Ca 1 \"H-0000000000000030\" # \"b\"\n"
    "[1](31) \"S-0000000000000050\"[2] # lid 0 lmc 0 \"base\" lid 0 4xEDR\n"
    "\n"
    "rtguid=0x40\n"
    "Rt 1 \"R-0000000000000040\" # \"r\"\n"
    "[1](41) \"S-0000000000000010\"[3] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";

/* The fabric and the program that asks. */
struct sma_lab {
    struct ff *ff;
    struct ff_program *a;
};

static inline struct sma_lab sma_lab_new(const struct fabric_config *c)
{
    struct sma_lab lab = {.ff = ff_new(sma_lab_topology, c)};

    lab.a = ff_attach(lab.ff, "a");
    return lab;
}

static inline void sma_lab_free(struct sma_lab *lab)
{
    ff_free(lab->ff);
}

#define SMA_LAB_CA     FF_ROUTE_SELF
#define SMA_LAB_SWITCH FF_ROUTE(1)
#define SMA_LAB_ROUTER FF_ROUTE(1, 3)
#define SMA_LAB_BASE   FF_ROUTE(1, 4)
#define SMA_LAB_B      FF_ROUTE(1, 4, 2)

/* PortState and PortPhysicalState that a Set keeps as they are. */
static inline void sma_lab_keep_states(uint8_t *port_info)
{
    wire_set(WIRE_PORT_INFO_PORT_STATE, port_info, PORT_STATE_NOP);
    wire_set(WIRE_PORT_INFO_PHYSICAL_STATE, port_info, PORT_PHYSICAL_NOP);
}

/* Sends a Get or Set with data and gives the status of the answer. */
static inline uint16_t sma_lab_status(struct sma_lab *lab, struct ff_route route, uint8_t method,
                                      uint16_t attr_id, uint32_t attr_mod, const uint8_t *data)
{
    struct packet packet = ff_directed(lab->a, route, method, attr_id, attr_mod), answer;

    if (data)
        memcpy(ff_data(&packet), data, 64);
    return ff_status(lab->a, &packet, &answer);
}

#endif
