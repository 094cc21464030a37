/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The QP's side of software iWARP alone: a provider without connections and without a connection
 * manager. What the QP tells its connection is counted, what it writes is collected.
 */
#ifndef WEFT_TESTS_SIW_FIXTURE_H
#define WEFT_TESTS_SIW_FIXTURE_H

#include "core/base/alloc.h"
#include "core/iwarp/crc.h"
#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/stream.h"
#include "core/siw/transmit.h"

#include <weft/siw.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/** What a QP has told its connection. */
struct siw_told {
    uint32_t outputs, ready, drained, failed, terminates_due, terminated, peer_terminated;
    weft_time deadline; /**< connection_arm() */
};

/** A provider with one QP, and a peer that only listens. */
struct siw_fixture {
    struct weft_siw s;
    struct ep ep;
    struct siw_told told;
    uint32_t cqn, qpn;
    struct qp *qp;
    bool owned;        /**< the connection manager says that the QP has a connection */
    uint32_t iwcm_qps; /**< QPs that it knows */
    uint8_t *out;      /**< what was written */
    size_t out_bytes, out_room;
    size_t read; /**< of it, by siw_next_fpdu() */
};

/** Terms of an initiator, without CRC. */
struct terms siw_terms(void);

/** A provider of few things, with one CQ of 64 entries and one QP of 16 sends and 16 receives. */
struct siw_fixture *siw_fixture_new(void);
/** The same; `change` may change the config. */
struct siw_fixture *siw_fixture_new_with(void (*change)(struct weft_siw_config *));
void siw_fixture_free(struct siw_fixture *f);

/** Connects the QP. */
void siw_connect(struct siw_fixture *f, const struct terms *t);
/** Lets TCP take all that there is. */
void siw_flush(struct siw_fixture *f);
/** Lets TCP take so many bytes at most; returns how many it took. */
size_t siw_write(struct siw_fixture *f, size_t bytes);

/** An FPDU that was written. */
struct siw_fpdu {
    struct ddp_header h;
    const uint8_t *payload; /**< behind DDP's header */
    uint32_t bytes;
};

/** Takes the next FPDU off what was written; pad and CRC are checked. Fails when there is none. */
struct siw_fpdu siw_next_fpdu(struct siw_fixture *f);
/** Whether all of what was written was taken. */
bool siw_all_read(const struct siw_fixture *f);

/** Posts a request of one piece, which may be NULL; returns what the post does. */
int siw_post(struct siw_fixture *f, uint64_t wr_id, enum weft_siw_send_opcode opcode, uint8_t flags,
             void *data, uint32_t bytes, uint32_t stag);
/** Posts a receive of no bytes. */
int siw_post_recv(struct siw_fixture *f, uint64_t wr_id);
/** The next completion's; fails when it is another. */
void siw_expect_wc(struct siw_fixture *f, uint64_t wr_id, enum weft_siw_wc_opcode opcode,
                   enum weft_siw_wc_status status);
/** Fails when there is a completion. */
void siw_expect_no_wc(struct siw_fixture *f);
/** Registers memory of PD 1 with TO 0x1000 and key 0x5A. */
uint32_t siw_register(struct siw_fixture *f, void *data, uint64_t bytes, uint8_t access);

#endif
