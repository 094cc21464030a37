/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Redirections: within the subnet, into a partition, through a router, and those that lead nowhere.
 */
#include "client/redirect.h"
#include "core/wire/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define INFO_BYTES 72

static const uint8_t own[16] = {0xFE, 0xC0, 1, 2, 3, 4, 5, 6, 0, 2, 0xC9, 3, 0, 0, 0, 1};
static const uint8_t far[16] = {0xFE, 0xC0, 9, 9, 9, 9, 9, 9, 0, 2, 0xC9, 3, 0, 0, 0, 7};

static void info_make(uint8_t info[INFO_BYTES], weft_pkey key, const uint8_t *gid)
{
    memset(info, 0, INFO_BYTES);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_LID, info, 77);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_SL, info, 3);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QP, info, 0x123456);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QKEY, info, 0x80011234);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, info, key);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_FLOW_LABEL, info, 0xABCDE);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_TRAFFIC_CLASS, info, 0x5A);
    if (gid)
        memcpy(info + wire_bytes_offset(WIRE_CLASS_PORT_INFO_REDIRECT_GID), gid, 16);
}

static void test_within_the_subnet_it_says_LID_queue_pair_key_and_level(void **state)
{
    static const uint8_t local[16] = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0, 7};
    const struct redirect_from here = {.pkey_index = 4};
    uint8_t info[INFO_BYTES];
    struct weft_mad_addr to;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct redirect_from from = here;

        /* No GID, one that leaves no subnet, one of the own subnet. */
        from.gid = i == 2 ? own : NULL;
        info_make(info, i == 1 ? WEFT_PKEY_BASE : WEFT_PKEY_DEFAULT, i == 1 ? local : from.gid);
        assert_true(redirect_read(&from, info, &to));
        assert_int_equal(to.lid, 77);
        assert_int_equal(to.sl, 3);
        assert_int_equal(to.qpn, 0x123456);
        assert_int_equal(to.qkey, 0x80011234);
        assert_int_equal(to.pkey_index, 4);
        assert_false(to.has_grh);
    }
}

static void test_a_partition_is_found_in_the_port_s_table(void **state)
{
    const weft_pkey keys[WEFT_PKEY_BLOCK] = {0xFFFF, 0x8001, 0x0002};
    struct weft_pkey_cache *cache = NULL;
    struct redirect_from from = {.pkey_index = 9};
    uint8_t info[INFO_BYTES];
    struct weft_mad_addr to;

    (void)state;
    info_make(info, 0x8002, NULL);
    assert_false(redirect_read(&from, info, &to));
    assert_int_equal(weft_pkey_cache_new(WEFT_PKEY_BLOCK, NULL, &cache), 0);
    from.pkeys = cache;
    assert_false(redirect_read(&from, info, &to)); /* the table is not there yet */
    assert_int_equal(weft_pkey_cache_stage(cache, 0, keys), 0);
    assert_int_equal(weft_pkey_cache_commit(cache, NULL), 0);
    assert_true(redirect_read(&from, info, &to));
    assert_int_equal(to.pkey_index, 2);
    info_make(info, 0xFFFF, NULL);
    assert_true(redirect_read(&from, info, &to));
    assert_int_equal(to.pkey_index, 0);
    info_make(info, 0x8003, NULL);
    assert_false(redirect_read(&from, info, &to));
    (void)weft_pkey_cache_free(cache);
}

static void test_another_subnet_gets_a_route_header(void **state)
{
    struct redirect_from from = {.gid = NULL};
    uint8_t info[INFO_BYTES];
    struct weft_mad_addr to;

    (void)state;
    info_make(info, WEFT_PKEY_DEFAULT, far);
    assert_false(redirect_read(&from, info, &to)); /* from whom? */
    from.gid = own;
    assert_true(redirect_read(&from, info, &to));
    assert_int_equal(to.lid, 77);
    assert_true(to.has_grh);
    assert_memory_equal(to.grh.sgid, own, 16);
    assert_memory_equal(to.grh.dgid, far, 16);
    assert_int_equal(to.grh.flow_label, 0xABCDE);
    assert_int_equal(to.grh.traffic_class, 0x5A);
    assert_int_equal(to.grh.hop_limit, 255);
    assert_int_equal(to.grh.sgid_index, 0);
}

static void test_what_leads_nowhere_changes_nothing(void **state)
{
    static const uint8_t group[16] = {0xFF, 0x12};
    const struct redirect_from from = {.gid = own};
    struct weft_mad_addr to = {.lid = 1};
    uint8_t info[INFO_BYTES];

    (void)state;
    for (int i = 0; i < 5; i++) {
        info_make(info, i == 3 ? 0 : WEFT_PKEY_DEFAULT, i == 4 ? group : far);
        if (i < 2)
            wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_LID, info, i == 0 ? 0 : 0xC000);
        if (i == 2)
            wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QP, info, 0);
        assert_false(redirect_read(&from, info, &to));
        assert_int_equal(to.lid, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_the_subnet_it_says_LID_queue_pair_key_and_level),
        cmocka_unit_test(test_a_partition_is_found_in_the_port_s_table),
        cmocka_unit_test(test_another_subnet_gets_a_route_header),
        cmocka_unit_test(test_what_leads_nowhere_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
