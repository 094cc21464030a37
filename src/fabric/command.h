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
    COMMAND_VF,           /* vf pkey: `function`, `number`, `key` */
    COMMAND_VF_SMP,       /* vf smp: `function`, `on` */
    COMMAND_CABLE_ADD,    /* cable add: between `port` and `other` */
    COMMAND_CABLE_MOVE,   /* cable move: from `port` to `other` */
    COMMAND_CABLE_REMOVE, /* cable remove */
    COMMAND_PMA,          /* pma: of enum pma_lack those in `number` become `key` */
    COMMAND_PMA_TIME,     /* pma time: `value` */
    COMMAND_PMA_RESTORE,  /* pma restore */
    COMMAND_LIE,          /* lie: enum lie `number`, with the node `other` for its model */
    COMMAND_TRUTH         /* lie off */
};

/** A command. Which members count depends on the verb. */
struct command {
    enum command_verb verb;
    bool on;
    bool out, in;    /* a fault on a link: of what leaves the port, of what comes to it */
    uint32_t node;   /* index */
    uint32_t port;   /* index */
    uint32_t other;  /* index of another port or node */
    uint16_t number; /* of a trap; index in the P_Key table; enum counter; virtual index; lie */
    uint16_t key;    /* P_Key; physical index or WEFT_PKEY_UNASSIGNED; of enum pma_lack */
    uint8_t function;
    uint8_t width; /* masks of struct port's cable_... */
    uint8_t speed, speed_ext;
    uint64_t value; /* number of a line that waits, 0: all; of a counter; ns */
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

/** Whether a command changes which ports have a cable. */
static inline bool command_moves_cables(const struct command *c)
{
    return c->verb == COMMAND_CABLE_ADD || c->verb == COMMAND_CABLE_MOVE ||
           c->verb == COMMAND_CABLE_REMOVE;
}

/** Parses a line.
 * @param line      without newline
 * @param ret       the command
 * @param ret_when  its time
 * @param error     why not
 * @return 0; WEFT_ERR_FORMAT; WEFT_ERR_NOTFOUND: there is no such node, port or cable;
 *         WEFT_ERR_CONFLICT: several nodes have the name, or a port has a cable already */
int command_parse(const struct fabric *f, const char *line, size_t length, struct command *ret,
                  struct command_time *ret_when, struct fabric_error *error);

/** How many new faults the command would bring. */
uint32_t command_faults(const struct fabric *f, const struct command *c);

/** Does a command; there is room for its faults. What a command needs of cables is looked at here
 * once more, since they may have moved after it was parsed.
 * @param error  why not
 * @return 0; WEFT_ERR_CONFLICT: a VF is not to have this P_Key (struct fabric_config.vf_strict), or
 *         a port has a cable already; WEFT_ERR_NOTFOUND: a port has no cable */
int command_do(struct fabric *f, const struct command *c, struct fabric_error *error);

/** What is to be known about a command that was done: why it does not show what was wanted.
 * @param ret  receives a sentence, or is left as it is */
void command_remark(const struct fabric *f, const struct command *c, struct fabric_error *ret);

#endif
