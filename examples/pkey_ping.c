/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who can talk to whom: a client of libibumad that says which P_Keys its port has, asks another one
 * on one of them, or answers, on the index that it was asked on.
 *
 *     cc -o pkey_ping pkey_ping.c -libumad
 *     pkey_ping table
 *     pkey_ping serve
 *     pkey_ping ask LID P_KEY MILLISECONDS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A MAD of a vendor's class, by the offsets of the specification. */
enum {
    MAD_BYTES = 256,
    VENDOR_CLASS = 0x32,
    GET = 0x01,
    GET_RESP = 0x81,
    AT_OUI = 37
};

enum exit_code {
    DONE,
    FAILED,
    WRONG_USE,
    NO_SUCH_KEY,
    SILENCE
};

#define WELL_KNOWN_QKEY 0x80010000U

static uint8_t oui[] = {0x00, 0x14, 0x05};
static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

/** A number of the command line; 0: it is none. */
static int number(const char *text)
{
    char *rest;
    unsigned long value = strtoul(text, &rest, 0);

    return *rest == '\0' && value <= INT32_MAX ? (int)value : 0;
}

static uint16_t key_at(unsigned index)
{
    umad_port_t port = {0};
    uint16_t key = 0;

    if (umad_get_port(NULL, 0, &port))
        return 0;
    if (index < port.pkeys_size)
        key = port.pkeys[index];
    umad_release_port(&port);
    return key;
}

/** Prints the entries that are not empty. */
static int table(void)
{
    umad_port_t port = {0};

    if (umad_get_port(NULL, 0, &port))
        return FAILED;
    for (unsigned i = 0; i < port.pkeys_size; i++)
        if ((port.pkeys[i] & 0x7fff) != 0)
            printf("%u=0x%04x ", i, port.pkeys[i]);
    printf("of %u\n", port.pkeys_size);
    umad_release_port(&port);
    return DONE;
}

/** Finds the entry with this very key. */
static bool find(uint16_t key, int *ret)
{
    umad_port_t port = {0};
    bool found = false;

    if (umad_get_port(NULL, 0, &port))
        return false;
    for (unsigned i = 0; i < port.pkeys_size && !found; i++) {
        found = port.pkeys[i] == key;
        *ret = (int)i;
    }
    umad_release_port(&port);
    return found;
}

/** Answers each request on the P_Key that it came with, until it is ended. */
static int serve(int fd)
{
    long methods[16 / sizeof(long)] = {1L << GET};
    int agent = umad_register_oui(fd, VENDOR_CLASS, 0, oui, methods);
    uint8_t *umad = umad_alloc(1, umad_size() + MAD_BYTES);
    uint8_t *mad = umad_get_mad(umad);

    if (agent < 0)
        return FAILED;
    puts("ready");
    while (!ended) {
        int length = MAD_BYTES;
        int index, got;
        const ib_mad_addr_t *from;

        fflush(stdout);
        got = umad_recv(fd, umad, &length, 100);
        if (got == -ETIMEDOUT || got == -EINTR)
            continue;
        if (got != agent)
            break;
        from = umad_get_mad_addr(umad);
        index = umad_get_pkey(umad);
        printf("asked on %d=0x%04x by lid %u\n", index, key_at((unsigned)index), ntohs(from->lid));
        mad[3] = GET_RESP;
        umad_set_addr(umad, ntohs(from->lid), (int)ntohl(from->qpn), from->sl,
                      (int)WELL_KNOWN_QKEY);
        if (umad_send(fd, agent, umad, MAD_BYTES, 0, 0) < 0)
            break;
    }
    umad_free(umad);
    return ended ? DONE : FAILED;
}

/** Asks on one P_Key. */
static int ask(int fd, int lid, uint16_t key, int timeout_ms)
{
    int agent = umad_register_oui(fd, VENDOR_CLASS, 0, oui, NULL);
    uint8_t *umad = umad_alloc(1, umad_size() + MAD_BYTES);
    uint8_t *mad = umad_get_mad(umad);
    int length = MAD_BYTES;
    int code = FAILED;
    int index = 0;

    if (!find(key, &index)) {
        printf("no 0x%04x in the table\n", key);
        code = NO_SUCH_KEY;
        goto out;
    }
    mad[0] = mad[2] = 1;
    mad[1] = VENDOR_CLASS;
    mad[3] = GET;
    memcpy(mad + AT_OUI, oui, sizeof(oui));
    umad_set_addr(umad, lid, 1, 0, (int)WELL_KNOWN_QKEY);
    umad_set_pkey(umad, index);
    if (agent < 0 || umad_send(fd, agent, umad, MAD_BYTES, timeout_ms, 0) < 0 ||
        umad_recv(fd, umad, &length, -1) != agent)
        goto out;
    if (umad_status(umad) == ETIMEDOUT) {
        printf("silence on %d=0x%04x\n", index, key);
        code = SILENCE;
    } else if (umad_status(umad) == 0 && mad[4] == 0 && mad[5] == 0) {
        index = umad_get_pkey(umad);
        printf("answer on %d=0x%04x\n", index, key_at((unsigned)index));
        code = DONE;
    } else {
        printf("status 0x%02x%02x\n", mad[4], mad[5]);
    }
out:
    umad_free(umad);
    return code;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = end};
    int code = WRONG_USE;
    int fd;

    sigaction(SIGTERM, &action, NULL);
    if (umad_init())
        return FAILED;
    if (argc == 2 && !strcmp(argv[1], "table"))
        return table();
    fd = umad_open_port(NULL, 0);
    if (fd < 0)
        return FAILED;
    if (argc == 2 && !strcmp(argv[1], "serve"))
        code = serve(fd);
    else if (argc == 5 && !strcmp(argv[1], "ask"))
        code = ask(fd, number(argv[2]), (uint16_t)number(argv[3]), number(argv[4]));
    umad_close_port(fd);
    umad_done();
    return code;
}
