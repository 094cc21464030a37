/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A connection manager's memory, its ids and their lives. */
#include "core/iwcm/manager.h"
#include "iwcm_fixture.h"

struct memory {
    size_t given;
    uint32_t gets;
    bool empty;
};

static void *get(void *ctx, size_t size, size_t align)
{
    struct memory *m = ctx;
    void *p = m->empty ? NULL : aligned_alloc(align, (size + align - 1) / align * align);

    m->gets++;
    if (p) {
        memset(p, 0xA5, size);
        m->given += size;
    }
    return p;
}

static void put(void *ctx, void *p, size_t size)
{
    struct memory *m = ctx;

    m->given -= size;
    free(p);
}

static void test_configurations_out_of_range_are_refused(void **state)
{
    static const struct weft_iwcm_config bad[] = {
        {sizeof(struct weft_iwcm_config) - 1, 1, 1, 1},
        {sizeof(struct weft_iwcm_config), 0, 1, 1},
        {sizeof(struct weft_iwcm_config), UINT32_MAX, 1, 1},
        {sizeof(struct weft_iwcm_config), 1, 0, 1},
        {sizeof(struct weft_iwcm_config), 1, UINT32_MAX, 1},
        {sizeof(struct weft_iwcm_config), 1, 1, 0},
    };
    struct weft_iwcm *cm = NULL;

    (void)state;
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(weft_iwcm_new(&bad[i], NULL, &cm), WEFT_ERR_INVALID);
        assert_null(cm);
    }
    assert_null(weft_iwcm_free(NULL));
}

static void test_without_memory_there_is_none(void **state)
{
    struct weft_iwcm_config c = WEFT_IWCM_CONFIG_INIT;
    struct memory m = {.empty = true};
    struct weft_alloc a = {.get = get, .put = put, .ctx = &m};
    struct weft_iwcm *cm = NULL;

    (void)state;
    assert_int_equal(weft_iwcm_new(&c, &a, &cm), WEFT_ERR_NOMEM);
    assert_null(cm);
    assert_int_equal(m.gets, 1);
}

static void test_memory_is_taken_by_new_alone_listening_costs_none(void **state)
{
    struct weft_iwcm_config c = WEFT_IWCM_CONFIG_INIT;
    struct memory m = {0};
    struct weft_alloc a = {.get = get, .put = put, .ctx = &m};
    struct weft_iwcm *cm;
    weft_iwcm_id id;

    (void)state;
    assert_int_equal(weft_iwcm_new(&c, &a, &cm), 0);
    assert_int_equal(m.gets, 1);
    for (uint32_t i = 0; i < c.ids; i++) {
        assert_int_equal(weft_iwcm_create(cm, i, &id), 0);
        assert_int_equal(weft_iwcm_listen(cm, id, &cx_here, UINT32_MAX), 0);
    }
    assert_null(iwcm_audit(cm));
    assert_int_equal(m.gets, 1);
    assert_null(weft_iwcm_free(cm));
    assert_int_equal(m.given, 0);
}

static void test_an_idle_connection_costs_less_than_half_a_kilobyte(void **state)
{
    (void)state;
    /* private data have a place of their own, taken only where there are some */
    assert_true(sizeof(struct iwcm_id) <= 384);
    assert_true(sizeof(struct event) <= 64);
}

static void test_ids_run_out_and_come_back_with_GONE(void **state)
{
    struct cx *x = cx_new_sized(2, 1);
    weft_iwcm_id a = cx_id(x), b = cx_id(x), c;

    (void)state;
    assert_int_equal(weft_iwcm_create(x->cm, 0, &c), WEFT_ERR_FULL);
    assert_int_equal(cx_stats(x).ids_full, 1);
    assert_int_equal(cx_stats(x).ids, 2);
    cx_destroy(x, a);
    assert_int_equal(weft_iwcm_create(x->cm, 0, &c), WEFT_ERR_FULL);
    cx_gone(x, a);
    c = cx_id(x);
    assert_int_not_equal(c.v, a.v);
    assert_int_equal(cx_state(x, b), WEFT_IWCM_IDLE);
    assert_int_equal(weft_iwcm_destroy(x->cm, a), WEFT_ERR_STALE);
    cx_free(x);
}

static void test_user_data_come_back_in_every_event(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), child;
    struct weft_iwcm_event ev;

    (void)state;
    assert_int_equal(weft_iwcm_set_user_data(x->cm, listener, 11), 0);
    child = cx_request(x, listener);
    /* the client does not know it yet */
    assert_int_equal(weft_iwcm_set_user_data(x->cm, child, 12), WEFT_ERR_STALE);
    ev = cx_event(x, child, WEFT_IWCM_EVENT_REQUEST);
    assert_int_equal(ev.user_data, 11);
    assert_int_equal(ev.listener.v, listener.v);
    assert_int_equal(weft_iwcm_set_user_data(x->cm, child, 13), 0);
    cx_reject(x, child);
    cx_serve(x, child, WEFT_IWCM_CMD_REJECT);
    assert_int_equal(cx_event(x, child, WEFT_IWCM_EVENT_DONE).user_data, 13);
    assert_int_equal(weft_iwcm_set_user_data(x->cm, (weft_iwcm_id){0}, 1), WEFT_ERR_STALE);
    cx_free(x);
}

static uint32_t refs(const struct cx *x, weft_iwcm_id id)
{
    const struct iwcm_id *c = iwcm_find(x->cm, id);

    return c ? c->refs : UINT32_MAX;
}

/* R107: what the id is made of stays until the provider has given it up, however late. R127: who
 * holds it when, over a whole life. */
static void test_R107_R127_R133_references_from_create_to_a_late_CLOSE(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), others[2];

    (void)state;
    assert_int_equal(refs(x, id), 1); /* the client */
    cx_connect(x, id, 1);
    assert_int_equal(refs(x, id), 2); /* and the command */
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    assert_int_equal(refs(x, id), 3); /* and what the provider has */
    cx_answer(x, id, WEFT_IWCM_OK);
    assert_int_equal(refs(x, id), 2);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    assert_int_equal(refs(x, id), 2);
    cx_destroy(x, id);
    assert_int_equal(refs(x, id), 2); /* the ABORT, and the connection */
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    assert_int_equal(refs(x, id), 1); /* the connection alone */
    others[0] = cx_id(x);
    others[1] = cx_connected(x, 2);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_DESTROYING);
    cx_destroy(x, others[0]);
    cx_gone(x, others[0]);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET);
    assert_int_equal(refs(x, id), 0);
    cx_gone(x, id);
    cx_no_event(x);
    assert_int_equal(cx_state(x, others[1]), WEFT_IWCM_ESTABLISHED);
    cx_free(x);
}

static void test_events_and_commands_are_counted_by_type(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);
    struct weft_iwcm_stats s;

    (void)state;
    cx_destroy(x, id);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    s = cx_stats(x);
    assert_int_equal(s.events[WEFT_IWCM_EVENT_DONE], 1);
    assert_int_equal(s.events[WEFT_IWCM_EVENT_REPLY], 1);
    assert_int_equal(s.events[WEFT_IWCM_EVENT_CLOSED], 0);
    assert_int_equal(s.events[WEFT_IWCM_EVENT_GONE], 1);
    assert_int_equal(s.cmds[WEFT_IWCM_CMD_CONNECT], 1);
    assert_int_equal(s.cmds[WEFT_IWCM_CMD_ABORT], 1);
    assert_int_equal(s.violations, 0);
    assert_int_equal(s.ids, 1);
    cx_gone(x, id);
    assert_int_equal(cx_stats(x).ids, 0);
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations_out_of_range_are_refused),
        cmocka_unit_test(test_without_memory_there_is_none),
        cmocka_unit_test(test_memory_is_taken_by_new_alone_listening_costs_none),
        cmocka_unit_test(test_an_idle_connection_costs_less_than_half_a_kilobyte),
        cmocka_unit_test(test_ids_run_out_and_come_back_with_GONE),
        cmocka_unit_test(test_user_data_come_back_in_every_event),
        cmocka_unit_test(test_R107_R127_R133_references_from_create_to_a_late_CLOSE),
        cmocka_unit_test(test_events_and_commands_are_counted_by_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
