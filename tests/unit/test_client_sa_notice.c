/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notices: whom each trap is about, and what it says. */
#include "client/sa_notice.h"
#include "core/wire/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A generic notice whose details are 1, 2, 3, ... */
static struct sa_notice of_trap(uint16_t trap)
{
    uint8_t notice[WEFT_SA_NOTICE_BYTES] = {0};
    struct sa_notice n;

    for (uint8_t i = 0; i < 54; i++)
        notice[10 + i] = i + 1;
    wire_set(WIRE_NOTICE_GENERIC, notice, 1);
    wire_set(WIRE_NOTICE_TYPE, notice, 1);
    wire_set(WIRE_NOTICE_PRODUCER, notice, 2);
    wire_set(WIRE_NOTICE_TRAP, notice, trap);
    wire_set(WIRE_NOTICE_ISSUER_LID, notice, 9);
    memset(notice + 64, 0xFE, 16);
    sa_notice_read(notice, &n);
    assert_true(n.generic);
    assert_int_equal(n.trap, trap);
    assert_int_equal(n.type, 1);
    assert_int_equal(n.producer, 2);
    assert_int_equal(n.issuer_lid, 9);
    assert_int_equal(n.issuer_gid[15], 0xFE);
    return n;
}

static void test_each_trap_says_whom_it_is_about(void **state)
{
    static const struct {
        uint16_t trap, lid, other, port;
        uint32_t key;
        const char *text;
    } rows[] = {
        {128, 0x0102, 0, SA_NOTICE_NO_PORT, 0, "link has changed"},
        {129, 0x0304, 0, 5, 0, "link integrity"},
        {130, 0x0304, 0, 5, 0, "buffer overruns"},
        {131, 0x0304, 0, 5, 0, "watchdog"},
        {145, 0x0304, 0, SA_NOTICE_NO_PORT, 0, "system image GUID"},
        {256, 0x0304, 0, SA_NOTICE_NO_PORT, 0, "M_Key"},
        {257, 0x0304, 0x0506, SA_NOTICE_NO_PORT, 0x0708090A, "P_Key"},
        {258, 0x0304, 0x0506, SA_NOTICE_NO_PORT, 0x0708090A, "Q_Key"},
        {259, 0x3132, 0, 51, 0x0708, "dropped"},
        {1, 0, 0, SA_NOTICE_NO_PORT, 0, "not known"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sa_notice n = of_trap(rows[i].trap);

        assert_int_equal(n.lid, rows[i].lid);
        assert_int_equal(n.other, rows[i].other);
        assert_int_equal(n.port, rows[i].port);
        assert_int_equal(n.key, rows[i].key);
        assert_false(n.has_gid);
        assert_non_null(strstr(sa_notice_text(&n), rows[i].text));
    }
}

static void test_traps_about_GIDs_have_one(void **state)
{
    (void)state;
    for (uint16_t trap = 64; trap <= 67; trap++) {
        struct sa_notice n = of_trap(trap);

        assert_true(n.has_gid);
        assert_int_equal(n.gid[0], 7);
        assert_int_equal(n.gid[15], 22);
        assert_int_equal(n.lid, 0);
    }
}

static void test_trap_144_may_be_about_a_name(void **state)
{
    uint8_t notice[WEFT_SA_NOTICE_BYTES] = {0};
    struct sa_notice n = of_trap(144);

    (void)state;
    assert_int_equal(n.lid, 0x0304);
    assert_false(n.name); /* 12 */
    wire_set(WIRE_NOTICE_GENERIC, notice, 1);
    wire_set(WIRE_NOTICE_TRAP, notice, 144);
    notice[10 + 11] = 1;
    sa_notice_read(notice, &n);
    assert_true(n.name);
    assert_string_equal(sa_notice_text(&n), "a node has another name");
}

static void test_a_vendor_s_trap_is_no_trap_of_ours(void **state)
{
    uint8_t notice[WEFT_SA_NOTICE_BYTES] = {0};
    struct sa_notice n;

    (void)state;
    wire_set(WIRE_NOTICE_TRAP, notice, 128);
    wire_set(WIRE_NOTICE_TYPE, notice, 4);
    memset(notice + 10, 0xFF, 54);
    sa_notice_read(notice, &n);
    assert_false(n.generic);
    assert_int_equal(n.lid, 0);
    assert_string_equal(sa_notice_text(&n), "a vendor's trap");
    assert_string_equal(sa_notice_type_word(n.type), "informational");
    assert_string_equal(sa_notice_type_word(0x7F), "of unknown type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_trap_says_whom_it_is_about),
        cmocka_unit_test(test_traps_about_GIDs_have_one),
        cmocka_unit_test(test_trap_144_may_be_about_a_name),
        cmocka_unit_test(test_a_vendor_s_trap_is_no_trap_of_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
