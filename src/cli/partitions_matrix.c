/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft partitions matrix`: who can talk to whom on a fabric, by what all its ports have. */
#include "cli/mad_machines.h"
#include "cli/mad_sweep.h"
#include "cli/matrix_view.h"
#include "cli/message.h"
#include "cli/partitions_action.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

/* What is made on the way, in this order. */
struct audit {
    struct mad_link link;
    weft_mad_agent_id agent;
    struct weft_sweep *sweep;
    struct pkey_tables *tables;
    struct matrix *matrix;
};

static bool poll_tables(void *self, struct weft_mad_send_req *ret)
{
    return pkey_tables_poll(self, ret);
}

static void tell_tables(void *self, const struct weft_mad_event *ev)
{
    pkey_tables_event(self, ev);
}

static bool are_tables_done(const void *self)
{
    return pkey_tables_done(self);
}

static int audit_sweep(const struct weft_sweep_config *c, struct audit *a)
{
    struct mad_machine machine;
    int exit_code = mad_sweep_new(c, a->agent, NULL, &a->sweep);

    if (exit_code != CLI_DONE)
        return exit_code;
    machine = mad_machine_sweep(a->sweep);
    exit_code = mad_drive(&a->link, &machine);
    /* Who can talk to whom is no question of a part. */
    if (exit_code == CLI_DONE && mad_sweep_verdict(&a->link, a->sweep) != CLI_DONE)
        exit_code = CLI_FAILED;
    return exit_code;
}

static int audit_read(const struct weft_sweep_config *c, struct audit *a)
{
    int exit_code;
    int err = pkey_tables_new(a->sweep, c, a->agent, NULL, &a->tables);

    if (err)
        return message_failed("the P_Key tables cannot be read: %s", weft_strerror(err));
    exit_code = mad_drive(
        &a->link, &(struct mad_machine){a->tables, poll_tables, tell_tables, are_tables_done});
    if (exit_code == CLI_DONE && matrix_new(a->sweep, a->tables, NULL, &a->matrix) != 0)
        exit_code = message_failed("there is no memory for the matrix");
    return exit_code;
}

/* Whether what is printed has holes, or names something wrong. */
static bool is_troubled(const struct matrix_view *v)
{
    enum matrix_gap_kind kind;
    uint32_t port = 0;
    bool found = matrix_view_gap(v, &port, &kind) || weft_sweep_conflicts(v->sweep) > 0;

    for (uint32_t i = 0; i < v->matrix->partition_count; i++)
        found = found || matrix_view_is_mute(&v->matrix->partitions[i]);
    return found;
}

static int print_pair(const struct partitions_request *request, const struct matrix_view *v)
{
    uint32_t from = matrix_view_find(v, request->from);
    uint32_t to = from == WEFT_SWEEP_NONE ? WEFT_SWEEP_NONE : matrix_view_find(v, request->to);

    if (from == WEFT_SWEEP_NONE || to == WEFT_SWEEP_NONE)
        return CLI_FAILED;
    if (from == to) {
        message("--from and --to are both %s: name two ports", v->labels[from]);
        return CLI_USAGE;
    }
    return request->json ? matrix_print_pair_json(v, from, to) : matrix_print_pair(v, from, to);
}

static int print(const struct partitions_request *request, const struct audit *a)
{
    struct matrix_view v;
    int exit_code;

    if (!matrix_view_init(&v, a->sweep, a->tables, a->matrix))
        exit_code = message_failed("there is no memory for the names");
    else if (request->from)
        exit_code = print_pair(request, &v);
    else
        exit_code = request->json ? matrix_print_json(&v) : matrix_print_text(&v);
    if (exit_code == CLI_DONE && !request->from && is_troubled(&v))
        exit_code = CLI_PART;
    matrix_view_free(&v);
    return exit_code;
}

int partitions_action_matrix(const struct partitions_request *request)
{
    struct audit a = {.sweep = NULL};
    struct weft_sweep_config config;
    int exit_code = mad_sweep_open(request->place, &a.link, &a.agent);

    (void)weft_sweep_config_init(&config);
    if (request->timeout != 0)
        config.timeout = request->timeout;
    if (exit_code == CLI_DONE)
        exit_code = audit_sweep(&config, &a);
    if (exit_code == CLI_DONE)
        exit_code = audit_read(&config, &a);
    if (exit_code == CLI_DONE)
        exit_code = print(request, &a);
    (void)matrix_free(a.matrix);
    mad_link_close(&a.link);
    (void)pkey_tables_free(a.tables);
    (void)weft_sweep_free(a.sweep);
    return exit_code;
}
