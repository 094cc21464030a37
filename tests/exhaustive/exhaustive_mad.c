/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All orders of a few operations on one port, on the real code. Prints TAP. Where the operations
 * can only be done a limited number of times the search is complete: no depth cuts it. */
#include "explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum {
    ALL = 60 /* deeper than any sequence of those operations that end */
};

#define POST(i)                                                                                    \
    {                                                                                              \
        .name = "post " #i, .apply = world_post, .send = (i)                                       \
    }
#define POLL                                                                                       \
    {                                                                                              \
        .name = "poll_tx", .apply = world_poll_tx, .send = WORLD_NO_SEND                           \
    }
#define SENT                                                                                       \
    {                                                                                              \
        .name = "tx_done ok", .apply = world_sent, .send = WORLD_NO_SEND                           \
    }
#define SENT_SECOND                                                                                \
    {                                                                                              \
        .name = "tx_done ok (second)", .apply = world_sent, .number = 1                            \
    }
#define NOT_SENT                                                                                   \
    {                                                                                              \
        .name = "tx_done error", .apply = world_not_sent, .send = WORLD_NO_SEND                    \
    }
#define ANSWER(i)                                                                                  \
    {                                                                                              \
        .name = "answer " #i, .apply = world_answer, .send = (i)                                   \
    }
#define BUSY(i)                                                                                    \
    {                                                                                              \
        .name = "busy " #i, .apply = world_answer, .send = (i), .number = 1                        \
    }
#define ADVANCE                                                                                    \
    {                                                                                              \
        .name = "advance", .apply = world_advance, .send = WORLD_NO_SEND                           \
    }
#define CANCEL(i)                                                                                  \
    {                                                                                              \
        .name = "cancel " #i, .apply = world_cancel, .send = (i)                                   \
    }
#define SET_TIMEOUT(i)                                                                             \
    {                                                                                              \
        .name = "set_timeout " #i, .apply = world_set_timeout, .send = (i)                         \
    }
#define REMOVE                                                                                     \
    {                                                                                              \
        .name = "remove agent", .apply = world_remove, .send = WORLD_NO_SEND                       \
    }
#define DRAIN                                                                                      \
    {                                                                                              \
        .name = "drain events", .apply = world_drain, .send = WORLD_NO_SEND                        \
    }
#define RELEASE                                                                                    \
    {                                                                                              \
        .name = "release", .apply = world_release, .send = WORLD_NO_SEND                           \
    }
#define REQUEST                                                                                    \
    {                                                                                              \
        .name = "request arrives", .apply = world_request, .send = WORLD_NO_SEND                   \
    }
#define DEVICE_ANSWER                                                                              \
    {                                                                                              \
        .name = "device answers", .apply = world_device_answer                                     \
    }
#define DEVICE_PASS                                                                                \
    {                                                                                              \
        .name = "device passes", .apply = world_device_pass                                        \
    }
#define ACK(i, n, w)                                                                               \
    {                                                                                              \
        .name = "ACK " #n " window " #w, .apply = world_ack, .send = (i), .number = (n),           \
        .number2 = (w)                                                                             \
    }
#define ABORT(i)                                                                                   \
    {                                                                                              \
        .name = "ABORT " #i, .apply = world_abort, .send = (i), .number = 118                      \
    }
#define STOP(i)                                                                                    \
    {                                                                                              \
        .name = "STOP " #i, .apply = world_abort, .send = (i), .number = 1                         \
    }
#define SEGMENT(i, n, last)                                                                        \
    {                                                                                              \
        .name = "segment " #n " of " #last " for " #i, .apply = world_segment, .send = (i),        \
        .number = (n), .number2 = (last)                                                           \
    }
#define SEGMENT_ABORT(i)                                                                           \
    {                                                                                              \
        .name = "ABORT by sender", .apply = world_segment_abort, .send = (i)                       \
    }

static const struct world_op one_send[] = {
    POST(0), POLL,      SENT,           NOT_SENT, ANSWER(0), BUSY(0),
    ADVANCE, CANCEL(0), SET_TIMEOUT(0), REMOVE,   DRAIN,     RELEASE,
};

static const struct world_op two_sends[] = {
    POST(0),   POST(1), POLL,    SENT,      SENT_SECOND, NOT_SENT,       ANSWER(0),
    ANSWER(1), BUSY(0), ADVANCE, CANCEL(0), CANCEL(1),   SET_TIMEOUT(1), REMOVE,
};

/* The limit is two: the third is held back. */
static const struct world_op limited[] = {
    POST(0),   POST(1), POST(2), POLL,      SENT,      NOT_SENT,       ANSWER(0), ANSWER(1),
    ANSWER(2), BUSY(0), ADVANCE, CANCEL(0), CANCEL(2), SET_TIMEOUT(2), REMOVE,
};

/* The port has room for one answer. */
static const struct world_op budgeted[] = {
    POST(0),   POST(1),   POST(2), POLL,      SENT,    NOT_SENT, ANSWER(0),
    ANSWER(1), ANSWER(2), ADVANCE, CANCEL(1), REQUEST, RELEASE,  REMOVE,
};

static const struct world_op windowed[] = {
    POST(0),   POST(1), POST(2), POLL,      SENT,      NOT_SENT,  ANSWER(0),
    ANSWER(1), BUSY(0), ADVANCE, CANCEL(0), CANCEL(1), ANSWER(2), REMOVE,
};

static const struct world_op local[] = {
    POST(0),   POST(1),   DRAIN,   RELEASE, REMOVE, DEVICE_ANSWER, DEVICE_PASS,
    ANSWER(0), CANCEL(0), ADVANCE, POLL,    SENT,   ANSWER(1),
};

static const struct world_op rmpp_request[] = {
    POST(0),        POLL,         SENT,         NOT_SENT,         ACK(0, 0, 1),
    ACK(0, 1, 3),   ACK(0, 1, 1), ACK(0, 2, 2), ACK(0, 3, 3),     ACK(0, 9, 9),
    ACK(0, 2, 1),   ABORT(0),     STOP(0),      ADVANCE,          CANCEL(0),
    SET_TIMEOUT(0), REMOVE,       ANSWER(0),    SEGMENT(0, 1, 2), SEGMENT(0, 2, 2),
};

static const struct world_op rmpp_report[] = {
    POST(0),      POLL,         SENT,     NOT_SENT, ACK(0, 1, 2), ACK(0, 1, 3), ACK(0, 2, 2),
    ACK(0, 3, 3), ACK(0, 4, 4), ABORT(0), STOP(0),  ADVANCE,      CANCEL(0),    REMOVE,
};

static const struct world_op rmpp_incoming[] = {
    SEGMENT(WORLD_NO_SEND, 1, 4),
    SEGMENT(WORLD_NO_SEND, 2, 4),
    SEGMENT(WORLD_NO_SEND, 3, 4),
    SEGMENT(WORLD_NO_SEND, 4, 4),
    SEGMENT(WORLD_NO_SEND, 2, 2),
    SEGMENT(WORLD_NO_SEND, 5, 5),
    SEGMENT_ABORT(WORLD_NO_SEND),
    ADVANCE,
    POLL,
    SENT,
    RELEASE,
    REMOVE,
};

static const struct world_op rmpp_answer[] = {
    POST(0),
    POLL,
    SENT,
    NOT_SENT,
    SEGMENT(0, 1, 3),
    SEGMENT(0, 2, 3),
    SEGMENT(0, 3, 3),
    SEGMENT(0, 2, 2),
    SEGMENT_ABORT(0),
    ANSWER(0),
    BUSY(0),
    ADVANCE,
    CANCEL(0),
    SET_TIMEOUT(0),
    REMOVE,
};

/* A retry waits behind others when its answer arrives in segments; the port has one buffer. */
static const struct world_op rmpp_budgeted[] = {
    POST(0),
    POST(1),
    POLL,
    SENT,
    SEGMENT(0, 1, 2),
    SEGMENT(0, 2, 2),
    SEGMENT_ABORT(0),
    SEGMENT(1, 1, 2),
    SEGMENT(1, 2, 2),
    ANSWER(1),
    ADVANCE,
    REQUEST,
    RELEASE,
    REMOVE,
};

static struct world_plan plan_of(uint8_t mgmt_class)
{
    struct world_plan plan = {.agent = {.qpn = 1,
                                        .mgmt_class = mgmt_class,
                                        .class_version = mgmt_class == WEFT_CLASS_SUBN_ADM ? 2 : 1,
                                        .methods = {1u << WEFT_METHOD_REPORT}}};

    weft_mad_config_init(&plan.config);
    plan.config.agents = 1;
    plan.config.sends = WORLD_SENDS;
    plan.config.recv_depth = 64;
    plan.config.send_depth = 64;
    plan.config.flow.peers = 2;
    plan.config.rmpp.transfers = 2;
    plan.config.rmpp.window = 2;
    plan.config.rmpp.bytes_max = 1 << 14;
    plan.send_count = 3;
    for (int i = 0; i < WORLD_SENDS; i++)
        plan.sends[i] = (struct world_plan_send){.mgmt_class = mgmt_class,
                                                 .method = WEFT_METHOD_GET,
                                                 .retries = 1,
                                                 .len = WEFT_MAD_BYTES,
                                                 .timeout = 10 * WEFT_MS};
    return plan;
}

static struct world_plan plan_rmpp(bool asks)
{
    struct world_plan plan = plan_of(WEFT_CLASS_SUBN_ADM);

    plan.agent.rmpp_version = 1;
    plan.agent.methods[0] |= 1u << WEFT_METHOD_GET_MULTI;
    plan.send_count = 1;
    plan.sends[0].rmpp = true;
    plan.sends[0].method = asks ? WEFT_METHOD_GET_MULTI : WEFT_METHOD_REPORT;
    plan.sends[0].len = 56 + 2 * 200 + 1; /* three segments */
    if (!asks)
        plan.sends[0].timeout = 0;
    return plan;
}

static unsigned number, failed;
static bool full;

static void judge(bool good, const char *name)
{
    failed += !good;
    printf("%sok %u - %s\n", good ? "" : "not ", ++number, name);
    fflush(stdout);
}

static void run(const char *name, struct world_plan plan, const struct world_op *ops,
                uint32_t op_count, uint32_t depth)
{
    struct exploration e = {
        .name = name, .ops = ops, .op_count = op_count, .depth = full ? ALL : depth};
    struct exploration_result r = explore(&e, &plan);

    printf("# %" PRIu64 " states, %" PRIu64 " operations, longest sequence %u, %s\n", r.states,
           r.steps, r.longest, r.complete ? "complete" : "cut there");
    judge(!r.fault, name);
}

static void run_plain(void)
{
    struct world_plan plan = plan_of(WEFT_CLASS_PERF);

    plan.send_count = 1;
    plan.drain_is_op = true;
    plan.release_is_op = true;
    run("R5 R6 R7 R8 R9 R11 R12 R13 R24 R25 R26 R29 one send, every order", plan, one_send,
        COUNT(one_send), ALL);
    plan.sends[0].timeout = 0;
    run("R10 one send that expects no answer, every order", plan, one_send, COUNT(one_send), ALL);
    plan = plan_of(WEFT_CLASS_PERF);
    plan.send_count = 2;
    run("R23 R41 R47 two sends, orders of operations", plan, two_sends, COUNT(two_sends), ALL);
}

static void run_flow(void)
{
    struct world_plan plan = plan_of(WEFT_CLASS_SUBN_ADM);

    run("R48 R61 R63 R64 R70 R72 R74 three sends, two allowed at a time", plan, limited,
        COUNT(limited), 11);
    plan.sends[2].queue_timeout = 4 * WEFT_MS;
    plan.sends[2].dlid = 8;
    plan.config.flow.adaptive = true;
    plan.config.flow.window_initial = 2;
    plan.config.flow.window_max = 2;
    run("R61 R65 windows per destination, with a limit beside", plan, windowed, COUNT(windowed),
        11);

    plan = plan_of(WEFT_CLASS_PERF);
    plan.config.flow.port_budget = true;
    plan.config.flow.reserve = 63;
    plan.release_is_op = true;
    plan.filled = 62;
    run("R1 R49 R75 a port with room for one answer", plan, budgeted, COUNT(budgeted), 10);
}

static void run_local(void)
{
    struct world_plan plan = plan_of(WEFT_CLASS_SUBN_DIRECTED);

    plan.agent.qpn = 0;
    plan.send_count = 2;
    plan.drain_is_op = true;
    plan.release_is_op = true;
    plan.config.device.bits[WEFT_CLASS_SUBN_DIRECTED / 64] = UINT64_C(1)
                                                             << WEFT_CLASS_SUBN_DIRECTED % 64;
    run("directed-route SMPs to the own node", plan, local, COUNT(local), ALL);
    plan.config.flow.port_budget = true;
    plan.config.flow.reserve = 63;
    run("directed-route SMPs to the own node, with one buffer", plan, local, COUNT(local), ALL);
}

static void run_rmpp(void)
{
    struct world_plan plan = plan_rmpp(true);

    run("R14 R15 R35 R36 an RMPP request of three segments", plan, rmpp_request,
        COUNT(rmpp_request), 10);
    plan = plan_rmpp(false);
    run("R16 an RMPP report of three segments", plan, rmpp_report, COUNT(rmpp_report), ALL);
    plan = plan_rmpp(true);
    run("an incoming transfer of four segments", plan, rmpp_incoming, COUNT(rmpp_incoming), 13);
    plan.sends[0].rmpp = false;
    plan.sends[0].len = WEFT_MAD_BYTES;
    run("an answer of three segments", plan, rmpp_answer, COUNT(rmpp_answer), ALL);
    plan.send_count = 2;
    plan.sends[1] = plan.sends[0];
    plan.config.flow.port_budget = true;
    plan.config.flow.reserve = 63;
    plan.release_is_op = true;
    plan.filled = 62;
    run("R75 answers in segments for a port with one buffer", plan, rmpp_budgeted,
        COUNT(rmpp_budgeted), 9);
}

/* Whatever the table allows was met in one exploration or another. */
static void judge_cells(void)
{
    unsigned missing = 0;

    for (int input = 0; input < SEND_INPUTS; input++) {
        for (int state = 0; state < WEFT_MAD_STATES; state++) {
            struct send_cell cell =
                send_fsm_cell((enum weft_mad_state)state, (enum send_input)input);

            if ((cell.verdict == SEND_TO || cell.verdict == SEND_STAY) &&
                !explored_cells[input][state]) {
                printf("# not met: %s in %s\n", send_input_name((enum send_input)input),
                       weft_mad_state_name((enum weft_mad_state)state));
                missing++;
            }
        }
    }
    judge(missing == 0, "R18 R22 every effective cell of the send machine's table was met");
}

int main(int argc, char **argv)
{
    full = argc == 2 && strcmp(argv[1], "--full") == 0;
    if (argc > 2 || (argc == 2 && !full)) {
        fprintf(stderr, "usage: exhaustive_mad [--full]\n--full: no search is cut at its depth\n");
        return 2;
    }
    run_plain();
    run_flow();
    run_local();
    run_rmpp();
    judge_cells();
    printf("1..%u\n", number);
    return failed == 0 ? 0 : 1;
}
