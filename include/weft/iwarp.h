/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A decoder of iWARP: the two byte streams of one TCP connection become records, one for each MPA
 * frame and each FPDU, with what is wrong with them in words.
 *
 *     caller --> weft_iwarp_feed(), weft_iwarp_end()
 *     caller <-- weft_iwarp_poll(), until it says false
 *
 * Pieces are fed in the order in which they were on the wire, each with its place in its stream.
 * What hangs on both streams (the negotiated CRC, the Read Request that a Read Response answers) is
 * judged by what was fed before. Any bytes do: a stream that begins in the middle, has holes, or is
 * no iWARP at all ends in records that say so, never in anything worse.
 *
 * There is no I/O, clock or callback. Memory is taken in weft_iwarp_new() alone. A decoder belongs
 * to one thread at a time. Pointers must not be NULL unless their text says so. Outputs are written
 * only on success.
 */
#ifndef WEFT_IWARP_H
#define WEFT_IWARP_H

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A decoder. */
struct weft_iwarp;

/** Who sends a stream. */
enum weft_iwarp_side {
    WEFT_IWARP_INITIATOR, /**< who opened the TCP connection and sends the MPA Request */
    WEFT_IWARP_RESPONDER, /**< who answers with the MPA Reply */
    WEFT_IWARP_SIDES      /**< how many there are */
};

/** What a record is about. */
enum weft_iwarp_type {
    WEFT_IWARP_FRAME, /**< an MPA Request or Reply: `frame` */
    WEFT_IWARP_TERMS, /**< what follows from both frames: `terms` */
    WEFT_IWARP_FPDU,  /**< an FPDU: `fpdu` */
    WEFT_IWARP_NOTE,  /**< nothing but its problems: a hole, a broken stream */
    WEFT_IWARP_TYPES  /**< how many there are */
};

/** Ready-to-receive frames (RFC 6581 9): bits of a set. */
enum weft_iwarp_rtr {
    WEFT_IWARP_RTR_SEND = 1,  /**< B: a Send of length zero */
    WEFT_IWARP_RTR_WRITE = 2, /**< C: an RDMA Write of length zero */
    WEFT_IWARP_RTR_READ = 4   /**< D: an RDMA Read of length zero */
};

/** An MPA frame (RFC 5044 7.1). */
struct weft_iwarp_frame {
    bool reply;               /**< a Reply, otherwise a Request */
    bool markers;             /**< M: its sender wants markers in what it receives */
    bool crc;                 /**< C: its sender wants CRCs */
    bool rejected;            /**< R: the connection is refused */
    bool enhanced;            /**< S: what RFC 6581 adds is there */
    bool peer_to_peer;        /**< A; enhanced only */
    uint8_t revision;         /**< as it came */
    uint8_t rtr;              /**< set of enum weft_iwarp_rtr; enhanced only */
    uint16_t ird;             /**< reads that its sender serves at a time; enhanced only */
    uint16_t ord;             /**< reads that its sender has out at a time; enhanced only */
    uint16_t private_bytes;   /**< the user's, without the enhanced data */
    const void *private_data; /**< valid until the next call with the decoder */
};

/** What both frames together say. Unknown where one of them was not seen. */
struct weft_iwarp_terms {
    bool crc;          /**< CRCs are sent and checked, both ways */
    bool enhanced;     /**< both sides speak RFC 6581: the rest counts */
    uint16_t reads[2]; /**< by enum weft_iwarp_side: reads it may have out, the smaller of its ORD
                            and the other's IRD */
    uint8_t rtr;       /**< set of enum weft_iwarp_rtr: with which of them the initiator begins;
                            one if the responder does as it should, 0: none is agreed on */
};

/** What became of an FPDU's CRC. */
enum weft_iwarp_crc {
    WEFT_IWARP_CRC_OK,      /**< it is right */
    WEFT_IWARP_CRC_BAD,     /**< it is wrong */
    WEFT_IWARP_CRC_OFF,     /**< none is used */
    WEFT_IWARP_CRC_UNKNOWN, /**< bytes are missing, so that it cannot be checked */
    WEFT_IWARP_CRCS         /**< how many there are */
};

/** A segment: DDP and RDMAP header (RFC 5041 4, RFC 5040 4). */
struct weft_iwarp_fpdu {
    bool headers;              /**< there is a DDP header; otherwise the ULPDU is too short */
    bool tagged;               /**< T: `stag` and `to` say where it goes */
    bool last;                 /**< L: the last of its message */
    bool read;                 /**< a Read Request whose header is whole: the read_ members count */
    bool terminate;            /**< a Terminate that can be read: the terminate_ members count */
    bool terminate_swapped;    /**< its nibbles stand as Linux siw writes them */
    bool rtr;                  /**< the initiator's ready-to-receive frame */
    uint8_t ddp_version;       /**< as it came, 0..3 */
    uint8_t rdmap_version;     /**< as it came, 0..3 */
    uint8_t opcode;            /**< 0..15 */
    uint16_t ulpdu_bytes;      /**< as its length field says */
    uint16_t terminate_error;  /**< layer (4 bits), type (4), code (8) */
    uint32_t stag;             /**< tagged: of the buffer; untagged: to invalidate, or 0 */
    uint64_t to;               /**< tagged */
    uint32_t queue;            /**< untagged */
    uint32_t msn;              /**< untagged */
    uint32_t mo;               /**< untagged */
    uint32_t read_sink_stag;   /**< where the answer goes */
    uint64_t read_sink_to;     /**< where in it */
    uint32_t read_bytes;       /**< how much is asked for */
    uint32_t read_source_stag; /**< what is read */
    uint64_t read_source_to;   /**< where in it */
    uint32_t payload_bytes;    /**< behind the headers */
    uint32_t missing;          /**< bytes of the FPDU that were not fed; they read as zeros */
    const void *payload;       /**< valid until the next call with the decoder */
    enum weft_iwarp_crc crc;   /**< what became of its CRC */
    uint32_t crc_value;        /**< the one it has */
    uint32_t crc_expected;     /**< the one it should have; OK and BAD only */
};

/** What can be wrong; weft_iwarp_problem_text() says it in words. */
enum weft_iwarp_problem_kind {
    WEFT_IWARP_BAD_KEY,            /**< neither Request nor Reply; `found`: which byte differs */
    WEFT_IWARP_WRONG_FRAME,        /**< the initiator replies or the responder requests */
    WEFT_IWARP_SECOND_FRAME,       /**< an MPA frame where FPDUs are */
    WEFT_IWARP_PRIVATE_LENGTH,     /**< PD_Length above 512 */
    WEFT_IWARP_ENHANCED_LENGTH,    /**< S with less than four bytes */
    WEFT_IWARP_REVISION,           /**< neither 1 nor 2, or a Reply above its Request */
    WEFT_IWARP_REQUEST_REJECTS,    /**< R in a Request */
    WEFT_IWARP_NOT_ENHANCED,       /**< a Reply of revision 2 without S to a Request with S */
    WEFT_IWARP_READS_TOO_MANY,     /**< the responder's ORD is above the initiator's IRD */
    WEFT_IWARP_NO_RTR,             /**< peer-to-peer, and no common ready-to-receive frame */
    WEFT_IWARP_WRONG_RTR,          /**< the initiator begins with another frame than agreed */
    WEFT_IWARP_MARKERS,            /**< markers are used: the stream cannot be decoded further */
    WEFT_IWARP_BEFORE_REPLY,       /**< FPDUs before the Reply */
    WEFT_IWARP_AFTER_REJECT,       /**< FPDUs after the Reply that refused */
    WEFT_IWARP_AFTER_TERMINATE,    /**< FPDUs after the sender's own Terminate */
    WEFT_IWARP_LATE,               /**< the stream begins in the middle */
    WEFT_IWARP_TERMS_UNKNOWN,      /**< the MPA frames were not seen, so whether CRCs are used */
    WEFT_IWARP_GAP,                /**< bytes are missing; `found`: how many */
    WEFT_IWARP_LOST,               /**< what follows is no FPDU: the decoder waits for one */
    WEFT_IWARP_CUT,                /**< the stream ends within a frame or FPDU */
    WEFT_IWARP_SHORT,              /**< the ULPDU is shorter than its header */
    WEFT_IWARP_CRC_WRONG,          /**< `found` and `expected` */
    WEFT_IWARP_DDP_VERSION,        /**< not 1 */
    WEFT_IWARP_RDMAP_VERSION,      /**< not 1 */
    WEFT_IWARP_OPCODE,             /**< reserved */
    WEFT_IWARP_NOT_TAGGED,         /**< the opcode wants a tagged segment */
    WEFT_IWARP_TAGGED,             /**< the opcode wants an untagged segment */
    WEFT_IWARP_QUEUE,              /**< not the opcode's */
    WEFT_IWARP_NOT_LAST,           /**< the opcode has one segment only */
    WEFT_IWARP_MSN,                /**< not the next one */
    WEFT_IWARP_MO,                 /**< not the bytes of the message so far */
    WEFT_IWARP_INTERRUPTED,        /**< a message began before the last one's end */
    WEFT_IWARP_NO_READ,            /**< a Read Response that nobody asked for */
    WEFT_IWARP_READ_STAG,          /**< a Read Response for another STag than asked for */
    WEFT_IWARP_READ_TO,            /**< a Read Response for another place than asked for */
    WEFT_IWARP_READ_LENGTH,        /**< a Read Response of another length than asked for */
    WEFT_IWARP_TOO_MANY_READS,     /**< more reads are out than agreed */
    WEFT_IWARP_TERMINATED,         /**< a Terminate: `found` is its error */
    WEFT_IWARP_TERMINATED_SWAPPED, /**< the same, nibbles as Linux siw writes them */
    WEFT_IWARP_PROBLEMS            /**< how many there are */
};

/** One thing that is wrong. */
struct weft_iwarp_problem {
    enum weft_iwarp_problem_kind kind; /**< what */
    uint64_t found;                    /**< what is there */
    uint64_t expected;                 /**< what should be */
};

/** Problems that one record holds at most. */
#define WEFT_IWARP_RECORD_PROBLEMS 8

/** One record. */
struct weft_iwarp_record {
    enum weft_iwarp_type type;     /**< what it is about */
    enum weft_iwarp_side from;     /**< whose stream it is from */
    weft_time time;                /**< of the piece with its first byte */
    uint64_t offset;               /**< of its first byte in the stream */
    uint32_t bytes;                /**< on the wire; 0 for TERMS and NOTE */
    uint32_t problem_count;        /**< how many of `problems` count */
    struct weft_iwarp_frame frame; /**< FRAME */
    struct weft_iwarp_terms terms; /**< TERMS */
    struct weft_iwarp_fpdu fpdu;   /**< FPDU */
    struct weft_iwarp_problem problems[WEFT_IWARP_RECORD_PROBLEMS]; /**< the first ones */
};

/** What a first piece of a stream looks like. */
enum weft_iwarp_look {
    WEFT_IWARP_LOOK_REQUEST, /**< an MPA Request, as far as it goes */
    WEFT_IWARP_LOOK_REPLY,   /**< an MPA Reply, as far as it goes */
    WEFT_IWARP_LOOK_FPDU,    /**< an FPDU that is whole and has a CRC that is right or zero */
    WEFT_IWARP_LOOK_SHORT,   /**< too short to tell */
    WEFT_IWARP_LOOK_OTHER    /**< nothing of iWARP */
};

/** Tells what a piece of a stream looks like; for finding iWARP among other connections.
 * @param data   the piece's bytes; may be NULL when bytes is 0
 * @param bytes  how many
 * @return what it looks like; a guess for FPDU, since anything may look like one by chance */
enum weft_iwarp_look weft_iwarp_look(const void *data, size_t bytes);

/** Makes a decoder; it takes about 165 KB.
 * @param a    where its memory comes from; NULL: malloc and free
 * @param ret  the decoder, to be freed by weft_iwarp_free()
 * @return 0, or WEFT_ERR_NOMEM: the allocator gave nothing */
int weft_iwarp_new(const struct weft_alloc *a, struct weft_iwarp **ret);

/** Frees a decoder.
 * @param d  may be NULL
 * @return NULL */
struct weft_iwarp *weft_iwarp_free(struct weft_iwarp *d);

/** Feeds a piece of a stream. What was fed before is skipped, what is missing in front of it is
 * told in a record.
 * @param d       a decoder
 * @param from    whose stream
 * @param offset  of the piece's first byte in the stream; 0 is the first byte of all. A stream
 *                whose beginning is not known starts at any other number.
 * @param data    the bytes; borrowed until weft_iwarp_poll() says false; may be NULL when bytes
 *                is 0
 * @param bytes   how many
 * @param time    when
 * @return 0; WEFT_ERR_INVALID: there is no such side, or the stream would be longer than 2^64
 *         bytes; WEFT_ERR_STATE: records of the piece before have not been polled, or the stream
 *         has ended */
int weft_iwarp_feed(struct weft_iwarp *d, enum weft_iwarp_side from, uint64_t offset,
                    const void *data, size_t bytes, weft_time time);

/** Ends a stream: FIN, RST, or whatever ends it otherwise.
 * @param d     a decoder
 * @param from  whose stream
 * @param time  when
 * @return 0; WEFT_ERR_INVALID: there is no such side; WEFT_ERR_STATE: as weft_iwarp_feed() */
int weft_iwarp_end(struct weft_iwarp *d, enum weft_iwarp_side from, weft_time time);

/** Takes the next record.
 * @param d    a decoder
 * @param ret  the record; its pointers are valid until the next call with the decoder
 * @return whether there was one; if not the next piece can be fed */
bool weft_iwarp_poll(struct weft_iwarp *d, struct weft_iwarp_record *ret);

/** A problem's name for programs, for example "bad-key".
 * @param kind  which
 * @return a constant string; "unknown" for what is no enum weft_iwarp_problem_kind */
const char *weft_iwarp_problem_name(enum weft_iwarp_problem_kind kind);

/** A problem in words, without a full stop at the end.
 * @param p    of a record
 * @param out  where the text goes, ended by a NUL if cap is not 0; may be NULL when cap is 0
 * @param cap  bytes at out; WEFT_IWARP_TEXT_BYTES always suffice
 * @return the length of the whole text */
size_t weft_iwarp_problem_text(const struct weft_iwarp_problem *p, char *out, size_t cap);

/** Space for the longest text of a problem. */
#define WEFT_IWARP_TEXT_BYTES 256

/** An opcode's name, for example "Read Request".
 * @param opcode  0..15
 * @return a constant string; "reserved" for an opcode without a meaning */
const char *weft_iwarp_opcode_name(uint8_t opcode);

#ifdef __cplusplus
}
#endif

#endif
