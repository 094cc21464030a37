/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses and errors between sockets and the connection manager. */
#include "iw/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

bool address_from_sockaddr(const struct sockaddr *from, struct weft_iw_addr *ret)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (from->sa_family == AF_INET) {
        memcpy(&v4, from, sizeof(v4));
        *ret = (struct weft_iw_addr){.family = 4, .port = ntohs(v4.sin_port)};
        memcpy(ret->ip, &v4.sin_addr, 4);
        return true;
    }
    if (from->sa_family != AF_INET6)
        return false;
    memcpy(&v6, from, sizeof(v6));
    *ret = (struct weft_iw_addr){.family = 6, .port = ntohs(v6.sin6_port)};
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        ret->family = 4;
        memcpy(ret->ip, &v6.sin6_addr.s6_addr[12], 4);
        return true;
    }
    ret->scope = v6.sin6_scope_id;
    memcpy(ret->ip, &v6.sin6_addr, 16);
    return true;
}

socklen_t address_to_sockaddr(const struct weft_iw_addr *from, struct sockaddr_storage *ret)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(from->port)};
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(from->port), .sin6_scope_id = from->scope};

    memset(ret, 0, sizeof(*ret));
    if (from->family == 4) {
        memcpy(&v4.sin_addr, from->ip, 4);
        memcpy(ret, &v4, sizeof(v4));
        return sizeof(v4);
    }
    if (from->family != 6)
        return 0;
    memcpy(&v6.sin6_addr, from->ip, 16);
    memcpy(ret, &v6, sizeof(v6));
    return sizeof(v6);
}

bool address_is_any(const struct weft_iw_addr *a)
{
    static const uint8_t any[16];

    return memcmp(a->ip, any, a->family == 4 ? 4 : 16) == 0;
}

enum weft_iwcm_status address_status(int number)
{
    static const struct {
        int number;
        enum weft_iwcm_status status;
    } table[] = {
        {ECONNREFUSED, WEFT_IWCM_REFUSED},
        {ECONNRESET, WEFT_IWCM_RESET},
        {EPIPE, WEFT_IWCM_RESET},
        {ECONNABORTED, WEFT_IWCM_RESET},
        {ETIMEDOUT, WEFT_IWCM_TIMEOUT},
        {EHOSTUNREACH, WEFT_IWCM_UNREACHABLE},
        {ENETUNREACH, WEFT_IWCM_UNREACHABLE},
        {ENETDOWN, WEFT_IWCM_UNREACHABLE},
        {EHOSTDOWN, WEFT_IWCM_UNREACHABLE},
        {EADDRINUSE, WEFT_IWCM_ADDRESS},
        {EADDRNOTAVAIL, WEFT_IWCM_ADDRESS},
        {EACCES, WEFT_IWCM_ADDRESS},
        {EAFNOSUPPORT, WEFT_IWCM_ADDRESS},
        {ENODEV, WEFT_IWCM_ADDRESS},
        {EINVAL, WEFT_IWCM_ADDRESS},
        {EMFILE, WEFT_IWCM_NO_RESOURCES},
        {ENFILE, WEFT_IWCM_NO_RESOURCES},
        {ENOBUFS, WEFT_IWCM_NO_RESOURCES},
        {ENOMEM, WEFT_IWCM_NO_RESOURCES},
        {EPERM, WEFT_IWCM_UNREACHABLE},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].number == number)
            return table[i].status;
    return WEFT_IWCM_FAILED;
}
