/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A client of libibumad for the tests: joins the broadcast group, or tells how its port changes. */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A subnet administration MAD, by the offsets of the specification. */
enum {
    SA_CLASS = 0x03,
    SA_VERSION = 2,
    SA_SET = 0x02,
    SA_SET_RESP = 0x81,
    SA_DELETE = 0x15,
    SA_DELETE_RESP = 0x95,
    MC_MEMBER_RECORD = 0x0038,
    AT_ATTRIBUTE = 16,
    AT_STATUS = 4,
    AT_COMPONENT_MASK = 48,
    AT_RECORD = 56,
    AT_MGID = AT_RECORD,
    AT_PORT_GID = AT_RECORD + 16,
    AT_MLID = AT_RECORD + 36,
    AT_SCOPE_STATE = AT_RECORD + 48,
    MGID_PORT_GID_AND_JOIN_STATE = 1 | 2 | 1 << 16,
    FULL_MEMBER = 1,
    TIMEOUT_MS = 1000,
    RETRIES = 5,
    LOOK_EVERY_MS = 2
};

#define WELL_KNOWN_QKEY UINT32_C(0x80010000)

/* IPv4 over InfiniBand's broadcast group of the default partition. */
static const uint8_t broadcast[16] = {0xff, 0x12,        0x40, 0x1b, 0xff,
                                      0xff, [12] = 0xff, 0xff, 0xff, 0xff};

static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

static void put_be16(uint8_t *at, uint16_t value)
{
    value = htons(value);
    memcpy(at, &value, sizeof(value));
}

static void put_be32(uint8_t *at, uint32_t value)
{
    value = htonl(value);
    memcpy(at, &value, sizeof(value));
}

static uint16_t be16(const uint8_t *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof(value));
    return ntohs(value);
}

/** Asks the SA to join or leave; prints the group's LID.
 * @return 0, or -1 when there was no good answer */
static int ask_sa(int fd, int agent, const umad_port_t *port, uint8_t method)
{
    uint8_t *umad = umad_alloc(1, umad_size() + 256);
    uint8_t *mad = umad_get_mad(umad);
    int length = 256;
    int status = -1;

    mad[0] = 1;
    mad[1] = SA_CLASS;
    mad[2] = SA_VERSION;
    mad[3] = method;
    put_be16(mad + AT_ATTRIBUTE, MC_MEMBER_RECORD);
    put_be32(mad + AT_COMPONENT_MASK + 4, MGID_PORT_GID_AND_JOIN_STATE);
    memcpy(mad + AT_MGID, broadcast, sizeof(broadcast));
    memcpy(mad + AT_PORT_GID, &port->gid_prefix, 8);
    memcpy(mad + AT_PORT_GID + 8, &port->port_guid, 8);
    mad[AT_SCOPE_STATE] = FULL_MEMBER;
    umad_set_addr(umad, (int)port->sm_lid, 1, (int)port->sm_sl, (int)WELL_KNOWN_QKEY);
    if (umad_send(fd, agent, umad, length, TIMEOUT_MS, RETRIES) == 0 &&
        umad_recv(fd, umad, &length, -1) == agent && umad_status(umad) == 0) {
        status = be16(mad + AT_STATUS);
        printf("status 0x%04x mlid 0x%04x\n", (unsigned)status, be16(mad + AT_MLID));
    }
    umad_free(umad);
    return status == 0 ? 0 : -1;
}

/** Joins the broadcast group and leaves it when it is ended. */
static int join(int fd, const umad_port_t *port)
{
    int agent = umad_register(fd, SA_CLASS, SA_VERSION, 0, NULL);

    if (agent < 0 || ask_sa(fd, agent, port, SA_SET))
        return -1;
    fflush(stdout);
    while (!ended)
        pause();
    return ask_sa(fd, agent, port, SA_DELETE);
}

/** Prints the port's data whenever something has changed, until it is ended. */
static int watch(void)
{
    char last[256] = "";
    char now[256];
    umad_port_t port;

    while (!ended) {
        memset(&port, 0, sizeof(port));
        if (umad_get_port(NULL, 0, &port))
            return -1;
        snprintf(now, sizeof(now), "lid %u lmc %u sm %u state %u physical %u rate %u issm %d\n",
                 port.base_lid, port.lmc, port.sm_lid, port.state, port.phys_state, port.rate,
                 (ntohl(port.capmask) & 2) != 0);
        umad_release_port(&port);
        if (strcmp(now, last) != 0) {
            memcpy(last, now, sizeof(last));
            fputs(now, stdout);
            fflush(stdout);
        }
        (void)poll(NULL, 0, LOOK_EVERY_MS);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = end};
    umad_port_t port = {0};
    int err = -1;
    int fd;

    if (argc != 2)
        return 2;
    sigaction(SIGTERM, &action, NULL);
    if (umad_init() || umad_get_port(NULL, 0, &port))
        return 3;
    if (!strcmp(argv[1], "watch")) {
        err = watch();
    } else if (!strcmp(argv[1], "join")) {
        fd = umad_open_port(NULL, 0);
        err = fd < 0 ? fd : join(fd, &port);
        umad_close_port(fd);
    }
    umad_release_port(&port);
    umad_done();
    if (err)
        fprintf(stderr, "%s failed: %s\n", argv[1], strerror(errno));
    return err ? 1 : 0;
}
