/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One id of the connection manager between a client and a provider, around the machine's table. It
 * is made by the client and connects, or by a peer's request and is accepted, rejected, or loses
 * its listener before anybody has polled it. Client and provider do in any order what they may.
 * What is checked: nothing that the provider may say by its own account meets a VIOLATION, what it
 * has follows from the state, references are those of their holders; after destroy the client hears
 * GONE and nothing else; when nothing more happens the id is gone, with one GONE if the client knew
 * it, and the QP is free (R106 R107 R109 R110). */
#include "iwcm_fsm_table.pml"

#define CONNECTS 2
#define DISCONNECTS 2

#define NO_CMD 0
#define CMD_CONNECT 1
#define CMD_ACCEPT 2
#define CMD_REJECT 3
#define CMD_CLOSE 4
#define CMD_ABORT 5

#define NOTHING 0
#define REQUEST 1
#define CONNECTING 2
#define ACCEPTING 3
#define CONNECTION 4

#define NOT 0
#define ORDERLY 1
#define ABRUPT 2

#define EV_DONE 1
#define EV_REQUEST 2
#define EV_REPLY 3
#define EV_ESTABLISHED 4
#define EV_CLOSED 5
#define EV_GONE 6

/* The manager's. */
byte state, busy, hold, told, end, refs;
bool taken, bound, known;
chan events = [12] of { byte };

/* The client's account. */
byte connects, disconnects, ups, attempts, gone;
bool destroyed;

/* The provider's account. */
byte has, cmd;
bool aborted, disconnected;

hidden byte result, dropped;

/* The one function that changes the state. */
inline step(input)
{
    result = cell[(input) * STATES + state];
    assert(result != VIOLATION && result != REFUSE);
    if
    :: result >= STAY
    :: else -> state = result
    fi
}

#define MAY(input) (known && cell[(input) * STATES + state] != REFUSE)

inline unref()
{
    assert(refs > 0);
    refs--;
    if
    :: refs == 0 && known -> assert(empty(events)); events!EV_GONE
    :: else
    fi
}

inline give(type)
{
    assert(busy == NO_CMD);
    busy = type;
    taken = false;
    refs++
}

inline withdraw()
{
    busy = NO_CMD;
    unref()
}

inline begin_hold(what)
{
    if
    :: hold == NOTHING -> refs++
    :: else
    fi;
    hold = what;
    if
    :: busy != NO_CMD && !taken
    :: else -> told = NOT
    fi
}

inline end_hold()
{
    if
    :: busy != NO_CMD && !taken -> withdraw()
    :: else
    fi;
    bound = false;
    told = NOT;
    end = NOT;
    hold = NOTHING;
    unref()
}

/* The command that ends what the provider has, if one is due and nothing is in its way. */
inline decide()
{
    result = (state == DESTROYING -> ABRUPT : (state == CLOSING -> end : NOT));
    if
    :: busy != NO_CMD || hold == NOTHING || result <= told
    :: else ->
        told = result;
        if
        :: hold == REQUEST -> give(CMD_REJECT)
        :: hold != REQUEST && result == ABRUPT -> give(CMD_ABORT)
        :: else -> give(CMD_CLOSE)
        fi
    fi
}

inline done()
{
    if
    :: state == DESTROYING
    :: else -> events!EV_DONE
    fi
}

inline audit()
{
    assert(refs == (state != DESTROYING) + (busy != NO_CMD) + (hold != NOTHING));
    assert(hold == CONNECTION || (state != ESTABLISHED && state != CLOSING));
    assert(hold == NOTHING || state != IDLE || (busy == CMD_REJECT && !taken));
    assert(state != CONN_SENT || hold == CONNECTING || (busy == CMD_CONNECT && !taken));
    assert(state != CONN_RECV || hold == REQUEST || hold == ACCEPTING);
    assert(bound == (hold >= CONNECTING ||
                     (!taken && (busy == CMD_CONNECT || busy == CMD_ACCEPT))));
    assert(destroyed == (state == DESTROYING));
    assert(hold == has)
}

inline give_up()
{
    destroyed = true;
    step(IN_DESTROY);
    do
    :: nempty(events) -> events?dropped
    :: empty(events) -> break
    od;
    if
    :: busy != NO_CMD && !taken && busy != CMD_REJECT && busy != CMD_ABORT ->
        if
        :: busy == CMD_CONNECT || busy == CMD_ACCEPT -> bound = false
        :: else
        fi;
        told = NOT;
        withdraw()
    :: else
    fi;
    decide();
    unref()
}

inline disconnect(how)
{
    disconnects++;
    step(IN_DISCONNECT);
    assert(hold != CONNECTION || state == CLOSING);
    if
    :: result < STAY -> end = how; decide()
    :: result >= STAY && state == CLOSING && how == ABRUPT && end != ABRUPT ->
        if
        :: end > told -> events!EV_DONE
        :: else
        fi;
        end = ABRUPT;
        decide()
    :: else -> events!EV_DONE
    fi
}

inline hear(event)
{
    assert(gone == 0);
    assert(!destroyed || event == EV_GONE);
    if
    :: event == EV_REQUEST -> known = true
    :: event == EV_REPLY -> assert(attempts > 0); attempts--
    :: event == EV_CLOSED -> assert(ups > 0); ups--
    :: event == EV_GONE -> assert(destroyed && refs == 0); gone++
    :: else
    fi
}

/* The answer to the command that the provider has taken. */
inline answer(ok)
{
    if
    :: cmd == CMD_CONNECT && ok -> step(IN_CONNECT_TAKEN)
    :: cmd == CMD_CONNECT && !ok -> step(IN_CONNECT_FAILED)
    :: cmd == CMD_ACCEPT && ok -> step(IN_ACCEPT_TAKEN)
    :: cmd == CMD_ACCEPT && !ok -> step(IN_ACCEPT_FAILED)
    :: cmd == CMD_REJECT -> step(IN_REJECT_DONE)
    :: else -> step(IN_END_DONE)
    fi;
    if
    :: cmd >= CMD_CLOSE && hold == NOTHING
    :: else -> done()
    fi;
    if
    :: !ok && cmd == CMD_CONNECT && !destroyed -> attempts--
    :: else
    fi;
    busy = NO_CMD;
    if
    :: ok -> skip
    :: else -> has = NOTHING; end_hold()
    fi;
    cmd = NO_CMD;
    decide();
    unref()
}

inline closed()
{
    if
    :: state == DESTROYING
    :: else ->
        if
        :: busy >= CMD_CLOSE -> events!EV_DONE
        :: else
        fi;
        if
        :: end > told -> events!EV_DONE
        :: else
        fi;
        events!EV_CLOSED
    fi;
    step(IN_UP_CLOSE);
    end_hold()
}

inline is_up(event, input)
{
    step(input);
    begin_hold(CONNECTION);
    has = CONNECTION;
    if
    :: state == DESTROYING
    :: else -> events!event; ups++
    fi;
    decide()
}

proctype client()
{
    byte event;

end_waiting:
    do
    :: atomic { nempty(events) -> events?event; hear(event); event = 0 }
    :: atomic { connects < CONNECTS && MAY(IN_CONNECT) && busy == NO_CMD && hold == NOTHING &&
                empty(events) ->
        connects++;
        attempts++;
        step(IN_CONNECT);
        bound = true;
        give(CMD_CONNECT);
        audit() }
    :: atomic { MAY(IN_ACCEPT) && busy == NO_CMD && hold == REQUEST ->
        step(IN_ACCEPT);
        bound = true;
        give(CMD_ACCEPT);
        audit() }
    :: atomic { MAY(IN_REJECT) && busy == NO_CMD && hold == REQUEST ->
        step(IN_REJECT);
        told = ABRUPT;
        give(CMD_REJECT);
        audit() }
    :: atomic { disconnects < DISCONNECTS && MAY(IN_DISCONNECT) -> disconnect(ORDERLY); audit() }
    :: atomic { disconnects < DISCONNECTS && MAY(IN_DISCONNECT) -> disconnect(ABRUPT); audit() }
    :: atomic { MAY(IN_DESTROY) -> give_up(); audit() }
    od
}

/* The listener of a request that nobody has polled may be destroyed. */
proctype listener()
{
end_waiting:
    do
    :: atomic { !known && !destroyed -> give_up(); audit() }
    od
}

proctype provider()
{
end_waiting:
    do
    :: atomic { busy != NO_CMD && !taken ->
        assert(cmd == NO_CMD);
        cmd = busy;
        taken = true;
        aborted = (cmd == CMD_ABORT);
        if
        :: cmd == CMD_CONNECT -> assert(has == NOTHING); has = CONNECTING; begin_hold(CONNECTING)
        :: cmd == CMD_ACCEPT -> assert(has == REQUEST); has = ACCEPTING; begin_hold(ACCEPTING)
        :: cmd == CMD_REJECT -> assert(has == REQUEST); has = NOTHING; end_hold()
        :: cmd == CMD_CLOSE -> assert(has == CONNECTION)
        :: cmd == CMD_ABORT -> assert(has >= CONNECTING)
        fi;
        audit() }
    :: atomic { cmd != NO_CMD -> answer(true); audit() }
    :: atomic { (cmd == CMD_CONNECT && has == CONNECTING) ||
                (cmd == CMD_ACCEPT && has == ACCEPTING) -> answer(false); audit() }
    :: atomic { has == CONNECTING -> is_up(EV_REPLY, IN_UP_REPLY_OK); audit() }
    :: atomic { has == CONNECTING ->
        if
        :: state == DESTROYING
        :: else -> events!EV_REPLY
        fi;
        step(IN_UP_REPLY_FAILED);
        has = NOTHING;
        end_hold();
        audit() }
    :: atomic { has == ACCEPTING -> is_up(EV_ESTABLISHED, IN_UP_ESTABLISHED); audit() }
    :: atomic { has != NOTHING && !disconnected ->
        disconnected = true;
        step(IN_UP_DISCONNECT);
        audit() }
    :: atomic { has == CONNECTION || (has == ACCEPTING && aborted) ->
        has = NOTHING;
        closed();
        audit() }
    od
}

/* When nothing more happens. */
proctype calm()
{
    timeout;
    assert(destroyed && refs == 0 && empty(events));
    assert(hold == NOTHING && busy == NO_CMD && !bound);
    assert(gone == known)
}

init
{
    atomic {
        fill_table();
        refs = 1;
        if
        :: state = IDLE; known = true
        :: state = CONN_RECV; has = REQUEST; begin_hold(REQUEST); events!EV_REQUEST
        fi;
        run client();
        run listener();
        run provider();
        run calm()
    }
}
