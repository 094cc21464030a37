/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* IsSM by file. What a subnet manager opens is a FIFO, whose writing end the daemon holds: so
 * nobody waits for a writer, and the writing end reports an error while there is no reader. That
 * the last reader has gone, by whatever way, is an event of it; that one has come, inotify tells.
 * Each is only a reason to look, so none is missed that several have become one. */
#include "host/issm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static_assert(SERVER_ATTACHMENTS(0) > ISSM_FIFOS_MAX, "each FIFO may be a program at its port");

/* A FIFO of a port. */
struct issm_fifo {
    struct issm_fifo *next;
    struct server *server;
    uint32_t node;
    uint8_t port;
    bool read;    /* somebody has it open */
    bool refused; /* and the bit could not be set */
    int writer;
    struct fabric_attachment at; /* what sets IsSM while somebody reads */
    char name[24];
};

struct issm {
    struct server *server;
    struct issm_fifo *fifos;
    uint32_t count;
    int folder_fd; /* or -1: not made yet */
    int notify;    /* inotify, or -1 */
    int ends;      /* an epoll of the writing ends, edge-triggered, or -1 */
    uv_poll_t notify_poll, ends_poll;
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
    i->ends = -1;
    (void)snprintf(i->wanted, sizeof(i->wanted), "%s.issm", s->listener.path);
    issm_remove(i->wanted);
    *ret = i;
    return 0;
}

/* Sets or clears IsSM where that has changed. */
static void issm_look(struct issm_fifo *f)
{
    struct server *s = f->server;
    weft_time now = s->now;
    struct pollfd p = {.fd = f->writer};
    bool read = poll(&p, 1, 0) >= 0 && (p.revents & POLLERR) == 0;
    bool full;
    struct fabric_tids tids;
    uint8_t port;

    if (!read)
        f->refused = false;
    if (read == f->read)
        return;
    if (!read) {
        (void)fabric_detach(s->fabric, now, f->at);
        f->read = false;
        return;
    }
    /* What is refused is tried again when something else comes or goes. */
    full = fabric_attach(s->fabric, f->node, f->port, &f->at, &port, &tids) != 0;
    if (!full)
        (void)fabric_set_issm(s->fabric, now, f->at, true);
    else if (!f->refused)
        s->stats.issm_refused++;
    f->refused = full;
    f->read = !full;
}

/* Something has come or gone. Where does not matter: a look at each is cheap and misses none. */
static void issm_changed(uv_poll_t *handle, int status, int events)
{
    struct issm *i = handle->data;
    alignas(struct inotify_event) char buffer[4096];
    struct epoll_event gone[64];

    (void)status;
    (void)events;
    while (read(i->notify, buffer, sizeof(buffer)) > 0)
        continue;
    (void)epoll_wait(i->ends, gone, sizeof(gone) / sizeof(gone[0]), 0);
    for (struct issm_fifo *f = i->fifos; f; f = f->next)
        issm_look(f);
}

/* Closes what issm_begin() has opened. */
static void issm_end(struct issm *i)
{
    int *const fds[] = {&i->notify, &i->ends, &i->folder_fd};

    for (size_t k = 0; k < sizeof(fds) / sizeof(fds[0]); k++) {
        if (*fds[k] >= 0)
            (void)close(*fds[k]);
        *fds[k] = -1;
    }
}

/* Who may use the socket may find the files, but only the daemon makes and removes them. */
static mode_t issm_folder_mode(unsigned mode)
{
    return 0700 | (mode & 0044) | (mode & 0044) >> 2;
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
        fchmod(i->folder_fd, issm_folder_mode(mode)) < 0 || !realpath(i->wanted, i->folder))
        goto failed;
    i->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    i->ends = epoll_create1(EPOLL_CLOEXEC);
    if (i->notify < 0 || i->ends < 0 ||
        inotify_add_watch(i->notify, i->wanted, IN_OPEN | IN_ONLYDIR) < 0)
        goto failed;
    /* These make descriptors non-blocking and can fail only with a wrong one. */
    (void)uv_poll_init(&i->server->loop, &i->notify_poll, i->notify);
    (void)uv_poll_init(&i->server->loop, &i->ends_poll, i->ends);
    i->notify_poll.data = i;
    i->ends_poll.data = i;
    (void)uv_poll_start(&i->notify_poll, UV_READABLE, issm_changed);
    (void)uv_poll_start(&i->ends_poll, UV_READABLE, issm_changed);
    return 0;
failed:
    issm_end(i);
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

/* Makes a port's file and opens its writing end, for which a reader must be there for a moment. */
static int fifo_open(struct issm_fifo *f, const struct issm *i)
{
    struct epoll_event event = {.events = EPOLLET, .data.ptr = f};
    mode_t mode = i->server->options.socket_mode & 0666;
    int reader, err;

    (void)snprintf(f->name, sizeof(f->name), "%u-%u", f->node, f->port);
    if (mkfifoat(i->folder_fd, f->name, 0600) < 0)
        return WEFT_ERR_STATE;
    reader = openat(i->folder_fd, f->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    f->writer = openat(i->folder_fd, f->name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    err = reader < 0 || f->writer < 0 || fchmodat(i->folder_fd, f->name, mode, 0) < 0 ||
                  epoll_ctl(i->ends, EPOLL_CTL_ADD, f->writer, &event) < 0
              ? WEFT_ERR_STATE
              : 0;
    if (reader >= 0)
        (void)close(reader);
    if (err) {
        if (f->writer >= 0)
            (void)close(f->writer);
        (void)unlinkat(i->folder_fd, f->name, 0);
    }
    return err;
}

static int fifo_new(struct issm *i, uint32_t node, uint8_t port, struct issm_fifo **ret,
                    struct fabric_error *error)
{
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
    if (fifo_open(f, i) != 0) {
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
    if (i->folder_fd < 0)
        return;
    uv_close((uv_handle_t *)&i->notify_poll, NULL);
    uv_close((uv_handle_t *)&i->ends_poll, NULL);
    issm_remove(i->wanted);
}

void issm_free(struct issm *i)
{
    weft_time now = i->server->now;

    while (i->fifos) {
        struct issm_fifo *f = i->fifos;

        i->fifos = f->next;
        if (f->read)
            (void)fabric_detach(i->server->fabric, now, f->at);
        (void)close(f->writer);
        free(f);
    }
    issm_end(i);
    free(i);
}
