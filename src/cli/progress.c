/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The progress bar: drawn at most ten times a second and not at all in short runs. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_WIDTH 40

static const uint64_t first_draw_after_ns = 500000000;
static const uint64_t draw_interval_ns = 100000000;

void progress_start(struct progress *p, const char *what, uint64_t now_ns)
{
    *p = (struct progress){.what = what,
                           .visible = isatty(STDERR_FILENO) == 1,
                           .next_draw_ns = now_ns + first_draw_after_ns};
}

void progress_update(struct progress *p, uint64_t now_ns, uint64_t done, uint64_t total)
{
    static const char bar[] = "########################################";

    if (!p->visible || now_ns < p->next_draw_ns)
        return;
    p->next_draw_ns = now_ns + draw_interval_ns;
    p->drawn = true;
    if (total == 0) {
        fprintf(stderr, "\r\033[K%s: %" PRIu64, p->what, done);
    } else {
        double part = done < total ? (double)done / (double)total : 1.0;

        fprintf(stderr, "\r\033[K%s [%-*.*s] %3d%%", p->what, BAR_WIDTH, (int)(part * BAR_WIDTH),
                bar, (int)(part * 100));
    }
    fflush(stderr);
}

void progress_text(struct progress *p, const char *text)
{
    struct winsize size = {0};
    int width = 80;

    if (!p->visible)
        return;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        width = size.ws_col;
    p->drawn = true;
    /* The last column stays free: a cursor behind it is on the next line on some terminals. */
    fprintf(stderr, "\r\033[K%.*s", width - 1, text);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->visible = false;
    p->drawn = false;
}
