/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `weft exporter` knows, as metrics.
 */
#ifndef WEFT_CLI_EXPORTER_PAGE_H
#define WEFT_CLI_EXPORTER_PAGE_H

#include "cli/exporter_look.h"
#include "cli/metrics_text.h"

/** Writes all metrics.
 * @param scrapes  how often they were asked for
 * @param ret      with its format and sink set, else zeroes; without memory it is `failed` */
void exporter_page(const struct exporter_look *l, uint64_t scrapes, struct metrics_text *ret);

#endif
