/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Indices of functions into those of the port, and back: QP commands, sends, receptions. */
#include "core/pkey/map.h"

#define QP_SMI 0
#define QP_GSI 1

int weft_pkey_map_to_physical(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                              uint16_t virt, uint16_t *ret)
{
    uint16_t physical;

    if (!pkey_map_has(m, at) || virt >= m->visible)
        return WEFT_ERR_INVALID;
    physical = pkey_map_physical(m, at, virt);
    if (physical == WEFT_PKEY_UNASSIGNED) {
        if (!m->config.unassigned_goes)
            return WEFT_ERR_NOTFOUND;
        physical = (uint16_t)m->visible;
    }
    *ret = physical;
    return 0;
}

/* Those that resource_tracker.c of Linux's mlx4 translates. */
static bool carries_index(enum weft_pkey_qp_move move)
{
    static const bool carries[WEFT_PKEY_QP_MOVES] = {
        [WEFT_PKEY_QP_RESET_INIT] = true, [WEFT_PKEY_QP_INIT_INIT] = true,
        [WEFT_PKEY_QP_INIT_RTR] = true,   [WEFT_PKEY_QP_RTR_RTS] = true,
        [WEFT_PKEY_QP_RTS_RTS] = true,    [WEFT_PKEY_QP_SQD_SQD] = true,
        [WEFT_PKEY_QP_SQD_RTS] = true,
    };

    return carries[move];
}

int weft_pkey_map_qp(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                     enum weft_pkey_qp_move move, uint16_t virt, uint16_t *physical)
{
    if ((unsigned)move >= WEFT_PKEY_QP_MOVES || !pkey_map_has(m, at))
        return WEFT_ERR_INVALID;
    return carries_index(move) ? weft_pkey_map_to_physical(m, at, virt, physical) : 0;
}

int weft_pkey_map_send(const struct weft_pkey_map *m, const struct weft_pkey_place *at, uint8_t qpn,
                       uint16_t virt, uint16_t *ret)
{
    if (qpn > QP_GSI)
        return WEFT_ERR_INVALID;
    return weft_pkey_map_to_physical(m, at, qpn == QP_SMI ? 0 : virt, ret);
}

/* What both receptions check, and all that there is to QP0.
 * @return 1: the index is to be looked for; 0: *ret is it; or an error */
static int receive(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                   const struct weft_pkey_place *at, uint8_t qpn, uint16_t *ret)
{
    if (qpn > QP_GSI || !pkey_map_has(m, at))
        return WEFT_ERR_INVALID;
    if (qpn == QP_SMI) {
        *ret = 0;
        return 0;
    }
    return weft_pkey_cache_generation(cache) == 0 ? WEFT_ERR_STATE : 1;
}

/* The function's first entry with this very key if `exact`, else its first full one of the
 * partition, else, if `limited`, its first limited one. */
static int find_entry(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                      const struct weft_pkey_place *at, weft_pkey key, bool exact, bool limited,
                      uint16_t *ret)
{
    uint32_t first[2] = {m->visible, m->visible}; /* limited, full */

    for (uint32_t i = 0; i < m->visible; i++) {
        weft_pkey own = pkey_map_key(m, cache, at, i);

        if (!weft_pkey_same_partition(own, key))
            continue;
        if (exact && own == key) {
            *ret = (uint16_t)i;
            return 0;
        }
        if (i < first[weft_pkey_is_full(own)])
            first[weft_pkey_is_full(own)] = i;
    }
    if (first[true] < m->visible)
        *ret = (uint16_t)first[true];
    else if (limited && first[false] < m->visible)
        *ret = (uint16_t)first[false];
    else
        return WEFT_ERR_NOTFOUND;
    return 0;
}

int weft_pkey_map_recv(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                       const struct weft_pkey_place *at, uint8_t qpn, uint16_t physical,
                       uint16_t *ret)
{
    int more = receive(m, cache, at, qpn, ret);
    weft_pkey key;
    int err;

    if (more <= 0)
        return more;
    err = weft_pkey_cache_get(cache, physical, &key);
    return err < 0 ? err : find_entry(m, cache, at, key, true, true, ret);
}

int weft_pkey_map_recv_packet(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                              const struct weft_pkey_place *at, uint8_t qpn, weft_pkey key,
                              uint16_t *ret)
{
    int more = receive(m, cache, at, qpn, ret);

    if (more <= 0)
        return more;
    return find_entry(m, cache, at, key, false, weft_pkey_is_full(key), ret);
}
