/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The partitions while definitions are read: which one a name and a key lead to.
 */
#ifndef WEFT_PARTITIONS_TABLE_H
#define WEFT_PARTITIONS_TABLE_H

#include "partitions/partitions.h"

/** Partitions by key and by name. */
struct partitions_table;

/** Starts a table with OpenSM's own default partition.
 * @param t     what partitions and members are added to; borrowed
 * @param full  whether all ports are full members of it, not only the SM's
 * @return the table, or NULL when there is no memory */
struct partitions_table *partitions_table_new(struct partitions *t, bool full);

/** Frees a table, not what was added with it; NULL is fine.
 * @return NULL */
struct partitions_table *partitions_table_free(struct partitions_table *table);

/** How a definition came to its partition. */
enum partitions_found {
    PARTITIONS_MADE,    /**< there was none: it is new */
    PARTITIONS_BY_NAME, /**< no key was given, and there was one of this name */
    PARTITIONS_BY_KEY   /**< there was one with the key */
};

/** Finds or makes the partition of a definition. Without a key the name decides; a name that is new
 * gets the lowest key that no definition before it has.
 * @param table      the table
 * @param name       the name
 * @param written    the key as written; with 0 in the lower 15 bits there is none
 * @param line       of the definition
 * @param ret_index  the partition
 * @param ret_found  how
 * @return 0; WEFT_ERR_FULL: all keys are taken; WEFT_ERR_NOMEM */
int partitions_table_define(struct partitions_table *table, const char *name, uint16_t written,
                            uint32_t line, uint32_t *ret_index, enum partitions_found *ret_found);

/** Adds a member to a partition.
 * @param t       what it is added to
 * @param index   the partition
 * @param member  the member; `next` and `overruled` are set here
 * @return 0; WEFT_ERR_FULL: PARTITIONS_MEMBERS_MAX; WEFT_ERR_NOMEM */
int partitions_member_add(struct partitions *t, uint32_t index,
                          const struct partitions_member *member);

/** Adds a multicast group.
 * @return as partitions_member_add() */
int partitions_group_add(struct partitions *t, const struct partitions_group *group);

#endif
