/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* IsSM by file. What a subnet manager opens is a FIFO; inotify tells that somebody may have opened
 * one, and whether somebody has is what opening it for writing tells: without a reader that fails.
 * The writing end is kept, and reports an error when the last reader has gone, by whatever way.
 * Each report is only a reason to ask again, so none is missed that several have become one. */
#include "host/issm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* A FIFO of a port. */
struct issm_fifo {
    struct issm_fifo *next;
    struct server *server;
    uint32_t node;
    uint8_t port;
    bool open;    /* somebody reads: `writer` is open, `poll` is active */
    bool closing; /* `poll` is being closed */
    int writer;
    uv_poll_t poll;
    struct fabric_attachment at; /* what sets IsSM while somebody reads */
    char name[24];
};

struct issm {
    struct server *server;
    struct issm_fifo *fifos;
    uint32_t count;
    int folder_fd; /* or -1: not made yet */
    int notify;    /* inotify, or -1 */
    bool closed;
    uv_poll_t notify_poll;
    char folder[PATH_MAX]; /* absolute, once it is made */
    char wanted[128];      /* as the socket is named */
};

/* Removes a folder with FIFOs in it that is ours, and no other. */
static void issm_remove(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    struct dirent *entry;
    DIR *d;

    if (fd < 0)
        return;
    d = fstat(fd, &st) == 0 && st.st_uid == geteuid() ? fdopendir(fd) : NULL;
    if (!d) {
        (void)close(fd);
        return;
    }
    while ((entry = readdir(d)))
        if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(st.st_mode))
            (void)unlinkat(fd, entry->d_name, 0);
    (void)closedir(d);
    (void)rmdir(folder);
}

int issm_new(struct server *s, struct issm **ret)
{
    struct issm *i = calloc(1, sizeof(*i));

    if (!i)
        return WEFT_ERR_NOMEM;
    i->server = s;
    i->folder_fd = -1;
    i->notify = -1;
    (void)snprintf(i->wanted, sizeof(i->wanted), "%s.issm", s->listener.path);
    issm_remove(i->wanted);
    *ret = i;
    return 0;
}

static void issm_look(struct issm_fifo *f);

static void fifo_closed(uv_handle_t *handle)
{
    struct issm_fifo *f = handle->data;

    (void)close(f->writer);
    f->open = false;
    f->closing = false;
    /* Somebody may have come while the old end was being closed. */
    if (!f->server->issm->closed)
        issm_look(f);
}

/* The last reader has gone. */
static void fifo_left(struct issm_fifo *f)
{
    if (f->closing)
        return;
    f->closing = true;
    (void)fabric_detach(f->server->fabric, server_fabric_time(f->server, server_clock()), f->at);
    uv_close((uv_handle_t *)&f->poll, fifo_closed);
}

static void fifo_ready(uv_poll_t *handle, int status, int events)
{
    (void)status;
    (void)events;
    fifo_left(handle->data);
}

/* Asks whether somebody reads. */
static void issm_look(struct issm_fifo *f)
{
    struct issm *i = f->server->issm;
    weft_time now = server_fabric_time(f->server, server_clock());
    struct fabric_tids tids;
    uint8_t port;

    if (f->open)
        return;
    f->writer = openat(i->folder_fd, f->name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (f->writer < 0)
        return;
    if (fabric_attach(f->server->fabric, f->node, f->port, &f->at, &port, &tids) != 0) {
        (void)close(f->writer);
        return;
    }
    if (uv_poll_init(&f->server->loop, &f->poll, f->writer) != 0) {
        (void)fabric_detach(f->server->fabric, now, f->at);
        (void)close(f->writer);
        return;
    }
    f->open = true;
    f->poll.data = f;
    /* An error is always reported, whatever one asks for. */
    (void)uv_poll_start(&f->poll, UV_DISCONNECT, fifo_ready);
    (void)fabric_set_issm(f->server->fabric, now, f->at, true);
}

/* Files of the folder were opened. */
static void issm_notified(uv_poll_t *handle, int status, int events)
{
    struct issm *i = handle->data;
    alignas(struct inotify_event) char buffer[4096];

    (void)status;
    (void)events;
    /* Which ones does not matter: a look at each is cheap and misses none. */
    while (read(i->notify, buffer, sizeof(buffer)) > 0)
        continue;
    for (struct issm_fifo *f = i->fifos; f; f = f->next)
        issm_look(f);
}

/* Makes the folder and watches it. */
static int issm_begin(struct issm *i, struct fabric_error *error)
{
    unsigned mode = i->server->options.socket_mode;
    struct stat st;

    if (mkdir(i->wanted, 0700) < 0 && errno != EEXIST)
        return server_refuse(error, WEFT_ERR_STATE, "the folder %s for IsSM cannot be made: %s",
                             i->wanted, strerror(errno));
    i->folder_fd = open(i->wanted, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (i->folder_fd < 0 || fstat(i->folder_fd, &st) < 0 || st.st_uid != geteuid() ||
        fchmod(i->folder_fd, mode | (mode & 0444) >> 2) < 0 || !realpath(i->wanted, i->folder))
        goto failed;
    i->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (i->notify < 0 || inotify_add_watch(i->notify, i->wanted, IN_OPEN | IN_ONLYDIR) < 0 ||
        uv_poll_init(&i->server->loop, &i->notify_poll, i->notify) != 0)
        goto failed;
    i->notify_poll.data = i;
    (void)uv_poll_start(&i->notify_poll, UV_READABLE, issm_notified);
    return 0;
failed:
    if (i->notify >= 0)
        (void)close(i->notify);
    if (i->folder_fd >= 0)
        (void)close(i->folder_fd);
    i->notify = -1;
    i->folder_fd = -1;
    return server_refuse(error, WEFT_ERR_STATE,
                         "the folder %s for IsSM cannot be used or watched: is it somebody else's?",
                         i->wanted);
}

static struct issm_fifo *issm_find(struct issm *i, uint32_t node, uint8_t port)
{
    struct issm_fifo *f = i->fifos;

    while (f && (f->node != node || f->port != port))
        f = f->next;
    return f;
}

/* Makes a port's FIFO. */
static int fifo_new(struct issm *i, uint32_t node, uint8_t port, struct issm_fifo **ret,
                    struct fabric_error *error)
{
    mode_t mode = i->server->options.socket_mode & 0666;
    struct issm_fifo *f;

    if (i->count == ISSM_FIFOS_MAX)
        return server_refuse(error, WEFT_ERR_FULL,
                             "the fabric daemon has files for IsSM of as "
                             "many ports as it may");
    f = calloc(1, sizeof(*f));
    if (!f)
        return server_refuse(error, WEFT_ERR_NOMEM, "the fabric daemon has no memory");
    *f = (struct issm_fifo){
        .next = i->fifos, .server = i->server, .node = node, .port = port, .writer = -1};
    (void)snprintf(f->name, sizeof(f->name), "%u-%u", node, port);
    if (mkfifoat(i->folder_fd, f->name, 0600) < 0 || fchmodat(i->folder_fd, f->name, mode, 0) < 0) {
        free(f);
        return server_refuse(error, WEFT_ERR_STATE, "a file for IsSM cannot be made in %s: %s",
                             i->folder, strerror(errno));
    }
    i->fifos = f;
    i->count++;
    *ret = f;
    return 0;
}

int issm_path(struct issm *i, uint32_t node, uint8_t port, char ret[CHANNEL_PATH_BYTES],
              struct fabric_error *error)
{
    struct issm_fifo *f;
    int err = 0;

    if (i->folder_fd < 0)
        err = issm_begin(i, error);
    if (err)
        return err;
    f = issm_find(i, node, port);
    if (!f)
        err = fifo_new(i, node, port, &f, error);
    if (err)
        return err;
    if (snprintf(ret, CHANNEL_PATH_BYTES, "%s/%s", i->folder, f->name) >= CHANNEL_PATH_BYTES)
        return server_refuse(error, WEFT_ERR_STATE,
                             "the path of the file for IsSM is too long: let the daemon listen in "
                             "a shorter folder");
    return 0;
}

void issm_close(struct issm *i)
{
    i->closed = true;
    for (struct issm_fifo *f = i->fifos; f; f = f->next)
        if (f->open)
            fifo_left(f);
    if (i->folder_fd >= 0) {
        uv_close((uv_handle_t *)&i->notify_poll, NULL);
        issm_remove(i->wanted);
    }
}

void issm_free(struct issm *i)
{
    while (i->fifos) {
        struct issm_fifo *f = i->fifos;

        i->fifos = f->next;
        free(f);
    }
    if (i->notify >= 0)
        (void)close(i->notify);
    if (i->folder_fd >= 0)
        (void)close(i->folder_fd);
    free(i);
}
