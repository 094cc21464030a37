/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Link, IP and TCP headers of captured packets. */
#include "capture/packet.h"

#include "core/wire/mad_header.h"

#include <pcap/pcap.h>
#include <string.h>

#define ETHERTYPE_IPV4  0x0800
#define ETHERTYPE_IPV6  0x86DD
#define VLAN_TAGS_MAX   4
#define EXTENSIONS_MAX  8
#define PROTOCOL_TCP    6
#define IPV4_HEADER     20
#define IPV6_HEADER     40
#define TCP_HEADER      20
#define FRAGMENT_OFFSET 0x1FFF
#define MORE_FRAGMENTS  0x2000

/* IPv6 extension headers (RFC 8200 4). */
enum extension {
    EXTENSION_HOP_BY_HOP = 0,
    EXTENSION_ROUTING = 43,
    EXTENSION_FRAGMENT = 44,
    EXTENSION_DESTINATION = 60
};

/* What is left of a packet while its headers are read one by one. */
struct rest {
    const uint8_t *at;
    uint32_t captured;
    uint32_t length; /* on the wire; not less than captured */
};

static bool skip(struct rest *r, uint32_t bytes)
{
    if (r->captured < bytes)
        return false;
    r->at += bytes;
    r->captured -= bytes;
    r->length -= bytes;
    return true;
}

/* Behind a header that gives the length of what follows, a link's padding is none of it. */
static void shorten(struct rest *r, uint32_t length)
{
    if (length < r->length)
        r->length = length;
    if (r->captured > r->length)
        r->captured = r->length;
}

bool packet_link_known(int link)
{
    switch (link) {
    case DLT_EN10MB:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
    case DLT_NULL:
    case DLT_LOOP:
        return true;
    default:
        return false;
    }
}

/* The type in front of `r` was read; passes VLAN tags. */
static enum packet_kind pass_tags(struct rest *r, uint16_t type)
{
    for (int tags = 0; type == 0x8100 || type == 0x88A8 || type == 0x9100; tags++) {
        if (tags == VLAN_TAGS_MAX)
            return PACKET_OTHER;
        if (r->captured < 4)
            return PACKET_CUT;
        type = wire_be16(r->at + 2);
        (void)skip(r, 4);
    }
    return type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6 ? PACKET_TCP : PACKET_OTHER;
}

/* PACKET_TCP stands for "an IP packet begins here". */
static enum packet_kind pass_link(int link, struct rest *r)
{
    uint32_t bytes = 0, type_at = 0;

    switch (link) {
    case DLT_EN10MB:
        bytes = 14;
        type_at = 12;
        break;
    case DLT_LINUX_SLL:
        bytes = 16;
        type_at = 14;
        break;
    case DLT_LINUX_SLL2:
        bytes = 20;
        type_at = 0;
        break;
    case DLT_NULL:
    case DLT_LOOP:
        return skip(r, 4) ? PACKET_TCP : PACKET_CUT;
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
        return PACKET_TCP;
    default:
        return PACKET_OTHER;
    }
    if (!skip(r, bytes))
        return PACKET_CUT;
    return pass_tags(r, wire_be16(r->at - bytes + type_at));
}

static enum packet_kind pass_ipv4(struct rest *r, struct packet *ret)
{
    const uint8_t *p = r->at;
    uint32_t header, total;

    if (r->captured < IPV4_HEADER)
        return PACKET_CUT;
    header = (p[0] & 15u) * 4;
    total = wire_be16(p + 2);
    if (header < IPV4_HEADER || (total != 0 && total < header))
        return PACKET_OTHER;
    if (p[9] != PROTOCOL_TCP)
        return PACKET_OTHER;
    if (wire_be16(p + 6) & (FRAGMENT_OFFSET | MORE_FRAGMENTS))
        return PACKET_FRAGMENT;
    /* A sender that leaves cutting to its card captures packets of any length, with total 0. */
    if (total != 0)
        shorten(r, total);
    ret->from.family = ret->to.family = 4;
    memcpy(ret->from.ip, p + 12, 4);
    memcpy(ret->to.ip, p + 16, 4);
    return skip(r, header) ? PACKET_TCP : PACKET_CUT;
}

static enum packet_kind pass_extensions(struct rest *r, uint8_t next)
{
    for (int i = 0; next != PROTOCOL_TCP; i++) {
        if (next == EXTENSION_FRAGMENT)
            return PACKET_FRAGMENT;
        if (i == EXTENSIONS_MAX || (next != EXTENSION_HOP_BY_HOP && next != EXTENSION_ROUTING &&
                                    next != EXTENSION_DESTINATION))
            return PACKET_OTHER;
        if (r->captured < 8)
            return PACKET_CUT;
        next = r->at[0];
        if (!skip(r, (r->at[1] + 1u) * 8))
            return PACKET_CUT;
    }
    return PACKET_TCP;
}

static enum packet_kind pass_ipv6(struct rest *r, struct packet *ret)
{
    const uint8_t *p = r->at;
    uint32_t payload;

    if (r->captured < IPV6_HEADER)
        return PACKET_CUT;
    payload = wire_be16(p + 4);
    if (payload != 0)
        shorten(r, IPV6_HEADER + payload);
    ret->from.family = ret->to.family = 6;
    memcpy(ret->from.ip, p + 8, 16);
    memcpy(ret->to.ip, p + 24, 16);
    (void)skip(r, IPV6_HEADER);
    return pass_extensions(r, p[6]);
}

static enum packet_kind read_tcp(struct rest *r, struct packet *ret)
{
    const uint8_t *p = r->at;
    uint32_t header;

    if (r->captured < TCP_HEADER)
        return PACKET_CUT;
    header = (p[12] >> 4) * 4u;
    if (header < TCP_HEADER || header > r->length)
        return PACKET_OTHER;
    ret->from.port = wire_be16(p);
    ret->to.port = wire_be16(p + 2);
    ret->seq = wire_be32(p + 4);
    ret->ack = wire_be32(p + 8);
    ret->flags = p[13];
    ret->length = r->length - header;
    ret->captured = r->captured < header ? 0 : r->captured - header;
    ret->data = r->captured < header ? NULL : p + header;
    return PACKET_TCP;
}

enum packet_kind packet_read(int link, const void *data, uint32_t captured, uint32_t length,
                             struct packet *ret)
{
    struct rest r = {data, captured, length < captured ? captured : length};
    struct packet packet;
    enum packet_kind kind = pass_link(link, &r);

    memset(&packet, 0, sizeof(packet));
    if (kind == PACKET_TCP && r.captured == 0)
        kind = PACKET_CUT;
    if (kind == PACKET_TCP) {
        uint8_t version = r.at[0] >> 4;

        kind = version == 4   ? pass_ipv4(&r, &packet)
               : version == 6 ? pass_ipv6(&r, &packet)
                              : PACKET_OTHER;
    }
    if (kind == PACKET_TCP)
        kind = read_tcp(&r, &packet);
    if (kind == PACKET_TCP)
        *ret = packet;
    return kind;
}
