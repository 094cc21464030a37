/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An engine behind libibumad: transaction ids, attempts, RMPP, addresses, devices, and their end.
 */
#include "hca_fixture.h"

#include <errno.h>
#include <string.h>

#define PEER_LID   0x22
#define TIMEOUT    (5 * WEFT_MS)
#define LONG       (1000 * WEFT_S)
#define SA_SEGMENT 200

static const struct fake_port one[] = {{"mlx5_0", "InfiniBand", 0x21, 1, 4, 7, 0}};
static const struct fake_port split[] = {{"mlx5_0", "InfiniBand", 0x21, 1, 4, 7, 0x400},
                                         {"smi1", "InfiniBand", 0x21, 1, 4, 7, 0}};

/* What comes from the peer. */
static ib_mad_addr_t from_peer(void)
{
    return (ib_mad_addr_t){.lid = htons(PEER_LID), .qpn = htonl(1)};
}

static weft_mad_agent_id agent_add(struct hca_link *l, uint8_t mgmt_class, uint8_t rmpp)
{
    const struct weft_mad_agent_req r = {.qpn = mad_class_is_smi(mgmt_class) ? 0 : 1,
                                         .mgmt_class = mgmt_class,
                                         .class_version = mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1,
                                         .rmpp_version = rmpp};
    char text[CHANNEL_TEXT_BYTES] = "";
    weft_mad_agent_id id;

    if (hca_link_agent_add(l, &r, &id, text) != 0)
        fail_msg("%s", text);
    return id;
}

/* Posts a request; the MAD is the caller's until it has ended. */
static void post_as(struct hca_link *l, weft_mad_agent_id agent, uint8_t mad[WEFT_MAD_BYTES],
                    uint8_t mgmt_class, weft_time timeout, uint8_t retries, uint32_t tid)
{
    struct weft_mad_send_req r = {.agent = agent,
                                  .to = {.lid = PEER_LID, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                  .data = mad,
                                  .len = WEFT_MAD_BYTES,
                                  .timeout = timeout,
                                  .retries = retries,
                                  .user_data = 99};

    memset(mad, 0, WEFT_MAD_BYTES);
    mad_set_base_version(mad, 1);
    mad_set_class(mad, mgmt_class);
    mad_set_class_version(mad, mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1);
    mad_set_method(mad,
                   mgmt_class == WEFT_CLASS_SUBN_ADM ? WEFT_METHOD_GET_TABLE : WEFT_METHOD_GET);
    mad_set_tid(mad, tid);
    if (mgmt_class == WEFT_CLASS_SUBN_DIRECTED) {
        r.to = (struct weft_mad_addr){.lid = WEFT_LID_PERMISSIVE};
        memset(mad + 32, 0xff, 4);
    }
    assert_int_equal(weft_mad_post(l->engine, l->now, &r, NULL), 0);
}

static void post(struct hca_link *l, weft_mad_agent_id agent, uint8_t mad[WEFT_MAD_BYTES],
                 uint8_t mgmt_class, weft_time timeout, uint8_t retries)
{
    post_as(l, agent, mad, mgmt_class, timeout, retries, 0x1234);
}

/* Answers what was sent last but `back`. */
static void answer(unsigned back)
{
    struct fake_sent *s = &fake.sent[fake.sent_count - 1 - back];
    const ib_mad_addr_t from = from_peer();
    uint8_t mad[WEFT_MAD_BYTES];

    fake_answer(s, mad);
    fake_deliver(s, mad, &from);
}

/* Moves until the send has ended. Its answer, if there is one, must be of these bytes.
 * Returns how it ended. */
static struct weft_mad_event settle(struct hca_link *l, uint32_t bytes)
{
    struct weft_mad_event ev;
    uint32_t tid;

    for (;;) {
        hca_link_move(l);
        while (weft_mad_poll_event(l->engine, &ev)) {
            if (ev.type == WEFT_MAD_EVENT_SEND_DONE)
                return ev;
            assert_int_equal(ev.u.recv.len, bytes);
            assert_true(ev.u.recv.solicited);
            assert_int_equal(ev.user_data, 99);
            assert_int_equal(weft_mad_agent_tid(l->engine, ev.agent, &tid), 0);
            assert_int_equal(mad_tid(ev.u.recv.mad), (uint64_t)tid << 32 | 0x1234);
            assert_int_equal(weft_mad_recv_release(l->engine, ev.u.recv.id), 0);
        }
    }
}

static void test_an_answer_gets_the_engines_half_of_the_transaction_id_back(void **state)
{
    struct hca_link l;
    weft_mad_agent_id agent;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    agent = agent_add(&l, WEFT_CLASS_PERF, 0);
    post(&l, agent, mad, WEFT_CLASS_PERF, LONG, 0);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, 1);
    assert_int_equal(mad_tid(fake.sent[0].mad), UINT64_C(0x7000001234));
    answer(0);
    assert_int_equal(settle(&l, WEFT_MAD_BYTES).u.sent.status, WEFT_MAD_OK);
    assert_int_equal(l.stats.sent, 1);
    assert_int_equal(l.stats.received, 1);
    hca_link_close(&l);
    assert_null(l.engine);
    assert_int_equal(fake.closed, 1);
}

static void test_an_attempt_ends_at_the_kernel_before_the_engine_makes_the_next(void **state)
{
    static const struct {
        weft_time wait;
        int want_ms;
    } rows[] = {{10 * WEFT_S, 9980},
                {WEFT_S, 980},
                {80 * WEFT_MS, 60},
                {40 * WEFT_MS, 30},
                {WEFT_MS, 1},
                {1, 1},
                {0, 0},
                {LONG, 999980},
                {WEFT_TIME_NEVER - 1, INT32_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct hca_link l;
        uint8_t mad[WEFT_MAD_BYTES];

        fake_begin(one, 1);
        l = fake_open(NULL);
        post(&l, agent_add(&l, WEFT_CLASS_PERF, 0), mad, WEFT_CLASS_PERF, rows[i].wait, 0);
        hca_link_move(&l);
        assert_int_equal(fake.sent_count, 1);
        assert_int_equal(fake.sent[0].timeout_ms, rows[i].want_ms);
        assert_int_equal(fake.sent[0].retries, 0);
        hca_link_close(&l);
    }
}

static void test_what_the_kernel_gives_back_is_retried_by_the_engine_alone(void **state)
{
    struct weft_mad_event ev;
    struct hca_link l;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    post(&l, agent_add(&l, WEFT_CLASS_PERF, 0), mad, WEFT_CLASS_PERF, TIMEOUT, 2);
    for (unsigned sent = 0; sent < 3;) {
        hca_link_move(&l);
        if (fake.sent_count > sent)
            fake_give_up(&fake.sent[sent++]);
        else
            hca_link_wait(&l, WEFT_TIME_NEVER);
    }
    ev = settle(&l, 0);
    assert_int_equal(ev.u.sent.status, WEFT_MAD_TIMEOUT);
    assert_int_equal(ev.u.sent.attempts, 3);
    assert_int_equal(l.stats.returned, 3);
    assert_int_equal(l.stats.refused, 0);
    assert_int_equal(l.stats.received, 0);
    hca_link_close(&l);
}

static void test_an_attempt_that_the_kernel_refuses_is_lost_and_no_failure(void **state)
{
    struct hca_link l;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    post(&l, agent_add(&l, WEFT_CLASS_PERF, 0), mad, WEFT_CLASS_PERF, TIMEOUT, 200);
    while (l.stats.refused < 2)
        hca_link_move(&l);
    assert_int_equal(fake.sent_count, 1);
    fake_give_up(&fake.sent[0]);
    while (fake.sent_count < 2)
        hca_link_move(&l);
    answer(0);
    assert_int_equal(settle(&l, WEFT_MAD_BYTES).u.sent.status, WEFT_MAD_OK);
    hca_link_close(&l);
}

static void test_memory_that_runs_out_loses_packets_and_no_send(void **state)
{
    struct hca_link l;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    fake.send_errno = ENOMEM;
    post(&l, agent_add(&l, WEFT_CLASS_PERF, 0), mad, WEFT_CLASS_PERF, TIMEOUT, 1);
    assert_int_equal(settle(&l, 0).u.sent.status, WEFT_MAD_TIMEOUT);
    assert_int_equal(l.stats.short_of, 2);
    assert_false(l.ended);
    hca_link_close(&l);
}

static void segment(uint32_t number, uint8_t flags, uint32_t length)
{
    const ib_mad_addr_t from = from_peer();
    uint8_t mad[WEFT_MAD_BYTES];

    fake_answer(&fake.sent[0], mad);
    rmpp_set_version(mad, 1);
    rmpp_set_type(mad, WEFT_RMPP_DATA);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE | flags);
    rmpp_set_segment(mad, number);
    rmpp_set_length(mad, length);
    fake_deliver(&fake.sent[0], mad, &from);
}

static void test_segments_are_the_engines_and_acknowledged_under_the_kernels_id(void **state)
{
    struct hca_link l;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    post(&l, agent_add(&l, WEFT_CLASS_SUBN_ADM, 1), mad, WEFT_CLASS_SUBN_ADM, LONG, 0);
    assert_int_equal(fake.agents[0].rmpp, 1);
    assert_int_equal(fake.agents[0].flags, UMAD_USER_RMPP);
    hca_link_move(&l);
    segment(1, WEFT_RMPP_FLAG_FIRST, 0);
    segment(2, WEFT_RMPP_FLAG_LAST, 20 + SA_SEGMENT);
    assert_int_equal(settle(&l, 56 + 2 * SA_SEGMENT).u.sent.status, WEFT_MAD_OK);
    assert_true(fake.sent_count > 1);
    for (unsigned i = 1; i < fake.sent_count; i++) {
        assert_int_equal(rmpp_type(fake.sent[i].mad), WEFT_RMPP_ACK);
        assert_int_equal(mad_method(fake.sent[i].mad), WEFT_METHOD_GET_TABLE);
        assert_int_equal(mad_tid(fake.sent[i].mad), mad_tid(fake.sent[0].mad));
        assert_int_equal(fake.sent[i].timeout_ms, 0);
    }
    hca_link_close(&l);
}

static void test_an_older_kernel_registers_without_RMPP(void **state)
{
    const struct weft_mad_agent_req vendor = {
        .qpn = 1, .mgmt_class = WEFT_CLASS_VENDOR2_FIRST, .class_version = 1, .oui = {1, 2, 3}};
    char text[CHANNEL_TEXT_BYTES];
    weft_mad_agent_id id;
    struct hca_link l;

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    fake.no_register2 = true;
    (void)agent_add(&l, WEFT_CLASS_SUBN_ADM, 1);
    assert_true(fake.agents[0].plain);
    assert_int_equal(fake.agents[0].rmpp, 0);
    assert_int_equal(hca_link_agent_add(&l, &vendor, &id, text), 0);
    assert_int_equal(fake.agents[1].oui, 0x010203);
    assert_int_equal(hca_link_agent_remove(&l, id), 0);
    assert_false(fake.agents[1].used);
    assert_true(fake.agents[0].used);
    assert_int_equal(hca_link_agent_remove(&l, id), WEFT_ERR_STALE);
    hca_link_close(&l);
}

static void test_an_agent_that_the_kernel_refuses_is_none_of_the_engines(void **state)
{
    struct weft_mad_agent_req r = {.qpn = 1, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    char text[CHANNEL_TEXT_BYTES];
    struct weft_mad_port_stats stats;
    weft_mad_agent_id id;
    struct hca_link l;

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    fake.no_register = true;
    assert_int_equal(hca_link_agent_add(&l, &r, &id, text), WEFT_ERR_STATE);
    assert_non_null(strstr(text, strerror(EPERM)));
    r.methods[0] = 1u << WEFT_METHOD_GET;
    assert_int_equal(hca_link_agent_add(&l, &r, &id, text), WEFT_ERR_STATE);
    assert_non_null(strstr(text, "another program"));
    weft_mad_port_stats(l.engine, &stats);
    assert_int_equal(stats.agents, 0);
    fake.no_register = false;
    r.class_version = 0xff;
    assert_int_equal(hca_link_agent_add(&l, &r, &id, text), WEFT_ERR_INVALID);
    assert_false(fake.agents[0].used);
    hca_link_close(&l);
}

static void test_two_devices_of_one_port_each_do_their_part(void **state)
{
    struct hca_link l;
    uint8_t smp[WEFT_MAD_BYTES], gmp[WEFT_MAD_BYTES];
    weft_mad_agent_id smi, gsi;

    (void)state;
    fake_begin(split, 2);
    l = fake_open(NULL);
    assert_int_equal(fake.opened, 2);
    smi = agent_add(&l, WEFT_CLASS_SUBN_DIRECTED, 0);
    gsi = agent_add(&l, WEFT_CLASS_PERF, 0);
    post(&l, smi, smp, WEFT_CLASS_SUBN_DIRECTED, LONG, 0);
    hca_link_move(&l);
    assert_string_equal(l.choice.smi.ca, "smi1");
    assert_int_equal(fake.sent[0].portid, fake.agents[0].portid);
    answer(0);
    hca_link_wait(&l, WEFT_TIME_NEVER);
    assert_int_equal(settle(&l, WEFT_MAD_BYTES).u.sent.status, WEFT_MAD_OK);
    post(&l, gsi, gmp, WEFT_CLASS_PERF, LONG, 0);
    hca_link_move(&l);
    assert_int_not_equal(fake.sent[1].portid, fake.sent[0].portid);
    answer(0);
    hca_link_wait(&l, WEFT_TIME_NEVER);
    assert_int_equal(settle(&l, WEFT_MAD_BYTES).u.sent.status, WEFT_MAD_OK);
    hca_link_close(&l);
    assert_int_equal(fake.closed, 2);
}

static void test_a_port_without_subnet_management_says_so(void **state)
{
    const struct weft_mad_agent_req r = {
        .qpn = 0, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED, .class_version = 1};
    char text[CHANNEL_TEXT_BYTES];
    weft_mad_agent_id id;
    struct hca_link l;

    (void)state;
    fake_begin(split, 1);
    l = fake_open(NULL);
    assert_int_equal(hca_link_agent_add(&l, &r, &id, text), WEFT_ERR_STATE);
    assert_non_null(strstr(text, "no subnet management"));
    (void)agent_add(&l, WEFT_CLASS_PERF, 0);
    hca_link_move(&l);
    hca_link_close(&l);
}

static void test_why_a_device_cannot_be_opened(void **state)
{
    static const struct {
        int error;
        const char *words;
    } rows[] = {{EACCES, "no permission to open /dev/infiniband/umad"},
                {EPERM, "be root, or"},
                {ENOENT, "load the module ib_umad"},
                {EBUSY, "cannot be opened: "}};
    struct hca_ports all;
    struct hca_choice choice;

    (void)state;
    fake_begin(one, 1);
    assert_int_equal(hca_ports_read(&all, (char[LIBRARY_TEXT_BYTES]){""}), 0);
    assert_int_equal(hca_ports_choose(&all, NULL, 0, &choice), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[CHANNEL_TEXT_BYTES] = "";
        struct hca_link l;

        fake.open_errno = rows[i].error;
        assert_int_equal(hca_link_open(&l, &choice, NULL, text), WEFT_ERR_STATE);
        assert_non_null(strstr(text, "mlx5_0 port 1: "));
        assert_non_null(strstr(text, rows[i].words));
        assert_null(l.engine);
    }
}

static void test_addresses_go_both_ways(void **state)
{
    ib_mad_addr_t from = {.lid = htons(PEER_LID),
                          .qpn = htonl(0x123456),
                          .sl = 3,
                          .grh_present = 1,
                          .gid = {0xfe, 0x80, 9},
                          .flow_label = htonl(0xabcde),
                          .hop_limit = 7,
                          .traffic_class = 5,
                          .pkey_index = 4};
    struct weft_mad_addr to = {
        .lid = PEER_LID,
        .sl = 3,
        .path_bits = 0,
        .qpn = 0x123456,
        .qkey = 0x80010000,
        .pkey_index = 4,
        .has_grh = true,
        .grh = {
            .dgid = {0xfe, 0x80, 9}, .flow_label = 0xabcde, .hop_limit = 7, .traffic_class = 5}};
    const uint8_t own[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x21};
    uint8_t mad[WEFT_MAD_BYTES] = {1, WEFT_CLASS_PERF, 1, WEFT_METHOD_GET}, back[WEFT_MAD_BYTES];
    struct weft_mad_send_req r = {
        .to = to, .data = mad, .len = WEFT_MAD_BYTES, .timeout = LONG, .user_data = 99};
    struct weft_mad_event ev;
    struct hca_link l;
    ib_mad_addr_t *sent = &fake.sent[0].addr;

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    r.agent = agent_add(&l, WEFT_CLASS_PERF, 0);
    memcpy(r.to.grh.sgid, own, sizeof(own));
    assert_int_equal(weft_mad_post(l.engine, l.now, &r, NULL), 0);
    hca_link_move(&l);
    from.qkey = sent->qkey;
    assert_int_equal(ntohl(sent->qkey), WEFT_QKEY_GSI);
    assert_memory_equal(sent, &from, sizeof(from));
    fake_answer(&fake.sent[0], back);
    fake_deliver(&fake.sent[0], back, &from);
    hca_link_move(&l);
    assert_true(weft_mad_poll_event(l.engine, &ev));
    assert_int_equal(ev.type, WEFT_MAD_EVENT_RECV);
    assert_int_equal(ev.u.recv.from.lid, PEER_LID);
    assert_int_equal(ev.u.recv.from.qpn, 0x123456);
    assert_int_equal(ev.u.recv.from.qkey, WEFT_QKEY_GSI);
    assert_int_equal(ev.u.recv.from.sl, 3);
    assert_int_equal(ev.u.recv.from.pkey_index, 4);
    assert_true(ev.u.recv.from.has_grh);
    assert_memory_equal(ev.u.recv.from.grh.sgid, to.grh.dgid, 16);
    assert_memory_equal(ev.u.recv.from.grh.dgid, own, 16);
    assert_int_equal(ev.u.recv.from.grh.flow_label, 0xabcde);
    assert_int_equal(ev.u.recv.from.grh.hop_limit, 7);
    assert_int_equal(ev.u.recv.from.grh.traffic_class, 5);
    assert_int_equal(ev.u.recv.dlid, 7);
    hca_link_close(&l);
}

/* QP0 knows no Q_Key: an SMP has 0 whatever its sender has written, a GMP what that says. */
static void test_SMPs_have_the_Q_Key_0_and_GMPs_their_own(void **state)
{
    static const struct {
        uint8_t mgmt_class;
        uint32_t qkey, sent, received;
    } cases[] = {{WEFT_CLASS_SUBN_LID, WEFT_QKEY_GSI, 0, 0},
                 {WEFT_CLASS_SUBN_LID, 0, 0, 0},
                 {WEFT_CLASS_PERF, WEFT_QKEY_GSI, WEFT_QKEY_GSI, WEFT_QKEY_GSI},
                 {WEFT_CLASS_PERF, 0x11223344, 0x11223344, WEFT_QKEY_GSI}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t mad[WEFT_MAD_BYTES] = {1, cases[i].mgmt_class, 1, WEFT_METHOD_GET};
        uint8_t qpn = mad_class_is_smi(cases[i].mgmt_class) ? WEFT_QP_SMI : WEFT_QP_GSI;
        struct weft_mad_send_req r = {.to = {.lid = PEER_LID, .qpn = qpn, .qkey = cases[i].qkey},
                                      .data = mad,
                                      .len = WEFT_MAD_BYTES,
                                      .timeout = LONG};
        struct weft_mad_event ev;
        struct hca_link l;

        fake_begin(one, 1);
        l = fake_open(NULL);
        r.agent = agent_add(&l, cases[i].mgmt_class, 0);
        assert_int_equal(weft_mad_post(l.engine, l.now, &r, NULL), 0);
        hca_link_move(&l);
        assert_int_equal(fake.sent_count, 1);
        assert_int_equal(ntohl(fake.sent[0].addr.qpn), qpn);
        assert_int_equal(ntohl(fake.sent[0].addr.qkey), cases[i].sent);
        answer(0);
        hca_link_move(&l);
        assert_true(weft_mad_poll_event(l.engine, &ev));
        assert_int_equal(ev.type, WEFT_MAD_EVENT_RECV);
        assert_int_equal(ev.u.recv.from.qkey, cases[i].received);
        assert_int_equal(weft_mad_recv_release(l.engine, ev.u.recv.id), 0);
        hca_link_close(&l);
    }
}

static void test_what_fits_no_packet_or_no_agent_is_taken_away(void **state)
{
    const ib_mad_addr_t from = from_peer();
    struct hca_link l;
    weft_mad_agent_id agent;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    agent = agent_add(&l, WEFT_CLASS_PERF, 0);
    post(&l, agent, mad, WEFT_CLASS_PERF, LONG, 0);
    hca_link_move(&l);
    fake_deliver_long(&fake.sent[0], 100000);
    fake_deliver_long(&fake.sent[0], 23);
    answer(0);
    assert_int_equal(settle(&l, WEFT_MAD_BYTES).u.sent.status, WEFT_MAD_OK);
    assert_int_equal(l.stats.strangers, 2);
    assert_int_equal(hca_link_agent_remove(&l, agent), 0);
    fake_deliver(&fake.sent[0], mad, &from);
    hca_link_move(&l);
    assert_int_equal(l.stats.strangers, 3);
    assert_false(l.ended);
    hca_link_close(&l);
}

static void test_an_answer_without_its_last_zeros_is_whole(void **state)
{
    struct hca_link l;
    weft_mad_agent_id agent;
    struct weft_mad_event ev;
    uint8_t mad[WEFT_MAD_BYTES];
    const uint8_t *got;

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    agent = agent_add(&l, WEFT_CLASS_PERF, 0);
    post(&l, agent, mad, WEFT_CLASS_PERF, LONG, 0);
    hca_link_move(&l);
    mad_set_method(fake.sent[0].mad, WEFT_METHOD_GET_RESP);
    fake.sent[0].mad[119] = 0x5a;
    fake.sent[0].mad[120] = 0x5b;
    fake_deliver_long(&fake.sent[0], 120);
    hca_link_move(&l);
    assert_true(weft_mad_poll_event(l.engine, &ev));
    assert_int_equal(ev.type, WEFT_MAD_EVENT_RECV);
    assert_int_equal(ev.u.recv.len, WEFT_MAD_BYTES);
    got = ev.u.recv.mad;
    assert_int_equal(got[119], 0x5a);
    assert_int_equal(got[120], 0);
    assert_int_equal(l.stats.strangers, 0);
    hca_link_close(&l);
}

static void test_an_adapter_that_goes_ends_the_link(void **state)
{
    static const int errors[] = {ENODEV, EIO};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct hca_link l;
        uint8_t mad[WEFT_MAD_BYTES];

        fake_begin(one, 1);
        l = fake_open(NULL);
        post(&l, agent_add(&l, WEFT_CLASS_PERF, 0), mad, WEFT_CLASS_PERF, LONG, 0);
        if (i < 2)
            fake.recv_errno = errors[i % 2];
        else
            fake.send_errno = errors[i % 2];
        hca_link_move(&l);
        assert_true(l.ended);
        hca_link_wait(&l, WEFT_TIME_NEVER);
        hca_link_close(&l);
    }
}

static void test_a_port_that_gets_another_LID_is_looked_at_anew(void **state)
{
    struct fake_port moving[] = {one[0]};
    struct hca_link l;

    (void)state;
    fake_begin(moving, 1);
    l = fake_open(NULL);
    moving[0].lid = 9;
    assert_true(hca_link_look(&l));
    assert_int_equal(l.choice.gsi.lid, 9);
    fake.port_count = 0;
    assert_false(hca_link_look(&l));
    assert_int_equal(l.choice.gsi.lid, 9);
    hca_link_close(&l);
}

static void test_no_more_is_on_the_way_to_ibsim_than_it_can_take(void **state)
{
    uint8_t mads[HCA_ROOM_MAX + 2][WEFT_MAD_BYTES];
    struct weft_mad_config config;
    weft_mad_agent_id agent;
    struct hca_link l;

    (void)state;
    fake_begin(one, 1);
    fake.made_up_portids = true;
    (void)weft_mad_config_init(&config);
    config.flow.agent_limits = false;
    l = fake_open(&config);
    agent = agent_add(&l, WEFT_CLASS_PERF, 0);
    for (unsigned i = 0; i < HCA_ROOM_MAX + 2; i++)
        post_as(&l, agent, mads[i], WEFT_CLASS_PERF, LONG, 0, 0x1234 + i);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, l.room.limit);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, l.room.limit);
    answer(l.room.limit - 1);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, l.room.limit + 1);
    /* ibsim says at once what it has lost */
    fake_give_up(&fake.sent[1]);
    hca_link_move(&l);
    assert_int_equal(fake.sent_count, l.room.limit + 2);
    hca_link_close(&l);
}

/* A machine with more to do than it can lets ibsim wait for longer than an answer takes. */
static void test_what_may_still_be_on_the_way_to_ibsim_is_not_sent_again(void **state)
{
    struct weft_mad_port_stats stats = {.retried = 0};
    struct weft_mad_event ev;
    uint8_t mad[WEFT_MAD_BYTES];
    struct hca_link l;

    (void)state;
    fake_begin(one, 1);
    fake.made_up_portids = true;
    l = fake_open(NULL);
    /* so this test may be slow */
    l.room.heard = l.now + LONG;
    post(&l, agent_add(&l, WEFT_CLASS_PERF, 0), mad, WEFT_CLASS_PERF, TIMEOUT, 200);
    while (stats.retried < 3) {
        hca_link_move(&l);
        weft_mad_port_stats(l.engine, &stats);
    }
    assert_int_equal(fake.sent_count, 1);
    /* it has been lost: now there is a use */
    fake_give_up(&fake.sent[0]);
    while (fake.sent_count < 2)
        hca_link_move(&l);
    answer(0);
    ev = settle(&l, WEFT_MAD_BYTES);
    assert_int_equal(ev.u.sent.status, WEFT_MAD_OK);
    assert_int_equal(l.stats.sent, 2);
    hca_link_close(&l);
}

/* Of two agents of one class, each sends what is its own: the kernel tells answers by that. */
static void test_each_agent_sends_under_its_own_number(void **state)
{
    struct hca_link l;
    uint8_t mad[2][WEFT_MAD_BYTES];
    weft_mad_agent_id agents[2];

    (void)state;
    fake_begin(one, 1);
    l = fake_open(NULL);
    for (int i = 0; i < 2; i++)
        agents[i] = agent_add(&l, WEFT_CLASS_PERF, 0);
    for (int i = 0; i < 2; i++) {
        post(&l, agents[i], mad[i], WEFT_CLASS_PERF, LONG, 0);
        hca_link_move(&l);
        assert_int_equal(fake.sent[i].agent, i);
        answer(0);
        assert_int_equal(settle(&l, WEFT_MAD_BYTES).u.sent.status, WEFT_MAD_OK);
    }
    hca_link_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_gets_the_engines_half_of_the_transaction_id_back),
        cmocka_unit_test(test_an_attempt_ends_at_the_kernel_before_the_engine_makes_the_next),
        cmocka_unit_test(test_what_the_kernel_gives_back_is_retried_by_the_engine_alone),
        cmocka_unit_test(test_an_attempt_that_the_kernel_refuses_is_lost_and_no_failure),
        cmocka_unit_test(test_memory_that_runs_out_loses_packets_and_no_send),
        cmocka_unit_test(test_segments_are_the_engines_and_acknowledged_under_the_kernels_id),
        cmocka_unit_test(test_an_older_kernel_registers_without_RMPP),
        cmocka_unit_test(test_an_agent_that_the_kernel_refuses_is_none_of_the_engines),
        cmocka_unit_test(test_two_devices_of_one_port_each_do_their_part),
        cmocka_unit_test(test_a_port_without_subnet_management_says_so),
        cmocka_unit_test(test_why_a_device_cannot_be_opened),
        cmocka_unit_test(test_addresses_go_both_ways),
        cmocka_unit_test(test_SMPs_have_the_Q_Key_0_and_GMPs_their_own),
        cmocka_unit_test(test_what_fits_no_packet_or_no_agent_is_taken_away),
        cmocka_unit_test(test_an_answer_without_its_last_zeros_is_whole),
        cmocka_unit_test(test_an_adapter_that_goes_ends_the_link),
        cmocka_unit_test(test_a_port_that_gets_another_LID_is_looked_at_anew),
        cmocka_unit_test(test_no_more_is_on_the_way_to_ibsim_than_it_can_take),
        cmocka_unit_test(test_what_may_still_be_on_the_way_to_ibsim_is_not_sent_again),
        cmocka_unit_test(test_each_agent_sends_under_its_own_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
