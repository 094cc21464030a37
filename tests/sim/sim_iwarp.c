/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Swarm simulation of software iWARP. Prints TAP; a fault comes with the command that repeats it.
 */
#include "fatal.h"
#include "iwarp_world.h"

#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct options {
    unsigned long long seed;
    int seeds, steps, minutes, verbose;
};

static const char *program;
static uint64_t running_seed;
static struct options options = {.seed = 1, .seeds = 1, .steps = 500};

static void say_how_to_repeat(void)
{
    printf("# repeat it with: %s --seed %" PRIu64 " --steps %d --verbose\n", program, running_seed,
           options.steps);
    fflush(stdout);
}

/* An assertion or a sanitizer ends the program: say which seed it was. */
static void on_fatal(int number)
{
    printf("# seed %" PRIu64 " ended by signal %d\n", running_seed, number);
    say_how_to_repeat();
    _exit(1);
}

static void add(struct iwarp_totals *sum, const struct iwarp_totals *t)
{
    sum->conns += t->conns;
    sum->up += t->up;
    sum->orderly += t->orderly;
    sum->requests += t->requests;
    sum->completions += t->completions;
    sum->terminates += t->terminates;
    sum->bytes += t->bytes;
}

static bool run_seed(uint64_t seed, bool verbose, struct iwarp_result *ret)
{
    running_seed = seed;
    *ret = iwarp_run(seed, (uint32_t)options.steps, verbose);
    if (!ret->fault)
        return true;
    printf("# seed %" PRIu64 " at %" PRIu64 " ns: broken: %s\n", seed, ret->time, ret->fault);
    say_how_to_repeat();
    return false;
}

/* Seeds one after the other until there are enough, or time is up. */
static bool run_many(void)
{
    time_t end = time(NULL) + (time_t)options.minutes * 60;
    struct iwarp_totals sum = {0};
    uint64_t seed = options.seed, hash = 0;
    bool good = true;

    for (int i = 0; good && (options.minutes > 0 ? time(NULL) < end : i < options.seeds); i++) {
        struct iwarp_result r;

        good = run_seed(seed++, options.verbose != 0, &r);
        hash = (hash ^ r.hash) * 0x100000001b3u;
        add(&sum, &r.totals);
    }
    printf("# seeds %llu to %" PRIu64 ": %" PRIu64 " connections tried, %" PRIu64
           " ends up, %" PRIu64 " ended orderly, %" PRIu64 " requests, %" PRIu64
           " completions, %" PRIu64 " terminates, %" PRIu64 " bytes\n",
           options.seed, seed - 1, sum.conns, sum.up, sum.orderly, sum.requests, sum.completions,
           sum.terminates, sum.bytes);
    printf("# trace hash 0x%016" PRIx64 "\n", hash);
    return good;
}

static bool read_options(int argc, const char **argv)
{
    struct poptOption table[] = {
        {"seed", 's', POPT_ARG_LONGLONG, &options.seed, 0, "first seed", "N"},
        {"seeds", 'n', POPT_ARG_INT, &options.seeds, 0, "how many", "N"},
        {"minutes", 'm', POPT_ARG_INT, &options.minutes, 0, "as many as fit", "N"},
        {"steps", 't', POPT_ARG_INT, &options.steps, 0, "steps in a seed", "N"},
        {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0, "print what happens", NULL},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("sim_iwarp", argc, argv, table, 0);
    int err = poptGetNextOpt(context);
    bool good = err == -1 && !poptPeekArg(context) && options.seeds > 0 && options.steps > 0;

    if (!good)
        fprintf(stderr, "sim_iwarp: bad option: try --help\n");
    poptFreeContext(context);
    return good;
}

int main(int argc, const char **argv)
{
    struct iwarp_result first, again;
    bool hold, repeat;

    program = argv[0];
    if (!read_options(argc, argv))
        return 2;
    fatal_catch(on_fatal);
    hold = run_many();
    printf("%sok 1 - R106 R109 R125 R135 each request, call and connection ends once, with the "
           "right bytes\n",
           hold ? "" : "not ");
    running_seed = options.seed;
    first = iwarp_run(options.seed, (uint32_t)options.steps, false);
    again = iwarp_run(options.seed, (uint32_t)options.steps, false);
    repeat = first.hash == again.hash;
    printf("%sok 2 - a seed has one history\n1..2\n", repeat ? "" : "not ");
    return hold && repeat ? 0 : 1;
}
