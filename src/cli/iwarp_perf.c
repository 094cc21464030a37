/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp perf`: the client, or both sides on this machine; figures as a table or JSON. */
#include "cli/iwarp_action.h"
#include "cli/iwarp_address.h"
#include "cli/iwarp_perf_measure.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/table.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdlib.h>

#define TCP_ROW PERF_OPERATIONS

/* All figures of one run. */
struct figures {
    const struct iwarp_request *request;
    struct perf_figure of[IWARP_SIZES_MAX][PERF_OPERATIONS + 1];
    struct perf_rate rate;
    struct perf_idle idle;
};

static const char *const operation_names[] = {
    [PERF_SEND] = "send", [PERF_WRITE] = "write", [PERF_READ] = "read", [TCP_ROW] = "tcp"};

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

static double latency_ratio(const struct perf_figure *f, const struct perf_figure *tcp)
{
    return (double)f->latency.p50 / (double)(tcp->latency.p50 ? tcp->latency.p50 : 1);
}

static void print_row(struct table *t, const struct figures *all, uint32_t i, int operation)
{
    const struct perf_figure *f = &all->of[i][operation];
    const struct perf_figure *tcp = &all->of[i][TCP_ROW];

    table_row(t);
    table_cell(t, "%" PRIu64, all->request->sizes[i]);
    table_cell(t, "%s", operation_names[operation]);
    table_cell(t, "%.2f", us(f->latency.p50));
    table_cell(t, "%.2f", us(f->latency.p99));
    table_cell(t, "%.1f", f->bytes_per_second / 1e6);
    if (!all->request->tcp || operation == TCP_ROW)
        return;
    if (operation == PERF_READ)
        table_cell(t, " ");
    else
        table_cell(t, "%.2f", latency_ratio(f, tcp));
    table_cell(t, "%.2f", f->bytes_per_second / tcp->bytes_per_second);
}

static int print_table(const struct figures *all)
{
    static const struct table_column plain[] = {{"bytes", true},  {"operation", false},
                                                {"p50 us", true}, {"p99 us", true},
                                                {"MB/s", true},   {NULL, false}};
    static const struct table_column beside[] = {
        {"bytes", true}, {"operation", false}, {"p50 us", true},         {"p99 us", true},
        {"MB/s", true},  {"time/tcp", true},   {"throughput/tcp", true}, {NULL, false}};
    struct table *t = table_new(all->request->tcp ? beside : plain);
    int exit_code;

    if (!t)
        return message_failed("no memory for a table");
    for (uint32_t i = 0; i < all->request->size_count; i++) {
        for (int operation = 0; operation < PERF_OPERATIONS; operation++)
            print_row(t, all, i, operation);
        if (all->request->tcp)
            print_row(t, all, i, TCP_ROW);
    }
    exit_code = table_print(t);
    table_free(t);
    return exit_code;
}

static void print_usage(const char *side, const struct perf_usage *u, uint64_t before,
                        uint64_t count)
{
    printf("  %s: %.1f MB resident, %.0f bytes a connection; %.1f MB taken for the provider\n",
           side, (double)u->rss_bytes / 1e6,
           ((double)u->rss_bytes - (double)before) / (double)count, (double)u->siw_bytes / 1e6);
}

static int print_text(const struct figures *all)
{
    const struct perf_rate *rate = &all->rate;
    const struct perf_idle *idle = &all->idle;
    int exit_code = print_table(all);

    if (rate->count > 0) {
        printf("%" PRIu64 " connections set up and ended, one by one: %.0f a second", rate->count,
               rate->per_second);
        if (rate->tcp_per_second > 0)
            printf(", plain TCP %.0f (ratio %.2f)", rate->tcp_per_second,
                   rate->per_second / rate->tcp_per_second);
        printf("\n");
    }
    if (idle->count > 0) {
        printf("%" PRIu64 " idle connections:\n", idle->count);
        print_usage("client", &idle->client, idle->client_rss_before, idle->count);
        print_usage("server", &idle->server, idle->server_rss_before, idle->count);
    }
    return exit_code;
}

static json_t *figure_json(const struct figures *all, uint32_t i, int operation)
{
    const struct perf_figure *f = &all->of[i][operation];
    const struct perf_figure *tcp = &all->of[i][TCP_ROW];
    json_t *j =
        json_pack("{s:I, s:s, s:I, s:I, s:I, s:f}", "bytes", (json_int_t)all->request->sizes[i],
                  "operation", operation_names[operation], "p50_ns", (json_int_t)f->latency.p50,
                  "p99_ns", (json_int_t)f->latency.p99, "count", (json_int_t)f->latency.count,
                  "bytes_per_s", f->bytes_per_second);

    if (!j || !all->request->tcp || operation == TCP_ROW)
        return j;
    if (operation != PERF_READ)
        json_object_set_new(j, "time_to_tcp", json_real(latency_ratio(f, tcp)));
    json_object_set_new(j, "throughput_to_tcp",
                        json_real(f->bytes_per_second / tcp->bytes_per_second));
    return j;
}

static json_t *usage_json(const struct perf_usage *u, uint64_t before)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "rss_bytes", (json_int_t)u->rss_bytes,
                     "rss_before_bytes", (json_int_t)before, "provider_bytes",
                     (json_int_t)u->siw_bytes, "qps", (json_int_t)u->connections);
}

static int print_json(const struct figures *all, const struct perf_end *e)
{
    json_t *list = json_array();
    json_t *root = json_pack("{s:s, s:o, s:O}", "schema", "weft.iwarp.perf/1", "connection",
                             iwarp_link_json(&e->link), "figures", list);
    int last = all->request->tcp ? TCP_ROW : PERF_READ;

    for (uint32_t i = 0; i < all->request->size_count; i++)
        for (int operation = 0; operation <= last; operation++)
            json_array_append_new(list, figure_json(all, i, operation));
    json_decref(list);
    if (root && all->rate.count > 0) {
        json_t *rate = json_pack("{s:I, s:f}", "count", (json_int_t)all->rate.count, "per_s",
                                 all->rate.per_second);

        if (rate && all->rate.tcp_per_second > 0)
            json_object_set_new(rate, "tcp_per_s", json_real(all->rate.tcp_per_second));
        json_object_set_new(root, "connections", rate);
    }
    if (root && all->idle.count > 0)
        json_object_set_new(
            root, "idle",
            json_pack("{s:I, s:o, s:o}", "count", (json_int_t)all->idle.count, "client",
                      usage_json(&all->idle.client, all->idle.client_rss_before), "server",
                      usage_json(&all->idle.server, all->idle.server_rss_before)));
    return json_print(root);
}

static bool measure_sizes(struct perf_end *e, struct perf_tcp *tcp, struct figures *all)
{
    for (uint32_t i = 0; i < all->request->size_count; i++) {
        uint32_t bytes = (uint32_t)all->request->sizes[i];

        for (int operation = 0; operation < PERF_OPERATIONS; operation++) {
            if (!perf_measure(e, (enum perf_operation)operation, bytes, &all->of[i][operation]))
                return false;
            if (tcp && operation == PERF_SEND &&
                !perf_measure_tcp(tcp, e, bytes, &all->of[i][TCP_ROW]))
                return false;
        }
    }
    return true;
}

static bool measure(struct perf_end *e, struct figures *all)
{
    struct weft_iw_addr at = e->link.remote;
    struct perf_tcp *tcp = NULL;
    bool done;

    at.port = e->peer_tcp_port;
    if (all->request->tcp) {
        tcp = perf_tcp_connect(e->session, &at);
        if (!tcp)
            return false;
    }
    done =
        measure_sizes(e, tcp, all) &&
        (all->request->connections == 0 || perf_measure_rate(e, all->request->tcp, &all->rate)) &&
        (all->request->idle == 0 || perf_measure_idle(e, &all->idle));
    if (tcp)
        perf_tcp_close(tcp);
    return done;
}

static int run_client(struct perf_end *e, struct figures *all)
{
    struct weft_iwcm_param param = {.private_bytes = PERF_HELLO, .ord = PERF_DEPTH};
    uint8_t hello[PERF_HELLO];
    char address[IWARP_ADDRESS_TEXT];
    char why[IWARP_NAME_BYTES];

    perf_hello_write(e, 0, hello);
    param.private_data = hello;
    iwarp_link_connect(&e->link, &param);
    if (!iwarp_link_wait_up(&e->link, iwarp_session_in(2 * all->request->timeout))) {
        if (!iwarp_session_interrupted())
            iwarp_link_tell_failure(&e->link, "weft iwarp perf --server");
        return CLI_FAILED;
    }
    iwarp_address_text(&e->link.remote, address);
    if (!perf_hello_read(e, &e->link.peer))
        return message_failed("%s: speaks another protocol than weft iwarp perf", address);
    if (!all->request->json)
        iwarp_link_print(&e->link, stdout);
    if (!measure(e, all)) {
        if (iwarp_session_interrupted())
            return CLI_FAILED;
        return message_failed("%s: the measurement ended early: %s", address,
                              e->link.state == IWARP_LINK_UP
                                  ? "the peer could not do its part"
                                  : iwarp_link_reason(&e->link, why, sizeof(why)));
    }
    return all->request->json ? print_json(all, e) : print_text(all);
}

static int client(const struct iwarp_request *r)
{
    struct iwarp_session session;
    struct perf_end e;
    struct figures *all = calloc(1, sizeof(*all));
    int exit_code;

    if (!all)
        return message_failed("no memory for figures");
    all->request = r;
    exit_code = iwarp_session_open(&session, r, (uint32_t)r->idle + 1);
    if (exit_code == CLI_DONE) {
        if (perf_end_new(&e, &session, IWARP_PERF_SIZE_MAX)) {
            exit_code = run_client(&e, all);
            perf_end_free(&e);
        } else {
            exit_code = CLI_FAILED;
        }
        iwarp_session_close(&session);
    }
    free(all);
    return exit_code;
}

static int serve_once(const struct iwarp_request *r)
{
    return perf_serve(r, stdout, true);
}

int iwarp_perf(const struct iwarp_request *r)
{
    if (r->loopback)
        return iwarp_loopback(r, serve_once, client);
    return r->server ? perf_serve(r, r->json ? stderr : stdout, false) : client(r);
}
