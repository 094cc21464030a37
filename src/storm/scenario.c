/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The presets and the table of their numbers. docs/storm.md argues for each default. */
#include "storm/scenario.h"

#include <stdbool.h>

const char *const storm_overload_words[] = {"drop", "busy", "stale", NULL};

#define FIELD(key, unit, member, min, max, help)                                                   \
    {                                                                                              \
        key, unit, offsetof(struct storm_scenario, member), min, max, NULL, help                   \
    }

const struct storm_field storm_scenario_fields[] = {
    FIELD("joins", STORM_COUNT, joins, 0, 1000, "multicast joins of each client, one by one"),
    FIELD("paths", STORM_COUNT, paths, 0, 65535, "path queries of each client, after its joins"),
    FIELD("width", STORM_COUNT, width, 0, 65535,
          "path queries a client has under way at a time; 0: all"),
    FIELD("agents", STORM_COUNT, agents, 1, 1024,
          "agents (processes) of a client that share its queries"),
    FIELD("spread", STORM_DURATION, spread_ns, 0, STORM_HOUR,
          "clients start at random within this time"),
    FIELD("timeout", STORM_DURATION, timeout_ns, 1000, STORM_HOUR,
          "how long a client waits for an answer"),
    FIELD("retries", STORM_COUNT, retries, 0, 255, "further packets for a query without answer"),
    FIELD("recv-depth", STORM_COUNT, recv_depth, 64, 8192, "receive buffers of a client"),
    FIELD("read", STORM_DURATION, read_ns, 0, STORM_HOUR,
          "time a client takes to read a received MAD; its buffer is held meanwhile"),
    FIELD("send", STORM_DURATION, send_ns, 0, WEFT_S, "time between two packets of one client"),
    FIELD("rogues", STORM_COUNT, rogues, 0, 1000,
          "additional clients that ask for everything and ask again at once"),
    FIELD("rogue-queries", STORM_COUNT, rogue_queries, 1, 10000000, "queries of a rogue"),
    FIELD("rogue-width", STORM_COUNT, rogue_width, 1, 65535,
          "queries a rogue has under way at a time"),
    FIELD("rogue-timeout", STORM_DURATION, rogue_timeout_ns, 1000, STORM_HOUR,
          "how long a rogue waits before it asks again"),
    FIELD("hop", STORM_DURATION, hop_ns, 0, WEFT_S, "latency of one link and the switch behind it"),
    FIELD("host", STORM_DURATION, host_ns, 0, WEFT_S,
          "latency of adapters and software, both ends together"),
    FIELD("loss-request", STORM_SHARE, loss_request, 0, 1000000, "requests lost on the way"),
    FIELD("loss-response", STORM_SHARE, loss_response, 0, 1000000, "answers lost on the way"),
    FIELD("sa-rate", STORM_COUNT, sa_rate, 1, 10000000, "requests the SA answers per second"),
    FIELD("sa-queue", STORM_COUNT, sa_queue, 1, 1000000, "receive buffers of the SA"),
    {"sa-overload", STORM_WORD, offsetof(struct storm_scenario, sa_overload), 0, 2,
     storm_overload_words,
     "drop: a full receive queue loses requests; busy: BUSY answers; stale: as OpenSM"},
    FIELD("sa-backlog", STORM_COUNT, sa_backlog, 1, 10000000,
          "busy, stale: requests that fit into the SA's software queue"),
    FIELD("sa-busy-above", STORM_COUNT, sa_busy_above, 1, 10000000,
          "busy: length of the software queue from which on it answers BUSY"),
    FIELD("sa-busy", STORM_DURATION, sa_busy_ns, 0, WEFT_S, "busy: time a BUSY answer takes"),
    FIELD("sa-take", STORM_DURATION, sa_take_ns, 0, WEFT_S,
          "busy, stale: time to move a request from the receive queue to the software queue"),
    FIELD("sa-stale", STORM_DURATION, sa_stale_ns, 0, STORM_HOUR,
          "stale: a request that waited longer is thrown away unanswered"),
    FIELD("duration", STORM_DURATION, duration_ns, 1000, 24 * STORM_HOUR,
          "the run ends here even if clients are still waiting"),
    {NULL, STORM_COUNT, 0, 0, 0, NULL, NULL},
};

/* What the presets share. */
static const struct storm_scenario common = {
    .joins = 0,
    .paths = 8,
    .width = 0,
    .agents = 1,
    .spread_ns = 0,
    .timeout_ns = 4 * WEFT_S,
    .retries = 15,
    .recv_depth = 512,
    .read_ns = 2 * WEFT_US,
    .send_ns = 500,
    .rogues = 0,
    .rogue_queries = 1000000,
    .rogue_width = 1024,
    .rogue_timeout_ns = 100 * WEFT_MS,
    .hop_ns = 200,
    .host_ns = 10 * WEFT_US,
    .loss_request = 0,
    .loss_response = 0,
    .sa_rate = 20000,
    .sa_queue = 512,
    .sa_overload = STORM_DROP,
    .sa_backlog = 1000000,
    .sa_busy_above = 512,
    .sa_busy_ns = 5 * WEFT_US,
    .sa_take_ns = 2 * WEFT_US,
    .sa_stale_ns = 10 * WEFT_S,
    .duration_ns = 600 * WEFT_S,
};

static void fill_ipoib_boot(struct storm_scenario *s)
{
    s->joins = 2;
    s->paths = 8;
    s->spread_ns = 100 * WEFT_MS;
}

static void fill_mpi_start(struct storm_scenario *s)
{
    s->paths = 256;
    s->agents = 8;
    s->spread_ns = 100 * WEFT_MS;
    s->timeout_ns = WEFT_S;
}

static void fill_rogue(struct storm_scenario *s)
{
    s->joins = 1;
    s->paths = 4;
    s->spread_ns = 5 * WEFT_S;
    s->rogues = 1;
}

static void fill_leaf_failure(struct storm_scenario *s)
{
    s->paths = 16;
}

const struct storm_preset storm_presets[] = {
    {"ipoib-boot", "all nodes boot: each joins its multicast groups, then resolves its servers",
     fill_ipoib_boot},
    {"mpi-start", "a parallel job starts: each node asks for the paths to many peers at once",
     fill_mpi_start},
    {"rogue", "a calm morning, and one client that asks for everything and never waits",
     fill_rogue},
    {"leaf-failure",
     "a leaf switch failed: every client resolves its paths again in the same instant",
     fill_leaf_failure},
    {NULL, NULL, NULL},
};

int storm_scenario_preset(const char *name, struct storm_scenario *ret)
{
    for (const struct storm_preset *p = storm_presets; p->name; p++) {
        if (strcmp(p->name, name) != 0)
            continue;
        *ret = common;
        p->fill(ret);
        return 0;
    }
    return WEFT_ERR_NOTFOUND;
}

int storm_scenario_check(const struct storm_scenario *s, const char **ret_why)
{
    for (const struct storm_field *f = storm_scenario_fields; f->key; f++) {
        uint64_t value = storm_field_get(s, f);

        if (value < f->min || value > f->max) {
            *ret_why = f->key;
            return WEFT_ERR_INVALID;
        }
    }
    if (storm_scenario_queries(s) == 0) {
        *ret_why = "joins and paths are both 0: the clients ask for nothing";
        return WEFT_ERR_INVALID;
    }
    return 0;
}
