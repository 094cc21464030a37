/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The header in front of a MAD: what the system's libibumad makes of the same calls is the measure.
 */
#include "umad_fixture.h"

#include <dlfcn.h>
#include <string.h>

/* The system's library. */
static void *system_library(void)
{
    void *library = dlopen("libibumad.so.3", RTLD_NOW | RTLD_LOCAL);

    assert_non_null(library);
    return library;
}

/* Finds a function of the system's library. */
static void find(void *library, const char *name, void *ret)
{
    void *function = dlsym(library, name);

    assert_non_null(function);
    memcpy(ret, &function, sizeof(function));
}

static void test_sizes_and_places(void **state)
{
    struct fake_buffer b = {.head.status = 110};

    (void)state;
    assert_int_equal(umad_size(), 64);
    assert_ptr_equal(umad_get_mad(&b), (uint8_t *)&b + 64);
    assert_ptr_equal(umad_get_mad_addr(&b), &b.head.addr);
    assert_int_equal(umad_status(&b), 110);
}

static void test_addresses_in_host_and_in_network_order(void **state)
{
    int (*set_addr)(void *, int, int, int, int);
    int (*set_addr_net)(void *, __be16, __be32, int, __be32);
    void *library = system_library();
    struct fake_buffer ours = {0}, theirs = {0};

    (void)state;
    find(library, "umad_set_addr", &set_addr);
    find(library, "umad_set_addr_net", &set_addr_net);
    assert_int_equal(umad_set_addr(&ours, 0x1234, 0x56789A, 3, (int)0x80010000),
                     set_addr(&theirs, 0x1234, 0x56789A, 3, (int)0x80010000));
    assert_memory_equal(&ours, &theirs, sizeof(ours));
    assert_int_equal(umad_set_addr_net(&ours, htons(7), htonl(1), 15, htonl(9)),
                     set_addr_net(&theirs, htons(7), htonl(1), 15, htonl(9)));
    assert_memory_equal(&ours, &theirs, sizeof(ours));
    assert_int_equal(dlclose(library), 0);
}

static void test_route_headers(void **state)
{
    ib_mad_addr_t from = {.gid = {0xfe, 0x80, [15] = 0xEE},
                          .gid_index = 3,
                          .flow_label = 0xABCDE,
                          .hop_limit = 64,
                          .traffic_class = 5};
    int (*set_grh)(void *, void *);
    void *library = system_library();
    struct fake_buffer ours = {0}, theirs = {0};

    (void)state;
    find(library, "umad_set_grh", &set_grh);
    assert_int_equal(umad_set_grh(&ours, &from), set_grh(&theirs, &from));
    assert_memory_equal(&ours, &theirs, sizeof(ours));
    assert_int_equal(umad_set_grh(&ours, NULL), set_grh(&theirs, NULL));
    assert_memory_equal(&ours, &theirs, sizeof(ours));
    assert_int_equal(dlclose(library), 0);
}

static void test_the_index_of_the_P_Key(void **state)
{
    struct fake_buffer b = {0};

    (void)state;
    assert_int_equal(umad_set_pkey(&b, 0x1FF), 0);
    assert_int_equal(umad_get_pkey(&b), 0x1FF);
    assert_int_equal(b.head.addr.pkey_index, 0x1FF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_and_places),
        cmocka_unit_test(test_addresses_in_host_and_in_network_order),
        cmocka_unit_test(test_route_headers),
        cmocka_unit_test(test_the_index_of_the_P_Key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
