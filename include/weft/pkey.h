/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * P_Keys: the match rule, a port's table as a cache, lookups, its refresh, and the tables that an
 * SR-IOV device shows to its functions.
 *
 * A P_Key is 16 bits: bit 15 says full or limited member, the other 15 which partition (IBA 10.9).
 * An index is a place in a port's P_Key table. Both are numbers of 16 bits, and never the same.
 * Keys and indices are in host byte order; weft_pkey_block_read() takes them from the wire.
 *
 * Nothing here does I/O, reads a clock or calls back; what is wanted from outside is polled. Memory
 * is taken in `_new` calls alone. An object belongs to one thread at a time. Pointers must not be
 * NULL unless their text says so. Outputs are written only on success. Deliberate differences from
 * Linux are listed in docs/compat.md; docs/pkey.md tells how the parts work together.
 */
#ifndef WEFT_PKEY_H
#define WEFT_PKEY_H

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A P_Key, host byte order. */
typedef uint16_t weft_pkey;

/** The bit of a full member. */
#define WEFT_PKEY_FULL        0x8000u
/** The bits that name the partition. */
#define WEFT_PKEY_BASE        0x7FFFu
/** The default partition, as a full member; it stands at index 0 of a port that starts. */
#define WEFT_PKEY_DEFAULT     0xFFFFu
/** Entries of one block of a table: what one SubnGet(P_KeyTable) answers. */
#define WEFT_PKEY_BLOCK       32
/** Bytes of one block on the wire. */
#define WEFT_PKEY_BLOCK_BYTES 64
/** Entries of the longest table. */
#define WEFT_PKEY_ENTRIES_MAX 65536u
/** Blocks of the longest table. */
#define WEFT_PKEY_BLOCKS_MAX  (WEFT_PKEY_ENTRIES_MAX / WEFT_PKEY_BLOCK)

/** Whether a key names a partition; 0x0000 and 0x8000 do not: they stand in empty entries.
 * @param key  any 16 bits
 * @return whether its 15 bits are not 0 */
static inline bool weft_pkey_valid(weft_pkey key)
{
    return (key & WEFT_PKEY_BASE) != 0;
}

/** Whether a key has the bit of a full member.
 * @param key  any 16 bits
 * @return whether bit 15 is set */
static inline bool weft_pkey_is_full(weft_pkey key)
{
    return (key & WEFT_PKEY_FULL) != 0;
}

/** Whether two keys name the same partition, whatever their membership.
 * @param a  a key
 * @param b  another
 * @return whether their 15 bits are the same and not 0 */
static inline bool weft_pkey_same_partition(weft_pkey a, weft_pkey b)
{
    return weft_pkey_valid(a) && ((a ^ b) & WEFT_PKEY_BASE) == 0;
}

/** The rule of who may talk to whom (IBA 10.9.3): the same partition, and one of them a full
 * member. Two limited members never match.
 * @param a  the key of one side, such as a packet's
 * @param b  the key of the other, such as an entry of the receiver's table
 * @return whether they match */
static inline bool weft_pkey_match(weft_pkey a, weft_pkey b)
{
    return weft_pkey_same_partition(a, b) && ((a | b) & WEFT_PKEY_FULL) != 0;
}

/** Takes a block from the wire, where each entry is big-endian.
 * @param wire  the attribute P_KeyTable of a MAD
 * @param ret   its entries */
void weft_pkey_block_read(const uint8_t wire[WEFT_PKEY_BLOCK_BYTES],
                          weft_pkey ret[WEFT_PKEY_BLOCK]);

/** Puts a block as it is on the wire.
 * @param keys  the entries
 * @param ret   the attribute P_KeyTable of a MAD */
void weft_pkey_block_write(const weft_pkey keys[WEFT_PKEY_BLOCK],
                           uint8_t ret[WEFT_PKEY_BLOCK_BYTES]);

/** A copy of one port's table: the one that lookups see, and one that is being made up. */
struct weft_pkey_cache;

/** What happened to a table between two generations. */
struct weft_pkey_change {
    uint64_t generation;                        /**< of the table as it is now */
    uint32_t entries;                           /**< how many entries have changed; may be 0 */
    uint64_t blocks[WEFT_PKEY_BLOCKS_MAX / 64]; /**< block b is bit (b % 64) of blocks[b / 64] */
};

/** Makes the cache of a table. It holds none until the first commit: until then lookups answer
 * WEFT_ERR_STATE. It takes 128 KiB and 12 bytes an entry.
 * @param entries  capacity of the table, 1..65536, as PartitionCap of NodeInfo tells; entries of
 *                 the last block beyond it are never looked at
 * @param a        where memory comes from, copied; NULL means malloc and free
 * @param ret      the cache; give it back with weft_pkey_cache_free()
 * @return 0; WEFT_ERR_INVALID: there is no table of that length; WEFT_ERR_NOMEM: the allocator gave
 *         nothing */
int weft_pkey_cache_new(uint32_t entries, const struct weft_alloc *a, struct weft_pkey_cache **ret);

/** Frees a cache.
 * @param c  a cache or NULL
 * @return NULL */
struct weft_pkey_cache *weft_pkey_cache_free(struct weft_pkey_cache *c);

/** How long the table is.
 * @param c  a cache
 * @return its capacity in entries */
uint32_t weft_pkey_cache_entries(const struct weft_pkey_cache *c);

/** How often the table was replaced.
 * @param c  a cache
 * @return 0: there is none yet; otherwise one more with each commit and each set */
uint64_t weft_pkey_cache_generation(const struct weft_pkey_cache *c);

/** Adds a block to the table that is being made up; lookups do not see it. A block may be staged
 * again: the last one counts.
 * @param c      a cache
 * @param block  its number
 * @param keys   its entries
 * @return 0; WEFT_ERR_INVALID: the table has no such block */
int weft_pkey_cache_stage(struct weft_pkey_cache *c, uint16_t block,
                          const weft_pkey keys[WEFT_PKEY_BLOCK]);

/** Replaces the table by the staged one, all of it at once.
 * @param c           a cache
 * @param ret_change  what differs from the table before; may be NULL. Before the first one all
 *                    entries were 0
 * @return 0; WEFT_ERR_STATE: not every block has been staged since the last commit or discard;
 *         stage the rest */
int weft_pkey_cache_commit(struct weft_pkey_cache *c, struct weft_pkey_change *ret_change);

/** Forgets what was staged; lookups go on with the table they had.
 * @param c  a cache */
void weft_pkey_cache_discard(struct weft_pkey_cache *c);

/** Replaces one block, such as by a Set(P_KeyTable) that the port has just accepted. If that block
 * is staged, the staged copy is replaced as well.
 * @param c           a cache
 * @param block       its number
 * @param keys        its entries
 * @param ret_change  what changed, possibly nothing; may be NULL
 * @return 0; WEFT_ERR_INVALID: the table has no such block; WEFT_ERR_STATE: there is no table yet
 *         whose block it could be: stage all blocks and commit */
int weft_pkey_cache_set(struct weft_pkey_cache *c, uint16_t block,
                        const weft_pkey keys[WEFT_PKEY_BLOCK], struct weft_pkey_change *ret_change);

/** What has changed since a generation. Several readers may keep one each.
 * @param c           a cache
 * @param generation  the one that the reader has seen; 0: none
 * @param ret_change  what changed since, possibly nothing
 * @return 0; WEFT_ERR_INVALID: there was no such generation yet */
int weft_pkey_cache_changes(const struct weft_pkey_cache *c, uint64_t generation,
                            struct weft_pkey_change *ret_change);

/** The key of an entry, which may be an invalid one: an empty entry.
 * @param c      a cache
 * @param index  0..capacity - 1
 * @param ret    the key
 * @return 0; WEFT_ERR_INVALID: beyond the capacity; WEFT_ERR_STATE: there is no table yet */
int weft_pkey_cache_get(const struct weft_pkey_cache *c, uint32_t index, weft_pkey *ret);

/** Finds a partition by 15 bits: the first full entry wherever it stands, else the first limited
 * one. The membership of `key` itself does not matter. This is the lookup for sending: the port's
 * highest membership. Takes the same time whatever the table's length.
 * @param c    a cache
 * @param key  the key
 * @param ret  its index
 * @return 0; WEFT_ERR_NOTFOUND: the port is no member; WEFT_ERR_INVALID: the key's 15 bits are 0;
 *         WEFT_ERR_STATE: there is no table yet, refresh it */
int weft_pkey_cache_find(const struct weft_pkey_cache *c, weft_pkey key, uint16_t *ret);

/** Finds a key by 16 bits: the first equal entry. The same partition with the other membership is
 * WEFT_ERR_NOTFOUND. Takes the same time whatever the table's length.
 * @param c    a cache
 * @param key  the key
 * @param ret  its index
 * @return 0; errors as weft_pkey_cache_find() */
int weft_pkey_cache_find_exact(const struct weft_pkey_cache *c, weft_pkey key, uint16_t *ret);

/** Which lookup. */
enum weft_pkey_find {
    WEFT_PKEY_FIND,      /**< 15 bits, as weft_pkey_cache_find() */
    WEFT_PKEY_FIND_EXACT /**< 16 bits, as weft_pkey_cache_find_exact() */
};

/** A lookup in a table that nobody has cached: it names the blocks it wants, is fed with them, and
 * comes to the same answer as the cache would. It lives in its owner's memory and holds nothing;
 * the fields are its own.
 *
 *     weft_pkey_lookup_init();
 *     while (weft_pkey_lookup_result() == WEFT_ERR_STATE) {
 *         while (weft_pkey_lookup_poll())  SubnGet(P_KeyTable, block);
 *         weft_pkey_lookup_feed() each block that arrives, weft_pkey_lookup_fail() when none comes
 *     }
 *
 * Blocks may arrive in any order; the answer does not depend on it: it is what a reader would find
 * who asks for one block after the other, stops at the first that holds the answer for certain and
 * gives up at the first that fails. */
struct weft_pkey_lookup {
    weft_pkey key;            /**< what is looked for */
    enum weft_pkey_find find; /**< how */
    uint32_t entries;         /**< capacity of the table */
    uint32_t end;             /**< blocks from this one on do not matter */
    uint32_t front;           /**< blocks before this one are there */
    uint32_t next;            /**< the next block to ask for */
    uint32_t waiting;         /**< how many are asked for and not there */
    uint32_t window;          /**< how many may be */
    int verdict;              /**< the answer once the blocks before `end` are there */
    uint16_t index;           /**< the entry of that answer */
    bool has_limited;         /**< whether a limited member was seen */
    uint16_t limited;         /**< the first of them */
    uint64_t there[WEFT_PKEY_BLOCKS_MAX / 64]; /**< the blocks that are there, a bit each */
};

/** Begins a lookup.
 * @param l        where it lives
 * @param find     which one
 * @param key      the key
 * @param entries  capacity of the table, 1..65536
 * @param window   how many blocks it may wait for at one time, at least 1; with 1 it reads no block
 *                 that it could do without
 * @return 0; WEFT_ERR_INVALID: the key's 15 bits are 0, or a number is out of its range */
int weft_pkey_lookup_init(struct weft_pkey_lookup *l, enum weft_pkey_find find, weft_pkey key,
                          uint32_t entries, uint32_t window);

/** The next block to ask for. Drain it after each call that feeds.
 * @param l          a lookup
 * @param ret_block  its number; feed it, or tell that it failed
 * @return false: none for now */
bool weft_pkey_lookup_poll(struct weft_pkey_lookup *l, uint16_t *ret_block);

/** A block has arrived.
 * @param l      a lookup
 * @param block  its number
 * @param keys   its entries
 * @return 0, also when the block does not matter any more; WEFT_ERR_STATE: the lookup does not wait
 *         for this block, it is ignored */
int weft_pkey_lookup_feed(struct weft_pkey_lookup *l, uint16_t block,
                          const weft_pkey keys[WEFT_PKEY_BLOCK]);

/** A block will not arrive: the lookup ends with this error unless an earlier block decides it.
 * @param l      a lookup
 * @param block  its number
 * @param err    why: any negative number but WEFT_ERR_STATE
 * @return 0, also when the block does not matter any more; WEFT_ERR_INVALID: no such error;
 *         WEFT_ERR_STATE: the lookup does not wait for this block, it is ignored */
int weft_pkey_lookup_fail(struct weft_pkey_lookup *l, uint16_t block, int err);

/** What was found.
 * @param l    a lookup
 * @param ret  the key's index
 * @return 0; WEFT_ERR_STATE: not decided, go on; WEFT_ERR_NOTFOUND: the port is no member;
 *         another error: the one that weft_pkey_lookup_fail() was told */
int weft_pkey_lookup_result(const struct weft_pkey_lookup *l, uint16_t *ret);

/** How a cache is kept current. Fill it with weft_pkey_refresh_config_init(), then change fields.
 */
struct weft_pkey_refresh_config {
    size_t size;     /**< sizeof(struct weft_pkey_refresh_config), set by the init macro */
    uint32_t window; /**< default 8: blocks that are asked for at one time; at least 1, and 2048
                          when more; those of a reading that has ended count until answered */
    weft_time retry; /**< default 1 s: wait after a table could not be read; not 0 */
};

/** Fills in every default. Use the macro weft_pkey_refresh_config_init(), which passes the size.
 * @param ret   where the defaults go
 * @param size  sizeof(struct weft_pkey_refresh_config) of the program
 * @return 0; WEFT_ERR_INVALID when this library does not know a structure of that size: the program
 *         was built against another version */
int weft_pkey_refresh_config_init_sized(struct weft_pkey_refresh_config *ret, size_t size);
/** Fills in every default of a struct weft_pkey_refresh_config. */
#define weft_pkey_refresh_config_init(ret)                                                         \
    weft_pkey_refresh_config_init_sized((ret), sizeof(*(ret)))

/** Keeps one cache current: on each event it reads the whole table and replaces the cached one.
 *
 * Clients are told after the table was replaced, never before. When a block cannot be read, the
 * table stays and the event stays pending; after a while all is read again. An event that comes
 * while the table is read makes it read all blocks anew, because the ones it has may be older than
 * the others. Its states: docs/states/pkey_refresh.md. */
struct weft_pkey_refresh;

/** A block that the refresh wants. Hand it back unchanged with the answer. */
struct weft_pkey_read {
    uint64_t round; /**< which reading of the table it is part of */
    uint16_t block; /**< number of the block */
};

/** What a refresh is at. */
enum weft_pkey_refresh_state {
    WEFT_PKEY_REFRESH_IDLE,    /**< no event is pending: the table is as of the last one */
    WEFT_PKEY_REFRESH_READING, /**< the table is being read */
    WEFT_PKEY_REFRESH_WAITING, /**< it could not be read; it is tried again later */
    WEFT_PKEY_REFRESH_STATES   /**< number of states */
};

/** What a refresh has counted since it was made. */
struct weft_pkey_refresh_stats {
    uint64_t events;   /**< events taken */
    uint64_t commits;  /**< tables replaced */
    uint64_t failures; /**< readings that failed */
    uint64_t restarts; /**< readings begun anew because of an event */
    uint64_t stale;    /**< answers to reads of a reading that had ended before */
};

/** Makes a refresh, which begins to read at once.
 * @param c      configuration; copied
 * @param cache  the cache; stays the caller's and must outlive the refresh. Others only look into
 *               it, or set blocks
 * @param a      where memory comes from, copied; NULL means malloc and free
 * @param ret    the refresh; give it back with weft_pkey_refresh_free()
 * @return 0; WEFT_ERR_INVALID: a field is out of its range, or `size` is not this library's;
 *         WEFT_ERR_NOMEM: the allocator gave nothing */
int weft_pkey_refresh_new(const struct weft_pkey_refresh_config *c, struct weft_pkey_cache *cache,
                          const struct weft_alloc *a, struct weft_pkey_refresh **ret);

/** Frees a refresh; the cache stays, what was staged in it is forgotten.
 * @param r  a refresh or NULL
 * @return NULL */
struct weft_pkey_refresh *weft_pkey_refresh_free(struct weft_pkey_refresh *r);

/** The port's table may have changed: P_KEY_CHANGE.
 * @param r    a refresh
 * @param now  the time
 * @return 0; WEFT_ERR_CLOCK: time went backwards */
int weft_pkey_refresh_event(struct weft_pkey_refresh *r, weft_time now);

/** The next block to read. Drain it after each call.
 * @param r         a refresh
 * @param ret_read  what to read; each is answered exactly once, with weft_pkey_refresh_block() or
 *                  weft_pkey_refresh_fail()
 * @return false: none for now */
bool weft_pkey_refresh_poll_read(struct weft_pkey_refresh *r, struct weft_pkey_read *ret_read);

/** A block was read. The last one replaces the table.
 * @param r     a refresh
 * @param now   the time
 * @param read  what was asked for
 * @param keys  its entries
 * @return 0; WEFT_ERR_STALE: of a reading that has ended, it is ignored; WEFT_ERR_INVALID: nobody
 *         asked for it, or it was answered before; WEFT_ERR_CLOCK: time went backwards, answer it
 *         again */
int weft_pkey_refresh_block(struct weft_pkey_refresh *r, weft_time now,
                            const struct weft_pkey_read *read,
                            const weft_pkey keys[WEFT_PKEY_BLOCK]);

/** A block could not be read: the reading ends and comes again after the configured wait.
 * @param r     a refresh
 * @param now   the time
 * @param read  what was asked for
 * @return 0; errors as weft_pkey_refresh_block() */
int weft_pkey_refresh_fail(struct weft_pkey_refresh *r, weft_time now,
                           const struct weft_pkey_read *read);

/** Fires what is due.
 * @param r    a refresh
 * @param now  the time
 * @return 0; WEFT_ERR_CLOCK: time went backwards */
int weft_pkey_refresh_advance(struct weft_pkey_refresh *r, weft_time now);

/** When weft_pkey_refresh_advance() has something to do.
 * @param r  a refresh
 * @return that time, or WEFT_TIME_NEVER */
weft_time weft_pkey_refresh_deadline(const struct weft_pkey_refresh *r);

/** The next change that clients are to be told. Changes that nobody polled become one. There is one
 * for each replaced table even when no entry differs: native clients are told each event.
 * @param r           a refresh
 * @param ret_change  what changed since the last one
 * @return false: none for now */
bool weft_pkey_refresh_poll_change(struct weft_pkey_refresh *r,
                                   struct weft_pkey_change *ret_change);

/** What the refresh is at.
 * @param r  a refresh
 * @return its state; an event is pending in all but WEFT_PKEY_REFRESH_IDLE */
enum weft_pkey_refresh_state weft_pkey_refresh_state(const struct weft_pkey_refresh *r);

/** What the refresh has counted.
 * @param r    a refresh
 * @param ret  its counters */
void weft_pkey_refresh_stats(const struct weft_pkey_refresh *r,
                             struct weft_pkey_refresh_stats *ret);

/** No physical entry: a virtual entry that the administrator has not assigned. */
#define WEFT_PKEY_UNASSIGNED    UINT16_MAX
/** Functions of a device at most. */
#define WEFT_PKEY_FUNCTIONS_MAX 256
/** The physical function (PF). The others are virtual functions (VF): guests. */
#define WEFT_PKEY_PF            0

/** A set of functions. */
struct weft_pkey_functions {
    uint64_t bits[WEFT_PKEY_FUNCTIONS_MAX / 64]; /**< function f is bit (f % 64) of bits[f / 64] */
};

/** An SR-IOV device. Fill it with weft_pkey_map_config_init(), then change fields. */
struct weft_pkey_map_config {
    size_t size;        /**< sizeof(struct weft_pkey_map_config), set by the init macro */
    uint16_t functions; /**< default 1: functions with the PF; 1..256 */
    uint8_t ports;      /**< default 1: ports, numbered from 1; 1..254 */
    uint32_t entries;   /**< default 128: entries of each port's physical table, 2..65535. The last
                             is reserved: nothing may be mapped there, no function and no subnet
                             manager is to see it, so that its key stays an invalid one */
    bool strict;        /**< default false; true: no VF may hold two entries of one partition, be
                             it both forms of a key, one form twice or one entry twice */
    bool unassigned_goes; /**< default false: an unassigned entry cannot be used; true: it stands
                             for the reserved physical entry, so that a QP can have it, and all of
                             its packets are dropped as invalid */
};

/** Fills in every default. Use the macro weft_pkey_map_config_init(), which passes the size.
 * @param ret   where the defaults go
 * @param size  sizeof(struct weft_pkey_map_config) of the program
 * @return 0; WEFT_ERR_INVALID when this library does not know a structure of that size: the program
 *         was built against another version */
int weft_pkey_map_config_init_sized(struct weft_pkey_map_config *ret, size_t size);
/** Fills in every default of a struct weft_pkey_map_config. */
#define weft_pkey_map_config_init(ret) weft_pkey_map_config_init_sized((ret), sizeof(*(ret)))

/** Which physical entry each function's virtual entries are, on each port of an SR-IOV device.
 *
 * All functions see a table one entry shorter than the physical one. The PF's is the physical table
 * itself. A VF begins with its entry 0 at the physical entry 0 and all others unassigned; these
 * read as 0. The subnet manager writes the physical table only. */
struct weft_pkey_map;

/** A function on a port. */
struct weft_pkey_place {
    uint8_t port;      /**< number of the port, from 1 */
    uint16_t function; /**< number of the function */
};

/** Makes the map of a device.
 * @param c    configuration; copied
 * @param a    where memory comes from, copied; NULL means malloc and free
 * @param ret  the map; give it back with weft_pkey_map_free()
 * @return 0; WEFT_ERR_INVALID: a field is out of its range, or `size` is not this library's;
 *         WEFT_ERR_NOMEM: the allocator gave nothing */
int weft_pkey_map_new(const struct weft_pkey_map_config *c, const struct weft_alloc *a,
                      struct weft_pkey_map **ret);

/** Frees a map.
 * @param m  a map or NULL
 * @return NULL */
struct weft_pkey_map *weft_pkey_map_free(struct weft_pkey_map *m);

/** How long the table is that each function sees.
 * @param m  a map
 * @return entries of the physical table but the last */
uint32_t weft_pkey_map_visible(const struct weft_pkey_map *m);

/** Assigns a virtual entry, as the administrator says. The function's table has changed then: tell
 * that function, and no other. QPs that hold the old physical entry keep it until their next
 * translated move.
 * @param m         a map
 * @param cache     the port's physical table, for the strict mode; NULL when it is not known
 * @param at        the VF and its port
 * @param virt      the virtual entry
 * @param physical  the physical entry, or WEFT_PKEY_UNASSIGNED
 * @return 0; WEFT_ERR_INVALID: no such port or function, the PF, or an entry beyond what functions
 *         see; WEFT_ERR_CONFLICT: strict, and the VF has this partition or this physical entry
 *         already at another one: unassign that entry first. What an entry is already it may be
 *         assigned again */
int weft_pkey_map_set(struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                      const struct weft_pkey_place *at, uint16_t virt, uint16_t physical);

/** Which physical entry a virtual one is, as the administrator wrote it.
 * @param m     a map
 * @param at    the function and its port
 * @param virt  the virtual entry
 * @param ret   the physical entry, or WEFT_PKEY_UNASSIGNED
 * @return 0; WEFT_ERR_INVALID: no such port, function or entry */
int weft_pkey_map_get(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                      uint16_t virt, uint16_t *ret);

/** What a function's Get(P_KeyTable) is answered.
 * @param m      a map
 * @param cache  the port's physical table
 * @param at     the function and its port
 * @param block  the block of the virtual table
 * @param ret    its entries; those unassigned, beyond the physical table or past the end are 0
 * @return 0; WEFT_ERR_INVALID: no such port, function or block; WEFT_ERR_STATE: the cache holds no
 *         table yet */
int weft_pkey_map_view(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                       const struct weft_pkey_place *at, uint16_t block,
                       weft_pkey ret[WEFT_PKEY_BLOCK]);

/** The key of one virtual entry.
 * @param m      a map
 * @param cache  the port's physical table
 * @param at     the function and its port
 * @param virt   the virtual entry
 * @param ret    its key; 0 when it is unassigned
 * @return 0; WEFT_ERR_INVALID: no such port, function or entry; WEFT_ERR_STATE: the cache holds no
 *         table yet */
int weft_pkey_map_key(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                      const struct weft_pkey_place *at, uint16_t virt, weft_pkey *ret);

/** Who is to be told P_KEY_CHANGE: the functions whose tables have changed since a generation, the
 * PF among them. Nobody when a Set(P_KeyTable) wrote what was there before.
 * @param m           a map
 * @param cache       the port's physical table
 * @param port        number of the port
 * @param generation  of the cache, when functions were told last
 * @param ret         the functions
 * @return 0; WEFT_ERR_INVALID: no such port, or there was no such generation yet */
int weft_pkey_map_changed(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                          uint8_t port, uint64_t generation, struct weft_pkey_functions *ret);

/** Two entries of one VF that the strict mode does not allow. */
struct weft_pkey_clash {
    uint16_t first;  /**< a virtual entry */
    uint16_t second; /**< a later one of the same partition or the same physical entry */
    bool both_forms; /**< whether one is full and the other limited */
};

/** Looks for what the strict mode does not allow, whether the map is strict or not. The
 * administrator cannot bring it about in a strict map, but a subnet manager can, by writing the
 * physical table: look after each change at the functions that have it.
 * @param m      a map
 * @param cache  the port's physical table; NULL when it is not known: then only physical entries
 *               are compared
 * @param at     the VF and its port
 * @param ret    the clash of which the later entry comes first
 * @return 0: there is one; WEFT_ERR_NOTFOUND: there is none; WEFT_ERR_INVALID: no such port or
 *         function, or the PF, which may hold both forms */
int weft_pkey_map_clash(struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                        const struct weft_pkey_place *at, struct weft_pkey_clash *ret);

/** Which physical entry a virtual one stands for in a command or send of its function.
 * @param m     a map
 * @param at    the function and its port
 * @param virt  the virtual entry
 * @param ret   the physical entry
 * @return 0; WEFT_ERR_INVALID: no such port, function or entry: refuse the command;
 *         WEFT_ERR_NOTFOUND: it is unassigned and the map does not let it go */
int weft_pkey_map_to_physical(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                              uint16_t virt, uint16_t *ret);

/** Moves of a QP between its states, as modify-QP commands name them (IBA 10.3). */
enum weft_pkey_qp_move {
    WEFT_PKEY_QP_RESET_INIT, /**< may carry an index */
    WEFT_PKEY_QP_INIT_INIT,  /**< may carry an index */
    WEFT_PKEY_QP_INIT_RTR,   /**< may carry an index */
    WEFT_PKEY_QP_RTR_RTS,    /**< may carry an index */
    WEFT_PKEY_QP_RTS_RTS,    /**< may carry an index */
    WEFT_PKEY_QP_SQD_SQD,    /**< may carry an index */
    WEFT_PKEY_QP_SQD_RTS,    /**< may carry an index */
    WEFT_PKEY_QP_SQERR_RTS,  /**< carries none */
    WEFT_PKEY_QP_RTS_SQD,    /**< carries none */
    WEFT_PKEY_QP_TO_RESET,   /**< from any state; carries none */
    WEFT_PKEY_QP_TO_ERROR,   /**< from any state; carries none */
    WEFT_PKEY_QP_MOVES       /**< number of moves */
};

/** Translates the index of a VF's modify-QP command.
 * @param m         a map
 * @param at        the function and the QP's port
 * @param move      what the command does
 * @param virt      the index in the command; not looked at when the move carries none
 * @param physical  the physical index that the QP holds: replaced when the move carries one, left
 *                  alone otherwise and on errors
 * @return 0; WEFT_ERR_INVALID: no such move, port, function or entry; WEFT_ERR_NOTFOUND: the entry
 *         is unassigned and the map does not let it go: refuse the command */
int weft_pkey_map_qp(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                     enum weft_pkey_qp_move move, uint16_t virt, uint16_t *physical);

/** Translates the index of a MAD that a function sends.
 * @param m     a map
 * @param at    the function and its port
 * @param qpn   0 or 1: the QP it goes out from
 * @param virt  the index it was given; on QP0 not looked at: such a MAD goes with entry 0
 * @param ret   the physical index
 * @return 0; WEFT_ERR_INVALID: no such QP, port, function or entry; WEFT_ERR_NOTFOUND: the entry is
 *         unassigned and the map does not let it go: the MAD is not sent */
int weft_pkey_map_send(const struct weft_pkey_map *m, const struct weft_pkey_place *at, uint8_t qpn,
                       uint16_t virt, uint16_t *ret);

/** Translates the index with which a MAD arrived into one of a function, where all that is known is
 * the physical entry that it matched. Taken is the function's first entry with that very key, else
 * the first full one of its partition, else the first limited one. A reply on the index goes out
 * with a key of the same partition. Where the packet's own key is known use
 * weft_pkey_map_recv_packet(), which keeps limited members apart.
 * @param m         a map
 * @param cache     the port's physical table
 * @param at        the function and its port
 * @param qpn       0 or 1: the QP it came to; a MAD to QP0 has index 0
 * @param physical  the physical index of its completion
 * @param ret       the function's index
 * @return 0; WEFT_ERR_NOTFOUND: the function has no entry for it: do not deliver it there;
 *         WEFT_ERR_INVALID: no such QP, port, function or physical entry; WEFT_ERR_STATE: the cache
 *         holds no table yet */
int weft_pkey_map_recv(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                       const struct weft_pkey_place *at, uint8_t qpn, uint16_t physical,
                       uint16_t *ret);

/** Translates the P_Key of a MAD that arrived into an index of a function: the first full entry
 * that matches, else the first limited one. A packet of a limited member matches full entries only,
 * so two limited guests of one port do not hear each other because a third is a full member.
 * @param m      a map
 * @param cache  the port's physical table
 * @param at     the function and its port
 * @param qpn    0 or 1: the QP it came to; a MAD to QP0 has index 0
 * @param key    the P_Key in the packet
 * @param ret    the function's index
 * @return 0; WEFT_ERR_NOTFOUND: the function has no entry that matches: do not deliver it there;
 *         WEFT_ERR_INVALID: no such QP, port or function; WEFT_ERR_STATE: the cache holds no table
 *         yet */
int weft_pkey_map_recv_packet(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                              const struct weft_pkey_place *at, uint8_t qpn, weft_pkey key,
                              uint16_t *ret);

#ifdef __cplusplus
}
#endif

#endif
