/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters as JSON: what is written is JSON whatever a node calls itself, and has all ports. */
#include "cli/counters_view.h"
#include "client_fixture.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What goes to standard output meanwhile. */
static json_t *document_of(const struct counters_view *v)
{
    FILE *file = tmpfile();
    int saved = dup(STDOUT_FILENO);
    json_error_t error;
    json_t *root;

    assert_non_null(file);
    assert_true(saved >= 0 && fflush(stdout) == 0);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    assert_int_equal(counters_print_json(v), 0);
    (void)fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    (void)close(saved);
    rewind(file);
    root = json_loadf(file, 0, &error);
    (void)fclose(file);
    assert_non_null(root);
    return root;
}

/* Looks at all ports of two hosts at a switch, of which one has an unusual name. */
static json_t *look(const char *rename)
{
    const struct weft_mad_agent_req agent = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    bool wanted[64];
    struct weft_counters *counters;
    struct thresholds thresholds;
    struct weft_sweep *sweep;
    struct counters_view v;
    weft_mad_agent_id id;
    struct fabric_config c;
    struct cf *cf;
    json_t *root;

    fabric_config_init(&c);
    c.up = true;
    cf = cf_new(ff_two_hosts, &c, "a");
    assert_int_equal(weft_mad_agent_add(cf->engine, &agent, &id), 0);
    ff_command(cf->ff, rename);
    sweep = cf_sweep(cf, NULL);
    assert_int_equal(weft_counters_new(sweep, NULL, NULL, id, NULL, &counters), 0);
    cf_drive_counters(cf, counters);
    thresholds_init(&thresholds);
    assert_true(weft_sweep_port_count(sweep) <= sizeof(wanted));
    memset(wanted, true, sizeof(wanted));
    assert_true(counters_view_init(&v, sweep, counters, &thresholds, wanted, true));
    root = document_of(&v);
    assert_int_equal(json_array_size(json_object_get(root, "ports")), v.row_count);
    counters_view_free(&v);
    (void)weft_counters_free(counters);
    (void)weft_sweep_free(sweep);
    cf_free(cf);
    return root;
}

static bool has_node(const json_t *root, const char *name)
{
    const json_t *port;
    size_t i;

    json_array_foreach(json_object_get(root, "ports"), i,
                       port) if (strcmp(json_string_value(json_object_get(port, "node")), name) ==
                                 0) return json_is_object(json_object_get(port, "peer")) &&
        json_is_integer(json_object_get(json_object_get(port, "counters"), "xmit_packets"));
    return false;
}

static void test_names_of_any_bytes(void **state)
{
    static const struct {
        const char *command, *name;
    } rows[] = {
        {"name b plain", "plain"},
        {"name b \"q\\\"uo\\\\te\"", "q\"uo\\te"},
        {"name b \"t\\x09\\x01b\"", "t\t\001b"},
        {"name b \"\\xc3\\xa4\"", "\xc3\xa4"},
        {"name b \"x\\xff\"", "x\\xff"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_t *root = look(rows[i].command);

        assert_true(has_node(root, rows[i].name));
        assert_false(has_node(root, "b"));
        json_decref(root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_of_any_bytes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
