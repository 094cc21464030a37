/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands to a fabric that is served: from the command line, or many from standard input. */
#include "cli/fabric_ctl.h"

#include "channel/connect.h"
#include "cli/fabric_socket.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "core/base/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command is one line; the longest name in it has 64 bytes. */
#define COMMAND_BYTES_MAX 4096
/* How long a fabric may take to end. */
#define STOP_WAIT_MS      10000

enum option {
    OPTION_FABRIC = 1,
    OPTION_JSON
};

/* What the command line asks for. */
struct control {
    char *socket_path;
    bool json;
    bool from_stdin;
    char command[COMMAND_BYTES_MAX];
    struct channel channel;
    struct message_text *request, *answer;
};

static const struct poptOption table[] = {
    {"fabric", '\0', POPT_ARG_STRING, NULL, OPTION_FABRIC,
     "the fabric's socket (default: see the manual page)", "SOCKET"},
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON,
     "print JSON (status, nodes, port, clients, functions, faults)", NULL},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "fabric ctl",
    .arguments = "[OPTION...] [SOCKET] COMMAND...",
    .text = "Asks a fabric that is served, or changes it:\n"
            "  status | nodes | clients | functions | faults    what it does and what is in it\n"
            "  port NODE[/PORT]                     a port as its host sees it\n"
            "  link NAME/PORT down, node NAME dead, loss 10% on all, ...\n"
            "                                       see the manual page\n"
            "  stop    ends it\n"
            "  -       reads commands from standard input, one a line\n"
            "A first word with a slash or a point in it is the socket.\n",
    .table = table,
    .page = "fabric",
};

/* Adds a text to the command. Returns false when there is no room. */
static bool add_text(struct control *c, const char *text, size_t length)
{
    size_t used = strlen(c->command);

    if (length >= sizeof(c->command) - used)
        return false;
    memcpy(c->command + used, text, length);
    c->command[used + length] = '\0';
    return true;
}

/* Where the port's number begins in NODE/PORT, with its slash; else the word's end. */
static const char *port_part(const char *word)
{
    const char *slash = strrchr(word, '/');

    if (!slash || slash[1] == '\0' || slash[1 + strspn(slash + 1, "0123456789")] != '\0')
        return word + strlen(word);
    return slash;
}

/* Adds a word to the command. A name that would fall apart at its blanks gets the quotes that the
 * shell has taken away; who has written quotes knows what they mean. */
static bool add_word(struct control *c, const char *word)
{
    const char *port = port_part(word);
    bool done;

    if (c->command[0] != '\0' && !add_text(c, " ", 1))
        return false;
    if (word[0] != '\0' && (!strpbrk(word, " \t#") || strchr(word, '"')))
        return add_text(c, word, strlen(word));
    done = add_text(c, "\"", 1);
    for (; word < port && done; word++)
        done = add_text(c, "\\", *word == '\\') && add_text(c, word, 1);
    return done && add_text(c, "\"", 1) && add_text(c, port, strlen(port));
}

/* What can be answered in JSON. */
static bool is_query(const char *command)
{
    static const char *const queries[] = {"status", "nodes", "clients", "functions", "faults"};

    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
        if (strcmp(command, queries[i]) == 0)
            return true;
    return strncmp(command, "port ", 5) == 0;
}

/* Whether the command is a query with something behind it that it does not take. */
static bool is_query_and_more(const char *command)
{
    char first[16];
    size_t length = strcspn(command, " ");

    if (length >= sizeof(first) || command[length] == '\0')
        return false;
    snprintf(first, sizeof(first), "%.*s", (int)length, command);
    return is_query(first);
}

/* Makes the words one line. A word alone is the whole line already. */
static void take_command(struct options *o, struct control *c, const char *word)
{
    const char *next = options_argument(o);
    bool alone = !next;
    bool done = true;

    for (; word && done; word = next, next = word ? options_argument(o) : NULL)
        done = !strchr(word, '\n') && (alone ? add_text(c, word, strlen(word)) : add_word(c, word));
    if (!done)
        options_refuse(o,
                       "a command is one line of at most %d bytes; more of them come from standard "
                       "input with -",
                       COMMAND_BYTES_MAX - 1);
    else if (c->json && is_query_and_more(c->command))
        options_refuse(o, "with --json nothing stands behind %.*s", (int)strcspn(c->command, " "),
                       c->command);
    else if (c->json && !is_query(c->command))
        options_refuse(o, "--json is for one of: status, nodes, port, clients, functions, faults");
}

/* Whether the first word is not part of the command. */
static bool is_socket(const char *word)
{
    return strcmp(word, "-") != 0 && strpbrk(word, "/.") && !strpbrk(word, " \t");
}

static void take_words(struct options *o, struct control *c, const char **socket_path)
{
    const char *word = options_argument(o);

    if (word && !*socket_path && is_socket(word)) {
        *socket_path = word;
        word = options_argument(o);
    }
    if (options_stopped(o))
        return;
    if (!word) {
        options_refuse(o, "what should the fabric do? A command is missing, for example status");
    } else if (strcmp(word, "-") == 0 && c->json) {
        options_refuse(o, "--json is for one of: status, nodes, port, clients, functions, faults");
    } else if (strcmp(word, "-") == 0) {
        c->from_stdin = true;
        options_no_more_arguments(o);
    } else {
        take_command(o, c, word);
    }
}

/* Returns whether there is something to do; else *ret_exit_code is the verb's. */
static bool parse(int argc, const char **argv, struct control *c, int *ret_exit_code)
{
    const char *socket_path = NULL;
    char *given = NULL;
    struct options o;
    bool stopped;
    int option;

    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) != 0) {
        if (option == OPTION_JSON) {
            c->json = true;
            continue;
        }
        free(given);
        given = strdup(options_text(&o));
        if (!given)
            options_refuse(&o, "no memory for the command line");
        else if (given[0] == '\0')
            options_refuse(&o, "--fabric \"\": wants a name");
    }
    socket_path = given;
    take_words(&o, c, &socket_path);
    if (!options_stopped(&o)) {
        c->socket_path = fabric_socket(socket_path);
        if (!c->socket_path)
            o.exit_code = CLI_FAILED;
    }
    stopped = options_stopped(&o) || !c->socket_path;
    free(given);
    *ret_exit_code = options_done(&o);
    return !stopped;
}

/* Sends one command; its answer is in c->answer.
 * Returns 0, or the error whose text is in `text`. */
static int ask(struct control *c, const char *command, char text[CHANNEL_TEXT_BYTES])
{
    size_t length = strlen(command);
    size_t bytes = 0;
    int err;

    c->request->head.type = MESSAGE_COMMAND;
    memcpy(c->request->text, command, length + 1);
    err = channel_ask(&c->channel, c->request, sizeof(c->request->head) + length + 1, MESSAGE_TEXT,
                      c->answer, sizeof(*c->answer), &bytes, text);
    if (err == 0)
        c->answer->text[bytes - sizeof(c->answer->head) - 1] = '\0';
    return err;
}

/* Which item the next page of a list begins with, which the last line says; 0: this was the last
 * page. The line is cut off. */
static uint64_t cut_next(char *text)
{
    size_t length = strlen(text);
    char *line;
    uint64_t next = 0;

    if (length == 0 || text[length - 1] != '\n')
        return 0;
    text[length - 1] = '\0';
    line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    text[length - 1] = '\n';
    if (strncmp(line, "... ", 4) != 0)
        return 0;
    text[length - 1] = '\0';
    if (!quantity_parse_count(line + 4, &next))
        return 0;
    line[0] = '\0';
    return next;
}

/* Prints what comes back: the answer to a command, or all pages of a list. */
static int ask_lines(struct control *c, const char *command, char text[CHANNEL_TEXT_BYTES])
{
    char page[COMMAND_BYTES_MAX];
    uint64_t next = 0;
    int err = ask(c, command, text);

    while (err == 0) {
        next = cut_next(c->answer->text);
        fputs(c->answer->text, stdout);
        if (next == 0)
            return 0;
        snprintf(page, sizeof(page), "%s from %" PRIu64, command, next);
        err = ask(c, page, text);
    }
    return err;
}

/* Gets a query's answer as one JSON document, of however many pages. */
static int ask_json(struct control *c, const char *command, json_t **ret_document,
                    char text[CHANNEL_TEXT_BYTES])
{
    char line[COMMAND_BYTES_MAX];
    json_t *document = NULL;
    json_t *next = NULL;
    int word;
    int err;

    /* What is asked about stands behind. */
    word = (int)strcspn(command, " ");
    snprintf(line, sizeof(line), "%.*s json%s", word, command, command + word);
    while ((err = ask(c, line, text)) == 0) {
        json_t *page = json_loads(c->answer->text, 0, NULL);
        json_t *items = json_object_get(page, command);

        if (!page || (document && json_array_extend(json_object_get(document, command), items))) {
            json_decref(page);
            snprintf(text, CHANNEL_TEXT_BYTES, "no memory for the answer, or it is no JSON");
            err = WEFT_ERR_FORMAT;
            break;
        }
        next = json_object_get(page, "next");
        if (next)
            snprintf(line, sizeof(line), "%s json from %" JSON_INTEGER_FORMAT, command,
                     json_integer_value(next));
        if (!document)
            document = page;
        else
            json_decref(page);
        if (!next)
            break;
    }
    if (err != 0) {
        json_decref(document);
        return err;
    }
    json_object_del(document, "next");
    *ret_document = document;
    return 0;
}

/* Waits until the fabric has ended: whoever stops one may start another in its place. */
static void wait_end(const struct control *c)
{
    struct pollfd p = {.fd = c->channel.socket, .events = POLLRDHUP};

    while (poll(&p, 1, STOP_WAIT_MS) < 0 && errno == EINTR)
        continue;
}
static int run_command(struct control *c)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    json_t *document = NULL;
    int err = c->json ? ask_json(c, c->command, &document, text) : ask_lines(c, c->command, text);

    if (err == 0 && strcmp(c->command, "stop") == 0)
        wait_end(c);
    if (err == 0)
        return c->json ? json_print(document) : CLI_DONE;
    if (err == WEFT_ERR_FORMAT || err == WEFT_ERR_INVALID)
        return message_usage(about.verb, "%s", text);
    return message_failed("%s", text);
}

/* Cuts a line off at its newline or comment; gives its first word. */
static char *trim(char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    return line[0] == '#' ? line + strlen(line) : line;
}

/* Commands before a wrong one are done and stay done. */
static int run_lines(struct control *c)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    char *line = NULL;
    size_t space = 0;
    uint64_t number = 0;
    uint64_t done = 0;
    int err = 0;

    while (err == 0 && getline(&line, &space, stdin) > 0) {
        const char *command = trim(line);

        number++;
        if (command[0] == '\0')
            continue;
        if (strlen(command) >= COMMAND_BYTES_MAX) {
            snprintf(text, sizeof(text), "longer than %d bytes", COMMAND_BYTES_MAX - 1);
            err = WEFT_ERR_FORMAT;
        } else {
            err = ask_lines(c, command, text);
        }
        done += err == 0;
    }
    free(line);
    if (err != 0) {
        message("standard input:%" PRIu64 ": %s", number, text);
        return done > 0 ? CLI_PART : CLI_FAILED;
    }
    if (ferror(stdin))
        return message_failed("cannot read standard input: %s", strerror(errno));
    return CLI_DONE;
}

static int run_control(struct control *c)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    int exit_code;

    c->request = calloc(1, sizeof(*c->request));
    c->answer = calloc(1, sizeof(*c->answer));
    if (!c->request || !c->answer)
        return message_failed("no memory to talk with the fabric");
    if (channel_connect(c->socket_path, CHANNEL_ROLE_CONTROL, "", 0, &c->channel, text) != 0)
        return message_failed("%s", text);
    exit_code = c->from_stdin ? run_lines(c) : run_command(c);
    channel_close(&c->channel);
    return exit_code;
}

/* Words that look like negative numbers are no options: in quotes they reach the fabric, which says
 * what it wants in their place.
 * @return the command line for free(), with texts of `texts`, or NULL */
static const char **quote_numbers(int argc, const char **argv, char **ret_texts)
{
    const char **words = calloc((size_t)argc + 1, sizeof(*words));
    size_t bytes = 1;
    char *at;

    for (int i = 0; i < argc; i++)
        bytes += strlen(argv[i]) + 3;
    *ret_texts = malloc(bytes);
    if (!words || !*ret_texts) {
        free(words);
        return NULL;
    }
    at = *ret_texts;
    for (int i = 0; i < argc; i++) {
        words[i] = argv[i];
        if (i < 2 || argv[i][0] != '-' || argv[i][1] < '0' || argv[i][1] > '9' ||
            strcmp(argv[i - 1], "--fabric") == 0 || strchr(argv[i], '"'))
            continue;
        words[i] = at;
        at += snprintf(at, strlen(argv[i]) + 3, "\"%s\"", argv[i]) + 1;
    }
    return words;
}

int fabric_ctl(int argc, const char **argv)
{
    struct control *c = calloc(1, sizeof(*c));
    char *texts = NULL;
    const char **words = quote_numbers(argc, argv, &texts);
    int exit_code = CLI_FAILED;

    if (!c || !words)
        message_failed("no memory for the command line");
    else if (parse(argc, words, c, &exit_code))
        exit_code = run_control(c);
    free(words);
    free(texts);
    if (!c)
        return exit_code;
    free(c->request);
    free(c->answer);
    free(c->socket_path);
    free(c);
    return exit_code;
}
