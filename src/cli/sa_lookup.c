/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes that are asked for when they are needed. */
#include "cli/sa_lookup.h"

#include "cli/message.h"
#include "cli/verb.h"
#include "core/wire/field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a text can be: a name, the name before a slash, a port's and a node's GUID or a LID. */
#define MEANINGS 4

#define DESCRIPTION 64

#define RECORD_BYTES ((uint32_t)weft_wire_header_bytes(WEFT_WIRE_NODE_RECORD))

bool sa_lookup_init(struct sa_lookup *l, struct sa_session *s)
{
    *l = (struct sa_lookup){.s = s};
    l->known.result.stride = RECORD_BYTES;
    return sa_nodes_init(&l->nodes, &l->known);
}

void sa_lookup_clear(struct sa_lookup *l)
{
    sa_nodes_clear(&l->nodes);
    sa_answers_clear(&l->known, 1);
}

static struct weft_sa_question with(enum wire_field_id field, uint64_t value)
{
    struct weft_sa_question q = sa_session_all(WEFT_ATTR_SA_NODE_RECORD, 0);

    q.mask = sa_component((int)field);
    wire_set(field, q.record, value);
    return q;
}

static struct weft_sa_question named(const char *name, size_t length)
{
    struct weft_sa_question q = sa_session_all(WEFT_ATTR_SA_NODE_RECORD, 0);

    q.mask = sa_component(WIRE_NODE_RECORD_DESCRIPTION);
    memcpy(q.record + wire_bytes_offset(WIRE_NODE_RECORD_DESCRIPTION), name, length);
    return q;
}

/* Whether the text is a number; *ret_hex: such as 0x1f. */
static bool parse(const char *text, uint64_t *ret, bool *ret_hex)
{
    char *end;

    *ret_hex = strncmp(text, "0x", 2) == 0;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *ret = strtoull(text, &end, *ret_hex ? 16 : 10);
    return errno == 0 && *end == '\0';
}

/* The questions for all that a text can be. Returns how many. */
static size_t meanings(const char *text, struct weft_sa_question ret[MEANINGS])
{
    size_t length = strlen(text), count = 0;
    const char *slash = strrchr(text, '/');
    uint64_t number = 0;
    bool hex = false;

    if (length > 0 && length <= DESCRIPTION)
        ret[count++] = named(text, length);
    if (slash && slash > text && slash - text <= DESCRIPTION)
        ret[count++] = named(text, (size_t)(slash - text));
    if (!parse(text, &number, &hex))
        number = 0;
    if (number > 0 && number < WEFT_LID_MULTICAST_FIRST)
        ret[count++] = with(WIRE_NODE_RECORD_LID, number);
    else if (number > 0 && hex) {
        ret[count++] = with(WIRE_NODE_RECORD_PORT_GUID, number);
        ret[count++] = with(WIRE_NODE_RECORD_NODE_GUID, number);
    }
    for (size_t i = 0; i < count; i++)
        ret[i].about = i;
    return count;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, RECORD_BYTES);
}

/* Adds an answer's records to what is known, each once: sorted, because an SA that does not look at
 * the question gives all that it has. Returns false without memory. */
static bool keep(struct sa_lookup *l, const struct sa_answer *a)
{
    size_t stride = l->known.result.stride;
    uint32_t known = l->known.result.count;
    uint32_t more = a->result.stride < RECORD_BYTES ? 0 : a->result.count;
    uint8_t *grown = realloc(l->known.records, (known + (size_t)more + 1) * stride);
    uint32_t kept = 0;

    if (!grown)
        return false;
    l->known.records = grown;
    for (uint32_t i = 0; i < more; i++)
        memcpy(grown + (known + i) * stride, sa_answer_record(a, i), RECORD_BYTES);
    qsort(grown, known + (size_t)more, stride, compare);
    for (uint32_t i = 0; i < known + more; i++)
        if (kept == 0 || compare(grown + (kept - 1) * stride, grown + i * stride) != 0)
            memmove(grown + kept++ * stride, grown + i * stride, RECORD_BYTES);
    l->known.result.count = kept;
    return true;
}

static bool has_ended(const struct sa_answer *a)
{
    return a->result.outcome == WEFT_SA_ANSWERED ||
           (a->result.outcome == WEFT_SA_REFUSED &&
            (a->result.status & WEFT_STATUS_CLASS_MASK) == WEFT_SA_STATUS_NO_RECORDS);
}

/* Asks, and keeps what comes. Returns CLI_DONE; CLI_FAILED, and the message is out. */
static int ask(struct sa_lookup *l, const struct weft_sa_question *questions, size_t count)
{
    struct sa_answer answers[MEANINGS] = {0};
    int exit_code = sa_session_ask(l->s, questions, count, answers);

    for (size_t i = 0; i < count && exit_code == CLI_DONE; i++) {
        if (!has_ended(&answers[i])) {
            sa_session_explain(l->s, &answers[i]);
            exit_code = CLI_FAILED;
        } else if (!keep(l, &answers[i])) {
            exit_code = message_failed("there is no memory for the nodes");
        }
    }
    sa_answers_clear(answers, count);
    sa_nodes_clear(&l->nodes);
    if (exit_code == CLI_DONE && !sa_nodes_init(&l->nodes, &l->known))
        exit_code = CLI_FAILED;
    return exit_code;
}

/* Asks for all nodes. An SA that does not give them has told all that can be known. */
static int ask_for_all(struct sa_lookup *l)
{
    const struct weft_sa_question all = sa_session_all(WEFT_ATTR_SA_NODE_RECORD, 0);
    struct sa_answer table = {0};
    int exit_code = sa_session_ask(l->s, &all, 1, &table);

    if (exit_code != CLI_DONE || table.result.outcome != WEFT_SA_ANSWERED ||
        table.result.stride < RECORD_BYTES) {
        sa_answers_clear(&table, 1);
        return exit_code;
    }
    sa_lookup_clear(l);
    l->known = table;
    return sa_nodes_init(&l->nodes, &l->known) ? CLI_DONE : CLI_FAILED;
}

int sa_lookup_find(struct sa_lookup *l, const char *text, const uint8_t **ret)
{
    struct weft_sa_question questions[MEANINGS];
    size_t count = meanings(text, questions);
    int exit_code = count > 0 ? ask(l, questions, count) : CLI_DONE;

    if (exit_code == CLI_DONE && !sa_nodes_has(&l->nodes, text))
        exit_code = ask_for_all(l);
    if (exit_code != CLI_DONE)
        return exit_code;
    *ret = sa_nodes_find(&l->nodes, text);
    return *ret ? CLI_DONE : CLI_FAILED;
}

int sa_lookup_lid(struct sa_lookup *l, uint16_t lid, const uint8_t **ret)
{
    const struct weft_sa_question q = with(WIRE_NODE_RECORD_LID, lid);
    int exit_code = CLI_DONE;

    if (!sa_nodes_of_lid(&l->nodes, lid))
        exit_code = ask(l, &q, 1);
    *ret = exit_code == CLI_DONE ? sa_nodes_of_lid(&l->nodes, lid) : NULL;
    return exit_code;
}
