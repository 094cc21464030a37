/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registry of queue pairs: what is known, what is bound, and until when. */
#include "iwcm_fixture.h"

static void test_a_QP_is_known_from_add_to_remove(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id owner;

    (void)state;
    assert_int_equal(cx_stats(x).qps, CX_QPS);
    assert_int_equal(weft_iwcm_qp_add(x->cm, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_iwcm_qp_add(x->cm, 1), WEFT_ERR_CONFLICT);
    assert_int_equal(weft_iwcm_qp_add(x->cm, 99), WEFT_ERR_FULL);
    assert_int_equal(weft_iwcm_qp_owner(x->cm, 1, &owner), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_iwcm_qp_owner(x->cm, 99, &owner), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_iwcm_qp_remove(x->cm, 1), 0);
    assert_int_equal(weft_iwcm_qp_remove(x->cm, 1), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_iwcm_qp_add(x->cm, UINT32_MAX), 0);
    assert_int_equal(weft_iwcm_qp_remove(x->cm, UINT32_MAX), 0);
    assert_int_equal(cx_stats(x).qps, CX_QPS - 1);
    cx_free(x);
}

static void test_many_QPs_come_and_go(void **state)
{
    struct weft_iwcm_config c = WEFT_IWCM_CONFIG_INIT;
    struct weft_iwcm *cm;

    (void)state;
    assert_int_equal(weft_iwcm_new(&c, NULL, &cm), 0);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < c.qps; i++)
            assert_int_equal(weft_iwcm_qp_add(cm, 1 + round + i * 4096), 0);
        assert_int_equal(weft_iwcm_qp_add(cm, 2 + round), WEFT_ERR_FULL);
        assert_null(iwcm_audit(cm));
        for (uint32_t i = 0; i < c.qps; i++)
            assert_int_equal(weft_iwcm_qp_remove(cm, 1 + round + i * 4096), 0);
    }
    assert_null(weft_iwcm_free(cm));
}

static void test_R131_a_QP_is_bound_from_connect_until_CLOSE(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), other = cx_id(x);
    struct weft_iwcm_param p = cx_param(1);

    (void)state;
    cx_connect(x, id, 1);
    assert_true(cx_bound(x, 1, id));
    assert_int_equal(weft_iwcm_connect(x->cm, other, NULL, &cx_there, &p), WEFT_ERR_CONFLICT);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_disconnect(x, id, true);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    assert_true(cx_bound(x, 1, id));
    assert_int_equal(weft_iwcm_connect(x->cm, other, NULL, &cx_there, &p), WEFT_ERR_CONFLICT);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    assert_false(cx_bound(x, 1, id));
    cx_connect(x, other, 1);
    assert_true(cx_bound(x, 1, other));
    cx_free(x);
}

static void test_R126_race_17_a_QP_is_removed_after_CLOSE_only(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_accepted(x, 2);

    (void)state;
    assert_int_equal(weft_iwcm_qp_remove(x->cm, 2), WEFT_ERR_STATE);
    cx_disconnect(x, id, false);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CLOSING);
    assert_int_equal(weft_iwcm_qp_remove(x->cm, 2), WEFT_ERR_STATE);
    cx_serve(x, id, WEFT_IWCM_CMD_CLOSE);
    assert_int_equal(weft_iwcm_qp_remove(x->cm, 2), WEFT_ERR_STATE);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    assert_int_equal(weft_iwcm_qp_remove(x->cm, 2), 0);
    cx_free(x);
}

/* Each way in which a connection does not come about. */
enum failure {
    CONNECT_REFUSED,
    REPLY_REJECTS,
    ACCEPT_REFUSED,
    DESTROYED_BEFORE_CONNECT_IS_TAKEN,
    DESTROYED_BEFORE_ACCEPT_IS_TAKEN,
    FAILURES
};

static weft_iwcm_id fail_to_connect(struct cx *x, enum failure how)
{
    bool accepts = how == ACCEPT_REFUSED || how == DESTROYED_BEFORE_ACCEPT_IS_TAKEN;
    weft_iwcm_id id = accepts ? cx_child(x, cx_listener(x)) : cx_id(x);

    if (accepts)
        cx_accept(x, id, 3);
    else
        cx_connect(x, id, 3);
    assert_true(cx_bound(x, 3, id));
    if (how == DESTROYED_BEFORE_CONNECT_IS_TAKEN || how == DESTROYED_BEFORE_ACCEPT_IS_TAKEN) {
        cx_destroy(x, id);
        return id;
    }
    (void)cx_take(x, id, accepts ? WEFT_IWCM_CMD_ACCEPT : WEFT_IWCM_CMD_CONNECT);
    if (how == REPLY_REJECTS)
        cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_REJECTED);
    else
        cx_answer(x, id, WEFT_IWCM_NO_RESOURCES);
    return id;
}

static void test_what_does_not_come_about_leaves_the_QP_free(void **state)
{
    (void)state;
    for (int how = 0; how < FAILURES; how++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = fail_to_connect(x, (enum failure)how);

        assert_false(cx_bound(x, 3, id));
        assert_int_equal(weft_iwcm_qp_remove(x->cm, 3), 0);
        cx_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_QP_is_known_from_add_to_remove),
        cmocka_unit_test(test_many_QPs_come_and_go),
        cmocka_unit_test(test_R131_a_QP_is_bound_from_connect_until_CLOSE),
        cmocka_unit_test(test_R126_race_17_a_QP_is_removed_after_CLOSE_only),
        cmocka_unit_test(test_what_does_not_come_about_leaves_the_QP_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
