/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A libibumad for tests, with the kernel's rules of transaction ids behind it.
 */
#ifndef HCA_FIXTURE_H
#define HCA_FIXTURE_H

#include "core/wire/mad_header.h"
#include "host/hca_link.h"
#include "host/hca_umad.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FAKE_SENT_MAX 256

/* A port as libibumad tells of it; layer NULL: umad_get_ca() fails. */
struct fake_port {
    const char *ca, *layer;
    uint64_t guid;
    unsigned number, state, lid, capability;
};

/* A packet that the program has sent. */
struct fake_sent {
    int portid, agent, timeout_ms, retries;
    bool outstanding;
    ib_mad_addr_t addr;
    int pkey;
    uint8_t mad[WEFT_MAD_BYTES]; /* with the kernel's half of the transaction id */
};

/* What an agent was registered with. */
struct fake_agent {
    int portid;
    bool used, plain;
    unsigned mgmt_class, rmpp, flags, oui;
    uint32_t tid; /* the kernel's half */
};

struct fake {
    const struct fake_port *ports;
    size_t port_count;
    const uint16_t *pkeys; /* of each port; none: libibumad tells of no table */
    unsigned pkey_count;
    int open_errno, send_errno, recv_errno; /* 0: it works */
    bool no_library;
    bool no_register2, no_register;
    bool made_up_portids; /* as of the library for ibsim; else they are files */
    unsigned opened, closed, sent_count, returned;
    struct fake_sent sent[FAKE_SENT_MAX];
    struct fake_agent agents[64];
};
extern struct fake fake;

/* Starts anew with these ports. */
void fake_begin(const struct fake_port *ports, size_t count);

/* Opens the port that is chosen when nothing is said. */
struct hca_link fake_open(const struct weft_mad_config *c);

/* The answer to a packet, to be changed and given to fake_deliver(). */
void fake_answer(const struct fake_sent *s, uint8_t mad[WEFT_MAD_BYTES]);

/* Lets a MAD come for the agent that sent a packet; an answer ends what is outstanding. */
void fake_deliver(struct fake_sent *s, const uint8_t mad[WEFT_MAD_BYTES],
                  const ib_mad_addr_t *from);

/* Gives a packet back whose time is up. */
void fake_give_up(struct fake_sent *s);

/* Lets a message of that many bytes come, as kernels that do RMPP have them. */
void fake_deliver_long(struct fake_sent *s, unsigned bytes);

#endif
