/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A daemon that is started and found ready before its command returns. */
#include "cli/fabric_detach.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The line that says the daemon is ready comes first; an end without one is the daemon's, which
 * has said why on standard error. */
static int wait_ready(int daemon_end, pid_t daemon)
{
    char line[1024];
    size_t used = 0;
    ssize_t got;
    int status;

    do {
        got = read(daemon_end, line + used, sizeof(line) - used);
        if (got > 0)
            used += (size_t)got;
    } while ((got > 0 && used < sizeof(line)) || (got < 0 && errno == EINTR));
    if (used > 0) {
        fwrite(line, 1, used, stdout);
        return CLI_DONE;
    }
    while (waitpid(daemon, &status, 0) < 0)
        if (errno != EINTR)
            return message_failed("cannot wait for the daemon: %s", strerror(errno));
    if (WIFSIGNALED(status))
        return message_failed("the daemon was ended by signal %d (%s) before it listened",
                              WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

int fabric_detach_start(struct fabric_detach *ret)
{
    int ends[2];
    pid_t pid;

    *ret = (struct fabric_detach){.ready = -1};
    /* A socket, not a pipe: writing to a command that was killed must not end the daemon. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return message_failed("cannot make a channel to the daemon: %s", strerror(errno));
    pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return message_failed("cannot start the daemon: %s", strerror(errno));
    }
    if (pid == 0) {
        close(ends[0]);
        ret->ready = ends[1];
        setsid();
        return CLI_DONE;
    }
    close(ends[1]);
    ret->parent = true;
    ret->exit_code = wait_ready(ends[0], pid);
    close(ends[0]);
    return CLI_DONE;
}

void fabric_detach_ready(struct fabric_detach *d, const char *line)
{
    int null = open("/dev/null", O_RDWR);

    /* A command that was killed while it waited is no reason to end: a daemon was asked for. */
    while (send(d->ready, line, strlen(line), MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
    close(d->ready);
    d->ready = -1;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}
