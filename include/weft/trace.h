/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The trace of the MAD engine: what its observer sees, as data and as one line of text.
 */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <weft/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a trace event tells. */
enum weft_trace_type {
    WEFT_TRACE_STATE,  /**< a send took an input of its state machine */
    WEFT_TRACE_TX,     /**< a packet was handed to the host */
    WEFT_TRACE_RX,     /**< a packet arrived */
    WEFT_TRACE_DROP,   /**< the packet that just arrived, or a message that the device passed on or
                            that never left the node, was not accepted */
    WEFT_TRACE_RETRY,  /**< a send will be sent again */
    WEFT_TRACE_EVENT,  /**< an event was put into the event queue */
    WEFT_TRACE_WINDOW, /**< a destination's adaptive window changed */
    WEFT_TRACE_RMPP    /**< an incoming RMPP transfer began, completed or ended */
};

/** What happened to an incoming RMPP transfer. */
enum weft_trace_rmpp {
    WEFT_TRACE_RMPP_BEGIN,    /**< its first segment arrived */
    WEFT_TRACE_RMPP_COMPLETE, /**< its last segment arrived */
    WEFT_TRACE_RMPP_END       /**< it was forgotten, finished or not */
};

/** One step of the engine. All pointers are valid during the observer's call only. */
struct weft_trace_event {
    enum weft_trace_type type; /**< which member of the union counts */
    weft_time time;            /**< the engine's time */
    weft_mad_agent_id agent;   /**< the agent concerned, or none */
    weft_mad_send_id send;     /**< the send concerned, or none */
    uint64_t tid;              /**< transaction id, or 0 */
    /** The step. */
    union {
        /** STATE: input `event` took the send from one state to another (or left it there, or is
         * refused). */
        struct {
            enum weft_mad_state from; /**< state before */
            enum weft_mad_state to;   /**< state after */
            const char *event;        /**< the input's name in docs/states/send.md */
            bool refused; /**< the input cannot happen in this state: a defect of the engine; the
                             send stays as it was */
        } state;
        /** TX, RX and DROP. */
        struct {
            uint8_t qpn;                      /**< our QP */
            enum weft_mad_verdict verdict;    /**< DROP: why */
            uint16_t dlid;                    /**< RX and DROP: the LID it was sent to */
            const struct weft_mad_addr *peer; /**< the far end */
            const uint8_t *mad;               /**< the packet */
            uint32_t len;                     /**< its bytes */
        } packet;
        /** RETRY. */
        struct {
            uint16_t attempt; /**< number of the retry, from 1 */
            uint16_t left;    /**< retries left after it */
            weft_time wait;   /**< how long it will wait for the answer */
            weft_time budget; /**< what is left of the time allowed; 0 when retries are counted */
        } retry;
        /** EVENT. */
        struct {
            enum weft_mad_event_type type; /**< which event */
            enum weft_mad_status status;   /**< SEND_DONE: how the send ended */
            uint32_t len;                  /**< RECV and DEVICE: length of the message */
        } event;
        /** WINDOW. */
        struct {
            uint16_t lid;    /**< the destination */
            uint32_t window; /**< requests allowed from now on */
        } window;
        /** RMPP. */
        struct {
            enum weft_trace_rmpp what; /**< what happened */
            uint32_t segments;         /**< segments received in order */
            uint8_t status;            /**< END: RMPP status sent or received, 0 if none */
        } rmpp;
    } u; /**< the step */
};

/** Writes a trace event as one line of text without a newline.
 * @param ev   the event
 * @param out  where the text goes; always ends with a NUL when cap is not 0
 * @param cap  bytes at out
 * @return the length the whole text has, without the NUL; the text was cut if that is cap or more
 */
size_t weft_trace_format(const struct weft_trace_event *ev, char *out, size_t cap);

#ifdef __cplusplus
}
#endif

#endif
