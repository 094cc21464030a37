/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every cell of the connection manager's machine, written down once more: compared with the table,
 * and walked through the public calls with a provider that says everything everywhere. */
#include "core/iwcm/iwcm_fsm.h"
#include "iwcm_fixture.h"

#include <string.h>

enum cell {
    IDLE = WEFT_IWCM_IDLE,
    LISTEN = WEFT_IWCM_LISTEN,
    SENT = WEFT_IWCM_CONN_SENT,
    ESTD = WEFT_IWCM_ESTABLISHED,
    CLOS = WEFT_IWCM_CLOSING,
    DEST = WEFT_IWCM_DESTROYING,
    STAY = 100,
    IGN,  /* no effect */
    REF,  /* the client may not */
    ____, /* the provider may not */
};

static const struct {
    enum iwcm_input input;
    enum cell cells[WEFT_IWCM_STATES];
} wanted[] = {
    /*                       IDLE  LISTEN RECV  SENT  ESTD  CLOS  DEST */
    {IWCM_IN_CONNECT, {SENT, REF, REF, REF, REF, REF, REF}},
    {IWCM_IN_LISTEN, {LISTEN, REF, REF, REF, REF, REF, REF}},
    {IWCM_IN_ACCEPT, {REF, REF, STAY, REF, REF, REF, REF}},
    {IWCM_IN_REJECT, {REF, REF, IDLE, REF, REF, REF, REF}},
    {IWCM_IN_DISCONNECT, {STAY, REF, REF, REF, CLOS, STAY, REF}},
    {IWCM_IN_DESTROY, {DEST, DEST, DEST, DEST, DEST, DEST, REF}},
    {IWCM_IN_CONNECT_TAKEN, {STAY, ____, ____, STAY, STAY, STAY, STAY}},
    {IWCM_IN_CONNECT_FAILED, {____, ____, ____, IDLE, ____, ____, STAY}},
    {IWCM_IN_LISTEN_TAKEN, {____, STAY, ____, ____, ____, ____, STAY}},
    {IWCM_IN_LISTEN_FAILED, {____, IDLE, ____, ____, ____, ____, STAY}},
    {IWCM_IN_ACCEPT_TAKEN, {STAY, ____, STAY, ____, STAY, STAY, STAY}},
    {IWCM_IN_ACCEPT_FAILED, {____, ____, IDLE, ____, ____, ____, STAY}},
    {IWCM_IN_REJECT_DONE, {STAY, ____, ____, ____, ____, ____, STAY}},
    {IWCM_IN_UNLISTEN_DONE, {____, ____, ____, ____, ____, ____, STAY}},
    {IWCM_IN_END_DONE, {STAY, ____, ____, ____, ____, STAY, STAY}},
    {IWCM_IN_UP_REQUEST, {____, STAY, ____, ____, ____, ____, IGN}},
    {IWCM_IN_UP_REPLY_OK, {____, ____, ____, ESTD, ____, ____, STAY}},
    {IWCM_IN_UP_REPLY_FAILED, {____, ____, ____, IDLE, ____, ____, STAY}},
    {IWCM_IN_UP_ESTABLISHED, {____, ____, ESTD, ____, ____, ____, STAY}},
    {IWCM_IN_UP_DISCONNECT, {IGN, IGN, IGN, IGN, CLOS, IGN, IGN}},
    {IWCM_IN_UP_CLOSE, {____, ____, ____, ____, IDLE, IDLE, STAY}},
};

static void test_R110_every_cell_is_as_written_down(void **state)
{
    static const enum cell verdicts[] = {
        [IWCM_STAY] = STAY, [IWCM_IGNORE] = IGN, [IWCM_REFUSE] = REF, [IWCM_VIOLATION] = ____};

    (void)state;
    assert_int_equal(COUNT(wanted), IWCM_INPUTS);
    for (uint32_t i = 0; i < COUNT(wanted); i++) {
        for (uint32_t s = 0; s < WEFT_IWCM_STATES; s++) {
            enum weft_iwcm_state from = (enum weft_iwcm_state)s;
            struct iwcm_cell cell = iwcm_fsm_cell(from, wanted[i].input);
            enum cell got = cell.verdict == IWCM_TO ? (enum cell)cell.next : verdicts[cell.verdict];

            if (got != wanted[i].cells[s])
                fail_msg("%s in %s", iwcm_input_name(wanted[i].input), weft_iwcm_state_name(from));
            if (cell.verdict != IWCM_TO)
                assert_int_equal(cell.next, from);
        }
    }
}

/* What a command needs to be taken and not answered when the input comes. */
static enum weft_iwcm_cmd_type pending(enum iwcm_input input)
{
    static const struct {
        enum iwcm_input input;
        enum weft_iwcm_cmd_type cmd;
    } of[] = {
        {IWCM_IN_CONNECT_TAKEN, WEFT_IWCM_CMD_CONNECT},
        {IWCM_IN_CONNECT_FAILED, WEFT_IWCM_CMD_CONNECT},
        {IWCM_IN_LISTEN_TAKEN, WEFT_IWCM_CMD_LISTEN},
        {IWCM_IN_LISTEN_FAILED, WEFT_IWCM_CMD_LISTEN},
        {IWCM_IN_ACCEPT_TAKEN, WEFT_IWCM_CMD_ACCEPT},
        {IWCM_IN_ACCEPT_FAILED, WEFT_IWCM_CMD_ACCEPT},
        {IWCM_IN_REJECT_DONE, WEFT_IWCM_CMD_REJECT},
        {IWCM_IN_UNLISTEN_DONE, WEFT_IWCM_CMD_UNLISTEN},
        {IWCM_IN_END_DONE, WEFT_IWCM_CMD_CLOSE},
    };

    for (uint32_t i = 0; i < COUNT(of); i++) {
        if (of[i].input == input)
            return of[i].cmd;
    }
    return WEFT_IWCM_CMDS;
}

static weft_iwcm_id passive(struct cx *x)
{
    return cx_child(x, cx_listener(x));
}

/* Connects or accepts, up to the provider's having taken it; answers unless that is awaited. */
static weft_iwcm_id begin(struct cx *x, enum weft_iwcm_cmd_type awaited, bool accepts)
{
    weft_iwcm_id id = accepts ? passive(x) : cx_id(x);
    enum weft_iwcm_cmd_type type = accepts ? WEFT_IWCM_CMD_ACCEPT : WEFT_IWCM_CMD_CONNECT;

    if (accepts)
        cx_accept(x, id, 1);
    else
        cx_connect(x, id, 1);
    (void)cx_take(x, id, type);
    if (awaited != type)
        cx_answer(x, id, WEFT_IWCM_OK);
    return id;
}

static weft_iwcm_id up(struct cx *x, enum weft_iwcm_cmd_type awaited)
{
    bool accepts = awaited == WEFT_IWCM_CMD_ACCEPT;
    weft_iwcm_id id = begin(x, awaited, accepts);

    cx_up(x, id, accepts ? WEFT_IWCM_UP_ESTABLISHED : WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    return id;
}

static weft_iwcm_id closing(struct cx *x, enum weft_iwcm_cmd_type awaited)
{
    weft_iwcm_id id = up(x, awaited);

    cx_disconnect(x, id, false);
    if (awaited == WEFT_IWCM_CMD_CLOSE)
        (void)cx_take(x, id, WEFT_IWCM_CMD_CLOSE);
    return id;
}

static weft_iwcm_id idle(struct cx *x, enum iwcm_input input)
{
    enum weft_iwcm_cmd_type awaited = pending(input);
    weft_iwcm_id id;

    if (awaited == WEFT_IWCM_CMD_REJECT || input == IWCM_IN_UP_DISCONNECT) {
        id = passive(x);
        cx_reject(x, id);
        if (awaited == WEFT_IWCM_CMD_REJECT)
            (void)cx_take(x, id, WEFT_IWCM_CMD_REJECT);
        return id;
    }
    if (awaited == WEFT_IWCM_CMDS || awaited == WEFT_IWCM_CMD_LISTEN ||
        awaited == WEFT_IWCM_CMD_UNLISTEN)
        return cx_id(x);
    id = awaited == WEFT_IWCM_CMD_CLOSE ? closing(x, awaited) : up(x, awaited);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    return id;
}

static weft_iwcm_id listening(struct cx *x, enum iwcm_input input)
{
    weft_iwcm_id id = cx_id(x);

    cx_listen(x, id);
    (void)cx_take(x, id, WEFT_IWCM_CMD_LISTEN);
    if (pending(input) != WEFT_IWCM_CMD_LISTEN)
        cx_answer(x, id, WEFT_IWCM_OK);
    return id;
}

/* What the input is about, then destroyed. */
static weft_iwcm_id destroying(struct cx *x, enum iwcm_input input)
{
    enum weft_iwcm_cmd_type awaited = pending(input);
    weft_iwcm_id id;

    if (input == IWCM_IN_UP_REQUEST || awaited == WEFT_IWCM_CMD_LISTEN ||
        awaited == WEFT_IWCM_CMD_UNLISTEN)
        id = listening(x, input);
    else if (awaited == WEFT_IWCM_CMD_REJECT)
        id = passive(x);
    else if (awaited == WEFT_IWCM_CMD_CLOSE || input == IWCM_IN_UP_CLOSE)
        id = closing(x, awaited);
    else
        id = begin(x, awaited, awaited == WEFT_IWCM_CMD_ACCEPT || input == IWCM_IN_UP_ESTABLISHED);
    cx_destroy(x, id);
    if (awaited == WEFT_IWCM_CMD_UNLISTEN || awaited == WEFT_IWCM_CMD_REJECT)
        (void)cx_take(x, id, awaited);
    return id;
}

/* An id in a state, by the ways that users and providers have, so that the input is about it. */
static weft_iwcm_id reach(struct cx *x, enum weft_iwcm_state state, enum iwcm_input input)
{
    enum weft_iwcm_cmd_type awaited = pending(input);

    switch (state) {
    case WEFT_IWCM_IDLE:
        return idle(x, input);
    case WEFT_IWCM_LISTEN:
        return listening(x, input);
    case WEFT_IWCM_CONN_RECV:
        if (awaited == WEFT_IWCM_CMD_ACCEPT || input == IWCM_IN_UP_ESTABLISHED)
            return begin(x, awaited, true);
        return passive(x);
    case WEFT_IWCM_CONN_SENT:
        return begin(x, awaited, false);
    case WEFT_IWCM_ESTABLISHED:
        return up(x, awaited);
    case WEFT_IWCM_CLOSING:
        return closing(x, awaited);
    case WEFT_IWCM_DESTROYING:
    case WEFT_IWCM_STATES:
        break;
    }
    return destroying(x, input);
}

/* Gives an input by the public call that it comes from. */
static int give(struct cx *x, weft_iwcm_id id, enum iwcm_input input)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    struct weft_iwcm_param p = cx_param(2);
    enum weft_iwcm_cmd_type cmd = pending(input);
    weft_iwcm_id child;

    switch (input) {
    case IWCM_IN_CONNECT:
        return weft_iwcm_connect(x->cm, id, NULL, &cx_there, &p);
    case IWCM_IN_LISTEN:
        return weft_iwcm_listen(x->cm, id, &cx_here, 0);
    case IWCM_IN_ACCEPT:
        return weft_iwcm_accept(x->cm, id, &p);
    case IWCM_IN_REJECT:
        return weft_iwcm_reject(x->cm, id, NULL, 0);
    case IWCM_IN_DISCONNECT:
        return weft_iwcm_disconnect(x->cm, id, false);
    case IWCM_IN_DESTROY:
        return weft_iwcm_destroy(x->cm, id);
    case IWCM_IN_CONNECT_TAKEN:
    case IWCM_IN_LISTEN_TAKEN:
    case IWCM_IN_ACCEPT_TAKEN:
    case IWCM_IN_REJECT_DONE:
    case IWCM_IN_UNLISTEN_DONE:
    case IWCM_IN_END_DONE:
        return weft_iwcm_cmd_done(x->cm, id, cmd, WEFT_IWCM_OK, 1, NULL);
    case IWCM_IN_CONNECT_FAILED:
    case IWCM_IN_LISTEN_FAILED:
    case IWCM_IN_ACCEPT_FAILED:
        return weft_iwcm_cmd_done(x->cm, id, cmd, WEFT_IWCM_FAILED, 1, NULL);
    case IWCM_IN_UP_REQUEST:
        u.type = WEFT_IWCM_UP_REQUEST;
        break;
    case IWCM_IN_UP_REPLY_OK:
    case IWCM_IN_UP_REPLY_FAILED:
        u.type = WEFT_IWCM_UP_REPLY;
        u.status = input == IWCM_IN_UP_REPLY_OK ? WEFT_IWCM_OK : WEFT_IWCM_REJECTED;
        break;
    case IWCM_IN_UP_ESTABLISHED:
        u.type = WEFT_IWCM_UP_ESTABLISHED;
        break;
    case IWCM_IN_UP_DISCONNECT:
        u.type = WEFT_IWCM_UP_DISCONNECT;
        break;
    case IWCM_IN_UP_CLOSE:
    case IWCM_INPUTS:
        u.type = WEFT_IWCM_UP_CLOSE;
        break;
    }
    return weft_iwcm_upcall(x->cm, id, &u, &child);
}

static void walk(enum weft_iwcm_state from, enum iwcm_input input, enum cell want)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = reach(x, from, input);
    uint64_t violations = cx_stats(x).violations;
    int err;

    assert_int_equal(cx_state(x, id), from);
    err = give(x, id, input);
    if (want == REF || want == ____)
        assert_int_equal(err, WEFT_ERR_STATE);
    else if (want == IGN && input == IWCM_IN_UP_REQUEST)
        assert_int_equal(err, WEFT_ERR_FULL);
    else
        assert_int_equal(err, 0);
    assert_int_equal(cx_stats(x).violations, violations + (want == ____));
    assert_int_equal(cx_state(x, id), want < STAY ? (enum weft_iwcm_state)want : from);
    assert_null(iwcm_audit(x->cm));
    assert_null(weft_iwcm_free(x->cm));
    free(x);
}

static void test_R110_every_cell_by_the_public_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(wanted); i++) {
        for (uint32_t s = 0; s < WEFT_IWCM_STATES; s++)
            walk((enum weft_iwcm_state)s, wanted[i].input, wanted[i].cells[s]);
    }
}

static void test_inputs_have_names(void **state)
{
    (void)state;
    assert_string_equal(iwcm_input_name(IWCM_IN_CONNECT), "CONNECT");
    assert_string_equal(iwcm_input_name(IWCM_IN_UP_CLOSE), "UP_CLOSE");
    assert_string_equal(iwcm_input_name(IWCM_INPUTS), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R110_every_cell_is_as_written_down),
        cmocka_unit_test(test_R110_every_cell_by_the_public_calls),
        cmocka_unit_test(test_inputs_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
