/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port's P_Key table of two blocks, its cache, and the refresh around its table: the subnet
 * manager writes, events come late, reads are answered in any order, late, or fail, and a client
 * looks up whenever it likes. What is checked: no input meets a NEVER cell; when the table is
 * replaced and no event is on its way, it is the port's, whole; a client is told after the table
 * was replaced, and never finds an older one than before; when nothing more happens the cache is
 * the port's table and the client was told of it (R137 R154).
 *
 * A table is its number in both blocks; with two numbers it is half of each. */
#include "pkey_refresh_fsm_table.pml"

#define TABLES 2   /* how many tables the manager writes after the first */
#define FAILURES 2 /* how many reads fail */
#define BLOCKS 2

byte port[BLOCKS];        /* the port's real table */
byte events;              /* raised, not taken by the refresh */
bool writing;             /* the manager is between the two blocks */
byte written;

byte state;               /* of the refresh */
byte next, missing;       /* the next block to ask for; blocks that have not arrived */
bool there[BLOCKS];
byte staged[BLOCKS];
byte cached[BLOCKS];
bool filled, untold;      /* whether the cache has a table, and one of which nobody was told */

/* Reads that are out: the answer is made when the port is asked, and may arrive later. */
#define READS 2
bool out[READS], out_asked[READS];
bool current[READS];      /* part of the reading under way */
byte out_block[READS], out_value[READS];

byte seen;                /* the newest table that the client has found */
byte failures;

hidden byte result;

/* The one function that changes the state. */
inline step(input)
{
    result = cell[(input) * STATES + state];
    assert(result != NEVER);
    if
    :: result >= STAY
    :: else -> state = result
    fi
}

inline begin_reading()
{
    current[0] = false;
    current[1] = false;
    next = 0;
    missing = BLOCKS;
    there[0] = false;
    there[1] = false;
    staged[0] = 0;
    staged[1] = 0
}

inline drop(r)
{
    out[r] = false;
    out_asked[r] = false;
    current[r] = false;
    out_block[r] = 0;
    out_value[r] = 0
}

inline commit()
{
    cached[0] = staged[0];
    cached[1] = staged[1];
    filled = true;
    untold = true;
    assert(events > 0 || writing || (cached[0] == port[0] && cached[1] == port[1]))
}

/* Reads of a reading that has ended come back to nobody. */
inline arrived(r)
{
    if
    :: !current[r] || state != READING
    :: else ->
        assert(!there[out_block[r]]);
        there[out_block[r]] = true;
        staged[out_block[r]] = out_value[r];
        missing--;
        if
        :: missing == 0 -> commit(); step(IN_COMPLETE)
        :: else
        fi
    fi
}

inline failed(r)
{
    if
    :: !current[r] || state != READING
    :: else -> step(IN_FAILED)
    fi
}

proctype manager()
{
    do
    :: written < TABLES ->
        atomic { port[0] = written + 1; writing = true; events++ }
        atomic { port[1] = written + 1; writing = false; written++; events++ }
    :: written == TABLES -> break
    od
}

/* The refresh takes events and asks for blocks. */
proctype refresh()
{
    byte r;

end_waiting:
    do
    :: atomic { events > 0 ->
        events--;
        step(IN_EVENT);
        if
        :: state == READING -> begin_reading()
        :: else
        fi }
    :: atomic { state == READING && next < BLOCKS && (!out[0] || !out[1]) ->
        r = (out[0] -> 1 : 0);
        out[r] = true;
        current[r] = true;
        out_block[r] = next;
        next++;
        r = 0 }
    :: atomic { state == WAITING -> step(IN_DUE); begin_reading() }
    od
}

/* One read on its way: the port answers at some time, the answer arrives later, or never. */
proctype wire(byte r)
{
end_waiting:
    do
    :: atomic { out[r] && !out_asked[r] ->
        out_value[r] = port[out_block[r]];
        out_asked[r] = true }
    :: atomic { out[r] && out_asked[r] -> arrived(r); drop(r) }
    :: atomic { out[r] && failures < FAILURES -> failures++; failed(r); drop(r) }
    od
}

/* A client looks up what has changed, before it is told or after. */
proctype client()
{
end_waiting:
    do
    :: atomic { filled && cached[0] != seen ->
        assert(untold && cached[0] > seen);
        seen = cached[0] }
    :: atomic { untold ->
        untold = false;
        assert(filled && cached[0] >= seen);
        seen = cached[0] }
    od
}

/* When all is calm: no event, no read, nothing to be told. */
proctype calm()
{
    timeout;
    assert(state == IDLE);
    assert(cached[0] == TABLES && cached[1] == TABLES);
    assert(filled && !untold)
}

init
{
    atomic {
        fill_table();
        state = IDLE;
        step(IN_EVENT);
        begin_reading();
        run manager();
        run refresh();
        run wire(0);
        run wire(1);
        run client();
        run calm()
    }
}
