/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Link, IP and TCP headers: every link type, tags, options, extension headers, padding, cuts. */
#include "capture_packets.h"

static const struct segment hello = {.side = 0,
                                     .seq = 0x01020304,
                                     .ack = 0x05060708,
                                     .flags = PACKET_ACK | PACKET_FIN,
                                     .data = "hello",
                                     .bytes = 5};

/* Reads an exact copy, so that a sanitizer sees what is beyond. */
static enum packet_kind read_copy(int link, const uint8_t *bytes, uint32_t captured,
                                  uint32_t length, struct packet *ret)
{
    uint8_t *copy = exact_copy(bytes, captured);
    enum packet_kind kind = packet_read(link, copy, captured, length, ret);

    if (kind == PACKET_TCP && ret->captured == 5)
        assert_memory_equal(ret->data, "hello", 5);
    free(copy);
    return kind;
}

static void assert_hello(const struct packet *p, uint8_t family)
{
    assert_int_equal(p->from.family, family);
    assert_int_equal(p->from.port, 40000);
    assert_int_equal(p->to.port, 7174);
    assert_int_equal(p->from.ip[family == 4 ? 3 : 15], 1);
    assert_int_equal(p->to.ip[family == 4 ? 3 : 15], 2);
    assert_int_equal(p->seq, 0x01020304);
    assert_int_equal(p->ack, 0x05060708);
    assert_int_equal(p->flags, PACKET_ACK | PACKET_FIN);
    assert_int_equal(p->length, 5);
    assert_int_equal(p->captured, 5);
}

static const struct {
    int link;
    const char *head4, *head6;
} links[] = {
    {DLT_EN10MB, "000000000000000000000000 0800", "000000000000000000000000 86dd"},
    {DLT_EN10MB, "000000000000000000000000 8100 0005 0800",
     "000000000000000000000000 88a8 0005 8100 0006 86dd"},
    {DLT_LINUX_SLL, "0000000000000000000000000000 0800", "0000000000000000000000000000 86dd"},
    {DLT_LINUX_SLL2, "0800 000000000000000000000000000000000000",
     "86dd 000000000000000000000000000000000000"},
    {DLT_NULL, "02000000", "0a000000"},
    {DLT_LOOP, "00000002", "0000001e"},
    {DLT_RAW, "", ""},
    {DLT_IPV4, "", ""},
    {DLT_IPV6, "", ""},
};

static void test_every_link_type_with_both_IPs_whole_padded_and_cut_anywhere(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(links); i++) {
        for (int six = 0; six < 2; six++) {
            uint8_t bytes[PACKET_MAX] = {0};
            uint32_t head = from_hex(six ? links[i].head6 : links[i].head4, bytes), count;
            struct segment s = hello;
            struct packet p;

            assert_true(packet_link_known(links[i].link));
            s.six = six;
            count = head + write_ip(&s, bytes + head);
            assert_int_equal(read_copy(links[i].link, bytes, count, count, &p), PACKET_TCP);
            assert_hello(&p, six ? 6 : 4);
            /* Ethernet fills up to 60 bytes. */
            assert_int_equal(read_copy(links[i].link, bytes, count + 6, count + 6, &p), PACKET_TCP);
            assert_hello(&p, six ? 6 : 4);
            for (uint32_t cut = 0; cut < count; cut++) {
                bool tcp = cut >= count - 5;

                assert_int_equal(read_copy(links[i].link, bytes, cut, count, &p),
                                 tcp ? PACKET_TCP : PACKET_CUT);
                if (tcp) {
                    assert_int_equal(p.length, 5);
                    assert_int_equal(p.captured, 5 - (count - cut));
                }
            }
        }
    }
    assert_false(packet_link_known(DLT_IEEE802_11));
}

static void test_what_is_no_TCP_segment(void **state)
{
    static const struct {
        uint32_t byte;
        uint8_t value;
        enum packet_kind kind;
    } rows[] = {
        {0, 0x44, PACKET_OTHER},    /* a header of 16 bytes */
        {0, 0x50, PACKET_OTHER},    /* IP version 5 */
        {9, 17, PACKET_OTHER},      /* UDP */
        {6, 0x20, PACKET_FRAGMENT}, /* more fragments */
        {7, 0x01, PACKET_FRAGMENT}, /* an offset */
        {3, 19, PACKET_OTHER},      /* shorter than its header */
        {32, 0x40, PACKET_OTHER},   /* a TCP header of 16 bytes */
        {32, 0xF0, PACKET_OTHER},   /* one longer than the packet */
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[PACKET_MAX];
        uint32_t count = write_ip(&hello, bytes);
        struct packet p;

        bytes[rows[i].byte] = rows[i].value;
        if (read_copy(DLT_RAW, bytes, count, count, &p) != rows[i].kind)
            fail_msg("row %u", i);
    }
}

static void test_other_protocols_on_the_link(void **state)
{
    uint8_t bytes[PACKET_MAX] = {0};
    struct packet p;

    (void)state;
    from_hex("000000000000000000000000 0806", bytes);
    assert_int_equal(read_copy(DLT_EN10MB, bytes, 60, 60, &p), PACKET_OTHER);
    from_hex("000000000000000000000000 8100 0000 8100 0000 8100 0000 8100 0000 8100 0000 0800",
             bytes);
    assert_int_equal(read_copy(DLT_EN10MB, bytes, 60, 60, &p), PACKET_OTHER);
    assert_int_equal(read_copy(DLT_IEEE802_11, bytes, 60, 60, &p), PACKET_OTHER);
}

static void test_IP_and_TCP_options_and_IPv6_extension_headers_are_passed(void **state)
{
    uint8_t bytes[PACKET_MAX], longer[PACKET_MAX] = {0};
    uint32_t count = write_ip(&hello, bytes);
    struct segment six = hello;
    struct packet p;

    (void)state;
    memcpy(longer, bytes, 20);
    memcpy(longer + 24, bytes + 20, 20);
    memcpy(longer + 24 + 28, bytes + 40, 5);
    longer[0] = 0x46;
    longer[24 + 12] = 0x70;
    wire_set_be16(longer + 2, (uint16_t)(count + 12));
    assert_int_equal(read_copy(DLT_RAW, longer, count + 12, count + 12, &p), PACKET_TCP);
    assert_hello(&p, 4);

    six.six = true;
    count = write_ip(&six, bytes);
    memset(longer, 0, sizeof(longer));
    memcpy(longer, bytes, 40);
    longer[6] = 0;      /* hop-by-hop, 8 bytes */
    longer[40] = 60;    /* destination options, 16 bytes */
    longer[40 + 8] = 6; /* TCP */
    longer[40 + 9] = 1;
    memcpy(longer + 64, bytes + 40, count - 40);
    wire_set_be16(longer + 4, (uint16_t)(count - 40 + 24));
    assert_int_equal(read_copy(DLT_RAW, longer, count + 24, count + 24, &p), PACKET_TCP);
    assert_hello(&p, 6);
    assert_int_equal(read_copy(DLT_RAW, longer, 47, count + 24, &p), PACKET_CUT);
    longer[40] = 44;
    assert_int_equal(read_copy(DLT_RAW, longer, count + 24, count + 24, &p), PACKET_FRAGMENT);
    longer[40] = 58;
    assert_int_equal(read_copy(DLT_RAW, longer, count + 24, count + 24, &p), PACKET_OTHER);
}

/* A chain of extension headers that never ends. */
static void test_extension_headers_are_counted(void **state)
{
    uint8_t bytes[PACKET_MAX] = {0x60};
    struct packet p;

    (void)state;
    assert_int_equal(read_copy(DLT_RAW, bytes, sizeof(bytes), sizeof(bytes), &p), PACKET_OTHER);
}

/* A sender whose network card cuts packets has packets of more than 64 KB, and lengths of 0. */
static void test_lengths_of_zero_mean_the_whole_packet(void **state)
{
    uint8_t bytes[PACKET_MAX];
    struct segment six = hello;
    struct packet p;
    uint32_t count = write_ip(&hello, bytes);

    (void)state;
    bytes[2] = bytes[3] = 0;
    assert_int_equal(read_copy(DLT_RAW, bytes, count, count, &p), PACKET_TCP);
    assert_hello(&p, 4);
    six.six = true;
    count = write_ip(&six, bytes);
    bytes[4] = bytes[5] = 0;
    assert_int_equal(read_copy(DLT_RAW, bytes, count, 100000, &p), PACKET_TCP);
    assert_int_equal(p.captured, 5);
    assert_int_equal(p.length, 100000 - 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_link_type_with_both_IPs_whole_padded_and_cut_anywhere),
        cmocka_unit_test(test_what_is_no_TCP_segment),
        cmocka_unit_test(test_other_protocols_on_the_link),
        cmocka_unit_test(test_IP_and_TCP_options_and_IPv6_extension_headers_are_passed),
        cmocka_unit_test(test_extension_headers_are_counted),
        cmocka_unit_test(test_lengths_of_zero_mean_the_whole_packet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
