/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a connection agreed on, and why it ended, for people and as JSON. */
#include "cli/iwarp_address.h"
#include "cli/iwarp_session.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>

const char *iwarp_rtr_name(uint8_t rtr)
{
    switch (rtr) {
    case WEFT_SIW_RTR_SEND:
        return "send";
    case WEFT_SIW_RTR_WRITE:
        return "write";
    case WEFT_SIW_RTR_READ:
        return "read";
    default:
        return "none";
    }
}

static bool is_text(const uint8_t *data, uint16_t bytes)
{
    for (uint16_t i = 0; i < bytes; i++)
        if (data[i] < ' ' || data[i] > '~')
            return false;
    return bytes > 0;
}

static void put_hex(const uint8_t *data, uint16_t bytes, char *ret)
{
    static const char digits[] = "0123456789abcdef";

    for (uint16_t i = 0; i < bytes; i++) {
        *ret++ = digits[data[i] >> 4];
        *ret++ = digits[data[i] & 15];
    }
    *ret = '\0';
}

const char *iwarp_private_text(const void *data, uint16_t bytes, char ret[IWARP_PRIVATE_TEXT])
{
    char hex[2 * WEFT_IWCM_PRIVATE_MAX + 1];

    if (bytes == 0) {
        snprintf(ret, IWARP_PRIVATE_TEXT, "none");
        return ret;
    }
    put_hex(data, bytes, hex);
    if (is_text(data, bytes))
        snprintf(ret, IWARP_PRIVATE_TEXT, "%s \"%.*s\"", hex, (int)bytes, (const char *)data);
    else
        snprintf(ret, IWARP_PRIVATE_TEXT, "%s", hex);
    return ret;
}

static const char *terminate_origin(const struct weft_siw_qp_info *info)
{
    if (info->terminate_received)
        return "the peer ended it with a Terminate message";
    return info->terminate_sent ? "ended with a Terminate message to the peer" : NULL;
}

const char *iwarp_link_reason(const struct iwarp_link *l, char *ret, size_t bytes)
{
    const char *origin = terminate_origin(&l->ending);

    if (origin)
        snprintf(ret, bytes, "%s: %s (0x%04x)", origin,
                 weft_siw_terminate_text(l->ending.terminate_error), l->ending.terminate_error);
    else if (l->was_up && l->status == WEFT_IWCM_OK)
        snprintf(ret, bytes, "the peer has closed the connection");
    else
        snprintf(ret, bytes, "%s", weft_iwcm_status_text(l->status));
    return ret;
}

static void try_after(const struct iwarp_link *l, const char *peer_command)
{
    const char *host = l->remote.family == 6 ? "::" : "0.0.0.0";

    switch (l->status) {
    case WEFT_IWCM_REFUSED:
    case WEFT_IWCM_UNREACHABLE:
        message_try("to start %s there (--bind %s for all its addresses), and look at firewalls "
                    "on the way",
                    peer_command, host);
        break;
    case WEFT_IWCM_TIMEOUT:
        message_try("whether iWARP listens at that port, and not another service; a longer "
                    "--timeout");
        break;
    case WEFT_IWCM_REJECTED:
        message_try("without --markers, or with other --mpa and --p2p: peers reject what they do "
                    "not support");
        break;
    case WEFT_IWCM_RESET:
    case WEFT_IWCM_PROTOCOL:
        message_try("tcpdump -w FILE 'tcp port %u' meanwhile, then weft trace decode FILE: it "
                    "tells what the peer sent",
                    l->remote.port);
        break;
    case WEFT_IWCM_ADDRESS:
        message_try("--bind one of this host's addresses");
        break;
    case WEFT_IWCM_OK:
    case WEFT_IWCM_NO_RESOURCES:
    case WEFT_IWCM_BAD_PARAM:
    case WEFT_IWCM_CANCELED:
    case WEFT_IWCM_FAILED:
    case WEFT_IWCM_STATUSES:
    default:
        break;
    }
}

void iwarp_link_tell_failure(const struct iwarp_link *l, const char *peer_command)
{
    char address[IWARP_ADDRESS_TEXT];
    char private_data[IWARP_PRIVATE_TEXT];
    char why[IWARP_NAME_BYTES];

    iwarp_address_text(&l->remote, address);
    if (l->status == WEFT_IWCM_REJECTED)
        message("%s: the peer rejected the connection; its private data: %s", address,
                iwarp_private_text(l->private_data, l->peer.private_bytes, private_data));
    else
        message("%s: no connection: %s", address, iwarp_link_reason(l, why, sizeof(why)));
    try_after(l, peer_command);
}

void iwarp_link_print(const struct iwarp_link *l, FILE *out)
{
    char local[IWARP_ADDRESS_TEXT];
    char remote[IWARP_ADDRESS_TEXT];
    char private_data[IWARP_PRIVATE_TEXT];

    fprintf(out,
            "connected %s with %s: MPA revision %u, CRC %s, IRD %u, ORD %u, RTR %s, MULPDU %u, "
            "private data %s\n",
            iwarp_address_text(&l->local, local), iwarp_address_text(&l->remote, remote),
            l->terms.mpa_revision, l->terms.crc ? "on" : "off", l->terms.ird, l->terms.ord,
            iwarp_rtr_name(l->terms.rtr), l->terms.ulpdu_bytes_max,
            iwarp_private_text(l->private_data, l->peer.private_bytes, private_data));
    fflush(out);
}

json_t *iwarp_link_json(const struct iwarp_link *l)
{
    char local[IWARP_ADDRESS_TEXT];
    char remote[IWARP_ADDRESS_TEXT];
    char hex[2 * WEFT_IWCM_PRIVATE_MAX + 1];

    put_hex(l->private_data, l->peer.private_bytes, hex);
    return json_pack(
        "{s:s, s:s, s:i, s:b, s:i, s:i, s:s, s:i, s:s}", "local",
        iwarp_address_text(&l->local, local), "remote", iwarp_address_text(&l->remote, remote),
        "mpa", l->terms.mpa_revision, "crc", l->terms.crc, "ird", l->terms.ird, "ord", l->terms.ord,
        "rtr", iwarp_rtr_name(l->terms.rtr), "mulpdu", l->terms.ulpdu_bytes_max, "private", hex);
}
