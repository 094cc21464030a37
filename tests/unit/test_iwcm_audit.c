/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The audit finds what is planted. */
#include "core/iwcm/audit.h"
#include "core/iwcm/manager.h"
#include "iwcm_fixture.h"

struct scene {
    struct iwcm_id *listener, *child, *up, *idle;
    struct weft_iwcm *cm;
};

static void break_refs(struct scene *s)
{
    s->up->refs++;
}

static void break_hold(struct scene *s)
{
    s->up->hold = HOLD_CONNECTING;
}

static void break_state(struct scene *s)
{
    s->up->state = WEFT_IWCM_IDLE;
}

static void break_binding(struct scene *s)
{
    s->up->qpn = 0;
}

static void break_registry(struct scene *s)
{
    ((struct qp *)pool_at(&s->cm->qps, 2))->owner = s->up;
}

static void break_backlog(struct scene *s)
{
    s->listener->requests = 2;
}

static void break_child(struct scene *s)
{
    s->child->known = true;
}

static void break_parent(struct scene *s)
{
    s->child->listener = NULL;
}

static void break_events(struct scene *s)
{
    s->child->events_waiting = 2;
}

static void break_queue(struct scene *s)
{
    s->child->events_waiting = 0;
    list_init(&s->child->events);
}

static void break_ending(struct scene *s)
{
    s->idle->told = ENDING_ABRUPT;
}

static void break_wish(struct scene *s)
{
    s->up->end = ENDING_ORDERLY;
}

static void break_command(struct scene *s)
{
    list_push_back(&s->cm->cmds, &s->idle->cmd);
}

static void break_count(struct scene *s)
{
    s->cm->stats.ids++;
}

static void break_buffers(struct scene *s)
{
    (void)pool_take(&s->cm->buffers);
}

static void break_destroyed(struct scene *s)
{
    s->idle->state = WEFT_IWCM_DESTROYING;
    s->idle->refs = 0;
}

static void (*const faults[])(struct scene *s) = {
    break_refs,    break_hold,   break_state,   break_binding,   break_registry, break_backlog,
    break_child,   break_parent, break_events,  break_queue,     break_ending,   break_wish,
    break_command, break_count,  break_buffers, break_destroyed,
};

static void test_every_planted_fault_is_found(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(faults); i++) {
        struct cx *x = cx_new();
        weft_iwcm_id up = cx_connected(x, 1), listener = cx_listener(x), idle = cx_id(x);
        weft_iwcm_id child = cx_request(x, listener);
        struct scene s = {iwcm_find(x->cm, listener), iwcm_find(x->cm, child), iwcm_find(x->cm, up),
                          iwcm_find(x->cm, idle), x->cm};

        cx_sound(x);
        faults[i](&s);
        if (!iwcm_audit(x->cm))
            fail_msg("fault %u is not found", i);
        assert_null(weft_iwcm_free(x->cm));
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_planted_fault_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
