/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sweep takes over from an earlier one, and when it does not. */
#include "client/sweep_state.h"
#include "core/wire/link_rate.h"

#include <weft/wire.h>

#include <string.h>

/* PortInfo:CapabilityMask, IsExtendedSpeedsSupported. */
#define CAN_EXTENDED_SPEEDS (UINT32_C(1) << 14)

const char *weft_sweep_width_word(const struct weft_sweep *s, uint32_t port)
{
    const char *word = wire_link_width_word(s->ports[port].width.active);

    return word ? word : "??";
}

/* Whether a port's extended speeds count; while its node's end port has not said so, they do. */
static bool is_extended(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *end = &s->ports[weft_sweep_end_port(s, port)];

    return s->ports[port].speed_ext.active != 0 &&
           (!end->told || (end->capability & CAN_EXTENDED_SPEEDS) != 0);
}

const char *weft_sweep_speed_word(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = &s->ports[port];
    const char *word =
        wire_link_active_word(p->speed.active, is_extended(s, port) ? p->speed_ext.active : 0);

    return word ? word : "???";
}

/* The port that is expected at the other end.
 * Returns WEFT_SWEEP_NONE: none, or its node was not found yet. */
static uint32_t expected_peer(const struct weft_sweep *s, const struct weft_sweep_prior_port *k)
{
    uint32_t node = k->peer_number > 0 ? weft_sweep_find(s, k->peer_guid) : WEFT_SWEEP_NONE;

    if (node == WEFT_SWEEP_NONE || k->peer_number > s->nodes[node].port_count)
        return WEFT_SWEEP_NONE;
    return s->nodes[node].first_port + k->peer_number;
}

static const struct weft_sweep_prior_port *known_of(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = &s->ports[port];

    return s->known ? weft_sweep_prior_find(s->known, s->nodes[p->node].guid, p->number) : NULL;
}

/* What the expectation for a port has become. */
enum outcome {
    OUTCOME_OPEN, /* the other end will know */
    OUTCOME_MET,
    OUTCOME_FAILED
};

static bool is_rate(const struct weft_sweep *s, uint32_t port,
                    const struct weft_sweep_prior_port *k)
{
    return strncmp(weft_sweep_width_word(s, port), k->width, sizeof(k->width) - 1) == 0 &&
           strncmp(weft_sweep_speed_word(s, port), k->speed, sizeof(k->speed) - 1) == 0;
}

static enum outcome outcome_of(const struct weft_sweep *s, uint32_t port,
                               const struct weft_sweep_prior_port *k)
{
    uint32_t peer = expected_peer(s, k);
    const struct weft_sweep_port *other = peer == WEFT_SWEEP_NONE ? NULL : &s->ports[peer];

    if (!other || !s->nodes[other->node].quiet || s->waits[peer] || other->assumed ||
        s->ports[weft_sweep_end_port(s, peer)].silent || other->mute_peer)
        return OUTCOME_FAILED;
    if (s->ports[port].peer == peer && other->told)
        return is_rate(s, peer, k) ? OUTCOME_MET : OUTCOME_FAILED;
    if (s->ports[port].peer != WEFT_SWEEP_NONE && s->ports[port].peer != peer)
        return OUTCOME_FAILED;
    if (other->told && (other->state <= SWEEP_STATE_DOWN || other->peer != WEFT_SWEEP_NONE))
        return OUTCOME_FAILED;
    return OUTCOME_OPEN;
}

/* Both ends of a link are in one state, at one rate. */
static void port_assume(struct weft_sweep *s, uint32_t port, const struct weft_sweep_prior_port *k)
{
    struct weft_sweep_port *p = &s->ports[port];
    const struct weft_sweep_port *other = &s->ports[p->peer];

    p->state = other->state;
    p->phys_state = other->phys_state;
    p->width.active = other->width.active;
    p->speed.active = other->speed.active;
    p->speed_ext.active = other->speed_ext.active;
    p->width.supported = k->width_supported;
    p->speed.supported = k->speed_supported;
    p->speed_ext.supported = k->speed_ext_supported;
    p->lid = k->lid;
    p->lmc = k->lmc;
    p->assumed = true;
    s->assumed++;
}

bool sweep_takes_over(struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = &s->ports[port];
    const struct weft_sweep_node *n = &s->nodes[p->node];
    const struct weft_sweep_prior_port *k = p->number == 0 || s->doubt ? NULL : known_of(s, port);
    enum outcome outcome = OUTCOME_FAILED;

    if (k && (n->type != WEFT_SWEEP_SWITCH || n->quiet))
        outcome = outcome_of(s, port, k);
    if (outcome == OUTCOME_MET)
        port_assume(s, port, k);
    if (outcome == OUTCOME_OPEN) {
        s->waits[port] = true;
        s->waiting++;
    }
    return outcome != OUTCOME_FAILED;
}

static void port_ask_now(struct weft_sweep *s, uint32_t port)
{
    sweep_put(s, SWEEP_ASK_PORT, port, WEFT_ATTR_PORT_INFO, s->ports[port].number);
}

static void stop_waiting(struct weft_sweep *s, uint32_t port)
{
    s->waits[port] = false;
    s->waiting--;
}

void sweep_wake(struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_prior_port *k = s->waiting > 0 ? known_of(s, port) : NULL;
    uint32_t waits = k ? expected_peer(s, k) : WEFT_SWEEP_NONE;

    if (waits == WEFT_SWEEP_NONE || !s->waits[waits])
        return;
    stop_waiting(s, waits);
    if (!sweep_takes_over(s, waits))
        port_ask_now(s, waits);
}

void sweep_compare_lid(struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_prior_port *k = known_of(s, port);

    s->doubt |= k && k->lid != s->ports[port].lid;
}

static int know_port(struct weft_sweep_prior *k, const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = &s->ports[port];
    const struct weft_sweep_port *end = &s->ports[weft_sweep_end_port(s, port)];
    const struct weft_sweep_port *peer = p->peer == WEFT_SWEEP_NONE ? NULL : &s->ports[p->peer];
    struct weft_sweep_prior_port known = {
        .guid = s->nodes[p->node].guid,
        .lid = end->lid,
        .number = p->number,
        .lmc = end->lmc,
        .width_supported = p->width.supported,
        .speed_supported = p->speed.supported,
        .speed_ext_supported = p->speed_ext.supported,
    };
    const char *width = weft_sweep_width_word(s, port);
    const char *speed = weft_sweep_speed_word(s, port);

    if (known.guid == 0 || (p->number > 0 && (!peer || s->nodes[peer->node].guid == 0)))
        return 0;
    if (peer) {
        known.peer_guid = s->nodes[peer->node].guid;
        known.peer_number = peer->number;
    }
    memcpy(known.width, width, strlen(width) + 1);
    memcpy(known.speed, speed, strlen(speed) + 1);
    return weft_sweep_prior_add(k, &known);
}

int weft_sweep_remember(const struct weft_sweep *s, const struct weft_alloc *a,
                        struct weft_sweep_prior **ret)
{
    struct weft_sweep_prior *k = NULL;
    int err = weft_sweep_prior_new(s->port_count, a, &k);

    for (uint32_t i = 0; i < s->port_count && !err; i++)
        err = know_port(k, s, i);
    if (err)
        (void)weft_sweep_prior_free(k);
    else
        *ret = k;
    return err;
}

void sweep_ask_late(struct weft_sweep *s)
{
    if (s->waiting == 0 && !(s->doubt && s->assumed > 0))
        return;
    for (uint32_t i = 0; i < s->port_count; i++) {
        struct weft_sweep_port *p = &s->ports[i];
        bool doubted = s->doubt && p->assumed;

        if (!s->waits[i] && !doubted)
            continue;
        if (s->waits[i])
            stop_waiting(s, i);
        if (doubted) {
            p->assumed = false;
            s->assumed--;
        }
        port_ask_now(s, i);
    }
}
