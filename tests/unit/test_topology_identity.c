/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Identities of nodes: what is the same, what is not, and that no input makes looking up slow. */
#include "topology/identity.h"

#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t many = 20000;

static struct topo_ref by_id(const char *id)
{
    return (struct topo_ref){.id = id, .id_length = strlen(id)};
}

static void test_guid_or_id_is_the_identity_and_nothing_else(void **state)
{
    const struct topo_ref refs[] = {
        {.guid = 1}, {.guid = UINT64_MAX}, by_id("a"), by_id("ab"), by_id("b"), by_id("1"),
    };
    const uint32_t count = sizeof(refs) / sizeof(refs[0]);
    struct topo_ref other_words = {.guid = 1, .id = "x", .id_length = 1, .type = TOPO_SWITCH};
    struct topo_identities ids = {0};

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(topo_identities_find(&ids, &refs[i]), TOPO_NONE);
        assert_int_equal(topo_identities_add(&ids, &refs[i], i), 0);
    }
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(topo_identities_find(&ids, &refs[i]), i);
    assert_int_equal(topo_identities_find(&ids, &other_words), 0);
    topo_identities_free(&ids);
    assert_int_equal(topo_identities_find(&ids, &refs[0]), TOPO_NONE);
}

static void test_the_id_is_copied(void **state)
{
    struct topo_identities ids = {0};
    const struct topo_ref wanted = by_id("leaf 1");
    char text[] = "leaf 1 and what follows";
    struct topo_ref ref = {.id = text, .id_length = wanted.id_length};

    (void)state;
    assert_int_equal(topo_identities_add(&ids, &ref, 7), 0);
    memset(text, 'x', sizeof(text));
    assert_int_equal(topo_identities_find(&ids, &wanted), 7);
    topo_identities_free(&ids);
}

static void note_level(const void *place, VISIT visit, void *deepest)
{
    uint32_t *level = deepest;

    (void)place;
    /* On the way down a level is entered, on the way up it is left. */
    if (visit == preorder || visit == leaf)
        level[0]++;
    if (level[0] > level[1])
        level[1] = level[0];
    if (visit == endorder || visit == leaf)
        level[0]--;
}

/* A look-up compares once a level, and a red-black tree of n has at most 2 log2(n + 1) levels. */
static void expect_balanced(const struct topo_identities *ids)
{
    uint32_t level[2] = {0};
    uint32_t bound = 0;

    while ((UINT64_C(1) << bound) < many + 1)
        bound++;
    twalk_r(ids->root, note_level, level);
    assert_in_range(level[1], bound - 1, 2 * bound);
}

static void test_guids_in_order_do_not_slow_it_down(void **state)
{
    (void)state;
    for (int down = 0; down < 2; down++) {
        struct topo_identities ids = {0};

        for (uint32_t i = 0; i < many; i++) {
            const struct topo_ref ref = {.guid = down != 0 ? many - i : i + 1};

            assert_int_equal(topo_identities_add(&ids, &ref, i), 0);
        }
        expect_balanced(&ids);
        topo_identities_free(&ids);
    }
}

/* FNV-1a, the hash that such tables often have and that anybody can compute. */
static uint64_t known_hash(uint64_t guid)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (int shift = 0; shift < 64; shift += 8)
        hash = (hash ^ (guid >> shift & 0xFF)) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static void test_guids_that_share_a_bucket_of_a_hash_table_do_not_slow_it_down(void **state)
{
    struct topo_identities ids = {0};
    struct topo_ref ref = {.guid = UINT64_C(0x0002c90300000000)};

    (void)state;
    for (uint32_t i = 0; i < many; ref.guid++) {
        if ((known_hash(ref.guid) & 127) == 5)
            assert_int_equal(topo_identities_add(&ids, &ref, i++), 0);
    }
    expect_balanced(&ids);
    topo_identities_free(&ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guid_or_id_is_the_identity_and_nothing_else),
        cmocka_unit_test(test_the_id_is_copied),
        cmocka_unit_test(test_guids_in_order_do_not_slow_it_down),
        cmocka_unit_test(test_guids_that_share_a_bucket_of_a_hash_table_do_not_slow_it_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
