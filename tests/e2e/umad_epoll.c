/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program that uses libibumad's interface directly, with epoll: asks its own node's neighbours
 * for their NodeDescriptions, by directed routes.
 * usage: umad_epoll PORT... */
#include <infiniband/umad.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

enum smp {
    SMP_BYTES = 256,
    SMP_CLASS_DIRECTED = 0x81,
    SMP_NODE_DESCRIPTION = 0x10
};

struct umad {
    struct ib_user_mad head;
    uint8_t smp[SMP_BYTES];
};

/* Asks whoever is behind `out` of the switch that this node is connected to. */
static int ask(int port, int agent, uint8_t out)
{
    struct umad u = {.smp = {1, SMP_CLASS_DIRECTED, 1, 1, [7] = 2, [17] = SMP_NODE_DESCRIPTION}};

    u.smp[15] = out; /* the transaction id */
    memset(&u.smp[32], 0xFF, 4);
    u.smp[128 + 1] = 1;
    u.smp[128 + 2] = out;
    umad_set_addr(&u, 0xFFFF, 0, 0, 0);
    return umad_send(port, agent, &u, SMP_BYTES, 1000, 3);
}

int main(int argc, char **argv)
{
    int port = umad_init() == 0 ? umad_open_port(NULL, 0) : -1;
    int agent = umad_register(port, SMP_CLASS_DIRECTED, 1, 0, NULL);
    int left = argc - 1, poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event ready = {.events = EPOLLIN};

    if (agent < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, umad_get_fd(port), &ready) < 0)
        return 1;
    for (int i = 1; i < argc; i++) {
        if (ask(port, agent, (uint8_t)strtoul(argv[i], NULL, 10)) < 0)
            return 2;
    }
    while (left > 0 && epoll_wait(poller, &ready, 1, 20000) == 1) {
        int length = SMP_BYTES;
        struct umad u;

        while (left > 0 && umad_recv(port, &u, &length, 0) == agent) {
            if (umad_status(&u) == 0)
                printf("%u \"%.64s\"\n", u.smp[15], (const char *)&u.smp[64]);
            left--;
        }
    }
    umad_close_port(port);
    return left == 0 ? 0 : 3;
}
