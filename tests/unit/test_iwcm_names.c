/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of states, statuses, events and commands. */
#include "iwcm_fixture.h"

#include <string.h>

static const char *state_name(uint32_t i)
{
    return weft_iwcm_state_name((enum weft_iwcm_state)i);
}

static const char *status_text(uint32_t i)
{
    return weft_iwcm_status_text((enum weft_iwcm_status)i);
}

static const char *event_name(uint32_t i)
{
    return weft_iwcm_event_name((enum weft_iwcm_event_type)i);
}

static const char *cmd_name(uint32_t i)
{
    return weft_iwcm_cmd_name((enum weft_iwcm_cmd_type)i);
}

static const struct {
    const char *(*name)(uint32_t i);
    uint32_t count;
    const char *none;
} kinds[] = {
    {state_name, WEFT_IWCM_STATES, "?"},
    {status_text, WEFT_IWCM_STATUSES, "unknown status"},
    {event_name, WEFT_IWCM_EVENTS, "?"},
    {cmd_name, WEFT_IWCM_CMDS, "?"},
};

static void test_every_value_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < COUNT(kinds); k++) {
        for (uint32_t i = 0; i < kinds[k].count; i++) {
            assert_string_not_equal(kinds[k].name(i), kinds[k].none);
            for (uint32_t other = 0; other < i; other++)
                assert_string_not_equal(kinds[k].name(i), kinds[k].name(other));
        }
        assert_string_equal(kinds[k].name(kinds[k].count), kinds[k].none);
        assert_string_equal(kinds[k].name(UINT32_MAX), kinds[k].none);
    }
}

static void test_names_are_those_of_the_header(void **state)
{
    (void)state;
    assert_string_equal(state_name(WEFT_IWCM_CONN_SENT), "CONN_SENT");
    assert_string_equal(status_text(WEFT_IWCM_TIMEOUT), "the peer did not answer in time");
    assert_string_equal(event_name(WEFT_IWCM_EVENT_REQUEST), "REQUEST");
    assert_string_equal(cmd_name(WEFT_IWCM_CMD_UNLISTEN), "UNLISTEN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_value_has_a_name_of_its_own),
        cmocka_unit_test(test_names_are_those_of_the_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
