/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A cursor over the words of a command that takes what is expected next, and says what that was
 * when another word stands there.
 */
#ifndef WEFT_FABRIC_PARSER_H
#define WEFT_FABRIC_PARSER_H

#include "fabric/command.h"

/** A command being parsed. */
struct parser {
    const struct fabric *f;
    struct words words;
    uint8_t next;
    struct command *c;
    struct fabric_error *error;
    bool moves; /* cables may be at other ports by the time this is done: a line says so */
};

/** A list of words of which one is expected; the end of the array is a NULL. */
typedef const char *const *parser_choices;

/** What a port must be. */
enum port_kind {
    PORT_ANY,    /* a switch's port 0 too */
    PORT_PLUG,   /* one that can have a cable */
    PORT_CABLED, /* one that has a cable, or may have one by then */
};

/** The next word, or NULL at the line's end. */
const char *parser_peek(const struct parser *p);

/** Says that the next word is not what is expected here.
 * @return WEFT_ERR_FORMAT */
int parser_refuse(struct parser *p, const char *expected);

/** Adds to what parser_refuse() said which of the words may have been meant. */
void parser_suggest_one(struct parser *p, parser_choices words);

/** Takes the next word if it is this one. */
bool parser_take(struct parser *p, const char *word);

/** Takes one of several words, this word, one of two (is it the first?), a whole number, a time, a
 * percentage, a node (c->node), a node's port (c->node, c->port), or either: a node alone means the
 * port that fabric_attach() picks.
 * @return 0; WEFT_ERR_FORMAT; WEFT_ERR_NOTFOUND: no such node, port or cable; WEFT_ERR_CONFLICT:
 *         several nodes have the name */
int parser_choose(struct parser *p, parser_choices words, unsigned *ret);
int parser_want(struct parser *p, const char *word);
int parser_choose_flag(struct parser *p, const char *yes, const char *no, bool *ret);
int parser_take_count(struct parser *p, uint64_t max, const char *expected, uint64_t *ret);
int parser_take_time(struct parser *p, weft_time max, const char *expected, weft_time *ret);
int parser_take_share(struct parser *p, uint32_t *ret);
int parser_take_node(struct parser *p);
int parser_take_port(struct parser *p, enum port_kind kind);
int parser_take_port_of_node(struct parser *p);

#endif
