/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The engine behind the interface: RMPP both ways, MADs that nobody asked for, addresses. */
#include "core/wire/field.h"
#include "umad/message_pool.h"
#include "umad_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SA         WEFT_CLASS_SUBN_ADM
#define FOREVER_MS 20000

/* An asker and a responder, and a message for them. */
struct pair {
    int asker, responder;
    int ask, respond; /* their agents */
};

static int agent_rmpp(int fd, uint32_t flags, unsigned method)
{
    struct umad_reg_attr a = {
        .mgmt_class = SA, .mgmt_class_version = 2, .flags = flags, .rmpp_version = 1};
    uint32_t agent = UINT32_MAX;

    if (method)
        a.method_mask[method / 64] = UINT64_C(1) << method % 64;
    assert_int_equal(umad_register2(fd, &a, &agent), 0);
    return (int)agent;
}

static struct pair pair_open(uint32_t flags)
{
    struct pair p = {.asker = fake_open()};

    p.responder = fake_open();
    p.ask = agent_rmpp(p.asker, flags, 0);
    p.respond = agent_rmpp(p.responder, 0, WEFT_METHOD_GET_TABLE);
    return p;
}

static void pair_close(const struct pair *p)
{
    assert_int_equal(umad_close_port(p->asker), 0);
    assert_int_equal(umad_close_port(p->responder), 0);
}

static uint8_t content(size_t at)
{
    return (uint8_t)(at * 31 + at / 251);
}

/* A message of the SA with its flag Active, as programs make it. */
static struct ib_user_mad *message_new(size_t bytes, uint8_t method, uint64_t tid)
{
    struct ib_user_mad *u = calloc(1, umad_size() + bytes + WEFT_MAD_BYTES);

    assert_non_null(u);
    packet_build(u->data, SA, method, tid);
    wire_set(WIRE_RMPP_FLAGS, u->data, WEFT_RMPP_FLAG_ACTIVE);
    for (size_t at = WEFT_SA_DATA_OFFSET; at < bytes; at++)
        u->data[at] = content(at);
    return u;
}

static void expect_content(const struct ib_user_mad *u, size_t bytes)
{
    for (size_t at = WEFT_SA_DATA_OFFSET; at < bytes; at++)
        assert_int_equal(u->data[at], content(at));
}

static void ask(const struct pair *p, uint32_t tid)
{
    struct fake_buffer b;

    fake_request(&b, SA, FAKE_PORTS + 1, tid);
    mad_set_method(b.mad, WEFT_METHOD_GET_TABLE);
    assert_int_equal(umad_send(p->asker, p->ask, &b, WEFT_MAD_BYTES, FOREVER_MS, 0), 0);
}

/* Answers the request that must come with a message of so many bytes. */
static void respond(const struct pair *p, size_t bytes)
{
    struct ib_user_mad *u;
    struct fake_buffer b;

    assert_int_equal(fake_receive(p->responder, p->respond, &b), WEFT_MAD_BYTES);
    u = message_new(bytes, WEFT_METHOD_GET_TABLE_RESP, mad_tid(b.mad));
    (void)umad_set_addr_net(u, b.head.addr.lid, b.head.addr.qpn, 0, htonl(WEFT_QKEY_GSI));
    assert_int_equal(umad_send(p->responder, p->respond, u, (int)bytes, 0, 3), 0);
    free(u);
}

static struct ib_user_mad *receive(const struct pair *p, size_t bytes)
{
    struct ib_user_mad *u = malloc(umad_size() + bytes + WEFT_MAD_BYTES);
    int length = WEFT_MAD_BYTES, agent;

    assert_non_null(u);
    agent = umad_recv(p->asker, u, &length, FOREVER_MS);
    if (bytes > WEFT_MAD_BYTES) {
        /* the first packet is there, and the whole length is told */
        assert_int_equal(agent, -ENOSPC);
        assert_int_equal(errno, ENOSPC);
        assert_int_equal(length, bytes);
        assert_int_equal(mad_method(u->data), WEFT_METHOD_GET_TABLE_RESP);
        expect_content(u, WEFT_MAD_BYTES);
        agent = umad_recv(p->asker, u, &length, 0);
    }
    assert_int_equal(agent, p->ask);
    assert_int_equal(length, bytes);
    assert_int_equal(u->length, umad_size() + bytes);
    return u;
}

/* The responder's own timers and ACKs go on without it: it never receives again. */
static void test_an_answer_of_any_length_comes_whole(void **state)
{
    const size_t sizes[] = {WEFT_SA_DATA_OFFSET, 57, 255, 256, 257, 456, 457, 10000, 3000000};
    struct pair p = pair_open(0);

    (void)state;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct ib_user_mad *u;

        ask(&p, i + 1);
        respond(&p, sizes[i]);
        u = receive(&p, sizes[i]);
        assert_int_equal((uint32_t)mad_tid(u->data), i + 1);
        expect_content(u, sizes[i]);
        free(u);
    }
    pair_close(&p);
}

static void test_a_long_message_waits_until_there_is_room_for_it(void **state)
{
    struct pair p = pair_open(0);
    struct fake_buffer b;
    int length = WEFT_MAD_BYTES;
    struct ib_user_mad *u;

    (void)state;
    ask(&p, 1);
    respond(&p, 1000);
    assert_int_equal(umad_poll(p.asker, FOREVER_MS), 0);
    ask(&p, 2);
    respond(&p, 200);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(umad_recv(p.asker, &b, &length, 0), -ENOSPC);
        assert_int_equal(length, 1000);
        length = WEFT_MAD_BYTES;
    }
    u = receive(&p, 1000);
    assert_int_equal((uint32_t)mad_tid(u->data), 1);
    free(u);
    u = receive(&p, 200);
    assert_int_equal((uint32_t)mad_tid(u->data), 2);
    free(u);
    pair_close(&p);
}

static void test_an_agent_may_do_RMPP_itself(void **state)
{
    struct pair p = pair_open(UMAD_USER_RMPP);
    struct fake_buffer b;

    (void)state;
    ask(&p, 1);
    respond(&p, 1000);
    assert_int_equal(fake_receive(p.asker, p.ask, &b), WEFT_MAD_BYTES);
    assert_int_equal(wire_get(WIRE_RMPP_SEGMENT, b.mad), 1);
    assert_int_equal(umad_status(&b), 0);
    pair_close(&p);
}

static void test_a_transfer_that_its_receiver_refuses_ends_as_a_timeout(void **state)
{
    struct pair p = pair_open(0);
    struct fake_buffer b;
    struct ib_user_mad *u = message_new(1000, WEFT_METHOD_GET_MULTI, 5);

    (void)state;
    /* nobody there has registered for this method */
    (void)umad_set_addr(u, FAKE_PORTS + 1, 1, 0, (int)WEFT_QKEY_GSI);
    assert_int_equal(umad_send(p.asker, p.ask, u, 1000, 20, 1), 0);
    free(u);
    assert_int_equal(fake_receive(p.asker, p.ask, &b), WEFT_MAD_HEADER_BYTES);
    assert_int_equal(umad_status(&b), ETIMEDOUT);
    pair_close(&p);
}

static _Atomic bool starved;

/* By the linker in place of the pool's: there is no memory for what is received. */
struct message *__wrap_message_take(struct message_pool *pool, size_t bytes);
struct message *__real_message_take(struct message_pool *pool, size_t bytes);

struct message *__wrap_message_take(struct message_pool *pool, size_t bytes)
{
    return starved && bytes == 0 ? NULL : __real_message_take(pool, bytes);
}

static void test_an_answer_that_there_is_no_memory_for_ends_as_a_timeout(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct fake_buffer b;

    (void)state;
    starved = true;
    fake_send(fd, agent, FAKE_ANSWERS, 7, FOREVER_MS, 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_HEADER_BYTES);
    starved = false;
    assert_int_equal(umad_status(&b), ETIMEDOUT);
    assert_int_equal((uint32_t)mad_tid(b.mad), 7);
    assert_int_equal(mad_method(b.mad), WEFT_METHOD_GET);
    /* nothing more comes of it, and the next one is answered */
    fake_send(fd, agent, FAKE_ANSWERS, 7, FOREVER_MS, 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(umad_status(&b), 0);
    assert_int_equal(umad_poll(fd, 0), -ETIMEDOUT);
    assert_int_equal(umad_close_port(fd), 0);
}

static struct packet unsolicited(uint8_t mgmt_class, uint8_t method)
{
    struct packet p = {.slid = 0x33, .dlid = FAKE_PORTS, .sl = 4, .src_qpn = 1, .dst_qpn = 1};

    packet_build(p.mad, mgmt_class, method, 0x1234567800000001);
    p.pkey_index = 2;
    return p;
}

static void test_what_nobody_asked_for_goes_to_who_registered(void **state)
{
    int fd = fake_open(), agent;
    long mask[16 / sizeof(long)] = {1l << WEFT_METHOD_TRAP};
    struct packet p = unsolicited(WEFT_CLASS_PERF, WEFT_METHOD_TRAP);
    struct fake_buffer b;

    (void)state;
    agent = umad_register(fd, WEFT_CLASS_PERF, 1, 0, mask);
    assert_int_equal(agent, 0);
    fake_inject(0, &p);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
    assert_memory_equal(b.mad, p.mad, WEFT_MAD_BYTES);
    assert_int_equal(ntohs(b.head.addr.lid), 0x33);
    assert_int_equal(b.head.addr.sl, 4);
    assert_int_equal(umad_get_pkey(&b), 2);
    assert_int_equal(umad_close_port(fd), 0);
}

static void test_a_Get_that_nobody_takes_is_answered_unsupported(void **state)
{
    int fd = fake_open(), listener = fake_open(), agent = fake_agent(listener, WEFT_CLASS_PERF);
    struct packet p = unsolicited(WEFT_CLASS_PERF, WEFT_METHOD_GET);
    struct fake_buffer b;

    (void)state;
    /* it seems to come from the listener's port, to which the answer goes */
    fake_send(listener, agent, FAKE_SILENT, 1, FOREVER_MS, 0);
    p.slid = FAKE_PORTS + 1;
    mad_set_tid(p.mad, UINT64_C(0x200) << 32 | 1);
    fake_inject(0, &p);
    assert_int_equal(umad_poll(fd, 20), -ETIMEDOUT);
    assert_int_equal(fake_receive(listener, agent, &b), WEFT_MAD_BYTES);
    assert_int_equal(mad_status(b.mad), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(umad_close_port(fd), 0);
    assert_int_equal(umad_close_port(listener), 0);
}

static void test_hostile_packets_are_dropped(void **state)
{
    int fd = fake_open(), agent = fake_agent(fd, WEFT_CLASS_PERF);
    struct packet p = unsolicited(WEFT_CLASS_PERF, WEFT_METHOD_GET);
    struct fake_buffer b;

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct packet bad = p;

        bad.dst_qpn = i == 0 ? 2 : 1;
        bad.dst_qpn = i == 1 ? 0xFFFFFF : bad.dst_qpn;
        bad.sl = i == 2 ? 16 : 0;
        if (i == 3)
            memset(bad.mad, 0xFF, sizeof(bad.mad));
        if (i == 4)
            memset(&bad, 0xFF, sizeof(bad));
        fake_inject(0, &bad);
    }
    fake_send(fd, agent, FAKE_ANSWERS, 1, 1000, 0);
    assert_int_equal(fake_receive(fd, agent, &b), WEFT_MAD_BYTES);
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
        cmocka_unit_test_setup_teardown(test_an_answer_of_any_length_comes_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_long_message_waits_until_there_is_room_for_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_agent_may_do_RMPP_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_transfer_that_its_receiver_refuses_ends_as_a_timeout,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_an_answer_that_there_is_no_memory_for_ends_as_a_timeout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_nobody_asked_for_goes_to_who_registered, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_Get_that_nobody_takes_is_answered_unsupported, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_hostile_packets_are_dropped, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
