/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The weft command: finds the verb, runs it, and makes sure that what it printed has arrived. */
#include "cli/message.h"
#include "cli/verb.h"
#include "core/base/suggest.h"

#include <weft/base.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are written to standard output at a time, as many as a pipe holds. Of a large fabric
 * the C library's 4 KiB make thousands of calls. */
#define OUTPUT_BYTES ((size_t)64 << 10)

static const struct weft_verb verbs[] = {
#define WEFT_VERB(name, summary) {#name, summary, verb_##name},
#include "cli/verbs.def"
#undef WEFT_VERB
    {NULL, NULL, NULL},
};

static void print_help(void)
{
    printf("Usage: weft VERB [OPTION...] [ARGUMENT...]\n\n"
           "The RDMA management plane in user space.\n\n"
           "Verbs:\n");
    for (const struct weft_verb *v = verbs; v->name; v++)
        printf("  %-12s %s\n", v->name, v->summary);
    printf("\nweft VERB --help shows a verb's options; weft-VERB(1) is its manual page.\n"
           "Exit status: 0 done; 1 done in part, or problems were found; 2 wrong command line;\n"
           "3 failed.\n");
}

static int run_unknown(const char *word)
{
    struct suggest near;

    suggest_start(&near, word);
    for (const struct weft_verb *v = verbs; v->name; v++)
        suggest_offer(&near, v->name);
    if (suggest_best(&near))
        return message_usage(NULL, "there is no verb \"%s\"; did you mean \"%s\"?", word,
                             suggest_best(&near));
    return message_usage(NULL, "there is no verb \"%s\"", word);
}

static int run(int argc, const char **argv)
{
    if (argc < 2)
        return message_usage(NULL, "what should it do? A verb is missing");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("weft %s\n", weft_version());
        return CLI_DONE;
    }
    if (argv[1][0] == '-')
        return message_usage(NULL, "weft has no option %s before the verb", argv[1]);
    for (const struct weft_verb *v = verbs; v->name; v++)
        if (strcmp(argv[1], v->name) == 0)
            return v->run(argc - 1, argv + 1);
    return run_unknown(argv[1]);
}

/* A closed standard stream would be taken by the next file opened, and that file would then get
 * what was meant for the stream. /dev/null, opened the wrong way round, keeps the place: writing
 * there fails as on a closed stream. */
static bool keep_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

/* A terminal gets its lines as they come. */
static void buffer_output(void)
{
    static char buffer[OUTPUT_BYTES];

    if (isatty(STDOUT_FILENO) == 0)
        (void)setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

int main(int argc, char **argv)
{
    const char **words;
    int exit_code;

    if (!keep_standard_streams())
        return CLI_FAILED;
    buffer_output();
    /* popt and the verbs promise not to change the words; C has no conversion that says so. */
    words = calloc((size_t)argc + 1, sizeof(*words));
    if (!words)
        return message_failed("no memory for the command line");
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    exit_code = run(argc, words);
    free(words);
    if (fflush(stdout) != 0)
        return message_failed("cannot write to standard output: %s", strerror(errno));
    if (ferror(stdout) != 0)
        return message_failed("some of the output could not be written to standard output");
    return exit_code;
}
