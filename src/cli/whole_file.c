/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that appear only when they are complete, and leave nothing when a signal comes first. */
#include "cli/whole_file.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are written at a time: the C library's 4 KiB make thousands of calls of a file. */
#define BUFFER_BYTES ((size_t)64 << 10)

/* More files than are ever open at a time. */
#define UNFINISHED_MAX 4

/* The names that a signal takes away before it ends the program. */
static _Atomic(char *) unfinished[UNFINISHED_MAX];

static const int ending_signals[] = {SIGHUP, SIGINT, SIGTERM};

static void remove_unfinished(int number)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        char *name = atomic_load(&unfinished[i]);

        if (name)
            unlink(name);
    }
    raise(number);
}

/* Signals that the program's parent has switched off stay off. */
static void watch_signals(void)
{
    const struct sigaction own = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND};
    struct sigaction old;

    for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
        if (sigaction(ending_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ending_signals[i], &own, NULL);
}

static void replace_unfinished(char *from, char *to)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        char *expected = from;

        if (atomic_compare_exchange_strong(&unfinished[i], &expected, to))
            return;
    }
}

/* Makes the file; from then on a signal removes it. */
static int make_unfinished(char *name)
{
    sigset_t ending, before;
    int fd;

    watch_signals();
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
        sigaddset(&ending, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &ending, &before);
    fd = mkstemp(name);
    if (fd >= 0)
        replace_unfinished(NULL, name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

static void forget_unfinished(struct whole_file *f)
{
    if (f->unfinished)
        replace_unfinished(f->unfinished, NULL);
    free(f->unfinished);
    free(f->target);
    free(f->buffer);
    f->unfinished = NULL;
    f->target = NULL;
    f->buffer = NULL;
}

static bool has_own_name_from_start(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

/* The path of a file, links followed, so that a link stays one; the file need not exist.
 * Returns a string to be freed, or NULL with errno set. */
static char *resolve(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *target = realpath(name, NULL);
    char *folder;
    char *real;

    if (target || errno != ENOENT)
        return target;
    folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    if (real && asprintf(&target, "%s/%s", real, slash ? slash + 1 : name) < 0)
        target = NULL;
    free(real);
    return target;
}

bool whole_file_same(const char *one, const char *other)
{
    char *a = has_own_name_from_start(one) ? NULL : resolve(one);
    char *b = has_own_name_from_start(other) ? NULL : resolve(other);
    bool same = a && b && strcmp(a, b) == 0;

    free(a);
    free(b);
    return same;
}

/* The permissions of the file that is replaced, or else those that a new file has.
 * Returns false when that file must not be written. */
static bool find_mode(const char *target, mode_t *ret)
{
    mode_t mask = umask(0);
    struct stat st;

    umask(mask);
    *ret = 0666 & ~mask;
    if (stat(target, &st) != 0)
        return true;
    *ret = st.st_mode & 0777;
    return access(target, W_OK) == 0;
}

/* Makes `NAME.XXXXXX` beside the file that it will be. */
static FILE *open_unfinished(struct whole_file *f)
{
    FILE *out = NULL;
    mode_t mode;
    int fd;

    f->target = resolve(f->name);
    if (!f->target || !find_mode(f->target, &mode))
        return NULL;
    if (asprintf(&f->unfinished, "%s.XXXXXX", f->target) < 0) {
        f->unfinished = NULL;
        errno = ENOMEM;
        return NULL;
    }
    fd = make_unfinished(f->unfinished);
    if (fd >= 0) {
        fchmod(fd, mode);
        out = fdopen(fd, "w");
        if (!out) {
            unlink(f->unfinished);
            close(fd);
        }
    }
    if (out)
        f->buffer = malloc(BUFFER_BYTES);
    if (f->buffer)
        (void)setvbuf(out, f->buffer, _IOFBF, BUFFER_BYTES);
    return out;
}

static void explain(const char *what, const char *name)
{
    message("cannot write the %s to %s: %s", what, name, strerror(errno));
    message_try("another file, in a directory that you may write to");
}

int whole_file_open(struct whole_file *f, const char *what, const char *name)
{
    *f = (struct whole_file){.name = name};
    f->out = has_own_name_from_start(name) ? fopen(name, "w") : open_unfinished(f);
    if (f->out)
        return CLI_DONE;
    explain(what, name);
    forget_unfinished(f);
    return CLI_FAILED;
}

int whole_file_try(const char *what, const char *name)
{
    struct whole_file f;
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
    exit_code = whole_file_open(&f, what, name);
    whole_file_abandon(&f);
    return exit_code;
}

int whole_file_close(struct whole_file *f, const char *what)
{
    bool failed = ferror(f->out) != 0;
    int error;

    errno = 0;
    failed = fclose(f->out) != 0 || failed;
    if (!failed && f->unfinished)
        failed = rename(f->unfinished, f->target) != 0;
    error = errno != 0 ? errno : EIO;
    if (failed && f->unfinished)
        unlink(f->unfinished);
    forget_unfinished(f);
    f->out = NULL;
    if (failed)
        return message_failed("cannot write the %s to %s: %s", what, f->name, strerror(error));
    return CLI_DONE;
}

void whole_file_abandon(struct whole_file *f)
{
    if (!f->out)
        return;
    fclose(f->out);
    f->out = NULL;
    if (f->unfinished)
        unlink(f->unfinished);
    forget_unfinished(f);
}
