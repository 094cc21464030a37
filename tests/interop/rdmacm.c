/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program of the kernel's connection manager, in the guest: it listens or connects, has private
 * data, rejects, holds many connections at once, and prints each event it is told. */
#include <arpa/inet.h>
#include <endian.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEERS_MAX     128
/* As many as a ping has, and a QP's part of those that all share. */
#define SENDS         2
#define RECVS         2
#define MESSAGE_BYTES 16
#define RECV_BYTES    1024
#define PING_BYTES    64

struct peer {
    struct rdma_cm_id *id;
    struct ibv_mr *send_mr, *source_mr, *sink_mr;
    uint8_t send[MESSAGE_BYTES];
    char source[PING_BYTES], sink[PING_BYTES];
};

/* What the command line wants. */
static struct {
    bool listens, rejects, leaves, pings;
    const char *private_data;
    struct sockaddr_in at;
    unsigned count;
} want = {.private_data = "", .count = 1};

static struct rdma_event_channel *channel;
static struct peer peers[PEERS_MAX];
static unsigned begun, up, over, failed;

/* What all QPs share: a process has room for 144 pages of siw's queues. */
static struct ibv_comp_channel *completions;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static uint8_t recvs[PEERS_MAX * RECVS][RECV_BYTES];

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static void make_queues(struct rdma_cm_id *id)
{
    unsigned count = want.count * RECVS;
    struct ibv_srq_init_attr attr = {.attr = {.max_wr = count, .max_sge = 1}};
    struct ibv_mr *mr = ibv_reg_mr(id->pd, recvs, sizeof(recvs), IBV_ACCESS_LOCAL_WRITE);

    completions = ibv_create_comp_channel(id->verbs);
    must(completions, "ibv_create_comp_channel");
    cq = ibv_create_cq(id->verbs, (int)(want.count * (SENDS + RECVS)), NULL, completions, 0);
    must(cq, "ibv_create_cq");
    srq = ibv_create_srq(id->pd, &attr);
    must(srq, "ibv_create_srq");
    must(mr, "ibv_reg_mr");
    for (unsigned i = 0; i < count; i++) {
        struct ibv_sge sge = {.addr = (uintptr_t)recvs[i], .length = RECV_BYTES, .lkey = mr->lkey};
        struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

        must(ibv_post_srq_recv(srq, &wr, &bad) == 0, "ibv_post_srq_recv");
    }
}

static void make_qp(struct peer *p)
{
    struct ibv_qp_init_attr attr = {
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
        .cap = {.max_send_wr = SENDS, .max_send_sge = 1},
    };

    if (!srq)
        make_queues(p->id);
    attr.send_cq = attr.recv_cq = cq;
    attr.srq = srq;
    p->id->context = p;
    must(rdma_create_qp(p->id, NULL, &attr) == 0, "rdma_create_qp");
}

static struct rdma_conn_param terms(void)
{
    return (struct rdma_conn_param){
        .private_data = want.private_data,
        .private_data_len = (uint8_t)strlen(want.private_data),
        .responder_resources = 1,
        .initiator_depth = 1,
    };
}

static void answer(struct rdma_cm_id *id)
{
    struct rdma_conn_param param = terms();

    must(begun < want.count, "fewer requests");
    peers[begun].id = id;
    if (want.rejects) {
        must(rdma_reject(id, param.private_data, param.private_data_len) == 0, "rdma_reject");
        over++;
    } else {
        make_qp(&peers[begun]);
        must(rdma_accept(id, &param) == 0, "rdma_accept");
    }
    begun++;
}

static void begin_listening(void)
{
    struct rdma_cm_id *listener;

    must(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    must(rdma_bind_addr(listener, (struct sockaddr *)&want.at) == 0, "rdma_bind_addr");
    must(rdma_listen(listener, PEERS_MAX) == 0, "rdma_listen");
}

static void begin_connecting(void)
{
    for (; begun < want.count; begun++) {
        struct peer *p = &peers[begun];

        must(rdma_create_id(channel, &p->id, p, RDMA_PS_TCP) == 0, "rdma_create_id");
        must(rdma_resolve_addr(p->id, NULL, (struct sockaddr *)&want.at, 10000) == 0,
             "rdma_resolve_addr");
    }
}

static void begin_connection(struct rdma_cm_id *id)
{
    struct rdma_conn_param param = terms();

    make_qp(id->context);
    must(rdma_connect(id, &param) == 0, "rdma_connect");
}

/* What rping's client says: here is memory. */
static void offer(struct peer *p, const char *data, const struct ibv_mr *mr)
{
    uint64_t to = htobe64((uintptr_t)data);
    uint32_t words[2] = {htonl(mr->rkey), htonl(PING_BYTES)};

    memcpy(p->send, &to, sizeof(to));
    memcpy(p->send + sizeof(to), words, sizeof(words));
    must(rdma_post_send(p->id, NULL, p->send, MESSAGE_BYTES, p->send_mr, 0) == 0, "rdma_post_send");
}

/* All were told that their memory was read, or written. */
static void wait_for_all(void)
{
    struct ibv_wc wc;
    void *context;

    for (unsigned left = 2 * up; left > 0;) {
        must(ibv_req_notify_cq(cq, 0) == 0, "ibv_req_notify_cq");
        while (ibv_poll_cq(cq, 1, &wc) == 1) {
            must(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
            left--;
        }
        if (left == 0)
            break;
        must(ibv_get_cq_event(completions, &cq, &context) == 0, "ibv_get_cq_event");
        ibv_ack_cq_events(cq, 1);
    }
}

/* One ping of rping's on all connections, each step on all of them before the next. */
static void ping_all(void)
{
    for (unsigned i = 0; i < up; i++) {
        struct peer *p = &peers[i];

        (void)snprintf(p->source, sizeof(p->source), "rdma-ping-0: ");
        for (unsigned at = (unsigned)strlen(p->source); at < PING_BYTES - 1; at++)
            p->source[at] = (char)('A' + (at - strlen("rdma-ping-0: ")) % 58);
        p->send_mr = rdma_reg_msgs(p->id, p->send, sizeof(p->send));
        p->source_mr = rdma_reg_read(p->id, p->source, sizeof(p->source));
        p->sink_mr = rdma_reg_write(p->id, p->sink, sizeof(p->sink));
        must(p->send_mr && p->source_mr && p->sink_mr, "rdma_reg");
        offer(p, p->source, p->source_mr);
    }
    wait_for_all();
    for (unsigned i = 0; i < up; i++)
        offer(&peers[i], peers[i].sink, peers[i].sink_mr);
    wait_for_all();
    for (unsigned i = 0; i < up; i++)
        must(memcmp(peers[i].source, peers[i].sink, PING_BYTES) == 0, "the same bytes");
    printf("%u pings right\n", up);
}

static void all_up(void)
{
    printf("%u up at once\n", up - over);
    if (want.pings)
        ping_all();
    for (unsigned i = 0; want.leaves && i < up; i++)
        must(rdma_disconnect(peers[i].id) == 0, "rdma_disconnect");
}

static void print_event(const struct rdma_cm_event *e)
{
    const uint8_t *data = e->param.conn.private_data;

    printf("%s %d ", rdma_event_str(e->event), e->status);
    for (unsigned i = 0; data && i < e->param.conn.private_data_len; i++)
        printf("%02x", data[i]);
    printf("\n");
}

/* After the event was acknowledged: what it asks for. */
static void act(enum rdma_cm_event_type event, struct rdma_cm_id *id)
{
    switch (event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        must(rdma_resolve_route(id, 10000) == 0, "rdma_resolve_route");
        break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        begin_connection(id);
        break;
    case RDMA_CM_EVENT_CONNECT_REQUEST:
        answer(id);
        break;
    case RDMA_CM_EVENT_ESTABLISHED:
        if (++up == want.count)
            all_up();
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        over++;
        break;
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
        break;
    default:
        failed++;
        over++;
        break;
    }
}

static unsigned number(const char *text, unsigned max)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    must(*text && !*end && value >= 1 && value <= max, text);
    return (unsigned)value;
}

static void read_words(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "lrdtp:n:")) != -1) {
        want.listens |= option == 'l';
        want.rejects |= option == 'r';
        want.leaves |= option == 'd';
        want.pings |= option == 't';
        if (option == 'p')
            want.private_data = optarg;
        if (option == 'n')
            want.count = number(optarg, PEERS_MAX);
        if (option == '?')
            exit(2);
    }
    if (argc - optind != 2) {
        fprintf(stderr, "usage: rdmacm [-l [-r]] [-d] [-t] [-p TEXT] [-n COUNT] ADDRESS PORT\n"
                        "-l listen, -r reject, -d disconnect when all are up, -t a ping of rping's "
                        "on each\n");
        exit(2);
    }
    want.at.sin_family = AF_INET;
    want.at.sin_port = htons((uint16_t)number(argv[optind + 1], UINT16_MAX));
    must(inet_pton(AF_INET, argv[optind], &want.at.sin_addr) == 1, "an IPv4 address");
}

int main(int argc, char **argv)
{
    struct rdma_cm_event *e;

    read_words(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    channel = rdma_create_event_channel();
    must(channel, "rdma_create_event_channel");
    if (want.listens)
        begin_listening();
    else
        begin_connecting();
    while (over < want.count && rdma_get_cm_event(channel, &e) == 0) {
        enum rdma_cm_event_type event = e->event;
        struct rdma_cm_id *id = e->id;

        print_event(e);
        (void)rdma_ack_cm_event(e);
        act(event, id);
    }
    return failed > 0;
}
