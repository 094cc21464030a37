/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/fabric.c: configuration, memory, time, what is told of nodes and ports, the tap. */
#include "core/wire/mad_header.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct topo *generate(const char *spec)
{
    struct topo_error error;
    struct topo *t = NULL;

    assert_int_equal(topo_generate(spec, &t, &error), 0);
    return t;
}

/* Memory that runs out. */
struct scarce {
    unsigned left;
    size_t bytes, blocks, most;
};

static void *scarce_get(void *ctx, size_t size, size_t align)
{
    struct scarce *s = ctx;
    void *p;

    assert_true(size > 0);
    assert_true(align <= _Alignof(max_align_t));
    if (s->left == 0)
        return NULL;
    s->left--;
    p = calloc(1, size);
    assert_non_null(p);
    s->bytes += size;
    s->blocks++;
    s->most = s->bytes > s->most ? s->bytes : s->most;
    return p;
}

static void scarce_put(void *ctx, void *p, size_t size)
{
    struct scarce *s = ctx;

    assert_non_null(p);
    assert_true(s->blocks > 0 && s->bytes >= size);
    s->bytes -= size;
    s->blocks--;
    free(p);
}

static void test_memory_is_given_back_wherever_it_runs_out(void **state)
{
    struct topo *t = generate("fat-tree:hosts=8,radix=4");
    struct fabric_error error = {.text = ""};
    struct fabric_config c;
    int err = WEFT_ERR_NOMEM;
    unsigned blocks = 0;

    (void)state;
    fabric_config_init(&c);
    c.up = true;
    while (err != 0) {
        struct scarce s = {.left = blocks++};
        const struct weft_alloc from = {scarce_get, scarce_put, &s};
        struct fabric *f = NULL;

        err = fabric_new(&c, t, &from, &f, &error);
        if (err == 0) {
            assert_int_equal(fabric_bytes(f), s.bytes);
            fabric_free(f);
        } else {
            assert_int_equal(err, WEFT_ERR_NOMEM);
            assert_non_null(strstr(error.text, "memory"));
        }
        assert_int_equal(s.bytes, 0);
        assert_int_equal(s.blocks, 0);
        assert_in_range(blocks, 1, 1000);
    }
    assert_true(blocks > 20);
    topo_free(t);
}

static void test_memory_comes_from_the_heap_where_nothing_else_is_said(void **state)
{
    struct topo *t = generate("fat-tree:hosts=2,radix=4");
    struct fabric_error error;
    struct fabric_config c;
    struct fabric *f = NULL;

    (void)state;
    fabric_config_init(&c);
    assert_int_equal(fabric_new(&c, t, NULL, &f, &error), 0);
    topo_free(t);
    assert_null(fabric_free(f));
    assert_null(fabric_free(NULL));
}

static void expect_config(const struct fabric_config *c, int err, const char *name)
{
    struct topo *t = generate("fat-tree:hosts=2,radix=4");
    struct fabric_error error = {.text = ""};
    struct fabric *f = NULL;

    assert_int_equal(fabric_new(c, t, &pages_alloc, &f, &error), err);
    if (err != 0) {
        assert_null(f);
        assert_non_null(strstr(error.text, name));
    }
    fabric_free(f);
    topo_free(t);
}

/* A member of the configuration at its limits, and one beyond each. */
#define EXPECT_LIMITS(member, least, most)                                                         \
    do {                                                                                           \
        struct fabric_config c;                                                                    \
                                                                                                   \
        fabric_config_init(&c);                                                                    \
        c.member = (least);                                                                        \
        expect_config(&c, 0, #member);                                                             \
        c.member = (most);                                                                         \
        expect_config(&c, 0, #member);                                                             \
        c.member = (most);                                                                         \
        c.member++;                                                                                \
        expect_config(&c, WEFT_ERR_INVALID, #member);                                              \
        if ((least) > 0) {                                                                         \
            c.member = (least);                                                                    \
            c.member--;                                                                            \
            expect_config(&c, WEFT_ERR_INVALID, #member);                                          \
        }                                                                                          \
    } while (0)

static void test_every_limit_of_the_configuration_is_kept(void **state)
{
    (void)state;
    EXPECT_LIMITS(hop_ns, 0, WEFT_S);
    EXPECT_LIMITS(agent_ns, 0, WEFT_S);
    EXPECT_LIMITS(training_ns, 0, 3600 * WEFT_S);
    EXPECT_LIMITS(vl15_depth, 1, 65536);
    EXPECT_LIMITS(gsi_depth, 1, 65536);
    EXPECT_LIMITS(flights, 64, UINT32_C(1) << 24);
    EXPECT_LIMITS(deliveries, 64, UINT32_C(1) << 20);
    EXPECT_LIMITS(attachments, 1, 65536);
    EXPECT_LIMITS(lft_cap, 1, 49152);
    EXPECT_LIMITS(mft_cap, 32, 16384);
    EXPECT_LIMITS(pkey_cap, 1, 1024);
}

static void test_nodes_are_told_of(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_node_info info;

    (void)state;
    assert_int_equal(fabric_node_count(ff->f), 3);
    fabric_node(ff->f, 0, &info);
    assert_int_equal(info.guid, 0x10);
    assert_int_equal(info.type, TOPO_SWITCH);
    assert_int_equal(info.ports, 4);
    assert_true(info.alive);
    assert_string_equal(info.name, "sw");
    assert_int_equal(info.vendor, 0x2c9);
    ff->f->nodes[1].dead = true;
    fabric_node(ff->f, 1, &info);
    assert_false(info.alive);
    assert_int_equal(info.type, TOPO_CA);
    ff_free(ff);
}

static void test_ports_are_told_of_as_their_host_sees_them(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct port *p = ff_port(ff, "a", 1);
    struct fabric_port_info info;

    (void)state;
    wire_set(WIRE_PORT_INFO_LID, p->info, 5);
    wire_set(WIRE_PORT_INFO_LMC, p->info, 2);
    wire_set(WIRE_PORT_INFO_MASTER_SM_LID, p->info, 9);
    wire_set(WIRE_PORT_INFO_MASTER_SM_SL, p->info, 3);
    assert_int_equal(fabric_port(ff->f, p->node, 1, &info), 0);
    assert_int_equal(info.guid, 0x21);
    assert_int_equal(info.gid_prefix, 0xfe80000000000000);
    assert_int_equal(info.lid, 5);
    assert_int_equal(info.lmc, 2);
    assert_int_equal(info.sm_lid, 9);
    assert_int_equal(info.sm_sl, 3);
    assert_int_equal(info.state, 2);
    assert_int_equal(info.physical_state, 5);
    assert_int_equal(info.width, 2);
    assert_int_equal(info.speed, 0);
    assert_int_equal(info.speed_ext, 2);
    assert_int_equal(info.rate_gbps, 100);
    assert_int_equal(info.pkeys, 128);
    ff_free(ff);
}

static void test_an_external_port_of_a_switch_has_its_own_state_and_port_0s_names(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_port_info info;

    (void)state;
    wire_set(WIRE_PORT_INFO_LID, ff_port(ff, "sw", 0)->info, 5);
    assert_int_equal(fabric_port(ff->f, 0, 3, &info), 0);
    assert_int_equal(info.lid, 5);
    assert_int_equal(info.guid, 0x10);
    assert_int_equal(info.state, 1);
    assert_int_equal(info.pkeys, 32);
    assert_int_equal(fabric_port(ff->f, 0, 0, &info), 0);
    assert_int_equal(info.state, 4);
    assert_int_equal(info.pkeys, 128);
    ff_free(ff);
}

static void test_ports_that_do_not_exist_are_refused(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_port_info info;
    uint16_t key;

    (void)state;
    assert_int_equal(fabric_port(ff->f, 0, 5, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port(ff->f, 1, 0, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port(ff->f, 1, 2, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port(ff->f, 3, 1, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port_pkeys(ff->f, 3, 1, 0, &key, 1), WEFT_ERR_INVALID);
    ff_free(ff);
}

/* What sysfs would say. */
static void test_rates_are_rounded_as_the_kernel_does(void **state)
{
    static const struct {
        const char *width, *speed;
        uint16_t gbps;
    } cases[] = {{"1x", "SDR", 2},   {"4x", "SDR", 10},  {"4x", "DDR", 20},
                 {"4x", "QDR", 40},  {"4x", "FDR", 56},  {"4x", "EDR", 100},
                 {"2x", "HDR", 100}, {"4x", "HDR", 200}, {"4x", "NDR", 400}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fabric_port_info info;
        char text[300];
        struct ff *ff;

        snprintf(text, sizeof(text),
                 "Ca 1 \"H-0000000000000020\" # \"a\"\n"
                 "[1] \"H-0000000000000030\"[1] # lid 0 lmc 0 \"b\" lid 0 %s%s\n",
                 cases[i].width, cases[i].speed);
        ff = ff_new(text, NULL);
        assert_int_equal(fabric_port(ff->f, 0, 1, &info), 0);
        assert_int_equal(info.rate_gbps, cases[i].gbps);
        ff_free(ff);
    }
}

static void test_pkey_tables_are_copied(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    uint16_t keys[129];

    (void)state;
    port_set_pkey(ff->f, ff_port(ff, "a", 1), 127, 0x8001);
    assert_int_equal(fabric_port_pkeys(ff->f, 1, 1, 0, keys, 128), 0);
    assert_int_equal(keys[0], 0xFFFF);
    assert_int_equal(keys[1], 0);
    assert_int_equal(keys[127], 0x8001);
    assert_int_equal(fabric_port_pkeys(ff->f, 1, 1, 127, keys, 1), 0);
    assert_int_equal(keys[0], 0x8001);
    assert_int_equal(fabric_port_pkeys(ff->f, 1, 1, 128, keys, 0), 0);
    assert_int_equal(fabric_port_pkeys(ff->f, 1, 1, 0, keys, 129), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port_pkeys(ff->f, 1, 1, 128, keys, 1), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port_pkeys(ff->f, 1, 1, UINT16_MAX, keys, 2), WEFT_ERR_INVALID);
    assert_int_equal(fabric_port_pkeys(ff->f, 0, 1, 0, keys, 32), 0);
    assert_int_equal(fabric_port_pkeys(ff->f, 0, 1, 0, keys, 33), WEFT_ERR_INVALID);
    ff_free(ff);
}

static void test_time_does_not_go_back(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    assert_int_equal(fabric_deadline(ff->f), WEFT_TIME_NEVER);
    assert_int_equal(fabric_advance(ff->f, 100), 0);
    assert_int_equal(fabric_advance(ff->f, 99), WEFT_ERR_CLOCK);
    assert_int_equal(fabric_advance(ff->f, 100), 0);
    assert_int_equal(fabric_advance(ff->f, WEFT_TIME_NEVER), 0);
    ff->now = WEFT_TIME_NEVER;
    ff_free(ff);
}

/* What a tap was told. */
struct told {
    unsigned sent, delivered, dropped;
    weft_time last;
    const char *reason;
    uint32_t node;
};

static void hear(void *ctx, const struct fabric_tap *t)
{
    struct told *told = ctx;

    told->last = t->now;
    told->node = t->node;
    told->reason = t->reason;
    if (t->point == FABRIC_TAP_SENT)
        told->sent++;
    else if (t->point == FABRIC_TAP_DELIVERED)
        told->delivered++;
    else
        told->dropped++;
    assert_int_equal(t->reason != NULL, t->point == FABRIC_TAP_DROPPED);
}

static void test_history_does_not_depend_on_how_often_time_passes(void **state)
{
    struct fabric_config c;
    struct told told[2] = {{0}, {0}};

    (void)state;
    fabric_config_init(&c);
    c.hop_ns = 7;
    c.agent_ns = 11;
    for (int i = 0; i < 2; i++) {
        struct ff *ff = ff_new(ff_chain, &c);
        struct ff_program *p = ff_attach(ff, "a");
        struct packet packet =
            ff_directed(p, FF_ROUTE(1, 2, 1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        fabric_set_tap(ff->f, hear, &told[i]);
        ff_send(p, &packet);
        if (i == 0)
            ff_advance(ff, WEFT_S);
        else
            for (int k = 0; k < 100; k++)
                ff_advance(ff, 1);
        assert_true(ff_receive(p, &packet));
        assert_int_equal(told[i].last, 6 * 7 + 11);
        assert_int_equal(told[i].sent, 2);
        assert_int_equal(told[i].delivered, 2);
        ff_free(ff);
    }
}

/* What another program does as time passes. */
static void interrupt(struct ff *ff, struct ff_program *other, int way)
{
    struct packet packet = ff_directed(other, FF_ROUTE_SELF, WEFT_METHOD_GET, 0, 0);

    if (way == 1)
        assert_int_equal(fabric_send(ff->f, ff->now, other->id, &packet), 0);
    else if (way == 2)
        assert_int_equal(fabric_set_issm(ff->f, ff->now, other->id, true), 0);
    else if (way == 3)
        ff_detach(other);
}

static void test_history_does_not_depend_on_what_others_do(void **state)
{
    struct fabric_config c;

    (void)state;
    fabric_config_init(&c);
    c.hop_ns = 1000;
    for (int way = 0; way < 4; way++) {
        struct ff *ff = ff_new(ff_chain, &c);
        struct ff_program *p = ff_attach(ff, "a"), *other = ff_attach(ff, "b");
        struct packet packet =
            ff_directed(p, FF_ROUTE(1, 2, 1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        ff_send(p, &packet);
        for (int round = 0; round < 4; round++) {
            assert_false(ff_receive(p, &packet));
            ff->now += 1900;
            if (way == 1 || round == 2)
                interrupt(ff, other, way);
            ff_advance(ff, 0);
        }
        /* six links, so by 6 us, which is within the fourth round */
        assert_true(ff_receive(p, &packet));
        ff_free(ff);
    }
}

static void test_what_is_due_happens_before_a_call_acts(void **state)
{
    (void)state;
    for (int way = 1; way < 4; way++) {
        struct ff *ff = ff_new(ff_two_hosts, NULL);
        struct ff_program *p = ff_attach(ff, "a"), *other = ff_attach(ff, "b");
        struct packet packet = ff_directed(p, FF_ROUTE(1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        ff_command(ff, "at 1s link a/1 down");
        ff->now = 2 * WEFT_S;
        if (way > 1)
            interrupt(ff, other, way);
        else
            assert_int_equal(fabric_send(ff->f, ff->now, p->id, &packet), 0);
        assert_int_equal(port_get_state(p->port), PORT_STATE_DOWN);
        ff_advance(ff, 0);
        assert_false(ff_receive(p, &packet));
        ff_free(ff);
    }
}

static void test_the_tap_hears_why_a_packet_was_dropped(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct ff_program *p = ff_attach(ff, "a");
    struct packet packet = ff_directed(p, FF_ROUTE(1, 3), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    struct told told = {0};

    (void)state;
    fabric_set_tap(ff->f, hear, &told);
    ff_send(p, &packet);
    assert_string_equal(told.reason, "link-down");
    assert_int_equal(told.node, 0);
    assert_int_equal(told.dropped, 1);
    fabric_set_tap(ff->f, NULL, NULL);
    ff_send(p, &packet);
    assert_int_equal(told.dropped, 1);
    assert_int_equal(ff_stats(ff).dropped_link, 2);
    ff_free(ff);
}

static void test_each_reason_is_counted_in_its_place(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    const struct packet packet = {.dlid = 1};
    struct told told = {0};
    struct fabric_stats s;

    (void)state;
    fabric_set_tap(ff->f, hear, &told);
    for (int why = 0; why < DROPS; why++) {
        fabric_drop(ff->f, ff_port(ff, "a", 1), &packet, (enum drop)why);
        assert_true(strlen(told.reason) > 0);
    }
    s = ff_stats(ff);
    assert_int_equal(s.dropped_lost, 2);
    assert_int_equal(s.dropped_link, 2);
    assert_int_equal(s.dropped_route, 3);
    assert_int_equal(s.dropped_queue, 4);
    assert_int_equal(s.dropped_key, 4);
    assert_int_equal(s.dropped_unclaimed, 2);
    assert_int_equal(told.dropped, DROPS);
    ff_free(ff);
}

static void test_a_large_fabric_is_made_and_asked(void **state)
{
    struct ff *ff = ff_new("fat-tree:hosts=5832,radix=36", NULL);
    struct ff_program *p = ff_attach(ff, ff->f->nodes[ff->f->node_count - 1].name);
    struct packet answer = ff_get(p, FF_ROUTE(1), WEFT_ATTR_NODE_INFO, 0);

    (void)state;
    assert_int_equal(wire_get(WIRE_NODE_INFO_NODE_TYPE, ff_data(&answer)), 2);
    assert_true(fabric_bytes(ff->f) > 0);
    ff_free(ff);
}

/* What lasts longer than time does never happens; all else is as ever. */
static void test_time_may_come_to_its_end(void **state)
{
    static const weft_time times[] = {WEFT_TIME_NEVER - 3600 * WEFT_S, WEFT_TIME_NEVER - 1000,
                                      WEFT_TIME_NEVER - 1, WEFT_TIME_NEVER};
    static const char *const lines[] = {
        "every 1h counter sw/1 rcv_errors add 1",
        "at 8760h counter sw/1 rcv_errors add 1",
        "trap sw/1 129",
        "delay 1h jitter 1h on link a/1",
        "link a/1 down",
        "link a/1 up",
        "duplicate 100% on all",
        "reorder 100% by 1h on all",
    };

    (void)state;
    for (weft_time latency = 0; latency <= WEFT_S; latency += WEFT_S) {
        struct fabric_config c;
        struct ff *ff;
        struct ff_program *p;

        fabric_config_init(&c);
        c.up = true;
        c.hop_ns = c.agent_ns = c.training_ns = latency;
        ff = ff_new(ff_two_hosts, &c);
        p = ff_attach(ff, "a");
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
            struct packet get = ff_lid_smp(p, port_lid(ff_port(ff, "b", 1)), WEFT_METHOD_GET,
                                           WEFT_ATTR_NODE_INFO, 0);
            char text[4096];

            ff_advance(ff, times[i] - ff->now);
            for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++)
                ff_command(ff, lines[k]);
            for (int k = 0; k < 100; k++)
                ff_send(p, &get);
            assert_true(fabric_faults_text(ff->f, text, sizeof(text)) < sizeof(text));
            ff_command(ff, "clear");
            assert_int_equal(fabric_advance(ff->f, times[i]), 0);
            assert_true(fabric_deadline(ff->f) > times[i] ||
                        fabric_deadline(ff->f) == WEFT_TIME_NEVER);
        }
        ff_free(ff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_given_back_wherever_it_runs_out),
        cmocka_unit_test(test_memory_comes_from_the_heap_where_nothing_else_is_said),
        cmocka_unit_test(test_every_limit_of_the_configuration_is_kept),
        cmocka_unit_test(test_nodes_are_told_of),
        cmocka_unit_test(test_ports_are_told_of_as_their_host_sees_them),
        cmocka_unit_test(test_an_external_port_of_a_switch_has_its_own_state_and_port_0s_names),
        cmocka_unit_test(test_ports_that_do_not_exist_are_refused),
        cmocka_unit_test(test_rates_are_rounded_as_the_kernel_does),
        cmocka_unit_test(test_pkey_tables_are_copied),
        cmocka_unit_test(test_time_does_not_go_back),
        cmocka_unit_test(test_history_does_not_depend_on_how_often_time_passes),
        cmocka_unit_test(test_history_does_not_depend_on_what_others_do),
        cmocka_unit_test(test_what_is_due_happens_before_a_call_acts),
        cmocka_unit_test(test_the_tap_hears_why_a_packet_was_dropped),
        cmocka_unit_test(test_each_reason_is_counted_in_its_place),
        cmocka_unit_test(test_a_large_fabric_is_made_and_asked),
        cmocka_unit_test(test_time_may_come_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
