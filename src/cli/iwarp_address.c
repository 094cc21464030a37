/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of iWARP peers: resolved, printed, and for plain sockets. */
#include "cli/iwarp_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static void take(const struct sockaddr *sa, struct weft_iw_addr *ret)
{
    if (sa->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, sa, sizeof(in6));
        ret->family = 6;
        ret->scope = in6.sin6_scope_id;
        memcpy(ret->ip, &in6.sin6_addr, 16);
    } else {
        struct sockaddr_in in;

        memcpy(&in, sa, sizeof(in));
        ret->family = 4;
        memcpy(ret->ip, &in.sin_addr, 4);
    }
}

bool iwarp_address_resolve(const char *text, int family, struct weft_iw_addr *ret)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    bool usable = false;

    if (family != 0)
        hints.ai_family = family == 6 ? AF_INET6 : AF_INET;
    if (getaddrinfo(text, NULL, &hints, &found) != 0)
        return false;
    for (const struct addrinfo *a = found; a && !usable; a = a->ai_next) {
        usable = a->ai_family == AF_INET || a->ai_family == AF_INET6;
        if (usable)
            take(a->ai_addr, ret);
    }
    freeaddrinfo(found);
    return usable;
}

const char *iwarp_address_text(const struct weft_iw_addr *a, char ret[IWARP_ADDRESS_TEXT])
{
    char ip[INET6_ADDRSTRLEN] = "?";

    if (a->family == 6) {
        inet_ntop(AF_INET6, a->ip, ip, sizeof(ip));
        if (a->scope)
            snprintf(ret, IWARP_ADDRESS_TEXT, "[%s%%%u]:%u", ip, a->scope, a->port);
        else
            snprintf(ret, IWARP_ADDRESS_TEXT, "[%s]:%u", ip, a->port);
    } else if (a->family == 4) {
        inet_ntop(AF_INET, a->ip, ip, sizeof(ip));
        snprintf(ret, IWARP_ADDRESS_TEXT, "%s:%u", ip, a->port);
    } else {
        snprintf(ret, IWARP_ADDRESS_TEXT, "any:%u", a->port);
    }
    return ret;
}

socklen_t iwarp_address_socket(const struct weft_iw_addr *a, struct sockaddr_storage *ret)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(a->port)};
    struct sockaddr_in6 in6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(a->port), .sin6_scope_id = a->scope};

    *ret = (struct sockaddr_storage){0};
    if (a->family == 6) {
        memcpy(&in6.sin6_addr, a->ip, 16);
        memcpy(ret, &in6, sizeof(in6));
        return sizeof(in6);
    }
    if (a->family == 4)
        memcpy(&in.sin_addr, a->ip, 4);
    memcpy(ret, &in, sizeof(in));
    return sizeof(in);
}
