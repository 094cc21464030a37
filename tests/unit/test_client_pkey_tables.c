/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* P_Key tables of a fabric: which are read, whole and in parts, and who does not answer. */
#include "client_fixture.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"
#include "fabric/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static weft_pkey key_at(const struct pkey_tables *t, uint32_t port, uint32_t index)
{
    uint32_t entries;
    const weft_pkey *keys = pkey_tables_get(t, port, &entries);

    assert_in_range(index, 0, entries - 1);
    return keys[index];
}

static uint32_t entries_of(const struct pkey_tables *t, uint32_t port)
{
    uint32_t entries;

    (void)pkey_tables_get(t, port, &entries);
    return entries;
}

static void test_tables_of_end_ports_are_read_to_their_end(void **state)
{
    struct fabric_config c;
    struct weft_sweep *s;
    struct pkey_tables *t;
    struct cf *cf;
    uint32_t tables, complete;

    (void)state;
    fabric_config_init(&c);
    c.pkey_cap = 70; /* two blocks and six entries */
    cf = cf_new(ff_two_hosts, &c, "a");
    ff_command(cf->ff, "pkey b/1 1 0x0005");
    ff_command(cf->ff, "pkey b/1 69 0x8005");
    ff_command(cf->ff, "pkey sw/0 33 0x8006");
    s = cf_sweep(cf, NULL);
    t = cf_tables(cf, s, NULL);
    assert_int_equal(entries_of(t, cf_port(s, "b", 1)), 70);
    assert_int_equal(key_at(t, cf_port(s, "b", 1), 0), 0xFFFF);
    assert_int_equal(key_at(t, cf_port(s, "b", 1), 1), 0x0005);
    assert_int_equal(key_at(t, cf_port(s, "b", 1), 69), 0x8005);
    assert_int_equal(key_at(t, cf_port(s, "b", 1), 68), 0);
    assert_int_equal(key_at(t, cf_port(s, "sw", 0), 33), 0x8006);
    assert_int_equal(entries_of(t, cf_port(s, "sw", 1)), 0);
    assert_int_equal(entries_of(t, cf_port(s, "b", 0)), 0);
    pkey_tables_count(t, &tables, &complete);
    assert_int_equal(tables, 3);
    assert_int_equal(complete, 3);
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_external_ports_are_read_where_they_enforce(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct weft_sweep *s;
    struct pkey_tables *t;

    (void)state;
    wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_IN, ff_port(cf->ff, "sw", 2)->info, 1);
    link_note(cf->ff->f, ff_port(cf->ff, "sw", 2));
    ff_command(cf->ff, "pkey sw/2 3 0x8007");
    ff_command(cf->ff, "pkey sw/1 3 0x8008");
    s = cf_sweep(cf, NULL);
    t = cf_tables(cf, s, NULL);
    assert_true(weft_sweep_port(s, cf_port(s, "sw", 2))->enforces_in);
    assert_false(weft_sweep_port(s, cf_port(s, "sw", 2))->enforces_out);
    assert_int_equal(entries_of(t, cf_port(s, "sw", 2)), FABRIC_ENFORCE_CAP);
    assert_int_equal(key_at(t, cf_port(s, "sw", 2), 3), 0x8007);
    assert_int_equal(entries_of(t, cf_port(s, "sw", 1)), 0);
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_who_falls_silent_between_has_an_incomplete_table(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct pkey_tables *t;
    uint32_t tables, complete;
    weft_time before = cf->now;

    (void)state;
    ff_command(cf->ff, "loss 100% on agent b");
    t = cf_tables(cf, s, NULL);
    assert_false(pkey_tables_complete(t, cf_port(s, "b", 1)));
    assert_true(pkey_tables_complete(t, cf_port(s, "a", 1)));
    assert_int_equal(key_at(t, cf_port(s, "b", 1), 0), 0);
    pkey_tables_count(t, &tables, &complete);
    assert_int_equal(tables, 3);
    assert_int_equal(complete, 2);
    assert_in_range(cf->now - before, 900 * WEFT_MS, 901 * WEFT_MS);
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_one_silence_is_enough(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct weft_sweep_config c;
    struct weft_sweep *s;
    struct pkey_tables *t;
    unsigned before;

    (void)state;
    (void)weft_sweep_config_init(&c);
    c.window = 1;
    s = cf_sweep(cf, &c);
    before = cf->posts;
    ff_command(cf->ff, "loss 100% on agent b");
    t = cf_tables(cf, s, &c);
    /* Each of the four blocks of b would be asked for three times. */
    assert_in_range(cf->posts - before, 4 + 4 + 3, 4 + 4 + 3 * 3);
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_a_fabric_that_loses_20_percent_everywhere_is_read_whole(void **state)
{
    struct cf *cf = cf_new("fat-tree:hosts=324,radix=36", NULL, "host-00001");
    struct weft_sweep *s;
    struct pkey_tables *t;
    uint32_t tables, complete;

    (void)state;
    ff_command(cf->ff, "loss 20% on all");
    s = cf_sweep(cf, NULL);
    t = cf_tables(cf, s, NULL);
    pkey_tables_count(t, &tables, &complete);
    assert_int_equal(tables, 351);
    assert_int_equal(complete, 351);
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

/* A switch of 254 ports, all down, that says it has the longest tables. */
static void claim_everything(const struct weft_mad_send_req *r, uint8_t *attribute)
{
    memset(attribute, 0, WEFT_ATTRIBUTE_BYTES);
    if (mad_attr_id(r->data) == WEFT_ATTR_NODE_INFO) {
        wire_set(WIRE_NODE_INFO_NODE_TYPE, attribute, WEFT_SWEEP_SWITCH);
        wire_set(WIRE_NODE_INFO_NUM_PORTS, attribute, 254);
        wire_set(WIRE_NODE_INFO_PARTITION_CAP, attribute, UINT16_MAX);
    } else if (mad_attr_id(r->data) == WEFT_ATTR_SWITCH_INFO) {
        wire_set(WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, attribute, UINT16_MAX);
    } else if (mad_attr_id(r->data) == WEFT_ATTR_PORT_INFO) {
        wire_set(WIRE_PORT_INFO_PORT_STATE, attribute, 1);
        wire_set(WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, attribute, 1);
    }
}

static struct weft_sweep *sweep_claims(void (*claim)(const struct weft_mad_send_req *r,
                                                     uint8_t *attribute))
{
    uint8_t mad[WEFT_MAD_BYTES], attribute[WEFT_ATTRIBUTE_BYTES];
    struct weft_mad_send_req r;
    struct weft_mad_event ev;
    struct weft_sweep *s = NULL;

    assert_int_equal(weft_sweep_new(NULL, (weft_mad_agent_id){1}, NULL, &s), 0);
    while (weft_sweep_poll(s, &r)) {
        claim(&r, attribute);
        ev = cf_answer(&r, attribute, mad);
        weft_sweep_event(s, &ev);
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        weft_sweep_event(s, &ev);
    }
    return s;
}

static void test_the_longest_tables_fit(void **state)
{
    struct weft_sweep *s = sweep_claims(claim_everything);
    struct pkey_tables *t = NULL;
    struct weft_mad_send_req r;

    (void)state;
    assert_int_equal(pkey_tables_new(s, NULL, (weft_mad_agent_id){1}, NULL, &t), 0);
    assert_int_equal(entries_of(t, 254), UINT16_MAX);
    assert_true(pkey_tables_poll(t, &r));
    assert_int_equal(mad_attr_mod(r.data), 0);
    assert_true(pkey_tables_poll(t, &r));
    assert_int_equal(mad_attr_mod(r.data), 1);
    assert_false(pkey_tables_done(t));
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
}

/* Switches without end, each of which claims as much. */
static void claim_more(const struct weft_mad_send_req *r, uint8_t *attribute)
{
    uint8_t hops = ((const uint8_t *)r->data)[7];

    claim_everything(r, attribute);
    if (mad_attr_id(r->data) == WEFT_ATTR_NODE_INFO) {
        wire_set(WIRE_NODE_INFO_NODE_GUID, attribute, hops < 8 ? hops + 1U : 9);
        wire_set(WIRE_NODE_INFO_LOCAL_PORT, attribute, 1);
    } else if (mad_attr_id(r->data) == WEFT_ATTR_PORT_INFO) {
        wire_set(WIRE_PORT_INFO_PORT_STATE, attribute, 4);
    }
}

static void test_claims_beyond_all_reason_are_refused(void **state)
{
    struct weft_sweep *s = sweep_claims(claim_more);
    struct pkey_tables *t = NULL;

    (void)state;
    assert_int_equal(weft_sweep_node_count(s), 9);
    assert_int_equal(pkey_tables_new(s, NULL, (weft_mad_agent_id){1}, NULL, &t), WEFT_ERR_FULL);
    assert_null(t);
    (void)weft_sweep_free(s);
}

static void test_a_refusal_is_no_silence(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct pkey_tables *t = NULL;
    uint8_t mad[WEFT_MAD_BYTES], attribute[WEFT_ATTRIBUTE_BYTES] = {0x80, 0x01};
    struct weft_mad_send_req r;
    struct weft_mad_event ev;
    unsigned asked = 0;

    (void)state;
    assert_int_equal(pkey_tables_new(s, NULL, cf->agent, NULL, &t), 0);
    while (pkey_tables_poll(t, &r)) {
        ev = cf_answer(&r, attribute, mad);
        if (asked++ == 0)
            mad_set_status(mad, 0x801C);
        pkey_tables_event(t, &ev);
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        pkey_tables_event(t, &ev);
    }
    assert_int_equal(asked, 12);
    assert_true(pkey_tables_done(t));
    assert_false(pkey_tables_complete(t, cf_port(s, "a", 1)));
    assert_int_equal(key_at(t, cf_port(s, "a", 1), 0), 0);
    assert_int_equal(key_at(t, cf_port(s, "a", 1), 32), 0x8001);
    assert_true(pkey_tables_complete(t, cf_port(s, "b", 1)));
    (void)pkey_tables_free(t);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_configurations_out_of_range(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct pkey_tables *t = NULL;
    struct weft_sweep_config c;

    (void)state;
    (void)weft_sweep_config_init(&c);
    c.tries = 0;
    assert_int_equal(pkey_tables_new(s, &c, cf->agent, NULL, &t), WEFT_ERR_INVALID);
    assert_null(t);
    assert_null(pkey_tables_free(NULL));
    (void)weft_sweep_free(s);
    cf_free(cf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_of_end_ports_are_read_to_their_end),
        cmocka_unit_test(test_external_ports_are_read_where_they_enforce),
        cmocka_unit_test(test_who_falls_silent_between_has_an_incomplete_table),
        cmocka_unit_test(test_one_silence_is_enough),
        cmocka_unit_test(test_a_fabric_that_loses_20_percent_everywhere_is_read_whole),
        cmocka_unit_test(test_the_longest_tables_fit),
        cmocka_unit_test(test_claims_beyond_all_reason_are_refused),
        cmocka_unit_test(test_a_refusal_is_no_silence),
        cmocka_unit_test(test_configurations_out_of_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
