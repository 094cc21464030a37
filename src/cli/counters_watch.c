/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks at counters again and again: a screen on a terminal, lines elsewhere. */
#include "cli/counters_watch.h"

#include "cli/counters_screen.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Of a terminal that does not say its size. */
#define SCREEN_ROWS    24
#define SCREEN_COLUMNS 80

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* What was changed about the process and its terminal. */
struct stage {
    bool screen;
    struct termios before;
    struct sigaction old_int, old_term;
    struct counters_screen shown;
};

static void stage_enter(struct stage *s)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct termios raw;

    interrupted = 0;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, &s->old_int);
    (void)sigaction(SIGTERM, &action, &s->old_term);
    s->screen = isatty(STDOUT_FILENO) != 0 && isatty(STDIN_FILENO) != 0 &&
                tcgetattr(STDIN_FILENO, &s->before) == 0;
    if (!s->screen)
        return;
    raw = s->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void stage_leave(struct stage *s)
{
    counters_screen_free(&s->shown);
    if (s->screen)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
    (void)sigaction(SIGINT, &s->old_int, NULL);
    (void)sigaction(SIGTERM, &s->old_term, NULL);
}

/* Waits for its time, or the end.
 * Returns whether to go on. */
static bool wait_until(const struct stage *s, weft_time until)
{
    while (!interrupted) {
        weft_time now = mad_link_clock();
        struct pollfd key = {.fd = s->screen ? STDIN_FILENO : -1, .events = POLLIN};
        char c;

        if (now >= until)
            return true;
        if (poll(&key, 1, (int)((until - now) / WEFT_MS % 1000 + 1)) > 0 &&
            (read(STDIN_FILENO, &c, 1) != 1 || c == 'q' || c == 'Q'))
            return false;
    }
    return false;
}

/* As strftime() says it. */
static const char *time_text(char ret[16])
{
    time_t now = time(NULL);
    struct tm tm;

    if (!localtime_r(&now, &tm) || strftime(ret, 16, "%H:%M:%S", &tm) == 0)
        ret[0] = '\0';
    return ret;
}

/* A line of what has happened: kept for the screen, or printed. */
static void happened(struct stage *s, const char *what, const struct counters_change *c)
{
    char time[16];
    char *text = NULL;
    size_t bytes = 0;
    FILE *line = open_memstream(&text, &bytes);

    if (!line)
        return;
    fprintf(line, "%s %s", time_text(time), what);
    if (c) {
        fputs(": ", line);
        counters_print_errors(c, line);
    }
    if (fclose(line) != 0) {
        free(text);
        text = NULL;
    }
    if (s->screen) {
        counters_screen_keep(&s->shown, text);
        return;
    }
    if (text)
        puts(text);
    free(text);
}

static void print_screen(const struct stage *s, const struct counters_changes *all,
                         weft_time period)
{
    struct winsize size = {.ws_row = 0};
    char title[128], time[16];

    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    (void)snprintf(title, sizeof(title),
                   "%s  %" PRIu32 " ports, each %" PRIu64 ".%01" PRIu64 " s; %" PRIu32
                   " not read; q quits",
                   time_text(time), all->count, period / WEFT_S, period % WEFT_S / (100 * WEFT_MS),
                   all->unread);
    counters_screen_print(&s->shown, all, title, size.ws_row > 0 ? size.ws_row : SCREEN_ROWS,
                          size.ws_col > 0 ? size.ws_col : SCREEN_COLUMNS, stdout);
}

/* Says what has happened; elsewhere than on a terminal nothing where nothing has. */
static int tell(struct stage *s, const struct counters_request *r, const struct counters_look *old,
                const struct counters_look *new)
{
    struct counters_changes all;
    char label[COUNTERS_LABEL_BYTES];
    bool good = counters_changes_init(&all, old, new);

    for (uint32_t i = 0; good && i < all.notice_count; i++)
        happened(s, all.notices[i], NULL);
    for (uint32_t i = 0; good && i < all.count && all.ports[i].has_errors; i++)
        happened(s, counters_label(all.sweep, all.ports[i].port, label), &all.ports[i]);
    if (good && s->screen)
        print_screen(s, &all, r->watch);
    (void)fflush(stdout);
    counters_changes_free(&all);
    return good ? CLI_DONE : message_failed("there is no memory for what has changed");
}

int counters_watch(const struct counters_request *r, struct counters_eye *e,
                   struct counters_look *first)
{
    struct stage stage = {.screen = false};
    weft_time next = mad_link_clock() + r->watch;
    int exit_code = CLI_DONE;

    stage_enter(&stage);
    printf("watching; the first look is done%s\n", stage.screen ? "; q quits" : "");
    (void)fflush(stdout);
    while (exit_code == CLI_DONE && wait_until(&stage, next)) {
        struct counters_look look = {.sweep = NULL};

        exit_code = counters_look(r, e, first, &look);
        if (exit_code == CLI_DONE) {
            exit_code = tell(&stage, r, first, &look);
            counters_look_free(first);
            *first = look;
        } else {
            /* The engine still borrows from what was not finished. */
            counters_eye_close(e);
            counters_look_free(&look);
        }
        next += r->watch;
        if (next < mad_link_clock())
            next = mad_link_clock() + r->watch;
    }
    stage_leave(&stage);
    return exit_code;
}
