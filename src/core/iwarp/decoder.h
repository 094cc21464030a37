/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Inside the decoder: what it remembers of each stream, and the parts that work on it.
 */
#ifndef WEFT_CORE_IWARP_DECODER_H
#define WEFT_CORE_IWARP_DECODER_H

#include "core/iwarp/ddp_header.h"
#include "core/iwarp/mpa_frame.h"

#include <weft/iwarp.h>

#include <assert.h>

/** Unanswered Read Requests that are remembered; with more of them answers are not compared. */
#define READS_KEPT 1024

/** What a stream's next byte is. */
enum stream_state {
    STREAM_NEW,    /* nothing was fed */
    STREAM_FRAME,  /* of an MPA frame */
    STREAM_FPDUS,  /* of an FPDU */
    STREAM_LOST,   /* of who knows what: FPDUs go on where a piece begins with one */
    STREAM_OPAQUE, /* of nothing that could be decoded */
    STREAM_ENDED
};

/** The unfinished message of one buffer model. */
struct open_message {
    bool open;
    uint8_t opcode;
    uint64_t bytes; /* so far */
};

/** A Read Request that waits for its answer. */
struct open_read {
    uint32_t stag, bytes;
    uint64_t to;
};

/** One stream. */
struct iwarp_stream {
    enum stream_state state;
    bool late;       /* it begins in the middle */
    bool lost_told;  /* since the state is LOST */
    bool has_frame;  /* `frame` is there, without its private data */
    bool has_fpdu;   /* one was seen */
    bool terminated; /* its side has sent a Terminate */
    weft_time frame_time, first_fpdu_time;
    struct mpa_frame frame;
    struct open_message untagged, tagged;
    uint32_t msn[DDP_QUEUE_TERMINATE + 1]; /* the next one of each queue */
    bool msn_known[DDP_QUEUE_TERMINATE + 1];
    /* Its side's Read Requests, a ring. */
    bool reads_unknown; /* some were missed, or too many */
    uint32_t read_first, read_count;
    uint64_t read_done; /* bytes answered of the first */
    struct open_read reads[READS_KEPT];
    /* The frame or FPDU that is being put together. */
    uint64_t next;    /* offset of the next byte */
    weft_time time;   /* of its first byte */
    uint32_t have;    /* its bytes so far, with those that are missing */
    uint32_t missing; /* of these */
    bool no_head;     /* some of the missing ones are of its headers */
    uint8_t unit[FPDU_MAX];
};

struct weft_iwarp {
    struct weft_alloc alloc;
    bool terms_due;    /* both frames are there, the record is not */
    bool unknown_told; /* that the terms are not known */
    bool ending;       /* the stream ends behind the piece */
    enum weft_iwarp_side from;
    bool piece_begins; /* nothing of the piece was looked at */
    const uint8_t *piece;
    size_t piece_bytes;
    uint64_t piece_offset;
    weft_time piece_time;
    struct iwarp_stream streams[WEFT_IWARP_SIDES];
};

static inline enum weft_iwarp_side other_side(enum weft_iwarp_side side)
{
    return side == WEFT_IWARP_INITIATOR ? WEFT_IWARP_RESPONDER : WEFT_IWARP_INITIATOR;
}

/** Bytes of the whole FPDU with a ULPDU this long. */
static inline uint32_t fpdu_bytes(uint32_t ulpdu_bytes)
{
    return MPA_LENGTH_BYTES + ulpdu_bytes + fpdu_pad(ulpdu_bytes) + MPA_CRC_BYTES;
}

/** Notes a problem; those beyond the record's room are left out. */
void problem_add(struct weft_iwarp_record *rec, enum weft_iwarp_problem_kind kind, uint64_t found,
                 uint64_t expected);

/** Takes an MPA frame, whole or with S and too short, into its stream and a record. */
void startup_frame(struct weft_iwarp *d, enum weft_iwarp_side from, const struct mpa_frame *f,
                   struct weft_iwarp_record *rec);

/** What follows from both frames, which are there. */
void startup_terms(const struct weft_iwarp *d, struct weft_iwarp_record *rec);

/** Whether both frames are there, and `ret` what they agree on. */
bool startup_agreed(const struct weft_iwarp *d, struct weft_iwarp_terms *ret);

/** Reads the FPDU that is whole in its stream into a record, and has it checked. */
void fpdu_decode(struct weft_iwarp *d, enum weft_iwarp_side from, struct weft_iwarp_record *rec);

/** Compares a segment with what came before; its CRC is right or not used. */
void fpdu_check(struct weft_iwarp *d, enum weft_iwarp_side from, struct weft_iwarp_record *rec);

/** Forgets what later segments would be compared with: something of the stream is not known. */
void fpdu_forget(struct weft_iwarp *d, enum weft_iwarp_side from);

#endif
