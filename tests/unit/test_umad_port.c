/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening ports and registering agents. */
#include "umad/newer.h"
#include "umad_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_a_port_is_found_by_adapter_and_number(void **state)
{
    int fds[4];

    (void)state;
    fds[0] = umad_open_port(NULL, 0);
    fds[1] = umad_open_port("weft0", 1);
    fds[2] = umad_open_port(NULL, 2);
    fds[3] = umad_open_smi_port("weft0", 0);
    for (int i = 0; i < 4; i++) {
        assert_true(fds[i] >= 0);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(fds[i], fds[j]);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(umad_close_port(fds[i]), 0);
        assert_int_equal(umad_close_port(fds[i]), -EINVAL);
        assert_int_equal(errno, EINVAL);
    }
    assert_int_equal(umad_open_port("mlx5_0", 1), -ENODEV);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(umad_open_port(NULL, 3), -EINVAL);
    assert_int_equal(umad_open_port(NULL, -1), -EINVAL);
    assert_int_equal(umad_close_port(-1), -EINVAL);
    assert_int_equal(umad_close_port(1 << 30), -EINVAL);
}

static void test_agents_get_the_lowest_number_that_is_free(void **state)
{
    int fd = fake_open();

    (void)state;
    for (int i = 0; i < UMAD_CA_MAX_AGENTS; i++)
        assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL), i);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL), -EPERM);
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(umad_unregister(fd, 7), 0);
    assert_int_equal(umad_unregister(fd, 7), -EINVAL);
    assert_int_equal(umad_unregister(fd, 3), 0);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL), 3);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL), 7);
    assert_int_equal(umad_unregister(fd, -1), -EINVAL);
    assert_int_equal(umad_unregister(fd, UMAD_CA_MAX_AGENTS), -EINVAL);
    assert_int_equal(umad_close_port(fd), 0);
    assert_int_equal(umad_unregister(fd, 0), -EINVAL);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, NULL), -EINVAL);
}

static void test_methods_have_one_owner(void **state)
{
    long mask[16 / sizeof(long)] = {1l << WEFT_METHOD_GET | 1l << WEFT_METHOD_TRAP};
    long other[16 / sizeof(long)] = {1l << WEFT_METHOD_SET};
    int fd = fake_open();

    (void)state;
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_DIRECTED, 1, 0, mask), 0);
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_LID, 1, 0, mask), 1);
    assert_int_equal(fake_claims(), 2);
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_LID, 1, 0, mask), -EPERM);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_LID, 1, 0, other), 2);
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_LID, 1, 0, NULL), 3);
    assert_int_equal(fake_claims(), 3);
    assert_int_equal(umad_unregister(fd, 1), 0);
    assert_int_equal(fake_claims(), 2);
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_LID, 1, 0, mask), 1);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_what_the_daemon_refuses_is_not_registered(void **state)
{
    long mask[16 / sizeof(long)] = {1l << WEFT_METHOD_GET};
    int fd = fake_open();

    (void)state;
    fake_refuse_claims(true);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, mask), -EPERM);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(umad_unregister(fd, 0), -EINVAL);
    fake_refuse_claims(false);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 0, mask), 0);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_rules_of_registration(void **state)
{
    uint8_t oui[3] = {0, 0x14, 0x05}, none[3] = {0};
    int fd = fake_open();

    (void)state;
    assert_int_equal(umad_register(fd, 0, 1, 0, NULL), -EPERM);
    assert_int_equal(umad_register(fd, 0x50, 1, 0, NULL), -EPERM);
    assert_int_equal(umad_register(fd, -1, 1, 0, NULL), -EINVAL);
    assert_int_equal(umad_register(fd, 256, 1, 0, NULL), -EINVAL);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 0x83, 0, NULL), -EPERM);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, -1, 0, NULL), -EINVAL);
    assert_int_equal(umad_register(fd, WEFT_CLASS_PERF, 1, 1, NULL), -EPERM); /* has no RMPP */
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_ADM, 2, 2, NULL), -EPERM);
    assert_int_equal(umad_register_oui(fd, 0x2f, 0, oui, NULL), -EINVAL);
    assert_int_equal(umad_register_oui(fd, 0x50, 0, oui, NULL), -EINVAL);
    assert_int_equal(umad_register_oui(fd, 0x30, 0, none, NULL), -EPERM);
    assert_int_equal(umad_register_oui(fd, 0x30, 1, oui, NULL), 0);
    assert_int_equal(umad_register_oui(fd, 0x4f, 0, oui, NULL), 1);
    assert_int_equal(umad_register(fd, WEFT_CLASS_SUBN_ADM, 2, 1, NULL), 2);
    assert_int_equal(umad_register(fd, 0x32, 1, 0, NULL), 3); /* OpenIB's */
    assert_int_equal(umad_register_oui(-1, 0x30, 0, oui, NULL), -EINVAL);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_the_second_way_to_register(void **state)
{
    struct umad_reg_attr a = {.mgmt_class = WEFT_CLASS_SUBN_ADM,
                              .mgmt_class_version = 2,
                              .method_mask = {UINT64_C(1) << WEFT_METHOD_GET_TABLE, 0},
                              .rmpp_version = 1};
    int fd = fake_open();
    uint32_t agent = 77;

    (void)state;
    assert_int_equal(umad_register2(fd, NULL, &agent), EINVAL);
    assert_int_equal(umad_register2(fd, &a, NULL), EINVAL);
    assert_int_equal(umad_register2(-1, &a, &agent), EINVAL);
    a.flags = 6;
    assert_int_equal(umad_register2(fd, &a, &agent), EINVAL);
    assert_int_equal(a.flags, UMAD_USER_RMPP);
    assert_int_equal(umad_register2(fd, &a, &agent), 0);
    assert_int_equal(agent, 0);
    assert_int_equal(umad_register2(fd, &a, &agent), EINVAL);
    a = (struct umad_reg_attr){.mgmt_class = 0x32, .mgmt_class_version = 1, .oui = 0x1000000};
    assert_int_equal(umad_register2(fd, &a, &agent), EINVAL);
    a.oui = 0xffffff;
    assert_int_equal(umad_register2(fd, &a, &agent), 0);
    assert_int_equal(agent, 1);
    assert_int_equal(umad_close_port(fd), 0);
}

/* As ibqueryerrors does. */
static void test_thirteen_registrations_over_five_ports(void **state)
{
    static const uint8_t classes[] = {WEFT_CLASS_SUBN_LID, WEFT_CLASS_SUBN_DIRECTED,
                                      WEFT_CLASS_SUBN_ADM, WEFT_CLASS_PERF};
    struct fake_buffer b;
    int fds[5];

    (void)state;
    for (int i = 0; i < 5; i++)
        fds[i] = fake_open();
    for (int i = 0; i < 13; i++)
        assert_int_equal(fake_agent(fds[i % 5], classes[i % 4]), i / 5);
    for (int i = 0; i < 13; i++) {
        int agent = i / 5;

        fake_request(&b, classes[i % 4], FAKE_ANSWERS, (uint32_t)i + 1);
        assert_int_equal(umad_send(fds[i % 5], agent, &b, WEFT_MAD_BYTES, 1000, 0), 0);
    }
    for (int i = 0; i < 13; i++) {
        assert_int_equal(fake_receive(fds[i % 5], i / 5, &b), WEFT_MAD_BYTES);
        assert_int_equal((uint32_t)mad_tid(b.mad), i + 1);
    }
    for (int i = 0; i < 5; i++)
        assert_int_equal(umad_close_port(fds[i]), 0);
}

static void test_an_agent_that_leaves_takes_its_requests_along(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF), length = WEFT_MAD_BYTES;
    struct fake_buffer b;

    (void)state;
    fake_send(fd, agent, FAKE_SILENT, 1, 20, 0);
    assert_int_equal(umad_unregister(fd, agent), 0);
    assert_int_equal(umad_recv(fd, &b, &length, 50), -ETIMEDOUT);
    assert_int_equal(umad_close_port(fd), 0);
}

static int setup(void **state)
{
    (void)state;
    fake_start(&fake_adapter);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fake_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_port_is_found_by_adapter_and_number, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_agents_get_the_lowest_number_that_is_free, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_methods_have_one_owner, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_the_daemon_refuses_is_not_registered, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_rules_of_registration, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_second_way_to_register, setup, teardown),
        cmocka_unit_test_setup_teardown(test_thirteen_registrations_over_five_ports, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_agent_that_leaves_takes_its_requests_along, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
