/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connecting and asking, at daemons that are none, refuse, lie, end or are silent: what the caller
 * is told, and that nothing stays open. */
#include "channel/connect.h"
#include "channel/message.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* Some user who is not root. */
#define NOBODY 65534

static char folder[] = "/tmp/weft-test-XXXXXX";
static char path[64];
static char text[CHANNEL_TEXT_BYTES];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/socket", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(d);
    while (readdir(d))
        count++;
    (void)closedir(d);
    return count;
}

/* A daemon for one connection: what it says to HELLO, and to the next message. */
struct fake {
    int type; /* of its socket; 0: SOCK_SEQPACKET */
    const void *greeting, *answer;
    size_t greeting_bytes, answer_bytes; /* 0: none */
    size_t memory;                       /* bytes it shares; 0: none */
    bool silent;                         /* it does not close before the client does */
    int listener;
    pthread_t thread;
    struct message_hello hello; /* what came */
};

/* The descriptors that go with a welcome. */
static void fake_greet(const struct fake *d, int fd)
{
    int fds[MESSAGE_FDS], ends[2];

    if (d->memory == 0) {
        (void)message_send(fd, d->greeting, d->greeting_bytes, NULL);
        return;
    }
    fds[0] = memfd_create("fake", MFD_CLOEXEC);
    fds[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0 || ftruncate(fds[0], (off_t)d->memory) < 0)
        abort();
    fds[2] = ends[0];
    (void)message_send(fd, d->greeting, d->greeting_bytes, fds);
    for (int i = 0; i < MESSAGE_FDS; i++)
        (void)close(fds[i]);
    (void)close(ends[1]);
}

static void *fake_run(void *ctx)
{
    struct fake *d = ctx;
    int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC);
    char rest[512];

    if (recv(fd, &d->hello, sizeof(d->hello), 0) > 0) {
        if (d->greeting_bytes > 0)
            fake_greet(d, fd);
        if (d->answer_bytes > 0 && recv(fd, rest, sizeof(rest), 0) > 0)
            (void)message_send(fd, d->answer, d->answer_bytes, NULL);
        while (d->silent && recv(fd, rest, sizeof(rest), 0) > 0)
            continue;
    }
    (void)close(fd);
    return NULL;
}

static void fake_begin(struct fake *d)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    d->listener = socket(AF_UNIX, (d->type ? d->type : SOCK_SEQPACKET) | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(d->listener, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(d->listener, 4), 0);
    if (!d->type)
        assert_int_equal(pthread_create(&d->thread, NULL, fake_run, d), 0);
}

static void fake_end(struct fake *d)
{
    if (!d->type)
        assert_int_equal(pthread_join(d->thread, NULL), 0);
    (void)close(d->listener);
    (void)unlink(path);
}

static int try_connect(enum channel_role role, struct channel *c)
{
    const struct channel_wish wish = {.role = role, .node = "H1", .port = 2, .vf = 3};

    memset(text, 0, sizeof(text));
    return channel_connect_as(path, &wish, c, text);
}

static void expect_refused(enum channel_role role, int err, const char *word)
{
    struct channel c = {.socket = 4711};

    assert_int_equal(try_connect(role, &c), err);
    assert_non_null(strstr(text, word));
    assert_int_equal(c.socket, 4711);
}

/* What a fake daemon greets with, and what comes of it. */
static void expect_greeted(struct fake *d, enum channel_role role, int err, const char *word)
{
    int before = open_files();

    fake_begin(d);
    expect_refused(role, err, word);
    fake_end(d);
    assert_int_equal(open_files(), before);
}

static void test_nobody_listens(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    (void)state;
    expect_refused(CHANNEL_ROLE_CONTROL, WEFT_ERR_NOTFOUND, "try weft fabric --topology");
    /* a socket that a daemon has left behind */
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    (void)close(fd);
    expect_refused(CHANNEL_ROLE_CONTROL, WEFT_ERR_NOTFOUND, path);
    (void)unlink(path);
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    (void)close(fd);
    expect_refused(CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "is a file");
    (void)unlink(path);
}

static void test_names_that_cannot_be(void **state)
{
    char longer[200];
    struct channel c;

    (void)state;
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    assert_int_equal(channel_connect("", CHANNEL_ROLE_CONTROL, "", 0, &c, text), WEFT_ERR_INVALID);
    assert_int_equal(channel_connect(longer, CHANNEL_ROLE_CONTROL, "", 0, &c, text),
                     WEFT_ERR_INVALID);
    assert_non_null(strstr(text, "too long"));
    assert_int_equal(channel_connect(path, CHANNEL_ROLE_RINGS, longer, 0, &c, text),
                     WEFT_ERR_NOTFOUND);
    assert_non_null(strstr(text, "GUID"));
}

static void test_a_socket_of_another_type(void **state)
{
    struct fake d = {.type = SOCK_STREAM};

    (void)state;
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "another type");
}

static void test_a_socket_without_permission(void **state)
{
    struct fake d = {.type = SOCK_SEQPACKET};

    uid_t me = geteuid();

    (void)state;
    fake_begin(&d);
    assert_int_equal(chmod(path, 0), 0);
    if (me == 0) /* who may everything */
        assert_int_equal(seteuid(NOBODY), 0);
    expect_refused(CHANNEL_ROLE_CONTROL, WEFT_ERR_STATE, "permission");
    assert_int_equal(seteuid(me), 0);
    fake_end(&d);
}

static void test_greetings_that_are_none(void **state)
{
    struct message_welcome welcome = {.client = 1};
    struct message_result refused = {.err = WEFT_ERR_CONFLICT, .text = "because"};
    struct fake d = {.greeting = "hello", .greeting_bytes = 5};
    char longer[sizeof(refused) + 1] = "";

    (void)state;
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "no weft fabric daemon");
    d = (struct fake){.greeting_bytes = 0};
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "closes");
    d = (struct fake){.greeting = longer, .greeting_bytes = sizeof(longer)};
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "no weft fabric daemon");

    message_begin(&refused, MESSAGE_REFUSED);
    d = (struct fake){.greeting = &refused, .greeting_bytes = sizeof(refused)};
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_CONFLICT, "because");
    refused.err = 0;
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "because");
    memset(refused.text, 'x', sizeof(refused.text));
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "something else");

    message_begin(&welcome, MESSAGE_WELCOME);
    welcome.head.version = 77;
    d = (struct fake){.greeting = &welcome, .greeting_bytes = sizeof(welcome)};
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "version 77");
    message_begin(&welcome, MESSAGE_WELCOME);
    d.greeting_bytes--;
    expect_greeted(&d, CHANNEL_ROLE_CONTROL, WEFT_ERR_FORMAT, "something else");
}

static void test_memory_that_is_missing_or_of_another_size(void **state)
{
    struct message_welcome welcome = {.slots = RINGS_SLOTS};
    struct fake d = {.greeting = &welcome, .greeting_bytes = sizeof(welcome)};

    (void)state;
    message_begin(&welcome, MESSAGE_WELCOME);
    expect_greeted(&d, CHANNEL_ROLE_RINGS, WEFT_ERR_FORMAT, "memory");
    d.memory = sizeof(struct rings) - 1;
    expect_greeted(&d, CHANNEL_ROLE_RINGS, WEFT_ERR_FORMAT, "memory");
    d.memory = sizeof(struct rings);
    welcome.slots = RINGS_SLOTS / 2;
    expect_greeted(&d, CHANNEL_ROLE_RINGS, WEFT_ERR_FORMAT, "memory");
    /* who wants none does not get it either */
    expect_greeted(&d, CHANNEL_ROLE_RINGS, WEFT_ERR_FORMAT, "memory");
}

static void test_a_connection_with_rings(void **state)
{
    struct message_welcome welcome = {.client = 5, .slots = RINGS_SLOTS, .port = 3};
    struct fake d = {.greeting = &welcome,
                     .greeting_bytes = sizeof(welcome),
                     .memory = sizeof(struct rings),
                     .silent = true};
    int before = open_files();
    struct channel c;

    (void)state;
    message_begin(&welcome, MESSAGE_WELCOME);
    fake_begin(&d);
    assert_int_equal(try_connect(CHANNEL_ROLE_RINGS, &c), 0);
    assert_int_equal(c.welcome.client, 5);
    assert_int_equal(c.welcome.port, 3);
    atomic_store(&c.rings->daemon_asleep, 1);
    assert_true(rings_send(c.rings, c.daemon_bell, &(struct packet){.slid = 1}));
    bell_hush(c.client_bell);
    channel_close(&c);
    fake_end(&d);
    assert_int_equal(d.hello.role, CHANNEL_ROLE_RINGS);
    assert_int_equal(d.hello.port, 2);
    assert_int_equal(d.hello.vf, 3);
    assert_string_equal(d.hello.node, "H1");
    assert_string_equal(d.hello.program, "test_channel_connect");
    assert_int_equal(open_files(), before);
}

/* What a daemon is asked for. */
static enum message_type asked_for = MESSAGE_NODE;

/* Asks a daemon that answers so. */
static int ask(const void *answer, size_t bytes, struct message_node *ret, bool *ret_broken)
{
    struct message_welcome welcome = {.client = 1};
    struct fake d = {.greeting = &welcome,
                     .greeting_bytes = sizeof(welcome),
                     .answer = answer,
                     .answer_bytes = bytes};
    struct message_head request = {.type = MESSAGE_NODE_QUERY};
    struct channel c;
    int err;

    message_begin(&welcome, MESSAGE_WELCOME);
    fake_begin(&d);
    assert_int_equal(try_connect(CHANNEL_ROLE_QUERY, &c), 0);
    err = channel_ask(&c, &request, sizeof(request), asked_for, ret, sizeof(*ret), NULL, text);
    *ret_broken = c.broken;
    if (c.broken)
        assert_int_equal(
            channel_ask(&c, &request, sizeof(request), MESSAGE_NODE, ret, sizeof(*ret), NULL, text),
            WEFT_ERR_STATE);
    channel_close(&c);
    fake_end(&d);
    return err;
}

static void test_answers(void **state)
{
    struct message_node node = {.guid = 42}, got = {.guid = 1};
    struct message_result result = {.err = WEFT_ERR_FULL, .text = "no room"};
    struct {
        struct message_node node;
        char more;
    } larger = {.more = 1};
    bool broken;

    (void)state;
    message_begin(&node, MESSAGE_NODE);
    assert_int_equal(ask(&node, sizeof(node), &got, &broken), 0);
    assert_int_equal(got.guid, 42);
    assert_false(broken);

    message_begin(&result, MESSAGE_RESULT);
    assert_int_equal(ask(&result, sizeof(result), &got, &broken), WEFT_ERR_FULL);
    assert_string_equal(text, "no room");
    assert_false(broken);
    message_begin(&result, MESSAGE_REFUSED);
    assert_int_equal(ask(&result, sizeof(result), &got, &broken), WEFT_ERR_FULL);
    assert_true(broken);

    message_begin(&node, MESSAGE_PORT);
    assert_int_equal(ask(&node, sizeof(node), &got, &broken), WEFT_ERR_FORMAT);
    assert_true(broken);
    larger.node = node;
    message_begin(&larger, MESSAGE_NODE);
    assert_int_equal(ask(&larger, sizeof(larger), &got, &broken), WEFT_ERR_FORMAT);
    assert_true(broken);
    for (size_t bytes = 1; bytes < sizeof(node); bytes += 7) {
        message_begin(&node, MESSAGE_NODE);
        assert_int_equal(ask(&node, bytes, &got, &broken), WEFT_ERR_FORMAT);
        assert_true(broken);
    }
    assert_int_equal(ask("x", 1, &got, &broken), WEFT_ERR_FORMAT);
    assert_int_equal(ask(NULL, 0, &got, &broken), WEFT_ERR_STATE);
    assert_non_null(strstr(text, "ended") ? text : strstr(text, "anew"));
    assert_true(broken);
}

static void test_a_text_has_at_least_its_end(void **state)
{
    struct message_node got;
    struct {
        struct message_head head;
        char end;
    } answer = {.end = '\0'};
    bool broken;

    (void)state;
    asked_for = MESSAGE_TEXT;
    message_begin(&answer, MESSAGE_TEXT);
    assert_int_equal(ask(&answer, sizeof(answer.head) + 1, &got, &broken), 0);
    assert_false(broken);
    assert_int_equal(ask(&answer, sizeof(answer.head), &got, &broken), WEFT_ERR_FORMAT);
    assert_true(broken);
    asked_for = MESSAGE_NODE;
}

static void test_a_silent_daemon_is_not_waited_for_for_ever(void **state)
{
    struct fake d = {.silent = true};

    (void)state;
    fake_begin(&d);
    expect_refused(CHANNEL_ROLE_CONTROL, WEFT_ERR_STATE, "does not answer");
    fake_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_names_that_cannot_be),
        cmocka_unit_test(test_a_socket_of_another_type),
        cmocka_unit_test(test_a_socket_without_permission),
        cmocka_unit_test(test_greetings_that_are_none),
        cmocka_unit_test(test_memory_that_is_missing_or_of_another_size),
        cmocka_unit_test(test_a_connection_with_rings),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_a_text_has_at_least_its_end),
        cmocka_unit_test(test_a_silent_daemon_is_not_waited_for_for_ever),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
