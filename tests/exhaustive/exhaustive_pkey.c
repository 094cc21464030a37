/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All P_Key tables of three entries, as tables, as a sequence of tables, and under all maps of a
 * guest, against a slow model. Prints TAP. */
#include "pkey_model.h"

#include <stdio.h>
#include <stdlib.h>

#define ENTRIES 3
#define TABLES  125 /* 5 keys in each of 3 entries */
#define MAPS    64  /* each of 3 virtual entries: unassigned or one of 3 */
#define KEYS    5

static const weft_pkey keys_of[KEYS] = {0, KEY_A, KEY_A_FULL, KEY_B, KEY_B_FULL};
static const weft_pkey queries[] = {0,          0x8000, KEY_A,  KEY_A_FULL, KEY_B,
                                    KEY_B_FULL, 0x7FFF, 0xFFFF, 0x0002,     0x8002};

#define QUERIES (sizeof(queries) / sizeof(queries[0]))

static unsigned number, failed;

static void judge(bool good, const char *name)
{
    failed += !good;
    printf("%sok %u - %s\n", good ? "" : "not ", ++number, name);
}

/* Table number n: its digits to the base of 5. */
static void make_table(unsigned n, weft_pkey ret[ENTRIES])
{
    for (int i = 0; i < ENTRIES; i++, n /= KEYS)
        ret[i] = keys_of[n % KEYS];
}

static bool fault(const char *what, unsigned table, unsigned other, weft_pkey key)
{
    printf("# %s: table %u after or under %u, key 0x%04x\n", what, table, other, key);
    return false;
}

static struct weft_pkey_cache *cache_new(void)
{
    struct weft_pkey_cache *c;
    int err = weft_pkey_cache_new(ENTRIES, NULL, &c);

    if (err < 0) {
        printf("Bail out! no cache: %s\n", weft_strerror(err));
        exit(1);
    }
    return c;
}

/* Each table after each other one: nothing is left of the one before. */
static bool all_queries(void)
{
    struct weft_pkey_cache *c = cache_new();
    weft_pkey before[ENTRIES], now[ENTRIES];

    for (unsigned n = 0; n < TABLES * TABLES; n++) {
        make_table(n / TABLES, before);
        make_table(n % TABLES, now);
        if (model_commit(c, before, KEY_A_FULL, NULL) != 0 ||
            model_commit(c, now, KEY_B_FULL, NULL) != 0)
            return fault("no commit", n % TABLES, n / TABLES, 0);
        for (unsigned q = 0; q < 2 * QUERIES; q++) {
            enum weft_pkey_find find = q % 2 ? WEFT_PKEY_FIND_EXACT : WEFT_PKEY_FIND;
            int wanted = model_find(now, ENTRIES, find, queries[q / 2]);

            if (model_ask(c, find, queries[q / 2]) != wanted ||
                model_read(find, queries[q / 2], now, ENTRIES, KEY_A_FULL) != wanted)
                return fault("other answer", n % TABLES, n / TABLES, queries[q / 2]);
        }
    }
    weft_pkey_cache_free(c);
    return true;
}

/* Changes are told exactly: the count of entries that differ. */
static bool all_changes(void)
{
    struct weft_pkey_cache *c = cache_new();
    weft_pkey before[ENTRIES], now[ENTRIES];

    for (unsigned n = 0; n < TABLES * TABLES; n++) {
        struct weft_pkey_change change;
        unsigned differ = 0;

        make_table(n / TABLES, before);
        make_table(n % TABLES, now);
        for (int i = 0; i < ENTRIES; i++)
            differ += before[i] != now[i];
        if (model_commit(c, before, 0, NULL) != 0 || model_commit(c, now, 0, &change) != 0 ||
            change.entries != differ || change.blocks[0] != (differ > 0))
            return fault("other change", n % TABLES, n / TABLES, 0);
    }
    weft_pkey_cache_free(c);
    return true;
}

static uint16_t mapped(unsigned map, unsigned virt)
{
    unsigned digit = map >> 2 * virt & 3;

    return digit == 3 ? WEFT_PKEY_UNASSIGNED : (uint16_t)digit;
}

/* What a guest with this view gets of what arrived with a key: see weft_pkey_map_recv(). */
static int model_recv(const weft_pkey *view, weft_pkey key)
{
    int exact = model_find(view, ENTRIES, WEFT_PKEY_FIND_EXACT, key);

    return exact >= 0 || exact == WEFT_ERR_INVALID ? (exact < 0 ? WEFT_ERR_NOTFOUND : exact)
                                                   : model_find(view, ENTRIES, WEFT_PKEY_FIND, key);
}

static bool guest_agrees(const struct weft_pkey_map *m, const struct weft_pkey_cache *c,
                         const weft_pkey *table, const weft_pkey *view)
{
    struct weft_pkey_place guest = {.port = 1, .function = 1};

    for (uint16_t p = 0; p < ENTRIES; p++) {
        uint16_t virt = 0xBEEF, back;
        int wanted = model_recv(view, table[p]);
        int err = weft_pkey_map_recv(m, c, &guest, 1, p, &virt);

        if ((err < 0 ? err : (int)virt) != wanted)
            return false;
        if (err == 0 && (weft_pkey_map_send(m, &guest, 1, virt, &back) != 0 ||
                         !weft_pkey_same_partition(table[back], table[p])))
            return false;
    }
    for (unsigned q = 0; q < QUERIES; q++) {
        uint16_t virt;
        bool may = false;

        for (int v = 0; v < ENTRIES; v++)
            may = may || weft_pkey_match(view[v], queries[q]);
        if ((weft_pkey_map_recv_packet(m, c, &guest, 1, queries[q], &virt) == 0) != may ||
            (may && !weft_pkey_match(view[virt], queries[q])))
            return false;
    }
    return true;
}

/* Each table under each map of one guest: views, receptions and the way back. */
static bool all_maps(void)
{
    struct weft_pkey_place guest = {.port = 1, .function = 1};
    struct weft_pkey_cache *c = cache_new();
    struct weft_pkey_map_config config;
    struct weft_pkey_map *m;

    (void)weft_pkey_map_config_init(&config);
    config.functions = 2;
    config.entries = ENTRIES + 1;
    if (weft_pkey_map_new(&config, NULL, &m) != 0)
        return fault("no map", 0, 0, 0);
    for (unsigned n = 0; n < TABLES * MAPS; n++) {
        weft_pkey table[ENTRIES], view[WEFT_PKEY_BLOCK];

        make_table(n / MAPS, table);
        if (model_commit(c, table, 0, NULL) != 0)
            return fault("no commit", n / MAPS, n % MAPS, 0);
        for (uint16_t v = 0; v < ENTRIES; v++)
            (void)weft_pkey_map_set(m, c, &guest, v, mapped(n % MAPS, v));
        if (weft_pkey_map_view(m, c, &guest, 0, view) != 0)
            return fault("no view", n / MAPS, n % MAPS, 0);
        for (uint16_t v = 0; v < ENTRIES; v++) {
            uint16_t to = mapped(n % MAPS, v);

            if (view[v] != (to == WEFT_PKEY_UNASSIGNED ? 0 : table[to]))
                return fault("other view", n / MAPS, n % MAPS, view[v]);
        }
        if (!guest_agrees(m, c, table, view))
            return fault("other translation", n / MAPS, n % MAPS, 0);
    }
    weft_pkey_map_free(m);
    weft_pkey_cache_free(c);
    return true;
}

int main(void)
{
    printf("1..3\n");
    judge(all_queries(), "R137 R138 R139 R140 R141 R155 all tables of 3 entries, all queries");
    judge(all_changes(), "all tables of 3 entries after each other, what has changed");
    judge(all_maps(), "R142 R155 all tables of 3 entries under all maps of a guest");
    return failed > 0;
}
