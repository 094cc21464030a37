/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * OpenSM's partitions.conf, read as OpenSM 3.3.23 reads it, slips included, and what is wrong with
 * it. docs/partitions.md tells the grammar and how it was learned.
 *
 * The model is plain data, meant to be read directly. It holds what OpenSM makes of the file: where
 * OpenSM gives up, that is the default partition with every port as a full member.
 */
#ifndef WEFT_PARTITIONS_PARTITIONS_H
#define WEFT_PARTITIONS_PARTITIONS_H

#include <weft/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No partition or member, where an index is expected. */
#define PARTITIONS_NONE            UINT32_MAX
/** The key of the default partition; keys are kept without the bit of full members. */
#define PARTITIONS_DEFAULT_KEY     0x7FFF
/** OpenSM keeps this many bytes of a name, and the final 0. */
#define PARTITIONS_NAME_BYTES      32
/** Larger inputs are refused. */
#define PARTITIONS_INPUT_BYTES_MAX ((size_t)128 << 20)
/** Longer lines are refused. OpenSM cuts lines of more than 4094 bytes. */
#define PARTITIONS_LINE_BYTES_MAX  65536
/** More members, and as many multicast groups, are refused. */
#define PARTITIONS_MEMBERS_MAX     2000000
/** More definitions are refused. */
#define PARTITIONS_DEFINED_MAX     65536
/** Problems kept; further ones are only counted. */
#define PARTITIONS_PROBLEMS_MAX    10000

/** What is wrong. */
enum partitions_kind {
    PARTITIONS_SYNTAX,             /**< OpenSM stops here and drops the whole file */
    PARTITIONS_NOTHING,            /**< the file has no definition: OpenSM goes on without it */
    PARTITIONS_BYTE_ORDER_MARK,    /**< a mark that OpenSM takes for part of the first word */
    PARTITIONS_IGNORED,            /**< text without effect, or that is taken for another thing */
    PARTITIONS_LONG_LINE,          /**< OpenSM cuts the line */
    PARTITIONS_ABBREVIATION,       /**< a word of which OpenSM takes the first that begins so */
    PARTITIONS_UNKNOWN_FLAG,       /**< a flag that OpenSM does not know */
    PARTITIONS_UNKNOWN_MEMBERSHIP, /**< a membership that OpenSM does not know: it takes limited */
    PARTITIONS_BAD_VALUE,          /**< a value that a flag or a GUID cannot have */
    PARTITIONS_KEY_RANGE,          /**< a P_Key that is no number of 16 bits */
    PARTITIONS_INVALID_KEY,        /**< a P_Key of which 15 bits are 0: OpenSM takes another */
    PARTITIONS_KEY_BIT_15,         /**< P_Keys that differ in bit 15 only: one partition */
    PARTITIONS_KEY_REPEATED,       /**< two names for one P_Key: one partition */
    PARTITIONS_NAME,               /**< a name that does not lead to the partition it seems to */
    PARTITIONS_BOTH,               /**< both forms for one port, where OpenSM allows one */
    PARTITIONS_MEMBERSHIP,         /**< a member twice, with different membership */
    PARTITIONS_DEFAULT_WITHOUT_SM, /**< the SM is no full member of the default partition */
    PARTITIONS_LIMITED_ONLY,       /**< nobody is a full member: members cannot talk */
    PARTITIONS_EMPTY,              /**< nobody is a member: OpenSM does not make the partition */
    PARTITIONS_GROUP,              /**< a multicast group that OpenSM does not make */
    PARTITIONS_KINDS               /**< number of kinds */
};

/** One thing that is wrong. */
struct partitions_problem {
    uint32_t line; /**< where; 0 when no line says it */
    enum partitions_kind kind;
    char *text; /**< a sentence without full stop, safe to print; owned by the list */
};

/** A list of problems. */
struct partitions_problems {
    struct partitions_problem *items;
    size_t count;   /**< items in the list */
    size_t space;   /**< items that fit */
    size_t dropped; /**< further ones, not kept */
};

/** Whom a member stands for. */
enum partitions_who {
    PARTITIONS_ALL,
    PARTITIONS_ALL_CAS,
    PARTITIONS_ALL_SWITCHES,
    PARTITIONS_ALL_ROUTERS,
    PARTITIONS_SELF, /**< the port of the subnet manager */
    PARTITIONS_GUID, /**< one port */
    PARTITIONS_WHO   /**< number of these */
};

/** How a member belongs to a partition. */
enum partitions_membership {
    PARTITIONS_LIMITED,
    PARTITIONS_FULL,
    PARTITIONS_BOTH_FORMS
};

/** One member as a definition names it. Later ones of a partition overrule earlier ones. */
struct partitions_member {
    uint64_t guid; /**< of the port; 0 unless `who` is PARTITIONS_GUID */
    uint32_t line; /**< 0: OpenSM's own */
    uint32_t next; /**< the partition's next member, or PARTITIONS_NONE */
    enum partitions_who who;
    enum partitions_membership membership;
    bool overruled; /**< a later one takes its place */
};

/** One partition. */
struct partitions_partition {
    char name[PARTITIONS_NAME_BYTES]; /**< of its first definition, verbatim: not safe to print */
    uint32_t line;                    /**< of that; 0: OpenSM's own */
    uint16_t key;                     /**< without bit 15 */
    uint16_t written;                 /**< the key as written; 0: it was not */
    bool generated;                   /**< OpenSM chose the key */
    bool indx0;                       /**< goes to entry 0 of its members' tables */
    uint32_t first;                   /**< its first member, or PARTITIONS_NONE */
    uint32_t last;                    /**< its last member, or PARTITIONS_NONE */
    uint32_t next_named;              /**< private to table.c */
};

/** A multicast group that is made beforehand. */
struct partitions_group {
    uint8_t mgid[16];
    uint32_t line;
};

/** What a file says. */
struct partitions {
    struct partitions_partition *items; /**< [0] is the default partition, then as in the file */
    uint32_t count;
    struct partitions_member *members;
    uint32_t member_count;
    struct partitions_group *groups;
    uint32_t group_count;
    struct partitions_problems problems; /**< sorted by line */
    bool allow_both;                     /**< OpenSM runs with allow_both_pkeys */
    bool refused;                        /**< OpenSM does without the file */
    uint32_t stop_line;                  /**< where OpenSM stops; 0: it reads to the end */
};

/** Why something could not be read at all. */
struct partitions_error {
    uint32_t line; /**< 0 when no line says it */
    char text[256];
};

/** Reads a file's text and looks for what is wrong with it.
 * @param text        any bytes
 * @param bytes       their number
 * @param allow_both  whether OpenSM runs with allow_both_pkeys
 * @param ret         what it says, to be given to partitions_free(); written only on success
 * @param error       written when the result is not 0
 * @return 0; WEFT_ERR_FORMAT: it is no text; WEFT_ERR_FULL: it is beyond the limits above;
 *         WEFT_ERR_NOMEM */
int partitions_parse(const char *text, size_t bytes, bool allow_both, struct partitions **ret,
                     struct partitions_error *error);

/** What OpenSM makes where there is no file.
 * @param allow_both  as partitions_parse()
 * @param ret         the default partition alone, as partitions_parse()
 * @return 0 or WEFT_ERR_NOMEM */
int partitions_without_file(bool allow_both, struct partitions **ret);

/** Frees what was read; NULL is fine.
 * @return NULL */
struct partitions *partitions_free(struct partitions *t);

/** The word for a kind of problem, such as "limited-only". */
const char *partitions_kind_name(enum partitions_kind kind);

/** The word of a configuration for whom a member stands for; "" for one port. */
const char *partitions_who_name(enum partitions_who who);

/** The word of a configuration for a membership. */
const char *partitions_membership_name(enum partitions_membership membership);

#endif
