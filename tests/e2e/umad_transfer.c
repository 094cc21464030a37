/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two programs that send each other long messages by RMPP, as an SA and its client do.
 * usage: umad_transfer serve
 *        umad_transfer ask LID REQUEST_BYTES ANSWER_BYTES */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum mad {
    MAD_BYTES = 256,
    SA_CLASS = 3,
    SA_VERSION = 2,
    SA_HEADER_BYTES = 56,
    METHOD_GET_MULTI = 0x14,
    RESPONSE = 0x80,
    RMPP_FLAGS = 26,
    WAIT_MS = 60000
};

#define GSI_QKEY 0x80010000u

/* What is in a message beyond its header, byte by byte. */
static uint8_t content(size_t at, uint8_t kind)
{
    return (uint8_t)((at * 2654435761u >> 13) + kind);
}

static bool content_right(const struct ib_user_mad *u, size_t bytes, uint8_t kind)
{
    for (size_t at = SA_HEADER_BYTES; at < bytes; at++) {
        if (u->data[at] != content(at, kind))
            return false;
    }
    return true;
}

static struct ib_user_mad *message_new(size_t bytes, uint8_t method)
{
    struct ib_user_mad *u = calloc(1, umad_size() + bytes + MAD_BYTES);

    if (!u)
        exit(4);
    u->data[0] = 1;
    u->data[1] = SA_CLASS;
    u->data[2] = SA_VERSION;
    u->data[3] = method;
    u->data[RMPP_FLAGS] = 1;
    for (size_t at = SA_HEADER_BYTES; at < bytes; at++)
        u->data[at] = content(at, method);
    return u;
}

/* Receives a message of any length. */
static struct ib_user_mad *receive(int port, int *ret_bytes)
{
    struct ib_user_mad *u = malloc(umad_size() + MAD_BYTES);
    int length = MAD_BYTES;

    if (!u)
        exit(4);
    if (umad_recv(port, u, &length, WAIT_MS) < 0) {
        if (errno != ENOSPC) {
            perror("umad_recv");
            exit(3);
        }
        free(u);
        u = malloc(umad_size() + (size_t)length);
        if (!u || umad_recv(port, u, &length, 0) < 0) {
            perror("umad_recv, the whole");
            exit(3);
        }
    }
    *ret_bytes = length;
    return u;
}

static void answer(int port, int agent, struct ib_user_mad *request, int bytes)
{
    uint32_t wanted;
    struct ib_user_mad *u;

    memcpy(&wanted, &request->data[20], sizeof(wanted)); /* the attribute modifier says it */
    wanted = ntohl(wanted);
    if (!content_right(request, (size_t)bytes, METHOD_GET_MULTI)) {
        fprintf(stderr, "the request arrived wrong\n");
        exit(5);
    }
    u = message_new(wanted, METHOD_GET_MULTI | RESPONSE);
    memcpy(&u->data[8], &request->data[8], 8);
    u->addr = request->addr;
    u->addr.qkey = htonl(GSI_QKEY);
    if (umad_send(port, agent, u, (int)wanted, 0, 3) < 0) {
        perror("umad_send, the answer");
        exit(6);
    }
    free(u);
}

static unsigned own_lid(void)
{
    umad_port_t port;
    unsigned lid = 0;

    if (umad_get_port(NULL, 0, &port) == 0) {
        lid = port.base_lid;
        umad_release_port(&port);
    }
    return lid;
}

static int serve(int port)
{
    long mask[16 / sizeof(long)] = {1l << METHOD_GET_MULTI};
    int agent = umad_register(port, SA_CLASS, SA_VERSION, 1, mask);

    if (agent < 0) {
        perror("umad_register");
        return 2;
    }
    printf("serves at LID %u\n", own_lid());
    (void)fflush(stdout);
    for (;;) {
        int bytes;
        struct ib_user_mad *request = receive(port, &bytes);

        answer(port, agent, request, bytes);
        free(request);
    }
}

static int ask(int port, int lid, size_t bytes, uint32_t wanted)
{
    int agent = umad_register(port, SA_CLASS, SA_VERSION, 1, NULL), got;
    struct ib_user_mad *u = message_new(bytes, METHOD_GET_MULTI);
    uint32_t modifier = htonl(wanted);

    memcpy(&u->data[20], &modifier, sizeof(modifier));
    u->data[15] = 1;
    umad_set_addr(u, lid, 1, 0, (int)GSI_QKEY);
    if (umad_send(port, agent, u, (int)bytes, WAIT_MS, 0) < 0) {
        perror("umad_send");
        return 2;
    }
    free(u);
    u = receive(port, &got);
    if (umad_status(u) != 0 || got != (int)wanted ||
        !content_right(u, wanted, METHOD_GET_MULTI | RESPONSE)) {
        fprintf(stderr, "status %d, %d bytes\n", umad_status(u), got);
        return 3;
    }
    printf("%zu bytes there, %d back\n", bytes, got);
    free(u);
    return 0;
}

int main(int argc, char **argv)
{
    int port = umad_init() == 0 ? umad_open_port(NULL, 0) : -1, result = 1;

    if (port < 0)
        perror("umad_open_port");
    else if (argc == 2 && strcmp(argv[1], "serve") == 0)
        result = serve(port);
    else if (argc == 5 && strcmp(argv[1], "ask") == 0)
        result = ask(port, (int)strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                     (uint32_t)strtoul(argv[4], NULL, 10));
    if (port >= 0)
        umad_close_port(port);
    return result;
}
