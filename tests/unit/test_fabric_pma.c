/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PMA: what each node says it can, one port's counters and all ports', reading and setting, and
 * what is refused with which status. */
#include "fabric/counters.h"
#include "fabric/pma.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PM              WEFT_CLASS_PERF
#define CLASSIC         WEFT_ATTR_PM_PORT_COUNTERS
#define EXTENDED        WEFT_ATTR_PM_PORT_COUNTERS_EXT
/* PortRcvErrorDetails, PortXmitDiscardDetails. */
#define ERROR_DETAILS   0x0015
#define DISCARD_DETAILS 0x0016
#define ALL             255

/* A CA with both ports at one switch. */
static const char two_ports[] =
    "vendid=0x2c9\ndevid=0x1\nswitchguid=0x10(10)\n"
    "Switch 2 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
    "[1] \"H-0000000000000020\"[1](21) # \"h\" lid 0 4xEDR\n"
    "[2] \"H-0000000000000020\"[2](22) # \"h\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x20\n"
    "Ca 2 \"H-0000000000000020\" # \"h\"\n"
    "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
    "[2](22) \"S-0000000000000010\"[2] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";

static struct ff *start(const char *topology)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    return ff_new(topology, &c);
}

static uint16_t lid_of(const struct ff *ff, const char *name, uint8_t number)
{
    return port_lid(ff_port(ff, name, number));
}

static struct packet query(struct ff_program *p, uint16_t lid, uint8_t method, uint16_t attr_id,
                           uint8_t port, uint16_t select)
{
    struct packet q = ff_gmp(p, lid, PM, method, attr_id, 0);

    wire_set(WIRE_PORT_COUNTERS_PORT_SELECT, ff_data(&q), port);
    wire_set(WIRE_PORT_COUNTERS_COUNTER_SELECT, ff_data(&q), select);
    return q;
}

/* The answer to a Get, which must be good. */
static struct packet get(struct ff_program *p, uint16_t lid, uint16_t attr_id, uint8_t port)
{
    struct packet q = query(p, lid, WEFT_METHOD_GET, attr_id, port, 0), answer;

    assert_int_equal(ff_status(p, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(answer.mad[WIRE_AT_MAD_METHOD], WEFT_METHOD_GET_RESP);
    assert_int_equal(wire_get(WIRE_PORT_COUNTERS_PORT_SELECT, ff_data(&answer)), port);
    return answer;
}

static uint64_t field(struct packet *p, enum wire_field_id id)
{
    return wire_get(id, ff_data(p));
}

static void test_class_port_info_tells_what_each_node_can(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    const uint16_t lids[] = {lid_of(ff, "b", 1), lid_of(ff, "sw", 0)};
    /* Extended counters, XmitWait, QP1Dropped; switches: AllPortSelect. */
    const uint64_t masks[] = {0x9200, 0x9300};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct packet q = ff_gmp(a, lids[i], PM, WEFT_METHOD_GET, WEFT_ATTR_CLASS_PORT_INFO, 0);
        struct packet answer;

        assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
        assert_int_equal(field(&answer, WIRE_CLASS_PORT_INFO_BASE_VERSION), 1);
        assert_int_equal(field(&answer, WIRE_CLASS_PORT_INFO_CLASS_VERSION), 1);
        assert_int_equal(field(&answer, WIRE_CLASS_PORT_INFO_CAPABILITY_MASK), masks[i]);
        assert_int_equal(field(&answer, WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2), 2);
        assert_int_equal(field(&answer, WIRE_CLASS_PORT_INFO_RESP_TIME), 18);
        q = ff_gmp(a, lids[i], PM, WEFT_METHOD_SET, WEFT_ATTR_CLASS_PORT_INFO, 0);
        assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    }
    ff_free(ff);
}

static void test_every_counter_stands_in_its_field(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3); /* no cable: nothing but the script moves its counters */
    uint16_t lid = lid_of(ff, "sw", 0);

    (void)state;
    for (int c = 0; c < COUNTERS; c++) {
        char name[64] = "";
        struct packet classic, wide;

        counters_set(ff->f, p, (enum counter)c, 5);
        classic = get(a, lid, CLASSIC, 3);
        wide = get(a, lid, EXTENDED, 3);
        for (int id = 0; id < WIRE_FIELD_COUNT; id++) {
            const struct wire_field *f = &wire_fields[id];
            bool named = strcmp(f->name, counter_name((enum counter)c)) == 0;

            memcpy(name, f->name, strlen(f->name) + 1);
            if (f->header == WEFT_WIRE_PORT_COUNTERS && !strstr(name, "select"))
                assert_int_equal(field(&classic, (enum wire_field_id)id), named ? 5 : 0);
            if (f->header == WEFT_WIRE_PORT_COUNTERS_EXT && !strstr(name, "select"))
                assert_int_equal(field(&wide, (enum wire_field_id)id), named ? 5 : 0);
        }
        counters_set(ff->f, p, (enum counter)c, 0);
    }
    ff_free(ff);
}

static void test_unicast_and_multicast_stand_in_their_fields(void **state)
{
    static const enum wire_field_id fields[COUNTERS_EXT] = {
        [COUNTER_EXT_UNICAST_XMIT] = WIRE_PORT_COUNTERS_EXT_UNICAST_XMIT_PACKETS,
        [COUNTER_EXT_UNICAST_RCV] = WIRE_PORT_COUNTERS_EXT_UNICAST_RCV_PACKETS,
        [COUNTER_EXT_MULTICAST_XMIT] = WIRE_PORT_COUNTERS_EXT_MULTICAST_XMIT_PACKETS,
        [COUNTER_EXT_MULTICAST_RCV] = WIRE_PORT_COUNTERS_EXT_MULTICAST_RCV_PACKETS,
    };
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3);
    uint16_t lid = lid_of(ff, "sw", 0);
    struct packet answer, q;

    (void)state;
    for (uint64_t i = 0; i < COUNTERS_EXT; i++)
        p->counters.ext[i] = (i + 1) << 40;
    answer = get(a, lid, EXTENDED, 3);
    for (uint64_t i = 0; i < COUNTERS_EXT; i++)
        assert_true(field(&answer, fields[i]) == (i + 1) << 40);
    /* CounterSelect has a bit for each. */
    for (uint64_t i = 0; i < COUNTERS_EXT; i++) {
        q = query(a, lid, WEFT_METHOD_SET, EXTENDED, 3, (uint16_t)(1U << (4 + i)));
        assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
        assert_true(p->counters.ext[i] == 0);
        assert_true(i + 1 == COUNTERS_EXT || p->counters.ext[i + 1] != 0);
    }
    ff_free(ff);
}

static void test_set_writes_what_is_selected_and_answers_with_the_result(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3);
    uint16_t lid = lid_of(ff, "sw", 0);
    struct packet q, answer;

    (void)state;
    for (int c = 0; c < COUNTERS; c++)
        counters_set(ff->f, p, (enum counter)c, 7);
    q = query(a, lid, WEFT_METHOD_SET, CLASSIC, 3, 0x0001);
    wire_set(WIRE_PORT_COUNTERS_SYMBOL_ERRORS, ff_data(&q), 300);
    wire_set(WIRE_PORT_COUNTERS_RCV_ERRORS, ff_data(&q), 300);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(answer.mad[WIRE_AT_MAD_METHOD], WEFT_METHOD_GET_RESP);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_COUNTER_SELECT), 1);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_SYMBOL_ERRORS), 300);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_RCV_ERRORS), 7);
    /* The 64-bit set is another. */
    assert_int_equal(p->counters.wide[COUNTER_SYMBOL_ERRORS], 7);
    q = query(a, lid, WEFT_METHOD_SET, CLASSIC, 3, 0xFFFF);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    for (int c = 0; c <= COUNTER_RCV_PACKETS; c++)
        assert_int_equal(p->counters.classic[c], 0);
    assert_int_equal(p->counters.classic[COUNTER_XMIT_WAIT], 7);
    assert_int_equal(p->counters.classic[COUNTER_QP1_DROPPED], 7);
    q = query(a, lid, WEFT_METHOD_SET, CLASSIC, 3, 0);
    wire_set(WIRE_PORT_COUNTERS_COUNTER_SELECT2, ff_data(&q), 1);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(p->counters.classic[COUNTER_XMIT_WAIT], 0);
    assert_int_equal(p->counters.classic[COUNTER_QP1_DROPPED], 7);
    q = query(a, lid, WEFT_METHOD_SET, CLASSIC, 3, 0);
    wire_set(WIRE_PORT_COUNTERS_COUNTER_SELECT2, ff_data(&q), 2);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_QP1_DROPPED), 0);
    ff_free(ff);
}

static void test_extended_set_selects_errors_by_its_second_mask(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3);
    struct packet q, answer;

    (void)state;
    for (int c = 0; c < COUNTERS; c++)
        counters_set(ff->f, p, (enum counter)c, 9);
    q = query(a, lid_of(ff, "sw", 0), WEFT_METHOD_SET, EXTENDED, 3, 0x000F);
    wire_set(WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT2, ff_data(&q), 0x1FFF);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT2), 0x1FFF);
    for (int c = 0; c < COUNTERS; c++) {
        assert_int_equal(p->counters.wide[c], c == COUNTER_QP1_DROPPED ? 9 : 0);
        assert_true(p->counters.classic[c] == 9);
    }
    ff_free(ff);
}

static void test_all_ports_of_a_switch_are_summed_until_the_field_is_full(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    uint16_t lid = lid_of(ff, "sw", 0);
    struct packet answer, q;

    (void)state;
    for (uint8_t number = 1; number <= 4; number++) {
        counters_set(ff->f, ff_port(ff, "sw", number), COUNTER_SYMBOL_ERRORS, 10U * number);
        counters_set(ff->f, ff_port(ff, "sw", number), COUNTER_LINK_DOWNED, 100);
    }
    answer = get(a, lid, CLASSIC, ALL);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_SYMBOL_ERRORS), 100);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_LINK_DOWNED), 255);
    answer = get(a, lid, EXTENDED, ALL);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_EXT_LINK_DOWNED), 400);
    q = query(a, lid, WEFT_METHOD_SET, CLASSIC, ALL, 0x0004);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_LINK_DOWNED), 0);
    for (uint8_t number = 1; number <= 4; number++) {
        assert_int_equal(ff_port(ff, "sw", number)->counters.classic[COUNTER_LINK_DOWNED], 0);
        assert_int_equal(ff_port(ff, "sw", number)->counters.wide[COUNTER_LINK_DOWNED], 100);
    }
    /* Of 64 bits, too, a sum that does not fit is the largest number. */
    ff_port(ff, "sw", 1)->counters.wide[COUNTER_XMIT_DATA] = UINT64_MAX - 1;
    ff_port(ff, "sw", 2)->counters.wide[COUNTER_XMIT_DATA] = 50;
    answer = get(a, lid, EXTENDED, ALL);
    assert_true(field(&answer, WIRE_PORT_COUNTERS_EXT_XMIT_DATA) == UINT64_MAX);
    ff_free(ff);
}

static void test_port_select_names_a_port_of_the_node(void **state)
{
    struct ff *ff = start(two_ports);
    struct ff_program *h = ff_attach(ff, "h");
    const struct {
        uint16_t lid;
        uint8_t select;
        uint16_t status;
    } cases[] = {
        {lid_of(ff, "h", 1), 1, WEFT_STATUS_OK},
        {lid_of(ff, "h", 1), 2, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "h", 2), 2, WEFT_STATUS_OK},
        {lid_of(ff, "h", 2), 1, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "h", 1), 0, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "h", 1), 3, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "h", 1), ALL, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "sw", 0), 0, WEFT_STATUS_OK},
        {lid_of(ff, "sw", 0), 2, WEFT_STATUS_OK},
        {lid_of(ff, "sw", 0), 3, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "sw", 0), 254, WEFT_STATUS_BAD_VALUE},
        {lid_of(ff, "sw", 0), ALL, WEFT_STATUS_OK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static const uint16_t attributes[] = {CLASSIC, EXTENDED};

        for (int k = 0; k < 2; k++) {
            struct packet q =
                query(h, cases[i].lid, WEFT_METHOD_GET, attributes[k], cases[i].select, 0);
            struct packet answer;

            assert_int_equal(ff_status(h, &q, &answer), cases[i].status);
        }
    }
    ff_free(ff);
}

static void test_a_refused_set_changes_nothing(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet q, answer;

    (void)state;
    counters_set(ff->f, ff_port(ff, "b", 1), COUNTER_SYMBOL_ERRORS, 3);
    q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_SET, CLASSIC, 2, 0xFFFF);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_BAD_VALUE);
    assert_int_equal(ff_port(ff, "b", 1)->counters.classic[COUNTER_SYMBOL_ERRORS], 3);
    ff_free(ff);
}

static void test_what_it_does_not_know_is_answered_and_said(void **state)
{
    static const struct {
        uint8_t version, method;
        uint16_t attribute, status;
    } cases[] = {
        {2, WEFT_METHOD_GET, CLASSIC, WEFT_STATUS_BAD_VERSION},
        {0, WEFT_METHOD_GET, CLASSIC, WEFT_STATUS_BAD_VERSION},
        {1, WEFT_METHOD_GET_TABLE, CLASSIC, WEFT_STATUS_BAD_METHOD},
        {1, 0x00, CLASSIC, WEFT_STATUS_BAD_METHOD},
        {1, WEFT_METHOD_GET, 0x0010, WEFT_STATUS_BAD_METHOD_ATTRIBUTE}, /* PortSamplesControl */
        {1, WEFT_METHOD_SET, 0x0011, WEFT_STATUS_BAD_METHOD_ATTRIBUTE},
        {1, WEFT_METHOD_GET, 0x0036, WEFT_STATUS_BAD_METHOD_ATTRIBUTE}, /* PortXmitDataSL */
        {1, WEFT_METHOD_GET, 0xFFFF, WEFT_STATUS_BAD_METHOD_ATTRIBUTE},
    };
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct packet q = query(a, lid_of(ff, "b", 1), cases[i].method, cases[i].attribute, 1, 0);
        struct packet answer;

        q.mad[WIRE_AT_MAD_CLASS_VERSION] = cases[i].version;
        assert_int_equal(ff_status(a, &q, &answer), cases[i].status);
        assert_int_equal(wire_get(WIRE_MAD_ATTR_ID, answer.mad), cases[i].attribute);
    }
    ff_free(ff);
}

static void test_datagrams_and_answers_are_left_to_programs(void **state)
{
    static const uint8_t methods[] = {WEFT_METHOD_SEND,     WEFT_METHOD_TRAP,
                                      WEFT_METHOD_REPORT,   WEFT_METHOD_TRAP_REPRESS,
                                      WEFT_METHOD_GET_RESP, WEFT_METHOD_REPORT_RESP};
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");

    (void)state;
    for (size_t i = 0; i < sizeof(methods); i++) {
        struct packet q = query(a, lid_of(ff, "b", 1), methods[i], CLASSIC, 1, 0), before = q;

        assert_int_equal(pma_receive(ff->f, ff_port(ff, "b", 1), &q), AGENT_PASS);
        assert_memory_equal(&q, &before, sizeof(q));
    }
    ff_free(ff);
}

static void test_counters_move_with_the_fabric_s_own_traffic(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    uint16_t lid = lid_of(ff, "b", 1);
    struct packet answer;

    (void)state;
    get(a, lid, CLASSIC, 1);
    get(a, lid, CLASSIC, 1);
    /* The third query has come in, its answer has not left. */
    answer = get(a, lid, CLASSIC, 1);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_RCV_PACKETS), 3);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_XMIT_PACKETS), 2);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_RCV_DATA), 3 * 72);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_XMIT_DATA), 2 * 72);
    answer = get(a, lid, EXTENDED, 1);
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_EXT_UNICAST_RCV_PACKETS), 4);
    ff_free(ff);
}

/* The detail at a place of an attribute, for one port. */
static uint16_t detail(struct ff_program *p, uint16_t lid, uint16_t attr_id, uint8_t port,
                       unsigned place)
{
    struct packet answer = get(p, lid, attr_id, port);
    const uint8_t *at = ff_data(&answer) + 4 + 2 * place;

    return (uint16_t)(at[0] << 8 | at[1]);
}

static void test_what_a_script_takes_from_a_pma_is_neither_said_nor_answered(void **state)
{
    static const struct {
        const char *line;
        uint64_t mask, mask2;
        bool wide, ietf, errors, all_ports;
    } cases[] = {
        {"pma sw extended no-errors", 0x9300, 0, true, true, false, true},
        {"pma sw extended no-ietf", 0x9500, 0, true, false, false, true},
        {"pma sw extended none", 0x9100, 0, false, false, false, true},
        {"pma sw extended full", 0x9300, 2, true, true, true, true},
        {"pma sw all-port-select off", 0x9200, 2, true, true, true, false},
        {"pma sw all-port-select on", 0x9300, 2, true, true, true, true},
    };
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3);
    uint16_t lid = lid_of(ff, "sw", 0);

    (void)state;
    counters_set(ff->f, p, COUNTER_XMIT_DATA, 5);
    counters_set(ff->f, p, COUNTER_SYMBOL_ERRORS, 6);
    p->counters.ext[COUNTER_EXT_UNICAST_XMIT] = 7;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct packet q = ff_gmp(a, lid, PM, WEFT_METHOD_GET, WEFT_ATTR_CLASS_PORT_INFO, 0), r;

        ff_command(ff, cases[i].line);
        assert_int_equal(ff_status(a, &q, &r), WEFT_STATUS_OK);
        assert_int_equal(field(&r, WIRE_CLASS_PORT_INFO_CAPABILITY_MASK), cases[i].mask);
        assert_int_equal(field(&r, WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2), cases[i].mask2);
        r = get(a, lid, CLASSIC, 3);
        assert_int_equal(field(&r, WIRE_PORT_COUNTERS_SYMBOL_ERRORS), 6);
        q = query(a, lid, WEFT_METHOD_GET, CLASSIC, ALL, 0);
        assert_int_equal(ff_status(a, &q, &r),
                         cases[i].all_ports ? WEFT_STATUS_OK : WEFT_STATUS_BAD_VALUE);
        q = query(a, lid, WEFT_METHOD_GET, EXTENDED, 3, 0);
        assert_int_equal(ff_status(a, &q, &r),
                         cases[i].wide ? WEFT_STATUS_OK : WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
        if (!cases[i].wide)
            continue;
        assert_int_equal(field(&r, WIRE_PORT_COUNTERS_EXT_XMIT_DATA), 5);
        assert_int_equal(field(&r, WIRE_PORT_COUNTERS_EXT_UNICAST_XMIT_PACKETS),
                         cases[i].ietf ? 7 : 0);
        assert_int_equal(field(&r, WIRE_PORT_COUNTERS_EXT_SYMBOL_ERRORS), cases[i].errors ? 6 : 0);
    }
    ff_free(ff);
}

static void test_what_a_pma_lacks_cannot_be_set(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3);
    uint16_t lid = lid_of(ff, "sw", 0);
    struct packet q = query(a, lid, WEFT_METHOD_SET, EXTENDED, 3, 0xFFFF), answer;

    (void)state;
    counters_set(ff->f, p, COUNTER_XMIT_DATA, 5);
    p->counters.ext[COUNTER_EXT_UNICAST_XMIT] = 7;
    ff_command(ff, "pma sw extended none");
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(p->counters.wide[COUNTER_XMIT_DATA], 5);
    ff_command(ff, "pma sw extended no-ietf");
    q = query(a, lid, WEFT_METHOD_SET, EXTENDED, 3, 0xFFFF);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(p->counters.wide[COUNTER_XMIT_DATA], 0);
    assert_int_equal(p->counters.ext[COUNTER_EXT_UNICAST_XMIT], 7);
    ff_free(ff);
}

static void test_a_mute_pma_beside_an_sma_that_speaks(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_GET, CLASSIC, 1, 0), answer;
    uint64_t lost = ff_stats(ff).dropped_lost;

    (void)state;
    ff_command(ff, "pma b mute");
    assert_false(ff_ask(a, &q, &answer));
    assert_int_equal(ff_stats(ff).dropped_lost, lost + 1);
    (void)ff_get(a, FF_ROUTE(1, 2), WEFT_ATTR_NODE_INFO, 0);
    (void)get(a, lid_of(ff, "sw", 0), CLASSIC, 2);
    ff_command(ff, "pma b restore");
    assert_true(ff_ask(a, &q, &answer));
    ff_free(ff);
}

static void test_a_slow_pma_serves_one_after_the_other(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct packet q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_GET, CLASSIC, 1, 0), answer;

    (void)state;
    ff_command(ff, "pma b time 2s");
    ff_send(a, &q);
    q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_GET, CLASSIC, 1, 0);
    ff_send(a, &q);
    (void)ff_get(a, FF_ROUTE(1, 2), WEFT_ATTR_NODE_INFO, 0);
    ff_advance(ff, 2 * WEFT_S - 1);
    assert_false(ff_receive(a, &answer));
    ff_advance(ff, 1);
    assert_true(ff_receive(a, &answer));
    /* What waits already waits its time; what comes behind it is served after it. */
    ff_command(ff, "pma b time 0");
    ff_advance(ff, 2 * WEFT_S - 1);
    assert_false(ff_receive(a, &answer));
    ff_advance(ff, 1);
    assert_true(ff_receive(a, &answer));
    q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_GET, CLASSIC, 1, 0);
    assert_true(ff_ask(a, &q, &answer));
    ff_free(ff);
}

static void test_pmas_are_listed_counted_and_restored(void **state)
{
    static const char wanted[] = "pma \"sw\" extended no-ietf\npma \"sw\" all-port-select off\n"
                                 "pma \"a\" extended none\npma \"b\" extended no-errors\n"
                                 "pma \"b\" mute\npma \"b\" time 1500ms\n";
    struct ff *ff = start(ff_two_hosts);
    char text[512];

    (void)state;
    ff_command(ff, "pma a extended none");
    ff_command(ff, "pma b extended no-errors");
    ff_command(ff, "pma b mute");
    ff_command(ff, "pma b mute");
    ff_command(ff, "pma b time 1.5s");
    ff_command(ff, "pma sw extended no-ietf");
    ff_command(ff, "pma sw all-port-select off");
    assert_true(fabric_faults_text(ff->f, text, sizeof(text)) < sizeof(text));
    assert_string_equal(text, wanted);
    assert_int_equal(ff_stats(ff).faults, 6);
    ff_command(ff, "clear");
    assert_int_equal(ff_stats(ff).faults, 6);
    ff_command(ff, "pma sw restore");
    ff_command(ff, "at 1s pma a extended full");
    ff_command(ff, "at 2s pma b restore");
    assert_int_equal(ff_stats(ff).faults, 4);
    ff_advance(ff, WEFT_S);
    assert_int_equal(ff_stats(ff).faults, 3);
    ff_advance(ff, WEFT_S);
    assert_int_equal(ff_stats(ff).faults, 0);
    ff_free(ff);
}

static void test_details_tell_why(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    struct port *p = ff_port(ff, "sw", 3);
    uint16_t lid = lid_of(ff, "sw", 0);
    struct packet q, answer;

    (void)state;
    counters_add(p, COUNTER_XMIT_DISCARDS, 70000);
    counters_add(p, COUNTER_RCV_ERRORS, 2);
    counters_add(p, COUNTER_RCV_SWITCH_RELAY_ERRORS, 3);
    counters_add_loop(p);
    counters_add(ff_port(ff, "sw", 4), COUNTER_RCV_ERRORS, 65535);
    assert_int_equal(detail(a, lid, DISCARD_DETAILS, 3, 0), 65535);
    assert_int_equal(detail(a, lid, DISCARD_DETAILS, 3, 1), 0);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 3, 0), 2);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 3, 3), 3);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 3, 5), 1);
    assert_int_equal(p->counters.classic[COUNTER_RCV_SWITCH_RELAY_ERRORS], 4);
    /* Of all ports, sticking at all ones. */
    assert_int_equal(detail(a, lid, ERROR_DETAILS, ALL, 0), 65535);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, ALL, 3), 3);
    /* Set writes what is selected. */
    q = query(a, lid, WEFT_METHOD_SET, ERROR_DETAILS, 3, 0x21);
    q.mad[WEFT_ATTRIBUTE_OFFSET + 5] = 9;
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_OK);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 3, 0), 9);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 3, 3), 3);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 3, 5), 0);
    assert_int_equal(detail(a, lid, DISCARD_DETAILS, 3, 0), 65535);
    q = query(a, lid, WEFT_METHOD_GET, ERROR_DETAILS, 5, 0);
    assert_int_equal(ff_status(a, &q, &answer), WEFT_STATUS_BAD_VALUE);
    ff_free(ff);
}

static void test_details_follow_from_what_happens(void **state)
{
    struct ff *ff = start(ff_two_hosts);
    struct ff_program *a = ff_attach(ff, "a");
    uint16_t lid = lid_of(ff, "sw", 0);
    struct packet q;

    (void)state;
    q = query(a, 999, WEFT_METHOD_GET, CLASSIC, 1, 0);
    ff_send(a, &q);
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 1, 3), 1);
    q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_GET, CLASSIC, 1, 0);
    ff_command(ff, "link b/1 down");
    ff_send(a, &q);
    assert_int_equal(detail(a, lid, DISCARD_DETAILS, 2, 0), 1);
    ff_command(ff, "corrupt 100% on link a/1 out requests");
    ff_send(a, &q);
    ff_command(ff, "clear");
    assert_int_equal(detail(a, lid, ERROR_DETAILS, 1, 0), 1);
    ff_free(ff);
}

static void test_queries_that_find_no_room_are_counted(void **state)
{
    struct fabric_config c;
    struct ff *ff;
    struct ff_program *a;
    struct packet q, answer;

    (void)state;
    fabric_config_init(&c);
    c.up = true;
    c.agent_ns = WEFT_MS;
    c.gsi_depth = 2;
    ff = ff_new(ff_two_hosts, &c);
    a = ff_attach(ff, "a");
    for (int i = 0; i < 5; i++) {
        q = query(a, lid_of(ff, "b", 1), WEFT_METHOD_GET, CLASSIC, 1, 0);
        ff_send(a, &q);
    }
    ff_advance(ff, 10 * WEFT_MS);
    assert_true(ff_receive(a, &answer));
    assert_int_equal(field(&answer, WIRE_PORT_COUNTERS_QP1_DROPPED), 3);
    assert_true(ff_receive(a, &answer));
    assert_false(ff_receive(a, &answer));
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_port_info_tells_what_each_node_can),
        cmocka_unit_test(test_every_counter_stands_in_its_field),
        cmocka_unit_test(test_unicast_and_multicast_stand_in_their_fields),
        cmocka_unit_test(test_set_writes_what_is_selected_and_answers_with_the_result),
        cmocka_unit_test(test_extended_set_selects_errors_by_its_second_mask),
        cmocka_unit_test(test_all_ports_of_a_switch_are_summed_until_the_field_is_full),
        cmocka_unit_test(test_port_select_names_a_port_of_the_node),
        cmocka_unit_test(test_a_refused_set_changes_nothing),
        cmocka_unit_test(test_what_it_does_not_know_is_answered_and_said),
        cmocka_unit_test(test_datagrams_and_answers_are_left_to_programs),
        cmocka_unit_test(test_counters_move_with_the_fabric_s_own_traffic),
        cmocka_unit_test(test_what_a_script_takes_from_a_pma_is_neither_said_nor_answered),
        cmocka_unit_test(test_what_a_pma_lacks_cannot_be_set),
        cmocka_unit_test(test_a_mute_pma_beside_an_sma_that_speaks),
        cmocka_unit_test(test_a_slow_pma_serves_one_after_the_other),
        cmocka_unit_test(test_pmas_are_listed_counted_and_restored),
        cmocka_unit_test(test_details_tell_why),
        cmocka_unit_test(test_details_follow_from_what_happens),
        cmocka_unit_test(test_queries_that_find_no_room_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
