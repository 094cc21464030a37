/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends of one agent, around the table of the engine: client, host, wire, timers and the agent's
 * removal as processes that act in any order. What is checked: no input meets a NEVER cell; the
 * outstanding sends stay within the limit; an answer is delivered once and before its SEND_DONE;
 * each send has exactly one SEND_DONE, and when nothing more can happen all of them have had it
 * (R4 R8 R18 R20 R21 R22 R41 R49).
 *
 * A send is one of five kinds. Two sends share a limit of one, so that they meet in the backlog.
 * Time is abstract: an armed timer may fire at any moment. */
#include "send_fsm_table.pml"

#define SENDS 2
#define LIMIT 1
#define SEGMENTS 2

#define PLAIN 0    /* expects an answer, counts against the limit */
#define ONE_WAY 1  /* expects none, does not count */
#define RMPP 2     /* in segments, expects an answer, counts (as with the port's budget) */
#define REPORT 3   /* in segments, expects none: the last ACK ends it */
#define DIRECTED 4 /* a directed-route SMP to the own node */

byte state[SENDS], kind[SENDS], retries[SENDS];
bool due[SENDS], held[SENDS];  /* its packet waits for the host, is with it */
bool armed[SENDS];             /* its timer */
byte answers[SENDS];           /* answers that may still arrive */
byte sent[SENDS], acked[SENDS], granted[SENDS];
byte received[SENDS], done[SENDS]; /* events of each kind that were put into the event queue */
bool reported[SENDS];              /* the SEND_DONE was taken out: the send is gone */
byte outstanding;
bool removed, calm;
byte posted;
byte backlog[SENDS], queued; /* the backlog, in order, and its length */

hidden byte result; /* what the cell of the last step says */

#define counts(i) (kind[i] == PLAIN || kind[i] == RMPP)
#define segmented(i) (kind[i] == RMPP || kind[i] == REPORT)
#define is_outstanding(i) (state[i] == SEND_START || state[i] == WAIT_RESP)

/* The one function that changes a state. */
inline step(i, input)
{
    result = cell[(input) * STATES + state[i]];
    assert(result != NEVER);
    if
    :: result >= STAY
    :: else ->
        outstanding = outstanding - (counts(i) && is_outstanding(i));
        state[i] = result;
        outstanding = outstanding + (counts(i) && is_outstanding(i));
        assert(outstanding <= LIMIT)
    fi
}

inline enqueue(i)
{
    backlog[queued] = i;
    queued++
}

/* Takes a send off the backlog, if it is there. */
inline leave(i)
{
    if
    :: queued > 0 && backlog[0] == i ->
        backlog[0] = backlog[1];
        backlog[1] = 0;
        queued--
    :: queued > 1 && backlog[1] == i ->
        backlog[1] = 0;
        queued--
    :: else
    fi
}

/* Something became free: those who wait go, in their order. */
inline release()
{
    do
    :: !removed && queued > 0 && outstanding < LIMIT ->
        j = backlog[0];
        leave(j);
        step(j, IN_RELEASE);
        due[j] = true
    :: else -> break
    od
}

inline finish(i, input)
{
    step(i, input);
    if
    :: result == DONE ->
        armed[i] = false;
        leave(i);
        done[i]++;
        assert(done[i] == 1);
        release()
    :: else
    fi
}

/* The packet came back, as `input` says for a send in SEND_START. */
inline completed(i, input)
{
    held[i] = false;
    if
    :: state[i] != SEND_START -> finish(i, input)
    :: else ->
        if
        :: input == IN_SENT_AWAIT -> step(i, IN_SENT_AWAIT); armed[i] = true
        :: input == IN_SENT_MORE -> step(i, IN_SENT_MORE); due[i] = true
        :: else -> finish(i, input)
        fi
    fi
}

inline deliver(i)
{
    received[i]++;
    assert(received[i] == 1 && done[i] == 0)
}

inline answered(i)
{
    if
    :: cell[IN_RESPONSE * STATES + state[i]] < STAY ->
        deliver(i);
        if
        :: state[i] == SEND_START -> step(i, IN_RESPONSE); release()
        :: else -> finish(i, IN_RESPONSE)
        fi
    :: else
    fi
}

inline post(i)
{
    if
    :: kind[i] == DIRECTED -> step(i, IN_POST_LOCAL)
    :: counts(i) && (queued > 0 || outstanding >= LIMIT) ->
        step(i, IN_POST_QUEUED);
        enqueue(i)
    :: else -> step(i, IN_POST); due[i] = true
    fi
}

inline cancel(i)
{
    armed[i] = armed[i] || state[i] == QUEUED;
    step(i, IN_CANCEL);
    leave(i);
    release()
}

inline remove_send(i)
{
    if
    :: state[i] == INIT
    :: state[i] == CANCELED && armed[i] -> finish(i, IN_CANCEL_DUE)
    :: else -> finish(i, IN_REMOVE)
    fi
}

proctype client()
{
    byte i, j;

end_waiting:
    do
    :: atomic { !calm && !removed && posted < SENDS ->
        i = posted;
        posted++;
        if
        :: kind[i] = PLAIN
        :: kind[i] = ONE_WAY
        :: kind[i] = RMPP
        :: kind[i] = REPORT
        :: kind[i] = DIRECTED
        fi;
        retries[i] = 1;
        granted[i] = 1;
        post(i);
        i = 0; j = 0 }
    :: atomic { !calm ->
        select(i : 0 .. SENDS - 1);
        if
        :: state[i] != INIT && !reported[i] && cell[IN_CANCEL * STATES + state[i]] < STAY ->
            cancel(i)
        :: else
        fi;
        i = 0; j = 0 }
    :: atomic { !calm ->
        select(i : 0 .. SENDS - 1);
        if
        :: state[i] != INIT && !reported[i] && (counts(i) || kind[i] == DIRECTED) ->
            step(i, IN_MODIFY)
        :: else
        fi;
        i = 0 }
    :: atomic { !calm && !removed ->
        removed = true;
        remove_send(0);
        remove_send(1);
        j = 0 }
    :: !calm -> calm = true
    od
}

/* The client takes SEND_DONE out of the event queue: the send is gone. */
proctype reader(byte i)
{
end_waiting:
    do
    :: atomic { done[i] == 1 && !reported[i] ->
        reported[i] = true;
        assert(state[i] == DONE && !due[i] && !held[i]) }
    od
}

proctype host(byte i)
{
    byte j;

end_waiting:
    do
    :: atomic { due[i] ->
        due[i] = false;
        if
        :: state[i] == SEND_START ->
            held[i] = true;
            answers[i] = (kind[i] == ONE_WAY -> 0 : 2);
            sent[i] = (segmented(i) && sent[i] < SEGMENTS -> sent[i] + 1 : sent[i])
        :: else -> finish(i, IN_SKIPPED)
        fi;
        j = 0 }
    :: atomic { held[i] ->
        if
        :: completed(i, IN_SENT_ERROR)
        :: kind[i] == PLAIN -> completed(i, IN_SENT_AWAIT)
        :: kind[i] == ONE_WAY -> completed(i, IN_SENT_LAST)
        :: segmented(i) && sent[i] < granted[i] -> completed(i, IN_SENT_MORE)
        :: segmented(i) && sent[i] >= granted[i] -> completed(i, IN_SENT_AWAIT)
        fi;
        j = 0 }
    :: atomic { state[i] == LOCAL ->
        if
        :: deliver(i)
        :: skip
        fi;
        finish(i, IN_LOCAL_DONE);
        j = 0 }
    od
}

/* Answers come early, late, twice or not at all. */
proctype wire(byte i)
{
    byte j;

end_waiting:
    do
    :: atomic { counts(i) && answers[i] > 0 -> answers[i]--; answered(i); j = 0 }
    :: atomic { counts(i) && answers[i] > 0 -> answers[i]--; step(i, IN_BUSY) }
    :: answers[i] > 0 -> answers[i]--
    :: atomic { segmented(i) && answers[i] > 0 && acked[i] < sent[i] ->
        if
        :: state[i] != SEND_START && state[i] != WAIT_RESP
        :: else ->
            acked[i] = sent[i];
            granted[i] = SEGMENTS;
            retries[i] = 1;
            if
            :: acked[i] == SEGMENTS && kind[i] == RMPP -> step(i, IN_ACK)
            :: acked[i] == SEGMENTS && kind[i] == REPORT && state[i] == SEND_START ->
                step(i, IN_ACK_FINAL);
                release()
            :: acked[i] == SEGMENTS && kind[i] == REPORT && state[i] == WAIT_RESP ->
                finish(i, IN_ACK_FINAL)
            :: else ->
                step(i, IN_ACK_MORE);
                if
                :: result == SEND_START -> armed[i] = false; due[i] = true
                :: else
                fi
            fi
        fi;
        j = 0 }
    :: atomic { segmented(i) && answers[i] > 0 ->
        answers[i] = 0;
        if
        :: state[i] == SEND_START -> step(i, IN_RMPP_FAIL); release()
        :: state[i] != SEND_START && !reported[i] -> finish(i, IN_RMPP_FAIL)
        :: else
        fi;
        j = 0 }
    od
}

proctype timer(byte i)
{
    byte j;

end_waiting:
    do
    :: atomic { armed[i] && state[i] == CANCELED -> finish(i, IN_CANCEL_DUE); j = 0 }
    :: atomic { armed[i] && state[i] == WAIT_RESP ->
        armed[i] = false;
        if
        :: retries[i] == 0 || acked[i] == SEGMENTS -> finish(i, IN_TIMEOUT)
        :: else ->
            retries[i]--;
            sent[i] = acked[i];
            if
            :: segmented(i) || queued == 0 -> step(i, IN_RETRY); due[i] = true
            :: else ->
                step(i, IN_RETRY_QUEUED);
                release();
                enqueue(i);
                release()
            fi
        fi;
        j = 0 }
    :: atomic { state[i] == QUEUED -> finish(i, IN_QUEUE_DUE); j = 0 }
    od
}

/* Nothing can happen any more: then everything must be over. */
proctype verdict()
{
    timeout ->
    assert(calm && outstanding == 0 && queued == 0);
    assert((state[0] == INIT || reported[0]) && (state[1] == INIT || reported[1]))
}

init
{
    byte i;

    d_step { fill_table() }
    atomic {
        run client();
        for (i : 0 .. SENDS - 1) {
            run host(i);
            run wire(i);
            run timer(i);
            run reader(i)
        }
        i = 0;
        run verdict()
    }
}
