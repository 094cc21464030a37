/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a sweep that goes on: who is new, who has moved, who has stopped answering. What the
 * sweep knows is changed here by hand, between one look at it and the next. */
#include "client/sweep_state.h"
#include "client_fixture.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Of ff_two_hosts, as a sweep from "a" finds them: a's port, the switch's 0 to 4, b's. */
#define PORTS 9

/* Where some are redirected to. */
#define ELSEWHERE 77

struct lab {
    struct cf *cf;
    struct weft_sweep *sweep;
    struct weft_counters *counters;
    uint32_t a, sw, b;       /* ports: a/1, sw/0, b/1 */
    weft_pkey redirect_pkey; /* the partition of ELSEWHERE */
};

static const weft_mad_agent_id agent = {7};

static struct lab lab_new(void)
{
    struct fabric_config c;
    struct lab l;

    fabric_config_init(&c);
    c.up = true;
    l.cf = cf_new(ff_two_hosts, &c, "a");
    l.sweep = cf_sweep(l.cf, NULL);
    l.counters = NULL;
    l.redirect_pkey = 0x8005;
    l.a = cf_port(l.sweep, "a", 1);
    l.sw = cf_port(l.sweep, "sw", 0);
    l.b = cf_port(l.sweep, "b", 1);
    assert_int_equal(weft_sweep_port_count(l.sweep), PORTS);
    return l;
}

static void lab_free(struct lab *l)
{
    (void)weft_counters_free(l->counters);
    (void)weft_sweep_free(l->sweep);
    cf_free(l->cf);
}

static void begin(struct lab *l, const bool *wanted)
{
    struct weft_counters_config config;

    (void)weft_counters_config_init(&config);
    config.wanted = wanted;
    assert_int_equal(weft_counters_new(l->sweep, &config, NULL, agent, NULL, &l->counters), 0);
}

static void grow(struct lab *l, const bool *wanted)
{
    assert_int_equal(weft_counters_grow(l->counters, wanted, NULL), 0);
}

static void redirect(const struct lab *l, uint8_t mad[WEFT_MAD_BYTES])
{
    uint8_t *info = mad + WEFT_ATTRIBUTE_OFFSET;

    mad_set_status(mad, WEFT_STATUS_REDIRECT);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_LID, info, ELSEWHERE);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QP, info, WEFT_QP_GSI);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_QKEY, info, WEFT_QKEY_GSI);
    wire_set(WIRE_CLASS_PORT_INFO_REDIRECT_PKEY, info, l->redirect_pkey);
}

/* Answers: all have classic counters alone, and so many symbol errors, or lead elsewhere. */
static void answer_as(struct lab *l, const struct weft_mad_send_req *r, bool leads_away,
                      uint16_t errors)
{
    struct weft_mad_event ev = {
        .type = WEFT_MAD_EVENT_RECV, .agent = r->agent, .user_data = r->user_data};
    uint8_t mad[WEFT_MAD_BYTES];

    memcpy(mad, r->data, sizeof(mad));
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    if (mad_attr_id(mad) == WEFT_ATTR_PM_PORT_COUNTERS)
        wire_set(WIRE_PORT_COUNTERS_SYMBOL_ERRORS, mad + WEFT_ATTRIBUTE_OFFSET, errors);
    if (leads_away)
        redirect(l, mad);
    ev.u.recv.mad = mad;
    ev.u.recv.len = sizeof(mad);
    weft_counters_event(l->counters, &ev);
    ev = cf_end(r, WEFT_MAD_OK, 1);
    weft_counters_event(l->counters, &ev);
}

static void answer(struct lab *l, const struct weft_mad_send_req *r, uint16_t errors)
{
    answer_as(l, r, false, errors);
}

/* Answers all questions.
 * Returns how many there were. */
static unsigned answer_all(struct lab *l, uint16_t errors)
{
    struct weft_mad_send_req r;
    unsigned count = 0;

    for (; weft_counters_poll(l->counters, &r); count++)
        answer(l, &r, errors);
    return count;
}

static uint64_t errors_at(const struct lab *l, uint32_t port)
{
    struct weft_pma_values v;

    weft_counters_get(l->counters, port, &v);
    return v.value[WEFT_PMA_SYMBOL_ERRORS];
}

static enum weft_counters_state state_at(const struct lab *l, uint32_t port)
{
    return weft_counters_state(l->counters, port);
}

static void test_nodes_that_are_new_are_asked_and_the_others_not_again(void **state)
{
    struct lab l = lab_new();

    (void)state;
    /* b, the last one, is not found at first. */
    l.sweep->node_count--;
    l.sweep->port_count -= 2;
    begin(&l, NULL);
    assert_int_equal(answer_all(&l, 3), 2 + 5 + 1);
    assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_UNASKED);
    assert_null(weft_counters_abilities(l.counters, l.b));
    assert_int_equal(errors_at(&l, l.b), 0);
    l.sweep->node_count++;
    l.sweep->port_count += 2;
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 4), 2);
    assert_true(weft_counters_done(l.counters));
    assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_READ);
    assert_int_equal(errors_at(&l, l.b), 4);
    assert_int_equal(errors_at(&l, l.a), 3);
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 5), 0);
    lab_free(&l);
}

static void test_what_agents_have_is_known_from_an_earlier_reading(void **state)
{
    struct lab l = lab_new();
    struct weft_counters *before;
    struct weft_counters_config config;
    unsigned count;

    (void)state;
    begin(&l, NULL);
    count = answer_all(&l, 3);
    before = l.counters;
    (void)weft_counters_config_init(&config);
    assert_int_equal(weft_counters_new(l.sweep, &config, before, agent, NULL, &l.counters), 0);
    assert_int_equal(answer_all(&l, 4), count - 3); /* three agents */
    assert_non_null(weft_counters_abilities(l.counters, l.b));
    assert_int_equal(errors_at(&l, l.b), 4);
    (void)weft_counters_free(before);
    lab_free(&l);
}

static void test_who_has_a_LID_later_is_asked_then(void **state)
{
    struct lab l = lab_new();
    uint16_t lid = l.sweep->ports[l.b].lid;

    (void)state;
    l.sweep->ports[l.b].lid = 0;
    begin(&l, NULL);
    (void)answer_all(&l, 3);
    assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_NO_ADDRESS);
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 4), 0);
    l.sweep->ports[l.b].lid = lid;
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 4), 2);
    assert_int_equal(errors_at(&l, l.b), 4);
    l.sweep->ports[l.b].lid = 0; /* and who has lost it was somebody else under it */
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 5), 0);
    assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_NO_ADDRESS);
    assert_int_equal(errors_at(&l, l.b), 0);
    lab_free(&l);
}

/* 0, multicast LIDs and the permissive one are no port's address, whatever a hostile one says. */
static void test_only_a_unicast_LID_is_an_address(void **state)
{
    static const struct {
        uint16_t lid;
        bool is_address;
    } cases[] = {{0, false},      {1, true},       {0xBFFF, true},
                 {0xC000, false}, {0xFFFE, false}, {0xFFFF, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lab l = lab_new();
        bool wanted[PORTS] = {false};
        struct weft_mad_send_req r;

        wanted[l.b] = true;
        l.sweep->ports[l.b].lid = cases[i].lid;
        begin(&l, wanted);
        assert_int_equal(weft_counters_poll(l.counters, &r), cases[i].is_address);
        if (cases[i].is_address) {
            assert_int_equal(r.to.lid, cases[i].lid);
            answer(&l, &r, 3);
            assert_int_equal(answer_all(&l, 3), 1);
        }
        assert_true(weft_counters_done(l.counters));
        assert_int_equal(state_at(&l, l.b),
                         cases[i].is_address ? WEFT_COUNTERS_READ : WEFT_COUNTERS_NO_ADDRESS);
        lab_free(&l);
    }
}

static void test_what_came_from_a_LID_that_was_not_theirs_does_not_count(void **state)
{
    struct lab l = lab_new();
    struct weft_mad_send_req r, late = {.user_data = 0};
    unsigned count = 0;

    (void)state;
    begin(&l, NULL);
    (void)answer_all(&l, 3);
    assert_int_equal(errors_at(&l, l.sw + 2), 3);
    l.sweep->ports[l.sw].lid = 100;
    l.sweep->ports[l.b].lid = 101;
    grow(&l, NULL);
    assert_int_equal(state_at(&l, l.sw + 2), WEFT_COUNTERS_SILENT);
    assert_int_equal(errors_at(&l, l.sw + 2), 0);
    assert_int_equal(answer_all(&l, 4), 2 + 5 + 1);
    assert_int_equal(state_at(&l, l.sw + 2), WEFT_COUNTERS_READ);
    assert_int_equal(errors_at(&l, l.sw + 2), 4);
    assert_int_equal(errors_at(&l, l.b), 4);
    assert_int_equal(errors_at(&l, l.a), 3);

    /* The same while they are still asked at the old one. */
    (void)weft_counters_free(l.counters);
    begin(&l, NULL);
    while (weft_counters_poll(l.counters, &r)) {
        if (r.to.lid == 101) {
            late = r;
            count++;
        } else {
            answer(&l, &r, 5);
        }
    }
    assert_int_equal(count, 1);
    l.sweep->ports[l.b].lid = 102;
    grow(&l, NULL);
    answer(&l, &late, 6);
    assert_int_equal(answer_all(&l, 7), 2);
    assert_true(weft_counters_done(l.counters));
    assert_int_equal(errors_at(&l, l.b), 7);
    grow(&l, NULL); /* who has been replaced is so once */
    assert_int_equal(answer_all(&l, 8), 0);
    assert_int_equal(errors_at(&l, l.b), 7);
    lab_free(&l);
}

static void test_who_has_stopped_answering_the_sweep_counts_as_silent(void **state)
{
    struct lab l = lab_new();

    (void)state;
    begin(&l, NULL);
    (void)answer_all(&l, 3);
    assert_int_equal(state_at(&l, l.sw + 1), WEFT_COUNTERS_READ);
    l.sweep->ports[l.sw].silent = true;
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 4), 0);
    assert_int_equal(state_at(&l, l.sw + 1), WEFT_COUNTERS_SILENT);
    assert_int_equal(errors_at(&l, l.sw + 1), 0);
    assert_int_equal(state_at(&l, l.a), WEFT_COUNTERS_READ);
    lab_free(&l);
}

/* Neither at first nor when more of its ports are wanted. */
static void test_who_does_not_answer_the_sweep_is_not_asked(void **state)
{
    struct lab l = lab_new();
    bool wanted[PORTS] = {false};

    (void)state;
    wanted[l.b] = wanted[l.sw + 1] = true;
    l.sweep->ports[l.b].silent = true;
    begin(&l, wanted);
    assert_int_equal(answer_all(&l, 3), 2);
    assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_SILENT);
    assert_int_equal(state_at(&l, l.sw + 1), WEFT_COUNTERS_READ);
    l.sweep->ports[l.sw].silent = true;
    wanted[l.sw + 2] = true;
    grow(&l, wanted);
    assert_int_equal(answer_all(&l, 3), 0);
    assert_int_equal(state_at(&l, l.sw + 1), WEFT_COUNTERS_SILENT);
    assert_int_equal(state_at(&l, l.sw + 2), WEFT_COUNTERS_SILENT);
    lab_free(&l);
}

static void test_port_0_joins_once_it_is_known_to_be_an_enhanced_one(void **state)
{
    struct lab l = lab_new();
    struct weft_sweep_node *n = &l.sweep->nodes[l.sweep->ports[l.sw].node];

    (void)state;
    n->enhanced_port0 = false;
    begin(&l, NULL);
    assert_int_equal(answer_all(&l, 3), 3 + 4 + 2);
    assert_int_equal(state_at(&l, l.sw), WEFT_COUNTERS_UNASKED);
    n->enhanced_port0 = true;
    grow(&l, NULL);
    assert_int_equal(answer_all(&l, 4), 1);
    assert_int_equal(errors_at(&l, l.sw), 4);
    assert_int_equal(errors_at(&l, l.sw + 1), 3);
    lab_free(&l);
}

static void test_what_is_wanted_may_become_more_and_less(void **state)
{
    struct lab l = lab_new();
    bool wanted[PORTS] = {false};

    (void)state;
    wanted[l.sw + 1] = true;
    begin(&l, wanted);
    assert_int_equal(answer_all(&l, 3), 2);
    assert_int_equal(state_at(&l, l.a), WEFT_COUNTERS_UNASKED);
    wanted[l.sw + 1] = false;
    wanted[l.sw + 2] = wanted[l.a] = true;
    grow(&l, wanted);
    assert_int_equal(answer_all(&l, 4), 1 + 2);
    assert_int_equal(state_at(&l, l.sw + 1), WEFT_COUNTERS_UNASKED);
    assert_int_equal(errors_at(&l, l.sw + 1), 0);
    assert_int_equal(errors_at(&l, l.sw + 2), 4);
    assert_int_equal(errors_at(&l, l.a), 4);
    lab_free(&l);
}

static void test_ports_that_join_wait_for_what_their_agent_has(void **state)
{
    struct lab l = lab_new();
    struct weft_mad_send_req r;
    bool wanted[PORTS] = {false};

    (void)state;
    wanted[l.sw + 1] = true;
    begin(&l, wanted);
    assert_true(weft_counters_poll(l.counters, &r));
    wanted[l.sw + 2] = true;
    grow(&l, wanted);
    assert_int_equal(answer_all(&l, 3), 0);
    answer(&l, &r, 0);
    assert_int_equal(answer_all(&l, 3), 2);
    assert_int_equal(errors_at(&l, l.sw + 2), 3);
    lab_free(&l);
}

/* Answers all questions; b's ClassPortInfo says that another place has its counters, in partition
 * 5. Returns how many of them came to that place, each on this index of the own table. */
static unsigned answer_redirecting(struct lab *l, uint16_t own_index, uint16_t index)
{
    struct weft_mad_send_req r;
    unsigned there = 0;

    while (weft_counters_poll(l->counters, &r)) {
        bool leads_away = mad_attr_id(r.data) == WEFT_ATTR_CLASS_PORT_INFO &&
                          r.to.lid == l->sweep->ports[l->b].lid;

        assert_int_equal(r.to.pkey_index, r.to.lid == ELSEWHERE ? index : own_index);
        there += r.to.lid == ELSEWHERE;
        answer_as(l, &r, leads_away, 3);
    }
    return there;
}

static void test_a_redirection_into_another_partition_is_followed_by_its_members(void **state)
{
    const weft_pkey keys[WEFT_PKEY_BLOCK] = {0x8006, 0, 0x8005, 0xFFFF};
    struct weft_pkey_cache *table = NULL;
    struct weft_counters_config config;
    struct lab l = lab_new();

    (void)state;
    assert_int_equal(weft_pkey_cache_new(WEFT_PKEY_BLOCK, NULL, &table), 0);
    assert_int_equal(weft_pkey_cache_stage(table, 0, keys), 0);
    assert_int_equal(weft_pkey_cache_commit(table, NULL), 0);
    (void)weft_counters_config_init(&config);
    config.pkey_index = 3;
    for (int i = 0; i < 2; i++) {
        const bool knows = i == 1;

        config.pkeys = knows ? table : NULL;
        assert_int_equal(weft_counters_new(l.sweep, &config, NULL, agent, NULL, &l.counters), 0);
        /* there it says what it has, and then the counters */
        assert_int_equal(answer_redirecting(&l, 3, 2), knows ? 2 : 0);
        assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_READ);
        assert_int_equal(errors_at(&l, l.b), 3);
        l.counters = weft_counters_free(l.counters);
    }
    (void)weft_pkey_cache_free(table);
    lab_free(&l);
}

/* Where it is asked is not kept from one reading to the next, as it may have gone back. */
static void test_who_was_redirected_is_asked_for_its_place_at_each_reading(void **state)
{
    struct lab l = lab_new();
    struct weft_counters *first;

    (void)state;
    begin(&l, NULL);
    l.redirect_pkey = WEFT_PKEY_DEFAULT;
    assert_int_equal(answer_redirecting(&l, 0, 0), 2);
    first = l.counters;
    assert_int_equal(weft_counters_new(l.sweep, NULL, first, agent, NULL, &l.counters), 0);
    assert_int_equal(answer_redirecting(&l, 0, 0), 2);
    assert_int_equal(state_at(&l, l.b), WEFT_COUNTERS_READ);
    (void)weft_counters_free(first);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_that_are_new_are_asked_and_the_others_not_again),
        cmocka_unit_test(test_what_agents_have_is_known_from_an_earlier_reading),
        cmocka_unit_test(test_who_has_a_LID_later_is_asked_then),
        cmocka_unit_test(test_only_a_unicast_LID_is_an_address),
        cmocka_unit_test(test_what_came_from_a_LID_that_was_not_theirs_does_not_count),
        cmocka_unit_test(test_who_has_stopped_answering_the_sweep_counts_as_silent),
        cmocka_unit_test(test_who_does_not_answer_the_sweep_is_not_asked),
        cmocka_unit_test(test_port_0_joins_once_it_is_known_to_be_an_enhanced_one),
        cmocka_unit_test(test_what_is_wanted_may_become_more_and_less),
        cmocka_unit_test(test_ports_that_join_wait_for_what_their_agent_has),
        cmocka_unit_test(test_a_redirection_into_another_partition_is_followed_by_its_members),
        cmocka_unit_test(test_who_was_redirected_is_asked_for_its_place_at_each_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
