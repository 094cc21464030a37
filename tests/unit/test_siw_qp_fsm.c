/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every cell of a QP's machine, written down once more. */
#include "core/siw/qp_fsm.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum cell {
    IDLE = WEFT_SIW_QP_IDLE,
    RTS = WEFT_SIW_QP_RTS,
    CLOSING = WEFT_SIW_QP_CLOSING,
    TERM = WEFT_SIW_QP_TERMINATE,
    ERROR = WEFT_SIW_QP_ERROR,
    STAY = 100,
    ____
};

static const struct {
    enum qp_input input;
    enum cell cells[WEFT_SIW_QP_STATES];
} wanted[QP_INPUTS] = {
    /*                   IDLE  RTS      CLOSING TERM   ERROR */
    {QP_CONNECT, {RTS, ____, ____, ____, ____}},
    {QP_CLOSE, {____, CLOSING, STAY, STAY, STAY}},
    {QP_PEER_FIN, {____, CLOSING, STAY, STAY, STAY}},
    {QP_ABORT, {____, ERROR, ERROR, ERROR, STAY}},
    {QP_LOCAL_ERROR, {____, TERM, TERM, STAY, STAY}},
    {QP_PEER_TERMINATE, {____, ERROR, ERROR, STAY, STAY}},
    {QP_DRAINED, {____, ____, STAY, ____, ____}},
    {QP_TERMINATED, {____, ____, ____, ERROR, ____}},
    {QP_UNBIND_ORDERLY, {STAY, ERROR, IDLE, ERROR, STAY}},
    {QP_UNBIND, {STAY, ERROR, ERROR, ERROR, STAY}},
    {QP_RESET, {STAY, ____, ____, ____, IDLE}},
};

static void test_every_cell_is_as_written_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < QP_INPUTS; i++) {
        for (uint32_t s = 0; s < WEFT_SIW_QP_STATES; s++) {
            enum weft_siw_qp_state from = (enum weft_siw_qp_state)s;
            struct qp_cell cell = qp_fsm_cell(from, wanted[i].input);

            switch (wanted[i].cells[s]) {
            case STAY:
                assert_int_equal(cell.verdict, QP_STAY);
                assert_int_equal(cell.next, from);
                break;
            case ____:
                assert_int_equal(cell.verdict, QP_NEVER);
                break;
            case IDLE:
            case RTS:
            case CLOSING:
            case TERM:
            case ERROR:
                assert_int_equal(cell.verdict, QP_TO);
                assert_int_equal(cell.next, wanted[i].cells[s]);
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cell_is_as_written_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
