/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A named number of a scenario or a policy, so that one table serves setting, showing and limits.
 */
#ifndef WEFT_STORM_FIELD_H
#define WEFT_STORM_FIELD_H

#include <weft/base.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** What a number means, and so how people write it. */
enum storm_unit {
    STORM_COUNT,    /**< a plain number */
    STORM_DURATION, /**< nanoseconds */
    STORM_SHARE,    /**< millionths */
    STORM_WORD      /**< an index into words; no and yes are words too */
};

/** The value of a field that is left to another place; its help says which. Written `default`. */
#define STORM_INHERIT UINT64_MAX

/** The longest that most durations may be. */
#define STORM_HOUR (3600 * WEFT_S)

/** One number: a uint64_t member of the structure that the table belongs to. */
struct storm_field {
    const char *key;          /**< its name in key=value; NULL closes a table */
    enum storm_unit unit;     /**< how it is written */
    size_t offset;            /**< where the member is */
    uint64_t min, max;        /**< both allowed; not looked at for words */
    const char *const *words; /**< STORM_WORD: the names of the values 0, 1, ..., closed by NULL */
    const char *help;         /**< what it is, in one line */
};

/** Reads a field of the structure at `of`. */
static inline uint64_t storm_field_get(const void *of, const struct storm_field *f)
{
    uint64_t value;

    memcpy(&value, (const char *)of + f->offset, sizeof(value));
    return value;
}

/** Writes a field of the structure at `of`; the value was checked by the caller. */
static inline void storm_field_set(void *of, const struct storm_field *f, uint64_t value)
{
    memcpy((char *)of + f->offset, &value, sizeof(value));
}

/** Finds a field by its key.
 * @return NULL when the table has none of that name */
static inline const struct storm_field *storm_field_find(const struct storm_field *table,
                                                         const char *key)
{
    while (table->key && strcmp(table->key, key) != 0)
        table++;
    return table->key ? table : NULL;
}

#endif
