/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plays scenarios: narration behind `#`, commands, and below each command, indented, what happens.
 * Prints TAP; of a scenario that went otherwise the first different line is shown. */
#include "stage.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDENT "    "

enum {
    CONTEXT_LINES = 4
};

/* Lines of a text; each has its own memory. */
struct lines {
    char **line;
    size_t count, room;
};

static void lines_add(struct lines *l, const char *prefix, const char *text)
{
    size_t len = strlen(prefix) + strlen(text) + 1;

    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->line = reallocarray(l->line, l->room, sizeof(*l->line));
    }
    if (l->line)
        l->line[l->count] = malloc(len);
    if (!l->line || !l->line[l->count])
        abort();
    snprintf(l->line[l->count++], len, "%s%s", prefix, text);
}

static void lines_done(struct lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->line[i]);
    free(l->line);
}

static bool lines_read(struct lines *l, const char *path)
{
    FILE *in = fopen(path, "r");
    size_t room = 0;
    char *line = NULL;

    if (!in)
        return false;
    while (getline(&line, &room, in) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        lines_add(l, "", line);
    }
    free(line);
    fclose(in);
    return true;
}

static bool lines_write(const struct lines *l, const char *path)
{
    FILE *out = fopen(path, "w");

    if (!out)
        return false;
    for (size_t i = 0; i < l->count; i++)
        fprintf(out, "%s\n", l->line[i]);
    return fclose(out) == 0;
}

static void tell(void *ctx, const char *line)
{
    lines_add(ctx, INDENT, line);
}

/* Plays the commands of `script` and writes the history down: narration, commands, what happened.
 * @return NULL, or what is wrong with a command */
static const char *play(const struct lines *script, struct lines *history)
{
    struct stage *stage = stage_new(tell, history);
    const char *problem = NULL;

    for (size_t i = 0; i < script->count && !problem; i++) {
        const char *line = script->line[i];

        if (strncmp(line, INDENT, strlen(INDENT)) == 0)
            continue;
        lines_add(history, "", line);
        if (line[0] != '#' && line[0] != '\0')
            problem = stage_do(stage, line);
    }
    if (problem)
        tell(history, problem);
    stage_free(stage);
    return problem;
}

/* Shows where two texts differ first; true if they do not. */
static bool compare(const struct lines *expected, const struct lines *got)
{
    size_t i = 0;

    while (i < expected->count && i < got->count && strcmp(expected->line[i], got->line[i]) == 0)
        i++;
    if (i == expected->count && i == got->count)
        return true;
    for (size_t j = i > CONTEXT_LINES ? i - CONTEXT_LINES : 0; j < i; j++)
        printf("#            %s\n", got->line[j]);
    printf("# line %zu\n", i + 1);
    printf("#   expected %s\n", i < expected->count ? expected->line[i] : "(the end)");
    printf("#   got      %s\n", i < got->count ? got->line[i] : "(the end)");
    return false;
}

static bool run(const char *path, bool update)
{
    struct lines expected = {NULL, 0, 0}, history = {NULL, 0, 0};
    bool good = lines_read(&expected, path);

    if (!good) {
        printf("# cannot read %s: %s\n", path, strerror(errno));
    } else {
        const char *problem = play(&expected, &history);

        good = !problem;
        if (update && good)
            good = lines_write(&history, path);
        else
            good = compare(&expected, &history) && good;
    }
    lines_done(&expected);
    lines_done(&history);
    return good;
}

/* The scenario's title is the first line of narration behind the licence. */
static void print_verdict(const char *path, bool good, int number)
{
    struct lines l = {NULL, 0, 0};
    const char *title = path;

    if (lines_read(&l, path) && l.count > 1 && strncmp(l.line[1], "# ", 2) == 0)
        title = l.line[1] + 2;
    printf("%sok %d - %s\n", good ? "" : "not ", number, title);
    lines_done(&l);
}

static int is_scenario(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && strcmp(end, ".txt") == 0;
}

int main(int argc, char **argv)
{
    bool update = argc == 3 && strcmp(argv[2], "--update") == 0, all = true;
    struct dirent **entries = NULL;
    int count;

    if (argc < 2 || (argc > 2 && !update)) {
        fprintf(stderr, "usage: timeline FOLDER [--update]\n"
                        "--update: write what happens into the scenarios, to be read and kept\n");
        return 2;
    }
    count = scandir(argv[1], &entries, is_scenario, alphasort);
    if (count <= 0) {
        printf("not ok 1 - %s has no scenarios\n1..1\n", argv[1]);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        bool good;

        snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
        good = run(path, update);
        print_verdict(path, good, i + 1);
        all = all && good;
        free(entries[i]);
    }
    free(entries);
    printf("1..%d\n", count);
    return all ? 0 : 1;
}
