/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment, and what a program hears when there is no fabric. */
#include "umad/place.h"
#include "umad_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void clear(void)
{
    assert_int_equal(unsetenv("WEFT_FABRIC"), 0);
    assert_int_equal(unsetenv("WEFT_NODE"), 0);
    assert_int_equal(unsetenv("WEFT_PORT"), 0);
    assert_int_equal(unsetenv("WEFT_VF"), 0);
}

static void test_what_is_missing_is_named(void **state)
{
    char text[CHANNEL_TEXT_BYTES];
    struct place p;

    (void)state;
    clear();
    assert_int_equal(place_read(&p, text), WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(text, "WEFT_FABRIC"));
    assert_int_equal(setenv("WEFT_FABRIC", "/s", 1), 0);
    assert_int_equal(place_read(&p, text), WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(text, "WEFT_NODE"));
    assert_int_equal(setenv("WEFT_NODE", "n", 1), 0);
    assert_int_equal(place_read(&p, text), 0);
    assert_string_equal(p.socket, "/s");
    assert_string_equal(p.node, "n");
    assert_int_equal(p.port, 0);
    assert_int_equal(setenv("WEFT_FABRIC", "", 1), 0);
    assert_int_equal(place_read(&p, text), WEFT_ERR_NOTFOUND);
    clear();
}

static void test_a_port_is_a_number(void **state)
{
    static const char *const bad[] = {"x", "-1", "1 ", "255", "0001", "99999999999"};
    char text[CHANNEL_TEXT_BYTES];
    struct place p;

    (void)state;
    assert_int_equal(setenv("WEFT_FABRIC", "/s", 1), 0);
    assert_int_equal(setenv("WEFT_NODE", "n", 1), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(setenv("WEFT_PORT", bad[i], 1), 0);
        assert_int_equal(place_read(&p, text), WEFT_ERR_INVALID);
        assert_non_null(strstr(text, "WEFT_PORT"));
    }
    assert_int_equal(setenv("WEFT_PORT", "254", 1), 0);
    assert_int_equal(place_read(&p, text), 0);
    assert_int_equal(p.port, 254);
    assert_int_equal(p.vf, 0);
    assert_int_equal(setenv("WEFT_VF", "255", 1), 0);
    assert_int_equal(place_read(&p, text), 0);
    assert_int_equal(p.vf, 255);
    assert_int_equal(setenv("WEFT_VF", "256", 1), 0);
    assert_int_equal(place_read(&p, text), WEFT_ERR_INVALID);
    assert_non_null(strstr(text, "WEFT_VF"));
    clear();
}

/* Runs all that needs a fabric, in a process of its own, and gives what it writes to stderr. */
static void without_fabric(char *ret, size_t space)
{
    size_t length = 0;
    ssize_t got;
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    child = fork();
    if (child == 0) {
        struct umad_device_node *list;
        char names[1][UMAD_CA_NAME_LEN], path[8];
        bool ok = dup2(ends[1], STDERR_FILENO) >= 0;
        umad_port_t port;
        umad_ca_t ca;
        __be64 guid;

        list = umad_get_ca_device_list();
        ok = ok && !list && umad_get_cas_names(names, 1) == 0;
        ok = ok && umad_open_port(NULL, 0) == -ENODEV && errno == ENODEV;
        ok = ok && umad_get_ca(NULL, &ca) == -ENODEV && umad_get_port(NULL, 0, &port) == -ENODEV;
        ok = ok && umad_get_ca_portguids(NULL, &guid, 1) == -ENODEV;
        ok = ok && umad_get_issm_path(NULL, 0, path, sizeof(path)) == -ENODEV;
        _exit(ok ? 0 : 1);
    }
    (void)close(ends[1]);
    while ((got = read(ends[0], ret + length, space - 1 - length)) > 0)
        length += (size_t)got;
    ret[length] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void expect_one_line(const char *text, const char *with)
{
    assert_non_null(strstr(text, with));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void test_without_a_fabric_one_line_says_why(void **state)
{
    char text[4096];

    (void)state;
    clear();
    without_fabric(text, sizeof(text));
    expect_one_line(text, "WEFT_FABRIC");
    assert_int_equal(setenv("WEFT_FABRIC", "/nowhere/to/be/found", 1), 0);
    assert_int_equal(setenv("WEFT_NODE", "n", 1), 0);
    without_fabric(text, sizeof(text));
    expect_one_line(text, "/nowhere/to/be/found");
    clear();
}

static void test_a_node_without_ports_is_refused(void **state)
{
    const struct fake_node node = {.type = 1};
    char text[4096];

    (void)state;
    fake_start(&node);
    without_fabric(text, sizeof(text));
    expect_one_line(text, "without ports");
    fake_stop();
}

static void test_a_port_that_the_node_has_not_is_refused(void **state)
{
    static const char *const bad[] = {"3", "254"};
    const struct fake_node node = {.type = 2, .ports = 4};
    char text[4096];

    (void)state;
    fake_start(&fake_adapter);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(setenv("WEFT_PORT", bad[i], 1), 0);
        without_fabric(text, sizeof(text));
        expect_one_line(text, "the node has ports 1..2");
        expect_one_line(text, bad[i]);
    }
    fake_stop();
    fake_start(&node);
    assert_int_equal(setenv("WEFT_PORT", "1", 1), 0);
    without_fabric(text, sizeof(text));
    expect_one_line(text, "port 0");
    fake_stop();
    clear();
}

static void test_terminals_get_no_orders_from_names(void **state)
{
    char text[4096];

    (void)state;
    assert_int_equal(setenv("WEFT_FABRIC", "/no\033[31m\nwhere\177", 1), 0);
    assert_int_equal(setenv("WEFT_NODE", "n", 1), 0);
    without_fabric(text, sizeof(text));
    expect_one_line(text, "/no?[31m?where?");
    assert_null(strchr(text, 033));
    clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_missing_is_named),
        cmocka_unit_test(test_a_port_is_a_number),
        cmocka_unit_test(test_without_a_fabric_one_line_says_why),
        cmocka_unit_test(test_a_node_without_ports_is_refused),
        cmocka_unit_test(test_a_port_that_the_node_has_not_is_refused),
        cmocka_unit_test(test_terminals_get_no_orders_from_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
