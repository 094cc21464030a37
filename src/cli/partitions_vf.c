/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft partitions vf`: the P_Keys of SR-IOV functions, as the administrator gave them. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/partitions_action.h"
#include "cli/printable.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "cli/vf_tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Names come from folders. */
#define NAME_SHOWN_BYTES 1100

/* The tree and who of it is being printed. */
struct place {
    const struct vf_device *device;
    const struct vf_port *port;
    const struct vf_function *function;
};

static const char *membership(const struct vf_entry *e)
{
    if (e->unknown)
        return "unknown";
    if (!weft_pkey_valid(e->key))
        return "none";
    return weft_pkey_is_full(e->key) ? "full" : "limited";
}

/* What is worth a line: entries that are assigned, and entry 0 in any case. The PF has all. */
static bool is_shown(const struct vf_function *f, const struct vf_entry *e)
{
    if (f->physical)
        return weft_pkey_valid(e->key) || e->unknown;
    return e->virt == 0 || e->physical != VF_NONE || e->unknown;
}

static json_t *append(json_t *list, json_t *item)
{
    if (list && (!item || json_array_append(list, item) != 0)) {
        json_decref(list);
        list = NULL;
    }
    json_decref(item);
    return list;
}

static json_t *key_to_json(const struct vf_entry *e)
{
    return e->unknown ? json_null() : json_sprintf("0x%04x", e->key);
}

static json_t *entry_to_json(const struct vf_entry *e)
{
    return json_pack("{s:i, s:o, s:o, s:s}", "virtual", (int)e->virt, "physical",
                     e->physical == VF_NONE ? json_null() : json_integer((json_int_t)e->physical),
                     "pkey", key_to_json(e), "membership", membership(e));
}

static json_t *function_to_json(const struct vf_function *f)
{
    json_t *entries = json_array();
    char name[NAME_SHOWN_BYTES];
    size_t unassigned = 0;

    for (size_t i = 0; i < f->count; i++) {
        unassigned += f->entries[i].physical == VF_NONE && !f->entries[i].unknown;
        if (is_shown(f, &f->entries[i]))
            entries = append(entries, entry_to_json(&f->entries[i]));
    }
    return json_pack("{s:s, s:b, s:I, s:o}", "function", printable(f->name, name, sizeof(name)),
                     "pf", (int)f->physical, "unassigned", (json_int_t)unassigned, "entries",
                     entries);
}

static json_t *port_to_json(const struct vf_port *port)
{
    json_t *functions = json_array();
    char name[NAME_SHOWN_BYTES];

    for (size_t i = 0; i < port->function_count; i++)
        functions = append(functions, function_to_json(&port->functions[i]));
    return json_pack("{s:s, s:I, s:o}", "port", printable(port->name, name, sizeof(name)),
                     "physical_entries", (json_int_t)port->key_count, "functions", functions);
}

static json_t *devices_to_json(const struct vf_tree *t)
{
    json_t *devices = json_array();
    char name[NAME_SHOWN_BYTES];

    for (size_t i = 0; i < t->device_count; i++) {
        const struct vf_device *d = &t->devices[i];
        json_t *ports = json_array();

        for (size_t j = 0; j < d->port_count; j++)
            ports = append(ports, port_to_json(&d->ports[j]));
        devices =
            append(devices, json_pack("{s:s, s:o}", "device",
                                      printable(d->name, name, sizeof(name)), "ports", ports));
    }
    return devices;
}

static json_t *problem_to_json(const struct vf_problem *p)
{
    char device[NAME_SHOWN_BYTES];
    char port[NAME_SHOWN_BYTES];
    char function[NAME_SHOWN_BYTES];
    char text[PRINTABLE_PATH_BYTES];

    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "device",
                     printable(p->device, device, sizeof(device)), "port",
                     printable(p->port, port, sizeof(port)), "function",
                     printable(p->function, function, sizeof(function)), "kind",
                     vf_kind_name(p->kind), "text", printable(p->text, text, sizeof(text)));
}

static json_t *problems_to_json(const struct vf_tree *t, bool notes)
{
    json_t *list = json_array();

    for (size_t i = 0; i < t->problem_count; i++)
        if ((t->problems[i].kind == VF_NOBODY_FULL) == notes)
            list = append(list, problem_to_json(&t->problems[i]));
    return list;
}

static int print_json(const struct vf_tree *t)
{
    return json_print(json_pack("{s:s, s:o, s:o, s:o}", "schema", "weft.partitions.vf/1", "devices",
                                devices_to_json(t), "problems", problems_to_json(t, false), "notes",
                                problems_to_json(t, true)));
}

static void print_entry(struct table *table, const struct place *at, const struct vf_entry *e)
{
    char name[NAME_SHOWN_BYTES];

    table_row(table);
    table_cell(table, "%s", printable(at->device->name, name, sizeof(name)));
    table_cell(table, "%s", printable(at->port->name, name, sizeof(name)));
    table_cell(table, "%s%s", printable(at->function->name, name, sizeof(name)),
               at->function->physical ? " (PF)" : "");
    table_cell(table, "%u", e->virt);
    if (e->physical == VF_NONE)
        table_cell(table, "%s", e->unknown ? "unknown" : "none");
    else
        table_cell(table, "%u", e->physical);
    if (e->unknown)
        table_cell(table, "unknown");
    else
        table_cell(table, "0x%04x", e->key);
    table_cell(table, "%s", membership(e));
}

static void fill(struct table *table, const struct vf_tree *t)
{
    struct place at;

    for (size_t d = 0; d < t->device_count; d++)
        for (size_t p = 0; p < t->devices[d].port_count; p++)
            for (size_t f = 0; f < t->devices[d].ports[p].function_count; f++) {
                at.device = &t->devices[d];
                at.port = &at.device->ports[p];
                at.function = &at.port->functions[f];
                for (size_t i = 0; i < at.function->count; i++)
                    if (is_shown(at.function, &at.function->entries[i]))
                        print_entry(table, &at, &at.function->entries[i]);
            }
}

static int print_table(const struct vf_tree *t)
{
    static const struct table_column columns[] = {
        {"device", false},  {"port", true},   {"function", false},   {"virtual", true},
        {"physical", true}, {"P_Key", false}, {"membership", false}, {NULL, false},
    };
    struct table *table = table_new(columns);
    int exit_code;

    if (!table)
        return message_failed("there is no memory for the table");
    fill(table, t);
    exit_code = table_print(table);
    table_free(table);
    return exit_code;
}

static void print_problem(const struct vf_problem *p)
{
    const char *const names[] = {p->device, p->port, p->function};
    char text[PRINTABLE_PATH_BYTES];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i][0] != '\0')
            printf("%s%s",
                   i == 0   ? ""
                   : i == 1 ? " port "
                            : " ",
                   printable(names[i], text, sizeof(text)));
    printf(": %s%s: %s\n", p->kind == VF_NOBODY_FULL ? "note: " : "", vf_kind_name(p->kind),
           printable(p->text, text, sizeof(text)));
}

static size_t count_problems(const struct vf_tree *t)
{
    size_t count = 0;

    for (size_t i = 0; i < t->problem_count; i++)
        count += t->problems[i].kind != VF_NOBODY_FULL;
    return count;
}

static int print_text(const struct vf_tree *t, const char *root)
{
    size_t count = count_problems(t);
    char shown[PRINTABLE_PATH_BYTES];
    int exit_code = t->device_count == 0 ? CLI_DONE : print_table(t);

    for (size_t i = 0; i < t->problem_count; i++)
        print_problem(&t->problems[i]);
    printf("%s: %zu device%s with SR-IOV; %zu problem%s\n", printable(root, shown, sizeof(shown)),
           t->device_count, t->device_count == 1 ? "" : "s", count, count == 1 ? "" : "s");
    return exit_code;
}

int partitions_action_vf(const struct partitions_request *request)
{
    const char *root = request->sysfs ? request->sysfs : "/sys";
    struct vf_tree t;
    int err = vf_tree_read(root, &t);
    int exit_code;

    if (err == WEFT_ERR_NOTFOUND) {
        exit_code = message_failed("%s: the folder cannot be read: %s", root, strerror(errno));
        vf_tree_free(&t);
        return exit_code;
    }
    if (err == 0)
        err = vf_tree_check(&t);
    if (err != 0)
        exit_code = message_failed("there is no memory to check %s", root);
    else
        exit_code = request->json ? print_json(&t) : print_text(&t, root);
    if (exit_code == CLI_DONE && count_problems(&t) > 0)
        exit_code = CLI_PART;
    vf_tree_free(&t);
    return exit_code;
}
