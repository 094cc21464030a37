/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The run of one seed: a day of faults, then the network heals and all must end. */
#include "simulation.h"

#include "node.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAL_TURNS_MAX = 100000
};

/* A class of operations or faults: off in this seed, or somewhere up to `most`. */
static uint32_t draw(struct world *w, uint32_t most)
{
    return chance(&w->prng, 400) ? 0 : (uint32_t)prng_up_to(&w->prng, most);
}

static void draw_habits(struct world *w)
{
    struct habits *h = &w->habits;
    struct network_faults *f = &w->network.faults;

    *h = (struct habits){.post = 300 + draw(w, 700),
                         .cancel = draw(w, 150),
                         .set_timeout = draw(w, 150),
                         .add_agent = 100,
                         .remove_agent = draw(w, 30),
                         .set_retry = draw(w, 20),
                         .one_way = draw(w, 300),
                         .directed = draw(w, 200),
                         .own_retry = draw(w, 500),
                         .queue_timeout = draw(w, 300),
                         .grh = draw(w, 500),
                         .long_request = draw(w, 600),
                         .long_reply = draw(w, 600),
                         .ignore = draw(w, 400),
                         .busy = draw(w, 500),
                         .tx_error = draw(w, 50),
                         .pass = draw(w, 500),
                         .tx_delay_max = draw(w, 30) * WEFT_MS,
                         .keep_max = draw(w, 400) * WEFT_MS,
                         .timeout_max = (10 + draw(w, 200)) * WEFT_MS,
                         .request_bytes_max = draw(w, 6000),
                         .reply_bytes_max = draw(w, 12000)};
    f->loss = draw(w, 250);
    f->duplicate = draw(w, 200);
    f->corrupt = chance(&w->prng, 250) ? draw(w, 100) : 0;
    f->delay_min = prng_up_to(&w->prng, 2000) * WEFT_US;
    f->delay_max = f->delay_min + draw(w, 50) * WEFT_MS;
    w->corrupting = f->corrupt > 0;
    w->removing = h->remove_agent > 0;
}

static weft_time next_time(const struct world *w)
{
    weft_time next = network_next(&w->network);

    for (uint32_t i = 0; i < w->node_count; i++) {
        weft_time mine = node_next(&w->nodes[i]);

        next = mine < next ? mine : next;
    }
    return next > w->now ? next : w->now;
}

/* All that is due at the world's time. */
static void turn(struct world *w)
{
    struct flight f;

    while (!w->fault && network_receive(&w->network, w->now, &f))
        node_receive(&w->nodes[f.to], &f);
    for (uint32_t i = 0; i < w->node_count && !w->fault; i++)
        node_turn(&w->nodes[i]);
}

/* Goes on to a moment, event by event. */
static void pass_time(struct world *w, weft_time until)
{
    while (!w->fault) {
        weft_time next = next_time(w);

        if (next > until)
            break;
        w->now = next;
        turn(w);
    }
    w->now = until > w->now ? until : w->now;
}

static void heal(struct world *w)
{
    w->healed = true;
    w->network.faults = (struct network_faults){.delay_min = WEFT_MS, .delay_max = WEFT_MS};
    w->habits.tx_delay_max = 0;
    w->habits.tx_error = 0;
    w->habits.keep_max = 0;
    for (int i = 0; i < HEAL_TURNS_MAX && !w->fault; i++) {
        weft_time next = next_time(w);

        if (next == WEFT_TIME_NEVER)
            break;
        w->now = next;
        turn(w);
    }
    for (uint32_t i = 0; i < w->node_count && !w->fault; i++)
        node_check_end(&w->nodes[i]);
}

static struct simulation_result sum_up(const struct world *w)
{
    struct simulation_result r = {
        .fault = w->fault, .trace_hash = w->hash, .packets = w->packets, .time = w->now};

    for (uint32_t i = 0; i < w->node_count; i++) {
        struct weft_mad_port_stats s;

        weft_mad_port_stats(w->nodes[i].port, &s);
        r.sends += w->nodes[i].accepted;
        r.retried += s.retried;
        r.limited += s.limited;
        r.transfers += s.rmpp_resent;
    }
    return r;
}

struct simulation_result simulation_run(uint64_t seed, uint32_t steps, bool verbose)
{
    struct world *w = calloc(1, sizeof(*w));
    struct simulation_result r;

    if (!w)
        abort();
    w->prng.state = seed;
    w->hash = 0xcbf29ce484222325u;
    w->verbose = verbose;
    w->network.prng = &w->prng;
    draw_habits(w);
    w->node_count = 2 + (uint32_t)prng_up_to(&w->prng, NODES_MAX - 2);
    w->nodes = calloc(w->node_count, sizeof(*w->nodes));
    if (!w->nodes)
        abort();
    for (uint32_t i = 0; i < w->node_count; i++)
        node_begin(&w->nodes[i], w, i);
    for (uint32_t i = 0; i < steps && !w->fault; i++) {
        node_act(&w->nodes[prng_up_to(&w->prng, w->node_count - 1)]);
        turn(w);
        pass_time(w, w->now + prng_up_to(&w->prng, 4 * WEFT_MS));
    }
    heal(w);
    r = sum_up(w);
    for (uint32_t i = 0; i < w->node_count; i++)
        node_end(&w->nodes[i]);
    free(w->nodes);
    free(w);
    return r;
}
