/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that appear only when they are complete. */
#include "cli/storm_file.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_own_name_from_start(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Makes `NAME.XXXXXX` with the permissions that a new file has. */
static FILE *open_unfinished(struct storm_file *f)
{
    mode_t mask = umask(0);
    FILE *out = NULL;
    int fd;

    umask(mask);
    if (asprintf(&f->unfinished, "%s.XXXXXX", f->name) < 0) {
        f->unfinished = NULL;
        errno = ENOMEM;
        return NULL;
    }
    fd = mkstemp(f->unfinished);
    if (fd >= 0) {
        fchmod(fd, 0666 & ~mask);
        out = fdopen(fd, "w");
    }
    return out;
}

static void explain(const char *what, const char *name)
{
    message("cannot write the %s to %s: %s", what, name, strerror(errno));
    message_try("another file, in a directory that you may write to");
}

int storm_file_open(struct storm_file *f, const char *what, const char *name)
{
    *f = (struct storm_file){.name = name};
    f->out = has_own_name_from_start(name) ? fopen(name, "w") : open_unfinished(f);
    if (f->out)
        return CLI_DONE;
    explain(what, name);
    free(f->unfinished);
    f->unfinished = NULL;
    return CLI_FAILED;
}

int storm_file_try(const char *what, const char *name)
{
    struct storm_file f;
    struct stat st;
    int exit_code;

    if (has_own_name_from_start(name)) {
        /* Who reads a pipe must not see it opened and closed. */
        if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
            errno = EISDIR;
        else if (access(name, W_OK) == 0)
            return CLI_DONE;
        explain(what, name);
        return CLI_FAILED;
    }
    exit_code = storm_file_open(&f, what, name);
    storm_file_abandon(&f);
    return exit_code;
}

int storm_file_close(struct storm_file *f, const char *what)
{
    bool failed = ferror(f->out) != 0;
    int error;

    errno = 0;
    failed = fclose(f->out) != 0 || failed;
    if (!failed && f->unfinished)
        failed = rename(f->unfinished, f->name) != 0;
    error = errno != 0 ? errno : EIO;
    if (failed && f->unfinished)
        unlink(f->unfinished);
    free(f->unfinished);
    f->unfinished = NULL;
    f->out = NULL;
    if (failed)
        return message_failed("cannot write the %s to %s: %s", what, f->name, strerror(error));
    return CLI_DONE;
}

void storm_file_abandon(struct storm_file *f)
{
    if (!f->out)
        return;
    fclose(f->out);
    f->out = NULL;
    if (f->unfinished)
        unlink(f->unfinished);
    free(f->unfinished);
    f->unfinished = NULL;
}
