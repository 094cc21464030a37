/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The daemon's life in one process: options, its socket and whoever has that name already, time,
 * captures that fail. What clients do is tests/e2e/fabric_protocol.py's matter. */
#include "channel/connect.h"
#include "host/listen.h"
#include "host/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/weft-test-XXXXXX";
static char path[64], lock[80];
static struct fabric *fabric;

static int tear_down(void **state)
{
    (void)state;
    fabric = fabric_free(fabric);
    return rmdir(folder); /* nothing may be left in it */
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

static struct server_options options(void)
{
    struct server_options o;

    server_options_init(&o);
    o.socket_path = path;
    return o;
}

static int set_up(void **state)
{
    struct fabric_config config;
    struct fabric_error error = {""};
    struct topo_error wrong;
    struct server_options o;
    struct server *s;
    struct topo *t;
    int err;

    (void)state;
    if (!mkdtemp(folder) || topo_generate("fat-tree:hosts=4,radix=4", &t, &wrong) != 0)
        return -1;
    (void)snprintf(path, sizeof(path), "%s/socket", folder);
    (void)snprintf(lock, sizeof(lock), "%s.lock", path);
    fabric_config_init(&config);
    config.up = true;
    err = fabric_new(&config, t, NULL, &fabric, &error);
    (void)topo_free(t);
    if (err)
        return err;
    /* libuv keeps a few descriptors from its first loop on. */
    o = options();
    err = server_new(&o, fabric, &s, &error);
    if (!err)
        s = server_free(s);
    return err;
}

static void expect_refused(const struct server_options *o, int err, const char *word)
{
    struct server *s = NULL;
    struct fabric_error error = {""};
    int before = open_files();

    assert_int_equal(server_new(o, fabric, &s, &error), err);
    assert_null(s);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" lacks \"%s\"", error.text, word);
    assert_int_equal(open_files(), before);
}

static void test_options_out_of_range_are_named(void **state)
{
    struct server_options o = options();

    (void)state;
    assert_int_equal(o.socket_mode, 0600);
    assert_int_equal(o.clients, 1000);
    o.socket_mode = 01000;
    expect_refused(&o, WEFT_ERR_INVALID, "mode");
    o = options();
    o.clients = 0;
    expect_refused(&o, WEFT_ERR_INVALID, "clients");
    o.clients = 32769;
    expect_refused(&o, WEFT_ERR_INVALID, "clients");
    o = options();
    o.time_scale = 0;
    expect_refused(&o, WEFT_ERR_INVALID, "scale");
    o.time_scale = 1000001;
    expect_refused(&o, WEFT_ERR_INVALID, "scale");
    o = options();
    o.spin_ns = WEFT_S + 1;
    expect_refused(&o, WEFT_ERR_INVALID, "1 s");
    o = options();
    o.socket_path = NULL;
    expect_refused(&o, WEFT_ERR_INVALID, "socket");
}

static void test_names_that_cannot_be_bound(void **state)
{
    struct server_options o = options();
    char longer[200], missing[80];
    int fd;

    (void)state;
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    o.socket_path = longer;
    expect_refused(&o, WEFT_ERR_STATE, "at most 107");
    o.socket_path = "";
    expect_refused(&o, WEFT_ERR_STATE, "empty");
    (void)snprintf(missing, sizeof(missing), "%s/none/socket", folder);
    o.socket_path = missing;
    expect_refused(&o, WEFT_ERR_STATE, "folder does not exist");
    o.socket_path = path;
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    (void)close(fd);
    expect_refused(&o, WEFT_ERR_STATE, "no socket");
    assert_int_equal(unlink(path), 0); /* it was left alone */
    assert_int_equal(symlink("elsewhere", lock), 0);
    expect_refused(&o, WEFT_ERR_STATE, "lock");
    assert_int_equal(unlink(lock), 0);
}

static void test_one_daemon_a_name(void **state)
{
    struct server_options o = options();
    struct fabric_error error = {""};
    struct server *s;
    struct stat st;

    (void)state;
    o.socket_mode = 0620;
    assert_int_equal(server_new(&o, fabric, &s, &error), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0620);
    expect_refused(&o, WEFT_ERR_CONFLICT, "another fabric daemon listens");
    /* even when the socket was removed by hand */
    assert_int_equal(unlink(path), 0);
    expect_refused(&o, WEFT_ERR_CONFLICT, "another fabric daemon listens");
    s = server_free(s);
    assert_int_equal(server_new(&o, fabric, &s, &error), 0);
    s = server_free(s);
}

/* Binds the socket's name as a program without a lock would. */
static int squat(bool listens)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    if (listens)
        assert_int_equal(listen(fd, 1), 0);
    return fd;
}

static void test_a_stale_socket_is_replaced_and_a_live_one_is_not(void **state)
{
    struct server_options o = options();
    struct fabric_error error = {""};
    struct server *s;
    int fd = squat(true);

    (void)state;
    expect_refused(&o, WEFT_ERR_CONFLICT, "another program listens");
    (void)close(fd);
    assert_int_equal(server_new(&o, fabric, &s, &error), 0);
    s = server_free(s);
    (void)close(squat(false));
    assert_int_equal(server_new(&o, fabric, &s, &error), 0);
    s = server_free(s);
}

static void test_a_lock_counts_only_under_its_name(void **state)
{
    struct listener one, two;
    struct fabric_error error = {""};

    (void)state;
    assert_int_equal(listener_open(path, 0600, &one, &error), 0);
    assert_int_equal(listener_open(path, 0600, &two, &error), WEFT_ERR_CONFLICT);
    /* Somebody removes the lock's name: the next one makes its own and finds the socket alive. */
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(listener_open(path, 0600, &two, &error), WEFT_ERR_CONFLICT);
    assert_non_null(strstr(error.text, "another program listens"));
    listener_close(&one);
}

/* The status line. */
static void count_calls(void *ctx, const struct server *s)
{
    int *calls = ctx;

    (void)s;
    ++*calls;
}

static void *run(void *ctx)
{
    assert_int_equal(server_run(ctx), 0);
    return NULL;
}

static void test_it_serves_tells_and_ends(void **state)
{
    struct server_options o = options();
    char text[CHANNEL_TEXT_BYTES];
    struct message_text *m = calloc(1, sizeof(*m));
    struct server_stats stats;
    struct fabric_error error = {""};
    struct channel c, other;
    pthread_t thread;
    struct server *s;
    int calls = 0;

    (void)state;
    assert_non_null(m);
    o.status = count_calls;
    o.status_ctx = &calls;
    o.time_scale = 1000;
    assert_int_equal(server_new(&o, fabric, &s, &error), 0);
    assert_ptr_equal(server_fabric(s), fabric);
    assert_int_equal(pthread_create(&thread, NULL, run, s), 0);
    assert_int_equal(channel_connect(path, CHANNEL_ROLE_RINGS, "host-00001", 0, &other, text), 0);
    assert_int_equal(channel_connect(path, CHANNEL_ROLE_CONTROL, "", 0, &c, text), 0);
    assert_int_equal(channel_ask(&c, m, message_make_text(m, MESSAGE_COMMAND, "clients"),
                                 MESSAGE_TEXT, m, sizeof(*m), NULL, text),
                     0);
    assert_non_null(strstr(m->text, "rings"));
    assert_non_null(strstr(m->text, "\"test_host_server\" node \"host-00001\""));
    assert_int_equal(channel_ask(&c, m, message_make_text(m, MESSAGE_COMMAND, "stop"), MESSAGE_TEXT,
                                 m, sizeof(*m), NULL, text),
                     0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(calls >= 1);
    assert_true(server_now(s) > 0);
    server_stats(s, &stats);
    assert_int_equal(stats.clients, 2);
    assert_int_equal(stats.clients_thrown, 0);
    s = server_free(s);
    assert_int_equal(atomic_load(&other.rings->closed), 1);
    channel_close(&c);
    channel_close(&other);
    free(m);
}

static void test_a_capture_that_cannot_be_written_is_told_at_the_end(void **state)
{
    struct server_options o = options();
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct fabric_error error = {""};
    struct server_stats stats;
    struct server *s;

    (void)state;
    assert_true(full >= 0);
    o.pcap = full;
    assert_int_equal(server_new(&o, fabric, &s, &error), 0);
    server_stop(s);
    assert_int_equal(server_run(s), WEFT_ERR_STATE);
    server_stats(s, &stats);
    assert_int_equal(stats.pcap_error, ENOSPC);
    s = server_free(s);
    (void)close(full);
}

/* A fabric on which one program may be, and no more. */
static struct fabric *narrow_fabric(void)
{
    struct fabric_error error = {""};
    struct topo_error wrong;
    struct fabric_config config;
    struct fabric *f = NULL;
    struct topo *t = NULL;

    assert_int_equal(topo_generate("fat-tree:hosts=4,radix=4", &t, &wrong), 0);
    fabric_config_init(&config);
    config.attachments = 1;
    assert_int_equal(fabric_new(&config, t, NULL, &f, &error), 0);
    topo_free(t);
    return f;
}

static void test_IsSM_that_finds_no_room_is_counted(void **state)
{
    struct message_head ask = {.type = MESSAGE_ISSM_PATH};
    struct message_text *m = calloc(1, sizeof(*m));
    struct server_options o = options();
    struct fabric *f = narrow_fabric();
    struct fabric_error error = {""};
    char text[CHANNEL_TEXT_BYTES];
    struct channel c, control;
    pthread_t thread;
    struct server *s;
    int reader;

    (void)state;
    assert_non_null(m);
    assert_int_equal(server_new(&o, f, &s, &error), 0);
    assert_int_equal(pthread_create(&thread, NULL, run, s), 0);
    assert_int_equal(channel_connect(path, CHANNEL_ROLE_RINGS, "host-00001", 0, &c, text), 0);
    assert_int_equal(channel_connect(path, CHANNEL_ROLE_CONTROL, "", 0, &control, text), 0);
    assert_int_equal(channel_ask(&c, &ask, sizeof(ask), MESSAGE_PATH, m, sizeof(*m), NULL, text),
                     0);
    reader = open(m->text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    do
        assert_int_equal(channel_ask(&control, m, message_make_text(m, MESSAGE_COMMAND, "status"),
                                     MESSAGE_TEXT, m, sizeof(*m), NULL, text),
                         0);
    while (!strstr(m->text, "\nissm_refused 1\n"));
    assert_int_equal(channel_ask(&control, m, message_make_text(m, MESSAGE_COMMAND, "stop"),
                                 MESSAGE_TEXT, m, sizeof(*m), NULL, text),
                     0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    s = server_free(s);
    channel_close(&control);
    channel_close(&c);
    (void)close(reader);
    (void)fabric_free(f);
    free(m);
}

static void test_no_daemon_is_freed_without_harm(void **state)
{
    (void)state;
    assert_null(server_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_out_of_range_are_named),
        cmocka_unit_test(test_names_that_cannot_be_bound),
        cmocka_unit_test(test_one_daemon_a_name),
        cmocka_unit_test(test_a_stale_socket_is_replaced_and_a_live_one_is_not),
        cmocka_unit_test(test_a_lock_counts_only_under_its_name),
        cmocka_unit_test(test_it_serves_tells_and_ends),
        cmocka_unit_test(test_a_capture_that_cannot_be_written_is_told_at_the_end),
        cmocka_unit_test(test_IsSM_that_finds_no_room_is_counted),
        cmocka_unit_test(test_no_daemon_is_freed_without_harm),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
