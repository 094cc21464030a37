/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks at counters again and again: a screen on a terminal, lines elsewhere. */
#include "cli/counters_watch.h"

#include "cli/counters_changes.h"
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

/* Lines of a screen that are no ports: title, headings, last line. */
#define SCREEN_FRAME 4

#define CLEAR "\033[H\033[2J"

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

static void stage_leave(const struct stage *s)
{
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

static void print_time(void)
{
    time_t now = time(NULL);
    struct tm tm;
    char text[16] = "";

    if (localtime_r(&now, &tm))
        (void)strftime(text, sizeof(text), "%H:%M:%S", &tm);
    fputs(text, stdout);
}

static void print_errors(const struct counters_change *c)
{
    const char *comma = "";

    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++) {
        if (!weft_pma_has(c->errors, i))
            continue;
        printf("%s%s +%" PRIu64 "%s", comma, weft_pma_name((enum weft_pma_counter)i),
               c->delta.value[i], weft_pma_has(c->delta.at_least, i) ? " or more" : "");
        comma = ", ";
    }
    if (c->delta.reset != 0)
        printf("%ssomebody has reset counters", comma);
}

/* Lines: what has happened, and nothing where nothing has. */
static void print_lines(const struct counters_changes *all)
{
    char label[COUNTERS_LABEL_BYTES];

    for (uint32_t i = 0; i < all->notice_count; i++) {
        print_time();
        printf(" %s\n", all->notices[i]);
    }
    for (uint32_t i = 0; i < all->count && all->ports[i].has_errors; i++) {
        print_time();
        printf(" %s: ", counters_label(all->sweep, all->ports[i].port, label));
        print_errors(&all->ports[i]);
        putchar('\n');
    }
    (void)fflush(stdout);
}

static uint64_t rate(uint64_t count, weft_time between)
{
    return between == 0 ? 0 : (uint64_t)((double)count * 1e9 / (double)between);
}

static void print_row(const struct counters_changes *all, const struct counters_change *c)
{
    char label[COUNTERS_LABEL_BYTES];
    char sent[COUNTERS_BYTES_TEXT], received[COUNTERS_BYTES_TEXT];

    (void)counters_bytes(rate(c->delta.value[WEFT_PMA_XMIT_DATA], all->between), sent);
    (void)counters_bytes(rate(c->delta.value[WEFT_PMA_RCV_DATA], all->between), received);
    printf("%-28.28s %8s/s %8s/s %12" PRIu64 "/s  ", counters_label(all->sweep, c->port, label),
           sent, received, rate(c->delta.value[WEFT_PMA_XMIT_WAIT], all->between));
    print_errors(c);
    putchar('\n');
}

static void print_screen(const struct counters_changes *all, weft_time period)
{
    struct winsize size = {.ws_row = 24};
    uint32_t rows;

    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    rows = size.ws_row > SCREEN_FRAME + 8 ? size.ws_row - SCREEN_FRAME : 8;
    fputs(CLEAR, stdout);
    print_time();
    printf("  %" PRIu32 " ports, each %" PRIu64 ".%01" PRIu64 " s; %" PRIu32 " not read; q quits\n",
           all->count, period / WEFT_S, period % WEFT_S / (100 * WEFT_MS), all->unread);
    for (uint32_t i = 0; i < all->notice_count && i < rows / 2; i++)
        printf("%s\n", all->notices[i]);
    rows -= all->notice_count < rows / 2 ? all->notice_count : rows / 2;
    printf("%-28s %10s %10s %14s  %s\n", "PORT", "SENT", "RECEIVED", "WAIT", "NEW");
    for (uint32_t i = 0; i < all->count && i < rows; i++)
        print_row(all, &all->ports[i]);
    (void)fflush(stdout);
}

static int tell(const struct stage *s, const struct counters_request *r,
                const struct counters_look *old, const struct counters_look *new)
{
    struct counters_changes all;
    bool good = counters_changes_init(&all, old, new);

    if (good && s->screen)
        print_screen(&all, r->watch);
    else if (good)
        print_lines(&all);
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
    if (!stage.screen) {
        printf("watching; the first look is done\n");
        (void)fflush(stdout);
    }
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
