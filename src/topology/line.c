/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes one line of a topology apart. Fields may be separated by any blanks or by nothing. */
#include "topology/line.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The part of a line still to be read. */
struct cursor {
    const char *at;
    const char *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && is_blank(*c->at))
        c->at++;
}

static bool take_char(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool starts_with(const struct cursor *c, const char *word)
{
    const char case_bit = 'a' ^ 'A';
    size_t length = strlen(word);

    /* Of the many words that a line may begin with the first letter rules out nearly all. */
    return (size_t)(c->end - c->at) >= length && (*c->at | case_bit) == (*word | case_bit) &&
           strncasecmp(c->at, word, length) == 0;
}

static bool take_word(struct cursor *c, const char *word)
{
    skip_blanks(c);
    if (!starts_with(c, word))
        return false;
    c->at += strlen(word);
    return true;
}

/* A number that does not fit is as large as can be: whoever has a limit will refuse it. */
static bool take_number(struct cursor *c, uint32_t *ret)
{
    uint64_t value = 0;

    skip_blanks(c);
    if (c->at >= c->end || !is_digit(*c->at))
        return false;
    for (; c->at < c->end && is_digit(*c->at); c->at++)
        if (value <= UINT32_MAX)
            value = value * 10 + (uint64_t)(*c->at - '0');
    *ret = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    return true;
}

/* At most 16 hexadecimal digits, with or without 0x. */
static bool take_hex(struct cursor *c, uint64_t *ret)
{
    struct cursor start;
    uint64_t value = 0;

    skip_blanks(c);
    start = *c;
    if (starts_with(c, "0x"))
        start.at = c->at += 2;
    for (; c->at < c->end && isxdigit((unsigned char)*c->at) && c->at - start.at < 17; c->at++) {
        char digit = (char)tolower((unsigned char)*c->at);

        value = value << 4 | (uint64_t)(is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    if (c->at == start.at || c->at - start.at > 16)
        return false;
    *ret = value;
    return true;
}

/* `(8f10403960985)`: a port GUID. Leaves the cursor where it was when it is something else. */
static bool take_port_guid(struct cursor *c, uint64_t *ret)
{
    struct cursor inside = *c;
    uint64_t guid;

    if (!take_char(&inside, '(') || !take_hex(&inside, &guid) || !take_char(&inside, ')'))
        return false;
    *c = inside;
    *ret = guid;
    return true;
}

/* LIDs 0 and 65535 both mean "none"; so does a number that is no LID. */
static bool take_lid(struct cursor *c, uint16_t *ret)
{
    struct cursor after = *c;
    uint32_t value;

    if (!take_word(&after, "lid") || !take_number(&after, &value))
        return false;
    *c = after;
    *ret = value < UINT16_MAX ? (uint16_t)value : 0;
    return true;
}

static void take_lmc(struct cursor *c, uint8_t *ret)
{
    struct cursor after = *c;
    uint32_t value;

    if (!take_word(&after, "lmc") || !take_number(&after, &value))
        return;
    *c = after;
    *ret = value < UINT8_MAX ? (uint8_t)value : UINT8_MAX;
}

/* `"S-0008f10400410015"` or `"Switch1"`. An S-, H- or R- before 16 digits says what the node is. */
static bool take_ref(struct cursor *c, struct topo_ref *ret)
{
    const char *close;
    struct cursor digits;
    uint64_t guid;

    if (!take_char(c, '"'))
        return false;
    close = memchr(c->at, '"', (size_t)(c->end - c->at));
    if (!close || close == c->at || close - c->at >= TOPO_NAME_BYTES)
        return false;
    *ret = (struct topo_ref){.id = c->at, .id_length = (size_t)(close - c->at), .type = TOPO_CA};
    digits = (struct cursor){c->at + 2, close};
    c->at = close + 1;
    if (ret->id_length != 18 || ret->id[1] != '-' || !strchr("SHR", ret->id[0]))
        return true;
    if (ret->id[0] == 'S')
        ret->type = TOPO_SWITCH;
    else if (ret->id[0] == 'R')
        ret->type = TOPO_ROUTER;
    if (take_hex(&digits, &guid) && digits.at == close)
        ret->guid = guid;
    return true;
}

/* True at `lid 4`, `lmc 0`, `base port 0` and `enhanced port 0`. */
static bool at_name_follower(struct cursor c)
{
    skip_blanks(&c);
    if (starts_with(&c, "lid") || starts_with(&c, "lmc"))
        return c.end - c.at > 3 && (is_blank(c.at[3]) || is_digit(c.at[3]));
    return starts_with(&c, "base port") || starts_with(&c, "enhanced port");
}

/* Where a name ends that begins at `start`, just after its opening quote. Names may have quotes
 * inside: the closing one is the last that something follows which stands behind names, or that
 * ends the line where the name may do so; else the last. Without any the line was cut. */
static const char *find_name_end(const char *start, const char *end, bool may_end_line)
{
    const char *last = NULL;
    const char *closing = NULL;

    for (const char *q = end; q-- > start;) {
        struct cursor after = {q + 1, end};

        if (*q != '"')
            continue;
        if (at_name_follower(after))
            return q;
        skip_blanks(&after);
        if (!closing && (after.at == end || *after.at == '(')) {
            closing = q;
            if (may_end_line)
                return q;
        }
        if (!last)
            last = q;
    }
    if (closing)
        return closing;
    return last ? last : end;
}

/* A name in quotes. Bytes beyond those of a NodeDescription are left out. */
static bool take_name(struct cursor *c, bool may_end_line, struct topo_text *ret)
{
    const char *start;
    const char *close;

    if (!take_char(c, '"'))
        return false;
    start = c->at;
    close = find_name_end(start, c->end, may_end_line);
    c->at = close < c->end ? close + 1 : close;
    *ret = (struct topo_text){start, (size_t)(close - start)};
    if (close == c->end)
        while (ret->length > 0 && is_blank(start[ret->length - 1]))
            ret->length--;
    return true;
}

/* ibsim allows a name without quotes; it reaches to what may follow a name. */
static void take_bare_name(struct cursor *c, struct topo_text *ret)
{
    const char *start;
    const char *stop;

    skip_blanks(c);
    start = c->at;
    while (c->at < c->end && (!(c->at == start || is_blank(c->at[-1])) || !at_name_follower(*c))) {
        c->at++;
        if (c->at < c->end && is_blank(*c->at))
            skip_blanks(c);
    }
    for (stop = c->at; stop > start && is_blank(stop[-1]);)
        stop--;
    if (stop > start)
        *ret = (struct topo_text){start, (size_t)(stop - start)};
}

static struct topo_text text_of(const char *constant)
{
    return (struct topo_text){constant, strlen(constant)};
}

/* Values of LinkWidthActive and LinkSpeedActive (IBA 14.2.5.6), the best of a set. */
static struct topo_text width_word(uint32_t value)
{
    if (value & 8)
        return text_of("12x");
    if (value & 4)
        return text_of("8x");
    if (value & 2)
        return text_of("4x");
    if (value & 16)
        return text_of("2x");
    return value & 1 ? text_of("1x") : (struct topo_text){NULL, 0};
}

static struct topo_text speed_word(uint32_t value)
{
    if (value & 4)
        return text_of("QDR");
    if (value & 2)
        return text_of("DDR");
    return value & 1 ? text_of("SDR") : (struct topo_text){NULL, 0};
}

/* `w=2` and `s=4`, as ibsim takes them and `ibnetdiscover -f` adds them. Words go before numbers:
 * they also tell what newer speeds are. */
static void take_options(struct cursor c, struct topo_line *line)
{
    while (c.at < c.end) {
        char option = *c.at++;
        uint32_t value;

        /* The line has its port number in front, so there is a character before. */
        if (isalnum((unsigned char)c.at[-2]) || (option != 'w' && option != 's') || c.at >= c.end ||
            *c.at != '=')
            continue;
        c.at++;
        if (!take_number(&c, &value))
            continue;
        if (option == 'w' && !line->width.text)
            line->width = width_word(value);
        else if (option == 's' && !line->speed.text)
            line->speed = speed_word(value);
    }
}

/* `4xEDR`, `??QDR`, `4x???` or any other word. */
static void split_rate(const char *start, const char *end, struct topo_line *line)
{
    const char *split = start;

    while (split < end && is_digit(*split))
        split++;
    if (split > start && split - start <= 3 && split < end && (*split == 'x' || *split == 'X'))
        split++;
    else if (end - start >= 2 && start[0] == '?' && start[1] == '?')
        split = start + 2;
    else
        split = start;
    if (split > start)
        line->width = (struct topo_text){start, (size_t)(split - start)};
    if (split < end)
        line->speed = (struct topo_text){split, (size_t)(end - split)};
}

static void take_rate(struct cursor *c, struct topo_line *line)
{
    const char *start;

    skip_blanks(c);
    start = c->at;
    while (c->at < c->end && !is_blank(*c->at))
        c->at++;
    if (start < c->at && *start != '(' && *start != '#' && *start != '"' &&
        !memchr(start, '=', (size_t)(c->at - start)))
        split_rate(start, c->at, line);
}

static bool parse_attribute(struct cursor c, struct topo_line *line)
{
    static const struct {
        const char *word;
        enum topo_attribute attribute;
    } words[] = {
        {"vendid", TOPO_VENDOR_ID},       {"devid", TOPO_DEVICE_ID},
        {"sysimgguid", TOPO_SYSIMG_GUID}, {"switchguid", TOPO_NODE_GUID},
        {"caguid", TOPO_NODE_GUID},       {"rtguid", TOPO_NODE_GUID},
        {"hcaguids", TOPO_NODE_GUID},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!take_word(&c, words[i].word))
            continue;
        if (!take_char(&c, '=') || !take_hex(&c, &line->value))
            return false;
        line->kind = TOPO_LINE_ATTRIBUTE;
        line->attribute = words[i].attribute;
        return true;
    }
    return false;
}

static bool take_type(struct cursor *c, enum topo_node_type *ret)
{
    static const struct {
        const char *word;
        enum topo_node_type type;
    } words[] = {{"Switch", TOPO_SWITCH}, {"Hca", TOPO_CA}, {"Ca", TOPO_CA}, {"Rt", TOPO_ROUTER}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (take_word(c, words[i].word)) {
            *ret = words[i].type;
            return true;
        }
    }
    return false;
}

/* The comment of a line begins at its `#`, or where the `#` got lost at the name's quote. */
static void skip_to_comment(struct cursor *c)
{
    while (c->at < c->end && *c->at != '#' && *c->at != '"')
        c->at++;
    if (c->at < c->end && *c->at == '#')
        c->at++;
}

static bool parse_node(struct cursor c, struct topo_line *line)
{
    enum topo_node_type type;
    bool counted;

    if (!take_type(&c, &type))
        return false;
    counted = take_number(&c, &line->num);
    if (!take_ref(&c, &line->ref)) {
        line->kind = counted ? TOPO_LINE_CUT_NODE : TOPO_LINE_OTHER;
        return counted;
    }
    line->ref.type = type;
    line->kind = TOPO_LINE_NODE;
    skip_to_comment(&c);
    if (!take_name(&c, type != TOPO_SWITCH, &line->name))
        take_bare_name(&c, &line->name);
    if (take_word(&c, "enhanced port 0"))
        line->port0 = TOPO_PORT0_ENHANCED;
    else if (take_word(&c, "base port 0"))
        line->port0 = TOPO_PORT0_BASE;
    (void)take_lid(&c, &line->lid);
    take_lmc(&c, &line->lmc);
    return true;
}

/* What stands behind `"S-..."[4]`: this end's LID unless it is a switch's, the other end's name and
 * LID, and the rate. Without a name the last LID is the other end's. */
static void parse_port_comment(struct cursor c, struct topo_line *line)
{
    struct cursor before_name = c;
    bool own;
    bool named;
    bool rated;

    if (!at_name_follower(c)) {
        skip_to_comment(&c);
        if (c.at == c.end)
            c = before_name;
    }
    own = take_lid(&c, &line->lid);
    take_lmc(&c, &line->lmc);
    named = take_name(&c, false, &line->name);
    rated = take_lid(&c, &line->peer_lid) || named;
    if (!rated && own) {
        line->peer_lid = line->lid;
        line->lid = 0;
        rated = true;
    }
    if (named)
        before_name.end = line->name.text;
    if (rated)
        take_rate(&c, line);
    take_options(before_name, line);
    take_options(c, line);
}

/* Looks for `(GUID)` among other text, such as that of external ports. */
static bool find_port_guid(struct cursor c, uint64_t *ret)
{
    while (c.at < c.end) {
        c.at = memchr(c.at, '(', (size_t)(c.end - c.at));
        if (!c.at)
            return false;
        if (take_port_guid(&c, ret))
            return true;
        c.at++;
    }
    return false;
}

/* Moves to the first of `stops`, or to the end, and gives the text before. */
static struct cursor take_until(struct cursor *c, const char *stops)
{
    struct cursor before = *c;

    while (c->at < c->end && !strchr(stops, *c->at))
        c->at++;
    before.end = c->at;
    return before;
}

static bool parse_port(struct cursor c, struct topo_line *line)
{
    struct cursor between;
    struct cursor after;

    if (!take_char(&c, '[') || !take_number(&c, &line->num) || !take_char(&c, ']'))
        return false;
    between = take_until(&c, "\"#");
    (void)find_port_guid(between, &line->guid);
    if (!take_ref(&c, &line->ref))
        return false;
    line->peer_num = 1;
    if (take_char(&c, '[')) {
        if (!take_number(&c, &line->peer_num) || !take_char(&c, ']'))
            return false;
    } else {
        /* ibsim lets port 1 go unsaid; with other text in the way this is no port line. */
        (void)take_port_guid(&between, &line->guid);
        skip_blanks(&between);
        if (between.at < between.end)
            return false;
    }
    line->kind = TOPO_LINE_PORT;
    after = c;
    (void)find_port_guid(take_until(&after, "\"#"), &line->peer_guid);
    parse_port_comment(c, line);
    return true;
}

static bool take_pair_end(struct cursor *c, struct topo_pair_end *end)
{
    uint32_t lid;

    if (take_word(c, "CA "))
        end->ref.type = TOPO_CA;
    else if (take_word(c, "SW "))
        end->ref.type = TOPO_SWITCH;
    else if (take_word(c, "RT "))
        end->ref.type = TOPO_ROUTER;
    else
        return false;
    if (!take_number(c, &lid) || !take_number(c, &end->num) || !take_word(c, "0x"))
        return false;
    end->lid = lid < UINT16_MAX ? (uint16_t)lid : 0;
    return take_hex(c, &end->ref.guid) && end->ref.guid != 0;
}

static bool take_blank_word(struct cursor *c, struct topo_text *ret)
{
    const char *start;

    skip_blanks(c);
    start = c->at;
    while (c->at < c->end && !is_blank(*c->at))
        c->at++;
    *ret = (struct topo_text){start, (size_t)(c->at - start)};
    return c->at > start;
}

static bool is_width(const struct topo_text *word)
{
    struct topo_line line = {.kind = TOPO_LINE_OTHER};

    split_rate(word->text, word->text + word->length, &line);
    return line.width.length == word->length;
}

/* `( 'a' - 'b' )` behind a cable, `'a'` behind a port without one. */
static void take_pair_names(struct cursor c, struct topo_line *line)
{
    static const char between[] = "' - '";
    const char *split;

    (void)take_char(&c, '(');
    while (c.end > c.at && c.end[-1] != '\'')
        c.end--;
    if (!take_char(&c, '\'') || c.at >= c.end)
        return;
    c.end--;
    split = memmem(c.at, (size_t)(c.end - c.at), between, sizeof(between) - 1);
    if (line->ends[1].num != 0 && split) {
        const char *second = split + sizeof(between) - 1;

        line->ends[1].name = (struct topo_text){second, (size_t)(c.end - second)};
        c.end = split;
    }
    line->ends[0].name = (struct topo_text){c.at, (size_t)(c.end - c.at)};
}

static bool parse_pair(struct cursor c, struct topo_line *line)
{
    if (!take_pair_end(&c, &line->ends[0]) || !take_blank_word(&c, &line->width) ||
        !take_blank_word(&c, &line->speed))
        return false;
    if (!is_width(&line->width))
        return false;
    skip_blanks(&c);
    if (starts_with(&c, "- ")) {
        c.at += 2;
        if (!take_pair_end(&c, &line->ends[1]))
            return false;
    }
    line->kind = TOPO_LINE_PAIR;
    take_pair_names(c, line);
    return true;
}

void topo_line_parse(const char *text, size_t length, struct topo_line *ret)
{
    static bool (*const forms[])(struct cursor, struct topo_line *) = {parse_attribute, parse_port,
                                                                       parse_pair, parse_node};
    struct cursor c = {text, text + length};

    skip_blanks(&c);
    for (size_t i = 0; c.at < c.end && *c.at != '#' && i < sizeof(forms) / sizeof(forms[0]); i++) {
        *ret = (struct topo_line){.kind = TOPO_LINE_OTHER};
        if (forms[i](c, ret))
            return;
    }
    *ret = (struct topo_line){.kind = c.at == c.end || *c.at == '#' ? TOPO_LINE_BLANK
                                                                    : TOPO_LINE_OTHER};
}
