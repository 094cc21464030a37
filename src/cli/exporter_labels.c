/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Labels of ports. */
#include "cli/exporter_labels.h"

#include "cli/metrics_text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *type_word(uint8_t type)
{
    if (type == WEFT_SWEEP_SWITCH)
        return "switch";
    return type == WEFT_SWEEP_ROUTER ? "router" : "ca";
}

void exporter_labels_key(uint64_t guid, uint8_t number, char ret[EXPORTER_LABELS_BYTES])
{
    (void)snprintf(ret, EXPORTER_LABELS_BYTES, "guid=\"0x%016" PRIx64 "\",port=\"%u\"", guid,
                   number);
}

void exporter_labels(const struct weft_sweep *s, uint32_t port, char ret[EXPORTER_LABELS_BYTES])
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    const struct weft_sweep_node *n = weft_sweep_node(s, p->node);
    const struct weft_sweep_port *peer =
        p->peer == WEFT_SWEEP_NONE ? NULL : weft_sweep_port(s, p->peer);
    const struct weft_sweep_node *peer_node = peer ? weft_sweep_node(s, peer->node) : NULL;
    char text[24];

    exporter_labels_key(n->guid, p->number, ret);
    metrics_label(ret, EXPORTER_LABELS_BYTES, "name", n->name);
    metrics_label(ret, EXPORTER_LABELS_BYTES, "type", type_word(n->type));
    if (!peer_node)
        return;
    (void)snprintf(text, sizeof(text), "0x%016" PRIx64, peer_node->guid);
    metrics_label(ret, EXPORTER_LABELS_BYTES, "peer_guid", text);
    (void)snprintf(text, sizeof(text), "%u", peer->number);
    metrics_label(ret, EXPORTER_LABELS_BYTES, "peer_port", text);
    metrics_label(ret, EXPORTER_LABELS_BYTES, "peer_name", peer_node->name);
}
