/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Adding to a list of findings: what the reader, the builder and lint share.
 */
#ifndef WEFT_TOPOLOGY_FINDINGS_H
#define WEFT_TOPOLOGY_FINDINGS_H

#include "topology/topology.h"

/** Adds a finding; beyond TOPO_FINDINGS_MAX it is only counted. What the text quotes may be any
 * bytes: those that are not safe to print are escaped here.
 * @return 0 or WEFT_ERR_NOMEM */
int topo_findings_add(struct topo_findings *list, uint32_t line, enum topo_kind kind,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Adds a finding of another list, as topo_findings_add() does. */
int topo_findings_copy(struct topo_findings *list, const struct topo_finding *finding);

/** Sorts a list by line, then by kind and text: the same findings always give the same list. */
void topo_findings_sort(struct topo_findings *list);

#endif
