/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking the socket's name.
 *
 * Whether a socket is stale cannot be asked of the socket alone without a race: two daemons that
 * start at once would both find nobody listening, and the second would remove the first one's. So
 * who wants the name first locks a file beside it; the lock goes with its process, however that
 * ends. That somebody listens all the same, who keeps to no lock, a connection attempt tells. */
#include "host/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LISTEN_BACKLOG 256

/* What goes wrong with names, as one sentence. */
static int listen_failed(struct fabric_error *error, const char *path, const char *what, int number)
{
    const char *hint = "";

    if (number == EACCES || number == EPERM || number == EROFS)
        hint = ": choose a folder in which you may make files";
    else if (number == ENOENT || number == ENOTDIR)
        hint = ": its folder does not exist";
    return server_refuse(error, WEFT_ERR_STATE, "%s: %s: %s%s", path, what, strerror(number), hint);
}

/* Locks the file beside the socket. A former owner removes the file before it lets go of the lock,
 * so a lock counts only when the file still has its name. */
static int listen_lock(struct listener *l, struct fabric_error *error)
{
    for (;;) {
        struct stat mine, named;
        int fd = open(l->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

        if (fd < 0)
            return listen_failed(error, l->lock_path, "the lock beside the socket", errno);
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            int number = errno;

            (void)close(fd);
            if (number == EWOULDBLOCK)
                return server_refuse(error, WEFT_ERR_CONFLICT,
                                     "another fabric daemon listens at %s: stop it, or choose "
                                     "another socket",
                                     l->path);
            return listen_failed(error, l->lock_path, "the lock beside the socket", number);
        }
        if (fstat(fd, &mine) == 0 && lstat(l->lock_path, &named) == 0 &&
            mine.st_ino == named.st_ino && mine.st_dev == named.st_dev) {
            l->lock = fd;
            return 0;
        }
        (void)close(fd);
    }
}

/* Removes a socket at which nobody listens. */
static int listen_clear(const struct listener *l, const struct sockaddr_un *address,
                        struct fabric_error *error)
{
    struct stat st;
    int number = 0;
    int fd;

    if (lstat(l->path, &st) < 0)
        return errno == ENOENT ? 0 : listen_failed(error, l->path, "the socket", errno);
    if (!S_ISSOCK(st.st_mode))
        return server_refuse(error, WEFT_ERR_STATE,
                             "%s exists and is no socket: choose another name, or remove it",
                             l->path);
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return listen_failed(error, l->path, "no socket can be made", errno);
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
        number = errno;
    (void)close(fd);
    if (number != ECONNREFUSED && number != ENOENT)
        return server_refuse(error, WEFT_ERR_CONFLICT,
                             "another program listens at %s: choose another socket", l->path);
    if (unlink(l->path) < 0 && errno != ENOENT)
        return listen_failed(error, l->path, "the stale socket cannot be removed", errno);
    return 0;
}

/* Binds and listens. Nobody can connect between bind() and chmod(): there is no queue yet. */
static int listen_bind(struct listener *l, const struct sockaddr_un *address, unsigned mode,
                       struct fabric_error *error)
{
    l->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return listen_failed(error, l->path, "no socket can be made", errno);
    if (bind(l->fd, (const struct sockaddr *)address, sizeof(*address)) < 0) {
        int number = errno;

        (void)close(l->fd);
        l->fd = -1;
        return listen_failed(error, l->path, "cannot listen here", number);
    }
    if (chmod(l->path, mode) < 0 || listen(l->fd, LISTEN_BACKLOG) < 0)
        return listen_failed(error, l->path, "cannot listen here", errno);
    return 0;
}

int listener_open(const char *path, unsigned mode, struct listener *ret, struct fabric_error *error)
{
    struct listener l = {.fd = -1, .lock = -1};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int err;

    if (length == 0)
        return server_refuse(error, WEFT_ERR_STATE, "the socket's name is empty: give a path");
    if (length >= sizeof(l.path))
        return server_refuse(error, WEFT_ERR_STATE,
                             "the socket's name has %zu bytes, at most %zu are possible: choose a "
                             "shorter folder",
                             length, sizeof(l.path) - 1);
    memcpy(l.path, path, length);
    memcpy(address.sun_path, path, length);
    (void)snprintf(l.lock_path, sizeof(l.lock_path), "%s.lock", path);
    err = listen_lock(&l, error);
    if (err)
        return err;
    err = listen_clear(&l, &address, error);
    if (!err)
        err = listen_bind(&l, &address, mode, error);
    if (err) {
        listener_close(&l);
        return err;
    }
    *ret = l;
    return 0;
}

void listener_close(struct listener *l)
{
    if (l->fd >= 0) {
        (void)unlink(l->path);
        (void)close(l->fd);
    }
    if (l->lock >= 0) {
        (void)unlink(l->lock_path);
        (void)close(l->lock);
    }
    l->fd = -1;
    l->lock = -1;
}
