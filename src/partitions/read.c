/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines, definitions and members, with what OpenSM makes of them. */
#include "partitions/lint.h"
#include "partitions/problems.h"
#include "partitions/reader.h"
#include "partitions/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a mistake that are quoted. */
#define QUOTED 60

/* Definitions without a P_Key that are reported one by one. */
#define KEYLESS_MAX 100

/* U+FEFF in UTF-8. */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

size_t reader_column(const struct reader *r, const char *at)
{
    size_t offset = (size_t)(at - r->buffer);

    return r->column + (offset < r->length ? offset : r->length) + 1;
}

static void add_problem(struct reader *r, enum partitions_kind kind, const char *text)
{
    int err = partitions_problem_add(&r->t->problems, r->line, kind, "%s", text);

    if (r->err == 0)
        r->err = err;
}

void reader_problem(struct reader *r, enum partitions_kind kind, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    add_problem(r, kind, text);
}

void reader_stop(struct reader *r, const char *at, const char *format, ...)
{
    char what[512];
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    snprintf(text, sizeof(text), "column %zu: %s%s", reader_column(r, at), what,
             r->t->refused ? ""
                           : "; OpenSM stops here and drops the whole file: every port becomes a "
                             "full member of the default partition");
    add_problem(r, PARTITIONS_SYNTAX, text);
    if (!r->t->refused)
        r->t->stop_line = r->line;
    r->t->refused = true;
}

bool reader_cut(char *at, char c)
{
    char *found = strchr(at, c);

    if (found)
        *found = '\0';
    return found != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Takes off the blanks around a text; its first byte stays, whatever it is. */
static char *trim(char *at)
{
    char *end;

    while (is_blank(*at))
        at++;
    end = at + strlen(at);
    while (end > at && is_blank(end[-1]))
        *--end = '\0';
    return at;
}

struct reader_token reader_token_read(char *at)
{
    char *equals = strchr(at, '=');
    struct reader_token token;

    if (equals)
        *equals = '\0';
    token.next = at + strlen(at) + 1;
    token.name = trim(at);
    token.value = NULL;
    if (equals) {
        token.next = equals + 1 + strlen(equals + 1) + 1;
        token.value = trim(equals + 1);
    }
    return token;
}

/* The beginning of what was written where something else was expected. */
static const char *quoted(const char *text, char ret[QUOTED + 4])
{
    size_t length = strlen(text);

    snprintf(ret, QUOTED + 4, "%.*s%s", QUOTED, text, length > QUOTED ? "..." : "");
    return ret;
}

/* The key as OpenSM takes it: the low 16 bits. */
static uint16_t take_key(struct reader *r, const char *text, const struct partitions_number *n)
{
    uint16_t key = (uint16_t)n->value;

    if (n->negative || n->overflow || n->value > UINT16_MAX)
        reader_problem(
            r, PARTITIONS_KEY_RANGE,
            "the P_Key %s is none of 16 bits, OpenSM takes it for 0x%04x; write one from "
            "0x1 to 0x7fff",
            text, key & PARTITIONS_DEFAULT_KEY);
    else if (n->octal)
        reader_problem(r, PARTITIONS_KEY_RANGE,
                       "the P_Key %s is an octal number to OpenSM: 0x%04x; write it with 0x", text,
                       key & PARTITIONS_DEFAULT_KEY);
    return key;
}

static void mention_invalid(struct reader *r, const char *text,
                            const struct partitions_partition *p)
{
    reader_problem(r, PARTITIONS_INVALID_KEY,
                   "the P_Key %s is invalid, its lower 15 bits are 0; OpenSM takes 0x%04x instead, "
                   "%s; write one from 0x1 to 0x7fff",
                   text, p->key, p->generated ? "a free one" : "that of the partition's name");
}

/* Two definitions of one key: fine when both name it in the same way. */
static void mention_merged(struct reader *r, const struct partitions_partition *p, const char *name,
                           uint16_t written)
{
    if (p->generated && written != 0)
        reader_problem(r, PARTITIONS_KEY_REPEATED,
                       "P_Key 0x%04x is what OpenSM has chosen for \"%s\" in line %" PRIu32
                       ", so \"%s\" becomes part of that; give both a P_Key",
                       p->key, p->name, p->line, name);
    else if (p->written != 0 && p->written != written)
        reader_problem(r, PARTITIONS_KEY_BIT_15,
                       "P_Key 0x%04x of \"%s\" and 0x%04x of \"%s\" in line %" PRIu32
                       " differ in bit 15 only: they are one partition, \"%s\"; bit 15 belongs to "
                       "members",
                       written, name, p->written, p->name, p->line, p->name);
    else if (name[0] != '\0' && strncmp(p->name, name, PARTITIONS_NAME_BYTES - 1) != 0)
        reader_problem(r, PARTITIONS_KEY_REPEATED,
                       "\"%s\" has the P_Key 0x%04x of \"%s\"%s, so it becomes part of that", name,
                       p->key, p->name, p->line == 0 ? "" : " before it");
}

static void mention_name(struct reader *r, const char *name, const struct partitions_partition *p)
{
    size_t length = strlen(name);

    if (strcmp(name, "Default") == 0 && p->key != PARTITIONS_DEFAULT_KEY)
        reader_problem(r, PARTITIONS_NAME,
                       "\"Default\" with P_Key 0x%04x is not the default partition, which has "
                       "0x7fff",
                       p->key);
    if (length >= PARTITIONS_NAME_BYTES)
        reader_problem(
            r, PARTITIONS_NAME,
            "the name \"%s\" has %zu bytes, OpenSM keeps %d; another definition finds it "
            "by its P_Key only",
            name, length, PARTITIONS_NAME_BYTES - 1);
}

static void report_keyless(struct reader *r, const char *at)
{
    if (++r->keyless <= KEYLESS_MAX)
        reader_stop(r, at, "expected a P_Key: OpenSM has none left to choose");
    else if (r->keyless_line == 0)
        r->keyless_line = r->line;
}

/* One line for all that were not reported. */
static void sum_up_keyless(struct reader *r)
{
    if (r->keyless <= KEYLESS_MAX)
        return;
    r->line = r->keyless_line;
    reader_problem(r, PARTITIONS_SYNTAX,
                   "for this definition and %" PRIu32 " behind it, no P_Key is left either",
                   r->keyless - KEYLESS_MAX - 1);
}

/* Finds or makes the partition that a definition's head names. */
static bool define(struct reader *r, const char *at, const char *name, const char *id)
{
    struct reader_definition *d = &r->definition;
    struct partitions_number n = {0};
    struct partitions_partition *p;
    enum partitions_found found;
    uint16_t key = 0;
    char text[QUOTED + 4];
    int err;

    if (!id && isdigit((unsigned char)name[0])) {
        id = name;
        name = "";
    }
    if (id) {
        n = partitions_number_read(id);
        if (n.none || n.rest[0] != '\0') {
            reader_stop(r, at, "expected a P_Key, such as 0x1, in place of \"%s\"",
                        quoted(id, text));
            return false;
        }
        key = take_key(r, id, &n);
    }
    err = partitions_table_define(r->table, name, key, d->line, &d->partition, &found);
    if (err == WEFT_ERR_FULL) {
        report_keyless(r, at);
        return false;
    }
    if (err != 0) {
        r->err = err;
        return false;
    }
    p = &r->t->items[d->partition];
    if (id && (key & PARTITIONS_DEFAULT_KEY) == 0)
        mention_invalid(r, id, p);
    if (found == PARTITIONS_BY_KEY)
        mention_merged(r, p, name, key);
    mention_name(r, name, p);
    if (p->line == 0)
        p->line = d->line;
    if (p->written == 0 && !p->generated)
        p->written = key;
    p->indx0 = p->indx0 || d->indx0;
    return true;
}

/* Takes `name=key, flag, ... :`. Gives what follows the colon, or NULL after a mistake. */
static char *take_head(struct reader *r, char *at)
{
    char *body = strchr(at, ':');
    struct reader_token head;
    struct reader_token flag;
    char text[QUOTED + 4];
    char *next;
    bool more;

    if (!body) {
        at = trim(at);
        reader_stop(r, at,
                    "expected NAME=KEY : MEMBERS with the colon on the same line, in place of "
                    "\"%s\"%s",
                    quoted(at, text), strchr(at, '\r') ? "; lines end in CR LF" : "");
        return NULL;
    }
    *body++ = '\0';
    if (++r->definitions > PARTITIONS_DEFINED_MAX)
        r->err = WEFT_ERR_FULL;
    more = reader_cut(at, ',');
    head = reader_token_read(at);
    for (next = head.next; more; next = flag.next) {
        more = reader_cut(next, ',');
        flag = reader_token_read(next);
        reader_flag(r, &r->definition.flags, &flag);
    }
    return define(r, head.value ? head.value : head.name, head.name, head.value) ? next : NULL;
}

static enum partitions_membership take_membership(struct reader *r,
                                                  const struct reader_token *token)
{
    enum partitions_membership membership = r->definition.membership;
    char text[QUOTED + 4];

    if (!token->value)
        return membership;
    if (!partitions_word_membership(token->value, &membership)) {
        reader_problem(
            r, PARTITIONS_UNKNOWN_MEMBERSHIP,
            "%s=%s: OpenSM takes limited in place of \"%s\"; write full, limited or both",
            token->name, quoted(token->value, text), text);
        return PARTITIONS_LIMITED;
    }
    if (token->value[0] == '\0')
        reader_problem(r, PARTITIONS_UNKNOWN_MEMBERSHIP,
                       "nothing follows %s=, OpenSM takes that for full; write it", token->name);
    return membership;
}

static bool is_hexadecimal(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789abcdefABCDEF")] == '\0';
}

/* Says what would have been a port. */
static void refuse_port(struct reader *r, const struct reader_token *token)
{
    const char *hint = "";
    char text[QUOTED + 4];
    size_t length = strlen(token->name);

    if (length > 0 && token->name[length - 1] == '\r')
        hint = "; lines end in CR LF";
    else if (strchr(token->name, ':') || (token->value && strchr(token->value, ':')))
        hint = "; does the definition before lack its semicolon?";
    else if (is_hexadecimal(token->name))
        hint = "; hexadecimal numbers begin with 0x";
    else if (strpbrk(token->name, " \t"))
        hint = "; commas stand between members";
    reader_stop(r, token->name,
                "expected a port GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS or SELF in place of "
                "\"%s\"%s",
                quoted(token->name, text), hint);
}

/* A GUID; 0 after a mistake. */
static uint64_t take_guid(struct reader *r, const struct reader_token *token)
{
    struct partitions_number n = partitions_number_read(token->name);

    if (n.none || n.rest[0] != '\0' || n.value == 0) {
        refuse_port(r, token);
        return 0;
    }
    if (n.negative || n.overflow)
        reader_problem(r, PARTITIONS_BAD_VALUE,
                       "%s is no GUID of 64 bits, OpenSM takes it for 0x%016" PRIx64, token->name,
                       n.value);
    else if (n.octal)
        reader_problem(r, PARTITIONS_BAD_VALUE,
                       "the GUID %s is an octal number to OpenSM: 0x%016" PRIx64
                       "; write it with 0x",
                       token->name, n.value);
    return n.value;
}

static bool take_member(struct reader *r, const struct reader_token *token)
{
    struct partitions_member member = {.who = PARTITIONS_GUID, .line = r->line};
    const char *known;
    enum partitions_port port = partitions_word_port(token->name, &member.who, &known);

    if (known && strcmp(known, token->name) != 0)
        reader_problem(r, PARTITIONS_ABBREVIATION,
                       "\"%s\" is the first word that begins so to OpenSM: %s; write it out",
                       token->name, known);
    if (port == PARTITIONS_PORT_NOBODY) {
        if (token->value)
            reader_problem(r, PARTITIONS_IGNORED,
                           "no port stands before \"=%s\", OpenSM ignores it", token->value);
        return true;
    }
    if (port == PARTITIONS_PORT_NUMBER)
        member.guid = take_guid(r, token);
    if (port == PARTITIONS_PORT_NUMBER && member.guid == 0)
        return false;
    member.membership = take_membership(r, token);
    if (member.membership == PARTITIONS_BOTH_FORMS && !r->t->allow_both) {
        member.membership = PARTITIONS_FULL;
        reader_problem(r, PARTITIONS_BOTH,
                       "%s=both is full alone where OpenSM runs without allow_both_pkeys; if it "
                       "runs with that, try --allow-both-pkeys",
                       token->name);
    }
    if (r->err == 0)
        r->err = partitions_member_add(r->t, r->definition.partition, &member);
    return true;
}

/* Takes members and groups up to the end of the text. Gives where OpenSM reads on, or NULL after a
 * mistake. */
static char *take_body(struct reader *r, char *at)
{
    struct reader_token token;
    bool more;

    do {
        more = reader_cut(at, ',');
        token = reader_token_read(at);
        if (strcmp(token.name, "mgid") == 0)
            return reader_group(r, &token, more);
        if (!take_member(r, &token))
            return NULL;
        at = token.next;
    } while (more);
    return at;
}

static void open_definition(struct reader *r)
{
    r->open = true;
    r->definition = (struct reader_definition){
        .partition = PARTITIONS_NONE,
        .line = r->line,
        .membership = PARTITIONS_LIMITED,
        /* What OpenSM has without flags: 2048 bytes, 10 Gb/s. */
        .flags = {.mtu = 4, .rate = 3},
    };
}

static void close_definition(struct reader *r)
{
    const struct reader_definition *d = &r->definition;

    if (r->open && d->partition != PARTITIONS_NONE && d->flags.group_line != 0 && !d->ipoib &&
        !d->grouped) {
        uint32_t line = r->line;

        r->line = d->flags.group_line;
        reader_problem(r, PARTITIONS_IGNORED,
                       "rate, mtu, scope, Q_Key, TClass and FlowLabel are for multicast groups; "
                       "without ipoib or mgid there are none");
        r->line = line;
    }
    r->open = false;
}

/* A semicolon at the beginning of a line or behind another one. */
static char *lone_semicolon(struct reader *r, char *at)
{
    if (r->t->refused)
        return at;
    reader_problem(
        r, PARTITIONS_IGNORED,
        "column %zu: no text stands before this semicolon; OpenSM takes what follows it, "
        "or rests of earlier lines, for its text; write it behind the last member",
        reader_column(r, at));
    return at + 1;
}

/* Takes the text before the next semicolon, or up to the end of the line. Gives where OpenSM reads
 * on, or NULL at the end. */
static char *take_text(struct reader *r, char *at)
{
    char *semicolon = strchr(at, ';');
    char *next = at;

    if (!r->open)
        open_definition(r);
    if (semicolon)
        *semicolon = '\0';
    if (semicolon == at)
        next = lone_semicolon(r, at);
    if (semicolon == at && next == at) {
        close_definition(r);
        return at + 1;
    }
    if (r->definition.partition == PARTITIONS_NONE)
        next = take_head(r, next);
    if (next)
        next = take_body(r, next);
    if (next)
        r->done = true;
    else
        r->skip = !semicolon;
    if (semicolon)
        close_definition(r);
    else if (!next)
        r->open = false;
    if (!semicolon)
        return NULL;
    return next && !r->t->refused ? next : semicolon + 1;
}

/* Passes over what is left of a definition after a mistake. */
static char *skip_mistake(struct reader *r)
{
    char *semicolon = strchr(r->buffer, ';');

    if (r->skip && !semicolon)
        return NULL;
    if (!r->skip)
        return r->buffer;
    r->skip = false;
    return semicolon + 1;
}

static void read_piece(struct reader *r)
{
    char *comment = strchr(r->buffer, '#');
    const char *end = r->buffer + sizeof(r->buffer) - 8;
    char *at;

    r->text_length = comment ? (size_t)(comment - r->buffer) : r->length;
    if (comment)
        *comment = '\0';
    at = skip_mistake(r);
    while (at && at < end && r->err == 0) {
        while (is_blank(*at))
            at++;
        if (*at == '\0')
            return;
        at = take_text(r, at);
    }
}

static int refuse(struct partitions_error *error, uint32_t line, int err, const char *text)
{
    error->line = line;
    snprintf(error->text, sizeof(error->text), "%s", text);
    return err;
}

static int refuse_later(const struct reader *r, struct partitions_error *error)
{
    if (r->err == WEFT_ERR_FULL)
        return refuse(error, r->line, r->err,
                      "the input has more than 65536 definitions, or 2000000 members or groups; "
                      "try a part of it");
    return refuse(error, r->line, r->err, "memory ran out while the file was read");
}

static bool is_utf_16(const struct reader *r, const char *text, size_t bytes)
{
    return r->line == 1 && bytes >= 2 &&
           (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

/* Reads one line, its end included, in pieces as OpenSM does. */
static int read_line(struct reader *r, const char *text, size_t bytes,
                     struct partitions_error *error)
{
    if (bytes > PARTITIONS_LINE_BYTES_MAX)
        return refuse(error, r->line, WEFT_ERR_FULL,
                      "the line is longer than 64 KiB; try to write members on lines of their own");
    if (memchr(text, '\0', bytes))
        return refuse(
            error, r->line, WEFT_ERR_FORMAT,
            is_utf_16(r, text, bytes)
                ? "the file begins with the byte order mark of UTF-16; try it saved as "
                  "UTF-8, without such a mark"
                : "the line has a 0 byte, so this is no text; try the partitions.conf that "
                  "OpenSM is given");
    if (r->line == 1 && bytes >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0)
        reader_problem(r, PARTITIONS_BYTE_ORDER_MARK,
                       "the file begins with a byte order mark, which OpenSM takes for text before "
                       "the first word or comment; save it without (UTF-8, no BOM)");
    for (size_t at = 0; at < bytes && r->err == 0; at += r->length) {
        r->length = bytes - at < READER_PIECE_BYTES ? bytes - at : READER_PIECE_BYTES;
        r->column = at;
        memcpy(r->buffer, text + at, r->length);
        r->buffer[r->length] = '\0';
        if (at == READER_PIECE_BYTES && r->buffer[strspn(r->buffer, " \t\n")] != '\0')
            reader_problem(r, PARTITIONS_LONG_LINE,
                           "OpenSM reads lines of %d bytes; what follows is a line of its own to "
                           "it, even inside a word or a comment",
                           READER_PIECE_BYTES);
        read_piece(r);
    }
    return r->err == 0 ? 0 : refuse_later(r, error);
}

static int read_lines(struct reader *r, const char *text, size_t bytes,
                      struct partitions_error *error)
{
    int err = 0;

    if (bytes > PARTITIONS_INPUT_BYTES_MAX)
        return refuse(error, 0, WEFT_ERR_FULL, "the file is larger than 128 MiB; try a part of it");
    while (err == 0 && bytes > 0) {
        const char *end = memchr(text, '\n', bytes);
        size_t length = end ? (size_t)(end - text) + 1 : bytes;

        r->line++;
        err = read_line(r, text, length, error);
        text += length;
        bytes -= length;
    }
    close_definition(r);
    sum_up_keyless(r);
    if (err == 0 && !r->done && !r->t->refused) {
        reader_problem(r, PARTITIONS_NOTHING,
                       "no partition is defined; OpenSM goes on as without the file: every port "
                       "becomes a full member of the default partition");
        r->t->refused = true;
    }
    return err == 0 && r->err != 0 ? refuse_later(r, error) : err;
}

static struct partitions *new_partitions(bool allow_both)
{
    struct partitions *t = calloc(1, sizeof(*t));

    if (t)
        t->allow_both = allow_both;
    return t;
}

/* Puts the default partition alone in place of what was read. */
static int fall_back(struct partitions *t)
{
    struct partitions_table *table;

    free(t->items);
    free(t->members);
    free(t->groups);
    t->items = NULL;
    t->members = NULL;
    t->groups = NULL;
    t->count = 0;
    t->member_count = 0;
    t->group_count = 0;
    table = partitions_table_new(t, true);
    if (!table)
        return WEFT_ERR_NOMEM;
    partitions_table_free(table);
    return 0;
}

static int read_and_lint(struct reader *r, const char *text, size_t bytes,
                         struct partitions_error *error)
{
    int err = read_lines(r, text, bytes, error);

    if (err != 0)
        return err;
    err = partitions_lint(r->t);
    if (err == 0 && r->t->refused)
        err = fall_back(r->t);
    return err == 0 ? 0 : refuse(error, 0, err, "memory ran out while the file was checked");
}

int partitions_parse(const char *text, size_t bytes, bool allow_both, struct partitions **ret,
                     struct partitions_error *error)
{
    struct reader *r = calloc(1, sizeof(*r));
    struct partitions *t = new_partitions(allow_both);
    struct partitions_table *table = r && t ? partitions_table_new(t, false) : NULL;
    int err = WEFT_ERR_NOMEM;

    if (table) {
        r->t = t;
        r->table = table;
        err = read_and_lint(r, text, bytes, error);
    } else {
        refuse(error, 0, err, "there is no memory to read the file");
    }
    partitions_table_free(table);
    free(r);
    if (err == 0)
        *ret = t;
    else
        partitions_free(t);
    return err;
}

int partitions_without_file(bool allow_both, struct partitions **ret)
{
    struct partitions *t = new_partitions(allow_both);
    int err = t ? fall_back(t) : WEFT_ERR_NOMEM;

    if (err == 0)
        *ret = t;
    else
        partitions_free(t);
    return err;
}

struct partitions *partitions_free(struct partitions *t)
{
    if (!t)
        return NULL;
    partitions_problems_free(&t->problems);
    free(t->items);
    free(t->members);
    free(t->groups);
    free(t);
    return NULL;
}
