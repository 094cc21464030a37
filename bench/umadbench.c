/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MAD rate of whatever stands behind libibumad: Get(NodeInfo) to one LID, a fixed number of them
 * outstanding. */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SMP_CLASS = 0x01,
    GET = 0x01,
    NODE_INFO = 0x11,
    MAD_BYTES = 256,
    TIMEOUT_MS = 1000,
    RETRIES = 3,
    WAIT_MS = 5000
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int send_one(int fd, int agent, uint8_t *umad, int lid, uint32_t number)
{
    uint8_t *mad = umad_get_mad(umad);
    uint32_t tid = htonl(number);

    memset(mad, 0, MAD_BYTES);
    mad[0] = 1;
    mad[1] = SMP_CLASS;
    mad[2] = 1;
    mad[3] = GET;
    memcpy(mad + 12, &tid, sizeof(tid));
    mad[17] = NODE_INFO;
    umad_set_addr(umad, lid, 0, 0, 0);
    return umad_send(fd, agent, umad, MAD_BYTES, TIMEOUT_MS, RETRIES);
}

/** Sends `total` requests, `window` of them outstanding.
 * @return how many got no good answer, or -1 when sending or receiving failed */
static long measure(int fd, int agent, int lid, long window, long total)
{
    uint8_t *out = umad_alloc(1, umad_size() + MAD_BYTES);
    uint8_t *in = umad_alloc(1, umad_size() + MAD_BYTES);
    long sent = 0, got = 0, bad = 0;

    while (out && in && got < total) {
        int length = MAD_BYTES;

        for (; sent < total && sent - got < window; sent++) {
            if (send_one(fd, agent, out, lid, (uint32_t)sent + 1))
                goto failed;
        }
        if (umad_recv(fd, in, &length, WAIT_MS) < 0)
            goto failed;
        bad += umad_status(in) != 0;
        got++;
    }
failed:
    umad_free(out);
    umad_free(in);
    return got == total ? bad : -1;
}

int main(int argc, char **argv)
{
    double began_s;
    long window, total, bad;
    int fd, agent;

    if (argc != 4) {
        fputs("usage: umadbench LID WINDOW MADS\n", stderr);
        return 2;
    }
    window = strtol(argv[2], NULL, 10);
    total = strtol(argv[3], NULL, 10);
    umad_init();
    fd = umad_open_port(NULL, 0);
    agent = fd < 0 ? -1 : umad_register(fd, SMP_CLASS, 1, 0, NULL);
    if (agent < 0) {
        perror("umadbench: opening the port");
        return 3;
    }
    began_s = now_s();
    bad = measure(fd, agent, (int)strtol(argv[1], NULL, 10), window, total);
    if (bad < 0) {
        perror("umadbench: sending and receiving");
        return 3;
    }
    printf("%.6f s, %ld bad\n", now_s() - began_s, bad);
    umad_close_port(fd);
    return 0;
}
