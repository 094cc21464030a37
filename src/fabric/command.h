/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Commands: a line of the fault vocabulary (docs/fabric.md) parsed, and done.
 */
#ifndef WEFT_FABRIC_COMMAND_H
#define WEFT_FABRIC_COMMAND_H

#include "fabric/fault.h"
#include "fabric/words.h"

/** What is to be done. */
enum command_verb {
    COMMAND_NOTHING, /* an empty line, or only a comment */
    COMMAND_CUT,     /* link down, up: `on` */
    COMMAND_WEAR,    /* link width, speed, restore: `wear` */
    COMMAND_DIE,     /* node dead, alive: `on` */
    COMMAND_BEGIN,   /* `fault` */
    COMMAND_END,     /* loss off, ..., clear on */
    COMMAND_CLEAR,   /* clear */
    COMMAND_CANCEL,  /* cancel: `value`, or all */
    COMMAND_SA_BUSY, /* sa busy, ok: `on` */
    COMMAND_COUNTER_SET,
    COMMAND_COUNTER_ADD,
    COMMAND_TRAP,
    COMMAND_PKEY,
    COMMAND_NAME,
    COMMAND_VF,    /* vf pkey: `function`, `number`, `key` */
    COMMAND_VF_SMP /* vf smp: `function`, `on` */
};

/** A command. Which members count depends on the verb. */
struct command {
    enum command_verb verb;
    bool on;
    bool both;       /* a fault on a port is also one on the port at the other end */
    uint32_t node;   /* index */
    uint32_t port;   /* index */
    uint16_t number; /* of a trap; index in the P_Key table; enum counter; virtual index */
    uint16_t key;    /* P_Key; physical index or WEFT_PKEY_UNASSIGNED */
    uint8_t function;
    uint8_t width; /* masks of struct port's cable_... */
    uint8_t speed, speed_ext;
    uint64_t value; /* number of a line that waits, 0: all; of a counter */
    struct fault fault;
    char name[TOPO_NAME_BYTES];
};

/** From when a line's time counts. */
enum command_start {
    COMMAND_NOW,  /* no time: at once */
    COMMAND_AT,   /* from when the script or the single line was given */
    COMMAND_AFTER /* from the line before; of a single line as COMMAND_AT */
};

/** When a line is done. */
struct command_time {
    enum command_start start;
    weft_time offset_ns;
    weft_time every_ns; /* 0: once */
    weft_time until_ns; /* counted as COMMAND_AT; WEFT_TIME_NEVER: for ever */
};

/** The longest time in a line, and the shortest between repetitions. */
#define COMMAND_TIME_MAX  (8760 * 3600 * WEFT_S)
#define COMMAND_EVERY_MIN WEFT_MS

/** Parses a line.
 * @param line      without newline
 * @param ret       the command
 * @param ret_when  its time
 * @param error     why not
 * @return 0; WEFT_ERR_FORMAT; WEFT_ERR_NOTFOUND: there is no such node, port or cable;
 *         WEFT_ERR_CONFLICT: several nodes have the name */
int command_parse(const struct fabric *f, const char *line, size_t length, struct command *ret,
                  struct command_time *ret_when, struct fabric_error *error);

/** How many new faults the command would bring. */
uint32_t command_faults(const struct fabric *f, const struct command *c);

/** Does a command; there is room for its faults.
 * @return 0; WEFT_ERR_CONFLICT: a VF is not to have this P_Key (struct fabric_config.vf_strict) */
int command_do(struct fabric *f, const struct command *c);

/** What is to be known about a command that was done: why it does not show what was wanted.
 * @param ret  receives a sentence, or is left as it is */
void command_remark(const struct fabric *f, const struct command *c, struct fabric_error *ret);

#endif
