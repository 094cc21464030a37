/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of CAs in a fabric: what guests see of the P_Key table, what reaches them, who is told.
 * "a" is a hypervisor with guests, "b" a host that they talk with. */
#include "core/wire/mad_header.h"
#include "fabric/functions.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define VFS        3
#define SEND       (UINT64_C(1) << WEFT_METHOD_SEND)
#define UNASSIGNED WEFT_PKEY_UNASSIGNED

static struct fabric_config config(uint8_t vfs)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    c.vfs = vfs;
    return c;
}

static struct ff *begin(uint8_t vfs)
{
    struct fabric_config c = config(vfs);

    return ff_new(ff_two_hosts, &c);
}

static void set_table(const struct ff *ff, struct port *p, const uint16_t *keys, uint16_t count)
{
    functions_write_pkeys(ff->f, p, 0, keys, count);
}

static void assign(const struct ff *ff, const struct port *p, uint16_t function, uint16_t virt,
                   uint16_t physical)
{
    assert_int_equal(functions_assign(ff->f, p, function, virt, physical), 0);
}

static uint32_t events(const struct ff *ff, const struct port *p, uint16_t function)
{
    struct fabric_function_info info;

    assert_int_equal(fabric_function(ff->f, p->node, p->number, function, &info), 0);
    return info.events;
}

static uint16_t seen(const struct ff *ff, const struct port *p, uint16_t function, uint16_t index)
{
    uint16_t key = 0;

    assert_int_equal(fabric_function_pkeys(ff->f, p->node, p->number, function, index, &key, 1), 0);
    return key;
}

/* Sends a MAD that nobody has asked for. */
static void tell(struct ff_program *from, uint16_t index, const struct port *to)
{
    struct packet p =
        ff_gmp(from, port_lid(to), WEFT_CLASS_CM, WEFT_METHOD_SEND, WEFT_ATTR_CLASS_PORT_INFO, 0);

    p.pkey_index = index;
    ff_send(from, &p);
}

/* The index that a MAD arrived with, or -1: there was none. */
static int heard(struct ff_program *p)
{
    struct packet got;

    if (!ff_receive(p, &got))
        return -1;
    assert_int_equal(got.reserved2, 0);
    return got.pkey_index;
}

static void test_R145_without_functions_all_is_as_before(void **state)
{
    struct ff *ff = begin(0);
    struct port *a = ff_port(ff, "a", 1);
    struct fabric_function_info info;
    struct fabric_attachment id;
    struct fabric_tids tids;
    uint8_t number;

    (void)state;
    assert_int_equal(port_pkey_count(ff->f, a), 128);
    assert_int_equal(fabric_function(ff->f, a->node, 1, 0, &info), 0);
    assert_int_equal(fabric_function(ff->f, a->node, 1, 1, &info), WEFT_ERR_INVALID);
    assert_int_equal(functions_assign(ff->f, a, 1, 0, 0), WEFT_ERR_INVALID);
    assert_int_equal(fabric_attach_function(ff->f, a->node, 1, 1, &id, &number, &tids),
                     WEFT_ERR_NOTFOUND);
    ff_free(ff);
}

static void test_only_CAs_have_functions_and_keep_an_entry_back(void **state)
{
    struct ff *ff = begin(VFS);
    const struct port *a = ff_port(ff, "a", 1), *sw = ff_port(ff, "sw", 0);
    struct fabric_function_info info;
    struct fabric_port_info port;
    struct fabric_attachment id;
    struct fabric_tids tids;
    uint8_t number;
    struct packet got;
    struct ff_program *p = ff_attach(ff, "a");

    (void)state;
    assert_int_equal(port_pkey_count(ff->f, a), 127);
    assert_int_equal(port_pkey_count(ff->f, sw), 128);
    assert_int_equal(fabric_port(ff->f, a->node, 1, &port), 0);
    assert_int_equal(port.pkeys, 127);
    got = ff_get(p, FF_ROUTE_SELF, WEFT_ATTR_NODE_INFO, 0);
    assert_int_equal(wire_be16(ff_data(&got) + WIRE_AT_NODE_INFO_PARTITION_CAP), 127);
    assert_true(functions_has(ff->f, a, VFS));
    assert_false(functions_has(ff->f, a, VFS + 1));
    assert_false(functions_has(ff->f, sw, 1));
    assert_int_equal(fabric_function(ff->f, a->node, 1, VFS, &info), 0);
    assert_int_equal(fabric_function(ff->f, a->node, 1, VFS + 1, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_function(ff->f, a->node, 0, 0, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_function(ff->f, sw->node, 0, 0, &info), 0);
    assert_int_equal(fabric_function(ff->f, sw->node, 1, 0, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_function(ff->f, 99, 1, 0, &info), WEFT_ERR_INVALID);
    assert_int_equal(fabric_attach_function(ff->f, a->node, 0, VFS + 1, &id, &number, &tids),
                     WEFT_ERR_NOTFOUND);
    assert_int_equal(fabric_attach_function(ff->f, sw->node, 0, 1, &id, &number, &tids),
                     WEFT_ERR_NOTFOUND);
    ff_free(ff);
}

static void test_R144_a_function_sees_what_it_is_assigned(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001, 0x0001, 0x8002};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    uint16_t keys[127], entry = 77;

    (void)state;
    set_table(ff, a, table, 4);
    /* at first: entry 0, and nothing else */
    assert_int_equal(seen(ff, a, 1, 0), 0xFFFF);
    assert_int_equal(seen(ff, a, 1, 1), 0);
    assign(ff, a, 1, 5, 2);
    assign(ff, a, 2, 5, 1);
    assert_int_equal(seen(ff, a, 1, 5), 0x0001);
    assert_int_equal(seen(ff, a, 2, 5), 0x8001);
    assert_int_equal(seen(ff, a, 3, 5), 0);
    assert_int_equal(seen(ff, a, 0, 2), 0x0001);
    assert_int_equal(fabric_function_entry(ff->f, a->node, 1, 1, 5, &entry), 0);
    assert_int_equal(entry, 2);
    assert_int_equal(fabric_function_entry(ff->f, a->node, 1, 0, 5, &entry), 0);
    assert_int_equal(entry, 5);
    assert_int_equal(fabric_function_entry(ff->f, a->node, 1, 3, 5, &entry), WEFT_ERR_NOTFOUND);
    assert_int_equal(fabric_function_entry(ff->f, a->node, 1, 3, 127, &entry), WEFT_ERR_INVALID);
    assert_int_equal(fabric_function_entry(ff->f, a->node, 1, 9, 0, &entry), WEFT_ERR_INVALID);
    assign(ff, a, 1, 5, UNASSIGNED);
    assert_int_equal(seen(ff, a, 1, 5), 0);
    assert_int_equal(fabric_function_pkeys(ff->f, a->node, 1, 1, 0, keys, 127), 0);
    assert_int_equal(fabric_function_pkeys(ff->f, a->node, 1, 1, 1, keys, 127), WEFT_ERR_INVALID);
    assert_int_equal(fabric_function_pkeys(ff->f, a->node, 1, 9, 0, keys, 1), WEFT_ERR_INVALID);
    /* the other ports' are their own */
    assert_int_equal(seen(ff, ff_port(ff, "b", 1), 1, 5), 0);
    ff_free(ff);
}

static void test_what_cannot_be_assigned(void **state)
{
    struct ff *ff = begin(VFS);
    const struct port *a = ff_port(ff, "a", 1);

    (void)state;
    assert_int_equal(functions_assign(ff->f, a, 0, 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(functions_assign(ff->f, a, VFS + 1, 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(functions_assign(ff->f, a, 1, 127, 1), WEFT_ERR_INVALID);
    assert_int_equal(functions_assign(ff->f, a, 1, 1, 127), WEFT_ERR_INVALID);
    assert_int_equal(functions_assign(ff->f, ff_port(ff, "sw", 0), 1, 1, 1), WEFT_ERR_INVALID);
    assert_int_equal(events(ff, a, 1), 0);
    ff_free(ff);
}

static void test_R147_a_guest_reads_its_own_table_and_sets_none(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001};
    static const uint8_t zeroes[64] = {0};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *guest = ff_attach_function(ff, "a", 1), *host = ff_attach(ff, "a");
    struct packet got, p;

    (void)state;
    set_table(ff, a, table, 2);
    assign(ff, a, 1, 0, UNASSIGNED);
    assign(ff, a, 1, 33, 1);
    got = ff_get(guest, FF_ROUTE_SELF, WEFT_ATTR_PKEY_TABLE, 0);
    assert_memory_equal(ff_data(&got), zeroes, 64);
    got = ff_get(guest, FF_ROUTE_SELF, WEFT_ATTR_PKEY_TABLE, 1);
    assert_int_equal(wire_be16(ff_data(&got) + 2), 0x8001);
    got = ff_get(host, FF_ROUTE_SELF, WEFT_ATTR_PKEY_TABLE, 0);
    assert_int_equal(wire_be16(ff_data(&got) + 2), 0x8001);
    p = ff_lid_smp(guest, port_lid(a), WEFT_METHOD_GET, WEFT_ATTR_PKEY_TABLE, 1);
    assert_int_equal(ff_status(guest, &p, &got), 0);
    assert_int_equal(wire_be16(ff_data(&got) + 2), 0x8001);
    /* Set is refused, of whichever attribute; nothing has changed */
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_SET, WEFT_ATTR_PKEY_TABLE, 0);
    assert_int_equal(ff_status(guest, &p, &got), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 1);
    assert_int_equal(ff_status(guest, &p, &got), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(port_pkey(ff->f, a, 1), 0x8001);
    /* seen from another node it asks for the physical table, as anybody */
    got = ff_get(ff_attach(ff, "b"), FF_ROUTE(1, 1), WEFT_ATTR_PKEY_TABLE, 0);
    assert_int_equal(wire_be16(ff_data(&got) + 2), 0x8001);
    ff_free(ff);
}

/* Sends an SMP that is to be dropped where it is sent. */
static void send_refused(struct ff_program *guest, const struct packet *p)
{
    uint64_t before = ff_stats(guest->ff).dropped_key, hops = ff_stats(guest->ff).hops;
    struct packet got;

    ff_send(guest, p);
    assert_false(ff_receive(guest, &got));
    assert_int_equal(ff_stats(guest->ff).dropped_key, before + 1);
    assert_int_equal(ff_stats(guest->ff).hops, hops);
}

static void test_R147_a_guest_sends_SMPs_to_its_own_node_only(void **state)
{
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1), *b = ff_port(ff, "b", 1);
    struct ff_program *guest = ff_attach_function(ff, "a", 1), *other = ff_attach(ff, "b");
    struct packet p, got;

    (void)state;
    /* out and back: there it would be a stranger, who may Set */
    p = ff_directed(guest, FF_ROUTE(1, 1), WEFT_METHOD_SET, WEFT_ATTR_PKEY_TABLE, 0);
    send_refused(guest, &p);
    p = ff_directed(guest, FF_ROUTE(1, 2), WEFT_METHOD_SET, WEFT_ATTR_PKEY_TABLE, 0);
    send_refused(guest, &p);
    p = ff_directed(guest, FF_ROUTE(1, 2), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    send_refused(guest, &p);
    p = ff_lid_smp(guest, port_lid(b), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    send_refused(guest, &p);
    p = ff_lid_smp(guest, WEFT_LID_PERMISSIVE, WEFT_METHOD_SET, WEFT_ATTR_PORT_INFO, 0);
    send_refused(guest, &p);
    /* ways that only seem to end here, and an answer that nobody has asked for */
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_SET, WEFT_ATTR_PKEY_TABLE, 0);
    wire_set(WIRE_SMP_DIRECTED_DR_DLID, p.mad, port_lid(b));
    send_refused(guest, &p);
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_SET, WEFT_ATTR_PKEY_TABLE, 0);
    wire_set(WIRE_SMP_DIRECTED_DR_SLID, p.mad, port_lid(a));
    p.dlid = port_lid(b);
    send_refused(guest, &p);
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
    wire_set(WIRE_SMP_DIRECTED_DIRECTION, p.mad, 1);
    send_refused(guest, &p);
    p = ff_lid_smp(guest, port_lid(b), WEFT_METHOD_GET_RESP, WEFT_ATTR_NODE_INFO, 0);
    send_refused(guest, &p);
    /* traps are the port's own */
    p = ff_lid_smp(guest, port_lid(a), WEFT_METHOD_TRAP_REPRESS, WEFT_ATTR_NOTICE, 0);
    send_refused(guest, &p);
    p = ff_lid_smp(guest, port_lid(a), WEFT_METHOD_TRAP, WEFT_ATTR_NOTICE, 0);
    send_refused(guest, &p);
    assert_int_equal(port_pkey(ff->f, a, 0), 0xFFFF);
    assert_int_equal(port_pkey(ff->f, b, 0), 0xFFFF);
    /* what is no SMP goes as ever */
    p = ff_gmp(guest, port_lid(b), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0);
    ff_send(guest, &p);
    assert_true(ff_receive(guest, &got));
    /* and others may send what they want */
    got = ff_get(other, FF_ROUTE(1, 1), WEFT_ATTR_NODE_INFO, 0);
    ff_free(ff);
}

static void test_R147_a_guest_cannot_set_its_hosts_SM(void **state)
{
    struct ff *ff = begin(VFS);
    struct ff_program *guest = ff_attach_function(ff, "a", 1), *sm = ff_attach(ff, "a");
    const uint64_t methods = UINT64_C(1) << WEFT_METHOD_GET | UINT64_C(1) << WEFT_METHOD_SET;
    struct packet p, got;

    (void)state;
    (void)ff_claim(sm, WEFT_QP_SMI, WEFT_CLASS_SUBN_DIRECTED, 1, methods);
    assert_int_equal(fabric_set_issm(ff->f, ff->now, sm->id, true), 0);
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_SET, WEFT_ATTR_SM_INFO, 0);
    assert_int_equal(ff_status(guest, &p, &got), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_false(ff_receive(sm, &got));
    p = ff_directed(guest, FF_ROUTE_SELF, WEFT_METHOD_GET, WEFT_ATTR_SM_INFO, 0);
    ff_send(guest, &p);
    assert_true(ff_receive(sm, &got));
    ff_free(ff);
}

static void test_a_guest_that_may_send_SMPs_is_nobody_special_elsewhere(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001};
    struct ff *ff = begin(VFS);
    struct ff_program *guest = ff_attach_function(ff, "a", 1);
    struct ff_program *other = ff_attach_function(ff, "a", 2);
    struct fabric_function_info info;
    struct packet got, p;

    (void)state;
    set_table(ff, ff_port(ff, "b", 1), table, 2);
    ff_command(ff, "vf a 1 smp on");
    assert_int_equal(fabric_function(ff->f, ff_port(ff, "a", 1)->node, 1, 1, &info), 0);
    assert_true(info.smp);
    p = ff_directed(other, FF_ROUTE(1, 2), WEFT_METHOD_GET, WEFT_ATTR_PKEY_TABLE, 0);
    send_refused(other, &p);
    got = ff_get(guest, FF_ROUTE(1, 2), WEFT_ATTR_PKEY_TABLE, 0);
    assert_int_equal(wire_be16(ff_data(&got) + 2), 0x8001);
    ff_command(ff, "vf a/1 1 smp off");
    p = ff_directed(guest, FF_ROUTE(1, 2), WEFT_METHOD_GET, WEFT_ATTR_PKEY_TABLE, 0);
    send_refused(guest, &p);
    ff_free(ff);
}

static void test_R150_a_guest_sends_by_virtual_index(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001, 0x8002};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1), *b = ff_port(ff, "b", 1);
    struct ff_program *guest = ff_attach_function(ff, "a", 2), *peer = ff_attach(ff, "b");
    struct packet got;

    (void)state;
    (void)ff_claim(peer, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    set_table(ff, a, table, 3);
    set_table(ff, b, table, 3);
    assign(ff, a, 2, 7, 2);
    tell(guest, 7, b);
    assert_true(ff_receive(peer, &got));
    assert_int_equal(got.pkey, 0x8002);
    assert_int_equal(got.pkey_index, 2);
    /* an entry that is not assigned, and none at all: not sent, and nothing worse */
    tell(guest, 2, b);
    tell(guest, 126, b);
    tell(guest, 127, b);
    tell(guest, UINT16_MAX, b);
    assert_int_equal(heard(peer), -1);
    assert_int_equal(ff_stats(ff).dropped_key, 4);
    tell(guest, 7, b);
    assert_int_equal(heard(peer), 2);
    ff_free(ff);
}

static void test_R155_a_guest_hears_on_its_virtual_index_and_answers_there(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001, 0x8002};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *guest = ff_attach_function(ff, "a", 1), *peer = ff_attach(ff, "b");
    struct packet p, got;

    (void)state;
    (void)ff_claim(guest, WEFT_QP_GSI, WEFT_CLASS_DEVICE, 1, UINT64_C(1) << WEFT_METHOD_GET);
    set_table(ff, a, table, 3);
    set_table(ff, ff_port(ff, "b", 1), table, 3);
    assign(ff, a, 1, 9, 2);
    p = ff_gmp(peer, port_lid(a), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0);
    p.pkey_index = 2;
    ff_send(peer, &p);
    assert_true(ff_receive(guest, &got));
    assert_int_equal(got.pkey_index, 9);
    /* the answer on the same index arrives where it was asked for */
    mad_set_method(got.mad, WEFT_METHOD_GET_RESP);
    got.dlid = got.slid;
    got.pkey = 0;
    ff_send(guest, &got);
    assert_true(ff_receive(peer, &got));
    assert_int_equal(got.pkey_index, 2);
    /* a key that the guest does not see is for nobody: the node itself says so */
    p.pkey_index = 1;
    ff_send(peer, &p);
    assert_int_equal(heard(guest), -1);
    assert_true(ff_receive(peer, &got));
    assert_int_equal(mad_status(got.mad), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    ff_free(ff);
}

static void test_an_answer_whose_key_the_guest_has_lost_is_dropped(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001};
    struct fabric_config c = config(VFS);
    struct ff *ff;
    struct port *a;
    struct ff_program *guest;
    struct packet p;

    (void)state;
    c.hop_ns = WEFT_US;
    ff = ff_new(ff_two_hosts, &c);
    a = ff_port(ff, "a", 1);
    guest = ff_attach_function(ff, "a", 1);
    set_table(ff, a, table, 2);
    set_table(ff, ff_port(ff, "b", 1), table, 2);
    assign(ff, a, 1, 4, 1);
    p = ff_gmp(guest, port_lid(ff_port(ff, "b", 1)), WEFT_CLASS_DEVICE, WEFT_METHOD_GET, 1, 0);
    p.pkey_index = 4;
    ff_send(guest, &p);
    assign(ff, a, 1, 4, UNASSIGNED);
    ff_advance(ff, WEFT_MS);
    assert_int_equal(heard(guest), -1);
    assert_int_equal(ff_stats(ff).dropped_key, 1);
    ff_send(guest, &p);
    assert_int_equal(ff_stats(ff).dropped_key, 2);
    ff_free(ff);
}

static void test_the_PF_comes_first_then_the_first_function_that_fits(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001, 0x8002};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *third = ff_attach_function(ff, "a", 3);
    struct ff_program *first = ff_attach_function(ff, "a", 1), *peer = ff_attach(ff, "b"), *pf;
    struct fabric_agent again = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_CM, .version = 1, .methods = {SEND}};
    uint32_t number;

    (void)state;
    set_table(ff, a, table, 3);
    set_table(ff, ff_port(ff, "b", 1), table, 3);
    assign(ff, a, 1, 4, 1);
    assign(ff, a, 3, 5, 1);
    assign(ff, a, 3, 6, 2);
    /* each function may claim a method, but only once */
    (void)ff_claim(third, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    (void)ff_claim(first, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    assert_int_equal(fabric_agent_add(ff->f, first->id, &again, &number), WEFT_ERR_CONFLICT);
    tell(peer, 1, a);
    assert_int_equal(heard(first), 4);
    assert_int_equal(heard(third), -1);
    tell(peer, 2, a);
    assert_int_equal(heard(first), -1);
    assert_int_equal(heard(third), 6);
    pf = ff_attach(ff, "a");
    (void)ff_claim(pf, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    tell(peer, 2, a);
    assert_int_equal(heard(pf), 2);
    assert_int_equal(heard(third), -1);
    ff_free(ff);
}

/* Both forms of a key in one port's table, each at another guest; who reaches whom. */
static void test_R142_R143_full_and_limited_guests_of_one_host(void **state)
{
    static const uint16_t both[] = {0xFFFF, 0x0001, 0x8001};
    static const uint16_t limited[] = {0xFFFF, 0x0001}, full[] = {0xFFFF, 0x8001};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1), *b = ff_port(ff, "b", 1);
    struct ff_program *guest_full = ff_attach_function(ff, "a", 1);
    struct ff_program *guest_limited = ff_attach_function(ff, "a", 2), *peer = ff_attach(ff, "b");

    (void)state;
    set_table(ff, a, both, 3);
    assign(ff, a, 1, 1, 2);
    assign(ff, a, 2, 1, 1);
    assert_int_equal(seen(ff, a, 1, 1), 0x8001);
    assert_int_equal(seen(ff, a, 2, 1), 0x0001);
    (void)ff_claim(guest_full, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    (void)ff_claim(guest_limited, WEFT_QP_GSI, WEFT_CLASS_DEVICE, 1, SEND);
    (void)ff_claim(peer, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    /* a limited peer hears of the full guest, and not of the limited one */
    set_table(ff, b, limited, 2);
    tell(guest_full, 1, b);
    assert_int_equal(heard(peer), 1);
    tell(guest_limited, 1, b);
    assert_int_equal(heard(peer), -1);
    assert_int_equal(wire_get(WIRE_PORT_INFO_P_KEY_VIOLATIONS, b->info), 1);
    /* and is heard by the full one */
    tell(peer, 1, a);
    assert_int_equal(heard(guest_full), 1);
    /* a full peer hears both */
    set_table(ff, b, full, 2);
    tell(guest_full, 1, b);
    assert_int_equal(heard(peer), 1);
    tell(guest_limited, 1, b);
    assert_int_equal(heard(peer), 1);
    /* the guests of one host hear each other, through the full one */
    tell(guest_limited, 1, a);
    assert_int_equal(heard(guest_full), 1);
    ff_free(ff);
}

static void test_two_limited_guests_do_not_hear_each_other(void **state)
{
    static const uint16_t both[] = {0xFFFF, 0x0001, 0x8001};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *one = ff_attach_function(ff, "a", 1);
    struct ff_program *other = ff_attach_function(ff, "a", 2);

    (void)state;
    set_table(ff, a, both, 3);
    assign(ff, a, 1, 1, 1);
    assign(ff, a, 2, 1, 1);
    (void)ff_claim(other, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    tell(one, 1, a);
    assert_int_equal(heard(other), -1);
    assign(ff, a, 2, 1, 2);
    tell(one, 1, a);
    assert_int_equal(heard(other), 1);
    ff_free(ff);
}

static void test_R148_the_PF_hears_limited_members_on_its_full_entry(void **state)
{
    static const uint16_t both[] = {0xFFFF, 0x0001, 0x8001}, limited[] = {0xFFFF, 0x0001};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *pf = ff_attach(ff, "a"), *peer = ff_attach(ff, "b");

    (void)state;
    (void)ff_claim(pf, WEFT_QP_GSI, WEFT_CLASS_CM, 1, SEND);
    set_table(ff, a, both, 3);
    set_table(ff, ff_port(ff, "b", 1), limited, 2);
    tell(peer, 1, a);
    assert_int_equal(heard(pf), 2);
    ff_free(ff);
}

static void test_R154_who_sees_a_change_is_told_and_nobody_else(void **state)
{
    static const uint16_t table[] = {0xFFFF, 0x8001, 0x8002}, moved[] = {0xFFFF, 0x8002, 0x8001};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1), *sw = ff_port(ff, "sw", 0);

    (void)state;
    set_table(ff, a, table, 3);
    assert_int_equal(events(ff, a, 0), 1);
    /* nobody but the PF sees entries 1 and 2 yet */
    assert_int_equal(events(ff, a, 1), 0);
    assign(ff, a, 1, 1, 1);
    assign(ff, a, 2, 1, 0);
    assert_int_equal(events(ff, a, 0), 1);
    assert_int_equal(events(ff, a, 1), 1);
    assert_int_equal(events(ff, a, 2), 1);
    assert_int_equal(events(ff, a, 3), 0);
    /* the keys change places: guests keep the slot, whatever stands there */
    set_table(ff, a, moved, 3);
    assert_int_equal(events(ff, a, 0), 2);
    assert_int_equal(events(ff, a, 1), 2);
    assert_int_equal(events(ff, a, 2), 1);
    assert_int_equal(seen(ff, a, 1, 1), 0x8002);
    /* the same again: nobody */
    set_table(ff, a, moved, 3);
    assert_int_equal(events(ff, a, 0), 2);
    assert_int_equal(events(ff, a, 1), 2);
    /* at a port without VFs whatever is written is told */
    set_table(ff, sw, table, 3);
    set_table(ff, sw, table, 3);
    assert_int_equal(events(ff, sw, 0), 2);
    ff_free(ff);
}

static void test_an_SM_tells_by_setting(void **state)
{
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1);
    struct ff_program *sm = ff_attach(ff, "b");
    uint8_t block[64] = {0xFF, 0xFF, 0x80, 0x01};

    (void)state;
    assign(ff, a, 2, 3, 1);
    (void)ff_set(sm, FF_ROUTE(1, 1), WEFT_ATTR_PKEY_TABLE, 0, block);
    assert_int_equal(events(ff, a, 0), 1);
    assert_int_equal(events(ff, a, 1), 0);
    assert_int_equal(events(ff, a, 2), 2);
    assert_int_equal(seen(ff, a, 2, 3), 0x8001);
    /* the kept entry stays empty: the last block has one less */
    memset(block, 0x11, sizeof(block));
    (void)ff_set(sm, FF_ROUTE(1, 1), WEFT_ATTR_PKEY_TABLE, 3, block);
    assert_int_equal(port_pkeys(ff->f, a)[126], 0x1111);
    assert_int_equal(port_pkeys(ff->f, a)[127], 0);
    ff_free(ff);
}

static void test_R143_strict(void **state)
{
    static const uint16_t both[] = {0xFFFF, 0x0001, 0x8001};
    struct fabric_config c = config(VFS);
    struct fabric_function_info info;
    struct ff *ff;
    struct port *a;

    (void)state;
    c.vf_strict = true;
    ff = ff_new(ff_two_hosts, &c);
    a = ff_port(ff, "a", 1);
    set_table(ff, a, both, 3);
    assign(ff, a, 1, 1, 1);
    assert_int_equal(functions_assign(ff->f, a, 1, 2, 2), WEFT_ERR_CONFLICT);
    assert_int_equal(functions_assign(ff->f, a, 1, 2, 1), WEFT_ERR_CONFLICT);
    assign(ff, a, 1, 1, 2);
    assert_int_equal(fabric_function(ff->f, a->node, 1, 1, &info), 0);
    assert_false(info.clashes);
    /* what an SM brings about is only told */
    assign(ff, a, 1, 3, 5);
    ff_command(ff, "pkey a/1 5 0x0001");
    assert_int_equal(fabric_function(ff->f, a->node, 1, 1, &info), 0);
    assert_true(info.clashes);
    assert_int_equal(info.clash[0], 1);
    assert_int_equal(info.clash[1], 3);
    /* what an entry is already it may stay */
    assign(ff, a, 1, 3, 5);
    assign(ff, a, 1, 1, 2);
    assert_int_equal(functions_assign(ff->f, a, 1, 4, 5), WEFT_ERR_CONFLICT);
    ff_free(ff);
}

static void test_R144_assigned_by_commands(void **state)
{
    static const uint16_t both[] = {0xFFFF, 0x0001, 0x8001};
    struct fabric_config c = config(VFS);
    struct fabric_error error;
    struct ff *ff;
    struct port *a;

    (void)state;
    c.vf_strict = true;
    ff = ff_new(ff_two_hosts, &c);
    a = ff_port(ff, "a", 1);
    set_table(ff, a, both, 3);
    ff_command(ff, "vf a 2 pkey 5 2");
    assert_int_equal(seen(ff, a, 2, 5), 0x8001);
    assert_int_equal(fabric_command(ff->f, ff->now, "vf a/1 2 pkey 6 1", &error),
                     WEFT_ERR_CONFLICT);
    assert_non_null(strstr(error.text, "unassign it first"));
    ff_command(ff, "vf a/1 2 pkey 5 none");
    ff_command(ff, "vf a/1 2 pkey 6 1");
    assert_int_equal(seen(ff, a, 2, 5), 0);
    assert_int_equal(seen(ff, a, 2, 6), 0x0001);
    /* of a line that comes later nobody hears but the counter */
    ff_command(ff, "at 1s vf a 2 pkey 7 2");
    ff_advance(ff, 2 * WEFT_S);
    assert_int_equal(seen(ff, a, 2, 7), 0);
    assert_int_equal(ff_stats(ff).refused, 2);
    ff_free(ff);
}

static void test_programs_are_counted(void **state)
{
    struct ff *ff = begin(VFS);
    struct ff_program *guest = ff_attach_function(ff, "a", 1);
    struct fabric_function_info info;

    (void)state;
    (void)ff_attach_function(ff, "a", 1);
    (void)ff_attach(ff, "a");
    assert_int_equal(fabric_function(ff->f, 1, 1, 1, &info), 0);
    assert_int_equal(info.programs, 2);
    ff_detach(guest);
    assert_int_equal(fabric_function(ff->f, 1, 1, 1, &info), 0);
    assert_int_equal(info.programs, 1);
    assert_int_equal(fabric_function(ff->f, 1, 1, 0, &info), 0);
    assert_int_equal(info.programs, 1);
    ff_free(ff);
}

/* What was looked up for one port is not another's, nor what it was before a change. */
static void test_each_port_is_looked_up_as_it_stands(void **state)
{
    static const uint16_t first[] = {0xFFFF, 0x8001}, then[] = {0xFFFF, 0x8002};
    struct ff *ff = begin(VFS);
    struct port *a = ff_port(ff, "a", 1), *b = ff_port(ff, "b", 1);

    (void)state;
    set_table(ff, a, first, 2);
    assign(ff, a, 1, 1, 1);
    assign(ff, b, 1, 1, 1);
    assert_int_equal(seen(ff, a, 1, 1), 0x8001);
    assert_int_equal(seen(ff, b, 1, 1), 0);
    set_table(ff, b, then, 2);
    assert_int_equal(seen(ff, b, 1, 1), 0x8002);
    assert_int_equal(seen(ff, a, 1, 1), 0x8001);
    set_table(ff, a, then, 2);
    assert_int_equal(seen(ff, a, 1, 1), 0x8002);
    assert_int_equal(events(ff, a, 1), 2);
    assert_int_equal(events(ff, b, 1), 2);
    ff_free(ff);
}

static void test_functions_are_counted(void **state)
{
    struct ff *ff = begin(VFS), *without = begin(0);
    uint32_t a = ff_port(ff, "a", 1)->node, sw = ff_port(ff, "sw", 0)->node;

    (void)state;
    assert_int_equal(fabric_functions(ff->f, a, 1), VFS + 1);
    assert_int_equal(fabric_functions(ff->f, a, 0), 0);
    assert_int_equal(fabric_functions(ff->f, a, 2), 0);
    assert_int_equal(fabric_functions(ff->f, sw, 0), 1);
    assert_int_equal(fabric_functions(ff->f, 99, 1), 0);
    assert_int_equal(fabric_functions(without->f, a, 1), 1);
    ff_free(without);
    ff_free(ff);
}

/* More ports than one map has. */
static void test_many_CAs(void **state)
{
    struct fabric_config c = config(2);
    struct ff *ff = ff_new("fat-tree:hosts=324,radix=36", &c);

    (void)state;
    for (uint32_t i = 0; i < fabric_node_count(ff->f); i++) {
        struct node *n = &ff->f->nodes[i];

        if (n->type == TOPO_CA)
            assign(ff, node_port(ff->f, n, 1), 2, 1, (uint16_t)(i % 127));
    }
    for (uint32_t i = 0; i < fabric_node_count(ff->f); i++) {
        uint16_t entry = 0;

        if (ff->f->nodes[i].type != TOPO_CA)
            continue;
        assert_int_equal(fabric_function_entry(ff->f, i, 1, 2, 1, &entry), 0);
        assert_int_equal(entry, i % 127);
    }
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R145_without_functions_all_is_as_before),
        cmocka_unit_test(test_only_CAs_have_functions_and_keep_an_entry_back),
        cmocka_unit_test(test_R144_a_function_sees_what_it_is_assigned),
        cmocka_unit_test(test_what_cannot_be_assigned),
        cmocka_unit_test(test_R147_a_guest_reads_its_own_table_and_sets_none),
        cmocka_unit_test(test_R147_a_guest_sends_SMPs_to_its_own_node_only),
        cmocka_unit_test(test_R147_a_guest_cannot_set_its_hosts_SM),
        cmocka_unit_test(test_a_guest_that_may_send_SMPs_is_nobody_special_elsewhere),
        cmocka_unit_test(test_R150_a_guest_sends_by_virtual_index),
        cmocka_unit_test(test_R155_a_guest_hears_on_its_virtual_index_and_answers_there),
        cmocka_unit_test(test_an_answer_whose_key_the_guest_has_lost_is_dropped),
        cmocka_unit_test(test_the_PF_comes_first_then_the_first_function_that_fits),
        cmocka_unit_test(test_R142_R143_full_and_limited_guests_of_one_host),
        cmocka_unit_test(test_two_limited_guests_do_not_hear_each_other),
        cmocka_unit_test(test_R148_the_PF_hears_limited_members_on_its_full_entry),
        cmocka_unit_test(test_R154_who_sees_a_change_is_told_and_nobody_else),
        cmocka_unit_test(test_an_SM_tells_by_setting),
        cmocka_unit_test(test_R143_strict),
        cmocka_unit_test(test_R144_assigned_by_commands),
        cmocka_unit_test(test_programs_are_counted),
        cmocka_unit_test(test_each_port_is_looked_up_as_it_stands),
        cmocka_unit_test(test_functions_are_counted),
        cmocka_unit_test(test_many_CAs),
    };

    return cmocka_run_group_tests_name("fabric_functions", tests, NULL, NULL);
}
