/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Key=value into the fields of a scenario or a policy, with messages that list what there is. */
#include "cli/storm_params.h"

#include "cli/quantity.h"
#include "core/base/suggest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Text that is put together piece by piece in a message; what does not fit is left out. */
struct text {
    char *out;
    size_t size, used;
};

static void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void text_add(struct text *t, const char *format, ...)
{
    va_list ap;
    int length;

    va_start(ap, format);
    length = vsnprintf(t->out + t->used, t->size - t->used, format, ap);
    va_end(ap);
    if (length > 0)
        t->used += (size_t)length < t->size - t->used ? (size_t)length : t->size - t->used - 1;
}

static void explain_unknown_key(const struct storm_field *table, const char *key,
                                char why[STORM_WHY_BYTES])
{
    struct text t = {why, STORM_WHY_BYTES, 0};
    struct suggest near;

    suggest_start(&near, key);
    for (const struct storm_field *f = table; f->key; f++)
        suggest_offer(&near, f->key);
    text_add(&t, "there is no key \"%.64s\"", key);
    if (suggest_best(&near))
        text_add(&t, "; did you mean %s? The keys are:", suggest_best(&near));
    else
        text_add(&t, "; the keys are:");
    for (const struct storm_field *f = table; f->key; f++)
        text_add(&t, " %s", f->key);
}

static void explain_value(const struct storm_field *f, char why[STORM_WHY_BYTES])
{
    struct text t = {why, STORM_WHY_BYTES, 0};
    char min[QUANTITY_TEXT_BYTES];
    char max[QUANTITY_TEXT_BYTES];

    text_add(&t, "wants ");
    switch (f->unit) {
    case STORM_COUNT:
        text_add(&t, "a whole number from %" PRIu64 " to %" PRIu64, f->min, f->max);
        break;
    case STORM_DURATION:
        quantity_print_duration(f->min, min);
        quantity_print_duration(f->max, max);
        text_add(&t, "a duration from %s to %s, such as 4s, 500ms or 10us", min, max);
        break;
    case STORM_SHARE:
        text_add(&t, "a share from 0 to 1 (0.05) or a percentage (5%%)");
        break;
    case STORM_WORD:
        text_add(&t, "one of:");
        for (const char *const *word = f->words; *word; word++)
            text_add(&t, " %s", *word);
        break;
    }
}

static bool parse_word(const struct storm_field *f, const char *text, uint64_t *ret)
{
    for (uint64_t i = 0; f->words[i]; i++) {
        if (strcmp(f->words[i], text) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool parse_value(const struct storm_field *f, const char *text, uint64_t *ret)
{
    uint32_t share;
    bool ok = false;

    switch (f->unit) {
    case STORM_COUNT:
        ok = quantity_parse_count(text, ret);
        break;
    case STORM_DURATION:
        ok = quantity_parse_duration(text, ret);
        break;
    case STORM_SHARE:
        ok = quantity_parse_share(text, &share);
        if (ok)
            *ret = share;
        break;
    case STORM_WORD:
        return parse_word(f, text, ret);
    }
    return ok && *ret >= f->min && *ret <= f->max;
}

bool storm_params_set(const struct storm_field *table, void *of, const char *key, const char *text,
                      char why[STORM_WHY_BYTES])
{
    const struct storm_field *f = storm_field_find(table, key);
    uint64_t value;

    if (!f) {
        explain_unknown_key(table, key, why);
        return false;
    }
    if (!parse_value(f, text, &value)) {
        explain_value(f, why);
        return false;
    }
    storm_field_set(of, f, value);
    return true;
}

bool storm_params_assign(const struct storm_field *table, void *of, const char *assignment,
                         char why[STORM_WHY_BYTES])
{
    const char *equals = strchr(assignment, '=');
    char *key;
    bool ok;

    if (!equals || equals == assignment) {
        snprintf(why, STORM_WHY_BYTES, "not of the form key=value");
        return false;
    }
    key = strndup(assignment, (size_t)(equals - assignment));
    if (!key) {
        snprintf(why, STORM_WHY_BYTES, "no memory for the command line");
        return false;
    }
    ok = storm_params_set(table, of, key, equals + 1, why);
    free(key);
    return ok;
}

static void explain_unknown_policy(const char *name, char why[STORM_WHY_BYTES])
{
    struct text t = {why, STORM_WHY_BYTES, 0};
    struct suggest near;

    suggest_start(&near, name);
    for (const struct storm_policy_name *p = storm_policy_names; p->name; p++)
        suggest_offer(&near, p->name);
    text_add(&t, "there is no policy \"%.64s\"", name);
    if (suggest_best(&near))
        text_add(&t, "; did you mean %s? The policies are:", suggest_best(&near));
    else
        text_add(&t, "; the policies are:");
    for (const struct storm_policy_name *p = storm_policy_names; p->name; p++)
        text_add(&t, " %s", p->name);
}

/* The numbers of a policy against each other; the engine's own rules, in the user's words. */
static bool check_policy(const struct storm_policy *p, char why[STORM_WHY_BYTES])
{
    const char *rule = NULL;

    if (p->jitter_ns > p->base_ns)
        rule = "jitter may not be above base";
    else if (p->base_ns > p->cap_ns)
        rule = "base may not be above cap";
    else if (p->window_initial > p->window_max)
        rule = "window may not be above window-max";
    if (rule)
        snprintf(why, STORM_WHY_BYTES, "%s", rule);
    return !rule;
}

/* One word of a policy, which a message has to tell from the others. */
static bool assign_word(struct storm_policy *p, const char *word, char why[STORM_WHY_BYTES])
{
    char reason[STORM_WHY_BYTES];
    struct text t = {why, STORM_WHY_BYTES, 0};

    if (storm_params_assign(storm_policy_fields, p, word, reason))
        return true;
    text_add(&t, "\"%.64s\": %s", word, reason);
    return false;
}

bool storm_params_policy(const char *text, struct storm_policy *ret, char why[STORM_WHY_BYTES])
{
    char *words = strdup(text);
    char *rest = words;
    const char *word;
    bool ok;

    if (!words) {
        snprintf(why, STORM_WHY_BYTES, "no memory for the command line");
        return false;
    }
    word = strsep(&rest, ",");
    ok = storm_policy_named(word, ret) == 0;
    if (!ok)
        explain_unknown_policy(word, why);
    while (ok && (word = strsep(&rest, ",")))
        ok = assign_word(ret, word, why);
    ok = ok && check_policy(ret, why);
    free(words);
    return ok;
}

void storm_params_show(const struct storm_field *f, const void *of, char ret[STORM_VALUE_BYTES])
{
    static const struct {
        const char *name;
        uint64_t scale;
    } units[] = {{"s", WEFT_S}, {"ms", WEFT_MS}, {"us", WEFT_US}, {"ns", 1}};
    uint64_t value = storm_field_get(of, f);
    size_t i = 0;

    if (value == STORM_INHERIT) {
        snprintf(ret, STORM_VALUE_BYTES, "default");
        return;
    }
    switch (f->unit) {
    case STORM_COUNT:
        snprintf(ret, STORM_VALUE_BYTES, "%" PRIu64, value);
        break;
    case STORM_DURATION:
        while (value % units[i].scale != 0)
            i++;
        if (value == 0)
            snprintf(ret, STORM_VALUE_BYTES, "0");
        else
            snprintf(ret, STORM_VALUE_BYTES, "%" PRIu64 "%s", value / units[i].scale,
                     units[i].name);
        break;
    case STORM_SHARE:
        if (value % 1000000 == 0)
            snprintf(ret, STORM_VALUE_BYTES, "%" PRIu64, value / 1000000);
        else
            snprintf(ret, STORM_VALUE_BYTES, "0.%06" PRIu64, value);
        break;
    case STORM_WORD:
        snprintf(ret, STORM_VALUE_BYTES, "%s", f->words[value]);
        break;
    }
}
