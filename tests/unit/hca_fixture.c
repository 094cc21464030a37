/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A libibumad for tests, with the kernel's rules of transaction ids behind it. */
#include "hca_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FIRST_PORTID 500
#define QUEUE_MAX    64

/* What waits for umad_recv(). */
struct queued {
    int portid, agent, status;
    unsigned bytes;
    ib_mad_addr_t from;
    uint8_t mad[WEFT_MAD_BYTES];
};

struct hca_umad libumad;
struct fake fake;
static struct queued queue[QUEUE_MAX];
static size_t queue_count;
static int bells[8];

static int refuse(int number)
{
    errno = number;
    return -number;
}

static void bell(int portid, bool ring)
{
    uint64_t count = 1;

    if (ring)
        assert_int_equal(write(bells[portid - FIRST_PORTID], &count, sizeof(count)), sizeof(count));
    else
        (void)!read(bells[portid - FIRST_PORTID], &count, sizeof(count));
}

void fake_begin(const struct fake_port *ports, size_t count)
{
    fake = (struct fake){.ports = ports, .port_count = count};
    queue_count = 0;
}

struct hca_link fake_open(const struct weft_mad_config *c)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    struct hca_ports all;
    struct hca_choice choice;
    struct hca_link l;

    assert_int_equal(hca_ports_read(&all, text), 0);
    assert_int_equal(hca_ports_choose(&all, NULL, 0, &choice), 0);
    if (hca_link_open(&l, &choice, c, text) != 0)
        fail_msg("%s", text);
    return l;
}

static struct queued *enqueue(struct fake_sent *s)
{
    struct queued *q = &queue[queue_count++];

    assert_true(queue_count <= QUEUE_MAX);
    *q = (struct queued){.portid = s->portid, .agent = s->agent, .bytes = WEFT_MAD_BYTES};
    bell(s->portid, true);
    return q;
}

void fake_answer(const struct fake_sent *s, uint8_t mad[WEFT_MAD_BYTES])
{
    memcpy(mad, s->mad, WEFT_MAD_BYTES);
    mad_set_method(mad, mad_method(mad) | WEFT_METHOD_RESPONSE);
    if (mad_class(mad) == WEFT_CLASS_SUBN_DIRECTED)
        mad_set_status(mad, WEFT_STATUS_DIRECTION);
}

void fake_deliver(struct fake_sent *s, const uint8_t mad[WEFT_MAD_BYTES], const ib_mad_addr_t *from)
{
    struct queued *q = enqueue(s);

    memcpy(q->mad, mad, WEFT_MAD_BYTES);
    q->from = *from;
    if (mad_is_response(mad))
        s->outstanding = false;
}

void fake_give_up(struct fake_sent *s)
{
    struct queued *q = enqueue(s);

    q->status = ETIMEDOUT;
    q->from = s->addr;
    memcpy(q->mad, s->mad, WEFT_MAD_BYTES);
    s->outstanding = false;
}

void fake_deliver_long(struct fake_sent *s, unsigned bytes)
{
    struct queued *q = enqueue(s);

    q->bytes = bytes;
    memcpy(q->mad, s->mad, WEFT_MAD_BYTES);
}

static void take_text(char ret[UMAD_CA_NAME_LEN], const char *from)
{
    (void)snprintf(ret, UMAD_CA_NAME_LEN, "%s", from);
}

int umad_init(void)
{
    return 0;
}

/* Each name once; without any, one that is not there. */
int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
    int count = 0;

    for (size_t i = 0; i < fake.port_count && count < max; i++) {
        if (i == 0 || strcmp(fake.ports[i].ca, fake.ports[i - 1].ca) != 0)
            take_text(cas[count++], fake.ports[i].ca);
    }
    if (count == 0)
        take_text(cas[count++], "mthca0");
    return count;
}

static void fill_port(const struct fake_port *from, umad_port_t *port)
{
    uint16_t *keys = fake.pkey_count > 0 ? calloc(fake.pkey_count, sizeof(keys[0])) : NULL;

    if (keys)
        memcpy(keys, fake.pkeys, fake.pkey_count * sizeof(keys[0]));
    *port = (umad_port_t){.portnum = (int)from->number,
                          .base_lid = from->lid,
                          .sm_lid = 3,
                          .sm_sl = 2,
                          .state = from->state,
                          .capmask = htonl(from->capability),
                          .gid_prefix = htobe64(0xfe80000000000000),
                          .port_guid = htobe64(from->guid),
                          .pkeys_size = keys ? fake.pkey_count : 0,
                          .pkeys = keys};
    take_text(port->ca_name, from->ca);
    take_text(port->link_layer, from->layer);
}

int umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
    bool found = false;

    memset(ca, 0, sizeof(*ca));
    for (size_t i = 0; i < fake.port_count; i++) {
        const struct fake_port *p = &fake.ports[i];

        if (strcmp(p->ca, ca_name) != 0 || !p->layer)
            continue;
        found = true;
        ca->ports[p->number] = calloc(1, sizeof(umad_port_t));
        assert_non_null(ca->ports[p->number]);
        fill_port(p, ca->ports[p->number]);
    }
    return found ? 0 : refuse(ENODEV);
}

int umad_release_ca(umad_ca_t *ca)
{
    for (int i = 0; i < UMAD_CA_MAX_PORTS; i++) {
        if (ca->ports[i])
            free(ca->ports[i]->pkeys);
        free(ca->ports[i]);
    }
    return 0;
}

static int find_port(const char *ca_name, int number)
{
    for (size_t i = 0; i < fake.port_count; i++) {
        if (strcmp(fake.ports[i].ca, ca_name) == 0 && (int)fake.ports[i].number == number)
            return (int)i;
    }
    return -1;
}

int umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
    int i = find_port(ca_name, portnum);

    if (i < 0)
        return refuse(ENODEV);
    fill_port(&fake.ports[i], port);
    return 0;
}

int umad_release_port(umad_port_t *port)
{
    free(port->pkeys);
    port->pkeys = NULL;
    return 0;
}

int umad_open_port(const char *ca_name, int portnum)
{
    int i = find_port(ca_name, portnum);

    if (i < 0 || fake.open_errno != 0) {
        errno = i < 0 ? ENODEV : fake.open_errno;
        return -EIO;
    }
    fake.opened++;
    bells[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE);
    assert_true(bells[i] >= 0);
    if (!fake.made_up_portids)
        assert_int_equal(dup2(bells[i], FIRST_PORTID + i), FIRST_PORTID + i);
    return FIRST_PORTID + i;
}

int umad_close_port(int portid)
{
    fake.closed++;
    if (!fake.made_up_portids)
        assert_int_equal(close(portid), 0);
    return close(bells[portid - FIRST_PORTID]);
}

/* As libibumad's: a new interface is found out about by opening a port. */
size_t umad_size(void)
{
    return sizeof(struct ib_user_mad) - (fake.opened > 0 ? 0 : 8);
}

void *umad_get_mad(void *umad)
{
    return (uint8_t *)umad + umad_size();
}

ib_mad_addr_t *umad_get_mad_addr(void *umad)
{
    return &((struct ib_user_mad *)umad)->addr;
}

int umad_status(void *umad)
{
    return (int)((struct ib_user_mad *)umad)->status;
}

int umad_set_pkey(void *umad, int pkey_index)
{
    ((struct ib_user_mad *)umad)->addr.pkey_index = (uint16_t)pkey_index;
    return 0;
}

int umad_get_pkey(void *umad)
{
    return ((struct ib_user_mad *)umad)->addr.pkey_index;
}

static int add_agent(const struct fake_agent *a)
{
    for (size_t i = 0; i < sizeof(fake.agents) / sizeof(fake.agents[0]); i++) {
        if (fake.agents[i].used)
            continue;
        fake.agents[i] = *a;
        fake.agents[i].used = true;
        fake.agents[i].tid = (uint32_t)(0x70 + i);
        return (int)i;
    }
    return refuse(ENOMEM);
}

int umad_register2(int port_fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
    const struct fake_agent a = {.portid = port_fd,
                                 .mgmt_class = attr->mgmt_class,
                                 .rmpp = attr->rmpp_version,
                                 .flags = attr->flags,
                                 .oui = attr->oui};

    if (fake.no_register2 || fake.no_register)
        return EINVAL;
    *agent_id = (uint32_t)add_agent(&a);
    return 0;
}

int umad_register(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                  long method_mask[16 / sizeof(long)])
{
    const struct fake_agent a = {
        .portid = portid, .plain = true, .mgmt_class = (unsigned)mgmt_class, .rmpp = rmpp_version};

    (void)mgmt_version;
    (void)method_mask;
    return fake.no_register ? refuse(EPERM) : add_agent(&a);
}

int umad_register_oui(int portid, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3],
                      long method_mask[16 / sizeof(long)])
{
    const struct fake_agent a = {.portid = portid,
                                 .plain = true,
                                 .mgmt_class = (unsigned)mgmt_class,
                                 .rmpp = rmpp_version,
                                 .oui = (unsigned)(oui[0] << 16 | oui[1] << 8 | oui[2])};

    (void)method_mask;
    return fake.no_register ? refuse(EPERM) : add_agent(&a);
}

int umad_unregister(int portid, int agentid)
{
    assert_int_equal(fake.agents[agentid].portid, portid);
    fake.agents[agentid].used = false;
    return 0;
}

/* A request may not have the transaction id of one that is outstanding, but for RMPP. */
static bool is_duplicate(const struct fake_sent *new)
{
    bool rmpp = mad_class_has_rmpp(mad_class(new->mad)) && rmpp_is_active(new->mad);

    for (unsigned i = 0; i < fake.sent_count && !rmpp; i++) {
        const struct fake_sent *s = &fake.sent[i];

        if (s->outstanding && mad_tid(s->mad) == mad_tid(new->mad) &&
            mad_class(s->mad) == mad_class(new->mad))
            return true;
    }
    return false;
}

int umad_send(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
    struct fake_sent *s = &fake.sent[fake.sent_count];

    assert_true(fake.sent_count < FAKE_SENT_MAX);
    assert_int_equal(length, WEFT_MAD_BYTES);
    assert_true(fake.agents[agentid].used);
    assert_int_equal(fake.agents[agentid].portid, portid);
    *s = (struct fake_sent){.portid = portid,
                            .agent = agentid,
                            .timeout_ms = timeout_ms,
                            .retries = retries,
                            .addr = *umad_get_mad_addr(umad),
                            .pkey = umad_get_pkey(umad)};
    memcpy(s->mad, umad_get_mad(umad), WEFT_MAD_BYTES);
    if (!mad_is_response(s->mad))
        mad_set_tid(s->mad, (uint64_t)fake.agents[agentid].tid << 32 | (uint32_t)mad_tid(s->mad));
    if (fake.send_errno != 0 || is_duplicate(s)) {
        errno = fake.send_errno != 0 ? fake.send_errno : EINVAL;
        return -EIO;
    }
    s->outstanding = timeout_ms > 0;
    fake.sent_count++;
    return 0;
}

static struct queued *first_of(int portid)
{
    for (size_t i = 0; i < queue_count; i++) {
        if (queue[i].portid == portid)
            return &queue[i];
    }
    return NULL;
}

int umad_poll(int portid, int timeout_ms)
{
    (void)timeout_ms;
    return first_of(portid) || fake.recv_errno != 0 ? 0 : refuse(ETIMEDOUT);
}

int umad_get_fd(int portid)
{
    return bells[portid - FIRST_PORTID];
}

int umad_recv(int portid, void *umad, int *length, int timeout_ms)
{
    struct queued *q = first_of(portid);
    struct ib_user_mad *u = umad;
    int agent;

    (void)timeout_ms;
    if (fake.recv_errno != 0)
        return refuse(fake.recv_errno);
    if (!q)
        return refuse(EWOULDBLOCK);
    if (q->bytes > (unsigned)*length) {
        *length = (int)q->bytes;
        return refuse(ENOSPC);
    }
    *length = (int)q->bytes;
    u->status = (uint32_t)q->status;
    u->addr = q->from;
    memcpy(umad_get_mad(umad), q->mad, WEFT_MAD_BYTES);
    agent = q->agent;
    bell(portid, false);
    memmove(q, q + 1, (size_t)(&queue[--queue_count] - q) * sizeof(*q));
    return agent;
}

bool hca_umad_load(char text[LIBRARY_TEXT_BYTES])
{
#define TAKE(name) .name = (name),
    if (fake.no_library)
        (void)snprintf(text, LIBRARY_TEXT_BYTES, "there is none");
    else
        libumad = (struct hca_umad){HCA_UMAD_FUNCTIONS(TAKE)};
    return !fake.no_library;
}
