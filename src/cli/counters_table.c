/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters for people: the table of ports. A large fabric has 100,000 rows. */
#include "cli/cells.h"
#include "cli/counters_view.h"
#include "cli/node_texts.h"

/* PortInfo:PortState. */
#define STATE_DOWN 1

enum column {
    COLUMN_PORT,
    COLUMN_GUID,
    COLUMN_PEER,
    COLUMN_LINK,
    COLUMN_SENT, /* from here on with --all only, and to the right */
    COLUMN_RECEIVED,
    COLUMN_PACKETS_SENT,
    COLUMN_PACKETS_RECEIVED,
    COLUMN_WAIT,
    COLUMNS
};

/* What a port says of its link, in words. */
struct link {
    uint8_t width, speed, speed_ext; /* what is active */
    size_t length;
    char text[16];
};

struct table {
    const struct counters_view *v;
    bool all;
    struct node_texts nodes;
    struct link link; /* of the port before: most are the same */
    size_t widths[COLUMNS];
    struct cells cells;
};

static const char *const headings[COLUMNS] = {
    "PORT", "NODE GUID", "PEER", "LINK", "SENT", "RECEIVED", "PKTS SENT", "PKTS RCVD", "WAIT",
};

/* GUID, and behind it NAME/. */
static size_t node_make(const struct weft_sweep *s, uint32_t node, char *ret)
{
    size_t length = CELLS_GUID_BYTES;

    cells_guid(weft_sweep_node(s, node)->guid, ret);
    length += strlen(counters_node_label(s, node, ret + length));
    memcpy(ret + length, "/", 2);
    return length + 1;
}

_Static_assert(CELLS_GUID_BYTES + COUNTERS_LABEL_BYTES + 1 <= NODE_TEXT_BYTES,
               "there is room for the longest name");

/* The link of a port that is up. */
static const struct link *link_of(struct table *t, const struct weft_sweep_port *p)
{
    struct link *l = &t->link;

    if (l->length > 0 && l->width == p->width.active && l->speed == p->speed.active &&
        l->speed_ext == p->speed_ext.active)
        return l;
    l->width = p->width.active;
    l->speed = p->speed.active;
    l->speed_ext = p->speed_ext.active;
    l->length = (size_t)snprintf(l->text, sizeof(l->text), "%ux %s", health_lanes(p),
                                 health_speed_word(health_speed(p)));
    return l;
}

static size_t columns(const struct table *t)
{
    return t->all ? COLUMNS : COLUMN_SENT;
}

static bool widen_port(struct table *t, enum column column, uint32_t port)
{
    const struct weft_sweep_port *p;
    size_t length;

    if (port == WEFT_SWEEP_NONE)
        return true; /* its dash is no wider than the heading */
    p = weft_sweep_port(t->v->sweep, port);
    if (!node_texts_get(&t->nodes, p->node, &length))
        return false;
    cells_widen(&t->widths[column], length - CELLS_GUID_BYTES + cells_digits(p->number));
    return true;
}

static void widen_link(struct table *t, const struct weft_sweep_port *p)
{
    if (p->state > STATE_DOWN)
        cells_widen(&t->widths[COLUMN_LINK], link_of(t, p)->length);
}

static void widen_bytes(struct table *t, enum column column, const struct weft_pma_values *v,
                        enum weft_pma_counter c)
{
    if (weft_pma_has(v->present, c))
        cells_widen(&t->widths[column],
                    counters_bytes_length(v->value[c]) + weft_pma_has(v->stuck, c));
}

static void widen_count(struct table *t, enum column column, const struct weft_pma_values *v,
                        enum weft_pma_counter c)
{
    if (weft_pma_has(v->present, c))
        cells_widen(&t->widths[column], cells_digits(v->value[c]) + weft_pma_has(v->stuck, c));
}

static bool widen(struct table *t, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(t->v->sweep, port);
    struct weft_pma_values values;

    widen_link(t, p);
    if (t->all) {
        weft_counters_get(t->v->counters, port, &values);
        widen_bytes(t, COLUMN_SENT, &values, WEFT_PMA_XMIT_DATA);
        widen_bytes(t, COLUMN_RECEIVED, &values, WEFT_PMA_RCV_DATA);
        widen_count(t, COLUMN_PACKETS_SENT, &values, WEFT_PMA_XMIT_PACKETS);
        widen_count(t, COLUMN_PACKETS_RECEIVED, &values, WEFT_PMA_RCV_PACKETS);
        widen_count(t, COLUMN_WAIT, &values, WEFT_PMA_XMIT_WAIT);
    }
    return widen_port(t, COLUMN_PORT, port) && widen_port(t, COLUMN_PEER, p->peer);
}

static bool widen_all(struct table *t)
{
    struct counters_row row;

    for (size_t i = 0; i < columns(t); i++)
        t->widths[i] = strlen(headings[i]);
    t->widths[COLUMN_GUID] = CELLS_GUID_BYTES;
    for (uint32_t at = 0; counters_view_row(t->v, &at, &row);)
        if (!widen(t, row.port))
            return false;
    return true;
}

/* Puts NAME/NUMBER, all of which has been asked for before.
 * @return its node's GUID */
static const char *cell_port(struct table *t, const struct weft_sweep_port *p)
{
    size_t length;
    const char *text = node_texts_made(&t->nodes, p->node, &length);

    cells_text(&t->cells, text + CELLS_GUID_BYTES, length - CELLS_GUID_BYTES);
    cells_number(&t->cells, p->number);
    cells_end(&t->cells);
    return text;
}

static void cell_peer(struct table *t, uint32_t peer)
{
    if (peer == WEFT_SWEEP_NONE) {
        cells_string(&t->cells, "-");
        cells_end(&t->cells);
    } else {
        (void)cell_port(t, weft_sweep_port(t->v->sweep, peer));
    }
}

static void cell_link(struct table *t, const struct weft_sweep_port *p)
{
    if (p->state <= STATE_DOWN)
        cells_string(&t->cells, "down");
    else
        cells_text(&t->cells, link_of(t, p)->text, link_of(t, p)->length);
    cells_end(&t->cells);
}

static void cell_bytes(struct cells *c, const struct weft_pma_values *v, enum weft_pma_counter n)
{
    char text[COUNTERS_BYTES_TEXT] = "-";
    size_t length = 1;

    if (weft_pma_has(v->present, n))
        length = counters_bytes(v->value[n], text);
    cells_text_right(c, text, length, weft_pma_has(v->stuck, n));
}

static void cell_count(struct cells *c, const struct weft_pma_values *v, enum weft_pma_counter n)
{
    if (weft_pma_has(v->present, n))
        cells_number_right(c, v->value[n], weft_pma_has(v->stuck, n));
    else
        cells_text_right(c, "-", 1, weft_pma_has(v->stuck, n));
}

/* What a row says, but for what is wrong, which comes last. */
static void print_columns(struct table *t, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(t->v->sweep, port);
    struct weft_pma_values values;
    struct cells *c = &t->cells;

    cells_row(c);
    cells_text(c, cell_port(t, p), CELLS_GUID_BYTES);
    cells_end(c);
    cell_peer(t, p->peer);
    cell_link(t, p);
    if (!t->all)
        return;
    weft_counters_get(t->v->counters, port, &values);
    cell_bytes(c, &values, WEFT_PMA_XMIT_DATA);
    cell_bytes(c, &values, WEFT_PMA_RCV_DATA);
    cell_count(c, &values, WEFT_PMA_XMIT_PACKETS);
    cell_count(c, &values, WEFT_PMA_RCV_PACKETS);
    cell_count(c, &values, WEFT_PMA_XMIT_WAIT);
}

static void print_headings(struct table *t)
{
    cells_row(&t->cells);
    for (size_t i = 0; i < columns(t); i++) {
        if (i < COLUMN_SENT) {
            cells_string(&t->cells, headings[i]);
            cells_end(&t->cells);
        } else {
            cells_text_right(&t->cells, headings[i], strlen(headings[i]), false);
        }
    }
    cells_string(&t->cells, "WRONG\n");
}

bool counters_print_table(const struct counters_view *v, bool all)
{
    struct table t = {.v = v, .all = all};
    struct counters_row row;
    bool good = node_texts_init(&t.nodes, v->sweep, node_make) && widen_all(&t);

    if (good) {
        cells_start(&t.cells, t.widths, columns(&t), stdout);
        print_headings(&t);
        for (uint32_t at = 0; counters_view_row(v, &at, &row);) {
            print_columns(&t, row.port);
            if (row.weight == 0)
                cells_string(&t.cells, "-");
            else
                counters_put_problems(v, &row, &t.cells);
            cells_string(&t.cells, "\n");
        }
        cells_flush(&t.cells);
    }
    node_texts_free(&t.nodes);
    return good;
}
