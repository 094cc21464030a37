/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directed-route hop rules: each rule, everything that is no rule, and walks there and back. */
#include "core/mad/smi.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define PORT_COUNT 36
#define ARRIVAL    3 /* the port a packet arrives by, or is to be sent by */
#define NEXT       9 /* what every entry of both paths says unless a test says otherwise */
#define DR_SLID    111
#define DR_DLID    222

static const struct smi_node ca = {.is_switch = false, .port_count = 4};
static const struct smi_node sw = {.is_switch = true, .port_count = PORT_COUNT};

struct packet {
    bool returning;
    bool slid_is_permissive;
    bool dlid_is_permissive;
    unsigned int pointer;
    unsigned int count;
    uint8_t path; /* every entry of both paths */
};

static void make_smp(uint8_t smp[WEFT_MAD_BYTES], const struct packet *packet)
{
    memset(smp, 0, WEFT_MAD_BYTES);
    mad_set_class(smp, WEFT_CLASS_SUBN_DIRECTED);
    mad_set_method(smp, packet->returning ? WEFT_METHOD_GET_RESP : WEFT_METHOD_GET);
    wire_set(WIRE_SMP_DIRECTED_DIRECTION, smp, packet->returning);
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, smp, packet->pointer);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, smp, packet->count);
    wire_set(WIRE_SMP_DIRECTED_DR_SLID, smp,
             packet->slid_is_permissive ? WEFT_LID_PERMISSIVE : DR_SLID);
    wire_set(WIRE_SMP_DIRECTED_DR_DLID, smp,
             packet->dlid_is_permissive ? WEFT_LID_PERMISSIVE : DR_DLID);
    memset(smp + 128, packet->path, 128);
}

/* Where a rule applies. */
enum place {
    SENDER,
    RECEIVER
};
enum direction {
    REQUEST,
    RESPONSE
};
enum node_set {
    CA = 1,
    SWITCH = 2,
    ANY_NODE = 3
};
/* What a rule asks of hop pointer P and hop count C. */
enum hops {
    P_0_C_0,
    P_0_C_POSITIVE,
    P_0,
    P_1_C_0,
    P_1,
    P_FROM_1_BELOW_C,
    P_FROM_2_TO_C,
    P_IS_C,
    P_IS_C_PLUS_1,
    P_IS_C_PLUS_1_C_POSITIVE
};
enum lids {
    EITHER,
    PERMISSIVE,
    GIVEN
};

static bool hops_match(enum hops hops, unsigned int p, unsigned int c)
{
    switch (hops) {
    case P_0_C_0:
        return p == 0 && c == 0;
    case P_0_C_POSITIVE:
        return p == 0 && c > 0;
    case P_0:
        return p == 0;
    case P_1_C_0:
        return p == 1 && c == 0;
    case P_1:
        return p == 1;
    case P_FROM_1_BELOW_C:
        return p >= 1 && p < c;
    case P_FROM_2_TO_C:
        return p >= 2 && p <= c;
    case P_IS_C:
        return p == c;
    case P_IS_C_PLUS_1:
        return p == c + 1;
    case P_IS_C_PLUS_1_C_POSITIVE:
        return p == c + 1 && c > 0;
    }
    return false;
}

static bool lids_match(enum lids lids, bool is_permissive)
{
    return lids == EITHER || is_permissive == (lids == PERMISSIVE);
}

/* The rules (IBA 14.2.2). What no row describes is discarded. */
static const struct rule {
    const char *name;
    enum place place;
    enum direction direction;
    enum node_set nodes;
    enum hops hops;
    enum lids slid;
    enum lids dlid;
    enum smi_verdict verdict;
    int move;     /* of the hop pointer */
    bool records; /* the arrival port, at the hop pointer before it moves, if C > 0 */
} rules[] = {
    {"request starts LID routed", SENDER, REQUEST, ANY_NODE, P_0, GIVEN, EITHER,
     SMI_SEND_AS_ADDRESSED, 0, false},
    {"request to the own node", SENDER, REQUEST, ANY_NODE, P_0_C_0, PERMISSIVE, PERMISSIVE,
     SMI_TO_SMA, 1, false},
    {"request without directed part", SENDER, REQUEST, SWITCH, P_0_C_0, PERMISSIVE, GIVEN,
     SMI_FORWARD_LID, 1, false},
    {"request takes its first hop", SENDER, REQUEST, ANY_NODE, P_0_C_POSITIVE, PERMISSIVE, EITHER,
     SMI_FORWARD_PORT, 1, false},
    {"response starts LID routed", SENDER, RESPONSE, ANY_NODE, P_IS_C_PLUS_1, EITHER, GIVEN,
     SMI_SEND_AS_ADDRESSED, 0, false},
    {"response to the own node", SENDER, RESPONSE, ANY_NODE, P_1_C_0, PERMISSIVE, PERMISSIVE,
     SMI_TO_SM, -1, false},
    {"response without directed part", SENDER, RESPONSE, SWITCH, P_1_C_0, GIVEN, PERMISSIVE,
     SMI_FORWARD_LID, -1, false},
    {"response takes its first hop", SENDER, RESPONSE, ANY_NODE, P_IS_C_PLUS_1_C_POSITIVE, EITHER,
     PERMISSIVE, SMI_FORWARD_PORT, -1, false},

    {"directed part of a request begins", RECEIVER, REQUEST, SWITCH, P_0_C_POSITIVE, GIVEN, EITHER,
     SMI_FORWARD_PORT, 1, false},
    {"request passes a switch", RECEIVER, REQUEST, SWITCH, P_FROM_1_BELOW_C, EITHER, EITHER,
     SMI_FORWARD_PORT, 1, true},
    {"request arrives", RECEIVER, REQUEST, ANY_NODE, P_IS_C, EITHER, PERMISSIVE, SMI_TO_SMA, 1,
     true},
    {"directed part of a request ends", RECEIVER, REQUEST, SWITCH, P_IS_C, EITHER, GIVEN,
     SMI_FORWARD_LID, 1, true},
    {"request arrives LID routed", RECEIVER, REQUEST, ANY_NODE, P_IS_C_PLUS_1, EITHER, EITHER,
     SMI_TO_SMA, 0, false},
    {"directed part of a response begins", RECEIVER, RESPONSE, SWITCH, P_IS_C_PLUS_1_C_POSITIVE,
     EITHER, GIVEN, SMI_FORWARD_PORT, -1, false},
    {"response passes a switch", RECEIVER, RESPONSE, SWITCH, P_FROM_2_TO_C, EITHER, EITHER,
     SMI_FORWARD_PORT, -1, false},
    {"response arrives", RECEIVER, RESPONSE, ANY_NODE, P_1, PERMISSIVE, EITHER, SMI_TO_SM, -1,
     false},
    {"directed part of a response ends", RECEIVER, RESPONSE, SWITCH, P_1, GIVEN, EITHER,
     SMI_FORWARD_LID, -1, false},
    {"response arrives LID routed", RECEIVER, RESPONSE, ANY_NODE, P_0, EITHER, EITHER, SMI_TO_SM, 0,
     false},
};

#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

static bool rule_matches(const struct rule *rule, enum place place, bool is_switch,
                         const struct packet *packet)
{
    return rule->place == place && (rule->direction == RESPONSE) == packet->returning &&
           (rule->nodes & (is_switch ? SWITCH : CA)) != 0 && packet->count <= 63 &&
           hops_match(rule->hops, packet->pointer, packet->count) &&
           lids_match(rule->slid, packet->slid_is_permissive) &&
           lids_match(rule->dlid, packet->dlid_is_permissive);
}

static struct smi_decision decide(uint8_t *smp, enum place place, const struct smi_node *node,
                                  uint8_t port)
{
    return place == SENDER ? smi_send(smp, node, port) : smi_receive(smp, node, port);
}

/* Checks the verdict and every byte of the packet against the rule; NULL: discarded. */
static void check_case(const struct rule *rule, enum place place, const struct smi_node *node,
                       const struct packet *packet, uint8_t port)
{
    uint8_t smp[WEFT_MAD_BYTES];
    uint8_t expected[WEFT_MAD_BYTES];

    make_smp(smp, packet);
    memcpy(expected, smp, sizeof(expected));
    struct smi_decision decision = decide(smp, place, node, port);

    if (!rule) {
        assert_int_equal(decision.verdict, SMI_DISCARD);
        assert_int_equal(decision.port, 0);
        assert_int_equal(decision.dlid, 0);
        assert_memory_equal(smp, expected, sizeof(smp));
        return;
    }
    assert_int_equal(decision.verdict, rule->verdict);
    assert_int_equal(decision.port, rule->verdict == SMI_FORWARD_PORT ? packet->path : 0);
    if (rule->verdict == SMI_FORWARD_LID)
        assert_int_equal(decision.dlid, packet->returning ? DR_SLID : DR_DLID);
    expected[6] = (uint8_t)((int)packet->pointer + rule->move);
    if (rule->records && packet->count > 0)
        expected[192 + packet->pointer] = port;
    assert_memory_equal(smp, expected, sizeof(smp));
}

/* The smallest packet that a rule describes. */
static struct packet smallest_packet(const struct rule *rule)
{
    struct packet packet = {.returning = rule->direction == RESPONSE, .path = NEXT};

    packet.slid_is_permissive = rule->slid != GIVEN;
    packet.dlid_is_permissive = rule->dlid != GIVEN;
    for (packet.count = 0; packet.count <= 63; packet.count++) {
        for (packet.pointer = 0; packet.pointer <= 64; packet.pointer++) {
            if (hops_match(rule->hops, packet.pointer, packet.count))
                return packet;
        }
    }
    fail_msg("%s: describes nothing", rule->name);
    return packet;
}

static void test_each_rule(void **state)
{
    (void)state;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        struct packet packet = smallest_packet(&rules[i]);
        uint8_t port = ARRIVAL;

        print_message("# %s\n", rules[i].name);
        if ((rules[i].nodes & SWITCH) != 0)
            check_case(&rules[i], rules[i].place, &sw, &packet, port);
        if ((rules[i].nodes & CA) != 0) {
            packet.path = ARRIVAL; /* a CA sends by the port that the path names */
            check_case(&rules[i], rules[i].place, &ca, &packet, port);
        }
    }
}

/* All hop pointers and counts up to beyond the limit, both directions, both kinds of node, sender
 * and receiver, all four kinds of LID routed parts. */
static void test_everything_that_no_rule_describes_is_discarded(void **state)
{
    (void)state;
    size_t used[RULE_COUNT] = {0};

    for (unsigned int bits = 0; bits < 32; bits++) {
        enum place place = (bits & 8) != 0 ? SENDER : RECEIVER;
        bool is_switch = (bits & 16) != 0;
        /* A CA sends by the port that the path names; elsewhere the two must differ, so that a
         * port written into the return path shows. */
        struct packet packet = {.returning = (bits & 1) != 0,
                                .slid_is_permissive = (bits & 2) != 0,
                                .dlid_is_permissive = (bits & 4) != 0,
                                .path = place == SENDER && !is_switch ? ARRIVAL : NEXT};

        for (packet.count = 0; packet.count <= 70; packet.count++) {
            for (packet.pointer = 0; packet.pointer <= 72; packet.pointer++) {
                const struct rule *found = NULL;

                for (size_t i = 0; i < RULE_COUNT; i++) {
                    if (!rule_matches(&rules[i], place, is_switch, &packet))
                        continue;
                    assert_null(found); /* the rules do not overlap */
                    found = &rules[i];
                    used[i]++;
                }
                check_case(found, place, is_switch ? &sw : &ca, &packet, ARRIVAL);
            }
        }
    }
    for (size_t i = 0; i < RULE_COUNT; i++)
        assert_true(used[i] > 0);
}

/* Wherever a rule sends a packet out of a port, the port must exist, and at a CA be the right one.
 */
static void test_ports_that_cannot_be_used_discard(void **state)
{
    (void)state;
    static const uint8_t bad_ports[] = {0, PORT_COUNT + 1, 255};

    for (size_t i = 0; i < RULE_COUNT; i++) {
        struct packet packet = smallest_packet(&rules[i]);

        if (rules[i].verdict != SMI_FORWARD_PORT)
            continue;
        for (size_t p = 0; p < sizeof(bad_ports); p++) {
            packet.path = bad_ports[p];
            check_case(NULL, rules[i].place, &sw, &packet, ARRIVAL);
        }
        packet.path = PORT_COUNT;
        check_case(&rules[i], rules[i].place, &sw, &packet, ARRIVAL);
        if ((rules[i].nodes & CA) != 0) {
            packet.path = 2; /* exists, but the packet is to leave by another */
            check_case(NULL, rules[i].place, &ca, &packet, ARRIVAL);
            packet.path = 5; /* does not exist, although it is asked for */
            check_case(NULL, rules[i].place, &ca, &packet, 5);
            packet.path = 0;
            check_case(NULL, rules[i].place, &ca, &packet, 0);
        }
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static uint8_t random_port(uint32_t *state)
{
    return (uint8_t)(1 + next_random(state) % PORT_COUNT);
}

/* A path: hop i leaves node i - 1 by out[i] and enters node i by in[i]. */
struct walk {
    uint8_t smp[WEFT_MAD_BYTES];
    unsigned int count;
    bool lid_routed_start;
    bool lid_routed_end;
    struct smi_node first; /* where the directed part begins */
    struct smi_node last;  /* where it ends */
    uint8_t in[65];
    uint8_t out[65];
};

static void make_walk(struct walk *walk, unsigned int count, uint32_t *random)
{
    unsigned int choice = next_random(random);
    struct packet packet = {.count = count};

    memset(walk, 0, sizeof(*walk));
    walk->count = count;
    walk->lid_routed_start = (choice & 1) != 0;
    walk->lid_routed_end = (choice & 2) != 0;
    /* LID routed parts begin and end at switches only. */
    walk->first = (struct smi_node){walk->lid_routed_start || (choice & 4) != 0, PORT_COUNT};
    walk->last = (struct smi_node){walk->lid_routed_end || (choice & 8) != 0, PORT_COUNT};
    if (count == 0)
        walk->first = walk->last = (struct smi_node){true, PORT_COUNT};
    packet.slid_is_permissive = !walk->lid_routed_start;
    packet.dlid_is_permissive = !walk->lid_routed_end;
    make_smp(walk->smp, &packet);
    for (unsigned int hop = 1; hop <= count; hop++) {
        walk->in[hop] = random_port(random);
        walk->out[hop] = random_port(random);
        walk->smp[128 + hop] = walk->out[hop];
    }
}

/* The request from its sender to the SMA. */
static void walk_there(struct walk *walk)
{
    struct smi_decision d = smi_send(walk->smp, &walk->first, walk->out[1]);

    if (walk->lid_routed_start) {
        assert_int_equal(d.verdict, SMI_SEND_AS_ADDRESSED);
        d = smi_receive(walk->smp, &walk->first, ARRIVAL);
    }
    for (unsigned int hop = 1; hop <= walk->count; hop++) {
        assert_int_equal(d.verdict, SMI_FORWARD_PORT);
        assert_int_equal(d.port, walk->out[hop]);
        d = smi_receive(walk->smp, hop == walk->count ? &walk->last : &sw, walk->in[hop]);
    }
    if (walk->lid_routed_end) {
        assert_int_equal(d.verdict, SMI_FORWARD_LID);
        assert_int_equal(d.dlid, DR_DLID);
        d = smi_receive(walk->smp, &ca, ARRIVAL);
    }
    assert_int_equal(d.verdict, SMI_TO_SMA);
    assert_int_equal(walk->smp[6], walk->count + 1);
    for (unsigned int hop = 1; hop <= walk->count; hop++)
        assert_int_equal(walk->smp[192 + hop], walk->in[hop]);
}

/* The response from the SMA to the SM. */
static void walk_back(struct walk *walk)
{
    struct smi_decision d;

    if (walk->lid_routed_end) {
        d = smi_send(walk->smp, &ca, ARRIVAL);
        assert_int_equal(d.verdict, SMI_SEND_AS_ADDRESSED);
        /* With no directed hop to take back, the packet is where its directed part began. */
        d = smi_receive(walk->smp, &walk->last, ARRIVAL);
    } else {
        d = smi_send(walk->smp, &walk->last, walk->in[walk->count]);
    }
    for (unsigned int hop = walk->count; hop >= 1; hop--) {
        assert_int_equal(d.verdict, SMI_FORWARD_PORT);
        assert_int_equal(d.port, walk->in[hop]);
        d = smi_receive(walk->smp, hop == 1 ? &walk->first : &sw, walk->out[hop]);
    }
    if (walk->lid_routed_start) {
        assert_int_equal(d.verdict, SMI_FORWARD_LID);
        assert_int_equal(d.dlid, DR_SLID);
        d = smi_receive(walk->smp, &ca, ARRIVAL);
    }
    assert_int_equal(d.verdict, SMI_TO_SM);
    assert_int_equal(walk->smp[6], 0);
}

static void test_responses_return_to_the_origin_over_any_path(void **state)
{
    (void)state;
    uint32_t random = 1;

    for (unsigned int round = 0; round < 6400; round++) {
        struct walk walk;

        make_walk(&walk, round % 64, &random);
        walk_there(&walk);
        smi_build_response(walk.smp, WEFT_STATUS_OK);
        walk_back(&walk);
    }
}

static void test_build_response_touches_method_status_and_direction_only(void **state)
{
    (void)state;
    struct packet packet = {.pointer = 3, .count = 2, .path = NEXT};
    uint8_t smp[WEFT_MAD_BYTES];
    uint8_t expected[WEFT_MAD_BYTES];

    make_smp(smp, &packet);
    memcpy(expected, smp, sizeof(expected));
    smi_build_response(smp, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    mad_set_method(expected, WEFT_METHOD_GET_RESP);
    mad_set_status(expected, 0x800C);
    assert_memory_equal(smp, expected, sizeof(smp));

    mad_set_class(smp, WEFT_CLASS_SUBN_LID);
    mad_set_method(smp, WEFT_METHOD_SET);
    smi_build_response(smp, 0xFFFF);
    assert_int_equal(mad_method(smp), WEFT_METHOD_GET_RESP);
    assert_int_equal(mad_status(smp), 0x7FFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rule),
        cmocka_unit_test(test_everything_that_no_rule_describes_is_discarded),
        cmocka_unit_test(test_ports_that_cannot_be_used_discard),
        cmocka_unit_test(test_responses_return_to_the_origin_over_any_path),
        cmocka_unit_test(test_build_response_touches_method_status_and_direction_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
