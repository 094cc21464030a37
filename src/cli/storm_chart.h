/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Curves over time as SVG inside an HTML page. Colours are CSS classes of that page.
 */
#ifndef WEFT_CLI_STORM_CHART_H
#define WEFT_CLI_STORM_CHART_H

#include <weft/base.h>

#include <stdbool.h>
#include <stdio.h>

/** What an axis counts. */
enum chart_unit {
    CHART_TIME,    /**< nanoseconds */
    CHART_COUNT,   /**< things, or things per second */
    CHART_FRACTION /**< 0..1, shown as percentages */
};

/** One axis. */
struct chart_axis {
    enum chart_unit unit;
    const char *title; /**< with its unit, as text for people */
    double min, max;
    double step; /* between two ticks; 0: a logarithmic axis, ticks at powers of ten */
};

/** One chart. */
struct chart {
    FILE *out;
    double width, height; /* of the plot itself */
    struct chart_axis x, y;
    char path; /* what the next point of a curve begins with: M, L, or 0 outside a curve */
};

/** An axis from 0 to a round number at or above `max`. */
struct chart_axis chart_axis_linear(enum chart_unit unit, const char *title, double max);

/** A time axis for curves that end between two times: logarithmic when they are far apart. */
struct chart_axis chart_axis_time(weft_time first_end, weft_time last_end);

/** Opens a chart with its grid, ticks and titles.
 * @param c       filled
 * @param out     where it is written
 * @param label   what it shows, for those who cannot see it
 * @param width   of the plot in pixels
 * @param height  of the plot in pixels
 * @param titles  whether the axes' titles are written */
void chart_open(struct chart *c, FILE *out, const char *label, double width, double height,
                const struct chart_axis *x, const struct chart_axis *y, bool titles);

/** Begins a curve.
 * @param classes  CSS classes of the page */
void chart_curve(struct chart *c, const char *classes);

/** Goes on to a point of the curve; beyond an axis it is drawn at its end. */
void chart_point(struct chart *c, double x, double y);

/** Ends a curve. */
void chart_curve_end(struct chart *c);

/** Closes a chart. */
void chart_close(struct chart *c);

#endif
