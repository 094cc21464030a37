/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Addresses and errors, as sockets have them and as the connection manager has them.
 */
#ifndef WEFT_IW_ADDRESS_H
#define WEFT_IW_ADDRESS_H

#include <weft/iwcm.h>

#include <sys/socket.h>

/** @return false: it is neither IPv4 nor IPv6. An IPv4 address inside IPv6 comes out as IPv4. */
bool address_from_sockaddr(const struct sockaddr *from, struct weft_iw_addr *ret);
/** @return the length for bind() and connect(); 0 for family 0, with AF_UNSPEC in `ret` */
socklen_t address_to_sockaddr(const struct weft_iw_addr *from, struct sockaddr_storage *ret);
bool address_is_any(const struct weft_iw_addr *a);
/** What went wrong, in the connection manager's words. */
enum weft_iwcm_status address_status(int number);

#endif
