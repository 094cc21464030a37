/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of a capture: which are iWARP, who began, and what is told of them. */
#include "capture/capture.h"
#include "capture_packets.h"

/* A capture being made and read at once; the connection's ends and numbers. */
struct scene {
    struct capture *capture;
    uint32_t seq[2];
    weft_time now;
    uint32_t connections, records, problems, fpdus;
    struct capture_connection connection;
    enum weft_iwarp_problem_kind problem; /* the last one */
    enum weft_iwarp_side from;            /* of the last record */
};

static void take_connection(void *ctx, const struct capture_connection *c)
{
    struct scene *s = ctx;

    s->connections++;
    s->connection = *c;
}

static void take_record(void *ctx, const struct capture_connection *c,
                        const struct weft_iwarp_record *r)
{
    struct scene *s = ctx;

    assert_int_equal(c->number, s->connection.number);
    s->records++;
    s->fpdus += r->type == WEFT_IWARP_FPDU;
    s->problems += r->problem_count;
    s->from = r->from;
    if (r->problem_count)
        s->problem = r->problems[0].kind;
}

static struct scene *scene_new(uint16_t port)
{
    struct scene *s = calloc(1, sizeof(*s));
    struct capture_sink sink = {s, take_connection, take_record};

    assert_non_null(s);
    s->capture = capture_new(port, &sink);
    assert_non_null(s->capture);
    s->seq[0] = 1000;
    s->seq[1] = 0xFFFFFFFF;
    return s;
}

static void scene_free(struct scene *s)
{
    capture_free(s->capture);
    free(s);
}

static void put(struct scene *s, const struct segment *segment)
{
    uint8_t bytes[PACKET_MAX];
    uint32_t count = write_ip(segment, bytes);

    s->now += WEFT_US;
    capture_packet(s->capture, DLT_RAW, bytes, count, count, s->now);
}

static void say_flags(struct scene *s, int side, uint8_t flags)
{
    put(s, &(struct segment){
               .side = side, .seq = s->seq[side], .ack = s->seq[1 - side], .flags = flags});
    if (flags & (PACKET_SYN | PACKET_FIN))
        s->seq[side]++;
}

static void open_connection(struct scene *s)
{
    say_flags(s, 0, PACKET_SYN);
    say_flags(s, 1, PACKET_SYN | PACKET_ACK);
    say_flags(s, 0, PACKET_ACK);
}

static void say(struct scene *s, int side, const char *hex)
{
    uint8_t data[HEX_MAX];
    uint32_t count = from_hex(hex, data);

    put(s, &(struct segment){.side = side,
                             .seq = s->seq[side],
                             .ack = s->seq[1 - side],
                             .flags = PACKET_ACK,
                             .data = data,
                             .bytes = count});
    s->seq[side] += count;
}

static void say_frames(struct scene *s)
{
    say(s, 0, SIW_REQUEST);
    say(s, 1, CRC_REPLY);
}

static const struct capture_stats *stats(const struct scene *s)
{
    return capture_stats(s->capture);
}

static void test_a_connection_from_SYN_to_FIN(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    open_connection(s);
    assert_int_equal(s->connections, 0);
    say_frames(s);
    assert_int_equal(s->connections, 1);
    assert_int_equal(s->connection.number, 1);
    assert_false(s->connection.guessed);
    assert_int_equal(s->connection.end[0].port, 40000);
    say(s, 0, FPDU_SEND);
    assert_int_equal(s->records, 4);
    assert_int_equal(s->from, WEFT_IWARP_INITIATOR);
    say_flags(s, 0, PACKET_FIN | PACKET_ACK);
    say_flags(s, 1, PACKET_FIN | PACKET_ACK);
    say(s, 0, FPDU_SEND); /* it is closed */
    capture_finish(s->capture);
    assert_int_equal(s->records, 4);
    assert_int_equal(s->problems, 0);
    assert_int_equal(stats(s)->packets, 9);
    assert_int_equal(stats(s)->tcp, 9);
    assert_int_equal(stats(s)->iwarp, 1);
    assert_int_equal(stats(s)->first_time, WEFT_US);
    scene_free(s);
}

static void test_a_FIN_or_RST_within_an_FPDU(void **state)
{
    static const uint8_t flags[] = {PACKET_FIN | PACKET_ACK, PACKET_RST};

    (void)state;
    for (uint32_t i = 0; i < COUNT(flags); i++) {
        struct scene *s = scene_new(0);

        open_connection(s);
        say_frames(s);
        say(s, 0, "0022 4143 00000000");
        say_flags(s, 0, flags[i]);
        assert_int_equal(s->problems, 1);
        assert_int_equal(s->problem, WEFT_IWARP_CUT);
        scene_free(s);
    }
}

/* The end of the capture is not the end of the connection. */
static void test_a_capture_that_ends_within_an_FPDU(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    open_connection(s);
    say_frames(s);
    say(s, 0, "0022 4143 00000000");
    capture_finish(s->capture);
    assert_int_equal(s->problems, 0);
    scene_free(s);
}

static void test_without_SYN_the_MPA_frame_tells_who_began(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct scene *s = scene_new(0);

        /* The responder's segment may be the first one that was captured. */
        say(s, first, first ? CRC_REPLY : SIW_REQUEST);
        say(s, 1 - first, first ? SIW_REQUEST : CRC_REPLY);
        say(s, 0, FPDU_SEND);
        assert_int_equal(s->connections, 1);
        assert_false(s->connection.guessed);
        assert_int_equal(s->connection.end[0].port, 40000);
        assert_int_equal(s->connection.end[1].port, 7174);
        assert_int_equal(s->records, 4);
        assert_int_equal(s->problems, 0);
        scene_free(s);
    }
}

static void test_without_MPA_frames_an_FPDU_tells_iWARP_and_the_port_who_began(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct scene *s = scene_new(0);

        say(s, first, "c0ffee"); /* the end of something */
        say(s, first, FPDU_SEND);
        assert_int_equal(s->connections, 1);
        assert_true(s->connection.guessed);
        assert_int_equal(s->connection.end[0].port, 40000);
        assert_int_equal(s->fpdus, 1);
        assert_int_equal(s->from, first ? WEFT_IWARP_RESPONDER : WEFT_IWARP_INITIATOR);
        scene_free(s);
    }
}

static void test_other_connections_are_counted(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    open_connection(s);
    say(s, 0, "474554202f20485454502f312e310d0a486f73743a");
    say(s, 1, FPDU_SEND);
    assert_int_equal(stats(s)->others, 1);
    capture_finish(s->capture);
    assert_int_equal(s->connections, 0);
    assert_int_equal(stats(s)->others, 1);
    assert_int_equal(stats(s)->iwarp, 0);
    scene_free(s);

    s = scene_new(0); /* late, and never an FPDU */
    for (uint32_t i = 0; i < 2 * CAPTURE_PIECES_LOOKED_AT; i++)
        say(s, 0, "474554202f20485454502f312e310d0a486f73743a");
    assert_int_equal(stats(s)->others, 1);
    scene_free(s);
}

static void test_a_key_that_begins_like_one_is_explained(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    open_connection(s);
    say(s, 0, "4d504120494420526571204672616d66 10 02 0004 0001 0001");
    assert_int_equal(s->connections, 1);
    assert_int_equal(s->problem, WEFT_IWARP_BAD_KEY);
    scene_free(s);
}

static void test_a_port_says_what_iWARP_is(void **state)
{
    struct scene *s = scene_new(7174);

    (void)state;
    open_connection(s);
    say(s, 0, "474554202f20485454502f312e310d0a486f73743a");
    assert_int_equal(s->connections, 1);
    assert_int_equal(s->problem, WEFT_IWARP_BAD_KEY);
    scene_free(s);

    s = scene_new(7175);
    open_connection(s);
    say_frames(s);
    assert_int_equal(s->connections, 0);
    assert_int_equal(stats(s)->packets, 5);
    scene_free(s);
}

static void test_segments_out_of_order_and_repeated(void **state)
{
    struct scene *s = scene_new(0);
    uint32_t seq;

    (void)state;
    open_connection(s);
    say_frames(s);
    seq = s->seq[0];
    s->seq[0] = seq + 40;
    say(s, 0, "000e c140 00000001 0000000000000000 ebd34c5f");
    assert_int_equal(s->fpdus, 0);
    s->seq[0] = seq;
    say(s, 0, FPDU_SEND);
    assert_int_equal(s->fpdus, 2);
    s->seq[0] = seq;
    say(s, 0, FPDU_SEND);
    assert_int_equal(s->fpdus, 2);
    assert_int_equal(s->problems, 0);
    scene_free(s);
}

static void test_lost_packets_are_told_when_their_bytes_are_acknowledged(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    open_connection(s);
    say_frames(s);
    s->seq[0] += 40;
    say(s, 0, "000e c140 00000001 0000000000000000 ebd34c5f");
    assert_int_equal(s->problems, 0);
    say_flags(s, 1, PACKET_ACK);
    assert_int_equal(s->problem, WEFT_IWARP_GAP);
    assert_int_equal(s->fpdus, 1);
    scene_free(s);
}

static void test_lost_packets_are_told_at_the_end_of_the_capture(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    open_connection(s);
    say_frames(s);
    s->seq[0] += 40;
    say(s, 0, "000e c140 00000001 0000000000000000 ebd34c5f");
    capture_finish(s->capture);
    assert_int_equal(s->problem, WEFT_IWARP_GAP);
    assert_int_equal(s->fpdus, 1);
    scene_free(s);
}

static void test_the_same_ends_again_are_another_connection(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    for (uint32_t i = 1; i <= 3; i++) {
        open_connection(s);
        say_frames(s);
        say(s, 0, FPDU_SEND);
        assert_int_equal(s->connection.number, i);
        assert_int_equal(s->fpdus, i);
        s->seq[0] += 100000;
    }
    assert_int_equal(s->problems, 0);
    scene_free(s);
}

static void test_a_repeated_SYN_is_no_new_connection(void **state)
{
    struct scene *s = scene_new(0);

    (void)state;
    say_flags(s, 0, PACKET_SYN);
    s->seq[0]--;
    open_connection(s);
    say_frames(s);
    s->seq[0] = 1000;
    say_flags(s, 0, PACKET_SYN);
    s->seq[0] += 24;
    say(s, 0, FPDU_SEND);
    assert_int_equal(s->connections, 1);
    assert_int_equal(s->fpdus, 1);
    scene_free(s);
}

static void test_packets_captured_in_part(void **state)
{
    struct scene *s = scene_new(0);
    uint8_t data[HEX_MAX], bytes[PACKET_MAX];
    uint32_t count;

    (void)state;
    open_connection(s);
    say_frames(s);
    count = write_ip(&(struct segment){.side = 0,
                                       .seq = s->seq[0],
                                       .flags = PACKET_ACK,
                                       .data = data,
                                       .bytes = from_hex(FPDU_SEND, data)},
                     bytes);
    capture_packet(s->capture, DLT_RAW, bytes, count - 10, count, s->now);
    s->seq[0] += 40;
    say(s, 0, FPDU_RTR_WRITE);
    assert_int_equal(s->fpdus, 2);
    assert_int_equal(s->problems, 1);
    assert_int_equal(s->problem, WEFT_IWARP_GAP);
    assert_int_equal(stats(s)->shortened, 1);
    capture_packet(s->capture, DLT_RAW, bytes, 30, count, 0);
    assert_int_equal(stats(s)->cut, 1);
    bytes[6] = 0x20;
    capture_packet(s->capture, DLT_RAW, bytes, count, count, 0);
    assert_int_equal(stats(s)->fragments, 1);
    scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_connection_from_SYN_to_FIN),
        cmocka_unit_test(test_a_FIN_or_RST_within_an_FPDU),
        cmocka_unit_test(test_a_capture_that_ends_within_an_FPDU),
        cmocka_unit_test(test_without_SYN_the_MPA_frame_tells_who_began),
        cmocka_unit_test(test_without_MPA_frames_an_FPDU_tells_iWARP_and_the_port_who_began),
        cmocka_unit_test(test_other_connections_are_counted),
        cmocka_unit_test(test_a_key_that_begins_like_one_is_explained),
        cmocka_unit_test(test_a_port_says_what_iWARP_is),
        cmocka_unit_test(test_segments_out_of_order_and_repeated),
        cmocka_unit_test(test_lost_packets_are_told_when_their_bytes_are_acknowledged),
        cmocka_unit_test(test_lost_packets_are_told_at_the_end_of_the_capture),
        cmocka_unit_test(test_the_same_ends_again_are_another_connection),
        cmocka_unit_test(test_a_repeated_SYN_is_no_new_connection),
        cmocka_unit_test(test_packets_captured_in_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
