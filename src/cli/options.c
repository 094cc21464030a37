/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A verb's options: libpopt finds them, the values are read strictly here. */
#include "cli/options.h"

#include "cli/message.h"
#include "cli/quantity.h"
#include "cli/verb.h"
#include "core/base/suggest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above the `val` of every verb's own options. */
#define OPTION_HELP 0x10000

static const struct poptOption help_table[] = {
    {"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},
    POPT_TABLEEND,
};

static void stop(struct options *o, int exit_code)
{
    o->stopped = true;
    o->exit_code = exit_code;
}

void options_refuse(struct options *o, const char *format, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    stop(o, message_usage(o->about->verb, "%s", text));
}

static void print_help(struct options *o)
{
    poptPrintHelp(o->context, stdout, 0);
    printf("\n%s\nThe manual page weft-%s(1) has examples.\n", o->about->text,
           o->about->page ? o->about->page : o->about->verb);
    stop(o, CLI_DONE);
}

/* The name that popt's usage line shows as argv[0]. */
static char *full_name(const char *verb)
{
    char *name = NULL;

    return asprintf(&name, "weft %s", verb) < 0 ? NULL : name;
}

void options_start(struct options *o, const struct options_about *about, int argc,
                   const char **argv)
{
    memset(o, 0, sizeof(*o));
    o->about = about;
    o->name = full_name(about->verb);
    o->argv = argv;
    if (!o->name) {
        stop(o, message_failed("no memory for the command line"));
        return;
    }
    argv[0] = o->name;
    /* popt takes the tables as mutable but writes only through `arg`, which is a table here. */
    o->table[0] = (struct poptOption){
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)about->table, 0, "Options:", NULL};
    o->table[1] = (struct poptOption){
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)help_table, 0, "Help:", NULL};
    o->table[2] = (struct poptOption)POPT_TABLEEND;
    o->context =
        poptGetContext(NULL, argc, argv, o->table, about->runs ? POPT_CONTEXT_POSIXMEHARDER : 0);
    if (!o->context) {
        stop(o, message_failed("no memory for the command line"));
        return;
    }
    poptSetOtherOptionHelp(o->context, about->arguments);
}

/* The option of the verb whose name is nearest to a wrong one, or NULL. */
static const char *nearest_option(const struct options *o, const char *wrong)
{
    struct suggest near;

    suggest_start(&near, wrong);
    for (const struct poptOption *p = o->about->table; p->longName; p++)
        suggest_offer(&near, p->longName);
    suggest_offer(&near, "help");
    return suggest_best(&near);
}

static void refuse_option(struct options *o, int error)
{
    const char *word = poptBadOption(o->context, POPT_BADOPTION_NOALIAS);
    /* Of "--name=value" only the name is unknown. */
    int length = (int)strcspn(word, "=");
    char name[64];
    const char *near = NULL;

    if (error != POPT_ERROR_BADOPT) {
        options_refuse(o, "%s: %s", word, poptStrerror(error));
        return;
    }
    if (strncmp(word, "--", 2) == 0 && length < (int)sizeof(name)) {
        snprintf(name, sizeof(name), "%.*s", length - 2, word + 2);
        near = nearest_option(o, name);
    }
    if (!near)
        options_refuse(o, "%s has no option %.*s", o->about->verb, length, word);
    else
        options_refuse(o, "%s has no option %.*s; did you mean --%s?", o->about->verb, length, word,
                       near);
}

int options_next(struct options *o)
{
    int val;

    if (o->stopped)
        return 0;
    free(o->value);
    o->value = NULL;
    val = poptGetNextOpt(o->context);
    if (val == -1)
        return 0;
    if (val < 0) {
        refuse_option(o, val);
        return 0;
    }
    if (val == OPTION_HELP) {
        print_help(o);
        return 0;
    }
    o->current = val;
    o->value = poptGetOptArg(o->context);
    return val;
}

bool options_stopped(const struct options *o)
{
    return o->stopped;
}

int options_done(struct options *o)
{
    free(o->value);
    o->value = NULL;
    if (o->context)
        o->context = poptFreeContext(o->context);
    o->argv[0] = o->about->verb;
    free(o->name);
    o->name = NULL;
    return o->exit_code;
}

const char *options_text(const struct options *o)
{
    return o->value;
}

const char *options_name(const struct options *o)
{
    const struct poptOption *p = o->about->table;

    while (p->val != o->current)
        p++;
    return p->longName;
}

void options_count(struct options *o, uint64_t min, uint64_t max, uint64_t *ret)
{
    uint64_t value;

    if (!quantity_parse_count(o->value, &value) || value < min || value > max)
        options_refuse(o, "--%s \"%s\": wants a whole number from %" PRIu64 " to %" PRIu64,
                       options_name(o), o->value, min, max);
    else
        *ret = value;
}

void options_duration(struct options *o, weft_time min, weft_time max, weft_time *ret)
{
    char min_text[QUANTITY_TEXT_BYTES];
    char max_text[QUANTITY_TEXT_BYTES];
    weft_time value;

    if (quantity_parse_duration(o->value, &value) && value >= min && value <= max) {
        *ret = value;
        return;
    }
    quantity_print_duration(min, min_text);
    quantity_print_duration(max, max_text);
    options_refuse(o, "--%s \"%s\": wants a duration from %s to %s, such as 4s, 500ms or 10us",
                   options_name(o), o->value, min_text, max_text);
}

void options_share(struct options *o, uint32_t *ret_millionths)
{
    if (!quantity_parse_share(o->value, ret_millionths))
        options_refuse(o, "--%s \"%s\": wants a share from 0 to 1 (0.05) or a percentage (5%%)",
                       options_name(o), o->value);
}

void options_factor(struct options *o, uint64_t min, uint64_t max, uint64_t *ret_thousandths)
{
    char min_text[QUANTITY_TEXT_BYTES];
    char max_text[QUANTITY_TEXT_BYTES];
    uint64_t value;

    if (quantity_parse_factor(o->value, &value) && value >= min && value <= max) {
        *ret_thousandths = value;
        return;
    }
    quantity_print_factor(min, min_text);
    quantity_print_factor(max, max_text);
    options_refuse(o, "--%s \"%s\": wants a number from %s to %s with at most three decimals",
                   options_name(o), o->value, min_text, max_text);
}

void options_word(struct options *o, const char *const words[], size_t *ret_index)
{
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], o->value) == 0) {
            *ret_index = i;
            return;
        }
        if (used < sizeof(list))
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "",
                                     words[i]);
    }
    options_refuse(o, "--%s \"%s\": wants one of: %s", options_name(o), o->value, list);
}

void options_keep(struct options *o, const char *wants, char **ret)
{
    char *text;

    if (wants && o->value[0] == '\0') {
        options_refuse(o, "--%s \"\": wants %s", options_name(o), wants);
        return;
    }
    text = strdup(o->value);
    if (!text)
        options_refuse(o, "no memory for the command line");
    free(*ret);
    *ret = text;
}

static const char *action_name(const void *actions, size_t size, size_t i)
{
    const char *name;

    memcpy(&name, (const char *)actions + i * size, sizeof(name));
    return name;
}

/* All names: "a, b, c" and, before the last one, the word that joins them. */
static void list_actions(const void *actions, size_t size, const char *join, char ret[256])
{
    size_t used = 0;

    ret[0] = '\0';
    for (size_t i = 0; action_name(actions, size, i) && used < 256; i++) {
        const char *between = action_name(actions, size, i + 1) ? ", " : join;

        used += (size_t)snprintf(ret + used, 256 - used, "%s%s", i == 0 ? "" : between,
                                 action_name(actions, size, i));
    }
}

const void *options_action(struct options *o, const void *actions, size_t size)
{
    const char *word = options_argument(o);
    const char *verb = o->about->verb;
    const char *lacks = o->about->asks ? "has no" : "cannot";
    struct suggest near;
    char list[256];

    if (o->stopped)
        return NULL;
    if (!word) {
        list_actions(actions, size, " or ", list);
        options_refuse(o, "what %s? %s is missing", o->about->asks ? "is asked" : "should it do",
                       list);
        return NULL;
    }
    suggest_start(&near, word);
    for (size_t i = 0; action_name(actions, size, i); i++) {
        if (strcmp(action_name(actions, size, i), word) == 0)
            return (const char *)actions + i * size;
        suggest_offer(&near, action_name(actions, size, i));
    }
    list_actions(actions, size, " and ", list);
    if (suggest_best(&near))
        options_refuse(o, "%s %s \"%s\"; did you mean \"%s\"?", verb, lacks, word,
                       suggest_best(&near));
    else
        options_refuse(o, "%s %s \"%s\"; it %s %s", verb, lacks, word,
                       o->about->asks ? "has" : "can", list);
    return NULL;
}

const char *options_argument(struct options *o)
{
    return o->stopped ? NULL : poptGetArg(o->context);
}

const char *const *options_arguments(struct options *o)
{
    return o->stopped ? NULL : (const char *const *)poptGetArgs(o->context);
}

void options_no_more_arguments(struct options *o)
{
    const char *extra = options_argument(o);

    if (extra)
        options_refuse(o, "%s does not know what to do with \"%s\"", o->about->verb, extra);
}
