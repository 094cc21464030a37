/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What fabric daemon and clients say to each other: messages on a Unix socket of type SEQPACKET.
 *
 * One message is one send: struct message_head and the body that its type has, numbers in host
 * order (both ends are on one machine), texts padded with zeroes and always ended by one. A client
 * first says HELLO; the daemon answers WELCOME or REFUSED. Each later request is answered by
 * exactly one message before the next one is looked at. docs/fabric-protocol.md is the reference
 * for programs in other languages; it and this file change together.
 */
#ifndef WEFT_CHANNEL_PROTOCOL_H
#define WEFT_CHANNEL_PROTOCOL_H

#include "core/wire/packet.h"

#include <assert.h>

/** "weft" and the version of the protocol; another version is REFUSED with a text. */
#define CHANNEL_MAGIC   UINT32_C(0x74666577)
#define CHANNEL_VERSION 1

#define CHANNEL_NAME_BYTES        128
#define CHANNEL_PROGRAM_BYTES     32
#define CHANNEL_TEXT_BYTES        256
#define CHANNEL_PATH_BYTES        256
#define CHANNEL_PKEYS_MAX         1024
/** The largest message, a COMMAND's answer included. */
#define CHANNEL_MESSAGE_BYTES_MAX 65536

/** Types of messages. */
enum message_type {
    /* client to daemon */
    MESSAGE_HELLO = 1,        /* struct message_hello */
    MESSAGE_AGENT_ADD = 2,    /* struct message_agent; answered by RESULT, value = agent number */
    MESSAGE_AGENT_REMOVE = 3, /* struct message_number; RESULT */
    MESSAGE_NODE_QUERY = 4,   /* no body; NODE */
    MESSAGE_PORT_QUERY = 5,   /* struct message_number: the port; PORT or RESULT with an error */
    MESSAGE_ISSM_PATH = 6,    /* no body; PATH: a FIFO whose readers make IsSM */
    MESSAGE_ISSM = 7,         /* struct message_number: 0 or 1; RESULT */
    MESSAGE_COMMAND = 8,      /* a text, role CONTROL only; TEXT or RESULT with an error */
    /* both ways, role SOCKET only: no answer to the message itself */
    MESSAGE_PACKET = 16, /* struct packet */
    /* daemon to client */
    MESSAGE_WELCOME = 32, /* struct message_welcome; role RINGS: with descriptors (message.h) */
    MESSAGE_REFUSED = 33, /* struct message_result; the daemon then closes */
    MESSAGE_RESULT = 34,  /* struct message_result */
    MESSAGE_NODE = 35,    /* struct message_node */
    MESSAGE_PORT = 36,    /* struct message_port */
    MESSAGE_PATH = 37,    /* a text */
    MESSAGE_TEXT = 38     /* a text of any length */
};

/** The beginning of every message. */
struct message_head {
    uint32_t magic;
    uint16_t version;
    uint16_t type; /* enum message_type */
};

/** What a client wants to be. */
enum channel_role {
    CHANNEL_ROLE_RINGS = 1,  /* a port, packets through shared memory (rings.h) */
    CHANNEL_ROLE_SOCKET = 2, /* a port, packets as messages */
    CHANNEL_ROLE_QUERY = 3,  /* NODE_QUERY, PORT_QUERY and ISSM_PATH only: attaches nothing */
    CHANNEL_ROLE_CONTROL = 4 /* COMMAND only; the node is not looked at */
};

struct message_hello {
    struct message_head head;
    uint8_t role;                        /* enum channel_role */
    uint8_t port;                        /* 0: the first with a cable */
    uint8_t vf;                          /* 0: the physical function; else a virtual one of a CA */
    uint8_t reserved[5];                 /* 0 */
    char node[CHANNEL_NAME_BYTES];       /* what fabric_find() takes */
    char program[CHANNEL_PROGRAM_BYTES]; /* who is asking, for the list of clients */
};

struct message_welcome {
    struct message_head head;
    uint32_t client;    /* its number in the list of clients */
    uint32_t tid_first; /* upper 32 bits of its transaction ids, role RINGS and SOCKET */
    uint32_t tid_last;
    uint32_t slots; /* role RINGS: packets in each ring, a power of two */
    uint8_t port;   /* the port */
    uint8_t reserved[7];
};

struct message_result {
    struct message_head head;
    int32_t err; /* 0 or a negative enum weft_err */
    uint32_t value;
    char text[CHANNEL_TEXT_BYTES]; /* err not 0: a sentence that says what to try */
};

struct message_number {
    struct message_head head;
    uint32_t number;
    uint32_t reserved;
};

struct message_agent {
    struct message_head head;
    uint8_t qpn, mgmt_class, version, oui[3];
    uint8_t reserved[2];
    uint64_t methods[2];
};

struct message_node {
    struct message_head head;
    uint64_t guid, system_guid;
    uint32_t vendor, revision;
    uint16_t device;
    uint8_t type;  /* as NodeInfo:NodeType: 1 CA, 2 switch, 3 router */
    uint8_t ports; /* external ports */
    uint8_t reserved[4];
    char name[CHANNEL_NAME_BYTES];
};

struct message_port {
    struct message_head head;
    uint64_t guid, gid_prefix;
    uint32_t capability;
    uint16_t lid, sm_lid;
    uint16_t rate_gbps;
    uint8_t lmc, sm_sl, state, physical_state;
    uint8_t width, speed, speed_ext, number;
    uint16_t pkey_count;
    uint16_t pkeys[CHANNEL_PKEYS_MAX]; /* the first pkey_count count */
    uint32_t reregisters;              /* Sets of ClientReregister; wraps */
};

/** A text after a head: PATH, TEXT, COMMAND. */
struct message_text {
    struct message_head head;
    char text[CHANNEL_MESSAGE_BYTES_MAX - sizeof(struct message_head)];
};

struct message_packet {
    struct message_head head;
    struct packet packet;
};

static_assert(sizeof(struct message_head) == 8, "documented layout");
static_assert(sizeof(struct message_hello) == 176, "documented layout");
static_assert(sizeof(struct message_welcome) == 32, "documented layout");
static_assert(sizeof(struct message_result) == 272, "documented layout");
static_assert(sizeof(struct message_agent) == 32, "documented layout");
static_assert(sizeof(struct message_node) == 168, "documented layout");
static_assert(sizeof(struct message_port) == 2096, "documented layout");
static_assert(sizeof(struct message_packet) == 328, "documented layout");

#endif
