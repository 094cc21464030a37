/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Both sides of `weft iwarp` on this machine: the server in a process of its own. */
#include "cli/iwarp_action.h"
#include "cli/message.h"
#include "cli/verb.h"
#include "core/base/quantity.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The port in the line that the server prints first. */
static bool read_port(FILE *in, uint16_t *ret)
{
    char line[128] = "";
    uint64_t port = 0;
    char *colon;

    if (!fgets(line, sizeof(line), in))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    colon = strrchr(line, ':');
    if (!colon || !quantity_parse_count(colon + 1, &port))
        return false;
    *ret = (uint16_t)port;
    return true;
}

/* What the server prints is for the other process alone. */
static _Noreturn void run_server(const struct iwarp_request *r,
                                 int (*server)(const struct iwarp_request *r), const int ends[2])
{
    struct iwarp_request own = *r;
    int exit_code = CLI_FAILED;

    own.server = true;
    own.json = own.verbose = false;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    close(ends[0]);
    if (dup2(ends[1], STDOUT_FILENO) >= 0) {
        close(ends[1]);
        exit_code = server(&own);
        fflush(stdout);
    }
    _exit(exit_code);
}

static int run_client(const struct iwarp_request *r, int (*client)(const struct iwarp_request *r),
                      FILE *in)
{
    struct iwarp_request own = *r;

    if (read_port(in, &own.remote.port))
        return client(&own);
    return message_failed("the other process could not listen");
}

int iwarp_loopback(const struct iwarp_request *r, int (*server)(const struct iwarp_request *r),
                   int (*client)(const struct iwarp_request *r))
{
    struct iwarp_request own = *r;
    int ends[2];
    int exit_code = CLI_FAILED;
    pid_t child;
    FILE *in;

    own.bind = own.remote = (struct weft_iw_addr){.family = 4, .ip = {127, 0, 0, 1}};
    if (pipe(ends) != 0)
        return message_failed("no pipe: %s", strerror(errno));
    fflush(stdout);
    child = fork();
    if (child == 0)
        run_server(&own, server, ends);
    close(ends[1]);
    in = fdopen(ends[0], "r");
    if (child > 0 && in)
        exit_code = run_client(&own, client, in);
    else
        message("cannot start a process: %s", strerror(errno));
    if (child > 0) {
        kill(child, SIGTERM);
        waitpid(child, NULL, 0);
    }
    if (in)
        fclose(in);
    return exit_code;
}
