/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every cell of the endpoint machine, written down once more. */
#include "core/siw/ep_fsm.h"
#include "siw_connection_fixture.h"

enum cell {
    DIAL = EP_DIALING,
    BIND = EP_BINDING,
    LIST = EP_LISTENING,
    AREQ = EP_AWAIT_REQUEST,
    REQD = EP_REQUESTED,
    AREP = EP_AWAIT_REPLY,
    RDYW = EP_READY_WAIT,
    STRM = EP_STREAMING,
    CLNG = EP_CLOSING,
    PSHT = EP_PEER_SHUT,
    SHUT = EP_SHUT,
    TERM = EP_TERMINATING,
    LAST = EP_LAST_WORDS,
    ENDG = EP_ENDING,
    GONE = EP_RELEASING,
    STAY = 100,
    DROP,
    ____
};

/* clang-format off: one line of cells a row, to be read as a table */
static const struct {
    enum ep_input input;
    enum cell cells[EP_STATES];
} wanted[EP_INPUTS] = {
    /* DIAL  BIND  LIST  AREQ  REQD  AREP  RDYW  STRM  CLNG  PSHT  SHUT  TERM  LAST  ENDG  GONE */
    {EP_TCP_UP,
     {AREP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_TCP_BOUND,
     {DROP, LIST, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_TCP_FAILED,
     {GONE, GONE, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_INCOMING,
     {DROP, DROP, STAY, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_DATA,
     {DROP, DROP, DROP, STAY, GONE, STAY, STAY, STAY, STAY, STAY, STAY, STAY, STAY, STAY, ____}},
    {EP_FIN,
     {DROP, DROP, DROP, GONE, GONE, GONE, PSHT, PSHT, PSHT, STAY, GONE, LAST, STAY, GONE, ____}},
    {EP_LOST,
     {DROP, DROP, DROP, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, ____}},
    {EP_TIMEOUT,
     {GONE, ____, ____, GONE, ____, GONE, GONE, ____, GONE, GONE, GONE, GONE, GONE, GONE, ____}},
    {EP_REQUEST,
     {____, ____, ____, REQD, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____}},
    {EP_REPLY,
     {____, ____, ____, ____, ____, STRM, ____, ____, ____, ____, ____, ____, ____, ____, ____}},
    {EP_REFUSE,
     {____, ____, ____, TERM, TERM, TERM, ____, ____, ____, ____, ____, ____, ____, ____, ____}},
    {EP_CUT,
     {____, ____, ____, GONE, ____, GONE, ____, ____, ____, ____, ____, ____, ____, ____, ____}},
    {EP_ACCEPT,
     {DROP, DROP, DROP, DROP, STRM, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_ACCEPT_RTR,
     {DROP, DROP, DROP, DROP, RDYW, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_CLOSE,
     {DROP, DROP, DROP, DROP, DROP, DROP, DROP, CLNG, STAY, STAY, STAY, STAY, STAY, STAY, ____}},
    {EP_ABORT,
     {GONE, DROP, DROP, DROP, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, GONE, ____}},
    {EP_UNLISTEN,
     {DROP, DROP, GONE, GONE, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, ____}},
    {EP_READY,
     {____, ____, ____, ____, ____, ____, STRM, STAY, STAY, STAY, STAY, ____, ____, ____, ____}},
    {EP_DRAINED,
     {____, ____, ____, ____, ____, ____, ____, ____, SHUT, GONE, STAY, STAY, STAY, STAY, STAY}},
    {EP_FAIL,
     {____, ____, ____, ____, ____, ____, GONE, GONE, GONE, GONE, GONE, STAY, STAY, STAY, STAY}},
    {EP_TERMINATE,
     {____, ____, ____, ____, ____, ____, TERM, TERM, TERM, LAST, GONE, STAY, STAY, STAY, STAY}},
    {EP_SAID,
     {____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ENDG, GONE, STAY, STAY}},
    {EP_PEER_TERMINATE,
     {____, ____, ____, ____, ____, ____, GONE, GONE, GONE, GONE, GONE, STAY, STAY, STAY, STAY}},
};
/* clang-format on */

static void test_every_cell_is_as_written_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EP_INPUTS; i++) {
        assert_int_equal(wanted[i].input, i);
        for (uint32_t from = 0; from < EP_STATES; from++) {
            struct ep_cell cell = ep_fsm_cell((enum ep_state)from, wanted[i].input);
            enum cell want = wanted[i].cells[from];
            enum ep_verdict verdict = want == STAY   ? EP_STAY
                                      : want == DROP ? EP_DROP
                                      : want == ____ ? EP_NEVER
                                                     : EP_TO;

            assert_int_equal(cell.verdict, verdict);
            assert_int_equal(cell.next, verdict == EP_TO ? (uint32_t)want : from);
        }
    }
}

/* A slot must come back whatever happens: from every state some input leads to RELEASING, and what
 * waits for a peer can be ended by a timer. */
static void test_every_state_can_be_left_for_RELEASING(void **state)
{
    (void)state;
    for (uint32_t from = 0; from < EP_RELEASING; from++) {
        bool ends = false;

        for (uint32_t i = 0; i < EP_INPUTS; i++) {
            struct ep_cell cell = ep_fsm_cell((enum ep_state)from, (enum ep_input)i);

            ends = ends || (cell.verdict == EP_TO && cell.next == EP_RELEASING);
        }
        assert_true(ends);
    }
}

static void test_nothing_leads_out_of_RELEASING(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EP_INPUTS; i++)
        assert_int_not_equal(ep_fsm_cell(EP_RELEASING, (enum ep_input)i).verdict, EP_TO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cell_is_as_written_down),
        cmocka_unit_test(test_every_state_can_be_left_for_RELEASING),
        cmocka_unit_test(test_nothing_leads_out_of_RELEASING),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
