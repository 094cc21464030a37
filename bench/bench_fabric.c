/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cost of the simulated fabric: round trips of SMPs and GMPs over several links, and what a large
 * fabric takes to build. */
#include "core/wire/mad_header.h"
#include "fabric/fabric.h"
#include "pages/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define ROUNDS 1000000

struct bench {
    struct topo *topo;
    struct fabric *fabric;
    struct fabric_attachment program;
    uint32_t node; /* where the program is */
    uint64_t tid;
    weft_time now;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_fabric: %s: %s\n", what, why);
    exit(3);
}

static double clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void open_fabric(struct bench *b, const char *spec)
{
    struct fabric_config c;
    struct fabric_error error;
    struct topo_error topo_error;
    struct fabric_tids tids;
    uint8_t port;

    memset(b, 0, sizeof(*b));
    fabric_config_init(&c);
    c.up = true;
    if (topo_generate(spec, &b->topo, &topo_error) < 0)
        fail(spec, topo_error.text);
    if (fabric_new(&c, b->topo, &pages_alloc, &b->fabric, &error) < 0)
        fail(spec, error.text);
    b->node = b->topo->hosts[0];
    if (fabric_attach(b->fabric, b->node, 0, &b->program, &port, &tids) < 0)
        fail(spec, "cannot attach");
    b->tid = (uint64_t)tids.first << 32;
}

static void close_fabric(struct bench *b)
{
    fabric_free(b->fabric);
    topo_free(b->topo);
}

/* Finds the first node at a distance and the ports that lead there.
 * @return the node */
static uint32_t find_path(const struct bench *b, uint32_t hops, uint8_t ret_path[64])
{
    const struct topo *t = b->topo;
    uint16_t *distance = calloc(t->node_count, sizeof(*distance));
    uint32_t target = 0, at = b->node;

    if (!distance || topo_hops(t, b->node, distance) < 0)
        fail("path", "no memory");
    while (target < t->node_count && distance[target] != hops)
        target++;
    if (target == t->node_count || topo_hops(t, target, distance) < 0)
        fail("path", "no node is that far away");
    for (uint32_t hop = 1; hop <= hops; hop++) {
        const struct topo_port *p = &t->ports[t->nodes[at].first_port];

        while (distance[p->peer_node] >= distance[at])
            p++;
        ret_path[hop] = p->num;
        at = p->peer_node;
    }
    free(distance);
    return target;
}

static void make_mad(struct packet *p, uint8_t mgmt_class, uint16_t attr_id)
{
    memset(p, 0, sizeof(*p));
    mad_set_base_version(p->mad, 1);
    mad_set_class(p->mad, mgmt_class);
    mad_set_class_version(p->mad, 1);
    mad_set_method(p->mad, WEFT_METHOD_GET);
    mad_set_attr_id(p->mad, attr_id);
}

static void make_smp(struct packet *p, uint32_t hops, const uint8_t path[64])
{
    make_mad(p, WEFT_CLASS_SUBN_DIRECTED, WEFT_ATTR_NODE_INFO);
    p->dlid = WEFT_LID_PERMISSIVE;
    p->mad[7] = (uint8_t)hops;
    memset(p->mad + 32, 0xFF, 4);
    memcpy(p->mad + 128, path, 64);
}

static double measure(struct bench *b, struct packet *p)
{
    struct fabric_delivery d;
    double start = clock_ns();

    for (uint32_t i = 0; i < ROUNDS; i++) {
        mad_set_tid(p->mad, b->tid + i);
        b->now += 100;
        if (fabric_send(b->fabric, b->now, b->program, p) < 0 || !fabric_poll(b->fabric, &d) ||
            mad_tid(d.packet->mad) != b->tid + i || (mad_status(d.packet->mad) & 0x7FFF) != 0)
            fail("round trip", "no answer");
    }
    return (clock_ns() - start) / ROUNDS;
}

static void round_trips(void)
{
    static const uint32_t hops[] = {0, 1, 3, 5};
    struct bench b;
    struct packet p;

    open_fabric(&b, "torus:x=4,y=4,z=4,hosts=1");
    for (size_t i = 0; i < sizeof(hops) / sizeof(hops[0]); i++) {
        uint8_t path[64] = {0};

        if (hops[i] > 0)
            (void)find_path(&b, hops[i], path);
        make_smp(&p, hops[i], path);
        printf("SMP Get NodeInfo, %u links and back:    %6.0f ns\n", hops[i], measure(&b, &p));
    }
    for (size_t i = 1; i < sizeof(hops) / sizeof(hops[0]); i++) {
        struct fabric_port_info port;
        uint8_t path[64] = {0};
        uint32_t node = find_path(&b, hops[i], path);

        if (fabric_port(b.fabric, node, 0, &port) < 0 && fabric_port(b.fabric, node, 1, &port) < 0)
            fail("port", "neither 0 nor 1");
        make_mad(&p, WEFT_CLASS_PERF, WEFT_ATTR_PM_PORT_COUNTERS);
        p.dlid = port.lid;
        p.src_qpn = p.dst_qpn = WEFT_QP_GSI;
        p.qkey = WEFT_QKEY_GSI;
        p.mad[65] = 1;
        printf("GMP Get PortCounters, %u links and back: %6.0f ns\n", hops[i], measure(&b, &p));
    }
    close_fabric(&b);
}

/* Asks a node's PMA for the counters of each of its ports.
 * @return how many that are */
static uint32_t ask_node(struct bench *b, uint32_t node, struct packet *p)
{
    struct fabric_node_info info;
    struct fabric_port_info port;
    uint8_t first;

    fabric_node(b->fabric, node, &info);
    first = fabric_port(b->fabric, node, 0, &port) < 0 ? 1 : 0;
    for (uint32_t number = first; number <= info.ports; number++) {
        struct fabric_delivery d;

        if (number == first && fabric_port(b->fabric, node, first, &port) < 0)
            fail("port", "neither 0 nor 1");
        p->dlid = port.lid;
        p->mad[65] = (uint8_t)number;
        mad_set_tid(p->mad, b->tid++);
        if (fabric_send(b->fabric, ++b->now, b->program, p) < 0 || !fabric_poll(b->fabric, &d))
            fail("counters", "no answer");
    }
    return info.ports + 1U - first;
}

/* One round trip to everybody, where what they touch is in no cache. */
static void everybody(const char *spec)
{
    struct bench b;
    struct packet p;
    uint32_t count = 0;
    double start;

    open_fabric(&b, spec);
    make_mad(&p, WEFT_CLASS_PERF, WEFT_ATTR_PM_PORT_COUNTERS_EXT);
    p.src_qpn = p.dst_qpn = WEFT_QP_GSI;
    p.qkey = WEFT_QKEY_GSI;
    start = clock_ns();
    for (int round = 0; round < 10; round++)
        for (uint32_t node = 0; node < b.topo->node_count; node++)
            count += ask_node(&b, node, &p);
    printf("%s: GMP Get PortCountersExtended, every port in turn: %6.0f ns\n", spec,
           (clock_ns() - start) / count);
    close_fabric(&b);
}

static void large_fabric(const char *spec, bool up)
{
    struct topo *t = NULL;
    struct topo_error topo_error;
    struct fabric_error error;
    struct fabric_config c;
    struct fabric *f = NULL;
    struct rusage before, after;
    double start = clock_ns();

    if (topo_generate(spec, &t, &topo_error) < 0)
        fail(spec, topo_error.text);
    printf("%s: topology %.0f ms, ", spec, (clock_ns() - start) / 1e6);
    fabric_config_init(&c);
    c.up = up;
    getrusage(RUSAGE_SELF, &before);
    start = clock_ns();
    if (fabric_new(&c, t, NULL, &f, &error) < 0)
        fail(spec, error.text);
    getrusage(RUSAGE_SELF, &after);
    printf("fabric%s %.0f ms, %.0f bytes of address space and about %.0f of memory per host\n",
           up ? ", up," : "", (clock_ns() - start) / 1e6, (double)fabric_bytes(f) / t->host_count,
           (double)(after.ru_maxrss - before.ru_maxrss) * 1024 / t->host_count);
    fabric_free(f);
    topo_free(t);
}

int main(void)
{
    large_fabric("fat-tree:hosts=11664,radix=36", false);
    large_fabric("fat-tree:hosts=11664,radix=36", true);
    round_trips();
    everybody("fat-tree:hosts=11664,radix=36");
    return 0;
}
