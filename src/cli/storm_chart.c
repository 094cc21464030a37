/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SVG line charts: scales, ticks and paths. */
#include "cli/storm_chart.h"

#include <math.h>

/* Room around a plot, in pixels. */
static const double room_left = 62;
static const double room_right = 24;
static const double room_top = 10;
static const double room_bottom = 24;
static const double room_title = 20;

/* Ends of curves further apart than this need a logarithmic axis. */
static const double linear_ratio_max = 12;

/* Pixels that the labels at 1, 2 and 5 times a power of ten need side by side. */
static const double labelled_decade = 180;

/* The smallest of 1, 2 and 5 times a power of ten that is not below a value. */
static double round_up(double value)
{
    double ten = pow(10, floor(log10(value)));

    if (value <= ten)
        return ten;
    if (value <= 2 * ten)
        return 2 * ten;
    return value <= 5 * ten ? 5 * ten : 10 * ten;
}

struct chart_axis chart_axis_linear(enum chart_unit unit, const char *title, double max)
{
    struct chart_axis a = {.unit = unit, .title = title};

    a.step = max > 0 ? round_up(max / 5) : 1;
    if (unit == CHART_COUNT && a.step < 1)
        a.step = 1;
    a.max = ceil(max / a.step) * a.step;
    if (a.max <= 0)
        a.max = a.step;
    return a;
}

struct chart_axis chart_axis_time(weft_time first_end, weft_time last_end)
{
    struct chart_axis a;

    if ((double)last_end <= linear_ratio_max * (double)first_end)
        return chart_axis_linear(CHART_TIME, "time since the start", (double)last_end);
    a = (struct chart_axis){.unit = CHART_TIME, .title = "time since the start, logarithmic"};
    a.min = pow(10, floor(log10((double)first_end / 10)));
    a.max = (double)last_end;
    return a;
}

/* Where a value lies between the axis's ends, 0..1. */
static double place(const struct chart_axis *a, double value)
{
    double at;

    if (value <= a->min)
        return 0;
    if (a->step > 0)
        at = (value - a->min) / (a->max - a->min);
    else
        at = log(value / a->min) / log(a->max / a->min);
    return at < 1 ? at : 1;
}

static double at_x(const struct chart *c, double value)
{
    return place(&c->x, value) * c->width;
}

static double at_y(const struct chart *c, double value)
{
    return (1 - place(&c->y, value)) * c->height;
}

static void print_label(FILE *out, enum chart_unit unit, double value)
{
    if (value <= 0)
        fputs(unit == CHART_FRACTION ? "0 %" : "0", out);
    else if (unit == CHART_FRACTION)
        fprintf(out, "%.0f %%", value * 100);
    else if (unit == CHART_COUNT && value >= 1e6)
        fprintf(out, "%g M", value / 1e6);
    else if (unit == CHART_COUNT && value >= 1e4)
        fprintf(out, "%g k", value / 1e3);
    else if (unit == CHART_COUNT)
        fprintf(out, "%g", value);
    else if (value >= 1e9)
        fprintf(out, "%g s", value / 1e9);
    else if (value >= 1e6)
        fprintf(out, "%g ms", value / 1e6);
    else
        fprintf(out, "%g us", value / 1e3);
}

/* The tick after a value; the first one is the axis's lower end. Logarithmic axes have ticks at the
 * powers of ten, and at 2 and 5 times them where there is room.
 * length: of the axis in pixels */
static double next_tick(const struct chart_axis *a, double length, double value)
{
    double ten = pow(10, floor(log10(value) + 1e-9));

    if (a->step > 0)
        return value + a->step;
    if (length / log10(a->max / a->min) < labelled_decade)
        return value * 10;
    if (value < 1.5 * ten)
        return 2 * ten;
    return value < 3 * ten ? 5 * ten : 10 * ten;
}

/* Half a tick's worth of rounding must not lose the last one. */
static bool within(const struct chart_axis *a, double value)
{
    return value <= a->max * (1 + 1e-9);
}

static void draw_ticks(const struct chart *c)
{
    for (double v = c->x.min; within(&c->x, v); v = next_tick(&c->x, c->width, v)) {
        double x = at_x(c, v);

        fprintf(c->out,
                "<path class=\"grid\" d=\"M%.1f 0V%.1f\"/><text class=\"tick mid\" x=\"%.1f\""
                " y=\"%.1f\">",
                x, c->height, x, c->height + 16);
        print_label(c->out, c->x.unit, v);
        fputs("</text>\n", c->out);
    }
    for (double v = c->y.min; within(&c->y, v); v = next_tick(&c->y, c->height, v)) {
        double y = at_y(c, v);

        fprintf(c->out,
                "<path class=\"grid\" d=\"M0 %.1fH%.1f\"/><text class=\"tick end\" x=\"-6\""
                " y=\"%.1f\">",
                y, c->width, y + 4);
        print_label(c->out, c->y.unit, v);
        fputs("</text>\n", c->out);
    }
}

void chart_open(struct chart *c, FILE *out, const char *label, double width, double height,
                const struct chart_axis *x, const struct chart_axis *y, bool titles)
{
    double title = titles ? room_title : 0;

    *c = (struct chart){.out = out, .width = width, .height = height, .x = *x, .y = *y};
    fprintf(out,
            "<svg role=\"img\" aria-label=\"%s\" viewBox=\"%.0f %.0f %.0f %.0f\" "
            "style=\"max-width:%.0fpx\">\n",
            label, -room_left - title, -room_top, width + room_left + room_right + title,
            height + room_top + room_bottom + title, width + room_left + room_right + title);
    draw_ticks(c);
    if (!titles)
        return;
    fprintf(out, "<text class=\"axis mid\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", width / 2,
            height + room_bottom + 12, x->title);
    fprintf(out,
            "<text class=\"axis mid\" transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>\n",
            -room_left - 4, height / 2, y->title);
}

void chart_curve(struct chart *c, const char *classes)
{
    fprintf(c->out, "<path class=\"%s\" d=\"", classes);
    c->path = 'M';
}

void chart_point(struct chart *c, double x, double y)
{
    fprintf(c->out, "%c%.1f %.1f", c->path, at_x(c, x), at_y(c, y));
    c->path = 'L';
}

void chart_curve_end(struct chart *c)
{
    fputs("\"/>\n", c->out);
    c->path = 0;
}

void chart_close(struct chart *c)
{
    fputs("</svg>\n", c->out);
}
