/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters for people: the table of ports. A large fabric has 100,000 rows. */
#include "cli/cells.h"
#include "cli/counters_view.h"

#define COLUMNS      9
/* Of these, those that are there without --all, and are text. */
#define COLUMNS_TEXT 4

static void cell_bytes(struct cells *row, const struct weft_pma_values *v, enum weft_pma_counter c)
{
    char text[COUNTERS_BYTES_TEXT];

    cells_text(row, weft_pma_has(v->present, c) ? counters_bytes(v->value[c], text) : "-");
    cells_text(row, weft_pma_has(v->stuck, c) ? "+" : "");
    cells_end(row);
}

static void cell_count(struct cells *row, const struct weft_pma_values *v, enum weft_pma_counter c)
{
    if (weft_pma_has(v->present, c))
        cells_number(row, v->value[c]);
    else
        cells_text(row, "-");
    cells_text(row, weft_pma_has(v->stuck, c) ? "+" : "");
    cells_end(row);
}

static void cell_port(struct cells *row, const struct weft_sweep *s, uint32_t port)
{
    char label[COUNTERS_LABEL_BYTES];

    if (port == WEFT_SWEEP_NONE) {
        cells_text(row, "-");
    } else {
        cells_text(row, counters_node_label(s, weft_sweep_port(s, port)->node, label));
        cells_text(row, "/");
        cells_number(row, weft_sweep_port(s, port)->number);
    }
    cells_end(row);
}

static void cell_link(struct cells *row, const struct weft_sweep_port *p)
{
    if (p->state <= 1) {
        cells_text(row, "down");
    } else {
        cells_number(row, health_lanes(p));
        cells_text(row, "x ");
        cells_text(row, health_speed_word(health_speed(p)));
    }
    cells_end(row);
}

/* What a row says, but for what is wrong, which comes last. */
static void fill(const struct counters_view *v, uint32_t port, bool all, struct cells *ret)
{
    const struct weft_sweep_port *p = weft_sweep_port(v->sweep, port);
    struct weft_pma_values values;

    cells_clear(ret);
    cell_port(ret, v->sweep, port);
    cells_guid(ret, weft_sweep_node(v->sweep, p->node)->guid);
    cells_end(ret);
    cell_port(ret, v->sweep, p->peer);
    cell_link(ret, p);
    if (!all)
        return;
    weft_counters_get(v->counters, port, &values);
    cell_bytes(ret, &values, WEFT_PMA_XMIT_DATA);
    cell_bytes(ret, &values, WEFT_PMA_RCV_DATA);
    cell_count(ret, &values, WEFT_PMA_XMIT_PACKETS);
    cell_count(ret, &values, WEFT_PMA_RCV_PACKETS);
    cell_count(ret, &values, WEFT_PMA_XMIT_WAIT);
}

void counters_print_table(const struct counters_view *v, bool all)
{
    static const char *const headings[COLUMNS] = {
        "PORT", "NODE GUID", "PEER", "LINK", "SENT", "RECEIVED", "PKTS SENT", "PKTS RCVD", "WAIT",
    };
    struct cells heading, row;
    size_t widths[COLUMNS] = {0};

    cells_clear(&heading);
    for (size_t i = 0; i < (all ? COLUMNS : COLUMNS_TEXT); i++) {
        cells_text(&heading, headings[i]);
        cells_end(&heading);
    }
    cells_widen(&heading, widths);
    for (uint32_t r = 0; r < v->row_count; r++) {
        fill(v, v->rows[r].port, all, &row);
        cells_widen(&row, widths);
    }
    cells_print(&heading, widths, COLUMNS_TEXT, stdout);
    puts("WRONG");
    for (uint32_t r = 0; r < v->row_count; r++) {
        fill(v, v->rows[r].port, all, &row);
        cells_print(&row, widths, COLUMNS_TEXT, stdout);
        if (v->rows[r].weight == 0)
            (void)putchar_unlocked('-');
        else
            counters_print_problems(v, &v->rows[r], stdout);
        (void)putchar_unlocked('\n');
    }
}
