/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One front for both kinds of port: what it tells of a P_Key table, at first and when it is looked
 * at again. */
#include "hca_fixture.h"
#include "host/mad_link.h"
#include "host/server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct fake_port one[] = {{"mlx5_0", "InfiniBand", 0x21, 1, 4, 7, 0}};

/* A fabric that a daemon serves in a thread. */
struct daemon {
    char folder[32], path[40];
    struct fabric *fabric;
    struct server *server;
    pthread_t thread;
};

static void *run(void *s)
{
    (void)server_run(s);
    return NULL;
}

static void daemon_start(struct daemon *d)
{
    struct fabric_error error = {""};
    struct fabric_config config;
    struct server_options o;
    struct topo_error wrong;
    struct topo *t;

    (void)snprintf(d->folder, sizeof(d->folder), "/tmp/weft-test-XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    (void)snprintf(d->path, sizeof(d->path), "%s/s", d->folder);
    assert_int_equal(topo_generate("fat-tree:hosts=4,radix=4", &t, &wrong), 0);
    fabric_config_init(&config);
    config.up = true;
    assert_int_equal(fabric_new(&config, t, NULL, &d->fabric, &error), 0);
    (void)topo_free(t);
    server_options_init(&o);
    o.socket_path = d->path;
    assert_int_equal(server_new(&o, d->fabric, &d->server, &error), 0);
    assert_int_equal(pthread_create(&d->thread, NULL, run, d->server), 0);
}

/* Says a command to the daemon. */
static void daemon_do(const struct daemon *d, const char *line)
{
    struct message_text *m = calloc(1, sizeof(*m));
    char text[CHANNEL_TEXT_BYTES];
    struct channel c;

    assert_non_null(m);
    assert_int_equal(channel_connect(d->path, CHANNEL_ROLE_CONTROL, "", 0, &c, text), 0);
    m->head.type = MESSAGE_COMMAND;
    (void)snprintf(m->text, sizeof(m->text), "%s", line);
    assert_int_equal(channel_ask(&c, m, sizeof(m->head) + strlen(line) + 1, MESSAGE_TEXT, m,
                                 sizeof(*m), NULL, text),
                     0);
    channel_close(&c);
    free(m);
}

static void daemon_end(struct daemon *d)
{
    daemon_do(d, "stop");
    assert_int_equal(pthread_join(d->thread, NULL), 0);
    (void)server_free(d->server);
    (void)fabric_free(d->fabric);
    assert_int_equal(rmdir(d->folder), 0);
}

static void open_hca(struct mad_link *ret)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    struct hca_choice choice;
    struct hca_ports all;

    assert_int_equal(hca_ports_read(&all, text), 0);
    assert_int_equal(hca_ports_choose(&all, NULL, 0, &choice), 0);
    assert_int_equal(mad_link_open_hca(ret, &choice, NULL, text), 0);
}

static weft_pkey key_at(const struct mad_link *l, uint32_t index)
{
    weft_pkey key;

    assert_int_equal(weft_pkey_cache_get(l->pkeys, index, &key), 0);
    return key;
}

/* The index of the default partition, where the port is a member. */
static uint16_t default_at(const struct mad_link *l)
{
    uint16_t index = UINT16_MAX;

    assert_true(mad_link_default_pkey(l, &index));
    return index;
}

static void test_the_table_of_a_simulated_port(void **state)
{
    char text[CHANNEL_TEXT_BYTES] = "";
    struct mad_link l;
    struct daemon d;
    uint16_t index = 77;

    (void)state;
    daemon_start(&d);
    daemon_do(&d, "pkey host-00002/1 1 0x8005");
    assert_int_equal(mad_link_open_fabric(&l, d.path, "host-00002", 0, NULL, text), 0);
    assert_int_equal(weft_pkey_cache_entries(l.pkeys), 128);
    assert_int_equal(default_at(&l), 0);
    assert_int_equal(key_at(&l, 1), 0x8005);
    daemon_do(&d, "pkey host-00002/1 0 0x7fff");
    daemon_do(&d, "pkey host-00002/1 127 0xffff");
    assert_int_equal(default_at(&l), 0); /* nobody has looked */
    assert_true(mad_link_look(&l));
    assert_int_equal(default_at(&l), 127); /* the full member's */
    daemon_do(&d, "pkey host-00002/1 127 0x0000");
    assert_true(mad_link_look(&l));
    assert_int_equal(default_at(&l), 0);
    daemon_do(&d, "pkey host-00002/1 0 0x8006");
    assert_true(mad_link_look(&l));
    assert_false(mad_link_default_pkey(&l, &index));
    assert_int_equal(index, 77);
    daemon_end(&d);
    assert_false(mad_link_look(&l));
    assert_int_equal(key_at(&l, 0), 0x8006);
    mad_link_close(&l);
    assert_null(l.pkeys);
}

static void test_the_table_of_an_adapters_port(void **state)
{
    static const uint16_t at_first[] = {0x8005, 0x7FFF, 0, 0xFFFF, 0x8006};
    static const uint16_t later[] = {0x8005, 0xFFFF, 0, 0, 0x8007, 0x8008};
    const struct weft_pkey_cache *borrowed;
    struct mad_link l;
    weft_pkey key;

    (void)state;
    fake_begin(one, 1);
    fake.pkeys = at_first;
    fake.pkey_count = 5;
    open_hca(&l);
    borrowed = l.pkeys;
    assert_int_equal(weft_pkey_cache_entries(l.pkeys), 5);
    assert_int_equal(default_at(&l), 3);
    assert_int_equal(key_at(&l, 4), 0x8006);
    fake.pkeys = later;
    fake.pkey_count = 6;
    assert_true(mad_link_look(&l));
    assert_ptr_equal(l.pkeys, borrowed);
    assert_int_equal(default_at(&l), 1);
    assert_int_equal(key_at(&l, 4), 0x8007);
    assert_int_equal(weft_pkey_cache_get(l.pkeys, 5, &key), WEFT_ERR_INVALID);
    /* A shorter one has nothing at its end, one that cannot be read is as it was. */
    fake.pkey_count = 4;
    assert_true(mad_link_look(&l));
    assert_int_equal(key_at(&l, 4), 0);
    fake.pkey_count = 0;
    assert_true(mad_link_look(&l));
    assert_int_equal(default_at(&l), 1);
    mad_link_close(&l);
}

/* A library, or a kernel, that tells of no table: the default partition is where a port has it that
 * starts. */
static void test_a_table_that_is_not_known_has_the_default_partition_at_index_0(void **state)
{
    static const uint16_t later[] = {0, 0xFFFF};
    struct mad_link l;

    (void)state;
    fake_begin(one, 1);
    open_hca(&l);
    assert_null(l.pkeys);
    assert_int_equal(default_at(&l), 0);
    fake.pkeys = later;
    fake.pkey_count = 2;
    assert_true(mad_link_look(&l));
    assert_int_equal(default_at(&l), 1);
    mad_link_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_of_a_simulated_port),
        cmocka_unit_test(test_the_table_of_an_adapters_port),
        cmocka_unit_test(test_a_table_that_is_not_known_has_the_default_partition_at_index_0),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
