/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the connection manager's public enumerations. */
#include <weft/iwcm.h>

const char *weft_iwcm_state_name(enum weft_iwcm_state state)
{
    static const char *const names[WEFT_IWCM_STATES] = {
        [WEFT_IWCM_IDLE] = "IDLE",
        [WEFT_IWCM_LISTEN] = "LISTEN",
        [WEFT_IWCM_CONN_RECV] = "CONN_RECV",
        [WEFT_IWCM_CONN_SENT] = "CONN_SENT",
        [WEFT_IWCM_ESTABLISHED] = "ESTABLISHED",
        [WEFT_IWCM_CLOSING] = "CLOSING",
        [WEFT_IWCM_DESTROYING] = "DESTROYING",
    };

    return (unsigned)state < WEFT_IWCM_STATES ? names[state] : "?";
}

const char *weft_iwcm_status_text(enum weft_iwcm_status status)
{
    static const char *const texts[WEFT_IWCM_STATUSES] = {
        [WEFT_IWCM_OK] = "all went well",
        [WEFT_IWCM_REJECTED] = "the peer rejected the connection",
        [WEFT_IWCM_RESET] = "the peer ended the TCP connection",
        [WEFT_IWCM_REFUSED] = "nobody listens there, or the peer's terms cannot be met",
        [WEFT_IWCM_TIMEOUT] = "the peer did not answer in time",
        [WEFT_IWCM_PROTOCOL] = "the peer broke the protocol",
        [WEFT_IWCM_UNREACHABLE] = "there is no way to that address",
        [WEFT_IWCM_ADDRESS] = "the own address is in use or not one of this host's",
        [WEFT_IWCM_NO_RESOURCES] = "the provider has no room for it",
        [WEFT_IWCM_BAD_PARAM] = "the provider cannot do what was asked for",
        [WEFT_IWCM_CANCELED] = "the own side gave up",
        [WEFT_IWCM_FAILED] = "it failed for another reason",
    };

    return (unsigned)status < WEFT_IWCM_STATUSES ? texts[status] : "unknown status";
}

const char *weft_iwcm_event_name(enum weft_iwcm_event_type type)
{
    static const char *const names[WEFT_IWCM_EVENTS] = {
        [WEFT_IWCM_EVENT_DONE] = "DONE",     [WEFT_IWCM_EVENT_REQUEST] = "REQUEST",
        [WEFT_IWCM_EVENT_REPLY] = "REPLY",   [WEFT_IWCM_EVENT_ESTABLISHED] = "ESTABLISHED",
        [WEFT_IWCM_EVENT_CLOSED] = "CLOSED", [WEFT_IWCM_EVENT_GONE] = "GONE",
    };

    return (unsigned)type < WEFT_IWCM_EVENTS ? names[type] : "?";
}

const char *weft_iwcm_cmd_name(enum weft_iwcm_cmd_type type)
{
    static const char *const names[WEFT_IWCM_CMDS] = {
        [WEFT_IWCM_CMD_CONNECT] = "CONNECT",   [WEFT_IWCM_CMD_ACCEPT] = "ACCEPT",
        [WEFT_IWCM_CMD_REJECT] = "REJECT",     [WEFT_IWCM_CMD_LISTEN] = "LISTEN",
        [WEFT_IWCM_CMD_UNLISTEN] = "UNLISTEN", [WEFT_IWCM_CMD_CLOSE] = "CLOSE",
        [WEFT_IWCM_CMD_ABORT] = "ABORT",
    };

    return (unsigned)type < WEFT_IWCM_CMDS ? names[type] : "?";
}
