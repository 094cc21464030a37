/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Many names as few words, as Slurm reads them: node[001-018,020],login.
 */
#ifndef WEFT_TOPOLOGY_HOSTLIST_H
#define WEFT_TOPOLOGY_HOSTLIST_H

#include <stddef.h>
#include <stdio.h>

/** Writes names with commas between them. Names that differ only in the number they end with become
 * one word; a number of more than nine digits is none.
 * @param names  without blanks, commas and brackets; they are sorted, and one that is there twice
 * is written once */
void topo_write_hostlist(const char **names, size_t count, FILE *out);

#endif
