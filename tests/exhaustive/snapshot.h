/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A port's state as a value: saved, restored, and hashed.
 *
 * A port is one block of memory, so copying the block to the same address brings an earlier state
 * back. Only the slots ever used are copied.
 */
#ifndef WEFT_TESTS_EXHAUSTIVE_SNAPSHOT_H
#define WEFT_TESTS_EXHAUSTIVE_SNAPSHOT_H

#include <weft/mad.h>

/** Bytes that snapshot_save() would write now. */
size_t snapshot_bytes(const struct weft_mad_port *p);

void snapshot_save(const struct weft_mad_port *p, uint8_t *to);

void snapshot_restore(struct weft_mad_port *p, const uint8_t *from);

/** Hashes what decides the port's further behaviour. Left out are counters, generations (handles
 * differ, what they name does not) and the bytes of free slots. */
uint64_t snapshot_hash(const struct weft_mad_port *p);

/** Adds bytes to a hash. */
uint64_t snapshot_mix(uint64_t hash, const void *bytes, size_t len);

#endif
