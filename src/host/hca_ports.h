/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The ports of this machine's adapters, as libibumad tells of them, and the one that a program
 * means.
 */
#ifndef WEFT_HOST_HCA_PORTS_H
#define WEFT_HOST_HCA_PORTS_H

#include "library/library.h"

#include <weft/pkey.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Room for an adapter's name, as in libibumad. */
#define HCA_NAME_BYTES 20

/** Most ports that are looked at. */
#define HCA_PORTS_MAX 320

/** Why a port is no choice. */
enum hca_fitness {
    HCA_ACTIVE,      /**< an InfiniBand port that an SM has made active */
    HCA_LINK_UP,     /**< its link is up, and no SM has been there */
    HCA_DOWN,        /**< its link is down */
    HCA_OTHER_LAYER, /**< it is not an InfiniBand port: RoCE, iWARP */
    HCA_NO_PORT      /**< libibumad cannot tell */
};

/** A port. Numbers are in host byte order. */
struct hca_port {
    char ca[HCA_NAME_BYTES];
    char layer[HCA_NAME_BYTES]; /**< "InfiniBand", "Ethernet", ... */
    uint64_t guid;
    uint64_t gid_prefix;
    uint32_t capability; /**< PortInfo:CapabilityMask */
    uint16_t lid;
    uint16_t sm_lid;
    uint8_t number;
    uint8_t lmc;
    uint8_t sm_sl;
    uint8_t state;
    enum hca_fitness fitness;
};

/** All there are, in libibumad's order. */
struct hca_ports {
    size_t count;
    struct hca_port ports[HCA_PORTS_MAX];
};

/** What a program has chosen: general services and subnet management may be two devices' work. */
struct hca_choice {
    struct hca_port gsi;
    struct hca_port smi; /**< ca "": there is none that does subnet management at this port */
};

/** Fills in all ports of all adapters.
 * @param text  why not: a sentence that says what to do
 * @return 0; WEFT_ERR_STATE: there is no libibumad */
int hca_ports_read(struct hca_ports *ret, char text[LIBRARY_TEXT_BYTES]);

/** Asks for one port.
 * @return whether there is one */
bool hca_port_read(const char *ca, uint8_t number, struct hca_port *ret);

/** Asks for a port's P_Key table.
 * @param ret  its entries, by index; to be freed
 * @return how many there are; 0: it is not known, and there is nothing to free */
uint32_t hca_port_pkeys(const char *ca, uint8_t number, weft_pkey **ret);

/** Chooses among them: what was said, else the first that is active, else the first whose link is
 * up.
 * @param ca      NULL: not said
 * @param number  0: not said
 * @param ret     with both devices of a split adapter: those with the same port GUID
 * @return 0; WEFT_ERR_NOTFOUND: there is no such port; WEFT_ERR_STATE: there is, but none that can
 *         be used */
int hca_ports_choose(const struct hca_ports *all, const char *ca, uint8_t number,
                     struct hca_choice *ret);

/** Whether a port is among those that were asked for. */
bool hca_port_is_meant(const struct hca_port *p, const char *ca, uint8_t number);

/** Why a port is passed over, in few words: "is down". */
const char *hca_fitness_words(enum hca_fitness f);

#endif
