/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The transition relation of the refresh machine, made by tools/generate-states from
 * src/core/pkey/refresh_fsm.def: cell[input * STATES + state] is a state to go to, or one of the
 * other three. */
#define IDLE 0
#define READING 1
#define WAITING 2
#define STATES 3

#define STAY 100
#define DROP 101
#define NEVER 102

#define IN_EVENT 0
#define IN_COMPLETE 1
#define IN_FAILED 2
#define IN_DUE 3
#define INPUTS 4

hidden byte cell[INPUTS * STATES];

inline fill_table()
{
    cell[IN_EVENT * STATES + IDLE] = READING;
    cell[IN_EVENT * STATES + READING] = STAY;
    cell[IN_EVENT * STATES + WAITING] = STAY;
    cell[IN_COMPLETE * STATES + IDLE] = NEVER;
    cell[IN_COMPLETE * STATES + READING] = IDLE;
    cell[IN_COMPLETE * STATES + WAITING] = NEVER;
    cell[IN_FAILED * STATES + IDLE] = NEVER;
    cell[IN_FAILED * STATES + READING] = WAITING;
    cell[IN_FAILED * STATES + WAITING] = NEVER;
    cell[IN_DUE * STATES + IDLE] = NEVER;
    cell[IN_DUE * STATES + READING] = NEVER;
    cell[IN_DUE * STATES + WAITING] = READING;
}
