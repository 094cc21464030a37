/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A topology that is kept, and its counters: what is asked when, and when it is given up. */
#include "cli/exporter_look.h"

#include "cli/exporter_labels.h"
#include "cli/mad_machines.h"
#include "cli/mad_sweep.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

/* Who was there is told of for so long. */
#define GONE_TIME (3600 * WEFT_S)

/* PortInfo:PortState. */
#define PORT_DOWN 1

static const struct weft_mad_agent_req counters_agent = {
    .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};

uint32_t exporter_look_conflicts(const struct weft_sweep *s)
{
    const struct weft_sweep_trouble *t;
    uint32_t count = 0;

    for (uint32_t i = 0; weft_sweep_trouble(s, i, &t); i++)
        count += t->kind == WEFT_SWEEP_TWICE || t->kind == WEFT_SWEEP_CHANGED ||
                 t->kind == WEFT_SWEEP_UNSTABLE;
    return count;
}

bool exporter_look_is_target(const struct exporter_look *l, uint32_t port)
{
    return weft_sweep_end_port(l->sweep, port) == port && weft_sweep_port(l->sweep, port)->reached;
}

enum weft_counters_state exporter_look_target(const struct exporter_look *l, uint32_t port)
{
    const struct weft_sweep_node *n =
        weft_sweep_node(l->sweep, weft_sweep_port(l->sweep, port)->node);
    enum weft_counters_state worst = WEFT_COUNTERS_READ;

    if (n->type != WEFT_SWEEP_SWITCH)
        return weft_counters_state(l->counters, port);
    for (uint32_t i = n->first_port; i <= n->first_port + n->port_count; i++) {
        enum weft_counters_state state = weft_counters_state(l->counters, i);

        if (state != WEFT_COUNTERS_UNASKED && state != WEFT_COUNTERS_READ &&
            (worst == WEFT_COUNTERS_READ || state > worst))
            worst = state;
    }
    return worst;
}

static uint64_t timeouts_of(const struct exporter_look *l, weft_mad_agent_id agent)
{
    struct weft_mad_agent_stats stats;

    return weft_mad_agent_stats(l->eye.link.engine, agent, &stats) == 0 ? stats.timed_out : 0;
}

uint64_t exporter_look_timeouts(const struct exporter_look *l)
{
    return l->stats.timeouts + timeouts_of(l, l->eye.smp) + timeouts_of(l, l->eye.gmp);
}

/* The target of a sweep with a node's GUID and a port's number. */
static bool is_there(const struct exporter_look *l, uint64_t guid, uint8_t number)
{
    uint32_t node = weft_sweep_find(l->sweep, guid);

    return node != WEFT_SWEEP_NONE && number <= weft_sweep_node(l->sweep, node)->port_count &&
           exporter_look_is_target(l, weft_sweep_node(l->sweep, node)->first_port + number);
}

static bool gone_add(struct exporter_look *l, const struct weft_sweep *old, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(old, port);
    char labels[EXPORTER_LABELS_BYTES];
    struct exporter_gone *g;

    if (l->gone_count == l->gone_space) {
        uint32_t space = l->gone_space ? 2 * l->gone_space : 64;
        struct exporter_gone *more = realloc(l->gone, space * sizeof(*more));

        if (!more)
            return false;
        l->gone = more;
        l->gone_space = space;
    }
    exporter_labels(old, port, labels);
    g = &l->gone[l->gone_count];
    *g = (struct exporter_gone){.guid = weft_sweep_node(old, p->node)->guid,
                                .number = p->number,
                                .since = l->eye.link.now,
                                .labels = strdup(labels)};
    l->gone_count += g->labels != NULL;
    return g->labels != NULL;
}

/* Who has come back, or has been away for long, is gone no more. */
static void gone_review(struct exporter_look *l)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < l->gone_count; i++) {
        struct exporter_gone *g = &l->gone[i];

        if (is_there(l, g->guid, g->number) || l->eye.link.now - g->since > GONE_TIME)
            free(g->labels);
        else
            l->gone[kept++] = *g;
    }
    l->gone_count = kept;
}

/* Whether a port has a cable, or has had one: who is down and has never counted anything has none,
 * as most ports of a switch that is not full. */
static bool is_cabled(const struct exporter_look *l, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(l->sweep, port);
    struct weft_pma_values v;

    if (p->peer != WEFT_SWEEP_NONE || p->mute_peer || p->state > PORT_DOWN)
        return true;
    if (!l->counters)
        return false;
    weft_counters_get(l->counters, port, &v);
    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        if (v.value[c] > 0)
            return true;
    return false;
}

static void cabled_look(struct exporter_look *l)
{
    for (uint32_t i = 0; i < weft_sweep_port_count(l->sweep); i++)
        l->cabled[i] = l->cabled[i] || is_cabled(l, i);
}

/* A cable that was pulled is still told of after the next sweep. */
static int cabled_take_over(struct exporter_look *l, const struct weft_sweep *old)
{
    bool *cabled = calloc((size_t)weft_sweep_port_count(l->sweep) + 1, sizeof(*cabled));

    if (!cabled)
        return message_failed("there is no memory for the ports");
    for (uint32_t i = 0; old && i < weft_sweep_port_count(l->sweep); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(l->sweep, i);
        uint32_t node = weft_sweep_find(old, weft_sweep_node(l->sweep, p->node)->guid);

        if (node != WEFT_SWEEP_NONE && p->number <= weft_sweep_node(old, node)->port_count)
            cabled[i] = l->cabled[weft_sweep_node(old, node)->first_port + p->number];
    }
    free(l->cabled);
    l->cabled = cabled;
    return CLI_DONE;
}

/* The sweep that has ended is the topology from now on. */
static int adopt(struct exporter_look *l)
{
    struct weft_sweep *old = l->sweep;
    int exit_code;

    l->sweep = l->next;
    l->next = NULL;
    l->known = weft_sweep_prior_free(l->known);
    l->stats.topologies++;
    l->stats.topology_time = l->eye.link.now - l->stats.topology_begun;
    l->due = l->stats.topology_begun + l->request->topology;
    exit_code = cabled_take_over(l, old);
    gone_review(l);
    for (uint32_t i = 0; old && i < weft_sweep_port_count(old); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(old, i);

        if (weft_sweep_end_port(old, i) == i && p->reached &&
            !is_there(l, weft_sweep_node(old, p->node)->guid, p->number) && !gone_add(l, old, i))
            exit_code = message_failed("there is no memory for who has gone");
    }
    if (l->counters && !l->counted)
        l->counted = old;
    else
        (void)weft_sweep_free(old);
    return exit_code;
}

static void configure(struct exporter_look *l, struct weft_counters_config *ret)
{
    (void)weft_counters_config_init(ret);
    if (l->request->timeout != 0)
        ret->patience.timeout = l->request->timeout;
    counters_eye_configure(&l->eye, ret);
}

static int sweep_begin(struct exporter_look *l)
{
    struct weft_sweep_config config;
    int err = 0;

    (void)weft_sweep_config_init(&config);
    if (l->request->timeout != 0)
        config.timeout = l->request->timeout;
    if (l->sweep)
        err = weft_sweep_remember(l->sweep, NULL, &l->known);
    if (err)
        return message_failed("what was seen before cannot be kept: %s", weft_strerror(err));
    if (mad_sweep_new(&config, l->eye.smp, l->known, &l->next) != CLI_DONE)
        return CLI_FAILED;
    l->ahead = (struct survey){.sweep = l->next};
    configure(l, &l->ahead.config);
    l->stats.topology_begun = mad_link_clock();
    return CLI_DONE;
}

/* An own port that is down, say, is no reason to forget everybody. */
static int sweep_end(struct exporter_look *l)
{
    int err = weft_sweep_verdict(l->next);

    if (!err || !l->sweep)
        return adopt(l);
    l->next = weft_sweep_free(l->next);
    l->known = weft_sweep_prior_free(l->known);
    l->due = l->stats.topology_begun + l->request->topology;
    return CLI_DONE;
}

/* Takes back what was begun of counters that nobody will look at. */
static int ahead_drop(struct exporter_look *l)
{
    const struct mad_machine machines[2] = {mad_machine_sweep(l->next),
                                            mad_machine_counters(l->ahead.counters)};
    int exit_code;

    l->stats.timeouts += timeouts_of(l, l->eye.gmp);
    exit_code = mad_drive_renew(&l->eye.link, machines, 2, &counters_agent, &l->eye.gmp);
    if (exit_code == CLI_DONE)
        l->ahead.counters = weft_counters_free(l->ahead.counters);
    return exit_code;
}

/* The survey as it is driven: notes when its counters are busy. */
static bool ahead_poll(void *self, struct weft_mad_send_req *ret)
{
    struct exporter_look *l = self;
    bool posts = survey_poll(&l->ahead, ret);

    if (l->ahead.counters && !weft_counters_done(l->ahead.counters)) {
        l->ahead_last = l->eye.link.now;
        if (l->ahead_begun == 0)
            l->ahead_begun = l->ahead_last;
    }
    return posts;
}

static void ahead_tell(void *self, const struct weft_mad_event *ev)
{
    struct exporter_look *l = self;

    survey_event(&l->ahead, ev);
}

static bool ahead_done(const void *self)
{
    const struct exporter_look *l = self;

    return survey_done(&l->ahead);
}

/* Goes on with the sweep until it has ended, or the pace says so, and, where counters are to be
 * read next, with these while it waits. A sweep that does not end here is the topology of a later
 * look, with counters that are read then. */
static int sweep_on(struct exporter_look *l, bool ahead)
{
    const struct mad_machine both = {l, ahead_poll, ahead_tell, ahead_done};
    const struct mad_machine machine = ahead ? both : mad_machine_sweep(l->next);
    int exit_code;

    l->ahead.known = l->counters;
    l->ahead.agent = l->eye.gmp;
    l->ahead_begun = l->ahead_last = 0;
    exit_code = mad_drive_paced(&l->eye.link, &machine, 1, &l->pace);
    if (exit_code == CLI_DONE && l->ahead.verdict != 0)
        exit_code =
            message_failed("the counters cannot be read: %s", weft_strerror(l->ahead.verdict));
    if (exit_code == CLI_DONE && l->ahead.counters &&
        (!weft_sweep_done(l->next) || weft_sweep_verdict(l->next) != 0))
        exit_code = ahead_drop(l);
    if (exit_code == CLI_DONE && weft_sweep_done(l->next))
        exit_code = sweep_end(l);
    return exit_code;
}

int exporter_look_open(struct exporter_look *l, const struct exporter_request *r,
                       const volatile sig_atomic_t *end)
{
    const struct counters_request where = {.place = r->place};
    int exit_code = counters_eye_open(&where, &l->eye);

    l->request = r;
    l->pace = (struct mad_pace){.until = WEFT_TIME_NEVER, .rate = r->rate, .end = end};
    return exit_code == CLI_DONE ? sweep_begin(l) : exit_code;
}

int exporter_look_first(struct exporter_look *l)
{
    int exit_code;

    mad_link_move(&l->eye.link);
    l->pace.until = l->eye.link.now + l->request->deadline;
    /* Who is not asked for metrics yet has nothing to read counters for. */
    exit_code = sweep_on(l, l->request->once);
    if (exit_code == CLI_DONE && l->sweep && weft_sweep_verdict(l->sweep) == WEFT_ERR_NOTFOUND)
        exit_code = mad_sweep_verdict(&l->eye.link, l->sweep);
    return exit_code;
}

/* Whether an agent has begun or ceased to answer since the last look, or a link was down. */
static bool has_changed(const struct exporter_look *l, const struct weft_counters *old)
{
    struct weft_pma_delta delta;

    for (uint32_t i = 0; i < weft_sweep_port_count(l->sweep); i++) {
        uint32_t before = weft_counters_port_in(old, l->sweep, i);
        enum weft_counters_state state = weft_counters_state(l->counters, i);

        if (before != WEFT_SWEEP_NONE &&
            (state == WEFT_COUNTERS_SILENT) !=
                (weft_counters_state(old, before) == WEFT_COUNTERS_SILENT))
            return true;
        if (weft_counters_delta(old, l->counters, i, &delta) &&
            delta.value[WEFT_PMA_LINK_DOWNED] > 0)
            return true;
    }
    return false;
}

static int drive_counters(struct exporter_look *l, struct weft_counters *c)
{
    struct mad_machine machines[2] = {mad_machine_counters(c)};
    size_t count = 1;
    int exit_code;

    if (l->next)
        machines[count++] = mad_machine_sweep(l->next);
    exit_code = mad_drive_paced(&l->eye.link, machines, count, &l->pace);
    if (exit_code == CLI_DONE && !weft_counters_done(c)) {
        l->stats.late++;
        l->stats.timeouts += timeouts_of(l, l->eye.gmp);
        exit_code = mad_drive_renew(&l->eye.link, machines, count, &counters_agent, &l->eye.gmp);
    }
    return exit_code;
}

static int read_counters(struct exporter_look *l)
{
    struct weft_counters *old = l->counters;
    weft_time ahead = l->ahead.counters ? l->ahead_last - l->ahead_begun : 0;
    weft_time begun = l->eye.link.now;
    struct weft_counters_config config;
    int exit_code;
    int err;

    l->counters = l->ahead.counters;
    l->ahead.counters = NULL;
    configure(l, &config);
    if (l->counters)
        err = weft_counters_grow(l->counters, NULL, old);
    else
        err = weft_counters_new(l->sweep, &config, old, l->eye.gmp, NULL, &l->counters);
    if (err) {
        (void)weft_counters_free(old);
        return message_failed("the counters cannot be read: %s", weft_strerror(err));
    }
    exit_code = drive_counters(l, l->counters);
    l->stats.counters_time = l->eye.link.now - begun + ahead;
    if (exit_code == CLI_DONE && old && has_changed(l, old))
        l->due = 0;
    (void)weft_counters_free(old);
    l->counted = weft_sweep_free(l->counted);
    return exit_code;
}

/* How much of a look a sweep may have for itself: what the counters have not needed last, half of
 * it at most, and always something, so that it ends one day. */
static weft_time sweep_share(const struct exporter_look *l, weft_time deadline)
{
    weft_time counters = l->stats.counters_time + l->stats.counters_time / 4;
    weft_time left = deadline > counters ? deadline - counters : 0;

    if (left > deadline / 2)
        return deadline / 2;
    return left > deadline / 8 ? left : deadline / 8;
}

int exporter_look_again(struct exporter_look *l)
{
    weft_time deadline = l->request->deadline;
    weft_time now = mad_link_clock();
    int exit_code = CLI_DONE;

    deadline -= l->stats.page_time < deadline / 2 ? l->stats.page_time : deadline / 2;
    mad_link_move(&l->eye.link);
    /* Counters that have begun are of the topology that there is. */
    if (!l->next && !l->ahead.counters && now >= l->due)
        exit_code = sweep_begin(l);
    /* A sweep that takes longer goes on beside the counters, and is the topology of a later look:
     * counters are of the ports of one topology. */
    l->pace.until = now + sweep_share(l, deadline);
    if (exit_code == CLI_DONE && l->next)
        exit_code = sweep_on(l, true);
    l->pace.until = now + deadline;
    if (exit_code == CLI_DONE)
        exit_code = read_counters(l);
    if (exit_code == CLI_DONE)
        cabled_look(l);
    l->at = mad_link_clock();
    l->stats.looks++;
    return exit_code;
}

void exporter_look_close(struct exporter_look *l)
{
    counters_eye_close(&l->eye);
    l->counters = weft_counters_free(l->counters);
    l->ahead.counters = weft_counters_free(l->ahead.counters);
    l->counted = weft_sweep_free(l->counted);
    l->next = weft_sweep_free(l->next);
    l->known = weft_sweep_prior_free(l->known);
    l->sweep = weft_sweep_free(l->sweep);
    for (uint32_t i = 0; i < l->gone_count; i++)
        free(l->gone[i].labels);
    free(l->cabled);
    l->cabled = NULL;
    free(l->gone);
    l->gone = NULL;
    l->gone_count = l->gone_space = 0;
}
