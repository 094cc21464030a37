/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the engine's public enumerations. */
#include <weft/mad.h>

const char *weft_mad_state_name(enum weft_mad_state s)
{
    static const char *const names[WEFT_MAD_STATES] = {
        [WEFT_MAD_INIT] = "INIT",
        [WEFT_MAD_QUEUED] = "QUEUED",
        [WEFT_MAD_SEND_START] = "SEND_START",
        [WEFT_MAD_WAIT_RESP] = "WAIT_RESP",
        [WEFT_MAD_EARLY_RESP] = "EARLY_RESP",
        [WEFT_MAD_CANCELED] = "CANCELED",
        [WEFT_MAD_LOCAL] = "LOCAL",
        [WEFT_MAD_DONE] = "DONE",
    };

    return (unsigned)s < WEFT_MAD_STATES ? names[s] : "?";
}

const char *weft_mad_verdict_name(enum weft_mad_verdict v)
{
    static const char *const names[WEFT_MAD_VERDICTS] = {
        [WEFT_MAD_ACCEPTED] = "ACCEPTED",
        [WEFT_MAD_BUSY_HELD] = "BUSY_HELD",
        [WEFT_MAD_DROP_MALFORMED] = "DROP_MALFORMED",
        [WEFT_MAD_DROP_QP] = "DROP_QP",
        [WEFT_MAD_DROP_UNMATCHED] = "DROP_UNMATCHED",
        [WEFT_MAD_DROP_NO_AGENT] = "DROP_NO_AGENT",
        [WEFT_MAD_DROP_HOPS] = "DROP_HOPS",
        [WEFT_MAD_DROP_RMPP] = "DROP_RMPP",
        [WEFT_MAD_DROP_NO_BUFFER] = "DROP_NO_BUFFER",
    };

    return (unsigned)v < WEFT_MAD_VERDICTS ? names[v] : "?";
}

const char *weft_mad_status_name(enum weft_mad_status s)
{
    static const char *const names[] = {
        [WEFT_MAD_OK] = "OK",
        [WEFT_MAD_TIMEOUT] = "TIMEOUT",
        [WEFT_MAD_FLUSHED] = "FLUSHED",
        [WEFT_MAD_TX_ERROR] = "TX_ERROR",
        [WEFT_MAD_RMPP_ABORTED] = "RMPP_ABORTED",
        [WEFT_MAD_QUEUE_TIMEOUT] = "QUEUE_TIMEOUT",
    };

    return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "?";
}
