/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages through a socket: one send each, descriptors beside them. */
#include "channel/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the descriptors of a WELCOME, aligned for a control header. */
union message_control {
    struct cmsghdr header;
    unsigned char bytes[CMSG_SPACE(sizeof(int) * MESSAGE_FDS)];
};

void message_begin(void *message, enum message_type type)
{
    *(struct message_head *)message = (struct message_head){
        .magic = CHANNEL_MAGIC, .version = CHANNEL_VERSION, .type = (uint16_t)type};
}

bool message_has_head(const void *message, size_t bytes)
{
    const struct message_head *head = message;

    return bytes >= sizeof(*head) && head->magic == CHANNEL_MAGIC &&
           head->version == CHANNEL_VERSION;
}

size_t message_bytes(uint16_t type)
{
    static const uint16_t bytes[] = {
        [MESSAGE_HELLO] = sizeof(struct message_hello),
        [MESSAGE_AGENT_ADD] = sizeof(struct message_agent),
        [MESSAGE_AGENT_REMOVE] = sizeof(struct message_number),
        [MESSAGE_NODE_QUERY] = sizeof(struct message_head),
        [MESSAGE_PORT_QUERY] = sizeof(struct message_number),
        [MESSAGE_ISSM_PATH] = sizeof(struct message_head),
        [MESSAGE_ISSM] = sizeof(struct message_number),
        [MESSAGE_PACKET] = sizeof(struct message_packet),
        [MESSAGE_WELCOME] = sizeof(struct message_welcome),
        [MESSAGE_REFUSED] = sizeof(struct message_result),
        [MESSAGE_RESULT] = sizeof(struct message_result),
        [MESSAGE_NODE] = sizeof(struct message_node),
        [MESSAGE_PORT] = sizeof(struct message_port),
    };

    return type < sizeof(bytes) / sizeof(bytes[0]) ? bytes[type] : 0;
}

void message_put_text(char *to, size_t space, const char *text)
{
    size_t length = strnlen(text, space - 1);

    memcpy(to, text, length);
    memset(to + length, 0, space - length);
}

bool message_text_ended(const char *text, size_t space)
{
    return strnlen(text, space) < space;
}

size_t message_make_text(struct message_text *ret, enum message_type type, const char *text)
{
    size_t length = strnlen(text, sizeof(ret->text) - 1);

    message_begin(ret, type);
    memcpy(ret->text, text, length);
    ret->text[length] = '\0';
    return sizeof(ret->head) + length + 1;
}

int message_send(int socket, const void *message, size_t bytes, const int *fds)
{
    struct iovec part = {.iov_base = (void *)(uintptr_t)message, .iov_len = bytes};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    union message_control control;
    ssize_t sent;

    if (fds) {
        memset(&control, 0, sizeof(control));
        control.header = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS,
                                          .cmsg_len = CMSG_LEN(sizeof(int) * MESSAGE_FDS)};
        memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * MESSAGE_FDS);
        m.msg_control = &control;
        m.msg_controllen = sizeof(control.bytes);
    }
    do
        sent = sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent >= 0)
        return 0;
    return errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM ? WEFT_ERR_FULL : WEFT_ERR_STATE;
}

/* Takes the descriptors out of a message; what is not as expected is closed. */
static int message_take_fds(struct msghdr *m, int ret_fds[MESSAGE_FDS])
{
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    /* By its padding the control buffer has room for more than was asked for. */
    int came[sizeof(union message_control) / sizeof(int)];
    size_t count;

    if (!c)
        return 0;
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return WEFT_ERR_FORMAT;
    count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(came, CMSG_DATA(c), count * sizeof(int));
    if (count == MESSAGE_FDS && (m->msg_flags & MSG_CTRUNC) == 0) {
        memcpy(ret_fds, came, sizeof(int) * MESSAGE_FDS);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        (void)close(came[i]);
    return WEFT_ERR_FORMAT;
}

static void message_close_fds(int fds[MESSAGE_FDS])
{
    for (int i = 0; i < MESSAGE_FDS; i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]);
        fds[i] = -1;
    }
}

int message_receive(int socket, void *message, size_t space, size_t *ret_bytes, int *ret_fds)
{
    struct iovec part = {.iov_base = message, .iov_len = space};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    union message_control control;
    ssize_t got;
    int err = 0;

    if (ret_fds) {
        for (int i = 0; i < MESSAGE_FDS; i++)
            ret_fds[i] = -1;
        m.msg_control = &control;
        m.msg_controllen = sizeof(control.bytes);
    }
    do
        got = recvmsg(socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno == EAGAIN ? WEFT_ERR_NOTFOUND : WEFT_ERR_STATE;
    if (ret_fds)
        err = message_take_fds(&m, ret_fds);
    /* An empty message cannot be told from the end. */
    if (!err && got == 0)
        err = WEFT_ERR_STATE;
    if (!err && (m.msg_flags & MSG_TRUNC) != 0)
        err = WEFT_ERR_FORMAT;
    if (!err)
        *ret_bytes = (size_t)got;
    else if (ret_fds)
        message_close_fds(ret_fds);
    return err;
}

void message_close(int socket)
{
    char nothing;

    /* From here on the other end cannot send, so this ends. */
    if (shutdown(socket, SHUT_RD) == 0)
        while (recv(socket, &nothing, sizeof(nothing), MSG_DONTWAIT) > 0)
            continue;
    (void)close(socket);
}
