/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connecting to the fabric daemon, and asking it. */
#include "channel/connect.h"

#include "channel/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Writes why not, and gives the error back. */
__attribute__((format(printf, 3, 4))) static int refuse(char text[CHANNEL_TEXT_BYTES], int err,
                                                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, CHANNEL_TEXT_BYTES, format, args);
    va_end(args);
    return err;
}

static weft_time channel_clock(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
}

/* Waits until the socket can be read. */
static bool channel_wait(int socket, weft_time until)
{
    for (;;) {
        weft_time now = channel_clock();
        struct pollfd p = {.fd = socket, .events = POLLIN};
        int ready;

        if (now >= until)
            return false;
        ready = poll(&p, 1, (int)((until - now) / WEFT_MS) + 1);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

/* Waits for a message. */
static int channel_receive(int socket, void *message, size_t space, size_t *ret_bytes, int *ret_fds)
{
    weft_time until = channel_clock() + CHANNEL_WAIT_NS;

    for (;;) {
        int err = message_receive(socket, message, space, ret_bytes, ret_fds);

        if (err != WEFT_ERR_NOTFOUND)
            return err;
        if (!channel_wait(socket, until))
            return WEFT_ERR_FULL;
    }
}

/* Says why connect() did not work. */
static int connect_refused(const char *path, int number, char text[CHANNEL_TEXT_BYTES])
{
    struct stat st;

    if (number == ENOENT || number == ENOTDIR || number == ECONNREFUSED) {
        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
            return refuse(text, WEFT_ERR_FORMAT, "%s is a file, not the socket of a fabric daemon",
                          path);
        return refuse(text, WEFT_ERR_NOTFOUND,
                      "no fabric daemon listens at %s: try weft fabric --topology FILE --listen %s",
                      path, path);
    }
    if (number == EACCES || number == EPERM)
        return refuse(text, WEFT_ERR_STATE,
                      "no permission for the socket %s: ask who runs the fabric daemon to give it "
                      "a mode that lets you read and write it",
                      path);
    if (number == EPROTOTYPE)
        return refuse(text, WEFT_ERR_FORMAT,
                      "whoever listens at %s is no weft fabric daemon: its socket has another type",
                      path);
    if (number == EAGAIN || number == ETIMEDOUT)
        return refuse(text, WEFT_ERR_STATE,
                      "the fabric daemon at %s takes no connections: is it stopped?", path);
    return refuse(text, number == ENOMEM ? WEFT_ERR_NOMEM : WEFT_ERR_STATE,
                  "cannot connect to the fabric daemon at %s: %s", path, strerror(number));
}

/* Opens the socket. */
static int channel_open(const char *path, int *ret, char text[CHANNEL_TEXT_BYTES])
{
    struct timeval limit = {.tv_sec = CHANNEL_WAIT_NS / WEFT_S};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int number = 0;
    int fd;

    if (length == 0)
        return refuse(text, WEFT_ERR_INVALID,
                      "no socket is named: give the one that weft fabric "
                      "--listen was given");
    if (length >= sizeof(address.sun_path))
        return refuse(text, WEFT_ERR_INVALID,
                      "the name of the socket is too long (%zu bytes, at most %zu): use a shorter "
                      "folder",
                      length, sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, path, length);
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return refuse(text, WEFT_ERR_NOMEM, "no socket can be made: %s", strerror(errno));
    /* Also limits connect(), which waits where the daemon does not accept. */
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    while (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        number = errno;
        if (number != EINTR)
            break;
        number = 0;
    }
    if (number != 0) {
        (void)close(fd);
        return connect_refused(path, number, text);
    }
    *ret = fd;
    return 0;
}

/* The name of this program, for the daemon's list of clients. */
static void channel_program(char ret[CHANNEL_PROGRAM_BYTES])
{
    message_put_text(ret, CHANNEL_PROGRAM_BYTES, program_invocation_short_name);
}

/* Understands what came in answer to HELLO. */
static int channel_greeted(const char *path, const struct message_result *answer, size_t bytes,
                           struct channel *c, char text[CHANNEL_TEXT_BYTES])
{
    if (bytes < sizeof(answer->head) || answer->head.magic != CHANNEL_MAGIC)
        return refuse(text, WEFT_ERR_FORMAT, "whoever listens at %s is no weft fabric daemon",
                      path);
    if (answer->head.version != CHANNEL_VERSION)
        return refuse(text, WEFT_ERR_FORMAT,
                      "the fabric daemon at %s speaks version %u of the protocol, this program "
                      "version %u: take both from one installation of weft",
                      path, answer->head.version, CHANNEL_VERSION);
    if (answer->head.type == MESSAGE_REFUSED && bytes == sizeof(*answer) &&
        message_text_ended(answer->text, sizeof(answer->text)))
        return refuse(text, answer->err < 0 ? answer->err : WEFT_ERR_FORMAT, "%s", answer->text);
    if (answer->head.type != MESSAGE_WELCOME || bytes != sizeof(c->welcome))
        return refuse(text, WEFT_ERR_FORMAT,
                      "the fabric daemon at %s answers something else than a welcome", path);
    memcpy(&c->welcome, answer, sizeof(c->welcome));
    return 0;
}

/* Maps the memory that came with the welcome. */
static int channel_map(struct channel *c, const int fds[MESSAGE_FDS], char text[CHANNEL_TEXT_BYTES])
{
    struct stat st;
    void *at;

    if (fds[MESSAGE_FD_MEMORY] < 0 || c->welcome.slots != RINGS_SLOTS ||
        fstat(fds[MESSAGE_FD_MEMORY], &st) < 0 || st.st_size < (off_t)sizeof(struct rings))
        return refuse(text, WEFT_ERR_FORMAT,
                      "the fabric daemon gives no memory of the expected size: take both programs "
                      "from one installation of weft");
    at = mmap(NULL, sizeof(struct rings), PROT_READ | PROT_WRITE, MAP_SHARED,
              fds[MESSAGE_FD_MEMORY], 0);
    if (at == MAP_FAILED)
        return refuse(text, WEFT_ERR_NOMEM,
                      "the memory shared with the fabric daemon cannot be "
                      "mapped: %s",
                      strerror(errno));
    c->rings = at;
    c->daemon_bell = fds[MESSAGE_FD_DAEMON_BELL];
    c->client_bell = fds[MESSAGE_FD_CLIENT_BELL];
    return 0;
}

static void close_fds(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

/* Says HELLO and waits for the answer. */
static int channel_greet(const char *path, const struct message_hello *hello, struct channel *c,
                         char text[CHANNEL_TEXT_BYTES])
{
    struct message_result answer = {.err = 0};
    int fds[MESSAGE_FDS] = {-1, -1, -1};
    size_t bytes = 0;
    int err = message_send(c->socket, hello, sizeof(*hello), NULL);

    /* A daemon that refuses at once may have closed already; its answer still waits. */
    if (!err || err == WEFT_ERR_STATE)
        err = channel_receive(c->socket, &answer, sizeof(answer), &bytes, fds);
    if (err == WEFT_ERR_STATE)
        return refuse(text, WEFT_ERR_FORMAT,
                      "whoever listens at %s closes the connection: it is no weft fabric daemon, "
                      "or it has just ended",
                      path);
    if (err == WEFT_ERR_FORMAT)
        return refuse(text, WEFT_ERR_FORMAT, "whoever listens at %s is no weft fabric daemon",
                      path);
    if (err)
        return refuse(text, WEFT_ERR_STATE,
                      "the fabric daemon at %s does not answer: is it stopped?", path);
    err = channel_greeted(path, &answer, bytes, c, text);
    if (!err && hello->role == CHANNEL_ROLE_RINGS) {
        err = channel_map(c, fds, text);
        if (!err) {
            /* The mapping keeps the memory; the bells are the channel's now. */
            close_fds(fds, 1);
            return 0;
        }
    }
    close_fds(fds, MESSAGE_FDS);
    return err;
}

int channel_connect(const char *path, enum channel_role role, const char *node, uint8_t port,
                    struct channel *ret, char text[CHANNEL_TEXT_BYTES])
{
    const struct channel_wish wish = {.role = role, .node = node, .port = port};

    return channel_connect_as(path, &wish, ret, text);
}

int channel_connect_as(const char *path, const struct channel_wish *wish, struct channel *ret,
                       char text[CHANNEL_TEXT_BYTES])
{
    struct channel c = {.socket = -1, .daemon_bell = -1, .client_bell = -1};
    struct message_hello hello = {.role = (uint8_t)wish->role, .port = wish->port, .vf = wish->vf};
    int err;

    if (strlen(wish->node) >= sizeof(hello.node))
        return refuse(text, WEFT_ERR_NOTFOUND,
                      "no node has a name of more than %zu bytes: give its GUID",
                      sizeof(hello.node) - 1);
    err = channel_open(path, &c.socket, text);
    if (err)
        return err;
    message_begin(&hello, MESSAGE_HELLO);
    message_put_text(hello.node, sizeof(hello.node), wish->node);
    channel_program(hello.program);
    err = channel_greet(path, &hello, &c, text);
    if (err) {
        (void)close(c.socket);
        return err;
    }
    *ret = c;
    return 0;
}

void channel_close(struct channel *c)
{
    const int fds[] = {c->socket, c->daemon_bell, c->client_bell};

    if (c->rings)
        (void)munmap(c->rings, sizeof(*c->rings));
    close_fds(fds, sizeof(fds) / sizeof(fds[0]));
    *c = (struct channel){.socket = -1, .daemon_bell = -1, .client_bell = -1};
}

/* Waits until a request fits into the socket. */
static int channel_send(int socket, const void *request, size_t bytes)
{
    weft_time until = channel_clock() + CHANNEL_WAIT_NS;

    for (;;) {
        struct pollfd p = {.fd = socket, .events = POLLOUT};
        int err = message_send(socket, request, bytes, NULL);

        if (err != WEFT_ERR_FULL || channel_clock() >= until)
            return err;
        (void)poll(&p, 1, (int)(CHANNEL_WAIT_NS / WEFT_MS / 10));
    }
}

/* Whether an answer is of this type and has all that belongs to it: of a text at least its end. */
static bool channel_fits(const void *answer, size_t bytes, enum message_type type)
{
    size_t wanted = message_bytes((uint16_t)type);

    return message_has_head(answer, bytes) && ((const struct message_head *)answer)->type == type &&
           (wanted != 0 ? bytes == wanted : bytes > sizeof(struct message_head));
}

int channel_ask(struct channel *c, void *request, size_t bytes, enum message_type type,
                void *answer, size_t space, size_t *ret_bytes, char text[CHANNEL_TEXT_BYTES])
{
    union {
        struct message_head head;
        struct message_result result;
        unsigned char bytes[CHANNEL_MESSAGE_BYTES_MAX];
    } got;
    size_t got_bytes = 0;
    int err;

    if (c->broken)
        return refuse(text, WEFT_ERR_STATE,
                      "an earlier question to the fabric daemon was not "
                      "answered: connect anew");
    *(struct message_head *)request =
        (struct message_head){.magic = CHANNEL_MAGIC,
                              .version = CHANNEL_VERSION,
                              .type = ((const struct message_head *)request)->type};
    err = channel_send(c->socket, request, bytes);
    /* What the daemon said last, before it closed, still waits. */
    if (!err || err == WEFT_ERR_STATE)
        do
            err = channel_receive(c->socket, &got, sizeof(got), &got_bytes, NULL);
        while (!err && message_has_head(&got, got_bytes) && got.head.type == MESSAGE_PACKET);
    if (err) {
        c->broken = true;
        return refuse(text, WEFT_ERR_STATE,
                      err == WEFT_ERR_STATE ? "the fabric daemon has ended"
                                            : "the fabric daemon does not answer: is it stopped?");
    }
    if (message_has_head(&got, got_bytes) && got_bytes == sizeof(got.result) &&
        (got.head.type == MESSAGE_RESULT || got.head.type == MESSAGE_REFUSED) &&
        got.result.err < 0 && message_text_ended(got.result.text, sizeof(got.result.text))) {
        c->broken = got.head.type == MESSAGE_REFUSED;
        return refuse(text, got.result.err, "%s", got.result.text);
    }
    if (!channel_fits(&got, got_bytes, type) || got_bytes > space) {
        c->broken = true;
        return refuse(text, WEFT_ERR_FORMAT,
                      "the fabric daemon answers something else than it "
                      "was asked");
    }
    memcpy(answer, &got, got_bytes);
    if (ret_bytes)
        *ret_bytes = got_bytes;
    return 0;
}
