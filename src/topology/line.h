/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What one line of a topology says, whatever stands before and after it.
 */
#ifndef WEFT_TOPOLOGY_LINE_H
#define WEFT_TOPOLOGY_LINE_H

#include "topology/builder.h"

/** What a line is. */
enum topo_line_kind {
    TOPO_LINE_OTHER,     /**< nothing that belongs to a topology */
    TOPO_LINE_BLANK,     /**< nothing at all, or a comment */
    TOPO_LINE_ATTRIBUTE, /**< `vendid=0x2c9` */
    TOPO_LINE_NODE,      /**< `Switch 24 "S-..."  # "name" base port 0 lid 6 lmc 0` */
    TOPO_LINE_PORT,      /**< `[22] "H-..."[1](...)  # "name" lid 4 4xSDR` */
    TOPO_LINE_CUT_NODE,  /**< `Ca 1 "H-b8ce` and then no id: some node begins here */
    TOPO_LINE_PAIR       /**< `CA 231 1 0x... 4x QDR - SW 43 18 0x... ( 'name' - 'name' )` */
};

/** What an attribute line is about. */
enum topo_attribute {
    TOPO_VENDOR_ID,
    TOPO_DEVICE_ID,
    TOPO_SYSIMG_GUID,
    TOPO_NODE_GUID,
    TOPO_ATTRIBUTES
};

/** Text inside the line; NULL when the line does not have it. */
struct topo_text {
    const char *text;
    size_t length;
};

/** One end as `ibnetdiscover -p` names it. */
struct topo_pair_end {
    struct topo_ref ref; /**< for a CA the port GUID stands for the node: the line has no other */
    struct topo_text name;
    uint16_t lid;
    uint32_t num;
};

/** A line taken apart. Texts point into the line. Numbers that the line does not have are 0. */
struct topo_line {
    enum topo_line_kind kind;
    enum topo_attribute attribute;
    uint64_t value;        /**< attribute */
    struct topo_ref ref;   /**< node: itself; port: the other end */
    struct topo_text name; /**< node: its own; port: the other end's */
    uint64_t guid;         /**< port: this end's port GUID */
    uint64_t peer_guid;    /**< port: the other end's port GUID */
    uint32_t num;          /**< node: number of ports; port: this end's number */
    uint32_t peer_num;     /**< port: the other end's number */
    uint16_t lid;          /**< node: a switch's; port: this end's, when it is no switch */
    uint16_t peer_lid;     /**< port */
    uint8_t lmc;           /**< node: a switch's; port: this end's, when it is no switch */
    enum topo_port0 port0; /**< node */
    struct topo_text width;
    struct topo_text speed;
    struct topo_pair_end ends[2]; /**< pair; the second has num 0 when the port has no cable */
};

/** Takes a line apart.
 * @param text    the line, 0-terminated, without its line end
 * @param length  its length
 * @param ret     filled */
void topo_line_parse(const char *text, size_t length, struct topo_line *ret);

#endif
