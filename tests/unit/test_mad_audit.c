/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The audit finds what is planted: a check that every other test of the engine relies on. */
#include "core/mad/audit.h"
#include "core/mad/send.h"
#include "mad_fixture.h"

#include <string.h>

/* A port in the middle of its work: SA requests 1 and 2 outstanding, 3 and 4 in the backlog, an
 * unsolicited message held, a destination with a window, an event not polled. */
struct bench {
    struct fx *f;
    struct agent *agent;
    struct send *waits, *due, *queued;
    struct peer *peer;
    struct backlog *backlog; /* of the queued ones */
    struct recv *held;
};

static struct bench bench(void)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    struct bench b;

    c.recv_depth = 64;
    c.flow.adaptive = true;
    c.flow.port_budget = true;
    b.f = fx_new(&c, FX_SA);
    fx_ask(b.f, 1);
    fx_send(b.f);
    fx_ask_all(b.f, 2, 4);
    fx_own_method(&r, WEFT_METHOD_TRAP);
    fx_agent(b.f, &r);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 9);
    fx_rx(b.f, mad);
    fx_expect_unsolicited(b.f, 9);
    fx_rx(b.f, mad);
    b.agent = pool_at(&b.f->port->agents, 0);
    b.waits = pool_at(&b.f->port->sends, 0);
    b.due = pool_at(&b.f->port->sends, 1);
    b.queued = pool_at(&b.f->port->sends, 2);
    b.peer = b.waits->peer;
    b.backlog = pool_at(&b.f->port->backlogs, 0);
    b.held = pool_at(&b.f->port->recvs, 0);
    assert_int_equal(b.waits->state, WEFT_MAD_WAIT_RESP);
    assert_int_equal(b.due->state, WEFT_MAD_SEND_START);
    assert_int_equal(b.queued->state, WEFT_MAD_QUEUED);
    return b;
}

/* Plants a fault and expects the audit to name it. */
#define PLANT(fault, said)                                                                         \
    do {                                                                                           \
        struct bench b = bench();                                                                  \
        const char *broken;                                                                        \
                                                                                                   \
        fault;                                                                                     \
        broken = mad_audit(b.f->port);                                                             \
        assert_non_null(broken);                                                                   \
        if (!strstr(broken, said))                                                                 \
            fail_msg("%s: %s", #fault, broken);                                                    \
        fx_abandon(b.f);                                                                           \
    } while (0)

static uint32_t slot_of(const struct bench *b, const struct send *s)
{
    return pool_slot(&b->f->port->sends, s);
}

static void test_states_lists_and_timers(void **state)
{
    (void)state;
    PLANT(b.waits->state = WEFT_MAD_INIT, "past INIT");
    PLANT(list_remove(&b.queued->queue), "in a backlog");
    PLANT(timers_arm(&b.f->port->timers, slot_of(&b, b.queued), 5), "its stay is bounded");
    PLANT(timers_disarm(&b.f->port->timers, slot_of(&b, b.waits)), "WAIT_RESP send has a timer");
    PLANT(list_push_back(&b.f->port->queues[1].due, &b.waits->queue), "is on no list");
    PLANT(timers_arm(&b.f->port->timers, slot_of(&b, b.due), 5), "has not left has no timer");
    PLANT(b.waits->state = WEFT_MAD_DONE, "finished or local");
    PLANT(
        {
            b.waits->state = WEFT_MAD_CANCELED;
            list_push_back(&b.f->port->queues[1].due, &b.waits->queue);
        },
        "by its timer or its packet");
    PLANT(b.waits->state = 77, "has a state");
}

static void test_counts(void **state)
{
    (void)state;
    PLANT(b.f->port->sends.used++, "send slots");
    PLANT(b.f->port->outstanding++, "the port's counts");
    PLANT(b.f->port->queued--, "the port's counts");
    PLANT(b.f->port->gathering++, "the port's counts");
    PLANT(b.agent->stats.outstanding--, "an agent's counts");
    PLANT(b.agent->stats.queued++, "an agent's counts");
    PLANT(b.agent->live_sends++, "an agent's counts");
    PLANT(b.agent->stats.limit = 1, "within its limit");
    PLANT(b.peer->outstanding++, "a destination's counts");
    PLANT(b.peer->users--, "a destination's counts");
    PLANT(list_push_back(&b.f->port->peers_idle, &b.peer->idle), "idle if and only if");
    PLANT(b.f->port->held_unsolicited++, "receive buffers");
    PLANT(b.f->port->gathering_unsolicited++, "receive buffers");
    PLANT(b.held->generation++, "receive buffers");
    PLANT(b.f->port->queues[1].due_count++, "packets due");
    PLANT(b.f->port->queues[0].held = 129, "the send queue holds");
    PLANT(b.f->port->events_count = b.f->port->events_size + 1, "event queue");
    PLANT(b.f->port->stats.illegal++, "NEVER");
}

static void test_backlogs_and_buffers(void **state)
{
    struct transfer t = {0};

    (void)state;
    PLANT(b.agent->stats.limit = 9, "stopped by something");
    PLANT(list_remove(&b.backlog->turn), "stands in a line");
    PLANT(list_push_back(&b.f->port->waiting, &b.agent->backlog.turn), "empty backlog");
    PLANT(b.f->port->config.recv_depth = 3, "has a free receive buffer");
    PLANT(b.waits->transfer = &t, "know each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_lists_and_timers),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_backlogs_and_buffers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
