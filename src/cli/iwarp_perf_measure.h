/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `weft iwarp perf` measures as a client.
 */
#ifndef WEFT_CLI_IWARP_PERF_MEASURE_H
#define WEFT_CLI_IWARP_PERF_MEASURE_H

#include "cli/iwarp_perf.h"

/** Times of one message, in ns. */
struct perf_latency {
    uint64_t p50, p99;
    uint32_t count;
};

/** Latency and throughput of one operation at one size. */
struct perf_figure {
    struct perf_latency latency; /**< one way: half a round trip; of a Read the whole of it */
    double bytes_per_second;
};

/** Connections made and ended, one by one. */
struct perf_rate {
    uint64_t count;
    double per_second, tcp_per_second; /**< 0: not measured */
};

/** What idle connections take. */
struct perf_idle {
    uint64_t count;
    struct perf_usage client, server; /**< with them */
    uint64_t client_rss_before, server_rss_before;
};

bool perf_measure(struct perf_end *e, enum perf_operation operation, uint32_t bytes,
                  struct perf_figure *ret);
bool perf_measure_tcp(struct perf_tcp *t, struct perf_end *e, uint32_t bytes,
                      struct perf_figure *ret);
bool perf_measure_rate(struct perf_end *e, bool tcp, struct perf_rate *ret);
bool perf_measure_idle(struct perf_end *e, struct perf_idle *ret);

#endif
