/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every cell of the refresh machine, written down once more. */
#include "core/pkey/refresh_fsm.h"
#include "pkey_fixture.h"

enum cell {
    IDLE = WEFT_PKEY_REFRESH_IDLE,
    READING = WEFT_PKEY_REFRESH_READING,
    WAITING = WEFT_PKEY_REFRESH_WAITING,
    STAY = 100,
    ____
};

static const struct {
    enum refresh_input input;
    enum cell cells[WEFT_PKEY_REFRESH_STATES];
} wanted[REFRESH_INPUTS] = {
    /*                  IDLE     READING  WAITING */
    {REFRESH_EVENT, {READING, STAY, STAY}},
    {REFRESH_COMPLETE, {____, IDLE, ____}},
    {REFRESH_FAILED, {____, WAITING, ____}},
    {REFRESH_DUE, {____, ____, READING}},
};

static void test_R154_every_cell_is_as_written_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(wanted); i++) {
        for (uint32_t s = 0; s < WEFT_PKEY_REFRESH_STATES; s++) {
            enum weft_pkey_refresh_state from = (enum weft_pkey_refresh_state)s;
            struct refresh_cell cell = refresh_fsm_cell(from, wanted[i].input);

            switch (wanted[i].cells[s]) {
            case STAY:
                assert_int_equal(cell.verdict, REFRESH_STAY);
                assert_int_equal(cell.next, from);
                break;
            case ____:
                assert_int_equal(cell.verdict, REFRESH_NEVER);
                break;
            case IDLE:
            case READING:
            case WAITING:
                assert_int_equal(cell.verdict, REFRESH_TO);
                assert_int_equal(cell.next, wanted[i].cells[s]);
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R154_every_cell_is_as_written_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
