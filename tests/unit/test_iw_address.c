/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of sockets and of the connection manager, and errors. */
#include "iw/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_ipv4_there_and_back(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(4711)};
    struct sockaddr_storage back;
    struct weft_iw_addr a;

    (void)state;
    v4.sin_addr.s_addr = htonl(0xC0000207);
    assert_true(address_from_sockaddr((struct sockaddr *)&v4, &a));
    assert_int_equal(a.family, 4);
    assert_int_equal(a.port, 4711);
    assert_memory_equal(a.ip, "\xC0\x00\x02\x07", 4);
    assert_int_equal(address_to_sockaddr(&a, &back), sizeof(v4));
    assert_memory_equal(&back, &v4, sizeof(v4));
}

static void test_ipv6_with_its_interface_there_and_back(void **state)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_scope_id = 3};
    struct sockaddr_storage back;
    struct weft_iw_addr a;

    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "fe80::1:2", &v6.sin6_addr), 1);
    assert_true(address_from_sockaddr((struct sockaddr *)&v6, &a));
    assert_int_equal(a.family, 6);
    assert_int_equal(a.scope, 3);
    assert_int_equal(address_to_sockaddr(&a, &back), sizeof(v6));
    assert_memory_equal(&back, &v6, sizeof(v6));
}

static void test_ipv4_inside_ipv6_is_ipv4(void **state)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    struct weft_iw_addr a;

    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "::ffff:192.0.2.7", &v6.sin6_addr), 1);
    assert_true(address_from_sockaddr((struct sockaddr *)&v6, &a));
    assert_int_equal(a.family, 4);
    assert_memory_equal(a.ip, "\xC0\x00\x02\x07", 4);
}

static void test_other_families_are_none(void **state)
{
    struct sockaddr_storage s = {.ss_family = AF_UNIX}, back;
    struct weft_iw_addr a = {.family = 0};

    (void)state;
    assert_false(address_from_sockaddr((struct sockaddr *)&s, &a));
    assert_int_equal(address_to_sockaddr(&a, &back), 0);
    assert_int_equal(back.ss_family, AF_UNSPEC);
}

static void test_any_address(void **state)
{
    struct weft_iw_addr four = {.family = 4}, six = {.family = 6};

    (void)state;
    assert_true(address_is_any(&four) && address_is_any(&six));
    four.ip[3] = 1;
    six.ip[15] = 1;
    assert_false(address_is_any(&four) || address_is_any(&six));
}

static void test_errors_in_the_connection_manager_s_words(void **state)
{
    static const struct {
        int number;
        enum weft_iwcm_status status;
    } rows[] = {
        {ECONNREFUSED, WEFT_IWCM_REFUSED},
        {ECONNRESET, WEFT_IWCM_RESET},
        {ETIMEDOUT, WEFT_IWCM_TIMEOUT},
        {ENETUNREACH, WEFT_IWCM_UNREACHABLE},
        {EHOSTUNREACH, WEFT_IWCM_UNREACHABLE},
        {EADDRINUSE, WEFT_IWCM_ADDRESS},
        {EADDRNOTAVAIL, WEFT_IWCM_ADDRESS},
        {EMFILE, WEFT_IWCM_NO_RESOURCES},
        {ENOSYS, WEFT_IWCM_FAILED},
        {0, WEFT_IWCM_FAILED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(address_status(rows[i].number), rows[i].status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ipv4_there_and_back),
        cmocka_unit_test(test_ipv6_with_its_interface_there_and_back),
        cmocka_unit_test(test_ipv4_inside_ipv6_is_ipv4),
        cmocka_unit_test(test_other_families_are_none),
        cmocka_unit_test(test_any_address),
        cmocka_unit_test(test_errors_in_the_connection_manager_s_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
