/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Swarm simulation of MAD engines. Prints TAP; a fault comes with the command that repeats it. */
#include "fatal.h"
#include "simulation.h"

#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *program;
static uint64_t running_seed;

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

static bool run_seed(uint64_t seed, uint32_t steps, bool verbose, struct simulation_result *ret)
{
    running_seed = seed;
    *ret = simulation_run(seed, steps, verbose);
    if (!ret->fault)
        return true;
    printf("# seed %" PRIu64 " at %" PRIu64 " ns: broken: %s\n", seed, ret->time, ret->fault);
    say_how_to_repeat();
    return false;
}

struct options {
    unsigned long long seed;
    int seeds, steps, minutes, verbose;
};

/* Seeds one after the other until there are enough, or time is up. */
static bool run_many(const struct options *o, struct simulation_result *ret_sum)
{
    time_t end = time(NULL) + (time_t)o->minutes * 60;
    uint64_t seed = o->seed;
    bool good = true;

    *ret_sum = (struct simulation_result){0};
    for (int i = 0; o->minutes > 0 ? time(NULL) < end : i < o->seeds; i++, seed++) {
        struct simulation_result r;

        good = run_seed(seed, (uint32_t)o->steps, o->verbose != 0, &r) && good;
        ret_sum->trace_hash = (ret_sum->trace_hash ^ r.trace_hash) * 0x100000001b3u;
        ret_sum->sends += r.sends;
        ret_sum->packets += r.packets;
        ret_sum->retried += r.retried;
        ret_sum->limited += r.limited;
        ret_sum->transfers += r.transfers;
        if (!good)
            break;
    }
    printf("# seeds %llu to %" PRIu64 ": %" PRIu64 " sends, %" PRIu64 " packets, %" PRIu64
           " retries, %" PRIu64 " held back, %" PRIu64 " segments resent\n",
           o->seed, seed - 1, ret_sum->sends, ret_sum->packets, ret_sum->retried, ret_sum->limited,
           ret_sum->transfers);
    printf("# trace hash 0x%016" PRIx64 "\n", ret_sum->trace_hash);
    return good;
}

static bool read_options(int argc, const char **argv, struct options *ret)
{
    struct poptOption table[] = {
        {"seed", 's', POPT_ARG_LONGLONG, &ret->seed, 0, "first seed", "N"},
        {"seeds", 'n', POPT_ARG_INT, &ret->seeds, 0, "how many", "N"},
        {"minutes", 'm', POPT_ARG_INT, &ret->minutes, 0, "as many as fit", "N"},
        {"steps", 't', POPT_ARG_INT, &ret->steps, 0, "operations in a seed", "N"},
        {"verbose", 'v', POPT_ARG_NONE, &ret->verbose, 0, "print the traces", NULL},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("sim_mad", argc, argv, table, 0);
    int err = poptGetNextOpt(context);
    bool good = err == -1 && !poptPeekArg(context) && ret->seeds > 0 && ret->steps > 0;

    if (!good)
        fprintf(stderr, "sim_mad: bad option: try --help\n");
    poptFreeContext(context);
    return good;
}

int main(int argc, const char **argv)
{
    struct options o = {.seed = 1, .seeds = 1, .steps = 400};
    struct simulation_result first, again;
    bool hold, repeat;

    program = argv[0];
    if (!read_options(argc, argv, &o))
        return 2;
    fatal_catch(on_fatal);
    hold = run_many(&o, &first);
    printf("%sok 1 - R1 R49 R75 every send ends once, in order, within limits; all is given back\n",
           hold ? "" : "not ");
    running_seed = o.seed;
    again = simulation_run(o.seed, (uint32_t)o.steps, false);
    first = simulation_run(o.seed, (uint32_t)o.steps, false);
    repeat = again.trace_hash == first.trace_hash;
    printf("%sok 2 - a seed has one history\n1..2\n", repeat ? "" : "not ");
    return hold && repeat ? 0 : 1;
}
