/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The facade's lock, condition and worker around one id that has a callback: two client threads
 * connect, disconnect and destroy it, a worker brings what the network says and runs callbacks,
 * which disconnect, try to destroy, and return nonzero or not. The core is its events: each comes
 * from one of its states. What is checked: no deadlock; the last event comes exactly once, after
 * which the id is freed exactly once and touched by nobody; one destroy returns 0; no callback
 * runs or begins after that; destroying in a callback is refused (R119 R123 R133 R134 R135 R136).
 *
 * What a thread does between taking and releasing the lock is one step: nobody can look. */

mtype = { DONE, REPLY, CLOSED, GONE }

#define CLIENTS 2

/* The core: its state, and its events that nobody has taken. */
#define IDLE 0
#define SENT 1
#define ESTABLISHED 2
#define CLOSING 3
#define DESTROYING 4
byte core;
bool held;                      /* the provider has a connection */
bool owed;                      /* it has not said how a call ended */
chan core_events = [4] of { mtype };

/* The facade. */
bool locked;
bool asleep[CLIENTS];           /* in the condition */
bool waiting, woken;            /* the worker is in its loop; somebody has called it */
chan events = [4] of { mtype }; /* of the id, for its callback */
bool ready;                     /* the id is on the worker's list */
bool given_up, gone, freed;
byte running, visitors;
byte begun, done;               /* calls of the core and their ends */

/* What the clients know. */
bool destroyed;                 /* a blocking destroy has returned 0 */
byte givers;                    /* who gave the id up */

hidden mtype event;

inline lock()
{
    atomic { !locked -> locked = true }
}

inline unlock()
{
    locked = false
}

inline changed()
{
    asleep[0] = false;
    asleep[1] = false
}

inline sleep(me)
{
    asleep[me] = true;
    locked = false;
    atomic { !asleep[me] && !locked -> locked = true }
}

inline touch()
{
    assert(locked && !freed)
}

inline free_if_left()
{
    if
    :: gone && running == 0 && visitors == 0 ->
        assert(!freed);
        freed = true
    :: else
    fi
}

inline take()
{
    if
    :: event == DONE -> done++; changed()
    :: event == GONE ->
        assert(!gone && given_up);
        gone = true;
        changed();
        free_if_left()
    :: else ->
        if
        :: given_up
        :: else -> events!event; ready = true
        fi
    fi
}

/* Takes the core's events; the worker is woken for a callback. */
inline settle()
{
    do
    :: nempty(core_events) -> core_events?event; take()
    :: empty(core_events) -> break
    od;
    if
    :: ready && waiting -> woken = true
    :: else
    fi
}

inline drop(queue)
{
    do
    :: nempty(queue) -> queue?_
    :: empty(queue) -> break
    od
}

inline core_destroy()
{
    assert(core != DESTROYING);
    drop(core_events);
    core = DESTROYING;
    owed = false;
    if
    :: held
    :: else -> core_events!GONE
    fi
}

inline give_up()
{
    touch();
    given_up = true;
    givers++;
    drop(events);
    ready = false;
    core_destroy();
    changed()
}

/* The reply may be there before the call has returned. */
inline core_connect()
{
    begun++;
    if
    :: true -> core_events!DONE
    :: true -> owed = true
    fi;
    if
    :: true -> held = true; core = SENT
    :: true -> core_events!REPLY
    fi
}

inline core_disconnect()
{
    if
    :: core == ESTABLISHED -> core = CLOSING
    :: else
    fi
}

/* What the worker reads from a socket. */
inline network()
{
    if
    :: owed -> owed = false; core_events!DONE
    :: core == SENT -> core = ESTABLISHED; core_events!REPLY
    :: core == SENT -> core = IDLE; held = false; core_events!REPLY
    :: core == ESTABLISHED || core == CLOSING -> core = IDLE; held = false; core_events!CLOSED
    :: core == DESTROYING -> held = false; core_events!GONE
    fi
}

/* A call that waits for the core's end of it. */
inline call_done(me)
{
    ticket = begun;
    visitors++;
    settle();
    do
    :: done >= ticket || given_up -> break
    :: else -> sleep(me); touch()
    od;
    visitors--;
    free_if_left()
}

inline destroy(me)
{
    if
    :: freed
    :: else ->
        second = given_up;
        if
        :: second
        :: else -> give_up()
        fi;
        visitors++;
        settle();
        do
        :: gone && running == 0 -> break
        :: else -> sleep(me); touch()
        od;
        visitors--;
        free_if_left();
        if
        :: second
        :: else -> assert(!destroyed); destroyed = true
        fi
    fi
}

inline destroy_later()
{
    if
    :: freed || given_up
    :: else -> give_up(); settle()
    fi
}

proctype connecting(byte me)
{
    byte ticket;
    bool second;

    lock();
    atomic {
        if
        :: freed || given_up
        :: else -> core_connect(); call_done(me)
        fi;
        unlock()
    }
    lock();
    atomic {
        if
        :: freed || given_up || core == SENT
        :: else ->
            core_disconnect();
            begun++;
            core_events!DONE;
            call_done(me)
        fi;
        unlock()
    }
    lock();
    atomic {
        if
        :: true -> destroy(me)
        :: true
        fi;
        unlock()
    }
}

proctype destroying(byte me)
{
    bool second;

    lock();
    atomic {
        if
        :: true -> destroy(me)
        :: true -> destroy_later()
        :: true
        fi;
        unlock()
    }
}

/* The worker takes the lock back for good when something has happened. */
proctype worker()
{
    bool verdict, late;

    do
    :: atomic { !locked && !waiting ->
        locked = true;
        settle();
        waiting = !ready;
        if
        :: ready ->
            touch();
            events?event;
            ready = nempty(events);
            running++
        :: else
        fi;
        unlock() };
        if
        :: waiting ->
end_waiting:
            atomic {
                if
                :: woken -> woken = false
                :: held || owed -> late = true
                fi
            };
            atomic { !locked ->
                waiting = false;
                if
                :: late && (held || owed) -> network()
                :: else
                fi;
                late = false
            }
        :: else ->
            /* the callback: the lock is free */
            assert(!destroyed && running == 1);
            skip; /* to destroy is refused */
            if
            :: atomic { !locked ->
                locked = true;
                if
                :: freed || given_up || core == SENT
                :: else -> core_disconnect(); settle()
                fi;
                unlock() }
            :: true
            fi;
            if
            :: verdict = true
            :: verdict = false
            fi;
            assert(!destroyed);
            atomic { !locked ->
                locked = true;
                touch();
                running--;
                if
                :: verdict && !given_up -> give_up()
                :: else
                fi;
                verdict = false;
                changed();
                free_if_left();
                unlock()
            }
        fi
    od
}

/* When all is calm. */
proctype calm()
{
    timeout;
    assert(gone == given_up && freed == given_up);
    assert(givers <= 1 && running == 0 && visitors == 0);
    assert(!ready && empty(events) && empty(core_events));
    assert(!destroyed || given_up)
}

init
{
    atomic {
        run connecting(0);
        run destroying(1);
        run worker();
        run calm()
    }
}
