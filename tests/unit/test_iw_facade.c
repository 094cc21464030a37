/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening and closing, and what the worker may not do to the program. */
#include "iw_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const weft_iw_id any;

static void test_defaults_and_nothing_to_close(void **state)
{
    struct weft_iw *iw;

    (void)state;
    assert_int_equal(weft_iw_open(NULL, &iw), 0);
    assert_int_equal(weft_iw_close(iw), 0);
    assert_int_equal(weft_iw_close(NULL), 0);
}

static void test_configs_that_are_refused(void **state)
{
    struct weft_iw_config c = WEFT_IW_CONFIG_INIT;
    struct weft_iw *iw;

    (void)state;
    c.size--;
    assert_int_equal(weft_iw_open(&c, &iw), -EINVAL);
    c = (struct weft_iw_config)WEFT_IW_CONFIG_INIT;
    c.cm.ids = 0;
    assert_int_equal(weft_iw_open(&c, &iw), -EINVAL);
    c = (struct weft_iw_config)WEFT_IW_CONFIG_INIT;
    c.siw.mpa_revision = 3;
    assert_int_equal(weft_iw_open(&c, &iw), -EINVAL);
}

static void test_without_descriptors_it_says_so(void **state)
{
    struct rlimit before, none;
    struct weft_iw *iw;
    int err;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    err = weft_iw_open(NULL, &iw);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(err, -EMFILE);
}

/* Everything that an id can be doing, at once. */
static void test_it_is_closed_in_the_middle_of_everything(void **state)
{
    struct player client, server;
    struct sockaddr_storage at, silent;
    int fd = raw_listen(&silent), half;
    uint8_t byte = 'M';

    (void)state;
    for (int i = 0; i < 10; i++) {
        pauses_begin();
        player_open(&client);
        player_open(&server);
        (void)player_listen(&server, 0, &at);
        (void)player_pair(&client, &server, &at);
        assert_int_equal(
            weft_iw_disconnect(client.iw, player_pair(&client, &server, &at).client, i % 2), 0);
        player_do(&server, WEFT_IW_REQUEST, NULL, 0);
        assert_int_equal(player_connect(&client, player_id(&client), &at, player_qp(&client)), 0);
        (void)player_wait(&server, WEFT_IW_REQUEST, any, 3);
        assert_int_equal(player_connect(&client, player_id(&client), &silent, player_qp(&client)),
                         0);
        half = raw_connect(&at);
        raw_send(half, &byte, 1);
        if (i % 3 == 0)
            player_close(&server);
        player_close(&client);
        if (i % 3 != 0)
            player_close(&server);
        (void)close(half);
        pauses_end();
    }
    (void)close(fd);
}

static void note_signals(struct player *p, const struct weft_iw_event *event)
{
    sigset_t blocked;

    (void)event;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    player_note(p, sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGUSR1) == 1);
}

static void test_the_worker_takes_no_signals(void **state)
{
    struct player client, server;
    struct sockaddr_storage at;
    sigset_t blocked;

    (void)state;
    player_open(&client);
    player_open(&server);
    (void)player_listen(&server, 0, &at);
    player_do(&client, WEFT_IW_REPLY, note_signals, 0);
    (void)player_pair(&client, &server, &at);
    player_close(&client);
    player_close(&server);
    assert_int_equal(client.noted, true);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(sigismember(&blocked, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_and_nothing_to_close),
        cmocka_unit_test(test_configs_that_are_refused),
        cmocka_unit_test(test_without_descriptors_it_says_so),
        cmocka_unit_test(test_it_is_closed_in_the_middle_of_everything),
        cmocka_unit_test(test_the_worker_takes_no_signals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
