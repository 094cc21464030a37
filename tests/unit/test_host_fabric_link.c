/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An engine at a port of a fabric that a daemon serves in a thread: answers, silence, its end. */
#include "core/wire/field.h"
#include "core/wire/mad_header.h"
#include "host/fabric_link.h"
#include "host/server.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/weft-test-XXXXXX";
static char path[64];
static struct fabric *fabric;
static struct server *server;
static pthread_t thread;

static void *run(void *s)
{
    (void)server_run(s);
    return NULL;
}

static int set_up(void **state)
{
    struct fabric_error error = {""};
    struct fabric_config config;
    struct server_options o;
    struct topo_error wrong;
    struct topo *t;

    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/weft-test-XXXXXX");
    if (!mkdtemp(folder) || topo_generate("fat-tree:hosts=4,radix=4", &t, &wrong) != 0)
        return -1;
    (void)snprintf(path, sizeof(path), "%s/s", folder);
    fabric_config_init(&config);
    config.up = true;
    if (fabric_new(&config, t, NULL, &fabric, &error) != 0)
        return -1;
    (void)topo_free(t);
    server_options_init(&o);
    o.socket_path = path;
    if (server_new(&o, fabric, &server, &error) != 0)
        return -1;
    return pthread_create(&thread, NULL, run, server);
}

/* Says a command to the daemon. */
static void command(const char *line)
{
    struct message_text *m = calloc(1, sizeof(*m));
    char text[CHANNEL_TEXT_BYTES];
    struct channel c;

    assert_non_null(m);
    assert_int_equal(channel_connect(path, CHANNEL_ROLE_CONTROL, "", 0, &c, text), 0);
    m->head.type = MESSAGE_COMMAND;
    (void)snprintf(m->text, sizeof(m->text), "%s", line);
    assert_int_equal(channel_ask(&c, m, sizeof(m->head) + strlen(line) + 1, MESSAGE_TEXT, m,
                                 sizeof(*m), NULL, text),
                     0);
    channel_close(&c);
    free(m);
}

static void stop(void)
{
    command("stop");
    assert_int_equal(pthread_join(thread, NULL), 0);
    server = server_free(server);
}

static int tear_down(void **state)
{
    (void)state;
    if (server)
        stop();
    fabric = fabric_free(fabric);
    return rmdir(folder);
}

static struct fabric_link link_open(const char *node)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    struct fabric_link l;

    if (fabric_link_open(&l, path, node, 0, NULL, text) != 0)
        fail_msg("%s", text);
    return l;
}

static weft_mad_agent_id agent_add(struct fabric_link *l, uint8_t mgmt_class)
{
    const struct weft_mad_agent_req agent = {
        .qpn = mgmt_class == WEFT_CLASS_PERF ? 1 : 0, .mgmt_class = mgmt_class, .class_version = 1};
    weft_mad_agent_id id;

    assert_int_equal(weft_mad_agent_add(l->engine, &agent, &id), 0);
    return id;
}

/* Moves until a send has ended; counts answers.
 * Returns how it ended. */
static enum weft_mad_status settle(struct fabric_link *l, int *answers)
{
    struct weft_mad_event ev;

    for (;;) {
        fabric_link_move(l);
        while (weft_mad_poll_event(l->engine, &ev)) {
            if (ev.type == WEFT_MAD_EVENT_SEND_DONE)
                return ev.u.sent.status;
            (*answers)++;
            assert_int_equal(weft_mad_recv_release(l->engine, ev.u.recv.id), 0);
        }
        fabric_link_wait(l, WEFT_TIME_NEVER);
    }
}

static uint8_t *smp_make(uint8_t mad[WEFT_MAD_BYTES], uint8_t hop)
{
    memset(mad, 0, WEFT_MAD_BYTES);
    mad_set_base_version(mad, 1);
    mad_set_class(mad, WEFT_CLASS_SUBN_DIRECTED);
    mad_set_class_version(mad, 1);
    mad_set_method(mad, WEFT_METHOD_GET);
    mad_set_attr_id(mad, WEFT_ATTR_NODE_INFO);
    mad[7] = hop;
    mad[129] = 1;
    memset(mad + 32, 0xFF, 4);
    return mad;
}

static void test_directed_requests_are_answered(void **state)
{
    struct fabric_link l = link_open("host-00001");
    weft_mad_agent_id agent = agent_add(&l, WEFT_CLASS_SUBN_DIRECTED);
    uint8_t mad[WEFT_MAD_BYTES];
    int answers = 0;

    (void)state;
    assert_int_equal(l.port, 1);
    for (uint8_t hops = 0; hops < 2; hops++) {
        struct weft_mad_send_req r = {.agent = agent,
                                      .to = {.lid = WEFT_LID_PERMISSIVE},
                                      .data = smp_make(mad, hops),
                                      .len = WEFT_MAD_BYTES,
                                      .timeout = 20 * WEFT_S};

        assert_int_equal(weft_mad_post(l.engine, l.now, &r, NULL), 0);
        assert_int_equal(settle(&l, &answers), WEFT_MAD_OK);
        assert_int_equal(answers, hops + 1);
    }
    fabric_link_close(&l);
    assert_null(l.engine);
}

static void test_requests_by_LID_are_answered(void **state)
{
    struct fabric_link l = link_open("host-00001");
    weft_mad_agent_id agent = agent_add(&l, WEFT_CLASS_PERF);
    uint8_t mad[WEFT_MAD_BYTES] = {1, WEFT_CLASS_PERF, 1, WEFT_METHOD_GET};
    struct weft_mad_send_req r = {.agent = agent,
                                  .to = {.qpn = 1, .qkey = WEFT_QKEY_GSI},
                                  .data = mad,
                                  .len = WEFT_MAD_BYTES,
                                  .timeout = 20 * WEFT_S};
    struct fabric_port_info info;
    struct fabric_error error;
    int answers = 0;
    uint32_t node;

    (void)state;
    mad_set_attr_id(mad, WEFT_ATTR_CLASS_PORT_INFO);
    assert_int_equal(fabric_find(fabric, "host-00004", &node, &error), 0);
    assert_int_equal(fabric_port(fabric, node, 1, &info), 0);
    r.to.lid = info.lid;
    assert_int_equal(weft_mad_post(l.engine, l.now, &r, NULL), 0);
    assert_int_equal(settle(&l, &answers), WEFT_MAD_OK);
    assert_int_equal(answers, 1);
    fabric_link_close(&l);
}

static void test_silence_ends_with_the_engines_deadline(void **state)
{
    struct fabric_link l = link_open("host-00001");
    weft_mad_agent_id agent = agent_add(&l, WEFT_CLASS_SUBN_DIRECTED);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_send_req r = {.agent = agent,
                                  .to = {.lid = WEFT_LID_PERMISSIVE},
                                  .data = smp_make(mad, 0),
                                  .len = WEFT_MAD_BYTES,
                                  .timeout = 5 * WEFT_MS,
                                  .retries = 2};
    int answers = 0;

    (void)state;
    command("loss 100% on agent host-00001");
    assert_int_equal(weft_mad_post(l.engine, l.now, &r, NULL), 0);
    assert_int_equal(settle(&l, &answers), WEFT_MAD_TIMEOUT);
    assert_int_equal(answers, 0);
    fabric_link_close(&l);
}

static void test_more_requests_than_a_ring_holds(void **state)
{
    enum {
        COUNT = 2000
    };
    struct fabric_link l;
    struct weft_mad_config config;
    char text[CHANNEL_TEXT_BYTES];
    uint8_t(*mads)[WEFT_MAD_BYTES] = calloc(COUNT, sizeof(*mads));
    int answers = 0;

    (void)state;
    assert_non_null(mads);
    (void)weft_mad_config_init(&config);
    config.sends = COUNT;
    config.recv_depth = 4096;
    config.send_depth = 4096;
    config.flow.agent_limits = false;
    assert_int_equal(fabric_link_open(&l, path, "host-00001", 0, &config, text), 0);
    for (int i = 0; i < COUNT; i++) {
        struct weft_mad_send_req r = {.agent = i == 0 ? agent_add(&l, WEFT_CLASS_SUBN_DIRECTED)
                                                      : (weft_mad_agent_id){0},
                                      .to = {.lid = WEFT_LID_PERMISSIVE},
                                      .len = WEFT_MAD_BYTES,
                                      .timeout = 20 * WEFT_S};
        static weft_mad_agent_id agent;

        if (i == 0)
            agent = r.agent;
        r.agent = agent;
        r.data = smp_make(mads[i], 1);
        mad_set_tid(mads[i], (uint64_t)i);
        assert_int_equal(weft_mad_post(l.engine, l.now, &r, NULL), 0);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(settle(&l, &answers), WEFT_MAD_OK);
    assert_int_equal(answers, COUNT);
    fabric_link_close(&l);
    free(mads);
}

/* Waits for a MAD that nobody has asked for. */
static void await_unsolicited(struct fabric_link *l)
{
    struct weft_mad_event ev;

    for (;;) {
        fabric_link_move(l);
        if (weft_mad_poll_event(l->engine, &ev))
            break;
        fabric_link_wait(l, WEFT_TIME_NEVER);
    }
    assert_int_equal(ev.type, WEFT_MAD_EVENT_RECV);
    assert_false(ev.u.recv.solicited);
    assert_int_equal(weft_mad_recv_release(l->engine, ev.u.recv.id), 0);
}

static void test_an_agent_that_owns_methods_gets_what_nobody_has_asked_for(void **state)
{
    const struct weft_mad_agent_req owner = {.qpn = 1,
                                             .mgmt_class = WEFT_CLASS_VENDOR1_FIRST,
                                             .class_version = 1,
                                             .methods = {1u << WEFT_METHOD_SEND}};
    struct fabric_link l = link_open("host-00001"), twin = link_open("host-00001"),
                       far = link_open("host-00002");
    uint8_t mad[WEFT_MAD_BYTES] = {1, WEFT_CLASS_VENDOR1_FIRST, 1, WEFT_METHOD_SEND};
    struct weft_mad_send_req r = {.agent = agent_add(&far, WEFT_CLASS_PERF),
                                  .to = {.lid = l.is.lid, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                  .data = mad,
                                  .len = WEFT_MAD_BYTES};
    char text[CHANNEL_TEXT_BYTES] = "";
    weft_mad_agent_id id, other;

    (void)state;
    assert_int_equal(fabric_link_agent_add(&l, &owner, &id, text), 0);
    assert_int_equal(fabric_link_agent_add(&twin, &owner, &other, text), WEFT_ERR_CONFLICT);
    assert_string_not_equal(text, "");
    assert_int_equal(weft_mad_post(far.engine, far.now, &r, NULL), 0);
    fabric_link_move(&far);
    await_unsolicited(&l);
    assert_int_equal(fabric_link_agent_remove(&l, id), 0);
    assert_int_equal(fabric_link_agent_remove(&l, id), WEFT_ERR_STALE);
    assert_int_equal(fabric_link_agent_add(&twin, &owner, &other, text), 0);
    mad_set_tid(mad, 2);
    fabric_link_move(&far);
    assert_int_equal(weft_mad_post(far.engine, far.now, &r, NULL), 0);
    fabric_link_move(&far);
    await_unsolicited(&twin);
    fabric_link_close(&far);
    fabric_link_close(&twin);
    fabric_link_close(&l);
}

static void test_a_port_is_looked_at_anew(void **state)
{
    struct fabric_link l = link_open("host-00001");
    uint16_t lid = l.is.lid;

    (void)state;
    assert_true(lid > 0);
    assert_int_equal(l.is.state, 4);
    command("link host-00001/1 down");
    assert_int_equal(l.is.state, 4);
    assert_true(fabric_link_look(&l));
    assert_int_equal(l.is.state, 1);
    assert_int_equal(l.is.lid, lid);
    stop();
    assert_false(fabric_link_look(&l));
    assert_int_equal(l.is.lid, lid);
    fabric_link_close(&l);
}

static void test_what_cannot_be_opened_is_told(void **state)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    struct weft_mad_config bad;
    struct fabric_link l;

    (void)state;
    assert_int_equal(fabric_link_open(&l, "/nowhere/s", "x", 0, NULL, text), WEFT_ERR_NOTFOUND);
    assert_int_equal(fabric_link_open(&l, path, "host-0001", 0, NULL, text), WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(text, "host-00001"));
    (void)weft_mad_config_init(&bad);
    bad.sends = 0;
    assert_int_equal(fabric_link_open(&l, path, "host-00001", 0, &bad, text), WEFT_ERR_INVALID);
    assert_non_null(strstr(text, "engine"));
}

static void test_the_daemon_ends(void **state)
{
    struct fabric_link l = link_open("host-00001");

    (void)state;
    stop();
    while (!l.ended) {
        fabric_link_wait(&l, WEFT_TIME_NEVER);
        fabric_link_move(&l);
    }
    fabric_link_wait(&l, WEFT_TIME_NEVER); /* does not wait any more */
    fabric_link_move(&l);
    fabric_link_close(&l);
}

static void test_a_wait_has_an_end(void **state)
{
    struct fabric_link l = link_open("host-00001");
    weft_time until = fabric_link_clock() + 3 * WEFT_MS;

    (void)state;
    fabric_link_wait(&l, fabric_link_clock()); /* is over */
    while (fabric_link_clock() < until)
        fabric_link_wait(&l, until);
    fabric_link_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_directed_requests_are_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_requests_by_LID_are_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_silence_ends_with_the_engines_deadline, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_more_requests_than_a_ring_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_an_agent_that_owns_methods_gets_what_nobody_has_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_port_is_looked_at_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_opened_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_daemon_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_wait_has_an_end, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
