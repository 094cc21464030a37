/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* weft run: starts any program on a node of a fabric that is served. */
#include "channel/connect.h"
#include "cli/fabric_socket.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a shell says of a program that cannot be started. */
enum exec_exit {
    EXEC_REFUSED = 126,
    EXEC_NOT_FOUND = 127
};

enum option {
    OPTION_NODE = 1,
    OPTION_PORT,
    OPTION_VF,
    OPTION_FABRIC
};

static const struct poptOption table[] = {
    {"node", '\0', POPT_ARG_STRING, NULL, OPTION_NODE, "the node that the program is on",
     "NAME|GUID"},
    {"port", '\0', POPT_ARG_STRING, NULL, OPTION_PORT,
     "the port that it uses (default: the first that is up)", "N"},
    {"vf", '\0', POPT_ARG_STRING, NULL, OPTION_VF,
     "the virtual function that it has (default: none, the adapter itself)", "K"},
    {"fabric", '\0', POPT_ARG_STRING, NULL, OPTION_FABRIC,
     "the fabric's socket (default: see the manual page)", "SOCKET"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "run",
    .arguments = "[OPTION...] --node NAME|GUID [--] PROGRAM [ARGUMENT...]",
    .text = "Starts a program that uses libibumad, such as opensm, ibnetdiscover or saquery,\n"
            "on a node of a simulated fabric that weft fabric serves. The program is\n"
            "unmodified; what it starts in turn is on the same node.\n",
    .table = table,
    .runs = true,
};

/* What the command line asks for. */
struct run {
    char *node;
    char *fabric;
    uint64_t port; /* 0: not said */
    uint64_t vf;   /* 0: none */
    char *socket_path;
    char folder[PATH_MAX]; /* the drop-in's */
    uint64_t guid;         /* the node's */
};

static void parse(struct options *o, struct run *r)
{
    int option;

    while ((option = options_next(o)) != 0) {
        if (option == OPTION_NODE)
            options_keep(o, "a name", &r->node);
        else if (option == OPTION_FABRIC)
            options_keep(o, "a name", &r->fabric);
        else if (option == OPTION_VF)
            options_count(o, 1, 255, &r->vf);
        else if (strcmp(options_text(o), "0") == 0)
            options_refuse(o, "--port 0: ports are 1 to 254; on a switch a program is at port 0 "
                              "without --port");
        else
            options_count(o, 1, 254, &r->port);
    }
    if (!options_stopped(o) && !r->node)
        options_refuse(o, "on which node? --node NAME|GUID is missing; weft fabric ctl nodes "
                          "lists them");
}

/* The socket's name for a program that may change its folder. One that would not fit into an
 * address is left as it was said. */
static void make_absolute(char **path)
{
    char *absolute = realpath(*path, NULL);

    if (absolute && strlen(absolute) < 108) {
        free(*path);
        *path = absolute;
    } else {
        free(absolute);
    }
}

/* Asks the daemon whether there is such a node, port and function: a program would only say that
 * there is no adapter. */
static int ask_fabric(struct run *r)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    struct channel c;
    struct message_head query = {.type = MESSAGE_NODE_QUERY};
    const struct channel_wish wish = {.role = CHANNEL_ROLE_QUERY,
                                      .node = r->node,
                                      .port = (uint8_t)r->port,
                                      .vf = (uint8_t)r->vf};
    struct message_node node;
    int err = channel_connect_as(r->socket_path, &wish, &c, text);

    if (err != 0)
        return message_failed("%s", text);
    err = channel_ask(&c, &query, sizeof(query), MESSAGE_NODE, &node, sizeof(node), NULL, text);
    channel_close(&c);
    if (err == 0)
        r->guid = node.guid;
    return err == 0 ? CLI_DONE : message_failed("%s", text);
}

static bool holds_dropin(const char *folder)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/libibumad.so.3", folder);

    return length > 0 && (size_t)length < sizeof(path) && access(path, R_OK) == 0;
}

/* The drop-in lies beside this command: in the build folder, or where both were installed. */
static int find_dropin(struct run *r)
{
    static const char *const places[] = {"../umad", WEFT_DROPIN_FOLDER};
    char self[PATH_MAX];
    char place[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length < 0)
        return message_failed("cannot find out where this command is: %s", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (places[i][0] == '/')
            snprintf(place, sizeof(place), "%s", places[i]);
        else
            snprintf(place, sizeof(place), "%s/%s", self, places[i]);
        if (realpath(place, r->folder) && holds_dropin(r->folder))
            return CLI_DONE;
    }
    message("weft's libibumad.so.3 is neither in %s nor in %s, seen from %s", places[0], places[1],
            self);
    message_try("make install, which puts command and library where they find each other");
    return CLI_FAILED;
}

static bool put_first(const char *name, const char *folder)
{
    const char *old = getenv(name);
    char *value = NULL;
    bool done;

    if (asprintf(&value, "%s%s%s", folder, old && old[0] != '\0' ? ":" : "", old ? old : "") < 0)
        return false;
    done = setenv(name, value, 1) == 0;
    free(value);
    return done;
}

/* Sets a variable to a number; 0: there is to be none. */
static bool set_number(const char *name, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    return (number == 0 ? unsetenv(name) : setenv(name, text, 1)) == 0;
}

static int set_environment(const struct run *r)
{
    char guid[24];

    snprintf(guid, sizeof(guid), "0x%016" PRIx64, r->guid);
    if (!set_number("WEFT_PORT", r->port) || !set_number("WEFT_VF", r->vf) ||
        setenv("WEFT_FABRIC", r->socket_path, 1) != 0 || setenv("WEFT_NODE", guid, 1) != 0 ||
        !put_first("LD_LIBRARY_PATH", r->folder))
        return message_failed("no memory for the program's environment");
    return CLI_DONE;
}

/* Why a program did not start. The kernel says "no such file" of a script, too, whose interpreter
 * is not there. */
static int explain_exec(const char *program, int error)
{
    char elsewhere[PATH_MAX];
    int length = snprintf(elsewhere, sizeof(elsewhere), "/usr/sbin/%s", program);

    if (error == ENOENT && strchr(program, '/') && access(program, F_OK) == 0)
        message("%s: its interpreter is not there; look at its first line", program);
    else if (error == ENOENT)
        message("%s: there is no such program", program);
    else
        message("%s cannot be started: %s", program, strerror(error));
    /* Where Debian keeps these tools, and not every user has a path to. */
    if (error == ENOENT && !strchr(program, '/') && length > 0 &&
        (size_t)length < sizeof(elsewhere) && access(elsewhere, X_OK) == 0)
        message_try("%s, or PATH=$PATH:/usr/sbin", elsewhere);
    return error == ENOENT ? EXEC_NOT_FOUND : EXEC_REFUSED;
}

static int run_program(struct run *r, const char *const *words)
{
    int exit_code;

    r->socket_path = fabric_socket(r->fabric);
    if (!r->socket_path)
        return CLI_FAILED;
    make_absolute(&r->socket_path);
    exit_code = ask_fabric(r);
    if (exit_code == CLI_DONE)
        exit_code = find_dropin(r);
    if (exit_code == CLI_DONE)
        exit_code = set_environment(r);
    if (exit_code != CLI_DONE)
        return exit_code;
    /* execvp() does not change the words; C has no conversion that says so. */
    execvp(words[0], (char *const *)(uintptr_t)words);
    return explain_exec(words[0], errno);
}

int verb_run(int argc, const char **argv)
{
    struct run r = {0};
    struct options o;
    const char *const *words;
    int run_exit_code = CLI_DONE;
    int exit_code;
    bool stopped;

    options_start(&o, &about, argc, argv);
    parse(&o, &r);
    words = options_arguments(&o);
    if (!options_stopped(&o) && !words)
        options_refuse(&o, "which program? It follows the options, for example "
                           "weft run --node NAME -- ibstat");
    if (!options_stopped(&o) && words && words[0][0] == '\0')
        options_refuse(&o, "the program's name is empty: is a variable of a script not set?");
    stopped = options_stopped(&o);
    if (!stopped && words)
        run_exit_code = run_program(&r, words);
    exit_code = options_done(&o);
    free(r.socket_path);
    free(r.node);
    free(r.fabric);
    return stopped ? exit_code : run_exit_code;
}
