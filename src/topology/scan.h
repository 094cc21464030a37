/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * From bytes to lines: bounded, counted, and freed of what terminals leave behind.
 */
#ifndef WEFT_TOPOLOGY_SCAN_H
#define WEFT_TOPOLOGY_SCAN_H

#include "topology/topology.h"

/** A stream being cut into lines. Start with all members 0. */
struct topo_scan {
    char text[TOPO_LINE_BYTES_MAX + 1]; /**< the line, 0-terminated, without its line end */
    size_t length;                      /**< of the line */
    uint32_t number;                    /**< of the line, from 1 */
    uint64_t bytes;                     /**< read so far */
    bool complete;                      /**< the line was handed out */
};

/** Takes bytes until a line is complete.
 * @param s      the stream
 * @param bytes  moved past what was taken
 * @param count  less what was taken
 * @param error  written when the result is negative
 * @return 1: s holds a line; 0: give more bytes, or end with topo_scan_end();
 *               WEFT_ERR_FORMAT: a 0 byte; WEFT_ERR_FULL: the line or the stream is too long */
int topo_scan_line(struct topo_scan *s, const char **bytes, size_t *count,
                   struct topo_error *error);

/** Ends the stream.
 * @return true when s holds a last line, one that had no line end */
bool topo_scan_end(struct topo_scan *s);

/** Takes the escape sequences of terminals (colours, titles, cursor movement) and a byte order mark
 * out of a line.
 * @return the new length */
size_t topo_scan_clean(char *text, size_t length);

#endif
