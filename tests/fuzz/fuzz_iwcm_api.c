/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: bytes decide the client's calls, the provider's words and answers, and polls, with
 * ids that are stale or unknown and arguments out of range among them. The client hears what it was
 * promised and nothing else, whatever the provider says; in the end everything ends. */
#include "core/iwcm/audit.h"
#include "iwcm_books.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    IDS = BOOKS_IDS - 1,
    QPS = 4,
    CALLS_MAX = 600,
    DRAIN_MAX = 4000
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Handles are kept when they are stale, too: they are used again. */
struct target {
    struct weft_iwcm *cm;
    struct books books;
    weft_iwcm_id ids[BOOKS_IDS];
    const uint8_t *at;
    size_t left;
    uint32_t made, destroyed;
};

static const uint8_t bytes[WEFT_IWCM_PRIVATE_MAX + 8] = {1, 2, 3};

static void require(const char *broken)
{
    if (!broken)
        return;
    fprintf(stderr, "broken: %s\n", broken);
    abort();
}

static uint8_t next(struct target *t)
{
    if (t->left == 0)
        return 0;
    t->left--;
    return *t->at++;
}

static weft_iwcm_id some_id(struct target *t)
{
    uint8_t choice = next(t);

    if (choice == 255)
        return (weft_iwcm_id){.v = next(t)};
    return t->ids[choice % BOOKS_IDS];
}

static struct weft_iw_addr some_addr(struct target *t)
{
    uint8_t choice = next(t);

    return (struct weft_iw_addr){.family = choice % 16 ? (choice & 16 ? 6 : 4) : choice,
                                 .port = choice};
}

static struct weft_iwcm_param some_param(struct target *t)
{
    uint8_t choice = next(t);
    struct weft_iwcm_param p = {.ird = choice, .ord = choice, .qpn = choice % (QPS + 2)};

    if (choice & 32) {
        p.private_bytes = (uint16_t)(next(t) * 3);
        p.private_data = p.private_bytes % 7 == 6 ? NULL : bytes;
    }
    return p;
}

/* A page of the books, and a place among the handles, for an id that has come to be. */
static struct book *welcome(struct target *t, weft_iwcm_id id)
{
    struct book *k = books_open(&t->books, id);
    int place = 0;

    if (!k)
        require("there are not more ids than configured");
    while (place < BOOKS_IDS - 1 && books_find(&t->books, t->ids[place]))
        place++;
    t->ids[place] = id;
    return k;
}

static void create(struct target *t)
{
    weft_iwcm_id id;
    struct book *k;

    if (weft_iwcm_create(t->cm, next(t), &id) != 0)
        return;
    k = welcome(t, id);
    if (k)
        k->known = true;
    t->made++;
}

static void note_call(struct target *t, weft_iwcm_id id, int err, enum weft_iwcm_call call)
{
    struct book *k = books_find(&t->books, id);

    if (err < 0)
        return;
    if (!k || !k->known || k->destroyed)
        require("a call is for an id of the client's");
    else
        books_called(k, call);
}

static void ask(struct target *t)
{
    weft_iwcm_id id = some_id(t);
    struct weft_iw_addr a = some_addr(t), b = some_addr(t);
    struct weft_iwcm_param p = some_param(t);
    uint8_t choice = next(t);
    int err;

    switch (choice % 5) {
    case 0:
        err = weft_iwcm_connect(t->cm, id, choice & 8 ? &a : NULL, &b, &p);
        note_call(t, id, err, WEFT_IWCM_CALL_CONNECT);
        break;
    case 1:
        err = weft_iwcm_listen(t->cm, id, &a, choice / 8 % 4);
        note_call(t, id, err, WEFT_IWCM_CALL_LISTEN);
        break;
    case 2:
        err = weft_iwcm_accept(t->cm, id, &p);
        note_call(t, id, err, WEFT_IWCM_CALL_ACCEPT);
        break;
    case 3:
        err = weft_iwcm_reject(t->cm, id, p.private_data, p.private_bytes);
        note_call(t, id, err, WEFT_IWCM_CALL_REJECT);
        break;
    default:
        err = weft_iwcm_disconnect(t->cm, id, choice & 8);
        note_call(t, id, err, WEFT_IWCM_CALL_DISCONNECT);
        break;
    }
}

static void destroy(struct target *t, weft_iwcm_id id)
{
    struct book *k = books_find(&t->books, id);

    if (weft_iwcm_destroy(t->cm, id) != 0)
        return;
    if (!k || !k->known || k->destroyed)
        require("an id is destroyed once");
    else
        k->destroyed = true;
    t->destroyed++;
}

/* Any answer to any command of any id: in order or not. */
static void answer(struct target *t, weft_iwcm_id id, enum weft_iwcm_cmd_type type,
                   enum weft_iwcm_status status)
{
    struct book *k = books_find(&t->books, id);
    bool fits = k && (unsigned)type < WEFT_IWCM_CMDS && (unsigned)status < WEFT_IWCM_STATUSES &&
                books_may_answer(k, type, status);
    const struct weft_iw_addr local = {.family = 4, .port = 9};
    int err = weft_iwcm_cmd_done(t->cm, id, type, status, 7, &local);

    if ((err == 0) != fits)
        require("an answer is taken if and only if it is in order");
    if (err == 0)
        books_answered(k, status);
}

static void some_answer(struct target *t)
{
    weft_iwcm_id id = some_id(t);
    const struct book *k = books_find(&t->books, id);
    uint8_t choice = next(t);
    enum weft_iwcm_cmd_type type = (enum weft_iwcm_cmd_type)(choice / 16 % (WEFT_IWCM_CMDS + 1));

    if (k && choice % 4 > 0)
        type = (enum weft_iwcm_cmd_type)k->cmd;
    answer(t, id, type, (enum weft_iwcm_status)(choice & 8 ? next(t) % 14 : 0));
}

static bool well_formed(const struct weft_iwcm_upcall *u)
{
    bool bare = u->type == WEFT_IWCM_UP_DISCONNECT || u->type == WEFT_IWCM_UP_CLOSE;

    return (unsigned)u->type < WEFT_IWCM_UPS && (unsigned)u->status < WEFT_IWCM_STATUSES &&
           (bare || (u->peer.private_bytes <= WEFT_IWCM_PRIVATE_MAX &&
                     (u->peer.private_bytes == 0 || u->peer.private_data)));
}

static void say(struct target *t, weft_iwcm_id id, const struct weft_iwcm_upcall *u)
{
    struct book *k = books_find(&t->books, id), *child;
    bool fits = k && well_formed(u) && books_may_say(k, u->type);
    weft_iwcm_id id_child = {0};
    int err = weft_iwcm_upcall(t->cm, id, u, &id_child);

    if ((err == 0 || err == WEFT_ERR_FULL) != fits)
        require("an upcall is taken if and only if it is in order");
    if (err != 0)
        return;
    books_said(k, u->type, u->status);
    if (u->type != WEFT_IWCM_UP_REQUEST)
        return;
    child = welcome(t, id_child);
    if (child)
        child->has = HAS_REQUEST;
}

static void some_upcall(struct target *t)
{
    uint8_t choice = next(t);
    struct weft_iwcm_upcall u = {
        .type = (enum weft_iwcm_upcall_type)(choice % (WEFT_IWCM_UPS + 1)),
        .status = (enum weft_iwcm_status)(choice & 64 ? next(t) % 14 : 0),
        .provider = choice,
    };

    u.peer = some_param(t);
    u.local = some_addr(t);
    u.remote = some_addr(t);
    say(t, some_id(t), &u);
}

static bool take_event(struct target *t)
{
    struct weft_iwcm_event ev;
    volatile uint8_t last = 0;

    if (!weft_iwcm_poll_event(t->cm, &ev))
        return false;
    require(books_event(&t->books, &ev));
    if (ev.peer.private_bytes > 0)
        last = ((const uint8_t *)ev.peer.private_data)[ev.peer.private_bytes - 1];
    (void)last;
    return true;
}

static bool take_cmd(struct target *t)
{
    struct weft_iwcm_cmd cmd;

    if (!weft_iwcm_poll_cmd(t->cm, &cmd))
        return false;
    require(books_cmd(&t->books, &cmd));
    return true;
}

static void change_qps(struct target *t)
{
    uint8_t choice = next(t);
    uint32_t qpn = choice % (QPS + 2);

    if (choice & 128)
        (void)weft_iwcm_qp_add(t->cm, qpn);
    else
        (void)weft_iwcm_qp_remove(t->cm, qpn);
}

static void step(struct target *t)
{
    switch (next(t) % 16) {
    case 0:
    case 1:
        create(t);
        break;
    case 2:
        destroy(t, some_id(t));
        break;
    case 3:
        change_qps(t);
        break;
    case 4:
        (void)take_event(t);
        break;
    case 5:
    case 6:
        (void)take_cmd(t);
        break;
    case 7:
    case 8:
    case 9:
        some_answer(t);
        break;
    case 10:
    case 11:
    case 12:
        some_upcall(t);
        break;
    default:
        ask(t);
        break;
    }
    books_sweep(&t->books, t->cm);
    require(iwcm_audit(t->cm));
    require(books_check(&t->books, t->cm));
}

/* The provider does what it owes for an id, and ends what it was told to end.
 * @return whether there was something */
static bool serve(struct target *t, const struct book *k)
{
    struct weft_iwcm_upcall u = {.type = WEFT_IWCM_UP_CLOSE, .status = WEFT_IWCM_CANCELED};

    if (k->cmd != BOOKS_NO_CMD) {
        answer(t, k->id, (enum weft_iwcm_cmd_type)k->cmd, WEFT_IWCM_OK);
        return true;
    }
    if (k->has == HAS_CONNECTING)
        u.type = WEFT_IWCM_UP_REPLY;
    else if (k->has == HAS_ACCEPTING)
        u.type = WEFT_IWCM_UP_ESTABLISHED;
    else if (k->has != HAS_UP || !k->ending)
        return false;
    say(t, k->id, &u);
    return true;
}

static void settle(struct target *t)
{
    bool busy = true;

    for (int i = 0; busy && i < DRAIN_MAX; i++) {
        busy = take_event(t) || take_cmd(t);
        for (int k = 0; !busy && k < BOOKS_IDS; k++)
            busy = t->books.ids[k].id.v != 0 && serve(t, &t->books.ids[k]);
        books_sweep(&t->books, t->cm);
    }
    require(busy ? "everything comes to rest" : books_quiet(&t->books));
}

/* First everything comes to rest, then everything is destroyed. */
static void end(struct target *t)
{
    struct weft_iwcm_stats s;

    settle(t);
    for (int k = 0; k < BOOKS_IDS; k++)
        destroy(t, t->books.ids[k].id);
    settle(t);
    weft_iwcm_stats(t->cm, &s);
    require(iwcm_audit(t->cm));
    if (s.ids != 0)
        require("in the end no id is left");
    if (t->books.gone != t->destroyed || s.events[WEFT_IWCM_EVENT_GONE] != t->destroyed)
        require("each destroyed id goes once");
    for (uint32_t qpn = 1; qpn < QPS + 2; qpn++) {
        if (weft_iwcm_qp_remove(t->cm, qpn) == WEFT_ERR_STATE)
            require("in the end every QP is free");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_iwcm_config c = WEFT_IWCM_CONFIG_INIT;
    struct target t = {.at = data, .left = size};

    c.ids = 1 + next(&t) % IDS;
    c.qps = QPS;
    c.backlog = 1 + next(&t) % 3;
    if (weft_iwcm_new(&c, NULL, &t.cm) != 0)
        abort();
    for (uint32_t qpn = 1; qpn <= QPS; qpn++)
        (void)weft_iwcm_qp_add(t.cm, qpn);
    for (int i = 0; t.left > 0 && i < CALLS_MAX; i++)
        step(&t);
    end(&t);
    weft_iwcm_free(t.cm);
    return 0;
}
