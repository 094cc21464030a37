/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Books about a connection manager, kept from outside by what client and provider see of it: what
 * the provider may say, and whether the client hears what it was promised and nothing else.
 */
#ifndef WEFT_TESTS_IWCM_BOOKS_H
#define WEFT_TESTS_IWCM_BOOKS_H

#include <weft/iwcm.h>

#include <string.h>

enum {
    BOOKS_IDS = 8,
    BOOKS_NO_CMD = WEFT_IWCM_CMDS
};

/** What a provider has of an id, by its own account. */
enum books_has {
    HAS_NOTHING,
    HAS_LISTENER,
    HAS_REQUEST,    /**< somebody asks and waits */
    HAS_CONNECTING, /**< owes REPLY */
    HAS_ACCEPTING,  /**< owes ESTABLISHED */
    HAS_UP          /**< owes CLOSE */
};

/** One id. */
struct book {
    weft_iwcm_id id;
    /* the provider's page */
    uint8_t has, cmd; /**< enum books_has; the command it has taken, or BOOKS_NO_CMD */
    bool aborted;     /**< ABORT was taken */
    bool ending;      /**< it was told to end what it has now */
    uint32_t qpn;
    /* the client's page */
    bool known, destroyed;
    uint8_t owed[WEFT_IWCM_CALLS]; /**< DONEs */
    uint8_t attempts, accepts, up; /**< what REPLY, ESTABLISHED and CLOSED may still end */
};

struct books {
    struct book ids[BOOKS_IDS];
    uint64_t gone; /**< how many have gone */
};

static inline struct book *books_find(struct books *b, weft_iwcm_id id)
{
    for (int i = 0; i < BOOKS_IDS; i++) {
        if (b->ids[i].id.v == id.v && id.v != 0)
            return &b->ids[i];
    }
    return NULL;
}

/** A page for a new id; NULL: there is none left. */
static inline struct book *books_open(struct books *b, weft_iwcm_id id)
{
    for (int i = 0; i < BOOKS_IDS; i++) {
        if (b->ids[i].id.v != 0)
            continue;
        b->ids[i] = (struct book){.id = id, .cmd = BOOKS_NO_CMD};
        return &b->ids[i];
    }
    return NULL;
}

/** A call that returned 0. */
static inline void books_called(struct book *k, enum weft_iwcm_call call)
{
    k->owed[call]++;
    if (call == WEFT_IWCM_CALL_CONNECT)
        k->attempts++;
    if (call == WEFT_IWCM_CALL_ACCEPT)
        k->accepts++;
}

/** A command that the provider takes.
 * @return NULL, or the rule that it breaks */
static inline const char *books_cmd(struct books *b, const struct weft_iwcm_cmd *cmd)
{
    struct book *k = books_find(b, cmd->id);
    enum books_has needed = HAS_UP;

    if (!k)
        return "a command is for an id in use";
    if (k->cmd != BOOKS_NO_CMD)
        return "an id gives one command at a time";
    switch (cmd->type) {
    case WEFT_IWCM_CMD_CONNECT:
    case WEFT_IWCM_CMD_LISTEN:
        needed = HAS_NOTHING;
        break;
    case WEFT_IWCM_CMD_ACCEPT:
    case WEFT_IWCM_CMD_REJECT:
        needed = HAS_REQUEST;
        break;
    case WEFT_IWCM_CMD_UNLISTEN:
        needed = HAS_LISTENER;
        break;
    case WEFT_IWCM_CMD_ABORT:
        if (k->has == HAS_CONNECTING || k->has == HAS_ACCEPTING)
            needed = (enum books_has)k->has;
        break;
    case WEFT_IWCM_CMD_CLOSE:
    case WEFT_IWCM_CMDS:
        break;
    }
    if (k->has != needed)
        return "a command is about what the provider has";
    k->cmd = (uint8_t)cmd->type;
    if (cmd->type == WEFT_IWCM_CMD_CONNECT)
        k->has = HAS_CONNECTING;
    if (cmd->type == WEFT_IWCM_CMD_ACCEPT)
        k->has = HAS_ACCEPTING;
    if (cmd->type == WEFT_IWCM_CMD_REJECT)
        k->has = HAS_NOTHING;
    if (cmd->type == WEFT_IWCM_CMD_CONNECT || cmd->type == WEFT_IWCM_CMD_ACCEPT)
        k->qpn = cmd->param.qpn;
    k->aborted = cmd->type == WEFT_IWCM_CMD_ABORT;
    k->ending = k->aborted || cmd->type == WEFT_IWCM_CMD_CLOSE || (k->ending && k->has == HAS_UP);
    return NULL;
}

/** Whether the provider may answer that. */
static inline bool books_may_answer(const struct book *k, enum weft_iwcm_cmd_type type,
                                    enum weft_iwcm_status status)
{
    if (k->cmd != type)
        return false;
    if (type == WEFT_IWCM_CMD_CONNECT && status != WEFT_IWCM_OK)
        return k->has == HAS_CONNECTING;
    if (type == WEFT_IWCM_CMD_ACCEPT && status != WEFT_IWCM_OK)
        return k->has == HAS_ACCEPTING;
    return true;
}

static inline void books_answered(struct book *k, enum weft_iwcm_status status)
{
    bool ok = status == WEFT_IWCM_OK;

    if (k->cmd == WEFT_IWCM_CMD_LISTEN && ok)
        k->has = HAS_LISTENER;
    if (k->cmd == WEFT_IWCM_CMD_UNLISTEN ||
        (!ok && (k->cmd == WEFT_IWCM_CMD_CONNECT || k->cmd == WEFT_IWCM_CMD_ACCEPT)))
        k->has = HAS_NOTHING;
    k->cmd = BOOKS_NO_CMD;
}

/** Whether the provider may say that. */
static inline bool books_may_say(const struct book *k, enum weft_iwcm_upcall_type type)
{
    switch (type) {
    case WEFT_IWCM_UP_REQUEST:
        return k->has == HAS_LISTENER;
    case WEFT_IWCM_UP_REPLY:
        return k->has == HAS_CONNECTING;
    case WEFT_IWCM_UP_ESTABLISHED:
        return k->has == HAS_ACCEPTING;
    case WEFT_IWCM_UP_DISCONNECT:
        return k->has != HAS_NOTHING;
    case WEFT_IWCM_UP_CLOSE:
        return k->has == HAS_UP || (k->has == HAS_ACCEPTING && k->aborted);
    case WEFT_IWCM_UPS:
        break;
    }
    return false;
}

/** What it has afterwards; a REQUEST's child needs a page of its own. */
static inline void books_said(struct book *k, enum weft_iwcm_upcall_type type,
                              enum weft_iwcm_status status)
{
    if (type == WEFT_IWCM_UP_ESTABLISHED || type == WEFT_IWCM_UP_REPLY)
        k->has = type == WEFT_IWCM_UP_REPLY && status != WEFT_IWCM_OK ? HAS_NOTHING : HAS_UP;
    if (type == WEFT_IWCM_UP_CLOSE)
        k->has = HAS_NOTHING;
    /* an attempt that was to be ended has become a connection: it is told again */
    if (type != WEFT_IWCM_UP_DISCONNECT)
        k->ending = false;
}

/** Ids end silently, too, when the client has not heard of them: pages of such are closed. */
static inline void books_sweep(struct books *b, const struct weft_iwcm *cm)
{
    enum weft_iwcm_state state;

    for (int i = 0; i < BOOKS_IDS; i++) {
        if (!b->ids[i].known && b->ids[i].id.v != 0 &&
            weft_iwcm_state(cm, b->ids[i].id, &state) == WEFT_ERR_STALE)
            b->ids[i] = (struct book){.cmd = BOOKS_NO_CMD};
    }
}

static inline const char *books_done(struct book *k, const struct weft_iwcm_event *ev)
{
    if ((unsigned)ev->call >= WEFT_IWCM_CALLS || k->owed[ev->call] == 0)
        return "DONE comes once for each call";
    k->owed[ev->call]--;
    if (ev->status == WEFT_IWCM_OK)
        return NULL;
    if (ev->call == WEFT_IWCM_CALL_CONNECT && k->attempts-- == 0)
        return "a connect ends once";
    if (ev->call == WEFT_IWCM_CALL_ACCEPT && k->accepts-- == 0)
        return "an accept ends once";
    return NULL;
}

/** An event that the client has polled.
 * @return NULL, or the rule that it breaks */
static inline const char *books_event(struct books *b, const struct weft_iwcm_event *ev)
{
    struct book *k = books_find(b, ev->id);

    if (!k)
        return "no event follows GONE";
    if (k->destroyed && ev->type != WEFT_IWCM_EVENT_GONE)
        return "only GONE follows destroy";
    switch (ev->type) {
    case WEFT_IWCM_EVENT_DONE:
        return books_done(k, ev);
    case WEFT_IWCM_EVENT_REQUEST:
        if (k->known || !books_find(b, ev->listener))
            return "REQUEST brings a new id of a listener";
        k->known = true;
        return NULL;
    case WEFT_IWCM_EVENT_REPLY:
        if (k->attempts-- == 0)
            return "REPLY comes once for a connect";
        if (ev->status == WEFT_IWCM_OK)
            k->up++;
        return NULL;
    case WEFT_IWCM_EVENT_ESTABLISHED:
        if (k->accepts-- == 0)
            return "ESTABLISHED comes once for an accept";
        k->up++;
        return NULL;
    case WEFT_IWCM_EVENT_CLOSED:
        return k->up-- == 0 ? "CLOSED comes once for a connection that was up" : NULL;
    case WEFT_IWCM_EVENT_GONE:
        if (!k->destroyed || !k->known)
            return "GONE follows destroy";
        if (k->has != HAS_NOTHING || k->cmd != BOOKS_NO_CMD)
            return "GONE waits until the provider has let go";
        *k = (struct book){.cmd = BOOKS_NO_CMD};
        b->gone++;
        return NULL;
    case WEFT_IWCM_EVENTS:
        break;
    }
    return "an event has a type";
}

/** What must be true at any time.
 * @return NULL, or the rule that is broken */
static inline const char *books_check(struct books *b, const struct weft_iwcm *cm)
{
    for (int i = 0; i < BOOKS_IDS; i++) {
        const struct book *k = &b->ids[i];
        weft_iwcm_id owner;

        if (k->has != HAS_CONNECTING && k->has != HAS_ACCEPTING && k->has != HAS_UP)
            continue;
        if (weft_iwcm_qp_owner(cm, k->qpn, &owner) != 0 || owner.v != k->id.v)
            return "a QP is bound until the provider has let go";
    }
    return NULL;
}

/** What must be true when the provider has nothing to do and no event waits. */
static inline const char *books_quiet(const struct books *b)
{
    for (int i = 0; i < BOOKS_IDS; i++) {
        const struct book *k = &b->ids[i];

        if (k->destroyed)
            return "a destroyed id has gone";
        for (int call = 0; k->id.v != 0 && call < WEFT_IWCM_CALLS; call++) {
            if (k->owed[call] > 0)
                return "every call is DONE";
        }
    }
    return NULL;
}

#endif
