/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of hosts and switches as clusters have them, from what stands in NodeDescriptions. */
#include "topology/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A part of a text. */
struct span {
    const char *text;
    size_t length;
};

static bool is_legal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_';
}

/* Appends a text; what is not legal becomes an underscore, a row of such becomes one. */
static void append(struct topo_legal_name *name, struct span s)
{
    size_t length = strlen(name->text);

    for (size_t i = 0; i < s.length && length < TOPO_LEGAL_BYTES - 1; i++) {
        bool legal = is_legal(s.text[i]);

        if (!legal && (length == 0 || name->text[length - 1] == '_'))
            continue;
        name->text[length++] = '_';
        if (legal)
            name->text[length - 1] = s.text[i];
    }
    while (length > 0 && name->text[length - 1] == '_')
        length--;
    name->text[length] = '\0';
}

static struct topo_legal_name made_of_identity(const struct topo_node *node, const char *kind)
{
    struct topo_legal_name name = {.text = ""};

    if (node->guid != 0)
        snprintf(name.text, sizeof(name.text), "%s-%016" PRIx64, kind, node->guid);
    else
        append(&name, (struct span){node->id, strlen(node->id)});
    if (name.text[0] == '\0')
        snprintf(name.text, sizeof(name.text), "%s", kind);
    return name;
}

/* Words that configuration files give a meaning of their own. */
static bool is_reserved(const char *name)
{
    return strcasecmp(name, "default") == 0 || strcasecmp(name, "all") == 0 ||
           strcasecmp(name, "none") == 0;
}

static struct topo_legal_name made_of(struct span s, const struct topo_node *node, const char *kind)
{
    struct topo_legal_name name = {.text = ""};

    append(&name, s);
    if (name.text[0] == '\0' || is_reserved(name.text))
        return made_of_identity(node, kind);
    return name;
}

bool topo_name_is_generic(const char *name)
{
    return name[strspn(name, " \t")] == '\0' || strstr(name, "Mellanox Technologies");
}

bool topo_name_has_word(const char *name, const char *word)
{
    size_t length = strlen(word);

    for (name += strspn(name, " "); *name != '\0'; name += strspn(name, " ")) {
        size_t here = strcspn(name, " ");

        if (here == length && memcmp(name, word, length) == 0)
            return true;
        name += here;
    }
    return false;
}

static struct span first_word(const char *name)
{
    name += strspn(name, " ");
    return (struct span){name, strcspn(name, " ")};
}

static struct span last_word(const char *name)
{
    size_t end = strlen(name);
    size_t start;

    while (end > 0 && name[end - 1] == ' ')
        end--;
    for (start = end; start > 0 && name[start - 1] != ' '; start--)
        continue;
    return (struct span){name + start, end - start};
}

struct topo_legal_name topo_host_name(const struct topo_node *node, enum topo_host_names how)
{
    if (how == TOPO_HOST_GUID || topo_name_is_generic(node->name))
        return made_of_identity(node, "host");
    if (how == TOPO_HOST_WHOLE)
        return made_of((struct span){node->name, strlen(node->name)}, node, "host");
    return made_of(how == TOPO_HOST_FIRST ? first_word(node->name) : last_word(node->name), node,
                   "host");
}

/* A managed switch says "MF0;SYSTEM:MODEL/CHIP": the system's name. All of another text. */
static struct topo_legal_name short_switch_name(const struct topo_node *node)
{
    const char *start = strchr(node->name, ';');
    const char *end = start ? strchr(start, ':') : NULL;

    if (topo_name_is_generic(node->name))
        return made_of_identity(node, "switch");
    if (end && end > start + 1)
        return made_of((struct span){start + 1, (size_t)(end - start - 1)}, node, "switch");
    return made_of((struct span){node->name, strlen(node->name)}, node, "switch");
}

/* The switch chips of a director share its name: what stands behind the model tells them apart. */
static void add_chip(struct topo_legal_name *name, const struct topo_node *node)
{
    const char *colon = strchr(node->name, ':');
    const char *chip = colon ? strchr(colon, '/') : NULL;

    if (!strchr(node->name, ';') || !chip)
        return;
    append(name, (struct span){"-", 1});
    for (chip++; *chip != '\0'; chip += strspn(chip, "/")) {
        size_t length = strcspn(chip, "/");

        append(name, (struct span){chip, length});
        chip += length;
        if (*chip == '/')
            append(name, (struct span){"-", 1});
    }
}

static void add_guid(struct topo_legal_name *name, const struct topo_node *node)
{
    char guid[20];

    if (node->guid == 0)
        return;
    snprintf(guid, sizeof(guid), "-%016" PRIx64, node->guid);
    append(name, (struct span){guid, strlen(guid)});
}

static int by_text(const void *x, const void *y)
{
    return strcmp((*(const struct topo_legal_name *const *)x)->text,
                  (*(const struct topo_legal_name *const *)y)->text);
}

/* Pointers to the names that are not empty, sorted. */
static struct topo_legal_name **sorted(struct topo_legal_name *names, size_t count, size_t *ret)
{
    struct topo_legal_name **list = malloc((count + 1) * sizeof(struct topo_legal_name *));
    size_t used = 0;

    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (names[i].text[0] != '\0')
            list[used++] = &names[i];
    qsort(list, used, sizeof(struct topo_legal_name *), by_text);
    *ret = used;
    return list;
}

/* Changes all names that are there more than once. Gives false when there is no memory. */
static bool lengthen(struct topo_legal_name *names, const struct topo *t,
                     void (*add)(struct topo_legal_name *, const struct topo_node *))
{
    size_t used;
    struct topo_legal_name **list = sorted(names, t->node_count, &used);
    size_t end;

    if (!list)
        return false;
    for (size_t i = 0; i < used; i = end) {
        for (end = i + 1; end < used && strcmp(list[i]->text, list[end]->text) == 0; end++)
            continue;
        for (size_t k = i; k < end && end - i > 1; k++)
            add(list[k], &t->nodes[list[k] - names]);
    }
    free(list);
    return true;
}

int topo_names_settle(struct topo_legal_name *names, size_t count)
{
    size_t used;
    struct topo_legal_name **list = sorted(names, count, &used);
    bool different = true;

    if (!list)
        return WEFT_ERR_NOMEM;
    for (size_t i = 1; i < used; i++)
        different = different && strcmp(list[i - 1]->text, list[i]->text) != 0;
    free(list);
    for (size_t i = 0; i < count && !different; i++)
        if (names[i].text[0] != '\0')
            snprintf(names[i].text, sizeof(names[i].text), "switch-%zu", i);
    return 0;
}

struct topo_legal_name *topo_switch_names(const struct topo *t)
{
    struct topo_legal_name *names = calloc((size_t)t->node_count + 1, sizeof(*names));

    if (!names)
        return NULL;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].type == TOPO_SWITCH)
            names[i] = short_switch_name(&t->nodes[i]);
    if (!lengthen(names, t, add_chip) || !lengthen(names, t, add_guid) ||
        topo_names_settle(names, t->node_count) != 0) {
        free(names);
        return NULL;
    }
    return names;
}
