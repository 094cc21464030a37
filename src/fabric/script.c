/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scripts: parsed lines in a pool, those that wait for their time in a timer queue. */
#include "fabric/script.h"

#include "core/base/pool.h"
#include "fabric/command.h"
#include "fabric/flight.h"

#include <stdio.h>
#include <string.h>

/* The first two words are the pool's; the first one is free for use while the line is taken. */
struct line {
    uint32_t following, generation; /* the next line of the script being read, or POOL_NONE */
    struct command command;
    uint64_t number; /* of a line that waits */
    weft_time next, every, until;
    bool waits;
    char text[WORDS_LINE_BYTES + 1];
};

struct script {
    struct pool pool;
    struct line *lines;
    struct timers timers;
    struct timer *heap;
    uint32_t *place;
    uint64_t numbered; /* lines that have waited so far */
    uint32_t moves;    /* lines in the pool that change which ports have a cable */
};

int script_new(struct fabric *f)
{
    struct script *s = fabric_take(f, 1, sizeof(*s));

    if (!s)
        return WEFT_ERR_NOMEM;
    f->script = s;
    s->lines = fabric_take(f, SCRIPT_LINES_MAX, sizeof(*s->lines));
    s->heap = fabric_take(f, SCRIPT_LINES_MAX, sizeof(*s->heap));
    s->place = fabric_take(f, SCRIPT_LINES_MAX, sizeof(*s->place));
    if (!s->lines || !s->heap || !s->place) {
        script_free(f);
        return WEFT_ERR_NOMEM;
    }
    pool_init(&s->pool, s->lines, sizeof(*s->lines), SCRIPT_LINES_MAX);
    timers_init(&s->timers, s->heap, s->place, SCRIPT_LINES_MAX);
    return 0;
}

void script_free(struct fabric *f)
{
    struct script *s = f->script;

    if (!s)
        return;
    fabric_give(f, s->place, SCRIPT_LINES_MAX, sizeof(*s->place));
    fabric_give(f, s->heap, SCRIPT_LINES_MAX, sizeof(*s->heap));
    fabric_give(f, s->lines, SCRIPT_LINES_MAX, sizeof(*s->lines));
    fabric_give(f, s, 1, sizeof(*s));
    f->script = NULL;
}

static struct line *line_at(const struct script *s, uint32_t slot)
{
    return pool_at(&s->pool, slot);
}

static void forget(struct fabric *f, struct line *line)
{
    f->script->moves -= command_moves_cables(&line->command);
    pool_give(&f->script->pool, line);
    f->stats.scheduled = f->script->pool.used;
}

static void arm(struct fabric *f, struct line *line)
{
    line->number = ++f->script->numbered;
    timers_arm(&f->script->timers, pool_slot(&f->script->pool, line), line->next);
    /* The scheduler keeps the earliest of the times that it is told. */
    flight_add(f, line->next, FLIGHT_SCRIPT, 0, NULL);
}

static void say_full(struct fabric_error *error)
{
    snprintf(error->text, sizeof(error->text), "at most %d faults can be in force: end some first",
             FAULTS_MAX);
}

/* Does a command, or counts that it could not be done. */
static int attempt(struct fabric *f, const struct command *c, struct fabric_error *error)
{
    int err = WEFT_ERR_FULL;

    if (command_faults(f, c) <= faults_room(f))
        err = command_do(f, c, error);
    else
        say_full(error);
    if (err != 0)
        f->stats.refused++;
    return err;
}

void script_due(struct fabric *f)
{
    struct timers *t = &f->script->timers;
    struct fabric_error ignored;
    weft_time next;
    uint32_t slot;

    while (f->work_left > 0 && timers_pop(t, f->now, &slot)) {
        struct line *line = line_at(f->script, slot);

        fabric_work(f);
        (void)attempt(f, &line->command, &ignored);
        if (line->every == 0 || line->until - line->next < line->every) {
            forget(f, line);
            continue;
        }
        line->next += line->every;
        timers_arm(t, slot, line->next);
    }
    next = timers_deadline(t);
    if (next != WEFT_TIME_NEVER)
        flight_add(f, next > f->now ? next : f->now, FLIGHT_SCRIPT, 0, NULL);
}

bool script_next(const struct fabric *f, uint32_t *pos, struct script_waiting *ret)
{
    const struct line *line = pool_next(&f->script->pool, pos);

    if (!line)
        return false;
    *ret = (struct script_waiting){line->number, line->next, line->every, line->until, line->text};
    return true;
}

/* A line of a script that is being read, or that is being done, is not armed. */
static bool is_armed(const struct fabric *f, const struct line *line)
{
    return timers_armed(&f->script->timers, pool_slot(&f->script->pool, line));
}

bool script_waits(const struct fabric *f, uint64_t number)
{
    const struct line *line;
    uint32_t pos = 0;

    while ((line = pool_next(&f->script->pool, &pos)))
        if (line->number == number && is_armed(f, line))
            return true;
    return false;
}

bool script_moves_cables(const struct fabric *f)
{
    return f->script->moves > 0;
}

void script_cancel(struct fabric *f, uint64_t number)
{
    struct line *line;
    uint32_t pos = 0;

    while ((line = pool_next(&f->script->pool, &pos))) {
        if ((number != 0 && line->number != number) || !is_armed(f, line))
            continue;
        timers_disarm(&f->script->timers, pool_slot(&f->script->pool, line));
        forget(f, line);
    }
}

/* Times of lines: when they were given, and when the line before is done. */
struct clock {
    weft_time given, before;
};

static weft_time later(weft_time from, weft_time by)
{
    if (from == WEFT_TIME_NEVER)
        return from;
    return by > WEFT_TIME_NEVER - 1 - from ? WEFT_TIME_NEVER - 1 : from + by;
}

/* Parses a line into a new entry of the pool.
 * @param ret  NULL when the line says nothing */
static int read_line(struct fabric *f, struct clock *clock, const char *text, size_t length,
                     struct line **ret, struct fabric_error *error)
{
    struct command command;
    struct command_time when;
    struct line *line;
    int err = command_parse(f, text, length, &command, &when, error);

    *ret = NULL;
    if (err != 0 || command.verb == COMMAND_NOTHING)
        return err;
    line = pool_take(&f->script->pool);
    if (!line) {
        snprintf(error->text, sizeof(error->text), "%d lines wait already: no more fit",
                 SCRIPT_LINES_MAX);
        return WEFT_ERR_FULL;
    }
    line->command = command;
    f->script->moves += command_moves_cables(&command);
    line->waits = when.start != COMMAND_NOW;
    line->next = later(when.start == COMMAND_AFTER ? clock->before : clock->given, when.offset_ns);
    line->every = when.every_ns;
    line->until =
        when.until_ns == WEFT_TIME_NEVER ? WEFT_TIME_NEVER : later(clock->given, when.until_ns);
    while (strchr(" \t\r", text[length - 1]))
        length--;
    memcpy(line->text, text, length);
    line->text[length] = '\0';
    clock->before = line->next;
    *ret = line;
    return 0;
}

/* Lines that have been read and are not in force yet. */
struct batch {
    uint32_t first, last; /* slots, or POOL_NONE */
    uint32_t fresh;       /* faults that its lines without a time bring at most */
};

static void add(struct fabric *f, struct batch *b, struct line *line)
{
    uint32_t slot = pool_slot(&f->script->pool, line);

    line->following = POOL_NONE;
    if (b->first == POOL_NONE)
        b->first = slot;
    else
        line_at(f->script, b->last)->following = slot;
    b->last = slot;
    if (!line->waits)
        b->fresh += command_faults(f, &line->command);
}

/* Ends a batch: its lines are done or wait, or, after an error, are forgotten.
 * @param ret_remark  what is to be known of a line that was done, or why it was not; or left as it
 *                    is
 * @return what came of the last line done */
static int end(struct fabric *f, const struct batch *b, bool forgotten,
               struct fabric_error *ret_remark)
{
    uint32_t slot = b->first;
    int err = 0;

    while (slot != POOL_NONE) {
        struct line *line = line_at(f->script, slot);

        slot = line->following;
        if (!forgotten && line->waits && line->next <= line->until) {
            arm(f, line);
            continue;
        }
        if (!forgotten && !line->waits) {
            err = attempt(f, &line->command, ret_remark);
            if (err == 0)
                command_remark(f, &line->command, ret_remark);
        }
        forget(f, line);
    }
    f->stats.scheduled = f->script->pool.used;
    return err;
}

static int check_room(const struct fabric *f, const struct batch *b, struct fabric_error *error)
{
    if (b->fresh <= faults_room(f))
        return 0;
    say_full(error);
    return WEFT_ERR_FULL;
}

/* Reads and begins a script.
 * @param ret_last  what came of the last line done at once */
static int play(struct fabric *f, weft_time now, const char *text, size_t bytes, uint32_t *ret_line,
                int *ret_last, struct fabric_error *error)
{
    struct batch batch = {POOL_NONE, POOL_NONE, 0};
    struct clock clock = {now, now};
    const char *end_of_text = text + bytes;
    uint32_t number = 0;
    int err = fabric_advance(f, now);

    if (err != 0)
        snprintf(error->text, sizeof(error->text), "%s", weft_strerror(err));
    while (err == 0 && text < end_of_text) {
        size_t rest = (size_t)(end_of_text - text);
        const char *newline = memchr(text, '\n', rest);
        size_t length = newline ? (size_t)(newline - text) : rest;
        struct line *line;

        number++;
        err = read_line(f, &clock, text, length, &line, error);
        if (err == 0 && line)
            add(f, &batch, line);
        if (err == 0)
            err = check_room(f, &batch, error);
        text += newline ? length + 1 : length;
    }
    if (err == 0)
        error->text[0] = '\0';
    *ret_last = end(f, &batch, err != 0, error);
    if (err != 0) {
        *ret_line = number;
        return err;
    }
    fabric_settle(f);
    return 0;
}

int fabric_script(struct fabric *f, weft_time now, const char *text, size_t bytes,
                  uint32_t *ret_line, struct fabric_error *error)
{
    int last;

    return play(f, now, text, bytes, ret_line, &last, error);
}

int fabric_command(struct fabric *f, weft_time now, const char *line, struct fabric_error *error)
{
    uint32_t number;
    int last = 0;
    int err = play(f, now, line, strlen(line), &number, &last, error);

    return err != 0 ? err : last;
}
