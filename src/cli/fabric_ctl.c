/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands to a fabric that is served: from the command line, or many from standard input. */
#include "cli/fabric_ctl.h"

#include "channel/connect.h"
#include "cli/fabric_socket.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command is one line; the longest name in it has 64 bytes. */
#define COMMAND_BYTES_MAX 4096

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
    {"json", '\0', POPT_ARG_NONE, NULL, OPTION_JSON, "print JSON (status, nodes, clients, faults)",
     NULL},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "fabric ctl",
    .arguments = "[OPTION...] [SOCKET] COMMAND...",
    .text = "Asks a fabric that is served, or changes it:\n"
            "  status | nodes | clients | faults    what it does and what is in it\n"
            "  link NAME PORT down, node NAME dead, loss all 10%, ...    faults\n"
            "  stop    ends it\n"
            "  -       reads commands from standard input, one a line\n"
            "A first word with a slash or a point in it is the socket.\n",
    .table = table,
    .page = "fabric",
};

/* Adds a word to the command line, in quotes where it would fall apart.
 * Returns false when there is no room. */
static bool add_word(struct control *c, const char *word)
{
    size_t used = strlen(c->command);
    const char *quote = word[0] == '\0' || strpbrk(word, " \t\"") ? "\"" : "";
    int added = snprintf(c->command + used, sizeof(c->command) - used, "%s%s%s%s",
                         used > 0 ? " " : "", quote, word, quote);

    return added >= 0 && (size_t)added < sizeof(c->command) - used;
}

static void take_words(struct options *o, struct control *c, const char **socket_path)
{
    const char *word = options_argument(o);

    if (word && !*socket_path && strcmp(word, "-") != 0 && strpbrk(word, "/.")) {
        *socket_path = word;
        word = options_argument(o);
    }
    if (!word && !options_stopped(o))
        options_refuse(o, "what should the fabric do? A command is missing, for example status");
    c->from_stdin = word && strcmp(word, "-") == 0;
    if (c->from_stdin)
        options_no_more_arguments(o);
    for (; word && !c->from_stdin && !options_stopped(o); word = options_argument(o)) {
        if (strchr(word, '\n') || !add_word(c, word))
            options_refuse(o,
                           "a command is one line of at most %d bytes; more of them come from "
                           "standard input with -",
                           COMMAND_BYTES_MAX - 1);
    }
    if (c->json && c->from_stdin && !options_stopped(o))
        options_refuse(o, "--json is for one query, not for commands from standard input");
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

/* Sends one command and prints what comes back.
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
    if (err != 0)
        return err;
    length = strnlen(c->answer->text, bytes - sizeof(c->answer->head));
    fwrite(c->answer->text, 1, length, stdout);
    if (length > 0 && c->answer->text[length - 1] != '\n')
        putchar('\n');
    return 0;
}

static int run_command(struct control *c)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    int err;

    if (c->json && !add_word(c, "json"))
        return message_usage(about.verb, "the command is too long");
    err = ask(c, c->command, text);
    if (err == 0)
        return CLI_DONE;
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
            err = ask(c, command, text);
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

int fabric_ctl(int argc, const char **argv)
{
    struct control *c = calloc(1, sizeof(*c));
    int exit_code = CLI_FAILED;

    if (!c)
        return message_failed("no memory for the command line");
    if (parse(argc, argv, c, &exit_code))
        exit_code = run_control(c);
    free(c->request);
    free(c->answer);
    free(c->socket_path);
    free(c);
    return exit_code;
}
