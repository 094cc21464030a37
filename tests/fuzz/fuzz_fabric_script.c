/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any bytes given to a fabric as a script are done or refused with a reason that is
 * safe to print; what was refused left nothing behind, and what is in force can be said again. */
#include "fabric/fabric.h"

#include <weft/wire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A script longer than this says nothing new and takes its time. */
#define INPUT_BYTES_MAX 4096
#define NODES           3

static const char topology[] =
    "switchguid=0x10(10)\n"
    "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
    "[1] \"H-0000000000000020\"[1](21) # \"a b\" lid 0 4xEDR\n"
    "[2] \"H-0000000000000030\"[1](31) # \"b\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x20\n"
    "Ca 1 \"H-0000000000000020\" # \"a b\"\n"
    "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x30\n"
    "Ca 1 \"H-0000000000000030\" # \"b\"\n"
    "[1](31) \"S-0000000000000010\"[2] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_fabric_script: %s\n", what);
    abort();
}

static struct fabric *new_fabric(void)
{
    struct topo_error topo_error;
    struct fabric_error error;
    struct fabric_config c;
    struct fabric *f = NULL;
    struct topo *t = NULL;

    fabric_config_init(&c);
    c.flights = 64;
    c.deliveries = 64;
    c.attachments = 4;
    c.up = true;
    c.vfs = 2;
    c.vf_strict = true;
    require(topo_parse(topology, sizeof(topology) - 1, &t, &topo_error) == 0, "no topology");
    require(fabric_new(&c, t, NULL, &f, &error) == 0, "no fabric");
    topo_free(t);
    return f;
}

static void check_printable(const char *text, const char *what)
{
    for (; *text != '\0'; text++)
        require(*text == '\n' || ((unsigned char)*text >= 0x20 && *text != 0x7F), what);
}

/* The listing, for free(). */
static char *list(const struct fabric *f)
{
    size_t bytes = fabric_faults_text(f, NULL, 0);
    char *text = malloc(bytes + 1);

    require(text && fabric_faults_text(f, text, bytes + 1) == bytes, "the listing has two lengths");
    require(strlen(text) == bytes, "the listing contains a NUL");
    check_printable(text, "the listing is not safe to print");
    return text;
}

static bool names_are_as_they_were(const struct fabric *f)
{
    static const char *const names[NODES] = {"sw", "a b", "b"};
    struct fabric_node_info node;

    for (uint32_t i = 0; i < NODES; i++) {
        fabric_node(f, i, &node);
        if (strcmp(node.name, names[i]) != 0)
            return false;
    }
    return true;
}

/* The count of faults is that of the lines listed before those that wait. */
static void check_counted(const struct fabric *f, const char *text)
{
    struct fabric_stats stats;
    uint32_t faults = 0;

    for (; *text != '\0' && strncmp(text, "in ", 3) != 0; text = strchr(text, '\n') + 1)
        faults++;
    fabric_stats(f, &stats);
    require(stats.faults == faults, "the count of faults is not that of the list");
}

/* Another fabric that is told what is in force lists the same. */
static void check_said_again(const struct fabric *f)
{
    struct fabric *other = new_fabric();
    struct fabric_error error = {.text = ""};
    char *text = list(f), *again;
    char *waiting = strncmp(text, "in ", 3) == 0 ? text : strstr(text, "\nin ");
    uint32_t line = 0;

    if (waiting)
        waiting[waiting == text ? 0 : 1] = '\0';
    require(fabric_script(other, 0, text, strlen(text), &line, &error) == 0,
            "what is in force is no script");
    again = list(other);
    require(strcmp(text, again) == 0, "what is in force changes when it is said again");
    free(again);
    free(text);
    fabric_free(other);
}

static void check_refused(const struct fabric *f, const struct fabric_error *error, uint32_t line)
{
    char *text = list(f);

    require(error->text[0] != '\0' && line > 0, "refused without a reason");
    check_printable(error->text, "the reason is not safe to print");
    require(text[0] == '\0', "something of a refused script is in force");
    require(fabric_deadline(f) == WEFT_TIME_NEVER, "something of a refused script waits");
    free(text);
}

/* Time passes while a program asks questions. */
static void live(struct fabric *f)
{
    struct fabric_attachment id;
    struct fabric_delivery delivery;
    struct fabric_stats stats;
    struct fabric_tids tids;
    struct packet p = {.slid = 0xFFFF, .dlid = 0xFFFF};
    uint8_t port;

    require(fabric_attach(f, 1, 0, &id, &port, &tids) == 0, "no attachment");
    p.mad[0] = 1;
    p.mad[1] = WEFT_CLASS_SUBN_DIRECTED;
    p.mad[2] = 1;
    p.mad[3] = WEFT_METHOD_GET;
    for (int i = 0; i < 4; i++)
        p.mad[8 + i] = (uint8_t)(tids.first >> (24 - 8 * i));
    p.mad[17] = WEFT_ATTR_NODE_INFO;
    for (weft_time now = 0; now <= WEFT_S; now += 50 * WEFT_MS) {
        require(fabric_advance(f, now) == 0, "time does not pass");
        require(fabric_send(f, now, id, &p) == 0, "a request is refused");
        while (fabric_poll(f, &delivery))
            require(delivery.packet->mad[3] != 0, "a delivery without a method");
    }
    fabric_stats(f, &stats);
    require(stats.flights <= 64, "more flights than there are entries");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fabric_error error = {.text = ""};
    struct fabric *f;
    uint32_t line = 0;
    char *text;

    if (size > INPUT_BYTES_MAX)
        return 0;
    f = new_fabric();
    if (fabric_script(f, 0, (const char *)data, size, &line, &error) != 0) {
        check_refused(f, &error, line);
    } else {
        if (names_are_as_they_were(f))
            check_said_again(f);
        live(f);
        text = list(f);
        check_counted(f, text);
        free(text);
    }
    fabric_free(f);
    return 0;
}
