/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The hash of a storm's history: equal when two runs did the same, on every machine and compiler.
 */
#ifndef WEFT_STORM_TRACE_HASH_H
#define WEFT_STORM_TRACE_HASH_H

#include "core/wire/mad_header.h"

#include <weft/trace.h>

/** Adds a number; the order of numbers counts. */
static inline uint64_t storm_trace_hash_add(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Up to four small numbers as one: a multiplication less each. */
static inline uint64_t storm_trace_hash_pack(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (uint64_t)a << 48 ^ (uint64_t)b << 32 ^ (uint64_t)c << 16 ^ d;
}

/** The numbers of a trace event that no other member repeats; no pointer is among them. */
static inline uint64_t storm_trace_hash_body(uint64_t hash, const struct weft_trace_event *ev)
{
    switch (ev->type) {
    case WEFT_TRACE_STATE:
        return storm_trace_hash_add(hash,
                                    storm_trace_hash_pack(0, 0, ev->u.state.from, ev->u.state.to));
    case WEFT_TRACE_TX:
        return storm_trace_hash_add(hash, wire_be64(ev->u.packet.mad));
    case WEFT_TRACE_RX:
        hash = storm_trace_hash_add(hash, wire_be64(ev->u.packet.mad));
        return storm_trace_hash_add(
            hash, storm_trace_hash_pack(0, 0, ev->u.packet.dlid, ev->u.packet.len));
    case WEFT_TRACE_DROP:
        return storm_trace_hash_add(hash, (uint64_t)ev->u.packet.verdict);
    case WEFT_TRACE_RETRY:
        hash = storm_trace_hash_add(hash, ev->u.retry.wait);
        hash = storm_trace_hash_add(hash, ev->u.retry.budget);
        return storm_trace_hash_add(
            hash, storm_trace_hash_pack(0, 0, ev->u.retry.attempt, ev->u.retry.left));
    case WEFT_TRACE_EVENT:
        return storm_trace_hash_add(
            hash, storm_trace_hash_pack(0, ev->u.event.type, ev->u.event.status, ev->u.event.len));
    case WEFT_TRACE_WINDOW:
        return storm_trace_hash_add(
            hash, storm_trace_hash_pack(0, 0, ev->u.window.lid, ev->u.window.window));
    case WEFT_TRACE_RMPP:
        return storm_trace_hash_add(hash, storm_trace_hash_pack(ev->u.rmpp.status, ev->u.rmpp.what,
                                                                0, ev->u.rmpp.segments));
    }
    return hash;
}

/** Adds a trace event of a client's engine. */
static inline uint64_t storm_trace_hash_event(uint64_t hash, uint32_t client,
                                              const struct weft_trace_event *ev)
{
    hash = storm_trace_hash_add(hash, ev->time);
    hash = storm_trace_hash_add(hash, (uint64_t)client << 8 | (uint64_t)ev->type);
    hash = storm_trace_hash_add(hash, ev->tid);
    return storm_trace_hash_body(hash, ev);
}

#endif
