/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Swarm simulation of fabrics. Prints TAP; a fault comes with the command that repeats it. */
#include "core/base/prng.h"
#include "fabric_chaos.h"
#include "fatal.h"

#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *program;
static uint64_t running_seed;

struct options {
    unsigned long long seed;
    int seeds, steps, minutes, verbose;
};

static void say_how_to_repeat(void)
{
    printf("# repeat it with: %s --seed %" PRIu64 " --verbose\n", program, running_seed);
    fflush(stdout);
}

/* An assertion or a sanitizer ends the program: say which seed it was. */
static void on_fatal(int number)
{
    printf("# seed %" PRIu64 " ended by signal %d\n", running_seed, number);
    say_how_to_repeat();
    _exit(1);
}

static uint32_t draw(void *ctx, uint32_t max)
{
    return (uint32_t)prng_up_to(ctx, max);
}

static struct chaos_result run_seed(uint64_t seed, const struct options *o)
{
    struct prng prng = {.state = seed};
    struct chaos_source source = {.draw = draw, .ctx = &prng};
    struct chaos_result r;

    running_seed = seed;
    r = chaos_run(&source, (uint32_t)o->steps, o->verbose != 0);
    if (r.fault) {
        printf("# seed %" PRIu64 ": broken: %s\n", seed, r.fault);
        say_how_to_repeat();
    }
    return r;
}

/* Seeds one after the other until there are enough, or time is up. */
static bool run_many(const struct options *o)
{
    time_t end = time(NULL) + (time_t)o->minutes * 60;
    struct fabric_stats sum = {0};
    uint64_t seed = o->seed, hash = 0;
    bool good = true;

    for (int i = 0; good && (o->minutes > 0 ? time(NULL) < end : i < o->seeds); i++, seed++) {
        struct chaos_result r = run_seed(seed, o);

        good = !r.fault;
        hash = (hash ^ r.hash) * 0x100000001b3u;
        sum.sent += r.stats.sent;
        sum.delivered += r.stats.delivered;
        sum.answered += r.stats.answered;
        sum.traps_sent += r.stats.traps_sent;
        sum.dropped_lost += r.stats.dropped_lost;
        sum.dropped_link += r.stats.dropped_link;
        sum.dropped_route += r.stats.dropped_route;
        sum.dropped_queue += r.stats.dropped_queue;
        sum.dropped_key += r.stats.dropped_key;
        sum.dropped_unclaimed += r.stats.dropped_unclaimed;
    }
    printf("# seeds %llu to %" PRIu64 ": %" PRIu64 " sent, %" PRIu64 " answered, %" PRIu64
           " delivered, %" PRIu64 " traps\n",
           o->seed, seed - 1, sum.sent, sum.answered, sum.delivered, sum.traps_sent);
    printf("# dropped: %" PRIu64 " lost, %" PRIu64 " link, %" PRIu64 " route, %" PRIu64
           " queue, %" PRIu64 " key, %" PRIu64 " unclaimed\n",
           sum.dropped_lost, sum.dropped_link, sum.dropped_route, sum.dropped_queue,
           sum.dropped_key, sum.dropped_unclaimed);
    printf("# trace hash 0x%016" PRIx64 "\n", hash);
    return good;
}

static bool read_options(int argc, const char **argv, struct options *ret)
{
    struct poptOption table[] = {
        {"seed", 's', POPT_ARG_LONGLONG, &ret->seed, 0, "first seed", "N"},
        {"seeds", 'n', POPT_ARG_INT, &ret->seeds, 0, "how many", "N"},
        {"minutes", 'm', POPT_ARG_INT, &ret->minutes, 0, "as many as fit", "N"},
        {"steps", 't', POPT_ARG_INT, &ret->steps, 0, "operations in a seed", "N"},
        {"verbose", 'v', POPT_ARG_NONE, &ret->verbose, 0, "print what happens", NULL},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("sim_fabric", argc, argv, table, 0);
    int err = poptGetNextOpt(context);
    bool good = err == -1 && !poptPeekArg(context) && ret->seeds > 0 && ret->steps > 0;

    if (!good)
        fprintf(stderr, "sim_fabric: bad option: try --help\n");
    poptFreeContext(context);
    return good;
}

int main(int argc, const char **argv)
{
    struct options o = {.seed = 1, .seeds = 1, .steps = 400};
    bool hold, repeat;
    uint64_t first;

    program = argv[0];
    if (!read_options(argc, argv, &o))
        return 2;
    fatal_catch(on_fatal);
    hold = run_many(&o);
    printf(
        "%sok 1 - every packet has one end, every counter counts it once, and all comes to rest\n",
        hold ? "" : "not ");
    o.verbose = 0;
    first = run_seed(o.seed, &o).hash;
    repeat = run_seed(o.seed, &o).hash == first;
    printf("%sok 2 - a seed has one history\n1..2\n", repeat ? "" : "not ");
    return hold && repeat ? 0 : 1;
}
