/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft partitions lint`: what OpenSM makes of a partitions.conf. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/partitions_action.h"
#include "cli/printable.h"
#include "cli/verb.h"
#include "partitions/partitions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FILE "/etc/opensm/partitions.conf"

/* A name with every byte escaped. */
#define NAME_SHOWN_BYTES (4 * PARTITIONS_NAME_BYTES)

static const char *shown_name(const struct partitions_request *request)
{
    if (!request->file)
        return DEFAULT_FILE;
    return strcmp(request->file, "-") == 0 ? "standard input" : request->file;
}

/* Reads up to one byte more than is allowed. Gives NULL with errno. */
static char *read_all(FILE *in, size_t *ret_bytes)
{
    size_t space = 65536;
    size_t bytes = 0;
    size_t got;
    char *text = malloc(space);
    char *moved;

    while (text && (got = fread(text + bytes, 1, space - bytes, in)) > 0) {
        bytes += got;
        if (bytes > PARTITIONS_INPUT_BYTES_MAX)
            break;
        if (bytes < space)
            continue;
        space *= 2;
        moved = realloc(text, space);
        if (!moved)
            free(text);
        text = moved;
    }
    if (text && ferror(in)) {
        free(text);
        return NULL;
    }
    *ret_bytes = bytes;
    return text;
}

static int parse(const struct partitions_request *request, FILE *in, struct partitions **ret)
{
    struct partitions_error error;
    size_t bytes;
    char *text = read_all(in, &bytes);
    int err;

    if (!text)
        return message_failed("%s: the file cannot be read: %s", shown_name(request),
                              strerror(errno));
    err = partitions_parse(text, bytes, request->allow_both, ret, &error);
    free(text);
    if (err == 0)
        return CLI_DONE;
    if (error.line != 0)
        return message_failed("%s:%" PRIu32 ": %s", shown_name(request), error.line, error.text);
    return message_failed("%s: %s", shown_name(request), error.text);
}

static int load(const struct partitions_request *request, struct partitions **ret)
{
    bool standard = request->file && strcmp(request->file, "-") == 0;
    FILE *in = standard ? stdin : fopen(shown_name(request), "r");
    int exit_code;

    if (!in && !request->file && errno == ENOENT) {
        message("there is no %s; without it OpenSM makes every port a full member of the default "
                "partition",
                DEFAULT_FILE);
        if (partitions_without_file(request->allow_both, ret) != 0)
            return message_failed("there is no memory for the partitions");
        return CLI_DONE;
    }
    if (!in) {
        exit_code = message_failed("%s: the file cannot be opened: %s", shown_name(request),
                                   strerror(errno));
        message_try("the name of OpenSM's partitions.conf, which its option -P or "
                    "partition_config_file in opensm.conf tells");
        return exit_code;
    }
    exit_code = parse(request, in, ret);
    if (!standard)
        fclose(in);
    return exit_code;
}

/* Appends to a list and takes the item over; NULL stands for "memory ran out" from then on. */
static json_t *append(json_t *list, json_t *item)
{
    if (list && (!item || json_array_append(list, item) != 0)) {
        json_decref(list);
        list = NULL;
    }
    json_decref(item);
    return list;
}

static const char *port_name(const struct partitions_member *m, char ret[24])
{
    if (m->who == PARTITIONS_GUID)
        snprintf(ret, 24, "0x%016" PRIx64, m->guid);
    else
        snprintf(ret, 24, "%s", partitions_who_name(m->who));
    return ret;
}

static json_t *members_to_json(const struct partitions *t, const struct partitions_partition *p)
{
    json_t *list = json_array();
    char port[24];

    for (uint32_t i = p->first; i != PARTITIONS_NONE && list; i = t->members[i].next) {
        const struct partitions_member *m = &t->members[i];

        if (!m->overruled)
            list = append(list, json_pack("{s:s, s:s, s:I}", "port", port_name(m, port),
                                          "membership", partitions_membership_name(m->membership),
                                          "line", (json_int_t)m->line));
    }
    return list;
}

/* OpenSM does not make a partition without members. */
static json_t *partitions_to_json(const struct partitions *t)
{
    json_t *list = json_array();
    char name[NAME_SHOWN_BYTES];
    char key[8];

    for (uint32_t i = 0; i < t->count && list; i++) {
        const struct partitions_partition *p = &t->items[i];

        if (p->first == PARTITIONS_NONE)
            continue;
        snprintf(key, sizeof(key), "0x%04x", p->key);
        list = append(list,
                      json_pack("{s:s, s:s, s:o}", "name", printable(p->name, name, sizeof(name)),
                                "pkey", key, "members", members_to_json(t, p)));
    }
    return list;
}

static json_t *problems_to_json(const struct partitions_problems *problems)
{
    json_t *list = json_array();

    for (size_t i = 0; i < problems->count && list; i++)
        list =
            append(list, json_pack("{s:I, s:s, s:s}", "line", (json_int_t)problems->items[i].line,
                                   "kind", partitions_kind_name(problems->items[i].kind), "text",
                                   problems->items[i].text));
    return list;
}

static int print_json(const struct partitions *t)
{
    return json_print(json_pack("{s:s, s:b, s:o, s:o}", "schema", "weft.partitions.lint/1",
                                "refused", (int)t->refused, "partitions", partitions_to_json(t),
                                "problems", problems_to_json(&t->problems)));
}

/* Groups of ports by name, single ports by number. */
static void print_partition(const struct partitions *t, const struct partitions_partition *p)
{
    static const char *const words[] = {"limited", "full", "both"};
    size_t ports[3] = {0};
    const char *between = " ";
    char name[NAME_SHOWN_BYTES];

    printf("0x%04x %s:", p->key, printable(p->name, name, sizeof(name)));
    for (uint32_t i = p->first; i != PARTITIONS_NONE; i = t->members[i].next) {
        const struct partitions_member *m = &t->members[i];

        if (!m->overruled && m->who == PARTITIONS_GUID)
            ports[m->membership]++;
        if (m->overruled || m->who == PARTITIONS_GUID)
            continue;
        printf("%s%s=%s", between, partitions_who_name(m->who),
               partitions_membership_name(m->membership));
        between = ", ";
    }
    for (int i = 0; i < 3; i++) {
        if (ports[i] == 0)
            continue;
        printf("%s%zu port%s %s", between, ports[i], ports[i] == 1 ? "" : "s", words[i]);
        between = ", ";
    }
    putchar('\n');
}

static void print_text(const struct partitions_request *request, const struct partitions *t)
{
    const struct partitions_problems *problems = &t->problems;
    size_t count = problems->count + problems->dropped;
    char shown[PRINTABLE_PATH_BYTES];
    const char *file = printable(shown_name(request), shown, sizeof(shown));
    uint32_t made = 0;

    for (size_t i = 0; i < problems->count; i++)
        printf("%s:%" PRIu32 ": %s: %s\n", file, problems->items[i].line,
               partitions_kind_name(problems->items[i].kind), problems->items[i].text);
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->items[i].first == PARTITIONS_NONE)
            continue;
        print_partition(t, &t->items[i]);
        made++;
    }
    printf("%s: %" PRIu32 " partition%s%s; %zu problem%s", file, made, made == 1 ? "" : "s",
           t->refused ? ", without what the file says" : "", count, count == 1 ? "" : "s");
    if (t->stop_line != 0)
        printf("; OpenSM stops in line %" PRIu32, t->stop_line);
    putchar('\n');
}

int partitions_action_lint(const struct partitions_request *request)
{
    struct partitions *t = NULL;
    int exit_code = load(request, &t);

    if (!t)
        return exit_code;
    if (request->json)
        exit_code = print_json(t);
    else
        print_text(request, t);
    if (t->problems.dropped > 0)
        message("%zu more problems are not listed", t->problems.dropped);
    if (exit_code == CLI_DONE && t->problems.count > 0)
        exit_code = CLI_PART;
    partitions_free(t);
    return exit_code;
}
