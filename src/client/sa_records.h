/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the SA can be asked for: names of records, components of their fields, and its codes and
 * statuses in words.
 */
#ifndef WEFT_CLIENT_SA_RECORDS_H
#define WEFT_CLIENT_SA_RECORDS_H

#include <weft/wire.h>

/** In place of a header: the fields of this record are in no table. */
#define SA_NO_HEADER WEFT_WIRE_HEADER_COUNT

/** A kind of record. */
struct sa_kind {
    const char *name;       /**< such as "NodeRecord" */
    const char *short_name; /**< as saquery has it, such as "NR" */
    const char *what;       /**< for people */
    uint16_t attr_id;
    enum weft_wire_header header; /**< of its first fields; SA_NO_HEADER: they are in no table */
    enum weft_wire_header inner;  /**< of an attribute behind these; SA_NO_HEADER: none */
    uint8_t inner_at;             /**< where that begins */
};

/** The kinds in the order of their ids; NULL beyond the last. */
const struct sa_kind *sa_kind_at(size_t i);

/** The kind with a name or short name, in upper or lower case; NULL: none. */
const struct sa_kind *sa_kind_named(const char *name);

/** The kind with an attribute id; NULL: none. */
const struct sa_kind *sa_kind_of(uint16_t attr_id);

/** The bits of a component mask that select a field.
 * @param field  from weft_wire_find()
 * @return 0: it is no component */
uint64_t sa_component(int field);

/** What a status says, without a final full stop: "no record matches". */
const char *sa_status_text(uint16_t status);

/** A rate in tenths of Gb/s; 0: the code is not known. */
uint32_t sa_rate_tenths(uint64_t code);

/** An MTU in bytes; 0: the code is not known. */
uint32_t sa_mtu_bytes(uint64_t code);

#endif
