/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names and dumps: the names are those of the system's libibumad, value for value. */
#include "umad_fixture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/umad_str.h>
#include <string.h>
#include <unistd.h>

static struct {
    void *library;
    const char *(*class_str)(uint8_t);
    const char *(*method_str)(uint8_t, uint8_t);
    const char *(*attribute_str)(uint8_t, __be16);
    const char *(*common_mad_status_str)(__be16);
    const char *(*sa_mad_status_str)(__be16);
} theirs;

static void find(const char *name, void *ret)
{
    void *function = dlsym(theirs.library, name);

    assert_non_null(function);
    memcpy(ret, &function, sizeof(function));
}

static int setup(void **state)
{
    (void)state;
    theirs.library = dlopen("libibumad.so.3", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(theirs.library);
    find("umad_class_str", &theirs.class_str);
    find("umad_method_str", &theirs.method_str);
    find("umad_attribute_str", &theirs.attribute_str);
    find("umad_common_mad_status_str", &theirs.common_mad_status_str);
    find("umad_sa_mad_status_str", &theirs.sa_mad_status_str);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return dlclose(theirs.library);
}

/* What theirs calls an unknown method lacks its last character. */
static void expect_same(const char *ours, const char *their)
{
    if (strcmp(their, "<unknown") == 0)
        their = "<unknown>";
    assert_string_equal(ours, their);
}

static void test_classes_and_methods(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        expect_same(umad_class_str((uint8_t)c), theirs.class_str((uint8_t)c));
        for (unsigned m = 0; m < 256; m++)
            expect_same(umad_method_str((uint8_t)c, (uint8_t)m),
                        theirs.method_str((uint8_t)c, (uint8_t)m));
    }
}

static void test_attributes(void **state)
{
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x07, 0x0A};

    (void)state;
    for (size_t c = 0; c < sizeof(classes); c++) {
        for (unsigned a = 0; a <= UINT16_MAX; a++)
            expect_same(umad_attribute_str(classes[c], htons((uint16_t)a)),
                        theirs.attribute_str(classes[c], htons((uint16_t)a)));
    }
}

static void test_statuses(void **state)
{
    (void)state;
    for (unsigned s = 0; s <= UINT16_MAX; s++) {
        __be16 status = htons((uint16_t)s);

        expect_same(umad_common_mad_status_str(status), theirs.common_mad_status_str(status));
        expect_same(umad_sa_mad_status_str(status), theirs.sa_mad_status_str(status));
    }
}

/* Runs a dump with stderr going into a pipe. */
static void dumped(void *umad, char *ret, size_t space)
{
    int ends[2], kept = dup(STDERR_FILENO);
    ssize_t got;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    umad_dump(umad);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    (void)close(ends[1]);
    got = read(ends[0], ret, space - 1);
    assert_true(got > 0);
    ret[got] = '\0';
    (void)close(ends[0]);
}

static void test_a_dump_tells_everything_in_host_order(void **state)
{
    ib_mad_addr_t grh = {.gid = {0xfe, 0x80, [15] = 0xEE}, .flow_label = 0x12345};
    struct fake_buffer b = {.head = {.agent_id = 4, .status = 110, .timeout_ms = 200}};
    char text[1024];

    (void)state;
    (void)umad_set_addr(&b, 0x21, 1, 2, (int)0x80010000);
    (void)umad_set_grh(&b, &grh);
    dumped(&b, text, sizeof(text));
    assert_non_null(strstr(text, "agent 4 status 110 timeout 200 ms"));
    assert_non_null(strstr(text, "qpn 1 qkey 0x80010000 lid 33 sl 2"));
    assert_non_null(strstr(text, "flow label 0x12345 gid fe80::ee"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_and_methods),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_a_dump_tells_everything_in_host_order),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
