/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All orders of client's calls, provider's words and polls on a connection manager with a listener,
 * its child and an id that connects, on the real code, to a depth. After each step everything is
 * recounted; in each state the provider's illegal words must be refused without a trace; from each
 * state everything can be brought to an end. Prints TAP. */
#include "core/iwcm/audit.h"
#include "core/iwcm/manager.h"
#include "fatal.h"
#include "iwcm_books.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum {
    DEPTH = 15,
    DEPTH_MAX = 40,
    DRAIN_MAX = 100,
    PEER_GONE = 77 /* what the provider calls a child */
};

enum role {
    LISTENER,
    ACTIVE,
    CHILD,
    ROLES
};

/* How often the client may do what would else go on for ever. */
struct budget {
    uint8_t connects, disconnects[ROLES], listens, requests;
};

struct world {
    struct weft_iwcm *cm;
    struct books books;
    weft_iwcm_id ids[ROLES];
    struct budget budget;
    const char *fault;
};

struct op {
    const char *name;
    bool (*apply)(struct world *w, const struct op *op); /* false: not possible */
    enum role role;
    int number;
};

static const struct weft_iw_addr here = {.family = 4, .port = 7174, .ip = {127, 0, 0, 1}};

static struct book *page(struct world *w, enum role role)
{
    return books_find(&w->books, w->ids[role]);
}

static void blame(struct world *w, const char *fault)
{
    if (!w->fault)
        w->fault = fault;
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static enum role role_of(const struct world *w, const struct iwcm_id *c)
{
    enum role role = LISTENER;

    while (role < ROLES && iwcm_find(w->cm, w->ids[role]) != c)
        role++;
    return role;
}

static uint64_t mix_id(uint64_t hash, const struct iwcm_id *c)
{
    hash = mix(hash, (uint64_t)c->state << 40 | (uint64_t)c->busy << 32 | (uint64_t)c->hold << 24 |
                         (uint64_t)c->told << 16 | (uint64_t)c->end << 8 | c->known);
    hash = mix(hash, (uint64_t)c->refs << 32 | c->requests);
    return mix(hash, (uint64_t)c->qpn << 8 | !list_empty(&c->cmd));
}

static uint64_t mix_book(uint64_t hash, const struct book *k)
{
    hash = mix(hash, (uint64_t)k->has << 32 | (uint64_t)k->cmd << 24 |
                         (uint64_t)(k->aborted + 2 * k->ending) << 16 | (uint64_t)k->known << 8 |
                         k->destroyed);
    for (int call = 0; call < WEFT_IWCM_CALLS; call++)
        hash = mix(hash, k->owed[call]);
    return mix(hash, (uint64_t)k->attempts << 16 | (uint64_t)k->accepts << 8 | k->up);
}

/* What decides the further course, by the roles of ids: slots and handles do not. */
static uint64_t hash_of(struct world *w)
{
    uint64_t hash = 1;

    for (enum role role = LISTENER; role < ROLES; role++) {
        const struct iwcm_id *c = iwcm_find(w->cm, w->ids[role]);
        const struct book *k = page(w, role);

        hash = c ? mix_id(hash, c) : mix(hash, 99);
        hash = k ? mix_book(hash, k) : mix(hash, 98);
        hash = mix(hash, w->budget.disconnects[role]);
    }
    for (struct list_node *n = w->cm->queue.next; n != &w->cm->queue; n = n->next) {
        const struct event *e = WEFT_CONTAINER_OF(n, struct event, queue);

        hash = mix(hash, (uint64_t)role_of(w, e->id) << 24 | (uint64_t)e->type << 16 |
                             (uint64_t)e->call << 8 | e->status);
    }
    for (struct list_node *n = w->cm->cmds.next; n != &w->cm->cmds; n = n->next)
        hash = mix(hash, 200u + role_of(w, WEFT_CONTAINER_OF(n, struct iwcm_id, cmd)));
    return mix(hash, (uint64_t)w->budget.connects << 16 | (uint64_t)w->budget.listens << 8 |
                         w->budget.requests);
}

/* Whether a call of the client went through; what was refused must have changed nothing. */
static bool went(struct world *w, const struct op *op, uint64_t before, int err,
                 enum weft_iwcm_call call)
{
    struct book *k = page(w, op->role);

    if (err < 0) {
        if (hash_of(w) != before)
            blame(w, "a call that is refused changes nothing");
        return false;
    }
    if (!k || !k->known || k->destroyed)
        blame(w, "only ids of the client's can be called");
    else
        books_called(k, call);
    return true;
}

static bool op_listen(struct world *w, const struct op *op)
{
    uint64_t before = hash_of(w);

    return w->budget.listens > 0 &&
           went(w, op, before, weft_iwcm_listen(w->cm, w->ids[op->role], &here, 1),
                WEFT_IWCM_CALL_LISTEN) &&
           w->budget.listens-- > 0;
}

static bool op_connect(struct world *w, const struct op *op)
{
    struct weft_iwcm_param p = {.ird = 1, .ord = 1, .qpn = (uint32_t)op->number};
    uint64_t before = hash_of(w);

    return w->budget.connects > 0 &&
           went(w, op, before, weft_iwcm_connect(w->cm, w->ids[op->role], NULL, &here, &p),
                WEFT_IWCM_CALL_CONNECT) &&
           w->budget.connects-- > 0;
}

static bool op_accept(struct world *w, const struct op *op)
{
    struct weft_iwcm_param p = {.ird = 1, .ord = 1, .qpn = (uint32_t)op->number};
    uint64_t before = hash_of(w);

    return went(w, op, before, weft_iwcm_accept(w->cm, w->ids[op->role], &p),
                WEFT_IWCM_CALL_ACCEPT);
}

static bool op_reject(struct world *w, const struct op *op)
{
    uint64_t before = hash_of(w);

    return went(w, op, before, weft_iwcm_reject(w->cm, w->ids[op->role], NULL, 0),
                WEFT_IWCM_CALL_REJECT);
}

static bool op_disconnect(struct world *w, const struct op *op)
{
    uint64_t before = hash_of(w);

    return w->budget.disconnects[op->role] > 0 &&
           went(w, op, before,
                weft_iwcm_disconnect(w->cm, w->ids[op->role], op->number == ENDING_ABRUPT),
                WEFT_IWCM_CALL_DISCONNECT) &&
           w->budget.disconnects[op->role]-- > 0;
}

static bool op_destroy(struct world *w, const struct op *op)
{
    uint64_t before = hash_of(w);
    struct book *k = page(w, op->role);

    if (weft_iwcm_destroy(w->cm, w->ids[op->role]) < 0) {
        if (hash_of(w) != before)
            blame(w, "a destroy that is refused changes nothing");
        return false;
    }
    if (!k || !k->known || k->destroyed)
        blame(w, "an id is destroyed once");
    else
        k->destroyed = true;
    return true;
}

static bool op_poll_event(struct world *w, const struct op *op)
{
    struct weft_iwcm_event ev;

    (void)op;
    if (!weft_iwcm_poll_event(w->cm, &ev))
        return false;
    blame(w, books_event(&w->books, &ev));
    return true;
}

static bool op_poll_cmd(struct world *w, const struct op *op)
{
    struct weft_iwcm_cmd cmd;

    (void)op;
    if (!weft_iwcm_poll_cmd(w->cm, &cmd))
        return false;
    blame(w, books_cmd(&w->books, &cmd));
    return true;
}

static bool op_done(struct world *w, const struct op *op)
{
    enum weft_iwcm_status status = (enum weft_iwcm_status)op->number;
    struct book *k = page(w, op->role);

    if (!k || k->cmd == BOOKS_NO_CMD ||
        !books_may_answer(k, (enum weft_iwcm_cmd_type)k->cmd, status))
        return false;
    if (weft_iwcm_cmd_done(w->cm, k->id, (enum weft_iwcm_cmd_type)k->cmd, status, 1, &here) != 0)
        blame(w, "an answer in order is taken");
    books_answered(k, status);
    return true;
}

static bool say(struct world *w, const struct op *op, enum weft_iwcm_upcall_type type)
{
    struct weft_iwcm_upcall u = {.type = type, .status = (enum weft_iwcm_status)op->number};
    struct book *k = page(w, op->role);

    if (!k || !books_may_say(k, type))
        return false;
    if (weft_iwcm_upcall(w->cm, k->id, &u, NULL) != 0)
        blame(w, "an upcall in order is taken");
    books_said(k, type, u.status);
    return true;
}

static bool op_reply(struct world *w, const struct op *op)
{
    return say(w, op, WEFT_IWCM_UP_REPLY);
}

static bool op_established(struct world *w, const struct op *op)
{
    return say(w, op, WEFT_IWCM_UP_ESTABLISHED);
}

static bool op_peer_disconnects(struct world *w, const struct op *op)
{
    return say(w, op, WEFT_IWCM_UP_DISCONNECT);
}

static bool op_close(struct world *w, const struct op *op)
{
    return say(w, op, WEFT_IWCM_UP_CLOSE);
}

static bool op_request(struct world *w, const struct op *op)
{
    struct weft_iwcm_upcall u = {.type = WEFT_IWCM_UP_REQUEST, .provider = PEER_GONE};
    struct book *k = page(w, op->role), *child;
    enum weft_iwcm_state state;
    weft_iwcm_id id;
    int err;

    if (!k || !books_may_say(k, u.type) || page(w, CHILD) || w->budget.requests == 0)
        return false;
    w->budget.requests--;
    err = weft_iwcm_upcall(w->cm, k->id, &u, &id);
    if (err == WEFT_ERR_FULL) {
        if (weft_iwcm_state(w->cm, k->id, &state) != 0 || state != WEFT_IWCM_DESTROYING)
            blame(w, "a request that there is room for is taken");
        return true;
    }
    child = err == 0 ? books_open(&w->books, id) : NULL;
    if (!child) {
        blame(w, "a request makes an id");
        return true;
    }
    child->has = HAS_REQUEST;
    w->ids[CHILD] = id;
    return true;
}

static const struct op ops[] = {
    {"listen", op_listen, LISTENER, 0},
    {"listener: destroy", op_destroy, LISTENER, 0},
    {"connect", op_connect, ACTIVE, 1},
    {"disconnect", op_disconnect, ACTIVE, ENDING_ORDERLY},
    {"disconnect abruptly", op_disconnect, ACTIVE, ENDING_ABRUPT},
    {"destroy", op_destroy, ACTIVE, 0},
    {"child: accept with the other's QP", op_accept, CHILD, 1},
    {"child: accept", op_accept, CHILD, 2},
    {"child: reject", op_reject, CHILD, 0},
    {"child: disconnect", op_disconnect, CHILD, ENDING_ORDERLY},
    {"child: disconnect abruptly", op_disconnect, CHILD, ENDING_ABRUPT},
    {"child: destroy", op_destroy, CHILD, 0},
    {"poll_event", op_poll_event, LISTENER, 0},
    {"poll_cmd", op_poll_cmd, LISTENER, 0},
    {"listener: cmd_done", op_done, LISTENER, WEFT_IWCM_OK},
    {"listener: cmd_done with an error", op_done, LISTENER, WEFT_IWCM_ADDRESS},
    {"cmd_done", op_done, ACTIVE, WEFT_IWCM_OK},
    {"cmd_done with an error", op_done, ACTIVE, WEFT_IWCM_UNREACHABLE},
    {"child: cmd_done", op_done, CHILD, WEFT_IWCM_OK},
    {"child: cmd_done with an error", op_done, CHILD, WEFT_IWCM_RESET},
    {"REQUEST", op_request, LISTENER, 0},
    {"REPLY", op_reply, ACTIVE, WEFT_IWCM_OK},
    {"REPLY with a rejection", op_reply, ACTIVE, WEFT_IWCM_REJECTED},
    {"DISCONNECT", op_peer_disconnects, ACTIVE, 0},
    {"CLOSE", op_close, ACTIVE, WEFT_IWCM_RESET},
    {"child: ESTABLISHED", op_established, CHILD, 0},
    {"child: DISCONNECT", op_peer_disconnects, CHILD, 0},
    {"child: CLOSE", op_close, CHILD, WEFT_IWCM_OK},
};

static void check(struct world *w)
{
    books_sweep(&w->books, w->cm);
    blame(w, iwcm_audit(w->cm));
    blame(w, books_check(&w->books, w->cm));
}

/* Each word that the provider may not say now is refused, and nothing has changed. */
static void misbehave(struct world *w, enum role role)
{
    const struct book none = {.cmd = BOOKS_NO_CMD}, *k = page(w, role);
    uint64_t before = hash_of(w);
    weft_iwcm_id child;

    k = k ? k : &none;
    for (int i = 0; i < 2 * WEFT_IWCM_UPS; i++) {
        struct weft_iwcm_upcall u = {.type = (enum weft_iwcm_upcall_type)(i / 2),
                                     .status = i % 2 ? WEFT_IWCM_FAILED : WEFT_IWCM_OK};

        if (!books_may_say(k, u.type) && weft_iwcm_upcall(w->cm, w->ids[role], &u, &child) !=
                                             (k == &none ? WEFT_ERR_STALE : WEFT_ERR_STATE))
            blame(w, "an upcall out of order is refused");
    }
    for (int i = 0; i < 2 * WEFT_IWCM_CMDS; i++) {
        enum weft_iwcm_cmd_type type = (enum weft_iwcm_cmd_type)(i / 2);
        enum weft_iwcm_status status = i % 2 ? WEFT_IWCM_FAILED : WEFT_IWCM_OK;

        if (!books_may_answer(k, type, status) &&
            weft_iwcm_cmd_done(w->cm, w->ids[role], type, status, 1, NULL) == 0)
            blame(w, "an answer out of order is refused");
    }
    if (hash_of(w) != before)
        blame(w, "words out of order change nothing");
}

/* A provider that answers everything, and ends what it was told to end, whatever came before. */
static bool serve(struct world *w, enum role role)
{
    const struct op ok = {.role = role, .number = WEFT_IWCM_OK};
    const struct op canceled = {.role = role, .number = WEFT_IWCM_CANCELED};
    const struct book *k = page(w, role);

    return op_done(w, &ok) || op_reply(w, &canceled) || op_established(w, &ok) ||
           (k && k->ending && op_close(w, &canceled));
}

/* Brings everything to its end: first without the client's help, then it destroys its ids. */
static void drain(struct world *w)
{
    uint32_t steps = 0;
    bool busy = true, destroyed = false;

    while (busy && steps++ < DRAIN_MAX && !w->fault) {
        busy = op_poll_event(w, ops) || op_poll_cmd(w, ops);
        for (enum role role = LISTENER; !busy && role < ROLES; role++)
            busy = serve(w, role);
        if (!busy && !destroyed) {
            blame(w, books_quiet(&w->books));
            for (enum role role = LISTENER; role < ROLES; role++)
                (void)op_destroy(w, &(struct op){.role = role});
            destroyed = busy = true;
        }
        check(w);
    }
    if (w->cm->stats.ids != 0 || w->cm->events.used != 0 || w->cm->buffers.used != 0)
        blame(w, "everything comes to an end");
    for (uint32_t qpn = 1; qpn <= 2; qpn++) {
        if (weft_iwcm_qp_remove(w->cm, qpn) != 0)
            blame(w, "in the end every QP is free");
    }
}

/* A state on the way to the one under work. A manager is one block of memory, so copying it to the
 * same place brings the state back. */
struct step {
    uint32_t next;
    struct world world;
    unsigned char *memory;
};

static struct step steps[DEPTH_MAX + 1];
static uint32_t path[DEPTH_MAX + 1], path_length;
static uint64_t *seen, mask, states, taken;
static uint8_t *seen_left;

static void save(struct step *at, const struct world *w)
{
    memcpy(at->memory, w->cm, w->cm->bytes);
    at->world = *w;
    at->next = 0;
}

static void restore(const struct step *at, struct world *w)
{
    *w = at->world;
    memcpy(w->cm, at->memory, ((const struct weft_iwcm *)(const void *)at->memory)->bytes);
}

/* Whether a state is new, or was only met with fewer steps left. */
static bool note(uint64_t hash, uint32_t left, bool *ret_new)
{
    uint64_t at;

    hash += hash == 0;
    at = hash & mask;
    while (seen[at] != 0 && seen[at] != hash)
        at = (at + 1) & mask;
    *ret_new = seen[at] == 0;
    if (!*ret_new && seen_left[at] >= left)
        return false;
    if (*ret_new && ++states > mask / 2) {
        printf("Bail out! the table of states is full\n");
        exit(1);
    }
    seen[at] = hash;
    seen_left[at] = (uint8_t)left;
    return true;
}

static void print_path(void)
{
    printf("# the sequence:");
    for (uint32_t i = 0; i < path_length; i++)
        printf(" %s;", ops[path[i]].name);
    printf("\n");
    fflush(stdout);
}

static void on_fatal(int number)
{
    printf("# ended by signal %d\n", number);
    print_path();
    _exit(1);
}

static void *get(void *ctx, size_t size, size_t align)
{
    void *p = aligned_alloc(align, (size + align - 1) / align * align);

    (void)ctx;
    if (p)
        memset(p, 0, size);
    return p;
}

static void put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

static void world_init(struct world *w)
{
    const struct weft_alloc alloc = {.get = get, .put = put};
    struct weft_iwcm_config c = WEFT_IWCM_CONFIG_INIT;
    struct book *k;

    c.ids = ROLES;
    c.qps = 2;
    *w = (struct world){.budget = {2, {2, 2, 2}, 2, 2}};
    if (weft_iwcm_new(&c, &alloc, &w->cm) != 0)
        abort();
    for (enum role role = LISTENER; role <= ACTIVE; role++) {
        if (weft_iwcm_create(w->cm, role, &w->ids[role]) != 0 ||
            weft_iwcm_qp_add(w->cm, role + 1u) != 0)
            abort();
        k = books_open(&w->books, w->ids[role]);
        if (!k)
            abort();
        k->known = true;
    }
    for (uint32_t i = 0; i <= DEPTH_MAX; i++) {
        steps[i].memory = malloc(w->cm->bytes);
        if (!steps[i].memory)
            abort();
    }
}

/* Looks at a state that was not met before. */
static void examine(struct world *w, const struct step *at)
{
    for (enum role role = LISTENER; role < ROLES; role++)
        misbehave(w, role);
    drain(w);
    if (w->fault)
        return;
    restore(at, w);
}

static const char *explore(struct world *w, uint32_t depth)
{
    uint32_t level = 0;
    bool is_new;

    save(&steps[0], w);
    note(hash_of(w), depth, &is_new);
    while (!w->fault) {
        struct step *at = &steps[level];

        if (at->next == COUNT(ops)) {
            if (level == 0)
                break;
            restore(&steps[--level], w);
            path_length = level;
            continue;
        }
        path[level] = at->next;
        path_length = level + 1;
        if (!ops[at->next++].apply(w, &ops[path[level]])) {
            if (w->fault)
                break;
            continue;
        }
        taken++;
        check(w);
        if (w->fault)
            break;
        if (!note(hash_of(w), depth - level - 1, &is_new)) {
            restore(at, w);
            continue;
        }
        save(&steps[level + 1], w);
        if (is_new)
            examine(w, &steps[level + 1]);
        if (level + 1 == depth)
            restore(at, w);
        else
            level++;
    }
    return w->fault;
}

int main(int argc, char **argv)
{
    uint32_t depth = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : DEPTH;
    const char *fault;
    struct world w;

    depth = depth < 1 || depth > DEPTH_MAX ? DEPTH : depth;
    mask = (UINT64_C(1) << (depth > DEPTH ? 26 : 21)) - 1;
    seen = calloc(mask + 1, sizeof(*seen));
    seen_left = calloc(mask + 1, 1);
    if (!seen || !seen_left)
        abort();
    fatal_catch(on_fatal);
    world_init(&w);
    fault = explore(&w, depth);
    printf("# depth %" PRIu32 ": %" PRIu64 " states, %" PRIu64 " steps\n", depth, states, taken);
    if (fault) {
        printf("# broken: %s\n", fault);
        print_path();
    }
    printf("%sok 1 - no order of steps breaks a rule, and from every state all comes to an end\n",
           fault ? "not " : "");
    printf("1..1\n");
    weft_iwcm_free(w.cm);
    for (uint32_t i = 0; i <= DEPTH_MAX; i++)
        free(steps[i].memory);
    free(seen);
    free(seen_left);
    return fault ? 1 : 0;
}
