/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The P_Keys of SR-IOV functions as mlx4's files in sysfs tell them, and what is wrong with them.
 */
#ifndef WEFT_CLI_VF_TREE_H
#define WEFT_CLI_VF_TREE_H

#include <weft/pkey.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** In place of a physical index: the entry is not assigned, or its file cannot be read. */
#define VF_NONE     UINT32_MAX
/** Folders and files of a folder beyond these are left out, as are longer names. */
#define VF_LIST_MAX 65536

/** What is wrong. */
enum vf_kind {
    VF_UNREADABLE,   /**< a file or folder cannot be read, or says nothing that it may */
    VF_OUT_OF_RANGE, /**< the physical entry is none that functions can be given */
    VF_UNASSIGNED_0, /**< the function has no entry 0 */
    VF_EMPTY_ENTRY,  /**< the physical entry has no valid key */
    VF_BOTH_FORMS,   /**< a guest is a full and a limited member of one partition */
    VF_DUPLICATE,    /**< a guest has a key twice */
    VF_NOBODY_FULL,  /**< nobody on this host is a full member: a note */
    VF_KINDS         /**< number of kinds */
};

/** One thing that is wrong. Texts are safe to print once they went through printable(). */
struct vf_problem {
    enum vf_kind kind;
    const char *device;   /**< "" where the folder of devices is meant; borrowed from the tree */
    const char *port;     /**< "" for the device */
    const char *function; /**< "" for the port */
    char *text;           /**< owned */
};

/** One entry of a function's table. */
struct vf_entry {
    uint32_t virt;
    uint32_t physical; /**< or VF_NONE */
    weft_pkey key;     /**< 0 where there is none */
    bool unknown;      /**< its file or that of its key cannot be read: nothing follows from it */
};

/** One function on one port. */
struct vf_function {
    char *name;               /**< as the folder is called: a PCI address */
    bool physical;            /**< the PF, whose table is the port's */
    struct vf_entry *entries; /**< by virtual index */
    size_t count;
    bool unknown_0; /**< entry 0 is not among them since it cannot be read */
};

/** One port. */
struct vf_port {
    char *name;
    weft_pkey *keys; /**< the physical table, by index; an unreadable entry is 0 */
    bool *known;     /**< whether each was read; as long as `keys` */
    size_t key_count;
    bool unknown; /**< not all of the physical table could be read */
    struct vf_function *functions;
    size_t function_count;
};

/** One device. */
struct vf_device {
    char *name;
    struct vf_port *ports;
    size_t port_count;
};

/** All devices below one folder. */
struct vf_tree {
    struct vf_device *devices; /**< those with SR-IOV */
    size_t device_count;
    struct vf_problem *problems; /**< notes among them */
    size_t problem_count;
    size_t problem_space;
    bool failed; /**< memory ran out */
};

/** Reads all devices, which are folders of a folder.
 * @param root  `ROOT/class/infiniband` is looked into, or else ROOT itself
 * @param t     filled, to be given to vf_tree_free() in any case
 * @return 0; WEFT_ERR_NOTFOUND, errno telling why: there is no such folder; WEFT_ERR_NOMEM */
int vf_tree_read(const char *root, struct vf_tree *t);

/** Adds what is wrong with the maps that were read.
 * @return 0 or WEFT_ERR_NOMEM */
int vf_tree_check(struct vf_tree *t);

/** Frees what a tree holds and empties it. */
void vf_tree_free(struct vf_tree *t);

/** Adds a problem; when memory runs out the tree has failed. */
void vf_problem_add(struct vf_tree *t, const struct vf_problem *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The word for a kind of problem. */
const char *vf_kind_name(enum vf_kind kind);

#endif
