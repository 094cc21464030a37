/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cursor over a command's words. */
#include "fabric/parser.h"

#include "core/base/quantity.h"
#include "core/base/suggest.h"
#include "fabric/attach.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a wrong word that a message shows. */
#define SHOWN_BYTES 48

const char *parser_peek(const struct parser *p)
{
    return p->next < p->words.count ? words_text(&p->words, p->next) : NULL;
}

int parser_refuse(struct parser *p, const char *expected)
{
    const char *word = parser_peek(p);
    char shown[4 * SHOWN_BYTES + 1] = "";
    struct wire_text text = {.out = shown, .cap = sizeof(shown)};
    size_t length;

    if (!word) {
        snprintf(p->error->text, sizeof(p->error->text), "the line ends where %s is expected",
                 expected);
        return WEFT_ERR_FORMAT;
    }
    length = strlen(word);
    wire_text_escaped(&text, (const uint8_t *)word, length < SHOWN_BYTES ? length : SHOWN_BYTES,
                      false);
    wire_text_end(&text);
    snprintf(p->error->text, sizeof(p->error->text), "\"%s\" stands where %s is expected", shown,
             expected);
    return WEFT_ERR_FORMAT;
}

void parser_suggest_one(struct parser *p, parser_choices words)
{
    size_t used = strlen(p->error->text);
    struct suggest near;

    suggest_start(&near, parser_peek(p) ? parser_peek(p) : "");
    for (size_t i = 0; words[i]; i++)
        suggest_offer(&near, words[i]);
    if (suggest_best(&near))
        snprintf(p->error->text + used, sizeof(p->error->text) - used, ": did you mean %s?",
                 suggest_best(&near));
}

static int refuse_choice(struct parser *p, parser_choices words)
{
    char expected[192] = "";
    struct wire_text list = {.out = expected, .cap = sizeof(expected)};
    int err;

    for (size_t i = 0; words[i]; i++) {
        if (i > 0)
            wire_text_string(&list, words[i + 1] ? ", " : " or ");
        wire_text_string(&list, words[i]);
    }
    wire_text_end(&list);
    err = parser_refuse(p, expected);
    parser_suggest_one(p, words);
    return err;
}

bool parser_take(struct parser *p, const char *word)
{
    if (!parser_peek(p) || strcmp(parser_peek(p), word) != 0)
        return false;
    p->next++;
    return true;
}

int parser_choose(struct parser *p, parser_choices words, unsigned *ret)
{
    for (unsigned i = 0; words[i]; i++) {
        if (parser_take(p, words[i])) {
            *ret = i;
            return 0;
        }
    }
    return refuse_choice(p, words);
}

int parser_choose_flag(struct parser *p, const char *yes, const char *no, bool *ret)
{
    const char *const words[] = {yes, no, NULL};
    unsigned which = 0;
    int err = parser_choose(p, words, &which);

    *ret = which == 0;
    return err;
}

int parser_want(struct parser *p, const char *word)
{
    return parser_take(p, word) ? 0 : parser_refuse(p, word);
}

int parser_take_count(struct parser *p, uint64_t max, const char *expected, uint64_t *ret)
{
    if (!parser_peek(p) || !quantity_parse_count(parser_peek(p), ret) || *ret > max)
        return parser_refuse(p, expected);
    p->next++;
    return 0;
}

int parser_take_time(struct parser *p, weft_time max, const char *expected, weft_time *ret)
{
    if (!parser_peek(p) || !quantity_parse_duration(parser_peek(p), ret) || *ret > max)
        return parser_refuse(p, expected);
    p->next++;
    return 0;
}

int parser_take_share(struct parser *p, uint32_t *ret)
{
    const char *word = parser_peek(p);

    if (!word || !memchr(word, '%', strlen(word)) || !quantity_parse_share(word, ret))
        return parser_refuse(p, "a percentage from 0% to 100%, such as 2.5%,");
    p->next++;
    return 0;
}

int parser_take_node(struct parser *p)
{
    int err;

    if (!parser_peek(p))
        return parser_refuse(p, "a node");
    err = fabric_find(p->f, parser_peek(p), &p->c->node, p->error);
    if (err == 0)
        p->next++;
    return err;
}

static int refuse_port(struct parser *p, enum port_kind kind, const char *what, uint64_t number)
{
    const struct node *n = &p->f->nodes[p->c->node];
    char name[4 * TOPO_NAME_BYTES] = "";
    struct wire_text text = {.out = name, .cap = sizeof(name)};

    words_quote(&text, n->name);
    wire_text_end(&text);
    snprintf(p->error->text, sizeof(p->error->text), "%.80s %s %llu: its ports are %d to %d", name,
             what, (unsigned long long)number, kind == PORT_ANY && node_is_switch(n) ? 0 : 1,
             n->ports);
    return WEFT_ERR_NOTFOUND;
}

int parser_take_port(struct parser *p, enum port_kind kind)
{
    const struct word *word = &p->words.word[p->next];
    char name[WORDS_LINE_BYTES + 1];
    uint64_t number;
    const struct node *n;
    int err;

    if (!parser_peek(p) || word->slash == WORDS_NO_SLASH ||
        !quantity_parse_count(parser_peek(p) + word->slash + 1, &number))
        return parser_refuse(p, "NODE/PORT, a node and the number of its port,");
    memcpy(name, parser_peek(p), word->slash);
    name[word->slash] = '\0';
    err = fabric_find(p->f, name, &p->c->node, p->error);
    if (err != 0)
        return err;
    n = &p->f->nodes[p->c->node];
    if (number > n->ports || (number == 0 && !node_is_switch(n)))
        return refuse_port(p, kind, "has no port", number);
    p->c->port = n->first_port + (uint32_t)number;
    if (kind != PORT_ANY && number == 0)
        return refuse_port(p, kind, "has no cable at port", number);
    if (kind == PORT_CABLED && !p->moves && p->f->ports[p->c->port].peer == FABRIC_NONE)
        return refuse_port(p, kind, "has no cable at port", number);
    p->next++;
    return 0;
}

int parser_take_port_of_node(struct parser *p)
{
    uint16_t slash = p->next < p->words.count ? p->words.word[p->next].slash : WORDS_NO_SLASH;
    const struct node *n;
    uint64_t number;
    int err;

    if (slash != WORDS_NO_SLASH && quantity_parse_count(parser_peek(p) + slash + 1, &number))
        return parser_take_port(p, PORT_ANY);
    err = parser_take_node(p);
    if (err != 0)
        return err;
    n = &p->f->nodes[p->c->node];
    p->c->port = n->first_port + attach_pick_port(p->f, n);
    return 0;
}
