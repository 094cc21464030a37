/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each of the 256 management classes implies. */
#include "core/wire/mad_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct class_case {
    uint8_t first;
    uint8_t last;
    uint32_t data_offset;
    bool rmpp;
    bool smi;
    const char *name;
} cases[] = {
    {0x00, 0x00, 24, false, false, "reserved"},    {0x01, 0x01, 24, false, true, "SubnLID"},
    {0x02, 0x02, 24, false, false, "reserved"},    {0x03, 0x03, 56, true, false, "SubnAdm"},
    {0x04, 0x04, 24, false, false, "Perf"},        {0x05, 0x05, 24, false, false, "BoardMgt"},
    {0x06, 0x06, 64, true, false, "DeviceMgt"},    {0x07, 0x07, 24, false, false, "CommMgt"},
    {0x08, 0x08, 24, false, false, "SNMP"},        {0x09, 0x0F, 24, false, false, "Vendor"},
    {0x10, 0x10, 64, true, false, "DeviceAdm"},    {0x11, 0x11, 24, false, false, "BootMgt"},
    {0x12, 0x12, 64, true, false, "BIS"},          {0x13, 0x20, 24, false, false, "reserved"},
    {0x21, 0x21, 24, false, false, "Congestion"},  {0x22, 0x2F, 24, false, false, "reserved"},
    {0x30, 0x4F, 40, true, false, "VendorOUI"},    {0x50, 0x80, 24, false, false, "reserved"},
    {0x81, 0x81, 24, false, true, "SubnDirected"}, {0x82, 0xFF, 24, false, false, "reserved"},
};

#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static void test_every_class_has_a_case(void **state)
{
    (void)state;
    unsigned int next = 0;

    for (size_t i = 0; i < CASE_COUNT; i++) {
        assert_int_equal(cases[i].first, next);
        next = cases[i].last + 1U;
    }
    assert_int_equal(next, 256);
}

static void test_each_class_implies_what_the_specification_says(void **state)
{
    (void)state;

    for (size_t i = 0; i < CASE_COUNT; i++) {
        for (unsigned int number = cases[i].first; number <= cases[i].last; number++) {
            uint8_t mgmt_class = (uint8_t)number;

            assert_int_equal(mad_class_data_offset(mgmt_class), cases[i].data_offset);
            assert_int_equal(mad_class_has_rmpp(mgmt_class), cases[i].rmpp);
            assert_int_equal(mad_class_is_smi(mgmt_class), cases[i].smi);
            assert_int_equal(mad_class_has_oui(mgmt_class), !strcmp(cases[i].name, "VendorOUI"));
            assert_string_equal(weft_class_name(mgmt_class), cases[i].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_class_has_a_case),
        cmocka_unit_test(test_each_class_implies_what_the_specification_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
