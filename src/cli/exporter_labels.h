/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How ports are named in metrics.
 */
#ifndef WEFT_CLI_EXPORTER_LABELS_H
#define WEFT_CLI_EXPORTER_LABELS_H

#include <weft/sweep.h>

/** Space for the labels of a port: three GUIDs or names, each byte of which may be escaped. */
#define EXPORTER_LABELS_BYTES 1536

/** The two labels that a port is known by: GUID of the node, and number. */
void exporter_labels_key(uint64_t guid, uint8_t number, char ret[EXPORTER_LABELS_BYTES]);

/** These, and what can be said beyond: name, type, and the far end of its cable. */
void exporter_labels(const struct weft_sweep *s, uint32_t port, char ret[EXPORTER_LABELS_BYTES]);

#endif
