/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every cell of the send machine, on the real code: what the specification says of each input in
 * each state is written down here once more, and compared. */
#include "core/mad/send.h"
#include "mad_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a cell says: a state to go to, or one of the last three. */
enum cell {
    QUEUED = WEFT_MAD_QUEUED,
    START = WEFT_MAD_SEND_START,
    WAIT = WEFT_MAD_WAIT_RESP,
    EARLY = WEFT_MAD_EARLY_RESP,
    CANCEL = WEFT_MAD_CANCELED,
    LOCAL = WEFT_MAD_LOCAL,
    DONE = WEFT_MAD_DONE,
    STAY = 100,
    DROP,
    ____
};

/* What no row names cannot happen. A send has left the wire's hands in QUEUED and WAIT_RESP; its
 * packet is due or with the host in SEND_START, EARLY_RESP and (mostly) CANCELED. */
static const struct {
    enum send_input input;
    enum cell cells[WEFT_MAD_STATES];
} wanted[] = {
    /*                     INIT    QUEUED  START   WAIT    EARLY   CANCELED LOCAL  DONE */
    {SEND_POST, {START, ____, ____, ____, ____, ____, ____, ____}},
    {SEND_POST_QUEUED, {QUEUED, ____, ____, ____, ____, ____, ____, ____}},
    {SEND_POST_LOCAL, {LOCAL, ____, ____, ____, ____, ____, ____, ____}},
    {SEND_RELEASE, {____, START, ____, ____, ____, ____, ____, ____}},
    {SEND_QUEUE_DUE, {____, DONE, ____, ____, ____, ____, ____, ____}},
    /* the packet comes back: with an answer or a cancel before it, the send ends in any case */
    {SEND_SENT_AWAIT, {____, ____, WAIT, ____, DONE, DONE, ____, ____}},
    {SEND_SENT_MORE, {____, ____, STAY, ____, DONE, DONE, ____, ____}},
    {SEND_SENT_LAST, {____, ____, DONE, ____, DONE, DONE, ____, ____}},
    {SEND_SENT_ERROR, {____, ____, DONE, ____, DONE, DONE, ____, ____}},
    {SEND_SKIPPED, {____, ____, ____, ____, DONE, DONE, ____, ____}},
    /* packets from outside may come at any time */
    {SEND_RESPONSE, {____, DONE, EARLY, DONE, DROP, DROP, DROP, DROP}},
    {SEND_BUSY, {____, STAY, STAY, STAY, DROP, DROP, DROP, DROP}},
    {SEND_ACK, {____, DROP, STAY, STAY, DROP, DROP, DROP, DROP}},
    {SEND_ACK_MORE, {____, DROP, STAY, START, DROP, DROP, DROP, DROP}},
    {SEND_ACK_FINAL, {____, DROP, EARLY, DONE, DROP, DROP, DROP, DROP}},
    {SEND_RMPP_FAIL, {____, DONE, EARLY, DONE, DROP, DROP, DROP, DROP}},
    /* only WAIT_RESP has a timer for the answer */
    {SEND_RETRY, {____, ____, ____, START, ____, ____, ____, ____}},
    {SEND_RETRY_QUEUED, {____, ____, ____, QUEUED, ____, ____, ____, ____}},
    {SEND_TIMEOUT, {____, ____, ____, DONE, ____, ____, ____, ____}},
    /* the owner may call at any time */
    {SEND_MODIFY, {____, STAY, STAY, STAY, STAY, DROP, DROP, DROP}},
    {SEND_CANCEL, {____, CANCEL, CANCEL, CANCEL, CANCEL, DROP, DROP, DROP}},
    {SEND_CANCEL_DUE, {____, ____, ____, ____, ____, DONE, ____, ____}},
    {SEND_REMOVE, {____, DONE, CANCEL, DONE, CANCEL, STAY, DONE, DROP}},
    {SEND_LOCAL_DONE, {____, ____, ____, ____, ____, ____, DONE, ____}},
};
#define WANTED (sizeof(wanted) / sizeof(wanted[0]))

static bool is_state(enum cell c)
{
    return c <= DONE;
}

static struct fx *bench(void)
{
    struct weft_mad_config c = fx_config();

    c.recv_depth = 64; /* the SA may have two outstanding */
    c.device.bits[WEFT_CLASS_SUBN_DIRECTED / 64] |= UINT64_C(1) << WEFT_CLASS_SUBN_DIRECTED % 64;
    return fx_new(&c, FX_SA);
}

static struct send *local_send(struct fx *f)
{
    struct weft_mad_agent_req r = fx_agent_req(WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_send_req req;

    f->agent = fx_agent(f, &r);
    f->mgmt_class = WEFT_CLASS_SUBN_DIRECTED;
    req = fx_request(f, 1);
    packet_directed(f->mads[1], 0);
    return send_lookup(f->port, fx_post(f, &req));
}

/* Brings a send into a state by the ways that users have. */
static struct send *reach(struct fx *f, enum weft_mad_state state)
{
    weft_mad_send_id id;
    struct send *s;

    if (state == WEFT_MAD_LOCAL)
        return local_send(f);
    if (state == WEFT_MAD_QUEUED)
        fx_ask_all(f, 2, 3);
    id = fx_ask(f, 1);
    s = send_lookup(f->port, id);
    if (state == WEFT_MAD_WAIT_RESP || state == WEFT_MAD_DONE)
        fx_send(f);
    if (state == WEFT_MAD_EARLY_RESP || state == WEFT_MAD_DONE)
        fx_answer(f, 1);
    if (state == WEFT_MAD_CANCELED)
        fx_cancel(f, id);
    if (state == WEFT_MAD_INIT) {
        /* as post has it before its first step */
        send_step(f->port, s, SEND_CANCEL);
        s->state = WEFT_MAD_INIT;
    }
    assert_int_equal(s->state, state);
    return s;
}

static void test_every_input_has_a_row(void **state)
{
    (void)state;
    assert_int_equal(WANTED, SEND_INPUTS);
    for (size_t row = 0; row < WANTED; row++) {
        for (size_t other = 0; other < row; other++)
            assert_int_not_equal(wanted[row].input, wanted[other].input);
    }
}

static void test_R3_R4_R19_R20_R21_R34_every_cell_is_as_specified(void **state)
{
    (void)state;
    for (size_t row = 0; row < WANTED; row++) {
        for (int s = 0; s < WEFT_MAD_STATES; s++) {
            struct send_cell cell = send_fsm_cell((enum weft_mad_state)s, wanted[row].input);
            enum cell want = wanted[row].cells[s], got = ____;

            if (cell.verdict == SEND_TO)
                got = (enum cell)cell.next;
            else if (cell.verdict == SEND_STAY)
                got = STAY;
            else if (cell.verdict == SEND_DROP)
                got = DROP;
            if (got != want)
                fail_msg("%s in %s: %d, not %d", send_input_name(wanted[row].input),
                         weft_mad_state_name((enum weft_mad_state)s), got, want);
            if (cell.verdict != SEND_TO)
                assert_int_equal(cell.next, s);
        }
    }
}

/* Takes one step on a real send and looks at state and counts. */
static void step(enum weft_mad_state from, enum send_input input, enum cell want)
{
    struct fx *f = bench();
    struct send *s = reach(f, from);
    uint32_t outstanding = f->port->outstanding, queued = f->port->queued;
    bool was = send_is_outstanding(s), was_queued = from == WEFT_MAD_QUEUED;
    enum send_verdict verdict = send_step(f->port, s, input);

    if (is_state(want)) {
        assert_int_equal(verdict, SEND_TO);
        assert_int_equal(s->state, want);
    } else {
        assert_int_equal(verdict, want == STAY ? SEND_STAY : SEND_DROP);
        assert_int_equal(s->state, from);
    }
    assert_int_equal(f->port->outstanding, outstanding + send_is_outstanding(s) - was);
    assert_int_equal(f->port->queued, queued + (s->state == WEFT_MAD_QUEUED) - was_queued);
    fx_abandon(f); /* the bare step left its lists and timers behind */
}

static void test_R18_R49_R68_every_legal_step_moves_state_and_counts(void **state)
{
    (void)state;
    for (size_t row = 0; row < WANTED; row++) {
        for (int s = 0; s < WEFT_MAD_STATES; s++) {
            if (wanted[row].cells[s] != ____)
                step((enum weft_mad_state)s, wanted[row].input, wanted[row].cells[s]);
        }
    }
}

#ifdef WEFT_CHECKED
/* Whether the program is stopped by this input. */
static bool stops(struct fx *f, struct send *s, enum send_input input)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        const struct sigaction by_default = {.sa_handler = SIG_DFL};
        const struct rlimit no_core = {0, 0};

        sigaction(SIGILL, &by_default, NULL); /* the test frame catches it */
        sigaction(SIGTRAP, &by_default, NULL);
        setrlimit(RLIMIT_CORE, &no_core);
        send_step(f->port, s, input);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}
#else
static void note_refused(void *ctx, const struct weft_trace_event *ev)
{
    unsigned *refused = ctx;

    *refused += ev->type == WEFT_TRACE_STATE && ev->u.state.refused;
}

/* Whether the input is refused, counted and traced, and nothing else changes. */
static bool stops(struct fx *f, struct send *s, enum send_input input)
{
    uint64_t illegal = f->port->stats.illegal;
    struct send before = *s;
    unsigned traced = 0;
    bool refused;

    f->port->config.trace = note_refused;
    f->port->config.trace_ctx = &traced;
    refused = send_step(f->port, s, input) == SEND_NEVER;
    f->port->config.trace = NULL;
    f->port->stats.illegal--;
    return refused && traced == 1 && f->port->stats.illegal == illegal &&
           memcmp(&before, s, sizeof(before)) == 0;
}
#endif

static void test_R18_R20_R22_R25_an_illegal_input_is_caught(void **state)
{
    (void)state;
    for (int from = 0; from < WEFT_MAD_STATES; from++) {
        struct fx *f = bench();
        struct send *s = reach(f, (enum weft_mad_state)from);

        for (size_t row = 0; row < WANTED; row++) {
            if (wanted[row].cells[from] == ____ && !stops(f, s, wanted[row].input))
                fail_msg("%s in %s goes through", send_input_name(wanted[row].input),
                         weft_mad_state_name((enum weft_mad_state)from));
        }
        fx_abandon(f);
    }
}

static void test_every_input_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < SEND_INPUTS; i++) {
        assert_true(strlen(send_input_name((enum send_input)i)) > 2);
        assert_true(strlen(send_input_text((enum send_input)i)) > 10);
    }
    assert_string_equal(send_input_name(SEND_SENT_AWAIT), "SENT_AWAIT");
    assert_string_equal(send_input_name(SEND_INPUTS), "?");
    assert_string_equal(send_input_text(SEND_INPUTS), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_input_has_a_row),
        cmocka_unit_test(test_R3_R4_R19_R20_R21_R34_every_cell_is_as_specified),
        cmocka_unit_test(test_R18_R49_R68_every_legal_step_moves_state_and_counts),
        cmocka_unit_test(test_R18_R20_R22_R25_an_illegal_input_is_caught),
        cmocka_unit_test(test_every_input_has_a_name_and_a_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
