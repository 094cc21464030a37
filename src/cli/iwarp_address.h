/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Addresses of iWARP peers, from and to text.
 */
#ifndef WEFT_CLI_IWARP_ADDRESS_H
#define WEFT_CLI_IWARP_ADDRESS_H

#include <weft/iwcm.h>

#include <sys/socket.h>

#define IWARP_ADDRESS_TEXT 80

/** Takes an IPv4 or IPv6 address, or a host's name; the port is left alone.
 * @param family 4, 6, or 0 for either
 * @return false when there is no such host, or it has no address of that family */
bool iwarp_address_resolve(const char *text, int family, struct weft_iw_addr *ret);

/** An address as people write it, with its port, such as `[::1]:7174`; `any:7174` without one. */
const char *iwarp_address_text(const struct weft_iw_addr *a, char ret[IWARP_ADDRESS_TEXT]);

/** For the calls of sockets. Family 0 becomes IPv4's any.
 * @return its length */
socklen_t iwarp_address_socket(const struct weft_iw_addr *a, struct sockaddr_storage *ret);

#endif
